//! The conduit contract: what carries bytes between ranks that do not share memory. The nbrhd is asked first; only a
//! target outside it reaches the job's one conduit, fixed at init.
//!
//! What holds for every conduit
//! - Required: `limits`, `am`, `poll`, `wait`. The rest has a reference over Active Messages above this layer, used
//!   where `caps` does not say that the conduit does better.
//! - Any thread may call any function at any time, also from inside [`Deliver::am`]: a handler replies (`am`), and
//!   while it waits for room it polls for replies. So no lock may be held while anything of `up` is called; a thread
//!   that finds another one polling may return 0.
//! - [`Sent::Retry`] is back-pressure: nothing was taken, and the caller polls and tries again. A conduit never waits
//!   and never polls by itself.
//! - Requests and replies have room of their own: while requests find none on either side, replies still pass, as the
//!   target of a reply always takes replies. What a conduit owes by itself (acknowledgements, the bytes of a get) is
//!   like a reply: it waits for nothing but room for replies, in bounded memory.
//! - Every message is delivered exactly once, whole, in any order. A rank that is gone takes everything and says
//!   nothing: whoever watches the ranks ends the job.
//! - Bytes that came from the network are believed only after they were authenticated, and only places that
//!   [`Deliver::own`] gives are written.

#[cfg(test)]
pub mod conformance_tests;
pub mod loopback;
pub mod udp;

use core::ffi::c_int;
use std::net::IpAddr;

use crate::bootstrap::contract::Bootstrap;
use crate::fatal::fatal;
use crate::job::{HostRank, JobRank};
use crate::mem::{Dst, RemoteAddr, Src};
pub use crate::nbrhd::pool::Traffic;

/// Arguments of a message at most: 16 of the client's, and two of this library's own.
pub const MOST_ARGS: usize = 18;

/// What travels beside the arguments of a message.
#[derive(Clone, Copy)]
pub enum Payload<'a> {
    None,
    Medium(Src<'a>),
    Long(Src<'a>, RemoteAddr),
    /// As Long, but the source stays as it is until the target's reply has been handled.
    LongAsync(Src<'a>, RemoteAddr),
}

/// A message to be sent. Everything behind it may change once `am` has returned, but for the source of a LongAsync or
/// a held Long.
#[derive(Clone, Copy)]
pub struct AmMsg<'a> {
    pub traffic: Traffic,
    pub handler: u8,
    pub args: &'a [i32],
    pub payload: Payload<'a>,
    /// Of a Long that is longer than [`Limits::copied`], to a conduit that can put: its source stays as it is until
    /// [`Deliver::done`], if `am` says `Later`.
    pub held: Option<Leaf>,
}

/// The payload of a message that has arrived.
#[derive(Clone, Copy)]
pub enum Arrived<'a> {
    None,
    /// In a buffer of the conduit's, aligned to 16 bytes; the handler may write it.
    Medium(Dst<'a>),
    /// In place, where [`Deliver::own`] said.
    Long(Dst<'a>),
}

/// What became of something to be sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sent {
    /// Nothing more will be said about it. For `am`: it was taken. For put and get: the bytes are there.
    Done,
    /// Taken; [`Deliver::done`] follows. For `am`: only for a held Long.
    Later,
    /// No room: nothing was taken.
    Retry,
}

/// Names a put, get or held Long from its start until [`Deliver::done`]. Means nothing to conduits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leaf(pub u64);

/// What a poll may hand up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Take {
    /// Everything.
    All,
    /// Replies and completions only; requests stay where they are, within the room that they have.
    Replies,
}

/// What a conduit does itself, better than messages would.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Caps {
    pub put: bool,
    pub get: bool,
}

/// Sizes in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Largest Medium, at least 512.
    pub medium: usize,
    /// Largest Long request and reply, at least `medium`.
    pub long_request: usize,
    pub long_reply: usize,
    /// Largest put or get in one call; more comes in pieces. With the caps only.
    pub piece: usize,
    /// Largest put, and largest Long, whose source is copied before the call returns. With the caps only.
    pub copied: usize,
}

/// How a rank leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// In peace: what was sent should arrive, if that takes no longer than this.
    Within { ns: u64 },
    /// At once.
    Now,
}

/// The way up: what a conduit calls, in `poll` only.
pub trait Deliver {
    /// Runs the handler of a message from `from`. At most [`MOST_ARGS`] arguments.
    fn am(&self, from: JobRank, traffic: Traffic, handler: u8, args: &[i32], payload: Arrived<'_>);
    /// `at..at + len` of this rank, for what a peer puts, gets or sends as Long; None if it is not in the segment.
    fn own(&self, at: RemoteAddr, len: usize) -> Option<Dst<'static>>;
    /// The put or get is complete: its bytes are at the target, or here; or the held Long's source is free.
    fn done(&self, leaf: Leaf);
}

/// What a conduit makes before the ranks of a host are forked.
pub trait Links {
    /// The conduit of one of those ranks, the `nth`; called once, in that rank, by all ranks of the job. They tell each
    /// other through `bootstrap` where they are. An error is a line for the user.
    fn join(self: Box<Self>, nth: HostRank, bootstrap: &dyn Bootstrap) -> Result<&'static dyn Conduit, String>;
}

/// Whether a master starts the jobs of conduit `name`, host by host.
pub fn has_master(name: &str) -> bool {
    name == "udp"
}

/// Gets conduit `name` ready for `ranks` ranks of this host, before they are forked. `address`: at which they are to be
/// reached, as far as the launcher knows. None: the conduit has no network. An error is a line for the user.
pub fn prepare(name: &str, ranks: u32, address: Option<IpAddr>) -> Result<Option<Box<dyn Links>>, String> {
    match name {
        "udp" => Ok(Some(Box::new(udp::meeting::prepare(ranks, address)?))),
        "loopback" => match loopback::prepare(ranks) {
            Ok(sockets) => Ok(Some(Box::new(sockets))),
            Err(error) => Err(format!("no {name} links between {ranks} ranks: {error} (ulimit -n)")),
        },
        _ => Ok(None),
    }
}

/// A network.
pub trait Conduit: Sync {
    fn caps(&self) -> Caps {
        Caps::default()
    }

    fn limits(&self) -> Limits;

    /// Takes a message for a rank outside the nbrhd: `Done` or `Retry`; perhaps `Later` for a held Long.
    fn am(&self, to: JobRank, msg: &AmMsg<'_>) -> Sent;

    /// Takes in what has arrived and moves on what is owed, and hands up about `budget` messages at most. Returns how
    /// many it handed up, completions included.
    fn poll(&self, up: &dyn Deliver, take: Take, budget: u32) -> u32;

    /// Sleeps until something may have arrived, `bell` can be read, or `ns` have passed, whichever is first; sends
    /// before what it holds back. May return too early, never needs to be right: the caller polls again.
    fn wait(&self, bell: c_int, ns: u64);

    /// Starts to copy `src` to `dst` on `to`. `stays`: the source stays as it is until `done`; else it is copied, and
    /// is `Limits::copied` bytes at most.
    fn put(&self, _to: JobRank, _dst: RemoteAddr, _src: Src<'_>, _stays: bool, _leaf: Leaf) -> Sent {
        fatal!("the conduit has no put");
    }

    /// Starts to copy from `src` on `from` to `dst`, which stays until `done`.
    fn get(&self, _dst: Dst<'_>, _from: JobRank, _src: RemoteAddr, _leaf: Leaf) -> Sent {
        fatal!("the conduit has no get");
    }

    /// Calls `say` with the name and value of what the conduit counts. May be called where a signal handler may be.
    fn counters(&self, _say: &mut dyn FnMut(&str, u64)) {}

    /// The rank leaves; called at most once, by one thread, while others may still be inside. Runs where a signal
    /// handler may, with memory of the reserve (os/heap.rs), and must wait for no lock without a limit. Until it returns, peers' puts, gets and payloads of Longs
    /// are served in the memory that `up` owns; no handler runs, and an address outside is no error any more.
    fn stop(&self, _how: Stop, _up: &dyn Deliver) {}
}
