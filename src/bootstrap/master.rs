//! The master of a udp job: the process that the user started. It is no rank. It starts a process on each host, tells
//! the hosts of each other, passes on what the ranks print and what the user types, learns of every death, decides how
//! the job ends, and ends last, with the job's code. One thread, which never waits for a single host or stream.

use super::agent::Silence;
use super::control::{self, Assign, Bad, Death, Frame, Hello, Nonce, Opener, Sealer, Secret, Side};
use super::hosts::HostInfo;
use super::output::{Label, Output};
use super::spawn::{self, How, Placement, Program, Started};
use super::spawn_ssh::Ssh;
use super::{MAX_RANKS, exit_timeout_ms, fork, spawn_command, spawn_local, worker};
use crate::env;
use crate::fatal::line;
use crate::os::process::{self, End};
use crate::os::signal::{self, Mask, Signal, SignalFile};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use std::collections::VecDeque;
use std::io::{ErrorKind, IsTerminal, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs, UdpSocket};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

/// What is to be run, and how often.
pub struct Order {
    pub size: u32,
    pub program: Program,
    /// Hosts to use at most.
    pub hosts: Option<u32>,
    /// The number of the library's interface.
    pub abi: u32,
}

/// The job's exit code, and whether it is that of an interrupted job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub code: i32,
    pub interrupted: bool,
}

/// Connections of processes that have not shown that they are of the job.
const MOST_STRANGERS: usize = 32;
const STRANGER_TIME: Duration = Duration::from_secs(10);
/// Output that waits for whoever reads it, beyond which no more is taken from the hosts.
const MOST_OUTPUT: usize = 1 << 20;
const MOST_INPUT: usize = 64 << 10;
/// What a host may take from its hello to its warden's first word.
const STARTING_TIME: Duration = Duration::from_secs(60);
/// How long a host whose connection broke has to be explained by the end of its process.
const EXPLANATION_TIME: Duration = Duration::from_millis(300);

/// One that has connected.
struct Conn {
    stream: TcpStream,
    peer: SocketAddr,
    nonce: Nonce,
    since: Instant,
    /// Before the other side's nonce is whole.
    opening: Vec<u8>,
    keys: Option<(Sealer, Opener)>,
    host: Option<usize>,
    /// It has said hello.
    member: bool,
    /// Its warden has shown that it is alive.
    alive: bool,
    waiting: Vec<u8>,
    silence: Silence,
}

/// What has something for us.
#[derive(Clone, Copy)]
enum Ready {
    Signals,
    Listener,
    Conn(usize),
    Input,
    Stdin,
    Out(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Started.
    Away,
    /// It has said hello.
    Here,
    /// Its ranks have addresses.
    Bound,
    /// It took leave, or its connection ended, or it never came.
    Gone,
}

struct Host {
    info: HostInfo,
    stage: Stage,
    addrs: Vec<SocketAddr>,
    hello: Option<Hello>,
    /// When its connection broke, or its process ended, without a word: a moment is given for an explanation.
    broke_at: Option<Instant>,
}

struct Process {
    started: Started,
    /// Of the host it was started for; none if for all.
    host: Option<usize>,
    ended: Option<ExitStatus>,
}

/// How the job ends.
#[derive(Clone, Copy)]
struct Ending {
    code: i32,
    /// When whoever is still there is ended by force.
    late_at: Instant,
    forced: bool,
    /// All hosts have left.
    alone: bool,
}

pub struct Master {
    order: Order,
    secret: Secret,
    how: How,
    listed: Vec<String>,
    listener: Option<TcpListener>,
    conns: Vec<Option<Conn>>,
    hosts: Vec<Host>,
    processes: Vec<Process>,
    /// Processes that the command started and that have said hello, until all are there: connection and hello.
    lobby: Vec<(usize, Hello)>,
    signals: SignalFile,
    out: [Output; 2],
    input: VecDeque<u8>,
    /// The job's stdin is passed on by us.
    feeding: bool,
    deadline: Option<Instant>,
    peer_timeout: Duration,
    alive_at: Instant,
    ending: Option<Ending>,
    said: bool,
    /// The first request to stop, and when.
    stopped: Option<(i32, Instant)>,
    route: bool,
    line_bytes: u32,
    verbose: bool,
}

/// Runs a job and returns how it ended. Errors have been printed.
pub fn run(order: Order) -> Outcome {
    match Master::start(order) {
        Ok(mut master) => master.work(),
        Err(why) => {
            line(&format!("*** FATAL ERROR: {why}"));
            Outcome { code: 1, interrupted: false }
        }
    }
}

/// Ends this process as the job ended.
pub fn leave(outcome: Outcome) -> ! {
    if outcome.interrupted {
        // So that a shell stops its own loop, as it does for any program that Ctrl-C ends.
        signal::die_of(libc::SIGINT);
    }
    process::end_now(outcome.code)
}

const HEARD: [i32; 6] = [libc::SIGCHLD, libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT, libc::SIGPIPE];

impl Master {
    fn start(order: Order) -> Result<Master, String> {
        let size = order.size;
        if size == 0 || size as usize > MAX_RANKS {
            return Err(format!("a job has between 1 and {MAX_RANKS} ranks, not {size}"));
        }
        let Placement { how, hosts, listed } = spawn::placement(size, order.hosts)?;
        let secret = control::random().map_err(|error| format!("no random numbers for the job's secret: {error}"))?;
        let route_of_command = if how == How::Command { spawn::yes("GASNET_CSPAWN_ROUTE_OUTPUT") } else { None };
        let route = route_of_command.or_else(|| spawn::yes("GASNET_ROUTE_OUTPUT")).unwrap_or(true);
        let line_bytes = env::spawn_str("GASNET_LINEBUFFERSZ").and_then(|text| env::parse::int(&text).ok());
        let label = if env::yes("GASNET_LABEL_OUTPUT") { Label::Rank } else { Label::None };
        let peer_timeout = Duration::from_secs_f64(env::dbl("GASNET_UDP_PEER_TIMEOUT"));
        let spawn_timeout = Duration::from_secs_f64(env::dbl("GASNET_SPAWN_TIMEOUT"));
        // An ignored SIGCHLD would have the kernel collect our processes.
        signal::set_default(libc::SIGCHLD);
        let heard = Mask::of(&HEARD);
        heard.block();
        let signals = SignalFile::new(&heard).map_err(|error| format!("no file for signals: {error} (ulimit -n)"))?;
        let hosts = hosts.into_iter().map(|info| Host {
            info,
            stage: Stage::Away,
            addrs: Vec::new(),
            hello: None,
            broke_at: None,
        });
        let mut master = Master {
            order,
            secret,
            how,
            listed,
            listener: None,
            conns: Vec::new(),
            hosts: hosts.collect(),
            processes: Vec::new(),
            lobby: Vec::new(),
            signals,
            out: [Output::new(label), Output::new(label)],
            input: VecDeque::new(),
            feeding: false,
            deadline: Some(Instant::now() + spawn_timeout),
            peer_timeout,
            alive_at: Instant::now(),
            ending: None,
            said: false,
            stopped: None,
            route,
            line_bytes: line_bytes.unwrap_or(1024).clamp(0, 1 << 20) as u32,
            verbose: spawn::yes("GASNET_SPAWN_VERBOSE").unwrap_or(false),
        };
        master.listen_and_spawn()?;
        Ok(master)
    }

    /// Opens the door, and starts a process on every host.
    fn listen_and_spawn(&mut self) -> Result<(), String> {
        let fixed = match env::spawn_str("GASNET_MASTERIP") {
            None => None,
            Some(text) => {
                let found = worker::local_address(&text);
                Some(found.map_err(|why| format!("GASNET_MASTERIP='{text}': this machine {why}"))?)
            }
        };
        let at = match (self.how, fixed) {
            (_, Some(ip)) => ip,
            (How::Local, None) => IpAddr::from(Ipv4Addr::LOCALHOST),
            // Both families.
            (_, None) => IpAddr::from(Ipv6Addr::UNSPECIFIED),
        };
        let unusable =
            |error: std::io::Error| format!("no TCP port at {at}: {error} (GASNET_MASTERIP chooses the address)");
        let listener = TcpListener::bind((at, 0))
            .or_else(|error| match fixed {
                // A kernel without IPv6.
                None => TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)),
                Some(_) => Err(error),
            })
            .map_err(unusable)?;
        listener.set_nonblocking(true).map_err(unusable)?;
        let port = listener.local_addr().map_err(unusable)?.port();
        self.listener = Some(listener);
        let (size, verbose) = (self.order.size, self.verbose);
        match self.how {
            How::Local => {
                for seat in 0..self.hosts.len() {
                    let master = SocketAddr::new(at, port);
                    let started =
                        self.spawn(|| spawn_local::start(&self.order.program, seat as u32, master, &self.secret));
                    self.started(Some(seat), started)?;
                }
            }
            How::Ssh => {
                let ssh = Ssh::from_env()?;
                let names: Vec<_> = self.hosts.iter().map(|host| host.info.name.clone()).collect();
                let ips = match fixed {
                    Some(ip) => vec![ip; names.len()],
                    None => addresses_facing(&names),
                };
                for (seat, (name, ip)) in names.iter().zip(ips).enumerate() {
                    if verbose {
                        line(&format!("*** GASNet: {} ranks by {}", self.hosts[seat].info.count, ssh.shown(name)));
                    }
                    let master = SocketAddr::new(ip, port);
                    let started =
                        self.spawn(|| ssh.start(&self.order.program, name, seat as u32, master, &self.secret));
                    self.started(Some(seat), started)?;
                }
            }
            How::Command => {
                let template = env::spawn_str("GASNET_CSPAWN_CMD").unwrap_or_default();
                let ip = match fixed {
                    Some(ip) => ip,
                    None => addresses_facing(&self.listed).first().copied().unwrap_or_else(own_address),
                };
                let master = SocketAddr::new(ip, port);
                let started = self.spawn(|| {
                    spawn_command::start(&template, &self.order.program, size, &self.listed, master, &self.secret)
                });
                self.started(None, started)?;
            }
        }
        Ok(())
    }

    /// Starts a process with the signals that it would have without us: a mask is inherited.
    fn spawn(&self, start: impl FnOnce() -> Result<Started, String>) -> Result<Started, String> {
        let heard = Mask::of(&HEARD);
        heard.unblock();
        let started = start();
        heard.block();
        started
    }

    fn started(&mut self, host: Option<usize>, started: Result<Started, String>) -> Result<(), String> {
        match started {
            Ok(started) => {
                if self.verbose {
                    line(&format!("*** GASNet: started {} (pid {})", started.what, started.child.id()));
                }
                if let Some(stdin) = &started.stdin {
                    nonblocking(stdin);
                }
                self.feeding |= started.has_stdin;
                self.processes.push(Process { started, host, ended: None });
                Ok(())
            }
            Err(why) => {
                self.kill_processes(libc::SIGKILL);
                Err(why)
            }
        }
    }

    fn work(&mut self) -> Outcome {
        loop {
            self.turn();
            if let Some(ending) = self.ending
                && self.all_over()
            {
                self.flush(ending.code);
                let interrupted =
                    self.stopped.is_some_and(|(by, _)| by == libc::SIGINT) && ending.code == 128 + libc::SIGINT;
                return Outcome { code: ending.code, interrupted };
            }
        }
    }

    /// One sleep, and everything that is to be done after it.
    fn turn(&mut self) {
        let now = Instant::now();
        if now >= self.alive_at {
            self.alive_at = now + Silence::new(self.peer_timeout).period();
            for at in 0..self.conns.len() {
                self.send(at, &Frame::Alive);
            }
        }
        let mut wake = self.alive_at;
        let mut sooner = |at: Option<Instant>| wake = at.map_or(wake, |at| wake.min(at));
        sooner(self.deadline.filter(|_| self.ending.is_none()));
        sooner(self.ending.map(|ending| ending.late_at));
        sooner(self.hosts.iter().filter_map(|host| Some(host.broke_at? + EXPLANATION_TIME)).min());
        sooner(self.conns.iter().flatten().filter(|c| c.keys.is_none()).map(|c| c.since + STRANGER_TIME).min());
        let reading = self.out.iter().all(|out| out.waiting() < MOST_OUTPUT);
        let ready = self.sleep(wake.saturating_duration_since(now), reading);
        while let Some((signal, _)) = self.signals.take() {
            self.signalled(signal);
        }
        for ready in ready {
            match ready {
                Ready::Listener => self.accept(),
                Ready::Conn(at) => self.receive(at),
                Ready::Stdin => self.read_stdin(),
                Ready::Out(stream) => self.write_out(stream),
                Ready::Input | Ready::Signals => {}
            }
        }
        self.reap();
        self.feed_processes();
        for at in 0..self.conns.len() {
            self.transmit(at);
        }
        self.check_times(reading);
    }

    fn sleep(&mut self, time: Duration, reading: bool) -> Vec<Ready> {
        let (stdin, stdout, stderr) = (std::io::stdin(), std::io::stdout(), std::io::stderr());
        let (mut who, mut files) = (Vec::new(), Vec::new());
        let mut add = |ready, file| {
            who.push(ready);
            files.push(file);
        };
        add(Ready::Signals, PollFd::new(self.signals.as_fd(), PollFlags::POLLIN));
        if let Some(listener) = &self.listener {
            add(Ready::Listener, PollFd::new(listener.as_fd(), PollFlags::POLLIN));
        }
        for (at, conn) in self.conns.iter().enumerate() {
            let Some(conn) = conn else { continue };
            let mut wanted = PollFlags::empty();
            wanted.set(PollFlags::POLLIN, reading || !conn.member);
            wanted.set(PollFlags::POLLOUT, !conn.waiting.is_empty());
            add(Ready::Conn(at), PollFd::new(conn.stream.as_fd(), wanted));
        }
        for Process { started, .. } in &self.processes {
            if let Some(pipe) = &started.stdin
                && (!started.input.is_empty() || (started.has_stdin && !self.input.is_empty()))
            {
                add(Ready::Input, PollFd::new(pipe.as_fd(), PollFlags::POLLOUT));
            }
        }
        if self.feeding && self.input.len() < MOST_INPUT && may_read_terminal() {
            add(Ready::Stdin, PollFd::new(stdin.as_fd(), PollFlags::POLLIN));
        }
        if self.out[0].waiting() > 0 {
            add(Ready::Out(0), PollFd::new(stdout.as_fd(), PollFlags::POLLOUT));
        }
        if self.out[1].waiting() > 0 {
            add(Ready::Out(1), PollFd::new(stderr.as_fd(), PollFlags::POLLOUT));
        }
        let ms = time.as_millis().min(60_000) as i32 + 1;
        let _ = poll(&mut files, PollTimeout::try_from(ms).unwrap_or(PollTimeout::MAX));
        let stirred = files.iter().map(|file| file.revents().is_some_and(|got| !got.is_empty()));
        who.into_iter().zip(stirred).filter(|(_, stirred)| *stirred).map(|(ready, _)| ready).collect()
    }

    // --- connections

    fn accept(&mut self) {
        let Some(listener) = &self.listener else { return };
        let Ok((stream, peer)) = listener.accept() else { return };
        let Ok(nonce) = control::random() else { return };
        if stream.set_nonblocking(true).and_then(|()| stream.set_nodelay(true)).is_err() {
            return;
        }
        let strangers = self.conns.iter().flatten().filter(|conn| !conn.member);
        if strangers.clone().count() >= MOST_STRANGERS {
            let oldest = strangers.map(|conn| conn.since).min();
            for slot in &mut self.conns {
                slot.take_if(|conn| !conn.member && Some(conn.since) == oldest);
            }
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

    fn send(&mut self, at: usize, frame: &Frame) {
        if let Some(Some(Conn { keys: Some((sealer, _)), waiting, member: true, .. })) = self.conns.get_mut(at) {
            sealer.seal(frame, waiting);
        }
    }

    fn transmit(&mut self, at: usize) {
        let Some(conn) = &mut self.conns[at] else { return };
        while !conn.waiting.is_empty() {
            match conn.stream.write(&conn.waiting) {
                Ok(sent) => _ = conn.waiting.drain(..sent),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(_) => {
                    // What it has sent is still worth reading; its end comes after that.
                    conn.waiting.clear();
                }
            }
        }
    }

    fn receive(&mut self, at: usize) {
        let mut block = [0; 32 << 10];
        let Some(conn) = &mut self.conns[at] else { return };
        // A stranger's bytes are few.
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
                            self.conns[at] = None;
                            return;
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

    fn hung_up(&mut self, at: usize) {
        let Some(conn) = self.conns[at].take() else { return };
        self.lobby.retain(|(waiting, _)| *waiting != at);
        if let Some(host) = conn.host
            && self.hosts[host].stage != Stage::Gone
        {
            self.hosts[host].broke_at.get_or_insert_with(Instant::now);
        }
    }

    fn heard(&mut self, at: usize, frame: Frame) {
        let Some(conn) = &mut self.conns[at] else { return };
        match (conn.member, conn.host, frame) {
            (false, _, Frame::Hello(hello)) => self.greeted(at, hello),
            (true, Some(host), Frame::Bound(addrs)) => self.bound(host, addrs),
            (true, Some(_), Frame::Alive) if !conn.alive => {
                conn.alive = true;
                conn.silence = Silence::new(self.peer_timeout);
            }
            (true, _, Frame::Alive) => {}
            (true, Some(host), Frame::Lines { rank, stream: stream @ 1..=2, bytes }) => {
                let first = self.hosts[host].info.first;
                self.out[usize::from(stream) - 1].push(first + rank, &bytes);
            }
            (true, Some(host), Frame::Died { rank, pid, how }) => {
                let host = &self.hosts[host].info;
                let text = died(host.first + rank, pid, &host.name, how);
                self.say(text);
            }
            (true, Some(_), Frame::End { code, crash }) => self.decide(code, crash, None),
            (true, _, Frame::Trouble(text)) => self.decide(1, true, Some(format!("*** FATAL ERROR: {text}"))),
            (true, Some(host), Frame::Bye) => {
                self.hosts[host].stage = Stage::Gone;
                self.conns[at] = None;
                if self.ending.is_none() {
                    // It ends well, yet nobody said with which code: none of its ranks is left to work with.
                    self.decide(1, true, None);
                }
            }
            _ => self.hung_up(at),
        }
    }

    fn greeted(&mut self, at: usize, hello: Hello) {
        if hello.abi != worker::version(self.order.abi) {
            let text = format!(
                "*** FATAL ERROR: host {} has another version of the library than the process that starts the job",
                hello.name
            );
            return self.decide(1, true, Some(text));
        }
        if let Some(other) =
            self.hosts.iter().filter_map(|host| host.hello.as_ref()).chain(self.lobby.iter().map(|l| &l.1)).next()
            && other.binary != hello.binary
        {
            let text = format!(
                "*** FATAL ERROR: {} differs between hosts {} and {}: copy the same program to all of them",
                self.order.program.path.display(),
                other.name,
                hello.name
            );
            return self.decide(1, true, Some(text));
        }
        let Some(Some(conn)) = self.conns.get_mut(at) else { return };
        if self.ending.is_some() {
            self.conns[at] = None;
            return;
        }
        if let Some((_, opener)) = &mut conn.keys {
            opener.trust();
        }
        if self.how == How::Command {
            if hello.seat != control::ANY_SEAT || self.listener.is_none() {
                self.conns[at] = None;
                return;
            }
            conn.member = true;
            self.lobby.push((at, hello));
            if self.lobby.len() == self.order.size as usize {
                self.seat_the_lobby();
            }
            return;
        }
        let seat = hello.seat as usize;
        match self.hosts.get_mut(seat) {
            Some(host) if host.stage == Stage::Away => {
                conn.member = true;
                conn.host = Some(seat);
                host.stage = Stage::Here;
                host.hello = Some(hello);
                self.assign(at, seat, false);
            }
            _ => self.conns[at] = None,
        }
        if self.hosts.iter().all(|host| host.stage != Stage::Away) {
            self.close_door();
        }
    }

    /// Nobody else is expected.
    fn close_door(&mut self) {
        self.listener = None;
        for slot in &mut self.conns {
            slot.take_if(|conn| !conn.member);
        }
    }

    /// All processes of the command are there: those of one machine are one host.
    fn seat_the_lobby(&mut self) {
        self.close_door();
        let mut machines: Vec<Vec<(usize, Hello)>> = Vec::new();
        for (at, hello) in std::mem::take(&mut self.lobby) {
            match machines.iter_mut().find(|machine| machine[0].1.machine == hello.machine) {
                Some(machine) => machine.push((at, hello)),
                None => machines.push(vec![(at, hello)]),
            }
        }
        let mut first = 0;
        let mut seats = Vec::new();
        for machine in machines {
            let host = self.hosts.len();
            let count = machine.len() as u32;
            for (nth, (at, hello)) in machine.into_iter().enumerate() {
                seats.push((at, host, nth > 0));
                if nth == 0 {
                    self.hosts.push(Host {
                        info: HostInfo { name: hello.name.clone(), first, count },
                        stage: Stage::Here,
                        addrs: Vec::new(),
                        hello: Some(hello),
                        broke_at: None,
                    });
                }
            }
            first += count;
        }
        for (at, host, surplus) in seats {
            if let Some(Some(conn)) = self.conns.get_mut(at) {
                conn.host = Some(host).filter(|_| !surplus);
            }
            self.assign(at, host, surplus);
        }
    }

    fn assign(&mut self, at: usize, host: usize, surplus: bool) {
        let env = if self.how == How::Local { Vec::new() } else { env::everything() };
        let assign = Assign {
            size: self.order.size,
            host: host as u32,
            hosts: self.hosts.iter().map(|host| host.info.clone()).collect(),
            peer_timeout_ms: self.peer_timeout.as_millis().clamp(1, u32::MAX.into()) as u32,
            route: self.route,
            line_bytes: self.line_bytes,
            terminal: std::io::stdout().is_terminal(),
            stdin: host == 0 && self.how != How::Command,
            surplus,
            dir: match self.how {
                How::Command => self.order.program.dir.as_os_str().as_bytes().to_vec(),
                _ => Vec::new(),
            },
            env,
        };
        self.send(at, &Frame::Assign(Box::new(assign)));
    }

    fn bound(&mut self, host: usize, addrs: Vec<SocketAddr>) {
        let host = &mut self.hosts[host];
        if host.stage != Stage::Here || addrs.len() != host.info.count as usize {
            return;
        }
        host.addrs = addrs;
        host.stage = Stage::Bound;
        if self.hosts.iter().all(|host| host.stage == Stage::Bound) {
            self.deadline = None;
            let table = Frame::Table(self.hosts.iter().flat_map(|host| host.addrs.iter().copied()).collect());
            for at in 0..self.conns.len() {
                if self.conns[at].as_ref().is_some_and(|conn| conn.host.is_some()) {
                    self.send(at, &table);
                }
            }
        }
    }

    fn running(&self) -> bool {
        self.deadline.is_none()
    }

    // --- the end

    /// The one line about why the job ends.
    fn say(&mut self, text: String) {
        if !self.said && self.ending.is_none() {
            self.said = true;
            self.out[1].push_line(&text);
        }
    }

    /// The job ends with `code`, unless that has been decided.
    fn decide(&mut self, code: i32, crash: bool, why: Option<String>) {
        if self.ending.is_some() {
            return;
        }
        if let Some(why) = why {
            self.say(why);
        }
        let mut limit = Duration::from_millis(exit_timeout_ms(self.order.size).into()) + Duration::from_secs(2);
        if crash && process::dumps_core() || !crash && code == 0 {
            limit += fork::SLOW_READER;
        }
        self.ending = Some(Ending { code, late_at: Instant::now() + limit, forced: false, alone: false });
        self.close_door();
        self.feeding = false;
        for at in 0..self.conns.len() {
            self.send(at, &Frame::End { code, crash });
        }
        for at in 0..self.hosts.len() {
            if self.hosts[at].stage == Stage::Away {
                self.hosts[at].stage = Stage::Gone;
                self.kill_processes_of(Some(at), libc::SIGTERM);
            }
        }
        if self.how == How::Command && self.hosts.is_empty() {
            self.kill_processes_of(None, libc::SIGTERM);
        }
    }

    fn kill_processes(&mut self, signal: i32) {
        for process in self.processes.iter_mut().filter(|process| process.ended.is_none()) {
            process::kill(process.started.child.id() as i32, signal);
        }
    }

    fn kill_processes_of(&mut self, host: Option<usize>, signal: i32) {
        for process in self.processes.iter_mut().filter(|process| process.ended.is_none() && process.host == host) {
            process::kill(process.started.child.id() as i32, signal);
        }
    }

    fn all_over(&mut self) -> bool {
        const LAST: Duration = Duration::from_millis(500);
        let Some(mut ending) = self.ending else { return false };
        let now = Instant::now();
        let hosts_gone = self.hosts.iter().all(|host| host.stage == Stage::Gone);
        if hosts_gone && self.processes.iter().all(|process| process.ended.is_some()) {
            return true;
        }
        if hosts_gone && !ending.alone {
            ending.alone = true;
            // A leader may still have a little to do on its way out; ssh and its like have not.
            let grace = Duration::from_secs(if self.how == How::Local { 5 } else { 1 });
            ending.late_at = ending.late_at.min(now + grace);
            for Process { started, .. } in &mut self.processes {
                started.stdin = None;
            }
        }
        if now >= ending.late_at {
            if ending.forced {
                return true;
            }
            ending.forced = true;
            ending.late_at = now + LAST;
            if self.how == How::Local {
                // One that was stopped learns that it is alone as soon as it runs.
                process::wake_group(process::pid());
                for process in &self.processes {
                    process::wake_group(process.started.child.id() as i32);
                }
            }
            self.kill_processes(libc::SIGKILL);
        }
        self.ending = Some(ending);
        false
    }

    /// Looks at what takes too long.
    fn check_times(&mut self, reading: bool) {
        let now = Instant::now();
        for slot in &mut self.conns {
            slot.take_if(|conn| !conn.member && now >= conn.since + STRANGER_TIME);
        }
        for at in 0..self.conns.len() {
            let Some(conn) = &mut self.conns[at] else { continue };
            if !conn.member || !conn.silence.look(reading) {
                continue;
            }
            let waited = conn.silence.limit().as_secs_f64();
            if let Some(host) = conn.host {
                let host = &mut self.hosts[host];
                host.stage = Stage::Gone;
                let text = format!(
                    "*** GASNet: {} has been silent for {waited} s (GASNET_UDP_PEER_TIMEOUT); ending the job",
                    named(&host.info)
                );
                self.decide(1, true, Some(text));
            }
            self.conns[at] = None;
        }
        for at in 0..self.hosts.len() {
            if self.hosts[at].broke_at.is_some_and(|broke| now >= broke + EXPLANATION_TIME) {
                self.hosts[at].broke_at = None;
                self.explain(at);
            }
        }
        if self.deadline.is_some_and(|deadline| now >= deadline) {
            self.too_late();
        }
        if let Some((signal, since)) = self.stopped
            && now >= since + Duration::from_millis(exit_timeout_ms(self.order.size).into())
        {
            self.decide(stop_code(signal), false, None);
        }
    }

    /// A host's connection broke, or its process ended before there was one.
    fn explain(&mut self, at: usize) {
        let stage = self.hosts[at].stage;
        if stage == Stage::Gone {
            return;
        }
        self.hosts[at].stage = Stage::Gone;
        let end = self.processes.iter().find(|process| process.host == Some(at)).and_then(|process| process.ended);
        let end = end.map(end_of);
        let name = named(&self.hosts[at].info);
        if stage == Stage::Bound {
            let text = format!("*** GASNet: {name}: the process that watches over it is gone; ending the job");
            return self.decide(1, true, Some(text));
        }
        let path = self.order.program.path.display();
        match (self.how, stage, end) {
            (_, Stage::Away, Some(End::Exited(0))) => {
                // A program that needs no job, or only prints how it is used.
                let others = self.hosts.iter().any(|host| !matches!(host.stage, Stage::Away | Stage::Gone));
                if others {
                    let text = format!("*** FATAL ERROR: {name}: {path} ended without calling gasnet_init");
                    self.decide(1, true, Some(text));
                } else if self.hosts.iter().all(|host| host.stage == Stage::Gone) {
                    self.decide(0, false, None);
                }
            }
            // It has said why.
            (How::Local, _, Some(End::Killed(libc::SIGABRT))) => self.decide(128 + libc::SIGABRT, true, None),
            (How::Ssh, Stage::Away, Some(End::Exited(255))) => {
                let text = format!(
                    "*** FATAL ERROR: {name}: ssh failed; try 'ssh -o BatchMode=yes {} true', which must work without a                      password (GASNET_SSH_CMD, GASNET_SSH_OPTIONS, GASNET_SSH_SERVERS)",
                    self.hosts[at].info.name
                );
                self.decide(1, true, Some(text));
            }
            (How::Ssh, Stage::Away, Some(End::Exited(code @ (126 | 127)))) => {
                let text = format!(
                    "*** FATAL ERROR: {name}: {path} cannot be run there; it must be in the same directory on every host                      (GASNET_SSH_REMOTE_PATH)"
                );
                self.decide(code, true, Some(text));
            }
            (_, _, end) => {
                let (how, code) = match end {
                    Some(End::Exited(code)) => (format!("ended with code {code}"), code.max(1)),
                    Some(End::Killed(signal)) => (format!("died of {}", Signal(signal)), 128 + signal),
                    None => ("was lost".to_string(), 1),
                };
                let text = format!("*** FATAL ERROR: {name}: {path} {how} before it had joined the job");
                self.decide(code, true, Some(text));
            }
        }
    }

    fn too_late(&mut self) {
        let waited = env::dbl("GASNET_SPAWN_TIMEOUT");
        let missing: Vec<_> = self
            .hosts
            .iter()
            .filter(|host| matches!(host.stage, Stage::Away | Stage::Here))
            .map(|host| named(&host.info))
            .collect();
        let who = match (self.how, missing.split_first()) {
            (How::Command, None) => {
                let (here, size) = (self.lobby.len(), self.order.size);
                format!("GASNET_CSPAWN_CMD: only {here} of {size} processes have joined the job")
            }
            (_, Some((one, []))) => format!("{one} has not joined the job"),
            (_, Some((one, others))) => format!("{one} and {} other hosts have not joined the job", others.len()),
            (_, None) => "the job did not start".to_string(),
        };
        let text = format!(
            "*** FATAL ERROR: {who} within {waited} s (GASNET_SPAWN_TIMEOUT); can it reach this machine? (GASNET_MASTERIP)"
        );
        self.decide(1, true, Some(text));
    }

    fn reap(&mut self) {
        for at in 0..self.processes.len() {
            let process = &mut self.processes[at];
            if process.ended.is_some() {
                continue;
            }
            let Ok(Some(status)) = process.started.child.try_wait() else { continue };
            process.ended = Some(status);
            process.started.stdin = None;
            match process.host {
                Some(host) if self.hosts[host].stage == Stage::Away => {
                    self.hosts[host].broke_at.get_or_insert_with(Instant::now);
                }
                None if self.hosts.is_empty() && !status.success() => {
                    let what = &process.started.what;
                    let text = match end_of(status) {
                        End::Exited(code) => format!("*** FATAL ERROR: {what} ended with code {code}"),
                        End::Killed(signal) => format!("*** FATAL ERROR: {what} died of {}", Signal(signal)),
                    };
                    self.decide(end_of(status).code(), true, Some(text));
                }
                _ => {}
            }
        }
    }

    fn signalled(&mut self, signal: i32) {
        const SAME_REQUEST: Duration = Duration::from_millis(250);
        if matches!(signal, libc::SIGCHLD | libc::SIGPIPE) {
            return;
        }
        match self.stopped {
            Some((_, since)) if since.elapsed() < SAME_REQUEST => {}
            Some((first, _)) => {
                self.decide(stop_code(first), true, None);
                if let Some(ending) = &mut self.ending {
                    ending.late_at = ending.late_at.min(Instant::now() + Duration::from_secs(1));
                }
            }
            None => {
                self.stopped = Some((signal, Instant::now()));
                if self.running() && self.ending.is_none() {
                    // The first rank answers as it would without a master.
                    for at in 0..self.conns.len() {
                        if self.conns[at].as_ref().is_some_and(|conn| conn.host == Some(0)) {
                            self.send(at, &Frame::Signal(signal));
                        }
                    }
                } else {
                    let text = format!("*** Caught a signal (before the job ran): {}({signal})", Signal(signal));
                    self.decide(stop_code(signal), false, Some(text));
                }
            }
        }
    }

    // --- standard streams

    fn read_stdin(&mut self) {
        let mut block = [0; 16 << 10];
        match nix::unistd::read(std::io::stdin(), &mut block) {
            Ok(0) | Err(nix::errno::Errno::EIO | nix::errno::Errno::EBADF) => self.feeding = false,
            Ok(got) => self.input.extend(&block[..got]),
            Err(_) => {}
        }
    }

    fn feed_processes(&mut self) {
        for Process { started, .. } in &mut self.processes {
            let Some(pipe) = &mut started.stdin else { continue };
            while !started.input.is_empty() {
                match pipe.write(&started.input) {
                    Ok(sent) => _ = started.input.drain(..sent),
                    Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                    Err(_) => started.input.clear(),
                }
            }
            if !started.input.is_empty() {
                continue;
            }
            if !started.has_stdin {
                started.stdin = None;
                continue;
            }
            while !self.input.is_empty() {
                match pipe.write(self.input.as_slices().0) {
                    Ok(sent) => _ = self.input.drain(..sent),
                    Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                    Err(_) => {
                        self.input.clear();
                        self.feeding = false;
                    }
                }
            }
            if self.input.is_empty() && !self.feeding {
                started.stdin = None;
            }
        }
    }

    fn write_out(&mut self, stream: usize) {
        let out = &mut self.out[stream];
        let wrote = match stream {
            0 => nix::unistd::write(std::io::stdout(), out.next()),
            _ => nix::unistd::write(std::io::stderr(), out.next()),
        };
        match wrote {
            Ok(sent) => out.wrote(sent),
            Err(nix::errno::Errno::EINTR | nix::errno::Errno::EAGAIN) => {}
            Err(errno) => {
                out.clear();
                if stream == 0 && errno == nix::errno::Errno::EPIPE {
                    // As in any pipeline whose end has left.
                    self.decide(128 + libc::SIGPIPE, true, None);
                } else if stream == 0 {
                    self.decide(1, true, Some(format!("*** GASNet: cannot write the job's output: {errno}")));
                }
            }
        }
    }

    /// Writes the rest of the output, to a reader that may be slow.
    fn flush(&mut self, code: i32) {
        let patience = if code == 0 { fork::SLOW_READER } else { fork::SLOW_READER / 10 };
        let late = Instant::now() + patience;
        while self.out.iter().any(|out| out.waiting() > 0) && Instant::now() < late {
            for ready in self.sleep(Duration::from_millis(100), false) {
                if let Ready::Out(stream) = ready {
                    self.write_out(stream);
                }
            }
            while self.signals.take().is_some() {}
        }
    }
}

fn stop_code(signal: i32) -> i32 {
    match signal {
        libc::SIGINT => 128 + libc::SIGINT,
        _ => 1,
    }
}

fn end_of(status: ExitStatus) -> End {
    use std::os::unix::process::ExitStatusExt;
    match status.signal() {
        Some(signal) => End::Killed(signal),
        None => End::Exited(status.code().unwrap_or(1)),
    }
}

fn named(host: &HostInfo) -> String {
    match host.count {
        1 => format!("host {} (rank {})", host.name, host.first),
        count => format!("host {} (ranks {}-{})", host.name, host.first, host.first + count - 1),
    }
}

fn died(rank: u32, pid: u32, host: &str, how: Death) -> String {
    let of = match how {
        Death::Killed(signal) => format!("died of {}", Signal(signal)),
        Death::OutOfMemory => {
            "died of SIGKILL, probably from the kernel's out-of-memory killer, which has been at work".to_string()
        }
        Death::Exited(code) => format!("died of _exit({code}), without gasnet_exit"),
        Death::Unknown => "died without exiting".to_string(),
    };
    format!("*** GASNet: rank {rank} (pid {pid}) on host {host} {of}; ending the job")
}

fn nonblocking(file: &impl AsFd) {
    use nix::fcntl::{FcntlArg, OFlag, fcntl};
    // Cannot fail on a file that is open.
    let _ = fcntl(file.as_fd(), FcntlArg::F_SETFL(OFlag::O_NONBLOCK));
}

/// A process in the background of its terminal is stopped if it reads from there.
fn may_read_terminal() -> bool {
    let stdin = std::io::stdin();
    !stdin.is_terminal() || nix::unistd::tcgetpgrp(&stdin).is_ok_and(|front| front == nix::unistd::getpgrp())
}

/// The addresses of this machine from which each host is reached, as far as that is known here. One that only this
/// machine knows is of no use to the others, if there are any.
fn addresses_facing(hosts: &[String]) -> Vec<IpAddr> {
    let facing = |host: &String| -> Option<IpAddr> {
        let name = host.rsplit('@').next().unwrap_or(host);
        let to = (name, 22).to_socket_addrs().ok()?.next()?;
        let from: IpAddr = if to.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
        // Connecting a datagram socket sends nothing.
        let socket = UdpSocket::bind((from, 0)).ok()?;
        socket.connect(to).ok()?;
        Some(socket.local_addr().ok()?.ip())
    };
    let found: Vec<_> = hosts.iter().map(facing).collect();
    let outside = found.iter().flatten().find(|ip| !ip.is_loopback()).copied();
    found
        .into_iter()
        .map(|ip| match ip {
            Some(ip) if !ip.is_loopback() || outside.is_none() => ip,
            _ => outside.unwrap_or_else(own_address),
        })
        .collect()
}

/// The address of this machine that faces the world.
fn own_address() -> IpAddr {
    let facing = || {
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
        // An address of nobody (RFC 5737); nothing is sent.
        socket.connect((Ipv4Addr::new(203, 0, 113, 1), 9))?;
        socket.local_addr()
    };
    facing().map_or(IpAddr::from(Ipv4Addr::LOCALHOST), |addr| addr.ip())
}
