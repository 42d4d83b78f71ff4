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
