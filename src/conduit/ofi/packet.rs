//! The messages of conduit ofi. A head's number is that of its sender, unless it is one of a batch; the number of a place is that of the operation, or of the ask.

use crate::conduit::shared::packet::{PacketHead, packet_kinds};

packet_kinds!(OfiKind, GRANTS = true, {
    Short: 0,
    Medium: 0,
    /// The payload follows the head.
    Long: 2,
    /// The payload is at its place already.
    LongThere: 2,
    Put: 2,
    Get: 2,
    /// The answer to a put.
    Done: 2,
    /// The answer to a get.
    Data: 2,
    Credit: 0,
    /// Asks for a firehose to the pages, and gives back those of the payload.
    Ask: 2,
    /// The answer, with a key or without.
    Answer: 2,
    /// Several messages, the number of each of which is the length of its payload.
    Batch: 0,
});

impl OfiKind {
    /// It takes credits of its sender.
    pub(crate) fn is_counted(self) -> bool {
        !matches!(
            self,
            OfiKind::Done | OfiKind::Data | OfiKind::Credit | OfiKind::Ask | OfiKind::Answer | OfiKind::Batch
        )
    }
}

pub(crate) type OfiHead<'a> = PacketHead<'a, OfiKind>;
