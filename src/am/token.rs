//! The token of a message being handled: who sent it, and whether a reply is still allowed.

use core::cell::Cell;

use crate::am::Payload;
use crate::fatal::usage;
use crate::job::{Job, JobRank, job};

/// Says "this really is a token" to the usage checks.
const MAGIC: u32 = 0x6761_7374;

/// Lives on the dispatcher's stack for the handler's duration.
#[repr(C)]
pub struct Token {
    magic: Cell<u32>,
    source: u32,
    /// A reply may be sent: this is a request and none was sent yet.
    may_reply: Cell<bool>,
    request: bool,
}

impl Token {
    pub fn new(source: JobRank, request: bool) -> Token {
        Token { magic: Cell::new(MAGIC), source: source.0, may_reply: Cell::new(request), request }
    }

    pub fn source(&self) -> JobRank {
        JobRank(self.source)
    }

    pub fn is_request(&self) -> bool {
        self.request
    }

    /// False once the handler has returned.
    pub fn is_live(&self) -> bool {
        self.magic.get() == MAGIC
    }

    /// The handler returned: a later use of the token is detectable.
    pub fn retire(&self) {
        self.magic.set(0);
    }

    /// Replies to the requester. At most once, from the request's handler only.
    pub fn reply(&self, handler: u8, payload: Payload<'_>, args: &[i32]) {
        self.reply_in(job(), handler, payload, args);
    }

    pub fn reply_in(&self, job: &Job, handler: u8, payload: Payload<'_>, args: &[i32]) {
        if !self.may_reply.replace(false) {
            self.refuse();
        }
        job.am_reply(self.source(), handler, payload, args);
    }

    #[cold]
    fn refuse(&self) -> ! {
        if !self.is_live() {
            usage!("gasnet_AMReply", "token is used after its handler returned");
        }
        if self.request {
            usage!("gasnet_AMReply", "a second reply to the same request (from rank {})", self.source);
        }
        usage!("gasnet_AMReply", "called from a reply handler; only request handlers may reply")
    }
}
