//! The C interface of handles: waiting for operations that were started, and access regions.
//!
//! # Safety
//! Lists of handles belong to the caller; each function states the caller's promise.
#![allow(unsafe_code)]
#![allow(non_camel_case_types)]

use core::ffi::c_int;

use crate::abi::enter;
use crate::abi::types::{gasnet_handle_t, gasnet_register_value_t};
use crate::am::event_list::EventList;
use crate::event::{Handle, Which};
use crate::fatal::Error;
use crate::job::Job;
use crate::trace;

/// The target of a value get's handle; its content is private to the library.
pub struct gasneti_valget {
    _private: [u8; 0],
}

/// A value get that was started; there is no invalid handle of this type.
pub type gasnet_valget_handle_t = *mut gasneti_valget;

const OK: c_int = 0;

fn code(done: bool) -> c_int {
    if done { OK } else { Error::NotReady.code() }
}

/// The handle; in debug clients it must belong to this thread.
fn of(job: &Job, call: &str, handle: gasnet_handle_t) -> Handle {
    let handle = Handle(handle.expose_provenance());
    job.check_owner(call, handle);
    handle
}

fn list(call: &'static str, job: &'static Job, handles: *mut gasnet_handle_t, numhandles: usize) -> EventList {
    // SAFETY: every caller's caller promises a list of that number of handles that only the call touches.
    unsafe { EventList::new(job, call, handles, numhandles) }.of_this_thread()
}

/// Waits until the operation of `handle` is complete, and releases the handle.
///
/// Blocks, and may run AM handlers; must not be called from a handler. GASNET_INVALID_HANDLE counts as complete.
/// Debug clients: ends the job if the handle is invalid, was synchronised before, or belongs to another thread.
///
/// Source: GASNet 1.8, "Synchronization for explicit-handle non-blocking operations".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_wait_syncnb(handle: gasnet_handle_t) {
    let job = enter::job_to_wait("gasnet_wait_syncnb");
    let _span = trace::span("gasnet_wait_syncnb");
    job.wait("gasnet_wait_syncnb", of(job, "gasnet_wait_syncnb", handle));
}

/// Tests whether the operation of `handle` is complete; if so, releases the handle.
///
/// Polls once, and may run AM handlers; must not be called from a handler.
///
/// Returns GASNET_OK or GASNET_ERR_NOT_READY. Debug clients: as `gasnet_wait_syncnb`.
///
/// Source: GASNet 1.8, "Synchronization for explicit-handle non-blocking operations".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_try_syncnb(handle: gasnet_handle_t) -> c_int {
    let job = enter::job_to_wait("gasnet_try_syncnb");
    let mut span = trace::span("gasnet_try_syncnb");
    job.poll_once();
    code(span.saw(job.test("gasnet_try_syncnb", of(job, "gasnet_try_syncnb", handle))))
}

/// Tests whether the operation of `handle` is complete; if so, releases the handle.
///
/// Does not poll: only completions that other calls have processed are seen. An extension.
///
/// Returns GASNET_OK or GASNET_ERR_NOT_READY. Debug clients: as `gasnet_wait_syncnb`.
///
/// Source: GASNet 1.8, "Synchronization for explicit-handle non-blocking operations".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_try_syncnb_nopoll(handle: gasnet_handle_t) -> c_int {
    let job = enter::job_to_wait("gasnet_try_syncnb_nopoll");
    let mut span = trace::span("gasnet_try_syncnb_nopoll");
    code(span.saw(job.test("gasnet_try_syncnb_nopoll", of(job, "gasnet_try_syncnb_nopoll", handle))))
}

/// Waits until all valid handles of the list are complete.
///
/// Complete entries are released and overwritten by GASNET_INVALID_HANDLE; invalid ones are ignored. Blocks, and
/// may run AM handlers; must not be called from a handler. Debug clients: as `gasnet_wait_syncnb`.
///
/// Source: GASNet 1.8, "Synchronization for explicit-handle non-blocking operations".
///
/// # Safety
/// `handles` has `numhandles` handles that no other thread accesses until this call returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_wait_syncnb_all(handles: *mut gasnet_handle_t, numhandles: usize) {
    let job = enter::job_to_wait("gasnet_wait_syncnb_all");
    let _span = trace::span("gasnet_wait_syncnb_all");
    list("gasnet_wait_syncnb_all", job, handles, numhandles).wait_all();
}

/// Whether all valid handles of the list are complete.
///
/// Complete entries are released and overwritten by GASNET_INVALID_HANDLE; invalid ones are ignored.
/// Polls once, and may run AM handlers; must not be called from a handler.
///
/// Returns GASNET_OK or GASNET_ERR_NOT_READY. Debug clients: as `gasnet_wait_syncnb`.
///
/// Source: GASNet 1.8, "Synchronization for explicit-handle non-blocking operations".
///
/// # Safety
/// `handles` has `numhandles` handles that no other thread accesses until this call returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_try_syncnb_all(handles: *mut gasnet_handle_t, numhandles: usize) -> c_int {
    let job = enter::job_to_wait("gasnet_try_syncnb_all");
    let mut span = trace::span("gasnet_try_syncnb_all");
    job.poll_once();
    code(span.saw(list("gasnet_try_syncnb_all", job, handles, numhandles).test_all()))
}

/// Whether all valid handles of the list are complete.
///
/// Complete entries are released and overwritten by GASNET_INVALID_HANDLE; invalid ones are ignored.
/// Does not poll: only completions that other calls have processed are seen. An extension.
///
/// Returns GASNET_OK or GASNET_ERR_NOT_READY. Debug clients: as `gasnet_wait_syncnb`.
///
/// Source: GASNet 1.8, "Synchronization for explicit-handle non-blocking operations".
///
/// # Safety
/// `handles` has `numhandles` handles that no other thread accesses until this call returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_try_syncnb_all_nopoll(handles: *mut gasnet_handle_t, numhandles: usize) -> c_int {
    let job = enter::job_to_wait("gasnet_try_syncnb_all_nopoll");
    let mut span = trace::span("gasnet_try_syncnb_all_nopoll");
    code(span.saw(list("gasnet_try_syncnb_all_nopoll", job, handles, numhandles).test_all()))
}

/// Waits until at least one valid handle of the list is complete; a list with none is complete.
///
/// Complete entries are released and overwritten by GASNET_INVALID_HANDLE; invalid ones are ignored. Blocks, and
/// may run AM handlers; must not be called from a handler. Debug clients: as `gasnet_wait_syncnb`.
///
/// Source: GASNet 1.8, "Synchronization for explicit-handle non-blocking operations".
///
/// # Safety
/// `handles` has `numhandles` handles that no other thread accesses until this call returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_wait_syncnb_some(handles: *mut gasnet_handle_t, numhandles: usize) {
    let job = enter::job_to_wait("gasnet_wait_syncnb_some");
    let _span = trace::span("gasnet_wait_syncnb_some");
    list("gasnet_wait_syncnb_some", job, handles, numhandles).wait_some();
}

/// Whether at least one valid handle of the list is complete; a list with none is complete.
///
/// Complete entries are released and overwritten by GASNET_INVALID_HANDLE; invalid ones are ignored.
/// Polls once, and may run AM handlers; must not be called from a handler.
///
/// Returns GASNET_OK or GASNET_ERR_NOT_READY. Debug clients: as `gasnet_wait_syncnb`.
///
/// Source: GASNet 1.8, "Synchronization for explicit-handle non-blocking operations".
///
/// # Safety
/// `handles` has `numhandles` handles that no other thread accesses until this call returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_try_syncnb_some(handles: *mut gasnet_handle_t, numhandles: usize) -> c_int {
    let job = enter::job_to_wait("gasnet_try_syncnb_some");
    let mut span = trace::span("gasnet_try_syncnb_some");
    job.poll_once();
    code(span.saw(list("gasnet_try_syncnb_some", job, handles, numhandles).test_some()))
}

/// Whether at least one valid handle of the list is complete; a list with none is complete.
///
/// Complete entries are released and overwritten by GASNET_INVALID_HANDLE; invalid ones are ignored.
/// Does not poll: only completions that other calls have processed are seen. An extension.
///
/// Returns GASNET_OK or GASNET_ERR_NOT_READY. Debug clients: as `gasnet_wait_syncnb`.
///
/// Source: GASNet 1.8, "Synchronization for explicit-handle non-blocking operations".
///
/// # Safety
/// `handles` has `numhandles` handles that no other thread accesses until this call returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_try_syncnb_some_nopoll(handles: *mut gasnet_handle_t, numhandles: usize) -> c_int {
    let job = enter::job_to_wait("gasnet_try_syncnb_some_nopoll");
    let mut span = trace::span("gasnet_try_syncnb_some_nopoll");
    code(span.saw(list("gasnet_try_syncnb_some_nopoll", job, handles, numhandles).test_some()))
}

/// Waits until all implicit-handle puts, value puts and memsets of this thread are complete.
///
/// Blocks, and may run AM handlers; must not be called from a handler, nor inside an access region.
///
/// Source: GASNet 1.8, "Synchronization for implicit-handle non-blocking operations".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_wait_syncnbi_puts() {
    let _span = trace::span("gasnet_wait_syncnbi_puts");
    enter::job_to_wait("gasnet_wait_syncnbi_puts").wait_implicit("gasnet_wait_syncnbi_puts", Which::PUTS);
}

/// Whether all implicit-handle puts, value puts and memsets of this thread are complete.
///
/// Polls once, and may run AM handlers; must not be called from a handler, nor inside an access region.
///
/// Returns GASNET_OK, or GASNET_ERR_NOT_READY, in which case no operation is synchronised.
///
/// Source: GASNet 1.8, "Synchronization for implicit-handle non-blocking operations".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_try_syncnbi_puts() -> c_int {
    let job = enter::job_to_wait("gasnet_try_syncnbi_puts");
    let mut span = trace::span("gasnet_try_syncnbi_puts");
    job.poll_once();
    code(span.saw(job.test_implicit("gasnet_try_syncnbi_puts", Which::PUTS)))
}

/// Waits until all implicit-handle gets of this thread are complete.
///
/// Blocks, and may run AM handlers; must not be called from a handler, nor inside an access region.
///
/// Source: GASNet 1.8, "Synchronization for implicit-handle non-blocking operations".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_wait_syncnbi_gets() {
    let _span = trace::span("gasnet_wait_syncnbi_gets");
    enter::job_to_wait("gasnet_wait_syncnbi_gets").wait_implicit("gasnet_wait_syncnbi_gets", Which::GETS);
}

/// Whether all implicit-handle gets of this thread are complete.
///
/// Polls once, and may run AM handlers; must not be called from a handler, nor inside an access region.
///
/// Returns GASNET_OK, or GASNET_ERR_NOT_READY, in which case no operation is synchronised.
///
/// Source: GASNet 1.8, "Synchronization for implicit-handle non-blocking operations".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_try_syncnbi_gets() -> c_int {
    let job = enter::job_to_wait("gasnet_try_syncnbi_gets");
    let mut span = trace::span("gasnet_try_syncnbi_gets");
    job.poll_once();
    code(span.saw(job.test_implicit("gasnet_try_syncnbi_gets", Which::GETS)))
}

/// Waits until all implicit-handle operations of this thread are complete.
///
/// Blocks, and may run AM handlers; must not be called from a handler, nor inside an access region.
///
/// Source: GASNet 1.8, "Synchronization for implicit-handle non-blocking operations".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_wait_syncnbi_all() {
    let _span = trace::span("gasnet_wait_syncnbi_all");
    enter::job_to_wait("gasnet_wait_syncnbi_all").wait_implicit("gasnet_wait_syncnbi_all", Which::ALL);
}

/// Whether all implicit-handle operations of this thread are complete.
///
/// Polls once, and may run AM handlers; must not be called from a handler, nor inside an access region.
///
/// Returns GASNET_OK, or GASNET_ERR_NOT_READY, in which case no operation is synchronised.
///
/// Source: GASNet 1.8, "Synchronization for implicit-handle non-blocking operations".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_try_syncnbi_all() -> c_int {
    let job = enter::job_to_wait("gasnet_try_syncnbi_all");
    let mut span = trace::span("gasnet_try_syncnbi_all");
    job.poll_once();
    code(span.saw(job.test_implicit("gasnet_try_syncnbi_all", Which::ALL)))
}

/// Begins an access region: implicit-handle operations of this thread belong to it until
/// `gasnet_end_nbi_accessregion`. Regions do not nest, and implicit operations must not be synchronised inside.
///
/// Ends the job if a region is open.
///
/// Source: GASNet 1.8, "Implicit access region synchronization".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_begin_nbi_accessregion() {
    enter::job_to_wait("gasnet_begin_nbi_accessregion").region_begin("gasnet_begin_nbi_accessregion");
}

/// Ends the access region.
///
/// Returns a handle for all operations that were started in the region, to be synchronised like any other handle;
/// GASNET_INVALID_HANDLE if all of them are complete. Ends the job if no region is open.
///
/// Source: GASNet 1.8, "Implicit access region synchronization".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_end_nbi_accessregion() -> gasnet_handle_t {
    core::ptr::with_exposed_provenance_mut(
        enter::job_to_wait("gasnet_end_nbi_accessregion").region_end("gasnet_end_nbi_accessregion").0,
    )
}

/// Waits until the value get of `handle` is complete, and releases the handle.
///
/// Blocks, and may run AM handlers; must not be called from a handler.
///
/// Returns the value, zero-extended. Debug clients: as `gasnet_wait_syncnb`.
///
/// Source: GASNet 1.8, "Non-Blocking Value Get (explicit-handle)".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_wait_syncnb_valget(handle: gasnet_valget_handle_t) -> gasnet_register_value_t {
    let _span = trace::span("gasnet_wait_syncnb_valget");
    enter::job_to_wait("gasnet_wait_syncnb_valget")
        .get_value_wait("gasnet_wait_syncnb_valget", Handle(handle.expose_provenance()))
}
