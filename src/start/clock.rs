//! The clock of traces: ranks of one host read one clock; each other host asks rank 0 for its clock, several times,
//! and uses the answer with the shortest round trip.

use crate::am::library::{CLOCK, CLOCK_ANSWER};
use crate::am::token::Token;
use crate::defs::message::{Msg, Payload};
use crate::defs::rank::JobRank;
use crate::job::Job;
use crate::mem::{halves, whole};
use crate::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use crate::trace;

const QUESTIONS: u32 = 16;

static ANSWER: AtomicI64 = AtomicI64::new(0);
static ANSWERS: AtomicU32 = AtomicU32::new(0);

/// Rank 0: replies with its clock.
pub(crate) fn on_question(token: &Token, _: Msg<'_>) {
    let now = trace::host_ns();
    token.reply(CLOCK_ANSWER, Payload::None, &halves(now as usize));
}

pub(crate) fn on_answer(_: &Token, msg: Msg<'_>) {
    if let &[high, low] = msg.args {
        ANSWER.store(whole(high, low) as i64, Ordering::Relaxed);
        // Release: with the Acquire below, the waiting thread sees the answer.
        ANSWERS.fetch_add(1, Ordering::Release);
    }
}

impl Job {
    /// Makes the times of this rank those of rank 0's host. Collective.
    pub fn agree_on_time(&self) {
        if self.places.host(self.me) != self.places.host(JobRank(0)) {
            let (mut quickest, mut offset) = (i64::MAX, 0);
            for question in 0..QUESTIONS {
                let asked = trace::host_ns();
                self.am_request(JobRank(0), CLOCK, Payload::None, &[]);
                self.wait_until(|| ANSWERS.load(Ordering::Acquire) > question);
                let took = trace::host_ns() - asked;
                if took < quickest {
                    (quickest, offset) = (took, ANSWER.load(Ordering::Relaxed) - (asked + took / 2));
                }
            }
            trace::set_offset(offset, quickest);
        }
        self.startup_barrier();
    }
}
