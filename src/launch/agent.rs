//! The warden's side of a host's control connection to the master: reports deaths and exit codes of the host's
//! ranks to the master, receives the end of the job, sends signs of life, and forwards the output of the ranks, line by
//! line. It never blocks on the master: unsent data is kept up to a bound, beyond which the ranks' output stays in their
//! pipes.

mod rank_output;

use self::rank_output::{PROMPT_AFTER, RankOutput};
use crate::bootstrap::here::LEADER;
use crate::bootstrap::relay::Relayed;
use crate::defs::rank::JobRank;
use crate::fatal;
use crate::hang::standing::Standing;
use crate::launch::control::{Assign, Death, Frame, Opener, Sealer};
use crate::launch::paths::Paths;
use crate::launch::silence::Silence;
use crate::launch::tree::HostTree;
use crate::os::process;
use crate::os::signal::{AwaitedSignals, Mask};
use crate::os::streams;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

/// Bytes that may wait to be sent before no more output is read.
const MOST_WAITING: usize = 256 << 10;

pub struct Agent {
    stream: TcpStream,
    sealer: Sealer,
    opener: Opener,
    waiting: Vec<u8>,
    outputs: Vec<RankOutput>,
    /// The writing ends of the pipes for the rank that is forked next.
    next: Option<(OwnedFd, OwnedFd)>,
    signals: Option<AwaitedSignals>,
    route: bool,
    line_bytes: usize,
    terminal: bool,
    stdin: bool,
    silence: Silence,
    say_alive_at: Instant,
    /// The master has ended.
    lost: bool,
    end: Option<(i32, bool)>,
    signal: Option<i32>,
    /// The master has requested a report on the host's ranks.
    report: bool,
    /// The pipes of the host's first rank, for exchanges between ranks.
    relayed: Option<Relayed>,
    paths: Paths,
    /// The connections to other hosts, if exchanges do not go through the master.
    tree: Option<HostTree>,
}

impl Agent {
    pub fn new(
        stream: TcpStream,
        sealer: Sealer,
        opener: Opener,
        assign: &Assign,
        paths: Paths,
        tree: Option<HostTree>,
    ) -> Agent {
        // Cannot fail on a socket that is open.
        let _ = stream.set_nonblocking(true);
        Agent {
            stream,
            sealer,
            opener,
            waiting: Vec::new(),
            outputs: Vec::new(),
            next: None,
            signals: None,
            route: assign.route,
            line_bytes: assign.line_bytes as usize,
            terminal: assign.terminal,
            stdin: assign.stdin,
            silence: Silence::new(Duration::from_millis(assign.peer_timeout_ms.into())),
            say_alive_at: Instant::now(),
            lost: false,
            end: None,
            signal: None,
            report: false,
            relayed: None,
            paths,
            tree,
        }
    }

    /// From now on forwards exchanges of the host's ranks with those of other hosts.
    pub fn relay(&mut self, relayed: Relayed) {
        self.relayed = Some(relayed);
    }

    /// Makes the pipes of the rank that is forked next.
    pub fn before_fork(&mut self, rank: u32) -> Result<(), Errno> {
        if !self.route {
            return Ok(());
        }
        let mut writing = Vec::new();
        for stream in [1, 2] {
            let (pipe, write) = nix::unistd::pipe2(nix::fcntl::OFlag::O_CLOEXEC)?;
            nix::fcntl::fcntl(&pipe, nix::fcntl::FcntlArg::F_SETFL(nix::fcntl::OFlag::O_NONBLOCK))?;
            self.outputs.push(RankOutput { rank, stream, pipe, line: Vec::new(), since: Instant::now(), ended: false });
            writing.push(write);
        }
        self.next = writing.pop().and_then(|err| Some((writing.pop()?, err)));
        Ok(())
    }

    /// In the new rank: redirects its output to the pipes, and drops everything that belongs to the warden.
    pub fn become_rank(self) {
        if let Some((out, err)) = &self.next {
            streams::replace_output(out.as_raw_fd(), err.as_raw_fd());
            if self.terminal {
                streams::flush_stdout_by_line();
            }
        }
    }

    /// In the warden, after the fork: closes the writing ends.
    pub fn after_fork(&mut self) {
        self.next = None;
    }

    /// Prepares `wait` for the signals `awaited`, which the warden blocks.
    pub fn take_post(&mut self, awaited: &Mask) {
        self.signals = Some(AwaitedSignals::new(awaited));
    }

    /// The files that the warden keeps.
    pub fn files(&self) -> Vec<i32> {
        let mut files = vec![self.stream.as_raw_fd(), self.paths.socket().as_raw_fd()];
        files.extend(self.signals.iter().filter_map(|signals| Some(signals.file()?.as_raw_fd())));
        files.extend(self.outputs.iter().map(|output| output.pipe.as_raw_fd()));
        files.extend(self.relayed.iter().flat_map(Relayed::files));
        files.extend(self.tree.iter().flat_map(HostTree::files).map(|(file, _)| file.as_raw_fd()));
        files
    }

    pub fn died(&mut self, rank: u32, pid: i32, how: Death) {
        self.send(&Frame::Died { rank, pid: pid as u32, how });
    }

    pub fn ending(&mut self, code: i32, crash: bool) {
        self.send(&Frame::End { code, crash });
    }

    /// Makes the master end the job with `code`, for a reason found on this host.
    pub fn trouble(&mut self, code: i32, why: String) {
        self.send(&Frame::Trouble { code, why });
    }

    /// Finds out whether the host of `rank` can be reached.
    pub fn doubt(&mut self, rank: JobRank) {
        self.paths.doubt(rank, Instant::now());
    }

    /// Queries hosts in doubt, and reports one that does not answer to the master.
    fn ask_around(&mut self) {
        let Some(silent) = self.paths.ask(Instant::now()) else { return };
        if let (Some(here), Some(there)) = (self.paths.me(), self.paths.host(silent)) {
            let waited = self.silence.limit().as_secs_f64();
            let why = format!(
                "{here} has had no answer by UDP from {there} for {waited} s (GASNET_UDP_PEER_TIMEOUT){}: does a \
                 firewall or a route part them? (GASNET_WORKERIP chooses other addresses)",
                self.paths.refusal()
            );
            self.trouble(1, why);
        }
    }

    /// The end of the job, once the master has sent it.
    pub fn told_end(&self) -> Option<(i32, bool)> {
        self.end
    }

    /// Whether the connection to the master is lost.
    pub fn lost(&self) -> bool {
        self.lost
    }

    /// Takes a signal that the master forwards to the host's first rank.
    pub fn told_signal(&mut self) -> Option<i32> {
        self.signal.take()
    }

    /// Forwards the request of a rank of this host for a report on the job.
    pub fn ask_for_report(&mut self, rank: u32) {
        self.send(&Frame::Explain(rank));
    }

    /// Whether the master has requested a report, once.
    pub fn told_to_report(&mut self) -> bool {
        std::mem::take(&mut self.report)
    }

    pub fn stands_still(&mut self, still: bool, waiting: bool) {
        self.send(&Frame::Still { still, waiting });
    }

    /// Inserts `text` into the stderr of the host's rank `rank`.
    pub fn say_for(&mut self, rank: u32, text: String) {
        if self.route {
            self.send(&Frame::Lines { rank, stream: 2, bytes: text.into_bytes() });
        } else {
            fatal::write_stderr(text.as_bytes());
        }
    }

    /// Sends the reason for which this host ends the job; the master prints the first such line. False if the connection is
    /// lost.
    pub fn says_why(&mut self, line: &str) -> bool {
        self.send(&Frame::Lines { rank: LEADER, stream: 2, bytes: format!("{line}\n").into_bytes() });
        self.transmit();
        !self.lost
    }

    pub fn tell_standing(&mut self, standing: &Standing) {
        let mut words = Vec::new();
        standing.write(&mut words);
        self.send(&Frame::Standing(words.into_iter().flat_map(u32::to_le_bytes).collect()));
    }

    /// Tells the master that the reports on all ranks of the host were sent.
    pub fn explained(&mut self) {
        self.send(&Frame::Explained);
    }

    fn send(&mut self, frame: &Frame) {
        if !self.lost {
            self.sealer.seal(frame, &mut self.waiting);
        }
    }

    /// Sleeps until a signal of the set arrives, which it returns, a message of the master arrives, one of `others` can be
    /// read, or `time` has passed. Forwards output meanwhile.
    pub fn wait(&mut self, time: Option<Duration>, others: &[BorrowedFd<'_>]) -> Option<i32> {
        let until = time.map(|time| Instant::now() + time);
        loop {
            let news = self.turn(until, others);
            if let Some(signal) = self.signals.as_ref().and_then(AwaitedSignals::take) {
                return Some(signal);
            }
            if news || until.is_some_and(|until| Instant::now() >= until) {
                return None;
            }
        }
    }

    /// Sleeps once, at most until `until`, then does all input and output that is possible. True if the warden has to act on a
    /// message of the master, or one of `others` can be read.
    fn turn(&mut self, until: Option<Instant>, others: &[BorrowedFd<'_>]) -> bool {
        let now = Instant::now();
        if now >= self.say_alive_at && self.waiting.len() < MOST_WAITING {
            self.send(&Frame::Alive);
            self.say_alive_at = now + self.silence.period();
        }
        self.ask_around();
        self.transmit();
        let mut wake = if self.lost { now + Duration::from_secs(1) } else { self.say_alive_at };
        wake = until.map_or(wake, |until| wake.min(until));
        wake = self.paths.due().into_iter().chain(self.tree.as_ref().and_then(HostTree::due)).fold(wake, Instant::min);
        let signals = self.signals.as_ref().and_then(AwaitedSignals::file);
        if signals.is_none() {
            wake = wake.min(now + AwaitedSignals::PERIOD);
        }
        let prompts = self.prompts();
        if prompts {
            if let Some(since) = self.outputs.iter().filter(|o| !o.line.is_empty()).map(|o| o.since).min() {
                wake = wake.min(since + PROMPT_AFTER);
            }
        }
        let reading = self.waiting.len() < MOST_WAITING;
        let nap = wake.saturating_duration_since(Instant::now()).as_millis() as i32 + 1;
        let (mut heard, mut readable) = (false, Vec::new());
        let (asked, offered, climbs, stirred_others);
        {
            let mut files = Vec::with_capacity(5 + self.outputs.len());
            let mut wanted = if self.lost { PollFlags::empty() } else { PollFlags::POLLIN };
            wanted.set(PollFlags::POLLOUT, !self.lost && !self.waiting.is_empty());
            files.push(PollFd::new(self.stream.as_fd(), wanted));
            files.push(PollFd::new(self.paths.socket().as_fd(), PollFlags::POLLIN));
            files.extend(signals.map(|file| PollFd::new(file, PollFlags::POLLIN)));
            let outgoing = self.relayed.as_ref().and_then(Relayed::outgoing);
            files.extend(outgoing.map(|file| PollFd::new(file, PollFlags::POLLOUT)));
            let relayed = files.len();
            let incoming = self.relayed.as_ref().and_then(Relayed::incoming).filter(|_| reading);
            files.extend(incoming.map(|file| PollFd::new(file, PollFlags::POLLIN)));
            let outputs = files.len();
            let open: Vec<usize> = (0..self.outputs.len()).filter(|&at| reading && !self.outputs[at].ended).collect();
            files.extend(open.iter().map(|&at| PollFd::new(self.outputs[at].pipe.as_fd(), PollFlags::POLLIN)));
            let branches = files.len();
            let of_tree = self.tree.iter().flat_map(HostTree::files);
            files.extend(of_tree.map(|(file, wanted)| PollFd::new(file, wanted)));
            let watched = files.len();
            files.extend(others.iter().map(|&file| PollFd::new(file, PollFlags::POLLIN)));
            // If a filter of system calls forbids poll, all descriptors are tried periodically.
            let blind = poll(&mut files, PollTimeout::try_from(nap).unwrap_or(PollTimeout::MAX))
                .is_err_and(|errno| process::is_forbidden(&errno.into()));
            if blind {
                process::nap(Duration::from_millis(5));
            }
            let stirred = |file: &PollFd<'_>| blind || file.revents().is_some_and(|got| !got.is_empty());
            if !self.lost && stirred(&files[0]) {
                heard = true;
            }
            asked = stirred(&files[1]);
            offered = files[relayed..outputs].iter().any(stirred);
            climbs = files[branches..watched].iter().any(stirred);
            stirred_others = files[watched..].iter().any(stirred);
            readable.extend(
                open.iter().zip(&files[outputs..branches]).filter(|(_, file)| stirred(file)).map(|(&at, _)| at),
            );
        }
        for at in readable {
            self.read_output(at);
        }
        if asked {
            self.paths.receive();
        }
        if let Some(relayed) = &mut self.relayed {
            relayed.pass();
            if offered {
                if let Some(records) = relayed.take() {
                    match &mut self.tree {
                        Some(tree) => tree.offer(records),
                        None => self.send(&Frame::Fence(records)),
                    }
                }
            }
        }
        if climbs || offered || self.tree.as_ref().and_then(HostTree::due).is_some_and(|due| Instant::now() >= due) {
            self.climb();
        }
        if prompts {
            self.show_prompts();
        }
        let was_lost = self.lost;
        let mut news = heard && self.receive();
        news |= stirred_others;
        if self.silence.look(!self.lost) {
            self.lost = true;
        }
        self.transmit();
        news |= self.lost && !was_lost;
        news
    }

    /// All input and output on the connections to other hosts.
    fn climb(&mut self) {
        let Some(tree) = &mut self.tree else { return };
        match tree.work(Instant::now()) {
            Ok(None) => {}
            Ok(Some(records)) => {
                if let Some(relayed) = &mut self.relayed {
                    relayed.answer(&records);
                }
            }
            Err(why) if self.end.is_none() => self.trouble(1, why),
            Err(_) => {}
        }
    }

    fn transmit(&mut self) {
        while !self.waiting.is_empty() && !self.lost {
            match self.stream.write(&self.waiting) {
                Ok(sent) => _ = self.waiting.drain(..sent),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(_) => self.lost = true,
            }
        }
    }

    fn receive(&mut self) -> bool {
        let mut block = [0; 4096];
        match self.stream.read(&mut block) {
            Ok(0) => self.lost = true,
            Ok(got) => {
                self.silence.heard();
                self.opener.push(&block[..got]);
            }
            Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) => {}
            Err(_) => self.lost = true,
        }
        let mut news = false;
        loop {
            match self.opener.next_frame() {
                Ok(Some(Frame::End { code, crash })) => {
                    self.end = Some((code, crash));
                    news = true;
                }
                Ok(Some(Frame::Explain(_))) => {
                    self.report = true;
                    news = true;
                }
                Ok(Some(Frame::Fence(records))) => {
                    if let Some(relayed) = &mut self.relayed {
                        relayed.answer(&records);
                    }
                }
                Ok(Some(Frame::Signal(signal))) => {
                    self.signal = Some(signal);
                    news = true;
                }
                Ok(Some(_)) => {}
                Ok(None) => return news,
                Err(_) => {
                    self.lost = true;
                    return news;
                }
            }
        }
    }

    /// Reads the output of a rank, and forwards complete lines. True if there was output.
    fn read_output(&mut self, at: usize) -> bool {
        let (whole, outcome) = self.outputs[at].read(self.line_bytes);
        self.pass_on(at, whole.unwrap_or(0));
        if let Err(lost) = outcome {
            self.trouble(1, lost);
        }
        whole.is_some()
    }

    fn pass_on(&mut self, at: usize, len: usize) {
        if let Some(frame) = self.outputs[at].take(len) {
            self.send(&frame);
        }
    }

    /// Whether stdin is a terminal, so that output may be a prompt.
    fn prompts(&self) -> bool {
        self.terminal && self.stdin
    }

    fn show_prompts(&mut self) {
        for at in 0..self.outputs.len() {
            let output = &self.outputs[at];
            if output.rank == LEADER && output.may_prompt() {
                let len = output.line.len();
                self.pass_on(at, len);
            }
        }
    }

    /// Ends the connection: sends the rest of the ranks' output, then Bye. `leader_left` tells whether the leader, which may
    /// write until then, has ended, for which it has the time `to_leave`; from then on, `patience` limits the time for a
    /// master that reads slowly. If Bye does not arrive, the master knows that output is missing.
    pub fn finish(mut self, leader_left: impl Fn() -> bool, to_leave: Duration, patience: Duration) {
        const STRAY_WRITERS: Duration = Duration::from_millis(50);
        let mut late = Instant::now() + to_leave;
        let mut left_at = None;
        let whole = loop {
            let now = Instant::now();
            if left_at.is_none() && leader_left() {
                left_at = Some(now);
                late = now + patience;
            }
            let all_read = self.outputs.iter().all(|output| output.ended);
            // A process that a rank started and did not wait for may hold its pipes open without end.
            let stray = left_at.is_some_and(|at| now > at + STRAY_WRITERS) && self.waiting.is_empty() && {
                let read: Vec<bool> = (0..self.outputs.len()).map(|at| self.read_output(at)).collect();
                !read.contains(&true)
            };
            let whole = left_at.is_some() && (all_read || stray);
            if self.lost || now >= late || whole {
                break whole;
            }
            self.turn(Some(now + Duration::from_millis(5)), &[]);
        };
        for at in 0..self.outputs.len() {
            let len = self.outputs[at].line.len();
            self.pass_on(at, len);
        }
        if whole {
            self.send(&Frame::Bye);
        }
        // Until the master hangs up: closing a connection with unread data discards data in flight.
        while !self.lost && Instant::now() < late {
            self.turn(Some(Instant::now() + Duration::from_millis(50)), &[]);
        }
    }
}
