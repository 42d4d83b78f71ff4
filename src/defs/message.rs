//! An Active Message: its AM header and its payload, as its sender, the conduit and its handler see them,
//! and the limits on both.

use crate::mem::{Dst, RemoteAddr, Src};

/// Arguments of a message at most.
pub const MAX_ARGS: usize = 16;

/// The two directions of Active Messages; each has resources of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Traffic {
    Request = 0,
    Reply = 1,
}

/// The categories of messages, by payload.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Category {
    Short,
    Medium,
    Long,
}

impl Category {
    pub fn name(self) -> &'static str {
        match self {
            Category::Short => "Short",
            Category::Medium => "Medium",
            Category::Long => "Long",
        }
    }
}

/// The behaviour of a sender that finds no room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Immediate {
    /// It waits, polling.
    No,
    /// It sends nothing, and reports that.
    Yes,
    /// Part of an immediate operation that has begun: a message that finds no room is left to polls, in the send
    /// queue or as a deferred message. Nothing waits.
    Begun,
}

impl Immediate {
    /// For the parts of an operation that follow the one that was started with this.
    pub fn next(self) -> Immediate {
        if self == Immediate::No { self } else { Immediate::Begun }
    }

    /// For the part of an operation that begins at `offset`.
    pub fn at(self, offset: usize) -> Immediate {
        if offset == 0 { self } else { self.next() }
    }
}

/// The largest messages and transfers, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Largest Medium, at least 512.
    pub medium: usize,
    /// Largest Long request and reply, at least `medium`.
    pub long_request: usize,
    pub long_reply: usize,
    /// Largest put or get in one call; larger transfers come in pieces. With the caps only.
    pub piece: usize,
    /// Largest put, and largest Long, whose source may be copied before the call returns. With the caps only.
    pub copied: usize,
}

/// Memory of this rank that the conduit has registered (`Conduit::register`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Registration(pub u32);

/// Names a put, get or held Long from its start until its last completion. Means nothing to conduits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpToken(pub u64);

/// The endpoints of a message, and its number while a trace is written, in one word. Most messages go from first
/// endpoint to first endpoint without a number: their envelope is zero, and conduits need not send it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Envelope(u64);

impl Envelope {
    pub const PLAIN: Envelope = Envelope(0);
    /// Bytes on the wire, native order, as message arguments are.
    pub const BYTES: usize = 8;
    const NUMBERED: u64 = 1 << 31;

    /// From endpoint `from` of the sender to endpoint `to` of the receiver; both are below 2^15.
    #[inline]
    pub const fn between(from: u16, to: u16) -> Envelope {
        Envelope(from as u64 | (to as u64 & 0x7fff) << 16)
    }

    /// With the number that ties the handler to its sender in traces.
    pub const fn numbered(self, number: Option<u32>) -> Envelope {
        match number {
            Some(number) => Envelope(self.0 & 0xffff_ffff | Envelope::NUMBERED | (number as u64) << 32),
            None => self,
        }
    }

    #[inline]
    pub const fn is_plain(self) -> bool {
        self.0 == 0
    }

    #[allow(clippy::wrong_self_convention)]
    pub const fn from_ep(self) -> u16 {
        self.0 as u16
    }

    pub const fn to_ep(self) -> u16 {
        (self.0 >> 16) as u16 & 0x7fff
    }

    pub const fn number(self) -> Option<u32> {
        if self.0 & Envelope::NUMBERED != 0 { Some((self.0 >> 32) as u32) } else { None }
    }

    #[inline]
    pub const fn word(self) -> u64 {
        self.0
    }

    #[inline]
    pub const fn of_word(word: u64) -> Envelope {
        Envelope(word)
    }
}

/// The AM header, which a message carries before its payload.
#[derive(Clone, Copy)]
pub struct AmHeader<'a> {
    pub traffic: Traffic,
    pub handler: u8,
    pub envelope: Envelope,
    /// [`MAX_ARGS`] at most.
    pub args: &'a [i32],
}

/// The payload of a message to be sent.
#[derive(Clone, Copy)]
pub enum Payload<'a> {
    None,
    Medium(Src<'a>),
    Long(Src<'a>, RemoteAddr),
    /// As Long, but the source stays as it is until the target's reply has been handled.
    LongAsync(Src<'a>, RemoteAddr),
}

impl Payload<'_> {
    /// Its length; None: there is none.
    #[inline]
    pub fn bytes(&self) -> Option<usize> {
        match self {
            Payload::None => None,
            Payload::Medium(src) | Payload::Long(src, _) | Payload::LongAsync(src, _) => Some(src.len()),
        }
    }
}

/// A message to be sent. Everything behind it may change once `am` has returned, except the source of a LongAsync or
/// of a Long with a token.
#[derive(Clone, Copy)]
pub struct AmMsg<'a> {
    pub header: AmHeader<'a>,
    pub payload: Payload<'a>,
    /// Of a Long that is longer than [`Limits::copied`], to a conduit that can put: its source stays as it is
    /// until local completion of this token, if `am` returns `Sent::Later`.
    pub token: Option<OpToken>,
    /// Of the source of a Long, as in `LocalMem`.
    pub registration: Option<Registration>,
}

impl<'a> AmMsg<'a> {
    /// A message whose source is copied, or not looked at again once `am` has returned `Done`.
    #[inline]
    pub fn plain(header: AmHeader<'a>, payload: Payload<'a>) -> AmMsg<'a> {
        AmMsg { header, payload, token: None, registration: None }
    }
}

/// The payload of a message that has arrived.
#[derive(Clone, Copy)]
pub enum Arrived<'a> {
    None,
    /// In a buffer of the conduit's, aligned to 16 bytes; the handler may write it.
    Medium(Dst<'a>),
    /// In place, at the address that `Deliver::own` returned.
    Long(Dst<'a>),
}

/// A message as its handler sees it.
pub(crate) struct Msg<'a> {
    pub args: &'a [i32],
    pub buf: *mut core::ffi::c_void,
    pub nbytes: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_envelope_keeps_endpoints_and_number_apart() {
        for (from, to) in [(0, 0), (63, 4095), (4095, 63), (u16::MAX, 0x7fff)] {
            for number in [None, Some(0), Some(7), Some(u32::MAX)] {
                let envelope = Envelope::of_word(Envelope::between(from, to).numbered(number).word());
                assert_eq!((envelope.from_ep(), envelope.to_ep(), envelope.number()), (from, to, number));
                assert_eq!(envelope.is_plain(), from | to == 0 && number.is_none());
            }
        }
    }
}
