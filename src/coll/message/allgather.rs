//! Allgather by messages: Bruck's algorithm (Bruck et al., "Efficient algorithms for all-to-all communications in
//! multiport message-passing systems", concatenation). In round i each member sends all blocks that it has to the
//! member 2^i before it, and receives those of the member 2^i after it. No member completes before all have
//! entered, so an allgather of zero bytes is a barrier.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::coll::engine::{Mailbox, Steps};
use crate::coll::shares::Shares;
use crate::mem::{self, Dst, Src};

/// The state of a member in the algorithm.
pub struct Schedule {
    me: usize,
    size: usize,
    /// The number of members whose blocks have arrived: this member and those after it, cyclically.
    have: usize,
}

/// A round of the algorithm.
#[derive(Clone, Copy)]
pub struct Round {
    pub number: u32,
    pub to: u32,
    pub from: u32,
    /// The number of members whose blocks are sent, and received.
    pub members: usize,
}

impl Schedule {
    pub fn new(me: usize, size: usize) -> Schedule {
        Schedule { me, size, have: 1 }
    }

    /// The next round; None at the end.
    pub fn next(&self) -> Option<Round> {
        let (me, size, have) = (self.me, self.size, self.have);
        (have < size).then(|| Round {
            number: have.trailing_zeros(),
            to: ((me + size - have) % size) as u32,
            from: ((me + have) % size) as u32,
            members: have.min(size - have),
        })
    }

    /// The blocks of `round` have arrived.
    pub fn complete(&mut self, round: Round) {
        self.have += round.members;
    }
}

enum AllgatherEnd {
    Words(Arc<Mutex<Vec<u64>>>),
    Place(Dst<'static>),
}

/// The state machine.
pub(crate) struct Allgather {
    schedule: Schedule,
    shares: Shares,
    /// This member's block, until the first step has copied it.
    src: Option<Src<'static>>,
    /// The blocks of `schedule.have` members.
    have: Vec<u8>,
    cleared: bool,
    sent: bool,
    end: AllgatherEnd,
}

impl Allgather {
    /// The same number of words of each member.
    pub(crate) fn of_words(me: usize, size: usize, mine: &[u64], all: Arc<Mutex<Vec<u64>>>) -> Allgather {
        let mut have = vec![0; size_of_val(mine)];
        mem::read(&mut have, mem::words_of(mine));
        let (schedule, shares) = (Schedule::new(me, size), Shares::even(have.len()));
        Allgather { schedule, shares, src: None, have, cleared: false, sent: false, end: AllgatherEnd::Words(all) }
    }

    /// Each member's `src` to its block of every member's `dst`.
    pub(crate) fn of_parts(me: usize, size: usize, shares: Shares, dst: Dst<'static>, src: Src<'static>) -> Allgather {
        let (schedule, have, end) = (Schedule::new(me, size), Vec::new(), AllgatherEnd::Place(dst));
        Allgather { schedule, shares, src: Some(src), have, cleared: false, sent: false, end }
    }

    /// The bytes of the blocks of `count` members from `first` on, cyclically.
    fn bytes(&self, first: usize, count: usize) -> usize {
        (first..first + count).map(|member| self.shares.len(member % self.schedule.size)).sum()
    }

    fn finish(&mut self) {
        let (me, size) = (self.schedule.me, self.schedule.size);
        let before_wrap = self.bytes(me, size - me);
        self.have.rotate_left(before_wrap);
        match &self.end {
            AllgatherEnd::Place(dst) => mem::copy(*dst, Src::of(&self.have)),
            AllgatherEnd::Words(all) => {
                let mut words = vec![0; self.have.len() / size_of::<u64>()];
                mem::read_words(&mut words, Src::of(&self.have));
                *all.lock() = words;
            }
        }
    }
}

impl Steps for Allgather {
    fn step(&mut self, mail: &Mailbox<'_>) -> bool {
        if let Some(src) = self.src.take() {
            self.have.resize(src.len(), 0);
            mem::read(&mut self.have, src);
        }
        while let Some(round) = self.schedule.next() {
            if !self.cleared {
                mail.clear_to_send(round.from, round.number, self.bytes(round.from as usize, round.members));
                self.cleared = true;
            }
            if !self.sent {
                let mine = self.bytes(self.schedule.me, round.members);
                if !mail.send(round.to, round.number, Src::of(&self.have[..mine])) {
                    return false;
                }
                self.sent = true;
            }
            let Some(theirs) = mail.take(round.from, round.number) else { return false };
            let from = self.have.len();
            self.have.resize(from + theirs.src().len(), 0);
            mem::read(&mut self.have[from..], theirs.src());
            self.schedule.complete(round);
            (self.cleared, self.sent) = (false, false);
        }
        self.finish();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_counted_around_the_end() {
        let all = Arc::default();
        let steps = Allgather::of_words(2, 5, &[7; 3], all);
        for (first, count) in [(0, 0), (0, 5), (2, 1), (2, 3), (4, 3), (1, 4)] {
            assert_eq!(steps.bytes(first, count), 24 * count);
        }
    }

    #[test]
    fn every_member_gets_all_blocks_in_the_minimum_number_of_rounds() {
        for size in 1..40 {
            let mut walks: Vec<_> = (0..size).map(|me| (Schedule::new(me, size), vec![me])).collect();
            let mut steps = 0;
            while let Some(round) = walks[0].0.next() {
                let before: Vec<_> = walks.iter().map(|(_, have)| have.clone()).collect();
                for (me, (schedule, have)) in walks.iter_mut().enumerate() {
                    let mine = schedule.next().unwrap();
                    assert_eq!((mine.number, mine.members), (round.number, round.members));
                    assert_eq!(
                        Schedule { me: mine.from as usize, size, have: schedule.have }.next().unwrap().to as usize,
                        me
                    );
                    have.extend(&before[mine.from as usize][..mine.members]);
                    schedule.complete(mine);
                }
                steps += 1;
            }
            assert_eq!(steps, usize::BITS - (size - 1).leading_zeros());
            for (me, (_, have)) in walks.iter().enumerate() {
                assert_eq!(*have, (0..size).map(|index| (me + index) % size).collect::<Vec<_>>());
            }
        }
    }
}
