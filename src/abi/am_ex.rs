//! Active Messages of GASNet-EX: the fixed-arity functions under the numbered families with a payload of the client's.

use core::ffi::{c_int, c_void};

use crate::abi::am::{arguments, check_source, token_of};
use crate::abi::enter;
use crate::abi::types::{gex_AM_Arg_t, gex_AM_Index_t, gex_Event_t, gex_Flags_t, gex_Rank_t, gex_TM_t, gex_Token_t};
use crate::am::numbered::NumberedParcel;
use crate::am::prepared;
use crate::am::token::Token;
use crate::defs::message::{Category, Immediate, MAX_ARGS, Payload, Traffic};
use crate::defs::rank::{JobRank, Location};
use crate::endpoint::table::CLIENT_BASE;
use crate::endpoint::{Endpoint, capability};
use crate::fatal::usage;
use crate::hsl;
use crate::job::Job;
use crate::mem::{RemoteAddr, Src};
use crate::thread;

/// `GEX_FLAG_IMMEDIATE`.
const IMMEDIATE: gex_Flags_t = 1;
/// `GEX_FLAG_PEER_NEVER_NBRHD` and `GEX_FLAG_PEER_NEVER_SELF`.
const NEVER_NBRHD: gex_Flags_t = 0x4000;
const NEVER_SELF: gex_Flags_t = 0x8000;

/// `GEX_EVENT_NOW` and `GEX_EVENT_GROUP` in place of a pointer to an event.
const NOW: usize = 1;
const GROUP: usize = 3;

#[inline]
pub fn immediate(flags: gex_Flags_t) -> Immediate {
    if flags & IMMEDIATE == 0 { Immediate::No } else { Immediate::Yes }
}

/// The address at which an event is to be stored, or 0. Messages are locally complete when the call returns.
#[inline]
pub fn told(call: &str, lc_opt: *mut gex_Event_t, traffic: Traffic) -> usize {
    match lc_opt.addr() {
        NOW => 0,
        GROUP if traffic == Traffic::Request => 0,
        0 | 2 | GROUP => at_return(call, lc_opt),
        _ => lc_opt.expose_provenance(),
    }
}

/// The call does not accept this `lc_opt`. Debug: ends the job. Release: the payload is locally complete on return.
#[cold]
fn at_return(call: &str, lc_opt: *mut gex_Event_t) -> usize {
    if !enter::job_named(call).settings.debug {
        return 0;
    }
    match lc_opt.addr() {
        0 => usage!(call, "lc_opt is NULL; it must be GEX_EVENT_NOW, GEX_EVENT_GROUP (requests) or an event's address"),
        2 => usage!(call, "lc_opt is GEX_EVENT_DEFER, which Active Messages do not take"),
        _ => usage!(call, "lc_opt is GEX_EVENT_GROUP, which replies do not take"),
    }
}

/// Stores the event of local completion at the address that [`told`] returned.
///
/// # Safety
/// `at` is 0 or the address of a gex_Event_t that may be written.
#[inline]
pub unsafe fn tell(at: usize) {
    if at != 0 {
        // SAFETY: the caller's contract.
        unsafe { core::ptr::with_exposed_provenance_mut::<gex_Event_t>(at).write(core::ptr::null_mut()) };
    }
}

/// The sending endpoint, and the receiving one.
#[inline]
pub fn route(call: &str, tm: gex_TM_t, rank: gex_Rank_t) -> (&'static Endpoint, Location) {
    let team = enter::team(call, tm);
    let (from, to) = (team.endpoint(), enter::place(call, team, rank));
    if from.index != 0 {
        check_capable(call, from);
    }
    (from, to)
}

/// Ends the job if `ep` does not have the AM capability.
pub fn check_capable(call: &str, ep: &Endpoint) {
    if ep.capabilities & capability::AM == 0 {
        usage!(call, "endpoint {} was made without GEX_EP_CAPABILITY_AM", ep.index);
    }
}

/// Debug clients: checks that a request may be sent by this thread to `to`.
pub fn check_request(job: &Job, call: &str, to: Location, flags: gex_Flags_t) {
    enter::check_may_communicate(job, call);
    if flags & (NEVER_SELF | NEVER_NBRHD) != 0 && to.rank == job.me {
        usage!(call, "the peer is this process, though flags assert GEX_FLAG_PEER_NEVER_SELF or _NBRHD");
    }
    if flags & NEVER_NBRHD != 0 && job.is_near(to.rank) {
        usage!(call, "rank {} of the job is in this nbrhd, though flags assert GEX_FLAG_PEER_NEVER_NBRHD", to.rank.0);
    }
}

/// Debug clients: checks that a reply may be sent by this thread.
pub fn check_reply(call: &str) {
    if thread::handler_depth() == 0 {
        usage!(call, "token is used on a thread that runs no handler");
    }
    hsl::check_none_held(call);
    check_not_prepared(call);
}

/// Debug clients: checks that no message is prepared.
pub fn check_not_prepared(call: &str) {
    if prepared::is_open() {
        usage!(call, "called between Prepare and Commit (or Cancel), where nothing may communicate");
    }
}

#[inline]
pub fn check_handler(call: &str, handler: gex_AM_Index_t, nargs: usize) {
    if handler < CLIENT_BASE || nargs > MAX_ARGS {
        bad_handler(call, handler, nargs);
    }
}

#[cold]
fn bad_handler(call: &str, handler: gex_AM_Index_t, nargs: usize) -> ! {
    usage!(call, "handler {handler} with {nargs} arguments: a client's is 128 to 255, with {MAX_ARGS} at most");
}

/// Debug clients: checks the payload's length and addresses.
fn check_payload(job: &Job, call: &str, traffic: Traffic, to: Location, payload: &Payload<'_>) {
    let over = |src: &Src<'_>, category: Category| {
        let most = job.most_payload(job.is_near(to.rank), traffic, category, false);
        if src.len() > most {
            usage!(call, "nbytes {} is over gex_AM_Max{traffic:?}{}() = {most}", src.len(), category.name());
        }
        check_source(call, src);
    };
    match payload {
        Payload::None => {}
        Payload::Medium(src) => over(src, Category::Medium),
        Payload::Long(src, at) | Payload::LongAsync(src, at) => {
            over(src, Category::Long);
            enter::check_range_at(job, call, to, *at, src.len());
        }
    }
}

/// Whether a message may be sent as far as deferred ones are concerned: only a Long may go in pieces.
#[inline]
fn may_start(job: &Job, traffic: Traffic, payload: &Payload<'_>, flags: gex_Flags_t) -> bool {
    !matches!(payload, Payload::Long(..)) || job.may_start(traffic, immediate(flags))
}

// `payload` makes the payload, anew for each use, so that the compiler knows its kind.
#[inline(always)]
fn request<'p>(
    call: &str,
    (tm, rank): (gex_TM_t, gex_Rank_t),
    handler: gex_AM_Index_t,
    payload: impl Fn() -> Payload<'p>,
    flags: gex_Flags_t,
    args: &[i32],
) -> bool {
    let job = enter::job_named(call);
    check_handler(call, handler, args.len());
    // The primordial team, which nearly every message uses, needs no table.
    if enter::is_primordial(tm) && rank < job.size && !job.settings.watched {
        if !may_start(job, Traffic::Request, &payload(), flags) {
            return false;
        }
        let to = Location { rank: JobRank(rank), ep: 0 };
        return job.am_request_at(0, to, handler, payload, args, immediate(flags));
    }
    request_any(job, call, (tm, rank), handler, payload(), flags, args)
}

/// As `request`, by any team and for a rank whose calls are watched.
#[inline(never)]
fn request_any(
    job: &Job,
    call: &str,
    (tm, rank): (gex_TM_t, gex_Rank_t),
    handler: gex_AM_Index_t,
    payload: Payload<'_>,
    flags: gex_Flags_t,
    args: &[i32],
) -> bool {
    let (from, to) = route(call, tm, rank);
    let from = from.index;
    if job.settings.debug {
        check_request(job, call, to, flags);
        check_payload(job, call, Traffic::Request, to, &payload);
    }
    if !may_start(job, Traffic::Request, &payload, flags) {
        return false;
    }
    if job.settings.watched {
        let immediate = immediate(flags);
        return job.watched_request(call, NumberedParcel { from, to, handler, payload, args, immediate });
    }
    job.am_request_at(from, to, handler, || payload, args, immediate(flags))
}

#[inline(always)]
fn reply<'p>(
    call: &str,
    token: gex_Token_t,
    handler: gex_AM_Index_t,
    payload: impl Fn() -> Payload<'p>,
    flags: gex_Flags_t,
    args: &[i32],
) -> bool {
    let job = enter::job_named(call);
    let token: &Token = token_of(call, token);
    check_handler(call, handler, args.len());
    if job.settings.watched {
        return reply_watched(job, call, token, handler, payload(), flags, args);
    }
    may_start(job, Traffic::Reply, &payload(), flags)
        && token.try_reply(call, job, handler, payload, args, immediate(flags))
}

#[inline(never)]
fn reply_watched(
    job: &Job,
    call: &str,
    token: &Token,
    handler: gex_AM_Index_t,
    payload: Payload<'_>,
    flags: gex_Flags_t,
    args: &[i32],
) -> bool {
    if job.settings.debug {
        check_reply(call);
        check_payload(job, call, Traffic::Reply, token.source_location(), &payload);
    }
    may_start(job, Traffic::Reply, &payload, flags)
        && token.watched_reply(call, job, handler, payload, args, immediate(flags))
}

/// Sends a Short request with `nargs` arguments to handler `handler` of `rank` of `tm`.
///
/// Polls, and may run handlers; blocks until resources are available, unless GEX_FLAG_IMMEDIATE is given. Must not
/// be called from a handler. Returns 0; nonzero only with GEX_FLAG_IMMEDIATE, if the message was not sent because
/// resources were exhausted.
///
/// Source: GASNet-EX 0.19, "Fixed-payload AM APIs".
///
/// # Safety
/// `args` has `nargs` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_ex_RequestShort(
    tm: gex_TM_t,
    rank: gex_Rank_t,
    handler: gex_AM_Index_t,
    flags: gex_Flags_t,
    args: *const gex_AM_Arg_t,
    nargs: c_int,
) -> c_int {
    // SAFETY: the caller keeps the contract above.
    let args = unsafe { arguments(args, nargs) };
    c_int::from(!request("gex_AM_RequestShort", (tm, rank), handler, || Payload::None, flags, args))
}

/// Sends a Medium request: `nbytes` bytes from `source_addr` are delivered in a buffer of the library.
///
/// On return the source may be reused. `lc_opt` is GEX_EVENT_NOW, GEX_EVENT_GROUP, or the address of an event,
/// which becomes GEX_EVENT_INVALID. Polls, and may run handlers; blocks until resources are available, unless
/// GEX_FLAG_IMMEDIATE is given. Must not be called from a handler. Returns 0; nonzero only with GEX_FLAG_IMMEDIATE,
/// if the message was not sent because resources were exhausted.
///
/// Source: GASNet-EX 0.19, "Fixed-payload AM APIs".
///
/// # Safety
/// `args` has `nargs` elements; `source_addr` has `nbytes` readable bytes; `lc_opt` is writable if it is an
/// address.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_ex_RequestMedium(
    tm: gex_TM_t,
    rank: gex_Rank_t,
    handler: gex_AM_Index_t,
    source_addr: *const c_void,
    nbytes: usize,
    lc_opt: *mut gex_Event_t,
    flags: gex_Flags_t,
    args: *const gex_AM_Arg_t,
    nargs: c_int,
) -> c_int {
    const CALL: &str = "gex_AM_RequestMedium";
    // SAFETY: the caller keeps the contract above.
    let (args, src) = unsafe { (arguments(args, nargs), Src::new(source_addr, nbytes)) };
    let event = told(CALL, lc_opt, Traffic::Request);
    let sent = request(CALL, (tm, rank), handler, || Payload::Medium(src), flags, args);
    // SAFETY: the caller keeps the contract above.
    unsafe { tell(event) };
    c_int::from(!sent)
}

/// Sends a Long request: `nbytes` bytes are written at `dest_addr` in the segment of the receiving endpoint before
/// its handler runs. If `nbytes` is 0, no segment is required.
///
/// As gasneti_ex_RequestMedium otherwise.
///
/// Source: GASNet-EX 0.19, "Fixed-payload AM APIs".
///
/// # Safety
/// As gasneti_ex_RequestMedium; `dest_addr` lies in the target's segment.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_ex_RequestLong(
    tm: gex_TM_t,
    rank: gex_Rank_t,
    handler: gex_AM_Index_t,
    source_addr: *const c_void,
    nbytes: usize,
    dest_addr: *mut c_void,
    lc_opt: *mut gex_Event_t,
    flags: gex_Flags_t,
    args: *const gex_AM_Arg_t,
    nargs: c_int,
) -> c_int {
    const CALL: &str = "gex_AM_RequestLong";
    // SAFETY: the caller keeps the contract above.
    let (args, src) = unsafe { (arguments(args, nargs), Src::new(source_addr, nbytes)) };
    let event = told(CALL, lc_opt, Traffic::Request);
    let payload = || Payload::Long(src, RemoteAddr(dest_addr as usize));
    let sent = request(CALL, (tm, rank), handler, payload, flags, args);
    // SAFETY: the caller keeps the contract above.
    unsafe { tell(event) };
    c_int::from(!sent)
}

/// Replies to the request of `token` with a Short message. May be called once per request, from its handler. Blocks
/// until resources are available, unless GEX_FLAG_IMMEDIATE is given, and may run reply handlers. Returns 0;
/// nonzero only with GEX_FLAG_IMMEDIATE, if the message was not sent because resources were exhausted.
///
/// Source: GASNet-EX 0.19, "Fixed-payload AM APIs".
///
/// # Safety
/// `token` is the one passed to the running handler; `args` has `nargs` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_ex_ReplyShort(
    token: gex_Token_t,
    handler: gex_AM_Index_t,
    flags: gex_Flags_t,
    args: *const gex_AM_Arg_t,
    nargs: c_int,
) -> c_int {
    // SAFETY: the caller keeps the contract above.
    let args = unsafe { arguments(args, nargs) };
    c_int::from(!reply("gex_AM_ReplyShort", token, handler, || Payload::None, flags, args))
}

/// Replies to the request of `token` with a Medium message; as gasneti_ex_ReplyShort. On return the source may be
/// reused. `lc_opt` is GEX_EVENT_NOW or the address of an event, which becomes GEX_EVENT_INVALID.
///
/// Source: GASNet-EX 0.19, "Fixed-payload AM APIs".
///
/// # Safety
/// As gasneti_ex_ReplyShort; `source_addr` has `nbytes` readable bytes; `lc_opt` is writable if it is an address.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_ex_ReplyMedium(
    token: gex_Token_t,
    handler: gex_AM_Index_t,
    source_addr: *const c_void,
    nbytes: usize,
    lc_opt: *mut gex_Event_t,
    flags: gex_Flags_t,
    args: *const gex_AM_Arg_t,
    nargs: c_int,
) -> c_int {
    const CALL: &str = "gex_AM_ReplyMedium";
    // SAFETY: the caller keeps the contract above.
    let (args, src) = unsafe { (arguments(args, nargs), Src::new(source_addr, nbytes)) };
    let event = told(CALL, lc_opt, Traffic::Reply);
    let sent = reply(CALL, token, handler, || Payload::Medium(src), flags, args);
    // SAFETY: the caller keeps the contract above.
    unsafe { tell(event) };
    c_int::from(!sent)
}

/// Replies to the request of `token` with a Long message; as gasneti_ex_ReplyMedium.
///
/// Source: GASNet-EX 0.19, "Fixed-payload AM APIs".
///
/// # Safety
/// As gasneti_ex_ReplyMedium; `dest_addr` lies in the requester's segment.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_ex_ReplyLong(
    token: gex_Token_t,
    handler: gex_AM_Index_t,
    source_addr: *const c_void,
    nbytes: usize,
    dest_addr: *mut c_void,
    lc_opt: *mut gex_Event_t,
    flags: gex_Flags_t,
    args: *const gex_AM_Arg_t,
    nargs: c_int,
) -> c_int {
    const CALL: &str = "gex_AM_ReplyLong";
    // SAFETY: the caller keeps the contract above.
    let (args, src) = unsafe { (arguments(args, nargs), Src::new(source_addr, nbytes)) };
    let event = told(CALL, lc_opt, Traffic::Reply);
    let payload = || Payload::Long(src, RemoteAddr(dest_addr as usize));
    let sent = reply(CALL, token, handler, payload, flags, args);
    // SAFETY: the caller keeps the contract above.
    unsafe { tell(event) };
    c_int::from(!sent)
}
