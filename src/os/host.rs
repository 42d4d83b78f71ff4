//! Services of the machine and the C library for this process: names, memory, limits, streams.
//!
//! # Safety
//! Plain calls of the C library on memory of our own.

use core::ffi::{CStr, c_int, c_void};
use std::ffi::CString;
use std::sync::OnceLock;

/// This machine's name; empty if it has none.
pub(crate) fn name() -> &'static CStr {
    static NAME: OnceLock<CString> = OnceLock::new();
    NAME.get_or_init(|| {
        let name = nix::unistd::gethostname().unwrap_or_default();
        CString::new(name.into_encoded_bytes()).unwrap_or_default()
    })
}

/// Whether the network interface of this name is there, and up.
pub(crate) fn is_up(interface: &str) -> bool {
    let all = nix::ifaddrs::getifaddrs().into_iter().flatten();
    let mut of_name = all.filter(|found| found.interface_name == interface);
    of_name.any(|found| found.flags.contains(nix::net::if_::InterfaceFlags::IFF_UP))
}

/// Bytes of memory in this machine.
pub(crate) fn memory_bytes() -> Option<u64> {
    // SAFETY: sysconf has no preconditions.
    let (pages, size) = unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    (pages > 0 && size > 0).then(|| pages as u64 * size as u64)
}

/// Closes the three standard streams, and leaves /dev/null in their place, so that no file opened later gets
/// their numbers, and with them later output of the program.
pub(crate) fn close_standard_streams() {
    // SAFETY: descriptors only; a string literal.
    unsafe {
        let nowhere = libc::open(c"/dev/null".as_ptr(), libc::O_RDWR | libc::O_CLOEXEC);
        for fd in [libc::STDIN_FILENO, libc::STDOUT_FILENO, libc::STDERR_FILENO] {
            if nowhere >= 0 {
                libc::dup2(nowhere, fd);
            } else {
                libc::close(fd);
            }
        }
        if nowhere > libc::STDERR_FILENO {
            libc::close(nowhere);
        }
    }
}

/// The limits on processor time and memory.
pub(crate) const LIMITS: [(c_int, &CStr); 6] = [
    (libc::RLIMIT_CPU as c_int, c"RLIMIT_CPU"),
    (libc::RLIMIT_DATA as c_int, c"RLIMIT_DATA"),
    (libc::RLIMIT_RSS as c_int, c"RLIMIT_RSS"),
    (libc::RLIMIT_STACK as c_int, c"RLIMIT_STACK"),
    (libc::RLIMIT_AS as c_int, c"RLIMIT_AS"),
    (libc::RLIMIT_MEMLOCK as c_int, c"RLIMIT_MEMLOCK"),
];

/// Raises a soft limit to its hard limit. Returns whether they are equal now.
pub(crate) fn raise_limit(resource: c_int) -> bool {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is ours; the kernel rejects numbers that it does not know.
    unsafe {
        if libc::getrlimit(resource as _, &mut limit) != 0 {
            return false;
        }
        if limit.rlim_cur == limit.rlim_max {
            return true;
        }
        limit.rlim_cur = limit.rlim_max;
        libc::setrlimit(resource as _, &limit) == 0
    }
}

/// Fresh, private, zero-filled pages.
pub(crate) fn map_memory(nbytes: usize) -> Result<*mut c_void, std::io::Error> {
    let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: maps new pages; existing mappings are not changed.
    let base = unsafe { libc::mmap(core::ptr::null_mut(), nbytes.max(1), access, kind, -1, 0) };
    if base == libc::MAP_FAILED { Err(std::io::Error::last_os_error()) } else { Ok(base) }
}

/// Bytes of the C library's heap: in use, free, in all.
pub(crate) fn heap_bytes() -> (u64, u64, u64) {
    // SAFETY: mallinfo2 has no preconditions.
    let info = unsafe { libc::mallinfo2() };
    ((info.uordblks + info.hblkhd) as u64, info.fordblks as u64, (info.arena + info.hblkhd) as u64)
}

/// `SIGSEGV` for 11.
pub(crate) fn signal_name(signal: c_int) -> Option<&'static CStr> {
    SIGNALS.iter().find(|(number, _)| *number == signal).map(|(_, name)| *name)
}

const SIGNALS: [(c_int, &CStr); 31] = [
    (libc::SIGHUP, c"SIGHUP"),
    (libc::SIGINT, c"SIGINT"),
    (libc::SIGQUIT, c"SIGQUIT"),
    (libc::SIGILL, c"SIGILL"),
    (libc::SIGTRAP, c"SIGTRAP"),
    (libc::SIGABRT, c"SIGABRT"),
    (libc::SIGBUS, c"SIGBUS"),
    (libc::SIGFPE, c"SIGFPE"),
    (libc::SIGKILL, c"SIGKILL"),
    (libc::SIGUSR1, c"SIGUSR1"),
    (libc::SIGSEGV, c"SIGSEGV"),
    (libc::SIGUSR2, c"SIGUSR2"),
    (libc::SIGPIPE, c"SIGPIPE"),
    (libc::SIGALRM, c"SIGALRM"),
    (libc::SIGTERM, c"SIGTERM"),
    (libc::SIGSTKFLT, c"SIGSTKFLT"),
    (libc::SIGCHLD, c"SIGCHLD"),
    (libc::SIGCONT, c"SIGCONT"),
    (libc::SIGSTOP, c"SIGSTOP"),
    (libc::SIGTSTP, c"SIGTSTP"),
    (libc::SIGTTIN, c"SIGTTIN"),
    (libc::SIGTTOU, c"SIGTTOU"),
    (libc::SIGURG, c"SIGURG"),
    (libc::SIGXCPU, c"SIGXCPU"),
    (libc::SIGXFSZ, c"SIGXFSZ"),
    (libc::SIGVTALRM, c"SIGVTALRM"),
    (libc::SIGPROF, c"SIGPROF"),
    (libc::SIGWINCH, c"SIGWINCH"),
    (libc::SIGIO, c"SIGIO"),
    (libc::SIGPWR, c"SIGPWR"),
    (libc::SIGSYS, c"SIGSYS"),
];

/// Bytes of the heap in use, and those that it has from the system.
pub(crate) fn heap() -> (usize, usize) {
    // SAFETY: no preconditions.
    let heap = unsafe { libc::mallinfo2() };
    (heap.uordblks + heap.hblkhd, heap.arena + heap.hblkhd)
}
