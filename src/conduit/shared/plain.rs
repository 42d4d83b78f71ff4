//! Shorts without an envelope, which most messages of a latency-bound program are: their heads (packet.rs) are written and read here with the
//! fewest instructions.

use super::packet::{ALIGN, PacketHead, PacketKind};
use crate::conduit::{AmHeader, MAX_ARGS, Traffic};

/// One that has arrived; `args` are the bytes of its arguments.
#[derive(Clone, Copy)]
pub(crate) struct PlainShort<'a> {
    pub traffic: Traffic,
    pub handler: u8,
    pub args: &'a [u8],
}

/// Bytes of the head of a Short with this number of arguments, for conduits whose Shorts name no memory and grant no credits.
#[inline]
pub(crate) fn plain_bytes(nargs: usize) -> usize {
    8 + 4 * nargs
}

/// The same with padding.
#[inline]
pub(crate) fn plain_room(nargs: usize) -> usize {
    plain_bytes(nargs).next_multiple_of(ALIGN)
}

/// Writes the head of a Short, whose envelope is plain; returns its length without padding.
#[inline]
pub(crate) fn write_plain<K: PacketKind>(packet: &mut [u8], header: &AmHeader<'_>) -> usize {
    const { assert!(!K::GRANTS) };
    let AmHeader { traffic, handler, args, .. } = *header;
    let (word, to) = packet[..plain_bytes(args.len())].split_at_mut(8);
    word.copy_from_slice(
        &PacketHead::<K> { traffic, handler, args, ..PacketHead::of(K::SHORT, 0) }.first().to_ne_bytes(),
    );
    // Two arguments are an address; a loop would become a call of memcpy.
    match *args {
        [] => {}
        [one] => to.copy_from_slice(&one.to_ne_bytes()),
        [one, two] => {
            let (first, second) = to.split_at_mut(4);
            first.copy_from_slice(&one.to_ne_bytes());
            second.copy_from_slice(&two.to_ne_bytes());
        }
        _ => {
            for (bytes, arg) in to.chunks_exact_mut(4).zip(args) {
                bytes.copy_from_slice(&arg.to_ne_bytes());
            }
        }
    }
    plain_bytes(args.len())
}

/// The Short at the start of `packet`, if there is one, and it is whole and its envelope is plain.
#[inline]
pub(crate) fn read_plain<K: PacketKind>(packet: &[u8]) -> Option<PlainShort<'_>> {
    const { assert!(!K::GRANTS) };
    let (word, rest) = packet.split_first_chunk()?;
    let first = u64::from_ne_bytes(*word);
    let nargs = (first >> 16) as usize & 0xff;
    if !PacketHead::<K>::is_plain_short(first) || nargs > MAX_ARGS {
        return None;
    }
    let traffic = PacketHead::<K>::traffic_of(first);
    Some(PlainShort { traffic, handler: (first >> 8) as u8, args: rest.get(..4 * nargs)? })
}

impl PlainShort<'_> {
    #[inline]
    pub(crate) fn nargs(&self) -> usize {
        self.args.len() / 4
    }

    #[inline]
    pub(crate) fn copy_args(&self, to: &mut [i32]) {
        let word = |bytes: &[u8]| i32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        match self.args.len() {
            0 => {}
            4 => to[0] = word(self.args),
            8 => (to[0], to[1]) = (word(&self.args[..4]), word(&self.args[4..])),
            _ => {
                for (arg, bytes) in to.iter_mut().zip(self.args.chunks_exact(4)) {
                    *arg = word(bytes);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conduit::Envelope;
    use crate::conduit::shared::packet::{MOST_HEAD, packet_kinds};

    packet_kinds!(Silent, GRANTS = false, { Other: 1, Short: 0, Medium: 0, Long: 1, });

    fn head<'a>(kind: Silent, args: &'a [i32], traffic: Traffic) -> PacketHead<'a, Silent> {
        PacketHead { traffic, handler: 200, args, ..PacketHead::of(kind, 0) }
    }

    #[test]
    fn they_are_the_messages_of_packet_rs() {
        for traffic in [Traffic::Request, Traffic::Reply] {
            for nargs in 0..=MAX_ARGS {
                let args: Vec<i32> = (0..nargs as i32).map(|arg| -7 - arg).collect();
                let head = head(Silent::Short, &args, traffic);
                let (mut short, mut any) = ([0xee; MOST_HEAD], [0xee; MOST_HEAD]);
                assert_eq!(head.write(&mut any), plain_room(nargs));
                let len = write_plain::<Silent>(&mut short, &head.header());
                assert_eq!((len, &short), (head.with(0), &any));
                for packet in [&short[..len], &any] {
                    let got = read_plain::<Silent>(packet).unwrap();
                    let mut copy = [0; MAX_ARGS];
                    got.copy_args(&mut copy);
                    assert_eq!((got.traffic, got.handler, &copy[..got.nargs()]), (traffic, 200, &args[..]));
                }
                assert!(read_plain::<Silent>(&short[..len - 1]).is_none());
            }
        }
    }

    #[test]
    fn other_messages_are_not_theirs() {
        let mut packet = [0; MOST_HEAD];
        let mut is_plain = |head: PacketHead<'_, Silent>| {
            head.write(&mut packet);
            read_plain::<Silent>(&packet).is_some()
        };
        let short = head(Silent::Short, &[1], Traffic::Request);
        assert!(is_plain(short));
        assert!(
            !is_plain(head(Silent::Medium, &[1], Traffic::Request))
                && !is_plain(head(Silent::Other, &[1], Traffic::Request))
        );
        assert!(!is_plain(PacketHead { envelope: Envelope::between(3, 9), ..short }));
        assert!(!is_plain(PacketHead { sequence: Some(1), ..short }));
        packet[2] = MAX_ARGS as u8 + 1;
        assert!(read_plain::<Silent>(&packet).is_none());
    }
}
