//! Makes processes of one host that were started separately its ranks. Each knows its rank, the number of ranks and the
//! job's secret. Rank 0 listens under a name derived from the secret. The others connect, prove that they know the secret,
//! propose their settings (`agree`), and receive the common objects from rank 0: settings, the shared region and the segments'
//! object (`share`, `take`). When all have mapped them, rank 0 forks the warden, and the connections are closed (`begin`).
//!
//! Until then rank 0 and the others watch each other by the connections: the end or failure of one process ends all, with one
//! line, printed by the first process that writes the job's code into a shared page. Names, pages and connections are not in
//! a file system, so that nothing is left if a process dies.

mod absence;
mod door;
pub(crate) mod member;
pub(crate) mod terms;

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use nix::poll::PollFlags;

use crate::bootstrap::page::ControlPage;
use crate::bootstrap::relay::Relay;
use crate::defs::rank::HostRank;
use crate::env;
use crate::launch::agent::Agent;
use crate::launch::fork;
use crate::launch::fork::kin::Kin;
use crate::launch::local::Seat;
use crate::os::process::{self, Lifeline};
use crate::os::signal;
use crate::os::{limits, local_socket};
use crate::sync::atomic::Ordering;
use member::*;
use terms::Terms;

/// A message's text or words, and its descriptors.
pub(crate) type Post = (Vec<u8>, Vec<OwnedFd>);

/// The processes of a job while they are not its ranks yet.
pub(crate) struct Meeting {
    seat: Seat,
    /// The processes that this one is connected to, by rank: all others at rank 0, rank 0 at the others.
    peers: Vec<Member>,
    deadline: Instant,
    /// All ranks have come, so that they share the page with the job's code.
    all_have_come: bool,
}

impl Meeting {
    /// Meets the other processes of the job. `version`: a number of the library, the same for all.
    pub(crate) fn open(seat: Seat, version: u64) -> Meeting {
        let limit = Duration::from_secs_f64(env::dbl("GASNET_SPAWN_TIMEOUT"));
        let mut deadline = Instant::now() + limit;
        let peers = match seat.rank {
            0 => door::gather(&seat, version, deadline),
            _ => vec![door::find(&seat, version, deadline)],
        };
        if seat.rank != 0 {
            // Rank 0 has the shorter limit, since it knows which rank is late.
            deadline += limit * 2;
        }
        let all_have_come = seat.rank == 0;
        Meeting { seat, peers, deadline, all_have_come }
    }

    /// The terms for all, from the proposals of all ranks; rank 0 has `settle` agree on them with other hosts.
    pub(crate) fn agree(&mut self, mine: Terms, settle: impl FnOnce(&mut Terms)) -> Terms {
        let no_terms = |rank: u32| give_up!(self.seat.me(), "rank {rank} sent malformed settings");
        if self.seat.rank != 0 {
            self.post(TERMS, &mine.bytes(), &[]);
            let (bytes, _) = self.first_of(AGREED);
            self.all_have_come = true;
            return Terms::of_bytes(&bytes).unwrap_or_else(|| no_terms(self.seat.job_rank(0)));
        }
        let mut all = mine;
        for (member, (bytes, _)) in self.peers.iter().zip(self.hear(TERMS)) {
            let theirs = Terms::of_bytes(&bytes).unwrap_or_else(|| no_terms(member.rank));
            if let Err(why) = all.combine(&theirs, self.seat.me(), member.rank) {
                give_up!(self.seat.me(), "{why}");
            }
        }
        settle(&mut all);
        self.post(AGREED, &all.bytes(), &[]);
        all
    }

    /// Rank 0 sends its objects to all.
    pub(crate) fn share(&mut self, bytes: &[u8], files: &[BorrowedFd<'_>]) {
        let (first, more) = files.split_at(files.len().min(local_socket::MOST_FILES));
        self.post(SHARED, &[&(files.len() as u32).to_le_bytes(), bytes].concat(), first);
        for part in more.chunks(local_socket::MOST_FILES) {
            self.post(MORE, &[], part);
        }
    }

    /// The objects that rank 0 has made.
    pub(crate) fn take(&mut self) -> Post {
        let (bytes, mut files) = self.first_of(SHARED);
        let Some((count, bytes)) = bytes.split_first_chunk::<4>() else {
            give_up!(self.seat.me(), "rank {} sent a malformed description of the shared memory", self.seat.job_rank(0))
        };
        let count = u32::from_le_bytes(*count) as usize;
        limits::allow_more_files(count as u64 + 64);
        while files.len() < count {
            files.extend(self.first_of(MORE).1);
        }
        (bytes.to_vec(), files)
    }

    /// Returns when every process has called it; this one is then a rank, and watched by the warden. `page`: the control page,
    /// which `exit::prepare` has initialized. Rank 0 gives its warden the host's line to the master, if there is one, and gets its own line to the warden.
    pub(crate) fn begin(self, page: &'static ControlPage, agent: Option<Agent>) -> Option<Relay> {
        let me = HostRank(self.seat.rank);
        let mut relay = None;
        let lifeline = match Lifeline::new(signal::life()) {
            Ok(lifeline) => lifeline,
            Err(errno) => {
                give_up!(self.seat.me(), "no pipe to the job's warden: {} (ulimit -n)", process::error_text(errno))
            }
        };
        fork::join(me, page, &lifeline);
        if me.0 == 0 {
            let posts = self.hear(READY);
            let mut kin = Kin::default();
            let mut sockets = Vec::new();
            for (member, (_, mut files)) in self.peers.into_iter().zip(posts) {
                let Some(held) = files.pop() else {
                    give_up!(self.seat.me(), "rank {} has no pipe to the job's warden (ulimit -n)", member.rank)
                };
                kin.add(member.process, held);
                sockets.push(member.socket);
            }
            match fork::start_warden(self.seat.size, page, lifeline, kin, agent) {
                Ok(to_warden) => relay = to_warden,
                Err(why) => give_up!(self.seat.me(), "{why}"),
            }
            for socket in &sockets {
                // The warden detects a process that has ended since.
                let _ = local_socket::send(socket, &[BEGIN], &[]);
            }
        } else {
            self.post(READY, &[], &[lifeline.held_file()]);
            lifeline.close_held();
            self.wait_for_begin(page);
        }
        MEETS.store(false, Ordering::Release);
        relay
    }

    /// Sends to all processes that this one is connected to. The end of a process is detected when receiving from it.
    fn post(&self, kind: u8, bytes: &[u8], files: &[BorrowedFd<'_>]) {
        let message = [&[kind], bytes].concat();
        for member in &self.peers {
            match self.send(member, &message, files) {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => self.lost(member),
                Err(error) if error.kind() == io::ErrorKind::ConnectionReset => self.lost(member),
                Err(error) => give_up!(self.seat.me(), "cannot send to rank {}: {error}", member.rank),
                Ok(()) => {}
            }
        }
    }

    /// Sends a message. Waits for room in the connection, and while too many descriptors are in flight.
    fn send(&self, member: &Member, message: &[u8], files: &[BorrowedFd<'_>]) -> io::Result<()> {
        loop {
            match local_socket::send(&member.socket, message, files) {
                Err(error) if Instant::now() > self.deadline => return Err(error),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    wait_for([(&member.socket, PollFlags::POLLOUT)], self.deadline);
                }
                Err(error) if error.raw_os_error() == Some(libc::ETOOMANYREFS) => {
                    process::nap(Duration::from_millis(1));
                }
                done => return done,
            }
        }
    }

    /// The only peer's message of that kind.
    fn first_of(&self, kind: u8) -> Post {
        self.hear(kind).pop().unwrap_or_default()
    }

    /// A message of that kind from each peer, without its first byte.
    fn hear(&self, kind: u8) -> Vec<Post> {
        let mut posts: Vec<Option<Post>> = self.peers.iter().map(|_| None).collect();
        while posts.iter().any(Option::is_none) {
            let waited = wait_for(self.peers.iter().map(|member| (&member.socket, PollFlags::POLLIN)), self.deadline);
            for ((member, post), ready) in self.peers.iter().zip(&mut posts).zip(waited) {
                if !ready {
                    continue;
                }
                match local_socket::receive(&member.socket) {
                    Ok((mut bytes, files)) if bytes.first() == Some(&kind) && post.is_none() => {
                        bytes.remove(0);
                        *post = Some((bytes, files));
                    }
                    Ok((bytes, _)) if bytes.is_empty() => self.lost(member),
                    Ok((bytes, _)) => {
                        give_up!(self.seat.me(), "rank {} sent message {} instead of {kind}", member.rank, bytes[0])
                    }
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    Err(error) if error.kind() == io::ErrorKind::ConnectionReset => self.lost(member),
                    Err(error) => give_up!(self.seat.me(), "cannot receive from rank {}: {error}", member.rank),
                }
            }
            if Instant::now() > self.deadline {
                let late: Vec<u32> = self
                    .peers
                    .iter()
                    .zip(&posts)
                    .filter(|(_, post)| post.is_none())
                    .map(|(peer, _)| peer.rank)
                    .collect();
                give_up!(self.seat.me(), "{} did not go on starting {}", ranks(&late), in_time());
            }
        }
        posts.into_iter().flatten().collect()
    }

    /// Waits until rank 0 reports that all are there, or has at least forked the warden, which then watches all.
    fn wait_for_begin(&self, page: &ControlPage) {
        let Some(first) = self.peers.first() else { return };
        loop {
            wait_for([(&first.socket, PollFlags::POLLIN)], self.deadline);
            match local_socket::receive(&first.socket) {
                Ok((bytes, _)) if bytes == [BEGIN] => return,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if Instant::now() > self.deadline {
                        give_up!(self.seat.me(), "rank {} did not go on starting {}", first.rank, in_time());
                    }
                }
                _ if page.warden() != 0 => return,
                _ => self.lost(first),
            }
        }
    }

    /// A process has ended too early.
    fn lost(&self, member: &Member) -> ! {
        if !self.all_have_come {
            absence::rank0_is_lost(&self.seat, member);
        }
        lost(member)
    }
}
