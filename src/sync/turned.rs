//! A lock that threads try for, and sleep without if another thread has it: who is turned away leaves a mark, and the holder
//! that finds the mark after it has released the lock wakes threads that sleep, so that they look again.

use crate::sync::atomic::{AtomicBool, Ordering};

/// The mark beside a lock: set by a thread that found the lock taken and did not wait for it.
pub struct Turned(AtomicBool);

impl Default for Turned {
    fn default() -> Turned {
        Turned::new(AtomicBool::new(false))
    }
}

impl Turned {
    pub const fn new(mark: AtomicBool) -> Turned {
        Turned(mark)
    }

    /// What `try_lock` gives. If another thread has the lock, the mark is set and the lock is tried once more.
    pub fn enter<G>(&self, try_lock: impl Fn() -> Option<G>) -> Option<G> {
        try_lock().or_else(|| {
            // AcqRel, with that in `leave`: if this comes after, so does the second look, which finds the lock free.
            self.0.swap(true, Ordering::AcqRel);
            try_lock()
        })
    }

    /// Called after the lock was released: calls `wake` if threads that `enter` turned away may sleep, or if the holder
    /// completed something (`stirs`) and threads sleep. `sleeps`: whether threads sleep, as `Bell::has_sleepers` tells.
    #[inline]
    pub fn leave(&self, sleeps: impl FnOnce() -> bool, stirs: bool, wake: impl FnOnce()) {
        // A thread that sleeps announced itself before it tried the lock for the last time: the holder, which released the
        // lock after that, sees it. The swap, a locked instruction, is only for where one sleeps.
        if sleeps() && self.0.swap(false, Ordering::AcqRel) | stirs {
            wake();
        }
    }
}
