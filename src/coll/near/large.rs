//! Collectives of more data than a line holds: piece by piece through the stage, where each member has a place for its
//! piece. In a reduction each member puts its piece there, then joins a slice of all pieces, then reads the slices that
//! the others joined; small pieces are joined by everybody who wants them, which saves the second step. The stage has
//! two halves, so that a piece can be written while others still read the one before.

use crate::coll::buffer::Buffer;
use crate::coll::near::block::Block;
use crate::coll::near::small::{What, fold};
use crate::coll::operator::Operator;
use crate::mem::{self, Dst, Src};
use crate::sync::atomic::Ordering;

/// Up to so many bytes of all pieces together, everybody joins them.
const JOINED_BY_ALL: usize = 32 * 1024;
/// Bytes that are joined at once, so that they stay in the nearest cache.
const TILE: usize = 4096;

/// Which of a member's words about the stage.
const ENTERED: usize = 0;
const REDUCED: usize = 1;
const READ: usize = 2;

#[derive(Clone, Copy)]
enum Next {
    Enter,
    Reduce,
    Read,
}

/// Where a member is in a large collective.
pub struct Large {
    pub what: What,
    /// Bytes that are done.
    from: usize,
    next: Next,
}

/// A member's view of the stage.
pub struct Stage<'a> {
    pub block: &'a Block,
    pub me: usize,
    /// Pieces that this member has finished, of all collectives of the team.
    pub pieces: &'a mut u64,
    /// Others may have become able to go on.
    pub stirs: &'a mut bool,
}

impl Stage<'_> {
    fn mine(&mut self, which: usize) {
        // Release: with the Acquire in `all`, what this member wrote is seen, or that it has read.
        self.block.stages(self.me)[which].store(*self.pieces + 1, Ordering::Release);
        *self.stirs = true;
    }

    fn has(&self, member: usize, which: usize, pieces: u64) -> bool {
        self.block.stages(member)[which].load(Ordering::Acquire) >= pieces
    }

    fn all(&self, which: usize, pieces: u64) -> bool {
        (0..self.block.shape.members).all(|member| self.has(member, which, pieces))
    }

    fn place(&self, member: usize, len: usize) -> Dst<'static> {
        self.block.stage(*self.pieces, member).part(0, len)
    }
}

impl Large {
    pub fn new(what: What) -> Large {
        Large { what, from: 0, next: Next::Enter }
    }

    /// Bytes of a piece, all of which are whole elements; 0 if not even one element fits.
    pub fn piece(what: &What, block: &Block) -> usize {
        match what {
            What::ToOne { operator, .. } | What::ToAll { operator, .. } => {
                block.shape.piece() / operator.width * operator.width
            }
            _ => block.shape.piece(),
        }
    }

    /// Goes as far as it can; true at the end.
    pub fn step(&mut self, stage: &mut Stage<'_>) -> bool {
        let most = Large::piece(&self.what, stage.block);
        loop {
            let len = most.min(self.what.bytes() - self.from);
            let piece = match &self.what {
                What::Broadcast { root, dst, src } => {
                    broadcast(stage, self.next, *root, dst.part(self.from, len), *src, self.from)
                }
                What::ToOne { operator, root, dst, src, .. } => {
                    let dst = (*root == stage.me).then(|| dst.part(self.from, len));
                    reduce(stage, self.next, operator, dst, src.part(self.from, len))
                }
                What::ToAll { operator, dst, src } => {
                    reduce(stage, self.next, operator, Some(dst.part(self.from, len)), src.part(self.from, len))
                }
                _ => return true,
            };
            match piece {
                Outcome::Waits => return false,
                Outcome::Goes(next) => self.next = next,
                Outcome::Done => {
                    stage.mine(READ);
                    *stage.pieces += 1;
                    self.from += len;
                    self.next = Next::Enter;
                    if self.from == self.what.bytes() {
                        return true;
                    }
                }
            }
        }
    }
}

enum Outcome {
    Waits,
    Goes(Next),
    Done,
}

/// The half of the stage that this piece wants is free once all have read the piece before the last.
fn is_free(stage: &Stage<'_>) -> bool {
    stage.all(READ, stage.pieces.saturating_sub(1))
}

fn broadcast(stage: &mut Stage<'_>, next: Next, root: usize, dst: Dst<'_>, src: Src<'_>, from: usize) -> Outcome {
    match next {
        _ if root == stage.me => {
            if !is_free(stage) {
                return Outcome::Waits;
            }
            let src = src.part(from, dst.len());
            mem::copy(stage.place(root, dst.len()), src);
            stage.mine(ENTERED);
            if src.as_ptr() != dst.as_ptr().cast_const() {
                mem::copy(dst, src);
            }
            Outcome::Done
        }
        _ if !stage.has(root, ENTERED, *stage.pieces + 1) => Outcome::Waits,
        _ => {
            mem::copy(dst, stage.place(root, dst.len()).as_src());
            Outcome::Done
        }
    }
}

/// One piece of a reduction; `dst` where this member wants the result.
fn reduce(stage: &mut Stage<'_>, next: Next, operator: &Operator, dst: Option<Dst<'_>>, src: Src<'_>) -> Outcome {
    let members = stage.block.shape.members;
    // Two need not share the work: reading the other's half would cost as much as joining it, and one more step.
    let by_all = members == 2 || members * src.len() <= JOINED_BY_ALL;
    match next {
        Next::Enter => {
            if !is_free(stage) {
                return Outcome::Waits;
            }
            mem::copy(stage.place(stage.me, src.len()), src);
            stage.mine(ENTERED);
            if by_all && dst.is_none() { Outcome::Done } else { Outcome::Goes(Next::Reduce) }
        }
        Next::Reduce => {
            if !stage.all(ENTERED, *stage.pieces + 1) {
                return Outcome::Waits;
            }
            if let (true, Some(dst)) = (by_all, dst) {
                join(stage, operator, 0, dst);
                return Outcome::Done;
            }
            let (from, len) = slice(stage.me, members, operator, src.len());
            let mut sum = Buffer::new(len);
            join(stage, operator, from, sum.dst());
            // Nobody else reads this slice of this member's piece, and it has been joined.
            mem::copy(stage.place(stage.me, src.len()).part(from, len), sum.src());
            stage.mine(REDUCED);
            if dst.is_none() { Outcome::Done } else { Outcome::Goes(Next::Read) }
        }
        Next::Read => {
            if !stage.all(REDUCED, *stage.pieces + 1) {
                return Outcome::Waits;
            }
            if let Some(dst) = dst {
                for member in 0..members {
                    let (from, len) = slice(member, members, operator, src.len());
                    mem::copy(dst.part(from, len), stage.place(member, src.len()).as_src().part(from, len));
                }
            }
            Outcome::Done
        }
    }
}

/// The part of `nbytes` that `member` joins: where it starts, and its bytes.
fn slice(member: usize, members: usize, operator: &Operator, nbytes: usize) -> (usize, usize) {
    let elements = nbytes / operator.width;
    let at = |member: usize| elements * member / members * operator.width;
    (at(member), at(member + 1) - at(member))
}

/// Joins what all members have on the stage from `from` on to `dst`.
fn join(stage: &Stage<'_>, operator: &Operator, from: usize, dst: Dst<'_>) {
    let tile = (TILE / operator.width).max(1) * operator.width;
    let piece = stage.block.shape.piece();
    for at in (0..dst.len()).step_by(tile) {
        let len = tile.min(dst.len() - at);
        fold(operator, stage.block.shape.members, dst.part(at, len), |member| {
            stage.place(member, piece).as_src().part(from + at, len)
        });
    }
}
