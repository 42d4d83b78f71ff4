//! Segments bound to endpoints: a segment becomes accessible to this process when it is bound, and to peers once it is
//! published.
//!
//! # Safety
//! Published segments are mapped (`SegmentObject`, `map_of_process`) until they are withdrawn.
#![allow(unsafe_code)]

use core::ptr;

use super::keys::KEY_WORDS;
use crate::defs::rank::Location;
use crate::endpoint::{self, Endpoint};
use crate::fatal::Error;
use crate::job::Job;
use crate::nbrhd::reach::MAX_EPS;
use crate::os::shm;
use crate::segment::object::SegmentObject;
use crate::settings::SegmentMode;
use crate::sync::atomic::Ordering;
use crate::team::{self, Team};

/// The published words of one endpoint: index, 1 + descriptor or 0, start, length in bytes, process id; then its key,
/// where the conduit has keys.
const WORDS: usize = 5;

impl Job {
    /// Binds `segment` to `ep` and makes it accessible to this process.
    pub fn bind_segment(&self, ep: &'static Endpoint, segment: &'static SegmentObject) -> Result<(), Error> {
        ep.bind(segment)?;
        segment.set_bound();
        let (start, bytes) = segment.extent();
        // SAFETY: the segment's memory is mapped until it ends (`end_segment`, which withdraws it): by us, or by the client's
        // promise to `gex_Segment_Create`.
        unsafe { self.nbrhd.reach(ep.index).publish(self.me, start, start + bytes, Some(0)) };
        self.register_segment(ep.index, start, bytes);
        team::refresh(self, Location { rank: self.me, ep: ep.index });
        Ok(())
    }

    /// Destroys `segment`: no endpoint of this process uses it any more.
    pub fn end_segment(&self, segment: &'static SegmentObject) {
        for ep in (0..MAX_EPS as u16).filter_map(endpoint::at) {
            if ep.segment().is_some_and(|bound| ptr::eq(bound, segment)) {
                self.nbrhd.reach(ep.index).withdraw(self.me);
                self.forget_segment(ep.index);
                team::refresh(self, Location { rank: self.me, ep: ep.index });
            }
        }
        segment.end();
    }

    /// Publishes the segments bound to `eps` to all members of `team`, and receives theirs.
    pub fn publish_segments(&self, team: &'static Team, eps: &[&'static Endpoint]) {
        let registering = self.registering();
        let each = WORDS + if registering.is_some() { KEY_WORDS } else { 0 };
        let mut words = Vec::with_capacity(eps.len() * each);
        for ep in eps {
            if let Some(segment) = ep.segment() {
                let (start, bytes) = segment.extent();
                let fd = segment.shared_fd().map_or(0, |fd| fd as u64 + 1);
                words.extend([u64::from(ep.index), fd, start as u64, bytes as u64, u64::from(std::process::id())]);
                if registering.is_some() {
                    words.extend(self.key_words(ep.index));
                }
            }
        }
        for (rank, words) in (0..).zip(self.gather_lists(team, &words)) {
            let rank = team.job_rank(rank);
            for word in words.chunks_exact(each).filter(|word| word[0] < MAX_EPS as u64 && rank != self.me) {
                let (start, bytes) = (word[2] as usize, word[3] as usize);
                let of = Location { rank, ep: word[0] as u16 };
                if let Some(conduit) = registering {
                    self.import_key(conduit, of, &word[WORDS..]);
                }
                let known = self.nbrhd.span_at(of) == Some((start, start + bytes));
                if known && self.nbrhd.reach(of.ep).bias_word(rank) != 0 {
                    continue;
                }
                let near = self.nbrhd.node_rank(rank).is_some() && word[1] != 0;
                let mapped =
                    near.then(|| shm::map_of_process(word[4] as u32, word[1] as i32 - 1, bytes).ok()).flatten();
                let bias = mapped.map(|at| (at.expose_provenance() as isize).wrapping_sub(start as isize));
                // SAFETY: with a bias, `bytes` are mapped at it (`map_of_process`), for good.
                unsafe { self.nbrhd.reach(of.ep).publish(rank, start, start + bytes, bias) };
                team::refresh(self, of);
            }
        }
        // No member continues before all have received them, since its next message may refer to a published
        // segment.
        self.coll_barrier_blocking(team);
    }

    /// The segment of `of`, if it is known here: its address at its owner, its length in bytes, and its local
    /// address.
    pub fn bound_segment(&self, of: Location) -> Option<(usize, usize, Option<usize>)> {
        let (start, end) = self.nbrhd.span_at(of)?;
        let everything = of.ep == 0 && self.settings.segment == SegmentMode::Everything;
        let attached = everything && self.attached.load(Ordering::Acquire) == 2;
        let unbound = of.rank == self.me && endpoint::at(of.ep).is_none_or(|ep| ep.segment().is_none());
        if end == start || (everything || unbound) && !attached {
            return None;
        }
        let word = self.nbrhd.reach(of.ep).bias_word(of.rank);
        let here = (word != 0).then(|| start.wrapping_add_signed(word.wrapping_sub(1)));
        Some((start, end - start, here))
    }
}
