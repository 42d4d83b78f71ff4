//! The bootstrap contract: how the ranks of a job learn their identity and exchange the few values that a network needs
//! before it can transfer messages. A start uses it once its ranks exist; earlier steps, and how a launcher starts
//! processes, are up to the implementor.
//!
//! Rules for every bootstrap
//! - `put`, `fence`, `get` and `barrier` are for the start of a job: one thread of each rank calls them, all ranks call
//!   `fence` and `barrier` in the same order. `abort` and `leave` may be called at any time, on any thread and in a
//!   signal handler: they take no lock that another call holds, and allocate nothing.
//! - A value that a rank put before a fence is returned unchanged to every rank after it; a value put later under
//!   the same key replaces it at the next fence. Values are binary. Where a launcher limits the length of values or
//!   accepts text only, the implementor splits and encodes them.
//! - A launcher sees one exchange a host, not one a rank: ranks of a host gather their values in memory first.
//! - A rank or host that dies during a call ends the job; no call hangs because of it, none returns less than was put.
//! - Values are as confidential as the launcher's connections, so a value may be a key.
//! - An implementor that finds signs of a launcher, but cannot reach its peers, ends the process with one line that
//!   names both. It never returns a job of one rank instead.

use core::ffi::c_int;
use std::net::IpAddr;

use crate::defs::rank::{HostRank, JobRank};

/// The longest key, in bytes: lower-case letters, digits, `-` and `.`.
pub const MOST_KEY: usize = 32;
/// The longest value, in bytes.
pub const MOST_VALUE: usize = 4096;

/// The identity of a rank, and the ranks of its host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    pub me: JobRank,
    /// Ranks of the job.
    pub size: u32,
    /// This rank among those of its host.
    pub here: HostRank,
    /// The ranks of this host in the order of `HostRank`, this one included.
    pub peers: Vec<JobRank>,
    /// The IP address at which peers reach the ranks of this host, if the launcher knows it.
    pub address: Option<IpAddr>,
}

pub trait Bootstrap: Sync {
    fn identity(&self) -> &Identity;

    /// Offers `value` to all ranks, from the next fence on. At most [`MOST_KEY`] and [`MOST_VALUE`] bytes.
    fn put(&self, key: &str, value: &[u8]);

    /// Returns when every rank has called it, and earlier values can be read on all ranks.
    fn fence(&self);

    /// The value that rank `of` had put under `key` before the last fence; `None` if it had put none.
    fn get(&self, of: JobRank, key: &str) -> Option<Vec<u8>>;

    /// Returns when every rank has called it.
    fn barrier(&self);

    /// Makes the launcher end the job with `code`. `line` is the reason, which is printed once for the whole job even if
    /// many ranks abort at the same time; it is empty if the reason was already printed. Does not wait for the end: the
    /// caller then ends its own process.
    fn abort(&self, code: c_int, line: &str);

    /// The name of a local socket that a process of this host binds before it prints why a job ends that is starting, so that one does;
    /// `None` if nobody does so.
    fn reason_name(&self) -> Option<&str> {
        None
    }

    /// From now on another process watches this rank and sees its death.
    fn is_watched(&self) {}

    /// The job ends, not by a crash, and all ranks call this before one of them waits for the end of another: waits until all
    /// ranks have, where the launcher's library needs that. The caller interrupts it after a time limit.
    fn part(&self) {}

    /// This rank ends without an error and no longer needs the launcher; others may still run. Called once at most.
    fn leave(&self);

    /// A pipe or socket that becomes readable, or hangs up, when a rank or the process that watches the ranks has died.
    /// `None` if the launcher then ends the job by itself. Watched after the last exchange only, since answers of an
    /// exchange may arrive there, too.
    fn died(&self) -> Option<c_int>;
}
