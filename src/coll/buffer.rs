//! Memory of the library that collectives receive into, aligned for all element types.

use crate::mem::{self, Dst, Src};

/// Bytes at an address that is aligned for any number.
#[derive(Default)]
pub(crate) struct Buffer {
    words: Vec<u64>,
    len: usize,
}

impl Buffer {
    /// `len` zero bytes.
    pub(crate) fn new(len: usize) -> Buffer {
        Buffer { words: vec![0; len.div_ceil(size_of::<u64>())], len }
    }

    /// A copy of `bytes`.
    pub(crate) fn of(bytes: Src<'_>) -> Buffer {
        let mut buffer = Buffer::new(bytes.len());
        mem::copy(buffer.dst(), bytes);
        buffer
    }

    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    pub(crate) fn src(&self) -> Src<'_> {
        mem::words_of(&self.words).part(0, self.len)
    }

    pub(crate) fn dst(&mut self) -> Dst<'_> {
        mem::all_of(&mut self.words).part(0, self.len)
    }
}
