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
//! - Between claiming `p` and storing its turn only the claiming producer writes the message's slots.
//! - A consumer that copied a message owns it only once it has moved `head`; the copy of one that loses that race
//!   may be torn (its words are atomics, so that is no undefined behaviour) and is dropped.
//!
//! # Safety
//! A `Ring` is a view of memory that nbrhd laid out, zeroed, and keeps mapped for the job's life; all of it is
//! reached as atomics.
#![allow(unsafe_code)]

use core::mem::MaybeUninit;

use crate::sync::atomic::{AtomicU64, Ordering};
use crate::sync::padded::Padded;

/// Words of a slot: its turn and head, then the body.
const SLOT_WORDS: usize = 8;
/// Words of a slot's body.
const BODY_WORDS: usize = SLOT_WORDS - 1;
/// Bytes of a slot's body.
pub const BODY_BYTES: usize = 8 * BODY_WORDS;
/// The longest message, in slots.
pub const MAX_SLOTS: usize = 6;
/// Most messages taken at once: their lines are fetched together, and `head` moves once.
pub const BATCH: usize = 8;
/// Bytes of the longest body.
pub const MAX_BODY: usize = MAX_SLOTS * BODY_BYTES;

/// How far ahead a producer asks for slots: measured, 2 to 4 halve the time of a message, 8 does not.
const OWN_AHEAD: u64 = 3;

/// The shared words of a ring.
#[repr(C)]
pub struct RingWords {
    /// Next position to claim.
    tail: Padded<AtomicU64>,
    /// Next position to consume.
    head: Padded<AtomicU64>,
}

impl RingWords {
    /// An empty ring whose first message is at `position`.
    pub fn starting_at(position: u64) -> RingWords {
        RingWords { tail: Padded(AtomicU64::new(position)), head: Padded(AtomicU64::new(position)) }
    }
}

/// What travels in the 4 bytes after the turn.
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
    cells: *const AtomicU64,
    /// Number of slots, a power of two.
    count: u64,
    shift: u32,
}

// SAFETY: everything behind the pointers is atomic; slots go from claimer to consumer by the turn protocol above.
unsafe impl Send for Ring {}
// SAFETY: as for Send.
unsafe impl Sync for Ring {}

/// A message's body: as many bytes as the message has, the rest is not initialised.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Body(pub [MaybeUninit<u64>; MAX_SLOTS * BODY_WORDS]);

/// Messages taken out of a ring together. Heads and bodies lie apart so that nothing but the heads needs an
/// initial value.
pub struct Batch {
    heads: [Head; BATCH],
    bodies: [Body; BATCH],
}

impl Batch {
    #[inline]
    pub fn empty() -> Batch {
        let head = Head { handler: 0, kind_args: 0, from: 0 };
        Batch { heads: [head; BATCH], bodies: [const { Body([MaybeUninit::uninit(); MAX_SLOTS * BODY_WORDS]) }; BATCH] }
    }

    /// The message at `index`, which is less than what [`Ring::take`] returned.
    #[inline]
    pub fn message(&mut self, index: usize) -> (Head, &mut Body) {
        (self.heads[index], &mut self.bodies[index])
    }
}

impl Ring {
    /// Bytes of the shared words, kept apart from the slots: all words that an idle rank looks at lie on one page.
    pub const WORDS_BYTES: usize = size_of::<RingWords>();

    /// Bytes of `count` slots.
    pub const fn slots_bytes(count: usize) -> usize {
        count * SLOT_WORDS * size_of::<AtomicU64>()
    }

    /// # Safety
    /// `words` and `slots_bytes(count)` bytes from `cells` are zeroed before first use and stay mapped for the job's
    /// life in this process. `count` is a power of two, at least 2 * MAX_SLOTS.
    pub unsafe fn at(words: *const RingWords, cells: *const AtomicU64, count: usize) -> Ring {
        assert!(count.is_power_of_two() && count >= 2 * MAX_SLOTS);
        assert!(words.is_aligned() && cells.is_aligned());
        Ring { words, cells, count: count as u64, shift: count.trailing_zeros() }
    }

    #[inline]
    fn words(&self) -> &RingWords {
        // SAFETY: aligned (checked in `at`) and mapped (its caller's promise); atomics, so sharing is sound.
        unsafe { &*self.words }
    }

    /// Word `index` of the slot of `position`.
    #[inline]
    fn cell(&self, position: u64, index: usize) -> &AtomicU64 {
        let slot = (position & (self.count - 1)) as usize * SLOT_WORDS;
        // SAFETY: below `count` slots (mask) of SLOT_WORDS words (callers' `index`); as for `words` otherwise.
        unsafe { &*self.cells.add(slot + index) }
    }

    #[inline]
    fn turn(&self, position: u64) -> u32 {
        ((position >> self.shift) as u32).wrapping_add(1)
    }

    /// Claims `need` slots, or None when the ring is full. `room` caches `head` for the threads of a process; `alone` says
    /// that this thread is the ring's only producer.
    #[inline]
    pub fn claim(&self, need: u64, room: &AtomicU64, alone: bool) -> Option<u64> {
        let tail = &self.words().tail;
        let mut at = tail.load(Ordering::Relaxed);
        loop {
            // Acquire: with the Release below; another thread may have read `head`, and this one writes the same slots.
            if (at + need).saturating_sub(room.load(Ordering::Acquire)) > self.count {
                // Acquire: with the Release in `take`; the consumer is done with the slots it gave back.
                let head = self.words().head.load(Ordering::Acquire);
                // Full until a quarter is free: reading `head` costs a line transfer, too dear for every message.
                if (at + need).saturating_sub(head) > self.count - self.count / 4 {
                    return None;
                }
                // Release: with the Acquire above.
                room.store(head, Ordering::Release);
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

    /// Writes `args` into the one slot claimed at `at` and publishes the message.
    #[inline]
    pub fn fill_args(&self, at: u64, head: Head, args: &[i32]) {
        for (index, pair) in args.chunks(2).take(BODY_WORDS).enumerate() {
            let low = pair[0].to_ne_bytes();
            let high = pair.get(1).copied().unwrap_or(0).to_ne_bytes();
            let word = u64::from_ne_bytes([low[0], low[1], low[2], low[3], high[0], high[1], high[2], high[3]]);
            self.cell(at, 1 + index).store(word, Ordering::Relaxed);
        }
        self.publish(at, head);
    }

    /// Writes `body` into the slots claimed at `at` and publishes the message.
    #[inline]
    pub fn fill(&self, at: u64, head: Head, body: &[u8]) {
        assert!(body.len() <= MAX_BODY);
        for (slot, piece) in body.chunks(BODY_BYTES).enumerate() {
            for (index, bytes) in piece.chunks(8).enumerate() {
                let word = match bytes.try_into() {
                    Ok(bytes) => u64::from_ne_bytes(bytes),
                    Err(_) => {
                        let mut padded = [0; 8];
                        padded[..bytes.len()].copy_from_slice(bytes);
                        u64::from_ne_bytes(padded)
                    }
                };
                self.cell(at + slot as u64, 1 + index).store(word, Ordering::Relaxed);
            }
        }
        self.publish(at, head);
    }

    #[inline]
    fn publish(&self, at: u64, head: Head) {
        let word = u64::from(self.turn(at)) | u64::from(head.word()) << 32;
        // Release: with the Acquire in `take`, the consumer that sees this turn sees the body.
        self.cell(at, 0).store(word, Ordering::Release);
    }

    /// A consumer looks here first: true when the next message is complete.
    #[inline]
    pub fn ready(&self) -> bool {
        let head = self.words().head.load(Ordering::Relaxed);
        self.cell(head, 0).load(Ordering::Relaxed) as u32 == self.turn(head)
    }

    /// Something was claimed since the last message taken. Cheaper than `ready` for a rank that has just been
    /// scheduled among many: it touches no slot. Dearer for producers, whose word it reads.
    #[inline]
    pub fn stirred(&self) -> bool {
        let words = self.words();
        words.tail.load(Ordering::Relaxed) != words.head.load(Ordering::Relaxed)
    }

    /// Takes up to a batch of messages into `out`; returns how many. `length_of` tells from a message's
    /// head and the first word of its body how many bytes the body has. `serial`: no other thread consumes.
    #[inline]
    pub fn take(&self, out: &mut Batch, serial: bool, length_of: impl Fn(Head, u64) -> usize) -> usize {
        let shared_head = &self.words().head;
        loop {
            let at = shared_head.load(Ordering::Relaxed);
            let mut next = at;
            let mut taken = 0;
            while taken < BATCH {
                // Acquire: with the Release in `publish`.
                let word = self.cell(next, 0).load(Ordering::Acquire);
                if word as u32 != self.turn(next) {
                    break;
                }
                let head = Head::from_word((word >> 32) as u32);
                out.heads[taken] = head;
                next += self.copy_body(next, head, &mut out.bodies[taken], &length_of);
                taken += 1;
            }
            if taken == 0 {
                return 0;
            }
            if serial {
                // Release: with the Acquire in `claim`; our copies are done before the slots are reused.
                shared_head.store(next, Ordering::Release);
            } else if shared_head.compare_exchange(at, next, Ordering::AcqRel, Ordering::Relaxed).is_err() {
                continue; // another thread took them
            }
            return taken;
        }
    }

    /// Copies the body of the message at `position`; returns how many slots the message has.
    #[inline]
    fn copy_body(&self, position: u64, head: Head, out: &mut Body, length_of: &impl Fn(Head, u64) -> usize) -> u64 {
        let first = self.cell(position, 1).load(Ordering::Relaxed);
        out.0[0].write(first);
        // A torn copy may say anything; it is dropped, but must stay in bounds until then.
        let words = length_of(head, first).min(MAX_BODY).div_ceil(8);
        if words <= 1 {
            return 1;
        }
        for (slot, out) in out.0[..words].chunks_mut(BODY_WORDS).enumerate() {
            for (index, out) in out.iter_mut().enumerate() {
                out.write(self.cell(position + slot as u64, 1 + index).load(Ordering::Relaxed));
            }
        }
        words.div_ceil(BODY_WORDS) as u64
    }

    /// Asks for the line of the slot `ahead` of the next message, while handlers run.
    #[inline]
    pub fn prefetch(&self, ahead: u64) {
        #[cfg(target_arch = "x86_64")]
        {
            let at = self.words().head.load(Ordering::Relaxed) + ahead;
            // SAFETY: prefetch never faults and changes no state.
            unsafe {
                core::arch::x86_64::_mm_prefetch(
                    core::ptr::from_ref(self.cell(at, 0)).cast(),
                    core::arch::x86_64::_MM_HINT_T0,
                )
            };
        }
    }

    /// Asks for a slot's line to write it: the consumer had it, and a store buffer holds too few messages to hide
    /// the way there and back.
    #[inline]
    fn own(&self, position: u64) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: prefetch never faults and changes no state. `_mm_prefetch` would want a target feature for this one.
        unsafe {
            core::arch::asm!("prefetchw [{}]", in(reg) core::ptr::from_ref(self.cell(position, 0)), options(nostack, preserves_flags, readonly))
        };
    }
}
