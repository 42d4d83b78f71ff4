//! Plans for reductions and scans of GASNet-1. Vectors of the images are reduced within each rank, then between ranks.
//! For an array that is distributed over images, each rank sends one partial result to the root, or, if the function
//! does not commute, one partial result per contiguous run of elements; the root combines them in the order of the
//! array. For a scan, all ranks gather the elements of the array, and each computes its part of the result.

use crate::coll::buffer::Buffer;
use crate::coll::images::actions::{Context, Hook, Plan};
use crate::coll::images::layout::{Layout, Run};
use crate::coll::images::request::Reduction;
use crate::coll::operation::Operation;
use crate::coll::scratch::Scratch;
use crate::mem::{self, Dst, Src};

fn nothing(context: &Context<'_>) -> Plan {
    Plan { operation: None, ready: None, done: None, scratch: Vec::new(), plain: context.plain }
}

/// `gasnet_coll_reduce` of one vector of each image.
pub(crate) fn vectors(
    context: &Context<'_>,
    root: usize,
    by: Reduction,
    dsts: &[Dst<'static>],
    srcs: Vec<Src<'static>>,
) -> Plan {
    let len = srcs[0].len();
    if len == 0 {
        return nothing(context);
    }
    let (rank, index) = context.spans.find(root);
    let dst = if rank == context.me { dsts[index] } else { Dst::none() };
    let Reduction { operator, in_order, .. } = by;
    let operation = |src| Some(Operation::Reduce { operator, in_order, root: rank as usize, dst, src });
    if let [src] = srcs[..] {
        return Plan { operation: operation(src), ready: None, done: None, scratch: Vec::new(), plain: context.plain };
    }
    let scratch = Scratch::new(len);
    let (sum, operation) = (scratch.dst(), operation(scratch.src()));
    let ready = move || {
        mem::copy(sum, srcs[srcs.len() - 1]);
        srcs[..srcs.len() - 1].iter().rev().for_each(|&src| by.operator.apply(src, sum));
    };
    Plan { operation, ready: Some(Box::new(ready)), done: None, scratch: vec![scratch], plain: false }
}

/// The elements of a run in the memory of its image.
fn elements(src: Src<'static>, run: Run, width: usize) -> Src<'static> {
    src.part(run.at * width, run.len * width)
}

/// `gasnet_coll_reduce` of an array over images.
pub(crate) fn reduce(
    context: &Context<'_>,
    root: usize,
    source: Layout,
    by: Reduction,
    dsts: &[Dst<'static>],
    srcs: Vec<Src<'static>>,
) -> Plan {
    if source.count == 0 {
        return nothing(context);
    }
    let width = by.operator.width;
    let (rank, index) = context.spans.find(root);
    let (first, mine) = context.spans.of(context.me);
    let runs_of = move |image: usize| source.runs(image).count();
    // The number of partial results of each image: one per run, or, with a commutative function, one of the first
    // image of each rank that has elements.
    let (shares, places) = if by.in_order {
        context.spans.shares_of(width, runs_of)
    } else {
        let has = |rank: u32| {
            let (first, count) = context.spans.of(rank);
            (first..first + count).any(|image| runs_of(image) > 0)
        };
        context.spans.shares_of(width, |image| match context.spans.find(image) {
            (rank, 0) => usize::from(has(rank)),
            _ => 0,
        })
    };
    let values = places[context.spans.total()];
    let own = Scratch::new(shares.len(context.me as usize));
    let into = own.dst();
    let ready = move || {
        let mut at = 0;
        let mut sum = Buffer::new(width);
        let mut any = false;
        for (image, src) in (first..first + mine).zip(srcs) {
            for run in source.runs(image) {
                by.operator.fold(elements(src, run, width), sum.dst());
                if by.in_order {
                    mem::copy(into.part(at, width), sum.src());
                    at += width;
                } else if any {
                    by.operator.apply(sum.src(), into);
                } else {
                    mem::copy(into, sum.src());
                    any = true;
                }
            }
        }
    };
    let all = Scratch::new(if rank == context.me { values * width } else { 0 });
    let operation = Some(Operation::Gather { root: rank as usize, shares, dst: all.dst(), src: own.src() });
    let done: Option<Hook> = (rank == context.me).then(|| {
        let (dst, all) = (dsts[index], all.src());
        let join = move || match by.in_order {
            true => {
                // The gathered results are ordered by image; sort them into the order of the array.
                let mut next = places;
                let mut in_order = Buffer::new(all.len());
                for (number, (image, _)) in source.all_runs().enumerate() {
                    mem::copy(in_order.dst().part(number * width, width), all.part(next[image] * width, width));
                    next[image] += 1;
                }
                by.operator.fold(in_order.src(), dst);
            }
            false => by.operator.fold(all, dst),
        };
        Box::new(join) as Hook
    });
    Plan { operation, ready: Some(Box::new(ready)), done, scratch: vec![own, all], plain: false }
}

/// `gasnet_coll_scan`.
pub(crate) fn scan(
    context: &Context<'_>,
    dest: Layout,
    source: Layout,
    by: Reduction,
    inclusive: bool,
    dsts: Vec<Dst<'static>>,
    srcs: &[Src<'static>],
) -> Plan {
    if source.count == 0 {
        return nothing(context);
    }
    let width = by.operator.width;
    let (first, mine) = context.spans.of(context.me);
    let (shares, places) = context.spans.shares_of(width, |image| source.owned(image));
    let own = Scratch::new(shares.len(context.me as usize));
    let srcs = srcs.to_vec();
    let into = own.dst();
    let ready = move || {
        let mut at = 0;
        for (image, src) in (first..first + mine).zip(srcs) {
            for run in source.runs(image) {
                mem::copy(into.part(at, run.len * width), elements(src, run, width));
                at += run.len * width;
            }
        }
    };
    let all = Scratch::new(source.count * width);
    let operation = Some(Operation::Allgather { shares, dst: all.dst(), src: own.src() });
    let all_src = all.src();
    let done = move || {
        let wanted = Wanted { dest, first, dsts, width };
        // Elements after the last one that this rank keeps are not needed.
        let Some(end) = wanted.end() else { return };
        let mut next = places;
        let scratch = Scratch::new((end + 1) * width);
        let sums = |at: usize| scratch.dst().part(at * width, width);
        let mut at = 0;
        for (image, run) in source.all_runs() {
            for step in 0..run.len {
                let element = all_src.part((next[image] + step) * width, width);
                if at > end {
                    break;
                }
                mem::copy(sums(at), element);
                if at > 0 {
                    by.operator.apply(sums(at - 1).as_src(), sums(at));
                }
                at += 1;
            }
            next[image] += run.len;
        }
        wanted.give(scratch.src(), inclusive);
    };
    Plan { operation, ready: Some(Box::new(ready)), done: Some(Box::new(done)), scratch: vec![own, all], plain: false }
}

/// The part of a scan's result that this rank's images keep.
struct Wanted {
    dest: Layout,
    first: usize,
    dsts: Vec<Dst<'static>>,
    width: usize,
}

impl Wanted {
    fn runs(&self) -> impl Iterator<Item = (Dst<'static>, Run)> {
        let dest = self.dest;
        (self.first..).zip(&self.dsts).flat_map(move |(image, &dst)| dest.runs(image).map(move |run| (dst, run)))
    }

    /// The index of the last element that this rank keeps.
    fn end(&self) -> Option<usize> {
        self.runs().map(|(_, run)| run.first + run.len - 1).max()
    }

    /// Stores the results. `sums` has the inclusive scan.
    fn give(&self, sums: Src<'_>, inclusive: bool) {
        let width = self.width;
        for (dst, run) in self.runs() {
            // The first result of an exclusive scan is undefined: it is not changed.
            let skip = usize::from(!inclusive && run.first == 0);
            let from = run.first + skip - usize::from(!inclusive);
            let len = (run.len - skip) * width;
            mem::copy(dst.part((run.at + skip) * width, len), sums.part(from * width, len));
        }
    }
}
