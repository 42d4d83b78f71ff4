//! The conduit contract. A conduit carries bytes between ranks that do not share memory. The nbrhd is tried first; only
//! operations on a target outside it reach the job's one conduit, fixed at init. `table.rs` lists all conduits.
//!
//! Rules for every conduit
//! - Required: `limits`, `am`, `poll`, `quiet_ns`, `gone`. The other functions have a reference over Active Messages
//!   above this layer, used for those that `caps` does not contain.
//! - Any thread may call any function at any time, also from inside [`Deliver::am`]: a handler replies (`am`), and
//!   while it waits for room it polls for replies. So no lock may be held while `am` or `done` of `up` is called; a thread
//!   that finds another one polling may return 0. If a library's progress call must not be nested, its conduit
//!   stores arrivals in an arrival queue (`shared::arrivals`) and delivers them after the library's call has returned.
//!   A library that allows only one thread at a time becomes a conduit by `shared::serialized`, which has the one lock.
//! - A thread that sleeps has called [`Conduit::quiet_ns`] before: messages that were held back are sent by that call, and
//!   arrivals make a descriptor of [`Conduit::wake`] readable.
//! - [`Sent::Retry`] is back-pressure: the operation was not started, and the caller polls and tries again. A conduit
//!   never waits and never polls by itself, so a caller that requests immediate return never blocks in it.
//! - Requests and replies have separate room: while there is none for requests on either side, replies still pass, since
//!   the target of a reply always accepts replies. A datagram that a conduit sends by itself (acknowledgement, bytes of
//!   a get) is like a reply: it waits only for room for replies, in bounded memory.
//! - Every message is delivered exactly once, whole, in any order. Messages to a rank that has died or left are accepted
//!   and discarded; operations with a token that were started on it report [`Completion::Failed`].
//! - Every transfer names an endpoint of the target, in whose segment the remote memory lies: [`Location`]. The
//!   envelope of a message names the same endpoint, and that of the sender.
//! - Where [`Caps::registered`] is set, the target has registered that segment and this rank has imported its key, and, unless
//!   [`Caps::any_local`] is set too,
//!   local memory that is used after the call has returned lies in a live registration, which [`LocalMem`] names. Local
//!   memory without a registration is copied: a source before the call returns, the destination of a get when its
//!   bytes have arrived; a put or get of such memory is [`Limits::copied`] bytes at most.
//! - Atomics of a conduit ([`Conduit::atomics`]) are atomic with respect to each other only: the layer above leaves all
//!   operations on a word to the conduit, or none.
//! - Collectives of groups of ranks are as [`collective`] says.
//! - A combination ([`Conduit::least_of_all`]) ends when all ranks of the job have entered; each rank gets its result once.
//! - Bytes from the network are used only after they were authenticated, and only memory that
//!   [`Deliver::own`] gives is accessed for a peer. The job ends with one line if a peer names other memory.
//! - A poll hands up no more than its budget; the rest waits for the next poll.

pub(crate) mod collective;
#[cfg(test)]
mod conformance_collectives_tests;
#[cfg(test)]
mod conformance_ends_tests;
#[cfg(test)]
mod conformance_memory_tests;
#[cfg(test)]
pub(crate) mod conformance_tests;
#[cfg(test)]
mod conformance_threads_tests;
pub(crate) mod entry;
pub(crate) mod loopback;
pub(crate) mod memory;
pub(crate) mod mpi;
pub(crate) mod ofi;
pub(crate) mod shared;
pub(crate) mod shmem;
pub(crate) mod table;
pub(crate) mod ucx;
pub(crate) mod udp;

use core::ffi::c_int;

use crate::bootstrap::contract::Bootstrap;
pub(crate) use crate::defs::message::{
    AmHeader, AmMsg, Arrived, Envelope, Limits, MAX_ARGS, OpToken, Payload, Traffic,
};
use crate::defs::rank::{HostRank, JobRank, Location};
use crate::fatal::fatal;
use crate::mem::{Dst, RemoteAddr, Src};
pub(crate) use collective::{Combine, GroupCollective, GroupId};
pub(crate) use memory::{Key, LocalMem, MAX_KEY, MemKind, NetworkSegments, Registration};
use shared::background::Background;

/// A completion of an operation, reported by [`Deliver::done`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Completion {
    /// The source may be reused. Reported once for a put or Long for which `put` or `am` returned [`Sent::Later`];
    /// never after `Remote`.
    Local,
    /// The operation is complete: a put's bytes are at the target, a get's are here.
    Remote,
    /// The target has died or left. No further completion is reported.
    Failed,
}

/// The result of an attempt to send.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sent {
    /// Complete: no completion is reported. For `am`: the message was taken, and its source may be reused.
    Done,
    /// Of a put: it was started, and its source may be reused. [`Completion::Remote`] is reported.
    Copied,
    /// Started. [`Completion::Local`] and then [`Completion::Remote`] are reported of a put, only `Remote` of a get,
    /// only `Local` of a Long.
    Later,
    /// Resource exhausted: the operation was not started.
    Retry,
}

/// The events that a poll may hand up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Take {
    /// Everything.
    All,
    /// Replies and completions only; requests stay queued, within their own room.
    Replies,
}

/// The optional operations that a conduit implements better than their references over messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Caps {
    pub put: bool,
    pub get: bool,
    /// Transfers reach registered memory only: peers import keys, and transfers name registrations.
    pub registered: bool,
    /// The local memory of transfers needs no registration, although that of peers does.
    pub any_local: bool,
    /// With `registered`: it also reaches memory of peers whose segment is all of their memory, and which is not registered.
    pub any_remote: bool,
    /// Registration pins memory, all pages of which have to be there.
    pub pins: bool,
    /// It combines words over all ranks of the job: [`Conduit::least_of_all`]. The same on all ranks.
    pub least_of_all: bool,
    /// A barrier by that combination is faster than one by messages.
    pub fast_barrier: bool,
    /// Its polls look at memory rather than call the kernel, so that a rank that waits for long leaves its core's units to the other thread
    /// of the core by a pause after each.
    pub pauses: bool,
    /// Its polls may serve puts and gets of peers and return 0. A rank that a descriptor of the network woke then stays awake for a while.
    pub serves_unseen: bool,
}

impl Caps {
    /// Whether local memory without a registration is copied.
    #[inline]
    pub fn bounces(&self) -> bool {
        self.registered && !self.any_local
    }
}

/// An operation on one number, of a type and with a code of the interface (`GEX_DT_*`, `GEX_OP_*`: one bit each). Operands
/// are bits of the type, in the low half of the word if it is narrow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Atomic {
    pub dtype: u32,
    pub op: u32,
    pub op1: u64,
    pub op2: u64,
}

/// How a rank leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// After a good end: waits at most this long until everything that was sent has arrived.
    Within { ns: u64 },
    /// At once.
    Now,
}

/// The functions above a conduit that it calls, in `poll` only.
pub trait Deliver {
    /// Runs the handler of a message from `from`.
    fn am(&self, from: JobRank, header: &AmHeader<'_>, payload: Arrived<'_>);
    /// `at..at + len` of this rank, for a put, get or Long of a peer; None if it is not in the segment.
    fn own(&self, at: RemoteAddr, len: usize) -> Option<Dst<'static>>;
    /// A completion of the operation that `token` names.
    fn done(&self, token: OpToken, completion: Completion);
    /// As `done`, for `times` pieces that have one token.
    fn done_times(&self, token: OpToken, completion: Completion, times: u32) {
        (0..times).for_each(|_| self.done(token, completion));
    }
}

/// The descriptors that a conduit makes before the ranks of a host are forked.
pub trait Links {
    /// Opens the conduit of rank `nth` of the host; called once, in that rank. All ranks of the job take part and
    /// exchange their addresses through `bootstrap`. `shared`: the memory that the network asked for (`shared_bytes`), zero
    /// before the ranks of the host write it. An error is a line for the user.
    fn join(
        self: Box<Self>,
        nth: HostRank,
        bootstrap: &dyn Bootstrap,
        shared: Dst<'static>,
    ) -> Result<&'static dyn Conduit, String>;
}

/// Those of a conduit that makes no descriptors: each rank opens its end, since most libraries may not be open when ranks are forked.
pub(crate) struct OpenedByRank(pub fn(&dyn Bootstrap) -> Result<&'static dyn Conduit, String>);

impl Links for OpenedByRank {
    fn join(
        self: Box<Self>,
        _: HostRank,
        bootstrap: &dyn Bootstrap,
        _: Dst<'static>,
    ) -> Result<&'static dyn Conduit, String> {
        (self.0)(bootstrap)
    }
}

/// A network.
pub trait Conduit: Sync {
    fn caps(&self) -> Caps {
        Caps::default()
    }

    fn limits(&self) -> Limits;

    /// The segments that the network's library makes, if it does: the ranks then attach these. Its puts, gets, atomics and payloads
    /// of Longs reach no other memory.
    fn segments(&self) -> Option<&'static NetworkSegments> {
        None
    }

    /// Registers `bytes` bytes at `start`, memory of this rank, for transfers of its endpoint `ep`, until
    /// [`Conduit::forget`]. Peers that import the key can reach the memory. An error is a line for the user. With
    /// `Caps::registered` only.
    fn register(&self, _ep: u16, _start: usize, _bytes: usize, _kind: MemKind) -> Result<(Registration, Key), String> {
        fatal!("the conduit registers no memory");
    }

    /// Imports `key`, which endpoint `of` got for its segment: this rank may reach it from now on. An error is a line for
    /// the user.
    fn import(&self, _of: Location, _key: &[u8]) -> Result<(), String> {
        fatal!("the conduit imports no keys");
    }

    /// Ends a registration. No transfer of this rank uses it, and no peer accesses it any more.
    fn forget(&self, _registration: Registration) {}

    /// Takes a message for an endpoint outside the nbrhd: `Done` or `Retry`; `Later` only for a Long with a token. A Long
    /// goes to the segment of that endpoint.
    fn am(&self, to: Location, msg: &AmMsg<'_>) -> Sent;

    /// Receives arrivals, advances operations in flight, and delivers at most about `budget` messages to `up`. Returns the
    /// number delivered, completions included; 1 if it has delivered nothing, but served a peer, unless `Caps::serves_unseen`, or advanced an
    /// operation.
    fn poll(&self, up: &dyn Deliver, take: Take, budget: u32) -> u32;

    /// Descriptors that can be read when something may have arrived; negative: none. A conduit without descriptors
    /// returns from `quiet_ns` the time after which it has to be polled.
    fn wake(&self) -> [c_int; 2] {
        [-1; 2]
    }

    /// Called before a thread sleeps: sends batched messages, and returns the nanoseconds after which a poll is
    /// needed although no descriptor of `wake` can be read; 0: at once.
    fn quiet_ns(&self) -> u64;

    /// Starts to copy `src` to `dst` in the segment of `to`: `Copied`, `Later` or `Retry`. `stays`: the source does not
    /// change until local completion; otherwise it is copied, and is `Limits::copied` bytes at most.
    fn put(&self, _to: Location, _dst: RemoteAddr, _src: LocalMem<Src<'_>>, _stays: bool, _token: OpToken) -> Sent {
        fatal!("the conduit has no put");
    }

    /// Starts to copy from `src` in the segment of `from` to `dst`, which stays until the get is complete: `Later` or
    /// `Retry`.
    fn get(&self, _dst: LocalMem<Dst<'_>>, _from: Location, _src: RemoteAddr, _token: OpToken) -> Sent {
        fatal!("the conduit has no get");
    }

    /// Whether it has `put_until_quiet`, `quieten` and `get_at_once`, for segments that it has made (`segments`).
    fn quiets(&self) -> bool {
        false
    }

    /// Copies `src` to `dst` in the segment of `to`: on return the source may be reused, and `quieten` completes the put. Reports no
    /// completion. False: nothing was done, and `put` is to be used.
    fn put_until_quiet(&self, _to: Location, _dst: RemoteAddr, _src: Src<'_>) -> bool {
        false
    }

    /// All puts by `put_until_quiet` are complete on return.
    fn quieten(&self) {}

    /// Copies from `src` in the segment of `from` to `dst`, complete on return. False: nothing was done, and `get` is to be used.
    fn get_at_once(&self, _dst: Dst<'_>, _from: Location, _src: RemoteAddr) -> bool {
        false
    }

    /// The operations, bits of `GEX_OP_*`, that it executes on a type itself, atomic with respect to each other and to
    /// nothing else. The same on all ranks.
    fn atomics(&self, _dtype: u32) -> u32 {
        0
    }

    /// Starts `what`, one of `atomics`, on the aligned number at `at` in the segment of `to`, which may be any rank, this
    /// one too: `Done`, `Later` or `Retry`. `result`: where the previous value goes, if the operation fetches it; it stays
    /// until the operation is complete. After `Later`, [`Completion::Remote`] is reported.
    fn atomic(
        &self,
        _to: Location,
        _at: RemoteAddr,
        _what: &Atomic,
        _result: Option<Dst<'_>>,
        _token: OpToken,
    ) -> Sent {
        fatal!("the conduit has no atomics");
    }

    /// Enters the next combination of all ranks of the job: the least of each word. A rank enters again only after
    /// `least_taken` has given it the result before. `by_library`: by an all-reduce of the library, if it has one that does not block; the
    /// same on all ranks. With `Caps::least_of_all` only.
    fn least_of_all(&self, _words: [i64; 3], _by_library: bool) {
        fatal!("the conduit combines no words");
    }

    /// The result of the combination that this rank has entered, given once; None until all have entered. Polls bring it.
    fn least_taken(&self) -> Option<[i64; 3]> {
        None
    }

    /// Whether it executes `what` of blocks of `bytes` bytes in groups of `members`. The same on all ranks.
    fn collects(&self, _what: &GroupCollective, _members: u32, _bytes: usize) -> bool {
        false
    }

    /// Makes the group `id` of `members`, of which this rank is one. May wait for the others to do so. False: there
    /// is room for no more groups; all members get the same answer.
    fn group(&self, _id: GroupId, _members: &[JobRank]) -> bool {
        false
    }

    /// Ends the group. False: a collective of it is in flight on this rank, and nothing was done.
    fn disband(&self, _id: GroupId) -> bool {
        fatal!("the conduit has no groups");
    }

    /// Enters the next collective of the group, which is `what`, of blocks of `bytes` bytes, for which `collects` is
    /// true. `src` and `dst`, which may be the same, stay until [`Completion::Remote`] or [`Completion::Failed`] is
    /// reported: this rank's part is done, and its result is here.
    fn collect(
        &self,
        _id: GroupId,
        _what: &GroupCollective,
        _bytes: usize,
        _src: Src<'_>,
        _dst: Dst<'_>,
        _token: OpToken,
    ) {
        fatal!("the conduit has no collectives");
    }

    /// `rank` has died or left: operations in flight to it fail, and so do all that are started on it from now on.
    /// Messages from it that have arrived are still handed up.
    fn gone(&self, rank: JobRank);

    /// The conduit's background work, if any, for a progress thread that the client provides.
    fn background(&self) -> Option<&'static dyn Background> {
        None
    }

    /// Calls `say` with the name and value of each counter of the conduit. May be called in a signal handler.
    fn counters(&self, _say: &mut dyn FnMut(&str, u64)) {}

    /// The job ends, not by a crash, and all ranks call this after `stop`. Returns when all have and nothing is in flight between
    /// them, where the network's library has to be left so; or once `goes_on` says no. Else as `stop`.
    fn part(&self, _goes_on: &dyn Fn() -> bool, _up: &dyn Deliver) {}

    /// The rank leaves; called at most once, by one thread, while others may still be inside. Runs where a signal
    /// handler may, with memory of the reserve (os/reserve.rs), and every wait for a lock has a time limit. Until it
    /// returns, peers' puts, gets and payloads of Longs are served in the memory that `up` owns; no handler runs, and an
    /// address outside that memory is no longer an error.
    fn stop(&self, _how: Stop, _up: &dyn Deliver) {}
}
