//! A member's view of its team's shared memory, with a queue of the collectives that it has started.

use std::collections::VecDeque;

use parking_lot::Mutex;

use crate::barrier::Barrier;
use crate::coll::near::block::Block;
use crate::coll::near::large::{self, Large, LargeStage};
use crate::coll::near::window::{self, StarvedMembers, Window};
use crate::coll::operation::{AllSync, Operation};
use crate::defs::rank::NodeRank;
use crate::event::{Op, PieceKind};
use crate::hang::waits::Note;
use crate::job::Job;
use crate::sync::atomic::Ordering;
use crate::sync::turned::Turned;

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
    /// Member `me` of the team of `members`, whose memory is `block`. `crowded`: the same on all members.
    pub(crate) fn on(block: Block, members: Box<[NodeRank]>, me: usize, crowded: bool) -> Near {
        let barrier = Barrier::of_team(block.barrier_area(), me, &members);
        Near { block, me, members, crowded, barrier, queues: Mutex::default(), turned: Turned::default() }
    }

    /// Whether `operation` can use this memory; the same for all members.
    pub fn takes(&self, operation: &Operation, sync: AllSync) -> bool {
        self.is_small(operation, sync) || large::most(operation, &self.block) > 0
    }

    fn is_small(&self, operation: &Operation, sync: AllSync) -> bool {
        matches!(operation, Operation::Barrier) || operation.is_small(self.members.len()) && sync == AllSync::default()
    }

    /// The number of collectives that this member has in flight. The caller excludes polls, and takes a member without any off the list.
    pub(super) fn in_flight(&self) -> usize {
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
    /// once. Calls `list` if polls did not advance this member's collectives before.
    pub(crate) fn start(
        &self,
        job: &Job,
        operation: Operation,
        sync: AllSync,
        begin: impl FnOnce() -> &'static Op,
        list: impl FnOnce(),
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
            list();
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
    pub(crate) fn step(&self, job: &Job) -> (u32, bool) {
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
        queues.window.has_place(
            number,
            self.block.places(),
            finished,
            self.block.finished_by_all(),
            self.me,
            self.block.starved(),
        )
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
