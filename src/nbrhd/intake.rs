//! A ring as its consumer sees it. Each poll asks whether the next message is there, so the consumer's process remembers
//! where it will be: one load of a word of its own and one of the slot answer that.

use super::ring::{Ring, RingHead, TakenBatch};
use crate::sync::atomic::{AtomicU64, Ordering};

/// One of this rank's rings.
pub struct Intake {
    pub ring: Ring,
    /// The next message's [`Ring::mark`] when a thread last took messages. Of several threads one may store an old mark, but
    /// never one that is ahead of the ring.
    next: AtomicU64,
}

impl Intake {
    pub fn new(ring: Ring) -> Intake {
        Intake { ring, next: AtomicU64::new(ring.mark(ring.taken())) }
    }

    /// Whether the next message has been published. Consumers check this first. True without a message while the mark is old:
    /// its slot was filled then, and `take` stores a newer mark.
    #[inline(always)]
    pub fn ready(&self) -> bool {
        self.ring.is_filled(self.next.load(Ordering::Relaxed))
    }

    /// As [`Ring::take`].
    #[inline(always)]
    pub fn take(&self, out: &mut TakenBatch, serial: bool, length_of: impl Fn(RingHead, u64) -> usize) -> usize {
        let taken = self.ring.take(out, serial, length_of);
        self.next.store(self.ring.mark(self.ring.taken()), Ordering::Relaxed);
        taken
    }
}
