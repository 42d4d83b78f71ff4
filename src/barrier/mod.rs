//! The split-phase barrier: notify, then wait or try; that of all ranks is `of_all`. `names` defines how names are matched;
//! the stages below only collect every rank's [`Names`]: through shared memory (`nbrhd_stage`), by messages alone (`dissem`,
//! `tree`), by both (`two_stages`), or by the network (`native`).

pub(crate) mod dissem;
pub(crate) mod handlers;
mod messages;
pub(crate) mod names;
mod native;
mod nbrhd_stage;
#[cfg(test)]
mod nbrhd_stage_tests;
pub(crate) mod of_all;
mod progress;
mod tree;
#[cfg(test)]
mod tree_tests;
mod two_stages;

pub use nbrhd_stage::area_bytes;
pub(crate) use nbrhd_stage::levels;

use core::ffi::c_int;

use crate::conduit::Conduit;
use crate::defs::rank::{JobRank, NodeRank};
use crate::fatal::usage;
use crate::hang::board::Marks;
use crate::hang::waits::Note;
use crate::job::Job;
use crate::mem::Dst;
use crate::nbrhd::Nbrhd;
use crate::places::Places;
use crate::sync::atomic::{AtomicU64, Ordering};

use dissem::Dissem;
use messages::ByMessages;
use names::{ANONYMOUS, Names, Outcome, PhaseWord};
use native::Native;
use nbrhd_stage::SharedStage;
use tree::BarrierTree;
use two_stages::TwoStages;

enum Stage {
    Shared(SharedStage),
    ByMessages(ByMessages),
    TwoStages(TwoStages),
    Native(Native),
}

/// The state of the barrier on this rank.
pub struct Barrier {
    /// Its identification in messages.
    whose: &'static str,
    stage: Stage,
    /// `notified`: written by notify only. `completed`: the same, or one less between notify and wait. Those of the barrier
    /// of all ranks are on the board, where the host's warden sees them.
    own: Marks,
    board: Option<&'static Marks>,
    /// [`PhaseWord`] of the phase completed last.
    last: AtomicU64,
}

impl Barrier {
    /// The barrier selected by `wanted` (the value of `GASNET_BARRIER`), for rank `me` of `size`. `conduit`: the network, if
    /// there is one. `crowded`: ranks of different nbrhds share cores, as all ranks know.
    #[expect(clippy::too_many_arguments, reason = "what a rank knows at its start")]
    pub fn new(
        wanted: &str,
        me: JobRank,
        size: u32,
        nbrhd: &Nbrhd,
        places: &Places,
        marks: &'static Marks,
        conduit: Option<&'static dyn Conduit>,
        crowded: bool,
    ) -> Barrier {
        // Shared memory is of no use where every rank is alone: then all choose the network, if it can do it.
        let native = conduit.filter(|conduit| conduit.caps().least_of_all);
        let alone = places.supernodes() == size;
        let is_fast = native.is_some_and(|conduit| conduit.caps().fast_barrier);
        let stage = match (wanted, native) {
            ("ALLREDUCE" | "PAMIALLREDUCE" | "SHMEM", Some(conduit)) => Stage::Native(Native::new(conduit, true)),
            ("DISSEM" | "RDMADISSEM" | "PAMIDISSEM", Some(conduit)) if is_fast => {
                Stage::Native(Native::new(conduit, false))
            }
            ("PSHM", Some(conduit)) if alone && is_fast => Stage::Native(Native::new(conduit, false)),
            ("PSHM", _) => {
                let area = nbrhd.barrier_area();
                let near = SharedStage::new(area, nbrhd.me, nbrhd.ranks);
                if nbrhd.ranks == size {
                    Stage::Shared(near)
                } else {
                    let leaders = || places.leaders().map(|rank| rank.0).collect();
                    let here = places.supernode(me);
                    let far = (nbrhd.me.0 == 0).then(|| match crowded {
                        true => ByMessages::Tree(BarrierTree::among(leaders(), here)),
                        false => ByMessages::Dissem(Dissem::among(leaders(), here)),
                    });
                    Stage::TwoStages(TwoStages::new(near, nbrhd_stage::spare_word(area, nbrhd.ranks), far))
                }
            }
            ("AMCENTRAL", _) => Stage::ByMessages(ByMessages::Tree(BarrierTree::central(me, size))),
            _ => Stage::ByMessages(ByMessages::Dissem(Dissem::new(me, size))),
        };
        Barrier { board: Some(marks), ..Barrier::on("rank", stage) }
    }

    /// The barrier of a team of `members`, of which this is `me`; `area` as of `area_bytes`.
    pub fn of_team(area: Dst<'static>, me: usize, members: &[NodeRank]) -> Barrier {
        Barrier::on("team", Stage::Shared(SharedStage::of_team(area, me, members)))
    }

    fn on(whose: &'static str, stage: Stage) -> Barrier {
        Barrier { whose, stage, own: Marks::default(), board: None, last: AtomicU64::new(0) }
    }

    /// Whether this barrier uses messages, so that polls have to advance it.
    pub fn by_messages(&self) -> bool {
        match &self.stage {
            Stage::Shared(_) => false,
            Stage::TwoStages(stages) => stages.far().is_some(),
            _ => true,
        }
    }

    /// Whether this member is between notify and a successful wait or try.
    pub fn in_progress(&self) -> bool {
        self.marks().notified.load(Ordering::Relaxed) != self.marks().completed.load(Ordering::Relaxed)
    }

    /// The combined names of all ranks in `phase`, once all have notified.
    #[inline]
    fn look(&self, job: &Job, phase: u32) -> Option<Names> {
        match &self.stage {
            Stage::Shared(stage) => stage.look(phase),
            Stage::ByMessages(stage) => stage.look(job, phase),
            Stage::TwoStages(stages) => stages.look(job, phase),
            Stage::Native(stage) => stage.look(job, phase),
        }
    }

    #[inline]
    fn marks(&self) -> &Marks {
        self.board.unwrap_or(&self.own)
    }

    fn complete(&self, phase: u32, names: Names) {
        self.last.store(PhaseWord::new(phase, names).0, Ordering::Relaxed);
        // Release: with the Acquire in `notify` and `result`, perhaps on another thread of this rank.
        self.marks().completed.store(phase, Ordering::Release);
    }

    /// The caller enters the barrier.
    pub fn notify(&self, job: &Job, call: &str, id: c_int, flags: c_int) {
        let done = self.marks().completed.load(Ordering::Acquire);
        if self.marks().notified.load(Ordering::Relaxed) != done {
            let whose = self.whose;
            usage!(call, "a barrier is already in progress on this {whose}: it was notified and not yet waited for");
        }
        let phase = done.wrapping_add(1);
        // Relaxed: if another thread waits, the client orders its call after the notify.
        self.marks().notified.store(phase, Ordering::Relaxed);
        let names = Names::of(id, flags);
        match &self.stage {
            Stage::Shared(stage) => stage.notify(job, phase, names),
            Stage::ByMessages(stage) => stage.notify(job, phase, names),
            Stage::TwoStages(stages) => stages.notify(job, phase, names),
            Stage::Native(stage) => stage.notify(phase, names),
        }
    }

    /// The phase that this member has notified and not completed. If there is none, ends the job in debug clients,
    /// and returns None in release clients, whose callers return the outcome of the last barrier.
    fn open_phase(&self, job: &Job, call: &str) -> Option<u32> {
        let phase = self.marks().notified.load(Ordering::Relaxed);
        if phase != self.marks().completed.load(Ordering::Acquire) {
            return Some(phase);
        }
        if job.settings.debug {
            usage!(
                call,
                "no barrier is in progress on this {}: notify comes first, and one wait or successful try follows it",
                self.whose
            );
        }
        None
    }

    /// Waits until all have notified.
    pub fn wait(&self, job: &Job, call: &str, id: c_int, flags: c_int) -> Outcome {
        let Some(phase) = self.open_phase(job, call) else { return self.last().verdict(id, flags) };
        // One poll even if all have notified: a client that polls only in barriers has to serve its peers.
        job.poll();
        let names = match self.look(job, phase) {
            Some(names) => names,
            None => {
                let mut found = None;
                let name = (flags & ANONYMOUS == 0).then_some(id);
                let note = || match self.board {
                    Some(_) => Note::Barrier { phase, id: name },
                    None => Note::TeamBarrier { phase, id: name },
                };
                job.wait_for(note, || {
                    found = self.look(job, phase);
                    found.is_some()
                });
                found.unwrap_or(Names::Mismatch)
            }
        };
        self.complete(phase, names);
        names.verdict(id, flags)
    }

    /// As [`Barrier::wait`], but returns None at once if a rank has not notified.
    pub fn try_wait(&self, job: &Job, call: &str, id: c_int, flags: c_int) -> Option<Outcome> {
        let Some(phase) = self.open_phase(job, call) else { return Some(self.last().verdict(id, flags)) };
        job.poll_once();
        let names = self.look(job, phase)?;
        self.complete(phase, names);
        Some(names.verdict(id, flags))
    }

    /// If all have notified the barrier, completes it and returns the combined names. Does not poll.
    pub fn look_once(&self, job: &Job, call: &str) -> Option<Names> {
        let Some(phase) = self.open_phase(job, call) else { return Some(self.last()) };
        let names = self.look(job, phase)?;
        self.complete(phase, names);
        Some(names)
    }

    /// The combined names of the barrier that was completed last.
    pub fn result(&self, call: &str) -> Names {
        if self.in_progress() {
            let whose = self.whose;
            usage!(call, "a barrier is in progress on this {whose}: its result is known only after wait or try");
        }
        self.last()
    }

    /// [`PhaseWord`] of the phase completed last.
    fn last_word(&self) -> u64 {
        self.last.load(Ordering::Relaxed)
    }

    fn set_last_word(&self, word: u64) {
        self.last.store(word, Ordering::Relaxed);
    }

    /// The names of the barrier completed last; `Anonymous` if there was none.
    fn last(&self) -> Names {
        let last = PhaseWord(self.last.load(Ordering::Relaxed));
        Names::unpack((last.0 >> 32) as u32 & 3, last.0 as c_int)
    }
}
