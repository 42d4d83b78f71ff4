//! What members of a team do together.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::coll::operator::Operator;
use crate::coll::shares::Shares;
use crate::mem::{Dst, Src};

pub enum What {
    Barrier,
    /// Everybody's words.
    Words(Vec<u64>, Arc<Mutex<Vec<u64>>>),
    /// The root's `src` goes to everybody's `dst`.
    Broadcast {
        root: usize,
        dst: Dst<'static>,
        src: Src<'static>,
    },
    /// Each member's part of the root's `src` goes to its `dst`.
    Scatter {
        root: usize,
        shares: Shares,
        dst: Dst<'static>,
        src: Src<'static>,
    },
    /// Each member's `src` goes to its part of the root's `dst`.
    Gather {
        root: usize,
        shares: Shares,
        dst: Dst<'static>,
        src: Src<'static>,
    },
    /// As Gather, to everybody's `dst`.
    GatherAll {
        shares: Shares,
        dst: Dst<'static>,
        src: Src<'static>,
    },
    /// Each of a member's blocks has one for each block of every member, in their order; so has what it gets.
    Exchange {
        shares: Shares,
        dst: Dst<'static>,
        src: Src<'static>,
    },
    /// What all members' `src` are together goes to the root's `dst`.
    ToOne {
        operator: Operator,
        /// The operation may not commute.
        in_order: bool,
        root: usize,
        dst: Dst<'static>,
        src: Src<'static>,
    },
    /// The same to everybody's `dst`.
    ToAll {
        operator: Operator,
        dst: Dst<'static>,
        src: Src<'static>,
    },
}

impl What {
    /// The most bytes that any of `members` gives, the same for all of them to know.
    pub fn most(&self, members: usize) -> usize {
        match self {
            What::Barrier => 0,
            What::Words(mine, _) => size_of_val(mine.as_slice()),
            What::Broadcast { dst, .. } => dst.len(),
            What::Scatter { shares, .. } => shares.all(members),
            What::Gather { shares, .. } | What::GatherAll { shares, .. } => shares.longest(members),
            What::Exchange { shares, .. } => shares.most_count(members) * shares.all(members),
            What::ToOne { src, .. } | What::ToAll { src, .. } => src.len(),
        }
    }

    /// The most bytes that go from one member to another.
    pub fn longest(&self, members: usize) -> usize {
        match self {
            What::Scatter { shares, .. } => shares.longest(members),
            What::Exchange { shares, .. } => shares.most_count(members) * shares.longest(members),
            _ => self.most(members),
        }
    }

    /// What member `me` gives; None if it only gets.
    pub fn given(&self, me: usize) -> Option<Src<'static>> {
        match self {
            What::Broadcast { root, src, .. } | What::Scatter { root, src, .. } => (*root == me).then_some(*src),
            What::Gather { src, .. }
            | What::GatherAll { src, .. }
            | What::Exchange { src, .. }
            | What::ToOne { src, .. }
            | What::ToAll { src, .. } => Some(*src),
            What::Barrier | What::Words(..) => None,
        }
    }

    /// Which bytes of what `from` gives `to` gets: where they start, and how many. None if it gets none.
    pub fn way(&self, from: usize, to: usize) -> Option<(usize, usize)> {
        match self {
            What::Broadcast { root, dst, .. } => (*root == from).then_some((0, dst.len())),
            What::Scatter { root, shares, .. } => (*root == from).then(|| (shares.at(to), shares.len(to))),
            What::Gather { root, shares, .. } => (*root == to).then(|| (0, shares.len(from))),
            What::GatherAll { shares, .. } => Some((0, shares.len(from))),
            What::Exchange { shares, .. } => {
                let pairs = shares.of_pairs(from);
                Some((pairs.at(to), pairs.len(to)))
            }
            _ => None,
        }
    }

    /// Where the bytes from `from` belong at member `me`.
    pub fn place(&self, from: usize, me: usize) -> Dst<'static> {
        match self {
            What::Broadcast { dst, .. } | What::Scatter { dst, .. } => *dst,
            What::Gather { shares, dst, .. } | What::GatherAll { shares, dst, .. } => {
                dst.part(shares.at(from), shares.len(from))
            }
            What::Exchange { shares, dst, .. } => {
                let pairs = shares.of_pairs(me);
                dst.part(pairs.at(from), pairs.len(from))
            }
            What::ToOne { dst, .. } | What::ToAll { dst, .. } => *dst,
            What::Barrier | What::Words(..) => Dst::none(),
        }
    }

    /// The members that `me` of `members` gets bytes from, itself last.
    pub fn sources(&self, me: usize, members: usize) -> impl Iterator<Item = usize> + use<> {
        let all = match self {
            What::Broadcast { root, .. } | What::Scatter { root, .. } => *root..*root + 1,
            What::Gather { root, .. } if *root != me => 0..0,
            What::Barrier | What::Words(..) => 0..0,
            _ => 0..members,
        };
        let (first, count) = (all.start, all.len());
        (0..count).map(move |index| if count == members { (me + 1 + index) % members } else { first + index })
    }

    pub fn operator(&self) -> Option<&Operator> {
        match self {
            What::ToOne { operator, .. } | What::ToAll { operator, .. } => Some(operator),
            _ => None,
        }
    }
}
