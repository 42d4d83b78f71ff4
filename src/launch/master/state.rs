//! The master's state: the job, its hosts, connections and processes. Imports that its files have in common are here.

pub(super) use super::strangers::{MasterDoor, Strangers};
pub(super) use crate::bootstrap::limits::{ExitLimits, exit_limits};
pub(super) use crate::env;
pub(super) use crate::fatal::{line, warn};
pub(super) use crate::hang::ask;
use crate::hang::standing::Standing;
pub(super) use crate::launch::control::{Assign, Bad, Death, Frame, Hello, JobSecret, Nonce, Opener, Sealer, Side};
pub(super) use crate::launch::hosts::{Distribution, HostInfo};
use crate::launch::meeting::terms::Terms;
pub(super) use crate::launch::output::{Label, Output};
pub(super) use crate::launch::silence::Silence;
pub(super) use crate::launch::spawn::{Placement, Program, SpawnMethod, StartedProcess};
pub(super) use crate::launch::spawn_ssh::Ssh;
pub(super) use crate::launch::{control, hosts, spawn, spawn_command, spawn_local, worker};
pub(super) use crate::os::children::End;
pub(super) use crate::os::process::{self, is_forbidden};
pub(super) use crate::os::signal::{self, Mask, Signal, SignalFile};
pub(super) use crate::places;
use crate::places::Ranks;
pub(super) use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
pub(super) use std::collections::VecDeque;
pub(super) use std::io::{ErrorKind, IsTerminal, Read, Write};
pub(super) use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs, UdpSocket};
pub(super) use std::os::fd::{AsFd, OwnedFd};
pub(super) use std::os::unix::ffi::OsStrExt;
pub(super) use std::process::ExitStatus;
pub(super) use std::time::{Duration, Instant};

/// The program to run, and the number of its processes.
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
pub struct JobOutcome {
    pub code: i32,
    pub interrupted: bool,
}

/// Connections of processes that have not shown that they are of the job.
pub(super) const MOST_STRANGERS: usize = 32;
pub(super) const STRANGER_TIME: Duration = Duration::from_secs(10);
/// Bytes of output that are kept for a slow reader; beyond that no more is accepted from the hosts.
pub(super) const MOST_OUTPUT: usize = 1 << 20;
pub(super) const MOST_INPUT: usize = 64 << 10;
/// Time limit for a host from its hello to its warden's first frame.
pub(super) const STARTING_TIME: Duration = Duration::from_secs(60);
/// How long a host whose connection broke has to be explained by the end of its process.
pub(super) const EXPLANATION_TIME: Duration = Duration::from_millis(300);

/// One that has connected.
pub(super) struct Conn {
    pub(super) stream: TcpStream,
    pub(super) peer: SocketAddr,
    pub(super) nonce: Nonce,
    pub(super) since: Instant,
    /// Before the other side's nonce is whole.
    pub(super) opening: Vec<u8>,
    pub(super) keys: Option<(Sealer, Opener)>,
    pub(super) host: Option<usize>,
    /// It has said hello.
    pub(super) member: bool,
    /// Its warden has shown that it is alive.
    pub(super) alive: bool,
    pub(super) waiting: Vec<u8>,
    pub(super) silence: Silence,
}

/// A source of events.
#[derive(Clone, Copy)]
pub(super) enum Ready {
    Signals,
    Door,
    Starter,
    Conn(usize),
    Input,
    Errors(usize),
    Stdin,
    Out(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HostStage {
    /// Started.
    Away,
    /// It has said hello.
    Here,
    /// It may start its ranks.
    Bound,
    /// It took leave, or its connection ended, or it never came.
    Gone,
}

pub(super) struct Host {
    pub(super) info: HostInfo,
    pub(super) stage: HostStage,
    /// Of its warden.
    pub(super) addr: Option<SocketAddr>,
    /// The values of its ranks in the exchange under way.
    pub(super) records: Option<Vec<u8>>,
    pub(super) hello: Option<Hello>,
    /// Nothing moves there, and a thread waits.
    pub(super) still: (bool, bool),
    /// It was dropped before everything that its ranks wrote had come.
    pub(super) lost: bool,
    /// When its connection broke, or its process ended, without a word: a moment is given for an explanation.
    pub(super) broke_at: Option<Instant>,
}

impl Host {
    /// One that has said hello, or is about to be started.
    pub(super) fn new(info: HostInfo, hello: Option<Hello>) -> Host {
        Host {
            info,
            stage: if hello.is_some() { HostStage::Here } else { HostStage::Away },
            addr: None,
            records: None,
            hello,
            still: (false, false),
            lost: false,
            broke_at: None,
        }
    }
}

pub(super) struct Process {
    pub(super) started: StartedProcess,
    /// Of the host it was started for; none if for all.
    pub(super) host: Option<usize>,
    pub(super) ended: Option<ExitStatus>,
    /// Its output to stderr before the hello of its host, and the time of the first of it.
    pub(super) said: Vec<u8>,
    pub(super) said_at: Option<Instant>,
    /// Its output to stderr is shown at once.
    pub(super) shown: bool,
}

/// How the job ends.
#[derive(Clone, Copy)]
pub(super) struct JobEnding {
    pub(super) code: i32,
    /// Somebody died; nobody asked for the end.
    pub(super) crash: bool,
    /// The time at which the remaining processes are ended by force.
    pub(super) late_at: Instant,
    pub(super) forced: bool,
    /// All hosts have left.
    pub(super) alone: bool,
}

pub(crate) struct Master {
    pub(super) order: Order,
    pub(super) secret: JobSecret,
    pub(super) how: SpawnMethod,
    pub(super) listed: Vec<String>,
    pub(super) distribution: Distribution,
    pub(super) door: Option<MasterDoor>,
    pub(super) conns: Vec<Option<Conn>>,
    pub(super) hosts: Vec<Host>,
    pub(super) processes: Vec<Process>,
    /// Processes that the command started and that have said hello, until all are there: connection and hello.
    pub(super) lobby: Vec<(usize, Hello)>,
    /// Hosts that somebody else started and that have said which ranks they have, until all are there.
    pub(super) presented: Vec<(usize, Hello, Ranks)>,
    /// What their ranks say that must be alike in the whole job, and a rank that said so.
    pub(super) terms: Option<(u32, Terms)>,
    /// Hangs up when the process that has started the master ends.
    pub(super) starter: Option<OwnedFd>,
    pub(super) signals: SignalFile,
    /// The signal mask of this process before it waited for signals.
    pub(super) mask: Mask,
    pub(super) out: [Output; 2],
    pub(super) input: VecDeque<u8>,
    /// The job's stdin is passed on by us.
    pub(super) feeding: bool,
    pub(super) deadline: Option<Instant>,
    pub(super) peer_timeout: Duration,
    pub(super) limits: ExitLimits,
    pub(super) alive_at: Instant,
    pub(super) ending: Option<JobEnding>,
    pub(super) said: bool,
    /// When a rank has said why the job ends, on its own stderr.
    pub(super) rank_said: Option<Instant>,
    /// Some of the job's output is lost, which has been said: the code is not 0.
    pub(super) output_lost: bool,
    /// When the process that starts all hosts ended badly: a moment is given for an explanation.
    pub(super) broke_at: Option<Instant>,
    /// The first request to stop, and when.
    pub(super) stopped: Option<(i32, Instant)>,
    pub(super) route: bool,
    pub(super) line_bytes: u32,
    pub(super) verbose: bool,
    pub(super) strangers: Strangers,
    pub(super) counters: bool,
    /// The report under way, and when the last one began or ended.
    pub(super) report: Option<Report>,
    pub(super) reported: Option<Instant>,
}

/// The report under way.
pub(super) struct Report {
    /// Hosts that have not said everything.
    pub(super) awaited: Vec<usize>,
    pub(super) standings: Vec<Standing>,
    pub(super) begun: Instant,
    /// The master started it by itself.
    pub(super) unasked: bool,
}
