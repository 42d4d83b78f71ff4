//! Starting collectives: through shared memory if all members of the team are in this nbrhd, else by the network if it offers the
//! operation, else by messages.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::coll::engine;
use crate::coll::message;
use crate::coll::near::Near;
use crate::coll::operation::{AllSync, Operation};
use crate::coll::operator::Operator;
use crate::event::{Handle, Op};
use crate::hang::waits::Note;
use crate::job::Job;
use crate::mem::{Dst, Src};
use crate::sync::atomic::Ordering;
use crate::team::Team;

impl Job {
    /// The number of the team's next collective, the same on all members.
    pub(super) fn coll_number(&self, team: &Team) -> u32 {
        let number = team.begun.load(Ordering::Relaxed).wrapping_add(1);
        // Not an atomic read-modify-write: the client orders the collectives of a member, so one thread at a time
        // starts one.
        team.begun.store(number, Ordering::Relaxed);
        number
    }

    /// Starts `operation` as collective `number` of `team`, as one started piece of the operation that `op` returns.
    /// Returns None, without calling `op`, if it completes at once.
    pub(super) fn coll_begin(
        &self,
        number: u32,
        team: &'static Team,
        operation: Operation,
        sync: AllSync,
        op: impl FnOnce() -> &'static Op,
    ) -> Option<&'static Op> {
        let name = operation.name();
        let takes = |near: &&Near| near.takes(&operation, sync);
        let op = if let Some(near) = team.near().filter(takes) {
            self.near_start(near, operation, sync, op)
        } else if let Some(native) = self.native_takes(team, &operation, sync) {
            Some(native.start(op()))
        } else {
            self.coll_launch(team, message::machine(team, operation, sync), op)
        }?;
        op.set_collective(team.id(), number, name);
        Some(op)
    }

    /// Starts `operation` on `team`.
    pub fn coll_nb(&self, team: &'static Team, operation: Operation, sync: AllSync) -> Handle {
        self.coll_begin(self.coll_number(team), team, operation, sync, engine::fresh).map_or(Handle::DONE, Op::hand_out)
    }

    /// Executes `operation` on `team`. Polls.
    pub fn coll_blocking(&self, team: &'static Team, mut operation: Operation, sync: AllSync) {
        let number = self.coll_number(team);
        if let Some(near) = team.near().filter(|near| near.takes(&operation, sync)) {
            let note = Note::Collective { team: team.id(), number, name: operation.name().to_bytes() };
            match near.run(self, operation, sync, note) {
                Ok(()) => return,
                Err(returned) => operation = returned,
            }
        }
        if let Some(op) = self.coll_begin(number, team, operation, sync, engine::fresh) {
            self.wait_own(op);
        }
    }

    pub fn coll_barrier(&self, team: &'static Team) -> Handle {
        self.coll_nb(team, Operation::Barrier, AllSync::default())
    }

    pub fn coll_barrier_blocking(&self, team: &'static Team) {
        self.coll_blocking(team, Operation::Barrier, AllSync::default());
    }

    /// `src` is used on `root` only, where it may be `dst`.
    pub fn coll_broadcast(&self, team: &'static Team, root: u32, dst: Dst<'static>, src: Src<'static>) -> Handle {
        if dst.is_empty() {
            return Handle::DONE;
        }
        self.coll_nb(team, Operation::Broadcast { root: root as usize, dst, src }, AllSync::default())
    }

    /// `dst` is used on `root` only, where it may be `src`.
    pub fn coll_reduce(
        &self,
        team: &'static Team,
        operator: Operator,
        in_order: bool,
        root: u32,
        dst: Dst<'static>,
        src: Src<'static>,
    ) -> Handle {
        let operation = Operation::Reduce { operator, in_order, root: root as usize, dst, src };
        self.coll_nb(team, operation, AllSync::default())
    }

    /// `dst` may be `src`.
    pub fn coll_allreduce(
        &self,
        team: &'static Team,
        operator: Operator,
        dst: Dst<'static>,
        src: Src<'static>,
    ) -> Handle {
        self.coll_nb(team, Operation::Allreduce { operator, dst, src }, AllSync::default())
    }

    /// Allgather of a fixed number of words: returns those of each member of `team`, by rank. Called by all members
    /// in the same order; polls.
    pub fn gather_words<const N: usize>(&self, team: &'static Team, mine: [u64; N]) -> Vec<[u64; N]> {
        let all = Arc::new(Mutex::new(Vec::new()));
        let operation = Operation::AllgatherWords(mine.to_vec(), Arc::clone(&all));
        self.coll_blocking(team, operation, AllSync::default());
        let all = all.lock();
        all.chunks_exact(N).filter_map(|words| words.try_into().ok()).collect()
    }

    /// As `gather_words`, with any number of words, which may differ between members.
    pub fn gather_lists(&self, team: &'static Team, mine: &[u64]) -> Vec<Vec<u64>> {
        let counts = self.gather_words(team, [mine.len() as u64]);
        let most = counts.iter().map(|[count]| *count as usize).max().unwrap_or_default();
        if most == 0 {
            return vec![Vec::new(); counts.len()];
        }
        let mut padded = mine.to_vec();
        padded.resize(most, 0);
        let all = Arc::new(Mutex::new(Vec::new()));
        self.coll_blocking(team, Operation::AllgatherWords(padded, Arc::clone(&all)), AllSync::default());
        let all = all.lock();
        all.chunks_exact(most).zip(counts).map(|(words, [count])| words[..count as usize].to_vec()).collect()
    }
}
