//! Buffers for assembling messages: each thread keeps a few. A handler that runs while its thread waits to send one
//! buffer takes another.

use core::mem::take;

use super::shape::WORD;
use crate::mem::{self, Dst};
use crate::thread::Lists;

/// The maximum number of buffers that a thread keeps.
const KEPT: usize = 4;

#[derive(Default)]
struct Buffers {
    words: Vec<u64>,
    bytes: Vec<u64>,
}

/// A buffer of a thread, returned when dropped.
pub(crate) struct VisScratch(Buffers);

static SPARE: Lists<Buffers> = Lists::new();

impl VisScratch {
    pub(crate) fn take() -> VisScratch {
        VisScratch(SPARE.mine().pop().unwrap_or_default())
    }

    /// The description of the data to be sent.
    pub(crate) fn words(&mut self) -> &mut Vec<u64> {
        &mut self.0.words
    }

    /// `nbytes` uninitialised bytes, aligned for words.
    pub(crate) fn buffer(&mut self, nbytes: usize) -> Dst<'_> {
        self.0.buffer(nbytes)
    }

    /// The words, followed by space for `nbytes` of data: returns the whole buffer, and the space.
    pub(crate) fn message(&mut self, nbytes: usize) -> (Dst<'_>, Dst<'_>) {
        let mut words = take(&mut self.0.words);
        let used = words.len() * WORD;
        mem::copy(self.0.buffer(used), mem::all_of(&mut words).as_src());
        self.0.words = words;
        let whole = self.0.buffer(used + nbytes);
        (whole, whole.part(used, nbytes))
    }
}

impl Buffers {
    fn buffer(&mut self, nbytes: usize) -> Dst<'_> {
        let needs = nbytes.div_ceil(WORD);
        if self.bytes.len() < needs {
            self.bytes.resize(needs, 0);
        }
        mem::all_of(&mut self.bytes).part(0, nbytes)
    }
}

impl Drop for VisScratch {
    fn drop(&mut self) {
        let buffers = take(&mut self.0);
        let mut list = SPARE.mine();
        if list.len() < KEPT {
            list.push(buffers);
        }
    }
}
