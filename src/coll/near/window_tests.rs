//! The window of small collectives: which numbers find a place, and who counts as starved.

use super::window::{self, Starved, Window};
use crate::sync::atomic::{AtomicU64, Ordering};

const PLACES: u64 = 4;

#[test]
fn a_number_has_a_place_once_all_members_have_finished_its_last_user() {
    let finished = [const { AtomicU64::new(0) }; 3];
    let starved = Starved { first: &AtomicU64::new(0), others: &AtomicU64::new(0) };
    let by_all = AtomicU64::new(0);
    let mut window = Window::default();
    let mut has_place = |number| window.has_place(number, PLACES, finished.iter(), &by_all, 0, starved);
    assert!((0..PLACES).all(&mut has_place));
    assert!(!has_place(PLACES));
    for member in [0, 2] {
        finished[member].store(PLACES + 3, Ordering::Relaxed);
        assert!(!has_place(PLACES));
    }
    finished[1].store(2, Ordering::Relaxed);
    assert!(has_place(PLACES) && has_place(PLACES + 1) && !has_place(PLACES + 2));
    finished[1].store(3, Ordering::Relaxed);
    assert!(has_place(PLACES + 2) && !has_place(PLACES + 3));
}

/// Members in both parts of the record.
#[test]
fn a_member_without_a_place_is_noted_once_until_it_has_one() {
    for (me, bit, number_of_others) in [(0, 1, 5), (63, 1 << 63, 5), (64, 0, 6), (200, 0, 6)] {
        let finished = [const { AtomicU64::new(0) }; 2];
        let (first, others) = (AtomicU64::new(4), AtomicU64::new(5));
        let starved = Starved { first: &first, others: &others };
        let noted = || (first.load(Ordering::Relaxed), others.load(Ordering::Relaxed));
        let by_all = AtomicU64::new(0);
        let mut window = Window::default();
        for turn in 0..3 {
            let number = turn * PLACES + PLACES;
            for _ in 0..3 {
                assert!(!window.has_place(number, PLACES, finished.iter(), &by_all, me, starved));
                assert!(window.starves());
                assert_eq!(noted(), (4 | bit, number_of_others));
            }
            finished.iter().for_each(|member| member.store(number, Ordering::Relaxed));
            for _ in 0..3 {
                assert!(window.has_place(number, PLACES, finished.iter(), &by_all, me, starved));
                assert!(!window.starves());
                assert_eq!(noted(), (4, 5));
            }
        }
    }
}

/// Who has found out tells the others, which then read no counts.
#[test]
fn what_one_member_has_found_out_others_need_not() {
    let finished = [6, 4, 5].map(AtomicU64::new);
    let starved = Starved { first: &AtomicU64::new(0), others: &AtomicU64::new(0) };
    let by_all = AtomicU64::new(0);
    assert!(Window::default().has_place(7, PLACES, finished.iter(), &by_all, 0, starved));
    assert_eq!(by_all.load(Ordering::Relaxed), 4);
    assert!(Window::default().has_place(7, PLACES, core::iter::empty(), &by_all, 1, starved));
    assert!(!Window::default().has_place(8, PLACES, finished.iter(), &by_all, 1, starved));
    // It never falls back.
    by_all.store(9, Ordering::Relaxed);
    assert!(Window::default().has_place(12, PLACES, finished.iter(), &by_all, 2, starved));
    assert_eq!(by_all.load(Ordering::Relaxed), 9);
}

#[test]
fn a_member_that_finishes_publishes_its_count_and_learns_which_others_are_starved() {
    let (mine, first, others) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    let starved = Starved { first: &first, others: &others };
    // The count is seen before this member looks for others.
    let barrier = || assert_eq!(mine.load(Ordering::Relaxed), 7);
    assert!(window::finish(&mine, 7, starved, barrier).are_none());
    first.store(1 << 63 | 1, Ordering::Relaxed);
    let found = window::finish(&mine, 7, starved, barrier);
    assert_eq!([0, 1, 63, 64, 127].map(|member| found.has(member)), [true, false, true, false, false]);
    others.store(1, Ordering::Relaxed);
    let found = window::finish(&mine, 7, starved, barrier);
    assert_eq!([0, 1, 63, 64, 127].map(|member| found.has(member)), [true, false, true, true, true]);
}
