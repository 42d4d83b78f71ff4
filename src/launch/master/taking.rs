//! Accepting connections, which are not authenticated yet.

use super::state::*;

impl Master {
    /// Accepts a queued connection.
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
            // The machine may have resources again later.
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
