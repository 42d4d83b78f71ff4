//! The end of a job whose rank 0 dies, or does not come, before all ranks share the page with the job's code: the first rank
//! that binds rank 0's name prints the reason, and for a moment rejects the other ranks with the code.

use std::io;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use nix::poll::PollFlags;

use super::member::*;
use crate::fatal;
use crate::launch::local::Seat;
use crate::os::{local_socket, process};

/// The time for which ranks that connect are rejected.
const MOMENT: Duration = Duration::from_secs(1);

/// Rank 0 has ended; some ranks may not have the page yet.
pub(super) fn rank0_is_lost(seat: &Seat, rank0: &Member) -> ! {
    let said = decided();
    let (code, line) = said.map_or_else(|| loss(rank0), |code| (code, String::new()));
    if !rank0.process.has_ended() {
        // Rank 0 keeps its name.
        end(code, format_args!("{line}"));
    }
    if said.is_none() && decide(code) && speak(seat, code, &line, seat.size - 2) {
        process::end_now(decided().unwrap_or(code));
    }
    // The rank that printed the line was connected earlier, so it may know better how rank 0 ended.
    process::end_now(sent_away(seat).or_else(decided).unwrap_or(code))
}

/// Rank 0 did not come. Returns if a process has its name now.
pub(super) fn rank0_is_missing(seat: &Seat, why: &str) {
    let line = format!("*** FATAL ERROR (proc {}): {why}", seat.me());
    if speak(seat, 1, &line, seat.size - 1) {
        process::end_now(1);
    }
}

/// Binds rank 0's name, prints `line`, and rejects `expected` ranks, or those that come in a moment. False if another process
/// has the name.
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

/// Rejects the ranks that connect to `door`, or have connected without a greeting, until there were `expected` of them or a
/// moment has passed.
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

/// Another process has rank 0's name: the code with which it rejects this rank, if it does.
pub(super) fn sent_away(seat: &Seat) -> Option<i32> {
    let socket = local_socket::connect(&name_of(seat)).ok()?;
    local_socket::send(&socket, &greeting(seat, 0), &[]).ok()?;
    wait_for([(&socket, PollFlags::POLLIN)], Instant::now() + MOMENT);
    let (bytes, _) = local_socket::receive(&socket).ok()?;
    (bytes.first() == Some(&REFUSED)).then(|| bytes.get(1).map_or(1, |&code| code.into()))
}
