//! Ends of processes: reaping children, and the kernel's information on deaths and limits. Nothing here
//! allocates.
//!
//! # Safety
//! Every call passes values or buffers that live until it returns.
#![allow(unsafe_code)]

use super::files::read_small;
use super::process::{Line, errno};
use libc::{c_int, pid_t};
use std::fmt::Write as _;

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Exited(c_int),
    Killed(c_int),
}

impl End {
    pub(super) fn of(status: c_int) -> End {
        if libc::WIFSIGNALED(status) {
            End::Killed(libc::WTERMSIG(status))
        } else {
            End::Exited(libc::WEXITSTATUS(status))
        }
    }

    /// The exit status as a shell shows it.
    pub(crate) fn code(self) -> c_int {
        match self {
            End::Exited(code) => code,
            End::Killed(signal) => 128 + signal,
        }
    }
}

/// A child that ended, if any has.
pub(crate) fn reap_any() -> Option<(pid_t, End)> {
    reap(-1, libc::WNOHANG).ok().flatten()
}

/// How the child `pid` ended; None if it has not ended. `Err`: it is not, or no longer, a child.
pub(crate) fn reap_one(pid: pid_t, wait: bool) -> Result<Option<End>, c_int> {
    Ok(reap(pid, if wait { 0 } else { libc::WNOHANG })?.map(|(_, end)| end))
}

/// Whether this process may query children that have ended without reaping them, which some sandboxes forbid.
pub(crate) fn may_look() -> bool {
    // No process is its own child, so ECHILD means that the call is allowed.
    wait_by_id(libc::P_PID, super::process::pid(), libc::WNOHANG | libc::WNOWAIT) == Err(libc::ECHILD)
}

/// The error number if a sandbox forbids this process to wait for children.
pub(crate) fn why_not_waited() -> Option<c_int> {
    reap(super::process::pid(), libc::WNOHANG).err().filter(|&errno| errno != libc::ECHILD)
}

/// A child that has ended; it is not reaped.
pub(crate) fn ended_child() -> Option<pid_t> {
    ended(libc::P_ALL, 0)
}

/// Whether the child `pid` has ended; it is not reaped.
pub(crate) fn has_ended(pid: pid_t) -> bool {
    ended(libc::P_PID, pid).is_some()
}

fn ended(whose: libc::idtype_t, pid: pid_t) -> Option<pid_t> {
    wait_by_id(whose, pid, libc::WNOHANG | libc::WNOWAIT).ok().flatten().map(|(pid, _)| pid)
}

/// By wait4, or, where that is forbidden, by waitid. Fails with an error number.
fn reap(pid: pid_t, flags: c_int) -> Result<Option<(pid_t, End)>, c_int> {
    let mut status = 0;
    loop {
        // SAFETY: `status` lives here.
        match unsafe { libc::waitpid(pid, &mut status, flags) } {
            0 => return Ok(None),
            -1 if errno() == libc::EINTR => {}
            -1 if errno() == libc::ECHILD => return Err(libc::ECHILD),
            -1 => return wait_by_id(if pid > 0 { libc::P_PID } else { libc::P_ALL }, pid.max(0), flags),
            pid => return Ok(Some((pid, End::of(status)))),
        }
    }
}

fn wait_by_id(whose: libc::idtype_t, pid: pid_t, flags: c_int) -> Result<Option<(pid_t, End)>, c_int> {
    loop {
        // SAFETY: a zeroed record is valid, and lives here; the kernel fills the fields about a child, or none.
        unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            match libc::waitid(whose, pid as libc::id_t, &mut info, libc::WEXITED | flags) {
                0 if info.si_pid() == 0 => return Ok(None),
                0 => {
                    let (is_exit, status) = (info.si_code == libc::CLD_EXITED, info.si_status());
                    return Ok(Some((info.si_pid(), if is_exit { End::Exited(status) } else { End::Killed(status) })));
                }
                _ if errno() == libc::EINTR => {}
                _ => return Err(errno()),
            }
        }
    }
}

/// The number of processes that the kernel has killed on this machine for lack of memory. Allocates nothing.
pub(crate) fn out_of_memory_kills() -> Option<u64> {
    let mut buf = [0; 16384];
    let text = read_small(c"/proc/vmstat", &mut buf)?;
    text.lines().find_map(|line| line.strip_prefix("oom_kill "))?.trim().parse().ok()
}

/// The limits that make fork fail with EAGAIN, for an error message.
pub(crate) fn process_limits() -> Line {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` lives here.
    unsafe { libc::getrlimit(libc::RLIMIT_NPROC, &mut limit) };
    let (mut group, mut at, mut a, mut b) = ([0; 512], [0; 64], [0; 64], [0; 64]);
    let groups = read_small(c"/proc/self/cgroup", &mut group).unwrap_or("");
    // The unified hierarchy, or a mounted one for pids alone.
    let path = groups.lines().find_map(|line| match line.split_once(":pids:") {
        Some((_, path)) => Some(Line::of(format_args!("/sys/fs/cgroup/pids{path}/pids.max\0"))),
        None => line.strip_prefix("0::").map(|path| Line::of(format_args!("/sys/fs/cgroup{path}/pids.max\0"))),
    });
    let cgroup_max = path.and_then(|path| read_small(path.path(), &mut at));
    let mut line = Line::empty();
    let _ = match limit.rlim_cur {
        libc::RLIM_INFINITY => write!(line, "user's processes (ulimit -u) unlimited"),
        max => write!(line, "user's processes (ulimit -u) {max}"),
    };
    for (what, text) in [
        ("pids.max of the control group", cgroup_max),
        ("kernel.pid_max", read_small(c"/proc/sys/kernel/pid_max", &mut a)),
        ("kernel.threads-max", read_small(c"/proc/sys/kernel/threads-max", &mut b)),
    ] {
        if let Some(text) = text {
            let _ = write!(line, ", {what} {}", text.trim());
        }
    }
    line
}
