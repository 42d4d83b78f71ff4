//! Numbers of ranks, cores and bytes for a start, from the settings and the machine.

use crate::env::{self, SegLimit};
use crate::fatal::warn;
use crate::mem::Dst;
use crate::nbrhd::Region;
use crate::os::shm;

/// The largest number of ranks of a host that share memory; the same on all hosts of a job of `size` ranks.
pub(super) fn together(size: u32, networked: bool) -> u32 {
    let wanted = env::int("GASNET_SUPERNODE_MAXSIZE");
    let bounded = wanted > 0 && wanted < i64::from(size);
    if !networked {
        if bounded {
            warn!("GASNET_SUPERNODE_MAXSIZE={wanted} has no effect on smp: all {size} ranks share memory");
        }
        return size;
    }
    if bounded { wanted as u32 } else { size }
}

pub(super) fn ranks() -> u32 {
    match env::int("GASNET_PSHM_NODES") {
        0 => 1,
        n => n as u32, // at most MAX_RANKS: the table says so
    }
}

pub(super) fn cores() -> u32 {
    std::thread::available_parallelism().map_or(1, |n| n.get() as u32)
}

/// The bound on segments, rounded up to a page; at most the memory of the host, which no segment can fill.
pub(super) fn largest_segment(ranks: u32, client_default: Option<SegLimit>) -> usize {
    let physical = shm::physical_memory();
    let (limit, set) = env::seg_limit("GASNET_MAX_SEGSIZE");
    let limit = client_default.filter(|_| !set).unwrap_or(limit);
    let bytes = limit.bytes_each(physical, ranks).min(physical);
    // If address space is limited, segments get half of it, so that the client has the rest.
    let bytes = bytes.min(shm::address_space().map_or(u64::MAX, |all| all / 2 / (u64::from(ranks) + 1)));
    usize::try_from(bytes).unwrap_or(usize::MAX).clamp(1, 1 << 46).next_multiple_of(shm::PAGE)
}

/// Nanoseconds that a waiting rank polls before it sleeps.
pub(super) fn idle_ns() -> u64 {
    env::int("GASNET_WAIT_SPIN_US") as u64 * 1000
}

/// The memory that a conduit asks for in the region of the host, after everything else.
#[derive(Clone, Copy)]
pub(super) struct NetworkTables {
    at: usize,
    bytes: usize,
}

impl NetworkTables {
    /// From `at` on, or a little later.
    pub(super) fn of(bytes: usize, at: usize) -> NetworkTables {
        NetworkTables { at: at.next_multiple_of(size_of::<u64>()), bytes }
    }

    pub(super) fn end(self) -> usize {
        self.at + self.bytes
    }

    pub(super) fn in_region(self, region: &Region) -> Dst<'static> {
        region.control().part(self.at, self.bytes)
    }
}
