//! Remote atomics on mapped memory under loom: writes of a thread before an operation are ordered before reads of another
//! thread after an operation that sees the first one. The file under test is compiled here a second time, with loom's
//! atomics, which guarantee no more order than is requested, on any processor.
#![allow(dead_code)]

mod sync {
    pub mod atomic {
        pub use loom::sync::atomic::{AtomicU32, AtomicU64, Ordering};
    }
}
mod mem {
    use loom::sync::atomic::{AtomicU32, AtomicU64};

    /// One word of either width.
    #[derive(Clone, Copy)]
    pub struct Dst<'a>(pub &'a AtomicU32, pub &'a AtomicU64);

    impl<'a> Dst<'a> {
        pub fn word_32(self) -> &'a AtomicU32 {
            self.0
        }
        pub fn word_64(self) -> &'a AtomicU64 {
            self.1
        }
    }
}
mod ratomic {
    pub use crate::ops_file as ops;
}
#[path = "../src/ratomic/local.rs"]
mod local;
#[path = "../src/ratomic/ops.rs"]
pub mod ops_file;

use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicU32, AtomicU64};
use loom::thread;
use mem::Dst;
use ops_file::{AtomicOp, Type, Verb};
use std::sync::Arc;

struct Model {
    narrow: AtomicU32,
    wide: AtomicU64,
    data: UnsafeCell<u32>,
}

// SAFETY: loom fails where nothing orders two accesses to `data`.
unsafe impl Send for Model {}
// SAFETY: as above.
unsafe impl Sync for Model {}

impl Model {
    fn target(&self) -> Dst<'_> {
        Dst(&self.narrow, &self.wide)
    }
}

fn bits(dtype: Type, number: u32) -> u64 {
    match dtype {
        Type::Flt => (number as f32).to_bits().into(),
        Type::Dbl => f64::from(number).to_bits(),
        _ => number.into(),
    }
}

/// One thread writes data and changes a 5 by `op`; the other thread reads the data if `seen_by` returns the changed value.
fn carries(dtype: Type, op: Verb, seen_by: Verb) {
    loom::model(move || {
        let five = bits(dtype, 5);
        let (narrow, wide) = (AtomicU32::new(five as u32), AtomicU64::new(five));
        let model = Arc::new(Model { narrow, wide, data: UnsafeCell::new(0) });
        let writer = model.clone();
        let writer = thread::spawn(move || {
            // SAFETY: loom fails the test if this access races.
            writer.data.with_mut(|data| unsafe { *data = 1 });
            let op1 = match op {
                Verb::Cas => 5,
                Verb::Min | Verb::And => 2,
                _ => 9,
            };
            local::apply(writer.target(), dtype, op, bits(dtype, op1), bits(dtype, 7));
        });
        let reader = thread::spawn(move || {
            let (op1, op2) = match seen_by {
                Verb::Add => (0, 0),
                Verb::Min => (1000, 0),
                _ => (100, 100),
            };
            if local::apply(model.target(), dtype, seen_by, bits(dtype, op1), bits(dtype, op2)) != five {
                // SAFETY: as above.
                model.data.with(|data| assert_eq!(unsafe { *data }, 1));
            }
        });
        writer.join().unwrap();
        reader.join().unwrap();
    });
}

#[test]
fn release_and_acquire_carry_data_by_every_operation_on_every_type() {
    for dtype in Type::ALL {
        let ops = (0..32).filter_map(|bit| AtomicOp::of(1 << bit)).filter(|op| dtype.ops() & op.code() != 0);
        for op in ops.filter(|op| !op.fetches) {
            carries(dtype, op.verb, Verb::Get);
        }
        for seen_by in [Verb::Add, Verb::Min, Verb::Cas] {
            carries(dtype, Verb::Set, seen_by);
        }
    }
}
