//! One rank of a udp job: its engine and socket behind one lock, and what has arrived and waits for its handler. Handlers
//! run outside the lock, so they may send; what they send leaves with the poll that ran them.
//!
//! When datagrams leave: at once while nothing is on its way to the peer (a lone message is not held up), else with the
//! second poll after the message, or when there is a lot of it: a burst shares datagrams.
//!
//! # Safety
//! A view of a Medium's buffer lives while its handler runs; the buffer is owned by the stack frame that runs it.
#![allow(unsafe_code)]

use core::ffi::{c_int, c_void};
use core::fmt::Display;
use std::collections::VecDeque;
use std::net::{SocketAddr, UdpSocket};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};

use super::faults::{Faults, Faulty};
use super::held::{Datagrams, Held, Went};
use super::socket::{Inbox, Socket};
use super::{Config, Counters, Engine, Full, Payload as Bytes, Secret, Up};
use crate::bootstrap::{self, worker::JobTable};
use crate::conduit::{AmMsg, Arrived, Caps, Conduit, Deliver, Leaf, Limits, Links, Payload, Sent, Stop, Take, Traffic};
use crate::env;
use crate::fatal::{fatal, warn};
use crate::job::{HostRank, JobRank};
use crate::mem::{self, Dst, RemoteAddr, Src};
use crate::os::process::Line;
use crate::os::sleep;

const MEDIUM: usize = 64 << 10;
const LONG: usize = 16 << 20;
const LIMITS: Limits =
    Limits { medium: MEDIUM, long_request: LONG, long_reply: LONG, piece: 1 << 30, copied: 64 << 10 };
/// Messages that leave together at most before they are sent without waiting for another poll.
const BURST: u32 = 64;
/// What a socket must hold, or it loses much.
const FEW_BYTES: usize = 128 << 10;
/// Datagrams after which there may be more.
const BURST_IN: usize = 8;
/// Receive calls of one poll at most: then handlers run.
const RECEIVES: u32 = 8;

/// What the ranks of a host need to be one job with the others; made before they are forked.
pub struct Network {
    pub first: u32,
    pub size: u32,
    /// By rank of the job.
    pub addresses: Vec<SocketAddr>,
    pub secret: [u8; 32],
    /// By rank of the host, bound.
    pub sockets: Vec<UdpSocket>,
    /// After so long without an answer from a rank, its host is asked.
    pub patience: Duration,
}

impl Network {
    pub fn of(table: JobTable) -> Network {
        Network {
            first: table.first,
            size: table.size,
            addresses: table.rank_addrs,
            secret: table.secret,
            sockets: table.sockets,
            patience: table.peer_timeout / 2,
        }
    }
}

impl Network {
    /// The conduit of rank `me` of the host.
    pub fn open(self, me: HostRank, faults: Faults, encrypt: bool) -> &'static dyn Conduit {
        let rank = JobRank(self.first + me.0);
        let Some(socket) = self.sockets.into_iter().nth(me.index()) else {
            fatal!("udp: rank {} has no socket", rank.0);
        };
        let socket = match Socket::of(socket, env::size("GASNET_SOCKETBUFFER_MAX") as usize) {
            Ok(socket) => socket,
            Err(error) => fatal!("udp: the socket of rank {} cannot be set up: {error}", rank.0),
        };
        if socket.receives < FEW_BYTES && me.0 == 0 {
            warn!(
                "udp: sockets hold {} bytes only, so much is lost and sent again: raise the kernel's net.core.rmem_max, \
                 or GASNET_SOCKETBUFFER_MAX",
                socket.receives
            );
        }
        let faults = (!faults.are_none()).then(|| Faulty::new(faults, rank));
        let mut config = Config::new(rank, self.size, Secret(self.secret));
        config.encrypt = encrypt;
        config.most_medium = MEDIUM;
        config.peer_timeout_ns = self.patience.as_nanos() as u64;
        config.in_flight = (socket.receives as u64 / 2).max(64 << 10);
        Box::leak(Box::new(Rank {
            addresses: self.addresses.into(),
            socket,
            inner: Mutex::new(Inner { engine: Engine::new(config), inbox: Inbox::new(), faults, held_back: 0 }),
            came: Mutex::default(),
            counters: env::yes("GASNET_UDP_COUNTERS"),
        }))
    }
}

impl Links for Network {
    fn join(self: Box<Self>, me: HostRank) -> &'static dyn Conduit {
        let loss = env::dbl("GASNET_FAULT_RATE");
        let faults = env::str("GASNET_UDP_FAULTS").unwrap_or_else(|| format!("loss={}%", loss * 100.0));
        match Faults::parse(&faults) {
            Ok(faults) => self.open(me, faults, env::yes("GASNET_UDP_ENCRYPT")),
            Err(why) => fatal!("GASNET_UDP_FAULTS: {why}"),
        }
    }
}

/// A message that waits for its handler.
struct Came {
    from: JobRank,
    traffic: Traffic,
    handler: u8,
    nargs: u8,
    args: [i32; 16],
    body: Body,
    cost: u32,
}

enum Body {
    None,
    /// Aligned for any type, and its bytes.
    Medium(Vec<u128>, usize),
    Long(Held<Dst<'static>>),
}

/// What has arrived.
#[derive(Default)]
struct Arrivals {
    replies: VecDeque<Came>,
    requests: VecDeque<Came>,
    done: VecDeque<u64>,
}

struct Inner {
    engine: Engine,
    inbox: Inbox,
    faults: Option<Faulty>,
    /// Messages taken since datagrams left last.
    held_back: u32,
}

struct Rank {
    addresses: Box<[SocketAddr]>,
    socket: Socket,
    inner: Mutex<Inner>,
    came: Mutex<Arrivals>,
    /// The counters are shown at the end.
    counters: bool,
}

// The kinds of messages.
const IS_SHORT: u8 = 0;
const IS_MEDIUM: u8 = 1;
const IS_LONG: u8 = 2;

/// The head of a message: kind, handler, number of arguments, the arguments.
fn head_of(kind: u8, handler: u8, args: &[i32], into: &mut [u8; 68]) -> usize {
    into[..3].copy_from_slice(&[kind, handler, args.len() as u8]);
    into[4..4 + 4 * args.len()].copy_from_slice(mem::bytes_of(args));
    4 + 4 * args.len()
}

/// What the engine tells while it is locked: noted down.
struct Notes<'a> {
    up: &'a dyn Deliver,
    came: MutexGuard<'a, Arrivals>,
    outside: Option<(JobRank, RemoteAddr, usize)>,
}

impl Up for Notes<'_> {
    fn am(&mut self, from: JobRank, traffic: Traffic, head: &[u8], payload: Bytes<'_>, cost: u32) {
        let &[kind, handler, nargs, _, ref words @ ..] = head else {
            fatal!("udp: rank {} sent a message without a head", from.0);
        };
        let mut args = [0; 16];
        for (arg, bytes) in args.iter_mut().zip(words.chunks_exact(4)) {
            *arg = i32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        let body = match payload {
            Bytes::Long(place) => Body::Long(Held::dst(place)),
            Bytes::Bytes(_) if kind == IS_SHORT => Body::None,
            Bytes::Bytes(bytes) => aligned(bytes),
            Bytes::Whole(bytes) => aligned(&bytes),
        };
        let nargs = nargs.min(16);
        let queue = match traffic {
            Traffic::Request => &mut self.came.requests,
            Traffic::Reply => &mut self.came.replies,
        };
        queue.push_back(Came { from, traffic, handler, nargs, args, body, cost });
    }

    fn own(&mut self, at: RemoteAddr, len: usize) -> Option<Dst<'static>> {
        self.up.own(at, len)
    }

    fn outside(&mut self, from: JobRank, at: RemoteAddr, len: usize) {
        self.outside = Some((from, at, len));
    }

    fn done(&mut self, op: u64) {
        self.came.done.push_back(op);
    }

    /// A rank may be stopped for long: it is for the wardens to find out whether its host is there.
    fn lost(&mut self, rank: JobRank, _silent_ns: u64) {
        bootstrap::doubt(rank);
    }
}

fn aligned(bytes: &[u8]) -> Body {
    let mut words = vec![0u128; bytes.len().div_ceil(16)];
    for (word, piece) in words.iter_mut().zip(bytes.chunks(16)) {
        let mut whole = [0; 16];
        whole[..piece.len()].copy_from_slice(piece);
        *word = u128::from_ne_bytes(whole);
    }
    Body::Medium(words, bytes.len())
}

impl Inner {
    /// Sends what may leave now.
    fn flush(&mut self, now: u64, socket: &Socket, addresses: &[SocketAddr]) {
        self.held_back = 0;
        let Inner { engine, faults, .. } = self;
        let plain = |datagrams: &Datagrams<'_>| socket.send(addresses[datagrams.to.index()], datagrams);
        let Some(faulty) = faults else {
            engine.transmit(now, &mut |datagrams| plain(datagrams));
            return;
        };
        let mut out = |to: JobRank, bytes: &[u8]| {
            let one = Datagrams {
                to,
                pieces: &[Src::of(bytes)],
                bytes: bytes.len(),
                segment: bytes.len().max(1),
                may_fragment: true,
            };
            let _ = plain(&one);
        };
        engine.transmit(now, &mut |datagrams| {
            let to = datagrams.to;
            datagrams.each(|bytes| faulty.send(now, to, bytes, &mut out));
            Went::Out
        });
        faulty.pass(now, &mut out);
    }

    /// When something has to be done though nothing arrives.
    fn due(&self) -> u64 {
        let faults = self.faults.as_ref().and_then(Faulty::due).unwrap_or(u64::MAX);
        self.engine.next_timer().unwrap_or(u64::MAX).min(faults)
    }
}

impl Rank {
    /// Takes in what waits in the socket, and sends what is to be sent.
    fn exchange(&self, inner: &mut Inner, came: MutexGuard<'_, Arrivals>, up: &dyn Deliver, may_hold_back: bool) {
        let mut notes = Notes { up, came, outside: None };
        let now = sleep::now_ns();
        let Inner { engine, inbox, .. } = &mut *inner;
        let mut refused = false;
        for _ in 0..RECEIVES {
            let got = self.socket.receive(inbox, |from, bytes| {
                refused |= engine.on_datagram(now, from, bytes, &mut notes).is_err();
            });
            // Looking again costs as much as a message; what comes now is found by the next poll.
            if got < BURST_IN {
                break;
            }
        }
        if refused {
            self.tell_of_strangers(engine);
        }
        engine.on_timer(now, &mut notes);
        let outside = notes.outside;
        drop(notes);
        if may_hold_back && inner.held_back > 0 && inner.held_back < BURST {
            // The next poll sends it, if no message joins it before.
            inner.held_back += BURST;
        } else {
            inner.flush(now, &self.socket, &self.addresses);
        }
        if let Some((from, at, len)) = outside {
            fatal!("rank {} reaches for {len} bytes at {:#x}, outside this rank's segment", from.0, at.0);
        }
    }

    #[cold]
    fn tell_of_strangers(&self, engine: &mut Engine) {
        if let Some(strange) = engine.rejects.news(&self.addresses) {
            warn!("udp: {strange} datagrams that are not this job's have come: {}", engine.rejects);
        }
    }

    /// Where a signal handler may be: nothing is allocated.
    fn show_counters(&self, engine: &Engine) {
        let Counters { flight, datagrams, rejected } = engine.counters();
        let (colon, refused) = if rejected > 0 { (": ", &engine.rejects as &dyn Display) } else { ("", &"" as _) };
        Line::of(format_args!(
            "*** NOTE (proc {}): udp: datagrams: {} sent, {} of them again; {datagrams} received, {rejected} of them \
             refused{colon}{refused}",
            engine.config().me.0,
            flight.sent,
            flight.again,
        ))
        .print();
    }

    fn next(&self, take: Take) -> Option<Came> {
        let mut came = self.came.lock();
        let reply = came.replies.pop_front();
        if reply.is_some() || take == Take::Replies { reply } else { came.requests.pop_front() }
    }

    fn handle(&self, up: &dyn Deliver, came: Came) {
        let args = &came.args[..usize::from(came.nargs)];
        match came.body {
            Body::None => up.am(came.from, came.traffic, came.handler, args, Arrived::None),
            Body::Long(Held(place)) => up.am(came.from, came.traffic, came.handler, args, Arrived::Long(place)),
            Body::Medium(mut words, bytes) => {
                // SAFETY: `words` has room for `bytes` bytes and lives to the end of this arm, which outlasts the handler.
                let place = unsafe { Dst::new(words.as_mut_ptr().cast::<c_void>(), bytes) };
                up.am(came.from, came.traffic, came.handler, args, Arrived::Medium(place));
            }
        }
        self.inner.lock().engine.handled(came.from, came.traffic, came.cost);
    }

    /// Gives the engine something for `to`, and sends it if nothing is under way there.
    fn give(&self, to: JobRank, give: impl FnOnce(&mut Engine) -> Result<(), Full>) -> bool {
        let mut inner = self.inner.lock();
        let lone = inner.engine.is_idle_to(to);
        if give(&mut inner.engine).is_err() {
            inner.flush(sleep::now_ns(), &self.socket, &self.addresses);
            return false;
        }
        inner.held_back = (inner.held_back % BURST) + 1;
        if lone || inner.held_back >= BURST {
            inner.flush(sleep::now_ns(), &self.socket, &self.addresses);
        }
        true
    }
}

impl Rank {
    fn give_long(&self, to: JobRank, msg: &AmMsg<'_>, src: Src<'_>, at: RemoteAddr, stays: bool) -> bool {
        let mut head = [0; 68];
        let len = head_of(IS_LONG, msg.handler, msg.args, &mut head);
        self.give(to, |engine| engine.long(to, msg.traffic, &head[..len], src, at, stays))
    }
}

impl Conduit for Rank {
    fn caps(&self) -> Caps {
        Caps { put: true, get: true }
    }

    fn limits(&self) -> Limits {
        LIMITS
    }

    fn am(&self, to: JobRank, msg: &AmMsg<'_>) -> Sent {
        let mut head = [0; 68];
        let taken = match msg.payload {
            Payload::None => {
                let len = head_of(IS_SHORT, msg.handler, msg.args, &mut head);
                self.give(to, |engine| engine.am(to, msg.traffic, &head[..len], Src::of(&[])))
            }
            Payload::Medium(src) => {
                let len = head_of(IS_MEDIUM, msg.handler, msg.args, &mut head);
                self.give(to, |engine| engine.am(to, msg.traffic, &head[..len], src))
            }
            Payload::Long(src, at) => self.give_long(to, msg, src, at, false),
            Payload::LongAsync(src, at) => self.give_long(to, msg, src, at, true),
        };
        if taken { Sent::Done } else { Sent::Retry }
    }

    fn poll(&self, up: &dyn Deliver, take: Take, budget: u32) -> u32 {
        // A thread that finds another one here looks at what that one brought.
        if let Some(mut inner) = self.inner.try_lock() {
            self.exchange(&mut inner, self.came.lock(), up, true);
        }
        let mut handled = 0;
        loop {
            let done = self.came.lock().done.pop_front();
            let Some(op) = done else { break };
            up.done(Leaf(op));
            handled += 1;
        }
        while handled < budget
            && let Some(came) = self.next(take)
        {
            self.handle(up, came);
            handled += 1;
        }
        if handled > 0
            && let Some(mut inner) = self.inner.try_lock()
        {
            inner.flush(sleep::now_ns(), &self.socket, &self.addresses);
        }
        handled
    }

    fn wait(&self, bell: c_int, ns: u64) {
        let due = {
            let mut inner = self.inner.lock();
            inner.flush(sleep::now_ns(), &self.socket, &self.addresses);
            inner.due()
        };
        let ns = ns.min(due.saturating_sub(sleep::now_ns()));
        if ns > 0 {
            sleep::wait_readable([self.socket.raw(), bell], ns);
        }
    }

    fn put(&self, to: JobRank, dst: RemoteAddr, src: Src<'_>, stays: bool, leaf: Leaf) -> Sent {
        if self.give(to, |engine| engine.put(to, dst, src, stays, leaf.0)) { Sent::Later } else { Sent::Retry }
    }

    fn get(&self, dst: Dst<'_>, from: JobRank, src: RemoteAddr, leaf: Leaf) -> Sent {
        if self.give(from, |engine| engine.get(from, src, dst, leaf.0)) { Sent::Later } else { Sent::Retry }
    }

    fn stop(&self, how: Stop) {
        if let Stop::Within { ns } = how {
            self.linger(sleep::now_ns().saturating_add(ns));
        }
        if self.counters
            && let Some(inner) = self.inner.try_lock_for(PATIENCE)
        {
            self.show_counters(&inner.engine);
        }
    }
}

/// Perhaps in a signal handler, over a thread that is inside: nothing waits for long.
const PATIENCE: Duration = Duration::from_millis(10);

impl Rank {
    /// Until what was sent has arrived, and the peers know that what they sent has.
    fn linger(&self, until: u64) {
        // Nothing is handled any more: what arrives is acknowledged only.
        struct Deaf;
        impl Deliver for Deaf {
            fn am(&self, _: JobRank, _: Traffic, _: u8, _: &[i32], _: Arrived<'_>) {}
            fn own(&self, _: RemoteAddr, _: usize) -> Option<Dst<'static>> {
                None
            }
            fn done(&self, _: Leaf) {}
        }
        loop {
            let Some(mut inner) = self.inner.try_lock_for(PATIENCE) else { return };
            let Some(came) = self.came.try_lock_for(PATIENCE) else { return };
            self.exchange(&mut inner, came, &Deaf, false);
            inner.engine.acknowledge();
            inner.flush(sleep::now_ns(), &self.socket, &self.addresses);
            if inner.engine.has_delivered() || sleep::now_ns() >= until {
                return;
            }
            let ns = inner.due().saturating_sub(sleep::now_ns()).min(1_000_000);
            drop(inner);
            sleep::wait_readable([self.socket.raw()], ns);
        }
    }
}
