//! Views of memory that is not ours. Segment, client and peer memory may be written by others while we
//! look, so no Rust reference is ever made of it: it is read through [`Src`], written through [`Dst`] and
//! copied here.
//!
//! # Safety
//! Every view carries the promise of the caller that made it (`Src::new`, `Dst::new`); this file only moves bytes
//! between views of equal length.
#![allow(unsafe_code)]

use core::ffi::c_void;
use core::marker::PhantomData;

use crate::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

/// Bytes we may read but do not own: a peer or another thread may write them
/// meanwhile, so no `&[u8]` is ever made of them.
#[derive(Clone, Copy)]
pub struct Src<'a> {
    ptr: *const u8,
    len: usize,
    _life: PhantomData<&'a ()>,
}

/// Bytes we may write but do not own.
#[derive(Clone, Copy)]
pub struct Dst<'a> {
    ptr: *mut u8,
    len: usize,
    _life: PhantomData<&'a ()>,
}

// SAFETY: a view is an address that any thread of ours may follow; its maker promised that its bytes stay.
unsafe impl Send for Src<'_> {}
// SAFETY: as for Src.
unsafe impl Send for Dst<'_> {}

/// An address in another rank's address space; meaningless here until mapped. Where an operation takes one with a length,
/// its client promised that the transfer's bytes lie in a segment of the rank that it names: nothing checks that again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct RemoteAddr(pub usize);

impl<'a> Src<'a> {
    /// No bytes.
    pub fn none() -> Src<'a> {
        Src { ptr: core::ptr::null(), len: 0, _life: PhantomData }
    }

    /// # Safety
    /// `ptr..ptr + len` stays mapped and readable for `'a`. `len` 0 allows any `ptr`.
    pub unsafe fn new(ptr: *const c_void, len: usize) -> Src<'a> {
        Src { ptr: ptr.cast(), len, _life: PhantomData }
    }

    /// The bytes of a slice that nobody writes while it is borrowed.
    pub fn of(bytes: &'a [u8]) -> Src<'a> {
        Src { ptr: bytes.as_ptr(), len: bytes.len(), _life: PhantomData }
    }

    pub fn len(self) -> usize {
        self.len
    }

    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    pub fn as_ptr(self) -> *const u8 {
        self.ptr
    }

    /// The part `from..from + len`; ends the job if that is not inside.
    pub fn part(self, from: usize, len: usize) -> Src<'a> {
        assert!(from <= self.len && len <= self.len - from);
        Src { ptr: self.ptr.wrapping_add(from), len, _life: PhantomData }
    }
}

impl<'a> Dst<'a> {
    /// # Safety
    /// `ptr..ptr + len` stays mapped and writable for `'a`. `len` 0 allows any `ptr`.
    pub unsafe fn new(ptr: *mut c_void, len: usize) -> Dst<'a> {
        Dst { ptr: ptr.cast(), len, _life: PhantomData }
    }

    /// The bytes of a slice of ours.
    pub fn of(bytes: &'a mut [u8]) -> Dst<'a> {
        Dst { ptr: bytes.as_mut_ptr(), len: bytes.len(), _life: PhantomData }
    }

    /// No bytes.
    pub fn none() -> Dst<'a> {
        Dst { ptr: core::ptr::null_mut(), len: 0, _life: PhantomData }
    }

    pub fn len(self) -> usize {
        self.len
    }

    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    pub fn as_ptr(self) -> *mut u8 {
        self.ptr
    }

    /// The same bytes, to be read.
    pub fn as_src(self) -> Src<'a> {
        Src { ptr: self.ptr, len: self.len, _life: PhantomData }
    }

    /// The part `from..from + len`; ends the job if that is not inside.
    pub fn part(self, from: usize, len: usize) -> Dst<'a> {
        assert!(from <= self.len && len <= self.len - from);
        Dst { ptr: self.ptr.wrapping_add(from), len, _life: PhantomData }
    }
}

impl<'a> Dst<'a> {
    /// The first 4 bytes as a word for atomic operations; ends the job if they are not aligned or not there.
    pub fn word_32(self) -> &'a AtomicU32 {
        let at = self.ptr.cast::<u32>();
        assert!(self.len >= 4 && at.is_aligned(), "no aligned 32-bit word at {at:p}");
        // SAFETY: mapped and writable for `'a` (`Dst::new`), aligned (checked). Others touch it by atomic operations
        // alone while it is an operation's target, by the client's promise.
        unsafe { AtomicU32::from_ptr(at) }
    }

    /// All of it as 32-bit words for atomic operations; ends the job if it is not aligned. A rest of less than a word is left
    /// out.
    pub fn words_32(self) -> &'a [AtomicU32] {
        let at = self.ptr.cast::<AtomicU32>();
        assert!(at.is_aligned(), "no aligned 32-bit words at {at:p}");
        if self.len < size_of::<AtomicU32>() {
            return &[];
        }
        // SAFETY: mapped and writable for `'a` (`Dst::new`), aligned and long enough (checked); any bits are a word. Others touch
        // it by atomic operations alone, as for `word_32`.
        unsafe { core::slice::from_raw_parts(at, self.len / size_of::<AtomicU32>()) }
    }

    /// As `word_32`, 8 bytes.
    pub fn word_64(self) -> &'a AtomicU64 {
        let at = self.ptr.cast::<u64>();
        assert!(self.len >= 8 && at.is_aligned(), "no aligned 64-bit word at {at:p}");
        // SAFETY: as for `word_32`.
        unsafe { AtomicU64::from_ptr(at) }
    }
}

/// The bytes of words of ours that nobody else touches while they are borrowed.
pub(crate) fn all_of(words: &mut [u64]) -> Dst<'_> {
    Dst { ptr: words.as_mut_ptr().cast(), len: size_of_val(words), _life: PhantomData }
}

/// The bytes of words of ours.
pub(crate) fn words_of(words: &[u64]) -> Src<'_> {
    Src { ptr: words.as_ptr().cast(), len: size_of_val(words), _life: PhantomData }
}

/// Copies `src` to `dst`; their lengths must be equal.
#[inline]
pub(crate) fn copy(dst: Dst<'_>, src: Src<'_>) {
    assert_eq!(dst.len, src.len);
    // SAFETY: both views are mapped for their length (`new`), and the lengths are equal.
    // They may overlap when a client breaks the spec; `ptr::copy` is memmove.
    unsafe { core::ptr::copy(src.ptr, dst.ptr, src.len) }
}

/// Sets every byte of `dst` to `value`.
#[inline]
pub(crate) fn fill(dst: Dst<'_>, value: u8) {
    // SAFETY: `dst` is mapped and writable for its length (`new`).
    unsafe { core::ptr::write_bytes(dst.ptr, value, dst.len) }
}

/// As `copy`, to memory that other ranks read: they see these bytes before those that this thread writes later. Like
/// `gasneti_copy_out` of the headers: clients put data, then a flag.
#[inline]
pub(crate) fn copy_out(dst: Dst<'_>, src: Src<'_>) {
    copy(dst, src);
    fence(Ordering::Release);
}

/// As `copy`, from memory that other ranks write: later reads of this thread are not executed before these. Like
/// `gasneti_copy_in` of the headers: clients get a flag, then data.
#[inline]
pub(crate) fn copy_in(dst: Dst<'_>, src: Src<'_>) {
    copy(dst, src);
    fence(Ordering::Acquire);
}

/// As `fill`, ordered as `copy_out`.
#[inline]
pub(crate) fn fill_out(dst: Dst<'_>, value: u8) {
    fill(dst, value);
    fence(Ordering::Release);
}

/// The bytes of AM arguments, in native order.
#[inline]
pub(crate) fn bytes_of(args: &[i32]) -> &[u8] {
    // SAFETY: i32 has no padding and u8 no alignment; same memory, same borrow.
    unsafe { core::slice::from_raw_parts(args.as_ptr().cast(), size_of_val(args)) }
}

/// The same, to be written.
#[inline]
pub(crate) fn bytes_of_mut(args: &mut [i32]) -> &mut [u8] {
    // SAFETY: i32 has no padding and u8 no alignment; every byte is a valid part of one; same memory, same borrow.
    unsafe { core::slice::from_raw_parts_mut(args.as_mut_ptr().cast(), size_of_val(args)) }
}

/// An address, length or id as two AM arguments, high half first.
#[inline]
pub(crate) fn halves(word: usize) -> [i32; 2] {
    [(word >> 32) as i32, word as i32]
}

/// The value that [`halves`] split.
#[inline]
pub(crate) fn whole(high: i32, low: i32) -> usize {
    (high as u32 as usize) << 32 | low as u32 as usize
}

/// Copies `src` into memory of ours of the same length.
#[inline]
pub fn read(into: &mut [u8], src: Src<'_>) {
    assert_eq!(into.len(), src.len);
    // SAFETY: `src` is mapped for its length (`Src::new`), `into` is ours and as long.
    unsafe { core::ptr::copy(src.ptr, into.as_mut_ptr(), src.len) }
}

/// `N` whole words of `src` from byte `from` on, in native order; ends the job if they are not inside.
#[inline(always)]
pub(crate) fn words_at<const N: usize>(src: Src<'_>, from: usize) -> [u64; N] {
    assert!(from <= src.len && 8 * N <= src.len - from);
    // SAFETY: inside `src` (checked), which is mapped and readable (`Src::new`).
    unsafe { src.ptr.add(from).cast::<[u64; N]>().read_unaligned() }
}

/// The bytes of `src` past its whole words, 7 at most, as the first bytes of a word; those behind them have any value.
#[inline(always)]
pub(crate) fn last_word(src: Src<'_>) -> u64 {
    let rest = src.len & 7;
    let at = src.ptr.wrapping_add(src.len - rest);
    // Loads that may overlap: a copy of so few bytes would be a call.
    // SAFETY: all loads are inside the last `rest` bytes of `src`, which are mapped and readable (`Src::new`).
    unsafe {
        if rest >= 4 {
            let high = at.add(rest - 4).cast::<u32>().read_unaligned();
            u64::from(at.cast::<u32>().read_unaligned()) | u64::from(high) << (8 * (rest - 4))
        } else if rest >= 2 {
            let high = at.add(rest - 2).cast::<u16>().read_unaligned();
            u64::from(at.cast::<u16>().read_unaligned()) | u64::from(high) << (8 * (rest - 2))
        } else if rest == 1 {
            u64::from(at.read())
        } else {
            0
        }
    }
}

/// Copies `src` to the start of `into`, which is at least as long.
pub(crate) fn read_words(into: &mut [u64], src: Src<'_>) {
    assert!(size_of_val(into) >= src.len);
    // SAFETY: `src` is mapped for its length (`Src::new`), `into` is ours and long enough (checked).
    unsafe { core::ptr::copy(src.ptr, into.as_mut_ptr().cast(), src.len) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_survives_the_two_arguments() {
        for word in [0, 1, usize::MAX, 0x8000_0000, 0x7fff_ffff_8000_0001] {
            let [high, low] = halves(word);
            assert_eq!(whole(high, low), word);
        }
    }

    #[test]
    fn words_hold_the_bytes_in_order() {
        let bytes: Vec<u8> = (1..=40).collect();
        for len in 0..=bytes.len() {
            let src = Src::of(&bytes[..len]);
            let mut words: Vec<u8> = (0..len / 8).flat_map(|at| words_at::<1>(src, 8 * at)[0].to_ne_bytes()).collect();
            words.extend_from_slice(&last_word(src).to_ne_bytes()[..len % 8]);
            assert_eq!(words, bytes[..len]);
        }
        assert_eq!(words_at::<2>(Src::of(&bytes), 3), [3, 11].map(|at| words_at::<1>(Src::of(&bytes), at)[0]));
    }
}
