//! Memory of the library that collectives receive into, aligned for all element types.

use crate::mem::{self, Dst, Src};

/// Bytes at an address that is aligned for any number.
#[derive(Default)]
pub struct Buffer {
    words: Vec<u64>,
    len: usize,
}

impl Buffer {
    /// `len` zero bytes.
    pub fn new(len: usize) -> Buffer {
        Buffer { words: vec![0; len.div_ceil(size_of::<u64>())], len }
    }

    /// A copy of `bytes`.
    pub fn of(bytes: Src<'_>) -> Buffer {
        let mut buffer = Buffer::new(bytes.len());
        mem::copy(buffer.dst(), bytes);
        buffer
    }

    pub fn words(&self) -> &[u64] {
        &self.words
    }

    pub fn src(&self) -> Src<'_> {
        mem::words_of(&self.words).part(0, self.len)
    }

    pub fn dst(&mut self) -> Dst<'_> {
        mem::all_of(&mut self.words).part(0, self.len)
    }
}
