//! The sending half of a peer: messages and transfers that wait to be sent. Units in flight are in flight.rs.
//!
//! # Safety
//! Sources that are not copied, and destinations of gets, are used after the call that passed them has returned. Callers
//! of `Conduit::put`, `get` and `am` promise that these stay valid until `Deliver::done`, or the target's reply.
#![allow(unsafe_code)]

use std::collections::VecDeque;

use super::flight::{Copied, Flight, UnitTrack};
use super::held::Held;
use super::unit::{Spares, Unit, shrink};
use super::wire::{self, Part};
use crate::conduit::shared::credits::Credits;
use crate::conduit::shared::slab::Slab;
use crate::conduit::udp::terms::{Config, Ended, Full, MOST_HEAD, Taken, am_cost};
use crate::defs::message::Traffic;
use crate::mem::{self, Dst, RemoteAddr, Src};

/// Frames share a unit up to this many bytes.
const TOGETHER: usize = 16 << 10;
/// Puts and gets up to this size are copied into a unit with others.
pub(crate) const COPIED: usize = 4096;
/// The end of a long transfer is copied into a shared unit, too, if it is no longer than this.
const TAIL: usize = 2048;
/// Where a datagram has room for this many bytes, a transfer that needs two is cut into halves if nothing else is under way.
const HALVED: usize = 32 << 10;
/// Once a unit holds this many bytes of such ends it is sent.
const GATHERED: usize = 4096;
/// The largest number of bytes in copies for requests, and likewise for replies.
const MOST_COPIED: usize = 1 << 20;

/// A get whose bytes have not all arrived.
pub(crate) struct Getting {
    pub op: u64,
    pub dst: Held<Dst<'static>>,
    pub left: u64,
}

enum What {
    Put { at: u64 },
    Got { id: u32 },
    Part { traffic: Traffic, id: u32, at: Option<u64>, head: Vec<u8> },
}

/// A transfer that is cut into units when these can be sent.
struct Bulk {
    what: What,
    src: Held<Src<'static>>,
    offset: usize,
    track: u32,
}

impl Bulk {
    fn write_head(&self, buf: &mut Vec<u8>, len: usize) {
        match &self.what {
            What::Put { at } => wire::write_put_head(buf, at + self.offset as u64, len),
            What::Got { id } => wire::write_got_head(buf, *id, self.offset as u64, len),
            What::Part { traffic, id, at, head } => {
                let head = if self.offset == 0 { &head[..] } else { &[] };
                let (total, offset) = (self.src.0.len() as u64, self.offset as u64);
                let part = Part { traffic: *traffic, id: *id, total, offset, head, at: *at, data: &[] };
                wire::write_part_head(buf, &part, len);
            }
        }
    }

    fn cost(&self) -> Option<(Traffic, u32)> {
        match &self.what {
            What::Part { traffic, at, head, .. } => {
                let payload = if at.is_some() { 0 } else { self.src.0.len() };
                Some((*traffic, am_cost(head.len(), payload)))
            }
            _ => None,
        }
    }
}

/// How long a Long's source stays unchanged.
#[derive(Clone, Copy)]
pub enum Source {
    /// It may change at once: it is copied.
    Changes,
    /// It stays until the target's reply has come.
    Stays,
    /// It stays until [`super::Up::done`] reports that the payload has arrived; only for more than [`COPIED`] bytes.
    StaysUntil(u64),
}

pub(crate) struct Sender {
    pub flight: Flight,
    /// Units that were never sent; the last may take more frames.
    ready: VecDeque<Box<Unit>>,
    /// The ready units hold other frames than ends of transfers, so they are not held back.
    pressing: bool,
    bulk: VecDeque<Bulk>,
    bulk_turn: bool,
    pub gets: Slab<Getting>,
    /// Puts and gets that are not complete.
    pub transfers: usize,
    /// Bytes of requests and replies that wait here.
    waiting: [u32; 2],
    pub credits: Credits,
    next_message: u32,
}

impl Sender {
    pub(crate) fn new(config: &Config) -> Sender {
        Sender {
            flight: Flight::new(config),
            ready: VecDeque::new(),
            pressing: false,
            bulk: VecDeque::new(),
            bulk_turn: false,
            gets: Slab::default(),
            transfers: 0,
            waiting: [0; 2],
            credits: Credits::new(config.am_window),
            next_message: 0,
        }
    }

    /// Bytes of frames in a datagram, with any header.
    fn room(&self) -> usize {
        self.flight.mtu.works - wire::MAX_HEADER - wire::TAG
    }

    fn fits_together(&self, bytes: usize) -> bool {
        bytes <= self.room().min(TOGETHER)
    }

    /// The last ready unit, with room for `bytes`.
    #[inline]
    fn open(&mut self, spares: &mut Spares, bytes: usize) -> &mut Unit {
        let most = self.room().min(TOGETHER);
        if self.ready.back().is_none_or(|unit| unit.filled() + bytes > most) {
            self.ready.push_back(spares.take());
        }
        let last = self.ready.len() - 1;
        &mut self.ready[last]
    }

    fn append(unit: &mut Unit, src: Src<'_>) {
        let at = unit.buf.len();
        unit.buf.resize(at + src.len(), 0);
        mem::read(&mut unit.buf[at..], src);
    }

    /// Takes `cost` bytes of the room for `traffic`.
    fn charge(&mut self, config: &Config, traffic: Traffic, cost: u32) -> Result<(), Full> {
        let t = traffic as usize;
        if self.waiting[t] + cost > config.send_queue || !self.credits.take(traffic, cost) {
            return Err(Full);
        }
        self.waiting[t] += cost;
        Ok(())
    }

    pub(crate) fn am(
        &mut self,
        config: &Config,
        spares: &mut Spares,
        traffic: Traffic,
        head: &[u8],
        payload: Src<'_>,
    ) -> Result<Taken, Full> {
        assert!(head.len() <= MOST_HEAD && payload.len() <= config.most_medium);
        let cost = am_cost(head.len(), payload.len());
        self.charge(config, traffic, cost)?;
        let bytes = wire::AM_HEAD + head.len() + payload.len();
        if !self.fits_together(bytes) {
            let what = What::Part { traffic, id: self.message(), at: None, head: head.to_vec() };
            self.push_bulk(what, payload, Some((spares, traffic)), None);
            return Ok(Taken::Copied);
        }
        let unit = self.open(spares, bytes);
        wire::write_am_head(&mut unit.buf, traffic, head, payload.len());
        Self::append(unit, payload);
        unit.waiting[traffic as usize] += cost;
        self.pressing = true;
        Ok(Taken::Copied)
    }

    #[allow(clippy::too_many_arguments)]
    pub(crate) fn long(
        &mut self,
        config: &Config,
        spares: &mut Spares,
        traffic: Traffic,
        head: &[u8],
        payload: Src<'_>,
        at: RemoteAddr,
        source: Source,
    ) -> Result<Taken, Full> {
        assert!(head.len() <= MOST_HEAD);
        let bytes = wire::PART_HEAD + head.len() + payload.len();
        let is_bulk = payload.len() > COPIED || !self.fits_together(bytes);
        let (stays, op) = match source {
            Source::Changes => (false, None),
            Source::Stays => (true, None),
            Source::StaysUntil(op) => (true, Some(op)),
        };
        assert!(is_bulk || op.is_none());
        if is_bulk && !stays {
            self.may_copy(traffic, payload.len())?;
        }
        if op.is_some() && self.transfers >= config.transfers {
            return Err(Full);
        }
        let cost = am_cost(head.len(), 0);
        self.charge(config, traffic, cost)?;
        self.transfers += usize::from(op.is_some());
        if is_bulk {
            let what = What::Part { traffic, id: self.message(), at: Some(at.0 as u64), head: head.to_vec() };
            let op = op.map(|op| (op, Ended::Local));
            self.push_bulk(what, payload, (!stays).then_some((spares, traffic)), op);
            return Ok(if stays { Taken::Held } else { Taken::Copied });
        }
        let (id, total, at) = (self.message(), payload.len() as u64, Some(at.0 as u64));
        let unit = self.open(spares, bytes);
        let part = Part { traffic, id, total, offset: 0, head, at, data: &[] };
        wire::write_part_head(&mut unit.buf, &part, payload.len());
        Self::append(unit, payload);
        unit.waiting[traffic as usize] += cost;
        self.pressing = true;
        Ok(Taken::Copied)
    }

    fn message(&mut self) -> u32 {
        self.next_message = self.next_message.wrapping_add(1);
        self.next_message
    }

    /// Whether there is room for a copy of `len` bytes.
    fn may_copy(&self, traffic: Traffic, len: usize) -> Result<(), Full> {
        let copied = self.flight.copied[traffic as usize];
        if copied > 0 && copied + len > MOST_COPIED { Err(Full) } else { Ok(()) }
    }

    /// `copy`: the source may change, so it is copied, charged to the bound of this class.
    fn push_bulk(&mut self, what: What, src: Src<'_>, copy: Option<(&mut Spares, Traffic)>, op: Option<(u64, Ended)>) {
        let len = src.len();
        let copy = copy.map(|(spares, traffic)| Copied { bytes: spares.copy(src), traffic, len });
        if let Some(copy) = &copy {
            self.flight.copied[copy.traffic as usize] += len;
        }
        // SAFETY: a copy lies in the track, which exists until all of its bytes have arrived; a source that is not copied
        // stays until then by the promise of the caller of `put` or `long`, and the segment (`answer`) until the job ends.
        let held = unsafe { Held::src(copy.as_ref().map_or(src, |copy| Src::of(&copy.bytes[..len]))) };
        let track = self.flight.tracks.insert(UnitTrack { left: len as u64, op, copy });
        self.bulk.push_back(Bulk { what, src: held, offset: 0, track });
    }

    pub(crate) fn put(
        &mut self,
        config: &Config,
        spares: &mut Spares,
        at: RemoteAddr,
        src: Src<'_>,
        stays: bool,
        op: u64,
    ) -> Result<Taken, Full> {
        if self.transfers >= config.transfers {
            return Err(Full);
        }
        let bytes = wire::PUT_HEAD + src.len();
        if src.len() > COPIED || !self.fits_together(bytes) {
            if !stays {
                self.may_copy(Traffic::Request, src.len())?;
            }
            self.transfers += 1;
            let copy = (!stays).then_some((spares, Traffic::Request));
            let (taken, ended) = if stays { (Taken::Held, Ended::Both) } else { (Taken::Copied, Ended::Remote) };
            self.push_bulk(What::Put { at: at.0 as u64 }, src, copy, Some((op, ended)));
            return Ok(taken);
        }
        self.transfers += 1;
        // A put of zero bytes completes when its unit has arrived, too.
        let carried = src.len().max(1) as u32;
        let track =
            self.flight.tracks.insert(UnitTrack { left: carried.into(), op: Some((op, Ended::Remote)), copy: None });
        let unit = self.open(spares, bytes);
        wire::write_put_head(&mut unit.buf, at.0 as u64, src.len());
        Self::append(unit, src);
        unit.carries.push((track, carried));
        unit.urgent = true;
        self.pressing = true;
        Ok(Taken::Copied)
    }

    pub(crate) fn get(
        &mut self,
        config: &Config,
        spares: &mut Spares,
        from: RemoteAddr,
        dst: Dst<'_>,
        op: u64,
    ) -> Result<Taken, Full> {
        if self.transfers >= config.transfers {
            return Err(Full);
        }
        self.transfers += 1;
        // SAFETY: the caller keeps the destination until `done`, which comes after the last use (`Conduit::get`).
        let dst_held = unsafe { Held::dst(dst) };
        let id = self.gets.insert(Getting { op, dst: dst_held, left: dst.len() as u64 });
        let unit = self.open(spares, wire::GET_BYTES);
        wire::write_get(&mut unit.buf, id, from.0 as u64, dst.len() as u64);
        self.pressing = true;
        Ok(Taken::Held)
    }

    /// Answers a get of the peer. `src` is part of the segment, so it stays mapped.
    pub(crate) fn answer(&mut self, spares: &mut Spares, id: u32, src: Src<'_>) {
        let bytes = wire::GOT_HEAD + src.len();
        if src.len() > COPIED || !self.fits_together(bytes) {
            self.push_bulk(What::Got { id }, src, None, None);
            return;
        }
        let unit = self.open(spares, bytes);
        wire::write_got_head(&mut unit.buf, id, 0, src.len());
        Self::append(unit, src);
        self.pressing = true;
    }

    /// The next unit that was never sent; none if nothing waits.
    #[inline]
    pub(crate) fn next_unit(&mut self, spares: &mut Spares) -> Option<Box<Unit>> {
        let gathered = self.ready.front().is_some_and(|unit| unit.filled() > GATHERED) || self.ready.len() > 1;
        while !self.bulk.is_empty() && (self.bulk_turn || !(self.pressing || gathered)) {
            if let Some(unit) = self.cut(spares) {
                self.bulk_turn = false;
                return Some(unit);
            }
        }
        self.bulk_turn = true;
        let mut unit = self.ready.pop_front()?;
        self.pressing &= !self.ready.is_empty();
        for (waiting, left) in self.waiting.iter_mut().zip(&mut unit.waiting) {
            *waiting -= core::mem::take(left);
        }
        Some(unit)
    }

    /// Cuts a piece from the first transfer and puts it into a unit of its own, or a short rest into the last ready unit.
    fn cut(&mut self, spares: &mut Spares) -> Option<Box<Unit>> {
        let mut bulk = self.bulk.pop_front()?;
        let head = match &bulk.what {
            What::Put { .. } => wire::PUT_HEAD,
            What::Got { .. } => wire::GOT_HEAD,
            What::Part { head, .. } => wire::PART_HEAD + head.len(),
        };
        let left = bulk.src.0.len() - bulk.offset;
        let is_tail = left <= TAIL && self.fits_together(head + left);
        let most = self.room() - head;
        let is_alone = self.bulk.is_empty() && bulk.offset == 0 && self.flight.is_empty();
        let needs_two = most >= HALVED && most < left && left <= 2 * most;
        // Of two halves, the peer reads the first while the second is authenticated.
        let len = if is_alone && needs_two { left.div_ceil(2) } else { left.min(most) };
        let data = bulk.src.0.part(bulk.offset, len);
        let mut own = None;
        let unit = match is_tail {
            true => self.open(spares, head + len),
            false => own.insert(spares.take()),
        };
        bulk.write_head(&mut unit.buf, len);
        unit.carries.push((bulk.track, len as u32));
        if is_tail {
            Self::append(unit, data);
        } else {
            unit.elsewhere = Some(Held(data));
        }
        bulk.offset += len;
        if bulk.offset < bulk.src.0.len() {
            self.bulk.push_front(bulk);
        } else {
            unit.urgent |= matches!(bulk.what, What::Put { .. });
            if let Some((traffic, cost)) = bulk.cost() {
                self.waiting[traffic as usize] -= cost;
            }
        }
        own
    }

    /// The operations that are not complete.
    pub(crate) fn operations(&self) -> impl Iterator<Item = u64> {
        let sent = self.flight.tracks.iter().filter_map(|track| track.op.map(|(op, _)| op));
        sent.chain(self.gets.iter().map(|getting| getting.op))
    }

    pub(crate) fn has_new(&self) -> bool {
        !self.ready.is_empty() || !self.bulk.is_empty()
    }

    /// Whether everything sent to this peer has been acknowledged.
    pub(crate) fn is_idle(&self) -> bool {
        !self.has_new() && self.flight.is_empty() && self.transfers == 0
    }

    /// As `is_idle`, except for path probes.
    pub(crate) fn is_delivered(&self) -> bool {
        !self.has_new() && self.flight.is_delivered() && self.transfers == 0
    }

    /// Frees the memory of empty tables.
    pub(crate) fn rest(&mut self) {
        if self.is_idle() {
            shrink(&mut self.ready);
            self.bulk = VecDeque::new();
            self.gets.rest();
            self.flight.rest();
        }
    }
}
