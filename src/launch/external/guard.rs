//! A process that each rank forks while its launcher would let the others run on without it: it watches the rank until a warden
//! does, or the rank ends the job or leaves it, and ends the job if the rank dies before.

use core::ffi::c_int;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{MsgFlags, recv, send};
use nix::sys::wait::waitpid;
use nix::unistd::Pid;

use crate::os::children::End;
use crate::os::pidfd::Watched;
use crate::os::process::{self, Forked};
use crate::os::reserve::without_malloc;
use crate::os::signal::{self, Mask};

/// How long a guard waits for others to end the job: a launcher that kills all ranks ends its connections next.
const OTHERS_TURN_MS: u16 = 300;

/// This rank's connection to its guard, and the guard, its child.
pub(crate) struct Guard(UnixStream, Pid);

impl Guard {
    /// Has a guard call `died` if this process dies; it has `launcher`, the connection, and stderr. `None`: there is no process for
    /// it, so that the time limit of exchanges has to do.
    pub(crate) fn start(launcher: c_int, died: impl FnOnce(i32, Option<End>)) -> Option<Guard> {
        let rank = Watched::open(process::pid());
        let (own, of_guard) = UnixStream::pair().ok()?;
        let mask = Mask::block_all();
        let forked = process::fork();
        if matches!(forked, Ok(Forked::Child)) {
            without_malloc(|| stand(launcher, &rank, &of_guard, died));
            process::end_now(0);
        }
        mask.restore();
        match forked {
            Ok(Forked::Parent(guard)) => Some(Guard(own, Pid::from_raw(guard))),
            _ => None,
        }
    }

    /// It ends, and no longer watches this process. May be called in a signal handler, and again.
    pub(crate) fn dismiss(&self) {
        // One that has ended before listens no more.
        process::keeping_errno(|| _ = send(self.0.as_raw_fd(), b".", MsgFlags::MSG_NOSIGNAL | MsgFlags::MSG_DONTWAIT));
    }

    /// Returns when it has ended, after `dismiss`.
    pub(crate) fn await_end(&self) {
        // The client may have collected it.
        while waitpid(self.1, None) == Err(Errno::EINTR) {}
    }
}

fn stand(launcher: c_int, rank: &Watched, from_rank: &UnixStream, died: impl FnOnce(i32, Option<End>)) {
    // It stays the rank's child and in its group: a launcher that kills all processes of a rank has no need of it.
    process::set_name(c"gasnet-guard");
    let mut keep = [launcher, rank.raw().unwrap_or(launcher), from_rank.as_raw_fd()];
    keep.sort_unstable();
    process::close_all_but(&keep);
    Mask::of(&signal::CRASHES).unblock();
    while !rank.has_ended() {
        if is_dismissed(from_rank) {
            return;
        }
        wait(rank, from_rank);
    }
    let end = rank.end();
    // It may have done both.
    if !is_dismissed(from_rank) && !ends_anyway(launcher) {
        died(rank.pid, rank.end().or(end));
    }
}

/// Until there may be something to see.
fn wait(rank: &Watched, from_rank: &UnixStream) {
    let own = PollFd::new(from_rank.as_fd(), PollFlags::POLLIN);
    let _ = match rank.as_file() {
        Some(file) => poll(&mut [own, PollFd::new(file, PollFlags::POLLIN)], PollTimeout::NONE),
        None => poll(&mut [own], 50u16),
    };
}

fn is_dismissed(from_rank: &UnixStream) -> bool {
    let mut byte = [0];
    recv(from_rank.as_raw_fd(), &mut byte, MsgFlags::MSG_PEEK | MsgFlags::MSG_DONTWAIT) == Ok(1)
}

/// Whether the launcher ends by itself, and so the job.
fn ends_anyway(launcher: c_int) -> bool {
    const STEP_MS: u16 = 10;
    (0..OTHERS_TURN_MS / STEP_MS).any(|_| {
        process::nap(Duration::from_millis(STEP_MS.into()));
        process::hung_up(launcher)
    })
}
