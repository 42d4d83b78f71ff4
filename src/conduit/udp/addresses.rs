//! The socket addresses of the ranks of a job. Where all are IPv4, which is the rule, they are in memory that the ranks of the
//! host share: two words a rank, which each of them writes, with the same values.

use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};

use crate::defs::rank::JobRank;
use crate::sync::atomic::{AtomicU32, Ordering};

pub enum Addresses {
    /// The IP address of each rank, and its port.
    V4(&'static [AtomicU32]),
    Any(Box<[SocketAddr]>),
}

const WORDS: usize = 2;
/// Bytes for each rank of the job on each host.
pub const BYTES_A_RANK: usize = WORDS * size_of::<AtomicU32>();

/// Bytes that the ranks of a host share.
pub(crate) fn shared_bytes(size: u32) -> usize {
    size as usize * BYTES_A_RANK
}

impl Addresses {
    /// The addresses `all`, by rank. `words`: memory of `shared_bytes` bytes.
    pub(crate) fn new(all: Vec<SocketAddr>, words: &'static [AtomicU32]) -> Addresses {
        let v4 = |address: &SocketAddr| match address {
            SocketAddr::V4(address) => Some(*address),
            SocketAddr::V6(_) => None,
        };
        let Some(v4) = all.iter().map(v4).collect::<Option<Vec<_>>>() else { return Addresses::Any(all.into()) };
        for (place, address) in words.chunks_exact(WORDS).zip(v4) {
            place[0].store(address.ip().to_bits(), Ordering::Relaxed);
            place[1].store(address.port().into(), Ordering::Relaxed);
        }
        Addresses::V4(words)
    }

    #[inline]
    pub(crate) fn of(&self, rank: JobRank) -> SocketAddr {
        match self {
            Addresses::V4(words) => v4_of(&words[rank.index() * WORDS..][..WORDS]).into(),
            Addresses::Any(all) => all[rank.index()],
        }
    }

    pub(crate) fn contain(&self, address: SocketAddr) -> bool {
        match (self, address) {
            (Addresses::V4(words), SocketAddr::V4(address)) => {
                words.chunks_exact(WORDS).any(|place| v4_of(place) == address)
            }
            (Addresses::V4(_), SocketAddr::V6(_)) => false,
            (Addresses::Any(all), _) => all.contains(&address),
        }
    }
}

fn v4_of(place: &[AtomicU32]) -> SocketAddrV4 {
    let [ip, port] = [0, 1].map(|at: usize| place[at].load(Ordering::Relaxed));
    SocketAddrV4::new(Ipv4Addr::from_bits(ip), port as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(ranks: usize) -> &'static [AtomicU32] {
        (0..ranks * WORDS).map(|_| AtomicU32::default()).collect::<Vec<_>>().leak()
    }

    #[test]
    fn addresses_of_any_family_come_back() {
        for texts in [&["10.0.0.1:1", "10.0.0.2:65535"][..], &["[::1]:7", "[fe80::2%3]:9"], &["10.0.0.1:1", "[::1]:7"]]
        {
            let all: Vec<SocketAddr> = texts.iter().map(|text| text.parse().unwrap()).collect();
            let kept = Addresses::new(all.clone(), memory(all.len()));
            for (rank, &address) in (0..).map(JobRank).zip(&all) {
                assert_eq!(kept.of(rank), address);
                assert!(kept.contain(address));
            }
            assert!(!kept.contain("10.0.0.1:2".parse().unwrap()) && !kept.contain("[::1]:8".parse().unwrap()));
        }
        assert!(matches!(Addresses::new(vec!["10.0.0.1:1".parse().unwrap()], memory(1)), Addresses::V4(_)));
    }
}
