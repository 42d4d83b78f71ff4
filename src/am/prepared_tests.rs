//! Prepared messages between ranks that are in one process: where the payload is written, and how much there is room for.
//!
//! # Safety
//! Payloads are written to the memory that `place` names, while the message is prepared.
#![allow(unsafe_code)]

use super::rank_tests::{DATA, REPLY, REQUEST, at, header, noise, ranks, seen, short};
use crate::am::prepared::{self, Family, Parcel, Want};
use crate::defs::message::{Category, Immediate, Payload, Traffic};
use crate::mem::{self, Dst, Src};

fn want(traffic: Traffic, category: Category, to: u32, least: usize, most: usize) -> Want {
    Want {
        family: Family { traffic, category },
        from: 0,
        to: at(to),
        token: core::ptr::null(),
        client: core::ptr::null(),
        least,
        most,
        dest: 0,
        nargs: 2,
        tell: 0,
        immediate: Immediate::Yes,
    }
}

fn parcel(of: &Want, sd: usize, nbytes: usize, dest: usize) -> Parcel<'static> {
    Parcel { family: of.family, sd, handler: DATA, nbytes, dest, args: &[1, 2], immediate: Immediate::Yes }
}

#[test]
fn a_prepared_message_has_its_own_memory_until_it_is_committed() {
    let ranks = ranks(3, 64);
    let starts = ranks.attach(1 << 17);
    let (a, b) = (ranks.jobs[0], ranks.jobs[1]);
    for traffic in [REQUEST, REPLY] {
        for (category, to) in [(Category::Medium, 1), (Category::Medium, 0), (Category::Long, 1), (Category::Long, 0)] {
            for len in [0, 1, 100, 400, 1000, 3000, 65_536] {
                let of = Want { tell: 77, ..want(traffic, category, to, len, len) };
                let dest = if category == Category::Long { starts[to as usize] + 8 } else { 0 };
                assert!(!prepared::is_open());
                let sd = a.prepare("test", &of);
                assert!(sd != 0 && prepared::is_open() && prepared::destination("test", sd) == at(to));
                let (place, size) = prepared::place("test", sd);
                assert_eq!(size, len);
                // SAFETY: the memory of the prepared message.
                mem::copy(unsafe { Dst::new(place, size) }, Src::of(&noise(len)));
                assert!(seen().is_empty());
                assert_eq!(a.commit("test", &parcel(&of, sd, len, dest)), Some(77));
                assert!(!prepared::is_open());
                b.poll();
                let got = seen();
                assert!(got.len() == 1 && got[0].payload == noise(len) && got[0].request == (traffic == REQUEST));
                assert_eq!((got[0].category, got[0].args), (category, [1, 2]));
            }
        }
        assert_eq!(a.nbrhd.own().pool.in_use(), 0);
        // A client's own buffer, of which less is sent than was announced.
        let bytes = noise(3000);
        let of = Want { client: bytes.as_ptr().cast(), ..want(traffic, Category::Medium, 1, 3000, 3000) };
        let sd = a.prepare("test", &of);
        assert_eq!(prepared::place("test", sd), (bytes.as_ptr().cast_mut().cast(), 3000));
        assert!(a.commit("test", &parcel(&of, sd, 2500, 0)).is_some());
        b.poll();
        assert_eq!(seen()[0].payload, bytes[..2500]);
    }
    // Not more than the limit.
    let of = want(REQUEST, Category::Medium, 1, 100, 100_000);
    let sd = a.prepare("test", &of);
    assert_eq!(prepared::place("test", sd).1, 65_536);
    a.cancel("test", of.family, sd);
    assert!(!prepared::is_open() && a.nbrhd.own().pool.in_use() == 0);
}

#[test]
fn a_prepared_message_is_smaller_if_large_blocks_are_in_use() {
    let ranks = ranks(3, 256);
    let (a, b) = (ranks.jobs[0], ranks.jobs[1]);
    let fill = |len: usize| {
        let bytes = noise(len);
        let medium =
            || a.am_send_any(at(1), header(REQUEST, DATA, &[0, 0]), Payload::Medium(Src::of(&bytes)), Immediate::Yes);
        (0..999).take_while(|_| medium()).count()
    };
    assert_eq!((fill(8193), fill(1025)), (8, 32));
    let of = want(REQUEST, Category::Medium, 1, 600, 3000);
    let sd = a.prepare("test", &of);
    assert_eq!(prepared::place("test", sd).1, 1024);
    assert_eq!(a.commit("test", &parcel(&of, sd, 1024, 0)), Some(0));
    assert_eq!(a.prepare("test", &want(REQUEST, Category::Medium, 1, 1025, 3000)), 0, "none is large enough");
    // Replies have blocks of their own.
    let reply = want(REPLY, Category::Medium, 1, 1025, 3000);
    let sd = a.prepare("test", &reply);
    assert_eq!(prepared::place("test", sd).1, 3000);
    // The ring of replies is full: it stays prepared.
    while short(a, 1, REPLY, 0) {}
    assert!(a.commit("test", &parcel(&reply, sd, 10, 0)).is_none() && prepared::is_open());
    (0..2).for_each(|_| _ = b.poll_replies());
    assert!(a.commit("test", &parcel(&reply, sd, 10, 0)).is_some());
    while b.poll() != 0 {}
    assert_eq!(a.nbrhd.own().pool.in_use(), 0);
}
