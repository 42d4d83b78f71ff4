//! Collectives whose data fit beside a word: each member writes its own line, with the word last. Few members read
//! each other's lines. Of many, whoever comes last of a group joins the group's data and counts for it in the group
//! above, and the last of all writes the one line that everybody waits for: where members share cores, each needs to
//! run once before and once after. Order is that of ranks, whoever comes when.

use crate::barrier;
use crate::coll::near::block::{Block, DATA, FAN, FLAT};
use crate::coll::operator::Operator;
use crate::coll::what::What;
use crate::mem::{self, Dst, Src};
use crate::sync::atomic::Ordering;

impl What {
    pub fn is_small(&self, members: usize) -> bool {
        self.most(members) <= DATA
    }

    /// Whether groups count, in `block`.
    fn counts(&self, block: &Block) -> bool {
        block.shape.members > FLAT && matches!(self, What::Barrier | What::ToOne { .. } | What::ToAll { .. })
    }

    /// Member `me` comes to `number`; true if others may now be complete.
    pub fn enter(&self, block: &Block, me: usize, number: u64) -> bool {
        let (word, data) = block.came(number, me);
        let write = |bytes: Src<'_>| mem::copy(data.part(0, bytes.len()), bytes);
        match self {
            What::Barrier => {}
            What::Words(mine, _) => write(mem::words_of(mine)),
            _ => match self.given(me) {
                Some(bytes) => write(bytes),
                None => return false,
            },
        }
        if self.counts(block) {
            return self.climb(block, me, number);
        }
        // Release: with the Acquire in `is_here`, the data, and all that this member did before, are seen.
        word.store(number + 1, Ordering::Release);
        true
    }

    /// Counts this member, and its group if it was the last of it, and so on; true if it released everybody.
    fn climb(&self, block: &Block, me: usize, number: u64) -> bool {
        let nbytes = self.most(block.shape.members);
        let (mut at, mut below, mut level) = (me, block.shape.members, 0);
        let mut lower: Option<usize> = None;
        for width in barrier::levels(below) {
            let group = at / FAN;
            let first = group * FAN;
            let full = FAN.min(below - first);
            let (count, _, data) = block.counter(number, level + group);
            // AcqRel: the last one sees what all of its group did before, and passes it up.
            if count.fetch_add(1, Ordering::AcqRel) + 1 < full as u64 {
                return false;
            }
            // Empty for the next one, which nobody can enter before all have finished this.
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

    /// Finishes `number` for member `me` if it can.
    pub fn leave(&self, block: &Block, me: usize, number: u64) -> bool {
        let is_here = |member: usize| block.came(number, member).0.load(Ordering::Acquire) == number + 1;
        let from = |member: usize, nbytes: usize| block.came(number, member).1.as_src().part(0, nbytes);
        let members = block.shape.members;
        if self.counts(block) {
            if matches!(self, What::ToOne { root, .. } if *root != me) {
                return true;
            }
            let (_, released, data) = block.top(number);
            if released.load(Ordering::Acquire) != number + 1 {
                return false;
            }
            if let What::ToOne { dst, .. } | What::ToAll { dst, .. } = self {
                mem::copy(*dst, data.as_src().part(0, dst.len()));
            }
            return true;
        }
        match self {
            What::Barrier => (0..members).all(is_here),
            What::Words(mine, all) => {
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
            What::ToOne { root, .. } if *root != me => true,
            What::ToOne { operator, dst, .. } | What::ToAll { operator, dst, .. } => {
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
                        let given = match self.given(me).filter(|_| source == me) {
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

impl What {
    /// Copies the bytes from `source` that belong to `me`, out of all that `source` gives, to their place.
    pub fn deliver(&self, source: usize, me: usize, given: Src<'_>) {
        if let Some((at, len)) = self.way(source, me).filter(|(_, len)| *len > 0) {
            let (dst, src) = (self.place(source, me), given.part(at, len));
            if src.as_ptr() != dst.as_ptr().cast_const() {
                mem::copy(dst, src);
            }
        }
    }
}

/// Reduces the parts of `count` members, right to left, to `dst`.
pub fn fold<'a>(operator: &Operator, count: usize, dst: Dst<'_>, part: impl Fn(usize) -> Src<'a>) {
    mem::copy(dst, part(count - 1));
    for member in (0..count - 1).rev() {
        operator.apply(part(member), dst);
    }
}
