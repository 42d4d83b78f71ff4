//! Puts, gets and payloads of Longs. Few bytes travel in messages; many go from memory to memory as bulk data: the message names
//! a tag, and both sides start a transfer with it, which MPI executes by its own rendezvous.
//!
//! # Safety
//! Sources and destinations stay until the operation is complete: the caller of `put`, `get` or `am` keeps its own, and memory that
//! peers name is that of segments.
#![allow(unsafe_code)]

use super::inner::{EAGER, MpiFlight, MpiFlown, MpiRank, MpiTransfer, TRANSFERS};
use super::packet::{MpiHead, MpiKind};
use crate::conduit::shared::held::{Aligned, Held};
use crate::conduit::shared::packet::PacketPlace;
use crate::conduit::{Completion, OpToken, Sent};
use crate::defs::rank::{JobRank, Location};
use crate::mem::{self, Dst, RemoteAddr, Src};

impl MpiRank {
    pub(crate) fn tag_of_put(&mut self) -> u32 {
        // Even tags are those of this rank's puts, odd ones those of its gets; a tag returns only after all others.
        self.next_tag = if self.next_tag + 4 > self.largest_tag { 0 } else { self.next_tag + 2 };
        self.next_tag
    }

    fn tag_of_get(&mut self) -> u32 {
        self.tag_of_put() + 1
    }

    /// Sends bulk data from memory that stays.
    pub(crate) fn bulk_out(&mut self, to: JobRank, tag: u32, src: Src<'_>, token: Option<OpToken>) {
        self.bulk_transfers += 1;
        // SAFETY: the source stays until local completion (head of the file).
        let request = unsafe { self.port.bulk_send(to.0, tag as i32, src) };
        match request {
            None => self.landed(to, MpiFlown::Sent(token)),
            Some(request) => self.flying.push(MpiFlight { request, to, what: MpiFlown::Sent(token) }),
        }
    }

    /// Sends bulk data from memory that does not stay.
    pub(crate) fn bulk_copy_out(&mut self, to: JobRank, tag: u32, src: Src<'_>) {
        self.bulk_transfers += 1;
        let mut copy = Aligned::zeroed(src.len());
        mem::copy(copy.view(), src);
        // SAFETY: the copy is on the heap, and is kept in `flying` until the request is complete.
        if let Some(request) = unsafe { self.port.bulk_send(to.0, tag as i32, copy.view().as_src()) } {
            self.copied += copy.len();
            self.flying.push(MpiFlight { request, to, what: MpiFlown::Copy(copy) });
        }
    }

    /// Receives bulk data into memory that stays.
    pub(crate) fn bulk_in(&mut self, from: JobRank, tag: u32, dst: Dst<'_>, what: MpiFlown) {
        // SAFETY: the destination stays until the operation is complete (head of the file).
        match unsafe { self.port.bulk_receive(from.0, tag as i32, dst) } {
            None => self.landed(from, what),
            Some(request) => self.flying.push(MpiFlight { request, to: from, what }),
        }
    }

    /// Receives bulk data that has no place, since this rank leaves: its sender waits for that.
    pub(crate) fn bulk_away(&mut self, from: JobRank, there: PacketPlace) {
        let mut sink = Aligned::zeroed(there.len as usize);
        // SAFETY: the sink is on the heap, and is kept.
        if let Some(request) = unsafe { self.port.bulk_receive(from.0, there.number as i32, sink.view()) } {
            self.flying.push(MpiFlight { request, to: from, what: MpiFlown::Sent(None) });
            self.unwanted.push(sink);
        }
    }

    fn begin(&mut self, peer: JobRank, token: OpToken, dst: Option<Held<Dst<'static>>>) -> u32 {
        self.in_flight += 1;
        self.pending.insert(MpiTransfer { peer, token, dst })
    }

    fn take_back(&mut self, number: u32) -> Sent {
        self.in_flight -= 1;
        self.pending.remove(number);
        Sent::Retry
    }

    pub(crate) fn start_put(
        &mut self,
        of: Location,
        dst: RemoteAddr,
        src: Src<'_>,
        stays: bool,
        token: OpToken,
    ) -> Sent {
        let to = of.rank;
        if self.is_gone(to) {
            return self.arrivals.fails(token);
        }
        if self.in_flight >= TRANSFERS {
            return Sent::Retry;
        }
        if let Some(windows) = &self.windows {
            windows.check_imported(of);
        }
        let is_bulk = stays && src.len() > EAGER;
        let number = self.begin(to, token, None);
        let tag = if is_bulk { self.tag_of_put() } else { 0 };
        let there = PacketPlace { at: dst.0, len: src.len() as u32, number: tag };
        let kind = if is_bulk { MpiKind::PutBulk } else { MpiKind::Put };
        if !self.send_if(to, &mut MpiHead::of(kind, number).at(there), if is_bulk { Src::none() } else { src }) {
            return self.take_back(number);
        }
        if !is_bulk {
            return Sent::Copied;
        }
        self.bulk_out(to, tag, src, Some(token));
        Sent::Later
    }

    pub(crate) fn start_get(&mut self, dst: Dst<'_>, of: Location, src: RemoteAddr, token: OpToken) -> Sent {
        let from = of.rank;
        if self.is_gone(from) {
            return self.arrivals.fails(token);
        }
        if self.in_flight >= TRANSFERS {
            return Sent::Retry;
        }
        if let Some(address) = self.windows.as_ref().and_then(|windows| windows.address(of, src, dst.len())) {
            return self.get_from_window(dst, from, address, token);
        }
        let is_bulk = dst.len() > EAGER;
        // SAFETY: the caller keeps the destination until the get is complete (head of the file).
        let held = unsafe { Held::dst(dst) };
        let number = self.begin(from, token, (!is_bulk).then_some(held));
        let tag = if is_bulk { self.tag_of_get() } else { 0 };
        let there = PacketPlace { at: src.0, len: dst.len() as u32, number: tag };
        let kind = if is_bulk { MpiKind::GetBulk } else { MpiKind::Get };
        if !self.send_if(from, &mut MpiHead::of(kind, number).at(there), Src::none()) {
            return self.take_back(number);
        }
        if is_bulk {
            self.bulk_in(from, tag, dst, MpiFlown::Get(number));
        }
        Sent::Later
    }

    fn get_from_window(&mut self, dst: Dst<'_>, from: JobRank, address: u64, token: OpToken) -> Sent {
        let number = self.begin(from, token, None);
        if let Some(windows) = &mut self.windows {
            windows.gets += 1;
        }
        // SAFETY: the caller keeps the destination until the get is complete (head of the file).
        let request = unsafe { self.port.get(from.0, address, dst) };
        self.flying.push(MpiFlight { request, to: from, what: MpiFlown::Get(number) });
        Sent::Later
    }

    /// The put or get `number` of this rank is complete; `bytes` are those of a get, unless they are in place.
    pub(crate) fn complete(&mut self, from: JobRank, number: u32, bytes: Option<Src<'_>>) {
        // After a failure the number is unused, or names a later operation.
        if self.pending.get_mut(number).is_none_or(|pending| pending.peer != from) {
            return;
        }
        let Some(pending) = self.pending.remove(number) else { return };
        self.in_flight -= 1;
        if let (Some(Held(dst)), Some(bytes)) = (pending.dst, bytes) {
            mem::copy(dst, bytes);
        }
        self.arrivals.done(pending.token, Completion::Remote);
    }
}
