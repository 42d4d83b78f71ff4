//! Counters of rejected datagrams, by reason and by source. Their memory is bounded, for any number of sources.

use super::addresses::Addresses;
use core::fmt;
use std::net::SocketAddr;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reject {
    /// Not a datagram of this protocol: its length, version or shape.
    NoDatagram,
    /// The sender is not a rank of this job, or is this rank itself.
    NoRank,
    /// The tag does not match.
    Forged,
    /// It was received before, or is too old for that to be known.
    Replayed,
    /// The tag matches, but the content breaks the protocol: a bug in the peer.
    Malformed,
    /// The sender is a rank that has left.
    Gone,
}

/// Sources that are counted separately; all others share one counter.
const SOURCES: usize = 16;

/// The number of datagrams from outside the job after which the user is warned; then ten times as many, and so on.
const FIRST_NEWS: u64 = 1000;

#[derive(Debug)]
pub struct Rejects {
    by_reason: [u64; 6],
    sources: Vec<(SocketAddr, u64)>,
    others: u64,
    /// The number of datagrams from outside the job at which to warn next, and the total of all rejected ones below which
    /// that number cannot be reached.
    news_at: u64,
    look_at: u64,
}

impl Default for Rejects {
    fn default() -> Rejects {
        Rejects { by_reason: [0; 6], sources: Vec::new(), others: 0, news_at: FIRST_NEWS, look_at: FIRST_NEWS }
    }
}

impl Rejects {
    #[cold]
    pub fn count(&mut self, why: Reject, from: SocketAddr) {
        self.by_reason[why as usize] += 1;
        match self.sources.iter().position(|(source, _)| *source == from) {
            Some(known) => self.sources[known].1 += 1,
            None if self.sources.len() < SOURCES => self.sources.push((from, 1)),
            None => self.others += 1,
        }
    }

    pub fn of(&self, why: Reject) -> u64 {
        self.by_reason[why as usize]
    }

    pub fn total(&self) -> u64 {
        self.by_reason.iter().sum()
    }

    /// The first sources with their numbers of datagrams, and the number from all other sources.
    pub fn sources(&self) -> (&[(SocketAddr, u64)], u64) {
        (&self.sources, self.others)
    }

    /// The number of datagrams from addresses that are not ranks', if the user is to be warned of it now.
    pub fn news(&mut self, ranks: &Addresses) -> Option<u64> {
        if self.total() < self.look_at {
            return None;
        }
        let strange = self.sources.iter().filter(|(source, _)| !ranks.contain(*source)).map(|(_, n)| n).sum::<u64>();
        let strange = strange + self.others;
        let is_news = strange >= self.news_at;
        if is_news {
            self.news_at = strange.saturating_mul(10);
        }
        // All others are repetitions by ranks, or were corrupted by the network.
        self.look_at = self.total().saturating_add(self.news_at - strange);
        is_news.then_some(strange)
    }
}

/// Reasons and sources with their numbers; of the sources the largest ones only.
impl fmt::Display for Rejects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 3;
        const REASONS: [(Reject, &str); 6] = [
            (Reject::Forged, "not authentic"),
            (Reject::NoDatagram, "of no known form"),
            (Reject::NoRank, "of no rank"),
            (Reject::Replayed, "that had come before"),
            (Reject::Malformed, "malformed"),
            (Reject::Gone, "of ranks that had left"),
        ];
        let mut between = "";
        for (why, text) in REASONS.iter().filter(|(why, _)| self.of(*why) > 0) {
            write!(f, "{between}{} {text}", self.of(*why))?;
            between = ", ";
        }
        let mut others = self.others;
        let mut between = "; from ";
        let mut smaller = u64::MAX;
        let mut last = usize::MAX;
        for _ in 0..SHOWN {
            // The next source in order of number, then of position.
            let rest =
                self.sources.iter().enumerate().filter(|&(at, &(_, n))| n < smaller || (n == smaller && at > last));
            let Some((at, &(source, n))) = rest.max_by_key(|&(at, &(_, n))| (n, core::cmp::Reverse(at))) else { break };
            write!(f, "{between}{source} ({n})")?;
            (smaller, last, between) = (n, at, ", ");
        }
        let hidden = self.sources.iter().enumerate();
        others += hidden
            .filter(|&(at, &(_, n))| n < smaller || (n == smaller && at > last))
            .map(|(_, (_, n))| n)
            .sum::<u64>();
        if others > 0 && smaller < u64::MAX {
            write!(f, " and others ({others})")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(port: u16) -> SocketAddr {
        SocketAddr::from(([10, 0, 0, 1], port))
    }

    #[test]
    fn what_many_strangers_send_is_news_each_time_there_is_ten_times_as_much() {
        let mut rejects = Rejects::default();
        let mut told = Vec::new();
        for n in 0..200_000u64 {
            rejects.count(Reject::Forged, at(n as u16));
            told.extend(rejects.news(&Addresses::Any(Box::default())));
        }
        assert_eq!(told, [1000, 10_000, 100_000]);
    }

    #[test]
    fn what_comes_from_ranks_is_no_news() {
        let mut rejects = Rejects::default();
        for n in 0..100_000u64 {
            rejects.count(Reject::Replayed, at(1 + n as u16 % 4));
            assert_eq!(rejects.news(&Addresses::Any([at(1), at(2), at(3), at(4)].into())), None);
        }
        let mut told = Vec::new();
        for _ in 0..1000 {
            rejects.count(Reject::NoDatagram, at(5));
            told.extend(rejects.news(&Addresses::Any([at(1), at(2), at(3), at(4)].into())));
        }
        assert_eq!(told, [1000]);
    }

    #[test]
    fn the_text_names_reasons_and_the_largest_sources() {
        let mut rejects = Rejects::default();
        for (port, count) in [(1, 2), (2, 5), (3, 2), (4, 9), (5, 1), (6, 2)] {
            for _ in 0..count {
                rejects.count(if port == 4 { Reject::NoRank } else { Reject::Forged }, at(port));
            }
        }
        let want = "12 not authentic, 9 of no rank; from 10.0.0.1:4 (9), 10.0.0.1:2 (5), 10.0.0.1:1 (2) and others (5)";
        assert_eq!(rejects.to_string(), want);
        assert_eq!(Rejects::default().to_string(), "");
    }

    #[test]
    fn sources_beyond_the_first_sixteen_share_a_counter() {
        let mut rejects = Rejects::default();
        (0..20).chain(0..3).for_each(|port| rejects.count(Reject::Gone, at(port)));
        let (sources, others) = rejects.sources();
        let wanted: Vec<_> = (0..16).map(|port| (at(port), if port < 3 { 2 } else { 1 })).collect();
        assert_eq!((sources, others), (&wanted[..], 4));
        assert_eq!((rejects.total(), rejects.of(Reject::Gone), rejects.of(Reject::Forged)), (23, 23, 0));
    }
}
