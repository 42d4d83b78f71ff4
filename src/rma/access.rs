//! What initiated operations count on, and access regions, which give many of them one handle.

use crate::event::{Handle, Op, mine};
use crate::fatal::usage;
use crate::job::Job;
use crate::rma::Track;

impl Job {
    /// Runs `send`, which starts pieces of an operation, and returns what the initiator holds for it.
    pub(super) fn start(&self, track: Track, send: impl FnOnce(&'static Op)) -> Handle {
        match track {
            Track::Explicit => {
                let op = mine().explicit();
                send(op);
                op.hand_out()
            }
            Track::Implicit => {
                send(mine().current());
                Handle::DONE
            }
        }
    }

    /// From here the thread's implicit operations belong to an access region.
    pub fn region_begin(&self, call: &str) {
        if !mine().begin_region() {
            usage!(call, "an access region is already open on this thread; they do not nest");
        }
    }

    /// Ends the access region; the handle is of all that was started in it.
    pub fn region_end(&self, call: &str) -> Handle {
        match mine().end_region() {
            Some(handle) => handle,
            None => usage!(call, "no access region is open on this thread"),
        }
    }
}
