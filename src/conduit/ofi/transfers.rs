//! Puts, gets and atomics: reads, writes and atomics of the provider where the memory of the target is registered, else messages.
//!
//! # Safety
//! Sources and destinations stay until the operation is complete: the caller of `put` or `get` keeps them.
#![allow(unsafe_code)]

use super::flights::OfiFlown;
use super::packet::{OfiHead, OfiKind};
use super::parts::{BY_MESSAGE, MessageBytes, MessageTransfer, PartsEnd};
use super::rank::OfiRank;
use crate::conduit::shared::held::Held;
use crate::conduit::shared::operations::{NetworkAtomic, NetworkOp};
use crate::conduit::shared::packet::{LIMITS, MEDIUM, PacketPlace};
use crate::conduit::{Atomic, Completion, LocalMem, OpToken, Sent};
use crate::defs::rank::{JobRank, Location};
use crate::fatal::fatal;
use crate::firehose::Pages;
use crate::mem::{self, Dst, RemoteAddr, Src};
use crate::shims::ofi::{AGAIN, OfiThere};

/// The source of a put of up to this number of bytes is copied, even if it stays: libfabric reports one completion of an operation, and a put's is
/// the remote one, for which some providers (tcp) need calls of the target.
const COPIED_PUT: usize = 4 << 10;

impl OfiRank {
    pub(crate) fn start_put(
        &mut self,
        to: Location,
        dst: RemoteAddr,
        src: LocalMem<Src<'_>>,
        stays: bool,
        token: OpToken,
    ) -> Sent {
        if self.is_gone(to.rank) {
            self.arrivals.done(token, Completion::Failed);
            return Sent::Later;
        }
        if self.is_crowded() {
            return Sent::Retry;
        }
        let src = src.view;
        let Some((there, hose)) = self.there(to, dst, src.len()) else {
            return self.put_by_messages(to.rank, dst, src, stays, token);
        };
        if src.is_empty() {
            self.let_go(to.rank, hose);
            self.arrivals.done(token, Completion::Remote);
            return Sent::Copied;
        }
        if src.len() <= self.port.offer.inject {
            let (number, context) = self.flights.begin(to.rank, OfiFlown::CopiedPut(token, None));
            // SAFETY: the context is in `flights` until the completion.
            let code = unsafe { self.port.write_copied(there, src, context) };
            return self.begun(number, hose, code, Sent::Copied);
        }
        if stays
            && src.len() > COPIED_PUT
            && let Some((descriptor, pin)) =
                self.local.pin(&mut self.port, src.as_ptr().expose_provenance(), src.len(), true)
        {
            let (number, context) = self.flights.begin(to.rank, OfiFlown::Put(token, pin));
            // SAFETY: the source stays (head of the file), and the context is in `flights` until the completion.
            let code = unsafe { self.port.write(there, src, descriptor, context) };
            return self.begun(number, hose, code, Sent::Later);
        }
        if src.len() > MEDIUM {
            self.let_go(to.rank, hose);
            if hose.is_some() {
                return self.put_by_messages(to.rank, dst, src, stays, token);
            }
            // SAFETY: the source stays (head of the file).
            return self.bounce(to.rank, there, MessageBytes::Put(unsafe { Held::src(src) }), src.len(), token);
        }
        let mut buffer = self.spare.take(&mut self.port);
        mem::copy(buffer.view().part(0, src.len()), src);
        let (copy, descriptor) = (buffer.view().as_ptr(), buffer.descriptor());
        let (number, context) = self.flights.begin(to.rank, OfiFlown::CopiedPut(token, Some(buffer)));
        // SAFETY: the copy and the context are in `flights` until the completion.
        let code = unsafe { self.port.write(there, Src::new(copy.cast(), src.len()), descriptor, context) };
        self.begun(number, hose, code, Sent::Copied)
    }

    /// Address and key of memory of a peer, and the firehose that the transfer uses, if it needs one. None: no key is known, and one was asked
    /// for.
    #[inline]
    fn there(&mut self, of: Location, at: RemoteAddr, len: usize) -> Option<(OfiThere, Option<Pages>)> {
        let peer = self.peers[of.rank.index()].address;
        if let Some((at, key)) = self.imports.there(of, at, len) {
            return Some((OfiThere { peer, at, key }, None));
        }
        self.hosed(of.rank, at.0, len).map(|(at, key, hose)| (OfiThere { peer, at, key }, Some(hose)))
    }

    #[inline]
    fn let_go(&mut self, peer: JobRank, hose: Option<Pages>) {
        if let Some(of) = hose {
            self.hoses.release(peer, of);
        }
    }

    /// The result of an operation that was begun with this code, and uses `hose`.
    #[inline]
    fn begun(&mut self, number: u32, hose: Option<Pages>, code: i32, started: Sent) -> Sent {
        if code == 0 {
            if hose.is_some()
                && let Some(flight) = self.flights.get(number)
            {
                flight.hose = hose;
            }
            return started;
        }
        let Some(ended) = self.flights.end(number) else { return Sent::Retry };
        self.let_go(ended.to, hose);
        match ended.what {
            OfiFlown::Put(_, pin) | OfiFlown::Get(_, pin) => self.local.unpin(&mut self.port, pin),
            OfiFlown::CopiedPut(_, Some(buffer)) | OfiFlown::Landing(_, buffer, _) | OfiFlown::Atomic(_, buffer, _) => {
                self.spare.put(buffer);
            }
            _ => {}
        }
        if code != AGAIN {
            self.lose_message(ended.to, code);
        }
        Sent::Retry
    }

    pub(crate) fn start_get(
        &mut self,
        dst: LocalMem<Dst<'_>>,
        from: Location,
        src: RemoteAddr,
        token: OpToken,
    ) -> Sent {
        if self.is_gone(from.rank) {
            self.arrivals.done(token, Completion::Failed);
            return Sent::Later;
        }
        if self.is_crowded() {
            return Sent::Retry;
        }
        let dst = dst.view;
        let Some((there, hose)) = self.there(from, src, dst.len()) else {
            return self.get_by_messages(dst, from.rank, src, token);
        };
        if dst.is_empty() {
            self.let_go(from.rank, hose);
            self.arrivals.done(token, Completion::Remote);
            return Sent::Later;
        }
        let pinned = self.local.pin(&mut self.port, dst.as_ptr().expose_provenance(), dst.len(), false);
        if let Some((descriptor, pin)) = pinned {
            let (number, context) = self.flights.begin(from.rank, OfiFlown::Get(token, pin));
            // SAFETY: the destination stays (head of the file), and the context is in `flights` until the completion.
            let code = unsafe { self.port.read(dst, there, descriptor, context) };
            return self.begun(number, hose, code, Sent::Later);
        }
        if dst.len() > MEDIUM {
            self.let_go(from.rank, hose);
            if hose.is_some() {
                return self.get_by_messages(dst, from.rank, src, token);
            }
            // SAFETY: the caller keeps the destination until the get is complete (head of the file).
            return self.bounce(from.rank, there, MessageBytes::Get(unsafe { Held::dst(dst) }), dst.len(), token);
        }
        let mut buffer = self.spare.take(&mut self.port);
        let (landing, descriptor) = (buffer.view().as_ptr(), buffer.descriptor());
        // SAFETY: the caller keeps the destination until the get is complete (head of the file).
        let held = unsafe { Held::dst(dst) };
        let (number, context) = self.flights.begin(from.rank, OfiFlown::Landing(token, buffer, held));
        // SAFETY: the buffer and the context are in `flights` until the completion.
        let code = unsafe { self.port.read(Dst::new(landing.cast(), dst.len()), there, descriptor, context) };
        self.begun(number, hose, code, Sent::Later)
    }

    pub(crate) fn start_atomic(
        &mut self,
        to: Location,
        at: RemoteAddr,
        what: &Atomic,
        result: Option<Dst<'_>>,
        token: OpToken,
    ) -> Sent {
        if self.is_gone(to.rank) {
            self.arrivals.done(token, Completion::Failed);
            return Sent::Later;
        }
        if self.is_crowded() {
            return Sent::Retry;
        }
        let Some(NetworkAtomic { kind, op, values, bytes, fetches }) = NetworkAtomic::of(what) else {
            fatal!("conduit ofi does not execute operation {:#x} on type {:#x}", what.op, what.dtype);
        };
        let Some((at, key)) = self.imports.there(to, at, bytes) else {
            fatal!("conduit ofi: an atomic operation on memory of rank {} that is not registered", to.rank.0);
        };
        // SAFETY: the caller keeps the destination until the operation is complete.
        let held = result.filter(|_| fetches).map(|result| unsafe { Held::dst(result) });
        let there = OfiThere { peer: self.peers[to.rank.index()].address, at, key };
        let mut buffer = self.spare.take(&mut self.port);
        // A swap compares with the first value.
        let (operand, compared) = if op == NetworkOp::CompareSwap { (values[1], values[0]) } else { (values[0], 0) };
        for (word, bytes) in [operand, compared, 0].iter().zip(buffer.bytes().chunks_exact_mut(8)) {
            bytes.copy_from_slice(&word.to_ne_bytes());
        }
        let (words, descriptor) = (buffer.view().as_ptr().cast(), buffer.descriptor());
        let (number, context) = self.flights.begin(to.rank, OfiFlown::Atomic(token, buffer, held));
        // SAFETY: the buffer and the context are in `flights` until the completion.
        let code = unsafe { self.port.atomic(there, [kind, op as i32], words, descriptor, context) };
        self.begun(number, None, code, Sent::Later)
    }

    fn put_by_messages(&mut self, to: JobRank, dst: RemoteAddr, src: Src<'_>, stays: bool, token: OpToken) -> Sent {
        let whole = src.len() <= LIMITS.copied;
        // SAFETY: a source that is not sent by the first message stays until local completion (head of the file).
        let bytes = if whole { MessageBytes::Sent } else { MessageBytes::Put(unsafe { Held::src(src) }) };
        debug_assert!(whole || stays);
        let (peer, at, len, end) = (to, dst.0, src.len(), PartsEnd::Token(token));
        let number =
            self.by_message.insert(MessageTransfer { peer, end, at, bytes, len, sent: 0, answered: 0, there: None });
        let there = PacketPlace { at, len: len.min(MEDIUM) as u32, number };
        if number >= BY_MESSAGE
            || !self.send_if(to, &mut OfiHead::of(OfiKind::Put, 0).at(there), src.part(0, len.min(MEDIUM)))
        {
            self.by_message.remove(number);
            return Sent::Retry;
        }
        if let Some(transfer) = self.by_message.get_mut(number) {
            transfer.sent = len.min(MEDIUM);
        }
        self.advance_messages();
        if whole { Sent::Copied } else { Sent::Later }
    }

    fn get_by_messages(&mut self, dst: Dst<'_>, from: JobRank, src: RemoteAddr, token: OpToken) -> Sent {
        // SAFETY: the caller keeps the destination until the get is complete (head of the file).
        let bytes = MessageBytes::Get(unsafe { Held::dst(dst) });
        let (peer, at, len, end) = (from, src.0, dst.len(), PartsEnd::Token(token));
        let number =
            self.by_message.insert(MessageTransfer { peer, end, at, bytes, len, sent: 0, answered: 0, there: None });
        let there = PacketPlace { at, len: len.min(MEDIUM) as u32, number };
        if number >= BY_MESSAGE || !self.send_if(from, &mut OfiHead::of(OfiKind::Get, 0).at(there), Src::none()) {
            self.by_message.remove(number);
            return Sent::Retry;
        }
        if let Some(transfer) = self.by_message.get_mut(number) {
            transfer.sent = len.min(MEDIUM);
        }
        self.advance_messages();
        Sent::Later
    }
}
