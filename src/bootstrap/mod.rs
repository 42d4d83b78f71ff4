//! How ranks come to be.
#![allow(unsafe_code)]

use crate::fatal::fatal;
use crate::job::JobRank;

/// Zeroed shared memory that the bootstrap of `ranks` ranks needs.
pub fn control_bytes(_ranks: u32) -> usize {
    4096
}

/// Makes the other ranks; returns in each of them with its rank.
pub fn start(ranks: u32, _control: *mut u8) -> JobRank {
    for rank in 1..ranks {
        // SAFETY: called from init, before the client has had a chance to start threads through us.
        match unsafe { libc::fork() } {
            0 => return JobRank(rank),
            -1 => fatal!("cannot fork rank {rank}: {}", std::io::Error::last_os_error()),
            _ => {}
        }
    }
    JobRank(0)
}
