//! Layout of a message in ring slots: a fixed part that depends on the kind, the envelope if there is one, the arguments,
//! and an inline payload.
//!
//! | kind | fixed part | then |
//! |---|---|---|
//! | Short | | arguments |
//! | MediumInline | nbytes u32, pad | arguments, pad to 16, payload |
//! | MediumBlock | nbytes u32, block u32 | arguments |
//! | Long | address u64, nbytes u64 | arguments |

use crate::defs::message::{Envelope, MAX_ARGS};
use crate::mem::{self, Src};
use crate::nbrhd::pool;
use crate::nbrhd::ring::{BODY_BYTES, BODY_WORDS, BodySource, MAX_BODY, Ring, RingHead};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MessageForm {
    Short = 0,
    MediumInline = 1,
    MediumBlock = 2,
    Long = 3,
}

impl MessageForm {
    pub(crate) fn of(head: RingHead) -> MessageForm {
        match head.kind_args & 3 {
            0 => MessageForm::Short,
            1 => MessageForm::MediumInline,
            2 => MessageForm::MediumBlock,
            _ => MessageForm::Long,
        }
    }

    fn fixed(self) -> usize {
        match self {
            MessageForm::Short => 0,
            MessageForm::MediumInline | MessageForm::MediumBlock => 8,
            MessageForm::Long => 16,
        }
    }
}

/// Where the payload of a Medium fits.
pub(crate) enum Fit {
    /// Into the first slot, beside the arguments.
    FirstSlot,
    /// Into the slots of one message.
    Slots,
    /// Into a block only.
    Block,
}

/// Where `len` bytes beside `nargs` arguments fit.
#[inline]
pub(crate) fn fit(envelope: Envelope, nargs: usize, len: usize) -> Fit {
    const { assert!(MAX_BODY <= pool::LITTLE, "a payload that fits into slots fits into each block") };
    let bytes = inline_at(envelope_bytes(envelope), nargs) + len;
    if bytes <= BODY_BYTES {
        Fit::FirstSlot
    } else if bytes <= MAX_BODY {
        Fit::Slots
    } else {
        Fit::Block
    }
}

/// The largest payload that `slots` slots hold beside `nargs` arguments.
#[cfg(test)]
pub(crate) fn most_in(slots: usize, envelope: Envelope, nargs: usize) -> usize {
    (slots * BODY_BYTES).saturating_sub(inline_at(envelope_bytes(envelope), nargs))
}

/// Bit of `kind_args`: an envelope follows the fixed part.
const ENVELOPE: u8 = 4;

#[inline]
fn envelope_bytes(envelope: Envelope) -> usize {
    if envelope.is_plain() { 0 } else { Envelope::BYTES }
}

#[inline]
pub(crate) fn head(handler: u8, kind: MessageForm, envelope: Envelope, nargs: usize, from: u16) -> RingHead {
    let flag = if envelope.is_plain() { 0 } else { ENVELOPE };
    RingHead { handler, kind_args: kind as u8 | flag | (nargs as u8) << 3, from }
}

#[inline]
pub(crate) fn has_envelope(head: RingHead) -> bool {
    head.kind_args & ENVELOPE != 0
}

/// Whether the message is a Short without an envelope: its body is its arguments. Most messages are.
#[inline]
pub(crate) fn is_plain_short(head: RingHead) -> bool {
    head.kind_args & (ENVELOPE | 3) == MessageForm::Short as u8
}

pub(crate) fn nargs(head: RingHead) -> usize {
    (usize::from(head.kind_args) >> 3).min(MAX_ARGS)
}

/// Where an inline payload starts: aligned for any type, as the body is.
fn inline_at(envelope_bytes: usize, nargs: usize) -> usize {
    (8 + envelope_bytes + 4 * nargs).next_multiple_of(16)
}

/// Where the inline payload of a message with this head starts.
#[inline]
pub(crate) fn payload_at(head: RingHead) -> usize {
    inline_at(if has_envelope(head) { Envelope::BYTES } else { 0 }, nargs(head))
}

/// Where the envelope starts, if there is one, or else the arguments.
#[inline]
pub(crate) fn fixed_bytes(kind: MessageForm) -> usize {
    kind.fixed()
}

/// A message as it will lie in slots. `F`: words of the fixed part.
#[derive(Clone, Copy)]
pub(crate) struct MessageLayout<'a, const F: usize> {
    pub kind: MessageForm,
    pub fixed: [u64; F],
    pub envelope: Envelope,
    pub args: &'a [i32],
    /// Of a MediumInline; else empty.
    pub payload: Src<'a>,
}

impl BodySource for Src<'_> {
    #[inline(always)]
    fn words<const N: usize>(&self, from: usize) -> [u64; N] {
        mem::words_at(*self, 8 * from)
    }
}

impl<const F: usize> MessageLayout<'_, F> {
    #[inline(always)]
    fn args_at(&self) -> usize {
        8 * F + envelope_bytes(self.envelope)
    }

    /// Bytes of the body.
    #[inline(always)]
    pub(crate) fn bytes(&self) -> usize {
        match self.kind {
            MessageForm::MediumInline => inline_at(envelope_bytes(self.envelope), self.args.len()) + self.payload.len(),
            _ => self.args_at() + 4 * self.args.len(),
        }
    }

    /// Writes the body into the slots of `ring` that were claimed at `at`.
    #[inline(always)]
    pub(crate) fn write(&self, ring: &Ring, at: u64) {
        const { assert!(F < BODY_BYTES / 8) };
        ring.put(at, 0, self.fixed);
        if !self.envelope.is_plain() {
            ring.put(at, F, [self.envelope.word()]);
        }
        write_all(ring, at, self.args_at() / 8, Src::of(mem::bytes_of(self.args)));
        if self.kind == MessageForm::MediumInline {
            let payload_at = inline_at(envelope_bytes(self.envelope), self.args.len());
            write_all(ring, at, payload_at / 8, self.payload);
        }
    }
}

/// Writes `src` from word `first` of the body on.
#[inline(always)]
fn write_all(ring: &Ring, at: u64, first: usize, src: Src<'_>) {
    let whole = src.len() / 8;
    ring.write(at, first, &src, whole);
    if src.len() % 8 != 0 {
        let last = first + whole;
        ring.put(at + (last / BODY_WORDS) as u64, last % BODY_WORDS, [mem::last_word(src)]);
    }
}

/// How many bytes a message's body has, from its head and its first 8 bytes.
#[inline]
pub(crate) fn length(head: RingHead, first: u64) -> usize {
    if is_plain_short(head) {
        return 4 * nargs(head);
    }
    let kind = MessageForm::of(head);
    // The flag is 4, so this adds the 8 bytes of the envelope if there is one.
    let before_args = kind.fixed() + 2 * usize::from(head.kind_args & ENVELOPE);
    match kind {
        MessageForm::MediumInline => payload_at(head) + medium(first).0,
        _ => before_args + 4 * nargs(head),
    }
}

/// Slots for a body of `bytes`.
#[inline]
pub(crate) fn slots_for(bytes: usize) -> u64 {
    if bytes <= BODY_BYTES { 1 } else { bytes.div_ceil(BODY_BYTES) as u64 }
}

/// A Medium's length in bytes and its block (unused if the payload is inline), from the first 8 bytes of its body.
#[inline]
pub(crate) fn medium(first: u64) -> (usize, u32) {
    let bytes = first.to_ne_bytes();
    let half = |at: usize| u32::from_ne_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    (half(0) as usize, half(4))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nbrhd::ring::{MAX_SLOTS, Producer, TakenBatch};
    use crate::nbrhd::ring_tests;
    use crate::sync::atomic::AtomicU64;
    use proptest::prelude::*;

    /// Sends a message through a ring after `before` messages of one slot; returns its head and as many bytes of its body as
    /// its length says.
    fn passed<const F: usize>(message: MessageLayout<'_, F>, before: u64) -> (RingHead, Vec<u8>) {
        let (ring, room) = (ring_tests::ring(), AtomicU64::new(0));
        let mut batch = TakenBatch::empty();
        for _ in 0..before {
            ring.publish(ring.claim(1, &room, Producer::Shared).unwrap(), RingHead::default());
            assert_eq!(ring.take(&mut batch, true, length), 1);
        }
        let at = ring.claim(slots_for(message.bytes()), &room, Producer::Shared).unwrap();
        message.write(&ring, at);
        ring.publish(at, head(7, message.kind, message.envelope, message.args.len(), 3));
        let (head, bytes) = ring_tests::take_one(&ring, length);
        assert_eq!(ring.taken(), ring.claimed(), "as many slots are taken as were claimed");
        (head, bytes)
    }

    proptest! {
        #[test]
        fn a_message_is_read_as_written(kind in 0usize..4, from in 0u16..3, to in 0u16..3, number: Option<u32>, block: u32,
                                        long: u64, before in 0u64..20,
                                        payload in proptest::collection::vec(any::<u8>(), 0..=MAX_BODY),
                                        args in proptest::collection::vec(any::<i32>(), 0..=MAX_ARGS)) {
            let envelope = Envelope::between(from, to).numbered(number);
            let payload = &payload[..payload.len().min(most_in(MAX_SLOTS, envelope, args.len()))];
            let nbytes = payload.len() as u64;
            let none = Src::none();
            let layout = |kind| (kind, if kind == MessageForm::MediumInline { Src::of(payload) } else { none });
            let (fixed, (head, body)) = match kind {
                0 => (vec![], passed(MessageLayout { kind: layout(MessageForm::Short).0, fixed: [], envelope, args: &args, payload: none }, before)),
                1 => {
                    let (kind, payload) = layout(MessageForm::MediumInline);
                    (vec![nbytes], passed(MessageLayout { kind, fixed: [nbytes], envelope, args: &args, payload }, before))
                }
                2 => {
                    let fixed = nbytes | u64::from(block) << 32;
                    prop_assert_eq!(medium(fixed), (nbytes as usize, block));
                    (vec![fixed], passed(MessageLayout { kind: MessageForm::MediumBlock, fixed: [fixed], envelope, args: &args, payload: none }, before))
                }
                _ => (vec![long, nbytes], passed(MessageLayout { kind: MessageForm::Long, fixed: [long, nbytes], envelope, args: &args, payload: none }, before)),
            };
            prop_assert_eq!((head.handler, head.from, nargs(head), has_envelope(head)), (7, 3, args.len(), !envelope.is_plain()));
            prop_assert_eq!(MessageForm::of(head) as usize, kind);
            prop_assert_eq!(is_plain_short(head), kind == 0 && envelope.is_plain());
            prop_assert_eq!(fixed_bytes(MessageForm::of(head)), 8 * fixed.len());
            let mut expected: Vec<u8> = fixed.iter().flat_map(|word| word.to_ne_bytes()).collect();
            if !envelope.is_plain() {
                expected.extend_from_slice(&envelope.word().to_ne_bytes());
            }
            expected.extend_from_slice(mem::bytes_of(&args));
            prop_assert_eq!(&body[..expected.len()], &expected[..]);
            if kind == 1 {
                prop_assert!(payload_at(head) % 16 == 0 && payload_at(head) - expected.len() < 16);
                prop_assert_eq!(&body[payload_at(head)..], payload);
            } else {
                prop_assert_eq!(body.len(), expected.len());
            }
        }

        #[test]
        fn a_body_takes_the_fewest_slots(bytes in 0..=MAX_BODY) {
            let slots = slots_for(bytes) as usize;
            prop_assert!(slots * BODY_BYTES >= bytes && (slots == 1 || (slots - 1) * BODY_BYTES < bytes));
        }
    }

    #[test]
    fn the_largest_inline_payload_fills_a_message() {
        let payload: Vec<u8> = (0..MAX_BODY).map(|at| at as u8).collect();
        for envelope in [Envelope::PLAIN, Envelope::between(0, 1)] {
            for nargs in 0..=MAX_ARGS {
                let src = Src::of(&payload[..most_in(MAX_SLOTS, envelope, nargs)]);
                assert!(matches!(fit(envelope, nargs, src.len()), Fit::Slots));
                assert!(matches!(fit(envelope, nargs, src.len() + 1), Fit::Block));
                let first = most_in(1, envelope, nargs);
                assert!(first == 0 || matches!(fit(envelope, nargs, first), Fit::FirstSlot));
                assert!(matches!(fit(envelope, nargs, first + 1), Fit::Slots));
                let args = &[-1; MAX_ARGS][..nargs];
                let kind = MessageForm::MediumInline;
                let (head, body) =
                    passed(MessageLayout { kind, fixed: [src.len() as u64], envelope, args, payload: src }, 0);
                assert_eq!((payload_at(head) + src.len(), body.len()), (MAX_BODY, MAX_BODY), "{nargs}");
                assert_eq!(body[payload_at(head)..], payload[..src.len()]);
            }
        }
    }
}
