//! The place of this process among the ranks of its host: its rank, its control page and its warden.

use std::sync::OnceLock;

use crate::bootstrap::page::{ControlPage, Ending, RankState};
use crate::defs::rank::{HostRank, JobRank};
use crate::os::process;
use crate::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};

static PAGE: OnceLock<&'static ControlPage> = OnceLock::new();
static ME: AtomicU32 = AtomicU32::new(0);
static WATCHED: AtomicI32 = AtomicI32::new(-1);
static HOSTED: AtomicBool = AtomicBool::new(false);
static JOINED: AtomicBool = AtomicBool::new(false);

/// The number on its host of the rank that was started first there.
pub(crate) const LEADER: u32 = 0;

/// Whether the warden has a master, which prints the messages of the job and outlives rank 0.
pub(crate) fn hosted() -> bool {
    HOSTED.load(Ordering::Relaxed)
}

/// Whether the ranks of this host were started separately, so that each has a parent that checks its exit code.
pub(crate) fn is_joined() -> bool {
    JOINED.load(Ordering::Relaxed)
}

/// This process's rank on its host, from the moment it is one.
pub(crate) fn me() -> HostRank {
    HostRank(ME.load(Ordering::Relaxed))
}

pub(crate) fn set_me(me: HostRank) {
    ME.store(me.0, Ordering::Relaxed);
}

/// This process's end of the pipe that hangs up when the warden dies or orders it to leave. Rank 0 has one, and each rank
/// that was started separately.
pub(crate) fn warden_pipe() -> Option<i32> {
    Some(WATCHED.load(Ordering::Relaxed)).filter(|&fd| fd >= 0)
}

/// The signal on which the warden reads the page.
pub(crate) const LOOK: i32 = libc::SIGUSR1;
/// Wakes the warden up.
pub(crate) fn call_warden(page: &ControlPage) {
    process::kill(page.warden(), LOOK);
}

/// Records whether the warden has a master.
pub(crate) fn set_hosted(hosted: bool) {
    HOSTED.store(hosted, Ordering::Relaxed);
}

/// This process was started separately, as rank `me` of its host.
pub(crate) fn set_joined(me: HostRank) {
    set_me(me);
    JOINED.store(true, Ordering::Relaxed);
}

/// `fd` is this process's end of the pipe to its warden.
pub(crate) fn set_warden_pipe(fd: i32) {
    WATCHED.store(fd, Ordering::Relaxed);
}

/// The page of this process's host, once it is known.
pub(crate) fn page() -> Option<&'static ControlPage> {
    PAGE.get().copied()
}

/// Whether the job has ended with code 0: ranks leave, one after the other, and their connections close.
pub(crate) fn job_has_ended_well() -> bool {
    PAGE.get().is_some_and(|page| page.ending() == Some(Ending::GOOD))
}

/// Whether `rank` is of this host and has stopped its network, as the job has ended with code 0. Of other hosts' ranks nobody here knows.
pub(crate) fn has_left(rank: JobRank) -> bool {
    let Some(page) = PAGE.get().filter(|_| job_has_ended_well()) else { return false };
    page.host_rank(rank)
        .is_some_and(|rank| matches!(page.state(rank), RankState::Flushing | RankState::Parting | RankState::Leaving))
}

/// Makes `page` the page of this process's host.
pub(crate) fn set_page(page: &'static ControlPage) {
    let _ = PAGE.set(page);
}

/// Makes this process, which was started separately, rank `here` of the host whose page is `page`.
pub fn enter(page: &'static ControlPage, here: HostRank) {
    let _ = PAGE.set(page);
    set_me(here);
    page.born(here, process::pid());
}

/// Makes the warden find out whether the host of `rank`, which does not answer, can be reached.
pub(crate) fn doubt(rank: JobRank) {
    if let Some(page) = PAGE.get() {
        page.rank(me()).doubt.store(rank.0 + 1, Ordering::Release);
        call_warden(page);
    }
}

/// The process that is `rank`, once it has begun.
pub(crate) fn process_of(rank: HostRank) -> Option<i32> {
    Some(PAGE.get()?.pid(rank)).filter(|&pid| pid > 0)
}

/// The warden of this host's ranks, if there is one.
pub(crate) fn warden() -> Option<i32> {
    Some(PAGE.get()?.warden()).filter(|&pid| pid > 0)
}
