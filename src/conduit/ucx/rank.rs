//! Messages that are sent, and progress.
//!
//! # Safety
//! Buffers that UCX uses after a call has returned belong to this state until UCX says that the operation has ended: they are in
//! `flights`, on the heap, and do not move. Memory of the client stays as the caller of `am`, `put`, `get` or `atomic` promises. Received
//! bytes that UCX lends stay until `end_loan`.
#![allow(unsafe_code)]

use super::packet::{self, LIMITS, MOST_HEADER, PACKET, START, UcxHead, UcxKind};
use super::state::{UcxFlight, UcxFlown, UcxRank};
use crate::conduit::shared::Naps;
use crate::conduit::shared::arrivals::{Arrivals, LentBuffer, Queued};
use crate::conduit::shared::batches::{Batched, Batches, PeerBatch};
use crate::conduit::shared::credits::cost;
use crate::conduit::shared::held::{Aligned, Held, Own};
use crate::conduit::shared::inside::InLibrary;
use crate::conduit::shared::plain::{plain_room, write_plain};
use crate::conduit::{AmHeader, AmMsg, Completion, OpToken, Payload, Sent, Traffic};
use crate::defs::rank::JobRank;
use crate::fatal::fatal;
use crate::mem::{self, Dst, Src};
use crate::shims::ucx::{Begun, UcxError, UcxEvent, UcxEvents, UcxTaker};

/// Payloads of Longs of at most this length follow the head of their message.
const EAGER: usize = 8 << 10;
/// Packets in flight at which no further request is sent; replies and answers may always be sent.
pub(super) const MOST_FLYING: usize = 256;
/// Buffers that are kept for the next packets.
const MOST_SPARE: usize = 64;

impl Queued for UcxRank {
    #[inline]
    fn arrivals(&mut self) -> &mut Arrivals {
        &mut self.arrivals
    }

    #[inline]
    fn handled(&mut self, from: JobRank, traffic: Traffic, cost: u32) {
        if self.members[from.index()].room.handled(traffic, cost) {
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

impl UcxTaker for UcxRank {
    #[inline]
    fn take(&mut self, message: &[u8]) -> bool {
        let is_taken = self.take_plain(message);
        self.has_taken |= is_taken;
        is_taken
    }
}

impl Batched for UcxRank {
    type Buffer = Aligned;
    const START: usize = START;
    const THREAD: &'static str = "gasnet-ucx";

    #[inline]
    fn batches(&mut self) -> &mut Batches {
        &mut self.batches
    }

    #[inline]
    fn batch_for(&mut self, to: JobRank) -> &mut PeerBatch<Aligned> {
        &mut self.members[to.index()].batch
    }

    fn free_buffer(&mut self) -> Aligned {
        self.spare.pop().unwrap_or_else(|| Aligned::zeroed(PACKET))
    }

    fn view(buffer: &mut Aligned) -> Dst<'_> {
        buffer.view()
    }

    fn bytes(buffer: &mut Aligned) -> &mut [u8] {
        buffer
    }

    fn send_batch(&mut self, to: JobRank, mut buffer: Aligned, end: usize) {
        if self.is_gone(to) {
            return self.keep(buffer);
        }
        packet::write_start(&mut buffer, self.me, self.members[to.index()].room.tell());
        self.says.packets += 1;
        let tag = u64::from(self.flights.next_number());
        let packet = buffer.view().part(0, end).as_src();
        // SAFETY: the buffer is on the heap, and is moved to `flights` unless the operation has ended (head of the file).
        match unsafe { self.connected(to).send(&[], packet, tag) } {
            Begun::Done => self.keep(buffer),
            Begun::Started => self.fly(to, UcxFlown::Packet(buffer)),
            Begun::Failed(error) => self.fails(to, error),
        }
    }
}

impl UcxRank {
    /// Sends what waits; returns the time after which a thread that sleeps has to poll.
    pub(crate) fn nap_ns(&mut self) -> u64 {
        const IN_DOUBT_NS: u64 = 100_000_000;
        if self.closed {
            return u64::MAX;
        }
        self.send_batches();
        if !self.arrivals.is_empty() {
            return 0;
        }
        if self.port.descriptor() < 0 {
            return self.naps.next_ns(true);
        }
        match self.port.arm() {
            false => 0,
            true if self.failures.is_empty() => self.device.as_ref().map_or(u64::MAX, |device| device.nap_ns(u64::MAX)),
            true => IN_DOUBT_NS,
        }
    }

    pub(crate) fn is_gone(&self, rank: JobRank) -> bool {
        let member = &self.members[rank.index()];
        self.closed || member.gone || member.failed
    }

    /// Sends a packet of one message now; there is always room.
    pub(crate) fn transmit(&mut self, to: JobRank, head: &UcxHead<'_>, payload: Src<'_>) {
        if !self.is_gone(to) {
            self.send_one(to, head, payload);
        }
    }

    /// As `transmit`, to a rank that is not gone.
    #[inline]
    fn send_one(&mut self, to: JobRank, head: &UcxHead<'_>, payload: Src<'_>) {
        packet::write_start(&mut self.scratch, self.me, self.members[to.index()].room.tell());
        let start = START + head.write(&mut self.scratch[START..]);
        if !payload.is_empty() {
            mem::copy(self.scratch.view().part(start, payload.len()), payload);
        }
        self.send_scratch(to, start + payload.len());
    }

    /// Sends `bytes` bytes of the scratch buffer to a rank that is not gone.
    #[inline]
    fn send_scratch(&mut self, to: JobRank, bytes: usize) {
        self.says.packets += 1;
        let tag = u64::from(self.flights.next_number());
        // SAFETY: the buffer is on the heap, and is moved to `flights` unless the operation has ended (head of the file).
        let Held(packet) = unsafe { Held::src(self.scratch.view().part(0, bytes).as_src()) };
        // SAFETY: as before.
        match unsafe { self.connected(to).send(&[], packet, tag) } {
            Begun::Done => {}
            Begun::Started => {
                let next = self.free_buffer();
                let packet = core::mem::replace(&mut self.scratch, next);
                self.fly(to, UcxFlown::Packet(packet));
            }
            Begun::Failed(error) => self.fails(to, error),
        }
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
        }
    }

    #[inline]
    pub(crate) fn send_am(&mut self, to: JobRank, msg: &AmMsg<'_>) -> Sent {
        if matches!(msg.payload, Payload::None)
            && msg.token.is_none()
            && msg.header.envelope.is_plain()
            && !self.batches.are_on()
        {
            return self.send_plain(to, &msg.header);
        }
        self.send_any(to, msg)
    }

    /// Sends a Short whose envelope is plain, in a packet of its own.
    #[inline]
    fn send_plain(&mut self, to: JobRank, header: &AmHeader<'_>) -> Sent {
        if self.is_gone(to) {
            return Sent::Done;
        }
        if header.traffic == Traffic::Request && self.flying >= MOST_FLYING {
            return Sent::Retry;
        }
        let cost = cost(plain_room(header.args.len()), 0, self.least_cost);
        let member = &mut self.members[to.index()];
        if !member.credits.take(header.traffic, cost) {
            return Sent::Retry;
        }
        packet::write_start(&mut self.scratch, self.me, member.room.tell());
        let bytes = START + write_plain::<UcxKind>(&mut self.scratch[START..], header);
        self.send_scratch(to, bytes);
        Sent::Done
    }

    fn send_any(&mut self, to: JobRank, msg: &AmMsg<'_>) -> Sent {
        let (mut head, src, stays) = UcxHead::of_message(msg);
        head.number = src.len() as u32;
        if self.is_gone(to) {
            return msg.token.map_or(Sent::Done, |token| self.arrivals.fails(token));
        }
        let is_bulk = head.kind == UcxKind::Long && src.len() > if stays { EAGER } else { LIMITS.copied };
        let is_request = head.traffic == Traffic::Request;
        if is_request && (self.flying >= MOST_FLYING || is_bulk && !stays && self.is_copying_much(src.len())) {
            return Sent::Retry;
        }
        let inline = if is_bulk { 0 } else { src.len() };
        let cost = cost(head.bytes(), inline, self.least_cost);
        if !self.members[to.index()].credits.take(head.traffic, cost) {
            return Sent::Retry;
        }
        if is_bulk {
            self.send_bulk(to, &head, src, stays, msg.token);
            return if msg.token.is_some() { Sent::Later } else { Sent::Done };
        }
        if !self.join_batch(to, &head, src) {
            self.send_one(to, &head, src);
            self.sent_alone(to);
        }
        self.arrivals.sent(msg.token)
    }

    fn is_copying_much(&self, more: usize) -> bool {
        const MOST_COPIED: usize = 1 << 20;
        self.copied > 0 && self.copied + more > MOST_COPIED
    }

    /// Sends a Long whose payload goes from memory to memory, where it is longer than UCX sends at once.
    fn send_bulk(&mut self, to: JobRank, head: &UcxHead<'_>, src: Src<'_>, stays: bool, token: Option<OpToken>) {
        self.says.bulk += 1;
        let mut header = Aligned::zeroed(MOST_HEADER);
        packet::write_start(&mut header, self.me, self.members[to.index()].room.tell());
        let end = START + head.write(&mut header[START..]);
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

    // Apart from the work on events: most polls find none, and should be short.
    #[inline]
    pub(crate) fn advance(&mut self, own: Own<'_>, leaving: bool) -> bool {
        if self.closed {
            return false;
        }
        self.age_batches(leaving);
        let port = self.port;
        self.has_taken = false;
        let events = port.progress_for(self);
        let stirred = events.count > 0 || self.has_taken;
        if events.count > 0 {
            self.take_events(own, &events, leaving);
        }
        if stirred {
            (self.naps, self.idle_looks) = (Naps::default(), 0);
        } else if leaving || self.device.is_some() {
            self.found_nothing(leaving);
        }
        if !self.failures.is_empty() && !leaving {
            self.check_failures();
        }
        stirred
    }

    #[inline(never)]
    fn take_events(&mut self, own: Own<'_>, events: &UcxEvents, leaving: bool) {
        for nth in 0..events.count {
            match self.port.event(events, nth) {
                UcxEvent::Message { header: [], bytes, loan } => self.take_packet(own, bytes, loan, leaving),
                UcxEvent::Ended { tag, error: None } if self.one_is_complete(tag) => {}
                UcxEvent::Ended { tag, error } => self.ended(own, tag, error, leaving),
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
    }

    /// A poll without events, of a rank that leaves or watches its network device.
    #[inline(never)]
    fn found_nothing(&mut self, leaving: bool) {
        self.idle_looks += u32::from(leaving);
        if let Some(device) = &mut self.device {
            if device.is_lost() {
                let name = &device.name;
                fatal!("conduit ucx: the network device {name} is down or gone (UCX_NET_DEVICES names others)");
            }
        }
    }

    /// A put whose source was free, or a get, is complete. False: the operation with this tag is another one.
    #[inline]
    fn one_is_complete(&mut self, tag: u64) -> bool {
        let (peer, token, is_flush) = match self.flights.get(tag as u32) {
            Some(UcxFlight { peer, what: UcxFlown::FlushOne(Some(token)) }) => (*peer, *token, true),
            Some(UcxFlight { peer, what: UcxFlown::Get(Some(token)) }) => (*peer, *token, false),
            _ => return false,
        };
        self.flights.clear(tag as u32);
        self.in_flight -= 1;
        self.arrivals.done(token, Completion::Remote);
        if is_flush {
            self.flush_ended(peer);
        }
        true
    }

    /// An operation has ended.
    #[inline(never)]
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
            UcxFlown::Long(arrival) if error.is_none() => self.arrivals.queue(arrival),
            UcxFlown::Received(packet, len) if error.is_none() => self.take_received(own, packet, len, leaving),
            UcxFlown::Long(_) | UcxFlown::Received(..) => {}
            what => self.transfer_ended(peer, what, error.is_some()),
        }
    }
}
