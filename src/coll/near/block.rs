//! The layout of a team's shared memory: lines of words that one member writes and others read, then the stage,
//! where each member has slots for pieces of its vector.
//!
//! | lines | words |
//! |---|---|
//! | head | members that wait for a place in the window: bits of the first 64, number of the others |
//! | one | number of small collectives that all members have finished, at least |
//! | one per member | number of small collectives that it has finished; whether it does not use the block any more |
//! | one per member | state of the stage: `CAME` to `EXPOSED_AT` |
//! | those of the barrier | of `barrier::Shared` |
//! | for each place of the window: one per member, then counters, those of members first, then the count of the last | arrival, or count and release; from word 2 on data |
//!
//! # Safety
//! A block lies in an arena, which all members have mapped for the lifetime of the job (`Block::new`). Words are
//! accessed only as atomics; data of a line, and the stage, are views, and the words determine their writer.
#![allow(unsafe_code)]

use super::arena::UNIT;
use super::sizes::{DATA, DATA_AT, FLAT, LINES, PLACES, SLOT, SLOTS, STAGE, WORDS};
use super::window::Starved;
use crate::barrier;
use crate::mem::Dst;
use crate::sync::atomic::AtomicU64;
use crate::sync::padded::Padded;

/// A member's words about the stage. The first four count rounds: up to which it has entered collectives (`CAME`),
/// has written its bytes to the stage (`ENTERED`), has reduced its slice (`REDUCED`), has read (`READ`). The last
/// word is the address of its source buffer if it exposes that in place, else 0.
pub(crate) const CAME: usize = 0;
pub(crate) const ENTERED: usize = 1;
pub(crate) const REDUCED: usize = 2;
pub(crate) const READ: usize = 3;
pub(crate) const EXPOSED_AT: usize = 4;

pub(crate) type BlockLine = Padded<[AtomicU64; WORDS]>;

/// The parameters that determine the layout of a block.
#[derive(Clone, Copy)]
pub struct BlockShape {
    pub members: usize,
    pub has_stage: bool,
}

impl BlockShape {
    fn counters(self) -> usize {
        if self.members <= FLAT { 0 } else { barrier::levels(self.members).sum() }
    }

    /// The maximum number of small collectives in flight, a power of two. With more of them, a member that nobody waits for runs further ahead, and
    /// members that share cores have more to do in each of their turns.
    pub fn places(self) -> u64 {
        let most = if self.has_stage { LINES / self.members } else { 0 }.clamp(*PLACES.start(), *PLACES.end());
        1 << most.ilog2()
    }

    fn place_lines(self) -> usize {
        let counters = self.counters();
        self.members + counters + usize::from(counters > 0)
    }

    /// The number of lines before those of the window.
    fn first_lines(self) -> usize {
        self.barrier_at() + barrier::area_bytes(self.members).div_ceil(size_of::<BlockLine>())
    }

    fn barrier_at(self) -> usize {
        2 + 2 * self.members
    }

    fn lines(self) -> usize {
        self.first_lines() + self.places() as usize * self.place_lines()
    }

    fn stage_at(self) -> usize {
        self.line_bytes().next_multiple_of(UNIT)
    }

    /// The size of a slot, in bytes.
    pub fn slot(self) -> usize {
        let slot = (STAGE / SLOTS as usize / self.members).clamp(*SLOT.start(), *SLOT.end());
        if self.has_stage { slot / SLOT.start() * SLOT.start() } else { 0 }
    }

    /// The size of the block, in bytes.
    pub fn bytes(self) -> usize {
        self.stage_at() + SLOTS as usize * self.members * self.slot()
    }

    /// The size of the largest block of teams of up to `most` members, in bytes, and that of its lines: those of a
    /// smaller team may be larger.
    pub fn most_bytes(most: usize, has_stage: bool) -> (usize, usize) {
        let shapes = (1..=most).map(|members| BlockShape { members, has_stage });
        shapes.fold((0, 0), |most, shape| (most.0.max(shape.bytes()), most.1.max(shape.line_bytes())))
    }

    fn line_bytes(self) -> usize {
        self.lines() * size_of::<BlockLine>()
    }
}

/// One team's block. The numbers of lines are those of its shape, which each collective would compute again and again.
#[derive(Clone, Copy)]
pub struct Block {
    base: *mut u8,
    pub shape: BlockShape,
    lines: usize,
    first_lines: usize,
    place_lines: usize,
    places: u64,
}

// SAFETY: the memory is shared between processes anyway; the module's paragraph states which member writes which
// part.
unsafe impl Send for Block {}
// SAFETY: as for Send.
unsafe impl Sync for Block {}

impl Block {
    /// The block at `at` of an arena.
    pub fn new(arena: Dst<'static>, at: usize, shape: BlockShape) -> Block {
        let base = arena.part(at, shape.bytes()).as_ptr();
        assert!(base.cast::<BlockLine>().is_aligned());
        let (lines, first_lines) = (shape.lines(), shape.first_lines());
        Block { base, shape, lines, first_lines, place_lines: shape.place_lines(), places: shape.places() }
    }

    fn line(&self, index: usize) -> &'static BlockLine {
        assert!(index < self.lines);
        // SAFETY: in bounds (checked), aligned (`new`), any value is a valid AtomicU64; never unmapped.
        unsafe { &*self.base.cast::<BlockLine>().add(index) }
    }

    fn data_of(&self, index: usize) -> Dst<'static> {
        let line: *const BlockLine = self.line(index);
        // SAFETY: DATA bytes after the first words, inside the line.
        unsafe { Dst::new(line.cast_mut().cast::<u64>().add(DATA_AT).cast(), DATA) }
    }

    /// The maximum number of small collectives in flight.
    pub fn places(&self) -> u64 {
        self.places
    }

    /// The members that wait for a place in the window.
    pub(crate) fn starved(&self) -> Starved<'static> {
        let line = self.line(0);
        Starved { first: &line[0], others: &line[1] }
    }

    /// A number of small collectives that all members have finished.
    pub(crate) fn finished_by_all(&self) -> &'static AtomicU64 {
        &self.line(1)[0]
    }

    /// The number of small collectives that `member` has finished, in order.
    pub fn finished(&self, member: usize) -> &'static AtomicU64 {
        &self.line(2 + member)[0]
    }

    /// Nonzero once `member` does not use the block any more.
    pub fn left(&self, member: usize) -> &'static AtomicU64 {
        &self.line(2 + member)[1]
    }

    /// `member`'s words about the stage: `CAME` to `EXPOSED_AT`.
    pub fn stages(&self, member: usize) -> &'static [AtomicU64] {
        &self.line(2 + self.shape.members + member)[..=EXPOSED_AT]
    }

    /// The memory of the barrier, of `barrier::area_bytes` bytes.
    pub fn barrier_area(&self) -> Dst<'static> {
        let at = self.shape.barrier_at() * size_of::<BlockLine>();
        // SAFETY: `first_lines` reserves these bytes; never unmapped.
        unsafe { Dst::new(self.base.add(at).cast(), barrier::area_bytes(self.shape.members)) }
    }

    fn place(&self, number: u64) -> usize {
        self.first_lines + (number & (self.places - 1)) as usize * self.place_lines
    }

    /// `member`'s word and data for small collective `number`.
    pub fn came(&self, number: u64, member: usize) -> (&'static AtomicU64, Dst<'static>) {
        let at = self.place(number) + member;
        (&self.line(at)[0], self.data_of(at))
    }

    /// A counter's count, the release word (of the last counter), and data. All members look at the last one's release word, so that
    /// its count is in a line of its own.
    pub fn counter(&self, number: u64, index: usize) -> (&'static AtomicU64, &'static AtomicU64, Dst<'static>) {
        let at = self.place(number) + self.shape.members + index;
        let count = if index + 1 == self.shape.counters() { at + 1 } else { at };
        (&self.line(count)[0], &self.line(at)[1], self.data_of(at))
    }

    /// The root of the tree of counters.
    pub fn top(&self, number: u64) -> (&'static AtomicU64, &'static AtomicU64, Dst<'static>) {
        self.counter(number, self.shape.counters() - 1)
    }

    /// `member`'s slot for `round`.
    pub fn stage(&self, round: u64, member: usize) -> Dst<'static> {
        let slot = self.shape.slot();
        assert!(member < self.shape.members && slot > 0);
        let at = self.shape.stage_at() + (member * SLOTS as usize + (round % SLOTS) as usize) * slot;
        // SAFETY: in bounds of the block (checked; `bytes`); never unmapped.
        unsafe { Dst::new(self.base.add(at).cast(), slot) }
    }
}
