//! Negotiated-payload Active Messages of GASNet-EX: Prepare, then Commit or Cancel.

use core::ffi::{c_int, c_uint, c_void};

use crate::abi::am::{arguments, token_of};
use crate::abi::am_ex::{check_handler, check_reply, check_request, immediate, route, tell, told};
use crate::abi::enter;
use crate::abi::types::{
    gex_AM_Arg_t, gex_AM_Index_t, gex_AM_SrcDesc_t, gex_Event_t, gex_Flags_t, gex_Rank_t, gex_TM_t, gex_Token_t,
};
use crate::am::prepared::{self, Family, Parcel, Want};
use crate::am::token::Token;
use crate::defs::message::{Category, Traffic};
use crate::defs::rank::{JobRank, Location};
use crate::fatal::usage;
use crate::job::Job;
use crate::mem::RemoteAddr;
use crate::trace;

/// The arguments common to all Prepare calls.
struct Offer {
    client_buf: *const c_void,
    least: usize,
    most: usize,
    dest: *mut c_void,
    lc_opt: *mut gex_Event_t,
    flags: gex_Flags_t,
    nargs: c_uint,
}

impl Offer {
    #[inline(always)]
    fn tell(&self, call: &str, debug: bool, traffic: Traffic) -> usize {
        match self.client_buf.is_null() {
            false => told(call, self.lc_opt, traffic),
            true if debug && !self.lc_opt.is_null() => {
                usage!(call, "lc_opt must be NULL where client_buf is: the buffer is the library's")
            }
            true => 0,
        }
    }
}

#[inline(always)]
fn prepare_request(call: &str, tm: gex_TM_t, rank: gex_Rank_t, category: Category, offer: &Offer) -> gex_AM_SrcDesc_t {
    let job = enter::job_named(call);
    // As for messages with fixed payload.
    let (from, to) = if enter::is_primordial(tm) && rank < job.size {
        (0, Location { rank: JobRank(rank), ep: 0 })
    } else {
        let (from, to) = route(call, tm, rank);
        (from.index, to)
    };
    if job.settings.debug {
        check_request(job, call, to, offer.flags);
    }
    descriptor(job.prepare(
        call,
        &Want {
            family: Family { traffic: Traffic::Request, category },
            from,
            to,
            token: core::ptr::null(),
            client: offer.client_buf,
            least: offer.least,
            most: offer.most,
            dest: offer.dest.expose_provenance(),
            nargs: offer.nargs as usize,
            tell: offer.tell(call, job.settings.debug, Traffic::Request),
            immediate: immediate(offer.flags),
        },
    ))
}

#[inline(always)]
fn prepare_reply(call: &str, token: gex_Token_t, category: Category, offer: &Offer) -> gex_AM_SrcDesc_t {
    let job = enter::job_named(call);
    let token: &Token = token_of(call, token);
    token.check_may_reply(call);
    if job.settings.debug {
        check_reply(call);
    }
    descriptor(job.prepare(
        call,
        &Want {
            family: Family { traffic: Traffic::Reply, category },
            from: token.ep(),
            to: token.source_location(),
            token,
            client: offer.client_buf,
            least: offer.least,
            most: offer.most,
            dest: offer.dest.expose_provenance(),
            nargs: offer.nargs as usize,
            tell: offer.tell(call, job.settings.debug, Traffic::Reply),
            immediate: immediate(offer.flags),
        },
    ))
}

fn descriptor(sd: usize) -> gex_AM_SrcDesc_t {
    core::ptr::without_provenance_mut(sd)
}

#[inline(always)]
fn commit(call: &str, parcel: &Parcel<'_>) -> c_int {
    let job = enter::job_named(call);
    check_handler(call, parcel.handler, parcel.args.len());
    if job.settings.debug && parcel.family.category == Category::Long {
        let to = prepared::destination(call, parcel.sd);
        enter::check_range_at(job, call, to, RemoteAddr(parcel.dest), parcel.nbytes);
    }
    let sent = if job.settings.watched {
        // A copy, as the original is not in memory otherwise.
        let parcel = *parcel;
        watched(job, call, &parcel)
    } else {
        job.commit(call, parcel)
    };
    match sent {
        Some(event) => {
            // SAFETY: the client gave this place to Prepare and keeps it until now.
            unsafe { tell(event) };
            0
        }
        None => 1,
    }
}

#[cold]
fn watched(job: &Job, call: &str, parcel: &Parcel<'_>) -> Option<usize> {
    let to = prepared::destination(call, parcel.sd);
    let (span, id) = trace::message(call, to.rank.0, parcel.handler, parcel.args.len(), Some(parcel.nbytes));
    let sent = job.commit_numbered(call, parcel, id);
    if sent.is_none() {
        span.forget();
    }
    sent
}

fn cancel(call: &str, family: Family, sd: gex_AM_SrcDesc_t, flags: gex_Flags_t) -> c_int {
    let job = enter::job_named(call);
    if job.settings.debug && flags != 0 {
        usage!(call, "flags {flags:#x} must be 0");
    }
    job.cancel(call, family, sd.addr());
    0
}

/// Begins a Medium request to `rank` of `tm`: gex_AM_SrcDescAddr returns the address at which the payload is to be
/// assembled, gex_AM_SrcDescSize its maximum length, which is between `least_payload` and `most_payload` bytes. The
/// payload is assembled in `client_buf`, or, if that is NULL, in a buffer of the library.
///
/// Polls, and may run handlers; blocks until a buffer is available, unless GEX_FLAG_IMMEDIATE is given. Must not be
/// called from a handler. Until gex_AM_CommitRequestMedium or gex_AM_CancelRequestMedium by the same thread, no
/// other communication call is allowed.
///
/// Returns the descriptor, or, with GEX_FLAG_IMMEDIATE if no buffer is available, GEX_AM_SRCDESC_NO_OP. Ends the
/// job if `least_payload` is over gex_AM_MaxRequestMedium with GEX_FLAG_AM_PREPARE_LEAST_CLIENT or _ALLOC.
///
/// Source: GASNet-EX 0.19, "gex_AM_Prepare calls".
///
/// # Safety
/// - `client_buf`, if not NULL, has `most_payload` bytes until Commit; `lc_opt` is writable at that time if it is
///   an address.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_AM_PrepareRequestMedium(
    tm: gex_TM_t,
    rank: gex_Rank_t,
    client_buf: *const c_void,
    least_payload: usize,
    most_payload: usize,
    lc_opt: *mut gex_Event_t,
    flags: gex_Flags_t,
    numargs: c_uint,
) -> gex_AM_SrcDesc_t {
    let (least, most, dest) = (least_payload, most_payload, core::ptr::null_mut());
    let offer = Offer { client_buf, least, most, dest, lc_opt, flags, nargs: numargs };
    prepare_request("gex_AM_PrepareRequestMedium", tm, rank, Category::Medium, &offer)
}

/// Begins a Long request to `rank` of `tm`: gex_AM_SrcDescAddr returns the address at which the payload is to be
/// assembled, gex_AM_SrcDescSize its maximum length, which is between `least_payload` and `most_payload` bytes. The
/// payload is assembled in `client_buf`, or, if that is NULL, in a buffer of the library.
///
/// `dest_addr` may be NULL; otherwise the same address must be passed to Commit.
///
/// Polls, and may run handlers; blocks until a buffer is available, unless GEX_FLAG_IMMEDIATE is given. Must not be
/// called from a handler. Until gex_AM_CommitRequestLong or gex_AM_CancelRequestLong by the same thread, no other
/// communication call is allowed.
///
/// Returns the descriptor, or, with GEX_FLAG_IMMEDIATE if no buffer is available, GEX_AM_SRCDESC_NO_OP. Ends the
/// job if `least_payload` is over gex_AM_MaxRequestLong with GEX_FLAG_AM_PREPARE_LEAST_CLIENT or _ALLOC.
///
/// Source: GASNet-EX 0.19, "gex_AM_Prepare calls".
///
/// # Safety
/// - `client_buf`, if not NULL, has `most_payload` bytes until Commit; `lc_opt` is writable at that time if it is
///   an address.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_AM_PrepareRequestLong(
    tm: gex_TM_t,
    rank: gex_Rank_t,
    client_buf: *const c_void,
    least_payload: usize,
    most_payload: usize,
    dest_addr: *mut c_void,
    lc_opt: *mut gex_Event_t,
    flags: gex_Flags_t,
    numargs: c_uint,
) -> gex_AM_SrcDesc_t {
    let (least, most, dest) = (least_payload, most_payload, dest_addr);
    let offer = Offer { client_buf, least, most, dest, lc_opt, flags, nargs: numargs };
    prepare_request("gex_AM_PrepareRequestLong", tm, rank, Category::Long, &offer)
}

/// Begins a Medium reply to the sender of the request of `token`: gex_AM_SrcDescAddr returns the address at which
/// the payload is to be assembled, gex_AM_SrcDescSize its maximum length, which is between `least_payload` and
/// `most_payload` bytes. The payload is assembled in `client_buf`, or, if that is NULL, in a buffer of the library.
///
/// May be called from the request's handler only. Blocks until a buffer is available, unless GEX_FLAG_IMMEDIATE is
/// given, and may run reply handlers. Until gex_AM_CommitReplyMedium or gex_AM_CancelReplyMedium by the same
/// thread, no other communication call is allowed.
///
/// Returns the descriptor, or, with GEX_FLAG_IMMEDIATE if no buffer is available, GEX_AM_SRCDESC_NO_OP. Ends the
/// job if `least_payload` is over gex_AM_MaxReplyMedium with GEX_FLAG_AM_PREPARE_LEAST_CLIENT or _ALLOC.
///
/// Source: GASNet-EX 0.19, "gex_AM_Prepare calls".
///
/// # Safety
/// - `client_buf`, if not NULL, has `most_payload` bytes until Commit; `lc_opt` is writable at that time if it is
///   an address.
/// - `token` is the one passed to the running handler.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_AM_PrepareReplyMedium(
    token: gex_Token_t,
    client_buf: *const c_void,
    least_payload: usize,
    most_payload: usize,
    lc_opt: *mut gex_Event_t,
    flags: gex_Flags_t,
    numargs: c_uint,
) -> gex_AM_SrcDesc_t {
    let (least, most, dest) = (least_payload, most_payload, core::ptr::null_mut());
    let offer = Offer { client_buf, least, most, dest, lc_opt, flags, nargs: numargs };
    prepare_reply("gex_AM_PrepareReplyMedium", token, Category::Medium, &offer)
}

/// Begins a Long reply to the sender of the request of `token`: gex_AM_SrcDescAddr returns the address at which the
/// payload is to be assembled, gex_AM_SrcDescSize its maximum length, which is between `least_payload` and
/// `most_payload` bytes. The payload is assembled in `client_buf`, or, if that is NULL, in a buffer of the library.
///
/// `dest_addr` may be NULL; otherwise the same address must be passed to Commit.
///
/// May be called from the request's handler only. Blocks until a buffer is available, unless GEX_FLAG_IMMEDIATE is
/// given, and may run reply handlers. Until gex_AM_CommitReplyLong or gex_AM_CancelReplyLong by the same thread, no
/// other communication call is allowed.
///
/// Returns the descriptor, or, with GEX_FLAG_IMMEDIATE if no buffer is available, GEX_AM_SRCDESC_NO_OP. Ends the
/// job if `least_payload` is over gex_AM_MaxReplyLong with GEX_FLAG_AM_PREPARE_LEAST_CLIENT or _ALLOC.
///
/// Source: GASNet-EX 0.19, "gex_AM_Prepare calls".
///
/// # Safety
/// - `client_buf`, if not NULL, has `most_payload` bytes until Commit; `lc_opt` is writable at that time if it is
///   an address.
/// - `token` is the one passed to the running handler.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_AM_PrepareReplyLong(
    token: gex_Token_t,
    client_buf: *const c_void,
    least_payload: usize,
    most_payload: usize,
    dest_addr: *mut c_void,
    lc_opt: *mut gex_Event_t,
    flags: gex_Flags_t,
    numargs: c_uint,
) -> gex_AM_SrcDesc_t {
    let (least, most, dest) = (least_payload, most_payload, dest_addr);
    let offer = Offer { client_buf, least, most, dest, lc_opt, flags, nargs: numargs };
    prepare_reply("gex_AM_PrepareReplyLong", token, Category::Long, &offer)
}

/// Sends the first `nbytes` bytes of the message that gex_AM_PrepareRequestMedium prepared, with `nargs` arguments,
/// the number that was passed to Prepare. Blocks until resources are available, unless GEX_FLAG_IMMEDIATE is given.
/// Returns 0; nonzero only with GEX_FLAG_IMMEDIATE, if the message was not sent because resources were exhausted;
/// `sd` remains valid in this case.
///
/// Source: GASNet-EX 0.19, "gex_AM_Commit family calls".
///
/// # Safety
/// `args` has `nargs` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_ex_CommitRequestMedium(
    sd: gex_AM_SrcDesc_t,
    handler: gex_AM_Index_t,
    nbytes: usize,
    flags: gex_Flags_t,
    args: *const gex_AM_Arg_t,
    nargs: c_int,
) -> c_int {
    // SAFETY: the caller keeps the contract above.
    let args = unsafe { arguments(args, nargs) };
    let family = Family { traffic: Traffic::Request, category: Category::Medium };
    let (sd, immediate) = (sd.addr(), immediate(flags));
    commit("gex_AM_CommitRequestMedium", &Parcel { family, sd, handler, nbytes, dest: 0, args, immediate })
}

/// Sends the first `nbytes` bytes of the message that gex_AM_PrepareRequestLong prepared to `dest_addr`, with
/// `nargs` arguments, the number that was passed to Prepare. Blocks until resources are available, unless
/// GEX_FLAG_IMMEDIATE is given. Returns 0; nonzero only with GEX_FLAG_IMMEDIATE, if the message was not sent
/// because resources were exhausted; `sd` remains valid in this case.
///
/// Source: GASNet-EX 0.19, "gex_AM_Commit family calls".
///
/// # Safety
/// `args` has `nargs` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_ex_CommitRequestLong(
    sd: gex_AM_SrcDesc_t,
    handler: gex_AM_Index_t,
    nbytes: usize,
    dest_addr: *mut c_void,
    flags: gex_Flags_t,
    args: *const gex_AM_Arg_t,
    nargs: c_int,
) -> c_int {
    // SAFETY: the caller keeps the contract above.
    let args = unsafe { arguments(args, nargs) };
    let family = Family { traffic: Traffic::Request, category: Category::Long };
    let (sd, immediate) = (sd.addr(), immediate(flags));
    commit(
        "gex_AM_CommitRequestLong",
        &Parcel { family, sd, handler, nbytes, dest: dest_addr.expose_provenance(), args, immediate },
    )
}

/// Sends the first `nbytes` bytes of the message that gex_AM_PrepareReplyMedium prepared, with `nargs` arguments,
/// the number that was passed to Prepare. Blocks until resources are available, unless GEX_FLAG_IMMEDIATE is given.
/// Returns 0; nonzero only with GEX_FLAG_IMMEDIATE, if the message was not sent because resources were exhausted;
/// `sd` remains valid in this case.
///
/// Source: GASNet-EX 0.19, "gex_AM_Commit family calls".
///
/// # Safety
/// `args` has `nargs` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_ex_CommitReplyMedium(
    sd: gex_AM_SrcDesc_t,
    handler: gex_AM_Index_t,
    nbytes: usize,
    flags: gex_Flags_t,
    args: *const gex_AM_Arg_t,
    nargs: c_int,
) -> c_int {
    // SAFETY: the caller keeps the contract above.
    let args = unsafe { arguments(args, nargs) };
    let family = Family { traffic: Traffic::Reply, category: Category::Medium };
    let (sd, immediate) = (sd.addr(), immediate(flags));
    commit("gex_AM_CommitReplyMedium", &Parcel { family, sd, handler, nbytes, dest: 0, args, immediate })
}

/// Sends the first `nbytes` bytes of the message that gex_AM_PrepareReplyLong prepared to `dest_addr`, with `nargs`
/// arguments, the number that was passed to Prepare. Blocks until resources are available, unless
/// GEX_FLAG_IMMEDIATE is given. Returns 0; nonzero only with GEX_FLAG_IMMEDIATE, if the message was not sent
/// because resources were exhausted; `sd` remains valid in this case.
///
/// Source: GASNet-EX 0.19, "gex_AM_Commit family calls".
///
/// # Safety
/// `args` has `nargs` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_ex_CommitReplyLong(
    sd: gex_AM_SrcDesc_t,
    handler: gex_AM_Index_t,
    nbytes: usize,
    dest_addr: *mut c_void,
    flags: gex_Flags_t,
    args: *const gex_AM_Arg_t,
    nargs: c_int,
) -> c_int {
    // SAFETY: the caller keeps the contract above.
    let args = unsafe { arguments(args, nargs) };
    let family = Family { traffic: Traffic::Reply, category: Category::Long };
    let (sd, immediate) = (sd.addr(), immediate(flags));
    commit(
        "gex_AM_CommitReplyLong",
        &Parcel { family, sd, handler, nbytes, dest: dest_addr.expose_provenance(), args, immediate },
    )
}

/// Releases the descriptor that gex_AM_PrepareRequestMedium returned; no message is sent. `flags` must be 0.
/// Returns 0.
///
/// Source: GASNet-EX 0.19, "gex_AM_Cancel calls".
#[unsafe(no_mangle)]
pub extern "C" fn gex_AM_CancelRequestMedium(sd: gex_AM_SrcDesc_t, flags: gex_Flags_t) -> c_int {
    let family = Family { traffic: Traffic::Request, category: Category::Medium };
    cancel("gex_AM_CancelRequestMedium", family, sd, flags)
}

/// Releases the descriptor that gex_AM_PrepareRequestLong returned; no message is sent. `flags` must be 0. Returns
/// 0.
///
/// Source: GASNet-EX 0.19, "gex_AM_Cancel calls".
#[unsafe(no_mangle)]
pub extern "C" fn gex_AM_CancelRequestLong(sd: gex_AM_SrcDesc_t, flags: gex_Flags_t) -> c_int {
    let family = Family { traffic: Traffic::Request, category: Category::Long };
    cancel("gex_AM_CancelRequestLong", family, sd, flags)
}

/// Releases the descriptor that gex_AM_PrepareReplyMedium returned; no message is sent, and another reply to the
/// request is allowed. `flags` must be 0. Returns 0.
///
/// Source: GASNet-EX 0.19, "gex_AM_Cancel calls".
#[unsafe(no_mangle)]
pub extern "C" fn gex_AM_CancelReplyMedium(sd: gex_AM_SrcDesc_t, flags: gex_Flags_t) -> c_int {
    let family = Family { traffic: Traffic::Reply, category: Category::Medium };
    cancel("gex_AM_CancelReplyMedium", family, sd, flags)
}

/// Releases the descriptor that gex_AM_PrepareReplyLong returned; no message is sent, and another reply to the
/// request is allowed. `flags` must be 0. Returns 0.
///
/// Source: GASNet-EX 0.19, "gex_AM_Cancel calls".
#[unsafe(no_mangle)]
pub extern "C" fn gex_AM_CancelReplyLong(sd: gex_AM_SrcDesc_t, flags: gex_Flags_t) -> c_int {
    let family = Family { traffic: Traffic::Reply, category: Category::Long };
    cancel("gex_AM_CancelReplyLong", family, sd, flags)
}

/// The address of the payload of a prepared message: the client's buffer if one was given, otherwise a buffer of
/// the library that is aligned for any type.
///
/// Source: GASNet-EX 0.19, "gex_AM_SrcDescAddr".
#[unsafe(no_mangle)]
pub extern "C" fn gex_AM_SrcDescAddr(sd: gex_AM_SrcDesc_t) -> *mut c_void {
    prepared::place("gex_AM_SrcDescAddr", sd.addr()).0
}

/// The maximum payload of a prepared message, in bytes.
///
/// Source: GASNet-EX 0.19, "gex_AM_SrcDescSize".
#[unsafe(no_mangle)]
pub extern "C" fn gex_AM_SrcDescSize(sd: gex_AM_SrcDesc_t) -> usize {
    prepared::place("gex_AM_SrcDescSize", sd.addr()).1
}
