//! A rank's view of its nbrhd: names of ranks, segments, sleepers, deaths. The ranks of these tests are in one process.
//!
//! # Safety
//! Segments are mapped and published at the biases at which they are mapped.
#![allow(unsafe_code)]

use super::backing::{Backing, BackingKind};
use super::deaths::Deaths;
use super::reach::Reach;
use super::ring::{Producer, RingHead};
use super::*;
use crate::defs::rank::Location;
use crate::os::shm::{self, PAGE};
use crate::places::Ranks;

fn ranks(list: &[u32]) -> Ranks {
    list.iter().map(|&rank| JobRank(rank)).collect()
}

/// All ranks of host `here`, in nbrhds of two.
fn host(hosts: &[&[u32]], here: usize, bells: &[c_int]) -> Vec<Nbrhd> {
    let hosts: Vec<Ranks> = hosts.iter().map(|list| ranks(list)).collect();
    let places = Places::new(&hosts, here as u32, 2).expect("a placement");
    let count = hosts[here].count() as usize;
    let region = Region::create(RegionLayout::new(count, 2, 16, 5000, 100)).expect("memory");
    let memory = shm::memfd(false).expect("memory");
    let twins: Vec<_> = (1..count).map(|_| memory.try_clone().expect("a descriptor")).collect();
    let backing = Backing { kind: BackingKind::Memfd, fd: Some(memory), room: None };
    let mut maps = vec![Xmap::reserve(backing, count, 4 * PAGE).expect("room")];
    for twin in twins {
        let next = Xmap::join(maps[0].shape(), Some(twin), count).expect("room");
        maps.push(next);
    }
    let of = |(here, xmap)| Nbrhd::new(region, HostRank(here), &places, xmap, (true, false), bells);
    (0..).zip(maps).map(of).collect()
}

#[test]
fn ranks_are_named_as_the_placement_says() {
    let placements: [&[&[u32]]; 3] =
        [&[&[0, 2, 4, 6], &[1, 3, 5]], &[&[0, 1, 2], &[3, 4, 5, 6]], &[&[1, 2, 5], &[0, 3, 4, 6]]];
    for hosts in placements {
        for (here, list) in hosts.iter().enumerate() {
            for (at, nbrhd) in host(hosts, here, &[]).iter().enumerate() {
                let first = at / 2 * 2;
                let members = &list[first..list.len().min(first + 2)];
                assert_eq!((nbrhd.me.index(), nbrhd.ranks as usize), (at - first, members.len()));
                for rank in (0..8).map(JobRank) {
                    let near = members.iter().position(|&member| member == rank.0).map(|near| NodeRank(near as u32));
                    assert_eq!(nbrhd.node_rank(rank), near, "{rank:?} of {list:?}");
                    assert_eq!(nbrhd.inbox_of(rank).map(|inbox| inbox.rank), near);
                    assert_eq!(near.map(|near| nbrhd.job_rank(near)), near.map(|_| rank));
                }
                for index in 0..list.len() + 1 {
                    let near =
                        (first..first + members.len()).contains(&index).then(|| NodeRank((index - first) as u32));
                    assert_eq!(nbrhd.node_rank_of(HostRank(index as u32)), near);
                    assert_eq!(near.map(|near| nbrhd.host_rank(near).index()), near.map(|_| index));
                }
                assert_eq!(nbrhd.on_host().count(), list.len());
            }
        }
    }
}

#[test]
fn a_segment_is_reached_where_it_is_attached_and_nowhere_else() {
    let host = host(&[&[0, 1], &[2]], 0, &[]);
    let (a, b) = (&host[0], &host[1]);
    let (rank, len) = (JobRank(0), 2 * PAGE);
    let to = Location { rank, ep: 0 };
    assert!(!b.is_mapped(rank) && b.segment_span(rank).is_none() && b.inline_bias(to) == 0);
    let (at, _) = a.xmap.map_own(a.here, len, false).expect("memory");
    let start = at.expose_provenance();
    assert!(!a.in_attached(start, 1));
    a.notice(a.here).segment_bytes.store(len as u64, Ordering::Relaxed);
    assert_eq!(b.start_of(a.here), start);
    for (from, bytes, inside) in [
        (start, len, true),
        (start, 0, true),
        (start + len, 0, true),
        (start + 8, len - 8, true),
        (start, len + 1, false),
        (start + 8, len - 7, false),
        (start + len, 1, false),
        (start - 1, 1, false),
        (start + len + 1, 0, false),
    ] {
        assert_eq!(a.in_attached(from, bytes), inside);
        assert_eq!(b.is_attached(a.here, from, bytes), inside);
    }
    // A rank that has not started.
    b.notice(b.here).segment_start.store(0, Ordering::Relaxed);
    b.notice(b.here).segment_bytes.store(u64::MAX, Ordering::Relaxed);
    assert!(!a.is_attached(b.here, 0, 0) && !a.is_attached(b.here, start, 1));
    b.publish_attached(rank, start, start + len, None);
    assert!(b.is_mapped(rank) && !b.is_mapped(JobRank(1)) && !b.all_mapped());
    assert_eq!(b.segment_span(rank), Some((start, start + len)));
    assert_eq!(b.inline_bias(to), b.bias_to(NodeRank(0)) + 1);
    // SAFETY: the rank's own segment, just mapped.
    unsafe { at.wrapping_add(PAGE).cast::<u64>().write_volatile(77) };
    let seen = |view: Dst<'_>| {
        let mut words = [0u64];
        crate::mem::read_words(&mut words, view.as_src());
        words[0]
    };
    let there = RemoteAddr(start + PAGE);
    assert_eq!(seen(b.attached(NodeRank(0), there, 8)), 77);
    assert_eq!(b.map_at(to, there, 8).map(seen), Some(77));
    b.direct.store(false, Ordering::Relaxed);
    assert!(b.map_at(to, there, 8).is_none() && b.inline_bias(to) == 0);
    assert_eq!(b.deliver_at(to, there, 8).map(seen), Some(77));
}

#[test]
fn a_span_holds_what_lies_between_its_ends() {
    let reach = Reach::new(2);
    assert!(!reach.holds(JobRank(1), RemoteAddr(0), 0) && reach.span(JobRank(1)).is_none());
    // SAFETY: not mapped here.
    unsafe { reach.publish(JobRank(1), 1000, 1100, None) };
    for (at, len, inside) in [
        (1000, 100, true),
        (1050, 50, true),
        (1050, 51, false),
        (999, 1, false),
        (1100, 0, true),
        (1101, 0, false),
        (1050, usize::MAX, false),
    ] {
        assert_eq!(reach.holds(JobRank(1), RemoteAddr(at), len), inside, "{len} at {at}");
        assert!(!reach.holds(JobRank(0), RemoteAddr(at), len) && !reach.holds(JobRank(2), RemoteAddr(at), len));
    }
    assert_eq!((reach.bias_word(JobRank(1)), reach.bias_word(JobRank(7))), (0, 0));
    reach.withdraw(JobRank(1));
    assert!(reach.span(JobRank(1)).is_none());
}

#[test]
fn either_ring_stirs_its_rank() {
    for replies in [false, true] {
        let host = host(&[&[0, 1]], 0, &[]);
        assert!(!host[1].stirred());
        let inbox = host[0].inbox(NodeRank(1));
        let (ring, room) =
            if replies { (&inbox.replies, &inbox.reply_room) } else { (&inbox.requests, &inbox.request_room) };
        let at = ring.claim(1, room, Producer::Announced(host[0].intent(0))).expect("room");
        ring.fill(at, RingHead { handler: 1, kind_args: 0, from: 0 }, &[]);
        assert!(host[1].stirred() && !host[0].stirred());
    }
}

#[test]
fn a_bell_is_rung_for_sleepers_only_and_wakes_those_who_saw_it_before() {
    let fds = [0; 2].map(|_| sleep::bell().expect("a descriptor"));
    let host = host(&[&[0, 1]], 0, &fds);
    let (me, other) = (&host[0], &host[1]);
    let bell = || me.own().bell;
    assert!(!me.sleeps());
    other.ring_bell(other.inbox(NodeRank(0)));
    let seen = me.arm();
    assert_eq!(seen, 0, "nobody slept");
    assert!(me.sleeps() && !other.sleeps());
    let mut slept = Vec::new();
    me.sleep_in(seen, |fd| slept.push(fd));
    assert_eq!(slept, [fds[0]]);
    other.ring_bell(other.inbox(NodeRank(0)));
    me.sleep_in(seen, |_| panic!("work came after it had looked"));
    me.sleep(seen, u64::MAX >> 2);
    me.disarm();
    assert!(!me.sleeps());
    assert_eq!((me.arm(), me.arm()), (1, 1));
    me.disarm();
    assert!(me.sleeps(), "another thread still does");
    assert!(!bell().ring(true), "nobody has died");
    assert_eq!(me.arm(), 2);
}

#[test]
fn deaths_are_noted_one_by_one() {
    let deaths = Deaths::new(3);
    deaths.note(NodeRank(1));
    assert_eq!([0, 1, 2].map(|rank| deaths.has(NodeRank(rank))), [false, true, false]);
}

#[test]
fn areas_have_the_sizes_that_were_asked_for() {
    let region = Region::create(RegionLayout::new(3, 2, 16, 5000, 100)).expect("memory");
    assert_eq!(region.control().len(), 2 * PAGE);
    let host = host(&[&[0, 1, 2]], 0, &[]);
    assert!(host.iter().all(|nbrhd| nbrhd.barrier_area().len() == PAGE && nbrhd.arena(NodeRank(0)).len() >= 1 << 20));
    assert!(host[0].barrier_area().as_ptr() == host[1].barrier_area().as_ptr());
    assert!(host[0].barrier_area().as_ptr() != host[2].barrier_area().as_ptr());
}

#[test]
fn backings_have_the_names_that_users_know() {
    let names = ["memfd", "posix", "file", "sysv", "hugetlbfs"];
    let kinds = (0..6).map(BackingKind::of_number);
    assert_eq!(kinds.map(|kind| kind.map(BackingKind::name)).collect::<Vec<_>>(), {
        let mut all: Vec<_> = names.map(Some).into();
        all.push(None);
        all
    });
}
