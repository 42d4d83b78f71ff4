//! A rank's UDP socket, IPv4 or IPv6. It sends the engine's datagrams with segmentation offload where the kernel has it,
//! receives several datagrams in one call and with receive offload, and forbids fragmentation. One thread at a time may
//! receive, into buffers that it passes; any thread may send. (quinn-udp sends from one slice only; here headers, client
//! memory and tags are gathered by the kernel.) Frequent system calls bypass the C library, whose functions are
//! cancellation points and cost a tenth more once there are threads.
//!
//! # Safety
//! System calls get pointers into memory that outlives the call: buffers of this struct, of the caller's borrow, or
//! `Src` views, which are readable for their length. `Src` and `iovec` are read by the kernel only.
#![allow(unsafe_code)]

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6, UdpSocket};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

use core::ffi::{c_int, c_long, c_void};
use core::mem::{MaybeUninit, zeroed};

use super::held::{Datagrams, Went};
use crate::fatal::fatal;
use crate::mem::Src;
use crate::os::process::{errno, error_text, is_forbidden};
use crate::os::sleep::now_ns;
use crate::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Datagrams, each perhaps many in one by receive offload, that one call receives.
const BURST: usize = 8;
/// The largest buffer that receive offload fills.
const LARGEST: usize = 65536;
/// Pieces of datagrams that one call sends.
const MOST_PIECES: usize = 256;

const CONTROL: usize = 64;

pub(crate) struct Socket {
    fd: OwnedFd,
    is_v6: bool,
    /// The kernel cuts the buffer into segments.
    has_gso: AtomicBool,
    /// A datagram has left.
    has_sent: AtomicBool,
    /// The time at which the kernel first refused to send a datagram; 0: it never has.
    refused_at_ns: AtomicU64,
    /// The capacity of the receive buffer in bytes, as the kernel counts.
    pub receives: usize,
}

/// A control buffer, aligned as the kernel wants.
#[repr(align(8))]
#[derive(Clone, Copy)]
struct ControlData([u8; CONTROL]);

/// Where datagrams are received.
pub(crate) struct ReceiveBuffers {
    bytes: Box<[u8]>,
    from: [MaybeUninit<libc::sockaddr_storage>; BURST],
    control: [ControlData; BURST],
    /// The number of datagrams that the next call asks for: one while they arrive singly, since a call that finds
    /// fewer than it asks for checks the socket twice.
    burst: usize,
    /// Datagrams that came with others and that receive offload would have combined; after [`WORTH`] of them it is enabled,
    /// and calls cost more.
    worth: u32,
    /// A filter forbids recvmmsg: one call takes one datagram.
    is_alone: bool,
}

/// Sizes of datagrams that arrive back to back from other hosts, and how many make receive offload worthwhile.
const TRAIN: core::ops::Range<usize> = 1000..16_000;
const WORTH: u32 = 64;

impl ReceiveBuffers {
    pub(crate) fn new() -> ReceiveBuffers {
        ReceiveBuffers {
            // A page is touched only when a datagram of that length arrives.
            bytes: vec![0; BURST * LARGEST].into_boxed_slice(),
            from: [MaybeUninit::zeroed(); BURST],
            control: [ControlData([0; CONTROL]); BURST],
            burst: 1,
            worth: 0,
            is_alone: false,
        }
    }
}

impl Default for ReceiveBuffers {
    fn default() -> ReceiveBuffers {
        ReceiveBuffers::new()
    }
}

fn checked(result: c_int) -> io::Result<c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

impl Socket {
    /// Takes over a bound socket, and asks the kernel to hold `buffer` bytes each way.
    pub(crate) fn of(bound: UdpSocket, buffer: usize) -> io::Result<Socket> {
        bound.set_nonblocking(true)?;
        let is_v6 = bound.local_addr()?.is_ipv6();
        Socket::prepare(bound.into(), is_v6, buffer)
    }

    fn prepare(fd: OwnedFd, is_v6: bool, buffer: usize) -> io::Result<Socket> {
        let (no, never) = (|| AtomicBool::new(false), AtomicU64::new(0));
        let mut socket = Socket { fd, is_v6, has_gso: no(), has_sent: no(), refused_at_ns: never, receives: 0 };
        let (level, discover, dont) = match is_v6 {
            true => (libc::IPPROTO_IPV6, libc::IPV6_MTU_DISCOVER, libc::IPV6_PMTUDISC_PROBE),
            false => (libc::IPPROTO_IP, libc::IP_MTU_DISCOVER, libc::IP_PMTUDISC_PROBE),
        };
        if is_v6 {
            // Fails for a bound socket, which keeps its setting.
            let _ = socket.set(libc::IPPROTO_IPV6, libc::IPV6_V6ONLY, 1);
        }
        socket.set(level, discover, dont)?;
        for (forced, plain) in [(libc::SO_RCVBUFFORCE, libc::SO_RCVBUF), (libc::SO_SNDBUFFORCE, libc::SO_SNDBUF)] {
            let wanted = buffer.min(c_int::MAX as usize / 2) as c_int;
            if socket.set(libc::SOL_SOCKET, forced, wanted).is_err() {
                socket.set(libc::SOL_SOCKET, plain, wanted)?;
            }
        }
        socket.receives = socket.get(libc::SOL_SOCKET, libc::SO_RCVBUF)? as usize;
        // Fails on kernels without segmentation offload; a segment size of 0 changes nothing.
        socket.has_gso = AtomicBool::new(socket.set(libc::SOL_UDP, libc::UDP_SEGMENT, 0).is_ok());
        Ok(socket)
    }

    fn set(&self, level: c_int, name: c_int, value: c_int) -> io::Result<()> {
        let len = size_of::<c_int>() as libc::socklen_t;
        // SAFETY: the option is a c_int.
        checked(unsafe { libc::setsockopt(self.fd.as_raw_fd(), level, name, (&raw const value).cast(), len) })
            .map(|_| ())
    }

    fn get(&self, level: c_int, name: c_int) -> io::Result<c_int> {
        let (mut value, mut len): (c_int, _) = (0, size_of::<c_int>() as libc::socklen_t);
        // SAFETY: the option is a c_int, and `len` is its size.
        checked(unsafe { libc::getsockopt(self.fd.as_raw_fd(), level, name, (&raw mut value).cast(), &mut len) })?;
        Ok(value)
    }

    pub(crate) fn raw(&self) -> RawFd {
        self.fd.as_raw_fd()
    }

    /// Sends datagrams of the engine to `at`. Datagrams that the network refuses count as lost.
    pub(crate) fn send(&self, at: SocketAddr, datagrams: &Datagrams<'_>) -> Went {
        let Datagrams { pieces, segment, .. } = *datagrams;
        if datagrams.may_fragment {
            self.fragment(true);
            let went = self.send_each(at, pieces, segment);
            self.fragment(false);
            return went;
        }
        // Relaxed: with an old value the kernel reports an error.
        if datagrams.count() == 1 {
            return self.send_one(at, pieces, 0);
        }
        if !self.has_gso.load(Ordering::Relaxed) || pieces.len() > MOST_PIECES {
            return self.send_each(at, pieces, segment);
        }
        match self.send_one(at, pieces, segment as u16) {
            // The device has no segmentation offload, or the datagrams are too large for it.
            Went::TooLarge => self.send_each(at, pieces, segment),
            went => went,
        }
    }

    /// Sends one datagram, as it is.
    #[cfg(test)]
    pub(crate) fn send_bytes(&self, at: SocketAddr, bytes: &[u8]) -> Went {
        self.send_flat(at, Src::of(bytes))
    }

    fn fragment(&self, allow: bool) {
        let _ = match (self.is_v6, allow) {
            (true, true) => self.set(libc::IPPROTO_IPV6, libc::IPV6_MTU_DISCOVER, libc::IPV6_PMTUDISC_DONT),
            (true, false) => self.set(libc::IPPROTO_IPV6, libc::IPV6_MTU_DISCOVER, libc::IPV6_PMTUDISC_PROBE),
            (false, true) => self.set(libc::IPPROTO_IP, libc::IP_MTU_DISCOVER, libc::IP_PMTUDISC_DONT),
            (false, false) => self.set(libc::IPPROTO_IP, libc::IP_MTU_DISCOVER, libc::IP_PMTUDISC_PROBE),
        };
    }

    /// One call for each datagram: bytes `i * segment..` of the pieces.
    fn send_each(&self, at: SocketAddr, pieces: &[Src<'_>], segment: usize) -> Went {
        let mut one: Vec<Src<'_>> = Vec::new();
        let mut room = segment;
        let mut worst = Went::Out;
        for &piece in pieces {
            let mut from = 0;
            while from < piece.len() {
                let len = room.min(piece.len() - from);
                one.push(piece.part(from, len));
                from += len;
                room -= len;
                if room == 0 {
                    worst = worse(worst, self.send_one(at, &one, 0));
                    one.clear();
                    room = segment;
                }
            }
        }
        if one.is_empty() { worst } else { worse(worst, self.send_one(at, &one, 0)) }
    }

    /// One call. `segment` 0: one datagram.
    fn send_one(&self, at: SocketAddr, pieces: &[Src<'_>], segment: u16) -> Went {
        const NONE: libc::iovec = libc::iovec { iov_base: core::ptr::null_mut(), iov_len: 0 };
        match pieces.len() {
            1 if segment == 0 => self.send_flat(at, pieces[0]),
            0..=4 => self.send_pieces(at, pieces, segment, &mut [NONE; 4]),
            _ => self.send_pieces(at, pieces, segment, &mut [NONE; MOST_PIECES]),
        }
    }

    fn send_pieces(&self, at: SocketAddr, pieces: &[Src<'_>], segment: u16, iov: &mut [libc::iovec]) -> Went {
        for (to, piece) in iov.iter_mut().zip(pieces) {
            *to = libc::iovec { iov_base: piece.as_ptr().cast_mut().cast(), iov_len: piece.len() };
        }
        let (mut address, len) = to_raw(at);
        let mut control = ControlData([0; CONTROL]);
        // SAFETY: all zeros is an empty message.
        let mut message: libc::msghdr = unsafe { zeroed() };
        message.msg_name = (&raw mut address).cast();
        message.msg_namelen = len;
        message.msg_iov = iov.as_mut_ptr();
        message.msg_iovlen = pieces.len().min(iov.len());
        if segment > 0 {
            message.msg_control = control.0.as_mut_ptr().cast();
            // SAFETY: `control` is aligned and has room for one header and a u16, which is all that is written.
            unsafe {
                message.msg_controllen = libc::CMSG_SPACE(2) as usize;
                let head = libc::CMSG_FIRSTHDR(&message);
                (*head).cmsg_level = libc::SOL_UDP;
                (*head).cmsg_type = libc::UDP_SEGMENT;
                (*head).cmsg_len = libc::CMSG_LEN(2) as usize;
                libc::CMSG_DATA(head).cast::<u16>().write_unaligned(segment);
            }
        }
        // SAFETY: everything that `message` points to lives until the call returns.
        self.sent(segment, || unsafe { libc::syscall(libc::SYS_sendmsg, self.fd.as_raw_fd(), &raw const message, 0) })
    }

    /// One datagram in one piece: the cheapest call.
    fn send_flat(&self, at: SocketAddr, piece: Src<'_>) -> Went {
        let (address, len) = to_raw(at);
        let fd = self.fd.as_raw_fd();
        // SAFETY: `piece` is readable for its length (`Src::new`), and the address has `len` bytes.
        self.sent(0, || unsafe {
            libc::syscall(libc::SYS_sendto, fd, piece.as_ptr(), piece.len(), 0, &raw const address, len)
        })
    }

    fn sent(&self, segment: u16, call: impl Fn() -> c_long) -> Went {
        loop {
            if call() >= 0 {
                // Relaxed, as below: only `refused` reads it.
                if !self.has_sent.load(Ordering::Relaxed) {
                    self.has_sent.store(true, Ordering::Relaxed);
                }
                return Went::Out;
            }
            match io::Error::last_os_error().raw_os_error() {
                Some(libc::EINTR) => {}
                Some(libc::EAGAIN | libc::ENOBUFS | libc::ENOMEM) => return Went::NotNow,
                Some(libc::EMSGSIZE) => return Went::TooLarge,
                Some(libc::EIO | libc::EINVAL) if segment > 0 => {
                    self.has_gso.store(false, Ordering::Relaxed);
                    return Went::TooLarge;
                }
                Some(errno @ (libc::EPERM | libc::EACCES | libc::ENOSYS)) => {
                    self.refused(errno);
                    return Went::Out;
                }
                // Connection refused or unreachable: the timeout of the peer reports it.
                _ => return Went::Out,
            }
        }
    }

    /// The kernel refused to send. A firewall may refuse some datagrams for a while, which count as lost; if none has
    /// been sent after 2 s, or the system call is filtered, the job ends.
    #[cold]
    fn refused(&self, errno: c_int) {
        const LIMIT_NS: u64 = 2_000_000_000;
        let now = now_ns();
        let first = self.refused_at_ns.compare_exchange(0, now, Ordering::Relaxed, Ordering::Relaxed);
        let lasted = now - first.err().unwrap_or(now);
        if !self.has_sent.load(Ordering::Relaxed) && (errno == libc::ENOSYS || lasted > LIMIT_NS) {
            let why = error_text(errno);
            fatal!("udp: no datagram can be sent: sendto: {why} (a firewall, or a filter of system calls)");
        }
    }

    /// A receive call failed: there was no datagram, it reports an earlier send's error, or the system call is
    /// filtered, which ends the job.
    fn not_received(&self) {
        let errno = errno();
        if matches!(errno, libc::EPERM | libc::EACCES | libc::ENOSYS) {
            fatal!("udp: no datagram can be received: recvfrom: {} (a filter of system calls)", error_text(errno));
        }
    }

    /// Receives datagrams and calls `each` with each and its sender; returns their number, 0 if there were none.
    #[inline]
    pub(crate) fn receive(&self, inbox: &mut ReceiveBuffers, each: impl FnMut(SocketAddr, &mut [u8])) -> usize {
        if inbox.burst == 1 && inbox.worth < WORTH {
            self.receive_one(inbox, each)
        } else {
            self.receive_many(inbox, each)
        }
    }

    fn note_train(&self, inbox: &mut ReceiveBuffers, bytes: usize) {
        if inbox.worth < WORTH && TRAIN.contains(&bytes) {
            inbox.worth += 1;
            if inbox.worth == WORTH {
                let _ = self.set(libc::SOL_UDP, libc::UDP_GRO, 1);
            }
        }
    }

    fn receive_one(&self, inbox: &mut ReceiveBuffers, mut each: impl FnMut(SocketAddr, &mut [u8])) -> usize {
        let mut len = size_of::<libc::sockaddr_storage>() as libc::socklen_t;
        let (bytes, from) = (inbox.bytes.as_mut_ptr(), inbox.from[0].as_mut_ptr());
        // SAFETY: `inbox` has LARGEST bytes and more, and an address of `len` bytes.
        let got = unsafe {
            let fd = self.fd.as_raw_fd();
            libc::syscall(libc::SYS_recvfrom, fd, bytes, LARGEST, libc::MSG_DONTWAIT, from, &raw mut len)
        };
        let Ok(got) = usize::try_from(got) else {
            self.not_received();
            return 0;
        };
        inbox.burst = if inbox.is_alone { 1 } else { 2 };
        // SAFETY: zeroed at first, and filled by the kernel up to `len`.
        let Some(from) = of_raw(unsafe { inbox.from[0].assume_init_ref() }) else { return 0 };
        each(from, &mut inbox.bytes[..got]);
        1
    }

    fn receive_many(&self, inbox: &mut ReceiveBuffers, mut each: impl FnMut(SocketAddr, &mut [u8])) -> usize {
        // SAFETY: all zeros is an empty message.
        let mut messages: [libc::mmsghdr; BURST] = unsafe { zeroed() };
        let mut iov = [libc::iovec { iov_base: core::ptr::null_mut(), iov_len: 0 }; BURST];
        for (i, bytes) in inbox.bytes.chunks_exact_mut(LARGEST).enumerate().take(inbox.burst) {
            iov[i] = libc::iovec { iov_base: bytes.as_mut_ptr().cast::<c_void>(), iov_len: LARGEST };
            let head = &mut messages[i].msg_hdr;
            head.msg_name = inbox.from[i].as_mut_ptr().cast();
            head.msg_namelen = size_of::<libc::sockaddr_storage>() as libc::socklen_t;
            head.msg_iov = &raw mut iov[i];
            head.msg_iovlen = 1;
            head.msg_control = inbox.control[i].0.as_mut_ptr().cast();
            head.msg_controllen = CONTROL;
        }
        // SAFETY: everything that `messages` points to lives until the call returns.
        let got = unsafe {
            let flags = libc::MSG_DONTWAIT;
            let (fd, none) = (self.fd.as_raw_fd(), core::ptr::null_mut::<libc::timespec>());
            libc::syscall(libc::SYS_recvmmsg, fd, messages.as_mut_ptr(), inbox.burst as u32, flags, none)
        };
        if got < 0 && is_forbidden(&io::Error::last_os_error()) {
            // The second datagram of a socket is the first to be received so: no receive offload is enabled yet.
            (inbox.is_alone, inbox.burst, inbox.worth) = (true, 1, 0);
            return 0;
        }
        let mut count = 0;
        inbox.burst = if got == inbox.burst as c_long { (2 * inbox.burst).min(BURST) } else { got.max(1) as usize };
        for (i, message) in messages[..got.max(0) as usize].iter().enumerate() {
            // SAFETY: zeroed at first, and filled by the kernel up to `msg_namelen`.
            let Some(from) = of_raw(unsafe { inbox.from[i].assume_init_ref() }) else { continue };
            let whole = (message.msg_len as usize).min(LARGEST);
            if got > 1 {
                self.note_train(inbox, whole);
            }
            let bytes = &mut inbox.bytes[i * LARGEST..i * LARGEST + whole];
            let segment = segment_of(&message.msg_hdr).filter(|&segment| segment > 0).unwrap_or(whole.max(1));
            if bytes.is_empty() {
                each(from, bytes);
                count += 1;
            }
            for datagram in bytes.chunks_mut(segment) {
                each(from, datagram);
                count += 1;
            }
        }
        count
    }
}

fn worse(a: Went, b: Went) -> Went {
    if a == Went::Out { b } else { a }
}

/// The size of the datagrams that receive offload combined; None: a single datagram.
fn segment_of(head: &libc::msghdr) -> Option<usize> {
    // SAFETY: the kernel filled the control buffer up to `msg_controllen`, and the macros stay inside.
    unsafe {
        let mut at = libc::CMSG_FIRSTHDR(head);
        while !at.is_null() {
            if (*at).cmsg_level == libc::SOL_UDP && (*at).cmsg_type == libc::UDP_GRO {
                return usize::try_from(libc::CMSG_DATA(at).cast::<c_int>().read_unaligned()).ok();
            }
            at = libc::CMSG_NXTHDR(head, at);
        }
    }
    None
}

fn to_raw(address: SocketAddr) -> (libc::sockaddr_storage, libc::socklen_t) {
    // SAFETY: all zero is an address of no family.
    let mut raw: libc::sockaddr_storage = unsafe { zeroed() };
    let len = match address {
        SocketAddr::V4(v4) => {
            let to: *mut libc::sockaddr_in = (&raw mut raw).cast();
            // SAFETY: the storage is large enough and aligned for every kind of address.
            unsafe {
                (*to).sin_family = libc::AF_INET as libc::sa_family_t;
                (*to).sin_port = v4.port().to_be();
                (*to).sin_addr.s_addr = u32::from_ne_bytes(v4.ip().octets());
            }
            size_of::<libc::sockaddr_in>()
        }
        SocketAddr::V6(v6) => {
            let to: *mut libc::sockaddr_in6 = (&raw mut raw).cast();
            // SAFETY: the storage is large enough and aligned for every kind of address.
            unsafe {
                (*to).sin6_family = libc::AF_INET6 as libc::sa_family_t;
                (*to).sin6_port = v6.port().to_be();
                (*to).sin6_flowinfo = v6.flowinfo();
                (*to).sin6_addr.s6_addr = v6.ip().octets();
                (*to).sin6_scope_id = v6.scope_id();
            }
            size_of::<libc::sockaddr_in6>()
        }
    };
    (raw, len as libc::socklen_t)
}

fn of_raw(raw: &libc::sockaddr_storage) -> Option<SocketAddr> {
    match c_int::from(raw.ss_family) {
        libc::AF_INET => {
            // SAFETY: its family is AF_INET.
            let v4 = unsafe { &*core::ptr::from_ref(raw).cast::<libc::sockaddr_in>() };
            let ip = Ipv4Addr::from(v4.sin_addr.s_addr.to_ne_bytes());
            Some(SocketAddr::V4(SocketAddrV4::new(ip, u16::from_be(v4.sin_port))))
        }
        libc::AF_INET6 => {
            // SAFETY: its family is AF_INET6.
            let v6 = unsafe { &*core::ptr::from_ref(raw).cast::<libc::sockaddr_in6>() };
            let ip = Ipv6Addr::from(v6.sin6_addr.s6_addr);
            let port = u16::from_be(v6.sin6_port);
            Some(SocketAddr::V6(SocketAddrV6::new(ip, port, v6.sin6_flowinfo, v6.sin6_scope_id)))
        }
        _ => None,
    }
}
