//! The plans of all ranks of a team for each collective of images, executed and compared with the collective's definition.

use super::actions::{Context, ImageBuffers, Plan};
use super::flag;
use super::layout::Layout;
use super::plan::plan;
use super::request::{Collective, ImageRequest, Reduction, describe};
use super::spans::Spans;
use crate::coll::model_tests::{anywhere, bytes_of, combined, operator};
use crate::coll::operation::Operation;
use crate::mem::{self, Dst, Src};

const WIDTH: usize = 8;

fn noise(seed: usize, len: usize) -> Vec<u8> {
    (0..len).map(|at| (seed * 31 + at * 7 + at / 13 + 1) as u8).collect()
}

fn by(in_order: bool) -> Reduction {
    Reduction { operator: operator(in_order), in_order, func: 0, arg: 0 }
}

/// Executes the operation between ranks of `plans`, as far as they have one.
fn execute(plans: &mut [Plan]) {
    let all: Vec<Operation> = plans.iter_mut().filter_map(|plan| plan.operation.take()).collect();
    assert!(all.is_empty() || all.len() == plans.len(), "all ranks have data, or none");
    for (to, operation) in all.iter().enumerate() {
        if let Operation::Reduce { operator, root, dst, in_order, .. } = operation {
            if *root == to {
                let given: Vec<_> = (0..all.len()).filter_map(|from| all[from].source(from)).collect();
                let (last, others) = given.split_last().expect("a rank");
                let sum = anywhere(0, last.len());
                mem::copy(sum, *last);
                others.iter().rev().for_each(|&src| operator.apply(src, sum));
                mem::copy(*dst, sum.as_src());
                assert!(
                    all.iter().all(|of| matches!(of, Operation::Reduce { in_order: same, .. } if same == in_order))
                );
            }
            continue;
        }
        for from in operation.sources(to, all.len()) {
            if let Some(given) = all[from].source(from) {
                operation.deliver(from, to, given);
            }
        }
    }
}

/// The contents of the images of ranks with `counts` images after `collective`: by image, the destination as it was and as it is.
fn run(
    counts: &[usize],
    collective: Collective,
    nbytes: usize,
    flags: i32,
    srcs: &mut Vec<Vec<u8>>,
) -> Vec<[Vec<u8>; 2]> {
    let plain = counts.iter().all(|&count| count == 1);
    let size = counts.len() as u32;
    let spans = if plain { Spans::even(size) } else { Spans::new(counts.iter().copied()) };
    let total = spans.total();
    assert_eq!(total, counts.iter().sum::<usize>());
    let request = ImageRequest { call: "test", collective, nbytes, flags, addresses: 0 };
    let lengths: Vec<_> = (0..total).map(|image| request.lengths(image, total).expect("short")).collect();
    let buffer = |seed: usize, len: usize| -> Dst<'static> {
        let dst = anywhere(0, len);
        mem::copy(dst, Src::of(&noise(seed, len)));
        dst
    };
    let dsts: Vec<_> = (0..total).map(|image| buffer(1000 + image, lengths[image].0)).collect();
    let given: Vec<_> = (0..total).map(|image| buffer(image, lengths[image].1)).collect();
    *srcs = given.iter().map(|src| bytes_of(src.as_src())).collect();
    let mut plans = Vec::new();
    for me in 0..size {
        let (first, mine) = spans.of(me);
        let context = Context { me, size, spans: &spans, plain };
        let memory = ImageBuffers {
            dsts: dsts[first..first + mine].to_vec(),
            srcs: given[first..first + mine].iter().map(|src| src.as_src()).collect(),
        };
        plans.push(plan(&context, &request, memory));
    }
    let before: Vec<_> = (0..total).map(|image| bytes_of(dsts[image].as_src())).collect();
    plans.iter_mut().filter_map(|plan| plan.ready.take()).for_each(|ready| ready());
    execute(&mut plans);
    plans.iter_mut().filter_map(|plan| plan.done.take()).for_each(|done| done());
    assert!(plans.iter().all(|of| of.plain == plans[0].plain || !of.plain));
    before.into_iter().zip(dsts).map(|(before, dst)| [before, bytes_of(dst.as_src())]).collect()
}

fn all_counts() -> [&'static [usize]; 5] {
    [&[1, 1, 1], &[2, 1, 3], &[1, 3], &[3], &[2, 2, 1, 1]]
}

#[test]
fn blocks_move_between_images() {
    const N: usize = 12;
    for counts in all_counts() {
        let total: usize = counts.iter().sum();
        let mut srcs = Vec::new();
        let block = |of: &[u8], at: usize| of[N * at..N * at + N].to_vec();
        for root in 0..total {
            let [only, scattered, gathered] =
                [Collective::Broadcast { root }, Collective::Scatter { root }, Collective::Gather { root }].map(
                    |collective| {
                        let ends = run(counts, collective, N, 0, &mut srcs);
                        (ends.into_iter().map(|[_, after]| after).collect::<Vec<_>>(), srcs.clone())
                    },
                );
            for image in 0..total {
                assert_eq!(only.0[image], only.1[root], "{counts:?}");
                assert_eq!(scattered.0[image], block(&scattered.1[root], image), "{counts:?} {root}");
                let wanted = if image == root { gathered.1.concat() } else { Vec::new() };
                assert_eq!(gathered.0[image], wanted, "{counts:?} {root}");
            }
        }
        let ends = run(counts, Collective::GatherAll, N, 0, &mut srcs);
        assert!(ends.iter().all(|[_, after]| *after == srcs.concat()), "{counts:?}");
        let ends = run(counts, Collective::Exchange, N, 0, &mut srcs);
        for (image, [_, after]) in ends.iter().enumerate() {
            assert_eq!(*after, srcs.iter().flat_map(|src| block(src, image)).collect::<Vec<_>>(), "{counts:?}");
        }
    }
}

#[test]
fn vectors_are_combined_in_the_order_of_images() {
    for counts in all_counts() {
        for (root, count) in (0..counts.iter().sum()).flat_map(|root| [0, 1, 5].map(|count| (root, count))) {
            for in_order in [false, true] {
                let mut srcs = Vec::new();
                let ends = run(counts, Collective::Vectors { root, count, by: by(in_order) }, WIDTH, 0, &mut srcs);
                let wanted = if count > 0 { combined(&srcs, in_order) } else { Vec::new() };
                assert_eq!(ends[root][1], wanted, "{counts:?} {root} {count}");
            }
        }
    }
}

/// The definition of the distribution: where an element of the array is.
fn place(layout: Layout, element: usize) -> (usize, usize) {
    let at = layout.offset + element;
    match layout.block {
        0 => (layout.offset, element),
        block => (at / block % layout.images, at / block / layout.images * block + at % block),
    }
}

fn layouts(images: usize) -> Vec<Layout> {
    let mut all = Vec::new();
    for (block, offset) in [(0, 0), (0, images - 1), (1, 0), (1, 2), (2, 3), (3, 1)] {
        all.extend([0, 1, 7, 20].map(|count| Layout { block, offset, count, images }));
    }
    all
}

fn elements(srcs: &[Vec<u8>], layout: Layout) -> Vec<Vec<u8>> {
    let of = |(image, at): (usize, usize)| srcs[image][WIDTH * at..WIDTH * (at + 1)].to_vec();
    (0..layout.count).map(|element| of(place(layout, element))).collect()
}

#[test]
fn the_elements_of_an_array_are_combined_in_its_order() {
    for counts in all_counts() {
        let images = counts.iter().sum();
        for source in layouts(images) {
            for (root, in_order) in [(0, false), (images - 1, false), (0, true), (images / 2, true)] {
                let mut srcs = Vec::new();
                let collective = Collective::Reduce { root, source, by: by(in_order) };
                let ends = run(counts, collective, WIDTH, 0, &mut srcs);
                let [before, after] = &ends[root];
                match source.count {
                    0 => assert_eq!(after, before),
                    _ => assert_eq!(*after, combined(&elements(&srcs, source), in_order), "{counts:?} {source:?}"),
                }
            }
        }
    }
}

#[test]
fn a_scan_stores_the_sums_up_to_each_element() {
    for counts in all_counts() {
        let images = counts.iter().sum();
        for source in layouts(images) {
            for dest in layouts(images).into_iter().filter(|dest| dest.count == source.count) {
                for (inclusive, in_order) in [(true, true), (false, true), (false, false)] {
                    let mut srcs = Vec::new();
                    let flags = if inclusive { flag::INCLUSIVE_SCAN } else { flag::EXCLUSIVE_SCAN };
                    let collective = Collective::Scan { dest, source, by: by(in_order) };
                    let ends = run(counts, collective, WIDTH, flags, &mut srcs);
                    let all = elements(&srcs, source);
                    let mut wanted: Vec<_> = ends.iter().map(|[before, _]| before.clone()).collect();
                    for element in 0..source.count {
                        let terms = if inclusive { element + 1 } else { element };
                        // The first one of an exclusive scan is not changed.
                        if terms > 0 {
                            let (image, at) = place(dest, element);
                            let sum = combined(&all[..terms], in_order);
                            wanted[image][WIDTH * at..WIDTH * (at + 1)].copy_from_slice(&sum);
                        }
                    }
                    for (image, [_, after]) in ends.iter().enumerate() {
                        assert_eq!(*after, wanted[image], "{counts:?} {source:?} {dest:?} {inclusive}");
                    }
                }
            }
        }
    }
}

#[test]
fn calls_that_differ_have_different_words() {
    let (a, b) =
        (Layout { block: 1, offset: 2, count: 3, images: 4 }, Layout { block: 2, offset: 2, count: 3, images: 4 });
    let (offset, count) = (Layout { offset: 5, ..a }, Layout { count: 6, ..a });
    let [by, other, arg] = [(0, 0), (1, 0), (0, 1)].map(|(func, arg)| Reduction { func, arg, ..by(false) });
    let mut collectives: Vec<_> = [0, 1]
        .into_iter()
        .flat_map(|root| [Collective::Broadcast { root }, Collective::Scatter { root }, Collective::Gather { root }])
        .collect();
    collectives.extend([Collective::GatherAll, Collective::Exchange]);
    for (root, count, by) in [(0, 1, by), (1, 1, by), (0, 2, by), (0, 1, other), (0, 1, arg)] {
        collectives.push(Collective::Vectors { root, count, by });
    }
    for (source, by) in [(a, by), (b, by), (offset, by), (count, by), (a, other), (a, arg)] {
        collectives.push(Collective::Reduce { root: 0, source, by });
        collectives.extend([a, b, offset, count].map(|dest| Collective::Scan { dest, source, by }));
    }
    let words = |collective, nbytes, flags, addresses| {
        ImageRequest { call: "test", collective, nbytes, flags, addresses }.words()
    };
    let mut all: Vec<_> = collectives.iter().map(|&collective| words(collective, 8, 0, 0)).collect();
    all.extend([words(Collective::GatherAll, 16, 0, 0), words(Collective::GatherAll, 8, 1, 0)]);
    all.push(words(Collective::GatherAll, 8, 0, 1));
    for (at, words) in all.iter().enumerate() {
        assert_eq!(all.iter().position(|other| other == words), Some(at));
    }
    let told = |collective| describe(&words(collective, 8, 3, 0));
    assert_eq!(told(Collective::Gather { root: 1 }), "root 1, nbytes 8, flags 0x3");
    assert_eq!(told(Collective::Exchange), "nbytes 8, flags 0x3");
    assert_eq!(
        told(Collective::Vectors { root: 2, count: 5, by: arg }),
        "root 2, elem_size 8, elem_count 5, func 0, func_arg 1, flags 0x3"
    );
    assert_eq!(
        told(Collective::Reduce { root: 2, source: a, by: other }),
        "root 2, elem_size 8, elem_count 3, src_blksz 1, src_offset 2, func 1, func_arg 0, flags 0x3"
    );
    assert_eq!(
        told(Collective::Scan { dest: Layout { offset: 9, ..b }, source: a, by }),
        "elem_size 8, elem_count 3, src_blksz 1, src_offset 2, dst_blksz 2, dst_offset 9, func 0, func_arg 0, flags 0x3"
    );
    let reduction = |block, offset| Collective::reduction("test", 1, Layout { block, offset, ..a }, by);
    assert!(matches!(reduction(2, 1), Collective::Reduce { root: 1, source: Layout { block: 2, offset: 1, .. }, .. }));
    assert!(matches!(reduction(0, 0), Collective::Vectors { root: 1, count: 3, .. }));
    let huge = ImageRequest {
        call: "test",
        collective: Collective::GatherAll,
        nbytes: usize::MAX / 2,
        flags: 0,
        addresses: 0,
    };
    assert_eq!((huge.lengths(0, 3), huge.lengths(0, 1)), (None, Some((usize::MAX / 2, usize::MAX / 2))));
}
