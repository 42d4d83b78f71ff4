//! Maps the pages of memory that will be pinned: a network's library does that page by page, in one thread.
//!
//! # Safety
//! The kernel is asked to map pages; it changes no contents. Where the addresses are no memory, it refuses.
#![allow(unsafe_code)]

use core::ops::Range;
use std::thread;
use std::time::{Duration, Instant};

use crate::os::shm::page_bytes;
use crate::os::signal;
use crate::sync::atomic::{AtomicUsize, Ordering};

/// Bytes that one call maps.
const PIECE: usize = 32 << 20;
/// The time between two reports.
const REPORTS: Duration = Duration::from_secs(5);

/// Maps the pages of the kernel (Linux 5.14) that lie in `range`, in `threads` threads, of which this is one. `report` gets the bytes that were
/// mapped, after five seconds and again every five seconds. Pages that cannot be mapped are left as they are.
pub(crate) fn populate(range: Range<usize>, threads: usize, report: &mut dyn FnMut(usize)) {
    let page = page_bytes();
    let (start, end) = (range.start.next_multiple_of(page), range.end / page * page);
    // The next address to map.
    let next = AtomicUsize::new(start);
    let step = || {
        let at = next.fetch_add(PIECE, Ordering::Relaxed);
        let is_mapped = at < end && map(at, PIECE.min(end - at));
        if at < end && !is_mapped {
            next.store(end, Ordering::Relaxed);
        }
        is_mapped
    };
    let others = threads.min((end.saturating_sub(start)).div_ceil(PIECE)).saturating_sub(1);
    thread::scope(|scope| {
        let blocked = signal::Mask::block_all();
        for _ in 0..others {
            // Without a thread more is left to the others.
            let _ = thread::Builder::new().name("gasnet-pages".into()).spawn_scoped(scope, || while step() {});
        }
        blocked.restore();
        let mut told = Instant::now();
        while step() {
            if told.elapsed() >= REPORTS {
                told = Instant::now();
                report(next.load(Ordering::Relaxed).min(end) - start);
            }
        }
    });
}

/// False: the kernel has refused.
fn map(at: usize, bytes: usize) -> bool {
    let at = core::ptr::with_exposed_provenance_mut(at);
    // SAFETY: maps pages (head of the file).
    unsafe { libc::madvise(at, bytes, libc::MADV_POPULATE_WRITE) == 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::os::shm;

    fn resident(at: *mut u8, bytes: usize) -> usize {
        let mut pages = vec![0u8; bytes / page_bytes()];
        // SAFETY: as many bytes as there are pages.
        assert_eq!(unsafe { libc::mincore(at.cast(), bytes, pages.as_mut_ptr()) }, 0);
        pages.iter().filter(|page| *page & 1 == 1).count()
    }

    #[test]
    fn pages_are_mapped_by_any_number_of_threads() {
        let bytes = 2 * PIECE + 5 * page_bytes();
        for threads in [1, 2, 8] {
            let at = shm::anonymous(bytes).unwrap();
            let start = at.expose_provenance();
            // SAFETY: the first page is memory of our own.
            unsafe { at.write(7) };
            populate(start + 1..start + bytes - 1, threads, &mut |_| ());
            // A kernel before 5.14 refuses; so does one without the memory.
            let found = resident(at, bytes);
            assert!(found == 1 || found == bytes / page_bytes() - 1, "{found}");
            // SAFETY: the first page is memory of our own.
            assert_eq!(unsafe { at.read() }, 7);
            // SAFETY: nobody uses it any more.
            unsafe { shm::release(at, bytes) };
        }
        populate(page_bytes()..3 * page_bytes(), 2, &mut |_| ());
        populate(7..7, 2, &mut |_| ());
    }
}
