//! Starting a host's first process on this machine. It gets the secret by a pipe that it inherits, so that its
//! stdin is that of the job.

use crate::launch::control::JobSecret;
use crate::launch::spawn::{Program, StartedProcess, why_not};
use crate::launch::worker;
use crate::launch::worker::{SecretSource, SecretWord, WORD};
use crate::os::limits;
use crate::os::signal::Mask;
use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use std::net::SocketAddr;
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// Only the first host has the job's stdin, and with it the right to read the terminal.
pub(crate) fn start(
    program: &Program,
    seat: u32,
    master: SocketAddr,
    secret: &JobSecret,
    mask: Mask,
) -> Result<StartedProcess, String> {
    let what = format!("{} on this machine", program.path.display());
    let failed = |error: &dyn std::fmt::Display| format!("could not start {what}: {error}");
    let (read, write) = nix::unistd::pipe2(nix::fcntl::OFlag::O_CLOEXEC).map_err(|errno| failed(&errno))?;
    // A line fits in any pipe.
    nix::unistd::write(&write, worker::secret_line(secret).as_bytes()).map_err(|errno| failed(&errno))?;
    // Nothing else is started between here and the end of this function, where the pipe is closed.
    fcntl(&read, FcntlArg::F_SETFD(FdFlag::empty())).map_err(|errno| failed(&errno))?;
    let word = SecretWord { master, seat, source: SecretSource::File(read.as_raw_fd()) };
    let mut command = Command::new(&program.path);
    command.env(WORD, word.to_string()).current_dir(&program.dir);
    if let Some((name, arguments)) = program.argv.split_first() {
        command.arg0(name).args(arguments);
    }
    if seat != 0 {
        command.stdin(Stdio::null()).process_group(0);
    }
    let child = limits::spawn(&mut command, mask).map_err(|error| failed(&why_not(&error)))?;
    Ok(StartedProcess { child, stdin: None, stderr: None, input: Vec::new(), has_stdin: false, what })
}
