//! The distribution of a buffer over the members of a team. Shares may differ in size, because members may have
//! different numbers of images.

use std::sync::Arc;

/// Blocks of `unit` bytes: one for each member, or a given number for each member.
#[derive(Clone, Debug)]
pub struct Shares {
    unit: usize,
    /// For each member the number of blocks of the members before it, then the total; None if each has one.
    before: Option<Arc<[usize]>>,
}

impl Shares {
    /// Each member has one block of `unit` bytes.
    pub fn even(unit: usize) -> Shares {
        Shares { unit, before: None }
    }

    /// `before[r]` blocks of `unit` bytes belong to the members before `r`; the last entry is the total.
    pub fn uneven(unit: usize, before: Arc<[usize]>) -> Shares {
        Shares { unit, before: Some(before) }
    }

    /// The length of every member's share, in bytes, if each has one block.
    pub fn of_each(&self) -> Option<usize> {
        self.before.is_none().then_some(self.unit)
    }

    /// The number of blocks of `member`.
    pub fn count(&self, member: usize) -> usize {
        self.before.as_ref().map_or(1, |before| before[member + 1] - before[member])
    }

    /// The number of blocks of the members before `member`.
    fn blocks_before(&self, member: usize) -> usize {
        self.before.as_ref().map_or(member, |before| before[member])
    }

    /// The offset of `member`'s share, in bytes.
    pub fn at(&self, member: usize) -> usize {
        self.unit * self.blocks_before(member)
    }

    /// The length of `member`'s share, in bytes.
    pub fn len(&self, member: usize) -> usize {
        self.unit * self.count(member)
    }

    /// The length of the shares of the first `members` members, in bytes.
    pub fn all(&self, members: usize) -> usize {
        self.at(members)
    }

    /// The largest number of blocks of any of `members`.
    pub fn most_count(&self, members: usize) -> usize {
        match self.before {
            Some(_) => (0..members).map(|member| self.count(member)).max().unwrap_or_default(),
            None => 1,
        }
    }

    /// The length of the longest share of any of `members`, in bytes.
    pub fn longest(&self, members: usize) -> usize {
        self.unit * self.most_count(members)
    }

    /// The shares of pairs (see `of_pairs`) of the member with the most blocks.
    pub fn of_most(&self, members: usize) -> Shares {
        Shares { unit: self.longest(members), before: self.before.clone() }
    }

    /// The distribution of `member`'s buffer in an alltoall: its share with each other member has one block for
    /// each pair of their blocks.
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
