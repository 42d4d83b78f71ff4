//! The C interface of barriers.
//!
//! # Safety
//! C callers keep the contract of each function.
#![allow(unsafe_code)]

use core::ffi::c_int;

use crate::abi::enter;
use crate::barrier::names;
use crate::barrier::names::{Names, Outcome};
use crate::fatal::Error;
use crate::job::Job;
use crate::trace::{self, Span};

pub(super) fn code(outcome: Outcome) -> c_int {
    match outcome {
        Outcome::Match => 0,
        Outcome::Mismatch => Error::BarrierMismatch.code(),
    }
}

/// The return value of `gasnet_barrier_result`, and the id if that is 0.
pub(super) fn result(names: Names) -> (c_int, Option<c_int>) {
    match names {
        Names::Named(id) => (0, Some(id)),
        Names::Anonymous => (names::ANONYMOUS, None),
        Names::Mismatch => (names::MISMATCH, None),
    }
}

/// The job, for a call of a barrier that is named so.
fn enter_named(call: &str, id: c_int, flags: c_int) -> (&'static Job, Span) {
    let job = enter::job_to_wait(call);
    let mut span = Span::off();
    if job.settings.watched {
        span = trace::span(call);
        if flags & names::ANONYMOUS == 0 {
            span.number("id", id.into());
        }
    }
    (job, span)
}

/// Enters the barrier of all ranks.
///
/// `id` is the barrier's name, unless `flags` has GASNET_BARRIERFLAG_ANONYMOUS; GASNET_BARRIERFLAG_MISMATCH makes
/// the barrier a mismatch on every rank. Does not wait. Operations that were started and not synchronised are not
/// ordered. Ends the job if this rank has not completed the previous barrier by wait or try.
///
/// Source: GASNet 1.8, "Barriers".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_barrier_notify(id: c_int, flags: c_int) {
    const CALL: &str = "gasnet_barrier_notify";
    let (job, _span) = enter_named(CALL, id, flags);
    trace::barrier_notified();
    job.barrier_notify(CALL, id, flags);
}

/// Waits until every rank has entered the barrier that this rank notified.
///
/// Blocks, and may run AM handlers; must not be called from a handler. Called by one thread per rank, not
/// necessarily the one that notified. `id` and `flags` should be those of the notify; a named wait may follow an
/// anonymous notify and the reverse.
///
/// Returns GASNET_OK, or GASNET_ERR_BARRIER_MISMATCH if names differ or a rank passed GASNET_BARRIERFLAG_MISMATCH;
/// in both cases the next barrier may follow. If no barrier was notified, debug clients end the job, and release
/// clients return at once the outcome of the previous barrier.
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
/// Polls once, and may run AM handlers; must not be called from a handler.
///
/// Returns GASNET_ERR_NOT_READY if a rank has not entered the barrier, which then remains to be completed; else as
/// `gasnet_barrier_wait`.
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

/// Equivalent to a notify followed by a wait.
///
/// Blocks, and may run AM handlers; must not be called from a handler, nor between notify and wait.
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

/// The name of the barrier that was completed last. Must not be called between notify and wait.
///
/// Returns 0 and stores the name in `*id` if at least one rank gave a name and all given names are equal; else
/// nonzero: GASNET_BARRIERFLAG_ANONYMOUS if no rank gave a name, GASNET_BARRIERFLAG_MISMATCH if names differ. An
/// extension.
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
