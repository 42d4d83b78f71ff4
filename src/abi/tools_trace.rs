//! The tools' chapter on tracing and statistics, for the macros of gasneti/tools_trace.h. Functions with a variable
//! number of arguments are in c/trace.c.
#![allow(unsafe_code)]

use core::ffi::{CStr, c_char, c_int, c_uint};

use crate::fatal;
use crate::trace::mask::LetterMask;
use crate::trace::{self, report};

/// # Safety
/// `text` is NULL or a C string.
unsafe fn words<'a>(text: *const c_char) -> std::borrow::Cow<'a, str> {
    if text.is_null() {
        return "".into();
    }
    // SAFETY: not null; the caller's contract.
    unsafe { CStr::from_ptr(text) }.to_string_lossy()
}

/// Returns whether output of GASNETT_TRACE_PRINTF is currently written to the trace.
///
/// Source: README-tools, "Trace/Stats support".
#[unsafe(no_mangle)]
pub extern "C" fn gasneti_trace_enabled() -> c_int {
    trace::client_is_heard().into()
}

/// Writes lines of the client to the trace, or, if `to_stats`, to the statistics; if `force`, regardless of the
/// mask.
///
/// # Safety
/// `text` is a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_trace_text(text: *const c_char, to_stats: c_int, force: c_int) {
    // SAFETY: the caller keeps the contract above.
    let text = unsafe { words(text) };
    if to_stats == 0 {
        trace::client_says(&text, force != 0);
    } else if force != 0 || trace::stats_has_client() {
        report::say(&text);
    }
}

fn mask_text(mask: Option<&'static LetterMask>) -> *const c_char {
    mask.map_or(c"", LetterMask::text).as_ptr()
}

/// # Safety
/// `text` is NULL or a C string.
unsafe fn set_mask(mask: Option<&'static LetterMask>, text: *const c_char) {
    if let Some(mask) = mask {
        // SAFETY: the caller's contract.
        mask.set(&unsafe { words(text) });
    }
}

/// Returns the letters of the categories that this process traces; empty if it writes no trace. The text is never
/// freed.
///
/// Source: README-tools, "Trace/Stats support".
#[unsafe(no_mangle)]
pub extern "C" fn gasneti_trace_getmask() -> *const c_char {
    mask_text(trace::trace_mask())
}

/// Returns the letters of the categories in this process's statistics; empty if there are none. The text is never
/// freed.
///
/// Source: README-tools, "Trace/Stats support".
#[unsafe(no_mangle)]
pub extern "C" fn gasneti_stats_getmask() -> *const c_char {
    mask_text(trace::stats_mask())
}

/// Sets the categories that this process traces, in the format of GASNET_TRACEMASK; no effect if it writes no
/// trace.
///
/// Source: README-tools, "Trace/Stats support".
///
/// # Safety
/// `newmask` is a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_trace_setmask(newmask: *const c_char) {
    // SAFETY: the caller keeps the contract above.
    unsafe { set_mask(trace::trace_mask(), newmask) }
}

/// Sets the categories in this process's statistics, in the format of GASNET_STATSMASK; no effect if it writes no
/// statistics.
///
/// Source: README-tools, "Trace/Stats support".
///
/// # Safety
/// `newmask` is a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_stats_setmask(newmask: *const c_char) {
    // SAFETY: the caller keeps the contract above.
    unsafe { set_mask(trace::stats_mask(), newmask) }
}

/// Returns whether puts and gets of this process to itself are traced.
#[unsafe(no_mangle)]
pub extern "C" fn gasneti_trace_getlocal() -> c_int {
    trace::local().into()
}

/// Sets whether puts and gets of this process to itself are traced.
#[unsafe(no_mangle)]
pub extern "C" fn gasneti_trace_setlocal(newval: c_int) {
    trace::set_local(newval != 0);
}

/// Returns the place in the client for events of this thread: the last one that was set, explicitly or by a call;
/// "" and 0 if none.
///
/// # Safety
/// `pfile` and `pline` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_source_get(pfile: *mut *const c_char, pline: *mut c_uint) {
    let (file, line) = fatal::here().unwrap_or((c"", 0));
    // SAFETY: the caller keeps the contract above.
    unsafe {
        pfile.write(file.as_ptr());
        pline.write(line);
    }
}

/// Stops calls of this thread from setting the place, until the same number of gasneti_source_unfreeze.
#[unsafe(no_mangle)]
pub extern "C" fn gasneti_source_freeze() {
    fatal::freeze_place(true);
}

/// Reverts one gasneti_source_freeze.
#[unsafe(no_mangle)]
pub extern "C" fn gasneti_source_unfreeze() {
    fatal::freeze_place(false);
}

/// Registers `call` to be called when this process reports its statistics. Returns 1 if it writes statistics, else
/// 0.
///
/// # Safety
/// `call` may be called until the job has ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_stats_at_report(call: Option<unsafe extern "C" fn()>) -> c_int {
    let Some(call) = call else { return 0 };
    // SAFETY: the caller keeps the contract above.
    report::set_callback(Box::new(move || unsafe { call() })).into()
}

/// Writes the current statistics and, if `reset`, resets them to 0. No effect if there are no statistics.
///
/// Source: README-tools, "Trace/Stats support".
#[unsafe(no_mangle)]
pub extern "C" fn gasneti_stats_dump(reset: c_int) {
    report::write(true, |_| ());
    if reset != 0 {
        report::reset();
    }
}
