//! The C interface of non-contiguous put and get, described by lists.
//!
//! # Safety
//! Views are made of the caller's arguments; each function states the caller's promise.
#![allow(unsafe_code, clippy::too_many_arguments)]

use core::ffi::{c_int, c_void};

use crate::abi::types::{gex_AM_Index_t, gex_Event_t, gex_Flags_t, gex_Memvec_t, gex_Rank_t, gex_TM_t};
use crate::abi::vis_enter::{VisTarget, get, indexed, put, refused, to_c, vector};
use crate::endpoint::table::CLIENT_BASE;
use crate::fatal::usage;
use crate::rma::Track;
use crate::vis::{How, peer};

/// Copies the bytes described by a local list to those of a remote list on `dstrank` of `tm`, and waits.
///
/// Blocks, and may run AM handlers; must not be called from a handler.
///
/// The bytes of both lists are paired in order; both lists describe the same number of bytes. Lists and pieces may
/// be empty.
///
/// Returns 0; nonzero only with GEX_FLAG_IMMEDIATE, if resources were exhausted and the operation was not started.
///
/// Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
/// the remote side is outside the target's segment.
///
/// Source: GASNet-EX 0.19, "Vector/Indexed/Strided (VIS)".
///
/// # Safety
/// The lists and the memory that they describe are mapped for the time stated above; during that time no other
/// thread or operation accesses memory that is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_VIS_VectorPutBlocking(
    tm: gex_TM_t,
    dstrank: gex_Rank_t,
    dstcount: usize,
    dstlist: *const gex_Memvec_t,
    srccount: usize,
    srclist: *const gex_Memvec_t,
    flags: gex_Flags_t,
) -> c_int {
    // SAFETY: the caller's promise above.
    let transfer = unsafe { vector("gex_VIS_VectorPutBlocking", dstcount, dstlist.cast(), srccount, srclist.cast()) };
    let handle = put("gex_VIS_VectorPutBlocking", VisTarget::Team(tm, dstrank), &transfer, How::Blocking, flags);
    refused(handle)
}

/// Starts to copy the bytes described by a local list to those of a remote list on `dstrank` of `tm`.
///
/// The source data and the lists must not be changed until the operation is synchronised; with
/// GEX_FLAG_ENABLE_LEAF_LC the source data may be changed once gex_Event_QueryLeaf(event, GEX_EC_LC) is
/// synchronised. May run AM handlers; must not be called from one.
///
/// The bytes of both lists are paired in order; both lists describe the same number of bytes. Lists and pieces may
/// be empty.
///
/// Returns the operation's event; GEX_EVENT_INVALID if it is already complete; GEX_EVENT_NO_OP only with
/// GEX_FLAG_IMMEDIATE, if resources were exhausted and the operation was not started.
///
/// Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
/// the remote side is outside the target's segment.
///
/// Source: GASNet-EX 0.19, "Vector/Indexed/Strided (VIS)".
///
/// # Safety
/// The lists and the memory that they describe are mapped for the time stated above; during that time no other
/// thread or operation accesses memory that is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_VIS_VectorPutNB(
    tm: gex_TM_t,
    dstrank: gex_Rank_t,
    dstcount: usize,
    dstlist: *const gex_Memvec_t,
    srccount: usize,
    srclist: *const gex_Memvec_t,
    flags: gex_Flags_t,
) -> gex_Event_t {
    // SAFETY: the caller's promise above.
    let transfer = unsafe { vector("gex_VIS_VectorPutNB", dstcount, dstlist.cast(), srccount, srclist.cast()) };
    let handle =
        put("gex_VIS_VectorPutNB", VisTarget::Team(tm, dstrank), &transfer, How::Tracked(Track::Explicit), flags);
    to_c(handle)
}

/// Starts to copy the bytes described by a local list to those of a remote list on `dstrank` of `tm`, as an
/// implicit operation of this thread.
///
/// The source data and the lists must not be changed until the operation is synchronised; with
/// GEX_FLAG_ENABLE_LEAF_LC the source data may be changed once GEX_EC_LC is synchronised. May run AM handlers; must
/// not be called from one.
///
/// The bytes of both lists are paired in order; both lists describe the same number of bytes. Lists and pieces may
/// be empty.
///
/// Returns 0; nonzero only with GEX_FLAG_IMMEDIATE, if resources were exhausted and the operation was not started.
///
/// Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
/// the remote side is outside the target's segment.
///
/// Source: GASNet-EX 0.19, "Vector/Indexed/Strided (VIS)".
///
/// # Safety
/// The lists and the memory that they describe are mapped for the time stated above; during that time no other
/// thread or operation accesses memory that is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_VIS_VectorPutNBI(
    tm: gex_TM_t,
    dstrank: gex_Rank_t,
    dstcount: usize,
    dstlist: *const gex_Memvec_t,
    srccount: usize,
    srclist: *const gex_Memvec_t,
    flags: gex_Flags_t,
) -> c_int {
    // SAFETY: the caller's promise above.
    let transfer = unsafe { vector("gex_VIS_VectorPutNBI", dstcount, dstlist.cast(), srccount, srclist.cast()) };
    let handle =
        put("gex_VIS_VectorPutNBI", VisTarget::Team(tm, dstrank), &transfer, How::Tracked(Track::Implicit), flags);
    refused(handle)
}

/// Copies the bytes described by a remote list on `srcrank` of `tm` to those of a local list, and waits.
///
/// Blocks, and may run AM handlers; must not be called from a handler.
///
/// The bytes of both lists are paired in order; both lists describe the same number of bytes. Lists and pieces may
/// be empty.
///
/// Returns 0; nonzero only with GEX_FLAG_IMMEDIATE, if resources were exhausted and the operation was not started.
///
/// Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
/// the remote side is outside the target's segment.
///
/// Source: GASNet-EX 0.19, "Vector/Indexed/Strided (VIS)".
///
/// # Safety
/// The lists and the memory that they describe are mapped for the time stated above; during that time no other
/// thread or operation accesses memory that is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_VIS_VectorGetBlocking(
    tm: gex_TM_t,
    dstcount: usize,
    dstlist: *const gex_Memvec_t,
    srcrank: gex_Rank_t,
    srccount: usize,
    srclist: *const gex_Memvec_t,
    flags: gex_Flags_t,
) -> c_int {
    // SAFETY: the caller's promise above.
    let transfer = unsafe { vector("gex_VIS_VectorGetBlocking", dstcount, dstlist.cast(), srccount, srclist.cast()) };
    let handle = get("gex_VIS_VectorGetBlocking", VisTarget::Team(tm, srcrank), &transfer, How::Blocking, flags);
    refused(handle)
}

/// Starts to copy the bytes described by a remote list on `srcrank` of `tm` to those of a local list.
///
/// The lists must not be changed, and the destination is undefined, until the operation is synchronised. May run AM
/// handlers; must not be called from one.
///
/// The bytes of both lists are paired in order; both lists describe the same number of bytes. Lists and pieces may
/// be empty.
///
/// Returns the operation's event; GEX_EVENT_INVALID if it is already complete; GEX_EVENT_NO_OP only with
/// GEX_FLAG_IMMEDIATE, if resources were exhausted and the operation was not started.
///
/// Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
/// the remote side is outside the target's segment.
///
/// Source: GASNet-EX 0.19, "Vector/Indexed/Strided (VIS)".
///
/// # Safety
/// The lists and the memory that they describe are mapped for the time stated above; during that time no other
/// thread or operation accesses memory that is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_VIS_VectorGetNB(
    tm: gex_TM_t,
    dstcount: usize,
    dstlist: *const gex_Memvec_t,
    srcrank: gex_Rank_t,
    srccount: usize,
    srclist: *const gex_Memvec_t,
    flags: gex_Flags_t,
) -> gex_Event_t {
    // SAFETY: the caller's promise above.
    let transfer = unsafe { vector("gex_VIS_VectorGetNB", dstcount, dstlist.cast(), srccount, srclist.cast()) };
    let handle =
        get("gex_VIS_VectorGetNB", VisTarget::Team(tm, srcrank), &transfer, How::Tracked(Track::Explicit), flags);
    to_c(handle)
}

/// Starts to copy the bytes described by a remote list on `srcrank` of `tm` to those of a local list, as an
/// implicit operation of this thread.
///
/// The lists must not be changed, and the destination is undefined, until the operation is synchronised. May run AM
/// handlers; must not be called from one.
///
/// The bytes of both lists are paired in order; both lists describe the same number of bytes. Lists and pieces may
/// be empty.
///
/// Returns 0; nonzero only with GEX_FLAG_IMMEDIATE, if resources were exhausted and the operation was not started.
///
/// Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
/// the remote side is outside the target's segment.
///
/// Source: GASNet-EX 0.19, "Vector/Indexed/Strided (VIS)".
///
/// # Safety
/// The lists and the memory that they describe are mapped for the time stated above; during that time no other
/// thread or operation accesses memory that is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_VIS_VectorGetNBI(
    tm: gex_TM_t,
    dstcount: usize,
    dstlist: *const gex_Memvec_t,
    srcrank: gex_Rank_t,
    srccount: usize,
    srclist: *const gex_Memvec_t,
    flags: gex_Flags_t,
) -> c_int {
    // SAFETY: the caller's promise above.
    let transfer = unsafe { vector("gex_VIS_VectorGetNBI", dstcount, dstlist.cast(), srccount, srclist.cast()) };
    let handle =
        get("gex_VIS_VectorGetNBI", VisTarget::Team(tm, srcrank), &transfer, How::Tracked(Track::Implicit), flags);
    refused(handle)
}

/// Copies local pieces of equal length to `dstrank` of `tm`, and waits.
///
/// Blocks, and may run AM handlers; must not be called from a handler.
///
/// The bytes of both lists are paired in order; both lists describe the same number of bytes: `dstcount` pieces of
/// `dstlen` bytes, and `srccount` pieces of `srclen` bytes.
///
/// Returns 0; nonzero only with GEX_FLAG_IMMEDIATE, if resources were exhausted and the operation was not started.
///
/// Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
/// the remote side is outside the target's segment.
///
/// Source: GASNet-EX 0.19, "Vector/Indexed/Strided (VIS)".
///
/// # Safety
/// The lists and the memory that they describe are mapped for the time stated above; during that time no other
/// thread or operation accesses memory that is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_VIS_IndexedPutBlocking(
    tm: gex_TM_t,
    dstrank: gex_Rank_t,
    dstcount: usize,
    dstlist: *const *mut c_void,
    dstlen: usize,
    srccount: usize,
    srclist: *const *mut c_void,
    srclen: usize,
    flags: gex_Flags_t,
) -> c_int {
    // SAFETY: the caller's promise above.
    let transfer =
        unsafe { indexed("gex_VIS_IndexedPutBlocking", dstcount, dstlist, dstlen, srccount, srclist, srclen) };
    let handle = put("gex_VIS_IndexedPutBlocking", VisTarget::Team(tm, dstrank), &transfer, How::Blocking, flags);
    refused(handle)
}

/// Starts to copy local pieces of equal length to `dstrank` of `tm`.
///
/// The source data and the lists must not be changed until the operation is synchronised; with
/// GEX_FLAG_ENABLE_LEAF_LC the source data may be changed once gex_Event_QueryLeaf(event, GEX_EC_LC) is
/// synchronised. May run AM handlers; must not be called from one.
///
/// The bytes of both lists are paired in order; both lists describe the same number of bytes: `dstcount` pieces of
/// `dstlen` bytes, and `srccount` pieces of `srclen` bytes.
///
/// Returns the operation's event; GEX_EVENT_INVALID if it is already complete; GEX_EVENT_NO_OP only with
/// GEX_FLAG_IMMEDIATE, if resources were exhausted and the operation was not started.
///
/// Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
/// the remote side is outside the target's segment.
///
/// Source: GASNet-EX 0.19, "Vector/Indexed/Strided (VIS)".
///
/// # Safety
/// The lists and the memory that they describe are mapped for the time stated above; during that time no other
/// thread or operation accesses memory that is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_VIS_IndexedPutNB(
    tm: gex_TM_t,
    dstrank: gex_Rank_t,
    dstcount: usize,
    dstlist: *const *mut c_void,
    dstlen: usize,
    srccount: usize,
    srclist: *const *mut c_void,
    srclen: usize,
    flags: gex_Flags_t,
) -> gex_Event_t {
    // SAFETY: the caller's promise above.
    let transfer = unsafe { indexed("gex_VIS_IndexedPutNB", dstcount, dstlist, dstlen, srccount, srclist, srclen) };
    let handle =
        put("gex_VIS_IndexedPutNB", VisTarget::Team(tm, dstrank), &transfer, How::Tracked(Track::Explicit), flags);
    to_c(handle)
}

/// Starts to copy local pieces of equal length to `dstrank` of `tm`, as an implicit operation of this thread.
///
/// The source data and the lists must not be changed until the operation is synchronised; with
/// GEX_FLAG_ENABLE_LEAF_LC the source data may be changed once GEX_EC_LC is synchronised. May run AM handlers; must
/// not be called from one.
///
/// The bytes of both lists are paired in order; both lists describe the same number of bytes: `dstcount` pieces of
/// `dstlen` bytes, and `srccount` pieces of `srclen` bytes.
///
/// Returns 0; nonzero only with GEX_FLAG_IMMEDIATE, if resources were exhausted and the operation was not started.
///
/// Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
/// the remote side is outside the target's segment.
///
/// Source: GASNet-EX 0.19, "Vector/Indexed/Strided (VIS)".
///
/// # Safety
/// The lists and the memory that they describe are mapped for the time stated above; during that time no other
/// thread or operation accesses memory that is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_VIS_IndexedPutNBI(
    tm: gex_TM_t,
    dstrank: gex_Rank_t,
    dstcount: usize,
    dstlist: *const *mut c_void,
    dstlen: usize,
    srccount: usize,
    srclist: *const *mut c_void,
    srclen: usize,
    flags: gex_Flags_t,
) -> c_int {
    // SAFETY: the caller's promise above.
    let transfer = unsafe { indexed("gex_VIS_IndexedPutNBI", dstcount, dstlist, dstlen, srccount, srclist, srclen) };
    let handle =
        put("gex_VIS_IndexedPutNBI", VisTarget::Team(tm, dstrank), &transfer, How::Tracked(Track::Implicit), flags);
    refused(handle)
}

/// Copies pieces of equal length from `srcrank` of `tm` to local memory, and waits.
///
/// Blocks, and may run AM handlers; must not be called from a handler.
///
/// The bytes of both lists are paired in order; both lists describe the same number of bytes: `dstcount` pieces of
/// `dstlen` bytes, and `srccount` pieces of `srclen` bytes.
///
/// Returns 0; nonzero only with GEX_FLAG_IMMEDIATE, if resources were exhausted and the operation was not started.
///
/// Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
/// the remote side is outside the target's segment.
///
/// Source: GASNet-EX 0.19, "Vector/Indexed/Strided (VIS)".
///
/// # Safety
/// The lists and the memory that they describe are mapped for the time stated above; during that time no other
/// thread or operation accesses memory that is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_VIS_IndexedGetBlocking(
    tm: gex_TM_t,
    dstcount: usize,
    dstlist: *const *mut c_void,
    dstlen: usize,
    srcrank: gex_Rank_t,
    srccount: usize,
    srclist: *const *mut c_void,
    srclen: usize,
    flags: gex_Flags_t,
) -> c_int {
    // SAFETY: the caller's promise above.
    let transfer =
        unsafe { indexed("gex_VIS_IndexedGetBlocking", dstcount, dstlist, dstlen, srccount, srclist, srclen) };
    let handle = get("gex_VIS_IndexedGetBlocking", VisTarget::Team(tm, srcrank), &transfer, How::Blocking, flags);
    refused(handle)
}

/// Starts to copy pieces of equal length from `srcrank` of `tm` to local memory.
///
/// The lists must not be changed, and the destination is undefined, until the operation is synchronised. May run AM
/// handlers; must not be called from one.
///
/// The bytes of both lists are paired in order; both lists describe the same number of bytes: `dstcount` pieces of
/// `dstlen` bytes, and `srccount` pieces of `srclen` bytes.
///
/// Returns the operation's event; GEX_EVENT_INVALID if it is already complete; GEX_EVENT_NO_OP only with
/// GEX_FLAG_IMMEDIATE, if resources were exhausted and the operation was not started.
///
/// Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
/// the remote side is outside the target's segment.
///
/// Source: GASNet-EX 0.19, "Vector/Indexed/Strided (VIS)".
///
/// # Safety
/// The lists and the memory that they describe are mapped for the time stated above; during that time no other
/// thread or operation accesses memory that is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_VIS_IndexedGetNB(
    tm: gex_TM_t,
    dstcount: usize,
    dstlist: *const *mut c_void,
    dstlen: usize,
    srcrank: gex_Rank_t,
    srccount: usize,
    srclist: *const *mut c_void,
    srclen: usize,
    flags: gex_Flags_t,
) -> gex_Event_t {
    // SAFETY: the caller's promise above.
    let transfer = unsafe { indexed("gex_VIS_IndexedGetNB", dstcount, dstlist, dstlen, srccount, srclist, srclen) };
    let handle =
        get("gex_VIS_IndexedGetNB", VisTarget::Team(tm, srcrank), &transfer, How::Tracked(Track::Explicit), flags);
    to_c(handle)
}

/// Starts to copy pieces of equal length from `srcrank` of `tm` to local memory, as an implicit operation of this
/// thread.
///
/// The lists must not be changed, and the destination is undefined, until the operation is synchronised. May run AM
/// handlers; must not be called from one.
///
/// The bytes of both lists are paired in order; both lists describe the same number of bytes: `dstcount` pieces of
/// `dstlen` bytes, and `srccount` pieces of `srclen` bytes.
///
/// Returns 0; nonzero only with GEX_FLAG_IMMEDIATE, if resources were exhausted and the operation was not started.
///
/// Ends the job if the two sides differ in total length, or if a list with entries is NULL; debug clients: also if
/// the remote side is outside the target's segment.
///
/// Source: GASNet-EX 0.19, "Vector/Indexed/Strided (VIS)".
///
/// # Safety
/// The lists and the memory that they describe are mapped for the time stated above; during that time no other
/// thread or operation accesses memory that is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_VIS_IndexedGetNBI(
    tm: gex_TM_t,
    dstcount: usize,
    dstlist: *const *mut c_void,
    dstlen: usize,
    srcrank: gex_Rank_t,
    srccount: usize,
    srclist: *const *mut c_void,
    srclen: usize,
    flags: gex_Flags_t,
) -> c_int {
    // SAFETY: the caller's promise above.
    let transfer = unsafe { indexed("gex_VIS_IndexedGetNBI", dstcount, dstlist, dstlen, srccount, srclist, srclen) };
    let handle =
        get("gex_VIS_IndexedGetNBI", VisTarget::Team(tm, srcrank), &transfer, How::Tracked(Track::Implicit), flags);
    refused(handle)
}

/// Requests that the next vector, indexed or strided put of this thread run `handler` at its target, as the handler
/// of a Medium reply without arguments, once the data of that put is in place.
///
/// The handler's payload is the `nbytes` bytes at `source_addr`, at most GEX_VIS_MAX_PEERCOMPLETION; they must not
/// be changed until the put, or its local completion, is synchronised. `handler` 0 cancels an earlier request.
/// `flags` is 0.
///
/// Ends the job if `nbytes` is too large, or `handler` is below GEX_AM_INDEX_BASE and not 0.
///
/// Source: GASNet-EX 0.19, "VIS Put Peer Completion" (deprecated there).
///
/// # Safety
/// `source_addr` has `nbytes` readable bytes for the time stated above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_VIS_SetPeerCompletionHandler(
    handler: gex_AM_Index_t,
    source_addr: *const c_void,
    nbytes: usize,
    flags: gex_Flags_t,
) {
    const CALL: &str = "gex_VIS_SetPeerCompletionHandler";
    if handler == 0 {
        return peer::arm(None);
    }
    if nbytes > peer::MAX_PAYLOAD {
        usage!(CALL, "nbytes {nbytes} is above GEX_VIS_MAX_PEERCOMPLETION = {}", peer::MAX_PAYLOAD);
    }
    if handler < CLIENT_BASE {
        usage!(CALL, "handler {handler} is below GEX_AM_INDEX_BASE = {CLIENT_BASE}");
    }
    if nbytes > 0 && source_addr.is_null() {
        usage!(CALL, "source_addr of {nbytes} bytes is NULL");
    }
    if flags != 0 {
        usage!(CALL, "flags {flags:#x} is not 0");
    }
    peer::arm(Some(peer::Armed { handler, at: source_addr.expose_provenance(), nbytes }));
}
