//! The C interface of GASNet-EX put, get and value.
//!
//! # Safety
//! Views are made of the caller's arguments; each function states the caller's promise.
#![allow(unsafe_code)]

use core::ffi::{c_int, c_void};

use crate::abi::enter;
use crate::abi::types::{gex_Event_t, gex_Flags_t, gex_RMA_Value_t, gex_Rank_t, gex_TM_t};
use crate::defs::message::Immediate;
use crate::defs::rank::Location;
use crate::endpoint::capability;
use crate::event::Handle;
use crate::fatal::usage;
use crate::job::{Job, job};
use crate::mem::{Dst, RemoteAddr, Src};
use crate::rma::{Local, Started, Track};
use crate::settings::SegmentMode;
use crate::team::Team;
use crate::trace::{self, Span};

const IMMEDIATE: gex_Flags_t = 1;
const SELF_SEG_BOUND: gex_Flags_t = 0x20;
const SELF_SEG_OFFSET: gex_Flags_t = 0x40;
const SELF_SEG_ANY: gex_Flags_t = 0x78;
const PEER_SEG_OFFSET: gex_Flags_t = 0x400;
const PEER_SEG_ANY: gex_Flags_t = 0x780;
const PEER_NEVER_NBRHD: gex_Flags_t = 0x4000;
const PEER_NEVER_SELF: gex_Flags_t = 0x8000;

/// Common entry of the functions in this file: returns the job and the target, with the checks of debug clients.
#[inline]
fn enter(
    call: &'static str,
    (tm, rank): (gex_TM_t, gex_Rank_t),
    there: *const c_void,
    here: *const c_void,
    nbytes: usize,
    flags: gex_Flags_t,
) -> (&'static Job, Location, RemoteAddr, Span) {
    let team = enter::team(call, tm);
    let to = enter::place(call, team, rank);
    let (job, at) = (job(), RemoteAddr(there.expose_provenance()));
    let span =
        if job.settings.watched { watch(job, call, team, (rank, to), at, here, nbytes, flags) } else { Span::off() };
    enter::remember(job, call);
    (job, to, at, span)
}

/// As [`enter`] for a value, whose size is always checked.
#[inline]
fn enter_value(
    call: &'static str,
    target: (gex_TM_t, gex_Rank_t),
    there: *const c_void,
    nbytes: usize,
    flags: gex_Flags_t,
) -> (&'static Job, Location, RemoteAddr, Span) {
    if nbytes.wrapping_sub(1) >= size_of::<gex_RMA_Value_t>() {
        usage!(call, "nbytes {nbytes} is not the size of a gex_RMA_Value_t, 1 to {}", size_of::<gex_RMA_Value_t>());
    }
    enter(call, target, there, there, nbytes, flags & !SELF_SEG_BOUND)
}

#[cold]
#[allow(clippy::too_many_arguments)]
fn watch(
    job: &Job,
    call: &str,
    team: &Team,
    (rank, to): (gex_Rank_t, Location),
    there: RemoteAddr,
    here: *const c_void,
    nbytes: usize,
    flags: gex_Flags_t,
) -> Span {
    if job.settings.debug {
        check(job, call, team, (rank, to), there, here, nbytes, flags);
    }
    // A value has no local address.
    if here.addr() != there.0 && (call.contains("put") || call.contains("Put")) {
        // SAFETY: the caller's promise of a put's source, which `here` is.
        trace::carries(call, to.rank.0, &[], unsafe { Src::new(here, nbytes) });
    }
    trace::span_to(call, to.rank.0, nbytes)
}

#[allow(clippy::too_many_arguments)]
fn check(
    job: &Job,
    call: &str,
    team: &Team,
    (rank, to): (gex_Rank_t, Location),
    there: RemoteAddr,
    here: *const c_void,
    nbytes: usize,
    flags: gex_Flags_t,
) {
    enter::check_may_communicate(job, call);
    let ep = team.endpoint();
    if ep.capabilities & capability::RMA == 0 {
        usage!(call, "endpoint {} of tm was made without GEX_EP_CAPABILITY_RMA", ep.index);
    }
    if nbytes > 0 && here.is_null() {
        usage!(call, "the local address of {nbytes} bytes is NULL");
    }
    check_flags(job, call, (rank, to), flags);
    if flags & SELF_SEG_BOUND != 0 && nbytes > 0 {
        let own = Location { rank: job.me, ep: ep.index };
        if !job.nbrhd.in_segment_at(own, RemoteAddr(here.addr()), nbytes) {
            usage!(
                call,
                "GEX_FLAG_SELF_SEG_BOUND, but {nbytes} bytes at {here:p} are not in the segment of tm's endpoint"
            );
        }
    }
    if job.settings.segment != SegmentMode::Everything || to.ep != 0 {
        enter::check_range_at(job, call, to, there, nbytes);
    }
}

fn check_flags(job: &Job, call: &str, (rank, to): (gex_Rank_t, Location), flags: gex_Flags_t) {
    if flags & (SELF_SEG_OFFSET | PEER_SEG_OFFSET) != 0 {
        usage!(call, "flags {flags:#x}: GEX_FLAG_*_SEG_OFFSET is not supported");
    }
    if (flags & SELF_SEG_ANY).count_ones() > 1 || (flags & PEER_SEG_ANY).count_ones() > 1 {
        usage!(call, "flags {flags:#x} hold more than one of GEX_FLAG_SELF_SEG_* or of GEX_FLAG_PEER_SEG_*");
    }
    if flags & PEER_NEVER_SELF != 0 && to.rank == job.me {
        usage!(call, "GEX_FLAG_PEER_NEVER_SELF, but rank {rank} of tm is this process");
    }
    if flags & PEER_NEVER_NBRHD != 0 && job.shares_memory(to.rank) {
        usage!(call, "GEX_FLAG_PEER_NEVER_NBRHD, but rank {rank} of tm is in the neighbourhood of this process");
    }
}

fn immediate(flags: gex_Flags_t) -> Immediate {
    if flags & IMMEDIATE == 0 { Immediate::No } else { Immediate::Yes }
}

/// Nonzero if nothing was started.
fn no_op(started: bool) -> c_int {
    c_int::from(!started)
}

fn to_c(handle: Handle) -> gex_Event_t {
    core::ptr::with_exposed_provenance_mut(handle.0)
}

#[cold]
fn bad_lc(call: &str, lc_opt: *mut gex_Event_t) -> ! {
    let name = match lc_opt.addr() {
        0 => "NULL",
        3 => "GEX_EVENT_GROUP",
        _ => "a pointer",
    };
    usage!(
        call,
        "lc_opt is {name}; GEX_EVENT_NOW, GEX_EVENT_DEFER and the values in the call's documentation are allowed"
    )
}

/// Copies `nbytes` bytes from `src` here to `dest` in the segment bound to `rank` of `tm`, and waits.
///
/// On return `src` may be reused and the target sees the bytes. Blocks, and may run AM handlers; must not be called
/// from a handler. If `nbytes` is 0, the call has no effect.
///
/// Returns 0; 1 only with GEX_FLAG_IMMEDIATE, if resources were exhausted and the operation was not started. Ends
/// the job if `tm` is not a team or `rank` is not below its size; debug clients: if `dest` is outside the target's
/// bound segment, or an assertion in `flags` is wrong.
///
/// Source: GASNet-EX 0.19, "Extended API", Put.
///
/// # Safety
/// `src` has `nbytes` readable bytes that no thread writes until return.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_RMA_PutBlocking(
    tm: gex_TM_t,
    rank: gex_Rank_t,
    dest: *mut c_void,
    src: *const c_void,
    nbytes: usize,
    flags: gex_Flags_t,
) -> c_int {
    let (job, to, at, _span) = enter("gex_RMA_PutBlocking", (tm, rank), dest, src, nbytes, flags);
    // SAFETY: the caller's promise above.
    let src = unsafe { Src::new(src, nbytes) };
    no_op(job.put_blocking_if(to, at, src, immediate(flags)))
}

/// Starts to copy `nbytes` bytes from `src` here to `dest` in the segment bound to `rank` of `tm`.
///
/// `lc_opt` determines when `src` may be reused: GEX_EVENT_NOW, on return; GEX_EVENT_DEFER, once the event is
/// synchronised; otherwise it points to an event that is set to a leaf of the returned event; this leaf is complete
/// when `src` may be reused. The target sees the bytes once the event is synchronised. May run AM handlers; must
/// not be called from one.
///
/// Returns the event, to be synchronised once, by any thread; GEX_EVENT_INVALID if it is already complete;
/// GEX_EVENT_NO_OP only with GEX_FLAG_IMMEDIATE, if resources were exhausted and the operation was not started.
/// Ends the job as gex_RMA_PutBlocking does, and if `lc_opt` is NULL or GEX_EVENT_GROUP.
///
/// Source: GASNet-EX 0.19, "Extended API", Put.
///
/// # Safety
/// `src` has `nbytes` readable bytes that no thread writes before local completion; `lc_opt` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_RMA_PutNB(
    tm: gex_TM_t,
    rank: gex_Rank_t,
    dest: *mut c_void,
    src: *const c_void,
    nbytes: usize,
    lc_opt: *mut gex_Event_t,
    flags: gex_Flags_t,
) -> gex_Event_t {
    const CALL: &str = "gex_RMA_PutNB";
    let (job, to, at, _span) = enter(CALL, (tm, rank), dest, src, nbytes, flags);
    let local = match lc_opt.addr() {
        1 => Local::Now,
        2 => Local::Defer,
        0 | 3 => bad_lc(CALL, lc_opt),
        _ => Local::Apart,
    };
    // SAFETY: the caller's promise above.
    let src = unsafe { Src::new(src, nbytes) };
    let Started { root, leaf } = job.put_start_if(Track::Explicit, to, at, src, local, immediate(flags));
    if local == Local::Apart {
        // SAFETY: the caller's promise above.
        unsafe { lc_opt.write(to_c(leaf)) };
    }
    to_c(root)
}

/// Starts to copy `nbytes` bytes from `src` here to `dest` in the segment bound to `rank` of `tm`, without an event.
///
/// `lc_opt` determines when `src` may be reused: GEX_EVENT_NOW, on return; GEX_EVENT_DEFER, once the put is
/// synchronised; GEX_EVENT_GROUP, once the thread's implicit operations of category GEX_EC_LC are. The target sees
/// the bytes once those of category GEX_EC_PUT, or the access region that is open now, are synchronised. May run AM
/// handlers; must not be called from one.
///
/// Returns 0; 1 only with GEX_FLAG_IMMEDIATE, if resources were exhausted and the operation was not started. Ends
/// the job as gex_RMA_PutBlocking does, and also if `lc_opt` is not one of these three values.
///
/// Source: GASNet-EX 0.19, "Extended API", Put.
///
/// # Safety
/// `src` has `nbytes` readable bytes that no thread writes before local completion.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_RMA_PutNBI(
    tm: gex_TM_t,
    rank: gex_Rank_t,
    dest: *mut c_void,
    src: *const c_void,
    nbytes: usize,
    lc_opt: *mut gex_Event_t,
    flags: gex_Flags_t,
) -> c_int {
    const CALL: &str = "gex_RMA_PutNBI";
    let (job, to, at, _span) = enter(CALL, (tm, rank), dest, src, nbytes, flags);
    let local = match lc_opt.addr() {
        1 => Local::Now,
        2 => Local::Defer,
        3 => Local::Apart,
        _ => bad_lc(CALL, lc_opt),
    };
    // SAFETY: the caller's promise above.
    let src = unsafe { Src::new(src, nbytes) };
    let Started { root, .. } = job.put_start_if(Track::Implicit, to, at, src, local, immediate(flags));
    no_op(root != Handle::NO_OP)
}

/// Copies `nbytes` bytes from `src` in the segment bound to `rank` of `tm` to `dest` here, and waits.
///
/// Blocks, and may run AM handlers; must not be called from a handler. If `nbytes` is 0, the call has no effect.
///
/// Returns and ends the job as gex_RMA_PutBlocking does.
///
/// Source: GASNet-EX 0.19, "Extended API", Get.
///
/// # Safety
/// `dest` has `nbytes` writable bytes that no other thread or operation accesses until return.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_RMA_GetBlocking(
    tm: gex_TM_t,
    dest: *mut c_void,
    rank: gex_Rank_t,
    src: *mut c_void,
    nbytes: usize,
    flags: gex_Flags_t,
) -> c_int {
    let (job, from, at, _span) = enter("gex_RMA_GetBlocking", (tm, rank), src, dest, nbytes, flags);
    // SAFETY: the caller's promise above.
    let dest = unsafe { Dst::new(dest, nbytes) };
    no_op(job.get_blocking_if(dest, from, at, immediate(flags)))
}

/// Starts to copy `nbytes` bytes from `src` in the segment bound to `rank` of `tm` to `dest` here.
///
/// `dest` is undefined until the event is synchronised. May run AM handlers; must not be called from one.
///
/// Returns the event, to be synchronised once, by any thread; GEX_EVENT_INVALID if it is already complete;
/// GEX_EVENT_NO_OP only with GEX_FLAG_IMMEDIATE, if resources were exhausted and the operation was not started.
/// Ends the job as gex_RMA_PutBlocking does.
///
/// Source: GASNet-EX 0.19, "Extended API", Get.
///
/// # Safety
/// `dest` has `nbytes` writable bytes that no other thread or operation accesses until synchronised.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_RMA_GetNB(
    tm: gex_TM_t,
    dest: *mut c_void,
    rank: gex_Rank_t,
    src: *mut c_void,
    nbytes: usize,
    flags: gex_Flags_t,
) -> gex_Event_t {
    let (job, from, at, _span) = enter("gex_RMA_GetNB", (tm, rank), src, dest, nbytes, flags);
    // SAFETY: the caller's promise above.
    let dest = unsafe { Dst::new(dest, nbytes) };
    to_c(job.get_start_if(Track::Explicit, dest, from, at, immediate(flags)))
}

/// Starts to copy `nbytes` bytes from `src` in the segment bound to `rank` of `tm` to `dest` here, without an event.
///
/// `dest` is undefined until the thread's implicit operations of category GEX_EC_GET, or the access region that is open
/// now, are synchronised. May run AM handlers; must not be called from one.
///
/// Returns and ends the job as gex_RMA_PutBlocking does.
///
/// Source: GASNet-EX 0.19, "Extended API", Get.
///
/// # Safety
/// `dest` has `nbytes` writable bytes that no other thread or operation accesses until synchronised.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_RMA_GetNBI(
    tm: gex_TM_t,
    dest: *mut c_void,
    rank: gex_Rank_t,
    src: *mut c_void,
    nbytes: usize,
    flags: gex_Flags_t,
) -> c_int {
    let (job, from, at, _span) = enter("gex_RMA_GetNBI", (tm, rank), src, dest, nbytes, flags);
    // SAFETY: the caller's promise above.
    let dest = unsafe { Dst::new(dest, nbytes) };
    no_op(job.get_start_if(Track::Implicit, dest, from, at, immediate(flags)) != Handle::NO_OP)
}

/// Copies the low `nbytes` (1 to 8) bytes of `value` to `dest` in the segment bound to `rank` of `tm`, and waits.
///
/// Blocks, and may run AM handlers; must not be called from a handler. `dest` may have any alignment.
///
/// Returns and ends the job as gex_RMA_PutBlocking does, and also ends the job if `nbytes` is not 1 to 8.
///
/// Source: GASNet-EX 0.19, "Extended API", Value-based payloads.
#[unsafe(no_mangle)]
pub extern "C" fn gex_RMA_PutBlockingVal(
    tm: gex_TM_t,
    rank: gex_Rank_t,
    dest: *mut c_void,
    value: gex_RMA_Value_t,
    nbytes: usize,
    flags: gex_Flags_t,
) -> c_int {
    let (job, to, at, _span) = enter_value("gex_RMA_PutBlockingVal", (tm, rank), dest, nbytes, flags);
    no_op(job.put_value_if(to, at, value, nbytes, immediate(flags)))
}

/// Starts to copy the low `nbytes` (1 to 8) bytes of `value` to `dest` in the segment bound to `rank` of `tm`.
///
/// The target sees the bytes once the event is synchronised. May run AM handlers; must not be called from one.
///
/// Returns as gex_RMA_GetNB does; ends the job as gex_RMA_PutBlockingVal does.
///
/// Source: GASNet-EX 0.19, "Extended API", Value-based payloads.
#[unsafe(no_mangle)]
pub extern "C" fn gex_RMA_PutNBVal(
    tm: gex_TM_t,
    rank: gex_Rank_t,
    dest: *mut c_void,
    value: gex_RMA_Value_t,
    nbytes: usize,
    flags: gex_Flags_t,
) -> gex_Event_t {
    let (job, to, at, _span) = enter_value("gex_RMA_PutNBVal", (tm, rank), dest, nbytes, flags);
    to_c(job.put_value_start_if(Track::Explicit, to, at, value, nbytes, immediate(flags)))
}

/// Starts to copy the low `nbytes` (1 to 8) bytes of `value` to `dest` in the segment bound to `rank` of `tm`, without
/// an event.
///
/// The target sees the bytes once the thread's implicit operations of category GEX_EC_PUT, or the access region that is
/// open now, are synchronised. May run AM handlers; must not be called from one.
///
/// Returns and ends the job as gex_RMA_PutBlockingVal does.
///
/// Source: GASNet-EX 0.19, "Extended API", Value-based payloads.
#[unsafe(no_mangle)]
pub extern "C" fn gex_RMA_PutNBIVal(
    tm: gex_TM_t,
    rank: gex_Rank_t,
    dest: *mut c_void,
    value: gex_RMA_Value_t,
    nbytes: usize,
    flags: gex_Flags_t,
) -> c_int {
    let (job, to, at, _span) = enter_value("gex_RMA_PutNBIVal", (tm, rank), dest, nbytes, flags);
    no_op(job.put_value_start_if(Track::Implicit, to, at, value, nbytes, immediate(flags)) != Handle::NO_OP)
}

/// Returns the `nbytes` (1 to 8) bytes at `src` in the segment bound to `rank` of `tm`, zero-extended.
///
/// Blocks, and may run AM handlers; must not be called from a handler. `src` may have any alignment.
/// GEX_FLAG_IMMEDIATE is not allowed.
///
/// Ends the job as gex_RMA_PutBlockingVal does.
///
/// Source: GASNet-EX 0.19, "Extended API", Value-based payloads.
#[unsafe(no_mangle)]
pub extern "C" fn gex_RMA_GetBlockingVal(
    tm: gex_TM_t,
    rank: gex_Rank_t,
    src: *mut c_void,
    nbytes: usize,
    flags: gex_Flags_t,
) -> gex_RMA_Value_t {
    const CALL: &str = "gex_RMA_GetBlockingVal";
    let (job, from, at, _span) = enter_value(CALL, (tm, rank), src, nbytes, flags);
    if job.settings.debug && flags & IMMEDIATE != 0 {
        usage!(CALL, "GEX_FLAG_IMMEDIATE is not allowed: the call could not say that nothing was done");
    }
    job.get_value(from, at, nbytes)
}
