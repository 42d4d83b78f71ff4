//! Access by CMA to the memory of ranks of the nbrhd that is not mapped here, in jobs where the segment is all memory. Each
//! rank is tried once, at the first access to it; if the kernel denies the access, messages are sent instead.

use crate::bootstrap;
use crate::defs::rank::{HostRank, NodeRank};
use crate::mem::{self, RemoteAddr};
use crate::os::peer_memory;
use crate::sync::atomic::{AtomicI32, AtomicU64, Ordering};

/// A rank of the nbrhd and the id of its process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NearProcess {
    pub pid: i32,
    rank: NodeRank,
}

/// By rank of the nbrhd: the id of its process; 0 if it was not tried yet, `REFUSED` if the kernel denied access.
pub(crate) struct Across(Box<[AtomicI32]>);

const REFUSED: i32 = -1;

/// A word that other ranks read by CMA, at the address that this rank publishes, to check that they have access and that
/// the process is this rank.
static MARK: AtomicU64 = AtomicU64::new(0);

fn mark_of(rank: HostRank) -> u64 {
    0x6761_736e_6574_0000 + 1 + u64::from(rank.0)
}

impl Across {
    /// For rank `here` of the host in a nbrhd of `ranks`; called before others access its memory. Stores
    /// the address of this rank's `MARK` to `mark_at`.
    pub(crate) fn new(here: HostRank, ranks: u32, mark_at: &AtomicU64) -> Across {
        MARK.store(mark_of(here), Ordering::Release);
        mark_at.store((&raw const MARK).expose_provenance() as u64, Ordering::Release);
        if ranks > 1 && bootstrap::here::is_joined() {
            // Processes that were started separately have no common ancestor to grant access to.
            peer_memory::let_in(peer_memory::ANYBODY);
        } else if ranks > 1 {
            if let Some(warden) = bootstrap::here::warden() {
                // All ranks but the first descend from the warden, and the warden descends from the first.
                peer_memory::let_in(warden);
            }
        }
        Across((0..ranks).map(|_| AtomicI32::new(0)).collect())
    }

    /// The process of `rank`, which is `host_rank` on the host, if the kernel gives access to its memory. `mark_at` returns
    /// the address of its `MARK`.
    #[inline]
    pub(crate) fn process(
        &self,
        rank: NodeRank,
        host_rank: HostRank,
        mark_at: impl FnOnce() -> RemoteAddr,
    ) -> Option<NearProcess> {
        // Relaxed: no other data depends on the number.
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

    /// Records that the kernel denies access to `process` from now on.
    pub(crate) fn refuse(&self, process: NearProcess) {
        self.0[process.rank.index()].store(REFUSED, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn each_rank_of_a_host_has_a_mark_of_its_own_which_no_empty_memory_has() {
        let marks: HashSet<u64> = (0..4096).map(|rank| mark_of(HostRank(rank))).collect();
        assert_eq!(marks.len(), 4096);
        assert!(!marks.contains(&0));
    }

    #[test]
    fn a_rank_is_tried_once_and_not_again_after_the_kernel_has_refused() {
        let mark_at = AtomicU64::new(0);
        let across = Across::new(HostRank(2), 1, &mark_at);
        assert_eq!(mark_at.load(Ordering::Relaxed) as usize, (&raw const MARK).addr());
        assert_eq!(MARK.load(Ordering::Relaxed), mark_of(HostRank(2)));
        assert_eq!(across.0.len(), 1);
        let across = Across([0, 0, 77].map(AtomicI32::new).into());
        // Nothing is known of its process.
        assert_eq!(across.process(NodeRank(0), HostRank(2), || RemoteAddr(0)), None);
        let again = |rank| across.process(NodeRank(rank), HostRank(2), || panic!("it was tried before"));
        assert_eq!((again(0), again(2).map(|process| process.pid)), (None, Some(77)));
        across.refuse(again(2).expect("there is one"));
        assert_eq!((again(0), again(2)), (None, None));
    }
}
