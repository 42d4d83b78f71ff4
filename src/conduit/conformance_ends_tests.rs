//! Conformance tests (see `conformance_tests.rs`) of the end of waits, of ranks that leave, and of the completions that
//! their peers get.

use std::time::{Duration, Instant};

use super::conformance_tests::{Rank, both, copy_of, message, pattern};
use super::{Completion, OpToken, Payload, Sent, Stop, Take, Traffic, shared};
use crate::mem::{self, RemoteAddr, Src};
use crate::os::sleep;

/// Longer than any step of these tests: a wait that lasts this long was not ended.
const NEVER: Duration = Duration::from_secs(60);

pub(crate) fn a_wait_ends_for_a_message_and_for_the_bell(a: &Rank, b: &Rank) {
    let bell = sleep::bell().unwrap();
    let waits = |rank: &Rank, until: &(dyn Fn() -> bool + Sync)| {
        let start = Instant::now();
        while !until() && start.elapsed() < NEVER {
            shared::wait(rank.conduit, bell, NEVER.as_nanos() as u64);
            rank.poll(Take::All);
        }
        assert!(start.elapsed() < NEVER, "nothing ended the wait");
    };
    shared::wait(b.conduit, bell, 1000);
    std::thread::scope(|scope| {
        scope.spawn(|| waits(b, &|| b.count(Traffic::Request) > 0));
        std::thread::sleep(Duration::from_millis(20));
        a.send_surely(b, &message(Traffic::Request, &[1], Payload::None));
        // Where messages are lost, only polls of the sender send them again.
        while b.count(Traffic::Request) == 0 {
            a.poll(Take::All);
        }
    });
    b.forget();
    // A bell that has rung ends a wait at once, though nothing arrives.
    sleep::ring_bell(bell, 1);
    let start = Instant::now();
    shared::wait(b.conduit, bell, NEVER.as_nanos() as u64);
    assert!(start.elapsed() < NEVER, "the bell did not end the wait");
}

/// `a` sends and then only waits; `b` alone polls. The first message may leave at once, those that follow it are batched.
/// Where messages are lost, some of the batched messages arrive.
pub(crate) fn what_is_held_back_leaves_before_a_sleep(a: &Rank, b: &Rank) {
    let bell = sleep::bell().unwrap();
    let start = Instant::now();
    let (mut number, mut came) = (0, false);
    while !came && start.elapsed() < NEVER {
        for _ in 0..3 {
            a.send_surely(b, &message(Traffic::Request, &[number], Payload::None));
            number += 1;
        }
        shared::wait(a.conduit, bell, 100_000);
        b.poll(Take::All);
        came = b.first_arguments().iter().any(|number| number % 3 != 0);
    }
    assert!(came, "{number} messages");
    // Waits for all messages, before the next test.
    while b.count(Traffic::Request) < number as usize {
        both(a, b);
    }
    b.forget();
}

/// Longer than a network takes to send a lost message again.
const SEEN_BY: Duration = Duration::from_secs(5);

/// `b` leaves while a put of its own is in flight, for which it waits. It may leave before it has seen an operation of `a`: where the network
/// loses messages, or where `a` is interrupted between its acknowledgement and that operation. The operation then fails when `a` is told that `b` is
/// gone. Returns whether all operations were served.
pub(crate) fn who_leaves_serves_its_peers_and_runs_no_handler(a: &Rank, b: &Rank) -> bool {
    let (put, get, late) = (OpToken(8), OpToken(16), OpToken(24));
    let (there, kept) = (pattern(1, 5000), pattern(2, 3000));
    mem::copy(b.segment().part(0, 3000), Src::of(&kept));
    assert_ne!(b.put(a, RemoteAddr(a.base().0), Src::of(&there), false, put), Sent::Retry);
    let place = mem::all_of(Box::leak(vec![0u64; 375].into_boxed_slice()));
    a.send_surely_alone(b, &message(Traffic::Request, &[1], Payload::None));
    assert_eq!(a.get(place, b, b.base(), get), Sent::Later);
    let at = RemoteAddr(b.base().0 + 4096);
    assert_ne!(a.put(b, at, Src::of(&kept), false, late), Sent::Retry);
    std::thread::scope(|scope| {
        let leaving = scope.spawn(|| b.conduit.stop(Stop::Within { ns: NEVER.as_nanos() as u64 }, b));
        // Continues to poll, as `b` waits until its answers have arrived.
        while !leaving.is_finished() {
            a.poll(Take::All);
        }
    });
    // The answers of `b` have left; no thread polls for `b` any more.
    let (left, mut is_told) = (Instant::now(), false);
    let arrived = |token| a.has(token, Completion::Remote);
    while [get, late].iter().any(|&token| !arrived(token) && !a.has(token, Completion::Failed)) {
        a.poll(Take::All);
        if !is_told && left.elapsed() > SEEN_BY {
            a.conduit.gone(b.me);
            is_told = true;
        }
    }
    assert!(is_told || arrived(get) && arrived(late), "an operation fails though nobody is gone");
    if arrived(get) {
        assert_eq!(copy_of(place.as_src()), kept);
    }
    if arrived(late) {
        assert_eq!(copy_of(b.segment().part(4096, 3000).as_src()), kept);
    }
    assert_eq!(copy_of(a.segment().part(0, 5000).as_src()), there, "what was sent before arrives");
    assert_eq!(b.count(Traffic::Request), 0, "a handler ran while its rank was leaving");
    a.conduit.stop(Stop::Now, a);
    !is_told
}

pub(crate) fn operations_on_a_rank_that_is_gone_fail(a: &Rank, b: &Rank) {
    let bytes = pattern(3, a.conduit.limits().copied.min(8192));
    let place = mem::all_of(Box::leak(vec![0u64; 64].into_boxed_slice()));
    // Some operations were complete, some are in flight: `b` does not poll any more.
    let (before, put, get) = (OpToken(32), OpToken(40), OpToken(48));
    assert_ne!(a.put(b, b.base(), Src::of(&bytes), true, before), Sent::Retry);
    while !a.has(before, Completion::Remote) {
        both(a, b);
    }
    assert_ne!(a.put(b, b.base(), Src::of(&bytes), true, put), Sent::Retry);
    assert_eq!(a.get(place, b, b.base(), get), Sent::Later);
    a.conduit.gone(b.me);
    for token in [put, get] {
        while !a.has(token, Completion::Failed) {
            a.poll(Take::All);
        }
    }
    // Everything sent to it is accepted; operations with a token fail.
    let (put, get) = (OpToken(56), OpToken(64));
    for _ in 0..10_000 {
        let sent = a.send(b, &message(Traffic::Request, &[1], Payload::Medium(Src::of(&bytes[..500]))));
        assert_eq!(sent, Sent::Done);
    }
    assert_ne!(a.put(b, b.base(), Src::of(&bytes), false, put), Sent::Retry);
    assert_eq!(a.get(place, b, b.base(), get), Sent::Later);
    for token in [put, get] {
        while !a.has(token, Completion::Failed) {
            a.poll(Take::All);
        }
    }
    for _ in 0..10 {
        both(a, b);
    }
    for token in [put, get, OpToken(40), OpToken(48)] {
        let told = a.completions(token);
        assert_eq!(told.iter().filter(|told| **told == Completion::Failed).count(), 1, "{told:?}");
        assert!(!told.contains(&Completion::Remote), "{told:?}");
    }
    assert!(!a.has(before, Completion::Failed));
}
