//! The control page: the states of a host's ranks, of the warden that watches them, and of the end of the job. It is
//! shared memory, made before the first fork; every word of it is an atomic, and its initial state is all zeros.
//!
//! # Safety
//! The one reference made here, to the page, is to memory whose view was made with the promise that it stays mapped.

use crate::bootstrap::limits::ExitLimits;
use crate::bootstrap::reason::Reason;
use crate::defs::rank::{HostRank, JobRank};
use crate::env;
use crate::mem::Dst;
use crate::os::sleep::{futex_wait, futex_wake_all};
use crate::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering};

/// The largest number of ranks on one host.
pub(crate) const MAX_RANKS: usize = env::table::MAX_RANKS as usize;

pub(super) const SLOT_WORDS: usize = 16;

/// The state of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum RankState {
    Unborn = 0,
    Alive = 1,
    /// In `exit`: it was told the job's code and flushes its streams.
    Flushing = 2,
    /// Done with `exit`: its process may end, with any code.
    Leaving = 3,
    /// It has printed its fatal signal, and is about to die of it.
    Crashed = 4,
    /// It ended by plain `exit` although that does not end the job (GASNET_CATCH_EXIT=0).
    Departed = 5,
    /// In `exit`: its streams are flushed, and it leaves the network and the launcher's library together with the other ranks, which wait for it.
    Parting = 6,
}

#[repr(C)]
pub(super) struct RankCell {
    pub(super) pid: AtomicI32,
    pub(super) state: AtomicU32,
    /// Bytes that the rank contributes to the exchange under way.
    pub(super) offer_bytes: AtomicU32,
    /// 1 + a rank of the job that does not answer this one; 0: none.
    pub(super) doubt: AtomicU32,
    /// `Told`.
    pub(super) told: AtomicU32,
    /// The rank in the job.
    pub(super) job_rank: AtomicU32,
}

/// The warden's last order to a rank that is late after a good end. Each order includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum Told {
    Nothing = 0,
    /// To count polls, so that a rank that only polls can be told from a rank that computes.
    CountPolls = 1,
    /// To leave, by SIGQUIT.
    Quit = 2,
    /// To leave at once, regardless of the client's disposition of SIGQUIT.
    Leave = 3,
}

/// The end of the job, as its first claim decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending {
    pub code: i32,
    /// A process died; the end was not requested.
    pub crash: bool,
}

impl Ending {
    /// Code 0, no crash: ranks that still compute get time to finish (fork/late.rs).
    pub const GOOD: Ending = Ending { code: 0, crash: false };

    /// As a word, never 0.
    pub fn packed(self) -> u64 {
        CLAIMED | if self.crash { CRASH } else { 0 } | u64::from(self.code as u32)
    }

    pub fn unpacked(packed: u64) -> Ending {
        Ending { code: packed as u32 as i32, crash: packed & CRASH != 0 }
    }
}

#[repr(C, align(64))]
pub(super) struct Gate {
    pub(super) arrived: AtomicU32,
    pub(super) turn: AtomicU32,
}

/// Shared by all processes of a job on this machine.
#[repr(C, align(64))]
pub struct ControlPage {
    /// Ranks of this host.
    pub(super) size: AtomicU32,
    /// Ranks of the job.
    pub(super) job_size: AtomicU32,
    /// Ranks of the job in other containers of this machine that use the same processors.
    pub(super) beside: AtomicU32,
    pub(super) warden: AtomicI32,
    /// Longest coordinated exit.
    pub(super) timeout_ms: AtomicU32,
    /// After a good end no rank is ended by force before this time.
    pub(super) kill_ms: AtomicU32,
    /// Nonzero: the library installed no handler of SIGQUIT, so that the signal does not make rank 0 leave.
    pub(super) quit_left_alone: AtomicU32,
    /// Nonzero: the line with the reason for the end of the job was printed.
    pub(super) said: AtomicU32,
    /// Nonzero: a rank has met a fatal error.
    pub(super) fatal: AtomicU32,
    /// Nonzero: end all ranks now.
    pub(super) hurry: AtomicU32,
    /// Nonzero, and a futex: all ranks but rank 0 have ended.
    pub(super) alone: AtomicU32,
    /// `Ending`, packed; 0 while the job runs.
    pub(super) ending: AtomicU64,
    /// Why a rank aborts the job.
    pub reason: Reason,
    pub(super) gate: Gate,
    pub(super) ranks: [RankCell; MAX_RANKS],
    /// Two sets, used in turn, so that a round needs one barrier.
    pub(super) slots: [[[AtomicU64; SLOT_WORDS]; MAX_RANKS]; 2],
}

const CLAIMED: u64 = 1 << 63;
const CRASH: u64 = 1 << 62;

impl ControlPage {
    /// The page at the start of `area`, shared memory that is accessed as a control page only and was zeroed.
    #[allow(unsafe_code)]
    pub fn at(area: Dst<'static>) -> &'static ControlPage {
        let page = area.part(0, size_of::<ControlPage>()).as_ptr().cast::<ControlPage>();
        assert!(page.is_aligned());
        // SAFETY: mapped and writable until the process ends (`Dst::new`), long enough and aligned (checked); all fields are atomics, for
        // which every bit pattern is valid.
        unsafe { &*page }
    }

    pub(super) fn rank(&self, rank: HostRank) -> &RankCell {
        &self.ranks[rank.0 as usize]
    }

    pub fn size(&self) -> u32 {
        self.size.load(Ordering::Relaxed)
    }

    pub fn set_size(&self, size: u32) {
        self.size.store(size, Ordering::Relaxed);
    }

    /// Makes `ranks`, ascending, the ranks of this host in a job of `job_size` ranks. Called once, before they are forked.
    pub fn set_places(&self, ranks: impl Iterator<Item = JobRank>, job_size: u32) {
        self.ranks.iter().zip(ranks).for_each(|(cell, rank)| cell.job_rank.store(rank.0, Ordering::Relaxed));
        self.job_size.store(job_size, Ordering::Relaxed);
    }

    /// Ranks of other hosts use processors of this one. Called once, before ranks of this host read it.
    pub fn set_beside(&self, ranks: u32) {
        self.beside.store(ranks, Ordering::Relaxed);
    }

    pub fn beside(&self) -> u32 {
        self.beside.load(Ordering::Relaxed)
    }

    pub fn job_size(&self) -> u32 {
        self.job_size.load(Ordering::Relaxed)
    }

    /// The rank in the job of this host's `rank`.
    pub fn job_rank(&self, rank: HostRank) -> JobRank {
        JobRank(self.rank(rank).job_rank.load(Ordering::Relaxed))
    }

    /// The rank on the host of `rank`, if it is on this host.
    pub fn host_rank(&self, rank: JobRank) -> Option<HostRank> {
        let cells = &self.ranks[..self.size() as usize];
        let at = cells.binary_search_by_key(&rank.0, |cell| cell.job_rank.load(Ordering::Relaxed));
        at.ok().map(|at| HostRank(at as u32))
    }

    pub fn timeout_ms(&self) -> u32 {
        self.timeout_ms.load(Ordering::Relaxed)
    }

    pub fn kill_ms(&self) -> u32 {
        self.kill_ms.load(Ordering::Relaxed)
    }

    /// The time limit of each step of a rank that leaves a job which ends so, in ms: it first writes its output, and then,
    /// unless the job has crashed, leaves the network together with the other ranks.
    pub fn leave_step_ms(&self, ending: Ending) -> u32 {
        const AFTER_A_CRASH: u32 = 300;
        match ending {
            Ending { crash: true, .. } => AFTER_A_CRASH,
            Ending::GOOD => self.kill_ms(),
            _ => self.timeout_ms(),
        }
    }

    pub fn set_limits(&self, limits: ExitLimits) {
        self.timeout_ms.store(limits.timeout_ms, Ordering::Relaxed);
        self.kill_ms.store(limits.kill_ms, Ordering::Relaxed);
    }

    pub fn told(&self, rank: HostRank) -> Told {
        match self.rank(rank).told.load(Ordering::Acquire) {
            0 => Told::Nothing,
            1 => Told::CountPolls,
            2 => Told::Quit,
            _ => Told::Leave,
        }
    }

    pub fn tell(&self, rank: HostRank, told: Told) {
        self.rank(rank).told.store(told as u32, Ordering::Release);
    }

    pub fn quit_left_alone(&self) -> bool {
        self.quit_left_alone.load(Ordering::Relaxed) != 0
    }

    pub fn set_quit_left_alone(&self) {
        self.quit_left_alone.store(1, Ordering::Relaxed);
    }

    /// 0 if there is none.
    pub fn warden(&self) -> i32 {
        self.warden.load(Ordering::Acquire)
    }

    pub fn set_warden(&self, pid: i32) {
        self.warden.store(pid, Ordering::Release);
    }

    pub fn pid(&self, rank: HostRank) -> i32 {
        self.rank(rank).pid.load(Ordering::Acquire)
    }

    pub fn born(&self, rank: HostRank, pid: i32) {
        let cell = self.rank(rank);
        cell.pid.store(pid, Ordering::Release);
        // A rank may have changed its state before its parent gets here.
        let _ = cell.state.compare_exchange(
            RankState::Unborn as u32,
            RankState::Alive as u32,
            Ordering::AcqRel,
            Ordering::Relaxed,
        );
    }

    pub fn state(&self, rank: HostRank) -> RankState {
        match self.rank(rank).state.load(Ordering::Acquire) {
            0 => RankState::Unborn,
            1 => RankState::Alive,
            2 => RankState::Flushing,
            3 => RankState::Leaving,
            4 => RankState::Crashed,
            5 => RankState::Departed,
            _ => RankState::Parting,
        }
    }

    pub fn set_state(&self, rank: HostRank, state: RankState) {
        // Release: a process that sees the state sees all earlier writes (above all the claimed ending).
        self.rank(rank).state.store(state as u32, Ordering::Release);
    }

    /// Claims the end of the job. True if this was the first claim.
    pub fn claim(&self, ending: Ending) -> bool {
        self.ending.compare_exchange(0, ending.packed(), Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// As `claim`, but it also replaces an end with code 0: a rank failed while the others waited for late ranks.
    pub fn claim_over(&self, ending: Ending) -> bool {
        let instead =
            |of| self.ending.compare_exchange(of, ending.packed(), Ordering::AcqRel, Ordering::Acquire).is_ok();
        instead(0) || (ending != Ending::GOOD && instead(Ending::GOOD.packed()))
    }

    pub fn ending(&self) -> Option<Ending> {
        let packed = self.ending.load(Ordering::Acquire);
        (packed != 0).then(|| Ending::unpacked(packed))
    }

    /// Takes the rank of the job that does not answer `rank`, if any.
    pub fn take_doubt(&self, rank: HostRank) -> Option<JobRank> {
        self.rank(rank).doubt.swap(0, Ordering::AcqRel).checked_sub(1).map(JobRank)
    }

    /// True for the first caller, which prints the line with the reason for the end of the job.
    pub fn may_say(&self) -> bool {
        self.said.swap(1, Ordering::AcqRel) == 0
    }

    /// True for the first rank with a fatal error, which prints it, unless the reason for the end was printed.
    pub fn may_say_fatal(&self) -> bool {
        let first = self.fatal.swap(1, Ordering::AcqRel) == 0;
        // If a reason was printed but the job continues, a client has survived a request to stop.
        let known = self.said.load(Ordering::Acquire) != 0 && self.ending().is_some();
        if first && !known {
            self.said.store(1, Ordering::Release);
        }
        first && !known
    }

    pub fn hurry(&self) {
        self.hurry.store(1, Ordering::Release);
    }

    pub fn hurried(&self) -> bool {
        self.hurry.load(Ordering::Acquire) != 0
    }

    pub fn tell_alone(&self) {
        self.alone.store(1, Ordering::Release);
        futex_wake_all(&self.alone);
    }

    /// Sleeps until rank 0 is the only rank left, at most `ns`. True if it is.
    pub fn wait_alone(&self, ns: u64) -> bool {
        if self.alone.load(Ordering::Acquire) == 0 {
            futex_wait(&self.alone, 0, ns);
        }
        self.alone.load(Ordering::Acquire) != 0
    }
}

/// Zeroed shared memory that the start of a job needs.
pub fn control_bytes(_ranks: u32) -> usize {
    size_of::<ControlPage>()
}

impl std::fmt::Debug for ControlPage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ControlPage")
            .field("size", &self.size())
            .field("ending", &self.ending())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::alloc::{Layout, alloc_zeroed};

    pub(in crate::bootstrap) fn page(size: u32) -> &'static ControlPage {
        let layout = Layout::from_size_align(control_bytes(size), 4096).unwrap();
        // SAFETY: a layout that is not empty; never freed.
        #[allow(unsafe_code)]
        let page = ControlPage::at(unsafe { Dst::new(alloc_zeroed(layout).cast(), layout.size()) });
        page.set_size(size);
        page
    }

    #[test]
    fn the_first_claim_decides() {
        let page = page(2);
        assert_eq!(page.ending(), None);
        assert!(page.claim(Ending { code: -1, crash: false }));
        assert!(!page.claim(Ending { code: 2, crash: true }));
        assert_eq!(page.ending(), Some(Ending { code: -1, crash: false }));
        assert!(!page.claim_over(Ending { code: 2, crash: true }));
    }

    #[test]
    fn a_failure_takes_the_place_of_a_good_end_only() {
        let page = page(2);
        assert!(page.claim(Ending::GOOD));
        assert!(!page.claim(Ending { code: 3, crash: false }));
        assert!(!page.claim_over(Ending::GOOD));
        assert!(page.claim_over(Ending { code: 3, crash: false }));
        assert_eq!(page.ending(), Some(Ending { code: 3, crash: false }));
    }
}
