//! Memory that processes share: reserving address space, objects of every kind, mapping them.
//!
//! # Safety
//! Mappings made here live for the job's life, except those that `release` and `sysv_detach` end. Calls pass no memory, or
//! only values and texts that live until they return.
#![allow(unsafe_code)]

use std::ffi::{CString, OsStr};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// The largest page of this architecture's kernels, a multiple of all others: shared memory is laid out in its units, so that
/// the layout is the same on all of them. GASNET_PAGESIZE of the headers.
pub const PAGE: usize = if cfg!(any(target_arch = "aarch64", target_arch = "powerpc64")) { 64 << 10 } else { 4096 };

/// The page of this machine's kernel, in bytes: `PAGE`, or one that is smaller.
#[inline]
pub(crate) fn page_bytes() -> usize {
    if PAGE == 4096 {
        return PAGE;
    }
    static KNOWN: AtomicUsize = AtomicUsize::new(0);
    // Relaxed: all threads find the same value.
    let known = KNOWN.load(Ordering::Relaxed);
    if known != 0 {
        return known;
    }
    // SAFETY: no memory passed; the C library knows the value, without a call of the kernel.
    let bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) }.max(4096) as usize;
    KNOWN.store(bytes, Ordering::Relaxed);
    bytes
}

fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

fn check_map(at: *mut libc::c_void) -> io::Result<*mut u8> {
    if at == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(at.cast()) }
}

/// Address space only: nothing is readable there and nothing is charged.
pub(crate) fn reserve(len: usize) -> io::Result<*mut u8> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: no fixed address, so nothing existing is replaced.
    check_map(unsafe { libc::mmap(core::ptr::null_mut(), len, libc::PROT_NONE, flags, -1, 0) })
}

/// As `reserve`, at a multiple of `unit`, a power of two and a multiple of this machine's page.
pub(crate) fn reserve_at_multiple(len: usize, unit: usize) -> io::Result<*mut u8> {
    let len = len.next_multiple_of(page_bytes());
    let spare = unit - page_bytes();
    let start = reserve(len + spare)?;
    let before = start.addr().next_multiple_of(unit) - start.addr();
    for (from, bytes) in [(0, before), (before + len, spare - before)] {
        if bytes > 0 {
            // SAFETY: the ends of the new reservation, which nobody uses.
            unsafe { release(start.wrapping_add(from), bytes) };
        }
    }
    Ok(start.wrapping_add(before))
}

/// Releases address space and the mappings in it.
///
/// # Safety
/// `at..at + len` is a reservation or mapping of the caller that is not used any more.
pub(crate) unsafe fn release(at: *mut u8, len: usize) {
    // SAFETY: the caller's promise.
    unsafe { libc::munmap(at.cast(), len) };
}

/// Zeroed memory shared with children forked later.
pub fn anonymous(len: usize) -> io::Result<*mut u8> {
    // SAFETY: no fixed address, so nothing existing is replaced.
    unsafe { map_anonymous(core::ptr::null_mut(), len, 0) }
}

/// As `anonymous`, over reserved address space at `at`.
///
/// # Safety
/// As for `map_at`.
pub(crate) unsafe fn anonymous_at(len: usize, at: *mut u8) -> io::Result<*mut u8> {
    // SAFETY: the caller's promise.
    unsafe { map_anonymous(at, len, libc::MAP_FIXED) }
}

/// # Safety
/// With MAP_FIXED as for `map_at`.
unsafe fn map_anonymous(at: *mut u8, len: usize, fixed: libc::c_int) -> io::Result<*mut u8> {
    let prot = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | fixed;
    // SAFETY: the caller's promise.
    check_map(unsafe { libc::mmap(at.cast(), len, prot, flags, -1, 0) })
}

/// Maps `len` bytes of `fd` from `offset` over reserved address space at `at`.
///
/// # Safety
/// `at..at + len` is part of a range that `reserve` returned, and no mapping there is in use.
pub(crate) unsafe fn map_at(fd: &OwnedFd, offset: usize, len: usize, at: *mut u8) -> io::Result<*mut u8> {
    let prot = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_SHARED | libc::MAP_FIXED | libc::MAP_NORESERVE;
    // SAFETY: the caller's promise.
    check_map(unsafe { libc::mmap(at.cast(), len, prot, flags, fd.as_raw_fd(), offset as libc::off_t) })
}

fn owned(fd: libc::c_int) -> io::Result<OwnedFd> {
    // SAFETY: `check` passed, so the descriptor is open, and it was just created for this call.
    check(fd).map(|fd| unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Maps the first `len` bytes of `fd`, shared, at an address that the kernel chooses.
pub(crate) fn map(fd: &OwnedFd, len: usize) -> io::Result<*mut u8> {
    let (prot, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_NORESERVE);
    // SAFETY: no fixed address, so nothing existing is replaced.
    check_map(unsafe { libc::mmap(core::ptr::null_mut(), len, prot, flags, fd.as_raw_fd(), 0) })
}

/// An object that other processes can map once they have its descriptor, `len` bytes long and zero: of the first kind
/// that is available. It has no name, or is unlinked.
pub(crate) fn object(len: usize) -> io::Result<OwnedFd> {
    let made = memfd(false).or_else(|first| posix().or_else(|_| file(Path::new("/tmp"))).map_err(|_| first))?;
    set_len(&made, len)?;
    Ok(made)
}

/// Maps the first page of `fd` permanently, as words that processes share.
pub(crate) fn words(fd: &OwnedFd) -> io::Result<&'static [AtomicU32]> {
    let at = map(fd, PAGE)?;
    // SAFETY: a page, just mapped and never unmapped; any bytes are valid atomics.
    Ok(unsafe { core::slice::from_raw_parts(at.cast::<AtomicU32>(), PAGE / size_of::<AtomicU32>()) })
}

/// Maps the first `len` bytes of descriptor `fd` of process `pid`, which must be of the same user.
pub(crate) fn map_of_process(pid: u32, fd: i32, len: usize) -> io::Result<*mut u8> {
    let file = std::fs::File::options().read(true).write(true).open(format!("/proc/{pid}/fd/{fd}"))?;
    map(&OwnedFd::from(file), len)
}

/// Kernel memory with a descriptor and no name. `huge`: of 2 MiB pages.
pub(crate) fn memfd(huge: bool) -> io::Result<OwnedFd> {
    let flags = libc::MFD_CLOEXEC | if huge { libc::MFD_HUGETLB } else { 0 };
    // SAFETY: the name is a C string constant.
    owned(unsafe { libc::memfd_create(c"gasnet-segments".as_ptr(), flags) })
}

/// A POSIX shared memory object, unlinked at once: it lives as long as its descriptors and mappings.
pub(crate) fn posix() -> io::Result<OwnedFd> {
    let name = CString::new(format!("/gasnet-{}-{:x}", std::process::id(), super::sleep::now_ns())).unwrap_or_default();
    // SAFETY: `name` is a C string that outlives both calls.
    let fd = owned(unsafe {
        libc::shm_open(name.as_ptr(), libc::O_CREAT | libc::O_EXCL | libc::O_RDWR | libc::O_CLOEXEC, 0o600)
    })?;
    // SAFETY: as above.
    unsafe { libc::shm_unlink(name.as_ptr()) };
    Ok(fd)
}

/// A file without a name in `dir`.
pub(crate) fn file(dir: &Path) -> io::Result<OwnedFd> {
    let path = CString::new(OsStr::as_bytes(dir.as_os_str()))?;
    // SAFETY: `path` is a C string that outlives the call.
    let unnamed = owned(unsafe { libc::open(path.as_ptr(), libc::O_TMPFILE | libc::O_RDWR | libc::O_CLOEXEC, 0o600) });
    if unnamed.is_ok() {
        return unnamed;
    }
    let named = dir.join(format!("gasnet-{}-{:x}", std::process::id(), super::sleep::now_ns()));
    let file = std::fs::OpenOptions::new().read(true).write(true).create_new(true).open(&named)?;
    std::fs::remove_file(&named)?;
    Ok(file.into())
}

/// Bytes that a file of this process may have (`ulimit -f`), if that is limited. The limit applies to objects of every kind
/// except System V.
pub(crate) fn longest_file() -> Option<u64> {
    limit(libc::RLIMIT_FSIZE)
}

/// Bytes of address space that this process may have (`ulimit -v`), if that is limited.
pub(crate) fn address_space() -> Option<u64> {
    limit(libc::RLIMIT_AS)
}

fn limit(of: libc::__rlimit_resource_t) -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: `limit` lives here.
    unsafe { libc::getrlimit(of, &mut limit) };
    (limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
}

/// Makes the object `len` bytes long; pages are allocated when touched.
pub(crate) fn set_len(fd: &OwnedFd, len: usize) -> io::Result<()> {
    // Otherwise the kernel would end the process by SIGXFSZ.
    if longest_file().is_some_and(|most| len as u64 > most) {
        return Err(io::Error::from_raw_os_error(libc::EFBIG));
    }
    // SAFETY: plain call on an open descriptor.
    check(unsafe { libc::ftruncate(fd.as_raw_fd(), len as libc::off_t) }).map(drop)
}

/// Allocates the pages now, so that none can be missing later.
pub(crate) fn take_pages(fd: &OwnedFd, offset: usize, len: usize) -> io::Result<()> {
    // SAFETY: plain call on an open descriptor.
    match unsafe { libc::posix_fallocate(fd.as_raw_fd(), offset as libc::off_t, len as libc::off_t) } {
        0 => Ok(()),
        error => Err(io::Error::from_raw_os_error(error)),
    }
}

/// Bytes still free in the file system that holds the object.
pub(crate) fn room(fd: &OwnedFd) -> io::Result<u64> {
    // SAFETY: all-zero is a valid statvfs.
    let mut stat: libc::statvfs = unsafe { core::mem::zeroed() };
    // SAFETY: `stat` is ours.
    check(unsafe { libc::fstatvfs(fd.as_raw_fd(), &mut stat) })?;
    Ok(stat.f_bavail as u64 * stat.f_frsize as u64)
}

/// A System V segment, already marked for removal: it ends with its last attachment.
pub(crate) fn sysv_create(len: usize) -> io::Result<(i32, *mut u8)> {
    // SAFETY: no memory passed.
    let id = check(unsafe { libc::shmget(libc::IPC_PRIVATE, len, libc::IPC_CREAT | libc::SHM_NORESERVE | 0o600) })?;
    // SAFETY: no fixed address.
    let at = unsafe { libc::shmat(id, core::ptr::null(), 0) };
    let error = io::Error::last_os_error();
    // SAFETY: removal of our own segment.
    unsafe { libc::shmctl(id, libc::IPC_RMID, core::ptr::null_mut()) };
    if at as isize == -1 { Err(error) } else { Ok((id, at.cast())) }
}

/// Attaches a System V segment over reserved address space at `at`.
///
/// # Safety
/// The range that `reserve` returned has room for the segment from `at` on, and no mapping there is in use.
pub(crate) unsafe fn sysv_attach_at(id: i32, at: *mut u8) -> io::Result<*mut u8> {
    // SAFETY: the caller's promise; SHM_REMAP replaces mappings.
    let got = unsafe { libc::shmat(id, at.cast(), libc::SHM_REMAP) };
    if got as isize == -1 { Err(io::Error::last_os_error()) } else { Ok(got.cast()) }
}

/// Detaches one attachment of a System V segment.
///
/// # Safety
/// `at` came from `sysv_create`, and that attachment is not used any more.
pub(crate) unsafe fn sysv_detach(at: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe { libc::shmdt(at.cast()) };
}

/// Bytes that `ranks` System V segments of the same size may have together; None if only memory limits them.
pub(crate) fn sysv_room(ranks: u64) -> Option<u64> {
    let setting = |name: &str| {
        let text = std::fs::read_to_string(format!("/proc/sys/kernel/{name}")).ok()?;
        text.trim().parse::<u64>().ok()
    };
    let each = setting("shmmax").unwrap_or(u64::MAX);
    let all = setting("shmall").unwrap_or(u64::MAX).saturating_mul(page_bytes() as u64);
    // The kernel's default values mean that there is no limit.
    Some(each.saturating_mul(ranks).min(all)).filter(|&bytes| bytes < 1 << 60)
}

/// Bytes of memory available to this process: the machine's memory, or its control group's limit if that is smaller.
pub(crate) fn physical_memory() -> u64 {
    // SAFETY: no memory passed.
    let pages = unsafe { libc::sysconf(libc::_SC_PHYS_PAGES) }.max(0) as u64;
    let bytes = match pages {
        // A filter forbids the C library's call.
        0 => super::probe::meminfo("MemTotal").map_or(u64::MAX, |kb| kb << 10),
        _ => pages * page_bytes() as u64,
    };
    bytes.min(super::probe::memory_limit().unwrap_or(u64::MAX))
}

/// Free pages of 2 MiB in the kernel's pool, in bytes.
pub(crate) fn free_huge_bytes() -> u64 {
    std::fs::read_to_string("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages")
        .ok()
        .and_then(|text| text.trim().parse::<u64>().ok())
        .unwrap_or(0)
        * (2 << 20)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_address_space_starts_at_the_multiple_that_was_asked_for() {
        let (unit, len) = (1 << 21, 3 * PAGE);
        let starts: Vec<_> = (0..4).map(|_| reserve_at_multiple(len, unit).expect("room")).collect();
        for (index, &at) in starts.iter().enumerate() {
            assert!(at.addr() % unit == 0);
            // SAFETY: just reserved, and used by nobody else.
            let mapped = unsafe { anonymous_at(len, at) }.expect("memory");
            assert_eq!(mapped, at);
            // SAFETY: mapped, and zero.
            unsafe { at.add(len - 1).write(index as u8 + 1) };
        }
        for (index, &at) in starts.iter().enumerate() {
            // SAFETY: written above.
            assert_eq!(unsafe { at.add(len - 1).read() }, index as u8 + 1);
            // SAFETY: nobody uses it any more.
            unsafe { release(at, len) };
        }
    }
}
