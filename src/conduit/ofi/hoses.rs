//! The firehoses of this rank to the memory of each peer, and the state of the peers' firehoses that their messages have reported.

use crate::defs::rank::JobRank;
use crate::firehose::hoses::{AsksInOrder, Hoses};
use crate::firehose::{Budgets, Pages};

/// The key of a firehose.
#[derive(Clone, Copy)]
pub(crate) struct HoseKey {
    pub base: u64,
    pub word: u64,
}

/// With one peer.
pub(crate) struct PeerHose {
    pub mine: Hoses<HoseKey>,
    /// Its messages to this rank.
    pub theirs: AsksInOrder,
}

/// With all peers; made at the first use.
pub(crate) struct PeerHoses {
    peers: Vec<Option<Box<PeerHose>>>,
    /// Pages that this rank may have of each.
    share: usize,
}

impl PeerHoses {
    pub(crate) fn new(budgets: Budgets, ranks: usize) -> PeerHoses {
        PeerHoses { peers: (0..ranks).map(|_| None).collect(), share: budgets.remote / ranks.saturating_sub(1).max(1) }
    }

    pub(crate) fn with(&mut self, peer: JobRank) -> &mut PeerHose {
        let share = self.share;
        self.peers[peer.index()]
            .get_or_insert_with(|| Box::new(PeerHose { mine: Hoses::new(share), theirs: AsksInOrder::default() }))
    }

    pub(crate) fn release(&mut self, peer: JobRank, of: Pages) {
        self.with(peer).mine.release(of);
    }

    /// Hits and misses.
    pub(crate) fn counts(&self) -> [u64; 2] {
        let all = self.peers.iter().flatten();
        all.fold([0; 2], |[hits, misses], with| [hits + with.mine.hits, misses + with.mine.misses])
    }
}
