//! Put and get in a segment that is not mapped here: by CMA if the target is in the nbrhd and its segment is all of its
//! memory, by the conduit if it has the capability, else by active messages.
//!
//! # Safety
//! The send queue keeps views of the client's memory after the call that passed them has returned: the client keeps the
//! source of a put until its local completion, and the destination of a get until it is complete.
#![allow(unsafe_code)]

use crate::am::poll::NETWORK;
use crate::conduit::shared::held::Held;
use crate::conduit::shared::registrations::REGISTRATIONS;
use crate::conduit::shared::send_queue::{Bytes, Transfer};
use crate::conduit::{Caps, Conduit, LocalMem, Sent};
use crate::defs::message::{Immediate, OpToken, Registration, Traffic};
use crate::defs::rank::Location;
use crate::event::{Op, PieceKind, leave_for_quiet};
use crate::hang::counts::REQUEST;
use crate::hang::waits::Note;
use crate::job::Job;
use crate::mem::{self, Dst, RemoteAddr, Src};
use crate::rma::{Local, amref};
use crate::sync::atomic::Ordering;

/// The parameters of all pieces of one operation.
#[derive(Clone, Copy)]
struct Pieces {
    op: &'static Op,
    kind: PieceKind,
    peer: Location,
    at: RemoteAddr,
    len: usize,
    /// The registration that contains the local memory, if any.
    registration: Option<Registration>,
    /// Bytes of each piece; the last may be shorter.
    piece: usize,
}

impl Job {
    /// The conduit, if puts to and gets from `of` are by its `put_until_quiet` and `get_at_once`.
    #[inline]
    fn quiet_path(&self, of: Location) -> Option<&'static dyn Conduit> {
        let conduit = self.quiets?;
        // A rank of the nbrhd is reached by memory that is mapped, or as the general path finds out.
        let is_far = self.nbrhd.node_rank(of.rank).is_none() && of.rank.0 < self.size;
        let has_segment = of.ep == 0 && self.in_network_segments.load(Ordering::Relaxed);
        (is_far && has_segment && self.nbrhd.direct.load(Ordering::Relaxed)).then_some(conduit)
    }

    /// A put whose source may be reused on return, and which the network's next quiet completes. False: nothing was done.
    #[inline]
    pub(super) fn put_until_quiet(&self, to: Location, dst: RemoteAddr, src: Src<'_>) -> bool {
        // No bytes have any address.
        let done = !src.is_empty() && self.quiet_path(to).is_some_and(|conduit| conduit.put_until_quiet(to, dst, src));
        if done {
            leave_for_quiet();
        }
        done
    }

    /// A get that is complete on return. False: nothing was done.
    #[inline]
    pub(super) fn get_at_once(&self, dst: Dst<'_>, from: Location, src: RemoteAddr) -> bool {
        !dst.is_empty() && self.quiet_path(from).is_some_and(|conduit| conduit.get_at_once(dst, from, src))
    }

    /// Starts a put to `dst` on `to` as a piece of `op`. `local` determines when `src` may be reused. Returns false if
    /// resources were exhausted and nothing was started.
    pub fn far_put_if(
        &self,
        op: &'static Op,
        to: Location,
        dst: RemoteAddr,
        src: Src<'_>,
        local: Local,
        immediate: Immediate,
    ) -> bool {
        if self.put_across(to.rank, dst, src) {
            return true;
        }
        if !self.may_start(Traffic::Request, immediate) {
            return false;
        }
        let Some((conduit, caps)) = self.native(to, |caps| caps.put) else {
            return amref::put(self, op, to, dst, src, local, immediate);
        };
        let limits = &self.limits;
        let long = src.len() > limits.copied;
        let memory = if caps.bounces() { REGISTRATIONS.source(src) } else { LocalMem::plain(src) };
        let bounced = caps.bounces() && memory.registration.is_none();
        // The caller needs the source on return: wait for local completion or, if waiting is not allowed, send copies.
        let held = local == Local::Now && long && immediate == Immediate::No && !bounced;
        let copied = bounced || local == Local::Now && !held;
        let kind = if held || local == Local::Apart { PieceKind::PutLocal } else { PieceKind::Put };
        let piece = if copied { limits.piece.min(limits.copied) } else { limits.piece };
        let registration = memory.registration;
        let pieces = Pieces { op, kind, peer: to, at: dst, len: src.len(), registration, piece };
        self.poll_to_send();
        let send =
            |from: usize, len, token| conduit.put(to, RemoteAddr(dst.0 + from), memory.part(from, len), !copied, token);
        let rest = |from: usize| {
            let left = src.part(from, src.len() - from);
            if copied {
                let mut copy = vec![0; left.len()];
                mem::read(&mut copy, left);
                return Bytes::Copy(copy);
            }
            // SAFETY: the client keeps the source until local completion (module contract).
            Bytes::Put(unsafe { Held::src(left) })
        };
        let started = self.send_pieces(pieces, immediate, send, rest);
        if held {
            self.wait_for(|| op.note(), || op.is_locally_done());
        }
        started
    }

    /// Starts to copy from `src` on `from` to `dst` here, counted on `op`.
    pub fn far_get(&self, op: &'static Op, dst: Dst<'_>, from: Location, src: RemoteAddr) {
        self.far_get_if(op, dst, from, src, Immediate::No);
    }

    /// As `far_get`. False: nothing was started (resources exhausted).
    pub fn far_get_if(
        &self,
        op: &'static Op,
        dst: Dst<'_>,
        from: Location,
        src: RemoteAddr,
        immediate: Immediate,
    ) -> bool {
        if self.get_across(dst, from.rank, src) {
            return true;
        }
        if !self.may_start(Traffic::Request, immediate) {
            return false;
        }
        let Some((conduit, caps)) = self.native(from, |caps| caps.get) else {
            return amref::get(self, op, dst, from, src, immediate);
        };
        let limits = &self.limits;
        let memory = if caps.bounces() { REGISTRATIONS.destination(dst) } else { LocalMem::plain(dst) };
        let registration = memory.registration;
        let bounced = caps.bounces() && registration.is_none();
        let piece = if bounced { limits.piece.min(limits.copied) } else { limits.piece };
        let pieces = Pieces { op, kind: PieceKind::Get, peer: from, at: src, len: dst.len(), registration, piece };
        self.poll_to_send();
        let send =
            |offset: usize, len, token| conduit.get(memory.part(offset, len), from, RemoteAddr(src.0 + offset), token);
        // SAFETY: the client keeps the destination until the get is complete (module contract).
        let rest = |offset: usize| Bytes::Get(unsafe { Held::dst(dst.part(offset, dst.len() - offset)) });
        self.send_pieces(pieces, immediate, send, rest)
    }

    /// The conduit, if the memory of `of` is reached through it and it has the capability that `able` requires.
    #[inline]
    fn native(&self, of: Location, able: impl FnOnce(Caps) -> bool) -> Option<(&'static dyn Conduit, Caps)> {
        let conduit = self.conduit?;
        let near = self.nbrhd.node_rank(of.rank).is_some();
        if !near {
            self.expect_rank(of.rank);
        }
        let reference = !self.nbrhd.direct.load(Ordering::Relaxed);
        if near || reference {
            return None;
        }
        let caps = self.caps;
        (able(caps) && (caps.any_remote || self.reaches(of.ep))).then_some((conduit, caps))
    }

    /// Sends all pieces. An immediate operation is not started (false) if its first piece finds no room; if a later piece
    /// finds none, that piece and all after it go to the send queue, with the bytes that `rest` returns.
    // Most operations are of one piece.
    #[inline]
    fn send_pieces(
        &self,
        pieces: Pieces,
        immediate: Immediate,
        send: impl Fn(usize, usize, OpToken) -> Sent,
        rest: impl FnOnce(usize) -> Bytes,
    ) -> bool {
        let Pieces { op, kind, peer, len, piece, .. } = pieces;
        if len == 0 {
            return true;
        }
        op.set_peer(peer.rank);
        let token = OpToken(op.token(kind));
        // Counted before it is sent: another thread may handle its completion before `send` returns.
        op.start(kind);
        let sent = send(0, piece.min(len), token);
        if piece < len || sent == Sent::Retry {
            return self.send_more(pieces, immediate, sent, send, rest);
        }
        pieces.is_sent(sent);
        true
    }

    /// Sends all pieces after the first, the attempt at which had this result.
    #[inline(never)]
    fn send_more(
        &self,
        pieces: Pieces,
        immediate: Immediate,
        first: Sent,
        send: impl Fn(usize, usize, OpToken) -> Sent,
        rest: impl FnOnce(usize) -> Bytes,
    ) -> bool {
        let Pieces { op, kind, peer, at, len, registration, piece } = pieces;
        let token = OpToken(op.token(kind));
        let (mut from, mut sent) = (0, first);
        loop {
            let send = |from: usize| send(from, piece.min(len - from), token);
            if sent == Sent::Retry && immediate == Immediate::No {
                let note = || Note::room(peer.rank.0, REQUEST);
                sent =
                    self.wait_for_room(Traffic::Request, note, || Some(send(from)).filter(|sent| *sent != Sent::Retry));
            }
            if sent == Sent::Retry {
                if from == 0 && immediate == Immediate::Yes {
                    op.finish(kind);
                    return false;
                }
                (from..len).step_by(piece).skip(1).for_each(|_| op.start(kind));
                let at = RemoteAddr(at.0 + from);
                NETWORK.queue.push(Transfer { peer, at, bytes: rest(from), registration, piece, token });
                return true;
            }
            pieces.is_sent(sent);
            from += piece;
            if from >= len {
                return true;
            }
            op.start(kind);
            sent = send(from);
        }
    }
}

impl Pieces {
    /// A piece was sent with this result, which is not `Retry`.
    #[inline]
    fn is_sent(&self, sent: Sent) {
        match sent {
            Sent::Done => self.op.finish(self.kind),
            Sent::Copied => Op::complete_locally(self.op.token(self.kind)),
            Sent::Later | Sent::Retry => {}
        }
    }
}
