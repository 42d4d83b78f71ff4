//! The dissemination barrier by active messages (`AMDISSEM`): in step i a rank tells the rank 2^i after it what it
//! has heard so far, and goes on once the rank 2^i before it has told it the same (Mellor-Crummey and Scott,
//! "Algorithms for scalable synchronization on shared-memory multiprocessors", section 3.3). Handlers only note what
//! arrived; steps are taken by waits, tries and polls. Places are kept for two phases: nobody is further ahead.

use parking_lot::Mutex;

use crate::am::{Msg, Payload, Token, table};
use crate::job::{Job, JobRank, job};
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::sync::turned::Turned;

use super::{Names, Stage, Word};

pub struct Dissem {
    /// The ranks that take part; None: all.
    members: Option<Box<[u32]>>,
    /// This rank among them, and how many they are.
    me: u32,
    ranks: u32,
    steps: u32,
    /// [`Word`]s that arrived: of even phases by step, then of odd ones.
    heard: Box<[AtomicU64]>,
    at: Mutex<At>,
    turned: Turned,
}

/// Where this rank is in the phase that it notified last.
struct At {
    phase: u32,
    /// Steps whose message was sent; the one before it is the one waited for.
    sent: u32,
    names: Names,
}

impl Dissem {
    pub fn new(me: JobRank, ranks: u32) -> Dissem {
        Dissem::of(None, me.0, ranks)
    }

    /// Of some ranks only, the `me`th of which is this one.
    pub fn among(members: Box<[u32]>, me: u32) -> Dissem {
        let ranks = members.len() as u32;
        Dissem::of(Some(members), me, ranks)
    }

    fn of(members: Option<Box<[u32]>>, me: u32, ranks: u32) -> Dissem {
        let steps = ranks.next_power_of_two().trailing_zeros();
        Dissem {
            members,
            me,
            ranks,
            steps,
            heard: (0..2 * steps).map(|_| AtomicU64::new(0)).collect(),
            at: Mutex::new(At { phase: 0, sent: 0, names: Names::Anonymous }),
            turned: Turned::default(),
        }
    }

    fn place(&self, phase: u32, step: u32) -> &AtomicU64 {
        &self.heard[((phase & 1) * self.steps + step) as usize]
    }

    fn send(&self, job: &Job, phase: u32, step: u32, names: Names) {
        let index = ((u64::from(self.me) + (1 << step)) % u64::from(self.ranks)) as u32;
        let to = self.members.as_ref().map_or(index, |members| members[index as usize]);
        let (state, id) = names.pack();
        job.am_request(
            JobRank(to),
            table::BARRIER_STEP,
            Payload::None,
            &[phase as i32, (step << 2 | state) as i32, id],
        );
    }

    pub fn notify(&self, job: &Job, phase: u32, names: Names) {
        *self.at.lock() = At { phase, sent: 0, names };
        self.look(job, phase);
    }

    /// Takes all steps that can be taken; what all ranks said, after the last.
    pub fn look(&self, job: &Job, phase: u32) -> Option<Names> {
        // Whoever holds it takes the steps; sending polls, which may come back here.
        self.alone(job, |at| {
            // Else a poll on another thread came between the two halves of notify.
            if at.phase == phase { self.take_steps(job, at) } else { None }
        })
    }

    /// Runs `look` behind the lock, unless another thread has it, which then wakes this one if it sleeps.
    fn alone(&self, job: &Job, look: impl FnOnce(&mut At) -> Option<Names>) -> Option<Names> {
        let mut at = self.turned.enter(|| self.at.try_lock())?;
        let names = look(&mut at);
        drop(at);
        job.left(&self.turned, false);
        names
    }

    /// As `look`, but begins `phase` with `names` where that has not been done; runs `then` at the end, alone.
    pub fn advance(&self, job: &Job, phase: u32, names: Names, then: impl FnOnce(Names)) -> Option<Names> {
        self.alone(job, |at| {
            if phase == at.phase.wrapping_add(1) {
                *at = At { phase, sent: 0, names };
            } else if phase != at.phase {
                return None; // a poll on another thread that was overtaken
            }
            let names = self.take_steps(job, at)?;
            then(names);
            Some(names)
        })
    }

    fn take_steps(&self, job: &Job, at: &mut At) -> Option<Names> {
        let phase = at.phase;
        loop {
            if at.sent > 0 {
                let word = Word(self.place(phase, at.sent - 1).load(Ordering::Acquire));
                at.names = at.names.join(word.names(phase)?);
            }
            if at.sent == self.steps {
                return Some(at.names);
            }
            self.send(job, phase, at.sent, at.names);
            at.sent += 1;
        }
    }
}

/// A message of another rank's step.
pub fn on_step(_token: &Token, msg: Msg<'_>) {
    let stage = match &job().barrier.stage {
        Stage::Dissem(stage) => Some(stage),
        Stage::TwoStages(stages) => stages.far(),
        _ => None,
    };
    if let Some(stage) = stage {
        let (phase, step, state) = (msg.args[0] as u32, msg.args[1] as u32 >> 2, msg.args[1] as u32 & 3);
        // Release: with the Acquire in `look`.
        stage.place(phase, step).store(Word::new(phase, Names::unpack(state, msg.args[2])).0, Ordering::Release);
    }
}
