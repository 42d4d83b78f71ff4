//! Backtraces and stopping for a debugger. `setup::init` prepares everything for a crash, so that a signal handler
//! neither allocates nor locks on the way to a backtrace.
//!
//! # Safety
//! `PREPARED` points to a leaked value: it stays for the life of the process. The variables of C
//! (`gasnett_backtrace_user`, `gasnett_print_backtrace_ifenabled`, `gasnet_frozen`) are set by the client before
//! it starts, or from a debugger; here they are only read, or written as one word.
#![allow(unsafe_code)]

mod execinfo;
mod helper;
pub(crate) mod setup;
pub(crate) mod stack;
mod text;

use crate::env::parse::{self, RankList};
use crate::env::read::raw;
use crate::env::show::show;
use crate::fatal::lines::{rank, warning, write_stderr};
use crate::os::peer_memory;
use core::ffi::{CStr, c_char, c_int, c_void};
use core::fmt::Write;
use stack::addresses;
use std::ffi::CString;
use std::sync::atomic::{AtomicPtr, Ordering};
use text::{Short, write_fd};

/// A function of the client that writes a backtrace; it becomes one of the mechanisms that
/// `GASNET_BACKTRACE_TYPE` names.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types)]
pub(crate) struct gasnett_backtrace_type_t {
    /// The name of the mechanism, for `GASNET_BACKTRACE_TYPE`.
    pub name: *const c_char,
    /// Writes a backtrace of the calling thread to the descriptor; returns 0 if it did.
    pub fnp: Option<unsafe extern "C-unwind" fn(c_int) -> c_int>,
    /// Whether it works in programs with several threads.
    pub threadsupport: c_int,
}

unsafe extern "C" {
    static gasnett_backtrace_user: gasnett_backtrace_type_t;
    static gasnett_print_backtrace_ifenabled: Option<unsafe extern "C-unwind" fn(c_int) -> c_int>;
    static mut gasnet_frozen: c_int;
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mechanism {
    User,
    Gdb,
    ExecInfo,
}

/// The settings of the environment when `init` ran.
struct BacktraceSettings {
    enabled: bool,
    freeze_on_error: bool,
    ranks: RankList,
    mechanisms: Vec<Mechanism>,
    /// The path of gdb.
    gdb: Option<CString>,
    /// The path of addr2line or llvm-addr2line.
    addr2line: Option<CString>,
    all_threads: bool,
}

static PREPARED: AtomicPtr<BacktraceSettings> = AtomicPtr::new(core::ptr::null_mut());

/// Stores `settings` as the settings from now on.
fn keep(settings: BacktraceSettings) -> &'static BacktraceSettings {
    let prepared = Box::into_raw(Box::new(settings));
    PREPARED.store(prepared, Ordering::Release);
    // SAFETY: a leaked box (module contract).
    unsafe { &*prepared }
}

/// The settings stored by `setup::init`, otherwise those of the present environment, in which invalid values are ignored.
fn prepared() -> &'static BacktraceSettings {
    // SAFETY: null, or a leaked box (module contract).
    let prepared = unsafe { PREPARED.load(Ordering::Acquire).as_ref() };
    prepared.unwrap_or_else(|| keep(prepare(lax, RankList::ALL)))
}

fn lax(name: &str, default: bool) -> bool {
    raw(name).and_then(|text| parse::yes(&text).ok()).unwrap_or(default)
}

/// Reads the settings; `yes` returns the value of a switch, given its name and default. Never ends the job, because a fatal
/// error may be in progress.
fn prepare(yes: impl Fn(&str, bool) -> bool, ranks: RankList) -> BacktraceSettings {
    let gdb = find_program("gdb");
    let all = available(gdb.is_some());
    let wanted = raw("GASNET_BACKTRACE_TYPE");
    show("GASNET_BACKTRACE_TYPE", wanted.as_deref().unwrap_or(&names(&all)), wanted.is_none());
    let mechanisms = match wanted {
        None => all.into_iter().map(|(_, mechanism)| mechanism).collect(),
        Some(wanted) => parse::names(&wanted).filter_map(|name| one_named(name, &all)).collect(),
    };
    BacktraceSettings {
        enabled: yes("GASNET_BACKTRACE", false),
        freeze_on_error: yes("GASNET_FREEZE_ON_ERROR", false),
        ranks,
        mechanisms,
        gdb,
        addr2line: find_program("addr2line").or_else(|| find_program("llvm-addr2line")),
        all_threads: yes("GASNET_BACKTRACE_MT", true),
    }
}

/// The mechanisms of this program and machine, in the order in which they are tried.
fn available(has_gdb: bool) -> Vec<(String, Mechanism)> {
    // SAFETY: the client's variable, or ours of zeros; not written after start (module contract).
    let user = unsafe { (&raw const gasnett_backtrace_user).read() };
    let mut all = Vec::new();
    if user.fnp.is_some() {
        let name = match user.name.is_null() {
            true => "USER".to_string(),
            // SAFETY: the client's name is a string (gasnett_backtrace_type_t).
            false => unsafe { CStr::from_ptr(user.name) }.to_string_lossy().into_owned(),
        };
        all.push((name, Mechanism::User));
    }
    if has_gdb {
        all.push(("GDB".to_string(), Mechanism::Gdb));
    }
    all.push(("EXECINFO".to_string(), Mechanism::ExecInfo));
    all
}

fn names(all: &[(String, Mechanism)]) -> String {
    all.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(",")
}

fn one_named(wanted: &str, all: &[(String, Mechanism)]) -> Option<Mechanism> {
    let found = all.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
    if found.is_none() {
        warning(format_args!("GASNET_BACKTRACE_TYPE names '{wanted}', which is not here; there are {}", names(all)));
    }
    found.map(|&(_, mechanism)| mechanism)
}

fn find_program(name: &str) -> Option<CString> {
    let path = raw("PATH")?;
    let found = path.split(':').map(|dir| format!("{dir}/{name}")).find(|program| is_executable(program))?;
    CString::new(found).ok()
}

fn is_executable(path: &str) -> bool {
    nix::unistd::access(path, nix::unistd::AccessFlags::X_OK).is_ok()
}

/// Writes a backtrace of this thread to `fd` by the first mechanism that works. Returns whether one did.
pub(crate) fn print(fd: c_int) -> bool {
    let prepared = prepared();
    prepared.mechanisms.iter().any(|mechanism| match mechanism {
        Mechanism::User => by_user(fd),
        Mechanism::Gdb => by_gdb(prepared, fd),
        Mechanism::ExecInfo => execinfo::print(prepared.addr2line.as_deref(), fd),
    })
}

/// Writes a backtrace of this thread to `fd` if the user has requested that: by `gasnett_print_backtrace_ifenabled`,
/// which the client may have redirected.
pub(crate) fn print_if_enabled(fd: c_int) {
    // SAFETY: a client that assigns it does so before errors occur, with a function or NULL.
    if let Some(printer) = unsafe { (&raw const gasnett_print_backtrace_ifenabled).read_volatile() } {
        // SAFETY: the function takes a descriptor (its type).
        unsafe { printer(fd) };
    }
}

/// The initial target of `gasnett_print_backtrace_ifenabled`. False if nothing was written.
pub(crate) fn default_print_if_enabled(fd: c_int) -> bool {
    let prepared = prepared();
    prepared.enabled && prepared.ranks.has(rank().unwrap_or(0)) && print(fd)
}

fn by_user(fd: c_int) -> bool {
    // SAFETY: see `available`.
    let user = unsafe { (&raw const gasnett_backtrace_user).read() };
    // SAFETY: the function takes a descriptor (its type).
    user.fnp.is_some_and(|printer| unsafe { printer(fd) } == 0)
}

/// Whether this thread runs a signal handler, which may have interrupted malloc. Also true if the stack
/// is too deep to be read completely.
pub(crate) fn in_a_signal_handler() -> bool {
    let (found, complete) = signal_frames();
    found || !complete
}

/// As `in_a_signal_handler`, but false if there is none among the innermost frames of a deep stack.
pub(crate) fn surely_in_a_signal_handler() -> bool {
    signal_frames().0
}

/// Whether a frame of a signal handler is on this thread's stack, as far as that was read, and whether all of it was.
fn signal_frames() -> (bool, bool) {
    let mut frames = [0; 256];
    let count = addresses(&mut frames);
    let found = frames[..count].iter().any(|&frame| execinfo::is_signal_return(frame as *mut c_void));
    (found, count < frames.len())
}

/// The time limit for gdb, which takes long to read the symbols of a large program.
const GDB_LIMIT_MS: c_int = 60_000;

/// Starts gdb on this process and copies the stacks from its output.
fn by_gdb(prepared: &BacktraceSettings, fd: c_int) -> bool {
    let Some(gdb) = &prepared.gdb else { return false };
    let mut pid = Short::default();
    let _ = write!(pid, "{}\0", std::process::id());
    let stacks = if prepared.all_threads { c"thread apply all backtrace 64" } else { c"backtrace 64" };
    let arguments = [
        gdb.as_ptr(),
        c"-nx".as_ptr(),
        c"-batch".as_ptr(),
        c"-iex".as_ptr(),
        c"set auto-load no".as_ptr(),
        c"-iex".as_ptr(),
        c"set debuginfod enabled off".as_ptr(),
        c"-ex".as_ptr(),
        stacks.as_ptr(),
        c"-p".as_ptr(),
        pid.0.as_ptr().cast(),
        core::ptr::null(),
    ];
    // Under Yama, a debugger that is our child may attach only with this permission, which others do not get.
    // SAFETY: changes a flag of this process only.
    unsafe { libc::prctl(libc::PR_SET_PTRACER, libc::PR_SET_PTRACER_ANY) };
    let printed = helper::run(&arguments, |output| copy_stacks(output, fd));
    peer_memory::let_in_again();
    printed
}

/// Copies the lines of threads and frames. Returns whether there was a frame.
fn copy_stacks(from: c_int, fd: c_int) -> bool {
    let mut any_frame = false;
    helper::lines(from, GDB_LIMIT_MS, |text| {
        let is_frame = text.starts_with(b"#");
        if is_frame || text.starts_with(b"Thread ") {
            write_fd(fd, text);
        }
        any_frame |= is_frame;
    });
    any_frame
}

/// Stops here until a debugger sets `flag` to 0; prints its name for the user.
///
/// # Safety
/// `flag` points to an int that exists until the return.
pub(crate) unsafe fn freeze(flag: *mut c_int, flag_name: &str) {
    let mut host = [0u8; 64];
    // SAFETY: the last byte stays 0, also if the text is cut.
    unsafe { libc::gethostname(host.as_mut_ptr().cast(), host.len() - 1) };
    let host = CStr::from_bytes_until_nul(&host).ok().and_then(|host| host.to_str().ok()).unwrap_or("this host");
    let mut text = Short::default();
    let _ = write!(text, "*** Frozen for a debugger: {host}:{}", std::process::id());
    if let Some(rank) = rank() {
        let _ = write!(text, " (proc {rank})");
    }
    // The cast is needed if the library has no debugging information with the variable's type.
    let pid = std::process::id();
    let _ = writeln!(text, "; to go on: gdb -p {pid} -batch -ex 'set var *(int*)&{flag_name} = 0'");
    write_stderr(&text.0[..text.1]);
    // A debugger started by the same user may attach, from any place in the process tree.
    // SAFETY: changes a flag of this process only.
    unsafe { libc::prctl(libc::PR_SET_PTRACER, libc::PR_SET_PTRACER_ANY) };
    // SAFETY: the caller keeps `flag`; a debugger writes it, hence volatile.
    unsafe {
        flag.write_volatile(1);
        while flag.read_volatile() != 0 {
            libc::usleep(100_000);
        }
    }
}

/// Stops here until a debugger sets `gasnet_frozen` to 0.
pub(crate) fn freeze_now() {
    // SAFETY: a variable of the library.
    unsafe { freeze(&raw mut gasnet_frozen, "gasnet_frozen") };
}

/// Stops here for a debugger if the user has requested that for errors.
pub(crate) fn freeze_on_error() {
    if prepared().freeze_on_error {
        freeze_now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn a_signal_handler_is_known_as_such() {
        static KNOWN: AtomicBool = AtomicBool::new(false);
        extern "C" fn handler(_: c_int) {
            KNOWN.store(in_a_signal_handler(), Ordering::Relaxed);
        }
        // The first call loads libgcc.
        assert!(!in_a_signal_handler());
        // SAFETY: the handler reads its own stack; no other test has a use for this signal.
        unsafe {
            libc::signal(libc::SIGURG, handler as *const () as usize);
            libc::raise(libc::SIGURG);
        }
        assert!(KNOWN.load(Ordering::Relaxed));
        assert!(!in_a_signal_handler());
    }

    #[test]
    fn a_backtrace_goes_to_the_descriptor() {
        let (reader, writer) = crate::os::files::pipe().unwrap();
        let fd = std::os::fd::AsRawFd::as_raw_fd(&writer);
        assert!(execinfo::print(None, fd));
        drop(writer);
        let text = std::io::read_to_string(reader).unwrap();
        assert!(text.lines().count() > 2, "{text}");
    }
}
