//! Where the bytes of a get in progress go: kept from the first request until the last reply.
//!
//! # Safety
//! Addresses turned into references are those of [`Landing`]s that this process made, in replies to requests that carried
//! them. One lives until everything expected has arrived.
#![allow(unsafe_code)]

use super::far::{halves, whole};
use super::list::Place;
use super::shape::Shape;
use crate::event::{Kind, Op};
use crate::mem::Src;
use crate::sync::atomic::{AtomicUsize, Ordering};

pub struct Landing {
    op: &'static Op,
    shape: Shape<'static>,
    /// Replies that are to come, and one more while requests are being sent.
    left: AtomicUsize,
}

impl Landing {
    pub fn new(op: &'static Op, shape: Shape<'static>) -> &'static Landing {
        Box::leak(Box::new(Landing { op, shape, left: AtomicUsize::new(1) }))
    }

    /// As two message arguments, high half first.
    pub fn to_args(&'static self) -> [i32; 2] {
        halves(core::ptr::from_ref(self).expose_provenance())
    }

    /// One more request is about to be sent.
    pub fn expect(&self) {
        self.op.start(Kind::Get);
        self.left.fetch_add(1, Ordering::Relaxed);
    }

    /// The last request is sent; the sender must not use this any more.
    pub fn all_expected(&'static self) {
        self.drop_one();
    }

    /// The only request expected was not sent.
    pub fn never(&'static self) {
        self.op.finish(Kind::Get);
        self.drop_one();
        self.drop_one();
    }

    fn drop_one(&'static self) {
        // Release and Acquire: who is last sees the others done.
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            let this = core::ptr::from_ref(self).cast_mut();
            // SAFETY: leaked by `new`; nobody else is left who knows it.
            drop(unsafe { Box::from_raw(this) });
        }
    }
}

/// A reply: the bytes from `place` on of the landing that `args` name.
pub fn arrived(args: [i32; 2], place: Place, bytes: Src<'_>) {
    let landing = core::ptr::with_exposed_provenance::<Landing>(whole(args[0], args[1]));
    // SAFETY: the module's paragraph; this reply is one of those expected.
    let landing: &'static Landing = unsafe { &*landing };
    landing.shape.unpack(place, bytes);
    let op = landing.op;
    landing.drop_one();
    // Last: the client may free its lists from here on.
    op.finish(Kind::Get);
}
