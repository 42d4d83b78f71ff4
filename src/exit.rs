//! The end of a job: `gasnet_exit`, plain `exit` and a return from main, signals, fatal errors. The first of them decides
//! the job's exit code (`ControlPage::claim`). The launcher (bootstrap/launcher.rs) makes every rank leave: under a warden
//! rank 0 leaves last, with that code; an external launcher is told the code. All of this may run in a signal handler, in an
//! AM handler, on any thread, and while other threads hang anywhere, so it uses memory of the reserve of os/reserve.rs only,
//! and every wait for a lock has a time limit. If a timer interrupts a step after its limit, that step is abandoned, and the
//! rest of the departure runs in the timer's handler.

mod departure;
mod warden;

pub use departure::exit;

use self::departure::{
    ALARM, FS_SYNC, LATE_AT, LEAVER, LEAVES_WITH, PAGE, STOPPED_BY, depart, finish, numbers, page, park, settle,
    settle_with,
};
use crate::bootstrap::launcher::{Launcher, WantsEnd, launcher};
use crate::bootstrap::page::{ControlPage, Ending, RankState, Told};
use crate::bootstrap::{self, here};
use crate::conduit::shared::inside;
use crate::defs::rank::HostRank;
use crate::env;
use crate::fatal::{self, blame};
use crate::hang::ask;
use crate::hang::board::Board;
use crate::job::try_job;
use crate::launch::meeting::member as meeting;
use crate::launch::{fork, leader};
use crate::os::backtrace;
use crate::os::copy;
use crate::os::exit_hook;
use crate::os::process::{self, Line};
use crate::os::shm;
use crate::os::signal::{self, Choice, Reactions, Signal};
use crate::os::sleep::now_ms;
use crate::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use crate::trace;
use std::time::Duration;

/// The time of the first stop signal.
static STOPPED_AT: AtomicU64 = AtomicU64::new(0);
static CATCH_EXIT: AtomicBool = AtomicBool::new(true);

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
