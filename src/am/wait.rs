//! Waits: polls until a condition holds, and between polls spins, yields or sleeps.

use crate::am::deferred::DEFERRED;
use crate::am::poll::{NETWORK, WORK};
use crate::conduit;
use crate::hang::waits::{self, Note};
use crate::job::Job;
use crate::os::sleep;
use crate::sync::atomic::Ordering;
use crate::sync::backoff::{Backoff, Step};
use crate::{thread, trace};

/// Yields, each followed by a check of the condition, before the clock is read again.
const LOOKS_A_STEP: u32 = 8;

/// Consecutive polls without a message, in a client's own loop, after which the thread yields its core.
const VAIN_POLLS: u32 = 64;
/// The same where each poll asks a network.
const VAIN_NETWORK_POLLS: u32 = 8;
/// The sleep in such a loop where other programs want the cores, unless a message ends it.
pub(super) const NAP_NS: u64 = 250_000;

/// The longest sleep while a message or transfer of this rank waits for room.
const ROOM_NS: u64 = 1_000_000;

/// One wait in progress; also lives inside the client's `GASNET_BLOCKUNTIL`.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Wait {
    backoff: Backoff,
    seen: u32,
    announced: bool,
    slept: bool,
    /// The wait is noted for the hang report.
    noted: bool,
}

impl Job {
    /// Polls for a call that clients make in loops of their own (`gasnet_AMPoll`, the `try` calls). Where ranks
    /// outnumber cores, a thread that finds nothing again and again gives its core to the rank it waits for.
    #[inline]
    pub fn poll_once(&self) -> u32 {
        let handled = self.poll();
        if self.waiting.ranks > self.waiting.cores { self.give_way(handled) } else { handled }
    }

    /// The end of a poll that handled this number of messages; returns their number.
    // Apart: with it, polls where every rank has a core would save more registers.
    #[inline(never)]
    fn give_way(&self, mut handled: u32) -> u32 {
        // Not read-modify-write: threads that overwrite each other's count yield a little earlier or later.
        let mut in_vain = if handled == 0 { self.waiting.in_vain.load(Ordering::Relaxed) + 1 } else { 0 };
        let most = if self.conduit.is_some() { VAIN_NETWORK_POLLS } else { VAIN_POLLS };
        if in_vain >= most {
            in_vain = 0;
            let now = sleep::now_ns();
            if now < self.waiting.contended_until_ns() {
                // A yield would last for the time slices of others.
                let seen = self.nbrhd.arm();
                handled = self.poll();
                if handled == 0 {
                    self.sleep(seen, NAP_NS);
                }
                self.nbrhd.disarm();
            } else {
                sleep::yield_now();
                self.waiting.yielded(now, sleep::now_ns(), self.conduit.is_some());
            }
        }
        self.waiting.in_vain.store(in_vain, Ordering::Relaxed);
        handled
    }

    /// Sleeps for at most `most_ns` unless something has stirred since `arm` returned `seen`. Returns whether the network has.
    fn sleep(&self, seen: u32, most_ns: u64) -> bool {
        // No message wakes this rank when there is room again.
        let nothing_waits = NETWORK.queue.is_empty() && DEFERRED.is_empty();
        let ns = if nothing_waits { most_ns } else { most_ns.min(ROOM_NS) };
        let span = trace::sleep();
        let stirred = match self.conduit {
            None => {
                self.nbrhd.sleep(seen, ns);
                false
            }
            Some(conduit) => self.nbrhd.sleep_in(seen, |bell| conduit::shared::wait(conduit, bell, ns)),
        };
        span.slept(ns);
        stirred
    }

    /// Polls until `cond` holds. `cond` may run any number of times until it does. A message that is handled
    /// meanwhile keeps the thread awake, as another may follow. `what` returns the wait's note for the hang report; called
    /// only if the wait goes on after spinning.
    pub fn wait_for<'n>(&self, what: impl Fn() -> Note<'n>, mut cond: impl FnMut() -> bool) {
        if cond() {
            return;
        }
        let mut wait = Wait::default();
        loop {
            if self.poll() != 0 {
                self.wait_again(&mut wait);
            } else if self.idle(&mut wait, &what, &mut cond) {
                break;
            }
            if cond() {
                break;
            }
        }
        self.wait_end(&mut wait);
    }

    /// As `wait_for`, for waits without a note of their own in the hang report.
    pub fn wait_until(&self, cond: impl FnMut() -> bool) {
        self.wait_for(|| Note::Library, cond);
    }

    /// One step of a wait whose condition the caller has just found false: polls, then spins, yields or sleeps.
    pub fn wait_step<'n>(&self, wait: &mut Wait, what: impl Fn() -> Note<'n>) {
        if self.poll() != 0 {
            self.wait_again(wait);
            return;
        }
        self.idle(wait, what, || false);
    }

    /// The rest of a step whose poll found nothing: spins, yields or sleeps. Checks `cond` only after a yield; true if it
    /// held then.
    #[inline]
    pub fn idle<'n>(&self, wait: &mut Wait, what: impl Fn() -> Note<'n>, cond: impl FnMut() -> bool) -> bool {
        self.idle_for(wait, u64::MAX, what, cond)
    }

    /// As `idle`; a sleep lasts at most `most_ns`.
    #[inline]
    pub fn idle_for<'n>(
        &self,
        wait: &mut Wait,
        most_ns: u64,
        what: impl Fn() -> Note<'n>,
        mut cond: impl FnMut() -> bool,
    ) -> bool {
        let step = self.next_step(wait);
        if step != Step::Spin && !wait.noted {
            wait.noted = true;
            waits::begin(self.nbrhd.here.0, &what());
        }
        match step {
            // A poll of the network takes longer than the pause.
            Step::Spin if self.conduit.is_some() && !(self.waiting.pauses && wait.backoff.is_long()) => {}
            Step::Spin => core::hint::spin_loop(),
            Step::Yield => {
                let mut holds = false;
                for _ in 0..LOOKS_A_STEP {
                    sleep::yield_now();
                    holds = cond();
                    if holds || self.nbrhd.stirred() || self.conduit.is_some() || WORK.exists() {
                        break;
                    }
                }
                if self.waiting.is_watched() {
                    self.waiting.yielded(wait.backoff.looked_ns(), sleep::now_ns(), self.conduit.is_some());
                }
                return holds;
            }
            Step::Arm => {
                wait.seen = self.nbrhd.arm();
                wait.announced = true;
            }
            Step::Sleep(ns) => {
                let stirred = self.sleep(wait.seen, ns.min(most_ns));
                self.nbrhd.disarm();
                wait.announced = false;
                wait.slept = true;
                if stirred {
                    // Perhaps a peer's put or get, which others may follow.
                    self.wait_again(wait);
                }
            }
        }
        false
    }

    fn next_step(&self, wait: &mut Wait) -> Step {
        let threads = if self.settings.concurrent() { thread::live() } else { 1 };
        let spin_ok = self.waiting.ranks * threads <= self.waiting.cores;
        let contended_until_ns = self.waiting.contended_until_ns();
        wait.backoff.step(self.waiting.mode(), spin_ok, self.waiting.idle_ns(), contended_until_ns)
    }

    /// Ends a wait, whether it was about to sleep or not.
    pub fn wait_end(&self, wait: &mut Wait) {
        self.wait_again(wait);
        if wait.noted {
            wait.noted = false;
            waits::end(self.nbrhd.here.0);
            self.marks.beat();
        }
    }

    /// A message was handled: the wait starts again with spinning.
    fn wait_again(&self, wait: &mut Wait) {
        if wait.announced {
            self.nbrhd.disarm();
            wait.announced = false;
        }
        if wait.slept {
            self.waiting.learn(wait.backoff.waited_ns());
            wait.slept = false;
        }
        wait.backoff.reset();
    }
}
