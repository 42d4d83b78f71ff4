//! A model of collectives: the operation of each member, and what its destination is to hold at the end. The tests of the
//! machines compare with it.
//!
//! # Safety
//! `compose` gets as many elements as `Operator::apply` counts, at any alignment. Memory of the models is never freed.
#![allow(unsafe_code)]

use core::ffi::c_void;
use std::sync::Arc;

use parking_lot::Mutex;

use super::operation::Operation;
use super::operator::{Operator, dt, op};
use super::shares::Shares;
use crate::mem::{self, Dst, Src};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Barrier,
    Words,
    Broadcast {
        root: usize,
    },
    Scatter {
        root: usize,
    },
    Gather {
        root: usize,
    },
    Allgather,
    Alltoall,
    /// `in_order`: by an operator that does not commute.
    Reduce {
        root: usize,
        in_order: bool,
    },
    Allreduce {
        in_order: bool,
    },
}

/// All kinds, with a root that is the first member, the last one and another.
pub(crate) fn kinds(members: usize) -> Vec<Kind> {
    let mut all = vec![Kind::Barrier, Kind::Words, Kind::Allgather, Kind::Alltoall];
    let mut roots = vec![0, members / 2, members - 1];
    roots.dedup();
    for root in roots {
        all.extend([Kind::Broadcast { root }, Kind::Scatter { root }, Kind::Gather { root }]);
        all.extend([false, true].map(|in_order| Kind::Reduce { root, in_order }));
    }
    all.extend([false, true].map(|in_order| Kind::Allreduce { in_order }));
    all
}

/// The bytes that a member is to receive.
pub(crate) enum End {
    Nothing,
    Bytes(Dst<'static>, Vec<u8>),
    Words(Arc<Mutex<Vec<u64>>>, Vec<u64>),
}

/// Every byte of a destination at first.
const UNTOUCHED: u8 = 0xee;

impl End {
    pub(crate) fn is_reached(&self) -> bool {
        match self {
            End::Nothing => true,
            End::Bytes(dst, wanted) => bytes_of(dst.as_src()) == *wanted,
            End::Words(all, wanted) => *all.lock() == *wanted,
        }
    }

    pub(crate) fn is_untouched(&self) -> bool {
        match self {
            End::Nothing => true,
            End::Bytes(dst, _) => bytes_of(dst.as_src()).iter().all(|&byte| byte == UNTOUCHED),
            End::Words(all, _) => all.lock().is_empty(),
        }
    }
}

/// A collective; each member takes its operation once.
pub(crate) struct Model {
    pub operations: Vec<Option<Operation>>,
    pub ends: Vec<End>,
}

pub(crate) fn bytes_of(src: Src<'_>) -> Vec<u8> {
    let mut bytes = vec![0; src.len()];
    mem::read(&mut bytes, src);
    bytes
}

/// Memory of the heap.
pub(crate) fn anywhere(_member: usize, len: usize) -> Dst<'static> {
    let words: &'static mut [u64] = vec![0; len.div_ceil(8)].leak();
    mem::all_of(words).part(0, len)
}

fn noise(seed: usize, len: usize) -> Vec<u8> {
    let mut x = (seed as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut bytes = Vec::with_capacity(len + 8);
    while bytes.len() < len {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        bytes.extend_from_slice(&x.to_ne_bytes());
    }
    bytes.truncate(len);
    bytes
}

fn halves(word: u64) -> (u32, u32) {
    (word as u32, (word >> 32) as u32)
}

/// `x -> left(right(x))` of two functions `x -> a x + b`: associative, but the order counts.
fn composed(left: u64, right: u64) -> u64 {
    let ((a, b), (c, d)) = (halves(left), halves(right));
    u64::from(a.wrapping_mul(c)) | u64::from(a.wrapping_mul(d).wrapping_add(b)) << 32
}

unsafe extern "C" fn compose(left: *const c_void, right: *mut c_void, count: usize, _: *const c_void) {
    for at in 0..count {
        // SAFETY: the module's paragraph.
        unsafe {
            let right = right.cast::<u64>().add(at);
            right.write_unaligned(composed(left.cast::<u64>().add(at).read_unaligned(), right.read_unaligned()));
        }
    }
}

pub(crate) fn operator(in_order: bool) -> Operator {
    let (dt, op) = if in_order { (dt::USER, op::USER_NC) } else { (dt::U64, op::ADD) };
    Operator::new(dt, 8, op, Some(compose), core::ptr::null()).expect("an operator")
}

/// The elements of all vectors, combined from left to right.
pub(crate) fn combined(all: &[Vec<u8>], in_order: bool) -> Vec<u8> {
    let word = |bytes: &[u8], at: usize| u64::from_ne_bytes(bytes[8 * at..8 * at + 8].try_into().expect("8 bytes"));
    let join = |left: u64, right: u64| if in_order { composed(left, right) } else { left.wrapping_add(right) };
    let sum = |at: usize| all.iter().map(|vector| word(vector, at)).reduce(join).expect("a vector");
    (0..all[0].len() / 8).flat_map(|at| sum(at).to_ne_bytes()).collect()
}

/// The collective `kind` of members that have `counts` blocks of `unit` bytes; vectors have `unit` bytes. `in_place`: a
/// broadcast or reduction whose destinations are its sources. `memory` returns memory of a member.
pub(crate) fn model(
    kind: Kind,
    counts: &[usize],
    unit: usize,
    in_place: bool,
    memory: &mut dyn FnMut(usize, usize) -> Dst<'static>,
) -> Model {
    let members = counts.len();
    let mut before = vec![0];
    counts.iter().for_each(|count| before.push(before[before.len() - 1] + count));
    let total = before[members];
    let shares = match counts.iter().all(|&count| count == 1) {
        true => Shares::even(unit),
        false => Shares::uneven(unit, before.clone().into()),
    };
    // A buffer of each member, as long as this kind has it.
    let of_each = |len: &dyn Fn(usize) -> usize| (0..members).map(|me| noise(me, len(me))).collect::<Vec<_>>();
    let vectors = of_each(&|_| unit);
    let blocks = of_each(&|me| unit * counts[me]);
    let whole = noise(77, unit * total);
    let for_each = of_each(&|me| if kind == Kind::Alltoall { unit * counts[me] * total } else { 0 });
    let (mut operations, mut ends) = (Vec::new(), Vec::new());
    for me in 0..members {
        let mut given = |bytes: &[u8]| {
            let dst = memory(me, bytes.len());
            mem::copy(dst, Src::of(bytes));
            dst
        };
        let (operation, end) = match kind {
            Kind::Barrier => (Operation::Barrier, End::Nothing),
            Kind::Words => {
                let all = Arc::new(Mutex::new(Vec::new()));
                let wanted = (0..members as u64).flat_map(|member| [member, 100 + member]).collect();
                let mine = vec![me as u64, 100 + me as u64];
                (Operation::AllgatherWords(mine, Arc::clone(&all)), End::Words(all, wanted))
            }
            Kind::Broadcast { root } => {
                let src = if root == me { given(&vectors[root]).as_src() } else { Src::none() };
                let dst = given(&vec![UNTOUCHED; unit]);
                let src = if root == me && in_place { dst.as_src() } else { src };
                if root == me && in_place {
                    mem::copy(dst, Src::of(&vectors[root]));
                }
                (Operation::Broadcast { root, dst, src }, End::Bytes(dst, vectors[root].clone()))
            }
            Kind::Scatter { root } => {
                let src = if root == me { given(&whole).as_src() } else { Src::none() };
                let dst = given(&vec![UNTOUCHED; unit * counts[me]]);
                let wanted = whole[unit * before[me]..unit * before[me + 1]].to_vec();
                (Operation::Scatter { root, shares: shares.clone(), dst, src }, End::Bytes(dst, wanted))
            }
            Kind::Gather { root } => {
                let (src, at_root) = (given(&blocks[me]).as_src(), root == me);
                let dst = if at_root { given(&vec![UNTOUCHED; unit * total]) } else { Dst::none() };
                let end = if at_root { End::Bytes(dst, blocks.concat()) } else { End::Nothing };
                (Operation::Gather { root, shares: shares.clone(), dst, src }, end)
            }
            Kind::Allgather => {
                let (src, dst) = (given(&blocks[me]).as_src(), given(&vec![UNTOUCHED; unit * total]));
                (Operation::Allgather { shares: shares.clone(), dst, src }, End::Bytes(dst, blocks.concat()))
            }
            Kind::Alltoall => {
                let (src, dst) = (given(&for_each[me]).as_src(), given(&vec![UNTOUCHED; unit * counts[me] * total]));
                let from = |member: usize| {
                    let block = unit * counts[member];
                    &for_each[member][block * before[me]..block * before[me + 1]]
                };
                let wanted = (0..members).flat_map(from).copied().collect();
                (Operation::Alltoall { shares: shares.clone(), dst, src }, End::Bytes(dst, wanted))
            }
            Kind::Reduce { .. } | Kind::Allreduce { .. } => {
                let (root, in_order) = match kind {
                    Kind::Reduce { root, in_order } => (Some(root), in_order),
                    Kind::Allreduce { in_order } => (None, in_order),
                    _ => unreachable!(),
                };
                let src = given(&vectors[me]);
                let receives = root.is_none_or(|root| root == me);
                let dst = match (receives, in_place) {
                    (false, _) => Dst::none(),
                    (true, true) => src,
                    (true, false) => given(&vec![UNTOUCHED; unit]),
                };
                let end = if receives { End::Bytes(dst, combined(&vectors, in_order)) } else { End::Nothing };
                let (operator, src) = (operator(in_order), src.as_src());
                let operation = match root {
                    Some(root) => Operation::Reduce { operator, in_order, root, dst, src },
                    None => Operation::Allreduce { operator, dst, src },
                };
                (operation, end)
            }
        };
        operations.push(Some(operation));
        ends.push(end);
    }
    Model { operations, ends }
}

/// Numbers of blocks by member: one each, or different ones.
pub(crate) fn counts(members: usize, is_even: bool) -> Vec<usize> {
    (0..members).map(|member| if is_even { 1 } else { [2, 0, 1, 3, 1][member % 5] }).collect()
}

fn operation(model: &Model, member: usize) -> &Operation {
    model.operations[member].as_ref().expect("not taken")
}

#[test]
fn all_members_know_the_largest_numbers_of_bytes() {
    for (members, is_even) in [(1, true), (2, true), (5, true), (2, false), (5, false), (8, false)] {
        for kind in kinds(members) {
            let model = model(kind, &counts(members, is_even), 24, false, &mut anywhere);
            let given = (0..members).filter_map(|me| operation(&model, me).source(me)).map(Src::len).max();
            let given = if kind == Kind::Words { 16 } else { given.unwrap_or_default() };
            let pairs = (0..members).flat_map(|from| (0..members).map(move |to| (from, to)));
            let range = |(from, to): (usize, usize)| operation(&model, from).range(from, to).map(|(_, len)| len);
            let between = pairs.filter_map(range).max().unwrap_or(given);
            for me in 0..members {
                assert_eq!(operation(&model, me).most(members), given, "{kind:?} {members}");
                assert_eq!(operation(&model, me).longest(members), between, "{kind:?} {members}");
            }
        }
    }
}

#[test]
fn what_a_member_receives_has_a_source_and_a_place() {
    for (members, is_even) in [(1, true), (2, true), (5, true), (5, false)] {
        for kind in kinds(members) {
            let model = model(kind, &counts(members, is_even), 24, false, &mut anywhere);
            for me in 0..members {
                let mine = operation(&model, me);
                let sources: Vec<_> = mine.sources(me, members).collect();
                let mut once = sources.clone();
                once.sort_unstable();
                once.dedup();
                assert_eq!(once.len(), sources.len());
                let joins = matches!(kind, Kind::Reduce { .. } | Kind::Allreduce { .. });
                assert_eq!(mine.operator().is_some(), joins);
                for from in 0..members {
                    let range = operation(&model, from).range(from, me);
                    assert_eq!(mine.range(from, me), range, "all members know it");
                    assert!(joins || sources.contains(&from) == range.is_some(), "{kind:?} {from} {me}");
                    if let Some((at, len)) = range {
                        assert_eq!(mine.destination(from, me).len(), len, "{kind:?} {from} {me}");
                        assert!(operation(&model, from).source(from).is_some_and(|src| at + len <= src.len()));
                    }
                }
                // From all others: each member begins with another one, and is itself the last.
                if sources.len() == members && members > 1 {
                    assert_eq!((sources[0], sources[members - 1]), ((me + 1) % members, me));
                }
            }
        }
    }
}
