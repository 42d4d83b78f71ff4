//! A client's list of events or handles, as every form of waiting for several takes it.
//!
//! # Safety
//! Lists are the caller's; who makes a [`List`] passes the caller's promise on.
#![allow(unsafe_code)]

use crate::event::Handle;
use crate::fatal::usage;
use crate::job::Job;
use crate::progress::waits::Note;

/// A root that was found complete, until all leaves of the list have been looked at: a leaf dies with its root.
const SEEN: usize = 1;
/// Set in leaves (see event.rs).
const LEAF: usize = 2;

/// Entries of which complete ones are overwritten by 0, which stands for complete ones that need no look.
pub(super) struct List {
    job: &'static Job,
    call: &'static str,
    first: *mut usize,
    len: usize,
}

impl List {
    /// # Safety
    /// `first..first + len` are handles that only this call touches.
    pub(super) unsafe fn new<T>(job: &'static Job, call: &'static str, first: *mut *mut T, len: usize) -> List {
        if first.is_null() && len > 0 {
            usage!(call, "the list of {len} handles is NULL");
        }
        List { job, call, first: first.cast(), len }
    }

    fn entry(&self, at: usize) -> usize {
        // SAFETY: `new`'s promise; callers stay below `len`.
        unsafe { self.first.add(at).read() }
    }

    fn set(&self, at: usize, entry: usize) {
        // SAFETY: as in `entry`.
        unsafe { self.first.add(at).write(entry) }
    }

    /// Debug: for GASNet-1, whose handles belong to the thread that got them.
    pub(super) fn of_this_thread(self) -> List {
        if self.job.settings.debug {
            (0..self.len).for_each(|at| self.job.check_owner(self.call, Handle(self.entry(at))));
        }
        self
    }

    fn has_leaves(&self) -> bool {
        (0..self.len).any(|at| self.entry(at) & LEAF != 0)
    }

    /// Takes entry `at` out if it is complete.
    fn take(&self, at: usize) -> bool {
        let done = self.job.test(self.call, Handle(self.entry(at)));
        if done {
            self.set(at, 0);
        }
        done
    }

    /// Takes out what is complete: whether something was, and whether something is not.
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
        // Roots first, without giving them back: a leaf of one that is complete is then complete, too.
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

    /// What the thread says that waits for it: of the first one that is not complete.
    fn note(&self) -> Note<'static> {
        let open = (0..self.len).map(|at| self.entry(at)).find(|&entry| entry != 0);
        self.job.note_of(self.call, Handle(open.unwrap_or_default()))
    }

    /// Takes out everything that is complete; whether nothing is left.
    pub(super) fn test_all(&self) -> bool {
        !self.sweep().1
    }

    /// Takes out everything that is complete; whether that was something, or there was nothing in the list.
    pub(super) fn test_some(&self) -> bool {
        let (done, left) = self.sweep();
        done || !left
    }

    /// Waits until everything is complete. Leaves first, as long as their roots are there; each look goes on where the
    /// last one stopped, so that the wait for a long list is not quadratic.
    pub(super) fn wait_all(&self) {
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

    /// Waits until something is complete, if there is anything.
    pub(super) fn wait_some(&self) {
        if !self.test_some() {
            self.job.wait_for(|| self.note(), || self.test_some());
        }
    }
}
