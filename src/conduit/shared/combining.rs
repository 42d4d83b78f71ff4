//! Combinations of words of all ranks by dissemination: in each round a rank sends its combined words to another rank, at twice the
//! distance of the round before. The least of words may be combined any number of times, so any number of ranks will do. No rank is
//! further ahead than one combination, so words are stored for two.

pub(crate) const WORDS: usize = 3;
/// Of a message's number: the bits of the round.
const ROUND_BITS: u32 = 5;

/// This rank's part.
pub(crate) struct Combining {
    me: u32,
    size: u32,
    /// The number of the combination that this rank has entered last; 0 before the first.
    phase: u32,
    /// The round whose words are awaited, while a combination goes on.
    round: Option<u32>,
    words: [i64; WORDS],
    /// Words that have come, by round and by the parity of their combination.
    come: Vec<[Option<[i64; WORDS]>; 2]>,
    result: Option<[i64; WORDS]>,
}

/// Words for another rank.
pub(crate) struct WordsTo {
    pub to: u32,
    /// Names the combination and the round.
    pub number: u32,
    pub words: [i64; WORDS],
}

impl WordsTo {
    pub(crate) fn round(&self) -> u32 {
        self.number & ((1 << ROUND_BITS) - 1)
    }
}

impl Combining {
    pub(crate) fn new(me: u32, size: u32) -> Combining {
        let rounds = size.max(1).next_power_of_two().ilog2() as usize;
        let come = vec![[None; 2]; rounds];
        Combining { me, size, phase: 0, round: None, words: [0; WORDS], come, result: None }
    }

    /// The number of combinations that this rank has entered.
    pub(crate) fn entered(&self) -> u32 {
        self.phase
    }

    /// The round whose words are awaited, while a combination goes on.
    #[inline]
    pub(crate) fn awaited(&self) -> Option<u32> {
        self.round
    }

    /// Enters the next combination.
    pub(crate) fn enter(&mut self, words: [i64; WORDS]) -> Option<WordsTo> {
        self.phase = self.phase.wrapping_add(1);
        self.words = words;
        self.begin(0)
    }

    /// The words to send in `round`, or the result.
    fn begin(&mut self, round: u32) -> Option<WordsTo> {
        if round as usize >= self.come.len() {
            (self.round, self.result) = (None, Some(self.words));
            return None;
        }
        self.round = Some(round);
        let to = ((u64::from(self.me) + (1 << round)) % u64::from(self.size)) as u32;
        Some(WordsTo { to, number: self.phase << ROUND_BITS | round, words: self.words })
    }

    /// Words of another rank have come. False: no rank sends such words.
    pub(crate) fn come(&mut self, number: u32, words: [i64; WORDS]) -> bool {
        let (phase, round) = (number >> ROUND_BITS, number & ((1 << ROUND_BITS) - 1));
        let Some(places) = self.come.get_mut(round as usize) else { return false };
        places[phase as usize & 1] = Some(words);
        true
    }

    /// If the words of the present round have come, combines them; returns those of the next round. Called until it returns None.
    pub(crate) fn advance(&mut self) -> Option<WordsTo> {
        let round = self.round?;
        let theirs = self.come[round as usize][self.phase as usize & 1].take()?;
        self.combine(theirs)
    }

    /// The words of the present round are these; returns those of the next round.
    pub(crate) fn combine(&mut self, theirs: [i64; WORDS]) -> Option<WordsTo> {
        let round = self.round?;
        for (mine, their) in self.words.iter_mut().zip(theirs) {
            *mine = (*mine).min(their);
        }
        self.begin(round + 1)
    }

    /// The result, given once.
    pub(crate) fn take(&mut self) -> Option<[i64; WORDS]> {
        self.result.take()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Combinations of a test.
    pub(crate) const PHASES: u32 = 5;

    /// The words with which a rank enters a combination; the first one is 0 here.
    pub(crate) fn words_of(rank: u32, phase: u32) -> [i64; WORDS] {
        let word = (i64::from(rank * 7919 + phase * 31) % 1009 - 500) << 20;
        [word, -word, rank.into()]
    }

    /// Each rank has got the least of all, in each combination.
    pub(crate) fn judge(results: &[Vec<[i64; WORDS]>]) {
        let least = |phase| {
            let all = (0..results.len() as u32).map(|rank| words_of(rank, phase));
            all.reduce(|least, words| [0, 1, 2].map(|at| least[at].min(words[at]))).unwrap()
        };
        let least: Vec<_> = (0..PHASES).map(least).collect();
        assert!(results.iter().all(|got| *got == least), "{results:?}");
    }

    proptest! {
        /// Messages arrive in any order; each rank gets the least of all, in each of several combinations.
        #[test]
        fn every_rank_gets_the_least(size in 1u32..12, picks in proptest::collection::vec(any::<usize>(), 0..2000)) {
            let mut ranks: Vec<_> = (0..size).map(|me| Combining::new(me, size)).collect();
            let mut results = vec![Vec::new(); size as usize];
            let mut on_the_way: Vec<WordsTo> = Vec::new();
            let mut picks = picks.into_iter().chain(0..);
            while results.iter().any(|of| of.len() < PHASES as usize) {
                let me = picks.next().unwrap() % size as usize;
                let rank = &mut ranks[me];
                if results[me].len() == rank.entered() as usize && rank.entered() < PHASES {
                    on_the_way.extend(rank.enter(words_of(me as u32, rank.entered())));
                    on_the_way.extend(core::iter::from_fn(|| rank.advance()));
                }
                results[me].extend(rank.take());
                if !on_the_way.is_empty() {
                    let WordsTo { to, number, words } = on_the_way.swap_remove(picks.next().unwrap() % on_the_way.len());
                    let rank = &mut ranks[to as usize];
                    prop_assert!(rank.come(number, words));
                    on_the_way.extend(core::iter::from_fn(|| rank.advance()));
                    results[to as usize].extend(rank.take());
                }
            }
            judge(&results);
        }
    }
}
