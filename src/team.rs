//! Teams: ordered sets of endpoints; each object belongs to one member. The primordial team consists of every
//! rank's primordial endpoint, in order; a pair has the same endpoint index on all ranks, and its ranks are those
//! of the job.
//!
//! # Safety
//! Team objects are reused and never freed, so a handle always points to one; the tables of a live team belong to
//! it and are freed only by [`Team::end`], after which the client promised not to use the team.
#![allow(unsafe_code)]

use core::ffi::c_void;
use core::ptr;
use std::sync::OnceLock;

use parking_lot::Mutex;

use crate::defs::rank::{JobRank, Location};
use crate::endpoint::{self, Endpoint};
use crate::job::Job;
use crate::nbrhd::reach::MAX_EPS;
use crate::os::zeroed::zeroed;
use crate::sync::atomic::{AtomicBool, AtomicIsize, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// State read by inline C (`gasneti_tm_t`).
#[repr(C)]
pub(crate) struct TeamHead {
    /// By rank of the team: 0, or 1 + the bias of the member's segment.
    pub bias: AtomicPtr<isize>,
    pub rank: AtomicU32,
    pub size: AtomicU32,
}

const DEAD: u32 = 0;
const TEAM: u32 = 0x5445_414d;
const PAIR: u32 = 0x5041_4952;

/// The id of the primordial team.
pub(crate) const PRIMORDIAL: u64 = 0;

/// The arguments of a member in a split of a team.
#[derive(Clone, Copy)]
pub struct SplitArgs {
    pub color: u32,
    pub key: i32,
}

/// One team.
#[repr(C)]
pub struct Team {
    head: TeamHead,
    state: AtomicU32,
    /// The endpoint index of every member, if `eps` is null.
    uniform_ep: AtomicU32,
    /// By rank of the team: the member's rank in the job; null if they are equal.
    ranks: AtomicPtr<u32>,
    /// By rank of the team: the member's endpoint index; null if all have `uniform_ep`.
    eps: AtomicPtr<u16>,
    /// Ranks of the team in the order of ranks of the job; null where `ranks` is.
    order: AtomicPtr<u32>,
    /// The same on all members, and unique in the job.
    id: AtomicU64,
    flags: AtomicU32,
    /// The number of collectives by messages that this member has started.
    pub collectives: AtomicU32,
    /// The number of collectives that the client has started on this member, for hang reports.
    pub begun: AtomicU32,
    /// The collectives' state for memory that the members share (coll/near/of_team.rs); null if they share none.
    pub near: AtomicPtr<c_void>,
    ep: AtomicPtr<Endpoint>,
    cdata: AtomicPtr<c_void>,
    /// The client's scratch memory.
    scratch: AtomicPtr<c_void>,
    scratch_bytes: AtomicUsize,
    /// The conduit has a group of the members, which executes collectives.
    pub(crate) has_group: AtomicBool,
}

static LIVE: Mutex<Vec<&'static Team>> = Mutex::new(Vec::new());
static SHELLS: Mutex<Vec<&'static Team>> = Mutex::new(Vec::new());
static ALL: OnceLock<&'static Team> = OnceLock::new();
static PAIRS: Mutex<Vec<((u16, u16), &'static Team)>> = Mutex::new(Vec::new());

/// The team of all ranks' primordial endpoints, after init.
pub fn primordial() -> Option<&'static Team> {
    ALL.get().copied()
}

/// The team at `at`: None if that is null or the team is destroyed.
///
/// # Safety
/// `at` is null, or a team handle that this process has returned to the client.
pub(crate) unsafe fn find(at: *const Team) -> Option<&'static Team> {
    if at.is_null() || !at.is_aligned() {
        return None;
    }
    // SAFETY: the caller's contract, and the module's paragraph: it stays a shell.
    let team = unsafe { &*at };
    (team.state.load(Ordering::Acquire) != DEAD).then_some(team)
}

fn leak<T: Copy>(items: &[T]) -> *mut T {
    Box::into_raw(Box::<[T]>::from(items)).cast()
}

/// # Safety
/// `at` came from `leak` of `len` items, and nobody uses it any more; or is null.
unsafe fn unleak<T>(at: *mut T, len: usize) {
    if !at.is_null() {
        // SAFETY: the caller's contract.
        drop(unsafe { Box::from_raw(ptr::slice_from_raw_parts_mut(at, len)) });
    }
}

fn shell() -> &'static Team {
    if let Some(team) = SHELLS.lock().pop() {
        return team;
    }
    Box::leak(Box::new(blank()))
}

fn blank() -> Team {
    Team {
        head: TeamHead { bias: AtomicPtr::new(ptr::null_mut()), rank: AtomicU32::new(0), size: AtomicU32::new(0) },
        state: AtomicU32::new(DEAD),
        uniform_ep: AtomicU32::new(0),
        ranks: AtomicPtr::new(ptr::null_mut()),
        eps: AtomicPtr::new(ptr::null_mut()),
        order: AtomicPtr::new(ptr::null_mut()),
        id: AtomicU64::new(0),
        flags: AtomicU32::new(0),
        collectives: AtomicU32::new(0),
        begun: AtomicU32::new(0),
        near: AtomicPtr::new(ptr::null_mut()),
        ep: AtomicPtr::new(ptr::null_mut()),
        cdata: AtomicPtr::new(ptr::null_mut()),
        scratch: AtomicPtr::new(ptr::null_mut()),
        scratch_bytes: AtomicUsize::new(0),
        has_group: AtomicBool::new(false),
    }
}

/// The size of the memory for the primordial team that inline C reads, in bytes.
pub(crate) const ROOM: usize = 256;
const _: () = assert!(size_of::<Team>() <= ROOM);

/// The table at an address that inline C knows, for ranks of the job below its length.
static KNOWN: OnceLock<&'static [AtomicIsize]> = OnceLock::new();

/// The table of biases by rank for a job of `size` ranks: `known`, or a longer one if the job has more ranks.
fn biases(known: &'static [AtomicIsize], size: u32) -> &'static [AtomicIsize] {
    match size as usize {
        size if size <= known.len() => known,
        size => Box::leak(zeroed(size)),
    }
}

/// Writes the bias of `rank` of the job into the table `all`, and into `known` where that has an entry for this rank alone: inline C reads the entry
/// at the remainder of a rank, without a test whether the rank is that.
fn write_bias(all: &[AtomicIsize], known: &[AtomicIsize], rank: u32, word: isize) {
    let known = known.get(rank as usize).filter(|_| rank as usize + known.len() >= all.len());
    for entry in all.get(rank as usize).into_iter().chain(known) {
        // Writing zero to all would use memory for each rank of the job.
        if entry.load(Ordering::Relaxed) != word {
            // Release: who finds a bias sees the segment mapped.
            entry.store(word, Ordering::Release);
        }
    }
}

/// Creates the primordial team. `known` is the table of biases whose address inline C knows; it may have fewer entries
/// than the job has ranks. `share` gives the team its shared memory.
///
/// # Safety
/// `place` is `ROOM` bytes, aligned for a team, that are never freed and not written otherwise.
pub(crate) unsafe fn begin(
    job: &Job,
    known: &'static [AtomicIsize],
    place: *mut Team,
    share: impl FnOnce(&Team),
) -> &'static Team {
    ALL.get_or_init(|| {
        let bias = biases(KNOWN.get_or_init(|| known), job.size).as_ptr().cast_mut().cast();
        // SAFETY: the caller's contract.
        let team = unsafe {
            place.write(blank());
            &*place
        };
        team.head.bias.store(bias, Ordering::Relaxed);
        team.start(TEAM, endpoint::primordial(), PRIMORDIAL, job.me.0, job.size, 0);
        share(team);
        team
    })
}

/// A team of `members`, in which this process is `rank`, by its endpoint `ep`.
pub(crate) fn make(job: &Job, members: &[Location], rank: u32, ep: &'static Endpoint, id: u64) -> &'static Team {
    let team = shell();
    let ranks: Vec<u32> = members.iter().map(|member| member.rank.0).collect();
    let mut order: Vec<u32> = (0..members.len() as u32).collect();
    order.sort_by_key(|&at| ranks[at as usize]);
    let uniform = members.first().map_or(0, |first| first.ep);
    if members.iter().any(|member| member.ep != uniform) {
        let eps: Vec<u16> = members.iter().map(|member| member.ep).collect();
        team.eps.store(leak(&eps), Ordering::Relaxed);
    }
    team.uniform_ep.store(u32::from(uniform), Ordering::Relaxed);
    team.order.store(leak(&order), Ordering::Relaxed);
    team.ranks.store(leak(&ranks), Ordering::Relaxed);
    let biases: Vec<isize> = members.iter().map(|&member| job.inline_bias(member)).collect();
    team.head.bias.store(leak(&biases), Ordering::Relaxed);
    team.start(TEAM, ep, id, rank, members.len() as u32, 0);
    team
}

/// The pair of this process's endpoint `ep` and index `remote` of any rank. Equal arguments give the same team.
pub(crate) fn pair(job: &Job, ep: &'static Endpoint, remote: u16) -> &'static Team {
    let key = (ep.index, remote);
    let mut pairs = PAIRS.lock();
    if let Some((_, team)) = pairs.iter().find(|(known, _)| *known == key) {
        return team;
    }
    let team = shell();
    team.uniform_ep.store(u32::from(remote), Ordering::Relaxed);
    let biases: Vec<isize> =
        (0..job.size).map(|rank| job.inline_bias(Location { rank: JobRank(rank), ep: remote })).collect();
    team.head.bias.store(leak(&biases), Ordering::Relaxed);
    team.start(PAIR, ep, u64::MAX, job.me.0, job.size, 0);
    pairs.push((key, team));
    team
}

/// Updates the tables that inline C reads after the segment of `of` was bound or destroyed.
pub(crate) fn refresh(job: &Job, of: Location) {
    let word = job.inline_bias(of);
    for team in LIVE.lock().iter() {
        for rank in (0..team.size()).filter(|&rank| team.at(rank) == of) {
            team.set_bias(rank, word);
        }
    }
}

/// As `refresh`, for the primordial endpoints of all ranks, while the primordial team is the only one that contains
/// them.
pub(crate) fn refresh_all(job: &Job) {
    for team in LIVE.lock().iter() {
        for rank in 0..team.size() {
            team.set_bias(rank, job.inline_bias(team.at(rank)));
        }
    }
}

impl Team {
    fn start(&'static self, state: u32, ep: &'static Endpoint, id: u64, rank: u32, size: u32, flags: u32) {
        self.head.rank.store(rank, Ordering::Relaxed);
        self.head.size.store(size, Ordering::Relaxed);
        self.id.store(id, Ordering::Relaxed);
        self.flags.store(flags, Ordering::Relaxed);
        self.collectives.store(0, Ordering::Relaxed);
        self.begun.store(0, Ordering::Relaxed);
        self.ep.store(ptr::from_ref(ep).cast_mut(), Ordering::Relaxed);
        self.cdata.store(ptr::null_mut(), Ordering::Relaxed);
        self.has_group.store(false, Ordering::Relaxed);
        self.set_scratch(ptr::null_mut(), 0);
        LIVE.lock().push(self);
        self.state.store(state, Ordering::Release);
    }

    /// Stores the bias that inline C reads for `rank` of this live team.
    fn set_bias(&self, rank: u32, word: isize) {
        let table = self.head.bias.load(Ordering::Relaxed).cast::<AtomicIsize>();
        // SAFETY: the table has an entry for each rank of a live team (`begin`, `make`, `pair`); other threads' inlines
        // read it word by word.
        let all = unsafe { core::slice::from_raw_parts(table, self.size() as usize) };
        let known = KNOWN.get().filter(|_| self.is_primordial()).copied().unwrap_or_default();
        write_bias(all, known, rank, word);
    }

    /// Destroys the team, which is neither the primordial one nor a pair.
    pub fn end(&'static self) {
        self.state.store(DEAD, Ordering::Release);
        LIVE.lock().retain(|team| !ptr::eq(*team, self));
        // Inline functions that still have the handle find no rank in it, and call the library.
        let len = self.head.size.swap(0, Ordering::Relaxed) as usize;
        let take = |at: &AtomicPtr<u32>| at.swap(ptr::null_mut(), Ordering::Relaxed);
        // SAFETY: `make` leaked these with as many items; no longer live, so nobody uses them.
        unsafe {
            unleak(self.head.bias.swap(ptr::null_mut(), Ordering::Relaxed), len);
            unleak(take(&self.ranks), len);
            unleak(take(&self.order), len);
            unleak(self.eps.swap(ptr::null_mut(), Ordering::Relaxed), len);
        }
        SHELLS.lock().push(self);
    }

    pub fn rank(&self) -> u32 {
        self.head.rank.load(Ordering::Relaxed)
    }

    #[inline]
    pub fn size(&self) -> u32 {
        self.head.size.load(Ordering::Relaxed)
    }

    pub fn id(&self) -> u64 {
        self.id.load(Ordering::Relaxed)
    }

    /// The table that inline C reads: by rank, 0 or 1 + the bias of the member's segment.
    pub fn table(&self) -> *mut isize {
        self.head.bias.load(Ordering::Relaxed)
    }

    /// The endpoint index that all members have; None if they differ.
    pub fn uniform_ep(&self) -> Option<u16> {
        let uniform = self.eps.load(Ordering::Relaxed).is_null();
        uniform.then(|| self.uniform_ep.load(Ordering::Relaxed) as u16)
    }

    pub fn is_pair(&self) -> bool {
        self.state.load(Ordering::Relaxed) == PAIR
    }

    pub fn is_primordial(&self) -> bool {
        !self.is_pair() && self.id() == PRIMORDIAL
    }

    pub fn flags(&self) -> u32 {
        self.flags.load(Ordering::Relaxed)
    }

    pub fn set_flags(&self, flags: u32) {
        self.flags.store(flags, Ordering::Relaxed);
    }

    /// This process's member.
    pub fn endpoint(&self) -> &'static Endpoint {
        // SAFETY: stored by `start`, from a reference that lives as long as the process.
        unsafe { &*self.ep.load(Ordering::Relaxed) }
    }

    pub fn cdata(&self) -> &AtomicPtr<c_void> {
        &self.cdata
    }

    pub fn scratch(&self) -> (*mut c_void, usize) {
        (self.scratch.load(Ordering::Relaxed), self.scratch_bytes.load(Ordering::Relaxed))
    }

    pub fn set_scratch(&self, at: *mut c_void, bytes: usize) {
        self.scratch.store(at, Ordering::Relaxed);
        self.scratch_bytes.store(bytes, Ordering::Relaxed);
    }

    /// The member `rank`, which is below `size`.
    #[inline]
    pub fn at(&self, rank: u32) -> Location {
        let at = rank as usize;
        assert!(rank < self.size());
        let ranks = self.ranks.load(Ordering::Relaxed);
        let eps = self.eps.load(Ordering::Relaxed);
        // SAFETY: the tables have `size` entries (checked above) while the team lives.
        let job_rank = if ranks.is_null() { rank } else { unsafe { *ranks.add(at) } };
        // SAFETY: as above.
        let ep = if eps.is_null() { self.uniform_ep.load(Ordering::Relaxed) as u16 } else { unsafe { *eps.add(at) } };
        Location { rank: JobRank(job_rank), ep }
    }

    /// The rank in the job of member `rank`.
    #[inline]
    pub fn job_rank(&self, rank: u32) -> JobRank {
        self.at(rank).rank
    }

    /// The rank in the team of rank `of` of the job, if it is a member.
    pub fn rank_of(&self, of: JobRank) -> Option<u32> {
        let size = self.size();
        let order = self.order.load(Ordering::Relaxed);
        if order.is_null() {
            return (of.0 < size).then_some(of.0);
        }
        // SAFETY: `size` entries while the team lives.
        let order = unsafe { core::slice::from_raw_parts(order, size as usize) };
        let place = order.partition_point(|&rank| self.job_rank(rank) < of);
        order.get(place).copied().filter(|&rank| self.job_rank(rank) == of)
    }
}

impl Job {
    /// The table entry for `of`'s segment that inline C of this client may use.
    pub fn inline_bias(&self, of: Location) -> isize {
        if self.settings.watched || usize::from(of.ep) >= MAX_EPS { 0 } else { self.nbrhd.inline_bias(of) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(len: usize) -> &'static [AtomicIsize] {
        core::iter::repeat_with(AtomicIsize::default).take(len).collect::<Vec<_>>().leak()
    }

    #[test]
    fn a_job_of_more_ranks_than_inline_c_has_entries_for_gets_a_longer_table() {
        const ENTRIES: usize = 4;
        let memory = table(ENTRIES + 3);
        let known = &memory[..ENTRIES];
        for size in [1, 4, 5, 7] {
            memory.iter().for_each(|entry| entry.store(0, Ordering::Relaxed));
            let all = biases(known, size);
            assert!(all.len() >= size as usize);
            (0..size).for_each(|rank| write_bias(all, known, rank, 10 + rank as isize));
            for (rank, entry) in (0..size).zip(all) {
                assert_eq!(entry.load(Ordering::Relaxed), 10 + rank as isize);
            }
            // Nothing behind the table of inline C was written, nor an entry that another rank of the job would read as its own.
            for (at, entry) in memory.iter().enumerate() {
                let is_of_one = at < ENTRIES.min(size as usize) && at + ENTRIES >= size as usize;
                assert_eq!(entry.load(Ordering::Relaxed), if is_of_one { 10 + at as isize } else { 0 });
            }
        }
    }
}
