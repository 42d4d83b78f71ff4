//! Scratch memory that clients give to the teams they create, and get back when they destroy them. The library does not use
//! it, but checks that it meets GASNet-EX's requirements.

use core::ptr;

use crate::defs::rank::Location;
use crate::fatal::{usage, warn};
use crate::job::Job;
use crate::sync::atomic::{AtomicU32, Ordering};
use crate::team::Team;

/// The recommended size in bytes.
const BYTES: usize = 4096;

// Bits of gex_Flags_t.
const SIZE_MIN: u32 = 1;
const SIZE_RECOMMENDED: u32 = 2;
const GLOBAL: u32 = 4;
const LOCAL: u32 = 8;
const SYMMETRIC: u32 = 0x10;
const NO_SCRATCH: u32 = 0x20;
const SEG_OFFSET: u32 = 0x40;

/// The result of a query for the recommended size; None if `flags` request a team. `joins`: the caller would be a member.
pub(crate) fn query(call: &str, flags: u32, joins: bool) -> Option<usize> {
    if flags & (SIZE_MIN | SIZE_RECOMMENDED) == 0 {
        return None;
    }
    if flags & SIZE_MIN != 0 {
        static WARNED: AtomicU32 = AtomicU32::new(0);
        if WARNED.swap(1, Ordering::Relaxed) == 0 {
            warn!("{call}: GEX_FLAG_TM_SCRATCH_SIZE_MIN is deprecated; use GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED");
        }
    }
    Some(if joins { BYTES } else { 0 })
}

/// Ends the job if `flags` of gex_TM_Split have one that is for gex_TM_Create.
pub(crate) fn check_split(call: &str, flags: u32) {
    if flags & (GLOBAL | LOCAL | SYMMETRIC) != 0 {
        usage!(
            call,
            "flags {flags:#x} have GEX_FLAG_TM_{{GLOBAL,LOCAL,SYMMETRIC}}_SCRATCH, which are for gex_TM_Create"
        );
    }
}

/// The addresses in the list of gex_TM_Create.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScratchList {
    /// There is no list.
    None,
    /// One for each member of the team.
    Global,
    /// One for each member on this rank.
    Local,
    /// One for all members.
    Symmetric,
}

impl ScratchList {
    /// Ends the job unless `flags` have exactly one of the four flags.
    pub(crate) fn of(call: &str, flags: u32) -> ScratchList {
        match flags & (GLOBAL | LOCAL | SYMMETRIC | NO_SCRATCH) {
            NO_SCRATCH => ScratchList::None,
            GLOBAL => ScratchList::Global,
            LOCAL => ScratchList::Local,
            SYMMETRIC => ScratchList::Symmetric,
            several => usage!(
                call,
                "flags {flags:#x} have {} of GEX_FLAG_TM_{{GLOBAL,LOCAL,SYMMETRIC,NO}}_SCRATCH, not 1",
                several.count_ones()
            ),
        }
    }

    /// The index in the list of the member `rank` of the team, which is number `local` among those on this rank.
    pub(crate) fn index(self, local: usize, rank: usize) -> Option<usize> {
        match self {
            ScratchList::None => None,
            ScratchList::Global => Some(rank),
            ScratchList::Local => Some(local),
            ScratchList::Symmetric => Some(0),
        }
    }
}

/// Scratch memory as a call describes it.
pub(crate) struct Given {
    /// An address or, with GEX_FLAG_SCRATCH_SEG_OFFSET, an offset into the segment of the member.
    pub at: usize,
    pub nbytes: usize,
    pub flags: u32,
}

impl Given {
    /// The address and size of this memory of `member`. In debug clients it must lie in the segment of that endpoint.
    pub(crate) fn checked(&self, job: &Job, call: &str, member: Location) -> (usize, usize) {
        let &Given { at, nbytes, flags } = self;
        if nbytes == 0 {
            usage!(call, "scratch_size is 0; a team without scratch memory is made with GEX_FLAG_TM_NO_SCRATCH");
        }
        let span = job.nbrhd.span_at(member);
        let start = match (flags & SEG_OFFSET != 0, span) {
            (false, _) => at,
            (true, Some((start, _))) => start.wrapping_add(at),
            (true, None) => usage!(call, "GEX_FLAG_SCRATCH_SEG_OFFSET, and endpoint {} has no segment", member.ep),
        };
        if job.settings.debug {
            let (first, end) = span.unwrap_or((0, 0));
            if start < first || start > end || nbytes > end - start {
                usage!(
                    call,
                    "scratch memory {start:#x}..{:#x} is outside the segment of endpoint {} ({first:#x}..{end:#x})",
                    start.wrapping_add(nbytes),
                    member.ep
                );
            }
        }
        (start, nbytes)
    }

    /// As `checked`, of this rank's member of `parent`; None with GEX_FLAG_TM_NO_SCRATCH.
    pub(crate) fn of_member(&self, job: &Job, call: &str, parent: &Team) -> Option<(usize, usize)> {
        (self.flags & NO_SCRATCH == 0).then(|| self.checked(job, call, parent.at(parent.rank())))
    }
}

/// Stores the scratch memory of a new team in it.
pub(crate) fn keep(team: &Team, scratch: Option<(usize, usize)>) {
    if let Some((at, nbytes)) = scratch {
        team.set_scratch(ptr::without_provenance_mut(at), nbytes);
    }
}

/// The scratch memory of a team that is about to be destroyed: its address or, with GEX_FLAG_SCRATCH_SEG_OFFSET, its offset
/// in the segment, and its size; None if it has none.
pub(crate) fn returned(job: &Job, call: &str, team: &Team, flags: u32) -> Option<(usize, usize)> {
    let by_offset = flags & SEG_OFFSET != 0;
    if by_offset && team.endpoint().segment().is_none() {
        usage!(call, "GEX_FLAG_SCRATCH_SEG_OFFSET, and the endpoint of tm has no segment");
    }
    let (at, nbytes) = team.scratch();
    let span = job.nbrhd.span_at(team.at(team.rank())).filter(|_| by_offset);
    (nbytes > 0).then(|| (at.addr() - span.map_or(0, |(start, _)| start), nbytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::defs::rank::JobRank;
    use crate::endpoint;
    use crate::job::several_tests::{several, several_debug};
    use crate::settings::Threads;
    use crate::team;

    #[test]
    fn a_query_asks_for_a_size_and_makes_no_team() {
        for flags in [0, GLOBAL, NO_SCRATCH | SEG_OFFSET] {
            assert_eq!((query("test", flags, true), query("test", flags, false)), (None, None));
        }
        for flags in [SIZE_MIN, SIZE_RECOMMENDED, SIZE_MIN | SIZE_RECOMMENDED, SIZE_RECOMMENDED | LOCAL] {
            assert_eq!((query("test", flags, true), query("test", flags, false)), (Some(BYTES), Some(0)));
        }
    }

    #[test]
    fn a_member_finds_its_address_in_the_list_as_the_flag_says() {
        for (flag, list, index) in [
            (NO_SCRATCH, ScratchList::None, None),
            (GLOBAL, ScratchList::Global, Some(7)),
            (LOCAL, ScratchList::Local, Some(2)),
            (SYMMETRIC, ScratchList::Symmetric, Some(0)),
        ] {
            let of = ScratchList::of("test", flag | SEG_OFFSET);
            assert!(of == list && of == ScratchList::of("test", flag | SIZE_MIN));
            assert_eq!(of.index(2, 7), index);
        }
        check_split("test", SIZE_MIN | SIZE_RECOMMENDED | NO_SCRATCH | SEG_OFFSET);
    }

    #[test]
    fn scratch_memory_is_named_by_address_or_by_offset_and_returned_in_the_same_way() {
        const LEN: usize = 4096;
        for debug in [true, false] {
            let ranks = if debug { several_debug(2) } else { several(2, Threads::Seq, 64) };
            let (job, starts) = (ranks.jobs[1], ranks.attach(LEN));
            let members = [0, 1].map(|rank| Location { rank: JobRank(rank), ep: 0 });
            let of = |at, nbytes, flags| Given { at, nbytes, flags }.checked(job, "test", members[1]);
            // All of the segment, its first byte and its last one.
            for (offset, nbytes) in [(0, LEN), (0, 1), (LEN - 1, 1), (8, LEN - 8)] {
                let wanted = (starts[1] + offset, nbytes);
                assert_eq!((of(starts[1] + offset, nbytes, 0), of(offset, nbytes, SEG_OFFSET)), (wanted, wanted));
            }
            let team = team::make(job, &members, 1, endpoint::primordial(), 8100);
            assert_eq!(returned(job, "test", team, 0), None);
            let given = Given { at: starts[1] + 64, nbytes: 100, flags: 0 };
            assert_eq!(given.of_member(job, "test", team), Some((starts[1] + 64, 100)));
            assert_eq!(Given { flags: NO_SCRATCH, ..given }.of_member(job, "test", team), None);
            keep(team, None);
            assert_eq!(returned(job, "test", team, 0), None);
            keep(team, Some((starts[1] + 64, 100)));
            assert_eq!(returned(job, "test", team, 0), Some((starts[1] + 64, 100)));
            team.end();
        }
    }
}
