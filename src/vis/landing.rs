//! The destination of a get in progress: exists from the first request until the last reply.
//!
//! # Safety
//! The target of a [`ScatteredTarget`] is reference-counted: one reference for each request in flight, and one for the
//! sender until `all_expected` or `never`; releasing the last one frees it. A reply carries the address that this
//! process put into the request, and releases that request's reference: a peer answers a request once, and conduits
//! deliver a message once.
#![allow(unsafe_code)]

use core::ptr::NonNull;

use super::list::Cursor;
use super::shape::Shape;
use crate::event::{Op, PieceKind};
use crate::mem::{Src, halves, whole};
use crate::sync::atomic::{AtomicUsize, Ordering};

struct TargetState {
    op: &'static Op,
    shape: Shape<'static>,
    shares: AtomicUsize,
}

/// A reference.
pub(crate) struct ScatteredTarget(NonNull<TargetState>);

impl ScatteredTarget {
    /// The sender's reference.
    pub(crate) fn new(op: &'static Op, shape: Shape<'static>) -> ScatteredTarget {
        ScatteredTarget(NonNull::from(Box::leak(Box::new(TargetState { op, shape, shares: AtomicUsize::new(1) }))))
    }

    fn kept(&self) -> &TargetState {
        // SAFETY: made by `new`, and not freed while this reference exists; it is written only through atomics.
        unsafe { self.0.as_ref() }
    }

    /// As two message arguments, high half first.
    pub(crate) fn to_args(&self) -> [i32; 2] {
        halves(self.0.as_ptr().expose_provenance())
    }

    /// One more request is about to be sent.
    pub(crate) fn expect(&self) {
        let kept = self.kept();
        kept.op.start(PieceKind::Get);
        kept.shares.fetch_add(1, Ordering::Relaxed);
    }

    /// The last request is sent.
    pub(crate) fn all_expected(self) {
        self.give_up();
    }

    /// The only request expected was not sent.
    pub(crate) fn never(self) {
        let kept = self.kept();
        kept.op.finish(PieceKind::Get);
        // Not the last reference: the sender's is left.
        kept.shares.fetch_sub(1, Ordering::Relaxed);
        self.give_up();
    }

    fn give_up(self) {
        // Release and Acquire: the holder of the last reference sees all accesses of the others. No Rust reference is
        // held while another thread may free.
        if self.kept().shares.fetch_sub(1, Ordering::AcqRel) == 1 {
            // SAFETY: leaked by `new`; this was the last reference.
            drop(unsafe { Box::from_raw(self.0.as_ptr()) });
        }
    }
}

/// A reply: the bytes from `place` on of the landing that `args` name.
pub(crate) fn arrived(args: [i32; 2], place: Cursor, bytes: Src<'_>) {
    let Some(kept) = NonNull::new(core::ptr::with_exposed_provenance_mut(whole(args[0], args[1]))) else { return };
    // The reference of the request that this reply answers (the module's paragraph).
    let landing = ScatteredTarget(kept);
    landing.kept().shape.unpack(place, bytes);
    let op = landing.kept().op;
    landing.give_up();
    // Last: the client may free its lists from here on.
    op.finish(PieceKind::Get);
}
