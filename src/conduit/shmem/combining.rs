//! Combinations of words of all ranks by dissemination: in each round a rank writes its combined words to another rank, at twice the
//! distance of the round before. The least of words may be combined any number of times, so any number of ranks will do.

use super::slots::{COMBINED_WORDS, SlotLayout, tagged, untagged};
use crate::mem::Dst;
use crate::sync::atomic::Ordering;

const WORDS: usize = 3;
const _: () = assert!(2 * WORDS <= COMBINED_WORDS);

/// The combinations of one kind; this rank's part.
pub(crate) struct Combining {
    kind: usize,
    me: u32,
    size: u32,
    /// The number of the combination that this rank has entered last; 0 before the first.
    phase: u32,
    /// The next round, while one goes on.
    round: Option<u32>,
    words: [i64; WORDS],
    result: Option<[i64; WORDS]>,
}

/// Words for another rank, to be written at `offset` of its object.
pub(crate) struct ToWrite {
    pub to: u32,
    pub offset: usize,
    pub words: [u64; 2 * WORDS],
}

impl Combining {
    pub(crate) fn new(kind: usize, me: u32, size: u32) -> Combining {
        Combining { kind, me, size, phase: 0, round: None, words: [0; WORDS], result: None }
    }

    /// The number of combinations that this rank has entered.
    pub(crate) fn entered(&self) -> u32 {
        self.phase
    }

    /// Enters the next combination.
    pub(crate) fn enter(&mut self, words: [i64; WORDS], layout: SlotLayout) -> Option<ToWrite> {
        self.phase = self.phase.wrapping_add(1);
        (self.words, self.round) = (words, Some(0));
        self.step(layout)
    }

    /// The words of the present round, or the result.
    fn step(&mut self, layout: SlotLayout) -> Option<ToWrite> {
        let distance = 1u64 << self.round?;
        if distance >= u64::from(self.size) {
            (self.round, self.result) = (None, Some(self.words));
            return None;
        }
        let to = ((u64::from(self.me) + distance) % u64::from(self.size)) as u32;
        let offset = layout.combination_at(self.kind, self.round? as usize, self.phase);
        let mut words = [0; 2 * WORDS];
        for (pair, word) in words.chunks_exact_mut(2).zip(self.words) {
            (pair[0], pair[1]) = (tagged(self.phase, word as u32), tagged(self.phase, (word >> 32) as u32));
        }
        Some(ToWrite { to, offset, words })
    }

    /// Whether words of another rank are awaited.
    #[inline]
    pub(crate) fn is_waiting(&self) -> bool {
        self.round.is_some()
    }

    /// Combines the words of the present round, if they are in `object`, this rank's own; returns those of the next round.
    pub(crate) fn advance(&mut self, object: Dst<'_>, layout: SlotLayout) -> Option<ToWrite> {
        let round = self.round?;
        let offset = layout.combination_at(self.kind, round as usize, self.phase);
        let word = |at: usize| untagged(self.phase, object.part(offset + 8 * at, 8).word_64().load(Ordering::Acquire));
        let mut theirs = [0; WORDS];
        for (at, their) in theirs.iter_mut().enumerate() {
            *their = (u64::from(word(2 * at)?) | u64::from(word(2 * at + 1)?) << 32).cast_signed();
        }
        for (mine, their) in self.words.iter_mut().zip(theirs) {
            *mine = (*mine).min(their);
        }
        self.round = Some(round + 1);
        self.step(layout)
    }

    /// The result, given once.
    pub(crate) fn take(&mut self) -> Option<[i64; WORDS]> {
        self.result.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mem;
    use proptest::prelude::*;

    proptest! {
        /// Ranks take steps in any order; each gets the least of all, in each of several combinations.
        #[test]
        fn every_rank_gets_the_least(size in 1u32..12, steps in proptest::collection::vec(any::<u32>(), 0..4000)) {
            const PHASES: u32 = 5;
            let layout = SlotLayout { depth: 1 };
            let mut objects = vec![vec![0u64; layout.head_at(crate::conduit::Traffic::Request, 0) / 8]; size as usize];
            let mut ranks: Vec<_> = (0..size).map(|me| Combining::new(1, me, size)).collect();
            let mut results = vec![Vec::new(); size as usize];
            let word = |rank: u32, phase: u32| (i64::from(rank * 7919 + phase * 31) % 1009 - 500) << 20;
            let rest = (0..size * 200).map(|at| at % size);
            for me in steps.into_iter().map(|step| step % size).chain(rest) {
                let rank = &mut ranks[me as usize];
                let out = if rank.is_waiting() {
                    rank.advance(mem::all_of(&mut objects[me as usize]), layout)
                } else if rank.entered() < PHASES {
                    let mine = word(me, rank.entered());
                    rank.enter([mine, -mine, i64::from(me)], layout)
                } else {
                    None
                };
                results[me as usize].extend(rank.take());
                if let Some(ToWrite { to, offset, words }) = out {
                    objects[to as usize][offset / 8..][..words.len()].copy_from_slice(&words);
                }
            }
            for result in &results {
                prop_assert_eq!(result.len(), PHASES as usize);
                for (phase, got) in (0..).zip(result) {
                    let all = || (0..size).map(|rank| word(rank, phase));
                    prop_assert_eq!(*got, [all().min().unwrap(), all().map(|word| -word).min().unwrap(), 0]);
                }
            }
        }
    }
}
