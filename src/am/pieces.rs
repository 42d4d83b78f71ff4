//! Longs to memory that its owner's nbrhd has not mapped: the payload is sent as Mediums, the arguments as one more
//! Medium, and the last one to arrive runs the handler. They may arrive in any order, on any threads. They are requests if
//! the Long is a request, else replies, so that the sender of a reply in pieces waits for replies only.

use std::collections::BTreeMap;

use parking_lot::Mutex;

use crate::am::dispatch::{self, HandlerBuffer};
use crate::am::library;
use crate::am::token::Token;
use crate::conduit::Deliver;
use crate::defs::message::{AmHeader, Envelope, Immediate, MAX_ARGS, Msg, Payload, Traffic};
use crate::defs::rank::{JobRank, Location};
use crate::fatal::blame::Serving;
use crate::fatal::fatal;
use crate::job::{Job, job};
use crate::mem::{self, RemoteAddr, Src, halves, whole};
use crate::sync::atomic::{AtomicU32, Ordering};

/// Identifies a Long in flight: its sender, whether it is a request, and the sender's number for it.
type Name = (JobRank, bool, i32);

/// A Long of which some messages have arrived.
#[derive(Default)]
struct Partial {
    /// Bytes of payload that have arrived.
    arrived: usize,
    /// Its destination, length, handler and arguments, once they have arrived.
    message: Option<LongMessage>,
}

struct LongMessage {
    at: usize,
    nbytes: usize,
    handler: u8,
    envelope: Envelope,
    nargs: usize,
    args: [i32; MAX_ARGS],
}

/// The Longs that this rank sends or receives in pieces.
pub(crate) struct LongPieces {
    /// The number of the next Long to send.
    next: AtomicU32,
    /// The Longs of which some messages have arrived.
    arriving: Mutex<BTreeMap<Name, Partial>>,
}

pub(crate) static PIECES: LongPieces = LongPieces { next: AtomicU32::new(0), arriving: Mutex::new(BTreeMap::new()) };

impl LongPieces {
    /// Drops the Longs that `rank`, which has died, had begun to send.
    pub(crate) fn forget(&self, rank: JobRank) {
        self.arriving.lock().retain(|&(sender, ..), _| sender != rank);
    }
}

/// The header of one of this module's own messages.
fn plain(traffic: Traffic, handler: u8, args: &[i32]) -> AmHeader<'_> {
    AmHeader { traffic, handler, envelope: Envelope::PLAIN, args }
}

impl Job {
    /// Sends a Long to memory of `to` that is not mapped here, or that the conduit does not reach. False: no room,
    /// nothing was sent.
    #[cold]
    pub(super) fn send_in_pieces(
        &self,
        to: Location,
        header: AmHeader<'_>,
        src: Src<'_>,
        at: RemoteAddr,
        immediate: Immediate,
    ) -> bool {
        // Relaxed: the numbers only have to differ.
        let id = PIECES.next.fetch_add(1, Ordering::Relaxed) as i32;
        let ([at_high, at_low], [len_high, len_low]) = (halves(at.0), halves(src.len()));
        let [envelope_high, envelope_low] = halves(header.envelope.word() as usize);
        let message = [id, i32::from(header.handler), at_high, at_low, len_high, len_low, envelope_high, envelope_low];
        let traffic = header.traffic;
        let rest = Payload::Medium(Src::of(mem::bytes_of(header.args)));
        let first = Location { ep: 0, ..to };
        if !self.am_send_any(first, plain(traffic, library::LONG_ARGS, &message), rest, immediate) {
            return false;
        }
        let most = self.limits.medium;
        for from in (0..src.len()).step_by(most) {
            let piece = Payload::Medium(src.part(from, most.min(src.len() - from)));
            let [high, low] = halves(at.0 + from);
            let args = [id, high, low];
            let header = plain(traffic, library::LONG_PIECE, &args);
            match immediate {
                Immediate::No => _ = self.am_send_any(first, header, piece, immediate),
                _ => self.am_send_begun(first, header, piece),
            }
        }
        true
    }

    /// Updates a Long with `note`; runs its handler if it has arrived completely.
    fn piece_came(&self, token: &Token, id: i32, note: impl FnOnce(&mut Partial)) {
        let name = (token.source(), token.is_request(), id);
        let mut arriving = PIECES.arriving.lock();
        let partial = arriving.entry(name).or_default();
        note(partial);
        let Some(message) = partial.message.take_if(|message| message.nbytes == partial.arrived) else { return };
        arriving.remove(&name);
        drop(arriving);
        let buffer = HandlerBuffer::Long(message.at as *mut core::ffi::c_void, message.nbytes);
        let args = &message.args[..message.nargs];
        dispatch::run_any(self, token, message.envelope, message.handler, buffer, args);
    }
}

/// Handles the first message of a Long: its destination, length and handler, and as payload its arguments.
pub(crate) fn on_args(token: &Token, msg: Msg<'_>) {
    let &[id, handler, at_high, at_low, len_high, len_low, envelope_high, envelope_low] = msg.args else {
        fatal!("AM Long in pieces from rank {} has no head", token.source().0);
    };
    let mut args = [0; MAX_ARGS];
    let nargs = (msg.nbytes / 4).min(MAX_ARGS);
    mem::read(mem::bytes_of_mut(&mut args[..nargs]), msg.src().part(0, 4 * nargs));
    let (at, nbytes) = (whole(at_high, at_low), whole(len_high, len_low));
    let envelope = Envelope::of_word(whole(envelope_high, envelope_low) as u64);
    let message = LongMessage { at, nbytes, handler: handler as u8, envelope, nargs, args };
    job().piece_came(token, id, |partial| partial.message = Some(message));
}

/// Handles a piece of a Long's payload: copies it to the address that it carries.
pub(crate) fn on_piece(token: &Token, msg: Msg<'_>) {
    let &[id, high, low] = msg.args else {
        fatal!("AM Long in pieces from rank {} has a piece without a head", token.source().0);
    };
    let (job, at) = (job(), RemoteAddr(whole(high, low)));
    match job.own(at, msg.nbytes) {
        Some(place) => {
            let _serving = Serving::at(place.as_src(), token.source(), "sends a Long to");
            mem::copy(place, msg.src());
        }
        None => fatal!(
            "AM Long from rank {} reaches for {} bytes at {:#x}, outside this rank's segments",
            token.source().0,
            msg.nbytes,
            at.0
        ),
    }
    job.piece_came(token, id, |partial| partial.arrived += msg.nbytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_dead_rank_has_begun_is_forgotten() {
        let pieces = LongPieces { next: AtomicU32::new(0), arriving: Mutex::new(BTreeMap::new()) };
        for name in [(JobRank(1), true, 1), (JobRank(1), false, 1), (JobRank(2), true, 1)] {
            pieces.arriving.lock().insert(name, Partial::default());
        }
        pieces.forget(JobRank(1));
        assert_eq!(pieces.arriving.lock().keys().collect::<Vec<_>>(), [&(JobRank(2), true, 1)]);
        pieces.forget(JobRank(2));
        assert!(pieces.arriving.lock().is_empty());
    }
}
