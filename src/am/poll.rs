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
        let inbox = self.nbrhd.inbox(self.me);
        let mut done = 0;
        if inbox.replies.ready() {
            done += self.drain(inbox.replies, false);
        }
        if inbox.requests.ready() {
            done += self.drain(inbox.requests, true);
        }
        self.barrier_progress();
        done
    }

    /// Handles replies only: what a request handler that waits for room may do.
    pub fn poll_replies(&self) -> u32 {
        let inbox = self.nbrhd.inbox(self.me);
        if inbox.replies.ready() { self.drain(inbox.replies, false) } else { 0 }
    }

    fn drain(&self, ring: Ring, request: bool) -> u32 {
        let serial = !self.settings.concurrent();
        let mut taken = MaybeUninit::<Taken>::uninit();
        let mut done = 0;
        while done < BUDGET {
            let Some(taken) = ring.take_into(&mut taken, serial, wire::slots) else {
                break;
            };
            ring.prefetch(1);
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
