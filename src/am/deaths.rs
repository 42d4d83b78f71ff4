//! Cleanup after the death of another rank of this host, in a job that goes on: messages and memory of the dead rank are
//! dropped, and ring slots that it claimed but did not publish are filled with void messages.

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

/// Whether the job goes on after the death of a rank. Fixed before the job starts.
static OUTLIVED: AtomicBool = AtomicBool::new(false);

/// Lets the job that is started next go on after the death of a rank. Its producers announce each ring claim, which costs
/// one store a message.
pub fn outlive() {
    OUTLIVED.store(true, Ordering::Relaxed);
}

pub(crate) fn are_outlived() -> bool {
    OUTLIVED.load(Ordering::Relaxed)
}

impl Job {
    /// Handles the death of `rank`, another rank of this host, in a job that goes on. Its process has ended, so none of its
    /// threads writes to shared memory any more. Messages to it are dropped from now on; polls fill the ring slots that it
    /// claimed but did not publish, so that later messages of other ranks are handled; this rank's memory that it held
    /// (blocks of Medium payloads in flight, teams' shared memory) is freed. Operations and collectives that wait for it
    /// keep waiting. Every surviving rank of the host calls this once, on any thread, outside signal handlers.
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

    /// Fills the slots of this rank's rings that dead producers claimed; true once none is left.
    pub(super) fn retire(&self) -> bool {
        let Retired { filled, done } =
            self.nbrhd.retire(wire::head(library::VOID, MessageForm::Short, Envelope::PLAIN, 0, self.me_near()));
        // A void message is handled as one from this rank to itself, so it is counted as sent by this rank.
        for (traffic, filled) in filled.into_iter().enumerate() {
            (0..filled).for_each(|_| self.counts.sent(self.me.0, traffic));
        }
        done
    }
}

/// Handler of the void message, which fills the slots of a message that a dead rank did not publish.
pub(crate) fn on_void(_: &Token, _: Msg<'_>) {}
