//! The state of a rank's end of conduit mpi: posted receives, messages that are being sent, and credits.
//!
//! # Safety
//! Buffers that MPI uses after a call has returned belong to this state until MPI says that it is done with them: a receive's
//! buffer stays in `buffers`, that of a message in `flying`; they are on the heap, and do not move.
#![allow(unsafe_code)]

use std::collections::VecDeque;

use super::groups::MpiGroups;
use super::packet::{MpiHead, MpiKind};
use super::windows::Windows;
use crate::conduit::shared::Naps;
use crate::conduit::shared::arrivals::{Arrival, Arrivals, LentBuffer, Queued};
use crate::conduit::shared::combining::Combining;
use crate::conduit::shared::credits::{Credits, Room, cost, window_for};
use crate::conduit::shared::held::{Aligned, Held, Own};
use crate::conduit::shared::inside::InLibrary;
use crate::conduit::shared::packet::{LIMITS, PACKET};
use crate::conduit::shared::slab::Slab;
use crate::conduit::{AmMsg, Completion, OpToken, Sent, Traffic};
use crate::defs::rank::JobRank;
use crate::env;
use crate::mem::{Dst, Src};
use crate::shims::mpi::{self, CombinedWords, MOST_RECEIVES, MpiRequest, Port};

/// Receives that are kept posted. Messages beyond them wait in MPI.
const RECEIVES: usize = 64;
/// Receives without a message that are not posted yet, at most.
const MOST_UNPOSTED: usize = 16;
/// Polls in a row that found a message, after which a poll receives several.
const STREAK: u32 = 4;
/// Of polls that find nothing in the first posted receive, every sixteenth looks at the second one: messages go to receives in the
/// order of posting, but a long one may arrive after shorter ones behind it.
const SECOND_LOOKS: u32 = 16;
/// Requests in flight at which no further one is sent; replies and answers may always be sent.
const MOST_FLYING: usize = 256;
/// Flights that one poll tests, at most.
const TESTS: usize = 2;
/// Payloads of at most this length follow the head of their message.
pub(crate) const EAGER: usize = 16 << 10;
/// Puts and gets that this rank may have in flight.
pub(crate) const TRANSFERS: usize = 4096;
/// Bytes of copies of bulk data in flight, beyond the first copy.
const MOST_COPIED: usize = 1 << 20;

pub(crate) struct MpiPeer {
    pub credits: Credits,
    pub room: Room,
    /// Small messages to it that MPI has not sent.
    pub flying: u32,
    pub gone: bool,
}

// ARCHITECTURE.md, section 7, has this number.
const _: () = assert!(size_of::<MpiPeer>() == 56);

/// Something that MPI has not completed.
pub(crate) struct MpiFlight {
    pub request: MpiRequest,
    pub to: JobRank,
    pub what: MpiFlown,
}

/// The meaning of its completion.
pub(crate) enum MpiFlown {
    /// A message of a small buffer, and of a large one: the buffer is free.
    Small(Aligned),
    Large(Aligned),
    /// A copy of bulk data has left.
    Copy(Aligned),
    /// Bulk data has left; the token is that of a put or Long, if it is to be told.
    Sent(Option<OpToken>),
    /// The bytes of a put are here; its initiator's number.
    Put(u32),
    /// The bytes of a get are here; this rank's number.
    Get(u32),
    /// The payload of a Long is here.
    Long(Box<Arrival>),
}

/// A put or get of this rank that is not complete.
pub(crate) struct MpiTransfer {
    pub peer: JobRank,
    pub token: OpToken,
    /// The destination of a get.
    pub dst: Option<Held<Dst<'static>>>,
}

/// Messages that are collected for a rank to which earlier ones are in flight.
pub(crate) struct Collected {
    pub to: JobRank,
    pub packet: Aligned,
    pub bytes: usize,
}

/// How far the end of this rank's communication has come.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Parting {
    Not,
    /// Until all ranks are here, and nothing of this rank is in flight.
    AllCome,
    /// Until that is so on all ranks.
    AllDrained,
}

pub(crate) struct MpiRank {
    pub port: Port,
    pub peers: Vec<MpiPeer>,
    /// Of receives, by slot; None while it is lent.
    pub buffers: Vec<Option<Aligned>>,
    /// Slots in the order of posting.
    pub posted: VecDeque<u8>,
    /// Free slots, which are posted when nothing else is to be done, or too few are posted.
    unposted: Vec<u8>,
    /// Free buffers of messages.
    pub small: Vec<Aligned>,
    pub large: Vec<Aligned>,
    pub collected: Option<Collected>,
    /// Polls in a row that found a message.
    streak: u32,
    /// The last message that was sent, until MPI is asked whether it has left.
    pub last: Option<MpiFlight>,
    pub flying: Vec<MpiFlight>,
    next_test: usize,
    pub arrivals: Arrivals,
    pub pending: Slab<MpiTransfer>,
    pub in_flight: usize,
    /// Where gets are MPI's.
    pub windows: Option<Windows>,
    pub groups: MpiGroups,
    pub combining: Combining,
    /// The next tag of bulk data; puts have even ones, gets odd ones.
    pub next_tag: u32,
    pub largest_tag: u32,
    pub bulk_transfers: u64,
    /// Bytes of copies of bulk data in flight.
    pub copied: usize,
    pub least_cost: u32,
    /// Messages that one poll receives, at most.
    messages: u32,
    in_vain: u32,
    naps: Naps,
    pub parting: Parting,
    /// The barrier of its present stage.
    pub meeting: Option<MpiRequest>,
    pub standing: Box<CombinedWords>,
    pub closed: bool,
    /// Bulk data that nobody needs any more, because this rank leaves.
    pub unwanted: Vec<Aligned>,
}

impl Queued for MpiRank {
    #[inline]
    fn arrivals(&mut self) -> &mut Arrivals {
        &mut self.arrivals
    }

    #[inline]
    fn handled(&mut self, from: JobRank, traffic: Traffic, cost: u32) {
        if self.peers[from.index()].room.handled(traffic, cost) {
            let _inside = InLibrary::enter();
            self.answer(from, &mut MpiHead::of(MpiKind::Credit, 0), Src::none());
        }
    }

    #[inline]
    fn give_back(&mut self, lent: LentBuffer) {
        let slot = lent.number as usize;
        self.buffers[slot] = Some(lent.buffer);
        self.unposted.push(slot as u8);
    }
}

impl MpiRank {
    pub(crate) fn new(port: Port, me: u32, size: u32) -> MpiRank {
        let (window, least_cost) = window_for(size as usize, PACKET);
        // Here because Rust 1.85 calls a constant unused that only `const _` uses.
        const { assert!(RECEIVES <= MOST_RECEIVES && RECEIVES <= u8::MAX as usize) };
        let largest_tag = u32::try_from(port.largest_tag()).unwrap_or(32767);
        let peer = || MpiPeer { credits: Credits::new(window), room: Room::new(window), flying: 0, gone: false };
        let mut inner = MpiRank {
            port,
            peers: (0..size).map(|_| peer()).collect(),
            buffers: (0..RECEIVES).map(|_| Some(Aligned::zeroed(PACKET))).collect(),
            posted: VecDeque::with_capacity(RECEIVES),
            unposted: Vec::with_capacity(RECEIVES),
            small: Vec::new(),
            large: Vec::new(),
            collected: None,
            streak: 0,
            last: None,
            flying: Vec::new(),
            next_test: 0,
            arrivals: Arrivals::default(),
            pending: Slab::default(),
            in_flight: 0,
            windows: None,
            groups: MpiGroups::default(),
            combining: Combining::new(me, size),
            next_tag: 0,
            largest_tag,
            bulk_transfers: 0,
            copied: 0,
            least_cost,
            messages: env::int("GASNET_AMPOLL_MAX") as u32,
            in_vain: 0,
            naps: Naps::default(),
            parting: Parting::Not,
            meeting: None,
            standing: Box::default(),
            closed: false,
            unwanted: Vec::new(),
        };
        for (slot, buffer) in inner.buffers.iter_mut().flatten().enumerate() {
            // SAFETY: the buffer is on the heap, and is not used from `post` until `arrived` (head of the file).
            unsafe { inner.port.receive(slot, buffer.view()) };
        }
        (0..RECEIVES).for_each(|slot| inner.post(slot as u8));
        inner
    }

    pub(crate) fn is_pair(&self) -> bool {
        self.port.is_pair
    }

    #[inline]
    fn post(&mut self, slot: u8) {
        self.port.post(slot.into());
        self.posted.push_back(slot);
    }

    /// Posts the receives whose messages were handled.
    fn post_again(&mut self) {
        while let Some(slot) = self.unposted.pop() {
            self.post(slot);
        }
    }

    /// Sends a message of the class of its head, if there is room.
    pub(crate) fn send_if(&mut self, to: JobRank, head: &mut MpiHead<'_>, payload: Src<'_>) -> bool {
        let cost = cost(head.bytes(), payload.len(), self.least_cost);
        let is_crowded = head.traffic == Traffic::Request && self.flying.len() >= MOST_FLYING;
        let fits = !is_crowded && self.peers[to.index()].credits.take(head.traffic, cost);
        if fits {
            self.transmit(to, head, payload);
        }
        fits
    }

    pub(crate) fn is_gone(&self, rank: JobRank) -> bool {
        self.closed || self.peers[rank.index()].gone
    }

    #[inline]
    pub(crate) fn send_am(&mut self, to: JobRank, msg: &AmMsg<'_>) -> Sent {
        let (mut head, src, stays) = MpiHead::of_message(msg);
        if self.is_gone(to) {
            return msg.token.map_or(Sent::Done, |token| self.arrivals.fails(token));
        }
        let mut inline = src;
        let is_bulk = src.len() > if stays { EAGER } else { LIMITS.copied };
        let is_request = head.traffic == Traffic::Request;
        if is_bulk && !stays && is_request && self.copied > 0 && self.copied + src.len() > MOST_COPIED {
            return Sent::Retry;
        }
        if is_bulk {
            (head.kind, inline) = (MpiKind::LongBulk, Src::none());
            head.there.number = self.tag_of_put();
        }
        if !self.send_if(to, &mut head, inline) {
            return Sent::Retry;
        }
        match msg.token {
            Some(token) if !is_bulk => self.arrivals.done(token, Completion::Local),
            token if is_bulk && stays => self.bulk_out(to, head.there.number, src, token),
            _ if is_bulk => self.bulk_copy_out(to, head.there.number, src),
            _ => {}
        }
        if msg.token.is_some() { Sent::Later } else { Sent::Done }
    }

    #[inline]
    pub(crate) fn advance(&mut self, own: Own<'_>, leaving: bool) -> bool {
        if self.closed || mpi::is_finalized() {
            return false;
        }
        self.ask_of_last();
        let mut stirred = !self.flying.is_empty() && self.test_flights();
        self.groups.advance(&self.port, &mut self.arrivals);
        // A lone message is handled before the next one is looked for.
        let most = if self.streak < STREAK { 1 } else { self.messages };
        let mut received = 0;
        while received < most && self.receive(0, own, leaving) {
            received += 1;
        }
        self.streak = if received > 0 { self.streak.saturating_add(1) } else { 0 };
        if received == 0 || self.unposted.len() >= MOST_UNPOSTED {
            self.post_again();
        }
        stirred |= received > 0;
        stirred
    }

    /// Whether any has ended.
    fn test_flights(&mut self) -> bool {
        let mut ended = false;
        for _ in 0..TESTS.min(self.flying.len()) {
            if self.next_test >= self.flying.len() {
                self.next_test = 0;
            }
            let Some(flight) = self.flying.get_mut(self.next_test) else { break };
            if self.port.is_done(&mut flight.request) {
                let MpiFlight { to, what, .. } = self.flying.swap_remove(self.next_test);
                self.landed(to, what);
                ended = true;
            } else {
                self.next_test += 1;
            }
        }
        ended
    }

    pub(crate) fn landed(&mut self, peer: JobRank, what: MpiFlown) {
        self.naps = Naps::default();
        match what {
            MpiFlown::Small(packet) => self.small_has_left(peer, packet),
            MpiFlown::Large(packet) => self.large.push(packet),
            MpiFlown::Copy(copy) => self.copied -= copy.len(),
            MpiFlown::Sent(Some(token)) => self.arrivals.done(token, Completion::Local),
            MpiFlown::Sent(None) => {}
            MpiFlown::Put(number) => self.answer(peer, &mut MpiHead::of(MpiKind::Done, number), Src::none()),
            MpiFlown::Get(number) => self.complete(peer, number, None),
            MpiFlown::Long(arrival) => self.arrivals.queue(arrival),
        }
    }

    /// Receives the message of the posted receive `nth`, in the order of posting; false if it has none.
    #[inline]
    fn receive(&mut self, nth: usize, own: Own<'_>, leaving: bool) -> bool {
        let Some(&slot) = self.posted.get(nth) else { return false };
        let slot = usize::from(slot);
        let Some(arrived) = self.port.arrived(slot) else {
            if nth == 0 {
                self.look_further(own, leaving);
            }
            return false;
        };
        if nth == 0 {
            self.posted.pop_front();
        } else {
            self.posted.remove(nth);
        }
        (self.in_vain, self.naps) = (0, Naps::default());
        if self.take_short(slot, &arrived) {
            self.unposted.push(slot as u8);
            return true;
        }
        self.buffers[slot] = self.take(own, slot, &arrived, leaving);
        if self.buffers[slot].is_some() {
            self.unposted.push(slot as u8);
        }
        true
    }

    /// Now and then: whether messages have overtaken the one in the first posted receive.
    fn look_further(&mut self, own: Own<'_>, leaving: bool) {
        self.in_vain += 1;
        if self.in_vain % SECOND_LOOKS == 0 && self.receive(1, own, leaving) {
            let mut nth = 1;
            while nth < self.posted.len() && nth < RECEIVES / 2 {
                if !self.receive(nth, own, leaving) {
                    nth += 1;
                }
            }
        }
    }

    /// The time after which a thread that sleeps has to poll: no descriptor wakes it. It grows while nothing arrives.
    pub(crate) fn nap_ns(&mut self) -> u64 {
        if !self.arrivals.is_empty() {
            return 0;
        }
        self.naps.next_ns(self.nothing_flies())
    }

    pub(crate) fn lose(&mut self, rank: JobRank) {
        self.peers[rank.index()].gone = true;
        self.collected.take_if(|all| all.to == rank);
        for number in self.pending.numbers_of(|pending| pending.peer == rank) {
            if let Some(pending) = self.pending.remove(number) {
                self.in_flight -= 1;
                self.arrivals.done(pending.token, Completion::Failed);
            }
        }
    }

    pub(crate) fn settled(&mut self) -> bool {
        self.closed || mpi::is_finalized() || self.pending.is_empty() && self.nothing_flies()
    }
}
