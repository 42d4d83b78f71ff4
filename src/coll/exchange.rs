//! Everybody's words to everybody before there is anything else than messages: `concat.rs` for start-up, between ranks
//! that have no team yet. Nobody returns before all have entered, so an exchange of nothing is a barrier.

use crate::am::{Msg, Payload, Token, table};
use crate::coll::Arrival;
use crate::coll::concat::Walk;
use crate::job::{Job, JobRank, job};
use crate::mem::{self, Src};
use crate::progress::waits::Note;
use crate::rma::amref;
use crate::sync::atomic::Ordering;

const WORD: usize = size_of::<u64>();

impl Job {
    /// Gives `mine` and returns what each rank gave. All ranks call it in the same order; polls.
    pub fn exchange<const N: usize>(&self, mine: [u64; N]) -> Vec<[u64; N]> {
        let round = self.coll.exchanges.fetch_add(1, Ordering::Relaxed);
        let size = self.size as usize;
        // What the ranks from this one on gave, counting round.
        let mut have: Vec<u8> = mine.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let mut walk = Walk::new(self.me.index(), size);
        while let Some(hop) = walk.next() {
            self.send_step(JobRank(hop.to), round, hop.number, Src::of(&have[..hop.wanted * N * WORD]));
            let key = (round, hop.number);
            self.wait_for(|| Note::Start, || self.coll.steps.lock().get(&key).is_some_and(|a| a.got == a.bytes.len()));
            have.extend(self.coll.steps.lock().remove(&key).unwrap_or_default().bytes);
            walk.took(hop);
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

    fn send_step(&self, to: JobRank, round: u32, step: u32, bytes: Src<'_>) {
        let piece = self.am.limits.medium;
        for from in (0..bytes.len().max(1)).step_by(piece) {
            let part = bytes.part(from, piece.min(bytes.len() - from));
            let args = [round as i32, step as i32, from as i32, bytes.len() as i32];
            self.am_request(to, table::EXCHANGE, Payload::Medium(part), &args);
        }
    }
}

/// Request: a piece of step (args 1) of exchange (args 0), at (args 2) of (args 3) bytes.
pub fn on_exchange(_token: &Token, msg: Msg<'_>) {
    let (at, all) = (msg.args[2] as usize, msg.args[3] as usize);
    let mut steps = job().coll.steps.lock();
    let arrival: &mut Arrival = steps.entry((msg.args[0] as u32, msg.args[1] as u32)).or_default();
    arrival.bytes.resize(all, 0);
    mem::read(&mut arrival.bytes[at..at + msg.nbytes], amref::payload(&msg));
    arrival.got += msg.nbytes;
}
