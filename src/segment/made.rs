//! Segments bound to endpoints: a segment becomes accessible to this process when it is bound, and to peers once
//! `coll/publish.rs` has published it.
//!
//! # Safety
//! Published segments are mapped (`SegmentObject`) until they are withdrawn.
#![allow(unsafe_code)]

use core::ptr;

use crate::defs::rank::Location;
use crate::endpoint::{self, Endpoint};
use crate::fatal::Error;
use crate::job::Job;
use crate::nbrhd::reach::MAX_EPS;
use crate::segment::object::SegmentObject;
use crate::settings::SegmentMode;
use crate::sync::atomic::Ordering;
use crate::team;

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
