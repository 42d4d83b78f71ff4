//! Where the ranks of the job are: which of them share a host, and which of those share memory, a nbrhd
//! ("supernode"). Ranks of a host follow each other, and so do those of a nbrhd.

use core::ops::Range;

use crate::job::JobRank;

/// The same on every rank.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Places {
    size: u32,
    /// The first rank of each host.
    hosts: Box<[u32]>,
    /// The first rank of each nbrhd.
    nbrhds: Box<[u32]>,
}

impl Places {
    /// `hosts`: the first rank of each host, ascending from 0, all below `size`. At most `together` ranks of a host
    /// share memory.
    pub fn new(hosts: &[u32], size: u32, together: u32) -> Places {
        let ends = hosts.iter().skip(1).copied().chain([size]);
        let nbrhds =
            hosts.iter().zip(ends).flat_map(|(&first, end)| (first..end).step_by(together.max(1) as usize)).collect();
        Places { size, hosts: hosts.into(), nbrhds }
    }

    /// The number of `rank`'s host.
    pub fn host(&self, rank: JobRank) -> u32 {
        group(&self.hosts, rank)
    }

    /// How many hosts there are.
    pub fn hosts(&self) -> u32 {
        self.hosts.len() as u32
    }

    /// The ranks of `rank`'s host.
    pub fn on_host(&self, rank: JobRank) -> Range<u32> {
        members(&self.hosts, self.size, rank)
    }

    /// The number of `rank`'s nbrhd.
    pub fn supernode(&self, rank: JobRank) -> u32 {
        group(&self.nbrhds, rank)
    }

    /// The ranks of `rank`'s nbrhd.
    pub fn nbrhd(&self, rank: JobRank) -> Range<u32> {
        members(&self.nbrhds, self.size, rank)
    }

    /// The first rank of each nbrhd.
    pub fn leaders(&self) -> &[u32] {
        &self.nbrhds
    }
}

fn group(firsts: &[u32], rank: JobRank) -> u32 {
    (firsts.partition_point(|&first| first <= rank.0) - 1) as u32
}

fn members(firsts: &[u32], size: u32, rank: JobRank) -> Range<u32> {
    let at = group(firsts, rank) as usize;
    firsts[at]..firsts.get(at + 1).copied().unwrap_or(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rank_is_in_one_nbrhd_of_its_host_and_none_is_too_large() {
        for (hosts, size) in [(vec![0], 1), (vec![0], 7), (vec![0, 3], 7), (vec![0, 1, 5, 6], 9)] {
            for together in 1..=size {
                let places = Places::new(&hosts, size, together);
                let mut seen = 0;
                for (number, &leader) in places.leaders().iter().enumerate() {
                    let ranks = places.nbrhd(JobRank(leader));
                    assert_eq!(ranks.start, seen);
                    assert!(!ranks.is_empty() && ranks.len() <= together as usize);
                    for rank in ranks.clone().map(JobRank) {
                        assert_eq!(places.supernode(rank), number as u32);
                        assert_eq!(places.host(rank), places.host(JobRank(leader)));
                        assert!(places.on_host(rank).contains(&rank.0));
                    }
                    seen = ranks.end;
                }
                assert_eq!(seen, size);
            }
        }
    }

    #[test]
    fn without_a_bound_a_host_is_one_nbrhd() {
        let places = Places::new(&[0, 4], 6, 6);
        assert_eq!(places.leaders(), [0, 4]);
        assert_eq!(places.on_host(JobRank(5)), 4..6);
        assert_eq!(places.host(JobRank(3)), 0);
    }
}
