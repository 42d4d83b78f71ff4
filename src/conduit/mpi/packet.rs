//! The messages of conduit mpi: a head, and the bytes of a payload if there are any, before which the head is padded to 16 bytes. Integers
//! are native: the ranks of a job run one program.

use core::ops::Range;

use crate::conduit::{Envelope, Limits, MAX_ARGS, Traffic};

/// The largest Medium: the floor under 64 KiB floods is a message of this size.
const MEDIUM: usize = 64 << 10;

pub(crate) const LIMITS: Limits =
    Limits { medium: MEDIUM, long_request: 4 << 20, long_reply: 4 << 20, piece: 64 << 20, copied: MEDIUM };

/// The alignment of payloads.
pub(crate) const ALIGN: usize = 16;

/// Bytes of the longest head, and of the longest message.
const MOST_HEAD: usize = (16 + 16 + 8 + 4 * MAX_ARGS).next_multiple_of(ALIGN);
pub(crate) const PACKET: usize = MOST_HEAD + MEDIUM;

/// Bytes of a small message, and of several that are sent as one: what MPIs send eagerly over shared memory, with their own heads.
pub(crate) const SMALL: usize = 3968;
/// The head of several messages, and what precedes each of them: its length.
pub(crate) const BATCH_HEAD: usize = 16;
pub(crate) const RECORD_HEAD: usize = 8;

/// The type of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum MpiKind {
    Short,
    Medium,
    /// The payload follows the head.
    Long,
    /// The payload comes as bulk data.
    LongBulk,
    Put,
    PutBulk,
    Get,
    GetBulk,
    /// The answer to a put.
    Done,
    /// The answer to a get whose bytes are not bulk data.
    Data,
    Credit,
    /// Words of the barrier; the number is the phase and the round.
    Combine,
    /// Several messages, each after its length.
    Batch,
}

const KINDS: [MpiKind; 13] = [
    MpiKind::Short,
    MpiKind::Medium,
    MpiKind::Long,
    MpiKind::LongBulk,
    MpiKind::Put,
    MpiKind::PutBulk,
    MpiKind::Get,
    MpiKind::GetBulk,
    MpiKind::Done,
    MpiKind::Data,
    MpiKind::Credit,
    MpiKind::Combine,
    MpiKind::Batch,
];

impl MpiKind {
    fn names_memory(self) -> bool {
        matches!(
            self,
            MpiKind::Long | MpiKind::LongBulk | MpiKind::Put | MpiKind::PutBulk | MpiKind::Get | MpiKind::GetBulk
        )
    }
}

/// Memory of the receiver.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct MpiMemory {
    pub at: usize,
    pub len: u32,
    /// Of the bulk data.
    pub tag: u32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct MpiHead<'a> {
    pub kind: MpiKind,
    pub traffic: Traffic,
    pub handler: u8,
    /// The number of the sender's operation, or of that which is answered.
    pub number: u32,
    /// The limits of the credits that the sender grants the receiver.
    pub limits: [u32; 2],
    /// Of kinds that name memory.
    pub there: MpiMemory,
    pub envelope: Envelope,
    pub args: &'a [i32],
}

const REPLY: u64 = 1;
const ENVELOPE: u64 = 2;

impl MpiHead<'_> {
    pub(crate) fn of(kind: MpiKind, number: u32, there: MpiMemory) -> MpiHead<'static> {
        let envelope = Envelope::PLAIN;
        MpiHead { kind, traffic: Traffic::Request, handler: 0, number, limits: [0; 2], there, envelope, args: &[] }
    }

    /// Its bytes without padding.
    #[inline]
    fn len(&self) -> usize {
        let memory = if self.kind.names_memory() { 16 } else { 0 };
        let envelope = if self.envelope.is_plain() { 0 } else { 8 };
        16 + memory + envelope + 4 * self.args.len()
    }

    /// Its bytes with padding.
    #[inline]
    pub(crate) fn bytes(&self) -> usize {
        self.len().next_multiple_of(ALIGN)
    }

    /// The bytes of the message with a payload of `payload` bytes.
    #[inline]
    pub(crate) fn with(&self, payload: usize) -> usize {
        // A short message should touch few cache lines.
        if payload == 0 { self.len() } else { self.bytes() + payload }
    }

    /// Writes it; returns its length.
    #[inline]
    pub(crate) fn write(&self, packet: &mut [u8]) -> usize {
        let mut flags = if self.traffic == Traffic::Reply { REPLY } else { 0 };
        if !self.envelope.is_plain() {
            flags |= ENVELOPE;
        }
        let first = self.kind as u64
            | u64::from(self.handler) << 8
            | (self.args.len() as u64) << 16
            | flags << 24
            | u64::from(self.number) << 32;
        let limits = u64::from(self.limits[0]) | u64::from(self.limits[1]) << 32;
        let mut at = 0;
        let mut word = |word: u64| {
            packet[at..at + 8].copy_from_slice(&word.to_ne_bytes());
            at += 8;
        };
        word(first);
        word(limits);
        if self.kind.names_memory() {
            word(self.there.at as u64);
            word(u64::from(self.there.len) | u64::from(self.there.tag) << 32);
        }
        if !self.envelope.is_plain() {
            word(self.envelope.word());
        }
        for arg in self.args {
            packet[at..at + 4].copy_from_slice(&arg.to_ne_bytes());
            at += 4;
        }
        at.next_multiple_of(ALIGN)
    }
}

/// Whether several messages have arrived as one.
#[inline]
pub(crate) fn is_batch(packet: &[u8]) -> bool {
    packet.first() == Some(&(MpiKind::Batch as u8))
}

/// Where the message is whose length is at `at` of several; None if there is none.
#[inline]
pub(crate) fn record(packet: &[u8], at: usize) -> Option<Range<usize>> {
    let len = packet.get(at..at + RECORD_HEAD)?.try_into().ok().map(u64::from_ne_bytes)? as usize;
    let start = at + RECORD_HEAD;
    (len > 0 && len <= packet.len() - start).then(|| start..start + len)
}

/// The head of a message that has arrived, and where its payload starts. None: it is not a message of this conduit.
#[inline]
pub(crate) fn read<'a>(packet: &[u8], args: &'a mut [i32; MAX_ARGS]) -> Option<(MpiHead<'a>, usize)> {
    let word = |at: usize| packet.get(at..at + 8)?.try_into().ok().map(u64::from_ne_bytes);
    let (first, limits) = (word(0)?, word(8)?);
    let kind = *KINDS.get(first as usize & 0xff)?;
    let (nargs, flags) = ((first >> 16) as usize & 0xff, first >> 24);
    let mut at = 16;
    let mut there = MpiMemory::default();
    if kind.names_memory() {
        let lengths = word(24)?;
        there = MpiMemory { at: word(16)? as usize, len: lengths as u32, tag: (lengths >> 32) as u32 };
        at = 32;
    }
    let mut envelope = Envelope::PLAIN;
    if flags & ENVELOPE != 0 {
        envelope = Envelope::of_word(word(at)?);
        at += 8;
    }
    let args = args.get_mut(..nargs)?;
    for (arg, bytes) in args.iter_mut().zip(packet.get(at..at + 4 * nargs)?.chunks_exact(4)) {
        *arg = i32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    }
    let head = MpiHead {
        kind,
        traffic: if flags & REPLY != 0 { Traffic::Reply } else { Traffic::Request },
        handler: (first >> 8) as u8,
        number: (first >> 32) as u32,
        limits: [limits as u32, (limits >> 32) as u32],
        there,
        envelope,
        args,
    };
    let end = at + 4 * nargs;
    let payload = if packet.len() == end { end } else { end.next_multiple_of(ALIGN) };
    (payload <= packet.len()).then_some((head, payload))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conduit::shared::held::Aligned;
    use proptest::prelude::*;

    #[test]
    fn a_head_is_read_as_it_was_written() {
        let there = MpiMemory { at: 0x1234_5678_9abc, len: 7, tag: u32::MAX };
        for kind in KINDS {
            for nargs in 0..=MAX_ARGS {
                for envelope in [Envelope::PLAIN, Envelope::between(3, 9).numbered(Some(7))] {
                    for traffic in [Traffic::Request, Traffic::Reply] {
                        let args: Vec<i32> = (0..nargs as i32).map(|arg| arg - 3).collect();
                        let (handler, number, limits) = (201, 77, [u32::MAX, 3]);
                        let head = MpiHead { kind, traffic, handler, number, limits, there, envelope, args: &args };
                        let mut packet = Aligned::zeroed(PACKET);
                        let len = head.write(&mut packet);
                        assert_eq!((len, len % 16), (head.bytes(), 0));
                        assert!(len <= MOST_HEAD);
                        let mut space = [0; MAX_ARGS];
                        let (got, at) = read(&packet[..len], &mut space).unwrap();
                        assert_eq!((got.kind, got.traffic, got.handler, got.number), (kind, traffic, handler, number));
                        assert_eq!((got.limits, got.envelope, got.args, at), (limits, envelope, &args[..], len));
                        let end = read(&packet[..head.with(0)], &mut [0; MAX_ARGS]).unwrap().1;
                        assert_eq!((end, head.with(5)), (head.with(0), len + 5));
                        assert_eq!(got.there, if kind.names_memory() { there } else { MpiMemory::default() });
                    }
                }
            }
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_head_or_are_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut args = [0; MAX_ARGS];
            if let Some((_, at)) = read(&bytes, &mut args) {
                prop_assert!(at <= bytes.len());
            }
            let mut at = 0;
            while let Some(record) = record(&bytes, at) {
                prop_assert!(record.start == at + RECORD_HEAD && record.end > record.start && record.end <= bytes.len());
                at = record.end;
            }
        }
    }
}
