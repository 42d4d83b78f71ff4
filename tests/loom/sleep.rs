//! The functions of `src/os/sleep.rs` for the models of loom, with the same guarantees.

use core::ffi::c_int;
use loom::sync::atomic::{AtomicU32, Ordering, fence};
use loom::sync::{Condvar, Mutex};

loom::lazy_static! {
    static ref SLEEPERS: (Mutex<()>, Condvar) = (Mutex::new(()), Condvar::new());
}

/// Has no time limit and no early wake-ups, which could hide a lost wake-up.
pub fn futex_wait(word: &AtomicU32, seen: u32, _ns: u64) {
    let mut sleepers = SLEEPERS.0.lock().unwrap();
    while word.load(Ordering::Relaxed) == seen {
        sleepers = SLEEPERS.1.wait(sleepers).unwrap();
    }
}

pub fn futex_wake_all(_word: &AtomicU32) {
    let _sleepers = SLEEPERS.0.lock().unwrap();
    SLEEPERS.1.notify_all();
}

/// The heavy and the light barrier together are as strong as two fences.
pub fn heavy_barrier() {
    fence(Ordering::SeqCst);
}

pub fn light_barrier(_heavy_exists: bool) {
    fence(Ordering::SeqCst);
}

pub fn take_bell(_: c_int) {}
pub fn ring_bell(_: c_int, _: u32) {}
