//! The master of a job over a network: the process that the user started, which is not a rank. It starts a process on each
//! host, distributes the addresses of the hosts, forwards the ranks' output and the job's input, is told of every death,
//! decides the end of the job, and ends last, with the job's code. It has one thread, which never waits for a single host or
//! stream.

mod ending;
mod explaining;
pub(crate) mod external;
mod members;
mod starting;
pub(crate) mod state;
mod strangers;
mod streams;
mod taking;

use state::*;
use streams::may_read_terminal;

/// Runs a job and returns how it ended. Errors have been printed.
pub fn run(order: Order) -> JobOutcome {
    match Master::start(order) {
        Ok(mut master) => master.work(),
        Err(why) => {
            line(&format!("*** FATAL ERROR: {why}"));
            JobOutcome { code: 1, interrupted: false }
        }
    }
}

/// Ends this process with the job's code.
pub fn leave(outcome: JobOutcome) -> ! {
    if outcome.interrupted {
        // Then a shell ends its own loop, as for any program that Ctrl-C ends.
        signal::die_of(libc::SIGINT);
    }
    process::end_now(outcome.code)
}

/// The signals that the master waits for. A request to stop that its starter had it ignore, as nohup does with SIGHUP, stays
/// without effect: blocked, it would be read all the same.
fn heard() -> Mask {
    let requests = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT];
    let is_heard = |signal: &i32| !requests.contains(signal) || !signal::is_ignored(*signal);
    let heard: Vec<i32> = HEARD.into_iter().filter(is_heard).collect();
    Mask::of(&[&heard[..], &[signal::question(), ask::BY_USER]].concat())
}

pub(super) const HEARD: [i32; 6] =
    [libc::SIGCHLD, libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT, libc::SIGPIPE];

impl Master {
    fn start(order: Order) -> Result<Master, String> {
        env::check_unknown();
        let size = order.size;
        places::check_size(size.into(), 0)?;
        let placement = spawn::placement(size, order.hosts)?;
        starting::allow_files(placement.how, placement.hosts.len() as u64, size)?;
        let secret = control::random().map_err(|error| format!("no random numbers for the job's secret: {error}"))?;
        let mut master = Master::new(order, placement, secret)?;
        master.listen_and_spawn()?;
        Ok(master)
    }

    /// The master of a job before any process is started.
    fn new(order: Order, placement: Placement, secret: JobSecret) -> Result<Master, String> {
        let Placement { how, hosts, listed, distribution } = placement;
        let size = order.size;
        let route_of_command =
            if how == SpawnMethod::Command { spawn::yes("GASNET_CSPAWN_ROUTE_OUTPUT") } else { None };
        let route = route_of_command.or_else(|| spawn::yes("GASNET_ROUTE_OUTPUT")).unwrap_or(true);
        // An external launcher forwards the output of its ranks.
        let route = route && how != SpawnMethod::External;
        let line_bytes = env::spawn_str("GASNET_LINEBUFFERSZ").and_then(|text| env::parse::int(&text).ok());
        let label = if env::yes("GASNET_LABEL_OUTPUT") { Label::Rank } else { Label::None };
        let peer_timeout = Duration::from_secs_f64(env::dbl("GASNET_UDP_PEER_TIMEOUT"));
        let spawn_timeout = Duration::from_secs_f64(env::dbl("GASNET_SPAWN_TIMEOUT"));
        let limits = exit_limits(size);
        // If SIGCHLD were ignored, the kernel would reap our child processes.
        signal::set_default(libc::SIGCHLD);
        let mask = Mask::now();
        let heard = heard();
        heard.block();
        let signals = AwaitedSignals::new(&heard);
        let hosts = hosts.into_iter().map(|info| Host::new(info, None));
        Ok(Master {
            order,
            secret,
            how,
            listed,
            distribution,
            door: None,
            conns: Vec::new(),
            hosts: hosts.collect(),
            processes: Vec::new(),
            lobby: Vec::new(),
            presented: Vec::new(),
            terms: None,
            starter: None,
            reason_name: None,
            signals,
            mask,
            out: [Output::new(label), Output::new(label)],
            input: VecDeque::new(),
            feeding: false,
            deadline: Some(Instant::now() + spawn_timeout),
            peer_timeout,
            limits,
            alive_at: Instant::now(),
            ending: None,
            said: false,
            rank_said: None,
            output_lost: false,
            broke_at: None,
            stopped: None,
            route,
            line_bytes: line_bytes.unwrap_or(1024).clamp(0, 1 << 20) as u32,
            verbose: spawn::yes("GASNET_SPAWN_VERBOSE").unwrap_or(false),
            strangers: Strangers::default(),
            counters: env::yes("GASNET_UDP_COUNTERS"),
            report: None,
            reported: None,
        })
    }

    fn work(&mut self) -> JobOutcome {
        loop {
            self.turn();
            if let Some(ending) = self.ending {
                if self.all_over() {
                    self.read_rest_of_errors();
                    if let Some(text) = self.strangers.line().filter(|_| self.counters) {
                        self.out[1].push_line(&text);
                    }
                    self.flush(ending.code);
                    let interrupted =
                        self.stopped.is_some_and(|(by, _)| by == libc::SIGINT) && ending.code == 128 + libc::SIGINT;
                    let code = if self.output_lost && ending.code == 0 { 1 } else { ending.code };
                    return JobOutcome { code, interrupted };
                }
            }
        }
    }

    /// Sleeps once, then handles all events.
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
        sooner(self.report_late_at());
        sooner(self.hosts.iter().filter_map(|host| Some(host.broke_at? + EXPLANATION_TIME)).min());
        sooner(self.broke_at.map(|broke| broke + EXPLANATION_TIME));
        sooner(self.door.as_ref().and_then(|door| door.shut_until));
        sooner(self.processes.iter().filter_map(|process| self.show_at(process)).min());
        sooner(self.conns.iter().flatten().filter(|c| c.keys.is_none()).map(|c| c.since + STRANGER_TIME).min());
        let reading = self.out.iter().all(|out| out.waiting() < MOST_OUTPUT);
        let ready = self.sleep(wake.saturating_duration_since(now), reading);
        while let Some(signal) = self.signals.take() {
            self.signalled(signal);
        }
        for ready in ready {
            match ready {
                Ready::Door => self.accept(),
                Ready::Starter => self.starter_has_ended(),
                Ready::Conn(at) => self.receive(at),
                Ready::Stdin => self.read_stdin(),
                Ready::Out(stream) => self.write_out(stream),
                Ready::Errors(at) => _ = self.read_errors(at),
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

    /// Ends this process and those that it has started, after an error of a system call that it needs.
    fn cannot(&mut self, what: &str, error: &std::io::Error) -> ! {
        self.kill_processes(libc::SIGKILL);
        line(&format!("*** FATAL ERROR: the process that starts the job cannot {what}: {error}"));
        process::end_now(1)
    }

    fn sleep(&mut self, time: Duration, reading: bool) -> Vec<Ready> {
        let (stdin, stdout, stderr) = (std::io::stdin(), std::io::stdout(), std::io::stderr());
        let (mut who, mut files) = (Vec::new(), Vec::new());
        let mut add = |ready, file| {
            who.push(ready);
            files.push(file);
        };
        let time = match self.signals.file() {
            Some(file) => {
                add(Ready::Signals, PollFd::new(file, PollFlags::POLLIN));
                time
            }
            None => time.min(AwaitedSignals::PERIOD),
        };
        if let Some(door) = self.door.as_ref().filter(|door| door.shut_until.is_none()) {
            add(Ready::Door, PollFd::new(door.listener.as_fd(), PollFlags::POLLIN));
        }
        if let Some(starter) = &self.starter {
            add(Ready::Starter, PollFd::new(starter.as_fd(), PollFlags::POLLIN));
        }
        for (at, conn) in self.conns.iter().enumerate() {
            let Some(conn) = conn else { continue };
            let mut wanted = PollFlags::empty();
            wanted.set(PollFlags::POLLIN, reading || !conn.member);
            wanted.set(PollFlags::POLLOUT, !conn.waiting.is_empty());
            add(Ready::Conn(at), PollFd::new(conn.stream.as_fd(), wanted));
        }
        for (at, Process { started, .. }) in self.processes.iter().enumerate() {
            if let Some(errors) = started.stderr.as_ref().filter(|_| reading) {
                add(Ready::Errors(at), PollFd::new(errors.as_fd(), PollFlags::POLLIN));
            }
            if let Some(pipe) = &started.stdin {
                if !started.input.is_empty() || (started.has_stdin && !self.input.is_empty()) {
                    add(Ready::Input, PollFd::new(pipe.as_fd(), PollFlags::POLLOUT));
                }
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
        if let Err(errno) = poll(&mut files, PollTimeout::try_from(ms).unwrap_or(PollTimeout::MAX)) {
            if is_forbidden(&errno.into()) {
                self.cannot("wait for others (poll)", &errno.into());
            }
        }
        let stirred = files.iter().map(|file| file.revents().is_some_and(|got| !got.is_empty()));
        who.into_iter().zip(stirred).filter(|(_, stirred)| *stirred).map(|(ready, _)| ready).collect()
    }
}
