//! Common to all processes of a meeting: the kinds of messages, waiting for them, and the end of the job while they meet.

use std::fmt;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::terms;
use crate::bootstrap::here;
use crate::bootstrap::launcher::launcher;
use crate::bootstrap::page::Ending;
use crate::env;
use crate::fatal;
use crate::launch::addresses::own_name;
use crate::launch::fork::fate::Fate;
use crate::launch::leader;
use crate::launch::local::Seat;
use crate::os::children::End;
use crate::os::pidfd::Watched;
use crate::os::{local_socket, process, shm};
use crate::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// First bytes of messages, in the order in which they come.
pub(super) const HELLO: u8 = 1;
pub(super) const REFUSED: u8 = 2;
pub(super) const SEEN: u8 = 3;
pub(super) const TERMS: u8 = 4;
pub(super) const AGREED: u8 = 5;
pub(super) const SHARED: u8 = 6;
pub(super) const READY: u8 = 7;
pub(super) const BEGIN: u8 = 8;
/// More descriptors of a `SHARED`.
pub(super) const MORE: u8 = 9;

/// A process of the job, at the other end of a connection.
pub(super) struct Member {
    pub(super) rank: u32,
    pub(super) socket: OwnedFd,
    pub(super) process: Watched,
}

pub(super) fn proof(seat: &Seat, whose: u32) -> blake3::Hash {
    blake3::keyed_hash(&seat.key, format!("rank {whose}").as_bytes())
}

/// The name that rank 0 listens on; it does not reveal the key.
pub(super) fn name_of(seat: &Seat) -> String {
    format!("gasnet-{}", &blake3::keyed_hash(&seat.key, b"name").to_hex()[..32])
}

/// The first message of a rank.
pub(super) fn greeting(seat: &Seat, version: u64) -> Vec<u8> {
    let head = [u64::from(seat.rank), seat.size.into(), version].map(u64::to_le_bytes).concat();
    [&[HELLO], head.as_slice(), proof(seat, seat.rank).as_bytes().as_slice()].concat()
}

/// The rank, size and version in a greeting from a process that knows the secret.
pub(super) fn rank_of(seat: &Seat, socket: &OwnedFd) -> Option<(u32, u64, u64)> {
    let (bytes, _) = local_socket::receive(socket).ok()?;
    let (&kind, rest) = bytes.split_first()?;
    let (head, rest) = terms::words(rest, 3)?;
    let rank = u32::try_from(head[0]).ok()?;
    let said = blake3::Hash::from_bytes(rest.try_into().ok()?);
    // In constant time, as blake3 compares hashes.
    (kind == HELLO && said == proof(seat, rank)).then_some((rank, head[1], head[2]))
}

/// The page that all share until the control page exists: word 0 is 1 + the exit code of the job, once claimed.
pub(super) static NOTE: OnceLock<&'static [AtomicU32]> = OnceLock::new();
/// This process has met the others, and is not a rank yet.
pub(super) static MEETS: AtomicBool = AtomicBool::new(false);

/// Claims that the job ends with `code`. True if this was the first claim, whose maker prints the reason.
pub(super) fn decide(code: i32) -> bool {
    // AcqRel: nothing but the word itself.
    let of_note =
        |note: &&[AtomicU32]| note[0].compare_exchange(0, code as u32 + 1, Ordering::AcqRel, Ordering::Acquire).is_ok();
    let is_first = NOTE.get().is_none_or(of_note);
    let Some(page) = here::page() else { return is_first };
    page.claim(Ending { code, crash: true });
    is_first && page.may_say()
}

/// The code that the job ends with, once claimed.
pub(super) fn decided() -> Option<i32> {
    let of_note = || NOTE.get()?[0].load(Ordering::Acquire).checked_sub(1).map(|code| code as i32);
    here::page().and_then(|page| page.ending()).map(|ending| ending.code).or_else(of_note)
}

/// Claims the end of the job with `code`; prints `line` if this was the first claim.
pub(super) fn say(code: i32, line: fmt::Arguments<'_>) {
    if decide(code) {
        let line = line.to_string();
        if !leader::says(&line) {
            fatal::line(&line);
        }
    }
    leader::failed(code);
}

/// Ends the job, and this process, with `code`; `line` is printed if this is the first claim.
pub(super) fn end(code: i32, line: fmt::Arguments<'_>) -> ! {
    say(code, line);
    launcher().give_up(code);
    process::end_now(decided().unwrap_or(code))
}

/// Ends the job over a mistake.
macro_rules! give_up {
    ($rank:expr, $($text:tt)+) => {
        end(1, format_args!("*** FATAL ERROR (proc {}): {}", $rank, format_args!($($text)+)))
    };
}

pub(super) use give_up;

/// For a fatal error while the processes meet: claims the end of the job. True if another process has printed a reason.
pub(crate) fn is_said(code: i32) -> bool {
    MEETS.load(Ordering::Acquire) && here::page().is_none() && !decide(code)
}

/// The line of a fatal error has been printed: ends this process, if it meets others.
pub(crate) fn failed(code: i32) {
    if MEETS.load(Ordering::Acquire) && here::page().is_none() {
        process::end_now(decided().unwrap_or(code));
    }
}

pub(super) fn lost(member: &Member) -> ! {
    if let Some(code) = decided() {
        // It has said why.
        process::end_now(code);
    }
    let (code, line) = loss(member);
    end(code, format_args!("{line}"))
}

/// The code and the message after an unexpected end of a process.
pub(super) fn loss(member: &Member) -> (i32, String) {
    const TRIES: u32 = 100;
    let how = (0..TRIES).find_map(|_| {
        let end = member.process.end();
        if end.is_none() {
            process::nap(Duration::from_millis(2));
        }
        end
    });
    if let Some(End::Exited(code)) = how {
        if NOTE.get().is_none() {
            // Rank 0 has failed before it could share the page; it has printed the reason.
            process::end_now(if code == 0 { 1 } else { code });
        }
    }
    let code = how.map_or(1, End::code);
    let (rank, pid, host, how) = (member.rank, member.process.pid, own_name(), Fate(how));
    let line =
        format!("*** GASNet: rank {rank} (pid {pid}) on host {host} {how} while the job started; ending the job");
    (if code == 0 { 1 } else { code }, line)
}

pub(crate) fn in_time() -> String {
    format!("within {} s (GASNET_SPAWN_TIMEOUT)", env::dbl("GASNET_SPAWN_TIMEOUT"))
}

/// Ranks as text: `rank 3`, `ranks 1, 2 and 40 others`.
pub(super) fn ranks(which: &[u32]) -> String {
    const MOST: usize = 8;
    let names: Vec<String> = which.iter().take(MOST).map(u32::to_string).collect();
    let more = which.len().saturating_sub(MOST);
    let others = if more > 0 { format!(" and {more} others") } else { String::new() };
    format!("rank{} {}{others}", if which.len() == 1 { "" } else { "s" }, names.join(", "))
}

/// Sleeps until one of `sockets` has the requested event or is closed by the other end, or for a limited time; returns the
/// sockets with events.
pub(crate) fn wait_for<'a>(
    sockets: impl IntoIterator<Item = (&'a OwnedFd, PollFlags)>,
    deadline: Instant,
) -> Vec<bool> {
    let left = deadline.saturating_duration_since(Instant::now()).as_millis() as u64 + 1;
    let mut files: Vec<_> = sockets.into_iter().map(|(socket, asked)| PollFd::new(socket.as_fd(), asked)).collect();
    if poll(&mut files, PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX)).is_err() {
        // A signal, or a filter of system calls: all are tried, but not continuously.
        process::nap(Duration::from_millis(1));
        return vec![true; files.len()];
    }
    files.iter().map(|file| file.any().unwrap_or(false)).collect()
}

/// Makes the page with the job's exit code.
pub(super) fn new_note() -> io::Result<OwnedFd> {
    let file = shm::object(shm::PAGE)?;
    let _ = NOTE.set(shm::words(&file)?);
    MEETS.store(true, Ordering::Release);
    Ok(file)
}
