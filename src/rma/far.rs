//! Put and get of an endpoint that copies do not reach: through the kernel where all memory of a rank that shares memory
//! with this one is its segment, by the conduit where it offers that, else by active messages.

use crate::am::Patience;
use crate::conduit::{Caps, Conduit, Leaf, Sent};
use crate::event::{Kind, Op, mine};
use crate::job::{Job, JobRank};
use crate::mem::{Dst, RemoteAddr, Src};
use crate::nbrhd::pool::Traffic;
use crate::progress::counts::REQUEST;
use crate::progress::waits::Note;
use crate::rma::{Local, amref};
use crate::sync::atomic::Ordering;
use crate::team::Location;

impl Job {
    /// Starts to copy `src` to `dst` on `to`, counted on `op`. `src` may be reused on return unless `bulk`, or else once
    /// `op` is done.
    pub fn far_put(&self, op: &'static Op, to: Location, dst: RemoteAddr, src: Src<'_>, bulk: bool) {
        let local = if bulk { Local::Defer } else { Local::Now };
        self.far_put_if(op, to, dst, src, local, Patience::Wait);
    }

    /// As `far_put`, where `src` may be reused when `local` says. False: nothing was started, for want of room.
    pub fn far_put_if(
        &self,
        op: &'static Op,
        to: Location,
        dst: RemoteAddr,
        src: Src<'_>,
        local: Local,
        patience: Patience,
    ) -> bool {
        if self.put_across(to.rank, dst, src) {
            return true;
        }
        let Some(conduit) = self.native(to.rank, |caps| caps.put) else {
            return amref::put(self, op, to, dst, src, local, patience);
        };
        let limits = &self.am.limits;
        // What is too long to be copied must have arrived before the source is free.
        let held = local == Local::Now && src.len() > limits.copied;
        let counted = if held { mine().explicit() } else { op };
        let stays = held || local != Local::Now;
        let kind = if local == Local::Apart { Kind::PutLocal } else { Kind::Put };
        self.poll_to_send();
        for from in (0..src.len()).step_by(limits.piece) {
            let piece = src.part(from, limits.piece.min(src.len() - from));
            let at = RemoteAddr(dst.0 + from);
            let patience = if from == 0 { patience } else { Patience::Wait };
            if !self.send_piece(counted, kind, to.rank, patience, |leaf| conduit.put(to.rank, at, piece, stays, leaf)) {
                if held {
                    mine().give(counted);
                }
                return false;
            }
        }
        if held {
            self.wait_own(counted);
        }
        true
    }

    /// Starts to copy from `src` on `from` to `dst` here, counted on `op`.
    pub fn far_get(&self, op: &'static Op, dst: Dst<'_>, from: Location, src: RemoteAddr) {
        self.far_get_if(op, dst, from, src, Patience::Wait);
    }

    /// As `far_get`. False: nothing was started, for want of room.
    pub fn far_get_if(
        &self,
        op: &'static Op,
        dst: Dst<'_>,
        from: Location,
        src: RemoteAddr,
        patience: Patience,
    ) -> bool {
        if self.get_across(dst, from.rank, src) {
            return true;
        }
        let Some(conduit) = self.native(from.rank, |caps| caps.get) else {
            return amref::get(self, op, dst, from, src, patience);
        };
        let limits = &self.am.limits;
        self.poll_to_send();
        for offset in (0..dst.len()).step_by(limits.piece) {
            let piece = dst.part(offset, limits.piece.min(dst.len() - offset));
            let at = RemoteAddr(src.0 + offset);
            let patience = if offset == 0 { patience } else { Patience::Wait };
            if !self.send_piece(op, Kind::Get, from.rank, patience, |leaf| conduit.get(piece, from.rank, at, leaf)) {
                return false;
            }
        }
        true
    }

    /// The conduit, if it is what reaches `rank` and can do what `able` wants.
    fn native(&self, rank: JobRank, able: impl FnOnce(Caps) -> bool) -> Option<&'static dyn Conduit> {
        let conduit = self.conduit?;
        let near = self.nbrhd.node_rank(rank).is_some();
        if !near {
            self.expect_rank(rank);
        }
        let reference = !self.nbrhd.direct.load(Ordering::Relaxed);
        (!near && !reference && able(conduit.caps())).then_some(conduit)
    }

    /// False: not sent, for want of room.
    fn send_piece(
        &self,
        op: &'static Op,
        kind: Kind,
        to: JobRank,
        patience: Patience,
        send: impl Fn(Leaf) -> Sent,
    ) -> bool {
        op.set_peer(to);
        // Counted before it is sent: another thread may handle its end before this one returns.
        op.start(kind);
        let send = || Some(send(Leaf(op.leaf(kind)))).filter(|sent| *sent != Sent::Retry);
        let sent = match send() {
            None if patience == Patience::Wait => {
                Some(self.wait_for_room(Traffic::Request, || Note::room(to.0, REQUEST), send))
            }
            sent => sent,
        };
        if sent != Some(Sent::Later) {
            op.finish(kind);
        }
        sent.is_some()
    }
}
