//! The state of a rank's end of conduit ucx: its peers and their connections, messages that are being sent, batches, credits, and the
//! handling of arrivals.
//!
//! # Safety
//! Buffers that UCX uses after a call has returned belong to this state until UCX says that the operation has ended: they are in
//! `flights`, on the heap, and do not move. Memory of the client stays as the caller of `am`, `put`, `get` or `atomic` promises. Received
//! bytes that UCX lends stay until `end_loan`.
#![allow(unsafe_code)]

use super::batches::Batches;
use super::keys::UcxKeys;
use super::packet::{self, LIMITS, MOST_HEADER, PACKET, START, UcxHead, UcxKind};
use super::rounds::Rounds;
use super::transfers::{UcxPut, UcxPuts};
use crate::conduit::shared::arrivals::{Arrival, Arrivals, LentBuffer, Queued};
use crate::conduit::shared::credits::{Credits, Room};
use crate::conduit::shared::held::{Aligned, Held};
use crate::conduit::shared::inside::InLibrary;
use crate::conduit::shared::serialized::Own;
use crate::conduit::shared::slab::Slab;
use crate::conduit::{AmHeader, AmMsg, Completion, OpToken, Payload, Sent, Traffic};
use crate::defs::rank::JobRank;
use crate::env;
use crate::mem::{self, Dst, Src};
use crate::shims::ucx::{Begun, UcxError, UcxEvent, UcxLoan, UcxMemory, UcxPeer, UcxPort};

/// Payloads of Longs of at most this length follow the head of their message.
const EAGER: usize = 8 << 10;
/// Packets in flight at which no further request is sent; replies and answers may always be sent.
const MOST_FLYING: usize = 256;
/// Requests to one rank in flight, unless `GASNET_NETWORKDEPTH` says another number.
const USUAL_DEPTH: i64 = 1024;
/// Bytes of unhandled messages of each class that all peers together may have here, if each gets at least room for four.
const ALL_WINDOWS: usize = 64 << 20;
/// Buffers that are kept for the next packets.
const MOST_SPARE: usize = 64;

/// Credits that a message takes: its bytes here; at least `least`, by which the number of messages is bounded.
#[inline]
pub(crate) fn cost(head: usize, inline: usize, least: u32) -> u32 {
    ((64 + head + inline) as u32).max(least)
}

/// A rank of the job as this one sees it.
pub(crate) struct UcxMember {
    pub address: Box<[u8]>,
    /// It is on another host, so UCX is to detect failures of the connection.
    pub is_apart: bool,
    pub connection: Option<UcxPeer>,
    pub credits: Credits,
    pub room: Room,
    pub gone: bool,
    /// Its connection has failed.
    pub failed: bool,
    pub keys: UcxKeys,
    pub puts: UcxPuts,
    pub batch: Option<(Aligned, usize)>,
    /// The number of polls when a packet was last sent to it, since when nothing came from it.
    pub busy_since: Option<u32>,
}

/// An operation that UCX has not completed.
pub(crate) struct UcxFlight {
    pub peer: JobRank,
    pub what: UcxFlown,
}

/// The meaning of its end.
pub(crate) enum UcxFlown {
    /// A packet: its buffer is free.
    Packet(Aligned),
    /// A message whose payload is bulk data: its header, a copy of its payload if there is one, and the token of a Long that is to be
    /// told.
    Bulk {
        _header: Aligned,
        copy: Option<Aligned>,
        token: Option<OpToken>,
    },
    /// The payload of a Long is here.
    Long(Box<Arrival>),
    /// A packet that came as bulk data is here.
    Received(Aligned),
    /// The source of the put with this number in `UcxRank::puts` is free, or the copy of it is no longer used.
    Put { number: u32, _copy: Option<Aligned> },
    Get(Option<OpToken>),
    /// Operand and previous value; where the latter goes, and its bytes.
    Atomic {
        token: Option<OpToken>,
        words: Box<[u64; 2]>,
        result: Option<(Held<Dst<'static>>, usize)>,
    },
    /// All these puts are complete.
    Flush(UcxPuts),
}

pub(crate) struct UcxRank {
    pub port: UcxPort,
    pub me: JobRank,
    pub members: Vec<UcxMember>,
    pub flights: Slab<UcxFlight>,
    /// Packets and copies of payloads among them.
    pub flying: usize,
    pub copied: usize,
    /// The buffer for the next packet, then others that are free.
    scratch: Aligned,
    pub spare: Vec<Aligned>,
    pub arrivals: Arrivals,
    pub loans: Slab<UcxLoan>,
    pub puts: Slab<UcxPut>,
    /// Operands of atomics that are free; they stay where they are.
    #[allow(clippy::vec_box)]
    pub words: Vec<Box<[u64; 2]>>,
    pub in_flight: usize,
    pub batches: Batches,
    pub least_cost: u32,
    /// Connections that have failed, the time, and why.
    pub failures: Vec<(JobRank, u64, UcxError)>,
    pub polls: u32,
    pub probed: Rounds,
    pub parting: Rounds,
    pub closed: bool,
    /// The atomics that the network executes.
    pub atomics: fn(u32) -> u32,
    /// The memory of this rank that is registered, by number of the registration.
    pub memories: Slab<UcxMemory>,
    /// Of UCX (keys.rs).
    pub version: u64,
    pub says: UcxCounters,
    /// Naps in a row without an arrival, where no descriptor wakes a rank.
    naps: u32,
    /// Polls in a row, while this rank leaves, that found nothing.
    pub idle_looks: u32,
}

#[derive(Default)]
pub(crate) struct UcxCounters {
    pub packets: u64,
    pub bulk: u64,
    pub flushes: u64,
}

// ARCHITECTURE.md, section 7, has this number.
const _: () = assert!(size_of::<UcxMember>() <= 320);

impl Queued for UcxRank {
    #[inline]
    fn arrivals(&mut self) -> &mut Arrivals {
        &mut self.arrivals
    }

    #[inline]
    fn handled(&mut self, from: JobRank, traffic: Traffic, cost: u32) {
        let room = &mut self.members[from.index()].room;
        room.handled(traffic, cost);
        if room.due {
            let _inside = InLibrary::enter();
            self.transmit(from, &UcxHead::of(UcxKind::Credit, 0), Src::none());
        }
    }

    fn give_back(&mut self, lent: LentBuffer) {
        self.keep(lent.buffer);
    }

    #[inline]
    fn end_loan(&mut self, number: u32) {
        if let Some(loan) = self.loans.remove(number) {
            let _inside = InLibrary::enter();
            self.port.release(loan);
        }
    }
}

impl UcxRank {
    /// `addresses`: of all ranks, each with whether it is on another host; `version`: of UCX; `batches`: short messages share packets.
    pub(crate) fn new(
        port: UcxPort,
        version: u64,
        me: JobRank,
        addresses: Vec<(Box<[u8]>, bool)>,
        batches: bool,
    ) -> UcxRank {
        let size = addresses.len();
        let most = cost(PACKET, 0, 0) as usize;
        let window = (ALL_WINDOWS / size.max(1)).clamp(4 * most, 16 * most) as u32;
        let depth = env::opt_int("GASNET_NETWORKDEPTH").unwrap_or(USUAL_DEPTH).max(1) as u32;
        // Half of the room is announced at once, so a message takes at most a fourth.
        let least_cost = (window / depth).min(most as u32);
        let member = |(address, is_apart)| UcxMember {
            address,
            is_apart,
            connection: None,
            credits: Credits::new(window),
            room: Room::new(window),
            gone: false,
            failed: false,
            keys: UcxKeys::default(),
            puts: UcxPuts::default(),
            batch: None,
            busy_since: None,
        };
        UcxRank {
            port,
            me,
            members: addresses.into_iter().map(member).collect(),
            flights: Slab::default(),
            flying: 0,
            copied: 0,
            scratch: Aligned::zeroed(PACKET),
            spare: Vec::new(),
            arrivals: Arrivals::default(),
            loans: Slab::default(),
            puts: Slab::default(),
            words: Vec::new(),
            in_flight: 0,
            batches: Batches::new(batches),
            least_cost,
            failures: Vec::new(),
            polls: 0,
            probed: Rounds::new(me, size as u32),
            parting: Rounds::new(me, size as u32),
            closed: false,
            atomics: |_| 0,
            memories: Slab::default(),
            version,
            says: UcxCounters::default(),
            naps: 0,
            idle_looks: 0,
        }
    }

    /// Sends what waits; returns the time after which a thread that sleeps has to poll.
    pub(crate) fn nap_ns(&mut self) -> u64 {
        const FIRST_NS: u64 = 20_000;
        const DOUBLINGS: u32 = 5;
        const IN_DOUBT_NS: u64 = 100_000_000;
        if self.closed {
            return u64::MAX;
        }
        self.send_batches();
        if !self.arrivals.is_empty() {
            return 0;
        }
        if self.port.descriptor() < 0 {
            // It grows while nothing arrives.
            self.naps = (self.naps + 1).min(4 * DOUBLINGS);
            return FIRST_NS << (self.naps / 4);
        }
        match self.port.arm() {
            false => 0,
            true if self.failures.is_empty() => u64::MAX,
            true => IN_DOUBT_NS,
        }
    }

    pub(crate) fn is_gone(&self, rank: JobRank) -> bool {
        let member = &self.members[rank.index()];
        self.closed || member.gone || member.failed
    }

    /// Sends a packet of one message now; there is always room.
    #[inline]
    pub(crate) fn transmit(&mut self, to: JobRank, head: &UcxHead<'_>, payload: Src<'_>) {
        let me = self.me.0;
        let room = &mut self.members[to.index()].room;
        let limits = room.limits();
        room.told(limits);
        packet::write_start(&mut self.scratch, me, limits);
        let start = head.write(&mut self.scratch, START);
        if !payload.is_empty() {
            mem::copy(self.scratch.view().part(start, payload.len()), payload);
        }
        self.send_scratch(to, start + payload.len());
    }

    /// Sends `bytes` bytes of the scratch buffer.
    #[inline]
    fn send_scratch(&mut self, to: JobRank, bytes: usize) {
        if self.is_gone(to) {
            return;
        }
        self.says.packets += 1;
        let tag = u64::from(self.flights.next_number());
        // SAFETY: the buffer is on the heap, and is moved to `flights` unless the operation has ended (head of the file).
        let Held(packet) = unsafe { Held::src(self.scratch.view().part(0, bytes).as_src()) };
        // SAFETY: as before.
        match unsafe { self.connected(to).send(&[], packet, tag) } {
            Begun::Done => {}
            Begun::Started => {
                let next = self.spare.pop().unwrap_or_else(|| Aligned::zeroed(PACKET));
                let packet = core::mem::replace(&mut self.scratch, next);
                self.fly(to, UcxFlown::Packet(packet));
            }
            Begun::Failed(error) => self.fails(to, error),
        }
    }

    /// As `send_scratch`, of a batch; its buffer comes back if it is free.
    pub(crate) fn send_batch(&mut self, to: JobRank, mut batch: Aligned, bytes: usize) -> Option<Aligned> {
        if self.is_gone(to) {
            return Some(batch);
        }
        self.says.packets += 1;
        let tag = u64::from(self.flights.next_number());
        let packet = batch.view().part(0, bytes).as_src();
        // SAFETY: the buffer is on the heap, and is moved to `flights` unless the operation has ended (head of the file).
        match unsafe { self.connected(to).send(&[], packet, tag) } {
            Begun::Done => return Some(batch),
            Begun::Started => self.fly(to, UcxFlown::Packet(batch)),
            Begun::Failed(error) => self.fails(to, error),
        }
        None
    }

    /// Keeps an operation that UCX has started with the number `flights.next_number()`.
    pub(crate) fn fly(&mut self, peer: JobRank, what: UcxFlown) {
        if matches!(what, UcxFlown::Packet(_) | UcxFlown::Bulk { .. }) {
            self.flying += 1;
        }
        self.flights.insert(UcxFlight { peer, what });
    }

    pub(crate) fn keep(&mut self, buffer: Aligned) {
        if buffer.len() == PACKET && self.spare.len() < MOST_SPARE {
            self.spare.push(buffer);
        } else {
            self.batches.keep(buffer);
        }
    }

    #[inline]
    pub(crate) fn send_am(&mut self, to: JobRank, msg: &AmMsg<'_>) -> Sent {
        let AmHeader { traffic, handler, envelope, args } = msg.header;
        let (kind, at, src, stays) = match msg.payload {
            Payload::None => (UcxKind::Short, 0, Src::none(), false),
            Payload::Medium(src) => (UcxKind::Medium, 0, src, false),
            Payload::Long(src, at) => (UcxKind::Long, at.0, src, msg.token.is_some()),
            Payload::LongAsync(src, at) => (UcxKind::Long, at.0, src, true),
        };
        if self.is_gone(to) {
            let Some(token) = msg.token else { return Sent::Done };
            self.arrivals.done(token, Completion::Failed);
            return Sent::Later;
        }
        let is_bulk = kind == UcxKind::Long && src.len() > if stays { EAGER } else { LIMITS.copied };
        let is_request = traffic == Traffic::Request;
        if is_request && (self.flying >= MOST_FLYING || is_bulk && !stays && self.is_copying_much(src.len())) {
            return Sent::Retry;
        }
        let head = UcxHead { kind, traffic, handler, len: src.len() as u32, at, envelope, args };
        let inline = if is_bulk { 0 } else { src.len() };
        let cost = cost(head.bytes(), inline, self.least_cost);
        if !self.members[to.index()].credits.take(traffic, cost) {
            return Sent::Retry;
        }
        if is_bulk {
            self.send_bulk(to, &head, src, stays, msg.token);
        } else if !self.join_batch(to, &head, src) {
            self.transmit(to, &head, src);
            self.members[to.index()].busy_since = Some(self.polls);
        }
        match msg.token {
            None => Sent::Done,
            Some(token) => {
                if !is_bulk {
                    self.arrivals.done(token, Completion::Local);
                }
                Sent::Later
            }
        }
    }

    fn is_copying_much(&self, more: usize) -> bool {
        const MOST_COPIED: usize = 1 << 20;
        self.copied > 0 && self.copied + more > MOST_COPIED
    }

    /// Sends a Long whose payload goes from memory to memory, where it is longer than UCX sends at once.
    fn send_bulk(&mut self, to: JobRank, head: &UcxHead<'_>, src: Src<'_>, stays: bool, token: Option<OpToken>) {
        self.says.bulk += 1;
        let mut header = Aligned::zeroed(MOST_HEADER);
        let room = &mut self.members[to.index()].room;
        let limits = room.limits();
        room.told(limits);
        packet::write_start(&mut header, self.me.0, limits);
        let end = head.write(&mut header, START);
        let mut copy = None;
        let mut from = src;
        if !stays {
            let copy = copy.insert(Aligned::zeroed(src.len()));
            mem::copy(copy.view(), src);
            from = copy.view().as_src();
        }
        let tag = u64::from(self.flights.next_number());
        // SAFETY: header and copy are on the heap, and are kept in `flights`; other sources stay (head of the file).
        match unsafe { self.connected(to).send(&header[..end], from, tag) } {
            Begun::Done => {
                if let Some(token) = token {
                    self.arrivals.done(token, Completion::Local);
                }
            }
            Begun::Started => {
                self.copied += copy.as_ref().map_or(0, |copy| copy.len());
                self.fly(to, UcxFlown::Bulk { _header: header, copy, token });
            }
            Begun::Failed(error) => {
                self.fails(to, error);
                if let Some(token) = token {
                    self.arrivals.done(token, Completion::Failed);
                }
            }
        }
    }

    #[inline]
    pub(crate) fn advance(&mut self, own: Own<'_>, leaving: bool) -> bool {
        if self.closed {
            return false;
        }
        self.polls = self.polls.wrapping_add(1);
        self.age_batches(leaving);
        let events = self.port.progress();
        for nth in 0..events.count {
            match self.port.event(&events, nth) {
                UcxEvent::Ended { tag, error } => self.ended(own, tag, error, leaving),
                UcxEvent::Message { header: [], bytes, loan } => self.take_packet(own, bytes, loan, leaving),
                UcxEvent::Message { header, bytes, loan } => {
                    self.take_long(own, header, bytes, leaving);
                    if let Some(loan) = loan {
                        self.port.release(loan);
                    }
                }
                UcxEvent::Bulk { header, len, loan } => self.take_bulk(own, header, len, loan, leaving),
                UcxEvent::Failed { peer, error } => self.fails(JobRank(peer as u32), error),
            }
        }
        if !self.failures.is_empty() && !leaving {
            self.check_failures();
        }
        if events.count > 0 {
            (self.naps, self.idle_looks) = (0, 0);
        } else if leaving {
            self.idle_looks += 1;
        }
        events.count > 0
    }

    /// An operation has ended.
    fn ended(&mut self, own: Own<'_>, tag: u64, error: Option<UcxError>, leaving: bool) {
        let Some(UcxFlight { peer, what }) = self.flights.remove(tag as u32) else { return };
        if let Some(error) = error {
            self.fails(peer, error);
        }
        let end = if error.is_some() { Completion::Failed } else { Completion::Local };
        match what {
            UcxFlown::Packet(buffer) => {
                self.flying -= 1;
                self.keep(buffer);
            }
            UcxFlown::Bulk { copy, token, .. } => {
                self.flying -= 1;
                self.copied -= copy.map_or(0, |copy| copy.len());
                if let Some(token) = token {
                    self.arrivals.done(token, end);
                }
            }
            UcxFlown::Long(arrival) if error.is_none() => self.arrivals.push(*arrival),
            UcxFlown::Received(packet) if error.is_none() => self.take_received(own, packet, leaving),
            UcxFlown::Long(_) | UcxFlown::Received(_) => {}
            what => self.transfer_ended(peer, what, error.is_some()),
        }
    }
}
