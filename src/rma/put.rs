//! Put: bytes from here to an endpoint's segment.

use crate::defs::message::Immediate;
use crate::defs::rank::Location;
use crate::event::{Handle, Which, mine};
use crate::job::Job;
use crate::mem::{self, RemoteAddr, Src};
use crate::rma::{Local, Started, Track};

impl Job {
    /// Copies `src` to `dst` on `to`; on return `src` may be reused and the
    /// target sees the bytes. `dst` must lie in `to`'s segment.
    #[inline]
    pub fn put_blocking(&self, to: Location, dst: RemoteAddr, src: Src<'_>) {
        self.put_blocking_if(to, dst, src, Immediate::No);
    }

    /// As `put_blocking`; false: nothing was started (resources exhausted).
    pub fn put_blocking_if(&self, to: Location, dst: RemoteAddr, src: Src<'_>, immediate: Immediate) -> bool {
        if let Some(dst) = self.nbrhd.map_at(to, dst, src.len()) {
            mem::copy_out(dst, src);
            return true;
        }
        self.far_put_blocking(to, dst, src, immediate)
    }

    /// Not inlined: the copy above needs no frame.
    #[inline(never)]
    fn far_put_blocking(&self, to: Location, dst: RemoteAddr, src: Src<'_>, immediate: Immediate) -> bool {
        if self.put_until_quiet(to, dst, src) {
            self.quieten(Which::PUTS);
            return true;
        }
        let op = mine().explicit();
        let started = self.far_put_if(op, to, dst, src, Local::Defer, immediate);
        self.wait_own(op);
        started
    }

    /// Starts to copy `src` to `dst` on `to`. `src` may be reused when `local` says.
    pub fn put_start(&self, track: Track, to: Location, dst: RemoteAddr, src: Src<'_>, local: Local) -> Handle {
        self.put_start_if(track, to, dst, src, local, Immediate::No).root
    }

    /// As `put_start`; the root is [`Handle::NO_OP`] if nothing was started (resources exhausted).
    #[inline]
    pub fn put_start_if(
        &self,
        track: Track,
        to: Location,
        dst: RemoteAddr,
        src: Src<'_>,
        local: Local,
        immediate: Immediate,
    ) -> Started {
        if let Some(dst) = self.nbrhd.map_at(to, dst, src.len()) {
            mem::copy_out(dst, src);
            return Started::DONE;
        }
        self.far_put_start(track, to, dst, src, local, immediate)
    }

    #[inline(never)]
    fn far_put_start(
        &self,
        track: Track,
        to: Location,
        dst: RemoteAddr,
        src: Src<'_>,
        local: Local,
        immediate: Immediate,
    ) -> Started {
        if self.put_until_quiet(to, dst, src) {
            let root = if track == Track::Explicit { Handle::QUIET } else { Handle::DONE };
            return Started { root, leaf: Handle::DONE };
        }
        self.start_if(track, local, |op| self.far_put_if(op, to, dst, src, local, immediate))
    }
}
