//! Credits: the bytes of requests, and of replies, that a peer may still send before the receiver has handled earlier
//! messages. Both sides count the bytes sent and handled since the start, in numbers that wrap; the receiver sends limits
//! with other traffic, or in a message without other content once half of the room is free again. Requests and replies have
//! credits of their own, so that replies pass while requests wait.

use crate::conduit::Traffic;
use crate::env;

/// Credits that a message takes: its bytes at its receiver; at least `least`, by which the number of messages is bounded.
#[inline]
pub(crate) fn cost(head: usize, inline: usize, least: u32) -> u32 {
    ((64 + head + inline) as u32).max(least)
}

/// The room that a rank has for each class of each of `peers` peers, whose longest message has `packet` bytes, and the least cost of a
/// message.
pub(crate) fn window_for(peers: usize, packet: usize) -> (u32, u32) {
    /// Bytes of unhandled messages of each class that all peers together may have here, if each gets at least room for four.
    const ALL_WINDOWS: usize = 64 << 20;
    /// Requests to one rank in flight, unless `GASNET_NETWORKDEPTH` says another number.
    const USUAL_DEPTH: i64 = 1024;
    let most = cost(packet, 0, 0) as usize;
    let window = (ALL_WINDOWS / peers.max(1)).clamp(4 * most, 16 * most) as u32;
    let depth = env::opt_int("GASNET_NETWORKDEPTH").unwrap_or(USUAL_DEPTH) as u32;
    // Half of the room is announced at once, so a message takes at most a fourth.
    (window, (window / depth).min(most as u32))
}

/// The credits of a sender with one peer.
pub(crate) struct Credits {
    used: [u32; 2],
    limit: [u32; 2],
}

impl Credits {
    /// `window`: the peer's room for each class, the same number as its [`Room`] has.
    pub(crate) fn new(window: u32) -> Credits {
        Credits { used: [0; 2], limit: [window; 2] }
    }

    /// Takes credits; false if there are too few.
    #[inline]
    pub(crate) fn take(&mut self, traffic: Traffic, cost: u32) -> bool {
        let t = traffic as usize;
        let left = self.limit[t].wrapping_sub(self.used[t]) as i32;
        let has = left >= cost as i32;
        if has {
            self.used[t] = self.used[t].wrapping_add(cost);
        }
        has
    }

    /// Returns credits that were taken for a message that was not sent.
    pub(crate) fn give_back(&mut self, traffic: Traffic, cost: u32) {
        let t = traffic as usize;
        self.used[t] = self.used[t].wrapping_sub(cost);
    }

    /// The peer's new limits; older ones are ignored.
    #[inline]
    pub(crate) fn granted(&mut self, limits: [u32; 2]) {
        for (limit, new) in self.limit.iter_mut().zip(limits) {
            if (new.wrapping_sub(*limit) as i32) > 0 {
                *limit = new;
            }
        }
    }
}

/// The room that a receiver has for one peer.
pub(crate) struct Room {
    window: u32,
    /// Running totals of bytes: arrived; handled; announced to the peer as its limit.
    arrived: [u32; 2],
    handled: [u32; 2],
    allowed: [u32; 2],
    /// A new limit must be sent to the peer.
    pub due: bool,
}

impl Room {
    pub(crate) fn new(window: u32) -> Room {
        Room { window, arrived: [0; 2], handled: [0; 2], allowed: [window; 2], due: false }
    }

    pub(crate) fn window(&self) -> u32 {
        self.window
    }

    /// The limits to send to the peer.
    #[inline]
    pub(crate) fn limits(&self) -> [u32; 2] {
        [0, 1].map(|t| self.handled[t].wrapping_add(self.window))
    }

    /// The limits, which are sent to the peer reliably.
    #[inline]
    pub(crate) fn tell(&mut self) -> [u32; 2] {
        let limits = self.limits();
        self.told(limits);
        limits
    }

    /// These limits are sent to the peer reliably.
    #[inline]
    pub(crate) fn told(&mut self, limits: [u32; 2]) {
        (self.allowed, self.due) = (limits, false);
    }

    /// The room for further messages of this class.
    #[inline]
    fn left(&self, t: usize) -> u32 {
        self.handled[t].wrapping_add(self.window).wrapping_sub(self.arrived[t])
    }

    /// Whether the peer may send messages of these costs.
    #[inline]
    pub(crate) fn holds(&self, costs: [u32; 2]) -> bool {
        (0..2).all(|t| costs[t] <= self.left(t))
    }

    #[inline]
    pub(crate) fn arrived(&mut self, costs: [u32; 2]) {
        for (arrived, cost) in self.arrived.iter_mut().zip(costs) {
            *arrived = arrived.wrapping_add(cost);
        }
    }

    /// Takes room for a message that has arrived; false: its sender had no credits for it.
    #[inline]
    pub(crate) fn admits(&mut self, traffic: Traffic, cost: u32) -> bool {
        let t = traffic as usize;
        let holds = cost <= self.left(t);
        if holds {
            self.arrived[t] = self.arrived[t].wrapping_add(cost);
        }
        holds
    }

    /// A message has been handled. True: a new limit must be sent to the peer.
    #[inline]
    pub(crate) fn handled(&mut self, traffic: Traffic, cost: u32) -> bool {
        let t = traffic as usize;
        self.handled[t] = self.handled[t].wrapping_add(cost);
        let more = self.handled[t].wrapping_add(self.window).wrapping_sub(self.allowed[t]);
        self.due |= more >= self.window / 2;
        self.due
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const WINDOW: u32 = 1000;

    /// A pair whose numbers are about to wrap.
    fn pair() -> (Credits, Room) {
        let start = u32::MAX - 5000;
        let room = Room {
            arrived: [start; 2],
            handled: [start; 2],
            allowed: [start.wrapping_add(WINDOW); 2],
            ..Room::new(WINDOW)
        };
        let mut credits = Credits::new(WINDOW);
        (credits.used, credits.limit) = ([start; 2], room.allowed);
        (credits, room)
    }

    proptest! {
        #[test]
        fn no_more_waits_than_the_window_and_nothing_gets_stuck(steps in proptest::collection::vec((any::<bool>(), 1u32..400), 1..400)) {
            let (mut credits, mut room) = pair();
            let mut waiting: [Vec<u32>; 2] = Default::default();
            for (reply, cost) in steps {
                let traffic = if reply { Traffic::Reply } else { Traffic::Request };
                let t = traffic as usize;
                let total: u32 = waiting[t].iter().sum();
                if credits.take(traffic, cost) {
                    prop_assert!(room.admits(traffic, cost));
                    waiting[t].push(cost);
                    prop_assert!(total + cost <= WINDOW);
                } else {
                    // Less than half of the room is handled but not announced.
                    prop_assert!(total + cost + WINDOW / 2 > WINDOW);
                    for cost in waiting[t].drain(..) {
                        room.handled(traffic, cost);
                    }
                    if room.due {
                        credits.granted(room.tell());
                    }
                    prop_assert!(credits.take(traffic, 1));
                    credits.give_back(traffic, 1);
                }
            }
        }
    }

    #[test]
    fn old_limits_take_nothing_back() {
        let (mut credits, room) = pair();
        let old = room.limits().map(|limit| limit.wrapping_sub(500));
        credits.granted(old);
        assert!(credits.take(Traffic::Request, WINDOW));
        assert!(!credits.take(Traffic::Request, 1));
        assert!(credits.take(Traffic::Reply, WINDOW));
    }
}
