//! Collectives through shared memory, for teams whose members are all in this nbrhd. A team has a block in the
//! arena of one of its members. Each member has a queue of the collectives that it has started, which its polls
//! advance.

mod arena;
pub(crate) mod block;
#[cfg(test)]
mod block_tests;
mod large;
#[cfg(test)]
mod large_tests;
mod list;
mod member;
#[cfg(test)]
mod member_tests;
mod of_team;
mod sizes;
pub(crate) mod small;
mod window;
#[cfg(test)]
mod window_tests;

pub use arena::ArenaPart;
use arena::{ARENA, UNIT};
pub(crate) use member::Near;

use crate::defs::rank::{JobRank, NodeRank};
use crate::job::Job;
use crate::mem;
use crate::sync::atomic::Ordering;
use block::{Block, BlockShape};

impl Near {
    /// Shared memory for the team of `members`, of which this is `me`, in the `part` of the arena of rank `owner`.
    pub fn new(job: &Job, members: &[JobRank], me: usize, owner: JobRank, part: ArenaPart) -> Option<Near> {
        let block = job.near_block(owner, part, members.len())?;
        let near: Option<Box<[NodeRank]>> = members.iter().map(|&member| job.nbrhd.node_rank(member)).collect();
        let members = near?;
        // The same on all members: determined before the ranks were forked.
        let crowded = job.waiting.ranks > job.waiting.cores;
        Some(Near::on(block, members, me, crowded))
    }
}

/// A part of an arena as a word of a message, and back.
pub(crate) fn part_word(part: Option<ArenaPart>) -> u64 {
    part.map_or(0, |part| ((part.at / UNIT) as u64) << 32 | (part.len / UNIT) as u64)
}

/// None if the owner could not reserve memory.
pub(crate) fn word_part(word: u64) -> Option<ArenaPart> {
    let len = (word & 0xffff_ffff) as usize * UNIT;
    (len > 0).then_some(ArenaPart { at: (word >> 32) as usize * UNIT, len })
}

impl Job {
    /// Reserves zeroed memory of this rank for a team of up to `most` members. None if there is not enough, or if
    /// collectives are to use messages.
    pub fn near_reserve(&self, most: usize) -> Option<ArenaPart> {
        if !self.nbrhd.direct.load(Ordering::Relaxed) || most < 2 {
            return None;
        }
        let is_free = |part: ArenaPart, members: &[NodeRank]| {
            let block = self.block_at(self.nbrhd.me, part, BlockShape { members: members.len(), has_stage: false });
            // Acquire: with the Release in `leave`; all accesses of the member have completed.
            let has_left = |member: usize| block.left(member).load(Ordering::Acquire) != 0;
            members.iter().enumerate().all(|(member, &rank)| has_left(member) || self.nbrhd.is_dead(rank))
        };
        let all = self.nbrhd.arena(self.nbrhd.me);
        let take = |len: usize| ARENA.take(all.len(), len, is_free);
        let (with_stage, lines) = BlockShape::most_bytes(most, true);
        let part = take(with_stage).or_else(|| take(BlockShape::most_bytes(most, false).0))?;
        // Which lines the team's block has is known only when its members are, and a word that an earlier team left in
        // one of them would pass for a member's arrival.
        mem::fill(all.part(part.at, lines.min(part.len)), 0);
        Some(part)
    }

    /// Lends reserved memory to the team of `members`, or frees it.
    pub fn near_settle(&self, part: Option<ArenaPart>, members: Option<Box<[NodeRank]>>) {
        match (part, members) {
            (Some(part), Some(members)) => ARENA.lend(part, members),
            (Some(part), None) => ARENA.give_back(part),
            _ => {}
        }
    }

    /// The memory of the primordial team, if all ranks share memory: the beginning of the first rank's arena.
    pub fn near_all(&self) -> Option<Near> {
        let members: Vec<JobRank> = (0..self.size).map(JobRank).collect();
        if self.size < 2 || self.nbrhd.ranks != self.size || !self.nbrhd.direct.load(Ordering::Relaxed) {
            return None;
        }
        let bytes = |has_stage| BlockShape { members: members.len(), has_stage }.bytes();
        let all = self.nbrhd.arena(self.nbrhd.me).len();
        let len = Some(bytes(true)).filter(|&len| len <= all / 4 * 3).unwrap_or(bytes(false));
        let part = ArenaPart { at: 0, len: len.next_multiple_of(UNIT) };
        if part.len > all {
            return None;
        }
        if self.me.0 == 0 {
            ARENA.take(all, part.len, |_, _| false)?;
        }
        Near::new(self, &members, self.me.index(), JobRank(0), part)
    }

    fn near_block(&self, owner: JobRank, part: ArenaPart, members: usize) -> Option<Block> {
        let owner = self.nbrhd.node_rank(owner)?;
        let fits = |has_stage| Some(BlockShape { members, has_stage }).filter(|shape| shape.bytes() <= part.len);
        Some(self.block_at(owner, part, fits(true).or_else(|| fits(false))?))
    }

    fn block_at(&self, owner: NodeRank, part: ArenaPart, shape: BlockShape) -> Block {
        Block::new(self.nbrhd.arena(owner), part.at, shape)
    }
}
