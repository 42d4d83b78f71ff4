//! Threads that the library of a network makes in a rank. They may poll all the time, which makes the rank neither one that computes
//! nor one that waits.

use super::board::Board;
use super::proc;
use super::record::Note;
use crate::os::process;

/// The threads of this process before the library of its network is loaded.
pub(crate) struct ThreadsBefore(Vec<i32>);

impl ThreadsBefore {
    pub(crate) fn now() -> ThreadsBefore {
        ThreadsBefore(proc::threads(process::pid()).iter().map(|thread| thread.tid).collect())
    }

    /// Records on the board, as threads of `rank`, those that have begun since, but for the ones of this library.
    pub(crate) fn record_later_ones(&self, rank: u32) {
        let Some(board) = Board::get() else { return };
        let me = process::thread_id();
        for thread in proc::threads(process::pid()) {
            let is_known = thread.tid == me || self.0.contains(&thread.tid);
            if !is_known && !proc::is_own_name(&thread.name) {
                if let Some(record) = board.new_record(rank, thread.tid) {
                    record.begin(&Note::Network);
                }
            }
        }
    }
}
