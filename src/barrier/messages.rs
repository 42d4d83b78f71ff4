//! The barriers by Active Messages: of all ranks, or of the first ranks of the nbrhds.

use super::dissem::Dissem;
use super::names::Names;
use super::tree::BarrierTree;
use crate::job::Job;

pub(crate) enum ByMessages {
    Dissem(Dissem),
    Tree(BarrierTree),
}

impl ByMessages {
    pub(crate) fn notify(&self, job: &Job, phase: u32, names: Names) {
        match self {
            ByMessages::Dissem(stage) => stage.notify(job, phase, names),
            ByMessages::Tree(stage) => stage.notify(job, phase, names),
        }
    }

    pub(crate) fn look(&self, job: &Job, phase: u32) -> Option<Names> {
        match self {
            ByMessages::Dissem(stage) => stage.look(job, phase),
            ByMessages::Tree(stage) => stage.look(job, phase),
        }
    }

    /// As `look`, but first begins `phase` with `names` if it has not begun; runs `then` at the end, with the lock held.
    pub(crate) fn advance(&self, job: &Job, phase: u32, names: Names, then: impl FnOnce(Names)) -> Option<Names> {
        match self {
            ByMessages::Dissem(stage) => stage.advance(job, phase, names, then),
            ByMessages::Tree(stage) => stage.advance(job, phase, names, then),
        }
    }
}
