//! The barrier of a job with several nbrhds: the ranks of each nbrhd arrive in shared memory, the first ranks of
//! the nbrhds ("leaders") execute a barrier by messages, and then each releases its nbrhd with one word. Leaders
//! advance it in waits, tries and polls.

use crate::defs::rank::NodeRank;
use crate::job::Job;
use crate::sync::atomic::{AtomicU64, Ordering};

use super::messages::ByMessages;
use super::names::{Names, PhaseWord};
use super::nbrhd_stage::SharedStage;

pub(crate) struct TwoStages {
    near: SharedStage,
    /// [`PhaseWord`] of the last phase from which the leader has released the nbrhd.
    released: &'static AtomicU64,
    /// The barrier of all leaders; None if this rank is not one.
    far: Option<ByMessages>,
}

impl TwoStages {
    /// `released`: zero, shared by the ranks of `near`. `far`: of all leaders, if this rank is one.
    pub(crate) fn new(near: SharedStage, released: &'static AtomicU64, far: Option<ByMessages>) -> TwoStages {
        TwoStages { near, released, far }
    }

    /// The identification in messages of the barrier of leaders.
    pub(crate) fn far(&self) -> Option<&ByMessages> {
        self.far.as_ref()
    }

    pub(crate) fn notify(&self, job: &Job, phase: u32, names: Names) {
        self.near.notify(job, phase, names);
        self.look(job, phase);
    }

    pub(crate) fn look(&self, job: &Job, phase: u32) -> Option<Names> {
        let released = PhaseWord(self.released.load(Ordering::Acquire)).names(phase);
        if released.is_some() {
            return released;
        }
        let near = self.near.look(phase);
        self.far.as_ref()?.advance(job, phase, near?, |names| {
            // Release: with the Acquire above, all accesses before any rank's notify are visible after the wait.
            self.released.store(PhaseWord::new(phase, names).0, Ordering::Release);
            (0..job.nbrhd.ranks)
                .map(NodeRank)
                .filter(|&rank| rank != job.nbrhd.me)
                .for_each(|rank| job.wake_rank(rank));
        })
    }
}
