//! The C interface of non-contiguous put and get, strided.
//!
//! # Safety
//! Views are made of what the caller passes; each function says what the caller promises.
#![allow(unsafe_code, clippy::too_many_arguments)]

use core::ffi::{c_int, c_void};

use crate::abi::types::{gex_Event_t, gex_Flags_t, gex_Rank_t, gex_TM_t};
use crate::abi::vis_enter::{Strided, Target, get, put, refused, to_c};
use crate::rma::Track;
use crate::vis::How;

/// Copies a strided region from here to `dstrank` of `tm`, and waits.
///
/// Blocks, and may run AM handlers; must not be called from one.
///
/// `elemsz` contiguous bytes are copied for every combination of indices below `count[0]` to
/// `count[stridelevels-1]`; index i adds `dststrides[i]` and `srcstrides[i]` bytes to the two addresses. Strides
/// may be negative, and in any order. A count or an `elemsz` of 0 does nothing.
///
/// Returns 0; nonzero, with GEX_FLAG_IMMEDIATE, if there was no room to start at once: then it has done nothing.
///
/// Ends the job if an array of strides or counts is NULL that has entries; debug clients: if the remote side is
/// outside the target's segment.
///
/// Source: GASNet-EX 0.19, "Vector/Indexed/Strided (VIS)".
///
/// # Safety
/// All that is described is mapped as long as said above; no one else touches what is written meanwhile.
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
            put("gex_VIS_StridedPutBlocking", Target::Team(tm, dstrank), transfer, How::Blocking, flags)
        })
    };
    refused(handle)
}

/// Starts to copy a strided region from here to `dstrank` of `tm`.
///
/// The arrays of strides and counts are free on return. The source stays as it is until the operation is
/// synchronised; with GEX_FLAG_ENABLE_LEAF_LC the data is free when gex_Event_QueryLeaf(event, GEX_EC_LC) is. May
/// run AM handlers; must not be called from one.
///
/// `elemsz` contiguous bytes are copied for every combination of indices below `count[0]` to
/// `count[stridelevels-1]`; index i adds `dststrides[i]` and `srcstrides[i]` bytes to the two addresses. Strides
/// may be negative, and in any order. A count or an `elemsz` of 0 does nothing.
///
/// Returns the operation's event; GEX_EVENT_INVALID if it is already complete; GEX_EVENT_NO_OP, with
/// GEX_FLAG_IMMEDIATE, if there was no room to start at once: then it has done nothing.
///
/// Ends the job if an array of strides or counts is NULL that has entries; debug clients: if the remote side is
/// outside the target's segment.
///
/// Source: GASNet-EX 0.19, "Vector/Indexed/Strided (VIS)".
///
/// # Safety
/// All that is described is mapped as long as said above; no one else touches what is written meanwhile.
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
            put("gex_VIS_StridedPutNB", Target::Team(tm, dstrank), transfer, How::Tracked(Track::Explicit), flags)
        })
    };
    to_c(handle)
}

/// Starts to copy a strided region from here to `dstrank` of `tm`, counted with the thread's implicit operations.
///
/// The arrays of strides and counts are free on return. The source stays as it is until the operation is
/// synchronised; with GEX_FLAG_ENABLE_LEAF_LC the data is free when GEX_EC_LC is synchronised. May run AM handlers;
/// must not be called from one.
///
/// `elemsz` contiguous bytes are copied for every combination of indices below `count[0]` to
/// `count[stridelevels-1]`; index i adds `dststrides[i]` and `srcstrides[i]` bytes to the two addresses. Strides
/// may be negative, and in any order. A count or an `elemsz` of 0 does nothing.
///
/// Returns 0; nonzero, with GEX_FLAG_IMMEDIATE, if there was no room to start at once: then it has done nothing.
///
/// Ends the job if an array of strides or counts is NULL that has entries; debug clients: if the remote side is
/// outside the target's segment.
///
/// Source: GASNet-EX 0.19, "Vector/Indexed/Strided (VIS)".
///
/// # Safety
/// All that is described is mapped as long as said above; no one else touches what is written meanwhile.
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
            put("gex_VIS_StridedPutNBI", Target::Team(tm, dstrank), transfer, How::Tracked(Track::Implicit), flags)
        })
    };
    refused(handle)
}

/// Copies a strided region from `srcrank` of `tm` to here, and waits.
///
/// Blocks, and may run AM handlers; must not be called from one.
///
/// `elemsz` contiguous bytes are copied for every combination of indices below `count[0]` to
/// `count[stridelevels-1]`; index i adds `dststrides[i]` and `srcstrides[i]` bytes to the two addresses. Strides
/// may be negative, and in any order. A count or an `elemsz` of 0 does nothing.
///
/// Returns 0; nonzero, with GEX_FLAG_IMMEDIATE, if there was no room to start at once: then it has done nothing.
///
/// Ends the job if an array of strides or counts is NULL that has entries; debug clients: if the remote side is
/// outside the target's segment.
///
/// Source: GASNet-EX 0.19, "Vector/Indexed/Strided (VIS)".
///
/// # Safety
/// All that is described is mapped as long as said above; no one else touches what is written meanwhile.
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
            get("gex_VIS_StridedGetBlocking", Target::Team(tm, srcrank), transfer, How::Blocking, flags)
        })
    };
    refused(handle)
}

/// Starts to copy a strided region from `srcrank` of `tm` to here.
///
/// The arrays of strides and counts are free on return. The destination is undefined until the operation is
/// synchronised. May run AM handlers; must not be called from one.
///
/// `elemsz` contiguous bytes are copied for every combination of indices below `count[0]` to
/// `count[stridelevels-1]`; index i adds `dststrides[i]` and `srcstrides[i]` bytes to the two addresses. Strides
/// may be negative, and in any order. A count or an `elemsz` of 0 does nothing.
///
/// Returns the operation's event; GEX_EVENT_INVALID if it is already complete; GEX_EVENT_NO_OP, with
/// GEX_FLAG_IMMEDIATE, if there was no room to start at once: then it has done nothing.
///
/// Ends the job if an array of strides or counts is NULL that has entries; debug clients: if the remote side is
/// outside the target's segment.
///
/// Source: GASNet-EX 0.19, "Vector/Indexed/Strided (VIS)".
///
/// # Safety
/// All that is described is mapped as long as said above; no one else touches what is written meanwhile.
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
            get("gex_VIS_StridedGetNB", Target::Team(tm, srcrank), transfer, How::Tracked(Track::Explicit), flags)
        })
    };
    to_c(handle)
}

/// Starts to copy a strided region from `srcrank` of `tm` to here, counted with the thread's implicit operations.
///
/// The arrays of strides and counts are free on return. The destination is undefined until the operation is
/// synchronised. May run AM handlers; must not be called from one.
///
/// `elemsz` contiguous bytes are copied for every combination of indices below `count[0]` to
/// `count[stridelevels-1]`; index i adds `dststrides[i]` and `srcstrides[i]` bytes to the two addresses. Strides
/// may be negative, and in any order. A count or an `elemsz` of 0 does nothing.
///
/// Returns 0; nonzero, with GEX_FLAG_IMMEDIATE, if there was no room to start at once: then it has done nothing.
///
/// Ends the job if an array of strides or counts is NULL that has entries; debug clients: if the remote side is
/// outside the target's segment.
///
/// Source: GASNet-EX 0.19, "Vector/Indexed/Strided (VIS)".
///
/// # Safety
/// All that is described is mapped as long as said above; no one else touches what is written meanwhile.
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
            get("gex_VIS_StridedGetNBI", Target::Team(tm, srcrank), transfer, How::Tracked(Track::Implicit), flags)
        })
    };
    refused(handle)
}
