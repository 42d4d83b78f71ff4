//! Segment table: for one endpoint index, each rank's segment in its owner's address space and, if it is mapped here, the
//! bias to add to an address in it to get the local one. Written when segments are attached or published, before the
//! client may use them; read by any thread at any time.
//!
//! # Safety
//! Biases are those of segments that are mapped here (`publish`). That a view lies in a segment is the promise of the
//! client that named the address ([`RemoteAddr`]); it is not checked, since each put would pay for the check.
#![allow(unsafe_code)]

use crate::defs::rank::JobRank;
use crate::mem::{Dst, RemoteAddr};
use crate::nbrhd::xmap;
use crate::sync::atomic::{AtomicIsize, AtomicUsize, Ordering};

/// Endpoints of a rank, the primordial one included.
pub(crate) const MAX_EPS: usize = 64;

#[derive(Default)]
struct SegmentSpan {
    start: AtomicUsize,
    /// One past the last byte; 0 while there is no segment.
    end: AtomicUsize,
    /// 0: not mapped here; else 1 + the bias.
    bias: AtomicIsize,
}

/// Bytes of the table for each rank of the job.
pub const BYTES_A_RANK: usize = size_of::<SegmentSpan>();

/// The segments of one endpoint index, by rank of the job.
pub struct Reach(Box<[SegmentSpan]>);

impl Reach {
    pub fn new(ranks: u32) -> Reach {
        Reach((0..ranks).map(|_| SegmentSpan::default()).collect())
    }

    /// Records that `rank` has a segment from `start` to `end`, mapped here at `bias` if that is given.
    ///
    /// # Safety
    /// With a `bias`, the segment is mapped here at it, readable and writable, until it is withdrawn.
    pub unsafe fn publish(&self, rank: JobRank, start: usize, end: usize, bias: Option<isize>) {
        let span = &self.0[rank.index()];
        span.start.store(start, Ordering::Relaxed);
        span.bias.store(bias.map_or(0, |bias| bias.wrapping_add(1)), Ordering::Relaxed);
        // Release: with the Acquire in `span`; a thread that sees the end sees the start.
        span.end.store(end, Ordering::Release);
    }

    /// Removes `rank`'s segment.
    pub fn withdraw(&self, rank: JobRank) {
        let span = &self.0[rank.index()];
        span.end.store(0, Ordering::Release);
        span.bias.store(0, Ordering::Relaxed);
    }

    /// First address and one past the last, in the owner's address space; None without a segment.
    pub fn span(&self, rank: JobRank) -> Option<(usize, usize)> {
        let span = self.0.get(rank.index())?;
        let end = span.end.load(Ordering::Acquire);
        (end != 0).then(|| (span.start.load(Ordering::Relaxed), end))
    }

    /// The word that inline C reads: 0 if not mapped here, else 1 + the bias.
    pub fn bias_word(&self, rank: JobRank) -> isize {
        self.0.get(rank.index()).map_or(0, |span| span.bias.load(Ordering::Relaxed))
    }

    /// A view of `at..at + len` of `rank`, if its segment is mapped here.
    #[inline]
    pub fn view(&self, rank: JobRank, at: RemoteAddr, len: usize) -> Option<Dst<'static>> {
        let word = self.0.get(rank.index())?.bias.load(Ordering::Relaxed);
        // SAFETY: mapped at this bias (`publish`); `at` carries the promise that it lies in the segment of the rank that the
        // operation names, with the operation's length (`RemoteAddr`).
        (word != 0).then(|| unsafe { xmap::view(at, word.wrapping_sub(1), len) })
    }

    /// Whether `at..at + len` lies in `rank`'s segment.
    pub fn holds(&self, rank: JobRank, at: RemoteAddr, len: usize) -> bool {
        self.span(rank).is_some_and(|(start, end)| at.0 >= start && at.0 <= end && len <= end - at.0)
    }
}
