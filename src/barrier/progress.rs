//! The progress of a rank in a barrier by messages.

use parking_lot::{Mutex, MutexGuard};

use super::names::Names;
use crate::job::Job;
use crate::sync::turned::Turned;

/// The progress of this rank in a barrier, which one thread at a time advances.
pub(super) struct ProgressAt<S> {
    at: Mutex<S>,
    turned: Turned,
}

impl<S> ProgressAt<S> {
    pub(super) fn new(at: S) -> ProgressAt<S> {
        ProgressAt { at: Mutex::new(at), turned: Turned::default() }
    }

    /// For a rank that enters a phase, which waits for a thread that still looks at the phase before.
    pub(super) fn enter(&self) -> MutexGuard<'_, S> {
        self.at.lock()
    }

    /// Runs `look` with the lock held, unless another thread holds it, which then wakes this one if it sleeps. The holder sends the messages
    /// that are due; sending polls, which may re-enter this function.
    pub(super) fn alone(&self, job: &Job, look: impl FnOnce(&mut S) -> Option<Names>) -> Option<Names> {
        let mut at = self.turned.enter(|| self.at.try_lock())?;
        let names = look(&mut at);
        drop(at);
        job.left(&self.turned, false);
        names
    }
}
