//! How a team's shared memory is laid out: lines of words that one member writes and others read, then the stage,
//! where each member has slots for pieces of its vector.
//!
//! | lines | words |
//! |---|---|
//! | head | members that wait for a place in the window |
//! | one a member | small collectives that it has finished; whether it is done with the block |
//! | one a member | about the stage: `CAME` to `LIES_AT` |
//! | the barrier's | of `barrier::Shared` |
//! | for each place of the window: one a member, then counters, leaves first | came, or count and release; from word 2 on data |
//!
//! # Safety
//! A block lies in an arena, which all members have mapped for the job's life (`Block::new`). Words are only touched as
//! atomics; data of a line, and the stage, are views, whose writer is told by the words.
#![allow(unsafe_code)]

use super::window::WINDOW;
use crate::barrier;
use crate::mem::Dst;
use crate::os::shm::PAGE;
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::sync::padded::Padded;

/// Words of a line.
const WORDS: usize = 32;
/// A line's data follow its first words.
const DATA_AT: usize = 2;
/// Bytes of data that a line holds.
pub const DATA: usize = (WORDS - DATA_AT) * size_of::<u64>();
/// Up to so many members read each other's words; more use counters.
pub const FLAT: usize = 8;
/// Members or counters under one counter.
pub const FAN: usize = 8;
/// Slots of a member's ring on the stage.
pub const SLOTS: u64 = 8;
/// Bytes of a stage, as long as a slot is not smaller or larger than these.
const STAGE: usize = 2 << 20;
const SLOT: core::ops::RangeInclusive<usize> = 1024..=16 * 1024;
/// Words of a member about the stage: rounds up to which it has come to collectives; put its bytes on the stage;
/// reduced its part of all; read. Then where its bytes lie, if they are not on the stage.
pub const CAME: usize = 0;
pub const ENTERED: usize = 1;
pub const REDUCED: usize = 2;
pub const READ: usize = 3;
pub const LIES_AT: usize = 4;

pub type Line = Padded<[AtomicU64; WORDS]>;

/// What decides how long a block is.
#[derive(Clone, Copy)]
pub struct Shape {
    pub members: usize,
    pub has_stage: bool,
}

impl Shape {
    fn counters(self) -> usize {
        if self.members <= FLAT { 0 } else { barrier::levels(self.members).sum() }
    }

    fn place_lines(self) -> usize {
        self.members + self.counters()
    }

    /// Lines before those of the window.
    fn first_lines(self) -> usize {
        self.barrier_at() + barrier::area_bytes(self.members).div_ceil(size_of::<Line>())
    }

    fn barrier_at(self) -> usize {
        1 + 2 * self.members
    }

    fn lines(self) -> usize {
        self.first_lines() + WINDOW as usize * self.place_lines()
    }

    fn stage_at(self) -> usize {
        (self.lines() * size_of::<Line>()).next_multiple_of(PAGE)
    }

    /// Bytes of a slot.
    pub fn slot(self) -> usize {
        let slot = (STAGE / SLOTS as usize / self.members).clamp(*SLOT.start(), *SLOT.end());
        if self.has_stage { slot / SLOT.start() * SLOT.start() } else { 0 }
    }

    /// Bytes of the block.
    pub fn bytes(self) -> usize {
        self.stage_at() + SLOTS as usize * self.members * self.slot()
    }
}

/// One team's block.
#[derive(Clone, Copy)]
pub struct Block {
    base: *mut u8,
    pub shape: Shape,
}

// SAFETY: the memory is shared by processes as it is; the module's paragraph says who writes what.
unsafe impl Send for Block {}
// SAFETY: as for Send.
unsafe impl Sync for Block {}

impl Block {
    /// The block at `at` of an arena.
    pub fn new(arena: Dst<'static>, at: usize, shape: Shape) -> Block {
        let base = arena.part(at, shape.bytes()).as_ptr();
        assert!(base.cast::<Line>().is_aligned());
        Block { base, shape }
    }

    /// Makes all words zero.
    pub fn clear(&self) {
        for index in 0..self.shape.lines() {
            self.line(index).iter().for_each(|word| word.store(0, Ordering::Relaxed));
        }
    }

    fn line(&self, index: usize) -> &'static Line {
        assert!(index < self.shape.lines());
        // SAFETY: in bounds (checked), aligned (`new`), zero is a valid AtomicU64; mapped for good.
        unsafe { &*self.base.cast::<Line>().add(index) }
    }

    fn data_of(&self, index: usize) -> Dst<'static> {
        let line: *const Line = self.line(index);
        // SAFETY: DATA bytes behind the first words, inside the line.
        unsafe { Dst::new(line.cast_mut().cast::<u64>().add(DATA_AT).cast(), DATA) }
    }

    /// Members that wait for a place in the window.
    pub fn starved(&self) -> &'static AtomicU64 {
        &self.line(0)[0]
    }

    /// Small collectives that `member` has finished, in order.
    pub fn finished(&self, member: usize) -> &'static AtomicU64 {
        &self.line(1 + member)[0]
    }

    /// Nonzero once `member` is done with the block.
    pub fn left(&self, member: usize) -> &'static AtomicU64 {
        &self.line(1 + member)[1]
    }

    /// What `member` says of the stage: `CAME` to `LIES_AT`.
    pub fn stages(&self, member: usize) -> &'static [AtomicU64] {
        &self.line(1 + self.shape.members + member)[..=LIES_AT]
    }

    /// `barrier::area_bytes` of the members.
    pub fn barrier_area(&self) -> Dst<'static> {
        let at = self.shape.barrier_at() * size_of::<Line>();
        // SAFETY: `first_lines` reserves these bytes; mapped for good.
        unsafe { Dst::new(self.base.add(at).cast(), barrier::area_bytes(self.shape.members)) }
    }

    fn place(&self, number: u64) -> usize {
        self.shape.first_lines() + (number % WINDOW) as usize * self.shape.place_lines()
    }

    /// `member`'s word and data for small collective `number`.
    pub fn came(&self, number: u64, member: usize) -> (&'static AtomicU64, Dst<'static>) {
        let at = self.place(number) + member;
        (&self.line(at)[0], self.data_of(at))
    }

    /// A counter's count, the release word (of the last counter), and data.
    pub fn counter(&self, number: u64, index: usize) -> (&'static AtomicU64, &'static AtomicU64, Dst<'static>) {
        let at = self.place(number) + self.shape.members + index;
        (&self.line(at)[0], &self.line(at)[1], self.data_of(at))
    }

    /// The last counter, under which all are.
    pub fn top(&self, number: u64) -> (&'static AtomicU64, &'static AtomicU64, Dst<'static>) {
        self.counter(number, self.shape.counters() - 1)
    }

    /// `member`'s slot for `round`.
    pub fn stage(&self, round: u64, member: usize) -> Dst<'static> {
        let slot = self.shape.slot();
        assert!(member < self.shape.members && slot > 0);
        let at = self.shape.stage_at() + (member * SLOTS as usize + (round % SLOTS) as usize) * slot;
        // SAFETY: in bounds of the block (checked; `bytes`); mapped for good.
        unsafe { Dst::new(self.base.add(at).cast(), slot) }
    }
}
