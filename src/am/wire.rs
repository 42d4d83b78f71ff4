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
use crate::mem;
use crate::nbrhd::ring::{BODY_BYTES, MAX_BODY, RingHead};

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

/// The largest payload that still travels inline beside `nargs` arguments.
pub(crate) fn inline_max(envelope: Envelope, nargs: usize) -> usize {
    MAX_BODY - inline_at(envelope_bytes(envelope), nargs)
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

/// Writes the envelope and the arguments behind the fixed part; returns the offset at which the arguments end or, for
/// MediumInline, the payload starts.
#[inline]
pub(crate) fn fill(body: &mut [u8], kind: MessageForm, envelope: Envelope, args: &[i32]) -> usize {
    let mut at = kind.fixed();
    if !envelope.is_plain() {
        body[at..at + Envelope::BYTES].copy_from_slice(&envelope.word().to_ne_bytes());
        at += Envelope::BYTES;
    }
    let end = at + 4 * args.len();
    body[at..end].copy_from_slice(mem::bytes_of(args));
    if kind == MessageForm::MediumInline { inline_at(envelope_bytes(envelope), args.len()) } else { end }
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
    use proptest::prelude::*;

    const KINDS: [(MessageForm, usize); 4] = [
        (MessageForm::Short, 0),
        (MessageForm::MediumInline, 8),
        (MessageForm::MediumBlock, 8),
        (MessageForm::Long, 16),
    ];

    proptest! {
        #[test]
        fn a_message_is_read_as_written(kind in 0usize..4, handler: u8, rank: u16, from in 0u16..3, to in 0u16..3,
                                        number: Option<u32>, nbytes in 0u32..300, block: u32,
                                        args in proptest::collection::vec(any::<i32>(), 0..=MAX_ARGS)) {
            let (kind, fixed) = KINDS[kind];
            let envelope = Envelope::between(from, to).numbered(number);
            let enveloped = if envelope.is_plain() { 0 } else { Envelope::BYTES };
            let head = head(handler, kind, envelope, args.len(), rank);
            prop_assert_eq!((head.handler, head.from, nargs(head)), (handler, rank, args.len()));
            prop_assert_eq!((MessageForm::of(head), has_envelope(head)), (kind, !envelope.is_plain()));
            prop_assert_eq!(is_plain_short(head), kind == MessageForm::Short && envelope.is_plain());
            prop_assert_eq!(fixed_bytes(kind), fixed);
            let mut body = [0xa5; MAX_BODY];
            let end = fill(&mut body, kind, envelope, &args);
            let args_at = fixed + enveloped;
            let args_end = args_at + 4 * args.len();
            prop_assert!(body[..fixed].iter().all(|&byte| byte == 0xa5));
            prop_assert!(envelope.is_plain() || body[fixed..args_at] == envelope.word().to_ne_bytes());
            prop_assert_eq!(&body[args_at..args_end], mem::bytes_of(&args[..]));
            prop_assert!(body[args_end..].iter().all(|&byte| byte == 0xa5));
            let first = u64::from(nbytes) | u64::from(block) << 32;
            prop_assert_eq!(medium(first), (nbytes as usize, block));
            match kind {
                MessageForm::MediumInline => {
                    prop_assert!(end >= args_end && end < args_end + 16 && end.is_multiple_of(16));
                    prop_assert_eq!(payload_at(head), end);
                    prop_assert_eq!(length(head, first), end + nbytes as usize);
                }
                _ => prop_assert_eq!((end, length(head, first)), (args_end, args_end)),
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
        for envelope in [Envelope::PLAIN, Envelope::between(0, 1)] {
            for nargs in 0..=MAX_ARGS {
                let head = head(7, MessageForm::MediumInline, envelope, nargs, 3);
                assert_eq!(payload_at(head) + inline_max(envelope, nargs), MAX_BODY, "{nargs}");
                assert_eq!(length(head, inline_max(envelope, nargs) as u64), MAX_BODY, "{nargs}");
                let mut body = [0; MAX_BODY];
                let end = fill(&mut body, MessageForm::MediumInline, envelope, &[-1; MAX_ARGS][..nargs]);
                assert_eq!((end, end % 16), (payload_at(head), 0));
            }
        }
    }
}
