//! Nudges. Where no descriptor wakes ranks, one that has waited for long polls only now and then. Over a provider whose transfers need calls
//! of their target, puts and gets would take as long, and the target does not see them. So a rank one of whose transfers takes unusually
//! long sends an empty message to the targets of all that are in flight. A target then polls without pauses for a while, as after any message.

/// Polls without the end of a transfer before the first nudge, at least; a poll takes a third of a microsecond over tcp.
const FIRST: u32 = 64;
/// The same in multiples of the polls that a transfer usually takes.
const UNUSUAL: u32 = 4;
/// A transfer counts at most as this many polls in the average.
const MOST_USUAL: u32 = 2048;
/// Polls between two nudges, at most.
const MOST: u32 = 1 << 20;

/// The pace of a rank's transfers.
#[derive(Default)]
pub(crate) struct Nudges {
    /// Transfers that had ended when this was last looked at; polls since, and polls since the last nudge.
    ended: u64,
    polls: u32,
    since: u32,
    /// Polls until the next nudge.
    patience: u32,
    nudged: bool,
    /// Eight times the polls from the end of one transfer to that of the next, on average.
    usual: u32,
    pub sent: u64,
}

impl Nudges {
    /// A poll during transfers, of which `ended` have ended in all. Returns whether a nudge is due.
    #[inline]
    pub(super) fn polled(&mut self, ended: u64) -> bool {
        if ended != self.ended {
            let polls = self.polls.min(MOST_USUAL);
            // Those that were nudged count less, as few targets sleep; but if all take so long, that is usual.
            self.usual = match self.nudged {
                false => self.usual - self.usual / 8 + polls,
                true => self.usual - self.usual / 64 + polls / 8,
            };
            let patience = (self.usual / 8 * UNUSUAL).max(FIRST);
            *self = Nudges { ended, polls: 0, since: 0, patience, nudged: false, ..*self };
            return false;
        }
        self.polls = self.polls.saturating_add(1);
        self.since += 1;
        if self.since < self.patience.max(FIRST) {
            return false;
        }
        self.patience = self.patience.max(FIRST).saturating_mul(2).min(MOST);
        (self.since, self.nudged) = (0, true);
        self.sent += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of nudges in this number of polls.
    fn nudges(of: &mut Nudges, ended: u64, polls: u32) -> usize {
        (0..polls).filter(|_| of.polled(ended)).count()
    }

    #[test]
    fn a_transfer_that_takes_unusually_long_is_nudged_more_and_more_seldom() {
        let mut pace = Nudges::default();
        // Usual ones, each of 50 polls.
        for ended in 1..1000 {
            assert_eq!(nudges(&mut pace, ended, 51), 0);
        }
        assert_eq!(nudges(&mut pace, 1000, 150), 0);
        assert_eq!(nudges(&mut pace, 1000, 100), 1);
        assert!((1..12).contains(&nudges(&mut pace, 1000, 1_000_000)));
        // It has not become usual.
        assert_eq!(nudges(&mut pace, 1001, 150), 0);
        assert_eq!(nudges(&mut pace, 1001, 250), 1);
    }

    #[test]
    fn slow_transfers_become_usual() {
        let mut pace = Nudges::default();
        let mut of_these =
            |ended: core::ops::Range<u64>| ended.map(|ended| nudges(&mut pace, ended, 300)).sum::<usize>();
        assert!(of_these(1..50) > 10);
        assert_eq!(of_these(100..200), 0);
    }
}
