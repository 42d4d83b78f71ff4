//! A unit in flight: the frames of one datagram, kept until the peer has acknowledged them, and the tracks that they
//! complete.

use std::collections::VecDeque;

use super::wire::MAX_HEADER;
use crate::conduit::shared::held::Held;
use crate::mem::{self, Src};

/// The number of buffers kept for reuse, and the largest size that is kept.
const KEPT: usize = 64;
const KEPT_BYTES: usize = 32 << 10;
/// The number of copies' buffers kept for reuse, and the largest size that is kept.
const COPIES: usize = 16;
const COPY_BYTES: usize = 72 << 10;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum UnitState {
    /// Filled, never sent.
    Open,
    InFlight,
    /// To be retransmitted.
    Lost,
    Arrived,
}

pub(crate) struct Unit {
    /// Room for the longest header, the frames, and after a transmission the tag.
    pub buf: Vec<u8>,
    /// The end of the frames in `buf`.
    pub end: usize,
    /// The data of the last frame, if it is not in `buf`; its track keeps it alive.
    pub elsewhere: Option<Held<Src<'static>>>,
    /// Tracks and how many of their bytes this unit carries.
    pub carries: Vec<(u32, u32)>,
    /// Bytes of requests and replies waiting in it.
    pub waiting: [u32; 2],
    /// Datagram size of a path probe; 0: not a probe. A probe is retransmitted as an empty unit.
    pub probe: usize,
    /// An operation waits for its arrival.
    pub urgent: bool,
    pub state: UnitState,
    pub tries: u16,
    /// Bytes of congestion window that it takes.
    pub cost: u32,
    /// Packet number of the last transmission, its position in the order of all transmissions, and its time.
    pub packet: u64,
    pub order: u64,
    pub sent_ns: u64,
}

impl Unit {
    fn new() -> Unit {
        let mut buf = Vec::with_capacity(512);
        buf.resize(MAX_HEADER, 0);
        Unit {
            buf,
            end: MAX_HEADER,
            elsewhere: None,
            carries: Vec::new(),
            waiting: [0; 2],
            probe: 0,
            urgent: false,
            state: UnitState::Open,
            tries: 0,
            cost: 0,
            packet: 0,
            order: 0,
            sent_ns: 0,
        }
    }

    /// Resets the unit, except for the bytes before the frames and the numbers that a transmission sets.
    fn empty(&mut self) {
        self.buf.truncate(MAX_HEADER);
        self.end = MAX_HEADER;
        self.elsewhere = None;
        self.carries.clear();
        self.waiting = [0; 2];
        (self.probe, self.urgent, self.state, self.tries) = (0, false, UnitState::Open, 0);
    }

    /// Bytes of frames in `buf`.
    pub(crate) fn filled(&self) -> usize {
        self.buf.len() - MAX_HEADER
    }

    /// Whether it carries no frames, so that its loss has no effect.
    pub(crate) fn holds_nothing(&self) -> bool {
        self.end == MAX_HEADER && self.elsewhere.is_none()
    }

    pub(crate) fn elsewhere_len(&self) -> usize {
        self.elsewhere.as_ref().map_or(0, |held| held.0.len())
    }
}

/// Empty units with buffers, and buffers for copies of payloads.
#[derive(Default)]
pub(crate) struct Spares {
    #[allow(clippy::vec_box, reason = "units move from queue to queue")]
    units: Vec<Box<Unit>>,
    copies: Vec<Vec<u8>>,
}

impl Spares {
    #[inline]
    pub(crate) fn take(&mut self) -> Box<Unit> {
        self.units.pop().unwrap_or_else(|| Box::new(Unit::new()))
    }

    #[inline]
    pub(crate) fn give(&mut self, mut unit: Box<Unit>) {
        if self.units.len() < KEPT && unit.buf.capacity() <= KEPT_BYTES {
            unit.empty();
            self.units.push(unit);
        }
    }

    /// A copy of `src`, at the start of a buffer.
    pub(crate) fn copy(&mut self, src: Src<'_>) -> Vec<u8> {
        let mut copy = self.copies.pop().unwrap_or_default();
        if copy.len() < src.len() {
            copy.resize(src.len(), 0);
        }
        mem::read(&mut copy[..src.len()], src);
        copy
    }

    pub(crate) fn give_copy(&mut self, copy: Vec<u8>) {
        if self.copies.len() < COPIES && copy.len() <= COPY_BYTES {
            self.copies.push(copy);
        }
    }
}

/// Frees the memory of an empty queue, but for that of a few units, so that a single message after a silence allocates none.
pub(crate) fn shrink(queue: &mut VecDeque<Box<Unit>>) {
    const FEW: usize = 4;
    if queue.capacity() > FEW {
        *queue = VecDeque::new();
    }
}
