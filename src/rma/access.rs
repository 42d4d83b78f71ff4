//! Starts operations that are counted on an [`Op`], and access regions, which give many operations one handle.

use crate::event::{self, Handle, Op, Which, mine};
use crate::fatal::usage;
use crate::job::Job;
use crate::rma::{Local, Started, Track};

impl Job {
    /// Runs `send`, which starts pieces of an operation, and returns its handle.
    pub fn start(&self, track: Track, send: impl FnOnce(&'static Op)) -> Handle {
        let send = |op| {
            send(op);
            true
        };
        self.start_if(track, Local::Defer, send).root
    }

    /// As `start`, where `send` returns false if it started nothing (resources exhausted); the root is then
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
        // An operation that is complete has no leaf any more.
        Started { root, leaf: if root == Handle::DONE { root } else { leaf } }
    }

    /// Opens an access region for the thread's implicit operations. If one is open already, it stays open; a debug client's
    /// job ends.
    pub fn region_begin(&self, call: &str) {
        if !mine().begin_region() && self.settings.debug {
            usage!(call, "an access region is already open on this thread; they do not nest");
        }
    }

    /// Ends the access region; returns one handle for all operations that were started in it. If none is open, returns
    /// [`Handle::DONE`]; a debug client's job ends.
    pub fn region_end(&self, call: &str) -> Handle {
        match mine().end_region() {
            // It may have puts that wait for a quiet.
            Some(Handle::DONE) if event::left_for_quiet() => Handle::QUIET,
            Some(handle) => {
                self.quieten(Which::PUTS);
                handle
            }
            None if !self.settings.debug => Handle::DONE,
            None => usage!(call, "no access region is open on this thread"),
        }
    }
}
