//! A network for tests: ranks of one host that share no memory (GASNET_SUPERNODE_MAXSIZE says which do) talk over
//! Unix sockets made before they are forked. It loses nothing, so that what fails is what lies above it; it runs out of
//! room soon, and its limits are small and all different.
//!
//! # Safety
//! The place of a get travels to the target and back in messages that only ranks of this job can write; the client
//! keeps it until the get is synchronised.
#![allow(unsafe_code)]

use core::ffi::{c_int, c_void};
use std::collections::VecDeque;
use std::io;
use std::os::fd::OwnedFd;

use parking_lot::Mutex;

use crate::bootstrap::contract::Bootstrap;
use crate::conduit::{
    AmMsg, Arrived, Caps, Conduit, Deliver, Leaf, Limits, Links, MOST_ARGS, Payload, Sent, Take, Traffic,
};
use crate::fatal::fatal;
use crate::job::{HostRank, JobRank};
use crate::mem::{self, Dst, RemoteAddr, Src};
use crate::os::{link, sleep};

const LIMITS: Limits =
    Limits { medium: 65_024, long_request: 72 << 10, long_reply: 66 << 10, piece: 40 << 10, copied: 8 << 10 };

/// Words before the arguments of a packet.
const HEAD: usize = 4;
/// Words of the most arguments.
const ARGS: usize = words_of(MOST_ARGS);
/// Words of the longest packet.
const PACKET: usize = HEAD + ARGS + (80 << 10) / 8;

/// A packet that has arrived, aligned as payloads are.
#[repr(C, align(16))]
struct Buffer([u64; PACKET]);

/// Words of so many arguments, so that a payload after them is aligned.
const fn words_of(nargs: usize) -> usize {
    nargs.div_ceil(4) * 2
}

/// What a packet is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Short,
    Medium,
    Long,
    Put,
    Get,
    PutDone,
    GetData,
}

const KINDS: [Kind; 7] = [Kind::Short, Kind::Medium, Kind::Long, Kind::Put, Kind::Get, Kind::PutDone, Kind::GetData];

/// The words before the payload: what and from whom, an address at the receiver, one at the sender, a leaf; then
/// arguments.
struct Head {
    words: [u64; HEAD + ARGS],
    len: usize,
}

impl Head {
    fn new(kind: Kind, from: JobRank, at: usize, back: usize, leaf: Leaf) -> Head {
        let mut words = [0; HEAD + ARGS];
        words[..HEAD].copy_from_slice(&[u64::from(from.0) << 32 | kind as u64, at as u64, back as u64, leaf.0]);
        Head { words, len: HEAD }
    }

    fn with(mut self, handler: u8, args: &[i32]) -> Head {
        self.words[0] |= u64::from(handler) << 8 | (args.len() as u64) << 16;
        self.len = HEAD + words_of(args.len());
        for (word, pair) in self.words[HEAD..].iter_mut().zip(args.chunks(2)) {
            *word = u64::from(pair[0] as u32) | u64::from(pair.get(1).copied().unwrap_or(0) as u32) << 32;
        }
        self
    }

    fn words(&self) -> &[u64] {
        &self.words[..self.len]
    }
}

/// The ends of all links, before ranks know who they are: of each rank for requests, then of each for replies.
pub struct Sockets {
    writing: Vec<OwnedFd>,
    reading: Vec<OwnedFd>,
    ranks: usize,
}

pub fn prepare(ranks: u32) -> io::Result<Sockets> {
    let (writing, reading) = (0..2 * ranks).map(|_| link::link()).collect::<io::Result<Vec<_>>>()?.into_iter().unzip();
    Ok(Sockets { writing, reading, ranks: ranks as usize })
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
            me: JobRank(me.0),
            ranks,
            writing: self.writing,
            requests,
            replies,
            owed: Mutex::default(),
            buffers: Mutex::default(),
        }))
    }
}

/// An answer that there was no room for.
struct Owed {
    to: JobRank,
    head: Head,
    bytes: Vec<u8>,
}

struct Loopback {
    me: JobRank,
    ranks: usize,
    writing: Vec<OwnedFd>,
    requests: OwnedFd,
    replies: OwnedFd,
    /// While it holds anything no request is taken, so it holds little.
    owed: Mutex<VecDeque<Owed>>,
    buffers: Mutex<Vec<Box<Buffer>>>,
}

impl Loopback {
    fn send(&self, to: JobRank, traffic: Traffic, head: &Head, payload: Src<'_>) -> Sent {
        let link = &self.writing[traffic as usize * self.ranks + to.index()];
        if link::send(link, head.words(), payload) { Sent::Later } else { Sent::Retry }
    }

    fn answer(&self, to: JobRank, head: Head, bytes: Src<'_>) {
        let mut owed = self.owed.lock();
        if !owed.is_empty() || self.send(to, Traffic::Reply, &head, bytes) == Sent::Retry {
            let mut copy = vec![0; bytes.len()];
            mem::read(&mut copy, bytes);
            owed.push_back(Owed { to, head, bytes: copy });
        }
    }

    /// Sends what is owed; true if nothing is any more.
    fn settle(&self) -> bool {
        let mut owed = self.owed.lock();
        while let Some(first) = owed.front() {
            if self.send(first.to, Traffic::Reply, &first.head, Src::of(&first.bytes)) == Sent::Retry {
                return false;
            }
            owed.pop_front();
        }
        true
    }

    fn receive(&self, up: &dyn Deliver, traffic: Traffic) -> bool {
        let mut buffer = self.buffers.lock().pop().unwrap_or_else(|| Box::new(Buffer([0; PACKET])));
        let from = if traffic == Traffic::Request { &self.requests } else { &self.replies };
        let got = link::receive(from, &mut buffer.0);
        if let Some(bytes) = got {
            self.handle(up, traffic, &mut buffer.0, bytes);
        }
        self.buffers.lock().push(buffer);
        got.is_some()
    }

    fn handle(&self, up: &dyn Deliver, traffic: Traffic, packet: &mut [u64], bytes: usize) {
        let (what, at, back, leaf) = (packet[0], packet[1] as usize, packet[2] as usize, packet[3]);
        let from = JobRank((what >> 32) as u32);
        let Some(&kind) = KINDS.get(what as usize & 0xff) else {
            fatal!("loopback: a packet of kind {} from rank {}", what & 0xff, from.0);
        };
        let (handler, nargs) = ((what >> 8) as u8, (what >> 16) as usize & 0xff);
        let (head, rest) = packet.split_at_mut(HEAD + words_of(nargs));
        let len = bytes - size_of_val(head);
        let mut args = [0; 2 * ARGS];
        for (pair, word) in args.chunks_mut(2).zip(&head[HEAD..]) {
            pair[0] = *word as i32;
            pair[1] = (*word >> 32) as i32;
        }
        let args = &args[..nargs];
        // SAFETY: `receive` has filled `len` bytes there; the buffer outlives this call.
        let payload = unsafe { Dst::new(rest.as_mut_ptr().cast::<c_void>(), len) };
        let own = |len| match up.own(RemoteAddr(at), len) {
            Some(place) => place,
            None => fatal!("rank {} reaches for {len} bytes at {at:#x}, outside this rank's segment", from.0),
        };
        match kind {
            Kind::Short => up.am(from, traffic, handler, args, Arrived::None),
            Kind::Medium => up.am(from, traffic, handler, args, Arrived::Medium(payload)),
            Kind::Long => {
                mem::copy(own(len), payload.as_src());
                up.am(from, traffic, handler, args, Arrived::Long(own(len)));
            }
            Kind::Put => {
                mem::copy(own(len), payload.as_src());
                self.answer(from, Head::new(Kind::PutDone, self.me, 0, 0, Leaf(leaf)), Src::of(&[]));
            }
            Kind::Get => {
                // The only word of its payload.
                let place = own(rest[0] as usize);
                self.answer(from, Head::new(Kind::GetData, self.me, back, 0, Leaf(leaf)), place.as_src());
            }
            Kind::PutDone => up.done(Leaf(leaf)),
            Kind::GetData => {
                // SAFETY: the module's paragraph: the place that this rank's `get` named.
                mem::copy(unsafe { Dst::new(at as *mut c_void, len) }, payload.as_src());
                up.done(Leaf(leaf));
            }
        }
    }
}

impl Conduit for Loopback {
    fn caps(&self) -> Caps {
        Caps { put: true, get: true }
    }

    fn limits(&self) -> Limits {
        LIMITS
    }

    fn am(&self, to: JobRank, msg: &AmMsg<'_>) -> Sent {
        let (kind, at, src) = match msg.payload {
            Payload::None => (Kind::Short, 0, Src::of(&[])),
            Payload::Medium(src) => (Kind::Medium, 0, src),
            Payload::Long(src, at) | Payload::LongAsync(src, at) => (Kind::Long, at.0, src),
        };
        let head = Head::new(kind, self.me, at, 0, Leaf(0)).with(msg.handler, msg.args);
        match self.send(to, msg.traffic, &head, src) {
            Sent::Retry => Sent::Retry,
            _ => Sent::Done,
        }
    }

    fn poll(&self, up: &dyn Deliver, take: Take, budget: u32) -> u32 {
        let mut done = 0;
        while done < budget && self.receive(up, Traffic::Reply) {
            done += 1;
        }
        while self.settle() && take == Take::All && done < budget && self.receive(up, Traffic::Request) {
            done += 1;
        }
        done
    }

    fn wait(&self, bell: c_int, ns: u64) {
        const OWING_NS: u64 = 1_000_000;
        let ns = if self.owed.lock().is_empty() { ns } else { ns.min(OWING_NS) };
        sleep::wait_readable([link::number(&self.requests), link::number(&self.replies), bell], ns);
    }

    fn put(&self, to: JobRank, dst: RemoteAddr, src: Src<'_>, _stays: bool, leaf: Leaf) -> Sent {
        self.send(to, Traffic::Request, &Head::new(Kind::Put, self.me, dst.0, 0, leaf), src)
    }

    fn get(&self, dst: Dst<'_>, from: JobRank, src: RemoteAddr, leaf: Leaf) -> Sent {
        let here = dst.as_ptr().expose_provenance();
        let len = dst.len().to_ne_bytes();
        self.send(from, Traffic::Request, &Head::new(Kind::Get, self.me, src.0, here, leaf), Src::of(&len))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_keeps_the_contract() {
        let first = prepare(2).unwrap();
        let twin = |fds: &[OwnedFd]| fds.iter().map(|fd| fd.try_clone().unwrap()).collect();
        let second = Sockets { writing: twin(&first.writing), reading: twin(&first.reading), ranks: 2 };
        let conduits = [first.open(HostRank(0)), second.open(HostRank(1))];
        crate::conduit::conformance_tests::run(conduits);
    }
}
