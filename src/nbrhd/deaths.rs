//! Ranks of the nbrhd that have died while the job goes on. What a rank left half done in memory that others share is
//! ended here: places in this rank's rings that it claimed and did not fill, blocks of this rank's pool that it was sent.
//! A rank that is only stopped holds up what comes after its claim in a ring until it goes on: nobody can tell whether it
//! has written half of a message.

use parking_lot::Mutex;

use crate::defs::rank::NodeRank;
use crate::nbrhd::Nbrhd;
use crate::nbrhd::ring::{Head, Intent, Ring};
use crate::sync::atomic::{AtomicBool, AtomicU64, Ordering};

pub struct Deaths {
    dead: Box<[AtomicBool]>,
    /// How far the rings of this rank, requests and replies, may hold claims of the dead.
    until: [AtomicU64; 2],
    /// Held by the thread that fills them.
    filling: Mutex<()>,
}

/// What [`Nbrhd::retire`] has done.
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

impl Nbrhd {
    fn own_rings(&self) -> [&Ring; 2] {
        [&self.requests, &self.replies]
    }

    pub fn is_dead(&self, rank: NodeRank) -> bool {
        // Acquire: with the Release in `bury`; what the rank did before it died is seen.
        self.deaths.dead[rank.index()].load(Ordering::Acquire)
    }

    /// `rank`, another one, has died: none of its threads runs any more, and none ever will. What is sent to it is lost
    /// from now on, blocks that it was sent come back; returns how many. Afterwards [`Nbrhd::retire`] is called until it is
    /// done. Each survivor calls this for itself.
    pub fn bury(&self, rank: NodeRank) -> usize {
        self.deaths.dead[rank.index()].store(true, Ordering::Release);
        let inbox = self.inbox(rank);
        inbox.requests.abandon();
        inbox.replies.abandon();
        // A thread that sends it a block meanwhile has said so before, or finds out by the bell (`ring_bell`).
        inbox.bell.bury();
        for (until, ring) in self.deaths.until.iter().zip(self.own_rings()) {
            until.fetch_max(ring.claimed(), Ordering::Relaxed);
        }
        self.own().pool.take_back(rank)
    }

    /// Where this rank's rings wait for a message that a dead rank will not publish, puts `void` there. Called with every
    /// poll until it is done: consumers have to come to the place first, and living producers to finish what they claimed.
    pub fn retire(&self, void: Head) -> Retired {
        let Some(_filling) = self.deaths.filling.try_lock() else { return Retired { filled: [0; 2], done: false } };
        let filled = self
            .own_rings()
            .map(|ring| if ring.ready() || !ring.stirred() { 0 } else { ring.retire(void, self.living_intents()) });
        let reached = |(until, ring): (&AtomicU64, &Ring)| ring.taken() >= until.load(Ordering::Relaxed);
        Retired { filled, done: self.deaths.until.iter().zip(self.own_rings()).all(reached) }
    }

    fn living_intents(&self) -> impl Iterator<Item = &Intent> {
        let ranks = (0..self.ranks).map(NodeRank).filter(|&rank| rank != self.me && !self.is_dead(rank));
        ranks.flat_map(|rank| self.inbox(rank).intents)
    }
}
