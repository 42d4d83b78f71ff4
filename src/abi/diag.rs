//! The library's self-tests as a client runs them: the handlers that it registers at attach, and the call.
//!
//! # Safety
//! Handlers trust the token and payload that the dispatcher passes; the call trusts the client's segment table.
#![allow(unsafe_code, non_camel_case_types)]

use crate::abi::client::gasnet_handlerentry_t;
use crate::abi::types::{gasnet_seginfo_t, gasnet_token_t};
use crate::am::Token;
use crate::diag::{self, Handlers, Plan};
use crate::fatal::usage;
use crate::job::job;
use core::cell::UnsafeCell;
use core::ffi::{CStr, c_char, c_int, c_void};

const COUNT: usize = 6;

/// The table that the client passes to attach, which writes the indices into it.
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
    let back = (high as u32 as usize) << 32 | low as u32 as usize;
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

/// Tests the library inside this job, `iters` rounds of each section on `threadcnt` threads (one, unless the client
/// is compiled for PAR). Every rank calls with the same arguments, after attach with the handlers of
/// gasnett_diagnostic_gethandlers; what is in the segments is overwritten.
///
/// Returns the number of errors found on this rank, each printed as a line that begins with ERROR.
///
/// # Safety
/// `testsections` is NULL (all) or a string of the letters of the sections to run; `seginfo` has an entry a rank, as
/// gasnet_getSegmentInfo gives them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_run_diagnostics(
    iters: c_int,
    threadcnt: c_int,
    testsections: *const c_char,
    seginfo: *const gasnet_seginfo_t,
) -> c_int {
    let job = job();
    if seginfo.is_null() {
        usage!("gasnett_run_diagnostics", "seginfo is NULL");
    }
    let sections = if testsections.is_null() {
        String::new()
    } else {
        // SAFETY: the caller keeps the contract above.
        unsafe { CStr::from_ptr(testsections) }.to_string_lossy().into_owned()
    };
    // SAFETY: the caller keeps the contract above; only this thread uses the table.
    let (segments, entries) = unsafe { (core::slice::from_raw_parts(seginfo, job.size as usize), &*ENTRIES.0.get()) };
    let segments: Vec<_> = segments.iter().map(|seg| (seg.addr.expose_provenance(), seg.size)).collect();
    let handlers = Handlers {
        ping_short: entries[0].index,
        ping_medium: entries[1].index,
        ping_long: entries[2].index,
        pong_short: entries[3].index,
        pong_medium: entries[4].index,
        pong_long: entries[5].index,
    };
    let plan =
        Plan { iters: iters.max(1) as u32, threads: threadcnt.max(1) as u32, sections, segments: &segments, handlers };
    diag::run(job, &plan) as c_int
}
