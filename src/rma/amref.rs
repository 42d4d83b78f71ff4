//! Put, get and memset by active messages only: works with every conduit, and is the reference against which the
//! shared memory path is tested. Small puts travel as Medium, large ones as Long in pieces, if a Long can be placed
//! there; a get is a request that is answered by Medium replies, or by Long replies where the
//! destination lies in the initiator's segment. Every piece is counted on an [`Op`] and carries its address.
//!
//! # Safety
//! Addresses in requests are of segments of this rank and those in replies of the initiator's own memory: the client
//! promised both when it initiated the operation, and keeps them until it is synchronised.
#![allow(unsafe_code)]

use core::ffi::c_void;

use crate::am::library;
use crate::am::token::Token;
use crate::defs::message::{Immediate, Msg, Payload, Traffic};
use crate::defs::rank::{JobRank, Location};
use crate::event::{Op, PieceKind};
use crate::fatal::blame::Serving;
use crate::job::Job;
use crate::mem::{self, Dst, RemoteAddr, Src, halves, whole};
use crate::rma::Local;

/// Up to this size a put or get is one Medium: a second copy then costs less than a Long does.
const MEDIUM_UP_TO: usize = 4096;

/// The largest piece of a Long put or get.
const LONG_PIECE: usize = 512 << 10;

/// Cuts `len` into pieces of at most `most` bytes: where each starts, and its length.
fn pieces(len: usize, most: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..len).step_by(most).map(move |from| (from, most.min(len - from)))
}

/// Starts to copy `src` to `dst` on `to`. `src` may be reused when `local` says: on return, or else once `op` is done.
/// False: nothing was started (resources exhausted).
pub(crate) fn put(
    job: &Job,
    op: &'static Op,
    to: Location,
    dst: RemoteAddr,
    src: Src<'_>,
    local: Local,
    immediate: Immediate,
) -> bool {
    let limits = &job.limits;
    let in_place = src.len() > MEDIUM_UP_TO.min(limits.medium) && takes_longs(job, to);
    let most = if in_place { LONG_PIECE.min(limits.long_request) } else { limits.medium };
    // A Medium is copied before the call returns.
    let kind = if in_place && local == Local::Apart { PieceKind::PutLocal } else { PieceKind::Put };
    for (from, len) in pieces(src.len(), most) {
        let (piece, at) = (src.part(from, len), RemoteAddr(dst.0 + from));
        let [op_high, op_low] = op.token_args(kind);
        let [high, low] = halves(at.0);
        let immediate = immediate.at(from);
        op.set_peer(to.rank);
        op.start(kind);
        let sent = match local {
            _ if !in_place => request(
                job,
                to.rank,
                library::PUT_MEDIUM,
                Payload::Medium(piece),
                &[op_high, op_low, high, low],
                immediate,
            ),
            Local::Now => {
                request_at(job, to, library::PUT_LONG, Payload::Long(piece, at), &[op_high, op_low], immediate)
            }
            _ => request_at(job, to, library::PUT_LONG, Payload::LongAsync(piece, at), &[op_high, op_low], immediate),
        };
        if !sent {
            op.finish(kind);
            return false;
        }
    }
    true
}

/// Whether a Long can be placed in a segment of `to`: the network places it in any segment of the target; a sender of the
/// target's nbrhd only in the segment of endpoint 0, if it has mapped that.
fn takes_longs(job: &Job, to: Location) -> bool {
    job.nbrhd.node_rank(to.rank).is_none() || to.ep == 0 && job.nbrhd.is_mapped(to.rank)
}

/// Starts to copy from `src` on `from` to `dst` here. False: nothing was started (resources exhausted).
pub(crate) fn get(
    job: &Job,
    op: &'static Op,
    dst: Dst<'_>,
    from: Location,
    src: RemoteAddr,
    immediate: Immediate,
) -> bool {
    let here = dst.as_ptr().expose_provenance();
    let long = dst.len() > MEDIUM_UP_TO && job.nbrhd.in_segment(job.me, RemoteAddr(here), dst.len());
    let limits = &job.limits;
    let (handler, most) = if long {
        (library::GET_LONG, LONG_PIECE.min(limits.long_reply))
    } else {
        (library::GET_MEDIUM, limits.medium)
    };
    let [op_high, op_low] = op.token_args(PieceKind::Get);
    for (offset, len) in pieces(dst.len(), most) {
        let [src_high, src_low] = halves(src.0 + offset);
        let [dst_high, dst_low] = halves(here + offset);
        let immediate = immediate.at(offset);
        op.set_peer(from.rank);
        op.start(PieceKind::Get);
        let args = [op_high, op_low, src_high, src_low, dst_high, dst_low, len as i32];
        if !request(job, from.rank, handler, Payload::None, &args, immediate) {
            op.finish(PieceKind::Get);
            return false;
        }
    }
    true
}

fn request(job: &Job, to: JobRank, handler: u8, payload: Payload<'_>, args: &[i32], immediate: Immediate) -> bool {
    request_at(job, Location { rank: to, ep: 0 }, handler, payload, args, immediate)
}

/// As `request`, where the payload may go to the segment of any endpoint of the target.
fn request_at(job: &Job, to: Location, handler: u8, payload: Payload<'_>, args: &[i32], immediate: Immediate) -> bool {
    job.am_part(to, Traffic::Request, handler, payload, args, immediate)
}

/// Starts to set `len` bytes at `dst` on `to`.
pub(crate) fn memset(job: &Job, op: &'static Op, to: JobRank, dst: RemoteAddr, byte: u8, len: usize) {
    if len == 0 {
        return;
    }
    let [op_high, op_low] = op.token_args(PieceKind::Put);
    let [dst_high, dst_low] = halves(dst.0);
    let [len_high, len_low] = halves(len);
    op.set_peer(to);
    op.start(PieceKind::Put);
    let args = [op_high, op_low, dst_high, dst_low, len_high, len_low, i32::from(byte)];
    job.am_request(to, library::MEMSET, Payload::None, &args);
}

/// The bytes that a requester named in this rank's segment.
fn asked(high: i32, low: i32, len: usize) -> Dst<'static> {
    // SAFETY: the module's paragraph: in this rank's segment, by the client's promise.
    unsafe { Dst::new(whole(high, low) as *mut c_void, len) }
}

/// A message's payload.
pub(crate) fn payload<'a>(msg: &Msg<'a>) -> Src<'a> {
    // SAFETY: the payload stays where it is while the handler runs.
    unsafe { Src::new(msg.buf, msg.nbytes) }
}

/// Request: copies the payload to the address (args 2, 3).
pub(crate) fn on_put_medium(token: &Token, msg: Msg<'_>) {
    let place = asked(msg.args[2], msg.args[3], msg.nbytes);
    let serving = Serving::at(place.as_src(), token.source(), "puts to");
    mem::copy(place, payload(&msg));
    drop(serving);
    token.reply(library::PUT_DONE, Payload::None, &msg.args[..2]);
}

/// Request: the payload is in place.
pub(crate) fn on_put_long(token: &Token, msg: Msg<'_>) {
    token.reply(library::PUT_DONE, Payload::None, &msg.args[..2]);
}

/// Request: sets (args 4, 5) bytes of a segment at (args 2, 3) to the value (args 6).
pub(crate) fn on_memset(token: &Token, msg: Msg<'_>) {
    let place = asked(msg.args[2], msg.args[3], whole(msg.args[4], msg.args[5]));
    let serving = Serving::at(place.as_src(), token.source(), "sets");
    mem::fill(place, msg.args[6] as u8);
    drop(serving);
    token.reply(library::PUT_DONE, Payload::None, &msg.args[..2]);
}

/// Request: (args 6) bytes from (args 2, 3), to be copied to (args 4, 5) of the requester.
pub(crate) fn on_get_medium(token: &Token, msg: Msg<'_>) {
    let bytes = asked(msg.args[2], msg.args[3], msg.args[6] as usize).as_src();
    let args = [msg.args[0], msg.args[1], msg.args[4], msg.args[5]];
    let _serving = Serving::at(bytes, token.source(), "gets from");
    token.reply(library::GET_DATA, Payload::Medium(bytes), &args);
}

/// Request: as for Medium, but (args 4, 5) is in the requester's segment.
pub(crate) fn on_get_long(token: &Token, msg: Msg<'_>) {
    let bytes = asked(msg.args[2], msg.args[3], msg.args[6] as usize).as_src();
    let at = RemoteAddr(whole(msg.args[4], msg.args[5]));
    let _serving = Serving::at(bytes, token.source(), "gets from");
    token.reply(library::GET_DONE, Payload::Long(bytes, at), &msg.args[..2]);
}

/// Reply: a piece of a put or a memset is done.
pub(crate) fn on_put_done(_token: &Token, msg: Msg<'_>) {
    Op::complete_args(msg.args[0], msg.args[1]);
}

/// Reply: a piece of a get, to be copied to (args 2, 3).
pub(crate) fn on_get_data(_token: &Token, msg: Msg<'_>) {
    // SAFETY: the module's paragraph: the destination of a get that is not yet synchronised.
    let place = unsafe { Dst::new(whole(msg.args[2], msg.args[3]) as *mut c_void, msg.nbytes) };
    mem::copy(place, payload(&msg));
    Op::complete_args(msg.args[0], msg.args[1]);
}

/// Reply: a piece of a get is in place.
pub(crate) fn on_get_done(_token: &Token, msg: Msg<'_>) {
    Op::complete_args(msg.args[0], msg.args[1]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_everything_once_and_none_is_too_long() {
        for (len, most) in [(0, 4), (1, 4), (4, 4), (5, 4), (12, 4), (13, 5)] {
            let mut at = 0;
            for (from, part) in pieces(len, most) {
                assert_eq!(from, at);
                assert!(part > 0 && part <= most);
                at += part;
            }
            assert_eq!(at, len);
        }
    }
}
