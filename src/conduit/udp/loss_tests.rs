//! Throughput and latency under packet loss: two ranks that poll all the time, over a simulated link with the round
//! trip, rate and socket buffers of a loopback device. All times are the simulated clock's.
#![allow(unsafe_code)]

use std::collections::VecDeque;
use std::net::SocketAddr;

use super::faults::{Faults, Faulty};
use crate::conduit::udp::auth::Secret;
use crate::conduit::udp::engine::Engine;
use crate::conduit::udp::held::Went;
use crate::conduit::udp::terms::{Config, Ended, EnginePayload, Up};
use crate::defs::message::Traffic;
use crate::defs::rank::JobRank;
use crate::mem::{Dst, RemoteAddr, Src};

const LATENCY: u64 = 6_000;
const POLL: u64 = 300;
const BYTES_A_US: u64 = 6_000;
const SOCKET: usize = 400_000;

#[derive(Default)]
struct Desk {
    requests: Vec<u32>,
    replies: u32,
    done: u32,
    memory: Vec<u8>,
}

impl Up for Desk {
    fn am(&mut self, _: JobRank, traffic: Traffic, _: &[u8], _: EnginePayload<'_>, cost: u32) {
        match traffic {
            Traffic::Request => self.requests.push(cost),
            Traffic::Reply => self.replies += 1,
        }
    }
    fn own(&mut self, at: RemoteAddr, len: usize) -> Option<Dst<'static>> {
        let part = &mut self.memory[at.0..at.0 + len];
        // SAFETY: the vector is never resized and outlives the run.
        Some(unsafe { Dst::new(part.as_mut_ptr().cast(), len) })
    }
    fn outside(&mut self, _: JobRank, _: RemoteAddr, _: usize) {}
    fn done(&mut self, _: u64, _: Ended) {
        self.done += 1;
    }
    fn lost(&mut self, _: JobRank, _: u64) {}
}

struct Link {
    now: u64,
    engines: [Engine; 2],
    desks: [Desk; 2],
    faulty: [Faulty; 2],
    /// The datagrams in flight to each rank, ordered by time of arrival; `busy`: when each link has sent all of them.
    wires: [VecDeque<(u64, Vec<u8>)>; 2],
    busy: [u64; 2],
}

impl Link {
    fn new(faults: &str, mtu: usize) -> Link {
        let faults = Faults::parse(faults).expect("good faults");
        let engines = [0, 1].map(|me| {
            let mut config = Config::new(JobRank(me), 2, Secret([2; 32]));
            (config.mtu_first, config.mtu_most, config.in_flight) = (mtu, mtu, SOCKET as u64 * 3 / 4);
            Engine::new(config)
        });
        Link {
            now: 0,
            engines,
            desks: [0, 1].map(|_| Desk { memory: vec![0; 65536], ..Desk::default() }),
            faulty: [0, 1].map(|me| Faulty::new(faults, JobRank(me))),
            wires: Default::default(),
            busy: [0; 2],
        }
    }

    fn step(&mut self) {
        self.now += POLL;
        let Link { now, engines, desks, faulty, wires, busy } = self;
        let now = *now;
        for me in 0..2 {
            while wires[me].front().is_some_and(|(at, _)| *at <= now) {
                let Some((_, mut bytes)) = wires[me].pop_front() else { break };
                let from = SocketAddr::from(([127, 0, 0, 1], 1));
                let _ = engines[me].on_datagram(now, from, &mut bytes, &mut desks[me]);
            }
            engines[me].on_timer(now, &mut desks[me]);
            let other = JobRank(1 - me as u32);
            for cost in core::mem::take(&mut desks[me].requests) {
                engines[me].am(other, Traffic::Reply, &[2; 8], Src::of(&[])).expect("room");
                engines[me].handled(other, Traffic::Request, cost);
            }
            let wire = &mut wires[1 - me];
            let busy = &mut busy[me];
            let mut carry = |_: JobRank, bytes: &[u8]| {
                let queued: usize = wire.iter().map(|(_, bytes)| bytes.len() + 500).sum();
                if queued < SOCKET {
                    *busy = now.max(*busy) + bytes.len() as u64 * 1000 / BYTES_A_US;
                    wire.push_back((*busy + LATENCY, bytes.to_vec()));
                }
            };
            engines[me].transmit(now, &mut |datagrams| {
                datagrams.each(|bytes| faulty[me].send(now, datagrams.to, bytes, &mut carry));
                Went::Out
            });
            faulty[me].pass(now, &mut carry);
        }
    }

    fn round_trip_ns(&mut self, rounds: u32) -> u64 {
        let start = self.now;
        for round in 1..=rounds {
            self.engines[0].am(JobRank(1), Traffic::Request, &[1; 8], Src::of(&[])).expect("room");
            while self.desks[0].replies < round {
                self.engines[0].handled(JobRank(1), Traffic::Reply, 0);
                self.step();
            }
            self.engines[0].handled(JobRank(1), Traffic::Reply, 72);
        }
        (self.now - start) / u64::from(rounds)
    }

    /// Nanoseconds for a put of 64 KiB, with `depth` puts in flight.
    fn put_ns(&mut self, puts: u32, depth: u32) -> u64 {
        let (start, bytes) = (self.now, vec![1; 65536]);
        let mut started = 0;
        while self.desks[0].done < puts {
            while started < puts && started < self.desks[0].done + depth {
                self.engines[0].put(JobRank(1), RemoteAddr(0), Src::of(&bytes), true, 1).expect("room");
                started += 1;
            }
            self.step();
        }
        (self.now - start) / u64::from(puts)
    }
}

#[test]
fn a_lossy_link_slows_round_trips_and_puts_by_little() {
    for loss in ["loss=1%,seed=1", "loss=1%,dup=1%,reorder=5%,corrupt=0.1%,seed=2"] {
        let (still, lossy) = (Link::new("", 65507).round_trip_ns(2000), Link::new(loss, 65507).round_trip_ns(2000));
        println!("{loss}: round trip {still} ns, {lossy} ns");
        assert!(lossy < 5 * still);
        for (depth, mtu) in [(1, 65507), (16, 65507), (1, 9000), (16, 9000), (16, 1472)] {
            let still = Link::new("", mtu).put_ns(400, depth);
            let lossy = Link::new(loss, mtu).put_ns(400, depth);
            println!("{loss}: {depth} puts of 64 KiB, MTU {mtu}: {still} ns, {lossy} ns");
            assert!(lossy < 2 * still || loss.len() > 20);
        }
    }
}
