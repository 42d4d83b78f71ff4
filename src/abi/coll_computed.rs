//! The C interface of GASNet-1's collectives that compute: reductions and scans.
//!
//! # Safety
//! Views are made of the caller's arguments; each function states the caller's promise.
#![allow(unsafe_code)]

use core::ffi::{c_int, c_void};

use crate::abi::coll_call::{Call, CallSide};
use crate::abi::coll_legacy::{gasnet_coll_fn_handle_t, gasnet_coll_handle_t, gasnet_image_t, gasnet_team_handle_t};
use crate::coll::images::request::Collective;

/// Reduces an array over the images of `team`, from left to right, to one element at `dst` of image `dstimage`, with
/// each image's part at `src`.
///
/// An array over the images consists of elements of `elem_size` bytes and is distributed block-cyclically, with
/// blocks of `src_blksz` elements; the operand is the `elem_count` elements from element `src_offset` on. `func` is
/// an index into the table passed to `gasnet_coll_init`; the function is called with `func_arg`, and is commutative
/// unless its entry has GASNET_COLL_NONCOMM. With `src_blksz` 0 every image has a vector of `elem_count` elements,
/// the reduction is done element by element, and `dst` gets `elem_count` elements; `src_offset` must be 0.
///
/// Ends the job if `func` is not an index of the table.
///
/// Blocks, and may run AM handlers; must not be called from a handler, nor between barrier notify and wait. Called
/// by all images of the team, in the same order as their other collectives. `flags` has one of
/// GASNET_COLL_IN_{NO,MY,ALL}SYNC, one of GASNET_COLL_OUT_{NO,MY,ALL}SYNC, and GASNET_COLL_LOCAL or
/// GASNET_COLL_SINGLE.
///
/// Source: GASNet collectives, "Reduce".
///
/// # Safety
/// Each image has its part of the array, and on `dstimage` `dst` has room for the result; no other thread accesses
/// them, as the sync flags require.
#[allow(clippy::too_many_arguments)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_reduce(
    team: gasnet_team_handle_t,
    dstimage: gasnet_image_t,
    dst: *mut c_void,
    src: *mut c_void,
    src_blksz: usize,
    src_offset: usize,
    elem_size: usize,
    elem_count: usize,
    func: gasnet_coll_fn_handle_t,
    func_arg: c_int,
    flags: c_int,
) {
    let call = Call::new("gasnet_coll_reduce", team, flags);
    let root = call.root("dstimage", dstimage);
    let by = call.function(func, func_arg, elem_size);
    let what = call.reduction(root, src_blksz, src_offset, elem_count, by);
    // SAFETY: the caller's promise above.
    unsafe { call.run(what, elem_size, CallSide::One(dst), CallSide::One(src)) }
}

/// Starts a `gasnet_coll_reduce`; the handle is complete when that call would return.
///
/// Does not wait; may run AM handlers; must not be called from a handler. GASNET_COLL_AGGREGATE is as for
/// `gasnet_coll_broadcast_nb`.
///
/// Source: GASNet collectives, "Reduce".
///
/// # Safety
/// As `gasnet_coll_reduce`, until the handle is synchronised.
#[allow(clippy::too_many_arguments)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_reduce_nb(
    team: gasnet_team_handle_t,
    dstimage: gasnet_image_t,
    dst: *mut c_void,
    src: *mut c_void,
    src_blksz: usize,
    src_offset: usize,
    elem_size: usize,
    elem_count: usize,
    func: gasnet_coll_fn_handle_t,
    func_arg: c_int,
    flags: c_int,
) -> gasnet_coll_handle_t {
    let call = Call::new("gasnet_coll_reduce_nb", team, flags);
    let root = call.root("dstimage", dstimage);
    let by = call.function(func, func_arg, elem_size);
    let what = call.reduction(root, src_blksz, src_offset, elem_count, by);
    // SAFETY: the caller's promise above.
    unsafe { call.start(what, elem_size, CallSide::One(dst), CallSide::One(src)) }
}

/// Scans an array over the images of `team`: element `i` of the result is the reduction of elements 0 to `i`
/// (GASNET_COLL_INCLUSIVE_SCAN), or 0 to `i - 1` (GASNET_COLL_EXCLUSIVE_SCAN, which does not change element 0 of
/// the result).
///
/// An array over the images consists of elements of `elem_size` bytes and is distributed block-cyclically, with
/// blocks of `src_blksz` elements; the operand is the `elem_count` elements from element `src_offset` on. `func` is
/// an index into the table passed to `gasnet_coll_init`; the function is called with `func_arg`, and is commutative
/// unless its entry has GASNET_COLL_NONCOMM. The result is distributed in the same way, according to `dst_blksz`
/// and `dst_offset`. If the block size is 0, the whole array lies on one image, and the offset is the number of
/// this image.
///
/// Ends the job if `func` is not an index of the table.
///
/// Blocks, and may run AM handlers; must not be called from a handler, nor between barrier notify and wait. Called
/// by all images of the team, in the same order as their other collectives. `flags` has one of
/// GASNET_COLL_IN_{NO,MY,ALL}SYNC, one of GASNET_COLL_OUT_{NO,MY,ALL}SYNC, and GASNET_COLL_LOCAL or
/// GASNET_COLL_SINGLE, and one of the two scan flags above.
///
/// Source: GASNet collectives, "Scan".
///
/// # Safety
/// Each image has its parts of both arrays; no other thread accesses them, as the sync flags require.
#[allow(clippy::too_many_arguments)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_scan(
    team: gasnet_team_handle_t,
    dst: *mut c_void,
    dst_blksz: usize,
    dst_offset: usize,
    src: *mut c_void,
    src_blksz: usize,
    src_offset: usize,
    elem_size: usize,
    elem_count: usize,
    func: gasnet_coll_fn_handle_t,
    func_arg: c_int,
    flags: c_int,
) {
    let call = Call::scan("gasnet_coll_scan", team, flags);
    let by = call.function(func, func_arg, elem_size);
    let source = call.layout("src", src_blksz, src_offset, elem_count);
    let dest = call.layout("dst", dst_blksz, dst_offset, elem_count);
    let what = Collective::Scan { dest, source, by };
    // SAFETY: the caller's promise above.
    unsafe { call.run(what, elem_size, CallSide::One(dst), CallSide::One(src)) }
}

/// Starts a `gasnet_coll_scan`; the handle is complete when that call would return.
///
/// Does not wait; may run AM handlers; must not be called from a handler. GASNET_COLL_AGGREGATE is as for
/// `gasnet_coll_broadcast_nb`.
///
/// Source: GASNet collectives, "Scan".
///
/// # Safety
/// As `gasnet_coll_scan`, until the handle is synchronised.
#[allow(clippy::too_many_arguments)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_scan_nb(
    team: gasnet_team_handle_t,
    dst: *mut c_void,
    dst_blksz: usize,
    dst_offset: usize,
    src: *mut c_void,
    src_blksz: usize,
    src_offset: usize,
    elem_size: usize,
    elem_count: usize,
    func: gasnet_coll_fn_handle_t,
    func_arg: c_int,
    flags: c_int,
) -> gasnet_coll_handle_t {
    let call = Call::scan("gasnet_coll_scan_nb", team, flags);
    let by = call.function(func, func_arg, elem_size);
    let source = call.layout("src", src_blksz, src_offset, elem_count);
    let dest = call.layout("dst", dst_blksz, dst_offset, elem_count);
    let what = Collective::Scan { dest, source, by };
    // SAFETY: the caller's promise above.
    unsafe { call.start(what, elem_size, CallSide::One(dst), CallSide::One(src)) }
}

/// Reduces an array over the images of `team`, from left to right, to one element at `dst` of image `dstimage`, with
/// the address of each image in `srclist`. Lists have an address for each image of the calling rank, in the order of
/// images; with GASNET_COLL_SINGLE for each image of the team.
///
/// An array over the images consists of elements of `elem_size` bytes and is distributed block-cyclically, with
/// blocks of `src_blksz` elements; the operand is the `elem_count` elements from element `src_offset` on. `func` is
/// an index into the table passed to `gasnet_coll_init`; the function is called with `func_arg`, and is commutative
/// unless its entry has GASNET_COLL_NONCOMM. With `src_blksz` 0 every image has a vector of `elem_count` elements,
/// the reduction is done element by element, and `dst` gets `elem_count` elements; `src_offset` must be 0.
///
/// Ends the job if `func` is not an index of the table.
///
/// Blocks, and may run AM handlers; must not be called from a handler, nor between barrier notify and wait. Called
/// by all images of the team, in the same order as their other collectives. `flags` has one of
/// GASNET_COLL_IN_{NO,MY,ALL}SYNC, one of GASNET_COLL_OUT_{NO,MY,ALL}SYNC, and GASNET_COLL_LOCAL or
/// GASNET_COLL_SINGLE.
///
/// Source: GASNet collectives, "Reduce".
///
/// # Safety
/// Each image has its part of the array, and on `dstimage` `dst` has room for the result; no other thread accesses
/// them, as the sync flags require.
#[allow(clippy::too_many_arguments)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_reduceM(
    team: gasnet_team_handle_t,
    dstimage: gasnet_image_t,
    dst: *mut c_void,
    srclist: *const *mut c_void,
    src_blksz: usize,
    src_offset: usize,
    elem_size: usize,
    elem_count: usize,
    func: gasnet_coll_fn_handle_t,
    func_arg: c_int,
    flags: c_int,
) {
    let call = Call::new("gasnet_coll_reduceM", team, flags);
    let root = call.root("dstimage", dstimage);
    let by = call.function(func, func_arg, elem_size);
    let what = call.reduction(root, src_blksz, src_offset, elem_count, by);
    // SAFETY: the caller's promise above.
    unsafe { call.run(what, elem_size, CallSide::One(dst), CallSide::List(srclist)) }
}

/// Starts a `gasnet_coll_reduceM`; the handle is complete when that call would return.
///
/// Does not wait; may run AM handlers; must not be called from a handler. GASNET_COLL_AGGREGATE is as for
/// `gasnet_coll_broadcast_nb`.
///
/// Source: GASNet collectives, "Reduce".
///
/// # Safety
/// As `gasnet_coll_reduceM`, until the handle is synchronised.
#[allow(clippy::too_many_arguments)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_reduceM_nb(
    team: gasnet_team_handle_t,
    dstimage: gasnet_image_t,
    dst: *mut c_void,
    srclist: *const *mut c_void,
    src_blksz: usize,
    src_offset: usize,
    elem_size: usize,
    elem_count: usize,
    func: gasnet_coll_fn_handle_t,
    func_arg: c_int,
    flags: c_int,
) -> gasnet_coll_handle_t {
    let call = Call::new("gasnet_coll_reduceM_nb", team, flags);
    let root = call.root("dstimage", dstimage);
    let by = call.function(func, func_arg, elem_size);
    let what = call.reduction(root, src_blksz, src_offset, elem_count, by);
    // SAFETY: the caller's promise above.
    unsafe { call.start(what, elem_size, CallSide::One(dst), CallSide::List(srclist)) }
}

/// Scans an array over the images of `team`: element `i` of the result is the reduction of elements 0 to `i`
/// (GASNET_COLL_INCLUSIVE_SCAN), or 0 to `i - 1` (GASNET_COLL_EXCLUSIVE_SCAN, which does not change element 0 of
/// the result). Addresses of images are in `dstlist` and `srclist`. Lists have an address for each image of the
/// calling rank, in the order of images; with GASNET_COLL_SINGLE for each image of the team.
///
/// An array over the images consists of elements of `elem_size` bytes and is distributed block-cyclically, with
/// blocks of `src_blksz` elements; the operand is the `elem_count` elements from element `src_offset` on. `func` is
/// an index into the table passed to `gasnet_coll_init`; the function is called with `func_arg`, and is commutative
/// unless its entry has GASNET_COLL_NONCOMM. The result is distributed in the same way, according to `dst_blksz`
/// and `dst_offset`. If the block size is 0, the whole array lies on one image, and the offset is the number of
/// this image.
///
/// Ends the job if `func` is not an index of the table.
///
/// Blocks, and may run AM handlers; must not be called from a handler, nor between barrier notify and wait. Called
/// by all images of the team, in the same order as their other collectives. `flags` has one of
/// GASNET_COLL_IN_{NO,MY,ALL}SYNC, one of GASNET_COLL_OUT_{NO,MY,ALL}SYNC, and GASNET_COLL_LOCAL or
/// GASNET_COLL_SINGLE, and one of the two scan flags above.
///
/// Source: GASNet collectives, "Scan".
///
/// # Safety
/// Each image has its parts of both arrays; no other thread accesses them, as the sync flags require.
#[allow(clippy::too_many_arguments)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_scanM(
    team: gasnet_team_handle_t,
    dstlist: *const *mut c_void,
    dst_blksz: usize,
    dst_offset: usize,
    srclist: *const *mut c_void,
    src_blksz: usize,
    src_offset: usize,
    elem_size: usize,
    elem_count: usize,
    func: gasnet_coll_fn_handle_t,
    func_arg: c_int,
    flags: c_int,
) {
    let call = Call::scan("gasnet_coll_scanM", team, flags);
    let by = call.function(func, func_arg, elem_size);
    let source = call.layout("src", src_blksz, src_offset, elem_count);
    let dest = call.layout("dst", dst_blksz, dst_offset, elem_count);
    let what = Collective::Scan { dest, source, by };
    // SAFETY: the caller's promise above.
    unsafe { call.run(what, elem_size, CallSide::List(dstlist), CallSide::List(srclist)) }
}

/// Starts a `gasnet_coll_scanM`; the handle is complete when that call would return.
///
/// Does not wait; may run AM handlers; must not be called from a handler. GASNET_COLL_AGGREGATE is as for
/// `gasnet_coll_broadcast_nb`.
///
/// Source: GASNet collectives, "Scan".
///
/// # Safety
/// As `gasnet_coll_scanM`, until the handle is synchronised.
#[allow(clippy::too_many_arguments)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_scanM_nb(
    team: gasnet_team_handle_t,
    dstlist: *const *mut c_void,
    dst_blksz: usize,
    dst_offset: usize,
    srclist: *const *mut c_void,
    src_blksz: usize,
    src_offset: usize,
    elem_size: usize,
    elem_count: usize,
    func: gasnet_coll_fn_handle_t,
    func_arg: c_int,
    flags: c_int,
) -> gasnet_coll_handle_t {
    let call = Call::scan("gasnet_coll_scanM_nb", team, flags);
    let by = call.function(func, func_arg, elem_size);
    let source = call.layout("src", src_blksz, src_offset, elem_count);
    let dest = call.layout("dst", dst_blksz, dst_offset, elem_count);
    let what = Collective::Scan { dest, source, by };
    // SAFETY: the caller's promise above.
    unsafe { call.start(what, elem_size, CallSide::List(dstlist), CallSide::List(srclist)) }
}
