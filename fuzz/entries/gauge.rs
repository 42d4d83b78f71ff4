//! The bytes that the code under test holds: an allocator that counts a thread's allocations and frees while it says
//! so. Blocks that are allocated inside and freed outside, or the other way round, must be kept apart by the user of this.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
    static COUNTS: Cell<bool> = const { Cell::new(false) };
}

struct Gauge;

#[global_allocator]
static GAUGE: Gauge = Gauge;

fn count(bytes: isize) {
    if COUNTS.get() {
        HELD.set(HELD.get() + bytes);
        MOST.set(MOST.get().max(HELD.get()));
    }
}

// SAFETY: the system's allocator does the work; this only counts.
unsafe impl GlobalAlloc for Gauge {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller's promise, passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the caller's promise, passed on.
        unsafe { System.dealloc(at, layout) }
    }
}

/// Counts the bytes that `what` allocates and frees.
pub fn inside<T>(what: impl FnOnce() -> T) -> T {
    let before = COUNTS.replace(true);
    let value = what();
    COUNTS.set(before);
    value
}

/// Does not count, for a call back out of the counted code.
pub fn outside<T>(what: impl FnOnce() -> T) -> T {
    let before = COUNTS.replace(false);
    let value = what();
    COUNTS.set(before);
    value
}

/// Begins at zero.
pub fn reset() {
    HELD.set(0);
    MOST.set(0);
    COUNTS.set(false);
}

/// Bytes held now, and at most since `reset`.
pub fn held() -> (isize, isize) {
    (HELD.get(), MOST.get())
}
