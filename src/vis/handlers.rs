//! The handlers of transfers: they unpack puts and pack gets.

use super::landing;
use super::list::Cursor;
use super::peer;
use super::scratch::VisScratch;
use super::shape::{Shape, described};
use crate::am::library;
use crate::am::token::Token;
use crate::defs::message::{Msg, Payload};
use crate::fatal::blame::Serving;
use crate::fatal::fatal;
use crate::mem::{Src, whole};

fn understood<'a>(token: &Token, message: Src<'a>) -> (Shape<'a>, Cursor, usize) {
    match described(message) {
        Some(found) => found,
        None => fatal!("rank {} sent a malformed description of a transfer", token.source().0),
    }
}

/// Request: a description of the destination, and the bytes. (args 2) is nonzero if these belong to a put with a
/// peer completion.
pub(crate) fn on_put(token: &Token, msg: Msg<'_>) {
    let message = msg.src();
    let (shape, place, used) = understood(token, message);
    let serving = Serving::of(token.source(), "puts to");
    shape.unpack(place, message.part(used, message.len() - used));
    drop(serving);
    token.reply(library::PUT_DONE, Payload::None, &msg.args[..2]);
    if msg.args[2] != 0 {
        peer::arrived(token.source(), msg.args[2]);
    }
}

/// Request: a description of the source, of which (args 6) bytes are requested; the other arguments are returned
/// with them.
pub(crate) fn on_get(token: &Token, msg: Msg<'_>) {
    let (shape, place, _) = understood(token, msg.src());
    let mut scratch = VisScratch::take();
    let bytes = scratch.buffer(msg.args[6] as usize);
    let serving = Serving::of(token.source(), "gets from");
    shape.pack(place, bytes);
    drop(serving);
    token.reply(library::VIS_GET_DATA, Payload::Medium(bytes.as_src()), &msg.args[..6]);
}

/// Reply: bytes of the get identified by (args 0, 1), from entry (args 2, 3) at offset (args 4, 5).
pub(crate) fn on_get_data(_token: &Token, msg: Msg<'_>) {
    let place = Cursor { entry: whole(msg.args[2], msg.args[3]), skip: whole(msg.args[4], msg.args[5]) };
    landing::arrived([msg.args[0], msg.args[1]], place, msg.src());
}
