//! Exchange of the ranks' socket addresses. The sockets of a host are bound before its ranks are forked; then each
//! rank publishes its address, and rank 0 also the secret with which all datagrams are authenticated.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::time::Duration;

use super::addresses::Addresses;
use super::faults::Faults;
use super::rank::UdpNetwork;
use crate::bootstrap::contract::Bootstrap;
use crate::conduit::{Conduit, Links};
use crate::defs::rank::{HostRank, JobRank};
use crate::env;
use crate::launch::addresses;
use crate::mem::Dst;
use crate::os::process;
use crate::os::services::{self, UsedBy};
use crate::sync::atomic::AtomicU32;

const ADDRESS: &str = "udp.at";
const SECRET: &str = "udp.key";

/// One socket for each rank of the host. A rank keeps its own and closes the others.
pub(crate) struct HostSockets(Vec<(UdpSocket, SocketAddr)>);

/// Binds the sockets of `ranks` ranks at `address`; without one, at the loopback address.
pub(crate) fn prepare(ranks: u32, address: Option<IpAddr>) -> Result<Box<dyn Links>, String> {
    let sockets = addresses::bind(address.unwrap_or(Ipv4Addr::LOCALHOST.into()), ranks)?;
    Ok(Box::new(HostSockets(sockets)))
}

impl Links for HostSockets {
    fn join(
        self: Box<Self>,
        nth: HostRank,
        bootstrap: &dyn Bootstrap,
        shared: Dst<'static>,
    ) -> Result<&'static dyn Conduit, String> {
        let loss = env::dbl("GASNET_FAULT_RATE");
        let faults = env::str("GASNET_UDP_FAULTS").unwrap_or_else(|| format!("loss={}%", loss * 100.0));
        let faults = Faults::parse(&faults).map_err(|why| format!("GASNET_UDP_FAULTS: {why}"))?;
        services::say_refused(UsedBy::Udp);
        let network = meet(*self, nth, bootstrap, shared.words_32())?;
        Ok(network.open(faults, env::yes("GASNET_UDP_ENCRYPT")))
    }
}

/// Publishes this rank's address and gets those of all ranks, which are kept in `shared`.
fn meet(
    sockets: HostSockets,
    nth: HostRank,
    bootstrap: &dyn Bootstrap,
    shared: &'static [AtomicU32],
) -> Result<UdpNetwork, String> {
    let identity = bootstrap.identity();
    let (me, size) = (identity.me, identity.size);
    let mine = sockets.0.into_iter().nth(nth.index());
    let (socket, address) = mine.ok_or_else(|| format!("udp: rank {} has no socket", me.0))?;
    let mut secret = [0; 32];
    if me.0 == 0 {
        process::random(&mut secret).map_err(|error| format!("no random numbers for a secret: {error}"))?;
    }
    offer(bootstrap, address, &secret);
    bootstrap.fence();
    let address_of = |rank| {
        let bytes = bootstrap.get(JobRank(rank), ADDRESS);
        bytes
            .and_then(|bytes| read(&bytes))
            .ok_or_else(|| format!("udp: rank {rank} has not published its address at the start of the job"))
    };
    let secret = bootstrap.get(JobRank(0), SECRET).and_then(|secret| secret.try_into().ok());
    Ok(UdpNetwork {
        me,
        size,
        here: identity.here,
        on_host: identity.peers.len() as u32,
        addresses: Addresses::new((0..size).map(address_of).collect::<Result<Vec<_>, _>>()?, shared),
        secret: secret.ok_or("udp: rank 0 has not published the secret of the job at its start")?,
        socket,
        patience: Duration::from_secs_f64(env::dbl("GASNET_UDP_PEER_TIMEOUT")) / 2,
    })
}

/// Offers the address of this rank's socket; rank 0 the secret, too.
pub fn offer(bootstrap: &dyn Bootstrap, address: SocketAddr, secret: &[u8; 32]) {
    bootstrap.put(ADDRESS, &written(address));
    if bootstrap.identity().me.0 == 0 {
        bootstrap.put(SECRET, secret);
    }
}

/// An address as a value: the IP address, then the port.
fn written(address: SocketAddr) -> Vec<u8> {
    let port = address.port().to_le_bytes();
    match address.ip() {
        IpAddr::V4(ip) => [&ip.octets()[..], &port].concat(),
        IpAddr::V6(ip) => [&ip.octets()[..], &port].concat(),
    }
}

fn read(bytes: &[u8]) -> Option<SocketAddr> {
    let (ip, port) = bytes.split_last_chunk::<2>()?;
    let ip = match ip.len() {
        4 => IpAddr::from(<[u8; 4]>::try_from(ip).ok()?),
        _ => IpAddr::from(<[u8; 16]>::try_from(ip).ok()?),
    };
    Some(SocketAddr::new(ip, u16::from_le_bytes(*port)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_as_it_was_written() {
        for text in ["127.0.0.1:1", "255.1.2.3:65535", "[::1]:7", "[fe80::1:2]:5000"] {
            let address = text.parse().unwrap();
            assert_eq!(read(&written(address)), Some(address));
        }
        for bad in [&[][..], &[1], &[1, 2, 3, 4, 5], &[0; 19]] {
            assert_eq!(read(bad), None);
        }
    }
}
