//! Errors: their codes and texts. `lines` prints them. `fatal!` and `usage!` end the job through the ender that
//! `exit.rs` registers; before that they abort the process.

// A fatal error may come at any time, in any build: plain atomics.
#![allow(clippy::disallowed_types)]

pub(crate) mod blame;
pub(crate) mod lines;

pub use lines::{line, set_rank};
use lines::{marked, with_mark};
pub(crate) use lines::{noted, rank, warning, write_stderr};

use crate::os::reserve::without_malloc;
use crate::os::{backtrace, process};
use nix::sys::signal::{SigSet, Signal};
use std::cell::Cell;
use std::ffi::{CStr, c_int};
use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// The exit code of a job that a fatal error ended: that of a process which died of `SIGABRT`.
pub(crate) const ABORTED: i32 = 134;

/// The codes that a call can return besides `GASNET_OK`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Error {
    NotInit = 10001,
    Resource = 10002,
    BadArg = 10003,
    NotReady = 10004,
    BarrierMismatch = 10005,
}

impl Error {
    pub const ALL: [Error; 5] =
        [Error::NotInit, Error::Resource, Error::BadArg, Error::NotReady, Error::BarrierMismatch];

    pub const fn code(self) -> c_int {
        self as c_int
    }

    pub const fn name(self) -> &'static CStr {
        match self {
            Error::NotInit => c"GASNET_ERR_NOT_INIT",
            Error::Resource => c"GASNET_ERR_RESOURCE",
            Error::BadArg => c"GASNET_ERR_BAD_ARG",
            Error::NotReady => c"GASNET_ERR_NOT_READY",
            Error::BarrierMismatch => c"GASNET_ERR_BARRIER_MISMATCH",
        }
    }

    pub const fn text(self) -> &'static CStr {
        match self {
            Error::NotInit => c"the job is not initialized or not attached yet, or already is",
            Error::Resource => c"a system or communication resource could not be had",
            Error::BadArg => c"an argument is invalid",
            Error::NotReady => c"the operation has not completed",
            Error::BarrierMismatch => c"barrier names or flags differ between ranks",
        }
    }

    fn of(code: c_int) -> Option<Error> {
        Error::ALL.into_iter().find(|error| error.code() == code)
    }
}

/// The name of a returned code; a number that is no code of ours is named as such.
pub(crate) fn name_of(code: c_int) -> &'static CStr {
    match (code, Error::of(code)) {
        (0, _) => c"GASNET_OK",
        (_, Some(error)) => error.name(),
        _ => c"(not a GASNet error code)",
    }
}

/// The description of a returned code.
pub(crate) fn text_of(code: c_int) -> &'static CStr {
    match (code, Error::of(code)) {
        (0, _) => c"no error",
        (_, Some(error)) => error.text(),
        _ => c"no description available",
    }
}

/// Ends the job: `fatal!("udp: peer {to} silent for {waited_s} s")`.
macro_rules! fatal {
    ($($text:tt)+) => { $crate::fatal::raise(format_args!($($text)+)) };
}

/// Ends the job over a client's mistake: `usage!("gasnet_put", "rank {to} is not below gasnet_nodes() = {n}")`.
/// `usage!(hsl, "gasnet_hsl_lock", …)` marks a violation of the lock rules.
#[allow(unused_macros)]
macro_rules! usage {
    (hsl, $call:expr, $($text:tt)+) => {
        $crate::fatal::raise_usage("HSL USAGE VIOLATION: ", $call, format_args!($($text)+))
    };
    ($call:expr, $($text:tt)+) => { $crate::fatal::raise_usage("", $call, format_args!($($text)+)) };
}

/// Tells of something that the user should know; `GASNET_QUIET` silences it.
macro_rules! warn_ {
    ($($text:tt)+) => { $crate::fatal::warning(format_args!($($text)+)) };
}

/// Tells of something that is no mistake; never silenced.
#[allow(unused_macros)]
macro_rules! note {
    ($($text:tt)+) => { $crate::fatal::noted(format_args!($($text)+)) };
}

#[allow(unused_imports)]
pub(crate) use {fatal, note, usage, warn_ as warn};

static VERBOSE_ERRORS: AtomicBool = AtomicBool::new(true);
/// A fatal error of this process has been found; set before it is printed.
static FOUND: AtomicBool = AtomicBool::new(false);
static DYING: AtomicBool = AtomicBool::new(false);
static JOB_ENDER: OnceLock<fn(i32) -> !> = OnceLock::new();
static SPEAKER: OnceLock<fn(&str) -> bool> = OnceLock::new();

thread_local! {
    static DYING_HERE: Cell<bool> = const { Cell::new(false) };
    static AT: Cell<Option<(&'static CStr, u32)>> = const { Cell::new(None) };
    static CALL: Cell<&'static str> = const { Cell::new("gasnet") };
    /// How often the place was frozen.
    static FROZEN: Cell<u32> = const { Cell::new(0) };
}

/// Registers the function that ends the job after a fatal error has been printed. The first one stays.
pub fn set_job_ender(ender: fn(i32) -> !) {
    let _ = JOB_ENDER.set(ender);
}

/// Registers the function that gets the line of each fatal error and returns true if this process must not print it:
/// one line gives the reason why a job ends, although many ranks and hosts may detect the same error at the same
/// time. A second call changes nothing.
pub(crate) fn set_speaker(says: fn(&str) -> bool) {
    let _ = SPEAKER.set(says);
}

/// Whether this process has found a fatal error, which it will print and die of.
pub(crate) fn is_dying() -> bool {
    FOUND.load(Ordering::Relaxed)
}

/// Whether `returning` prints.
pub(crate) fn verbose_errors() -> bool {
    VERBOSE_ERRORS.load(Ordering::Relaxed)
}

pub(crate) fn set_verbose_errors(on: bool) {
    VERBOSE_ERRORS.store(on, Ordering::Relaxed);
}

/// Remembers, for this thread, the place in the client from which the next call comes.
pub(crate) fn at(file: &'static CStr, line: u32) {
    if FROZEN.get() == 0 {
        AT.set(Some((file, line)));
    }
}

/// The place stays as it is, until this is undone as often.
pub(crate) fn freeze_place(freeze: bool) {
    FROZEN.set(if freeze { FROZEN.get() + 1 } else { FROZEN.get().saturating_sub(1) });
}

/// The place that `at` remembered.
pub(crate) fn here() -> Option<(&'static CStr, u32)> {
    AT.try_with(Cell::get).ok().flatten()
}

/// Remembers, for this thread, the call that it is in.
#[inline]
pub(crate) fn calling(call: &'static str) {
    CALL.set(call);
}

/// The call that `calling` remembered.
pub(crate) fn current_call() -> &'static str {
    CALL.get()
}

/// The place that `at` remembered, as ` at file:line`; empty if none.
pub(crate) fn place() -> String {
    // `try_with`: a thread that is being torn down has no place left.
    match AT.try_with(Cell::get) {
        Ok(Some((file, line))) => format!(" at {}:{line}", file.to_string_lossy()),
        _ => String::new(),
    }
}

/// Says, if verbose errors are on, that `call` returns `error`, and gives the code to return. `GASNET_QUIET` does not
/// silence it: verbose errors have their own switch.
pub(crate) fn returning(call: &str, error: Error) -> c_int {
    if verbose_errors() {
        let (name, text) = (error.name().to_string_lossy(), error.text().to_string_lossy());
        marked("WARNING", format_args!("GASNet {call} returning an error code: {name} ({text}){}", place()));
    }
    error.code()
}

/// As `returning`, with the reason.
pub(crate) fn returning_because(call: &str, error: Error, why: fmt::Arguments<'_>) -> c_int {
    if verbose_errors() {
        let name = error.name().to_string_lossy();
        marked("WARNING", format_args!("GASNet {call} returning an error code: {name} ({why}){}", place()));
    }
    error.code()
}

/// The function behind `usage!`.
#[cold]
pub(crate) fn raise_usage(prefix: &str, call: &str, text: fmt::Arguments<'_>) -> ! {
    without_malloc(|| end_over(format_args!("{prefix}{call}: {text}{}", place())))
}

/// The function behind `fatal!`: prints, freezes or writes a backtrace as the user has requested, and ends the job.
///
/// May be called while malloc's lock is held: in a signal handler, or if malloc has no memory.
#[cold]
pub fn raise(text: fmt::Arguments<'_>) -> ! {
    without_malloc(|| end_over(text))
}

fn end_over(text: fmt::Arguments<'_>) -> ! {
    if DYING_HERE.try_with(|here| here.replace(true)).unwrap_or(true) {
        // An error during a fatal error: the code below may fail again.
        marked("FATAL ERROR", text);
        std::process::abort();
    }
    // Another rank that detected the same error ends the job meanwhile; the rank that prints must not be stopped before.
    FOUND.store(true, Ordering::Relaxed);
    let mut quit = SigSet::empty();
    quit.add(Signal::SIGQUIT);
    let _ = quit.thread_block();
    let text = with_mark("FATAL ERROR", text);
    if SPEAKER.get().is_none_or(|says| !says(&text)) {
        line(&text);
    }
    // AcqRel: only one thread continues to end the job; the others wait for it.
    if DYING.swap(true, Ordering::AcqRel) {
        loop {
            process::pause();
        }
    }
    backtrace::freeze_on_error();
    backtrace::print_if_enabled(nix::libc::STDERR_FILENO);
    match JOB_ENDER.get() {
        Some(ender) => ender(ABORTED),
        None => std::process::abort(),
    }
}

/// Makes a Rust panic print in the form of every other error and end the job. A second call changes nothing.
pub fn install_panic_hook() {
    static INSTALLED: AtomicBool = AtomicBool::new(false);
    if INSTALLED.swap(true, Ordering::AcqRel) {
        return;
    }
    std::panic::set_hook(Box::new(|info| without_malloc(|| report_panic(info))));
}

fn report_panic(info: &std::panic::PanicHookInfo<'_>) {
    let payload = info.payload();
    let text = payload.downcast_ref::<&str>().copied().or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let text = text.unwrap_or("a panic without a text");
    if text == "panic in a function that cannot unwind" {
        raise(format_args!(
            "an AM handler, or another function of the client that the library called, ended its thread or threw an exception{}",
            place()
        ));
    }
    match info.location() {
        Some(l) => raise(format_args!("internal error: {text} ({}:{})", l.file(), l.line())),
        None => raise(format_args!("internal error: {text}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_those_of_the_interface() {
        let codes: Vec<_> = Error::ALL.iter().map(|error| error.code()).collect();
        assert_eq!(codes, [10001, 10002, 10003, 10004, 10005]);
        assert_eq!(name_of(10003), c"GASNET_ERR_BAD_ARG");
        assert_eq!(name_of(0), c"GASNET_OK");
    }

    #[test]
    fn any_number_has_a_name_and_a_text() {
        for code in [-1, 1, 9999, 10006, c_int::MIN, c_int::MAX] {
            assert!(!name_of(code).is_empty());
            assert!(!text_of(code).is_empty());
        }
    }

    #[test]
    fn returning_gives_the_code() {
        set_verbose_errors(false);
        assert_eq!(returning("gasnet_attach", Error::BadArg), 10003);
        set_verbose_errors(true);
    }

    #[test]
    fn the_place_is_the_threads_own() {
        at(c"here.c", 7);
        assert_eq!(place(), " at here.c:7");
        std::thread::spawn(|| assert_eq!(place(), "")).join().unwrap();
    }
}
