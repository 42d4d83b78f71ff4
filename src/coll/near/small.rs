//! Collectives whose data fit into a line: each member writes its own line, with the arrival word last. In small
//! teams members read each other's lines. Larger teams use a tree of counters: the last member of a group to arrive
//! combines the group's data and is counted in the group above, and the last of all writes the line for which all
//! members wait; if members share cores, each has to run only once before and once after. Operands are combined in
//! the order of ranks, regardless of the order of arrival.

use crate::barrier;
use crate::coll::near::block::Block;
use crate::coll::near::sizes::{DATA, FAN, FLAT};
use crate::coll::operation::Operation;
use crate::coll::operator::Operator;
use crate::mem::{self, Dst, Src};
use crate::sync::atomic::Ordering;

impl Operation {
    pub fn is_small(&self, members: usize) -> bool {
        self.most(members) <= DATA
    }

    /// Whether the tree of counters in `block` is used.
    fn counts(&self, block: &Block) -> bool {
        block.shape.members > FLAT
            && matches!(self, Operation::Barrier | Operation::Reduce { .. } | Operation::Allreduce { .. })
    }

    /// Member `me` enters collective `number`; returns true if other members may complete it now.
    pub fn enter(&self, block: &Block, me: usize, number: u64) -> bool {
        let (word, data) = block.came(number, me);
        let write = |bytes: Src<'_>| mem::copy(data.part(0, bytes.len()), bytes);
        match self {
            Operation::Barrier => {}
            Operation::AllgatherWords(mine, _) => write(mem::words_of(mine)),
            _ => match self.source(me) {
                Some(bytes) => write(bytes),
                None => return false,
            },
        }
        if self.counts(block) {
            return self.climb(block, me, number);
        }
        // Release: with the Acquire in `is_here`, the data and all earlier accesses of this member are visible.
        word.store(number + 1, Ordering::Release);
        true
    }

    /// Counts this member in its group, and, if it is the last of the group, the group in the group above, and so
    /// on. Returns true if it has released all members.
    fn climb(&self, block: &Block, me: usize, number: u64) -> bool {
        let nbytes = self.most(block.shape.members);
        let (mut at, mut below, mut level) = (me, block.shape.members, 0);
        let mut lower: Option<usize> = None;
        for width in barrier::levels(below) {
            let group = at / FAN;
            let first = group * FAN;
            let full = FAN.min(below - first);
            let (count, _, data) = block.counter(number, level + group);
            // AcqRel: the last member sees all earlier accesses of its group, and publishes them upwards.
            if count.fetch_add(1, Ordering::AcqRel) + 1 < full as u64 {
                return false;
            }
            // Reset for the next use, which no member can enter before all have finished this one.
            count.store(0, Ordering::Relaxed);
            if let Some(operator) = self.operator() {
                let member = |index: usize| match lower {
                    None => block.came(number, first + index).1,
                    Some(lower) => block.counter(number, lower + first + index).2,
                };
                fold(operator, full, data.part(0, nbytes), |index| member(index).as_src().part(0, nbytes));
            }
            lower = Some(level);
            level += width;
            below = width;
            at = group;
        }
        // Release: with the Acquire in `leave`.
        block.top(number).1.store(number + 1, Ordering::Release);
        true
    }

    /// Completes collective `number` for member `me` if possible; returns whether it is complete.
    pub fn leave(&self, block: &Block, me: usize, number: u64) -> bool {
        let is_here = |member: usize| block.came(number, member).0.load(Ordering::Acquire) == number + 1;
        let from = |member: usize, nbytes: usize| block.came(number, member).1.as_src().part(0, nbytes);
        let members = block.shape.members;
        if self.counts(block) {
            if matches!(self, Operation::Reduce { root, .. } if *root != me) {
                return true;
            }
            let (_, released, data) = block.top(number);
            if released.load(Ordering::Acquire) != number + 1 {
                return false;
            }
            if let Operation::Reduce { dst, .. } | Operation::Allreduce { dst, .. } = self {
                mem::copy(*dst, data.as_src().part(0, dst.len()));
            }
            return true;
        }
        match self {
            Operation::Barrier => (0..members).all(is_here),
            Operation::AllgatherWords(mine, all) => {
                let done = (0..members).all(is_here);
                if done {
                    let mut words = vec![0; mine.len() * members];
                    for (member, part) in words.chunks_exact_mut(mine.len()).enumerate() {
                        mem::read_words(part, from(member, size_of_val(mine.as_slice())));
                    }
                    *all.lock() = words;
                }
                done
            }
            Operation::Reduce { root, .. } if *root != me => true,
            Operation::Reduce { operator, dst, .. } | Operation::Allreduce { operator, dst, .. } => {
                let done = (0..members).all(is_here);
                if done {
                    fold(operator, members, *dst, |member| from(member, dst.len()));
                }
                done
            }
            _ => {
                let done = self.sources(me, members).all(|source| source == me || is_here(source));
                if done {
                    for source in self.sources(me, members) {
                        let given = match self.source(me).filter(|_| source == me) {
                            Some(own) => own,
                            None => block.came(number, source).1.as_src(),
                        };
                        self.deliver(source, me, given);
                    }
                }
                done
            }
        }
    }
}

impl Operation {
    /// Copies the range of `given`, the source buffer of `source`, that `me` receives, to its destination.
    pub fn deliver(&self, source: usize, me: usize, given: Src<'_>) {
        if let Some((at, len)) = self.range(source, me).filter(|(_, len)| *len > 0) {
            let (dst, src) = (self.destination(source, me), given.part(at, len));
            if src.as_ptr() != dst.as_ptr().cast_const() {
                mem::copy(dst, src);
            }
        }
    }
}

/// Combines the operands of `count` members, from right to left, in `dst`.
pub(crate) fn fold<'a>(operator: &Operator, count: usize, dst: Dst<'_>, part: impl Fn(usize) -> Src<'a>) {
    mem::copy(dst, part(count - 1));
    for member in (0..count - 1).rev() {
        operator.apply(part(member), dst);
    }
}
