//! Backtraces and stopping for a debugger. `init` prepares everything for a crash, so that a signal handler
//! neither allocates nor locks on the way to a backtrace.
//!
//! # Safety
//! `PREPARED` and the exe name point to leaked values: they stay for the life of the process. The variables of C
//! (`gasnett_backtrace_user`, `gasnett_print_backtrace_ifenabled`, `gasnet_frozen`) are set by the client before
//! it starts, or from a debugger; here they are only read, or written as one word.
#![allow(unsafe_code)]

mod execinfo;
mod helper;

use crate::env::{self, RankList};
use crate::fatal::{fatal, rank, warn, write_stderr};
use crate::os::heap::without_malloc;
use crate::os::{peer_memory, process};
use core::ffi::{CStr, c_char, c_int, c_void};
use core::fmt::Write;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::sync::atomic::{AtomicPtr, Ordering};

/// A way of the client's own to write a backtrace; it becomes one of the mechanisms that
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
    fn backtrace(frames: *mut *mut c_void, len: c_int) -> c_int;
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
static EXE: AtomicPtr<c_char> = AtomicPtr::new(core::ptr::null_mut());

/// The path of this program: the kernel's word, or argv[0] as `init` got it.
pub(crate) fn exe_name() -> &'static CStr {
    let mut exe = EXE.load(Ordering::Acquire);
    if exe.is_null() {
        exe = CString::new(kernel_exe()).unwrap_or_default().into_raw();
        EXE.store(exe, Ordering::Release);
    }
    // SAFETY: a leaked CString (module contract).
    unsafe { CStr::from_ptr(exe) }
}

fn kernel_exe() -> Vec<u8> {
    let path = std::fs::read_link("/proc/self/exe").unwrap_or_default();
    path.as_os_str().as_bytes().to_vec()
}

/// Reads the variables about backtraces and freezing, and prepares for a crash. `exe` is argv[0], if known.
/// May be called again, after the environment changed.
pub(crate) fn init(exe: Option<&CStr>) {
    if let Some(exe) = exe.filter(|_| kernel_exe().is_empty()) {
        EXE.store(exe.to_owned().into_raw(), Ordering::Release);
    }
    exe_name();
    PREPARED.store(Box::into_raw(Box::new(prepare(true))), Ordering::Release);
    // The first call loads libgcc, which allocates: not in a signal handler.
    let mut frame = core::ptr::null_mut();
    // SAFETY: room for one frame.
    unsafe { backtrace(&mut frame, 1) };
}

/// Catches the signals that `GASNET_BACKTRACE_SIGNAL` and `GASNET_FREEZE_SIGNAL` name; replaces other handlers.
pub(crate) fn watch_signals() {
    on_signal("GASNET_BACKTRACE_SIGNAL", backtrace_on_signal);
    on_signal("GASNET_FREEZE_SIGNAL", freeze_on_signal);
}

fn prepared() -> &'static BacktraceSettings {
    let mut prepared = PREPARED.load(Ordering::Acquire);
    if prepared.is_null() {
        prepared = Box::into_raw(Box::new(prepare(false)));
        PREPARED.store(prepared, Ordering::Release);
    }
    // SAFETY: a leaked box (module contract).
    unsafe { &*prepared }
}

/// `strict`: bad values are fatal. Without it they count as not set: a fatal error is being reported.
fn prepare(strict: bool) -> BacktraceSettings {
    let yes = |name: &str, default: bool| match strict {
        true => env::yes(name),
        false => env::raw(name).and_then(|text| env::parse::yes(&text).ok()).unwrap_or(default),
    };
    let gdb = find_program("gdb");
    let all = available(gdb.is_some());
    let mechanisms = match env::str("GASNET_BACKTRACE_TYPE") {
        None => {
            env::show("GASNET_BACKTRACE_TYPE", &names(&all), true);
            all.into_iter().map(|(_, mechanism)| mechanism).collect()
        }
        Some(wanted) => env::parse::names(&wanted).filter_map(|name| one_named(name, &all)).collect(),
    };
    BacktraceSettings {
        enabled: yes("GASNET_BACKTRACE", false),
        freeze_on_error: yes("GASNET_FREEZE_ON_ERROR", false),
        ranks: if strict { env::ranks("GASNET_BACKTRACE_NODES") } else { RankList::ALL },
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
        warn!("GASNET_BACKTRACE_TYPE names '{wanted}', which is not here; there are {}", names(all));
    }
    found.map(|&(_, mechanism)| mechanism)
}

fn find_program(name: &str) -> Option<CString> {
    let path = env::raw("PATH")?;
    let found = path.split(':').map(|dir| format!("{dir}/{name}")).find(|program| is_executable(program))?;
    CString::new(found).ok()
}

fn is_executable(path: &str) -> bool {
    nix::unistd::access(path, nix::unistd::AccessFlags::X_OK).is_ok()
}

/// Writes a backtrace of this thread to `fd` by the first mechanism that can. Whether one could.
pub(crate) fn print(fd: c_int) -> bool {
    let prepared = prepared();
    prepared.mechanisms.iter().any(|mechanism| match mechanism {
        Mechanism::User => by_user(fd),
        Mechanism::Gdb => by_gdb(prepared, fd),
        Mechanism::ExecInfo => execinfo::print(prepared.addr2line.as_deref(), fd),
    })
}

/// Writes a backtrace of this thread to `fd` if the user asked for that: by `gasnett_print_backtrace_ifenabled`,
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

/// The addresses on this thread's stack, innermost first; how many there are.
pub(crate) fn addresses(frames: &mut [usize]) -> usize {
    // SAFETY: as many frames as are said; addresses are words.
    unsafe { backtrace(frames.as_mut_ptr().cast(), frames.len() as c_int) }.max(0) as usize
}

/// Whether this thread runs a signal handler, which may have interrupted malloc. Also true where the stack
/// is too deep to tell.
pub(crate) fn in_a_signal_handler() -> bool {
    let mut frames = [0; 256];
    let count = addresses(&mut frames);
    count == frames.len() || frames[..count].iter().any(|&frame| execinfo::is_signal_return(frame as *mut c_void))
}

/// How long gdb may take; symbols of a large program are slow to read.
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
    // A debugger that is our child may not attach to us unless we say so; others still may not.
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

fn write_fd(fd: c_int, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        // SAFETY: the bytes are readable.
        match unsafe { libc::write(fd, bytes.as_ptr().cast(), bytes.len()) } {
            n if n > 0 => bytes = &bytes[n as usize..],
            _ if std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted => {}
            _ => return,
        }
    }
}

/// Text in a buffer on the stack; truncated to 256 bytes.
struct Short([u8; 256], usize);

impl Default for Short {
    fn default() -> Short {
        Short([0; 256], 0)
    }
}

impl Write for Short {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        let room = &mut self.0[self.1..];
        let taken = text.len().min(room.len());
        room[..taken].copy_from_slice(&text.as_bytes()[..taken]);
        self.1 += taken;
        Ok(())
    }
}

/// Stops here until `flag`, whose name the user is told, is set to 0 by a debugger.
///
/// # Safety
/// `flag` points to an int that stays.
pub(crate) unsafe fn freeze(flag: *mut c_int, flag_name: &str) {
    let mut host = [0u8; 64];
    // SAFETY: the last byte stays 0, whatever is cut.
    unsafe { libc::gethostname(host.as_mut_ptr().cast(), host.len() - 1) };
    let host = CStr::from_bytes_until_nul(&host).ok().and_then(|host| host.to_str().ok()).unwrap_or("this host");
    let mut text = Short::default();
    let _ = write!(text, "*** Frozen for a debugger: {host}:{}", std::process::id());
    if let Some(rank) = rank() {
        let _ = write!(text, " (proc {rank})");
    }
    // The cast: the library may lack the debugging information that says the type.
    let pid = std::process::id();
    let _ = writeln!(text, "; to go on: gdb -p {pid} -batch -ex 'set var *(int*)&{flag_name} = 0'");
    write_stderr(&text.0[..text.1]);
    // A debugger started by the same user may attach, wherever in the process tree it is.
    // SAFETY: changes a flag of this process only.
    unsafe { libc::prctl(libc::PR_SET_PTRACER, libc::PR_SET_PTRACER_ANY) };
    // SAFETY: the caller keeps `flag`; a debugger writes it behind the compiler's back, hence volatile.
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

/// Stops here for a debugger if the user asked for that on errors.
pub(crate) fn freeze_on_error() {
    if prepared().freeze_on_error {
        freeze_now();
    }
}

/// Stops every rank at init if the user asked for that.
pub(crate) fn freeze_at_start() {
    if env::yes("GASNET_FREEZE") {
        freeze_now();
    }
}

extern "C" fn backtrace_on_signal(signal: c_int) {
    process::keeping_errno(|| {
        without_malloc(|| {
            let mut text = Short::default();
            let _ = writeln!(text, "*** Backtrace on signal {signal}, process {}", std::process::id());
            write_stderr(&text.0[..text.1]);
            print(libc::STDERR_FILENO);
        });
    });
}

extern "C" fn freeze_on_signal(_: c_int) {
    process::keeping_errno(|| without_malloc(freeze_now));
}

/// Installs `handler` for the signal that the variable names, if it names one.
fn on_signal(variable: &str, handler: extern "C" fn(c_int)) {
    let Some(name) = env::str(variable).filter(|name| !name.is_empty()) else { return };
    let Some(signal) = signal_named(&name) else {
        fatal!("environment variable {variable}='{name}': must be a signal's name such as SIGUSR1")
    };
    let action = SigAction::new(SigHandler::Handler(handler), SaFlags::SA_RESTART, SigSet::empty());
    // SAFETY: the handlers call only what signal handlers may, once `init` has prepared it.
    if let Err(error) = unsafe { sigaction(signal, &action) } {
        fatal!("environment variable {variable}='{name}': that signal cannot be caught ({error})");
    }
}

/// The signal of a name such as `SIGUSR1`, `usr1` or `10`.
pub(crate) fn signal_named(name: &str) -> Option<Signal> {
    if let Ok(number) = name.trim().parse::<c_int>() {
        return Signal::try_from(number).ok();
    }
    let upper = name.trim().to_ascii_uppercase();
    let full = if upper.starts_with("SIG") { upper } else { format!("SIG{upper}") };
    full.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_have_long_and_short_names_and_numbers() {
        assert_eq!(signal_named("SIGUSR1"), Some(Signal::SIGUSR1));
        assert_eq!(signal_named("usr1"), Some(Signal::SIGUSR1));
        assert_eq!(signal_named(" 15 "), Some(Signal::SIGTERM));
        for bad in ["", "SIG", "0", "-1", "999", "SIGNOPE"] {
            assert_eq!(signal_named(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_backtrace_goes_to_the_descriptor() {
        let (reader, writer) = std::io::pipe().unwrap();
        let fd = std::os::fd::AsRawFd::as_raw_fd(&writer);
        assert!(execinfo::print(None, fd));
        drop(writer);
        let text = std::io::read_to_string(reader).unwrap();
        assert!(text.lines().count() > 2, "{text}");
    }

    #[test]
    fn the_program_knows_its_path() {
        assert!(exe_name().to_bytes().starts_with(b"/"));
    }

    #[test]
    fn long_text_is_cut_not_overrun() {
        let mut text = Short::default();
        for _ in 0..100 {
            write!(text, "0123456789").unwrap();
        }
        assert_eq!(text.1, 256);
    }
}
