//! Tests of two engines that exchange datagrams directly, without a network.
#![allow(unsafe_code)]

use std::net::{SocketAddr, UdpSocket};
use std::time::Instant;

use proptest::prelude::*;

use super::auth::AuthKey;
use super::faults::{Faults, Faulty};
use super::socket::{ReceiveBuffers, Socket};
use super::wire::{DATA, FIXED, Header, MAX_HEADER, TAG, VERSION};
use crate::conduit::udp::auth::Secret;
use crate::conduit::udp::engine::Engine;
use crate::conduit::udp::held::Went;
use crate::conduit::udp::reject::Reject;
use crate::conduit::udp::send::Source;
use crate::conduit::udp::terms::{Config, Ended, EnginePayload, Full, Taken, Up};
use crate::defs::message::Traffic;
use crate::defs::rank::JobRank;
use crate::mem::{Dst, RemoteAddr, Src};

pub(crate) const SECRET: Secret = Secret([5; 32]);

pub(crate) fn address(port: u16) -> SocketAddr {
    SocketAddr::from(([10, 0, 0, 1], port))
}

pub(crate) fn config(me: u32) -> Config {
    Config { mtu_first: 65507, ..Config::new(JobRank(me), 2, SECRET) }
}

/// Records the engine's reports; owns the memory that peers access.
#[derive(Default)]
pub(crate) struct Desk {
    pub memory: Vec<u8>,
    pub ams: Vec<(Traffic, Vec<u8>, u32)>,
    pub count: [u64; 2],
    pub keep: bool,
    pub done: Vec<u64>,
    pub lost: Vec<(JobRank, u64)>,
    pub outside: usize,
    pub handled: [u32; 2],
}

impl Up for Desk {
    fn am(&mut self, _: JobRank, traffic: Traffic, head: &[u8], payload: EnginePayload<'_>, cost: u32) {
        self.count[traffic as usize] += 1;
        self.handled[traffic as usize] += cost;
        if self.keep {
            let mut bytes = head.to_vec();
            match payload {
                EnginePayload::Bytes(more) => bytes.extend_from_slice(more),
                EnginePayload::Whole(more) => bytes.extend_from_slice(&more),
                EnginePayload::Long(_) => {}
            }
            self.ams.push((traffic, bytes, cost));
        }
    }

    fn own(&mut self, at: RemoteAddr, len: usize) -> Option<Dst<'static>> {
        let part = self.memory.get_mut(at.0..at.0.checked_add(len)?)?;
        // SAFETY: tests neither resize the memory nor drop it while an engine runs.
        Some(unsafe { Dst::new(part.as_mut_ptr().cast(), len) })
    }

    fn outside(&mut self, _: JobRank, _: RemoteAddr, _: usize) {
        self.outside += 1;
    }

    fn done(&mut self, op: u64, _: Ended) {
        self.done.push(op);
    }

    fn lost(&mut self, rank: JobRank, silent_ns: u64) {
        self.lost.push((rank, silent_ns));
    }
}

/// The datagrams that `engine` sends at `now`.
pub(crate) fn sent(engine: &mut Engine, now: u64) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    engine.transmit(now, &mut |datagrams| {
        datagrams.each(|bytes| all.push(bytes.to_vec()));
        Went::Out
    });
    all
}

pub(crate) struct Pair {
    pub now: u64,
    pub engines: [Engine; 2],
    pub desks: [Desk; 2],
}

impl Pair {
    pub(crate) fn with(change: impl Fn(&mut Config)) -> Pair {
        let engines = [0, 1].map(|me| {
            let mut config = config(me);
            change(&mut config);
            Engine::new(config)
        });
        let desks = [0, 1].map(|_| Desk { memory: vec![0; 1 << 20], keep: true, ..Desk::default() });
        Pair { now: 1_000_000, engines, desks }
    }

    /// Delivers everything that `from` sends now, at once.
    pub(crate) fn carry(&mut self, from: usize) -> usize {
        let all = sent(&mut self.engines[from], self.now);
        for bytes in &all {
            let (engine, desk) = (&mut self.engines[1 - from], &mut self.desks[1 - from]);
            engine.on_datagram(self.now, address(1), &mut bytes.clone(), desk).expect("accepted");
        }
        all.len()
    }

    /// Delivers until neither engine has anything to send and no timer runs.
    pub(crate) fn settle(&mut self) {
        for _ in 0..10_000 {
            if self.carry(0) + self.carry(1) > 0 {
                self.now += 1000;
                continue;
            }
            let next = self.engines.iter().filter_map(Engine::next_timer).min();
            let Some(next) = next.filter(|_| !self.engines.iter().all(Engine::is_idle)) else { return };
            self.now = self.now.max(next);
            for (engine, desk) in self.engines.iter_mut().zip(&mut self.desks) {
                engine.on_timer(self.now, desk);
            }
        }
        panic!("does not settle");
    }
}

pub(crate) fn request(engine: &mut Engine, to: u32, payload: &[u8]) -> Result<(), Full> {
    engine.am(JobRank(to), Traffic::Request, b"head", Src::of(payload)).map(drop)
}

#[test]
fn one_that_leaves_acknowledges_what_it_has_taken() {
    let mut pair = Pair::with(|_| {});
    request(&mut pair.engines[0], 1, b"the last").expect("room");
    assert_eq!(pair.carry(0), 1);
    assert_eq!(pair.carry(1), 0, "an acknowledgement can wait");
    pair.engines[1].acknowledge();
    assert_eq!(pair.carry(1), 1);
    assert!(pair.engines[0].is_idle());
    pair.engines[1].acknowledge();
    assert_eq!(pair.carry(1), 0, "there is nothing left to acknowledge");
}

#[test]
fn a_probe_of_the_path_keeps_nobody_from_leaving() {
    let mut pair = Pair::with(|config| config.mtu_first = 1200);
    request(&mut pair.engines[0], 1, b"the last").expect("room");
    pair.carry(0);
    assert!(!pair.engines[0].has_delivered());
    pair.now += 1000;
    pair.engines[1].acknowledge();
    pair.carry(1);
    assert!(pair.engines[0].has_delivered());
    assert_eq!(sent(&mut pair.engines[0], pair.now).iter().map(Vec::len).max(), Some(65507));
    assert!(pair.engines[0].has_delivered() && !pair.engines[0].is_idle());
}

#[test]
fn a_probe_of_the_path_keeps_no_message_back() {
    let mut pair = Pair::with(|config| (config.mtu_first, config.mtu_most) = (1400, 65507));
    request(&mut pair.engines[0], 1, b"one").expect("room");
    assert_eq!(pair.carry(0), 1);
    pair.engines[1].acknowledge();
    pair.carry(1);
    request(&mut pair.engines[0], 1, b"two").expect("room");
    assert_eq!(pair.carry(0), 2, "the probe and the message");
    request(&mut pair.engines[0], 1, b"three").expect("room");
    assert_eq!(pair.carry(0), 1);
    assert_eq!(pair.desks[1].ams.len(), 3, "nobody had to call the engine for the answer to the probe");
}

#[test]
fn messages_puts_and_gets_of_all_sizes_arrive_whole() {
    for (encrypt, mtu) in [(false, 65507), (true, 65507), (false, 1200), (true, 1200), (false, 9000)] {
        let mut pair = Pair::with(|config| {
            config.encrypt = encrypt;
            (config.mtu_first, config.mtu_most) = (mtu, mtu);
            config.am_window = 1 << 20;
            config.send_queue = 1 << 20;
        });
        let bytes: Vec<u8> = (0..300_000usize).map(|i| ((i * 13) >> 3) as u8).collect();
        let sizes = [0, 1, 8, 1000, 1100, 2047, 4096, 4097, 20_000, 65_536];
        for size in sizes {
            request(&mut pair.engines[0], 1, &bytes[..size]).expect("room");
        }
        let mut got = vec![0; 300_000];
        for (n, size) in sizes.into_iter().chain([300_000]).enumerate() {
            let at = RemoteAddr(n * 7 + 300_001);
            let stays = n % 2 == 0;
            let engine = &mut pair.engines[0];
            engine.put(JobRank(1), at, Src::of(&bytes[..size]), stays, 1).expect("room");
            pair.settle();
            assert_eq!(pair.desks[1].memory[at.0..at.0 + size], bytes[..size]);
            got.fill(0);
            // SAFETY: `got` outlives the get.
            let dst = unsafe { Dst::new(got.as_mut_ptr().cast(), size) };
            pair.engines[0].get(JobRank(1), at, dst, 2).expect("room");
            pair.settle();
            assert_eq!(got[..size], bytes[..size]);
            let source = match n % 3 {
                0 => Source::Changes,
                2 if size > 4096 => Source::StaysUntil(3),
                _ => Source::Stays,
            };
            pair.engines[0]
                .long(JobRank(1), Traffic::Request, b"long", Src::of(&bytes[..size]), RemoteAddr(5), source)
                .expect("room");
            pair.settle();
            assert_eq!(pair.desks[1].memory[5..5 + size], bytes[..size]);
        }
        pair.desks[0].done.retain(|&op| op != 3);
        assert_eq!(pair.desks[0].done, [1, 2].repeat(11));
        let mut ams: Vec<_> =
            pair.desks[1].ams.iter().map(|am| am.1.clone()).filter(|am| am.starts_with(b"head")).collect();
        ams.sort_by_key(Vec::len);
        assert!(ams.iter().zip(sizes).all(|(am, size)| am[4..] == bytes[..size]) && ams.len() == sizes.len());
        assert_eq!(pair.desks[1].count[0], 21);
        assert!(pair.engines.iter().all(Engine::is_idle));
    }
}

#[test]
fn strangers_change_nothing_but_counters() {
    let mut pair = Pair::with(|_| {});
    request(&mut pair.engines[0], 1, b"payload").expect("room");
    let good = sent(&mut pair.engines[0], 0).remove(0);
    let Pair { engines: [_, engine], desks: [_, desk], .. } = &mut pair;
    let mut tell = |bytes: &[u8], port| engine.on_datagram(0, address(port), &mut bytes.to_vec(), desk);
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 0x10;
        assert!(tell(&bad, 1).is_err(), "byte {at}");
        assert!(tell(&good[..at], 2).is_err());
    }
    assert_eq!(tell(&[], 3), Err(Reject::NoDatagram));
    assert_eq!(tell(&[0; 65507], 4), Err(Reject::NoDatagram));
    let mut other = good.clone();
    other[4] = 1;
    assert_eq!(tell(&other, 5), Err(Reject::NoRank), "from ourselves");
    other[4] = 2;
    assert_eq!(tell(&other, 5), Err(Reject::NoRank));
    assert_eq!(engine.next_timer(), None);
    assert_eq!(desk.count, [0, 0]);
    assert_eq!(engine.rejects.sources().0[0].0, address(1));
    let mut tell = |bytes: &[u8]| engine.on_datagram(0, address(1), &mut bytes.to_vec(), desk);
    assert_eq!(tell(&good), Ok(()));
    assert_eq!(tell(&good), Err(Reject::Replayed));
    assert_eq!(desk.count, [1, 0]);
    // The table of sources is bounded, for any number of them.
    for port in 0..1000 {
        let _ = engine.on_datagram(0, address(port), &mut [1, 2, 3], desk);
    }
    let (sources, others) = engine.rejects.sources();
    assert!(sources.len() == 16 && others > 900);
}

pub(crate) fn sealed(key: &AuthKey, packet: u64, flags: u8, frames: &[u8], change: impl Fn(&mut Header)) -> Vec<u8> {
    let mut header = Header { flags, packet, limits: [1 << 18; 2], ..Header::default() };
    change(&mut header);
    let mut room = [0; MAX_HEADER];
    let start = header.write_before(&mut room);
    let mut bytes = room[start..].to_vec();
    bytes.extend_from_slice(frames);
    let tag = key.tag(packet, &bytes);
    bytes.extend_from_slice(&tag);
    bytes
}

proptest! {
    #[test]
    fn any_bytes_of_a_stranger_leave_the_engine_as_it_was(
        mut bytes in proptest::collection::vec(any::<u8>(), 0..300), shape: bool, encrypt: bool) {
        if shape && bytes.len() >= FIXED + TAG {
            (bytes[0], bytes[2]) = (VERSION, 0);
            bytes[4..8].fill(0);
        }
        let mut pair = Pair::with(|config| config.encrypt = encrypt);
        let Pair { engines: [_, engine], desks: [_, desk], .. } = &mut pair;
        prop_assert!(engine.on_datagram(0, address(1), &mut bytes, desk).is_err());
        prop_assert_eq!(engine.next_timer(), None);
        prop_assert_eq!(engine.rtt_ns(JobRank(0)), None);
    }

    #[test]
    fn any_frames_of_a_peer_do_no_harm(
        frames in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..120), 1..8),
        kind in 0u8..8, unit: u32, below in 0u32..3, words: [u64; 8], nwords in 0u8..=8) {
        let mut pair = Pair::with(|_| {});
        let key = AuthKey::derive(&SECRET, JobRank(0), JobRank(1), false);
        request(&mut pair.engines[1], 0, b"out").expect("room");
        sent(&mut pair.engines[1], 0);
        let Pair { engines: [_, engine], desks: [_, desk], .. } = &mut pair;
        for (n, mut frame) in frames.into_iter().enumerate() {
            if let Some(first) = frame.first_mut() {
                *first = kind | *first & 0x80;
            }
            let mut bytes = sealed(&key, n as u64, DATA, &frame, |header| {
                header.unit = if unit < u32::MAX / 2 { n as u32 } else { unit };
                (header.ack_below, header.nwords, header.words) = (below, nwords, words);
            });
            let _ = engine.on_datagram(0, address(1), &mut bytes, desk);
        }
        engine.on_timer(1 << 40, desk);
        sent(engine, 1 << 40);
    }
}

/// Rank 0 has no room at rank 1. Rank 1 has measured a round trip of 10 ms, so it is paced, and has sent `replies` since, or
/// as many as may leave at once. Returns the pair, the number of requests sent, and the number of replies that left.
pub(crate) fn paced(replies: usize) -> (Pair, usize, usize) {
    let mut pair = Pair::with(|_| {});
    request(&mut pair.engines[1], 0, b"x").expect("room");
    let mut first = sent(&mut pair.engines[1], pair.now).remove(0);
    pair.now += 10_000_000;
    pair.engines[0].on_datagram(pair.now, address(1), &mut first, &mut pair.desks[0]).expect("accepted");
    pair.carry(0);
    pair.now += 1_000_000;
    pair.settle();
    let mut requests = 0;
    while request(&mut pair.engines[0], 1, &[0; 1000]).is_ok() {
        requests += 1;
        pair.carry(0);
        pair.carry(1);
    }
    let mut left = 0;
    for _ in 0..replies {
        let reply = pair.engines[1].am(JobRank(0), Traffic::Reply, b"reply", Src::of(&[1; 1000]));
        reply.expect("room for replies");
        if pair.carry(1) == 0 {
            break;
        }
        left += 1;
        pair.carry(0);
    }
    (pair, requests, left)
}

#[test]
fn a_lone_transfer_of_two_datagrams_is_cut_into_halves() {
    let bytes = vec![1; 140_000];
    // Bytes of each put, and of the datagrams that carry them, headers and tags included, in steps of 1 KiB.
    for (puts, expected) in [
        (&[60_000][..], &[58][..]),
        (&[65_536], &[32, 32]),
        (&[100_000], &[48, 48]),
        (&[140_000], &[63, 63, 9]),
        (&[65_536, 65_536], &[63, 63, 0]),
    ] {
        let mut pair = Pair::with(|_| ());
        for &len in puts {
            pair.engines[0].put(JobRank(1), RemoteAddr(0), Src::of(&bytes[..len]), true, 1).expect("room");
        }
        let sizes: Vec<usize> = sent(&mut pair.engines[0], pair.now).iter().map(|bytes| bytes.len() >> 10).collect();
        assert_eq!(sizes, expected, "{puts:?}");
    }
}

#[test]
fn units_lost_behind_one_that_arrived_go_again_at_once() {
    let mut pair = Pair::with(|config| (config.mtu_first, config.mtu_most) = (1200, 1200));
    let mut units = Vec::new();
    for _ in 0..10 {
        request(&mut pair.engines[0], 1, &[0; 100]).expect("room");
        units.append(&mut sent(&mut pair.engines[0], pair.now));
    }
    assert_eq!(units.len(), 10);
    for at in [1, 9] {
        pair.engines[1].on_datagram(pair.now, address(0), &mut units[at], &mut pair.desks[1]).expect("accepted");
    }
    pair.carry(1);
    // The last three may have been reordered only.
    assert_eq!(pair.carry(0), 6, "0 and 2 to 6");
    pair.settle();
    assert_eq!(pair.desks[1].count[0], 10);
}

#[test]
fn a_silent_peer_is_reported_and_costs_little() {
    let mut pair = Pair::with(|_| {});
    request(&mut pair.engines[0], 1, &[7; 60_000]).expect("room");
    let Pair { engines: [engine, other], desks: [desk, desk1], .. } = &mut pair;
    let (mut now, mut bytes, mut datagrams, mut last) = (0, 0, 0, Vec::new());
    while now < 25_000_000_000 {
        for datagram in sent(engine, now) {
            bytes += datagram.len();
            datagrams += 1;
            last = datagram;
        }
        now = now.max(engine.next_timer().expect("a timer runs while something is under way"));
        engine.on_timer(now, desk);
    }
    assert_eq!(desk.lost.iter().map(|lost| lost.0).collect::<Vec<_>>(), [JobRank(1); 2]);
    assert!(desk.lost.iter().all(|lost| (10_000_000_000..10_300_000_000).contains(&lost.1)));
    assert!(datagrams < 150 && bytes < 300_000, "{datagrams} datagrams, {bytes} bytes");
    // It polls again and finds a datagram that only asks for an acknowledgement: it answers, and traffic continues.
    other.on_datagram(now, address(0), &mut last, desk1).expect("accepted");
    pair.now = now;
    pair.settle();
    assert_eq!(pair.desks[1].count[0], 1);
}

#[test]
fn what_is_outside_is_reported_and_not_touched() {
    let mut pair = Pair::with(|_| {});
    let end = pair.desks[1].memory.len();
    pair.engines[0].put(JobRank(1), RemoteAddr(end - 4), Src::of(&[1; 8]), false, 1).expect("room");
    pair.engines[0].put(JobRank(1), RemoteAddr(usize::MAX), Src::of(&[1; 8]), false, 2).expect("room");
    pair.settle();
    assert_eq!(pair.desks[1].outside, 2);
    assert!(pair.desks[1].memory.iter().all(|byte| *byte == 0));
}

#[test]
fn a_rank_that_is_gone_takes_everything_and_fails_what_waited_for_it() {
    let mut pair = Pair::with(|_| {});
    request(&mut pair.engines[0], 1, b"x").expect("room");
    let bytes = [7; 20_000];
    let mut place = vec![0; 100];
    for (size, op) in [(100, 1), (20_000, 2)] {
        pair.engines[0].put(JobRank(1), RemoteAddr(0), Src::of(&bytes[..size]), true, op).expect("room");
    }
    pair.engines[0].get(JobRank(1), RemoteAddr(0), Dst::of(&mut place), 3).expect("room");
    let mut failed = Vec::new();
    pair.engines[0].gone(JobRank(1), |op| failed.push(op));
    failed.sort_unstable();
    assert_eq!(failed, [1, 2, 3]);
    assert_eq!(pair.engines[0].put(JobRank(1), RemoteAddr(0), Src::of(&bytes), true, 4), Ok(Taken::Gone));
    for _ in 0..10_000 {
        request(&mut pair.engines[0], 1, &[0; 1000]).expect("room");
    }
    assert!(sent(&mut pair.engines[0], 0).is_empty() && pair.engines[0].is_idle());
}

#[test]
fn sockets_carry_it_over_both_families() {
    let storm = "loss=5%,dup=2%,reorder=5%,corrupt=1%,delay=200us,seed=1";
    for (ip, faults) in [("127.0.0.1:0", ""), ("[::1]:0", ""), ("127.0.0.1:0", storm)] {
        let faults = Faults::parse(faults).expect("good faults");
        let mut faulty = [0, 1].map(|me| Faulty::new(faults, JobRank(me)));
        let at: SocketAddr = ip.parse().expect("an address");
        let Ok(first) = UdpSocket::bind(at) else {
            eprintln!("no {ip} here");
            continue;
        };
        let bound = [first, UdpSocket::bind(at).expect("another one")];
        let addresses = [0, 1].map(|i| bound[i].local_addr().expect("bound"));
        let sockets = bound.map(|socket| Socket::of(socket, 4 << 20).expect("bound"));
        let mut inbox = ReceiveBuffers::new();
        let mut pair = Pair::with(|config| {
            config.mtu_first = 1200;
            config.in_flight = sockets[0].receives as u64 / 2;
        });
        let bytes: Vec<u8> = (0..1_000_000usize).map(|i| ((i * 7) >> 2) as u8).collect();
        pair.engines[0].put(JobRank(1), RemoteAddr(11), Src::of(&bytes), true, 1).expect("room");
        for i in 0..100 {
            request(&mut pair.engines[0], 1, &bytes[..i * 20]).expect("room");
        }
        let start = Instant::now();
        while !pair.engines.iter().all(Engine::is_idle) && start.elapsed().as_secs() < 60 {
            for me in 0..2 {
                let (engine, desk) = (&mut pair.engines[me], &mut pair.desks[me]);
                let now = start.elapsed().as_nanos() as u64;
                sockets[me].receive(&mut inbox, |from, bytes| {
                    assert_eq!(from, addresses[1 - me]);
                    let _ = engine.on_datagram(now, from, bytes, desk);
                });
                engine.on_timer(now, desk);
                let (socket, to) = (&sockets[me], addresses[1 - me]);
                if faults.are_none() {
                    engine.transmit(now, &mut |datagrams| socket.send(to, datagrams));
                    continue;
                }
                let mut leave = |_: JobRank, bytes: &[u8]| {
                    socket.send_bytes(to, bytes);
                };
                engine.transmit(now, &mut |datagrams| {
                    datagrams.each(|bytes| faulty[me].send(now, datagrams.to, bytes, &mut leave));
                    Went::Out
                });
                faulty[me].pass(now, &mut leave);
            }
        }
        assert_eq!(pair.desks[0].done, [1]);
        assert_eq!(pair.desks[1].memory[11..1_000_011], bytes);
        assert_eq!(pair.desks[1].count[0], 100);
    }
}
