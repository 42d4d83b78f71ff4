//! The state of a loopback conduit: its sends, the handling of packets that arrive, and the answers that wait to be sent.
//!
//! # Safety
//! The destination of a get, of the value that an atomic fetches, or of a collective is used after the call that passed it has returned: the
//! caller keeps it until the operation is complete (`Conduit::get`, `Conduit::atomic`, `Conduit::collect`).
#![allow(unsafe_code)]

use std::collections::VecDeque;
use std::os::fd::OwnedFd;

use super::atomics;
use super::door::OneThreadDoor;
use super::groups::{Groups, Outgoing};
use super::keys::Keys;
use super::packet::{self, Head, Kind, LIMITS, PACKET, Pending, Read, There};
use crate::conduit::shared::arrivals::{Arrivals, ArrivedBody, Queued};
use crate::conduit::shared::credits::{Credits, Room};
use crate::conduit::shared::held::{Aligned, Held, Own};
use crate::conduit::shared::slab::Slab;
use crate::conduit::{
    AmHeader, Completion, Envelope, GroupCollective, GroupId, LocalMem, MAX_ARGS, OpToken, Registration, Sent, Traffic,
};
use crate::defs::rank::JobRank;
use crate::fatal::fatal;
use crate::mem::{self, Dst, RemoteAddr, Src};
use crate::os::link;

/// Bytes of unhandled messages of each class from one peer, at most.
const WINDOW: u32 = 160 << 10;
/// The rank that combines the words of all ranks.
pub(crate) const CENTER: JobRank = JobRank(0);
/// Before any rank has entered.
const NOBODY: (usize, [i64; 3]) = (0, [i64::MAX; 3]);

/// Bytes of the window that a message takes. A Long's payload does not count.
pub(crate) fn cost(medium: usize) -> u32 {
    (64 + 4 * MAX_ARGS + medium) as u32
}

/// A reply that waits for room.
struct Owed {
    to: JobRank,
    head: Head,
    bytes: Vec<u8>,
}

pub(crate) struct PeerState {
    pub credits: Credits,
    room: Room,
    pub gone: bool,
}

impl Default for PeerState {
    fn default() -> PeerState {
        PeerState { credits: Credits::new(WINDOW), room: Room::new(WINDOW), gone: false }
    }
}

pub(crate) struct Inner {
    pub me: JobRank,
    writing: Vec<OwnedFd>,
    /// Requests and replies to this rank.
    pub reading: [OwnedFd; 2],
    pub peers: Vec<PeerState>,
    /// The receive buffer for one packet.
    buffer: Vec<u64>,
    pub arrivals: Arrivals,
    /// While it is not empty no request is received, so it stays short.
    owed: VecDeque<Owed>,
    /// Puts, gets and atomics that are not complete.
    pub pending: Slab<Pending<Landing>>,
    pub keys: Keys,
    /// At the center: the number of ranks that have entered the combination, and the least of their words.
    entered: (usize, [i64; 3]),
    /// The result of a combination.
    pub least: Option<[i64; 3]>,
    pub groups: Groups,
    pub door: &'static OneThreadDoor,
}

/// The destination of a get, or of the value that an atomic fetches.
pub(crate) struct Landing {
    dst: Held<Dst<'static>>,
    registration: Option<Registration>,
}

impl Queued for Inner {
    fn arrivals(&mut self) -> &mut Arrivals {
        &mut self.arrivals
    }

    fn handled(&mut self, from: JobRank, traffic: Traffic, cost: u32) {
        if self.peers[from.index()].room.handled(traffic, cost) {
            self.answer(from, Head::new(Kind::Credit, self.me, There::NOWHERE, 0, 0), Src::of(&[]));
        }
    }
}

impl Inner {
    pub(crate) fn new(me: JobRank, writing: Vec<OwnedFd>, reading: [OwnedFd; 2], ranks: usize) -> Inner {
        Inner {
            me,
            writing,
            reading,
            peers: (0..ranks).map(|_| PeerState::default()).collect(),
            buffer: vec![0; PACKET],
            arrivals: Arrivals::default(),
            owed: VecDeque::new(),
            pending: Slab::default(),
            keys: Keys::default(),
            entered: NOBODY,
            least: None,
            groups: Groups::default(),
            door: Box::leak(Box::default()),
        }
    }

    /// Returns false if there is no room.
    pub(crate) fn send(&mut self, to: JobRank, traffic: Traffic, head: &mut Head, payload: Src<'_>) -> bool {
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

    /// Whether nothing waits here for room or for a poll.
    pub(crate) fn is_idle(&self) -> bool {
        self.owed.is_empty() && self.arrivals.is_empty()
    }

    pub(crate) fn answer(&mut self, to: JobRank, mut head: Head, bytes: Src<'_>) {
        if !self.owed.is_empty() || !self.send(to, Traffic::Reply, &mut head, bytes) {
            let mut copy = vec![0; bytes.len()];
            mem::read(&mut copy, bytes);
            self.owed.push_back(Owed { to, head, bytes: copy });
        }
    }

    /// Sends the answers that wait for room; true if none is left.
    pub(crate) fn settle(&mut self) -> bool {
        while let Some(mut first) = self.owed.pop_front() {
            if !self.send(first.to, Traffic::Reply, &mut first.head, Src::of(&first.bytes)) {
                self.owed.push_front(first);
                return false;
            }
        }
        true
    }

    /// Receives a packet of `traffic`; false if there is none. `leaving`: an address outside `own` is not an error.
    pub(crate) fn receive(&mut self, traffic: Traffic, own: Own<'_>, leaving: bool) -> bool {
        let mut buffer = core::mem::take(&mut self.buffer);
        let got = link::receive(&self.reading[traffic as usize], &mut buffer);
        if let Some(bytes) = got {
            self.take(own, traffic, &mut buffer, bytes, leaving);
        }
        self.buffer = buffer;
        got.is_some()
    }

    fn take(&mut self, own: Own<'_>, traffic: Traffic, packet: &mut [u64], bytes: usize, leaving: bool) {
        let Some(head) = packet::read(packet) else {
            fatal!("loopback: {bytes} bytes have arrived that are not a packet of this job");
        };
        let Read { kind, from, handler, there, number, extra, limits, nargs, args, payload_at } = head;
        let rest = &mut packet[payload_at..];
        let payload = mem::all_of(rest).part(0, bytes - payload_at * size_of::<u64>());
        let len = payload.len();
        let envelope = Envelope::of_word(extra);
        let header = AmHeader { traffic, handler, envelope, args: &args[..nargs] };
        self.peers[from.index()].credits.granted(limits);
        match kind {
            Kind::Short => self.arrived(from, &header, ArrivedBody::None, 0),
            Kind::Medium => {
                let mut bytes = Aligned::zeroed(len);
                mem::read(&mut bytes, payload.as_src());
                self.arrived(from, &header, ArrivedBody::Medium(bytes), len);
            }
            Kind::Long => {
                if let Some(place) = self.own(own, from, there, len, leaving) {
                    mem::copy(place, payload.as_src());
                    self.arrived(from, &header, ArrivedBody::Long(Held(place)), 0);
                }
            }
            Kind::Put => {
                if let Some(place) = self.own(own, from, there, len, leaving) {
                    mem::copy(place, payload.as_src());
                    self.answer(from, self.head(Kind::Done, number), Src::of(&[]));
                }
            }
            Kind::Get => {
                if let Some(place) = self.own(own, from, there, extra as usize, leaving) {
                    self.answer(from, self.head(Kind::Data, number), place.as_src());
                }
            }
            Kind::Atomic => {
                if let Some(place) = self.own(own, from, there, size_of::<u64>(), leaving) {
                    let mut words = [0; atomics::WORDS];
                    mem::read_words(&mut words, payload.as_src());
                    match atomics::apply(place, words) {
                        Some(found) => self.answer(from, self.head(Kind::Data, number), Src::of(&found)),
                        None => self.answer(from, self.head(Kind::Done, number), Src::of(&[])),
                    }
                }
            }
            Kind::Done | Kind::Data => self.complete(from, number, payload.as_src()),
            Kind::Enter | Kind::Least => {
                let mut words = [0; 3];
                mem::read_words(&mut words, payload.as_src());
                let words = words.map(|word| word as i64);
                if kind == Kind::Enter {
                    self.enter(words);
                } else {
                    self.least = Some(words);
                }
            }
            Kind::Part => {
                let mut part = vec![0; len];
                mem::read(&mut part, payload.as_src());
                let results = self.groups.part(GroupId(there.at as u64), number, from, &part);
                self.give(GroupId(there.at as u64), results);
            }
            Kind::Result => self.take_result(GroupId(there.at as u64), number, payload.as_src()),
            Kind::Credit => {}
        }
    }

    /// Sends the results of a collective.
    pub(crate) fn give(&mut self, id: GroupId, results: Vec<Outgoing>) {
        for Outgoing { to, number, bytes } in results {
            if to == self.me {
                self.take_result(id, number, Src::of(&bytes));
            } else {
                let there = There { at: id.0 as usize, key: 0 };
                self.answer(to, Head::new(Kind::Result, self.me, there, number, 0), Src::of(&bytes));
            }
        }
    }

    fn take_result(&mut self, id: GroupId, number: u32, result: Src<'_>) {
        if let Some(token) = self.groups.result(id, number, result) {
            self.arrivals.done(token, Completion::Remote);
        }
    }

    /// At the center: a rank has entered the combination.
    pub(crate) fn enter(&mut self, words: [i64; 3]) {
        let (count, least) = &mut self.entered;
        *count += 1;
        for (least, word) in least.iter_mut().zip(words) {
            *least = word.min(*least);
        }
        if *count < self.peers.len() {
            return;
        }
        let (_, least) = core::mem::replace(&mut self.entered, NOBODY);
        for rank in (0..self.peers.len() as u32).map(JobRank).filter(|rank| *rank != CENTER) {
            self.answer(rank, self.head(Kind::Least, 0), mem::words_of(&least.map(|word| word as u64)));
        }
        self.least = Some(least);
    }

    pub(crate) fn head(&self, kind: Kind, number: u32) -> Head {
        Head::new(kind, self.me, There::NOWHERE, number, 0)
    }

    /// The memory of this rank that a peer names. If the key is not valid for it, ends the job, or returns None when
    /// `leaving`.
    fn own(&self, own: Own<'_>, from: JobRank, there: There, len: usize, leaving: bool) -> Option<Dst<'static>> {
        let own = own(RemoteAddr(there.at), len).filter(|_| self.keys.opens(there, len));
        if own.is_none() && !leaving {
            self.keys.refuse(from, there, len);
        }
        own
    }

    fn arrived(&mut self, from: JobRank, header: &AmHeader<'_>, body: ArrivedBody, medium: usize) {
        if !self.peers[from.index()].room.admits(header.traffic, cost(medium)) {
            fatal!("loopback: rank {} sent more than it has credits for", from.0);
        }
        self.arrivals.push(from, header, body, cost(medium));
    }

    fn complete(&mut self, from: JobRank, number: u32, bytes: Src<'_>) {
        // After a failure the number is unused, or names a later operation.
        if self.pending.get_mut(number).is_some_and(|pending| pending.peer == from) {
            if let Some(pending) = self.pending.remove(number) {
                if let Some(Landing { dst: Held(dst), registration }) = pending.dst {
                    self.keys.check_local(registration, dst.as_ptr().addr(), dst.len(), LIMITS.copied);
                    mem::copy(dst, bytes);
                }
                self.arrivals.done(pending.token, Completion::Remote);
            }
        }
    }

    /// Starts an operation; returns `done` if there was room.
    pub(crate) fn start(
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
    /// Enters a collective.
    pub(crate) fn enter_collective(
        &mut self,
        id: GroupId,
        what: &GroupCollective,
        bytes: usize,
        src: Src<'_>,
        dst: Dst<'_>,
        token: OpToken,
    ) {
        // SAFETY: the caller keeps the destination until the collective is complete; then it is no longer entered.
        let dst = unsafe { Held::dst(dst) };
        match self.groups.enter(id, what, bytes, src, dst, token) {
            None => self.arrivals.done(token, Completion::Failed),
            Some(Outgoing { to, number, bytes }) if to == self.me => {
                let results = self.groups.part(id, number, to, &bytes);
                self.give(id, results);
            }
            Some(Outgoing { to, number, bytes }) => {
                let there = There { at: id.0 as usize, key: 0 };
                self.answer(to, Head::new(Kind::Part, self.me, there, number, 0), Src::of(&bytes));
            }
        }
    }

    pub(crate) fn landing(&self, dst: LocalMem<Dst<'_>>) -> Landing {
        let LocalMem { view, registration } = dst;
        self.keys.check_local(registration, view.as_ptr().addr(), view.len(), LIMITS.copied);
        // SAFETY: the caller keeps the destination until the operation is complete; then it is no longer pending.
        Landing { dst: unsafe { Held::dst(view) }, registration }
    }
}
