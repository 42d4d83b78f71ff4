//! Signals: the set that is caught, their names and messages, and the handlers, which call the reactions that
//! `exit.rs` registers. Reactions run as signal handlers: no lock, and memory from the reserve of
//! os/reserve.rs only.
//!
//! # Safety
//! Dispositions are set to functions of this file or to the two standard ones. Signal sets and actions passed to
//! the kernel live until the call returns. Handlers touch atomics and call registered reactions only.
#![allow(unsafe_code)]

use super::process::{self, Line};
use super::reserve::without_malloc;
use crate::fatal::fatal;
use crate::sync::atomic::{AtomicUsize, Ordering};
use libc::{c_int, c_void};
use std::cell::UnsafeCell;
use std::mem::zeroed;
use std::ptr::{null, null_mut};
use std::sync::OnceLock;
use std::time::Duration;

/// A signal by name and number. `SIG` is not part of the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Signal(pub c_int);

const NAMES: [(&str, c_int); 30] = [
    ("HUP", libc::SIGHUP),
    ("INT", libc::SIGINT),
    ("QUIT", libc::SIGQUIT),
    ("ILL", libc::SIGILL),
    ("TRAP", libc::SIGTRAP),
    ("ABRT", libc::SIGABRT),
    ("BUS", libc::SIGBUS),
    ("FPE", libc::SIGFPE),
    ("KILL", libc::SIGKILL),
    ("USR1", libc::SIGUSR1),
    ("SEGV", libc::SIGSEGV),
    ("USR2", libc::SIGUSR2),
    ("PIPE", libc::SIGPIPE),
    ("ALRM", libc::SIGALRM),
    ("TERM", libc::SIGTERM),
    ("STKFLT", libc::SIGSTKFLT),
    ("CHLD", libc::SIGCHLD),
    ("CONT", libc::SIGCONT),
    ("STOP", libc::SIGSTOP),
    ("TSTP", libc::SIGTSTP),
    ("TTIN", libc::SIGTTIN),
    ("TTOU", libc::SIGTTOU),
    ("URG", libc::SIGURG),
    ("XCPU", libc::SIGXCPU),
    ("XFSZ", libc::SIGXFSZ),
    ("VTALRM", libc::SIGVTALRM),
    ("PROF", libc::SIGPROF),
    ("WINCH", libc::SIGWINCH),
    ("POLL", libc::SIGPOLL),
    ("SYS", libc::SIGSYS),
];

impl Signal {
    /// By name, with or without `SIG`, in any case, or by number.
    pub(crate) fn named(text: &str) -> Option<Signal> {
        let bare = match text.get(..3) {
            Some(start) if start.eq_ignore_ascii_case("SIG") => &text[3..],
            _ => text,
        };
        let known = NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(bare)).map(|&(_, number)| number);
        known.or_else(|| bare.parse().ok().filter(|number| (1..=64).contains(number))).map(Signal)
    }
}

impl std::fmt::Display for Signal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match NAMES.iter().find(|&&(_, number)| number == self.0) {
            Some((name, _)) => write!(f, "SIG{name}"),
            None => write!(f, "signal {}", self.0),
        }
    }
}

/// Program errors: reported, then the process dies of them.
pub(crate) const CRASHES: [c_int; 5] = [libc::SIGABRT, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGSEGV];

/// Requests to stop: reported, then handled as SIGQUIT.
pub(crate) const STOPS: [c_int; 4] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGPIPE];

/// The library's own signal: the state of the job has changed and has to be checked. One of the last real-time
/// signals, which no known program uses, but none of the last four: qemu-user has no signals of the host to play them by.
pub(crate) fn life() -> c_int {
    libc::SIGRTMAX() - 5
}

/// The library's second signal, to threads and processes of the job: a request to report their state.
pub(crate) fn question() -> c_int {
    libc::SIGRTMAX() - 4
}

static ASKED: OnceLock<fn(c_int, usize)> = OnceLock::new();

extern "C" fn was_asked(signal: c_int, _: *mut libc::siginfo_t, context: *mut c_void) {
    let Some(asked) = ASKED.get() else { return };
    // SAFETY: the kernel passes a ucontext to handlers with SA_SIGINFO.
    let context = unsafe { &*context.cast::<libc::ucontext_t>() };
    process::keeping_errno(|| without_malloc(|| asked(signal, interrupted_at(context))));
}

/// The address of the instruction at which the thread was interrupted.
fn interrupted_at(context: &libc::ucontext_t) -> usize {
    let machine = &context.uc_mcontext;
    #[cfg(target_arch = "x86_64")]
    let pc = machine.gregs[libc::REG_RIP as usize];
    #[cfg(target_arch = "aarch64")]
    let pc = machine.pc;
    #[cfg(target_arch = "riscv64")]
    let pc = machine.__gregs[libc::REG_PC];
    #[cfg(target_arch = "powerpc64")]
    let pc = {
        /// PT_NIP of the kernel's headers.
        const NEXT_INSTRUCTION: usize = 32;
        machine.gp_regs[NEXT_INSTRUCTION]
    };
    pc as usize
}

/// Installs a handler for `signal` that calls `asked` with the address at which the thread was interrupted. There is one
/// function for all signals.
pub(crate) fn on_question(signal: c_int, asked: fn(c_int, usize)) {
    let _ = ASKED.set(asked);
    handle(signal, was_asked);
}

/// Whether `signal` has its default action.
pub(crate) fn is_default(signal: c_int) -> bool {
    disposition(signal) == libc::SIG_DFL
}

/// The action on a signal. `crash` and `stop` get the number.
#[derive(Clone, Copy)]
pub(crate) struct Reactions {
    pub crash: fn(c_int),
    pub stop: fn(c_int),
    pub quit: fn(),
    pub life: fn(),
}

static REACTIONS: OnceLock<Reactions> = OnceLock::new();

/// The faulting address of the last SIGSEGV or SIGBUS.
static FAULT: AtomicUsize = AtomicUsize::new(0);

/// The faulting address of the program error that is being handled; 0 if unknown.
pub(crate) fn fault_address() -> usize {
    FAULT.load(Ordering::Relaxed)
}

extern "C" fn arrived(signal: c_int, info: *mut libc::siginfo_t, _: *mut c_void) {
    let Some(reactions) = REACTIONS.get() else { return };
    if matches!(signal, libc::SIGSEGV | libc::SIGBUS) && !info.is_null() {
        // SAFETY: the kernel's record, which contains the address for these signals; it lives until the handler returns.
        FAULT.store(unsafe { (*info).si_addr() }.addr(), Ordering::Relaxed);
    }
    let react = || match signal {
        libc::SIGQUIT => (reactions.quit)(),
        _ if signal == life() => (reactions.life)(),
        _ if CRASHES.contains(&signal) => (reactions.crash)(signal),
        _ => (reactions.stop)(signal),
    };
    process::keeping_errno(|| without_malloc(react));
}

/// The signals that `install` does not change.
#[derive(Default)]
pub(crate) struct Choice {
    pub leave_all: bool,
    pub leave: Vec<Signal>,
}

/// Catches this process's signals (and those of processes forked later). A handler that is already set stays,
/// as does an ignored SIGHUP (nohup) or SIGPIPE.
pub(crate) fn install(reactions: Reactions, choice: &Choice) {
    let _ = REACTIONS.set(reactions);
    catch(life());
    give_alternate_stack();
    for signal in CRASHES.into_iter().chain(STOPS).chain([libc::SIGQUIT]) {
        let set_by_client = match disposition(signal) {
            libc::SIG_DFL => false,
            libc::SIG_IGN => matches!(signal, libc::SIGHUP | libc::SIGPIPE),
            _ => true,
        };
        if !set_by_client && !choice.leave_all && !choice.leave.contains(&Signal(signal)) {
            catch(signal);
        }
    }
}

fn catch(signal: c_int) {
    handle(signal, arrived);
}

fn handle(signal: c_int, handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void)) {
    // SAFETY: a zeroed sigaction is valid (empty mask); the handler is ours.
    unsafe {
        let mut action: libc::sigaction = zeroed();
        action.sa_sigaction = handler as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART;
        if libc::sigaction(signal, &action, null_mut()) != 0 {
            let why = process::error_text(process::errno());
            fatal!("{} cannot be caught: sigaction: {why}", Signal(signal));
        }
    }
}

fn action(signal: c_int) -> libc::sigaction {
    // SAFETY: a zeroed sigaction is valid, and room for the result.
    unsafe {
        let mut action = zeroed();
        libc::sigaction(signal, null(), &mut action);
        action
    }
}

fn disposition(signal: c_int) -> libc::sighandler_t {
    action(signal).sa_sigaction
}

pub(crate) fn is_ignored(signal: c_int) -> bool {
    disposition(signal) == libc::SIG_IGN
}

fn set_plain(signal: c_int, to: libc::sighandler_t) {
    // SAFETY: a zeroed sigaction is valid; `to` is one of the two standard dispositions.
    unsafe {
        let mut action: libc::sigaction = zeroed();
        action.sa_sigaction = to;
        libc::sigaction(signal, &action, null_mut());
    }
}

pub(crate) fn ignore(signal: c_int) {
    set_plain(signal, libc::SIG_IGN);
}

pub(crate) fn set_default(signal: c_int) {
    set_plain(signal, libc::SIG_DFL);
}

#[repr(align(16))]
struct HandlerStack(UnsafeCell<[u8; HandlerStack::BYTES]>);

impl HandlerStack {
    const BYTES: usize = 64 << 10;
}

// SAFETY: its address is given to the kernel once; nothing else uses it.
unsafe impl Sync for HandlerStack {}

/// A stack for this thread's handlers, so that a stack overflow can still be reported. A smaller alternate stack is
/// replaced: Rust's runtime gives the main thread some 8 KiB, and an exit in a handler that is itself interrupted needs
/// more.
fn give_alternate_stack() {
    static STACK: HandlerStack = HandlerStack(UnsafeCell::new([0; HandlerStack::BYTES]));
    // SAFETY: the kernel fills `now`; the stack is a static, and `install` is called once.
    unsafe {
        let mut now: libc::stack_t = zeroed();
        let known = libc::sigaltstack(null(), &mut now) == 0;
        if known && (now.ss_flags & libc::SS_DISABLE != 0 || now.ss_size < HandlerStack::BYTES) {
            let stack = libc::stack_t { ss_sp: STACK.0.get().cast(), ss_flags: 0, ss_size: HandlerStack::BYTES };
            libc::sigaltstack(&stack, null_mut());
        }
    }
}

/// A set of signals that a thread blocks.
#[derive(Clone, Copy)]
pub struct Mask(libc::sigset_t);

impl Mask {
    pub fn of(signals: &[c_int]) -> Mask {
        // SAFETY: sigset functions on a set that lives here.
        unsafe {
            let mut set = zeroed();
            libc::sigemptyset(&mut set);
            for &signal in signals {
                libc::sigaddset(&mut set, signal);
            }
            Mask(set)
        }
    }

    /// All signals but these.
    pub fn all_but(signals: &[c_int]) -> Mask {
        // SAFETY: sigset functions on a set that lives here.
        unsafe {
            let mut set = zeroed();
            libc::sigfillset(&mut set);
            for &signal in signals {
                libc::sigdelset(&mut set, signal);
            }
            Mask(set)
        }
    }

    /// Blocks all signals in this thread and returns the mask before.
    pub fn block_all() -> Mask {
        // SAFETY: sigset functions on sets that live here.
        unsafe {
            let (mut all, mut before) = (zeroed(), zeroed());
            libc::sigfillset(&mut all);
            let failed = libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before);
            if failed != 0 {
                fatal!("signals cannot be blocked: sigprocmask: {}", process::error_text(failed));
            }
            Mask(before)
        }
    }

    /// `call`'s result; threads that it starts block all signals for ever, so that handlers run on threads of the client.
    pub fn all_blocked<T>(call: impl FnOnce() -> T) -> T {
        let before = Mask::block_all();
        let result = call();
        before.restore();
        result
    }

    /// The thread's signal mask.
    pub fn now() -> Mask {
        // SAFETY: a set that lives here; nothing changes.
        unsafe {
            let mut now = zeroed();
            libc::pthread_sigmask(libc::SIG_BLOCK, null(), &mut now);
            Mask(now)
        }
    }

    /// Sets the thread's signal mask to this set.
    pub fn restore(&self) {
        // SAFETY: a valid set.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &self.0, null_mut()) };
    }

    /// Blocks these signals, too.
    pub fn block(&self) {
        // SAFETY: a valid set.
        unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &self.0, null_mut()) };
    }

    pub fn unblock(&self) {
        // SAFETY: a valid set.
        unsafe { libc::pthread_sigmask(libc::SIG_UNBLOCK, &self.0, null_mut()) };
    }

    /// Whether this thread blocks `signal` now.
    pub fn is_blocked(signal: c_int) -> bool {
        // SAFETY: a valid set.
        unsafe { libc::sigismember(&Mask::now().0, signal) == 1 }
    }

    /// Takes a pending signal of this set, all of which the thread blocks; sleeps until there is one, or for
    /// `time`.
    pub fn wait(&self, time: Option<Duration>) -> Option<c_int> {
        let time = time.map(|t| libc::timespec { tv_sec: t.as_secs() as i64, tv_nsec: i64::from(t.subsec_nanos()) });
        // SAFETY: a valid set; no siginfo is requested; the time lives here.
        let got = unsafe { libc::sigtimedwait(&self.0, null_mut(), time.as_ref().map_or(null(), |t| t)) };
        if got == -1 && !matches!(process::errno(), libc::EAGAIN | libc::EINTR) {
            // A filter forbids the call. The caller checks its conditions in a loop; the pause keeps it from spinning.
            process::nap(Duration::from_millis(10));
        }
        (got > 0).then_some(got)
    }

    /// Sleeps until there is a signal of this set, all of which the thread blocks, and takes it. The second value: whether
    /// the kernel sent it, as it does for a terminal. `None` if something else woke the thread.
    pub fn wait_for_one(&self) -> Option<(c_int, bool)> {
        // SAFETY: a valid set; a zeroed record is valid, and lives here.
        unsafe {
            let mut info: libc::siginfo_t = zeroed();
            let got = libc::sigwaitinfo(&self.0, &mut info);
            (got > 0).then_some((got, info.si_code == libc::SI_KERNEL))
        }
    }
}

/// The signals of a set, all of which the thread blocks. A file tells when there are some; without one (a filter may forbid
/// signalfd), they have to be asked for every [`AwaitedSignals::PERIOD`].
pub(crate) struct AwaitedSignals {
    of: Mask,
    file: Option<std::os::fd::OwnedFd>,
}

impl AwaitedSignals {
    pub(crate) const PERIOD: Duration = Duration::from_millis(50);

    pub(crate) fn new(of: &Mask) -> AwaitedSignals {
        use std::os::fd::FromRawFd;
        // SAFETY: a valid set; the file that comes back is ours.
        let file = unsafe {
            match libc::signalfd(-1, &of.0, libc::SFD_NONBLOCK | libc::SFD_CLOEXEC) {
                -1 => None,
                fd => Some(std::os::fd::OwnedFd::from_raw_fd(fd)),
            }
        };
        AwaitedSignals { of: *of, file }
    }

    /// Can be read once a signal is pending.
    pub(crate) fn file(&self) -> Option<std::os::fd::BorrowedFd<'_>> {
        self.file.as_ref().map(std::os::fd::AsFd::as_fd)
    }

    /// Takes a pending signal.
    pub(crate) fn take(&self) -> Option<c_int> {
        use std::os::fd::AsRawFd;
        let Some(file) = &self.file else { return self.of.wait(Some(Duration::ZERO)) };
        // SAFETY: a zeroed record is valid, and the kernel fills as many bytes as it has.
        unsafe {
            let mut info: libc::signalfd_siginfo = zeroed();
            let size = size_of::<libc::signalfd_siginfo>();
            let got = libc::read(file.as_raw_fd(), (&raw mut info).cast(), size);
            (got == size as isize).then_some(info.ssi_signo as c_int)
        }
    }
}

/// The dispositions of signals that a process changes for itself and restores for its children.
pub(crate) struct Saved<const N: usize>([(c_int, libc::sigaction); N]);

impl<const N: usize> Saved<N> {
    /// Sets `signals` to the default.
    pub(crate) fn and_default(signals: [c_int; N]) -> Saved<N> {
        Saved(signals.map(|signal| {
            let before = action(signal);
            set_default(signal);
            (signal, before)
        }))
    }

    pub(crate) fn restore(&self) {
        for (signal, action) in &self.0 {
            // SAFETY: an action that the kernel gave us.
            unsafe { libc::sigaction(*signal, action, null_mut()) };
        }
    }
}

/// Raises `signal` in this thread; in the process, if this thread blocks it.
pub(crate) fn raise(signal: c_int) {
    if Mask::is_blocked(signal) {
        process::kill(process::pid(), signal);
    } else {
        // SAFETY: an integer.
        unsafe { libc::raise(signal) };
    }
}

/// Dies of `signal`, as if it had never been caught.
pub(crate) fn die_of(signal: c_int) -> ! {
    set_default(signal);
    Mask::of(&[signal]).unblock();
    raise(signal);
    // Not reached unless `signal` does not kill.
    process::end_now(128 + signal)
}

/// The line that reports a caught signal.
pub(crate) fn announce(rank: u32, signal: c_int) {
    let kind = if CRASHES.contains(&signal) { "a fatal signal" } else { "a signal" };
    Line::of(format_args!("*** Caught {kind} (proc {rank}): {}({signal})", Signal(signal))).print();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_is_known_with_and_without_its_prefix() {
        for text in ["SIGTERM", "term", "TERM", "sigTERM", "15"] {
            assert_eq!(Signal::named(text), Some(Signal(libc::SIGTERM)), "{text}");
        }
        for text in ["", "SIG", "BOGUS", "0", "65", "-1"] {
            assert_eq!(Signal::named(text), None, "{text}");
        }
    }

    #[test]
    fn a_signal_prints_as_its_name() {
        assert_eq!(Signal(libc::SIGSEGV).to_string(), "SIGSEGV");
        assert_eq!(Signal(50).to_string(), "signal 50");
    }
}
