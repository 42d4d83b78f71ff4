//! The settings that all ranks of a host have in common. Each rank proposes its own; rank 0 combines the proposals, and all
//! use the result. Pure functions.

/// How proposals are combined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Rule {
    Least,
    Most,
    /// The value of rank 0.
    First,
}

/// Settings that are numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Numbers {
    /// The largest segment, in bytes.
    pub largest: u64,
    /// 1: puts, gets and collectives go through shared memory.
    pub direct: u64,
    /// 1: several threads of a rank may be in the library at once.
    pub concurrent: u64,
    /// 1: times of traces are compared.
    pub traced: u64,
    /// 1: messages carry numbers.
    pub numbered: u64,
    /// 1: the kernel's barrier for registered processes works.
    pub heavy_barrier: u64,
    /// The processor time that a control group allows, in processors; `u64::MAX` without a bound.
    pub quota: u64,
    /// The start of the clock of traces, in ticks.
    pub began: u64,
    /// The largest number of ranks of a host that share memory.
    pub together: u64,
}

const RULES: [Rule; 9] =
    [Rule::Least, Rule::Least, Rule::Most, Rule::Most, Rule::Most, Rule::Least, Rule::Least, Rule::First, Rule::Least];

impl Numbers {
    fn words(self) -> [u64; RULES.len()] {
        let Numbers { largest, direct, concurrent, traced, numbered, heavy_barrier, quota, began, together } = self;
        [largest, direct, concurrent, traced, numbered, heavy_barrier, quota, began, together]
    }

    fn of_words(words: [u64; RULES.len()]) -> Numbers {
        let [largest, direct, concurrent, traced, numbered, heavy_barrier, quota, began, together] = words;
        Numbers { largest, direct, concurrent, traced, numbered, heavy_barrier, quota, began, together }
    }
}

/// A rank's proposal, or the agreement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Terms {
    pub numbers: Numbers,
    /// Processors, as bits: those that a rank may use, or all that any may.
    pub cpus: Vec<u64>,
    /// Settings that must be the same, by name.
    pub same: Vec<(String, String)>,
}

impl Terms {
    /// Processors of the host that the ranks have together; None if unknown.
    pub(crate) fn cores(&self) -> Option<u32> {
        let all: u32 = self.cpus.iter().map(|word| word.count_ones()).sum();
        Some(u64::from(all).min(self.numbers.quota)).filter(|_| all > 0).map(|cores| cores.max(1) as u32)
    }

    /// Adds the proposal of `rank` to that of `me`; an error if a setting differs that must be equal.
    pub(crate) fn combine(&mut self, other: &Terms, me: u32, rank: u32) -> Result<(), String> {
        for ((name, ours), (other_name, theirs)) in self.same.iter().zip(&other.same) {
            if (name, ours) != (other_name, theirs) {
                return Err(format!(
                    "{name} is {ours} at rank {me} and {theirs} at rank {rank}: all ranks of a job need the same"
                ));
            }
        }
        let (mut words, theirs) = (self.numbers.words(), other.numbers.words());
        for ((word, theirs), rule) in words.iter_mut().zip(theirs).zip(RULES) {
            *word = match rule {
                Rule::Least => theirs.min(*word),
                Rule::Most => theirs.max(*word),
                Rule::First => *word,
            };
        }
        self.numbers = Numbers::of_words(words);
        self.cpus.resize(self.cpus.len().max(other.cpus.len()), 0);
        self.cpus.iter_mut().zip(&other.cpus).for_each(|(all, cpus)| *all |= cpus);
        Ok(())
    }

    /// Takes over the settings on which the hosts of a job have agreed; the others remain those of this host.
    pub(crate) fn take_from_job(&mut self, job: &Terms) {
        let Numbers { traced, numbered, together, .. } = job.numbers;
        self.numbers = Numbers { traced, numbered, together, ..self.numbers };
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let words = self.numbers.words().into_iter().chain([self.cpus.len() as u64]).chain(self.cpus.iter().copied());
        let mut bytes: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();
        for (name, value) in &self.same {
            bytes.extend(format!("{name}={value}\n").bytes());
        }
        bytes
    }

    /// None: the bytes are malformed.
    pub(crate) fn of_bytes(bytes: &[u8]) -> Option<Terms> {
        let (numbers, rest) = words(bytes, RULES.len())?;
        let (count, rest) = words(rest, 1)?;
        let (cpus, rest) = words(rest, usize::try_from(count[0]).ok()?)?;
        let text = std::str::from_utf8(rest).ok()?;
        let same = text.lines().map(|line| line.split_once('=').map(|(name, value)| (name.into(), value.into())));
        Some(Terms { numbers: Numbers::of_words(numbers.try_into().ok()?), cpus, same: same.collect::<Option<_>>()? })
    }
}

/// The first `count` words of `bytes`, and the rest.
pub(crate) fn words(bytes: &[u8], count: usize) -> Option<(Vec<u64>, &[u8])> {
    let (words, rest) = bytes.split_at_checked(count.checked_mul(8)?)?;
    let word = |eight: &[u8]| eight.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
    Some((words.chunks_exact(8).map(word).collect(), rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn terms(largest: u64, direct: u64, cpus: &[u64], conduit: &str) -> Terms {
        let numbers = Numbers {
            largest,
            direct,
            concurrent: 1 - direct,
            traced: 0,
            numbered: 0,
            heavy_barrier: direct,
            quota: u64::MAX,
            began: largest,
            together: 4,
        };
        Terms { numbers, cpus: cpus.to_vec(), same: vec![("conduit".into(), conduit.into())] }
    }

    #[test]
    fn each_setting_is_combined_by_its_own_rule() {
        let mut all = terms(100, 1, &[0b11], "smp");
        all.combine(&terms(70, 0, &[0b110, 1], "smp"), 0, 1).unwrap();
        let Numbers { largest, direct, concurrent, heavy_barrier, began, .. } = all.numbers;
        assert_eq!((largest, direct, concurrent, heavy_barrier, began), (70, 0, 1, 0, 100));
        assert_eq!((all.cpus.as_slice(), all.cores()), (&[0b111, 1][..], Some(4)));
    }

    #[test]
    fn ranks_that_are_bound_to_a_core_each_have_all_cores_together() {
        let mut all = terms(1, 1, &[1], "smp");
        (1..4).for_each(|rank| all.combine(&terms(1, 1, &[1 << rank], "smp"), 0, rank).unwrap());
        assert_eq!(all.cores(), Some(4));
        all.numbers.quota = 2;
        assert_eq!(all.cores(), Some(2), "a control group allows no more");
        all.cpus = vec![0];
        assert_eq!(all.cores(), None);
    }

    #[test]
    fn what_may_not_differ_is_named() {
        let refused = terms(1, 1, &[], "smp").combine(&terms(1, 1, &[], "udp"), 0, 3).unwrap_err();
        assert_eq!(refused, "conduit is smp at rank 0 and udp at rank 3: all ranks of a job need the same");
    }

    proptest! {
        #[test]
        fn terms_come_back_as_they_were_sent(largest in any::<u64>(), cpus in proptest::collection::vec(any::<u64>(), 0..70)) {
            let terms = terms(largest, 1, &cpus, "smp");
            prop_assert_eq!(Terms::of_bytes(&terms.bytes()), Some(terms));
        }

        #[test]
        fn any_bytes_are_terms_or_are_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Terms::of_bytes(&bytes);
        }
    }
}
