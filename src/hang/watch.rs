//! Detection of a job without progress: no message is handled, no barrier completes and no wait ends in any rank of
//! the host.

use std::time::Duration;

use crate::os::sleep::now_ns;
use crate::sync::atomic::Ordering;

use super::board::Board;
use super::record::{Note, RecordedWait};

/// A host's observation of its ranks over the time limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Standstill {
    /// There was no progress for the whole time.
    pub still: bool,
    /// A thread waits in the library.
    pub waiting: bool,
}

pub(crate) struct Watch {
    board: &'static Board,
    limit_ns: u64,
    seen: u64,
    since_ns: u64,
    said: Standstill,
}

impl Watch {
    pub(crate) fn new(board: &'static Board, limit: Duration) -> Watch {
        let said = Standstill { still: false, waiting: false };
        Watch { board, limit_ns: limit.as_nanos() as u64, seen: 0, since_ns: now_ns(), said }
    }

    /// Checks; returns the observation if it has changed since it was returned last.
    pub(crate) fn look(&mut self) -> Option<Standstill> {
        let seen = self.sign();
        let now = now_ns();
        if seen != self.seen {
            self.seen = seen;
            self.since_ns = now;
        }
        let still = now - self.since_ns >= self.limit_ns;
        let standstill = Standstill { still, waiting: still && self.anybody_waits() };
        (standstill != self.said).then(|| {
            self.said = standstill;
            standstill
        })
    }

    /// A number that changes with each progress.
    fn sign(&self) -> u64 {
        let mut sign = 0u64;
        for rank in 0..self.board.ranks() {
            let marks = self.board.marks(rank);
            for word in [&marks.beat, &marks.notified, &marks.completed] {
                sign =
                    sign.rotate_left(7).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ u64::from(word.load(Ordering::Relaxed));
            }
        }
        sign
    }

    /// Receive threads and those of networks always wait; the former count with a wait in a handler.
    fn anybody_waits(&self) -> bool {
        let counts = |waiting: &RecordedWait| !matches!(waiting.note(), Some(Note::Messages | Note::Network));
        (0..self.board.ranks())
            .any(|rank| self.board.records(rank).iter().any(|record| record.waits().iter().any(counts)))
    }
}
