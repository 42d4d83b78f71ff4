//! Ranks that have not left when a job has ended well (code 0). A rank that computes has until `GASNET_EXITTIMEOUT_KILL`,
//! since its results may matter. A rank that has only waited, slept or polled for the whole exit timeout gets SIGQUIT. One
//! line names the ranks that get a signal, and the variable.
//!
//! A thread computes if its processor time grows, or it is ready to run or in the kernel for a moment, and it neither waits
//! in the library (the board says so) nor spends its time polling: then it polls at least once in 50 microseconds of it.

use super::warden::{LAST_GRACE, Warden};
use crate::bootstrap::{ControlPage, State, Told};
use crate::defs::rank::HostRank;
use crate::hang::board::Board;
use crate::hang::proc;
use crate::os::process::{self, Line};
use crate::os::signal;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::time::Duration;

/// Polls in a tick of a thread's processor time (10 ms) from which on it does nothing else.
const POLLS_A_TICK: u64 = 200;
/// Ranks that a line names.
const MOST_NAMED: usize = 8;

pub(super) struct Late {
    since: Duration,
    looked: Duration,
    ranks: Vec<Watch>,
}

#[derive(Clone, Default)]
struct Watch {
    threads: HashMap<i32, Thread>,
    /// For how long it has not computed.
    idle: Duration,
    told: Option<(Told, Duration)>,
    /// Since when it has been leaving.
    leaving: Option<Duration>,
    killed: bool,
}

/// A thread at the last look.
#[derive(Clone, Copy, Default)]
struct Thread {
    ticks: u64,
    polls: u32,
    /// It did nothing but poll when it ran last.
    polled: bool,
}

/// A rank's activity since the last look.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Seen {
    Idle,
    /// This thread of it computes.
    Computing(i32),
}

impl Watch {
    fn look(&mut self, pid: i32, rank: u32) -> Seen {
        let records = Board::get().map_or(&[][..], |board| board.records(rank));
        let mut seen = Seen::Idle;
        let mut threads = HashMap::new();
        for thread in proc::threads(pid) {
            let record = records.iter().find(|record| record.thread() == Some(thread.tid));
            let polls = record.map_or(0, |record| record.polls());
            let mut now = Thread { ticks: thread.ticks, polls, polled: false };
            if let Some(before) = self.threads.get(&thread.tid) {
                let polls = polls.wrapping_sub(before.polls).into();
                let computes = computes(now.ticks.saturating_sub(before.ticks), polls, thread.state, before.polled);
                now.polled = !computes && (polls > 0 || before.polled);
                if computes && !record.is_some_and(|record| record.is_waiting()) {
                    seen = Seen::Computing(thread.tid);
                }
            }
            threads.insert(thread.tid, now);
        }
        self.threads = threads;
        seen
    }
}

/// Whether a thread that does not wait computes; `polled`: it only polled when it ran last.
fn computes(ticks: u64, polls: u64, state: u8, polled: bool) -> bool {
    match ticks {
        // It may have been kept from a processor by others.
        0 => matches!(state, b'R' | b'D') && polls == 0 && !polled,
        _ => polls < ticks * POLLS_A_TICK,
    }
}

impl Late {
    /// How often to look.
    pub(super) const PERIOD: Duration = Duration::from_millis(100);

    pub(super) fn new(page: &ControlPage, now: Duration) -> Late {
        Late { since: now, looked: now, ranks: vec![Watch::default(); page.size() as usize] }
    }

    pub(super) fn has_killed(&self, rank: HostRank) -> bool {
        self.ranks[rank.0 as usize].killed
    }

    /// A rank has left: others may have waited for it.
    pub(super) fn one_left(&mut self) {
        self.ranks.iter_mut().for_each(|watch| watch.idle = Duration::ZERO);
    }
}

impl Warden {
    /// Samples the ranks that have not left once a period, and signals those whose time is over.
    pub(super) fn see_to_the_late(&mut self, now: Duration) {
        let Some(mut late) = self.late.take() else { return };
        if now >= late.looked + Late::PERIOD {
            // Of the time that this process was stopped itself, little counts.
            let step = (now - late.looked).min(Late::PERIOD * 3);
            late.looked = now;
            self.see_to(&mut late, now, step);
        }
        self.late = Some(late);
    }

    fn see_to(&mut self, late: &mut Late, now: Duration, step: Duration) {
        let timeout = Duration::from_millis(self.page.timeout_ms().into());
        let limit = Duration::from_millis(self.page.kill_ms().into());
        let over = now >= late.since + limit;
        let (mut idle, mut busy, mut killed) = (Vec::new(), Vec::new(), Vec::new());
        for rank in (0..self.size).map(HostRank) {
            let gone = if rank.0 == 0 { self.rank0_gone } else { !self.running[rank.0 as usize] };
            let watch = &mut late.ranks[rank.0 as usize];
            if gone || watch.killed {
                continue;
            }
            let pid = self.page.pid(rank);
            if !matches!(self.page.state(rank), State::Alive | State::Unborn) {
                // It flushes its output or runs destructors; rank 0 then waits for the other ranks.
                let since = *watch.leaving.get_or_insert(now);
                if rank.0 != 0 && now >= since + limit + timeout {
                    watch.killed = true;
                    self.signal_other(rank, libc::SIGKILL);
                    killed.push(rank);
                }
                continue;
            }
            match watch.told {
                None | Some((Told::Nothing | Told::CountPolls, _)) => {
                    match watch.look(pid, rank.0) {
                        Seen::Idle => watch.idle += step,
                        Seen::Computing(thread) => {
                            watch.idle = Duration::ZERO;
                            // Early enough to find out before the timeout has passed once more.
                            if watch.told.is_none() && now >= late.since + timeout / 2 {
                                watch.told = Some((Told::CountPolls, now));
                                self.page.tell(rank, Told::CountPolls);
                                process::signal_thread(pid, thread, signal::life());
                            }
                        }
                    }
                    let waits = watch.idle >= timeout;
                    if waits || over {
                        if waits { &mut idle } else { &mut busy }.push(rank);
                        watch.told = Some((Told::Quit, now));
                    }
                }
                Some((Told::Quit, at)) if over && now >= at + timeout => {
                    watch.told = Some((Told::Leave, now));
                    self.page.tell(rank, Told::Leave);
                    if rank.0 == 0 {
                        self.let_go_of_rank0();
                        self.signal_rank0(libc::SIGCONT);
                    } else {
                        self.signal_other(rank, signal::life());
                        self.signal_other(rank, libc::SIGCONT);
                    }
                }
                Some((Told::Leave, at)) if now >= at + LAST_GRACE => {
                    watch.killed = true;
                    killed.push(rank);
                    if rank.0 == 0 {
                        self.signal_rank0(libc::SIGKILL);
                    } else {
                        self.signal_other(rank, libc::SIGKILL);
                    }
                }
                Some((Told::Quit | Told::Leave, _)) => {}
            }
        }
        let (timeout, limit) = (timeout.as_secs_f64(), limit.as_secs_f64());
        self.tell_late(
            &idle,
            format_args!(
                "neither left nor computed for {timeout} s after the job had ended with code 0 (GASNET_EXITTIMEOUT): SIGQUIT"
            ),
        );
        self.tell_late(
            &busy,
            format_args!(
                "had not left {limit} s after the job had ended with code 0 (GASNET_EXITTIMEOUT_KILL): SIGQUIT"
            ),
        );
        for rank in idle.into_iter().chain(busy) {
            self.page.tell(rank, Told::Quit);
            self.ask_to_leave(rank);
        }
        self.tell_late(
            &killed,
            format_args!(
                "had not left {limit} s after the job had ended with code 0 (GASNET_EXITTIMEOUT_KILL): killed; what it has \
                 not written is lost"
            ),
        );
    }

    /// Prints one line that names `ranks`.
    fn tell_late(&mut self, ranks: &[HostRank], what: std::fmt::Arguments<'_>) {
        let Some(first) = ranks.first() else { return };
        let mut names = String::from(if ranks.len() == 1 { "rank " } else { "ranks " });
        for (at, rank) in ranks.iter().take(MOST_NAMED).enumerate() {
            let _ = write!(names, "{}{}", if at == 0 { "" } else { ", " }, self.page.job_rank(*rank).0);
        }
        if ranks.len() > MOST_NAMED {
            let _ = write!(names, " and {} others", ranks.len() - MOST_NAMED);
        }
        let line = Line::of(format_args!("*** GASNet: {names} {what}"));
        match &mut self.agent {
            Some(agent) => agent.say_for(first.0, format!("{line}\n")),
            None => line.print(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_polls_without_end_does_not_compute() {
        assert!(computes(5, 0, b'R', false));
        assert!(computes(5, 20, b'S', true), "a program that polls now and then");
        assert!(!computes(5, 100_000, b'R', false));
        assert!(computes(0, 0, b'R', false), "ready, but others have the processors");
        assert!(!computes(0, 0, b'R', true));
        assert!(!computes(0, 50, b'R', false));
        assert!(!computes(0, 0, b'S', false));
        assert!(!computes(0, 0, b'T', false));
    }
}
