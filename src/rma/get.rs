//! Get: bytes from a rank to here.

use crate::event::{Handle, mine};
use crate::job::{Job, JobRank};
use crate::mem::{self, Dst, RemoteAddr};
use crate::rma::Track;

impl Job {
    /// Copies from `src` on `from` to `dst` here, and waits. `src` must lie in `from`'s segment.
    pub fn get_blocking(&self, dst: Dst<'_>, from: JobRank, src: RemoteAddr) {
        if let Some(src) = self.direct(from, src, dst.len()) {
            mem::copy(dst, src.as_src());
        } else {
            let op = mine().explicit();
            self.far_get(op, dst, from, src);
            self.wait_own(op);
        }
    }

    /// Starts to copy from `src` on `from` to `dst` here, which is undefined until the operation is synchronised.
    pub fn get_start(&self, track: Track, dst: Dst<'_>, from: JobRank, src: RemoteAddr) -> Handle {
        if let Some(src) = self.direct(from, src, dst.len()) {
            mem::copy(dst, src.as_src());
            return Handle::DONE;
        }
        self.start(track, |op| self.far_get(op, dst, from, src))
    }
}
