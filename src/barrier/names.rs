//! The names that ranks give to a barrier, and how they are matched.

use core::ffi::c_int;

/// `GASNET_BARRIERFLAG_ANONYMOUS`: the id is ignored.
pub(crate) const ANONYMOUS: c_int = 1;
/// `GASNET_BARRIERFLAG_MISMATCH`: all ranks get a mismatch.
pub(crate) const MISMATCH: c_int = 2;

/// The combined names of a set of ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Names {
    /// No rank gave a name.
    Anonymous,
    /// All names that were given are equal to this one.
    Named(c_int),
    /// Two names differ, or a rank requested a mismatch.
    Mismatch,
}

impl Names {
    /// The name that a rank passes to notify.
    pub fn of(id: c_int, flags: c_int) -> Names {
        if flags & MISMATCH != 0 {
            Names::Mismatch
        } else if flags & ANONYMOUS != 0 {
            Names::Anonymous
        } else {
            Names::Named(id)
        }
    }

    /// Combines the names of two sets of ranks. Associative and commutative.
    pub fn join(self, other: Names) -> Names {
        match (self, other) {
            (Names::Anonymous, names) | (names, Names::Anonymous) => names,
            (Names::Named(a), Names::Named(b)) if a == b => self,
            _ => Names::Mismatch,
        }
    }

    /// The outcome for a rank that waits with `id` and `flags`, given the combined names of all ranks. The name of
    /// a wait after an anonymous notify is compared with the other ranks' name.
    pub fn verdict(self, id: c_int, flags: c_int) -> Outcome {
        match self.join(Names::of(id, flags)) {
            Names::Mismatch => Outcome::Mismatch,
            _ => Outcome::Match,
        }
    }

    /// The variant as two bits, and the id.
    pub fn pack(self) -> (u32, c_int) {
        match self {
            Names::Anonymous => (0, 0),
            Names::Named(id) => (1, id),
            Names::Mismatch => (2, 0),
        }
    }

    pub fn unpack(state: u32, id: c_int) -> Names {
        match state {
            0 => Names::Anonymous,
            1 => Names::Named(id),
            _ => Names::Mismatch,
        }
    }
}

/// A phase number and the names of that phase in one word. Phases count from 1, so a zero word belongs to no phase.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PhaseWord(pub u64);

pub(crate) const PHASE_MASK: u32 = (1 << 30) - 1;

impl PhaseWord {
    pub(crate) fn new(phase: u32, names: Names) -> PhaseWord {
        let (state, id) = names.pack();
        PhaseWord(u64::from(phase & PHASE_MASK) << 34 | u64::from(state) << 32 | u64::from(id as u32))
    }

    /// The names, if the word belongs to `phase`.
    pub(crate) fn names(self, phase: u32) -> Option<Names> {
        ((self.0 >> 34) as u32 == phase & PHASE_MASK).then(|| Names::unpack((self.0 >> 32) as u32 & 3, self.0 as c_int))
    }
}

/// The outcome of a barrier for one rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    Match,
    Mismatch,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rule of the specification: all ranks' arguments of notify, then this rank's arguments of wait.
    fn oracle(notified: &[(c_int, c_int)], wait: (c_int, c_int)) -> Outcome {
        let mut names: Vec<c_int> = Vec::new();
        for &(id, flags) in notified.iter().chain([&wait]) {
            if flags & MISMATCH != 0 {
                return Outcome::Mismatch;
            }
            if flags & ANONYMOUS == 0 {
                names.push(id);
            }
        }
        names.dedup();
        if names.len() > 1 { Outcome::Mismatch } else { Outcome::Match }
    }

    fn says() -> Vec<(c_int, c_int)> {
        let mut all = Vec::new();
        for id in [0, 1, -1] {
            for flags in [0, ANONYMOUS, MISMATCH, ANONYMOUS | MISMATCH, 9, 4] {
                all.push((id, flags));
            }
        }
        all
    }

    #[test]
    fn every_mixture_of_three_ranks_and_a_wait_ends_as_the_rule_says() {
        let says = says();
        for &a in &says {
            for &b in &says {
                for &c in &says {
                    let of = |say: (c_int, c_int)| Names::of(say.0, say.1);
                    let names = of(a).join(of(b)).join(of(c));
                    assert_eq!(names, of(c).join(of(a).join(of(b))));
                    assert_eq!(names, of(a).join(of(b).join(of(c))));
                    for &wait in &says {
                        assert_eq!(
                            names.verdict(wait.0, wait.1),
                            oracle(&[a, b, c], wait),
                            "{a:?} {b:?} {c:?} {wait:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_word_keeps_phase_state_and_id() {
        for phase in [1, 2, PHASE_MASK, PHASE_MASK + 2] {
            for names in [Names::Anonymous, Names::Named(c_int::MIN), Names::Named(7), Names::Mismatch] {
                let word = PhaseWord::new(phase, names);
                assert_eq!(word.names(phase), Some(names));
                assert_eq!(word.names(phase.wrapping_add(1)), None);
                assert_eq!(word.names(phase.wrapping_sub(2)), None);
            }
        }
        assert_eq!(PhaseWord(0).names(1), None);
    }
}
