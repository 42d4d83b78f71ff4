//! The board: memory that the ranks of a host share with their warden, with the numbers of messages between ranks, the
//! waits of all threads and the progress of the barrier. Each word is written by one owner with plain stores, so the warden
//! can read it while a rank computes, sleeps or is stopped.
//!
//! # Safety
//! The board is zeroed memory of `BoardLayout::bytes` bytes (checked in `Board::place`) that is mapped before the ranks are forked
//! and stays for the job's life (promised by the creator of the view, `Nbrhd`'s region). All of it consists of atomics, for which
//! every value is valid.
#![allow(unsafe_code)]

use super::counts::{Cell, Counts, SHARDS, SHARDS_OF_MANY, Sums};
use super::record::Record;
use crate::mem::Dst;
use crate::os::shm::{PAGE, page_bytes};
use crate::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering};
use crate::sync::padded::Padded;
use std::sync::OnceLock;

/// The maximum number of threads of a rank whose waits are recorded.
const RECORDS: usize = 256;
/// The resolution of the clock for times of messages.
pub(crate) const TICK_MS: u64 = 250;
/// The maximum number of frames of a stack.
pub(crate) const MOST_FRAMES: usize = 48;

/// The offset in their pages of the words that every message writes. Not at the start of a page, where other shared
/// structures have theirs: lines with equal page offsets compete for the same set of the first-level cache.
const MARKS_IN_PAGE: usize = 0x580;
const CELLS_IN_PAGE: usize = 0xb00;

/// The words of the whole host.
#[repr(C)]
pub(super) struct BoardHead {
    _start: [Padded<AtomicU32>; 7],
    /// Ticks since the start, advanced by the warden.
    clock: Padded<AtomicU32>,
    /// Nonzero if a report was requested (ask.rs).
    pub(super) asked: Padded<AtomicU32>,
    pub(super) desk: Padded<StackDesk>,
}

/// The memory in which one thread at a time, on request, writes its stack.
#[repr(C)]
pub(super) struct StackDesk {
    /// The requested thread.
    pub(super) tid: AtomicI32,
    /// A futex: 0 no request, 1 requested, 2 writing, 3 written.
    pub(super) state: AtomicU32,
    pub(super) frames: AtomicU32,
    /// The address at which the thread was interrupted.
    pub(super) pc: AtomicU64,
    pub(super) stack: [AtomicU64; MOST_FRAMES],
}

/// A rank's own words.
#[repr(C)]
#[derive(Default)]
pub struct Marks {
    /// The barrier phase that the rank has entered last, and the one that it has completed last.
    pub notified: AtomicU32,
    pub completed: AtomicU32,
    /// Changes at each progress that changes none of the other words here.
    pub(super) beat: AtomicU32,
    /// 1 + the highest index of a record that was used.
    records: AtomicU32,
}

impl Marks {
    /// Records progress. A hint: concurrent updates of two threads may count once.
    #[inline]
    pub fn beat(&self) {
        self.beat.store(self.beat.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
    }

    #[cfg(test)]
    pub(crate) fn beat_count(&self) -> u32 {
        self.beat.load(Ordering::Relaxed)
    }
}

/// The layout of the board.
#[derive(Clone, Copy)]
pub(crate) struct BoardLayout {
    /// Ranks of the host and of the job.
    ranks: usize,
    size: usize,
    /// Rows of counters of each rank; the last one is for threads without a row of their own.
    rows: usize,
}

impl BoardLayout {
    /// `concurrent`: several threads of a rank count at the same time.
    pub(crate) fn new(ranks: u32, size: u32, concurrent: bool) -> BoardLayout {
        let rows = match concurrent {
            false => 1,
            true if size <= 64 => SHARDS + 1,
            true => SHARDS_OF_MANY + 1,
        };
        BoardLayout { ranks: ranks as usize, size: size as usize, rows }
    }

    fn row_bytes(&self) -> usize {
        (self.size * size_of::<Cell>()).next_multiple_of(PAGE)
    }

    fn records_at(&self) -> usize {
        MARKS_IN_PAGE + size_of::<Padded<Marks>>()
    }

    fn cells_at(&self) -> usize {
        (self.records_at() + RECORDS * size_of::<Record>()).next_multiple_of(PAGE) + CELLS_IN_PAGE
    }

    fn rank_bytes(&self) -> usize {
        (self.cells_at() + self.rows * self.row_bytes()).next_multiple_of(PAGE)
    }

    fn ranks_at(&self) -> usize {
        size_of::<BoardHead>().next_multiple_of(PAGE)
    }

    /// The size of the board in bytes; unused pages are never touched.
    pub(crate) fn bytes(&self) -> usize {
        self.ranks_at() + self.ranks * self.rank_bytes()
    }
}

/// The board of this host.
#[derive(Clone, Copy)]
pub(crate) struct Board {
    base: *mut u8,
    layout: BoardLayout,
}

// SAFETY: the address never changes; everything behind it is reached as atomics.
unsafe impl Send for Board {}
// SAFETY: as for Send.
unsafe impl Sync for Board {}

static BOARD: OnceLock<Board> = OnceLock::new();

impl Board {
    /// The board in `area`, zeroed and page aligned, before the ranks are forked.
    pub(crate) fn place(area: Dst<'static>, layout: BoardLayout) -> &'static Board {
        let base = area.part(0, layout.bytes()).as_ptr();
        // The kernel's page: it may be smaller than `PAGE`, and mappings begin at any of its multiples.
        assert!(base.addr() % page_bytes() == 0);
        BOARD.get_or_init(|| Board { base, layout })
    }

    /// The board, if it exists.
    pub(crate) fn get() -> Option<&'static Board> {
        BOARD.get()
    }

    fn at<T>(&self, offset: usize) -> &'static T {
        assert!(offset + size_of::<T>() <= self.layout.bytes() && offset % align_of::<T>() == 0);
        // SAFETY: in bounds and aligned (checked); the module's paragraph.
        unsafe { &*self.base.add(offset).cast::<T>() }
    }

    pub(super) fn head(&self) -> &'static BoardHead {
        self.at(0)
    }

    fn rank_at(&self, rank: u32) -> usize {
        assert!((rank as usize) < self.layout.ranks);
        self.layout.ranks_at() + rank as usize * self.layout.rank_bytes()
    }

    /// Ranks of the host, and of the job.
    pub(crate) fn ranks(&self) -> u32 {
        self.layout.ranks as u32
    }

    pub(crate) fn size(&self) -> u32 {
        self.layout.size as u32
    }

    /// The words of the host's rank `rank`.
    pub(crate) fn marks(&self, rank: u32) -> &'static Marks {
        self.at::<Padded<Marks>>(self.rank_at(rank) + MARKS_IN_PAGE)
    }

    /// The waits of `rank`'s threads.
    pub(crate) fn records(&self, rank: u32) -> &'static [Record] {
        let records: &'static [Record; RECORDS] = self.at(self.rank_at(rank) + self.layout.records_at());
        // The other records were never used.
        &records[..(self.marks(rank).records.load(Ordering::Acquire) as usize).min(RECORDS)]
    }

    /// Allocates a record of `rank` for the thread `tid`, if one is free.
    pub(super) fn new_record(&self, rank: u32, tid: i32) -> Option<&'static Record> {
        let records: &'static [Record; RECORDS] = self.at(self.rank_at(rank) + self.layout.records_at());
        let at = records.iter().position(|record| record.take(tid))?;
        self.marks(rank).records.fetch_max(at as u32 + 1, Ordering::AcqRel);
        Some(&records[at])
    }

    /// The counts of `rank` for `peer`, one cell per row.
    fn cells(&self, rank: u32, peer: u32) -> impl Iterator<Item = &'static Cell> {
        let first = self.rank_at(rank) + self.layout.cells_at() + peer as usize * size_of::<Cell>();
        (0..self.layout.rows).filter_map(move |row| {
            let at = first + row * self.layout.row_bytes();
            // Unused rows are not touched.
            self.is_there(at).then(|| self.at(at))
        })
    }

    fn is_there(&self, offset: usize) -> bool {
        let mut there = 0u8;
        let bytes = page_bytes();
        let page = self.base.wrapping_add(offset / bytes * bytes);
        // SAFETY: a page of the board, which is mapped, and a byte for it.
        unsafe { libc::mincore(page.cast(), bytes, &raw mut there) != 0 || there & 1 != 0 }
    }

    /// The counters of `rank`.
    pub(crate) fn counts(&self, rank: u32) -> Counts {
        let first: *const Cell = self.at(self.rank_at(rank) + self.layout.cells_at());
        let row = self.layout.row_bytes() / size_of::<Cell>();
        // SAFETY: `rank_bytes` has room for `rows` rows of that many bytes; the module's paragraph.
        unsafe { Counts::new(first, row, self.layout.rows, &self.head().clock) }
    }

    /// The counts of `rank` of this host for the job's rank `peer`.
    pub(crate) fn sums(&self, rank: u32, peer: u32) -> Sums {
        let mut sums = Sums::default();
        for cell in self.cells(rank, peer) {
            let add = |sums: &mut [u32; 2], counts: &[AtomicU32; 2]| {
                for (sum, count) in sums.iter_mut().zip(counts) {
                    *sum = sum.wrapping_add(count.load(Ordering::Relaxed));
                }
            };
            // The handled count first: a message that is handled meanwhile counts as in flight, and the difference
            // is never negative.
            add(&mut sums.handled, &cell.handled);
            add(&mut sums.taken, &cell.taken);
            add(&mut sums.sent, &cell.sent);
            sums.sent_at = sums.sent_at.max(cell.sent_at.load(Ordering::Relaxed));
        }
        sums
    }

    /// Ticks since the start.
    pub(crate) fn clock(&self) -> u32 {
        self.head().clock.load(Ordering::Relaxed)
    }

    /// For the warden: advances the clock by this number of ticks.
    pub(crate) fn set_clock(&self, ticks: u32) {
        self.head().clock.store(ticks, Ordering::Relaxed);
    }
}
