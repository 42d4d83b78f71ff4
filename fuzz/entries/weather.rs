//! The conditions of a simulated run: the network, the clocks, the amount of work.

use gasnet::internal::conduit::udp::faults::Faults;

use super::input::Input;

pub const US: u64 = 1000;
pub const MS: u64 = 1_000_000;
pub const SECOND: u64 = 1_000_000_000;
pub const MOST_MEDIUM: usize = 6000;
pub const AM_WINDOW: u32 = 14_000;
pub const SEND_QUEUE: u32 = 10_000;
pub const TRANSFERS: usize = 6;
pub const IN_FLIGHT: u64 = 100_000;

/// A clock that is fast or slow, and jumps.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    pub shows: u64,
    pub at: u64,
    pub permille: u64,
}

impl Clock {
    pub fn read(&self, now: u64) -> u64 {
        self.shows + (now - self.at) * self.permille / 1000
    }

    /// When it will show `shows`.
    pub fn when(&self, shows: u64) -> u64 {
        self.at.saturating_add(shows.saturating_sub(self.shows).saturating_mul(1000) / self.permille + 1)
    }

    pub fn jump(&mut self, now: u64, forward: u64, back: u64) {
        (self.shows, self.at) = ((self.read(now) + forward).saturating_sub(back), now);
    }
}

/// The network cannot carry anything from one to the other in this time.
#[derive(Clone, Copy, Debug)]
pub struct Cut {
    pub from: u64,
    pub until: u64,
    /// From rank 0 to rank 1, back, or (2) all.
    pub which: u32,
}

/// The conditions of a run.
#[derive(Clone, Debug)]
pub struct Weather {
    pub ranks: u32,
    pub encrypt: bool,
    pub ops: u64,
    /// The longest message or transfer.
    pub most: usize,
    pub faults: Faults,
    /// The faults are the product's own (`GASNET_UDP_FAULTS`), not the simulation's.
    pub by_product: bool,
    /// Share of datagrams, copies among them, that come very late.
    pub late: f64,
    /// From the lower rank to the higher, and back.
    pub latency: [u64; 2],
    /// The largest datagram that passes, and from when on.
    pub paths: Vec<(u64, usize)>,
    /// The first hop reports datagrams that are too large for it; else they disappear.
    pub tells: bool,
    pub socket_bytes: usize,
    pub not_now: f64,
    pub cuts: Vec<Cut>,
    pub stops: f64,
    pub deaf: f64,
    pub jumps: f64,
}

impl Weather {
    pub fn of(c: &mut Input<'_>) -> Weather {
        let small = c.is_fuzzed() || c.hits(0.9);
        let rough = c.below(4) as usize;
        let share = |c: &mut Input<'_>, most: f64| if c.hits(0.5) { 0.0 } else { most * c.below(100) as f64 / 100.0 };
        let latencies = [2 * US, 20 * US, 500 * US, 5 * MS];
        let latency = c.one_of(&latencies);
        let mtus = [1200, 1472, 4000, 9000];
        let mut paths = vec![(0, c.one_of(&mtus))];
        // While it lasts: a run takes some tens of round trips.
        let span = 60 * latency + 500 * US;
        if c.hits(0.3) {
            paths[0].1 = c.one_of(&[4000, 9000, 9000]);
            for _ in 0..1 + c.below(3) {
                paths.push((c.below(span), c.one_of(&mtus)));
            }
            paths[1..].sort_unstable();
        }
        let mut cuts = Vec::new();
        if c.hits(0.2) {
            for _ in 0..1 + c.below(3) {
                let from = c.below(span);
                // Longer than any timeout now and then.
                let length = match c.below(4) {
                    0 => c.below(60 * SECOND),
                    1 => c.below(2 * SECOND),
                    _ => c.below(50 * MS),
                };
                cuts.push(Cut { from, until: from + length, which: c.below(3) as u32 });
            }
        }
        Weather {
            ranks: if small { 2 } else { 2 + c.below(3) as u32 },
            encrypt: c.hits(0.3),
            ops: 1 + if small { c.below(8) } else { c.below(60) },
            most: if small { c.one_of(&[100, 1500, 6000]) } else { c.one_of(&[200, 4000, 40_000]) },
            faults: Faults {
                loss: share(c, [0.0, 0.02, 0.1, 0.3][rough]),
                dup: share(c, 0.1),
                reorder: share(c, 0.3),
                corrupt: share(c, 0.05),
                delay_ns: 0,
                seed: c.u64(),
            },
            by_product: c.hits(0.3),
            late: share(c, 0.05),
            latency: [latency, if c.hits(0.7) { latency } else { c.one_of(&latencies) }],
            paths,
            tells: c.hits(0.5),
            socket_bytes: c.one_of(&[20_000, 200_000, 1_000_000]),
            not_now: share(c, 0.05),
            cuts,
            stops: if c.hits(0.3) { 0.02 } else { 0.0 },
            deaf: if c.hits(0.3) { 0.05 } else { 0.0 },
            jumps: if c.hits(0.2) { 0.02 } else { 0.0 },
        }
    }

    pub fn path(&self, now: u64) -> usize {
        self.paths.iter().rev().find(|(from, _)| *from <= now).map_or(0, |(_, mtu)| *mtu)
    }

    pub fn is_cut(&self, from: u32, to: u32, now: u64) -> bool {
        self.cuts.iter().any(|cut| {
            (cut.from..cut.until).contains(&now)
                && match cut.which {
                    0 => from == 0 && to == 1,
                    1 => from == 1 && to == 0,
                    _ => true,
                }
        })
    }

    /// The bytes that an engine may hold: messages that wait here and in pieces, copies of transfers, datagrams under way, and
    /// some that is kept for reuse.
    pub fn most_held(&self) -> isize {
        let a_peer = 2 * (SEND_QUEUE + AM_WINDOW) as usize + 2 * TRANSFERS * self.most + 4 * IN_FLIGHT as usize;
        (a_peer * self.ranks as usize + 500_000) as isize
    }
}
