//! The front: the process that was started, in environments that end all other processes when it ends. The kernel kills
//! everything in a PID namespace whose first process ends, and batch systems and containers clear up after the process
//! that they started; the warden of a host must still be there to say who died, and to pass on the rest of the output.
//! So the front forks the leader, forwards signals to it, and ends with its code or signal once the leader and its warden
//! have ended.
//! As the first process of a namespace it also collects orphans, and the leader has none of the exemptions from signals
//! that the kernel makes for such a process.

use crate::bootstrap::page::ControlPage;
use crate::os::children::{self, End};
use crate::os::process::{self, Forked};
use crate::os::signal::{self, Mask, Saved};
use std::time::{Duration, Instant};

/// Signals that a terminal sends to all processes in its foreground.
const FROM_TERMINALS: [i32; 4] = [libc::SIGINT, libc::SIGQUIT, libc::SIGHUP, libc::SIGWINCH];
/// Signals that stop and continue a process: the shell that started this one has to see them.
const JOB_CONTROL: [i32; 4] = [libc::SIGTSTP, libc::SIGTTIN, libc::SIGTTOU, libc::SIGCONT];

/// Whether the leader must not be the process that was started. `hosted`: a master waits for the output of the host's
/// `size` ranks. A process that has the only rank, and `threads` besides, keeps them. One that may not look at
/// its children cannot be a front.
pub(super) fn is_needed(size: u32, hosted: bool, threads: usize) -> bool {
    (process::pid() == 1 || hosted && (size > 1 || threads == 0)) && children::may_look()
}

/// Returns in a new process, which becomes the leader; this one stays as its front. Fails with an error number if it cannot
/// fork.
pub(super) fn step_back(page: &'static ControlPage) -> Result<(), i32> {
    let mask = Mask::block_all();
    // A SIGCHLD that is ignored would have the kernel collect the leader.
    let saved = Saved::and_default([libc::SIGCHLD]);
    process::adopt_orphans();
    let front = process::pid();
    let forked = process::fork();
    match forked {
        Ok(Forked::Parent(leader)) => stand(page, leader),
        Ok(Forked::Child) => {
            process::signal_when_parent_dies(libc::SIGKILL);
            if process::parent() != front {
                // The front died before the signal was requested.
                signal::die_of(libc::SIGKILL);
            }
        }
        Err(_) => {}
    }
    saved.restore();
    mask.restore();
    forked.map(|_| ())
}

fn stand(page: &'static ControlPage, leader: i32) -> ! {
    process::set_name(c"gasnet-front");
    process::close_all_but(&[]);
    let own = [&JOB_CONTROL[..], &signal::CRASHES].concat();
    Mask::of(&own).unblock();
    let awaited = Mask::all_but(&own);
    // A signal from before the fork is pending in the front alone. The leader treats two equal signals within 250 ms as one.
    const YOUNG: Duration = Duration::from_millis(100);
    let forked = Instant::now();
    loop {
        // Orphans that ended before the leader are only reaped.
        while let Some(pid) = children::ended_child().filter(|&pid| pid != leader) {
            let _ = children::reap_one(pid, false);
        }
        if children::has_ended(leader) && warden_has_ended(page) {
            // Reaped only now: the warden reads from it how it ended.
            end_as(children::reap_one(leader, true).ok().flatten());
        }
        if let Some((signal, by_kernel)) = awaited.wait_for_one() {
            let everybody_has_it = by_kernel && FROM_TERMINALS.contains(&signal) && forked.elapsed() > YOUNG;
            if signal != libc::SIGCHLD && !everybody_has_it {
                process::kill(leader, signal);
            }
        }
    }
}

/// Called when the leader has ended: the warden, its child, is ours then.
fn warden_has_ended(page: &ControlPage) -> bool {
    page.warden() == 0 || !matches!(children::reap_one(page.warden(), false), Ok(None))
}

fn end_as(end: Option<End>) -> ! {
    match end {
        Some(End::Killed(signal)) => {
            // One core file is enough.
            process::never_dump_core();
            signal::die_of(signal)
        }
        Some(End::Exited(code)) => process::end_now(code),
        None => process::end_now(1),
    }
}
