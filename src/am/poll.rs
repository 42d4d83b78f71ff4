//! Taking messages in: replies first, then requests, a bounded number a call.

use core::mem::MaybeUninit;

use crate::am::{dispatch, wire};
use crate::job::Job;
use crate::nbrhd::ring::{Ring, Taken};

/// Most messages of each kind that one poll handles.
const BUDGET: u32 = 64;

impl Job {
    /// Handles what has arrived; returns how many messages that was.
    #[inline]
    pub fn poll(&self) -> u32 {
        let nbrhd = &self.nbrhd;
        if nbrhd.replies.ready() || nbrhd.requests.ready() { self.poll_both() } else { 0 }
    }

    fn poll_both(&self) -> u32 {
        let done = self.drain(self.nbrhd.replies, false) + self.drain(self.nbrhd.requests, true);
        // Only messages move a barrier by messages on.
        self.barrier_progress();
        done
    }

    /// Handles replies only: what a request handler that waits for room may do.
    pub fn poll_replies(&self) -> u32 {
        self.drain(self.nbrhd.replies, false)
    }

    fn drain(&self, ring: Ring, request: bool) -> u32 {
        let serial = !self.settings.concurrent();
        let mut taken = MaybeUninit::<Taken>::uninit();
        let mut done = 0;
        while done < BUDGET {
            let Some(taken) = ring.take_into(&mut taken, serial, wire::slots) else {
                break;
            };
            if done >= 4 {
                ring.prefetch(16);
            }
            dispatch::deliver(self, taken, request);
            done += 1;
        }
        if done != 0 && !serial {
            // Another thread may sleep until what these handlers did.
            self.wake_local();
        }
        done
    }
}
