//! The pieces of datagrams that are about to be sent.
//!
//! # Safety
//! A [`Batch`] points into buffers of units; the engine neither changes nor drops a unit between `add` and `flush`, which
//! both happen inside one `Engine::transmit`, and the buffers' heap blocks do not move when units do.
#![allow(unsafe_code)]

use super::auth::{AuthKey, LARGE};
use super::unit::Unit;
use super::wire::{Header, MAX_HEADER, MAX_MTU, TAG};
pub(crate) use crate::conduit::shared::held::{Aligned, Held};
use crate::defs::rank::JobRank;
use crate::mem::{self, Src};

/// Datagrams to one rank, all of `segment` bytes but the last, which may be shorter: what one system call with
/// segmentation offload sends. Datagram i is bytes `i * segment..` of the pieces, one after the other.
pub struct Datagrams<'a> {
    pub to: JobRank,
    pub pieces: &'a [Src<'a>],
    pub bytes: usize,
    pub segment: usize,
    /// Whether the network may fragment them: they were built before the path's MTU decreased, and would not arrive otherwise.
    pub may_fragment: bool,
}

impl Datagrams<'_> {
    pub fn count(&self) -> usize {
        self.bytes.div_ceil(self.segment)
    }

    /// Calls `each` with every datagram in one piece, copied.
    pub fn each(&self, mut each: impl FnMut(&[u8])) {
        let mut whole = vec![0; self.bytes];
        let mut at = 0;
        for piece in self.pieces {
            mem::read(&mut whole[at..at + piece.len()], *piece);
            at += piece.len();
        }
        whole.chunks(self.segment).for_each(&mut each);
    }
}

/// The result of sending datagrams.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Went {
    Out,
    /// No room in the socket: they count as never sent. Call `transmit` again once there is room.
    NotNow,
    /// Larger than the MTU of the first hop.
    TooLarge,
}

/// Most datagrams that one call with segmentation offload sends.
const MOST: usize = 64;

/// Collects datagrams of one size to one rank.
pub(crate) struct Batch {
    pieces: Vec<Held<Src<'static>>>,
    /// Unit numbers of the datagrams that have one.
    pub units: Vec<u64>,
    segment: usize,
    bytes: usize,
    count: usize,
    ended: bool,
    may_fragment: bool,
    /// Copies of datagrams that are not sent in place. Never grows beyond its first capacity.
    scratch: Vec<u8>,
    encrypt: bool,
}

impl Batch {
    pub(crate) fn new(encrypt: bool) -> Batch {
        Batch {
            pieces: Vec::new(),
            units: Vec::new(),
            segment: 0,
            bytes: 0,
            count: 0,
            ended: false,
            may_fragment: false,
            scratch: Vec::new(),
            encrypt,
        }
    }

    /// Whether a datagram of `size` can join.
    pub(crate) fn fits(&self, size: usize, may_fragment: bool) -> bool {
        self.count == 0
            || (size <= self.segment
                && !self.ended
                && self.count < MOST
                && self.bytes + size <= MAX_MTU
                && may_fragment == self.may_fragment)
    }

    fn count_in(&mut self, size: usize, may_fragment: bool) {
        if self.count == 0 {
            (self.segment, self.may_fragment) = (size, may_fragment);
        }
        self.ended = size < self.segment;
        self.bytes += size;
        self.count += 1;
    }

    fn push(&mut self, bytes: &[u8]) {
        // SAFETY: bytes of a unit, or of `scratch`: the file's head.
        self.pieces.push(unsafe { Held::src(Src::of(bytes)) });
    }

    /// Adds a unit under `header`; it [`Batch::fits`].
    pub(crate) fn add(&mut self, unit: &mut Unit, header: &Header, key: &AuthKey, number: u64, may_fragment: bool) {
        let Some(room) = unit.buf.first_chunk_mut::<MAX_HEADER>() else { return };
        let start = header.write_before(room);
        unit.buf.truncate(unit.end);
        if unit.probe > 0 && unit.tries == 0 {
            unit.buf.resize(start + unit.probe - TAG, 0);
        }
        let plain = unit.buf.len() - start + unit.elsewhere_len();
        self.count_in(plain + TAG, may_fragment);
        self.units.push(number);
        match &unit.elsewhere {
            // If the memory changed during the first transmission, its tag does not match; the second transmission sends a copy.
            Some(data) if plain > LARGE && unit.tries == 0 && !self.encrypt => {
                let tag = key.tag_of_two(header.packet, Src::of(&unit.buf[start..]), data.0);
                unit.buf.extend_from_slice(&tag);
                let (head, tag) = unit.buf[start..].split_at(unit.end - start);
                self.push(head);
                self.pieces.push(Held(data.0));
                self.push(tag);
            }
            None if !self.encrypt => {
                let tag = key.tag(header.packet, &unit.buf[start..]);
                unit.buf.extend_from_slice(&tag);
                self.push(&unit.buf[start..]);
            }
            data => self.add_copy(&unit.buf[start..], data.as_ref().map(|held| held.0), header, key),
        }
    }

    /// Adds a datagram without a unit; it [`Batch::fits`].
    pub(crate) fn add_bare(&mut self, header: &Header, key: &AuthKey) {
        let mut room = [0; MAX_HEADER];
        let start = header.write_before(&mut room);
        self.count_in(header.bytes() + TAG, false);
        self.add_copy(&room[start..], None, header, key);
    }

    fn add_copy(&mut self, head: &[u8], data: Option<Src<'_>>, header: &Header, key: &AuthKey) {
        self.scratch.reserve_exact(if self.scratch.capacity() == 0 { MAX_MTU } else { 0 });
        let from = self.scratch.len();
        self.scratch.extend_from_slice(head);
        if let Some(data) = data {
            let at = self.scratch.len();
            self.scratch.resize(at + data.len(), 0);
            mem::read(&mut self.scratch[at..], data);
        }
        let tag = match self.encrypt {
            true => key.seal(header.packet, &mut self.scratch[from..]),
            false => key.tag(header.packet, &self.scratch[from..]),
        };
        self.scratch.extend_from_slice(&tag);
        // SAFETY: `scratch` does not move (below its capacity) and keeps these bytes until `clear`.
        let piece = unsafe { Held::src(Src::of(&self.scratch[from..])) };
        self.pieces.push(piece);
    }

    /// Passes the collected datagrams, if any, to `out`. The numbers stay until [`Batch::clear`].
    pub(crate) fn flush(&mut self, to: JobRank, out: &mut dyn FnMut(&Datagrams<'_>) -> Went) -> Went {
        if self.count == 0 {
            return Went::Out;
        }
        // SAFETY: Held<Src> and Src have the same layout: one field, in a struct that adds nothing.
        let pieces = unsafe { core::slice::from_raw_parts(self.pieces.as_ptr().cast::<Src<'_>>(), self.pieces.len()) };
        let (bytes, segment, may_fragment) = (self.bytes, self.segment, self.may_fragment);
        match out(&Datagrams { to, pieces, bytes, segment, may_fragment }) {
            // The datagram cannot be made smaller: it counts as lost by the network.
            Went::TooLarge if may_fragment => Went::Out,
            went => went,
        }
    }

    pub(crate) fn clear(&mut self) {
        self.pieces.clear();
        self.scratch.clear();
        self.units.clear();
        (self.bytes, self.count, self.ended) = (0, 0, false);
    }

    /// Bytes of each datagram but the last.
    pub(crate) fn segment(&self) -> usize {
        self.segment
    }
}

#[cfg(test)]
mod tests {
    use super::super::auth::Secret;
    use super::super::unit::Spares;
    use super::*;

    fn key() -> AuthKey {
        AuthKey::derive(&Secret([1; 32]), JobRank(0), JobRank(1), false)
    }

    /// A batch of units with these numbers of bytes of frames.
    fn batch(bytes: &[usize], may_fragment: bool) -> Batch {
        let (mut batch, mut spares) = (Batch::new(false), Spares::default());
        for (number, &bytes) in (0..).zip(bytes) {
            let mut unit = spares.take();
            unit.buf.resize(MAX_HEADER + bytes, 7);
            unit.end = unit.buf.len();
            batch.add(Box::leak(unit), &Header::default(), &key(), number, may_fragment);
        }
        batch
    }

    #[test]
    fn datagrams_of_one_size_join_until_a_shorter_one_ends_the_batch() {
        let size = |bytes: usize| Header::default().bytes() + bytes + TAG;
        assert!(batch(&[], false).fits(MAX_MTU, true));
        let two = batch(&[100, 100], false);
        assert!(two.fits(size(100), false) && two.fits(size(99), false) && two.segment() == size(100));
        assert!(!two.fits(size(101), false) && !two.fits(size(100), true));
        assert!(!batch(&[100, 99], false).fits(size(99), false));
        assert!(batch(&[100; MOST - 1], false).fits(size(100), false));
        assert!(!batch(&[100; MOST], false).fits(size(100), false));
        assert!(batch(&[30_000], false).fits(size(30_000), false));
        let (two, rest) = (batch(&[30_000; 2], false), MAX_MTU - 2 * size(30_000));
        assert!(two.fits(rest, false) && !two.fits(rest + 1, false));
        let mut again = batch(&[100, 99], false);
        again.clear();
        assert!(again.fits(MAX_MTU, true) && again.units.is_empty());
    }

    #[test]
    fn what_is_too_large_counts_as_sent_only_if_it_cannot_be_made_smaller() {
        for may_fragment in [false, true] {
            let mut batch = batch(&[100, 100, 50], may_fragment);
            let mut seen = Vec::new();
            for went in [Went::Out, Went::NotNow, Went::TooLarge] {
                let result = batch.flush(JobRank(3), &mut |datagrams| {
                    assert_eq!(
                        (datagrams.to, datagrams.count(), datagrams.may_fragment),
                        (JobRank(3), 3, may_fragment)
                    );
                    seen.clear();
                    datagrams.each(|bytes| seen.push(bytes.len() - Header::default().bytes() - TAG));
                    went
                });
                let wanted = if went == Went::TooLarge && may_fragment { Went::Out } else { went };
                assert_eq!((result, seen.as_slice()), (wanted, &[100, 100, 50][..]));
            }
        }
        assert_eq!(batch(&[], false).flush(JobRank(3), &mut |_| panic!("there is nothing")), Went::Out);
    }
}
