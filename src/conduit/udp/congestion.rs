//! The congestion window and the pacing of datagrams to a peer. Additive increase and multiplicative decrease, once a
//! round trip (RFC 9002, 7), with two changes for a network of few hops: the factor is 0.7, as in CUBIC, and 0.9 while
//! losses are too rare for a full queue and are treated as noise.

/// Bytes that the receiving kernel's record of a datagram adds to it.
const RECORD: u64 = 320;
/// Losses per thousand datagrams that are treated as noise.
const NOISE_PER_MILLE: f64 = 30.0;
/// Bytes that may leave back to back.
const BURST: u64 = 64 << 10;
/// Round trips shorter than this are not paced: timers are too coarse.
const PACED_RTT_NS: u64 = 200_000;

/// Bytes of congestion window that a datagram takes.
pub(crate) fn cost(datagram: usize) -> u64 {
    datagram as u64 + RECORD
}

#[derive(Clone, Debug)]
pub(crate) struct Congestion {
    window: u64,
    most: u64,
    /// Below it the window doubles every round trip.
    threshold: u64,
    /// The window and threshold before the last decrease.
    before: Option<(u64, u64)>,
    /// Datagrams lost in a thousand, smoothed over some hundreds.
    loss: f64,
    /// The time at which everything sent so far should have left, at the present pace.
    paced_ns: u64,
}

impl Congestion {
    /// `most`: bytes that the receiver's socket can hold for this sender.
    pub(crate) fn new(most: u64, mtu: usize) -> Congestion {
        let first = (16 * cost(mtu)).min(most);
        Congestion { window: first, most, threshold: u64::MAX, before: None, loss: 0.0, paced_ns: 0 }
    }

    pub(crate) fn window(&self) -> u64 {
        self.window
    }

    fn least(&self, mtu: usize) -> u64 {
        (4 * cost(mtu)).min(self.most)
    }

    /// `acked` bytes were acknowledged; `in_flight` bytes are still in flight.
    pub(crate) fn acked(&mut self, acked: u64, in_flight: u64, mtu: usize) {
        self.loss *= 1.0 - 1.0 / 256.0;
        // A window that is not used does not show that the path has room.
        if in_flight + acked < self.window / 2 || self.window >= self.most {
            return;
        }
        let more = match self.window < self.threshold {
            true => acked,
            false => (acked * cost(mtu) / self.window).max(1),
        };
        self.window = (self.window + more).min(self.most);
    }

    /// One datagram was lost.
    pub(crate) fn lost_one(&mut self) {
        self.loss += 1000.0 / 256.0;
    }

    /// The first loss of a round trip.
    pub(crate) fn reduce(&mut self, mtu: usize) {
        self.before = Some((self.window, self.threshold));
        let factor = if self.loss < NOISE_PER_MILLE { 0.9 } else { 0.7 };
        self.window = ((self.window as f64 * factor) as u64).max(self.least(mtu));
        self.threshold = self.window;
    }

    /// Undoes the last decrease: the datagram was delayed, not lost.
    pub(crate) fn undo(&mut self) {
        if let Some((window, threshold)) = self.before.take() {
            self.window = self.window.max(window);
            self.threshold = threshold;
        }
    }

    /// The peer has been silent for several tries: restarts from a small window.
    pub(crate) fn restart(&mut self, mtu: usize) {
        self.threshold = self.window.max(self.least(mtu));
        self.window = self.least(mtu);
        self.before = None;
    }

    /// The time from which the next datagram may be sent.
    pub(crate) fn may_leave_at(&self, rtt_ns: u64) -> u64 {
        if rtt_ns < PACED_RTT_NS {
            return 0;
        }
        self.paced_ns.saturating_sub(self.ns_for(BURST, rtt_ns))
    }

    pub(crate) fn left(&mut self, now: u64, cost: u64, rtt_ns: u64) {
        if rtt_ns >= PACED_RTT_NS {
            self.paced_ns = self.paced_ns.max(now) + self.ns_for(cost, rtt_ns);
        }
    }

    /// Nanoseconds for `bytes` at 1.25 windows a round trip, or twice that rate at the start.
    fn ns_for(&self, bytes: u64, rtt_ns: u64) -> u64 {
        let gain = if self.window < self.threshold { 2.0 } else { 1.25 };
        (bytes as f64 * rtt_ns as f64 / (self.window as f64 * gain)) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_doubles_then_creeps_and_stays_in_its_bounds() {
        let mut c = Congestion::new(1 << 20, 1400);
        let first = c.window();
        c.acked(first, 0, 1400);
        assert_eq!(c.window(), 2 * first);
        c.reduce(1400);
        let reduced = c.window();
        assert!(reduced < 2 * first);
        c.acked(reduced, 0, 1400);
        assert!(c.window() > reduced && c.window() <= reduced + cost(1400));
        for _ in 0..100_000 {
            c.acked(c.window(), 0, 1400);
        }
        assert_eq!(c.window(), 1 << 20);
        for _ in 0..1000 {
            c.lost_one();
            c.reduce(1400);
        }
        assert_eq!(c.window(), 4 * cost(1400));
    }

    #[test]
    fn rare_losses_cost_little_and_late_ones_nothing() {
        let mut c = Congestion::new(1 << 20, 1400);
        let full = c.window();
        c.lost_one();
        c.reduce(1400);
        assert!(c.window() >= full * 89 / 100);
        c.undo();
        assert_eq!(c.window(), full);
        for _ in 0..20 {
            c.lost_one();
        }
        c.reduce(1400);
        assert!(c.window() <= full * 71 / 100);
    }

    #[test]
    fn a_window_takes_about_a_round_trip_to_leave() {
        let (mut c, rtt) = (Congestion::new(1 << 20, 1400), 10_000_000);
        c.reduce(1400);
        let (window, mut now, mut sent) = (c.window(), 0, 0);
        while now < rtt {
            now = now.max(c.may_leave_at(rtt));
            c.left(now, 1720, rtt);
            sent += 1720;
        }
        assert!(sent > window && sent < window * 3 / 2 + 2 * BURST);
        assert_eq!(c.may_leave_at(20_000), 0);
    }
}
