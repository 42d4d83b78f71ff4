//! Memory that a collective holds while it runs, where it cannot read from or write to its client's straight away, and
//! views of several of the client's pieces as one.
//!
//! # Safety
//! A view of held memory is given out for as long as the collective lives; whoever builds one keeps the memory in it.
#![allow(unsafe_code)]

use core::ptr;
use std::sync::Arc;

use crate::mem::{Dst, Src};

/// Bytes of the library's own, aligned for any number.
pub struct Held {
    words: *mut u64,
    count: usize,
    len: usize,
}

// SAFETY: it is memory, which any thread may use; whoever has views of it keeps order among them.
unsafe impl Send for Held {}
// SAFETY: as above.
unsafe impl Sync for Held {}

impl Held {
    /// `len` zeroes.
    pub fn new(len: usize) -> Arc<Held> {
        let count = len.div_ceil(size_of::<u64>());
        let words = Box::into_raw(vec![0u64; count].into_boxed_slice()).cast();
        Arc::new(Held { words, count, len })
    }

    /// All of it. The collective that has the view keeps the memory until it ends.
    pub fn dst(&self) -> Dst<'static> {
        // SAFETY: `new` allocated so many bytes, which live until `drop`: the module's rule.
        unsafe { Dst::new(self.words.cast(), self.len) }
    }

    /// As `dst`.
    pub fn src(&self) -> Src<'static> {
        // SAFETY: as in `dst`.
        unsafe { Src::new(self.words.cast_const().cast(), self.len) }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // SAFETY: from `Box::into_raw` in `new`, of so many words.
        drop(unsafe { Box::from_raw(ptr::slice_from_raw_parts_mut(self.words, self.count)) });
    }
}

fn adjacent(pieces: impl Iterator<Item = (usize, usize)>) -> bool {
    let mut next = None;
    for (at, len) in pieces {
        if next.is_some_and(|next| next != at) {
            return false;
        }
        next = Some(at + len);
    }
    true
}

/// The pieces as one, if each begins where the one before it ends.
pub fn joined_dst(pieces: &[Dst<'static>]) -> Option<Dst<'static>> {
    let first = pieces.first()?;
    let len = pieces.iter().map(|piece| piece.len()).sum();
    // SAFETY: the bytes are those of the pieces, each of which may be written.
    adjacent(pieces.iter().map(|piece| (piece.as_ptr().addr(), piece.len())))
        .then(|| unsafe { Dst::new(first.as_ptr().cast(), len) })
}

/// As `joined_dst`.
pub fn joined_src(pieces: &[Src<'static>]) -> Option<Src<'static>> {
    let first = pieces.first()?;
    let len = pieces.iter().map(|piece| piece.len()).sum();
    // SAFETY: the bytes are those of the pieces, each of which may be read.
    adjacent(pieces.iter().map(|piece| (piece.as_ptr().addr(), piece.len())))
        .then(|| unsafe { Src::new(first.as_ptr().cast(), len) })
}
