//! One rank's part of a collective of GASNet-1: from what its images bring, and for them, one movement between ranks.
//! Where a rank has several images their data is packed into memory of ours before the movement, and unpacked behind
//! it; a single image's memory is used as it is. Blocks are in the order of images, which is that of ranks.

use std::sync::Arc;

use crate::coll::asked::{self, Asked, flag};
use crate::coll::barrier::Barrier;
use crate::coll::computed;
use crate::coll::engine::{self, Desk, Steps};
use crate::coll::held::{Held, joined_dst, joined_src};
use crate::coll::images::Spans;
use crate::coll::phases::Phases;
use crate::coll::start::{AllSync, What, by_messages};
use crate::event::Op;
use crate::job::Job;
use crate::mem::{self, Dst, Src};
use crate::team::Team;

/// Something that is done once, here.
pub type Hook = Box<dyn FnOnce() + Send>;

struct Once(Option<Hook>);

impl Steps for Once {
    fn step(&mut self, _desk: &Desk<'_>) -> bool {
        if let Some(act) = self.0.take() {
            act();
        }
        true
    }
}

/// What a rank does.
pub struct Plan {
    /// With the other ranks; None if there is nothing to do.
    pub what: Option<What>,
    /// Before that, once its images' memory may be read.
    pub ready: Option<Hook>,
    /// Behind it.
    pub done: Option<Hook>,
    /// What the three have views of.
    pub held: Vec<Arc<Held>>,
    /// No rank does more than `what`.
    pub plain: bool,
}

/// A collective and the memory that it holds.
struct Whole {
    phases: Phases,
    _held: Vec<Arc<Held>>,
}

impl Steps for Whole {
    fn step(&mut self, desk: &Desk<'_>) -> bool {
        self.phases.step(desk)
    }
}

/// The barriers that flags ask for.
fn sync(flags: i32) -> AllSync {
    AllSync { enter: flags & flag::IN_ALLSYNC != 0, leave: flags & flag::OUT_ALLSYNC != 0 }
}

impl Job {
    /// Carries out `plan` with the other ranks of `team`. Polls.
    pub fn coll_plan_blocking(&self, team: &'static Team, asked: &Asked, mut plan: Plan) {
        if plan.plain
            && let Some(what) = plan.what.take()
        {
            return self.coll_blocking(team, what, sync(asked.flags));
        }
        if let Some(op) = self.coll_plan(team, asked, plan, None, engine::fresh) {
            self.wait_own(op);
        }
    }

    /// Carries out `plan` with the other ranks of `team`, then `last`; as a piece that `op` has started of what it gives.
    /// None if it is complete already.
    pub fn coll_plan(
        &self,
        team: &'static Team,
        asked: &Asked,
        plan: Plan,
        last: Option<Hook>,
        op: impl FnOnce() -> &'static Op,
    ) -> Option<&'static Op> {
        let sync = sync(asked.flags);
        if let (true, None) = (plan.plain, &last) {
            return match plan.what {
                Some(what) => self.coll_go_on(team, what, sync, op),
                None if sync == AllSync::default() => None,
                None => self.coll_go_on(team, What::Barrier, AllSync::default(), op),
            };
        }
        // Phases have the same numbers on all ranks, whatever each does in between: messages go by them.
        let once = |act: Option<Hook>| Box::new(Once(act)) as Box<dyn Steps>;
        let barrier = |wanted: bool| if wanted { Box::new(Barrier::default()) } else { once(None) };
        let between = plan.what.map_or(once(None), |what| by_messages(team, what, AllSync::default()));
        let phases =
            vec![barrier(sync.enter), once(plan.ready), between, once(plan.done), barrier(sync.leave), once(last)];
        let phases = Phases::new(phases);
        self.coll_begin_on(team, Box::new(Whole { phases, _held: plan.held }), op)
    }
}

/// Where a rank stands: itself, and all images of the team.
pub struct Stand<'a> {
    pub me: u32,
    pub size: u32,
    pub spans: &'a Spans,
    /// Every rank has one image.
    pub plain: bool,
}

/// The memory of a rank's images, in their order. Where something matters on the root only, elsewhere it is empty.
pub struct Memory {
    pub dsts: Vec<Dst<'static>>,
    pub srcs: Vec<Src<'static>>,
}

pub fn copy(dst: Dst<'_>, src: Src<'_>) {
    if src.as_ptr() != dst.as_ptr().cast_const() {
        mem::copy(dst, src);
    }
}

/// All of `srcs`, one behind the other; with what makes it so, and the memory, if they are not already.
pub fn packed(srcs: &[Src<'static>]) -> (Src<'static>, Option<Hook>, Vec<Arc<Held>>) {
    if let Some(all) = joined_src(srcs) {
        return (all, None, Vec::new());
    }
    let held = Held::new(srcs.iter().map(|src| src.len()).sum());
    let (all, into, srcs) = (held.src(), held.dst(), srcs.to_vec());
    let pack = move || {
        let mut at = 0;
        for src in srcs {
            mem::copy(into.part(at, src.len()), src);
            at += src.len();
        }
    };
    (all, Some(Box::new(pack)), vec![held])
}

/// The plan of `asked` for a rank whose images bring `memory`.
pub fn plan(stand: &Stand<'_>, asked: &Asked, memory: Memory) -> Plan {
    let (me, n) = (stand.me, asked.nbytes);
    let Memory { dsts, srcs } = memory;
    // What the first image has got, for the others.
    let share = |dsts: &[Dst<'static>]| -> Option<Hook> {
        let (&first, others) = dsts.split_first().filter(|(_, others)| !others.is_empty())?;
        let others = others.to_vec();
        Some(Box::new(move || others.iter().for_each(|&dst| copy(dst, first.as_src()))))
    };
    let plain = stand.plain;
    match asked.what {
        asked::What::Broadcast { root } => {
            let (rank, index) = stand.spans.find(root);
            let src = if rank == me { srcs[index] } else { Src::none() };
            let what = What::Broadcast { root: rank as usize, dst: dsts[0], src };
            Plan { what: Some(what).filter(|_| n > 0), ready: None, done: share(&dsts), held: Vec::new(), plain }
        }
        asked::What::Scatter { root } => {
            let (rank, index) = stand.spans.find(root);
            let src = if rank == me { srcs[index] } else { Src::none() };
            let what = |dst| Some(What::Scatter { root: rank as usize, shares: stand.spans.shares(n), dst, src });
            if let Some(dst) = joined_dst(&dsts) {
                return Plan { what: what(dst), ready: None, done: None, held: Vec::new(), plain };
            }
            let held = Held::new(dsts.len() * n);
            let (what, all) = (what(held.dst()), held.src());
            let done = move || (0..).zip(&dsts).for_each(|(at, &dst)| copy(dst, all.part(at * n, n)));
            Plan { what, ready: None, done: Some(Box::new(done)), held: vec![held], plain }
        }
        asked::What::Gather { root } => {
            let (rank, index) = stand.spans.find(root);
            let dst = if rank == me { dsts[index] } else { Dst::none() };
            let (src, ready, held) = packed(&srcs);
            let what = Some(What::Gather { root: rank as usize, shares: stand.spans.shares(n), dst, src });
            Plan { what, ready, done: None, held, plain }
        }
        asked::What::GatherAll => {
            let (src, ready, held) = packed(&srcs);
            let what = Some(What::GatherAll { shares: stand.spans.shares(n), dst: dsts[0], src });
            Plan { what, ready, done: share(&dsts), held, plain }
        }
        asked::What::Exchange => exchange(stand, n, &dsts, srcs),
        asked::What::Vectors { root, by, .. } => computed::vectors(stand, root, by, &dsts, srcs),
        asked::What::Reduce { root, source, by } => computed::reduce(stand, root, source, by, &dsts, srcs),
        asked::What::Scan { dest, source, by } => {
            let inclusive = asked.flags & flag::INCLUSIVE_SCAN != 0;
            computed::scan(stand, dest, source, by, inclusive, dsts, &srcs)
        }
    }
}

/// Two ranks exchange a block for each pair of their images: those of the sender's first image first, each image's in
/// the order of the receiver's images.
fn exchange(stand: &Stand<'_>, n: usize, dsts: &[Dst<'static>], srcs: Vec<Src<'static>>) -> Plan {
    let mine = dsts.len();
    let what = |dst, src| Some(What::Exchange { shares: stand.spans.shares(n), dst, src });
    if mine == 1 {
        return Plan { what: what(dsts[0], srcs[0]), ready: None, done: None, held: Vec::new(), plain: stand.plain };
    }
    let bytes = n * mine * stand.spans.total();
    let (out, into) = (Held::new(bytes), Held::new(bytes));
    let what = what(into.dst(), out.src());
    let others: Vec<(usize, usize)> = (0..stand.size).map(|rank| stand.spans.of(rank)).collect();
    let (spans, to_send, received) = (others.clone(), out.dst(), into.src());
    let ready = move || {
        for (first, count) in spans {
            let (at, len) = (first * mine * n, count * n);
            let theirs = to_send.part(at, len * mine);
            (0..)
                .zip(&srcs)
                .for_each(|(image, src)| mem::copy(theirs.part(image * len, len), src.part(first * n, len)));
        }
    };
    let dsts = dsts.to_vec();
    let done = move || {
        for (first, count) in others {
            let theirs = received.part(first * mine * n, count * mine * n);
            for image in 0..count {
                for (to, dst) in dsts.iter().enumerate() {
                    mem::copy(dst.part((first + image) * n, n), theirs.part((image * mine + to) * n, n));
                }
            }
        }
    };
    Plan { what, ready: Some(Box::new(ready)), done: Some(Box::new(done)), held: vec![out, into], plain: false }
}
