//! The socket between a rank and its launcher: reading has a time limit, and writing takes no lock and allocates nothing.

use core::ffi::c_int;
use std::io::{self, ErrorKind};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, FdFlag, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{MsgFlags, send};
use nix::unistd::{read, write};
use parking_lot::Mutex;

use crate::env;
use crate::os::process;

/// The time limit for a launcher's answer, and for all ranks to enter a fence.
pub(crate) fn patience() -> Duration {
    Duration::from_secs_f64(env::dbl("GASNET_SPAWN_TIMEOUT"))
}

/// The longest message of a launcher: twice the longest value.
const MOST_BYTES: usize = 1 << 17;

pub(crate) struct Connection {
    socket: OwnedFd,
    came: Mutex<Vec<u8>>,
    patience: Duration,
}

impl Connection {
    pub(crate) fn raw(&self) -> c_int {
        self.socket.as_raw_fd()
    }

    /// Takes over the descriptor that the launcher left open in this process. Programs that this one executes do not inherit
    /// it.
    pub(crate) fn inherited(fd: c_int) -> io::Result<Connection> {
        let socket = OwnedFd::from(process::inherited(fd)?);
        fcntl(&socket, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC))?;
        let flags = OFlag::from_bits_retain(fcntl(&socket, FcntlArg::F_GETFL)?);
        if flags & OFlag::O_ACCMODE != OFlag::O_RDWR {
            return Err(io::Error::other("it is not open for reading and writing"));
        }
        Ok(Connection { socket, came: Mutex::default(), patience: patience() })
    }

    /// To the address `HOST:PORT`.
    pub(crate) fn to(address: &str) -> io::Result<Connection> {
        let mut last = io::Error::other("the host has no address");
        for at in address.to_socket_addrs()? {
            match TcpStream::connect_timeout(&at, patience().max(Duration::from_millis(1))) {
                Ok(stream) => {
                    stream.set_nodelay(true)?;
                    return Ok(Connection { socket: stream.into(), came: Mutex::default(), patience: patience() });
                }
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    /// Writes all of `bytes`. May be called in a signal handler.
    pub(crate) fn send(&self, mut bytes: &[u8]) -> io::Result<()> {
        let fd = self.socket.as_raw_fd();
        while !bytes.is_empty() {
            let sent = match send(fd, bytes, MsgFlags::MSG_NOSIGNAL) {
                // A terminal or a file, when a user tries the protocol by hand.
                Err(Errno::ENOTSOCK) => write(&self.socket, bytes),
                sent => sent,
            };
            match sent {
                Ok(sent) => bytes = &bytes[sent..],
                Err(Errno::EINTR) => {}
                Err(Errno::EAGAIN) if process::is_writable(fd, 10_000) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
        Ok(())
    }

    /// Receives the next message. `whole` returns the length of the message that the received bytes begin with, or None while it
    /// is incomplete.
    pub(crate) fn receive(&self, whole: impl Fn(&[u8]) -> io::Result<Option<usize>>) -> io::Result<Vec<u8>> {
        let mut came = self.came.lock();
        let until = Instant::now() + self.patience;
        loop {
            if let Some(len) = whole(&came)? {
                let rest = came.split_off(len);
                return Ok(std::mem::replace(&mut came, rest));
            }
            if came.len() >= MOST_BYTES {
                return Err(io::Error::other("it sends a message without an end"));
            }
            self.wait(until)?;
            let mut block = [0; 4096];
            match read(&self.socket, &mut block) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(got) => came.extend_from_slice(&block[..got]),
                Err(Errno::EINTR | Errno::EAGAIN) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
    }

    /// Returns when there is something to read.
    fn wait(&self, until: Instant) -> io::Result<()> {
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(ErrorKind::TimedOut.into());
            }
            let mut file = [PollFd::new(self.socket.as_fd(), PollFlags::POLLIN)];
            let time = PollTimeout::try_from(left + Duration::from_millis(1)).unwrap_or(PollTimeout::MAX);
            match poll(&mut file, time) {
                Ok(0) | Err(Errno::EINTR) => {}
                Ok(_) => return Ok(()),
                Err(errno) => return Err(errno.into()),
            }
        }
    }

    /// Receives and discards bytes until `last` has arrived, for at most about 10 s: hydra fails if this process ends before its
    /// answer arrives, and needs more than a second for 1024 processes on two processors. May be called in a signal handler.
    pub(crate) fn wait_for(&self, last: &[u8]) {
        const TRIES: u32 = 1000;
        let (mut bytes, mut end) = ([0; 1024], 0);
        for _ in 0..TRIES {
            match poll(&mut [PollFd::new(self.socket.as_fd(), PollFlags::POLLIN)], 10u16) {
                Ok(0) | Err(Errno::EINTR) => continue,
                Ok(_) => {}
                Err(_) => return,
            }
            match read(&self.socket, &mut bytes[end..]) {
                Ok(0) => return,
                Ok(got) => end += got,
                Err(Errno::EINTR | Errno::EAGAIN) => continue,
                Err(_) => return,
            }
            if bytes[..end].windows(last.len()).any(|part| part == last) {
                return;
            }
            // Part of it may have arrived.
            let keep = end.min(last.len());
            bytes.copy_within(end - keep..end, 0);
            end = keep;
        }
    }
}

/// Why a launcher did not answer, for the user.
pub(crate) fn explained(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => {
            "the connection is closed, as its other end has ended".to_string()
        }
        ErrorKind::TimedOut => {
            format!("no answer within {} s (GASNET_SPAWN_TIMEOUT)", patience().as_secs_f64())
        }
        _ => error.to_string(),
    }
}

/// As `explained`, of the answer that comes when all ranks have come to a fence.
pub(crate) fn explained_in_fence(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::TimedOut => late_ranks(),
        _ => explained(error),
    }
}

/// The reason when ranks keep others waiting at a fence; launchers do not tell which ranks these are.
pub(crate) fn late_ranks() -> String {
    let waited = patience().as_secs_f64();
    format!(
        "not every rank has come to the exchange within {waited} s (GASNET_SPAWN_TIMEOUT): has each of the job's processes begun to start GASNet?"
    )
}
