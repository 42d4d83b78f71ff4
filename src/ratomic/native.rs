//! Atomic operations that the conduit executes.

use crate::conduit::{Atomic, Sent};
use crate::defs::message::{Immediate, OpToken, Traffic};
use crate::defs::rank::Location;
use crate::event;
use crate::fatal::fatal;
use crate::hang::counts::REQUEST;
use crate::hang::waits::Note;
use crate::job::Job;
use crate::mem::{Dst, RemoteAddr};
use crate::ratomic::ops::{Request, Type};
use crate::sync::atomic::Ordering;
use crate::team::Team;

impl Job {
    /// Whether the conduit executes the operations of a domain of `team` with these `ops`. All members get the same answer:
    /// it depends on the conduit, and on whether the team shares memory.
    pub fn has_native_atomics(&self, team: &Team, dtype: Type, ops: u32) -> bool {
        let able = self.conduit.is_some_and(|conduit| ops & !conduit.atomics(dtype.code()) == 0);
        let reference = !self.nbrhd.direct.load(Ordering::Relaxed);
        let is_far = |rank| self.nbrhd.node_rank(team.job_rank(rank)).is_none();
        let reached = (0..team.size()).all(|rank| self.reaches(team.at(rank).ep));
        able && !reference && reached && (0..team.size()).any(is_far)
    }

    /// Starts `request` as a piece of `op`. Returns false if resources were exhausted and the operation was not started.
    pub(super) fn native_atomic(
        &self,
        op: &'static event::Op,
        to: Location,
        at: RemoteAddr,
        request: &Request,
        result: Option<Dst<'_>>,
        immediate: Immediate,
    ) -> bool {
        let Some(conduit) = self.conduit else {
            fatal!("an atomic domain is of a network, and there is none");
        };
        let Request { dtype, op: what, op1, op2, .. } = *request;
        let kind = what.kind();
        let token = OpToken(op.token(kind));
        let what = Atomic { dtype: dtype.code(), op: what.code(), op1, op2 };
        self.poll_to_send();
        op.set_peer(to.rank);
        op.start(kind);
        let send = || Some(conduit.atomic(to, at, &what, result, token)).filter(|sent| *sent != Sent::Retry);
        let sent = match send() {
            None if immediate == Immediate::No => {
                Some(self.wait_for_room(Traffic::Request, || Note::room(to.rank.0, REQUEST), send))
            }
            sent => sent,
        };
        if matches!(sent, None | Some(Sent::Done)) {
            op.finish(kind);
        }
        sent.is_some()
    }
}
