//! Waits for operations, by their handles or leaf events, and for a thread's implicit operations.

use crate::event::{Handle, Op, Which, mine};
use crate::job::Job;

impl Job {
    /// Waits until `handle` is complete, and releases it.
    pub fn wait(&self, call: &str, handle: Handle) {
        if handle != Handle::DONE && !self.quietens(handle) {
            let op = self.explicit_op(call, handle);
            match handle.leaf() {
                Some(which) => self.wait_for(|| op.note(), || which.done(op)),
                None => self.wait_own(op),
            }
        }
    }

    /// Waits for an operation of this thread for which the client has no handle.
    pub fn wait_own(&self, op: &'static Op) {
        self.wait_for(|| op.note(), || op.is_done());
        mine().give(op);
    }

    /// Waits until a value get is complete, releases the operation and returns the value.
    pub fn wait_value(&self, call: &str, handle: Handle) -> u64 {
        let op = self.value_op(call, handle);
        self.wait_for(|| op.note(), || op.is_done());
        let value = op.value();
        mine().give(op);
        value
    }

    /// Waits until the thread's implicit operations of these categories are all complete.
    pub fn wait_implicit(&self, call: &str, which: Which) {
        self.quieten(which);
        let op = self.implicit_op(call);
        if !which.done(op) {
            self.wait_for(|| op.note(), || which.done(op));
        }
    }
}
