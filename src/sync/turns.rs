//! A lock for state that one thread at a time uses. In a rank whose client calls from one thread (`GASNET_SEQ`, `GASNET_PARSYNC`), it
//! is a flag without atomic read-modify-write: no other thread competes for it, only signal handlers find it taken.
//!
//! # Safety
//! The client promises by its mode that one thread at a time calls.
#![allow(unsafe_code)]

use parking_lot::RawMutex;
use parking_lot::lock_api;

use crate::sync::atomic::{AtomicBool, Ordering};

/// Several threads of this rank may call. Set before there is any state to lock.
static CONCURRENT: AtomicBool = AtomicBool::new(true);

/// Whether several threads of this rank may call, fixed at init.
pub(crate) fn set_concurrent(concurrent: bool) {
    CONCURRENT.store(concurrent, Ordering::Relaxed);
}

pub(crate) struct RawTurns {
    lock: RawMutex,
    /// Where one thread calls.
    taken: AtomicBool,
}

pub(crate) type Turns<T> = lock_api::Mutex<RawTurns, T>;
pub(crate) type TurnsGuard<'a, T> = lock_api::MutexGuard<'a, RawTurns, T>;

// SAFETY: where several threads call, it is parking_lot's lock; where one does, that thread only competes with itself.
unsafe impl lock_api::RawMutex for RawTurns {
    #[allow(clippy::declare_interior_mutable_const)]
    const INIT: RawTurns = RawTurns { lock: lock_api::RawMutex::INIT, taken: AtomicBool::new(false) };
    type GuardMarker = <RawMutex as lock_api::RawMutex>::GuardMarker;

    #[inline]
    fn lock(&self) {
        if CONCURRENT.load(Ordering::Relaxed) {
            return lock_api::RawMutex::lock(&self.lock);
        }
        self.taken.store(true, Ordering::Relaxed);
    }

    #[inline]
    fn try_lock(&self) -> bool {
        if CONCURRENT.load(Ordering::Relaxed) {
            return lock_api::RawMutex::try_lock(&self.lock);
        }
        let is_free = !self.taken.load(Ordering::Relaxed);
        if is_free {
            self.taken.store(true, Ordering::Relaxed);
        }
        is_free
    }

    #[inline]
    unsafe fn unlock(&self) {
        if CONCURRENT.load(Ordering::Relaxed) {
            // SAFETY: the caller holds it; CONCURRENT, which is set before there is any state to lock, was the same when it was taken.
            return unsafe { lock_api::RawMutex::unlock(&self.lock) };
        }
        self.taken.store(false, Ordering::Relaxed);
    }

    fn is_locked(&self) -> bool {
        lock_api::RawMutex::is_locked(&self.lock) || self.taken.load(Ordering::Relaxed)
    }
}
