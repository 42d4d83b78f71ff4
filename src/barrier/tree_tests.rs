//! The barrier along a tree, of ranks that are called in turn by one thread.

use std::cell::Cell;

use super::names::{Names, PhaseWord};
use super::tree::BarrierTree;
use crate::am::library::{BARRIER_ARRIVE, BARRIER_RELEASE, register};
use crate::am::token::Token;
use crate::defs::message::Msg;
use crate::job::several_tests::several;
use crate::settings::Threads;

thread_local! {
    /// The trees of all ranks, by their index, and the one whose rank is called.
    static TREES: Cell<&'static [BarrierTree]> = const { Cell::new(&[]) };
    static CALLED: Cell<usize> = const { Cell::new(0) };
}

fn word(msg: Msg<'_>) -> (u32, Names) {
    (msg.args[0] as u32, Names::unpack(msg.args[1] as u32, msg.args[2]))
}

fn on_arrive(_token: &Token, msg: Msg<'_>) {
    let (phase, names) = word(msg);
    TREES.get()[CALLED.get()].arrive(phase, names);
}

fn on_release(_token: &Token, msg: Msg<'_>) {
    let (phase, names) = word(msg);
    TREES.get()[CALLED.get()].hear(PhaseWord::new(phase, names));
}

/// Calls `check` with a tree of ranks, each of which has at most `radix` children, and a function that makes one rank poll and call
/// `advance` or, without names, `look`; it returns the result, and whether `then` of `advance` was called.
fn with_ranks(
    count: u32,
    radix: u32,
    check: impl Fn(&[BarrierTree], &dyn Fn(usize, u32, Option<Names>) -> (Option<Names>, bool)),
) {
    register(&[(BARRIER_ARRIVE, on_arrive), (BARRIER_RELEASE, on_release)]);
    let ranks = several(count, Threads::Seq, 64);
    // Numbers of ranks that differ from their index in the tree.
    let members: Box<[u32]> = (0..count).rev().collect();
    let trees =
        (0..count).map(|me| BarrierTree::of(Some(members.clone()), me, count, radix)).collect::<Vec<_>>().leak();
    TREES.set(trees);
    check(trees, &|at, phase, names| {
        CALLED.set(at);
        let job = ranks.jobs[members[at] as usize];
        job.poll();
        let mut was_called = false;
        let result = match names {
            Some(names) => trees[at].advance(job, phase, names, |_| was_called = true),
            None => trees[at].look(job, phase),
        };
        (result, was_called)
    });
}

#[test]
fn every_rank_learns_the_names_once_all_have_come() {
    for (count, radix) in [(1, 1), (2, 1), (3, 16), (7, 2), (16, 4), (16, 16)] {
        with_ranks(count, radix, |_, call| {
            let count = count as usize;
            for phase in 1..6 {
                let names = |at: usize| if at % 3 == 1 { Names::Named(phase as i32) } else { Names::Anonymous };
                // In the order of a permutation that differs in each phase; ranks that have come look again.
                let order: Vec<usize> = (0..count).map(|index| (index * 5 + phase as usize) % count).collect();
                let order = if count % 5 == 0 { (0..count).collect() } else { order };
                let all = (0..count).fold(Names::Anonymous, |all, at| all.join(names(at)));
                for (index, &at) in order.iter().enumerate() {
                    let is_last = index + 1 == count;
                    for &earlier in &order[..index] {
                        assert_eq!(call(earlier, phase, Some(names(earlier))), (None, false), "{count} ranks, {radix}");
                    }
                    let seen = call(at, phase, Some(names(at)));
                    assert!(seen.0.is_none() || is_last, "{count} ranks, {radix}");
                }
                let mut missing: Vec<usize> = (0..count).collect();
                for _ in 0..3 * count {
                    missing.retain(|&at| match call(at, phase, Some(names(at))) {
                        (Some(seen), then) => {
                            assert_eq!((seen, then), (all, true), "{count} ranks, {radix}");
                            false
                        }
                        (None, then) => !then,
                    });
                }
                assert!(missing.is_empty(), "{count} ranks, {radix}");
                assert!((0..count).all(|at| call(at, phase, None).0 == Some(all)));
            }
        });
    }
}

#[test]
fn a_poll_that_was_overtaken_neither_enters_nor_leaves() {
    with_ranks(2, 1, |trees, call| {
        for phase in 1..3 {
            let both = |names| [call(1, phase, Some(names)), call(0, phase, Some(names)), call(1, phase, Some(names))];
            assert_eq!(both(Names::Anonymous)[2].0, Some(Names::Anonymous));
        }
        // Polls that began in the phases before.
        for old in [1, 0] {
            assert_eq!(call(0, old, Some(Names::Mismatch)), (None, false));
            assert_eq!(call(0, old, None), (None, false));
        }
        // They have not counted as arrivals in the next phase.
        trees[0].arrive(3, Names::Anonymous);
        assert_eq!(call(0, 3, Some(Names::Anonymous)).0, Some(Names::Anonymous));
    });
}
