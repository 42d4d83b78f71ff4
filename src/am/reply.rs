//! Replies, sent with the token of the request that is being handled.

use crate::am::token::Token;
use crate::defs::message::{Immediate, Payload};
use crate::job::{Job, job};

impl Token {
    /// Replies to the requester. At most once, from the request's handler only.
    #[inline(never)]
    pub fn reply(&self, handler: u8, payload: Payload<'_>, args: &[i32]) {
        self.try_reply("gasnet_AMReply", job(), handler, || payload, args, Immediate::No);
    }

    /// As `reply`; false: nothing was sent (resources exhausted).
    // Inlined as `am_request_at` is.
    #[inline(always)]
    pub fn try_reply<'p>(
        &self,
        call: &str,
        job: &Job,
        handler: u8,
        payload: impl Fn() -> Payload<'p>,
        args: &[i32],
        immediate: Immediate,
    ) -> bool {
        self.check_may_reply(call);
        let sent = job.am_reply(self.ep(), self.source_location(), handler, payload, args, immediate);
        if sent {
            self.replied();
        }
        sent
    }
}
