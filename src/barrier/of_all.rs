//! The barrier of all ranks.
//!
//! # Safety
//! start/rank.rs, the only creator of a [`Job`], calls `begin` once before it creates it. So code that has a `Job` finds the
//! barrier here, and it is not written any more.
#![allow(unsafe_code)]

use core::cell::UnsafeCell;
use core::ffi::c_int;
use core::mem::MaybeUninit;

use super::Barrier;
use super::names::{ANONYMOUS, Names, Outcome};
use crate::job::{Job, try_job};
use crate::sync::atomic::{AtomicBool, Ordering};

struct OfAll(UnsafeCell<MaybeUninit<Barrier>>);

// SAFETY: written once, before any thread reads it (the module's paragraph); a `Barrier` may be shared.
unsafe impl Sync for OfAll {}

static OF_ALL: OfAll = OfAll(UnsafeCell::new(MaybeUninit::uninit()));

/// Makes `barrier` the one of all ranks. Called once, before there is a [`Job`].
pub(crate) fn begin(barrier: Barrier) -> &'static Barrier {
    static BEGUN: AtomicBool = AtomicBool::new(false);
    assert!(!BEGUN.swap(true, Ordering::AcqRel) && try_job().is_none());
    // SAFETY: the first call, and no thread reads it yet, since there is no `Job` (checked).
    unsafe { (*OF_ALL.0.get()).write(barrier) }
}

/// The barrier of all ranks.
#[inline]
pub(crate) fn of_all(_: &Job) -> &'static Barrier {
    // SAFETY: there is a `Job` (the module's paragraph).
    unsafe { (*OF_ALL.0.get()).assume_init_ref() }
}

impl Job {
    /// This rank enters the barrier.
    pub fn barrier_notify(&self, call: &str, id: c_int, flags: c_int) {
        of_all(self).notify(self, call, id, flags);
    }

    /// Waits until every rank has notified.
    pub fn barrier_wait(&self, call: &str, id: c_int, flags: c_int) -> Outcome {
        of_all(self).wait(self, call, id, flags)
    }

    /// As [`Job::barrier_wait`], but returns None at once if a rank has not notified.
    pub fn barrier_try(&self, call: &str, id: c_int, flags: c_int) -> Option<Outcome> {
        of_all(self).try_wait(self, call, id, flags)
    }

    /// The combined names of the barrier that was completed last.
    pub fn barrier_result(&self, call: &str) -> Names {
        of_all(self).result(call)
    }

    /// An anonymous barrier inside another operation; the client's next `barrier_result` does not see it.
    pub fn barrier_inside(&self, call: &str) {
        let last = of_all(self).last_word();
        self.barrier_notify(call, 0, ANONYMOUS);
        self.barrier_wait(call, 0, ANONYMOUS);
        of_all(self).set_last_word(last);
    }

    /// Advances a barrier by messages between a rank's notify and wait, so that other ranks do not depend on its
    /// wait. Polls call it if the barrier is by messages.
    pub fn barrier_progress(&self) {
        let barrier = of_all(self);
        if barrier.in_progress() {
            let _ = barrier.look(self, barrier.marks().notified.load(Ordering::Relaxed));
        }
    }
}
