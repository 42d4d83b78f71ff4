//! The C interface of collectives over teams. Those of GASNet-1 are in `coll_legacy.rs`.
//!
//! # Safety
//! Views are made of the caller's arguments and kept until the event is complete; each function states the caller's
//! promise.
#![allow(unsafe_code)]
#![allow(non_camel_case_types)]

use core::ffi::{c_int, c_void};

use crate::abi::enter;
use crate::abi::types::{gex_DT_t, gex_Event_t, gex_Flags_t, gex_OP_t, gex_Rank_t, gex_TM_t};
use crate::coll::images::request;
use crate::coll::operator::{Operator, Unfit, UserFn, op};
use crate::endpoint::capability;
use crate::event::Handle;
use crate::fatal::usage;
use crate::job::Job;
use crate::mem::{Dst, Src};
use crate::team::Team;
use crate::trace;

/// A reduction function of the client: `arg2_and_out[i] = arg1[i] op arg2_and_out[i]` for `count` elements. It may
/// be called any number of times, with any count, by any thread, also concurrently. It may call only GASNet
/// functions that are allowed while a handler-safe lock is held.
pub type gex_Coll_ReduceFn_t =
    Option<unsafe extern "C" fn(arg1: *const c_void, arg2_and_out: *mut c_void, count: usize, cdata: *const c_void)>;

/// The job and the team of a collective call.
pub(super) fn enter_coll(call: &str, tm: gex_TM_t) -> (&'static Job, &'static Team) {
    let job = enter::job_for(call, true);
    enter::check_may_communicate(job, call);
    let team = enter::real_team(call, tm);
    if job.settings.debug && team.endpoint().capabilities & capability::COLL == 0 {
        usage!(call, "the endpoint of tm was made without GEX_EP_CAPABILITY_COLL");
    }
    (job, team)
}

/// Ends the job unless `root` is a rank of `team`.
pub(super) fn check_root(call: &str, what: &str, team: &Team, root: u32) {
    if root >= team.size() {
        usage!(call, "{what} {root} is not below the size of the team, {}", team.size());
    }
}

/// Ends the job if a required buffer is NULL.
pub(super) fn check_buffer(call: &str, what: &str, at: *const c_void, nbytes: usize) {
    if at.is_null() && nbytes != 0 {
        usage!(call, "{what} is NULL, but {nbytes} bytes are required");
    }
}

pub(super) fn event(handle: Handle) -> gex_Event_t {
    core::ptr::without_provenance_mut(handle.0)
}

/// Starts a barrier over `tm`: the event is complete once every member has started it. Memory accesses of a member
/// before it started the barrier are visible to members that have synchronised the event.
///
/// Does not wait; may run AM handlers; must not be called from a handler. Called by all members in the same order
/// as their other collectives over `tm`, any number of which may be in flight. `flags` is 0.
///
/// Source: GASNet-EX 0.19, "Collectives Part I. Barrier".
#[unsafe(no_mangle)]
pub extern "C" fn gex_Coll_BarrierNB(tm: gex_TM_t, _flags: gex_Flags_t) -> gex_Event_t {
    const CALL: &str = "gex_Coll_BarrierNB";
    let _span = trace::span(CALL);
    let (job, team) = enter_coll(CALL, tm);
    job.coll_declare(team, CALL, || request::words(request::BARRIER, 0, 0, [0; 3]));
    event(job.coll_barrier(team))
}

/// Equivalent to `gex_Coll_BarrierNB` followed by a wait. Blocks. Returns 0.
///
/// Source: GASNet-EX 2025.8.0, its tests.
#[unsafe(no_mangle)]
pub extern "C" fn gex_Coll_BarrierBlocking(tm: gex_TM_t, _flags: gex_Flags_t) -> c_int {
    const CALL: &str = "gex_Coll_BarrierBlocking";
    let _span = trace::span(CALL);
    let (job, team) = enter_coll(CALL, tm);
    job.coll_declare(team, CALL, || request::words(request::BARRIER, 0, 0, [0; 3]));
    job.coll_barrier_blocking(team);
    0
}

/// Starts to copy `nbytes` bytes at `src` of member `root` to `dst` of every member of `tm`.
///
/// Does not wait; may run AM handlers; must not be called from a handler. Called by all members in the same order
/// as their other collectives over `tm`. The event is complete when `dst` has the bytes on this member and, on
/// `root`, `src` may be reused. `src` is used on `root` only, where it may be `dst`. `root` and `nbytes` are the
/// same on all members; `flags` is 0.
///
/// Ends the job if `root` is not a rank of `tm`.
///
/// Source: GASNet-EX 0.19, "Collectives Part II. Data Movement".
///
/// # Safety
/// Until the event is synchronised, no other thread or operation writes the `nbytes` bytes of `src` on `root`, or
/// accesses those of `dst`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_Coll_BroadcastNB(
    tm: gex_TM_t,
    root: gex_Rank_t,
    dst: *mut c_void,
    src: *const c_void,
    nbytes: usize,
    _flags: gex_Flags_t,
) -> gex_Event_t {
    const CALL: &str = "gex_Coll_BroadcastNB";
    let _span = trace::span(CALL);
    let (job, team) = enter_coll(CALL, tm);
    check_root(CALL, "root", team, root);
    check_buffer(CALL, "dst", dst, nbytes);
    if root == team.rank() {
        check_buffer(CALL, "src", src, nbytes);
    }
    // SAFETY: the caller's promise above; `src` is looked at on the root only.
    let (dst, src) = unsafe { (Dst::new(dst, nbytes), Src::new(src, nbytes)) };
    job.coll_declare(team, CALL, || request::words(request::BROADCAST, root, nbytes, [0; 3]));
    event(job.coll_broadcast(team, root, dst, src))
}

/// The checked arguments of a reduction.
struct ReductionArgs {
    operator: Operator,
    nbytes: usize,
    /// The operation may not commute.
    in_order: bool,
}

#[allow(clippy::too_many_arguments)]
fn reduction(
    call: &str,
    dt: gex_DT_t,
    dt_sz: usize,
    dt_cnt: usize,
    op: gex_OP_t,
    user_op: gex_Coll_ReduceFn_t,
    user_cdata: *mut c_void,
) -> ReductionArgs {
    let user_op: Option<UserFn> = user_op;
    let operator = match Operator::new(dt, dt_sz, op, user_op, user_cdata) {
        Ok(operator) => operator,
        Err(Unfit::Type) => usage!(call, "dt {dt:#x} is not a type of reductions"),
        Err(Unfit::Width(0)) => usage!(call, "dt_sz is 0"),
        Err(Unfit::Width(needed)) => usage!(call, "dt_sz is {dt_sz}; type {dt:#x} has {needed} bytes"),
        Err(Unfit::Operation) => usage!(call, "op {op:#x} is not a reduction of type {dt:#x}"),
        Err(Unfit::NoFunction) => usage!(call, "user_op is NULL, and op {op:#x} is GEX_OP_USER or GEX_OP_USER_NC"),
    };
    if dt_cnt == 0 && enter::job_named(call).settings.debug {
        usage!(call, "dt_cnt is 0");
    }
    let Some(nbytes) = dt_sz.checked_mul(dt_cnt) else {
        usage!(call, "dt_sz {dt_sz} times dt_cnt {dt_cnt} exceeds the address space");
    };
    ReductionArgs { operator, nbytes, in_order: op == op::USER_NC }
}

/// Starts to reduce the vectors `src` of all members of `tm`, element by element, to `dst` of member `root`.
///
/// A vector has `dt_cnt` elements of type `dt`, each of `dt_sz` bytes; `op` is one of GEX_OP_ADD, _MULT, _MIN, _MAX and,
/// for integers, _AND, _OR, _XOR, or GEX_OP_USER or GEX_OP_USER_NC, for which `user_op` is called with
/// `user_cdata`; for GEX_DT_USER it must be one of these two. The result combines `src` of ranks 0, 1, and so on by
/// `op`; only with GEX_OP_USER_NC it is combined strictly in this order. The same arguments on the same team give
/// bitwise identical results.
///
/// Does not wait; may run AM handlers; must not be called from a handler. Called by all members in the same order
/// as their other collectives over `tm`. The event is complete when `src` may be reused and, on `root`, `dst` has
/// the result. `dst` is used on `root` only, where it may be `src`. `root`, `dt`, `dt_sz`, `dt_cnt` and `op` are
/// the same on all members; `flags` is 0.
///
/// Ends the job if `root` is not a rank of `tm`, `dt_sz` is 0, or `dt`, `dt_sz` and `op` do not match. If `dt_cnt`
/// is 0, debug clients end the job, and in release clients the call has no effect.
///
/// Source: GASNet-EX 0.19, "Reduction to one".
///
/// # Safety
/// Until the event is synchronised, no other thread or operation writes the vector `src`, or accesses the vector
/// `dst` on `root`; `user_op` accesses only the elements that it is given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_Coll_ReduceToOneNB(
    tm: gex_TM_t,
    root: gex_Rank_t,
    dst: *mut c_void,
    src: *const c_void,
    dt: gex_DT_t,
    dt_sz: usize,
    dt_cnt: usize,
    op: gex_OP_t,
    user_op: gex_Coll_ReduceFn_t,
    user_cdata: *mut c_void,
    _flags: gex_Flags_t,
) -> gex_Event_t {
    const CALL: &str = "gex_Coll_ReduceToOneNB";
    let _span = trace::span(CALL);
    let (job, team) = enter_coll(CALL, tm);
    check_root(CALL, "root", team, root);
    let what = reduction(CALL, dt, dt_sz, dt_cnt, op, user_op, user_cdata);
    if dt_cnt == 0 {
        return core::ptr::null_mut();
    }
    check_buffer(CALL, "src", src, what.nbytes);
    if root == team.rank() {
        check_buffer(CALL, "dst", dst, what.nbytes);
    }
    // SAFETY: the caller's promise above; `dst` is looked at on the root only.
    let (dst, src) = unsafe { (Dst::new(dst, what.nbytes), Src::new(src, what.nbytes)) };
    job.coll_declare(team, CALL, || request::words(request::ONE, root, dt_sz, [dt_cnt as u64, dt.into(), op.into()]));
    event(job.coll_reduce(team, what.operator, what.in_order, root, dst, src))
}

/// Starts to reduce the vectors `src` of all members of `tm`, element by element, to `dst` of every member.
///
/// As `gex_Coll_ReduceToOneNB`, but the event is complete when `dst` has the result on this member; the result is
/// bitwise identical on all members. `dst` may be `src`, on all members or on none.
///
/// Source: GASNet-EX 0.19, "Reduction to all".
///
/// # Safety
/// Until the event is synchronised, no other thread or operation writes the vector `src`, or accesses the vector
/// `dst`; `user_op` accesses only the elements that it is given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_Coll_ReduceToAllNB(
    tm: gex_TM_t,
    dst: *mut c_void,
    src: *const c_void,
    dt: gex_DT_t,
    dt_sz: usize,
    dt_cnt: usize,
    op: gex_OP_t,
    user_op: gex_Coll_ReduceFn_t,
    user_cdata: *mut c_void,
    _flags: gex_Flags_t,
) -> gex_Event_t {
    const CALL: &str = "gex_Coll_ReduceToAllNB";
    let _span = trace::span(CALL);
    let (job, team) = enter_coll(CALL, tm);
    let what = reduction(CALL, dt, dt_sz, dt_cnt, op, user_op, user_cdata);
    if dt_cnt == 0 {
        return core::ptr::null_mut();
    }
    check_buffer(CALL, "src", src, what.nbytes);
    check_buffer(CALL, "dst", dst, what.nbytes);
    // SAFETY: the caller's promise above.
    let (dst, src) = unsafe { (Dst::new(dst, what.nbytes), Src::new(src, what.nbytes)) };
    job.coll_declare(team, CALL, || request::words(request::ALL, 0, dt_sz, [dt_cnt as u64, dt.into(), op.into()]));
    event(job.coll_allreduce(team, what.operator, dst, src))
}
