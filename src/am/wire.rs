//! How a message lies in ring slots: per kind a fixed part, then the arguments, then an inline payload.
//!
//! | kind | fixed part | then |
//! |---|---|---|
//! | Short | | arguments |
//! | MediumInline | nbytes u32, pad | arguments, pad to 8, payload |
//! | MediumBlock | nbytes u32, block u32 | arguments |
//! | Long | address u64, nbytes u64 | arguments |

use crate::am::MAX_ARGS;
use crate::nbrhd::ring::{BODY_BYTES, Head, MAX_BODY};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Short = 0,
    MediumInline = 1,
    MediumBlock = 2,
    Long = 3,
}

impl Kind {
    pub fn of(head: Head) -> Kind {
        match head.kind_args & 7 {
            0 => Kind::Short,
            1 => Kind::MediumInline,
            2 => Kind::MediumBlock,
            _ => Kind::Long,
        }
    }

    fn fixed(self) -> usize {
        match self {
            Kind::Short => 0,
            Kind::MediumInline | Kind::MediumBlock => 8,
            Kind::Long => 16,
        }
    }
}

/// The largest payload that still travels inline beside `nargs` arguments.
pub fn inline_max(nargs: usize) -> usize {
    MAX_BODY - 8 - (4 * nargs).next_multiple_of(8)
}

pub fn head(handler: u8, kind: Kind, nargs: usize, from: u16) -> Head {
    Head { handler, kind_args: kind as u8 | (nargs as u8) << 3, from }
}

pub fn nargs(head: Head) -> usize {
    (usize::from(head.kind_args) >> 3).min(MAX_ARGS)
}

fn word(body: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes([body[at], body[at + 1], body[at + 2], body[at + 3]])
}

fn double(body: &[u8], at: usize) -> u64 {
    u64::from(word(body, at)) | u64::from(word(body, at + 4)) << 32
}

/// Where an inline payload starts.
pub fn inline_at(nargs: usize) -> usize {
    8 + (4 * nargs).next_multiple_of(8)
}

/// Where the arguments start.
#[inline]
pub fn args_at(kind: Kind) -> usize {
    kind.fixed()
}

/// How many slots a message has, from its head and the body bytes of its first slot.
#[inline]
pub fn slots(head: Head, first: &[u8]) -> usize {
    let nargs = nargs(head);
    let kind = Kind::of(head);
    let bytes = match kind {
        Kind::Short => 4 * nargs,
        Kind::MediumInline => inline_at(nargs) + word(first, 0) as usize,
        _ => kind.fixed() + 4 * nargs,
    };
    if bytes <= BODY_BYTES { 1 } else { bytes.div_ceil(BODY_BYTES) }
}

/// Slots for a body of `bytes`.
#[inline]
pub fn slots_for(bytes: usize) -> u64 {
    if bytes <= BODY_BYTES { 1 } else { bytes.div_ceil(BODY_BYTES) as u64 }
}

/// A Medium's length and block (the block means nothing inline).
pub fn medium(body: &[u8]) -> (usize, u32) {
    (word(body, 0) as usize, word(body, 4))
}

/// A Long's address and length.
pub fn long(body: &[u8]) -> (usize, usize) {
    (double(body, 0) as usize, double(body, 8) as usize)
}
