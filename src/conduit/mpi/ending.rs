//! The end of a rank's communication, which all ranks reach together before MPI is finalized.
//!
//! # Safety
//! The words of a combination are on the heap, and nobody uses them until MPI says that it is done with them.
#![allow(unsafe_code)]

use super::inner::{MpiRank, Parting};
use crate::shims::mpi;

impl MpiRank {
    /// Enters the next stage of the end.
    fn meet(&mut self, stage: Parting) {
        let [combinations, stuck] = self.groups.standing();
        self.standing.mine = [combinations, stuck, 0];
        // SAFETY: the words are on the heap, and are not used until the request is complete.
        self.meeting = unsafe { self.port.meet(&mut self.standing) };
        self.parting = stage;
    }

    /// One step of the end. When all ranks have come here, none starts an operation, so those in flight complete; when that is so on all
    /// ranks, MPI may be finalized. True: this rank's port is closed.
    pub(crate) fn part(&mut self) -> bool {
        if mpi::is_finalized() {
            self.closed = true;
            return true;
        }
        if self.meeting.as_mut().is_some_and(|request| !self.port.is_done(request)) {
            return false;
        }
        self.meeting = None;
        let [most, is_stuck, _] = self.standing.combined;
        match self.parting {
            Parting::Not => self.meet(Parting::AllCome),
            // Collectives that some ranks will never enter: MPI cannot be finalized.
            Parting::AllCome if is_stuck != 0 => self.closed = true,
            Parting::AllCome if !self.groups.has_caught_up(&self.port, most) || !self.nothing_flies() => {}
            Parting::AllCome => self.meet(Parting::AllDrained),
            Parting::AllDrained if !self.closed => {
                self.closed = true;
                self.port.close();
            }
            Parting::AllDrained => {}
        }
        self.closed
    }
}
