//! The bytes of conduit ucx's messages. A packet has a start (its sender, and the limits of credits that the sender grants) and one or
//! more messages, each of which has a head and a payload, both padded to 16 bytes. Integers are native: the ranks of a job run one program.

use crate::conduit::shared::held::Aligned;
use crate::conduit::{Envelope, Limits, MAX_ARGS, Traffic};
use crate::defs::rank::JobRank;

/// The largest Medium: the floor under 64 KiB floods is a message of this size.
const MEDIUM: usize = 64 << 10;
const LONG: usize = 1 << 30;

pub(crate) const LIMITS: Limits =
    Limits { medium: MEDIUM, long_request: LONG, long_reply: LONG, piece: LONG, copied: MEDIUM };

/// Bytes of the start of a packet.
pub(crate) const START: usize = 16;
/// Bytes of the longest head.
const MOST_HEAD: usize = (8 + 8 + 8 + 4 * MAX_ARGS).next_multiple_of(16);
/// Bytes of the longest packet without payload, which is the header of a message whose payload is bulk data.
pub(crate) const MOST_HEADER: usize = START + MOST_HEAD;
/// Bytes of the longest packet.
pub(crate) const PACKET: usize = MOST_HEADER + MEDIUM;

/// The type of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum UcxKind {
    Short,
    Medium,
    /// The payload follows the head, or comes as bulk data.
    Long,
    /// Only the start of its packet matters.
    Credit,
    /// At the end of the job: the sender has come to this round, its length.
    Parting,
    /// At the start: the sender's probe of this rank's memory has ended.
    Probed,
}

const KINDS: [UcxKind; 6] =
    [UcxKind::Short, UcxKind::Medium, UcxKind::Long, UcxKind::Credit, UcxKind::Parting, UcxKind::Probed];

#[derive(Clone, Copy, Debug)]
pub(crate) struct UcxHead<'a> {
    pub kind: UcxKind,
    pub traffic: Traffic,
    pub handler: u8,
    /// Of the payload.
    pub len: u32,
    /// Where the payload of a Long goes.
    pub at: usize,
    pub envelope: Envelope,
    pub args: &'a [i32],
}

const REPLY: u64 = 1;
const ENVELOPE: u64 = 2;

/// Writes the start of a packet.
#[inline]
pub(crate) fn write_start(packet: &mut Aligned, from: u32, limits: [u32; 2]) {
    packet[0..4].copy_from_slice(&from.to_ne_bytes());
    packet[4..8].copy_from_slice(&[0; 4]);
    packet[8..12].copy_from_slice(&limits[0].to_ne_bytes());
    packet[12..16].copy_from_slice(&limits[1].to_ne_bytes());
}

/// The sender of a packet, and the limits that it grants.
#[inline]
pub(crate) fn read_start(packet: &[u8]) -> Option<(JobRank, [u32; 2])> {
    let word = |at: usize| packet.get(at..at + 4)?.try_into().ok().map(u32::from_ne_bytes);
    Some((JobRank(word(0)?), [word(8)?, word(12)?]))
}

impl UcxHead<'_> {
    pub(crate) fn of(kind: UcxKind, len: u32) -> UcxHead<'static> {
        UcxHead { kind, traffic: Traffic::Reply, handler: 0, len, at: 0, envelope: Envelope::PLAIN, args: &[] }
    }

    /// Its bytes.
    #[inline]
    pub(crate) fn bytes(&self) -> usize {
        let memory = if self.kind == UcxKind::Long { 8 } else { 0 };
        let envelope = if self.envelope.is_plain() { 0 } else { 8 };
        (8 + memory + envelope + 4 * self.args.len()).next_multiple_of(16)
    }

    /// Writes it at `at`; returns where it ends.
    #[inline]
    pub(crate) fn write(&self, packet: &mut Aligned, mut at: usize) -> usize {
        let mut flags = if self.traffic == Traffic::Reply { REPLY } else { 0 };
        if !self.envelope.is_plain() {
            flags |= ENVELOPE;
        }
        let first = self.kind as u64
            | u64::from(self.handler) << 8
            | (self.args.len() as u64) << 16
            | flags << 24
            | u64::from(self.len) << 32;
        let mut word = |word: u64| {
            packet[at..at + 8].copy_from_slice(&word.to_ne_bytes());
            at += 8;
        };
        word(first);
        if self.kind == UcxKind::Long {
            word(self.at as u64);
        }
        if !self.envelope.is_plain() {
            word(self.envelope.word());
        }
        for arg in self.args {
            packet[at..at + 4].copy_from_slice(&arg.to_ne_bytes());
            at += 4;
        }
        at.next_multiple_of(16)
    }
}

/// The head at `at`, and where its payload starts. None: it is not a message of this conduit.
#[inline]
pub(crate) fn read<'a>(packet: &[u8], mut at: usize, args: &'a mut [i32; MAX_ARGS]) -> Option<(UcxHead<'a>, usize)> {
    let mut word = || {
        let word = packet.get(at..at + 8)?.try_into().ok().map(u64::from_ne_bytes);
        at += 8;
        word
    };
    let first = word()?;
    let kind = *KINDS.get(first as usize & 0xff)?;
    let (nargs, flags) = ((first >> 16) as usize & 0xff, first >> 24);
    let place = if kind == UcxKind::Long { word()? as usize } else { 0 };
    let envelope = if flags & ENVELOPE != 0 { Envelope::of_word(word()?) } else { Envelope::PLAIN };
    let args = args.get_mut(..nargs)?;
    for (arg, bytes) in args.iter_mut().zip(packet.get(at..at + 4 * nargs)?.chunks_exact(4)) {
        *arg = i32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    }
    let head = UcxHead {
        kind,
        traffic: if flags & REPLY != 0 { Traffic::Reply } else { Traffic::Request },
        handler: (first >> 8) as u8,
        len: (first >> 32) as u32,
        at: place,
        envelope,
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
        let at = 0x1234_5678_9abc;
        for kind in KINDS {
            for nargs in 0..=MAX_ARGS {
                for envelope in [Envelope::PLAIN, Envelope::between(3, 9).numbered(Some(7))] {
                    for traffic in [Traffic::Request, Traffic::Reply] {
                        let args: Vec<i32> = (0..nargs as i32).map(|arg| arg - 3).collect();
                        let (handler, len) = (201, u32::MAX - 1);
                        let head = UcxHead { kind, traffic, handler, len, at, envelope, args: &args };
                        let mut packet = Aligned::zeroed(PACKET);
                        write_start(&mut packet, 77, [u32::MAX, 3]);
                        let end = head.write(&mut packet, START);
                        assert_eq!((end, end % 16), (START + head.bytes(), 0));
                        assert!(end <= MOST_HEADER);
                        let mut space = [0; MAX_ARGS];
                        let (got, payload) = read(&packet[..end], START, &mut space).unwrap();
                        assert_eq!((got.kind, got.traffic, got.handler, got.len), (kind, traffic, handler, len));
                        assert_eq!((got.envelope, got.args, payload), (envelope, &args[..], end));
                        assert_eq!(got.at, if kind == UcxKind::Long { at } else { 0 });
                        assert_eq!(read_start(&packet), Some((JobRank(77), [u32::MAX, 3])));
                    }
                }
            }
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_head_or_are_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut args = [0; MAX_ARGS];
            if let Some((_, at)) = read(&bytes, 0, &mut args) {
                prop_assert!(at <= bytes.len());
            }
        }
    }
}
