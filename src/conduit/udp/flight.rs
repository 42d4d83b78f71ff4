//! Units in flight to a peer: acknowledgement, loss detection, retransmission, and when to ask for an acknowledgement. Loss
//! is detected by later transmissions that arrived (RFC 9002, 6.1), silence by a timer (6.2). After several tries without an
//! answer only datagrams without a unit are sent, which ask for an acknowledgement, until the peer answers; so the socket of
//! a rank that computes is not filled with copies.

use std::collections::VecDeque;

use super::congestion::{Congestion, cost};
use super::mtu::Mtu;
use super::rtt::Rtt;
use super::unit::{Spares, Unit, UnitState, shrink};
use super::wire::{Header, MIN_MTU, TAG, WINDOW};
use crate::conduit::shared::slab::Slab;
use crate::conduit::udp::terms::{Config, Ended};
use crate::defs::message::Traffic;

/// A transmission counts as lost once a transmission this many places later has arrived; grows where the network reorders.
const OVERTAKEN: u64 = 3;
const MOST_OVERTAKEN: u64 = 64;
/// Tries without an answer after which no units are sent, only requests for acknowledgements.
const SILENT: u32 = 3;
/// Tries after which the network may fragment a unit, so that a unit built before the path's MTU decreased arrives.
const STUBBORN: u16 = 6;

/// A transfer that several units carry; it is complete once all of its bytes have arrived.
pub(crate) struct UnitTrack {
    pub left: u64,
    /// The completion that is reported once all bytes have arrived.
    pub op: Option<(u64, Ended)>,
    /// The bytes to send, if they are a copy.
    pub copy: Option<Copied>,
}

/// A copy of a payload, charged to the bound of requests or of replies.
pub(crate) struct Copied {
    pub bytes: Vec<u8>,
    pub traffic: Traffic,
    pub len: usize,
}

#[derive(Clone, Copy, Default, Debug)]
pub struct FlightCounters {
    pub sent: u64,
    pub again: u64,
    pub silent_tries: u64,
    pub too_early: u64,
}

pub(crate) struct Flight {
    pub tracks: Slab<UnitTrack>,
    /// Bytes of copies that tracks of requests and of replies hold.
    pub copied: [usize; 2],
    /// Units `base..`; the first one has not arrived, later ones may have.
    units: VecDeque<Box<Unit>>,
    base: u64,
    next_packet: u64,
    next_order: u64,
    /// One after the latest transmission that arrived.
    arrived_order: u64,
    /// For losses of transmissions before this one the congestion window was already reduced.
    recovery: u64,
    overtaken: u64,
    in_flight: u64,
    n_in_flight: u32,
    n_lost: u32,
    /// No unit before this one is lost.
    lost_from: u64,
    /// Units in flight that were sent more than once.
    n_again: u32,
    tries: u32,
    /// Units that may be sent although the window is full.
    free_tries: u32,
    /// A datagram without a unit that asks for an acknowledgement is due.
    pub ask: bool,
    loss_at: u64,
    silence_at: u64,
    progress_ns: u64,
    ack_delay: u64,
    pub mtu: Mtu,
    mtu_most: usize,
    probe_due: bool,
    pub rtt: Rtt,
    pub congestion: Congestion,
    pub counters: FlightCounters,
}

impl Flight {
    pub(crate) fn new(config: &Config) -> Flight {
        Flight {
            tracks: Slab::default(),
            copied: [0; 2],
            units: VecDeque::new(),
            base: 0,
            next_packet: 0,
            next_order: 0,
            arrived_order: 0,
            recovery: 0,
            overtaken: OVERTAKEN,
            in_flight: 0,
            n_in_flight: 0,
            n_lost: 0,
            lost_from: 0,
            n_again: 0,
            tries: 0,
            free_tries: 0,
            ask: false,
            loss_at: u64::MAX,
            silence_at: u64::MAX,
            progress_ns: 0,
            ack_delay: config.ack_delay_ns,
            mtu: Mtu::new(config.mtu_first, config.mtu_most),
            mtu_most: config.mtu_most,
            probe_due: true,
            rtt: Rtt::new(),
            congestion: Congestion::new(config.in_flight, config.mtu_first),
            counters: FlightCounters::default(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.units.is_empty()
    }

    /// Whether all unacknowledged units are probes or other units without frames.
    pub(crate) fn is_delivered(&self) -> bool {
        self.units.iter().all(|unit| unit.state == UnitState::Arrived || unit.holds_nothing())
    }

    pub(crate) fn is_silent(&self) -> bool {
        self.tries >= SILENT
    }

    pub(crate) fn next_packet(&mut self) -> u64 {
        self.next_packet += 1;
        self.next_packet
    }

    fn window_is_open(&self) -> bool {
        self.in_flight < self.congestion.window()
    }

    /// Whether a unit that was never sent may be sent; a path probe comes first.
    pub(crate) fn may_send_new(&self, now: u64) -> bool {
        self.window_is_open()
            && !self.is_silent()
            && (self.units.len() as u64) < WINDOW
            && self.congestion.may_leave_at(self.rtt.smoothed_ns()) <= now
    }

    /// The lost unit to retransmit next, if one may be sent.
    pub(crate) fn next_lost(&mut self) -> Option<u64> {
        if self.n_lost == 0 || self.is_silent() || !(self.window_is_open() || self.free_tries > 0) {
            return None;
        }
        let from = self.lost_from.saturating_sub(self.base) as usize;
        let at = (from..self.units.len()).find(|&at| self.units[at].state == UnitState::Lost)?;
        self.lost_from = self.base + at as u64;
        Some(self.lost_from)
    }

    /// The size of a path probe to send now.
    pub(crate) fn next_probe(&mut self) -> Option<usize> {
        if !self.probe_due || self.rtt.smoothed_ns() == 0 {
            return None;
        }
        self.probe_due = false;
        self.mtu.probe(self.mtu_most)
    }

    /// Gives the next number to a new unit.
    pub(crate) fn push(&mut self, mut unit: Box<Unit>, now: u64) -> u64 {
        unit.end = unit.buf.len();
        if self.units.is_empty() {
            self.progress_ns = now;
        }
        self.units.push_back(unit);
        self.base + self.units.len() as u64 - 1
    }

    pub(crate) fn unit(&mut self, number: u64) -> &mut Unit {
        &mut self.units[(number - self.base) as usize]
    }

    /// Bytes of the datagram that unit `number` makes under a header of `header` bytes, and whether the network may
    /// fragment it.
    pub(crate) fn size(&mut self, number: u64, header: usize) -> (usize, bool) {
        let unit = self.unit(number);
        let size = header + unit.end - super::wire::MAX_HEADER + unit.elsewhere_len() + TAG;
        let probes = unit.probe > 0 && unit.tries == 0;
        (if probes { unit.probe } else { size }, unit.tries >= STUBBORN)
    }

    /// Unit `number` leaves in packet `packet`, `bytes` long.
    pub(crate) fn left(&mut self, number: u64, packet: u64, bytes: usize, now: u64) {
        let order = self.next_order;
        self.next_order += 1;
        let unit = &mut self.units[(number - self.base) as usize];
        // A probe does not count in the congestion window: the client may compute for long before it polls for the answer.
        let charged = if unit.probe > 0 && unit.tries == 0 { 0 } else { bytes };
        (unit.packet, unit.order, unit.sent_ns, unit.cost) = (packet, order, now, cost(charged) as u32);
        if unit.state == UnitState::Lost {
            self.n_lost -= 1;
            self.free_tries = self.free_tries.saturating_sub(1);
            self.counters.again += 1;
        }
        self.n_again += u32::from(unit.tries > 0);
        unit.tries = unit.tries.saturating_add(1);
        unit.state = UnitState::InFlight;
        self.in_flight += u64::from(unit.cost);
        self.n_in_flight += 1;
        self.counters.sent += 1;
        self.congestion.left(now, unit.cost.into(), self.rtt.smoothed_ns());
        self.silence_at = now + self.rtt.probe_ns(self.ack_delay, self.tries);
    }

    /// The unit is no longer in flight.
    fn landed(&mut self, at: usize, state: UnitState) {
        let unit = &mut self.units[at];
        self.in_flight -= u64::from(unit.cost);
        self.n_in_flight -= 1;
        self.n_again -= u32::from(unit.tries > 1);
        unit.state = state;
        if state == UnitState::Lost {
            self.n_lost += 1;
            self.lost_from = self.lost_from.min(self.base + at as u64);
            if unit.probe > 0 {
                self.mtu.lost(core::mem::take(&mut unit.probe));
            } else if unit.tries == STUBBORN && cost(MIN_MTU) < unit.cost.into() {
                self.mtu.too_large(unit.cost as usize - cost(0) as usize);
            }
        }
    }

    /// The units were not sent after all.
    pub(crate) fn stayed(&mut self, numbers: &[u64], too_large: Option<usize>) {
        for &number in numbers {
            let at = (number - self.base) as usize;
            if let Some(size) = too_large {
                self.mtu.too_large(size);
                let unit = &mut self.units[at];
                self.n_again += u32::from(unit.tries == 1);
                (unit.tries, unit.probe) = (STUBBORN, 0);
            }
            self.landed(at, UnitState::Lost);
        }
    }

    /// Processes an acknowledgement; the operations of completed tracks go to `done`. False if it acknowledges units never sent.
    #[inline]
    pub(crate) fn acked(
        &mut self,
        header: &Header,
        now: u64,
        spares: &mut Spares,
        done: &mut Vec<(u64, Ended)>,
    ) -> bool {
        let ahead = header.ack_below.wrapping_sub(self.base as u32) as i32;
        if ahead > self.units.len() as i32 {
            return false;
        }
        if self.is_silent() {
            self.tries = 0;
            self.silence_at = now + self.rtt.probe_ns(self.ack_delay, 0);
        }
        if ahead < 0 || self.units.is_empty() {
            return true;
        }
        let before = self.arrived_order;
        let mut news = 0;
        for _ in 0..ahead {
            news += self.arrived(0, header, now, spares, done);
            if let Some(unit) = self.units.pop_front() {
                spares.give(unit);
            }
            self.base += 1;
        }
        for (w, &word) in header.words[..usize::from(header.nwords)].iter().enumerate() {
            let mut bits = word;
            while bits != 0 {
                let at = 64 * w + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                if at < self.units.len() {
                    news += self.arrived(at, header, now, spares, done);
                }
            }
        }
        if news > 0 {
            self.tries = 0;
            self.free_tries = 0;
            self.probe_due = true;
            self.progress_ns = now;
            self.silence_at = now + self.rtt.probe_ns(self.ack_delay, 0);
            self.congestion.acked(news, self.in_flight, self.mtu.works);
            if self.arrived_order > before {
                self.find_lost(now);
            }
        }
        true
    }

    /// Unit `at` has arrived; returns its cost, or 0 if that was known.
    #[inline]
    fn arrived(
        &mut self,
        at: usize,
        header: &Header,
        now: u64,
        spares: &mut Spares,
        done: &mut Vec<(u64, Ended)>,
    ) -> u64 {
        let unit = &mut self.units[at];
        match unit.state {
            UnitState::InFlight => {
                if unit.packet as u32 == header.echo && header.echo_us < u16::MAX {
                    self.rtt.sample(now.saturating_sub(unit.sent_ns), u64::from(header.echo_us) * 1000);
                }
                self.arrived_order = self.arrived_order.max(unit.order + 1);
                if unit.probe > 0 {
                    self.mtu.arrived(unit.probe);
                }
                self.landed(at, UnitState::Arrived);
            }
            UnitState::Lost => {
                self.n_lost -= 1;
                unit.state = UnitState::Arrived;
            }
            UnitState::Open | UnitState::Arrived => return 0,
        }
        let unit = &mut self.units[at];
        unit.elsewhere = None;
        for (track, bytes) in unit.carries.drain(..) {
            let Some(of) = self.tracks.get_mut(track) else { continue };
            of.left -= u64::from(bytes);
            if of.left == 0 {
                if let Some(track) = self.tracks.remove(track) {
                    done.extend(track.op);
                    if let Some(copy) = track.copy {
                        self.copied[copy.traffic as usize] -= copy.len;
                        spares.give_copy(copy.bytes);
                    }
                }
            }
        }
        unit.cost.into()
    }

    /// Marks transmissions as lost if later ones, by number or by time, have arrived.
    fn find_lost(&mut self, now: u64) {
        self.loss_at = u64::MAX;
        let patience = self.rtt.overtaken_ns();
        let mut pay = false;
        for at in 0..self.units.len() {
            let unit = &self.units[at];
            if unit.state != UnitState::InFlight || unit.order >= self.arrived_order {
                if self.n_again == 0 && unit.state == UnitState::InFlight {
                    break;
                }
                continue;
            }
            if unit.order + self.overtaken < self.arrived_order || unit.sent_ns + patience <= now {
                if unit.probe == 0 {
                    self.congestion.lost_one();
                    pay |= unit.order >= self.recovery;
                }
                self.landed(at, UnitState::Lost);
            } else {
                self.loss_at = self.loss_at.min(unit.sent_ns + patience);
            }
        }
        if pay {
            self.recovery = self.next_order;
            self.congestion.reduce(self.mtu.works);
        }
    }

    /// The peer reports that a retransmitted unit had already arrived.
    pub(crate) fn was_too_early(&mut self) {
        self.counters.too_early += 1;
        if self.tries == 0 {
            self.overtaken = (2 * self.overtaken).min(MOST_OVERTAKEN);
            self.congestion.undo();
        }
    }

    /// The time at which [`Flight::on_time`] must be called next.
    pub(crate) fn due(&self) -> u64 {
        if self.units.is_empty() { u64::MAX } else { self.loss_at.min(self.silence_at) }
    }

    /// The time from which units that the window admits may be sent, by the pace.
    pub(crate) fn paced_until(&self) -> u64 {
        match self.window_is_open() && !self.is_silent() && (self.units.len() as u64) < WINDOW {
            true => self.congestion.may_leave_at(self.rtt.smoothed_ns()),
            false => u64::MAX,
        }
    }

    /// The time of the last acknowledgement, if units are in flight.
    pub(crate) fn stuck_since(&self) -> Option<u64> {
        (!self.units.is_empty()).then_some(self.progress_ns)
    }

    /// The time without an acknowledgement, if it exceeds `timeout_ns`; the measurement then restarts.
    pub(crate) fn gives_up(&mut self, now: u64, timeout_ns: u64) -> Option<u64> {
        let silent_ns = now.saturating_sub(self.stuck_since()?);
        if silent_ns < timeout_ns {
            return None;
        }
        self.progress_ns = now;
        Some(silent_ns)
    }

    pub(crate) fn on_time(&mut self, now: u64) {
        if self.units.is_empty() {
            return;
        }
        if self.loss_at <= now {
            self.find_lost(now);
        }
        if self.silence_at > now {
            return;
        }
        self.tries = self.tries.saturating_add(1);
        self.counters.silent_tries += 1;
        if self.is_silent() {
            for at in 0..self.units.len() {
                if self.units[at].state == UnitState::InFlight {
                    self.landed(at, UnitState::Lost);
                }
            }
            if self.tries == SILENT {
                self.congestion.restart(self.mtu.works);
            }
            self.ask = true;
        } else if let Some(at) = (0..self.units.len()).find(|&at| self.units[at].state == UnitState::InFlight) {
            self.landed(at, UnitState::Lost);
            self.free_tries = 2;
        }
        self.silence_at = now + self.rtt.probe_ns(self.ack_delay, self.tries);
    }

    pub(crate) fn rest(&mut self) {
        shrink(&mut self.units);
        self.tracks.rest();
    }
}
