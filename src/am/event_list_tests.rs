//! Lists of root and leaf events: the entries that a call removes; complete operations are given back.

use std::collections::HashSet;
use std::thread;
use std::time::Duration;

use super::*;
use crate::event::{Op, PieceKind, mine};
use crate::job::several_tests::several;
use crate::settings::Threads;

/// An operation with the leaf for local completion, and the events of it that have finished.
struct Made {
    op: &'static Op,
    put: bool,
    local: bool,
}

impl Made {
    fn new(put: bool, local: bool) -> Made {
        let op = mine().explicit();
        op.start(PieceKind::PutLocal);
        let made = Made { op, put, local };
        if local {
            op.finish(PieceKind::Local);
        }
        if put {
            op.finish(PieceKind::Put);
        }
        made
    }

    fn is_done(&self) -> bool {
        self.put && self.local
    }

    fn finish(&self) {
        [(self.local, PieceKind::Local), (self.put, PieceKind::Put)]
            .into_iter()
            .filter(|(has, _)| !has)
            .for_each(|(_, kind)| self.op.finish(kind));
    }
}

fn list(job: &'static Job, entries: &mut [usize]) -> EventList {
    // SAFETY: the caller's array, which nobody else accesses.
    unsafe { EventList::new(job, "test", entries.as_mut_ptr().cast::<*mut ()>(), entries.len()) }
}

/// Asserts that the thread's next operations are these, which were given back.
fn assert_free(ops: &HashSet<usize>) {
    let next: Vec<_> = ops.iter().map(|_| mine().explicit()).collect();
    assert_eq!(next.iter().map(|op| op.handle().0).collect::<HashSet<_>>(), *ops);
    next.into_iter().for_each(|op| mine().give(op));
}

/// Lists of up to four operations, in all states; each with its root, its leaf, both or neither, in both orders.
#[test]
fn complete_entries_are_removed_and_their_operations_given_back() {
    let ranks = several(1, Threads::Seq, 64);
    let job = ranks.jobs[0];
    let mut random = 5u32;
    let mut below = |most: u32| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 16) % most
    };
    for turn in 0..2000 {
        let (mut made, mut entries, mut expected) = (Vec::new(), Vec::new(), Vec::new());
        let mut freed = HashSet::new();
        for _ in 0..below(5) {
            let local = below(2) == 0;
            let of = Made::new(local && below(2) == 0, local);
            let root = of.op.handle().0;
            let which = below(4);
            if which & 1 != 0 {
                entries.push(root);
                expected.push(if of.is_done() { 0 } else { root });
                if of.is_done() {
                    freed.insert(root);
                }
            }
            if which & 2 != 0 {
                entries.push(root | LEAF);
                expected.push(if of.local { 0 } else { root | LEAF });
            }
            if below(3) == 0 {
                entries.push(0);
                expected.push(0);
            }
            made.push(of);
        }
        if turn % 2 == 0 {
            entries.reverse();
            expected.reverse();
        }
        let (any, all) = ((0..entries.len()).any(|at| entries[at] != expected[at]), expected.iter().all(|&at| at == 0));
        match turn % 4 {
            0 | 1 => assert_eq!(list(job, &mut entries).test_all(), all),
            _ => assert_eq!(list(job, &mut entries).test_some(), any || all),
        }
        assert_eq!(entries, expected);
        assert_free(&freed);
        // The rest: by a wait that finds it complete.
        made.iter().filter(|of| !freed.contains(&of.op.handle().0)).for_each(Made::finish);
        let left: HashSet<_> = entries.iter().copied().filter(|entry| *entry != 0 && entry & LEAF == 0).collect();
        match turn % 3 {
            0 => list(job, &mut entries).wait_some(),
            1 => assert!(list(job, &mut entries).test_some()),
            _ => list(job, &mut entries).wait_all(),
        }
        assert!(entries.iter().all(|&entry| entry == 0), "{entries:?}");
        assert_free(&left);
        for of in made.iter().filter(|of| !freed.contains(&of.op.handle().0) && !left.contains(&of.op.handle().0)) {
            mine().give(of.op);
        }
    }
}

#[test]
fn a_wait_is_described_by_its_first_entry_that_is_not_complete() {
    let ranks = several(1, Threads::Seq, 64);
    let job = ranks.jobs[0];
    let [first, second] = [(); 2].map(|()| mine().explicit());
    first.start(PieceKind::Get);
    (0..3).for_each(|_| second.start(PieceKind::Rmw));
    let told = |entries: &mut [usize]| match list(job, entries).note() {
        Note::Operations { gets, atomics, .. } => (gets, atomics),
        _ => panic!("operations"),
    };
    assert_eq!(told(&mut [0, second.handle().0, first.handle().0]), (0, 3));
    assert_eq!(told(&mut [first.handle().0, second.handle().0]), (1, 0));
    assert_eq!(told(&mut [0]), (0, 0));
    first.finish(PieceKind::Get);
    (0..3).for_each(|_| second.finish(PieceKind::Rmw));
    [first, second].into_iter().for_each(|op| mine().give(op));
}

#[test]
fn waits_go_on_until_what_they_wait_for_has_come() {
    let ranks = several(1, Threads::Par, 64);
    let job = ranks.jobs[0];
    for all in [false, true] {
        let made: Vec<_> = (0..3).map(|_| Made::new(false, false)).collect();
        let mut entries: Vec<_> = made.iter().flat_map(|of| [of.op.handle().0, of.op.handle().0 | LEAF]).collect();
        thread::scope(|scope| {
            scope.spawn(|| {
                for of in made.iter().rev() {
                    thread::sleep(Duration::from_millis(1));
                    of.finish();
                    job.wake_local();
                }
            });
            let list = list(job, &mut entries);
            if all { list.wait_all() } else { list.wait_some() }
        });
        let left = entries.iter().filter(|&&entry| entry != 0).count();
        assert!(if all { left == 0 } else { left < 6 }, "{entries:?}");
        list(job, &mut entries).wait_all();
        assert_free(&made.iter().map(|of| of.op.handle().0).collect());
    }
}
