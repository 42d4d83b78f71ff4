//! The job as one rank sees it. There is one [`Job`] a process, made by start.rs.

use std::sync::OnceLock;

use crate::am;
use crate::barrier::Barrier;
use crate::coll;
use crate::conduit::Conduit;
use crate::defs::rank::{JobRank, NodeRank};
use crate::fatal::fatal;
use crate::nbrhd::Nbrhd;
use crate::os::sleep;
use crate::places::Places;
use crate::progress::Marks;
use crate::progress::counts::Counts;
use crate::progress::waits::{self, Note};
use crate::settings::Settings;
use crate::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use crate::sync::backoff::{Backoff, Step, WaitMode};
use crate::sync::turned::Turned;
use crate::{thread, trace};

/// Looks after a yield before the clock is read again.
const LOOKS_A_STEP: u32 = 8;

/// So many polls of a client's own loop that find nothing cost less than half a turn of another rank.
const VAIN_POLLS: u32 = 64;

/// How many times `base_idle_ns` a rank polls at most before it sleeps.
const MOST_PATIENT: u64 = 16;

/// The longest sleep while the send queue waits for room.
const ROOM_NS: u64 = 1_000_000;

/// How this rank waits.
pub struct Waiting {
    /// Cores that this host gives to the job.
    pub cores: u32,
    /// Ranks of this host.
    pub ranks: u32,
    /// Nanoseconds without work before a thread goes to sleep: the setting.
    base_idle_ns: u64,
    /// The same, as it stands: more after sleeps that ended too early.
    idle_ns: AtomicU64,
    mode: AtomicU8,
    /// Polls in a row, by calls of the client, that found nothing.
    in_vain: AtomicU32,
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
    fn learn(&self, waited_ns: u64) {
        let most = self.base_idle_ns * MOST_PATIENT;
        let idle_ns = if waited_ns < most { (waited_ns * 2).clamp(self.base_idle_ns, most) } else { self.base_idle_ns };
        self.idle_ns.store(idle_ns, Ordering::Relaxed);
    }

    fn mode(&self) -> WaitMode {
        match self.mode.load(Ordering::Relaxed) {
            0 => WaitMode::Spin,
            1 => WaitMode::Block,
            _ => WaitMode::SpinBlock,
        }
    }
}

/// Everything that init made.
pub struct Job {
    pub me: JobRank,
    pub size: u32,
    pub settings: Settings,
    pub nbrhd: Nbrhd,
    pub am: am::State,
    pub barrier: Barrier,
    pub coll: coll::State,
    pub places: Places,
    /// The same, but for which ranks clients are told of as sharing memory: those that map each other's segments.
    pub sharing: Places,
    /// What reaches ranks outside the nbrhd; None if there are none.
    pub conduit: Option<&'static dyn Conduit>,
    pub far: am::poll::Looks,
    /// What this rank counts messages with, and where it says how far it has come.
    pub counts: Counts,
    pub marks: &'static Marks,
    pub waiting: Waiting,
    /// Only this thread of this rank sends to the rings it sends to: two ranks, one thread at a time.
    pub sole_producer: bool,
    /// The job may go on after ranks of a host have died (am/deaths.rs): threads announce what they claim of rings.
    pub outlives_ranks: bool,
    /// The largest segment that every rank can attach, as far as the start has found out.
    pub most_everywhere: AtomicUsize,
    /// 0: initialised; 1: attach has begun; 2: attached.
    pub attached: AtomicU32,
}

static JOB: OnceLock<Job> = OnceLock::new();

/// The job; ends the process if init has not made it.
#[inline]
pub fn job() -> &'static Job {
    match JOB.get() {
        Some(job) => job,
        None => fatal!("GASNet is called before gasnet_init"),
    }
}

/// The job, if there is one.
#[inline]
pub fn try_job() -> Option<&'static Job> {
    JOB.get()
}

/// Makes `job` the job of this process. Called once, by start.rs.
pub fn publish(job: Job) -> &'static Job {
    JOB.get_or_init(|| job)
}

/// One wait in progress; also lives inside the client's `GASNET_BLOCKUNTIL`.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Wait {
    backoff: Backoff,
    seen: u32,
    announced: bool,
    slept: bool,
    /// What it waits for is noted.
    noted: bool,
}

impl Job {
    /// Whether clients are told that `rank` shares memory with this one: each can map the other's segment.
    pub fn shares_memory(&self, rank: JobRank) -> bool {
        rank == self.me || self.sharing.together() > 1 && self.nbrhd.node_rank(rank).is_some()
    }

    /// Polls for a call that clients make in loops of their own (`gasnet_AMPoll`, the `try` calls). Where ranks
    /// outnumber cores, a thread that finds nothing again and again gives its core to the rank it waits for.
    #[inline]
    pub fn poll_once(&self) -> u32 {
        let handled = self.poll();
        if self.waiting.ranks > self.waiting.cores {
            self.give_way(handled);
        }
        handled
    }

    fn give_way(&self, handled: u32) {
        // Not read-modify-write: threads that overwrite each other's count yield a little earlier or later.
        let in_vain = if handled == 0 { self.waiting.in_vain.load(Ordering::Relaxed) + 1 } else { 0 };
        if in_vain >= VAIN_POLLS {
            sleep::yield_now();
        }
        self.waiting.in_vain.store(in_vain % VAIN_POLLS, Ordering::Relaxed);
    }

    /// Polls until `cond` holds. `cond` may run any number of times until it does. What is handled meanwhile keeps the
    /// thread awake: where a message came, another may follow. `what` says what for, if the wait lasts.
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

    /// As `wait_for`, for what has no name in reports.
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

    /// The idle part of a step: nothing arrived. While yielding, looks several times by itself; true if it then
    /// found `cond` to hold.
    #[inline]
    pub fn idle<'n>(&self, wait: &mut Wait, what: impl Fn() -> Note<'n>, cond: impl FnMut() -> bool) -> bool {
        self.idle_for(wait, u64::MAX, what, cond)
    }

    /// As `idle`, asleep for no longer than `most_ns` at once.
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
            Step::Spin => core::hint::spin_loop(),
            Step::Yield => {
                for _ in 0..LOOKS_A_STEP {
                    sleep::yield_now();
                    if cond() {
                        return true;
                    }
                    if self.nbrhd.stirred() || self.conduit.is_some() || self.coll.engine.has_work() {
                        break;
                    }
                }
            }
            Step::Arm => {
                wait.seen = self.nbrhd.arm();
                wait.announced = true;
            }
            Step::Sleep(ns) => {
                // Nothing arrives when there is room again.
                let most_ns = if self.far.queue.is_empty() { most_ns } else { most_ns.min(ROOM_NS) };
                let ns = ns.min(most_ns);
                let span = trace::sleep();
                match self.conduit {
                    None => self.nbrhd.sleep(wait.seen, ns),
                    Some(conduit) => self.nbrhd.sleep_in(wait.seen, |bell| conduit.wait(bell, ns)),
                }
                span.slept(ns);
                self.nbrhd.disarm();
                wait.announced = false;
                wait.slept = true;
            }
        }
        false
    }

    fn next_step(&self, wait: &mut Wait) -> Step {
        let threads = if self.settings.concurrent() { thread::live() } else { 1 };
        let spin_ok = self.waiting.ranks * threads <= self.waiting.cores;
        wait.backoff.step(self.waiting.mode(), spin_ok, self.waiting.idle_ns.load(Ordering::Relaxed))
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

    /// Something came: the wait goes on as if it had just begun.
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

    /// Wakes threads of this rank that sleep in a wait.
    #[inline]
    pub fn wake_local(&self) {
        self.nbrhd.ring_bell(self.nbrhd.own());
    }

    /// Called after a lock was released for which threads only try; `stirs`: something was completed behind it. Wakes threads
    /// of this rank that sleep as [`Turned::leave`] says. Does nothing where one thread calls at a time.
    pub fn left(&self, turned: &Turned, stirs: bool) {
        if self.settings.concurrent() {
            turned.leave(|| self.nbrhd.sleeps(), stirs, || self.wake_local());
        }
    }

    /// Wakes `rank` if it sleeps.
    #[inline]
    pub fn wake_rank(&self, rank: NodeRank) {
        self.nbrhd.ring_bell(self.nbrhd.inbox(rank));
    }

    /// The first start-up barrier. Ranks are still being started; where they outnumber cores, one that looked for
    /// the others all the time would only delay them.
    pub fn assemble(&self) {
        if self.conduit.is_some() {
            let most = self.exchange([self.max_segment() as u64]).into_iter().map(|[most]| most as usize).min();
            self.most_everywhere.store(most.unwrap_or(usize::MAX), Ordering::Relaxed);
            return;
        }
        if self.nbrhd.ranks <= self.waiting.cores {
            return self.startup_barrier();
        }
        if self.nbrhd.arrivals().fetch_add(1, Ordering::AcqRel) + 1 == u64::from(self.size) {
            self.nbrhd.all_here();
        } else {
            waits::begin(self.nbrhd.here.0, &Note::Start);
            self.nbrhd.sleep_until_all_here();
            waits::end(self.nbrhd.here.0);
        }
    }

    /// The start-up barrier: all ranks have called it as often as this one when it returns. Polls.
    pub fn startup_barrier(&self) {
        if self.conduit.is_some() {
            self.exchange([]);
            return;
        }
        let arrived = self.nbrhd.arrivals();
        let mine = arrived.fetch_add(1, Ordering::AcqRel) + 1;
        let size = u64::from(self.size);
        let goal = mine.div_ceil(size) * size;
        if mine == goal {
            (0..self.nbrhd.ranks).for_each(|rank| self.wake_rank(NodeRank(rank)));
        }
        self.wait_for(|| Note::Start, || arrived.load(Ordering::Acquire) >= goal);
    }
}
