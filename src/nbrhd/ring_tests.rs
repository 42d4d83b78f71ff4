//! The ring with real threads; tests/loom_ring.rs explores its interleavings.
#![allow(unsafe_code)]

use super::ring::*;
use crate::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

const SLOTS: usize = 16;

pub(crate) fn ring() -> Ring {
    // Leaked: rings live as long as the process.
    let words = Box::leak(Box::new(RingWords::starting_at(0)));
    let cells: Vec<AtomicU64> = (0..Ring::slots_bytes(SLOTS) / 8).map(|_| AtomicU64::new(0)).collect();
    // SAFETY: zeroed, aligned, never freed.
    unsafe { Ring::at(words, cells.leak().as_ptr(), SLOTS, 1) }
}

/// Test messages: `kind_args` is the number of slots, all full.
fn length(head: RingHead, _: u64) -> usize {
    usize::from(head.kind_args) * BODY_BYTES
}

fn body_of(head: RingHead, body: &Body) -> Vec<u8> {
    let words = usize::from(head.kind_args) * BODY_BYTES / 8;
    // SAFETY: `take` has filled as many words as `length` said.
    body.0[..words].iter().flat_map(|word| unsafe { word.assume_init() }.to_ne_bytes()).collect()
}

/// Takes the one message that is there; returns its head and its body.
pub(crate) fn take_one(ring: &Ring, length_of: fn(RingHead, u64) -> usize) -> (RingHead, Vec<u8>) {
    let mut batch = TakenBatch::empty();
    assert_eq!(ring.take(&mut batch, true, length_of), 1);
    let (head, body) = batch.message(0);
    // SAFETY: `take` fills the first word, and as many as `length_of` says.
    let word = |at: usize| unsafe { body.0[at].assume_init() };
    let length = length_of(head, word(0));
    let bytes: Vec<u8> = (0..length.div_ceil(8)).flat_map(|at| word(at).to_ne_bytes()).collect();
    (head, bytes[..length].to_vec())
}

fn noise(seed: u64, len: usize) -> Vec<u8> {
    let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    (0..len)
        .map(|_| {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            x as u8
        })
        .collect()
}

#[test]
fn a_full_ring_refuses_and_loses_nothing() {
    let ring = ring();
    let room = AtomicU64::new(0);
    let intent = Intent::default();
    let mut sent = 0;
    assert!(!ring.stirred());
    while let Some(at) = ring.claim(1, &room, Producer::Announced(&intent)) {
        ring.fill(at, RingHead { handler: sent, kind_args: 1, from: 0 }, &[sent]);
        sent += 1;
    }
    assert_eq!(usize::from(sent), SLOTS);
    assert!(ring.stirred());
    let mut taken = TakenBatch::empty();
    let mut expected = 0;
    loop {
        let count = ring.take(&mut taken, true, length);
        if count == 0 {
            break;
        }
        for index in 0..count {
            let (head, body) = taken.message(index);
            assert_eq!((head.handler, body_of(head, body)[0]), (expected, expected));
            expected += 1;
        }
    }
    assert_eq!(expected, sent);
    assert!(ring.claim(MAX_SLOTS as u64, &room, Producer::Sole).is_some());
}

#[test]
fn every_message_arrives_whole_and_once_from_many_producers_to_many_consumers() {
    const PRODUCERS: u16 = 3;
    const EACH: u64 = 20_000;
    let ring = ring();
    let got = Arc::new(Mutex::new(vec![0u8; usize::from(PRODUCERS) * EACH as usize]));
    let left = Arc::new(AtomicU64::new(u64::from(PRODUCERS) * EACH));
    std::thread::scope(|scope| {
        for from in 0..PRODUCERS {
            scope.spawn(move || {
                let (room, intent) = (AtomicU64::new(0), Intent::default());
                for number in 0..EACH {
                    let need = 1 + (number + u64::from(from)) % MAX_SLOTS as u64;
                    let at = loop {
                        match ring.claim(need, &room, Producer::Announced(&intent)) {
                            Some(at) => break at,
                            None => std::thread::yield_now(),
                        }
                    };
                    let mut bytes = number.to_ne_bytes().to_vec();
                    bytes.extend(noise(number ^ u64::from(from) << 32, need as usize * BODY_BYTES - 8));
                    ring.fill(at, RingHead { handler: 1, kind_args: need as u8, from }, &bytes);
                }
            });
        }
        for _ in 0..2 {
            let (got, left) = (got.clone(), left.clone());
            scope.spawn(move || {
                let mut taken = TakenBatch::empty();
                while left.load(Ordering::Relaxed) != 0 {
                    let count = ring.take(&mut taken, false, length);
                    if count == 0 {
                        std::thread::yield_now();
                    }
                    for index in 0..count {
                        let (head, body) = taken.message(index);
                        let body = body_of(head, body);
                        let number = u64::from_ne_bytes(body[..8].try_into().unwrap());
                        let expected = noise(number ^ u64::from(head.from) << 32, body.len() - 8);
                        assert_eq!(body[8..], expected[..]);
                        let index = usize::from(head.from) * EACH as usize + number as usize;
                        got.lock().unwrap()[index] += 1;
                        left.fetch_sub(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    assert!(got.lock().unwrap().iter().all(|count| *count == 1));
}

const VOID: RingHead = RingHead { handler: 0, kind_args: 0, from: 9 };

fn take_all(ring: &Ring) -> Vec<RingHead> {
    let (mut batch, mut heads) = (TakenBatch::empty(), Vec::new());
    loop {
        let count = ring.take(&mut batch, true, length);
        if count == 0 {
            return heads;
        }
        heads.extend((0..count).map(|index| batch.message(index).0));
    }
}

fn message(from: u16) -> RingHead {
    RingHead { handler: 1, kind_args: 1, from }
}

#[test]
fn claims_of_the_dead_are_filled_up_to_the_first_of_the_living() {
    let (ring, room) = (ring(), AtomicU64::new(0));
    let [first, second, dead, stopped] = [(); 4].map(|()| Intent::default());
    let claim = |intent: &Intent, need| ring.claim(need, &room, Producer::Announced(intent)).unwrap();
    let send = |intent: &Intent, from| ring.fill(claim(intent, 1), message(from), &[from as u8; BODY_BYTES]);
    send(&first, 1);
    claim(&dead, 3);
    send(&second, 2);
    let late = claim(&stopped, 2);
    claim(&dead, 1);
    send(&first, 3);
    let living = || [&first, &second, &stopped].into_iter();
    // The consumer has not reached the slot.
    assert_eq!(ring.retire(VOID, living()), 0);
    assert_eq!(take_all(&ring), [message(1)]);
    assert_eq!(ring.retire(VOID, living()), 3);
    assert_eq!(take_all(&ring), [VOID, VOID, VOID, message(2)]);
    // A living producer may still write it.
    assert_eq!(ring.retire(VOID, living()), 0);
    ring.fill(late, RingHead { kind_args: 2, ..message(4) }, &[4; 2 * BODY_BYTES]);
    assert_eq!(take_all(&ring), [RingHead { kind_args: 2, ..message(4) }]);
    assert_eq!(ring.retire(VOID, living()), 1);
    assert_eq!(take_all(&ring), [VOID, message(3)]);
    assert_eq!(ring.taken(), ring.claimed());
    assert_eq!(ring.retire(VOID, living()), 0);
}

#[test]
fn a_living_producer_that_lost_a_race_and_found_no_room_holds_up_nothing() {
    let (ring, room) = (ring(), AtomicU64::new(0));
    let [loser, dead] = [(); 2].map(|()| Intent::default());
    assert_eq!(ring.claim(1, &room, Producer::Announced(&loser)), Some(0));
    ring.fill(0, message(1), &[1; BODY_BYTES]);
    assert_eq!(take_all(&ring), [message(1)]);
    while ring.claim(1, &room, Producer::Announced(&dead)).is_some() {}
    // As if it had read the tail before the dead producer claimed that slot.
    loser.announce(&ring, ring.taken());
    assert_eq!(ring.retire(VOID, [&loser].into_iter()), 0);
    assert_eq!(ring.claim(1, &room, Producer::Announced(&loser)), None);
    assert_eq!(ring.retire(VOID, [&loser].into_iter()), ring.claimed() - ring.taken());
}

#[test]
fn an_abandoned_ring_takes_any_number_of_messages() {
    let (ring, room, intent) = (ring(), AtomicU64::new(0), Intent::default());
    while ring.claim(MAX_SLOTS as u64, &room, Producer::Announced(&intent)).is_some() {}
    ring.abandon();
    for from in 0..4 * SLOTS as u16 {
        let at = ring.claim(1, &room, Producer::Announced(&intent)).unwrap();
        ring.fill(at, message(from), &[0; BODY_BYTES]);
    }
}

#[test]
fn intents_of_another_ring_do_not_count() {
    let words = Box::leak(Box::new(RingWords::starting_at(0)));
    let cells: Vec<AtomicU64> = (0..Ring::slots_bytes(SLOTS) / 8).map(|_| AtomicU64::new(0)).collect();
    // SAFETY: zeroed, aligned, never freed.
    let other = unsafe { Ring::at(words, cells.leak().as_ptr(), SLOTS, 2) };
    let (ring, room) = (ring(), AtomicU64::new(0));
    let [living, dead] = [(); 2].map(|()| Intent::default());
    assert_eq!(other.claim(1, &AtomicU64::new(0), Producer::Announced(&living)), Some(0));
    for at in 0..2 * SLOTS as u64 {
        assert_eq!(ring.claim(1, &room, Producer::Announced(&dead)), Some(at));
        assert_eq!(ring.retire(VOID, [&living].into_iter()), 1);
        assert_eq!(take_all(&ring), [VOID]);
    }
}
