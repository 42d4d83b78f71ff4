//! The pool of payload blocks under loom: the bytes of a block are written and read by one owner at a time, when it is claimed
//! anew after its receiver has freed it, and after its receiver has died. The file under test is compiled here a second time,
//! with loom's atomics.
#![allow(dead_code)]

mod sync {
    pub mod atomic {
        pub use loom::sync::atomic::{AtomicU32, Ordering};
    }
}
mod mem {
    /// Memory of blocks that is never accessed: the test has bytes of its own for each block.
    pub struct Dst<'a>(core::marker::PhantomData<&'a ()>);
    impl Dst<'_> {
        /// # Safety
        /// None: the type has no contract here.
        pub unsafe fn new(_at: *mut core::ffi::c_void, _len: usize) -> Self {
            Dst(core::marker::PhantomData)
        }
    }
}
#[path = "../src/os"]
mod os {
    // The pool uses its hints only.
    #[allow(unused_imports)]
    pub mod cpu;
}
#[path = "../src/defs"]
mod defs {
    pub mod message {
        #[derive(Clone, Copy)]
        pub enum Traffic {
            Request = 0,
        }
    }
    pub mod rank;
}
#[path = "../src/nbrhd/pool.rs"]
mod pool;

use defs::message::Traffic;
use defs::rank::NodeRank;
use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicU32, Ordering};
use loom::thread;
use pool::{BlockId, Cursors, MAX_MEDIUM, POOL_BYTES, Pool};
use std::sync::Arc;

/// The largest blocks, of which there are few.
const BLOCKS: usize = 8;
const RECEIVER: NodeRank = NodeRank(1);

/// A line of the pool's memory; loom's atomics take the place of the words that begin blocks.
#[repr(C, align(64))]
struct Line([u8; 64]);

struct Model {
    lines: Box<[Line]>,
    cursors: Cursors,
    /// The only block of requests that is not taken for good.
    block: BlockId,
    /// The payload of the block.
    data: UnsafeCell<u32>,
    /// A message that names the block, one for each sender.
    messages: [AtomicU32; 2],
}

// SAFETY: loom fails where nothing orders two accesses to `data`; lines are accessed through `Pool` only.
unsafe impl Send for Model {}
// SAFETY: as above.
unsafe impl Sync for Model {}

impl Model {
    /// A pool whose blocks of requests are all taken but one.
    fn new() -> Arc<Model> {
        let mut lines: Box<[Line]> = (0..POOL_BYTES / 64).map(|_| Line([0; 64])).collect();
        // SAFETY: aligned, and alive as long as the model. Words of blocks become atomics before any access.
        let pool = unsafe { Pool::at(lines.as_mut_ptr().cast()) };
        for offset in pool.blocks() {
            let word = (&raw mut lines[offset / 64]).cast::<AtomicU32>();
            const { assert!(size_of::<AtomicU32>() <= 64) };
            // SAFETY: in bounds; a line is large enough.
            unsafe { word.write(AtomicU32::new(0)) };
        }
        let cursors = Cursors::default();
        let blocks: Vec<_> =
            (0..BLOCKS).map(|_| pool.claim(&cursors, Traffic::Request, MAX_MEDIUM, true).unwrap()).collect();
        assert_eq!(pool.claim(&cursors, Traffic::Request, MAX_MEDIUM, true), None);
        pool.free(blocks[0]);
        let messages = [AtomicU32::new(0), AtomicU32::new(0)];
        Arc::new(Model { lines, cursors, block: blocks[0], data: UnsafeCell::new(0), messages })
    }

    fn pool(&self) -> Pool {
        // SAFETY: as in `new`.
        unsafe { Pool::at(self.lines.as_ptr().cast_mut().cast()) }
    }

    /// Claims the block and writes `value` to it; returns whether it was free.
    fn write(&self, value: u32, serial: bool) -> bool {
        let claimed = self.pool().claim(&self.cursors, Traffic::Request, MAX_MEDIUM, serial);
        // SAFETY: loom fails the test if this access races.
        claimed.inspect(|_| self.data.with_mut(|data| unsafe { *data = value })).is_some()
    }

    /// Sends `value` in the block, as the message of `sender`; returns whether the block was free.
    fn send(&self, sender: usize, value: u32, serial: bool) -> bool {
        let wrote = self.write(value, serial);
        if wrote {
            self.pool().sent(self.block, RECEIVER);
            // Release: as a ring publishes.
            self.messages[sender].store(value, Ordering::Release);
        }
        wrote
    }

    /// Reads and frees the block, if the message of `sender` has arrived; returns whether it has.
    fn receive(&self, sender: usize) -> bool {
        let value = self.messages[sender].load(Ordering::Acquire);
        if value != 0 {
            // SAFETY: as above.
            self.data.with(|data| assert_eq!(unsafe { *data }, value));
            self.pool().free(self.block);
        }
        value != 0
    }
}

fn explore(test: impl Fn(&Arc<Model>) + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(move || test(&Model::new()));
}

/// `run` in a thread of its own.
fn beside<T: 'static>(model: &Arc<Model>, run: impl FnOnce(&Model) -> T + 'static) -> thread::JoinHandle<T> {
    let model = model.clone();
    thread::spawn(move || run(&model))
}

#[test]
fn a_block_is_written_again_after_its_receiver_has_read_it() {
    for serial in [true, false] {
        explore(move |model| {
            assert!(model.send(0, 7, serial));
            let receiver = beside(model, |model| model.receive(0));
            model.write(8, serial);
            assert!(receiver.join().unwrap());
        });
    }
}

/// Two threads of the owner, of which the second may find the block free after the first has looked at it.
#[test]
fn threads_never_both_write_a_block() {
    explore(|model| {
        let sender = beside(model, |model| model.send(0, 7, false));
        let receiver = beside(model, |model| model.receive(0));
        let wrote = model.write(8, false);
        let (sent, received) = (sender.join().unwrap(), receiver.join().unwrap());
        assert!(wrote || sent);
        assert!(!received || sent);
    });
}

/// A block that was sent to a rank that has died: another thread takes it back, and one claims it.
#[test]
fn a_block_is_written_again_after_its_receiver_has_died() {
    explore(|model| {
        let sender = beside(model, |model| model.send(0, 7, false));
        let heir = beside(model, |model| model.pool().take_back(RECEIVER));
        let wrote = model.write(8, false);
        let (sent, freed) = (sender.join().unwrap(), heir.join().unwrap());
        assert!(wrote || sent);
        assert!(freed <= usize::from(sent));
    });
}
