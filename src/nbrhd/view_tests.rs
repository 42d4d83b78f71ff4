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
    let sleep = |fd| {
        slept.push(fd);
        true
    };
    assert!(me.sleep_in(seen, sleep), "the result of the sleep");
    assert_eq!(slept, [fds[0]]);
    other.ring_bell(other.inbox(NodeRank(0)));
    assert!(!me.sleep_in(seen, |_| panic!("work came after it had looked")));
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
    let region = Region::create(RegionLayout::new(3, 2, 16, PAGE + 904, 100)).expect("memory");
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

#[test]
fn segments_of_further_endpoints_are_apart() {
    let host = host(&[&[0, 1]], 0, &[]);
    let me = &host[0];
    let [first, third, last] = [0, 2, 63].map(|ep| Location { rank: JobRank(1), ep });
    assert!(me.span_at(third).is_none() && !me.in_segment_at(third, RemoteAddr(4096), 0));
    assert!(me.deliver_at(last, RemoteAddr(4096), 8).is_none() && me.inline_bias(last) == 0);
    assert!(me.span_at(Location { ep: 64, ..first }).is_none());
    let words = [7u64, 8];
    let at = words.as_ptr().expose_provenance();
    // SAFETY: memory of this test, which is only read, or not mapped.
    unsafe {
        me.reach(2).publish(JobRank(1), at - 64, at + 16 - 64, Some(64));
        me.reach(63).publish(JobRank(1), 4096, 8192, None);
    }
    assert_eq!((me.span_at(third), me.span_at(last)), (Some((at - 64, at - 48)), Some((4096, 8192))));
    assert_eq!((me.span_at(first), me.segment_span(JobRank(1)), me.inline_bias(third)), (None, None, 65));
    let there = RemoteAddr(at - 56);
    let mut seen = [0];
    crate::mem::read_words(&mut seen, me.map_at(third, there, 8).expect("mapped").as_src());
    assert_eq!(seen, [8]);
    assert!(me.deliver_at(last, RemoteAddr(4096), 8).is_none());
    for (at, len, inside) in [(there.0, 8, true), (there.0, 9, false), (4096, 4096, true), (4095, 1, false)] {
        assert_eq!(me.in_any_segment(JobRank(1), RemoteAddr(at), len), inside);
        assert!(!me.in_any_segment(JobRank(0), RemoteAddr(at), len) && !me.in_segment(JobRank(1), RemoteAddr(at), len));
    }
    assert!(me.in_segment_at(third, there, 8) && !me.in_segment_at(last, there, 8));
    assert!(me.in_segment_at(last, RemoteAddr(8000), 192) && !me.in_segment_at(last, RemoteAddr(8000), 193));
}

#[test]
fn where_all_memory_is_the_segment_each_rank_has_mapped_its_own_only() {
    let host = host(&[&[0, 1], &[2]], 0, &[]);
    host[1].publish_everything(JobRank(1));
    for rank in (0..3).map(JobRank) {
        assert_eq!((host[1].is_mapped(rank), host[1].segment_span(rank)), (rank.0 == 1, Some((0, usize::MAX))));
    }
    assert_eq!(host[1].inline_bias(Location { rank: JobRank(1), ep: 0 }), 1);
    assert!(!host[1].all_mapped() && host[1].in_any_segment(JobRank(2), RemoteAddr(1 << 40), 99));
}

#[test]
fn all_segments_are_mapped_once_each_rank_has_published_its_own() {
    let host = host(&[&[0, 1]], 0, &[]);
    let me = &host[1];
    for (rank, other) in (0..).zip(&host) {
        assert!(!me.all_mapped());
        let (at, _) = other.xmap.map_own(other.here, PAGE, false).expect("memory");
        other.notice(other.here).segment_bytes.store(PAGE as u64, Ordering::Relaxed);
        let start = at.expose_provenance();
        me.publish_attached(JobRank(rank), start, start + PAGE, None);
    }
    assert!(me.all_mapped());
}

#[test]
fn segments_elsewhere_are_reached_where_they_were_said_to_be() {
    let host = host(&[&[0, 1, 2, 3]], 0, &[]);
    host[2].put_segment(1 << 20);
    host[3].put_segment(1 << 21);
    assert_eq!((host[3].start_of(HostRank(2)), host[2].start_of(HostRank(3))), (1 << 20, 1 << 21));
    host[3].segments_are_at(&[5 << 20, 7 << 20]);
    assert_eq!((host[3].bias_to(NodeRank(0)), host[3].bias_to(NodeRank(1))), (4 << 20, 0));
    host[2].segments_are_at(&[5 << 20, 7 << 20]);
    assert_eq!((host[2].bias_to(NodeRank(0)), host[2].bias_to(NodeRank(1))), (0, 5 << 20));
}

#[test]
fn arenas_follow_each_other() {
    let host = host(&[&[0, 1, 2, 3]], 0, &[]);
    let span = |nbrhd: &Nbrhd, rank| {
        let arena = nbrhd.arena(NodeRank(rank));
        (arena.as_ptr().addr(), arena.as_ptr().addr() + arena.len())
    };
    let all = [span(&host[0], 0), span(&host[1], 1), span(&host[2], 0), span(&host[3], 1)];
    assert!(all.windows(2).all(|pair| pair[0].1 == pair[1].0), "{all:?}");
    assert_eq!((span(&host[1], 0), span(&host[3], 0)), (all[0], all[2]));
    let layout = host[0].region.layout;
    assert_eq!(all[3].1 - host[0].region.base.addr(), layout.total());
    let mut words = layout.words().to_vec();
    assert_eq!(words[..3], [4, 2, 16]);
    words.sort_unstable();
    assert!(words[10] < layout.total() as u64);
}

#[test]
fn who_waits_for_the_start_of_its_own_nbrhd_is_woken() {
    let host = host(&[&[0, 1, 2]], 0, &[]);
    host[0].arrivals().fetch_add(5, Ordering::Relaxed);
    assert_eq!([0, 1, 2].map(|at: usize| host[at].arrivals().load(Ordering::Relaxed)), [5, 5, 0]);
    let woken = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            host[1].sleep_until_all_here();
            woken.store(true, Ordering::Relaxed);
        });
        host[2].all_here();
        std::thread::sleep(std::time::Duration::from_millis(30));
        assert!(!woken.load(Ordering::Relaxed), "that was another nbrhd");
        host[0].all_here();
    });
    host[2].sleep_until_all_here();
}

#[test]
fn slots_that_a_dead_rank_claimed_are_filled_and_messages_to_it_are_lost() {
    let host = host(&[&[0, 1]], 0, &[]);
    let (me, other) = (&host[0], &host[1]);
    let inbox = other.inbox(NodeRank(0));
    let claim = |intent| inbox.requests.claim(2, &inbox.request_room, Producer::Announced(intent));
    assert_eq!(claim(other.intent(0)), Some(0));
    assert!(!me.is_dead(NodeRank(1)));
    let block = me.own().pool.claim(&me.cursors, crate::defs::message::Traffic::Request, 10, true).expect("free");
    me.own().pool.sent(block, NodeRank(1));
    assert_eq!(me.bury(NodeRank(1)), 1);
    assert!(me.is_dead(NodeRank(1)) && !me.is_dead(NodeRank(0)));
    let void = RingHead { handler: 12, kind_args: 0, from: 0 };
    assert_eq!(me.retire(void), Retired { filled: [2, 0], done: false });
    let mut batch = super::ring::TakenBatch::empty();
    assert_eq!(me.requests.take(&mut batch, true, |_, _| 0), 2);
    assert_eq!(me.retire(void), Retired { filled: [0, 0], done: true });
    // There is always room.
    let theirs = me.inbox(NodeRank(1));
    for _ in 0..100 {
        assert!(theirs.replies.claim(1, &theirs.reply_room, Producer::Shared).is_some());
        assert!(theirs.requests.claim(1, &theirs.request_room, Producer::Shared).is_some());
    }
    // A block that was sent meanwhile comes back when its message is rung.
    let block = me.own().pool.claim(&me.cursors, crate::defs::message::Traffic::Request, 10, true).expect("free");
    me.own().pool.sent(block, NodeRank(1));
    me.ring_bell(theirs);
    assert_eq!(me.own().pool.in_use(), 0);
}
