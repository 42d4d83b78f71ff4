//! The part of `conformance_tests.rs` that is about collectives of groups.

use super::conformance_tests::{Rank, both, pattern};
use super::{Combine, Completion, GroupCollective, GroupId, OpToken};
use crate::mem::{Dst, Src};

const I64: u32 = 1 << 2;
const ADD: u32 = 0x8;
const SUM: Combine = Combine { dtype: I64, op: ADD };

/// Everything that a member passes to a collective.
struct Call {
    what: GroupCollective,
    bytes: usize,
    src: Vec<u8>,
    dst: Vec<u8>,
    token: OpToken,
}

const UNTOUCHED: u8 = 0xa5;

impl Call {
    /// The call of member `me` of two; both `turn` and `me` make the source another one.
    fn new(what: GroupCollective, bytes: usize, me: usize, turn: usize) -> Call {
        let (takes, gives) = match what {
            GroupCollective::Barrier => (0, 0),
            GroupCollective::Broadcast { root } => (if is(root, me) { bytes } else { 0 }, bytes),
            GroupCollective::Scatter { root } => (if is(root, me) { 2 * bytes } else { 0 }, bytes),
            GroupCollective::Gather { root } => (bytes, if is(root, me) { 2 * bytes } else { 0 }),
            GroupCollective::Allgather => (bytes, 2 * bytes),
            GroupCollective::Alltoall => (2 * bytes, 2 * bytes),
            GroupCollective::Reduce { root, .. } => (bytes, if is(root, me) { bytes } else { 0 }),
            GroupCollective::Allreduce { .. } => (bytes, bytes),
        };
        let token = OpToken((turn * 2 + me + 1) as u64 * 8);
        Call { what, bytes, src: pattern(7 * turn + me, takes), dst: vec![UNTOUCHED; gives], token }
    }

    fn enter(&mut self, rank: &Rank, id: GroupId) {
        rank.conduit.collect(id, &self.what, self.bytes, Src::of(&self.src), Dst::of(&mut self.dst), self.token);
    }

    fn is_done(&self, rank: &Rank) -> bool {
        rank.has(self.token, Completion::Remote)
    }
}

fn is(root: u32, me: usize) -> bool {
    root as usize == me
}

/// What both members must have afterwards.
fn model(what: GroupCollective, bytes: usize, src: [&[u8]; 2]) -> [Vec<u8>; 2] {
    let block = |from: usize, nth: usize| &src[from][nth * bytes..][..bytes];
    let sum = || -> Vec<u8> {
        let word = |src: &[u8], at: usize| u64::from_ne_bytes(src[at..at + 8].try_into().unwrap());
        (0..bytes).step_by(8).flat_map(|at| word(src[0], at).wrapping_add(word(src[1], at)).to_ne_bytes()).collect()
    };
    let none = Vec::new;
    let only = |root: u32, all: Vec<u8>| if root == 0 { [all, none()] } else { [none(), all] };
    match what {
        GroupCollective::Barrier => [none(), none()],
        GroupCollective::Broadcast { root } => [0, 1].map(|_| block(root as usize, 0).to_vec()),
        GroupCollective::Scatter { root } => [0, 1].map(|me| block(root as usize, me).to_vec()),
        GroupCollective::Gather { root } => only(root, [block(0, 0), block(1, 0)].concat()),
        GroupCollective::Allgather => [0, 1].map(|_| [block(0, 0), block(1, 0)].concat()),
        GroupCollective::Alltoall => [0, 1].map(|me| [block(0, me), block(1, me)].concat()),
        GroupCollective::Reduce { root, .. } => only(root, sum()),
        GroupCollective::Allreduce { .. } => [sum(), sum()],
    }
}

fn all_kinds() -> Vec<GroupCollective> {
    let rooted = [0, 1].into_iter().flat_map(|root| {
        let reduce = GroupCollective::Reduce { root, combine: SUM };
        [
            GroupCollective::Broadcast { root },
            GroupCollective::Scatter { root },
            GroupCollective::Gather { root },
            reduce,
        ]
    });
    let all = [
        GroupCollective::Barrier,
        GroupCollective::Allgather,
        GroupCollective::Alltoall,
        GroupCollective::Allreduce { combine: SUM },
    ];
    rooted.chain(all).collect()
}

/// The members of a group are in any order: `members[0]` is its first.
fn make(id: GroupId, members: [&Rank; 2]) {
    let ranks = members.map(|member| member.me);
    for member in members {
        assert!(member.conduit.group(id, &ranks));
    }
}

/// Of conduits that execute collectives.
pub(crate) fn run(pair: impl Fn() -> [Rank; 2]) {
    let [a, b] = pair();
    if !a.conduit.collects(&GroupCollective::Barrier, 2, 0) {
        return;
    }
    every_collective_does_what_its_name_says(&a, &b);
    many_are_in_flight_in_groups_of_their_own(&a, &b);
    none_ends_before_all_whom_it_needs_have_entered(&a, &b);
    let [a, b] = pair();
    those_of_a_group_with_a_rank_that_is_gone_fail(&a, &b);
}

fn every_collective_does_what_its_name_says(a: &Rank, b: &Rank) {
    let groups = [(GroupId(3), [a, b]), (GroupId(1 << 40), [b, a])];
    groups.iter().for_each(|&(id, members)| make(id, members));
    let mut turn = 0;
    for (id, members) in groups {
        for what in all_kinds() {
            for bytes in [0, 8, 24, 1000, 4096, 8192, 20_000, 1 << 20] {
                if !a.conduit.collects(&what, 2, bytes) {
                    continue;
                }
                turn += 1;
                let mut calls = [0, 1].map(|me| Call::new(what, bytes, me, turn));
                // Any member may be the first to enter.
                for nth in [turn % 2, 1 - turn % 2] {
                    calls[nth].enter(members[nth], id);
                }
                while !(0..2).all(|me| calls[me].is_done(members[me])) {
                    both(a, b);
                }
                let want = model(what, bytes, [&calls[0].src, &calls[1].src]);
                let got = calls.each_ref().map(|call| call.dst.clone());
                assert_eq!(got, want, "{what:?} of {bytes} bytes");
            }
        }
        assert!(members.iter().all(|member| member.conduit.disband(id)));
    }
    assert!(turn > 24, "{turn} collectives only");
}

fn many_are_in_flight_in_groups_of_their_own(a: &Rank, b: &Rank) {
    const MANY: usize = 200;
    let groups = [GroupId(10), GroupId(11)];
    groups.iter().for_each(|&id| make(id, [a, b]));
    let what = GroupCollective::Allreduce { combine: SUM };
    let new = |me: usize, group: usize, turn: usize| Call::new(what, 64, me, 1000 * (group + 1) + turn);
    let mut calls = [0, 1].map(|me| [0, 1].map(|group| (0..MANY).map(|turn| new(me, group, turn)).collect::<Vec<_>>()));
    // The groups in different orders; nobody has polled yet.
    for (me, rank, order) in [(0, a, [0, 1]), (1, b, [1, 0])] {
        for group in order {
            calls[me][group].iter_mut().for_each(|call| call.enter(rank, groups[group]));
        }
    }
    let done = |calls: &[[Vec<Call>; 2]; 2]| {
        [a, b].iter().zip(calls).all(|(rank, of)| of.iter().flatten().all(|call| call.is_done(rank)))
    };
    while !done(&calls) {
        both(a, b);
    }
    let [of_a, of_b] = &calls;
    for (left, right) in of_a.iter().flatten().zip(of_b.iter().flatten()) {
        let want = model(what, 64, [&left.src, &right.src]);
        assert_eq!([&left.dst, &right.dst], [&want[0], &want[1]]);
        // Once.
        assert_eq!(a.completions(left.token), [Completion::Remote]);
    }
    assert!(groups.iter().all(|&id| a.conduit.disband(id) && b.conduit.disband(id)));
}

fn none_ends_before_all_whom_it_needs_have_entered(a: &Rank, b: &Rank) {
    let id = GroupId(20);
    make(id, [a, b]);
    for (turn, what) in
        [GroupCollective::Barrier, GroupCollective::Allgather, GroupCollective::Barrier].into_iter().enumerate()
    {
        let [first, second] = if turn % 2 == 0 { [a, b] } else { [b, a] };
        let me = |rank: &Rank| usize::from(rank.me == b.me);
        let mut calls = [first, second].map(|rank| Call::new(what, 8, me(rank), 5000 + turn));
        calls[0].enter(first, id);
        for _ in 0..50 {
            both(a, b);
        }
        assert!(!calls[0].is_done(first));
        assert!(!first.conduit.disband(id), "one is in flight");
        calls[1].enter(second, id);
        while !(calls[0].is_done(first) && calls[1].is_done(second)) {
            both(a, b);
        }
    }
    assert!(a.conduit.disband(id) && b.conduit.disband(id));
}

fn those_of_a_group_with_a_rank_that_is_gone_fail(a: &Rank, b: &Rank) {
    let groups = [(GroupId(30), [a, b]), (GroupId(31), [b, a])];
    groups.iter().for_each(|&(id, members)| make(id, members));
    let mut before = [0, 1].map(|group| Call::new(GroupCollective::Barrier, 0, 0, 6000 + group));
    groups.iter().zip(&mut before).for_each(|(&(id, _), call)| call.enter(a, id));
    a.conduit.gone(b.me);
    let mut after = [0, 1].map(|group| Call::new(GroupCollective::Barrier, 0, 0, 6100 + group));
    groups.iter().zip(&mut after).for_each(|(&(id, _), call)| call.enter(a, id));
    while !before.iter().chain(&after).all(|call| a.has(call.token, Completion::Failed)) {
        a.poll(super::Take::All);
    }
    for call in before.iter().chain(&after) {
        assert_eq!(a.completions(call.token), [Completion::Failed]);
    }
    assert!(groups.iter().all(|&(id, _)| a.conduit.disband(id)));
}
