//! One rank of a udp job: its engine, its socket and what has arrived and waits for its handler, behind one lock. Handlers
//! run outside the lock, so they may send; what they send leaves with the poll that ran them.
//!
//! When datagrams leave: at once while nothing is on its way to the peer (a lone message is not held up), else with the
//! second poll after the message, or when there is a lot of it: a burst shares datagrams. If the client computes
//! meanwhile, a thread sends them, after 100 us or so; it exists only from the first such message on. It receives
//! nothing: acknowledgements, and so what is sent again, wait for the client's next call.

use core::ffi::c_int;
use core::fmt::Display;
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::sync::OnceLock;
use std::thread::Thread;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};

use super::arrivals::{Arrivals, IS_LONG, IS_MEDIUM, IS_SHORT, MOST_HEAD, Next, Notes, head_of};
use super::faults::{Faults, Faulty};
use super::held::{Datagrams, Went};
use super::socket::{Inbox, Socket};
use super::{Config, Counters, Engine, Full, Secret, Source};
use crate::conduit::{AmMsg, Caps, Conduit, Deliver, Leaf, Limits, Payload, Sent, Stop, Take};
use crate::env;
use crate::fatal::{fatal, warn};
use crate::job::{HostRank, JobRank};
use crate::mem::{Dst, RemoteAddr, Src};
use crate::os::process::{self, Line};
use crate::os::{affinity, signal, sleep};
use crate::sync::atomic::{AtomicBool, Ordering};

const MEDIUM: usize = 64 << 10;
const LONG: usize = 16 << 20;
const LIMITS: Limits =
    Limits { medium: MEDIUM, long_request: LONG, long_reply: LONG, piece: 1 << 30, copied: 64 << 10 };
/// Messages that leave together at most before they are sent without waiting for another poll.
const BURST: u32 = 64;
/// What a socket must hold, or it loses much.
const FEW_BYTES: usize = 128 << 10;
/// How long a message is held back though nobody polls, while every rank has a core.
const HELD_BACK: Duration = Duration::from_micros(100);
/// Datagrams after which there may be more.
const BURST_IN: usize = 8;
/// Receive calls of one poll at most: then handlers run.
const RECEIVES: u32 = 8;

/// What a rank needs to be one job with the others.
pub struct Network {
    pub me: JobRank,
    pub size: u32,
    /// This rank among those of its host, and how many these are.
    pub here: HostRank,
    pub on_host: u32,
    /// By rank of the job.
    pub addresses: Box<[SocketAddr]>,
    pub secret: [u8; 32],
    /// Bound to this rank's address.
    pub socket: UdpSocket,
    /// After so long without an answer from a rank, its host is asked.
    pub patience: Duration,
}

impl Network {
    /// The rank's conduit.
    pub fn open(self, faults: Faults, encrypt: bool) -> &'static dyn Conduit {
        let rank = self.me;
        let crowd = (self.on_host as usize).div_ceil(affinity::cpu_count()) as u32;
        let socket = match Socket::of(self.socket, env::size("GASNET_SOCKETBUFFER_MAX") as usize) {
            Ok(socket) => socket,
            Err(error) => fatal!("udp: the socket of rank {} cannot be set up: {error}", rank.0),
        };
        if socket.receives < FEW_BYTES && self.here.0 == 0 {
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
        let rank: &'static Rank = Box::leak(Box::new(Rank {
            addresses: self.addresses,
            socket,
            inner: Mutex::new(Inner {
                engine: Engine::new(config),
                inbox: Inbox::new(),
                came: Arrivals::default(),
                faults,
                held_back: 0,
                flushes: 0,
                late: Late::Absent,
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

struct Inner {
    engine: Engine,
    inbox: Inbox,
    came: Arrivals,
    faults: Option<Faulty>,
    /// Messages taken since datagrams left last, and how often they left.
    held_back: u32,
    flushes: u32,
    late: Late,
}

/// The thread that sends what is held back for too long.
enum Late {
    Absent,
    /// The system gives none; the client's next call sends.
    Denied,
    Resting(Thread),
    Awake(Thread),
}

struct Rank {
    addresses: Box<[SocketAddr]>,
    socket: Socket,
    inner: Mutex<Inner>,
    /// A thread found another one in the lock, and so may not know of what that one brought.
    missed: AtomicBool,
    held_back_at_most: Duration,
    this: OnceLock<&'static Rank>,
    /// The counters are shown at the end.
    counters: bool,
}

/// A thread of the library's own: no signal of the client's arrives there.
fn background(work: impl FnOnce() + Send + 'static) -> io::Result<Thread> {
    let blocked = signal::Mask::block_all();
    let started = std::thread::Builder::new().name("gasnet-udp".into()).spawn(work);
    blocked.restore();
    started.map(|handle| handle.thread().clone())
}

impl Inner {
    /// Sends what may leave now.
    fn flush(&mut self, now: u64, socket: &Socket, addresses: &[SocketAddr]) {
        self.held_back = 0;
        self.flushes = self.flushes.wrapping_add(1);
        let Inner { engine, faults, .. } = self;
        let plain = |datagrams: &Datagrams<'_>| socket.send(addresses[datagrams.to.index()], datagrams);
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

    /// When something has to be done though nothing arrives.
    fn due(&self) -> u64 {
        let faults = self.faults.as_ref().and_then(Faulty::due).unwrap_or(u64::MAX);
        self.engine.next_timer().unwrap_or(u64::MAX).min(faults)
    }
}

impl Rank {
    /// Reads the socket and sends pending datagrams. If the rank is `leaving`, nothing is held back for a batch, and an
    /// address outside the segment is no error. Uses `up` for memory only; messages and completions are queued in `came`.
    #[inline]
    fn exchange(&self, inner: &mut Inner, up: &dyn Deliver, leaving: bool) {
        let now = sleep::now_ns();
        let Inner { engine, inbox, came, .. } = &mut *inner;
        let mut notes = Notes { up, came, outside: None };
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
        if let Some((from, at, len)) = notes.outside
            && !leaving
        {
            fatal!("rank {} reaches for {len} bytes at {:#x}, outside this rank's segment", from.0, at.0);
        }
        if !leaving && inner.held_back > 0 && inner.held_back < BURST {
            // The next poll sends it, if no message joins it before.
            inner.held_back += BURST;
        } else {
            inner.flush(now, &self.socket, &self.addresses);
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
        } else {
            self.expect_late(&mut inner);
        }
        true
    }

    /// Something is held back: somebody looks after it.
    #[inline]
    fn expect_late(&self, inner: &mut Inner) {
        if !matches!(inner.late, Late::Awake(_) | Late::Denied) {
            self.wake_late(inner);
        }
    }

    #[cold]
    fn wake_late(&self, inner: &mut Inner) {
        inner.late = match core::mem::replace(&mut inner.late, Late::Absent) {
            Late::Resting(thread) => {
                thread.unpark();
                Late::Awake(thread)
            }
            late @ (Late::Awake(_) | Late::Denied) => late,
            Late::Absent => match self.this.get().map(|rank| background(|| rank.send_late())) {
                Some(Ok(thread)) => Late::Awake(thread),
                Some(Err(_)) | None => Late::Denied,
            },
        };
    }

    /// What the thread does: twice in a row it finds the same messages held back, and sends them.
    fn send_late(&self) {
        let mut seen = None;
        loop {
            process::nap(self.held_back_at_most);
            let mut inner = self.inner.lock();
            if inner.held_back > 0 {
                if seen == Some(inner.flushes) {
                    inner.flush(sleep::now_ns(), &self.socket, &self.addresses);
                }
                seen = Some(inner.flushes);
                continue;
            }
            seen = None;
            if let Late::Awake(thread) = core::mem::replace(&mut inner.late, Late::Absent) {
                inner.late = Late::Resting(thread);
            }
            drop(inner);
            std::thread::park();
        }
    }
}

impl Rank {
    fn give_long(&self, to: JobRank, msg: &AmMsg<'_>, src: Src<'_>, at: RemoteAddr, source: Source) -> bool {
        let mut head = [0; MOST_HEAD];
        let len = head_of(IS_LONG, msg.handler, msg.args, &mut head);
        self.give(to, |engine| engine.long(to, msg.traffic, &head[..len], src, at, source))
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
        let mut head = [0; MOST_HEAD];
        let taken = match msg.payload {
            Payload::None => {
                let len = head_of(IS_SHORT, msg.handler, msg.args, &mut head);
                self.give(to, |engine| engine.am(to, msg.traffic, &head[..len], Src::of(&[])))
            }
            Payload::Medium(src) => {
                let len = head_of(IS_MEDIUM, msg.handler, msg.args, &mut head);
                self.give(to, |engine| engine.am(to, msg.traffic, &head[..len], src))
            }
            Payload::Long(src, at) => {
                self.give_long(to, msg, src, at, msg.held.map_or(Source::Changes, |leaf| Source::StaysUntil(leaf.0)))
            }
            Payload::LongAsync(src, at) => self.give_long(to, msg, src, at, Source::Stays),
        };
        match (taken, msg.held) {
            (false, _) => Sent::Retry,
            (true, None) => Sent::Done,
            (true, Some(_)) => Sent::Later,
        }
    }

    fn poll(&self, up: &dyn Deliver, take: Take, budget: u32) -> u32 {
        let Some(mut inner) = self.inner.try_lock() else {
            // Relaxed: the lock orders all else; `wait` takes it before it looks.
            self.missed.store(true, Ordering::Relaxed);
            return 0;
        };
        self.exchange(&mut inner, up, false);
        let mut handled = 0;
        while handled < budget
            && let Some(next) = inner.came.next(take)
        {
            handled += 1;
            match next {
                Next::Done(op) => MutexGuard::unlocked(&mut inner, || up.done(Leaf(op))),
                Next::Am(came) => {
                    let (from, traffic, cost) = (came.from, came.traffic, came.cost);
                    MutexGuard::unlocked(&mut inner, || came.handle(up));
                    inner.engine.handled(from, traffic, cost);
                }
            }
        }
        if handled > 0 {
            inner.flush(sleep::now_ns(), &self.socket, &self.addresses);
        }
        handled
    }

    fn wait(&self, bell: c_int, ns: u64) {
        let due = {
            let mut inner = self.inner.lock();
            if self.missed.swap(false, Ordering::Relaxed) {
                return;
            }
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

    fn counters(&self, say: &mut dyn FnMut(&str, u64)) {
        let Some(inner) = self.lock_soon() else { return };
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
        if self.counters
            && let Some(inner) = self.lock_soon()
        {
            self.show_counters(&inner.engine);
        }
    }
}

impl Rank {
    /// The lock for a rank that leaves: perhaps in a signal handler, over a thread that has it, so nothing waits for long.
    /// Without parking_lot's own waiting, which takes locks and memory.
    fn lock_soon(&self) -> Option<MutexGuard<'_, Inner>> {
        const PATIENCE_NS: u64 = 10_000_000;
        let until = sleep::now_ns() + PATIENCE_NS;
        loop {
            match self.inner.try_lock() {
                None if sleep::now_ns() < until => process::nap(Duration::from_micros(100)),
                inner => return inner,
            }
        }
    }

    /// Waits until peers have acknowledged all datagrams of this rank and have their own acknowledged. Serves their puts and
    /// gets meanwhile; messages are acknowledged, and no handler runs.
    fn linger(&self, up: &dyn Deliver, until: u64) {
        loop {
            let Some(mut inner) = self.lock_soon() else { return };
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
