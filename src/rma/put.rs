//! Put: bytes from here to a rank.

use crate::event::{Handle, mine};
use crate::job::{Job, JobRank};
use crate::mem::{self, RemoteAddr, Src};
use crate::rma::Track;

impl Job {
    /// Copies `src` to `dst` on `to`; on return `src` may be reused and the
    /// target sees the bytes. `dst` must lie in `to`'s segment.
    pub fn put_blocking(&self, to: JobRank, dst: RemoteAddr, src: Src<'_>) {
        if let Some(dst) = self.direct(to, dst, src.len()) {
            mem::copy(dst, src);
        } else {
            let op = mine().explicit();
            self.far_put(op, to, dst, src, true);
            self.wait_own(op);
        }
    }

    /// Starts to copy `src` to `dst` on `to`. `src` may be reused on return, or with `bulk` only once the
    /// operation is synchronised.
    pub fn put_start(&self, track: Track, to: JobRank, dst: RemoteAddr, src: Src<'_>, bulk: bool) -> Handle {
        if let Some(dst) = self.direct(to, dst, src.len()) {
            mem::copy(dst, src);
            return Handle::DONE;
        }
        self.start(track, |op| self.far_put(op, to, dst, src, bulk))
    }
}
