//! Collectives through shared memory, for teams whose members are all in this nbrhd. A team has a block in the
//! arena of one of its members. Each member has a queue of the collectives that it has started, which its polls
//! advance.

mod arena;
pub(crate) mod block;
#[cfg(test)]
mod block_tests;
mod large;
#[cfg(test)]
mod member_tests;
mod of_team;
pub(crate) mod small;
mod window;
#[cfg(test)]
mod window_tests;

use std::collections::VecDeque;

use parking_lot::Mutex;

pub use arena::ArenaPart;
use arena::{ARENA, UNIT};

use crate::am::poll::WORK;
use crate::barrier::Barrier;
use crate::coll::operation::AllSync;
use crate::coll::operation::Operation;
use crate::defs::rank::{JobRank, NodeRank};
use crate::event::{Op, PieceKind};
use crate::hang::waits::Note;
use crate::job::Job;
use crate::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use crate::sync::turned::Turned;
use block::{Block, BlockShape};
use large::{Large, LargeStage};
use window::{StarvedMembers, Window};

struct Small {
    operation: Operation,
    /// None while the caller that starts it has not received it.
    op: Option<&'static Op>,
    entered: bool,
    done: bool,
}

/// The collectives that a member has started and not finished.
#[derive(Default)]
struct Queues {
    /// Small collectives in order; `first` is the number of the first one.
    small: VecDeque<Small>,
    first: u64,
    window: Window,
    large: VecDeque<(Large, &'static Op)>,
    rounds: u64,
    /// In the engine's list of teams that polls advance.
    is_listed: bool,
}

impl Queues {
    fn is_idle(&self) -> bool {
        self.small.is_empty() && self.large.is_empty()
    }
}

/// A member's view of its team's shared memory.
pub struct Near {
    block: Block,
    me: usize,
    members: Box<[NodeRank]>,
    /// There are more ranks than cores.
    crowded: bool,
    /// The split-phase barrier.
    pub barrier: Barrier,
    queues: Mutex<Queues>,
    turned: Turned,
}

impl Near {
    /// Shared memory for the team of `members`, of which this is `me`, in the `part` of the arena of rank `owner`.
    pub fn new(job: &Job, members: &[JobRank], me: usize, owner: JobRank, part: ArenaPart) -> Option<Near> {
        let block = job.near_block(owner, part, members.len())?;
        let near: Option<Box<[NodeRank]>> = members.iter().map(|&member| job.nbrhd.node_rank(member)).collect();
        let members = near?;
        // The same on all members: determined before the ranks were forked.
        let crowded = job.waiting.ranks > job.waiting.cores;
        let barrier = Barrier::of_team(block.barrier_area(), me, &members);
        Some(Near { block, me, members, crowded, barrier, queues: Mutex::default(), turned: Turned::default() })
    }

    /// Whether `operation` can use this memory; the same for all members.
    pub fn takes(&self, operation: &Operation, sync: AllSync) -> bool {
        self.is_small(operation, sync) || large::most(operation, &self.block) > 0
    }

    fn is_small(&self, operation: &Operation, sync: AllSync) -> bool {
        matches!(operation, Operation::Barrier) || operation.is_small(self.members.len()) && sync == AllSync::default()
    }

    /// The number of collectives that this member has in flight. The caller excludes polls, and takes a member without any off the list.
    fn in_flight(&self) -> usize {
        // If the lock is held, a thread starts a collective, or is in a blocking one.
        self.queues.try_lock().map_or(1, |mut queues| {
            queues.is_listed &= !queues.is_idle();
            queues.small.len() + queues.large.len()
        })
    }

    /// This member does not use the memory any more.
    pub fn leave(&self) {
        // Release: with the Acquire in `near_reserve`; the owner may clear it.
        self.block.left(self.me).store(1, Ordering::Release);
    }

    fn wake(&self, job: &Job) {
        let others = self.members.iter().enumerate().filter(|&(member, _)| member != self.me);
        others.for_each(|(_, &rank)| job.wake_rank(rank));
    }

    fn wake_starved(&self, job: &Job, starved: StarvedMembers) {
        if !starved.are_none() {
            let them = self.members.iter().enumerate().filter(|&(member, _)| member != self.me && starved.has(member));
            them.for_each(|(_, &rank)| job.wake_rank(rank));
        }
    }

    /// Starts `operation`, as one started piece of the operation that `begin` returns; None if it completes at
    /// once.
    pub fn start(
        &'static self,
        job: &Job,
        operation: Operation,
        sync: AllSync,
        begin: impl FnOnce() -> &'static Op,
    ) -> Option<&'static Op> {
        let mut queues = self.queues.lock();
        let starved = queues.window.starves();
        let (op, finished) = if self.is_small(&operation, sync) {
            queues.small.push_back(Small { operation, op: None, entered: false, done: false });
            let finished = self.step_small(job, &mut queues);
            let started = queues.small.back_mut().filter(|small| !small.done);
            (started.map(|small| *small.op.insert(begin())), finished)
        } else {
            let op = begin();
            queues.large.push_back((Large::new(operation, sync, &self.block), op));
            (Some(op), self.step_large(job, &mut queues))
        };
        let idle = queues.is_idle();
        if !idle && !queues.is_listed {
            queues.is_listed = true;
            LIST.add(job, self);
        }
        // A sleeping thread armed its bell before this member was counted as starved.
        let notify = finished != 0 || queues.window.starves() && !starved;
        drop(queues);
        job.left(&self.turned, notify);
        op
    }

    /// Executes `operation` if this member has no other collective in flight; else returns it. Polls.
    pub fn run(&self, job: &Job, operation: Operation, sync: AllSync, note: Note<'_>) -> Result<(), Operation> {
        let done = self.run_alone(job, operation, sync, note);
        if done.is_ok() {
            job.left(&self.turned, false);
        }
        done
    }

    fn run_alone(&self, job: &Job, operation: Operation, sync: AllSync, note: Note<'_>) -> Result<(), Operation> {
        let note = || note;
        // Other threads of this process that use the team meanwhile wait for the lock: their collectives follow
        // this one in any case.
        let Some(mut queues) = self.queues.try_lock().filter(|queues| queues.is_idle()) else { return Err(operation) };
        if !self.is_small(&operation, sync) {
            let mut large = Large::new(operation, sync, &self.block);
            job.wait_for(note, || {
                let mut notify = false;
                let done = large.step(&mut self.stage(job, &mut queues.rounds, &mut notify));
                if notify {
                    self.wake(job);
                }
                done
            });
            return Ok(());
        }
        let number = queues.first;
        if !self.has_place(&mut queues, number) {
            job.wait_for(note, || self.has_place(&mut queues, number));
        }
        if operation.enter(&self.block, self.me, number) {
            self.wake(job);
        }
        job.wait_for(note, || operation.leave(&self.block, self.me, number));
        queues.first += 1;
        self.wake_starved(job, self.finish(job, queues.first));
        Ok(())
    }

    fn stage<'a>(&'a self, job: &'a Job, rounds: &'a mut u64, notify: &'a mut bool) -> LargeStage<'a> {
        let (block, members, me, crowded) = (&self.block, &self.members, self.me, self.crowded);
        LargeStage { nbrhd: Some(&job.nbrhd), block, members, me, crowded, rounds, notify }
    }

    /// As [`window::finish`].
    fn finish(&self, job: &Job, first: u64) -> StarvedMembers {
        window::finish(self.block.finished(self.me), first, self.block.starved(), || job.nbrhd.light_barrier())
    }

    /// Advances the collectives; returns the number of those that finished, and whether none is left.
    pub fn step(&self, job: &Job) -> (u32, bool) {
        let Some(mut queues) = self.turned.enter(|| self.queues.try_lock()) else { return (0, false) };
        let finished = self.step_small(job, &mut queues) + self.step_large(job, &mut queues);
        let idle = queues.is_idle();
        queues.is_listed = !idle;
        (finished, idle)
    }

    fn step_small(&self, job: &Job, queues: &mut Queues) -> u32 {
        let mut finished = 0;
        let mut notify = false;
        for index in 0..queues.small.len().min(self.block.places() as usize) {
            let number = queues.first + index as u64;
            if !queues.small[index].entered && !self.has_place(queues, number) {
                break;
            }
            let small = &mut queues.small[index];
            if !small.entered {
                small.entered = true;
                notify |= small.operation.enter(&self.block, self.me, number);
            }
            if !small.done && small.operation.leave(&self.block, self.me, number) {
                small.done = true;
                finished += 1;
                if let Some(op) = small.op {
                    op.finish(PieceKind::Put);
                }
            }
        }
        if queues.small.front().is_some_and(|small| small.done) {
            while queues.small.front().is_some_and(|small| small.done) {
                queues.small.pop_front();
                queues.first += 1;
            }
            let starved = self.finish(job, queues.first);
            if !notify {
                self.wake_starved(job, starved);
            }
        }
        if notify {
            self.wake(job);
        }
        finished
    }

    /// As [`Window::has_place`].
    fn has_place(&self, queues: &mut Queues, number: u64) -> bool {
        let finished = (0..self.block.shape.members).map(|member| self.block.finished(member));
        queues.window.has_place(number, self.block.places(), finished, self.me, self.block.starved())
    }

    fn step_large(&self, job: &Job, queues: &mut Queues) -> u32 {
        let mut finished = 0;
        let mut notify = false;
        while let Some((large, op)) = queues.large.front_mut() {
            if !large.step(&mut self.stage(job, &mut queues.rounds, &mut notify)) {
                break;
            }
            op.finish(PieceKind::Put);
            queues.large.pop_front();
            finished += 1;
        }
        if notify {
            self.wake(job);
        }
        finished
    }
}

/// Teams with collectives through shared memory in flight, which polls advance, and their number.
struct NearList {
    teams: Mutex<Vec<&'static Near>>,
    turned: Turned,
    count: AtomicU32,
}

static LIST: NearList =
    NearList { teams: Mutex::new(Vec::new()), turned: Turned::new(AtomicBool::new(false)), count: AtomicU32::new(0) };

impl NearList {
    /// Counts `teams`, which is locked.
    fn count(&self, teams: &[&'static Near]) {
        let new = teams.len() as u32;
        WORK.change(self.count.swap(new, Ordering::Relaxed), new);
    }

    /// Adds `near`, which has collectives in flight.
    fn add(&self, job: &Job, near: &'static Near) {
        let mut list = self.teams.lock();
        list.push(near);
        self.count(&list);
        drop(list);
        job.left(&self.turned, false);
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
    /// The number of collectives that `near` has in flight. If it is 0, `near` is removed from the list.
    pub(super) fn near_in_flight(&self, near: &'static Near) -> usize {
        // Polls advance `near` with the list locked. A poll may have completed the last collective, whose event has been
        // tested since, but may still be in `near`. With the list locked here, only a collective call can hold its queues.
        let mut list = LIST.teams.lock();
        let count = near.in_flight();
        if count == 0 {
            list.retain(|listed| !core::ptr::eq(*listed, near));
            LIST.count(&list);
        }
        drop(list);
        self.left(&LIST.turned, false);
        count
    }

    /// Advances collectives through shared memory; returns the number of those that finished.
    pub(super) fn near_progress(&self) -> u32 {
        if LIST.count.load(Ordering::Relaxed) == 0 {
            return 0;
        }
        let Some(mut list) = LIST.turned.enter(|| LIST.teams.try_lock()) else { return 0 };
        let mut finished = 0;
        list.retain(|near| {
            let (count, idle) = near.step(self);
            finished += count;
            !idle
        });
        LIST.count(&list);
        drop(list);
        self.left(&LIST.turned, finished != 0);
        finished
    }

    /// Reserves zeroed memory of this rank for a team of up to `most` members. None if there is not enough, or if
    /// collectives are to use messages.
    pub fn near_reserve(&self, most: usize) -> Option<ArenaPart> {
        if !self.nbrhd.direct.load(Ordering::Relaxed) || most < 2 {
            return None;
        }
        let shape = |has_stage| BlockShape { members: most, has_stage };
        let is_free = |part: ArenaPart, members: &[NodeRank]| {
            let block = self.block_at(self.nbrhd.me, part, BlockShape { members: members.len(), has_stage: false });
            // Acquire: with the Release in `leave`; all accesses of the member have completed.
            let has_left = |member: usize| block.left(member).load(Ordering::Acquire) != 0;
            members.iter().enumerate().all(|(member, &rank)| has_left(member) || self.nbrhd.is_dead(rank))
        };
        let all = self.nbrhd.arena(self.nbrhd.me).len();
        let take = |len: usize| ARENA.take(all, len, is_free);
        let part = take(shape(true).bytes()).or_else(|| take(shape(false).bytes()))?;
        self.block_at(self.nbrhd.me, part, shape(false)).clear();
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
