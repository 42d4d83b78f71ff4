//! Which way a collective goes: through shared memory where the whole team lives in this nbrhd, else by messages.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::coll::barrier::Barrier;
use crate::coll::broadcast::Broadcast;
use crate::coll::engine::Steps;
use crate::coll::near::What;
use crate::coll::operator::Operator;
use crate::coll::reduce::{ToAll, ToOne};
use crate::coll::words::Words;
use crate::event::{Handle, Op};
use crate::job::Job;
use crate::mem::{Dst, Src};
use crate::team::Team;

/// The same by messages.
fn by_messages(what: What, in_order: bool) -> Box<dyn Steps> {
    match what {
        What::Barrier => Box::new(Barrier::default()),
        What::Words(mine, all) => Box::new(Words::new(mine, all)),
        What::Broadcast { root, dst, src } => Box::new(Broadcast::new(root as u32, dst, src)),
        What::ToOne { operator, root, dst, src } => Box::new(ToOne::new(operator, in_order, root as u32, dst, src)),
        What::ToAll { operator, dst, src } => Box::new(ToAll::new(operator, dst, src)),
    }
}

impl Job {
    /// Starts `what`; None if it is complete already. `in_order`: the operation may not commute.
    fn coll_go(&self, team: &'static Team, what: What, in_order: bool) -> Option<&'static Op> {
        match team.near().filter(|near| near.takes(&what)) {
            Some(near) => near.start(self, what),
            None => self.coll_begin(team, by_messages(what, in_order)),
        }
    }

    fn coll_handle(&self, team: &'static Team, what: What, in_order: bool) -> Handle {
        self.coll_go(team, what, in_order).map_or(Handle::DONE, Op::hand_out)
    }

    fn coll_wait(&self, team: &'static Team, what: What) {
        if let Some(op) = self.coll_go(team, what, false) {
            self.wait_own(op);
        }
    }

    pub fn coll_barrier(&self, team: &'static Team) -> Handle {
        self.coll_handle(team, What::Barrier, false)
    }

    pub fn coll_barrier_blocking(&self, team: &'static Team) {
        self.coll_wait(team, What::Barrier);
    }

    /// `src` matters on `root` only, where it may be `dst`.
    pub fn coll_broadcast(&self, team: &'static Team, root: u32, dst: Dst<'static>, src: Src<'static>) -> Handle {
        if dst.is_empty() {
            return Handle::DONE;
        }
        self.coll_handle(team, What::Broadcast { root: root as usize, dst, src }, false)
    }

    /// `dst` matters on `root` only, where it may be `src`.
    pub fn coll_reduce_to_one(
        &self,
        team: &'static Team,
        operator: Operator,
        in_order: bool,
        root: u32,
        dst: Dst<'static>,
        src: Src<'static>,
    ) -> Handle {
        self.coll_handle(team, What::ToOne { operator, root: root as usize, dst, src }, in_order)
    }

    /// `dst` may be `src`.
    pub fn coll_reduce_to_all(
        &self,
        team: &'static Team,
        operator: Operator,
        dst: Dst<'static>,
        src: Src<'static>,
    ) -> Handle {
        self.coll_handle(team, What::ToAll { operator, dst, src }, false)
    }

    /// Gives `mine` and returns what each member of `team` gave, by rank. All members call it in the same order; polls.
    pub fn gather_words<const N: usize>(&self, team: &'static Team, mine: [u64; N]) -> Vec<[u64; N]> {
        let all = Arc::new(Mutex::new(Vec::new()));
        self.coll_wait(team, What::Words(mine.to_vec(), Arc::clone(&all)));
        let all = all.lock();
        all.as_chunks::<N>().0.to_vec()
    }
}
