//! The parts of transfers: polls send them as far as there is room, and note which of them are complete.
//!
//! # Safety
//! Sources and destinations stay until the operation is complete: the caller of `put` or `get` keeps them.
#![allow(unsafe_code)]

use super::flights::{EndedFlight, OfiFlown, PartMemory};
use super::packet::{OfiHead, OfiKind};
use super::parts::{BY_MESSAGE, MessageBytes, MessageTransfer, PartsEnd};
use super::rank::OfiRank;
use crate::conduit::shared::held::Held;
use crate::conduit::shared::packet::{MEDIUM, PacketPlace};
use crate::conduit::{Completion, OpToken, Sent};
use crate::defs::rank::JobRank;
use crate::mem::{self, Dst, Src};
use crate::shims::ofi::{AGAIN, OfiThere};

/// Bytes of a part of a transfer that is pinned in parts; parts in flight, at most; and operations in flight beyond which none is started.
const PART: usize = 256 << 10;
const PARTS: usize = 2;
const MOST_PARTS: usize = 1024;

impl OfiRank {
    /// Starts a long transfer in parts, since its memory here cannot be pinned as a whole now.
    pub(crate) fn bounce(
        &mut self,
        peer: JobRank,
        there: OfiThere,
        bytes: MessageBytes,
        len: usize,
        token: OpToken,
    ) -> Sent {
        if self.by_message.iter().count() >= BY_MESSAGE as usize {
            return Sent::Retry;
        }
        self.begin_parts(peer, Some(there), (0, len), bytes, PartsEnd::Token(token));
        Sent::Later
    }

    /// Starts a transfer in parts to or from `there`, or by messages that name `at`, its address; polls continue it.
    pub(crate) fn begin_parts(
        &mut self,
        peer: JobRank,
        there: Option<OfiThere>,
        (at, len): (usize, usize),
        bytes: MessageBytes,
        end: PartsEnd,
    ) {
        self.by_message.insert(MessageTransfer { peer, end, at, bytes, len, sent: 0, answered: 0, there });
        self.advance_messages();
    }

    /// Starts the next part of a transfer in parts, from pinned memory or through a buffer; returns its length. None: there is no room now.
    fn start_part(&mut self, number: u32) -> Option<usize> {
        let transfer = self.by_message.get_mut(number)?;
        let (from, peer) = (transfer.sent, transfer.peer);
        if from - transfer.answered >= PARTS * PART || self.flights.count >= MOST_PARTS {
            return None;
        }
        let there = transfer.there.map(|there| OfiThere { at: there.at + from as u64, ..there })?;
        let rest = transfer.len - from;
        let (src, dst) = match &transfer.bytes {
            MessageBytes::Put(Held(src)) => (Some(src.part(from, rest)), None),
            MessageBytes::Get(Held(dst)) => (None, Some(dst.part(from, rest))),
            MessageBytes::Sent => return None,
        };
        let start = src.map_or_else(|| dst.map_or(core::ptr::null(), |dst| dst.as_src().as_ptr()), |src| src.as_ptr());
        let long = rest.min(PART);
        let (len, at, descriptor, memory) =
            match self.local.pin(&mut self.port, start.expose_provenance(), long, dst.is_none()) {
                Some((descriptor, pin)) => (long, start.cast_mut(), descriptor, PartMemory::Pinned(pin)),
                None => {
                    let len = rest.min(MEDIUM);
                    let mut buffer = self.spare.take(&mut self.port);
                    if let Some(src) = src {
                        mem::copy(buffer.view().part(0, len), src.part(0, len));
                    }
                    (len, buffer.view().as_ptr(), buffer.descriptor(), PartMemory::Buffer(buffer))
                }
            };
        let (flight, context) = self.flights.begin(peer, OfiFlown::Part { number, memory, from, len });
        // SAFETY: the buffer and the context are in `flights` until the completion; pinned memory stays (head of the file).
        let code = unsafe {
            match src {
                Some(_) => self.port.write(there, Src::new(at.cast(), len), descriptor, context),
                None => self.port.read(Dst::new(at.cast(), len), there, descriptor, context),
            }
        };
        if code == 0 {
            return Some(len);
        }
        if let Some(EndedFlight { what: OfiFlown::Part { memory, .. }, .. }) = self.flights.end(flight) {
            self.end_part(memory);
        }
        if code != AGAIN {
            self.lose_message(peer, code);
        }
        None
    }

    fn end_part(&mut self, memory: PartMemory) {
        match memory {
            PartMemory::Pinned(pin) => self.local.unpin(&mut self.port, pin),
            PartMemory::Buffer(buffer) => self.spare.put(buffer),
        }
    }

    /// A part of a transfer in parts is complete.
    pub(crate) fn part_moved(
        &mut self,
        number: u32,
        mut memory: PartMemory,
        (from, len): (usize, usize),
        landed: bool,
    ) {
        if let Some(transfer) = self.by_message.get_mut(number).filter(|transfer| landed && transfer.there.is_some()) {
            if let (MessageBytes::Get(Held(dst)), PartMemory::Buffer(buffer)) = (&transfer.bytes, &mut memory) {
                mem::copy(dst.part(from, len), buffer.view().part(0, len).as_src());
            }
            transfer.answered += len;
            if transfer.answered >= transfer.len {
                self.parts_are_there(number);
            }
        }
        self.end_part(memory);
    }

    /// All parts of a transfer are at their place.
    fn parts_are_there(&mut self, number: u32) {
        let Some(MessageTransfer { peer, end, bytes, .. }) = self.by_message.remove(number) else { return };
        match end {
            PartsEnd::Token(token) => {
                if matches!(bytes, MessageBytes::Put(_)) {
                    self.arrivals.done(token, Completion::Local);
                }
                self.arrivals.done(token, Completion::Remote);
            }
            PartsEnd::Message(long) => self.send_after(peer, *long),
        }
    }

    /// Sends further parts of puts and gets by messages, as far as there is room.
    pub(crate) fn advance_messages(&mut self) {
        for number in self.by_message.numbers_of(|transfer| transfer.sent < transfer.len) {
            while let Some(transfer) = self.by_message.get_mut(number).filter(|transfer| transfer.sent < transfer.len) {
                if transfer.there.is_some() {
                    let Some(len) = self.start_part(number) else { break };
                    self.part_sent(number, len);
                    continue;
                }
                let (from, len) = (transfer.sent, MEDIUM.min(transfer.len - transfer.sent));
                let (peer, at) = (transfer.peer, transfer.at + from);
                let there = PacketPlace { at, len: len as u32, number };
                let (kind, bytes) = match &transfer.bytes {
                    MessageBytes::Put(Held(src)) => (OfiKind::Put, src.part(from, len)),
                    _ => (OfiKind::Get, Src::none()),
                };
                if !self.send_if(peer, &mut OfiHead::of(kind, 0).at(there), bytes) {
                    return;
                }
                self.part_sent(number, len);
            }
        }
    }

    fn part_sent(&mut self, number: u32, len: usize) {
        let Some(transfer) = self.by_message.get_mut(number) else { return };
        transfer.sent += len;
        // The source of a transfer in parts may be pinned; the last part tells. That of a Long is told with its message.
        if transfer.sent == transfer.len && transfer.there.is_none() && matches!(transfer.bytes, MessageBytes::Put(_)) {
            if let PartsEnd::Token(token) = transfer.end {
                self.arrivals.done(token, Completion::Local);
            }
        }
    }

    /// A part was answered; `bytes` are those of a get.
    pub(crate) fn message_done(&mut self, from: JobRank, there: PacketPlace, bytes: Option<Src<'_>>) {
        let Some(transfer) = self.by_message.get_mut(there.number).filter(|transfer| transfer.peer == from) else {
            return;
        };
        if let (MessageBytes::Get(Held(dst)), Some(bytes)) = (&transfer.bytes, bytes) {
            mem::copy(dst.part(there.at - transfer.at, bytes.len()), bytes);
        }
        transfer.answered += there.len as usize;
        if transfer.answered >= transfer.len {
            if let Some(transfer) = self.by_message.remove(there.number) {
                match transfer.end {
                    PartsEnd::Token(token) => self.arrivals.done(token, Completion::Remote),
                    PartsEnd::Message(long) => self.send_after(from, *long),
                }
            }
        }
    }

    /// `rank` is gone: its transfers by messages fail.
    pub(crate) fn lose_messages(&mut self, rank: JobRank) {
        for number in self.by_message.numbers_of(|transfer| transfer.peer == rank) {
            let Some(transfer) = self.by_message.remove(number) else { continue };
            if let Some(token) = transfer.end.token() {
                self.arrivals.done(token, Completion::Failed);
            }
            if let PartsEnd::Message(long) = transfer.end {
                self.end_copy(&long);
                // Parts in flight may still read the copy.
                core::mem::forget(long);
            }
        }
    }
}
