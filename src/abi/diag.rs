//! The library's self-tests for clients: the handlers that a client registers at attach, and the call.
//!
//! # Safety
//! Handlers trust the token and payload that the dispatcher passes; the call trusts the client's segment table.
#![allow(unsafe_code, non_camel_case_types)]

use crate::abi::client::gasnet_handlerentry_t;
use crate::abi::enter;
use crate::abi::types::{gasnet_seginfo_t, gasnet_token_t, gex_Rank_t, gex_TM_t};
use crate::am::token::Token;
use crate::defs::rank::JobRank;
use crate::diag::{self, Handlers, TestPlan};
use crate::endpoint::table::{Entry, takes};
use crate::fatal::usage;
use crate::job::job;
use crate::mem::whole;
use crate::sync::atomic::{AtomicBool, Ordering};
use core::cell::UnsafeCell;
use core::ffi::{CStr, c_char, c_int, c_uint, c_void};

const COUNT: usize = 6;

/// The table that the client passes to attach, which writes indices to it.
struct Entries(UnsafeCell<[gasnet_handlerentry_t; COUNT]>);

// SAFETY: the client passes it to one attach, and reads and writes it on that thread alone.
unsafe impl Sync for Entries {}

static ENTRIES: Entries = Entries(UnsafeCell::new([
    gasnet_handlerentry_t { index: 0, fnptr: ping_short as *mut c_void },
    gasnet_handlerentry_t { index: 0, fnptr: ping_medium as *mut c_void },
    gasnet_handlerentry_t { index: 0, fnptr: ping_long as *mut c_void },
    gasnet_handlerentry_t { index: 0, fnptr: pong_short as *mut c_void },
    gasnet_handlerentry_t { index: 0, fnptr: pong_medium as *mut c_void },
    gasnet_handlerentry_t { index: 0, fnptr: pong_long as *mut c_void },
]));

/// The same for gex_EP_RegisterHandlers.
struct EntriesEx(UnsafeCell<[Entry; COUNT]>);

// SAFETY: as for Entries.
unsafe impl Sync for EntriesEx {}

static ENTRIES_EX: EntriesEx =
    EntriesEx(UnsafeCell::new([Entry { index: 0, handler: 0, flags: 0, nargs: 0, cdata: 0, name: 0 }; COUNT]));

/// Category and number of arguments of each handler, in the order of the tables.
const TAKES: [(u32, u32); COUNT] = [
    (takes::SHORT | takes::REQUEST, 2),
    (takes::MEDIUM | takes::REQUEST, 2),
    (takes::LONG | takes::REQUEST, 4),
    (takes::SHORT | takes::REPLY, 2),
    (takes::MEDIUM | takes::REPLY, 2),
    (takes::LONG | takes::REPLY, 2),
];

/// The table that the client requested.
static IS_EX: AtomicBool = AtomicBool::new(false);

/// # Safety
/// `token` is the one that the dispatcher passed to the running handler.
unsafe fn token<'a>(token: gasnet_token_t) -> &'a Token {
    // SAFETY: the caller's promise; it lives on the dispatcher's stack.
    unsafe { &*token.cast::<Token>() }
}

unsafe extern "C-unwind" fn ping_short(t: gasnet_token_t, id: i32, seed: i32) {
    // SAFETY: the dispatcher's token.
    diag::on_ping_short(unsafe { token(t) }, id, seed);
}

unsafe extern "C-unwind" fn ping_medium(t: gasnet_token_t, buf: *mut c_void, nbytes: usize, id: i32, seed: i32) {
    // SAFETY: the dispatcher's token.
    diag::on_ping_medium(unsafe { token(t) }, buf, nbytes, id, seed);
}

unsafe extern "C-unwind" fn ping_long(
    t: gasnet_token_t,
    buf: *mut c_void,
    nbytes: usize,
    id: i32,
    seed: i32,
    high: i32,
    low: i32,
) {
    let back = whole(high, low);
    // SAFETY: the dispatcher's token.
    diag::on_ping_long(unsafe { token(t) }, buf, nbytes, id, seed, back);
}

unsafe extern "C-unwind" fn pong_short(_: gasnet_token_t, id: i32, seed: i32) {
    diag::on_pong("Short reply", None, id, seed);
}

unsafe extern "C-unwind" fn pong_medium(_: gasnet_token_t, buf: *mut c_void, nbytes: usize, id: i32, seed: i32) {
    diag::on_pong("Medium reply", Some((buf, nbytes)), id, seed);
}

unsafe extern "C-unwind" fn pong_long(_: gasnet_token_t, buf: *mut c_void, nbytes: usize, id: i32, seed: i32) {
    diag::on_pong("Long reply", Some((buf, nbytes)), id, seed);
}

/// Stores the table of handlers that gasnett_run_diagnostics needs, for gasnet_attach, in `*htable`, and the number
/// of its entries in `*htable_cnt`.
///
/// # Safety
/// Both pointers may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_diagnostic_gethandlers(
    htable: *mut *mut gasnet_handlerentry_t,
    htable_cnt: *mut c_int,
) {
    // SAFETY: the caller keeps the contract above.
    unsafe {
        htable.write(ENTRIES.0.get().cast());
        htable_cnt.write(COUNT as c_int);
    }
}

/// The same table as entries of either interface, for the macro gasnett_diagnostic_gethandlers: `entry_bytes` is the
/// size of the client's entries.
///
/// # Safety
/// Both pointers may be written; `*htable` is a table of gasnet_handlerentry_t, or of gex_AM_Entry_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_diagnostic_gethandlers(
    htable: *mut *mut c_void,
    htable_cnt: *mut c_int,
    entry_bytes: usize,
) {
    let is_ex = entry_bytes == size_of::<Entry>();
    IS_EX.store(is_ex, Ordering::Relaxed);
    let table = if is_ex { ENTRIES_EX.0.get().cast() } else { ENTRIES.0.get().cast() };
    // SAFETY: the caller keeps the contract above; before registration only this thread knows the tables.
    unsafe {
        for ((to, from), (flags, nargs)) in (*ENTRIES_EX.0.get()).iter_mut().zip(&*ENTRIES.0.get()).zip(TAKES) {
            *to = Entry { flags, nargs, ..Entry::plain(0, from.fnptr.expose_provenance()) };
        }
        htable.write(table);
        htable_cnt.write(COUNT as c_int);
    }
}

/// The letters of the sections to run.
///
/// # Safety
/// `text` is null or a C string.
unsafe fn letters(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the caller's contract.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

fn run(iters: c_int, threadcnt: c_int, sections: String, segments: &[(usize, usize)]) -> c_int {
    // SAFETY: registration is over, so the tables are not written any more.
    let (entries, entries_ex) = unsafe { (&*ENTRIES.0.get(), &*ENTRIES_EX.0.get()) };
    let is_ex = IS_EX.load(Ordering::Relaxed);
    let index = |at: usize| if is_ex { entries_ex[at].index } else { entries[at].index };
    let handlers = Handlers {
        ping_short: index(0),
        ping_medium: index(1),
        ping_long: index(2),
        pong_short: index(3),
        pong_medium: index(4),
        pong_long: index(5),
    };
    let plan = TestPlan { iters: iters.max(1) as u32, threads: threadcnt.max(1) as u32, sections, segments, handlers };
    diag::run(job(), &plan) as c_int
}

/// Tests the library inside this job, `iters` rounds of each section on `threadcnt` threads (one, unless the client
/// is compiled for PAR). Every rank calls with the same arguments, after attach with the handlers of
/// gasnett_diagnostic_gethandlers; the contents of segments are overwritten.
///
/// Returns the number of errors found on this rank, each printed as a line that begins with ERROR.
///
/// # Safety
/// `testsections` is NULL (all) or a string of the letters of the sections to run; `seginfo` has an entry per rank,
/// as filled by gasnet_getSegmentInfo.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_run_diagnostics(
    iters: c_int,
    threadcnt: c_int,
    testsections: *const c_char,
    seginfo: *const gasnet_seginfo_t,
) -> c_int {
    if seginfo.is_null() {
        usage!("gasnett_run_diagnostics", "seginfo is NULL");
    }
    // SAFETY: the caller keeps the contract above.
    let (sections, segments) =
        unsafe { (letters(testsections), core::slice::from_raw_parts(seginfo, job().size as usize)) };
    let segments: Vec<_> = segments.iter().map(|seg| (seg.addr.expose_provenance(), seg.size)).collect();
    run(iters, threadcnt, sections, &segments)
}

/// gasnett_run_diagnostics for GASNet-EX programs: takes the primordial team and the addresses of the segments of
/// this process and of rank `peer` instead of the table of segments.
///
/// # Safety
/// `testsections` is NULL (all) or a string of the letters of the sections to run.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_run_diagnostics_ex(
    iters: c_int,
    threadcnt: c_int,
    testsections: *const c_char,
    team: gex_TM_t,
    _myseg: *mut c_void,
    peer: gex_Rank_t,
    _peerseg: *mut c_void,
    _seed: c_uint,
) -> c_int {
    const CALL: &str = "gasnett_run_diagnostics";
    let job = job();
    enter::place(CALL, enter::real_team(CALL, team), peer);
    // With GASNET_SEGMENT_EVERYTHING the tests may not overwrite the segment, which is all memory.
    let known = |rank| job.segment(JobRank(rank)).filter(|segment| segment.bytes != usize::MAX);
    let segments: Vec<_> =
        (0..job.size).map(|rank| known(rank).map_or((0, 0), |segment| (segment.start, segment.bytes))).collect();
    // SAFETY: the caller keeps the contract above.
    run(iters, threadcnt, unsafe { letters(testsections) }, &segments)
}
