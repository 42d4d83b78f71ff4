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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_one_if_each_begins_where_the_last_one_ends() {
        let scratch = Scratch::new(100);
        let dst = scratch.dst();
        let of = |pieces: &[(usize, usize)]| {
            let dsts: Vec<_> = pieces.iter().map(|&(at, len)| dst.part(at, len)).collect();
            let srcs: Vec<_> = dsts.iter().map(|dst| dst.as_src()).collect();
            let (one, same) = (adjacent_dst(&dsts), adjacent_src(&srcs));
            assert_eq!(one.map(|one| one.as_ptr().cast_const()), same.map(|same| same.as_ptr()));
            assert_eq!(one.map(Dst::len), same.map(Src::len));
            one.map(|one| (one.as_ptr().addr() - dst.as_ptr().addr(), one.len()))
        };
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[(7, 5)]), Some((7, 5)));
        assert_eq!(of(&[(7, 5), (12, 0), (12, 8), (20, 80)]), Some((7, 93)));
        for apart in [[(7, 5), (13, 1)], [(7, 5), (11, 1)], [(7, 5), (2, 5)], [(7, 5), (7, 5)]] {
            assert_eq!(of(&apart), None);
        }
    }

    #[test]
    fn scratch_memory_is_zero_and_as_long_as_it_was_asked_for() {
        for len in [0, 1, 8, 13] {
            let scratch = Scratch::new(len);
            let mut bytes = vec![1; len];
            crate::mem::read(&mut bytes, scratch.src());
            assert!(bytes.iter().all(|&byte| byte == 0));
            assert_eq!((scratch.dst().len(), scratch.src().as_ptr()), (len, scratch.dst().as_ptr().cast_const()));
        }
    }
}
