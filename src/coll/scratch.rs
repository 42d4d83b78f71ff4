//! Scratch memory of a collective, for data that cannot be read from or written to the client's memory directly, and
//! views of adjacent buffers of the client as one.
//!
//! # Safety
//! A view of scratch memory is valid as long as the collective exists; the collective that has the view also owns the
//! memory.
#![allow(unsafe_code)]

use core::ptr;
use std::sync::Arc;

use crate::mem::{Dst, Src};

/// Memory of the library, aligned for any number.
pub struct Scratch {
    words: *mut u64,
    count: usize,
    len: usize,
}

// SAFETY: any thread may use the memory; the owner of the views orders accesses.
unsafe impl Send for Scratch {}
// SAFETY: as above.
unsafe impl Sync for Scratch {}

impl Scratch {
    /// `len` zero bytes.
    pub fn new(len: usize) -> Arc<Scratch> {
        let count = len.div_ceil(size_of::<u64>());
        let words = Box::into_raw(vec![0u64; count].into_boxed_slice()).cast();
        Arc::new(Scratch { words, count, len })
    }

    /// A view of all of it. The collective that has the view keeps the memory until it ends.
    pub fn dst(&self) -> Dst<'static> {
        // SAFETY: `new` allocated `len` bytes, which live until `drop`: the module's rule.
        unsafe { Dst::new(self.words.cast(), self.len) }
    }

    /// As `dst`.
    pub fn src(&self) -> Src<'static> {
        // SAFETY: as in `dst`.
        unsafe { Src::new(self.words.cast_const().cast(), self.len) }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // SAFETY: from `Box::into_raw` in `new`, with `count` words.
        drop(unsafe { Box::from_raw(ptr::slice_from_raw_parts_mut(self.words, self.count)) });
    }
}

fn are_adjacent(pieces: impl Iterator<Item = (usize, usize)>) -> bool {
    let mut next = None;
    for (at, len) in pieces {
        if next.is_some_and(|next| next != at) {
            return false;
        }
        next = Some(at + len);
    }
    true
}

/// One view of all pieces, if each begins where the previous one ends.
pub(crate) fn adjacent_dst(pieces: &[Dst<'static>]) -> Option<Dst<'static>> {
    let first = pieces.first()?;
    let len = pieces.iter().map(|piece| piece.len()).sum();
    // SAFETY: the bytes are those of the pieces, each of which may be written.
    are_adjacent(pieces.iter().map(|piece| (piece.as_ptr().addr(), piece.len())))
        .then(|| unsafe { Dst::new(first.as_ptr().cast(), len) })
}

/// As `adjacent_dst`.
pub(crate) fn adjacent_src(pieces: &[Src<'static>]) -> Option<Src<'static>> {
    let first = pieces.first()?;
    let len = pieces.iter().map(|piece| piece.len()).sum();
    // SAFETY: the bytes are those of the pieces, each of which may be read.
    are_adjacent(pieces.iter().map(|piece| (piece.as_ptr().addr(), piece.len())))
        .then(|| unsafe { Src::new(first.as_ptr().cast(), len) })
}
