//! The C interface of GASNet-1's teams and team barriers, and of functions that tune collectives, which are
//! accepted without effect.
//!
//! # Safety
//! Results are written to addresses from the caller; each function states the caller's promise.
#![allow(unsafe_code)]

use core::ffi::{c_char, c_int, c_uint, c_void};

use crate::abi::barrier::{code, result};
use crate::abi::coll::enter_coll;
use crate::abi::coll_legacy::gasnet_team_handle_t;
use crate::abi::enter;
use crate::abi::types::gasnet_node_t;
use crate::coll::images::caller::Caller;
use crate::defs::rank::JobRank;
use crate::fatal::{Error, usage};
use crate::job::Job;
use crate::team::{SplitArgs, Team};
use crate::trace;

/// `GASNET_BARRIERFLAG_IMAGES`.
const IMAGES: c_int = 4;

/// The calling image, if all images of the rank take part in a barrier and there are several.
fn images(call: &str, job: &'static Job, team: &'static Team, flags: c_int) -> Option<Caller> {
    let caller = (flags & IMAGES != 0 && job.images_vary()).then(|| Caller::new(job, team, call, 0))?;
    (caller.mine > 1).then_some(caller)
}

fn notify(call: &str, job: &'static Job, team: &'static Team, id: c_int, flags: c_int) {
    match images(call, job, team, flags) {
        Some(image) => job.images_notify(call, &image, id, flags),
        None => job.team_notify(call, team, id, flags),
    }
}

fn wait(call: &str, job: &'static Job, team: &'static Team, id: c_int, flags: c_int) -> c_int {
    code(match images(call, job, team, flags) {
        Some(image) => job.images_wait(call, &image, id, flags),
        None => job.team_wait(call, team, id, flags),
    })
}

/// `gasnet_barrier_notify` over `team`: called by one thread of each rank, or, with GASNET_BARRIERFLAG_IMAGES, by
/// each image; in this case each image also waits.
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_coll_barrier_notify(team: gasnet_team_handle_t, id: c_int, flags: c_int) {
    const CALL: &str = "gasnet_coll_barrier_notify";
    let _span = trace::span(CALL);
    let (job, team) = enter_coll(CALL, team);
    notify(CALL, job, team, id, flags);
}

/// `gasnet_barrier_wait` over `team`.
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_coll_barrier_wait(team: gasnet_team_handle_t, id: c_int, flags: c_int) -> c_int {
    const CALL: &str = "gasnet_coll_barrier_wait";
    let _span = trace::span(CALL);
    let (job, team) = enter_coll(CALL, team);
    wait(CALL, job, team, id, flags)
}

/// `gasnet_barrier_try` over `team`.
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_coll_barrier_try(team: gasnet_team_handle_t, id: c_int, flags: c_int) -> c_int {
    const CALL: &str = "gasnet_coll_barrier_try";
    let _span = trace::span(CALL);
    let (job, team) = enter_coll(CALL, team);
    let outcome = match images(CALL, job, team, flags) {
        Some(image) => job.images_try(CALL, &image, id, flags),
        None => job.team_try(CALL, team, id, flags),
    };
    match outcome {
        Some(outcome) => code(outcome),
        None => Error::NotReady.code(),
    }
}

/// `gasnet_barrier` over `team`.
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_coll_barrier(team: gasnet_team_handle_t, id: c_int, flags: c_int) -> c_int {
    const CALL: &str = "gasnet_coll_barrier";
    let _span = trace::span(CALL);
    let (job, team) = enter_coll(CALL, team);
    notify(CALL, job, team, id, flags);
    wait(CALL, job, team, id, flags)
}

/// `gasnet_barrier_result` over `team`.
///
/// # Safety
/// `id` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_barrier_result(team: gasnet_team_handle_t, id: *mut c_int) -> c_int {
    const CALL: &str = "gasnet_coll_barrier_result";
    let _span = trace::span(CALL);
    let (job, team) = enter_coll(CALL, team);
    let (code, name) = result(job.team_result(CALL, team));
    if let Some(name) = name {
        // SAFETY: the caller's promise above.
        unsafe { id.write(name) };
    }
    code
}

/// The number of ranks in `team`.
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_coll_team_size(team: gasnet_team_handle_t) -> gasnet_node_t {
    enter::real_team("gasnet_coll_team_size", team).size()
}

/// The rank in the job of rank `rank` of `team`. Ends the job if `rank` is out of range.
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_coll_team_rank2node(team: gasnet_team_handle_t, rank: c_int) -> gasnet_node_t {
    const CALL: &str = "gasnet_coll_team_rank2node";
    enter::place(CALL, enter::real_team(CALL, team), rank as u32).rank.0
}

/// The rank in `team` of rank `node` of the job. Ends the job if it is not a member.
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_coll_team_node2rank(team: gasnet_team_handle_t, node: gasnet_node_t) -> gasnet_node_t {
    const CALL: &str = "gasnet_coll_team_node2rank";
    match enter::real_team(CALL, team).rank_of(JobRank(node)) {
        Some(rank) => rank,
        None => usage!(CALL, "node {node} is not a member of the team"),
    }
}

/// Splits `parent` into teams by `color`, ordered by `relrank`, and returns the new team of this rank.
///
/// Blocks until all members of `parent` have called it, and may run AM handlers. If a rank has several images, each
/// of them calls it, with the same `color` and `relrank`, and gets the same team, of which they are the images;
/// alternatively one thread that is not an image calls it. `clientdata` may describe scratch memory, which is not
/// needed.
///
/// Source: GASNet collectives, "Teams".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_coll_team_split(
    parent: gasnet_team_handle_t,
    color: gasnet_node_t,
    relrank: gasnet_node_t,
    _clientdata: *mut c_void,
) -> gasnet_team_handle_t {
    let _span = trace::span("gasnet_coll_team_split");
    let (job, parent) = enter_coll("gasnet_coll_team_split", parent);
    let wish = SplitArgs { color, key: relrank as i32 };
    job.images_split("gasnet_coll_team_split", parent, wish).map_or(core::ptr::null_mut(), enter::handle)
}

/// `gasnet_coll_team_split` under the name that an early runtime uses.
#[unsafe(no_mangle)]
pub extern "C" fn gasnete_coll_team_split(
    parent: gasnet_team_handle_t,
    color: gasnet_node_t,
    relrank: gasnet_node_t,
    clientdata: *mut c_void,
) -> gasnet_team_handle_t {
    gasnet_coll_team_split(parent, color, relrank, clientdata)
}

/// Destroys a team other than GASNET_TEAM_ALL. If a rank has several images, each of them calls it, or one thread
/// that is not an image.
#[unsafe(no_mangle)]
pub extern "C" fn gasnete_coll_team_free(team: gasnet_team_handle_t) {
    const CALL: &str = "gasnete_coll_team_free";
    let _span = trace::span(CALL);
    let (job, team) = enter_coll(CALL, team);
    job.images_end(CALL, team);
}

/// `gasnet_coll_team_size` under the name that an early runtime uses.
#[unsafe(no_mangle)]
pub extern "C" fn gasnete_coll_team_size(team: gasnet_team_handle_t) -> gasnet_node_t {
    gasnet_coll_team_size(team)
}

/// `gasnet_coll_team_rank2node` under the name that an early runtime uses.
#[unsafe(no_mangle)]
pub extern "C" fn gasnete_coll_team_rank2node(team: gasnet_team_handle_t, rank: c_int) -> gasnet_node_t {
    gasnet_coll_team_rank2node(team, rank)
}

/// `gasnet_coll_team_node2rank` under the name that an early runtime uses.
#[unsafe(no_mangle)]
pub extern "C" fn gasnete_coll_team_node2rank(team: gasnet_team_handle_t, node: gasnet_node_t) -> gasnet_node_t {
    gasnet_coll_team_node2rank(team, node)
}

/// The number of tree types that can be selected for `optype`: one.
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_coll_get_num_tree_classes(team: gasnet_team_handle_t, _optype: c_uint) -> c_int {
    enter::real_team("gasnet_coll_get_num_tree_classes", team);
    1
}

/// A hint on the tree type for `optype`. Has no effect.
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_coll_set_tree_kind(
    team: gasnet_team_handle_t,
    _tree_type: c_int,
    _fanout: c_int,
    _optype: c_uint,
) {
    enter::real_team("gasnet_coll_set_tree_kind", team);
}

/// A hint on the size limit for dissemination in `optype`. Has no effect.
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_coll_set_dissem_limit(team: gasnet_team_handle_t, _dissemlimit: usize, _optype: c_uint) {
    enter::real_team("gasnet_coll_set_dissem_limit", team);
}

/// Would write tuning data to `filename`. Has no effect, since there are none.
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_coll_dumpTuningState(_filename: *mut c_char, team: gasnet_team_handle_t) {
    enter::real_team("gasnet_coll_dumpTuningState", team);
}

/// Would read tuning data from `filename`. Has no effect.
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_coll_loadTuningState(_filename: *mut c_char, team: gasnet_team_handle_t) {
    enter::real_team("gasnet_coll_loadTuningState", team);
}

/// Would write a profile of collectives to `filename`. Has no effect, since there is none.
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_coll_dumpProfile(_filename: *mut c_char, team: gasnet_team_handle_t) {
    enter::real_team("gasnet_coll_dumpProfile", team);
}
