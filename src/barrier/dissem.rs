//! The dissemination barrier by Active Messages (`AMDISSEM`): in step i a rank sends its combined names to the rank
//! 2^i after it, and waits for those of the rank 2^i before it (Mellor-Crummey and Scott, "Algorithms for scalable
//! synchronization on shared-memory multiprocessors", section 3.3). Handlers only record arrivals; waits, tries and
//! polls execute the steps. Arrivals are stored for two phases, since no rank is further ahead.

use crate::am::library;
use crate::defs::message::Payload;
use crate::defs::rank::JobRank;
use crate::job::Job;
use crate::sync::atomic::{AtomicU64, Ordering};

use super::names::{Names, PhaseWord};
use super::progress::ProgressAt;

pub(crate) struct Dissem {
    /// The ranks that take part; None: all.
    members: Option<Box<[u32]>>,
    /// The index of this rank among them, and their number.
    me: u32,
    ranks: u32,
    steps: u32,
    /// [`PhaseWord`]s that arrived: of even phases by step, then of odd ones.
    heard: Box<[AtomicU64]>,
    at: ProgressAt<StepAt>,
}

/// The progress of this rank in the phase that it notified last.
struct StepAt {
    phase: u32,
    /// The number of steps whose message was sent; the last of them is waited for.
    sent: u32,
    names: Names,
}

/// The number of steps of a barrier of `ranks` ranks.
pub fn steps(ranks: u32) -> u32 {
    ranks.next_power_of_two().trailing_zeros()
}

/// The index of the rank that rank number `me` of `ranks` sends to in `step`.
pub fn target(me: u32, ranks: u32, step: u32) -> u32 {
    ((u64::from(me) + (1 << step)) % u64::from(ranks)) as u32
}

impl Dissem {
    pub(crate) fn new(me: JobRank, ranks: u32) -> Dissem {
        Dissem::of(None, me.0, ranks)
    }

    /// A barrier of some ranks only, of which this is number `me`.
    pub(crate) fn among(members: Box<[u32]>, me: u32) -> Dissem {
        let ranks = members.len() as u32;
        Dissem::of(Some(members), me, ranks)
    }

    fn of(members: Option<Box<[u32]>>, me: u32, ranks: u32) -> Dissem {
        let steps = steps(ranks);
        Dissem {
            members,
            me,
            ranks,
            steps,
            heard: (0..2 * steps).map(|_| AtomicU64::new(0)).collect(),
            at: ProgressAt::new(StepAt { phase: 0, sent: 0, names: Names::Anonymous }),
        }
    }

    fn place(&self, phase: u32, step: u32) -> &AtomicU64 {
        &self.heard[((phase & 1) * self.steps + step) as usize]
    }

    fn send(&self, job: &Job, phase: u32, step: u32, names: Names) {
        let index = target(self.me, self.ranks, step);
        let to = self.members.as_ref().map_or(index, |members| members[index as usize]);
        let (state, id) = names.pack();
        job.am_request(
            JobRank(to),
            library::BARRIER_STEP,
            Payload::None,
            &[phase as i32, (step << 2 | state) as i32, id],
        );
    }

    pub(crate) fn notify(&self, job: &Job, phase: u32, names: Names) {
        *self.at.enter() = StepAt { phase, sent: 0, names };
        self.look(job, phase);
    }

    /// Executes all possible steps; returns the combined names of all ranks after the last.
    pub(crate) fn look(&self, job: &Job, phase: u32) -> Option<Names> {
        self.at.alone(job, |at| {
            // Otherwise a poll of another thread ran between the two halves of notify.
            if at.phase == phase { self.take_steps(job, at) } else { None }
        })
    }

    /// As `look`, but first begins `phase` with `names` if it has not begun; runs `then` at the end, with the lock
    /// held.
    pub(crate) fn advance(&self, job: &Job, phase: u32, names: Names, then: impl FnOnce(Names)) -> Option<Names> {
        self.at.alone(job, |at| {
            if phase == at.phase.wrapping_add(1) {
                *at = StepAt { phase, sent: 0, names };
            } else if phase != at.phase {
                return None; // a poll on another thread that was overtaken
            }
            let names = self.take_steps(job, at)?;
            then(names);
            Some(names)
        })
    }

    fn take_steps(&self, job: &Job, at: &mut StepAt) -> Option<Names> {
        let phase = at.phase;
        loop {
            if at.sent > 0 {
                let word = PhaseWord(self.place(phase, at.sent - 1).load(Ordering::Acquire));
                at.names = at.names.join(word.names(phase)?);
            }
            if at.sent == self.steps {
                return Some(at.names);
            }
            self.send(job, phase, at.sent, at.names);
            at.sent += 1;
        }
    }

    /// The message of `step` of another rank.
    pub(crate) fn hear(&self, step: u32, phase: u32, names: Names) {
        // Release: with the Acquire in `look`.
        self.place(phase, step).store(PhaseWord::new(phase, names).0, Ordering::Release);
    }
}
