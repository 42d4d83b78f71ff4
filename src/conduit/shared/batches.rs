//! Batches: where a packet costs microseconds, as over TCP, short messages to one rank share packets. A message to a rank that owes no
//! answer leaves at once, so that a single message is not delayed. Those that follow wait until two polls have found no further one, until
//! there are many, or until the client sleeps; if the client computes meanwhile, the progress thread sends them.

use std::time::Duration;

use super::background::{Background, BackgroundWork, Worker};
use super::packet::{ALIGN, MOST_HEAD, PacketHead, PacketKind};
use crate::defs::rank::JobRank;
use crate::mem::{self, Dst, Src};

/// The longest payload of a message in a batch.
const MOST_PAYLOAD: usize = 512;
/// Bytes of a packet of several messages: what libraries send over TCP in one piece.
pub(crate) const BATCH: usize = 8000;
/// Messages that wait, at most; then they are sent without waiting for another poll.
const BURST: u32 = 64;
/// Polls without an answer from a rank after which a message to it leaves at once again.
const IDLE_POLLS: u32 = 64;
/// The longest delay of a batched message while the client does not poll.
const HELD_BACK: Duration = Duration::from_micros(100);

/// The batches of a rank.
#[derive(Default)]
pub(crate) struct Batches {
    on: bool,
    /// Ranks with a batch.
    open: Vec<JobRank>,
    /// Polls so far.
    polls: u32,
    /// Messages accepted since batches were last sent; [`BURST`] more if a poll has seen them. Then the number of such sends.
    held_back: u32,
    flushes: u32,
    /// The value of `flushes` when the progress thread last found batched messages.
    seen: Option<u32>,
    worker: Worker,
    work: Option<&'static dyn Background>,
}

impl Batches {
    pub(crate) fn new(on: bool) -> Batches {
        Batches { on, ..Batches::default() }
    }

    /// Before the first message.
    pub(crate) fn turn(&mut self, on: bool) {
        self.on = on;
    }

    pub(crate) fn are_on(&self) -> bool {
        self.on
    }

    /// The period of the progress thread, if one may be needed.
    pub(crate) fn period(&self) -> Option<Duration> {
        self.on.then_some(HELD_BACK)
    }
}

/// The batch for a rank, in a buffer of the conduit's.
pub(crate) struct PeerBatch<B> {
    /// The buffer, and where its messages end.
    open: Option<(B, usize)>,
    /// The number of polls when a packet was last sent to the rank, since when nothing came from it.
    busy_since: Option<u32>,
}

impl<B> Default for PeerBatch<B> {
    fn default() -> PeerBatch<B> {
        PeerBatch { open: None, busy_since: None }
    }
}

impl<B> PeerBatch<B> {
    /// A packet has come from the rank.
    #[inline]
    pub(crate) fn heard(&mut self) {
        self.busy_since = None;
    }
}

/// A rank that has batches.
pub(crate) trait Batched {
    /// Of at least [`BATCH`] bytes.
    type Buffer;
    /// Where the first message of a batch starts, a multiple of [`ALIGN`].
    const START: usize;
    /// The name of the progress thread.
    const THREAD: &'static str;
    fn batches(&mut self) -> &mut Batches;
    fn batch_for(&mut self, to: JobRank) -> &mut PeerBatch<Self::Buffer>;
    fn free_buffer(&mut self) -> Self::Buffer;
    fn view(buffer: &mut Self::Buffer) -> Dst<'_>;
    fn bytes(buffer: &mut Self::Buffer) -> &mut [u8];
    /// Sends messages that end at `end`; there is always room.
    fn send_batch(&mut self, to: JobRank, buffer: Self::Buffer, end: usize);

    /// Adds a message to the batch for `to`; false: it is to be sent alone. The head's number is the length of the payload.
    #[inline]
    fn join_batch<K: PacketKind>(&mut self, to: JobRank, head: &PacketHead<'_, K>, payload: Src<'_>) -> bool {
        self.batches().on && payload.len() <= MOST_PAYLOAD && self.join_open_batch(to, head, payload)
    }

    /// As `join_batch`, for a message that may share a packet.
    #[inline(never)]
    fn join_open_batch<K: PacketKind>(&mut self, to: JobRank, head: &PacketHead<'_, K>, payload: Src<'_>) -> bool {
        let polls = self.batches().polls;
        let batch = self.batch_for(to);
        if batch.open.is_none() {
            let is_busy = batch.busy_since.is_some_and(|since| polls.wrapping_sub(since) < IDLE_POLLS);
            if !is_busy {
                return false;
            }
            let buffer = self.free_buffer();
            self.batch_for(to).open = Some((buffer, Self::START));
            self.batches().open.push(to);
        }
        let batch = self.batch_for(to);
        let Some((buffer, end)) = &mut batch.open else { return false };
        let start = *end + head.write(&mut Self::bytes(buffer)[*end..]);
        mem::copy(Self::view(buffer).part(start, payload.len()), payload);
        *end = (start + payload.len()).next_multiple_of(ALIGN);
        let is_full = *end + MOST_HEAD + MOST_PAYLOAD > BATCH;
        batch.busy_since = Some(polls);
        let batches = self.batches();
        batches.held_back = batches.held_back % BURST + 1;
        if is_full || batches.held_back >= BURST {
            self.send_batches();
        } else {
            batches.worker.expect(Self::THREAD, batches.work);
        }
        true
    }

    /// A message to `to` was sent alone.
    #[inline]
    fn sent_alone(&mut self, to: JobRank) {
        if self.batches().on {
            let polls = self.batches().polls;
            self.batch_for(to).busy_since = Some(polls);
        }
    }

    /// A poll: sends batches that no message joins any more.
    #[inline]
    fn age_batches(&mut self, leaving: bool) {
        let batches = self.batches();
        batches.polls = batches.polls.wrapping_add(1);
        if batches.held_back == 0 {
            return;
        }
        if !leaving && batches.held_back < BURST {
            batches.held_back += BURST;
        } else {
            self.send_batches();
        }
    }

    fn send_batches(&mut self) {
        let batches = self.batches();
        batches.held_back = 0;
        batches.flushes = batches.flushes.wrapping_add(1);
        while let Some(to) = self.batches().open.pop() {
            if let Some((buffer, end)) = self.batch_for(to).open.take() {
                self.send_batch(to, buffer, end);
            }
        }
    }

    /// `rank` has died or left: returns the buffer of its batch.
    fn drop_batch(&mut self, rank: JobRank) -> Option<Self::Buffer> {
        self.batches().open.retain(|open| *open != rank);
        self.batch_for(rank).open.take().map(|(buffer, _)| buffer)
    }
}

impl<T: Batched> BackgroundWork for T {
    fn opened(&mut self, work: &'static dyn Background) {
        self.batches().work = Some(work);
    }

    fn worker(&mut self) -> &mut Worker {
        &mut self.batches().worker
    }

    /// Sends batches that two steps in a row find.
    fn step(&mut self) -> bool {
        let batches = self.batches();
        if batches.held_back == 0 {
            batches.seen = None;
            batches.worker.rest();
            return false;
        }
        if batches.seen == Some(batches.flushes) {
            self.send_batches();
        }
        let batches = self.batches();
        batches.seen = Some(batches.flushes);
        true
    }
}
