//! The record of arrivals from a peer: packet numbers, so that a replayed datagram is dropped, and unit numbers, so that a
//! unit retransmitted in another packet has no effect, and so that acknowledgements can be sent.

use super::wire::{MAX_WORDS, WINDOW};

const PACKETS: u64 = 1024;

/// Packet numbers that were accepted (the sliding window of RFC 4303, A.2).
pub(crate) struct Packets {
    /// One above the largest.
    top: u64,
    bits: [u64; PACKETS as usize / 64],
}

impl Packets {
    pub(crate) const fn new() -> Packets {
        Packets { top: 0, bits: [0; PACKETS as usize / 64] }
    }

    /// Whether the number was accepted before, or is too old for that to be known.
    #[inline]
    pub(crate) fn is_old(&self, packet: u64) -> bool {
        if packet >= self.top {
            return false;
        }
        self.top - packet > PACKETS || self.bits[word(packet)] & bit(packet) != 0
    }

    /// Accepts a number that is not old.
    #[inline]
    pub(crate) fn accept(&mut self, packet: u64) {
        if packet >= self.top {
            for passed in self.top..packet.min(self.top + PACKETS) {
                self.bits[word(passed)] &= !bit(passed);
            }
            if packet - self.top >= PACKETS {
                self.bits = [0; PACKETS as usize / 64];
            }
            self.top = packet + 1;
        }
        self.bits[word(packet)] |= bit(packet);
    }
}

fn word(packet: u64) -> usize {
    (packet % PACKETS / 64) as usize
}

fn bit(packet: u64) -> u64 {
    1 << (packet % 64)
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Received {
    New,
    Again,
    /// Beyond the window that a peer may send in.
    Beyond,
}

/// Unit numbers. All below `next` have arrived.
pub(crate) struct Units {
    next: u64,
    /// One above the largest that has arrived; `next` if none is missing.
    end: u64,
    /// Bit `number % WINDOW` is set if unit `number` of `next..next + WINDOW` has arrived; all other bits are zero.
    bits: [u64; MAX_WORDS],
}

impl Units {
    pub(crate) const fn new() -> Units {
        Units { next: 0, end: 0, bits: [0; MAX_WORDS] }
    }

    #[inline]
    fn number(&self, low: u32) -> Result<u64, Received> {
        let ahead = low.wrapping_sub(self.next as u32);
        match u64::from(ahead) {
            ahead if ahead < WINDOW => Ok(self.next + ahead),
            _ if (ahead as i32) < 0 => Err(Received::Again),
            _ => Err(Received::Beyond),
        }
    }

    #[inline]
    pub(crate) fn look(&self, low: u32) -> Received {
        match self.number(low) {
            Ok(unit) if self.has(unit) => Received::Again,
            Ok(_) => Received::New,
            Err(why) => why,
        }
    }

    fn has(&self, unit: u64) -> bool {
        self.bits[(unit % WINDOW / 64) as usize] & bit(unit) != 0
    }

    /// Records a unit that is [`Received::New`]. True if it left no new gap.
    #[inline]
    pub(crate) fn accept(&mut self, low: u32) -> bool {
        let Ok(unit) = self.number(low) else { return false };
        let in_order = unit == self.end;
        self.end = self.end.max(unit + 1);
        if unit != self.next {
            self.bits[(unit % WINDOW / 64) as usize] |= bit(unit);
            return in_order;
        }
        self.next += 1;
        while self.next < self.end && self.has(self.next) {
            self.bits[(self.next % WINDOW / 64) as usize] &= !bit(self.next);
            self.next += 1;
        }
        in_order
    }

    pub(crate) fn below(&self) -> u32 {
        self.next as u32
    }

    pub(crate) fn has_gaps(&self) -> bool {
        self.end > self.next
    }

    /// The acknowledgement words of the header.
    #[inline]
    pub(crate) fn words(&self) -> (u8, [u64; MAX_WORDS]) {
        let mut words = [0; MAX_WORDS];
        if self.end == self.next {
            return (0, words);
        }
        let count = (self.end - self.next).div_ceil(64) as usize;
        for (at, word) in words[..count].iter_mut().enumerate() {
            *word = self.word_from(self.next + 64 * at as u64);
        }
        (count as u8, words)
    }

    /// The bits of 64 units from `unit` on.
    fn word_from(&self, unit: u64) -> u64 {
        let (at, shift) = ((unit % WINDOW / 64) as usize, unit % 64);
        let low = self.bits[at] >> shift;
        if shift == 0 { low } else { low | self.bits[(at + 1) % MAX_WORDS] << (64 - shift) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn a_packet_number_is_accepted_once(steps in proptest::collection::vec((0u64..40, any::<bool>(), 0u64..3000), 1..400)) {
            let (mut packets, mut seen, mut top) = (Packets::new(), BTreeSet::new(), 0u64);
            for (step, far, back) in steps {
                top += if far { step * 60 } else { step };
                let packet = top.saturating_sub(back);
                if !packets.is_old(packet) {
                    packets.accept(packet);
                    prop_assert!(seen.insert(packet));
                }
                prop_assert!(packets.is_old(packet));
            }
        }

        #[test]
        fn units_are_new_once_and_words_say_which_came(order in proptest::collection::vec(0u64..WINDOW, 1..900)) {
            let (mut units, mut seen) = (Units::new(), BTreeSet::new());
            for ahead in order {
                let unit = units.next + ahead;
                let verdict = units.look(unit as u32);
                prop_assert_eq!(verdict == Received::New, !seen.contains(&unit));
                if verdict == Received::New {
                    units.accept(unit as u32);
                    seen.insert(unit);
                }
                prop_assert_eq!(units.look((units.next + WINDOW) as u32), Received::Beyond);
                let (count, words) = units.words();
                for ahead in 0..WINDOW {
                    let told = words[(ahead / 64) as usize] >> (ahead % 64) & 1 == 1;
                    prop_assert_eq!(told, seen.contains(&(units.next + ahead)));
                    prop_assert!(!told || ahead < 64 * u64::from(count));
                }
            }
        }
    }

    #[test]
    fn unit_numbers_wrap() {
        let mut units = Units::new();
        (units.next, units.end) = (u64::from(u32::MAX) - 1, u64::from(u32::MAX) - 1);
        for low in [0, u32::MAX - 1, u32::MAX] {
            assert_eq!(units.look(low), Received::New);
            units.accept(low);
            assert_eq!(units.look(low), Received::Again);
        }
        assert_eq!(units.below(), 1);
    }
}
