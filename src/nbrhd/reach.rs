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
use crate::os::zeroed::zeroed;
use crate::sync::atomic::{AtomicIsize, AtomicUsize, Ordering};

/// Endpoints of a rank, the primordial one included.
pub(crate) const MAX_EPS: usize = 64;

#[derive(Default)]
struct SegmentSpan {
    start: AtomicUsize,
    /// One past the last byte; 0 while there is no segment.
    end: AtomicUsize,
}

/// Bytes of the table for each rank of the job; and of address space, of which the ranks of this nbrhd use memory.
pub const BYTES_A_RANK: usize = size_of::<SegmentSpan>();
pub const SPACE_A_RANK: usize = size_of::<AtomicIsize>();

/// The segments of one endpoint index, by rank of the job.
pub struct Reach {
    spans: Box<[SegmentSpan]>,
    /// 0: not mapped here; else 1 + the bias.
    biases: Box<[AtomicIsize]>,
}

impl Reach {
    pub fn new(ranks: u32) -> Reach {
        Reach { spans: (0..ranks).map(|_| SegmentSpan::default()).collect(), biases: zeroed(ranks as usize) }
    }

    fn set_bias(&self, rank: JobRank, word: isize) {
        let entry = &self.biases[rank.index()];
        // Writing would use memory.
        if entry.load(Ordering::Relaxed) != word {
            entry.store(word, Ordering::Relaxed);
        }
    }

    /// Records that `rank` has a segment from `start` to `end`, mapped here at `bias` if that is given.
    ///
    /// # Safety
    /// With a `bias`, the segment is mapped here at it, readable and writable, until it is withdrawn.
    pub unsafe fn publish(&self, rank: JobRank, start: usize, end: usize, bias: Option<isize>) {
        let span = &self.spans[rank.index()];
        span.start.store(start, Ordering::Relaxed);
        self.set_bias(rank, bias.map_or(0, |bias| bias.wrapping_add(1)));
        // Release: with the Acquire in `span`; a thread that sees the end sees the start.
        span.end.store(end, Ordering::Release);
    }

    /// Removes `rank`'s segment.
    pub fn withdraw(&self, rank: JobRank) {
        self.spans[rank.index()].end.store(0, Ordering::Release);
        self.set_bias(rank, 0);
    }

    /// First address and one past the last, in the owner's address space; None without a segment.
    pub fn span(&self, rank: JobRank) -> Option<(usize, usize)> {
        let span = self.spans.get(rank.index())?;
        let end = span.end.load(Ordering::Acquire);
        (end != 0).then(|| (span.start.load(Ordering::Relaxed), end))
    }

    /// The word that inline C reads: 0 if not mapped here, else 1 + the bias.
    pub fn bias_word(&self, rank: JobRank) -> isize {
        self.biases.get(rank.index()).map_or(0, |bias| bias.load(Ordering::Relaxed))
    }

    /// A view of `at..at + len` of `rank`, if its segment is mapped here.
    #[inline]
    pub fn view(&self, rank: JobRank, at: RemoteAddr, len: usize) -> Option<Dst<'static>> {
        let word = self.biases.get(rank.index())?.load(Ordering::Relaxed);
        // SAFETY: mapped at this bias (`publish`); `at` carries the promise that it lies in the segment of the rank that the
        // operation names, with the operation's length (`RemoteAddr`).
        (word != 0).then(|| unsafe { xmap::view(at, word.wrapping_sub(1), len) })
    }

    /// Whether `at..at + len` lies in `rank`'s segment.
    pub fn holds(&self, rank: JobRank, at: RemoteAddr, len: usize) -> bool {
        self.span(rank).is_some_and(|(start, end)| at.0 >= start && at.0 <= end && len <= end - at.0)
    }
}
