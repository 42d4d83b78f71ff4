//! Testing and waiting for operations, by their handles, by their leaves, and for a thread's implicit ones.
//!
//! # Safety
//! As in event.rs: operations are never freed, and debug clients' handles are looked up before they are believed.
#![allow(unsafe_code)]

use core::ptr;

use super::{
    ADDRESS, COLLECTED, EXPLICIT, FREE, Handle, LEAF, LEAF_SHIFT, LEAFLESS, Op, Ops, REGISTRY, STATE, VALUE, Which,
    mine,
};
use crate::fatal::usage;
use crate::job::Job;
use crate::progress::waits::Note;
use crate::sync::atomic::Ordering;

impl Job {
    /// The operation of a handle other than `DONE` that the client gave back as `call`'s argument.
    fn op_of(&self, call: &str, handle: Handle, state: u32) -> &'static Op {
        if handle.0 & 1 != 0 {
            usage!(call, "GEX_EVENT_NO_OP is no event: nothing was started, so there is nothing to synchronise");
        }
        if self.settings.debug {
            check(call, handle, state);
        }
        // SAFETY: the caller holds a handle that `Op::handle` made; debug clients' were looked up.
        unsafe { &*ptr::with_exposed_provenance::<Op>(handle.0 & ADDRESS) }
    }

    /// Gives `handle` back if it is complete. A leaf stays valid until the whole is given back.
    pub fn test(&self, call: &str, handle: Handle) -> bool {
        if handle == Handle::DONE {
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

    /// Whether `handle` is complete; gives nothing back.
    pub fn is_complete(&self, call: &str, handle: Handle) -> bool {
        handle == Handle::DONE || {
            let op = self.op_of(call, handle, EXPLICIT);
            handle.leaf().unwrap_or(Which::ALL).done(op)
        }
    }

    /// What a thread says that waits for `handle`.
    pub fn note_of(&self, call: &str, handle: Handle) -> Note<'static> {
        match handle {
            Handle::DONE => Note::Operations { puts: 0, gets: 0, atomics: 0, peer: None },
            _ => self.op_of(call, handle, EXPLICIT).note(),
        }
    }

    /// Waits until `handle` is complete and gives it back.
    pub fn wait(&self, call: &str, handle: Handle) {
        if handle != Handle::DONE {
            let op = self.op_of(call, handle, EXPLICIT);
            if let Some(which) = handle.leaf() {
                return self.wait_for(|| op.note(), || which.done(op));
            }
            self.wait_for(|| op.note(), || op.is_done());
            mine().give(op);
        }
    }

    /// The leaf of `root` that stands for `which`, one of the categories; the same one each time.
    pub fn leaf_of(&self, call: &str, root: Handle, which: Which) -> Handle {
        if root == Handle::DONE {
            return root;
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
        let bits = if which == Which::LOCAL { 0 } else { which.0 as usize & 15 };
        Handle(root.0 & ADDRESS | bits << LEAF_SHIFT | LEAF)
    }

    /// Waits for an operation of this thread that no client knows.
    pub fn wait_own(&self, op: &'static Op) {
        self.wait_for(|| op.note(), || op.is_done());
        mine().give(op);
    }

    /// Waits until a value get is complete; gives the operation back and returns the value.
    pub fn wait_value(&self, call: &str, handle: Handle) -> u64 {
        let op = self.op_of(call, handle, VALUE);
        self.wait_for(|| op.note(), || op.is_done());
        let value = op.value.load(Ordering::Relaxed);
        mine().give(op);
        value
    }

    /// Whether the thread's implicit operations of these categories are all complete.
    pub fn test_implicit(&self, call: &str, which: Which) -> bool {
        let ops = mine();
        self.outside_region(call, ops);
        which.done(ops.implicit)
    }

    /// Waits until the thread's implicit operations of these categories are all complete.
    pub fn wait_implicit(&self, call: &str, which: Which) {
        let ops = mine();
        self.outside_region(call, ops);
        if !which.done(ops.implicit) {
            self.wait_for(|| ops.implicit.note(), || which.done(ops.implicit));
        }
    }

    fn outside_region(&self, call: &str, ops: &Ops) {
        if self.settings.debug && ops.in_region() {
            usage!(
                call,
                "an access region is open: implicit operations in it are synchronised by what ends the region"
            );
        }
    }

    /// Debug: GASNet-1's handles belong to the thread that got them.
    pub fn check_owner(&self, call: &str, handle: Handle) {
        if self.settings.debug && handle.0 > 1 && handle.0 & LEAF == 0 {
            check(call, handle, EXPLICIT);
            // SAFETY: `check` looked it up.
            let op: &Op = unsafe { &*ptr::with_exposed_provenance::<Op>(handle.0) };
            if op.owner != mine().index {
                usage!(call, "handle {:#x} belongs to another thread; handles are thread-specific", handle.0);
            }
        }
    }
}

/// Ends the job if `handle` is none that may be synchronised.
fn check(call: &str, handle: Handle, state: u32) {
    let at = handle.0 & ADDRESS;
    let block = |&(start, count): &(usize, usize)| at >= start && at < start + count * size_of::<Op>();
    // Other low bits than a leaf's are in no handle.
    if handle.0 & !ADDRESS & !LEAF != 0 && handle.leaf().is_none() || !REGISTRY.lock().blocks.iter().any(block) {
        usage!(call, "handle {:#x} is none that GASNet returned", handle.0);
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
