//! Which way a collective goes: through shared memory where the whole team lives in this nbrhd, else by messages.

use core::ffi::CStr;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::coll::barrier::Barrier;
use crate::coll::broadcast::Broadcast;
use crate::coll::concat::Concat;
use crate::coll::engine::{self, Steps};
use crate::coll::moves::Moves;
use crate::coll::near::Near;
use crate::coll::operator::Operator;
use crate::coll::phases::Phases;
use crate::coll::reduce::{ToAll, ToOne};
use crate::coll::shares::Shares;
use crate::coll::swap::Swap;
use crate::coll::trees::{Gather, Scatter};
use crate::event::{Handle, Op};
use crate::job::Job;
use crate::mem::{Dst, Src};
use crate::progress::waits::Note;
use crate::sync::atomic::Ordering;
use crate::team::Team;

pub use crate::coll::what::What;

/// Who waits for whom, beyond what the data need: GASNET_COLL_IN_ALLSYNC and GASNET_COLL_OUT_ALLSYNC.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct AllSync {
    /// No data are touched before all members have started the collective.
    pub enter: bool,
    /// It is complete nowhere before all data are where they belong.
    pub leave: bool,
}

/// What a report on a job that hangs calls it.
fn name_of(what: &What) -> &'static CStr {
    match what {
        What::Barrier => c"barrier",
        What::Words(..) => c"words of all to all",
        What::Broadcast { .. } => c"broadcast",
        What::Scatter { .. } => c"scatter",
        What::Gather { .. } => c"gather",
        What::GatherAll { .. } => c"gather to all",
        What::Exchange { .. } => c"exchange",
        What::ToOne { .. } => c"reduce to one",
        What::ToAll { .. } => c"reduce to all",
    }
}

/// Parts up to so many bytes go along a tree; with those of others to all; with others to each. Larger ones, and those of
/// few members, go straight to where they belong: a message for each costs less than moving bytes more than once.
const IN_TREES: usize = 1024;
const TOGETHER: usize = 4096;
const SWAPPED: usize = 256;
const FEW_MEMBERS: u32 = 4;

fn few(shares: &Shares, members: u32, bytes: usize) -> bool {
    members > FEW_MEMBERS && shares.longest(members as usize) <= bytes
}

/// The same by messages.
pub(super) fn by_messages(team: &Team, what: What, sync: AllSync) -> Box<dyn Steps> {
    let (me, size) = (team.rank(), team.size());
    let steps: Box<dyn Steps> = match what {
        What::Barrier => return Box::new(Barrier::default()),
        What::Words(mine, all) => Box::new(Concat::of_words(me as usize, size as usize, &mine, all)),
        What::Broadcast { root, dst, src } => Box::new(Broadcast::new(root as u32, dst, src)),
        What::Scatter { root, shares, dst, src } if few(&shares, size, IN_TREES) => {
            Box::new(Scatter::new(me, size, root, shares, dst, src))
        }
        What::Gather { root, shares, dst, src } if few(&shares, size, IN_TREES) => {
            Box::new(Gather::new(me, size, root, shares, dst, src))
        }
        What::GatherAll { shares, dst, src } if few(&shares, size, TOGETHER) => {
            Box::new(Concat::of_parts(me as usize, size as usize, shares, dst, src))
        }
        What::Exchange { shares, dst, src } if few(&shares.of_most(size as usize), size, SWAPPED) => {
            Box::new(Swap::new(me as usize, size as usize, shares, dst, src))
        }
        What::Scatter { root, shares, dst, src } => Box::new(Moves::scatter(me, size, root as u32, &shares, dst, src)),
        What::Gather { root, shares, dst, src } => Box::new(Moves::gather(me, size, root as u32, &shares, dst, src)),
        What::GatherAll { shares, dst, src } => Box::new(Moves::gather_all(me, size, &shares, dst, src)),
        What::Exchange { shares, dst, src } => Box::new(Moves::exchange(me, size, &shares, dst, src)),
        What::ToOne { operator, in_order, root, dst, src } => {
            Box::new(ToOne::new(operator, in_order, root as u32, dst, src))
        }
        What::ToAll { operator, dst, src } => Box::new(ToAll::new(operator, dst, src)),
    };
    if sync == AllSync::default() {
        return steps;
    }
    let barrier = |wanted: bool| wanted.then(|| Box::new(Barrier::default()) as Box<dyn Steps>);
    Box::new(Phases::new(barrier(sync.enter).into_iter().chain([steps]).chain(barrier(sync.leave)).collect()))
}

impl Job {
    /// Starts `what`; None if it is complete already.
    fn coll_go(&self, team: &'static Team, what: What, sync: AllSync) -> Option<&'static Op> {
        self.coll_go_on(team, what, sync, engine::fresh)
    }

    /// As `coll_go`, as a piece that `op` has started of what it gives; not called for what is complete already.
    pub(super) fn coll_go_on(
        &self,
        team: &'static Team,
        what: What,
        sync: AllSync,
        op: impl FnOnce() -> &'static Op,
    ) -> Option<&'static Op> {
        let number = self.coll_number(team);
        self.coll_go_as(number, team, what, sync, op)
    }

    /// The number of the collective that is started next, the same for all members.
    fn coll_number(&self, team: &Team) -> u32 {
        let number = team.begun.load(Ordering::Relaxed).wrapping_add(1);
        // Not read-modify-write: the members' order is the client's, and so one thread at a time starts one.
        team.begun.store(number, Ordering::Relaxed);
        number
    }

    fn coll_go_as(
        &self,
        number: u32,
        team: &'static Team,
        what: What,
        sync: AllSync,
        op: impl FnOnce() -> &'static Op,
    ) -> Option<&'static Op> {
        let name = name_of(&what);
        let takes = |near: &&Near| near.takes(&what, sync);
        let op = match team.near().filter(takes) {
            Some(near) => near.start(self, what, sync, op),
            None => self.coll_begin_on(team, by_messages(team, what, sync), op),
        }?;
        op.set_collective(team.id(), number, name);
        Some(op)
    }

    /// Starts `what` on `team`.
    pub fn coll_nb(&self, team: &'static Team, what: What, sync: AllSync) -> Handle {
        self.coll_go(team, what, sync).map_or(Handle::DONE, Op::hand_out)
    }

    /// Does `what` on `team`. Polls.
    pub fn coll_blocking(&self, team: &'static Team, mut what: What, sync: AllSync) {
        let number = self.coll_number(team);
        if let Some(near) = team.near().filter(|near| near.takes(&what, sync)) {
            let note = Note::Collective { team: team.id(), number, name: name_of(&what).to_bytes() };
            match near.run(self, what, sync, note) {
                Ok(()) => return,
                Err(back) => what = back,
            }
        }
        if let Some(op) = self.coll_go_as(number, team, what, sync, engine::fresh) {
            self.wait_own(op);
        }
    }

    pub fn coll_barrier(&self, team: &'static Team) -> Handle {
        self.coll_nb(team, What::Barrier, AllSync::default())
    }

    pub fn coll_barrier_blocking(&self, team: &'static Team) {
        self.coll_blocking(team, What::Barrier, AllSync::default());
    }

    /// `src` matters on `root` only, where it may be `dst`.
    pub fn coll_broadcast(&self, team: &'static Team, root: u32, dst: Dst<'static>, src: Src<'static>) -> Handle {
        if dst.is_empty() {
            return Handle::DONE;
        }
        self.coll_nb(team, What::Broadcast { root: root as usize, dst, src }, AllSync::default())
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
        let what = What::ToOne { operator, in_order, root: root as usize, dst, src };
        self.coll_nb(team, what, AllSync::default())
    }

    /// `dst` may be `src`.
    pub fn coll_reduce_to_all(
        &self,
        team: &'static Team,
        operator: Operator,
        dst: Dst<'static>,
        src: Src<'static>,
    ) -> Handle {
        self.coll_nb(team, What::ToAll { operator, dst, src }, AllSync::default())
    }

    /// Gives `mine` and returns what each member of `team` gave, by rank. All members call it in the same order; polls.
    pub fn gather_words<const N: usize>(&self, team: &'static Team, mine: [u64; N]) -> Vec<[u64; N]> {
        let all = Arc::new(Mutex::new(Vec::new()));
        self.coll_blocking(team, What::Words(mine.to_vec(), Arc::clone(&all)), AllSync::default());
        let all = all.lock();
        all.as_chunks::<N>().0.to_vec()
    }

    /// As `gather_words`, of any number of words, which may differ between members.
    pub fn gather_lists(&self, team: &'static Team, mine: &[u64]) -> Vec<Vec<u64>> {
        let counts = self.gather_words(team, [mine.len() as u64]);
        let most = counts.iter().map(|[count]| *count as usize).max().unwrap_or_default();
        if most == 0 {
            return vec![Vec::new(); counts.len()];
        }
        let mut padded = mine.to_vec();
        padded.resize(most, 0);
        let all = Arc::new(Mutex::new(Vec::new()));
        self.coll_blocking(team, What::Words(padded, Arc::clone(&all)), AllSync::default());
        let all = all.lock();
        all.chunks_exact(most).zip(counts).map(|(words, [count])| words[..count as usize].to_vec()).collect()
    }
}
