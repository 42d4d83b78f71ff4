//! Rank 0's duties to the warden of its host at the end, and in its place if the warden has ended.

use std::time::Duration;

use crate::bootstrap::here;
use crate::bootstrap::page::{ControlPage, RankState};
use crate::defs::rank::HostRank;
use crate::os::children;
use crate::os::process::{self, Line};
use crate::os::signal::Signal;
use crate::os::sleep::{MS, now_ms};
use crate::sync::atomic::{AtomicBool, Ordering};

/// Rank 0 is done and waits for the other ranks.
static WAITS_FOR_OTHERS: AtomicBool = AtomicBool::new(false);

/// Whether this process, as rank 0, waits for the other ranks.
pub(super) fn waits() -> bool {
    WAITS_FOR_OTHERS.load(Ordering::Acquire)
}

/// Rank 0: sleeps until it is the last one. Should the warden fail in its duty, does it in the warden's place.
pub(super) fn wait_for_others(page: &'static ControlPage, limit_ms: u64) {
    const LOOK_NS: u64 = 20 * MS;
    const OTHERS_LEAVE_MS: u64 = 500;
    let warden = page.warden();
    if warden == 0 {
        return;
    }
    if let Some(pipe) = here::warden_pipe() {
        process::unwatch(pipe);
    }
    here::call_warden(page);
    WAITS_FOR_OTHERS.store(true, Ordering::Release);
    let give_up_ms = now_ms() + limit_ms;
    let mut warden_gone_ms = u64::MAX;
    loop {
        if page.wait_alone(LOOK_NS) {
            // It has nothing left to do but end: collected, so that not even a zombie stays. Under a master, it waits
            // for this process.
            if !here::hosted() {
                let _ = children::reap_one(warden, true);
            }
            return;
        }
        let warden_gone = !matches!(children::reap_one(warden, false), Ok(None));
        warden_gone_ms = if warden_gone { warden_gone_ms.min(now_ms() + OTHERS_LEAVE_MS) } else { warden_gone_ms };
        if warden_gone && page.wait_alone(0) {
            return;
        }
        if warden_gone && here::is_joined() && now_ms() < give_up_ms.min(warden_gone_ms) {
            // They detect the end themselves, and leave with the job's code.
            process::nap(Duration::from_nanos(LOOK_NS));
            continue;
        }
        if warden_gone || now_ms() > give_up_ms {
            let others = (1..page.size()).map(HostRank);
            // Process numbers of ranks that have left may have been reused, except those of the warden's children.
            for rank in others.filter(|&rank| !here::is_joined() || page.state(rank) == RankState::Alive) {
                process::kill(page.pid(rank), libc::SIGKILL);
            }
            process::kill(warden, libc::SIGKILL);
            return;
        }
    }
}

/// The warden has ended before the job: reports that, unless a master does, and returns the job's code.
pub(super) fn end_without_it(page: &ControlPage) -> i32 {
    let warden = page.warden();
    // Dead, or about to be: the kernel closes its files first.
    let end = children::reap_one(warden, true).ok().flatten();
    // A master whose connection to the warden ended without notice reports that itself.
    if !here::hosted() && page.may_say() {
        let line = match end {
            Some(children::End::Killed(signal)) => Line::of(format_args!(
                "*** GASNet: the job's warden (pid {warden}) died of {}; ending the job",
                Signal(signal)
            )),
            _ => Line::of(format_args!("*** GASNet: the job's warden (pid {warden}) is gone; ending the job")),
        };
        line.print();
    }
    end.map_or(1, children::End::code).max(1)
}
