//! Sleeping and waking between processes: futex words in shared memory, the barrier that makes a fence
//! of senders unnecessary, and the clock for time limits of sleeps.
//!
//! # Safety
//! Futex words are `AtomicU32`s in memory that stays mapped for the job's life; the kernel only compares them.
#![allow(unsafe_code)]

use core::ffi::c_int;
use std::io;
use std::os::fd::{BorrowedFd, IntoRawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::time::Duration;

use super::process::{self, errno, nap};
use crate::sync::atomic::{AtomicU32, Ordering, fence};

/// Monotonic nanoseconds.
#[inline]
pub(crate) fn now_ns() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is ours; CLOCK_MONOTONIC always exists on Linux.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// Nanoseconds of a millisecond.
pub(crate) const MS: u64 = 1_000_000;

/// The same clock in milliseconds.
pub(crate) fn now_ms() -> u64 {
    now_ns() / MS
}

/// Gives the core to another runnable thread.
#[inline]
pub(crate) fn yield_now() {
    // Not through libc: if many ranks share a core, each page that a rank touches after it was scheduled costs time.
    #[cfg(target_arch = "x86_64")]
    // SAFETY: sched_yield has no arguments and touches no memory; the kernel clobbers rcx and r11.
    unsafe {
        core::arch::asm!("syscall", inlateout("rax") libc::SYS_sched_yield => _, out("rcx") _, out("r11") _, options(nostack));
    }
    #[cfg(not(target_arch = "x86_64"))]
    // SAFETY: no arguments, no memory.
    unsafe {
        libc::sched_yield();
    }
}

/// Sleeps while `word` holds `seen`, for at most `ns`.
pub(crate) fn futex_wait(word: &AtomicU32, seen: u32, ns: u64) {
    let limit = libc::timespec { tv_sec: (ns / 1_000_000_000) as _, tv_nsec: (ns % 1_000_000_000) as _ };
    // SAFETY: `word` is a live AtomicU32 (reference), `limit` is ours. Not FUTEX_PRIVATE: peers wake it.
    unsafe {
        libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAIT, seen, &raw const limit);
    }
}

/// Wakes all that sleep on `word`.
pub(crate) fn futex_wake_all(word: &AtomicU32) {
    // SAFETY: `word` is a live AtomicU32 (reference).
    unsafe {
        libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, i32::MAX);
    }
}

/// A descriptor on which a rank sleeps together with descriptors of a network, here called its bell; shared with processes
/// forked later.
pub(crate) fn bell() -> io::Result<c_int> {
    // SAFETY: the call takes no memory.
    match unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK | libc::EFD_SEMAPHORE) } {
        -1 => {
            let error = io::Error::last_os_error();
            if process::is_forbidden(&error) { pipe_bell().map_err(|_| error) } else { Err(error) }
        }
        fd => Ok(fd),
    }
}

/// A bell where a filter forbids eventfd: a pipe, opened again for both ends in one descriptor. Its rings are words in it.
fn pipe_bell() -> io::Result<c_int> {
    let mut ends = [0; 2];
    // SAFETY: room for two descriptors.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let both = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(libc::O_NONBLOCK)
        .open(format!("/proc/self/fd/{}", ends[0]));
    ends.into_iter().for_each(process::close);
    both.map(IntoRawFd::into_raw_fd)
}

/// `bell`, which is never closed, as a file to be passed to another process.
pub(crate) fn bell_file(bell: c_int) -> BorrowedFd<'static> {
    // SAFETY: from `bell()`; a rank never closes its bells.
    unsafe { BorrowedFd::borrow_raw(bell) }
}

/// Wakes `sleepers` threads that sleep on `bell`. Each takes one ring; an extra ring only wakes a thread early.
pub(crate) fn ring_bell(bell: c_int, sleepers: u32) {
    let ring = 1u64;
    for _ in 0..sleepers.max(1) {
        // SAFETY: eight bytes from a local. A full counter (or pipe), hence awake sleepers, is the only failure.
        unsafe { libc::write(bell, (&raw const ring).cast(), size_of_val(&ring)) };
    }
}

/// Takes one ring of `bell`, if there is any.
pub(crate) fn take_bell(bell: c_int) {
    let mut rings = 0u64;
    // SAFETY: eight bytes into a local.
    unsafe { libc::read(bell, (&raw mut rings).cast(), size_of_val(&rings)) };
}

/// Sleeps until one of `fds` can be read, at most `ns`; returns which can.
pub(crate) fn wait_readable<const N: usize>(fds: [c_int; N], ns: u64) -> [bool; N] {
    let mut polled = fds.map(|fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 });
    let limit = libc::timespec { tv_sec: (ns / 1_000_000_000) as _, tv_nsec: (ns % 1_000_000_000) as _ };
    // SAFETY: an array of `N` and a timespec of ours; the signal mask stays as it is.
    let done = unsafe { libc::ppoll(polled.as_mut_ptr(), N as libc::nfds_t, &limit, core::ptr::null()) };
    if done == -1 && errno() != libc::EINTR {
        // A filter forbids the call. The caller checks its conditions in a loop; the pause keeps it from spinning.
        nap(Duration::from_nanos(ns.min(100_000)));
    }
    polled.map(|entry| done > 0 && entry.revents != 0)
}

const MEMBARRIER_CMD_GLOBAL_EXPEDITED: libc::c_int = 1 << 1;
const MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED: libc::c_int = 1 << 2;

/// Registers this process for [`heavy_barrier`]; false where the kernel does not offer it.
pub(crate) fn register_heavy_barrier() -> bool {
    // SAFETY: the call takes no memory.
    unsafe { libc::syscall(libc::SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0 }
}

/// A full fence here and on every core that runs a registered process: the expensive side of the asymmetric
/// fence whose cheap side is [`light_barrier`].
pub(crate) fn heavy_barrier() {
    fence(Ordering::SeqCst);
    // SAFETY: the call takes no memory.
    unsafe { libc::syscall(libc::SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0) };
}

/// The cheap side: orders nothing in the machine when the heavy side does it for us.
#[inline]
pub(crate) fn light_barrier(heavy_exists: bool) {
    if heavy_exists {
        crate::sync::atomic::compiler_fence(Ordering::SeqCst);
    } else {
        fence(Ordering::SeqCst);
    }
}
