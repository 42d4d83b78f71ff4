//! The central barrier by Active Messages (`AMCENTRAL`): every rank sends a message to rank 0, which counts them,
//! and notifies all ranks once all have arrived. Handlers only record arrivals; rank 0 sends its messages from a
//! wait, a try or a poll.

use parking_lot::Mutex;

use crate::am::library;
use crate::defs::message::Payload;
use crate::defs::rank::JobRank;
use crate::job::Job;
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::sync::turned::Turned;

use super::names::{Names, PhaseWord};

/// The rank that counts.
const CENTER: JobRank = JobRank(0);

pub(crate) struct Central {
    me: JobRank,
    ranks: u32,
    /// At rank 0: the number of arrivals in the current phase, and their combined names.
    count: Mutex<(u32, Names)>,
    /// At rank 0: [`PhaseWord`] of the last phase in which all ranks have arrived.
    full: AtomicU64,
    /// At rank 0: the last phase of which the other ranks were notified; locked while they are notified.
    told: Mutex<u32>,
    turned: Turned,
    /// On other ranks: [`PhaseWord`] of the last phase that rank 0 has announced.
    heard: AtomicU64,
}

impl Central {
    pub(crate) fn new(me: JobRank, ranks: u32) -> Central {
        Central {
            me,
            ranks,
            count: Mutex::new((0, Names::Anonymous)),
            full: AtomicU64::new(0),
            told: Mutex::new(0),
            turned: Turned::default(),
            heard: AtomicU64::new(0),
        }
    }

    pub(crate) fn notify(&self, job: &Job, phase: u32, names: Names) {
        if self.me == CENTER {
            self.arrive(phase, names);
            self.look(job, phase);
        } else {
            let (state, id) = names.pack();
            job.am_request(CENTER, library::BARRIER_ARRIVE, Payload::None, &[phase as i32, state as i32, id]);
        }
    }

    pub(crate) fn arrive(&self, phase: u32, names: Names) {
        let mut count = self.count.lock();
        let (came, joined) = (count.0 + 1, count.1.join(names));
        if came < self.ranks {
            *count = (came, joined);
        } else {
            *count = (0, Names::Anonymous);
            // Release: with the Acquire in `look`.
            self.full.store(PhaseWord::new(phase, joined).0, Ordering::Release);
        }
    }

    pub(crate) fn look(&self, job: &Job, phase: u32) -> Option<Names> {
        if self.me != CENTER {
            return PhaseWord(self.heard.load(Ordering::Acquire)).names(phase);
        }
        let names = PhaseWord(self.full.load(Ordering::Acquire)).names(phase)?;
        // The holder of the lock sends; sending polls, which may re-enter this function.
        let mut told = self.turned.enter(|| self.told.try_lock())?;
        if *told != phase {
            let (state, id) = names.pack();
            for rank in (0..self.ranks).filter(|&rank| rank != CENTER.0) {
                job.am_request(
                    JobRank(rank),
                    library::BARRIER_RELEASE,
                    Payload::None,
                    &[phase as i32, state as i32, id],
                );
            }
            *told = phase;
        }
        drop(told);
        job.left(&self.turned, false);
        Some(names)
    }

    /// All ranks have arrived in the phase of `word`.
    pub(crate) fn hear(&self, word: PhaseWord) {
        // Release: with the Acquire in `look`.
        self.heard.store(word.0, Ordering::Release);
    }
}
