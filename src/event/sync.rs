//! Operations by the handles or leaf events that clients pass: tests and checks; am/sync.rs waits for them.
//!
//! # Safety
//! As in event.rs: operations are never freed, and in debug clients handles are looked up before they are used.
#![allow(unsafe_code)]

use core::ptr;

use super::{
    ADDRESS, COLLECTED, EXPLICIT, FREE, Handle, LEAF, LEAFLESS, Op, REGISTRY, STATE, VALUE, Which, left_for_quiet, mine,
};
use crate::fatal::usage;
use crate::hang::waits::Note;
use crate::job::Job;
use crate::sync::atomic::Ordering;

impl Job {
    /// The operation of a handle other than `DONE` that the client passed to `call`.
    pub fn explicit_op(&self, call: &str, handle: Handle) -> &'static Op {
        self.op_of(call, handle, EXPLICIT)
    }

    /// The operation of a value get by the handle that the client passed to `call`.
    pub fn value_op(&self, call: &str, handle: Handle) -> &'static Op {
        self.op_of(call, handle, VALUE)
    }

    /// The operation of which the thread's implicit operations are pieces.
    pub fn implicit_op(&self, call: &str) -> &'static Op {
        let ops = mine();
        if self.settings.debug && ops.in_region() {
            usage!(
                call,
                "an access region is open: implicit operations in it are synchronised by what ends the region"
            );
        }
        ops.implicit
    }

    fn op_of(&self, call: &str, handle: Handle, state: u32) -> &'static Op {
        if handle.0 & 1 != 0 {
            usage!(call, "GEX_EVENT_NO_OP is not an event: no operation was started, so none can be synchronised");
        }
        if self.settings.debug {
            check(call, handle, state);
        }
        // SAFETY: the caller holds a handle that `Op::handle` made; debug clients' were looked up.
        unsafe { &*ptr::with_exposed_provenance::<Op>(handle.0 & ADDRESS) }
    }

    /// Tests `handle`, and releases it if it is complete. A leaf is valid until its root is released.
    pub fn test(&self, call: &str, handle: Handle) -> bool {
        if handle == Handle::DONE || self.quietens(handle) {
            return true;
        }
        let op = self.op_of(call, handle, EXPLICIT);
        if let Some(which) = handle.leaf() {
            return which.done(op);
        }
        let done = op.is_done();
        if done {
            mine().give(op);
        }
        done
    }

    /// Whether `handle` is complete; does not release it.
    pub fn is_complete(&self, call: &str, handle: Handle) -> bool {
        handle == Handle::DONE || self.quietens(handle) || {
            let op = self.op_of(call, handle, EXPLICIT);
            handle.leaf().unwrap_or(Which::ALL).done(op)
        }
    }

    /// Completes the puts that have [`Handle::QUIET`]; false for any other handle.
    #[inline]
    pub fn quietens(&self, handle: Handle) -> bool {
        // Before a put was left for it, the handle is of no operation, as any invalid one.
        let is_quiet = handle == Handle::QUIET && left_for_quiet();
        if is_quiet {
            self.quieten(Which::PUTS);
        }
        is_quiet
    }

    /// Completes puts that wait for the network's quiet, if `which` has puts. Costs nothing if there never was one.
    #[inline]
    pub fn quieten(&self, which: Which) {
        if which.has_puts() && left_for_quiet() {
            if let Some(conduit) = self.quiets {
                conduit.quieten();
            }
        }
    }

    /// The description of a wait for `handle`, for hang reports.
    pub fn note_of(&self, call: &str, handle: Handle) -> Note<'static> {
        match handle {
            Handle::DONE | Handle::QUIET => Note::Operations { puts: 0, gets: 0, atomics: 0, peer: None },
            _ => self.op_of(call, handle, EXPLICIT).note(),
        }
    }

    /// The leaf event of `root` for `which`, one of the categories; always the same one.
    pub fn leaf_of(&self, call: &str, root: Handle, which: Which) -> Handle {
        if let Some(leaf) = root.leaf_without_operation(which) {
            return leaf;
        }
        let op = self.op_of(call, root, EXPLICIT);
        if self.settings.debug {
            let state = op.state.load(Ordering::Relaxed);
            if root.leaf().is_some() {
                usage!(call, "event {:#x} is a leaf; only a root has leaves", root.0);
            }
            if state & LEAFLESS != 0 || which != Which::LOCAL && state & COLLECTED == 0 {
                usage!(
                    call,
                    "event {:#x} has no leaf of category {:#x}: its call did not ask for one",
                    root.0,
                    which.0
                );
            }
        }
        root.leaf_for(which)
    }

    /// Whether the thread's implicit operations of these categories are all complete.
    pub fn test_implicit(&self, call: &str, which: Which) -> bool {
        self.quieten(which);
        which.done(self.implicit_op(call))
    }

    /// Debug clients: checks that a GASNet-1 handle belongs to this thread.
    pub fn check_owner(&self, call: &str, handle: Handle) {
        if self.settings.debug && handle.0 > 1 && handle.0 & LEAF == 0 && handle != Handle::QUIET {
            check(call, handle, EXPLICIT);
            // SAFETY: `check` looked it up.
            let op: &Op = unsafe { &*ptr::with_exposed_provenance::<Op>(handle.0) };
            if op.owner != mine().index {
                usage!(call, "handle {:#x} belongs to another thread; handles are thread-specific", handle.0);
            }
        }
    }
}

/// Ends the job if `handle` cannot be synchronised.
fn check(call: &str, handle: Handle, state: u32) {
    let at = handle.0 & ADDRESS;
    let block = |&(start, count): &(usize, usize)| at >= start && at < start + count * size_of::<Op>();
    // No handle has low bits other than those of a leaf.
    if handle.0 & !ADDRESS & !LEAF != 0 && handle.leaf().is_none() || !REGISTRY.lock().blocks.iter().any(block) {
        usage!(call, "handle {:#x} was not returned by GASNet", handle.0);
    }
    // SAFETY: it lies at the start of an operation in a known block.
    let op = unsafe { &*ptr::with_exposed_provenance::<Op>(at) };
    match op.state.load(Ordering::Relaxed) & STATE {
        FREE => usage!(call, "handle {:#x} was already synchronised", handle.0),
        found if found != state => {
            usage!(call, "handle {:#x} is of another kind (a value get's, or an open access region's)", handle.0)
        }
        _ => {}
    }
}
