//! The receiving half of a peer: units that have arrived and their acknowledgements, the credits of the peer, and messages
//! of which pieces are missing.

use super::held::Aligned;
use super::window::{Packets, Units};
use super::wire::{Frames, Header, Malformed, Part, UdpFrame};
use crate::conduit::shared::credits::Room;
use crate::conduit::udp::terms::{Config, am_cost};

/// Unacknowledged units after which an acknowledgement is sent at once, or by the next poll if a datagram to the peer is
/// expected, which would take it along.
const ENOUGH: u32 = 2;

/// A message in pieces: units come once each, so counting bytes is enough.
pub(crate) struct PartialMessage {
    pub id: u32,
    pub head: Option<Box<[u8]>>,
    pub left: u64,
    /// A Medium's payload; a Long's goes to its place.
    pub medium: Aligned,
}

pub(crate) struct Receiver {
    pub packets: Packets,
    pub units: Units,
    echo: u64,
    echo_ns: u64,
    unacked: u32,
    ack_now: bool,
    /// When units that have arrived must be acknowledged.
    pub ack_at: u64,
    ack_delay: u64,
    again: bool,
    /// The room for messages of the peer; new limits are sent to it reliably.
    pub room: Room,
    pub partials: Vec<PartialMessage>,
    /// Bytes of room that the partial messages take.
    gathering: u32,
}

impl Receiver {
    pub(crate) fn new(config: &Config) -> Receiver {
        Receiver {
            packets: Packets::new(),
            units: Units::new(),
            echo: 0,
            echo_ns: 0,
            unacked: 0,
            ack_now: false,
            ack_at: u64::MAX,
            ack_delay: config.ack_delay_ns,
            again: false,
            room: Room::new(config.am_window),
            partials: Vec::new(),
            gathering: 0,
        }
    }

    /// A header with acknowledgements and credits; the sender fills in packet, unit and the unit's flags.
    #[inline]
    pub(crate) fn header(&self, now: u64, me: u32) -> Header {
        let (nwords, words) = self.units.words();
        let held_us = now.saturating_sub(self.echo_ns) / 1000;
        Header {
            flags: if self.again { super::wire::AGAIN } else { 0 },
            sender: me,
            packet: 0,
            unit: 0,
            ack_below: self.units.below(),
            echo: self.echo as u32,
            echo_us: held_us.min(u16::MAX.into()) as u16,
            limits: self.room.limits(),
            nwords,
            words,
        }
    }

    /// A header of [`Receiver::header`] was sent. `surely`: in a datagram that is retransmitted until it arrives.
    #[inline]
    pub(crate) fn told(&mut self, header: &Header, surely: bool) {
        (self.unacked, self.ack_now, self.ack_at, self.again) = (0, false, u64::MAX, false);
        if surely {
            self.room.told(header.limits);
        }
    }

    /// Whether units have arrived that were not acknowledged.
    pub(crate) fn owes(&self) -> bool {
        self.unacked > 0
    }

    pub(crate) fn wants_ack(&self, now: u64) -> bool {
        self.ack_now || self.ack_at <= now
    }

    /// A new unit was accepted under this header. `asks_soon`: a datagram to the peer is expected before the next poll.
    #[inline]
    pub(crate) fn accepted(&mut self, header: &Header, in_order: bool, urgent: bool, asks_soon: bool, now: u64) {
        if header.packet > self.echo {
            (self.echo, self.echo_ns) = (header.packet, now);
        }
        self.unacked += 1;
        let enough = self.unacked >= ENOUGH;
        self.ack_now |= urgent || !in_order || enough && !asks_soon || self.units.has_gaps();
        let delay = if enough { 1 } else { self.ack_delay };
        self.ack_at = self.ack_at.min(now + delay);
    }

    /// Acknowledges at once: the peer asked for it, or, with `had_it`, retransmitted a unit that had arrived.
    pub(crate) fn answer_now(&mut self, had_it: bool) {
        self.ack_now = true;
        self.again |= had_it;
    }

    /// Checks all frames of a unit against the protocol and the peer's credits; returns their costs by class.
    #[inline]
    pub(crate) fn check(&self, config: &Config, frames: &[u8]) -> Result<[u32; 2], Malformed> {
        let (mut costs, mut begun) = ([0u32; 2], 0);
        for frame in Frames(frames) {
            let (traffic, cost) = match frame? {
                UdpFrame::Am { traffic, head, payload } => (traffic, am_cost(head.len(), payload.len())),
                UdpFrame::Part(Part { traffic, id, total, offset, head, at, data }) => {
                    let in_pieces = total > data.len() as u64;
                    let total = if at.is_some() { 0 } else { total };
                    if total > config.most_medium as u64 {
                        return Err(Malformed);
                    }
                    if in_pieces && !self.partials.iter().any(|partial| partial.id == id) {
                        begun += am_cost(0, total as usize);
                    }
                    (traffic, if offset == 0 { am_cost(head.len(), total as usize) } else { 0 })
                }
                _ => continue,
            };
            costs[traffic as usize] += cost;
        }
        // A message is charged with its first piece; other pieces may arrive before it.
        if self.gathering + begun > 2 * self.room.window() || !self.room.holds(costs) {
            return Err(Malformed);
        }
        Ok(costs)
    }

    /// The index of the partial message that this piece belongs to.
    pub(crate) fn partial(&mut self, part: &Part<'_>) -> usize {
        if let Some(at) = self.partials.iter().position(|partial| partial.id == part.id) {
            return at;
        }
        let medium = if part.at.is_some() { 0 } else { part.total as usize };
        self.gathering += am_cost(0, medium);
        self.partials.push(PartialMessage {
            id: part.id,
            head: None,
            left: part.total,
            medium: Aligned::zeroed(medium),
        });
        self.partials.len() - 1
    }

    /// Removes and returns a message that has arrived completely.
    pub(crate) fn gathered(&mut self, index: usize) -> PartialMessage {
        let partial = self.partials.swap_remove(index);
        self.gathering -= am_cost(0, partial.medium.len());
        partial
    }

    pub(crate) fn rest(&mut self) {
        if self.partials.is_empty() {
            self.partials = Vec::new();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conduit::udp::auth::Secret;
    use crate::defs::rank::JobRank;

    #[test]
    fn what_is_urgent_or_not_in_order_is_acknowledged_at_once() {
        let config = Config::new(JobRank(0), 2, Secret([1; 32]));
        for (in_order, urgent, gap, at_once) in [
            (true, false, false, false),
            (true, true, false, true),
            (false, false, false, true),
            (true, false, true, true),
        ] {
            let mut receiver = Receiver::new(&config);
            assert!(!receiver.owes() && !receiver.wants_ack(u64::MAX - 1));
            if gap {
                receiver.units.accept(5);
            }
            receiver.accepted(&Header { packet: 7, ..Header::default() }, in_order, urgent, false, 1000);
            assert!(receiver.owes());
            let due = 1000 + config.ack_delay_ns;
            assert_eq!((receiver.wants_ack(due - 1), receiver.wants_ack(due)), (at_once, true));
            let header = receiver.header(4000, 0);
            assert_eq!((header.echo, header.echo_us, header.flags), (7, 3, 0));
            receiver.told(&header, false);
            assert!(!receiver.owes() && !receiver.wants_ack(u64::MAX - 1));
            // The second one waits for the next poll if the peer is to be asked for more, else for nothing.
            receiver.accepted(&Header::default(), true, false, false, 5000);
            receiver.accepted(&Header::default(), true, false, true, 5000);
            assert_eq!((receiver.wants_ack(5000), receiver.wants_ack(5001)), (gap, true));
            receiver.accepted(&Header::default(), true, false, false, 5000);
            assert!(receiver.wants_ack(5000) && receiver.header(4000, 0).echo == 7);
            receiver.answer_now(true);
            assert_eq!(receiver.header(4000, 0).flags, super::super::wire::AGAIN);
        }
    }
}
