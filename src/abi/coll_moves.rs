//! The C interface of GASNet-1's collectives that move blocks, with one address of each image.
//!
//! # Safety
//! Views are made of the caller's arguments; each function states the caller's promise.
#![allow(unsafe_code)]

use core::ffi::{c_int, c_void};

use crate::abi::coll_call::{Call, CallSide};
use crate::abi::coll_legacy::{gasnet_coll_handle_t, gasnet_image_t, gasnet_team_handle_t};
use crate::coll::images::request::Collective;

/// Copies `nbytes` bytes at `src` of image `srcimage` to `dst` of every image of `team`. `src` is used on
/// `srcimage` only, where it may be `dst`.
///
/// Blocks, and may run AM handlers; must not be called from a handler, nor between barrier notify and wait. Called
/// by all images of the team, in the same order as their other collectives. `flags` has one of
/// GASNET_COLL_IN_{NO,MY,ALL}SYNC, one of GASNET_COLL_OUT_{NO,MY,ALL}SYNC, and GASNET_COLL_LOCAL or
/// GASNET_COLL_SINGLE.
///
/// Source: GASNet collectives, "Broadcast".
///
/// # Safety
/// `dst`, and on `srcimage` `src`, have `nbytes` bytes that no other thread accesses, as the sync flags require.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_broadcast(
    team: gasnet_team_handle_t,
    dst: *mut c_void,
    srcimage: gasnet_image_t,
    src: *mut c_void,
    nbytes: usize,
    flags: c_int,
) {
    let call = Call::new("gasnet_coll_broadcast", team, flags);
    let root = call.root("srcimage", srcimage);
    // SAFETY: the caller's promise above.
    unsafe { call.run(Collective::Broadcast { root }, nbytes, CallSide::One(dst), CallSide::One(src)) }
}

/// Starts a `gasnet_coll_broadcast`; the handle is complete when that call would return.
///
/// Does not wait; may run AM handlers; must not be called from a handler. With GASNET_COLL_AGGREGATE the returned
/// handle is not valid; the next call over the team by this thread without that flag ends the aggregate and returns
/// its handle.
///
/// Source: GASNet collectives, "Broadcast".
///
/// # Safety
/// As `gasnet_coll_broadcast`, until the handle is synchronised.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_broadcast_nb(
    team: gasnet_team_handle_t,
    dst: *mut c_void,
    srcimage: gasnet_image_t,
    src: *mut c_void,
    nbytes: usize,
    flags: c_int,
) -> gasnet_coll_handle_t {
    let call = Call::new("gasnet_coll_broadcast_nb", team, flags);
    let root = call.root("srcimage", srcimage);
    // SAFETY: the caller's promise above.
    unsafe { call.start(Collective::Broadcast { root }, nbytes, CallSide::One(dst), CallSide::One(src)) }
}

/// Copies block `i`, of `nbytes` bytes, of `src` of image `srcimage` to `dst` of image `i` of `team`. `src` is used
/// on `srcimage` only; its own block of `src` may be `dst`.
///
/// Blocks, and may run AM handlers; must not be called from a handler, nor between barrier notify and wait. Called
/// by all images of the team, in the same order as their other collectives. `flags` has one of
/// GASNET_COLL_IN_{NO,MY,ALL}SYNC, one of GASNET_COLL_OUT_{NO,MY,ALL}SYNC, and GASNET_COLL_LOCAL or
/// GASNET_COLL_SINGLE.
///
/// Source: GASNet collectives, "Scatter".
///
/// # Safety
/// `dst` has `nbytes` bytes, and on `srcimage` `src` the same number for each image, that no other thread accesses,
/// as the sync flags require.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_scatter(
    team: gasnet_team_handle_t,
    dst: *mut c_void,
    srcimage: gasnet_image_t,
    src: *mut c_void,
    nbytes: usize,
    flags: c_int,
) {
    let call = Call::new("gasnet_coll_scatter", team, flags);
    let root = call.root("srcimage", srcimage);
    // SAFETY: the caller's promise above.
    unsafe { call.run(Collective::Scatter { root }, nbytes, CallSide::One(dst), CallSide::One(src)) }
}

/// Starts a `gasnet_coll_scatter`; the handle is complete when that call would return.
///
/// Does not wait; may run AM handlers; must not be called from a handler. With GASNET_COLL_AGGREGATE the returned
/// handle is not valid; the next call over the team by this thread without that flag ends the aggregate and returns
/// its handle.
///
/// Source: GASNet collectives, "Scatter".
///
/// # Safety
/// As `gasnet_coll_scatter`, until the handle is synchronised.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_scatter_nb(
    team: gasnet_team_handle_t,
    dst: *mut c_void,
    srcimage: gasnet_image_t,
    src: *mut c_void,
    nbytes: usize,
    flags: c_int,
) -> gasnet_coll_handle_t {
    let call = Call::new("gasnet_coll_scatter_nb", team, flags);
    let root = call.root("srcimage", srcimage);
    // SAFETY: the caller's promise above.
    unsafe { call.start(Collective::Scatter { root }, nbytes, CallSide::One(dst), CallSide::One(src)) }
}

/// Copies the `nbytes` bytes at `src` of image `i` of `team` to block `i` of `dst` of image `dstimage`. `dst` is
/// used on `dstimage` only; its own block of `dst` may be `src`.
///
/// Blocks, and may run AM handlers; must not be called from a handler, nor between barrier notify and wait. Called
/// by all images of the team, in the same order as their other collectives. `flags` has one of
/// GASNET_COLL_IN_{NO,MY,ALL}SYNC, one of GASNET_COLL_OUT_{NO,MY,ALL}SYNC, and GASNET_COLL_LOCAL or
/// GASNET_COLL_SINGLE.
///
/// Source: GASNet collectives, "Gather".
///
/// # Safety
/// `src` has `nbytes` bytes, and on `dstimage` `dst` the same number for each image, that no other thread accesses,
/// as the sync flags require.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_gather(
    team: gasnet_team_handle_t,
    dstimage: gasnet_image_t,
    dst: *mut c_void,
    src: *mut c_void,
    nbytes: usize,
    flags: c_int,
) {
    let call = Call::new("gasnet_coll_gather", team, flags);
    let root = call.root("dstimage", dstimage);
    // SAFETY: the caller's promise above.
    unsafe { call.run(Collective::Gather { root }, nbytes, CallSide::One(dst), CallSide::One(src)) }
}

/// Starts a `gasnet_coll_gather`; the handle is complete when that call would return.
///
/// Does not wait; may run AM handlers; must not be called from a handler. With GASNET_COLL_AGGREGATE the returned
/// handle is not valid; the next call over the team by this thread without that flag ends the aggregate and returns
/// its handle.
///
/// Source: GASNet collectives, "Gather".
///
/// # Safety
/// As `gasnet_coll_gather`, until the handle is synchronised.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_gather_nb(
    team: gasnet_team_handle_t,
    dstimage: gasnet_image_t,
    dst: *mut c_void,
    src: *mut c_void,
    nbytes: usize,
    flags: c_int,
) -> gasnet_coll_handle_t {
    let call = Call::new("gasnet_coll_gather_nb", team, flags);
    let root = call.root("dstimage", dstimage);
    // SAFETY: the caller's promise above.
    unsafe { call.start(Collective::Gather { root }, nbytes, CallSide::One(dst), CallSide::One(src)) }
}

/// Copies the `nbytes` bytes at `src` of image `i` of `team` to block `i` of `dst` of every image. The image's own
/// block of `dst` may be `src`.
///
/// Blocks, and may run AM handlers; must not be called from a handler, nor between barrier notify and wait. Called
/// by all images of the team, in the same order as their other collectives. `flags` has one of
/// GASNET_COLL_IN_{NO,MY,ALL}SYNC, one of GASNET_COLL_OUT_{NO,MY,ALL}SYNC, and GASNET_COLL_LOCAL or
/// GASNET_COLL_SINGLE.
///
/// Source: GASNet collectives, "Gather all".
///
/// # Safety
/// `src` has `nbytes` bytes, and `dst` the same number for each image, that no other thread accesses, as the sync
/// flags require.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_gather_all(
    team: gasnet_team_handle_t,
    dst: *mut c_void,
    src: *mut c_void,
    nbytes: usize,
    flags: c_int,
) {
    let call = Call::new("gasnet_coll_gather_all", team, flags);
    // SAFETY: the caller's promise above.
    unsafe { call.run(Collective::GatherAll, nbytes, CallSide::One(dst), CallSide::One(src)) }
}

/// Starts a `gasnet_coll_gather_all`; the handle is complete when that call would return.
///
/// Does not wait; may run AM handlers; must not be called from a handler. With GASNET_COLL_AGGREGATE the returned
/// handle is not valid; the next call over the team by this thread without that flag ends the aggregate and returns
/// its handle.
///
/// Source: GASNet collectives, "Gather all".
///
/// # Safety
/// As `gasnet_coll_gather_all`, until the handle is synchronised.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_gather_all_nb(
    team: gasnet_team_handle_t,
    dst: *mut c_void,
    src: *mut c_void,
    nbytes: usize,
    flags: c_int,
) -> gasnet_coll_handle_t {
    let call = Call::new("gasnet_coll_gather_all_nb", team, flags);
    // SAFETY: the caller's promise above.
    unsafe { call.start(Collective::GatherAll, nbytes, CallSide::One(dst), CallSide::One(src)) }
}

/// Copies block `j`, of `nbytes` bytes, of `src` of image `i` of `team` to block `i` of `dst` of image `j`. The two
/// do not overlap.
///
/// Blocks, and may run AM handlers; must not be called from a handler, nor between barrier notify and wait. Called
/// by all images of the team, in the same order as their other collectives. `flags` has one of
/// GASNET_COLL_IN_{NO,MY,ALL}SYNC, one of GASNET_COLL_OUT_{NO,MY,ALL}SYNC, and GASNET_COLL_LOCAL or
/// GASNET_COLL_SINGLE.
///
/// Source: GASNet collectives, "Exchange".
///
/// # Safety
/// `src` and `dst` have `nbytes` bytes for each image that no other thread accesses, as the sync flags require.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_exchange(
    team: gasnet_team_handle_t,
    dst: *mut c_void,
    src: *mut c_void,
    nbytes: usize,
    flags: c_int,
) {
    let call = Call::new("gasnet_coll_exchange", team, flags);
    // SAFETY: the caller's promise above.
    unsafe { call.run(Collective::Exchange, nbytes, CallSide::One(dst), CallSide::One(src)) }
}

/// Starts a `gasnet_coll_exchange`; the handle is complete when that call would return.
///
/// Does not wait; may run AM handlers; must not be called from a handler. With GASNET_COLL_AGGREGATE the returned
/// handle is not valid; the next call over the team by this thread without that flag ends the aggregate and returns
/// its handle.
///
/// Source: GASNet collectives, "Exchange".
///
/// # Safety
/// As `gasnet_coll_exchange`, until the handle is synchronised.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_exchange_nb(
    team: gasnet_team_handle_t,
    dst: *mut c_void,
    src: *mut c_void,
    nbytes: usize,
    flags: c_int,
) -> gasnet_coll_handle_t {
    let call = Call::new("gasnet_coll_exchange_nb", team, flags);
    // SAFETY: the caller's promise above.
    unsafe { call.start(Collective::Exchange, nbytes, CallSide::One(dst), CallSide::One(src)) }
}
