//! The split-phase barrier of all ranks: notify, then wait or try. The matching of names is defined here, by
//! [`Names::join`] and [`Names::verdict`]; the stages below only collect every rank's [`Names`]: through shared
//! memory (`nbrhd_stage`), by messages alone (`dissem`, `central`), by both (`two_stages`), or by the network (`native`).

mod central;
mod dissem;
mod native;
mod nbrhd_stage;
mod two_stages;

pub use central::{on_arrive, on_release};
pub use dissem::on_step;
pub use nbrhd_stage::{area_bytes, levels};

use core::ffi::c_int;

use crate::conduit::Conduit;
use crate::fatal::usage;
use crate::job::{Job, JobRank, NodeRank};
use crate::mem::Dst;
use crate::nbrhd::Nbrhd;
use crate::places::Places;
use crate::progress::Marks;
use crate::progress::waits::Note;
use crate::sync::atomic::{AtomicU64, Ordering};

use central::Central;
use dissem::Dissem;
use native::Native;
use nbrhd_stage::Shared;
use two_stages::TwoStages;

/// `GASNET_BARRIERFLAG_ANONYMOUS`: the id is ignored.
pub const ANONYMOUS: c_int = 1;
/// `GASNET_BARRIERFLAG_MISMATCH`: all ranks get a mismatch.
pub const MISMATCH: c_int = 2;

/// The combined names of a set of ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Names {
    /// No rank gave a name.
    Anonymous,
    /// All names that were given are equal to this one.
    Named(c_int),
    /// Two names differ, or a rank requested a mismatch.
    Mismatch,
}

impl Names {
    /// The name that a rank passes to notify.
    pub fn of(id: c_int, flags: c_int) -> Names {
        if flags & MISMATCH != 0 {
            Names::Mismatch
        } else if flags & ANONYMOUS != 0 {
            Names::Anonymous
        } else {
            Names::Named(id)
        }
    }

    /// Combines the names of two sets of ranks. Associative and commutative.
    pub fn join(self, other: Names) -> Names {
        match (self, other) {
            (Names::Anonymous, names) | (names, Names::Anonymous) => names,
            (Names::Named(a), Names::Named(b)) if a == b => self,
            _ => Names::Mismatch,
        }
    }

    /// The outcome for a rank that waits with `id` and `flags`, given the combined names of all ranks. The name of
    /// a wait after an anonymous notify is compared with the other ranks' name.
    pub fn verdict(self, id: c_int, flags: c_int) -> Outcome {
        match self.join(Names::of(id, flags)) {
            Names::Mismatch => Outcome::Mismatch,
            _ => Outcome::Match,
        }
    }

    /// The variant as two bits, and the id.
    pub fn pack(self) -> (u32, c_int) {
        match self {
            Names::Anonymous => (0, 0),
            Names::Named(id) => (1, id),
            Names::Mismatch => (2, 0),
        }
    }

    pub fn unpack(state: u32, id: c_int) -> Names {
        match state {
            0 => Names::Anonymous,
            1 => Names::Named(id),
            _ => Names::Mismatch,
        }
    }
}

/// A phase number and the names of that phase in one word. Phases count from 1, so a zero word belongs to no phase.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Word(u64);

const PHASE_MASK: u32 = (1 << 30) - 1;

impl Word {
    fn new(phase: u32, names: Names) -> Word {
        let (state, id) = names.pack();
        Word(u64::from(phase & PHASE_MASK) << 34 | u64::from(state) << 32 | u64::from(id as u32))
    }

    /// The names, if the word belongs to `phase`.
    fn names(self, phase: u32) -> Option<Names> {
        ((self.0 >> 34) as u32 == phase & PHASE_MASK).then(|| Names::unpack((self.0 >> 32) as u32 & 3, self.0 as c_int))
    }
}

/// The outcome of a barrier for one rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    Match,
    Mismatch,
}

enum Stage {
    Shared(Shared),
    Dissem(Dissem),
    Central(Central),
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
    /// [`Word`] of the phase completed last.
    last: AtomicU64,
}

impl Barrier {
    /// The barrier selected by `wanted` (the value of `GASNET_BARRIER`), for rank `me` of `size`. `conduit`: the network, if
    /// there is one.
    pub fn new(
        wanted: &str,
        me: JobRank,
        size: u32,
        nbrhd: &Nbrhd,
        places: &Places,
        marks: &'static Marks,
        conduit: Option<&'static dyn Conduit>,
    ) -> Barrier {
        // Shared memory is of no use where every rank is alone: then all choose the network, if it can do it.
        let native = conduit.filter(|conduit| conduit.caps().least_of_all);
        let alone = places.supernodes() == size;
        let stage = match (wanted, native) {
            ("DISSEM" | "RDMADISSEM", Some(conduit)) => Stage::Native(Native::new(conduit)),
            ("PSHM", Some(conduit)) if alone => Stage::Native(Native::new(conduit)),
            ("PSHM", _) => {
                let area = nbrhd.barrier_area();
                let near = Shared::new(area, nbrhd.me, nbrhd.ranks);
                if nbrhd.ranks == size {
                    Stage::Shared(near)
                } else {
                    let leaders = || places.leaders().map(|rank| rank.0).collect();
                    let far = (nbrhd.me.0 == 0).then(|| Dissem::among(leaders(), places.supernode(me)));
                    Stage::TwoStages(TwoStages::new(near, nbrhd_stage::spare_word(area, nbrhd.ranks), far))
                }
            }
            ("AMCENTRAL", _) => Stage::Central(Central::new(me, size)),
            _ => Stage::Dissem(Dissem::new(me, size)),
        };
        Barrier { board: Some(marks), ..Barrier::on("rank", stage) }
    }

    /// The barrier of a team of `members`, of which this is `me`; `area` as of `area_bytes`.
    pub fn of_team(area: Dst<'static>, me: usize, members: &[NodeRank]) -> Barrier {
        Barrier::on("team", Stage::Shared(Shared::of_team(area, me, members)))
    }

    fn on(whose: &'static str, stage: Stage) -> Barrier {
        Barrier { whose, stage, own: Marks::default(), board: None, last: AtomicU64::new(0) }
    }

    /// Whether this barrier uses messages, so that polls have to advance it.
    pub fn needs_progress(&self) -> bool {
        let by_messages = match &self.stage {
            Stage::Shared(_) => false,
            Stage::TwoStages(stages) => stages.far().is_some(),
            _ => true,
        };
        by_messages && self.in_progress()
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
            Stage::Dissem(stage) => stage.look(job, phase),
            Stage::Central(stage) => stage.look(job, phase),
            Stage::TwoStages(stages) => stages.look(job, phase),
            Stage::Native(stage) => stage.look(job, phase),
        }
    }

    #[inline]
    fn marks(&self) -> &Marks {
        self.board.unwrap_or(&self.own)
    }

    fn complete(&self, phase: u32, names: Names) {
        self.last.store(Word::new(phase, names).0, Ordering::Relaxed);
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
            Stage::Dissem(stage) => stage.notify(job, phase, names),
            Stage::Central(stage) => stage.notify(job, phase, names),
            Stage::TwoStages(stages) => stages.notify(job, phase, names),
            Stage::Native(stage) => stage.notify(names),
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

    /// The names of the barrier completed last; `Anonymous` if there was none.
    fn last(&self) -> Names {
        let last = Word(self.last.load(Ordering::Relaxed));
        Names::unpack((last.0 >> 32) as u32 & 3, last.0 as c_int)
    }
}

impl Job {
    /// This rank enters the barrier.
    pub fn barrier_notify(&self, call: &str, id: c_int, flags: c_int) {
        self.barrier.notify(self, call, id, flags);
    }

    /// Waits until every rank has notified.
    pub fn barrier_wait(&self, call: &str, id: c_int, flags: c_int) -> Outcome {
        self.barrier.wait(self, call, id, flags)
    }

    /// As [`Job::barrier_wait`], but returns None at once if a rank has not notified.
    pub fn barrier_try(&self, call: &str, id: c_int, flags: c_int) -> Option<Outcome> {
        self.barrier.try_wait(self, call, id, flags)
    }

    /// The combined names of the barrier that was completed last.
    pub fn barrier_result(&self, call: &str) -> Names {
        self.barrier.result(call)
    }

    /// An anonymous barrier inside another operation; the client's next `barrier_result` does not see it.
    pub fn barrier_inside(&self, call: &str) {
        let last = self.barrier.last.load(Ordering::Relaxed);
        self.barrier_notify(call, 0, ANONYMOUS);
        self.barrier_wait(call, 0, ANONYMOUS);
        self.barrier.last.store(last, Ordering::Relaxed);
    }

    /// Advances a barrier by messages between a rank's notify and wait, so that other ranks do not depend on its
    /// wait.
    pub fn barrier_progress(&self) {
        if self.barrier.needs_progress() {
            let _ = self.barrier.look(self, self.barrier.marks().notified.load(Ordering::Relaxed));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rule of the specification: all ranks' arguments of notify, then this rank's arguments of wait.
    fn oracle(notified: &[(c_int, c_int)], wait: (c_int, c_int)) -> Outcome {
        let mut names: Vec<c_int> = Vec::new();
        for &(id, flags) in notified.iter().chain([&wait]) {
            if flags & MISMATCH != 0 {
                return Outcome::Mismatch;
            }
            if flags & ANONYMOUS == 0 {
                names.push(id);
            }
        }
        names.dedup();
        if names.len() > 1 { Outcome::Mismatch } else { Outcome::Match }
    }

    fn says() -> Vec<(c_int, c_int)> {
        let mut all = Vec::new();
        for id in [0, 1, -1] {
            for flags in [0, ANONYMOUS, MISMATCH, ANONYMOUS | MISMATCH, 9, 4] {
                all.push((id, flags));
            }
        }
        all
    }

    #[test]
    fn every_mixture_of_three_ranks_and_a_wait_ends_as_the_rule_says() {
        let says = says();
        for &a in &says {
            for &b in &says {
                for &c in &says {
                    let of = |say: (c_int, c_int)| Names::of(say.0, say.1);
                    let names = of(a).join(of(b)).join(of(c));
                    assert_eq!(names, of(c).join(of(a).join(of(b))));
                    assert_eq!(names, of(a).join(of(b).join(of(c))));
                    for &wait in &says {
                        assert_eq!(
                            names.verdict(wait.0, wait.1),
                            oracle(&[a, b, c], wait),
                            "{a:?} {b:?} {c:?} {wait:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_word_keeps_phase_state_and_id() {
        for phase in [1, 2, PHASE_MASK, PHASE_MASK + 2] {
            for names in [Names::Anonymous, Names::Named(c_int::MIN), Names::Named(7), Names::Mismatch] {
                let word = Word::new(phase, names);
                assert_eq!(word.names(phase), Some(names));
                assert_eq!(word.names(phase.wrapping_add(1)), None);
                assert_eq!(word.names(phase.wrapping_sub(2)), None);
            }
        }
        assert_eq!(Word(0).names(1), None);
    }
}
