//! Processes that are watched by a process that need not be their parent: by a pidfd, or, if the
//! kernel does not have them or a sandbox forbids them, by number and start time. Nothing here allocates.
//!
//! # Safety
//! Every call passes values or buffers that live until it returns.
#![allow(unsafe_code)]

use super::children::End;
use super::files::read_small;
use super::process::{self, Line, errno};
use libc::{c_int, c_void, pid_t};
use std::os::fd::BorrowedFd;
use std::ptr::null;

/// A handle on a process that survives the reuse of its number; none if the kernel does not have them.
pub(crate) struct Pidfd(c_int);

/// The kernel's `struct pidfd_info`, as of its first version.
#[repr(C)]
#[derive(Default)]
struct PidfdInfo {
    mask: u64,
    cgroup_id: u64,
    ids: [u32; 11],
    exit_code: i32,
}

const _: () = assert!(size_of::<PidfdInfo>() == 64);

impl Pidfd {
    pub(crate) fn open(pid: pid_t) -> Option<Pidfd> {
        // SAFETY: integers.
        let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) };
        (fd >= 0).then_some(Pidfd(fd as c_int))
    }

    pub(crate) fn raw(&self) -> c_int {
        self.0
    }

    /// The same, to wait with.
    pub(crate) fn as_file(&self) -> BorrowedFd<'_> {
        // SAFETY: open as long as `self` lives.
        unsafe { BorrowedFd::borrow_raw(self.0) }
    }

    pub(crate) fn kill(&self, signal: c_int) -> bool {
        // SAFETY: integers and no siginfo.
        unsafe { libc::syscall(libc::SYS_pidfd_send_signal, self.0, signal, null::<c_void>(), 0) == 0 }
    }

    /// How the process ended; known from kernel 6.15 on, after its parent has reaped it.
    pub(crate) fn ended(&self) -> Option<End> {
        const PIDFD_INFO_EXIT: u64 = 1 << 3;
        // _IOWR(0xff, 11, struct pidfd_info)
        const PIDFD_GET_INFO: libc::c_ulong =
            3 << 30 | (size_of::<PidfdInfo>() as libc::c_ulong) << 16 | 0xff << 8 | 11;
        let mut info = PidfdInfo { mask: PIDFD_INFO_EXIT, ..PidfdInfo::default() };
        // SAFETY: the request number contains the size of `info`, which lives here.
        let done = unsafe { libc::ioctl(self.0, PIDFD_GET_INFO, &raw mut info) };
        (done == 0 && info.mask & PIDFD_INFO_EXIT != 0).then(|| End::of(info.exit_code))
    }

    /// Whether the process has ended, with all its threads.
    fn is_readable(&self) -> bool {
        process::is_readable(self.0)
    }
}

/// The fields of /proc/PID/stat that are used here.
struct Stat {
    /// All its threads have ended; its parent has not reaped it.
    zombie: bool,
    /// Ticks from the machine's start to the process's.
    born: u64,
    /// 0 if the reader is not permitted to know it; none if the text ends before it, as an emulator's may.
    status: Option<c_int>,
}

fn stat(pid: pid_t) -> Option<Stat> {
    let mut buf = [0; 1024];
    stat_of(read_small(Line::of(format_args!("/proc/{pid}/stat\0")).path(), &mut buf)?)
}

fn stat_of(text: &str) -> Option<Stat> {
    const THREADS: usize = 20;
    const BORN: usize = 22;
    const STATUS: usize = 52;
    let (_, fields) = text.rsplit_once(") ")?;
    // The first one is field 3.
    let field = |number: usize| fields.split_ascii_whitespace().nth(number - 3);
    // The first thread is a zombie while others run on.
    let zombie = matches!(field(3)?, "Z" | "X") && field(THREADS)?.parse::<u32>().ok()? <= 1;
    Some(Stat { zombie, born: field(BORN)?.parse().ok()?, status: field(STATUS).map(|text| text.parse().unwrap_or(0)) })
}

/// How `pid` ended, if it is still there as a zombie.
pub(crate) fn zombie_end(pid: pid_t) -> Option<End> {
    stat(pid).filter(|stat| stat.zombie)?.status.map(End::of)
}

/// A process that is watched until it ends.
pub(crate) struct Watched {
    pub pid: pid_t,
    by: By,
}

enum By {
    Handle(Pidfd),
    /// Its start time, if /proc has it.
    Number(Option<u64>),
}

impl Watched {
    /// The process that has the number `pid` now.
    pub(crate) fn open(pid: pid_t) -> Watched {
        Pidfd::open(pid).map_or_else(|| Watched::by_number(pid), |handle| Watched { pid, by: By::Handle(handle) })
    }

    /// As `open`, without a handle.
    pub(crate) fn by_number(pid: pid_t) -> Watched {
        Watched { pid, by: By::Number(stat(pid).map(|stat| stat.born)) }
    }

    /// A descriptor that can be read once the process has ended. `None`: the process has to be checked from time to time.
    pub(crate) fn raw(&self) -> Option<c_int> {
        match &self.by {
            By::Handle(handle) => Some(handle.raw()),
            By::Number(_) => None,
        }
    }

    /// The same, to wait with.
    pub(crate) fn as_file(&self) -> Option<BorrowedFd<'_>> {
        // SAFETY: open until `self` is dropped.
        self.raw().map(|fd| unsafe { BorrowedFd::borrow_raw(fd) })
    }

    /// Whether the process has ended, with all its threads.
    pub(crate) fn has_ended(&self) -> bool {
        match &self.by {
            By::Handle(handle) => handle.is_readable(),
            By::Number(born) => match stat(self.pid) {
                Some(stat) => stat.zombie || born.is_some_and(|born| born != stat.born),
                // No such process, or no /proc.
                None => !process::kill(self.pid, 0) && errno() == libc::ESRCH,
            },
        }
    }

    /// Sends `signal`; false if the process has ended.
    pub(crate) fn kill(&self, signal: c_int) -> bool {
        match &self.by {
            By::Handle(handle) if handle.kill(signal) => true,
            // A filter may forbid signals by handle.
            _ => !self.has_ended() && process::kill(self.pid, signal),
        }
    }

    /// How it ended, as far as a process that is not its parent can determine that.
    pub(crate) fn end(&self) -> Option<End> {
        let by_handle = || match &self.by {
            By::Handle(handle) => handle.ended(),
            By::Number(_) => None,
        };
        let zombie = || zombie_end(self.pid).filter(|_| self.has_ended());
        // Its parent may reap it between the first two checks; then the pidfd has its status.
        by_handle().or_else(zombie).or_else(by_handle)
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        if let Some(fd) = self.raw() {
            process::close(fd);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Child, Command};

    fn both(child: &Child) -> [Watched; 2] {
        let pid = child.id() as pid_t;
        [Watched::open(pid), Watched::by_number(pid)]
    }

    fn wait_for(what: impl Fn() -> bool) {
        while !what() {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }

    #[test]
    fn a_process_is_watched_until_it_ends_with_or_without_a_handle() {
        let mut child = Command::new("sleep").arg("600").spawn().unwrap();
        let watched = both(&child);
        assert!(watched.iter().all(|watched| !watched.has_ended() && watched.end().is_none()));
        assert!(watched[1].kill(libc::SIGTERM));
        for watched in &watched {
            wait_for(|| watched.has_ended());
            assert_eq!(watched.end(), Some(End::Killed(libc::SIGTERM)), "a zombie tells how it ended");
        }
        child.wait().unwrap();
        assert!(watched.iter().all(|watched| watched.has_ended() && !watched.kill(libc::SIGTERM)));
        assert_eq!(watched[1].end(), None, "nobody but its parent knows");
    }

    #[test]
    fn a_state_that_ends_early_tells_all_but_the_status() {
        let text = |state: &str| format!("7 (a) b) {state} 1{} 1 0 4711{}", " 0".repeat(15), " 0".repeat(22));
        let (runs, zombie) = (stat_of(&text("R")).unwrap(), stat_of(&text("Z")).unwrap());
        assert_eq!((runs.zombie, runs.born, runs.status), (false, 4711, None));
        assert!(zombie.zombie);
        assert_eq!(stat_of(&format!("{}{} 9", text("Z"), " 0".repeat(7))).unwrap().status, Some(9));
        assert!(stat_of("7 (a) R 1 2").is_none());
    }

    #[test]
    fn a_number_that_another_process_has_now_is_not_the_one_that_was_watched() {
        let me = process::pid();
        assert!(!Watched::by_number(me).has_ended());
        let earlier = Watched { pid: me, by: By::Number(Some(1)) };
        assert!(earlier.has_ended() && !earlier.kill(0));
    }
}
