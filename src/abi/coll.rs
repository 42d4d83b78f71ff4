//! The C interface of collectives: as much as programs need to start. Every rank is one image.
//!
//! # Safety
//! Views are made of what the caller passes; each function says what the caller promises.
#![allow(unsafe_code)]
#![allow(non_camel_case_types)]

use core::ffi::{c_int, c_uint, c_void};

use crate::abi::barrier::{code, result};
use crate::abi::enter;
use crate::abi::types::gasnet_node_t;
use crate::fatal::{Error, fatal, usage};
use crate::job::{Job, JobRank};
use crate::mem::{Dst, Src};

/// A team of ranks; its content is the library's.
pub struct gasneti_team {
    _private: [u8; 0],
}

/// A thread that takes part in collectives, numbered through the job.
pub type gasnet_image_t = u32;
/// A team of ranks; GASNET_TEAM_ALL is all of them.
pub type gasnet_team_handle_t = *mut gasneti_team;
/// Index into the table of reduction functions given to `gasnet_coll_init`.
pub type gasnet_coll_fn_handle_t = i32;
/// A reduction: `results[i] = left[i] op right[i]`.
pub type gasnet_coll_reduce_fn_t = Option<
    unsafe extern "C" fn(
        results: *mut c_void,
        result_count: usize,
        left_operands: *const c_void,
        left_count: usize,
        right_operands: *const c_void,
        elem_size: usize,
        flags: c_int,
        arg: c_int,
    ),
>;

/// An entry of the table of reduction functions.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct gasnet_coll_fn_entry_t {
    pub fnptr: gasnet_coll_reduce_fn_t,
    pub flags: c_uint,
}

const IN_NOSYNC: c_int = 1;
const IN_MYSYNC: c_int = 2;
const IN_ALLSYNC: c_int = 4;
const OUT_NOSYNC: c_int = 8;
const OUT_MYSYNC: c_int = 16;
const OUT_ALLSYNC: c_int = 32;
const SINGLE: c_int = 64;
const LOCAL: c_int = 128;

/// The job, once `team` is seen to be the team of all ranks.
fn team_of(call: &str, team: gasnet_team_handle_t) -> &'static Job {
    if team.addr() != 1 {
        usage!(call, "team {:#x} is not GASNET_TEAM_ALL", team.addr());
    }
    enter::job_to_wait(call)
}

/// Ends the job unless `flags` has exactly one of each group.
fn check_flags(call: &str, flags: c_int) {
    for (what, group) in [
        ("GASNET_COLL_IN_*SYNC", IN_NOSYNC | IN_MYSYNC | IN_ALLSYNC),
        ("GASNET_COLL_OUT_*SYNC", OUT_NOSYNC | OUT_MYSYNC | OUT_ALLSYNC),
        ("GASNET_COLL_LOCAL and GASNET_COLL_SINGLE", SINGLE | LOCAL),
    ] {
        let count = (flags & group).count_ones();
        if count != 1 {
            usage!(call, "flags {flags:#x} have {count} of {what}, of which there must be one");
        }
    }
}

/// Makes collectives usable. Called once, by every rank, before any other `gasnet_coll_` function; blocks until all
/// ranks have called it, and may run AM handlers.
///
/// `images`: threads of each rank that take part, or NULL for one each; `my_image`: which of them calls. `fn_tbl` has
/// the `fn_count` reduction functions. Ends the job if a rank has more than one image.
///
/// Source: GASNet collectives, "Initialization".
///
/// # Safety
/// `images` is NULL or has one entry a rank.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_init(
    images: *const gasnet_image_t,
    my_image: gasnet_image_t,
    fn_tbl: *mut gasnet_coll_fn_entry_t,
    fn_count: usize,
    init_flags: c_int,
) {
    let _ = (my_image, fn_tbl, fn_count, init_flags);
    let job = enter::job_to_wait("gasnet_coll_init");
    if !images.is_null() {
        for rank in 0..job.size as usize {
            // SAFETY: the caller's promise above.
            let count = unsafe { *images.add(rank) };
            if count != 1 {
                fatal!("gasnet_coll_init: rank {rank} has {count} images; this version has one image a rank");
            }
        }
    }
    job.barrier_inside("gasnet_coll_init");
}

/// Copies `nbytes` bytes at `src` of image `srcimage` to `dst` of every image of `team`.
///
/// Blocks, and may run AM handlers; must not be called from one, nor between barrier notify and wait. Called by all, in
/// the same order as their other collectives. `flags` has one of GASNET_COLL_IN_{NO,MY,ALL}SYNC, one of
/// GASNET_COLL_OUT_{NO,MY,ALL}SYNC, and GASNET_COLL_LOCAL or GASNET_COLL_SINGLE. `src` matters on `srcimage` only,
/// where it may be `dst`.
///
/// Source: GASNet collectives, "Broadcast".
///
/// # Safety
/// `dst`, and on `srcimage` `src`, have `nbytes` bytes that no one else touches as the sync flags say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_broadcast(
    team: gasnet_team_handle_t,
    dst: *mut c_void,
    srcimage: gasnet_image_t,
    src: *mut c_void,
    nbytes: usize,
    flags: c_int,
) {
    const CALL: &str = "gasnet_coll_broadcast";
    let job = team_of(CALL, team);
    check_flags(CALL, flags);
    if srcimage >= job.size {
        usage!(CALL, "image {srcimage} is not below the {} images of the team", job.size);
    }
    // SAFETY: the caller's promise above; `src` is looked at on the source image only.
    let (dst, src) = unsafe { (Dst::new(dst, nbytes), Src::new(src, nbytes)) };
    job.broadcast(dst, JobRank(srcimage), src, flags & IN_ALLSYNC != 0, flags & OUT_ALLSYNC != 0);
}

/// `gasnet_barrier_notify` over `team`.
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_coll_barrier_notify(team: gasnet_team_handle_t, id: c_int, flags: c_int) {
    const CALL: &str = "gasnet_coll_barrier_notify";
    team_of(CALL, team).barrier_notify(CALL, id, flags);
}

/// `gasnet_barrier_wait` over `team`.
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_coll_barrier_wait(team: gasnet_team_handle_t, id: c_int, flags: c_int) -> c_int {
    const CALL: &str = "gasnet_coll_barrier_wait";
    code(team_of(CALL, team).barrier_wait(CALL, id, flags))
}

/// `gasnet_barrier_try` over `team`.
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_coll_barrier_try(team: gasnet_team_handle_t, id: c_int, flags: c_int) -> c_int {
    const CALL: &str = "gasnet_coll_barrier_try";
    match team_of(CALL, team).barrier_try(CALL, id, flags) {
        Some(outcome) => code(outcome),
        None => Error::NotReady.code(),
    }
}

/// `gasnet_barrier` over `team`.
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_coll_barrier(team: gasnet_team_handle_t, id: c_int, flags: c_int) -> c_int {
    const CALL: &str = "gasnet_coll_barrier";
    let job = team_of(CALL, team);
    job.barrier_notify(CALL, id, flags);
    code(job.barrier_wait(CALL, id, flags))
}

/// `gasnet_barrier_result` over `team`.
///
/// # Safety
/// `id` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_barrier_result(team: gasnet_team_handle_t, id: *mut c_int) -> c_int {
    const CALL: &str = "gasnet_coll_barrier_result";
    let (code, name) = result(team_of(CALL, team).barrier_result(CALL));
    if let Some(name) = name {
        // SAFETY: the caller's promise above.
        unsafe { id.write(name) };
    }
    code
}

/// How many ranks `team` has.
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_coll_team_size(team: gasnet_team_handle_t) -> gasnet_node_t {
    team_of("gasnet_coll_team_size", team).size
}

/// The rank in the job of rank `rank` of `team`.
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_coll_team_rank2node(team: gasnet_team_handle_t, rank: c_int) -> gasnet_node_t {
    team_of("gasnet_coll_team_rank2node", team);
    rank as gasnet_node_t
}

/// The rank in `team` of rank `node` of the job.
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_coll_team_node2rank(team: gasnet_team_handle_t, node: gasnet_node_t) -> gasnet_node_t {
    team_of("gasnet_coll_team_node2rank", team);
    node
}
