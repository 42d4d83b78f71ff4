//! A client's list of events or handles: tests of and waits for several.
//!
//! # Safety
//! Lists belong to the caller; the creator of a [`EventList`] passes on the caller's promise.
#![allow(unsafe_code)]

use crate::event::Handle;
use crate::fatal::usage;
use crate::hang::waits::Note;
use crate::job::Job;

/// A root that was found complete; kept until all leaves of the list have been tested, because leaves are released
/// with their root.
const SEEN: usize = 1;
/// Set in leaves (see event.rs).
const LEAF: usize = 2;

/// Entries; complete ones are overwritten by 0, which counts as complete.
pub(crate) struct EventList {
    job: &'static Job,
    call: &'static str,
    first: *mut usize,
    len: usize,
}

impl EventList {
    /// # Safety
    /// `first..first + len` are handles that no other thread accesses during the call.
    pub(crate) unsafe fn new<T>(job: &'static Job, call: &'static str, first: *mut *mut T, len: usize) -> EventList {
        if first.is_null() && len > 0 {
            usage!(call, "the list of {len} handles is NULL");
        }
        EventList { job, call, first: first.cast(), len }
    }

    fn entry(&self, at: usize) -> usize {
        // SAFETY: `new`'s promise; callers stay below `len`.
        unsafe { self.first.add(at).read() }
    }

    fn set(&self, at: usize, entry: usize) {
        // SAFETY: as in `entry`.
        unsafe { self.first.add(at).write(entry) }
    }

    /// Debug clients of GASNet-1: checks that the handles belong to this thread.
    pub(crate) fn of_this_thread(self) -> EventList {
        if self.job.settings.debug {
            (0..self.len).for_each(|at| self.job.check_owner(self.call, Handle(self.entry(at))));
        }
        self
    }

    fn has_leaves(&self) -> bool {
        (0..self.len).any(|at| self.entry(at) & LEAF != 0)
    }

    /// Removes entry `at` if it is complete.
    fn take(&self, at: usize) -> bool {
        let done = self.job.test(self.call, Handle(self.entry(at)));
        if done {
            self.set(at, 0);
        }
        done
    }

    /// Removes complete entries. Returns whether any entry was complete, and whether any is not.
    fn sweep(&self) -> (bool, bool) {
        let (mut done, mut left) = (false, false);
        let mut look = |at: usize| {
            if self.entry(at) != 0 {
                let complete = self.take(at);
                done |= complete;
                left |= !complete;
            }
        };
        if !self.has_leaves() {
            (0..self.len).for_each(look);
            return (done, left);
        }
        let is_leaf = |at: &usize| self.entry(*at) & LEAF != 0;
        // Roots first, without releasing them: the leaves of a complete root are complete, too.
        let mut unseen = false;
        for at in (0..self.len).filter(|at| !is_leaf(at)) {
            let entry = self.entry(at);
            if entry == 0 {
                continue;
            }
            if self.job.is_complete(self.call, Handle(entry)) {
                self.set(at, entry | SEEN);
            } else {
                unseen = true;
            }
        }
        (0..self.len).filter(is_leaf).for_each(&mut look);
        for at in 0..self.len {
            if self.entry(at) & SEEN != 0 {
                self.set(at, self.entry(at) & !SEEN);
                look(at);
            }
        }
        (done, left || unseen)
    }

    /// The description of the wait for the hang report: that of the first entry that is not complete.
    fn note(&self) -> Note<'static> {
        let open = (0..self.len).map(|at| self.entry(at)).find(|&entry| entry != 0);
        self.job.note_of(self.call, Handle(open.unwrap_or_default()))
    }

    /// Removes complete entries; returns whether no entry is left.
    pub(crate) fn test_all(&self) -> bool {
        !self.sweep().1
    }

    /// Removes complete entries; returns whether there was one, or the list was empty.
    pub(crate) fn test_some(&self) -> bool {
        let (done, left) = self.sweep();
        done || !left
    }

    /// Waits until all entries are complete. Leaves first, while their roots exist; each scan continues where the
    /// previous one stopped, so that the wait for a long list is not quadratic.
    pub(crate) fn wait_all(&self) {
        let leaves_apart = self.has_leaves();
        for leaves in [true, false] {
            let mut from = if leaves && !leaves_apart { self.len } else { 0 };
            let mut advance = || {
                while from < self.len && (leaves && self.entry(from) & LEAF == 0 || self.take(from)) {
                    from += 1;
                }
                from == self.len
            };
            if !advance() {
                self.job.wait_for(|| self.note(), advance);
            }
        }
    }

    /// Waits until an entry is complete, unless the list is empty.
    pub(crate) fn wait_some(&self) {
        if !self.test_some() {
            self.job.wait_for(|| self.note(), || self.test_some());
        }
    }
}

#[cfg(test)]
#[path = "event_list_tests.rs"]
mod tests;
