//! Puts and gets whose bytes go in parts: by messages, or through buffers where memory cannot be pinned.

use super::flights::LongData;
use crate::conduit::OpToken;
use crate::conduit::shared::held::Held;
use crate::defs::rank::JobRank;
use crate::mem::{Dst, Src};
use crate::shims::ofi::OfiThere;

/// Operations by messages that this rank may have in flight.
pub(crate) const BY_MESSAGE: u32 = 1024;

/// The local side of a put or get by messages.
pub(crate) enum MessageBytes {
    Put(Held<Src<'static>>),
    Get(Held<Dst<'static>>),
    /// A put that one message carries.
    Sent,
}

/// The outcome of a transfer in parts.
pub(crate) enum PartsEnd {
    /// The completion of a put or get.
    Token(OpToken),
    /// The message of a Long.
    Message(Box<LongData>),
}

impl PartsEnd {
    pub(crate) fn token(&self) -> Option<OpToken> {
        match self {
            PartsEnd::Token(token) => Some(*token),
            PartsEnd::Message(long) => long.token,
        }
    }
}

/// A put or get by messages, or in parts.
pub(crate) struct MessageTransfer {
    pub peer: JobRank,
    pub end: PartsEnd,
    pub at: usize,
    pub bytes: MessageBytes,
    pub len: usize,
    /// Bytes of parts that were sent, and of those that were answered.
    pub sent: usize,
    pub answered: usize,
    /// The parts are puts and gets of buffers, to and from this memory; else messages.
    pub there: Option<OfiThere>,
}
