//! Ranks with clocks of their own over a simulated network that loses, doubles, delays, reorders, corrupts, narrows and
//! falls silent. A run is one schedule, made from a seed or from a fuzzer's bytes: every message arrives exactly once
//! and whole, transfers complete when they are there, nothing else is written, memory is bounded, and the run ends.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet, VecDeque};
use std::net::SocketAddr;

use gasnet::conduit::udp::faults::{Faults, Faulty};
use gasnet::conduit::udp::{Config, Engine, Payload, Secret, Up, Went};
use gasnet::job::JobRank;
use gasnet::mem::{Dst, RemoteAddr, Src};
use gasnet::nbrhd::pool::Traffic;

use super::gauge;
use super::input::Input;

const US: u64 = 1000;
const MS: u64 = 1_000_000;
const SECOND: u64 = 1_000_000_000;
const MOST_MEDIUM: usize = 6000;
const AM_WINDOW: u32 = 14_000;
const SEND_QUEUE: u32 = 10_000;
const TRANSFERS: usize = 6;
/// Bytes before and after what peers may reach.
const MARGIN: usize = 256;
/// In the number of a request: its handler replies.
const ANSWERED: u64 = 0x80;

fn byte(id: u64, at: usize) -> u8 {
    (id.wrapping_mul(31) as usize).wrapping_add(at.wrapping_mul(7)).wrapping_add(at >> 8) as u8
}

fn pattern(id: u64, len: usize) -> Vec<u8> {
    (0..len).map(|at| byte(id, at)).collect()
}

fn check(id: u64, bytes: &[u8]) {
    assert!(bytes.iter().enumerate().all(|(at, b)| *b == byte(id, at)), "message {id} is damaged");
}

fn view(memory: &mut [u8]) -> Dst<'static> {
    // SAFETY: neither a rank's memory nor the buffer of a transfer is resized, and both outlive what uses the view: the
    // engine gives a buffer up when it says so.
    unsafe { Dst::new(memory.as_mut_ptr().cast(), memory.len()) }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Am,
    Long,
    Put,
    Get,
}

#[derive(Clone, Copy, Debug)]
struct Op {
    kind: Kind,
    id: u64,
    to: JobRank,
    len: usize,
    /// Where in the target's memory.
    at: usize,
    stays: bool,
}

struct Arrived {
    from: JobRank,
    traffic: Traffic,
    id: u64,
    cost: u32,
}

#[derive(Default)]
struct Desk {
    inbox: VecDeque<Arrived>,
    done: Vec<u64>,
    seen: HashSet<(JobRank, u8, u64)>,
    /// Bytes of messages that arrived and were not handled, by peer and class.
    unhandled: HashMap<(JobRank, u8), u32>,
}

struct Above<'a> {
    desk: &'a mut Desk,
    memory: &'a mut [u8],
}

impl Up for Above<'_> {
    fn am(&mut self, from: JobRank, traffic: Traffic, head: &[u8], payload: Payload<'_>, cost: u32) {
        gauge::outside(|| {
            let id = u64::from_le_bytes(head.try_into().expect("a head of 8 bytes"));
            match &payload {
                Payload::Bytes(bytes) => check(id, bytes),
                Payload::Whole(bytes) => check(id, bytes),
                Payload::Long(own) => {
                    let mut bytes = vec![0; own.len()];
                    gasnet::mem::read(&mut bytes, own.as_src());
                    check(id, &bytes);
                }
            }
            assert!(self.desk.seen.insert((from, traffic as u8, id)), "message {id} came twice");
            let unhandled = self.desk.unhandled.entry((from, traffic as u8)).or_default();
            *unhandled += cost;
            assert!(*unhandled <= AM_WINDOW, "{unhandled} bytes of messages wait to be handled");
            self.desk.inbox.push_back(Arrived { from, traffic, id, cost });
        });
    }

    fn own(&mut self, at: RemoteAddr, len: usize) -> Option<Dst<'static>> {
        let end = at.0.checked_add(len)?;
        assert!(at.0 >= MARGIN && end <= self.memory.len() - MARGIN, "an address that nobody gave");
        Some(view(&mut self.memory[at.0..end]))
    }

    fn outside(&mut self, _: JobRank, _: RemoteAddr, _: usize) {
        panic!("outside");
    }

    fn done(&mut self, op: u64) {
        gauge::outside(|| self.desk.done.push(op));
    }

    /// What a rank's silence means is not for engines to say: it may come back.
    fn lost(&mut self, _: JobRank, _: u64) {}
}

/// A clock that is fast or slow, and jumps.
#[derive(Clone, Copy, Debug)]
struct Clock {
    shows: u64,
    at: u64,
    permille: u64,
}

impl Clock {
    fn read(&self, now: u64) -> u64 {
        self.shows + (now - self.at) * self.permille / 1000
    }

    /// When it will show `shows`.
    fn when(&self, shows: u64) -> u64 {
        self.at.saturating_add(shows.saturating_sub(self.shows).saturating_mul(1000) / self.permille + 1)
    }

    fn jump(&mut self, now: u64, forward: u64, back: u64) {
        (self.shows, self.at) = ((self.read(now) + forward).saturating_sub(back), now);
    }
}

/// Bytes of a transfer: the source, or the place of a get.
type Buffer = Box<[u8]>;

struct Rank {
    engine: Engine,
    faulty: Faulty,
    memory: Vec<u8>,
    /// What the memory will be in the end.
    after: Vec<u8>,
    desk: Desk,
    todo: VecDeque<Op>,
    /// Replies that found no room yet.
    owed: VecDeque<(JobRank, u64)>,
    open_requests: HashSet<u64>,
    open_transfers: HashMap<u64, (Op, Buffer)>,
    clock: Clock,
    /// Does not poll until then; takes only replies until then.
    stopped_until: u64,
    deaf_until: u64,
    socket: VecDeque<Vec<u8>>,
    socket_bytes: usize,
    poll_at: u64,
}

/// The network cannot carry anything from one to the other in this time.
#[derive(Clone, Copy, Debug)]
struct Cut {
    from: u64,
    until: u64,
    /// From rank 0 to rank 1, back, or (2) all.
    which: u32,
}

/// What a run is like.
#[derive(Clone, Debug)]
pub struct Weather {
    ranks: u32,
    encrypt: bool,
    ops: u64,
    /// The longest message or transfer.
    most: usize,
    faults: Faults,
    /// The faults are the product's own (`GASNET_UDP_FAULTS`), not the simulation's.
    by_product: bool,
    /// Share of datagrams, copies among them, that come very late.
    late: f64,
    /// From the lower rank to the higher, and back.
    latency: [u64; 2],
    /// The largest datagram that passes, and from when on.
    paths: Vec<(u64, usize)>,
    /// The first hop says what is too large for it; else it just disappears.
    tells: bool,
    socket_bytes: usize,
    not_now: f64,
    cuts: Vec<Cut>,
    stops: f64,
    deaf: f64,
    jumps: f64,
}

impl Weather {
    pub fn of(c: &mut Input<'_>) -> Weather {
        let small = c.is_fuzzed() || c.hits(0.9);
        let rough = c.below(4) as usize;
        let share = |c: &mut Input<'_>, most: f64| if c.hits(0.5) { 0.0 } else { most * c.below(100) as f64 / 100.0 };
        let latencies = [2 * US, 20 * US, 500 * US, 5 * MS];
        let latency = c.one_of(&latencies);
        let mtus = [1200, 1472, 4000, 9000];
        let mut paths = vec![(0, c.one_of(&mtus))];
        // While it lasts: a run takes some tens of round trips.
        let span = 60 * latency + 500 * US;
        if c.hits(0.3) {
            paths[0].1 = c.one_of(&[4000, 9000, 9000]);
            for _ in 0..1 + c.below(3) {
                paths.push((c.below(span), c.one_of(&mtus)));
            }
            paths[1..].sort_unstable();
        }
        let mut cuts = Vec::new();
        if c.hits(0.2) {
            for _ in 0..1 + c.below(3) {
                let from = c.below(span);
                // Longer than any timeout now and then.
                let length = match c.below(4) {
                    0 => c.below(60 * SECOND),
                    1 => c.below(2 * SECOND),
                    _ => c.below(50 * MS),
                };
                cuts.push(Cut { from, until: from + length, which: c.below(3) as u32 });
            }
        }
        Weather {
            ranks: if small { 2 } else { 2 + c.below(3) as u32 },
            encrypt: c.hits(0.3),
            ops: 1 + if small { c.below(8) } else { c.below(60) },
            most: if small { c.one_of(&[100, 1500, 6000]) } else { c.one_of(&[200, 4000, 40_000]) },
            faults: Faults {
                loss: share(c, [0.0, 0.02, 0.1, 0.3][rough]),
                dup: share(c, 0.1),
                reorder: share(c, 0.3),
                corrupt: share(c, 0.05),
                delay_ns: 0,
                seed: c.u64(),
            },
            by_product: c.hits(0.3),
            late: share(c, 0.05),
            latency: [latency, if c.hits(0.7) { latency } else { c.one_of(&latencies) }],
            paths,
            tells: c.hits(0.5),
            socket_bytes: c.one_of(&[20_000, 200_000, 1_000_000]),
            not_now: share(c, 0.05),
            cuts,
            stops: if c.hits(0.3) { 0.02 } else { 0.0 },
            deaf: if c.hits(0.3) { 0.05 } else { 0.0 },
            jumps: if c.hits(0.2) { 0.02 } else { 0.0 },
        }
    }

    fn path(&self, now: u64) -> usize {
        self.paths.iter().rev().find(|(from, _)| *from <= now).map_or(0, |(_, mtu)| *mtu)
    }

    fn is_cut(&self, from: u32, to: u32, now: u64) -> bool {
        self.cuts.iter().any(|cut| {
            (cut.from..cut.until).contains(&now)
                && match cut.which {
                    0 => from == 0 && to == 1,
                    1 => from == 1 && to == 0,
                    _ => true,
                }
        })
    }

    /// What an engine may hold: messages that wait here and in pieces, copies of transfers, what is on its way, and
    /// some that is kept for reuse.
    fn most_held(&self) -> isize {
        let a_peer = 2 * (SEND_QUEUE + AM_WINDOW) as usize + 2 * TRANSFERS * self.most + 4 * 100_000;
        (a_peer * self.ranks as usize + 500_000) as isize
    }
}

/// When it arrives, a number, to whom.
type Flying = Reverse<(u64, u64, u32, Vec<u8>)>;

/// What went on in runs.
#[derive(Clone, Copy, Default, Debug)]
pub struct Sum {
    pub runs: u64,
    pub polls: u64,
    pub messages: u64,
    pub datagrams: u64,
    pub again: u64,
    pub most_held: isize,
    /// Runs in which the path changed, a link fell silent, a clock jumped, a rank took only replies.
    pub narrowed: u64,
    pub cut: u64,
    pub jumped: u64,
    pub deaf: u64,
}

pub struct World<'a> {
    now: u64,
    input: Input<'a>,
    weather: Weather,
    ranks: Vec<Rank>,
    wire: BinaryHeap<Flying>,
    count: u64,
    /// Requests that were sent: from, to, number.
    asked: HashSet<(usize, JobRank, u64)>,
    pub sum: Sum,
}

fn address(rank: u32) -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 1000 + rank as u16))
}

/// Bytes that stay where nobody puts any.
fn land(me: u32, len: usize) -> Vec<u8> {
    pattern(0x1000 + u64::from(me), len)
}

impl<'a> World<'a> {
    pub fn new(mut input: Input<'a>) -> World<'a> {
        gauge::reset();
        let weather = Weather::of(&mut input);
        let mut sizes = vec![MARGIN; weather.ranks as usize];
        let todos: Vec<_> = (0..weather.ranks).map(|me| Self::plan(me, &weather, &mut input, &mut sizes)).collect();
        let ranks = todos.into_iter().zip(0..).map(|(todo, me)| {
            let mut config = Config::new(JobRank(me), weather.ranks, Secret([7; 32]));
            config.encrypt = weather.encrypt;
            (config.most_medium, config.am_window, config.send_queue) = (MOST_MEDIUM, AM_WINDOW, SEND_QUEUE);
            (config.transfers, config.in_flight, config.mtu_most) = (TRANSFERS, 100_000, 9000);
            let faults = if weather.by_product { weather.faults } else { Faults::default() };
            let memory = land(me, sizes[me as usize] + MARGIN);
            let permille = if weather.jumps > 0.0 { 900 + input.below(200) } else { 1000 };
            Rank {
                engine: gauge::inside(|| Engine::new(config)),
                faulty: Faulty::new(faults, JobRank(me)),
                after: memory.clone(),
                memory,
                desk: Desk::default(),
                todo,
                owed: VecDeque::new(),
                open_requests: HashSet::new(),
                open_transfers: HashMap::new(),
                clock: Clock { shows: input.below(SECOND), at: 0, permille },
                stopped_until: 0,
                deaf_until: 0,
                socket: VecDeque::new(),
                socket_bytes: 0,
                poll_at: 0,
            }
        });
        let ranks = ranks.collect();
        let sum = Sum {
            runs: 1,
            narrowed: u64::from(weather.paths.len() > 1),
            cut: u64::from(!weather.cuts.is_empty()),
            jumped: u64::from(weather.jumps > 0.0),
            deaf: u64::from(weather.deaf > 0.0),
            ..Sum::default()
        };
        World { now: 0, input, weather, ranks, wire: BinaryHeap::new(), count: 0, asked: HashSet::new(), sum }
    }

    /// What rank `me` will do, each transfer in a place of its own.
    fn plan(me: u32, weather: &Weather, input: &mut Input<'_>, sizes: &mut [usize]) -> VecDeque<Op> {
        let mut todo = VecDeque::new();
        // Now and then all of it is messages to one rank that answers none.
        let floods = input.hits(0.2);
        let mut to = (me + 1) % weather.ranks;
        for n in 0..if floods { 2 * weather.ops } else { weather.ops } {
            let answered = if floods || input.hits(0.3) { 0 } else { ANSWERED };
            let id = n << 8 | answered | u64::from(me);
            if !floods {
                to = (me + 1 + input.below(u64::from(weather.ranks) - 1) as u32) % weather.ranks;
            }
            let len = match input.below(4) {
                0 => input.below(weather.most as u64) as usize,
                1 => 0,
                _ => input.below(64) as usize,
            };
            let kind = match input.below(8) {
                _ if floods => Kind::Am,
                0..4 => Kind::Am,
                4 => Kind::Long,
                5 | 6 => Kind::Put,
                _ => Kind::Get,
            };
            let len = if kind == Kind::Am { len.min(MOST_MEDIUM) } else { len };
            let at = sizes[to as usize];
            if kind != Kind::Am {
                sizes[to as usize] += len;
            }
            // The reply says until when a Long's source stays.
            let stays = input.hits(0.5) && (kind != Kind::Long || answered > 0);
            todo.push_back(Op { kind, id, to: JobRank(to), len, at, stays });
        }
        todo
    }

    /// Starts what finds room, in order.
    fn start(&mut self, me: usize) {
        while let Some(&op) = self.ranks[me].todo.front() {
            let mut buffer: Buffer = match op.kind {
                Kind::Get => vec![0; op.len].into(),
                _ => pattern(op.id, op.len).into(),
            };
            let rank = &mut self.ranks[me];
            let (head, dst, at) = (op.id.to_le_bytes(), view(&mut buffer), RemoteAddr(op.at));
            let engine = &mut rank.engine;
            let taken = gauge::inside(|| match op.kind {
                Kind::Am => engine.am(op.to, Traffic::Request, &head, dst.as_src()),
                Kind::Long => engine.long(op.to, Traffic::Request, &head, dst.as_src(), at, op.stays),
                Kind::Put => engine.put(op.to, at, dst.as_src(), op.stays, op.id),
                Kind::Get => engine.get(op.to, at, dst, op.id),
            });
            if taken.is_err() {
                break;
            }
            self.sum.messages += 1;
            rank.todo.pop_front();
            let is_request = matches!(op.kind, Kind::Am | Kind::Long);
            if is_request {
                self.asked.insert((me, op.to, op.id));
            }
            if is_request && op.id & ANSWERED > 0 {
                rank.open_requests.insert(op.id);
            }
            if op.kind == Kind::Am || (op.kind != Kind::Get && !op.stays) {
                // It was copied.
                buffer.fill(0xee);
            }
            if op.kind != Kind::Am && (!is_request || op.stays) {
                rank.open_transfers.insert(op.id, (op, buffer));
            }
            if matches!(op.kind, Kind::Long | Kind::Put) {
                self.ranks[op.to.index()].after[op.at..op.at + op.len].copy_from_slice(&pattern(op.id, op.len));
            }
        }
    }

    fn poll(&mut self, me: usize) {
        let now = self.now;
        let rank = &mut self.ranks[me];
        if self.weather.jumps > 0.0 && self.input.hits(self.weather.jumps) {
            match self.input.below(3) {
                0 => rank.clock.jump(now, 0, self.input.below(5 * MS)),
                1 => rank.clock.jump(now, self.input.below(100 * MS), 0),
                _ => rank.clock.jump(now, self.input.below(100 * SECOND), 0),
            }
        }
        let clock = rank.clock.read(now);
        while let Some(mut bytes) = rank.socket.pop_front() {
            let mut up = Above { desk: &mut rank.desk, memory: &mut rank.memory };
            let engine = &mut rank.engine;
            let _ = gauge::inside(|| engine.on_datagram(clock, address(9), &mut bytes, &mut up));
        }
        rank.socket_bytes = 0;
        let mut up = Above { desk: &mut rank.desk, memory: &mut rank.memory };
        gauge::inside(|| rank.engine.on_timer(clock, &mut up));
        if self.weather.deaf > 0.0 && rank.deaf_until <= now && self.input.hits(self.weather.deaf) {
            rank.deaf_until = now + self.input.below(20 * MS);
        }
        self.handle(me);
        self.complete(me);
        self.start(me);
        self.transmit(me);
        let (weather, input) = (&self.weather, &mut self.input);
        let rank = &mut self.ranks[me];
        // What an engine needs: it is called when something arrives or its timer is due, and not before.
        let timer = rank.engine.next_timer().map_or(u64::MAX, |due| rank.clock.when(due));
        let mut next = timer.min(rank.faulty.due().unwrap_or(u64::MAX)).max(now + US + input.below(3 * US));
        if !rank.desk.inbox.is_empty() && rank.deaf_until > now {
            next = next.min(rank.deaf_until);
        }
        if weather.stops > 0.0 && input.hits(weather.stops) {
            rank.stopped_until = now + if input.hits(0.02) { input.below(15 * SECOND) } else { input.below(20 * MS) };
        }
        rank.poll_at = next;
    }

    /// Handlers: one whose reply finds no room holds up later requests, as it would in a process; replies go on.
    fn handle(&mut self, me: usize) {
        let rank = &mut self.ranks[me];
        let is_deaf = rank.deaf_until > self.now;
        Self::reply(rank);
        for _ in 0..rank.desk.inbox.len() {
            let Some(message) = rank.desk.inbox.pop_front() else { break };
            if message.traffic == Traffic::Request {
                if is_deaf || !rank.owed.is_empty() {
                    rank.desk.inbox.push_back(message);
                    continue;
                }
                if message.id & ANSWERED > 0 {
                    rank.owed.push_back((message.from, message.id));
                    Self::reply(rank);
                }
            } else {
                assert!(rank.open_requests.remove(&message.id), "no such request");
                // The source of a Long may be reused from now on.
                if let Some((op, mut buffer)) = rank.open_transfers.remove(&message.id) {
                    assert!(op.kind == Kind::Long);
                    buffer.fill(0xdd);
                }
            }
            if let Some(unhandled) = rank.desk.unhandled.get_mut(&(message.from, message.traffic as u8)) {
                *unhandled -= message.cost;
            }
            let engine = &mut rank.engine;
            gauge::inside(|| engine.handled(message.from, message.traffic, message.cost));
        }
    }

    fn reply(rank: &mut Rank) {
        while let Some(&(to, id)) = rank.owed.front() {
            let body = pattern(id, (id as usize).wrapping_mul(37) % 100);
            let engine = &mut rank.engine;
            let head = id.to_le_bytes();
            if gauge::inside(|| engine.am(to, Traffic::Reply, &head, Src::of(&body))).is_err() {
                break;
            }
            rank.owed.pop_front();
        }
    }

    /// What is done is there.
    fn complete(&mut self, me: usize) {
        let all = core::mem::take(&mut self.ranks[me].desk.done);
        for id in &all {
            let over = self.ranks[me].open_transfers.remove(id);
            let (op, mut buffer) = over.expect("a transfer under way, done once");
            let there = &self.ranks[op.to.index()].memory[op.at..op.at + op.len];
            match op.kind {
                Kind::Put => check(*id, there),
                Kind::Get => assert_eq!(*buffer, *there, "a get brought what is not there"),
                Kind::Am | Kind::Long => panic!("a message is done"),
            }
            buffer.fill(0xdd);
        }
    }

    fn transmit(&mut self, me: usize) {
        let World { now, input, weather, ranks, wire, count, .. } = self;
        let Rank { engine, faulty, clock, .. } = &mut ranks[me];
        let (now, from) = (*now, me as u32);
        let clock = clock.read(now);
        let path = weather.path(now);
        // What leaves at `at`; large datagrams pass in fragments only.
        let mut carry = |input: &mut Input<'_>, at: u64, to: JobRank, mut bytes: Vec<u8>, fragments: bool| {
            if (bytes.len() > path && !fragments) || weather.is_cut(from, to.0, at) {
                return;
            }
            let mut arrives = at + weather.latency[usize::from(from > to.0)];
            if !weather.by_product {
                let faults = &weather.faults;
                if input.hits(faults.loss) {
                    return;
                }
                if input.hits(faults.corrupt) {
                    let at = input.below(bytes.len() as u64) as usize;
                    bytes[at] ^= 1 << input.below(8);
                }
                if input.hits(faults.reorder) {
                    arrives += input.below(500 * US);
                }
            }
            if input.hits(weather.late) {
                arrives += input.below(200 * MS);
            }
            *count += 1;
            wire.push(Reverse((arrives, *count, to.0, bytes)));
        };
        gauge::inside(|| {
            engine.transmit(clock, &mut |datagrams| {
                gauge::outside(|| {
                    if input.hits(weather.not_now) {
                        return Went::NotNow;
                    }
                    let (to, fragments) = (datagrams.to, datagrams.may_fragment);
                    if weather.tells && datagrams.segment > path && !fragments {
                        return Went::TooLarge;
                    }
                    datagrams.each(|bytes| {
                        if weather.by_product {
                            let mut leave = |to, bytes: &[u8]| carry(input, now, to, bytes.to_vec(), fragments);
                            faulty.send(now, to, bytes, &mut leave);
                            return;
                        }
                        if input.hits(weather.faults.dup) {
                            carry(input, now, to, bytes.to_vec(), fragments);
                        }
                        carry(input, now, to, bytes.to_vec(), fragments);
                    });
                    Went::Out
                })
            })
        });
        faulty.pass(now, &mut |to, bytes| carry(input, now, to, bytes.to_vec(), true));
    }

    /// Runs until nothing is left to do; panics if that takes too long.
    pub fn run(&mut self) {
        // Hours of its own time: it may be silent for minutes, clocks jump, and tries are four a second.
        let limit = 3600 * SECOND;
        loop {
            let polls = self.ranks.iter().enumerate().map(|(me, rank)| (rank.poll_at.max(rank.stopped_until), me));
            let (poll_at, me) = polls.min().expect("ranks");
            let arrival = self.wire.peek().map_or(u64::MAX, |Reverse((at, ..))| *at);
            let over = poll_at.min(arrival) > limit || self.sum.polls > 50_000;
            assert!(!over, "not over after {} polls: {:?} {}", self.sum.polls, self.weather, self.state());
            if arrival <= poll_at {
                let Some(Reverse((at, _, to, bytes))) = self.wire.pop() else { break };
                self.now = at;
                let rank = &mut self.ranks[to as usize];
                if rank.socket_bytes < self.weather.socket_bytes {
                    rank.socket_bytes += bytes.len() + 500;
                    rank.socket.push_back(bytes);
                }
                rank.poll_at = rank.poll_at.min(at + self.input.below(5 * US));
                continue;
            }
            self.now = poll_at;
            self.sum.polls += 1;
            self.poll(me);
            if self.is_over() {
                break;
            }
        }
        self.look();
    }

    /// What must hold in the end.
    fn look(&mut self) {
        for (from, to, id) in &self.asked {
            let seen = &self.ranks[to.index()].desk.seen;
            assert!(seen.contains(&(JobRank(*from as u32), Traffic::Request as u8, *id)), "message {id} never came");
        }
        for rank in &self.ranks {
            assert!(rank.memory == rank.after, "memory is not what was put there");
            let counters = rank.engine.counters();
            self.sum.datagrams += counters.flight.sent;
            self.sum.again += counters.flight.again;
        }
        // Each engine's bound, all of them together.
        self.sum.most_held = gauge::held().1;
        let bound = self.weather.most_held() * self.weather.ranks as isize;
        assert!(self.sum.most_held <= bound, "{} bytes held: {:?}", self.sum.most_held, self.weather);
        for rank in core::mem::take(&mut self.ranks) {
            let Rank { engine, .. } = rank;
            gauge::inside(|| drop(engine));
        }
        assert!(gauge::held().0 <= 0, "{} bytes are left over", gauge::held().0);
    }

    fn state(&self) -> String {
        let each = self.ranks.iter().map(|rank| {
            format!(
                "[todo {} owed {} inbox {} requests {} transfers {} {:?} {:?}]",
                rank.todo.len(),
                rank.owed.len(),
                rank.desk.inbox.len(),
                rank.open_requests.len(),
                rank.open_transfers.len(),
                rank.engine.counters(),
                rank.engine.rejects,
            )
        });
        each.collect()
    }

    fn is_over(&self) -> bool {
        self.ranks.iter().all(|rank| {
            rank.todo.is_empty()
                && rank.owed.is_empty()
                && rank.desk.inbox.is_empty()
                && rank.open_requests.is_empty()
                && rank.open_transfers.is_empty()
                && rank.engine.is_idle()
        })
    }
}
