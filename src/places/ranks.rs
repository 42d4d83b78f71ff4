//! The ranks of one host, compactly: runs of consecutive ranks.

use core::fmt;

use serde::{Deserialize, Serialize};

use crate::defs::rank::{HostRank, JobRank};

/// A run of consecutive ranks; it ends where the next one begins, by index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct RankRun {
    first: u32,
    /// The index on the host of `first`.
    index: u32,
}

/// The ranks of one host, in ascending order, which is the order of their indices on the host. Adjacent runs are one.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(into = "Vec<(u32, u32)>", try_from = "Vec<(u32, u32)>")]
pub struct Ranks {
    runs: Vec<RankRun>,
    count: u32,
}

/// Runs shown in messages before the rest is only counted.
const MOST_SHOWN: usize = 8;

impl Ranks {
    /// `count` ranks from `first` on.
    pub fn block(first: u32, count: u32) -> Ranks {
        let mut ranks = Ranks::default();
        ranks.push(first, count);
        ranks
    }

    /// Appends `count` ranks from `first` on. False, and nothing is appended: the run is empty, begins below the end
    /// of the last one, or reaches beyond the largest rank.
    pub fn push(&mut self, first: u32, count: u32) -> bool {
        let end = self.end();
        if count == 0 || first < end || first.checked_add(count).is_none() {
            return false;
        }
        if self.runs.is_empty() || first > end {
            self.runs.push(RankRun { first, index: self.count });
        }
        self.count += count;
        true
    }

    /// One more than the last rank; 0 if there is none.
    fn end(&self) -> u32 {
        self.runs.last().map_or(0, |last| last.first + (self.count - last.index))
    }

    pub fn count(&self) -> u32 {
        self.count
    }

    /// The runs: first rank and number of ranks of each.
    pub fn runs(&self) -> impl ExactSizeIterator<Item = (u32, u32)> {
        self.runs.iter().enumerate().map(|(at, run)| {
            let next = self.runs.get(at + 1).map_or(self.count, |next| next.index);
            (run.first, next - run.index)
        })
    }

    /// The rank with this index on the host.
    pub fn get(&self, index: HostRank) -> Option<JobRank> {
        if index.0 >= self.count {
            return None;
        }
        let run = self.runs[self.runs.partition_point(|run| run.index <= index.0) - 1];
        Some(JobRank(run.first + (index.0 - run.index)))
    }

    /// The index of `rank` on the host, if it is one of these.
    pub fn index_of(&self, rank: JobRank) -> Option<HostRank> {
        let at = self.runs.partition_point(|run| run.first <= rank.0).checked_sub(1)?;
        let run = self.runs[at];
        let end = self.runs.get(at + 1).map_or(self.count, |next| next.index);
        Some(run.index + (rank.0 - run.first)).filter(|&index| index < end).map(HostRank)
    }

    pub fn iter(&self) -> impl Iterator<Item = JobRank> {
        self.runs().flat_map(|(first, count)| (first..first + count).map(JobRank))
    }
}

/// First rank and number of ranks of each run.
impl From<Ranks> for Vec<(u32, u32)> {
    fn from(ranks: Ranks) -> Self {
        ranks.runs().collect()
    }
}

impl TryFrom<Vec<(u32, u32)>> for Ranks {
    type Error = &'static str;

    fn try_from(runs: Vec<(u32, u32)>) -> Result<Ranks, Self::Error> {
        let mut ranks = Ranks::default();
        match runs.into_iter().all(|(first, count)| ranks.push(first, count)) {
            true => Ok(ranks),
            false => Err("runs of ranks do not ascend"),
        }
    }
}

impl FromIterator<JobRank> for Ranks {
    /// Of ascending ranks; one that is not above those before it is left out.
    fn from_iter<I: IntoIterator<Item = JobRank>>(ranks: I) -> Ranks {
        let mut all = Ranks::default();
        for rank in ranks {
            all.push(rank.0, 1);
        }
        all
    }
}

/// `rank 3`, `ranks 0-3`, `ranks 0, 2, 4-5`; of many runs the first ones, and how many ranks there are.
impl fmt::Display for Ranks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.count == 1 { "rank " } else { "ranks " })?;
        for (at, (first, count)) in self.runs().take(MOST_SHOWN).enumerate() {
            f.write_str(if at == 0 { "" } else { ", " })?;
            match count {
                1 => write!(f, "{first}")?,
                _ => write!(f, "{first}-{}", first + count - 1)?,
            }
        }
        if self.runs.len() > MOST_SHOWN { write!(f, ", … ({} in all)", self.count) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn messages_name_runs_and_count_many() {
        let of = |ranks: &[u32]| ranks.iter().copied().map(JobRank).collect::<Ranks>().to_string();
        assert_eq!(of(&[3]), "rank 3");
        assert_eq!(of(&[0, 1, 2, 3]), "ranks 0-3");
        assert_eq!(of(&[0, 2, 4, 5]), "ranks 0, 2, 4-5");
        let even: Vec<u32> = (0..20).step_by(2).collect();
        assert_eq!(of(&even), "ranks 0, 2, 4, 6, 8, 10, 12, 14, … (10 in all)");
    }

    #[test]
    fn runs_that_do_not_ascend_are_refused() {
        let mut ranks = Ranks::block(4, 2);
        assert!(!ranks.push(5, 1) && !ranks.push(0, 1) && !ranks.push(8, 0) && !ranks.push(u32::MAX, 1));
        assert_eq!(ranks, Ranks::block(4, 2));
        assert!(ranks.push(6, 1) && ranks == Ranks::block(4, 3));
    }

    proptest! {
        #[test]
        fn ranks_are_the_list_that_they_were_made_of(set in proptest::collection::btree_set(0u32..60, 0..40)) {
            let list: Vec<JobRank> = set.iter().copied().map(JobRank).collect();
            let ranks: Ranks = list.iter().copied().collect();
            prop_assert_eq!(ranks.iter().collect::<Vec<_>>(), list.clone());
            prop_assert_eq!(ranks.count() as usize, list.len());
            for index in 0..62 {
                prop_assert_eq!(ranks.get(HostRank(index)), list.get(index as usize).copied());
                let at = list.iter().position(|&rank| rank.0 == index);
                prop_assert_eq!(ranks.index_of(JobRank(index)), at.map(|at| HostRank(at as u32)));
            }
        }
    }
}
