//! The job as one rank sees it. There is one [`Job`] a process, made by start.rs.

#[cfg(test)]
pub(crate) mod several_tests;

use std::sync::OnceLock;

use crate::conduit::{Caps, Conduit};
use crate::defs::message::Limits;
use crate::defs::rank::{JobRank, NodeRank};
use crate::fatal::fatal;
use crate::hang::board::Marks;
use crate::hang::counts::Counts;
use crate::nbrhd::Nbrhd;
use crate::nbrhd::reach::Reach;
use crate::places::Places;
use crate::settings::Settings;
use crate::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize};
use crate::sync::turned::Turned;
use crate::sync::waiting::Waiting;

/// The state machines that polls advance besides messages. The modules of higher layers register theirs through start.rs.
pub struct Polled {
    /// A barrier between this rank's notify and wait; None if it needs no messages.
    pub barrier: Option<fn(&Job)>,
    /// Collectives in flight; returns the number of steps. Called while `WORK` of am/poll.rs exists.
    pub collectives: fn(&Job) -> u32,
}

/// The facts about this rank that init has found out or made. State of Active Messages, barriers and collectives is theirs.
pub struct Job {
    pub me: JobRank,
    pub size: u32,
    pub settings: Settings,
    pub nbrhd: Nbrhd,
    pub places: Places,
    /// The same, for the ranks that clients see as sharing memory: those that map each other's segments.
    pub sharing: Places,
    /// What reaches ranks outside the nbrhd; None if there are none.
    pub conduit: Option<&'static dyn Conduit>,
    /// Its capabilities, and whether it makes segments; neither without a conduit.
    pub caps: Caps,
    pub makes_segments: bool,
    /// The conduit, if its puts are complete only after a quiet that completes all ([`Conduit::quiets`]).
    pub quiets: Option<&'static dyn Conduit>,
    /// The largest payloads that reach every rank.
    pub limits: Limits,
    pub polled: Polled,
    /// The counters of this rank's messages, and its marks of progress, which other processes read.
    pub counts: Counts,
    pub marks: &'static Marks,
    pub waiting: Waiting,
    /// Only this thread of this rank sends to the rings it sends to: two ranks, one thread at a time.
    pub sole_producer: bool,
    /// The job may go on after ranks of a host have died (am/deaths.rs): threads announce their claims of ring slots.
    pub outlives_ranks: bool,
    /// The largest segment that every rank can attach, as far as the start has found out.
    pub most_everywhere: AtomicUsize,
    /// 0: initialised; 1: attach has begun; 2: attached.
    pub attached: AtomicU32,
    /// The attached segments are those that the network has made.
    pub in_network_segments: AtomicBool,
    /// Segments that were bound to primordial endpoints whose ranks are reached in all of their memory anyway: for queries.
    pub bound_in_everything: OnceLock<Reach>,
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
pub(crate) fn try_job() -> Option<&'static Job> {
    JOB.get()
}

/// Makes `job` the job of this process. Called once, by start.rs.
pub(crate) fn publish(job: Job) -> &'static Job {
    JOB.get_or_init(|| job)
}

impl Job {
    /// Whether clients are told that `rank` shares memory with this one: each can map the other's segment.
    pub fn shares_memory(&self, rank: JobRank) -> bool {
        rank == self.me || self.sharing.together() > 1 && self.nbrhd.node_rank(rank).is_some()
    }

    /// Wakes threads of this rank that sleep in a wait.
    #[inline]
    pub fn wake_local(&self) {
        self.nbrhd.ring_bell(self.nbrhd.own());
    }

    /// Called after a lock was released for which threads only try; `stirs`: something was completed behind it. Wakes
    /// threads of this rank that sleep as [`Turned::leave`] says. Does nothing where one thread calls at a time.
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
}
