//! Processes that an external launcher started, on one host or several, find out which of them share a host. This takes one
//! value and two fences of the launcher: rank 0 puts the job's secret and, if there is a network, the addresses of the job's
//! master (`master::external`). After the first fence each process tries to listen on an abstract Unix socket whose name is
//! derived from the secret and the machine's identity (`worker::machine`: boot, namespaces); one succeeds, the others connect
//! to it. After the second fence every process that can connect has connected. The others are on another host, or count as
//! such (in another container or PID namespace), even if the launcher says otherwise. The listening process sends the ranks of this
//! host to all of them; then they meet (meeting.rs).

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use nix::poll::PollFlags;

use crate::bootstrap::contract::Bootstrap;
use crate::defs::rank::JobRank;
use crate::env;
use crate::env::table::MAX_RANKS;
use crate::fatal::fatal;
use crate::launch::control::{self, JobSecret};
use crate::launch::local::Seat;
use crate::launch::master::external as master;
use crate::launch::meeting::member::{in_time, wait_for};
use crate::launch::worker;
use crate::os::local_socket::{self, own_uid};
use crate::os::process::{self, Line};
use crate::os::{limits, signal};
use crate::places::{Ranks, check_size};
use crate::sync::atomic::{AtomicBool, Ordering};

/// The key of rank 0's value.
const JOB: &str = "job";
/// The largest number of ranks in one message.
const RANKS_EACH: usize = 2048;

/// This process among those that were started separately.
pub(crate) struct Task {
    /// Its place among the processes of its host.
    pub seat: Seat,
    /// Ranks of the job.
    pub size: u32,
    /// The master, if the job has one.
    pub master: Option<MasterAt>,
}

/// Where the master of the job listens.
pub(crate) struct MasterAt {
    pub secret: JobSecret,
    pub addresses: Vec<SocketAddr>,
}

impl Task {
    /// A process whose seat the environment gave: all ranks are on this host.
    pub(crate) fn by_hand(seat: Seat) -> Task {
        Task { size: seat.size, seat, master: None }
    }
}

/// Finds the processes of this host. `networked`: `conduit` is that of jobs of several hosts, which have a master. `abi` is the
/// number of the library's interface.
pub(crate) fn gather(bootstrap: &'static dyn Bootstrap, conduit: &str, networked: bool, abi: u32) -> Task {
    let identity = bootstrap.identity();
    let (me, size) = (identity.me, identity.size);
    check_size(size.into(), 0).unwrap_or_else(|why| fatal!("{why}"));
    if me.0 == 0 {
        let secret =
            control::random().unwrap_or_else(|error| fatal!("no random numbers for the job's secret: {error}"));
        let addresses = match networked.then(|| master::start(size, abi, secret, bootstrap.reason_name())).transpose() {
            Ok(addresses) => addresses.unwrap_or_default(),
            Err(why) => fatal!("{why}"),
        };
        announce(bootstrap, &secret, &addresses);
    }
    bootstrap.fence();
    let Some((secret, addresses)) = announced(bootstrap) else {
        fatal!(
            "the launcher does not return rank 0's description of the job, or rank 0 runs another version of the library"
        )
    };
    if addresses.is_empty() == networked {
        fatal!("rank 0 uses another conduit than {conduit} of rank {}: all ranks of a job need the same", me.0);
    }
    let name = name_of(&secret, identity.peers.first().copied());
    let ranks = meet(bootstrap, &secret, &name);
    let Some(here) = ranks.index_of(me) else { fatal!("rank {} is not among the processes of its own host", me.0) };
    let seat = Seat { rank: here.0, size: ranks.count(), key: control::derived(&secret, &name), ranks, by_hand: false };
    if !networked && seat.size != size {
        one_host_only(bootstrap, &seat);
    }
    // Addresses that other hosts can reach are not needed where there is one host.
    let addresses = match (addresses.first(), seat.size == size) {
        (Some(any), true) if env::spawn_str("GASNET_MASTERIP").is_none() => {
            vec![SocketAddr::new(Ipv4Addr::LOCALHOST.into(), any.port())]
        }
        _ => addresses,
    };
    Task { seat, size, master: networked.then_some(MasterAt { secret, addresses }) }
}

/// The name under which the processes of this host find each other; `first`: of the ranks that the launcher placed here.
fn name_of(secret: &JobSecret, first: Option<JobRank>) -> String {
    let mut hash = blake3::Hasher::new_keyed(secret);
    hash.update(&worker::machine());
    if env::choice("GASNET_BOOTSTRAP_HOSTS") == "launcher" {
        hash.update(&first.map_or(0, |rank| rank.0).to_le_bytes());
    }
    format!("gasnet-{}", &hash.finalize().to_hex()[..32])
}

/// The ranks of this host, ascending.
fn meet(bootstrap: &'static dyn Bootstrap, secret: &JobSecret, name: &str) -> Ranks {
    let me = bootstrap.identity().me.0;
    let deadline = Instant::now() + Duration::from_secs_f64(env::dbl("GASNET_SPAWN_TIMEOUT"));
    let proof = |rank: u32| *blake3::keyed_hash(secret, format!("rank {rank} of a host").as_bytes()).as_bytes();
    let listener = match local_socket::listen(name) {
        Ok(listener) => Some(listener),
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => None,
        Err(error) => fatal!("no Unix socket for the other ranks of this host: {error}"),
    };
    let Some(listener) = listener else {
        let socket = connect(name, deadline);
        let hello = [&me.to_le_bytes(), &proof(me)[..]].concat();
        if let Err(error) = local_socket::send(&socket, &hello, &[]) {
            fatal!("the first process of this host does not listen: {error}");
        }
        bootstrap.barrier();
        return ranks_of(
            &told(&socket, deadline).unwrap_or_else(|| first_is_gone(bootstrap.reason_name().unwrap_or(name))),
        );
    };
    limits::allow_files(limits::open_files() + u64::from(bootstrap.identity().size).min(MAX_RANKS as u64) + 64);
    // The kernel queues few connections, so they are accepted while the fence is in progress.
    let passed = AtomicBool::new(false);
    let sockets = std::thread::scope(|scope| {
        let taking = scope.spawn(|| take(&listener, &passed));
        bootstrap.barrier();
        passed.store(true, Ordering::Release);
        taking.join().unwrap_or_default()
    });
    let mut members: Vec<(u32, OwnedFd)> = Vec::new();
    for socket in sockets {
        // A process of the job has sent this before it entered the fence; other processes are ignored.
        let Ok((bytes, _)) = local_socket::receive(&socket) else { continue };
        let Some((rank, said)) = bytes.split_first_chunk::<4>() else { continue };
        let rank = u32::from_le_bytes(*rank);
        let is_known =
            said.try_into().is_ok_and(|said| blake3::Hash::from_bytes(said) == blake3::Hash::from(proof(rank)));
        if is_known && local_socket::peer(&socket).is_ok_and(|peer| peer.uid == own_uid()) {
            members.push((rank, socket));
        }
    }
    let mut all: Vec<u32> = members.iter().map(|member| member.0).chain([me]).collect();
    all.sort_unstable();
    if let Some(twice) = all.windows(2).find(|pair| pair[0] == pair[1]) {
        fatal!("the launcher started two processes of this host as rank {}", twice[0]);
    }
    let count = all.len() as u32;
    for (_, socket) in &members {
        for part in all.chunks(RANKS_EACH) {
            let words = [count].into_iter().chain(part.iter().copied());
            // A process that has ended since is detected when they meet.
            let _ = local_socket::send(socket, &words.flat_map(u32::to_le_bytes).collect::<Vec<_>>(), &[]);
        }
    }
    ranks_of(&all)
}

/// Accepts connections until the fence has `passed`, and then all that are queued.
fn take(listener: &OwnedFd, passed: &AtomicBool) -> Vec<OwnedFd> {
    const LOOK_AGAIN: Duration = Duration::from_millis(2);
    let mut sockets = Vec::new();
    loop {
        // Read before the last attempt.
        let is_last = passed.load(Ordering::Acquire);
        while let Ok(socket) = local_socket::accept(listener) {
            sockets.push(socket);
        }
        if is_last {
            return sockets;
        }
        wait_for([(listener, PollFlags::POLLIN)], Instant::now() + LOOK_AGAIN);
    }
}

fn connect(name: &str, deadline: Instant) -> OwnedFd {
    loop {
        match local_socket::connect(name) {
            Ok(socket) => return socket,
            // The socket is bound, but does not listen yet; or its queue is full.
            Err(error) if matches!(error.kind(), io::ErrorKind::ConnectionRefused | io::ErrorKind::WouldBlock) => {}
            Err(error) => fatal!("no Unix socket to the other ranks of this host: {error}"),
        }
        if Instant::now() > deadline {
            fatal!("the first process of this host does not listen {}", in_time());
        }
        process::nap(Duration::from_millis(1));
    }
}

/// Receives the ranks of this host from the listening process; None if that has ended.
fn told(socket: &OwnedFd, deadline: Instant) -> Option<Vec<u32>> {
    let mut ranks = Vec::new();
    loop {
        wait_for([(socket, PollFlags::POLLIN)], deadline);
        match local_socket::receive(socket) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Ok((bytes, _)) if bytes.len() >= 8 => {
                let mut words =
                    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
                let count = words.next().unwrap_or(0) as usize;
                ranks.extend(words);
                if ranks.len() >= count {
                    return Some(ranks);
                }
            }
            _ => return None,
        }
        if Instant::now() > deadline {
            fatal!("the first process of this host did not send the list of its ranks {}", in_time());
        }
    }
}

/// Ends this process. All processes of this host see that at the same time: the one that claims `name` prints the line.
fn first_is_gone(name: &str) -> ! {
    const OTHERS_ASK: Duration = Duration::from_millis(500);
    if local_socket::claim(name) {
        Line::of(format_args!("*** FATAL ERROR: the first process of this host ended while the job started")).print();
    }
    process::nap(OTHERS_ASK);
    signal::die_of(libc::SIGABRT)
}

fn ranks_of(all: &[u32]) -> Ranks {
    all.iter().copied().map(JobRank).collect()
}

/// Ends the job because tasks of a conduit without a network are on several hosts. Rank 0 prints the reason.
fn one_host_only(bootstrap: &'static dyn Bootstrap, seat: &Seat) -> ! {
    const RANK0_SAYS: Duration = Duration::from_secs(3);
    if seat.ranks.index_of(JobRank(0)).is_none() || seat.rank > 0 {
        // The launcher ends this process when rank 0 aborts the job.
        process::nap(RANK0_SAYS);
        process::end_now(1)
    }
    let (size, count) = (bootstrap.identity().size, seat.size);
    fatal!(
        "the launcher placed {} of {size} ranks on hosts that do not share memory with rank 0's, and the smp conduit has no \
         network: place them on one host, or build the program for the udp conduit",
        size - count
    )
}

/// Rank 0: offers the job's secret, and where its master is.
pub fn announce(bootstrap: &dyn Bootstrap, secret: &JobSecret, master: &[SocketAddr]) {
    bootstrap.put(JOB, &written(secret, master));
}

/// Rank 0's announcement; `None` if no valid one has come.
pub fn announced(bootstrap: &dyn Bootstrap) -> Option<(JobSecret, Vec<SocketAddr>)> {
    bootstrap.get(JobRank(0), JOB).and_then(|value| read(&value))
}

/// Rank 0's description of the job as bytes: the secret, then port and address of each of the master's addresses.
fn written(secret: &JobSecret, master: &[SocketAddr]) -> Vec<u8> {
    let mut bytes = secret.to_vec();
    for address in master {
        bytes.extend(address.port().to_le_bytes());
        match address.ip() {
            IpAddr::V4(ip) => bytes.extend([&[4][..], &ip.octets()].concat()),
            IpAddr::V6(ip) => bytes.extend([&[16][..], &ip.octets()].concat()),
        }
    }
    bytes
}

fn read(bytes: &[u8]) -> Option<(JobSecret, Vec<SocketAddr>)> {
    let (secret, mut rest) = bytes.split_first_chunk::<32>()?;
    let mut master = Vec::new();
    while let Some((&[low, high, len], more)) = rest.split_first_chunk::<3>() {
        let (ip, more) = more.split_at_checked(len.into())?;
        let ip = match len {
            4 => IpAddr::from(<[u8; 4]>::try_from(ip).ok()?),
            _ => IpAddr::from(<[u8; 16]>::try_from(ip).ok()?),
        };
        master.push(SocketAddr::new(ip, u16::from_le_bytes([low, high])));
        rest = more;
    }
    rest.is_empty().then_some((*secret, master))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_value_of_rank_0_is_read_as_it_was_written_and_fits_any_launcher() {
        let some = |at: u16| SocketAddr::new([10, 0, 0, at as u8].into(), at);
        let v6 = "[fd00::1:2]:7".parse().unwrap();
        let master: Vec<SocketAddr> = (1..).take(master::MOST_ADDRESSES - 1).map(some).chain([v6]).collect();
        let value = written(&[9; 32], &master);
        assert_eq!(read(&value), Some(([9; 32], master)));
        assert!(value.len() <= 512, "{}", value.len());
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_value_or_are_refused(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
            let _ = read(&bytes);
        }
    }
}
