//! How to wait: the one policy. Spin only where every thread of every rank on this host can have a core, and for some
//! microseconds; else yield. After `idle_ns` with nothing to do, or instead of yielding where other programs want the
//! cores, sleep on the rank's futex word until somebody wakes it or a bounded time passes.
//!
//! Sleeping takes two steps so that no wake-up is lost: `Arm` makes the sleeper visible, the caller looks at its
//! condition once more, and only then `Sleep` sleeps.

use crate::os::sleep::now_ns;

/// The waiter's next action.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// Pause a few cycles and look again.
    Spin,
    /// Give the core away and look again.
    Yield,
    /// Announce the sleeper, then look again.
    Arm,
    /// Sleep for at most this number of nanoseconds.
    Sleep(u64),
}

/// `gasnet_set_waitmode`: a hint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WaitMode {
    Spin,
    Block,
    SpinBlock,
}

const FIRST_SLEEP_NS: u64 = 500_000;
const LONGEST_SLEEP_NS: u64 = 100_000_000;
const LOOKS_PER_CLOCK: u32 = 64;
/// A spinner that waited this long yields now and then: other programs may hold the core that the peer needs.
const SPIN_ALONE_NS: u64 = 20_000;

/// One wait: from the first look that found nothing until something happened.
#[derive(Debug, Default)]
#[repr(C)]
pub(crate) struct Backoff {
    looks: u32,
    since_ns: u64,
    looked_ns: u64,
    armed: bool,
    sleep_ns: u64,
}

impl Backoff {
    pub(crate) const fn new() -> Backoff {
        Backoff { looks: 0, since_ns: 0, looked_ns: 0, armed: false, sleep_ns: 0 }
    }

    /// Something arrived: start again. Returns whether the sleeper had been announced.
    pub(crate) fn reset(&mut self) -> bool {
        let armed = self.armed;
        *self = Backoff::new();
        armed
    }

    /// Whether the wait has lasted for longer than a message takes to an awake rank and back.
    #[inline]
    pub(crate) fn is_long(&self) -> bool {
        self.looks > 4 * LOOKS_PER_CLOCK
    }

    /// How long this wait has lasted, as far as the clock was read.
    pub(crate) fn waited_ns(&self) -> u64 {
        if self.since_ns == 0 { 0 } else { now_ns().saturating_sub(self.since_ns) }
    }

    /// When the clock was last read: before each `Yield`.
    pub(crate) fn looked_ns(&self) -> u64 {
        self.looked_ns
    }

    /// `spin_ok`: every waiting thread of the host can have a core. `idle_ns`: when to go to sleep. Until `contended_until_ns` a
    /// thread sleeps where it would yield.
    pub(crate) fn step(&mut self, mode: WaitMode, spin_ok: bool, idle_ns: u64, contended_until_ns: u64) -> Step {
        if self.armed {
            self.armed = false;
            let sleep_ns = self.sleep_ns.max(FIRST_SLEEP_NS);
            self.sleep_ns = (sleep_ns * 2).min(LONGEST_SLEEP_NS);
            return Step::Sleep(sleep_ns);
        }
        self.looks = self.looks.wrapping_add(1);
        let spinning = spin_ok && mode != WaitMode::Block;
        // The clock is read seldom while spinning, at every look while yielding (a look then costs microseconds).
        if !spinning || self.looks % LOOKS_PER_CLOCK == 0 {
            let now = now_ns();
            self.looked_ns = now;
            let is_first = self.since_ns == 0;
            if is_first {
                self.since_ns = now;
            }
            let waited_ns = now.saturating_sub(self.since_ns);
            let yields = !spinning || waited_ns > SPIN_ALONE_NS;
            let is_idle = !is_first && waited_ns > idle_ns;
            // A yield would last for a time slice of each thread that wants this core; a message wakes a sleeper at once.
            let sleeps = is_idle || (yields && now < contended_until_ns);
            if sleeps && !(mode == WaitMode::Spin && spin_ok) {
                self.armed = true;
                return Step::Arm;
            }
            if yields {
                return Step::Yield;
            }
        }
        if spinning { Step::Spin } else { Step::Yield }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_wait_ends_asleep_and_sleep_time_is_bounded() {
        let mut wait = Backoff::new();
        let mut slept = 0;
        while slept < 10 {
            if let Step::Sleep(ns) = wait.step(WaitMode::SpinBlock, false, 0, 0) {
                assert!(ns <= LONGEST_SLEEP_NS);
                slept += 1;
            }
        }
    }

    #[test]
    fn where_cores_are_contended_a_thread_sleeps_instead_of_yielding() {
        let later = now_ns() + 1_000_000_000;
        let mut wait = Backoff::new();
        assert_eq!(wait.step(WaitMode::SpinBlock, false, u64::MAX, later), Step::Arm);
        assert!(matches!(wait.step(WaitMode::SpinBlock, false, u64::MAX, later), Step::Sleep(_)));
        // With a core of its own it spins first, for longer than most messages take.
        let mut wait = Backoff::new();
        let mut step = || wait.step(WaitMode::SpinBlock, true, u64::MAX, later);
        assert!((0..LOOKS_PER_CLOCK).all(|_| step() == Step::Spin));
        let after = loop {
            match step() {
                Step::Spin => {}
                other => break other,
            }
        };
        assert_eq!(after, Step::Arm);
        assert!(wait.waited_ns() > SPIN_ALONE_NS);
    }

    #[test]
    fn sleeping_is_always_announced_first() {
        let mut wait = Backoff::new();
        let mut last = Step::Spin;
        for _ in 0..10_000 {
            let step = wait.step(WaitMode::SpinBlock, true, 0, 0);
            if let Step::Sleep(_) = step {
                assert_eq!(last, Step::Arm);
            }
            last = step;
        }
    }
}
