//! A timer whose signal ends waits that have a limit.
//!
//! # Safety
//! Every call passes values that live until it returns, and a timer that this process has made.

use std::mem::zeroed;
use std::ptr::null_mut;
use std::time::Duration;

use libc::{c_int, c_void};

use super::process::timespec;
use crate::sync::atomic::{AtomicI32, AtomicPtr, Ordering};

/// A timer that raises a signal in this process. Created in advance, since signal handlers may not create one.
pub(crate) struct Alarm(AtomicPtr<c_void>, AtomicI32);

impl Alarm {
    pub(crate) const fn new() -> Alarm {
        Alarm(AtomicPtr::new(null_mut()), AtomicI32::new(0))
    }

    /// Timers are not inherited: each process makes its own.
    pub(crate) fn create(&self, signal: c_int) {
        // SAFETY: a zeroed sigevent is valid; the two fields say "raise `signal`".
        unsafe {
            let mut event: libc::sigevent = zeroed();
            event.sigev_notify = libc::SIGEV_SIGNAL;
            event.sigev_signo = signal;
            let mut timer = null_mut();
            if libc::timer_create(libc::CLOCK_MONOTONIC, &mut event, &mut timer) == 0 {
                self.0.store(timer, Ordering::Relaxed);
                self.1.store(1, Ordering::Release);
            }
        }
    }

    /// Raises the signal after `time` and then every tenth of a second; zero stops it.
    pub(crate) fn set(&self, time: Duration) {
        // Acquire: pairs with the Release in `create`.
        if self.1.load(Ordering::Acquire) == 0 {
            return;
        }
        let again = if time.is_zero() { Duration::ZERO } else { Duration::from_millis(100) };
        let time = libc::itimerspec { it_interval: timespec(again), it_value: timespec(time) };
        // SAFETY: a timer of this process, and `time` lives here.
        unsafe { libc::timer_settime(self.0.load(Ordering::Relaxed), 0, &time, null_mut()) };
    }
}

impl Default for Alarm {
    fn default() -> Alarm {
        Alarm::new()
    }
}
