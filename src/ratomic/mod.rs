//! Remote atomics: operations on numbers in the segments of a team's members. A domain chooses, when it is created, who
//! executes all its operations: the conduit (`native`), if it offers every one of them and some member does not share
//! memory; otherwise the processors. These execute operations on targets that are mapped here in place (`local`); for other
//! targets, and for all if the reference path is selected, the owner executes them (`amref`), with the same instructions.
//! So the operations of a domain are atomic with respect to each other, and so are those of all domains that the processors
//! execute. `call` has the checks of a client's arguments.

pub(crate) mod amref;
pub(crate) mod call;
pub(crate) mod domain;
pub(crate) mod local;
#[cfg(test)]
mod local_tests;
mod native;
pub(crate) mod ops;

use crate::defs::message::Immediate;
use crate::defs::rank::Location;
use crate::event::{Handle, PieceKind};
use crate::job::Job;
use crate::mem::{self, Dst, RemoteAddr, Src};
use crate::ratomic::ops::{AtomicOp, Request, Verb};
use crate::rma::{Local, Track};

impl AtomicOp {
    /// The counter of implicit operations that it belongs to.
    fn kind(self) -> PieceKind {
        match (self.verb, self.fetches) {
            (Verb::Set, false) => PieceKind::Put,
            (Verb::Get, _) => PieceKind::Get,
            _ => PieceKind::Rmw,
        }
    }
}

impl Job {
    /// Starts `request` on the object at `at` of `to`, which is aligned and in the segment of that endpoint. Stores
    /// the previous value in `result` if the operation fetches. Returns [`Handle::NO_OP`] if resources were
    /// exhausted and the operation was not started.
    pub fn atomic_start(
        &self,
        track: Track,
        to: Location,
        at: RemoteAddr,
        request: &Request,
        result: Option<Dst<'_>>,
        immediate: Immediate,
    ) -> Handle {
        let Request { dtype, op, op1, op2, native } = *request;
        let result = result.filter(|_| op.fetches);
        if native {
            let send = |in_flight| self.native_atomic(in_flight, to, at, request, result, immediate);
            return self.start_if(track, Local::Defer, send).root;
        }
        let Some(target) = self.nbrhd.map_at(to, at, dtype.bytes()) else {
            let send = |in_flight| amref::start(self, in_flight, to, at, request, result, immediate);
            return self.start_if(track, Local::Defer, send).root;
        };
        let found = local::apply(target, dtype, op.verb, op1, op2);
        if let Some(result) = result {
            mem::copy(result, Src::of(&found.to_le_bytes()[..dtype.bytes()]));
        }
        Handle::DONE
    }
}
