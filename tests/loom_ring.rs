//! The ring under loom: every interleaving (up to a bound of preemptions) of few producers and consumers around the
//! wrap of a small ring. The file under test is compiled here a second time, over loom's atomics.
#![allow(dead_code)]

mod sync {
    pub mod atomic {
        pub use loom::sync::atomic::{AtomicU64, Ordering};
    }
    pub use crate::padded_file as padded;
}
#[path = "../src/os"]
mod os {
    // The ring uses its hints only.
    #[allow(unused_imports)]
    pub mod cpu;
}
#[path = "../src/nbrhd/intake.rs"]
mod intake;
#[path = "../src/sync/padded.rs"]
pub mod padded_file;
#[path = "../src/nbrhd/ring.rs"]
mod ring;

use loom::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use loom::thread;
use ring::{BODY_BYTES, Intent, MAX_SLOTS, Producer, Ring, RingHead, RingWords, TakenBatch};
use std::sync::{Arc, Mutex};

const SLOTS: usize = 2 * MAX_SLOTS.next_power_of_two();
const WORDS: usize = 8 * SLOTS;

/// A ring whose next message is at `position`, with its memory.
struct Model {
    words: Box<RingWords>,
    cells: Box<[AtomicU64]>,
    /// One a producer.
    intents: [Intent; 4],
}

impl Model {
    fn new(position: u64) -> Arc<Model> {
        Arc::new(Model {
            words: Box::new(RingWords::starting_at(position)),
            cells: (0..WORDS).map(|_| AtomicU64::new(0)).collect(),
            intents: Default::default(),
        })
    }

    fn ring(&self) -> Ring {
        // SAFETY: the model outlives every thread that uses the ring; cells are zeroed.
        unsafe { Ring::at(&*self.words, self.cells.as_ptr(), SLOTS, 1) }
    }
}

fn length(head: RingHead, _: u64) -> usize {
    usize::from(head.kind_args) * BODY_BYTES - BODY_BYTES + 8
}

fn send(memory: &Model, from: u16, slots: u8) {
    let ring = memory.ring();
    let room = AtomicU64::new(START);
    let intent = Producer::Announced(&memory.intents[usize::from(from)]);
    let at = ring.claim(u64::from(slots), &room, intent).expect("there is room");
    let mut body = vec![0; length(RingHead { handler: 0, kind_args: slots, from }, 0)];
    let end = body.len() - 8;
    body[..8].copy_from_slice(&u64::from(from).to_ne_bytes());
    body[end..].copy_from_slice(&(u64::from(from) * 7 + 1).to_ne_bytes());
    ring.fill(at, RingHead { handler: 9, kind_args: slots, from }, &body);
}

/// Two slots before the wrap.
const START: u64 = SLOTS as u64 - 2;

fn receive(ring: &Ring, serial: bool, got: &Mutex<Vec<u16>>) {
    let mut batch = TakenBatch::empty();
    let count = ring.take(&mut batch, serial, length);
    for index in 0..count {
        let (head, body) = batch.message(index);
        let bytes = length(head, 0);
        // SAFETY: `take` has filled as many bytes as `length` says.
        let (first, last) = unsafe { (body.0[0].assume_init(), body.0[bytes / 8 - 1].assume_init()) };
        let from = head.from;
        if bytes > 8 {
            assert_eq!(first, u64::from(from));
        }
        assert_eq!(last, u64::from(from) * 7 + 1);
        got.lock().unwrap().push(from);
    }
}

fn explore(producers: &'static [u8], consumers: usize) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(move || {
        let memory = Model::new(START);
        let got = Arc::new(Mutex::new(Vec::new()));
        let mut threads = Vec::new();
        for (from, slots) in producers.iter().enumerate() {
            let memory = memory.clone();
            threads.push(thread::spawn(move || send(&memory, from as u16 + 1, *slots)));
        }
        // The first thread only starts and ends the others: loom does not preempt it before its first access.
        for _ in 0..consumers {
            let (memory, got) = (memory.clone(), got.clone());
            threads.push(thread::spawn(move || receive(&memory.ring(), consumers == 1, &got)));
        }
        for thread in threads {
            thread.join().unwrap();
        }
        receive(&memory.ring(), consumers == 1, &got);
        let mut got = got.lock().unwrap().clone();
        got.sort_unstable();
        assert_eq!(got, (1..=producers.len() as u16).collect::<Vec<_>>());
    });
}

#[test]
fn two_producers_and_one_consumer_pass_every_message_whole_and_once_over_the_wrap() {
    explore(&[1, 3], 1);
}

#[test]
fn two_consumers_never_both_take_a_message() {
    explore(&[2], 2);
}

#[test]
fn two_producers_and_two_consumers_lose_nothing() {
    explore(&[1, 1], 2);
}

#[test]
fn polls_of_two_consumers_overlook_no_message() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(|| {
        let memory = Model::new(START);
        let intake = Arc::new(intake::Intake::new(memory.ring()));
        let poll = |intake: &intake::Intake| match intake.ready() {
            true => intake.take(&mut TakenBatch::empty(), false, length),
            false => 0,
        };
        let producer = {
            let memory = memory.clone();
            thread::spawn(move || {
                send(&memory, 1, 1);
                send(&memory, 1, 2);
            })
        };
        let consumers = [(); 2].map(|()| {
            let intake = intake.clone();
            thread::spawn(move || poll(&intake))
        });
        producer.join().unwrap();
        let mut got: usize = consumers.into_iter().map(|consumer| consumer.join().unwrap()).sum();
        // An old mark may cost one poll in vain.
        for _ in 0..3 {
            got += poll(&intake);
        }
        assert_eq!(got, 2);
        assert!(!intake.ready(), "the mark is up to date");
    });
}

#[test]
fn a_producer_that_saw_room_overwrites_nothing_unread() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(|| {
        let memory = Model::new(0);
        let ring = memory.ring();
        let room = AtomicU64::new(0);
        for number in 0..SLOTS as u16 {
            let at = ring.claim(1, &room, Producer::Sole).expect("there is room");
            ring.fill(
                at,
                RingHead { handler: 1, kind_args: 1, from: number },
                &u64::from(number * 7 + 1).to_ne_bytes(),
            );
        }
        let consumer = {
            let memory = memory.clone();
            thread::spawn(move || {
                let mut batch = TakenBatch::empty();
                let count = memory.ring().take(&mut batch, true, length);
                for index in 0..count {
                    // SAFETY: `take` fills the first word.
                    assert_eq!(unsafe { batch.message(index).1.0[0].assume_init() }, index as u64 * 7 + 1);
                }
            })
        };
        if let Some(at) = ring.claim(1, &room, Producer::Sole) {
            ring.fill(at, RingHead { handler: 1, kind_args: 1, from: 99 }, &700u64.to_ne_bytes());
        }
        consumer.join().unwrap();
    });
}

/// Non-atomic data of a slot: the consumer reads it while it copies the slot's message, a producer writes it once it has
/// claimed the slot. Loom fails if the two accesses are not ordered.
struct Slots([loom::cell::UnsafeCell<u64>; SLOTS]);

// SAFETY: loom checks what this promises.
unsafe impl Send for Slots {}
// SAFETY: as above.
unsafe impl Sync for Slots {}

impl Slots {
    fn write(&self, position: u64) {
        // SAFETY: loom ends the model where another thread is at this cell.
        self.0[position as usize % SLOTS].with_mut(|cell| unsafe { *cell = position });
    }

    fn read(&self, position: u64) {
        // SAFETY: as in `write`.
        self.0[position as usize % SLOTS].with(|cell| assert_eq!(unsafe { *cell }, position));
    }
}

#[test]
fn threads_that_share_a_cached_room_overwrite_only_slots_that_were_read() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(|| {
        let memory = Model::new(0);
        let room = Arc::new(AtomicU64::new(0));
        let slots = Arc::new(Slots(std::array::from_fn(|_| loom::cell::UnsafeCell::new(0))));
        let send = |memory: &Model, intent: usize, room: &AtomicU64, slots: &Slots| {
            let Some(at) = memory.ring().claim(1, room, Producer::Announced(&memory.intents[intent])) else { return };
            slots.write(at);
            let head = RingHead { handler: 1, kind_args: 1, from: (at % SLOTS as u64) as u16 };
            memory.ring().fill(at, head, &at.to_ne_bytes());
        };
        for _ in 0..SLOTS {
            send(&memory, 0, &room, &slots);
        }
        let consumer = {
            let (memory, slots) = (memory.clone(), slots.clone());
            let read = move |_: RingHead, position: u64| {
                slots.read(position);
                size_of::<u64>()
            };
            thread::spawn(move || assert_ne!(memory.ring().take(&mut TakenBatch::empty(), true, read), 0))
        };
        let producers = [1, 2].map(|intent| {
            let (memory, room, slots) = (memory.clone(), room.clone(), slots.clone());
            thread::spawn(move || send(&memory, intent, &room, &slots))
        });
        consumer.join().unwrap();
        producers.into_iter().for_each(|producer| producer.join().unwrap());
    });
}

/// The replacement of a message that will not arrive: no sender has rank 0.
const VOID: RingHead = RingHead { handler: 0, kind_args: 1, from: 0 };

/// Takes all messages; returns the senders, without those of void messages.
fn senders(ring: &Ring, serial: bool) -> Vec<u16> {
    let mut batch = TakenBatch::empty();
    let count = ring.take(&mut batch, serial, |head, first| if head == VOID { 0 } else { length(head, first) });
    (0..count).map(|index| batch.message(index).0.from).filter(|&from| from != 0).collect()
}

/// Producers 1, each of whose messages has `slots`, and 2 live; 3 claims `dead` slots and dies before it publishes them. The
/// consumer, once it knows of the death, fills these slots.
fn explore_a_death(living: &'static [u8], dead: u64, serial: bool) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(move || {
        let memory = Model::new(START);
        let is_dead = Arc::new(AtomicBool::new(false));
        let got = Arc::new(Mutex::new(Vec::new()));
        let mut threads = Vec::new();
        let (victim, died) = (memory.clone(), is_dead.clone());
        threads.push(thread::spawn(move || {
            let room = AtomicU64::new(START);
            victim.ring().claim(dead, &room, Producer::Announced(&victim.intents[3])).expect("there is room");
            died.store(true, Ordering::Release);
        }));
        for (index, &slots) in living.iter().enumerate() {
            let memory = memory.clone();
            threads.push(thread::spawn(move || send(&memory, index as u16 + 1, slots)));
        }
        let (consumer, known, taken) = (memory.clone(), is_dead.clone(), got.clone());
        threads.push(thread::spawn(move || {
            if known.load(Ordering::Acquire) {
                consumer.ring().retire(VOID, consumer.intents[..3].iter());
            }
            taken.lock().unwrap().extend(senders(&consumer.ring(), serial));
        }));
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        let ring = memory.ring();
        let mut got = got.lock().unwrap().clone();
        while ring.taken() != ring.claimed() {
            // Completed intents of living producers do not prevent that.
            let filled = ring.retire(VOID, memory.intents[..3].iter());
            let came = senders(&ring, serial);
            assert!(filled != 0 || !came.is_empty() || ring.taken() == ring.claimed(), "the ring is stuck");
            got.extend(came);
        }
        got.sort_unstable();
        assert_eq!(got, (1..=living.len() as u16).collect::<Vec<_>>());
    });
}

#[test]
fn what_a_dead_producer_claimed_holds_up_nobody_and_costs_no_message() {
    explore_a_death(&[1], 1, true);
}

#[test]
fn a_dead_producers_slots_of_the_last_lap_are_filled_over_the_wrap() {
    explore_a_death(&[2], 3, true);
}

#[test]
fn consumers_of_two_threads_take_what_comes_after_the_dead_once() {
    explore_a_death(&[1], 2, false);
}

#[test]
fn a_living_producer_whose_intent_has_moved_on_loses_nothing() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let memory = Model::new(START);
        let room = AtomicU64::new(START);
        memory.ring().claim(1, &room, Producer::Announced(&memory.intents[3])).expect("there is room");
        let producer = {
            let memory = memory.clone();
            thread::spawn(move || [1, 1].iter().for_each(|&slots| send(&memory, 1, slots)))
        };
        let consumer = {
            let memory = memory.clone();
            thread::spawn(move || {
                memory.ring().retire(VOID, memory.intents[..3].iter());
                senders(&memory.ring(), true)
            })
        };
        let mut got = consumer.join().unwrap();
        producer.join().unwrap();
        let ring = memory.ring();
        while ring.taken() != ring.claimed() {
            let filled = ring.retire(VOID, memory.intents[..3].iter());
            let came = senders(&ring, true);
            assert!(filled != 0 || !came.is_empty() || ring.taken() == ring.claimed(), "the ring is stuck");
            got.extend(came);
        }
        assert_eq!(got, [1, 1]);
    });
}
