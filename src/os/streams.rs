//! The standard streams: keeping them open, emptying stdin, and flushing when a process ends.
//!
//! # Safety
//! Calls pass integers, terminated paths and the C library's own streams, which live for ever.
#![allow(unsafe_code)]

use super::process::{errno, nap};
use libc::c_int;
use std::ptr::null_mut;
use std::time::Duration;

unsafe extern "C" {
    static stdin: *mut libc::FILE;
    static stdout: *mut libc::FILE;
    static stderr: *mut libc::FILE;
    fn ftrylockfile(stream: *mut libc::FILE) -> c_int;
    fn funlockfile(stream: *mut libc::FILE);
    fn __fpurge(stream: *mut libc::FILE);
    fn fflush_unlocked(stream: *mut libc::FILE) -> c_int;
    fn libgasnet_flush_free_streams();
    fn setvbuf(stream: *mut libc::FILE, buffer: *mut libc::c_char, mode: c_int, size: usize) -> c_int;
}

/// Opens /dev/null in the place of each standard stream that is closed, so that no file of the library or
/// the client gets its number.
pub fn hold_standard_streams() {
    for fd in 0..3 {
        // SAFETY: integers and a terminated path. The lowest free number is `fd` itself, for those below are open.
        unsafe {
            if libc::fcntl(fd, libc::F_GETFD) == -1 && errno() == libc::EBADF {
                libc::open(c"/dev/null".as_ptr(), if fd == 0 { libc::O_RDONLY } else { libc::O_RDWR });
            }
        }
    }
}

/// Puts the files `out` and `err` in the place of stdout and stderr.
pub(crate) fn replace_output(out: c_int, err: c_int) {
    // SAFETY: integers; the descriptor's old file is closed in the same step.
    unsafe {
        libc::dup2(out, 1);
        libc::dup2(err, 2);
    }
}

/// If stderr is a pipe, waits until its reader has read all bytes, at most `limit`. May be called in a
/// signal handler.
pub(crate) fn wait_until_read(limit: Duration) {
    const PAUSE: Duration = Duration::from_millis(1);
    let mut waited = Duration::ZERO;
    while waited < limit && unread() > 0 {
        nap(PAUSE);
        waited += PAUSE;
    }
}

/// Unread bytes in stderr if it is a pipe, else 0.
fn unread() -> c_int {
    let mut nbytes: c_int = 0;
    // SAFETY: all zeros is a stat; the calls write to their arguments only.
    unsafe {
        let mut kind: libc::stat = std::mem::zeroed();
        if libc::fstat(2, &mut kind) == -1 || kind.st_mode & libc::S_IFMT != libc::S_IFIFO {
            return 0;
        }
        libc::ioctl(2, libc::FIONREAD, &mut nbytes);
    }
    nbytes
}

/// Makes stdout line-buffered, as on a terminal.
pub(crate) fn flush_stdout_by_line() {
    // SAFETY: the standard stream lives for ever; a null buffer leaves the choice to the C library.
    unsafe { setvbuf(stdout, null_mut(), libc::_IOLBF, 0) };
}

/// Makes stdin empty, buffered input included.
pub(crate) fn null_stdin() {
    // SAFETY: integers and a terminated path; purging drops bytes that the parent had read ahead. No other thread is
    // there to hold the stream: this process has just been forked.
    unsafe {
        let fd = libc::open(c"/dev/null".as_ptr(), libc::O_RDONLY);
        if fd > 0 {
            libc::dup2(fd, 0);
            libc::close(fd);
        }
        __fpurge(stdin);
    }
}

/// Flushes every stdio stream. Waits for locks: only for use where no other thread can hold one for ever.
pub(crate) fn flush_streams() {
    // SAFETY: null means all streams.
    unsafe { libc::fflush(null_mut()) };
}

/// Flushes as many streams as possible although other threads continue and one of them may hold a stream for ever (by
/// reading from a terminal, or writing to a pipe without a reader). Waits for stdout and stderr while `patience` returns
/// true, which is called between tries. A write to a full pipe blocks: see `alarm::Alarm`.
pub(crate) fn flush_streams_at_exit(mut patience: impl FnMut() -> bool) {
    // SAFETY: the standard streams live for ever. Locks are recursive, so that a thread that was interrupted within
    // stdio does not wait for itself.
    unsafe {
        for stream in [stdout, stderr] {
            loop {
                if ftrylockfile(stream) == 0 {
                    fflush_unlocked(stream);
                    funlockfile(stream);
                    break;
                }
                if !patience() {
                    break;
                }
                nap(Duration::from_millis(1));
            }
        }
        libgasnet_flush_free_streams();
    }
}
