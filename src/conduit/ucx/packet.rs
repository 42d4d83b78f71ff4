//! The bytes of conduit ucx's messages. A packet has a start (its sender, and the limits of credits that the sender grants) and one or
//! more messages, each of which has a head, whose number is the length of the payload, and that payload, both padded to 16 bytes.

use crate::conduit::Limits;
use crate::conduit::shared::packet::{self, MEDIUM, MOST_HEAD, PacketHead, halves_of, packet_kinds, word_of};
use crate::defs::rank::JobRank;

const LONG: usize = 1 << 30;
pub(crate) const LIMITS: Limits = Limits { long_request: LONG, long_reply: LONG, piece: LONG, ..packet::LIMITS };

/// Bytes of the start of a packet.
pub(crate) const START: usize = 16;
/// Bytes of the longest packet without payload, which is the header of a message whose payload is bulk data.
pub(crate) const MOST_HEADER: usize = START + MOST_HEAD;
/// Bytes of the longest packet.
pub(crate) const PACKET: usize = MOST_HEADER + MEDIUM;

packet_kinds!(UcxKind, GRANTS = false, {
    Short: 0,
    Medium: 0,
    /// The payload follows the head, or comes as bulk data.
    Long: 1,
    /// Only the start of its packet matters.
    Credit: 0,
    /// At the end of the job: the sender has come to this round, its number.
    Parting: 0,
    /// At the start: the sender's probe of this rank's memory has ended.
    Probed: 0,
});

pub(crate) type UcxHead<'a> = PacketHead<'a, UcxKind>;

/// Writes the start of a packet.
#[inline]
pub(crate) fn write_start(packet: &mut [u8], from: JobRank, limits: [u32; 2]) {
    let (of, granted) = packet[..START].split_at_mut(8);
    of.copy_from_slice(&u64::from(from.0).to_ne_bytes());
    granted.copy_from_slice(&word_of(limits).to_ne_bytes());
}

/// The sender of a packet, and the limits that it grants.
#[inline]
pub(crate) fn read_start(packet: &[u8]) -> Option<(JobRank, [u32; 2])> {
    let (of, rest) = packet.split_first_chunk()?;
    let granted = u64::from_ne_bytes(*rest.first_chunk()?);
    Some((JobRank(u64::from_ne_bytes(*of) as u32), halves_of(granted)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_is_read_as_it_was_written() {
        let mut packet = [0xee; START];
        write_start(&mut packet, JobRank(77), [u32::MAX, 3]);
        assert_eq!(read_start(&packet), Some((JobRank(77), [u32::MAX, 3])));
        assert_eq!(read_start(&packet[..START - 1]), None);
    }
}
