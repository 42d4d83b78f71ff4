//! How the processes of a job find each other: rank 0 listens under an abstract name, which is made of the job's secret, for
//! processes of the same user that prove that they know the secret; the others connect, and see that who listens knows it, too.

use std::fmt;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::time::{Duration, Instant};

use nix::poll::PollFlags;

use super::{HELLO, MEETS, Member, NOTE, REFUSED, SEEN, end, give_up, in_time, lost, new_note, ranks, terms, wait_for};
use crate::bootstrap::local::Seat;
use crate::os::local_socket::{self, own_uid};
use crate::os::pidfd::Watched;
use crate::os::{limits, process, shm};
use crate::sync::atomic::Ordering;

/// Files that rank 0 may have open for each other rank: connection, handle, lifeline.
const FILES_EACH: u64 = 3;

fn proof(seat: &Seat, whose: u32) -> blake3::Hash {
    blake3::keyed_hash(&seat.key, format!("rank {whose}").as_bytes())
}

/// What rank 0 listens under: says nothing of the key.
fn name_of(seat: &Seat) -> String {
    format!("gasnet-{}", &blake3::keyed_hash(&seat.key, b"name").to_hex()[..32])
}

/// Why the process at the other end is none of the job's.
enum Stranger {
    Unknown(io::Error),
    OfUser(u32),
    /// The kernel has no number for it here.
    Elsewhere,
}

impl fmt::Display for Stranger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stranger::Unknown(error) => write!(f, "cannot be identified: {error}"),
            Stranger::OfUser(uid) => write!(f, "is a process of another user ({uid})"),
            Stranger::Elsewhere => write!(f, "is in another PID namespace (container) of this host"),
        }
    }
}

/// The number of the process at the other end, if it is of the same user and in the same PID namespace.
fn known(socket: &OwnedFd) -> Result<i32, Stranger> {
    let peer = local_socket::peer(socket).map_err(Stranger::Unknown)?;
    match (peer.uid == own_uid(), peer.pid) {
        (false, _) => Err(Stranger::OfUser(peer.uid)),
        (true, 0) => Err(Stranger::Elsewhere),
        (true, pid) => Ok(pid),
    }
}

/// Rank 0: waits for all other ranks.
pub(super) fn gather(seat: &Seat, version: u64, deadline: Instant) -> Vec<Member> {
    limits::allow_files(limits::open_files() + FILES_EACH * u64::from(seat.size) + 64);
    let note = match new_note() {
        Ok(note) => note,
        Err(error) => give_up!(0, "no memory to share with the other ranks: {error}"),
    };
    let listener = match local_socket::listen(&name_of(seat)) {
        Ok(listener) => listener,
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => give_up!(
            0,
            "another process of this host is rank 0 of the job that GASNET_BOOTSTRAP_JOB names: each job needs a name of its own"
        ),
        Err(error) => give_up!(0, "no Unix socket for the other ranks of this host: {error}"),
    };
    let mut members: Vec<Option<Member>> = (1..seat.size).map(|_| None).collect();
    let mut strangers: Vec<OwnedFd> = Vec::new();
    while members.iter().any(Option::is_none) {
        let asked = [&listener].into_iter().chain(&strangers).map(|socket| (socket, PollFlags::POLLIN));
        // They may have gone on, and said more.
        let there = members.iter().flatten().map(|member| (&member.socket, PollFlags::empty()));
        let ready = wait_for(asked.chain(there), deadline);
        let (of_strangers, of_members) = ready[1..].split_at(strangers.len());
        for (member, _) in members.iter().flatten().zip(of_members).filter(|(_, ready)| **ready) {
            if process::hung_up(member.socket.as_raw_fd()) {
                lost(member);
            }
        }
        let mut of_strangers = of_strangers.iter();
        for socket in std::mem::take(&mut strangers) {
            if !of_strangers.next().copied().unwrap_or(false) {
                strangers.push(socket);
            } else if let Some(member) = greet(seat, version, socket, &note) {
                let place = &mut members[member.rank as usize - 1];
                if let Some(other) = place {
                    give_up!(
                        0,
                        "processes {} and {} both have GASNET_BOOTSTRAP_RANK={}",
                        other.process.pid,
                        member.process.pid,
                        member.rank
                    );
                }
                *place = Some(member);
            }
        }
        while let Some(socket) = local_socket::accept(&listener) {
            match known(&socket) {
                Ok(_) => strangers.push(socket),
                Err(why @ Stranger::Elsewhere) => give_up!(0, "a rank {why}: ranks of a host need a common one"),
                // Not of this job: anybody may connect.
                Err(_) => {}
            }
        }
        if Instant::now() > deadline {
            let late: Vec<u32> =
                (1..).zip(&members).filter(|(_, member)| member.is_none()).map(|(rank, _)| rank).collect();
            give_up!(0, "{} of the job of {} did not come {}", ranks(&late), seat.size, in_time());
        }
    }
    members.into_iter().flatten().collect()
}

/// Rank 0: whoever connected says who it is. None: it is nobody of this job.
fn greet(seat: &Seat, version: u64, socket: OwnedFd, note: &OwnedFd) -> Option<Member> {
    let (bytes, _) = local_socket::receive(&socket).ok()?;
    let (&kind, rest) = bytes.split_first()?;
    let (head, rest) = terms::words(rest, 3)?;
    let (rank, size) = (u32::try_from(head[0]).ok()?, head[1]);
    let said = blake3::Hash::from_bytes(rest.try_into().ok()?);
    // In constant time, as blake3 compares hashes.
    if kind != HELLO || said != proof(seat, rank) {
        return None;
    }
    let pid = known(&socket).ok()?;
    let refuse = |why: fmt::Arguments<'_>| {
        let _ = local_socket::send(&socket, &[REFUSED], &[]);
        give_up!(0, "{why}")
    };
    if size != u64::from(seat.size) {
        refuse(format_args!("GASNET_BOOTSTRAP_SIZE is {} at rank 0 and {size} at rank {rank} (pid {pid})", seat.size));
    }
    if head[2] != version {
        refuse(format_args!(
            "rank {rank} (pid {pid}) runs another version of the library than rank 0: install one on this host"
        ));
    }
    if rank == 0 || rank >= seat.size {
        refuse(format_args!("process {pid} says that it is rank {rank} of {}", seat.size));
    }
    let process = Watched::open(pid);
    let member = Member { rank, socket, process };
    match local_socket::send(&member.socket, &[&[SEEN], proof(seat, 0).as_bytes().as_slice()].concat(), &[note.as_fd()])
    {
        // Connected still, so that the number is not another process's by now.
        Ok(()) => Some(member),
        Err(_) => lost(&member),
    }
}

/// A rank but 0: finds rank 0.
pub(super) fn find(seat: &Seat, version: u64, deadline: Instant) -> Member {
    let name = name_of(seat);
    let mut pause = Duration::from_millis(1);
    let socket = loop {
        match local_socket::connect(&name) {
            Ok(socket) => break socket,
            // Not there yet, or too many come at once.
            Err(error) if matches!(error.kind(), io::ErrorKind::ConnectionRefused | io::ErrorKind::WouldBlock) => {}
            Err(error) => give_up!(seat.rank, "no Unix socket to rank 0 on this host: {error}"),
        }
        if Instant::now() > deadline {
            give_up!(
                seat.rank,
                "rank 0 did not come {}: it must have the same GASNET_BOOTSTRAP_JOB, on this host, in the same network                  namespace",
                in_time()
            );
        }
        process::nap(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    };
    let pid = match known(&socket) {
        Ok(pid) => pid,
        Err(why) => give_up!(seat.rank, "what listens for rank 0 {why}"),
    };
    let member = Member { rank: 0, socket, process: Watched::open(pid) };
    let head = [u64::from(seat.rank), seat.size.into(), version].map(u64::to_le_bytes).concat();
    let hello = [&[HELLO], head.as_slice(), proof(seat, seat.rank).as_bytes().as_slice()].concat();
    let met = local_socket::send(&member.socket, &hello, &[]);
    loop {
        let came = wait_for([(&member.socket, PollFlags::POLLIN)], deadline);
        let silent = !came.contains(&true) && Instant::now() > deadline;
        if met.is_err() || silent {
            lost(&member);
        }
        match local_socket::receive(&member.socket) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Ok((bytes, _)) if bytes == [REFUSED] => process::end_now(1),
            Ok((bytes, mut files)) if bytes.first() == Some(&SEEN) => {
                let said = bytes[1..].try_into().map(blake3::Hash::from_bytes);
                let note = files.pop().filter(|_| said.is_ok_and(|said| said == proof(seat, 0)));
                let Some(Ok(words)) = note.as_ref().map(shm::words) else {
                    give_up!(seat.rank, "what listens for rank 0 (pid {pid}) is not of this job")
                };
                let _ = NOTE.set(words);
                MEETS.store(true, Ordering::Release);
                return member;
            }
            _ => lost(&member),
        }
    }
}
