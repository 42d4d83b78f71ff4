//! Messages while the calls of this rank are watched: each is an event, and, if some rank writes a trace, carries a number
//! that ties its handler to its sender. Such a message travels as one of the library's, with two arguments before its own:
//! which handler of which endpoint it is for, and the number. No other message pays for that.

use crate::am::endpoint::{self, word, wrapped};
use crate::am::table::NUMBERED;
use crate::am::{MAX_ARGS, MOST_ARGS, Msg, Patience, Payload, Token};
use crate::conduit::Traffic;
use crate::fatal::fatal;
use crate::job::Job;
use crate::mem::Src;
use crate::team::Location;
use crate::trace;

/// A message on its way.
#[derive(Clone, Copy)]
pub struct Parcel<'a> {
    pub from: u16,
    pub to: Location,
    pub handler: u8,
    pub payload: Payload<'a>,
    pub args: &'a [i32],
    pub patience: Patience,
}

impl Parcel<'_> {
    fn bytes(&self) -> Option<usize> {
        self.payload.bytes()
    }

    fn carried(&self) -> Src<'_> {
        match self.payload {
            Payload::None => Src::none(),
            Payload::Medium(src) | Payload::Long(src, _) | Payload::LongAsync(src, _) => src,
        }
    }
}

/// Calls `send` with the handler and arguments that a message travels with if its number is `id`.
pub fn numbered<R>(
    from: u16,
    to: Location,
    handler: u8,
    args: &[i32],
    id: Option<u32>,
    send: impl FnOnce(u8, &[i32]) -> R,
) -> R {
    match id {
        Some(id) => {
            let mut all = [0; MOST_ARGS];
            let nargs = args.len().min(MAX_ARGS);
            (all[0], all[1]) = (word(handler, from, to.ep), id as i32);
            all[2..2 + nargs].copy_from_slice(&args[..nargs]);
            send(NUMBERED, &all[..2 + nargs])
        }
        None if from | to.ep == 0 => send(handler, args),
        None => wrapped(from, to, handler, args, send),
    }
}

/// A message with a number.
pub fn on_message(token: &Token, msg: Msg<'_>) {
    let [first, id, args @ ..] = msg.args else {
        fatal!("AM from rank {} with a number has none", token.source().0);
    };
    trace::incoming(*id as u32);
    endpoint::deliver(token, *first, Msg { args, ..msg });
}

impl Job {
    /// The request of `call`. False: nothing was sent, for want of patience.
    #[inline(never)]
    pub fn watched_request(&self, call: &str, parcel: Parcel<'_>) -> bool {
        self.poll_to_send();
        self.watched_send(call, Traffic::Request, parcel)
    }

    #[inline(never)]
    fn watched_send(&self, call: &str, traffic: Traffic, parcel: Parcel<'_>) -> bool {
        let Parcel { from, to, handler, payload, args, patience } = parcel;
        let (span, id) = trace::message(call, to.rank.0, handler, args.len(), parcel.bytes());
        trace::carries(call, to.rank.0, args, parcel.carried());
        let sent = numbered(from, to, handler, args, id, |handler, args| {
            self.am_send_any(to, traffic, handler, payload, args, patience)
        });
        if !sent {
            span.forget();
        }
        sent
    }
}

impl Token {
    /// As `try_reply`, of `call`.
    #[inline(never)]
    pub fn watched_reply(
        &self,
        call: &str,
        job: &Job,
        handler: u8,
        payload: Payload<'_>,
        args: &[i32],
        patience: Patience,
    ) -> bool {
        self.check_may_reply(call);
        let parcel = Parcel { from: self.ep(), to: self.source_location(), handler, payload, args, patience };
        let sent = job.watched_send(call, Traffic::Reply, parcel);
        if sent {
            self.replied();
        }
        sent
    }
}
