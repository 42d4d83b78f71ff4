//! Replies, sent with the token of the request that is being handled.

use crate::am::token::Token;
use crate::defs::message::{Immediate, Payload};
use crate::job::{Job, job};

impl Token {
    /// Replies to the requester. At most once, from the request's handler only.
    pub fn reply(&self, handler: u8, payload: Payload<'_>, args: &[i32]) {
        self.reply_in(job(), handler, payload, args);
    }

    #[inline]
    pub fn reply_in(&self, job: &Job, handler: u8, payload: Payload<'_>, args: &[i32]) {
        self.try_reply("gasnet_AMReply", job, handler, payload, args, Immediate::No);
    }

    /// False: nothing was sent (resources exhausted).
    #[inline]
    pub fn try_reply(
        &self,
        call: &str,
        job: &Job,
        handler: u8,
        payload: Payload<'_>,
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
