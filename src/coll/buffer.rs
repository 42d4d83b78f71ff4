//! Memory of ours that collectives receive into, aligned for what clients reduce.

use crate::mem::{self, Dst, Src};

/// Some bytes, at an address fit for any number.
#[derive(Default)]
pub struct Buffer {
    words: Vec<u64>,
    len: usize,
}

impl Buffer {
    /// `len` zeroes.
    pub fn new(len: usize) -> Buffer {
        Buffer { words: vec![0; len.div_ceil(size_of::<u64>())], len }
    }

    /// A copy.
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
