//! Between the engine and the arrival queue: encodes and decodes the AM header, and records the engine's reports of
//! arrivals. The AM header: kind, handler, number of arguments, whether there is an envelope; the envelope; the arguments.

use super::held::{Aligned, Held};
use crate::bootstrap;
use crate::conduit::shared::arrivals::{Arrivals, ArrivedBody};
use crate::conduit::udp::terms::{Ended, EnginePayload as Bytes, Up};
use crate::conduit::{AmHeader, Completion, Deliver, Envelope, MAX_ARGS, OpToken, Traffic};
use crate::defs::rank::JobRank;
use crate::fatal::fatal;
use crate::mem::{self, Dst, RemoteAddr};

// Kinds of messages.
pub(crate) const IS_SHORT: u8 = 0;
pub(crate) const IS_MEDIUM: u8 = 1;
pub(crate) const IS_LONG: u8 = 2;

const FIXED: usize = 4;
/// Bytes of the longest AM header.
pub(crate) const MOST_HEAD: usize = FIXED + Envelope::BYTES + 4 * MAX_ARGS;

/// Writes the AM header of a message; returns its length in bytes.
#[inline]
pub(crate) fn head_of(kind: u8, header: &AmHeader<'_>, into: &mut [u8; MOST_HEAD]) -> usize {
    let AmHeader { handler, envelope, args, .. } = *header;
    into[..FIXED].copy_from_slice(&[kind, handler, args.len() as u8, u8::from(!envelope.is_plain())]);
    let mut at = FIXED;
    if !envelope.is_plain() {
        into[at..at + Envelope::BYTES].copy_from_slice(&envelope.word().to_ne_bytes());
        at += Envelope::BYTES;
    }
    into[at..at + 4 * args.len()].copy_from_slice(mem::bytes_of(args));
    at + 4 * args.len()
}

/// A decoded AM header.
struct MessageHead {
    kind: u8,
    handler: u8,
    nargs: usize,
    envelope: Envelope,
    args: [i32; MAX_ARGS],
}

/// None: the bytes are not an AM header.
#[inline]
fn read_head(head: &[u8]) -> Option<MessageHead> {
    let &[kind, handler, nargs, enveloped, ref rest @ ..] = head else { return None };
    let (envelope, words) = match enveloped {
        0 => (Envelope::PLAIN, rest),
        _ => {
            let (word, words) = rest.split_first_chunk::<{ Envelope::BYTES }>()?;
            (Envelope::of_word(u64::from_ne_bytes(*word)), words)
        }
    };
    let nargs = usize::from(nargs);
    if nargs > MAX_ARGS || words.len() != 4 * nargs {
        return None;
    }
    let mut args = [0; MAX_ARGS];
    for (arg, bytes) in args.iter_mut().zip(words.chunks_exact(4)) {
        *arg = i32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    }
    Some(MessageHead { kind, handler, nargs, envelope, args })
}

/// Records the engine's reports while it is locked.
pub(crate) struct Notes<'a> {
    pub up: &'a dyn Deliver,
    pub arrivals: &'a mut Arrivals,
    pub outside: Option<(JobRank, RemoteAddr, usize)>,
}

impl Up for Notes<'_> {
    fn am(&mut self, from: JobRank, traffic: Traffic, head: &[u8], payload: Bytes<'_>, cost: u32) {
        let Some(MessageHead { kind, handler, nargs, envelope, args }) = read_head(head) else {
            fatal!("udp: rank {} sent a message whose head of {} bytes is malformed", from.0, head.len());
        };
        let body = match payload {
            Bytes::Long(place) => ArrivedBody::Long(Held(place)),
            Bytes::Bytes(_) if kind == IS_SHORT => ArrivedBody::None,
            Bytes::Bytes(bytes) => ArrivedBody::Medium(Aligned::copy_of(bytes)),
            Bytes::Whole(bytes) => ArrivedBody::Medium(bytes),
        };
        let header = AmHeader { traffic, handler, envelope, args: &args[..nargs] };
        self.arrivals.push(from, &header, body, cost);
    }

    fn own(&mut self, at: RemoteAddr, len: usize) -> Option<Dst<'static>> {
        self.up.own(at, len)
    }

    fn outside(&mut self, from: JobRank, at: RemoteAddr, len: usize) {
        self.outside = Some((from, at, len));
    }

    fn done(&mut self, op: u64, ended: Ended) {
        if ended != Ended::Remote {
            self.arrivals.done(OpToken(op), Completion::Local);
        }
        if ended != Ended::Local {
            self.arrivals.done(OpToken(op), Completion::Remote);
        }
    }

    /// A rank may be stopped for a long time, so silence alone is not a failure: the wardens find out whether its host can be
    /// reached.
    fn lost(&mut self, rank: JobRank, _silent_ns: u64) {
        bootstrap::here::doubt(rank);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_head_is_read_as_written(kind in 0u8..3, handler: u8, from in 0u16..64, to in 0u16..64,
                                     number: Option<u32>, args in proptest::collection::vec(any::<i32>(), 0..=MAX_ARGS)) {
            let envelope = Envelope::between(from, to).numbered(number);
            let mut bytes = [0; MOST_HEAD];
            let len = head_of(kind, &AmHeader { traffic: Traffic::Reply, handler, envelope, args: &args }, &mut bytes);
            let read = read_head(&bytes[..len]).unwrap();
            prop_assert_eq!((read.kind, read.handler, read.envelope, &read.args[..read.nargs]), (kind, handler, envelope, &args[..]));
            prop_assert!(read_head(&bytes[..len - 1]).is_none());
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
            let _ = read_head(&bytes);
        }
    }
}
