//! Messages sent while the calls of this rank are watched: each is an event and, if some rank writes a trace, its envelope
//! carries a number by which the trace matches the handler to the send. Messages of unwatched ranks have no such cost.

use crate::am::token::Token;
use crate::defs::message::{AmHeader, Envelope, Immediate, Payload, Traffic};
use crate::defs::rank::Location;
use crate::job::Job;
use crate::mem::Src;
use crate::trace;

/// The parameters of a watched message.
#[derive(Clone, Copy)]
pub struct NumberedParcel<'a> {
    pub from: u16,
    pub to: Location,
    pub handler: u8,
    pub payload: Payload<'a>,
    pub args: &'a [i32],
    pub immediate: Immediate,
}

impl NumberedParcel<'_> {
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

impl Job {
    /// Sends the request of the client's call `call`. False: no room, nothing was sent.
    #[inline(never)]
    pub fn watched_request(&self, call: &str, parcel: NumberedParcel<'_>) -> bool {
        self.poll_to_send();
        self.watched_send(call, Traffic::Request, parcel)
    }

    #[inline(never)]
    fn watched_send(&self, call: &str, traffic: Traffic, parcel: NumberedParcel<'_>) -> bool {
        let NumberedParcel { from, to, handler, payload, args, immediate } = parcel;
        let (span, number) = trace::message(call, to.rank.0, handler, args.len(), parcel.bytes());
        trace::carries(call, to.rank.0, args, parcel.carried());
        let envelope = Envelope::between(from, to.ep).numbered(number);
        let sent = self.am_send_any(to, AmHeader { traffic, handler, envelope, args }, payload, immediate);
        if !sent {
            span.forget();
        }
        sent
    }
}

impl Token {
    /// As `try_reply`, for the client's call `call`.
    #[inline(never)]
    pub fn watched_reply(
        &self,
        call: &str,
        job: &Job,
        handler: u8,
        payload: Payload<'_>,
        args: &[i32],
        immediate: Immediate,
    ) -> bool {
        self.check_may_reply(call);
        let parcel = NumberedParcel { from: self.ep(), to: self.source_location(), handler, payload, args, immediate };
        let sent = job.watched_send(call, Traffic::Reply, parcel);
        if sent {
            self.replied();
        }
        sent
    }
}
