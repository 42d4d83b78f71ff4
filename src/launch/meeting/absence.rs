//! The end of a job whose rank 0 is lost, or does not come, before all ranks share the page on which ends are noted: the first rank
//! that takes rank 0's name prints the reason, and for a moment sends the other ranks away, with the code.

use std::io;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use nix::poll::PollFlags;

use super::member::*;
use crate::fatal;
use crate::launch::local::Seat;
use crate::os::{local_socket, process};

/// For how long ranks that come are sent away.
const MOMENT: Duration = Duration::from_secs(1);

/// Rank 0 is lost; there may be ranks that have no page yet.
pub(super) fn rank0_is_lost(seat: &Seat, rank0: &Member) -> ! {
    let said = decided();
    let (code, line) = said.map_or_else(|| loss(rank0), |code| (code, String::new()));
    if !rank0.process.has_ended() {
        // It keeps its name.
        end(code, format_args!("{line}"));
    }
    if said.is_none() && decide(code) && speak(seat, code, &line, seat.size - 2) {
        process::end_now(decided().unwrap_or(code));
    }
    // The rank that speaks may know better how rank 0 ended: it was there earlier.
    process::end_now(sent_away(seat).or_else(decided).unwrap_or(code))
}

/// Rank 0 did not come. Returns if a process has its name now.
pub(super) fn rank0_is_missing(seat: &Seat, why: &str) {
    let line = format!("*** FATAL ERROR (proc {}): {why}", seat.me());
    if speak(seat, 1, &line, seat.size - 1) {
        process::end_now(1);
    }
}

/// Prints `line`, unless a process has rank 0's name: false. Then sends away `expected` ranks, or those that come in a moment.
fn speak(seat: &Seat, code: i32, line: &str, expected: u32) -> bool {
    match local_socket::listen(&name_of(seat)) {
        Ok(door) => {
            fatal::line(line);
            turn_away(seat, &door, Vec::new(), expected, code);
        }
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => return false,
        Err(_) => fatal::line(line),
    }
    true
}

/// Sends away the ranks that come to `door`, or have come and not been heard, until it is `expected` of them or a moment has passed.
pub(super) fn turn_away(seat: &Seat, door: &OwnedFd, mut strangers: Vec<OwnedFd>, mut expected: u32, code: i32) {
    let until = Instant::now() + MOMENT;
    while expected > 0 && Instant::now() < until {
        let asked = [door].into_iter().chain(&strangers).map(|socket| (socket, PollFlags::POLLIN));
        let ready = wait_for(asked, until);
        for (socket, ready) in std::mem::take(&mut strangers).into_iter().zip(&ready[1..]) {
            if !ready {
                strangers.push(socket);
            } else if rank_of(seat, &socket).is_some() {
                let _ = local_socket::send(&socket, &[REFUSED, code as u8], &[]);
                expected -= 1;
            }
        }
        while let Ok(socket) = local_socket::accept(door) {
            strangers.push(socket);
        }
    }
}

/// Another process has rank 0's name: the code with which it sends this rank away, if it does.
pub(super) fn sent_away(seat: &Seat) -> Option<i32> {
    let socket = local_socket::connect(&name_of(seat)).ok()?;
    local_socket::send(&socket, &greeting(seat, 0), &[]).ok()?;
    wait_for([(&socket, PollFlags::POLLIN)], Instant::now() + MOMENT);
    let (bytes, _) = local_socket::receive(&socket).ok()?;
    (bytes.first() == Some(&REFUSED)).then(|| bytes.get(1).map_or(1, |&code| code.into()))
}
