//! The firehoses of this rank to the memory of a peer.

use std::collections::BTreeMap;

use super::Pages;

/// A message to the peer: it gives back firehoses, and asks for one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Ask {
    /// Counts the messages to this peer, which take effect in this order.
    pub serial: u32,
    pub given_back: Vec<Pages>,
    pub wanted: Pages,
}

struct Hose<K> {
    /// None: it was asked for.
    key: Option<K>,
    /// Transfers that use it.
    users: u32,
    used: u64,
}

/// Firehoses that one message gives back, at most.
pub(crate) const MOST_GIVEN_BACK: usize = 24;
/// Messages without an answer, at most.
const MOST_ASKS: u32 = 8;

pub(crate) struct Hoses<K> {
    /// Pages that this rank may have of this peer.
    share: usize,
    held: usize,
    all: BTreeMap<Pages, Hose<K>>,
    longest: usize,
    clock: u64,
    serial: u32,
    unanswered: u32,
    pub hits: u64,
    pub misses: u64,
}

impl<K> Hoses<K> {
    pub(crate) fn new(share: usize) -> Hoses<K> {
        Hoses {
            share,
            held: 0,
            all: BTreeMap::new(),
            longest: 0,
            clock: 0,
            serial: 0,
            unanswered: 0,
            hits: 0,
            misses: 0,
        }
    }

    /// Pages that this rank has, or has asked for.
    #[cfg(test)]
    pub(crate) fn held(&self) -> usize {
        self.held
    }

    /// The firehose that contains `pages`, for a transfer, until `release`; and its key.
    pub(crate) fn acquire(&mut self, pages: Pages) -> Option<(Pages, &K)> {
        self.clock += 1;
        let now = self.clock;
        let lowest = Pages { first: pages.first.saturating_sub(self.longest), count: 0 };
        let highest = Pages { first: pages.first, count: usize::MAX };
        let candidates = self.all.range_mut(lowest..=highest).rev();
        let found =
            candidates.filter(|(of, hose)| of.holds(pages) && hose.key.is_some()).map(|(of, hose)| (*of, hose)).next();
        let Some((of, hose)) = found else {
            self.misses += 1;
            return None;
        };
        self.hits += 1;
        hose.users += 1;
        hose.used = now;
        hose.key.as_ref().map(|key| (of, key))
    }

    /// The transfer is complete.
    pub(crate) fn release(&mut self, of: Pages) {
        if let Some(hose) = self.all.get_mut(&of) {
            hose.users -= 1;
        }
    }

    /// The message that asks for a firehose to `pages`, which has to be sent. None: there is no room for it, or it was asked for.
    pub(crate) fn ask(&mut self, pages: Pages) -> Option<Ask> {
        let is_there = self.all.keys().any(|of| of.holds(pages));
        if is_there || pages.count > self.share || self.unanswered >= MOST_ASKS {
            return None;
        }
        let mut given_back = Vec::new();
        let mut room = self.share - self.held;
        // The least recently used ones, without users.
        let mut idle: Vec<_> = self.all.iter().filter(|(_, hose)| hose.users == 0 && hose.key.is_some()).collect();
        idle.sort_unstable_by_key(|(_, hose)| hose.used);
        let mut idle = idle.into_iter().map(|(of, _)| *of);
        while room < pages.count {
            let victim = idle.next().filter(|_| given_back.len() < MOST_GIVEN_BACK)?;
            room += victim.count;
            given_back.push(victim);
        }
        for victim in &given_back {
            self.all.remove(victim);
            self.held -= victim.count;
        }
        self.clock += 1;
        self.held += pages.count;
        self.longest = self.longest.max(pages.count);
        self.all.insert(pages, Hose { key: None, users: 0, used: self.clock });
        self.serial = self.serial.wrapping_add(1);
        self.unanswered += 1;
        Some(Ask { serial: self.serial, given_back, wanted: pages })
    }

    /// The answer to `ask`: the key, or None if the peer refuses.
    pub(crate) fn answered(&mut self, pages: Pages, key: Option<K>) {
        self.unanswered = self.unanswered.saturating_sub(1);
        match key {
            Some(key) => {
                if let Some(hose) = self.all.get_mut(&pages) {
                    hose.key = Some(key);
                }
            }
            None => {
                if self.all.remove(&pages).is_some() {
                    self.held -= pages.count;
                }
            }
        }
    }
}

/// Puts the messages of a peer in order.
#[derive(Default)]
pub(crate) struct AsksInOrder {
    done: u32,
    early: BTreeMap<u32, Ask>,
}

impl AsksInOrder {
    /// The messages that take effect now that `ask` has arrived, in order.
    pub(crate) fn arrived(&mut self, ask: Ask) -> Vec<Ask> {
        self.early.insert(ask.serial, ask);
        let mut due = Vec::new();
        while let Some(ask) = self.early.remove(&self.done.wrapping_add(1)) {
            self.done = ask.serial;
            due.push(ask);
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(first: usize, count: usize) -> Pages {
        Pages { first, count }
    }

    #[test]
    fn a_miss_asks_once_and_gives_back_the_least_recently_used() {
        let mut hoses = Hoses::new(4);
        assert!(hoses.acquire(pages(0, 1)).is_none());
        assert_eq!(hoses.ask(pages(0, 2)).unwrap().given_back, []);
        assert_eq!(hoses.ask(pages(0, 1)), None, "asked for already");
        hoses.answered(pages(0, 2), Some('a'));
        assert!(hoses.ask(pages(10, 2)).unwrap().given_back.is_empty());
        hoses.answered(pages(10, 2), Some('b'));
        assert_eq!(hoses.acquire(pages(1, 1)), Some((pages(0, 2), &'a')));
        hoses.release(pages(0, 2));
        let ask = hoses.ask(pages(20, 1)).unwrap();
        assert_eq!((ask.given_back, ask.serial), (vec![pages(10, 2)], 3));
        assert_eq!(hoses.ask(pages(30, 5)), None, "more than the share");
        assert_eq!(hoses.held(), 3);
        hoses.answered(pages(20, 1), None);
        assert_eq!((hoses.held(), hoses.hits, hoses.misses), (2, 1, 1));
    }

    #[test]
    fn one_in_use_is_not_given_back() {
        let mut hoses = Hoses::new(2);
        hoses.ask(pages(0, 2)).unwrap();
        hoses.answered(pages(0, 2), Some(()));
        assert!(hoses.acquire(pages(0, 1)).is_some());
        assert_eq!(hoses.ask(pages(9, 1)), None);
        hoses.release(pages(0, 2));
        assert_eq!(hoses.ask(pages(9, 1)).unwrap().given_back, [pages(0, 2)]);
    }
}
