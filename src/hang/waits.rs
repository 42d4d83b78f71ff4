//! The waits of this process's threads. A thread that has waited for a short time writes a description of the wait to its
//! record on the board, and removes it when the wait ends.

use core::cell::Cell;

use super::board::Board;
pub(crate) use super::record::Note;
use super::record::Record;
use crate::os::process;
use crate::os::thread_end;

thread_local! {
    static MINE: Cell<Option<&'static Record>> = const { Cell::new(None) };
}

fn mine(rank: u32) -> Option<&'static Record> {
    MINE.get().or_else(|| find(rank))
}

#[cold]
fn find(rank: u32) -> Option<&'static Record> {
    let record = Board::get()?.new_record(rank, process::thread_id())?;
    MINE.set(Some(record));
    thread_end::at_end(leave);
    Some(record)
}

/// Releases this thread's record. If the thread continues, it gets one again.
fn leave() {
    if let Some(record) = MINE.take() {
        record.release();
    }
}

/// This thread of `rank` begins the wait `note`.
pub(crate) fn begin(rank: u32, note: &Note<'_>) {
    if let Some(record) = mine(rank) {
        record.begin(note);
    }
}

/// This thread polls.
#[cold]
pub(crate) fn polled(rank: u32) {
    if let Some(record) = mine(rank) {
        record.count_poll();
    }
}

/// Ends the wait that this thread began last.
pub(crate) fn end(rank: u32) {
    if let Some(record) = mine(rank) {
        record.end();
    }
}
