//! The barrier of ranks that share memory, with real threads; tests/loom_barrier.rs explores its interleavings.
#![allow(unsafe_code)]

use super::names::Names;
use super::nbrhd_stage::{SharedStage, WordLine, area_bytes, levels, lines};
use crate::defs::rank::NodeRank;
use crate::mem::Dst;
use std::thread;

/// Zeroed memory like the shared area, never freed.
fn area(ranks: u32) -> Dst<'static> {
    let lines: Vec<WordLine> = (0..=lines(ranks as usize)).map(|_| WordLine::default()).collect();
    let area = Vec::leak(lines);
    // SAFETY: leaked.
    unsafe { Dst::new(area.as_mut_ptr().cast(), size_of_val(area)) }
}

fn run(ranks: u32, phases: u32, says: impl Fn(u32, u32) -> Names + Copy + Send + 'static) {
    let area = area(ranks);
    let members: Vec<_> = (0..ranks)
        .map(|rank| {
            thread::spawn(move || {
                let stage = SharedStage::new(area, NodeRank(rank), ranks);
                for phase in 1..=phases {
                    stage.arrive(phase, says(rank, phase));
                    let seen = loop {
                        match stage.look(phase) {
                            Some(names) => break names,
                            None => thread::yield_now(),
                        }
                    };
                    let expected = (0..ranks).fold(Names::Anonymous, |all, r| all.join(says(r, phase)));
                    assert_eq!(seen, expected, "rank {rank} of {ranks}, phase {phase}");
                }
            })
        })
        .collect();
    for member in members {
        member.join().expect("a member failed");
    }
}

#[test]
fn every_phase_gives_every_rank_what_all_said() {
    for ranks in [1, 2, 3, 7, 8, 9, 17, 65] {
        run(ranks, 300, |rank, phase| match (rank + phase) % 5 {
            0 => Names::Named((phase % 3) as i32),
            1 if phase % 7 == 0 => Names::Mismatch,
            2 if phase % 11 == 0 => Names::Named(-1),
            _ => Names::Anonymous,
        });
    }
}

#[test]
fn nobody_is_released_before_the_last_has_come() {
    for ranks in [2, 8, 9, 20, 100] {
        let area = area(ranks);
        let at = |rank| SharedStage::new(area, NodeRank(rank), ranks);
        for phase in 1..4 {
            for rank in (0..ranks).rev() {
                assert_eq!(at(0).look(phase), None);
                at(rank).arrive(phase, Names::Named(phase as i32));
            }
            assert_eq!(at(ranks - 1).look(phase), Some(Names::Named(phase as i32)));
        }
    }
}

#[test]
fn the_area_grows_with_the_ranks_and_never_is_empty() {
    assert!(area_bytes(1) > 0);
    assert_eq!(levels(1024).collect::<Vec<_>>(), [128, 16, 2, 1]);
    assert_eq!(levels(9).collect::<Vec<_>>(), [2, 1]);
}
