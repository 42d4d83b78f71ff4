//! The window of a team's small collectives: number n uses place n % P of the P places of the block once all members have
//! finished number n - P. Each member publishes the number of those that it has finished. A member that finds
//! no free place is noted as starved and may sleep; a member that finishes a collective while others are starved
//! wakes these.

use crate::sync::atomic::{AtomicU64, Ordering};

/// The members that wait for a place, in shared memory: a bit for each of the first 64, and the number of the others.
#[derive(Clone, Copy)]
pub(crate) struct Starved<'a> {
    pub first: &'a AtomicU64,
    pub others: &'a AtomicU64,
}

/// The members that must be woken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct StarvedMembers {
    first: u64,
    others: bool,
}

impl StarvedMembers {
    pub(crate) fn are_none(self) -> bool {
        self == StarvedMembers::default()
    }

    /// Whether `member` may be one of them.
    pub(crate) fn has(self, member: usize) -> bool {
        if member < 64 { self.first >> member & 1 != 0 } else { self.others }
    }
}

impl Starved<'_> {
    fn change(self, me: usize, starves: bool) {
        let bit = 1u64.checked_shl(me as u32).unwrap_or_default();
        let _ = match (me < 64, starves) {
            (true, true) => self.first.fetch_or(bit, Ordering::Relaxed),
            (true, false) => self.first.fetch_and(!bit, Ordering::Relaxed),
            (false, true) => self.others.fetch_add(1, Ordering::Relaxed),
            (false, false) => self.others.fetch_sub(1, Ordering::Relaxed),
        };
    }

    fn members(self) -> StarvedMembers {
        StarvedMembers { first: self.first.load(Ordering::Relaxed), others: self.others.load(Ordering::Relaxed) != 0 }
    }
}

/// A member's knowledge of the other members' progress; protected by the member's lock.
#[derive(Default)]
pub(crate) struct Window {
    /// The number of collectives that all members had finished when this was last determined.
    finished_by_all: u64,
    /// The member that was found to lag last.
    laggard: usize,
    /// This member waits for others, and is one of the starved.
    starves: bool,
}

impl Window {
    /// Whether this member waits for a place.
    pub(crate) fn starves(&self) -> bool {
        self.starves
    }

    /// Whether all members have finished the previous user of `number`'s place, one of `places`. `finished`: how many each has
    /// finished; `by_all`: how many all have, at least; `me`: this member. Numbers requested never decrease. A thread that sleeps after
    /// it found none has announced itself since, and has looked again.
    #[inline]
    pub(crate) fn has_place<'a>(
        &mut self,
        number: u64,
        places: u64,
        finished: impl Iterator<Item = &'a AtomicU64> + Clone,
        by_all: &AtomicU64,
        me: usize,
        starved: Starved<'_>,
    ) -> bool {
        if number < self.finished_by_all + places {
            return true;
        }
        let has_place = self.finds_place(number, places, finished, by_all);
        // Only the member itself changes its bit or its part of the number, so a sleeping member is noted.
        if has_place == self.starves {
            self.starves = !has_place;
            starved.change(me, self.starves);
        }
        has_place
    }

    /// As `has_place`, after a look at `by_all`: a member that reads the counts of all others, a cache line each, publishes
    /// the least, so that the others need not.
    fn finds_place<'a>(
        &mut self,
        number: u64,
        places: u64,
        finished: impl Iterator<Item = &'a AtomicU64> + Clone,
        by_all: &AtomicU64,
    ) -> bool {
        // Acquire: with the Release below.
        self.finished_by_all = by_all.load(Ordering::Acquire);
        if number < self.finished_by_all + places {
            return true;
        }
        let from_laggard =
            finished.clone().enumerate().skip(self.laggard).chain(finished.enumerate().take(self.laggard));
        let mut least = u64::MAX;
        for (member, count) in from_laggard {
            // Acquire: with the Release in `finish`; those members have read the data that are overwritten next.
            let count = count.load(Ordering::Acquire);
            if number >= count + places {
                self.laggard = member;
                return false;
            }
            least = least.min(count);
        }
        self.finished_by_all = least;
        // Release: who reads it has seen what this member has seen.
        by_all.fetch_max(least, Ordering::AcqRel);
        true
    }
}

/// Publishes that this member, whose count is `mine`, has finished all small collectives below `first`. Returns
/// the members that are starved. `light_barrier` is that of the ranks' bells.
#[inline]
pub(crate) fn finish(
    mine: &AtomicU64,
    first: u64,
    starved: Starved<'_>,
    light_barrier: impl FnOnce(),
) -> StarvedMembers {
    // Release: with the Acquire in `has_place`; the data have been read and may be overwritten.
    mine.store(first, Ordering::Release);
    // With the heavy barrier of `Bell::arm`, after which a starved member checks again before it sleeps: either it
    // sees the store, or this member sees that it is starved.
    light_barrier();
    starved.members()
}
