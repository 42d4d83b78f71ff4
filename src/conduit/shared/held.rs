//! Memory that conduits refer to over time: sources of puts, targets of gets, payloads that wait for their handler.
//!
//! # Safety
//! `Held` may be used by any thread: it points to client and segment memory, which is mapped for the whole process and
//! which callers keep until the operation is complete (`Conduit::put`, `Conduit::get`).
#![allow(unsafe_code)]

use crate::mem::{Dst, RemoteAddr, Src};

/// [`crate::conduit::Deliver::own`].
pub(crate) type Own<'a> = &'a dyn Fn(RemoteAddr, usize) -> Option<Dst<'static>>;

/// A view kept after the call that passed it has returned.
#[repr(transparent)]
pub(crate) struct Held<T>(pub T);

// SAFETY: reading through a Src needs no thread; see the file's head for how long it is valid.
unsafe impl Send for Held<Src<'static>> {}
// SAFETY: writing through a Dst needs no thread; see the file's head for how long it is valid.
unsafe impl Send for Held<Dst<'static>> {}

impl Held<Src<'static>> {
    /// Keeps a view.
    ///
    /// # Safety
    /// Its bytes stay mapped until the last use of the returned view and of its parts.
    pub(crate) unsafe fn src(src: Src<'_>) -> Held<Src<'static>> {
        // SAFETY: the caller's promise.
        Held(unsafe { Src::new(src.as_ptr().cast(), src.len()) })
    }
}

impl Held<Dst<'static>> {
    /// Keeps a view.
    ///
    /// # Safety
    /// Its bytes stay mapped until the last use of the returned view.
    pub(crate) unsafe fn dst(dst: Dst<'_>) -> Held<Dst<'static>> {
        // SAFETY: the caller's promise.
        Held(unsafe { Dst::new(dst.as_ptr().cast(), dst.len()) })
    }
}

/// The bytes of a Medium, aligned for any type.
pub struct Aligned {
    words: Vec<u128>,
    len: usize,
}

impl Aligned {
    pub fn zeroed(len: usize) -> Aligned {
        Aligned { words: vec![0; len.div_ceil(size_of::<u128>())], len }
    }

    pub fn copy_of(bytes: &[u8]) -> Aligned {
        let count = bytes.len().div_ceil(size_of::<u128>());
        let mut words = Vec::<u128>::with_capacity(count);
        // SAFETY: there is room for `count` words; the last word is zeroed before the bytes are copied over it and the words
        // before it, so that all `count` are initialized.
        unsafe {
            if count > 0 {
                words.as_mut_ptr().add(count - 1).write(0);
            }
            core::ptr::copy_nonoverlapping(bytes.as_ptr(), words.as_mut_ptr().cast::<u8>(), bytes.len());
            words.set_len(count);
        }
        Aligned { words, len: bytes.len() }
    }

    /// The bytes, for a handler, which may write them.
    pub fn view(&mut self) -> Dst<'_> {
        // SAFETY: `words` hold at least `len` bytes, and the view borrows them.
        unsafe { Dst::new(self.words.as_mut_ptr().cast(), self.len) }
    }
}

impl core::ops::Deref for Aligned {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: `words` hold at least `len` bytes, all initialized.
        unsafe { core::slice::from_raw_parts(self.words.as_ptr().cast(), self.len) }
    }
}

impl core::ops::DerefMut for Aligned {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `deref`, borrowed for writing.
        unsafe { core::slice::from_raw_parts_mut(self.words.as_mut_ptr().cast(), self.len) }
    }
}
