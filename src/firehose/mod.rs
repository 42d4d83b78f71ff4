//! Firehose: registration of memory on demand, by pages, under budgets (Bell and Bonachea, "A New DMA Registration Strategy for
//! Pinning-Based High Performance Networks", CAC 2003). [`regions`] has the pinned memory of this rank: that which its own transfers use, and that
//! which its peers may reach. [`hoses`] has the pages of peers that this rank may reach: a firehose is a right to a range of a peer's pages, which stay
//! pinned while it lasts. A rank that lacks a firehose asks for it, and names in the same message the firehoses that it gives back.
//!
//! Invariants
//! - The pages that are pinned for this rank's own transfers, in use or kept for the next one, never exceed the local budget; those pinned for peers never
//!   exceed the remote budget: each peer has an equal share of it, to which it keeps.
//! - A page is unpinned only while no transfer uses it.
//! - Nothing waits for a pin: where there is no room, the caller copies the bytes. So no budget leads to a deadlock.
//! - The messages of a peer take effect in the order in which they were made, however they arrive.

pub(crate) mod hoses;
pub(crate) mod regions;
#[cfg(test)]
mod simulation_tests;

use crate::env;
use crate::os::shm::{self, page_bytes};

/// A range of pages, by number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Pages {
    pub first: usize,
    pub count: usize,
}

impl Pages {
    /// The pages that contain `len` bytes at `at`; one at least.
    #[inline]
    pub(crate) fn of(at: usize, len: usize) -> Pages {
        let page = page_bytes();
        let first = at / page;
        Pages { first, count: (at + len.max(1) - 1) / page - first + 1 }
    }

    #[inline]
    pub(crate) fn end(self) -> usize {
        self.first + self.count
    }

    #[inline]
    pub(crate) fn holds(self, other: Pages) -> bool {
        self.first <= other.first && other.end() <= self.end()
    }

    /// They overlap, or one begins where the other ends.
    pub(crate) fn touches(self, other: Pages) -> bool {
        self.first <= other.end() && other.first <= self.end()
    }

    pub(crate) fn with(self, other: Pages) -> Pages {
        let first = self.first.min(other.first);
        Pages { first, count: self.end().max(other.end()) - first }
    }

    /// The first byte, and the number of bytes.
    pub(crate) fn bytes(self) -> (usize, usize) {
        (self.first * page_bytes(), self.count * page_bytes())
    }
}

/// Budgets in pages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Budgets {
    /// For the transfers that a rank starts itself.
    pub local: usize,
    /// For the transfers of its peers, all together.
    pub remote: usize,
    /// Of one region.
    pub region: usize,
    /// Regions that are pinned at once.
    pub regions: usize,
}

/// The budgets of each of `ranks` ranks of this host, from the settings: three quarters of the memory that may be pinned are for peers, as in
/// the original.
pub(crate) fn budgets(ranks: usize) -> Budgets {
    let physical = match shm::physical_memory() {
        // Neither the kernel nor a control group says how much there is.
        u64::MAX => 1 << 30,
        bytes => bytes,
    };
    let ratio = env::dbl("GASNET_PHYSMEM_PINNABLE_RATIO");
    let most = env::opt_size("GASNET_PHYSMEM_MAX").unwrap_or(u64::MAX);
    let page = page_bytes();
    let pinnable = ((physical as f64 * ratio) as u64).min(most) as usize / page / ranks.max(1);
    let pages = |name: &str, usual: usize| env::opt_size(name).map_or(usual, |bytes| bytes as usize / page).max(2);
    Budgets {
        local: pages("GASNET_FIREHOSE_MAXVICTIM_M", pinnable / 4),
        remote: pages("GASNET_FIREHOSE_M", pinnable - pinnable / 4),
        region: (env::size("GASNET_FIREHOSE_MAXREGION_SIZE") as usize / page).max(2),
        regions: env::int("GASNET_FIREHOSE_R") as usize,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_lie_in_pages() {
        let page = page_bytes();
        assert_eq!(Pages::of(0, 0), Pages { first: 0, count: 1 });
        assert_eq!(Pages::of(page - 1, 1), Pages { first: 0, count: 1 });
        assert_eq!(Pages::of(page - 1, 2), Pages { first: 0, count: 2 });
        assert_eq!(Pages::of(3 * page, 2 * page), Pages { first: 3, count: 2 });
        let (a, b) = (Pages { first: 3, count: 2 }, Pages { first: 5, count: 1 });
        assert!(a.touches(b) && !a.holds(b) && a.with(b).holds(b) && a.with(b).count == 3);
        assert!(!a.touches(Pages { first: 6, count: 1 }));
    }
}
