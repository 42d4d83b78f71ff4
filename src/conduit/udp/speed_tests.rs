//! Measurements: `cargo test --release -- --ignored --nocapture speed_tests`.
#![allow(unsafe_code)]

use std::hint::black_box;
use std::net::{SocketAddr, UdpSocket};
use std::time::Instant;

use super::socket::{ReceiveBuffers, Socket};
use crate::conduit::udp::auth::Secret;
use crate::conduit::udp::engine::Engine;
use crate::conduit::udp::held::Went;
use crate::conduit::udp::terms::{Config, Ended, EnginePayload, Up};
use crate::defs::message::Traffic;
use crate::defs::rank::JobRank;
use crate::mem::{Dst, RemoteAddr, Src};
use crate::sync::atomic::{AtomicBool, Ordering};

fn address(port: u16) -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], port))
}

fn config(me: u32) -> Config {
    Config { mtu_first: 65507, ..Config::new(JobRank(me), 2, Secret([5; 32])) }
}

#[derive(Default)]
struct Desk {
    memory: Vec<u8>,
    count: [u64; 2],
    handled: [u32; 2],
    done: Vec<u64>,
}

impl Up for Desk {
    fn am(&mut self, _: JobRank, traffic: Traffic, head: &[u8], _: EnginePayload<'_>, cost: u32) {
        black_box(head);
        self.count[traffic as usize] += 1;
        self.handled[traffic as usize] += cost;
    }
    fn own(&mut self, at: RemoteAddr, len: usize) -> Option<Dst<'static>> {
        let part = self.memory.get_mut(at.0..at.0 + len)?;
        // SAFETY: the memory is neither resized nor dropped while an engine runs.
        Some(unsafe { Dst::new(part.as_mut_ptr().cast(), len) })
    }
    fn outside(&mut self, _: JobRank, _: RemoteAddr, _: usize) {}
    fn done(&mut self, op: u64, _: Ended) {
        self.done.push(op);
    }
    fn lost(&mut self, _: JobRank, _: u64) {}
}

struct Pair {
    now: u64,
    engines: [Engine; 2],
    desks: [Desk; 2],
}

impl Pair {
    fn fresh(change: impl Fn(&mut Config)) -> Pair {
        let engines = [0, 1].map(|me| {
            let mut config = config(me);
            change(&mut config);
            Engine::new(config)
        });
        let desks = [0, 1].map(|_| Desk { memory: vec![0; 1 << 20], ..Desk::default() });
        Pair { now: 1_000_000, engines, desks }
    }
}

/// A rank that polls all the time.
struct Spinner {
    me: u32,
    socket: Socket,
    peer: SocketAddr,
    engine: Engine,
    desk: Desk,
    inbox: ReceiveBuffers,
    start: Instant,
}

impl Spinner {
    fn pair() -> [Spinner; 2] {
        let bound = [0, 1].map(|_| UdpSocket::bind(address(0)).expect("loopback"));
        let addresses = [0, 1].map(|i: usize| bound[i].local_addr().expect("bound"));
        let sockets = bound.map(|socket| Socket::of(socket, 4 << 20).expect("loopback"));
        let mut me = 0;
        sockets.map(|socket| {
            let mut config = config(me);
            config.in_flight = socket.receives as u64 * 3 / 4;
            let desk = Desk { memory: vec![0; 4 << 20], ..Desk::default() };
            let peer = addresses[1 - me as usize];
            let (engine, inbox) = (Engine::new(config), ReceiveBuffers::new());
            me += 1;
            Spinner { me: me - 1, socket, peer, engine, desk, inbox, start: Instant::now() }
        })
    }

    fn poll(&mut self) {
        let now = self.start.elapsed().as_nanos() as u64;
        let Spinner { engine, desk, .. } = self;
        self.socket.receive(&mut self.inbox, |from, bytes| {
            let _ = engine.on_datagram(now, from, bytes, desk);
        });
        engine.on_timer(now, desk);
        let peer = JobRank(1 - self.me);
        for traffic in [Traffic::Request, Traffic::Reply] {
            let cost = core::mem::take(&mut desk.handled[traffic as usize]);
            if cost > 0 {
                engine.handled(peer, traffic, cost);
            }
        }
    }

    fn transmit(&mut self) {
        let now = self.start.elapsed().as_nanos() as u64;
        self.engine.transmit(now, &mut |datagrams| self.socket.send(self.peer, datagrams));
    }
}

/// Runs `work` and `serve` in two threads, each with a spinner; returns the nanoseconds of `work`.
fn timed(serve: impl Fn(&mut Spinner) + Sync, work: impl Fn(&mut Spinner) + Sync) -> f64 {
    let [mut a, mut b] = Spinner::pair();
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                serve(&mut b);
            }
        });
        work(&mut a);
        let start = Instant::now();
        work(&mut a);
        let ns = start.elapsed().as_nanos() as f64;
        over.store(true, Ordering::Relaxed);
        ns
    })
}

fn raw_pair() -> [UdpSocket; 2] {
    let sockets = [0, 1].map(|_| UdpSocket::bind(address(0)).expect("loopback"));
    let addresses = [0, 1].map(|i: usize| sockets[i].local_addr().expect("bound"));
    sockets[0].connect(addresses[1]).expect("connected");
    sockets[1].connect(addresses[0]).expect("connected");
    sockets.iter().for_each(|socket| socket.set_nonblocking(true).expect("set"));
    sockets
}

fn raw_ping_pong(rounds: u32) -> f64 {
    let [a, b] = raw_pair();
    let receive = |socket: &UdpSocket, buf: &mut [u8]| while socket.recv(buf).is_err() {};
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut buf = [0; 100];
            for _ in 0..rounds {
                receive(&b, &mut buf);
                let _ = b.send(&buf[..72]);
            }
        });
        let (start, mut buf) = (Instant::now(), [0; 100]);
        for _ in 0..rounds {
            let _ = a.send(&buf[..72]);
            receive(&a, &mut buf);
        }
        start.elapsed().as_nanos() as f64 / f64::from(rounds)
    })
}

/// Nanoseconds for each datagram that arrives, sending and receiving included.
fn raw_flood(bytes: usize, count: u32) -> f64 {
    let [a, b] = raw_pair();
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let counter = scope.spawn(|| {
            let (mut buf, mut got) = (vec![0; 65536], 0u32);
            while !over.load(Ordering::Relaxed) {
                got += u32::from(b.recv(&mut buf).is_ok());
            }
            got
        });
        let (start, buf) = (Instant::now(), vec![0; bytes]);
        for _ in 0..count {
            while a.send(&buf).is_err() {}
        }
        let ns = start.elapsed().as_nanos() as f64;
        over.store(true, Ordering::Relaxed);
        ns / f64::from(counter.join().expect("counted").max(1))
    })
}

/// The work of a round trip without the waiting: both sides in one thread, so that load of the machine affects it little.
#[test]
#[ignore = "a measurement"]
fn speed_of_a_round_trip_in_one_thread() {
    let best = |round: &mut dyn FnMut()| {
        let times = (0..2000).map(|_| {
            let start = Instant::now();
            (0..20).for_each(|_| round());
            start.elapsed().as_nanos() as f64 / 20.0
        });
        times.fold(f64::MAX, f64::min)
    };
    let ([a, b], mut buf) = (raw_pair(), [0; 100]);
    let raw = best(&mut || {
        for (from, to) in [(&a, &b), (&b, &a)] {
            let _ = from.send(&buf[..72]);
            while to.recv(&mut buf).is_err() {}
        }
    });
    let mut ranks = Spinner::pair();
    let ours = best(&mut || {
        for (from, traffic) in [(0, Traffic::Request), (1, Traffic::Reply)] {
            let _ = ranks[from].engine.am(JobRank(1 - from as u32), traffic, &[1; 8], Src::of(&[]));
            ranks[from].transmit();
            let before = ranks[1 - from].desk.count;
            while ranks[1 - from].desk.count == before {
                ranks[1 - from].poll();
            }
        }
    });
    println!("round trip in one thread: raw {raw:.0} ns, ours {ours:.0} ns, {:.2}x", ours / raw);
}

#[test]
#[ignore = "a measurement"]
fn speed_over_loopback_sockets() {
    const ROUNDS: u64 = 20_000;
    let answer = |rank: &mut Spinner| {
        let before = rank.desk.count[0];
        rank.poll();
        for _ in before..rank.desk.count[0] {
            let _ = rank.engine.am(JobRank(0), Traffic::Reply, &[1; 8], Src::of(&[]));
        }
        rank.transmit();
    };
    for _ in 0..3 {
        let raw = (0..5).map(|_| raw_ping_pong(ROUNDS as u32)).fold(f64::MAX, f64::min);
        let ours = (0..5).map(|_| {
            timed(answer, |rank| {
                for _ in 0..ROUNDS {
                    let replies = rank.desk.count[1];
                    let _ = rank.engine.am(JobRank(1), Traffic::Request, &[1; 8], Src::of(&[]));
                    rank.transmit();
                    while rank.desk.count[1] == replies {
                        rank.poll();
                        rank.transmit();
                    }
                }
            }) / ROUNDS as f64
        });
        let ours = ours.fold(f64::MAX, f64::min);
        println!("round trip: raw {raw:.0} ns, ours {ours:.0} ns, {:.2}x", ours / raw);
    }
    let only_poll = |rank: &mut Spinner| {
        rank.poll();
        rank.transmit();
    };
    let raw = (0..5).map(|_| raw_flood(72, 100_000)).fold(f64::MAX, f64::min);
    let flood = (0..5).map(|_| {
        timed(only_poll, |rank| {
            for _ in 0..200_000 {
                while rank.engine.am(JobRank(1), Traffic::Request, &[1; 8], Src::of(&[])).is_err() {
                    rank.transmit();
                    rank.poll();
                }
            }
            while !rank.engine.is_idle() {
                rank.transmit();
                rank.poll();
            }
        }) / 200_000.0
    });
    let flood = flood.fold(f64::MAX, f64::min);
    println!("flood: raw {raw:.0} ns a message that arrives, ours {flood:.0} ns");
    let raw = (0..5).map(|_| raw_flood(65_000, 10_000)).fold(f64::MAX, f64::min);
    println!("raw datagrams of 65000 bytes: {:.2} GB/s arrive", 65_000.0 / raw);
    for (size, depth) in [(65_536usize, 1usize), (65_536, 16), (4 << 20, 1), (4 << 20, 4)] {
        let count = (256 << 20) / size;
        let bytes = vec![1; size];
        let put = (0..3).map(|_| {
            timed(only_poll, |rank| {
                let (mut started, mut done) = (0, 0);
                while done < count {
                    while started < count && started < done + depth {
                        let _ = rank.engine.put(JobRank(1), RemoteAddr(0), Src::of(&bytes), true, 1);
                        started += 1;
                    }
                    rank.transmit();
                    rank.poll();
                    done += rank.desk.done.drain(..).count();
                }
            }) / (count * size) as f64
        });
        let put = put.fold(f64::MAX, f64::min);
        println!("puts of {size} bytes, {depth} under way: {:.2} GB/s", 1.0 / put);
    }
}

/// Engine time a message and a byte, without system calls: `cargo test --release -- --ignored --nocapture speed`.
#[test]
#[ignore = "a measurement"]
fn speed() {
    fn shuttle(pair: &mut Pair, from: usize, buf: &mut Vec<u8>) {
        let Pair { now, engines: [a, b], desks: [desk_a, desk_b] } = pair;
        let (tx, rx, desk) = if from == 0 { (a, b, desk_b) } else { (b, a, desk_a) };
        let mut sizes = Vec::with_capacity(8);
        tx.transmit(*now, &mut |datagrams| {
            let mut at = buf.len();
            buf.resize(at + datagrams.bytes, 0);
            for piece in datagrams.pieces {
                crate::mem::read(&mut buf[at..at + piece.len()], *piece);
                at += piece.len();
            }
            sizes.push((datagrams.segment, datagrams.bytes));
            Went::Out
        });
        let mut rest = &mut buf[..];
        for (segment, bytes) in sizes {
            let (now_bytes, later) = rest.split_at_mut(bytes);
            for datagram in now_bytes.chunks_mut(segment) {
                let _ = rx.on_datagram(*now, address(1), datagram, desk);
            }
            rest = later;
        }
        buf.clear();
    }
    let fresh = || Pair::fresh(|_| {});
    let best = |rounds: u64, mut round: Box<dyn FnMut(u64)>| {
        let times = (0..200).map(|_| {
            let start = Instant::now();
            round(rounds);
            start.elapsed().as_nanos() as f64 / rounds as f64
        });
        times.fold(f64::MAX, f64::min)
    };
    let (mut pair, mut buf) = (fresh(), Vec::new());
    let ping_pong = best(
        2000,
        Box::new(move |rounds| {
            for _ in 0..rounds {
                for me in 0..2usize {
                    let traffic = if me == 0 { Traffic::Request } else { Traffic::Reply };
                    let to = JobRank(1 - me as u32);
                    let _ = pair.engines[me].am(to, traffic, &[1; 8], Src::of(&[]));
                    shuttle(&mut pair, me, &mut buf);
                    let cost = core::mem::take(&mut pair.desks[1 - me].handled[traffic as usize]);
                    pair.engines[1 - me].handled(JobRank(me as u32), traffic, cost);
                    pair.now += 5000;
                }
            }
        }),
    );
    println!("one message, sent and received: {:.0} ns", ping_pong / 2.0);
    let (mut pair, mut buf) = (fresh(), Vec::new());
    let flood = best(
        4000,
        Box::new(move |rounds| {
            let mut sent = 0;
            while sent < rounds {
                while sent < rounds && pair.engines[0].am(JobRank(1), Traffic::Request, &[1; 8], Src::of(&[])).is_ok() {
                    sent += 1;
                }
                shuttle(&mut pair, 0, &mut buf);
                let cost = core::mem::take(&mut pair.desks[1].handled[0]);
                pair.engines[1].handled(JobRank(0), Traffic::Request, cost);
                pair.now += 20_000;
                shuttle(&mut pair, 1, &mut buf);
            }
        }),
    );
    println!("one of a flood of messages, sent and received: {flood:.0} ns");
    for encrypt in [false, true] {
        let mut pair = Pair::fresh(|config| config.encrypt = encrypt);
        let (bytes, mut buf) = (vec![3; 65536], Vec::new());
        let put = best(
            64,
            Box::new(move |rounds| {
                let (mut sent, mut done) = (0, 0);
                while done < rounds {
                    while sent < rounds && sent < done + 8 {
                        let _ = pair.engines[0].put(JobRank(1), RemoteAddr(0), Src::of(&bytes), true, 1);
                        sent += 1;
                    }
                    shuttle(&mut pair, 0, &mut buf);
                    pair.now += 20_000;
                    shuttle(&mut pair, 1, &mut buf);
                    done += pair.desks[0].done.drain(..).count() as u64;
                    if let Some(next) = pair.engines[0].next_timer().filter(|next| *next <= pair.now) {
                        pair.engines[0].on_timer(next.max(pair.now), &mut pair.desks[0]);
                    }
                }
            }),
        );
        println!("puts of 64 KiB, both sides and a copy, encrypted {encrypt}: {:.2} GB/s", 65536.0 / put);
    }
}
