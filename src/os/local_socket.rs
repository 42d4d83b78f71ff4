//! Sockets between processes of this machine that were started separately: found by a name that is in no file system and
//! ends with its owner (Linux's abstract names). They transfer whole messages, and descriptors with them.
//!
//! # Safety
//! Addresses, buffers and control messages live until their call returns; descriptors that arrive are this process's
//! to own.
#![allow(unsafe_code)]

use std::io;
use std::mem::{offset_of, zeroed};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use libc::{c_int, c_void};

/// The longest message.
pub(crate) const MOST_BYTES: usize = 16 << 10;
/// The kernel's bound on the descriptors of one message is 253.
pub(crate) const MOST_FILES: usize = 240;

/// The process at the other end, as it was when it connected or listened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LocalPeer {
    /// 0 if it is in a PID namespace that this process does not see.
    pub pid: i32,
    pub uid: u32,
}

fn checked(result: c_int) -> io::Result<c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

fn socket() -> io::Result<OwnedFd> {
    // SAFETY: integers; the descriptor is open (checked), and nobody else has it.
    unsafe {
        let fd = libc::socket(libc::AF_UNIX, libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK, 0);
        checked(fd).map(|fd| OwnedFd::from_raw_fd(fd))
    }
}

/// The abstract name `name` as an address, and its length.
fn address(name: &str) -> (libc::sockaddr_un, libc::socklen_t) {
    // SAFETY: all zeros is an address.
    let mut address: libc::sockaddr_un = unsafe { zeroed() };
    address.sun_family = libc::AF_UNIX as _;
    let room = address.sun_path.len() - 1;
    assert!(!name.is_empty() && name.len() <= room);
    for (to, from) in address.sun_path[1..].iter_mut().zip(name.bytes()) {
        *to = from as _;
    }
    (address, (offset_of!(libc::sockaddr_un, sun_path) + 1 + name.len()) as libc::socklen_t)
}

/// Listens under `name`, which must be free.
pub(crate) fn listen(name: &str) -> io::Result<OwnedFd> {
    let (socket, (address, len)) = (socket()?, address(name));
    // SAFETY: an address of that length; integers.
    unsafe {
        checked(libc::bind(socket.as_raw_fd(), (&raw const address).cast(), len))?;
        checked(libc::listen(socket.as_raw_fd(), libc::SOMAXCONN))?;
    }
    Ok(socket)
}

/// Whether this process is the first to claim `name`; it then owns the name until it ends. May be called in a signal
/// handler.
pub(crate) fn claim(name: &str) -> bool {
    let Ok(socket) = socket() else { return true };
    let (address, len) = address(name);
    // SAFETY: an address of that length.
    let bound = checked(unsafe { libc::bind(socket.as_raw_fd(), (&raw const address).cast(), len) });
    std::mem::forget(socket);
    bound.is_ok_and(|_| true)
}

/// Accepts a pending connection. Fails with `WouldBlock` if there is none.
pub(crate) fn accept(listener: &OwnedFd) -> io::Result<OwnedFd> {
    let flags = libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
    // SAFETY: no address is requested; the descriptor is open (checked), and has no other owner.
    unsafe {
        let fd = libc::accept4(listener.as_raw_fd(), std::ptr::null_mut(), std::ptr::null_mut(), flags);
        checked(fd).map(|fd| OwnedFd::from_raw_fd(fd))
    }
}

/// Connects to the process that listens under `name`.
pub(crate) fn connect(name: &str) -> io::Result<OwnedFd> {
    let (socket, (address, len)) = (socket()?, address(name));
    // SAFETY: an address of that length.
    checked(unsafe { libc::connect(socket.as_raw_fd(), (&raw const address).cast(), len) })?;
    Ok(socket)
}

pub(crate) fn peer(socket: &OwnedFd) -> io::Result<LocalPeer> {
    let mut peer = libc::ucred { pid: 0, uid: 0, gid: 0 };
    let mut len = size_of_val(&peer) as libc::socklen_t;
    let at = (&raw mut peer).cast::<c_void>();
    // SAFETY: `len` bytes of a record that lives here.
    checked(unsafe { libc::getsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, libc::SO_PEERCRED, at, &mut len) })?;
    Ok(LocalPeer { pid: peer.pid, uid: peer.uid })
}

/// The user on whose behalf this process acts.
pub(crate) fn own_uid() -> u32 {
    // SAFETY: no arguments.
    unsafe { libc::geteuid() }
}

/// Room for the descriptors of a message, aligned as their header.
#[repr(C, align(8))]
struct PassedFd([u8; CONTROL]);

// SAFETY: arithmetic.
const CONTROL: usize = unsafe { libc::CMSG_SPACE((MOST_FILES * size_of::<c_int>()) as u32) } as usize;

/// Sends `bytes` and `files` as one message. Fails with `WouldBlock` if there is no room.
pub(crate) fn send(to: &OwnedFd, bytes: &[u8], files: &[BorrowedFd<'_>]) -> io::Result<()> {
    assert!(!bytes.is_empty() && bytes.len() <= MOST_BYTES && files.len() <= MOST_FILES);
    let mut part = libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
    let mut control = PassedFd([0; CONTROL]);
    loop {
        // SAFETY: an empty header, then the parts above; the control message has room for `MOST_FILES` (`CONTROL`).
        let sent = unsafe {
            let mut message: libc::msghdr = zeroed();
            message.msg_iov = &mut part;
            message.msg_iovlen = 1;
            if !files.is_empty() {
                let len = size_of_val(files) as u32;
                message.msg_control = (&raw mut control).cast();
                message.msg_controllen = libc::CMSG_SPACE(len) as _;
                let head = libc::CMSG_FIRSTHDR(&message);
                (*head).cmsg_level = libc::SOL_SOCKET;
                (*head).cmsg_type = libc::SCM_RIGHTS;
                (*head).cmsg_len = libc::CMSG_LEN(len) as _;
                for (at, file) in files.iter().enumerate() {
                    libc::CMSG_DATA(head).cast::<c_int>().add(at).write_unaligned(file.as_raw_fd());
                }
            }
            libc::sendmsg(to.as_raw_fd(), &message, libc::MSG_NOSIGNAL)
        };
        match sent {
            -1 if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => {}
            -1 => return Err(io::Error::last_os_error()),
            _ => return Ok(()),
        }
    }
}

/// Takes a message and the descriptors that came with it. No bytes: the other end is closed. Fails with `WouldBlock`
/// where there is none.
pub(crate) fn receive(from: &OwnedFd) -> io::Result<(Vec<u8>, Vec<OwnedFd>)> {
    // Not on the heap: callers keep short messages of many peers.
    let mut bytes = [0u8; MOST_BYTES];
    let mut part = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
    let mut control = PassedFd([0; CONTROL]);
    let mut files = Vec::new();
    loop {
        // SAFETY: an empty header, then room for bytes and descriptors, which live here; the headers that the kernel has
        // written there are walked through by its own macros, and each descriptor is new.
        let got = unsafe {
            let mut message: libc::msghdr = zeroed();
            message.msg_iov = &mut part;
            message.msg_iovlen = 1;
            message.msg_control = (&raw mut control).cast();
            message.msg_controllen = CONTROL as _;
            let got = libc::recvmsg(from.as_raw_fd(), &mut message, libc::MSG_CMSG_CLOEXEC);
            let mut head = if got >= 0 { libc::CMSG_FIRSTHDR(&message) } else { std::ptr::null_mut() };
            while !head.is_null() {
                if (*head).cmsg_level == libc::SOL_SOCKET && (*head).cmsg_type == libc::SCM_RIGHTS {
                    let len = (*head).cmsg_len as usize - libc::CMSG_LEN(0) as usize;
                    for at in 0..len / size_of::<c_int>() {
                        let fd = libc::CMSG_DATA(head).cast::<c_int>().add(at).read_unaligned();
                        files.push(OwnedFd::from_raw_fd(fd));
                    }
                }
                head = libc::CMSG_NXTHDR(&message, head);
            }
            if got >= 0 && message.msg_flags & (libc::MSG_TRUNC | libc::MSG_CTRUNC) != 0 {
                return Err(io::Error::other(
                    "a message is longer than expected, or too few files may be open (ulimit -n)",
                ));
            }
            got
        };
        match got {
            -1 if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => {}
            -1 => return Err(io::Error::last_os_error()),
            got => {
                return Ok((bytes[..got as usize].to_vec(), files));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsFd;

    #[test]
    fn who_knows_the_name_gets_whole_messages_and_descriptors() {
        let name = format!("gasnet-test-{}", std::process::id());
        let listener = listen(&name).unwrap();
        assert!(listen(&name).is_err(), "a name has one owner");
        let here = connect(&name).unwrap();
        let there = accept(&listener).unwrap();
        assert_eq!(peer(&there).unwrap(), LocalPeer { pid: std::process::id() as i32, uid: own_uid() });
        let (reading, writing) = crate::os::files::pipe().unwrap();
        send(&here, b"one", &[writing.as_fd()]).unwrap();
        send(&here, b"two", &[]).unwrap();
        let (bytes, files) = receive(&there).unwrap();
        assert_eq!((bytes.as_slice(), files.len()), (&b"one"[..], 1));
        assert_eq!(receive(&there).unwrap().0, b"two");
        assert_eq!(receive(&there).unwrap_err().kind(), io::ErrorKind::WouldBlock);
        drop((writing, here));
        std::fs::File::from(files.into_iter().next().unwrap()).set_len(0).unwrap_err();
        assert!(receive(&there).unwrap().0.is_empty(), "closed");
        assert_eq!(io::read_to_string(reading).unwrap(), "");
        drop(listener);
        assert!(connect(&name).is_err(), "a name goes with its owner");
    }
}
