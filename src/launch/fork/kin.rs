//! The ranks of a host that were started separately (meeting.rs), as their warden watches them: by process handles. Each
//! rank has the reading end of a pipe that hangs up when the warden dies or closes its end.

use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};

use crate::defs::rank::HostRank;
use crate::os::children::End;
use crate::os::pidfd::Watched;
use crate::os::signal::{AwaitedSignals, Mask};

/// The interval at which ranks without a process handle are checked.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// Of rank 0 among the indices of the others.
const RANK0: u64 = u64::MAX;

struct One {
    process: Watched,
    /// The pipe's writing end, until it is closed.
    held: Option<OwnedFd>,
    ended: bool,
}

/// Ranks 1 to the last of a host, which were started separately.
#[derive(Default)]
pub(crate) struct Kin {
    ranks: Vec<One>,
    signals: Option<AwaitedSignals>,
    /// Reports ranks in the order of their ends: a launcher may kill all others before the warden checks.
    order: Option<Epoll>,
    rank0_is_next: bool,
}

impl Kin {
    /// The next rank.
    pub(crate) fn add(&mut self, process: Watched, held: OwnedFd) {
        self.ranks.push(One { process, held: Some(held), ended: false });
    }

    /// Starts to record the order in which ranks end, rank 0 among them if it has a handle.
    fn watch_order(&mut self, rank0: Option<BorrowedFd<'_>>) {
        self.order = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC).ok().filter(|order| {
            let once = EpollFlags::EPOLLIN | EpollFlags::EPOLLONESHOT;
            let of_rank0 = |file| order.add(file, EpollEvent::new(once, RANK0)).is_ok();
            if !rank0.is_none_or(of_rank0) {
                return false;
            }
            let add = |(at, one): (usize, &One)| {
                one.process.as_file().is_none_or(|file| order.add(file, EpollEvent::new(once, at as u64)).is_ok())
            };
            self.ranks.iter().enumerate().all(add)
        });
    }

    /// The index of a rank that has ended and was not taken; the first such rank, if the order is recorded.
    fn next_ended(&mut self) -> Option<usize> {
        if let Some(order) = &self.order {
            let mut event = [EpollEvent::empty()];
            while order.wait(&mut event, EpollTimeout::ZERO) == Ok(1) {
                if event[0].data() == RANK0 {
                    self.rank0_is_next = true;
                    return None;
                }
                let at = event[0].data() as usize;
                if self.ranks.get(at).is_some_and(|one| !one.ended) {
                    return Some(at);
                }
            }
        }
        let unordered = |one: &One| self.order.is_none() || one.process.raw().is_none();
        self.ranks.iter().position(|one| !one.ended && unordered(one) && one.process.has_ended())
    }

    /// Called when the warden begins. It will `wait` for these signals, too, which it blocks.
    pub(crate) fn begin(&mut self, awaited: &Mask, rank0: Option<BorrowedFd<'_>>) {
        self.signals = Some(AwaitedSignals::new(awaited));
        self.watch_order(rank0);
    }

    /// The files that the warden keeps.
    pub(crate) fn files(&self) -> Vec<i32> {
        let of_ranks = self.ranks.iter().flat_map(|one| {
            let held = one.held.as_ref().map(AsRawFd::as_raw_fd);
            one.process.raw().into_iter().chain(held)
        });
        let order = self.order.iter().map(|order| order.0.as_raw_fd());
        of_ranks
            .chain(order)
            .chain(self.signals.iter().filter_map(|signals| Some(signals.file()?.as_raw_fd())))
            .collect()
    }

    /// Rank 0 has ended, and before those that have not been taken yet; once.
    pub(crate) fn take_rank0(&mut self) -> bool {
        std::mem::take(&mut self.rank0_is_next)
    }

    /// A rank other than 0 that has ended, once, and how, if that is known. `None` where rank 0 has ended before the others, too.
    pub(crate) fn take_ended(&mut self) -> Option<(HostRank, i32, Option<End>)> {
        let at = self.next_ended()?;
        let one = &mut self.ranks[at];
        one.ended = true;
        Some((HostRank(at as u32 + 1), one.process.pid, one.process.end()))
    }

    pub(crate) fn kill(&self, rank: HostRank, signal: i32) {
        let one = &self.ranks[rank.0 as usize - 1];
        if !one.ended {
            one.process.kill(signal);
        }
    }

    /// Closes the pipes, which raises the life signal in the ranks that still run, even stopped ones, regardless of the
    /// dispositions of other signals. True the first time.
    pub(crate) fn let_go(&mut self) -> bool {
        let mut any = false;
        for one in self.ranks.iter_mut().filter(|one| !one.ended && one.held.is_some()) {
            one.held = None;
            one.process.kill(libc::SIGCONT);
            any = true;
        }
        any
    }

    /// The handles of ranks that still run, and the time to wait for them: `time`, or less if some ranks have no handle.
    pub(crate) fn awaited(&self, time: Option<Duration>) -> (Vec<BorrowedFd<'_>>, Option<Duration>) {
        let running = || self.ranks.iter().filter(|one| !one.ended);
        let time = match running().all(|one| one.process.raw().is_some()) {
            true => time,
            false => Some(time.map_or(LOOK_AGAIN, |time| time.min(LOOK_AGAIN))),
        };
        (running().filter_map(|one| one.process.as_file()).collect(), time)
    }

    /// Sleeps until a rank ends, a signal of `awaited` comes, which is taken and returned, or `time` has passed.
    pub(crate) fn wait(&self, awaited: &Mask, time: Option<Duration>) -> Option<i32> {
        let running = || self.ranks.iter().filter(|one| !one.ended);
        let all_have_handles = running().all(|one| one.process.raw().is_some());
        let signals = self.signals.as_ref().and_then(AwaitedSignals::file);
        let Some(signals) = signals.filter(|_| all_have_handles) else {
            return awaited.wait(Some(time.map_or(LOOK_AGAIN, |time| time.min(LOOK_AGAIN))));
        };
        let mut files = vec![PollFd::new(signals, PollFlags::POLLIN)];
        files
            .extend(running().filter_map(|one| one.process.as_file()).map(|file| PollFd::new(file, PollFlags::POLLIN)));
        let limit = time.map_or(PollTimeout::NONE, |time| {
            PollTimeout::try_from(time.as_millis() as u64 + 1).unwrap_or(PollTimeout::MAX)
        });
        if poll(&mut files, limit).is_err() {
            return awaited.wait(Some(time.map_or(LOOK_AGAIN, |time| time.min(LOOK_AGAIN))));
        }
        awaited.wait(Some(Duration::ZERO))
    }
}
