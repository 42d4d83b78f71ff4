//! The C interface of remote atomics.
//!
//! # Safety
//! Handles are checked before they are used; addresses for results come from the caller.
#![allow(unsafe_code)]

use core::ffi::c_void;
use core::ptr;

use crate::abi::enter;
use crate::abi::types::{gex_DT_t, gex_Event_t, gex_Flags_t, gex_OP_t, gex_TM_t};
use crate::defs::rank::Location;
use crate::endpoint::capability;
use crate::event::Handle;
use crate::fatal::usage;
use crate::job::Job;
use crate::mem::Dst;
use crate::ratomic::call::AtomicCall;
use crate::ratomic::domain::{self, Domain, DomainHead};
use crate::ratomic::ops::{Number, Request, Type};
use crate::rma::Track;
use crate::settings::SegmentMode;
use crate::sync::atomic::Ordering;
use crate::team::Team;
use crate::trace::{self, Span};

/// State of an atomic domain read by the inline fast paths.
#[repr(C)]
pub struct gasneti_ad_t {
    /// By rank of the team: 0 if the member's segment is not mapped here, else 1 + the difference between the local
    /// and the owner's address.
    pub by_rank: *const isize,
    /// The same by rank of the job.
    pub by_jobrank: *const isize,
    /// Entries of `by_rank`.
    pub size: u32,
    /// Entries of `by_jobrank`; 0 if the inline functions must call the library for ranks of the job.
    pub job_size: u32,
    /// By type, in the order of the bits of gex_DT_t: the operations allowed.
    pub ops: [u32; 6],
}

const _: () = {
    use core::mem::offset_of;
    assert!(size_of::<gasneti_ad_t>() == size_of::<DomainHead>());
    assert!(offset_of!(gasneti_ad_t, by_rank) == offset_of!(DomainHead, by_rank));
    assert!(offset_of!(gasneti_ad_t, by_jobrank) == offset_of!(DomainHead, by_jobrank));
    assert!(offset_of!(gasneti_ad_t, size) == offset_of!(DomainHead, size));
    assert!(offset_of!(gasneti_ad_t, job_size) == offset_of!(DomainHead, job_size));
    assert!(offset_of!(gasneti_ad_t, ops) == offset_of!(DomainHead, ops));
};

/// An atomic domain: the handle of one member of its team; its content is private to the library.
pub type gex_AD_t = *mut gasneti_ad_t;

/// The domain of a client's handle; ends the job if it is invalid or destroyed.
fn domain(call: &str, ad: gex_AD_t) -> &'static Domain {
    let at = ad.cast::<Domain>();
    if at.is_null() {
        usage!(call, "ad is GEX_AD_INVALID");
    }
    let debug = enter::job_named(call).settings.debug;
    if !at.is_aligned() || (debug && !domain::is_one(at)) {
        usage!(call, "ad {ad:p} is not an atomic domain");
    }
    // SAFETY: domains that clients got from the library are never freed; the caller promises to pass no other pointers,
    // and those of debug clients were looked up.
    let domain = unsafe { &*at };
    if !domain.is_live() {
        usage!(call, "ad {ad:p} has been destroyed");
    }
    domain
}

fn handle(tm: usize) -> gex_TM_t {
    ptr::with_exposed_provenance_mut(tm)
}

/// Checks the arguments and starts the operation. `result` is the address for the result; must not be null for
/// fetching operations.
pub(super) fn start<T: Number>(
    call: &AtomicCall<'_>,
    ad: gex_AD_t,
    track: Track,
    result: *mut T,
    op1: T,
    op2: T,
) -> Handle {
    let job = enter::job_named(call.name);
    let domain = domain(call.name, ad);
    let team = enter::team(call.name, handle(domain.tm()));
    let (op, to) = call.resolve(job, domain, team, result.is_null());
    if job.settings.debug {
        check(call, job, team, to);
    }
    let _span = if job.settings.watched { watch(call, to) } else { Span::off() };
    // SAFETY: the caller's promise: room for a number, until the operation is synchronised.
    let result = (!result.is_null()).then(|| unsafe { Dst::new(result.cast(), size_of::<T>()) });
    let native = domain.is_native();
    let request = Request { dtype: call.dtype, op, op1: op1.bits(), op2: op2.bits(), native };
    job.atomic_start(track, to, call.at, &request, result, call.immediate())
}

#[cold]
fn watch(call: &AtomicCall<'_>, to: Location) -> Span {
    let mut span = trace::span_to(call.name, to.rank.0, call.dtype.bytes());
    span.number("op", call.opcode.into());
    span
}

/// The checks of debug clients.
#[cold]
fn check(call: &AtomicCall<'_>, job: &Job, team: &Team, to: Location) {
    enter::check_may_communicate(job, call.name);
    call.check_flags(job, team, to);
    if job.settings.segment != SegmentMode::Everything {
        enter::check_range_at(job, call.name, to, call.at, call.dtype.bytes());
    }
}

pub(super) fn to_c(handle: Handle) -> gex_Event_t {
    ptr::with_exposed_provenance_mut(handle.0)
}

/// Creates an atomic domain on the endpoints of `tm`: one type, and the operations allowed on it.
///
/// Collective over `tm`, with equal arguments; no barrier. `dt` is one GEX_DT_* other than GEX_DT_USER, `ops` one or
/// more GEX_OP_* that the type has: arithmetic and accessors for all, bitwise ones for integers. `flags` may have one of
/// GEX_FLAG_AD_FAVOR_{MY_RANK,MY_NBRHD,REMOTE}, which are hints, without effect here.
///
/// The handle is written to `ad_p`. Ends the job if the type does not support one of the operations.
///
/// Source: GASNet-EX 0.19, "Atomic Domains".
///
/// # Safety
/// `ad_p` is writable; `tm` is live, and stays so until the domain is destroyed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_AD_Create(
    ad_p: *mut gex_AD_t,
    tm: gex_TM_t,
    dt: gex_DT_t,
    ops: gex_OP_t,
    flags: gex_Flags_t,
) {
    const CALL: &str = "gex_AD_Create";
    let _span = crate::trace::span(CALL);
    if ad_p.is_null() {
        usage!(CALL, "ad_p is NULL");
    }
    let team = enter::real_team(CALL, tm);
    let job = enter::job_named(CALL);
    if job.settings.debug && team.endpoint().capabilities & capability::AD == 0 {
        usage!(CALL, "the endpoint of tm was made without GEX_EP_CAPABILITY_AD");
    }
    let Some(dtype) = Type::of(dt) else {
        usage!(CALL, "dt {dt:#x} is not a single type that has atomics");
    };
    if ops == 0 || ops & !dtype.ops() != 0 {
        usage!(CALL, "ops {ops:#x}: GEX_DT_{} has {:#x}, at least one of which is needed", dtype.name(), dtype.ops());
    }
    let domain = Domain::begin(job, team, tm.expose_provenance(), dtype, ops, flags);
    // SAFETY: the caller's promise.
    unsafe { ad_p.write(enter::handle(domain)) };
}

/// Destroys an atomic domain. All its operations on all ranks must be complete.
///
/// Collective over its team; no barrier.
///
/// Source: GASNet-EX 0.19, "Atomic Domains".
#[unsafe(no_mangle)]
pub extern "C" fn gex_AD_Destroy(ad: gex_AD_t) {
    const CALL: &str = "gex_AD_Destroy";
    let _span = trace::span(CALL);
    domain(CALL, ad).end();
}

/// The flags that the domain was created with.
///
/// Source: GASNet-EX 0.19, "Atomic Domains".
#[unsafe(no_mangle)]
pub extern "C" fn gex_AD_QueryFlags(ad: gex_AD_t) -> gex_Flags_t {
    domain("gex_AD_QueryFlags", ad).flags()
}

/// The team that the domain was created on.
///
/// Source: GASNet-EX 0.19, "Atomic Domains".
#[unsafe(no_mangle)]
pub extern "C" fn gex_AD_QueryTM(ad: gex_AD_t) -> gex_TM_t {
    handle(domain("gex_AD_QueryTM", ad).tm())
}

/// The type that the domain was created for.
///
/// Source: GASNet-EX 0.19, "Atomic Domains".
#[unsafe(no_mangle)]
pub extern "C" fn gex_AD_QueryDT(ad: gex_AD_t) -> gex_DT_t {
    domain("gex_AD_QueryDT", ad).dt()
}

/// The operations that the domain was created for.
///
/// Source: GASNet-EX 0.19, "Atomic Domains".
#[unsafe(no_mangle)]
pub extern "C" fn gex_AD_QueryOps(ad: gex_AD_t) -> gex_OP_t {
    domain("gex_AD_QueryOps", ad).ops()
}

/// Attaches a pointer of the client to the domain.
///
/// Source: GASNet-EX 0.19, "Atomic Domains".
#[unsafe(no_mangle)]
pub extern "C" fn gex_AD_SetCData(ad: gex_AD_t, val: *const c_void) {
    domain("gex_AD_SetCData", ad).cdata().store(val.cast_mut(), Ordering::Release);
}

/// The pointer that the client attached to the domain; NULL if none was set.
///
/// Source: GASNet-EX 0.19, "Atomic Domains".
#[unsafe(no_mangle)]
pub extern "C" fn gex_AD_QueryCData(ad: gex_AD_t) -> *mut c_void {
    domain("gex_AD_QueryCData", ad).cdata().load(Ordering::Acquire)
}
