//! Taking messages in: replies first, then requests, a bounded number a call.

use crate::am::{dispatch, wire};
use crate::job::Job;
use crate::nbrhd::ring::{BATCH, Batch, Ring};

/// Most messages of each kind that one poll handles.
const BUDGET: usize = 64;

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
        let mut batch = Batch::empty();
        let mut done = 0;
        while done < BUDGET {
            let count = ring.take(&mut batch, serial, wire::length);
            for index in 0..count {
                if count == BATCH {
                    ring.prefetch((BATCH + index) as u64);
                }
                let (head, body) = batch.message(index);
                dispatch::deliver(self, head, body, request);
            }
            done += count;
            if count < BATCH {
                break;
            }
        }
        if done != 0 && !serial {
            // Another thread may sleep until what these handlers did.
            self.wake_local();
        }
        done as u32
    }
}
