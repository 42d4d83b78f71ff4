//! The allocator of this rank's arena. Only the owner allocates parts. A part that is lent to a team is free again
//! once each member has declared, in the block itself, that it does not use it any more, or has died.

use parking_lot::Mutex;

use crate::defs::rank::NodeRank;

/// Parts are multiples of this, in bytes; the kernel's pages do not matter.
pub(crate) const UNIT: usize = 4096;

/// A part of an arena: its offset and length, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ArenaPart {
    pub at: usize,
    pub len: usize,
}

/// The parts in use, ordered by offset, and those among them that are lent to teams, with the teams' members in order.
struct Used {
    parts: Vec<ArenaPart>,
    lent: Vec<(ArenaPart, Box<[NodeRank]>)>,
}

pub(crate) struct Arena {
    used: Mutex<Used>,
}

/// The arena of this rank.
pub(crate) static ARENA: Arena = Arena::new();

impl Arena {
    const fn new() -> Arena {
        Arena { used: Mutex::new(Used { parts: Vec::new(), lent: Vec::new() }) }
    }

    /// Allocates `len` bytes, rounded up to units, of an arena of `total` bytes: first fit. `is_free` tells whether
    /// a part lent to these members is free again.
    pub(crate) fn take(
        &self,
        total: usize,
        len: usize,
        is_free: impl Fn(ArenaPart, &[NodeRank]) -> bool,
    ) -> Option<ArenaPart> {
        let mut used = self.used.lock();
        let Used { parts, lent } = &mut *used;
        lent.retain(|(part, members)| {
            let is_back = is_free(*part, members);
            if is_back {
                parts.retain(|used| used.at != part.at);
            }
            !is_back
        });
        let len = len.next_multiple_of(UNIT);
        let mut at = 0;
        let mut index = 0;
        for part in parts.iter() {
            if part.at - at >= len {
                break;
            }
            at = part.at + part.len;
            index += 1;
        }
        if total < at + len {
            return None;
        }
        let part = ArenaPart { at, len };
        parts.insert(index, part);
        Some(part)
    }

    /// Frees a part that was not lent.
    pub(crate) fn give_back(&self, part: ArenaPart) {
        self.used.lock().parts.retain(|used| used.at != part.at);
    }

    /// Lends `part` to the team of `members`, until none of them uses it any more.
    pub(crate) fn lend(&self, part: ArenaPart, members: Box<[NodeRank]>) {
        self.used.lock().lent.push((part, members));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_do_not_overlap_and_come_back() {
        let arena = Arena::new();
        let total = 10 * UNIT;
        let take = |len, back: &[usize]| arena.take(total, len, |part, _| back.contains(&part.at));
        let a = take(3 * UNIT, &[]).unwrap();
        let b = take(1, &[]).unwrap();
        let c = take(6 * UNIT, &[]).unwrap();
        assert_eq!([a.at, b.at, c.at], [0, 3 * UNIT, 4 * UNIT]);
        assert_eq!(take(1, &[]), None);
        arena.lend(a, Box::from([NodeRank(0)]));
        assert_eq!(take(1, &[]), None);
        assert_eq!(take(2 * UNIT, &[a.at]).map(|part| part.at), Some(0));
        assert_eq!(take(UNIT, &[]).map(|part| part.at), Some(2 * UNIT));
        arena.give_back(b);
        assert_eq!(take(2 * UNIT, &[]), None);
        assert_eq!(take(UNIT, &[]).map(|part| part.at), Some(3 * UNIT));
    }
}
