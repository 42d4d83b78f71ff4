//! The C interface of GASNet-1's collectives, over any team. Every rank is one image.
//!
//! # Safety
//! Views are made of what the caller passes; each function says what the caller promises.
#![allow(unsafe_code)]
#![allow(non_camel_case_types)]

use core::ffi::{c_int, c_uint, c_void};

use crate::abi::coll::{check_buffer, check_root, enter_coll, event};
use crate::abi::enter;
use crate::abi::types::{gex_Event_t, gex_TM_t};
use crate::coll::shares::Shares;
use crate::coll::start::{AllSync, What};
use crate::event::Handle;
use crate::fatal::{Error, fatal, usage};
use crate::job::Job;
use crate::mem::{Dst, Src};
use crate::team::{self, Team};

/// A thread that takes part in collectives, numbered through the team: every rank is one.
pub type gasnet_image_t = u32;
/// A team of ranks: what gex_TM_Split and its like give, or GASNET_TEAM_ALL, the primordial one.
pub type gasnet_team_handle_t = gex_TM_t;
/// A collective that was started; 0 is GASNET_COLL_INVALID_HANDLE, one already complete.
pub type gasnet_coll_handle_t = gex_Event_t;
/// Index into the table of reduction functions given to `gasnet_coll_init`.
pub type gasnet_coll_fn_handle_t = i32;
/// A reduction: `results[i] = left[i] op right[i]`.
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

const IN_NOSYNC: c_int = 1;
const IN_MYSYNC: c_int = 2;
const IN_ALLSYNC: c_int = 4;
const OUT_NOSYNC: c_int = 8;
const OUT_MYSYNC: c_int = 16;
const OUT_ALLSYNC: c_int = 32;
const SINGLE: c_int = 64;
const LOCAL: c_int = 128;

/// Ends the job unless `flags` has exactly one of each group.
fn check_flags(call: &str, flags: c_int) {
    for (what, group) in [
        ("GASNET_COLL_IN_*SYNC", IN_NOSYNC | IN_MYSYNC | IN_ALLSYNC),
        ("GASNET_COLL_OUT_*SYNC", OUT_NOSYNC | OUT_MYSYNC | OUT_ALLSYNC),
        ("GASNET_COLL_LOCAL and GASNET_COLL_SINGLE", SINGLE | LOCAL),
    ] {
        let count = (flags & group).count_ones();
        if count != 1 {
            usage!(call, "flags {flags:#x} have {count} of {what}, of which there must be one");
        }
    }
}

/// What all have in common: the job, the team, and `what` of `call` on it.
struct Call {
    job: &'static Job,
    team: &'static Team,
    name: &'static str,
    flags: c_int,
}

impl Call {
    fn new(name: &'static str, team: gasnet_team_handle_t, flags: c_int) -> Call {
        let (job, team) = enter_coll(name, team);
        check_flags(name, flags);
        Call { job, team, name, flags }
    }

    /// `nbytes` for each member.
    fn blocks(&self, nbytes: usize) -> usize {
        match nbytes.checked_mul(self.team.size() as usize) {
            Some(all) => all,
            None => {
                usage!(self.name, "nbytes {nbytes} times {} members is more than an address space", self.team.size())
            }
        }
    }

    fn sync(&self) -> AllSync {
        AllSync { enter: self.flags & IN_ALLSYNC != 0, leave: self.flags & OUT_ALLSYNC != 0 }
    }

    fn start(self, what: What) -> gex_Event_t {
        event(self.job.coll_nb(self.team, what, self.sync()))
    }

    fn run(self, what: What) {
        self.job.coll_blocking(self.team, what, self.sync());
    }

    /// # Safety
    /// As `gasnet_coll_broadcast`.
    unsafe fn broadcast(&self, dst: *mut c_void, root: u32, src: *const c_void, nbytes: usize) -> What {
        check_root(self.name, "srcimage", self.team, root);
        check_buffer(self.name, "dst", dst, nbytes);
        if root == self.team.rank() {
            check_buffer(self.name, "src", src, nbytes);
        }
        // SAFETY: the caller's promise; `src` is looked at on the root only.
        let (dst, src) = unsafe { (Dst::new(dst, nbytes), Src::new(src, nbytes)) };
        What::Broadcast { root: root as usize, dst, src }
    }

    /// # Safety
    /// As `gasnet_coll_scatter`.
    unsafe fn scatter(&self, dst: *mut c_void, root: u32, src: *const c_void, nbytes: usize) -> What {
        check_root(self.name, "srcimage", self.team, root);
        check_buffer(self.name, "dst", dst, nbytes);
        let all = self.blocks(nbytes);
        if root == self.team.rank() {
            check_buffer(self.name, "src", src, all);
        }
        // SAFETY: the caller's promise; `src` is looked at on the root only.
        let (dst, src) = unsafe { (Dst::new(dst, nbytes), Src::new(src, all)) };
        What::Scatter { root: root as usize, shares: Shares::even(nbytes), dst, src }
    }

    /// # Safety
    /// As `gasnet_coll_gather`.
    unsafe fn gather(&self, root: u32, dst: *mut c_void, src: *const c_void, nbytes: usize) -> What {
        check_root(self.name, "dstimage", self.team, root);
        check_buffer(self.name, "src", src, nbytes);
        let all = self.blocks(nbytes);
        if root == self.team.rank() {
            check_buffer(self.name, "dst", dst, all);
        }
        // SAFETY: the caller's promise; `dst` is looked at on the root only.
        let (dst, src) = unsafe { (Dst::new(dst, all), Src::new(src, nbytes)) };
        What::Gather { root: root as usize, shares: Shares::even(nbytes), dst, src }
    }

    /// # Safety
    /// As `gasnet_coll_gather_all`.
    unsafe fn gather_all(&self, dst: *mut c_void, src: *const c_void, nbytes: usize) -> What {
        let all = self.blocks(nbytes);
        check_buffer(self.name, "src", src, nbytes);
        check_buffer(self.name, "dst", dst, all);
        // SAFETY: the caller's promise.
        let (dst, src) = unsafe { (Dst::new(dst, all), Src::new(src, nbytes)) };
        What::GatherAll { shares: Shares::even(nbytes), dst, src }
    }

    /// # Safety
    /// As `gasnet_coll_exchange`.
    unsafe fn exchange(&self, dst: *mut c_void, src: *const c_void, nbytes: usize) -> What {
        let all = self.blocks(nbytes);
        check_buffer(self.name, "src", src, all);
        check_buffer(self.name, "dst", dst, all);
        // SAFETY: the caller's promise.
        let (dst, src) = unsafe { (Dst::new(dst, all), Src::new(src, all)) };
        What::Exchange { shares: Shares::even(nbytes), dst, src }
    }
}

/// Makes GASNet-1's collectives usable. Called at most once, by every rank; blocks until all ranks have called it, and
/// may run AM handlers. Clients of GASNet-EX need not call it.
///
/// `images`: threads of each rank that take part, or NULL for one each; `my_image`: which of them calls. `fn_tbl` has
/// the `fn_count` reduction functions. Ends the job if a rank has more than one image.
///
/// Source: GASNet collectives, "Initialization".
///
/// # Safety
/// `images` is NULL or has one entry a rank.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_init(
    images: *const gasnet_image_t,
    my_image: gasnet_image_t,
    fn_tbl: *mut gasnet_coll_fn_entry_t,
    fn_count: usize,
    init_flags: c_int,
) {
    let _ = (my_image, fn_tbl, fn_count, init_flags);
    let job = enter::job_to_wait("gasnet_coll_init");
    if !images.is_null() {
        for rank in 0..job.size as usize {
            // SAFETY: the caller's promise above.
            let count = unsafe { *images.add(rank) };
            if count != 1 {
                fatal!("gasnet_coll_init: rank {rank} has {count} images; this version has one image a rank");
            }
        }
    }
    job.barrier_inside("gasnet_coll_init");
}

/// GASNET_TEAM_ALL: the primordial team.
#[unsafe(no_mangle)]
pub extern "C" fn gasneti_team_all() -> gasnet_team_handle_t {
    team::primordial().map_or(core::ptr::null_mut(), enter::handle)
}

/// Copies `nbytes` bytes at `src` of image `srcimage` to `dst` of every image of `team`. `src` matters on `srcimage` only,
/// where it may be `dst`.
///
/// Blocks, and may run AM handlers; must not be called from one, nor between barrier notify and wait. Called by all, in
/// the same order as their other collectives. `flags` has one of GASNET_COLL_IN_{NO,MY,ALL}SYNC, one of
/// GASNET_COLL_OUT_{NO,MY,ALL}SYNC, and GASNET_COLL_LOCAL or GASNET_COLL_SINGLE.
///
/// Source: GASNet collectives, "Broadcast".
///
/// # Safety
/// `dst`, and on `srcimage` `src`, have `nbytes` bytes that no one else touches as the sync flags say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_broadcast(
    team: gasnet_team_handle_t,
    dst: *mut c_void,
    srcimage: gasnet_image_t,
    src: *mut c_void,
    nbytes: usize,
    flags: c_int,
) {
    let call = Call::new("gasnet_coll_broadcast", team, flags);
    // SAFETY: the caller's promise above.
    let what = unsafe { call.broadcast(dst, srcimage, src, nbytes) };
    call.run(what);
}

/// Starts a `gasnet_coll_broadcast`; the handle is done when that would return.
///
/// Does not wait; may run AM handlers; must not be called from one.
///
/// Source: GASNet collectives, "Broadcast".
///
/// # Safety
/// As `gasnet_coll_broadcast`, until the handle is synchronised.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_broadcast_nb(
    team: gasnet_team_handle_t,
    dst: *mut c_void,
    srcimage: gasnet_image_t,
    src: *mut c_void,
    nbytes: usize,
    flags: c_int,
) -> gasnet_coll_handle_t {
    let call = Call::new("gasnet_coll_broadcast_nb", team, flags);
    // SAFETY: the caller's promise above.
    let what = unsafe { call.broadcast(dst, srcimage, src, nbytes) };
    call.start(what)
}

/// Copies block `i`, of `nbytes` bytes, of `src` of image `srcimage` to `dst` of image `i` of `team`. `src` matters on
/// `srcimage` only, whose own block may be `dst`.
///
/// Blocks, and may run AM handlers; must not be called from one, nor between barrier notify and wait. Called by all, in
/// the same order as their other collectives. `flags` has one of GASNET_COLL_IN_{NO,MY,ALL}SYNC, one of
/// GASNET_COLL_OUT_{NO,MY,ALL}SYNC, and GASNET_COLL_LOCAL or GASNET_COLL_SINGLE.
///
/// Source: GASNet collectives, "Scatter".
///
/// # Safety
/// `dst` has `nbytes` bytes, and on `srcimage` `src` as many for each image, that no one else touches as the sync flags say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_scatter(
    team: gasnet_team_handle_t,
    dst: *mut c_void,
    srcimage: gasnet_image_t,
    src: *mut c_void,
    nbytes: usize,
    flags: c_int,
) {
    let call = Call::new("gasnet_coll_scatter", team, flags);
    // SAFETY: the caller's promise above.
    let what = unsafe { call.scatter(dst, srcimage, src, nbytes) };
    call.run(what);
}

/// Starts a `gasnet_coll_scatter`; the handle is done when that would return.
///
/// Does not wait; may run AM handlers; must not be called from one.
///
/// Source: GASNet collectives, "Scatter".
///
/// # Safety
/// As `gasnet_coll_scatter`, until the handle is synchronised.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_scatter_nb(
    team: gasnet_team_handle_t,
    dst: *mut c_void,
    srcimage: gasnet_image_t,
    src: *mut c_void,
    nbytes: usize,
    flags: c_int,
) -> gasnet_coll_handle_t {
    let call = Call::new("gasnet_coll_scatter_nb", team, flags);
    // SAFETY: the caller's promise above.
    let what = unsafe { call.scatter(dst, srcimage, src, nbytes) };
    call.start(what)
}

/// Copies the `nbytes` bytes at `src` of image `i` of `team` to block `i` of `dst` of image `dstimage`. `dst` matters on
/// `dstimage` only, whose own block may be `src`.
///
/// Blocks, and may run AM handlers; must not be called from one, nor between barrier notify and wait. Called by all, in
/// the same order as their other collectives. `flags` has one of GASNET_COLL_IN_{NO,MY,ALL}SYNC, one of
/// GASNET_COLL_OUT_{NO,MY,ALL}SYNC, and GASNET_COLL_LOCAL or GASNET_COLL_SINGLE.
///
/// Source: GASNet collectives, "Gather".
///
/// # Safety
/// `src` has `nbytes` bytes, and on `dstimage` `dst` as many for each image, that no one else touches as the sync flags say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_gather(
    team: gasnet_team_handle_t,
    dstimage: gasnet_image_t,
    dst: *mut c_void,
    src: *mut c_void,
    nbytes: usize,
    flags: c_int,
) {
    let call = Call::new("gasnet_coll_gather", team, flags);
    // SAFETY: the caller's promise above.
    let what = unsafe { call.gather(dstimage, dst, src, nbytes) };
    call.run(what);
}

/// Starts a `gasnet_coll_gather`; the handle is done when that would return.
///
/// Does not wait; may run AM handlers; must not be called from one.
///
/// Source: GASNet collectives, "Gather".
///
/// # Safety
/// As `gasnet_coll_gather`, until the handle is synchronised.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_gather_nb(
    team: gasnet_team_handle_t,
    dstimage: gasnet_image_t,
    dst: *mut c_void,
    src: *mut c_void,
    nbytes: usize,
    flags: c_int,
) -> gasnet_coll_handle_t {
    let call = Call::new("gasnet_coll_gather_nb", team, flags);
    // SAFETY: the caller's promise above.
    let what = unsafe { call.gather(dstimage, dst, src, nbytes) };
    call.start(what)
}

/// Copies the `nbytes` bytes at `src` of image `i` of `team` to block `i` of `dst` of every image. One's own block may be
/// `src`.
///
/// Blocks, and may run AM handlers; must not be called from one, nor between barrier notify and wait. Called by all, in
/// the same order as their other collectives. `flags` has one of GASNET_COLL_IN_{NO,MY,ALL}SYNC, one of
/// GASNET_COLL_OUT_{NO,MY,ALL}SYNC, and GASNET_COLL_LOCAL or GASNET_COLL_SINGLE.
///
/// Source: GASNet collectives, "Gather all".
///
/// # Safety
/// `src` has `nbytes` bytes, and `dst` as many for each image, that no one else touches as the sync flags say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_gather_all(
    team: gasnet_team_handle_t,
    dst: *mut c_void,
    src: *mut c_void,
    nbytes: usize,
    flags: c_int,
) {
    let call = Call::new("gasnet_coll_gather_all", team, flags);
    // SAFETY: the caller's promise above.
    let what = unsafe { call.gather_all(dst, src, nbytes) };
    call.run(what);
}

/// Starts a `gasnet_coll_gather_all`; the handle is done when that would return.
///
/// Does not wait; may run AM handlers; must not be called from one.
///
/// Source: GASNet collectives, "Gather all".
///
/// # Safety
/// As `gasnet_coll_gather_all`, until the handle is synchronised.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_gather_all_nb(
    team: gasnet_team_handle_t,
    dst: *mut c_void,
    src: *mut c_void,
    nbytes: usize,
    flags: c_int,
) -> gasnet_coll_handle_t {
    let call = Call::new("gasnet_coll_gather_all_nb", team, flags);
    // SAFETY: the caller's promise above.
    let what = unsafe { call.gather_all(dst, src, nbytes) };
    call.start(what)
}

/// Copies block `j`, of `nbytes` bytes, of `src` of image `i` of `team` to block `i` of `dst` of image `j`. The two do not
/// overlap.
///
/// Blocks, and may run AM handlers; must not be called from one, nor between barrier notify and wait. Called by all, in
/// the same order as their other collectives. `flags` has one of GASNET_COLL_IN_{NO,MY,ALL}SYNC, one of
/// GASNET_COLL_OUT_{NO,MY,ALL}SYNC, and GASNET_COLL_LOCAL or GASNET_COLL_SINGLE.
///
/// Source: GASNet collectives, "Exchange".
///
/// # Safety
/// `src` and `dst` have `nbytes` bytes for each image that no one else touches as the sync flags say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_exchange(
    team: gasnet_team_handle_t,
    dst: *mut c_void,
    src: *mut c_void,
    nbytes: usize,
    flags: c_int,
) {
    let call = Call::new("gasnet_coll_exchange", team, flags);
    // SAFETY: the caller's promise above.
    let what = unsafe { call.exchange(dst, src, nbytes) };
    call.run(what);
}

/// Starts a `gasnet_coll_exchange`; the handle is done when that would return.
///
/// Does not wait; may run AM handlers; must not be called from one.
///
/// Source: GASNet collectives, "Exchange".
///
/// # Safety
/// As `gasnet_coll_exchange`, until the handle is synchronised.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_coll_exchange_nb(
    team: gasnet_team_handle_t,
    dst: *mut c_void,
    src: *mut c_void,
    nbytes: usize,
    flags: c_int,
) -> gasnet_coll_handle_t {
    let call = Call::new("gasnet_coll_exchange_nb", team, flags);
    // SAFETY: the caller's promise above.
    let what = unsafe { call.exchange(dst, src, nbytes) };
    call.start(what)
}

/// Waits until the collective of `handle` is complete. Blocks, and may run AM handlers.
///
/// Source: GASNet collectives, "Synchronization".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_coll_wait_sync(handle: gasnet_coll_handle_t) {
    const CALL: &str = "gasnet_coll_wait_sync";
    enter::job_to_wait(CALL).wait(CALL, Handle(handle.addr()));
}

/// GASNET_OK if the collective of `handle` is complete, which synchronises it; else GASNET_ERR_NOT_READY. Polls.
///
/// Source: GASNet collectives, "Synchronization".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_coll_try_sync(handle: gasnet_coll_handle_t) -> c_int {
    const CALL: &str = "gasnet_coll_try_sync";
    let job = enter::job_to_wait(CALL);
    job.poll_once();
    if job.test(CALL, Handle(handle.addr())) { 0 } else { Error::NotReady.code() }
}
