//! Reservations of address space for segments, and the mappings in them.
//!
//! # Safety
//! Words are written and read inside segments that the test has mapped and that stay mapped.
#![allow(unsafe_code)]

use std::fs::File;
use std::os::fd::OwnedFd;
use std::sync::mpsc;
use std::time::Duration;

use super::backing::{Backing, BackingKind};
use super::xmap::*;
use crate::defs::rank::HostRank;
use crate::os::shm::{self, PAGE};

const HUGE: usize = 2 << 20;

fn plain(room: Option<u64>) -> Backing {
    Backing { kind: BackingKind::SysV, fd: None, room }
}

fn write(at: *mut u8, value: u64) {
    // SAFETY: the file's head.
    unsafe { at.cast::<u64>().write_volatile(value) };
}

fn read(at: *mut u8) -> u64 {
    // SAFETY: the file's head.
    unsafe { at.cast::<u64>().read_volatile() }
}

fn own(xmap: &Xmap) -> *mut u8 {
    core::ptr::with_exposed_provenance_mut(xmap.own())
}

#[test]
fn segments_follow_each_other_at_an_odd_number_of_huge_pages() {
    for (max, pages) in [(1, 1), (HUGE, 1), (HUGE + 1, 3), (3 * HUGE, 3), (4 * HUGE, 5), (5 * HUGE - PAGE, 5)] {
        let xmap = Xmap::reserve(plain(None), 3, max).expect("room");
        let [.., of_a_rank, stride] = xmap.shape().words();
        assert_eq!((of_a_rank as usize, stride as usize), (max, pages * HUGE));
        // SAFETY: the reservation up to the end of its last slot; nothing is mapped there and nobody uses it any more.
        unsafe { shm::release(own(&xmap), 4 * stride as usize) };
    }
}

#[test]
fn the_own_segment_shares_its_place_in_the_tlb_with_its_slot_among_the_peers_alone() {
    const RANKS: usize = 9;
    let object = || {
        let fd = shm::memfd(false).expect("memory");
        shm::set_len(&fd, RANKS * HUGE).expect("room");
        Some(fd)
    };
    for fd in [None, object()] {
        let has_object = fd.is_some();
        let backing = Backing { kind: if has_object { BackingKind::Memfd } else { BackingKind::SysV }, fd, room: None };
        let shape = Xmap::reserve(backing, RANKS, HUGE).expect("room").shape();
        for me in 0..RANKS as u32 {
            let xmap = Xmap::join(shape, has_object.then(object).flatten(), RANKS).expect("room").of_rank(HostRank(me));
            let place = |at: usize| at / HUGE % ((128 << 20) / HUGE);
            for rank in 0..RANKS as u32 {
                let same = place(xmap.slot(HostRank(rank)).addr()) == place(xmap.own());
                assert_eq!(same, rank == me);
            }
            if has_object {
                let (at, _) = xmap.map_own(HostRank(me), HUGE, false).expect("memory");
                // SAFETY: mapped here twice, and used by nobody else.
                let seen = unsafe {
                    at.add(HUGE - 1).write(me as u8 + 1);
                    [xmap.slot(HostRank(me)), xmap.slot(HostRank(RANKS as u32 - 1))]
                        .map(|slot| slot.add(HUGE - 1).read())
                };
                assert_eq!(seen, [me as u8 + 1, if me == RANKS as u32 - 1 { me as u8 + 1 } else { 0 }]);
            }
        }
    }
}

#[test]
fn a_reservation_that_is_too_large_is_halved_until_it_fits() {
    // More than the address space of a process.
    let most = (1usize << 47) + 5 * PAGE;
    let xmap = Xmap::reserve(plain(None), 1, most).expect("half of it, or a quarter, fits");
    let [.., max, stride] = xmap.shape().words();
    assert!(max == stride && stride < most as u64 && stride >= 1 << 42 && stride % (2 * HUGE as u64) == HUGE as u64);
    assert_eq!(xmap.max_segment() as u64, max);
    assert_eq!(xmap.own() % HUGE, 0);
    assert_eq!(xmap.slot(HostRank(0)) as usize, xmap.own() + stride as usize);
    // SAFETY: the reservation up to the end of its last slot; nothing is mapped there and nobody uses it any more.
    unsafe { shm::release(own(&xmap), 2 * stride as usize) };
}

#[test]
fn an_object_that_takes_no_length_is_an_error() {
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        let null = OwnedFd::from(File::options().read(true).write(true).open("/dev/null").expect("there is one"));
        let backing = Backing { kind: BackingKind::File, fd: Some(null), room: None };
        let _ = tell.send(Xmap::reserve(backing, 2, 64 << 20).is_err());
    });
    assert_eq!(told.recv_timeout(Duration::from_secs(20)), Ok(true));
}

#[test]
fn the_room_is_shared_in_whole_pages() {
    let of = |room| Xmap::reserve(plain(Some(room)), 3, 5 * PAGE + 1).expect("room").max_segment();
    assert_eq!(of(10 * PAGE as u64 + 5), 3 * PAGE);
    assert_eq!(of(9 * PAGE as u64 - 1), 2 * PAGE);
    assert_eq!(of(1 << 40), 5 * PAGE + 1);
    let huge = Backing { kind: BackingKind::Hugetlbfs, fd: None, room: Some(7 * HUGE as u64) };
    assert_eq!(Xmap::reserve(huge, 3, 9 * HUGE).expect("room").max_segment(), 2 * HUGE);
}

#[test]
fn the_room_of_an_object_is_that_of_its_kind() {
    assert_eq!(Xmap::reserve(plain(Some(77)), 1, PAGE).expect("room").room(), Some(77));
    let of = |kind| {
        let backing = Backing { kind, fd: Some(shm::memfd(false).expect("memory")), room: Some(77) };
        Xmap::reserve(backing, 1, PAGE).expect("room").room()
    };
    assert_eq!(of(BackingKind::Memfd), None);
    let backing =
        Backing { kind: BackingKind::File, fd: Some(shm::file("/tmp".as_ref()).expect("a file")), room: None };
    assert!(Xmap::reserve(backing, 1, PAGE).expect("room").room().is_some_and(|room| room > PAGE as u64));
}

#[test]
fn a_shape_is_read_as_it_was_written() {
    let shape = Xmap::reserve(plain(Some(1 << 30)), 1, 3 * PAGE).expect("room").shape();
    let words = shape.words();
    assert_eq!(words, [BackingKind::SysV.number(), 1, 1 << 30, 3 * PAGE as u64, HUGE as u64]);
    assert_eq!(SegmentShape::from_words(words), Some(shape));
    let without = [words[0], 0, 0, words[3], words[4]];
    assert_eq!(SegmentShape::from_words(without).map(|shape| shape.words()), Some(without));
    let changed = |at: usize, word| {
        let mut words = words;
        words[at] = word;
        SegmentShape::from_words(words).is_some()
    };
    assert!(!changed(0, 99), "no kind");
    assert!(!changed(3, 0) && !changed(3, HUGE as u64 + 1), "no largest segment, or larger than its slot");
    assert!(changed(3, HUGE as u64) && changed(4, 2 * HUGE as u64));
    assert!(!changed(4, HUGE as u64 + 4096), "a slot that is not of whole large pages");
}

#[test]
fn bytes_of_a_segment_are_seen_in_its_slot_by_all_who_joined() {
    let memory = shm::memfd(false).expect("memory");
    let twin = memory.try_clone().expect("a descriptor");
    let first = Xmap::reserve(Backing { kind: BackingKind::Memfd, fd: Some(memory), room: None }, 3, 5 * PAGE);
    let first = first.expect("room");
    let second = Xmap::join(first.shape(), Some(twin), 3).expect("room");
    assert!(first.object().is_some() && first.kind() == BackingKind::Memfd && second.shape() == first.shape());
    assert_eq!(first.max_segment(), 5 * PAGE);
    for (xmap, rank, tight) in [(&first, HostRank(1), false), (&second, HostRank(2), true)] {
        let (at, id) = xmap.map_own(rank, 5 * PAGE, tight).expect("memory");
        assert_eq!((at, id), (own(xmap), -1));
        write(at.wrapping_add(4 * PAGE), 100 + u64::from(rank.0));
        xmap.map_peer(rank, -1, PAGE).expect("mapped already");
    }
    for xmap in [&first, &second] {
        for (rank, value) in [(0, 0), (1, 101), (2, 102)] {
            assert_eq!(read(xmap.slot(HostRank(rank)).wrapping_add(4 * PAGE)), value);
        }
    }
    let _ = std::panic::catch_unwind(|| first.slot(HostRank(3))).expect_err("no such rank");
    let _ = std::panic::catch_unwind(|| first.map_own(HostRank(3), PAGE, false)).expect_err("no such rank");
    let _ = std::panic::catch_unwind(|| first.map_own(HostRank(0), HUGE + 1, false)).expect_err("longer than the slot");
}

#[test]
fn system_v_segments_are_attached_by_number() {
    let xmap = Xmap::reserve(plain(None), 2, 3 * PAGE).expect("room");
    assert!(xmap.object().is_none());
    let Ok((at, id)) = xmap.map_own(HostRank(1), 3 * PAGE, true) else {
        eprintln!("no System V memory here");
        return;
    };
    assert_eq!(at, own(&xmap));
    write(at.wrapping_add(2 * PAGE), 77);
    xmap.map_peer(HostRank(1), id, PAGE).expect("attached");
    assert_eq!(read(xmap.slot(HostRank(1)).wrapping_add(2 * PAGE)), 77);
}

#[test]
fn segments_that_are_mapped_one_by_one_are_as_long_as_they_are() {
    let memory = shm::memfd(false).expect("memory");
    let twin = memory.try_clone().expect("a descriptor");
    let first = Xmap::reserve(Backing { kind: BackingKind::Memfd, fd: Some(memory), room: None }, 3, 5 * PAGE);
    let first = first.expect("room");
    for rank in 0..3 {
        let (at, _) = first.map_own(HostRank(rank), 2 * PAGE, false).expect("memory");
        write(at.wrapping_add(PAGE), 100 + u64::from(rank));
    }
    let second = Xmap::join(first.shape(), Some(twin), 3).expect("room").one_by_one();
    for rank in [2, 0, 1] {
        second.map_peer(HostRank(rank), -1, PAGE + 1).expect("mapped");
        assert_eq!(read(second.slot(HostRank(rank)).wrapping_add(PAGE)), 100 + u64::from(rank));
    }
    second.map_peer(HostRank(1), -1, 0).expect("a rank without a segment");
}
