//! Connections of processes that have not shown that they are of the job: taken as they come, few at a time; and how many
//! never showed it, and from where. Of bounded size.

use super::*;

/// The number of sources that are counted separately; others are counted together.
const SOURCES: usize = 16;

/// Where processes connect that belong to the job, and others.
pub(super) struct Door {
    pub(super) listener: TcpListener,
    /// Connections could not be taken, and are tried again then.
    pub(super) shut_until: Option<Instant>,
    /// Failures in a row that will not pass by themselves.
    failures: u32,
    /// Why connections had to wait.
    why: Option<String>,
}

impl Door {
    pub(super) fn new(listener: TcpListener) -> Door {
        Door { listener, shut_until: None, failures: 0, why: None }
    }

    /// Why a process may not have come in, if the reason is known.
    pub(super) fn why(&self) -> Option<&str> {
        self.why.as_deref()
    }

    fn shut_for(&mut self, time: Duration) {
        self.shut_until = Some(Instant::now() + time);
    }
}

impl Master {
    /// Takes a connection that waits.
    pub(super) fn accept(&mut self) {
        let Some(door) = &mut self.door else { return };
        let taken = door.listener.accept().and_then(|(stream, peer)| {
            stream.set_nonblocking(true)?;
            stream.set_nodelay(true)?;
            Ok((stream, peer, control::random()?))
        });
        let (stream, peer, nonce) = match taken {
            Ok(taken) => taken,
            Err(error) => return self.not_taken(&error),
        };
        door.failures = 0;
        if self.conns.iter().flatten().filter(|conn| !conn.member).count() >= MOST_STRANGERS {
            self.drop_oldest_stranger();
        }
        let conn = Conn {
            stream,
            peer,
            nonce,
            since: Instant::now(),
            opening: Vec::new(),
            keys: None,
            host: None,
            member: false,
            alive: false,
            waiting: control::opening(&nonce).to_vec(),
            silence: Silence::new(self.peer_timeout.max(STARTING_TIME)),
        };
        match self.conns.iter_mut().find(|slot| slot.is_none()) {
            Some(slot) => *slot = Some(conn),
            None => self.conns.push(Some(conn)),
        }
    }

    /// False if there is none.
    fn drop_oldest_stranger(&mut self) -> bool {
        let strangers = self.conns.iter_mut().filter(|slot| slot.as_ref().is_some_and(|conn| !conn.member));
        let oldest = strangers.min_by_key(|slot| slot.as_ref().map(|conn| conn.since)).and_then(Option::take);
        if let Some(conn) = &oldest {
            self.strangers.count(conn.peer.ip());
        }
        oldest.is_some()
    }

    fn not_taken(&mut self, error: &std::io::Error) {
        const MOST_FAILURES: u32 = 3;
        let full = match error.raw_os_error() {
            // The peer has closed, or its network failed; accept(2) returns errors of the new connection.
            Some(
                libc::EAGAIN
                | libc::EINTR
                | libc::ECONNABORTED
                | libc::ECONNRESET
                | libc::EPROTO
                | libc::ENOPROTOOPT
                | libc::ENETDOWN
                | libc::EHOSTDOWN
                | libc::ENONET
                | libc::EHOSTUNREACH
                | libc::EOPNOTSUPP
                | libc::ENETUNREACH
                | libc::ETIMEDOUT,
            ) => return,
            Some(libc::EMFILE | libc::ENFILE | libc::ENOBUFS | libc::ENOMEM) => true,
            _ => false,
        };
        if full && self.drop_oldest_stranger() {
            return;
        }
        let own_limit = error.raw_os_error() == Some(libc::EMFILE);
        let Some(door) = &mut self.door else { return };
        if full && !own_limit {
            // The machine's want may pass.
            door.shut_for(Duration::from_millis(50));
            if door.why.replace(format!("accept: {error}")).is_none() {
                warn!("the connections of the job's processes have to wait: accept: {error}");
            }
            return;
        }
        door.failures += 1;
        door.shut_for(Duration::from_millis(10));
        if own_limit || door.failures == MOST_FAILURES {
            let which = if own_limit { " (ulimit -n)" } else { "" };
            let text =
                format!("*** FATAL ERROR: no connection of the job's processes can be taken: accept: {error}{which}");
            self.decide(1, true, Some(text));
        }
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
