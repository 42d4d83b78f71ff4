//! Segments of this rank, and its data about those of others. `start/attach.rs` makes the attached one; segments that clients create
//! are in `object.rs`, bound to endpoints in `made.rs`; the keys of segments for networks in `keys.rs`.

pub(crate) mod keys;
pub(crate) mod made;
pub(crate) mod object;

use crate::client;
use crate::defs::rank::{HostRank, JobRank};
use crate::job::Job;
use crate::settings::SegmentMode;
use crate::sync::atomic::Ordering;

/// A rank's segment, with addresses of its owner.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    pub start: usize,
    pub bytes: usize,
}

impl Job {
    /// GASNET_SEGMENT_EVERYTHING: all memory of every rank is its segment, from the start; only this rank's is
    /// mapped here.
    pub fn open_everything(&self) {
        self.nbrhd.publish_everything(self.me);
    }

    /// The length in bytes of the segment that rank `rank` of this host attaches, once it has said so.
    pub fn segment_bytes(&self, rank: HostRank) -> usize {
        self.nbrhd.notice(rank).segment_bytes.load(Ordering::Acquire) as usize
    }

    /// The largest segment that a rank can attach.
    pub fn max_segment(&self) -> usize {
        match self.settings.segment {
            SegmentMode::Everything => usize::MAX,
            _ => {
                let of_network = self.conduit.and_then(|conduit| conduit.segments()).map(|segments| segments.bytes);
                self.nbrhd.xmap.max_segment().min(of_network.unwrap_or(usize::MAX))
            }
        }
    }

    /// The largest segment that every rank can attach.
    pub fn max_segment_everywhere(&self) -> usize {
        self.max_segment().min(self.most_everywhere.load(Ordering::Relaxed))
    }

    /// The segment of `rank`; None before attach.
    pub fn segment(&self, rank: JobRank) -> Option<Segment> {
        // All memory is accessible from the start, but a client that attaches has to do so first.
        if self.attached.load(Ordering::Acquire) != 2 && client::client().is_some_and(|client| client.attaches) {
            return None;
        }
        let (start, end) = self.nbrhd.segment_span(rank)?;
        Some(Segment { start, bytes: end - start })
    }
}
