//! GASNet-EX queries about Active Messages (limits, tokens), and the registration of handlers.

use core::ffi::{c_int, c_uint};

use crate::abi::am::token_of;
use crate::abi::am_ex::check_capable;
use crate::abi::enter;
use crate::abi::types::{gex_EP_t, gex_Event_t, gex_Flags_t, gex_Rank_t, gex_TI_t, gex_TM_t, gex_Token_t};
use crate::am::dispatch::endpoint_table;
use crate::defs::message::{Category, MAX_ARGS, Traffic};
use crate::endpoint::table;
use crate::endpoint::table::{Any, Entry as gex_AM_Entry_t, takes};
use crate::endpoint::{self, capability};
use crate::fatal::{self, Error, usage};
use crate::job::{Job, try_job};
use crate::thread;
use crate::trace;

/// `GEX_FLAG_AM_PREPARE_LEAST_ALLOC`.
const LEAST_ALLOC: gex_Flags_t = 0x1000;
/// `GEX_RANK_INVALID`, which stands for any rank.
const ANY_RANK: gex_Rank_t = u32::MAX;

/// The information on a message that gex_Token_Info returns.
#[repr(C)]
pub struct gex_Token_Info_t {
    /// Its sender, as a rank of the job.
    pub gex_srcrank: gex_Rank_t,
    /// The endpoint that received it.
    pub gex_ep: gex_EP_t,
    /// The handler that runs, as it was registered.
    pub gex_entry: *const gex_AM_Entry_t,
    /// 1 for a request, 0 for a reply.
    pub gex_is_req: c_int,
    /// 1 for a Long, 0 for another.
    pub gex_is_long: c_int,
}

fn most(
    call: &str,
    (tm, rank): (gex_TM_t, gex_Rank_t),
    traffic: Traffic,
    category: Category,
    flags: gex_Flags_t,
    nargs: c_uint,
) -> usize {
    let job = enter::job_named(call);
    let team = enter::team(call, tm);
    check_capable(call, team.endpoint());
    check_nargs(job, call, nargs);
    let near = match rank {
        ANY_RANK => job.conduit.is_none() || (0..team.size()).all(|rank| job.is_near(team.job_rank(rank))),
        rank => job.is_near(enter::place(call, team, rank).rank),
    };
    job.most_payload(near, traffic, category, flags & LEAST_ALLOC != 0)
}

fn most_reply(call: &str, token: gex_Token_t, category: Category, flags: gex_Flags_t, nargs: c_uint) -> usize {
    let job = enter::job_named(call);
    let token = token_of(call, token);
    check_nargs(job, call, nargs);
    if !token.is_request() {
        usage!(call, "called from a reply handler; only request handlers may reply");
    }
    job.most_payload(job.is_near(token.source()), Traffic::Reply, category, flags & LEAST_ALLOC != 0)
}

fn check_nargs(job: &Job, call: &str, nargs: c_uint) {
    if job.settings.debug && nargs as usize > MAX_ARGS {
        usage!(call, "numargs is {nargs}, the limit is {MAX_ARGS}");
    }
}

/// The maximum number of arguments of an Active Message: 16.
///
/// Source: GASNet-EX 0.19, "Active Message (AM) limit queries".
#[unsafe(no_mangle)]
pub extern "C" fn gex_AM_MaxArgs() -> c_uint {
    MAX_ARGS as c_uint
}

/// Largest payload, in bytes, of a Medium request between this endpoint of `tm` and `other_rank`, or, if that is
/// GEX_RANK_INVALID, any rank. With GEX_FLAG_AM_PREPARE_LEAST_CLIENT or _ALLOC: the largest `least_payload` of Prepare.
/// The result is the same on both sides, and does not change. Legal in handlers.
///
/// Source: GASNet-EX 0.19, "Maximum payload size queries".
#[unsafe(no_mangle)]
pub extern "C" fn gex_AM_MaxRequestMedium(
    tm: gex_TM_t,
    other_rank: gex_Rank_t,
    _lc_opt: *const gex_Event_t,
    flags: gex_Flags_t,
    numargs: c_uint,
) -> usize {
    most("gex_AM_MaxRequestMedium", (tm, other_rank), Traffic::Request, Category::Medium, flags, numargs)
}

/// As gex_AM_MaxRequestMedium, of a Medium reply.
///
/// Source: GASNet-EX 0.19, "Maximum payload size queries".
#[unsafe(no_mangle)]
pub extern "C" fn gex_AM_MaxReplyMedium(
    tm: gex_TM_t,
    other_rank: gex_Rank_t,
    _lc_opt: *const gex_Event_t,
    flags: gex_Flags_t,
    numargs: c_uint,
) -> usize {
    most("gex_AM_MaxReplyMedium", (tm, other_rank), Traffic::Reply, Category::Medium, flags, numargs)
}

/// As gex_AM_MaxRequestMedium, of a Long request.
///
/// Source: GASNet-EX 0.19, "Maximum payload size queries".
#[unsafe(no_mangle)]
pub extern "C" fn gex_AM_MaxRequestLong(
    tm: gex_TM_t,
    other_rank: gex_Rank_t,
    _lc_opt: *const gex_Event_t,
    flags: gex_Flags_t,
    numargs: c_uint,
) -> usize {
    most("gex_AM_MaxRequestLong", (tm, other_rank), Traffic::Request, Category::Long, flags, numargs)
}

/// As gex_AM_MaxRequestMedium, of a Long reply.
///
/// Source: GASNet-EX 0.19, "Maximum payload size queries".
#[unsafe(no_mangle)]
pub extern "C" fn gex_AM_MaxReplyLong(
    tm: gex_TM_t,
    other_rank: gex_Rank_t,
    _lc_opt: *const gex_Event_t,
    flags: gex_Flags_t,
    numargs: c_uint,
) -> usize {
    most("gex_AM_MaxReplyLong", (tm, other_rank), Traffic::Reply, Category::Long, flags, numargs)
}

/// Largest payload, in bytes, of a Medium reply to the request of `token`. Legal in request handlers only.
///
/// Source: GASNet-EX 0.19, "Token-specific max fixed-payload queries".
#[unsafe(no_mangle)]
pub extern "C" fn gex_Token_MaxReplyMedium(
    token: gex_Token_t,
    _lc_opt: *const gex_Event_t,
    flags: gex_Flags_t,
    numargs: c_uint,
) -> usize {
    most_reply("gex_Token_MaxReplyMedium", token, Category::Medium, flags, numargs)
}

/// As gex_Token_MaxReplyMedium, of a Long reply.
///
/// Source: GASNet-EX 0.19, "Token-specific max fixed-payload queries".
#[unsafe(no_mangle)]
pub extern "C" fn gex_Token_MaxReplyLong(
    token: gex_Token_t,
    _lc_opt: *const gex_Event_t,
    flags: gex_Flags_t,
    numargs: c_uint,
) -> usize {
    most_reply("gex_Token_MaxReplyLong", token, Category::Long, flags, numargs)
}

/// The largest payload that every rank of the job accepts; before init, that of shared memory.
fn lub(traffic: Traffic, category: Category) -> usize {
    match (try_job(), category) {
        (Some(job), _) => job.most_payload(false, traffic, category, false),
        (None, Category::Medium) => crate::am::limits::SHARED_LIMITS.medium,
        (None, _) => crate::am::limits::SHARED_LIMITS.long_request,
    }
}

/// The least value of gex_AM_MaxRequestMedium, for any arguments.
///
/// Source: GASNet-EX 0.19, "Least-upper-bound fixed-payload queries".
#[unsafe(no_mangle)]
pub extern "C" fn gex_AM_LUBRequestMedium() -> usize {
    lub(Traffic::Request, Category::Medium)
}

/// The least value of gex_AM_MaxReplyMedium, for any arguments.
///
/// Source: GASNet-EX 0.19, "Least-upper-bound fixed-payload queries".
#[unsafe(no_mangle)]
pub extern "C" fn gex_AM_LUBReplyMedium() -> usize {
    lub(Traffic::Reply, Category::Medium)
}

/// The least value of gex_AM_MaxRequestLong, for any arguments.
///
/// Source: GASNet-EX 0.19, "Least-upper-bound fixed-payload queries".
#[unsafe(no_mangle)]
pub extern "C" fn gex_AM_LUBRequestLong() -> usize {
    lub(Traffic::Request, Category::Long)
}

/// The least value of gex_AM_MaxReplyLong, for any arguments.
///
/// Source: GASNet-EX 0.19, "Least-upper-bound fixed-payload queries".
#[unsafe(no_mangle)]
pub extern "C" fn gex_AM_LUBReplyLong() -> usize {
    lub(Traffic::Reply, Category::Long)
}

/// All fields of gex_Token_Info_t: `GEX_TI_ALL`.
const ALL_FIELDS: gex_TI_t = 31;

/// Fills all fields of `*info` with information on the message of `token`, regardless of `mask`. Legal in any
/// handler. Returns the mask of valid fields, GEX_TI_ALL.
///
/// Source: GASNet-EX 0.19, "AM Token Info".
///
/// # Safety
/// `token` is the one passed to the running handler; `info` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_Token_Info(token: gex_Token_t, info: *mut gex_Token_Info_t, mask: gex_TI_t) -> gex_TI_t {
    const CALL: &str = "gex_Token_Info";
    let job = enter::job_named(CALL);
    let token = token_of(CALL, token);
    if info.is_null() {
        usage!(CALL, "info is NULL");
    }
    if job.settings.debug && mask & !ALL_FIELDS != 0 {
        usage!(CALL, "mask {mask:#x} has bits that are not of GEX_TI_ALL = {ALL_FIELDS:#x}");
    }
    let entry = endpoint_table(token.ep(), token.index()).and_then(|table| table.entry(token.index()));
    let told = gex_Token_Info_t {
        gex_srcrank: token.source().0,
        gex_ep: endpoint::at(token.ep()).map_or(core::ptr::null_mut(), enter::handle),
        gex_entry: entry.map_or(core::ptr::null(), core::ptr::from_ref),
        gex_is_req: c_int::from(token.is_request()),
        gex_is_long: c_int::from(token.category() == Category::Long),
    };
    // SAFETY: not null (checked); the caller keeps the contract above.
    unsafe { info.write(told) };
    ALL_FIELDS
}

/// Registers `numentries` handlers of messages to `ep`: those with an index first, then those with index 0, in table
/// order, at the highest free index each, which is written back. Not collective; may be repeated.
/// If a message arrives at a non-primordial endpoint on which its handler is not registered, the primordial
/// endpoint's handler of that index runs.
///
/// In debug clients the arrival of a message that does not match gex_flags or gex_nargs of its entry ends the job.
///
/// Returns GASNET_OK; otherwise nothing is registered, and the result is GASNET_ERR_BAD_ARG (an index that is in
/// use or below GEX_AM_INDEX_BASE, a NULL function, an endpoint without the AM capability) or GASNET_ERR_RESOURCE
/// (no free index).
///
/// Source: GASNet-EX 0.19, "gex_EP_RegisterHandlers".
///
/// # Safety
/// `table` has `numentries` entries that may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_EP_RegisterHandlers(ep: gex_EP_t, table: *mut gex_AM_Entry_t, numentries: usize) -> c_int {
    const CALL: &str = "gex_EP_RegisterHandlers";
    let _span = trace::span(CALL);
    let job = enter::job_named(CALL);
    let ep = enter::endpoint(CALL, ep);
    if ep.capabilities & capability::AM == 0 || (numentries > 0 && table.is_null()) {
        return fatal::returning(CALL, Error::BadArg);
    }
    if numentries == 0 {
        return 0;
    }
    // SAFETY: not null (checked); the caller keeps the contract above.
    let table = unsafe { core::slice::from_raw_parts_mut(table, numentries) };
    if job.settings.debug {
        check_entries(CALL, table);
    }
    let handlers = if ep.index == 0 { &table::PRIMORDIAL } else { &ep.table };
    let mut entries = table.to_vec();
    match handlers.register(&mut entries, Any::Highest) {
        Ok(()) => {
            for (given, entry) in table.iter_mut().zip(&entries).filter(|(given, _)| given.index == 0) {
                given.index = entry.index;
            }
            0
        }
        Err(error) => fatal::returning(CALL, error),
    }
}

/// Debug clients: checks gex_flags and gex_nargs of each entry.
fn check_entries(call: &str, table: &[gex_AM_Entry_t]) {
    if thread::handler_depth() != 0 {
        usage!(call, "called from an AM handler");
    }
    for (at, entry) in table.iter().enumerate() {
        let flags = entry.flags;
        if flags & takes::CATEGORIES == 0
            || flags & takes::KINDS == 0
            || flags & !(takes::CATEGORIES | takes::KINDS) != 0
        {
            usage!(
                call,
                "table[{at}].gex_flags is {flags:#x}: not GEX_FLAG_AM_SHORT, _MEDIUM, _LONG or _MEDLONG and \
                 GEX_FLAG_AM_REQUEST, _REPLY or _REQREP"
            );
        }
        if entry.nargs as usize > MAX_ARGS {
            usage!(call, "table[{at}].gex_nargs is {}, the limit is {MAX_ARGS}", entry.nargs);
        }
    }
}
