//! Segments: attaching, creating, binding, publishing and querying them.

use core::ffi::{c_int, c_void};

use crate::abi::client::{segment_is_there, warn_if_too_large};
use crate::abi::enter;
use crate::abi::mk;
use crate::abi::types::{
    gex_Addr_t, gex_Client_t, gex_EP_t, gex_Event_t, gex_Flags_t, gex_MK_t, gex_Rank_t, gex_Segment_t, gex_TM_t,
};
use crate::client;
use crate::endpoint::{self, Endpoint};
use crate::fatal::{self, Error};
use crate::os::shm::{PAGE, page_bytes};
use crate::segment::object;
use crate::settings::SegmentMode;
use crate::sync::atomic::Ordering;
use crate::trace;

/// Creates a segment of `size` bytes, binds it to the primordial endpoint, and publishes it to all processes.
/// Collective over `tm`, the primordial team, with the effect of a barrier; at most once.
///
/// `size` is a multiple of GASNET_PAGESIZE, not 0, at most gasnet_getMaxLocalSegmentSize(), and may differ between
/// processes. In clients compiled with GASNET_SEGMENT_EVERYTHING the call is only a barrier, and `*segment_p`
/// becomes GEX_SEGMENT_INVALID. Returns GASNET_OK, GASNET_ERR_BAD_ARG, or GASNET_ERR_NOT_INIT at a second call.
///
/// Source: GASNet-EX 0.19, "gex_Segment_Attach".
///
/// # Safety
/// `segment_p` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_Segment_Attach(segment_p: *mut gex_Segment_t, tm: gex_TM_t, size: usize) -> c_int {
    const CALL: &str = "gex_Segment_Attach";
    let _span = trace::span(CALL);
    let job = enter::job_named(CALL);
    let team = enter::real_team(CALL, tm);
    let everything = job.settings.segment == SegmentMode::Everything;
    if segment_p.is_null() || !team.is_primordial() || (!everything && (size == 0 || size % page_bytes() != 0)) {
        return fatal::returning_because(
            CALL,
            Error::BadArg,
            format_args!(
                "size {size} must be a multiple of {} and not 0, tm the primordial team, segment_p not NULL",
                page_bytes()
            ),
        );
    }
    warn_if_too_large(job, CALL, size);
    match job.attach_segment(size) {
        Err(error) => fatal::returning(CALL, error),
        Ok(segment) => {
            segment_is_there(job, segment);
            let handle = segment.map_or(core::ptr::null_mut(), enter::handle);
            // SAFETY: not null (checked); the caller keeps the contract above.
            unsafe { segment_p.write(handle) };
            0
        }
    }
}

/// Creates a segment of `length` bytes of memory of `kind`: at `address`, or, if that is NULL, in memory that the
/// library allocates. In the latter case the length is rounded up to pages, and processes that share memory map the
/// segment. Not collective.
///
/// Returns GASNET_OK, GASNET_ERR_BAD_ARG (a length of 0, a range that exceeds the address space, an unknown kind),
/// or GASNET_ERR_RESOURCE; `*segment_p` is written on success only.
///
/// Source: GASNet-EX memory kinds, "gex_Segment_Create".
///
/// # Safety
/// `segment_p` may be written; `address`, if not NULL, has `length` bytes of the client that remain valid until the
/// segment is destroyed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_Segment_Create(
    segment_p: *mut gex_Segment_t,
    client: gex_Client_t,
    address: gex_Addr_t,
    length: usize,
    kind: gex_MK_t,
    flags: gex_Flags_t,
) -> c_int {
    const CALL: &str = "gex_Segment_Create";
    let _span = trace::span(CALL);
    enter::client(CALL, client);
    let too_long = address.addr().checked_add(length).is_none() || length > isize::MAX as usize - PAGE;
    if segment_p.is_null() || length == 0 || flags != 0 || too_long || kind.addr() != mk::HOST {
        return fatal::returning_because(
            CALL,
            Error::BadArg,
            format_args!(
                "address {address:p}, length {length}, kind {kind:p} (only GEX_MK_HOST has memory here), flags {flags:#x}"
            ),
        );
    }
    let made = if address.is_null() {
        object::make(length.next_multiple_of(PAGE), flags)
    } else {
        // SAFETY: the caller keeps the contract above: the memory stays until gex_Segment_Destroy.
        Ok(unsafe { object::over(address.expose_provenance(), length, flags) })
    };
    match made {
        Err(error) => fatal::returning(CALL, error),
        Ok(segment) => {
            // SAFETY: not null (checked); the caller keeps the contract above.
            unsafe { segment_p.write(enter::handle(segment)) };
            0
        }
    }
}

/// Destroys a segment that was created by gex_Segment_Create; no process may communicate with it any more. Ends the
/// job if the segment was attached, or is invalid.
///
/// Source: GASNet-EX memory kinds, "gex_Segment_Destroy".
#[unsafe(no_mangle)]
pub extern "C" fn gex_Segment_Destroy(segment: gex_Segment_t, _flags: gex_Flags_t) {
    const CALL: &str = "gex_Segment_Destroy";
    let _span = trace::span(CALL);
    let segment = enter::segment(CALL, segment);
    if segment.is_attached() {
        fatal::usage!(CALL, "the segment was made by attach; such a segment stays");
    }
    enter::job_named(CALL).end_segment(segment);
}

/// Binds `segment` to `ep`; allowed once per endpoint. This process can access the segment from now on, other
/// processes once it is published. Returns GASNET_OK, or GASNET_ERR_BAD_ARG if one of them is invalid, `ep` has a
/// segment, or `flags` is not 0.
///
/// Source: GASNet-EX memory kinds, "gex_EP_BindSegment".
#[unsafe(no_mangle)]
pub extern "C" fn gex_EP_BindSegment(ep: gex_EP_t, segment: gex_Segment_t, flags: gex_Flags_t) -> c_int {
    const CALL: &str = "gex_EP_BindSegment";
    let _span = trace::span(CALL);
    // SAFETY: GASNet: the client passes a handle that a call of this library returned, or GEX_SEGMENT_INVALID.
    let segment = unsafe { object::find(segment.cast_const().cast()) };
    let (Some(ep), Some(segment)) = (endpoint::find(ep.cast_const().cast()), segment) else {
        return fatal::returning(CALL, Error::BadArg);
    };
    if flags != 0 || ep.segment().is_some() {
        return fatal::returning(CALL, Error::BadArg);
    }
    match enter::job_named(CALL).bind_segment(ep, segment) {
        Ok(()) => 0,
        Err(error) => fatal::returning(CALL, error),
    }
}

/// Publishes the segments bound to the `num_eps` endpoints `eps` of this process to all members of `tm`, and
/// receives those of the other members: on return this process can access them through any team. Collective over
/// `tm`; each member passes its own endpoints, or none. Returns GASNET_OK or GASNET_ERR_BAD_ARG.
///
/// Source: GASNet-EX 0.19, "gex_EP_PublishBoundSegment".
///
/// # Safety
/// `eps` has `num_eps` endpoints.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_EP_PublishBoundSegment(
    tm: gex_TM_t,
    eps: *mut gex_EP_t,
    num_eps: usize,
    flags: gex_Flags_t,
) -> c_int {
    const CALL: &str = "gex_EP_PublishBoundSegment";
    let _span = trace::span(CALL);
    let job = enter::job_to_wait(CALL);
    let team = enter::real_team(CALL, tm);
    if flags != 0 || (eps.is_null() && num_eps != 0) {
        return fatal::returning(CALL, Error::BadArg);
    }
    // SAFETY: the caller keeps the contract above.
    let eps: Vec<&Endpoint> = (0..num_eps).map(|at| enter::endpoint(CALL, unsafe { *eps.add(at) })).collect();
    job.publish_segments(team, &eps);
    0
}

/// Queries the segment of rank `rank` of `tm`: its address at its owner, its local address (NULL if it is not
/// mapped here), and its size; the size is 0 if there is no segment, or if it was not published to this process.
/// With GASNET_SEGMENT_EVERYTHING the segment of a primordial endpoint is the one that was bound to it, or else, once attached,
/// all memory: address NULL, size with all bits set. Each output may be NULL.
///
/// Returns GEX_EVENT_INVALID, because the outputs are written before the call returns. With GEX_FLAG_IMMEDIATE
/// legal in handlers.
///
/// Source: GASNet-EX 0.19, "gex_EP_QueryBoundSegmentNB".
///
/// # Safety
/// Each output may be written, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_EP_QueryBoundSegmentNB(
    tm: gex_TM_t,
    rank: gex_Rank_t,
    owneraddr_p: *mut *mut c_void,
    localaddr_p: *mut *mut c_void,
    size_p: *mut usize,
    _flags: gex_Flags_t,
) -> gex_Event_t {
    // SAFETY: the caller keeps the contract above.
    let found = unsafe { query("gex_EP_QueryBoundSegmentNB", tm, rank, owneraddr_p, localaddr_p, size_p) };
    if !found && !size_p.is_null() {
        // SAFETY: not null (checked); the caller keeps the contract above.
        unsafe { size_p.write(0) };
    }
    core::ptr::null_mut()
}

/// As gex_EP_QueryBoundSegmentNB, but blocking: returns 0; returns nonzero and does not change the outputs if there
/// is no segment or it was not published to this process. Deprecated.
///
/// Source: GASNet-EX 0.19, "gex_Segment_QueryBound".
///
/// # Safety
/// Each output may be written, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_Segment_QueryBound(
    tm: gex_TM_t,
    rank: gex_Rank_t,
    owneraddr_p: *mut *mut c_void,
    localaddr_p: *mut *mut c_void,
    size_p: *mut usize,
) -> c_int {
    // SAFETY: the caller keeps the contract above.
    c_int::from(!unsafe { query("gex_Segment_QueryBound", tm, rank, owneraddr_p, localaddr_p, size_p) })
}

/// # Safety
/// Each output may be written, or is null.
unsafe fn query(
    call: &str,
    tm: gex_TM_t,
    rank: gex_Rank_t,
    owneraddr_p: *mut *mut c_void,
    localaddr_p: *mut *mut c_void,
    size_p: *mut usize,
) -> bool {
    let job = enter::job_named(call);
    let of = enter::place(call, enter::team(call, tm), rank);
    let Some((start, bytes, here)) = job.bound_segment(of) else {
        return false;
    };
    // SAFETY: the caller's contract.
    unsafe {
        if !owneraddr_p.is_null() {
            owneraddr_p.write(core::ptr::with_exposed_provenance_mut(start));
        }
        if !localaddr_p.is_null() {
            localaddr_p.write(here.map_or(core::ptr::null_mut(), core::ptr::with_exposed_provenance_mut));
        }
        if !size_p.is_null() {
            size_p.write(bytes);
        }
    }
    true
}

/// Returns the address of a segment of this process. Legal in handlers.
///
/// Source: GASNet-EX 0.19, "Operations on gex_Segment_t".
#[unsafe(no_mangle)]
pub extern "C" fn gex_Segment_QueryAddr(seg: gex_Segment_t) -> *mut c_void {
    core::ptr::with_exposed_provenance_mut(enter::segment("gex_Segment_QueryAddr", seg).extent().0)
}

/// Returns the size of a segment of this process, in bytes. Legal in handlers.
///
/// Source: GASNet-EX 0.19, "Operations on gex_Segment_t".
#[unsafe(no_mangle)]
pub extern "C" fn gex_Segment_QuerySize(seg: gex_Segment_t) -> usize {
    enter::segment("gex_Segment_QuerySize", seg).extent().1
}

/// Returns the client of a segment. Legal in handlers.
///
/// Source: GASNet-EX 0.19, "Operations on gex_Segment_t".
#[unsafe(no_mangle)]
pub extern "C" fn gex_Segment_QueryClient(seg: gex_Segment_t) -> gex_Client_t {
    enter::segment("gex_Segment_QueryClient", seg);
    client::client().map_or(core::ptr::null_mut(), enter::handle)
}

/// Returns the flags with which a segment was created. Legal in handlers.
///
/// Source: GASNet-EX 0.19, "Operations on gex_Segment_t".
#[unsafe(no_mangle)]
pub extern "C" fn gex_Segment_QueryFlags(seg: gex_Segment_t) -> gex_Flags_t {
    enter::segment("gex_Segment_QueryFlags", seg).flags()
}

/// Attaches `val` to a segment, for gex_Segment_QueryCData. Legal in handlers.
///
/// Source: GASNet-EX 0.19, "Client-Data (CData)".
#[unsafe(no_mangle)]
pub extern "C" fn gex_Segment_SetCData(seg: gex_Segment_t, val: *const c_void) {
    enter::segment("gex_Segment_SetCData", seg).cdata.store(val.cast_mut(), Ordering::Release);
}

/// Returns the value that gex_Segment_SetCData attached; NULL initially. Legal in handlers.
///
/// Source: GASNet-EX 0.19, "Client-Data (CData)".
#[unsafe(no_mangle)]
pub extern "C" fn gex_Segment_QueryCData(seg: gex_Segment_t) -> *mut c_void {
    enter::segment("gex_Segment_QueryCData", seg).cdata.load(Ordering::Acquire)
}
