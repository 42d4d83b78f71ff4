//! The bootstrap contract: how the ranks of a job learn who they are and exchange the few values that a network needs
//! before it can carry anything. A start uses it once its ranks exist; earlier steps, and how a launcher starts
//! processes, are up to the implementor.
//!
//! Rules for every bootstrap
//! - `put`, `fence`, `get` and `barrier` are for the start of a job: one thread of each rank calls them, all ranks call
//!   `fence` and `barrier` in the same order. `abort` and `leave` may be called at any time, on any thread and in a
//!   signal handler: they take no lock that another call holds, and allocate nothing.
//! - A value that a rank put before a fence is returned unchanged to every rank after it; a value put later under
//!   the same key takes its place with the next fence. Values are binary. An implementor over a launcher whose values
//!   are shorter or text cuts and encodes them.
//! - A launcher sees one exchange a host, not one a rank: ranks of a host gather their values in memory first.
//! - A rank or host that dies during a call ends the job; no call hangs because of it, none returns less than was put.
//! - The bytes are as secret as the launcher's connections are, so that a key may be one of the values.
//! - An implementor that finds signs of a launcher, but cannot reach its peers, ends the process with one line that
//!   names both. It never returns a job of one rank instead.

use core::ffi::c_int;
use std::net::IpAddr;

use crate::defs::rank::{HostRank, JobRank};

/// The longest key, in bytes: lower-case letters, digits, `-` and `.`.
pub const MOST_KEY: usize = 32;
/// The longest value, in bytes.
pub const MOST_VALUE: usize = 4096;

/// Who a rank is, and who shares its host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    pub me: JobRank,
    /// Ranks of the job.
    pub size: u32,
    /// This rank among those of its host.
    pub here: HostRank,
    /// The ranks of this host in the order of `HostRank`, this one included.
    pub peers: Vec<JobRank>,
    /// The address at which this host's ranks are to be reached, as far as the launcher knows.
    pub address: Option<IpAddr>,
}

pub trait Bootstrap: Sync {
    fn identity(&self) -> &Identity;

    /// Offers `value` to all ranks, from the next fence on. At most [`MOST_KEY`] and [`MOST_VALUE`] bytes.
    fn put(&self, key: &str, value: &[u8]);

    /// Returns when every rank has called it, and values that were put before can be had everywhere.
    fn fence(&self);

    /// The value that rank `of` had put under `key` before the last fence; `None` if it had put none.
    fn get(&self, of: JobRank, key: &str) -> Option<Vec<u8>>;

    /// Returns when every rank has called it.
    fn barrier(&self);

    /// Has the launcher end the job with `code`, and say why: `line`, which is printed once for the whole job even if
    /// many ranks abort at the same time; an empty one means that it has been said. Returns at once: the caller goes
    /// on to end its own process.
    fn abort(&self, code: c_int, line: &str);

    /// From now on something else sees whether this rank dies.
    fn is_watched(&self) {}

    /// This rank ends well and needs the launcher no more; others may still run. Called once at most.
    fn leave(&self);

    /// A pipe or socket that can be read, or hangs up, when a rank has died or what watches the ranks has. `None` if
    /// the launcher ends the job by itself then. To be watched after the last exchange: its answers may come there, too.
    fn died(&self) -> Option<c_int>;
}
