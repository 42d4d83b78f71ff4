//! The token of a message being handled: who sent it, and whether a reply is still allowed.

use core::cell::Cell;

use crate::defs::message::Category;
use crate::defs::rank::{JobRank, Location};
use crate::fatal::usage;

/// Identifies a live token to the usage checks.
const MAGIC: u32 = 0x6761_7374;

/// Lives on the dispatcher's stack for the handler's duration.
#[repr(C)]
pub struct Token {
    magic: Cell<u32>,
    source: u32,
    /// A reply may be sent: this is a request and none was sent yet.
    may_reply: Cell<bool>,
    request: bool,
    /// Of a client's handler: its index and the category of its message.
    index: Cell<u8>,
    category: Cell<Category>,
    /// The endpoints that received and sent the message.
    ep: Cell<u16>,
    source_ep: Cell<u16>,
    /// A reply is prepared and neither committed nor cancelled.
    prepared: Cell<bool>,
}

impl Token {
    #[inline]
    pub fn new(source: JobRank, request: bool) -> Token {
        Token {
            magic: Cell::new(MAGIC),
            source: source.0,
            may_reply: Cell::new(request),
            request,
            index: Cell::new(0),
            category: Cell::new(Category::Short),
            ep: Cell::new(0),
            source_ep: Cell::new(0),
            prepared: Cell::new(false),
        }
    }

    pub fn source(&self) -> JobRank {
        JobRank(self.source)
    }

    /// The endpoint that sent the message.
    pub fn source_location(&self) -> Location {
        Location { rank: self.source(), ep: self.source_ep.get() }
    }

    /// The endpoint of this rank that received the message.
    pub fn ep(&self) -> u16 {
        self.ep.get()
    }

    /// Records that the message went to endpoint `ep` of this rank, from endpoint `source_ep` of its sender.
    pub fn between(&self, source_ep: u16, ep: u16) {
        self.source_ep.set(source_ep);
        self.ep.set(ep);
    }

    pub fn is_request(&self) -> bool {
        self.request
    }

    /// The index of the client's handler that runs.
    pub fn index(&self) -> u8 {
        self.index.get()
    }

    pub fn category(&self) -> Category {
        self.category.get()
    }

    /// Records that the client's handler `index` is about to run.
    #[inline]
    pub fn enter(&self, index: u8, category: Category) {
        self.index.set(index);
        self.category.set(category);
    }

    /// False once the handler has returned.
    pub fn is_live(&self) -> bool {
        self.magic.get() == MAGIC
    }

    /// Marks the token stale when its handler has returned, so that usage checks detect a later use.
    #[inline]
    pub fn retire(&self) {
        if self.prepared.get() {
            self.left_open();
        }
        self.magic.set(0);
        // The token's frame ends here: without this the compiler may drop the store, as no code reads it.
        core::hint::black_box(&self.magic);
    }

    /// Ends the job: the handler returned with a reply prepared.
    #[cold]
    fn left_open(&self) -> ! {
        usage!(
            "gex_AM_PrepareReply",
            "handler {} (of a request from rank {}) returned without Commit or Cancel",
            self.index(),
            self.source().0
        )
    }

    /// Records whether a reply is prepared.
    pub fn set_prepared(&self, prepared: bool) {
        self.prepared.set(prepared);
    }

    /// Records that a reply has been sent.
    pub fn replied(&self) {
        self.may_reply.set(false);
    }

    #[inline]
    pub fn check_may_reply(&self, call: &str) {
        if !self.may_reply.get() {
            self.refuse(call);
        }
    }

    #[cold]
    fn refuse(&self, call: &str) -> ! {
        if !self.is_live() {
            usage!(call, "token is used after its handler returned");
        }
        if self.request {
            usage!(call, "a second reply to the same request (from rank {})", self.source);
        }
        usage!(call, "called from a reply handler; only request handlers may reply")
    }
}
