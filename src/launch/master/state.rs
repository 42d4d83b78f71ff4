//! The master's state: the job, its hosts, connections and processes. Imports that its files have in common are here.

pub(super) use super::strangers::{MasterDoor, Strangers};
pub(super) use crate::bootstrap::limits::{ExitLimits, exit_limits};
pub(super) use crate::env;
pub(super) use crate::fatal::{line, warn};
pub(super) use crate::hang::ask;
use crate::hang::standing::Standing;
pub(super) use crate::launch::control::{
    Assign, Bad, Death, Frame, Hello, JobSecret, Nonce, Opener, Sealer, Side, WardenAddress,
};
pub(super) use crate::launch::hosts::{Distribution, HostInfo};
use crate::launch::meeting::terms::Terms;
pub(super) use crate::launch::output::{Label, Output};
pub(super) use crate::launch::silence::Silence;
pub(super) use crate::launch::spawn::{Placement, Program, SpawnMethod, StartedProcess};
pub(super) use crate::launch::spawn_ssh::Ssh;
pub(super) use crate::launch::{control, hosts, spawn, spawn_command, spawn_local, tree, worker};
pub(super) use crate::os::children::End;
pub(super) use crate::os::process::{self, is_forbidden};
pub(super) use crate::os::signal::{self, AwaitedSignals, Mask, Signal};
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
    /// The largest number of hosts to use.
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

/// The largest number of connections that are not authenticated.
pub(super) const MOST_STRANGERS: usize = 32;
pub(super) const STRANGER_TIME: Duration = Duration::from_secs(10);
/// Bytes of output that are kept for a slow reader; beyond that no more is accepted from the hosts.
pub(super) const MOST_OUTPUT: usize = 1 << 20;
pub(super) const MOST_INPUT: usize = 64 << 10;
/// Time limit for a host from its hello to its warden's first frame.
pub(super) const STARTING_TIME: Duration = Duration::from_secs(60);
/// After a host's connection broke, the time to wait for the end of its process, which may explain it.
pub(super) const EXPLANATION_TIME: Duration = Duration::from_millis(300);

/// A connection.
pub(super) struct Conn {
    pub(super) stream: TcpStream,
    pub(super) peer: SocketAddr,
    pub(super) nonce: Nonce,
    pub(super) since: Instant,
    /// The bytes of the other side's opening, until it is complete.
    pub(super) opening: Vec<u8>,
    pub(super) keys: Option<(Sealer, Opener)>,
    pub(super) host: Option<usize>,
    /// It has sent an authentic hello.
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
    /// It has sent its hello.
    Here,
    /// It is ready to start its ranks.
    Bound,
    /// It sent Bye, its connection ended, or it never joined.
    Gone,
}

/// A host under an external launcher that has presented its ranks, and its connection.
pub(super) struct PresentedHost {
    pub(super) at: usize,
    pub(super) hello: Hello,
    pub(super) ranks: Ranks,
    pub(super) warden: WardenAddress,
}

pub(super) struct Host {
    pub(super) info: HostInfo,
    pub(super) stage: HostStage,
    pub(super) warden: Option<WardenAddress>,
    /// The values of its ranks in the exchange in progress.
    pub(super) records: Option<Vec<u8>>,
    pub(super) hello: Option<Hello>,
    /// Whether it makes no progress, and whether a thread waits there.
    pub(super) still: (bool, bool),
    /// It was given up before all output of its ranks had arrived.
    pub(super) lost: bool,
    /// The time at which its connection broke, or its process ended, without a reason; see `EXPLANATION_TIME`.
    pub(super) broke_at: Option<Instant>,
}

impl Host {
    /// A host that has sent its hello, or is about to be started.
    pub(super) fn new(info: HostInfo, hello: Option<Hello>) -> Host {
        Host {
            info,
            stage: if hello.is_some() { HostStage::Here } else { HostStage::Away },
            warden: None,
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
    /// The host it was started for; None if for all hosts.
    pub(super) host: Option<usize>,
    pub(super) ended: Option<ExitStatus>,
    /// Its output to stderr before the hello of its host, and the time of the first of it.
    pub(super) said: Vec<u8>,
    pub(super) said_at: Option<Instant>,
    /// Its output to stderr is printed at once.
    pub(super) shown: bool,
}

/// The end of the job.
#[derive(Clone, Copy)]
pub(super) struct JobEnding {
    pub(super) code: i32,
    /// A process died; the end was not requested.
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
    /// Connection and hello of the processes that the command started, until all have joined.
    pub(super) lobby: Vec<(usize, Hello)>,
    /// Hosts under an external launcher that have presented their ranks, until all have.
    pub(super) presented: Vec<PresentedHost>,
    /// The settings proposed for the job, and a rank that proposed them.
    pub(super) terms: Option<(u32, Terms)>,
    /// Hangs up when the process that has started the master ends.
    pub(super) starter: Option<OwnedFd>,
    /// The name under which one process of this host prints why the job ends, of a job that an external launcher started.
    pub(super) reason_name: Option<String>,
    pub(super) signals: AwaitedSignals,
    /// The signal mask of this process before it waited for signals.
    pub(super) mask: Mask,
    pub(super) out: [Output; 2],
    pub(super) input: VecDeque<u8>,
    /// The master forwards the job's stdin.
    pub(super) feeding: bool,
    pub(super) deadline: Option<Instant>,
    pub(super) peer_timeout: Duration,
    pub(super) limits: ExitLimits,
    pub(super) alive_at: Instant,
    pub(super) ending: Option<JobEnding>,
    pub(super) said: bool,
    /// The time at which a rank printed the reason for the end on its own stderr.
    pub(super) rank_said: Option<Instant>,
    /// Some of the job's output is lost, which was reported: the code is not 0.
    pub(super) output_lost: bool,
    /// The time at which the process that starts all hosts ended with an error; see `EXPLANATION_TIME`.
    pub(super) broke_at: Option<Instant>,
    /// The first request to stop, and its time.
    pub(super) stopped: Option<(i32, Instant)>,
    pub(super) route: bool,
    pub(super) line_bytes: u32,
    pub(super) verbose: bool,
    pub(super) strangers: Strangers,
    pub(super) counters: bool,
    /// The report in progress, and the time at which the last one began or ended.
    pub(super) report: Option<Report>,
    pub(super) reported: Option<Instant>,
}

/// The report in progress.
pub(super) struct Report {
    /// Hosts whose report is not complete.
    pub(super) awaited: Vec<usize>,
    pub(super) standings: Vec<Standing>,
    pub(super) begun: Instant,
    /// The master started it by itself.
    pub(super) unasked: bool,
}
