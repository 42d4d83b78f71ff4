//! One peer: its sending and receiving halves, and their interplay when a datagram arrives from it or leaves for it.

use super::auth::AuthKey;
use super::held::{Batch, Datagrams, Went};
use super::receive::Receiver;
use super::send::Sender;
use super::unit::Spares;
use super::window::Received;
use super::wire::{ACK_NOW, DATA, Frames, Header, Part, TAG, UdpFrame};
use crate::conduit::udp::reject::Reject;
use crate::conduit::udp::terms::{Config, Ended, EnginePayload, Up, am_cost};
use crate::defs::rank::JobRank;
use crate::mem::{self, RemoteAddr, Src};

/// State that all peers of an engine share.
pub(crate) struct Common<'a> {
    pub config: &'a Config,
    pub spares: &'a mut Spares,
    /// Empty between datagrams.
    pub done: &'a mut Vec<(u64, Ended)>,
}

pub(crate) struct Peer {
    pub rank: JobRank,
    /// The keys of datagrams from the peer and of datagrams to it.
    pub theirs: AuthKey,
    ours: AuthKey,
    pub tx: Sender,
    pub rx: Receiver,
    /// In the engine's list of peers that may have something to send, and in its list of peers with a running timer.
    pub is_dirty: bool,
    pub is_timed: bool,
}

impl Peer {
    pub(crate) fn new(config: &Config, rank: JobRank) -> Peer {
        Peer {
            rank,
            theirs: AuthKey::derive(&config.secret, rank, config.me, config.encrypt),
            ours: AuthKey::derive(&config.secret, config.me, rank, config.encrypt),
            tx: Sender::new(config),
            rx: Receiver::new(config),
            is_dirty: false,
            is_timed: false,
        }
    }

    /// Processes an authenticated datagram of this peer that is not a replay; `frames` lie after its header.
    #[inline]
    pub(crate) fn receive(
        &mut self,
        common: Common<'_>,
        now: u64,
        header: &Header,
        frames: &[u8],
        up: &mut dyn Up,
    ) -> Result<(), Reject> {
        let Common { config, spares, done } = common;
        let unit = if header.flags & DATA != 0 { Some(self.rx.units.look(header.unit)) } else { None };
        let costs = match unit {
            Some(Received::New) => self.rx.check(config, frames).map_err(|_| Reject::Malformed)?,
            _ => [0; 2],
        };
        if !self.tx.flight.acked(header, now, spares, done) {
            return Err(Reject::Malformed);
        }
        for (op, ended) in done.drain(..) {
            self.tx.transfers -= 1;
            up.done(op, ended);
        }
        self.tx.credits.granted(header.limits);
        if header.flags & super::wire::AGAIN != 0 {
            self.tx.flight.was_too_early();
        }
        let urgent = header.flags & ACK_NOW != 0;
        match unit {
            Some(Received::New) => {
                let in_order = self.rx.units.accept(header.unit);
                self.rx.room.arrived(costs);
                let waited = !self.tx.gets.is_empty();
                for frame in Frames(frames).flatten() {
                    self.apply(frame, spares, up);
                }
                // A program whose gets have all come probably asks for the next one at once, and that takes the acknowledgement along.
                let asks_soon = waited && self.tx.gets.is_empty();
                self.rx.accepted(header, in_order, urgent, asks_soon, now);
            }
            Some(Received::Again) => self.rx.answer_now(true),
            Some(Received::Beyond) => return Err(Reject::Malformed),
            None if urgent => self.rx.answer_now(false),
            None => {}
        }
        Ok(())
    }

    #[inline]
    fn apply(&mut self, frame: UdpFrame<'_>, spares: &mut Spares, up: &mut dyn Up) {
        match frame {
            UdpFrame::Am { traffic, head, payload } => {
                up.am(self.rank, traffic, head, EnginePayload::Bytes(payload), am_cost(head.len(), payload.len()));
            }
            UdpFrame::Put { at, data } => self.write(at, data, up),
            UdpFrame::Get { id, at, len } => {
                let at = RemoteAddr(at as usize);
                match up.own(at, len as usize) {
                    Some(own) => self.tx.answer(spares, id, own.as_src()),
                    None => up.outside(self.rank, at, len as usize),
                }
            }
            UdpFrame::Got { id, offset, data } => self.got(id, offset, data, up),
            UdpFrame::Part(part) => self.part(&part, up),
        }
    }

    fn write(&mut self, at: u64, data: &[u8], up: &mut dyn Up) {
        let at = RemoteAddr(at as usize);
        match up.own(at, data.len()) {
            Some(own) => mem::copy(own, Src::of(data)),
            None => up.outside(self.rank, at, data.len()),
        }
    }

    fn got(&mut self, id: u32, offset: u64, data: &[u8], up: &mut dyn Up) {
        let Some(getting) = self.tx.gets.get_mut(id) else { return };
        let (from, len) = (offset as usize, data.len());
        if from > getting.dst.0.len() || len > getting.dst.0.len() - from {
            return;
        }
        mem::copy(getting.dst.0.part(from, len), Src::of(data));
        getting.left = getting.left.saturating_sub(len as u64);
        if getting.left == 0 {
            let op = getting.op;
            self.tx.gets.remove(id);
            self.tx.transfers -= 1;
            up.done(op, Ended::Remote);
        }
    }

    fn part(&mut self, part: &Part<'_>, up: &mut dyn Up) {
        if let Some(at) = part.at {
            self.write(at.wrapping_add(part.offset), part.data, up);
        }
        if part.data.len() as u64 == part.total {
            self.whole(part, part.head, EnginePayload::Bytes(part.data), up);
            return;
        }
        let index = self.rx.partial(part);
        let partial = &mut self.rx.partials[index];
        if part.at.is_none() {
            if let Some(into) = partial.medium.get_mut(part.offset as usize..part.offset as usize + part.data.len()) {
                into.copy_from_slice(part.data);
            }
        }
        if part.offset == 0 {
            partial.head = Some(part.head.into());
        }
        partial.left = partial.left.saturating_sub(part.data.len() as u64);
        if partial.left == 0 {
            let partial = self.rx.gathered(index);
            let head = partial.head.unwrap_or_default();
            self.whole(part, &head, EnginePayload::Whole(partial.medium), up);
        }
    }

    /// The message that `part` belongs to has arrived completely.
    fn whole(&mut self, part: &Part<'_>, head: &[u8], payload: EnginePayload<'_>, up: &mut dyn Up) {
        let Some(at) = part.at else {
            up.am(self.rank, part.traffic, head, payload, am_cost(head.len(), part.total as usize));
            return;
        };
        // An address outside was reported when the bytes arrived.
        if let Some(own) = up.own(RemoteAddr(at as usize), part.total as usize) {
            up.am(self.rank, part.traffic, head, EnginePayload::Long(own), am_cost(head.len(), 0));
        }
    }

    /// Sends all datagrams that may be sent at `now`.
    #[inline]
    pub(crate) fn send(
        &mut self,
        me: JobRank,
        spares: &mut Spares,
        batch: &mut Batch,
        now: u64,
        out: &mut dyn FnMut(&Datagrams<'_>) -> Went,
    ) -> Went {
        while let Some(number) = self.next(spares, now) {
            let flight = &mut self.tx.flight;
            let mut header = self.rx.header(now, me.0);
            (header.packet, header.unit) = (flight.next_packet(), number as u32);
            header.flags |= if flight.unit(number).urgent { DATA | ACK_NOW } else { DATA };
            let (size, may_fragment) = flight.size(number, header.bytes());
            let went = if batch.fits(size, may_fragment) { Went::Out } else { self.flush(batch, out) };
            let flight = &mut self.tx.flight;
            if went == Went::NotNow {
                flight.left(number, header.packet, size, now);
                flight.stayed(&[number], None);
                return went;
            }
            batch.add(flight.unit(number), &header, &self.ours, number, may_fragment);
            flight.left(number, header.packet, size, now);
            self.rx.told(&header, true);
        }
        let asks = core::mem::take(&mut self.tx.flight.ask);
        if asks || self.rx.wants_ack(now) {
            let mut header = self.rx.header(now, me.0);
            header.packet = self.tx.flight.next_packet();
            header.flags |= if asks { ACK_NOW } else { 0 };
            if !batch.fits(header.bytes() + TAG, false) && self.flush(batch, out) == Went::NotNow {
                return Went::NotNow;
            }
            batch.add_bare(&header, &self.ours);
            self.rx.told(&header, false);
        }
        self.flush(batch, out)
    }

    /// The number of the next unit to send: lost units first, then a path probe, then new units.
    #[inline]
    fn next(&mut self, spares: &mut Spares, now: u64) -> Option<u64> {
        if let Some(lost) = self.tx.flight.next_lost() {
            return Some(lost);
        }
        if !self.tx.flight.may_send_new(now) {
            return None;
        }
        let unit = if let Some(size) = self.tx.flight.next_probe() {
            let mut unit = spares.take();
            unit.probe = size;
            unit
        } else if let Some(unit) = self.tx.next_unit(spares) {
            unit
        } else if self.rx.room.due {
            spares.take()
        } else {
            return None;
        };
        Some(self.tx.flight.push(unit, now))
    }

    fn flush(&mut self, batch: &mut Batch, out: &mut dyn FnMut(&Datagrams<'_>) -> Went) -> Went {
        let went = batch.flush(self.rank, out);
        match went {
            Went::Out => {}
            Went::NotNow => self.tx.flight.stayed(&batch.units, None),
            Went::TooLarge => self.tx.flight.stayed(&batch.units, Some(batch.segment())),
        }
        batch.clear();
        went
    }

    /// When the next timer of this peer expires.
    pub(crate) fn due(&self, now: u64, timeout_ns: u64) -> u64 {
        let paced = if self.tx.has_new() || self.rx.room.due { self.tx.flight.paced_until() } else { u64::MAX };
        let stuck = self.tx.flight.stuck_since().map_or(u64::MAX, |since| since.saturating_add(timeout_ns));
        self.tx.flight.due().min(self.rx.ack_at).min(paced.max(now)).min(stuck)
    }
}
