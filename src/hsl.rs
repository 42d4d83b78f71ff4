//! Handler-safe locks, which are parking_lot's, and no-interrupt sections. Handlers run only inside calls of the library,
//! so a section requires no action. In debug clients the use of both is checked, with a record for each thread of the
//! locks that it holds, in the order and with the times of acquisition.

use core::cell::Cell;

use parking_lot::lock_api::RawMutex as _;
use parking_lot::{MutexGuard, RawMutex};

use crate::fatal::{place, usage, warn};
use crate::hang::waits::{self, Note};
use crate::job::try_job;
use crate::os::sleep::now_ns;
use crate::settings::Threads;
use crate::sync::lent::{Lent, LentPool};
use crate::thread;

const WARN_AFTER_NS: u64 = 1_000_000_000;

/// How locks are used.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Locking {
    /// In a debug client: with checks.
    Checked,
    /// Without checks.
    Plain,
}

/// Whether the use of locks and sections is checked.
#[inline(always)]
pub(crate) fn is_checked() -> bool {
    try_job().is_some_and(|job| job.settings.debug)
}

/// How locks are used now; None if they need not be: a GASNET_SEQ client has one thread, so no other competes for a lock.
#[inline(always)]
pub(crate) fn mode() -> Option<Locking> {
    if is_checked() {
        return Some(Locking::Checked);
    }
    let serial = try_job().is_some_and(|job| job.settings.threads == Threads::Seq);
    if serial { None } else { Some(Locking::Plain) }
}

/// Whether locks are used without checks, and their use is not watched.
#[inline(always)]
pub(crate) fn is_plain() -> bool {
    try_job().is_some_and(|job| !job.settings.watched && job.settings.threads != Threads::Seq)
}

/// Acquires the lock `word`, whose address is `at`; waits while another thread holds it.
#[inline(always)]
pub(crate) fn take(mode: Locking, call: &str, at: usize, word: &RawMutex) {
    if mode == Locking::Checked {
        check_not_mine(call, at);
    }
    if !word.try_lock() {
        wait_for(at, word);
    }
    if mode == Locking::Checked {
        taken(at);
    }
}

/// Acquires the lock if it is free; returns whether it did. `saw` gets and returns the outcome, for the trace.
#[inline(always)]
pub(crate) fn try_take(mode: Locking, call: &str, at: usize, word: &RawMutex, saw: impl FnOnce(bool) -> bool) -> bool {
    if mode == Locking::Checked {
        check_not_mine(call, at);
    }
    if !saw(word.try_lock()) {
        return false;
    }
    if mode == Locking::Checked {
        taken(at);
    }
    true
}

/// This thread is about to release the lock at `at`.
#[inline(always)]
pub(crate) fn check_release(mode: Locking, call: &str, at: usize) {
    if mode == Locking::Checked {
        released(call, at);
    }
}

/// A lock that is destroyed must be free.
pub(crate) fn check_free(call: &str, at: usize, word: &RawMutex) {
    if word.is_locked() {
        usage!(hsl, call, "the lock {at:#x} is still held");
    }
}

/// Acquires the lock when another thread releases it.
#[cold]
fn wait_for(at: usize, word: &RawMutex) {
    let rank = try_job().map_or(0, |job| job.nbrhd.here.0);
    waits::begin(rank, &Note::Lock { at });
    word.lock();
    waits::end(rank);
}

/// A lock this thread holds.
struct HeldLock {
    /// Address of the lock.
    lock: usize,
    /// The number of handlers on the stack when it was acquired.
    depth: u32,
    since_ns: u64,
}

#[derive(Default)]
struct HeldLocks {
    /// Oldest first.
    locks: Vec<HeldLock>,
    /// When hold_interrupts was called; 0 outside a section.
    section_ns: u64,
}

static POOL: LentPool<HeldLocks> = LentPool::new();

thread_local! {
    static HELD: Cell<Option<Lent<HeldLocks>>> = const { Cell::new(None) };
}

/// This thread's record. Usage errors are reported after the guard is released, since reporting may access the
/// record.
fn held() -> MutexGuard<'static, HeldLocks> {
    POOL.mine(&HELD, ends).lock()
}

/// A round of this thread's key destructors, which may still release.
fn ends() {
    let Some(left) = POOL.round(&HELD, ends) else { return };
    if let Some(taken) = left.locks.last() {
        usage!(hsl, "thread exit", "the lock {:#x} is still held by the thread that ends", taken.lock);
    }
    if left.section_ns != 0 {
        usage!(hsl, "thread exit", "the thread ends in a no-interrupt section (after gasnet_hold_interrupts)");
    }
}

/// Checks that no lock is held at a call that communicates.
pub(crate) fn check_none_held(call: &str) {
    let (locks, section_ns) = {
        let held = held();
        (held.locks.len(), held.section_ns)
    };
    if locks != 0 {
        usage!(hsl, call, "called while holding a handler-safe lock");
    }
    if section_ns != 0 && thread::handler_depth() == 0 {
        usage!(hsl, call, "called in a no-interrupt section (after gasnet_hold_interrupts)");
    }
}

/// A handler, still on the stack, is about to return: it must have released the locks that it acquired.
pub(crate) fn check_handler_return(index: u8) {
    let depth = thread::handler_depth();
    let holds = held().locks.iter().any(|taken| taken.depth == depth);
    if holds {
        usage!(hsl, "AM handler", "handler {index} returns while holding a handler-safe lock");
    }
}

/// This thread has acquired `lock`.
fn taken(lock: usize) {
    let depth = thread::handler_depth();
    held().locks.push(HeldLock { lock, depth, since_ns: now_ns() });
}

/// The lock is not recursive.
fn check_not_mine(call: &str, lock: usize) {
    let is_mine = held().locks.iter().any(|taken| taken.lock == lock);
    if is_mine {
        usage!(hsl, call, "the lock {lock:#x} is already held by this thread (locks are not recursive)");
    }
}

/// This thread is about to release `lock`: it must be the one that it acquired last.
fn released(call: &str, lock: usize) {
    let (at, last) = {
        let held = held();
        (held.locks.iter().rposition(|taken| taken.lock == lock), held.locks.len().wrapping_sub(1))
    };
    match at {
        None => usage!(hsl, call, "the lock {lock:#x} is not held by this thread"),
        Some(at) if at != last => {
            usage!(hsl, call, "the lock {lock:#x} is released out of order: one taken later is still held")
        }
        Some(_) => {}
    }
    if let Some(taken) = { held().locks.pop() } {
        warn_if_long(call, format_args!("the lock {lock:#x} was held"), taken.since_ns);
    }
}

fn ignores_sections(held: &HeldLocks) -> bool {
    thread::handler_depth() != 0 || !held.locks.is_empty()
}

/// gasnet_hold_interrupts: ignored in handlers and under a lock.
pub(crate) fn hold() {
    let nested = {
        let mut held = held();
        !ignores_sections(&held) && core::mem::replace(&mut held.section_ns, now_ns().max(1)) != 0
    };
    if nested {
        usage!(hsl, "gasnet_hold_interrupts", "interrupts are already held; sections do not nest");
    }
}

/// gasnet_resume_interrupts: ignored under the same conditions as `hold`.
pub(crate) fn resume() {
    let since_ns = {
        let mut held = held();
        if ignores_sections(&held) {
            return;
        }
        core::mem::take(&mut held.section_ns)
    };
    match since_ns {
        0 => usage!(hsl, "gasnet_resume_interrupts", "interrupts are not held"),
        since_ns => warn_if_long("gasnet_resume_interrupts", format_args!("interrupts were held"), since_ns),
    }
}

fn warn_if_long(call: &str, what: core::fmt::Arguments<'_>, since_ns: u64) {
    let ns = now_ns().saturating_sub(since_ns);
    if ns > WARN_AFTER_NS {
        warn!("HSL USAGE WARNING: {call}: {what} for {:.1} s{}", ns as f64 / 1e9, place());
    }
}
