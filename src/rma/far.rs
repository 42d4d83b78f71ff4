//! Put and get of a rank that copies do not reach: by the conduit where it offers that, else by active messages.

use crate::conduit::{Caps, Conduit, Leaf, Sent};
use crate::event::{Kind, Op};
use crate::job::{Job, JobRank};
use crate::mem::{Dst, RemoteAddr, Src};
use crate::nbrhd::pool::Traffic;
use crate::rma::amref;
use crate::sync::atomic::Ordering;

impl Job {
    /// Starts to copy `src` to `dst` on `to`, counted on `op`. `src` may be reused on return unless `bulk`, or else once
    /// `op` is done.
    pub(super) fn far_put(&self, op: &'static Op, to: JobRank, dst: RemoteAddr, src: Src<'_>, bulk: bool) {
        let Some(conduit) = self.native(to, |caps| caps.put) else {
            amref::put(self, op, to, dst, src, bulk);
            return;
        };
        let limits = &self.am.limits;
        // What is too long to be copied must have arrived before the source is free.
        let stays = bulk || src.len() > limits.copied;
        self.poll_to_send();
        for from in (0..src.len()).step_by(limits.piece) {
            let piece = src.part(from, limits.piece.min(src.len() - from));
            let at = RemoteAddr(dst.0 + from);
            self.send_piece(op, Kind::Put, |leaf| conduit.put(to, at, piece, stays, leaf));
        }
        if stays && !bulk {
            self.wait_until(|| op.is_done());
        }
    }

    /// Starts to copy from `src` on `from` to `dst` here, counted on `op`.
    pub(super) fn far_get(&self, op: &'static Op, dst: Dst<'_>, from: JobRank, src: RemoteAddr) {
        let Some(conduit) = self.native(from, |caps| caps.get) else {
            amref::get(self, op, dst, from, src);
            return;
        };
        let limits = &self.am.limits;
        self.poll_to_send();
        for offset in (0..dst.len()).step_by(limits.piece) {
            let piece = dst.part(offset, limits.piece.min(dst.len() - offset));
            let at = RemoteAddr(src.0 + offset);
            self.send_piece(op, Kind::Get, |leaf| conduit.get(piece, from, at, leaf));
        }
    }

    /// The conduit, if it is what reaches `rank` and can do what `able` wants.
    fn native(&self, rank: JobRank, able: impl FnOnce(Caps) -> bool) -> Option<&'static dyn Conduit> {
        let conduit = self.conduit?;
        let near = self.nbrhd.node_rank(rank).is_some();
        let reference = !self.nbrhd.direct.load(Ordering::Relaxed);
        (!near && !reference && able(conduit.caps())).then_some(conduit)
    }

    fn send_piece(&self, op: &'static Op, kind: Kind, send: impl Fn(Leaf) -> Sent) {
        // Counted before it is sent: another thread may handle its end before this one returns.
        op.start(kind);
        let send = || Some(send(Leaf(op.leaf(kind)))).filter(|sent| *sent != Sent::Retry);
        let sent = send().unwrap_or_else(|| self.wait_for_room(Traffic::Request, send));
        if sent == Sent::Done {
            op.finish(kind);
        }
    }
}
