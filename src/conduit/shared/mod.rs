//! What conduits share whose library's progress does not nest: messages and completions wait in an arrival queue until no
//! lock is held (`arrivals`), operations until there is room (`send_queue`), senders keep within the room that their peer has for them (`credits`), and a progress
//! thread does what must not wait for the client's next call (`background`).

pub mod arrivals;
pub mod background;
pub mod credits;
pub mod held;
pub mod send_queue;
pub mod slab;

use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};

use crate::os::{process, sleep};

/// The lock, for a rank that leaves: perhaps in a signal handler, over a thread that has it, so nothing waits for long.
/// Without parking_lot's own waiting, which takes locks and memory.
pub fn lock_soon<T>(inner: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    const MOST_NS: u64 = 10_000_000;
    let until = sleep::now_ns() + MOST_NS;
    loop {
        match inner.try_lock() {
            None if sleep::now_ns() < until => process::nap(Duration::from_micros(100)),
            inner => return inner,
        }
    }
}
