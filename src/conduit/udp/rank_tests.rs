//! Conformance tests of the udp conduit, over real sockets: in clear, encrypted, and with injected faults.

use crate::conduit::udp::addresses::Addresses;
use crate::sync::atomic::AtomicU32;
use std::net::UdpSocket;
use std::time::Duration;

use super::faults::Faults;
use super::rank::UdpNetwork;
use crate::conduit::{Conduit, conformance_tests};
use crate::defs::rank::{HostRank, JobRank};

/// Both ranks of a job of two, each with its own socket.
fn pair(faults: &str, encrypt: bool) -> [&'static dyn Conduit; 2] {
    let faults = Faults::parse(faults).unwrap();
    let sockets = [0, 1].map(|_| UdpSocket::bind("127.0.0.1:0").unwrap());
    let addresses = sockets.each_ref().map(|socket| socket.local_addr().unwrap());
    let mut next = 0;
    sockets.map(|socket| {
        let me = next;
        next += 1;
        let network = UdpNetwork {
            me: JobRank(me),
            size: 2,
            here: HostRank(me),
            on_host: 2,
            addresses: Addresses::new(
                addresses.to_vec(),
                vec![0; 4].into_iter().map(AtomicU32::new).collect::<Vec<_>>().leak(),
            ),
            secret: [3; 32],
            socket,
            patience: Duration::from_secs(5),
        };
        network.open(faults, encrypt)
    })
}

#[test]
fn udp_keeps_the_contract() {
    conformance_tests::run(false, || pair("", false));
}

#[test]
fn polls_tell_that_they_serve() {
    conformance_tests::polls_tell_that_they_serve(pair("", false));
}

#[test]
fn udp_keeps_the_contract_encrypted() {
    conformance_tests::run(false, || pair("", true));
}

#[test]
fn udp_keeps_the_contract_where_the_network_is_bad() {
    conformance_tests::run(true, || pair("loss=5%,dup=5%,reorder=10%,corrupt=1%,seed=4", false));
}
