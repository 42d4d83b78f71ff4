//! How a message lies in ring slots: per kind a fixed part, then the arguments, then an inline payload.
//!
//! | kind | fixed part | then |
//! |---|---|---|
//! | Short | | arguments |
//! | MediumInline | nbytes u32, pad | arguments, pad to 16, payload |
//! | MediumBlock | nbytes u32, block u32 | arguments |
//! | Long | address u64, nbytes u64 | arguments |

use crate::am::MOST_ARGS;
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
    MAX_BODY - inline_at(nargs)
}

pub fn head(handler: u8, kind: Kind, nargs: usize, from: u16) -> Head {
    Head { handler, kind_args: kind as u8 | (nargs as u8) << 3, from }
}

pub fn nargs(head: Head) -> usize {
    (usize::from(head.kind_args) >> 3).min(MOST_ARGS)
}

/// Where an inline payload starts: aligned for any type, as the body is.
pub fn inline_at(nargs: usize) -> usize {
    (8 + 4 * nargs).next_multiple_of(16)
}

/// Where the arguments start.
#[inline]
pub fn args_at(kind: Kind) -> usize {
    kind.fixed()
}

/// How many bytes a message's body has, from its head and its first 8 bytes.
#[inline]
pub fn length(head: Head, first: u64) -> usize {
    let nargs = nargs(head);
    let kind = Kind::of(head);
    match kind {
        Kind::Short => 4 * nargs,
        Kind::MediumInline => inline_at(nargs) + medium(first).0,
        _ => kind.fixed() + 4 * nargs,
    }
}

/// Slots for a body of `bytes`.
#[inline]
pub fn slots_for(bytes: usize) -> u64 {
    if bytes <= BODY_BYTES { 1 } else { bytes.div_ceil(BODY_BYTES) as u64 }
}

/// A Medium's length and block (the block means nothing inline), from its first 8 bytes.
#[inline]
pub fn medium(first: u64) -> (usize, u32) {
    let bytes = first.to_ne_bytes();
    let half = |at: usize| u32::from_ne_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    (half(0) as usize, half(4))
}
