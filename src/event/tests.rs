use super::*;
use std::collections::HashSet;
use std::thread;

#[test]
fn an_operation_is_done_when_every_piece_has_finished() {
    let op = mine().explicit();
    assert!(op.is_done());
    op.start(PieceKind::Put);
    op.start(PieceKind::Get);
    op.finish(PieceKind::Get);
    assert!(!op.is_done() && Which::GETS.done(op) && !Which::PUTS.done(op));
    op.finish(PieceKind::Put);
    assert!(op.is_done());
    mine().give(op);
}

#[test]
fn a_wait_is_described_by_what_is_left_and_the_last_peer() {
    let op = mine().explicit();
    let told = || match op.note() {
        Note::Operations { puts, gets, atomics, peer } => (puts, gets, atomics, peer),
        _ => panic!("no collective"),
    };
    let nobody = told();
    assert_eq!(nobody, (0, 0, 0, None));
    for (kind, pieces) in [(PieceKind::Put, 3), (PieceKind::Local, 2), (PieceKind::Get, 5), (PieceKind::Rmw, 1)] {
        (0..pieces).for_each(|_| op.start(kind));
    }
    op.set_peer(JobRank(0));
    assert_eq!(told(), (3, 5, 1, Some(0)));
    op.set_peer(JobRank(70_000));
    [PieceKind::Put, PieceKind::Put, PieceKind::Get].into_iter().for_each(|kind| op.finish(kind));
    // Two sources are still in use.
    assert_eq!(told(), (2, 4, 1, Some(70_000)));
    [PieceKind::Put, PieceKind::Local, PieceKind::Local, PieceKind::Rmw].into_iter().for_each(|kind| op.finish(kind));
    (0..4).for_each(|_| op.finish(PieceKind::Get));
    assert!(op.is_done());
    mine().give(op);
}

#[test]
fn a_collective_is_described_by_its_team_number_and_name() {
    let op = mine().explicit();
    op.start(PieceKind::Put);
    op.set_collective(1 << 40 | 5, u32::MAX, c"gather");
    let Note::Collective { team, number, name } = op.note() else { panic!("a collective") };
    assert_eq!((team, number, name), (1 << 40 | 5, u32::MAX, &b"gather"[..]));
    op.finish(PieceKind::Put);
    mine().give(op);
}

#[test]
fn a_hundred_thousand_operations_are_distinct_and_come_back() {
    let take = || -> Vec<_> { (0..100_000).map(|_| mine().explicit()).collect() };
    let first = take();
    let addresses: HashSet<_> = first.iter().map(|op| op.handle().0).collect();
    assert_eq!(addresses.len(), first.len());
    assert!(addresses.iter().all(|at| at % 64 == 0 && *at != 0));
    first.into_iter().for_each(|op| mine().give(op));
    let again = take();
    assert!(again.iter().filter(|op| addresses.contains(&op.handle().0)).count() > 90_000);
    again.into_iter().for_each(|op| mine().give(op));
}

#[test]
fn what_another_thread_synchronises_goes_back_to_its_owner() {
    let ops: Vec<_> = (0..1000).map(|_| mine().explicit()).collect();
    let addresses: HashSet<_> = ops.iter().map(|op| op.handle().0).collect();
    // The owner is still registered: its index is not reused meanwhile.
    thread::scope(|scope| {
        for part in ops.chunks(250) {
            scope.spawn(move || part.iter().for_each(|op| mine().give(op)));
        }
    });
    let mut seen = 0;
    let mut held = Vec::new();
    while seen < addresses.len() {
        let op = mine().explicit();
        seen += usize::from(addresses.contains(&op.handle().0));
        held.push(op);
        assert!(held.len() < 1_000_000, "they never came back");
    }
    held.into_iter().for_each(|op| mine().give(op));
}

#[test]
fn pieces_finished_by_other_threads_are_all_counted() {
    let op = mine().explicit();
    for _ in 0..4000 {
        op.start(PieceKind::Get);
    }
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..1000).for_each(|_| op.finish(PieceKind::Get)));
        }
    });
    assert!(op.is_done());
    mine().give(op);
}

#[test]
fn a_region_takes_what_is_started_in_it_and_nothing_else() {
    let ops = mine();
    let outside = ops.current();
    assert!(ops.begin_region() && !ops.begin_region());
    let inside = ops.current();
    assert_ne!(inside.handle(), outside.handle());
    inside.start(PieceKind::Put);
    assert_eq!(ops.end_region(), Some(inside.handle()));
    assert_eq!(ops.current().handle(), outside.handle());
    assert!(outside.is_done() && !inside.is_done());
    inside.finish(PieceKind::Put);
    ops.give(inside);
    assert!(ops.begin_region());
    assert_eq!(ops.end_region(), Some(Handle::DONE));
    assert_eq!(ops.end_region(), None);
}

#[test]
fn counters_may_wrap() {
    let op = mine().explicit();
    for count in &op.counts {
        count.started.store(u32::MAX, Ordering::Relaxed);
        count.done.store(u32::MAX, Ordering::Relaxed);
    }
    op.start(PieceKind::PutLocal);
    op.start(PieceKind::Rmw);
    assert!(!op.is_done() && !op.is_locally_done() && !Which::RMWS.done(op) && Which::GETS.done(op));
    op.finish(PieceKind::PutLocal);
    assert!(Which::PUTS.done(op) && op.is_locally_done() && !op.is_done());
    op.finish(PieceKind::Rmw);
    assert!(op.is_done());
    mine().give(op);
}

#[test]
fn a_piece_completes_what_its_token_names() {
    let op = mine().explicit();
    for kind in [PieceKind::Put, PieceKind::Local, PieceKind::Get, PieceKind::Rmw, PieceKind::PutLocal] {
        op.start(kind);
        let [high, low] = op.token_args(kind);
        assert!(!op.is_done());
        Op::complete_args(high, low);
        assert!(op.is_done());
    }
    mine().give(op);
}

#[test]
fn local_completion_counts_for_the_source_alone_and_only_where_it_is_counted() {
    let op = mine().explicit();
    op.start(PieceKind::PutLocal);
    Op::complete_locally(op.token(PieceKind::PutLocal));
    assert!(op.is_locally_done() && !op.is_done());
    Op::complete_remotely(op.token(PieceKind::PutLocal));
    assert!(op.is_done());
    // Of these pieces no local completion is waited for.
    for kind in [PieceKind::Put, PieceKind::Get, PieceKind::Rmw] {
        (0..3).for_each(|_| op.start(kind));
        Op::complete_locally(op.token(kind));
        assert!(op.is_locally_done() && !op.is_done());
        Op::complete_remotely_times(op.token(kind), 2);
        assert!(!op.is_done());
        Op::complete_remotely(op.token(kind));
        assert!(op.is_done());
    }
    mine().give(op);
}

#[test]
fn a_put_left_to_the_quiet_is_an_implicit_operation_left() {
    leave_for_quiet();
    assert!(left_for_quiet() && left_implicit());
}

#[test]
fn a_leaf_names_its_categories_and_local_completion_alone_needs_no_bits() {
    let op = mine().explicit();
    op.start(PieceKind::Local);
    let leaf = op.local_leaf();
    assert_eq!(leaf.0, op.handle().0 | 2);
    assert_eq!(leaf.leaf(), Some(Which::LOCAL));
    assert_eq!(op.handle().leaf(), None);
    assert_eq!(Handle(op.handle().0 | 2 | 8 << 2).leaf(), Some(Which::RMWS));
    op.finish(PieceKind::Local);
    assert_eq!(op.local_leaf(), Handle::DONE);
    mine().give(op);
}
