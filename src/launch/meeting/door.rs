//! How the processes of a job find each other: rank 0 listens under an abstract name, derived from the job's secret, for
//! processes of the same user that prove that they know the secret; the others connect, and check the same of rank 0.

use std::fmt;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::time::{Duration, Instant};

use nix::poll::PollFlags;

use super::absence::{rank0_is_lost, rank0_is_missing, sent_away, turn_away};
use super::member::*;
use crate::launch::local::Seat;
use crate::os::local_socket::{self, own_uid};
use crate::os::pidfd::Watched;
use crate::os::{limits, process, shm};
use crate::sync::atomic::Ordering;

/// Files that rank 0 may have open for each other rank: connection, handle, lifeline.
const FILES_EACH: u64 = 3;

/// The reason why the process at the other end is not of the job.
enum Stranger {
    Unknown(io::Error),
    OfUser(u32),
    /// It has no process number in this PID namespace.
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

/// Rank 0's side: the processes that have connected.
struct Door<'a> {
    seat: &'a Seat,
    version: u64,
    listener: OwnedFd,
    note: OwnedFd,
    /// By rank, from 1 on.
    members: Vec<Option<Member>>,
    /// Connections without a greeting yet.
    strangers: Vec<OwnedFd>,
}

/// Rank 0: waits for all other ranks.
pub(super) fn gather(seat: &Seat, version: u64, deadline: Instant) -> Vec<Member> {
    limits::allow_files(limits::open_files() + FILES_EACH * u64::from(seat.size) + 64);
    let note = match new_note() {
        Ok(note) => note,
        Err(error) => give_up!(seat.me(), "no memory to share with the other ranks: {error}"),
    };
    let listener = match local_socket::listen(&name_of(seat)) {
        Ok(listener) => listener,
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
            if let Some(code) = sent_away(seat) {
                process::end_now(code);
            }
            give_up!(
                seat.me(),
                "another process of this host is rank 0 of the job that GASNET_BOOTSTRAP_JOB names: each job needs a name of its own"
            )
        }
        Err(error) => give_up!(seat.me(), "no Unix socket for the other ranks of this host: {error}"),
    };
    let members = (1..seat.size).map(|_| None).collect();
    let mut door = Door { seat, version, listener, note, members, strangers: Vec::new() };
    while door.members.iter().any(Option::is_none) {
        if let Err((code, line)) = door.step(deadline) {
            door.close(code, &line);
        }
    }
    door.members.into_iter().flatten().collect()
}

/// The code and the line with which a job ends.
type Failure = (i32, String);

fn mistake(seat: &Seat, why: fmt::Arguments<'_>) -> Failure {
    (1, format!("*** FATAL ERROR (proc {}): {why}", seat.me()))
}

impl Door<'_> {
    /// Waits for messages, for a limited time, and handles them.
    fn step(&mut self, deadline: Instant) -> Result<(), Failure> {
        let asked = [&self.listener].into_iter().chain(&self.strangers).map(|socket| (socket, PollFlags::POLLIN));
        // They may have continued and sent more.
        let there = self.members.iter().flatten().map(|member| (&member.socket, PollFlags::empty()));
        let ready = wait_for(asked.chain(there), deadline);
        let (of_strangers, of_members) = ready[1..].split_at(self.strangers.len());
        let gone = |member: &&Member| process::hung_up(member.socket.as_raw_fd());
        let of_members = self.members.iter().flatten().zip(of_members).filter(|(_, ready)| **ready);
        if let Some(member) = of_members.map(|(member, _)| member).find(gone) {
            return Err(loss(member));
        }
        let mut greeted = Ok(());
        for (socket, ready) in std::mem::take(&mut self.strangers).into_iter().zip(of_strangers) {
            if *ready && greeted.is_ok() {
                greeted = self.greet(socket);
            } else {
                self.strangers.push(socket);
            }
        }
        greeted?;
        loop {
            match local_socket::accept(&self.listener) {
                Ok(socket) => match known(&socket) {
                    Ok(_) => self.strangers.push(socket),
                    Err(why @ Stranger::Elsewhere) => {
                        return Err(mistake(
                            self.seat,
                            format_args!("a rank {why}: ranks of a host need a common one"),
                        ));
                    }
                    // Not of this job: any process may connect.
                    Err(_) => {}
                },
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
                Err(error) => {
                    return Err(mistake(self.seat, format_args!("other ranks cannot connect: {error} (ulimit -n)")));
                }
            }
        }
        if Instant::now() > deadline {
            let late = (1..).zip(&self.members).filter(|(_, member)| member.is_none());
            let late = ranks(&late.map(|(rank, _)| self.seat.job_rank(rank)).collect::<Vec<u32>>());
            let of = if self.seat.by_hand { "of the job of" } else { "on this host of" };
            let size = self.seat.size;
            return Err(mistake(self.seat, format_args!("{late} {of} {size} did not come {}", in_time())));
        }
        Ok(())
    }

    /// Handles the greeting of a connected process, which may not belong to this job.
    fn greet(&mut self, socket: OwnedFd) -> Result<(), Failure> {
        let Some((rank, size, version)) = rank_of(self.seat, &socket) else { return Ok(()) };
        if rank == 0 {
            // A second one: that it is not sent away tells it so.
            return Ok(());
        }
        let Ok(pid) = known(&socket) else { return Ok(()) };
        let refused = |why: fmt::Arguments<'_>| {
            let _ = local_socket::send(&socket, &[REFUSED, 1], &[]);
            Err(mistake(self.seat, why))
        };
        if size != u64::from(self.seat.size) {
            let mine = self.seat.size;
            return refused(format_args!(
                "GASNET_BOOTSTRAP_SIZE is {mine} at rank 0 and {size} at rank {rank} (pid {pid})"
            ));
        }
        if version != self.version {
            return refused(format_args!(
                "rank {rank} (pid {pid}) runs another version of the library than rank 0: install one on this host"
            ));
        }
        let Some(place) = (rank as usize).checked_sub(1).and_then(|at| self.members.get_mut(at)) else {
            return refused(format_args!("process {pid} says that it is rank {rank} of {size}"));
        };
        if let Some(other) = place {
            let other = other.process.pid;
            return refused(format_args!("processes {other} and {pid} both have GASNET_BOOTSTRAP_RANK={rank}"));
        }
        let rank = self.seat.job_rank(rank);
        let member = place.insert(Member { rank, socket, process: Watched::open(pid) });
        let seen = [&[SEEN], proof(self.seat, 0).as_bytes().as_slice()].concat();
        // It is still connected, so that its number has not been reused.
        local_socket::send(&member.socket, &seen, &[self.note.as_fd()]).map_err(|_| loss(member))
    }

    /// Ends the job. Ranks that connect within a moment are rejected with the job's code.
    fn close(self, code: i32, line: &str) -> ! {
        say(code, format_args!("{line}"));
        let expected = self.members.iter().filter(|member| member.is_none()).count() as u32;
        turn_away(self.seat, &self.listener, self.strangers, expected, code);
        process::end_now(decided().unwrap_or(code))
    }
}

/// In all ranks except 0: finds rank 0.
pub(super) fn find(seat: &Seat, version: u64, mut deadline: Instant) -> Member {
    let (name, first) = (name_of(seat), seat.job_rank(0));
    let mut pause = Duration::from_millis(1);
    let socket = loop {
        match local_socket::connect(&name) {
            Ok(socket) => break socket,
            // Rank 0 does not listen yet, or its queue is full.
            Err(error) if matches!(error.kind(), io::ErrorKind::ConnectionRefused | io::ErrorKind::WouldBlock) => {}
            Err(error) => give_up!(seat.me(), "no Unix socket to rank {first} on this host: {error}"),
        }
        if Instant::now() > deadline {
            let why = match seat.by_hand {
                true => ": it must have the same GASNET_BOOTSTRAP_JOB, on this host, in the same network namespace",
                false => "",
            };
            rank0_is_missing(seat, &format!("rank {first} did not come {}{why}", in_time()));
            deadline = Instant::now() + Duration::from_secs(1);
        }
        process::nap(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    };
    // The process may have begun to listen just now; where rank 0 did not come, it is one that rejects the others.
    deadline = deadline.max(Instant::now() + Duration::from_secs(1));
    let pid = match known(&socket) {
        Ok(pid) => pid,
        Err(why) => give_up!(seat.me(), "the process that listens as rank {first} {why}"),
    };
    let member = Member { rank: first, socket, process: Watched::open(pid) };
    let met = local_socket::send(&member.socket, &greeting(seat, version), &[]);
    loop {
        let came = wait_for([(&member.socket, PollFlags::POLLIN)], deadline);
        let silent = !came.contains(&true) && Instant::now() > deadline;
        if met.is_err() {
            rank0_is_lost(seat, &member);
        }
        if silent {
            give_up!(seat.me(), "rank {first} (pid {pid}) listens, but does not answer {}", in_time());
        }
        match local_socket::receive(&member.socket) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Ok((bytes, _)) if bytes.first() == Some(&REFUSED) => {
                process::end_now(bytes.get(1).map_or(1, |&code| code.into()))
            }
            Ok((bytes, mut files)) if bytes.first() == Some(&SEEN) => {
                let said = bytes[1..].try_into().map(blake3::Hash::from_bytes);
                let note = files.pop().filter(|_| said.is_ok_and(|said| said == proof(seat, 0)));
                let Some(Ok(words)) = note.as_ref().map(shm::words) else {
                    give_up!(seat.me(), "the process that listens as rank {first} (pid {pid}) is not of this job")
                };
                let _ = NOTE.set(words);
                MEETS.store(true, Ordering::Release);
                return member;
            }
            _ => rank0_is_lost(seat, &member),
        }
    }
}
