//! The master's own standard streams; it never blocks on one.

use super::state::*;
use crate::launch::fork::warden::SLOW_READER;
use crate::os::process::Line;

/// Messages of ssh when its connection breaks: dropped, since the master names the host and the reason itself.
const FAREWELLS: [&[u8]; 4] = [b"Connection to ", b"Connection closed", b"client_loop: ", b"Timeout, server "];

/// The beginnings of lines in which a rank, or a process before it is one, prints the reason for the end of the job (`signal::announce`,
/// `fatal!`).
const REASONS: [&[u8]; 4] = [
    b"*** Caught a signal (proc ",
    b"*** Caught a fatal signal (proc ",
    b"*** FATAL ERROR (proc ",
    b"*** FATAL ERROR: ",
];

/// The error output of a process before it ended.
pub(super) enum ErrorReason {
    None,
    Fatal(String),
    Line(String),
}

impl ErrorReason {
    /// Appended to the line that names the event.
    pub(super) fn because(&self) -> String {
        match self {
            ErrorReason::None => String::new(),
            ErrorReason::Fatal(text) | ErrorReason::Line(text) => format!(": {text}"),
        }
    }
}

impl Master {
    pub(super) fn read_stdin(&mut self) {
        let mut block = [0; 16 << 10];
        match nix::unistd::read(std::io::stdin(), &mut block) {
            Err(nix::errno::Errno::EINTR | nix::errno::Errno::EAGAIN) => {}
            // Also a directory, and a terminal that has hung up.
            Ok(0) | Err(_) => self.feeding = false,
            Ok(got) => self.input.extend(&block[..got]),
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

    /// Reads the stderr of a process. The output is kept until the hello of its host, since it may explain why there is
    /// none; after the end of the job it is dropped. Returns true if there was output.
    pub(super) fn read_errors(&mut self, at: usize) -> bool {
        const MOST_KEPT: usize = 16 << 10;
        let mut block = [0; 4096];
        let process = &mut self.processes[at];
        let Some(errors) = &mut process.started.stderr else { return false };
        let bytes = match errors.read(&mut block) {
            Ok(0) => &[],
            Ok(got) => &block[..got],
            Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) => return false,
            Err(_) => &[],
        };
        if bytes.is_empty() {
            process.started.stderr = None;
            return false;
        }
        if process.shown {
            let lines = bytes.split_inclusive(|&byte| byte == b'\n');
            let is_farewell = |line: &[u8]| FAREWELLS.iter().any(|start| line.starts_with(start));
            let said: Vec<_> =
                lines.filter(|line| self.how != SpawnMethod::Ssh || self.verbose || !is_farewell(line)).collect();
            self.push_errors(None, &said.concat());
        } else if self.ending.is_none() {
            process.said_at.get_or_insert_with(Instant::now);
            process.said.extend_from_slice(bytes);
            let surplus = process.said.len().saturating_sub(MOST_KEPT);
            process.said.drain(..surplus);
        }
        true
    }

    /// Output to stderr, of a rank or of a process. On each host one rank prints the reason for the end; if several hosts
    /// end the job at the same time, only the first line is printed.
    pub(super) fn push_errors(&mut self, rank: Option<u32>, bytes: &[u8]) {
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
            if REASONS.iter().any(|start| line.starts_with(start)) {
                if self.is_said() {
                    continue;
                }
                self.rank_said = Some(Instant::now());
            }
            match rank {
                Some(rank) => self.out[1].push(rank, line),
                None => self.out[1].push_bytes(line),
            }
        }
    }

    /// The time at which output of a process is shown although its host has not joined: a site's command may print its
    /// place in a queue.
    pub(super) fn show_at(&self, process: &Process) -> Option<Instant> {
        const PATIENCE: Duration = Duration::from_secs(2);
        process.said_at.filter(|_| process.host.is_none() && !process.shown).map(|at| at + PATIENCE)
    }

    pub(super) fn read_rest_of_errors(&mut self) {
        // A pipe that another process holds open may never end.
        const MOST_BLOCKS: u32 = 64;
        for at in 0..self.processes.len() {
            let mut left = MOST_BLOCKS;
            while left > 0 && self.read_errors(at) {
                left -= 1;
            }
        }
    }

    /// The host has joined: the output of its process, or of the common one, is printed and explains nothing.
    pub(super) fn show_errors_of(&mut self, host: Option<usize>) {
        for at in 0..self.processes.len() {
            if self.processes[at].host == host {
                self.processes[at].shown = true;
                let said = std::mem::take(&mut self.processes[at].said);
                self.push_errors(None, &said);
            }
        }
    }

    /// The reason that a process gave before it ended: a fatal error of this library's, else its last line.
    pub(super) fn reason_of(&mut self, at: usize) -> ErrorReason {
        const LONGEST: usize = 300;
        self.read_rest_of_errors();
        let said = String::from_utf8_lossy(&self.processes[at].said).into_owned();
        let plain = |line: &str| -> String { line.chars().filter(|c| !c.is_control()).take(LONGEST).collect() };
        let mut lines = said.lines().map(str::trim).filter(|line| !line.is_empty());
        if let Some(fatal) = lines.clone().find_map(|line| line.strip_prefix("*** FATAL ERROR: ")) {
            return ErrorReason::Fatal(plain(fatal));
        }
        lines.next_back().map_or(ErrorReason::None, |line| ErrorReason::Line(plain(line.trim_end_matches('.'))))
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
                if stream == 0 && !self.output_lost {
                    self.lose(match errno {
                        nix::errno::Errno::EPIPE => {
                            format!("*** Caught a signal (nobody reads the output): SIGPIPE({})", libc::SIGPIPE)
                        }
                        _ => format!("*** GASNet: cannot write the job's output: {errno}"),
                    });
                    // The output of late ranks cannot be written either.
                    self.worsen(1, true);
                }
            }
        }
    }

    /// Writes the rest of the output; the reader may be slow.
    pub(super) fn flush(&mut self, code: i32) {
        let patience = if code == 0 { self.limits.kill() } else { SLOW_READER };
        let mut late = Instant::now() + patience;
        let mut cut_short = false;
        while self.out.iter().any(|out| out.waiting() > 0) && Instant::now() < late {
            for ready in self.sleep(Duration::from_millis(100), false) {
                if let Ready::Out(stream) = ready {
                    self.write_out(stream);
                }
            }
            while let Some(signal) = self.signals.take() {
                if !matches!(signal, libc::SIGCHLD | libc::SIGPIPE) {
                    late = Instant::now();
                    cut_short = true;
                }
            }
        }
        let lost: usize = self.out.iter().map(Output::waiting).sum();
        self.output_lost |= lost > 0;
        if lost > 0 && !cut_short {
            let by = if code == 0 { " (GASNET_EXITTIMEOUT_KILL)" } else { "" };
            Line::of(format_args!(
                "*** GASNet: {lost} bytes of the job's output were read by nobody within {} s{by}, and are lost",
                patience.as_secs_f64()
            ))
            .print();
        }
    }
}

pub(super) fn nonblocking(file: &impl AsFd) -> Result<(), String> {
    use nix::fcntl::{FcntlArg, OFlag, fcntl};
    let set = fcntl(file.as_fd(), FcntlArg::F_SETFL(OFlag::O_NONBLOCK));
    set.map(|_| ())
        .map_err(|errno| format!("a pipe to a process that was started cannot be used without waiting: fcntl: {errno}"))
}

/// A process in the background of its terminal is stopped if it reads from there.
pub(super) fn may_read_terminal() -> bool {
    let stdin = std::io::stdin();
    !stdin.is_terminal() || nix::unistd::tcgetpgrp(&stdin).is_ok_and(|front| front == nix::unistd::getpgrp())
}
