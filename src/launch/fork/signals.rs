//! The warden's signals to ranks: to its children by number, to rank 0 and to ranks started separately by handle.

use super::warden::Warden;
use crate::bootstrap::page::RankState;
use crate::defs::rank::HostRank;
use crate::os::process;

impl Warden {
    pub(super) fn signal_running(&self, signal: i32) {
        for rank in (1..self.size).map(HostRank) {
            if self.running[rank.0 as usize] && self.page.state(rank) == RankState::Alive {
                self.signal_other(rank, signal);
            }
        }
    }

    /// Signals a rank that is not rank 0.
    pub(super) fn signal_other(&self, rank: HostRank, signal: i32) {
        match &self.kin {
            Some(kin) => kin.kill(rank, signal),
            None => _ = process::kill(self.page.pid(rank), signal),
        }
    }

    /// Sends SIGQUIT, or closes the lifeline of a rank 0 that leaves SIGQUIT to the client.
    pub(super) fn ask_to_leave(&mut self, rank: HostRank) {
        match rank.0 {
            0 if self.page.quit_left_alone() => self.let_go_of_rank0(),
            0 => self.signal_rank0(libc::SIGQUIT),
            _ => self.signal_other(rank, libc::SIGQUIT),
        }
    }

    /// Raises the life signal in rank 0, regardless of the dispositions of other signals.
    pub(super) fn let_go_of_rank0(&mut self) {
        if let Some(lifeline) = self.lifeline.take() {
            lifeline.close_held();
        }
    }

    pub(super) fn signal_rank0(&self, signal: i32) {
        // By handle: rank 0 is not our child, so its number may have been reused.
        if !self.rank0_fd.as_ref().is_some_and(|fd| fd.kill(signal)) && process::parent() == self.rank0 {
            process::kill(self.rank0, signal);
        }
    }
}
