//! How the threads of a rank wait: the settings, and their adjustment by the waits so far.

use crate::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};
use crate::sync::backoff::WaitMode;

/// How many times `base_idle_ns` a rank polls at most before it sleeps.
const MOST_PATIENT: u64 = 16;

/// Yields that last longer have given the core to a thread that computes; in crowded jobs longer by the time that a step's
/// yields take for each rank of the core.
const LONG_YIELD_NS: u64 = 1_000_000;
const CROWDED_YIELD_NS: u64 = 40_000;
/// The same where each step polls a network: 64 ranks over udp on two cores yield for 2.5 ms and more without any other program.
const NETWORK_YIELD_NS: u64 = 200_000;
/// Of the steps one in this number is timed, since reading the clock is not much faster than a yield.
const TIMED: u32 = 8;
/// Two long ones within this time show that threads of other programs, or of ranks that compute, want the cores: the kernel's
/// time slices are a few milliseconds long, and a tenth of the yields ends one.
const AGAIN_NS: u64 = 200_000_000;
/// The time for which waits then sleep instead of yielding: a thread that a message wakes gets its core at once, one that
/// yielded waits for the end of the other's time slice.
const CONTENDED_NS: u64 = 500_000_000;

/// A setting of GASNET_WAIT_SPIN_US above this asks for polls, also where other programs want the cores.
const POLLS_ON_ABOVE_NS: u64 = 1_000_000;

/// How this rank waits.
pub struct Waiting {
    /// Cores that this host gives to the job.
    pub cores: u32,
    /// Ranks that use those cores: of this host, and of other containers of the machine.
    pub ranks: u32,
    /// Nanoseconds without work before a thread goes to sleep: the setting.
    base_idle_ns: u64,
    /// The current value: larger after sleeps that ended too early.
    idle_ns: AtomicU64,
    mode: AtomicU8,
    /// The number of steps of yields.
    steps: AtomicU32,
    /// When the last long yield ended.
    long_yield_at_ns: AtomicU64,
    /// Until then waits sleep instead of yielding.
    contended_until_ns: AtomicU64,
    /// Polls in a row, by calls of the client, that found nothing.
    pub in_vain: AtomicU32,
    /// Long waits pause between polls.
    pub pauses: bool,
}

impl Waiting {
    pub fn new(cores: u32, ranks: u32, idle_ns: u64) -> Waiting {
        // Patient at first: the rounds of a start among many ranks are short, though not as short as `idle_ns`.
        let first_ns = idle_ns * MOST_PATIENT;
        Waiting {
            cores,
            ranks,
            base_idle_ns: idle_ns,
            idle_ns: AtomicU64::new(first_ns),
            mode: AtomicU8::new(2),
            steps: AtomicU32::new(0),
            long_yield_at_ns: AtomicU64::new(0),
            contended_until_ns: AtomicU64::new(0),
            in_vain: AtomicU32::new(0),
            pauses: true,
        }
    }

    /// The start is over: back to the setting.
    pub fn started(&self) {
        self.idle_ns.store(self.base_idle_ns, Ordering::Relaxed);
    }

    pub fn set_mode(&self, mode: WaitMode) {
        let code = match mode {
            WaitMode::Spin => 0,
            WaitMode::Block => 1,
            WaitMode::SpinBlock => 2,
        };
        self.mode.store(code, Ordering::Relaxed);
    }

    /// A wait in which the thread slept took `waited_ns`. Being woken costs more than polling a little longer, and
    /// where ranks outnumber cores a round of wake-ups lasts longer than `base_idle_ns`, so that every rank would
    /// sleep again before its turn, for ever: if waits are that short, do not sleep in them.
    pub fn learn(&self, waited_ns: u64) {
        let most = self.base_idle_ns * MOST_PATIENT;
        let idle_ns = if waited_ns < most { (waited_ns * 2).clamp(self.base_idle_ns, most) } else { self.base_idle_ns };
        self.idle_ns.store(idle_ns, Ordering::Relaxed);
    }

    /// Whether the yields of this step are to be timed.
    #[inline]
    pub fn is_watched(&self) -> bool {
        // Not read-modify-write: threads that overwrite each other's count time a few steps more or less.
        let steps = self.steps.load(Ordering::Relaxed).wrapping_add(1);
        self.steps.store(steps, Ordering::Relaxed);
        steps % TIMED == 0
    }

    /// A step's yields lasted from `from_ns` to `to_ns`. `polls_network`: steps of this job's ranks poll a network.
    #[inline]
    pub fn yielded(&self, from_ns: u64, to_ns: u64, polls_network: bool) {
        if to_ns.saturating_sub(from_ns) >= LONG_YIELD_NS {
            self.yielded_long(from_ns, to_ns, polls_network);
        }
    }

    #[cold]
    fn yielded_long(&self, from_ns: u64, to_ns: u64, polls_network: bool) {
        let of_a_rank = if polls_network { NETWORK_YIELD_NS } else { CROWDED_YIELD_NS };
        if self.base_idle_ns > POLLS_ON_ABOVE_NS
            || to_ns - from_ns < LONG_YIELD_NS + u64::from(self.ranks / self.cores.max(1)) * of_a_rank
        {
            return;
        }
        if to_ns.saturating_sub(self.long_yield_at_ns.swap(to_ns, Ordering::Relaxed)) < AGAIN_NS {
            self.contended_until_ns.store(to_ns + CONTENDED_NS, Ordering::Relaxed);
        }
    }

    /// The time until which others want the cores, as far as is known.
    pub fn contended_until_ns(&self) -> u64 {
        self.contended_until_ns.load(Ordering::Relaxed)
    }

    /// Nanoseconds without work before a thread goes to sleep: the current value.
    pub fn idle_ns(&self) -> u64 {
        self.idle_ns.load(Ordering::Relaxed)
    }

    pub fn mode(&self) -> WaitMode {
        match self.mode.load(Ordering::Relaxed) {
            0 => WaitMode::Spin,
            1 => WaitMode::Block,
            _ => WaitMode::SpinBlock,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_yields_one_soon_after_the_other_show_that_cores_are_contended() {
        const MS: u64 = 1_000_000;
        let waiting = Waiting::new(2, 2, 1000);
        waiting.yielded(1000 * MS, 1004 * MS, false);
        // Later, and short.
        waiting.yielded(1500 * MS, 1502 * MS, true);
        waiting.yielded(1503 * MS, 1504 * MS, false);
        assert_eq!(waiting.contended_until_ns(), 0);
        waiting.yielded(1600 * MS, 1604 * MS, true);
        assert_eq!(waiting.contended_until_ns(), 2104 * MS);
        assert_eq!((0..80).filter(|_| waiting.is_watched()).count(), 10);
    }

    #[test]
    fn yields_to_many_ranks_that_poll_a_network_are_no_contention() {
        const MS: u64 = 1_000_000;
        let waiting = Waiting::new(2, 64, 1000);
        (0..10).for_each(|nth| waiting.yielded(nth * 10 * MS, (nth * 10 + 5) * MS, true));
        assert_eq!(waiting.contended_until_ns(), 0);
        waiting.yielded(1000 * MS, 1009 * MS, true);
        waiting.yielded(1010 * MS, 1019 * MS, true);
        assert_eq!(waiting.contended_until_ns(), 1519 * MS);
    }

    #[test]
    fn a_rank_that_is_set_to_poll_for_long_ignores_contention() {
        const MS: u64 = 1_000_000;
        for (idle_ns, until_ns) in [(POLLS_ON_ABOVE_NS, 519 * MS), (POLLS_ON_ABOVE_NS + 1000, 0)] {
            let waiting = Waiting::new(2, 2, idle_ns);
            waiting.yielded(MS, 9 * MS, false);
            waiting.yielded(10 * MS, 19 * MS, false);
            assert_eq!(waiting.contended_until_ns(), until_ns);
        }
    }
}
