//! Sleeping threads and the threads that wake them, under loom. The files under test are compiled here a second time, with
//! loom's atomics, a futex made of loom's primitives, and fences in place of the kernel's barrier. A lost wake-up is a
//! deadlock, which loom reports. Loom does not preempt the first thread before its first access, so that it only starts the others.
#![allow(dead_code)]

mod sync {
    pub mod atomic {
        pub use loom::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
    }
}
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
#[path = "../src/nbrhd/bell.rs"]
mod bell;
#[path = "../src/sync/turned.rs"]
mod turned;
#[path = "../src/coll/near/window.rs"]
mod window;

use bell::Bell;
use loom::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use loom::thread;
use sleeper::sleep_unless;
use std::sync::Arc;
use turned::Turned;
use window::{Starved, Window};

fn explore(preemptions: usize, threads: impl Fn() -> Vec<Box<dyn FnOnce() + 'static>> + Send + Sync + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(preemptions);
    model.check(move || {
        let threads: Vec<_> = threads().into_iter().map(thread::spawn).collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

/// A lock like parking_lot's: a load, which may return an old value, before the exchange.
struct Lock(AtomicBool);

struct Guard<'a>(&'a Lock);

impl Lock {
    fn try_lock(&self) -> Option<Guard<'_>> {
        let is_free = !self.0.load(Ordering::Relaxed)
            && self.0.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok();
        is_free.then(|| Guard(self))
    }
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.0.0.store(false, Ordering::Release);
    }
}

/// Threads of one rank that use one lock.
struct Rank {
    bell: Bell,
    lock: Lock,
    turned: Turned,
    /// An operation that a thread waits for.
    is_done: AtomicBool,
}

impl Rank {
    fn new() -> Arc<Rank> {
        let (lock, is_done) = (Lock(AtomicBool::new(false)), AtomicBool::new(false));
        Arc::new(Rank { bell: Bell::default(), lock, turned: Turned::default(), is_done })
    }

    fn leave(&self, guard: Guard<'_>, stirs: bool) {
        drop(guard);
        self.turned.leave(|| self.bell.has_sleepers(true), stirs, || _ = self.bell.ring(true));
    }

    /// Polls under the lock; false if the lock was taken.
    fn look(&self) -> bool {
        let guard = self.turned.enter(|| self.lock.try_lock());
        let looked = guard.is_some();
        guard.into_iter().for_each(|guard| self.leave(guard, false));
        looked
    }
}

fn wait(bell: &Bell, mut cond: impl FnMut() -> bool) {
    while !sleep_unless(bell, &mut cond) {}
}

#[test]
fn a_thread_that_a_lock_turned_away_looks_behind_it_before_it_sleeps_for_good() {
    explore(3, || {
        let rank = Rank::new();
        let (holder, sleeper) = (rank.clone(), rank);
        vec![
            Box::new(move || {
                if let Some(guard) = holder.lock.try_lock() {
                    holder.leave(guard, false);
                }
            }),
            Box::new(move || wait(&sleeper.bell, || sleeper.look())),
        ]
    });
}

#[test]
fn one_holder_after_another_wakes_the_thread_that_either_turned_away() {
    explore(2, || {
        let rank = Rank::new();
        let mut threads: Vec<Box<dyn FnOnce()>> = Vec::new();
        for _ in 0..2 {
            let holder = rank.clone();
            threads.push(Box::new(move || {
                if let Some(guard) = holder.lock.try_lock() {
                    holder.leave(guard, false);
                }
            }));
        }
        threads.push(Box::new(move || wait(&rank.bell, || rank.look())));
        threads
    });
}

#[test]
fn an_operation_that_ends_inside_a_call_wakes_the_thread_that_waits_for_it() {
    explore(3, || {
        let rank = Rank::new();
        let (holder, sleeper) = (rank.clone(), rank);
        vec![
            Box::new(move || {
                while !holder.is_done.load(Ordering::Relaxed) {
                    if let Some(guard) = holder.lock.try_lock() {
                        holder.is_done.store(true, Ordering::Release);
                        holder.leave(guard, true);
                    }
                    thread::yield_now();
                }
            }),
            Box::new(move || {
                wait(&sleeper.bell, || {
                    sleeper.look();
                    sleeper.is_done.load(Ordering::Acquire)
                });
            }),
        ]
    });
}

/// Places of the window.
const PLACES: u64 = 4;

/// The words of a team's block, and its members' bells.
struct Team {
    finished: [AtomicU64; 3],
    finished_by_all: AtomicU64,
    starved: [AtomicU64; 2],
    bells: [Bell; 3],
}

impl Team {
    /// A team whose members have finished these numbers of collectives.
    fn new(finished: [u64; 3]) -> Arc<Team> {
        let finished = finished.map(AtomicU64::new);
        let (finished_by_all, starved) = (AtomicU64::new(0), [0, 0].map(AtomicU64::new));
        Arc::new(Team { finished, finished_by_all, starved, bells: [(); 3].map(|_| Bell::default()) })
    }

    fn starved(&self) -> Starved<'_> {
        let [first, others] = &self.starved;
        Starved { first, others }
    }

    fn finish(&self, me: usize, first: u64) {
        let starved = window::finish(&self.finished[me], first, self.starved(), || os::sleep::light_barrier(true));
        let them = self.bells.iter().enumerate().filter(|&(member, _)| member != me && starved.has(member));
        them.for_each(|(_, bell)| _ = bell.ring(true));
    }

    fn wait_for_place(&self, me: usize, number: u64, members: usize) {
        let mut window = Window::default();
        let finished = self.finished[..members].iter();
        let mut has_place =
            || window.has_place(number, PLACES, finished.clone(), &self.finished_by_all, me, self.starved());
        if !has_place() {
            wait(&self.bells[me], has_place);
        }
    }
}

#[test]
fn a_member_that_starves_is_woken_by_the_one_it_waits_for() {
    explore(3, || {
        let team = Team::new([1, 0, 0]);
        let last = team.clone();
        vec![Box::new(move || team.wait_for_place(0, PLACES, 2)), Box::new(move || last.finish(1, 1))]
    });
}

#[test]
fn members_that_finish_together_leave_no_member_starving() {
    explore(2, || {
        let team = Team::new([1, 0, 0]);
        let (second, third) = (team.clone(), team.clone());
        vec![
            Box::new(move || team.wait_for_place(0, PLACES, 3)),
            Box::new(move || second.finish(1, 1)),
            Box::new(move || third.finish(2, 1)),
        ]
    });
}

#[test]
fn a_member_that_found_its_place_leaves_another_one_counted() {
    explore(1, || {
        let team = Team::new([2, 2, 0]);
        let (second, third) = (team.clone(), team.clone());
        vec![
            Box::new(move || team.wait_for_place(0, PLACES, 3)),
            Box::new(move || second.wait_for_place(1, PLACES + 1, 3)),
            Box::new(move || {
                third.finish(2, 1);
                third.finish(2, 2);
            }),
        ]
    });
}

/// A collective that a thread starts, and the state of the window that it shares with the other thread.
#[derive(Default)]
struct Started {
    window: Window,
    is_started: bool,
    is_entered: bool,
}

impl Started {
    fn step(&mut self, team: &Team) {
        let (finished, by_all) = (team.finished[..2].iter(), &team.finished_by_all);
        self.is_entered |=
            self.is_started && self.window.has_place(PLACES, PLACES, finished, by_all, 0, team.starved());
    }
}

#[test]
fn a_collective_that_starts_without_a_place_is_taken_up_by_the_thread_that_sleeps() {
    explore(2, || {
        let (team, turned) = (Team::new([1, 0, 0]), Turned::default());
        let started = Arc::new(loom::sync::Mutex::new(Started::default()));
        let (second, starter, shared) = (team.clone(), team.clone(), started.clone());
        vec![
            Box::new(move || {
                wait(&team.bells[0], || {
                    let mut started = started.lock().unwrap();
                    started.step(&team);
                    started.is_entered
                });
            }),
            Box::new(move || {
                let mut started = shared.lock().unwrap();
                started.is_started = true;
                started.step(&starter);
                let stirs = started.is_entered || started.window.starves();
                drop(started);
                turned.leave(|| starter.bells[0].has_sleepers(true), stirs, || _ = starter.bells[0].ring(true));
            }),
            Box::new(move || second.finish(1, 1)),
        ]
    });
}

#[test]
fn a_block_that_is_sent_while_its_receiver_dies_is_seen_by_the_sender_or_by_the_one_who_buries() {
    explore(3, || {
        let words = Arc::new((Bell::default(), AtomicBool::new(false), AtomicBool::new(false)));
        let (sender, grave) = (words.clone(), words);
        vec![
            // Marks its block, publishes the message, rings.
            Box::new(move || {
                sender.1.store(true, Ordering::Relaxed);
                if sender.0.ring(true) {
                    sender.2.store(true, Ordering::Relaxed);
                }
            }),
            // Records the death, then reclaims marked blocks.
            Box::new(move || {
                grave.0.bury();
                if grave.1.load(Ordering::Relaxed) {
                    grave.2.store(true, Ordering::Relaxed);
                }
                // Neither thread has seen the other's write, so that both have ended.
                while !grave.2.load(Ordering::Relaxed) {
                    thread::yield_now();
                }
            }),
        ]
    });
}
