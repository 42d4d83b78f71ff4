//! The C interface of GASNet-EX events: waiting for operations and their leaves, implicit operations by category, and
//! access regions.

use core::ffi::c_int;

use crate::abi::enter;
use crate::abi::types::{gex_EC_t, gex_Event_t, gex_Flags_t};
use crate::am::event_list::EventList;
use crate::event::{Handle, Which};
use crate::fatal::{Error, usage};
use crate::job::Job;
use crate::trace;

const EC_PUT: gex_EC_t = 3;
const EC_LC: gex_EC_t = 2;
const EC_GET: gex_EC_t = 4;
const EC_RMW: gex_EC_t = 8;

fn code(done: bool) -> c_int {
    if done { 0 } else { Error::NotReady.code() }
}

fn of(event: gex_Event_t) -> Handle {
    Handle(event.expose_provenance())
}

fn to_c(handle: Handle) -> gex_Event_t {
    core::ptr::with_exposed_provenance_mut(handle.0)
}

/// The job, for a call that may wait; debug: with flags that must be 0.
fn enter(call: &str, flags: gex_Flags_t) -> &'static Job {
    let job = enter::job_to_wait(call);
    if job.settings.debug && flags != 0 {
        usage!(call, "flags {flags:#x} are not 0");
    }
    job
}

/// Tests whether the root or leaf event `event` is complete; a complete root is released with all its leaves.
///
/// Does not poll: only completions that other calls have processed are seen. Any thread may test an event. Must not
/// be called from a handler. A leaf may be tested again until its root is released.
///
/// Returns 0 if complete (GEX_EVENT_INVALID counts as complete), else GASNET_ERR_NOT_READY. Ends the job if it is
/// GEX_EVENT_NO_OP; debug clients: also if it is not an event, or was released before.
///
/// Source: GASNet-EX 0.19, "Event test/wait operations".
#[unsafe(no_mangle)]
pub extern "C" fn gex_Event_Test(event: gex_Event_t) -> c_int {
    const CALL: &str = "gex_Event_Test";
    let job = enter(CALL, 0);
    let mut span = trace::span(CALL);
    code(span.saw(job.test(CALL, of(event))))
}

/// Waits until the root or leaf event `event` is complete; a root is then released with all its leaves.
///
/// Polls, and may run AM handlers; must not be called from a handler. Any thread may wait for an event. Ends the
/// job as gex_Event_Test does.
///
/// Source: GASNet-EX 0.19, "Event test/wait operations".
#[unsafe(no_mangle)]
pub extern "C" fn gex_Event_Wait(event: gex_Event_t) {
    const CALL: &str = "gex_Event_Wait";
    let job = enter(CALL, 0);
    let _span = trace::span(CALL);
    job.wait(CALL, of(event));
}

/// Tests whether at least one event of the list is complete; also true if the list contains only GEX_EVENT_INVALID.
///
/// Complete events are released and overwritten by GEX_EVENT_INVALID. The list may contain leaves together with
/// their roots, in any order. Does not poll. `flags` is 0.
///
/// Returns 0 or GASNET_ERR_NOT_READY. Ends the job as gex_Event_Test does.
///
/// Source: GASNet-EX 0.19, "Event test/wait operations".
///
/// # Safety
/// `pevent` has `numevents` events that no other thread accesses until this call returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_Event_TestSome(pevent: *mut gex_Event_t, numevents: usize, flags: gex_Flags_t) -> c_int {
    const CALL: &str = "gex_Event_TestSome";
    let job = enter(CALL, flags);
    let mut span = trace::span(CALL);
    // SAFETY: the caller's promise above.
    let list = unsafe { EventList::new(job, CALL, pevent, numevents) };
    code(span.saw(list.test_some()))
}

/// Waits until at least one event of the list is complete; returns at once if the list contains only
/// GEX_EVENT_INVALID.
///
/// Complete events are released and overwritten by GEX_EVENT_INVALID. The list may contain leaves together with
/// their roots, in any order. Polls, and may run AM handlers; must not be called from a handler. `flags` is 0. Ends
/// the job as gex_Event_Test does.
///
/// Source: GASNet-EX 0.19, "Event test/wait operations".
///
/// # Safety
/// `pevent` has `numevents` events that no other thread accesses until this call returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_Event_WaitSome(pevent: *mut gex_Event_t, numevents: usize, flags: gex_Flags_t) {
    const CALL: &str = "gex_Event_WaitSome";
    let job = enter(CALL, flags);
    let _span = trace::span(CALL);
    // SAFETY: the caller's promise above.
    unsafe { EventList::new(job, CALL, pevent, numevents) }.wait_some();
}

/// Tests whether all events of the list are complete; GEX_EVENT_INVALID counts as complete.
///
/// Complete events are released and overwritten by GEX_EVENT_INVALID, even if other events are not complete. The
/// list may contain leaves together with their roots, in any order. Does not poll. `flags` is 0.
///
/// Returns 0 or GASNET_ERR_NOT_READY. Ends the job as gex_Event_Test does.
///
/// Source: GASNet-EX 0.19, "Event test/wait operations".
///
/// # Safety
/// `pevent` has `numevents` events that no other thread accesses until this call returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_Event_TestAll(pevent: *mut gex_Event_t, numevents: usize, flags: gex_Flags_t) -> c_int {
    const CALL: &str = "gex_Event_TestAll";
    let job = enter(CALL, flags);
    let mut span = trace::span(CALL);
    // SAFETY: the caller's promise above.
    let list = unsafe { EventList::new(job, CALL, pevent, numevents) };
    code(span.saw(list.test_all()))
}

/// Waits until all events of the list are complete; GEX_EVENT_INVALID counts as complete.
///
/// They are released and overwritten by GEX_EVENT_INVALID. The list may contain leaves together with their roots,
/// in any order. Polls, and may run AM handlers; must not be called from a handler. `flags` is 0. Ends the job as
/// gex_Event_Test does.
///
/// Source: GASNet-EX 0.19, "Event test/wait operations".
///
/// # Safety
/// `pevent` has `numevents` events that no other thread accesses until this call returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_Event_WaitAll(pevent: *mut gex_Event_t, numevents: usize, flags: gex_Flags_t) {
    const CALL: &str = "gex_Event_WaitAll";
    let job = enter(CALL, flags);
    let _span = trace::span(CALL);
    // SAFETY: the caller's promise above.
    unsafe { EventList::new(job, CALL, pevent, numevents) }.wait_all();
}

/// Returns the leaf event of `root` for one category, such as GEX_EC_LC; always the same event. It is complete when
/// that part of the operation is complete, and is released with the root.
///
/// `root` was returned by a call with suffix NB in which local completion was requested, or by
/// gex_NBI_EndAccessRegion, whose event has a leaf for each category.
///
/// Returns GEX_EVENT_INVALID if `root` is GEX_EVENT_INVALID. Debug clients: ends the job if `root` is not a root
/// event or has no such leaf.
///
/// Source: GASNet-EX 0.19, "gex_Event_QueryLeaf".
#[unsafe(no_mangle)]
pub extern "C" fn gex_Event_QueryLeaf(root: gex_Event_t, event_category: gex_EC_t) -> gex_Event_t {
    const CALL: &str = "gex_Event_QueryLeaf";
    let job = enter::job_named(CALL);
    if !matches!(event_category, EC_PUT | EC_LC | EC_GET | EC_RMW) {
        usage!(
            CALL,
            "event_category {event_category:#x} is not one of GEX_EC_PUT, GEX_EC_LC, GEX_EC_AM, GEX_EC_GET and GEX_EC_RMW"
        );
    }
    to_c(job.leaf_of(CALL, of(root), Which(event_category)))
}

/// Tests whether all implicit operations of this thread in the categories of `event_mask`, a bitwise or of
/// GEX_EC_*, are complete.
///
/// Does not poll. Must not be called from a handler, nor inside an access region. `flags` is 0.
///
/// Returns 0 or GASNET_ERR_NOT_READY.
///
/// Source: GASNet-EX 0.19, "Event test/wait operations".
#[unsafe(no_mangle)]
pub extern "C" fn gex_NBI_Test(event_mask: gex_EC_t, flags: gex_Flags_t) -> c_int {
    const CALL: &str = "gex_NBI_Test";
    let job = enter(CALL, flags);
    check_mask(job, CALL, event_mask);
    let mut span = trace::span(CALL);
    code(span.saw(job.test_implicit(CALL, Which(event_mask))))
}

/// Waits until all implicit operations of this thread in the categories of `event_mask`, a bitwise or of GEX_EC_*,
/// are complete.
///
/// Polls until then, and may run AM handlers; must not be called from a handler, nor inside an access region.
/// `flags` is 0.
///
/// Source: GASNet-EX 0.19, "Event test/wait operations".
#[unsafe(no_mangle)]
pub extern "C" fn gex_NBI_Wait(event_mask: gex_EC_t, flags: gex_Flags_t) {
    const CALL: &str = "gex_NBI_Wait";
    let job = enter(CALL, flags);
    check_mask(job, CALL, event_mask);
    let _span = trace::span(CALL);
    job.wait_implicit(CALL, Which(event_mask));
}

/// Debug: the mask has no unknown categories.
fn check_mask(job: &Job, call: &str, event_mask: gex_EC_t) {
    let known = EC_PUT | EC_LC | EC_GET | EC_RMW;
    if job.settings.debug && event_mask & !known != 0 && event_mask != gex_EC_t::MAX {
        usage!(call, "event_mask {event_mask:#x} has bits other than those of GEX_EC_*");
    }
}

/// Begins an access region: implicit operations of this thread belong to it until gex_NBI_EndAccessRegion. Regions
/// do not nest, and implicit operations must not be synchronised inside. `flags` is 0.
///
/// Equivalent to gasnet_begin_nbi_accessregion. Ends the job if a region is open.
///
/// Source: GASNet-EX 0.19, "NBI Access regions".
#[unsafe(no_mangle)]
pub extern "C" fn gex_NBI_BeginAccessRegion(flags: gex_Flags_t) {
    const CALL: &str = "gex_NBI_BeginAccessRegion";
    enter(CALL, flags).region_begin(CALL);
}

/// Ends the access region. `flags` is 0.
///
/// Returns a root event for all operations that were started in the region, with a leaf for each category;
/// GEX_EVENT_INVALID if all of them are complete. Ends the job if no region is open.
///
/// Source: GASNet-EX 0.19, "NBI Access regions".
#[unsafe(no_mangle)]
pub extern "C" fn gex_NBI_EndAccessRegion(flags: gex_Flags_t) -> gex_Event_t {
    const CALL: &str = "gex_NBI_EndAccessRegion";
    to_c(enter(CALL, flags).region_end(CALL))
}
