//! Members that take part in small and large collectives through one block, in a random order: results, synchronisation, and
//! that members which sleep are woken.

use super::block::{Block, BlockShape};
use super::large::{self, Large, LargeStage};
use super::window::{self, Window};
use crate::coll::model_tests::{self, Kind, Model, anywhere, counts, kinds, model};
use crate::coll::operation::{AllSync, Operation};
use crate::defs::rank::NodeRank;
use crate::mem;
use crate::nbrhd::Nbrhd;

const NO_SYNC: AllSync = AllSync { enter: false, leave: false };

struct Collective {
    kind: Kind,
    sync: AllSync,
    model: Model,
    in_place: bool,
    /// Members that have started it.
    started: usize,
}

#[derive(Default)]
struct Member {
    /// The index of the collective that it executes.
    at: usize,
    /// Its operation, once it has started.
    small: Option<Operation>,
    large: Option<Large>,
    entered: bool,
    /// Small collectives that it has finished, and rounds of large ones.
    first: u64,
    rounds: u64,
    window: Window,
    awake: bool,
}

/// A team in one process.
struct Crew<'a> {
    block: Block,
    members: Vec<Member>,
    nbrhds: Option<&'a [Nbrhd]>,
    ranks: Vec<NodeRank>,
    crowded: bool,
    random: u64,
}

fn block(shape: BlockShape) -> Block {
    let memory: &'static mut [u64] = vec![0; (shape.bytes() + 4096) / 8].leak();
    let at = memory.as_ptr().align_offset(4096);
    Block::new(mem::all_of(memory), 8 * at, shape)
}

impl Crew<'_> {
    fn new(members: usize, has_stage: bool, nbrhds: Option<&[Nbrhd]>, random: u64) -> Crew<'_> {
        let all = (0..members).map(|_| Member { awake: true, ..Member::default() }).collect();
        let ranks = (0..members as u32).map(NodeRank).collect();
        let block = block(BlockShape { members, has_stage });
        Crew { block, members: all, nbrhds, ranks, crowded: random % 2 != 0, random }
    }

    fn random(&mut self, below: usize) -> usize {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) as usize % below
    }

    fn wake_others(&mut self, me: usize) {
        self.members
            .iter_mut()
            .enumerate()
            .filter(|(member, _)| *member != me)
            .for_each(|(_, other)| other.awake = true);
    }

    /// All members execute `all`, in order. Those that find nothing to do sleep until another one wakes them.
    fn execute(&mut self, all: &mut [Collective]) {
        self.members.iter_mut().for_each(|member| (member.at, member.awake) = (0, true));
        loop {
            let busy = |member: &Member| member.at < all.len();
            let awake: Vec<_> =
                (0..self.members.len()).filter(|&m| busy(&self.members[m]) && self.members[m].awake).collect();
            if awake.is_empty() {
                assert!(!self.members.iter().any(busy), "members sleep, and nobody wakes them");
                return;
            }
            let me = awake[self.random(awake.len())];
            let collective = &mut all[self.members[me].at];
            let done = self.advance(me, collective);
            self.members[me].awake = done;
            let Collective { kind, sync, ref model, started, in_place, .. } = *collective;
            let is_here = started == self.members.len();
            if done {
                let what = || format!("{kind:?} {sync:?} of {} members at {me}", self.members.len());
                assert!(model.ends[me].is_reached(), "{}", what());
                let waits = sync.enter || sync.leave || matches!(kind, Kind::Barrier);
                assert!(is_here || !waits, "{}: before all have started", what());
                assert!(
                    !sync.leave || model.ends.iter().all(|end| end.is_reached()),
                    "{}: before all data are there",
                    what()
                );
                self.members[me].at += 1;
            }
            if sync.enter && !is_here && !in_place {
                assert!(model.ends.iter().all(|end| end.is_untouched()), "{kind:?}: data before all have started");
            }
        }
    }

    /// Advances member `me` as far as possible; returns whether it has finished.
    fn advance(&mut self, me: usize, collective: &mut Collective) -> bool {
        let (block, sync) = (self.block, collective.sync);
        let member = &mut self.members[me];
        if member.small.is_none() && member.large.is_none() {
            let operation = collective.model.operations[me].take().expect("started once");
            collective.started += 1;
            let is_small = operation.is_small(block.shape.members) && sync == NO_SYNC;
            match matches!(operation, Operation::Barrier) || is_small {
                true => member.small = Some(operation),
                false => {
                    assert!(large::most(&operation, &block) > 0);
                    member.large = Some(Large::new(operation, sync, &block));
                }
            }
        }
        if let Some(large) = &mut member.large {
            let nbrhd = self.nbrhds.map(|all| &all[me]);
            let (members, crowded, mut notify) = (&self.ranks[..], self.crowded, false);
            let mut stage = LargeStage {
                nbrhd,
                block: &block,
                members,
                me,
                crowded,
                rounds: &mut member.rounds,
                notify: &mut notify,
            };
            let done = large.step(&mut stage);
            if done {
                member.large = None;
            }
            if notify {
                self.wake_others(me);
            }
            return done;
        }
        let Some(operation) = &member.small else { return false };
        let number = member.first;
        let mut wakes = false;
        if !member.entered {
            let finished = (0..block.shape.members).map(|member| block.finished(member));
            if !member.window.has_place(number, block.places(), finished, block.finished_by_all(), me, block.starved())
            {
                return false;
            }
            member.entered = true;
            wakes = operation.enter(&block, me, number);
        }
        let done = operation.leave(&block, me, number);
        if done {
            (member.small, member.entered, member.first) = (None, false, number + 1);
            wakes |= !window::finish(block.finished(me), number + 1, block.starved(), || {}).are_none();
        }
        if wakes {
            self.wake_others(me);
        }
        done
    }
}

fn collective(kind: Kind, counts: &[usize], unit: usize, sync: AllSync, in_place: bool) -> Collective {
    let model = model(kind, counts, unit, in_place, &mut anywhere);
    Collective { kind, sync, model, in_place, started: 0 }
}

fn all_syncs() -> [AllSync; 4] {
    [(false, false), (true, false), (false, true), (true, true)].map(|(enter, leave)| AllSync { enter, leave })
}

/// Up to 8 members read each other's lines, more use a tree of counters, from 65 on of three levels.
#[test]
fn small_collectives_give_what_the_model_says() {
    for members in [1, 2, 3, 8, 9, 17, 65] {
        let mut crew = Crew::new(members, false, None, members as u64);
        for turn in 0..2 {
            let unit = if members > 17 { 8 } else { 16 };
            let is_small = |kind: &Kind| {
                let model = model(*kind, &vec![1; members], unit, false, &mut anywhere);
                matches!(kind, Kind::Barrier) || model.operations[0].as_ref().is_some_and(|of| of.is_small(members))
            };
            let mut all: Vec<_> = kinds(members).into_iter().filter(is_small).collect();
            let by = crew.random(all.len());
            all.rotate_left(by);
            let in_place = turn == 1;
            let mut all: Vec<_> =
                all.into_iter().map(|kind| collective(kind, &vec![1; members], unit, NO_SYNC, in_place)).collect();
            crew.execute(&mut all);
        }
    }
}

#[test]
fn large_collectives_give_what_the_model_says() {
    for (members, is_even) in [(2, true), (3, true), (5, true), (2, false), (5, false), (9, true)] {
        let mut crew = Crew::new(members, true, None, 5 * members as u64 + u64::from(is_even));
        for unit in [8, 5000, 20_000, 140_000] {
            // More than all slots of a stage hold, where there are few members.
            if unit > 5000 && (members > 2 || !is_even) {
                continue;
            }
            let mut all = Vec::new();
            for kind in kinds(members) {
                for sync in all_syncs().into_iter().take(if unit > 20_000 { 1 } else { 4 }) {
                    let (given, in_place) = (unit / 8 * 8, crew.random(3) == 0);
                    all.push(collective(kind, &counts(members, is_even), given, sync, in_place));
                }
            }
            let in_order = all.len();
            (1..in_order).for_each(|at| all.swap(at, crew.random(at + 1)));
            // Of the words only those without synchronisation go through a block.
            all.retain(|of| of.kind != Kind::Words || of.sync == NO_SYNC);
            crew.execute(&mut all);
        }
    }
}

#[test]
fn no_more_small_collectives_than_the_window_holds_are_in_flight() {
    let members = 3;
    let mut crew = Crew::new(members, false, None, 7);
    let places = crew.block.places();
    // The root of a broadcast waits for nobody.
    let mut all: Vec<_> =
        (0..2 * places).map(|_| collective(Kind::Broadcast { root: 0 }, &[1; 3], 40, NO_SYNC, false)).collect();
    for (number, of) in all.iter_mut().enumerate() {
        assert_eq!(crew.advance(0, of), (number as u64) < places, "{number}");
        if number as u64 == places {
            break;
        }
    }
    let models = all.iter().map(|of| of.model.ends.len()).sum::<usize>();
    assert_eq!(models, members * all.len());
}

#[test]
fn pieces_of_a_stage_are_as_large_as_its_slots_allow() {
    let block = block(BlockShape { members: 3, has_stage: true });
    let (slot, even) = (block.shape.slot(), counts(3, true));
    let most = |kind, unit| {
        let model = model_tests::model(kind, &even, unit, false, &mut anywhere);
        large::most(model.operations[0].as_ref().expect("there"), &block)
    };
    for kind in kinds(3) {
        let wanted = match kind {
            Kind::Barrier | Kind::Words => 0,
            Kind::Alltoall => slot / 3,
            _ => slot,
        };
        assert_eq!(most(kind, 1 << 20), wanted, "{kind:?}");
    }
    // Less than a slot has room for: whole words.
    assert_eq!((most(Kind::Alltoall, 20), most(Kind::Alltoall, 24)), (24, 24));
}
