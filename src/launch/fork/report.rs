//! The warden's part in reports on a job (hang/): it advances the coarse clock of message times, receives requests for
//! reports, writes them rank by rank, and detects a job that makes no progress.

use super::desk::{asked_at, ending, hang_timeout, stood_still, title};
use super::warden::Warden;
use crate::bootstrap::page::{Ending, RankState};
use crate::defs::rank::{HostRank, JobRank};
use crate::fatal;
use crate::hang::board::{Board, TICK_MS};
use crate::hang::report::{Reporter, Subject};
use crate::hang::watch::{Standstill, Watch};
use crate::os::sleep::now_ns;

impl Warden {
    /// Advances the reports.
    pub(super) fn look_at_reports(&mut self) {
        let Some(desk) = &mut self.desk else { return };
        desk.board.set_clock(((now_ns() - desk.started_ns) / (TICK_MS * 1_000_000)) as u32);
        if self.plan.is_some() {
            desk.current = None;
            return;
        }
        let asked = desk.board.take_question();
        if desk.current.is_some() {
            // Requests that arrived meanwhile are answered by this report.
            return self.go_on_reporting();
        }
        let standstill = desk.watch.as_mut().and_then(Watch::look);
        match &mut self.agent {
            Some(agent) => {
                if let Some(rank) = asked {
                    agent.ask_for_report(rank);
                }
                if let Some(Standstill { still, waiting }) = standstill {
                    agent.stands_still(still, waiting);
                }
                if agent.told_to_report() {
                    self.begin_report();
                }
            }
            None => {
                let still = standstill.is_some_and(|now| now.still && now.waiting);
                let why = match (asked, still) {
                    (Some(rank), _) => asked_at(rank),
                    (None, true) => stood_still(hang_timeout().unwrap_or_default()),
                    (None, false) => return,
                };
                desk.unasked = asked.is_none();
                fatal::write_stderr(title(&why, self.page.size()).as_bytes());
                self.begin_report();
            }
        }
    }

    /// A report was requested.
    pub(super) fn ask_for_report(&mut self) {
        if let Some(desk) = &self.desk {
            desk.board.ask(self.page.job_rank(HostRank(0)).0);
        }
    }

    fn begin_report(&mut self) {
        if let Some(desk) = &mut self.desk {
            let page = self.page;
            let local = |rank| page.host_rank(JobRank(rank)).map(|rank| rank.0);
            desk.current = Some((Reporter::new(desk.board, local), 0));
        }
    }

    /// One rank's block, or the end.
    fn go_on_reporting(&mut self) {
        let Some(desk) = &mut self.desk else { return };
        let Some((reporter, next)) = &mut desk.current else { return };
        let rank = HostRank(*next);
        if *next < self.page.size() {
            *next += 1;
            let subject = Subject {
                here: rank.0,
                rank: self.page.job_rank(rank).0,
                pid: self.page.pid(rank),
                doing: match self.page.state(rank) {
                    RankState::Alive => None,
                    RankState::Unborn => Some("has not started"),
                    RankState::Flushing | RankState::Parting | RankState::Leaving => {
                        Some("is leaving (gasnet_exit, exit or a return from main)")
                    }
                    RankState::Crashed => Some("dies of a signal"),
                    RankState::Departed => Some("has ended by exit"),
                },
            };
            let text = reporter.block(&subject);
            match &mut self.agent {
                Some(agent) => {
                    agent.say_for(rank.0, text);
                    if let Some(standing) = reporter.standings.last() {
                        agent.tell_standing(standing);
                    }
                }
                None => fatal::write_stderr(text.as_bytes()),
            }
            return;
        }
        let standings = std::mem::take(&mut reporter.standings);
        desk.current = None;
        let ends = desk.unasked && desk.abort;
        // Requests of other ranks at the same time are answered by this report.
        let _ = desk.board.take_question();
        match &mut self.agent {
            Some(agent) => agent.explained(),
            None => {
                fatal::write_stderr(ending(&standings, "").as_bytes());
                if ends && self.page.may_say() {
                    fatal::line("*** GASNet: ending the job, which makes no progress (GASNET_HANG_ACTION)");
                    self.page.claim(Ending { code: 1, crash: true });
                }
            }
        }
    }
}

/// Prints a report on the only rank, `pid`, of a job without a warden; called in a forked copy of it.
pub(crate) fn report_alone(pid: i32) {
    let Some(board) = Board::get() else { return };
    let mut reporter = Reporter::new(board, |rank| (rank == 0).then_some(0));
    let block = reporter.block(&Subject { here: 0, rank: 0, pid, doing: None });
    let text = title(&asked_at(0), 1) + &block + "*** GASNet: end of the report\n";
    fatal::write_stderr(text.as_bytes());
}
