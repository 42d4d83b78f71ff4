//! The largest payloads: they depend on whether shared memory or the network carries them, and for a library's buffer
//! between Prepare and Commit on what it keeps ready.

use crate::am::SHARED_LIMITS;
use crate::defs::message::{Category, Traffic};
use crate::defs::rank::JobRank;
use crate::job::Job;

/// The largest buffer of the library's for a Long.
pub const MOST_OWN_LONG: usize = 1 << 20;

impl Job {
    /// The largest payload to ranks of the nbrhd, or else to those outside it. `own`: in a buffer of the library's.
    pub fn most_payload(&self, near: bool, traffic: Traffic, category: Category, own: bool) -> usize {
        let limits = if near { &SHARED_LIMITS } else { &self.am.limits };
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
    pub fn is_near(&self, rank: JobRank) -> bool {
        self.conduit.is_none() || self.nbrhd.inbox_of(rank).is_some()
    }
}
