//! Work in a forked copy of this process, for calls that a signal handler may not make itself.
//!
//! # Safety
//! As `process::fork`: the copy has the calling thread only.
#![allow(unsafe_code)]

use super::signal::{Mask, set_default};
use libc::pid_t;
use std::ptr::null_mut;

/// Runs `work` in a forked process that is not this one's child, and ends that process. May be called in a signal
/// handler: if the interrupted code held a lock that `work` needs, only the copy hangs, and is ended after `limit_s`.
pub(crate) fn in_a_copy(limit_s: u32, work: impl FnOnce()) {
    // No exit signal and no fork handlers, so the client does not notice it. The grandchild needs no parent that waits.
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
        // SAFETY: a child of this process; its status is not requested.
        unsafe { libc::waitpid(child, null_mut(), libc::__WALL) };
    }
}
