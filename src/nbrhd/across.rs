//! Ranks of the nbrhd whose memory is reached through the kernel: where all of it is the segment, only a little of it
//! is mapped here. Each is tried once, when it is first asked for; whom the kernel keeps out sends messages.

use crate::bootstrap;
use crate::defs::rank::{HostRank, NodeRank};
use crate::mem::{self, RemoteAddr};
use crate::os::peer_memory;
use crate::sync::atomic::{AtomicI32, AtomicU64, Ordering};

/// A rank of the nbrhd as the kernel knows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NearProcess {
    pub pid: i32,
    rank: NodeRank,
}

/// By rank of the nbrhd: its process; 0 if it was not tried yet, less if the kernel refused.
pub(crate) struct Across(Box<[AtomicI32]>);

const REFUSED: i32 = -1;

/// The word that each rank reads of the others, at the address that they give, to see that it can, and that they are who they should
/// be.
static MARK: AtomicU64 = AtomicU64::new(0);

fn mark_of(rank: HostRank) -> u64 {
    0x6761_736e_6574_0000 + 1 + u64::from(rank.0)
}

impl Across {
    /// For rank `here` of the host in a nbrhd of `ranks`; said before others may ask for its memory. They hear at `mark_at`
    /// where its mark is.
    pub(crate) fn new(here: HostRank, ranks: u32, mark_at: &AtomicU64) -> Across {
        MARK.store(mark_of(here), Ordering::Release);
        mark_at.store((&raw const MARK).expose_provenance() as u64, Ordering::Release);
        if ranks > 1 && bootstrap::here::is_joined() {
            // Processes that were started separately have no ancestor in common that could be named.
            peer_memory::let_in(peer_memory::ANYBODY);
        } else if ranks > 1
            && let Some(warden) = bootstrap::here::warden()
        {
            // The ranks descend from the warden, but for the first, whom the warden descends from.
            peer_memory::let_in(warden);
        }
        Across((0..ranks).map(|_| AtomicI32::new(0)).collect())
    }

    /// The process of `rank`, whom the host calls `host_rank`, if the kernel lets us reach its memory; `mark_at`: what it has
    /// said of its mark.
    #[inline]
    pub(crate) fn process(
        &self,
        rank: NodeRank,
        host_rank: HostRank,
        mark_at: impl FnOnce() -> RemoteAddr,
    ) -> Option<NearProcess> {
        // Relaxed: nothing but the number itself.
        let pid = match self.0[rank.index()].load(Ordering::Relaxed) {
            0 => self.try_out(rank, host_rank, mark_at()),
            pid => pid,
        };
        (pid > 0).then_some(NearProcess { pid, rank })
    }

    #[cold]
    fn try_out(&self, rank: NodeRank, host_rank: HostRank, mark_at: RemoteAddr) -> i32 {
        let pid = bootstrap::here::process_of(host_rank).filter(|&pid| {
            let mut seen = [0u64];
            peer_memory::read(pid, mem::all_of(&mut seen), mark_at).is_ok() && seen[0] == mark_of(host_rank)
        });
        let pid = pid.unwrap_or(REFUSED);
        self.0[rank.index()].store(pid, Ordering::Relaxed);
        pid
    }

    /// The kernel lets us no longer.
    pub(crate) fn refuse(&self, process: NearProcess) {
        self.0[process.rank.index()].store(REFUSED, Ordering::Relaxed);
    }
}
