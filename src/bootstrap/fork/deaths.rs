//! Messages about ranks that died.

use std::fmt;

use super::warden::Warden;
use crate::bootstrap::addresses::own_name;
use crate::bootstrap::control::Death;
use crate::job::HostRank;
use crate::os::children::{self, End};
use crate::os::process::Line;
use crate::os::signal::Signal;

/// How a process ended, as far as it is known, in words.
pub struct Fate(pub Option<End>);

impl fmt::Display for Fate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(End::Killed(signal)) => write!(f, "died of {}", Signal(signal)),
            Some(End::Exited(code)) => write!(f, "died of _exit({code}), without gasnet_exit"),
            None => write!(f, "died, of what only its parent knows"),
        }
    }
}

impl Warden {
    /// Says that `rank` has died; `end`: how, if that is known.
    pub(super) fn say(&mut self, rank: HostRank, pid: i32, end: Option<End>) {
        let starved = end == Some(End::Killed(libc::SIGKILL)) && self.oom_kills < children::out_of_memory_kills();
        if let Some(agent) = &mut self.agent {
            // The master knows the host's name.
            let how = match end {
                Some(End::Killed(_)) if starved => Death::OutOfMemory,
                Some(End::Killed(signal)) => Death::Killed(signal),
                Some(End::Exited(code)) => Death::Exited(code),
                None => Death::Unknown,
            };
            agent.died(rank.0, pid, how);
            return;
        }
        let rank = self.page.job_rank(rank).0;
        match end {
            Some(End::Killed(_)) if starved => Line::of(format_args!(
                "*** GASNet: rank {rank} (pid {pid}) died of SIGKILL, probably from the kernel's out-of-memory killer, \
                 which has been at work; ending the job"
            )),
            end if self.kin.is_some() => Line::of(format_args!(
                "*** GASNet: rank {rank} (pid {pid}) on host {} {}; ending the job",
                own_name(),
                Fate(end)
            )),
            None => Line::of(format_args!("*** GASNet: rank {rank} (pid {pid}) died without exiting; ending the job")),
            end => Line::of(format_args!("*** GASNet: rank {rank} (pid {pid}) {}; ending the job", Fate(end))),
        }
        .print();
    }
}
