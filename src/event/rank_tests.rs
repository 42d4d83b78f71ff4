//! Handles as a rank's calls test, wait for and describe them.

use super::*;
use crate::event::Which;
use crate::job::several_tests::{several, several_debug};
use crate::settings::Threads;

/// The description of a wait, as numbers.
fn told(note: &Note<'_>) -> Option<(u32, u32, u32, Option<u32>)> {
    match note {
        Note::Operations { puts, gets, atomics, peer } => Some((*puts, *gets, *atomics, *peer)),
        _ => None,
    }
}

/// Whether `op` is the one that the thread takes next: it was given back last.
fn is_free(op: &'static Op) -> bool {
    let next = mine().explicit();
    mine().give(next);
    ptr::eq(next, op)
}

#[test]
fn a_handle_is_released_by_the_test_that_finds_it_complete() {
    let ranks = several(1, Threads::Seq, 64);
    let job = ranks.jobs[0];
    assert!(job.test("test", Handle::DONE) && job.is_complete("test", Handle::DONE));
    let op = mine().explicit();
    op.start(PieceKind::PutLocal);
    op.start(PieceKind::Get);
    let (root, leaf) = (op.hand_out(), op.local_leaf());
    assert!(root != Handle::DONE && leaf != Handle::DONE);
    assert_eq!(told(&job.note_of("test", root)), Some((1, 1, 0, None)));
    assert_eq!(told(&job.note_of("test", Handle::DONE)), Some((0, 0, 0, None)));
    assert_eq!(told(&job.note_of("test", Handle::QUIET)), Some((0, 0, 0, None)));
    assert!(ptr::eq(job.explicit_op("test", leaf), op));
    for is_leaf_done in [false, true] {
        assert!(!job.test("test", root) && !job.is_complete("test", root));
        assert_eq!((job.test("test", leaf), job.is_complete("test", leaf)), (is_leaf_done, is_leaf_done));
        op.finish(if is_leaf_done { PieceKind::Put } else { PieceKind::Local });
    }
    op.finish(PieceKind::Get);
    assert!(job.test("test", leaf) && job.is_complete("test", root) && !is_free(op));
    assert!(job.test("test", root) && is_free(op));
}

#[test]
fn waits_release_what_they_waited_for() {
    let ranks = several(1, Threads::Seq, 64);
    let job = ranks.jobs[0];
    job.wait("test", Handle::DONE);
    let op = mine().explicit();
    op.start(PieceKind::Put);
    job.wait("test", op.local_leaf());
    job.wait("test", job.leaf_of("test", op.handle(), Which::LOCAL));
    op.finish(PieceKind::Put);
    assert!(!is_free(op));
    job.wait("test", op.handle());
    assert!(is_free(op));
    let op = mine().explicit();
    job.wait_own(op);
    assert!(is_free(op));
    let op = mine().value();
    op.start(PieceKind::Get);
    let handle = op.hand_out();
    assert!(ptr::eq(job.value_op("test", handle), op));
    op.value.store(u64::MAX - 5, Ordering::Relaxed);
    op.finish(PieceKind::Get);
    assert_eq!(job.wait_value("test", handle), u64::MAX - 5);
    assert!(is_free(op));
}

#[test]
fn implicit_operations_are_complete_by_category() {
    let ranks = several(1, Threads::Seq, 64);
    let job = ranks.jobs[0];
    let op = mine().current();
    assert!(ptr::eq(job.implicit_op("test"), op) && job.test_implicit("test", Which::ALL));
    for (kind, of) in [(PieceKind::Put, Which::PUTS), (PieceKind::Get, Which::GETS), (PieceKind::Rmw, Which::RMWS)] {
        op.start(kind);
        for which in [Which::PUTS, Which::GETS, Which::RMWS, Which::ALL] {
            assert_eq!(job.test_implicit("test", which), which != of && which != Which::ALL);
        }
        [Which::PUTS, Which::GETS, Which::RMWS]
            .into_iter()
            .filter(|which| *which != of)
            .for_each(|which| job.wait_implicit("test", which));
        op.finish(kind);
        job.wait_implicit("test", of);
        job.wait_implicit("test", Which::ALL);
    }
    // In a region they are pieces of another operation.
    assert!(mine().begin_region());
    mine().current().start(PieceKind::Put);
    assert!(ptr::eq(job.implicit_op("test"), op) && job.test_implicit("test", Which::ALL));
    mine().current().finish(PieceKind::Put);
    assert_eq!(mine().end_region(), Some(Handle::DONE));
}

#[test]
fn leaves_of_a_root_are_the_same_each_time() {
    for ranks in [|| several(1, Threads::Seq, 64), || several_debug(1)] {
        let ranks = ranks();
        let job = ranks.jobs[0];
        for which in [Which::LOCAL, Which::PUTS, Which::GETS, Which::RMWS] {
            assert_eq!(job.leaf_of("test", Handle::DONE, which), Handle::DONE);
        }
        // An access region has one for each category, other operations for local completion only.
        assert!(mine().begin_region());
        let op = mine().current();
        [PieceKind::PutLocal, PieceKind::Rmw].into_iter().for_each(|kind| op.start(kind));
        let root = mine().end_region().expect("a region was open");
        let leaf = |which| job.leaf_of("test", root, which);
        for (which, done) in [(Which::LOCAL, false), (Which::PUTS, false), (Which::GETS, true), (Which::RMWS, false)] {
            assert_eq!((leaf(which), leaf(which).leaf()), (leaf(which), Some(which)));
            assert_eq!(job.test("test", leaf(which)), done);
        }
        op.finish(PieceKind::Local);
        assert!(job.test("test", leaf(Which::LOCAL)) && !job.test("test", leaf(Which::PUTS)));
        [PieceKind::Put, PieceKind::Rmw].into_iter().for_each(|kind| op.finish(kind));
        assert!(job.test("test", root));
        let op = mine().explicit();
        op.start(PieceKind::Local);
        assert_eq!(job.leaf_of("test", op.handle(), Which::LOCAL).0, op.handle().0 | 2);
        op.finish(PieceKind::Local);
        assert!(job.test("test", op.handle()));
    }
}

/// In debug clients each handle is looked up, whichever place its operation has in its block.
#[test]
fn debug_clients_may_pass_every_handle_that_they_have() {
    let ranks = several_debug(1);
    let job = ranks.jobs[0];
    let ops: Vec<_> = (0..500).map(|_| mine().explicit()).collect();
    ops.iter().for_each(|op| op.start(PieceKind::Put));
    for op in &ops {
        job.check_owner("test", op.handle());
        assert!(!job.test("test", op.handle()) && job.test("test", op.local_leaf_anyway()));
    }
    [Handle::DONE, Handle::NO_OP, Handle::QUIET, Handle(ops[0].handle().0 | LEAF)]
        .into_iter()
        .for_each(|handle| job.check_owner("test", handle));
    ops.iter().for_each(|op| op.finish(PieceKind::Put));
    assert!(ops.iter().all(|op| job.test("test", op.handle())));
    let value = mine().value();
    value.start(PieceKind::Get);
    value.finish(PieceKind::Get);
    assert_eq!(job.wait_value("test", value.handle()), 0);
}

#[test]
fn the_next_quiet_completes_the_puts_left_to_it() {
    let ranks = several(1, Threads::Seq, 64);
    let job = ranks.jobs[0];
    leave_for_quiet();
    assert!(job.quietens(Handle::QUIET) && !job.quietens(Handle::DONE));
    assert!(job.test("test", Handle::QUIET) && job.is_complete("test", Handle::QUIET));
    job.wait("test", Handle::QUIET);
    assert_eq!(job.leaf_of("test", Handle::QUIET, Which::PUTS), Handle::QUIET);
    job.quieten(Which::ALL);
}

impl Op {
    /// The leaf for local completion, also if that has come.
    fn local_leaf_anyway(&'static self) -> Handle {
        Handle(self.handle().0 | LEAF)
    }
}
