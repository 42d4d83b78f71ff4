//! Ranks that MPI's launcher started, over two-sided messages of MPI. A message of at most [`LIMITS`] goes to a receive
//! that its target keeps posted (`inner`); bytes beyond a bound that stay where they are go from memory to memory as bulk data
//! (`bulk`), by MPI's own rendezvous, and gets may be `MPI_Rget` (`windows`). MPI is called by one thread at a time
//! (`shared::serialized`), since few programs initialise it for more. Credits of each peer bound the messages that MPI has to store.

mod arriving;
mod bulk;
mod ending;
mod groups;
mod inner;
mod packet;
mod sending;
mod windows;

use crate::bootstrap::contract::Bootstrap;
use crate::conduit::entry::{self, ConduitEntry, Launch, Network};
use crate::conduit::shared::held::Own;
use crate::conduit::shared::packet::LIMITS;
use crate::conduit::shared::serialized::{Library, Properties, Serialized};
use crate::conduit::{
    AmMsg, Caps, Completion, Conduit, GroupCollective, GroupId, Key, LocalMem, MemKind, OpToken, OpenedByRank,
    Registration, Sent,
};
use crate::defs::rank::{JobRank, Location};
use crate::env;
use crate::launch::external;
use crate::mem::{Dst, RemoteAddr, Src};
use crate::shims::mpi;
use inner::MpiRank;
use windows::Windows;

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
    let mpi = mpi::open()?;
    let has_windows = env::choice("GASNET_MPI_RMA") == "windows";
    if mpi.allgather(&[has_windows.into()])?.iter().any(|other| *other != u8::from(has_windows)) {
        return Err("GASNET_MPI_RMA differs among the ranks: all need the same".to_owned());
    }
    let probes = match env::choice("GASNET_MPI_RECEIVES") {
        "auto" => mpi.world().loses_receives,
        named => named == "probed",
    };
    let mut inner = MpiRank::new(mpi.open_port(probes), identity.me.0, identity.size);
    if has_windows {
        inner.windows = Some(Windows::make(&inner.port)?);
    }
    Ok(Serialized::open(inner))
}

impl Library for MpiRank {
    fn properties(&self) -> Properties {
        let native = !self.is_pair();
        let by_window = self.windows.is_some();
        let caps = Caps {
            put: true,
            get: true,
            registered: by_window,
            any_local: by_window,
            any_remote: by_window,
            least_of_all: native,
            fast_barrier: native,
            pauses: true,
            ..Caps::default()
        };
        Properties { collects: if native { groups::offers } else { |_, _, _| false }, ..Properties::of(caps, LIMITS) }
    }

    fn register(&mut self, _: u16, start: usize, bytes: usize, _: MemKind) -> Result<(Registration, Key), String> {
        let MpiRank { windows, port, .. } = self;
        windows.as_mut().ok_or("conduit mpi has no windows (GASNET_MPI_RMA)")?.attach(port, start, bytes)
    }

    fn import(&mut self, of: Location, key: &[u8]) -> Result<(), String> {
        self.windows.as_mut().map_or(Ok(()), |windows| windows.import(of, key))
    }

    fn forget(&mut self, registration: Registration) {
        if let Some(windows) = &mut self.windows {
            windows.detach(&self.port, registration);
        }
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
        self.start_put(to, dst, src.view, stays, token)
    }

    fn get(&mut self, dst: LocalMem<Dst<'_>>, from: Location, src: RemoteAddr, token: OpToken) -> Sent {
        self.start_get(dst.view, from, src, token)
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
        if let Some(windows) = &self.windows {
            say("window_gets", windows.gets);
        }
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
        for (has_windows, probes) in [(false, false), (false, true), (true, false)] {
            // Open MPI 4.1 makes no window of a process without peers.
            if has_windows && mpi.open_port(probes).make_window().is_err() {
                eprintln!("skipped with windows: {} makes none here", mpi.file);
                break;
            }
            conformance_tests::run(false, || {
                mpi.open_pair(probes).map(|port| {
                    let mut inner = MpiRank::new(port, 0, 2);
                    inner.windows = has_windows.then(|| Windows::make(&inner.port).unwrap());
                    Serialized::open(inner)
                })
            });
        }
    }
}
