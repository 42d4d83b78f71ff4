//! Datagrams that were not taken: how many, why, and where from. Of bounded size, whoever sends.

use std::net::SocketAddr;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reject {
    /// Not a datagram of this protocol: its length, version or shape.
    NoDatagram,
    /// Of a rank that this job has not, or of this rank itself.
    NoRank,
    /// The tag does not fit.
    Forged,
    /// It came before, or is so old that it may have.
    Replayed,
    /// The tag fits, but the content breaks the protocol: a bug of the peer's.
    Malformed,
    /// Of a rank that has left.
    Gone,
}

/// Sources told apart; the rest count together.
const SOURCES: usize = 16;

#[derive(Default, Debug)]
pub struct Rejects {
    by_reason: [u64; 6],
    sources: Vec<(SocketAddr, u64)>,
    others: u64,
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

    /// The first sources and how many came from each, and how many came from others.
    pub fn sources(&self) -> (&[(SocketAddr, u64)], u64) {
        (&self.sources, self.others)
    }
}
