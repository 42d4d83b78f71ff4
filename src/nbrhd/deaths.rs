//! Ranks of the nbrhd that have died while the job goes on. Slots of this rank's rings that a dead rank claimed
//! and did not publish are filled here. A rank that is only stopped (SIGSTOP) delays the messages behind its claim until it
//! continues: others cannot know whether it has written half of a message.

use parking_lot::Mutex;

use crate::defs::rank::NodeRank;
use crate::nbrhd::ring::{Intent, Ring, RingHead};
use crate::sync::atomic::{AtomicBool, AtomicU64, Ordering};

pub(crate) struct Deaths {
    dead: Box<[AtomicBool]>,
    /// Position up to which this rank's rings, of requests and replies, may hold claims of dead ranks.
    until: [AtomicU64; 2],
    /// Held by the thread that fills slots.
    filling: Mutex<()>,
}

/// The result of [`super::Nbrhd::retire`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Retired {
    /// Void messages published in the rings of requests and replies.
    pub filled: [u64; 2],
    /// No slot that a dead rank claimed is left unpublished.
    pub done: bool,
}

impl Deaths {
    pub(super) fn new(ranks: usize) -> Deaths {
        let dead = (0..ranks).map(|_| AtomicBool::new(false)).collect();
        Deaths { dead, until: [const { AtomicU64::new(0) }; 2], filling: Mutex::new(()) }
    }
}

impl Deaths {
    /// Whether `rank` is known to be dead.
    pub(super) fn has(&self, rank: NodeRank) -> bool {
        // Acquire: with the Release in `note`; writes of the rank from before its death are seen.
        self.dead[rank.index()].load(Ordering::Acquire)
    }

    /// Records that `rank` has died.
    pub(super) fn note(&self, rank: NodeRank) {
        self.dead[rank.index()].store(true, Ordering::Release);
    }

    /// Records that slots claimed so far in the rings `own`, of requests and replies, may be claims of dead ranks.
    pub(super) fn look_at(&self, own: [&Ring; 2]) {
        for (until, ring) in self.until.iter().zip(own) {
            until.fetch_max(ring.claimed(), Ordering::Relaxed);
        }
    }

    /// As [`super::Nbrhd::retire`], for the rings `own`. `living` returns the intents of the living ranks.
    pub(super) fn retire<'a, I: Iterator<Item = &'a Intent>>(
        &self,
        own: [&Ring; 2],
        void: RingHead,
        living: impl Fn() -> I,
    ) -> Retired {
        let Some(_filling) = self.filling.try_lock() else { return Retired { filled: [0; 2], done: false } };
        let filled = own.map(|ring| if ring.ready() || !ring.stirred() { 0 } else { ring.retire(void, living()) });
        let reached = |(until, ring): (&AtomicU64, &Ring)| ring.taken() >= until.load(Ordering::Relaxed);
        Retired { filled, done: self.until.iter().zip(own).all(reached) }
    }
}
