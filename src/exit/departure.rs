//! The departure of a process from its job: the network stops, the job's code is claimed, files and streams are flushed. One thread
//! does it; each step that might not return has a time limit, after which the timer's handler goes on.

use std::sync::OnceLock;
use std::time::Duration;

use super::warden;
use crate::am::receive_thread;
use crate::bootstrap::here;
use crate::bootstrap::launcher::launcher;
use crate::bootstrap::page::{ControlPage, Ending, RankState, Told};
use crate::conduit::Stop;
use crate::job::try_job;
use crate::os::alarm::Alarm;
use crate::os::backtrace;
use crate::os::process;
use crate::os::reserve::without_malloc;
use crate::os::signal::{self, Mask};
use crate::os::sleep::{MS, now_ms};
use crate::os::streams;
use crate::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
use crate::trace;

/// After a good end, the time for which a rank waits until the network has delivered its messages.
const LINGER_MS: u64 = 250;
/// The time limit for stopping the network.
const NETWORK_LIMIT_MS: u64 = LINGER_MS + 1000;

pub(super) static PAGE: OnceLock<&'static ControlPage> = OnceLock::new();
/// The thread that takes this process out of the job; 0 while none does.
pub(super) static LEAVER: AtomicI32 = AtomicI32::new(0);
/// The time limit of the leaver's present step, in milliseconds of `now_ms`; 0 if it may not be interrupted.
pub(super) static LATE_AT: AtomicU64 = AtomicU64::new(0);
/// The ending (packed) with which the leaver continues once the network has stopped; 0 if it has, or if another thread
/// continues instead.
pub(super) static LEAVES_WITH: AtomicU64 = AtomicU64::new(0);
/// The first stop signal.
pub(super) static STOPPED_BY: AtomicI32 = AtomicI32::new(0);
pub(super) static FS_SYNC: AtomicBool = AtomicBool::new(false);
pub(super) static ALARM: Alarm = Alarm::new();

/// The page, in a rank; `None` in processes that a client forks, and before there are ranks.
pub(super) fn page() -> Option<&'static ControlPage> {
    let page = *PAGE.get()?;
    (page.pid(here::me()) == process::pid()).then_some(page)
}

/// Ends the job with `code`, unless another rank or thread has already decided on a code. Not collective; from
/// any thread, in any handler, at any time after init.
pub fn exit(code: i32) -> ! {
    let Some(page) = page() else {
        // Before init, or in a process that a client forked: no job to end.
        streams::flush_streams_at_exit(|| false);
        process::end_now(code);
    };
    depart(page, Ending { code, crash: false });
    finish(page)
}

/// Takes this process out of the job, without ending the process. In rank 0 it returns when the other ranks have ended.
pub(super) fn depart(page: &'static ControlPage, ending: Ending) {
    // These signals would interrupt the departure. A second request to stop still has an effect.
    signal::ignore(libc::SIGQUIT);
    signal::ignore(libc::SIGPIPE);
    let thread = process::thread_id();
    match LEAVER.compare_exchange(0, thread, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => {}
        // Called by a destructor, or by a handler that interrupted the departure: not repeated.
        Err(leaver) if leaver == thread => finish(page),
        Err(_) => park(),
    }
    receive_thread::end();
    // The code of a rank that was told to leave does not count.
    let ending = page.ending().filter(|_| page.told(here::me()) >= Told::Quit).unwrap_or(ending);
    without_malloc(|| {
        stop_conduit(page, ending);
        settle_with(page, ending);
    });
}

/// Stops the network. After a good end, waits until messages in both directions have arrived and are acknowledged.
fn stop_conduit(page: &'static ControlPage, ending: Ending) {
    let Some(job) = try_job() else { return };
    let Some(conduit) = job.conduit else { return };
    LEAVES_WITH.store(ending.packed(), Ordering::Release);
    be_late_after(NETWORK_LIMIT_MS);
    // If every rank that left before did so with code 0, wait: those ranks may still need our acknowledgements.
    let in_peace = ending == Ending::GOOD && page.ending().is_none_or(|decided| decided == Ending::GOOD);
    conduit.stop(if in_peace { Stop::Within { ns: LINGER_MS * MS } } else { Stop::Now }, job);
    if LEAVES_WITH.swap(0, Ordering::AcqRel) == 0 {
        // The limit has passed, and the timer's handler, on another thread, continues instead.
        park();
    }
}

/// Raises the life signal after `limit_ms`.
fn be_late_after(limit_ms: u64) {
    LATE_AT.store(now_ms() + limit_ms, Ordering::Release);
    Mask::of(&[signal::life()]).unblock();
    ALARM.set(Duration::from_millis(limit_ms));
}

/// The departure after the network has stopped: claims the job's code, and flushes files and streams.
pub(super) fn settle_with(page: &'static ControlPage, ending: Ending) {
    let me = here::me();
    let first = page.claim_over(ending);
    page.set_state(me, RankState::Flushing);
    if first || me.0 == 0 {
        launcher().look(page);
    }
    let decided = page.ending().unwrap_or(ending);
    let patience_ms = u64::from(page.leave_step_ms(decided));
    be_late_after(patience_ms);
    let lock_limit_ms = now_ms() + patience_ms.min(page.timeout_ms().into()) / 2;
    let asked = STOPPED_BY.load(Ordering::Relaxed) != 0;
    // The stack is examined only for traces and statistics.
    let in_a_handler = asked || trace::is_on() && backtrace::in_a_signal_handler();
    trace::finish(!in_a_handler && !ending.crash, numbers);
    streams::flush_streams_at_exit(|| now_ms() < lock_limit_ms);
    ALARM.set(Duration::ZERO);
    LATE_AT.store(0, Ordering::Release);
    if !decided.crash {
        part(page, patience_ms);
    }
    settle(page);
}

/// Leaves the launcher's library together with the other ranks, for the time limit of those.
fn part(page: &'static ControlPage, limit_ms: u64) {
    page.set_state(here::me(), RankState::Parting);
    be_late_after(limit_ms);
    let goes_on = || page.ending().is_none_or(|decided| !decided.crash);
    if let Some(job) = try_job() {
        if let Some(conduit) = job.conduit {
            conduit.part(&goes_on, job);
        }
    }
    if goes_on() {
        launcher().part();
    }
    ALARM.set(Duration::ZERO);
    LATE_AT.store(0, Ordering::Release);
}

/// The counters of the network, for statistics.
pub(super) fn numbers(say: &mut dyn FnMut(&str, u64)) {
    if let Some(conduit) = try_job().and_then(|job| job.conduit) {
        conduit.counters(say);
    }
}

/// The last part of a departure, which cannot hang.
pub(super) fn settle(page: &'static ControlPage) {
    if FS_SYNC.load(Ordering::Relaxed) {
        process::sync_file_systems();
    }
    let me = here::me();
    page.set_state(me, RankState::Leaving);
    if me.0 == 0 {
        warden::wait_for_others(page, 2 * u64::from(page.timeout_ms()) + 2000 + late_ms(page));
        trace::finish_last();
    }
    launcher().leave(page.ending().unwrap_or(Ending::GOOD));
}

/// Time for late ranks to finish, and then to write their output.
fn late_ms(page: &ControlPage) -> u64 {
    match page.ending() {
        Some(Ending::GOOD) => 2 * u64::from(page.kill_ms()),
        _ => 0,
    }
}

/// Ends this process with the job's code.
pub(super) fn finish(page: &ControlPage) -> ! {
    let code = page.ending().map_or(1, |ending| ending.code);
    let interrupted = STOPPED_BY.load(Ordering::Relaxed) == libc::SIGINT && code == 128 + libc::SIGINT;
    if interrupted && here::me().0 == 0 {
        // Then a shell ends its own loop, as for any program that Ctrl-C ends.
        signal::die_of(libc::SIGINT);
    }
    process::end_now(code)
}

/// Another thread is taking the process out of the job, and ends it.
pub(super) fn park() -> ! {
    loop {
        process::pause();
    }
}
