//! The rank for which this thread accesses memory: if the access is a fault, the line on the crash names that rank.

use core::cell::Cell;

use crate::defs::rank::JobRank;
use crate::mem::Src;
use crate::sync::atomic::{Ordering, compiler_fence};

/// An access that this thread makes on behalf of another rank.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wish {
    /// The rank, where it is known.
    pub from: Option<u32>,
    /// The operation, for the line of the report.
    pub what: &'static str,
    /// Its address range; None: any address, until the access ends.
    range: Option<(usize, usize)>,
}

thread_local! {
    static WISH: Cell<Option<Wish>> = const { Cell::new(None) };
}

impl Wish {
    /// The first byte of the access in the page of `at`, the address of a fault. A processor may touch the bytes of an access in any order, and
    /// reports the address of the first byte that it touched.
    pub(crate) fn first_in_page(&self, at: usize, page_bytes: usize) -> usize {
        self.range.map_or(at, |(start, _)| start.max(at / page_bytes * page_bytes))
    }
}

/// While it lives, this thread accesses memory for the sender of a message.
pub(crate) struct Serving;

impl Serving {
    /// Before the addresses of the access are known.
    #[inline]
    pub(crate) fn of(sender: JobRank, what: &'static str) -> Serving {
        Serving::begin(Wish { from: Some(sender.0), what, range: None })
    }

    /// At the addresses of `bytes`.
    #[inline]
    pub(crate) fn at(bytes: Src<'_>, sender: JobRank, what: &'static str) -> Serving {
        Serving::begin(Wish { from: Some(sender.0), what, range: Some((bytes.as_ptr().addr(), bytes.len())) })
    }

    #[inline]
    fn begin(wish: Wish) -> Serving {
        WISH.set(Some(wish));
        // The handler of a fault in the access reads it: without this the compiler may leave it out, as nothing else does.
        compiler_fence(Ordering::SeqCst);
        Serving
    }
}

impl Drop for Serving {
    #[inline]
    fn drop(&mut self) {
        compiler_fence(Ordering::SeqCst);
        WISH.set(None);
    }
}

/// A network touches `len` bytes at `at` next, for the sender of the message that it is about to deliver.
pub(crate) fn range(at: usize, len: usize) {
    WISH.set(Some(Wish { from: None, what: "sends, puts or gets", range: Some((at, len)) }));
}

/// The access during which this thread touched address `at`. Callable in signal handlers.
pub(crate) fn wish(at: usize) -> Option<Wish> {
    let inside = |wish: &Wish| wish.range.is_none_or(|(start, len)| at >= start && at - start < len);
    // A thread whose thread-locals are destroyed executes no access for a peer.
    WISH.try_with(Cell::get).ok().flatten().filter(inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_named_by_the_first_byte_of_the_access_in_its_page() {
        let bytes = [0u8; 20000];
        let all = Src::of(&bytes);
        let start = all.as_ptr().addr();
        let serving = Serving::at(all, JobRank(3), "gets from");
        let named = |at: usize| wish(at).map(|wish| (wish.from, wish.first_in_page(at, 4096)));
        // A processor without loads at any alignment reads byte 1 before byte 0.
        assert_eq!(named(start + 1), Some((Some(3), start)));
        let second_page = start / 4096 * 4096 + 4096;
        assert_eq!(named(second_page + 77), Some((Some(3), second_page)));
        assert_eq!(named(start + 20000), None);
        drop(serving);
        assert_eq!(named(start), None);
        let _serving = Serving::of(JobRank(3), "puts to");
        assert_eq!(named(0x41), Some((Some(3), 0x41)));
    }
}
