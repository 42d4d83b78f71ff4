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
//! - In a job that may outlive a rank, producers of several processes or threads: before a thread claims `p` it writes `p`
//!   into its [`Intent`], which it does not overwrite before it has published `p`. A claim below `tail` that is neither
//!   published nor in the intent of a living producer was made by a dead one, and [`Ring::retire`] may fill it.
//!
//! # Safety
//! A `Ring` is a view of memory that nbrhd laid out, zeroed, and keeps mapped for the job's life; all of it is
//! reached as atomics.
#![allow(unsafe_code)]

use core::mem::MaybeUninit;

use crate::os::cpu;
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::sync::padded::Padded;

/// Words of a slot: its turn and head, then the body.
const SLOT_WORDS: usize = 8;
/// Bytes of a slot.
const SLOT_BYTES: u64 = 8 * SLOT_WORDS as u64;
/// Words of a slot's body.
pub(crate) const BODY_WORDS: usize = SLOT_WORDS - 1;
/// Bytes of a slot's body.
pub(crate) const BODY_BYTES: usize = 8 * BODY_WORDS;
/// The longest message, in slots.
pub(crate) const MAX_SLOTS: usize = 6;
/// Most messages taken at once: their cache lines are fetched together, and `head` is stored once.
pub(crate) const BATCH: usize = 8;
/// Bytes of the longest body.
pub(crate) const MAX_BODY: usize = MAX_SLOTS * BODY_BYTES;

/// Slots by which a producer prefetches ahead: measured, 2 to 4 halve the time of a message, 8 does not.
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

/// The last claim of a producer thread, in shared memory where other ranks read it, zero at first. Each sending thread
/// has one of its own. A sole producer needs none.
#[repr(C, align(64))]
#[derive(Default)]
pub struct Intent(AtomicU64);

/// The kind of producer that claims slots of a ring.
#[derive(Clone, Copy)]
pub enum Producer<'a> {
    /// The only producer that the ring has.
    Sole,
    /// One of several, in a job that ends when one of them dies.
    Shared,
    /// One of several, in a job that may outlive one of them: it announces its claims in the thread's intent.
    Announced(&'a Intent),
}

/// Low bits of an intent that hold the position, modulo 2 to this power; the ring's name is in the bits above.
const POSITION_BITS: u32 = 48;

impl Intent {
    #[inline]
    pub(super) fn announce(&self, ring: &Ring, position: u64) {
        // Release: with the Acquire in `distance`, a thread that sees this sees that the claim before it is published.
        self.0.store(ring.name << POSITION_BITS | position & ((1 << POSITION_BITS) - 1), Ordering::Release);
    }

    /// Slots from `from` forward to the claim's position, if it is a claim in `ring`.
    fn distance(&self, ring: &Ring, from: u64) -> Option<u64> {
        // Acquire: with the Release in `announce`.
        let word = self.0.load(Ordering::Acquire);
        (word >> POSITION_BITS == ring.name).then(|| word.wrapping_sub(from) & ((1 << POSITION_BITS) - 1))
    }
}

/// The `head` of a ring whose consumer has died: its producers always find room, and their messages are lost.
const ABANDONED: u64 = 1 << 62;

/// The 4 bytes after the turn in a message's first slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct RingHead {
    pub handler: u8,
    /// Kind in the low 3 bits, number of arguments above.
    pub kind_args: u8,
    /// Sender's rank in the nbrhd.
    pub from: u16,
}

impl RingHead {
    fn word(self) -> u32 {
        u32::from(self.handler) | u32::from(self.kind_args) << 8 | u32::from(self.from) << 16
    }

    fn from_word(word: u32) -> RingHead {
        RingHead { handler: word as u8, kind_args: (word >> 8) as u8, from: (word >> 16) as u16 }
    }
}

/// A producer's or consumer's view of one ring.
#[derive(Clone, Copy)]
pub struct Ring {
    words: *const RingWords,
    cells: *const AtomicU64,
    /// Number of slots, a power of two, less 1.
    mask: u64,
    shift: u32,
    /// Tells the rings of a nbrhd apart; not zero.
    name: u64,
}

// SAFETY: everything behind the pointers is atomic; slots go from claimer to consumer by the turn protocol above.
unsafe impl Send for Ring {}
// SAFETY: as for Send.
unsafe impl Sync for Ring {}

/// Memory for a message's body; bytes past the body's length are not initialised.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Body(pub [MaybeUninit<u64>; MAX_SLOTS * BODY_WORDS]);

/// Messages taken out of a ring together. Heads and bodies lie apart so that nothing but the heads needs an
/// initial value.
pub struct TakenBatch {
    /// As they lie in slots (`RingHead::word`).
    heads: [u32; BATCH],
    bodies: [Body; BATCH],
}

impl TakenBatch {
    #[inline]
    pub fn empty() -> TakenBatch {
        TakenBatch {
            heads: [0; BATCH],
            bodies: [const { Body([MaybeUninit::uninit(); MAX_SLOTS * BODY_WORDS]) }; BATCH],
        }
    }

    /// The message at `index`, which is less than what [`Ring::take`] returned.
    #[inline]
    pub fn message(&mut self, index: usize) -> (RingHead, &mut Body) {
        (RingHead::from_word(self.heads[index]), &mut self.bodies[index])
    }
}

/// Where the words of a body come from.
pub trait BodySource {
    /// `N` words from word `from` on.
    fn words<const N: usize>(&self, from: usize) -> [u64; N];
}

/// The last word is padded with zeros.
#[cfg(test)]
impl BodySource for &[u8] {
    fn words<const N: usize>(&self, from: usize) -> [u64; N] {
        core::array::from_fn(|at| {
            let rest = &self[8 * (from + at)..];
            let mut word = [0; 8];
            let some = rest.len().min(8);
            word[..some].copy_from_slice(&rest[..some]);
            u64::from_ne_bytes(word)
        })
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
    /// life in this process. `count` is a power of two, at least 2 * MAX_SLOTS. No other ring that the same threads
    /// send to has the same `name`, which is not zero.
    pub unsafe fn at(words: *const RingWords, cells: *const AtomicU64, count: usize, name: u16) -> Ring {
        assert!(count.is_power_of_two() && count >= 2 * MAX_SLOTS && name != 0);
        assert!(Ring::slots_bytes(count) <= u32::MAX as usize, "marks");
        assert!(words.is_aligned() && cells.is_aligned());
        Ring { words, cells, mask: count as u64 - 1, shift: count.trailing_zeros(), name: name.into() }
    }

    #[inline]
    fn words(&self) -> &RingWords {
        // SAFETY: aligned (checked in `at`) and mapped (its caller's promise); atomics, so sharing is sound.
        unsafe { &*self.words }
    }

    /// Word `index` of the slot of `position`.
    #[inline]
    fn cell(&self, position: u64, index: usize) -> &AtomicU64 {
        let slot = (position & self.mask) as usize * SLOT_WORDS;
        // SAFETY: inside the slots (mask), which have SLOT_WORDS words (callers' `index`); as for `words` otherwise.
        unsafe { &*self.cells.add(slot + index) }
    }

    #[inline]
    fn turn(&self, position: u64) -> u32 {
        ((position >> self.shift) as u32).wrapping_add(1)
    }

    /// Claims `need` slots, or None when the ring is full. `room` caches `head` for the threads of a process. A thread
    /// publishes its claimed slots before its next claim.
    #[inline(always)]
    pub fn claim(&self, need: u64, room: &AtomicU64, producer: Producer<'_>) -> Option<u64> {
        let tail = &self.words().tail;
        let mut at = tail.load(Ordering::Relaxed);
        loop {
            // Acquire: with the Release below; another thread may have read `head`, and this one writes the same slots.
            if at + need > room.load(Ordering::Acquire) + self.mask + 1 {
                // Acquire: with the Release in `take`; the consumer no longer reads the slots before `head`.
                let head = self.words().head.load(Ordering::Acquire);
                // Full until a quarter is free: reading `head` costs a line transfer, too expensive for every message.
                let count = self.mask + 1;
                if at + need > head + count - count / 4 {
                    if let Producer::Announced(intent) = producer {
                        // Clears the announcement: this thread has no unpublished claim.
                        intent.0.store(0, Ordering::Release);
                    }
                    return None;
                }
                // Release: with the Acquire above.
                room.store(head, Ordering::Release);
            }
            match producer {
                Producer::Sole => {
                    tail.store(at + need, Ordering::Relaxed);
                    self.own(at + need + OWN_AHEAD);
                    return Some(at);
                }
                Producer::Shared => {}
                Producer::Announced(intent) => intent.announce(self, at),
            }
            // Release: with the Acquire in `claimed`, a thread that sees the claim sees the intent.
            match tail.compare_exchange_weak(at, at + need, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => {
                    self.own(at + need + OWN_AHEAD);
                    return Some(at);
                }
                Err(now) => at = now,
            }
        }
    }

    /// Writes `count` words of `source` into the body of the message claimed at `at`, from the body's word `first` on. Not
    /// visible before `publish`.
    #[inline(always)]
    pub fn write(&self, at: u64, first: usize, source: &impl BodySource, count: usize) {
        let (mut position, mut index, mut done) = (at, first, 0);
        while index >= BODY_WORDS {
            (position, index) = (position + 1, index - BODY_WORDS);
        }
        while done < count {
            let some = (BODY_WORDS - index).min(count - done);
            if some == BODY_WORDS {
                self.store(position, 0, source.words::<BODY_WORDS>(done));
            } else {
                // In parts of constant length, without a test for each word.
                let mut part = 0;
                if some & 4 != 0 {
                    self.store(position, index, source.words::<4>(done));
                    part = 4;
                }
                if some & 2 != 0 {
                    self.store(position, index + part, source.words::<2>(done + part));
                    part += 2;
                }
                if some & 1 != 0 {
                    self.store(position, index + part, source.words::<1>(done + part));
                }
            }
            (position, index, done) = (position + 1, 0, done + some);
        }
    }

    /// Writes `words` into one slot of a claimed message, from word `index` of the slot's body on, where they must fit.
    #[inline(always)]
    pub fn put<const N: usize>(&self, position: u64, index: usize, words: [u64; N]) {
        assert!(index + N <= BODY_WORDS);
        self.store(position, index, words);
    }

    /// As `put`, of words that fit.
    #[inline(always)]
    fn store<const N: usize>(&self, position: u64, index: usize, words: [u64; N]) {
        for (at, word) in words.into_iter().enumerate() {
            self.cell(position, 1 + index + at).store(word, Ordering::Relaxed);
        }
    }

    /// Writes `body` into the slots claimed at `at` and publishes the message.
    #[cfg(test)]
    pub fn fill(&self, at: u64, head: RingHead, body: &[u8]) {
        assert!(body.len() <= MAX_BODY);
        self.write(at, 0, &body, body.len().div_ceil(8));
        self.publish(at, head);
    }

    /// Publishes the message whose slots were claimed at `at` and whose body is written.
    #[inline(always)]
    pub fn publish(&self, at: u64, head: RingHead) {
        let word = u64::from(self.turn(at)) | u64::from(head.word()) << 32;
        // Release: with the Acquire in `take`, the consumer that sees this turn sees the body.
        self.cell(at, 0).store(word, Ordering::Release);
    }

    #[inline]
    fn is_published(&self, position: u64, order: Ordering) -> bool {
        self.cell(position, 0).load(order) as u32 == self.turn(position)
    }

    /// The position after the last slot that a producer has claimed so far.
    pub fn claimed(&self) -> u64 {
        // Acquire: with the Release in `claim`.
        self.words().tail.load(Ordering::Acquire)
    }

    /// The position of the next message to take.
    pub fn taken(&self) -> u64 {
        self.words().head.load(Ordering::Relaxed)
    }

    /// Fills the slots from the next position to the next published message or living producer's claim, which dead
    /// producers have claimed: each slot gets the message `void`, which has no body. Returns the number of slots.
    /// `living` are the intents of all producers that may still write; none of them may be left out. At most one
    /// thread at a time, of the ring's owner. Zero while a living producer may have made the next claim; to be called
    /// again until [`Ring::taken`] has reached the value of [`Ring::claimed`] at the death.
    pub fn retire<'a>(&self, void: RingHead, living: impl Iterator<Item = &'a Intent>) -> u64 {
        let at = self.taken();
        let mut end = self.claimed();
        for intent in living {
            // A living producer read its position as `tail`, so no claim extends across it.
            end = end.min(at + intent.distance(self, at).unwrap_or(u64::MAX >> 1));
        }
        // Acquire, and after the intents: if an intent was overwritten meanwhile, its claim was published.
        let end = (at..end).find(|&position| self.is_published(position, Ordering::Acquire)).unwrap_or(end);
        // Slots of positions that were taken meanwhile may be in their next lap. No consumer gets past one that is empty.
        if self.taken() != at {
            return 0;
        }
        // The first slot last: consumers that see it see all others.
        (at..end).rev().for_each(|position| self.publish(position, void));
        end.saturating_sub(at)
    }

    /// The consumer has died: producers always find room from now on.
    pub fn abandon(&self) {
        self.words().head.store(ABANDONED, Ordering::Release);
    }

    /// The place and turn of a message at `position`, in one word: the slot's offset in bytes, below the turn.
    #[inline(always)]
    pub fn mark(&self, position: u64) -> u64 {
        ((position & self.mask) * SLOT_BYTES) | (u64::from(self.turn(position)) << 32)
    }

    /// Whether the slot of `mark` holds a message of the mark's turn or a later one.
    #[inline(always)]
    pub fn is_filled(&self, mark: u64) -> bool {
        // SAFETY: the offset of a slot (`mark`); as for `words` otherwise.
        let word = unsafe { &*self.cells.byte_add(mark as u32 as usize) };
        (word.load(Ordering::Relaxed) as u32).wrapping_sub((mark >> 32) as u32) as i32 >= 0
    }

    /// Whether the next message has been published.
    pub fn ready(&self) -> bool {
        self.is_filled(self.mark(self.taken()))
    }

    /// Whether a slot was claimed since the last message taken. Cheaper than `ready` for a rank that has just been
    /// scheduled among many: it touches no slot. More expensive for producers, whose word it reads.
    #[inline]
    pub fn stirred(&self) -> bool {
        let words = self.words();
        words.tail.load(Ordering::Relaxed) != words.head.load(Ordering::Relaxed)
    }

    /// Takes up to a batch of messages into `out`; returns how many. `length_of` tells from a message's
    /// head and the first word of its body how many bytes the body has. `serial`: no other thread consumes.
    #[inline]
    pub fn take(&self, out: &mut TakenBatch, serial: bool, length_of: impl Fn(RingHead, u64) -> usize) -> usize {
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
                out.heads[taken] = (word >> 32) as u32;
                let head = RingHead::from_word((word >> 32) as u32);
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
    fn copy_body(
        &self,
        position: u64,
        head: RingHead,
        out: &mut Body,
        length_of: &impl Fn(RingHead, u64) -> usize,
    ) -> u64 {
        let first = self.cell(position, 1).load(Ordering::Relaxed);
        out.0[0].write(first);
        // A torn copy may contain any length; it is dropped, but must stay in bounds until then.
        let words = length_of(head, first).min(MAX_BODY).div_ceil(8);
        if words <= 1 {
            return 1;
        }
        // All words of each slot: cheaper than a test for each.
        let slots = words.div_ceil(BODY_WORDS);
        for (slot, out) in out.0.chunks_exact_mut(BODY_WORDS).take(slots).enumerate() {
            for (index, out) in out.iter_mut().enumerate() {
                out.write(self.cell(position + slot as u64, 1 + index).load(Ordering::Relaxed));
            }
        }
        slots as u64
    }

    /// Prefetches the cache line of the slot of `position`, while handlers run.
    #[inline]
    pub fn prefetch(&self, position: u64) {
        cpu::prefetch(core::ptr::from_ref(self.cell(position, 0)).cast());
    }

    /// Prefetches a slot's cache line for writing: the consumer had it, and a store buffer holds too few messages to hide
    /// the latency of the transfer.
    #[inline]
    fn own(&self, position: u64) {
        cpu::prefetch_to_write(core::ptr::from_ref(self.cell(position, 0)).cast());
    }
}
