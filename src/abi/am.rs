//! Active Messages, core API: the fixed-arity functions under the numbered families, and their limits.

use core::ffi::{c_int, c_uint, c_void};

use crate::abi::enter;
use crate::abi::types::{gasnet_handler_t, gasnet_handlerarg_t, gasnet_node_t, gasnet_token_t};
use crate::am::limits::SHARED_LIMITS;
use crate::am::numbered::NumberedParcel;
use crate::am::token::Token;
use crate::defs::message::{Immediate, Limits, MAX_ARGS, Payload};
use crate::defs::rank::{JobRank, Location};
use crate::fatal::usage;
use crate::job::{Job, try_job};
use crate::mem::{RemoteAddr, Src};
use crate::tools::heap;
use crate::trace;

/// The checks on a request or reply of a debug client, except that of its rank.
fn check(job: &Job, call: &str, request: bool, handler: u8, to: JobRank, payload: &Payload<'_>, nargs: c_int) {
    if handler < 128 {
        usage!(call, "handler {handler} is not a client's (128 to 255)");
    }
    if !(0..=MAX_ARGS as c_int).contains(&nargs) {
        usage!(call, "{nargs} arguments, the limit is {MAX_ARGS}");
    }
    match payload {
        Payload::None => {}
        Payload::Medium(src) => {
            let most = job.limits.medium;
            if src.len() > most {
                usage!(call, "nbytes {} is over gasnet_AMMaxMedium() = {most}", src.len());
            }
            check_source(call, src);
        }
        Payload::Long(src, at) | Payload::LongAsync(src, at) => {
            let Limits { long_request, long_reply, .. } = job.limits;
            let most = if request { long_request } else { long_reply };
            if src.len() > most {
                usage!(call, "nbytes {} is over the limit of {most}", src.len());
            }
            check_source(call, src);
            enter::check_range(job, call, to, *at, src.len());
        }
    }
}

#[cold]
fn too_many(nargs: c_int) -> ! {
    usage!("an AM request or reply", "{nargs} arguments, the limit is {MAX_ARGS}");
}

pub fn check_source(call: &str, src: &Src<'_>) {
    if !src.is_empty() && src.as_ptr().is_null() {
        usage!(call, "source address is NULL with nbytes {}", src.len());
    }
}

/// # Safety
/// `args` has `nargs` elements.
#[inline(always)]
pub unsafe fn arguments<'a>(args: *const gasnet_handlerarg_t, nargs: c_int) -> &'a [i32] {
    if nargs == 0 {
        return &[];
    }
    if nargs as c_uint > MAX_ARGS as c_uint {
        too_many(nargs);
    }
    // SAFETY: the caller's contract.
    unsafe { core::slice::from_raw_parts(args, nargs as usize) }
}

// `payload` makes the payload, anew for each use, so that the compiler knows its kind.
#[inline(always)]
fn request<'p>(call: &str, dest: gasnet_node_t, handler: u8, payload: impl Fn() -> Payload<'p>, args: &[i32]) -> c_int {
    let job = enter::job_named(call);
    let to = Location { rank: enter::rank(job, call, dest), ep: 0 };
    if job.settings.watched && watch_request(job, call, to, handler, payload(), args) {
        return 0;
    }
    job.am_request_at(0, to, handler, payload, args, Immediate::No);
    0
}

/// For a rank whose calls are watched: checks a request, and sends it if it is more than counted; returns whether it is sent.
#[inline(never)]
fn watch_request(job: &Job, call: &str, to: Location, handler: u8, payload: Payload<'_>, args: &[i32]) -> bool {
    if job.settings.debug {
        enter::job_for(call, true);
        enter::check_may_communicate(job, call);
        check(job, call, true, handler, to.rank, &payload, args.len() as c_int);
    }
    let is_counted_only = trace::count_message(call, payload.bytes());
    if !is_counted_only {
        let parcel = NumberedParcel { from: 0, to, handler, payload, args, immediate: Immediate::No };
        job.watched_request(call, parcel);
    }
    !is_counted_only
}

#[inline(always)]
fn reply<'p>(call: &str, token: gasnet_token_t, handler: u8, payload: impl Fn() -> Payload<'p>, args: &[i32]) -> c_int {
    let job = enter::job_named(call);
    let token = token_of(call, token);
    if job.settings.watched && watch_reply(job, call, token, handler, payload(), args) {
        return 0;
    }
    token.try_reply(call, job, handler, payload, args, Immediate::No);
    0
}

/// As `watch_request`, for a reply.
#[inline(never)]
fn watch_reply(job: &Job, call: &str, token: &Token, handler: u8, payload: Payload<'_>, args: &[i32]) -> bool {
    if job.settings.debug {
        if crate::thread::handler_depth() == 0 {
            usage!(call, "token is used on a thread that runs no handler");
        }
        crate::hsl::check_none_held(call);
        check(job, call, false, handler, token.source(), &payload, args.len() as c_int);
    }
    let is_counted_only = trace::count_message(call, payload.bytes());
    if !is_counted_only {
        token.watched_reply(call, job, handler, payload, args, Immediate::No);
    }
    !is_counted_only
}

#[inline(always)]
pub fn token_of<'a>(call: &str, token: gasnet_token_t) -> &'a Token {
    if token.is_null() || !token.cast::<Token>().is_aligned() {
        no_token(call, token);
    }
    // SAFETY: GASNet: the token is the one passed to the handler that is running on this thread.
    let token = unsafe { &*token.cast::<Token>() };
    if !token.is_live() {
        stale_token(call);
    }
    token
}

#[cold]
fn no_token(call: &str, token: gasnet_token_t) -> ! {
    usage!(call, "token {token:p} is not a token");
}

#[cold]
fn stale_token(call: &str) -> ! {
    usage!(call, "token is used after its handler returned");
}

/// Sends a Short request with `nargs` arguments to handler `handler` of `dest`.
///
/// Polls, and may run handlers; blocks until resources are available. Must not be called from a handler. Returns
/// GASNET_OK.
///
/// Source: GASNet 1.8, "Active Message Request Functions".
///
/// # Safety
/// `args` has `nargs` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_AMRequestShort(
    dest: gasnet_node_t,
    handler: gasnet_handler_t,
    args: *const gasnet_handlerarg_t,
    nargs: c_int,
) -> c_int {
    // SAFETY: the caller keeps the contract above.
    let args = unsafe { arguments(args, nargs) };
    request("gasnet_AMRequestShort", dest, handler, || Payload::None, args)
}

/// Sends a Medium request: `nbytes` bytes from `source_addr` are delivered in a buffer of the library.
///
/// On return the source may be reused. Polls, and may run handlers; blocks until resources are available. Must not
/// be called from a handler. Returns GASNET_OK.
///
/// Source: GASNet 1.8, "Active Message Request Functions".
///
/// # Safety
/// `args` has `nargs` elements; `source_addr` has `nbytes` readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_AMRequestMedium(
    dest: gasnet_node_t,
    handler: gasnet_handler_t,
    source_addr: *const c_void,
    nbytes: usize,
    args: *const gasnet_handlerarg_t,
    nargs: c_int,
) -> c_int {
    // SAFETY: the caller keeps the contract above.
    let (args, src) = unsafe { (arguments(args, nargs), Src::new(source_addr, nbytes)) };
    request("gasnet_AMRequestMedium", dest, handler, || Payload::Medium(src), args)
}

/// Sends a Long request: `nbytes` bytes are written at `dest_addr` in the segment of `dest` before its handler runs.
///
/// On return the source may be reused. Polls, and may run handlers; blocks until resources are available. Must not
/// be called from a handler. Returns GASNET_OK.
///
/// Source: GASNet 1.8, "Active Message Request Functions".
///
/// # Safety
/// `args` has `nargs` elements; `source_addr` has `nbytes` readable bytes; `dest_addr` lies in the target's segment.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_AMRequestLong(
    dest: gasnet_node_t,
    handler: gasnet_handler_t,
    source_addr: *const c_void,
    nbytes: usize,
    dest_addr: *mut c_void,
    args: *const gasnet_handlerarg_t,
    nargs: c_int,
) -> c_int {
    // SAFETY: the caller keeps the contract above.
    let (args, src) = unsafe { (arguments(args, nargs), Src::new(source_addr, nbytes)) };
    let at = RemoteAddr(dest_addr as usize);
    request("gasnet_AMRequestLong", dest, handler, || Payload::Long(src, at), args)
}

/// As gasneti_AMRequestLong, but the source must stay unchanged until the matching reply handler starts.
///
/// Source: GASNet 1.8, "Active Message Request Functions".
///
/// # Safety
/// As gasneti_AMRequestLong.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_AMRequestLongAsync(
    dest: gasnet_node_t,
    handler: gasnet_handler_t,
    source_addr: *const c_void,
    nbytes: usize,
    dest_addr: *mut c_void,
    args: *const gasnet_handlerarg_t,
    nargs: c_int,
) -> c_int {
    // SAFETY: the caller keeps the contract above.
    let (args, src) = unsafe { (arguments(args, nargs), Src::new(source_addr, nbytes)) };
    let at = RemoteAddr(dest_addr as usize);
    request("gasnet_AMRequestLongAsync", dest, handler, || Payload::LongAsync(src, at), args)
}

/// Replies to the request of `token` with a Short message. May be called once per request, from its handler.
/// Returns GASNET_OK.
///
/// Source: GASNet 1.8, "Active Message Reply Functions".
///
/// # Safety
/// `token` is the one passed to the running handler; `args` has `nargs` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_AMReplyShort(
    token: gasnet_token_t,
    handler: gasnet_handler_t,
    args: *const gasnet_handlerarg_t,
    nargs: c_int,
) -> c_int {
    // SAFETY: the caller keeps the contract above.
    let args = unsafe { arguments(args, nargs) };
    reply("gasnet_AMReplyShort", token, handler, || Payload::None, args)
}

/// Replies to the request of `token` with a Medium message. May be called once per request, from its handler.
/// Returns GASNET_OK.
///
/// Source: GASNet 1.8, "Active Message Reply Functions".
///
/// # Safety
/// As gasneti_AMReplyShort; `source_addr` has `nbytes` readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_AMReplyMedium(
    token: gasnet_token_t,
    handler: gasnet_handler_t,
    source_addr: *const c_void,
    nbytes: usize,
    args: *const gasnet_handlerarg_t,
    nargs: c_int,
) -> c_int {
    // SAFETY: the caller keeps the contract above.
    let (args, src) = unsafe { (arguments(args, nargs), Src::new(source_addr, nbytes)) };
    reply("gasnet_AMReplyMedium", token, handler, || Payload::Medium(src), args)
}

/// Replies to the request of `token` with a Long message. May be called once per request, from its handler. Returns
/// GASNET_OK.
///
/// Source: GASNet 1.8, "Active Message Reply Functions".
///
/// # Safety
/// As gasneti_AMReplyMedium; `dest_addr` lies in the requester's segment.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_AMReplyLong(
    token: gasnet_token_t,
    handler: gasnet_handler_t,
    source_addr: *const c_void,
    nbytes: usize,
    dest_addr: *mut c_void,
    args: *const gasnet_handlerarg_t,
    nargs: c_int,
) -> c_int {
    // SAFETY: the caller keeps the contract above.
    let (args, src) = unsafe { (arguments(args, nargs), Src::new(source_addr, nbytes)) };
    reply("gasnet_AMReplyLong", token, handler, || Payload::Long(src, RemoteAddr(dest_addr as usize)), args)
}

/// Stores the rank that sent the message of `token` in `*srcindex`. Legal in any handler. Returns GASNET_OK, or
/// GASNET_ERR_BAD_ARG if `srcindex` is NULL.
///
/// Source: GASNet 1.8, "Misc. Active Message Functions".
///
/// # Safety
/// `token` is the one passed to the running handler; `srcindex` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_AMGetMsgSource(token: gasnet_token_t, srcindex: *mut gasnet_node_t) -> c_int {
    let source = token_of("gasnet_AMGetMsgSource", token).source();
    if srcindex.is_null() {
        return crate::fatal::returning("gasnet_AMGetMsgSource", crate::fatal::Error::BadArg);
    }
    // SAFETY: not null (checked); the caller keeps the contract above.
    unsafe { srcindex.write(source.0) };
    0
}

#[cold]
fn poll_watched(call: &str) -> c_int {
    let job = enter::job_to_wait(call);
    if job.settings.debug {
        heap::at_poll(call);
    }
    let mut span = trace::span(call);
    span.number("handled", job.poll_once().into());
    0
}

/// Runs the handlers of messages that have arrived. Returns GASNET_OK. Must not be called from a handler.
///
/// Does not wait for messages. Where ranks outnumber cores, a thread whose calls find nothing again and again gives its
/// core away, or, where other programs want the cores, sleeps until a message arrives, for at most 250 microseconds.
///
/// Source: GASNet 1.8, "Misc. Active Message Functions".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_AMPoll() -> c_int {
    const CALL: &str = "gasnet_AMPoll";
    let job = enter::job_named(CALL);
    if job.settings.watched {
        return poll_watched(CALL);
    }
    job.poll_once();
    0
}

/// Equivalent to gasnet_AMPoll. The configure script of a task runtime checks for a function of this name in the
/// library.
#[unsafe(no_mangle)]
pub extern "C" fn gasnetc_AMPoll() -> c_int {
    gasnet_AMPoll()
}

/// The maximum number of arguments of an Active Message: 16.
///
/// Source: GASNet 1.8, "Active Message Size Limits".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_AMMaxArgs() -> usize {
    MAX_ARGS
}

/// The AM limits of the job's network; before init, those of shared memory.
fn limits() -> Limits {
    try_job().map_or(SHARED_LIMITS, |job| job.limits)
}

/// Largest payload of a Medium message, in bytes.
///
/// Source: GASNet 1.8, "Active Message Size Limits".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_AMMaxMedium() -> usize {
    limits().medium
}

/// Largest payload of a Long request, in bytes; in effect it is limited by the target's segment.
///
/// Source: GASNet 1.8, "Active Message Size Limits".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_AMMaxLongRequest() -> usize {
    limits().long_request
}

/// Largest payload of a Long reply, in bytes; in effect it is limited by the requester's segment.
///
/// Source: GASNet 1.8, "Active Message Size Limits".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_AMMaxLongReply() -> usize {
    limits().long_reply
}
