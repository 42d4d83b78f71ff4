//! Round-trip time, and from it the time after which a datagram counts as lost (RFC 6298, RFC 9002).

const US: u64 = 1000;
/// The round-trip time assumed before the first measurement.
const FIRST_NS: u64 = 4_000 * US;
/// The shortest wait: scheduling delays make shorter ones useless.
const GRAIN_NS: u64 = 100 * US;
/// The longest pause between two tries.
pub(crate) const MAX_PROBE_NS: u64 = 250_000 * US;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Rtt {
    /// 0 until measured.
    smoothed: u64,
    variation: u64,
    pub least: u64,
    latest: u64,
}

impl Rtt {
    pub(crate) fn new() -> Rtt {
        Rtt { smoothed: 0, variation: 0, least: u64::MAX, latest: 0 }
    }

    /// Adds a measured round trip of `ns`; the peer delayed the acknowledgement by `held_ns` of it.
    pub(crate) fn sample(&mut self, ns: u64, held_ns: u64) {
        self.least = self.least.min(ns);
        let ns = if ns >= self.least.saturating_add(held_ns) { ns - held_ns } else { ns }.max(1);
        self.latest = ns;
        if self.smoothed == 0 {
            (self.smoothed, self.variation) = (ns, ns / 2);
        } else {
            self.variation = (3 * self.variation + self.smoothed.abs_diff(ns)) / 4;
            self.smoothed = ((7 * self.smoothed + ns) / 8).max(1);
        }
    }

    /// 0 until measured.
    pub(crate) fn smoothed_ns(&self) -> u64 {
        self.smoothed
    }

    /// The time after which a datagram counts as lost if a later one has arrived.
    pub(crate) fn overtaken_ns(&self) -> u64 {
        let base = self.smoothed.max(self.latest);
        base + (base / 8).max(GRAIN_NS / 2)
    }

    /// Silence after which the sender tries again; it grows with the number of `tries`.
    pub(crate) fn probe_ns(&self, peer_delay_ns: u64, tries: u32) -> u64 {
        let base = match self.smoothed {
            0 => 3 * FIRST_NS,
            smoothed => smoothed + (4 * self.variation).max(GRAIN_NS) + peer_delay_ns,
        };
        base.saturating_mul(1 << tries.min(20)).min(MAX_PROBE_NS.max(2 * self.smoothed))
    }
}

impl Default for Rtt {
    fn default() -> Rtt {
        Rtt::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_estimate_follows_and_waits_grow_with_tries_up_to_a_bound() {
        let mut rtt = Rtt::new();
        assert!(rtt.probe_ns(0, 0) >= 10_000 * US);
        for _ in 0..100 {
            rtt.sample(20 * US, 0);
        }
        assert!(rtt.smoothed_ns().abs_diff(20 * US) < US);
        let first = rtt.probe_ns(100 * US, 0);
        assert!((200 * US..300 * US).contains(&first));
        assert_eq!(rtt.probe_ns(100 * US, 1), 2 * first);
        assert_eq!(rtt.probe_ns(100 * US, 63), MAX_PROBE_NS);
        assert!(rtt.overtaken_ns() > 20 * US && rtt.overtaken_ns() < 100 * US);
    }

    #[test]
    fn what_the_peer_held_back_does_not_count_but_never_undercuts_the_least() {
        let mut rtt = Rtt::new();
        rtt.sample(50 * US, 0);
        rtt.sample(150 * US, 100 * US);
        assert!(rtt.smoothed_ns() <= 51 * US);
        rtt.sample(60 * US, 1000 * US);
        assert!(rtt.smoothed_ns() >= 50 * US);
    }
}
