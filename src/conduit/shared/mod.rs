//! Services for conduits whose library's progress does not nest: messages and completions wait in an arrival queue until
//! no lock is held (`arrivals`), operations wait until there is room (`send_queue`), a sender keeps within the credits of
//! its peer (`credits`), and a progress thread does work that must not wait for the client's next call (`background`).
//! `packet` writes and reads the heads of messages, `device` sees an interface go down, `inside` puts off signals that would interrupt a library, `registrations` finds the
//! registered memory that a transfer uses, `operations` has the atomics that networks execute, `tries` finds whether a network executes them
//! right, and `combining` has the combinations of words of all ranks.

pub(crate) mod arrivals;
pub(crate) mod background;
pub(crate) mod batches;
pub(crate) mod combining;
pub(crate) mod credits;
pub(crate) mod device;
pub(crate) mod held;
pub(crate) mod inside;
pub(crate) mod operations;
pub(crate) mod packet;
pub(crate) mod plain;
pub(crate) mod registrations;
pub(crate) mod send_queue;
pub(crate) mod serialized;
#[cfg(test)]
mod serialized_tests;
pub(crate) mod slab;
pub(crate) mod tries;

use core::ffi::c_int;
use std::time::Duration;

use parking_lot::lock_api::{Mutex, MutexGuard, RawMutex};

use crate::conduit::Conduit;
use crate::os::{process, sleep};
use crate::sync::atomic::{AtomicBool, Ordering};

/// Sleeps until something may have arrived or `bell` can be read, at most for the smaller of `ns` and `quiet_ns`. May
/// return earlier: the caller polls again. Returns whether the network has stirred, if its polls may serve peers without
/// telling.
pub(crate) fn wait(conduit: &dyn Conduit, bell: c_int, ns: u64) -> bool {
    let ns = ns.min(conduit.quiet_ns());
    let stirred = ns == 0 || {
        let [first, second] = conduit.wake();
        let [first, second, _] = sleep::wait_readable([first, second, bell], ns);
        first || second
    };
    stirred && conduit.caps().serves_unseen
}

static CROWDED: AtomicBool = AtomicBool::new(false);

/// Whether ranks share processors; set before a conduit is opened.
pub(crate) fn set_crowded(is_crowded: bool) {
    CROWDED.store(is_crowded, Ordering::Relaxed);
}

pub(crate) fn is_crowded() -> bool {
    CROWDED.load(Ordering::Relaxed)
}

/// Naps in a row without an arrival, of a rank that no descriptor wakes.
#[derive(Default)]
pub(crate) struct Naps(u32);

impl Naps {
    /// The nanoseconds after which a thread that sleeps has to poll: more after several naps, if they may grow.
    pub(crate) fn next_ns(&mut self, may_grow: bool) -> u64 {
        const FIRST_NS: u64 = 20_000;
        const DOUBLINGS: u32 = 5;
        let naps = self.0;
        self.0 = (naps + 1).min(4 * DOUBLINGS);
        FIRST_NS << if may_grow { naps / 4 } else { 0 }
    }
}

/// Takes the lock for a rank that leaves; None after a time limit. The caller may be a signal handler that interrupted the
/// thread that holds the lock, so it does not use parking_lot's own waiting, which takes locks and memory.
pub(crate) fn lock_soon<R: RawMutex, T>(inner: &Mutex<R, T>) -> Option<MutexGuard<'_, R, T>> {
    const MOST_NS: u64 = 10_000_000;
    let until = sleep::now_ns() + MOST_NS;
    loop {
        match inner.try_lock() {
            None if sleep::now_ns() < until => process::nap(Duration::from_micros(100)),
            inner => return inner,
        }
    }
}
