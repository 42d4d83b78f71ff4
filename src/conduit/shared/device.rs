//! The network interface by which a library reaches other hosts, if it is one of the kernel's. Connections of TCP do not end when it goes down, or is
//! gone: a rank that waits for them looks at it now and then.

use core::cell::Cell;
use std::time::{Duration, Instant};

use crate::os::host;

/// Polls in a row without an arrival between two looks, and the time.
const POLLS: u32 = 4096;
const LOOKS: Duration = Duration::from_secs(1);
/// An interface may go down for a moment, when its settings are changed.
const DOWN_FOR: Duration = Duration::from_secs(10);

pub(crate) struct NetworkDevice {
    pub name: String,
    polls: Cell<u32>,
    looked: Instant,
    down_since: Option<Instant>,
}

impl NetworkDevice {
    /// None: there is no interface of this name that is up.
    pub(crate) fn watch(name: &str) -> Option<NetworkDevice> {
        host::is_up(name).then(|| NetworkDevice {
            name: name.to_owned(),
            polls: Cell::new(0),
            looked: Instant::now(),
            down_since: None,
        })
    }

    /// For each poll without an arrival: whether it has been down for some time.
    #[inline]
    pub(crate) fn is_lost(&mut self) -> bool {
        let polls = self.polls.get() + 1;
        self.polls.set(polls);
        polls >= POLLS && self.look(Instant::now(), host::is_up)
    }

    #[cold]
    fn look(&mut self, now: Instant, is_up: impl Fn(&str) -> bool) -> bool {
        self.polls.set(0);
        if now.duration_since(self.looked) < LOOKS {
            return false;
        }
        self.looked = now;
        if is_up(&self.name) {
            self.down_since = None;
            return false;
        }
        now.duration_since(*self.down_since.get_or_insert(now)) >= DOWN_FOR
    }

    /// The longest sleep, of at most `ns`, after which the next poll looks.
    pub(crate) fn nap_ns(&self, ns: u64) -> u64 {
        self.polls.set(POLLS);
        ns.min(LOOKS.as_nanos() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interface_is_lost_when_it_has_been_down_for_some_time() {
        let mut device = NetworkDevice::watch("lo").unwrap();
        let start = device.looked;
        let mut at = |ms: u64, up: bool| device.look(start + Duration::from_millis(ms), |_| up);
        // Down for a moment, then for good.
        let looks = [(900, false), (2000, false), (11_000, true), (13_000, false), (22_900, false), (23_000, false)];
        assert_eq!(looks.map(|(ms, up)| at(ms, up)), [false; 6]);
        assert!(at(24_000, false));
        assert!(NetworkDevice::watch("nosuch0").is_none());
    }

    #[test]
    fn a_sleeping_rank_looks_with_its_next_poll() {
        let mut device = NetworkDevice::watch("lo").unwrap();
        assert_eq!([device.nap_ns(5), device.nap_ns(u64::MAX)], [5, 1_000_000_000]);
        assert!(!device.is_lost());
        assert_eq!(device.polls.get(), 0);
    }
}
