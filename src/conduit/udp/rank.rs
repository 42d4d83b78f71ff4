//! One rank of a udp job: its engine, its socket and its arrival queue, behind one lock. Handlers
//! run outside the lock, so they may send; their messages leave with the poll that ran them.
//!
//! When datagrams leave: at once while nothing is in flight to the peer, so that a single message is not delayed. Otherwise
//! messages are batched until the second poll, or until there are many of them. If the client computes meanwhile, the
//! progress thread sends them after about 100 us; it is created when it is first needed. It receives nothing:
//! acknowledgements, and so retransmissions, wait for the client's next call.

use core::ffi::c_int;
use core::fmt::Display;
use std::net::UdpSocket;
use std::sync::OnceLock;
use std::time::Duration;

use parking_lot::Mutex;

use super::addresses::Addresses;
use super::faults::{Faults, Faulty};
use super::held::{Datagrams, Went};
use super::socket::{ReceiveBuffers, Socket};
use super::upward::{IS_LONG, IS_MEDIUM, IS_SHORT, MOST_HEAD, Notes, head_of};
use crate::conduit::shared::arrivals::{Arrivals, Queued, hand_up};
use crate::conduit::shared::background::{Background, Worker};
use crate::conduit::shared::lock_soon;
use crate::conduit::udp::auth::Secret;
use crate::conduit::udp::engine::{Counters, Engine};
use crate::conduit::udp::send::Source;
use crate::conduit::udp::terms::{Config, Full, Taken};
use crate::conduit::{
    AmMsg, Caps, Completion, Conduit, Deliver, Limits, LocalMem, OpToken, Payload, Sent, Stop, Take, Traffic,
};
use crate::defs::rank::{HostRank, JobRank, Location};
use crate::env;
use crate::fatal::{fatal, warn};
use crate::mem::{Dst, RemoteAddr, Src};
use crate::os::process::Line;
use crate::os::{affinity, sleep};
use crate::sync::atomic::{AtomicBool, Ordering};

/// The most bytes of a Medium's payload.
pub const MEDIUM: usize = 64 << 10;
const LONG: usize = 16 << 20;
pub(crate) const LIMITS: Limits =
    Limits { medium: MEDIUM, long_request: LONG, long_reply: LONG, piece: 1 << 30, copied: 64 << 10 };

/// The largest number of batched messages; then they are sent without waiting for another poll.
const BURST: u32 = 64;
/// A socket buffer below this many bytes causes many losses, and a warning.
const FEW_BYTES: usize = 128 << 10;
/// The longest delay of a batched message while the client does not poll, if every rank has a core.
const HELD_BACK: Duration = Duration::from_micros(100);
/// After a receive call that returned this many datagrams the socket is read again.
const BURST_IN: usize = 8;
/// The largest number of receive calls in one poll, before handlers run.
const RECEIVES: u32 = 8;

/// The parameters with which a rank opens its udp conduit.
pub(crate) struct UdpNetwork {
    pub me: JobRank,
    pub size: u32,
    /// This rank's index on its host; then the number of ranks there.
    pub here: HostRank,
    pub on_host: u32,
    /// By rank of the job.
    pub addresses: Addresses,
    pub secret: [u8; 32],
    /// Bound to this rank's address.
    pub socket: UdpSocket,
    /// The time without an answer from a rank after which the wardens find out whether its host can be reached.
    pub patience: Duration,
}

impl UdpNetwork {
    /// The rank's conduit.
    pub(crate) fn open(self, faults: Faults, encrypt: bool) -> &'static dyn Conduit {
        let rank = self.me;
        let crowd = (self.on_host as usize).div_ceil(affinity::cpu_count()) as u32;
        let socket = match Socket::of(self.socket, env::size("GASNET_SOCKETBUFFER_MAX") as usize) {
            Ok(socket) => socket,
            Err(error) => fatal!("udp: the socket of rank {} cannot be set up: {error}", rank.0),
        };
        if socket.receives < FEW_BYTES && self.here.0 == 0 {
            warn!(
                "udp: socket buffers hold only {} bytes, so many datagrams are lost and sent again: raise the kernel's net.core.rmem_max, \
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
        let rank: &'static Rank = Box::leak(Box::new(Rank {
            addresses: self.addresses,
            socket,
            inner: Mutex::new(Guarded {
                engine: Engine::new(config),
                inbox: ReceiveBuffers::new(),
                arrivals: Arrivals::default(),
                faults,
                held_back: 0,
                flushes: 0,
                seen: None,
                worker: Worker::default(),
            }),
            missed: AtomicBool::new(false),
            held_back_at_most: HELD_BACK * crowd,
            counters: env::yes("GASNET_UDP_COUNTERS"),
            this: OnceLock::new(),
        }));
        let _ = rank.this.set(rank);
        rank
    }
}

struct Guarded {
    engine: Engine,
    inbox: ReceiveBuffers,
    arrivals: Arrivals,
    faults: Option<Faulty>,
    /// Messages accepted since datagrams were last sent, then the number of such sends.
    held_back: u32,
    flushes: u32,
    /// The value of `flushes` when the progress thread last found batched messages.
    seen: Option<u32>,
    worker: Worker,
}

struct Rank {
    addresses: Addresses,
    socket: Socket,
    inner: Mutex<Guarded>,
    /// A poll found the lock taken, so it may have missed arrivals that the other thread received.
    missed: AtomicBool,
    held_back_at_most: Duration,
    this: OnceLock<&'static Rank>,
    /// Print the counters when the rank leaves.
    counters: bool,
}

impl Queued for Guarded {
    fn arrivals(&mut self) -> &mut Arrivals {
        &mut self.arrivals
    }

    fn handled(&mut self, from: JobRank, traffic: Traffic, cost: u32) {
        self.engine.handled(from, traffic, cost);
    }
}

impl Guarded {
    /// Sends everything that may be sent at `now`.
    fn flush(&mut self, now: u64, socket: &Socket, addresses: &Addresses) {
        self.held_back = 0;
        self.flushes = self.flushes.wrapping_add(1);
        let Guarded { engine, faults, .. } = self;
        let plain = |datagrams: &Datagrams<'_>| socket.send(addresses.of(datagrams.to), datagrams);
        let Some(faulty) = faults else {
            engine.transmit(now, &mut |datagrams| plain(datagrams));
            return;
        };
        let mut out = |to: JobRank, bytes: &[u8]| {
            let (pieces, segment) = (&[Src::of(bytes)], bytes.len().max(1));
            let mut one = Datagrams { to, pieces, bytes: bytes.len(), segment, may_fragment: false };
            if plain(&one) == Went::TooLarge {
                one.may_fragment = true;
                let _ = plain(&one);
            }
        };
        engine.transmit(now, &mut |datagrams| {
            let to = datagrams.to;
            datagrams.each(|bytes| faulty.send(now, to, bytes, &mut out));
            Went::Out
        });
        faulty.pass(now, &mut out);
    }

    /// The time at which a poll is needed although nothing arrives.
    fn due(&self) -> u64 {
        let faults = self.faults.as_ref().and_then(Faulty::due).unwrap_or(u64::MAX);
        self.engine.next_timer().unwrap_or(u64::MAX).min(faults)
    }
}

impl Rank {
    /// Reads the socket and sends pending datagrams. If the rank is `leaving`, nothing is held back for a batch, and an
    /// address outside the segment is no error. Uses `up` for memory only; messages and completions are queued. Returns whether
    /// it has accepted a datagram.
    #[inline]
    fn exchange(&self, inner: &mut Guarded, up: &dyn Deliver, leaving: bool) -> bool {
        // The clock is read when something depends on it: it takes a tenth of a poll that finds nothing.
        let mut read = None;
        let mut clock = || *read.get_or_insert_with(sleep::now_ns);
        let is_quiet = inner.held_back == 0 && inner.due() == u64::MAX;
        let Guarded { engine, inbox, arrivals, .. } = &mut *inner;
        let mut notes = Notes { up, arrivals, outside: None };
        let (mut accepted, mut refused) = (false, false);
        for _ in 0..RECEIVES {
            let got = self.socket.receive(inbox, |from, bytes| {
                let ok = engine.on_datagram(clock(), from, bytes, &mut notes).is_ok();
                accepted |= ok;
                refused |= !ok;
            });
            // Another receive call costs as much as a message; the next poll finds later arrivals.
            if got < BURST_IN {
                break;
            }
        }
        if refused {
            self.tell_of_strangers(engine);
        }
        if is_quiet && read.is_none() {
            return false;
        }
        let now = read.unwrap_or_else(sleep::now_ns);
        engine.on_timer(now, &mut notes);
        if let Some((from, at, len)) = notes.outside {
            if !leaving {
                fatal!("rank {} reaches for {len} bytes at {:#x}, outside this rank's segment", from.0, at.0);
            }
        }
        if !leaving && inner.held_back > 0 && inner.held_back < BURST {
            // The next poll sends it, if no message joins it before.
            inner.held_back += BURST;
        } else {
            inner.flush(now, &self.socket, &self.addresses);
        }
        accepted
    }

    #[cold]
    fn tell_of_strangers(&self, engine: &mut Engine) {
        if let Some(strange) = engine.rejects.news(&self.addresses) {
            warn!("udp: received {strange} datagrams that do not belong to this job: {}", engine.rejects);
        }
    }

    /// May run in a signal handler: allocates nothing.
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

    /// Gives the engine an operation on `to`, and sends it if nothing is in flight to that rank. An operation with a token
    /// on a rank that has left fails.
    fn give(
        &self,
        to: JobRank,
        token: Option<OpToken>,
        give: impl FnOnce(&mut Engine) -> Result<Taken, Full>,
    ) -> Option<Taken> {
        let mut inner = self.inner.lock();
        let lone = inner.engine.is_idle_to(to);
        let Ok(taken) = give(&mut inner.engine) else {
            inner.flush(sleep::now_ns(), &self.socket, &self.addresses);
            return None;
        };
        if taken == Taken::Gone {
            if let Some(token) = token {
                inner.arrivals.done(token, Completion::Failed);
            }
        }
        inner.held_back = (inner.held_back % BURST) + 1;
        if lone || inner.held_back >= BURST {
            inner.flush(sleep::now_ns(), &self.socket, &self.addresses);
        } else {
            inner.worker.expect("gasnet-udp", self.background());
        }
        Some(taken)
    }
}

/// Sends messages that were batched for too long: those that two steps in a row find unsent.
impl Background for Rank {
    fn step(&self) -> bool {
        let inner = &mut *self.inner.lock();
        if inner.held_back == 0 {
            inner.seen = None;
            inner.worker.rest();
            return false;
        }
        if inner.seen == Some(inner.flushes) {
            inner.flush(sleep::now_ns(), &self.socket, &self.addresses);
        }
        inner.seen = Some(inner.flushes);
        true
    }

    fn period(&self) -> Duration {
        self.held_back_at_most
    }

    fn worker(&self, change: &mut dyn FnMut(&mut Worker)) {
        change(&mut self.inner.lock().worker);
    }
}

impl Rank {
    fn give_long(&self, to: JobRank, msg: &AmMsg<'_>, src: Src<'_>, at: RemoteAddr, source: Source) -> Option<Taken> {
        let mut head = [0; MOST_HEAD];
        let len = head_of(IS_LONG, &msg.header, &mut head);
        self.give(to, msg.token, |engine| engine.long(to, msg.header.traffic, &head[..len], src, at, source))
    }
}

impl Conduit for Rank {
    fn caps(&self) -> Caps {
        Caps {
            put: true,
            get: true,
            registered: false,
            any_local: false,
            any_remote: false,
            pins: false,
            least_of_all: false,
            fast_barrier: false,
            pauses: false,
            serves_unseen: false,
        }
    }

    fn limits(&self) -> Limits {
        LIMITS
    }

    fn am(&self, to: Location, msg: &AmMsg<'_>) -> Sent {
        let to = to.rank;
        let mut head = [0; MOST_HEAD];
        let (kind, src) = match msg.payload {
            Payload::None => (IS_SHORT, Src::of(&[])),
            Payload::Medium(src) => (IS_MEDIUM, src),
            Payload::Long(src, at) => {
                let source = msg.token.map_or(Source::Changes, |token| Source::StaysUntil(token.0));
                return match self.give_long(to, msg, src, at, source) {
                    None => Sent::Retry,
                    Some(_) if msg.token.is_some() => Sent::Later,
                    Some(_) => Sent::Done,
                };
            }
            Payload::LongAsync(src, at) => {
                return self.give_long(to, msg, src, at, Source::Stays).map_or(Sent::Retry, |_| Sent::Done);
            }
        };
        let len = head_of(kind, &msg.header, &mut head);
        let give = |engine: &mut Engine| engine.am(to, msg.header.traffic, &head[..len], src);
        self.give(to, None, give).map_or(Sent::Retry, |_| Sent::Done)
    }

    fn poll(&self, up: &dyn Deliver, take: Take, budget: u32) -> u32 {
        let Some(mut inner) = self.inner.try_lock() else {
            // Relaxed: the lock orders all other accesses; `quiet_ns` holds it when it reads this.
            self.missed.store(true, Ordering::Relaxed);
            return 0;
        };
        let accepted = self.exchange(&mut inner, up, false);
        let handled = hand_up(&mut inner, up, take, budget);
        if handled > 0 {
            inner.flush(sleep::now_ns(), &self.socket, &self.addresses);
        }
        // A rank that serves puts and gets while it waits does not sleep between them.
        handled.max(u32::from(accepted))
    }

    fn wake(&self) -> [c_int; 2] {
        [self.socket.raw(), -1]
    }

    fn quiet_ns(&self) -> u64 {
        let mut inner = self.inner.lock();
        if self.missed.swap(false, Ordering::Relaxed) {
            return 0;
        }
        inner.flush(sleep::now_ns(), &self.socket, &self.addresses);
        inner.due().saturating_sub(sleep::now_ns())
    }

    fn put(&self, to: Location, dst: RemoteAddr, src: LocalMem<Src<'_>>, stays: bool, token: OpToken) -> Sent {
        match self.give(to.rank, Some(token), |engine| engine.put(to.rank, dst, src.view, stays, token.0)) {
            None => Sent::Retry,
            Some(Taken::Copied) => Sent::Copied,
            Some(Taken::Held | Taken::Gone) => Sent::Later,
        }
    }

    fn get(&self, dst: LocalMem<Dst<'_>>, from: Location, src: RemoteAddr, token: OpToken) -> Sent {
        let give = |engine: &mut Engine| engine.get(from.rank, src, dst.view, token.0);
        self.give(from.rank, Some(token), give).map_or(Sent::Retry, |_| Sent::Later)
    }

    fn background(&self) -> Option<&'static dyn Background> {
        self.this.get().map(|rank| *rank as _)
    }

    fn gone(&self, rank: JobRank) {
        let inner = &mut *self.inner.lock();
        inner.engine.gone(rank, |op| inner.arrivals.done(OpToken(op), Completion::Failed));
    }

    fn counters(&self, say: &mut dyn FnMut(&str, u64)) {
        let Some(inner) = lock_soon(&self.inner) else { return };
        let Counters { flight, datagrams, rejected } = inner.engine.counters();
        say("datagrams_sent", flight.sent);
        say("datagrams_sent_again", flight.again);
        say("datagrams_received", datagrams);
        say("datagrams_refused", rejected);
    }

    fn stop(&self, how: Stop, up: &dyn Deliver) {
        if let Stop::Within { ns } = how {
            self.linger(up, sleep::now_ns().saturating_add(ns));
        }
        if self.counters {
            if let Some(inner) = lock_soon(&self.inner) {
                self.show_counters(&inner.engine);
            }
        }
    }
}

impl Rank {
    /// Waits until peers have acknowledged all datagrams of this rank and have their own acknowledged. Serves their puts and
    /// gets meanwhile; messages are acknowledged, and no handler runs.
    fn linger(&self, up: &dyn Deliver, until: u64) {
        loop {
            let Some(mut inner) = lock_soon(&self.inner) else { return };
            self.exchange(&mut inner, up, true);
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
