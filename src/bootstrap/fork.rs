//! Starting the ranks of a job on this machine by forking, the warden, who is their parent (warden.rs), and the front,
//! who is there until the warden has ended, where that matters (front.rs).

mod front;
mod late;
pub mod report;
mod threads;
mod warden;

use super::addresses::own_name;
use super::agent::Agent;
use super::{ControlPage, MAX_RANKS};
use crate::fatal::fatal;
use crate::job::HostRank;
use crate::os::children;
use crate::os::process::{self, Forked, Lifeline};
use crate::os::signal::{self, Mask};
use crate::os::streams;
use crate::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};
use std::time::Duration;
use warden::Warden;

static ME: AtomicU32 = AtomicU32::new(0);
static WATCHED: AtomicI32 = AtomicI32::new(-1);
static HOSTED: AtomicBool = AtomicBool::new(false);

/// The number on its host of the rank that was started first there.
pub const LEADER: u32 = 0;

/// Time limit for writing output to a slow reader when a job ends with an error.
pub const SLOW_READER: Duration = Duration::from_secs(3);

/// Whether there is a master over the warden: it speaks for the job, and outlives rank 0.
pub fn hosted() -> bool {
    HOSTED.load(Ordering::Relaxed)
}

/// This process's rank on its host, from the moment it is one.
pub fn me() -> HostRank {
    HostRank(ME.load(Ordering::Relaxed))
}

/// Rank 0's end of the pipe that hangs up when the warden dies; none elsewhere.
pub fn warden_pipe() -> Option<i32> {
    Some(WATCHED.load(Ordering::Relaxed)).filter(|&fd| fd >= 0)
}

/// What tells the warden to look at the page.
const LOOK: i32 = libc::SIGUSR1;
/// What the warden gets when the thread that forked it, in rank 0, ends.
const RANK0_STIRRED: i32 = libc::SIGUSR2;

/// Wakes the warden up.
pub fn call_warden(page: &ControlPage) {
    process::kill(page.warden(), LOOK);
}

/// Makes this process, or one that it forks if it has to stay in front, the first of this host's `size` ranks ("rank 0"
/// below), starts the others, and returns in each of them with its rank on the host.
/// `page` is shared memory, all zeros but for what `exit::prepare` has written.
pub fn start(size: u32, page: &'static ControlPage) -> HostRank {
    start_hosted(size, page, None)
}

/// The same for the ranks of one host of several, or of one that has a master all the same: `agent` is its
/// connection to the master, which the warden takes over; the master hears of a fatal error before that.
pub fn start_hosted(size: u32, page: &'static ControlPage, mut agent: Option<Agent>) -> HostRank {
    if size as usize > MAX_RANKS {
        fatal!("{size} processes are too many: GASNET_PSHM_NODES may be at most {MAX_RANKS}");
    }
    page.set_size(size);
    // The library's handlers use the page, and print: signals wait until this process is a rank, with its output redirected.
    let mask = Mask::block_all();
    let _ = super::PAGE.set(page);
    let started = divide(size, page, &mut agent);
    mask.restore();
    started.unwrap_or_else(|why| cannot_start(agent, &why))
}

/// `start_hosted`, with all signals blocked. `agent` is left where this fails, which gives the reason.
fn divide(size: u32, page: &'static ControlPage, agent: &mut Option<Agent>) -> Result<HostRank, String> {
    let alone = size == 1 && agent.is_none() && report::hang_timeout().is_none();
    if !alone {
        let others = threads::others();
        let has_front = front::is_needed(size, agent.is_some(), others);
        threads::warn_of_others(others, if has_front { 0 } else { 1 }..size, page);
        if has_front && let Err(errno) = front::step_back(page) {
            let (why, limits) = (process::error_text(errno), children::process_limits());
            return Err(format!("could not start the first rank on this machine: {why} ({limits})"));
        }
    }
    page.born(HostRank(0), process::pid());
    if alone {
        return Ok(HostRank(0));
    }
    if let Some(errno) = children::why_not_waited() {
        let why = process::error_text(errno);
        return Err(format!("this process may not wait for ranks (wait4, waitid): {why}"));
    }
    HOSTED.store(agent.is_some(), Ordering::Relaxed);
    if let Some(Err(errno)) = agent.as_mut().map(|agent| agent.before_fork(LEADER)) {
        return Err(format!("no pipes for the output of a rank: {errno} (ulimit -n)"));
    }
    streams::flush_streams();
    let lifeline = match Lifeline::new(signal::life()) {
        Ok(lifeline) => lifeline,
        Err(errno) => {
            let why = process::error_text(errno);
            return Err(format!("no pipe between the first rank and its warden: {why} (ulimit -n)"));
        }
    };
    match process::fork() {
        Ok(Forked::Parent(pid)) => {
            page.set_warden(pid);
            lifeline.close_held();
            WATCHED.store(lifeline.watcher(), Ordering::Relaxed);
            if let Some(agent) = agent.take() {
                agent.become_rank();
            }
            Ok(HostRank(0))
        }
        Ok(Forked::Child) => {
            page.set_warden(process::pid());
            if let Some(agent) = agent {
                agent.after_fork();
            }
            let me = Warden::new(page, size, lifeline, agent.take()).start_ranks();
            ME.store(me.0, Ordering::Relaxed);
            Ok(me)
        }
        Err(errno) => {
            let (why, limits) = (process::error_text(errno), children::process_limits());
            Err(format!("could not fork the job's warden: {why} ({limits})"))
        }
    }
}

/// Ends the job before there are ranks. One line for all hosts: the master's, if there is one.
fn cannot_start(agent: Option<Agent>, why: &str) -> ! {
    let Some(mut agent) = agent else { fatal!("{why}") };
    agent.trouble(format!("host {}: {why}", own_name()));
    agent.finish(|| true, SLOW_READER);
    process::end_now(1)
}
