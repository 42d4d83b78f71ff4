//! Processes as this library needs them: forking, watching, naming, ending. Thin and safe to call; whatever is
//! called after `fork` or from a signal handler neither allocates nor takes a lock, unless it says so.
//!
//! # Safety
//! Every call passes values or buffers that live until it returns. `fork` duplicates the calling thread only,
//! so the child uses nothing that another thread may have held; glibc makes its own locks usable again.
#![allow(unsafe_code)]

use crate::sync::atomic::{AtomicI32, AtomicPtr, AtomicU32, Ordering};
use libc::{c_int, c_long, c_void, pid_t};
use std::ffi::{CStr, CString};
use std::fmt::{self, Write as _};
use std::mem::zeroed;
use std::ptr::{null, null_mut};
use std::sync::OnceLock;
use std::time::Duration;

/// A line for stderr in a fixed buffer: what is too long is cut. Usable where nothing may be allocated.
pub struct Line {
    buf: [u8; 400],
    len: usize,
}

impl Line {
    pub fn of(text: fmt::Arguments<'_>) -> Line {
        let mut line = Line { buf: [0; 400], len: 0 };
        // An error is impossible: `write_str` cuts instead.
        let _ = line.write_fmt(text);
        line.len = line.len.min(line.buf.len() - 1);
        line.buf[line.len] = b'\n';
        line.len += 1;
        line
    }

    /// Writes the line in one go. A stderr that is gone, or a pipe that nobody reads, is not waited for.
    pub fn print(&self) {
        if is_writable(2, 100) {
            // SAFETY: a buffer of `len` bytes, which lives here.
            unsafe { libc::write(2, self.buf.as_ptr().cast(), self.len) };
        }
    }
}

/// Whether a short write to `fd` will not block; waits so long for that.
pub fn is_writable(fd: c_int, wait_ms: c_int) -> bool {
    let mut fd = libc::pollfd { fd, events: libc::POLLOUT, revents: 0 };
    // SAFETY: one pollfd, which lives here.
    unsafe { libc::poll(&mut fd, 1, wait_ms) };
    fd.revents & libc::POLLOUT != 0
}

impl fmt::Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = self.buf.len() - 1 - self.len;
        let text = &text.as_bytes()[..text.len().min(room)];
        self.buf[self.len..self.len + text.len()].copy_from_slice(text);
        self.len += text.len();
        Ok(())
    }
}

pub fn errno() -> c_int {
    // SAFETY: the thread's own errno.
    unsafe { *libc::__errno_location() }
}

/// Runs `call` and leaves errno as it was, as a signal handler must.
pub fn keeping_errno(call: impl FnOnce()) {
    let before = errno();
    call();
    // SAFETY: the thread's own errno.
    unsafe { *libc::__errno_location() = before };
}

pub enum Forked {
    Parent(pid_t),
    Child,
}

pub fn fork() -> Result<Forked, c_int> {
    // SAFETY: see the module.
    match unsafe { libc::fork() } {
        -1 => Err(errno()),
        0 => Ok(Forked::Child),
        pid => Ok(Forked::Parent(pid)),
    }
}

pub fn pid() -> pid_t {
    // SAFETY: no arguments.
    unsafe { libc::getpid() }
}

pub fn parent() -> pid_t {
    // SAFETY: no arguments.
    unsafe { libc::getppid() }
}

pub fn thread_id() -> pid_t {
    // SAFETY: no arguments.
    unsafe { libc::gettid() }
}

/// Ends this process at once, without running anything of the client's.
#[allow(clippy::disallowed_methods)] // the one place that exit.rs reaches it by
pub fn end_now(code: c_int) -> ! {
    // SAFETY: no arguments but the code.
    unsafe { libc::_exit(code) }
}

/// Gives the core to somebody else for about so long.
pub fn nap(time: Duration) {
    let time = timespec(time);
    // SAFETY: `time` lives here; the remainder is not asked for.
    unsafe { libc::nanosleep(&time, null_mut()) };
}

fn timespec(time: Duration) -> libc::timespec {
    libc::timespec { tv_sec: time.as_secs() as i64, tv_nsec: i64::from(time.subsec_nanos()) }
}

/// Asks for `signal` when the parent (its forking thread) dies; 0 asks for none.
pub fn signal_when_parent_dies(signal: c_int) {
    // SAFETY: prctl with an integer.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, signal as libc::c_ulong, 0, 0, 0) };
}

pub fn set_name(name: &CStr) {
    // SAFETY: prctl reads at most 16 bytes of a terminated string.
    unsafe { libc::prctl(libc::PR_SET_NAME, name.as_ptr(), 0, 0, 0) };
}

/// Sends `signal`; false if there is no such process.
pub fn kill(pid: pid_t, signal: c_int) -> bool {
    // A pid of 0 or less would mean a group.
    // SAFETY: integers.
    pid > 0 && unsafe { libc::kill(pid, signal) } == 0
}

/// Lets stopped processes run on that are in the process group of `member`.
pub fn wake_group(member: pid_t) {
    // SAFETY: integers.
    unsafe {
        let group = libc::getpgid(member);
        if group > 1 {
            libc::kill(-group, libc::SIGCONT);
        }
    }
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Exited(c_int),
    Killed(c_int),
}

impl End {
    fn of(status: c_int) -> End {
        if libc::WIFSIGNALED(status) {
            End::Killed(libc::WTERMSIG(status))
        } else {
            End::Exited(libc::WEXITSTATUS(status))
        }
    }

    /// What a shell would show.
    pub fn code(self) -> c_int {
        match self {
            End::Exited(code) => code,
            End::Killed(signal) => 128 + signal,
        }
    }
}

/// A child that ended, if any has.
pub fn reap_any() -> Option<(pid_t, End)> {
    reap(-1, libc::WNOHANG).ok().flatten()
}

/// Whether and how the child `pid` ended. `Err`: it is no child (any more).
pub(crate) fn reap_one(pid: pid_t, wait: bool) -> Result<Option<End>, ()> {
    Ok(reap(pid, if wait { 0 } else { libc::WNOHANG })?.map(|(_, end)| end))
}

fn reap(pid: pid_t, flags: c_int) -> Result<Option<(pid_t, End)>, ()> {
    let mut status = 0;
    loop {
        // SAFETY: `status` lives here.
        match unsafe { libc::waitpid(pid, &mut status, flags) } {
            0 => return Ok(None),
            -1 if errno() == libc::EINTR => {}
            -1 => return Err(()),
            pid => return Ok(Some((pid, End::of(status)))),
        }
    }
}

/// A handle on a process that survives the reuse of its number; none where the kernel has no such thing.
pub struct Pidfd(c_int);

/// The kernel's `struct pidfd_info`, as of its first version.
#[repr(C)]
#[derive(Default)]
struct PidfdInfo {
    mask: u64,
    cgroup_id: u64,
    ids: [u32; 11],
    exit_code: i32,
}

impl Pidfd {
    pub fn open(pid: pid_t) -> Option<Pidfd> {
        // SAFETY: integers.
        let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) };
        (fd >= 0).then_some(Pidfd(fd as c_int))
    }

    pub fn raw(&self) -> c_int {
        self.0
    }

    pub fn kill(&self, signal: c_int) -> bool {
        // SAFETY: integers and no siginfo.
        unsafe { libc::syscall(libc::SYS_pidfd_send_signal, self.0, signal, null::<c_void>(), 0) == 0 }
    }

    /// How the process ended, which a kernel from 6.15 on tells once its parent has collected it.
    pub fn ended(&self) -> Option<End> {
        const PIDFD_INFO_EXIT: u64 = 1 << 3;
        // _IOWR(0xff, 11, struct pidfd_info)
        const PIDFD_GET_INFO: libc::c_ulong =
            3 << 30 | (size_of::<PidfdInfo>() as libc::c_ulong) << 16 | 0xff << 8 | 11;
        let mut info = PidfdInfo { mask: PIDFD_INFO_EXIT, ..PidfdInfo::default() };
        // SAFETY: the request number says the size of `info`, which lives here.
        let done = unsafe { libc::ioctl(self.0, PIDFD_GET_INFO, &raw mut info) };
        (done == 0 && info.mask & PIDFD_INFO_EXIT != 0).then(|| End::of(info.exit_code))
    }
}

/// How `pid` ended, if it is still there as a zombie.
pub fn zombie_end(pid: pid_t) -> Option<End> {
    let mut buf = [0; 1024];
    let text = read_file(Line::of(format_args!("/proc/{pid}/stat\0")).path(), &mut buf)?;
    let (_, fields) = text.rsplit_once(") ")?;
    let mut fields = fields.split_ascii_whitespace();
    // Field 3 is the state, field 52 the exit code.
    (fields.next()? == "Z").then_some(())?;
    Some(End::of(fields.nth(48)?.parse().ok()?))
}

impl Line {
    fn path(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.buf).unwrap_or(c"")
    }
}

/// The start of a small text file.
fn read_file<'a>(path: &CStr, buf: &'a mut [u8]) -> Option<&'a str> {
    // SAFETY: a terminated path, and a buffer with its length.
    unsafe {
        let fd = libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
        if fd < 0 {
            return None;
        }
        let mut len = 0;
        loop {
            let got = libc::read(fd, buf[len..].as_mut_ptr().cast(), buf.len() - len);
            if got <= 0 {
                break;
            }
            len += got as usize;
        }
        libc::close(fd);
        str::from_utf8(&buf[..len]).ok()
    }
}

/// How many processes the kernel has killed on this machine for want of memory. Allocates nothing.
pub fn out_of_memory_kills() -> Option<u64> {
    let mut buf = [0; 16384];
    let text = read_file(c"/proc/vmstat", &mut buf)?;
    text.lines().find_map(|line| line.strip_prefix("oom_kill "))?.trim().parse().ok()
}

/// The limits that make fork fail with EAGAIN, for an error message.
pub fn process_limits() -> Line {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` lives here.
    unsafe { libc::getrlimit(libc::RLIMIT_NPROC, &mut limit) };
    let (mut group, mut at, mut a, mut b) = ([0; 512], [0; 64], [0; 64], [0; 64]);
    let groups = read_file(c"/proc/self/cgroup", &mut group).unwrap_or("");
    // The unified hierarchy, or a mounted one for pids alone.
    let path = groups.lines().find_map(|line| match line.split_once(":pids:") {
        Some((_, path)) => Some(Line::of(format_args!("/sys/fs/cgroup/pids{path}/pids.max\0"))),
        None => line.strip_prefix("0::").map(|path| Line::of(format_args!("/sys/fs/cgroup{path}/pids.max\0"))),
    });
    let cgroup_max = path.and_then(|path| read_file(path.path(), &mut at));
    let mut line = Line { buf: [0; 400], len: 0 };
    let _ = match limit.rlim_cur {
        libc::RLIM_INFINITY => write!(line, "user's processes (ulimit -u) unlimited"),
        max => write!(line, "user's processes (ulimit -u) {max}"),
    };
    for (what, text) in [
        ("pids.max of the control group", cgroup_max),
        ("kernel.pid_max", read_file(c"/proc/sys/kernel/pid_max", &mut a)),
        ("kernel.threads-max", read_file(c"/proc/sys/kernel/threads-max", &mut b)),
    ] {
        if let Some(text) = text {
            let _ = write!(line, ", {what} {}", text.trim());
        }
    }
    line
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(str::from_utf8(&self.buf[..self.len]).unwrap_or("").trim_end())
    }
}

/// An error number, to be printed. Allocates when it is.
pub fn error_text(errno: c_int) -> std::io::Error {
    std::io::Error::from_raw_os_error(errno)
}

/// Whether a process that dies of a signal may spend time on a core file.
pub fn dumps_core() -> bool {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` lives here.
    unsafe { libc::getrlimit(libc::RLIMIT_CORE, &mut limit) == 0 && limit.rlim_cur > 0 }
}

/// Sets a variable of this process's environment. Only while no other thread of ours runs; a name that the C
/// library does not take is left out.
pub fn set_env(name: &[u8], value: &[u8]) {
    if let (Ok(name), Ok(value)) = (CString::new(name), CString::new(value)) {
        // SAFETY: two terminated strings, which setenv copies.
        unsafe { libc::setenv(name.as_ptr(), value.as_ptr(), 1) };
    }
}

pub fn unset_env(name: &CStr) {
    // SAFETY: a terminated string.
    unsafe { libc::unsetenv(name.as_ptr()) };
}

/// Whether a file that is inherited can be read at `fd`, and as what: none if it is not open.
pub fn inherited(fd: c_int) -> Option<std::fs::File> {
    use std::os::fd::FromRawFd;
    // SAFETY: integers. Open, and by the caller's word handed to this process to own.
    unsafe { (fd > 2 && libc::fcntl(fd, libc::F_GETFD) >= 0).then(|| std::fs::File::from_raw_fd(fd)) }
}

/// Raises the limit on open files to `least`, as far as it may be. True if it is there now.
pub fn allow_files(least: u64) -> bool {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` lives here.
    unsafe {
        if libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) != 0 || limit.rlim_cur >= least {
            return true;
        }
        limit.rlim_cur = least.min(limit.rlim_max);
        libc::setrlimit(libc::RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur >= least
    }
}

/// Closes every file but stderr and those of `keep` (ascending).
pub fn close_all_but(keep: &[c_int]) {
    let close = |first: c_int, last: c_int| {
        if first > last {
            return;
        }
        // SAFETY: integers; what is closed belongs to a process image that uses it no more.
        unsafe {
            if libc::syscall(libc::SYS_close_range, first, last, 0) != 0 {
                let end = libc::sysconf(libc::_SC_OPEN_MAX).clamp(0, 65536) as c_int;
                for fd in first..=last.min(end) {
                    libc::close(fd);
                }
            }
        }
    };
    close(0, 1);
    let mut from = 3;
    for &fd in keep.iter().filter(|&&fd| fd >= 3) {
        close(from, fd - 1);
        from = fd + 1;
    }
    close(from, c_int::MAX);
}

/// A pipe whose reading end raises a signal in its owner when the last writing end is closed: how a process
/// learns, whatever it is doing, that another one is dead.
pub struct Lifeline {
    read: c_int,
    write: c_int,
}

impl Lifeline {
    /// This process will get `signal`.
    pub fn new(signal: c_int) -> Result<Lifeline, c_int> {
        let mut ends = [0; 2];
        // SAFETY: room for two numbers.
        if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
            return Err(errno());
        }
        let [read, write] = ends;
        // SAFETY: integers.
        let armed = unsafe {
            libc::fcntl(read, libc::F_SETOWN, libc::getpid()) == 0
                && libc::fcntl(read, F_SETSIG, signal) == 0
                && libc::fcntl(read, libc::F_SETFL, libc::O_ASYNC | libc::O_NONBLOCK) == 0
        };
        if armed { Ok(Lifeline { read, write }) } else { Err(errno()) }
    }

    pub fn watcher(&self) -> c_int {
        self.read
    }

    pub fn held(&self) -> c_int {
        self.write
    }

    /// What the one that watches does after forking the one that is watched.
    pub fn close_held(&self) {
        close(self.write);
    }

    /// What a third process does.
    pub fn close_both(&self) {
        close(self.read);
        close(self.write);
    }
}

const F_SETSIG: c_int = 10;

/// No signal any more for the pipe read at `fd`.
pub fn unwatch(fd: c_int) {
    // SAFETY: integers. A number that the client closed and reused loses its O_ASYNC at worst, as the process ends.
    unsafe { libc::fcntl(fd, libc::F_SETFL, libc::O_NONBLOCK) };
}

/// Whether the pipe read at `fd` has lost its last writing end.
pub fn hung_up(fd: c_int) -> bool {
    let mut fd = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    // SAFETY: one pollfd.
    unsafe { libc::poll(&mut fd, 1, 0) };
    fd.revents & libc::POLLHUP != 0
}

pub fn close(fd: c_int) {
    // SAFETY: an integer; callers close what they opened.
    unsafe { libc::close(fd) };
}

pub fn sync_file_systems() {
    // SAFETY: no arguments.
    unsafe { libc::sync() };
}

unsafe extern "C" {
    fn on_exit(call: extern "C" fn(c_int, *mut c_void), arg: *mut c_void) -> c_int;
}

static AT_EXIT: OnceLock<fn(c_int)> = OnceLock::new();

extern "C" fn at_exit(status: c_int, _: *mut c_void) {
    if let Some(call) = AT_EXIT.get() {
        call(status);
    }
}

/// Has a hook run by `exit` and by a return from main. Done when the library is loaded, before any constructor or
/// `main` of the client: such functions run in reverse order, so ours comes after the client's own.
extern "C" fn reserve_exit_hook() {
    static DONE: AtomicU32 = AtomicU32::new(0);
    if DONE.swap(1, Ordering::AcqRel) == 0 {
        // SAFETY: the function has the type that on_exit asks for and is never unloaded.
        unsafe { on_exit(at_exit, null_mut()) };
    }
}

// The lowest number that is not kept for the compiler's own runtime.
#[used]
#[unsafe(link_section = ".init_array.00101")]
static AT_LOAD: extern "C" fn() = reserve_exit_hook;

/// What the hook calls, with the exit status.
pub fn call_at_exit(call: fn(c_int)) {
    let _ = AT_EXIT.set(call);
    reserve_exit_hook();
}

/// A timer that raises a signal in this process. Made ahead of need, since making one is not for signal handlers.
pub struct Alarm(AtomicPtr<c_void>, AtomicI32);

impl Alarm {
    pub const fn new() -> Alarm {
        Alarm(AtomicPtr::new(null_mut()), AtomicI32::new(0))
    }

    /// Timers are not inherited: each process makes its own.
    pub fn create(&self, signal: c_int) {
        // SAFETY: a zeroed sigevent is valid; the two fields say "raise `signal`".
        unsafe {
            let mut event: libc::sigevent = zeroed();
            event.sigev_notify = libc::SIGEV_SIGNAL;
            event.sigev_signo = signal;
            let mut timer = null_mut();
            if libc::timer_create(libc::CLOCK_MONOTONIC, &mut event, &mut timer) == 0 {
                self.0.store(timer, Ordering::Relaxed);
                self.1.store(1, Ordering::Release);
            }
        }
    }

    /// Raises the signal after `time` and then every tenth of a second; zero stops it.
    pub fn set(&self, time: Duration) {
        // Acquire: pairs with the Release in `create`.
        if self.1.load(Ordering::Acquire) == 0 {
            return;
        }
        let again = if time.is_zero() { Duration::ZERO } else { Duration::from_millis(100) };
        let time = libc::itimerspec { it_interval: timespec(again), it_value: timespec(time) };
        // SAFETY: a timer of this process, and `time` lives here.
        unsafe { libc::timer_settime(self.0.load(Ordering::Relaxed), 0, &time, null_mut()) };
    }
}

impl Default for Alarm {
    fn default() -> Alarm {
        Alarm::new()
    }
}

/// Sleeps until something comes for this thread, for ever if need be.
pub fn pause() {
    // SAFETY: no arguments.
    unsafe { libc::pause() };
}

const _: () = assert!(size_of::<PidfdInfo>() == 64 && size_of::<c_long>() == 8);
