//! The C interface of handles: waiting for operations that were started, and access regions.
//!
//! # Safety
//! Lists of handles are the caller's; each function says what the caller promises.
#![allow(unsafe_code)]
#![allow(non_camel_case_types)]

use core::ffi::c_int;

use crate::abi::enter;
use crate::abi::types::gasnet_register_value_t;
use crate::event::{Handle, Which};
use crate::fatal::{Error, usage};
use crate::job::Job;

/// What a handle points to; its content is the library's.
pub struct gasneti_op {
    _private: [u8; 0],
}

/// What a value get's handle points to; its content is the library's.
pub struct gasneti_valget {
    _private: [u8; 0],
}

/// An operation that was started; 0 is GASNET_INVALID_HANDLE, an operation already complete.
pub type gasnet_handle_t = *mut gasneti_op;
/// A value get that was started; no value of it is invalid.
pub type gasnet_valget_handle_t = *mut gasneti_valget;

const OK: c_int = 0;

fn code(done: bool) -> c_int {
    if done { OK } else { Error::NotReady.code() }
}

fn of(handle: gasnet_handle_t) -> Handle {
    Handle(handle.expose_provenance())
}

/// The caller's list of handles, of which complete ones are overwritten by GASNET_INVALID_HANDLE.
struct List {
    first: *mut gasnet_handle_t,
    len: usize,
}

impl List {
    /// # Safety
    /// `first..first + len` are handles that only this call touches.
    unsafe fn new(first: *mut gasnet_handle_t, len: usize) -> List {
        List { first, len }
    }

    /// Takes entry `at` out if it is complete: None if it is not, else whether it was valid.
    fn take(&self, job: &Job, call: &str, at: usize) -> Option<bool> {
        // SAFETY: `new`'s promise; callers stay below `len`.
        let place = unsafe { &mut *self.first.add(at) };
        if place.is_null() {
            return Some(false);
        }
        job.test(call, of(*place)).then(|| *place = core::ptr::null_mut()).map(|()| true)
    }

    fn check(&self, call: &str) {
        if self.first.is_null() && self.len > 0 {
            usage!(call, "the list of {} handles is NULL", self.len);
        }
    }

    /// Takes out what is complete: how many were, and how many are not.
    fn sweep(&self, job: &Job, call: &str) -> (usize, usize) {
        self.check(call);
        let (mut done, mut left) = (0, 0);
        for at in 0..self.len {
            match self.take(job, call, at) {
                Some(valid) => done += usize::from(valid),
                None => left += 1,
            }
        }
        (done, left)
    }

    /// Takes out what is complete from entry `from` up to the first that is not; `from` is then that one's place.
    fn advance(&self, job: &Job, call: &str, from: &mut usize) -> bool {
        self.check(call);
        while *from < self.len && self.take(job, call, *from).is_some() {
            *from += 1;
        }
        *from == self.len
    }

    fn all(&self, job: &Job, call: &str) -> bool {
        self.sweep(job, call).1 == 0
    }

    fn some(&self, job: &Job, call: &str) -> bool {
        let (done, left) = self.sweep(job, call);
        done > 0 || left == 0
    }
}

/// Waits until the operation of `handle` is complete, and gives the handle back.
///
/// Blocks, and may run AM handlers; must not be called from one. GASNET_INVALID_HANDLE is complete.
/// Debug clients: ends the job if the handle is no handle, was synchronised before, or is another thread's.
///
/// Source: GASNet 1.8, "Synchronization for explicit-handle non-blocking operations".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_wait_syncnb(handle: gasnet_handle_t) {
    enter::job_to_wait("gasnet_wait_syncnb").wait("gasnet_wait_syncnb", of(handle));
}

/// Whether the operation of `handle` is complete; if so, gives the handle back.
///
/// Polls once, so may run AM handlers; must not be called from one.
///
/// Returns GASNET_OK or GASNET_ERR_NOT_READY. Debug clients: as `gasnet_wait_syncnb`.
///
/// Source: GASNet 1.8, "Synchronization for explicit-handle non-blocking operations".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_try_syncnb(handle: gasnet_handle_t) -> c_int {
    let job = enter::job_to_wait("gasnet_try_syncnb");
    job.poll_once();
    code(job.test("gasnet_try_syncnb", of(handle)))
}

/// Whether the operation of `handle` is complete; if so, gives the handle back.
///
/// Does not poll: it completes only what other calls have brought in. An extension.
///
/// Returns GASNET_OK or GASNET_ERR_NOT_READY. Debug clients: as `gasnet_wait_syncnb`.
///
/// Source: GASNet 1.8, "Synchronization for explicit-handle non-blocking operations".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_try_syncnb_nopoll(handle: gasnet_handle_t) -> c_int {
    let job = enter::job_to_wait("gasnet_try_syncnb_nopoll");
    code(job.test("gasnet_try_syncnb_nopoll", of(handle)))
}

/// Waits until all valid handles of the list are complete.
///
/// Complete entries are given back and overwritten by GASNET_INVALID_HANDLE; invalid ones are ignored. Blocks, and may
/// run AM handlers; must not be called from one. Debug clients: as `gasnet_wait_syncnb`.
///
/// Source: GASNet 1.8, "Synchronization for explicit-handle non-blocking operations".
///
/// # Safety
/// `handles` has `numhandles` handles that only this call touches until it returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_wait_syncnb_all(handles: *mut gasnet_handle_t, numhandles: usize) {
    let job = enter::job_to_wait("gasnet_wait_syncnb_all");
    // SAFETY: the caller's promise above.
    let list = unsafe { List::new(handles, numhandles) };
    // Each look goes on where the last one stopped: the wait for a long list is not quadratic.
    let mut from = 0;
    if !list.advance(job, "gasnet_wait_syncnb_all", &mut from) {
        job.wait_until(|| list.advance(job, "gasnet_wait_syncnb_all", &mut from));
    }
}

/// Whether all valid handles of the list are complete.
///
/// Complete entries are given back and overwritten by GASNET_INVALID_HANDLE; invalid ones are ignored.
/// Polls once, so may run AM handlers; must not be called from one.
///
/// Returns GASNET_OK or GASNET_ERR_NOT_READY. Debug clients: as `gasnet_wait_syncnb`.
///
/// Source: GASNet 1.8, "Synchronization for explicit-handle non-blocking operations".
///
/// # Safety
/// `handles` has `numhandles` handles that only this call touches until it returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_try_syncnb_all(handles: *mut gasnet_handle_t, numhandles: usize) -> c_int {
    let job = enter::job_to_wait("gasnet_try_syncnb_all");
    job.poll_once();
    // SAFETY: the caller's promise above.
    let list = unsafe { List::new(handles, numhandles) };
    code(list.all(job, "gasnet_try_syncnb_all"))
}

/// Whether all valid handles of the list are complete.
///
/// Complete entries are given back and overwritten by GASNET_INVALID_HANDLE; invalid ones are ignored.
/// Does not poll: it completes only what other calls have brought in. An extension.
///
/// Returns GASNET_OK or GASNET_ERR_NOT_READY. Debug clients: as `gasnet_wait_syncnb`.
///
/// Source: GASNet 1.8, "Synchronization for explicit-handle non-blocking operations".
///
/// # Safety
/// `handles` has `numhandles` handles that only this call touches until it returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_try_syncnb_all_nopoll(handles: *mut gasnet_handle_t, numhandles: usize) -> c_int {
    let job = enter::job_to_wait("gasnet_try_syncnb_all_nopoll");
    // SAFETY: the caller's promise above.
    let list = unsafe { List::new(handles, numhandles) };
    code(list.all(job, "gasnet_try_syncnb_all_nopoll"))
}

/// Waits until at least one valid handle of the list is complete; a list with none is complete.
///
/// Complete entries are given back and overwritten by GASNET_INVALID_HANDLE; invalid ones are ignored. Blocks, and may
/// run AM handlers; must not be called from one. Debug clients: as `gasnet_wait_syncnb`.
///
/// Source: GASNet 1.8, "Synchronization for explicit-handle non-blocking operations".
///
/// # Safety
/// `handles` has `numhandles` handles that only this call touches until it returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_wait_syncnb_some(handles: *mut gasnet_handle_t, numhandles: usize) {
    let job = enter::job_to_wait("gasnet_wait_syncnb_some");
    // SAFETY: the caller's promise above.
    let list = unsafe { List::new(handles, numhandles) };
    if !list.some(job, "gasnet_wait_syncnb_some") {
        job.wait_until(|| list.some(job, "gasnet_wait_syncnb_some"));
    }
}

/// Whether at least one valid handle of the list is complete; a list with none is complete.
///
/// Complete entries are given back and overwritten by GASNET_INVALID_HANDLE; invalid ones are ignored.
/// Polls once, so may run AM handlers; must not be called from one.
///
/// Returns GASNET_OK or GASNET_ERR_NOT_READY. Debug clients: as `gasnet_wait_syncnb`.
///
/// Source: GASNet 1.8, "Synchronization for explicit-handle non-blocking operations".
///
/// # Safety
/// `handles` has `numhandles` handles that only this call touches until it returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_try_syncnb_some(handles: *mut gasnet_handle_t, numhandles: usize) -> c_int {
    let job = enter::job_to_wait("gasnet_try_syncnb_some");
    job.poll_once();
    // SAFETY: the caller's promise above.
    let list = unsafe { List::new(handles, numhandles) };
    code(list.some(job, "gasnet_try_syncnb_some"))
}

/// Whether at least one valid handle of the list is complete; a list with none is complete.
///
/// Complete entries are given back and overwritten by GASNET_INVALID_HANDLE; invalid ones are ignored.
/// Does not poll: it completes only what other calls have brought in. An extension.
///
/// Returns GASNET_OK or GASNET_ERR_NOT_READY. Debug clients: as `gasnet_wait_syncnb`.
///
/// Source: GASNet 1.8, "Synchronization for explicit-handle non-blocking operations".
///
/// # Safety
/// `handles` has `numhandles` handles that only this call touches until it returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_try_syncnb_some_nopoll(handles: *mut gasnet_handle_t, numhandles: usize) -> c_int {
    let job = enter::job_to_wait("gasnet_try_syncnb_some_nopoll");
    // SAFETY: the caller's promise above.
    let list = unsafe { List::new(handles, numhandles) };
    code(list.some(job, "gasnet_try_syncnb_some_nopoll"))
}

/// Waits until all implicit-handle puts, value puts and memsets of this thread are complete.
///
/// Blocks, and may run AM handlers; must not be called from one, nor inside an access region.
///
/// Source: GASNet 1.8, "Synchronization for implicit-handle non-blocking operations".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_wait_syncnbi_puts() {
    enter::job_to_wait("gasnet_wait_syncnbi_puts").wait_implicit("gasnet_wait_syncnbi_puts", Which::Puts);
}

/// Whether all implicit-handle puts, value puts and memsets of this thread are complete.
///
/// Polls once, so may run AM handlers; must not be called from one, nor inside an access region.
///
/// Returns GASNET_OK, or GASNET_ERR_NOT_READY and nothing counts as synchronised.
///
/// Source: GASNet 1.8, "Synchronization for implicit-handle non-blocking operations".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_try_syncnbi_puts() -> c_int {
    let job = enter::job_to_wait("gasnet_try_syncnbi_puts");
    job.poll_once();
    code(job.test_implicit("gasnet_try_syncnbi_puts", Which::Puts))
}

/// Waits until all implicit-handle gets of this thread are complete.
///
/// Blocks, and may run AM handlers; must not be called from one, nor inside an access region.
///
/// Source: GASNet 1.8, "Synchronization for implicit-handle non-blocking operations".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_wait_syncnbi_gets() {
    enter::job_to_wait("gasnet_wait_syncnbi_gets").wait_implicit("gasnet_wait_syncnbi_gets", Which::Gets);
}

/// Whether all implicit-handle gets of this thread are complete.
///
/// Polls once, so may run AM handlers; must not be called from one, nor inside an access region.
///
/// Returns GASNET_OK, or GASNET_ERR_NOT_READY and nothing counts as synchronised.
///
/// Source: GASNet 1.8, "Synchronization for implicit-handle non-blocking operations".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_try_syncnbi_gets() -> c_int {
    let job = enter::job_to_wait("gasnet_try_syncnbi_gets");
    job.poll_once();
    code(job.test_implicit("gasnet_try_syncnbi_gets", Which::Gets))
}

/// Waits until all implicit-handle operations of this thread are complete.
///
/// Blocks, and may run AM handlers; must not be called from one, nor inside an access region.
///
/// Source: GASNet 1.8, "Synchronization for implicit-handle non-blocking operations".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_wait_syncnbi_all() {
    enter::job_to_wait("gasnet_wait_syncnbi_all").wait_implicit("gasnet_wait_syncnbi_all", Which::All);
}

/// Whether all implicit-handle operations of this thread are complete.
///
/// Polls once, so may run AM handlers; must not be called from one, nor inside an access region.
///
/// Returns GASNET_OK, or GASNET_ERR_NOT_READY and nothing counts as synchronised.
///
/// Source: GASNet 1.8, "Synchronization for implicit-handle non-blocking operations".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_try_syncnbi_all() -> c_int {
    let job = enter::job_to_wait("gasnet_try_syncnbi_all");
    job.poll_once();
    code(job.test_implicit("gasnet_try_syncnbi_all", Which::All))
}

/// Begins an access region: implicit-handle operations of this thread belong to it until
/// `gasnet_end_nbi_accessregion`. Regions do not nest, and no implicit synchronisation happens inside.
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
/// Returns a handle of all that was started in it, to be synchronised like any other; GASNET_INVALID_HANDLE if all of
/// it is complete. Ends the job if no region is open.
///
/// Source: GASNet 1.8, "Implicit access region synchronization".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_end_nbi_accessregion() -> gasnet_handle_t {
    core::ptr::with_exposed_provenance_mut(
        enter::job_to_wait("gasnet_end_nbi_accessregion").region_end("gasnet_end_nbi_accessregion").0,
    )
}

/// Waits until the value get of `handle` is complete, and gives the handle back.
///
/// Blocks, and may run AM handlers; must not be called from one.
///
/// Returns the value, zero-extended. Debug clients: as `gasnet_wait_syncnb`.
///
/// Source: GASNet 1.8, "Non-Blocking Value Get (explicit-handle)".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_wait_syncnb_valget(handle: gasnet_valget_handle_t) -> gasnet_register_value_t {
    let value = enter::job_to_wait("gasnet_wait_syncnb_valget")
        .get_value_wait("gasnet_wait_syncnb_valget", Handle(handle.expose_provenance()));
    value as gasnet_register_value_t
}
