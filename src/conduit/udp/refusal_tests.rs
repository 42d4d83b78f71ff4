//! Tests of datagrams that the kernel does not take, and of the longest transfers that are copied.

use super::engine_tests::*;
use crate::conduit::udp::held::Went;
use crate::conduit::udp::send::COPIED;
use crate::conduit::udp::terms::Taken;
use crate::defs::rank::JobRank;
use crate::mem::{RemoteAddr, Src};

#[test]
fn datagrams_without_room_in_the_socket_go_as_soon_as_there_is_some() {
    let mut pair = Pair::with(|config| (config.mtu_first, config.mtu_most) = (1400, 1400));
    let payload = vec![5; 8000];
    request(&mut pair.engines[0], 1, &payload).expect("room");
    let mut refused = 0;
    let went = pair.engines[0].transmit(pair.now, &mut |datagrams| {
        refused += datagrams.count();
        Went::NotNow
    });
    assert!(went == Went::NotNow && refused > 0);
    // No time passes, so no timer sends them.
    while pair.carry(0) > 0 {}
    assert_eq!(pair.desks[1].ams.len(), 1);
    assert_eq!(pair.desks[1].ams[0].1[4..], payload);
}

#[test]
fn datagrams_that_are_too_large_for_the_path_go_in_fragments_and_later_ones_are_smaller() {
    const PATH: usize = 1500;
    let mut pair = Pair::with(|config| (config.mtu_first, config.mtu_most) = (9000, 9000));
    let payload = vec![6; 8000];
    let mut sizes = Vec::new();
    for turn in 0..2 {
        request(&mut pair.engines[0], 1, &payload).expect("room");
        for _ in 0..20 {
            let mut all = Vec::new();
            pair.engines[0].transmit(pair.now, &mut |datagrams| {
                if datagrams.segment > PATH && !datagrams.may_fragment {
                    return Went::TooLarge;
                }
                datagrams.each(|bytes| all.push((bytes.to_vec(), datagrams.may_fragment)));
                Went::Out
            });
            for (mut bytes, may_fragment) in all {
                sizes.push((turn, bytes.len(), may_fragment));
                pair.engines[1].on_datagram(pair.now, address(1), &mut bytes, &mut pair.desks[1]).expect("accepted");
            }
        }
        assert_eq!(pair.desks[1].ams.len(), turn + 1, "no time has passed");
        assert_eq!(pair.desks[1].ams[turn].1[4..], payload);
        pair.engines[1].acknowledge();
        pair.carry(1);
    }
    assert!(sizes.iter().any(|&(turn, bytes, fragments)| turn == 0 && bytes > PATH && fragments), "{sizes:?}");
    assert!(sizes.iter().all(|&(turn, bytes, _)| turn == 0 || bytes <= PATH), "{sizes:?}");
}

#[test]
fn puts_of_up_to_a_limit_are_copied_at_once() {
    let mut pair = Pair::with(|_| {});
    let bytes = vec![7; COPIED + 1];
    let mut put = |len, op| pair.engines[0].put(JobRank(1), RemoteAddr(0), Src::of(&bytes[..len]), true, op);
    assert_eq!((put(COPIED, 1), put(COPIED + 1, 2)), (Ok(Taken::Copied), Ok(Taken::Held)));
    pair.settle();
    assert_eq!((pair.desks[0].done.len(), &pair.desks[1].memory[..=COPIED]), (2, &bytes[..]));
}
