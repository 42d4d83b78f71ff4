//! The C interface of barriers.
//!
//! # Safety
//! As each function says: C callers keep its contract.
#![allow(unsafe_code)]

use core::ffi::c_int;

use crate::abi::enter;
use crate::barrier::{self, Names, Outcome};
use crate::fatal::Error;
use crate::job::Job;
use crate::trace::{self, Span};

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

/// The job, for a call of a barrier that is named so.
fn enter_named(call: &str, id: c_int, flags: c_int) -> (&'static Job, Span) {
    let job = enter::job_to_wait(call);
    let mut span = Span::OFF;
    if job.settings.watched {
        span = trace::span(call);
        if flags & barrier::ANONYMOUS == 0 {
            span.number("id", id.into());
        }
    }
    (job, span)
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
    const CALL: &str = "gasnet_barrier_notify";
    let (job, _span) = enter_named(CALL, id, flags);
    trace::barrier_notified();
    job.barrier_notify(CALL, id, flags);
}

/// Waits until every rank has come to the barrier that this one notified.
///
/// Blocks, and may run AM handlers; must not be called from one. By one thread a rank, not necessarily the one that
/// notified. `id` and `flags` should be those of the notify; a named wait may follow an anonymous notify and the reverse.
///
/// Returns GASNET_OK, or GASNET_ERR_BARRIER_MISMATCH if names differ or some rank asked for a mismatch; the next
/// barrier works in either case. If no barrier was notified, returns at once the outcome of the last one; a debug
/// client's job ends with a line that says so.
///
/// Source: GASNet 1.8, "Barriers".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_barrier_wait(id: c_int, flags: c_int) -> c_int {
    const CALL: &str = "gasnet_barrier_wait";
    let (job, _span) = enter_named(CALL, id, flags);
    let outcome = job.barrier_wait(CALL, id, flags);
    trace::barrier_passed();
    code(outcome)
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
    const CALL: &str = "gasnet_barrier_try";
    let (job, mut span) = enter_named(CALL, id, flags);
    let outcome = job.barrier_try(CALL, id, flags);
    span.saw(outcome.is_some());
    match outcome {
        Some(outcome) => {
            trace::barrier_passed();
            code(outcome)
        }
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
    const CALL: &str = "gasnet_barrier";
    let (job, _span) = enter_named(CALL, id, flags);
    trace::barrier_notified();
    job.barrier_notify(CALL, id, flags);
    let outcome = job.barrier_wait(CALL, id, flags);
    trace::barrier_passed();
    code(outcome)
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
