//! Active Messages: requests and replies, each Short, Medium or Long, to handlers named by an 8-bit index.
//! A message to a rank of the nbrhd goes through its ring, one to any other rank to the conduit; a message to oneself
//! runs its handler at once. A message between endpoints other than number 0 carries an envelope (defs/message.rs); a
//! Long to memory that only its owner has mapped is sent in pieces (pieces.rs). Messages that an operation started with
//! IMMEDIATE could not send yet wait in deferred.rs.
//!
//! Progress: a sender that finds no room polls and tries again; from inside a request handler only replies are
//! polled, and reply handlers cannot send, so replies never wait for requests.

pub(crate) mod deaths;
pub(crate) mod deferred;
pub(crate) mod dispatch;
pub(crate) mod event_list;
pub(crate) mod library;
pub(crate) mod limits;
pub(crate) mod numbered;
pub(crate) mod pieces;
pub(crate) mod poll;
pub(crate) mod prepared;
#[cfg(test)]
mod prepared_tests;
#[cfg(test)]
mod rank_tests;
pub(crate) mod receive_thread;
mod reply;
pub(crate) mod request;
mod sync;
pub(crate) mod token;
pub(crate) mod wait;
pub(crate) mod wire;
