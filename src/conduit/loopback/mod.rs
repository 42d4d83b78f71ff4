//! A network for tests: ranks of one host that are in different nbrhds (GASNET_SUPERNODE_MAXSIZE) communicate over
//! Unix sockets made before they are forked. It loses nothing, so that a failure is one of the layers above it. It runs out
//! of room soon, and its limits are small and all different. It always requires registered memory (`keys`) and one thread
//! at a time (`door`), as only some networks do.

mod atomics;
mod door;
mod groups;
mod inner;
mod keys;
mod packet;

use std::io;
use std::net::IpAddr;
use std::os::fd::OwnedFd;

use crate::bootstrap::contract::Bootstrap;
use crate::conduit::entry::{self, ConduitEntry, Launch, Network};
use crate::conduit::shared::held::Own;
use crate::conduit::shared::serialized::{Library, Properties, Serialized};
use crate::conduit::{
    AmHeader, AmMsg, Atomic, Caps, Completion, Conduit, GroupCollective, GroupId, Key, Links, LocalMem, MemKind,
    OpToken, Payload, Registration, Sent, Traffic,
};
use crate::defs::rank::{HostRank, JobRank, Location};
use crate::fatal::fatal;
use crate::mem::{self, Dst, RemoteAddr, Src};
use crate::os::link;
use inner::{CENTER, Inner, cost};
use packet::{Head, Kind, LIMITS, Pending, There};

pub(crate) static ENTRY: ConduitEntry = ConduitEntry {
    name: "loopback",
    description: "for tests: the ranks of one host that share no memory, over Unix sockets",
    offered: false,
    launch: Launch::Fork,
    counted: false,
    meets: None,
    launchers: entry::OF_MPI,
    runners: &[],
    settings: "GASNET_LOOPBACK_",
    network: Some(Network { prepare: links, shared_bytes: |_| 0, limits: LIMITS }),
};

/// Packets that one poll receives from each socket, at most.
const PACKETS: u32 = 32;

/// The sockets of all ranks, before the fork: those for requests by rank, then those for replies.
pub(crate) struct Sockets {
    writing: Vec<OwnedFd>,
    reading: Vec<OwnedFd>,
    ranks: usize,
}

pub(crate) fn prepare(ranks: u32) -> io::Result<Sockets> {
    let (writing, reading) = (0..2 * ranks).map(|_| link::link()).collect::<io::Result<Vec<_>>>()?.into_iter().unzip();
    Ok(Sockets { writing, reading, ranks: ranks as usize })
}

fn links(ranks: u32, _address: Option<IpAddr>) -> Result<Box<dyn Links>, String> {
    match prepare(ranks) {
        Ok(sockets) => Ok(Box::new(sockets)),
        Err(error) => Err(format!("no loopback links between {ranks} ranks: {error} (ulimit -n)")),
    }
}

impl Links for Sockets {
    fn join(
        self: Box<Self>,
        me: HostRank,
        _bootstrap: &dyn Bootstrap,
        _shared: Dst<'static>,
    ) -> Result<&'static dyn Conduit, String> {
        Ok(self.open(me))
    }
}

impl Sockets {
    fn open(self, me: HostRank) -> &'static dyn Conduit {
        let ranks = self.ranks;
        let mut mine =
            self.reading.into_iter().enumerate().filter(|(at, _)| at % ranks == me.index()).map(|(_, fd)| fd);
        let (Some(requests), Some(replies)) = (mine.next(), mine.next()) else {
            fatal!("loopback: rank {} has no link", me.0);
        };
        drop(mine);
        let inner = Inner::new(JobRank(me.0), self.writing, [requests, replies], ranks);
        Serialized::open(inner)
    }
}

impl Library for Inner {
    fn properties(&self) -> Properties {
        let words = Caps { least_of_all: true, fast_barrier: true, ..Caps::default() };
        let caps = Caps { put: true, get: true, registered: true, ..words };
        let wake = self.reading.each_ref().map(link::number);
        Properties { wake, atomics: atomics::offered, collects: groups::offers, ..Properties::of(caps, LIMITS) }
    }

    fn register(&mut self, ep: u16, start: usize, bytes: usize, _: MemKind) -> Result<(Registration, Key), String> {
        let _inside = self.door.enter();
        self.keys.register(ep, start, bytes).ok_or_else(|| "loopback: the key is too long".to_owned())
    }

    fn import(&mut self, of: Location, key: &[u8]) -> Result<(), String> {
        let _inside = self.door.enter();
        self.keys.import(of, key)
    }

    fn forget(&mut self, registration: Registration) {
        let _inside = self.door.enter();
        self.keys.forget(registration);
    }

    fn am(&mut self, to: Location, msg: &AmMsg<'_>) -> Sent {
        let _inside = self.door.enter();
        let (kind, at, src) = match msg.payload {
            Payload::None => (Kind::Short, 0, Src::of(&[])),
            Payload::Medium(src) => (Kind::Medium, 0, src),
            Payload::Long(src, at) | Payload::LongAsync(src, at) => (Kind::Long, at.0, src),
        };
        let AmHeader { traffic, handler, envelope, args } = msg.header;
        let cost = cost(if kind == Kind::Medium { src.len() } else { 0 });
        if envelope.to_ep() != to.ep {
            fatal!("loopback: a message to endpoint {} has an envelope to endpoint {}", to.ep, envelope.to_ep());
        }
        let there = if kind == Kind::Long { self.keys.there(to, at, src.len()) } else { There::NOWHERE };
        if msg.token.is_some() || msg.registration.is_some() {
            self.keys.check_local(msg.registration, src.as_ptr().addr(), src.len(), LIMITS.copied);
        }
        let to = to.rank;
        if self.peers[to.index()].gone {
            return msg.token.map_or(Sent::Done, |token| self.arrivals.fails(token));
        }
        if !self.peers[to.index()].credits.take(traffic, cost) {
            return Sent::Retry;
        }
        let mut head = Head::new(kind, self.me, there, 0, envelope.word()).with(handler, args);
        if self.send(to, traffic, &mut head, src) {
            return Sent::Done;
        }
        self.peers[to.index()].credits.give_back(traffic, cost);
        Sent::Retry
    }

    fn progress(&mut self, own: Own<'_>, leaving: bool) -> bool {
        let _inside = self.door.enter();
        let mut stirred = false;
        for _ in 0..PACKETS {
            if !self.receive(Traffic::Reply, own, leaving) {
                break;
            }
            stirred = true;
        }
        for _ in 0..PACKETS {
            if !self.settle() || !self.receive(Traffic::Request, own, leaving) {
                break;
            }
            stirred = true;
        }
        stirred
    }

    fn quiet_ns(&mut self) -> u64 {
        // No descriptor announces new room for answers, or requests that another thread's poll for replies has queued.
        const SHORT_NS: u64 = 100_000;
        if self.is_idle() { u64::MAX } else { SHORT_NS }
    }

    fn put(&mut self, to: Location, dst: RemoteAddr, src: LocalMem<Src<'_>>, stays: bool, token: OpToken) -> Sent {
        let _inside = self.door.enter();
        let there = self.keys.there(to, dst.0, src.view.len());
        let registration = src.registration.filter(|_| stays);
        self.keys.check_local(registration, src.view.as_ptr().addr(), src.view.len(), LIMITS.copied);
        let pending = Pending { peer: to.rank, token, dst: None };
        self.start(pending, src.view, Sent::Copied, |me, number| Head::new(Kind::Put, me, there, number, 0))
    }

    fn get(&mut self, dst: LocalMem<Dst<'_>>, from: Location, src: RemoteAddr, token: OpToken) -> Sent {
        let _inside = self.door.enter();
        let (there, len) = (self.keys.there(from, src.0, dst.view.len()), dst.view.len() as u64);
        let pending = Pending { peer: from.rank, token, dst: Some(self.landing(dst)) };
        self.start(pending, Src::of(&[]), Sent::Later, |me, number| Head::new(Kind::Get, me, there, number, len))
    }

    fn atomic(&mut self, to: Location, at: RemoteAddr, what: &Atomic, result: Option<Dst<'_>>, token: OpToken) -> Sent {
        let _inside = self.door.enter();
        let there = self.keys.there(to, at.0, size_of::<u64>());
        let dst = result.map(|result| self.landing(LocalMem::plain(result)));
        let pending = Pending { peer: to.rank, token, dst };
        let words = atomics::words(what);
        let head = |me, number| Head::new(Kind::Atomic, me, there, number, 0);
        self.start(pending, mem::words_of(&words), Sent::Later, head)
    }

    fn least_of_all(&mut self, words: [i64; 3], _: bool) {
        let _inside = self.door.enter();
        if self.me == CENTER {
            self.enter(words);
        } else {
            self.answer(CENTER, self.head(Kind::Enter, 0), mem::words_of(&words.map(|word| word as u64)));
        }
    }

    fn least_taken(&mut self) -> Option<[i64; 3]> {
        self.least.take()
    }

    fn group(&mut self, id: GroupId, members: &[JobRank]) -> bool {
        let _inside = self.door.enter();
        self.groups.make(id, members, members.iter().any(|member| self.peers[member.index()].gone));
        true
    }

    fn disband(&mut self, id: GroupId) -> bool {
        let _inside = self.door.enter();
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
        let _inside = self.door.enter();
        self.enter_collective(id, what, bytes, src, dst, token);
    }

    fn counters(&self, say: &mut dyn FnMut(&str, u64)) {
        say("collectives", self.groups.executed);
    }

    fn gone(&mut self, rank: JobRank) {
        let _inside = self.door.enter();
        self.peers[rank.index()].gone = true;
        for token in self.groups.gone(rank) {
            self.arrivals.done(token, Completion::Failed);
        }
        for number in self.pending.numbers_of(|pending| pending.peer == rank) {
            if let Some(pending) = self.pending.remove(number) {
                self.arrivals.done(pending.token, Completion::Failed);
            }
        }
    }

    fn is_settled(&mut self) -> bool {
        self.settle() && self.pending.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conduit::conformance_tests;

    #[test]
    fn loopback_keeps_the_contract() {
        conformance_tests::run(false, || {
            let first = prepare(2).unwrap();
            let twin = |fds: &[OwnedFd]| fds.iter().map(|fd| fd.try_clone().unwrap()).collect();
            let second = Sockets { writing: twin(&first.writing), reading: twin(&first.reading), ranks: 2 };
            [first.open(HostRank(0)), second.open(HostRank(1))]
        });
    }
}
