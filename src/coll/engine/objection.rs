//! A block that is longer or shorter than its receiver expects: the ranks of the team call different collectives, or one with different
//! sizes. In a debug job the comparison of calls (`coll::check`) names both calls and their places, but over a network that loses packets
//! a block may arrive before the call of its sender: the objection waits for that message, and ends the job itself only if none comes.

use std::time::{Duration, Instant};

use crate::fatal::fatal;

/// The time in which the message with the other rank's call should arrive, lost packets included.
const EXPLAINED_BY: Duration = Duration::from_secs(5);

pub(super) struct Objection {
    since: Instant,
    number: u32,
    from: u32,
    sent: usize,
    expected: usize,
}

impl Objection {
    /// Rank `from` of the team sends a block of `sent` bytes for collective `number`; `expected` bytes are expected.
    pub(super) fn new(number: u32, from: u32, sent: usize, expected: usize) -> Objection {
        Objection { since: Instant::now(), number, from, sent, expected }
    }

    /// Whether no message has explained it in time.
    pub(super) fn is_late(&self) -> bool {
        self.since.elapsed() > EXPLAINED_BY
    }

    pub(super) fn end(&self) -> ! {
        fatal!(
            "collective {}: rank {} of the team sends {} bytes where {} are expected; do all ranks call the same with the same sizes?",
            self.number,
            self.from,
            self.sent,
            self.expected
        )
    }
}
