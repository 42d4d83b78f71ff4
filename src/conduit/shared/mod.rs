//! Services for conduits whose library's progress does not nest: messages and completions wait in an arrival queue until
//! no lock is held (`arrivals`), operations wait until there is room (`send_queue`), a sender keeps within the credits of
//! its peer (`credits`), and a progress thread does work that must not wait for the client's next call (`background`).
//! `registrations` finds the registered memory that a transfer uses.

pub(crate) mod arrivals;
pub(crate) mod background;
pub(crate) mod credits;
pub(crate) mod held;
pub(crate) mod registrations;
pub(crate) mod send_queue;
pub(crate) mod serialized;
pub(crate) mod slab;

use core::ffi::c_int;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};

use crate::conduit::Conduit;
use crate::os::{process, sleep};

/// Sleeps until something may have arrived, `bell` can be read, or `ns` have passed, whichever is first. May return too
/// early: the caller polls again. A conduit without a descriptor is polled after at most
/// `quiet_ns`.
pub(crate) fn wait(conduit: &dyn Conduit, bell: c_int, ns: u64) {
    let ns = ns.min(conduit.quiet_ns());
    if ns > 0 {
        let [first, second] = conduit.wake();
        sleep::wait_readable([first, second, bell], ns);
    }
}

/// The lock, for a rank that leaves: perhaps in a signal handler, over a thread that has it, so nothing waits for long.
/// Without parking_lot's own waiting, which takes locks and memory.
pub(crate) fn lock_soon<T>(inner: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    const MOST_NS: u64 = 10_000_000;
    let until = sleep::now_ns() + MOST_NS;
    loop {
        match inner.try_lock() {
            None if sleep::now_ns() < until => process::nap(Duration::from_micros(100)),
            inner => return inner,
        }
    }
}
