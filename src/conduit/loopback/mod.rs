//! A network for tests: ranks of one host that share no memory (GASNET_SUPERNODE_MAXSIZE says which do) talk over
//! Unix sockets made before they are forked. It loses nothing, so that a failure is one of the layers above it; it runs out of
//! room soon, and its limits are small and all different. It is strict about memory (`keys`): it always makes the
//! demands that only some networks make of the layers above.

mod atomics;
mod inner;
mod keys;
mod packet;

use core::ffi::c_int;
use std::io;
use std::net::IpAddr;
use std::os::fd::OwnedFd;

use parking_lot::Mutex;

use crate::bootstrap::contract::Bootstrap;
use crate::conduit::entry::{ConduitEntry, Launch, Network};
use crate::conduit::shared::arrivals::hand_up;
use crate::conduit::shared::lock_soon;
use crate::conduit::{
    AmHeader, AmMsg, Atomic, Caps, Completion, Conduit, Deliver, Key, Limits, Links, LocalMem, MemKind, OpToken,
    Payload, Registration, Sent, Stop, Take, Traffic,
};
use crate::defs::rank::{HostRank, JobRank, Location};
use crate::fatal::fatal;
use crate::mem::{self, Dst, RemoteAddr, Src};
use crate::os::{link, sleep};
use inner::{CENTER, Inner, cost};
use packet::{Head, Kind, LIMITS, Pending, There};

pub(crate) static ENTRY: ConduitEntry = ConduitEntry {
    name: "loopback",
    description: "for tests: the ranks of one host that share no memory, over Unix sockets",
    offered: false,
    launch: Launch::Fork,
    runners: &[],
    settings: "GASNET_LOOPBACK_",
    network: Some(Network { prepare: links, limits: LIMITS }),
};

/// Packets that one poll takes from each socket at most.
const PACKETS: u32 = 32;

/// The ends of all links, before ranks know who they are: of each rank for requests, then of each for replies.
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
    fn join(self: Box<Self>, me: HostRank, _bootstrap: &dyn Bootstrap) -> Result<&'static dyn Conduit, String> {
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
        Box::leak(Box::new(Loopback {
            requests,
            replies,
            inner: Mutex::new(Inner::new(JobRank(me.0), self.writing, ranks)),
        }))
    }
}

struct Loopback {
    requests: OwnedFd,
    replies: OwnedFd,
    inner: Mutex<Inner>,
}

impl Loopback {
    fn exchange(&self, inner: &mut Inner, up: &dyn Deliver, leaving: bool) {
        for _ in 0..PACKETS {
            if !inner.receive(&self.replies, Traffic::Reply, up, leaving) {
                break;
            }
        }
        for _ in 0..PACKETS {
            if !inner.settle() || !inner.receive(&self.requests, Traffic::Request, up, leaving) {
                break;
            }
        }
    }
}

impl Conduit for Loopback {
    fn caps(&self) -> Caps {
        Caps { put: true, get: true, registered: true, least_of_all: true }
    }

    fn limits(&self) -> Limits {
        LIMITS
    }

    fn register(&self, ep: u16, start: usize, bytes: usize, _: MemKind) -> Result<(Registration, Key), String> {
        self.inner.lock().keys.register(ep, start, bytes).ok_or_else(|| "loopback: the key is too long".to_owned())
    }

    fn import(&self, of: Location, key: &[u8]) -> Result<(), String> {
        self.inner.lock().keys.import(of, key)
    }

    fn forget(&self, registration: Registration) {
        self.inner.lock().keys.forget(registration);
    }

    fn am(&self, to: Location, msg: &AmMsg<'_>) -> Sent {
        let (kind, at, src) = match msg.payload {
            Payload::None => (Kind::Short, 0, Src::of(&[])),
            Payload::Medium(src) => (Kind::Medium, 0, src),
            Payload::Long(src, at) | Payload::LongAsync(src, at) => (Kind::Long, at.0, src),
        };
        let AmHeader { traffic, handler, envelope, args } = msg.header;
        let cost = cost(if kind == Kind::Medium { src.len() } else { 0 });
        let inner = &mut *self.inner.lock();
        if envelope.to_ep() != to.ep {
            fatal!("loopback: a message to endpoint {} has an envelope to endpoint {}", to.ep, envelope.to_ep());
        }
        let there = if kind == Kind::Long { inner.keys.there(to, at, src.len()) } else { There::NOWHERE };
        if msg.token.is_some() || msg.registration.is_some() {
            inner.keys.check_local(msg.registration, src.as_ptr().addr(), src.len(), LIMITS.copied);
        }
        let to = to.rank;
        if inner.peers[to.index()].gone {
            return match msg.token {
                Some(token) => {
                    inner.arrivals.done(token, Completion::Failed);
                    Sent::Later
                }
                None => Sent::Done,
            };
        }
        if !inner.peers[to.index()].credits.take(traffic, cost) {
            return Sent::Retry;
        }
        let mut head = Head::new(kind, inner.me, there, 0, envelope.word()).with(handler, args);
        if inner.send(to, traffic, &mut head, src) {
            return Sent::Done;
        }
        inner.peers[to.index()].credits.give_back(traffic, cost);
        Sent::Retry
    }

    fn poll(&self, up: &dyn Deliver, take: Take, budget: u32) -> u32 {
        let mut inner = self.inner.lock();
        self.exchange(&mut inner, up, false);
        hand_up(&mut inner, up, take, budget)
    }

    fn wake(&self) -> [c_int; 2] {
        [link::number(&self.requests), link::number(&self.replies)]
    }

    fn quiet_ns(&self) -> u64 {
        // Room for answers, and messages that another thread's poll has received and may not hand up, wake nobody.
        const SHORT_NS: u64 = 100_000;
        let inner = self.inner.lock();
        if inner.is_idle() { u64::MAX } else { SHORT_NS }
    }

    fn put(&self, to: Location, dst: RemoteAddr, src: LocalMem<Src<'_>>, stays: bool, token: OpToken) -> Sent {
        let inner = &mut *self.inner.lock();
        let there = inner.keys.there(to, dst.0, src.view.len());
        let registration = src.registration.filter(|_| stays);
        inner.keys.check_local(registration, src.view.as_ptr().addr(), src.view.len(), LIMITS.copied);
        let pending = Pending { peer: to.rank, token, dst: None };
        inner.start(pending, src.view, Sent::Copied, |me, number| Head::new(Kind::Put, me, there, number, 0))
    }

    fn get(&self, dst: LocalMem<Dst<'_>>, from: Location, src: RemoteAddr, token: OpToken) -> Sent {
        let inner = &mut *self.inner.lock();
        let (there, len) = (inner.keys.there(from, src.0, dst.view.len()), dst.view.len() as u64);
        let pending = Pending { peer: from.rank, token, dst: Some(inner.landing(dst)) };
        inner.start(pending, Src::of(&[]), Sent::Later, |me, number| Head::new(Kind::Get, me, there, number, len))
    }

    fn atomics(&self, dtype: u32) -> u32 {
        atomics::offered(dtype)
    }

    fn atomic(&self, to: Location, at: RemoteAddr, what: &Atomic, result: Option<Dst<'_>>, token: OpToken) -> Sent {
        let inner = &mut *self.inner.lock();
        let there = inner.keys.there(to, at.0, size_of::<u64>());
        let pending =
            Pending { peer: to.rank, token, dst: result.map(|result| inner.landing(LocalMem::plain(result))) };
        let words = atomics::words(what);
        let head = |me, number| Head::new(Kind::Atomic, me, there, number, 0);
        inner.start(pending, mem::words_of(&words), Sent::Later, head)
    }

    fn least_of_all(&self, words: [i64; 3]) {
        let inner = &mut *self.inner.lock();
        if inner.me == CENTER {
            inner.enter(words);
        } else {
            inner.answer(CENTER, inner.head(Kind::Enter, 0), mem::words_of(&words.map(i64::cast_unsigned)));
        }
    }

    fn least_taken(&self) -> Option<[i64; 3]> {
        self.inner.lock().least.take()
    }

    fn gone(&self, rank: JobRank) {
        let inner = &mut *self.inner.lock();
        inner.peers[rank.index()].gone = true;
        for number in inner.pending.numbers_of(|pending| pending.peer == rank) {
            if let Some(pending) = inner.pending.remove(number) {
                inner.arrivals.done(pending.token, Completion::Failed);
            }
        }
    }

    /// Until this rank's puts and gets are complete and its answers sent.
    fn stop(&self, how: Stop, up: &dyn Deliver) {
        let Stop::Within { ns } = how else { return };
        let until = sleep::now_ns().saturating_add(ns);
        while let Some(mut inner) = lock_soon(&self.inner) {
            self.exchange(&mut inner, up, true);
            if inner.settle() && inner.pending.is_empty() || sleep::now_ns() >= until {
                return;
            }
            drop(inner);
            sleep::wait_readable([link::number(&self.requests), link::number(&self.replies)], 1_000_000);
        }
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
