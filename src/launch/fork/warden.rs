//! The warden: the small process that is the parent of a host's ranks, or watches those that were started separately
//! (kin.rs). It detects when a rank dies, reports the rank and the cause, and ends the other ranks. It leaves before rank 0
//! does or, with a master, after it. It reads the control page when woken.

use std::fmt::Write as _;
use std::time::Duration;

use super::desk::ReportDesk;
use super::kin::Kin;
use super::lateness::{LAST_GRACE, Late};
use crate::bootstrap::here::LOOK;
use crate::bootstrap::page::{ControlPage, Ending, RankState, Told};
use crate::defs::rank::HostRank;
use crate::env;
use crate::launch::addresses::own_name;
use crate::launch::agent::Agent;
use crate::os::children::{self, End};
use crate::os::pidfd::{self, Pidfd};
use crate::os::process::{self, Forked, Lifeline, Line};
use crate::os::signal::{self, Mask, Saved};
use crate::os::sleep::now_ns;
use crate::os::streams;

const GRACE_AFTER_ERROR: Duration = Duration::from_millis(50);
const CRASH_GRACE: Duration = Duration::from_millis(400);
const CORE_DUMP_GRACE: Duration = Duration::from_secs(30);
/// Time limit for writing output to a slow reader when a job ends with an error.
pub(crate) const SLOW_READER: Duration = Duration::from_secs(3);
/// The signal that the warden gets when the thread that forked it, in rank 0, ends.
const RANK0_STIRRED: i32 = libc::SIGUSR2;

/// The plan for ending the job.
pub(super) struct EndPlan {
    ending: Ending,
    /// The time to raise SIGQUIT in ranks that have not begun to leave. `None`: done.
    ask_at: Option<Duration>,
    /// The latest time to which `ask_at` may be deferred while ranks keep leaving.
    ask_latest: Duration,
    grace: Duration,
    kill_at: Duration,
    /// The time at which rank 0 is killed after its lifeline was closed.
    kill_rank0_at: Option<Duration>,
}

/// The warden, while it is one.
pub(crate) struct Warden {
    pub(super) page: &'static ControlPage,
    pub(super) size: u32,
    pub(super) lifeline: Option<Lifeline>,
    pub(super) rank0: i32,
    pub(super) rank0_fd: Option<Pidfd>,
    pub(super) rank0_gone: bool,
    /// The other ranks, where they are not the warden's children.
    pub(super) kin: Option<Kin>,
    /// By rank; false for rank 0, which is not the warden's child.
    pub(super) running: Vec<bool>,
    nrunning: u32,
    pub(super) plan: Option<EndPlan>,
    /// After a good end: the late ranks.
    pub(super) late: Option<Late>,
    pub(super) oom_kills: Option<u64>,
    /// The host's connection to the master, if the job has one.
    pub(super) agent: Option<Agent>,
    /// State of the reports on the job.
    pub(super) desk: Option<ReportDesk>,
}

fn now() -> Duration {
    Duration::from_nanos(now_ns())
}

impl Warden {
    pub(crate) fn new(page: &'static ControlPage, size: u32, lifeline: Lifeline, agent: Option<Agent>) -> Warden {
        let rank0 = page.pid(HostRank(0));
        // Older valgrinds complain aloud about a call that they don't know.
        Warden {
            page,
            size,
            lifeline: Some(lifeline),
            rank0,
            rank0_fd: if env::under_valgrind() { None } else { Pidfd::open(rank0) },
            rank0_gone: false,
            kin: None,
            running: vec![false; size as usize],
            nrunning: 0,
            plan: None,
            late: None,
            oom_kills: None,
            agent,
            desk: None,
        }
    }

    /// Watches ranks that were started separately.
    pub(crate) fn watch_over(mut self, kin: Kin) -> ! {
        self.running[1..].fill(true);
        self.nrunning = self.size - 1;
        self.kin = Some(kin);
        self.watch()
    }

    /// Returns in each rank; in the warden, never.
    pub(crate) fn start_ranks(mut self) -> HostRank {
        let saved = Saved::and_default([libc::SIGCHLD]);
        let warden = process::pid();
        for rank in (1..self.size).map(HostRank) {
            if let Some(Err(errno)) = self.agent.as_mut().map(|agent| agent.before_fork(rank.0)) {
                self.could_not_start(rank, errno as i32);
                break;
            }
            match process::fork() {
                Ok(Forked::Child) => {
                    process::signal_when_parent_dies(libc::SIGKILL);
                    if process::parent() != warden {
                        // The warden died before the signal was requested.
                        signal::die_of(libc::SIGKILL);
                    }
                    if let Some(lifeline) = &self.lifeline {
                        lifeline.close_both();
                    }
                    if let Some(fd) = &self.rank0_fd {
                        process::close(fd.raw());
                    }
                    if let Some(agent) = self.agent.take() {
                        agent.become_rank();
                    }
                    streams::null_stdin();
                    saved.restore();
                    self.page.born(rank, process::pid());
                    return rank;
                }
                Ok(Forked::Parent(pid)) => {
                    if let Some(agent) = &mut self.agent {
                        agent.after_fork();
                    }
                    self.page.born(rank, pid);
                    self.running[rank.0 as usize] = true;
                    self.nrunning += 1;
                }
                Err(errno) => {
                    self.could_not_start(rank, errno);
                    break;
                }
            }
        }
        self.watch()
    }

    fn could_not_start(&mut self, rank: HostRank, errno: i32) {
        let why = process::error_text(errno);
        let (rank, size) = (self.page.job_rank(rank).0, self.page.job_size());
        let mut text = Line::empty();
        let _ = write!(text, "could not start rank {rank} of a job of {size}: {why}");
        let _ = match errno {
            libc::EAGAIN => write!(text, ". A limit on processes is reached: {}", children::process_limits()),
            libc::ENOMEM => write!(text, ". See vm.overcommit_memory and the control group's memory limit"),
            libc::EMFILE | libc::ENFILE => write!(text, " (ulimit -n)"),
            _ => Ok(()),
        };
        if self.page.may_say() {
            match &mut self.agent {
                // One line for all hosts.
                Some(agent) => agent.trouble(1, format!("host {}: {text}", own_name())),
                None => Line::of(format_args!("*** FATAL ERROR: {text}")).print(),
            }
        }
        self.page.claim(Ending { code: 1, crash: true });
        self.page.hurry();
    }

    fn watch(mut self) -> ! {
        process::set_name(c"gasnet-warden");
        self.desk = ReportDesk::new();
        let awaited = Mask::of(&[libc::SIGCHLD, libc::SIGTERM, LOOK, RANK0_STIRRED, signal::question()]);
        let mut keep =
            vec![self.lifeline.as_ref().map_or(-1, Lifeline::held), self.rank0_fd.as_ref().map_or(-1, Pidfd::raw)];
        if let Some(agent) = &mut self.agent {
            agent.take_post(&awaited);
            keep.extend(agent.files());
        }
        if let Some(kin) = &mut self.kin {
            kin.begin(&awaited, self.rank0_fd.as_ref().map(Pidfd::as_file));
            keep.extend(kin.files());
        }
        keep.sort();
        process::close_all_but(&keep);
        // If the client ignores these signals, they must not stay ignored: a blocked and ignored signal is discarded.
        let _ = Saved::and_default([LOOK, RANK0_STIRRED, signal::question()]);
        process::signal_when_parent_dies(RANK0_STIRRED);
        self.oom_kills = children::out_of_memory_kills();
        // The warden ignores all other signals that ask for an end, except those of crashes.
        Mask::of(&signal::CRASHES).unblock();
        loop {
            self.look();
            let time = self.until_next();
            let signal = match (&mut self.agent, &self.kin) {
                (Some(agent), kin) => {
                    let (ranks, time) = kin.as_ref().map_or((Vec::new(), time), |kin| kin.awaited(time));
                    agent.wait(time, &ranks)
                }
                (None, Some(kin)) => kin.wait(&awaited, time),
                (None, None) => awaited.wait(time),
            };
            if signal == Some(libc::SIGTERM) && self.plan.is_none() {
                // A request to stop the warden is a request to stop the job.
                self.signal_rank0(libc::SIGTERM);
            }
            if signal == Some(signal::question()) {
                self.ask_for_report();
            }
        }
    }

    /// Handles everything that has changed.
    fn look(&mut self) {
        while let Some((pid, end)) = children::reap_any() {
            if let Some(rank) = (1..self.size).map(HostRank).find(|&rank| self.page.pid(rank) == pid) {
                self.rank_ended(rank, pid, Some(end));
            }
            // Orphans of ranks are not this process's children, since it is not a subreaper.
        }
        loop {
            while let Some((rank, pid, end)) = self.kin.as_mut().and_then(Kin::take_ended) {
                self.rank_ended(rank, pid, end);
            }
            if !self.kin.as_mut().is_some_and(Kin::take_rank0) {
                break;
            }
            self.rank0_is_gone();
        }
        // A parent that changed is a parent that died. A thread of it that died leaves it as it is.
        if process::parent() != self.rank0 {
            self.rank0_is_gone();
        }
        self.listen();
        self.look_at_reports();
        // Read before the reason: a rank gives the reason, which must be printed, before it claims the end.
        let mut ending = self.page.ending();
        if let Some((code, line)) = self.page.reason.take() {
            self.abort(code, &line);
            ending = self.page.ending();
        }
        if let Some(ending) = ending {
            if self.plan.as_ref().is_none_or(|plan| plan.ending != ending) {
                self.plan(ending);
                if let Some(agent) = &mut self.agent {
                    agent.ending(ending.code, ending.crash);
                }
            }
        }
        self.carry_on();
        let rank0_leaves = self.rank0_gone
            || matches!(
                self.page.state(HostRank(0)),
                RankState::Flushing | RankState::Parting | RankState::Leaving | RankState::Crashed
            );
        if self.nrunning == 0 && rank0_leaves && (self.plan.is_some() || self.rank0_gone) {
            self.page.tell_alone();
            if let Some(agent) = self.agent.take() {
                let step = |ending| Duration::from_millis(self.page.leave_step_ms(ending).into());
                let (steps, patience) = match self.plan.as_ref().map(|plan| plan.ending) {
                    Some(Ending::GOOD) => (2 * step(Ending::GOOD), step(Ending::GOOD)),
                    Some(ending) => (2 * step(ending), SLOW_READER),
                    None => (Duration::ZERO, SLOW_READER),
                };
                let rank0 = self.rank0;
                agent.finish(|| process::parent() != rank0, steps + SLOW_READER, patience);
            }
            process::end_now(0);
        }
    }

    /// Executes the orders of the master.
    fn listen(&mut self) {
        let Some(agent) = &mut self.agent else { return };
        for rank in (0..self.size).filter_map(|rank| self.page.take_doubt(HostRank(rank))) {
            agent.doubt(rank);
        }
        if let Some((code, crash)) = agent.told_end() {
            self.page.claim_over(Ending { code, crash });
        }
        let signal = agent.told_signal();
        if agent.lost() && self.page.ending().is_none_or(|ending| ending == Ending::GOOD && self.late.is_some()) {
            self.page.claim_over(Ending { code: 1, crash: true });
            // The ranks' output has no reader any more.
            self.page.may_say();
        }
        if let Some(signal) = signal.filter(|_| self.plan.is_none()) {
            self.signal_rank0(signal);
        }
    }

    /// A rank aborts the job.
    fn abort(&mut self, code: i32, line: &str) {
        if !line.is_empty() && self.page.may_say() {
            match &mut self.agent {
                Some(agent) => agent.trouble(code, line.to_string()),
                None => Line::of(format_args!("*** FATAL ERROR: {line}")).print(),
            }
        }
        self.page.claim_over(Ending { code, crash: true });
    }

    /// Handles the end of a rank's process; `end`: its kind, if known.
    fn rank_ended(&mut self, rank: HostRank, pid: i32, end: Option<End>) {
        self.running[rank.0 as usize] = false;
        self.nrunning -= 1;
        match self.page.state(rank) {
            RankState::Flushing | RankState::Parting if end.is_some_and(|end| self.was_cut(rank, end)) => {
                self.died(rank, pid, end)
            }
            RankState::Leaving | RankState::Flushing | RankState::Parting | RankState::Departed => {}
            // The rank has printed its signal itself.
            RankState::Crashed if !self.was_told(rank) => {
                _ = self.page.claim_over(Ending { code: end.map_or(1, End::code), crash: true })
            }
            RankState::Crashed => {}
            RankState::Unborn | RankState::Alive => self.died(rank, pid, end),
        }
        if let Some(late) = &mut self.late {
            late.one_left();
        }
        if let Some(plan) = &mut self.plan {
            if let Some(at) = plan.ask_at {
                plan.ask_at = Some(at.max(now() + plan.grace).min(plan.ask_latest.max(at)));
            }
        }
    }

    fn died(&mut self, rank: HostRank, pid: i32, end: Option<End>) {
        if self.was_told(rank) {
            return;
        }
        if self.page.ending().is_none_or(|ending| ending == Ending::GOOD) && self.page.may_say() {
            self.say(rank, pid, end);
        }
        let code = end.map_or(1, End::code);
        self.page.claim_over(Ending { code: if code == 0 { 1 } else { code }, crash: true });
    }

    /// After a good end, the rank was killed while it wrote the rest of its output, or ended while others waited for it.
    fn was_cut(&self, rank: HostRank, end: End) -> bool {
        let is_cut = match self.page.state(rank) {
            RankState::Flushing => matches!(end, End::Killed(_)),
            state => state == RankState::Parting,
        };
        is_cut
            && self.page.ending() == Some(Ending::GOOD)
            && !self.late.as_ref().is_some_and(|late| late.has_killed(rank))
    }

    /// The rank was late after a good end and was told to leave: its exit code does not count.
    fn was_told(&self, rank: HostRank) -> bool {
        self.late.is_some() && self.page.told(rank) >= Told::Quit
    }

    /// To be called at least once when it is.
    fn rank0_is_gone(&mut self) {
        if !self.rank0_gone {
            self.rank0_gone = true;
            self.rank0_ended();
        }
    }

    fn rank0_ended(&mut self) {
        let rank0 = HostRank(0);
        if matches!(self.page.state(rank0), RankState::Flushing | RankState::Parting)
            && self.page.ending() == Some(Ending::GOOD)
        {
            if let Some(end) = self.rank0_end().filter(|&end| self.was_cut(rank0, end)) {
                return self.died(rank0, self.rank0, Some(end));
            }
        }
        let in_peace = matches!(
            self.page.state(rank0),
            RankState::Leaving | RankState::Parting | RankState::Flushing | RankState::Departed | RankState::Crashed
        );
        let say = !in_peace && self.page.ending().is_none() && self.page.may_say();
        // Where the process that started the job checks rank 0 only, its exit code is already fixed, so any code is used.
        let departed = self.page.state(rank0) == RankState::Departed;
        let seen_by_others = self.agent.is_some() || self.kin.is_some();
        let end = if (say || departed) && seen_by_others { self.rank0_end() } else { None };
        let code = match end.map_or(1, End::code) {
            0 if !departed => 1,
            code => code,
        };
        self.page.claim(Ending { code, crash: true });
        if say {
            // The other ranks first: the reason may take some time.
            self.signal_running(libc::SIGQUIT);
            let end = end.or_else(|| self.rank0_end());
            self.say(rank0, self.rank0, end);
        }
    }

    /// The end of rank 0, as far as a process that is not its parent can find out.
    fn rank0_end(&self) -> Option<End> {
        const TRIES: u32 = 50;
        (0..TRIES).find_map(|_| {
            let end = self.rank0_fd.as_ref().and_then(Pidfd::ended).or_else(|| pidfd::zombie_end(self.rank0));
            if end.is_none() {
                process::nap(Duration::from_millis(2));
            }
            end
        })
    }

    fn plan(&mut self, ending: Ending) {
        let now = now();
        let timeout = Duration::from_millis(self.page.timeout_ms().into());
        self.late = (ending == Ending::GOOD).then(|| Late::new(self.page, now));
        let grace = match ending {
            Ending { crash: true, .. } => Duration::ZERO,
            _ => GRACE_AFTER_ERROR.min(timeout / 2),
        };
        let kill = if ending.crash { CRASH_GRACE.min(timeout) } else { timeout };
        self.plan = Some(EndPlan {
            ending,
            ask_at: Some(now + grace),
            ask_latest: now + timeout * 3 / 4,
            grace,
            kill_at: now + kill,
            kill_rank0_at: None,
        });
    }

    /// Takes the steps of the plan whose time has come.
    fn carry_on(&mut self) {
        let now = now();
        let hurried = self.page.hurried();
        let Some(plan) = &mut self.plan else { return };
        if plan.ending == Ending::GOOD && !hurried {
            return self.see_to_the_late(now);
        }
        if hurried {
            plan.ask_at = None;
            plan.kill_at = plan.kill_at.min(now);
        }
        if plan.ask_at.is_some_and(|at| at <= now) {
            plan.ask_at = None;
            self.signal_running(libc::SIGQUIT);
            if !self.rank0_gone && self.page.state(HostRank(0)) == RankState::Alive {
                self.ask_to_leave(HostRank(0));
            }
        }
        let Some(plan) = &mut self.plan else { return };
        if plan.kill_at > now {
            return;
        }
        if self.kin.as_mut().is_some_and(Kin::let_go) {
            // Each rank has a parent that checks its exit code, so it is killed only if it does not leave by itself.
            plan.kill_at = now + LAST_GRACE;
            return;
        }
        let kill_at = plan.kill_at;
        for rank in (1..self.size).map(HostRank).filter(|&rank| self.running[rank.0 as usize]) {
            let patience = match self.page.state(rank) {
                RankState::Crashed if process::dumps_core() && !hurried => CORE_DUMP_GRACE,
                _ => Duration::ZERO,
            };
            if kill_at + patience <= now {
                self.signal_other(rank, libc::SIGKILL);
            }
        }
        if !self.rank0_gone && self.page.state(HostRank(0)) == RankState::Alive {
            match self.plan.as_ref().and_then(|plan| plan.kill_rank0_at) {
                // Raises the life signal in rank 0, regardless of the client's disposition of SIGQUIT.
                None => {
                    self.let_go_of_rank0();
                    // It may have been stopped.
                    self.signal_rank0(libc::SIGCONT);
                }
                Some(at) if at <= now => self.signal_rank0(libc::SIGKILL),
                Some(_) => return,
            }
            if let Some(plan) = &mut self.plan {
                plan.kill_rank0_at = Some(now + LAST_GRACE);
            }
        }
    }

    /// How long to sleep; `None` is until something happens.
    fn until_next(&self) -> Option<Duration> {
        const RECHECK: Duration = Duration::from_millis(50);
        let Some(plan) = &self.plan else { return self.desk.as_ref().map(ReportDesk::until_next) };
        let now = now();
        let next = match plan {
            EndPlan { ending: Ending::GOOD, .. } if !self.page.hurried() => now + Late::PERIOD,
            EndPlan { ask_at: Some(at), kill_at, .. } => *at.min(kill_at),
            EndPlan { kill_at, .. } if *kill_at > now => *kill_at,
            // Killed, or given more time: checked again soon.
            _ => now + RECHECK,
        };
        Some(next.saturating_sub(now))
    }
}
