//! Files that whole lines are appended to.
//!
//! # Safety
//! Calls pass integers, terminated paths, and slices with their lengths.

use std::ffi::CStr;
use std::io;
use std::os::fd::RawFd;

use super::process::errno;

/// Opens `path` for appending; `fresh`: empty.
pub fn append_to(path: &CStr, fresh: bool) -> io::Result<RawFd> {
    let empty = if fresh { libc::O_TRUNC } else { 0 };
    let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_APPEND | libc::O_CLOEXEC | empty;
    // SAFETY: a terminated path.
    match unsafe { libc::open(path.as_ptr(), flags, 0o666) } {
        -1 => Err(io::Error::last_os_error()),
        fd => Ok(fd),
    }
}

/// Writes all of `bytes`, unless the file takes no more.
pub fn write_all(fd: RawFd, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        // SAFETY: the slice has so many bytes.
        match unsafe { libc::write(fd, bytes.as_ptr().cast(), bytes.len()) } {
            -1 if errno() == libc::EINTR => {}
            -1 if errno() == libc::EAGAIN && super::process::is_writable(fd, 1000) => {}
            n if n <= 0 => return,
            n => bytes = &bytes[n as usize..],
        }
    }
}
