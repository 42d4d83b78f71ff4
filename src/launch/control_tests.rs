use super::*;
use crate::defs::rank::JobRank;
use crate::launch::hosts::HostInfo;
use crate::places::Ranks;
use proptest::prelude::*;
use std::net::SocketAddr;

const SECRET: JobSecret = [7; 32];

fn pair(from: Side) -> (Sealer, Opener) {
    let to = if from == Side::Master { Side::Worker } else { Side::Master };
    let (master, worker) = ([1; 32], [2; 32]);
    let mut opener = Opener::new(&SECRET, to, &master, &worker);
    opener.trust();
    (Sealer::new(&SECRET, from, &master, &worker), opener)
}

fn any_bytes(most: usize) -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(any::<u8>(), 0..most)
}

fn any_addr() -> impl Strategy<Value = SocketAddr> {
    any::<SocketAddr>().prop_map(|addr| SocketAddr::new(addr.ip(), addr.port()))
}

fn any_warden() -> impl Strategy<Value = WardenAddress> {
    (any_addr(), any::<u16>()).prop_map(|(at, tree)| WardenAddress { at, tree })
}

fn any_wardens() -> impl Strategy<Value = Vec<WardenAddress>> {
    proptest::collection::vec(any_warden(), 0..20)
}

fn any_frame() -> impl Strategy<Value = Frame> {
    let cpus = proptest::collection::vec(any::<u64>(), 0..4);
    let hello = (any::<u32>(), any::<u32>(), any::<[u8; 16]>(), ".*", any::<[u64; 3]>(), cpus).prop_map(
        |(seat, pid, machine, name, [abi, binary, kernel], cpus)| {
            Frame::Hello(Hello { seat, pid, machine, kernel, cpus, name, abi, binary })
        },
    );
    let ranks = proptest::collection::btree_set(0u32..40, 0..20)
        .prop_map(|ranks| ranks.into_iter().map(JobRank).collect::<Ranks>());
    let present = (ranks.clone(), any_bytes(30), any_warden()).prop_map(|(ranks, terms, warden)| Frame::Present {
        ranks,
        terms,
        warden,
    });
    let host = (".*", ranks).prop_map(|(name, ranks)| HostInfo { name, ranks });
    let assign = (
        proptest::collection::vec(host, 0..5),
        proptest::collection::vec((any_bytes(20), any_bytes(50)), 0..5),
        any::<[bool; 4]>(),
        any::<[u32; 3]>(),
        [any_bytes(30), any_bytes(30)],
    )
        .prop_map(
            |(hosts, env, [route, terminal, stdin, surplus], [host, peer_timeout_ms, line_bytes], [dir, terms])| {
                Frame::Assign(Box::new(Assign {
                    size: hosts.iter().map(|host| host.ranks.count()).sum(),
                    host,
                    hosts,
                    peer_timeout_ms,
                    route,
                    line_bytes,
                    terminal,
                    stdin,
                    surplus,
                    dir,
                    env,
                    terms,
                }))
            },
        );
    let death = prop_oneof![
        any::<i32>().prop_map(Death::Exited),
        any::<i32>().prop_map(Death::Killed),
        Just(Death::OutOfMemory),
        Just(Death::Unknown)
    ];
    prop_oneof![
        hello,
        present,
        assign,
        any_warden().prop_map(Frame::Bound),
        (any_wardens(), any::<u32>(), any::<u32>()).prop_map(|(wardens, beside, degree)| Frame::Table {
            wardens,
            beside,
            degree
        }),
        any::<u32>().prop_map(Frame::Branch),
        Just(Frame::Alive),
        (any::<u32>(), any::<u8>(), any_bytes(3000)).prop_map(|(rank, stream, bytes)| Frame::Lines {
            rank,
            stream,
            bytes
        }),
        (any::<u32>(), any::<u32>(), death).prop_map(|(rank, pid, how)| Frame::Died { rank, pid, how }),
        (any::<i32>(), any::<bool>()).prop_map(|(code, crash)| Frame::End { code, crash }),
        any::<i32>().prop_map(Frame::Signal),
        (any::<i32>(), ".*").prop_map(|(code, why)| Frame::Trouble { code, why }),
        any_bytes(300).prop_map(Frame::Fence),
        Just(Frame::Bye),
        any::<u32>().prop_map(Frame::Explain),
        any_bytes(300).prop_map(Frame::Standing),
        Just(Frame::Explained),
        (any::<bool>(), any::<bool>()).prop_map(|(still, waiting)| Frame::Still { still, waiting }),
    ]
}

/// All frames in `bytes`, pushed in pieces of `piece`.
fn read_all(opener: &mut Opener, bytes: &[u8], piece: usize) -> Result<Vec<Frame>, Bad> {
    let mut frames = Vec::new();
    for piece in bytes.chunks(piece) {
        opener.push(piece);
        while let Some(frame) = opener.next_frame()? {
            frames.push(frame);
        }
    }
    Ok(frames)
}

#[test]
fn ranks_that_do_not_ascend_are_no_frame() {
    let host = HostInfo { name: "h".into(), ranks: [4, 5, 9].map(JobRank).into_iter().collect() };
    let mut body = Vec::new();
    Frame::Assign(Box::new(Assign { size: 3, hosts: vec![host], ..Assign::default() })).write(&mut body);
    assert!(Frame::read(&body).is_some());
    let nine = body.windows(2).position(|run| run == [9, 1]).unwrap();
    for (first, count) in [(5, 1), (0, 1), (9, 0)] {
        body[nine] = first;
        body[nine + 1] = count;
        assert_eq!(Frame::read(&body), None);
    }
}

#[test]
fn an_assignment_of_other_ranks_than_the_jobs_is_no_frame() {
    let host = HostInfo { name: "h".into(), ranks: Ranks::block(0, 3) };
    for (size, is_frame) in [(2, false), (3, true), (4, false)] {
        let mut body = Vec::new();
        let hosts = vec![host.clone()];
        Frame::Assign(Box::new(Assign { size, hosts, ..Assign::default() })).write(&mut body);
        assert_eq!(Frame::read(&body).is_some(), is_frame);
        body.push(0);
        assert_eq!(Frame::read(&body), None, "bytes that are left over");
    }
}

proptest! {
    #[test]
    fn frames_arrive_as_they_were_sent_however_they_are_cut(
        frames in proptest::collection::vec(any_frame(), 0..8), piece in 1usize..500,
    ) {
        let (mut sealer, mut opener) = pair(Side::Worker);
        let mut bytes = Vec::new();
        frames.iter().for_each(|frame| sealer.seal(frame, &mut bytes));
        prop_assert_eq!(read_all(&mut opener, &bytes, piece), Ok(frames));
    }

    #[test]
    fn one_changed_bit_is_refused(frame in any_frame(), at in any::<prop::sample::Index>(), bit in 0u8..8) {
        let (mut sealer, mut opener) = pair(Side::Master);
        let mut bytes = Vec::new();
        sealer.seal(&frame, &mut bytes);
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        // With a length that was increased the reader waits for more bytes and returns no frame.
        let got = read_all(&mut opener, &bytes, 10_000);
        prop_assert!(matches!(got, Err(Bad::Tag | Bad::Long)) || got == Ok(vec![]));
    }

    #[test]
    fn whatever_bytes_come_nothing_is_believed_and_memory_is_bounded(bytes in any_bytes(5000)) {
        let mut opener = Opener::new(&SECRET, Side::Master, &[1; 32], &[2; 32]);
        match read_all(&mut opener, &bytes, 100) {
            Ok(frames) => prop_assert!(frames.is_empty()),
            Err(bad) => prop_assert!(matches!(bad, Bad::Tag | Bad::Long)),
        }
        prop_assert!(opener.bytes.len() <= STRANGER_BYTES + 200);
    }

    #[test]
    fn a_body_of_any_bytes_is_read_or_refused(body in any_bytes(300)) {
        if let Some(frame) = Frame::read(&body) {
            let mut again = Vec::new();
            frame.write(&mut again);
            prop_assert!(again.len() <= body.len());
            prop_assert_eq!(Frame::read(&again), Some(frame));
        }
    }
}

#[test]
fn a_frame_is_good_once_in_its_place_and_in_its_direction() {
    let (mut sealer, mut opener) = pair(Side::Worker);
    let (mut first, mut second) = (Vec::new(), Vec::new());
    sealer.seal(&Frame::Alive, &mut first);
    sealer.seal(&Frame::Alive, &mut second);
    assert_ne!(first, second);
    opener.push(&first);
    assert_eq!(opener.next_frame(), Ok(Some(Frame::Alive)));
    // Again.
    opener.push(&first);
    assert_eq!(opener.next_frame(), Err(Bad::Tag));
    // Too early.
    let (_, mut opener) = pair(Side::Worker);
    opener.push(&second);
    assert_eq!(opener.next_frame(), Err(Bad::Tag));
    // Reflected to its sender.
    let (_, mut opener) = pair(Side::Master);
    opener.push(&first);
    assert_eq!(opener.next_frame(), Err(Bad::Tag));
    // On another connection.
    let mut opener = Opener::new(&SECRET, Side::Master, &[9; 32], &[2; 32]);
    opener.push(&first);
    assert_eq!(opener.next_frame(), Err(Bad::Tag));
}

#[test]
fn a_stranger_may_not_announce_a_long_frame() {
    let mut opener = Opener::new(&SECRET, Side::Master, &[1; 32], &[2; 32]);
    opener.push(&(STRANGER_BYTES as u32 + 1).to_le_bytes());
    assert_eq!(opener.next_frame(), Err(Bad::Long));
}

#[test]
fn the_body_cannot_be_read_on_the_way() {
    let (mut sealer, _) = pair(Side::Worker);
    let mut bytes = Vec::new();
    sealer.seal(&Frame::Trouble { code: 1, why: "a plain sentence".into() }, &mut bytes);
    assert!(!bytes.windows(5).any(|part| part == b"plain"));
}

#[test]
fn an_opening_of_another_version_is_refused() {
    let mut bytes = opening(&[5; 32]);
    assert_eq!(opened(&bytes), Ok([5; 32]));
    bytes[7] += 1;
    assert_eq!(opened(&bytes), Err(Bad::Version));
}
