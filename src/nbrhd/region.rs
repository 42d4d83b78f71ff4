//! The shared region of a host's ranks: its layout and its creation, by one process for the ranks that it forks or for
//! ranks that were started separately.

use std::io;
use std::os::fd::OwnedFd;

use super::pool::POOL_BYTES;
use super::ring::{Intent, Ring};
use crate::mem::Dst;
use crate::os::shm;
use crate::sync::atomic::{AtomicI32, AtomicU32, AtomicU64};
use crate::sync::padded::Padded;

/// Values that a rank publishes to the others at attach.
#[repr(C)]
pub struct Notice {
    pub segment_bytes: AtomicU64,
    /// Where its segment starts, in its own address space; 0 before the rank has published it.
    pub segment_start: AtomicU64,
    /// The address of its `MARK` (across.rs), in its own address space.
    pub mark_at: AtomicU64,
    pub sysv_id: AtomicI32,
    /// Nonzero when the rank could not attach.
    pub failed: AtomicU32,
}

/// The words of a nbrhd's start-up barrier.
#[repr(C)]
pub(super) struct Lobby {
    /// Arrivals at the start-up barrier, over all its rounds.
    pub(super) arrived: Padded<AtomicU64>,
    /// A futex; nonzero once every rank has started.
    pub(super) complete: Padded<AtomicU32>,
}

/// Offsets in the shared region. Lobbies and barrier areas are indexed by nbrhd, the other arrays by the ranks of the host.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct RegionLayout {
    /// Ranks of the host.
    pub(super) ranks: usize,
    /// Ranks of a nbrhd; the last one may have fewer.
    pub(super) together: usize,
    pub(super) ring_slots: usize,
    pub(super) notices: usize,
    pub(super) control: usize,
    pub(super) barriers: usize,
    pub(super) barrier_bytes: usize,
    pub(super) inboxes: usize,
    pub(super) inbox_bytes: usize,
    pub(super) arenas: usize,
    pub(super) arena_bytes: usize,
}

pub(super) const LINE: usize = 128;
/// Intents of a rank: more than threads of it may send at the same time.
pub const SENDERS: usize = 272;
/// Where the intents of a rank's threads start in its inbox: after the bell and the words of both rings. These and the
/// intent of the first thread share a page.
pub(super) const INTENTS_AT: usize = LINE + 2 * Ring::WORDS_BYTES;
/// Where the slots start.
pub(super) const SLOTS_AT: usize = INTENTS_AT + SENDERS * size_of::<Intent>();

impl RegionLayout {
    /// `barrier_bytes`: bytes of memory for the barrier of one nbrhd.
    pub fn new(
        ranks: usize,
        together: usize,
        ring_slots: usize,
        control_bytes: usize,
        barrier_bytes: usize,
    ) -> RegionLayout {
        let nbrhds = ranks.div_ceil(together);
        let notices = nbrhds * size_of::<Lobby>();
        let control = (notices + ranks * LINE).next_multiple_of(shm::PAGE);
        let barriers = (control + control_bytes).next_multiple_of(shm::PAGE);
        let barrier_bytes = barrier_bytes.next_multiple_of(shm::PAGE);
        let inboxes = barriers + nbrhds * barrier_bytes;
        let inbox_bytes = (SLOTS_AT + 2 * Ring::slots_bytes(ring_slots) + POOL_BYTES).next_multiple_of(shm::PAGE);
        let arenas = inboxes + ranks * inbox_bytes;
        let arena_bytes = (ARENAS / ranks).clamp(*ARENA.start(), *ARENA.end()) / shm::PAGE * shm::PAGE;
        RegionLayout {
            ranks,
            together,
            ring_slots,
            notices,
            control,
            barriers,
            barrier_bytes,
            inboxes,
            inbox_bytes,
            arenas,
            arena_bytes,
        }
    }

    /// All fields of the layout. Processes that compute the layout separately compare these words.
    pub fn words(&self) -> [u64; 11] {
        // SAFETY: a struct of these words alone, in their order.
        unsafe { core::mem::transmute::<RegionLayout, [usize; 11]>(*self) }.map(|word| word as u64)
    }

    /// Bytes of the whole region.
    pub fn total(&self) -> usize {
        self.arenas + self.ranks * self.arena_bytes
    }
}

/// Bytes of a rank's arena, the memory that its teams share, of which only the used part is touched; the fewer the more
/// ranks the host has, once it has hundreds.
const ARENA: core::ops::RangeInclusive<usize> = 1 << 20..=8 << 20;
const ARENAS: usize = 1 << 30;

/// The shared region, mapped in this process.
#[derive(Clone, Copy)]
pub struct Region {
    pub(super) base: *mut u8,
    pub(super) layout: RegionLayout,
}

// SAFETY: the base address never changes; everything behind it is reached as atomics, rings and pools.
unsafe impl Send for Region {}
// SAFETY: as for Send.
unsafe impl Sync for Region {}

impl Region {
    pub fn create(layout: RegionLayout) -> io::Result<Region> {
        Ok(Region { base: shm::anonymous(layout.total())?, layout })
    }

    /// As `create`, for ranks that were started separately: they `open` the descriptor that comes with it.
    pub fn share(layout: RegionLayout) -> io::Result<(Region, OwnedFd)> {
        let object = shm::object(layout.total())?;
        Ok((Region::open(&object, layout)?, object))
    }

    /// The region that another process of this host has made, with the same layout.
    pub fn open(object: &OwnedFd, layout: RegionLayout) -> io::Result<Region> {
        Ok(Region { base: shm::map(object, layout.total())?, layout })
    }

    /// Zeroed memory for the bootstrap's own use, page aligned.
    pub fn control(&self) -> Dst<'static> {
        let RegionLayout { control, barriers, .. } = self.layout;
        // SAFETY: Layout reserves these bytes for this; mapped for the job's life.
        unsafe { Dst::new(self.base.add(control).cast(), barriers - control) }
    }

    pub(super) fn at<T>(&self, offset: usize) -> &'static T {
        assert!(offset + size_of::<T>() <= self.layout.total() && offset % align_of::<T>() == 0);
        // SAFETY: in bounds and aligned (checked); mapped for the job's life and zeroed; the types placed here
        // consist of atomics, for which zero is valid.
        unsafe { &*self.base.add(offset).cast::<T>() }
    }
}
