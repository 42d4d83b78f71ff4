//! The GASNet-1 names of non-contiguous put and get, strided.
//!
//! # Safety
//! Views are made of the caller's arguments; each function states the caller's promise.
#![allow(unsafe_code, clippy::too_many_arguments)]

use core::ffi::c_void;

use crate::abi::types::{gasnet_handle_t, gasnet_node_t};
use crate::abi::vis_enter::{VisTarget, get, legacy_strided, put, to_c};
use crate::rma::Track;
use crate::vis::How;

/// Copies a local strided region to `dstnode`, and waits.
///
/// Blocks, and may run AM handlers; must not be called from a handler.
///
/// `count[0]` contiguous bytes are copied for every combination of indices below `count[1]` to
/// `count[stridelevels]`; index i adds `dststrides[i-1]` and `srcstrides[i-1]` bytes to the two addresses. A count
/// of 0 does nothing.
///
/// Ends the job if an array of strides or counts with entries is NULL; debug clients: also if the remote side is
/// outside the target's segment.
///
/// Source: GASNet 1, "Non-contiguous transfers" (prototype extension).
///
/// # Safety
/// The described memory is mapped for the time stated above; during that time no other thread or operation accesses
/// memory that is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_puts_bulk(
    dstnode: gasnet_node_t,
    dstaddr: *mut c_void,
    dststrides: *const usize,
    srcaddr: *mut c_void,
    srcstrides: *const usize,
    count: *const usize,
    stridelevels: usize,
) {
    // SAFETY: the caller's promise above.
    let region =
        unsafe { legacy_strided("gasnet_puts_bulk", dstaddr, dststrides, srcaddr, srcstrides, count, stridelevels) };
    // SAFETY: the caller's promise above.
    unsafe {
        region.with("gasnet_puts_bulk", |transfer| {
            put("gasnet_puts_bulk", VisTarget::Node(dstnode), transfer, How::Blocking, 0)
        })
    };
}

/// Starts to copy a local strided region to `dstnode`.
///
/// The arrays of strides and counts may be reused on return. The source must not be changed until the operation is
/// synchronised. May run AM handlers; must not be called from one.
///
/// `count[0]` contiguous bytes are copied for every combination of indices below `count[1]` to
/// `count[stridelevels]`; index i adds `dststrides[i-1]` and `srcstrides[i-1]` bytes to the two addresses. A count
/// of 0 does nothing.
///
/// Returns a handle, to be synchronised once; GASNET_INVALID_HANDLE if already complete.
///
/// Ends the job if an array of strides or counts with entries is NULL; debug clients: also if the remote side is
/// outside the target's segment.
///
/// Source: GASNet 1, "Non-contiguous transfers" (prototype extension).
///
/// # Safety
/// The described memory is mapped for the time stated above; during that time no other thread or operation accesses
/// memory that is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_puts_nb_bulk(
    dstnode: gasnet_node_t,
    dstaddr: *mut c_void,
    dststrides: *const usize,
    srcaddr: *mut c_void,
    srcstrides: *const usize,
    count: *const usize,
    stridelevels: usize,
) -> gasnet_handle_t {
    // SAFETY: the caller's promise above.
    let region =
        unsafe { legacy_strided("gasnet_puts_nb_bulk", dstaddr, dststrides, srcaddr, srcstrides, count, stridelevels) };
    // SAFETY: the caller's promise above.
    let handle = unsafe {
        region.with("gasnet_puts_nb_bulk", |transfer| {
            put("gasnet_puts_nb_bulk", VisTarget::Node(dstnode), transfer, How::Tracked(Track::Explicit), 0)
        })
    };
    to_c(handle)
}

/// Starts to copy a local strided region to `dstnode`, without a handle.
///
/// The arrays of strides and counts may be reused on return. The source must not be changed until the operation is
/// synchronised. May run AM handlers; must not be called from one.
///
/// `count[0]` contiguous bytes are copied for every combination of indices below `count[1]` to
/// `count[stridelevels]`; index i adds `dststrides[i-1]` and `srcstrides[i-1]` bytes to the two addresses. A count
/// of 0 does nothing.
///
/// Ends the job if an array of strides or counts with entries is NULL; debug clients: also if the remote side is
/// outside the target's segment.
///
/// Source: GASNet 1, "Non-contiguous transfers" (prototype extension).
///
/// # Safety
/// The described memory is mapped for the time stated above; during that time no other thread or operation accesses
/// memory that is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_puts_nbi_bulk(
    dstnode: gasnet_node_t,
    dstaddr: *mut c_void,
    dststrides: *const usize,
    srcaddr: *mut c_void,
    srcstrides: *const usize,
    count: *const usize,
    stridelevels: usize,
) {
    // SAFETY: the caller's promise above.
    let region = unsafe {
        legacy_strided("gasnet_puts_nbi_bulk", dstaddr, dststrides, srcaddr, srcstrides, count, stridelevels)
    };
    // SAFETY: the caller's promise above.
    unsafe {
        region.with("gasnet_puts_nbi_bulk", |transfer| {
            put("gasnet_puts_nbi_bulk", VisTarget::Node(dstnode), transfer, How::Tracked(Track::Implicit), 0)
        })
    };
}

/// Copies a strided region from `srcnode` to local memory, and waits.
///
/// Blocks, and may run AM handlers; must not be called from a handler.
///
/// `count[0]` contiguous bytes are copied for every combination of indices below `count[1]` to
/// `count[stridelevels]`; index i adds `dststrides[i-1]` and `srcstrides[i-1]` bytes to the two addresses. A count
/// of 0 does nothing.
///
/// Ends the job if an array of strides or counts with entries is NULL; debug clients: also if the remote side is
/// outside the target's segment.
///
/// Source: GASNet 1, "Non-contiguous transfers" (prototype extension).
///
/// # Safety
/// The described memory is mapped for the time stated above; during that time no other thread or operation accesses
/// memory that is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_gets_bulk(
    dstaddr: *mut c_void,
    dststrides: *const usize,
    srcnode: gasnet_node_t,
    srcaddr: *mut c_void,
    srcstrides: *const usize,
    count: *const usize,
    stridelevels: usize,
) {
    // SAFETY: the caller's promise above.
    let region =
        unsafe { legacy_strided("gasnet_gets_bulk", dstaddr, dststrides, srcaddr, srcstrides, count, stridelevels) };
    // SAFETY: the caller's promise above.
    unsafe {
        region.with("gasnet_gets_bulk", |transfer| {
            get("gasnet_gets_bulk", VisTarget::Node(srcnode), transfer, How::Blocking, 0)
        })
    };
}

/// Starts to copy a strided region from `srcnode` to local memory.
///
/// The arrays of strides and counts may be reused on return. The destination is undefined until the operation is
/// synchronised. May run AM handlers; must not be called from one.
///
/// `count[0]` contiguous bytes are copied for every combination of indices below `count[1]` to
/// `count[stridelevels]`; index i adds `dststrides[i-1]` and `srcstrides[i-1]` bytes to the two addresses. A count
/// of 0 does nothing.
///
/// Returns a handle, to be synchronised once; GASNET_INVALID_HANDLE if already complete.
///
/// Ends the job if an array of strides or counts with entries is NULL; debug clients: also if the remote side is
/// outside the target's segment.
///
/// Source: GASNet 1, "Non-contiguous transfers" (prototype extension).
///
/// # Safety
/// The described memory is mapped for the time stated above; during that time no other thread or operation accesses
/// memory that is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_gets_nb_bulk(
    dstaddr: *mut c_void,
    dststrides: *const usize,
    srcnode: gasnet_node_t,
    srcaddr: *mut c_void,
    srcstrides: *const usize,
    count: *const usize,
    stridelevels: usize,
) -> gasnet_handle_t {
    // SAFETY: the caller's promise above.
    let region =
        unsafe { legacy_strided("gasnet_gets_nb_bulk", dstaddr, dststrides, srcaddr, srcstrides, count, stridelevels) };
    // SAFETY: the caller's promise above.
    let handle = unsafe {
        region.with("gasnet_gets_nb_bulk", |transfer| {
            get("gasnet_gets_nb_bulk", VisTarget::Node(srcnode), transfer, How::Tracked(Track::Explicit), 0)
        })
    };
    to_c(handle)
}

/// Starts to copy a strided region from `srcnode` to local memory, without a handle.
///
/// The arrays of strides and counts may be reused on return. The destination is undefined until the operation is
/// synchronised. May run AM handlers; must not be called from one.
///
/// `count[0]` contiguous bytes are copied for every combination of indices below `count[1]` to
/// `count[stridelevels]`; index i adds `dststrides[i-1]` and `srcstrides[i-1]` bytes to the two addresses. A count
/// of 0 does nothing.
///
/// Ends the job if an array of strides or counts with entries is NULL; debug clients: also if the remote side is
/// outside the target's segment.
///
/// Source: GASNet 1, "Non-contiguous transfers" (prototype extension).
///
/// # Safety
/// The described memory is mapped for the time stated above; during that time no other thread or operation accesses
/// memory that is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_gets_nbi_bulk(
    dstaddr: *mut c_void,
    dststrides: *const usize,
    srcnode: gasnet_node_t,
    srcaddr: *mut c_void,
    srcstrides: *const usize,
    count: *const usize,
    stridelevels: usize,
) {
    // SAFETY: the caller's promise above.
    let region = unsafe {
        legacy_strided("gasnet_gets_nbi_bulk", dstaddr, dststrides, srcaddr, srcstrides, count, stridelevels)
    };
    // SAFETY: the caller's promise above.
    unsafe {
        region.with("gasnet_gets_nbi_bulk", |transfer| {
            get("gasnet_gets_nbi_bulk", VisTarget::Node(srcnode), transfer, How::Tracked(Track::Implicit), 0)
        })
    };
}
