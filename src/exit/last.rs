//! Rank 0 leaves last: it waits for the other ranks, and does the warden's duty should that fail. May run in a signal handler.

use std::time::Duration;

use super::{MS, now_ms};
use crate::bootstrap::{ControlPage, Ending, State, fork};
use crate::job::HostRank;
use crate::os::children;
use crate::os::process;
use crate::sync::atomic::{AtomicBool, Ordering};

/// Rank 0 is done and waits for the other ranks.
static WAITS_FOR_OTHERS: AtomicBool = AtomicBool::new(false);

/// Whether this process, as rank 0, waits for the other ranks.
pub(super) fn waits() -> bool {
    WAITS_FOR_OTHERS.load(Ordering::Acquire)
}

/// Time for late ranks to finish, and then to write their output.
pub(super) fn late_ms(page: &ControlPage) -> u64 {
    match page.ending() {
        Some(Ending::GOOD) => 2 * u64::from(page.kill_ms()),
        _ => 0,
    }
}

/// Rank 0: sleeps until it is the last one. Should the warden fail in its duty, does it in the warden's place.
pub(super) fn wait_for_others(page: &'static ControlPage, limit_ms: u64) {
    const LOOK_NS: u64 = 20 * MS;
    const OTHERS_LEAVE_MS: u64 = 500;
    let warden = page.warden();
    if warden == 0 {
        return;
    }
    if let Some(pipe) = fork::warden_pipe() {
        process::unwatch(pipe);
    }
    fork::call_warden(page);
    WAITS_FOR_OTHERS.store(true, Ordering::Release);
    let give_up_ms = now_ms() + limit_ms;
    let mut warden_gone_ms = u64::MAX;
    loop {
        if page.wait_alone(LOOK_NS) {
            // It has nothing left to do but end: collected, so that not even a zombie stays. Under a master, it waits
            // for this process.
            if !fork::hosted() {
                let _ = children::reap_one(warden, true);
            }
            return;
        }
        let warden_gone = !matches!(children::reap_one(warden, false), Ok(None));
        warden_gone_ms = if warden_gone { warden_gone_ms.min(now_ms() + OTHERS_LEAVE_MS) } else { warden_gone_ms };
        if warden_gone && page.wait_alone(0) {
            return;
        }
        if warden_gone && fork::is_joined() && now_ms() < give_up_ms.min(warden_gone_ms) {
            // They hear of it themselves, and leave with the job's code.
            process::nap(Duration::from_nanos(LOOK_NS));
            continue;
        }
        if warden_gone || now_ms() > give_up_ms {
            let others = (1..page.size()).map(HostRank);
            // The numbers of ranks that have left may be other processes' by now, but for children's of the warden.
            for rank in others.filter(|&rank| !fork::is_joined() || page.state(rank) == State::Alive) {
                process::kill(page.pid(rank), libc::SIGKILL);
            }
            process::kill(warden, libc::SIGKILL);
            return;
        }
    }
}
