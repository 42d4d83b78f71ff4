//! The layout of a team's block: no word or byte has two uses.

use super::block::{Block, BlockLine, BlockShape, EXPOSED_AT};
use super::sizes::{DATA, FLAT, LINES, PLACES, SLOTS};
use crate::barrier;
use crate::mem;
use crate::sync::atomic::AtomicU64;

/// A block in memory of its own, which is never freed, filled with ones.
fn block(shape: BlockShape) -> Block {
    let memory: &'static mut [u64] = Box::leak(vec![u64::MAX; (shape.bytes() + 4096) / 8].into_boxed_slice());
    let at = memory.as_ptr().align_offset(4096);
    Block::new(mem::all_of(memory), 8 * at, shape)
}

/// All that a block of a shape holds, as the first address and the length in bytes.
fn parts(block: &Block, counters: usize) -> Vec<(usize, usize)> {
    let members = block.shape.members;
    let word = |word: &AtomicU64| (core::ptr::from_ref(word).addr(), size_of::<u64>());
    let data = |dst: mem::Dst<'_>| (dst.as_ptr().addr(), dst.len());
    let mut parts = vec![word(block.starved().first), word(block.starved().others), data(block.barrier_area())];
    parts.push(word(block.finished_by_all()));
    for member in 0..members {
        parts.extend([word(block.finished(member)), word(block.left(member))]);
        assert_eq!(block.stages(member).len(), EXPOSED_AT + 1);
        parts.extend(block.stages(member).iter().map(word));
        for number in 0..block.places() {
            let (came, bytes) = block.came(number, member);
            parts.extend([word(came), data(bytes)]);
        }
        for round in (0..SLOTS).filter(|_| block.shape.has_stage) {
            parts.push(data(block.stage(round, member)));
        }
    }
    for (number, index) in (0..block.places()).flat_map(|number| (0..counters).map(move |index| (number, index))) {
        let (count, released, bytes) = block.counter(number, index);
        parts.extend([word(count), word(released), data(bytes)]);
    }
    parts
}

#[test]
fn no_two_parts_of_a_block_overlap() {
    for members in [1, 2, 3, FLAT, FLAT + 1, 64, 65, 200] {
        let counters = if members <= FLAT { 0 } else { barrier::levels(members).sum() };
        for has_stage in [false, true] {
            let shape = BlockShape { members, has_stage };
            let block = block(shape);
            let mut parts = parts(&block, counters);
            parts.sort_unstable();
            for pair in parts.windows(2) {
                assert!(pair[0].0 + pair[0].1 <= pair[1].0, "{members} members: {pair:?}");
            }
            // The block's first word counts the starved; its last byte belongs to the last part or is padding.
            let (first, last) = (parts[0].0, parts[parts.len() - 1]);
            assert_eq!(first, block.starved().first.as_ptr().addr());
            assert!(last.0 + last.1 <= first + shape.bytes());
        }
    }
}

#[test]
fn few_members_have_more_collectives_in_flight() {
    let places = |members, has_stage| BlockShape { members, has_stage }.places();
    let (least, most) = (1 << PLACES.start().ilog2(), 1 << PLACES.end().ilog2());
    assert_eq!((places(2, true), places(LINES / 8, true), places(LINES, true)), (most, 8, least));
    assert_eq!(places(2, false), least);
    assert!((2..=LINES).all(|members| (least..=most).contains(&places(members, true))));
}

#[test]
fn places_and_slots_are_used_again_in_turn() {
    let block = block(BlockShape { members: FLAT + 1, has_stage: true });
    let came = |number| block.came(number, 1).0.as_ptr();
    let top = |number| block.top(number).0.as_ptr();
    for number in 0..3 * block.places() {
        assert_eq!((came(number), top(number)), (came(number + block.places()), top(number + block.places())));
    }
    // The root is the last counter: one above two groups.
    assert_eq!(top(0), block.counter(0, 2).0.as_ptr());
    for round in 0..SLOTS {
        assert_eq!(block.stage(round, 2).as_ptr(), block.stage(round + SLOTS, 2).as_ptr());
    }
    assert_eq!(block.came(0, 0).1.len(), DATA);
}

#[test]
fn slots_hold_whole_kibibytes_and_fewer_for_more_members() {
    let slot = |members| BlockShape { members, has_stage: true }.slot();
    assert_eq!([slot(1), slot(16), slot(17), slot(64), slot(100), slot(4096)], [16384, 16384, 15360, 4096, 2048, 1024]);
    assert_eq!(BlockShape { members: 2, has_stage: false }.slot(), 0);
}

#[test]
fn the_largest_block_of_smaller_teams_counts() {
    for (most, has_stage) in [(1, true), (2, false), (FLAT + 1, true), (33, true), (33, false), (200, true)] {
        let (bytes, lines) = BlockShape::most_bytes(most, has_stage);
        let shapes = || (1..=most).map(|members| BlockShape { members, has_stage });
        assert_eq!(shapes().map(BlockShape::bytes).max(), Some(bytes));
        // The last word of each block's lines is in them, and one block has no line more.
        let ends = shapes().map(|shape| {
            let block = block(shape);
            let last = match shape.members {
                members if members <= FLAT => block.came(block.places() - 1, members - 1).0,
                _ => block.top(block.places() - 1).0,
            };
            last.as_ptr().addr() + size_of::<BlockLine>() - block.starved().first.as_ptr().addr()
        });
        assert_eq!(ends.max(), Some(lines), "{most} members");
    }
}
