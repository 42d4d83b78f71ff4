//! The neighbourhood ("supernode"): ranks of one host that share memory. It is not a conduit: it is asked first,
//! for every conduit. Here the shared region is laid out, ranks find each other's rings and pools, wake each
//! other, and map each other's segments.
//!
//! # Safety
//! The region is mapped before the ranks are forked and stays mapped for the job's life; every view below is made
//! once, at the offset that [`Layout`] gives it.
#![allow(unsafe_code)]

pub mod backing;
pub mod pool;
pub mod ring;
#[cfg(test)]
mod ring_tests;
pub mod xmap;

use std::io;
use std::sync::OnceLock;

use crate::barrier;
use crate::job::JobRank;
use crate::mem::{Dst, RemoteAddr};
use crate::os::{shm, sleep};
use crate::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, Ordering};
use crate::sync::padded::Padded;
use pool::{Cursors, POOL_BYTES, Pool};
use ring::Ring;
use xmap::Xmap;

/// Sleepers of one rank, and the word they sleep on.
#[repr(C)]
struct Bell {
    /// Counts wake-ups; the futex word.
    events: AtomicU32,
    /// Threads of the rank that sleep or are about to.
    sleepers: AtomicU32,
}

/// What a rank tells the others at attach.
#[repr(C)]
pub struct Notice {
    pub segment_bytes: AtomicU64,
    pub sysv_id: AtomicI32,
    /// Nonzero when the rank could not attach.
    pub failed: AtomicU32,
}

/// The start of the shared region.
#[repr(C)]
struct Lobby {
    /// Arrivals at the start-up barrier, over all its rounds.
    arrived: Padded<AtomicU64>,
    /// Nonzero, and a futex: every rank has started.
    complete: Padded<AtomicU32>,
}

/// Offsets of everything in the shared region.
#[derive(Clone, Copy)]
pub struct Layout {
    ranks: usize,
    ring_slots: usize,
    notices: usize,
    control: usize,
    barrier: usize,
    inboxes: usize,
    inbox_bytes: usize,
}

const LINE: usize = 128;
/// Where the slots start in an inbox: after the bell and the words of both rings, which share a page.
const SLOTS_AT: usize = LINE + 2 * Ring::WORDS_BYTES;

impl Layout {
    pub fn new(ranks: usize, ring_slots: usize, control_bytes: usize) -> Layout {
        let notices = size_of::<Lobby>().next_multiple_of(LINE);
        let control = (notices + ranks * LINE).next_multiple_of(shm::PAGE);
        let barrier = (control + control_bytes).next_multiple_of(shm::PAGE);
        let inboxes = (barrier + barrier::area_bytes(ranks)).next_multiple_of(shm::PAGE);
        let inbox_bytes = (SLOTS_AT + 2 * Ring::slots_bytes(ring_slots) + POOL_BYTES).next_multiple_of(shm::PAGE);
        Layout { ranks, ring_slots, notices, control, barrier, inboxes, inbox_bytes }
    }

    /// Bytes of the whole region.
    pub fn total(&self) -> usize {
        self.inboxes + self.ranks * self.inbox_bytes
    }
}

/// The shared region before ranks know who they are.
#[derive(Clone, Copy)]
pub struct Region {
    base: *mut u8,
    layout: Layout,
}

// SAFETY: the base address never changes; everything behind it is reached as atomics, rings and pools.
unsafe impl Send for Region {}
// SAFETY: as for Send.
unsafe impl Sync for Region {}

impl Region {
    pub fn create(layout: Layout) -> io::Result<Region> {
        Ok(Region { base: shm::anonymous(layout.total())?, layout })
    }

    /// Zeroed memory for the bootstrap's own use.
    pub fn control(&self) -> *mut u8 {
        self.base.wrapping_add(self.layout.control)
    }

    fn at<T>(&self, offset: usize) -> &'static T {
        assert!(offset + size_of::<T>() <= self.layout.total() && offset.is_multiple_of(align_of::<T>()));
        // SAFETY: in bounds and aligned (checked); mapped for the job's life and zeroed; the types placed here
        // consist of atomics, for which zero is valid.
        unsafe { &*self.base.add(offset).cast::<T>() }
    }
}

/// One rank's rings and pool, as seen from here.
pub struct Inbox {
    bell: &'static Bell,
    pub requests: Ring,
    pub replies: Ring,
    pub pool: Pool,
    /// What we last saw of the rings' heads.
    pub request_room: AtomicU64,
    pub reply_room: AtomicU64,
}

/// The ranks of this host, from one rank's point of view.
pub struct Nbrhd {
    pub me: JobRank,
    pub ranks: u32,
    region: Region,
    inboxes: Box<[Inbox]>,
    /// The rings that this rank consumes: those of its own inbox.
    pub requests: Ring,
    pub replies: Ring,
    pub cursors: Cursors,
    pub xmap: Xmap,
    biases: OnceLock<Box<[isize]>>,
    ends: OnceLock<Box<[(usize, usize)]>>,
    /// The kernel's barrier for registered processes works, so senders need no fence before they look for sleepers.
    heavy_barrier: bool,
    /// put and get go straight to mapped memory; off for the reference path.
    pub direct: AtomicBool,
}

impl Nbrhd {
    pub fn new(region: Region, me: JobRank, xmap: Xmap, direct: bool) -> Nbrhd {
        let layout = region.layout;
        let inboxes: Box<[Inbox]> = (0..layout.ranks)
            .map(|rank| {
                let base = layout.inboxes + rank * layout.inbox_bytes;
                let slots = base + SLOTS_AT;
                let slots_bytes = Ring::slots_bytes(layout.ring_slots);
                let at = |offset: usize| region.base.wrapping_add(offset);
                // SAFETY: Layout reserves these bytes for this rank; zeroed, mapped for the job's life, aligned
                // because LINE, SLOTS_AT, WORDS_BYTES and slots_bytes are multiples of 128.
                let (requests, replies, pool) = unsafe {
                    (
                        Ring::at(at(base + LINE).cast(), at(slots).cast(), layout.ring_slots),
                        Ring::at(
                            at(base + LINE + Ring::WORDS_BYTES).cast(),
                            at(slots + slots_bytes).cast(),
                            layout.ring_slots,
                        ),
                        Pool::at(at(slots + 2 * slots_bytes)),
                    )
                };
                Inbox {
                    bell: region.at::<Padded<Bell>>(base),
                    requests,
                    replies,
                    pool,
                    request_room: AtomicU64::new(0),
                    reply_room: AtomicU64::new(0),
                }
            })
            .collect();
        Nbrhd {
            me,
            ranks: layout.ranks as u32,
            region,
            requests: inboxes[me.index()].requests,
            replies: inboxes[me.index()].replies,
            inboxes,
            cursors: Cursors::default(),
            xmap,
            biases: OnceLock::new(),
            ends: OnceLock::new(),
            heavy_barrier: sleep::register_heavy_barrier(),
            direct: AtomicBool::new(direct),
        }
    }

    #[inline]
    pub fn inbox(&self, rank: JobRank) -> &Inbox {
        &self.inboxes[rank.index()]
    }

    pub fn notice(&self, rank: JobRank) -> &'static Notice {
        self.region.at(self.region.layout.notices + rank.index() * LINE)
    }

    /// Zeroed shared memory of `barrier::area_bytes(ranks)` bytes, page aligned.
    pub fn barrier_area(&self) -> *mut u8 {
        self.region.base.wrapping_add(self.region.layout.barrier)
    }

    /// Counts arrivals at the start-up barrier.
    pub fn arrivals(&self) -> &'static AtomicU64 {
        &self.region.at::<Lobby>(0).arrived
    }

    /// Sleeps until [`Nbrhd::all_here`].
    pub fn sleep_until_all_here(&self) {
        const LOOK_AGAIN_NS: u64 = 20_000_000;
        let complete = &self.region.at::<Lobby>(0).complete;
        // Acquire: with the Release in `all_here`; what ranks did before they arrived is seen.
        while complete.load(Ordering::Acquire) == 0 {
            sleep::futex_wait(complete, 0, LOOK_AGAIN_NS);
        }
    }

    /// Every rank has started: wakes those that wait for it.
    pub fn all_here(&self) {
        let complete = &self.region.at::<Lobby>(0).complete;
        complete.store(1, Ordering::Release);
        sleep::futex_wake_all(complete);
    }

    /// Publishes the segments once every rank's is mapped: biases, and where each starts and ends at its owner.
    pub fn publish(&self, biases: Box<[isize]>, ends: Box<[(usize, usize)]>) -> &[isize] {
        self.ends.get_or_init(|| ends);
        self.biases.get_or_init(|| biases)
    }

    /// A view of `len` bytes at `at` in `to`'s address space; None if it is not mapped here or the reference
    /// path is forced.
    #[inline]
    pub fn map(&self, to: JobRank, at: RemoteAddr, len: usize) -> Option<Dst<'static>> {
        if !self.direct.load(Ordering::Relaxed) {
            return None;
        }
        self.deliver_to(to, at, len)
    }

    /// As `map`, for the payload of a Long, which is always written in place.
    #[inline]
    pub fn deliver_to(&self, to: JobRank, at: RemoteAddr, len: usize) -> Option<Dst<'static>> {
        let bias = *self.biases.get()?.get(to.index())?;
        Some(xmap::view(at, bias, len))
    }

    /// Whether `at..at + len` lies in `rank`'s segment.
    pub fn in_segment(&self, rank: JobRank, at: RemoteAddr, len: usize) -> bool {
        self.segment_span(rank).is_some_and(|(start, end)| at.0 >= start && at.0 <= end && len <= end - at.0)
    }

    /// First address and one past the last of `rank`'s segment, in its own address space; None before attach.
    pub fn segment_span(&self, rank: JobRank) -> Option<(usize, usize)> {
        self.ends.get()?.get(rank.index()).copied()
    }

    /// Some message is for this rank, or about to be.
    #[inline]
    pub fn stirred(&self) -> bool {
        self.replies.stirred() || self.requests.stirred()
    }

    /// A message for `rank` was published: wakes it if it sleeps.
    #[inline]
    pub fn ring_bell(&self, rank: JobRank) {
        sleep::light_barrier(self.heavy_barrier);
        if self.inbox(rank).bell.sleepers.load(Ordering::Relaxed) != 0 {
            self.wake(rank);
        }
    }

    /// Wakes all sleeping threads of `rank`.
    #[cold]
    pub fn wake(&self, rank: JobRank) {
        let bell = self.inbox(rank).bell;
        // Release: with the Acquire in `sleep_on`; the woken thread sees what it was woken for.
        bell.events.fetch_add(1, Ordering::Release);
        sleep::futex_wake_all(&bell.events);
    }

    /// Announces a sleeper; returns what to pass to [`Nbrhd::sleep`]. After it the caller must look for work once
    /// more: whoever published before this call did not see the sleeper.
    pub fn arm(&self) -> u32 {
        let bell = self.inbox(self.me).bell;
        let seen = bell.events.load(Ordering::Acquire);
        bell.sleepers.fetch_add(1, Ordering::SeqCst);
        sleep::heavy_barrier();
        seen
    }

    /// Takes the announcement back.
    pub fn disarm(&self) {
        self.inbox(self.me).bell.sleepers.fetch_sub(1, Ordering::Relaxed);
    }

    /// Sleeps until woken or `ns` passed.
    pub fn sleep(&self, seen: u32, ns: u64) {
        sleep::futex_wait(&self.inbox(self.me).bell.events, seen, ns);
    }
}
