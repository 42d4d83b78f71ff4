//! Payload blocks: the memory through which Medium payloads too long for a ring slot travel. Each rank owns one
//! pool in shared memory; it claims a block, copies the payload in, and names the block in its message; the
//! receiver runs the handler on the block itself and frees it. Requests and replies have blocks of their own, so
//! that a reply never waits for a request's block. A block that was sent records its receiver: its owner frees it if
//! the receiver dies.
//!
//! # Safety
//! A `Pool` is a view of memory that nbrhd laid out, zeroed, and keeps mapped for the job's life. A block's bytes
//! belong to its claimer until the message is published (`sent`), then to the receiver until `free` or the receiver's death.
#![allow(unsafe_code)]

use core::ffi::c_void;

use crate::defs::message::Traffic;
use crate::defs::rank::NodeRank;
use crate::mem::Dst;
use crate::os::cpu;
use crate::sync::atomic::{AtomicU32, Ordering};

/// Bytes before a block's payload; holds `busy` on a line of its own.
const HEADER: usize = 64;

/// Values of `busy`: free; claimed and written by its owner; `SENT` plus the node rank of the receiver.
const FREE: u32 = 0;
const CLAIMED: u32 = 1;
const SENT: u32 = 2;

/// The largest Medium payload.
pub(crate) const MAX_MEDIUM: usize = 64 * 1024;

/// Payload bytes and number of the blocks of each class, smallest first.
pub(super) const CLASSES: [(usize, usize); 3] = [(1024, 32), (8 * 1024, 32), (MAX_MEDIUM, 8)];

/// Payload bytes of the smallest blocks.
pub(crate) const LITTLE: usize = CLASSES[0].0;

const fn class_bytes(class: usize) -> usize {
    (HEADER + CLASSES[class].0) * CLASSES[class].1
}

const ONE_SET: usize = class_bytes(0) + class_bytes(1) + class_bytes(2);

/// Bytes of one rank's pool.
pub(crate) const POOL_BYTES: usize = 2 * ONE_SET;

/// One rank's blocks, as seen from any rank of the nbrhd.
#[derive(Clone, Copy)]
pub struct Pool {
    base: *mut u8,
}

// SAFETY: `busy` words are atomics; payload bytes have one owner at a time by the protocol above.
unsafe impl Send for Pool {}
// SAFETY: as for Send.
unsafe impl Sync for Pool {}

/// The block of each class that the next claim tries first. In the owner's private memory.
#[derive(Default)]
pub struct Cursors([[AtomicU32; CLASSES.len()]; 2]);

/// Names a block within its owner's pool: its offset in units of 64 bytes.
pub(crate) type BlockId = u32;

impl Pool {
    /// # Safety
    /// `base` is 64-byte aligned, zeroed before first use, and `POOL_BYTES` bytes from it stay mapped for the
    /// job's life in this process.
    pub unsafe fn at(base: *mut u8) -> Pool {
        Pool { base }
    }

    fn busy(&self, offset: usize) -> &AtomicU32 {
        assert!(offset < POOL_BYTES && offset % HEADER == 0);
        // SAFETY: in bounds and aligned (checked); every multiple of 64 that `claim` hands out starts a block.
        unsafe { &*self.base.add(offset).cast::<AtomicU32>() }
    }

    #[inline]
    fn claim_at(&self, offset: usize, serial: bool) -> bool {
        let busy = self.busy(offset);
        // Acquire: with the Release in `free`; the receiver has read what we are about to overwrite.
        if busy.load(Ordering::Acquire) != FREE {
            return false;
        }
        if serial {
            busy.store(CLAIMED, Ordering::Relaxed);
            return true;
        }
        busy.compare_exchange(FREE, CLAIMED, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    /// Claims one of the two blocks of the smallest size that were claimed longest ago; None if both are in use. The second
    /// one gets past a block that a receiver keeps. Owner only.
    #[inline]
    pub fn claim_oldest(&self, cursors: &Cursors, traffic: Traffic, serial: bool) -> Option<BlockId> {
        let (bytes, count) = CLASSES[0];
        let cursor = &cursors.0[traffic as usize][0];
        let mut index = cursor.load(Ordering::Relaxed) as usize;
        for _ in 0..2 {
            let offset = traffic as usize * ONE_SET + index * (HEADER + bytes);
            index = (index + 1) % count;
            if self.claim_at(offset, serial) {
                cursor.store(index as u32, Ordering::Relaxed);
                return Some((offset / HEADER) as BlockId);
            }
        }
        None
    }

    /// Claims a block for `nbytes`; None if all blocks that are large enough are in use. Owner only.
    pub fn claim(&self, cursors: &Cursors, traffic: Traffic, nbytes: usize, serial: bool) -> Option<BlockId> {
        let mut start = traffic as usize * ONE_SET;
        for (class, (bytes, count)) in CLASSES.iter().enumerate() {
            if nbytes <= *bytes {
                let stride = HEADER + bytes;
                let cursor = &cursors.0[traffic as usize][class];
                let first = cursor.load(Ordering::Relaxed) as usize;
                for index in (first..*count).chain(0..first) {
                    let offset = start + index * stride;
                    if self.claim_at(offset, serial) {
                        cursor.store(((index + 1) % count) as u32, Ordering::Relaxed);
                        return Some((offset / HEADER) as BlockId);
                    }
                }
            }
            start += class_bytes(class);
        }
        None
    }

    /// Payload bytes of a block.
    pub fn capacity(&self, block: BlockId) -> usize {
        let mut start = block as usize * HEADER % ONE_SET;
        for (class, (bytes, _)) in CLASSES.iter().enumerate() {
            if start < class_bytes(class) {
                return *bytes;
            }
            start -= class_bytes(class);
        }
        0
    }

    /// The first `nbytes` payload bytes of a block.
    pub fn payload(&self, block: BlockId, nbytes: usize) -> Dst<'static> {
        let at = block as usize * HEADER + HEADER;
        assert!(at + nbytes <= POOL_BYTES);
        // SAFETY: in bounds (checked); the pool is mapped for the job's life (`at`).
        unsafe { Dst::new(self.base.add(at).cast::<c_void>(), nbytes) }
    }

    /// Prefetches for writing the cache lines of the first `nbytes` payload bytes of a block: the last reader has them.
    #[inline]
    pub fn will_write(&self, block: BlockId, nbytes: usize) {
        const MOST: usize = 2048;
        for line in (0..nbytes.min(MOST)).step_by(64) {
            cpu::prefetch_to_write(self.base.wrapping_add(block as usize * HEADER + HEADER + line));
        }
    }

    /// Records that the message that names the block is about to be published to `receiver`, a rank of the nbrhd. Owner
    /// only; it must not access the block any more.
    #[inline]
    pub fn sent(&self, block: BlockId, receiver: NodeRank) {
        // Release: with the Acquire in `claim` of a thread that finds the block free because of `take_back`, whose exchange
        // continues this release; our bytes must not overwrite its own. (The receiver's store follows the message.)
        self.busy(block as usize * HEADER).store(SENT + receiver.0, Ordering::Release);
    }

    /// Gives a block back to its owner.
    pub fn free(&self, block: BlockId) {
        // Release: with the Acquire in `claim`.
        self.busy(block as usize * HEADER).store(FREE, Ordering::Release);
    }

    /// Frees all blocks that were sent to `receiver`, which has died; returns their number. Owner only.
    pub fn take_back(&self, receiver: NodeRank) -> usize {
        let theirs = SENT + receiver.0;
        // Relaxed: see `sent`. Threads that run this at the same time free each block once: a block that was claimed
        // again has another value, or was sent to the dead rank once more.
        let free = |busy: &AtomicU32| busy.compare_exchange(theirs, FREE, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        self.blocks().filter(|&offset| free(self.busy(offset))).count()
    }

    /// Blocks that are not free.
    pub fn in_use(&self) -> usize {
        self.blocks().filter(|&offset| self.busy(offset).load(Ordering::Relaxed) != FREE).count()
    }

    /// The offset in bytes at which each block starts.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = usize> + use<> {
        let mut start = 0;
        let sets = [(); 2].into_iter().flat_map(|()| CLASSES);
        sets.flat_map(move |(bytes, count)| {
            let first = start;
            start += (HEADER + bytes) * count;
            (0..count).map(move |index| first + index * (HEADER + bytes))
        })
    }
}
