//! Per-peer counters of messages. Always on: a count is a load and a store on a line of the counting thread's own,
//! beside the cost of the message itself. If several threads of a rank count, each has a row of its own; threads
//! for which no row is free share the last one and use a locked instruction.
//!
//! # Safety
//! Cells lie on the board (`Counts::new`), which stays for the job's life, and are atomics: two threads that counted in one
//! row would only lose counts.
#![allow(unsafe_code)]

use crate::os::{cpu, thread_end};
use crate::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// The number of rows that threads have for themselves, and that number in jobs of many ranks.
pub(crate) const SHARDS: usize = 16;
pub(crate) const SHARDS_OF_MANY: usize = 4;

pub(crate) const REQUEST: usize = 0;
pub(crate) const REPLY: usize = 1;

/// The counts of one thread (or of all threads without a row) for one peer. Counts wrap around.
#[repr(C, align(32))]
#[derive(Default)]
pub(crate) struct Cell {
    /// Requests and replies to the peer.
    pub sent: [AtomicU32; 2],
    /// Messages from the peer: received from the ring or the network, and completely handled.
    pub taken: [AtomicU32; 2],
    pub handled: [AtomicU32; 2],
    /// The clock at which the last message was sent.
    pub sent_at: AtomicU32,
    unused: AtomicU32,
}

/// The counters of a rank.
#[derive(Clone, Copy)]
pub struct Counts {
    first: *const Cell,
    /// The number of cells of a row.
    row: usize,
    /// The number of rows that threads have for themselves, a power of two; the shared row follows them. 0 if one thread
    /// counts at a time.
    own_rows: usize,
    clock: &'static AtomicU32,
}

// SAFETY: everything behind the pointer is atomic.
unsafe impl Send for Counts {}
// SAFETY: as for Send.
unsafe impl Sync for Counts {}

/// The owners of rows: a pointer that is unique for each living thread. Rows are released when their thread ends.
static OWNERS: [AtomicUsize; SHARDS] = [const { AtomicUsize::new(0) }; SHARDS];

/// A cell in which this thread may count.
#[derive(Clone, Copy)]
pub struct Tally<'a> {
    cell: &'a Cell,
    row: usize,
    shared: bool,
}

#[inline]
fn bump(count: &AtomicU32) {
    count.store(count.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
}

impl Tally<'_> {
    /// The row of this thread, below [`SHARDS`], which no other living thread has; None if it shares one.
    #[inline]
    pub fn own_row(&self) -> Option<usize> {
        (!self.shared).then_some(self.row)
    }

    #[inline]
    fn count(&self, count: &AtomicU32) {
        if self.shared {
            count.fetch_add(1, Ordering::Relaxed);
        } else {
            bump(count);
        }
    }

    /// A message of this traffic was received.
    #[inline]
    pub fn taken(&self, traffic: usize) {
        self.count(&self.cell.taken[traffic]);
    }

    /// Its handler has returned.
    #[inline]
    pub fn handled(&self, traffic: usize) {
        self.count(&self.cell.handled[traffic]);
    }
}

impl Counts {
    /// # Safety
    /// `rows` rows of `row` cells, zeroed at first, lie at `first` for the job's life.
    pub(super) unsafe fn new(first: *const Cell, row: usize, rows: usize, clock: &'static AtomicU32) -> Counts {
        Counts { first, row, own_rows: rows - 1, clock }
    }

    /// The cell in which this thread counts messages with `peer`.
    #[inline(always)]
    pub fn tally(&self, peer: u32) -> Tally<'static> {
        assert!((peer as usize) < self.row);
        let (row, shared) = if self.own_rows == 0 { (0, false) } else { self.row_of_thread() };
        // A branch of its own for one thread: no multiplication.
        let at = if row == 0 { peer as usize } else { row * self.row + peer as usize };
        // SAFETY: `row` is at most `own_rows`, the last row there is, and `peer` inside the row (checked): `new`.
        Tally { cell: unsafe { &*self.first.add(at) }, row, shared }
    }

    #[inline]
    fn row_of_thread(&self) -> (usize, bool) {
        let thread = cpu::this_thread();
        let row = (thread >> 8).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56 & (self.own_rows - 1);
        if OWNERS[row].load(Ordering::Relaxed) == thread { (row, false) } else { self.settle(row, thread) }
    }

    #[cold]
    fn settle(&self, row: usize, thread: usize) -> (usize, bool) {
        // Acquire: the counts of the previous thread with this pointer are visible.
        match OWNERS[row].compare_exchange(0, thread, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => {
                thread_end::at_end(leave);
                (row, false)
            }
            Err(owner) if owner == thread => (row, false),
            Err(_) => (self.own_rows, true),
        }
    }

    /// A message of this traffic is sent to `peer`.
    #[inline(always)]
    pub fn sent(&self, peer: u32, traffic: usize) {
        let tally = self.tally(peer);
        tally.count(&tally.cell.sent[traffic]);
        tally.cell.sent_at.store(self.clock.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

/// Releases this thread's row. If the thread continues, it gets a row again.
fn leave() {
    let thread = cpu::this_thread();
    if let Some(row) = OWNERS.iter().find(|owner| owner.load(Ordering::Relaxed) == thread) {
        // Release: with the Acquire in `settle`.
        row.store(0, Ordering::Release);
    }
}

/// The sums over all rows of a rank for one peer.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Sums {
    pub sent: [u32; 2],
    pub taken: [u32; 2],
    pub handled: [u32; 2],
    pub sent_at: u32,
}
