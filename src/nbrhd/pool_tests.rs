//! The pool of blocks in one thread; tests/loom_pool.rs explores its interleavings.
#![allow(unsafe_code)]

use super::pool::*;
use crate::defs::message::Traffic;
use crate::defs::rank::NodeRank;

#[repr(align(128))]
struct Memory([u8; POOL_BYTES]);

fn pool() -> (Box<Memory>, Pool) {
    let mut memory: Box<Memory> = {
        let mut memory = Box::<Memory>::new_uninit();
        // SAFETY: room for one `Memory`, of which all-zero bytes are a value.
        unsafe {
            memory.as_mut_ptr().write_bytes(0, 1);
            memory.assume_init()
        }
    };
    // SAFETY: zeroed, aligned, and kept alive by the caller beside the pool.
    let pool = unsafe { Pool::at(memory.0.as_mut_ptr()) };
    (memory, pool)
}

#[test]
fn blocks_never_overlap_and_run_out_with_none() {
    let (_memory, pool) = pool();
    let cursors = Cursors::default();
    for traffic in [Traffic::Request, Traffic::Reply] {
        let mut spans = Vec::new();
        while let Some(block) = pool.claim(&cursors, traffic, 1000, true) {
            let payload = pool.payload(block, 1000);
            spans.push((payload.as_ptr() as usize, payload.len()));
        }
        assert_eq!(spans.len(), CLASSES.iter().map(|c| c.1).sum::<usize>());
        spans.sort();
        assert!(spans.windows(2).all(|w| w[0].0 + w[0].1 <= w[1].0));
    }
}

#[test]
fn a_block_knows_its_capacity() {
    let (_memory, pool) = pool();
    let cursors = Cursors::default();
    for traffic in [Traffic::Request, Traffic::Reply] {
        for (bytes, count) in CLASSES {
            for _ in 0..count {
                let block = pool.claim(&cursors, traffic, bytes, true).unwrap();
                assert_eq!(pool.capacity(block), bytes);
            }
        }
    }
}

#[test]
fn a_freed_block_can_be_claimed_again() {
    let (_memory, pool) = pool();
    let cursors = Cursors::default();
    let mut blocks = Vec::new();
    while let Some(block) = pool.claim(&cursors, Traffic::Request, MAX_MEDIUM, false) {
        blocks.push(block);
    }
    assert_eq!(blocks.len(), CLASSES[2].1);
    pool.free(blocks[3]);
    assert_eq!(pool.claim(&cursors, Traffic::Request, MAX_MEDIUM, false), Some(blocks[3]));
}

#[test]
fn the_oldest_block_is_claimed_without_a_search() {
    for serial in [true, false] {
        let (_memory, pool) = pool();
        let cursors = Cursors::default();
        let claim = || pool.claim_oldest(&cursors, Traffic::Reply, serial);
        let blocks: Vec<_> = (0..CLASSES[0].1).map(|_| claim().expect("free")).collect();
        assert!(blocks.iter().all(|&block| pool.capacity(block) == LITTLE));
        assert!(claim().is_none());
        // Not one that lies farther on, and not a larger one.
        pool.free(blocks[2]);
        assert!(claim().is_none());
        // A receiver keeps the oldest.
        pool.free(blocks[1]);
        assert_eq!([claim(), claim(), claim()], [Some(blocks[1]), Some(blocks[2]), None]);
    }
}

#[test]
fn blocks_sent_to_the_dead_come_back_and_no_others() {
    let (_memory, pool) = pool();
    let cursors = Cursors::default();
    for serial in [true, false] {
        let mut blocks = Vec::new();
        for traffic in [Traffic::Request, Traffic::Reply] {
            while let Some(block) = pool.claim(&cursors, traffic, 1, serial) {
                blocks.push(block);
            }
        }
        assert_eq!(blocks.len(), 2 * CLASSES.iter().map(|class| class.1).sum::<usize>());
        assert_eq!(pool.in_use(), blocks.len());
        for (index, block) in blocks.iter().enumerate().filter(|(index, _)| index % 4 != 3) {
            pool.sent(*block, NodeRank(index as u32 % 4));
        }
        assert_eq!(pool.take_back(NodeRank(2)), blocks.len() / 4);
        assert_eq!(pool.take_back(NodeRank(2)), 0);
        assert_eq!(pool.in_use(), blocks.len() / 4 * 3);
        blocks.iter().enumerate().filter(|(index, _)| index % 4 != 2).for_each(|(_, block)| pool.free(*block));
        assert_eq!(pool.in_use(), 0);
    }
}
