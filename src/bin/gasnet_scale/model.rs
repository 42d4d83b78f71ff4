//! A udp job that a launcher starts, without processes and sockets: the library's own code says which values go through the
//! launcher, which frames through the master, where ranks are, and who sends what to whom; the model only adds times. A
//! message occupies its sender and then its receiver; a fence of the launcher takes a step for each doubling of hosts.

use std::collections::HashMap;
use std::ffi::c_int;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Mutex;

use gasnet::internal::barrier::dissem;
use gasnet::internal::bootstrap::contract::{Bootstrap, Identity};
use gasnet::internal::bootstrap::values::Values;
use gasnet::internal::coll::message::{Schedule, pieces};
use gasnet::internal::conduit::udp::{addresses, engine, meeting, rank};
use gasnet::internal::defs::rank::{HostRank, JobRank};
use gasnet::internal::launch::control::{Assign, Frame, Hello, OPENING_BYTES, Sealer, Side, WardenAddress};
use gasnet::internal::launch::external::{Kvs, Over, Place};
use gasnet::internal::launch::gathering;
use gasnet::internal::launch::hosts::HostInfo;
use gasnet::internal::launch::tree;
use gasnet::internal::nbrhd::reach;
use gasnet::internal::places::{Places, Ranks};

/// What things cost, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Costs {
    /// A step of a launcher's fence.
    pub fence_step: f64,
    /// A message, at its sender and at its receiver.
    pub message: f64,
    /// A byte, on the network interface of a host.
    pub byte: f64,
}

/// A job: `size` ranks in blocks on hosts with `each` ranks; `together` ranks of a host share memory.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub size: u32,
    pub each: u32,
    pub together: u32,
}

/// The cost of a phase.
#[derive(Clone, Copy, Default, Debug, PartialEq)]
pub struct Phase {
    pub ns: f64,
    /// Sent by the rank that sends most.
    pub messages_a_rank: u64,
    /// Of these exchanges among all ranks.
    pub exchanges: u32,
}

/// The cost of a job.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub hosts: u32,
    pub fence_ns: f64,
    /// Fences and barriers of the launcher, and the longest value given to it.
    pub fences: u32,
    pub longest_value: usize,
    /// Of the start: in the launcher, at the master, in the tree of hosts, among the ranks.
    pub launcher_ns: f64,
    pub master_ns: f64,
    pub tree_ns: f64,
    /// Messages that the master receives and sends in the start, and their bytes.
    pub master_messages: u64,
    pub master_bytes: u64,
    pub init: Phase,
    pub attach: Phase,
    pub barrier: Phase,
    pub exit: Phase,
    /// Bytes for each rank of the job: on a host, shared by its ranks; in each rank; of address space that a rank only uses for
    /// ranks that it shares memory or communicates with; in each rank until it has started.
    pub shared: f64,
    pub private: f64,
    pub space: f64,
    pub starting: f64,
}

/// A launcher's store in memory.
#[derive(Default)]
struct Store {
    values: Mutex<HashMap<String, Vec<u8>>>,
    counts: Mutex<(u32, usize)>,
}

/// The store as one rank uses it.
struct Seen<'a>(&'a Store);

impl Kvs for Seen<'_> {
    fn name(&self) -> &str {
        "the simulated launcher"
    }

    /// As hydra's.
    fn longest(&self) -> usize {
        1024
    }

    fn is_text(&self) -> bool {
        true
    }

    fn put(&self, key: &str, value: &[u8]) -> Result<(), String> {
        let mut counts = self.0.counts.lock().map_err(|_| "a simulated rank has failed")?;
        counts.1 = counts.1.max(value.len());
        let mut values = self.0.values.lock().map_err(|_| "a simulated rank has failed")?;
        values.insert(key.to_string(), value.to_vec());
        Ok(())
    }

    fn fence(&self, _puts: bool) -> Result<(), String> {
        self.0.counts.lock().map_err(|_| "a simulated rank has failed")?.0 += 1;
        Ok(())
    }

    fn get(&self, _of: u32, key: &str) -> Result<Option<Vec<u8>>, String> {
        Ok(self.0.values.lock().map_err(|_| "a simulated rank has failed")?.get(key).cloned())
    }

    fn abort(&self, _code: c_int) {}

    fn leave(&self) {}
}

/// A rank that offers its values in a fence of the job's own.
struct Offering {
    identity: Identity,
    values: Mutex<Values>,
}

impl Offering {
    fn of(rank: u32, size: u32) -> Offering {
        let identity =
            Identity { me: JobRank(rank), size, here: HostRank(0), peers: vec![JobRank(rank)], address: None };
        Offering { identity, values: Mutex::default() }
    }

    fn record(self) -> Vec<u8> {
        self.values.into_inner().map_or(Vec::new(), |mut values| values.take_offer(self.identity.me))
    }
}

impl Bootstrap for Offering {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn put(&self, key: &str, value: &[u8]) {
        if let Ok(mut values) = self.values.lock() {
            values.put(key, value);
        }
    }

    fn fence(&self) {}

    fn get(&self, _of: JobRank, _key: &str) -> Option<Vec<u8>> {
        None
    }

    fn barrier(&self) {}

    fn abort(&self, _code: c_int, _line: &str) {}

    fn leave(&self) {}

    fn died(&self) -> Option<c_int> {
        None
    }
}

/// An exchange among all ranks (coll/message/startup.rs).
#[derive(Clone, Copy)]
enum Exchange {
    /// Of this number of words of each rank.
    All(usize),
    /// Of the least of one word of each.
    Least,
}

/// The exchanges of init, and those of attach.
const OF_INIT: [Exchange; 1] = [Exchange::Least];
const OF_ATTACH: [Exchange; 4] = [Exchange::All(0), Exchange::All(0), Exchange::All(2), Exchange::All(0)];
/// Bytes of a host's terms (launch/meeting/terms.rs) on a machine of up to 64 processors.
const TERMS_BYTES: usize = 147;
/// Addresses of a machine with an Ethernet and a fast network.
const MASTERS_ADDRESSES: u16 = 2;
const SECRET: [u8; 32] = [7; 32];

/// A job that is simulated.
struct Model {
    shape: Shape,
    costs: Costs,
    hosts: Vec<HostInfo>,
    places: Places,
    report: Report,
}

/// Simulates a job.
pub fn run(shape: Shape, costs: Costs) -> Result<Report, String> {
    let mut model = Model::new(shape, costs)?;
    model.launcher()?;
    model.master();
    let init = model.exchanges(&OF_INIT);
    let before = model.report.launcher_ns + model.report.master_ns + model.report.tree_ns;
    model.report.init = Phase { ns: before + init.ns, ..init };
    model.report.attach = model.exchanges(&OF_ATTACH);
    model.barrier();
    model.exit();
    model.memory();
    Ok(model.report)
}

impl Model {
    fn new(shape: Shape, costs: Costs) -> Result<Model, String> {
        let firsts = (0..shape.size).step_by(shape.each.max(1) as usize);
        let ranks: Vec<Ranks> = firsts.map(|first| Ranks::block(first, shape.each.min(shape.size - first))).collect();
        let places = Places::new(&ranks, 0, shape.together)?;
        let hosts: Vec<HostInfo> = (0..)
            .zip(ranks)
            .map(|(host, ranks): (u32, _)| HostInfo { name: format!("node{host:06}"), ranks })
            .collect();
        let doublings = (hosts.len() as u32).next_power_of_two().trailing_zeros().max(1);
        let report = Report {
            hosts: hosts.len() as u32,
            fence_ns: costs.fence_step * f64::from(doublings),
            ..Report::default()
        };
        Ok(Model { shape, costs, hosts, places, report })
    }

    /// What all ranks do with their launcher: `gathering::gather`, over `Over`.
    fn launcher(&mut self) -> Result<(), String> {
        let store = Store::default();
        let master: Vec<SocketAddr> =
            (1..=MASTERS_ADDRESSES).map(|port| (Ipv4Addr::new(10, 0, 0, 1), port).into()).collect();
        for rank in 0..self.shape.size {
            let place =
                Place { rank, size: self.shape.size, peers: Some(vec![rank]), address: None, job: "scale".into() };
            let over = Over::new(Seen(&store), place);
            if rank == 0 {
                gathering::announce(&over, &SECRET, &master);
            }
            over.fence();
            if gathering::announced(&over) != Some((SECRET, master.clone())) {
                return Err(format!("rank {rank} has not got what rank 0 announced"));
            }
            over.barrier();
        }
        let (fences, longest) = *store.counts.lock().map_err(|_| "a simulated rank has failed")?;
        self.report.fences = fences / self.shape.size;
        self.report.longest_value = longest;
        // Each rank asks for the one value.
        let gets = self.costs.message * 2.0 * f64::from(self.shape.each);
        self.report.launcher_ns = f64::from(self.report.fences) * self.report.fence_ns + gets;
        Ok(())
    }

    /// The frames between the hosts and their master, which works on one message at a time; frames that are sent together are
    /// one message.
    fn master(&mut self) {
        let hosts = self.hosts.len();
        let hello = Hello {
            seat: u32::MAX,
            pid: 1 << 20,
            machine: [1; 16],
            kernel: u64::MAX,
            // 256 processors.
            cpus: vec![u64::MAX; 4],
            name: self.hosts[hosts - 1].name.clone(),
            abi: u64::MAX,
            binary: 0,
        };
        let warden = WardenAddress { at: (Ipv4Addr::new(10, 255, 255, 1), 50_000).into(), tree: 50_000 };
        let ranks = self.hosts[hosts - 1].ranks.clone();
        let present = Frame::Present { ranks, terms: vec![0; TERMS_BYTES], warden };
        let assign = Assign {
            size: self.shape.size,
            host: hosts as u32 - 1,
            hosts: self.hosts.clone(),
            peer_timeout_ms: 60_000,
            line_bytes: 1024,
            terms: vec![0; TERMS_BYTES],
            ..Assign::default()
        };
        let degree = tree::degree(hosts);
        let table = Frame::Table { wardens: vec![warden; hosts], beside: 0, degree };
        let mut each_way = vec![
            (OPENING_BYTES, OPENING_BYTES),
            (sealed(&[&Frame::Hello(hello), &present]), sealed(&[&Frame::Assign(Box::new(assign)), &table])),
        ];
        let own = self.records(0, self.shape.each.min(self.shape.size)).len();
        let all = self.records(0, self.shape.size).len();
        if degree == 0 {
            each_way.push((sealed_fence(own), sealed_fence(all)));
        }
        let each = each_way.iter().flat_map(|&(to, from)| [to, from]).collect::<Vec<_>>();
        self.report.master_messages = (each.len() * hosts) as u64;
        self.report.master_bytes = (each.iter().sum::<usize>() * hosts) as u64;
        for bytes in &each {
            self.report.master_ns += hosts as f64 * (self.costs.message + *bytes as f64 * self.costs.byte);
        }
        // The first host's message on its way there, the last one's on its way back.
        self.report.master_ns += 2.0 * each_way.len() as f64 * self.costs.message;
        if degree > 0 {
            self.report.tree_ns = self.climb(degree, own as f64, all as f64);
        }
    }

    /// The exchange of the ranks' values along the tree of hosts (launch/tree.rs), of `own` bytes of each host and `all` bytes
    /// of all: each host is connected, then values go up and come down. A host sends and receives one message at a time.
    fn climb(&self, degree: u32, own: f64, all: f64) -> f64 {
        let hosts = self.hosts.len() as u32;
        let Costs { message, byte, .. } = self.costs;
        // The time at which each host has the values from below, then the number of hosts below and of itself.
        let mut up = vec![(0.0_f64, 1.0_f64); hosts as usize];
        for host in (0..hosts).rev() {
            // Two openings and two numbers of hosts on each connection.
            let lower = tree::below(host, hosts, degree);
            let mut at = 4.0 * message * f64::from(lower.end - lower.start);
            for low in lower {
                let (there, count) = up[low as usize];
                at = at.max(there + message) + message + count * own * byte;
                up[host as usize].1 += count;
            }
            up[host as usize].0 = at;
        }
        let mut down = vec![up[0].0; hosts as usize];
        for host in 0..hosts {
            let mut at = down[host as usize];
            for low in tree::below(host, hosts, degree) {
                at += message + all * byte;
                down[low as usize] = at + message;
            }
        }
        down.into_iter().fold(0.0, f64::max)
    }

    /// The values that ranks offer of their sockets (conduit/udp/meeting.rs).
    fn records(&self, first: u32, count: u32) -> Vec<u8> {
        let mut all = Vec::new();
        for rank in first..first + count {
            let offering = Offering::of(rank, self.shape.size);
            meeting::offer(&offering, (Ipv4Addr::new(10, 0, 0, 1), 50_000).into(), &SECRET);
            all.extend(offering.record());
        }
        all
    }

    fn exchanges(&self, exchanges: &[Exchange]) -> Phase {
        if self.places.supernodes() == 1 {
            // They arrive in shared memory.
            return Phase::default();
        }
        let size = self.shape.size as usize;
        let host: Vec<u32> = (0..self.shape.size).map(|rank| self.places.host(JobRank(rank))).collect();
        let (mut at, mut sent) = (vec![0.0_f64; size], vec![0_u64; size]);
        for exchange in exchanges {
            let mut all: Vec<Schedule> = (0..size).map(|rank| Schedule::new(rank, size)).collect();
            while all.first().is_some_and(|one| one.next().is_some()) {
                let mut left = at.clone();
                let mut rounds = Vec::with_capacity(size);
                for (rank, schedule) in all.iter_mut().enumerate() {
                    let Some(round) = schedule.next() else { continue };
                    let words = match exchange {
                        Exchange::All(words) => round.members * words,
                        Exchange::Least => 1,
                    };
                    let nbytes = words * size_of::<u64>();
                    let messages = pieces(nbytes, rank::MEDIUM).len();
                    sent[rank] += messages as u64;
                    left[rank] += messages as f64 * self.costs.message;
                    if host[rank] != host[round.to as usize] {
                        // The ranks of a host share its interface.
                        left[rank] += nbytes as f64 * self.costs.byte * f64::from(self.shape.each);
                    }
                    rounds.push((rank, round.from as usize, messages));
                    schedule.complete(round);
                }
                for (rank, from, messages) in rounds {
                    at[rank] = left[rank].max(left[from]) + messages as f64 * self.costs.message;
                }
            }
        }
        Phase {
            ns: at.into_iter().fold(0.0, f64::max),
            messages_a_rank: sent.into_iter().max().unwrap_or(0),
            exchanges: exchanges.len() as u32,
        }
    }

    /// `GASNET_BARRIER=PSHM`: the first ranks of the nbrhds disseminate, the others share memory with one of them.
    fn barrier(&mut self) {
        let leaders = self.places.supernodes();
        let mut at = vec![0.0_f64; leaders as usize];
        for step in 0..dissem::steps(leaders) {
            let mut then = at.clone();
            for (me, left) in (0..leaders).zip(&at) {
                let to = dissem::target(me, leaders, step) as usize;
                then[to] = (at[to] + self.costs.message).max(left + self.costs.message) + self.costs.message;
            }
            at = then;
        }
        self.report.barrier = Phase {
            ns: at.into_iter().fold(0.0, f64::max),
            messages_a_rank: dissem::steps(leaders).into(),
            exchanges: 0,
        };
    }

    /// A good end: each host says how its ranks have ended, the master tells all of it, and each host takes leave.
    fn exit(&mut self) {
        let end = sealed(&[&Frame::End { code: 0, crash: false }]);
        let frames = [end, end, sealed(&[&Frame::Bye])];
        let of_hosts: f64 = frames.iter().map(|&bytes| self.costs.message + bytes as f64 * self.costs.byte).sum();
        let hosts = f64::from(self.report.hosts);
        self.report.exit = Phase { ns: hosts * of_hosts + self.report.fence_ns, ..Phase::default() };
    }

    /// Tables that grow with the job.
    fn memory(&mut self) {
        let size = f64::from(self.shape.size);
        self.report.shared = self.places.bytes() as f64 / size + addresses::BYTES_A_RANK as f64;
        self.report.private = reach::BYTES_A_RANK as f64;
        // Biases in the table of segments and in that of the primordial team, and peers.
        self.report.space = (2 * reach::SPACE_A_RANK + engine::BYTES_A_PEER) as f64;
        // The values of the exchange, and where they begin.
        let records = self.records(0, self.shape.size).len() as f64 / size;
        self.report.starting = records + size_of::<u32>() as f64;
    }
}

/// Bytes of frames on the connection.
fn sealed(frames: &[&Frame]) -> usize {
    let mut bytes = Vec::new();
    let mut sealer = Sealer::new(&SECRET, Side::Master, &[1; 32], &[2; 32]);
    frames.iter().for_each(|frame| sealer.seal(frame, &mut bytes));
    bytes.len()
}

fn sealed_fence(values: usize) -> usize {
    sealed(&[&Frame::Fence(vec![0; values])])
}
