//! The largest payloads: they depend on whether shared memory or the network carries them and, between Prepare and Commit,
//! on the largest buffer that the library provides.

use crate::conduit::Conduit;
use crate::defs::message::Limits;
use crate::defs::message::{Category, Traffic};
use crate::defs::rank::JobRank;
use crate::job::Job;
use crate::nbrhd::pool::MAX_MEDIUM;

/// The largest buffer that the library provides for a prepared Long, in bytes.
pub(crate) const MOST_OWN_LONG: usize = 1 << 20;

/// Largest payloads in shared memory. A Long is limited only by the segment, and by the int in which
/// clients keep its length.
pub const SHARED_LIMITS: Limits = Limits {
    medium: MAX_MEDIUM,
    long_request: i32::MAX as usize,
    long_reply: i32::MAX as usize,
    piece: usize::MAX,
    copied: usize::MAX,
};

/// The largest payloads that reach every rank of a job with this conduit.
pub(crate) fn of(conduit: Option<&dyn Conduit>) -> Limits {
    let shared = SHARED_LIMITS;
    conduit.map_or(shared, |conduit| {
        let far = conduit.limits();
        Limits {
            medium: far.medium.min(shared.medium),
            long_request: far.long_request.min(shared.long_request),
            long_reply: far.long_reply.min(shared.long_reply),
            piece: far.piece,
            copied: far.copied,
        }
    })
}

impl Job {
    /// The largest payload to ranks of the nbrhd, or else to those outside it. `own`: in a buffer that the
    /// library provides.
    #[inline]
    pub fn most_payload(&self, near: bool, traffic: Traffic, category: Category, own: bool) -> usize {
        let limits = if near { &SHARED_LIMITS } else { &self.limits };
        match (category, traffic) {
            (Category::Short, _) => 0,
            (Category::Medium, _) => limits.medium,
            (Category::Long, traffic) => {
                let most = if traffic == Traffic::Request { limits.long_request } else { limits.long_reply };
                if own { most.min(MOST_OWN_LONG) } else { most }
            }
        }
    }

    /// Whether memory is shared with `rank`.
    #[inline]
    pub fn is_near(&self, rank: JobRank) -> bool {
        self.conduit.is_none() || self.nbrhd.inbox_of(rank).is_some()
    }
}
