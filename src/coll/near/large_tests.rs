//! The parts of a large collective that depend on its arguments only.

use super::block::{Block, BlockShape};
use super::large::{Large, slice};
use crate::coll::model_tests::operator;
use crate::coll::operation::{AllSync, Operation};
use crate::mem;

#[test]
fn a_reduction_overwrites_its_source_if_the_result_overlaps_it() {
    let memory: &'static mut [u64] = vec![0; (4 << 20) / 8].leak();
    let at = 8 * memory.as_ptr().align_offset(4096);
    let all = mem::all_of(memory);
    let block = Block::new(all, at, BlockShape { members: 2, has_stage: true });
    let operator = operator(false);
    for (dst, src, overlaps) in
        [(0, 0, true), (0, 56, true), (56, 0, true), (0, 64, false), (64, 0, false), (512, 0, false)]
    {
        let (dst, src) = (all.part(dst, 64), all.part(src, 64).as_src());
        let overwrites = |operation, me| Large::new(operation, AllSync::default(), &block).overwrites(me);
        assert_eq!(overwrites(Operation::Allreduce { operator, dst, src }, 1), overlaps);
        let reduce = || Operation::Reduce { operator, in_order: false, root: 1, dst, src };
        assert_eq!((overwrites(reduce(), 1), overwrites(reduce(), 0)), (overlaps, false));
        assert!(!overwrites(Operation::Broadcast { root: 1, dst, src }, 1));
    }
}

#[test]
fn slices_cover_all_elements_once() {
    let operator = operator(false);
    for (members, elements) in (1..9).flat_map(|members| (0..40).map(move |elements| (members, elements))) {
        let mut at = 0;
        for member in 0..members {
            let (from, len) = slice(member, members, &operator, 8 * elements);
            assert!(from == at && len % 8 == 0 && len / 8 <= elements.div_ceil(members));
            at += len;
        }
        assert_eq!(at, 8 * elements);
    }
}
