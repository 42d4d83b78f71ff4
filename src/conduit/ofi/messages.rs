//! Sending: messages in buffers or injected, and Longs whose payload goes before their message.
//!
//! # Safety
//! The buffer of a message belongs to its flight until the completion, on the heap, where it does not move. The source of a Long with a token
//! stays until then.
#![allow(unsafe_code)]

use core::ffi::c_int;
use std::time::Instant;

use super::buffers::OfiBuffer;
use super::flights::{EndedFlight, LongData, OfiFlown};
use super::packet::{OfiHead, OfiKind};
use super::parts::{MessageBytes, PartsEnd};
use super::rank::OfiRank;
use crate::bootstrap::here;
use crate::conduit::shared::batches::{Batched, Batches, PeerBatch};
use crate::conduit::shared::credits::cost;
use crate::conduit::shared::held::{Aligned, Held};
use crate::conduit::shared::packet::LIMITS;
use crate::conduit::{AmMsg, Completion, MAX_ARGS, Sent, Traffic};
use crate::defs::rank::{JobRank, Location};
use crate::fatal::fatal;
use crate::mem::{self, Dst, RemoteAddr, Src};
use crate::shims::ofi::{AGAIN, OfiThere};

/// Bytes of copies of Longs in flight, beyond the first copy.
const MOST_COPIED: usize = 4 << 20;

impl Batched for OfiRank {
    type Buffer = OfiBuffer;
    const START: usize = 16;
    const THREAD: &'static str = "gasnet-ofi";

    #[inline]
    fn batches(&mut self) -> &mut Batches {
        &mut self.batches
    }

    #[inline]
    fn batch_for(&mut self, to: JobRank) -> &mut PeerBatch<OfiBuffer> {
        &mut self.peers[to.index()].batch
    }

    fn free_buffer(&mut self) -> OfiBuffer {
        self.spare.take(&mut self.port)
    }

    fn view(buffer: &mut OfiBuffer) -> Dst<'_> {
        buffer.view()
    }

    fn bytes(buffer: &mut OfiBuffer) -> &mut [u8] {
        buffer.bytes()
    }

    fn send_batch(&mut self, to: JobRank, mut buffer: OfiBuffer, end: usize) {
        if self.is_gone(to) {
            return self.spare.put(buffer);
        }
        let mut head = OfiHead::of(OfiKind::Batch, self.me.0);
        head.limits = self.peers[to.index()].room.tell();
        let start = head.write(buffer.bytes());
        debug_assert_eq!(start, Self::START);
        self.packets += 1;
        if let Some(buffer) = self.send_buffer(to, buffer, end) {
            self.backlog.push_back((to, buffer, end));
        }
    }
}

impl OfiRank {
    /// Sends a message. False: the provider has no room, and nothing was sent, unless it `must` be: then it is sent later.
    #[inline]
    pub(crate) fn transmit(&mut self, to: JobRank, head: &mut OfiHead<'_>, payload: Src<'_>, must: bool) -> bool {
        self.send_message(to, head, payload, must, self.port.offer.inject)
    }

    /// As `transmit`; messages of up to `most_injected` bytes are injected, others have a completion.
    #[inline]
    fn send_message(
        &mut self,
        to: JobRank,
        head: &mut OfiHead<'_>,
        payload: Src<'_>,
        must: bool,
        most_injected: usize,
    ) -> bool {
        let verifies = self.port.verifies();
        let peer = &mut self.peers[to.index()];
        if peer.gone || self.closed {
            return true;
        }
        head.number = self.me.0;
        head.limits = peer.room.limits();
        if verifies {
            head.sequence = Some(peer.sent + 1);
        }
        let len = head.bytes() + payload.len();
        let sent = if len <= most_injected {
            let start = head.write(&mut self.scratch);
            mem::copy(self.scratch.view().part(start, payload.len()), payload);
            let bytes = self.scratch.view().part(0, len).as_src();
            match self.port.inject(peer.address, bytes) {
                0 => {
                    self.injected += 1;
                    peer.injected = true;
                    true
                }
                AGAIN if !must => false,
                AGAIN => {
                    let mut buffer = self.spare.take(&mut self.port);
                    mem::copy(buffer.view().part(0, len), bytes);
                    self.backlog.push_back((to, buffer, len));
                    true
                }
                code => {
                    self.lose_message(to, code);
                    true
                }
            }
        } else {
            let mut buffer = self.spare.take(&mut self.port);
            let start = head.write(buffer.bytes());
            mem::copy(buffer.view().part(start, payload.len()), payload);
            match self.send_buffer(to, buffer, len) {
                None => true,
                Some(buffer) if must => {
                    self.backlog.push_back((to, buffer, len));
                    true
                }
                Some(buffer) => {
                    self.spare.put(buffer);
                    false
                }
            }
        };
        if sent {
            self.messages += 1;
            let peer = &mut self.peers[to.index()];
            peer.room.told(head.limits);
            peer.sent += 1;
        }
        sent
    }

    /// Sends the message in a buffer. The buffer comes back if the provider has no room.
    fn send_buffer(&mut self, to: JobRank, mut buffer: OfiBuffer, len: usize) -> Option<OfiBuffer> {
        let (bytes, descriptor) = (buffer.view().part(0, len).as_src().as_ptr(), buffer.descriptor());
        // SAFETY: the bytes are those of the buffer, which is kept in its flight from here on (head of the file).
        let bytes = unsafe { Src::new(bytes.cast(), len) };
        let (number, context) = self.flights.begin(to, OfiFlown::Packet(buffer));
        // SAFETY: the buffer and the context are in `flights` until the completion.
        let code = unsafe { self.port.send(self.peers[to.index()].address, bytes, descriptor, context) };
        if code == 0 {
            return None;
        }
        let Some(EndedFlight { what: OfiFlown::Packet(buffer), .. }) = self.flights.end(number) else { return None };
        if code == AGAIN {
            return Some(buffer);
        }
        self.spare.put(buffer);
        self.lose_message(to, code);
        None
    }

    /// A reply or an answer, for which the receiver always has room.
    pub(crate) fn answer(&mut self, to: JobRank, head: &mut OfiHead<'_>, payload: Src<'_>) {
        head.traffic = Traffic::Reply;
        let must_wait = !self.backlog.is_empty();
        if must_wait {
            self.drain_backlog();
        }
        self.transmit(to, head, payload, true);
    }

    /// Sends a message of the class of its head, if there is room.
    pub(crate) fn send_if(&mut self, to: JobRank, head: &mut OfiHead<'_>, payload: Src<'_>) -> bool {
        if head.traffic == Traffic::Request && self.is_crowded() {
            return false;
        }
        head.sequence = self.port.verifies().then_some(0);
        let cost = cost(head.bytes(), payload.len(), self.least_cost);
        if !self.peers[to.index()].credits.take(head.traffic, cost) {
            return false;
        }
        if self.join(to, head, payload) {
            return true;
        }
        let sent = self.transmit(to, head, payload, false);
        if sent {
            self.sent_alone(to);
        } else {
            self.peers[to.index()].credits.give_back(head.traffic, cost);
        }
        sent
    }

    /// Adds a message to the batch for its rank; false: it is to be sent alone.
    #[inline]
    fn join(&mut self, to: JobRank, head: &mut OfiHead<'_>, payload: Src<'_>) -> bool {
        if !self.batches.are_on() {
            return false;
        }
        let peer = &self.peers[to.index()];
        head.number = payload.len() as u32;
        head.limits = peer.room.limits();
        head.sequence = self.port.verifies().then_some(peer.sent + 1);
        let joined = self.join_batch(to, head, payload);
        if joined {
            self.messages += 1;
            let peer = &mut self.peers[to.index()];
            peer.room.told(head.limits);
            peer.sent += 1;
        }
        joined
    }

    /// Sends a message with a completion behind injected ones, which have none: the provider may keep those until a connection has room, and
    /// they would be lost with this process. Messages to one peer leave in order. False: there is no room yet.
    pub(crate) fn flush(&mut self) -> bool {
        for rank in 0..self.peers.len() as u32 {
            let to = JobRank(rank);
            if !self.peers[to.index()].injected || self.is_gone(to) {
                continue;
            }
            let mut head = OfiHead::of(OfiKind::Credit, self.me.0);
            head.traffic = Traffic::Reply;
            if !self.send_message(to, &mut head, Src::none(), false, 0) {
                return false;
            }
            self.peers[to.index()].injected = false;
        }
        true
    }

    pub(crate) fn drain_backlog(&mut self) {
        while let Some((to, buffer, len)) = self.backlog.pop_front() {
            if self.is_gone(to) {
                self.spare.put(buffer);
            } else if let Some(buffer) = self.send_buffer(to, buffer, len) {
                if here::has_left(to) {
                    self.spare.put(buffer);
                    self.lose(to);
                    continue;
                }
                self.backlog.push_front((to, buffer, len));
                return;
            }
        }
    }

    /// The provider has refused a message, or reported that it was lost.
    pub(crate) fn lose_message(&mut self, to: JobRank, code: c_int) {
        // Those that say nothing of the peer.
        const REFUSED: [c_int; 3] = [libc::EOPNOTSUPP, libc::ENOSYS, libc::EMSGSIZE];
        if self.is_gone(to) || self.lost.is_some() {
            return;
        }
        if REFUSED.contains(&code.abs()) {
            let (why, provider) = (self.port.error_text(code), &self.port.offer.provider);
            fatal!(
                "conduit ofi: {provider} refuses an operation on rank {} that it offers: {why} (GASNET_OFI_PROVIDER names another provider)",
                to.0
            );
        }
        self.lost = Some((Instant::now(), Some(to), self.port.error_text(code)));
    }

    #[inline]
    pub(crate) fn send_am(&mut self, to: Location, msg: &AmMsg<'_>) -> Sent {
        let (mut head, src, stays) = OfiHead::of_message(msg);
        if self.is_gone(to.rank) {
            return msg.token.map_or(Sent::Done, |token| self.arrivals.fails(token));
        }
        if src.len() > LIMITS.copied {
            return self.send_long(to, &mut head, src, stays, msg);
        }
        if !self.send_if(to.rank, &mut head, src) {
            return Sent::Retry;
        }
        self.arrivals.sent(msg.token)
    }

    /// Sends a Long whose payload goes before it, to its place.
    fn send_long(&mut self, to: Location, head: &mut OfiHead<'_>, src: Src<'_>, stays: bool, msg: &AmMsg<'_>) -> Sent {
        let is_request = head.traffic == Traffic::Request;
        if is_request && (self.is_crowded() || !stays && self.copied > 0 && self.copied + src.len() > MOST_COPIED) {
            return Sent::Retry;
        }
        head.kind = OfiKind::LongThere;
        // Number and limits are written when the message is sent.
        head.number = self.me.0;
        head.sequence = self.port.verifies().then_some(0);
        // None: its place lies in several pieces of a segment.
        let there = self.imports.there(to, RemoteAddr(head.there.at), src.len());
        let cost = cost(head.bytes(), 0, self.least_cost);
        if !self.peers[to.rank.index()].credits.take(head.traffic, cost) {
            return Sent::Retry;
        }
        let mut copy = (!stays).then(|| Aligned::zeroed(src.len()));
        if let Some(copy) = &mut copy {
            mem::copy(copy.view(), src);
        }
        let source = copy.as_mut().map_or(src.as_ptr(), |copy| copy.view().as_src().as_ptr());
        let place = head.there.at;
        let pinned = there.and_then(|_| self.local.pin(&mut self.port, source.expose_provenance(), src.len(), true));
        let mut packet = Aligned::zeroed(head.bytes());
        let len = head.write(&mut packet);
        self.copied += copy.as_ref().map_or(0, |copy| copy.len());
        let long = Box::new(LongData { packet, len, token: msg.token, copy });
        let peer = self.peers[to.rank.index()].address;
        let there = there.map(|(at, key)| OfiThere { peer, at, key });
        let started = if msg.token.is_some() { Sent::Later } else { Sent::Done };
        let (Some(there), Some((descriptor, pin))) = (there, pinned) else {
            // SAFETY: as below.
            let source = MessageBytes::Put(unsafe { Held::src(Src::new(source.cast(), src.len())) });
            self.begin_parts(to.rank, there, (place, src.len()), source, PartsEnd::Message(long));
            return started;
        };
        let (number, context) = self.flights.begin(to.rank, OfiFlown::Long(long, pin));
        // SAFETY: a source with a token, and that of a LongAsync, stays until the completion; else it is the copy, in the flight.
        let code = unsafe { self.port.write(there, Src::new(source.cast(), src.len()), descriptor, context) };
        if code == 0 {
            return started;
        }
        if let Some(EndedFlight { what: OfiFlown::Long(long, pin), .. }) = self.flights.end(number) {
            self.local.unpin(&mut self.port, pin);
            self.end_copy(&long);
        }
        self.peers[to.rank.index()].credits.give_back(head.traffic, cost);
        if code != AGAIN {
            self.lose_message(to.rank, code);
        }
        Sent::Retry
    }

    /// The payload of a Long is at its place: sends its message, for which it has credits.
    pub(crate) fn send_after(&mut self, to: JobRank, long: LongData) {
        self.end_copy(&long);
        if let Some(token) = long.token {
            self.arrivals.done(token, Completion::Local);
        }
        let mut args = [0; MAX_ARGS];
        let Some((mut head, _)) = OfiHead::read(&long.packet[..long.len], &mut args) else { return };
        self.transmit(to, &mut head, Src::none(), true);
    }

    /// The copy of the source, if there is one, is not needed any more.
    pub(crate) fn end_copy(&mut self, long: &LongData) {
        self.copied -= long.copy.as_ref().map_or(0, |copy| copy.len());
    }
}
