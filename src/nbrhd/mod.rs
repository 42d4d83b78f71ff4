//! The neighbourhood ("supernode"): ranks of one host that share memory. It is not a conduit: with
//! every conduit it is tried first. Here the shared region is laid out, ranks find each other's rings and pools, wake each
//! other, and map each other's segments. The ranks of a host have one region; where they form several nbrhds, each
//! has a part of it and never looks at the others' rings.
//!
//! # Safety
//! The region is mapped before this process is a rank and stays mapped for the job's life, at any address; every view below
//! is made once, at the offset that [`RegionLayout`] gives it.
#![allow(unsafe_code)]

mod access;
pub(crate) mod across;
pub(crate) mod backing;
mod bell;
mod deaths;
pub(crate) mod intake;
pub(crate) mod pool;
#[cfg(test)]
mod pool_tests;
pub(crate) mod reach;
mod region;
pub(crate) mod ring;
#[cfg(test)]
pub(crate) mod ring_tests;
#[cfg(test)]
mod view_tests;
pub(crate) mod xmap;
#[cfg(test)]
mod xmap_tests;

use core::ffi::c_int;
use std::sync::OnceLock;

use crate::defs::message::Traffic;
use crate::defs::rank::{HostRank, JobRank, NodeRank};
use crate::mem::{Dst, RemoteAddr};
use crate::os::sleep;
use crate::places::{NOT_LOCAL, Places};
use crate::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use crate::sync::padded::Padded;
use across::Across;
use bell::Bell;
use deaths::Deaths;
pub(crate) use deaths::Retired;
use intake::Intake;
use pool::{Cursors, Pool};
use reach::{MAX_EPS, Reach};
pub(crate) use region::Notice;
use region::{INTENTS_AT, LINE, Lobby, SLOTS_AT};
pub use region::{Region, RegionLayout, SENDERS};
use ring::{Intent, Ring};
use xmap::Xmap;

/// One rank's rings and pool, as seen from here.
pub struct Inbox {
    pub owner: JobRank,
    pub rank: NodeRank,
    bell: &'static Bell,
    pub requests: Ring,
    pub replies: Ring,
    pub pool: Pool,
    /// The intents of the owner's threads.
    intents: &'static [Intent; SENDERS],
    /// The heads of the rings as this process last read them.
    pub request_room: AtomicU64,
    pub reply_room: AtomicU64,
}

impl Inbox {
    /// The ring for messages of this traffic, and its head as this process last read it.
    #[inline(always)]
    pub fn way_in(&self, traffic: Traffic) -> (&Ring, &AtomicU64) {
        match traffic {
            Traffic::Request => (&self.requests, &self.request_room),
            Traffic::Reply => (&self.replies, &self.reply_room),
        }
    }
}

/// The ranks that share memory, from one rank's point of view.
pub struct Nbrhd {
    pub me: NodeRank,
    /// This rank's index among the ranks of the host.
    pub here: HostRank,
    pub ranks: u32,
    /// The first rank of the nbrhd.
    base: u32,
    /// All inboxes if the nbrhd's ranks are consecutive, else none.
    block: &'static [Inbox],
    /// By rank of the job, its index on this host or `NOT_LOCAL`; empty if the nbrhd's ranks are consecutive.
    local: &'static [AtomicU32],
    region: Region,
    inboxes: &'static [Inbox],
    /// The rings that this rank consumes: those of its own inbox.
    pub requests: Intake,
    pub replies: Intake,
    /// The intents of this rank's own threads.
    intents: &'static [Intent; SENDERS],
    pub cursors: Cursors,
    deaths: Deaths,
    pub xmap: Xmap,
    /// Where the segments of the nbrhd are here, less their own addresses, if they are not in `xmap`.
    elsewhere: OnceLock<Box<[isize]>>,
    /// Ranks of the job.
    size: u32,
    /// The segments of primordial endpoints.
    primordial: Reach,
    /// The segments of the other endpoints, by endpoint index less 1, once there are any.
    others: [OnceLock<Reach>; MAX_EPS - 1],
    /// The kernel's barrier for registered processes works, so senders need no fence before they look for sleepers.
    heavy_barrier: bool,
    /// put and get go straight to mapped memory; off for the reference path.
    pub direct: AtomicBool,
    /// Present if all memory of a rank is its segment: memory that is not mapped here is then reached by CMA.
    across: Option<Across>,
}

impl Nbrhd {
    /// For rank `here` of the host that `places` is for. `everything`: all memory of a rank is its segment. `bells`:
    /// descriptors from `sleep::bell`, one a rank of the host, if the job has a network.
    pub fn new(
        region: Region,
        here: HostRank,
        places: &Places,
        xmap: Xmap,
        (direct, everything): (bool, bool),
        bells: &[c_int],
    ) -> Nbrhd {
        let xmap = xmap.of_rank(here);
        let layout = region.layout;
        let first = here.index() / layout.together * layout.together;
        let me = NodeRank((here.index() - first) as u32);
        let inboxes: Vec<Inbox> = (first..layout.ranks.min(first + layout.together))
            .map(|rank| {
                // At most 4096 ranks a host.
                let name = 1 + 2 * (rank - first) as u16;
                let base = layout.inboxes + rank * layout.inbox_bytes;
                let slots = base + SLOTS_AT;
                let slots_bytes = Ring::slots_bytes(layout.ring_slots);
                let at = |offset: usize| region.base.wrapping_add(offset);
                // SAFETY: Layout reserves these bytes for this rank; zeroed, mapped for the job's life, aligned
                // because LINE, SLOTS_AT, WORDS_BYTES and slots_bytes are multiples of 128.
                let (requests, replies, pool) = unsafe {
                    (
                        Ring::at(at(base + LINE).cast(), at(slots).cast(), layout.ring_slots, name),
                        Ring::at(
                            at(base + LINE + Ring::WORDS_BYTES).cast(),
                            at(slots + slots_bytes).cast(),
                            layout.ring_slots,
                            name + 1,
                        ),
                        Pool::at(at(slots + 2 * slots_bytes)),
                    )
                };
                Inbox {
                    owner: places.rank(places.here(), HostRank(rank as u32)),
                    rank: NodeRank((rank - first) as u32),
                    bell: region.at::<Padded<Bell>>(base),
                    requests,
                    replies,
                    pool,
                    intents: region.at::<[Intent; SENDERS]>(base + INTENTS_AT),
                    request_room: AtomicU64::new(0),
                    reply_room: AtomicU64::new(0),
                }
            })
            .collect();
        if !bells.is_empty() {
            bell::keep(bells);
            // No rank reads it before this rank sleeps.
            inboxes[me.index()].bell.with_network(here);
        }
        // One a process, never freed.
        let inboxes: &'static [Inbox] = inboxes.leak();
        let ranks = inboxes.len() as u32;
        let (lowest, highest) = (inboxes[0].owner.0, inboxes[inboxes.len() - 1].owner.0);
        let is_block = highest - lowest == ranks - 1;
        let (block, local): (&'static [Inbox], &'static [AtomicU32]) =
            if is_block { (inboxes, &[]) } else { (&[], places.local()) };
        let size = places.size();
        let notice = region.at::<Notice>(layout.notices + here.index() * LINE);
        notice.segment_start.store(xmap.own() as u64, Ordering::Release);
        Nbrhd {
            me,
            here,
            ranks,
            base: lowest,
            block,
            local,
            region,
            requests: Intake::new(inboxes[me.index()].requests),
            replies: Intake::new(inboxes[me.index()].replies),
            intents: inboxes[me.index()].intents,
            inboxes,
            cursors: Cursors::default(),
            deaths: Deaths::new(ranks as usize),
            xmap,
            elsewhere: OnceLock::new(),
            size,
            primordial: Reach::new(size),
            others: [const { OnceLock::new() }; MAX_EPS - 1],
            heavy_barrier: sleep::register_heavy_barrier(),
            direct: AtomicBool::new(direct),
            across: (everything && direct).then(|| Across::new(here, ranks, &notice.mark_at)),
        }
    }

    #[inline]
    pub fn inbox(&self, rank: NodeRank) -> &Inbox {
        &self.inboxes[rank.index()]
    }

    /// The inbox of `rank`, if it is in the nbrhd.
    #[inline]
    pub fn inbox_of(&self, rank: JobRank) -> Option<&Inbox> {
        match self.block.get(rank.0.wrapping_sub(self.base) as usize) {
            None if !self.local.is_empty() => self.inbox_looked_up(rank),
            inbox => inbox,
        }
    }

    // Not inlined, to keep the path for a nbrhd of consecutive ranks short.
    #[inline(never)]
    fn inbox_looked_up(&self, rank: JobRank) -> Option<&Inbox> {
        self.looked_up(rank).map(|near| self.inbox(near))
    }

    /// The node rank of `rank`, if it is in the nbrhd; for a nbrhd whose ranks are not consecutive.
    fn looked_up(&self, rank: JobRank) -> Option<NodeRank> {
        let local = self.local.get(rank.index())?.load(Ordering::Relaxed);
        let near = local.wrapping_sub(self.here.0 - self.me.0);
        (local != NOT_LOCAL && near < self.ranks).then_some(NodeRank(near))
    }

    /// This rank's own inbox.
    #[inline]
    pub fn own(&self) -> &Inbox {
        &self.inboxes[self.me.index()]
    }

    /// The job rank of `rank`.
    #[inline]
    pub fn job_rank(&self, rank: NodeRank) -> JobRank {
        if self.block.is_empty() { self.inbox(rank).owner } else { JobRank(self.base + rank.0) }
    }

    /// The node rank of `rank`, if it is in the nbrhd.
    #[inline]
    pub fn node_rank(&self, rank: JobRank) -> Option<NodeRank> {
        let at = rank.0.wrapping_sub(self.base);
        match (at as usize) < self.block.len() {
            true => Some(NodeRank(at)),
            false if self.local.is_empty() => None,
            false => self.looked_up(rank),
        }
    }

    /// The node rank of the host's `rank`, if it is in the nbrhd.
    pub fn node_rank_of(&self, rank: HostRank) -> Option<NodeRank> {
        let at = rank.0.wrapping_sub(self.here.0 - self.me.0);
        (at < self.ranks).then_some(NodeRank(at))
    }

    /// The host rank of `rank`.
    pub fn host_rank(&self, rank: NodeRank) -> HostRank {
        HostRank(self.here.0 - self.me.0 + rank.0)
    }

    /// All ranks of the host, also those of other nbrhds.
    pub fn on_host(&self) -> impl Iterator<Item = HostRank> + use<> {
        (0..self.region.layout.ranks as u32).map(HostRank)
    }

    /// The offset to add to an address in `rank`'s segment to reach it from here.
    pub fn bias_to(&self, rank: NodeRank) -> isize {
        self.bias(self.host_rank(rank))
    }

    fn bias(&self, rank: HostRank) -> isize {
        if rank == self.here {
            0
        } else if let Some(elsewhere) = self.elsewhere.get() {
            elsewhere[rank.index() - (self.here.index() - self.me.index())]
        } else {
            (self.xmap.slot(rank).addr() as isize).wrapping_sub(self.start_of(rank) as isize)
        }
    }

    /// The segments of the nbrhd are not in `xmap`; this rank's is at `start`, and `biases` lead to all of them, until the end of the
    /// job: called before any of them is accessed.
    pub fn put_segment(&self, start: usize) {
        self.notice(self.here).segment_start.store(start as u64, Ordering::Release);
    }

    /// As `put_segment`; `mapped`: where the segment of each rank of the nbrhd starts here.
    pub fn segments_are_at(&self, mapped: &[usize]) {
        let bias = |(rank, at): (u32, &usize)| at.wrapping_sub(self.start_of(self.host_rank(NodeRank(rank)))) as isize;
        self.elsewhere.get_or_init(|| (0..).zip(mapped).map(bias).collect());
    }

    /// Where `rank`'s segment starts, in its own address space; 0 before the rank has published it.
    pub fn start_of(&self, rank: HostRank) -> usize {
        self.notice(rank).segment_start.load(Ordering::Acquire) as usize
    }

    fn is_attached(&self, rank: HostRank, at: usize, len: usize) -> bool {
        let attached = self.notice(rank).segment_bytes.load(Ordering::Relaxed) as usize;
        let start = Some(self.start_of(rank)).filter(|&start| start != 0);
        let offset = start.and_then(|start| at.checked_sub(start));
        offset.is_some_and(|offset| offset <= attached && len <= attached - offset)
    }

    /// To be called if some rank of the host cannot make the kernel's barrier for registered processes: senders then fence.
    pub fn without_heavy_barrier(&mut self) {
        self.heavy_barrier = false;
    }

    /// Whether these bytes of this process lie in the segment that it has attached, which all ranks here have mapped.
    pub fn in_attached(&self, at: usize, len: usize) -> bool {
        self.is_attached(self.here, at, len)
    }

    /// `at..at + len` of `rank`, which lie in the segment that it has attached; ends the job if they do not.
    pub fn attached(&self, rank: NodeRank, at: RemoteAddr, len: usize) -> Dst<'static> {
        let host_rank = self.host_rank(rank);
        assert!(
            self.is_attached(host_rank, at.0, len),
            "{len} bytes at {:#x} of rank {} are not attached",
            at.0,
            rank.0
        );
        // SAFETY: in `rank`'s segment (checked), which is mapped here from attach on for the job's life.
        unsafe { xmap::view(at, self.bias(host_rank), len) }
    }

    pub fn notice(&self, rank: HostRank) -> &'static Notice {
        self.region.at(self.region.layout.notices + rank.index() * LINE)
    }

    /// The number of this nbrhd on its host.
    fn part(&self) -> usize {
        self.here.index() / self.region.layout.together
    }

    /// Zeroed shared memory of `barrier_bytes` (`RegionLayout::new`) bytes, page aligned.
    pub fn barrier_area(&self) -> Dst<'static> {
        let layout = &self.region.layout;
        let at = layout.barriers + self.part() * layout.barrier_bytes;
        // SAFETY: Layout reserves these bytes for each nbrhd; mapped for the job's life.
        unsafe { Dst::new(self.region.base.add(at).cast(), layout.barrier_bytes) }
    }

    /// `rank`'s arena, a multiple of pages, zero at first.
    pub fn arena(&self, rank: NodeRank) -> Dst<'static> {
        let RegionLayout { arenas, arena_bytes, .. } = self.region.layout;
        let at = arenas + self.host_rank(rank).index() * arena_bytes;
        // SAFETY: Layout reserves these bytes for this rank; mapped for the job's life.
        unsafe { Dst::new(self.region.base.add(at).cast(), arena_bytes) }
    }

    fn lobby(&self) -> &'static Lobby {
        self.region.at(self.part() * size_of::<Lobby>())
    }

    /// Counts arrivals at the start-up barrier.
    pub fn arrivals(&self) -> &'static AtomicU64 {
        &self.lobby().arrived
    }

    /// Sleeps until [`Nbrhd::all_here`].
    pub fn sleep_until_all_here(&self) {
        const LOOK_AGAIN_NS: u64 = 20_000_000;
        let complete = &self.lobby().complete;
        // Acquire: with the Release in `all_here`; writes of ranks before they arrived are seen.
        while complete.load(Ordering::Acquire) == 0 {
            sleep::futex_wait(complete, 0, LOOK_AGAIN_NS);
        }
    }

    /// Every rank has started: wakes those that wait for it.
    pub fn all_here(&self) {
        let complete = &self.lobby().complete;
        complete.store(1, Ordering::Release);
        sleep::futex_wake_all(complete);
    }

    /// Whether a producer has claimed slots of this rank's rings since the last message taken.
    #[inline]
    pub fn stirred(&self) -> bool {
        self.replies.ring.stirred() || self.requests.ring.stirred()
    }

    /// Intent `index` of this rank, below [`SENDERS`]. No two threads use one at the same time.
    #[inline]
    pub fn intent(&self, index: usize) -> &'static Intent {
        &self.intents[index]
    }

    /// A message for the owner of `inbox` was published: wakes it if it sleeps.
    #[inline(always)]
    pub fn ring_bell(&self, inbox: &Inbox) {
        if inbox.bell.ring(self.heavy_barrier) {
            // The owner has died and the message is lost: frees its block, if it had one.
            self.own().pool.take_back(inbox.rank);
        }
    }

    /// As [`Bell::has_sleepers`], of this rank.
    #[inline]
    pub fn sleeps(&self) -> bool {
        self.own().bell.has_sleepers(self.heavy_barrier)
    }

    /// Orders a store of this rank before its load of the word by which waiters announce themselves. The waiter's side is
    /// the heavy barrier.
    #[inline]
    pub fn light_barrier(&self) {
        sleep::light_barrier(self.heavy_barrier);
    }

    /// [`Bell::arm`] of this rank.
    pub fn arm(&self) -> u32 {
        self.own().bell.arm()
    }

    /// [`Bell::disarm`] of this rank.
    pub fn disarm(&self) {
        self.own().bell.disarm();
    }

    /// [`Bell::sleep`] of this rank.
    pub fn sleep(&self, seen: u32, ns: u64) {
        self.own().bell.sleep(seen, ns);
    }

    /// [`Bell::sleep_in`] of this rank.
    pub fn sleep_in(&self, seen: u32, wait: impl FnOnce(c_int) -> bool) -> bool {
        self.own().bell.sleep_in(seen, wait)
    }
}
