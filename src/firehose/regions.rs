//! The pinned memory of this rank, as regions of pages, each with one registration. Regions in use have references: local ones of its own transfers, remote ones
//! of peers that hold a firehose to exactly this region. Those without any are kept until their room is needed, the least recently used
//! one first.

use std::collections::BTreeMap;

use super::{Budgets, Pages};

/// The registration of memory by a network.
pub(crate) trait Pinner {
    type Pinned;
    /// Whether peers may reach it, besides this rank; and whether it may be written. None: the network refuses.
    fn pin(&mut self, pages: Pages, remote: bool, writable: bool) -> Option<Self::Pinned>;
    fn unpin(&mut self, memory: Self::Pinned);
    /// Whether [`Pinner::unmapped`] will tell when these pages are unmapped. If not, they are pinned only while a transfer uses them.
    fn watch(&mut self, pages: Pages) -> bool;
    /// Calls `gone` with the pages that were unmapped since the last call.
    fn unmapped(&mut self, gone: &mut dyn FnMut(Pages));
}

struct PinnedRegion<M> {
    pages: Pages,
    memory: M,
    /// Peers may reach it.
    is_remote: bool,
    writable: bool,
    /// It serves no further transfer: its pages were unmapped, or nobody would tell.
    ends: bool,
    local: u32,
    remote: u32,
    used: u64,
}

/// Misses that had to make room, less hits, from which on pins are considered to thrash.
const THRASHING: u32 = 8;
/// While they do, one miss in `TRIES` pins nevertheless.
const TRIES: u64 = 32;

/// The counters of a rank.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct PinCounts {
    pub hits: u64,
    pub misses: u64,
    /// Of misses, those for which there was no room, or which were not worth a pin.
    pub refused: u64,
    pub evicted: u64,
    pub merged: u64,
}

pub(crate) struct Regions<M> {
    budgets: Budgets,
    /// By first page, and number.
    all: BTreeMap<(usize, u64), PinnedRegion<M>>,
    /// Pages of regions in each class: those with a local reference or none, and those with a remote reference.
    local_pages: usize,
    remote_pages: usize,
    next: u64,
    clock: u64,
    /// The longest region so far.
    longest: usize,
    thrash: u32,
    pub counts: PinCounts,
}

/// A reference to a region.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PinRef(usize, u64);

impl<M> PinnedRegion<M> {
    fn counts_local(&self) -> bool {
        self.local > 0 || self.remote == 0
    }

    fn is_free(&self) -> bool {
        self.local == 0 && self.remote == 0
    }
}

impl<M> Regions<M> {
    pub(crate) fn new(budgets: Budgets) -> Regions<M> {
        Regions {
            budgets,
            all: BTreeMap::new(),
            local_pages: 0,
            remote_pages: 0,
            next: 0,
            clock: 0,
            longest: 0,
            thrash: 0,
            counts: PinCounts::default(),
        }
    }

    /// Pages pinned for this rank's own transfers, and for peers.
    #[cfg(test)]
    pub(crate) fn pinned(&self) -> [usize; 2] {
        [self.local_pages, self.remote_pages]
    }

    /// Changes a region, and with it the pages of the classes.
    fn change<R>(&mut self, key: (usize, u64), with: impl FnOnce(&mut PinnedRegion<M>) -> R) -> Option<R> {
        let region = self.all.get_mut(&key)?;
        let count = region.pages.count;
        let before = [region.counts_local(), region.remote > 0].map(usize::from);
        let result = with(region);
        let after = [region.counts_local(), region.remote > 0].map(usize::from);
        self.local_pages = self.local_pages + count * after[0] - count * before[0];
        self.remote_pages = self.remote_pages + count * after[1] - count * before[1];
        Some(result)
    }

    /// The region that contains `pages` and fits `which`.
    fn find(&self, pages: Pages, which: impl Fn(&PinnedRegion<M>) -> bool) -> Option<(usize, u64)> {
        let lowest = pages.first.saturating_sub(self.longest);
        let candidates = self.all.range((lowest, 0)..=(pages.first, u64::MAX)).rev();
        candidates.filter(|(_, region)| region.pages.holds(pages) && which(region)).map(|(key, _)| *key).next()
    }

    /// Makes room for `pages` more pages of the local class, and for one more region, by unpinning regions that are not in use, but `but`. False:
    /// there is no such room.
    fn make_room(&mut self, pinner: &mut impl Pinner<Pinned = M>, pages: usize, but: Option<(usize, u64)>) -> bool {
        let is_full =
            |this: &Self| this.local_pages + pages > this.budgets.local || this.all.len() >= this.budgets.regions;
        while is_full(self) {
            let free = self.all.iter().filter(|(key, region)| region.is_free() && Some(**key) != but);
            let Some(oldest) = free.min_by_key(|(_, region)| region.used).map(|(key, _)| *key) else { return false };
            self.counts.evicted += 1;
            self.drop_region(pinner, oldest);
        }
        true
    }

    fn drop_region(&mut self, pinner: &mut impl Pinner<Pinned = M>, key: (usize, u64)) {
        if let Some(region) = self.all.remove(&key) {
            self.local_pages -= region.pages.count * usize::from(region.counts_local());
            self.remote_pages -= region.pages.count * usize::from(region.remote > 0);
            pinner.unpin(region.memory);
        }
    }

    fn add(&mut self, region: PinnedRegion<M>) -> (usize, u64) {
        self.next += 1;
        let key = (region.pages.first, self.next);
        self.longest = self.longest.max(region.pages.count);
        self.local_pages += region.pages.count * usize::from(region.counts_local());
        self.remote_pages += region.pages.count * usize::from(region.remote > 0);
        self.all.insert(key, region);
        key
    }

    /// Pins `pages` for a transfer of this rank, until `release`. None: the caller copies the bytes.
    pub(crate) fn acquire(
        &mut self,
        pinner: &mut impl Pinner<Pinned = M>,
        pages: Pages,
        writable: bool,
    ) -> Option<(PinRef, &M)> {
        self.clock += 1;
        let now = self.clock;
        self.end_unmapped(pinner);
        let serves = |region: &PinnedRegion<M>| (region.writable || !writable) && !region.ends && !region.is_remote;
        if let Some(key) = self.find(pages, serves) {
            let needs_room = self.all.get(&key).is_some_and(|region| !region.counts_local());
            let count = self.all.get(&key).map_or(0, |region| region.pages.count);
            if !needs_room || self.local_pages + count <= self.budgets.local {
                self.counts.hits += 1;
                self.thrash = self.thrash.saturating_sub(1);
                self.change(key, |region| {
                    region.local += 1;
                    region.used = now;
                });
                return self.all.get(&key).map(|region| (PinRef(key.0, key.1), &region.memory));
            }
        }
        self.counts.misses += 1;
        let thrashes = self.thrash >= THRASHING && self.counts.misses % TRIES != 0;
        if thrashes || pages.count > self.budgets.local.min(self.budgets.region) {
            self.counts.refused += 1;
            return None;
        }
        let before = self.counts.evicted;
        let whole = self.merge(pinner, pages, writable);
        let has_room = self.make_room(pinner, whole.count, None);
        if self.counts.evicted > before {
            self.thrash = (self.thrash + 2).min(2 * THRASHING);
        }
        // Before it is pinned: pages that are unmapped in between are told.
        let ends = has_room && !pinner.watch(whole);
        let memory = if has_room { pinner.pin(whole, false, writable) } else { None };
        let Some(memory) = memory else {
            self.counts.refused += 1;
            return None;
        };
        let key = self.add(PinnedRegion {
            pages: whole,
            memory,
            is_remote: false,
            writable,
            ends,
            local: 1,
            remote: 0,
            used: now,
        });
        self.all.get(&key).map(|region| (PinRef(key.0, key.1), &region.memory))
    }

    /// Unpins free regions that overlap `pages`, or lie beside them and are not longer, and returns the pages of all of them together. A
    /// region that grows by neighbours so is pinned as often as the logarithm of its length.
    fn merge(&mut self, pinner: &mut impl Pinner<Pinned = M>, pages: Pages, writable: bool) -> Pages {
        let most = self.budgets.region.min(self.budgets.local);
        let mut whole = pages;
        loop {
            let lowest = whole.first.saturating_sub(self.longest + 1);
            let beside = self.all.range((lowest, 0)..=(whole.end(), u64::MAX)).find(|(_, region)| {
                region.is_free()
                    && !region.is_remote
                    && region.writable == writable
                    && region.pages.touches(whole)
                    && region.pages.count <= whole.count
                    && region.pages.with(whole).count <= most
            });
            let Some((key, with)) = beside.map(|(key, region)| (*key, region.pages)) else { return whole };
            self.counts.merged += 1;
            self.drop_region(pinner, key);
            whole = whole.with(with);
        }
    }

    /// The transfer is complete.
    pub(crate) fn release(&mut self, pinner: &mut impl Pinner<Pinned = M>, pin: PinRef) {
        let key = (pin.0, pin.1);
        let over = self.change(key, |region| {
            region.local -= 1;
            region.ends && region.is_free()
        });
        if over == Some(true) {
            self.drop_region(pinner, key);
        }
        self.keep_within(pinner);
    }

    /// Pages that were unmapped serve no further transfer, even if other memory is mapped there by now.
    fn end_unmapped(&mut self, pinner: &mut impl Pinner<Pinned = M>) {
        let mut gone = Vec::new();
        pinner.unmapped(&mut |pages| gone.push(pages));
        for pages in gone {
            let overlaps =
                |region: &PinnedRegion<M>| region.pages.first < pages.end() && pages.first < region.pages.end();
            let mut free = Vec::new();
            for (key, region) in self.all.iter_mut().filter(|(_, region)| !region.is_remote && overlaps(region)) {
                region.ends = true;
                if region.is_free() {
                    free.push(*key);
                }
            }
            free.into_iter().for_each(|key| self.drop_region(pinner, key));
        }
    }

    /// Pins `pages` for a peer, which may have that many by its share. None: the network refuses.
    pub(crate) fn grant(&mut self, pinner: &mut impl Pinner<Pinned = M>, pages: Pages) -> Option<&M> {
        self.clock += 1;
        let now = self.clock;
        let same = |region: &PinnedRegion<M>| region.pages == pages && region.is_remote;
        let key = match self.find(pages, same) {
            Some(key) => key,
            None => {
                // Another region may be unpinned, where their number is bounded.
                if self.all.len() >= self.budgets.regions && !self.make_room(pinner, 0, None) {
                    return None;
                }
                let memory = pinner.pin(pages, true, true)?;
                let region = PinnedRegion {
                    pages,
                    memory,
                    is_remote: true,
                    writable: true,
                    ends: false,
                    local: 0,
                    remote: 1,
                    used: now,
                };
                let key = self.add(region);
                return self.all.get(&key).map(|region| &region.memory);
            }
        };
        self.change(key, |region| {
            region.remote += 1;
            region.used = now;
        });
        self.all.get(&key).map(|region| &region.memory)
    }

    /// A peer gives back its firehose to `pages`. False: it has none.
    pub(crate) fn give_back(&mut self, pinner: &mut impl Pinner<Pinned = M>, pages: Pages) -> bool {
        let same = |region: &PinnedRegion<M>| region.pages == pages && region.is_remote && region.remote > 0;
        let Some(key) = self.find(pages, same) else { return false };
        // Without a remote reference it would count as local.
        let last = self.all.get(&key).is_some_and(|region| region.remote == 1 && region.local == 0);
        if last && (pages.count > self.budgets.local || !self.make_room(pinner, pages.count, Some(key))) {
            self.drop_region(pinner, key);
        } else {
            self.change(key, |region| region.remote -= 1);
        }
        true
    }

    /// Unpins the free regions that exceed the budget.
    fn keep_within(&mut self, pinner: &mut impl Pinner<Pinned = M>) {
        if self.local_pages > self.budgets.local {
            self.make_room(pinner, 0, None);
        }
    }
}
