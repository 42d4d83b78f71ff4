//! Ranks on any hosts, over libfabric: whatever provider is there (`choosing`), with reliable datagram endpoints (`meeting`). A message of at most
//! [`LIMITS`] goes to a receive that its target keeps posted (`receive`); puts, gets, the payloads of long messages and atomics are the provider's
//! (`transfers`), by keys that peers have imported (`keys`). Where a packet costs microseconds, short messages share packets
//! (`shared::batches`). libfabric is called by one thread at a time (`shared::serialized`). Credits of each
//! peer bound the messages that the provider has to store (`rank`).

mod arriving;
mod asks;
mod bounce;
mod buffers;
pub(crate) mod choosing;
mod flights;
mod hoses;
mod keys;
mod local;
mod meeting;
mod messages;
mod named;
mod nudges;
mod operations;
mod packet;
mod parts;
mod port;
mod rank;
mod receive;
mod segments;
mod transfers;

use crate::conduit::entry::{self, ConduitEntry, Launch, Network};
use crate::conduit::shared::background::BackgroundWork;
use crate::conduit::shared::held::Own;
use crate::conduit::shared::packet::LIMITS;
use crate::conduit::shared::serialized::{Leaving, Library, Properties};
use crate::conduit::{AmMsg, Atomic, Caps, Key, LocalMem, MemKind, OpToken, OpenedByRank, Registration, Sent};
use crate::defs::rank::{JobRank, Location};
use crate::mem::{Dst, RemoteAddr, Src};
use rank::OfiRank;

pub(crate) static ENTRY: ConduitEntry = ConduitEntry {
    name: "ofi",
    description: "ranks on any hosts, over the machine's libfabric",
    offered: true,
    launch: Launch::Master,
    counted: false,
    meets: None,
    launchers: entry::OF_MPI,
    runners: &["gasnetrun_ofi"],
    settings: "GASNET_OFI_",
    network: Some(Network {
        prepare: |_, _| Ok(Box::new(OpenedByRank(meeting::meet))),
        shared_bytes: |_| 0,
        limits: LIMITS,
    }),
};

impl Library for OfiRank {
    fn properties(&self) -> Properties {
        let pins = self.port.pins();
        let caps = Caps {
            put: true,
            get: true,
            registered: true,
            any_local: true,
            any_remote: true,
            pins,
            pauses: true,
            serves_unseen: true,
            ..Caps::default()
        };
        Properties {
            wake: [self.wake, -1],
            atomics: operations::offered,
            background: self.batches.period(),
            leaving: Leaving::Alone,
            ..Properties::of(caps, LIMITS)
        }
    }

    fn register(&mut self, _: u16, start: usize, bytes: usize, _: MemKind) -> Result<(Registration, Key), String> {
        self.register_pieces(start, bytes)
    }

    fn import(&mut self, of: Location, key: &[u8]) -> Result<(), String> {
        self.import_pieces(of, key)
    }

    fn forget(&mut self, registration: Registration) {
        self.forget_pieces(registration);
    }

    #[inline]
    fn am(&mut self, to: Location, msg: &AmMsg<'_>) -> Sent {
        let sent = self.send_am(to, msg);
        self.unless_it_left(to.rank, sent)
    }

    #[inline]
    fn progress(&mut self, own: Own<'_>, leaving: bool) -> bool {
        self.advance(own, leaving)
    }

    fn quiet_ns(&mut self) -> u64 {
        self.nap_ns()
    }

    fn put(&mut self, to: Location, dst: RemoteAddr, src: LocalMem<Src<'_>>, stays: bool, token: OpToken) -> Sent {
        let sent = self.start_put(to, dst, src, stays, token);
        self.unless_it_left(to.rank, sent)
    }

    fn get(&mut self, dst: LocalMem<Dst<'_>>, from: Location, src: RemoteAddr, token: OpToken) -> Sent {
        let sent = self.start_get(dst, from, src, token);
        self.unless_it_left(from.rank, sent)
    }

    fn atomic(&mut self, to: Location, at: RemoteAddr, what: &Atomic, result: Option<Dst<'_>>, token: OpToken) -> Sent {
        let sent = self.start_atomic(to, at, what, result, token);
        self.unless_it_left(to.rank, sent)
    }

    fn counters(&self, say: &mut dyn FnMut(&str, u64)) {
        say("messages", self.messages);
        say("batches", self.packets);
        say("injected_messages", self.injected);
        say("nudges", self.nudges.sent);
        let counts = self.local.regions.counts;
        say("firehose_local_hits", counts.hits);
        say("firehose_local_misses", counts.misses);
        say("firehose_local_copied", counts.refused);
        say("firehose_evicted", counts.evicted);
        say("firehose_merged", counts.merged);
        let [hits, misses] = self.hoses.counts();
        say("firehose_remote_hits", hits);
        say("firehose_remote_misses", misses);
    }

    fn gone(&mut self, rank: JobRank) {
        self.lose(rank);
    }

    fn is_settled(&mut self) -> bool {
        self.settled()
    }

    fn in_background(&mut self) -> Option<&mut dyn BackgroundWork> {
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conduit::Conduit;
    use crate::conduit::conformance_tests;
    use crate::conduit::shared::serialized::Serialized;
    use crate::firehose::Budgets;
    use crate::shims::ofi::{self, OpenPort};
    use port::CheckedPort;

    /// Two ends in one process, over each provider that is here, in verify mode and without. Needs the shim (GASNET_SHIM_PATH), which `make check`
    /// builds where there is libfabric.
    #[test]
    fn ofi_keeps_the_contract() {
        if !conformance_tests::has_shim("conduit-ofi") {
            return;
        }
        let ofi = ofi::open().unwrap();
        // Of the third kind no memory outside of segments can be pinned.
        let small = Budgets { local: 2, remote: 2, region: 2, regions: 16 };
        let usual = Budgets { local: 4096, remote: 4096, region: 256, regions: 4096 };
        for (verify, budgets, batches) in
            [(true, usual, true), (true, small, false), (false, usual, true), (false, usual, false)]
        {
            conformance_tests::run(false, || {
                let wish = choosing::chosen(ofi, None).unwrap();
                let ports = [0, 1].map(|_| meeting::open_port(ofi, &wish).unwrap());
                let addresses = ports.each_ref().map(|port| port.address.clone());
                let mut me = 0;
                ports.map(|OpenPort { port, offer, wake, .. }| -> &'static dyn Conduit {
                    let port = CheckedPort::new(port, offer, verify, 7);
                    operations::set_offered(operations::executed(|dtype, op| port.executes(dtype, op)));
                    let peers = addresses.each_ref().map(|address| port.insert(address).unwrap());
                    me += 1;
                    Serialized::open(OfiRank::new(port, JobRank(me - 1), &peers, wake, budgets, batches))
                })
            });
        }
    }
}
