//! The tasks of a Slurm step that has no PMI (`srun --mpi=none`). Slurm's environment has their ranks and nodes; they connect
//! to a rendezvous of our own, whose secret is in a file of the user until all tasks have read it.

mod channel;
pub(crate) mod note;
mod rendezvous;

use core::ffi::c_int;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::os::fd::{AsFd, AsRawFd};
use std::path::Path;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, poll};
use nix::sys::wait::waitpid;
use nix::unistd::Pid;
use parking_lot::Mutex;

use self::channel::Channel;
use self::note::StepNote;
use self::rendezvous::Rendezvous;
use crate::bootstrap::contract::{Bootstrap, Identity};
use crate::bootstrap::values::Values;
use crate::defs::rank::{HostRank, JobRank};
use crate::env;
use crate::fatal::fatal;
use crate::launch::addresses::{all_addresses, own_address, own_name};
use crate::launch::control::{self, Frame, Hello};
use crate::launch::external::connection::{explained, patience};
use crate::launch::external::pmix::local_peers;
use crate::launch::external::words::{needed, number};
use crate::launch::worker;
use crate::os::process::{self, Forked};
use crate::os::reserve::without_malloc;
use crate::os::{limits, signal};

/// The longest that the rendezvous' node waits for tasks of other nodes to end: Slurm may kill the rendezvous once no
/// task of its node is left.
const LEAVE_MS: u16 = 10_000;

pub(crate) struct SlurmBootstrap {
    identity: Identity,
    values: Mutex<Values>,
    exchange: Mutex<Channel>,
    /// Taken by `abort` and `leave` alone, if it is free.
    watch: Mutex<Channel>,
    watched: c_int,
    /// This process waits for the others when it leaves.
    lingers: bool,
}

/// The tasks of this node, if this process is task `rank` of a step of `size` tasks. A launcher in a step has ranks of its own.
pub(crate) fn step_peers(rank: u32, size: u32) -> Option<Vec<u32>> {
    let is_task = number("SLURM_PROCID") == Some(rank) && number("SLURM_STEP_NUM_TASKS") == Some(size);
    local_peers(&env::raw("SLURM_GTIDS").filter(|_| is_task)?, rank, size)
}

/// Joins the step that the environment describes. Errors are lines for the user.
pub(crate) fn join() -> Result<SlurmBootstrap, String> {
    let (rank, size) = (needed("SLURM_PROCID")?, needed("SLURM_STEP_NUM_TASKS")?);
    if rank >= size {
        return Err(format!("SLURM_PROCID={rank} is not below SLURM_STEP_NUM_TASKS={size}"));
    }
    let gtids = env::raw("SLURM_GTIDS").unwrap_or_default();
    let Some(peers) = local_peers(&gtids, rank, size) else {
        return Err(format!("SLURM_GTIDS='{gtids}' does not list the tasks of this node, rank {rank} among them"));
    };
    let on_one_node = env::raw("SLURM_STEP_NUM_NODES").as_deref() == Some("1");
    let path = note::path()?;
    let note = if rank == 0 { Some(begin(&path, size, on_one_node)?) } else { None };
    let (mut exchange, watch) = meet(&path, note, rank, patience())?;
    exchange.trust();
    // Waits until all tasks have joined.
    match exchange.expect(patience() + Duration::from_secs(5)) {
        Ok(Frame::Alive) => {}
        // It has said why.
        Ok(Frame::End { code, .. }) => process::end_now(code),
        Ok(_) => return Err("the rendezvous of the step sent an unexpected message".to_string()),
        Err(error) => return Err(format!("the rendezvous of the step does not answer: {}", explained(&error))),
    }
    let facing = exchange.stream().local_addr().map_err(|error| error.to_string())?.ip();
    let address = if on_one_node { None } else { Some(own_address(facing)?) };
    let me = JobRank(rank);
    let here = HostRank(peers.iter().take_while(|&&peer| peer < rank).count() as u32);
    let identity = Identity { me, size, here, peers: peers.into_iter().map(JobRank).collect(), address };
    Ok(SlurmBootstrap {
        identity,
        values: Mutex::default(),
        watched: watch.as_file().as_raw_fd(),
        exchange: Mutex::new(exchange),
        watch: Mutex::new(watch),
        lingers: rank == 0 && !on_one_node,
    })
}

/// In rank 0: starts the rendezvous, and leaves a note of it.
fn begin(path: &Path, size: u32, on_one_node: bool) -> Result<StepNote, String> {
    let (at, addresses) = match on_one_node {
        true => (IpAddr::from(Ipv4Addr::LOCALHOST), vec![IpAddr::from(Ipv4Addr::LOCALHOST)]),
        false => (IpAddr::from(Ipv4Addr::UNSPECIFIED), own_addresses()?),
    };
    let secret = control::random().map_err(|error| format!("no random numbers: {error}"))?;
    let listener = TcpListener::bind((at, 0)).and_then(|listener| Ok((listener.local_addr()?.port(), listener)));
    let (port, listener) = listener.map_err(|error| format!("no socket at {at} on host {}: {error}", own_name()))?;
    let note = StepNote { secret, port, addresses };
    limits::allow_files(u64::from(size) * 2 + 64);
    let serve = Rendezvous::new(listener, secret, path.to_path_buf(), size, worker::version(0), patience());
    match process::fork() {
        Ok(Forked::Child) => {
            // The rendezvous is a grandchild, so that this process need not wait for it.
            if let Ok(Forked::Child) = process::fork() {
                process::set_name(c"gasnet-meet");
                [nix::libc::SIGINT, nix::libc::SIGTERM, nix::libc::SIGHUP, nix::libc::SIGPIPE]
                    .into_iter()
                    .for_each(signal::ignore);
                process::close_all_but(&[serve.listening()]);
                serve.run();
            }
            process::end_now(0)
        }
        Ok(Forked::Parent(child)) => _ = waitpid(Pid::from_raw(child), None),
        Err(errno) => return Err(format!("no process for the rendezvous: {}", process::error_text(errno))),
    }
    note.write(path).map_err(|error| {
        let dir = path.parent().unwrap_or(path).display();
        format!("cannot leave a note for the other tasks in {dir}: {error} (GASNET_TMPDIR names another directory)")
    })?;
    Ok(note)
}

/// The addresses at which other nodes may reach this one.
fn own_addresses() -> Result<Vec<IpAddr>, String> {
    if env::spawn_str("GASNET_WORKERIP").is_some() {
        return Ok(vec![own_address(IpAddr::from(Ipv4Addr::LOCALHOST))?]);
    }
    let (local, mut others): (Vec<_>, Vec<_>) =
        all_addresses()?.into_iter().filter(IpAddr::is_ipv4).partition(IpAddr::is_loopback);
    if others.is_empty() {
        others = local;
    }
    Ok(others)
}

/// Connects to the rendezvous, whose address is in the note.
fn meet(path: &Path, note: Option<StepNote>, rank: u32, limit: Duration) -> Result<(Channel, Channel), String> {
    /// The longest try of one address.
    const TRY: Duration = Duration::from_secs(2);
    let until = Instant::now() + limit;
    let mut pause = Duration::from_millis(2);
    loop {
        let (dir, file) = (path.parent().unwrap_or(path).display(), path.display());
        let why = match note.clone().map_or_else(|| StepNote::read(path), Ok) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                format!(
                    "rank 0 has left no note in {dir}, a directory that all nodes must have (GASNET_TMPDIR names another)"
                )
            }
            Err(error) => format!("the note {file} cannot be used: {error}"),
            Ok(note) => {
                let mut last = String::new();
                for &ip in &note.addresses {
                    let at = SocketAddr::new(ip, note.port);
                    let connect = |is_watch: bool| {
                        let mut channel = Channel::dial(at, &note.secret, TRY)?;
                        channel.send(&hello(rank, is_watch))?;
                        io::Result::Ok(channel)
                    };
                    match connect(false).and_then(|exchange| Ok((exchange, connect(true)?))) {
                        Ok(both) => return Ok(both),
                        Err(error) => {
                            last = format!("rank 0 at {at} cannot be reached from host {}: {error}", own_name())
                        }
                    }
                }
                last
            }
        };
        if Instant::now() >= until {
            return Err(format!("{why}; tried for {} s (GASNET_SPAWN_TIMEOUT)", limit.as_secs_f64()));
        }
        process::nap(pause);
        pause = (pause * 2).min(Duration::from_millis(200));
    }
}

fn hello(rank: u32, is_watch: bool) -> Frame {
    Frame::Hello(Hello {
        seat: rank,
        pid: process::pid() as u32,
        machine: worker::machine(),
        kernel: 0,
        cpus: Vec::new(),
        name: own_name(),
        abi: worker::version(0),
        binary: is_watch.into(),
    })
}

impl SlurmBootstrap {
    fn exchange(&self, records: Vec<u8>) -> Vec<u8> {
        // The rendezvous has the shorter limit, and names the rank that is late.
        let limit = patience() + Duration::from_secs(5);
        let mut exchange = self.exchange.lock();
        let answer = exchange.send(&Frame::Fence(records)).and_then(|()| exchange.expect(limit));
        match answer {
            Ok(Frame::Fence(all)) => all,
            // It has said why.
            Ok(Frame::End { code, .. }) => process::end_now(code),
            Ok(_) => fatal!("the rendezvous of this Slurm step sent an unexpected message"),
            Err(error) => fatal!("the exchange of the tasks of this Slurm step has failed: {}", explained(&error)),
        }
    }

    /// May be called in a signal handler.
    fn tell(&self, frame: &Frame) {
        without_malloc(|| {
            if let Some(mut watch) = self.watch.try_lock() {
                let _ = watch.send(frame);
            }
        });
    }
}

impl Bootstrap for SlurmBootstrap {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn put(&self, key: &str, value: &[u8]) {
        self.values.lock().put(key, value);
    }

    fn fence(&self) {
        let mut values = self.values.lock();
        let mine = values.take_offer(self.identity.me);
        if !values.take_in(self.exchange(mine), self.identity.size) {
            fatal!("the values that the tasks of this Slurm step exchanged are malformed");
        }
    }

    fn get(&self, of: JobRank, key: &str) -> Option<Vec<u8>> {
        self.values.lock().get(of, key)
    }

    fn barrier(&self) {
        self.exchange(Vec::new());
    }

    /// The rendezvous prints the line.
    fn abort(&self, code: c_int, line: &str) {
        process::unwatch(self.watched);
        without_malloc(|| self.tell(&Frame::Trouble { code, why: line.to_string() }));
    }

    fn leave(&self) {
        process::unwatch(self.watched);
        self.tell(&Frame::Bye);
        if self.lingers {
            if let Some(watch) = self.watch.try_lock() {
                let _ = poll(&mut [PollFd::new(watch.as_file().as_fd(), PollFlags::POLLIN)], LEAVE_MS);
            }
        }
    }

    fn died(&self) -> Option<c_int> {
        Some(self.watched)
    }
}
