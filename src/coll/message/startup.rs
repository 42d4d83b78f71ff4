//! The allgather of start-up, between ranks that have no team yet: Bruck's algorithm, as in `allgather.rs`, over plain
//! messages. No rank returns before all ranks have entered, so an exchange of zero words is a barrier.

use std::collections::BTreeMap;

use parking_lot::Mutex;

use crate::am::library;
use crate::am::token::Token;
use crate::coll::message::allgather::{Round, Schedule};
use crate::defs::message::{Msg, Payload};
use crate::defs::rank::{JobRank, NodeRank};
use crate::hang::waits::{self, Note};
use crate::job::Job;
use crate::mem::{self, Src};
use crate::rma::amref;
use crate::sync::atomic::{AtomicU32, Ordering};

const WORD: usize = size_of::<u64>();

/// The exchanges of this rank.
struct Exchanges {
    /// The number of exchanges that this rank has entered.
    entered: AtomicU32,
    /// Arrived messages, by exchange and step.
    arrived: Mutex<BTreeMap<(u32, u32), StepArrival>>,
    /// The number of messages that this rank has sent.
    sent: AtomicU32,
}

static EXCHANGES: Exchanges =
    Exchanges { entered: AtomicU32::new(0), arrived: Mutex::new(BTreeMap::new()), sent: AtomicU32::new(0) };

/// The numbers of exchanges that this rank has entered, and of messages that it has sent in them.
pub fn counts() -> (u32, u32) {
    (EXCHANGES.entered.load(Ordering::Relaxed), EXCHANGES.sent.load(Ordering::Relaxed))
}

/// The offsets of the messages that carry `nbytes` bytes of a step, each at most `piece`. A step of no bytes has a
/// message, too.
pub fn pieces(nbytes: usize, piece: usize) -> impl ExactSizeIterator<Item = usize> {
    (0..nbytes.max(1)).step_by(piece)
}

fn word_of(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |bytes| u64::from_ne_bytes(*bytes))
}

/// The message of a step; complete once `got` equals its length.
#[derive(Default)]
struct StepArrival {
    bytes: Vec<u8>,
    got: usize,
}

impl Job {
    /// Allgather over all ranks of the job: returns the words of each rank. Called by all ranks in the same order;
    /// polls.
    pub fn exchange<const N: usize>(&self, mine: [u64; N]) -> Vec<[u64; N]> {
        let size = self.size as usize;
        // The words of the ranks from this one on, cyclically.
        let mut have: Vec<u8> = mine.iter().flat_map(|word| word.to_ne_bytes()).collect();
        self.in_rounds(&mut have, |round| round.members * N * WORD, |have, came| have.extend(came));
        let mut all = vec![[0; N]; size];
        for (index, bytes) in have.chunks_exact((N * WORD).max(1)).enumerate() {
            let words = &mut all[(self.me.index() + index) % size];
            for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(WORD)) {
                *word = word_of(bytes);
            }
        }
        all
    }

    /// Allreduce: returns the least of the words of all ranks. As `exchange`, with messages of one word.
    fn least(&self, mine: u64) -> u64 {
        let mut least = mine.to_ne_bytes().to_vec();
        // Some words arrive twice, which does not change the result.
        self.in_rounds(
            &mut least,
            |_| WORD,
            |least, came| *least = word_of(least).min(word_of(&came)).to_ne_bytes().to_vec(),
        );
        word_of(&least)
    }

    /// An exchange: in each round of the allgather's schedule, sends the first bytes of `have`, as many as `nbytes` says, and
    /// merges the received ones.
    fn in_rounds(&self, have: &mut Vec<u8>, nbytes: impl Fn(&Round) -> usize, merge: impl Fn(&mut Vec<u8>, Vec<u8>)) {
        let state = &EXCHANGES;
        let exchange = state.entered.fetch_add(1, Ordering::Relaxed);
        let mut schedule = Schedule::new(self.me.index(), self.size as usize);
        while let Some(round) = schedule.next() {
            self.send_step(JobRank(round.to), exchange, round.number, Src::of(&have[..nbytes(&round)]));
            let key = (exchange, round.number);
            let is_complete = |arrival: &StepArrival| arrival.got == arrival.bytes.len();
            self.wait_for(|| Note::Start, || state.arrived.lock().get(&key).is_some_and(is_complete));
            merge(have, state.arrived.lock().remove(&key).unwrap_or_default().bytes);
            schedule.complete(round);
        }
    }

    /// The first start-up barrier. Ranks are still being started; where they outnumber cores, one that looked for
    /// the others all the time would only delay them.
    pub fn assemble(&self) {
        if self.conduit.is_some() {
            self.most_everywhere.store(self.least(self.max_segment() as u64) as usize, Ordering::Relaxed);
            return;
        }
        if self.nbrhd.ranks <= self.waiting.cores {
            return self.startup_barrier();
        }
        if self.nbrhd.arrivals().fetch_add(1, Ordering::AcqRel) + 1 == u64::from(self.size) {
            self.nbrhd.all_here();
        } else {
            waits::begin(self.nbrhd.here.0, &Note::Start);
            self.nbrhd.sleep_until_all_here();
            waits::end(self.nbrhd.here.0);
        }
    }

    /// The start-up barrier: all ranks have called it as often as this one when it returns. Polls.
    pub fn startup_barrier(&self) {
        if self.conduit.is_some() {
            self.exchange([]);
            return;
        }
        let arrived = self.nbrhd.arrivals();
        let mine = arrived.fetch_add(1, Ordering::AcqRel) + 1;
        let size = u64::from(self.size);
        let goal = mine.div_ceil(size) * size;
        if mine == goal {
            (0..self.nbrhd.ranks).for_each(|rank| self.wake_rank(NodeRank(rank)));
        }
        self.wait_for(|| Note::Start, || arrived.load(Ordering::Acquire) >= goal);
    }

    fn send_step(&self, to: JobRank, exchange: u32, step: u32, bytes: Src<'_>) {
        let piece = self.limits.medium;
        for from in pieces(bytes.len(), piece) {
            EXCHANGES.sent.fetch_add(1, Ordering::Relaxed);
            let part = bytes.part(from, piece.min(bytes.len() - from));
            let args = [exchange as i32, step as i32, from as i32, bytes.len() as i32];
            self.am_request(to, library::EXCHANGE, Payload::Medium(part), &args);
        }
    }
}

/// Request: a piece of the message of step (args 1) of exchange (args 0), at offset (args 2) of (args 3) bytes.
pub(crate) fn on_exchange(_token: &Token, msg: Msg<'_>) {
    let (at, all) = (msg.args[2] as usize, msg.args[3] as usize);
    let mut arrived = EXCHANGES.arrived.lock();
    let arrival: &mut StepArrival = arrived.entry((msg.args[0] as u32, msg.args[1] as u32)).or_default();
    arrival.bytes.resize(all, 0);
    mem::read(&mut arrival.bytes[at..at + msg.nbytes], amref::payload(&msg));
    arrival.got += msg.nbytes;
}
