//! The addresses and ports of this machine that a job uses.

use crate::env;
use crate::launch::hosts;
use crate::launch::hosts::Net;
use crate::os::host;
use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr, TcpListener, UdpSocket};
use std::ops::RangeInclusive;

/// The address of this machine that its ranks use: GASNET_WORKERIP, otherwise the address on the route to `facing`.
pub(crate) fn own_address(facing: IpAddr) -> Result<IpAddr, String> {
    match env::spawn_str("GASNET_WORKERIP") {
        None => Ok(facing),
        Some(text) => {
            local_address(&text).map_err(|why| format!("GASNET_WORKERIP='{text}': host {} {why}", own_name()))
        }
    }
}

/// The ports that a job may use; 0 is any.
pub(crate) fn allowed_ports() -> Result<RangeInclusive<u16>, String> {
    match env::str("GASNET_UDP_PORTS") {
        None => Ok(0..=0),
        Some(text) => hosts::ports(&text)
            .ok_or_else(|| format!("GASNET_UDP_PORTS='{text}': must be a range of ports, such as 5000-5999")),
    }
}

/// Binds the first of `ports` that is free.
pub(crate) fn first_free<T>(
    ports: RangeInclusive<u16>,
    bind: impl Fn(u16) -> std::io::Result<T>,
) -> std::io::Result<T> {
    let mut last = Err(ErrorKind::AddrInUse.into());
    for port in ports {
        last = bind(port);
        if !last.as_ref().is_err_and(|error| error.kind() == ErrorKind::AddrInUse) {
            break;
        }
    }
    last
}

/// Binds `count` datagram sockets at `ip`, on ports that the job may use, and returns each with its address. An error is a
/// line for the user.
pub fn bind(ip: IpAddr, count: u32) -> Result<Vec<(UdpSocket, SocketAddr)>, String> {
    let ports = allowed_ports()?;
    let mut sockets = Vec::new();
    let mut next = *ports.start();
    for _ in 0..count {
        let bound = first_free(next..=*ports.end(), |port| UdpSocket::bind((ip, port)));
        match bound.and_then(|socket| Ok((socket.local_addr()?, socket))) {
            Ok((addr, socket)) => {
                // After the last port comes one that is taken.
                next = if addr.port() < *ports.end() { addr.port() + 1 } else { *ports.end() };
                sockets.push((socket, addr));
            }
            Err(error) if *ports.end() > 0 => {
                return Err(format!(
                    "{count} UDP ports are needed in {}-{} at {ip} on host {}, but {} are free: {error} (GASNET_UDP_PORTS)",
                    ports.start(),
                    ports.end(),
                    own_name(),
                    sockets.len()
                ));
            }
            Err(error) => {
                let host = own_name();
                return Err(format!("no UDP socket at {ip} on host {host}: {error} (GASNET_WORKERIP, ulimit -n)"));
            }
        }
    }
    Ok(sockets)
}

/// A port at `ip`, among those that the job may use, for connections of other hosts. An error is a line for the user.
pub(crate) fn listen(ip: IpAddr) -> Result<TcpListener, String> {
    first_free(allowed_ports()?, |port| TcpListener::bind((ip, port))).map_err(|error| {
        format!("no TCP port for other hosts at {ip} on host {}: {error} (GASNET_UDP_PORTS, ulimit -n)", own_name())
    })
}

/// The address of this machine that `text` names, or the first one in the network that `text` names.
pub(crate) fn local_address(text: &str) -> Result<IpAddr, String> {
    let Some(net) = Net::parse(text) else {
        return Err("cannot use it: it must be an IP address or a network such as 10.1.0.0/16".to_string());
    };
    all_addresses()?.into_iter().find(|&ip| net.holds(ip)).ok_or_else(|| "has no such address".to_string())
}

/// The addresses of all interfaces of this machine.
pub(crate) fn all_addresses() -> Result<Vec<IpAddr>, String> {
    let all = nix::ifaddrs::getifaddrs().map_err(|error| format!("cannot list its addresses: {error}"))?;
    let ips = all.filter_map(|interface| {
        let address = interface.address?;
        let v4 = address.as_sockaddr_in().map(|v4| IpAddr::from(v4.ip()));
        v4.or_else(|| address.as_sockaddr_in6().map(|v6| IpAddr::from(v6.ip())))
    });
    Ok(ips.collect())
}

/// At most `most` addresses at which processes may reach this machine: those of its networks, IPv4 first, then the loopback
/// address, for processes of this machine.
pub(crate) fn addresses_for_others(most: usize) -> Vec<IpAddr> {
    let mut ips: Vec<IpAddr> = Vec::new();
    for interface in nix::ifaddrs::getifaddrs().into_iter().flatten() {
        let Some(address) = interface.address else { continue };
        let v4 = address.as_sockaddr_in().map(|v4| IpAddr::from(v4.ip()));
        let ip = v4.or_else(|| address.as_sockaddr_in6().map(|v6| IpAddr::from(v6.ip())));
        let is_of_link = |ip: &IpAddr| match ip {
            IpAddr::V4(ip) => ip.is_link_local(),
            IpAddr::V6(ip) => ip.is_unicast_link_local(),
        };
        let ip = ip.filter(|ip| !ip.is_loopback() && !ip.is_unspecified() && !is_of_link(ip));
        ips.extend(ip.filter(|ip| !ips.contains(ip)));
    }
    ips.sort_by_key(IpAddr::is_ipv6);
    ips.truncate(most - 1);
    ips.push(std::net::Ipv4Addr::LOCALHOST.into());
    ips
}

pub(crate) fn own_name() -> String {
    host::name().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_this_machine_is_found_by_network() {
        assert_eq!(local_address("127.0.0.0/8").unwrap().to_string(), "127.0.0.1");
        assert!(local_address("203.0.113.7").unwrap_err().contains("no such address"));
        assert!(local_address("abc").is_err());
    }
}
