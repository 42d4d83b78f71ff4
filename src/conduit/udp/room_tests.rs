//! Tests of the room for messages: operations that wait for it, operations that never do, and the memory it takes.
#![allow(unsafe_code)]

use proptest::prelude::*;

use super::auth::AuthKey;
use super::engine_tests::*;
use super::wire::{self, DATA, Header, Part, write_part_head};
use crate::conduit::udp::engine::Engine;
use crate::conduit::udp::reject::Reject;
use crate::conduit::udp::send::Source;
use crate::conduit::udp::terms::{Full, Taken, am_cost};
use crate::defs::message::Traffic;
use crate::defs::rank::JobRank;
use crate::mem::{Dst, RemoteAddr, Src};

#[test]
fn copies_are_bounded_and_those_of_requests_leave_room_for_replies() {
    let mut pair = Pair::with(|_| {});
    let bytes = vec![7; 300_000];
    let long = |engine: &mut Engine, traffic, source| {
        engine.long(JobRank(1), traffic, b"long", Src::of(&bytes), RemoteAddr(0), source)
    };
    let engine = &mut pair.engines[0];
    let taken = (0..100).take_while(|_| long(engine, Traffic::Request, Source::Changes).is_ok()).count();
    assert_eq!(taken, 3);
    assert_eq!(engine.put(JobRank(1), RemoteAddr(0), Src::of(&bytes), false, 1), Err(Full));
    assert_eq!(long(engine, Traffic::Reply, Source::Changes), Ok(Taken::Copied));
    assert_eq!(long(engine, Traffic::Request, Source::StaysUntil(2)), Ok(Taken::Held));
    pair.settle();
    assert_eq!(pair.desks[0].done, [2]);
    assert_eq!(long(&mut pair.engines[0], Traffic::Request, Source::Changes), Ok(Taken::Copied));
    pair.settle();
    assert_eq!(pair.desks[1].count, [5, 1]);
    assert!(pair.engines[0].is_idle());
}

#[test]
fn room_comes_back_when_a_message_in_pieces_has_left() {
    let mut pair = Pair::with(|config| (config.mtu_first, config.mtu_most) = (1200, 1200));
    for _ in 0..20 {
        request(&mut pair.engines[0], 1, &[0; 60_000]).expect("room");
        pair.settle();
        let cost = std::mem::take(&mut pair.desks[1].handled[0]);
        assert!(cost > 60_000);
        pair.engines[1].handled(JobRank(0), Traffic::Request, cost);
        pair.settle();
        pair.carry(1);
        pair.carry(0);
    }
    assert_eq!(pair.desks[1].count[0], 20);
}

#[test]
fn copies_may_take_all_of_their_room() {
    let mut pair = Pair::with(|_| {});
    let bytes = vec![7; 512 << 10];
    let mut put = |op| pair.engines[0].put(JobRank(1), RemoteAddr(0), Src::of(&bytes), false, op);
    assert_eq!((put(1), put(2), put(3)), (Ok(Taken::Copied), Ok(Taken::Copied), Err(Full)));
}

#[test]
fn pieces_of_a_peer_are_held_within_its_window_only() {
    let key = AuthKey::derive(&SECRET, JobRank(0), JobRank(1), false);
    // Sends pieces of ever new messages but never a first piece, which would be charged; Mediums, then Longs.
    for (at, memory) in [(None, 64 << 10), (Some(8), 0)] {
        let most = 2 * (256 << 10) / am_cost(0, memory);
        let Pair { engines: [_, mut engine], desks: [_, mut desk], .. } = Pair::with(|_| {});
        let mut taken = 0;
        for id in 0..2 * most {
            let part = Part { traffic: Traffic::Request, id, total: 64 << 10, offset: 9, head: b"", at, data: &[] };
            let mut frames = Vec::new();
            write_part_head(&mut frames, &part, 1);
            frames.push(7);
            let mut bytes = sealed(&key, u64::from(id) + 1, DATA, &frames, |header| header.unit = taken);
            match engine.on_datagram(0, address(1), &mut bytes, &mut desk) {
                Ok(()) => taken += 1,
                Err(why) => assert_eq!(why, Reject::Malformed),
            }
        }
        assert_eq!(taken, most, "messages begun");
    }
}

#[test]
fn replies_pass_where_requests_find_no_room() {
    let mut pair = Pair::with(|_| {});
    let mut taken = 0;
    for _ in 0..100 {
        while request(&mut pair.engines[0], 1, &[0; 1000]).is_ok() {
            taken += 1;
        }
        pair.settle();
    }
    // Rank 1 handles none of them: the messages of rank 0 that it holds are bounded, and all of them have arrived.
    assert_eq!(pair.desks[1].count[0], taken);
    assert!(pair.desks[1].handled[0] <= pair.engines[1].config().am_window);
    assert!(taken >= 100);
    for _ in 0..50 {
        let reply = pair.engines[0].am(JobRank(1), Traffic::Reply, b"reply", Src::of(&[1; 1000]));
        reply.expect("room for replies");
        pair.settle();
    }
    assert_eq!(pair.desks[1].count[1], 50);
    // One is handled: there is room again.
    let cost = pair.desks[1].ams[0].2;
    for _ in 0..taken {
        pair.engines[1].handled(JobRank(0), Traffic::Request, cost);
    }
    pair.settle();
    pair.carry(1);
    pair.carry(0);
    request(&mut pair.engines[0], 1, &[0; 1000]).expect("room again");
}

#[test]
fn room_is_told_by_a_rank_that_may_not_send_at_once() {
    // The largest number of replies that the pace lets leave at once.
    let (_, _, most) = paced(200);
    let (mut pair, requests, left) = paced(most);
    assert!(left == most && most < 200);
    let cost = pair.desks[1].ams[0].2;
    for _ in 0..requests {
        pair.engines[1].handled(JobRank(0), Traffic::Request, cost);
    }
    assert_eq!(pair.carry(1), 0, "it may send now");
    while let Some(next) = pair.engines[1].next_timer() {
        pair.now = pair.now.max(next);
        pair.engines[1].on_timer(pair.now, &mut pair.desks[1]);
        pair.carry(1);
        pair.carry(0);
    }
    request(&mut pair.engines[0], 1, &[0; 1000]).expect("room again");
}

#[test]
fn a_message_that_comes_whole_needs_no_room_among_those_in_pieces() {
    let key = AuthKey::derive(&SECRET, JobRank(0), JobRank(1), false);
    let Pair { engines: [_, mut engine], desks: [_, mut desk], .. } = Pair::with(|_| {});
    let (mut packet, mut unit) = (0, 0);
    let mut tell = |total, offset, data: &[u8]| {
        packet += 1;
        let part = Part { traffic: Traffic::Request, id: packet, total, offset, head: b"", at: Some(8), data: &[] };
        let mut frames = Vec::new();
        write_part_head(&mut frames, &part, data.len());
        frames.extend_from_slice(data);
        let mut bytes = sealed(&key, packet.into(), DATA, &frames, |header| header.unit = unit);
        let told = engine.on_datagram(0, address(1), &mut bytes, &mut desk);
        // A rejected unit does not use up its number.
        unit += u32::from(told.is_ok());
        told
    };
    let begun = (0..100_000).take_while(|_| tell(16, 9, b"7").is_ok()).count();
    assert!(begun < 100_000, "as many messages in pieces as it takes");
    assert_eq!(tell(4, 0, b"1234"), Ok(()));
    assert_eq!(desk.count[0], 1);
    assert_eq!(&desk.memory[8..12], b"1234");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// A datagram, even with the longest header of a retransmission, does not exceed the path's MTU.
    #[test]
    fn no_unit_is_larger_than_the_path_takes(
        mtu in 1200usize..1500,
        steps in proptest::collection::vec((prop_oneof![1 => 0u8..3, 2 => Just(3)], prop_oneof![12 => 0usize..3, 1 => 3usize..1300, 1 => 1300usize..9000]), 1..300)) {
        let mut pair = Pair::with(|config| (config.mtu_first, config.mtu_most) = (mtu, mtu));
        let bytes = vec![3; 9000];
        let mut got = vec![0; 9000];
        for chunk in steps.chunks(150) {
            for &(kind, size) in chunk {
                let (src, at) = (Src::of(&bytes[..size]), RemoteAddr(size));
                // SAFETY: `got` outlives the gets.
                let dst = unsafe { Dst::new(got.as_mut_ptr().cast(), size) };
                let engine = &mut pair.engines[0];
                let taken = match kind {
                    0 => engine.am(JobRank(1), Traffic::Request, &bytes[..size % 70], src),
                    1 => engine.put(JobRank(1), at, src, true, 1),
                    2 => engine.long(JobRank(1), Traffic::Request, &bytes[..size % 70], src, at, Source::Stays),
                    _ => engine.get(JobRank(1), at, dst, 2),
                };
                let _ = taken;
            }
            for turn in 0.. {
                prop_assert!(turn < 10_000);
                let mut moved = false;
                for from in 0..2 {
                    for mut bytes in sent(&mut pair.engines[from], pair.now) {
                        let (header, frames) = Header::read(&bytes).expect("a datagram");
                        let longest = bytes.len() - frames + wire::MAX_HEADER;
                        prop_assert!(longest <= mtu, "{} bytes of {}, header {:?}", longest, mtu, header);
                        let to = 1 - from;
                        let told = pair.engines[to].on_datagram(pair.now, address(1), &mut bytes, &mut pair.desks[to]);
                        prop_assert_eq!(told, Ok(()));
                        moved = true;
                    }
                }
                pair.now += 1000;
                if !moved {
                    break;
                }
            }
            let cost = std::mem::take(&mut pair.desks[1].handled[0]);
            if cost > 0 {
                pair.engines[1].handled(JobRank(0), Traffic::Request, cost);
            }
        }
    }
}
