//! The barrier of ranks that share memory, under loom: accesses of a rank before it notifies are ordered before those of another
//! rank that has seen the barrier complete, in each of two phases, whose words are used again. The file under test is compiled here
//! a second time, with loom's atomics.
#![allow(dead_code)]

mod sync {
    pub mod atomic {
        pub use loom::sync::atomic::{AtomicU64, Ordering};
    }
    pub use crate::padded_file as padded;
}
mod job {
    /// Nobody sleeps here; tests/loom_wakeups.rs has the bells.
    pub struct Job;
    impl Job {
        pub fn wake_rank(&self, _: crate::defs::rank::NodeRank) {}
    }
}
mod mem {
    /// Memory of lines that is never unmapped.
    #[derive(Clone, Copy)]
    pub struct Dst<'a>(pub *mut u8, pub core::marker::PhantomData<&'a ()>);
    impl Dst<'_> {
        pub fn part(self, from: usize, _len: usize) -> Self {
            Dst(self.0.wrapping_add(from), self.1)
        }
        pub fn as_ptr(self) -> *mut u8 {
            self.0
        }
        /// # Safety
        /// None: the type has no contract here.
        pub unsafe fn new(at: *mut core::ffi::c_void, _len: usize) -> Self {
            Dst(at.cast(), core::marker::PhantomData)
        }
    }
}
#[path = "../src/defs"]
mod defs {
    pub mod rank;
}
#[path = "../src/sync/padded.rs"]
pub mod padded_file;
#[path = "../src/barrier"]
mod barrier {
    pub mod names;
    pub mod nbrhd_stage;
}

use barrier::names::Names;
use barrier::nbrhd_stage::{SharedStage, levels};
use defs::rank::NodeRank;
use loom::cell::UnsafeCell;
use loom::sync::atomic::AtomicU64;
use loom::thread;
use padded_file::Padded;
use std::sync::Arc;

/// The ranks for each of which a thread notifies; the first of them also waits.
type Duties = &'static [u32];

/// Data that a thread writes before it notifies, and that others read after.
#[derive(Default)]
struct Data(UnsafeCell<u32>);

// SAFETY: loom fails where nothing orders two accesses.
unsafe impl Send for Data {}
// SAFETY: as above.
unsafe impl Sync for Data {}

/// Keeps the address of the lines, which are alive as long as this.
struct Area {
    lines: Vec<Padded<[AtomicU64; 2]>>,
    data: Vec<Data>,
}

fn stage(area: &Area, rank: u32, ranks: u32) -> SharedStage {
    let at = area.lines.as_ptr().cast_mut().cast::<u8>();
    SharedStage::new(mem::Dst(at, core::marker::PhantomData), NodeRank(rank), ranks)
}

/// Each thread writes its data, notifies for its ranks, waits, reads the data of all, and waits again before it writes anew.
fn explore(ranks: u32, duties: &'static [Duties], phases: u32, preemptions: usize) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(preemptions);
    model.check(move || {
        let count = if ranks <= 8 { ranks as usize } else { 1 + levels(ranks as usize).sum::<usize>() };
        let area = Arc::new(Area {
            lines: (0..=count).map(|_| Padded([AtomicU64::new(0), AtomicU64::new(0)])).collect(),
            data: duties.iter().map(|_| Data::default()).collect(),
        });
        let threads: Vec<_> = duties
            .iter()
            .enumerate()
            .map(|(own, duty)| {
                let area = area.clone();
                thread::spawn(move || {
                    let meet = |phase: u32| {
                        for &rank in *duty {
                            stage(&area, rank, ranks).notify(&job::Job, phase, Names::Named(phase as i32));
                        }
                        let looking = stage(&area, duty[0], ranks);
                        loop {
                            match looking.look(phase) {
                                Some(names) => break assert_eq!(names, Names::Named(phase as i32)),
                                None => thread::yield_now(),
                            }
                        }
                    };
                    for round in 0..phases {
                        // SAFETY: loom fails the test if this access races.
                        area.data[own].0.with_mut(|value| unsafe { *value = round + 1 });
                        meet(2 * round + 1);
                        for data in &area.data {
                            // SAFETY: as above.
                            data.0.with(|value| assert_eq!(unsafe { *value }, round + 1));
                        }
                        meet(2 * round + 2);
                    }
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

#[test]
fn two_ranks_see_what_each_wrote_before() {
    explore(2, &[&[0], &[1]], 2, 3);
}

/// Nine ranks: two counters, and one above them. Two threads notify for several ranks each, one of which completes the tree.
#[test]
fn ranks_of_a_tree_see_what_each_wrote_before() {
    explore(9, &[&[0, 2, 4, 6], &[1, 3, 5, 7, 8]], 1, 2);
}
