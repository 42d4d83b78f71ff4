//! Maps a collective of GASNet-1 to one operation between ranks. If a rank has several images, their data are
//! packed into scratch memory before the operation, and unpacked after it; the memory of a single image is used
//! directly. Blocks are in the order of images, which is that of ranks.

use std::sync::Arc;

use crate::coll::engine::phases::Phases;
use crate::coll::engine::{self, Mailbox, Steps};
use crate::coll::images::actions::{Context, Hook, ImageBuffers, Plan, copy, packed};
use crate::coll::images::flag;
use crate::coll::images::reductions;
use crate::coll::images::request::{self, ImageRequest};
use crate::coll::message;
use crate::coll::message::barrier::BarrierSteps;
use crate::coll::operation::{AllSync, Operation};
use crate::coll::scratch::{Scratch, adjacent_dst};
use crate::event::Op;
use crate::job::Job;
use crate::mem::{self, Dst, Src};
use crate::team::Team;

struct Once(Option<Hook>);

impl Steps for Once {
    fn step(&mut self, _desk: &Mailbox<'_>) -> bool {
        if let Some(act) = self.0.take() {
            act();
        }
        true
    }
}

/// A collective and its scratch memory.
struct Whole {
    phases: Phases,
    _scratch: Vec<Arc<Scratch>>,
}

impl Steps for Whole {
    fn step(&mut self, mail: &Mailbox<'_>) -> bool {
        self.phases.step(mail)
    }
}

/// The synchronisation that the flags request.
fn sync(flags: i32) -> AllSync {
    AllSync { enter: flags & flag::IN_ALLSYNC != 0, leave: flags & flag::OUT_ALLSYNC != 0 }
}

impl Job {
    /// Executes `plan` with the other ranks of `team`. Polls.
    pub fn coll_plan_blocking(&self, team: &'static Team, request: &ImageRequest, mut plan: Plan) {
        if plan.plain {
            if let Some(operation) = plan.operation.take() {
                return self.coll_blocking(team, operation, sync(request.flags));
            }
        }
        if let Some(op) = self.coll_plan(team, request, plan, None, engine::fresh) {
            self.wait_own(op);
        }
    }

    /// Starts `plan` with the other ranks of `team`, followed by `last`, as one started piece of the operation that
    /// `op` returns. None if it completes at once.
    pub fn coll_plan(
        &self,
        team: &'static Team,
        request: &ImageRequest,
        plan: Plan,
        last: Option<Hook>,
        op: impl FnOnce() -> &'static Op,
    ) -> Option<&'static Op> {
        let sync = sync(request.flags);
        if let (true, None) = (plan.plain, &last) {
            return match plan.operation {
                Some(operation) => self.coll_begin(self.coll_number(team), team, operation, sync, op),
                None if sync == AllSync::default() => None,
                None => self.coll_begin(self.coll_number(team), team, Operation::Barrier, AllSync::default(), op),
            };
        }
        // Phases have the same numbers on all ranks, since messages carry them; local actions take the place of
        // phases.
        let once = |act: Option<Hook>| Box::new(Once(act)) as Box<dyn Steps>;
        let barrier = |wanted: bool| if wanted { Box::new(BarrierSteps::default()) } else { once(None) };
        let between =
            plan.operation.map_or(once(None), |operation| message::machine(team, operation, AllSync::default()));
        let phases =
            vec![barrier(sync.enter), once(plan.ready), between, once(plan.done), barrier(sync.leave), once(last)];
        let phases = Phases::new(phases);
        self.coll_launch(team, Box::new(Whole { phases, _scratch: plan.scratch }), op)
    }
}

/// The plan for `request` of a rank whose images have the buffers `memory`.
pub(crate) fn plan(context: &Context<'_>, request: &ImageRequest, memory: ImageBuffers) -> Plan {
    let (me, n) = (context.me, request.nbytes);
    let ImageBuffers { dsts, srcs } = memory;
    // Copies the result of the first image to the other images.
    let share = |dsts: &[Dst<'static>]| -> Option<Hook> {
        let (&first, others) = dsts.split_first().filter(|(_, others)| !others.is_empty())?;
        let others = others.to_vec();
        Some(Box::new(move || others.iter().for_each(|&dst| copy(dst, first.as_src()))))
    };
    let plain = context.plain;
    match request.collective {
        request::Collective::Broadcast { root } => {
            let (rank, index) = context.spans.find(root);
            let src = if rank == me { srcs[index] } else { Src::none() };
            let operation = Operation::Broadcast { root: rank as usize, dst: dsts[0], src };
            Plan {
                operation: Some(operation).filter(|_| n > 0),
                ready: None,
                done: share(&dsts),
                scratch: Vec::new(),
                plain,
            }
        }
        request::Collective::Scatter { root } => {
            let (rank, index) = context.spans.find(root);
            let src = if rank == me { srcs[index] } else { Src::none() };
            let operation =
                |dst| Some(Operation::Scatter { root: rank as usize, shares: context.spans.shares(n), dst, src });
            if let Some(dst) = adjacent_dst(&dsts) {
                return Plan { operation: operation(dst), ready: None, done: None, scratch: Vec::new(), plain };
            }
            let scratch = Scratch::new(dsts.len() * n);
            let (operation, all) = (operation(scratch.dst()), scratch.src());
            let done = move || (0..).zip(&dsts).for_each(|(at, &dst)| copy(dst, all.part(at * n, n)));
            Plan { operation, ready: None, done: Some(Box::new(done)), scratch: vec![scratch], plain }
        }
        request::Collective::Gather { root } => {
            let (rank, index) = context.spans.find(root);
            let dst = if rank == me { dsts[index] } else { Dst::none() };
            let (src, ready, scratch) = packed(&srcs);
            let operation = Some(Operation::Gather { root: rank as usize, shares: context.spans.shares(n), dst, src });
            Plan { operation, ready, done: None, scratch, plain }
        }
        request::Collective::GatherAll => {
            let (src, ready, scratch) = packed(&srcs);
            let operation = Some(Operation::Allgather { shares: context.spans.shares(n), dst: dsts[0], src });
            Plan { operation, ready, done: share(&dsts), scratch, plain }
        }
        request::Collective::Exchange => exchange(context, n, &dsts, srcs),
        request::Collective::Vectors { root, by, .. } => reductions::vectors(context, root, by, &dsts, srcs),
        request::Collective::Reduce { root, source, by } => reductions::reduce(context, root, source, by, &dsts, srcs),
        request::Collective::Scan { dest, source, by } => {
            let inclusive = request.flags & flag::INCLUSIVE_SCAN != 0;
            reductions::scan(context, dest, source, by, inclusive, dsts, &srcs)
        }
    }
}

/// Alltoall: two ranks exchange one block for each pair of their images, ordered by the sender's image, then by the
/// receiver's image.
fn exchange(context: &Context<'_>, n: usize, dsts: &[Dst<'static>], srcs: Vec<Src<'static>>) -> Plan {
    let mine = dsts.len();
    let operation = |dst, src| Some(Operation::Alltoall { shares: context.spans.shares(n), dst, src });
    if mine == 1 {
        return Plan {
            operation: operation(dsts[0], srcs[0]),
            ready: None,
            done: None,
            scratch: Vec::new(),
            plain: context.plain,
        };
    }
    let bytes = n * mine * context.spans.total();
    let (out, into) = (Scratch::new(bytes), Scratch::new(bytes));
    let operation = operation(into.dst(), out.src());
    let others: Vec<(usize, usize)> = (0..context.size).map(|rank| context.spans.of(rank)).collect();
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
    Plan { operation, ready: Some(Box::new(ready)), done: Some(Box::new(done)), scratch: vec![out, into], plain: false }
}
