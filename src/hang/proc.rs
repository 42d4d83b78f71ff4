//! The kernel's information on another process of this machine and its threads.

use std::fs;

use crate::os::files;
use crate::os::process::Line;

/// A thread according to /proc.
pub(crate) struct Thread {
    pub tid: i32,
    pub name: String,
    pub state: u8,
    /// Processor time that it has used, in the kernel's ticks (10 ms).
    pub ticks: u64,
}

/// A system call in which a thread sleeps: its number, and the thread's stack pointer and program counter.
pub(crate) struct SystemCall {
    pub number: i64,
    pub sp: u64,
    pub pc: u64,
}

/// The threads of `pid`, the first one first.
pub(crate) fn threads(pid: i32) -> Vec<Thread> {
    let mut tids = files::numbers_in(Line::of(format_args!("/proc/{pid}/task\0")).path());
    tids.sort_unstable();
    tids.into_iter().filter_map(|tid| thread(pid, tid)).collect()
}

fn thread(pid: i32, tid: i32) -> Option<Thread> {
    let text = fs::read_to_string(format!("/proc/{pid}/task/{tid}/stat")).ok()?;
    let (head, fields) = text.rsplit_once(") ")?;
    let (_, name) = head.split_once('(')?;
    let mut times = fields.split_ascii_whitespace().skip(11).map_while(|field| field.parse::<u64>().ok());
    let ticks = times.next()? + times.next()?;
    Some(Thread { tid, name: name.to_string(), state: *fields.as_bytes().first()?, ticks })
}

/// Whether threads of this name are this library's.
pub(crate) fn is_own_name(name: &str) -> bool {
    name.starts_with("gasnet-")
}

/// The system call in which a thread sleeps, if the kernel shows it.
pub(crate) fn call(pid: i32, tid: i32) -> Option<SystemCall> {
    let text = fs::read_to_string(format!("/proc/{pid}/task/{tid}/syscall")).ok()?;
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let hex = |word: &str| u64::from_str_radix(word.trim_start_matches("0x"), 16).ok();
    let [first, .., sp, pc] = words[..] else { return None };
    Some(SystemCall { number: first.parse().ok()?, sp: hex(sp)?, pc: hex(pc)? })
}

/// The name of a thread's state.
pub(crate) fn state_name(state: u8) -> &'static str {
    match state {
        b'R' => "running",
        b'S' => "asleep",
        b'D' => "asleep in the kernel, not to be woken",
        b'T' => "stopped",
        b't' => "stopped by a debugger",
        b'Z' | b'X' => "ended",
        b'I' => "idle",
        _ => "in an unknown state",
    }
}

/// Whether any signal handler, regardless of SA_RESTART, interrupts that system call: sleeps and waits, where a
/// client would notice it.
pub(crate) fn is_ended_by_handlers(number: i64) -> bool {
    [
        libc::SYS_nanosleep,
        libc::SYS_clock_nanosleep,
        libc::SYS_ppoll,
        libc::SYS_pselect6,
        libc::SYS_epoll_pwait,
        libc::SYS_epoll_pwait2,
        libc::SYS_rt_sigsuspend,
        libc::SYS_rt_sigtimedwait,
        libc::SYS_io_getevents,
    ]
    .contains(&number)
        || SYSTEM_V_WAITS.contains(&number)
        || OLD_SLEEPS.contains(&number)
}

/// Waits for semaphores and messages of System V. On powerpc64 `ipc` is any of these, or a call that does not sleep; semtimedop, msgsnd and msgrcv
/// have numbers of their own, too, since Linux 5.1, which the crate lacks.
#[cfg(not(target_arch = "powerpc64"))]
const SYSTEM_V_WAITS: &[i64] = &[libc::SYS_semop, libc::SYS_semtimedop, libc::SYS_msgrcv, libc::SYS_msgsnd];
#[cfg(target_arch = "powerpc64")]
const SYSTEM_V_WAITS: &[i64] = &[libc::SYS_ipc, 392, 400, 401];

/// Sleeps that newer architectures do not have: the C library uses others there.
#[cfg(any(target_arch = "x86_64", target_arch = "powerpc64"))]
const OLD_SLEEPS: &[i64] = &[libc::SYS_poll, libc::SYS_select, libc::SYS_epoll_wait, libc::SYS_pause];
#[cfg(not(any(target_arch = "x86_64", target_arch = "powerpc64")))]
const OLD_SLEEPS: &[i64] = &[];
