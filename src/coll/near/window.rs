//! The window of a team's small collectives: number n uses place n % WINDOW of the block, once all members have finished
//! number n - WINDOW. Each member tells how many it has finished; one that finds no place free counts itself as starved and
//! may sleep, and a member that finishes while others starve wakes them.

use crate::sync::atomic::{AtomicU64, Ordering};

/// Small collectives that may be in flight.
pub const WINDOW: u64 = 4;

/// What one member knows of the others, behind its lock.
#[derive(Default)]
pub struct Window {
    /// All members have finished so many, at the last look.
    finished_by_all: u64,
    /// This member waits for others to finish, and is counted in `starved`.
    starves: bool,
}

impl Window {
    /// Whether this member waits for a place.
    pub fn starves(&self) -> bool {
        self.starves
    }

    /// Whether all members have finished the previous user of `number`'s place. `finished`: how many each has finished;
    /// `starved`: how many members wait for a place. Numbers asked for never decrease. A thread that sleeps after it found
    /// none has announced itself since, and has looked again.
    #[inline]
    pub fn has_place<'a>(
        &mut self,
        number: u64,
        finished: impl Iterator<Item = &'a AtomicU64>,
        starved: &AtomicU64,
    ) -> bool {
        if number < self.finished_by_all + WINDOW {
            return true;
        }
        // Acquire: with the Release in `finish`; those members have read what is overwritten next.
        self.finished_by_all = finished.map(|member| member.load(Ordering::Acquire)).min().unwrap_or_default();
        let has_place = number < self.finished_by_all + WINDOW;
        // Members count themselves, and nobody else takes them off the count: a sleeping member is on it.
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

/// This member, whose count is `mine`, has finished all small ones below `first`; true if members starve, which are then to
/// be woken. `light_barrier`: that of the ranks' bells.
#[inline]
pub fn finish(mine: &AtomicU64, first: u64, starved: &AtomicU64, light_barrier: impl FnOnce()) -> bool {
    // Release: with the Acquire in `has_place`; what was read may be overwritten.
    mine.store(first, Ordering::Release);
    // With the heavy barrier of `Bell::arm`, after which a starving member looks again before it sleeps: either it sees the
    // store, or this member sees that it starves.
    light_barrier();
    starved.load(Ordering::Relaxed) != 0
}
