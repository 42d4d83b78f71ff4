//! The C interface of GASNet-1's collectives that move blocks, with a list of addresses, as each rank knows those of all its images.
//!
//! # Safety
//! Views are made of the caller's arguments; each function states the caller's promise.
#![allow(unsafe_code)]

use core::ffi::{c_int, c_void};

use crate::abi::coll_call::{Call, CallSide};
use crate::abi::coll_legacy::{gasnet_coll_handle_t, gasnet_image_t, gasnet_team_handle_t};
use crate::coll::images::request::Collective;

/// Copies `nbytes` bytes at `src` of image `srcimage` to each address of `dstlist`. `src` is used on `srcimage`
/// only, where it may be one of these addresses. Lists have an address for each image of the calling rank, in the
/// order of images; with GASNET_COLL_SINGLE for each image of the team.
///
/// Blocks, and may run AM handlers; must not be called from a handler, nor between barrier notify and wait. Called
/// by all images of the team, in the same order as their other collectives. `flags` has one of
/// GASNET_COLL_IN_{NO,MY,ALL}SYNC, one of GASNET_COLL_OUT_{NO,MY,ALL}SYNC, and GASNET_COLL_LOCAL or
/// GASNET_COLL_SINGLE.
///
/// Source: GASNet collectives, "Broadcast".
///
/// # Safety
/// Each address of `dstlist`, and on `srcimage` `src`, has `nbytes` bytes that no other thread accesses, as the
/// sync flags require. Lists have all their entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_broadcastM(
    team: gasnet_team_handle_t,
    dstlist: *const *mut c_void,
    srcimage: gasnet_image_t,
    src: *mut c_void,
    nbytes: usize,
    flags: c_int,
) {
    let call = Call::new("gasnet_coll_broadcastM", team, flags);
    let root = call.root("srcimage", srcimage);
    // SAFETY: the caller's promise above.
    unsafe { call.run(Collective::Broadcast { root }, nbytes, CallSide::List(dstlist), CallSide::One(src)) }
}

/// Starts a `gasnet_coll_broadcastM`; the handle is complete when that call would return.
///
/// Does not wait; may run AM handlers; must not be called from a handler. With GASNET_COLL_AGGREGATE the returned
/// handle is not valid; the next call over the team by this thread without that flag ends the aggregate and returns
/// its handle.
///
/// Source: GASNet collectives, "Broadcast".
///
/// # Safety
/// As `gasnet_coll_broadcastM`, until the handle is synchronised.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_broadcastM_nb(
    team: gasnet_team_handle_t,
    dstlist: *const *mut c_void,
    srcimage: gasnet_image_t,
    src: *mut c_void,
    nbytes: usize,
    flags: c_int,
) -> gasnet_coll_handle_t {
    let call = Call::new("gasnet_coll_broadcastM_nb", team, flags);
    let root = call.root("srcimage", srcimage);
    // SAFETY: the caller's promise above.
    unsafe { call.start(Collective::Broadcast { root }, nbytes, CallSide::List(dstlist), CallSide::One(src)) }
}

/// Copies block `i`, of `nbytes` bytes, of `src` of image `srcimage` to the address of image `i` in `dstlist`. `src`
/// is used on `srcimage` only; its blocks may already be at their destinations. Lists have an address for each
/// image of the calling rank, in the order of images; with GASNET_COLL_SINGLE for each image of the team.
///
/// Blocks, and may run AM handlers; must not be called from a handler, nor between barrier notify and wait. Called
/// by all images of the team, in the same order as their other collectives. `flags` has one of
/// GASNET_COLL_IN_{NO,MY,ALL}SYNC, one of GASNET_COLL_OUT_{NO,MY,ALL}SYNC, and GASNET_COLL_LOCAL or
/// GASNET_COLL_SINGLE.
///
/// Source: GASNet collectives, "Scatter".
///
/// # Safety
/// Each address of `dstlist` has `nbytes` bytes, and on `srcimage` `src` the same number for each image, that no
/// other thread accesses, as the sync flags require. Lists have all their entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_scatterM(
    team: gasnet_team_handle_t,
    dstlist: *const *mut c_void,
    srcimage: gasnet_image_t,
    src: *mut c_void,
    nbytes: usize,
    flags: c_int,
) {
    let call = Call::new("gasnet_coll_scatterM", team, flags);
    let root = call.root("srcimage", srcimage);
    // SAFETY: the caller's promise above.
    unsafe { call.run(Collective::Scatter { root }, nbytes, CallSide::List(dstlist), CallSide::One(src)) }
}

/// Starts a `gasnet_coll_scatterM`; the handle is complete when that call would return.
///
/// Does not wait; may run AM handlers; must not be called from a handler. With GASNET_COLL_AGGREGATE the returned
/// handle is not valid; the next call over the team by this thread without that flag ends the aggregate and returns
/// its handle.
///
/// Source: GASNet collectives, "Scatter".
///
/// # Safety
/// As `gasnet_coll_scatterM`, until the handle is synchronised.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_scatterM_nb(
    team: gasnet_team_handle_t,
    dstlist: *const *mut c_void,
    srcimage: gasnet_image_t,
    src: *mut c_void,
    nbytes: usize,
    flags: c_int,
) -> gasnet_coll_handle_t {
    let call = Call::new("gasnet_coll_scatterM_nb", team, flags);
    let root = call.root("srcimage", srcimage);
    // SAFETY: the caller's promise above.
    unsafe { call.start(Collective::Scatter { root }, nbytes, CallSide::List(dstlist), CallSide::One(src)) }
}

/// Copies the `nbytes` bytes at the address of image `i` in `srclist` to block `i` of `dst` of image `dstimage`.
/// `dst` is used on `dstimage` only; its blocks may already be at their destinations. Lists have an address for
/// each image of the calling rank, in the order of images; with GASNET_COLL_SINGLE for each image of the team.
///
/// Blocks, and may run AM handlers; must not be called from a handler, nor between barrier notify and wait. Called
/// by all images of the team, in the same order as their other collectives. `flags` has one of
/// GASNET_COLL_IN_{NO,MY,ALL}SYNC, one of GASNET_COLL_OUT_{NO,MY,ALL}SYNC, and GASNET_COLL_LOCAL or
/// GASNET_COLL_SINGLE.
///
/// Source: GASNet collectives, "Gather".
///
/// # Safety
/// Each address of `srclist` has `nbytes` bytes, and on `dstimage` `dst` the same number for each image, that no
/// other thread accesses, as the sync flags require. Lists have all their entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_gatherM(
    team: gasnet_team_handle_t,
    dstimage: gasnet_image_t,
    dst: *mut c_void,
    srclist: *const *mut c_void,
    nbytes: usize,
    flags: c_int,
) {
    let call = Call::new("gasnet_coll_gatherM", team, flags);
    let root = call.root("dstimage", dstimage);
    // SAFETY: the caller's promise above.
    unsafe { call.run(Collective::Gather { root }, nbytes, CallSide::One(dst), CallSide::List(srclist)) }
}

/// Starts a `gasnet_coll_gatherM`; the handle is complete when that call would return.
///
/// Does not wait; may run AM handlers; must not be called from a handler. With GASNET_COLL_AGGREGATE the returned
/// handle is not valid; the next call over the team by this thread without that flag ends the aggregate and returns
/// its handle.
///
/// Source: GASNet collectives, "Gather".
///
/// # Safety
/// As `gasnet_coll_gatherM`, until the handle is synchronised.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_gatherM_nb(
    team: gasnet_team_handle_t,
    dstimage: gasnet_image_t,
    dst: *mut c_void,
    srclist: *const *mut c_void,
    nbytes: usize,
    flags: c_int,
) -> gasnet_coll_handle_t {
    let call = Call::new("gasnet_coll_gatherM_nb", team, flags);
    let root = call.root("dstimage", dstimage);
    // SAFETY: the caller's promise above.
    unsafe { call.start(Collective::Gather { root }, nbytes, CallSide::One(dst), CallSide::List(srclist)) }
}

/// Copies the `nbytes` bytes at the address of image `i` in `srclist` to block `i` at each address of `dstlist`. An
/// image's own block may already be at its destination. Lists have an address for each image of the calling rank,
/// in the order of images; with GASNET_COLL_SINGLE for each image of the team.
///
/// Blocks, and may run AM handlers; must not be called from a handler, nor between barrier notify and wait. Called
/// by all images of the team, in the same order as their other collectives. `flags` has one of
/// GASNET_COLL_IN_{NO,MY,ALL}SYNC, one of GASNET_COLL_OUT_{NO,MY,ALL}SYNC, and GASNET_COLL_LOCAL or
/// GASNET_COLL_SINGLE.
///
/// Source: GASNet collectives, "Gather all".
///
/// # Safety
/// Each address of `srclist` has `nbytes` bytes, and each address of `dstlist` the same number for each image, that
/// no other thread accesses, as the sync flags require. Lists have all their entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_gather_allM(
    team: gasnet_team_handle_t,
    dstlist: *const *mut c_void,
    srclist: *const *mut c_void,
    nbytes: usize,
    flags: c_int,
) {
    let call = Call::new("gasnet_coll_gather_allM", team, flags);
    // SAFETY: the caller's promise above.
    unsafe { call.run(Collective::GatherAll, nbytes, CallSide::List(dstlist), CallSide::List(srclist)) }
}

/// Starts a `gasnet_coll_gather_allM`; the handle is complete when that call would return.
///
/// Does not wait; may run AM handlers; must not be called from a handler. With GASNET_COLL_AGGREGATE the returned
/// handle is not valid; the next call over the team by this thread without that flag ends the aggregate and returns
/// its handle.
///
/// Source: GASNet collectives, "Gather all".
///
/// # Safety
/// As `gasnet_coll_gather_allM`, until the handle is synchronised.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_gather_allM_nb(
    team: gasnet_team_handle_t,
    dstlist: *const *mut c_void,
    srclist: *const *mut c_void,
    nbytes: usize,
    flags: c_int,
) -> gasnet_coll_handle_t {
    let call = Call::new("gasnet_coll_gather_allM_nb", team, flags);
    // SAFETY: the caller's promise above.
    unsafe { call.start(Collective::GatherAll, nbytes, CallSide::List(dstlist), CallSide::List(srclist)) }
}

/// Copies block `j`, of `nbytes` bytes, at the address of image `i` in `srclist` to block `i` at that of image `j` in
/// `dstlist`. The two do not overlap. Lists have an address for each image of the calling rank, in the order of
/// images; with GASNET_COLL_SINGLE for each image of the team.
///
/// Blocks, and may run AM handlers; must not be called from a handler, nor between barrier notify and wait. Called
/// by all images of the team, in the same order as their other collectives. `flags` has one of
/// GASNET_COLL_IN_{NO,MY,ALL}SYNC, one of GASNET_COLL_OUT_{NO,MY,ALL}SYNC, and GASNET_COLL_LOCAL or
/// GASNET_COLL_SINGLE.
///
/// Source: GASNet collectives, "Exchange".
///
/// # Safety
/// Each address of `srclist` and `dstlist` has `nbytes` bytes for each image that no other thread accesses, as the
/// sync flags require. Lists have all their entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_exchangeM(
    team: gasnet_team_handle_t,
    dstlist: *const *mut c_void,
    srclist: *const *mut c_void,
    nbytes: usize,
    flags: c_int,
) {
    let call = Call::new("gasnet_coll_exchangeM", team, flags);
    // SAFETY: the caller's promise above.
    unsafe { call.run(Collective::Exchange, nbytes, CallSide::List(dstlist), CallSide::List(srclist)) }
}

/// Starts a `gasnet_coll_exchangeM`; the handle is complete when that call would return.
///
/// Does not wait; may run AM handlers; must not be called from a handler. With GASNET_COLL_AGGREGATE the returned
/// handle is not valid; the next call over the team by this thread without that flag ends the aggregate and returns
/// its handle.
///
/// Source: GASNet collectives, "Exchange".
///
/// # Safety
/// As `gasnet_coll_exchangeM`, until the handle is synchronised.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_exchangeM_nb(
    team: gasnet_team_handle_t,
    dstlist: *const *mut c_void,
    srclist: *const *mut c_void,
    nbytes: usize,
    flags: c_int,
) -> gasnet_coll_handle_t {
    let call = Call::new("gasnet_coll_exchangeM_nb", team, flags);
    // SAFETY: the caller's promise above.
    unsafe { call.start(Collective::Exchange, nbytes, CallSide::List(dstlist), CallSide::List(srclist)) }
}
