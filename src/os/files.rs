//! Files to which whole lines are appended.
//!
//! # Safety
//! Calls pass integers, terminated paths, and slices with their lengths.

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::os::fd::RawFd;
use std::time::Duration;

use libc::c_int;
use nix::fcntl::OFlag;
use nix::unistd::pipe2;

use super::process::errno;
use super::signal::Mask;

/// A pipe, as its reading and its writing end, which a program that is executed does not get.
pub(crate) fn pipe() -> io::Result<(File, File)> {
    let (reading, writing) = pipe2(OFlag::O_CLOEXEC)?;
    Ok((reading.into(), writing.into()))
}

/// Opens `path` for appending; `fresh`: truncates it.
pub(crate) fn append_to(path: &CStr, fresh: bool) -> io::Result<RawFd> {
    let empty = if fresh { libc::O_TRUNC } else { 0 };
    let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_APPEND | libc::O_CLOEXEC | empty;
    // SAFETY: a terminated path.
    match unsafe { libc::open(path.as_ptr(), flags, 0o666) } {
        -1 => Err(io::Error::last_os_error()),
        fd => Ok(fd),
    }
}

/// Writes all of `bytes`, or returns the error number of the failed write. A limit on the size of files (`ulimit -f`) is
/// reported as such an error, not by a signal. May be called in a signal handler.
pub(crate) fn write_all(fd: RawFd, bytes: &[u8]) -> Result<(), c_int> {
    let too_long = Mask::of(&[libc::SIGXFSZ]);
    if !is_limited() || Mask::is_blocked(libc::SIGXFSZ) {
        return write_each(fd, bytes);
    }
    too_long.block();
    let written = write_each(fd, bytes);
    if written == Err(libc::EFBIG) {
        // The signal is pending in this thread.
        too_long.wait(Some(Duration::ZERO));
    }
    too_long.unblock();
    written
}

/// Whether the size of files is limited.
fn is_limited() -> bool {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: `limit` lives here.
    unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &mut limit) };
    limit.rlim_cur != libc::RLIM_INFINITY
}

fn write_each(fd: RawFd, mut bytes: &[u8]) -> Result<(), c_int> {
    while !bytes.is_empty() {
        // SAFETY: pointer and length of a slice.
        match unsafe { libc::write(fd, bytes.as_ptr().cast(), bytes.len()) } {
            -1 if errno() == libc::EINTR => {}
            -1 if errno() == libc::EAGAIN && super::process::is_writable(fd, 1000) => {}
            -1 => return Err(errno()),
            0 => return Err(libc::EIO),
            n => bytes = &bytes[n as usize..],
        }
    }
    Ok(())
}

/// The start of a small text file, as far as it fits `buf`.
pub(crate) fn read_small<'a>(path: &CStr, buf: &'a mut [u8]) -> Option<&'a str> {
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
        std::str::from_utf8(&buf[..len]).ok()
    }
}

/// The entries of directory `path` whose names are numbers. Uses the system call, because
/// the C library's functions use malloc.
pub(crate) fn numbers_in(path: &CStr) -> Vec<i32> {
    /// Inode, offset (8 bytes each), length of the record (2), type (1); then the name.
    const NAME: usize = 19;
    let mut numbers = Vec::new();
    // SAFETY: a terminated path.
    let fd = unsafe { libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_DIRECTORY | libc::O_CLOEXEC) };
    if fd < 0 {
        return numbers;
    }
    let mut block = [0u8; 4096];
    loop {
        // SAFETY: a buffer with its length.
        let got = unsafe { libc::syscall(libc::SYS_getdents64, fd, block.as_mut_ptr(), block.len()) };
        let Some(mut records) = usize::try_from(got).ok().filter(|&got| got > 0).map(|got| &block[..got]) else {
            break;
        };
        while let Some(record) = records.get(..NAME) {
            let len = usize::from(u16::from_ne_bytes([record[16], record[17]])).clamp(NAME, records.len());
            let name = CStr::from_bytes_until_nul(&records[NAME..len]).unwrap_or(c"");
            numbers.extend(name.to_str().ok().and_then(|name| name.parse::<i32>().ok()));
            records = &records[len..];
        }
    }
    super::process::close(fd);
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threads_of_this_process_are_numbers_in_a_directory() {
        let threads = numbers_in(c"/proc/self/task");
        assert!(threads.contains(&super::super::process::thread_id()), "{threads:?}");
        assert!(numbers_in(c"/proc").len() > 1 && numbers_in(c"/nowhere").is_empty());
    }

    #[test]
    fn a_file_that_takes_no_more_says_why() {
        let full = append_to(c"/dev/full", false).unwrap();
        assert_eq!(write_all(full, b"a line\n"), Err(libc::ENOSPC));
        super::super::process::close(full);
    }
}
