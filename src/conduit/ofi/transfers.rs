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
        // SAFETY: a source that stays does so until local completion (head of the file); others are used only before `start` returns.
        let held = unsafe { Held::src(src.view) };
        self.start(to, dst, MessageBytes::Put(held), stays && src.view.len() > COPIED_PUT, token)
    }

    pub(crate) fn start_get(
        &mut self,
        dst: LocalMem<Dst<'_>>,
        from: Location,
        src: RemoteAddr,
        token: OpToken,
    ) -> Sent {
        // SAFETY: the caller keeps the destination until the get is complete (head of the file).
        let held = unsafe { Held::dst(dst.view) };
        self.start(from, src, MessageBytes::Get(held), true, token)
    }

    /// Why an operation on `peer` with this token is not started.
    fn not_started(&mut self, peer: JobRank, token: OpToken) -> Option<Sent> {
        if self.is_gone(peer) {
            return Some(self.arrivals.fails(token));
        }
        self.is_crowded().then_some(Sent::Retry)
    }

    /// Starts a put to `at` of `peer`, or a get from there. `pins`: the local memory may be pinned, as it stays.
    fn start(&mut self, peer: Location, at: RemoteAddr, bytes: MessageBytes, pins: bool, token: OpToken) -> Sent {
        if let Some(sent) = self.not_started(peer.rank, token) {
            return sent;
        }
        let (start, len, source) = match &bytes {
            MessageBytes::Put(Held(src)) => (src.as_ptr().cast_mut(), src.len(), Some(*src)),
            MessageBytes::Get(Held(dst)) => (dst.as_ptr(), dst.len(), None),
            MessageBytes::Sent => (core::ptr::null_mut(), 0, Some(Src::none())),
        };
        let Some((there, hose)) = self.there(peer, at, len) else {
            return self.by_messages(peer.rank, at, bytes, len, token);
        };
        let copied = if source.is_some() { Sent::Copied } else { Sent::Later };
        if len == 0 {
            self.let_go(peer.rank, hose);
            self.arrivals.done(token, Completion::Remote);
            return copied;
        }
        if let Some(src) = source.filter(|_| len <= self.port.offer.inject) {
            let (number, context) = self.flights.begin(peer.rank, OfiFlown::CopiedPut(token, None));
            // SAFETY: the context is in `flights` until the completion.
            let code = unsafe { self.port.write_copied(there, src, context) };
            return self.begun(number, hose, code, copied);
        }
        let pinned =
            if pins { self.local.pin(&mut self.port, start.expose_provenance(), len, source.is_some()) } else { None };
        if pinned.is_none() && len > MEDIUM {
            self.let_go(peer.rank, hose);
            if hose.is_some() {
                return self.by_messages(peer.rank, at, bytes, len, token);
            }
            return self.bounce(peer.rank, there, bytes, len, token);
        }
        let (what, start, descriptor, started) = match pinned {
            Some((descriptor, pin)) if source.is_some() => (OfiFlown::Put(token, pin), start, descriptor, Sent::Later),
            Some((descriptor, pin)) => (OfiFlown::Get(token, pin), start, descriptor, Sent::Later),
            None => {
                let mut buffer = self.spare.take(&mut self.port);
                let (start, descriptor) = (buffer.view().as_ptr(), buffer.descriptor());
                if let Some(src) = source {
                    mem::copy(buffer.view().part(0, len), src);
                }
                let what = match bytes {
                    MessageBytes::Get(dst) => OfiFlown::Landing(token, buffer, dst),
                    _ => OfiFlown::CopiedPut(token, Some(buffer)),
                };
                (what, start, descriptor, copied)
            }
        };
        let (number, context) = self.flights.begin(peer.rank, what);
        // SAFETY: buffer and context are in `flights` until the completion; local memory that is pinned stays (head of the file).
        let code = unsafe {
            match source {
                Some(_) => self.port.write(there, Src::new(start.cast(), len), descriptor, context),
                None => self.port.read(Dst::new(start.cast(), len), there, descriptor, context),
            }
        };
        self.begun(number, hose, code, started)
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
            if hose.is_some() {
                if let Some(flight) = self.flights.get(number) {
                    flight.hose = hose;
                }
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

    pub(crate) fn start_atomic(
        &mut self,
        to: Location,
        at: RemoteAddr,
        what: &Atomic,
        result: Option<Dst<'_>>,
        token: OpToken,
    ) -> Sent {
        if let Some(sent) = self.not_started(to.rank, token) {
            return sent;
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

    /// Starts a put or get by messages; polls continue it.
    fn by_messages(&mut self, peer: JobRank, at: RemoteAddr, bytes: MessageBytes, len: usize, token: OpToken) -> Sent {
        let (at, first, end) = (at.0, len.min(MEDIUM), PartsEnd::Token(token));
        let (kind, payload, bytes) = match bytes {
            MessageBytes::Put(Held(src)) if len <= LIMITS.copied => (OfiKind::Put, src, MessageBytes::Sent),
            MessageBytes::Put(Held(src)) => (OfiKind::Put, src.part(0, first), bytes),
            _ => (OfiKind::Get, Src::none(), bytes),
        };
        let started = if matches!(bytes, MessageBytes::Sent) { Sent::Copied } else { Sent::Later };
        let transfer = MessageTransfer { peer, end, at, bytes, len, sent: 0, answered: 0, there: None };
        let number = self.by_message.insert(transfer);
        let there = PacketPlace { at, len: first as u32, number };
        if number >= BY_MESSAGE || !self.send_if(peer, &mut OfiHead::of(kind, 0).at(there), payload) {
            self.by_message.remove(number);
            return Sent::Retry;
        }
        if let Some(transfer) = self.by_message.get_mut(number) {
            transfer.sent = first;
        }
        self.advance_messages();
        started
    }
}
