//! The rank for which this thread accesses memory: if the access is a fault, the line on the crash names that rank.

use core::cell::Cell;

use crate::defs::rank::JobRank;

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

/// While it lives, this thread accesses memory for the sender of a message.
pub(crate) struct Serving;

impl Serving {
    #[inline]
    pub(crate) fn of(sender: JobRank, what: &'static str) -> Serving {
        WISH.set(Some(Wish { from: Some(sender.0), what, range: None }));
        Serving
    }
}

impl Drop for Serving {
    #[inline]
    fn drop(&mut self) {
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
