//! A sealed connection between a task and the rendezvous of its step, with the frames of the control connection.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use crate::launch::control::{self, Frame, JobSecret, Nonce, Opener, Sealer, Side};

/// The time limit for the other side to read, and to answer while a connection opens.
const WRITE_LIMIT: Duration = Duration::from_secs(10);

pub(super) struct Channel {
    stream: TcpStream,
    sealer: Sealer,
    opener: Opener,
}

impl Channel {
    /// A task's connection to the rendezvous at `at`.
    pub(super) fn dial(at: SocketAddr, secret: &JobSecret, limit: Duration) -> io::Result<Channel> {
        let stream = TcpStream::connect_timeout(&at, limit)?;
        Channel::open(stream, secret, Side::Worker, limit)
    }

    /// Exchanges the openings as `me`; both sides send first, so that neither waits for the other.
    pub(super) fn open(mut stream: TcpStream, secret: &JobSecret, me: Side, limit: Duration) -> io::Result<Channel> {
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(WRITE_LIMIT))?;
        stream.set_read_timeout(Some(limit))?;
        let mine: Nonce = control::random()?;
        stream.write_all(&control::opening(&mine))?;
        let mut bytes = [0; control::OPENING_BYTES];
        stream.read_exact(&mut bytes)?;
        let theirs = control::opened(&bytes).map_err(|_| ErrorKind::InvalidData)?;
        let (master, worker) = if me == Side::Master { (mine, theirs) } else { (theirs, mine) };
        let sealer = Sealer::new(secret, me, &master, &worker);
        Ok(Channel { stream, sealer, opener: Opener::new(secret, me, &master, &worker) })
    }

    /// The other side has shown that it has the secret.
    pub(super) fn trust(&mut self) {
        self.opener.trust();
    }

    pub(super) fn stream(&self) -> &TcpStream {
        &self.stream
    }

    pub(super) fn as_file(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }

    pub(super) fn send(&mut self, frame: &Frame) -> io::Result<()> {
        let mut bytes = Vec::new();
        self.sealer.seal(frame, &mut bytes);
        self.stream.write_all(&bytes)
    }

    /// The next frame, which must come within `limit`.
    pub(super) fn expect(&mut self, limit: Duration) -> io::Result<Frame> {
        let until = Instant::now() + limit;
        loop {
            if let Some(frame) = self.next()? {
                return Ok(frame);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(ErrorKind::TimedOut.into());
            }
            self.stream.set_read_timeout(Some(left))?;
            match self.take() {
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                took => took?,
            }
        }
    }

    /// The next frame, if it has arrived completely.
    pub(super) fn next(&mut self) -> io::Result<Option<Frame>> {
        self.opener.next_frame().map_err(|bad| io::Error::other(format!("it is not of this job ({bad:?})")))
    }

    /// Reads once.
    pub(super) fn take(&mut self) -> io::Result<()> {
        let mut block = [0; 1 << 14];
        match self.stream.read(&mut block) {
            Ok(0) => Err(ErrorKind::UnexpectedEof.into()),
            Ok(got) => {
                self.opener.push(&block[..got]);
                Ok(())
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => Ok(()),
            Err(error) => Err(error),
        }
    }
}
