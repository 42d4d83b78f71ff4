//! Batches: where a packet costs microseconds, as over TCP, short messages to one rank share packets. A message to a rank that owes no
//! answer leaves at once, so that a single message is not delayed. Those that follow wait until two polls have found no further one, until
//! there are many, or until the client sleeps; if the client computes meanwhile, the progress thread sends them.

use super::packet::{self, START, UcxHead};
use super::state::{BATCH, UcxRank};
use crate::conduit::shared::held::Aligned;
use crate::defs::rank::JobRank;
use crate::mem::{self, Src};

/// The longest payload of a message in a batch.
const MOST_PAYLOAD: usize = 512;
/// Messages that wait, at most; then they are sent without waiting for another poll.
const BURST: u32 = 64;
/// Polls without an answer from a rank after which a message to it leaves at once again.
const IDLE_POLLS: u32 = 64;

impl UcxRank {
    /// Adds a message to the batch for `to`; false: it is to be sent alone.
    #[inline]
    pub(crate) fn join_batch(&mut self, to: JobRank, head: &UcxHead<'_>, payload: Src<'_>) -> bool {
        if !self.batches.on || payload.len() > MOST_PAYLOAD {
            return false;
        }
        let member = &mut self.members[to.index()];
        if member.batch.is_none() {
            let is_busy = member.busy_since.is_some_and(|since| self.polls.wrapping_sub(since) < IDLE_POLLS);
            if !is_busy {
                return false;
            }
            let batch = self.batches.spare.pop().unwrap_or_else(|| Aligned::zeroed(BATCH));
            member.batch = Some((batch, START));
            self.batches.open.push(to);
        }
        let Some((batch, end)) = &mut member.batch else { return false };
        let start = *end + head.write(&mut batch[*end..]);
        mem::copy(batch.view().part(start, payload.len()), payload);
        *end = (start + payload.len()).next_multiple_of(16);
        member.busy_since = Some(self.polls);
        let is_full = *end + packet::MOST_HEADER + MOST_PAYLOAD > BATCH;
        let batches = &mut self.batches;
        batches.held_back = batches.held_back % BURST + 1;
        if is_full || batches.held_back >= BURST {
            self.send_batches();
        } else {
            batches.worker.expect("gasnet-ucx", batches.work);
        }
        true
    }

    /// A poll: sends batches that no message joins any more.
    #[inline]
    pub(crate) fn age_batches(&mut self, leaving: bool) {
        let held_back = &mut self.batches.held_back;
        if *held_back == 0 {
            return;
        }
        if !leaving && *held_back < BURST {
            *held_back += BURST;
        } else {
            self.send_batches();
        }
    }

    pub(crate) fn send_batches(&mut self) {
        self.batches.held_back = 0;
        self.batches.flushes = self.batches.flushes.wrapping_add(1);
        while let Some(to) = self.batches.open.pop() {
            let member = &mut self.members[to.index()];
            let Some((mut batch, end)) = member.batch.take() else { continue };
            packet::write_start(&mut batch, self.me, member.room.tell());
            if let Some(free) = self.send_batch(to, batch, end) {
                self.batches.keep(free);
            }
        }
    }

    /// Sends batches that two steps of the progress thread in a row find. False: there is none.
    pub(crate) fn batches_in_background(&mut self) -> bool {
        if self.batches.held_back == 0 {
            self.batches.seen = None;
            self.batches.worker.rest();
            return false;
        }
        if self.batches.seen == Some(self.batches.flushes) {
            self.send_batches();
        }
        self.batches.seen = Some(self.batches.flushes);
        true
    }
}
