//! Non-contiguous put and get: vector, indexed and strided. Transfers with a rank whose segment is mapped here use
//! copy loops (`kernel`); others, and all transfers if the reference path is selected, use packed messages (`far`).

mod far;
pub(crate) mod grid;
pub(crate) mod handlers;
pub(crate) mod kernel;
mod landing;
pub(crate) mod list;
pub(crate) mod overlap;
pub(crate) mod peer;
mod scratch;
mod shape;
#[cfg(test)]
mod tests;
pub(crate) mod transfer;

use crate::defs::message::{Immediate, Traffic};
use crate::defs::rank::Location;
use crate::event::{Handle, Op, mine};
use crate::fatal::usage;
use crate::job::Job;
use crate::mem::RemoteAddr;
use crate::rma::{Local, Track};
use transfer::VisTransfer;

/// How a transfer is started.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    Blocking,
    Tracked(Track),
}

impl Job {
    /// Put: copies local data to `to`, from endpoint `from` of this rank. Unless it blocks, lists must not be
    /// changed until the operation is synchronised; `local` determines when sources may be changed. Returns
    /// [`Handle::NO_OP`] if resources were exhausted and the put was not started.
    pub fn vis_put(
        &self,
        call: &str,
        how: How,
        (from, to): (u16, Location),
        transfer: &VisTransfer<'_>,
        local: Local,
        immediate: Immediate,
    ) -> Handle {
        if !self.may_start(Traffic::Request, immediate) {
            return Handle::NO_OP;
        }
        let then = peer::disarm().map(|armed| (from, armed));
        let place = transfer.dst_place();
        if let Some(bias) = place.map_or(Some(0), |(at, len)| self.vis_bias(to, at, len)) {
            if !transfer.copy(bias, 0) {
                differ(call, transfer);
            }
            if let Some((from, armed)) = then {
                self.peer_complete(from, to, armed, immediate);
            }
            return Handle::DONE;
        }
        let total = agreed(call, transfer);
        self.vis_start(how, local, |op| self.vis_far_put(op, to, transfer, total, local, immediate, then))
    }

    /// Get: copies data of `from` to local memory. Unless it blocks, lists must not be changed until the operation
    /// is synchronised. Returns [`Handle::NO_OP`] if resources were exhausted and the get was not started.
    pub fn vis_get(
        &self,
        call: &str,
        how: How,
        from: Location,
        transfer: &VisTransfer<'_>,
        immediate: Immediate,
    ) -> Handle {
        if !self.may_start(Traffic::Request, immediate) {
            return Handle::NO_OP;
        }
        let place = transfer.src_place();
        if let Some(bias) = place.map_or(Some(0), |(at, len)| self.vis_bias(from, at, len)) {
            if !transfer.copy(0, bias) {
                differ(call, transfer);
            }
            return Handle::DONE;
        }
        let total = agreed(call, transfer);
        self.vis_start(how, Local::Defer, |op| self.vis_far_get(op, from, transfer, total, immediate))
    }

    /// The difference between local and remote addresses for addresses of `there` around `at`.
    fn vis_bias(&self, there: Location, at: usize, len: usize) -> Option<isize> {
        let mapped = self.nbrhd.map_at(there, RemoteAddr(at), len)?;
        Some(mapped.as_ptr().expose_provenance().wrapping_sub(at) as isize)
    }

    fn vis_start(&self, how: How, local: Local, send: impl FnOnce(&'static Op) -> bool) -> Handle {
        match how {
            How::Tracked(track) => self.start_if(track, local, send).root,
            How::Blocking => {
                let op = mine().explicit();
                let started = send(op);
                self.wait_own(op);
                if started { Handle::DONE } else { Handle::NO_OP }
            }
        }
    }
}

/// Bytes to be moved.
pub(crate) fn agreed(call: &str, transfer: &VisTransfer<'_>) -> usize {
    match transfer.totals() {
        (Some(dst), Some(src)) if dst == src => dst,
        _ => differ(call, transfer),
    }
}

#[cold]
fn differ(call: &str, transfer: &VisTransfer<'_>) -> ! {
    let say = |total: Option<usize>| total.map_or("too many".to_owned(), |total| total.to_string());
    let (dst, src) = transfer.totals();
    usage!(call, "the destination list describes {} bytes and the source list {}", say(dst), say(src));
}
