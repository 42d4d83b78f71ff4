//! Lists of pieces of memory in the format of clients and of messages. They are read in place.
//!
//! # Safety
//! The creator of a list promises that its entries are readable for its lifetime, and that the described pieces are
//! mapped, readable or writable as the transfer requires, until it is complete.
#![allow(unsafe_code)]

use core::ffi::c_void;
use core::marker::PhantomData;

use crate::mem::Src;

/// An entry of a list of pieces of different lengths; it has the layout of `gasnet_memvec_t` and `gex_Memvec_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    pub addr: *mut c_void,
    pub len: usize,
}

/// A position in a list or grid. In a list: the entry, and the offset in it in bytes. In a grid: the offset in all
/// bytes, and 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Cursor {
    pub entry: usize,
    pub skip: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Entries are [`Piece`]s.
    Pieces,
    /// Entries are addresses of pieces of this number of bytes.
    Equal(usize),
}

#[derive(Clone, Copy, Debug)]
pub struct List<'a> {
    form: Form,
    at: usize,
    count: usize,
    _life: PhantomData<&'a ()>,
}

impl<'a> List<'a> {
    /// An empty list.
    pub const EMPTY: List<'a> = List { form: Form::Pieces, at: 0, count: 0, _life: PhantomData };

    /// # Safety
    /// The module's paragraph; `count` 0 allows any `pieces`.
    pub unsafe fn pieces(pieces: *const Piece, count: usize) -> List<'a> {
        List { form: Form::Pieces, at: pieces.expose_provenance(), count, _life: PhantomData }
    }

    /// # Safety
    /// The module's paragraph; `count` 0 allows any `addrs`.
    pub unsafe fn equal(addrs: *const *mut c_void, count: usize, len: usize) -> List<'a> {
        List { form: Form::Equal(len), at: addrs.expose_provenance(), count, _life: PhantomData }
    }

    /// The entries in a message: pieces (address, length), or addresses of pieces of `len` bytes.
    pub fn received(entries: Src<'a>, len: Option<usize>) -> List<'a> {
        let (form, size) = match len {
            None => (Form::Pieces, size_of::<Piece>()),
            Some(len) => (Form::Equal(len), size_of::<usize>()),
        };
        List { form, at: entries.as_ptr().expose_provenance(), count: entries.len() / size, _life: PhantomData }
    }

    #[inline]
    pub fn count(self) -> usize {
        self.count
    }

    /// The length of every piece, if all have the same.
    #[inline]
    pub fn equal_len(self) -> Option<usize> {
        match self.form {
            Form::Pieces => None,
            Form::Equal(len) => Some(len),
        }
    }

    /// Address and length of piece `index`, which is below `count`.
    #[inline]
    pub fn get(self, index: usize) -> (usize, usize) {
        match self.form {
            Form::Pieces => {
                let entry = core::ptr::with_exposed_provenance::<Piece>(self.at).wrapping_add(index);
                // SAFETY: the creator's promise; entries in messages may be unaligned.
                let piece = unsafe { entry.read_unaligned() };
                (piece.addr.addr(), piece.len)
            }
            Form::Equal(len) => {
                let entry = core::ptr::with_exposed_provenance::<usize>(self.at).wrapping_add(index);
                // SAFETY: as above.
                (unsafe { entry.read_unaligned() }, len)
            }
        }
    }

    /// The total length in bytes; None if it exceeds the address space.
    pub fn total(self) -> Option<usize> {
        match self.equal_len() {
            Some(len) => self.count.checked_mul(len),
            None => self.iter().try_fold(0usize, |sum, (_, len)| sum.checked_add(len)),
        }
    }

    pub fn iter(self) -> impl Iterator<Item = (usize, usize)> + use<'a> {
        (0..self.count).map(move |index| self.get(index))
    }

    /// The nonempty pieces from `place` on, with their indices; the first one without the bytes before `place`.
    pub fn from(self, place: Cursor) -> impl Iterator<Item = (usize, usize, usize)> + use<'a> {
        (place.entry..self.count).filter_map(move |index| {
            let (at, len) = self.get(index);
            let skip = if index == place.entry { place.skip.min(len) } else { 0 };
            (len > skip).then_some((index, at.wrapping_add(skip), len - skip))
        })
    }
}

/// Calls `run` with (to, from, length) of every piece that is contiguous in both lists, in order, until one list ends.
/// True if both ended.
pub(crate) fn common(dst: List<'_>, src: List<'_>, mut run: impl FnMut(usize, usize, usize)) -> bool {
    // While the pieces of both lists have equal lengths, which is the common case, there is no offset to maintain.
    let mut start = Cursor::default();
    while start.entry < dst.count() && start.entry < src.count() {
        let ((to, wanted), (from, len)) = (dst.get(start.entry), src.get(start.entry));
        if wanted != len {
            break;
        }
        run(to, from, len);
        start.entry += 1;
    }
    let mut sources = src.from(start).map(|(_, at, len)| (at, len));
    let mut source = sources.next();
    for (_, mut to, mut wanted) in dst.from(start) {
        while wanted > 0 {
            let Some((from, len)) = source else { return false };
            let part = wanted.min(len);
            run(to, from, part);
            to = to.wrapping_add(part);
            wanted -= part;
            source = if part < len { Some((from.wrapping_add(part), len - part)) } else { sources.next() };
        }
    }
    source.is_none()
}
