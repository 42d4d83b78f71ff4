//! Active Messages: requests and replies, each Short, Medium or Long, to handlers named by an 8-bit index.
//! A message to a rank of the nbrhd goes through its ring, one to any other rank to the conduit; a message to oneself
//! runs its handler at once. A message between other endpoints than the first ones carries an envelope (endpoint.rs); a
//! Long whose place no one but its owner has mapped goes in pieces (pieces.rs).
//!
//! Progress: a sender that finds no room polls and tries again; from inside a request handler only replies are
//! polled, and reply handlers cannot send, so replies never wait for requests.

pub mod clock;
pub mod deaths;
pub mod dispatch;
pub mod endpoint;
pub mod limits;
pub mod numbered;
pub mod pieces;
pub mod poll;
pub mod prepared;
pub mod request;
pub mod served;
pub mod table;
pub mod token;
pub mod wire;

use crate::conduit::{Conduit, Limits};
pub use crate::conduit::{MAX_ARGS, Payload};
use crate::endpoint::{at as endpoint_at, capability};
use crate::job::Job;
pub use token::Token;

/// Largest payloads in shared memory. Only the segment limits a Long; clients keep it in an int.
pub const SHARED_LIMITS: Limits = Limits {
    medium: crate::nbrhd::pool::MAX_MEDIUM,
    long_request: i32::MAX as usize,
    long_reply: i32::MAX as usize,
    piece: usize::MAX,
    copied: usize::MAX,
};

/// What a message carries beside its arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Category {
    Short,
    Medium,
    Long,
}

impl Category {
    pub fn name(self) -> &'static str {
        match self {
            Category::Short => "Short",
            Category::Medium => "Medium",
            Category::Long => "Long",
        }
    }
}

/// What a sender does that finds no room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Immediate {
    /// It waits, polling.
    No,
    /// It sends nothing, and says so.
    Yes,
    /// Part of an immediate operation that has begun: it leaves the bytes to the send queue where the conduit moves them,
    /// and waits where messages do.
    Begun,
}

impl Immediate {
    /// For the parts of an operation that follow the one that was started with this.
    pub fn next(self) -> Immediate {
        if self == Immediate::No { self } else { Immediate::Begun }
    }
}

/// A message as its handler sees it.
pub struct Msg<'a> {
    pub args: &'a [i32],
    pub buf: *mut core::ffi::c_void,
    pub nbytes: usize,
}

/// A handler of the library itself (indices below 128).
pub type LibHandler = fn(&Token, Msg<'_>);

/// The AM state of a rank.
pub struct State {
    pub table: table::Table,
    pub pieces: pieces::Pieces,
    /// The largest payloads that reach every rank.
    pub limits: Limits,
}

impl Job {
    /// Where handler `index` of endpoint `ep` of this rank is, if that is there, and for messages. What the client has
    /// not registered there is looked for at the first endpoint: clients that make more may register once.
    pub fn endpoint_table(&self, ep: u16, index: u8) -> Option<&table::Table> {
        if ep == 0 {
            return Some(&self.am.table);
        }
        let own = &endpoint_at(ep).filter(|ep| ep.capabilities & capability::AM != 0)?.table;
        Some(if own.client(index) == 0 { &self.am.table } else { own })
    }
}

impl State {
    pub fn new(conduit: Option<&dyn Conduit>) -> State {
        let shared = SHARED_LIMITS;
        let limits = conduit.map_or(shared, |conduit| {
            let far = conduit.limits();
            Limits {
                medium: far.medium.min(shared.medium),
                long_request: far.long_request.min(shared.long_request),
                long_reply: far.long_reply.min(shared.long_reply),
                piece: far.piece,
                copied: far.copied,
            }
        });
        State { table: table::Table::default(), pieces: pieces::Pieces::default(), limits }
    }
}

impl Payload<'_> {
    /// Its length; None: there is none.
    #[inline]
    pub fn bytes(&self) -> Option<usize> {
        match self {
            Payload::None => None,
            Payload::Medium(src) | Payload::Long(src, _) | Payload::LongAsync(src, _) => Some(src.len()),
        }
    }
}
