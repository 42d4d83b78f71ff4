//! The allgather of start-up, between ranks that have no team yet: Bruck's algorithm, as in `allgather.rs`, over plain
//! messages. No rank returns before all ranks have entered, so an exchange of zero words is a barrier.

use std::collections::HashMap;

use parking_lot::Mutex;

use crate::am::{Token, table};
use crate::coll::message::allgather::Schedule;
use crate::defs::message::{Msg, Payload};
use crate::defs::rank::JobRank;
use crate::job::{Job, job};
use crate::mem::{self, Src};
use crate::progress::waits::Note;
use crate::rma::amref;
use crate::sync::atomic::{AtomicU32, Ordering};

const WORD: usize = size_of::<u64>();

/// The exchanges of this rank.
#[derive(Default)]
pub struct Exchanges {
    /// The number of exchanges that this rank has entered.
    entered: AtomicU32,
    /// Arrived messages, by exchange and step.
    arrived: Mutex<HashMap<(u32, u32), Arrival>>,
}

/// The message of a step; complete once `got` equals its length.
#[derive(Default)]
struct Arrival {
    bytes: Vec<u8>,
    got: usize,
}

impl Job {
    /// Allgather over all ranks of the job: returns the words of each rank. Called by all ranks in the same order;
    /// polls.
    pub fn exchange<const N: usize>(&self, mine: [u64; N]) -> Vec<[u64; N]> {
        let state = &self.coll.startup;
        let exchange = state.entered.fetch_add(1, Ordering::Relaxed);
        let size = self.size as usize;
        // The words of the ranks from this one on, cyclically.
        let mut have: Vec<u8> = mine.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let mut schedule = Schedule::new(self.me.index(), size);
        while let Some(round) = schedule.next() {
            self.send_step(JobRank(round.to), exchange, round.number, Src::of(&have[..round.members * N * WORD]));
            let key = (exchange, round.number);
            let is_complete = |arrival: &Arrival| arrival.got == arrival.bytes.len();
            self.wait_for(|| Note::Start, || state.arrived.lock().get(&key).is_some_and(is_complete));
            have.extend(state.arrived.lock().remove(&key).unwrap_or_default().bytes);
            schedule.complete(round);
        }
        let mut all = vec![[0; N]; size];
        for (index, bytes) in have.chunks_exact((N * WORD).max(1)).enumerate() {
            let words = &mut all[(self.me.index() + index) % size];
            for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(WORD)) {
                *word = u64::from_ne_bytes(bytes.try_into().unwrap_or_default());
            }
        }
        all
    }

    fn send_step(&self, to: JobRank, exchange: u32, step: u32, bytes: Src<'_>) {
        let piece = self.am.limits.medium;
        for from in (0..bytes.len().max(1)).step_by(piece) {
            let part = bytes.part(from, piece.min(bytes.len() - from));
            let args = [exchange as i32, step as i32, from as i32, bytes.len() as i32];
            self.am_request(to, table::EXCHANGE, Payload::Medium(part), &args);
        }
    }
}

/// Request: a piece of the message of step (args 1) of exchange (args 0), at offset (args 2) of (args 3) bytes.
pub fn on_exchange(_token: &Token, msg: Msg<'_>) {
    let (at, all) = (msg.args[2] as usize, msg.args[3] as usize);
    let mut arrived = job().coll.startup.arrived.lock();
    let arrival: &mut Arrival = arrived.entry((msg.args[0] as u32, msg.args[1] as u32)).or_default();
    arrival.bytes.resize(all, 0);
    mem::read(&mut arrival.bytes[at..at + msg.nbytes], amref::payload(&msg));
    arrival.got += msg.nbytes;
}
