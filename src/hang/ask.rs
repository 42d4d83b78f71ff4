//! Requests: a rank requests a hang report from its warden, and the warden requests a thread's stack. The requested
//! side runs in signal handlers, so no memory is allocated and no lock is taken.

use crate::os::{backtrace, process, signal, sleep};
use crate::sync::atomic::Ordering;
use std::sync::OnceLock;
use std::time::Duration;

use super::board::{Board, MOST_FRAMES};

/// Sources of requests for a report other than the library's own signal.
pub(crate) const BY_USER: i32 = libc::SIGUSR2;

const ASKED: u32 = 1;
const ANSWERING: u32 = 2;
const ANSWERED: u32 = 3;

/// The reaction of a process of the job to a request for a report.
static REACTION: OnceLock<fn()> = OnceLock::new();

/// Installs handlers for the signals of requests, in this process and in those that it forks later. `reaction` runs
/// in a signal handler. Returns false if SIGUSR2 is the client's, or excluded by the user.
pub(crate) fn install(reaction: fn(), leave: bool) -> bool {
    let _ = REACTION.set(reaction);
    signal::on_question(signal::question(), asked);
    let mine = !leave && signal::is_default(BY_USER);
    if mine {
        signal::on_question(BY_USER, asked);
    }
    mine
}

fn asked(signal: i32, pc: usize) {
    if signal == signal::question() && answer(pc) {
        return;
    }
    if let Some(reaction) = REACTION.get() {
        reaction();
    }
}

/// Writes this thread's stack to the desk, if it was requested.
fn answer(pc: usize) -> bool {
    let Some(board) = Board::get() else { return false };
    let desk = &board.head().desk;
    if desk.tid.load(Ordering::Acquire) != process::thread_id() {
        return false;
    }
    if desk.state.compare_exchange(ASKED, ANSWERING, Ordering::AcqRel, Ordering::Relaxed).is_err() {
        // Too late: the requester has given up.
        return true;
    }
    let mut frames = [0; MOST_FRAMES];
    let count = backtrace::stack::addresses(&mut frames);
    for (word, frame) in desk.stack.iter().zip(frames) {
        word.store(frame as u64, Ordering::Relaxed);
    }
    desk.frames.store(count as u32, Ordering::Relaxed);
    desk.pc.store(pc as u64, Ordering::Relaxed);
    // Release: with the Acquire in `stack_of`.
    desk.state.store(ANSWERED, Ordering::Release);
    sleep::futex_wake_all(&desk.state);
    true
}

/// Requests the stack of a thread, innermost frame first; None if it does not respond in time.
pub(crate) fn stack_of(board: &Board, pid: i32, tid: i32, patience: Duration) -> Option<Vec<u64>> {
    let desk = &board.head().desk;
    desk.state.store(0, Ordering::Relaxed);
    desk.tid.store(tid, Ordering::Release);
    desk.state.store(ASKED, Ordering::Release);
    let late_at = sleep::now_ns() + patience.as_nanos() as u64;
    if !process::signal_thread(pid, tid, signal::question()) {
        return None;
    }
    loop {
        let state = desk.state.load(Ordering::Acquire);
        let now = sleep::now_ns();
        if state == ANSWERED {
            break;
        }
        if now >= late_at {
            match desk.state.compare_exchange(ASKED, 0, Ordering::AcqRel, Ordering::Relaxed) {
                Err(ANSWERED) => continue,
                Err(ANSWERING) if now < late_at + 100_000_000 => {}
                // Another reporter, of a rank without a warden that was asked twice, may have taken the desk.
                _ => return None,
            }
        }
        sleep::futex_wait(&desk.state, state, late_at.saturating_sub(now).max(1_000_000));
    }
    let count = (desk.frames.load(Ordering::Relaxed) as usize).min(MOST_FRAMES);
    let pc = desk.pc.load(Ordering::Relaxed);
    let frames: Vec<u64> = desk.stack[..count].iter().map(|word| word.load(Ordering::Relaxed)).collect();
    // The first ones are the handler's.
    let from = frames.iter().position(|&frame| frame == pc);
    Some(match from {
        Some(from) => frames[from..].to_vec(),
        None => [pc].into_iter().chain(frames.into_iter().skip(3)).collect(),
    })
}

impl Board {
    /// Rank `rank` of the job requests a report.
    pub(crate) fn ask(&self, rank: u32) {
        self.head().asked.store(rank + 1, Ordering::Release);
    }

    /// Takes the rank of the job that has requested a report.
    pub(crate) fn take_question(&self) -> Option<u32> {
        self.head().asked.swap(0, Ordering::AcqRel).checked_sub(1)
    }
}
