//! Work in a copy of this process, for calls that a signal handler may not make itself.
//!
//! # Safety
//! As `process::fork`: the copy has the calling thread only.
#![allow(unsafe_code)]

use super::signal::{Mask, set_default};
use libc::pid_t;
use std::ptr::null_mut;

/// Runs `work` in a forked process without a parent here, and ends that process. May be called in a signal handler: the
/// copy alone suffers if the interrupted code held a lock that `work` needs, and is ended after `limit_s`.
pub(crate) fn in_a_copy(limit_s: u32, work: impl FnOnce()) {
    // No exit signal, no handlers of fork: the client hears nothing of it. The child's child has no parent that waits.
    // SAFETY: as fork; see above.
    let child = unsafe { libc::syscall(libc::SYS_clone, 0, 0, 0, 0, 0) } as pid_t;
    if child == 0 {
        // SAFETY: as above.
        if unsafe { libc::syscall(libc::SYS_clone, 0, 0, 0, 0, 0) } == 0 {
            // SAFETY: integers; the default of SIGALRM ends the copy.
            unsafe {
                set_default(libc::SIGALRM);
                Mask::of(&[libc::SIGALRM]).unblock();
                libc::alarm(limit_s);
            }
            work();
        }
        // SAFETY: ends this copy without running anything.
        unsafe { libc::syscall(libc::SYS_exit_group, 0) };
    } else if child > 0 {
        // SAFETY: a child of ours; its status is not asked for.
        unsafe { libc::waitpid(child, null_mut(), libc::__WALL) };
    }
}
