//! The state machines of collectives by messages, in teams of up to nine members, all in one process.

use std::thread;

use super::*;
use crate::am::library::{COLL_BLOCK, COLL_SIGNAL, register};
use crate::coll::message::machine;
use crate::coll::model_tests::{Kind, anywhere, counts, kinds, model};
use crate::coll::operation::AllSync;
use crate::defs::rank::{JobRank, Location};
use crate::endpoint;
use crate::job::several_tests::{Several, several};
use crate::settings::Threads;
use crate::team;

/// The ranks of a job, and each one's team of all of them.
pub(crate) struct Crew {
    ranks: Several,
    teams: Vec<&'static Team>,
    number: u32,
}

impl Crew {
    pub(crate) fn new(members: u32, threads: Threads) -> Crew {
        register(&[(COLL_SIGNAL, on_signal), (COLL_BLOCK, on_block)]);
        let ranks = several(members, threads, 1024);
        // Not in the order of the job's ranks.
        let job_rank = |rank: u32| JobRank((rank + 1) % members);
        let all: Vec<_> = (0..members).map(|rank| Location { rank: job_rank(rank), ep: 0 }).collect();
        let make = |rank: u32| {
            let job = ranks.jobs[job_rank(rank).index()];
            team::make(job, &all, rank, endpoint::primordial(), 7000 + u64::from(members))
        };
        let teams = (0..members).map(make).collect();
        Crew { ranks, teams, number: 0 }
    }

    /// Advances the machines in turn until all are complete.
    pub(crate) fn drive(&mut self, mut all: Vec<Box<dyn Steps>>) {
        self.number += 1;
        let mut done = vec![false; all.len()];
        for _ in 0..1000 {
            for (member, steps) in all.iter_mut().enumerate() {
                let mail = self.mail(member);
                mail.job.poll();
                done[member] = done[member] || steps.step(&mail);
            }
            if done.iter().all(|&done| done) {
                return;
            }
        }
        panic!("the machines do not end");
    }

    fn mail(&self, member: usize) -> Mailbox<'_> {
        let team = self.teams[member];
        let job = self.ranks.jobs[team.job_rank(member as u32).index()];
        Mailbox { job, team, number: self.number, phase: 0 }
    }

    /// All members execute the collective, which waits as `sync` says; member `first` advances before the others.
    fn execute(&mut self, kind: Kind, counts: &[usize], unit: usize, sync: AllSync, in_place: bool) {
        let members = counts.len();
        let what = format!("{kind:?} {sync:?} of {members} members, {unit} bytes");
        self.number += 1;
        let mut model = model(kind, counts, unit, in_place, &mut anywhere);
        let mut begin = |member: usize| {
            let operation = model.operations[member].take().expect("taken once");
            Some(machine(self.teams[member], operation, sync))
        };
        let mut all: Vec<_> = (0..members).map(&mut begin).collect();
        // The later members start late.
        for turn in 0..1000 {
            for (member, machine) in all.iter_mut().enumerate().take(turn + 1) {
                let mail = self.mail(member);
                mail.job.poll();
                if machine.as_mut().is_some_and(|steps| steps.step(&mail)) {
                    *machine = None;
                    assert!(model.ends[member].is_reached(), "{what}: {member}");
                    assert!(
                        turn + 1 >= members || !(sync.enter || sync.leave || kind == Kind::Barrier),
                        "{what}: early"
                    );
                    assert!(!sync.leave || model.ends.iter().all(|end| end.is_reached()), "{what}: not all data");
                }
            }
            if sync.enter && turn + 1 < members && !in_place {
                assert!(model.ends.iter().all(|end| end.is_untouched()), "{what}: before all have entered");
            }
            if all.iter().all(Option::is_none) {
                let left =
                    ENGINE.tables.lock().arrived.keys().filter(|(key, _)| key.team == self.teams[0].id()).count();
                assert_eq!(left, 0, "{what}: messages that nobody took");
                return;
            }
        }
        panic!("{what} does not end");
    }
}

#[test]
fn collectives_by_messages_give_what_the_model_says() {
    let syncs = [(false, false), (true, false), (false, true), (true, true)];
    let syncs = syncs.map(|(enter, leave)| AllSync { enter, leave });
    for members in [1, 2, 3, 4, 5, 6, 8, 9] {
        let mut crew = Crew::new(members, Threads::Seq);
        for (turn, kind) in kinds(members as usize).into_iter().enumerate() {
            for is_even in [true, false] {
                let counts = counts(members as usize, is_even);
                for (unit, sync) in [24, 1000].into_iter().zip([syncs[0], syncs[turn % 4]]) {
                    crew.execute(kind, &counts, unit, sync, turn % 3 == 1);
                }
            }
        }
        for kind in [Kind::Broadcast { root: 0 }, Kind::Allreduce { in_order: true }, Kind::Allgather] {
            syncs.into_iter().for_each(|sync| crew.execute(kind, &counts(members as usize, true), 64, sync, false));
        }
    }
}

/// Blocks of more than one message, which are sent once the receiver has cleared them.
#[test]
fn long_blocks_go_when_they_are_cleared() {
    for members in [2, 3, 5] {
        let mut crew = Crew::new(members, Threads::Seq);
        for kind in kinds(members as usize) {
            for unit in [EAGER_MAX, EAGER_MAX + 8] {
                crew.execute(kind, &counts(members as usize, true), unit, AllSync::default(), false);
            }
        }
    }
    let mut crew = Crew::new(9, Threads::Seq);
    for is_even in [true, false] {
        crew.execute(Kind::Allgather, &counts(9, is_even), 1300, AllSync::default(), false);
        crew.execute(Kind::Alltoall, &counts(9, is_even), 28, AllSync::default(), false);
    }
}

#[test]
fn vectors_are_reduced_piece_by_piece() {
    const UNIT: usize = (2 << 20) + 4096;
    const MEMBERS: u32 = 3;
    let mut crew = Crew::new(MEMBERS, Threads::Par);
    for kind in [Kind::Reduce { root: 1, in_order: true }, Kind::Allreduce { in_order: true }] {
        crew.number += 1;
        let mut model = model(kind, &counts(MEMBERS as usize, true), UNIT, false, &mut anywhere);
        let done = AtomicU32::new(0);
        // In threads, as a rank waits for room in the rings of another one.
        thread::scope(|scope| {
            for member in 0..MEMBERS as usize {
                let operation = model.operations[member].take().expect("taken once");
                let mut steps = machine(crew.teams[member], operation, AllSync::default());
                let (mail, done) = (crew.mail(member), &done);
                scope.spawn(move || {
                    while !steps.step(&mail) {
                        mail.job.poll();
                        thread::yield_now();
                    }
                    done.fetch_add(1, Ordering::Relaxed);
                    while done.load(Ordering::Relaxed) < MEMBERS {
                        mail.job.poll();
                        thread::yield_now();
                    }
                });
            }
        });
        assert!(model.ends.iter().all(|end| end.is_reached()), "{kind:?}");
    }
}
