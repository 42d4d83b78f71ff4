//! How a buffer is parted among the members of a team, whose parts may differ in size: members bring different numbers
//! of images.

use std::sync::Arc;

/// Blocks of `unit` bytes: one for each member, or as many as each has.
#[derive(Clone, Debug)]
pub struct Shares {
    unit: usize,
    /// For each member the blocks of those before it, then the blocks of all; None if each has one.
    before: Option<Arc<[usize]>>,
}

impl Shares {
    /// Each member has one block of `unit` bytes.
    pub fn even(unit: usize) -> Shares {
        Shares { unit, before: None }
    }

    /// `before[r]` blocks of `unit` bytes belong to the members before `r`; the last entry says how many all have.
    pub fn uneven(unit: usize, before: Arc<[usize]>) -> Shares {
        Shares { unit, before: Some(before) }
    }

    /// Blocks of `member`.
    pub fn count(&self, member: usize) -> usize {
        self.before.as_ref().map_or(1, |before| before[member + 1] - before[member])
    }

    /// Blocks of the members before `member`.
    fn blocks_before(&self, member: usize) -> usize {
        self.before.as_ref().map_or(member, |before| before[member])
    }

    /// Where `member`'s bytes start.
    pub fn at(&self, member: usize) -> usize {
        self.unit * self.blocks_before(member)
    }

    /// How many bytes are `member`'s.
    pub fn len(&self, member: usize) -> usize {
        self.unit * self.count(member)
    }

    /// Bytes of all `members`.
    pub fn all(&self, members: usize) -> usize {
        self.at(members)
    }

    /// The most blocks that any of `members` has.
    pub fn most_count(&self, members: usize) -> usize {
        match self.before {
            Some(_) => (0..members).map(|member| self.count(member)).max().unwrap_or_default(),
            None => 1,
        }
    }

    /// The most bytes that any of `members` has.
    pub fn longest(&self, members: usize) -> usize {
        self.unit * self.most_count(members)
    }

    /// Of the parts of pairs, those of the member that has the most.
    pub fn of_most(&self, members: usize) -> Shares {
        Shares { unit: self.longest(members), before: self.before.clone() }
    }

    /// The parts of what `member` gives each other member, or gets from each, where each of its blocks meets each of
    /// theirs.
    pub fn of_pairs(&self, member: usize) -> Shares {
        Shares { unit: self.len(member), before: self.before.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_follow_each_other() {
        let counts = [2, 0, 3, 1];
        let before: Arc<[usize]> = Arc::new([0, 2, 2, 5, 6]);
        let shares = Shares::uneven(8, before);
        let mut at = 0;
        for (member, count) in counts.into_iter().enumerate() {
            assert_eq!((shares.at(member), shares.len(member)), (at, 8 * count));
            at += 8 * count;
        }
        assert_eq!((shares.all(4), shares.longest(4)), (48, 24));
        assert_eq!((shares.of_pairs(2).at(3), shares.of_pairs(2).len(3)), (3 * 40, 24));
        let even = Shares::even(5);
        assert_eq!((even.at(3), even.len(3), even.all(7), even.longest(7)), (15, 5, 35, 5));
    }
}
