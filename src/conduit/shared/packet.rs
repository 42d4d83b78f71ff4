//! The messages of conduits over a library: a head, padded to 16 bytes, then the bytes of a payload. Each conduit declares its types of
//! messages (`packet_kinds`). Integers are native: the ranks of a job run one program.

use core::fmt::Debug;

use super::held::Own;
use crate::conduit::{AmHeader, AmMsg, Envelope, Limits, MAX_ARGS, Payload, Traffic};
use crate::defs::rank::JobRank;
use crate::fatal::fatal;
use crate::mem::{Dst, RemoteAddr, Src};

/// The largest Medium: the floor under 64 KiB floods is a message of this size.
pub(crate) const MEDIUM: usize = 64 << 10;

pub(crate) const LIMITS: Limits =
    Limits { medium: MEDIUM, long_request: 4 << 20, long_reply: 4 << 20, piece: 64 << 20, copied: MEDIUM };

/// The alignment of payloads.
pub(crate) const ALIGN: usize = 16;

/// Bytes of the longest head, and of the longest message.
pub(crate) const MOST_HEAD: usize = (16 + 16 + 8 + 8 + 4 * MAX_ARGS).next_multiple_of(ALIGN);
pub(crate) const PACKET: usize = MOST_HEAD + MEDIUM;

/// The types of a conduit's messages.
pub(crate) trait PacketKind: Copy + PartialEq + Debug + 'static {
    /// Each at the index of its byte.
    const ALL: &'static [Self];
    /// Each head grants credits.
    const GRANTS: bool;
    const SHORT: Self;
    const MEDIUM: Self;
    const LONG: Self;
    fn byte(self) -> u8;
    /// The words by which a head names memory of the receiver: none, its address, or all of [`PacketPlace`].
    fn words(self) -> usize;
}

/// Declares the types of a conduit's messages, each with its [`PacketKind::words`].
macro_rules! packet_kinds {
    ($name:ident, GRANTS = $grants:literal, { $($(#[$doc:meta])* $kind:ident: $words:literal,)* }) => {
        /// The type of a message.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        pub(crate) enum $name {
            $($(#[$doc])* $kind,)*
        }

        impl $crate::conduit::shared::packet::PacketKind for $name {
            const ALL: &'static [$name] = &[$($name::$kind),*];
            const GRANTS: bool = $grants;
            const SHORT: $name = $name::Short;
            const MEDIUM: $name = $name::Medium;
            const LONG: $name = $name::Long;

            #[inline]
            fn byte(self) -> u8 {
                self as u8
            }

            #[inline]
            fn words(self) -> usize {
                match self {
                    $($name::$kind => $words,)*
                }
            }
        }
    };
}
pub(crate) use packet_kinds;

/// Memory of the receiver.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct PacketPlace {
    pub at: usize,
    pub len: u32,
    /// Of the transfer that moves its bytes.
    pub number: u32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct PacketHead<'a, K> {
    pub kind: K,
    pub traffic: Traffic,
    pub handler: u8,
    /// A number whose meaning is the conduit's.
    pub number: u32,
    /// The limits of the credits that the sender grants the receiver, if heads grant any.
    pub limits: [u32; 2],
    /// Of kinds that name memory.
    pub there: PacketPlace,
    pub envelope: Envelope,
    /// If it is to be checked that messages arrive once: counts those from this sender to this receiver.
    pub sequence: Option<u64>,
    pub args: &'a [i32],
}

const REPLY: u64 = 1;
const ENVELOPE: u64 = 2;
const SEQUENCE: u64 = 4;

#[inline]
pub(crate) fn word_of([low, high]: [u32; 2]) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

#[inline]
pub(crate) fn halves_of(word: u64) -> [u32; 2] {
    [word as u32, (word >> 32) as u32]
}

impl<'a, K: PacketKind> PacketHead<'a, K> {
    #[inline]
    pub(crate) fn of(kind: K, number: u32) -> PacketHead<'a, K> {
        PacketHead {
            kind,
            traffic: Traffic::Request,
            handler: 0,
            number,
            limits: [0; 2],
            there: PacketPlace::default(),
            envelope: Envelope::PLAIN,
            sequence: None,
            args: &[],
        }
    }

    #[inline]
    pub(crate) fn at(self, there: PacketPlace) -> PacketHead<'a, K> {
        PacketHead { there, ..self }
    }

    /// The head of a message, its payload, and whether that stays until local completion.
    #[inline]
    pub(crate) fn of_message(msg: &AmMsg<'a>) -> (PacketHead<'a, K>, Src<'a>, bool) {
        let AmHeader { traffic, handler, envelope, args } = msg.header;
        let (kind, at, src, stays) = match msg.payload {
            Payload::None => (K::SHORT, 0, Src::none(), false),
            Payload::Medium(src) => (K::MEDIUM, 0, src, false),
            Payload::Long(src, at) => (K::LONG, at.0, src, msg.token.is_some()),
            Payload::LongAsync(src, at) => (K::LONG, at.0, src, true),
        };
        let there = PacketPlace { at, len: src.len() as u32, number: 0 };
        (PacketHead { traffic, handler, there, envelope, args, ..PacketHead::of(kind, 0) }, src, stays)
    }

    #[inline]
    pub(crate) fn header(&self) -> AmHeader<'a> {
        AmHeader { traffic: self.traffic, handler: self.handler, envelope: self.envelope, args: self.args }
    }

    /// `len` bytes of this rank at the address that the head, from rank `from`, names. If they are not in its segment, ends the job, or
    /// returns None when this rank is `leaving`.
    pub(crate) fn place(&self, own: Own<'_>, from: JobRank, len: usize, leaving: bool) -> Option<Dst<'static>> {
        let place = own(RemoteAddr(self.there.at), len);
        if place.is_none() && !leaving {
            let at = self.there.at;
            fatal!("rank {} reaches for {len} bytes at {at:#x}, outside this rank's segment", from.0);
        }
        place
    }

    /// Its bytes without padding.
    #[inline]
    fn len(&self) -> usize {
        let others = [K::GRANTS, !self.envelope.is_plain(), self.sequence.is_some()];
        8 * (1 + self.kind.words() + others.map(usize::from).iter().sum::<usize>()) + 4 * self.args.len()
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

    /// Its first word.
    #[inline]
    pub(super) fn first(&self) -> u64 {
        let mut flags = if self.traffic == Traffic::Reply { REPLY } else { 0 };
        if !self.envelope.is_plain() {
            flags |= ENVELOPE;
        }
        if self.sequence.is_some() {
            flags |= SEQUENCE;
        }
        u64::from(self.kind.byte())
            | u64::from(self.handler) << 8
            | (self.args.len() as u64) << 16
            | flags << 24
            | u64::from(self.number) << 32
    }

    /// Whether this is the first word of a Short of which only arguments follow.
    #[inline]
    pub(super) fn is_plain_short(first: u64) -> bool {
        first & 0xff == u64::from(K::SHORT.byte()) && (first >> 24) & (ENVELOPE | SEQUENCE) == 0
    }

    #[inline]
    pub(super) fn traffic_of(first: u64) -> Traffic {
        if (first >> 24) & REPLY != 0 { Traffic::Reply } else { Traffic::Request }
    }

    /// Writes it; returns its length with padding.
    #[inline]
    pub(crate) fn write(&self, packet: &mut [u8]) -> usize {
        let mut at = 0;
        let mut word = |word: u64| {
            packet[at..at + 8].copy_from_slice(&word.to_ne_bytes());
            at += 8;
        };
        word(self.first());
        if K::GRANTS {
            word(word_of(self.limits));
        }
        if self.kind.words() > 0 {
            word(self.there.at as u64);
        }
        if self.kind.words() > 1 {
            word(word_of([self.there.len, self.there.number]));
        }
        if !self.envelope.is_plain() {
            word(self.envelope.word());
        }
        if let Some(sequence) = self.sequence {
            word(sequence);
        }
        let end = at + 4 * self.args.len();
        for (bytes, arg) in packet[at..end].chunks_exact_mut(4).zip(self.args) {
            bytes.copy_from_slice(&arg.to_ne_bytes());
        }
        end.next_multiple_of(ALIGN)
    }

    /// The head of a message that has arrived, and where its payload starts. None: it is not a message of this conduit.
    #[inline]
    pub(crate) fn read(packet: &[u8], args: &'a mut [i32; MAX_ARGS]) -> Option<(PacketHead<'a, K>, usize)> {
        let mut at = 0;
        let mut word = || {
            let word = packet.get(at..at + 8)?.try_into().ok().map(u64::from_ne_bytes);
            at += 8;
            word
        };
        let first = word()?;
        let kind = *K::ALL.get(first as usize & 0xff)?;
        let (nargs, flags) = ((first >> 16) as usize & 0xff, first >> 24);
        let limits = if K::GRANTS { halves_of(word()?) } else { [0; 2] };
        let mut there = PacketPlace::default();
        if kind.words() > 0 {
            there.at = word()? as usize;
        }
        if kind.words() > 1 {
            [there.len, there.number] = halves_of(word()?);
        }
        let envelope = if flags & ENVELOPE != 0 { Envelope::of_word(word()?) } else { Envelope::PLAIN };
        let sequence = if flags & SEQUENCE != 0 { Some(word()?) } else { None };
        let args = args.get_mut(..nargs)?;
        for (arg, bytes) in args.iter_mut().zip(packet.get(at..at + 4 * nargs)?.chunks_exact(4)) {
            *arg = i32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        let traffic = Self::traffic_of(first);
        let (handler, number) = ((first >> 8) as u8, (first >> 32) as u32);
        let end = at + 4 * nargs;
        let payload = if packet.len() == end { end } else { end.next_multiple_of(ALIGN) };
        let head = PacketHead { kind, traffic, handler, number, limits, there, envelope, sequence, args };
        (payload <= packet.len()).then_some((head, payload))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    packet_kinds!(Granting, GRANTS = true, { Short: 0, Medium: 0, Long: 2, Address: 1, });
    packet_kinds!(Silent, GRANTS = false, { Short: 0, Medium: 0, Long: 1, Place: 2, });

    fn is_read_as_it_was_written<K: PacketKind>() {
        for kind in K::ALL {
            let there = match kind.words() {
                0 => PacketPlace::default(),
                1 => PacketPlace { at: 0x1234_5678_9abc, ..PacketPlace::default() },
                _ => PacketPlace { at: 0x1234_5678_9abc, len: 7, number: u32::MAX },
            };
            for nargs in 0..=MAX_ARGS {
                for envelope in [Envelope::PLAIN, Envelope::between(3, 9).numbered(Some(7))] {
                    for (traffic, sequence) in [(Traffic::Request, None), (Traffic::Reply, Some(u64::MAX))] {
                        let args: Vec<i32> = (0..nargs as i32).map(|arg| arg - 3).collect();
                        let limits = if K::GRANTS { [u32::MAX, 3] } else { [0; 2] };
                        let (handler, args) = (201, &args[..]);
                        let head = PacketHead {
                            traffic,
                            handler,
                            limits,
                            envelope,
                            sequence,
                            args,
                            ..PacketHead::of(*kind, 77)
                        };
                        let head = head.at(there);
                        let mut packet = [0xee; PACKET];
                        let len = head.write(&mut packet);
                        assert_eq!((len, len % ALIGN), (head.bytes(), 0));
                        assert!(len <= MOST_HEAD);
                        for bytes in [head.with(0), len, len + 5] {
                            let mut space = [0; MAX_ARGS];
                            let (got, at) = PacketHead::<K>::read(&packet[..bytes], &mut space).unwrap();
                            assert_eq!(format!("{got:?}"), format!("{head:?}"));
                            assert_eq!(at, bytes.min(len));
                        }
                        assert_eq!(head.with(5), len + 5);
                        assert!(PacketHead::<K>::read(&packet[..head.with(0) - 1], &mut [0; MAX_ARGS]).is_none());
                    }
                }
            }
        }
    }

    #[test]
    fn a_head_is_read_as_it_was_written() {
        is_read_as_it_was_written::<Granting>();
        is_read_as_it_was_written::<Silent>();
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_head_or_are_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut args = [[0; MAX_ARGS]; 2];
            let [first, second] = &mut args;
            let starts = [PacketHead::<Granting>::read(&bytes, first).map(|(_, at)| at), PacketHead::<Silent>::read(&bytes, second).map(|(_, at)| at)];
            prop_assert!(starts.into_iter().flatten().all(|at| at <= bytes.len()));
        }
    }
}
