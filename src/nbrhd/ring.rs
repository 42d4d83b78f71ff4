//! The message ring: many producers in any process of the host, any number of consumer threads in one.
//!
//! Bounded MPMC queue after Vyukov, in 64-byte slots, with one change: a slot's `turn` says which lap filled it,
//! and consumers never write slots, so a message that fits one line costs one line transfer. Room is known from
//! `head`, which producers read only when their cached copy says the ring looks full.
//!
//! Invariants
//! - `head <= tail <= head + slots`; both only grow. Slot `p % slots` belongs to position `p`.
//! - The first slot of a message at `p` is filled when its turn equals `p / slots + 1`; turns of continuation
//!   slots are never written, so they always hold an older lap.
//! - Between claiming `p` and storing its turn only the claiming producer touches the message's slots.
//!
//! # Safety
//! A `Ring` is a view of memory that nbrhd laid out, zeroed, and keeps mapped for the job's life. Slots are read
//! and written by raw copies only, so a torn read by a consumer that then loses the race for `head` is discarded.
#![allow(unsafe_code)]

use core::mem::MaybeUninit;

use crate::sync::atomic::{AtomicU64, Ordering};
use crate::sync::padded::Padded;

pub const SLOT_BYTES: usize = 64;
/// Bytes of a slot after its 8-byte head.
pub const BODY_BYTES: usize = SLOT_BYTES - 8;
/// The longest message, in slots.
pub const MAX_SLOTS: usize = 6;
/// How far ahead a producer asks for slots: measured, 2 to 4 halve the time of a message, 8 does not.
const OWN_AHEAD: u64 = 3;
/// Most messages taken at once: their lines are fetched together, and `head` moves once.
pub const BATCH: usize = 8;
/// Bytes of the longest body.
pub const MAX_BODY: usize = MAX_SLOTS * BODY_BYTES;

/// The shared words of a ring; slots follow directly.
#[repr(C)]
pub struct RingWords {
    /// Next position to claim.
    tail: Padded<AtomicU64>,
    /// Next position to consume.
    head: Padded<AtomicU64>,
}

/// What travels in the 4 bytes after the turn.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Head {
    pub handler: u8,
    /// Kind in the low 3 bits, number of arguments above.
    pub kind_args: u8,
    /// Sender's rank in the nbrhd.
    pub from: u16,
}

impl Head {
    fn word(self) -> u32 {
        u32::from(self.handler) | u32::from(self.kind_args) << 8 | u32::from(self.from) << 16
    }

    fn from_word(word: u32) -> Head {
        Head { handler: word as u8, kind_args: (word >> 8) as u8, from: (word >> 16) as u16 }
    }
}

/// A producer's or consumer's view of one ring.
#[derive(Clone, Copy)]
pub struct Ring {
    words: *const RingWords,
    slots: *mut u8,
    /// Number of slots, a power of two.
    count: u64,
    shift: u32,
}

// SAFETY: all shared words are atomics; slots are handed from claimer to consumer by the turn protocol above.
unsafe impl Send for Ring {}
// SAFETY: as for Send.
unsafe impl Sync for Ring {}

/// A message taken out of a ring.
#[repr(C, align(64))]
pub struct Taken {
    pub body: [u8; MAX_BODY],
    pub head: Head,
}

impl Ring {
    /// Bytes of the shared words, kept apart from the slots: all words that an idle rank looks at lie on one page.
    pub const WORDS_BYTES: usize = size_of::<RingWords>();

    /// Bytes of `count` slots.
    pub const fn slots_bytes(count: usize) -> usize {
        count * SLOT_BYTES
    }

    /// # Safety
    /// `words` is 128-byte aligned, `slots` 64-byte aligned; both are zeroed before first use, and WORDS_BYTES and
    /// `slots_bytes(count)` bytes from them stay mapped for the job's life in this process. `count` is a power of
    /// two, at least 2 * MAX_SLOTS.
    pub unsafe fn at(words: *mut u8, slots: *mut u8, count: usize) -> Ring {
        assert!(count.is_power_of_two() && count >= 2 * MAX_SLOTS);
        Ring { words: words.cast(), slots, count: count as u64, shift: count.trailing_zeros() }
    }

    #[inline]
    fn words(&self) -> &RingWords {
        // SAFETY: `at`'s caller keeps the words mapped; they are atomics, so shared references are sound.
        unsafe { &*self.words }
    }

    #[inline]
    fn slot(&self, position: u64) -> *mut u8 {
        self.slots.wrapping_add((position & (self.count - 1)) as usize * SLOT_BYTES)
    }

    #[inline]
    fn turn_word(&self, position: u64) -> &AtomicU64 {
        // SAFETY: slots are 64-byte aligned (`at`), their first 8 bytes are only ever used as this atomic.
        unsafe { &*self.slot(position).cast::<AtomicU64>() }
    }

    #[inline]
    fn turn(&self, position: u64) -> u32 {
        ((position >> self.shift) as u32).wrapping_add(1)
    }

    /// Claims `need` slots, or None when the ring is full. `room` caches `head`; `alone` says that this thread
    /// is the ring's only producer.
    #[inline]
    pub fn claim(&self, need: u64, room: &AtomicU64, alone: bool) -> Option<u64> {
        let tail = &self.words().tail;
        let mut at = tail.load(Ordering::Relaxed);
        loop {
            if (at + need).saturating_sub(room.load(Ordering::Relaxed)) > self.count {
                // Acquire: with the Release in `take`; the consumer is done with the slots it gave back.
                let head = self.words().head.load(Ordering::Acquire);
                // Full until a quarter is free: reading `head` costs a line transfer, too dear for every message.
                if (at + need).saturating_sub(head) > self.count - self.count / 4 {
                    return None;
                }
                room.store(head, Ordering::Relaxed);
            }
            if alone {
                tail.store(at + need, Ordering::Relaxed);
                self.own(at + need + OWN_AHEAD);
                return Some(at);
            }
            match tail.compare_exchange_weak(at, at + need, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => {
                    self.own(at + need + OWN_AHEAD);
                    return Some(at);
                }
                Err(now) => at = now,
            }
        }
    }

    /// Writes `words` into the one slot claimed at `at` and publishes the message.
    #[inline]
    pub fn fill_words(&self, at: u64, head: Head, words: &[i32]) {
        debug_assert!(size_of_val(words) <= BODY_BYTES);
        let body = self.slot(at).wrapping_add(8).cast::<i32>();
        for (index, word) in words.iter().take(BODY_BYTES / 4).enumerate() {
            // SAFETY: the slot is ours between claim and publish; `index` is within its body (take).
            unsafe { body.add(index).write(*word) };
        }
        self.publish(at, head);
    }

    /// Writes `body` into the slots claimed at `at` and publishes the message.
    #[inline]
    pub fn fill(&self, at: u64, head: Head, body: &[u8]) {
        debug_assert!(body.len() <= MAX_BODY);
        for (index, piece) in body.chunks(BODY_BYTES).enumerate() {
            let slot = self.slot(at + index as u64);
            // SAFETY: the slot is ours between claim and publish; a piece is no longer than a body.
            unsafe { core::ptr::copy_nonoverlapping(piece.as_ptr(), slot.add(8), piece.len()) };
        }
        self.publish(at, head);
    }

    #[inline]
    fn publish(&self, at: u64, head: Head) {
        let word = u64::from(self.turn(at)) | u64::from(head.word()) << 32;
        // Release: with the Acquire in `take`, the consumer that sees this turn sees the body.
        self.turn_word(at).store(word, Ordering::Release);
    }

    /// A consumer looks here first: true when the next message is complete.
    #[inline]
    pub fn ready(&self) -> bool {
        let head = self.words().head.load(Ordering::Relaxed);
        self.turn_word(head).load(Ordering::Relaxed) as u32 == self.turn(head)
    }

    /// Something was claimed since the last message taken. Cheaper than `ready` for a rank that has just been
    /// scheduled among many: it touches no slot. Dearer for producers, whose word it reads.
    #[inline]
    pub fn stirred(&self) -> bool {
        let words = self.words();
        words.tail.load(Ordering::Relaxed) != words.head.load(Ordering::Relaxed)
    }

    /// Takes up to a batch of messages into the start of `out`; returns how many. `slots_of` tells from a message's
    /// head and first body bytes how many slots it has. `serial`: no other thread consumes.
    #[inline]
    pub fn take(
        &self,
        out: &mut [MaybeUninit<Taken>; BATCH],
        serial: bool,
        slots_of: impl Fn(Head, &[u8]) -> usize,
    ) -> usize {
        let shared_head = &self.words().head;
        loop {
            let at = shared_head.load(Ordering::Relaxed);
            let mut next = at;
            let mut taken = 0;
            while taken < BATCH {
                // Acquire: with the Release in `publish`.
                let word = self.turn_word(next).load(Ordering::Acquire);
                if word as u32 != self.turn(next) {
                    break;
                }
                next += self.copy_message(next, word, &mut out[taken], &slots_of);
                taken += 1;
            }
            if taken == 0 {
                return 0;
            }
            if serial {
                // Release: with the Acquire in `claim`; our copies are done before the slots are reused.
                shared_head.store(next, Ordering::Release);
            } else if shared_head.compare_exchange(at, next, Ordering::AcqRel, Ordering::Relaxed).is_err() {
                continue; // another thread took them; what we copied may be torn and is dropped
            }
            return taken;
        }
    }

    /// Copies the message at `position`, whose first word is `word`; returns how many slots it has.
    #[inline]
    fn copy_message(
        &self,
        position: u64,
        word: u64,
        out: &mut MaybeUninit<Taken>,
        slots_of: &impl Fn(Head, &[u8]) -> usize,
    ) -> u64 {
        let body = out.as_mut_ptr().cast::<u8>();
        let head = Head::from_word((word >> 32) as u32);
        self.copy_out(position, 0, body);
        // SAFETY: `copy_out` has just written these bytes of `out`.
        let first = unsafe { core::slice::from_raw_parts(body, BODY_BYTES) };
        let slots = slots_of(head, first).clamp(1, MAX_SLOTS);
        for index in 1..slots {
            self.copy_out(position + index as u64, index, body);
        }
        // SAFETY: `Taken` is bytes plus a `Head`, both valid for any bit pattern; the bytes that the message has
        // were written above, readers stay within them.
        unsafe { out.assume_init_mut() }.head = head;
        slots as u64
    }

    #[inline]
    fn copy_out(&self, position: u64, index: usize, body: *mut u8) {
        // SAFETY: the slot is mapped (`at`) and `body` has MAX_BODY bytes, index < MAX_SLOTS. A producer may be
        // writing the slot only when we are about to lose the race for `head`, and then the copy is dropped.
        unsafe {
            core::ptr::copy_nonoverlapping(self.slot(position).add(8), body.add(index * BODY_BYTES), BODY_BYTES);
        }
    }

    /// Asks for the line of the slot `ahead` of the next message, while handlers run.
    #[inline]
    pub fn prefetch(&self, ahead: u64) {
        #[cfg(target_arch = "x86_64")]
        {
            let at = self.words().head.load(Ordering::Relaxed) + ahead;
            // SAFETY: prefetch never faults and changes no state.
            unsafe { core::arch::x86_64::_mm_prefetch(self.slot(at).cast(), core::arch::x86_64::_MM_HINT_T0) };
        }
    }

    /// Asks for a slot's line to write it: the consumer had it, and a store buffer holds too few messages to hide
    /// the way there and back.
    #[inline]
    fn own(&self, position: u64) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: prefetch never faults and changes no state. `_mm_prefetch` would want a target feature for this one.
        unsafe {
            core::arch::asm!("prefetchw [{}]", in(reg) self.slot(position), options(nostack, preserves_flags, readonly))
        };
    }

    /// Messages claimed and not yet taken, in slots; a hint.
    pub fn backlog(&self) -> u64 {
        let words = self.words();
        words.tail.load(Ordering::Relaxed).saturating_sub(words.head.load(Ordering::Relaxed))
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::Mutex;

    const SLOTS: usize = 16;

    #[repr(align(128))]
    struct Memory([u8; Ring::WORDS_BYTES + Ring::slots_bytes(SLOTS)]);

    fn ring() -> Ring {
        // Leaked: rings live as long as the process.
        let memory = Box::leak(Box::new(Memory([0; Ring::WORDS_BYTES + Ring::slots_bytes(SLOTS)])));
        let words = memory.0.as_mut_ptr();
        // SAFETY: zeroed, aligned, never freed.
        unsafe { Ring::at(words, words.add(Ring::WORDS_BYTES), SLOTS) }
    }

    /// Test messages: `kind_args` is the number of slots.
    fn slots(head: Head, _: &[u8]) -> usize {
        usize::from(head.kind_args)
    }

    fn body(seed: u64, len: usize) -> Vec<u8> {
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
        let mut sent = 0;
        while let Some(at) = ring.claim(1, &room, false) {
            ring.fill(at, Head { handler: sent, kind_args: 1, from: 0 }, &[sent]);
            sent += 1;
        }
        assert_eq!(usize::from(sent), SLOTS);
        let mut taken = [const { MaybeUninit::uninit() }; BATCH];
        let mut expected = 0;
        loop {
            let count = ring.take(&mut taken, true, slots);
            if count == 0 {
                break;
            }
            for message in &taken[..count] {
                // SAFETY: `take` has filled the first `count`.
                let message = unsafe { message.assume_init_ref() };
                assert_eq!((message.head.handler, message.body[0]), (expected, expected));
                expected += 1;
            }
        }
        assert_eq!(expected, sent);
        assert!(ring.claim(MAX_SLOTS as u64, &room, false).is_some());
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
                    let room = AtomicU64::new(0);
                    for number in 0..EACH {
                        let need = 1 + (number + u64::from(from)) % MAX_SLOTS as u64;
                        let at = loop {
                            match ring.claim(need, &room, false) {
                                Some(at) => break at,
                                None => std::thread::yield_now(),
                            }
                        };
                        let mut bytes = number.to_ne_bytes().to_vec();
                        bytes.extend(body(number ^ u64::from(from) << 32, need as usize * BODY_BYTES - 8));
                        ring.fill(at, Head { handler: 1, kind_args: need as u8, from }, &bytes);
                    }
                });
            }
            for _ in 0..2 {
                let (got, left) = (got.clone(), left.clone());
                scope.spawn(move || {
                    let mut taken = [const { MaybeUninit::<Taken>::uninit() }; BATCH];
                    let mut count = 0;
                    while left.load(Ordering::Relaxed) != 0 {
                        if count == 0 {
                            count = ring.take(&mut taken, false, slots);
                            if count == 0 {
                                std::thread::yield_now();
                                continue;
                            }
                        }
                        count -= 1;
                        // SAFETY: `take` has filled the first `count`.
                        let message = unsafe { taken[count].assume_init_ref() };
                        let number = u64::from_ne_bytes(message.body[..8].try_into().unwrap());
                        let len = usize::from(message.head.kind_args) * BODY_BYTES - 8;
                        let expected = body(number ^ u64::from(message.head.from) << 32, len);
                        assert_eq!(message.body[8..8 + len], expected[..]);
                        let index = usize::from(message.head.from) * EACH as usize + number as usize;
                        got.lock().unwrap()[index] += 1;
                        left.fetch_sub(1, Ordering::Relaxed);
                    }
                });
            }
        });
        assert!(got.lock().unwrap().iter().all(|count| *count == 1));
    }
}
