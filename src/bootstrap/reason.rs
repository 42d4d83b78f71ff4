//! The reason for which a rank aborts the job, in shared memory: the warden of its host prints it, or passes it to the master.

use crate::os::sleep::{futex_wait, futex_wake_all, now_ns};
use crate::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering};

const WORDS: usize = 64;

/// The longest wait for a rank that gives its reason: it may have been killed meanwhile.
const PATIENCE_NS: u64 = 100_000_000;

/// The first reason given counts. Its initial state is all zeros.
#[repr(C)]
pub struct Reason {
    state: AtomicU32,
    code: AtomicI32,
    bytes: AtomicU32,
    text: [AtomicU64; WORDS],
}

const BEING_GIVEN: u32 = 1;
const GIVEN: u32 = 2;
const TAKEN: u32 = 3;

impl Reason {
    /// Gives a reason; a line that is too long is truncated. False if another rank has given one: the job must not end for its reason before
    /// that reason can be read.
    pub fn give(&self, code: i32, line: &str) -> bool {
        if self.state.compare_exchange(0, BEING_GIVEN, Ordering::Relaxed, Ordering::Relaxed).is_err() {
            self.await_the_first();
            return false;
        }
        let line = &line.as_bytes()[..line.len().min(WORDS * 8)];
        for (word, bytes) in self.text.iter().zip(line.chunks(8)) {
            let mut eight = [0; 8];
            eight[..bytes.len()].copy_from_slice(bytes);
            word.store(u64::from_ne_bytes(eight), Ordering::Relaxed);
        }
        self.bytes.store(line.len() as u32, Ordering::Relaxed);
        self.code.store(code, Ordering::Relaxed);
        // Release: with the Acquire in `take`, the reader that sees GIVEN sees the code and the line.
        self.state.store(GIVEN, Ordering::Release);
        futex_wake_all(&self.state);
        true
    }

    /// Returns when the reason that another rank gives is there, or that rank seems to be dead.
    fn await_the_first(&self) {
        let until = now_ns() + PATIENCE_NS;
        // Acquire: who sees that this rank ends the job also sees the reason.
        while self.state.load(Ordering::Acquire) == BEING_GIVEN {
            let now = now_ns();
            if now >= until {
                return;
            }
            futex_wait(&self.state, BEING_GIVEN, until - now);
        }
    }

    /// Takes the code and the line, once.
    pub fn take(&self) -> Option<(i32, String)> {
        self.state.compare_exchange(GIVEN, TAKEN, Ordering::Acquire, Ordering::Relaxed).ok()?;
        let mut text: Vec<u8> = self.text.iter().flat_map(|word| word.load(Ordering::Relaxed).to_ne_bytes()).collect();
        text.truncate(self.bytes.load(Ordering::Relaxed) as usize);
        Some((self.code.load(Ordering::Relaxed), String::from_utf8_lossy(&text).into_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bootstrap::page::tests::page;
    use std::time::Duration;

    #[test]
    fn a_rank_whose_reason_is_not_the_first_waits_for_that() {
        let reason = &page(1).reason;
        reason.state.store(BEING_GIVEN, Ordering::Relaxed);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(20));
                reason.state.store(GIVEN, Ordering::Release);
                futex_wake_all(&reason.state);
            });
            assert!(!reason.give(8, "no socket"));
            assert_eq!(reason.state.load(Ordering::Relaxed), GIVEN);
        });
        // The first one was killed.
        reason.state.store(BEING_GIVEN, Ordering::Relaxed);
        assert!(!reason.give(8, "no socket"));
    }

    #[test]
    fn the_first_reason_is_taken_once_and_a_long_one_is_cut() {
        let reason = &page(1).reason;
        assert_eq!(reason.take(), None);
        assert!(reason.give(7, "no port"));
        assert!(!reason.give(8, "no socket"));
        assert_eq!(reason.take(), Some((7, "no port".to_string())));
        assert_eq!(reason.take(), None);
        let reason = &page(1).reason;
        assert!(reason.give(1, &"x".repeat(1000)));
        assert_eq!(reason.take().unwrap().1, "x".repeat(512));
    }
}
