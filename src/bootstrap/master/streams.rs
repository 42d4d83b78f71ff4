//! The master's own standard streams, none of which it ever waits for.

use super::*;

impl Master {
    pub(super) fn read_stdin(&mut self) {
        let mut block = [0; 16 << 10];
        match nix::unistd::read(std::io::stdin(), &mut block) {
            Ok(0) | Err(nix::errno::Errno::EIO | nix::errno::Errno::EBADF) => self.feeding = false,
            Ok(got) => self.input.extend(&block[..got]),
            Err(_) => {}
        }
    }

    pub(super) fn feed_processes(&mut self) {
        for Process { started, .. } in &mut self.processes {
            let Some(pipe) = &mut started.stdin else { continue };
            while !started.input.is_empty() {
                match pipe.write(&started.input) {
                    Ok(sent) => _ = started.input.drain(..sent),
                    Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                    Err(_) => started.input.clear(),
                }
            }
            if !started.input.is_empty() {
                continue;
            }
            if !started.has_stdin {
                started.stdin = None;
                continue;
            }
            while !self.input.is_empty() {
                match pipe.write(self.input.as_slices().0) {
                    Ok(sent) => _ = self.input.drain(..sent),
                    Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                    Err(_) => {
                        self.input.clear();
                        self.feeding = false;
                    }
                }
            }
            if self.input.is_empty() && !self.feeding {
                started.stdin = None;
            }
        }
    }

    pub(super) fn write_out(&mut self, stream: usize) {
        let out = &mut self.out[stream];
        let wrote = match stream {
            0 => nix::unistd::write(std::io::stdout(), out.next()),
            _ => nix::unistd::write(std::io::stderr(), out.next()),
        };
        match wrote {
            Ok(sent) => out.wrote(sent),
            Err(nix::errno::Errno::EINTR | nix::errno::Errno::EAGAIN) => {}
            Err(errno) => {
                out.clear();
                if stream == 0 && errno == nix::errno::Errno::EPIPE {
                    let text = format!("*** Caught a signal (nobody reads the output): SIGPIPE({})", libc::SIGPIPE);
                    self.decide(1, true, Some(text));
                } else if stream == 0 {
                    self.decide(1, true, Some(format!("*** GASNet: cannot write the job's output: {errno}")));
                }
            }
        }
    }

    /// Writes the rest of the output, to a reader that may be slow.
    pub(super) fn flush(&mut self, code: i32) {
        let patience = if code == 0 { fork::SLOW_READER } else { fork::SLOW_READER / 10 };
        let late = Instant::now() + patience;
        while self.out.iter().any(|out| out.waiting() > 0) && Instant::now() < late {
            for ready in self.sleep(Duration::from_millis(100), false) {
                if let Ready::Out(stream) = ready {
                    self.write_out(stream);
                }
            }
            while self.signals.take().is_some() {}
        }
    }
}

pub(super) fn nonblocking(file: &impl AsFd) {
    use nix::fcntl::{FcntlArg, OFlag, fcntl};
    // Cannot fail on a file that is open.
    let _ = fcntl(file.as_fd(), FcntlArg::F_SETFL(OFlag::O_NONBLOCK));
}

/// A process in the background of its terminal is stopped if it reads from there.
pub(super) fn may_read_terminal() -> bool {
    let stdin = std::io::stdin();
    !stdin.is_terminal() || nix::unistd::tcgetpgrp(&stdin).is_ok_and(|front| front == nix::unistd::getpgrp())
}
