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
use crate::nbrhd::reach::{MAX_EPS, Reach};
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
        unsafe { self.bound(ep.index).publish(self.me, start, start + bytes, Some(0)) };
        if !self.everything(ep.index) {
            self.register_segment(ep.index, start, bytes);
            team::refresh(self, Location { rank: self.me, ep: ep.index });
        }
        Ok(())
    }

    /// Whether all memory of each rank is reached by `ep`, with a segment bound to it or without.
    pub fn everything(&self, ep: u16) -> bool {
        ep == 0 && self.settings.segment == SegmentMode::Everything
    }

    /// The segments bound to endpoint index `ep`. Those within all memory are none that transfers go by.
    pub fn bound(&self, ep: u16) -> &Reach {
        match self.everything(ep) {
            true => self.bound_in_everything.get_or_init(|| Reach::new(self.size)),
            false => self.nbrhd.reach(ep),
        }
    }

    /// Destroys `segment`: no endpoint of this process uses it any more.
    pub fn end_segment(&self, segment: &'static SegmentObject) {
        for ep in (0..MAX_EPS as u16).filter_map(endpoint::at) {
            if ep.segment().is_some_and(|bound| ptr::eq(bound, segment)) {
                self.bound(ep.index).withdraw(self.me);
                if !self.everything(ep.index) {
                    self.forget_segment(ep.index);
                    team::refresh(self, Location { rank: self.me, ep: ep.index });
                }
            }
        }
        segment.end();
    }

    /// The segment of `of`, if it is known here: its address at its owner, its length in bytes, and its local
    /// address.
    pub fn bound_segment(&self, of: Location) -> Option<(usize, usize, Option<usize>)> {
        if self.everything(of.ep) {
            let bound = self.bound_in_everything.get();
            if let Some((start, end)) = bound.and_then(|bound| bound.span(of.rank)) {
                return Some((start, end - start, (of.rank == self.me).then_some(start)));
            }
            let all = self.nbrhd.span_at(of).filter(|_| self.attached.load(Ordering::Acquire) == 2);
            return all.map(|(start, end)| (start, end - start, (of.rank == self.me).then_some(start)));
        }
        let (start, end) = self.nbrhd.span_at(of)?;
        let unbound = of.rank == self.me && endpoint::at(of.ep).is_none_or(|ep| ep.segment().is_none());
        if end == start || unbound {
            return None;
        }
        let word = self.nbrhd.reach(of.ep).bias_word(of.rank);
        let here = (word != 0).then(|| start.wrapping_add_signed(word.wrapping_sub(1)));
        Some((start, end - start, here))
    }
}
