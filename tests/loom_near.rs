//! Collectives in memory that the members of a team share, under loom: who reads data has seen its writer's flag, who writes a place or a
//! slot again has seen all its readers, and members that sleep are woken. The files under test are compiled here a second time, with
//! loom's atomics and locks, blocks of one or two places and of one slot, and data in cells for which loom fails if nothing orders two
//! accesses. Members sleep whenever they have to wait, and a lost wake-up is a deadlock, which loom reports.
#![allow(dead_code, unreachable_pub)]
// Of the only slot.
#![allow(clippy::modulo_one)]

// The files under test lock by `parking_lot::Mutex`, which is then the one below.
extern crate self as parking_lot;

pub struct Mutex<T>(loom::sync::Mutex<T>);

impl<T> Mutex<T> {
    pub fn new(value: T) -> Mutex<T> {
        Mutex(loom::sync::Mutex::new(value))
    }
    pub fn lock(&self) -> loom::sync::MutexGuard<'_, T> {
        self.0.lock().unwrap()
    }
    pub fn try_lock(&self) -> Option<loom::sync::MutexGuard<'_, T>> {
        self.0.try_lock().ok()
    }
}

impl<T: Default> Default for Mutex<T> {
    fn default() -> Mutex<T> {
        Mutex::new(T::default())
    }
}

mod sync {
    pub mod atomic {
        pub use loom::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
    }
    pub use crate::{padded_file as padded, turned_file as turned};
}
#[path = "../src/sync/padded.rs"]
pub mod padded_file;
#[path = "../src/sync/turned.rs"]
pub mod turned_file;

#[path = "loom"]
mod os {
    pub mod sleep;
}
#[path = "loom/sleeper.rs"]
mod sleeper;
#[path = "../src/defs"]
mod defs {
    pub mod rank;
}

#[path = "loom/cells.rs"]
mod mem;

mod barrier {
    use crate::coll::near::sizes::FAN;
    use crate::defs::rank::NodeRank;
    use crate::mem::Dst;

    /// Of tests/loom_barrier.rs.
    pub struct Barrier;
    impl Barrier {
        pub fn of_team(_area: Dst<'static>, _me: usize, _members: &[NodeRank]) -> Barrier {
            Barrier
        }
    }
    pub fn area_bytes(_ranks: usize) -> usize {
        0
    }
    pub fn levels(ranks: usize) -> impl Iterator<Item = usize> {
        core::iter::successors(Some(ranks), |&below| (below > 1).then(|| below.div_ceil(FAN))).skip(1)
    }
}
mod event {
    use loom::sync::atomic::{AtomicBool, Ordering};

    pub enum PieceKind {
        Put,
    }
    pub struct Op(pub AtomicBool);
    impl Op {
        pub fn finish(&self, _: PieceKind) {
            self.0.store(true, Ordering::Release);
        }
    }
}
mod hang {
    pub mod waits {
        #[derive(Clone, Copy)]
        pub struct Note<'a>(pub core::marker::PhantomData<&'a ()>);
    }
}
#[path = "../src/nbrhd"]
mod nbrhd {
    pub mod bell;

    use crate::defs::rank::NodeRank;
    use crate::mem::{self, Dst, RemoteAddr};

    /// All memory that is shared is attached, at the same address everywhere.
    pub struct Nbrhd;
    impl Nbrhd {
        pub fn light_barrier(&self) {
            crate::os::sleep::light_barrier(true);
        }
        pub fn in_attached(&self, at: usize, _len: usize) -> bool {
            mem::is_shared(at)
        }
        pub fn attached(&self, _rank: NodeRank, at: RemoteAddr, len: usize) -> Dst<'static> {
            // SAFETY: has no contract here.
            unsafe { Dst::new(core::ptr::without_provenance_mut(at.0), len) }
        }
    }
}
mod job {
    use crate::defs::rank::NodeRank;
    use crate::hang::waits::Note;
    use crate::nbrhd::Nbrhd;
    use crate::nbrhd::bell::Bell;
    use crate::sleeper::sleep_unless;
    use crate::turned_file::Turned;
    use std::sync::Arc;

    pub struct Job {
        pub nbrhd: Nbrhd,
        pub bells: Arc<[Bell]>,
        pub me: usize,
    }

    impl Job {
        pub fn wake_rank(&self, rank: NodeRank) {
            self.bells[rank.0 as usize].ring(true);
        }

        /// One thread calls at a time; tests/loom_wakeups.rs has several.
        pub fn left(&self, _: &Turned, _: bool) {}

        pub fn wait_for<'n>(&self, _what: impl Fn() -> Note<'n>, mut cond: impl FnMut() -> bool) {
            while !cond() && !sleep_unless(&self.bells[self.me], &mut cond) {}
        }
    }
}

#[path = "../src/coll"]
mod coll {
    pub mod buffer;
    pub mod operation;
    pub mod shares;
    pub mod operator {
        use crate::mem::{self, Dst, Src};

        /// Adds words.
        #[derive(Clone, Copy)]
        pub struct Operator {
            pub width: usize,
        }
        impl Operator {
            pub fn apply(&self, left: Src<'_>, right: Dst<'_>) {
                for at in (0..left.len()).step_by(8) {
                    let sum = mem::load(left.as_ptr().wrapping_add(at)) + mem::load(right.as_ptr().wrapping_add(at));
                    mem::store(right.as_ptr().wrapping_add(at), sum);
                }
            }
        }
    }
    pub mod near {
        pub mod arena {
            pub const UNIT: usize = 128;
        }
        pub mod block;
        pub mod large;
        pub mod member;
        pub mod small;
        pub mod window;
        /// One place, with a stage two; one slot of two words for each member; a tree of counters for three members.
        pub mod sizes {
            use core::ops::RangeInclusive;
            pub const WORDS: usize = 5;
            pub const DATA_AT: usize = 2;
            pub const DATA: usize = 8;
            pub const LINES: usize = 64;
            pub const PLACES: RangeInclusive<usize> = 1..=2;
            pub const FLAT: usize = 2;
            pub const FAN: usize = 2;
            pub const SLOTS: u64 = 1;
            pub const STAGE: usize = 0;
            pub const SLOT: RangeInclusive<usize> = 16..=16;
            pub const REDUNDANT_MAX: usize = 32;
            pub const IN_PLACE_MIN: usize = 32;
        }
    }
}

use coll::near::block::{Block, BlockLine, BlockShape};
use coll::near::member::Near;
use coll::near::sizes::{FLAT, SLOTS};
use coll::operation::{AllSync, Operation};
use coll::operator::Operator;
use coll::shares::Shares;
use core::marker::PhantomData;
use defs::rank::NodeRank;
use event::Op;
use hang::waits::Note;
use job::Job;
use loom::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use loom::thread;
use mem::{Dst, Src};
use nbrhd::Nbrhd;
use nbrhd::bell::Bell;
use std::sync::Arc;

const FREE: AllSync = AllSync { enter: false, leave: false };
const STRICT: AllSync = AllSync { enter: true, leave: true };
const NOTE: Note<'_> = Note(PhantomData);

/// Memory as aligned as the lines of a block.
#[repr(C, align(128))]
#[derive(Clone, Copy)]
struct Unit([u8; 128]);

/// A member of a team.
struct Member {
    near: Near,
    job: Job,
    me: usize,
    members: usize,
    /// A word of shared memory of each member.
    words: Vec<Words>,
    /// The memory of the block.
    _units: Arc<Vec<Unit>>,
}

/// Words of one thread, or the address of shared ones.
#[derive(Clone, Copy)]
struct Words(Dst<'static>);

impl Words {
    /// Words of this thread, which are never freed.
    fn new(words: &[u64]) -> Words {
        Words(mem::all_of(Vec::leak(words.to_vec())))
    }
    /// Shared words, `number` of them, in the place of these.
    fn shared(number: usize) -> Words {
        let words = Words::new(&vec![0; number]);
        mem::share(words.0);
        words
    }
    fn set(self, value: u64) {
        (0..self.0.len()).step_by(8).for_each(|at| mem::store(self.0.as_ptr().wrapping_add(at), value + at as u64));
    }
    fn get(self) -> Vec<u64> {
        (0..self.0.len()).step_by(8).map(|at| mem::load(self.0.as_ptr().wrapping_add(at))).collect()
    }
    fn src(self) -> Src<'static> {
        self.0.as_src()
    }
}

/// The words that `Words::set` writes.
fn set(words: usize, value: u64) -> Vec<u64> {
    (0..words as u64).map(|at| value + 8 * at).collect()
}

fn block(shape: BlockShape) -> (Block, Arc<Vec<Unit>>) {
    let mut units = vec![Unit([0; 128]); shape.bytes().div_ceil(128)];
    // SAFETY: has no contract here.
    let block = Block::new(unsafe { Dst::new(units.as_mut_ptr().cast(), 128 * units.len()) }, 0, shape);
    let counters = if shape.members > FLAT { barrier::levels(shape.members).sum() } else { 0 };
    let number = block.places() - 1;
    let last = if counters > 0 { block.top(number).0 } else { block.came(number, shape.members - 1).0 };
    let lines = (core::ptr::from_ref(last).addr() - units.as_ptr().addr()) / size_of::<BlockLine>() + 1;
    for index in 0..lines {
        let line = units.as_mut_ptr().cast::<BlockLine>().wrapping_add(index).cast::<AtomicU64>();
        for at in 0..coll::near::sizes::WORDS {
            // SAFETY: a word of a line of the block.
            unsafe { line.add(at).write(AtomicU64::new(0)) };
        }
    }
    for member in 0..shape.members {
        (0..block.places()).for_each(|number| mem::share(block.came(number, member).1));
        (0..SLOTS).filter(|_| shape.has_stage).for_each(|round| mem::share(block.stage(round, member)));
    }
    for number in 0..block.places() {
        (0..counters).for_each(|index| mem::share(block.counter(number, index).2));
    }
    (block, Arc::new(units))
}

/// Each of `members` runs `script` in a thread, with two places in the window and a stage, or with one place and none.
fn explore(members: usize, has_stage: bool, preemptions: usize, script: fn(&Member)) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(preemptions);
    model.check(move || {
        let (block, units) = block(BlockShape { members, has_stage });
        let ranks: Box<[NodeRank]> = (0..members as u32).map(NodeRank).collect();
        let bells: Arc<[Bell]> = (0..members).map(|_| Bell::default()).collect();
        let words: Vec<_> = (0..members).map(|_| Words::shared(4)).collect();
        let mut running = Vec::new();
        for me in 0..members {
            let job = Job { nbrhd: Nbrhd, bells: bells.clone(), me };
            let near = Near::on(block, ranks.clone(), me, false);
            let member = Member { near, job, me, members, words: words.clone(), _units: units.clone() };
            running.push(thread::spawn(move || script(&member)));
        }
        running.into_iter().for_each(|thread| thread.join().unwrap());
        mem::forget();
    });
}

impl Member {
    fn run(&self, operation: Operation, sync: AllSync) {
        assert!(self.near.takes(&operation, sync));
        assert!(self.near.run(&self.job, operation, sync, NOTE).is_ok());
    }

    fn start(&self, operation: Operation) -> Option<&'static Op> {
        self.near.start(&self.job, operation, FREE, || Box::leak(Box::new(Op(AtomicBool::new(false)))), || {})
    }

    fn wait(&self, op: Option<&'static Op>) {
        self.job.wait_for(
            || NOTE,
            || {
                op.is_none_or(|op| op.0.load(Ordering::Acquire)) || {
                    let finished = self.near.step(&self.job).0;
                    finished != 0 && op.is_none_or(|op| op.0.load(Ordering::Acquire))
                }
            },
        );
    }

    fn broadcast(&self, root: usize, dst: Words, src: Words) -> Operation {
        Operation::Broadcast { root, dst: dst.0, src: src.src() }
    }

    fn allreduce(&self, dst: Words, src: Words) -> Operation {
        Operation::Allreduce { operator: Operator { width: 8 }, dst: dst.0, src: src.src() }
    }

    /// Broadcasts `words` words from `root`.
    fn runs_broadcast(&self, root: usize, words: usize, number: u64, sync: AllSync) {
        let (dst, src) =
            (Words::new(&vec![0; words]), Words::new(&set(words, if self.me == root { number } else { 0 })));
        self.run(self.broadcast(root, dst, src), sync);
        assert_eq!(dst.get(), set(words, number));
    }

    fn runs_allreduce(&self, words: usize, number: u64) {
        let (dst, src) = (Words::new(&vec![0; words]), Words::new(&set(words, number << (8 * self.me))));
        self.run(self.allreduce(dst, src), FREE);
        let sums = (0..words).map(|at| (0..self.members).map(|member| set(words, number << (8 * member))[at]).sum());
        assert_eq!(dst.get(), sums.collect::<Vec<u64>>());
    }

    fn runs_allgather(&self, words: usize, number: u64, sync: AllSync) {
        let (dst, src) = (Words::new(&vec![0; words * self.members]), Words::new(&set(words, number + self.me as u64)));
        let shares = Shares::even(8 * words);
        self.run(Operation::Allgather { shares, dst: dst.0, src: src.src() }, sync);
        assert_eq!(dst.get(), (0..self.members).flat_map(|of| set(words, number + of as u64)).collect::<Vec<_>>());
    }
}

#[test]
fn broadcasts_that_use_a_place_again_give_each_member_its_own_data() {
    let script = |member: &Member| (1..=3).for_each(|number| member.runs_broadcast(0, 1, 100 * number, FREE));
    explore(2, false, 2, script);
    explore(2, true, 1, script);
}

/// The root needs a place while one member has left it and the other has not, or neither.
#[test]
fn a_place_is_used_again_when_the_last_of_two_members_has_read_it() {
    explore(3, false, 1, |member| (1..=2).for_each(|number| member.runs_broadcast(0, 1, 100 * number, FREE)));
}

#[test]
fn broadcasts_from_one_root_after_another_share_a_place() {
    explore(2, false, 2, |member| (1..=3).for_each(|n| member.runs_broadcast(n as usize % 2, 1, 100 * n, FREE)));
}

/// Each writes its word before the barrier and reads the others' words after it, then the same again.
fn barriers(member: &Member) {
    for round in 1..=2 {
        member.words[member.me].set(100 * round);
        member.run(Operation::Barrier, FREE);
        member.words.iter().for_each(|words| assert_eq!(words.get(), set(4, 100 * round)));
        member.run(Operation::Barrier, FREE);
    }
}

#[test]
fn barriers_order_what_members_did_before_and_after() {
    explore(2, false, 1, barriers);
}

#[test]
fn barriers_by_a_tree_of_counters_order_what_members_did_before_and_after() {
    explore(3, false, 2, |member| {
        member.words[member.me].set(100);
        member.run(Operation::Barrier, FREE);
        member.words.iter().for_each(|words| assert_eq!(words.get(), set(4, 100)));
    });
}

#[test]
fn reductions_use_a_place_again() {
    explore(2, false, 3, |member| (1..=2).for_each(|number| member.runs_allreduce(1, number)));
}

#[test]
fn reductions_by_a_tree_of_counters_use_its_words_again() {
    explore(3, false, 1, |member| (1..=2).for_each(|number| member.runs_allreduce(1, number)));
}

/// A root that waits for nobody starts more than there are places.
#[test]
fn collectives_that_are_started_without_a_place_end_when_there_is_one() {
    for (has_stage, preemptions) in [(false, 2), (true, 1)] {
        explore(2, has_stage, preemptions, |member| {
            let all: Vec<_> = (1..=3)
                .map(|number| {
                    let (dst, src) = (Words::new(&[0]), Words::new(&[if member.me == 0 { number } else { 0 }]));
                    (member.start(member.broadcast(0, dst, src)), dst, number)
                })
                .collect();
            for (op, dst, number) in all {
                member.wait(op);
                assert_eq!(dst.get(), [number]);
            }
        });
    }
}

/// Two slots' worth of data, so that the second piece waits for the readers of the first.
#[test]
fn pieces_wait_for_the_readers_of_their_slot() {
    explore(2, true, 2, |member| (1..=2).for_each(|number| member.runs_broadcast(0, 3, 1000 * number, FREE)));
    explore(3, true, 1, |member| member.runs_broadcast(0, 3, 1000, FREE));
}

#[test]
fn members_meet_before_and_after_a_collective_that_says_so() {
    explore(2, true, 1, |member| (1..=2).for_each(|number| member.runs_allgather(1, 1000 * number, STRICT)));
}

/// Each root changes its source as soon as the call has returned.
#[test]
fn a_source_that_is_read_in_place_is_the_callers_again_after_the_call() {
    explore(2, true, 2, |member| {
        for number in 1..=2 {
            let (dst, src) = (Words::new(&[0; 4]), member.words[0]);
            if member.me == 0 {
                src.set(1000 * number);
            }
            member.run(member.broadcast(0, dst, src), FREE);
            assert_eq!(dst.get(), set(4, 1000 * number));
        }
    });
}

/// Each member reduces a slice of the others' pieces, and reads the others' slices.
#[test]
fn slices_are_reduced_once_and_read_by_all() {
    explore(3, true, 0, |member| member.runs_allreduce(2, 1));
    explore(2, true, 1, |member| (1..=2).for_each(|number| member.runs_allreduce(2, number)));
}

/// The address of the second source must not be seen by a member that still reads the first one's pieces.
#[test]
fn a_source_is_not_exposed_while_earlier_pieces_are_read() {
    explore(2, true, 2, |member| {
        member.runs_broadcast(0, 2, 1000, FREE);
        let (dst, src) = (Words::new(&[0; 4]), member.words[0]);
        if member.me == 0 {
            src.set(2000);
        }
        member.run(member.broadcast(0, dst, src), FREE);
        assert_eq!(dst.get(), set(4, 2000));
    });
}
