//! Puts, gets and atomics by calls of the library.

use super::{ShmemRank, TRANSFERS};
use crate::conduit::shared::operations::{NetworkAtomic, NetworkOp};
use crate::conduit::{Atomic, OpToken, Sent};
use crate::defs::rank::JobRank;
use crate::fatal::fatal;
use crate::mem::{self, Dst, RemoteAddr, Src};

impl ShmemRank {
    pub(crate) fn start_put(&mut self, to: JobRank, dst: RemoteAddr, src: Src<'_>, token: OpToken) -> Sent {
        if self.is_gone(to) {
            return self.arrivals.fails(token);
        }
        if self.unquiet_puts >= TRANSFERS {
            return Sent::Retry;
        }
        let (area, offset) = self.in_area(to, dst);
        self.shmem.put(area, offset, src, self.peers[to.index()].pe);
        self.waits_for_quiet(token);
        Sent::Copied
    }

    /// A put that the next quiet completes, and nothing reports. False: `to` is gone.
    #[inline]
    pub(crate) fn put_loudly(&mut self, to: JobRank, dst: RemoteAddr, src: Src<'_>) -> bool {
        if self.is_gone(to) {
            return false;
        }
        let (area, offset) = self.in_area(to, dst);
        self.shmem.put(area, offset, src, self.peers[to.index()].pe);
        self.is_loud = true;
        true
    }

    /// Gets of this library are complete when they return. False: `from` is gone.
    #[inline]
    pub(crate) fn get_directly(&mut self, dst: Dst<'_>, from: JobRank, src: RemoteAddr) -> bool {
        if self.is_gone(from) {
            return false;
        }
        let (area, offset) = self.in_area(from, src);
        self.shmem.get(dst, area, offset, self.peers[from.index()].pe);
        true
    }

    pub(crate) fn get_now(&mut self, dst: Dst<'_>, from: JobRank, src: RemoteAddr, token: OpToken) -> Sent {
        if self.get_directly(dst, from, src) { Sent::Done } else { self.arrivals.fails(token) }
    }

    pub(crate) fn start_atomic(
        &mut self,
        to: JobRank,
        at: RemoteAddr,
        what: &Atomic,
        result: Option<Dst<'_>>,
        token: OpToken,
    ) -> Sent {
        if self.is_gone(to) {
            return self.arrivals.fails(token);
        }
        if self.unquiet_puts >= TRANSFERS {
            return Sent::Retry;
        }
        let Some(call) = NetworkAtomic::of(what) else { fatal!("conduit shmem has no atomic {:#x}", what.op) };
        let (area, offset) = self.in_area(to, at);
        let before =
            self.shmem.atomic(area, offset, self.peers[to.index()].pe, [call.kind, call.op as i32], call.values);
        if let Some(result) = result.filter(|_| call.fetches) {
            mem::copy(result.part(0, call.bytes), Src::of(&before.to_ne_bytes()[..call.bytes]));
        }
        if call.fetches || call.op == NetworkOp::CompareSwap {
            return Sent::Done;
        }
        self.waits_for_quiet(token);
        Sent::Later
    }
}
