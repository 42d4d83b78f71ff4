//! The C interface of GASNet-1's collectives, over any team: types, initialization with images, and synchronization.
//! The operations are in `coll_moves.rs`, `coll_moves_m.rs` and `coll_computed.rs`.
//!
//! # Safety
//! Arrays and lists of handles belong to the caller; each function states the caller's promise.
#![allow(unsafe_code)]
#![allow(non_camel_case_types)]

use core::ffi::{c_int, c_uint, c_void};
use core::slice;

use crate::abi::coll::enter_coll;
use crate::abi::enter;
use crate::abi::types::{gex_Event_t, gex_TM_t};
use crate::am::event_list::EventList;
use crate::coll::images::Function;
use crate::event::Handle;
use crate::fatal::{Error, usage};
use crate::job::Job;
use crate::team;

/// An image: a thread that takes part in collectives. Images are numbered consecutively over the ranks of a team.
/// Each rank is one image unless `gasnet_coll_init` was called with other numbers.
pub type gasnet_image_t = u32;
/// A team of ranks: created by gex_TM_Split or a similar call, or GASNET_TEAM_ALL, the primordial team.
pub type gasnet_team_handle_t = gex_TM_t;
/// A collective that was started; 0 is GASNET_COLL_INVALID_HANDLE, which counts as complete.
pub type gasnet_coll_handle_t = gex_Event_t;
/// An index into the table of reduction functions that was passed to `gasnet_coll_init`.
pub type gasnet_coll_fn_handle_t = i32;
/// A reduction function: `results[i] = left_operands[i] op right_operands[i]`, with equal numbers of operands on
/// both sides. Results never overlap operands. It may be called any number of times, by any thread of the rank that
/// polls.
pub type gasnet_coll_reduce_fn_t = Option<
    unsafe extern "C" fn(
        results: *mut c_void,
        result_count: usize,
        left_operands: *const c_void,
        left_count: usize,
        right_operands: *const c_void,
        elem_size: usize,
        flags: c_int,
        arg: c_int,
    ),
>;

/// An entry of the table of reduction functions.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct gasnet_coll_fn_entry_t {
    pub fnptr: gasnet_coll_reduce_fn_t,
    pub flags: c_uint,
}

/// The arguments of a collective, for `gasnet_coll_tune_generic_op`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct gasnet_coll_args_t {
    pub dst: *mut *mut u8,
    pub src: *mut *mut u8,
    pub rootimg: gasnet_image_t,
    pub src_blksz: usize,
    pub src_offset: usize,
    pub elem_size: usize,
    pub nbytes: usize,
    pub dist: usize,
    pub func: gasnet_coll_fn_handle_t,
    pub func_arg: c_int,
}

/// Initialises GASNet-1's collectives for several images per rank and for reductions. Called once by every image,
/// each on its own thread. Blocks until all images of the job have called it, and may run AM handlers. Without this
/// call each rank is one image, and there are no reduction functions.
///
/// `images` has the number of images of each rank, and is equal on all ranks; NULL means one image per rank, whose
/// calls may come from any thread. `my_image` is the number of the calling image; images are numbered consecutively
/// over the ranks. It is ignored if `images` is NULL. `fn_tbl` has the `fn_count` reduction functions, whose
/// addresses may differ between ranks. `init_flags` is 0.
///
/// Ends the job if a rank has no image, or in a GASNET_SEQ client more than one; if `my_image` is not an image of
/// this rank; if `fn_tbl` is NULL but `fn_count` is not 0; or if the arguments of ranks, or of images of one rank,
/// differ. Debug clients also end the job if an image calls it again, which has no effect in release clients, or if
/// `init_flags` is not 0.
///
/// Source: GASNet collectives, "Initialization".
///
/// # Safety
/// `images` is NULL or has one entry per rank; `fn_tbl` has `fn_count` entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_init(
    images: *const gasnet_image_t,
    my_image: gasnet_image_t,
    fn_tbl: *mut gasnet_coll_fn_entry_t,
    fn_count: usize,
    init_flags: c_int,
) {
    const CALL: &str = "gasnet_coll_init";
    let job = enter::job_to_wait(CALL);
    if fn_tbl.is_null() && fn_count > 0 {
        usage!(CALL, "fn_tbl is NULL, and fn_count {fn_count}");
    }
    if !job.settings.debug && job.images_have_begun() {
        return;
    }
    if job.settings.debug && init_flags != 0 {
        usage!(CALL, "init_flags {init_flags:#x} are not 0");
    }
    // SAFETY: the caller's promise above.
    let counts = (!images.is_null()).then(|| unsafe { slice::from_raw_parts(images, job.size as usize) });
    let functions = match fn_count {
        0 => Vec::new(),
        // SAFETY: as above.
        _ => unsafe { slice::from_raw_parts(fn_tbl, fn_count) }
            .iter()
            .map(|entry| Function { act: entry.fnptr, flags: entry.flags })
            .collect(),
    };
    job.images_begin(CALL, counts, my_image, functions);
}

/// GASNET_TEAM_ALL: the primordial team.
#[unsafe(no_mangle)]
pub extern "C" fn gasneti_team_all() -> gasnet_team_handle_t {
    team::primordial().map_or(core::ptr::null_mut(), enter::handle)
}

/// The handle; in debug clients it must belong to this thread.
fn of(job: &Job, call: &str, handle: gasnet_coll_handle_t) -> Handle {
    let handle = Handle(handle.addr());
    job.check_owner(call, handle);
    handle
}

/// # Safety
/// `handles` has `count` handles that no other thread accesses during the call.
unsafe fn list(call: &'static str, handles: *mut gasnet_coll_handle_t, count: usize) -> EventList {
    // SAFETY: the caller's promise.
    unsafe { EventList::new(enter::job_to_wait(call), call, handles, count) }.of_this_thread()
}

fn code(done: bool) -> c_int {
    if done { 0 } else { Error::NotReady.code() }
}

/// Waits until the collective of `handle` is complete, according to its sync flags, and releases the handle.
///
/// Blocks, and may run AM handlers; must not be called from a handler. Must be called by the thread that started
/// the collective.
///
/// Source: GASNet collectives, "Synchronization".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_coll_wait_sync(handle: gasnet_coll_handle_t) {
    const CALL: &str = "gasnet_coll_wait_sync";
    let job = enter::job_to_wait(CALL);
    job.wait(CALL, of(job, CALL, handle));
}

/// Returns GASNET_OK and releases the handle if the collective of `handle` is complete; else GASNET_ERR_NOT_READY.
/// Polls.
///
/// Source: GASNet collectives, "Synchronization".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_coll_try_sync(handle: gasnet_coll_handle_t) -> c_int {
    const CALL: &str = "gasnet_coll_try_sync";
    let job = enter::job_to_wait(CALL);
    job.poll_once();
    code(job.test(CALL, of(job, CALL, handle)))
}

/// Waits until all collectives of the list are complete. Their handles are released and overwritten by
/// GASNET_COLL_INVALID_HANDLE, which counts as complete.
///
/// Source: GASNet collectives, "Synchronization".
///
/// # Safety
/// `phandle` has `numhandles` handles that no other thread accesses until this call returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_wait_sync_all(phandle: *mut gasnet_coll_handle_t, numhandles: usize) {
    // SAFETY: the caller's promise above.
    unsafe { list("gasnet_coll_wait_sync_all", phandle, numhandles) }.wait_all();
}

/// Returns GASNET_OK if all collectives of the list are complete, else GASNET_ERR_NOT_READY. Handles of complete
/// collectives are released and overwritten by GASNET_COLL_INVALID_HANDLE. Polls.
///
/// Source: GASNet collectives, "Synchronization".
///
/// # Safety
/// As `gasnet_coll_wait_sync_all`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_try_sync_all(phandle: *mut gasnet_coll_handle_t, numhandles: usize) -> c_int {
    // SAFETY: the caller's promise above.
    let list = unsafe { list("gasnet_coll_try_sync_all", phandle, numhandles) };
    enter::job_to_wait("gasnet_coll_try_sync_all").poll_once();
    code(list.test_all())
}

/// Waits until at least one collective of the list is complete; returns at once if the list has no valid handle.
/// Handles of complete collectives are released and overwritten by GASNET_COLL_INVALID_HANDLE.
///
/// Source: GASNet collectives, "Synchronization".
///
/// # Safety
/// As `gasnet_coll_wait_sync_all`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_wait_sync_some(phandle: *mut gasnet_coll_handle_t, numhandles: usize) {
    // SAFETY: the caller's promise above.
    unsafe { list("gasnet_coll_wait_sync_some", phandle, numhandles) }.wait_some();
}

/// Returns GASNET_OK if at least one collective of the list is complete or the list has no valid handle, else
/// GASNET_ERR_NOT_READY. Handles of complete collectives are released and overwritten by
/// GASNET_COLL_INVALID_HANDLE. Polls.
///
/// Source: GASNet collectives, "Synchronization".
///
/// # Safety
/// As `gasnet_coll_wait_sync_all`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_try_sync_some(phandle: *mut gasnet_coll_handle_t, numhandles: usize) -> c_int {
    // SAFETY: the caller's promise above.
    let list = unsafe { list("gasnet_coll_try_sync_some", phandle, numhandles) };
    enter::job_to_wait("gasnet_coll_try_sync_some").poll_once();
    code(list.test_some())
}

/// Would search for the best algorithm for collective `op` over `team` with arguments `coll_args`. In this library
/// the algorithm is selected by size and location when a collective starts, so no measurement is made:
/// `*best_algidx` and `*num_params` become 0, `*best_param` and `*best_tree` NULL. Each of the four pointers may be
/// NULL.
///
/// # Safety
/// The last four pointers are NULL or writable.
#[allow(clippy::too_many_arguments)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_tune_generic_op(
    team: gasnet_team_handle_t,
    op: c_uint,
    coll_args: gasnet_coll_args_t,
    flags: c_int,
    fnptr: Option<unsafe extern "C" fn(arg: *mut c_void)>,
    sample_work_arg: *mut c_void,
    best_algidx: *mut u32,
    num_params: *mut u32,
    best_param: *mut *mut u32,
    best_tree: *mut *mut core::ffi::c_char,
) {
    let _ = (coll_args, flags, fnptr, sample_work_arg);
    const CALL: &str = "gasnet_coll_tune_generic_op";
    const OPTYPES: c_uint = 12;
    enter_coll(CALL, team);
    if op >= OPTYPES {
        usage!(CALL, "op {op} is not below GASNET_COLL_NUM_COLL_OPTYPES, {OPTYPES}");
    }
    // SAFETY: the caller's promise above.
    unsafe {
        if let Some(index) = best_algidx.as_mut() {
            *index = 0;
        }
        if let Some(count) = num_params.as_mut() {
            *count = 0;
        }
        if let Some(list) = best_param.as_mut() {
            *list = core::ptr::null_mut();
        }
        if let Some(tree) = best_tree.as_mut() {
            *tree = core::ptr::null_mut();
        }
    }
}
