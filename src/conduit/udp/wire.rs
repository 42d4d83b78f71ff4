//! The format of a datagram: a header, frames, a tag. Pure functions between bytes and values; for any bytes,
//! decoding neither panics nor reads outside them. Numbers are little-endian and nothing is aligned.
//!
//! | at | bytes | header |
//! |---|---|---|
//! | 0 | 1 | version |
//! | 1 | 1 | flags |
//! | 2 | 1 | number of acknowledgement words |
//! | 4 | 4 | rank of the sender |
//! | 8 | 8 | packet number: never used twice by a sender to a receiver; the nonce |
//! | 16 | 4 | unit number, with [`DATA`] |
//! | 20 | 4 | acknowledgement: every unit below this number has arrived |
//! | 24 | 4 | the latest packet with a unit that has arrived, low bits |
//! | 28 | 2 | microseconds since its arrival; 65535: longer |
//! | 32 | 8 | credits: total bytes of requests, then of replies, that the receiver may send, counted from the start of the job |
//! | 40 | 8 each | bit i of word w: unit `64 w + i` after the first missing one has arrived |
//!
//! In encrypted datagrams the first 16 bytes are plain. A *unit* is the frames of one datagram. It keeps its number
//! when it is retransmitted in a new packet, so that a bitmap of unit numbers detects duplicates of all its frames.

use crate::defs::message::Traffic;

pub(crate) const VERSION: u8 = 0x72;
pub const TAG: usize = 16;
/// Bytes of a header that are never encrypted.
pub(crate) const PLAIN: usize = 16;
pub(crate) const FIXED: usize = 40;
/// Most acknowledgement words; with them a header covers a whole window.
pub const MAX_WORDS: usize = 8;
/// Units in flight to one peer, at most.
pub const WINDOW: u64 = 64 * MAX_WORDS as u64;
pub const MAX_HEADER: usize = FIXED + 8 * MAX_WORDS;
/// The UDP payload that every path carries: the MTU that IPv6 guarantees, less headers.
pub const MIN_MTU: usize = 1200;
/// The largest UDP payload.
pub const MAX_MTU: usize = 65507;

/// The datagram carries a unit.
pub const DATA: u8 = 1;
/// The sender waits for the acknowledgement.
pub(crate) const ACK_NOW: u8 = 2;
/// A unit arrived twice in different packets: it was retransmitted too early.
pub(crate) const AGAIN: u8 = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Header {
    pub flags: u8,
    pub sender: u32,
    pub packet: u64,
    pub unit: u32,
    pub ack_below: u32,
    pub echo: u32,
    pub echo_us: u16,
    pub limits: [u32; 2],
    pub nwords: u8,
    pub words: [u64; MAX_WORDS],
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..at + 2).and_then(|b| b.try_into().ok()).map_or(0, u16::from_le_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).and_then(|b| b.try_into().ok()).map_or(0, u32::from_le_bytes)
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..at + 8).and_then(|b| b.try_into().ok()).map_or(0, u64::from_le_bytes)
}

/// The unencrypted fields: sender, packet number. None: not a datagram of this protocol.
#[inline]
pub fn plain(bytes: &[u8]) -> Option<(u32, u64)> {
    let head: &[u8; FIXED] = bytes.first_chunk()?;
    let nwords = usize::from(head[2]);
    let whole = nwords <= MAX_WORDS && bytes.len() >= FIXED + 8 * nwords + TAG;
    (head[0] == VERSION && whole).then(|| (u32_at(head, 4), u64_at(head, 8)))
}

impl Header {
    pub fn bytes(&self) -> usize {
        FIXED + 8 * usize::from(self.nwords)
    }

    /// Writes the header so that it ends where `into` ends; returns where it starts.
    #[inline]
    pub fn write_before(&self, into: &mut [u8; MAX_HEADER]) -> usize {
        let start = MAX_HEADER - self.bytes();
        let b = &mut into[start..];
        b[..4].copy_from_slice(&[VERSION, self.flags, self.nwords, 0]);
        b[4..8].copy_from_slice(&self.sender.to_le_bytes());
        b[8..16].copy_from_slice(&self.packet.to_le_bytes());
        b[16..20].copy_from_slice(&self.unit.to_le_bytes());
        b[20..24].copy_from_slice(&self.ack_below.to_le_bytes());
        b[24..28].copy_from_slice(&self.echo.to_le_bytes());
        b[28..32].copy_from_slice(&u32::from(self.echo_us).to_le_bytes());
        b[32..36].copy_from_slice(&self.limits[0].to_le_bytes());
        b[36..40].copy_from_slice(&self.limits[1].to_le_bytes());
        for (word, to) in self.words.iter().zip(b[FIXED..].chunks_exact_mut(8)) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        start
    }

    /// The header of a datagram that [`plain`] takes, and where its frames start.
    #[inline]
    pub fn read(bytes: &[u8]) -> Option<(Header, usize)> {
        let (sender, packet) = plain(bytes)?;
        let mut header = Header {
            flags: bytes[1],
            sender,
            packet,
            unit: u32_at(bytes, 16),
            ack_below: u32_at(bytes, 20),
            echo: u32_at(bytes, 24),
            echo_us: u16_at(bytes, 28),
            limits: [u32_at(bytes, 32), u32_at(bytes, 36)],
            nwords: bytes[2],
            words: [0; MAX_WORDS],
        };
        for (at, word) in header.words[..usize::from(bytes[2])].iter_mut().enumerate() {
            *word = u64_at(bytes, FIXED + 8 * at);
        }
        let frames = header.bytes();
        Some((header, frames))
    }
}

const AM: u8 = 1;
const PUT: u8 = 2;
const GET: u8 = 3;
const GOT: u8 = 4;
const MEDIUM_PART: u8 = 5;
const LONG_PART: u8 = 6;
const REPLY: u8 = 0x80;

/// Bytes of each kind of frame before its data.
pub(crate) const AM_HEAD: usize = 4;
pub(crate) const PUT_HEAD: usize = 13;
pub(crate) const GET_BYTES: usize = 21;
pub(crate) const GOT_HEAD: usize = 17;
pub(crate) const PART_HEAD: usize = 34;

/// A message in pieces: this one is `data` at `offset` of `total`. `head` comes with the piece at offset 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part<'a> {
    pub traffic: Traffic,
    pub id: u32,
    pub total: u64,
    pub offset: u64,
    pub head: &'a [u8],
    /// The address of the whole payload of a Long; None: a Medium.
    pub at: Option<u64>,
    pub data: &'a [u8],
}

/// A frame. Except in [`UdpFrame::Am`], the data is at the end of the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UdpFrame<'a> {
    Am { traffic: Traffic, head: &'a [u8], payload: &'a [u8] },
    Put { at: u64, data: &'a [u8] },
    Get { id: u32, at: u64, len: u64 },
    Got { id: u32, offset: u64, data: &'a [u8] },
    Part(Part<'a>),
}

/// The bytes are not a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed;

fn kind_byte(kind: u8, traffic: Traffic) -> u8 {
    match traffic {
        Traffic::Request => kind,
        Traffic::Reply => kind | REPLY,
    }
}

/// A whole message. `head` is at most 255 bytes, `payload` at most 65535.
#[inline]
pub fn write_am_head(into: &mut Vec<u8>, traffic: Traffic, head: &[u8], payload_len: usize) {
    let [low, high] = (payload_len as u16).to_le_bytes();
    into.extend_from_slice(&[kind_byte(AM, traffic), head.len() as u8, low, high]);
    into.extend_from_slice(head);
}

pub fn write_put_head(into: &mut Vec<u8>, at: u64, len: usize) {
    into.push(PUT);
    into.extend_from_slice(&at.to_le_bytes());
    into.extend_from_slice(&(len as u32).to_le_bytes());
}

pub fn write_get(into: &mut Vec<u8>, id: u32, at: u64, len: u64) {
    into.push(GET);
    into.extend_from_slice(&id.to_le_bytes());
    into.extend_from_slice(&at.to_le_bytes());
    into.extend_from_slice(&len.to_le_bytes());
}

pub fn write_got_head(into: &mut Vec<u8>, id: u32, offset: u64, len: usize) {
    into.push(GOT);
    into.extend_from_slice(&id.to_le_bytes());
    into.extend_from_slice(&offset.to_le_bytes());
    into.extend_from_slice(&(len as u32).to_le_bytes());
}

/// Writes the frame without `part.data`, of which `len` bytes follow elsewhere.
pub fn write_part_head(into: &mut Vec<u8>, part: &Part<'_>, len: usize) {
    let kind = if part.at.is_some() { LONG_PART } else { MEDIUM_PART };
    into.extend_from_slice(&[kind_byte(kind, part.traffic), part.head.len() as u8]);
    into.extend_from_slice(&part.id.to_le_bytes());
    into.extend_from_slice(&part.total.to_le_bytes());
    into.extend_from_slice(&part.offset.to_le_bytes());
    into.extend_from_slice(&part.at.unwrap_or(0).to_le_bytes());
    into.extend_from_slice(&(len as u32).to_le_bytes());
    into.extend_from_slice(part.head);
}

/// The frames of a unit, one after the other.
pub(crate) struct Frames<'a>(pub &'a [u8]);

impl<'a> Frames<'a> {
    fn take(&mut self, head: usize, len: usize) -> Result<&'a [u8], Malformed> {
        let end = head.checked_add(len).ok_or(Malformed)?;
        let (frame, rest) = self.0.split_at_checked(end).ok_or(Malformed)?;
        self.0 = rest;
        Ok(&frame[head..])
    }

    fn decode(&mut self) -> Result<UdpFrame<'a>, Malformed> {
        let b = self.0;
        let traffic = if b[0] & REPLY == 0 { Traffic::Request } else { Traffic::Reply };
        match b[0] & !REPLY {
            AM if b.len() >= AM_HEAD => {
                let head_len = usize::from(b[1]);
                let body = self.take(AM_HEAD, head_len + usize::from(u16_at(b, 2)))?;
                let (head, payload) = body.split_at(head_len);
                Ok(UdpFrame::Am { traffic, head, payload })
            }
            PUT if b.len() >= PUT_HEAD => {
                let data = self.take(PUT_HEAD, u32_at(b, 9) as usize)?;
                Ok(UdpFrame::Put { at: u64_at(b, 1), data })
            }
            GET => {
                self.take(GET_BYTES, 0)?;
                Ok(UdpFrame::Get { id: u32_at(b, 1), at: u64_at(b, 5), len: u64_at(b, 13) })
            }
            GOT if b.len() >= GOT_HEAD => {
                let data = self.take(GOT_HEAD, u32_at(b, 13) as usize)?;
                Ok(UdpFrame::Got { id: u32_at(b, 1), offset: u64_at(b, 5), data })
            }
            kind @ (MEDIUM_PART | LONG_PART) if b.len() >= PART_HEAD => {
                let head_len = usize::from(b[1]);
                let body = self.take(PART_HEAD, head_len + u32_at(b, 30) as usize)?;
                let (head, data) = body.split_at(head_len);
                let (total, offset) = (u64_at(b, 6), u64_at(b, 14));
                let inside = offset.checked_add(data.len() as u64).is_some_and(|end| end <= total);
                if !inside || (data.is_empty() && total > 0) {
                    return Err(Malformed);
                }
                let at = (kind == LONG_PART).then(|| u64_at(b, 22));
                Ok(UdpFrame::Part(Part { traffic, id: u32_at(b, 2), total, offset, head, at, data }))
            }
            _ => Err(Malformed),
        }
    }
}

impl<'a> Iterator for Frames<'a> {
    type Item = Result<UdpFrame<'a>, Malformed>;

    /// Ends at the end, at a zero byte (padding follows), and after an error.
    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if *self.0.first()? == 0 {
            return None;
        }
        let frame = self.decode();
        if frame.is_err() {
            self.0 = &[];
        }
        Some(frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn traffic(reply: bool) -> Traffic {
        if reply { Traffic::Reply } else { Traffic::Request }
    }

    #[test]
    fn frames_that_are_cut_off_are_malformed() {
        let part =
            Part { traffic: Traffic::Request, id: 1, total: 9, offset: 2, head: b"abc", at: Some(3), data: b"end" };
        let mut frames: [Vec<u8>; 6] = Default::default();
        write_am_head(&mut frames[0], Traffic::Reply, b"abc", 3);
        write_put_head(&mut frames[1], 1, 3);
        write_got_head(&mut frames[2], 1, 2, 3);
        write_part_head(&mut frames[3], &part, 3);
        write_part_head(&mut frames[4], &Part { at: None, ..part }, 3);
        frames[..5].iter_mut().for_each(|frame| frame.extend_from_slice(b"end"));
        write_get(&mut frames[5], 1, 2, 3);
        for frame in &frames {
            for len in 1..frame.len() {
                let read: Vec<_> = Frames(&frame[..len]).collect();
                assert_eq!(read, [Err(Malformed)], "{len} bytes of {frame:?}");
            }
            assert!(Frames(frame).next().is_some_and(|frame| frame.is_ok()));
        }
    }

    proptest! {
        #[test]
        fn any_bytes_decode_without_panic(mut bytes in proptest::collection::vec(any::<u8>(), 0..400), fix in any::<bool>()) {
            if fix && bytes.len() > 3 {
                bytes[0] = VERSION;
                bytes[2] %= 12;
            }
            let _ = Header::read(&bytes);
            let decoded: usize = Frames(&bytes).flatten().map(|frame| match frame {
                UdpFrame::Am { head, payload, .. } => AM_HEAD + head.len() + payload.len(),
                UdpFrame::Put { data, .. } => PUT_HEAD + data.len(),
                UdpFrame::Get { .. } => GET_BYTES,
                UdpFrame::Got { data, .. } => GOT_HEAD + data.len(),
                UdpFrame::Part(part) => PART_HEAD + part.head.len() + part.data.len(),
            }).sum();
            prop_assert!(decoded <= bytes.len());
        }

        #[test]
        fn a_header_is_read_as_written(sender: u32, packet: u64, unit: u32, below: u32, echo: u32, us: u16,
                                       limits: [u32; 2], words: [u64; MAX_WORDS], nwords in 0..=MAX_WORDS as u8, flags: u8) {
            let mut written = Header { flags, sender, packet, unit, ack_below: below, echo, echo_us: us, limits, nwords, words };
            written.words[usize::from(nwords)..].fill(0);
            let mut buf = [0; MAX_HEADER];
            let start = written.write_before(&mut buf);
            let mut bytes = buf[start..].to_vec();
            bytes.extend_from_slice(&[0; TAG]);
            prop_assert_eq!(Header::read(&bytes), Some((written, written.bytes())));
            prop_assert_eq!(plain(&bytes), Some((sender, packet)));
        }

        #[test]
        fn frames_are_read_as_written(reply: bool, head in proptest::collection::vec(any::<u8>(), 0..72),
                                      data in proptest::collection::vec(any::<u8>(), 1..200), at: u64, id: u32, offset in 0u64..1 << 40) {
            let traffic = traffic(reply);
            let part = Part { traffic, id, total: offset + 400, offset, head: &head, at: Some(at), data: &data };
            let medium = Part { at: None, ..part };
            let mut bytes = Vec::new();
            write_am_head(&mut bytes, traffic, &head, data.len());
            bytes.extend_from_slice(&data);
            write_get(&mut bytes, id, at, offset);
            write_put_head(&mut bytes, at, data.len());
            bytes.extend_from_slice(&data);
            write_got_head(&mut bytes, id, offset, data.len());
            bytes.extend_from_slice(&data);
            for part in [&part, &medium] {
                write_part_head(&mut bytes, part, data.len());
                bytes.extend_from_slice(&data);
            }
            bytes.extend_from_slice(&[0, 77, 77]);
            let expected = vec![
                UdpFrame::Am { traffic, head: &head, payload: &data },
                UdpFrame::Get { id, at, len: offset },
                UdpFrame::Put { at, data: &data },
                UdpFrame::Got { id, offset, data: &data },
                UdpFrame::Part(part),
                UdpFrame::Part(medium),
            ];
            let read: Result<Vec<_>, _> = Frames(&bytes).collect();
            prop_assert_eq!(read, Ok(expected));
        }
    }
}
