//! How ranks' segments are reached from here: by a view if they are mapped, by CMA, or not at all.
//!
//! # Safety
//! Biases that are published here are those of attached segments, or of this process's own memory.
#![allow(unsafe_code)]

use super::Nbrhd;
use super::across::NearProcess;
use super::deaths::Retired;
use super::reach::Reach;
use super::ring::{Intent, Ring, RingHead};
use crate::defs::rank::{JobRank, Location, NodeRank};
use crate::mem::{Dst, RemoteAddr};
use crate::sync::atomic::Ordering;

impl Nbrhd {
    /// The segments of endpoint index `ep`, below `MAX_EPS`.
    #[inline]
    pub fn reach(&self, ep: u16) -> &Reach {
        match ep {
            0 => &self.primordial,
            _ => self.others[usize::from(ep) - 1].get_or_init(|| Reach::new(self.size)),
        }
    }

    /// The segments of `ep`, if any rank has published one there.
    #[inline]
    fn known(&self, ep: u16) -> Option<&Reach> {
        match ep {
            0 => Some(&self.primordial),
            _ => self.others.get(usize::from(ep) - 1)?.get(),
        }
    }

    /// Records that `rank` has attached a segment from `start` to `end`, which is mapped here if `rank` is in the nbrhd.
    /// `mapped`: where the network has mapped it here, if it has.
    pub fn publish_attached(&self, rank: JobRank, start: usize, end: usize, mapped: Option<usize>) {
        let near = self.node_rank(rank).map(|near| {
            assert!(self.is_attached(self.host_rank(near), start, end - start));
            self.bias_to(near)
        });
        let far = mapped.map(|mapped| mapped.wrapping_sub(start) as isize);
        let bias = near.or(far);
        // SAFETY: attached segments of the nbrhd (checked), and those that the network has mapped (`NetworkSegments`), are mapped here
        // at this bias for the job's life.
        unsafe { self.primordial.publish(rank, start, end, bias) };
    }

    /// Records that all memory of every rank is its segment, and that only this rank's memory is mapped here.
    pub fn publish_everything(&self, me: JobRank) {
        for rank in (0..self.size).map(JobRank) {
            // SAFETY: bias 0 leads to this process's own memory; clients promise, for each address that they name, that
            // memory is mapped there (`RemoteAddr`).
            unsafe { self.primordial.publish(rank, 0, usize::MAX, (rank == me).then_some(0)) };
        }
    }

    /// A view of `len` bytes at `at` in `to`'s address space; None if its segment is not mapped here or the reference
    /// path is forced.
    #[inline]
    pub fn map_at(&self, to: Location, at: RemoteAddr, len: usize) -> Option<Dst<'static>> {
        if !self.direct.load(Ordering::Relaxed) {
            return None;
        }
        self.deliver_at(to, at, len)
    }

    /// As `map_at`, for the payload of a Long, which is written in place wherever it can be.
    #[inline]
    pub fn deliver_at(&self, to: Location, at: RemoteAddr, len: usize) -> Option<Dst<'static>> {
        self.known(to.ep)?.view(to.rank, at, len)
    }

    /// Whether the segment of `rank`'s primordial endpoint is mapped here.
    pub fn is_mapped(&self, rank: JobRank) -> bool {
        self.primordial.bias_word(rank) != 0
    }

    /// Whether the segments of all ranks' primordial endpoints are mapped here.
    pub fn all_mapped(&self) -> bool {
        self.ranks == self.size && (0..self.size).map(JobRank).all(|rank| self.is_mapped(rank))
    }

    /// The process of `rank`, if its memory is reached by CMA; None for this rank itself.
    #[inline]
    pub fn process_of(&self, rank: JobRank) -> Option<NearProcess> {
        let across = self.across.as_ref().filter(|_| self.direct.load(Ordering::Relaxed))?;
        let near = self.node_rank(rank).filter(|&near| near != self.me)?;
        let host_rank = self.host_rank(near);
        across.process(near, host_rank, || RemoteAddr(self.notice(host_rank).mark_at.load(Ordering::Acquire) as usize))
    }

    /// Records that the kernel no longer lets this rank access the memory of `process`.
    pub fn refuse(&self, process: NearProcess) {
        if let Some(across) = &self.across {
            across.refuse(process);
        }
    }

    /// Whether `at..at + len` lies in the segment of `rank`'s primordial endpoint.
    pub fn in_segment(&self, rank: JobRank, at: RemoteAddr, len: usize) -> bool {
        self.primordial.holds(rank, at, len)
    }

    /// Whether `at..at + len` lies in the segment of endpoint `to`.
    pub fn in_segment_at(&self, to: Location, at: RemoteAddr, len: usize) -> bool {
        self.known(to.ep).is_some_and(|reach| reach.holds(to.rank, at, len))
    }

    /// Whether `at..at + len` lies in a segment of any endpoint of `rank`.
    pub fn in_any_segment(&self, rank: JobRank, at: RemoteAddr, len: usize) -> bool {
        self.primordial.holds(rank, at, len)
            || self.others.iter().any(|reach| reach.get().is_some_and(|reach| reach.holds(rank, at, len)))
    }

    /// First address and one past the last of `rank`'s segment, in its own address space; None before attach.
    pub fn segment_span(&self, rank: JobRank) -> Option<(usize, usize)> {
        self.primordial.span(rank)
    }

    /// As `segment_span`, of any endpoint's segment.
    pub fn span_at(&self, to: Location) -> Option<(usize, usize)> {
        self.known(to.ep)?.span(to.rank)
    }

    /// The entry for `to` in the table of biases that inline C reads: 0 unless the segment may be reached by a copy.
    pub fn inline_bias(&self, to: Location) -> isize {
        match self.known(to.ep) {
            Some(reach) if self.direct.load(Ordering::Relaxed) => reach.bias_word(to.rank),
            _ => 0,
        }
    }
}

/// Ranks that die while the job goes on.
impl Nbrhd {
    fn own_rings(&self) -> [&Ring; 2] {
        [&self.requests.ring, &self.replies.ring]
    }

    pub fn is_dead(&self, rank: NodeRank) -> bool {
        self.deaths.has(rank)
    }

    /// Handles the death of `rank`, another rank, none of whose threads runs any more. Messages to it are lost from now on,
    /// and the blocks that this rank had sent to it are freed; returns their number. The caller then calls
    /// [`Nbrhd::retire`] until it is done. Each surviving rank calls this for itself.
    pub fn bury(&self, rank: NodeRank) -> usize {
        self.deaths.note(rank);
        let inbox = self.inbox(rank);
        inbox.requests.abandon();
        inbox.replies.abandon();
        // A thread that sends it a block meanwhile has marked the block before this, or learns of the death when it rings
        // the bell (`ring_bell`).
        inbox.bell.bury();
        self.deaths.look_at(self.own_rings());
        self.own().pool.take_back(rank)
    }

    /// Publishes `void` in slots of this rank's rings that a dead rank claimed and did not publish. Called with every poll
    /// until it is done: consumers have to reach such a slot first, and living producers have to finish their claims.
    pub fn retire(&self, void: RingHead) -> Retired {
        self.deaths.retire(self.own_rings(), void, || self.living_intents())
    }

    fn living_intents(&self) -> impl Iterator<Item = &Intent> {
        let ranks = (0..self.ranks).map(NodeRank).filter(|&rank| rank != self.me && !self.is_dead(rank));
        ranks.flat_map(|rank| self.inbox(rank).intents)
    }
}
