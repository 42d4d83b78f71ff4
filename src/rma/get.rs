//! Get: bytes from an endpoint's segment to here.

use crate::defs::message::Immediate;
use crate::defs::rank::Location;
use crate::event::{Handle, mine};
use crate::job::Job;
use crate::mem::{self, Dst, RemoteAddr};
use crate::rma::{Local, Track};

impl Job {
    /// Copies from `src` on `from` to `dst` here, and waits. `src` must lie in `from`'s segment.
    #[inline]
    pub fn get_blocking(&self, dst: Dst<'_>, from: Location, src: RemoteAddr) {
        self.get_blocking_if(dst, from, src, Immediate::No);
    }

    /// As `get_blocking`; false: nothing was started (resources exhausted).
    pub fn get_blocking_if(&self, dst: Dst<'_>, from: Location, src: RemoteAddr, immediate: Immediate) -> bool {
        if let Some(src) = self.nbrhd.map_at(from, src, dst.len()) {
            mem::copy_in(dst, src.as_src());
            return true;
        }
        self.far_get_blocking(dst, from, src, immediate)
    }

    /// Not inlined: the copy above needs no frame.
    #[inline(never)]
    fn far_get_blocking(&self, dst: Dst<'_>, from: Location, src: RemoteAddr, immediate: Immediate) -> bool {
        if self.get_at_once(dst, from, src) {
            return true;
        }
        let op = mine().explicit();
        let started = self.far_get_if(op, dst, from, src, immediate);
        self.wait_own(op);
        started
    }

    /// Starts to copy from `src` on `from` to `dst` here, which is undefined until the operation is synchronised.
    pub fn get_start(&self, track: Track, dst: Dst<'_>, from: Location, src: RemoteAddr) -> Handle {
        self.get_start_if(track, dst, from, src, Immediate::No)
    }

    /// As `get_start`; [`Handle::NO_OP`] if nothing was started (resources exhausted).
    #[inline]
    pub fn get_start_if(
        &self,
        track: Track,
        dst: Dst<'_>,
        from: Location,
        src: RemoteAddr,
        immediate: Immediate,
    ) -> Handle {
        if let Some(src) = self.nbrhd.map_at(from, src, dst.len()) {
            mem::copy_in(dst, src.as_src());
            return Handle::DONE;
        }
        self.far_get_start(track, dst, from, src, immediate)
    }

    #[inline(never)]
    fn far_get_start(
        &self,
        track: Track,
        dst: Dst<'_>,
        from: Location,
        src: RemoteAddr,
        immediate: Immediate,
    ) -> Handle {
        if self.get_at_once(dst, from, src) {
            return Handle::DONE;
        }
        self.start_if(track, Local::Defer, |op| self.far_get_if(op, dst, from, src, immediate)).root
    }
}
