//! Names of ranks, and where the ranks of the job are: on which host and with which index there, and which of a host's
//! ranks share memory, a nbrhd ("supernode"). Any placement is possible; only the order on a host is given: indices
//! ascend with ranks. A nbrhd is a range of a host's indices.
//!
//! The table is one array of 32-bit words, without addresses, so that one copy in a host's shared region serves all
//! ranks there, whichever process made the region: a header with a checksum, then per host and per run of consecutive ranks what
//! look-ups search. A block placement has one run a host; a cyclic one has a run for each rank.
//!
//! | section | words | contents |
//! |---|---|---|
//! | header | 9 | magic, checksum, length, ranks, hosts, runs, nbrhds, ranks of a nbrhd at most, the host that this copy is for |
//! | ranks before | hosts + 1 | ranks of all hosts before this one |
//! | runs before | hosts + 1 | runs of all hosts before this one |
//! | nbrhds before | hosts + 1 | nbrhds of all hosts before this one |
//! | first | runs | first rank of each run, host by host, ascending on each host |
//! | index | runs | index of that rank on its host |
//! | by rank | runs | runs in the order of their first ranks |
//! | number | nbrhds | number of each nbrhd, host by host: they are numbered in the order of their first ranks |
//! | by number | nbrhds | nbrhds, counted host by host, in the order of their numbers |
//! | local | ranks or 0 | index of each rank on this copy's host or `NOT_LOCAL`; empty if that host has one run |

mod ranks;
#[cfg(test)]
mod tests;

use crate::defs::rank::{HostRank, JobRank};
use crate::env::table::{MAX_JOB_RANKS, MAX_RANKS};
use crate::mem::Dst;
use crate::sync::atomic::{AtomicU32, Ordering};
pub use ranks::Ranks;

/// In the section `local`: the rank is on another host.
pub(crate) const NOT_LOCAL: u32 = u32::MAX;

const MAGIC: u32 = 0x6773_0001;

const AT_MAGIC: usize = 0;
const AT_SUM: usize = 1;
const AT_WORDS: usize = 2;
const AT_SIZE: usize = 3;
const AT_HOSTS: usize = 4;
const AT_RUNS: usize = 5;
const AT_NBRHDS: usize = 6;
const AT_TOGETHER: usize = 7;
const AT_HERE: usize = 8;
const HEADER: usize = 9;

type Words = [AtomicU32];

/// The placement of all ranks; a view of the table. The same on every rank of a host.
#[derive(Clone, Copy)]
pub struct Places {
    words: &'static Words,
    size: u32,
    hosts: u32,
    runs: usize,
    nbrhds: u32,
    together: u32,
    here: u32,
    /// Each rank counts as a nbrhd of its own.
    alone: bool,
}

/// FNV-1a over the words after the checksum.
fn checksum(words: impl Iterator<Item = u32>) -> u32 {
    words.fold(0x811c_9dc5, |sum, word| (sum ^ word).wrapping_mul(0x0100_0193))
}

/// The last entry of `words`, which ascend from at most `value` on, that is at most `value`.
fn last_at_most(words: &Words, value: u32) -> usize {
    words.partition_point(|word| get(word) <= value) - 1
}

fn get(word: &AtomicU32) -> u32 {
    // Relaxed: written before any reader learned of the table.
    word.load(Ordering::Relaxed)
}

/// Why a job of `size` ranks or a host of `most` ranks is too large.
pub(crate) fn check_size(size: u64, most: u64) -> Result<(), String> {
    if size == 0 || size > MAX_JOB_RANKS as u64 {
        return Err(format!("a job has between 1 and {MAX_JOB_RANKS} ranks, not {size}"));
    }
    if most > MAX_RANKS as u64 {
        return Err(format!(
            "a host runs {MAX_RANKS} ranks at most, not {most}: start fewer, or on more hosts (GASNET_SSH_SERVERS)"
        ));
    }
    Ok(())
}

/// The runs of all hosts: first rank, host, index there. Err: the lists are no placement.
fn checked(hosts: &[Ranks]) -> Result<Vec<(u32, u32, u32)>, String> {
    let size = hosts.iter().map(|ranks| u64::from(ranks.count())).sum();
    check_size(size, hosts.iter().map(|ranks| u64::from(ranks.count())).max().unwrap_or(0))?;
    let mut runs = Vec::new();
    let mut ends = Vec::new();
    for (host, ranks) in (0..).zip(hosts) {
        if ranks.count() == 0 {
            return Err(format!("host {host} of the placement has no rank"));
        }
        let mut index = 0;
        for (first, count) in ranks.runs() {
            runs.push((first, host, index));
            ends.push((first, u64::from(first) + u64::from(count)));
            index += count;
        }
    }
    ends.sort_unstable();
    let mut next = 0;
    for (first, end) in ends {
        if u64::from(first) != next {
            let what = if u64::from(first) > next {
                format!("rank {next} on no host")
            } else {
                format!("rank {first} on two hosts")
            };
            return Err(format!("the placement has {what}"));
        }
        next = end;
    }
    Ok(runs)
}

impl Places {
    /// The table for host number `here` of `hosts`, in memory of this process that is never freed: made once a
    /// process. At most `together` ranks of a host share memory. Err says why the lists are no placement: a rank that
    /// is missing or on two hosts, a host without ranks, or too many ranks.
    pub fn new(hosts: &[Ranks], here: u32, together: u32) -> Result<Places, String> {
        let runs = checked(hosts)?;
        if here as usize >= hosts.len() {
            return Err(format!("the placement has {} hosts and no host {here}", hosts.len()));
        }
        let together = together.max(1);
        let size: u32 = hosts.iter().map(Ranks::count).sum();
        let before = |of: &dyn Fn(&Ranks) -> u32| {
            let mut sum = 0;
            let mut all = vec![0];
            all.extend(hosts.iter().map(|ranks| {
                sum += of(ranks);
                sum
            }));
            all
        };
        let mut words = vec![0; HEADER];
        words[AT_MAGIC] = MAGIC;
        words[AT_SIZE] = size;
        words[AT_HOSTS] = hosts.len() as u32;
        words[AT_RUNS] = runs.len() as u32;
        words[AT_TOGETHER] = together;
        words[AT_HERE] = here;
        words.extend(before(&Ranks::count));
        words.extend(before(&|ranks| ranks.runs().len() as u32));
        words.extend(before(&|ranks| ranks.count().div_ceil(together)));
        words.extend(runs.iter().map(|run| run.0));
        words.extend(runs.iter().map(|run| run.2));
        let mut by_rank: Vec<u32> = (0..runs.len() as u32).collect();
        by_rank.sort_unstable_by_key(|&run| runs[run as usize].0);
        words.extend(by_rank);
        // Each nbrhd by its first rank.
        let leaders: Vec<u32> = hosts
            .iter()
            .flat_map(|ranks| (0..ranks.count()).step_by(together as usize).filter_map(|at| ranks.get(HostRank(at))))
            .map(|rank| rank.0)
            .collect();
        words[AT_NBRHDS] = leaders.len() as u32;
        let mut by_number: Vec<u32> = (0..leaders.len() as u32).collect();
        by_number.sort_unstable_by_key(|&nbrhd| leaders[nbrhd as usize]);
        let mut numbers = vec![0; leaders.len()];
        (0..).zip(&by_number).for_each(|(number, &nbrhd)| numbers[nbrhd as usize] = number);
        words.extend(numbers);
        words.extend(by_number);
        let own = &hosts[here as usize];
        if own.runs().len() > 1 {
            let at = words.len();
            words.resize(at + size as usize, NOT_LOCAL);
            for (index, rank) in (0..).zip(own.iter()) {
                words[at + rank.index()] = index;
            }
        }
        words[AT_WORDS] = words.len() as u32;
        words[AT_SUM] = checksum(words[AT_SUM + 1..].iter().copied());
        let words: Vec<AtomicU32> = words.into_iter().map(AtomicU32::new).collect();
        Places::open(words.leak()).map_err(str::to_owned)
    }

    /// The table in `words`, which nobody writes any more. Err: the reason why they are no table.
    pub fn open(words: &'static [AtomicU32]) -> Result<Places, &'static str> {
        let header = |at: usize| words.get(at).map_or(0, get);
        if header(AT_MAGIC) != MAGIC {
            return Err("the table of places is of another version of the library, or there is none");
        }
        let len = header(AT_WORDS) as usize;
        let (size, hosts, runs) = (header(AT_SIZE), header(AT_HOSTS), header(AT_RUNS) as usize);
        let nbrhds = header(AT_NBRHDS);
        let least = HEADER + 3 * (hosts as usize + 1) + 3 * runs + 2 * nbrhds as usize;
        if len > words.len() || ![least, least + size as usize].contains(&len) {
            return Err("the table of places is cut off");
        }
        let words = &words[..len];
        if header(AT_SUM) != checksum(words[AT_SUM + 1..].iter().map(get)) {
            return Err("the table of places was changed");
        }
        let (together, here) = (header(AT_TOGETHER), header(AT_HERE));
        Ok(Places { words, size, hosts, runs, nbrhds, together, here, alone: false })
    }

    /// Bytes of the table.
    pub fn bytes(&self) -> usize {
        size_of_val(self.words)
    }

    /// The same table in the first `bytes` bytes of `area`, which is aligned for words.
    pub fn put(&self, area: Dst<'static>) -> Result<Places, &'static str> {
        let words = area.part(0, self.bytes()).words_32();
        for (to, from) in words.iter().zip(self.words) {
            to.store(get(from), Ordering::Relaxed);
        }
        Places::open(words)
    }

    /// The same hosts, with each rank a nbrhd of its own.
    pub fn alone(self) -> Places {
        Places { alone: true, ..self }
    }

    fn per_host(&self, section: usize) -> &'static Words {
        let len = self.hosts as usize + 1;
        &self.words[HEADER + section * len..][..len]
    }

    fn per_run(&self, section: usize) -> &'static Words {
        &self.words[HEADER + 3 * (self.hosts as usize + 1) + section * self.runs..][..self.runs]
    }

    fn per_nbrhd(&self, section: usize) -> &'static Words {
        let nbrhds = self.nbrhds as usize;
        &self.words[HEADER + 3 * (self.hosts as usize + 1) + 3 * self.runs + section * nbrhds..][..nbrhds]
    }

    /// By rank, its index on the host `here`, or `NOT_LOCAL`; empty if that host's ranks are consecutive.
    pub fn local(&self) -> &'static [AtomicU32] {
        &self.words[HEADER + 3 * (self.hosts as usize + 1) + 3 * self.runs + 2 * self.nbrhds as usize..]
    }

    /// Ranks of the job.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// Number of hosts.
    pub fn hosts(&self) -> u32 {
        self.hosts
    }

    /// The host of the process that made the table.
    pub fn here(&self) -> u32 {
        self.here
    }

    /// Ranks that share memory at most.
    pub fn together(&self) -> u32 {
        if self.alone { 1 } else { self.together }
    }

    /// The host of `rank`, which is below `size`, and its index there.
    pub fn place(&self, rank: JobRank) -> (u32, HostRank) {
        assert!(rank.0 < self.size);
        let (first, by_rank) = (self.per_run(0), self.per_run(2));
        let nth = by_rank.partition_point(|run| get(&first[get(run) as usize]) <= rank.0) - 1;
        let run = get(&by_rank[nth]) as usize;
        let host = last_at_most(self.per_host(1), run as u32) as u32;
        (host, HostRank(get(&self.per_run(1)[run]) + (rank.0 - get(&first[run]))))
    }

    /// The number of `rank`'s host.
    pub fn host(&self, rank: JobRank) -> u32 {
        self.place(rank).0
    }

    /// Ranks of `host`.
    pub fn count(&self, host: u32) -> u32 {
        let before = self.per_host(0);
        get(&before[host as usize + 1]) - get(&before[host as usize])
    }

    /// The rank with this index on `host`.
    pub fn rank(&self, host: u32, index: HostRank) -> JobRank {
        assert!(index.0 < self.count(host));
        let before = self.per_host(1);
        let runs = get(&before[host as usize]) as usize..get(&before[host as usize + 1]) as usize;
        let (first, indices) = (&self.per_run(0)[runs.clone()], &self.per_run(1)[runs]);
        let run = last_at_most(indices, index.0);
        JobRank(get(&first[run]) + (index.0 - get(&indices[run])))
    }

    /// The ranks of `host`, ascending.
    pub fn on_host(&self, host: u32) -> impl Iterator<Item = JobRank> {
        let places = *self;
        (0..self.count(host)).map(move |index| places.rank(host, HostRank(index)))
    }

    /// Number of nbrhds. They are numbered in the order of their first ranks.
    pub fn supernodes(&self) -> u32 {
        if self.alone { self.size } else { self.nbrhds }
    }

    /// The number of `rank`'s nbrhd.
    pub fn supernode(&self, rank: JobRank) -> u32 {
        if self.alone {
            return rank.0;
        }
        let (host, index) = self.place(rank);
        let nbrhd = get(&self.per_host(2)[host as usize]) + index.0 / self.together;
        get(&self.per_nbrhd(0)[nbrhd as usize])
    }

    /// The ranks of nbrhd number `supernode`, ascending.
    pub fn nbrhd(&self, supernode: u32) -> impl Iterator<Item = JobRank> {
        let (host, from, count) = match self.alone {
            true => {
                let (host, index) = self.place(JobRank(supernode));
                (host, index.0, 1)
            }
            false => {
                let (before, nbrhd) = (self.per_host(2), get(&self.per_nbrhd(1)[supernode as usize]));
                let host = last_at_most(before, nbrhd);
                let from = (nbrhd - get(&before[host])) * self.together;
                (host as u32, from, self.together.min(self.count(host as u32) - from))
            }
        };
        let places = *self;
        (from..from + count).map(move |index| places.rank(host, HostRank(index)))
    }

    /// The first rank of each nbrhd, ascending.
    pub fn leaders(&self) -> impl Iterator<Item = JobRank> {
        let places = *self;
        (0..self.supernodes()).filter_map(move |supernode| places.nbrhd(supernode).next())
    }
}
