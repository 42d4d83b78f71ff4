//! Segments that were bound to endpoints, made known to the members of a team.
//!
//! # Safety
//! Peers' segments are published with a bias only where they are mapped here (`map_of_process`), which they stay.
#![allow(unsafe_code)]

use crate::defs::rank::Location;
use crate::endpoint::Endpoint;
use crate::job::Job;
use crate::nbrhd::reach::MAX_EPS;
use crate::os::shm;
use crate::segment::keys::KEY_WORDS;
use crate::team::{self, Team};

/// The published words of one endpoint: index, 1 + descriptor or 0, start, length in bytes, process id; then its key,
/// where the conduit has keys.
const WORDS: usize = 5;

impl Job {
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
                if self.everything(of.ep) {
                    // SAFETY: no bias.
                    unsafe { self.bound(of.ep).publish(rank, start, start + bytes, None) };
                    continue;
                }
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
                // SAFETY: with a bias, `bytes` are mapped at it (`map_of_process`), permanently.
                unsafe { self.nbrhd.reach(of.ep).publish(rank, start, start + bytes, bias) };
                team::refresh(self, of);
            }
        }
        // No member continues before all have received them, since its next message may refer to a published
        // segment.
        self.coll_barrier_blocking(team);
    }
}
