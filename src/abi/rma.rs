//! The C interface of put, get, value and memset.
//! # Safety
//! Views are made of the caller's arguments; each function states the caller's promise.
#![allow(unsafe_code)]

use core::ffi::{c_int, c_void};

use crate::abi::enter;
use crate::abi::event::gasnet_valget_handle_t;
use crate::abi::types::{gasnet_handle_t, gasnet_node_t, gasnet_register_value_t};
use crate::defs::rank::{JobRank, Location};
use crate::event::Handle;
use crate::fatal::usage;
use crate::job::Job;
use crate::mem::{Dst, RemoteAddr, Src};
use crate::rma::{Local, Track};
use crate::settings::SegmentMode;
use crate::trace::{self, Span};

/// The alignment that a form requires: none (bulk forms), or that of an object of the size.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Align {
    Any,
    Object,
}

/// Common entry of the functions in this file: returns the job and the target, with the checks of debug clients.
#[inline]
fn enter(
    call: &'static str,
    node: gasnet_node_t,
    there: *const c_void,
    here: *const c_void,
    nbytes: usize,
    align: Align,
) -> (&'static Job, Location, RemoteAddr, Span) {
    let (job, at) = (enter::job_named(call), RemoteAddr(there.expose_provenance()));
    let span = if job.settings.watched { watch(job, call, node, at, here, nbytes, align) } else { Span::off() };
    enter::remember(job, call);
    (job, Location { rank: JobRank(node), ep: 0 }, at, span)
}

/// As [`enter`] for a value, whose size is always checked.
#[inline]
fn enter_value(
    call: &'static str,
    node: gasnet_node_t,
    there: *const c_void,
    nbytes: usize,
) -> (&'static Job, Location, RemoteAddr, Span) {
    if nbytes.wrapping_sub(1) >= size_of::<gasnet_register_value_t>() {
        usage!(
            call,
            "nbytes {nbytes} is not the size of a register value, 1 to {}",
            size_of::<gasnet_register_value_t>()
        );
    }
    enter(call, node, there, there, nbytes, Align::Object)
}

#[cold]
fn watch(
    job: &Job,
    call: &str,
    node: gasnet_node_t,
    there: RemoteAddr,
    here: *const c_void,
    nbytes: usize,
    align: Align,
) -> Span {
    if job.settings.debug {
        check(call, node, there, here, nbytes, align);
    }
    if here.addr() != there.0 && (call.contains("put") || call.contains("Put")) {
        // SAFETY: the caller's promise of a put's source, which `here` is.
        trace::carries(call, node, &[], unsafe { Src::new(here, nbytes) });
    }
    trace::span_to(call, node, nbytes)
}

fn check(call: &str, node: gasnet_node_t, there: RemoteAddr, here: *const c_void, nbytes: usize, align: Align) {
    let job = enter::job_for(call, true);
    enter::check_may_communicate(job, call);
    let to = enter::rank(job, call, node);
    if nbytes > 0 && here.is_null() {
        usage!(call, "the local address of {nbytes} bytes is NULL");
    }
    if job.settings.segment != SegmentMode::Everything {
        enter::check_range(job, call, to, there, nbytes);
    }
    let aligned = |addr: usize| addr % nbytes == 0;
    if align == Align::Object && matches!(nbytes, 2 | 4 | 8) && !(aligned(there.0) && aligned(here.addr())) {
        usage!(
            call,
            "{:#x} on node {node} and {here:p} here are not both aligned for an object of {nbytes} bytes; the bulk form takes any",
            there.0
        );
    }
}

fn to_c(handle: Handle) -> gasnet_handle_t {
    core::ptr::with_exposed_provenance_mut(handle.0)
}

/// Copies `nbytes` bytes from `src` here to `dest` on `node`, and waits; both aligned for an object of `nbytes`.
///
/// On return `src` may be reused and the target sees the bytes. Blocks, and may run AM handlers; must not be called
/// from a handler. If `nbytes` is 0, the call has no effect. Debug clients: ends the job if `dest` is outside the
/// target's segment.
///
/// Source: GASNet 1.8, "Blocking memory-to-memory transfers".
///
/// # Safety
/// `src` has `nbytes` readable bytes that no thread writes until return; `dest` lies in `node`'s segment.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_put(node: gasnet_node_t, dest: *mut c_void, src: *mut c_void, nbytes: usize) {
    let (job, to, at, _span) = enter("gasnet_put", node, dest, src, nbytes, Align::Object);
    // SAFETY: the caller's promise above.
    let src = unsafe { Src::new(src, nbytes) };
    job.put_blocking(to, at, src);
}

/// Copies `nbytes` bytes from `src` on `node` to `dest` here, and waits; both aligned for an object of `nbytes`.
///
/// Blocks, and may run AM handlers; must not be called from a handler. If `nbytes` is 0, the call has no effect.
/// Debug clients: ends the job if `src` is outside the target's segment.
///
/// Source: GASNet 1.8, "Blocking memory-to-memory transfers".
///
/// # Safety
/// `dest` has `nbytes` writable bytes that no other thread or operation accesses until return; `src` lies in
/// `node`'s segment.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_get(dest: *mut c_void, node: gasnet_node_t, src: *mut c_void, nbytes: usize) {
    let (job, from, at, _span) = enter("gasnet_get", node, src, dest, nbytes, Align::Object);
    // SAFETY: the caller's promise above.
    let dest = unsafe { Dst::new(dest, nbytes) };
    job.get_blocking(dest, from, at);
}

/// Copies `nbytes` bytes from `src` here to `dest` on `node`, and waits; any alignment.
///
/// On return `src` may be reused and the target sees the bytes. Blocks, and may run AM handlers; must not be called
/// from a handler. If `nbytes` is 0, the call has no effect. Debug clients: ends the job if `dest` is outside the
/// target's segment.
///
/// Source: GASNet 1.8, "Blocking memory-to-memory transfers".
///
/// # Safety
/// `src` has `nbytes` readable bytes that no thread writes until return; `dest` lies in `node`'s segment.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_put_bulk(node: gasnet_node_t, dest: *mut c_void, src: *mut c_void, nbytes: usize) {
    let (job, to, at, _span) = enter("gasnet_put_bulk", node, dest, src, nbytes, Align::Any);
    // SAFETY: the caller's promise above.
    let src = unsafe { Src::new(src, nbytes) };
    job.put_blocking(to, at, src);
}

/// Copies `nbytes` bytes from `src` on `node` to `dest` here, and waits; any alignment.
///
/// Blocks, and may run AM handlers; must not be called from a handler. If `nbytes` is 0, the call has no effect.
/// Debug clients: ends the job if `src` is outside the target's segment.
///
/// Source: GASNet 1.8, "Blocking memory-to-memory transfers".
///
/// # Safety
/// `dest` has `nbytes` writable bytes that no other thread or operation accesses until return; `src` lies in
/// `node`'s segment.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_get_bulk(dest: *mut c_void, node: gasnet_node_t, src: *mut c_void, nbytes: usize) {
    let (job, from, at, _span) = enter("gasnet_get_bulk", node, src, dest, nbytes, Align::Any);
    // SAFETY: the caller's promise above.
    let dest = unsafe { Dst::new(dest, nbytes) };
    job.get_blocking(dest, from, at);
}

/// Starts to copy `nbytes` bytes from `src` here to `dest` on `node`; both aligned for an object of `nbytes`.
///
/// On return `src` may be reused. The target sees the bytes once the handle is synchronised.
///
/// Returns a handle, to be synchronised once by this thread; GASNET_INVALID_HANDLE if already complete.
/// Debug clients: ends the job if `dest` is outside the target's segment.
///
/// Source: GASNet 1.8, "Non-blocking transfers (explicit handle)".
///
/// # Safety
/// `src` has `nbytes` readable bytes that no thread writes until return; `dest` lies in `node`'s segment.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_put_nb(
    node: gasnet_node_t,
    dest: *mut c_void,
    src: *mut c_void,
    nbytes: usize,
) -> gasnet_handle_t {
    let (job, to, at, _span) = enter("gasnet_put_nb", node, dest, src, nbytes, Align::Object);
    // SAFETY: the caller's promise above.
    let src = unsafe { Src::new(src, nbytes) };
    to_c(job.put_start(Track::Explicit, to, at, src, Local::Now))
}

/// Starts to copy `nbytes` bytes from `src` on `node` to `dest` here; both aligned for an object of `nbytes`.
///
/// `dest` is undefined until the handle is synchronised.
///
/// Returns a handle, to be synchronised once by this thread; GASNET_INVALID_HANDLE if already complete.
/// Debug clients: ends the job if `src` is outside the target's segment.
///
/// Source: GASNet 1.8, "Non-blocking transfers (explicit handle)".
///
/// # Safety
/// `dest` has `nbytes` writable bytes that no other thread or operation accesses until synchronised; `src` lies in
/// `node`'s segment.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_get_nb(
    dest: *mut c_void,
    node: gasnet_node_t,
    src: *mut c_void,
    nbytes: usize,
) -> gasnet_handle_t {
    let (job, from, at, _span) = enter("gasnet_get_nb", node, src, dest, nbytes, Align::Object);
    // SAFETY: the caller's promise above.
    let dest = unsafe { Dst::new(dest, nbytes) };
    to_c(job.get_start(Track::Explicit, dest, from, at))
}

/// Starts to copy `nbytes` bytes from `src` here to `dest` on `node`; any alignment.
///
/// `src` must not be changed until the handle is synchronised. The target sees the bytes once the handle is
/// synchronised.
///
/// Returns a handle, to be synchronised once by this thread; GASNET_INVALID_HANDLE if already complete.
/// Debug clients: ends the job if `dest` is outside the target's segment.
///
/// Source: GASNet 1.8, "Non-blocking transfers (explicit handle)".
///
/// # Safety
/// `src` has `nbytes` readable bytes that no thread writes until synchronised; `dest` lies in `node`'s segment.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_put_nb_bulk(
    node: gasnet_node_t,
    dest: *mut c_void,
    src: *mut c_void,
    nbytes: usize,
) -> gasnet_handle_t {
    let (job, to, at, _span) = enter("gasnet_put_nb_bulk", node, dest, src, nbytes, Align::Any);
    // SAFETY: the caller's promise above.
    let src = unsafe { Src::new(src, nbytes) };
    to_c(job.put_start(Track::Explicit, to, at, src, Local::Defer))
}

/// Starts to copy `nbytes` bytes from `src` on `node` to `dest` here; any alignment.
///
/// `dest` is undefined until the handle is synchronised.
///
/// Returns a handle, to be synchronised once by this thread; GASNET_INVALID_HANDLE if already complete.
/// Debug clients: ends the job if `src` is outside the target's segment.
///
/// Source: GASNet 1.8, "Non-blocking transfers (explicit handle)".
///
/// # Safety
/// `dest` has `nbytes` writable bytes that no other thread or operation accesses until synchronised; `src` lies in
/// `node`'s segment.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_get_nb_bulk(
    dest: *mut c_void,
    node: gasnet_node_t,
    src: *mut c_void,
    nbytes: usize,
) -> gasnet_handle_t {
    let (job, from, at, _span) = enter("gasnet_get_nb_bulk", node, src, dest, nbytes, Align::Any);
    // SAFETY: the caller's promise above.
    let dest = unsafe { Dst::new(dest, nbytes) };
    to_c(job.get_start(Track::Explicit, dest, from, at))
}

/// Starts to copy `nbytes` bytes from `src` here to `dest` on `node`, without a handle; both aligned for an object of `nbytes`.
///
/// On return `src` may be reused. The target sees the bytes once the thread's
/// implicit puts, or the access region that is open now, are synchronised.
/// Debug clients: ends the job if `dest` is outside the target's segment.
///
/// Source: GASNet 1.8, "Non-blocking transfers (implicit handle)".
///
/// # Safety
/// `src` has `nbytes` readable bytes that no thread writes until return; `dest` lies in `node`'s segment.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_put_nbi(node: gasnet_node_t, dest: *mut c_void, src: *mut c_void, nbytes: usize) {
    let (job, to, at, _span) = enter("gasnet_put_nbi", node, dest, src, nbytes, Align::Object);
    // SAFETY: the caller's promise above.
    let src = unsafe { Src::new(src, nbytes) };
    job.put_start(Track::Implicit, to, at, src, Local::Now);
}

/// Starts to copy `nbytes` bytes from `src` on `node` to `dest` here, without a handle; both aligned for an object of `nbytes`.
///
/// `dest` is undefined until the thread's implicit gets, or the access region that is open now, are synchronised.
/// Debug clients: ends the job if `src` is outside the target's segment.
///
/// Source: GASNet 1.8, "Non-blocking transfers (implicit handle)".
///
/// # Safety
/// `dest` has `nbytes` writable bytes that no other thread or operation accesses until synchronised; `src` lies in
/// `node`'s segment.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_get_nbi(dest: *mut c_void, node: gasnet_node_t, src: *mut c_void, nbytes: usize) {
    let (job, from, at, _span) = enter("gasnet_get_nbi", node, src, dest, nbytes, Align::Object);
    // SAFETY: the caller's promise above.
    let dest = unsafe { Dst::new(dest, nbytes) };
    job.get_start(Track::Implicit, dest, from, at);
}

/// Starts to copy `nbytes` bytes from `src` here to `dest` on `node`, without a handle; any alignment.
///
/// `src` must not be changed until the thread's implicit puts are synchronised. The target sees the bytes once the
/// thread's implicit puts, or the access region that is open now, are synchronised. Debug clients: ends the job if
/// `dest` is outside the target's segment.
///
/// Source: GASNet 1.8, "Non-blocking transfers (implicit handle)".
///
/// # Safety
/// `src` has `nbytes` readable bytes that no thread writes until synchronised; `dest` lies in `node`'s segment.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_put_nbi_bulk(node: gasnet_node_t, dest: *mut c_void, src: *mut c_void, nbytes: usize) {
    let (job, to, at, _span) = enter("gasnet_put_nbi_bulk", node, dest, src, nbytes, Align::Any);
    // SAFETY: the caller's promise above.
    let src = unsafe { Src::new(src, nbytes) };
    job.put_start(Track::Implicit, to, at, src, Local::Defer);
}

/// Starts to copy `nbytes` bytes from `src` on `node` to `dest` here, without a handle; any alignment.
///
/// `dest` is undefined until the thread's implicit gets, or the access region that is open now, are synchronised.
/// Debug clients: ends the job if `src` is outside the target's segment.
///
/// Source: GASNet 1.8, "Non-blocking transfers (implicit handle)".
///
/// # Safety
/// `dest` has `nbytes` writable bytes that no other thread or operation accesses until synchronised; `src` lies in
/// `node`'s segment.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_get_nbi_bulk(dest: *mut c_void, node: gasnet_node_t, src: *mut c_void, nbytes: usize) {
    let (job, from, at, _span) = enter("gasnet_get_nbi_bulk", node, src, dest, nbytes, Align::Any);
    // SAFETY: the caller's promise above.
    let dest = unsafe { Dst::new(dest, nbytes) };
    job.get_start(Track::Implicit, dest, from, at);
}

/// Sets `nbytes` bytes at `dest` on `node` to the low byte of `val`, and waits.
///
/// Blocks, and may run AM handlers; must not be called from a handler.
/// Debug clients: ends the job if `dest` is outside the target's segment.
///
/// Source: GASNet 1.8, "Blocking memory-to-memory transfers".
///
/// # Safety
/// `dest..dest + nbytes` lies in `node`'s segment.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_memset(node: gasnet_node_t, dest: *mut c_void, val: c_int, nbytes: usize) {
    let (job, to, at, _span) = enter("gasnet_memset", node, dest, dest, nbytes, Align::Any);
    job.memset_blocking(to, at, val as u8, nbytes);
}

/// Starts to set `nbytes` bytes at `dest` on `node` to the low byte of `val`.
///
/// Returns a handle, to be synchronised once by this thread; GASNET_INVALID_HANDLE if already complete.
/// Debug clients: ends the job if `dest` is outside the target's segment.
///
/// Source: GASNet 1.8, "Non-blocking transfers (explicit handle)".
///
/// # Safety
/// `dest..dest + nbytes` lies in `node`'s segment.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_memset_nb(
    node: gasnet_node_t,
    dest: *mut c_void,
    val: c_int,
    nbytes: usize,
) -> gasnet_handle_t {
    let (job, to, at, _span) = enter("gasnet_memset_nb", node, dest, dest, nbytes, Align::Any);
    to_c(job.memset_start(Track::Explicit, to, at, val as u8, nbytes))
}

/// Starts to set `nbytes` bytes at `dest` on `node` to the low byte of `val`, without a handle.
///
/// Synchronised like an implicit put.
/// Debug clients: ends the job if `dest` is outside the target's segment.
///
/// Source: GASNet 1.8, "Non-blocking transfers (implicit handle)".
///
/// # Safety
/// `dest..dest + nbytes` lies in `node`'s segment.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_memset_nbi(node: gasnet_node_t, dest: *mut c_void, val: c_int, nbytes: usize) {
    let (job, to, at, _span) = enter("gasnet_memset_nbi", node, dest, dest, nbytes, Align::Any);
    job.memset_start(Track::Implicit, to, at, val as u8, nbytes);
}

/// Writes the low `nbytes` bytes of `value` to `dest` on `node`, and waits.
///
/// `nbytes` is 1 to SIZEOF_GASNET_REGISTER_VALUE_T; `dest` is aligned for it. Blocks, and may run AM handlers; must
/// not be called from a handler. Ends the job if `nbytes` is out of range; debug clients: if `dest` is outside the
/// target's segment.
///
/// Source: GASNet 1.8, "Value Put".
///
/// # Safety
/// `dest..dest + nbytes` lies in `node`'s segment.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_put_val(
    node: gasnet_node_t,
    dest: *mut c_void,
    value: gasnet_register_value_t,
    nbytes: usize,
) {
    let (job, to, at, _span) = enter_value("gasnet_put_val", node, dest, nbytes);
    job.put_value(to, at, value, nbytes);
}

/// Starts to write the low `nbytes` bytes of `value` to `dest` on `node`.
///
/// `nbytes` is 1 to SIZEOF_GASNET_REGISTER_VALUE_T; `dest` is aligned for it. Returns a handle, to be synchronised once by this thread; GASNET_INVALID_HANDLE if already complete.
/// Ends the job if `nbytes` is out of range; debug clients: if `dest` is outside the target's segment.
///
/// Source: GASNet 1.8, "Value Put".
///
/// # Safety
/// `dest..dest + nbytes` lies in `node`'s segment.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_put_nb_val(
    node: gasnet_node_t,
    dest: *mut c_void,
    value: gasnet_register_value_t,
    nbytes: usize,
) -> gasnet_handle_t {
    let (job, to, at, _span) = enter_value("gasnet_put_nb_val", node, dest, nbytes);
    to_c(job.put_value_start(Track::Explicit, to, at, value, nbytes))
}

/// Starts to write the low `nbytes` bytes of `value` to `dest` on `node`, without a handle.
///
/// `nbytes` is 1 to SIZEOF_GASNET_REGISTER_VALUE_T; `dest` is aligned for it. Synchronised like any implicit put.
/// Ends the job if `nbytes` is out of range; debug clients: if `dest` is outside the target's segment.
///
/// Source: GASNet 1.8, "Value Put".
///
/// # Safety
/// `dest..dest + nbytes` lies in `node`'s segment.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_put_nbi_val(
    node: gasnet_node_t,
    dest: *mut c_void,
    value: gasnet_register_value_t,
    nbytes: usize,
) {
    let (job, to, at, _span) = enter_value("gasnet_put_nbi_val", node, dest, nbytes);
    job.put_value_start(Track::Implicit, to, at, value, nbytes);
}

/// Returns the `nbytes` bytes at `src` on `node`, zero-extended.
///
/// `nbytes` is 1 to SIZEOF_GASNET_REGISTER_VALUE_T; `src` is aligned for it. Blocks, and may run AM handlers; must
/// not be called from a handler. Ends the job if `nbytes` is out of range; debug clients: if `src` is outside the
/// target's segment.
///
/// Source: GASNet 1.8, "Blocking Value Get".
///
/// # Safety
/// `src..src + nbytes` lies in `node`'s segment.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_get_val(
    node: gasnet_node_t,
    src: *mut c_void,
    nbytes: usize,
) -> gasnet_register_value_t {
    let (job, from, at, _span) = enter_value("gasnet_get_val", node, src, nbytes);
    job.get_value(from, at, nbytes)
}

/// Starts to get the `nbytes` bytes at `src` on `node`.
///
/// `nbytes` is 1 to SIZEOF_GASNET_REGISTER_VALUE_T; `src` is aligned for it.
///
/// Returns a handle to be passed once, by this thread, to `gasnet_wait_syncnb_valget`, which returns the value;
/// there is no invalid handle of this type. Ends the job if `nbytes` is out of range; debug clients: if `src` is
/// outside the target's segment.
///
/// Source: GASNet 1.8, "Non-Blocking Value Get (explicit-handle)".
///
/// # Safety
/// `src..src + nbytes` lies in `node`'s segment.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_get_nb_val(
    node: gasnet_node_t,
    src: *mut c_void,
    nbytes: usize,
) -> gasnet_valget_handle_t {
    let (job, from, at, _span) = enter_value("gasnet_get_nb_val", node, src, nbytes);
    core::ptr::with_exposed_provenance_mut(job.get_value_start(from, at, nbytes).0)
}
