//! The control connection of a host's first process while it alone uses it: before there is a warden.

use crate::fatal::fatal;
use crate::launch::addresses;
use crate::launch::control::{self, Bad, Frame, JobSecret, Nonce, Opener, Sealer, Side};
use crate::os::process;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// The control connection while the leader alone uses it: it waits for each answer.
pub(super) struct LeaderLine {
    pub(super) stream: TcpStream,
    pub(super) master: SocketAddr,
    pub(super) sealer: Sealer,
    pub(super) opener: Opener,
}

/// Between two signs of life of a master that waits for other hosts.
const PATIENCE: Duration = Duration::from_secs(60);

impl LeaderLine {
    /// An error says whether to try again.
    pub(super) fn dial(at: SocketAddr, secret: &JobSecret) -> Result<LeaderLine, (String, bool)> {
        let refused = |error: std::io::Error| {
            let again = error.kind() != ErrorKind::ConnectionRefused;
            (
                format!(
                    "host {} does not reach the master at {at}: {error} (GASNET_MASTERIP says which address of the \
                     master hosts connect to)",
                    addresses::own_name()
                ),
                again,
            )
        };
        let mut stream = TcpStream::connect_timeout(&at, Duration::from_secs(10)).map_err(refused)?;
        let prepared = stream.set_nodelay(true).and_then(|()| stream.set_read_timeout(Some(PATIENCE)));
        prepared.map_err(refused)?;
        let mine: Nonce = control::random().map_err(|error| (format!("no random numbers: {error}"), false))?;
        let mut bytes = [0; control::OPENING_BYTES];
        let done = stream.write_all(&control::opening(&mine)).and_then(|()| stream.read_exact(&mut bytes));
        done.map_err(|error| (format!("the master at {at} does not answer: {error}"), true))?;
        let theirs = control::opened(&bytes).map_err(|_| {
            (format!("the process that listens at {at} is not a master of this version of the library"), false)
        })?;
        let mut opener = Opener::new(secret, Side::Worker, &theirs, &mine);
        // Bounded all the same; the other side proves itself by its first frame, which is long.
        opener.trust();
        Ok(LeaderLine { stream, master: at, sealer: Sealer::new(secret, Side::Worker, &theirs, &mine), opener })
    }

    pub(super) fn send(&mut self, frame: &Frame) -> Result<(), String> {
        self.send_all(&[frame])
    }

    pub(super) fn send_all(&mut self, frames: &[&Frame]) -> Result<(), String> {
        let mut bytes = Vec::new();
        frames.iter().for_each(|frame| self.sealer.seal(frame, &mut bytes));
        self.stream.write_all(&bytes).map_err(|error| self.lost(&error.to_string()))
    }

    fn lost(&self, why: &str) -> String {
        format!("the connection to the master at {} is lost: {why}", self.master)
    }

    /// Receives the next frame that is not just a sign of life.
    pub(super) fn expect(&mut self, wait: &str) -> Result<Frame, String> {
        let mut block = vec![0; 1 << 16];
        loop {
            match self.opener.next_frame() {
                Ok(Some(Frame::Alive)) => continue,
                Ok(Some(frame)) => return Ok(frame),
                Ok(None) => {}
                Err(Bad::Long) => return Err("the master's hosts or environment are over 64 MiB".to_string()),
                Err(bad) => return Err(format!("the master at {} is not of this job ({bad:?})", self.master)),
            }
            match self.stream.read(&mut block) {
                Ok(0) => return Err(self.lost("closed")),
                Ok(got) => self.opener.push(&block[..got]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    return Err(format!(
                        "host {} waited {} s {wait}: the master at {} is silent",
                        addresses::own_name(),
                        PATIENCE.as_secs(),
                        self.master
                    ));
                }
                Err(error) => return Err(self.lost(&error.to_string())),
            }
        }
    }

    /// Has the master print the error, and ends.
    pub(super) fn give_up(&mut self, why: String) -> ! {
        match self.send(&Frame::Trouble { code: 1, why: why.clone() }) {
            Ok(()) => {
                // Until it has been read, so that the line is not lost.
                let started = Instant::now();
                while started.elapsed() < Duration::from_secs(5)
                    && !matches!(self.expect(""), Ok(Frame::End { .. }) | Err(_))
                {}
                process::end_now(1)
            }
            Err(_) => fatal!("{why}"),
        }
    }

    /// Called by a process on a machine whose ranks belong to another one: waits, so that its starter does not take its
    /// end for the job's. A master that is silent for `silence` is lost.
    pub(super) fn wait_for_end(&mut self, silence: Duration) -> ! {
        // Cannot fail on a socket that is open, for a time that is not 0.
        let _ = self.stream.set_read_timeout(Some(silence));
        loop {
            match self.expect("for the end of the job") {
                Ok(Frame::End { code, .. }) => process::end_now(code),
                Ok(_) => {}
                Err(_) => process::end_now(1),
            }
        }
    }
}
