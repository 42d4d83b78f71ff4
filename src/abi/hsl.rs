//! Handler-safe locks and no-interrupt sections. The lock itself is parking_lot's; handlers run only inside calls
//! of the library, so a no-interrupt section needs no work, only, in debug clients, the checks below.

use core::cell::{Cell, RefCell};
use core::ffi::c_int;

use parking_lot::RawMutex;
use parking_lot::lock_api::RawMutex as _;

use crate::fatal::{Error, line, usage};
use crate::job::try_job;
use crate::os::sleep::now_ns;
use crate::settings::Threads;
use crate::thread;

/// `state` of an initialised lock; what GASNET_HSL_INITIALIZER stores.
pub const GASNETI_HSL_READY: u32 = 0x4853_4c31;
/// `state` of a destroyed lock.
pub const GASNETI_HSL_DESTROYED: u32 = 0x4853_4c30;

/// A handler-safe lock. Use the functions; the fields are the library's.
#[repr(C)]
pub struct gasnet_hsl_t {
    pub word: u32,
    pub state: u32,
    /// Thread that holds it, plus one (debug).
    pub owner: u32,
    pub reserved: u32,
    /// When it was taken (debug).
    pub since_ns: u64,
}

const WARN_AFTER_NS: u64 = 1_000_000_000;

#[derive(Default)]
struct Held {
    /// Locks this thread holds, oldest first, and the handler depth at which each was taken.
    locks: RefCell<Vec<(usize, u32)>>,
    /// When hold_interrupts was called; 0 outside.
    section_ns: Cell<u64>,
}

thread_local! {
    static HELD: Held = Held::default();
}

fn debugging() -> bool {
    try_job().is_some_and(|job| job.settings.debug)
}

fn serial() -> bool {
    try_job().is_some_and(|job| job.settings.threads == Threads::Seq)
}

/// # Safety
/// `hsl` is a live lock; only this file touches its `word`.
unsafe fn lock_of<'a>(hsl: *mut gasnet_hsl_t) -> &'a RawMutex {
    static_assertions::const_assert!(size_of::<RawMutex>() <= size_of::<u32>());
    // SAFETY: the caller's contract; an unlocked RawMutex is all zero, as HSL_INITIALIZER and init leave it.
    unsafe { &*(&raw mut (*hsl).word).cast::<RawMutex>() }
}

/// Debug: ends the job if this thread holds a lock or is in a no-interrupt section.
pub fn check_none_held(call: &str) {
    if !debugging() {
        return;
    }
    HELD.with(|held| {
        if !held.locks.borrow().is_empty() {
            usage!(hsl, call, "called while holding a handler-safe lock");
        }
        if held.section_ns.get() != 0 && thread::handler_depth() == 0 {
            usage!(hsl, call, "called in a no-interrupt section (after gasnet_hold_interrupts)");
        }
    });
}

/// Debug: a handler is about to return.
pub fn check_handler_return(index: u8) {
    let depth = thread::handler_depth();
    HELD.with(|held| {
        if held.locks.borrow().iter().any(|(_, taken_at)| *taken_at == depth) {
            usage!(hsl, "AM handler", "handler {index} returns while holding a handler-safe lock");
        }
    });
}

fn check_ready(call: &str, hsl: *mut gasnet_hsl_t) {
    if hsl.is_null() {
        usage!(hsl, call, "the lock is NULL");
    }
    // SAFETY: not null; GASNet: the caller passes a lock.
    match unsafe { (*hsl).state } {
        GASNETI_HSL_READY => {}
        GASNETI_HSL_DESTROYED => usage!(hsl, call, "the lock {hsl:p} was destroyed"),
        _ => usage!(hsl, call, "the lock {hsl:p} was never initialised"),
    }
}

fn note_taken(hsl: *mut gasnet_hsl_t) {
    // SAFETY: this thread has just locked it, so its debug fields are this thread's.
    unsafe {
        (*hsl).owner = thread::index() + 1;
        (*hsl).since_ns = now_ns();
    }
    HELD.with(|held| held.locks.borrow_mut().push((hsl as usize, thread::handler_depth())));
}

fn check_not_mine(call: &str, hsl: *mut gasnet_hsl_t) {
    let mine = HELD.with(|held| held.locks.borrow().iter().any(|(lock, _)| *lock == hsl as usize));
    if mine {
        usage!(hsl, call, "the lock {hsl:p} is already held by this thread (not recursive)");
    }
}

fn check_release(call: &str, hsl: *mut gasnet_hsl_t) {
    HELD.with(|held| {
        let mut locks = held.locks.borrow_mut();
        match locks.iter().rposition(|(lock, _)| *lock == hsl as usize) {
            None => usage!(hsl, call, "the lock {hsl:p} is not held by this thread"),
            Some(at) if at + 1 != locks.len() => {
                usage!(hsl, call, "the lock {hsl:p} is released out of order: a later one is still held")
            }
            Some(_) => locks.pop(),
        };
    });
    // SAFETY: held by this thread (checked).
    warn_if_long("a handler-safe lock was held", unsafe { (*hsl).since_ns });
}

fn warn_if_long(what: &str, since_ns: u64) {
    let ns = now_ns().saturating_sub(since_ns);
    if ns > WARN_AFTER_NS {
        line(&format!("HSL USAGE WARNING: {what} for {:.1} s", ns as f64 / 1e9));
    }
}

/// Initialises a lock. Once, and not for one that GASNET_HSL_INITIALIZER initialised.
///
/// Source: GASNet 1.8, "Handler-Safe Locks".
///
/// # Safety
/// `hsl` may be written and no thread uses it yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_hsl_init(hsl: *mut gasnet_hsl_t) {
    // SAFETY: the caller keeps the contract above; any bits are a valid gasnet_hsl_t.
    if debugging() && unsafe { (*hsl).state } == GASNETI_HSL_READY {
        usage!(hsl, "gasnet_hsl_init", "the lock {hsl:p} is already initialised");
    }
    // SAFETY: the caller keeps the contract above.
    unsafe { hsl.write(gasnet_hsl_t { word: 0, state: GASNETI_HSL_READY, owner: 0, reserved: 0, since_ns: 0 }) };
}

/// Ends a lock's life. It must be unlocked.
///
/// Source: GASNet 1.8, "Handler-Safe Locks".
///
/// # Safety
/// `hsl` is initialised and no thread uses it any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_hsl_destroy(hsl: *mut gasnet_hsl_t) {
    if debugging() {
        check_ready("gasnet_hsl_destroy", hsl);
        // SAFETY: ready (checked).
        if unsafe { lock_of(hsl) }.is_locked() {
            usage!(hsl, "gasnet_hsl_destroy", "the lock {hsl:p} is still held");
        }
    }
    // SAFETY: the caller keeps the contract above.
    unsafe { (*hsl).state = GASNETI_HSL_DESTROYED };
}

/// Takes a lock; waits while another thread holds it. Legal in handlers. Not recursive.
///
/// Source: GASNet 1.8, "gasnet_hsl_lock, gasnet_hsl_unlock".
///
/// # Safety
/// `hsl` is initialised.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_hsl_lock(hsl: *mut gasnet_hsl_t) {
    let debug = debugging();
    if debug {
        check_ready("gasnet_hsl_lock", hsl);
        check_not_mine("gasnet_hsl_lock", hsl);
    } else if serial() {
        return;
    }
    // SAFETY: the caller keeps the contract above.
    unsafe { lock_of(hsl) }.lock();
    if debug {
        note_taken(hsl);
    }
}

/// Takes a lock if it is free: GASNET_OK, else GASNET_ERR_NOT_READY. Handlers must not spin on it.
///
/// Source: GASNet 1.8, "gasnet_hsl_trylock".
///
/// # Safety
/// `hsl` is initialised.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_hsl_trylock(hsl: *mut gasnet_hsl_t) -> c_int {
    let debug = debugging();
    if debug {
        check_ready("gasnet_hsl_trylock", hsl);
        check_not_mine("gasnet_hsl_trylock", hsl);
    } else if serial() {
        return 0;
    }
    // SAFETY: the caller keeps the contract above.
    if !unsafe { lock_of(hsl) }.try_lock() {
        return Error::NotReady.code();
    }
    if debug {
        note_taken(hsl);
    }
    0
}

/// Releases a lock that this thread holds; locks are released in reverse order.
///
/// Source: GASNet 1.8, "gasnet_hsl_lock, gasnet_hsl_unlock".
///
/// # Safety
/// `hsl` is held by this thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_hsl_unlock(hsl: *mut gasnet_hsl_t) {
    if debugging() {
        check_ready("gasnet_hsl_unlock", hsl);
        check_release("gasnet_hsl_unlock", hsl);
    } else if serial() {
        return;
    }
    // SAFETY: held by this thread: the caller keeps the contract above.
    unsafe { lock_of(hsl).unlock() };
}

/// Begins a no-interrupt section: no handler runs asynchronously on this thread until gasnet_resume_interrupts.
/// Ignored in handlers and while a handler-safe lock is held. Does not nest.
///
/// Source: GASNet 1.8, "No-Interrupt Sections".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_hold_interrupts() {
    if !debugging() || thread::handler_depth() != 0 {
        return;
    }
    HELD.with(|held| {
        if !held.locks.borrow().is_empty() {
            return;
        }
        if held.section_ns.replace(now_ns().max(1)) != 0 {
            usage!(hsl, "gasnet_hold_interrupts", "interrupts are already held; sections do not nest");
        }
    });
}

/// Ends the no-interrupt section.
///
/// Source: GASNet 1.8, "No-Interrupt Sections".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_resume_interrupts() {
    if !debugging() || thread::handler_depth() != 0 {
        return;
    }
    HELD.with(|held| {
        if !held.locks.borrow().is_empty() {
            return;
        }
        match held.section_ns.replace(0) {
            0 => usage!(hsl, "gasnet_resume_interrupts", "interrupts are not held"),
            since_ns => warn_if_long("interrupts were held", since_ns),
        }
    });
}
