//! The C interface of barriers.
#![allow(unsafe_code)]

use core::ffi::c_int;

use crate::abi::enter;
use crate::barrier::{self, Names, Outcome};
use crate::fatal::Error;

pub(super) fn code(outcome: Outcome) -> c_int {
    match outcome {
        Outcome::Match => 0,
        Outcome::Mismatch => Error::BarrierMismatch.code(),
    }
}

/// What `gasnet_barrier_result` returns, and the id if it is 0.
pub(super) fn result(names: Names) -> (c_int, Option<c_int>) {
    match names {
        Names::Named(id) => (0, Some(id)),
        Names::Anonymous => (barrier::ANONYMOUS, None),
        Names::Mismatch => (barrier::MISMATCH, None),
    }
}

/// This rank has come to the barrier of all ranks.
///
/// `id` is the barrier's name, unless `flags` has GASNET_BARRIERFLAG_ANONYMOUS; GASNET_BARRIERFLAG_MISMATCH makes every
/// rank see a mismatch. Does not wait. Orders no operations that were started and not synchronised.
/// Ends the job if the barrier before it was not waited for.
///
/// Source: GASNet 1.8, "Barriers".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_barrier_notify(id: c_int, flags: c_int) {
    enter::job_to_wait("gasnet_barrier_notify").barrier_notify("gasnet_barrier_notify", id, flags);
}

/// Waits until every rank has come to the barrier that this one notified.
///
/// Blocks, and may run AM handlers; must not be called from one. By one thread a rank, not necessarily the one that
/// notified. `id` and `flags` should be those of the notify; a named wait may follow an anonymous notify and the reverse.
///
/// Returns GASNET_OK, or GASNET_ERR_BARRIER_MISMATCH if names differ or some rank asked for a mismatch; the next
/// barrier works in either case. Ends the job if no barrier was notified.
///
/// Source: GASNet 1.8, "Barriers".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_barrier_wait(id: c_int, flags: c_int) -> c_int {
    code(enter::job_to_wait("gasnet_barrier_wait").barrier_wait("gasnet_barrier_wait", id, flags))
}

/// As `gasnet_barrier_wait`, but without waiting.
///
/// Polls once, so may run AM handlers; must not be called from one.
///
/// Returns GASNET_ERR_NOT_READY, and the barrier is still to be waited for, if some rank has not come; else
/// as `gasnet_barrier_wait`.
///
/// Source: GASNet 1.8, "Barriers".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_barrier_try(id: c_int, flags: c_int) -> c_int {
    match enter::job_to_wait("gasnet_barrier_try").barrier_try("gasnet_barrier_try", id, flags) {
        Some(outcome) => code(outcome),
        None => Error::NotReady.code(),
    }
}

/// Notify and wait in one.
///
/// Blocks, and may run AM handlers; must not be called from one, nor between notify and wait.
///
/// Returns as `gasnet_barrier_wait`. An extension.
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_barrier(id: c_int, flags: c_int) -> c_int {
    let job = enter::job_to_wait("gasnet_barrier");
    job.barrier_notify("gasnet_barrier", id, flags);
    code(job.barrier_wait("gasnet_barrier", id, flags))
}

/// What the ranks agreed on in the barrier completed last. Not between notify and wait.
///
/// Returns 0 and stores the name in `*id` if some rank gave one and all who did gave the same; else nonzero:
/// GASNET_BARRIERFLAG_ANONYMOUS if nobody did, GASNET_BARRIERFLAG_MISMATCH if they differ. An extension.
///
/// # Safety
/// `id` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_barrier_result(id: *mut c_int) -> c_int {
    let (code, name) = result(enter::job_for("gasnet_barrier_result", true).barrier_result("gasnet_barrier_result"));
    if let Some(name) = name {
        // SAFETY: the caller's promise above.
        unsafe { id.write(name) };
    }
    code
}
