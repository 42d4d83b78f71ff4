//! Finds out whether ranks that have not left compute or wait.
//!
//! A thread computes if its processor time grows, or it is ready to run or in the kernel for a moment, and it neither waits
//! in the library (as the board records) nor only polls, which means at least one poll in 50 microseconds of processor time.

use crate::bootstrap::page::{ControlPage, Told};
use crate::defs::rank::HostRank;
use crate::hang::board::Board;
use crate::hang::proc;
use std::collections::HashMap;
use std::time::Duration;

/// Time for a rank that was told to leave at once.
pub(super) const LAST_GRACE: Duration = Duration::from_millis(250);
/// Polls in a tick of a thread's processor time (10 ms) above which it counts as only polling.
const POLLS_A_TICK: u64 = 200;

/// The ranks that have not left when a job has ended well.
pub(super) struct Late {
    pub(super) since: Duration,
    pub(super) looked: Duration,
    pub(super) ranks: Vec<LateRank>,
}

#[derive(Clone, Default)]
pub(super) struct LateRank {
    threads: HashMap<i32, LateThread>,
    /// The time for which it has not computed.
    pub(super) idle: Duration,
    pub(super) told: Option<(Told, Duration)>,
    /// The time at which it began to leave.
    pub(super) leaving: Option<Duration>,
    pub(super) killed: bool,
}

/// A thread at the last sample.
#[derive(Clone, Copy, Default)]
struct LateThread {
    ticks: u64,
    polls: u32,
    /// Its polls when a sample first found its present ticks. A thread that sleeps between its polls needs several samples for a tick.
    polls_at_tick: u32,
    /// It did nothing but poll when it ran last.
    polled: bool,
}

/// A rank's activity since the last sample.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Seen {
    Idle,
    /// This thread computes.
    Computing(i32),
}

impl LateRank {
    pub(super) fn look(&mut self, pid: i32, rank: u32) -> Seen {
        let records = Board::get().map_or(&[][..], |board| board.records(rank));
        let mut seen = Seen::Idle;
        let mut threads = HashMap::new();
        for thread in proc::threads(pid) {
            let record = records.iter().find(|record| record.thread() == Some(thread.tid));
            let polls = record.map_or(0, |record| record.polls());
            let mut now = LateThread { ticks: thread.ticks, polls, polls_at_tick: polls, polled: false };
            if let Some(before) = self.threads.get(&thread.tid) {
                let computes = now.follows(before, thread.state);
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

impl LateThread {
    /// Completes this sample, which follows `before`; whether the thread, in this state, has computed between them unless it waits.
    fn follows(&mut self, before: &LateThread, state: u8) -> bool {
        let ticks = self.ticks.saturating_sub(before.ticks);
        let since = if ticks == 0 { before.polls } else { before.polls_at_tick };
        let computes = computes(ticks, self.polls.wrapping_sub(since).into(), state, before.polled);
        self.polled = !computes && (self.polls != before.polls || before.polled);
        if ticks == 0 {
            self.polls_at_tick = before.polls_at_tick;
        }
        computes
    }
}

/// Whether a thread that does not wait computes; `polled`: it only polled when it ran last.
fn computes(ticks: u64, polls: u64, state: u8, polled: bool) -> bool {
    match ticks {
        // Other processes may have used the processors.
        0 => matches!(state, b'R' | b'D') && polls == 0 && !polled,
        _ => polls < ticks * POLLS_A_TICK,
    }
}

impl Late {
    /// The interval of samples.
    pub(super) const PERIOD: Duration = Duration::from_millis(100);

    pub(super) fn new(page: &ControlPage, now: Duration) -> Late {
        Late { since: now, looked: now, ranks: vec![LateRank::default(); page.size() as usize] }
    }

    pub(super) fn has_killed(&self, rank: HostRank) -> bool {
        self.ranks[rank.0 as usize].killed
    }

    /// A rank has left: restarts the measurement for the others, which may have waited for it.
    pub(super) fn one_left(&mut self) {
        self.ranks.iter_mut().for_each(|watch| watch.idle = Duration::ZERO);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_sleeps_between_polls_does_not_compute() {
        let sample = |ticks, polls| LateThread { ticks, polls, polls_at_tick: polls, polled: false };
        let mut before = sample(70, 1000);
        // 60 polls in each tenth of a second, and a tick of processor time in half a second.
        for at in 1..100 {
            let mut now = sample(70 + u64::from(at / 5), 1000 + 60 * at);
            assert!(!now.follows(&before, b'S'), "{at}");
            before = now;
        }
        let mut now = sample(before.ticks + 1, before.polls + 10);
        assert!(!now.follows(&before, b'R'), "those since its last tick count, too");
        let mut later = sample(now.ticks + 1, now.polls + 100);
        assert!(later.follows(&now, b'R'));
    }

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
