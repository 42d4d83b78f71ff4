//! The GASNet-1 names of non-contiguous put and get, described by lists.
//!
//! # Safety
//! Views are made of the caller's arguments; each function states the caller's promise.
#![allow(unsafe_code, clippy::too_many_arguments)]

use core::ffi::c_void;

use crate::abi::types::{gasnet_handle_t, gasnet_node_t};
use crate::abi::vis_enter::{VisTarget, get, indexed, put, to_c, vector};
use crate::rma::Track;
use crate::vis::How;

/// `len` bytes at `addr`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct gasnet_memvec_t {
    pub addr: *mut c_void,
    pub len: usize,
}

/// Copies the bytes described by a local list to those of a remote list on `dstnode`, and waits.
///
/// Blocks, and may run AM handlers; must not be called from a handler.
///
/// The bytes of both lists are paired in order; both lists describe the same number of bytes. Lists and pieces may
/// be empty.
///
/// Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
/// the remote side is outside the target's segment.
///
/// Source: GASNet 1, "Non-contiguous transfers" (prototype extension).
///
/// # Safety
/// The lists and the memory that they describe are mapped for the time stated above; during that time no other
/// thread or operation accesses memory that is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_putv_bulk(
    dstnode: gasnet_node_t,
    dstcount: usize,
    dstlist: *const gasnet_memvec_t,
    srccount: usize,
    srclist: *const gasnet_memvec_t,
) {
    // SAFETY: the caller's promise above.
    let transfer = unsafe { vector("gasnet_putv_bulk", dstcount, dstlist.cast(), srccount, srclist.cast()) };
    put("gasnet_putv_bulk", VisTarget::Node(dstnode), &transfer, How::Blocking, 0);
}

/// Starts to copy the bytes described by a local list to those of a remote list on `dstnode`.
///
/// The source data and the lists must not be changed until the operation is synchronised. May run AM handlers; must
/// not be called from one.
///
/// The bytes of both lists are paired in order; both lists describe the same number of bytes. Lists and pieces may
/// be empty.
///
/// Returns a handle, to be synchronised once; GASNET_INVALID_HANDLE if already complete.
///
/// Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
/// the remote side is outside the target's segment.
///
/// Source: GASNet 1, "Non-contiguous transfers" (prototype extension).
///
/// # Safety
/// The lists and the memory that they describe are mapped for the time stated above; during that time no other
/// thread or operation accesses memory that is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_putv_nb_bulk(
    dstnode: gasnet_node_t,
    dstcount: usize,
    dstlist: *const gasnet_memvec_t,
    srccount: usize,
    srclist: *const gasnet_memvec_t,
) -> gasnet_handle_t {
    // SAFETY: the caller's promise above.
    let transfer = unsafe { vector("gasnet_putv_nb_bulk", dstcount, dstlist.cast(), srccount, srclist.cast()) };
    let handle = put("gasnet_putv_nb_bulk", VisTarget::Node(dstnode), &transfer, How::Tracked(Track::Explicit), 0);
    to_c(handle)
}

/// Starts to copy the bytes described by a local list to those of a remote list on `dstnode`, without a handle.
///
/// The source data and the lists must not be changed until the operation is synchronised. May run AM handlers; must
/// not be called from one.
///
/// The bytes of both lists are paired in order; both lists describe the same number of bytes. Lists and pieces may
/// be empty.
///
/// Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
/// the remote side is outside the target's segment.
///
/// Source: GASNet 1, "Non-contiguous transfers" (prototype extension).
///
/// # Safety
/// The lists and the memory that they describe are mapped for the time stated above; during that time no other
/// thread or operation accesses memory that is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_putv_nbi_bulk(
    dstnode: gasnet_node_t,
    dstcount: usize,
    dstlist: *const gasnet_memvec_t,
    srccount: usize,
    srclist: *const gasnet_memvec_t,
) {
    // SAFETY: the caller's promise above.
    let transfer = unsafe { vector("gasnet_putv_nbi_bulk", dstcount, dstlist.cast(), srccount, srclist.cast()) };
    put("gasnet_putv_nbi_bulk", VisTarget::Node(dstnode), &transfer, How::Tracked(Track::Implicit), 0);
}

/// Copies the bytes described by a remote list on `srcnode` to those of a local list, and waits.
///
/// Blocks, and may run AM handlers; must not be called from a handler.
///
/// The bytes of both lists are paired in order; both lists describe the same number of bytes. Lists and pieces may
/// be empty.
///
/// Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
/// the remote side is outside the target's segment.
///
/// Source: GASNet 1, "Non-contiguous transfers" (prototype extension).
///
/// # Safety
/// The lists and the memory that they describe are mapped for the time stated above; during that time no other
/// thread or operation accesses memory that is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_getv_bulk(
    dstcount: usize,
    dstlist: *const gasnet_memvec_t,
    srcnode: gasnet_node_t,
    srccount: usize,
    srclist: *const gasnet_memvec_t,
) {
    // SAFETY: the caller's promise above.
    let transfer = unsafe { vector("gasnet_getv_bulk", dstcount, dstlist.cast(), srccount, srclist.cast()) };
    get("gasnet_getv_bulk", VisTarget::Node(srcnode), &transfer, How::Blocking, 0);
}

/// Starts to copy the bytes described by a remote list on `srcnode` to those of a local list.
///
/// The lists must not be changed, and the destination is undefined, until the operation is synchronised. May run AM
/// handlers; must not be called from one.
///
/// The bytes of both lists are paired in order; both lists describe the same number of bytes. Lists and pieces may
/// be empty.
///
/// Returns a handle, to be synchronised once; GASNET_INVALID_HANDLE if already complete.
///
/// Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
/// the remote side is outside the target's segment.
///
/// Source: GASNet 1, "Non-contiguous transfers" (prototype extension).
///
/// # Safety
/// The lists and the memory that they describe are mapped for the time stated above; during that time no other
/// thread or operation accesses memory that is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_getv_nb_bulk(
    dstcount: usize,
    dstlist: *const gasnet_memvec_t,
    srcnode: gasnet_node_t,
    srccount: usize,
    srclist: *const gasnet_memvec_t,
) -> gasnet_handle_t {
    // SAFETY: the caller's promise above.
    let transfer = unsafe { vector("gasnet_getv_nb_bulk", dstcount, dstlist.cast(), srccount, srclist.cast()) };
    let handle = get("gasnet_getv_nb_bulk", VisTarget::Node(srcnode), &transfer, How::Tracked(Track::Explicit), 0);
    to_c(handle)
}

/// Starts to copy the bytes described by a remote list on `srcnode` to those of a local list, without a handle.
///
/// The lists must not be changed, and the destination is undefined, until the operation is synchronised. May run AM
/// handlers; must not be called from one.
///
/// The bytes of both lists are paired in order; both lists describe the same number of bytes. Lists and pieces may
/// be empty.
///
/// Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
/// the remote side is outside the target's segment.
///
/// Source: GASNet 1, "Non-contiguous transfers" (prototype extension).
///
/// # Safety
/// The lists and the memory that they describe are mapped for the time stated above; during that time no other
/// thread or operation accesses memory that is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_getv_nbi_bulk(
    dstcount: usize,
    dstlist: *const gasnet_memvec_t,
    srcnode: gasnet_node_t,
    srccount: usize,
    srclist: *const gasnet_memvec_t,
) {
    // SAFETY: the caller's promise above.
    let transfer = unsafe { vector("gasnet_getv_nbi_bulk", dstcount, dstlist.cast(), srccount, srclist.cast()) };
    get("gasnet_getv_nbi_bulk", VisTarget::Node(srcnode), &transfer, How::Tracked(Track::Implicit), 0);
}

/// Copies local pieces of equal length to `dstnode`, and waits.
///
/// Blocks, and may run AM handlers; must not be called from a handler.
///
/// The bytes of both lists are paired in order; both lists describe the same number of bytes: `dstcount` pieces of
/// `dstlen` bytes, and `srccount` pieces of `srclen` bytes.
///
/// Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
/// the remote side is outside the target's segment.
///
/// Source: GASNet 1, "Non-contiguous transfers" (prototype extension).
///
/// # Safety
/// The lists and the memory that they describe are mapped for the time stated above; during that time no other
/// thread or operation accesses memory that is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_puti_bulk(
    dstnode: gasnet_node_t,
    dstcount: usize,
    dstlist: *const *mut c_void,
    dstlen: usize,
    srccount: usize,
    srclist: *const *mut c_void,
    srclen: usize,
) {
    // SAFETY: the caller's promise above.
    let transfer = unsafe { indexed("gasnet_puti_bulk", dstcount, dstlist, dstlen, srccount, srclist, srclen) };
    put("gasnet_puti_bulk", VisTarget::Node(dstnode), &transfer, How::Blocking, 0);
}

/// Starts to copy local pieces of equal length to `dstnode`.
///
/// The source data and the lists must not be changed until the operation is synchronised. May run AM handlers; must
/// not be called from one.
///
/// The bytes of both lists are paired in order; both lists describe the same number of bytes: `dstcount` pieces of
/// `dstlen` bytes, and `srccount` pieces of `srclen` bytes.
///
/// Returns a handle, to be synchronised once; GASNET_INVALID_HANDLE if already complete.
///
/// Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
/// the remote side is outside the target's segment.
///
/// Source: GASNet 1, "Non-contiguous transfers" (prototype extension).
///
/// # Safety
/// The lists and the memory that they describe are mapped for the time stated above; during that time no other
/// thread or operation accesses memory that is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_puti_nb_bulk(
    dstnode: gasnet_node_t,
    dstcount: usize,
    dstlist: *const *mut c_void,
    dstlen: usize,
    srccount: usize,
    srclist: *const *mut c_void,
    srclen: usize,
) -> gasnet_handle_t {
    // SAFETY: the caller's promise above.
    let transfer = unsafe { indexed("gasnet_puti_nb_bulk", dstcount, dstlist, dstlen, srccount, srclist, srclen) };
    let handle = put("gasnet_puti_nb_bulk", VisTarget::Node(dstnode), &transfer, How::Tracked(Track::Explicit), 0);
    to_c(handle)
}

/// Starts to copy local pieces of equal length to `dstnode`, without a handle.
///
/// The source data and the lists must not be changed until the operation is synchronised. May run AM handlers; must
/// not be called from one.
///
/// The bytes of both lists are paired in order; both lists describe the same number of bytes: `dstcount` pieces of
/// `dstlen` bytes, and `srccount` pieces of `srclen` bytes.
///
/// Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
/// the remote side is outside the target's segment.
///
/// Source: GASNet 1, "Non-contiguous transfers" (prototype extension).
///
/// # Safety
/// The lists and the memory that they describe are mapped for the time stated above; during that time no other
/// thread or operation accesses memory that is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_puti_nbi_bulk(
    dstnode: gasnet_node_t,
    dstcount: usize,
    dstlist: *const *mut c_void,
    dstlen: usize,
    srccount: usize,
    srclist: *const *mut c_void,
    srclen: usize,
) {
    // SAFETY: the caller's promise above.
    let transfer = unsafe { indexed("gasnet_puti_nbi_bulk", dstcount, dstlist, dstlen, srccount, srclist, srclen) };
    put("gasnet_puti_nbi_bulk", VisTarget::Node(dstnode), &transfer, How::Tracked(Track::Implicit), 0);
}

/// Copies pieces of equal length from `srcnode` to local memory, and waits.
///
/// Blocks, and may run AM handlers; must not be called from a handler.
///
/// The bytes of both lists are paired in order; both lists describe the same number of bytes: `dstcount` pieces of
/// `dstlen` bytes, and `srccount` pieces of `srclen` bytes.
///
/// Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
/// the remote side is outside the target's segment.
///
/// Source: GASNet 1, "Non-contiguous transfers" (prototype extension).
///
/// # Safety
/// The lists and the memory that they describe are mapped for the time stated above; during that time no other
/// thread or operation accesses memory that is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_geti_bulk(
    dstcount: usize,
    dstlist: *const *mut c_void,
    dstlen: usize,
    srcnode: gasnet_node_t,
    srccount: usize,
    srclist: *const *mut c_void,
    srclen: usize,
) {
    // SAFETY: the caller's promise above.
    let transfer = unsafe { indexed("gasnet_geti_bulk", dstcount, dstlist, dstlen, srccount, srclist, srclen) };
    get("gasnet_geti_bulk", VisTarget::Node(srcnode), &transfer, How::Blocking, 0);
}

/// Starts to copy pieces of equal length from `srcnode` to local memory.
///
/// The lists must not be changed, and the destination is undefined, until the operation is synchronised. May run AM
/// handlers; must not be called from one.
///
/// The bytes of both lists are paired in order; both lists describe the same number of bytes: `dstcount` pieces of
/// `dstlen` bytes, and `srccount` pieces of `srclen` bytes.
///
/// Returns a handle, to be synchronised once; GASNET_INVALID_HANDLE if already complete.
///
/// Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
/// the remote side is outside the target's segment.
///
/// Source: GASNet 1, "Non-contiguous transfers" (prototype extension).
///
/// # Safety
/// The lists and the memory that they describe are mapped for the time stated above; during that time no other
/// thread or operation accesses memory that is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_geti_nb_bulk(
    dstcount: usize,
    dstlist: *const *mut c_void,
    dstlen: usize,
    srcnode: gasnet_node_t,
    srccount: usize,
    srclist: *const *mut c_void,
    srclen: usize,
) -> gasnet_handle_t {
    // SAFETY: the caller's promise above.
    let transfer = unsafe { indexed("gasnet_geti_nb_bulk", dstcount, dstlist, dstlen, srccount, srclist, srclen) };
    let handle = get("gasnet_geti_nb_bulk", VisTarget::Node(srcnode), &transfer, How::Tracked(Track::Explicit), 0);
    to_c(handle)
}

/// Starts to copy pieces of equal length from `srcnode` to local memory, without a handle.
///
/// The lists must not be changed, and the destination is undefined, until the operation is synchronised. May run AM
/// handlers; must not be called from one.
///
/// The bytes of both lists are paired in order; both lists describe the same number of bytes: `dstcount` pieces of
/// `dstlen` bytes, and `srccount` pieces of `srclen` bytes.
///
/// Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
/// the remote side is outside the target's segment.
///
/// Source: GASNet 1, "Non-contiguous transfers" (prototype extension).
///
/// # Safety
/// The lists and the memory that they describe are mapped for the time stated above; during that time no other
/// thread or operation accesses memory that is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_geti_nbi_bulk(
    dstcount: usize,
    dstlist: *const *mut c_void,
    dstlen: usize,
    srcnode: gasnet_node_t,
    srccount: usize,
    srclist: *const *mut c_void,
    srclen: usize,
) {
    // SAFETY: the caller's promise above.
    let transfer = unsafe { indexed("gasnet_geti_nbi_bulk", dstcount, dstlist, dstlen, srccount, srclist, srclen) };
    get("gasnet_geti_nbi_bulk", VisTarget::Node(srcnode), &transfer, How::Tracked(Track::Implicit), 0);
}
