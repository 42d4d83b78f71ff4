//! The barrier by Active Messages along a tree: a rank tells its parent once it and all ranks below it have arrived; the root then
//! releases its children, and these release theirs. With a single level it is the central barrier (`AMCENTRAL`). Of n ranks all together send
//! 2 (n - 1) messages, beside n log2 n of a dissemination, and each message can carry the acknowledgement of the one in the other direction:
//! less work for the cores, but more messages one after the other. Handlers only record arrivals; waits, tries and polls send.

use parking_lot::Mutex;

use crate::am::library;
use crate::defs::message::Payload;
use crate::defs::rank::JobRank;
use crate::job::Job;
use crate::sync::atomic::{AtomicU64, Ordering};

use super::names::{Names, PhaseWord};
use super::progress::ProgressAt;

/// The most children of a rank, except in the central barrier.
const CHILDREN: u32 = 16;

pub(crate) struct BarrierTree {
    /// The ranks that take part; None: all.
    members: Option<Box<[u32]>>,
    /// The index of this rank among them, their number, and the most children of a rank.
    me: u32,
    ranks: u32,
    radix: u32,
    /// The number of arrivals in the current phase, of this rank and of its children, and their combined names.
    count: Mutex<(u32, Names)>,
    /// [`PhaseWord`] of the last phase in which all of these have arrived.
    full: AtomicU64,
    /// [`PhaseWord`] of the last phase from which the parent has released this rank.
    released: AtomicU64,
    at: ProgressAt<BarrierTreeAt>,
}

/// The last phases: that this rank has entered; whose arrivals it has reported to its parent; from which it has released its children.
#[derive(Default)]
struct BarrierTreeAt {
    entered: u32,
    told: u32,
    released: u32,
}

/// The indices of the children of rank number `me` of `ranks`.
fn children(me: u32, ranks: u32, radix: u32) -> core::ops::Range<u32> {
    let first = u64::from(me) * u64::from(radix) + 1;
    let bounded = |index: u64| index.min(ranks.into()) as u32;
    bounded(first)..bounded(first + u64::from(radix))
}

impl BarrierTree {
    /// The barrier of all ranks, with all others below rank 0.
    pub(crate) fn central(me: JobRank, ranks: u32) -> BarrierTree {
        BarrierTree::of(None, me.0, ranks, ranks)
    }

    /// A barrier of some ranks only, of which this is number `me`.
    pub(crate) fn among(members: Box<[u32]>, me: u32) -> BarrierTree {
        let ranks = members.len() as u32;
        BarrierTree::of(Some(members), me, ranks, CHILDREN)
    }

    pub(super) fn of(members: Option<Box<[u32]>>, me: u32, ranks: u32, radix: u32) -> BarrierTree {
        BarrierTree {
            members,
            me,
            ranks,
            radix,
            count: Mutex::new((0, Names::Anonymous)),
            full: AtomicU64::new(0),
            released: AtomicU64::new(0),
            at: ProgressAt::new(BarrierTreeAt::default()),
        }
    }

    fn send(&self, job: &Job, to: u32, handler: u8, phase: u32, names: Names) {
        let to = self.members.as_ref().map_or(to, |members| members[to as usize]);
        let (state, id) = names.pack();
        job.am_request(JobRank(to), handler, Payload::None, &[phase as i32, state as i32, id]);
    }

    pub(crate) fn notify(&self, job: &Job, phase: u32, names: Names) {
        self.at.enter().entered = phase;
        self.arrive(phase, names);
        self.look(job, phase);
    }

    /// This rank, or a child and all ranks below it, have arrived.
    pub(crate) fn arrive(&self, phase: u32, names: Names) {
        let all = children(self.me, self.ranks, self.radix).len() as u32 + 1;
        let mut count = self.count.lock();
        let (came, joined) = (count.0 + 1, count.1.join(names));
        if came < all {
            *count = (came, joined);
        } else {
            *count = (0, Names::Anonymous);
            // Release: with the Acquire in `advance_at`.
            self.full.store(PhaseWord::new(phase, joined).0, Ordering::Release);
        }
    }

    /// The parent has released this rank.
    pub(crate) fn hear(&self, word: PhaseWord) {
        // Release: with the Acquire in `advance_at`.
        self.released.store(word.0, Ordering::Release);
    }

    /// Sends the messages that are due; returns the combined names of all ranks once they are known.
    pub(crate) fn look(&self, job: &Job, phase: u32) -> Option<Names> {
        // Otherwise a poll of another thread ran between the two halves of notify.
        self.at.alone(job, |at| if at.entered == phase { self.advance_at(job, at) } else { None })
    }

    /// As `look`, but first enters `phase` with `names` if this rank has not; runs `then` at the end, with the lock held.
    pub(crate) fn advance(&self, job: &Job, phase: u32, names: Names, then: impl FnOnce(Names)) -> Option<Names> {
        self.at.alone(job, |at| {
            if phase == at.entered.wrapping_add(1) {
                at.entered = phase;
                self.arrive(phase, names);
            } else if phase != at.entered {
                return None; // a poll on another thread that was overtaken
            }
            let names = self.advance_at(job, at)?;
            then(names);
            Some(names)
        })
    }

    fn advance_at(&self, job: &Job, at: &mut BarrierTreeAt) -> Option<Names> {
        let phase = at.entered;
        let names = |word: &AtomicU64| PhaseWord(word.load(Ordering::Acquire)).names(phase);
        let of_all = if self.me == 0 { &self.full } else { &self.released };
        if self.me != 0 && at.told != phase {
            let below = names(&self.full)?;
            at.told = phase;
            self.send(job, (self.me - 1) / self.radix, library::BARRIER_ARRIVE, phase, below);
        }
        let of_all = names(of_all)?;
        if at.released != phase {
            at.released = phase;
            for child in children(self.me, self.ranks, self.radix) {
                self.send(job, child, library::BARRIER_RELEASE, phase, of_all);
            }
        }
        Some(of_all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rank_but_the_root_is_the_child_of_its_parent() {
        for (ranks, radix) in [(1, 1), (2, 1), (2, 16), (7, 2), (16, 16), (17, 16), (64, 16), (300, 16), (300, 300)] {
            let mut found = vec![0; ranks as usize];
            for me in 0..ranks {
                for child in children(me, ranks, radix) {
                    assert_eq!((child - 1) / radix, me);
                    found[child as usize] += 1;
                }
            }
            assert_eq!(found[0], 0);
            assert!(found[1..].iter().all(|&times| times == 1), "{ranks} ranks, {radix} children");
        }
    }
}
