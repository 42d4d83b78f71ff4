//! A network for tests: ranks of one host that share no memory (GASNET_SUPERNODE_MAXSIZE says which do) talk over
//! Unix sockets made before they are forked. It loses nothing, so that what fails is what lies above it; it runs out of
//! room soon, and its limits are small and all different. It is strict about memory (`keys`): what only some networks
//! demand of the layers above it demands always.
//!
//! # Safety
//! The destination of a get, or of the value that an atomic fetches, is kept beyond the call that brought it: its caller
//! keeps it until the operation is complete (`Conduit::get`, `Conduit::atomic`).
#![allow(unsafe_code)]

mod atomics;
mod keys;
mod packet;

use core::ffi::c_int;
use std::collections::VecDeque;
use std::io;
use std::net::IpAddr;
use std::os::fd::OwnedFd;

use parking_lot::Mutex;

use crate::bootstrap::contract::Bootstrap;
use crate::conduit::entry::{ConduitEntry, Launch, Network};
use crate::conduit::shared::arrivals::{Arrival, Arrivals, Body, Queued, hand_up};
use crate::conduit::shared::credits::{Credits, Room};
use crate::conduit::shared::held::{Aligned, Held};
use crate::conduit::shared::lock_soon;
use crate::conduit::shared::slab::Slab;
use crate::conduit::{
    AmHeader, AmMsg, Atomic, Caps, Completion, Conduit, Deliver, Envelope, Key, Limits, Links, LocalMem, MAX_ARGS,
    MemKind, OpToken, Payload, Registration, Sent, Stop, Take, Traffic,
};
use crate::defs::rank::{HostRank, JobRank, Location};
use crate::fatal::fatal;
use crate::mem::{self, Dst, RemoteAddr, Src};
use crate::os::{link, sleep};
use keys::Keys;
use packet::{Head, Kind, PACKET, Pending, Read, There};

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

/// What a message takes of the window. A Long's payload does not count.
fn cost(medium: usize) -> u32 {
    (64 + 4 * MAX_ARGS + medium) as u32
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
                keys: Keys::default(),
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

struct Inner {
    me: JobRank,
    writing: Vec<OwnedFd>,
    peers: Vec<Peer>,
    /// For a packet that arrives.
    buffer: Vec<u64>,
    arrivals: Arrivals,
    /// While it holds anything no request is taken, so it holds little.
    owed: VecDeque<Owed>,
    /// Puts, gets and atomics that are not complete.
    pending: Slab<Pending<Landing>>,
    keys: Keys,
}

/// Where the bytes of a get, or what an atomic fetches, go.
struct Landing {
    dst: Held<Dst<'static>>,
    registration: Option<Registration>,
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
            self.answer(from, Head::new(Kind::Credit, self.me, There::NOWHERE, 0, 0), Src::of(&[]));
        }
    }
}

impl Inner {
    /// False: there is no room.
    fn send(&mut self, to: JobRank, traffic: Traffic, head: &mut Head, payload: Src<'_>) -> bool {
        let ranks = self.peers.len();
        let peer = &mut self.peers[to.index()];
        let limits = peer.room.limits();
        head.granting(limits);
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
        let Some(head) = packet::read(packet) else {
            fatal!("loopback: {bytes} bytes that are no packet have come");
        };
        let Read { kind, from, handler, there, number, extra, limits, nargs, args, payload_at } = head;
        let rest = &mut packet[payload_at..];
        let payload = mem::all_of(rest).part(0, bytes - payload_at * size_of::<u64>());
        let len = payload.len();
        let envelope = Envelope::of_word(extra);
        let header = AmHeader { traffic, handler, envelope, args: &args[..nargs] };
        self.peers[from.index()].credits.granted(limits);
        match kind {
            Kind::Short => self.arrived(from, &header, Body::None, 0),
            Kind::Medium => {
                let mut bytes = Aligned::zeroed(len);
                mem::read(&mut bytes, payload.as_src());
                self.arrived(from, &header, Body::Medium(bytes), len);
            }
            Kind::Long => {
                if let Some(place) = self.own(up, from, there, len, leaving) {
                    mem::copy(place, payload.as_src());
                    self.arrived(from, &header, Body::Long(Held(place)), 0);
                }
            }
            Kind::Put => {
                if let Some(place) = self.own(up, from, there, len, leaving) {
                    mem::copy(place, payload.as_src());
                    self.answer(from, self.head(Kind::Done, number), Src::of(&[]));
                }
            }
            Kind::Get => {
                if let Some(place) = self.own(up, from, there, extra as usize, leaving) {
                    self.answer(from, self.head(Kind::Data, number), place.as_src());
                }
            }
            Kind::Atomic => {
                if let Some(place) = self.own(up, from, there, size_of::<u64>(), leaving) {
                    let mut words = [0; atomics::WORDS];
                    mem::read_words(&mut words, payload.as_src());
                    match atomics::apply(place, words) {
                        Some(found) => self.answer(from, self.head(Kind::Data, number), Src::of(&found)),
                        None => self.answer(from, self.head(Kind::Done, number), Src::of(&[])),
                    }
                }
            }
            Kind::Done | Kind::Data => self.complete(from, number, payload.as_src()),
            Kind::Credit => {}
        }
    }

    fn head(&self, kind: Kind, number: u32) -> Head {
        Head::new(kind, self.me, There::NOWHERE, number, 0)
    }

    /// The memory of this rank that a peer names; ends the job if the key does not open it. `leaving`: None instead.
    fn own(&self, up: &dyn Deliver, from: JobRank, there: There, len: usize, leaving: bool) -> Option<Dst<'static>> {
        let own = up.own(RemoteAddr(there.at), len).filter(|_| self.keys.opens(there, len));
        if own.is_none() && !leaving {
            self.keys.refuse(from, there, len);
        }
        own
    }

    fn arrived(&mut self, from: JobRank, header: &AmHeader<'_>, body: Body, medium: usize) {
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
            if let Some(Landing { dst: Held(dst), registration }) = pending.dst {
                self.keys.check_local(registration, dst.as_ptr().addr(), dst.len(), LIMITS.copied);
                mem::copy(dst, bytes);
            }
            self.arrivals.done(pending.token, Completion::Remote);
        }
    }

    /// Starts an operation: `done` if it was started.
    fn start(
        &mut self,
        pending: Pending<Landing>,
        src: Src<'_>,
        done: Sent,
        head: impl FnOnce(JobRank, u32) -> Head,
    ) -> Sent {
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

impl Inner {
    fn landing(&self, dst: LocalMem<Dst<'_>>) -> Landing {
        let LocalMem { view, registration } = dst;
        self.keys.check_local(registration, view.as_ptr().addr(), view.len(), LIMITS.copied);
        // SAFETY: the caller keeps the destination until the operation is complete; then it is no longer pending.
        Landing { dst: unsafe { Held::dst(view) }, registration }
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
        Caps { put: true, get: true, registered: true }
    }

    fn limits(&self) -> Limits {
        LIMITS
    }

    fn register(&self, ep: u16, start: usize, bytes: usize, _: MemKind) -> Result<(Registration, Key), String> {
        self.inner.lock().keys.register(ep, start, bytes).ok_or_else(|| "loopback: the key is too long".to_owned())
    }

    fn import(&self, of: Location, key: &[u8]) -> Result<(), String> {
        self.inner.lock().keys.import(of, key)
    }

    fn forget(&self, registration: Registration) {
        self.inner.lock().keys.forget(registration);
    }

    fn am(&self, to: Location, msg: &AmMsg<'_>) -> Sent {
        let (kind, at, src) = match msg.payload {
            Payload::None => (Kind::Short, 0, Src::of(&[])),
            Payload::Medium(src) => (Kind::Medium, 0, src),
            Payload::Long(src, at) | Payload::LongAsync(src, at) => (Kind::Long, at.0, src),
        };
        let AmHeader { traffic, handler, envelope, args } = msg.header;
        let cost = cost(if kind == Kind::Medium { src.len() } else { 0 });
        let inner = &mut *self.inner.lock();
        if envelope.to_ep() != to.ep {
            fatal!("loopback: a message to endpoint {} has an envelope to endpoint {}", to.ep, envelope.to_ep());
        }
        let there = if kind == Kind::Long { inner.keys.there(to, at, src.len()) } else { There::NOWHERE };
        if msg.token.is_some() || msg.registration.is_some() {
            inner.keys.check_local(msg.registration, src.as_ptr().addr(), src.len(), LIMITS.copied);
        }
        let to = to.rank;
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
        let mut head = Head::new(kind, inner.me, there, 0, envelope.word()).with(handler, args);
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

    fn wake(&self) -> [c_int; 2] {
        [link::number(&self.requests), link::number(&self.replies)]
    }

    fn quiet_ns(&self) -> u64 {
        // Room for answers, and what another thread's poll has received and may not hand up, wake nobody.
        const SHORT_NS: u64 = 100_000;
        let inner = self.inner.lock();
        if inner.owed.is_empty() && inner.arrivals.is_empty() { u64::MAX } else { SHORT_NS }
    }

    fn put(&self, to: Location, dst: RemoteAddr, src: LocalMem<Src<'_>>, stays: bool, token: OpToken) -> Sent {
        let inner = &mut *self.inner.lock();
        let there = inner.keys.there(to, dst.0, src.view.len());
        let registration = src.registration.filter(|_| stays);
        inner.keys.check_local(registration, src.view.as_ptr().addr(), src.view.len(), LIMITS.copied);
        let pending = Pending { peer: to.rank, token, dst: None };
        inner.start(pending, src.view, Sent::Copied, |me, number| Head::new(Kind::Put, me, there, number, 0))
    }

    fn get(&self, dst: LocalMem<Dst<'_>>, from: Location, src: RemoteAddr, token: OpToken) -> Sent {
        let inner = &mut *self.inner.lock();
        let (there, len) = (inner.keys.there(from, src.0, dst.view.len()), dst.view.len() as u64);
        let pending = Pending { peer: from.rank, token, dst: Some(inner.landing(dst)) };
        inner.start(pending, Src::of(&[]), Sent::Later, |me, number| Head::new(Kind::Get, me, there, number, len))
    }

    fn atomics(&self, dtype: u32) -> u32 {
        atomics::offered(dtype)
    }

    fn atomic(&self, to: Location, at: RemoteAddr, what: &Atomic, result: Option<Dst<'_>>, token: OpToken) -> Sent {
        let inner = &mut *self.inner.lock();
        let there = inner.keys.there(to, at.0, size_of::<u64>());
        let pending =
            Pending { peer: to.rank, token, dst: result.map(|result| inner.landing(LocalMem::plain(result))) };
        let words = atomics::words(what);
        let head = |me, number| Head::new(Kind::Atomic, me, there, number, 0);
        inner.start(pending, mem::words_of(&words), Sent::Later, head)
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
