//! Combinations of words of all ranks by dissemination: in each round a rank sends its combined words to another rank, at twice the
//! distance of the round before. The least of words may be combined any number of times, so any number of ranks will do. No rank is
//! further ahead than one combination, so words are stored for two.

const WORDS: usize = 3;
/// Of a message's number: the bits of the round.
const ROUND_BITS: u32 = 5;

/// This rank's part.
pub(crate) struct MpiCombining {
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
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct WordsTo {
    pub to: u32,
    /// Names the combination and the round.
    pub number: u32,
    pub words: [i64; WORDS],
}

impl MpiCombining {
    pub(crate) fn new(me: u32, size: u32) -> MpiCombining {
        let rounds = size.max(1).next_power_of_two().ilog2() as usize;
        let come = vec![[None; 2]; rounds];
        MpiCombining { me, size, phase: 0, round: None, words: [0; WORDS], come, result: None }
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
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Messages arrive in any order; each rank gets the least of all, in each of several combinations.
        #[test]
        fn every_rank_gets_the_least(size in 1u32..12, picks in proptest::collection::vec(any::<usize>(), 0..2000)) {
            const PHASES: u32 = 5;
            let mut ranks: Vec<_> = (0..size).map(|me| MpiCombining::new(me, size)).collect();
            let mut results = vec![Vec::new(); size as usize];
            let mut entered = vec![0; size as usize];
            let mut on_the_way: Vec<WordsTo> = Vec::new();
            let word = |rank: u32, phase: u32| (i64::from(rank * 7919 + phase * 31) % 1009 - 500) << 20;
            let mut picks = picks.into_iter().chain(0..);
            while results.iter().any(|of| of.len() < PHASES as usize) {
                let me = picks.next().unwrap() % size as usize;
                let rank = &mut ranks[me];
                let mut out = Vec::new();
                if results[me].len() == entered[me] as usize && entered[me] < PHASES {
                    let mine = word(me as u32, entered[me]);
                    entered[me] += 1;
                    out.extend(rank.enter([mine, -mine, me as i64]));
                    while let Some(words) = rank.advance() {
                        out.push(words);
                    }
                }
                results[me].extend(rank.take());
                on_the_way.extend(out);
                if !on_the_way.is_empty() {
                    let WordsTo { to, number, words } = on_the_way.swap_remove(picks.next().unwrap() % on_the_way.len());
                    let rank = &mut ranks[to as usize];
                    prop_assert!(rank.come(number, words));
                    while let Some(words) = rank.advance() {
                        on_the_way.push(words);
                    }
                    results[to as usize].extend(rank.take());
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
