//! Ranks that have not left when a job has ended well (code 0). A rank that computes has until `GASNET_EXITTIMEOUT_KILL`,
//! since its results may matter. A rank that has only waited, slept or polled for the whole exit timeout gets SIGQUIT. One
//! line names the ranks that get a signal, and the variable.

use super::lateness::{LAST_GRACE, Late, Seen};
use super::warden::Warden;
use crate::bootstrap::page::{RankState, Told};
use crate::defs::rank::HostRank;
use crate::os::process::{self, Line};
use crate::os::signal;
use std::fmt::Write as _;
use std::time::Duration;

/// Ranks that a line names.
const MOST_NAMED: usize = 8;

impl Warden {
    /// Samples the ranks that have not left once a period, and signals those whose time is over.
    pub(super) fn see_to_the_late(&mut self, now: Duration) {
        let Some(mut late) = self.late.take() else { return };
        if now >= late.looked + Late::PERIOD {
            // If this process was stopped itself, only a small part of that time counts.
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
            if !matches!(self.page.state(rank), RankState::Alive | RankState::Unborn) {
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
                            // Early enough to have samples before the timeout has passed once more.
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
                "had not left {limit} s after the job had ended with code 0 (GASNET_EXITTIMEOUT_KILL): killed; output that \
                 it had not written is lost"
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
