//! The window of a team's small collectives: number n uses place n % WINDOW of the block once all members have
//! finished number n - WINDOW. Each member publishes the number of those that it has finished. A member that finds
//! no free place is counted as starved and may sleep; a member that finishes a collective while others are starved
//! wakes them.

use crate::sync::atomic::{AtomicU64, Ordering};

/// The maximum number of small collectives in flight.
pub(crate) const WINDOW: u64 = 4;

/// A member's knowledge of the other members' progress; protected by the member's lock.
#[derive(Default)]
pub(crate) struct Window {
    /// The number of collectives that all members had finished when this was last determined.
    finished_by_all: u64,
    /// This member waits for others, and is counted in `starved`.
    starves: bool,
}

impl Window {
    /// Whether this member waits for a place.
    pub(crate) fn starves(&self) -> bool {
        self.starves
    }

    /// Whether all members have finished the previous user of `number`'s place. `finished`: how many each has finished;
    /// `starved`: how many members wait for a place. Numbers request for never decrease. A thread that sleeps after it found
    /// none has announced itself since, and has looked again.
    #[inline]
    pub(crate) fn has_place<'a>(
        &mut self,
        number: u64,
        finished: impl Iterator<Item = &'a AtomicU64>,
        starved: &AtomicU64,
    ) -> bool {
        if number < self.finished_by_all + WINDOW {
            return true;
        }
        // Acquire: with the Release in `finish`; those members have read the data that are overwritten next.
        self.finished_by_all = finished.map(|member| member.load(Ordering::Acquire)).min().unwrap_or_default();
        let has_place = number < self.finished_by_all + WINDOW;
        // Only the member itself changes its contribution to the count, so a sleeping member is counted.
        if has_place == self.starves {
            self.starves = !has_place;
            let _ = if has_place {
                starved.fetch_sub(1, Ordering::Relaxed)
            } else {
                starved.fetch_add(1, Ordering::Relaxed)
            };
        }
        has_place
    }
}

/// Publishes that this member, whose count is `mine`, has finished all small collectives below `first`. Returns
/// true if members are starved and must be woken. `light_barrier` is that of the ranks' bells.
#[inline]
pub(crate) fn finish(mine: &AtomicU64, first: u64, starved: &AtomicU64, light_barrier: impl FnOnce()) -> bool {
    // Release: with the Acquire in `has_place`; the data have been read and may be overwritten.
    mine.store(first, Ordering::Release);
    // With the heavy barrier of `Bell::arm`, after which a starved member checks again before it sleeps: either it
    // sees the store, or this member sees that it is starved.
    light_barrier();
    starved.load(Ordering::Relaxed) != 0
}
