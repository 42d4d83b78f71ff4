//! Ranks on any hosts, over UCX: its Active Messages, puts, gets and atomics (`rank`, `transfers`). One worker of UCX per rank, called by one
//! thread at a time (`shared::serialized`): a worker that several threads may call takes a lock of its own in every call. Where a packet
//! costs microseconds, short messages share packets (`shared::batches`). UCX stores messages without bound, so credits of each peer bound them.

mod connections;
pub(crate) mod found;
mod keys;
pub(crate) mod meeting;
mod memory;
mod packet;
mod rank;
mod receive;
mod rounds;
mod state;
mod transfers;

use crate::conduit::entry::{self, ConduitEntry, Launch, Network};
use crate::conduit::shared::background::BackgroundWork;
use crate::conduit::shared::held::Own;
use crate::conduit::shared::serialized::{Leaving, Library, Properties, Serialized};
use crate::conduit::{AmMsg, Atomic, Caps, Key, LocalMem, MemKind, OpToken, OpenedByRank, Registration, Sent};
use crate::defs::rank::{JobRank, Location};
use crate::mem::{Dst, RemoteAddr, Src};
use packet::LIMITS;
use state::UcxRank;

pub(crate) static ENTRY: ConduitEntry = ConduitEntry {
    name: "ucx",
    description: "ranks on any hosts, over the machine's UCX: InfiniBand, TCP and others",
    offered: true,
    launch: Launch::Master,
    counted: false,
    meets: None,
    launchers: entry::OF_MPI,
    runners: &["gasnetrun_ucx"],
    settings: "GASNET_UCX_",
    network: Some(Network {
        prepare: |_, _| Ok(Box::new(OpenedByRank(|with| meeting::meet(with).map(Serialized::open)))),
        shared_bytes: |_| 0,
        limits: LIMITS,
    }),
};

impl Library for UcxRank {
    fn properties(&self) -> Properties {
        let pins = self.pins;
        let caps = Caps {
            put: true,
            get: true,
            registered: true,
            any_local: true,
            pins,
            pauses: true,
            serves_unseen: true,
            ..Caps::default()
        };
        Properties {
            wake: [self.port.descriptor(), -1],
            atomics: self.atomics,
            background: self.batches.period(),
            leaving: Leaving::Together,
            ..Properties::of(caps, LIMITS)
        }
    }

    fn register(&mut self, _: u16, start: usize, bytes: usize, _: MemKind) -> Result<(Registration, Key), String> {
        self.register_memory(start, bytes)
    }

    fn import(&mut self, of: Location, key: &[u8]) -> Result<(), String> {
        self.import_key(of, key)
    }

    fn forget(&mut self, registration: Registration) {
        self.forget_memory(registration);
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

    #[inline]
    fn put(&mut self, to: Location, dst: RemoteAddr, src: LocalMem<Src<'_>>, stays: bool, token: OpToken) -> Sent {
        self.start_put(to, dst, src.view, stays, token)
    }

    #[inline]
    fn get(&mut self, dst: LocalMem<Dst<'_>>, from: Location, src: RemoteAddr, token: OpToken) -> Sent {
        self.start_get(dst.view, from, src, token)
    }

    #[inline]
    fn atomic(&mut self, to: Location, at: RemoteAddr, what: &Atomic, result: Option<Dst<'_>>, token: OpToken) -> Sent {
        self.start_atomic(to, at, what, result, token)
    }

    fn counters(&self, say: &mut dyn FnMut(&str, u64)) {
        say("packets", self.says.packets);
        say("bulk_transfers", self.says.bulk);
        say("flushes", self.says.flushes);
    }

    fn gone(&mut self, rank: JobRank) {
        self.goes(rank);
    }

    fn is_settled(&mut self) -> bool {
        self.closed || self.may_leave()
    }

    fn in_background(&mut self) -> Option<&mut dyn BackgroundWork> {
        Some(self)
    }

    fn parted(&mut self) -> bool {
        self.part()
    }
}
