//! Active Messages: requests and replies, each Short, Medium or Long, to handlers named by an 8-bit index.
//! A message to a rank of the host goes through its ring (nbrhd); a message to oneself runs its handler at once.
//!
//! Progress: a sender that finds no room polls and tries again; from inside a request handler only replies are
//! polled, and reply handlers cannot send, so replies never wait for requests.

pub mod dispatch;
pub mod poll;
pub mod request;
pub mod table;
pub mod token;
pub mod wire;

use crate::mem::{RemoteAddr, Src};
pub use token::Token;

/// Most arguments of a message.
pub const MAX_ARGS: usize = 16;
/// Largest Medium payload.
pub const MAX_MEDIUM: usize = crate::nbrhd::pool::MAX_MEDIUM;
/// Largest Long payload; only the segment limits it. Clients keep it in an int.
pub const MAX_LONG: usize = i32::MAX as usize;

/// What travels beside the arguments.
#[derive(Clone, Copy)]
pub enum Payload<'a> {
    None,
    Medium(Src<'a>),
    Long(Src<'a>, RemoteAddr),
    LongAsync(Src<'a>, RemoteAddr),
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
#[derive(Default)]
pub struct State {
    pub table: table::Table,
}
