//! The members of a job: connections from their first bytes until all hosts may start their ranks; exchanges between
//! ranks; frames of members.

use super::ending::died;
use super::state::*;
use crate::defs::rank::{HostRank, JobRank};

impl Master {
    pub(super) fn send(&mut self, at: usize, frame: &Frame) {
        if let Some(Some(Conn { keys: Some((sealer, _)), waiting, member: true, .. })) = self.conns.get_mut(at) {
            sealer.seal(frame, waiting);
        }
    }

    pub(super) fn transmit(&mut self, at: usize) {
        let Some(conn) = &mut self.conns[at] else { return };
        while !conn.waiting.is_empty() {
            match conn.stream.write(&conn.waiting) {
                Ok(sent) => _ = conn.waiting.drain(..sent),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(error) if is_forbidden(&error) => self.cannot("write to a connection (send)", &error),
                Err(_) => {
                    // Data that it has sent is read before its end is handled.
                    conn.waiting.clear();
                }
            }
        }
    }

    pub(super) fn receive(&mut self, at: usize) {
        let mut block = [0; 32 << 10];
        let Some(conn) = &mut self.conns[at] else { return };
        // Before authentication few bytes are accepted.
        let most = if conn.member { block.len() } else { control::OPENING_BYTES };
        match conn.stream.read(&mut block[..most]) {
            Ok(0) => return self.hung_up(at),
            Ok(got) => {
                conn.silence.heard();
                let mut bytes = &block[..got];
                if conn.keys.is_none() {
                    let missing = control::OPENING_BYTES - conn.opening.len();
                    let (opening, rest) = bytes.split_at(missing.min(bytes.len()));
                    conn.opening.extend_from_slice(opening);
                    bytes = rest;
                    if let Ok(opening) = conn.opening[..].try_into() {
                        let Ok(theirs) = control::opened(opening) else {
                            return self.hung_up(at);
                        };
                        let (secret, mine) = (&self.secret, &conn.nonce);
                        conn.keys = Some((
                            Sealer::new(secret, Side::Master, mine, &theirs),
                            Opener::new(secret, Side::Master, mine, &theirs),
                        ));
                    }
                }
                if let Some((_, opener)) = &mut conn.keys {
                    opener.push(bytes);
                }
            }
            Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) => return,
            Err(error) if is_forbidden(&error) => self.cannot("read from a connection (recv)", &error),
            Err(_) => return self.hung_up(at),
        }
        loop {
            let Some(Conn { keys: Some((_, opener)), peer, member, .. }) = &mut self.conns[at] else { return };
            match opener.next_frame() {
                Ok(Some(frame)) => self.heard(at, frame),
                Ok(None) => return,
                Err(bad) => {
                    if self.verbose {
                        let text = format!("*** GASNet: refused a connection from {peer} ({bad:?})");
                        self.out[1].push_line(&text);
                    } else if *member && bad != Bad::Tag {
                        let text = format!("*** GASNet: {peer} speaks another version of the library");
                        self.out[1].push_line(&text);
                    }
                    return self.hung_up(at);
                }
            }
        }
    }

    pub(super) fn hung_up(&mut self, at: usize) {
        let Some(conn) = self.conns[at].take() else { return };
        if !conn.member {
            self.strangers.count(conn.peer.ip());
        }
        self.lobby.retain(|(waiting, _)| *waiting != at);
        if let Some(nth) = self.presented.iter().position(|one| one.at == at) {
            if self.ending.is_none() {
                let PresentedHost { hello, ranks, .. } = self.presented.swap_remove(nth);
                let info = HostInfo { name: hello.name, ranks };
                return self.decide(1, true, Some(format!("*** FATAL ERROR: {info} ended while the job started")));
            }
        }
        if let Some(host) = conn.host {
            if self.hosts[host].stage != HostStage::Gone {
                self.hosts[host].broke_at.get_or_insert_with(Instant::now);
            }
        }
    }

    pub(super) fn heard(&mut self, at: usize, frame: Frame) {
        let Some(conn) = &mut self.conns[at] else { return };
        match (conn.member, conn.host, frame) {
            (false, _, Frame::Hello(hello)) => self.greeted(at, hello),
            (true, None, Frame::Present { ranks, terms, warden }) if self.how == SpawnMethod::External => {
                self.presented(at, ranks, &terms, warden);
            }
            (true, Some(host), Frame::Bound(warden)) => self.bound(host, warden),
            (true, Some(host), Frame::Fence(records)) => self.fenced(host, records),
            (true, Some(_), Frame::Alive) if !conn.alive => {
                conn.alive = true;
                conn.silence = Silence::new(self.peer_timeout);
            }
            (true, _, Frame::Alive) => {}
            (true, Some(host), Frame::Lines { rank, stream: stream @ 1..=2, bytes }) => {
                match (self.hosts[host].info.ranks.get(HostRank(rank)), stream) {
                    (None, _) => self.hung_up(at),
                    (Some(rank), 1) => self.out[0].push(rank.0, &bytes),
                    (Some(rank), _) => self.push_errors(Some(rank.0), &bytes),
                }
            }
            (true, Some(host), Frame::Died { rank, pid, how }) => {
                let host = &self.hosts[host].info;
                match host.ranks.get(HostRank(rank)).map(|rank| died(rank.0, pid, &host.name, how)) {
                    Some(text) => self.say(text),
                    None => self.hung_up(at),
                }
            }
            (true, Some(_), Frame::End { code, crash }) => {
                self.worsen(code, crash);
                self.decide(code, crash, None);
            }
            (true, _, Frame::Trouble { code, why }) => {
                let text = format!("*** FATAL ERROR: {why}");
                if self.ended_well() {
                    self.say(text);
                    self.worsen(code, true);
                } else {
                    self.decide(code, true, Some(text));
                }
            }
            (true, Some(host), Frame::Explain(rank)) => {
                let info = &self.hosts[host].info;
                self.asked(Some(rank).filter(|&rank| info.ranks.index_of(JobRank(rank)).is_some()));
            }
            (true, Some(_), Frame::Standing(bytes)) => self.standing(&bytes),
            (true, Some(host), Frame::Explained) => self.explained(host),
            (true, Some(host), Frame::Still { still, waiting }) => self.still(host, still, waiting),
            (true, Some(host), Frame::Bye) => {
                self.hosts[host].stage = HostStage::Gone;
                self.conns[at] = None;
                if self.ending.is_none() {
                    // A host left without an end of the job: all its ranks are gone.
                    self.decide(1, true, None);
                }
            }
            _ => self.hung_up(at),
        }
    }

    pub(super) fn greeted(&mut self, at: usize, hello: Hello) {
        let Some(Some(conn)) = self.conns.get_mut(at) else { return };
        if let Some((_, opener)) = &mut conn.keys {
            opener.trust();
        }
        // From here on the host is told the end of the job, even if the job has already ended.
        conn.member = true;
        if let Some(JobEnding { code, .. }) = self.ending {
            return self.send(at, &Frame::End { code, crash: true });
        }
        if hello.abi != worker::version(self.order.abi) {
            let text = format!(
                "*** FATAL ERROR: host {} has another version of the library than the process that starts the job",
                hello.name
            );
            return self.decide(1, true, Some(text));
        }
        let mut others =
            self.hosts.iter().filter_map(|host| host.hello.as_ref()).chain(self.lobby.iter().map(|l| &l.1));
        if let Some(other) = others.next() {
            if ![hello.binary, 0].contains(&other.binary) && hello.binary != 0 {
                let text = format!(
                    "*** FATAL ERROR: {} differs between hosts {} and {}: copy the same program to all of them",
                    self.order.program.path.display(),
                    other.name,
                    hello.name
                );
                return self.decide(1, true, Some(text));
            }
        }
        let Some(Some(conn)) = self.conns.get_mut(at) else { return };
        if self.how == SpawnMethod::External {
            self.lobby.push((at, hello));
            return;
        }
        if self.how == SpawnMethod::Command {
            if hello.seat != control::ANY_SEAT || self.door.is_none() {
                self.conns[at] = None;
                return;
            }
            self.lobby.push((at, hello));
            if self.lobby.len() == self.order.size as usize {
                self.seat_the_lobby();
            }
            return;
        }
        let seat = hello.seat as usize;
        match self.hosts.get_mut(seat) {
            Some(host) if host.stage == HostStage::Away => {
                conn.host = Some(seat);
                host.stage = HostStage::Here;
                host.hello = Some(hello);
                self.show_errors_of(Some(seat));
                self.assign(at, seat, false);
            }
            _ => self.conns[at] = None,
        }
        if self.hosts.iter().all(|host| host.stage != HostStage::Away) {
            self.close_door();
        }
    }

    /// Closes the listening socket: all processes have joined.
    pub(super) fn close_door(&mut self) {
        self.door = None;
        for slot in &mut self.conns {
            slot.take_if(|conn| !conn.member);
        }
    }

    /// All processes of the command have joined: those of one machine become one host.
    pub(super) fn seat_the_lobby(&mut self) {
        self.close_door();
        self.show_errors_of(None);
        let mut machines: Vec<Vec<(usize, Hello)>> = Vec::new();
        for (at, hello) in std::mem::take(&mut self.lobby) {
            match machines.iter_mut().find(|machine| machine[0].1.machine == hello.machine) {
                Some(machine) => machine.push((at, hello)),
                None => machines.push(vec![(at, hello)]),
            }
        }
        let counts: Vec<u32> = machines.iter().map(|machine| machine.len() as u32).collect();
        if let Err(why) = places::check_size(self.order.size.into(), counts.iter().copied().max().unwrap_or(0).into()) {
            return self.decide(1, true, Some(format!("*** FATAL ERROR: {why}")));
        }
        let mut seats = Vec::new();
        for (machine, ranks) in machines.into_iter().zip(hosts::dealt(&counts, self.distribution)) {
            let host = self.hosts.len();
            for (nth, (at, hello)) in machine.into_iter().enumerate() {
                seats.push((at, host, nth > 0));
                if nth == 0 {
                    let info = HostInfo { name: hello.name.clone(), ranks: ranks.clone() };
                    self.hosts.push(Host::new(info, Some(hello)));
                }
            }
        }
        for (at, host, surplus) in seats {
            if let Some(Some(conn)) = self.conns.get_mut(at) {
                conn.host = Some(host).filter(|_| !surplus);
            }
            self.assign(at, host, surplus);
        }
    }

    pub(super) fn assign(&mut self, at: usize, host: usize, surplus: bool) {
        let env = match self.how {
            SpawnMethod::Local | SpawnMethod::External => Vec::new(),
            SpawnMethod::Ssh | SpawnMethod::Command => env::everything(),
        };
        let assign = Assign {
            size: self.order.size,
            host: host as u32,
            hosts: self.hosts.iter().map(|host| host.info.clone()).collect(),
            peer_timeout_ms: self.peer_timeout.as_millis().clamp(1, u32::MAX.into()) as u32,
            route: self.route,
            line_bytes: self.line_bytes,
            terminal: self.route && std::io::stdout().is_terminal(),
            stdin: host == 0 && !matches!(self.how, SpawnMethod::Command | SpawnMethod::External),
            surplus,
            dir: match self.how {
                SpawnMethod::Command => self.order.program.dir.as_os_str().as_bytes().to_vec(),
                _ => Vec::new(),
            },
            env,
            terms: self.terms.as_ref().map_or(Vec::new(), |(_, terms)| terms.bytes()),
        };
        self.send(at, &Frame::Assign(Box::new(assign)));
    }

    fn bound(&mut self, host: usize, warden: WardenAddress) {
        let host = &mut self.hosts[host];
        if host.stage != HostStage::Here {
            return;
        }
        host.warden = Some(warden);
        host.stage = HostStage::Bound;
        if self.hosts.iter().all(|host| host.stage == HostStage::Bound) {
            self.all_are_bound();
        }
    }

    /// All hosts may start their ranks.
    pub(super) fn all_are_bound(&mut self) {
        self.deadline = None;
        if let Some(why) = self.parted() {
            return self.decide(1, true, Some(format!("*** FATAL ERROR: {why}")));
        }
        let wardens: Vec<WardenAddress> = self.hosts.iter().filter_map(|host| host.warden).collect();
        let has_ports = wardens.iter().all(|warden| warden.tree > 0);
        let degree = if has_ports { tree::degree(wardens.len()) } else { 0 };
        let beside = self.beside();
        for at in 0..self.conns.len() {
            if let Some(host) = self.conns[at].as_ref().and_then(|conn| conn.host) {
                self.send(at, &Frame::Table { wardens: wardens.clone(), beside: beside[host], degree });
            }
        }
    }

    /// Once the ranks of all hosts have entered a fence, the values of all ranks are sent to all.
    fn fenced(&mut self, host: usize, records: Vec<u8>) {
        self.hosts[host].records = Some(records);
        if self.hosts.iter().all(|host| host.stage == HostStage::Bound && host.records.is_some()) {
            let all = self.hosts.iter_mut().filter_map(|host| host.records.take()).flatten().collect();
            self.tell_hosts(&Frame::Fence(all));
        }
    }

    /// For each host, the ranks of other hosts that use processors of it.
    fn beside(&self) -> Vec<u32> {
        let hosts = self.hosts.iter().map(|host| {
            let (kernel, cpus) = host.hello.as_ref().map_or((0, &[][..]), |hello| (hello.kernel, &hello.cpus));
            hosts::Uses { kernel, cpus, ranks: host.info.ranks.count() }
        });
        hosts::beside(&hosts.collect::<Vec<_>>())
    }

    fn tell_hosts(&mut self, frame: &Frame) {
        for at in 0..self.conns.len() {
            if self.conns[at].as_ref().is_some_and(|conn| conn.host.is_some()) {
                self.send(at, frame);
            }
        }
    }

    /// The reason why hosts cannot reach each other, if their addresses show it.
    fn parted(&self) -> Option<String> {
        let mut places = self.hosts.iter().filter_map(|host| Some((&host.info, host.warden?.at.ip())));
        let (first, ip) = places.next()?;
        places.find_map(|(other, far)| {
            let why = if ip.is_ipv4() != far.is_ipv4() {
                "one has an IPv4 address and the other an IPv6 one"
            } else if ip.is_loopback() != far.is_loopback() {
                "a loopback address is known to its own machine only"
            } else {
                return None;
            };
            Some(format!(
                "{first} at {ip} and {other} at {far} do not reach each other: {why}; GASNET_WORKERIP chooses the \
                 network that all hosts use"
            ))
        })
    }

    pub(super) fn running(&self) -> bool {
        self.deadline.is_none()
    }
}
