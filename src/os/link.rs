//! Reliable links between processes of this machine that preserve message boundaries: Unix sockets made before a fork.
//! Any number of processes may write to one end; one process reads from the other end.
//!
//! # Safety
//! Buffers live until their call returns; views of foreign memory carry their creator's promise.
#![allow(unsafe_code)]

use core::ffi::c_int;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use crate::fatal::fatal;
use crate::mem::{self, Src};
use crate::os::process::{self, errno};

/// A writing and a reading end.
pub(crate) fn link() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [-1; 2];
    let kind = libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
    // SAFETY: room for two descriptors.
    if unsafe { libc::socketpair(libc::AF_UNIX, kind, 0, ends.as_mut_ptr()) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: open (checked), and nobody else has them.
    Ok(unsafe { (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) })
}

/// Writes `head` and `payload` as one message. False if the pipe is full; writes to a closed pipe are ignored. A
/// payload that cannot be read is a fault of the calling thread, as any copy of it would be.
pub(crate) fn send(to: &OwnedFd, head: &[u64], payload: Src<'_>) -> bool {
    let mut parts = [
        libc::iovec { iov_base: head.as_ptr().cast_mut().cast(), iov_len: size_of_val(head) },
        libc::iovec { iov_base: payload.as_ptr().cast_mut().cast(), iov_len: payload.len() },
    ];
    loop {
        // SAFETY: all zeros is an empty msghdr.
        let mut message: libc::msghdr = unsafe { core::mem::zeroed() };
        message.msg_iov = parts.as_mut_ptr();
        message.msg_iovlen = parts.len() as _;
        // SAFETY: both parts are readable for their length (`head` is borrowed, `Src::new`); the kernel writes neither.
        let sent = unsafe { libc::sendmsg(to.as_raw_fd(), &message, libc::MSG_NOSIGNAL | libc::MSG_DONTWAIT) };
        match errno() {
            _ if sent >= 0 => return true,
            libc::EINTR => {}
            libc::EAGAIN | libc::ENOBUFS | libc::ENOMEM => return false,
            libc::EPIPE | libc::ECONNRESET | libc::ECONNREFUSED | libc::ENOTCONN => return true,
            // Faults, unless the memory has been mapped in the meantime.
            libc::EFAULT => mem::read(&mut vec![0; payload.len()], payload),
            errno => {
                let bytes = size_of_val(head) + payload.len();
                fatal!("a message of {bytes} bytes cannot be written to a socket: {}", process::error_text(errno))
            }
        }
    }
}

/// Reads a message into `buffer`; returns its bytes, or None if there is none.
pub(crate) fn receive(from: &OwnedFd, buffer: &mut [u64]) -> Option<usize> {
    let (at, room) = (buffer.as_mut_ptr().cast(), size_of_val(buffer));
    loop {
        // SAFETY: `room` bytes of a buffer of ours.
        let got = unsafe { libc::recv(from.as_raw_fd(), at, room, libc::MSG_DONTWAIT) };
        if got > 0 {
            return Some(got as usize);
        }
        if got == 0 || errno() != libc::EINTR {
            return None;
        }
    }
}

/// The descriptor's number, for a wait.
pub(crate) fn number(fd: &OwnedFd) -> c_int {
    fd.as_raw_fd()
}
