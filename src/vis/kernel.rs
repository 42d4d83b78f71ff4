//! The loops that copy non-contiguous data. Each is instantiated for every small size of element, so that its body
//! is a load and a store.
//!
//! # Safety
//! Addresses come only from a [`List`], [`Grid`] or [`StridedBlock`], whose creators promised that every piece they
//! describe is mapped, readable or writable, and remains so until the transfer is complete.
//!
//! [`List`]: super::list::List
//! [`Grid`]: super::grid::Grid
//! [`StridedBlock`]: super::grid::Block
#![allow(unsafe_code)]

use core::ptr::{with_exposed_provenance, with_exposed_provenance_mut};

use super::grid::{Dim, PieceRow, StridedBlock};
use super::list::List;
use crate::mem::{Dst, Src};
use crate::os::cpu;

/// Pieces of up to this number of bytes are copied inline; longer ones by a call.
const SHORT: usize = 256;
/// The same, where there are registers of 32 bytes.
const WIDE_SHORT: usize = 512;
/// The tile size for transpositions, in elements.
const TILE: usize = 16;

/// A load and a store at any alignment. Source and destination are disjoint or equal.
#[inline(always)]
fn element<T: Copy>(dst: *mut u8, src: *const u8) {
    // SAFETY: the module's paragraph: a piece of this size, or more, starts at each.
    unsafe { dst.cast::<T>().write_unaligned(src.cast::<T>().read_unaligned()) }
}

/// Copies up to [`WIDE_SHORT`] bytes; the last of them may be written twice. Source and destination are disjoint or
/// equal.
#[inline(always)]
fn short(dst: *mut u8, src: *const u8, len: usize) {
    let part = |at: usize| (dst.wrapping_add(at), src.wrapping_add(at));
    if len >= 64 {
        // The last piece has 32 bytes: one of 64 bytes would cross a cache line more often.
        let whole = (len - 1) / 64 * 64;
        let mut at = 0;
        while at < whole {
            let (to, from) = part(at);
            element::<[u128; 4]>(to, from);
            at += 64;
        }
        if len - whole > 32 {
            let (to, from) = part(whole);
            element::<[u128; 2]>(to, from);
        }
        let (to, from) = part(len - 32);
        element::<[u128; 2]>(to, from);
    } else if len >= 16 {
        let last = len - 16;
        for (to, from) in (0..last).step_by(16).map(part) {
            element::<u128>(to, from);
        }
        let (to, from) = part(last);
        element::<u128>(to, from);
    } else if len >= 8 {
        let (to, from) = part(len - 8);
        element::<u64>(dst, src);
        element::<u64>(to, from);
    } else if len >= 4 {
        let (to, from) = part(len - 4);
        element::<u32>(dst, src);
        element::<u32>(to, from);
    } else {
        for (to, from) in (0..len).map(part) {
            element::<u8>(to, from);
        }
    }
}

/// Copies any number of bytes, as memmove: if a client breaks the contract, only the data are wrong.
#[inline(always)]
fn long(dst: *mut u8, src: *const u8, len: usize) {
    // SAFETY: the module's paragraph.
    unsafe { core::ptr::copy(src, dst, len) }
}

/// Calls `$run` with a closure that copies one piece of `$len` bytes from one pointer to another, compiled for that length.
/// `$wide` is `$run` as `wide!` defines it.
macro_rules! by_length {
    ($len:expr, $run:ident, $wide:ident ( $($arg:expr),* )) => {{
        let len: usize = $len;
        match len {
            1 => $run($($arg,)* element::<u8>),
            2 => $run($($arg,)* element::<u16>),
            4 => $run($($arg,)* element::<u32>),
            8 => $run($($arg,)* element::<u64>),
            12 => $run($($arg,)* element::<[u32; 3]>),
            16 => $run($($arg,)* element::<u128>),
            24 => $run($($arg,)* element::<[u64; 3]>),
            32 => $run($($arg,)* element::<[u128; 2]>),
            48 => $run($($arg,)* element::<[u128; 3]>),
            64 => $run($($arg,)* element::<[u128; 4]>),
            // SAFETY: the processor has the registers.
            65..=WIDE_SHORT if cpu::has_wide_registers() => unsafe { $wide($($arg,)* len) },
            128 => $run($($arg,)* element::<[u128; 8]>),
            _ if len <= SHORT => $run($($arg,)* |dst, src| short(dst, src, len)),
            _ => $run($($arg,)* |dst, src| long(dst, src, len)),
        }
    }};
}

/// Defines `$run` for pieces of 65 to [`WIDE_SHORT`] bytes, compiled for registers of 32 bytes.
macro_rules! wide {
    ($wide:ident: $run:ident($($arg:ident: $type:ty),*)) => {
        /// # Safety
        /// `cpu::has_wide_registers()`.
        #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx"))]
        unsafe fn $wide($($arg: $type,)* len: usize) {
            $run($($arg,)* |dst, src| short(dst, src, len));
        }
    };
}
wide!(wide_line: line(dst: usize, src: usize, dim: Dim));
wide!(wide_planes: planes(dst: usize, src: usize, plane: (Dim, Dim), rest: &[Dim]));
wide!(wide_paired: paired(dst: List<'_>, dst_bias: isize, src: List<'_>, src_bias: isize));

/// The piece of a source at `at`, to be read until the transfer is done.
pub(crate) fn source(at: usize, len: usize) -> Src<'static> {
    // SAFETY: the module's paragraph.
    unsafe { Src::new(with_exposed_provenance(at), len) }
}

/// The piece of a destination at `at`, to be written until the transfer is done.
pub(crate) fn destination(at: usize, len: usize) -> Dst<'static> {
    // SAFETY: as above.
    unsafe { Dst::new(with_exposed_provenance_mut(at), len) }
}

/// Copies `len` bytes.
#[inline]
pub(crate) fn one(dst: usize, src: usize, len: usize) {
    let (dst, src) = (with_exposed_provenance_mut(dst), with_exposed_provenance(src));
    if len <= SHORT { short(dst, src, len) } else { long(dst, src, len) }
}

/// Copies the pieces of `src` to those of `dst`, which have the same number and length.
#[inline]
pub(crate) fn row(dst: PieceRow, src: PieceRow) {
    assert!(dst.count == src.count && dst.len == src.len);
    let len = dst.len as isize;
    if dst.count == 1 || (dst.stride == len && src.stride == len) {
        one(dst.at, src.at, dst.bytes());
        return;
    }
    in_line(dst.at, src.at, Dim { count: dst.count, dst: dst.stride, src: src.stride }, dst.len);
}

/// Copies pieces of `len` bytes.
fn in_line(dst: usize, src: usize, dim: Dim, len: usize) {
    by_length!(len, line, wide_line(dst, src, dim));
}

#[inline(always)]
fn line(dst: usize, src: usize, dim: Dim, copy: impl Fn(*mut u8, *const u8)) {
    walk(with_exposed_provenance_mut(dst), with_exposed_provenance(src), dim, copy);
}

#[inline(always)]
fn walk(mut dst: *mut u8, mut src: *const u8, dim: Dim, copy: impl Fn(*mut u8, *const u8)) {
    for _ in 0..dim.count {
        copy(dst, src);
        dst = dst.wrapping_offset(dim.dst);
        src = src.wrapping_offset(dim.src);
    }
}

/// Copies a whole block, with each side's bias added to its addresses.
#[inline]
pub(crate) fn block(block: &StridedBlock<'_>, dst_bias: isize, src_bias: isize) {
    let (dst, src) = (block.dst.wrapping_add_signed(dst_bias), block.src.wrapping_add_signed(src_bias));
    match block.dims {
        [] => in_line(dst, src, Dim { count: 1, dst: 0, src: 0 }, block.elem),
        [dim] => in_line(dst, src, *dim, block.elem),
        [inner, outer, rest @ ..] => in_planes(dst, src, (*inner, *outer), rest, block.elem),
    }
}

fn in_planes(dst: usize, src: usize, plane: (Dim, Dim), rest: &[Dim], len: usize) {
    by_length!(len, planes, wide_planes(dst, src, plane, rest));
}

#[inline(always)]
fn planes(dst: usize, src: usize, (inner, outer): (Dim, Dim), rest: &[Dim], copy: impl Fn(*mut u8, *const u8)) {
    let (dst, src) = (with_exposed_provenance_mut::<u8>(dst), with_exposed_provenance::<u8>(src));
    odometer(rest, |to, from| plane(dst.wrapping_offset(to), src.wrapping_offset(from), inner, outer, &copy));
}

/// In tiles if the source has the dimensions in the other order.
#[inline(always)]
fn plane(dst: *mut u8, src: *const u8, inner: Dim, outer: Dim, copy: &impl Fn(*mut u8, *const u8)) {
    let crossed = outer.src.unsigned_abs() < inner.src.unsigned_abs() && inner.count > TILE && outer.count > TILE;
    let tile = if crossed { TILE } else { usize::MAX };
    let part = |dim: Dim, from: usize| Dim { count: tile.min(dim.count - from), ..dim };
    let mut up = 0;
    while up < outer.count {
        let outer_part = part(outer, up);
        let mut along = 0;
        while along < inner.count {
            let inner_part = part(inner, along);
            let to = outer.dst * up as isize + inner.dst * along as isize;
            let from = outer.src * up as isize + inner.src * along as isize;
            square(dst.wrapping_offset(to), src.wrapping_offset(from), inner_part, outer_part, copy);
            along += inner_part.count;
        }
        up += outer_part.count;
    }
}

#[inline(always)]
fn square(mut dst: *mut u8, mut src: *const u8, inner: Dim, outer: Dim, copy: &impl Fn(*mut u8, *const u8)) {
    for _ in 0..outer.count {
        walk(dst, src, inner, copy);
        dst = dst.wrapping_offset(outer.dst);
        src = src.wrapping_offset(outer.src);
    }
}

/// Calls `at` with the offsets of every combination of indices of `dims`; the first index varies fastest.
#[inline(always)]
pub(crate) fn odometer(dims: &[Dim], mut at: impl FnMut(isize, isize)) {
    let mut few = [0; 8];
    let mut many = Vec::new();
    let index = match few.get_mut(..dims.len()) {
        Some(index) => index,
        None => {
            many.resize(dims.len(), 0);
            &mut many[..]
        }
    };
    let (mut dst, mut src) = (0, 0);
    loop {
        at(dst, src);
        let mut level = 0;
        loop {
            let Some(dim) = dims.get(level) else { return };
            dst += dim.dst;
            src += dim.src;
            index[level] += 1;
            if index[level] < dim.count {
                break;
            }
            dst -= dim.dst * dim.count as isize;
            src -= dim.src * dim.count as isize;
            index[level] = 0;
            level += 1;
        }
    }
}

/// Copies the pieces of two lists with the same number of pieces of `len` bytes, with each side's bias added to its
/// addresses.
pub(crate) fn pieces(dst: List<'_>, dst_bias: isize, src: List<'_>, src_bias: isize, len: usize) {
    by_length!(len, paired, wide_paired(dst, dst_bias, src, src_bias));
}

#[inline(always)]
fn paired(dst: List<'_>, dst_bias: isize, src: List<'_>, src_bias: isize, copy: impl Fn(*mut u8, *const u8)) {
    for index in 0..dst.count().min(src.count()) {
        let to = dst.get(index).0.wrapping_add_signed(dst_bias);
        let from = src.get(index).0.wrapping_add_signed(src_bias);
        copy(with_exposed_provenance_mut(to), with_exposed_provenance(from));
    }
}
