//! The listening socket, and counters, of bounded size, of the connections that were never authenticated, by source.

use std::net::{IpAddr, TcpListener};
use std::time::{Duration, Instant};

/// Sources that are counted separately; all others share one counter.
const SOURCES: usize = 16;

/// The listening socket, to which processes of the job connect, and possibly others.
pub(super) struct MasterDoor {
    pub(super) listener: TcpListener,
    /// After a failure, the time at which connections are accepted again.
    pub(super) shut_until: Option<Instant>,
    /// Consecutive failures that are not transient.
    pub(super) failures: u32,
    /// The reason why connections had to wait.
    pub(super) why: Option<String>,
}

impl MasterDoor {
    pub(super) fn new(listener: TcpListener) -> MasterDoor {
        MasterDoor { listener, shut_until: None, failures: 0, why: None }
    }

    /// The reason why a process may have failed to connect, if known.
    pub(super) fn why(&self) -> Option<&str> {
        self.why.as_deref()
    }

    pub(super) fn shut_for(&mut self, time: Duration) {
        self.shut_until = Some(Instant::now() + time);
    }
}

#[derive(Default)]
pub(super) struct Strangers {
    sources: Vec<(IpAddr, u64)>,
    others: u64,
}

impl Strangers {
    pub(super) fn count(&mut self, from: IpAddr) {
        let from = from.to_canonical();
        match self.sources.iter().position(|(source, _)| *source == from) {
            Some(known) => self.sources[known].1 += 1,
            None if self.sources.len() < SOURCES => self.sources.push((from, 1)),
            None => self.others += 1,
        }
    }

    /// A line for the user; none if there were none.
    pub(super) fn line(&self) -> Option<String> {
        let total = self.sources.iter().map(|(_, n)| n).sum::<u64>() + self.others;
        if total == 0 {
            return None;
        }
        let sources: Vec<_> = self.sources.iter().map(|(source, n)| format!("{source} ({n})")).collect();
        let others = if self.others > 0 { format!(" and others ({})", self.others) } else { String::new() };
        Some(format!("*** NOTE: master: {total} connections refused; from {}{others}", sources.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_told_apart_up_to_a_bound() {
        let mut strangers = Strangers::default();
        assert_eq!(strangers.line(), None);
        strangers.count("::ffff:10.0.0.1".parse().unwrap());
        strangers.count("10.0.0.1".parse().unwrap());
        strangers.count("fd00::1".parse().unwrap());
        assert_eq!(
            strangers.line().unwrap(),
            "*** NOTE: master: 3 connections refused; from 10.0.0.1 (2), fd00::1 (1)"
        );
        for n in 0..100u8 {
            strangers.count([10, 0, 1, n].into());
        }
        assert!(strangers.line().unwrap().ends_with(" and others (86)"));
    }
}
