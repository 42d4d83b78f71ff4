//! The packets of the loopback conduit: a head of words, then the payload.

use crate::conduit::{Limits, MAX_ARGS, OpToken};
use crate::defs::rank::JobRank;

/// Small, and all different.
pub(crate) const LIMITS: Limits =
    Limits { medium: 65_024, long_request: 72 << 10, long_reply: 66 << 10, piece: 40 << 10, copied: 8 << 10 };

/// Words before the arguments of a packet.
pub(crate) const HEAD: usize = 5;
/// Words of the largest number of arguments.
pub(crate) const ARGS: usize = words_of(MAX_ARGS);
/// Words of the longest packet.
pub(crate) const PACKET: usize = HEAD + ARGS + (80 << 10) / 8;

/// Words of `nargs` arguments.
pub(crate) const fn words_of(nargs: usize) -> usize {
    nargs.div_ceil(2)
}

/// The type of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Short,
    Medium,
    Long,
    Put,
    Get,
    Atomic,
    /// The answer to a put, and to an atomic that fetches nothing.
    Done,
    /// The answer to a get, and to an atomic that fetches.
    Data,
    Credit,
    /// To the center: words to be combined; and back.
    Enter,
    Least,
    /// To the first member of a group: a part of a collective; and back: a result.
    Part,
    Result,
}

const KINDS: [Kind; 13] = [
    Kind::Short,
    Kind::Medium,
    Kind::Long,
    Kind::Put,
    Kind::Get,
    Kind::Atomic,
    Kind::Done,
    Kind::Data,
    Kind::Credit,
    Kind::Enter,
    Kind::Least,
    Kind::Part,
    Kind::Result,
];

/// The words before the payload: kind and sender; an address at the receiver; the number of the sender's operation and
/// the number in the key of the receiver's memory; the envelope of a message, or the length of a get; the limits of the
/// receiver's credits; then arguments.
pub(crate) struct Head {
    words: [u64; HEAD + ARGS],
    len: usize,
}

/// How a transfer names the memory at its target.
#[derive(Clone, Copy)]
pub(crate) struct There {
    pub at: usize,
    /// The registration's number, from the key of that memory.
    pub key: u32,
}

impl There {
    pub(crate) const NOWHERE: There = There { at: 0, key: 0 };
}

impl Head {
    pub(crate) fn new(kind: Kind, from: JobRank, there: There, number: u32, extra: u64) -> Head {
        let mut words = [0; HEAD + ARGS];
        let numbers = u64::from(there.key) << 32 | u64::from(number);
        words[..HEAD - 1].copy_from_slice(&[u64::from(from.0) << 32 | kind as u64, there.at as u64, numbers, extra]);
        Head { words, len: HEAD }
    }

    pub(crate) fn with(mut self, handler: u8, args: &[i32]) -> Head {
        self.words[0] |= u64::from(handler) << 8 | (args.len() as u64) << 16;
        self.len = HEAD + words_of(args.len());
        for (word, pair) in self.words[HEAD..].iter_mut().zip(args.chunks(2)) {
            *word = u64::from(pair[0] as u32) | u64::from(pair.get(1).copied().unwrap_or(0) as u32) << 32;
        }
        self
    }

    /// Adds the limits of the credits that this rank grants the receiver.
    pub(crate) fn granting(&mut self, limits: [u32; 2]) {
        self.words[HEAD - 1] = u64::from(limits[0]) | u64::from(limits[1]) << 32;
    }

    pub(crate) fn words(&self) -> &[u64] {
        &self.words[..self.len]
    }
}

/// The head of a received packet.
pub(crate) struct Read {
    pub kind: Kind,
    pub from: JobRank,
    pub handler: u8,
    pub there: There,
    pub number: u32,
    pub extra: u64,
    pub limits: [u32; 2],
    pub nargs: usize,
    pub args: [i32; 2 * ARGS],
    /// Where the payload starts, in words.
    pub payload_at: usize,
}

/// None: the words are not a packet of this conduit.
pub(crate) fn read(packet: &[u64]) -> Option<Read> {
    let &[what, at, numbers, extra, limits, ..] = packet else { return None };
    let nargs = (what >> 16) as usize & 0xff;
    let payload_at = HEAD + words_of(nargs);
    let mut args = [0; 2 * ARGS];
    for (pair, word) in args.chunks_mut(2).zip(packet.get(HEAD..payload_at)?) {
        pair[0] = *word as i32;
        pair[1] = (*word >> 32) as i32;
    }
    Some(Read {
        kind: *KINDS.get(what as usize & 0xff)?,
        from: JobRank((what >> 32) as u32),
        handler: (what >> 8) as u8,
        there: There { at: at as usize, key: (numbers >> 32) as u32 },
        number: numbers as u32,
        extra,
        limits: [limits as u32, (limits >> 32) as u32],
        nargs: nargs.min(MAX_ARGS),
        args,
        payload_at,
    })
}

/// An operation that waits for its answer.
pub(crate) struct Pending<D> {
    pub peer: JobRank,
    pub token: OpToken,
    /// The destination of a get, or of the value that an atomic fetches.
    pub dst: Option<D>,
}
