//! Two pipes between the first rank of a host and its warden, which has the connection to the master: a fence's records
//! go from the rank to the master, and those of all hosts come back. A message on a pipe is a length and that many bytes.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::unistd::{pipe2, read, write};

use crate::os::signal::Mask;

const LENGTH_BYTES: usize = 4;

/// The rank's side, which waits for each answer.
pub(crate) struct Relay {
    to: OwnedFd,
    from: OwnedFd,
}

/// The warden's side, which never waits.
pub struct Relayed {
    from: OwnedFd,
    to: OwnedFd,
    came: Vec<u8>,
    goes: Vec<u8>,
    ended: bool,
}

/// Makes both sides, before the warden is forked.
pub(crate) fn pair() -> Result<(Relay, Relayed), Errno> {
    let ((from_rank, to_warden), (from_warden, to_rank)) = (pipe2(OFlag::O_CLOEXEC)?, pipe2(OFlag::O_CLOEXEC)?);
    for end in [&from_rank, &to_rank] {
        fcntl(end, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
    }
    let relayed = Relayed { from: from_rank, to: to_rank, came: Vec::new(), goes: Vec::new(), ended: false };
    Ok((Relay { to: to_warden, from: from_warden }, relayed))
}

impl Relay {
    /// Sends this host's records, and returns those of all hosts. An error means that the warden has ended.
    pub(crate) fn exchange(&self, records: &[u8]) -> io::Result<Vec<u8>> {
        // The end of the warden is reported by the lifeline, not by SIGPIPE.
        let before = Mask::now();
        Mask::of(&[libc::SIGPIPE]).block();
        self.send(&(records.len() as u32).to_le_bytes())?;
        self.send(records)?;
        before.restore();
        let mut length = [0; LENGTH_BYTES];
        self.receive(&mut length)?;
        let mut all = vec![0; u32::from_le_bytes(length) as usize];
        self.receive(&mut all)?;
        Ok(all)
    }

    fn send(&self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            match write(&self.to, bytes) {
                Ok(sent) => bytes = &bytes[sent..],
                Err(Errno::EINTR) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
        Ok(())
    }

    fn receive(&self, mut bytes: &mut [u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            match read(&self.from, bytes) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(got) => bytes = &mut bytes[got..],
                Err(Errno::EINTR) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
        Ok(())
    }
}

impl Relayed {
    /// The descriptor to read records from, unless the rank has closed it.
    pub fn incoming(&self) -> Option<BorrowedFd<'_>> {
        (!self.ended).then(|| self.from.as_fd())
    }

    /// The descriptor to write an answer to, if there is one.
    pub fn outgoing(&self) -> Option<BorrowedFd<'_>> {
        (!self.goes.is_empty()).then(|| self.to.as_fd())
    }

    pub fn files(&self) -> [i32; 2] {
        [self.from.as_raw_fd(), self.to.as_raw_fd()]
    }

    /// Reads from the rank; returns the records of a fence once they are complete.
    pub fn take(&mut self) -> Option<Vec<u8>> {
        let mut block = [0; 4096];
        match read(&self.from, &mut block) {
            Ok(0) => self.ended = true,
            Ok(got) => self.came.extend_from_slice(&block[..got]),
            Err(Errno::EAGAIN | Errno::EINTR) => {}
            Err(_) => self.ended = true,
        }
        let (&length, rest) = self.came.split_first_chunk::<LENGTH_BYTES>()?;
        let records = rest.get(..u32::from_le_bytes(length) as usize)?.to_vec();
        self.came.drain(..LENGTH_BYTES + records.len());
        Some(records)
    }

    /// Queues the records of all hosts as the answer to the rank.
    pub fn answer(&mut self, records: &[u8]) {
        self.goes.extend_from_slice(&(records.len() as u32).to_le_bytes());
        self.goes.extend_from_slice(records);
        self.pass();
    }

    /// Writes as many bytes as the pipe accepts without blocking. SIGPIPE is blocked in a warden.
    pub fn pass(&mut self) {
        while !self.goes.is_empty() {
            match write(&self.to, &self.goes) {
                Ok(sent) => _ = self.goes.drain(..sent),
                Err(Errno::EINTR) => {}
                Err(Errno::EAGAIN) => return,
                // The rank has ended.
                Err(_) => self.goes.clear(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_any_length_go_and_come_back() {
        let (relay, mut relayed) = pair().unwrap();
        let lengths = [0, 1, 4095, 4096, 200_000];
        std::thread::scope(|scope| {
            scope.spawn(move || {
                for len in lengths {
                    let records = vec![len as u8; len];
                    assert_eq!(relay.exchange(&records).unwrap(), records.repeat(3));
                }
            });
            for len in lengths {
                let records = loop {
                    match relayed.take() {
                        Some(records) => break records,
                        None => std::thread::yield_now(),
                    }
                };
                assert_eq!(records, vec![len as u8; len]);
                relayed.answer(&records.repeat(3));
                while relayed.outgoing().is_some() {
                    relayed.pass();
                    std::thread::yield_now();
                }
            }
        });
        assert!(relayed.take().is_none() && relayed.incoming().is_none());
    }

    #[test]
    fn a_warden_that_is_gone_is_an_error() {
        let (relay, relayed) = pair().unwrap();
        drop(relayed);
        assert!(relay.exchange(b"x").is_err());
        let (relay, relayed) = pair().unwrap();
        std::thread::scope(|scope| {
            scope.spawn(move || assert!(relay.exchange(&[1; 100_000]).is_err()));
            drop(relayed);
        });
    }
}
