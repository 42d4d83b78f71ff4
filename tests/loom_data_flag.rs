//! A client that puts data, then a flag, and another that gets the flag, then data, under loom: the inline functions of the headers and `mem::copy_out`,
//! `mem::fill_out` and `mem::copy_in` end with the same fences (capi-tests/cross/fences.c looks at the instructions of the former). The file under
//! test is compiled here a second time, with loom's fences; data is in cells for which loom fails if nothing orders two accesses. The flag is
//! accessed as the inline functions do, without order, and then the fence follows, by a put or get of no bytes.
#![allow(dead_code)]

mod sync {
    pub mod atomic {
        pub use core::sync::atomic::{AtomicU32, AtomicU64};
        pub use loom::sync::atomic::{Ordering, fence};
    }
}
#[path = "../src/mem.rs"]
mod mem;

use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicU32, Ordering};
use loom::thread;
use mem::{Dst, Src, copy, copy_in, copy_out, fill_out};
use std::sync::Arc;

const VALUE: u64 = 0x0707_0707_0707_0707;

type Put = fn(Dst<'_>, Src<'_>);

struct Segment {
    data: UnsafeCell<u64>,
    flag: AtomicU32,
}

// SAFETY: loom fails where nothing orders two accesses to `data`.
unsafe impl Send for Segment {}
// SAFETY: as above.
unsafe impl Sync for Segment {}

impl Segment {
    /// Puts the value by `put`.
    fn put_data(&self, put: Put) {
        self.data.with_mut(|data| {
            // SAFETY: eight bytes of this cell, which outlives the call.
            put(unsafe { Dst::new(data.cast(), 8) }, Src::of(&VALUE.to_ne_bytes()));
        });
    }

    /// Puts the flag by `put`.
    fn put_flag(&self, put: Put) {
        self.flag.store(1, Ordering::Relaxed);
        put(Dst::none(), Src::none());
    }

    /// Gets the flag by `get`, and the data by `get` if it is there.
    fn get(&self, get: Put) {
        let flag = self.flag.load(Ordering::Relaxed);
        get(Dst::none(), Src::none());
        if flag == 1 {
            let mut got = [0; 8];
            self.data.with(|data| {
                // SAFETY: eight bytes of this cell, which outlives the call.
                get(Dst::of(&mut got), unsafe { Src::new(data.cast(), 8) });
            });
            assert_eq!(u64::from_ne_bytes(got), VALUE);
        }
    }
}

/// Every order of a thread that puts and one that gets.
fn explore(put: Put, get: Put) {
    loom::model(move || {
        let segment = Arc::new(Segment { data: UnsafeCell::new(0), flag: AtomicU32::new(0) });
        let there = segment.clone();
        let writer = thread::spawn(move || {
            there.put_data(put);
            there.put_flag(put);
        });
        segment.get(get);
        writer.join().unwrap();
        segment.get(get);
    });
}

#[test]
fn a_get_that_follows_the_flag_has_the_data_that_was_put_before_it() {
    explore(copy_out, copy_in);
}

#[test]
fn a_get_that_follows_the_flag_has_the_data_that_was_set_before_it() {
    explore(|dst, src| if src.is_empty() { copy_out(dst, src) } else { fill_out(dst, VALUE as u8) }, copy_in);
}

#[test]
#[should_panic(expected = "Causality violation")]
fn a_put_without_its_fence_is_found() {
    explore(copy, copy_in);
}

#[test]
#[should_panic(expected = "Causality violation")]
fn a_get_without_its_fence_is_found() {
    explore(copy_out, copy);
}
