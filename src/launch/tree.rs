//! The tree of hosts: the warden of each host is connected to those of a few others. Exchanges of the ranks' values run along
//! it, so that no process sends the values of all ranks to all hosts: the values of a host and of those below it go up, and
//! those of all hosts come down from host 0. Host `h` is below host `(h - 1) / degree`. No call waits.
//!
//! A connection is made by the lower host and is encrypted and authenticated as that to the master. Each side first sends its
//! number. Connections that are not authentic are dropped, and possibly others if there are many; so the lower host connects
//! again until it has been answered. The job goes on if a connection breaks between two exchanges; the
//! master sees for itself whether hosts are alive.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::ops::Range;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::PollFlags;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, SockaddrStorage, connect, socket};

use crate::env;
use crate::launch::control::{self, Frame, JobSecret, Nonce, Opener, Sealer, Side};
use crate::launch::hosts::HostInfo;

/// Connections that are not authentic yet.
const MOST_STRANGERS: usize = 32;
const STRANGER_TIME: Duration = Duration::from_secs(10);
/// After a connection broke, the time in which the master finds out whether the host has ended, and why.
const EXPLANATION_TIME: Duration = Duration::from_secs(1);
/// The time before a second attempt to connect; it doubles with each of the next ones.
const FIRST_PAUSE: Duration = Duration::from_millis(5);
const MOST_DOUBLINGS: u32 = 8;

/// Jobs of more hosts have a tree unless GASNET_TREE_DEGREE says otherwise.
const MOST_BY_MASTER: usize = 16;
const DEGREE: u32 = 4;

/// The hosts below each host in the tree of a job of `hosts` hosts; 0: there is none.
pub fn degree(hosts: usize) -> u32 {
    match env::opt_int("GASNET_TREE_DEGREE") {
        _ if hosts <= 1 => 0,
        Some(degree) => degree as u32,
        None => {
            if hosts <= MOST_BY_MASTER {
                0
            } else {
                DEGREE
            }
        }
    }
}

/// The host above `host`.
fn above(host: u32, degree: u32) -> Option<u32> {
    host.checked_sub(1).map(|below| below / degree.max(1))
}

/// The hosts directly below `host`, of `hosts`.
pub fn below(host: u32, hosts: u32, degree: u32) -> Range<u32> {
    let end = |host: u64| (host * u64::from(degree) + 1).min(hosts.into()) as u32;
    end(host.into())..end(u64::from(host) + 1)
}

/// This host's part of the tree.
pub struct HostTree {
    me: u32,
    degree: u32,
    key: JobSecret,
    /// This host, the one above and those below.
    names: Vec<(u32, HostInfo)>,
    listener: Option<TcpListener>,
    /// The address of the host above; then the connection to it.
    over: Option<SocketAddr>,
    up: Option<Link>,
    /// The time at which to connect again, and the number of times that this host has done so.
    again: (Option<Instant>, u32),
    below: Range<u32>,
    down: Vec<Link>,
    strangers: Vec<Link>,
    /// The values of this host's ranks in the exchange in progress.
    own: Option<Vec<u8>>,
    /// They have gone up, with those of the hosts below.
    sent: bool,
    /// The time at which all connections must be there.
    late_at: Instant,
    patience: Duration,
    /// The error of the last attempt to connect to the host above.
    why_not: String,
    /// The error of `late_at` was returned.
    gave_up: bool,
    broken: Option<Broken>,
}

/// A connection that has ended.
struct Broken {
    tell_at: Instant,
    why: String,
}

struct Link {
    stream: TcpStream,
    side: Side,
    nonce: Nonce,
    since: Instant,
    /// The bytes of the other side's opening, until it is complete.
    opening: Vec<u8>,
    keys: Option<(Sealer, Opener)>,
    /// Of the other side, once it has said so.
    host: Option<u32>,
    waiting: Vec<u8>,
    arrived: Vec<Frame>,
}

impl Link {
    fn new(stream: TcpStream, side: Side) -> std::io::Result<Link> {
        stream.set_nonblocking(true)?;
        stream.set_nodelay(true)?;
        let nonce = control::random()?;
        let (waiting, opening, arrived) = (control::opening(&nonce).to_vec(), Vec::new(), Vec::new());
        Ok(Link { stream, side, nonce, since: Instant::now(), opening, keys: None, host: None, waiting, arrived })
    }

    /// Begins to connect to the host above.
    fn dial(at: SocketAddr) -> std::io::Result<Link> {
        let family = if at.is_ipv4() { AddressFamily::Inet } else { AddressFamily::Inet6 };
        let file = socket(family, SockType::Stream, SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK, None)?;
        match connect(file.as_raw_fd(), &SockaddrStorage::from(at)) {
            Ok(()) | Err(Errno::EINPROGRESS | Errno::EINTR) => Link::new(TcpStream::from(file), Side::Worker),
            Err(errno) => Err(errno.into()),
        }
    }

    fn send(&mut self, frame: &Frame) {
        if let Some((sealer, _)) = &mut self.keys {
            sealer.seal(frame, &mut self.waiting);
        }
    }

    /// All input and output that is possible. `me`: this host's number.
    fn work(&mut self, key: &JobSecret, me: u32) -> Result<(), String> {
        self.transmit()?;
        let mut block = [0; 16 << 10];
        loop {
            // Before authentication few bytes are accepted.
            let most = if self.host.is_some() { block.len() } else { control::OPENING_BYTES };
            match self.stream.read(&mut block[..most]) {
                Ok(0) => return Err("closed".into()),
                Ok(got) => self.take(&block[..got], key, me)?,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // Also while it is being connected.
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::NotConnected) => break,
                Err(error) => return Err(error.to_string()),
            }
        }
        self.transmit()
    }

    fn take(&mut self, mut bytes: &[u8], key: &JobSecret, me: u32) -> Result<(), String> {
        if self.keys.is_none() {
            let missing = control::OPENING_BYTES - self.opening.len();
            let (opening, rest) = bytes.split_at(missing.min(bytes.len()));
            self.opening.extend_from_slice(opening);
            bytes = rest;
            let Ok(opening) = self.opening[..].try_into() else { return Ok(()) };
            let theirs = control::opened(opening).map_err(|bad| format!("{bad:?}"))?;
            let (upper, lower) = match self.side {
                Side::Master => (&self.nonce, &theirs),
                Side::Worker => (&theirs, &self.nonce),
            };
            self.keys = Some((Sealer::new(key, self.side, upper, lower), Opener::new(key, self.side, upper, lower)));
            if self.side == Side::Worker {
                self.send(&Frame::Branch(me));
            }
        }
        let Some((_, opener)) = &mut self.keys else { return Ok(()) };
        opener.push(bytes);
        while let Some(frame) = opener.next_frame().map_err(|bad| format!("{bad:?}"))? {
            match (self.host, frame) {
                (None, Frame::Branch(host)) => {
                    opener.trust();
                    self.host = Some(host);
                    if self.side == Side::Master {
                        self.keys.iter_mut().for_each(|(sealer, _)| sealer.seal(&Frame::Branch(me), &mut self.waiting));
                    }
                    return self.take(&[], key, me);
                }
                (None, _) => return Err("not a host of the job".into()),
                (Some(_), frame) => self.arrived.push(frame),
            }
        }
        Ok(())
    }

    fn transmit(&mut self) -> Result<(), String> {
        while !self.waiting.is_empty() {
            match self.stream.write(&self.waiting) {
                Ok(sent) => _ = self.waiting.drain(..sent),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::NotConnected) => return Ok(()),
                Err(error) => return Err(error.to_string()),
            }
        }
        Ok(())
    }

    /// The values that have come, if they have.
    fn values(&mut self) -> Option<Vec<u8>> {
        let at = self.arrived.iter().position(|frame| matches!(frame, Frame::Fence(_)))?;
        match self.arrived.remove(at) {
            Frame::Fence(values) => Some(values),
            _ => None,
        }
    }

    fn has_values(&self) -> bool {
        self.arrived.iter().any(|frame| matches!(frame, Frame::Fence(_)))
    }

    fn wanted(&self) -> (BorrowedFd<'_>, PollFlags) {
        let mut flags = PollFlags::POLLIN;
        flags.set(PollFlags::POLLOUT, !self.waiting.is_empty());
        (self.stream.as_fd(), flags)
    }
}

impl HostTree {
    /// The part of host `me`; `at`: where the warden of each host listens. Waits for connections for `patience`.
    pub(crate) fn new(
        listener: Option<TcpListener>,
        me: u32,
        hosts: &[HostInfo],
        at: &[SocketAddr],
        degree: u32,
        secret: &JobSecret,
        patience: Duration,
    ) -> Result<HostTree, String> {
        let below = below(me, hosts.len() as u32, degree);
        let near = above(me, degree).into_iter().chain([me]).chain(below.clone());
        let names = near.filter_map(|host| Some((host, hosts.get(host as usize)?.clone()))).collect();
        let mut tree = HostTree {
            me,
            degree,
            key: control::derived(secret, "tree"),
            names,
            listener: listener.filter(|_| !below.is_empty()),
            over: above(me, degree).and_then(|above| at.get(above as usize)).copied(),
            up: None,
            again: (Some(Instant::now()), 0),
            below,
            down: Vec::new(),
            strangers: Vec::new(),
            own: None,
            sent: false,
            late_at: Instant::now() + patience,
            patience,
            why_not: String::new(),
            gave_up: false,
            broken: None,
        };
        if let Some(listener) = &tree.listener {
            listener.set_nonblocking(true).map_err(|error| format!("the port for hosts of the tree: {error}"))?;
        }
        tree.dial(Instant::now());
        Ok(tree)
    }

    fn name(&self, host: u32) -> String {
        let known = self.names.iter().find(|(number, _)| *number == host);
        known.map_or_else(|| format!("host number {host}"), |(_, info)| info.to_string())
    }

    fn out_of_reach(&self, host: u32, why: &str) -> String {
        format!(
            "the connection between {} and {} is lost: {why} (GASNET_TREE_DEGREE=0: hosts connect to the master alone)",
            self.name(self.me),
            self.name(host)
        )
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = (BorrowedFd<'_>, PollFlags)> {
        let listener = self.listener.iter().map(|listener| (listener.as_fd(), PollFlags::POLLIN));
        self.up.iter().chain(&self.down).chain(&self.strangers).map(Link::wanted).chain(listener)
    }

    /// The time at which `work` must be called next.
    pub(crate) fn due(&self) -> Option<Instant> {
        let broken = self.broken.as_ref().filter(|_| self.is_waiting()).map(|broken| broken.tell_at);
        let late = Some(self.late_at).filter(|_| !self.gave_up && self.absent().is_some());
        let again = self.again.0.filter(|_| self.over.is_some());
        let stranger = self.strangers.iter().map(|link| link.since + STRANGER_TIME).min();
        [broken, late, again, stranger].into_iter().flatten().min()
    }

    /// A host that is not connected yet, or was not answered.
    fn absent(&self) -> Option<u32> {
        let is_up = self.up.as_ref().is_some_and(|up| up.host.is_some()) || self.broken.is_some();
        let is_absent = |host: &u32| !self.down.iter().any(|link| link.host == Some(*host));
        let above = above(self.me, self.degree).filter(|_| !is_up);
        above.or_else(|| self.below.clone().find(|host| self.listener.is_some() && is_absent(host)))
    }

    /// An exchange is in progress.
    fn is_waiting(&self) -> bool {
        self.own.is_some() || self.sent || self.down.iter().any(Link::has_values)
    }

    /// Begins an exchange with the values of this host's ranks.
    pub(crate) fn offer(&mut self, values: Vec<u8>) {
        self.own = Some(values);
    }

    /// All input and output that is possible. Returns the values of all hosts, if the exchange is complete. An error ends the
    /// job.
    pub(crate) fn work(&mut self, now: Instant) -> Result<Option<Vec<u8>>, String> {
        self.dial(now);
        self.accept();
        let HostTree { strangers, key, me, .. } = self;
        strangers.retain_mut(|link| link.work(key, *me).is_ok() && now < link.since + STRANGER_TIME);
        self.seat();
        let mut all = None;
        let mut ended: Vec<(Option<u32>, String)> = Vec::new();
        let HostTree { up, down, key, me, .. } = self;
        for link in up.iter_mut().chain(down.iter_mut()) {
            if let Err(why) = link.work(key, *me) {
                ended.push((link.host, why));
            }
        }
        let has_all = self.down.len() == self.below.len() && self.down.iter().all(Link::has_values);
        let may_go = self.me == 0 || self.up.as_ref().is_some_and(|up| up.host.is_some());
        if has_all && may_go {
            if let Some(mut values) = self.own.take() {
                self.down.iter_mut().for_each(|link| values.extend(link.values().unwrap_or_default()));
                match &mut self.up {
                    Some(up) => {
                        up.send(&Frame::Fence(values));
                        self.sent = true;
                    }
                    None => all = Some(values),
                }
            }
        }
        if self.sent {
            if let Some(values) = self.up.as_mut().and_then(Link::values) {
                self.sent = false;
                all = Some(values);
            }
        }
        if let Some(values) = &all {
            let frame = Frame::Fence(values.clone());
            self.down.iter_mut().for_each(|link| link.send(&frame));
        }
        for link in self.up.iter_mut().chain(&mut self.down) {
            // An error is found again by the next call.
            let _ = link.transmit();
        }
        for (host, why) in ended {
            match host {
                Some(host) => {
                    let (tell_at, why) = (now + EXPLANATION_TIME, self.out_of_reach(host, &why));
                    self.broken.get_or_insert(Broken { tell_at, why });
                    self.up.take_if(|up| up.host == Some(host));
                    self.down.retain(|link| link.host != Some(host));
                }
                // Not answered yet.
                None => self.redial(now, why),
            }
        }
        self.check(now)?;
        Ok(all)
    }

    /// Connects to the host above, if it is time.
    fn dial(&mut self, now: Instant) {
        let Some(over) = self.over.filter(|_| self.again.0.is_some_and(|at| now >= at)) else { return };
        self.again.0 = None;
        match Link::dial(over) {
            Ok(link) => self.up = Some(link),
            Err(error) => self.redial(now, error.to_string()),
        }
    }

    fn redial(&mut self, now: Instant, why: String) {
        self.up = None;
        let nth = self.again.1;
        self.again = (Some(now + FIRST_PAUSE * 2u32.pow(nth.min(MOST_DOUBLINGS))), nth + 1);
        self.why_not = why;
    }

    fn accept(&mut self) {
        while let Some(Ok((stream, _))) = self.listener.as_ref().map(TcpListener::accept) {
            if self.strangers.len() >= MOST_STRANGERS {
                self.strangers.remove(0);
            }
            self.strangers.extend(Link::new(stream, Side::Master));
        }
    }

    /// Those that have said which host they are.
    fn seat(&mut self) {
        let mut at = 0;
        while at < self.strangers.len() {
            let Some(host) = self.strangers[at].host else {
                at += 1;
                continue;
            };
            let link = self.strangers.swap_remove(at);
            let is_new = self.below.contains(&host) && !self.down.iter().any(|known| known.host == Some(host));
            if is_new {
                self.down.push(link);
            }
        }
        if self.down.len() == self.below.len() {
            self.listener = None;
            self.strangers.clear();
        }
    }

    fn check(&mut self, now: Instant) -> Result<(), String> {
        if self.is_waiting() {
            if let Some(broken) = self.broken.take_if(|broken| now >= broken.tell_at) {
                return Err(broken.why);
            }
        }
        if now >= self.late_at && !self.gave_up {
            if let Some(host) = self.absent() {
                self.gave_up = true;
                let why_not = if self.why_not.is_empty() { "no connection" } else { &self.why_not };
                return Err(self.out_of_reach(host, &format!("{why_not}, for {} s", self.patience.as_secs_f64())));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "tree_tests.rs"]
mod tests;
