//! How processes of one host that were started separately become its ranks. Each knows its rank, how many there are, and the
//! job's secret. Rank 0 listens under a name that is made of the secret; the others connect, prove that they know it, propose
//! their settings (`agree`), and get the objects that rank 0 has made for all: settings, the shared region, the segments' object
//! (`share`, `take`). When all have mapped it, rank 0 forks the warden, and the connections are closed (`begin`).
//!
//! Until then rank 0 and the others watch each other by the connections: the end or failure of one ends all, with one
//! line, printed by the process that is the first to write the job's code into a shared page. Names, pages and connections are in
//! no file system: nothing is left if any of them dies.

mod door;
pub mod terms;

use std::fmt;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::addresses::own_name;
use super::fork::{self, Fate, Kin};
use super::local::Seat;
use super::{ControlPage, Ending, PAGE};
use crate::env;
use crate::fatal;
use crate::job::HostRank;
use crate::os::children::End;
use crate::os::local_socket;
use crate::os::pidfd::Watched;
use crate::os::process::{self, Lifeline};
use crate::os::{shm, signal};
use crate::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use terms::Terms;

/// First bytes of messages, in the order in which they come.
const HELLO: u8 = 1;
const REFUSED: u8 = 2;
const SEEN: u8 = 3;
const TERMS: u8 = 4;
const AGREED: u8 = 5;
const SHARED: u8 = 6;
const READY: u8 = 7;
const BEGIN: u8 = 8;

/// A message's text or words, and its descriptors.
pub type Post = (Vec<u8>, Vec<OwnedFd>);

/// A process of the job, at the other end of a connection.
struct Member {
    rank: u32,
    socket: OwnedFd,
    process: Watched,
}

/// The processes of a job while they are not its ranks yet.
pub struct Meeting {
    seat: Seat,
    /// By rank those that this process is connected to: all others for rank 0, rank 0 for the others.
    peers: Vec<Member>,
    deadline: Instant,
}

/// The page that all have until the control page is there: word 0 is 1 + the code that the job ends with.
static NOTE: OnceLock<&'static [AtomicU32]> = OnceLock::new();
/// This process has met the others, and is no rank yet.
static MEETS: AtomicBool = AtomicBool::new(false);

/// Claims that the job ends with `code`. True if this was the first claim, whose maker prints the reason.
fn decide(code: i32) -> bool {
    // AcqRel: nothing but the word itself.
    let of_note =
        |note: &&[AtomicU32]| note[0].compare_exchange(0, code as u32 + 1, Ordering::AcqRel, Ordering::Acquire).is_ok();
    let is_first = NOTE.get().is_none_or(of_note);
    let Some(page) = PAGE.get() else { return is_first };
    page.claim(Ending { code, crash: true });
    page.may_say() && is_first
}

/// The code that the job ends with, once claimed.
fn decided() -> Option<i32> {
    let of_note = || NOTE.get()?[0].load(Ordering::Acquire).checked_sub(1).map(|code| code as i32);
    PAGE.get().and_then(|page| page.ending()).map(|ending| ending.code).or_else(of_note)
}

/// The job ends with `code`; `line` is printed unless somebody has said why.
fn say(code: i32, line: fmt::Arguments<'_>) {
    if decide(code) {
        fatal::line(&line.to_string());
    }
}

/// Ends the job, and this process, with `code`; `line` is printed if this is the first claim.
fn end(code: i32, line: fmt::Arguments<'_>) -> ! {
    say(code, line);
    process::end_now(decided().unwrap_or(code))
}

/// Ends the job over a mistake.
macro_rules! give_up {
    ($rank:expr, $($text:tt)+) => {
        end(1, format_args!("*** FATAL ERROR (proc {}): {}", $rank, format_args!($($text)+)))
    };
}

use give_up;

/// A fatal error while the processes meet: whether another one has said why the job ends. False: this one is to say it.
pub fn is_said(code: i32) -> bool {
    MEETS.load(Ordering::Acquire) && PAGE.get().is_none() && !decide(code)
}

/// The line of a fatal error has been printed: ends this process, if it meets others.
pub fn failed(code: i32) {
    if MEETS.load(Ordering::Acquire) && PAGE.get().is_none() {
        process::end_now(decided().unwrap_or(code));
    }
}

impl Meeting {
    /// Meets the other processes of the job. `version`: a number of the library, the same for all.
    pub fn open(seat: Seat, version: u64) -> Meeting {
        let limit = Duration::from_secs_f64(env::dbl("GASNET_SPAWN_TIMEOUT"));
        let mut deadline = Instant::now() + limit;
        let peers = match seat.rank {
            0 => door::gather(&seat, version, deadline),
            _ => vec![door::find(&seat, version, deadline)],
        };
        if seat.rank != 0 {
            // Rank 0 knows who is late, and is the one to say it.
            deadline += limit * 2;
        }
        Meeting { seat, peers, deadline }
    }

    /// The terms for all, from the proposals of all ranks.
    pub fn agree(&mut self, mine: Terms) -> Terms {
        let no_terms = |rank: u32| give_up!(self.seat.rank, "rank {rank} does not say what its settings are");
        if self.seat.rank != 0 {
            self.post(TERMS, &mine.bytes(), &[]);
            let (bytes, _) = self.first_of(AGREED);
            return Terms::of_bytes(&bytes).unwrap_or_else(|| no_terms(0));
        }
        let mut all = mine;
        for (member, (bytes, _)) in self.peers.iter().zip(self.hear(TERMS)) {
            let theirs = Terms::of_bytes(&bytes).unwrap_or_else(|| no_terms(member.rank));
            if let Err(why) = all.combine(&theirs, member.rank) {
                give_up!(0, "{why}");
            }
        }
        self.post(AGREED, &all.bytes(), &[]);
        all
    }

    /// Rank 0 sends its objects to all.
    pub fn share(&mut self, bytes: &[u8], files: &[BorrowedFd<'_>]) {
        self.post(SHARED, bytes, files);
    }

    /// The objects that rank 0 has made.
    pub fn take(&mut self) -> Post {
        self.first_of(SHARED)
    }

    /// Returns when every process has called it: this one is a rank then, and watched. `page`: of the host's ranks, which
    /// `exit::prepare` has seen.
    pub fn begin(self, page: &'static ControlPage) {
        let me = HostRank(self.seat.rank);
        let lifeline = match Lifeline::new(signal::life()) {
            Ok(lifeline) => lifeline,
            Err(errno) => give_up!(me.0, "no pipe to the job's warden: {} (ulimit -n)", process::error_text(errno)),
        };
        fork::join(me, page, &lifeline);
        if me.0 == 0 {
            let posts = self.hear(READY);
            let mut kin = Kin::default();
            let mut sockets = Vec::new();
            for (member, (_, mut files)) in self.peers.into_iter().zip(posts) {
                let Some(held) = files.pop() else {
                    give_up!(0, "rank {} has no pipe to the job's warden (ulimit -n)", member.rank)
                };
                kin.add(member.process, held);
                sockets.push(member.socket);
            }
            if let Err(why) = fork::start_warden(self.seat.size, page, lifeline, kin) {
                give_up!(0, "{why}");
            }
            for socket in &sockets {
                // One that has ended since is the warden's to see.
                let _ = local_socket::send(socket, &[BEGIN], &[]);
            }
        } else {
            self.post(READY, &[], &[lifeline.held_file()]);
            lifeline.close_held();
            self.wait_for_begin(page);
        }
        MEETS.store(false, Ordering::Release);
    }

    /// Sends to all that this process is connected to. One that has ended is found by who listens to it.
    fn post(&self, kind: u8, bytes: &[u8], files: &[BorrowedFd<'_>]) {
        let message = [&[kind], bytes].concat();
        for member in &self.peers {
            match local_socket::send(&member.socket, &message, files) {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => self.lost(member),
                Err(error) if error.kind() == io::ErrorKind::ConnectionReset => self.lost(member),
                Err(error) => give_up!(self.seat.rank, "rank {} cannot be told anything: {error}", member.rank),
                Ok(()) => {}
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
                        give_up!(self.seat.rank, "rank {} says {} where {kind} is due", member.rank, bytes[0])
                    }
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    Err(error) if error.kind() == io::ErrorKind::ConnectionReset => self.lost(member),
                    Err(error) => give_up!(self.seat.rank, "rank {} is not heard: {error}", member.rank),
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
                give_up!(self.seat.rank, "{} did not go on starting {}", ranks(&late), in_time());
            }
        }
        posts.into_iter().flatten().collect()
    }

    /// Rank 0 says that all are there, or has at least forked the warden, who sees to everything else.
    fn wait_for_begin(&self, page: &ControlPage) {
        let Some(first) = self.peers.first() else { return };
        loop {
            wait_for([(&first.socket, PollFlags::POLLIN)], self.deadline);
            match local_socket::receive(&first.socket) {
                Ok((bytes, _)) if bytes == [BEGIN] => return,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if Instant::now() > self.deadline {
                        give_up!(self.seat.rank, "rank 0 did not go on starting {}", in_time());
                    }
                }
                _ if page.warden() != 0 => return,
                _ => self.lost(first),
            }
        }
    }

    /// A process has ended that should not have.
    fn lost(&self, member: &Member) -> ! {
        lost(member)
    }
}

fn lost(member: &Member) -> ! {
    if let Some(code) = decided() {
        // It has said why.
        process::end_now(code);
    }
    let (code, line) = loss(member);
    end(code, format_args!("{line}"))
}

/// The code and the message after an unexpected end of a process.
fn loss(member: &Member) -> (i32, String) {
    const TRIES: u32 = 25;
    let how = (0..TRIES).find_map(|_| {
        let end = member.process.end();
        if end.is_none() {
            process::nap(Duration::from_millis(2));
        }
        end
    });
    if let Some(End::Exited(code)) = how
        && NOTE.get().is_none()
    {
        // Rank 0 has failed, before it could share where that is noted: it has said why.
        process::end_now(if code == 0 { 1 } else { code });
    }
    let code = how.map_or(1, End::code);
    let (rank, pid, host, how) = (member.rank, member.process.pid, own_name(), Fate(how));
    let line =
        format!("*** GASNet: rank {rank} (pid {pid}) on host {host} {how} while the job started; ending the job");
    (if code == 0 { 1 } else { code }, line)
}

fn in_time() -> String {
    format!("within {} s (GASNET_SPAWN_TIMEOUT)", env::dbl("GASNET_SPAWN_TIMEOUT"))
}

/// Some ranks by name: `rank 3`, `ranks 1, 2 and 40 others`.
fn ranks(which: &[u32]) -> String {
    const MOST: usize = 8;
    let names: Vec<String> = which.iter().take(MOST).map(u32::to_string).collect();
    let more = which.len().saturating_sub(MOST);
    let others = if more > 0 { format!(" and {more} others") } else { String::new() };
    format!("rank{} {}{others}", if which.len() == 1 { "" } else { "s" }, names.join(", "))
}

/// Sleeps until something comes from any of `sockets` that is asked for, one of them is closed by the other end, or a while has
/// passed; says which.
fn wait_for<'a>(sockets: impl IntoIterator<Item = (&'a OwnedFd, PollFlags)>, deadline: Instant) -> Vec<bool> {
    let left = deadline.saturating_duration_since(Instant::now()).as_millis() as u64 + 1;
    let mut files: Vec<_> = sockets.into_iter().map(|(socket, asked)| PollFd::new(socket.as_fd(), asked)).collect();
    if poll(&mut files, PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX)).is_err() {
        // A signal, or a filter that forbids it: all are looked at, but not all the time.
        process::nap(Duration::from_millis(1));
        return vec![true; files.len()];
    }
    files.iter().map(|file| file.any().unwrap_or(false)).collect()
}

/// Makes the page that says why the job ends.
fn new_note() -> io::Result<OwnedFd> {
    let file = shm::object(shm::PAGE)?;
    let _ = NOTE.set(shm::words(&file)?);
    MEETS.store(true, Ordering::Release);
    Ok(file)
}
