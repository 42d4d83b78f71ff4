//! Ranks over a simulated network that registers memory under hard budgets: it refuses to pin beyond them, and checks that every byte that moves lies
//! in pinned pages at both ends. Messages arrive in any order, transfers take any time. Each seed is a schedule.

use std::collections::HashMap;

use super::hoses::{Ask, AsksInOrder, Hoses};
use super::regions::{PinRef, Pinner, Regions};
use super::{Budgets, Pages};

/// xorshift64 (Marsaglia).
struct Drawn(u64);

impl Drawn {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % most.max(1)
    }
}

/// The registrations of a rank. Their keys are not used again.
struct Nic {
    live: Vec<(u64, Pages, bool)>,
    /// The age of each page of the registrations when they were made.
    ages: HashMap<u64, Vec<u32>>,
    /// By page: how often it was unmapped.
    unmapped: HashMap<usize, u32>,
    /// Unmapped pages of which the registrations do not know yet.
    to_tell: Vec<Pages>,
    next: u64,
    limit: usize,
    pins: u64,
    /// It refuses some pins although there is room.
    refuses: usize,
    /// Some memory cannot be watched; 0: all can.
    watches: usize,
    random: Drawn,
}

impl Nic {
    fn pinned(&self) -> usize {
        self.live.iter().map(|(_, pages, _)| pages.count).sum()
    }

    fn age(&self, pages: Pages) -> Vec<u32> {
        (pages.first..pages.end()).map(|page| self.unmapped.get(&page).copied().unwrap_or(0)).collect()
    }

    /// Whether the pages are those that were pinned.
    fn is_current(&self, key: u64, pages: Pages) -> bool {
        let Some((_, live, _)) = self.live.iter().find(|(of, ..)| *of == key) else { return false };
        let from = pages.first - live.first;
        self.ages[&key][from..from + pages.count] == self.age(pages)
    }

    /// Unmaps pages, and maps others there.
    fn unmap(&mut self, pages: Pages) {
        (pages.first..pages.end()).for_each(|page| *self.unmapped.entry(page).or_default() += 1);
        self.to_tell.push(pages);
    }

    fn holds(&self, key: u64, pages: Pages, remote: bool) -> bool {
        self.live.iter().any(|(of, live, is_remote)| *of == key && live.holds(pages) && (*is_remote || !remote))
    }
}

impl Pinner for Nic {
    type Pinned = u64;

    fn pin(&mut self, pages: Pages, remote: bool, _: bool) -> Option<u64> {
        assert!(pages.count > 0);
        if self.refuses > 0 && self.random.below(self.refuses) == 0 {
            return None;
        }
        self.next += 1;
        self.pins += 1;
        self.live.push((self.next, pages, remote));
        self.ages.insert(self.next, self.age(pages));
        assert!(self.pinned() <= self.limit, "{} pages are pinned, {} may be", self.pinned(), self.limit);
        Some(self.next)
    }

    fn unpin(&mut self, memory: u64) {
        let at = self.live.iter().position(|(of, ..)| *of == memory).expect("it is unpinned once");
        self.live.swap_remove(at);
    }

    fn watch(&mut self, _: Pages) -> bool {
        self.watches == 0 || self.random.below(self.watches) != 0
    }

    fn unmapped(&mut self, gone: &mut dyn FnMut(Pages)) {
        self.to_tell.drain(..).for_each(gone);
    }
}

impl Nic {
    fn new(limit: usize, refuses: usize, watches: usize, seed: u64) -> Nic {
        Nic {
            live: Vec::new(),
            ages: HashMap::new(),
            unmapped: HashMap::new(),
            to_tell: Vec::new(),
            next: 0,
            limit,
            pins: 0,
            refuses,
            watches,
            random: Drawn(seed),
        }
    }
}

/// A transfer that is in flight: it uses the local key and the remote one until it is complete.
struct MovingBytes {
    pin: Option<(PinRef, u64, Pages)>,
    hose: Option<(usize, Pages, u64, Pages)>,
}

struct SimulatedRank {
    nic: Nic,
    regions: Regions<u64>,
    hoses: Vec<Hoses<u64>>,
    asks: Vec<AsksInOrder>,
    flights: Vec<MovingBytes>,
    started: usize,
    by_copies: usize,
}

enum Moved {
    Ask(Ask),
    Answer(Pages, Option<u64>),
}

struct SimulatedJob {
    ranks: Vec<SimulatedRank>,
    budgets: Budgets,
    /// From, to.
    messages: Vec<(usize, usize, Moved)>,
    random: Drawn,
    /// Pages of the memory of each rank.
    memory: usize,
}

impl SimulatedJob {
    fn new(seed: u64) -> SimulatedJob {
        let mut random = Drawn(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let size = 2 + random.below(3);
        // From two pages on.
        let budgets = Budgets {
            local: 2 + random.below(12),
            remote: (2 + random.below(12)) * (size - 1),
            region: 2 + random.below(8),
            regions: if random.below(4) == 0 { 2 * size + random.below(4) } else { 1000 },
        };
        let refuses = if random.below(3) == 0 { 3 + random.below(20) } else { 0 };
        let watches = if random.below(3) == 0 { 2 + random.below(6) } else { 0 };
        let rank = |number: u64| SimulatedRank {
            nic: Nic::new(budgets.local + budgets.remote, refuses, watches, seed << 8 | number << 1 | 1),
            regions: Regions::new(budgets),
            hoses: (0..size).map(|_| Hoses::new(budgets.remote / (size - 1))).collect(),
            asks: (0..size).map(|_| AsksInOrder::default()).collect(),
            flights: Vec::new(),
            started: 0,
            by_copies: 0,
        };
        let ranks = (0..size as u64).map(rank).collect();
        let memory = 4 + random.below(40);
        SimulatedJob { ranks, budgets, messages: Vec::new(), random, memory }
    }

    /// Often one of three, so that many transfers find their pages pinned.
    fn range(&mut self) -> Pages {
        if self.random.below(4) > 0 {
            return Pages { first: self.random.below(3), count: 1 };
        }
        let count = 1 + self.random.below(4.min(self.memory));
        Pages { first: self.random.below(self.memory - count + 1), count }
    }

    /// A put or get of `me`, between memory of its own and of a peer.
    fn start(&mut self, me: usize) {
        let size = self.ranks.len();
        let peer = (me + 1 + self.random.below(size - 1)) % size;
        let (here, there) = (self.range(), self.range());
        let writable = self.random.below(2) == 0;
        let rank = &mut self.ranks[me];
        rank.started += 1;
        let hose = rank.hoses[peer].acquire(there).map(|(of, key)| (peer, of, *key, there));
        if hose.is_none() {
            if let Some(ask) = rank.hoses[peer].ask(there) {
                self.messages.push((me, peer, Moved::Ask(ask)));
            }
        }
        let pin = rank.regions.acquire(&mut rank.nic, here, writable).map(|(pin, key)| (pin, *key, here));
        if let Some((_, key, here)) = pin {
            assert!(
                rank.nic.is_current(key, here),
                "a transfer begins with pages that were unmapped after they were pinned"
            );
        }
        // Where one side is not pinned, its bytes go through buffers; the transfer takes its time nevertheless.
        rank.by_copies += usize::from(pin.is_none() || hose.is_none());
        rank.flights.push(MovingBytes { pin, hose });
    }

    /// A transfer moves its bytes, and is complete.
    fn complete(&mut self, me: usize) {
        let count = self.ranks[me].flights.len();
        if count == 0 {
            return;
        }
        let flight = self.random.below(count);
        let MovingBytes { pin, hose } = self.ranks[me].flights.swap_remove(flight);
        if let Some((peer, of, key, there)) = hose {
            assert!(self.ranks[peer].nic.holds(key, there, true), "a transfer to a page that is not pinned");
            self.ranks[me].hoses[peer].release(of);
        }
        let rank = &mut self.ranks[me];
        if let Some((pin, key, here)) = pin {
            assert!(rank.nic.holds(key, here, false), "a transfer from a page that is not pinned");
            rank.regions.release(&mut rank.nic, pin);
        }
    }

    fn deliver(&mut self) {
        if self.messages.is_empty() {
            return;
        }
        let nth = self.random.below(self.messages.len());
        let (from, to, message) = self.messages.swap_remove(nth);
        let rank = &mut self.ranks[to];
        match message {
            Moved::Answer(pages, key) => rank.hoses[from].answered(pages, key),
            Moved::Ask(ask) => {
                for ask in rank.asks[from].arrived(ask) {
                    for pages in ask.given_back {
                        assert!(rank.regions.give_back(&mut rank.nic, pages), "it gives back what it has");
                    }
                    let key = rank.regions.grant(&mut rank.nic, ask.wanted).copied();
                    self.messages.push((to, from, Moved::Answer(ask.wanted, key)));
                }
            }
        }
        let (rank, budgets) = (&self.ranks[to], self.budgets);
        let [local, remote] = rank.regions.pinned();
        assert!(local <= budgets.local && remote <= budgets.remote, "{local} and {remote} of {budgets:?}");
        assert!(rank.nic.live.len() <= budgets.regions.max(rank.hoses.iter().map(Hoses::held).sum()));
    }

    fn step(&mut self) {
        let me = self.random.below(self.ranks.len());
        match self.random.below(6) {
            0 | 1 if self.ranks[me].flights.len() < 6 => self.start(me),
            0..=2 => self.deliver(),
            // Memory that no transfer uses: a program that unmaps a buffer in flight is in error.
            3 => {
                let pages = self.range();
                let mut used = self.ranks[me].flights.iter().filter_map(|flight| flight.pin);
                if !used.any(|(_, _, here)| here.first < pages.end() && pages.first < here.end()) {
                    self.ranks[me].nic.unmap(pages);
                }
            }
            _ => self.complete(me),
        }
        for rank in &self.ranks {
            let [local, remote] = rank.regions.pinned();
            assert!(local <= self.budgets.local && remote <= self.budgets.remote);
            assert!(rank.nic.pinned() <= local + remote);
        }
    }
}

fn run(seed: u64, steps: usize) -> SimulatedJob {
    let mut job = SimulatedJob::new(seed);
    (0..steps).for_each(|_| job.step());
    // Everything that was started comes to an end.
    let mut left = 100_000;
    while !job.messages.is_empty() || job.ranks.iter().any(|rank| !rank.flights.is_empty()) {
        job.deliver();
        (0..job.ranks.len()).for_each(|me| job.complete(me));
        left -= 1;
        assert!(left > 0, "seed {seed}: {} messages do not end", job.messages.len());
    }
    job
}

/// `GASNET_FIREHOSE_SEEDS` says how many; the first is `GASNET_FIREHOSE_SEED`.
#[test]
fn budgets_hold_and_no_page_moves_that_is_not_pinned() {
    let number = |name: &str, usual: u64| crate::env::raw(name).and_then(|text| text.parse().ok()).unwrap_or(usual);
    let (first, count) = (number("GASNET_FIREHOSE_SEED", 1), number("GASNET_FIREHOSE_SEEDS", 2000));
    let (mut started, mut pinned) = (0, 0);
    for seed in first..first + count {
        let job = std::panic::catch_unwind(|| run(seed, 200)).unwrap_or_else(|_| panic!("seed {seed} fails"));
        started += job.ranks.iter().map(|rank| rank.started).sum::<usize>();
        pinned += job.ranks.iter().map(|rank| rank.started - rank.by_copies).sum::<usize>();
    }
    assert!(
        pinned * 20 > started,
        "of {started} transfers {pinned} were between pinned pages: too few to test anything"
    );
}

#[test]
fn a_working_set_within_the_budget_is_pinned_once() {
    let budgets = Budgets { local: 64, remote: 64, region: 64, regions: 1000 };
    let mut nic = Nic::new(128, 0, 0, 5);
    let mut regions = Regions::new(budgets);
    for _ in 0..100 {
        for first in (0..64).step_by(4) {
            let (pin, _) = regions.acquire(&mut nic, Pages { first, count: 4 }, true).unwrap();
            regions.release(&mut nic, pin);
        }
    }
    assert!(nic.pins <= 16, "{}", nic.pins);
    assert!(regions.counts.hits >= 1584 && regions.counts.evicted == 0, "{:?}", regions.counts);
    assert_eq!(regions.pinned(), [64, 0]);
}

#[test]
fn a_working_set_beyond_the_budget_is_copied_instead_of_thrashing() {
    let budgets = Budgets { local: 64, remote: 64, region: 64, regions: 1000 };
    let mut nic = Nic::new(128, 0, 0, 5);
    let mut regions = Regions::new(budgets);
    let (mut copied, all) = (0, 100 * 160);
    for _ in 0..100 {
        for first in (0..640).step_by(4) {
            match regions.acquire(&mut nic, Pages { first, count: 4 }, true) {
                Some((pin, _)) => regions.release(&mut nic, pin),
                None => copied += 1,
            }
        }
    }
    assert!(nic.pins < all / 8, "{} pins for {all} transfers", nic.pins);
    assert!(copied > all / 2, "{copied} copies");
}

#[test]
fn a_read_only_pin_serves_no_transfer_that_writes() {
    let budgets = Budgets { local: 8, remote: 8, region: 8, regions: 1000 };
    let mut nic = Nic::new(16, 0, 0, 5);
    let mut regions = Regions::new(budgets);
    let pages = Pages { first: 1, count: 2 };
    let (source, _) = regions.acquire(&mut nic, pages, false).unwrap();
    let (target, _) = regions.acquire(&mut nic, pages, true).unwrap();
    assert_ne!(source, target);
    let (again, _) = regions.acquire(&mut nic, pages, false).unwrap();
    assert_eq!((nic.pins, regions.counts.hits), (2, 1));
    for pin in [source, target, again] {
        regions.release(&mut nic, pin);
    }
}

#[test]
fn memory_that_nobody_watches_is_pinned_for_each_transfer() {
    let budgets = Budgets { local: 8, remote: 8, region: 8, regions: 1000 };
    let mut nic = Nic::new(16, 0, 1, 5);
    let mut regions = Regions::new(budgets);
    for round in 1..=5 {
        let (pin, _) = regions.acquire(&mut nic, Pages { first: 1, count: 2 }, true).unwrap();
        regions.release(&mut nic, pin);
        assert_eq!((nic.pins, regions.pinned()), (round, [0, 0]));
    }
}
