//! The messages of conduit ofi: a head, padded to 16 bytes, then the bytes of a payload. Integers are native: the ranks of a job
//! run one program.

use crate::conduit::shared::held::Aligned;
use crate::conduit::{Envelope, Limits, MAX_ARGS, Traffic};

/// The largest Medium: the floor under 64 KiB floods is a message of this size.
pub(crate) const MEDIUM: usize = 64 << 10;

pub(crate) const LIMITS: Limits =
    Limits { medium: MEDIUM, long_request: 4 << 20, long_reply: 4 << 20, piece: 64 << 20, copied: MEDIUM };

/// Bytes of the longest head, and of the longest message.
const MOST_HEAD: usize = (16 + 16 + 8 + 8 + 4 * MAX_ARGS).next_multiple_of(16);
pub(crate) const PACKET: usize = MOST_HEAD + MEDIUM;

/// The type of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum OfiKind {
    Short,
    Medium,
    /// The payload follows the head.
    Long,
    /// The payload is at its place already.
    LongThere,
    Put,
    Get,
    /// The answer to a put.
    Done,
    /// The answer to a get.
    Data,
    Credit,
    /// Asks for a firehose to the pages, and gives back those of the payload.
    Ask,
    /// The answer, with a key or without.
    Answer,
}

const KINDS: [OfiKind; 11] = [
    OfiKind::Short,
    OfiKind::Medium,
    OfiKind::Long,
    OfiKind::LongThere,
    OfiKind::Put,
    OfiKind::Get,
    OfiKind::Done,
    OfiKind::Data,
    OfiKind::Credit,
    OfiKind::Ask,
    OfiKind::Answer,
];

impl OfiKind {
    fn names_memory(self) -> bool {
        !matches!(self, OfiKind::Short | OfiKind::Medium | OfiKind::Credit)
    }

    /// It takes credits of its sender.
    pub(crate) fn is_counted(self) -> bool {
        !matches!(self, OfiKind::Done | OfiKind::Data | OfiKind::Credit | OfiKind::Ask | OfiKind::Answer)
    }
}

/// Memory of the receiver, and the number of the operation of a put or get.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct OfiPlace {
    pub at: usize,
    pub len: u32,
    pub number: u32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct OfiHead<'a> {
    pub kind: OfiKind,
    pub traffic: Traffic,
    pub handler: u8,
    pub from: u32,
    /// The limits of the credits that the sender grants the receiver.
    pub limits: [u32; 2],
    /// Of kinds that name memory.
    pub there: OfiPlace,
    pub envelope: Envelope,
    /// In verify mode: counts the messages from this sender to this receiver.
    pub sequence: Option<u64>,
    pub args: &'a [i32],
}

const REPLY: u64 = 1;
const ENVELOPE: u64 = 2;
const SEQUENCE: u64 = 4;

impl OfiHead<'_> {
    pub(crate) fn of(kind: OfiKind, there: OfiPlace) -> OfiHead<'static> {
        OfiHead {
            kind,
            traffic: Traffic::Request,
            handler: 0,
            from: 0,
            limits: [0; 2],
            there,
            envelope: Envelope::PLAIN,
            sequence: None,
            args: &[],
        }
    }

    /// Its bytes.
    #[inline]
    pub(crate) fn bytes(&self) -> usize {
        let memory = if self.kind.names_memory() { 16 } else { 0 };
        let envelope = if self.envelope.is_plain() { 0 } else { 8 };
        let sequence = if self.sequence.is_some() { 8 } else { 0 };
        (16 + memory + envelope + sequence + 4 * self.args.len()).next_multiple_of(16)
    }

    /// Writes it; returns its length.
    #[inline]
    pub(crate) fn write(&self, packet: &mut Aligned) -> usize {
        let mut flags = if self.traffic == Traffic::Reply { REPLY } else { 0 };
        if !self.envelope.is_plain() {
            flags |= ENVELOPE;
        }
        if self.sequence.is_some() {
            flags |= SEQUENCE;
        }
        let first = self.kind as u64
            | u64::from(self.handler) << 8
            | (self.args.len() as u64) << 16
            | flags << 24
            | u64::from(self.from) << 32;
        let mut at = 0;
        let mut word = |word: u64| {
            packet[at..at + 8].copy_from_slice(&word.to_ne_bytes());
            at += 8;
        };
        word(first);
        word(u64::from(self.limits[0]) | u64::from(self.limits[1]) << 32);
        if self.kind.names_memory() {
            word(self.there.at as u64);
            word(u64::from(self.there.len) | u64::from(self.there.number) << 32);
        }
        if !self.envelope.is_plain() {
            word(self.envelope.word());
        }
        if let Some(sequence) = self.sequence {
            word(sequence);
        }
        for arg in self.args {
            packet[at..at + 4].copy_from_slice(&arg.to_ne_bytes());
            at += 4;
        }
        at.next_multiple_of(16)
    }
}

/// The head of a message that has arrived, and where its payload starts. None: it is not a message of this conduit.
#[inline]
pub(crate) fn read<'a>(packet: &[u8], args: &'a mut [i32; MAX_ARGS]) -> Option<(OfiHead<'a>, usize)> {
    let word = |at: usize| packet.get(at..at + 8)?.try_into().ok().map(u64::from_ne_bytes);
    let (first, limits) = (word(0)?, word(8)?);
    let kind = *KINDS.get(first as usize & 0xff)?;
    let (nargs, flags) = ((first >> 16) as usize & 0xff, first >> 24);
    let mut at = 16;
    let mut there = OfiPlace::default();
    if kind.names_memory() {
        let lengths = word(24)?;
        there = OfiPlace { at: word(16)? as usize, len: lengths as u32, number: (lengths >> 32) as u32 };
        at = 32;
    }
    let mut next = |is_there: bool| -> Option<Option<u64>> {
        if !is_there {
            return Some(None);
        }
        at += 8;
        word(at - 8).map(Some)
    };
    let envelope = next(flags & ENVELOPE != 0)?.map_or(Envelope::PLAIN, Envelope::of_word);
    let sequence = next(flags & SEQUENCE != 0)?;
    let args = args.get_mut(..nargs)?;
    for (arg, bytes) in args.iter_mut().zip(packet.get(at..at + 4 * nargs)?.chunks_exact(4)) {
        *arg = i32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    }
    let head = OfiHead {
        kind,
        traffic: if flags & REPLY != 0 { Traffic::Reply } else { Traffic::Request },
        handler: (first >> 8) as u8,
        from: (first >> 32) as u32,
        limits: [limits as u32, (limits >> 32) as u32],
        there,
        envelope,
        sequence,
        args,
    };
    let payload = (at + 4 * nargs).next_multiple_of(16);
    (payload <= packet.len()).then_some((head, payload))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_head_is_read_as_it_was_written() {
        let place = OfiPlace { at: 0x1234_5678_9abc, len: 7, number: u32::MAX };
        for kind in KINDS {
            let there = if kind.names_memory() { place } else { OfiPlace::default() };
            for nargs in 0..=MAX_ARGS {
                for envelope in [Envelope::PLAIN, Envelope::between(3, 9).numbered(Some(7))] {
                    for (traffic, sequence) in [(Traffic::Request, None), (Traffic::Reply, Some(u64::MAX))] {
                        let args: Vec<i32> = (0..nargs as i32).map(|arg| arg - 3).collect();
                        let (handler, from, limits) = (201, 77, [u32::MAX, 3]);
                        let head =
                            OfiHead { kind, traffic, handler, from, limits, there, envelope, sequence, args: &args };
                        let mut packet = Aligned::zeroed(PACKET);
                        let len = head.write(&mut packet);
                        assert_eq!((len, len % 16), (head.bytes(), 0));
                        assert!(len <= MOST_HEAD);
                        let mut space = [0; MAX_ARGS];
                        let (got, at) = read(&packet[..len], &mut space).unwrap();
                        assert_eq!(format!("{got:?}"), format!("{head:?}"));
                        assert_eq!(at, len);
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
        }
    }
}
