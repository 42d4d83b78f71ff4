//! Messages about ranks that died.

use super::fate::Fate;
use super::warden::Warden;
use crate::defs::rank::HostRank;
use crate::launch::addresses::own_name;
use crate::launch::control::Death;
use crate::os::children::{self, End};
use crate::os::process::Line;

impl Warden {
    /// Prints that `rank` has died; `end`: the kind of its end, if known.
    pub(super) fn say(&mut self, rank: HostRank, pid: i32, end: Option<End>) {
        // Before Linux 6.15 the end of rank 0 is unknown (None) once its parent has reaped it.
        let may_be_killed = matches!(end, None | Some(End::Killed(libc::SIGKILL)));
        let starved = may_be_killed && self.oom_kills < children::out_of_memory_kills();
        if let Some(agent) = &mut self.agent {
            // The master knows the host's name.
            let how = match end {
                _ if starved => Death::OutOfMemory,
                Some(End::Killed(signal)) => Death::Killed(signal),
                Some(End::Exited(code)) => Death::Exited(code),
                None => Death::Unknown,
            };
            agent.died(rank.0, pid, how);
            return;
        }
        let rank = self.page.job_rank(rank).0;
        match end {
            _ if starved => Line::of(format_args!(
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
