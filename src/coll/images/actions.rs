//! The steps of a rank for a collective of images: an operation with the other ranks, and local actions before and after it.

use std::sync::Arc;

use crate::coll::images::spans::Spans;
use crate::coll::operation::Operation;
use crate::coll::scratch::{Scratch, adjacent_src};
use crate::mem::{self, Dst, Src};

/// A local action that is executed once.
pub(crate) type Hook = Box<dyn FnOnce() + Send>;

/// The actions of a rank.
pub struct Plan {
    /// The operation with the other ranks; None if there are no data.
    pub operation: Option<Operation>,
    /// Executed before it, once the memory of the rank's images may be read.
    pub ready: Option<Hook>,
    /// Executed after it.
    pub done: Option<Hook>,
    /// The scratch memory of which these three have views.
    pub scratch: Vec<Arc<Scratch>>,
    /// No rank has actions other than `operation`.
    pub plain: bool,
}

/// This rank, and the images of the team.
pub(crate) struct Context<'a> {
    pub me: u32,
    pub size: u32,
    pub spans: &'a Spans,
    /// Every rank has one image.
    pub plain: bool,
}

/// The buffers of a rank's images, in their order. Buffers that are used on the root only are empty elsewhere.
pub struct ImageBuffers {
    pub dsts: Vec<Dst<'static>>,
    pub srcs: Vec<Src<'static>>,
}

pub(crate) fn copy(dst: Dst<'_>, src: Src<'_>) {
    if src.as_ptr() != dst.as_ptr().cast_const() {
        mem::copy(dst, src);
    }
}

/// A view of all of `srcs`, one after the other. If they are not adjacent, also the action that packs them, and the
/// scratch memory.
pub(crate) fn packed(srcs: &[Src<'static>]) -> (Src<'static>, Option<Hook>, Vec<Arc<Scratch>>) {
    if let Some(all) = adjacent_src(srcs) {
        return (all, None, Vec::new());
    }
    let scratch = Scratch::new(srcs.iter().map(|src| src.len()).sum());
    let (all, into, srcs) = (scratch.src(), scratch.dst(), srcs.to_vec());
    let pack = move || {
        let mut at = 0;
        for src in srcs {
            mem::copy(into.part(at, src.len()), src);
            at += src.len();
        }
    };
    (all, Some(Box::new(pack)), vec![scratch])
}
