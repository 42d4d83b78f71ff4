//! Transfers between random regions against byte by byte copies.
#![allow(unsafe_code)]

use proptest::prelude::*;

use super::grid::{Dim, Grid, GridStep, StridedBlock};
use super::kernel;
use super::list::{self, Cursor, List, Piece};
use super::shape::{Budget, LEAST, Shape, described};
use crate::mem::{Dst, Src};

const ARENA: usize = 1 << 16;

/// A strided transfer as a client writes it: offsets into arenas, dimensions in any order and direction.
#[derive(Clone, Debug)]
struct Strided {
    dst: usize,
    src: usize,
    elem: usize,
    dims: Vec<Dim>,
}

fn arena(seed: u8) -> Vec<u8> {
    (0..ARENA).map(|at| (at as u32).wrapping_mul(2_654_435_761).to_be_bytes()[0] ^ seed).collect()
}

/// Strides of a region in which nothing overlaps: the dimensions from inside to outside in `order`, with gaps.
fn strides(elem: usize, counts: &[usize], order: &[usize], gaps: &[usize], flip: &[bool]) -> (usize, Vec<isize>) {
    let mut strides = vec![0isize; counts.len()];
    let (mut span, mut start) = (elem, 0);
    for (level, &dim) in order.iter().enumerate() {
        let stride = span + gaps[level];
        strides[dim] = stride as isize;
        if flip[dim] {
            strides[dim] = -strides[dim];
            start += stride * (counts[dim] - 1);
        }
        span += stride * (counts[dim] - 1);
    }
    (start, strides)
}

fn any_strided() -> impl Strategy<Value = Strided> {
    (0usize..7, 1usize..40)
        .prop_flat_map(|(levels, elem)| {
            let counts = prop::collection::vec(1usize..5, levels);
            let order = || Just((0..levels).collect::<Vec<_>>()).prop_shuffle();
            let gaps = || prop::collection::vec(prop_oneof![2 => Just(0usize), 1 => 0usize..4], levels);
            let flip = || prop::collection::vec(prop::bool::weighted(0.2), levels);
            (Just(elem), counts, (order(), order()), (gaps(), gaps()), (flip(), flip()), any::<bool>())
        })
        .prop_map(|(elem, counts, order, gaps, flip, same)| {
            let (dst, dst_strides) = strides(elem, &counts, &order.0, &gaps.0, &flip.0);
            let (src, src_strides) = strides(elem, &counts, if same { &order.0 } else { &order.1 }, &gaps.1, &flip.1);
            let dims = (0..counts.len())
                .map(|at| Dim { count: counts[at], dst: dst_strides[at], src: src_strides[at] })
                .collect();
            Strided { dst, src, elem, dims }
        })
        .prop_filter("it fits the arena", |one| {
            one.dims.iter().map(|dim| dim.count * dim.dst.unsigned_abs().max(dim.src.unsigned_abs())).sum::<usize>()
                + one.elem
                < ARENA
        })
}

impl Strided {
    /// The model of the transfer.
    fn model(&self, dst: &mut [u8], src: &[u8]) {
        kernel::odometer(&self.dims, |to, from| {
            let (to, from) = (self.dst.wrapping_add_signed(to), self.src.wrapping_add_signed(from));
            dst[to..to + self.elem].copy_from_slice(&src[from..from + self.elem]);
        });
    }

    fn block<'a>(&self, dst: &mut [u8], src: &[u8], dims: &'a mut Vec<Dim>) -> StridedBlock<'a> {
        dims.clone_from(&self.dims);
        let (dst, src) = (dst.as_mut_ptr().expose_provenance(), src.as_ptr().expose_provenance());
        StridedBlock::new(dst + self.dst, src + self.src, self.elem, dims)
    }
}

/// Transfers the bytes of `here` to the places of `there`, message by message.
fn by_messages(there: &Shape<'_>, here: &Shape<'_>, budget: Budget) {
    let total = here.total().unwrap();
    let (mut to, mut from, mut done, mut words) = (Cursor::default(), Cursor::default(), 0, Vec::new());
    while done < total {
        let (nbytes, next) = there.describe(to, total, budget, &mut words);
        assert!(nbytes > 0, "a message carries something");
        let mut message: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let used = message.len();
        assert!(used <= budget.most && nbytes <= budget.most && (!budget.shared || used + nbytes <= budget.most));
        message.resize(used + nbytes, 0);
        // SAFETY: the buffer's own bytes.
        let data = unsafe { Dst::new(message[used..].as_mut_ptr().cast(), nbytes) };
        from = here.pack(from, data);
        let (shape, place, found) = described(Src::of(&message)).expect("it was described");
        assert_eq!(found, used);
        shape.unpack(place, Src::of(&message[used..]));
        to = next;
        done += nbytes;
    }
}

/// Pieces of the arena that do not overlap: offsets and lengths.
fn any_pieces() -> impl Strategy<Value = Vec<(usize, usize)>> {
    prop::collection::vec((0usize..20, prop_oneof![3 => 0usize..30, 1 => 0usize..700]), 0..40)
        .prop_map(|list| {
            let mut at = 0;
            list.into_iter()
                .map(|(gap, len)| {
                    let piece = (at + gap, len);
                    at += gap + len;
                    piece
                })
                .collect::<Vec<_>>()
        })
        .prop_shuffle()
}

/// The two lists cut to the same total.
fn trim(one: &mut Vec<(usize, usize)>, two: &mut Vec<(usize, usize)>) {
    let sum = |list: &Vec<(usize, usize)>| list.iter().map(|(_, len)| len).sum::<usize>();
    let total = sum(one).min(sum(two));
    for list in [one, two] {
        let mut left = total;
        for (_, len) in list.iter_mut() {
            *len = (*len).min(left);
            left -= *len;
        }
    }
}

fn pieces_at(arena: &[u8], list: &[(usize, usize)]) -> Vec<Piece> {
    let base = arena.as_ptr().expose_provenance();
    list.iter().map(|&(at, len)| Piece { addr: core::ptr::with_exposed_provenance_mut(base + at), len }).collect()
}

fn copy_bytes(dst: &mut [u8], src: &[u8], to: &[(usize, usize)], from: &[(usize, usize)]) {
    let all = |list: &[(usize, usize)]| list.iter().flat_map(|&(at, len)| at..at + len).collect::<Vec<_>>();
    for (to, from) in all(to).into_iter().zip(all(from)) {
        dst[to] = src[from];
    }
}

fn any_budget() -> impl Strategy<Value = Budget> {
    (prop_oneof![LEAST..200usize, 200usize..5000], any::<bool>()).prop_map(|(most, shared)| Budget { most, shared })
}

proptest! {
    #[test]
    fn a_block_is_copied_like_its_elements_one_by_one(one in any_strided()) {
        let (src, mut dst) = (arena(1), arena(2));
        let mut expected = dst.clone();
        one.model(&mut expected, &src);
        let mut dims = Vec::new();
        kernel::block(&one.block(&mut dst, &src, &mut dims), 0, 0);
        prop_assert!(dst == expected);
    }

    #[test]
    fn a_block_goes_through_messages_of_any_size(one in any_strided(), budget in any_budget()) {
        let (src, mut dst) = (arena(1), arena(2));
        let mut expected = dst.clone();
        one.model(&mut expected, &src);
        let mut dims = Vec::new();
        let block = one.block(&mut dst, &src, &mut dims);
        by_messages(&Shape::Grid(block.dst_grid()), &Shape::Grid(block.src_grid()), budget);
        prop_assert!(dst == expected);
    }

    #[test]
    fn spans_hold_all_that_a_block_touches_and_no_more(one in any_strided()) {
        let (src, mut dst) = (arena(1), arena(2));
        let (dst_base, src_base) = (dst.as_ptr().expose_provenance(), src.as_ptr().expose_provenance());
        let mut ends = [(usize::MAX, 0); 2];
        kernel::odometer(&one.dims, |to, from| {
            for (end, at) in ends.iter_mut().zip([dst_base + one.dst, src_base + one.src].into_iter().zip([to, from])) {
                let at = at.0.wrapping_add_signed(at.1);
                *end = (end.0.min(at), end.1.max(at + one.elem));
            }
        });
        let mut dims = Vec::new();
        let block = one.block(&mut dst, &src, &mut dims);
        prop_assert_eq!([block.dst_span(), block.src_span()], ends);
    }

    #[test]
    fn lists_of_pieces_go_through_messages_of_any_size(mut to in any_pieces(), mut from in any_pieces(), budget in any_budget()) {
        trim(&mut to, &mut from);
        let (src, dst) = (arena(1), arena(2));
        let mut expected = dst.clone();
        copy_bytes(&mut expected, &src, &to, &from);
        let (there, here) = (pieces_at(&dst, &to), pieces_at(&src, &from));
        // SAFETY: the lists and the arenas outlive the shapes.
        let (there, here) = unsafe { (List::pieces(there.as_ptr(), there.len()), List::pieces(here.as_ptr(), here.len())) };
        by_messages(&Shape::List(there), &Shape::List(here), budget);
        prop_assert!(dst == expected);
    }

    #[test]
    fn common_runs_of_two_lists_are_the_transfer(mut to in any_pieces(), mut from in any_pieces(), longer in any::<bool>()) {
        trim(&mut to, &mut from);
        let (src, mut dst) = (arena(1), arena(2));
        let mut expected = dst.clone();
        copy_bytes(&mut expected, &src, &to, &from);
        if longer {
            to.push((0, 3));
        }
        let (there, here) = (pieces_at(&dst, &to), pieces_at(&src, &from));
        // SAFETY: the lists and the arenas outlive the shapes.
        let (there, here) = unsafe { (List::pieces(there.as_ptr(), there.len()), List::pieces(here.as_ptr(), here.len())) };
        let ended = list::common(there, here, kernel::one);
        prop_assert_eq!(ended, !longer);
        prop_assert!(dst.as_mut_slice() == expected.as_slice());
    }

    #[test]
    fn equal_pieces_go_through_messages_of_any_size(len in 1usize..300, parts in 1usize..6, count in 1usize..12, budget in any_budget()) {
        // `count * parts` pieces of `len` there, `count` pieces `parts` times as long here.
        let (src, dst) = (arena(1), arena(2));
        let to: Vec<_> = (0..count * parts).rev().map(|at| (at * (len + 3), len)).collect();
        let from: Vec<_> = (0..count).map(|at| (at * 7, len * parts)).collect();
        let mut expected = dst.clone();
        copy_bytes(&mut expected, &src, &to, &from);
        let addrs = |list: Vec<Piece>| list.into_iter().map(|piece| piece.addr).collect::<Vec<_>>();
        let (there, here) = (addrs(pieces_at(&dst, &to)), addrs(pieces_at(&src, &from)));
        // SAFETY: the lists and the arenas outlive the shapes.
        let (there, here) = unsafe {
            (List::equal(there.as_ptr(), there.len(), len), List::equal(here.as_ptr(), here.len(), len * parts))
        };
        by_messages(&Shape::List(there), &Shape::List(here), budget);
        prop_assert!(dst == expected);
    }

    #[test]
    fn any_words_are_described_without_panic(words in prop::collection::vec(prop_oneof![0u64..40, any::<u64>()], 0..20), cut in 0usize..8) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let used = described(Src::of(&bytes[..bytes.len().saturating_sub(cut)])).map_or(0, |(_, _, used)| used);
        prop_assert!(used <= bytes.len());
    }
}

fn shape_of(dims: &[(usize, isize, isize)], elem: usize) -> (usize, Vec<Dim>) {
    let mut dims: Vec<_> = dims.iter().map(|&(count, dst, src)| Dim { count, dst, src }).collect();
    let block = StridedBlock::new(1 << 20, 1 << 20, elem, &mut dims);
    (block.elem, block.dims.to_vec())
}

#[test]
fn contiguous_dimensions_become_one() {
    assert_eq!(shape_of(&[(4, 8, 8), (5, 32, 32), (1, 7, 9)], 8), (160, vec![]));
    assert_eq!(shape_of(&[(4, 16, 8), (5, 64, 32)], 8), (8, vec![Dim { count: 20, dst: 16, src: 8 }]));
    assert_eq!(shape_of(&[(5, 32, 64), (4, 8, 8)], 8), (32, vec![Dim { count: 5, dst: 32, src: 64 }]));
    assert_eq!(shape_of(&[(4, -8, -8)], 8), (32, vec![]));
}

#[test]
fn a_transposition_keeps_its_dimensions() {
    let dims = vec![Dim { count: 3, dst: 8, src: 80 }, Dim { count: 10, dst: 24, src: 8 }];
    assert_eq!(shape_of(&[(10, 24, 8), (3, 8, 80)], 8), (8, dims));
}

#[test]
fn rows_of_every_length_are_copied_and_nothing_beside_them() {
    const ROWS: usize = 3;
    const PITCH: usize = 640;
    let src: Vec<u8> = (0..ROWS * PITCH).map(|at| (at % 251) as u8 + 1).collect();
    for len in 1..PITCH - 1 {
        let mut dst = vec![0; ROWS * PITCH];
        let (to, from) = (dst.as_mut_ptr().expose_provenance(), src.as_ptr().expose_provenance());
        let mut dims = [Dim { count: ROWS, dst: PITCH as isize, src: PITCH as isize }];
        kernel::block(&StridedBlock::new(to, from, len, &mut dims), 0, 0);
        for (row, (got, want)) in dst.chunks(PITCH).zip(src.chunks(PITCH)).enumerate() {
            assert!(got[..len] == want[..len] && got[len..].iter().all(|&byte| byte == 0), "row {row} of {len} bytes");
        }
    }
}

#[test]
fn large_transpositions_are_right_in_every_corner() {
    let (rows, columns) = (45, 70);
    let src: Vec<u16> = (0..rows * columns).map(|at| at as u16).collect();
    let mut dst = vec![0u16; rows * columns];
    let mut dims = vec![
        Dim { count: columns, dst: 2 * rows as isize, src: 2 },
        Dim { count: rows, dst: 2, src: 2 * columns as isize },
    ];
    let block = StridedBlock::new(dst.as_mut_ptr().expose_provenance(), src.as_ptr().expose_provenance(), 2, &mut dims);
    kernel::block(&block, 0, 0);
    for row in 0..rows {
        for column in 0..columns {
            assert_eq!(dst[column * rows + row], src[row * columns + column]);
        }
    }
}

#[test]
fn a_grid_knows_when_it_is_contiguous() {
    let steps = [GridStep { count: 3, stride: 8 }, GridStep { count: 2, stride: 24 }];
    assert_eq!(Shape::Grid(Grid::new(64, 8, steps.into_iter())).contiguous(), Some(64));
    let steps = [GridStep { count: 3, stride: 9 }];
    assert_eq!(Shape::Grid(Grid::new(64, 8, steps.into_iter())).contiguous(), None);
}
