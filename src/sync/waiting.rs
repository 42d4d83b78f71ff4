//! How the threads of a rank wait: the settings, and their adjustment by the waits so far.

use crate::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};
use crate::sync::backoff::WaitMode;

/// How many times `base_idle_ns` a rank polls at most before it sleeps.
const MOST_PATIENT: u64 = 16;

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
    /// Polls in a row, by calls of the client, that found nothing.
    pub in_vain: AtomicU32,
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
            in_vain: AtomicU32::new(0),
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
