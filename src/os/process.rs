//! Processes as this library needs them: forking, watching, naming, ending. Thin and safe to call; functions that are
//! called after `fork` or from a signal handler neither allocate nor take a lock, unless they say so.
//!
//! # Safety
//! Every call passes values or buffers that live until it returns. `fork` duplicates the calling thread only: a lock that
//! another thread holds then stays locked in the child. The library has started no thread and holds no lock of its own when it
//! forks; glibc makes those of malloc and stdio usable again. Locks of the client and of other libraries are the
//! client's responsibility: forked ranks continue in client code, and a warning reports threads that existed before
//! (`launch/fork/threads.rs`).
#![allow(unsafe_code)]

use libc::{c_int, c_long, c_void, pid_t};
use std::ffi::{CStr, CString};
use std::fmt::{self, Write as _};
use std::io;
use std::ptr::null_mut;
use std::time::Duration;

/// A line for stderr in a fixed buffer, truncated if too long. Allocates nothing.
pub(crate) struct Line {
    buf: [u8; 400],
    len: usize,
}

impl Line {
    /// An empty line, without its newline.
    pub(crate) fn empty() -> Line {
        Line { buf: [0; 400], len: 0 }
    }

    pub(crate) fn of(text: fmt::Arguments<'_>) -> Line {
        let mut line = Line::empty();
        // An error is impossible: `write_str` truncates instead.
        let _ = line.write_fmt(text);
        line.len = line.len.min(line.buf.len() - 1);
        line.buf[line.len] = b'\n';
        line.len += 1;
        line
    }

    /// The text as a path.
    pub(crate) fn path(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.buf).unwrap_or(c"")
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buf[..self.len]
    }

    /// Writes the line by one system call. Does not wait for a stderr that is closed or a full pipe without a reader.
    pub(crate) fn print(&self) {
        if is_writable(2, 100) {
            // SAFETY: a buffer of `len` bytes, which lives here.
            unsafe { libc::write(2, self.buf.as_ptr().cast(), self.len) };
        }
    }
}

/// Whether a short write to `fd` will not block; waits up to `wait_ms` until that is so.
pub(crate) fn is_writable(fd: c_int, wait_ms: c_int) -> bool {
    let mut fd = libc::pollfd { fd, events: libc::POLLOUT, revents: 0 };
    // SAFETY: one pollfd, which lives here.
    match unsafe { libc::poll(&mut fd, 1, wait_ms) } {
        // Unknown: the caller shall try.
        -1 => errno() != libc::EINTR,
        _ => fd.revents & libc::POLLOUT != 0,
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(std::str::from_utf8(&self.buf[..self.len]).unwrap_or("").trim_end())
    }
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

pub(crate) fn errno() -> c_int {
    // SAFETY: the thread's own errno.
    unsafe { *libc::__errno_location() }
}

/// Runs `call` and leaves errno as it was, as a signal handler must.
pub(crate) fn keeping_errno(call: impl FnOnce()) {
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

pub(crate) fn parent() -> pid_t {
    // SAFETY: no arguments.
    unsafe { libc::getppid() }
}

/// Fills `bytes` with random bytes by the system call or, if a filter forbids that, from the device, which some
/// containers do not have.
pub fn random(bytes: &mut [u8]) -> std::io::Result<()> {
    use std::io::Read;
    // SAFETY: the length is that of the bytes.
    let got = unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), bytes.len(), 0) };
    // Up to 256 bytes are returned completely.
    if got == bytes.len() as isize { Ok(()) } else { std::fs::File::open("/dev/urandom")?.read_exact(bytes) }
}

/// Whether this process has a thread that the kernel calls `tid`.
pub(crate) fn has_thread(tid: pid_t) -> bool {
    // SAFETY: signal 0 is not sent; the call only checks.
    let gone = unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), tid, 0) } == -1;
    !(gone && nix::errno::Errno::last() == nix::errno::Errno::ESRCH)
}

pub(crate) fn thread_id() -> pid_t {
    // SAFETY: no arguments.
    unsafe { libc::gettid() }
}

/// Ends this process at once, without running code of the client.
#[allow(clippy::disallowed_methods)] // the only path by which exit.rs calls it
pub fn end_now(code: c_int) -> ! {
    // SAFETY: no arguments but the code.
    unsafe { libc::_exit(code) }
}

/// Yields the core for about this time.
pub(crate) fn nap(time: Duration) {
    let time = timespec(time);
    // SAFETY: `time` lives here; the remainder is not requested.
    unsafe { libc::nanosleep(&time, null_mut()) };
}

pub(super) fn timespec(time: Duration) -> libc::timespec {
    libc::timespec { tv_sec: time.as_secs() as i64, tv_nsec: i64::from(time.subsec_nanos()) }
}

/// Requests `signal` for when the parent (its forking thread) dies; 0: no signal.
pub(crate) fn signal_when_parent_dies(signal: c_int) {
    // SAFETY: prctl with an integer.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, signal as libc::c_ulong, 0, 0, 0) };
}

/// Makes this process the subreaper: the new parent of descendants whose parent ends.
pub(crate) fn adopt_orphans() {
    // SAFETY: prctl with an integer.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) };
}

/// Disables the core file of this process, in case it dies of a signal.
pub(crate) fn never_dump_core() {
    // SAFETY: prctl with an integer.
    unsafe { libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0) };
}

/// Leaves the process group, so that signals to it, by which launchers end ranks and their children, do not reach this
/// process.
pub(crate) fn leave_group() {
    // SAFETY: no arguments. Fails only for the leader of a group, which has a group of its own.
    unsafe { libc::setsid() };
}

pub(crate) fn set_name(name: &CStr) {
    // SAFETY: prctl reads at most 16 bytes of a terminated string.
    unsafe { libc::prctl(libc::PR_SET_NAME, name.as_ptr(), 0, 0, 0) };
}

/// Sends `signal`; false if there is no such process.
pub fn kill(pid: pid_t, signal: c_int) -> bool {
    // A pid of 0 or less would mean a group.
    // SAFETY: integers.
    pid > 0 && unsafe { libc::kill(pid, signal) } == 0
}

/// Sends `signal` to one thread of a process; false if there is no such thread.
pub(crate) fn signal_thread(pid: pid_t, thread: pid_t, signal: c_int) -> bool {
    // SAFETY: integers.
    pid > 0 && thread > 0 && unsafe { libc::syscall(libc::SYS_tgkill, pid, thread, signal) } == 0
}

/// Up to `len` bytes at `at` in another process: fewer, or none, if they are not mapped or may not be read.
pub(crate) fn peek(pid: pid_t, at: u64, len: usize) -> Vec<u8> {
    let mut bytes = vec![0u8; len];
    let here = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: len };
    let there = libc::iovec { iov_base: at as *mut c_void, iov_len: len };
    // SAFETY: one buffer of ours of that length; the kernel checks the other side's.
    let got = unsafe { libc::process_vm_readv(pid, &here, 1, &there, 1, 0) };
    bytes.truncate(got.max(0) as usize);
    bytes
}

/// Continues the stopped processes in the process group of `member`.
pub(crate) fn wake_group(member: pid_t) {
    // SAFETY: integers.
    unsafe {
        let group = libc::getpgid(member);
        if group > 1 {
            libc::kill(-group, libc::SIGCONT);
        }
    }
}

/// An error number, to be printed. Allocates when it is.
pub(crate) fn error_text(errno: c_int) -> std::io::Error {
    std::io::Error::from_raw_os_error(errno)
}

/// Whether a process that dies of a signal may spend time on a core file.
pub(crate) fn dumps_core() -> bool {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` lives here.
    unsafe { libc::getrlimit(libc::RLIMIT_CORE, &mut limit) == 0 && limit.rlim_cur > 0 }
}

/// Sets a variable of this process's environment. Only while no other thread of this process runs; a name that
/// the C library rejects is ignored.
pub fn set_env(name: &[u8], value: &[u8]) {
    if let (Ok(name), Ok(value)) = (CString::new(name), CString::new(value)) {
        // SAFETY: two terminated strings, which setenv copies.
        unsafe { libc::setenv(name.as_ptr(), value.as_ptr(), 1) };
    }
}

pub(crate) fn unset_env(name: &CStr) {
    // SAFETY: a terminated string.
    unsafe { libc::unsetenv(name.as_ptr()) };
}

/// The file that is inherited as `fd`.
pub(crate) fn inherited(fd: c_int) -> io::Result<std::fs::File> {
    use std::os::fd::FromRawFd;
    // SAFETY: integers.
    match unsafe { libc::fcntl(fd, libc::F_GETFD) } {
        -1 => Err(io::Error::last_os_error()),
        // SAFETY: open (checked); the caller states that this process owns it.
        _ if fd > 2 => Ok(unsafe { std::fs::File::from_raw_fd(fd) }),
        _ => Err(io::ErrorKind::NotFound.into()),
    }
}

/// Another descriptor of the file that is open as `fd`.
pub(crate) fn duplicate(fd: c_int) -> io::Result<std::os::fd::OwnedFd> {
    use std::os::fd::FromRawFd;
    // SAFETY: integers; a number that is not open is refused.
    match unsafe { libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, 3) } {
        -1 => Err(io::Error::last_os_error()),
        // SAFETY: the kernel has just made it, for this call.
        fd => Ok(unsafe { std::os::fd::OwnedFd::from_raw_fd(fd) }),
    }
}

/// Whether a system call failed permanently: a filter forbids it, or the kernel does not have it.
pub(crate) fn is_forbidden(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EPERM | libc::EACCES | libc::ENOSYS))
}

/// Closes every file but stderr and those of `keep` (ascending).
pub(crate) fn close_all_but(keep: &[c_int]) {
    let close = |first: c_int, last: c_int| {
        if first > last {
            return;
        }
        // SAFETY: integers; no code of this process uses the closed descriptors any more.
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

/// A pipe whose reading end raises a signal in its owner when the last writing end is closed, which notifies a process of
/// the death of another one.
pub(crate) struct Lifeline {
    read: c_int,
    write: c_int,
}

impl Lifeline {
    /// This process will get `signal`.
    pub(crate) fn new(signal: c_int) -> Result<Lifeline, c_int> {
        let mut ends = [0; 2];
        // SAFETY: room for two numbers.
        if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
            return Err(errno());
        }
        let [read, write] = ends;
        if watch(read, signal) { Ok(Lifeline { read, write }) } else { Err(errno()) }
    }

    pub(crate) fn watcher(&self) -> c_int {
        self.read
    }

    pub(crate) fn held(&self) -> c_int {
        self.write
    }

    /// The same, to be passed on.
    pub(crate) fn held_file(&self) -> std::os::fd::BorrowedFd<'_> {
        // SAFETY: open while this is borrowed: only the calls below close it, and no caller borrows it after them.
        unsafe { std::os::fd::BorrowedFd::borrow_raw(self.write) }
    }

    /// Called by the watching process after it forked the watched one.
    pub(crate) fn close_held(&self) {
        close(self.write);
    }

    /// Called by any other process.
    pub(crate) fn close_both(&self) {
        close(self.read);
        close(self.write);
    }
}

const F_SETSIG: c_int = 10;

/// Requests that `signal` be raised in this process when the pipe or socket `fd` can be read or hangs up. False if the
/// kernel refuses.
pub(crate) fn watch(fd: c_int, signal: c_int) -> bool {
    // SAFETY: integers.
    unsafe {
        libc::fcntl(fd, libc::F_SETOWN, libc::getpid()) == 0
            && libc::fcntl(fd, F_SETSIG, signal) == 0
            && libc::fcntl(fd, libc::F_SETFL, libc::O_ASYNC | libc::O_NONBLOCK) == 0
    }
}

/// Ends the effect of `watch` for the pipe read at `fd`.
pub(crate) fn unwatch(fd: c_int) {
    // SAFETY: integers. A number that the client closed and reused loses its O_ASYNC at worst, as the process ends.
    unsafe { libc::fcntl(fd, libc::F_SETFL, libc::O_NONBLOCK) };
}

/// Whether there is something to read at `fd`.
pub(crate) fn is_readable(fd: c_int) -> bool {
    let mut fd = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    // SAFETY: one pollfd.
    unsafe { libc::poll(&mut fd, 1, 0) > 0 && fd.revents & libc::POLLIN != 0 }
}

/// Whether the pipe or socket `fd` has lost its other end.
pub(crate) fn hung_up(fd: c_int) -> bool {
    let mut fd = libc::pollfd { fd, events: 0, revents: 0 };
    // SAFETY: one pollfd.
    unsafe { libc::poll(&mut fd, 1, 0) > 0 && fd.revents & (libc::POLLHUP | libc::POLLERR) != 0 }
}

/// Whether the pipe or socket `fd` has lost its other end, or something can be read there.
pub(crate) fn has_stirred(fd: c_int) -> bool {
    let mut fd = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    // SAFETY: one pollfd.
    unsafe { libc::poll(&mut fd, 1, 0) };
    fd.revents & (libc::POLLHUP | libc::POLLIN) != 0
}

pub(crate) fn close(fd: c_int) {
    // SAFETY: an integer; callers close descriptors that they opened.
    unsafe { libc::close(fd) };
}

pub(crate) fn sync_file_systems() {
    // SAFETY: no arguments.
    unsafe { libc::sync() };
}

/// Sleeps until a signal handler runs on this thread, without a time limit.
pub(crate) fn pause() {
    // SAFETY: no arguments.
    unsafe { libc::pause() };
}

const _: () = assert!(size_of::<c_long>() == 8);

/// Resources that this process has used so far.
pub(crate) struct Usage {
    pub user_us: u64,
    pub system_us: u64,
    /// The most memory it ever had, in KiB.
    pub most_kib: u64,
}

pub(crate) fn usage() -> Usage {
    // SAFETY: all zero is a value of this plain struct, which the kernel fills.
    let used = unsafe {
        let mut used: libc::rusage = core::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut used);
        used
    };
    let us = |time: libc::timeval| time.tv_sec as u64 * 1_000_000 + time.tv_usec as u64;
    Usage { user_us: us(used.ru_utime), system_us: us(used.ru_stime), most_kib: used.ru_maxrss as u64 }
}

/// The arguments of this process.
pub(crate) fn command() -> String {
    let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    words.collect::<Vec<_>>().join(" ")
}
