//! The window of small collectives: which numbers find a place, and who counts as starved.

use super::window::{self, WINDOW, Window};
use crate::sync::atomic::{AtomicU64, Ordering};

#[test]
fn a_number_has_a_place_once_all_members_have_finished_its_last_user() {
    let finished = [const { AtomicU64::new(0) }; 3];
    let starved = AtomicU64::new(0);
    let mut window = Window::default();
    let mut has_place = |number| window.has_place(number, finished.iter(), &starved);
    assert!((0..WINDOW).all(&mut has_place));
    assert!(!has_place(WINDOW));
    for member in [0, 2] {
        finished[member].store(WINDOW + 3, Ordering::Relaxed);
        assert!(!has_place(WINDOW));
    }
    finished[1].store(2, Ordering::Relaxed);
    assert!(has_place(WINDOW) && has_place(WINDOW + 1) && !has_place(WINDOW + 2));
    finished[1].store(3, Ordering::Relaxed);
    assert!(has_place(WINDOW + 2) && !has_place(WINDOW + 3));
}

#[test]
fn a_member_without_a_place_is_counted_once_until_it_has_one() {
    let finished = [const { AtomicU64::new(0) }; 2];
    let starved = AtomicU64::new(5);
    let mut window = Window::default();
    for turn in 0..3 {
        let number = turn * WINDOW + WINDOW;
        for _ in 0..3 {
            assert!(!window.has_place(number, finished.iter(), &starved));
            assert!(window.starves());
            assert_eq!(starved.load(Ordering::Relaxed), 6);
        }
        finished.iter().for_each(|member| member.store(number, Ordering::Relaxed));
        for _ in 0..3 {
            assert!(window.has_place(number, finished.iter(), &starved));
            assert!(!window.starves());
            assert_eq!(starved.load(Ordering::Relaxed), 5);
        }
    }
}

#[test]
fn a_member_that_finishes_publishes_its_count_and_learns_whether_others_are_starved() {
    let (mine, starved) = (AtomicU64::new(0), AtomicU64::new(0));
    // The count is seen before this member looks for others.
    let barrier = || assert_eq!(mine.load(Ordering::Relaxed), 7);
    assert!(!window::finish(&mine, 7, &starved, barrier));
    starved.store(1, Ordering::Relaxed);
    assert!(window::finish(&mine, 7, &starved, barrier));
}
