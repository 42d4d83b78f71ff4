//! A job that goes on after a rank of this host has died: what is told of the death, and what rings then hold in place of
//! messages that will not come.

use crate::am::deferred::DEFERRED;
use crate::am::library;
use crate::am::pieces::PIECES;
use crate::am::token::Token;
use crate::am::wire::{self, MessageForm};
use crate::defs::message::{Envelope, Msg};
use crate::defs::rank::HostRank;
use crate::job::Job;
use crate::nbrhd::Retired;
use crate::sync::atomic::{AtomicBool, Ordering};

/// Fixed before the job starts.
static OUTLIVED: AtomicBool = AtomicBool::new(false);

/// The job that is started next may go on after deaths: producers announce their claims, which costs them a store a message.
pub fn outlive() {
    OUTLIVED.store(true, Ordering::Relaxed);
}

pub(crate) fn are_outlived() -> bool {
    OUTLIVED.load(Ordering::Relaxed)
}

impl Job {
    /// `rank` of this host, another one, has died, and the job goes on. Its process has ended, so that none of its threads
    /// writes anywhere any more. Messages to it are lost from now on; those that it has not finished are taken out of the way
    /// of others', by polls; memory that it held of this rank (Medium payloads on their way, teams' shared memory) comes
    /// back. Operations and collectives that wait for it wait on. Every surviving rank of the host calls this, once, on any
    /// thread of its process, outside of signal handlers.
    /// Only in a job that `outlive` was called for.
    pub fn rank_died(&self, rank: HostRank) {
        assert!(self.outlives_ranks, "a rank died in a job that does not outlive its ranks");
        let Some(near) = self.nbrhd.node_rank_of(rank) else { return };
        self.nbrhd.bury(near);
        PIECES.forget(self.nbrhd.job_rank(near));
        DEFERRED.forget(self.nbrhd.job_rank(near));
        self.retire_in_polls();
        // It may have died between a message and the wake-up for it.
        self.wake_local();
    }

    /// Fills what the dead have claimed where this rank's rings wait for it; true once nothing is left.
    pub(super) fn retire(&self) -> bool {
        let Retired { filled, done } =
            self.nbrhd.retire(wire::head(library::VOID, MessageForm::Short, Envelope::PLAIN, 0, self.me_near()));
        // Counted as sent by this rank to itself, as which they will be handled.
        for (traffic, filled) in filled.into_iter().enumerate() {
            (0..filled).for_each(|_| self.counts.sent(self.me.0, traffic));
        }
        done
    }
}

/// Stands in a ring for a message that a dead rank did not finish.
pub(crate) fn on_void(_: &Token, _: Msg<'_>) {}
