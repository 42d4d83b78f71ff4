//! The teams of this process whose collectives through shared memory polls advance.

use parking_lot::Mutex;

use crate::am::poll::WORK;
use crate::coll::near::member::Near;
use crate::coll::operation::{AllSync, Operation};
use crate::event::Op;
use crate::job::Job;
use crate::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use crate::sync::turned::Turned;

/// Teams with collectives through shared memory in flight, which polls advance, and their number.
struct NearList {
    teams: Mutex<Vec<&'static Near>>,
    turned: Turned,
    count: AtomicU32,
}

static LIST: NearList =
    NearList { teams: Mutex::new(Vec::new()), turned: Turned::new(AtomicBool::new(false)), count: AtomicU32::new(0) };

impl NearList {
    /// Counts `teams`, which is locked.
    fn count(&self, teams: &[&'static Near]) {
        let new = teams.len() as u32;
        WORK.change(self.count.swap(new, Ordering::Relaxed), new);
    }

    /// Adds `near`, which has collectives in flight.
    fn add(&self, job: &Job, near: &'static Near) {
        let mut list = self.teams.lock();
        list.push(near);
        self.count(&list);
        drop(list);
        job.left(&self.turned, false);
    }
}

impl Job {
    /// As [`Near::start`].
    pub(in crate::coll) fn near_start(
        &self,
        near: &'static Near,
        operation: Operation,
        sync: AllSync,
        begin: impl FnOnce() -> &'static Op,
    ) -> Option<&'static Op> {
        near.start(self, operation, sync, begin, || LIST.add(self, near))
    }

    /// The number of collectives that `near` has in flight. If it is 0, `near` is removed from the list.
    pub(in crate::coll) fn near_in_flight(&self, near: &'static Near) -> usize {
        // Polls advance `near` with the list locked. A poll may have completed the last collective, whose event has been
        // tested since, but may still be in `near`. With the list locked here, only a collective call can hold its queues.
        let mut list = LIST.teams.lock();
        let count = near.in_flight();
        if count == 0 {
            list.retain(|listed| !core::ptr::eq(*listed, near));
            LIST.count(&list);
        }
        drop(list);
        self.left(&LIST.turned, false);
        count
    }

    /// Advances collectives through shared memory; returns the number of those that finished.
    pub(in crate::coll) fn near_progress(&self) -> u32 {
        if LIST.count.load(Ordering::Relaxed) == 0 {
            return 0;
        }
        let Some(mut list) = LIST.turned.enter(|| LIST.teams.try_lock()) else { return 0 };
        let mut finished = 0;
        list.retain(|near| {
            let (count, idle) = near.step(self);
            finished += count;
            !idle
        });
        LIST.count(&list);
        drop(list);
        self.left(&LIST.turned, finished != 0);
        finished
    }
}
