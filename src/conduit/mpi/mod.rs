//! Ranks that MPI's launcher started, over two-sided messages of MPI. A message of at most [`LIMITS`] goes to a receive
//! that its target keeps posted (`inner`); bytes beyond a bound that stay where they are go from memory to memory as bulk data
//! (`bulk`), by MPI's own rendezvous. MPI is called by one thread at a time (`shared::serialized`), since few programs
//! initialise it for more. Credits of each peer bound the messages that MPI has to store.

mod arriving;
mod bulk;
mod ending;
mod groups;
mod inner;
mod packet;
mod sending;

use crate::bootstrap::contract::Bootstrap;
use crate::conduit::entry::{self, ConduitEntry, Launch, Network};
use crate::conduit::shared::held::Own;
use crate::conduit::shared::packet::LIMITS;
use crate::conduit::shared::serialized::{Library, Properties, Serialized};
use crate::conduit::{
    AmMsg, Caps, Completion, Conduit, GroupCollective, GroupId, LocalMem, OpToken, OpenedByRank, Sent,
};
use crate::defs::rank::{JobRank, Location};
use crate::launch::external;
use crate::mem::{Dst, RemoteAddr, Src};
use crate::shims::mpi;
use inner::MpiRank;

pub(crate) static ENTRY: ConduitEntry = ConduitEntry {
    name: "mpi",
    description: "ranks on any hosts, over the machine's MPI",
    offered: true,
    launch: Launch::Library,
    counted: false,
    meets: Some(external::mpi::join),
    launchers: entry::OF_MPI,
    runners: &["gasnetrun_mpi"],
    settings: "GASNET_MPI_",
    network: Some(Network { prepare: |_, _| Ok(Box::new(OpenedByRank(join))), shared_bytes: |_| 0, limits: LIMITS }),
};

/// MPI runs already: the ranks have met by it.
fn join(bootstrap: &dyn Bootstrap) -> Result<&'static dyn Conduit, String> {
    let identity = bootstrap.identity();
    Ok(Serialized::open(MpiRank::new(mpi::open()?.open_port(), identity.me.0, identity.size)))
}

impl Library for MpiRank {
    fn properties(&self) -> Properties {
        let native = !self.is_pair();
        let caps =
            Caps { put: true, get: true, least_of_all: native, fast_barrier: native, pauses: true, ..Caps::default() };
        Properties { collects: if native { groups::offers } else { |_, _, _| false }, ..Properties::of(caps, LIMITS) }
    }

    #[inline]
    fn am(&mut self, to: Location, msg: &AmMsg<'_>) -> Sent {
        self.send_am(to.rank, msg)
    }

    #[inline]
    fn progress(&mut self, own: Own<'_>, leaving: bool) -> bool {
        self.advance(own, leaving)
    }

    fn quiet_ns(&mut self) -> u64 {
        self.nap_ns()
    }

    fn put(&mut self, to: Location, dst: RemoteAddr, src: LocalMem<Src<'_>>, stays: bool, token: OpToken) -> Sent {
        self.start_put(to.rank, dst, src.view, stays, token)
    }

    fn get(&mut self, dst: LocalMem<Dst<'_>>, from: Location, src: RemoteAddr, token: OpToken) -> Sent {
        self.start_get(dst.view, from.rank, src, token)
    }

    fn least_of_all(&mut self, words: [i64; 3], by_library: bool) {
        if by_library {
            self.groups.enter_least(&self.port, words);
        } else if !self.closed {
            let first = self.combining.enter(words);
            self.combine(first);
        }
    }

    fn least_taken(&mut self) -> Option<[i64; 3]> {
        self.combining.take().or_else(|| self.groups.least_taken())
    }

    fn group(&mut self, id: GroupId, members: &[JobRank]) -> bool {
        self.groups.make(&self.port, id, members)
    }

    fn disband(&mut self, id: GroupId) -> bool {
        self.groups.disband(id)
    }

    fn collect(
        &mut self,
        id: GroupId,
        what: &GroupCollective,
        bytes: usize,
        src: Src<'_>,
        dst: Dst<'_>,
        token: OpToken,
    ) {
        if let Some(completion) = self.groups.enter(id, what, bytes, src, dst, token) {
            self.arrivals.done(token, completion);
        }
    }

    fn counters(&self, say: &mut dyn FnMut(&str, u64)) {
        say("collectives", self.groups.executed);
        say("bulk_transfers", self.bulk_transfers);
    }

    fn gone(&mut self, rank: JobRank) {
        self.lose(rank);
        for token in self.groups.gone(rank) {
            self.arrivals.done(token, Completion::Failed);
        }
    }

    fn is_settled(&mut self) -> bool {
        self.settled()
    }

    fn parted(&mut self) -> bool {
        self.part()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conduit::conformance_tests;
    use crate::shims::mpi::ThreadLevel;

    /// Needs a shim (GASNET_SHIM_PATH), which `make check` builds where there is an MPI.
    #[test]
    fn mpi_keeps_the_contract() {
        if !conformance_tests::has_shim("conduit-mpi") {
            return;
        }
        let mpi = mpi::open().unwrap();
        // Each end has a lock of its own.
        mpi.init(ThreadLevel::Multiple).unwrap();
        conformance_tests::run(false, || mpi.open_pair().map(|port| Serialized::open(MpiRank::new(port, 0, 2))));
    }
}
