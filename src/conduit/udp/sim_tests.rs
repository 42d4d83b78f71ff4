//! Ranks with a simulated clock over a simulated network that loses, doubles, reorders, corrupts, delays and cuts:
//! every message arrives exactly once and every run ends, for thousands of seeds.
#![allow(unsafe_code)]

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet, VecDeque};
use std::net::SocketAddr;

use super::faults::{Chance, Faults, Faulty};
use super::{Config, Engine, Payload, Secret, Up, Went};
use crate::job::JobRank;
use crate::mem::{Dst, RemoteAddr, Src};
use crate::nbrhd::pool::Traffic;

const US: u64 = 1000;
const MS: u64 = 1_000_000;
/// Places in a rank's segment for the transfers of each peer, each as long as its longest.
const CELLS: usize = 24;

fn byte(id: u64, at: usize) -> u8 {
    (id.wrapping_mul(31) as usize).wrapping_add(at.wrapping_mul(7)).wrapping_add(at >> 8) as u8
}

fn pattern(id: u64, len: usize) -> Vec<u8> {
    (0..len).map(|at| byte(id, at)).collect()
}

/// Some bytes that differ from place to place, made fast.
fn land(me: u32, len: usize) -> Vec<u8> {
    pattern(me.into(), 4093).repeat(len / 4093 + 1)
}

fn check(id: u64, bytes: &[u8]) {
    assert!(bytes.iter().enumerate().all(|(at, b)| *b == byte(id, at)), "message {id} is damaged");
}

/// Memory that a rank gives others access to.
struct Memory(Vec<u8>);

impl Memory {
    fn at(&mut self, from: usize, len: usize) -> Dst<'static> {
        let part = &mut self.0[from..from + len];
        // SAFETY: the vector is never resized and outlives the run that uses the view.
        unsafe { Dst::new(part.as_mut_ptr().cast(), len) }
    }
}

enum Op {
    Am { id: u64, len: usize },
    Long { id: u64, len: usize, cell: usize, stays: bool },
    Put { id: u64, len: usize, cell: usize, stays: bool },
    Get { id: u64, len: usize, cell: usize },
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
    lost: Vec<JobRank>,
    seen: HashSet<(JobRank, u8, u64)>,
}

struct Above<'a> {
    desk: &'a mut Desk,
    memory: &'a mut Memory,
}

impl Up for Above<'_> {
    fn am(&mut self, from: JobRank, traffic: Traffic, head: &[u8], payload: Payload<'_>, cost: u32) {
        let id = u64::from_le_bytes(head.try_into().expect("a head of 8 bytes"));
        match payload {
            Payload::Bytes(bytes) => check(id, bytes),
            Payload::Whole(bytes) => check(id, &bytes),
            Payload::Long(own) => {
                let mut bytes = vec![0; own.len()];
                crate::mem::read(&mut bytes, own.as_src());
                check(id, &bytes);
            }
        }
        assert!(self.desk.seen.insert((from, traffic as u8, id)), "message {id} came twice");
        self.desk.inbox.push_back(Arrived { from, traffic, id, cost });
    }

    fn own(&mut self, at: RemoteAddr, len: usize) -> Option<Dst<'static>> {
        Some(self.memory.at(at.0, len))
    }

    fn outside(&mut self, _: JobRank, _: RemoteAddr, _: usize) {
        panic!("outside");
    }

    fn done(&mut self, op: u64) {
        self.desk.done.push(op);
    }

    fn lost(&mut self, rank: JobRank, _: u64) {
        self.desk.lost.push(rank);
    }
}

struct Rank {
    engine: Engine,
    faulty: Faulty,
    memory: Memory,
    desk: Desk,
    todo: VecDeque<(JobRank, Op)>,
    /// Replies that found no room yet.
    owed: VecDeque<(JobRank, u64)>,
    /// Requests without reply, transfers that are not done, and the sources of these.
    open_requests: HashSet<u64>,
    open_transfers: HashMap<u64, (JobRank, Op, Memory)>,
    stopped_until: u64,
    socket: VecDeque<Vec<u8>>,
    poll_at: u64,
}

/// What a run is like.
#[derive(Clone, Debug)]
pub struct Weather {
    ranks: u32,
    faults: Faults,
    latency: u64,
    /// Larger datagrams disappear.
    path_mtu: usize,
    socket_bytes: usize,
    encrypt: bool,
    ops: u64,
    /// Nothing passes from 0 to 1 in this time.
    cut: Option<(u64, u64)>,
    /// Ranks stop polling now and then.
    pauses: bool,
    most: usize,
}

/// When it arrives, a number, to whom.
type Flying = Reverse<(u64, u64, u32, Vec<u8>)>;

pub struct World {
    now: u64,
    chance: Chance,
    weather: Weather,
    ranks: Vec<Rank>,
    wire: BinaryHeap<Flying>,
    count: u64,
    pub polls: u64,
}

fn address(rank: u32) -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 1000 + rank as u16))
}

impl World {
    pub fn new(seed: u64, weather: Weather) -> World {
        let mut chance = Chance(seed);
        let ranks = (0..weather.ranks).map(|me| {
            let mut config = Config::new(JobRank(me), weather.ranks, Secret([7; 32]));
            config.encrypt = weather.encrypt;
            config.most_medium = 6000;
            config.am_window = 14_000;
            config.send_queue = 10_000;
            config.transfers = 6;
            config.in_flight = 100_000;
            config.mtu_most = 9000;
            let mut rank = Rank {
                engine: Engine::new(config),
                faulty: Faulty::new(Faults { seed, ..weather.faults }, JobRank(me)),
                memory: Memory(land(me, weather.most * CELLS * weather.ranks as usize)),
                desk: Desk::default(),
                todo: VecDeque::new(),
                owed: VecDeque::new(),
                open_requests: HashSet::new(),
                open_transfers: HashMap::new(),
                stopped_until: 0,
                socket: VecDeque::new(),
                poll_at: 0,
            };
            let mut cell = 0;
            for n in 0..weather.ops {
                let id = n << 8 | u64::from(me);
                let to = (me + 1 + chance.below(u64::from(weather.ranks) - 1) as u32) % weather.ranks;
                let len = match chance.below(4) {
                    0 => chance.below(weather.most as u64) as usize,
                    1 => 0,
                    _ => chance.below(64) as usize,
                };
                let stays = chance.hits(0.5);
                let mut free = || {
                    cell += 1;
                    cell - 1
                };
                let op = match chance.below(if n < CELLS as u64 { 8 } else { 4 }) {
                    0..4 => Op::Am { id, len: len.min(6000) },
                    4 => Op::Long { id, len, cell: free(), stays },
                    5 | 6 => Op::Put { id, len, cell: free(), stays },
                    _ => Op::Get { id, len: len.max(1), cell: free() },
                };
                rank.todo.push_back((JobRank(to), op));
            }
            rank
        });
        let ranks = ranks.collect();
        World { now: 0, chance: Chance(!seed), weather, ranks, wire: BinaryHeap::new(), count: 0, polls: 0 }
    }

    fn cell(&self, me: usize, cell: usize) -> usize {
        self.weather.most * (CELLS * me + cell)
    }

    /// Starts what finds room, in order.
    fn start(&mut self, me: usize) {
        let place = |cell| RemoteAddr(self.weather.most * (CELLS * me + cell));
        let rank = &mut self.ranks[me];
        while let Some((to, op)) = rank.todo.pop_front() {
            let mut source = match op {
                Op::Am { id, len } | Op::Long { id, len, .. } | Op::Put { id, len, .. } => Memory(pattern(id, len)),
                Op::Get { len, .. } => Memory(vec![0; len]),
            };
            let src = source.at(0, source.0.len()).as_src();
            let taken = match op {
                Op::Am { id, .. } => rank.engine.am(to, Traffic::Request, &id.to_le_bytes(), src),
                Op::Long { id, cell, stays, .. } => {
                    let at = place(cell);
                    rank.engine.long(to, Traffic::Request, &id.to_le_bytes(), src, at, stays)
                }
                Op::Put { id, cell, stays, .. } => rank.engine.put(to, place(cell), src, stays, id),
                Op::Get { id, len, cell } => rank.engine.get(to, place(cell), source.at(0, len), id),
            };
            if taken.is_err() {
                rank.todo.push_front((to, op));
                return;
            }
            match op {
                Op::Am { id, .. } => {
                    rank.open_requests.insert(id);
                }
                Op::Long { id, stays, .. } => {
                    rank.open_requests.insert(id);
                    if stays {
                        rank.open_transfers.insert(id, (to, op, source));
                    }
                }
                Op::Put { id, .. } | Op::Get { id, .. } => {
                    rank.open_transfers.insert(id, (to, op, source));
                }
            }
        }
    }

    fn poll(&mut self, me: usize) {
        let now = self.now;
        let rank = &mut self.ranks[me];
        while let Some(mut bytes) = rank.socket.pop_front() {
            let mut up = Above { desk: &mut rank.desk, memory: &mut rank.memory };
            let _ = rank.engine.on_datagram(now, address(9), &mut bytes, &mut up);
        }
        let mut up = Above { desk: &mut rank.desk, memory: &mut rank.memory };
        rank.engine.on_timer(now, &mut up);
        // Handlers: a reply that finds no room holds up later requests, as a handler would; replies go on.
        for _ in 0..rank.desk.inbox.len() {
            let Some(message) = rank.desk.inbox.pop_front() else { break };
            match message.traffic {
                Traffic::Reply => {
                    assert!(rank.open_requests.remove(&message.id), "no such request");
                    let is_long = matches!(rank.open_transfers.get(&message.id), Some((_, Op::Long { .. }, _)));
                    if is_long {
                        // The source may be reused from now on.
                        rank.open_transfers.remove(&message.id);
                    }
                    rank.engine.handled(message.from, Traffic::Reply, message.cost);
                }
                Traffic::Request if rank.owed.is_empty() && !self.chance.hits(0.1) => {
                    rank.owed.push_back((message.from, message.id));
                    Self::reply(rank);
                    rank.engine.handled(message.from, Traffic::Request, message.cost);
                }
                Traffic::Request => rank.desk.inbox.push_back(message),
            }
        }
        Self::reply(rank);
        for op in core::mem::take(&mut rank.desk.done) {
            let over = self.ranks[me].open_transfers.remove(&op);
            let (to, what, source) = over.expect("a transfer under way, done once");
            let (Op::Put { len, cell, .. } | Op::Get { len, cell, .. }) = what else { panic!("done is no Long's") };
            let at = self.cell(me, cell);
            let there = self.ranks[to.index()].memory.0[at..at + len].to_vec();
            match what {
                Op::Put { id, .. } => check(id, &there),
                _ => assert_eq!(source.0, there, "a get brought what is not there"),
            }
        }
        self.start(me);
        self.transmit(me);
        let rank = &mut self.ranks[me];
        let busy = !rank.desk.inbox.is_empty() || !rank.owed.is_empty() || !rank.todo.is_empty();
        let timer = rank.engine.next_timer().unwrap_or(u64::MAX).min(rank.faulty.due().unwrap_or(u64::MAX));
        let mut next = timer.max(now + US + self.chance.below(3 * US));
        if busy {
            next = next.min(now + 100 * US);
        }
        if self.weather.pauses && self.chance.hits(0.02) {
            rank.stopped_until = now + self.chance.below(20 * MS);
        }
        rank.poll_at = next;
    }

    fn reply(rank: &mut Rank) {
        while let Some(&(to, id)) = rank.owed.front() {
            let body = pattern(id, (id as usize).wrapping_mul(37) % 100);
            if rank.engine.am(to, Traffic::Reply, &id.to_le_bytes(), Src::of(&body)).is_err() {
                return;
            }
            rank.owed.pop_front();
        }
    }

    fn transmit(&mut self, me: usize) {
        let World { now, chance, weather, ranks, wire, count, .. } = self;
        let Rank { engine, faulty, .. } = &mut ranks[me];
        let now = *now;
        let mut carry = |to: JobRank, bytes: &[u8]| {
            let is_cut = weather.cut.is_some_and(|(from, until)| me == 0 && to.0 == 1 && (from..until).contains(&now));
            if bytes.len() <= weather.path_mtu && !is_cut {
                *count += 1;
                wire.push(Reverse((now + weather.latency, *count, to.0, bytes.to_vec())));
            }
        };
        engine.transmit(now, &mut |datagrams| {
            if chance.hits(0.01) {
                return Went::NotNow;
            }
            datagrams.each(|bytes| faulty.send(now, datagrams.to, bytes, &mut carry));
            Went::Out
        });
        faulty.pass(now, &mut carry);
    }

    /// Runs until nothing is left to do; panics if that takes too long.
    pub fn run(&mut self, limit: u64) {
        loop {
            let polls = self.ranks.iter().enumerate().map(|(me, rank)| (rank.poll_at.max(rank.stopped_until), me));
            let (poll_at, me) = polls.min().expect("ranks");
            let arrival = self.wire.peek().map_or(u64::MAX, |Reverse((at, ..))| *at);
            assert!(poll_at.min(arrival) < limit, "not over: {:?} {}", self.weather, self.state());
            if arrival <= poll_at {
                let Some(Reverse((at, _, to, bytes))) = self.wire.pop() else { break };
                self.now = at;
                let rank = &mut self.ranks[to as usize];
                if rank.socket.iter().map(|bytes| bytes.len() + 500).sum::<usize>() < self.weather.socket_bytes {
                    rank.socket.push_back(bytes);
                }
                rank.poll_at = rank.poll_at.min(at + self.chance.below(5 * US));
                continue;
            }
            self.now = poll_at;
            self.polls += 1;
            self.poll(me);
            if self.is_over() {
                return;
            }
        }
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

fn weather(seed: u64) -> Weather {
    let mut c = Chance(seed ^ 0xabcdef);
    let hard = c.below(4);
    let mut share = |most: f64| if c.hits(0.5) { 0.0 } else { most * c.below(100) as f64 / 100.0 };
    let faults = Faults {
        loss: share([0.0, 0.02, 0.1, 0.3][hard as usize]),
        dup: share(0.1),
        reorder: share(0.3),
        corrupt: share(0.05),
        delay_ns: 0,
        seed,
    };
    Weather {
        ranks: 2 + c.below(3) as u32,
        faults,
        latency: [2 * US, 20 * US, 500 * US, 5 * MS][c.below(4) as usize],
        path_mtu: [1200, 1472, 9000, 9000][c.below(4) as usize],
        socket_bytes: [20_000, 200_000, 1_000_000][c.below(3) as usize],
        encrypt: c.hits(0.3),
        ops: 5 + c.below(60),
        cut: c.hits(0.2).then(|| {
            let from = c.below(2 * MS);
            (from, from + c.below(2000 * MS))
        }),
        pauses: c.hits(0.3),
        most: [200, 4000, 40_000][c.below(3) as usize],
    }
}

fn run_seeds(seeds: std::ops::Range<u64>) -> u64 {
    let mut polls = 0;
    for seed in seeds {
        let mut world = World::new(seed, weather(seed));
        world.run(60_000 * MS);
        polls += world.polls;
    }
    polls
}

#[test]
fn every_message_arrives_once_and_every_run_ends() {
    let polls = run_seeds(0..if cfg!(debug_assertions) { 150 } else { 4000 });
    assert!(polls > 1000);
}

#[test]
#[ignore = "a soak: minutes"]
fn many_more_seeds() {
    run_seeds(100_000..150_000);
}
