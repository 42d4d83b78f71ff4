//! Ranks of the nbrhd that have died while the job goes on. What a rank left half done in memory that others share is
//! ended here: places in this rank's rings that it claimed and did not fill, blocks of this rank's pool that it was sent.
//! A rank that is only stopped holds up what comes after its claim in a ring until it goes on: nobody can tell whether it
//! has written half of a message.

use parking_lot::Mutex;

use crate::defs::rank::NodeRank;
use crate::nbrhd::ring::{Intent, Ring, RingHead};
use crate::sync::atomic::{AtomicBool, AtomicU64, Ordering};

pub(crate) struct Deaths {
    dead: Box<[AtomicBool]>,
    /// How far the rings of this rank, requests and replies, may hold claims of the dead.
    until: [AtomicU64; 2],
    /// Held by the thread that fills them.
    filling: Mutex<()>,
}

/// The result of [`super::Nbrhd::retire`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Retired {
    /// Messages put in place of those that are missing, of requests and replies.
    pub filled: [u64; 2],
    /// Nothing that the dead have claimed is left.
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

    /// `rank` has died; these rings of ours may hold its claims.
    pub(super) fn note(&self, rank: NodeRank) {
        self.dead[rank.index()].store(true, Ordering::Release);
    }

    /// Places that are claimed now in `own`, requests and replies, may be claims of the dead.
    pub(super) fn look_at(&self, own: [&Ring; 2]) {
        for (until, ring) in self.until.iter().zip(own) {
            until.fetch_max(ring.claimed(), Ordering::Relaxed);
        }
    }

    /// As [`super::Nbrhd::retire`], in the rings `own`, beside the `living` ranks' intents.
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
