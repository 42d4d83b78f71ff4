//! The words of combinations, which their senders write to the symmetric object of their receiver.

use super::slots::{COMBINED_WORDS, SlotLayout, tagged, untagged};
use crate::conduit::shared::combining::{Combining, WORDS, WordsTo};
use crate::mem::Dst;
use crate::sync::atomic::Ordering;

const _: () = assert!(2 * WORDS <= COMBINED_WORDS);

/// The combinations of one kind; this rank's part.
pub(crate) struct ShmemCombining {
    kind: usize,
    layout: SlotLayout,
    pub own: Combining,
}

/// Words for another rank, to be written at `offset` of its object.
pub(crate) struct ToWrite {
    pub to: u32,
    pub offset: usize,
    pub words: [u64; 2 * WORDS],
}

impl ShmemCombining {
    pub(crate) fn new(kind: usize, layout: SlotLayout, me: u32, size: u32) -> ShmemCombining {
        ShmemCombining { kind, layout, own: Combining::new(me, size) }
    }

    /// Enters the next combination.
    pub(crate) fn enter(&mut self, words: [i64; WORDS]) -> Option<ToWrite> {
        let out = self.own.enter(words)?;
        Some(self.to_write(&out))
    }

    fn to_write(&self, out: &WordsTo) -> ToWrite {
        let phase = self.own.entered();
        let offset = self.layout.combination_at(self.kind, out.round() as usize, phase);
        let mut words = [0; 2 * WORDS];
        for (pair, word) in words.chunks_exact_mut(2).zip(out.words) {
            (pair[0], pair[1]) = (tagged(phase, word as u32), tagged(phase, (word >> 32) as u32));
        }
        ToWrite { to: out.to, offset, words }
    }

    /// Combines the words of the present round, if they are in `object`, this rank's own; returns those of the next round.
    pub(crate) fn advance(&mut self, object: Dst<'_>) -> Option<ToWrite> {
        let (round, phase) = (self.own.awaited()?, self.own.entered());
        let offset = self.layout.combination_at(self.kind, round as usize, phase);
        let word = |at: usize| untagged(phase, object.part(offset + 8 * at, 8).word_64().load(Ordering::Acquire));
        let mut theirs = [0; WORDS];
        for (at, their) in theirs.iter_mut().enumerate() {
            *their = (u64::from(word(2 * at)?) | u64::from(word(2 * at + 1)?) << 32) as i64;
        }
        let out = self.own.combine(theirs)?;
        Some(self.to_write(&out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conduit::shared::combining::tests::{PHASES, judge, words_of};
    use crate::mem;
    use proptest::prelude::*;

    proptest! {
        /// Ranks take steps in any order; each gets the least of all, in each of several combinations.
        #[test]
        fn every_rank_gets_the_least(size in 1u32..12, steps in proptest::collection::vec(any::<u32>(), 0..4000)) {
            let layout = SlotLayout { depth: 1 };
            let mut objects = vec![vec![0u64; layout.head_at(crate::conduit::Traffic::Request, 0) / 8]; size as usize];
            let mut ranks: Vec<_> = (0..size).map(|me| ShmemCombining::new(1, layout, me, size)).collect();
            let mut results = vec![Vec::new(); size as usize];
            let rest = (0..size * 200).map(|at| at % size);
            for me in steps.into_iter().map(|step| step % size).chain(rest) {
                let rank = &mut ranks[me as usize];
                let out = if rank.own.awaited().is_some() {
                    rank.advance(mem::all_of(&mut objects[me as usize]))
                } else if rank.own.entered() < PHASES {
                    rank.enter(words_of(me, rank.own.entered()))
                } else {
                    None
                };
                results[me as usize].extend(rank.own.take());
                if let Some(ToWrite { to, offset, words }) = out {
                    objects[to as usize][offset / 8..][..words.len()].copy_from_slice(&words);
                }
            }
            judge(&results);
        }
    }
}
