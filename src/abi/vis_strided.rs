//! The C interface of non-contiguous put and get, strided.
//!
//! # Safety
//! Views are made of the caller's arguments; each function states the caller's promise.
#![allow(unsafe_code, clippy::too_many_arguments)]

use core::ffi::{c_int, c_void};

use crate::abi::types::{gex_Event_t, gex_Flags_t, gex_Rank_t, gex_TM_t};
use crate::abi::vis_enter::{Strided, VisTarget, get, put, refused, to_c};
use crate::rma::Track;
use crate::vis::How;

/// Copies a local strided region to `dstrank` of `tm`, and waits.
///
/// Blocks, and may run AM handlers; must not be called from a handler.
///
/// `elemsz` contiguous bytes are copied for every combination of indices below `count[0]` to
/// `count[stridelevels-1]`; index i adds `dststrides[i]` and `srcstrides[i]` bytes to the two addresses. Strides
/// may be negative, and in any order. A count or an `elemsz` of 0 does nothing.
///
/// Returns 0; nonzero only with GEX_FLAG_IMMEDIATE, if resources were exhausted and the operation was not started.
///
/// Ends the job if an array of strides or counts with entries is NULL; debug clients: also if the remote side is
/// outside the target's segment.
///
/// Source: GASNet-EX 0.19, "Vector/Indexed/Strided (VIS)".
///
/// # Safety
/// The described memory is mapped for the time stated above; during that time no other thread or operation accesses
/// memory that is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_VIS_StridedPutBlocking(
    tm: gex_TM_t,
    dstrank: gex_Rank_t,
    dstaddr: *mut c_void,
    dststrides: *const isize,
    srcaddr: *mut c_void,
    srcstrides: *const isize,
    elemsz: usize,
    count: *const usize,
    stridelevels: usize,
    flags: gex_Flags_t,
) -> c_int {
    let region = Strided {
        dst: dstaddr,
        dst_strides: dststrides,
        src: srcaddr,
        src_strides: srcstrides,
        elem: elemsz,
        counts: count,
        levels: stridelevels,
        nested: false,
    };
    // SAFETY: the caller's promise above.
    let handle = unsafe {
        region.with("gex_VIS_StridedPutBlocking", |transfer| {
            put("gex_VIS_StridedPutBlocking", VisTarget::Team(tm, dstrank), transfer, How::Blocking, flags)
        })
    };
    refused(handle)
}

/// Starts to copy a local strided region to `dstrank` of `tm`.
///
/// The arrays of strides and counts may be reused on return. The source must not be changed until the operation is
/// synchronised; with GEX_FLAG_ENABLE_LEAF_LC, until gex_Event_QueryLeaf(event, GEX_EC_LC) is synchronised. May run
/// AM handlers; must not be called from one.
///
/// `elemsz` contiguous bytes are copied for every combination of indices below `count[0]` to
/// `count[stridelevels-1]`; index i adds `dststrides[i]` and `srcstrides[i]` bytes to the two addresses. Strides
/// may be negative, and in any order. A count or an `elemsz` of 0 does nothing.
///
/// Returns the operation's event; GEX_EVENT_INVALID if it is already complete; GEX_EVENT_NO_OP only with
/// GEX_FLAG_IMMEDIATE, if resources were exhausted and the operation was not started.
///
/// Ends the job if an array of strides or counts with entries is NULL; debug clients: also if the remote side is
/// outside the target's segment.
///
/// Source: GASNet-EX 0.19, "Vector/Indexed/Strided (VIS)".
///
/// # Safety
/// The described memory is mapped for the time stated above; during that time no other thread or operation accesses
/// memory that is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_VIS_StridedPutNB(
    tm: gex_TM_t,
    dstrank: gex_Rank_t,
    dstaddr: *mut c_void,
    dststrides: *const isize,
    srcaddr: *mut c_void,
    srcstrides: *const isize,
    elemsz: usize,
    count: *const usize,
    stridelevels: usize,
    flags: gex_Flags_t,
) -> gex_Event_t {
    let region = Strided {
        dst: dstaddr,
        dst_strides: dststrides,
        src: srcaddr,
        src_strides: srcstrides,
        elem: elemsz,
        counts: count,
        levels: stridelevels,
        nested: false,
    };
    // SAFETY: the caller's promise above.
    let handle = unsafe {
        region.with("gex_VIS_StridedPutNB", |transfer| {
            put("gex_VIS_StridedPutNB", VisTarget::Team(tm, dstrank), transfer, How::Tracked(Track::Explicit), flags)
        })
    };
    to_c(handle)
}

/// Starts to copy a local strided region to `dstrank` of `tm`, as an implicit operation of this thread.
///
/// The arrays of strides and counts may be reused on return. The source must not be changed until the operation is
/// synchronised; with GEX_FLAG_ENABLE_LEAF_LC, until GEX_EC_LC is synchronised. May run AM handlers; must not be
/// called from one.
///
/// `elemsz` contiguous bytes are copied for every combination of indices below `count[0]` to
/// `count[stridelevels-1]`; index i adds `dststrides[i]` and `srcstrides[i]` bytes to the two addresses. Strides
/// may be negative, and in any order. A count or an `elemsz` of 0 does nothing.
///
/// Returns 0; nonzero only with GEX_FLAG_IMMEDIATE, if resources were exhausted and the operation was not started.
///
/// Ends the job if an array of strides or counts with entries is NULL; debug clients: also if the remote side is
/// outside the target's segment.
///
/// Source: GASNet-EX 0.19, "Vector/Indexed/Strided (VIS)".
///
/// # Safety
/// The described memory is mapped for the time stated above; during that time no other thread or operation accesses
/// memory that is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_VIS_StridedPutNBI(
    tm: gex_TM_t,
    dstrank: gex_Rank_t,
    dstaddr: *mut c_void,
    dststrides: *const isize,
    srcaddr: *mut c_void,
    srcstrides: *const isize,
    elemsz: usize,
    count: *const usize,
    stridelevels: usize,
    flags: gex_Flags_t,
) -> c_int {
    let region = Strided {
        dst: dstaddr,
        dst_strides: dststrides,
        src: srcaddr,
        src_strides: srcstrides,
        elem: elemsz,
        counts: count,
        levels: stridelevels,
        nested: false,
    };
    // SAFETY: the caller's promise above.
    let handle = unsafe {
        region.with("gex_VIS_StridedPutNBI", |transfer| {
            put("gex_VIS_StridedPutNBI", VisTarget::Team(tm, dstrank), transfer, How::Tracked(Track::Implicit), flags)
        })
    };
    refused(handle)
}

/// Copies a strided region from `srcrank` of `tm` to local memory, and waits.
///
/// Blocks, and may run AM handlers; must not be called from a handler.
///
/// `elemsz` contiguous bytes are copied for every combination of indices below `count[0]` to
/// `count[stridelevels-1]`; index i adds `dststrides[i]` and `srcstrides[i]` bytes to the two addresses. Strides
/// may be negative, and in any order. A count or an `elemsz` of 0 does nothing.
///
/// Returns 0; nonzero only with GEX_FLAG_IMMEDIATE, if resources were exhausted and the operation was not started.
///
/// Ends the job if an array of strides or counts with entries is NULL; debug clients: also if the remote side is
/// outside the target's segment.
///
/// Source: GASNet-EX 0.19, "Vector/Indexed/Strided (VIS)".
///
/// # Safety
/// The described memory is mapped for the time stated above; during that time no other thread or operation accesses
/// memory that is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_VIS_StridedGetBlocking(
    tm: gex_TM_t,
    dstaddr: *mut c_void,
    dststrides: *const isize,
    srcrank: gex_Rank_t,
    srcaddr: *mut c_void,
    srcstrides: *const isize,
    elemsz: usize,
    count: *const usize,
    stridelevels: usize,
    flags: gex_Flags_t,
) -> c_int {
    let region = Strided {
        dst: dstaddr,
        dst_strides: dststrides,
        src: srcaddr,
        src_strides: srcstrides,
        elem: elemsz,
        counts: count,
        levels: stridelevels,
        nested: false,
    };
    // SAFETY: the caller's promise above.
    let handle = unsafe {
        region.with("gex_VIS_StridedGetBlocking", |transfer| {
            get("gex_VIS_StridedGetBlocking", VisTarget::Team(tm, srcrank), transfer, How::Blocking, flags)
        })
    };
    refused(handle)
}

/// Starts to copy a strided region from `srcrank` of `tm` to local memory.
///
/// The arrays of strides and counts may be reused on return. The destination is undefined until the operation is
/// synchronised. May run AM handlers; must not be called from one.
///
/// `elemsz` contiguous bytes are copied for every combination of indices below `count[0]` to
/// `count[stridelevels-1]`; index i adds `dststrides[i]` and `srcstrides[i]` bytes to the two addresses. Strides
/// may be negative, and in any order. A count or an `elemsz` of 0 does nothing.
///
/// Returns the operation's event; GEX_EVENT_INVALID if it is already complete; GEX_EVENT_NO_OP only with
/// GEX_FLAG_IMMEDIATE, if resources were exhausted and the operation was not started.
///
/// Ends the job if an array of strides or counts with entries is NULL; debug clients: also if the remote side is
/// outside the target's segment.
///
/// Source: GASNet-EX 0.19, "Vector/Indexed/Strided (VIS)".
///
/// # Safety
/// The described memory is mapped for the time stated above; during that time no other thread or operation accesses
/// memory that is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_VIS_StridedGetNB(
    tm: gex_TM_t,
    dstaddr: *mut c_void,
    dststrides: *const isize,
    srcrank: gex_Rank_t,
    srcaddr: *mut c_void,
    srcstrides: *const isize,
    elemsz: usize,
    count: *const usize,
    stridelevels: usize,
    flags: gex_Flags_t,
) -> gex_Event_t {
    let region = Strided {
        dst: dstaddr,
        dst_strides: dststrides,
        src: srcaddr,
        src_strides: srcstrides,
        elem: elemsz,
        counts: count,
        levels: stridelevels,
        nested: false,
    };
    // SAFETY: the caller's promise above.
    let handle = unsafe {
        region.with("gex_VIS_StridedGetNB", |transfer| {
            get("gex_VIS_StridedGetNB", VisTarget::Team(tm, srcrank), transfer, How::Tracked(Track::Explicit), flags)
        })
    };
    to_c(handle)
}

/// Starts to copy a strided region from `srcrank` of `tm` to local memory, as an implicit operation of this thread.
///
/// The arrays of strides and counts may be reused on return. The destination is undefined until the operation is
/// synchronised. May run AM handlers; must not be called from one.
///
/// `elemsz` contiguous bytes are copied for every combination of indices below `count[0]` to
/// `count[stridelevels-1]`; index i adds `dststrides[i]` and `srcstrides[i]` bytes to the two addresses. Strides
/// may be negative, and in any order. A count or an `elemsz` of 0 does nothing.
///
/// Returns 0; nonzero only with GEX_FLAG_IMMEDIATE, if resources were exhausted and the operation was not started.
///
/// Ends the job if an array of strides or counts with entries is NULL; debug clients: also if the remote side is
/// outside the target's segment.
///
/// Source: GASNet-EX 0.19, "Vector/Indexed/Strided (VIS)".
///
/// # Safety
/// The described memory is mapped for the time stated above; during that time no other thread or operation accesses
/// memory that is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_VIS_StridedGetNBI(
    tm: gex_TM_t,
    dstaddr: *mut c_void,
    dststrides: *const isize,
    srcrank: gex_Rank_t,
    srcaddr: *mut c_void,
    srcstrides: *const isize,
    elemsz: usize,
    count: *const usize,
    stridelevels: usize,
    flags: gex_Flags_t,
) -> c_int {
    let region = Strided {
        dst: dstaddr,
        dst_strides: dststrides,
        src: srcaddr,
        src_strides: srcstrides,
        elem: elemsz,
        counts: count,
        levels: stridelevels,
        nested: false,
    };
    // SAFETY: the caller's promise above.
    let handle = unsafe {
        region.with("gex_VIS_StridedGetNBI", |transfer| {
            get("gex_VIS_StridedGetNBI", VisTarget::Team(tm, srcrank), transfer, How::Tracked(Track::Implicit), flags)
        })
    };
    refused(handle)
}
