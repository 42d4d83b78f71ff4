//! What initiated operations count on, and access regions, which give many of them one handle.

use crate::event::{Handle, Op, mine};
use crate::fatal::usage;
use crate::job::Job;
use crate::rma::{Local, Started, Track};

impl Job {
    /// Runs `send`, which starts pieces of an operation, and returns what the initiator holds for it.
    pub fn start(&self, track: Track, send: impl FnOnce(&'static Op)) -> Handle {
        let send = |op| {
            send(op);
            true
        };
        self.start_if(track, Local::Defer, send).root
    }

    /// As `start`, where `send` returns false if it started nothing, for want of room; the root is then
    /// [`Handle::NO_OP`].
    pub fn start_if(&self, track: Track, local: Local, send: impl FnOnce(&'static Op) -> bool) -> Started {
        let op = match track {
            Track::Explicit => mine().explicit(),
            Track::Implicit => {
                let root = if send(mine().current()) { Handle::DONE } else { Handle::NO_OP };
                return Started { root, leaf: Handle::DONE };
            }
        };
        if !send(op) {
            mine().give(op);
            return Started { root: Handle::NO_OP, leaf: Handle::DONE };
        }
        let leaf = if local == Local::Apart {
            op.local_leaf()
        } else {
            op.without_leaf();
            Handle::DONE
        };
        let root = op.hand_out();
        // The leaf of what is complete is no more.
        Started { root, leaf: if root == Handle::DONE { root } else { leaf } }
    }

    /// From here the thread's implicit operations belong to an access region: to the one that is open, if one is, of which
    /// debug clients are told.
    pub fn region_begin(&self, call: &str) {
        if !mine().begin_region() && self.settings.debug {
            usage!(call, "an access region is already open on this thread; they do not nest");
        }
    }

    /// Ends the access region; the handle is of all that was started in it: nothing, if none is open, of which debug
    /// clients are told.
    pub fn region_end(&self, call: &str) -> Handle {
        match mine().end_region() {
            Some(handle) => handle,
            None if !self.settings.debug => Handle::DONE,
            None => usage!(call, "no access region is open on this thread"),
        }
    }
}
