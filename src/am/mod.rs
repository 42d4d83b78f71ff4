//! Active Messages: requests and replies, each Short, Medium or Long, to handlers named by an 8-bit index.
//! A message to a rank of the nbrhd goes through its ring, one to any other rank to the conduit; a message to oneself
//! runs its handler at once.
//!
//! Progress: a sender that finds no room polls and tries again; from inside a request handler only replies are
//! polled, and reply handlers cannot send, so replies never wait for requests.

pub mod dispatch;
pub mod poll;
pub mod request;
pub mod table;
pub mod token;
pub mod wire;

pub use crate::conduit::Payload;
use crate::conduit::{Conduit, Limits};
pub use token::Token;

/// Most arguments of a message.
pub const MAX_ARGS: usize = 16;
/// Largest payloads in shared memory. Only the segment limits a Long; clients keep it in an int.
pub const SHARED_LIMITS: Limits = Limits {
    medium: crate::nbrhd::pool::MAX_MEDIUM,
    long_request: i32::MAX as usize,
    long_reply: i32::MAX as usize,
    piece: usize::MAX,
    copied: usize::MAX,
};

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
    /// The largest payloads that reach every rank.
    pub limits: Limits,
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
        State { table: table::Table::default(), limits }
    }
}
