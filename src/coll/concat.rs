//! Everybody's bytes to everybody, by messages (Bruck and others, "Efficient algorithms for all-to-all communications in
//! multiport message-passing systems", the concatenation): in step i a member sends the one 2^i before it all that it
//! has, and so it gets what the one 2^i after it has. Nobody is done before all have entered, so one of nothing is a
//! barrier.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::coll::engine::{Desk, Steps};
use crate::coll::shares::Shares;
use crate::mem::{self, Dst, Src};

/// How far a member is.
pub struct Walk {
    me: usize,
    size: usize,
    /// Members whose bytes are here: this one and those after it, counting round.
    have: usize,
}

/// The next step.
#[derive(Clone, Copy)]
pub struct Hop {
    pub number: u32,
    pub to: u32,
    pub from: u32,
    /// How many members' bytes go, and come.
    pub wanted: usize,
}

impl Walk {
    pub fn new(me: usize, size: usize) -> Walk {
        Walk { me, size, have: 1 }
    }

    /// None at the end.
    pub fn next(&self) -> Option<Hop> {
        let (me, size, have) = (self.me, self.size, self.have);
        (have < size).then(|| Hop {
            number: have.trailing_zeros(),
            to: ((me + size - have) % size) as u32,
            from: ((me + have) % size) as u32,
            wanted: have.min(size - have),
        })
    }

    /// What `hop` brings is here.
    pub fn took(&mut self, hop: Hop) {
        self.have += hop.wanted;
    }
}

enum End {
    Words(Arc<Mutex<Vec<u64>>>),
    Place(Dst<'static>),
}

/// All members' parts, as one collective.
pub struct Concat {
    walk: Walk,
    shares: Shares,
    /// What this member gives, until the first step.
    src: Option<Src<'static>>,
    /// The bytes of `walk.have` members.
    have: Vec<u8>,
    welcomed: bool,
    sent: bool,
    end: End,
}

impl Concat {
    /// As many words of each member.
    pub fn of_words(me: usize, size: usize, mine: &[u64], all: Arc<Mutex<Vec<u64>>>) -> Concat {
        let mut have = vec![0; size_of_val(mine)];
        mem::read(&mut have, mem::words_of(mine));
        let (walk, shares) = (Walk::new(me, size), Shares::even(have.len()));
        Concat { walk, shares, src: None, have, welcomed: false, sent: false, end: End::Words(all) }
    }

    /// Each member's `src` to its part of everybody's `dst`.
    pub fn of_parts(me: usize, size: usize, shares: Shares, dst: Dst<'static>, src: Src<'static>) -> Concat {
        let (walk, have, end) = (Walk::new(me, size), Vec::new(), End::Place(dst));
        Concat { walk, shares, src: Some(src), have, welcomed: false, sent: false, end }
    }

    /// Bytes of `count` members from `first` on, counting round.
    fn bytes(&self, first: usize, count: usize) -> usize {
        (first..first + count).map(|member| self.shares.len(member % self.walk.size)).sum()
    }

    fn finish(&mut self) {
        let (me, size) = (self.walk.me, self.walk.size);
        let before_wrap = self.bytes(me, size - me);
        self.have.rotate_left(before_wrap);
        match &self.end {
            End::Place(dst) => mem::copy(*dst, Src::of(&self.have)),
            End::Words(all) => {
                let mut words = vec![0; self.have.len() / size_of::<u64>()];
                mem::read_words(&mut words, Src::of(&self.have));
                *all.lock() = words;
            }
        }
    }
}

impl Steps for Concat {
    fn step(&mut self, desk: &Desk<'_>) -> bool {
        if let Some(src) = self.src.take() {
            self.have.resize(src.len(), 0);
            mem::read(&mut self.have, src);
        }
        while let Some(hop) = self.walk.next() {
            if !self.welcomed {
                desk.welcome(hop.from, hop.number, self.bytes(hop.from as usize, hop.wanted));
                self.welcomed = true;
            }
            if !self.sent {
                let mine = self.bytes(self.walk.me, hop.wanted);
                if !desk.send(hop.to, hop.number, Src::of(&self.have[..mine])) {
                    return false;
                }
                self.sent = true;
            }
            let Some(theirs) = desk.take(hop.from, hop.number) else { return false };
            let from = self.have.len();
            self.have.resize(from + theirs.src().len(), 0);
            mem::read(&mut self.have[from..], theirs.src());
            self.walk.took(hop);
            (self.welcomed, self.sent) = (false, false);
        }
        self.finish();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_gets_everybodys_in_as_few_steps_as_can_be() {
        for size in 1..40 {
            let mut walks: Vec<_> = (0..size).map(|me| (Walk::new(me, size), vec![me])).collect();
            let mut steps = 0;
            while let Some(hop) = walks[0].0.next() {
                let before: Vec<_> = walks.iter().map(|(_, have)| have.clone()).collect();
                for (me, (walk, have)) in walks.iter_mut().enumerate() {
                    let mine = walk.next().unwrap();
                    assert_eq!((mine.number, mine.wanted), (hop.number, hop.wanted));
                    assert_eq!(Walk { me: mine.from as usize, size, have: walk.have }.next().unwrap().to as usize, me);
                    have.extend(&before[mine.from as usize][..mine.wanted]);
                    walk.took(mine);
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
