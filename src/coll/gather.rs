//! Everybody's bytes to everybody of a team, by messages alone, in the steps of `exchange.rs`; each member's bytes may
//! have another length. What team operations need before there is anything else.

use crate::am::{Msg, Payload, Token, table};
use crate::coll::Arrival;
use crate::job::{Job, job};
use crate::mem::{self, Src};
use crate::progress::waits::Note;
use crate::rma::amref;
use crate::sync::atomic::Ordering;
use crate::team::Team;

/// A member's bytes travel behind their length.
const LENGTH: usize = size_of::<u32>();

impl Job {
    /// Gives `mine` and returns what each member of `team` gave, by rank. All members call it in the same order; polls.
    pub fn team_gather(&self, team: &Team, mine: &[u8]) -> Vec<Vec<u8>> {
        let round = team.gathers.fetch_add(1, Ordering::Relaxed);
        let (size, me) = (team.size() as usize, team.rank() as usize);
        // What the members from this one on gave, counting round.
        let mut have = (mine.len() as u32).to_ne_bytes().to_vec();
        have.extend_from_slice(mine);
        // Where each one's bytes end.
        let mut ends = vec![have.len()];
        while ends.len() < size {
            let members = ends.len();
            let step = members.trailing_zeros();
            let wanted = members.min(size - members);
            let to = team.job_rank(((me + size - members) % size) as u32);
            let bytes = Src::of(&have[..ends[wanted - 1]]);
            for from in (0..bytes.len()).step_by(self.am.limits.medium) {
                let part = bytes.part(from, self.am.limits.medium.min(bytes.len() - from));
                let id = team.id();
                let args = [(id >> 32) as i32, id as i32, round as i32, step as i32, from as i32, bytes.len() as i32];
                self.am_request(to, table::GATHER, Payload::Medium(part), &args);
            }
            let key = (team.id(), round, step);
            self.wait_for(
                || Note::Start,
                || self.coll.gathers.lock().get(&key).is_some_and(|a| a.got == a.bytes.len()),
            );
            let theirs = self.coll.gathers.lock().remove(&key).unwrap_or_default().bytes;
            let start = have.len();
            have.extend(theirs);
            let mut at = start;
            while let Some(length) = have.get(at..at + LENGTH) {
                at += LENGTH + u32::from_ne_bytes(length.try_into().unwrap_or_default()) as usize;
                ends.push(at);
            }
        }
        let mut all = vec![Vec::new(); size];
        let mut start = 0;
        for (index, &end) in ends.iter().enumerate() {
            all[(me + index) % size] = have[start + LENGTH..end].to_vec();
            start = end;
        }
        all
    }
}

/// Request: a piece of step (args 3) of gather (args 2) of team (args 0, 1), at (args 4) of (args 5) bytes.
pub fn on_gather(_token: &Token, msg: Msg<'_>) {
    let id = u64::from(msg.args[0] as u32) << 32 | u64::from(msg.args[1] as u32);
    let (at, all) = (msg.args[4] as usize, msg.args[5] as usize);
    let mut gathers = job().coll.gathers.lock();
    let arrival: &mut Arrival = gathers.entry((id, msg.args[2] as u32, msg.args[3] as u32)).or_default();
    arrival.bytes.resize(all, 0);
    mem::read(&mut arrival.bytes[at..at + msg.nbytes], amref::payload(&msg));
    arrival.got += msg.nbytes;
}
