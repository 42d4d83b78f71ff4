//! The properties of a conduit that are known before a job starts; each conduit has one entry, which the table lists (table.rs).

use core::fmt;
use std::net::IpAddr;

use super::{Limits, Links};
use crate::bootstrap::contract::Bootstrap;

/// How the processes of a job are started.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Launch {
    /// Rank 0 forks the others: one host, `GASNET_PSHM_NODES` ranks.
    Fork,
    /// A master starts them, on any number of hosts.
    Master,
    /// The launcher of the network's library, by which they also meet ([`ConduitEntry::meets`]).
    Library,
}

/// Makes the descriptors that the `ranks` ranks of this host need before they are forked. `address`: the IP address at which
/// peers reach them, if the launcher knows it. An error is a line for the user.
pub(crate) type Prepare = fn(ranks: u32, address: Option<IpAddr>) -> Result<Box<dyn Links>, String>;

/// A network.
pub struct Network {
    pub prepare: Prepare,
    /// Bytes of memory for a job of a number of ranks that the ranks of a host share for the conduit's tables.
    pub shared_bytes: fn(size: u32) -> usize,
    /// The value that [`super::Conduit::limits`] will return.
    pub limits: Limits,
}

/// Joins the job by the network's library; `concurrent`: the client calls from several threads. An error is a line for the user.
pub(crate) type Meets = fn(concurrent: bool) -> Result<&'static dyn Bootstrap, String>;

/// Launchers of MPI.
pub(crate) const OF_MPI: &[&str] = &["mpirun", "mpiexec", "mpirun.openmpi", "mpiexec.hydra"];

/// A conduit, by name.
pub struct ConduitEntry {
    pub name: &'static str,
    pub description: &'static str,
    /// Clients can be built for it: the Makefile installs its headers and programs. False for conduits of tests.
    pub offered: bool,
    pub launch: Launch,
    /// A process that a launcher started alone, with a number as first argument, is the master of that many ranks, as in other GASNet libraries
    /// (`mpirun -n 1 ./a.out 4`). Where this is false, its job has one rank.
    pub counted: bool,
    /// With [`Launch::Library`] only.
    pub meets: Option<Meets>,
    /// Programs that start its jobs, where gasnetrun is to use the launcher of a library (`-spawner=mpi`), in the order in which they are
    /// looked for.
    pub launchers: &'static [&'static str],
    /// Names under which gasnetrun starts its jobs.
    pub runners: &'static [&'static str],
    /// The prefix of its own settings.
    pub settings: &'static str,
    /// None: all ranks share memory.
    pub network: Option<Network>,
}

impl fmt::Debug for ConduitEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for ConduitEntry {
    fn eq(&self, other: &ConduitEntry) -> bool {
        self.name == other.name
    }
}
