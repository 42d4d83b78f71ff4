//! The barrier of ranks that share memory. For few ranks, each writes its word on a cache line of its own and reads
//! those of all others, so two ranks transfer one line in each direction. For many ranks, there is a tree of counters
//! with eight children each; the rank that completes the root writes the word on which all ranks wait, so that, if
//! ranks share cores, each has to run once per barrier. Two phases use different words, since a rank is at most one
//! phase ahead.
//!
//! # Safety
//! The area is a view for the lifetime of the job whose length and alignment are checked here; it is zeroed, shared by
//! all ranks, and accessed only by this file, as atomics, for which every value is valid.
#![allow(unsafe_code)]

use crate::defs::rank::NodeRank;
use crate::job::Job;
use crate::mem::Dst;
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::sync::padded::Padded;

use super::names::{Names, PhaseWord};

/// Up to this number of ranks read each other's words; more ranks use the tree.
const FLAT_RANKS: usize = 8;
/// The number of children of a counter.
const FAN: usize = 8;

/// A rank's words, of even and of odd phases. Alone on its lines.
pub(super) type WordLine = Padded<[AtomicU64; 2]>;

/// The number of counters at each level of a tree over `ranks`, the lowest level first.
pub(crate) fn levels(ranks: usize) -> impl Iterator<Item = usize> {
    let mut below = ranks;
    core::iter::from_fn(move || {
        (below > 1).then(|| {
            below = below.div_ceil(FAN);
            below
        })
    })
}

pub(super) fn lines(ranks: usize) -> usize {
    if ranks <= FLAT_RANKS { ranks } else { 1 + levels(ranks).sum::<usize>() }
}

/// The size of the shared memory for the barrier of `ranks`, in bytes.
pub fn area_bytes(ranks: usize) -> usize {
    (lines(ranks) + 1) * size_of::<WordLine>()
}

/// The lines of `area`, of `area_bytes(ranks)` bytes.
fn lines_of(area: Dst<'static>, ranks: u32) -> &'static [WordLine] {
    let first = area.part(0, area_bytes(ranks as usize)).as_ptr().cast::<WordLine>();
    assert!(first.is_aligned());
    // SAFETY: long enough and aligned (checked), never unmapped (`Dst::new`); the module's paragraph.
    unsafe { core::slice::from_raw_parts(first, lines(ranks as usize) + 1) }
}

/// A word of `area` that the stage below does not use.
pub(crate) fn spare_word(area: Dst<'static>, ranks: u32) -> &'static AtomicU64 {
    &lines_of(area, ranks)[lines(ranks as usize)][0]
}

pub(crate) struct SharedStage {
    /// Flat: one line per rank. Tree: the release word, then the counters, the lowest level first.
    area: &'static [WordLine],
    me: u32,
    ranks: u32,
    /// The ranks of a team's members; None for all ranks of the nbrhd, in their order.
    members: Option<Box<[NodeRank]>>,
}

/// A counter: the number of arrivals (from bit 40), and their combined names (34 bits).
fn counter(count: u64, names: Names) -> u64 {
    let (state, id) = names.pack();
    count << 40 | u64::from(state) << 32 | u64::from(id as u32)
}

impl SharedStage {
    /// `area`: `area_bytes` zeroed bytes.
    pub(crate) fn new(area: Dst<'static>, me: NodeRank, ranks: u32) -> SharedStage {
        let area = &lines_of(area, ranks)[..lines(ranks as usize)];
        SharedStage { area, me: me.0, ranks, members: None }
    }

    /// The same for a team of `members`, of which this is `me`.
    pub(crate) fn of_team(area: Dst<'static>, me: usize, members: &[NodeRank]) -> SharedStage {
        SharedStage {
            members: Some(members.into()),
            ..SharedStage::new(area, NodeRank(me as u32), members.len() as u32)
        }
    }

    fn flat(&self) -> bool {
        self.ranks as usize <= FLAT_RANKS
    }

    #[inline]
    pub(crate) fn notify(&self, job: &Job, phase: u32, names: Names) {
        if self.arrive(phase, names) {
            self.wake(job);
        }
    }

    /// Publishes this rank's arrival; returns true if other ranks may complete the barrier now.
    #[inline]
    pub(super) fn arrive(&self, phase: u32, names: Names) -> bool {
        if self.flat() {
            // Release: with the Acquire in `look`, all accesses before the notify are visible after the wait.
            self.area[self.me as usize][phase as usize & 1].store(PhaseWord::new(phase, names).0, Ordering::Release);
            true
        } else {
            self.climb(phase, names)
        }
    }

    /// Counts this rank in its group, and, if it is the last of the group, the group in the one above, and so on.
    /// Returns true if it has released all ranks.
    fn climb(&self, phase: u32, mut names: Names) -> bool {
        let mut at = self.me as usize;
        let mut below = self.ranks as usize;
        let mut level = 1;
        for width in levels(below) {
            let group = at / FAN;
            let full = (below - group * FAN).min(FAN) as u64;
            let word = &self.area[level + group][0];
            let mut seen = word.load(Ordering::Relaxed);
            loop {
                let count = (seen >> 40) + 1;
                let joined = Names::unpack((seen >> 32) as u32 & 3, seen as i32).join(names);
                // The last arrival resets the counter for the next phase, which no rank can enter before the
                // release.
                let next = if count == full { 0 } else { counter(count, joined) };
                // AcqRel: the last arrival sees all earlier accesses of its group, and publishes them upwards.
                match word.compare_exchange_weak(seen, next, Ordering::AcqRel, Ordering::Relaxed) {
                    Ok(_) if count < full => return false,
                    Ok(_) => {
                        names = joined;
                        break;
                    }
                    Err(now) => seen = now,
                }
            }
            level += width;
            below = width;
            at = group;
        }
        // Release: with the Acquire in `look`.
        self.area[0][0].store(PhaseWord::new(phase, names).0, Ordering::Release);
        true
    }

    #[inline]
    pub(crate) fn look(&self, phase: u32) -> Option<Names> {
        if !self.flat() {
            return PhaseWord(self.area[0][0].load(Ordering::Acquire)).names(phase);
        }
        let mut all = Names::Anonymous;
        for line in self.area {
            all = all.join(PhaseWord(line[phase as usize & 1].load(Ordering::Acquire)).names(phase)?);
        }
        Some(all)
    }

    /// Wakes sleeping ranks; costs one load per rank if no rank sleeps.
    #[inline]
    fn wake(&self, job: &Job) {
        for rank in 0..self.ranks {
            if rank != self.me {
                job.wake_rank(self.members.as_ref().map_or(NodeRank(rank), |members| members[rank as usize]));
            }
        }
    }
}
