//! Reductions and scans of GASNet-1, as plans. Every image's vectors are joined in the rank, then between ranks. Of an
//! array over images, what is joined where it lies goes to the root in as many values as the order needs: one of each
//! rank, or, if the function does not commute, one of each run; there they are joined in the order of the array. A scan
//! gives all ranks the elements of the array, and each computes what it keeps.

use crate::coll::asked::By;
use crate::coll::buffer::Buffer;
use crate::coll::held::Held;
use crate::coll::layout::{Layout, Run};
use crate::coll::plan::{Hook, Plan, Stand};
use crate::coll::start::What;
use crate::mem::{self, Dst, Src};

fn nothing(stand: &Stand<'_>) -> Plan {
    Plan { what: None, ready: None, done: None, held: Vec::new(), plain: stand.plain }
}

/// `gasnet_coll_reduce` of one vector of each image.
pub fn vectors(stand: &Stand<'_>, root: usize, by: By, dsts: &[Dst<'static>], srcs: Vec<Src<'static>>) -> Plan {
    let len = srcs[0].len();
    if len == 0 {
        return nothing(stand);
    }
    let (rank, index) = stand.spans.find(root);
    let dst = if rank == stand.me { dsts[index] } else { Dst::none() };
    let By { operator, in_order, .. } = by;
    let what = |src| Some(What::ToOne { operator, in_order, root: rank as usize, dst, src });
    if let [src] = srcs[..] {
        return Plan { what: what(src), ready: None, done: None, held: Vec::new(), plain: stand.plain };
    }
    let held = Held::new(len);
    let (sum, what) = (held.dst(), what(held.src()));
    let ready = move || {
        mem::copy(sum, srcs[srcs.len() - 1]);
        srcs[..srcs.len() - 1].iter().rev().for_each(|&src| by.operator.apply(src, sum));
    };
    Plan { what, ready: Some(Box::new(ready)), done: None, held: vec![held], plain: false }
}

/// The elements of a run in the memory of its image.
fn elements(src: Src<'static>, run: Run, width: usize) -> Src<'static> {
    src.part(run.at * width, run.len * width)
}

/// `gasnet_coll_reduce` of an array over images.
pub fn reduce(
    stand: &Stand<'_>,
    root: usize,
    source: Layout,
    by: By,
    dsts: &[Dst<'static>],
    srcs: Vec<Src<'static>>,
) -> Plan {
    if source.count == 0 {
        return nothing(stand);
    }
    let width = by.operator.width;
    let (rank, index) = stand.spans.find(root);
    let (first, mine) = stand.spans.of(stand.me);
    let runs_of = move |image: usize| source.runs(image).count();
    // Values of each image; with a function that commutes one, of the first image of each rank that has elements.
    let (shares, places) = if by.in_order {
        stand.spans.shares_of(width, runs_of)
    } else {
        let has = |rank: u32| {
            let (first, count) = stand.spans.of(rank);
            (first..first + count).any(|image| runs_of(image) > 0)
        };
        stand.spans.shares_of(width, |image| match stand.spans.find(image) {
            (rank, 0) => usize::from(has(rank)),
            _ => 0,
        })
    };
    let values = places[stand.spans.total()];
    let own = Held::new(shares.len(stand.me as usize));
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
    let all = Held::new(if rank == stand.me { values * width } else { 0 });
    let what = Some(What::Gather { root: rank as usize, shares, dst: all.dst(), src: own.src() });
    let done: Option<Hook> = (rank == stand.me).then(|| {
        let (dst, all) = (dsts[index], all.src());
        let join = move || match by.in_order {
            true => {
                // The runs of each image are behind each other there; here they come in the order of the array.
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
    Plan { what, ready: Some(Box::new(ready)), done, held: vec![own, all], plain: false }
}

/// `gasnet_coll_scan`.
pub fn scan(
    stand: &Stand<'_>,
    dest: Layout,
    source: Layout,
    by: By,
    inclusive: bool,
    dsts: Vec<Dst<'static>>,
    srcs: &[Src<'static>],
) -> Plan {
    if source.count == 0 {
        return nothing(stand);
    }
    let width = by.operator.width;
    let (first, mine) = stand.spans.of(stand.me);
    let (shares, places) = stand.spans.shares_of(width, |image| source.owned(image));
    let own = Held::new(shares.len(stand.me as usize));
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
    let all = Held::new(source.count * width);
    let what = Some(What::GatherAll { shares, dst: all.dst(), src: own.src() });
    let all_src = all.src();
    let done = move || {
        let wanted = Wanted { dest, first, dsts, width };
        // Those behind the last that is wanted here are nobody's business.
        let Some(end) = wanted.end() else { return };
        let mut next = places;
        let held = Held::new((end + 1) * width);
        let sums = |at: usize| held.dst().part(at * width, width);
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
        wanted.give(held.src(), inclusive);
    };
    Plan { what, ready: Some(Box::new(ready)), done: Some(Box::new(done)), held: vec![own, all], plain: false }
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

    /// The last element that is kept here.
    fn end(&self) -> Option<usize> {
        self.runs().map(|(_, run)| run.first + run.len - 1).max()
    }

    /// `sums` has the sums up to each element, that one included.
    fn give(&self, sums: Src<'_>, inclusive: bool) {
        let width = self.width;
        for (dst, run) in self.runs() {
            // An exclusive scan's first result is undefined: it stays as it was.
            let skip = usize::from(!inclusive && run.first == 0);
            let from = run.first + skip - usize::from(!inclusive);
            let len = (run.len - skip) * width;
            mem::copy(dst.part((run.at + skip) * width, len), sums.part(from * width, len));
        }
    }
}
