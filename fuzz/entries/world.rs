//! Ranks with clocks of their own over a simulated network that loses, doubles, delays, reorders, corrupts, narrows and
//! falls silent. A run is one schedule, made from a seed or from a fuzzer's bytes: every message arrives exactly once
//! and whole, transfers complete when they are there, nothing else is written, memory is bounded, and the run ends.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet, VecDeque};
use std::net::SocketAddr;

use gasnet::internal::conduit::udp::auth::Secret;
use gasnet::internal::conduit::udp::engine::Engine;
use gasnet::internal::conduit::udp::faults::{Faults, Faulty};
use gasnet::internal::conduit::udp::held::Went;
use gasnet::internal::conduit::udp::send::Source;
use gasnet::internal::conduit::udp::terms::{Config, Taken};
use gasnet::internal::defs::message::Traffic;
use gasnet::internal::defs::rank::JobRank;
use gasnet::internal::mem::{RemoteAddr, Src};

use super::desk::{Above, Desk, MARGIN, check, pattern, view};
use super::gauge;
use super::input::Input;
use super::weather::{AM_WINDOW, Clock, IN_FLIGHT, MOST_MEDIUM, MS, SECOND, SEND_QUEUE, TRANSFERS, US, Weather};

/// In the number of a request: its handler replies.
const ANSWERED: u64 = 0x80;

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

/// Bytes of a transfer: the source, or the place of a get.
type Buffer = Box<[u8]>;

struct Rank {
    engine: Engine,
    faulty: Faulty,
    memory: Vec<u8>,
    /// The final contents of the memory.
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

/// The initial bytes of a rank's memory.
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
            (config.transfers, config.in_flight, config.mtu_most) = (TRANSFERS, IN_FLIGHT, 9000);
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

    /// The operations of rank `me`, each transfer in a place of its own.
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
            // The reply to a Long tells when its source may be reused.
            let stays = input.hits(0.5) && (kind != Kind::Long || answered > 0);
            todo.push_back(Op { kind, id, to: JobRank(to), len, at, stays });
        }
        todo
    }

    /// Starts the operations for which there is room, in order.
    fn start(&mut self, me: usize) {
        while let Some(&op) = self.ranks[me].todo.front() {
            let mut buffer: Buffer = match op.kind {
                Kind::Get => vec![0; op.len].into(),
                _ => pattern(op.id, op.len).into(),
            };
            let rank = &mut self.ranks[me];
            let (head, dst, at) = (op.id.to_le_bytes(), view(&mut buffer), RemoteAddr(op.at));
            let engine = &mut rank.engine;
            let source = if op.stays { Source::Stays } else { Source::Changes };
            let taken = gauge::inside(|| match op.kind {
                Kind::Am => engine.am(op.to, Traffic::Request, &head, dst.as_src()),
                Kind::Long => engine.long(op.to, Traffic::Request, &head, dst.as_src(), at, source),
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
            if taken == Ok(Taken::Copied) {
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

    /// Completed transfers have arrived.
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
