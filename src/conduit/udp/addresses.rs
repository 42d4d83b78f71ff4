//! The socket addresses of the ranks of a job: 6 bytes a rank where all are IPv4, which is the rule; 32 otherwise.

use std::net::{SocketAddr, SocketAddrV4};

use crate::defs::rank::JobRank;

pub enum Addresses {
    V4(Box<[SocketAddrV4]>),
    Any(Box<[SocketAddr]>),
}

/// Bytes for each rank of the job where all addresses are IPv4.
pub const BYTES_A_RANK: usize = size_of::<SocketAddrV4>();

impl Addresses {
    #[inline]
    pub(crate) fn of(&self, rank: JobRank) -> SocketAddr {
        match self {
            Addresses::V4(all) => all[rank.index()].into(),
            Addresses::Any(all) => all[rank.index()],
        }
    }

    pub(crate) fn contain(&self, address: SocketAddr) -> bool {
        match (self, address) {
            (Addresses::V4(all), SocketAddr::V4(address)) => all.contains(&address),
            (Addresses::V4(_), SocketAddr::V6(_)) => false,
            (Addresses::Any(all), _) => all.contains(&address),
        }
    }
}

impl From<Vec<SocketAddr>> for Addresses {
    fn from(all: Vec<SocketAddr>) -> Addresses {
        let v4 = |address: &SocketAddr| match address {
            SocketAddr::V4(address) => Some(*address),
            SocketAddr::V6(_) => None,
        };
        match all.iter().map(v4).collect::<Option<_>>() {
            Some(all) => Addresses::V4(all),
            None => Addresses::Any(all.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_any_family_come_back() {
        for texts in [&["10.0.0.1:1", "10.0.0.2:65535"][..], &["[::1]:7", "[fe80::2%3]:9"], &["10.0.0.1:1", "[::1]:7"]]
        {
            let all: Vec<SocketAddr> = texts.iter().map(|text| text.parse().unwrap()).collect();
            let kept = Addresses::from(all.clone());
            for (rank, &address) in (0..).map(JobRank).zip(&all) {
                assert_eq!(kept.of(rank), address);
                assert!(kept.contain(address));
            }
            assert!(!kept.contain("10.0.0.1:2".parse().unwrap()) && !kept.contain("[::1]:8".parse().unwrap()));
        }
        assert!(matches!(Addresses::from(vec!["10.0.0.1:1".parse().unwrap()]), Addresses::V4(_)));
    }
}
