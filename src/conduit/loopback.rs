//! A network for tests: ranks of one host that share no memory (GASNET_SUPERNODE_MAXSIZE says which do) talk over
//! Unix sockets made before they are forked. It loses nothing, so that what fails is what lies above it; it runs out of
//! room soon, and its limits are small and all different.
//!
//! # Safety
//! The destination of a get is kept beyond the call that brought it: its caller keeps it until the get is complete
//! (`Conduit::get`).
#![allow(unsafe_code)]

use core::ffi::c_int;
use std::collections::VecDeque;
use std::io;
use std::net::IpAddr;
use std::os::fd::OwnedFd;

use parking_lot::Mutex;

use crate::bootstrap::contract::Bootstrap;
use crate::conduit::entry::{ConduitEntry, Launch, Network};
use crate::conduit::shared::arrivals::{Arrival, Arrivals, ArrivedBody, Queued, hand_up};
use crate::conduit::shared::credits::{Credits, Room};
use crate::conduit::shared::held::{Aligned, Held};
use crate::conduit::shared::lock_soon;
use crate::conduit::shared::slab::Slab;
use crate::conduit::{
    AmHeader, AmMsg, Caps, Completion, Conduit, Deliver, Envelope, Limits, Links, MAX_ARGS, OpToken, Payload, Sent,
    Stop, Take, Traffic,
};
use crate::defs::rank::{HostRank, JobRank};
use crate::fatal::fatal;
use crate::mem::{self, Dst, RemoteAddr, Src};
use crate::os::{link, sleep};

const LIMITS: Limits =
    Limits { medium: 65_024, long_request: 72 << 10, long_reply: 66 << 10, piece: 40 << 10, copied: 8 << 10 };

pub static ENTRY: ConduitEntry = ConduitEntry {
    name: "loopback",
    description: "for tests: the ranks of one host that share no memory, over Unix sockets",
    offered: false,
    launch: Launch::Fork,
    runners: &[],
    settings: "GASNET_LOOPBACK_",
    network: Some(Network { prepare: links, limits: LIMITS }),
};

/// Bytes of messages of each class that a peer may have waiting here.
const WINDOW: u32 = 160 << 10;
/// Packets that one poll takes from each socket at most.
const PACKETS: u32 = 32;

/// Words before the arguments of a packet.
const HEAD: usize = 5;
/// Words of the most arguments.
const ARGS: usize = words_of(MAX_ARGS);
/// Words of the longest packet.
const PACKET: usize = HEAD + ARGS + (80 << 10) / 8;

/// Words of so many arguments.
const fn words_of(nargs: usize) -> usize {
    nargs.div_ceil(2)
}

/// What a message takes of the window. A Long's payload does not count.
fn cost(medium: usize) -> u32 {
    (64 + 4 * MAX_ARGS + medium) as u32
}

/// What a packet is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Short,
    Medium,
    Long,
    Put,
    Get,
    PutDone,
    GetData,
    Credit,
}

const KINDS: [Kind; 8] =
    [Kind::Short, Kind::Medium, Kind::Long, Kind::Put, Kind::Get, Kind::PutDone, Kind::GetData, Kind::Credit];

/// The words before the payload: kind and sender; an address at the receiver; the number of the sender's operation;
/// the envelope of a message, or the length of a get; the limits of the receiver's credits; then arguments.
struct Head {
    words: [u64; HEAD + ARGS],
    len: usize,
}

impl Head {
    fn new(kind: Kind, from: JobRank, at: usize, number: u32, extra: u64) -> Head {
        let mut words = [0; HEAD + ARGS];
        words[..HEAD - 1].copy_from_slice(&[u64::from(from.0) << 32 | kind as u64, at as u64, number.into(), extra]);
        Head { words, len: HEAD }
    }

    fn with(mut self, handler: u8, args: &[i32]) -> Head {
        self.words[0] |= u64::from(handler) << 8 | (args.len() as u64) << 16;
        self.len = HEAD + words_of(args.len());
        for (word, pair) in self.words[HEAD..].iter_mut().zip(args.chunks(2)) {
            *word = u64::from(pair[0] as u32) | u64::from(pair.get(1).copied().unwrap_or(0) as u32) << 32;
        }
        self
    }

    fn words(&self) -> &[u64] {
        &self.words[..self.len]
    }
}

/// The ends of all links, before ranks know who they are: of each rank for requests, then of each for replies.
pub struct Sockets {
    writing: Vec<OwnedFd>,
    reading: Vec<OwnedFd>,
    ranks: usize,
}

pub fn prepare(ranks: u32) -> io::Result<Sockets> {
    let (writing, reading) = (0..2 * ranks).map(|_| link::link()).collect::<io::Result<Vec<_>>>()?.into_iter().unzip();
    Ok(Sockets { writing, reading, ranks: ranks as usize })
}

fn links(ranks: u32, _address: Option<IpAddr>) -> Result<Box<dyn Links>, String> {
    match prepare(ranks) {
        Ok(sockets) => Ok(Box::new(sockets)),
        Err(error) => Err(format!("no loopback links between {ranks} ranks: {error} (ulimit -n)")),
    }
}

impl Links for Sockets {
    fn join(self: Box<Self>, me: HostRank, _bootstrap: &dyn Bootstrap) -> Result<&'static dyn Conduit, String> {
        Ok(self.open(me))
    }
}

impl Sockets {
    fn open(self, me: HostRank) -> &'static dyn Conduit {
        let ranks = self.ranks;
        let mut mine =
            self.reading.into_iter().enumerate().filter(|(at, _)| at % ranks == me.index()).map(|(_, fd)| fd);
        let (Some(requests), Some(replies)) = (mine.next(), mine.next()) else {
            fatal!("loopback: rank {} has no link", me.0);
        };
        drop(mine);
        let peers = (0..ranks).map(|_| Peer::default()).collect();
        Box::leak(Box::new(Loopback {
            requests,
            replies,
            inner: Mutex::new(Inner {
                me: JobRank(me.0),
                writing: self.writing,
                peers,
                buffer: vec![0; PACKET],
                arrivals: Arrivals::default(),
                owed: VecDeque::new(),
                pending: Slab::default(),
            }),
        }))
    }
}

/// An answer that there was no room for.
struct Owed {
    to: JobRank,
    head: Head,
    bytes: Vec<u8>,
}

struct Peer {
    credits: Credits,
    room: Room,
    gone: bool,
}

impl Default for Peer {
    fn default() -> Peer {
        Peer { credits: Credits::new(WINDOW), room: Room::new(WINDOW), gone: false }
    }
}

/// A put or get that is not complete.
struct Pending {
    peer: JobRank,
    token: OpToken,
    /// Of a get.
    dst: Option<Held<Dst<'static>>>,
}

struct Inner {
    me: JobRank,
    writing: Vec<OwnedFd>,
    peers: Vec<Peer>,
    /// For a packet that arrives.
    buffer: Vec<u64>,
    arrivals: Arrivals,
    /// While it holds anything no request is taken, so it holds little.
    owed: VecDeque<Owed>,
    pending: Slab<Pending>,
}

struct Loopback {
    requests: OwnedFd,
    replies: OwnedFd,
    inner: Mutex<Inner>,
}

impl Queued for Inner {
    fn arrivals(&mut self) -> &mut Arrivals {
        &mut self.arrivals
    }

    fn handled(&mut self, from: JobRank, traffic: Traffic, cost: u32) {
        let room = &mut self.peers[from.index()].room;
        room.handled(traffic, cost);
        if room.due {
            self.answer(from, Head::new(Kind::Credit, self.me, 0, 0, 0), Src::of(&[]));
        }
    }
}

impl Inner {
    /// False: there is no room.
    fn send(&mut self, to: JobRank, traffic: Traffic, head: &mut Head, payload: Src<'_>) -> bool {
        let ranks = self.peers.len();
        let peer = &mut self.peers[to.index()];
        let limits = peer.room.limits();
        head.words[HEAD - 1] = u64::from(limits[0]) | u64::from(limits[1]) << 32;
        let link = &self.writing[traffic as usize * ranks + to.index()];
        let sent = peer.gone || link::send(link, head.words(), payload);
        if sent {
            peer.room.told(limits);
        }
        sent
    }

    fn answer(&mut self, to: JobRank, mut head: Head, bytes: Src<'_>) {
        if !self.owed.is_empty() || !self.send(to, Traffic::Reply, &mut head, bytes) {
            let mut copy = vec![0; bytes.len()];
            mem::read(&mut copy, bytes);
            self.owed.push_back(Owed { to, head, bytes: copy });
        }
    }

    /// Sends what is owed; true if nothing is any more.
    fn settle(&mut self) -> bool {
        while let Some(mut first) = self.owed.pop_front() {
            if !self.send(first.to, Traffic::Reply, &mut first.head, Src::of(&first.bytes)) {
                self.owed.push_front(first);
                return false;
            }
        }
        true
    }

    /// Receives a packet of `traffic`; false if there is none. `leaving`: an address outside is no error.
    fn receive(&mut self, from: &OwnedFd, traffic: Traffic, up: &dyn Deliver, leaving: bool) -> bool {
        let mut buffer = core::mem::take(&mut self.buffer);
        let got = link::receive(from, &mut buffer);
        if let Some(bytes) = got {
            self.take(up, traffic, &mut buffer, bytes, leaving);
        }
        self.buffer = buffer;
        got.is_some()
    }

    fn take(&mut self, up: &dyn Deliver, traffic: Traffic, packet: &mut [u64], bytes: usize, leaving: bool) {
        let &mut [what, at, number, extra, limits, ..] = packet else { return };
        let (from, at, number) = (JobRank((what >> 32) as u32), at as usize, number as u32);
        let Some(&kind) = KINDS.get(what as usize & 0xff) else {
            fatal!("loopback: a packet of kind {} from rank {}", what & 0xff, from.0);
        };
        let (handler, nargs) = ((what >> 8) as u8, (what >> 16) as usize & 0xff);
        let (head, rest) = packet.split_at_mut(HEAD + words_of(nargs));
        let len = bytes - size_of_val(head);
        let mut args = [0; 2 * ARGS];
        for (pair, word) in args.chunks_mut(2).zip(&head[HEAD..]) {
            pair[0] = *word as i32;
            pair[1] = (*word >> 32) as i32;
        }
        let payload = mem::all_of(rest).part(0, len);
        let header = AmHeader { traffic, handler, envelope: Envelope::of_word(extra), args: &args[..nargs] };
        self.peers[from.index()].credits.granted([limits as u32, (limits >> 32) as u32]);
        let own = |len| match up.own(RemoteAddr(at), len) {
            None if !leaving => {
                fatal!("rank {} reaches for {len} bytes at {at:#x}, outside this rank's segment", from.0)
            }
            place => place,
        };
        match kind {
            Kind::Short => self.arrived(from, &header, ArrivedBody::None, 0),
            Kind::Medium => {
                let mut bytes = Aligned::zeroed(len);
                mem::read(&mut bytes, payload.as_src());
                self.arrived(from, &header, ArrivedBody::Medium(bytes), len);
            }
            Kind::Long => {
                if let Some(place) = own(len) {
                    mem::copy(place, payload.as_src());
                    self.arrived(from, &header, ArrivedBody::Long(Held(place)), 0);
                }
            }
            Kind::Put => {
                if let Some(place) = own(len) {
                    mem::copy(place, payload.as_src());
                    self.answer(from, Head::new(Kind::PutDone, self.me, 0, number, 0), Src::of(&[]));
                }
            }
            Kind::Get => {
                if let Some(place) = own(extra as usize) {
                    self.answer(from, Head::new(Kind::GetData, self.me, 0, number, 0), place.as_src());
                }
            }
            Kind::PutDone | Kind::GetData => self.complete(from, number, payload.as_src()),
            Kind::Credit => {}
        }
    }

    fn arrived(&mut self, from: JobRank, header: &AmHeader<'_>, body: ArrivedBody, medium: usize) {
        let mut costs = [0; 2];
        costs[header.traffic as usize] = cost(medium);
        let room = &mut self.peers[from.index()].room;
        if !room.holds(costs) {
            fatal!("loopback: rank {} sent more than it has credits for", from.0);
        }
        room.arrived(costs);
        self.arrivals.push(Arrival::new(from, header, body, cost(medium)));
    }

    fn complete(&mut self, from: JobRank, number: u32, bytes: Src<'_>) {
        // One that failed is unknown, or another one by now.
        if self.pending.get_mut(number).is_some_and(|pending| pending.peer == from)
            && let Some(pending) = self.pending.remove(number)
        {
            if let Some(Held(dst)) = pending.dst {
                mem::copy(dst, bytes);
            }
            self.arrivals.done(pending.token, Completion::Remote);
        }
    }

    /// Starts a put or get: `done` if it was started.
    fn start(&mut self, pending: Pending, src: Src<'_>, done: Sent, head: impl FnOnce(JobRank, u32) -> Head) -> Sent {
        let peer = pending.peer;
        if self.peers[peer.index()].gone {
            self.arrivals.done(pending.token, Completion::Failed);
            return done;
        }
        let number = self.pending.insert(pending);
        if self.send(peer, Traffic::Request, &mut head(self.me, number), src) {
            return done;
        }
        self.pending.remove(number);
        Sent::Retry
    }
}

impl Loopback {
    fn exchange(&self, inner: &mut Inner, up: &dyn Deliver, leaving: bool) {
        for _ in 0..PACKETS {
            if !inner.receive(&self.replies, Traffic::Reply, up, leaving) {
                break;
            }
        }
        for _ in 0..PACKETS {
            if !inner.settle() || !inner.receive(&self.requests, Traffic::Request, up, leaving) {
                break;
            }
        }
    }
}

impl Conduit for Loopback {
    fn caps(&self) -> Caps {
        Caps { put: true, get: true }
    }

    fn limits(&self) -> Limits {
        LIMITS
    }

    fn am(&self, to: JobRank, msg: &AmMsg<'_>) -> Sent {
        let (kind, at, src) = match msg.payload {
            Payload::None => (Kind::Short, 0, Src::of(&[])),
            Payload::Medium(src) => (Kind::Medium, 0, src),
            Payload::Long(src, at) | Payload::LongAsync(src, at) => (Kind::Long, at.0, src),
        };
        let AmHeader { traffic, handler, envelope, args } = msg.header;
        let cost = cost(if kind == Kind::Medium { src.len() } else { 0 });
        let inner = &mut *self.inner.lock();
        if inner.peers[to.index()].gone {
            return match msg.token {
                Some(token) => {
                    inner.arrivals.done(token, Completion::Failed);
                    Sent::Later
                }
                None => Sent::Done,
            };
        }
        if !inner.peers[to.index()].credits.take(traffic, cost) {
            return Sent::Retry;
        }
        let mut head = Head::new(kind, inner.me, at, 0, envelope.word()).with(handler, args);
        if inner.send(to, traffic, &mut head, src) {
            return Sent::Done;
        }
        inner.peers[to.index()].credits.give_back(traffic, cost);
        Sent::Retry
    }

    fn poll(&self, up: &dyn Deliver, take: Take, budget: u32) -> u32 {
        let mut inner = self.inner.lock();
        self.exchange(&mut inner, up, false);
        hand_up(&mut inner, up, take, budget)
    }

    fn wait(&self, bell: c_int, ns: u64) {
        // Room for answers, and what another thread's poll has received and may not hand up, wake nobody.
        const SHORT_NS: u64 = 100_000;
        let idle = {
            let inner = self.inner.lock();
            inner.owed.is_empty() && inner.arrivals.is_empty()
        };
        let ns = if idle { ns } else { ns.min(SHORT_NS) };
        sleep::wait_readable([link::number(&self.requests), link::number(&self.replies), bell], ns);
    }

    fn put(&self, to: JobRank, dst: RemoteAddr, src: Src<'_>, _stays: bool, token: OpToken) -> Sent {
        let pending = Pending { peer: to, token, dst: None };
        let head = |me, number| Head::new(Kind::Put, me, dst.0, number, 0);
        self.inner.lock().start(pending, src, Sent::Copied, head)
    }

    fn get(&self, dst: Dst<'_>, from: JobRank, src: RemoteAddr, token: OpToken) -> Sent {
        // SAFETY: the caller keeps the destination until the get is complete; then it is no longer pending.
        let held = unsafe { Held::dst(dst) };
        let pending = Pending { peer: from, token, dst: Some(held) };
        let head = |me, number| Head::new(Kind::Get, me, src.0, number, dst.len() as u64);
        self.inner.lock().start(pending, Src::of(&[]), Sent::Later, head)
    }

    fn gone(&self, rank: JobRank) {
        let inner = &mut *self.inner.lock();
        inner.peers[rank.index()].gone = true;
        for number in inner.pending.numbers_of(|pending| pending.peer == rank) {
            if let Some(pending) = inner.pending.remove(number) {
                inner.arrivals.done(pending.token, Completion::Failed);
            }
        }
    }

    /// Until this rank's puts and gets are complete and its answers sent.
    fn stop(&self, how: Stop, up: &dyn Deliver) {
        let Stop::Within { ns } = how else { return };
        let until = sleep::now_ns().saturating_add(ns);
        while let Some(mut inner) = lock_soon(&self.inner) {
            self.exchange(&mut inner, up, true);
            if inner.settle() && inner.pending.is_empty() || sleep::now_ns() >= until {
                return;
            }
            drop(inner);
            sleep::wait_readable([link::number(&self.requests), link::number(&self.replies)], 1_000_000);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conduit::conformance_tests;

    #[test]
    fn loopback_keeps_the_contract() {
        conformance_tests::run(false, || {
            let first = prepare(2).unwrap();
            let twin = |fds: &[OwnedFd]| fds.iter().map(|fd| fd.try_clone().unwrap()).collect();
            let second = Sockets { writing: twin(&first.writing), reading: twin(&first.reading), ranks: 2 };
            [first.open(HostRank(0)), second.open(HostRank(1))]
        });
    }
}
