//! A peer that has the secret and breaks the protocol: no bytes of its make an engine panic, touch memory that is not
//! offered, complete anything twice, or hold more than its windows allow, while the engine's owner sends and receives.

use std::collections::{HashSet, VecDeque};
use std::net::SocketAddr;

use gasnet::internal::conduit::udp::auth::{AuthKey, Secret};
use gasnet::internal::conduit::udp::engine::Engine;
use gasnet::internal::conduit::udp::held::Went;
use gasnet::internal::conduit::udp::send::Source;
use gasnet::internal::conduit::udp::terms::{Config, Ended, EnginePayload, Up};
use gasnet::internal::conduit::udp::wire::{self, Header, MAX_HEADER, MAX_MTU, Part, WINDOW};
use gasnet::internal::defs::message::Traffic;
use gasnet::internal::defs::rank::JobRank;
use gasnet::internal::mem::{Dst, RemoteAddr, Src};

use super::gauge;
use super::input::Input;

const PEER: JobRank = JobRank(0);
const SEGMENT: usize = 20_000;
/// Bytes before and after the segment.
const MARGIN: usize = 512;
const PLACES: usize = 8;
const BASE: usize = 0x10_0000;
const TRANSFERS: usize = 8;

struct Desk {
    /// What peers may reach, between two parts that they may not.
    memory: Box<[u8]>,
    unhandled: [VecDeque<u32>; 2],
    window: u32,
    open: HashSet<u64>,
}

impl Up for Desk {
    fn am(&mut self, from: JobRank, traffic: Traffic, head: &[u8], payload: EnginePayload<'_>, cost: u32) {
        gauge::outside(|| {
            assert!(from == PEER && head.len() <= 255);
            self.unhandled[traffic as usize].push_back(cost);
            let held: u32 = self.unhandled[traffic as usize].iter().sum();
            assert!(held <= self.window, "{held} bytes of messages wait");
        });
        match payload {
            EnginePayload::Long(own) => {
                let at = own.as_ptr().addr().wrapping_sub(self.memory.as_ptr().addr());
                assert!(at >= MARGIN && at + own.len() <= MARGIN + SEGMENT);
            }
            EnginePayload::Bytes(bytes) => assert!(bytes.len() <= MAX_MTU),
            EnginePayload::Whole(bytes) => assert!(bytes.len() <= 6000),
        }
    }

    fn own(&mut self, at: RemoteAddr, len: usize) -> Option<Dst<'static>> {
        let from = at.0.checked_sub(BASE).filter(|&from| from <= SEGMENT && len <= SEGMENT - from)?;
        let part = &mut self.memory[MARGIN + from..MARGIN + from + len];
        // SAFETY: the memory outlives the engine of the run, and is never resized.
        Some(unsafe { Dst::new(part.as_mut_ptr().cast(), len) })
    }

    fn outside(&mut self, _: JobRank, at: RemoteAddr, len: usize) {
        let inside = at.0.checked_sub(BASE).is_some_and(|from| from <= SEGMENT && len <= SEGMENT - from);
        assert!(!inside);
    }

    fn done(&mut self, op: u64, _: Ended) {
        gauge::outside(|| assert!(self.open.remove(&op), "transfer {op} is done twice"));
    }

    fn lost(&mut self, rank: JobRank, _: u64) {
        assert_eq!(rank, PEER);
    }
}

fn traffic(input: &mut Input<'_>) -> Traffic {
    if input.u8() & 1 == 0 { Traffic::Request } else { Traffic::Reply }
}

/// Frames: well-formed ones of any content, or any bytes.
fn frames(input: &mut Input<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..input.u8() % 6 {
        let kind = input.u8();
        let place = |input: &mut Input<'_>| match input.u8() {
            0 => input.u64(),
            near => (BASE + 100 * usize::from(near)) as u64,
        };
        let body = usize::from(input.u8()) << (kind >> 5);
        let body = vec![kind; body];
        match kind % 8 {
            0 => {
                wire::write_am_head(&mut bytes, traffic(input), b"head", body.len());
                bytes.extend_from_slice(&body);
            }
            1 => {
                wire::write_put_head(&mut bytes, place(input), body.len());
                bytes.extend_from_slice(&body);
            }
            2 => wire::write_get(&mut bytes, input.u8().into(), place(input), input.u16().into()),
            3 => {
                wire::write_got_head(&mut bytes, input.u8().into(), input.u16().into(), body.len());
                bytes.extend_from_slice(&body);
            }
            4 | 5 => {
                let (traffic, id) = (traffic(input), u32::from(input.u8() % 64));
                let (total, offset) = (input.u16().into(), u64::from(input.u8()) * 16);
                let at = (kind % 8 == 4).then(|| place(input));
                let part = Part { traffic, id, total, offset, head: b"part", at, data: &[] };
                wire::write_part_head(&mut bytes, &part, body.len());
                bytes.extend_from_slice(&body);
            }
            6 => {
                let len = input.u8().into();
                bytes.extend_from_slice(input.take(len));
            }
            _ => bytes.push(0),
        }
    }
    bytes
}

struct Run<'a> {
    input: Input<'a>,
    engine: Engine,
    key: AuthKey,
    encrypt: bool,
    now: u64,
    packet: u64,
    unit: u32,
    /// One after the latest unit that the engine sent.
    ahead: u32,
    next_op: u64,
}

impl Run<'_> {
    fn datagram(&mut self) -> Vec<u8> {
        let input = &mut self.input;
        let how = input.u8();
        self.packet += 1;
        let packet = if how & 1 != 0 { self.packet.wrapping_add(input.u16().into()) } else { self.packet };
        let unit = if how & 2 != 0 { self.unit.wrapping_add(input.u8().into()).wrapping_sub(16) } else { self.unit };
        self.unit = self.unit.wrapping_add(u32::from(how & 2 == 0));
        let mut header = Header {
            flags: if how & 4 != 0 { input.u8() } else { wire::DATA },
            sender: PEER.0,
            packet,
            unit,
            ack_below: if how & 8 != 0 { input.u32() } else { self.ahead.min(input.u8().into()) },
            echo: if how & 16 != 0 { input.u32() } else { input.u8().into() },
            echo_us: input.u8().into(),
            limits: if how & 32 != 0 { [input.u32(), input.u32()] } else { [1 << 20; 2] },
            nwords: 0,
            words: [0; wire::MAX_WORDS],
        };
        if how & 64 != 0 {
            header.nwords = input.u8() % (wire::MAX_WORDS as u8 + 1);
            for word in &mut header.words[..usize::from(header.nwords)] {
                *word = input.u64();
            }
        }
        let mut room = [0; MAX_HEADER];
        let start = header.write_before(&mut room);
        let mut bytes = room[start..].to_vec();
        bytes.extend_from_slice(&frames(input));
        bytes.truncate(MAX_MTU - wire::TAG);
        let tag = if self.encrypt { self.key.seal(packet, &mut bytes) } else { self.key.tag(packet, &bytes) };
        bytes.extend_from_slice(&tag);
        bytes
    }

    fn transmit(&mut self) {
        let (how, mut count) = (self.input.u8(), 0);
        let ahead = &mut self.ahead;
        let (engine, now) = (&mut self.engine, self.now);
        gauge::inside(|| {
            engine.transmit(now, &mut |datagrams| {
                gauge::outside(|| {
                    assert_eq!(datagrams.to, PEER);
                    datagrams.each(|bytes| {
                        let (sender, _) = wire::plain(bytes).expect("a datagram of the protocol");
                        assert!(sender == 1 && bytes.len() <= 9000);
                        count += 1;
                        *ahead = (*ahead).saturating_add(1);
                    });
                });
                match how {
                    0 => Went::NotNow,
                    1 if !datagrams.may_fragment && datagrams.segment > wire::MIN_MTU => Went::TooLarge,
                    _ => Went::Out,
                }
            })
        });
        assert!(count <= 3 * WINDOW, "{count} datagrams at once");
    }

    /// The owner of the engine sends something.
    fn give(&mut self, desk: &mut Desk, places: &mut [Vec<u8>]) {
        let how = self.input.u8();
        let len = usize::from(self.input.u16()) >> (how >> 5);
        let op = self.next_op;
        self.next_op += 1;
        let bytes = vec![9; len];
        let (at, src) = (RemoteAddr(BASE + usize::from(how)), Src::of(&bytes));
        let engine = &mut self.engine;
        let is_transfer = how % 5 > 2;
        if is_transfer {
            desk.open.insert(op);
        }
        let taken = gauge::inside(|| match how % 5 {
            0 => engine.am(PEER, Traffic::Request, b"head", Src::of(&bytes[..len.min(6000)])),
            1 => engine.am(PEER, Traffic::Reply, b"head", Src::of(&bytes[..len.min(6000)])),
            2 => engine.long(PEER, Traffic::Request, b"head", src, at, Source::Changes),
            3 => engine.put(PEER, at, src, false, op),
            _ => {
                let into = &mut places[(op % PLACES as u64) as usize];
                let len = len.min(into.len());
                // SAFETY: the places outlive the engine of the run, and are never resized.
                let dst = unsafe { Dst::new(into.as_mut_ptr().cast(), len) };
                engine.get(PEER, at, dst, op)
            }
        });
        if taken.is_err() {
            desk.open.remove(&op);
        }
        assert!(desk.open.len() <= TRANSFERS);
    }
}

pub fn run(data: &[u8]) {
    let mut input = Input::bytes(data);
    let encrypt = input.u8() & 1 != 0;
    let mut config = Config::new(JobRank(1), 2, Secret([5; 32]));
    (config.encrypt, config.most_medium, config.am_window, config.send_queue) = (encrypt, 6000, 14_000, 14_000);
    (config.transfers, config.mtu_most, config.in_flight) = (TRANSFERS, 9000, 100_000);
    let key = AuthKey::derive(&config.secret, PEER, JobRank(1), encrypt);
    let unhandled = [VecDeque::new(), VecDeque::new()];
    let memory = vec![7; SEGMENT + 2 * MARGIN].into_boxed_slice();
    let mut desk = Desk { memory, unhandled, window: config.am_window, open: HashSet::new() };
    let mut places = vec![vec![0; 3000]; PLACES];
    gauge::reset();
    let engine = gauge::inside(|| Engine::new(config));
    let from = SocketAddr::from(([10, 0, 0, 1], 7));
    let mut run = Run { input, engine, key, encrypt, now: 1_000_000, packet: 0, unit: 0, ahead: 0, next_op: 0 };
    while !run.input.is_spent() {
        match run.input.u8() % 8 {
            0..=2 => {
                let mut bytes = run.datagram();
                let (engine, now) = (&mut run.engine, run.now);
                let _ = gauge::inside(|| engine.on_datagram(now, from, &mut bytes, &mut desk));
            }
            3 | 4 => run.give(&mut desk, &mut places),
            5 => {
                run.now += u64::from(run.input.u16()) << (run.input.u8() % 32);
                let (engine, now) = (&mut run.engine, run.now);
                gauge::inside(|| engine.on_timer(now, &mut desk));
            }
            6 => run.transmit(),
            _ => {
                let traffic = traffic(&mut run.input);
                if let Some(cost) = desk.unhandled[traffic as usize].pop_front() {
                    let engine = &mut run.engine;
                    gauge::inside(|| engine.handled(PEER, traffic, cost));
                }
            }
        }
    }
    let (before, after) = (&desk.memory[..MARGIN], &desk.memory[MARGIN + SEGMENT..]);
    assert!(before == [7; MARGIN] && after == [7; MARGIN], "memory that was not offered was written");
    // The memory that a peer can make the engine use is bounded: a fixed number of bytes for each byte of a request.
    let most = 1_500_000 + 250 * data.len() as isize;
    assert!(gauge::held().1 <= most, "{} bytes held for {} of input", gauge::held().1, data.len());
    gauge::inside(|| drop(run.engine));
    let left = gauge::held().0;
    assert!(left <= 0, "{left} bytes are left over");
}
