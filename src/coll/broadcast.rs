//! Broadcast down a binomial tree, in Medium pieces; a piece that comes before its rank has entered is kept.

use crate::am::{Msg, Payload, Token, table};
use crate::job::{Job, JobRank, job};
use crate::mem::{self, Dst, Src};
use crate::rma::amref;
use crate::sync::atomic::Ordering;

/// The children of a rank that is `place` ranks after the root, largest subtree first.
fn children(place: u32, ranks: u32) -> impl Iterator<Item = u32> {
    let below = if place == 0 { ranks.next_power_of_two() } else { 1 << place.trailing_zeros() };
    let steps = below.trailing_zeros();
    (0..steps)
        .rev()
        .map(move |bit| u64::from(place) + (1 << bit))
        .filter(move |&to| to < u64::from(ranks))
        .map(|to| to as u32)
}

impl Job {
    /// Copies `src` of `root` to `dst` on every rank. `src` matters on the root only. With `all_in` nothing moves before
    /// all have entered, with `all_out` nobody returns before all is done. Blocks, and polls.
    pub fn broadcast(&self, dst: Dst<'_>, root: JobRank, src: Src<'_>, all_in: bool, all_out: bool) {
        const CALL: &str = "gasnet_coll_broadcast";
        if all_in {
            self.barrier_inside(CALL);
        }
        let number = self.coll.entered.fetch_add(1, Ordering::Relaxed);
        if root == self.me {
            if src.as_ptr() != dst.as_ptr().cast_const() {
                mem::copy(dst, src);
            }
            self.pass_on(number, root, src);
        } else if !dst.is_empty() {
            self.wait_until(|| self.coll.arrived.lock().get(&number).is_some_and(|a| a.got == dst.len()));
            let arrival = self.coll.arrived.lock().remove(&number).unwrap_or_default();
            let bytes = Src::of(&arrival.bytes);
            mem::copy(dst, bytes);
            self.pass_on(number, root, bytes);
        }
        if all_out {
            self.barrier_inside(CALL);
        }
    }

    fn pass_on(&self, number: u32, root: JobRank, bytes: Src<'_>) {
        let place = (self.me.0 + self.size - root.0) % self.size;
        for child in children(place, self.size) {
            let to = JobRank((child + root.0) % self.size);
            let most = self.am.limits.medium;
            for from in (0..bytes.len()).step_by(most) {
                let piece = bytes.part(from, most.min(bytes.len() - from));
                let (at, all) = (from as u64, bytes.len() as u64);
                let args = [number as i32, (at >> 32) as i32, at as i32, (all >> 32) as i32, all as i32];
                self.am_request(to, table::COLL_PIECE, Payload::Medium(piece), &args);
            }
        }
    }
}

/// Request: a piece of collective (args 0), at (args 1, 2) of (args 3, 4) bytes.
pub fn on_piece(_token: &Token, msg: Msg<'_>) {
    let whole = |high: i32, low: i32| (high as u32 as usize) << 32 | low as u32 as usize;
    let (at, all) = (whole(msg.args[1], msg.args[2]), whole(msg.args[3], msg.args[4]));
    let mut arrived = job().coll.arrived.lock();
    let arrival = arrived.entry(msg.args[0] as u32).or_default();
    arrival.bytes.resize(all, 0);
    mem::read(&mut arrival.bytes[at..at + msg.nbytes], amref::payload(&msg));
    arrival.got += msg.nbytes;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rank_but_the_root_has_one_parent() {
        for ranks in 1..70 {
            let mut parents = vec![0; ranks as usize];
            for place in 0..ranks {
                for child in children(place, ranks) {
                    parents[child as usize] += 1;
                }
            }
            assert_eq!(parents[0], 0);
            assert!(parents[1..].iter().all(|&n| n == 1), "{ranks}: {parents:?}");
        }
    }
}
