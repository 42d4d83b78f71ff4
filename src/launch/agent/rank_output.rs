//! The output of a host's ranks on its way to the master: whole lines, and prompts.

use crate::launch::control::Frame;
use nix::errno::Errno;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

/// The time after which an incomplete line, possibly a prompt, of the rank that reads the terminal is forwarded.
pub(super) const PROMPT_AFTER: Duration = Duration::from_millis(100);

/// One of a rank's two output streams.
pub(super) struct RankOutput {
    pub(super) rank: u32,
    pub(super) stream: u8,
    pub(super) pipe: OwnedFd,
    /// The incomplete line.
    pub(super) line: Vec<u8>,
    pub(super) since: Instant,
    pub(super) ended: bool,
}

impl RankOutput {
    /// Reads the rank's output. Returns the number of bytes to forward: whole lines, lines longer than `line_bytes` in
    /// parts, and the rest of a stream that has ended. `None` if there was no output; an error ends the stream.
    pub(super) fn read(&mut self, line_bytes: usize) -> (Option<usize>, Result<(), String>) {
        let mut block = [0; 16 << 10];
        let mut outcome = Ok(());
        match nix::unistd::read(&self.pipe, &mut block) {
            Ok(0) => self.ended = true,
            Ok(got) => {
                if self.line.is_empty() {
                    self.since = Instant::now();
                }
                self.line.extend_from_slice(&block[..got]);
            }
            Err(Errno::EAGAIN | Errno::EINTR) => return (None, Ok(())),
            Err(errno) => {
                self.ended = true;
                outcome = Err(format!("the output of rank {} of a host cannot be forwarded: read: {errno}", self.rank));
            }
        }
        let whole = match self.line.iter().rposition(|&byte| byte == b'\n') {
            _ if self.ended => self.line.len(),
            Some(end) if self.line.len() - end - 1 < line_bytes => end + 1,
            None if self.line.len() < line_bytes => 0,
            _ => self.line.len(),
        };
        (Some(whole), outcome)
    }

    /// The first `len` bytes as a frame for the master; `None` if `len` is 0.
    pub(super) fn take(&mut self, len: usize) -> Option<Frame> {
        if len == 0 {
            return None;
        }
        self.since = Instant::now();
        Some(Frame::Lines { rank: self.rank, stream: self.stream, bytes: self.line.drain(..len).collect() })
    }

    /// Whether an incomplete line has stood for long enough to be a prompt.
    pub(super) fn may_prompt(&self) -> bool {
        self.since.elapsed() >= PROMPT_AFTER
    }
}
