//! Common entry of non-contiguous put and get: converts lists and strided regions of the client to transfers,
//! resolves ranks, and checks the arguments.
//!
//! # Safety
//! The client's lists are trusted; each function states the caller's promise.
#![allow(unsafe_code)]

use core::ffi::{c_int, c_void};

use crate::abi::types::{gasnet_node_t, gex_Event_t, gex_Flags_t, gex_Rank_t, gex_TM_t};
use crate::abi::{am_ex, enter};
use crate::defs::message::Immediate;
use crate::defs::rank::Location;
use crate::endpoint::capability;
use crate::event::Handle;
use crate::fatal::usage;
use crate::job::Job;
use crate::mem::RemoteAddr;
use crate::rma::Local;
use crate::settings::SegmentMode;
use crate::trace::{self, Span};
use crate::vis::grid::{Dim, StridedBlock};
use crate::vis::list::{Cursor, List, Piece};
use crate::vis::transfer::VisTransfer;
use crate::vis::{How, overlap, peer};

/// GEX_FLAG_IMMEDIATE.
const IMMEDIATE: gex_Flags_t = 1;
/// GEX_FLAG_ENABLE_LEAF_LC.
const ENABLE_LEAF_LC: gex_Flags_t = 0x800;

fn immediate(flags: gex_Flags_t) -> Immediate {
    if flags & IMMEDIATE != 0 { Immediate::Yes } else { Immediate::No }
}

/// The other side, as a client names it.
#[derive(Clone, Copy)]
pub(crate) enum VisTarget {
    Team(gex_TM_t, gex_Rank_t),
    Node(gasnet_node_t),
}

impl VisTarget {
    /// The job, the endpoint here, and the one there.
    #[inline(always)]
    fn find(self, call: &'static str) -> (&'static Job, u16, Location) {
        let job = enter::job_to_wait(call);
        enter::remember(job, call);
        match self {
            VisTarget::Team(tm, rank) => {
                let team = enter::team(call, tm);
                if job.settings.debug && team.endpoint().capabilities & capability::VIS == 0 {
                    usage!(call, "the endpoint of tm was made without GEX_EP_CAPABILITY_VIS");
                }
                (job, team.endpoint().index, enter::place(call, team, rank))
            }
            VisTarget::Node(node) => (job, 0, Location { rank: enter::rank(job, call, node), ep: 0 }),
        }
    }
}

/// The return value of a call without an event: nonzero if the operation was not started.
pub fn refused(handle: Handle) -> c_int {
    c_int::from(handle == Handle::NO_OP)
}

pub fn to_c(handle: Handle) -> gex_Event_t {
    core::ptr::with_exposed_provenance_mut(handle.0)
}

/// A put; see [`Job::vis_put`].
pub(crate) fn put(
    call: &'static str,
    target: VisTarget,
    transfer: &VisTransfer<'_>,
    how: How,
    flags: gex_Flags_t,
) -> Handle {
    if transfer.is_nothing() && !peer::is_armed() {
        return Handle::DONE;
    }
    let (job, here, to) = target.find(call);
    let _span = watch(job, call, to, transfer);
    if job.settings.debug {
        am_ex::check_request(job, call, to, flags);
        check(job, call, to, transfer, true);
        if flags & IMMEDIATE != 0 && peer::is_armed() {
            usage!(call, "GEX_FLAG_IMMEDIATE cannot be combined with gex_VIS_SetPeerCompletionHandler");
        }
    }
    let local = if flags & ENABLE_LEAF_LC != 0 { Local::Apart } else { Local::Defer };
    job.vis_put(call, how, (here, to), transfer, local, immediate(flags))
}

/// A get; see [`Job::vis_get`].
pub(crate) fn get(
    call: &'static str,
    target: VisTarget,
    transfer: &VisTransfer<'_>,
    how: How,
    flags: gex_Flags_t,
) -> Handle {
    if transfer.is_nothing() {
        return Handle::DONE;
    }
    let (job, _, from) = target.find(call);
    let _span = watch(job, call, from, transfer);
    if job.settings.debug {
        am_ex::check_request(job, call, from, flags);
        check(job, call, from, transfer, false);
    }
    job.vis_get(call, how, from, transfer, immediate(flags))
}

/// The call is an event.
fn watch(job: &Job, call: &str, there: Location, transfer: &VisTransfer<'_>) -> Span {
    if job.settings.watched {
        trace::span_to(call, there.rank.0, transfer.totals().0.unwrap_or(0))
    } else {
        Span::off()
    }
}

/// Both sides have the same number of bytes, no destination byte occurs twice, and every remote byte lies in the
/// segment.
#[cold]
fn check(job: &Job, call: &str, there: Location, transfer: &VisTransfer<'_>, put: bool) {
    crate::vis::agreed(call, transfer);
    if let Some(at) = overlap::written_twice(transfer) {
        usage!(call, "the destination has the byte at {at:#x} twice");
    }
    if job.settings.segment == SegmentMode::Everything {
        return;
    }
    let within = |(at, len): (usize, usize)| enter::check_range_at(job, call, there, RemoteAddr(at), len);
    match transfer {
        VisTransfer::Block(_) => {
            let place = if put { transfer.dst_place() } else { transfer.src_place() };
            place.into_iter().for_each(within);
        }
        VisTransfer::Lists { dst, src } => {
            let list = if put { dst } else { src };
            list.from(Cursor::default()).map(|(_, at, len)| (at, len)).for_each(within);
        }
    }
}

#[inline]
fn check_list<T>(call: &str, name: &str, count: usize, list: *const T) {
    if count != 0 && list.is_null() {
        no_list(call, name, count);
    }
}

#[cold]
#[inline(never)]
fn no_list(call: &str, name: &str, count: usize) -> ! {
    usage!(call, "{name} of {count} entries is NULL")
}

/// The transfer between two lists of pieces.
///
/// # Safety
/// [`List::pieces`], for both.
pub unsafe fn vector(
    call: &str,
    dstcount: usize,
    dstlist: *const Piece,
    srccount: usize,
    srclist: *const Piece,
) -> VisTransfer<'static> {
    check_list(call, "dstlist", dstcount, dstlist);
    check_list(call, "srclist", srccount, srclist);
    // SAFETY: the caller's promise.
    unsafe { VisTransfer::Lists { dst: List::pieces(dstlist, dstcount), src: List::pieces(srclist, srccount) } }
}

/// The transfer between two lists of pieces of equal length.
///
/// # Safety
/// [`List::equal`], for both.
pub unsafe fn indexed(
    call: &str,
    dstcount: usize,
    dstlist: *const *mut c_void,
    dstlen: usize,
    srccount: usize,
    srclist: *const *mut c_void,
    srclen: usize,
) -> VisTransfer<'static> {
    let (dst, src) = (dstcount.checked_mul(dstlen), srccount.checked_mul(srclen));
    if dst.is_none() || dst != src {
        usage!(call, "dstcount * dstlen = {dstcount} * {dstlen} is not srccount * srclen = {srccount} * {srclen}");
    }
    if dst == Some(0) {
        return VisTransfer::NOTHING;
    }
    check_list(call, "dstlist", dstcount, dstlist);
    check_list(call, "srclist", srccount, srclist);
    // SAFETY: the caller's promise.
    unsafe {
        VisTransfer::Lists { dst: List::equal(dstlist, dstcount, dstlen), src: List::equal(srclist, srccount, srclen) }
    }
}

/// A strided region as a client describes it.
pub(crate) struct Strided {
    pub dst: *mut c_void,
    pub dst_strides: *const isize,
    pub src: *mut c_void,
    pub src_strides: *const isize,
    pub elem: usize,
    pub counts: *const usize,
    pub levels: usize,
    /// GASNet-1's, whose dimensions lie each within the next.
    pub nested: bool,
}

/// As [`Strided`], of `count` whose first entry is the size of an element.
///
/// # Safety
/// `count` is null or readable.
pub(crate) unsafe fn legacy_strided(
    call: &str,
    dst: *mut c_void,
    dst_strides: *const usize,
    src: *mut c_void,
    src_strides: *const usize,
    count: *const usize,
    levels: usize,
) -> Strided {
    check_list(call, "count", levels.saturating_add(1), count);
    // SAFETY: the caller's promise.
    let (elem, counts) = unsafe { (*count, count.add(1)) };
    Strided {
        dst,
        dst_strides: dst_strides.cast(),
        src,
        src_strides: src_strides.cast(),
        elem,
        counts,
        levels,
        nested: true,
    }
}

impl Strided {
    /// Calls `run` with the transfer; its metadata is not needed afterwards.
    ///
    /// # Safety
    /// The arrays have `levels` entries; the memory that they describe is mapped, as the transfer needs, until it is done.
    #[inline]
    pub(crate) unsafe fn with(&self, call: &str, run: impl FnOnce(&VisTransfer<'_>) -> Handle) -> Handle {
        if self.elem == 0 {
            return run(&VisTransfer::NOTHING);
        }
        check_list(call, "count", self.levels, self.counts);
        check_list(call, "dststrides", self.levels, self.dst_strides);
        check_list(call, "srcstrides", self.levels, self.src_strides);
        let mut few = [Dim::default(); 4];
        match few.get_mut(..self.levels) {
            // SAFETY: the caller's promise.
            Some(dims) => unsafe { self.with_dims(call, dims, run) },
            // SAFETY: the same.
            None => unsafe { self.with_many(call, run) },
        }
    }

    /// # Safety
    /// As [`Strided::with`].
    #[cold]
    #[inline(never)]
    unsafe fn with_many(&self, call: &str, run: impl FnOnce(&VisTransfer<'_>) -> Handle) -> Handle {
        // SAFETY: the caller's promise.
        unsafe { self.with_dims(call, &mut vec![Dim::default(); self.levels], run) }
    }

    /// `dims` is memory for the dimensions.
    ///
    /// # Safety
    /// As [`Strided::with`].
    #[inline(always)]
    unsafe fn with_dims(&self, call: &str, dims: &mut [Dim], run: impl FnOnce(&VisTransfer<'_>) -> Handle) -> Handle {
        let mut total = Some(self.elem);
        let nested = self.nested && enter::job_named(call).settings.debug;
        for (level, dim) in dims.iter_mut().enumerate() {
            // SAFETY: the caller's promise.
            *dim = unsafe {
                Dim {
                    count: *self.counts.add(level),
                    dst: *self.dst_strides.add(level),
                    src: *self.src_strides.add(level),
                }
            };
            if dim.count == 0 {
                return run(&VisTransfer::NOTHING);
            }
            total = total.and_then(|total| total.checked_mul(dim.count));
        }
        if nested {
            overlap::check_nested(call, self.elem, dims);
        }
        if total.is_none_or(|total| isize::try_from(total).is_err()) {
            usage!(call, "elemsz and count describe more bytes than there is memory");
        }
        run(&VisTransfer::Block(StridedBlock::new(
            self.dst.expose_provenance(),
            self.src.expose_provenance(),
            self.elem,
            dims,
        )))
    }
}
