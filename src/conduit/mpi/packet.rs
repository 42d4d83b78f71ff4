//! The messages of conduit mpi, and several of them sent as one. A head's number is that of the sender's operation, or of that which is
//! answered; the number of a place is the tag of bulk data.

use core::ops::Range;

use crate::conduit::shared::packet::{PacketHead, packet_kinds};

/// Bytes of a small message, and of several that are sent as one: what MPIs send eagerly over shared memory, with their own heads.
pub(crate) const SMALL: usize = 3968;
/// The head of several messages, and what precedes each of them: its length.
pub(crate) const BATCH_HEAD: usize = 16;
pub(crate) const RECORD_HEAD: usize = 8;

packet_kinds!(MpiKind, GRANTS = true, {
    Short: 0,
    Medium: 0,
    /// The payload follows the head.
    Long: 2,
    /// The payload comes as bulk data.
    LongBulk: 2,
    Put: 2,
    PutBulk: 2,
    Get: 2,
    GetBulk: 2,
    /// The answer to a put.
    Done: 0,
    /// The answer to a get whose bytes are not bulk data.
    Data: 0,
    Credit: 0,
    /// Words of the barrier; the number is the phase and the round.
    Combine: 0,
    /// Several messages, each after its length.
    Batch: 0,
});

pub(crate) type MpiHead<'a> = PacketHead<'a, MpiKind>;

/// Whether several messages have arrived as one.
#[inline]
pub(crate) fn is_batch(packet: &[u8]) -> bool {
    packet.first() == Some(&(MpiKind::Batch as u8))
}

/// Whether a Short has arrived.
#[inline]
pub(crate) fn is_short(packet: &[u8]) -> bool {
    packet.first() == Some(&(MpiKind::Short as u8))
}

/// Where the message is whose length is at `at` of several; None if there is none.
#[inline]
pub(crate) fn record(packet: &[u8], at: usize) -> Option<Range<usize>> {
    let len = packet.get(at..at + RECORD_HEAD)?.try_into().ok().map(u64::from_ne_bytes)? as usize;
    let start = at + RECORD_HEAD;
    (len > 0 && len <= packet.len() - start).then(|| start..start + len)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn records_are_inside_of_any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut at = 0;
            while let Some(record) = record(&bytes, at) {
                prop_assert!(record.start == at + RECORD_HEAD && record.end > record.start && record.end <= bytes.len());
                at = record.end;
            }
        }
    }
}
