//! The types that the engine and its owner exchange.

use super::auth::Secret;
use super::held::Aligned;
use super::wire;
use crate::defs::message::Traffic;
use crate::defs::rank::JobRank;
use crate::mem::{Dst, RemoteAddr};

/// Bytes of the largest AM header.
pub(crate) const MOST_HEAD: usize = 255;

/// Resources exhausted; the operation was not started. Try again once the peer has acknowledged or handled a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Full;

/// The engine has taken something to be sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Taken {
    /// Accepted; its source was copied.
    Copied,
    /// Accepted; its source, or the destination of a get, must stay valid until [`Up::done`], or until the reply to a Long.
    Held,
    /// The rank has left: nothing is sent, and no completion is reported.
    Gone,
}

/// The completions that the end of an operation stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// A Long: its source may be reused.
    Local,
    /// A copied put: its bytes are at the target. A get: its bytes have arrived here.
    Remote,
    /// A put whose source was not copied: local and remote completion.
    Both,
}

/// The parameters of an engine. `am_window`, `most_medium` and `transfers` are the same on all ranks.
#[derive(Clone)]
pub struct Config {
    pub me: JobRank,
    pub size: u32,
    pub secret: Secret,
    pub encrypt: bool,
    /// UDP payload bytes that every path carries, and the most that the path may carry.
    pub mtu_first: usize,
    pub mtu_most: usize,
    /// Bytes in flight to one peer, at most: the capacity of its socket.
    pub in_flight: u64,
    /// Bytes of unhandled messages of one class that a peer may have here.
    pub am_window: u32,
    /// Bytes of messages of one class that wait to be sent to a peer.
    pub send_queue: u32,
    pub most_medium: usize,
    /// Puts and gets under way with a peer.
    pub transfers: usize,
    pub ack_delay_ns: u64,
    /// Time without an acknowledgement of any unit in flight after which [`Up::lost`] is called.
    pub peer_timeout_ns: u64,
}

impl Config {
    pub fn new(me: JobRank, size: u32, secret: Secret) -> Config {
        Config {
            me,
            size,
            secret,
            encrypt: false,
            mtu_first: wire::MIN_MTU,
            mtu_most: wire::MAX_MTU,
            in_flight: 1 << 20,
            am_window: 256 << 10,
            send_queue: 256 << 10,
            most_medium: 64 << 10,
            transfers: 256,
            ack_delay_ns: 100_000,
            peer_timeout_ns: 10_000_000_000,
        }
    }
}

/// Bytes of `am_window` that a message takes. A Long's payload does not count.
#[inline]
pub(crate) fn am_cost(head: usize, payload: usize) -> u32 {
    (64 + head + payload) as u32
}

/// The payload of a message that has arrived.
pub enum EnginePayload<'a> {
    /// Bytes in the datagram, without alignment; empty for a Short.
    Bytes(&'a [u8]),
    Whole(Aligned),
    /// Already in the memory that [`Up::own`] returned.
    Long(Dst<'static>),
}

/// Reports of the engine to its owner. The owner holds the engine's lock meanwhile, so it only records them.
pub trait Up {
    /// A message. Call `Engine::handled` with `cost` once it has been handled.
    fn am(&mut self, from: JobRank, traffic: Traffic, head: &[u8], payload: EnginePayload<'_>, cost: u32);
    /// `at..at + len` of this rank, for puts and gets of peers; None if they may not reach it.
    fn own(&mut self, at: RemoteAddr, len: usize) -> Option<Dst<'static>>;
    /// A peer named memory for a put or get that it may not access; nothing was done, and no answer is sent.
    fn outside(&mut self, from: JobRank, at: RemoteAddr, len: usize);
    /// The put, get or Long is complete.
    fn done(&mut self, op: u64, ended: Ended);
    /// A rank has acknowledged nothing for `silent_ns`; reported again after every further `peer_timeout_ns`.
    fn lost(&mut self, rank: JobRank, silent_ns: u64);
}
