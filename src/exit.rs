//! The end of a job: `gasnet_exit`, plain `exit` and a return from main, signals, fatal errors. The first of them decides
//! the job's exit code (`ControlPage::claim`). The launcher (bootstrap/launcher.rs) makes every rank leave: under a warden
//! rank 0 leaves last, with that code; an external launcher is told the code. All of this may run in a signal handler, in an
//! AM handler, on any thread, and while other threads hang anywhere, so it uses memory of the reserve of os/reserve.rs only,
//! and every wait for a lock has a time limit. If a timer interrupts a step after its limit, that step is abandoned, and the
//! rest of the departure runs in the timer's handler.

mod warden;

use crate::am::receive_thread;
use crate::bootstrap::launcher::{Launcher, WantsEnd, launcher};
use crate::bootstrap::page::{ControlPage, Ending, RankState, Told};
use crate::bootstrap::{self, here};
use crate::conduit::Stop;
use crate::conduit::shared::inside;
use crate::defs::rank::HostRank;
use crate::env;
use crate::fatal::{self, blame};
use crate::hang::ask;
use crate::hang::board::Board;
use crate::job::try_job;
use crate::launch::meeting::member as meeting;
use crate::launch::{fork, leader};
use crate::os::alarm::Alarm;
use crate::os::backtrace;
use crate::os::copy;
use crate::os::exit_hook;
use crate::os::process::{self, Line};
use crate::os::reserve::without_malloc;
use crate::os::shm;
use crate::os::signal::{self, Choice, Mask, Reactions, Signal};
use crate::os::sleep::{MS, now_ms};
use crate::os::streams;
use crate::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
use crate::trace;
use std::sync::OnceLock;
use std::time::Duration;

/// After a good end, the time for which a rank waits until the network has delivered its messages.
const LINGER_MS: u64 = 250;
/// The time limit for stopping the network.
const NETWORK_LIMIT_MS: u64 = LINGER_MS + 1000;

static PAGE: OnceLock<&'static ControlPage> = OnceLock::new();
/// The thread that takes this process out of the job; 0 while none does.
static LEAVER: AtomicI32 = AtomicI32::new(0);
/// The time limit of the leaver's present step, in milliseconds of `now_ms`; 0 if it may not be interrupted.
static LATE_AT: AtomicU64 = AtomicU64::new(0);
/// The ending (packed) with which the leaver continues once the network has stopped; 0 if it has, or if another thread
/// continues instead.
static LEAVES_WITH: AtomicU64 = AtomicU64::new(0);
/// The first stop signal, and its time.
static STOPPED_BY: AtomicI32 = AtomicI32::new(0);
static STOPPED_AT: AtomicU64 = AtomicU64::new(0);
static CATCH_EXIT: AtomicBool = AtomicBool::new(true);
static FS_SYNC: AtomicBool = AtomicBool::new(false);
static ALARM: Alarm = Alarm::new();

/// The page, in a rank; `None` in processes that a client forks, and before there are ranks.
fn page() -> Option<&'static ControlPage> {
    let page = *PAGE.get()?;
    (page.pid(here::me()) == process::pid()).then_some(page)
}

/// Reads the settings and installs signal handlers and the exit hook. Called once, before the ranks are forked, which inherit
/// them. Ranks that were started separately each call it, as `me` of their host; rank 0 sets the limits.
pub fn prepare(size: u32, page: &'static ControlPage, me: HostRank) {
    let limits = bootstrap::limits::exit_limits(size);
    if me.0 == 0 {
        page.set_limits(limits);
    }
    CATCH_EXIT.store(env::yes("GASNET_CATCH_EXIT"), Ordering::Relaxed);
    FS_SYNC.store(env::yes("GASNET_FS_SYNC"), Ordering::Relaxed);
    let _ = PAGE.set(page);
    let choice = signals_to_leave();
    if me.0 == 0 && (choice.leave_all || choice.leave.contains(&Signal(libc::SIGQUIT))) {
        page.set_quit_left_alone();
    }
    signal::install(Reactions { crash, stop, quit, life }, &choice);
    let user = Signal(ask::BY_USER);
    let leave = choice.leave_all || choice.leave.contains(&user);
    if !ask::install(asked, leave) && !leave && page.job_rank(me).0 == 0 {
        fatal::warn!("{user} is the program's own: gasnet_info --job {} asks for a report on the job", process::pid());
    }
    exit_hook::call_at_exit(at_exit);
}

/// From here on a fatal error ends the job. Called before `prepare`, when there is no job yet, or only its master and
/// the first process of each host.
pub fn end_jobs_of_fatal_errors() {
    fatal::set_job_ender(end_after_fatal);
    fatal::set_speaker(is_said_elsewhere);
}

/// Called in every rank once it is one.
pub fn begin() {
    ALARM.create(signal::life());
    if let Some(fd) = launcher().died() {
        process::watch(fd, signal::life());
        // The kernel raises the signal only for changes from now on.
        if process::has_stirred(fd) {
            signal::raise(signal::life());
        }
    }
}

/// A report on the job was requested.
fn asked() {
    let Some(page) = page() else { return };
    let rank = page.job_rank(here::me()).0;
    if page.warden() == 0 {
        const LIMIT_S: u32 = 20;
        let pid = process::pid();
        return copy::in_a_copy(LIMIT_S, || fork::report::report_alone(pid));
    }
    if let Some(board) = Board::get() {
        board.ask(rank);
        here::call_warden(page);
    }
}

fn signals_to_leave() -> Choice {
    let mut choice = Choice::default();
    let text = env::str("GASNET_NO_CATCH_SIGNAL").unwrap_or_default();
    for name in text.split([',', ' ', '\t']).filter(|name| !name.is_empty()) {
        match Signal::named(name) {
            _ if name == "*" => choice.leave_all = true,
            Some(signal) => choice.leave.push(signal),
            None => fatal::warn!("GASNET_NO_CATCH_SIGNAL: there is no signal '{name}'"),
        }
    }
    choice
}

/// Whether the job is ending.
pub fn ending() -> bool {
    page().is_some_and(|page| page.ending().is_some())
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
fn depart(page: &'static ControlPage, ending: Ending) {
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
fn settle_with(page: &'static ControlPage, ending: Ending) {
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
fn numbers(say: &mut dyn FnMut(&str, u64)) {
    if let Some(conduit) = try_job().and_then(|job| job.conduit) {
        conduit.counters(say);
    }
}

/// The last part of a departure, which cannot hang.
fn settle(page: &'static ControlPage) {
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
fn finish(page: &ControlPage) -> ! {
    let code = page.ending().map_or(1, |ending| ending.code);
    let interrupted = STOPPED_BY.load(Ordering::Relaxed) == libc::SIGINT && code == 128 + libc::SIGINT;
    if interrupted && here::me().0 == 0 {
        // Then a shell ends its own loop, as for any program that Ctrl-C ends.
        signal::die_of(libc::SIGINT);
    }
    process::end_now(code)
}

/// Another thread is taking the process out of the job, and ends it.
fn park() -> ! {
    loop {
        process::pause();
    }
}

/// Plain `exit`, or a return from main.
fn at_exit(status: i32) {
    let Some(page) = page() else { return };
    if LEAVER.load(Ordering::Acquire) == process::thread_id() {
        return;
    }
    let me = here::me();
    if !CATCH_EXIT.load(Ordering::Relaxed) {
        page.set_state(me, RankState::Departed);
        launcher().leave(Ending::GOOD);
        return;
    }
    depart(page, Ending { code: status, crash: false });
    // The rest of `exit` (destructors, temporary files) runs, unless it would give the wrong code.
    let same = page.ending().is_some_and(|ending| ending.code & 0xff == status & 0xff);
    if (me.0 == 0 || here::is_joined()) && !same {
        finish(page);
    }
}

/// A program error: SIGSEGV and the like.
fn crash(signal: i32) {
    let Some(page) = page() else { signal::die_of(signal) };
    match LEAVER.load(Ordering::Acquire) {
        0 => {}
        leaver if leaver == process::thread_id() => {
            // A crash while flushing, or in a destructor: the rest of the output is lost.
            LEAVER.store(-1, Ordering::Release);
            settle(page);
            finish(page)
        }
        // A second crash, after the one above.
        -1 => finish(page),
        _ => park(),
    }
    if let Some(ending) = ending_behind(page, signal) {
        depart(page, ending);
        finish(page)
    }
    if page.may_say() {
        signal::announce(page.job_rank(here::me()).0, signal);
        print_rank_that_caused(page.job_rank(here::me()).0);
    }
    backtrace::freeze_on_error();
    backtrace::print_if_enabled(2);
    die(page, signal)
}

/// The end of the job in whose course a network's library has aborted this process; None if the abort is itself the reason, or for another signal.
/// Libraries have assertions that fail when a peer goes (UCX over tcp), and the news of its death may take longer than they.
fn ending_behind(page: &'static ControlPage, signal: i32) -> Option<Ending> {
    const NEWS_MS: u64 = 1000;
    const LOOK_AGAIN: Duration = Duration::from_millis(5);
    if signal != libc::SIGABRT || !inside::is_inside() {
        return None;
    }
    let until = now_ms() + NEWS_MS;
    while page.ending().is_none() && now_ms() < until {
        process::nap(LOOK_AGAIN);
    }
    page.ending()
}

/// If the fault was in memory that another rank named, prints that rank.
fn print_rank_that_caused(me: u32) {
    let at = signal::fault_address();
    let Some(wish) = blame::wish(at) else { return };
    let (what, at) = (wish.what, wish.first_in_page(at, shm::page_bytes()));
    match wish.from {
        Some(from) => Line::of(format_args!("*** (proc {me}) rank {from} {what} address {at:#x} of this process")),
        None => Line::of(format_args!("*** (proc {me}) another rank {what} at address {at:#x} of this process")),
    }
    .print();
}

/// Dies of `signal`, which was printed; rank 0 after the other ranks.
fn die(page: &'static ControlPage, signal: i32) -> ! {
    const OTHERS_MS: u64 = 900;
    trace::finish(false, numbers);
    let ending = Ending { code: 128 + signal, crash: true };
    // A rank that was told to leave may die on the way; the job keeps its code.
    let was_told = page.told(here::me()) >= Told::Quit;
    if was_told {
        page.claim(ending)
    } else {
        page.claim_over(ending)
    };
    let code = page.ending().filter(|decided| was_told && *decided != Ending::GOOD).unwrap_or(ending).code;
    page.set_state(here::me(), RankState::Crashed);
    launcher().look(page);
    if here::me().0 == 0 {
        warden::wait_for_others(page, OTHERS_MS);
        trace::finish_last();
    }
    launcher().leave(Ending { code, crash: true });
    signal::die_of(signal)
}

/// Whether the master prints the line of a fatal error, or a rank of this host has printed an earlier one.
fn is_said_elsewhere(line: &str) -> bool {
    meeting::is_said(fatal::ABORTED) || leader::says(line) || page().is_some_and(|page| !page.may_say_fatal())
}

/// `fatal!` has printed its line.
fn end_after_fatal(code: i32) -> ! {
    leader::failed(code);
    if page().is_none() {
        launcher().give_up(code);
    }
    meeting::failed(code);
    let Some(page) = page() else { signal::die_of(libc::SIGABRT) };
    if LEAVER.load(Ordering::Acquire) == process::thread_id() {
        // The departure itself has failed.
        if page.ending().is_none_or(|decided| decided == Ending::GOOD) {
            let ending = Ending { code: 128 + libc::SIGABRT, crash: true };
            page.claim_over(ending);
            launcher().look(page);
            launcher().leave(ending);
        }
        finish(page);
    }
    match code {
        fatal::ABORTED => die(page, libc::SIGABRT),
        _ => exit(code),
    }
}

/// A request to stop: SIGINT and the like.
fn stop(signal: i32) {
    const SAME_REQUEST_MS: u64 = 250;
    let Some(page) = page() else { signal::die_of(signal) };
    if STOPPED_BY.compare_exchange(0, signal, Ordering::AcqRel, Ordering::Acquire).is_err() {
        // `timeout` and some shells send a signal to the process and then to its group.
        if now_ms() < STOPPED_AT.load(Ordering::Acquire) + SAME_REQUEST_MS {
            return;
        }
        page.claim(Ending { code: 128 + signal, crash: false });
        page.hurry();
        launcher().look(page);
        LATE_AT.store(0, Ordering::Release);
        LEAVER.store(-1, Ordering::Release);
        page.set_state(here::me(), RankState::Leaving);
        if here::me().0 == 0 {
            warden::wait_for_others(page, 2000);
        }
        launcher().leave(page.ending().unwrap_or(Ending { code: 128 + signal, crash: false }));
        finish(page);
    }
    STOPPED_AT.store(now_ms(), Ordering::Release);
    if LEAVER.load(Ordering::Acquire) != 0 {
        if warden::waits() && page.claim_over(Ending { code: stop_code(), crash: false }) {
            signal::announce(page.job_rank(here::me()).0, signal);
            launcher().look(page);
        }
        return;
    }
    if page.ending().is_none() && page.may_say() {
        signal::announce(page.job_rank(here::me()).0, signal);
    }
    if signal::is_ignored(libc::SIGQUIT) {
        exit(stop_code());
    }
    signal::raise(libc::SIGQUIT);
}

/// The code of a job that was asked to stop.
fn stop_code() -> i32 {
    match STOPPED_BY.load(Ordering::Acquire) {
        libc::SIGINT => 128 + libc::SIGINT,
        _ => 1,
    }
}

/// SIGQUIT, if the client does not catch it.
fn quit() {
    if fatal::is_dying() || inside::put_off() {
        return;
    }
    let Some(page) = page() else { signal::die_of(libc::SIGQUIT) };
    if page.ending().is_none() && page.may_say() {
        signal::announce(page.job_rank(here::me()).0, libc::SIGQUIT);
    }
    exit(stop_code())
}

/// The life signal: the departure takes too long, the warden has given this rank an order, or, in rank 0, has closed
/// the lifeline.
fn life() {
    const RANK0_KNOWS_MS: u64 = 200;
    let Some(page) = page() else { return };
    let leaver = LEAVER.load(Ordering::Acquire);
    if leaver != 0 {
        let late_at_ms = LATE_AT.load(Ordering::Acquire);
        if late_at_ms != 0 && now_ms() >= late_at_ms && LATE_AT.swap(0, Ordering::AcqRel) != 0 {
            let packed = LEAVES_WITH.swap(0, Ordering::AcqRel);
            if packed != 0 {
                settle_with(page, Ending::unpacked(packed));
                finish(page);
            }
            let me = here::me();
            if page.ending() == Some(Ending::GOOD) && page.state(me) == RankState::Flushing {
                let (rank, seconds) = (page.job_rank(me).0, f64::from(page.kill_ms()) / 1000.0);
                Line::of(format_args!(
                    "*** GASNet: rank {rank} could not write all that it has printed within {seconds} s \
                     (GASNET_EXITTIMEOUT_KILL): the rest is lost"
                ))
                .print();
            }
            settle(page);
            finish(page);
        }
        return;
    }
    match page.told(here::me()) {
        Told::Leave => exit(1),
        Told::CountPolls | Told::Quit => {
            if let Some(job) = try_job() {
                job.count_polls();
            }
        }
        Told::Nothing => {}
    }
    // Without a warden, ranks that were started separately still meet, and look after each other.
    let still_meet = page.warden() == 0 && !matches!(launcher(), Launcher::External(_));
    let Some(wants) = launcher().wants_an_end().filter(|_| !still_meet) else { return };
    if here::is_joined() && here::me().0 != 0 {
        // The warden's parent knows more.
        let until_ms = now_ms() + RANK0_KNOWS_MS;
        while page.ending().is_none() && now_ms() < until_ms {
            process::nap(Duration::from_millis(5));
        }
    }
    if page.ending().is_none() {
        let code = match wants {
            WantsEnd::Warden => warden::end_without_it(page),
            WantsEnd::External => {
                if page.may_say() {
                    Line::of(format_args!("*** GASNet: a rank, or what started the job, is gone; ending the job"))
                        .print();
                }
                1
            }
        };
        page.claim(Ending { code, crash: true });
    }
    exit(1)
}
