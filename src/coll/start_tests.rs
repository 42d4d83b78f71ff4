//! Collectives as calls start them, on teams of three ranks that are threads of one process: through shared memory and by
//! messages.

use std::sync::Mutex;
use std::thread;

use crate::am::library::{COLL_BLOCK, COLL_SIGNAL, register};
use crate::barrier::names::{Names, Outcome};
use crate::coll::engine::{self, ENGINE};
use crate::coll::model_tests::{anywhere, counts, kinds, model};
use crate::coll::near::Near;
use crate::coll::near::block::{Block, BlockShape};
use crate::coll::operation::{AllSync, Operation};
use crate::defs::rank::{JobRank, Location};
use crate::endpoint;
use crate::event::Handle;
use crate::job::Job;
use crate::job::several_tests::{Several, several_threads};
use crate::mem;
use crate::sync::atomic::{AtomicU32, Ordering};
use crate::team::{self, SplitArgs, Team};

const MEMBERS: usize = 3;

fn begin(id: u64, is_near: bool) -> (Several, Vec<&'static Team>) {
    register(&[(COLL_SIGNAL, engine::on_signal), (COLL_BLOCK, engine::on_block)]);
    let ranks = several_threads(MEMBERS as u32, Job::coll_progress);
    ranks.attach(1 << 16);
    let all: Vec<_> = (0..MEMBERS as u32).map(|rank| Location { rank: JobRank(rank), ep: 0 }).collect();
    let make = |job: &&'static Job| team::make(job, &all, job.me.0, endpoint::primordial(), id);
    let teams: Vec<_> = ranks.jobs.iter().map(make).collect();
    if is_near {
        let part = ranks.jobs[1].near_reserve(MEMBERS).expect("room");
        let ranks_of_job: Vec<_> = all.iter().map(|member| member.rank).collect();
        for (me, (job, team)) in ranks.jobs.iter().zip(&teams).enumerate() {
            team.set_near(Near::new(job, &ranks_of_job, me, JobRank(1), part).expect("all are here"));
        }
    }
    (ranks, teams)
}

/// Runs `act` as each member, in a thread of its own; returns their results.
fn all<T: Send>(
    (ranks, teams): &(Several, Vec<&'static Team>),
    act: impl Fn(&'static Job, &'static Team) -> T + Sync,
) -> Vec<T> {
    thread::scope(|scope| {
        let act = &act;
        let of = |(&job, &team): (&&'static Job, &&'static Team)| scope.spawn(move || act(job, team));
        let threads: Vec<_> = ranks.jobs.iter().zip(teams).map(of).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    })
}

#[test]
fn memory_of_an_earlier_team_is_cleared_for_any_team_that_may_get_it() {
    let most = 33;
    let ranks = several_threads(MEMBERS as u32, Job::coll_progress);
    let job = ranks.jobs[0];
    let shape = |members, has_stage| BlockShape { members, has_stage };
    let used = job.near_reserve(most).expect("room");
    let memory = job.nbrhd.arena(job.nbrhd.me).part(used.at, used.len);
    mem::fill(memory, 0xff);
    job.near_settle(Some(used), None);
    let part = job.near_reserve(most).expect("room");
    assert_eq!(part, used);
    for (members, has_stage) in (2..=most).flat_map(|members| [(members, false), (members, true)]) {
        let block = Block::new(memory, 0, shape(members, has_stage));
        let each = (0..members).flat_map(|member| {
            let came = (0..block.places()).map(move |number| block.came(number, member).0);
            came.chain([block.finished(member), block.left(member)]).chain(block.stages(member))
        });
        assert!(each.into_iter().all(|word| word.load(Ordering::Relaxed) == 0), "{members} members, {has_stage}");
        let mut words = vec![1; block.barrier_area().len() / 8];
        mem::read_words(&mut words, block.barrier_area().as_src());
        assert!(words.iter().all(|&word| word == 0));
    }
    job.near_settle(Some(part), None);
}

#[test]
fn collectives_complete_in_any_form_of_call() {
    for is_near in [true, false] {
        let crew = begin(8400 + u64::from(is_near), is_near);
        let syncs = [AllSync::default(), AllSync { enter: true, leave: true }];
        for (unit, sync) in [(24, syncs[0]), (24, syncs[1]), (5000, syncs[0])] {
            let mut models: Vec<_> = kinds(MEMBERS)
                .into_iter()
                .map(|kind| model(kind, &counts(MEMBERS, true), unit, false, &mut anywhere))
                .collect();
            let mut by_member: Vec<Vec<Operation>> = (0..MEMBERS).map(|_| Vec::new()).collect();
            for of in &mut models {
                of.operations.iter_mut().zip(&mut by_member).for_each(|(from, to)| to.extend(from.take()));
            }
            let by_member = Mutex::new(by_member);
            all(&crew, |job, team| {
                let mine = core::mem::take(&mut by_member.lock().expect("no panic")[team.rank() as usize]);
                // Some block, others are all in flight at the same time.
                let mut handles = Vec::new();
                for (at, operation) in mine.into_iter().enumerate() {
                    match at / 3 % 2 {
                        0 => job.coll_blocking(team, operation, sync),
                        _ => handles.push(job.coll_nb(team, operation, sync)),
                    }
                }
                handles.into_iter().rev().for_each(|handle| job.wait("test", handle));
                assert_eq!(ENGINE.count_of(job, team), 0);
            });
            assert!(models.iter().flat_map(|of| &of.ends).all(|end| end.is_reached()));
        }
        let begun: Vec<_> = crew.1.iter().map(|team| team.begun.load(Ordering::Relaxed)).collect();
        assert!(begun.iter().all(|&count| count as usize == 3 * kinds(MEMBERS).len()), "{begun:?}");
        all(&crew, |job, team| job.wait("test", job.coll_barrier(team)));
        all(&crew, |job, team| job.coll_barrier_blocking(team));
        let empty = |job: &'static Job, team| job.coll_broadcast(team, 0, anywhere(0, 0), anywhere(0, 0).as_src());
        assert!(all(&crew, empty).iter().all(|handle| *handle == Handle::DONE));
    }
}

#[test]
fn every_member_gets_the_words_of_all() {
    for is_near in [true, false] {
        let crew = begin(8410 + u64::from(is_near), is_near);
        let words = all(&crew, |job, team| job.gather_words(team, [u64::from(team.rank()), 9]));
        assert!(words.iter().all(|words| *words == [[0, 9], [1, 9], [2, 9]]));
        for lens in [[0, 0, 0], [3, 0, 1], [1, 1, 1], [0, 40, 2]] {
            let list = |rank: usize| (0..lens[rank]).map(|at| (100 * rank + at) as u64).collect::<Vec<_>>();
            let lists = all(&crew, |job, team| job.gather_lists(team, &list(team.rank() as usize)));
            assert!(lists.iter().all(|lists| *lists == [list(0), list(1), list(2)]), "{lens:?}");
        }
    }
}

#[test]
fn teams_consist_of_the_members_that_asked_for_them() {
    for is_near in [true, false] {
        let crew = begin(8420 + u64::from(is_near), is_near);
        let of =
            |team: Option<&'static Team>| team.map(|team| (team.rank(), team.size(), team.id(), team.near().is_some()));
        let twins = all(&crew, |job, team| job.team_duplicate(team));
        let mut ids = vec![of(Some(twins[0])).expect("a team").2];
        for (rank, team) in (0..).zip(&twins) {
            assert_eq!(of(Some(team)), Some((rank, 3, ids[0], true)));
            assert_eq!(team.job_rank(2), JobRank(2));
        }
        // Ordered by key, in which negative ones come first; one of one member has no memory to share.
        for (colors, keys, wanted) in [
            ([Some(5), Some(5), Some(5)], [1, -1, 0], [Some((2, 3)), Some((0, 3)), Some((1, 3))]),
            ([Some(5), Some(6), Some(5)], [0, 0, 0], [Some((0, 2)), Some((0, 1)), Some((1, 2))]),
            ([None, Some(0), Some(0)], [0, 3, 2], [None, Some((1, 2)), Some((0, 2))]),
        ] {
            let args = |rank: usize| colors[rank].map(|color| SplitArgs { color, key: keys[rank] });
            let teams = all(&crew, |job, team| job.team_split(team, args(team.rank() as usize)));
            for (team, wanted) in teams.iter().zip(wanted) {
                assert_eq!(of(*team).map(|(rank, size, _, _)| (rank, size)), wanted, "{colors:?}");
                assert!(of(*team).is_none_or(|(_, size, _, near)| near == (size > 1)));
                ids.extend(of(*team).map(|(_, _, id, _)| id));
            }
            for (a, b) in [(0, 1), (0, 2), (1, 2)] {
                let [Some(first), Some(second)] = [a, b].map(|at: usize| of(teams[at])) else { continue };
                assert_eq!(first.2 == second.2, colors[a] == colors[b], "{colors:?}");
            }
            all(&crew, |job, team| {
                if let Some(team) = teams[team.rank() as usize] {
                    job.coll_barrier_blocking(team);
                    job.team_end("test", team);
                }
            });
        }
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 1 + 1 + 2 + 1, "each team has an id of its own");
        let members = [Location { rank: JobRank(2), ep: 0 }, Location { rank: JobRank(0), ep: 0 }];
        let made = all(&crew, |job, team| job.team_create(team, if job.me.0 == 1 { &[] } else { &members }));
        let made: Vec<Vec<_>> = made.iter().map(|teams| teams.iter().map(|team| of(Some(team))).collect()).collect();
        let id = made[0][0].expect("a team").2;
        assert_eq!(made, [vec![Some((1, 2, id, true))], vec![], vec![Some((0, 2, id, true))]]);
    }
}

#[test]
fn named_barriers_end_for_who_tries_looks_or_waits() {
    for is_near in [true, false] {
        let crew = begin(8430 + u64::from(is_near), is_near);
        for turn in 0..6 {
            let came = AtomicU32::new(0);
            let outcomes = all(&crew, |job, team| {
                let id = if turn == 5 && team.rank() == 1 { 8 } else { 7 };
                while team.rank() == 2 && came.load(Ordering::Relaxed) < 2 {
                    job.poll();
                }
                job.team_notify("test", team, id, 0);
                if team.rank() < 2 {
                    // The last member has not notified it.
                    assert!(job.team_try("test", team, id, 0).is_none() && job.team_look("test", team).is_none());
                    came.fetch_add(1, Ordering::Relaxed);
                }
                let outcome = match turn % 3 {
                    0 => loop {
                        if let Some(outcome) = job.team_try("test", team, id, 0) {
                            break outcome;
                        }
                    },
                    1 => job.team_wait("test", team, id, 0),
                    _ => loop {
                        job.poll();
                        if let Some(names) = job.team_look("test", team) {
                            break names.verdict(id, 0);
                        }
                    },
                };
                let names = job.team_result("test", team);
                assert_eq!(names, if turn == 5 { Names::Mismatch } else { Names::Named(7) });
                outcome
            });
            let wanted = if turn == 5 { Outcome::Mismatch } else { Outcome::Match };
            assert!(outcomes.iter().all(|outcome| *outcome == wanted), "{turn}");
        }
        // A barrier in progress is known when its team ends.
        let left = all(&crew, |job, team| {
            let is_first = team.rank() == 0;
            if is_first {
                job.team_notify("test", team, 7, 0);
            }
            job.team_forget(team)
        });
        assert_eq!(left, [true, false, false]);
    }
}
