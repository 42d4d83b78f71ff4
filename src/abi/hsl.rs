//! Handler-safe locks and no-interrupt sections. The lock itself is parking_lot's; handlers run only inside calls
//! of the library, so a no-interrupt section needs no work, only, in debug clients, the checks of hsl.rs.

use core::ffi::c_int;

use parking_lot::RawMutex;
use parking_lot::lock_api::{GuardNoSend, RawMutex as _};

use crate::fatal::{Error, usage};
use crate::hsl;
use crate::job::try_job;
use crate::settings::Threads;

/// `state` of an initialised lock; what GASNET_HSL_INITIALIZER stores.
pub const GASNETI_HSL_READY: u32 = 0x4853_4c31;
/// `state` of a destroyed lock.
pub const GASNETI_HSL_DESTROYED: u32 = 0x4853_4c30;

/// A handler-safe lock. Use the functions; the fields are the library's.
#[repr(C)]
pub struct gasnet_hsl_t {
    pub word: u32,
    pub state: u32,
}

fn debugging() -> bool {
    try_job().is_some_and(|job| job.settings.debug)
}

fn serial() -> bool {
    try_job().is_some_and(|job| job.settings.threads == Threads::Seq)
}

/// # Safety
/// `lock` is a live lock; only this file touches its `word`.
unsafe fn lock_of<'a>(lock: *mut gasnet_hsl_t) -> &'a RawMutex {
    static_assertions::const_assert!(size_of::<RawMutex>() <= size_of::<u32>());
    // SAFETY: the caller's contract; an unlocked RawMutex is all zero, as HSL_INITIALIZER and init leave it.
    unsafe { &*(&raw mut (*lock).word).cast::<RawMutex>() }
}

fn check_ready(call: &str, lock: *mut gasnet_hsl_t) {
    if lock.is_null() {
        usage!(hsl, call, "the lock is NULL");
    }
    // SAFETY: not null; GASNet: the caller passes a lock.
    match unsafe { (*lock).state } {
        GASNETI_HSL_READY => {}
        GASNETI_HSL_DESTROYED => usage!(hsl, call, "the lock {lock:p} was destroyed"),
        _ => usage!(hsl, call, "the lock {lock:p} was never initialised"),
    }
}

/// Initialises a lock. Once, and not for one that GASNET_HSL_INITIALIZER initialised.
///
/// Source: GASNet 1.8, "Handler-Safe Locks".
///
/// # Safety
/// `lock` may be written and no thread uses it yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_hsl_init(lock: *mut gasnet_hsl_t) {
    // SAFETY: the caller keeps the contract above; any bits are a valid gasnet_hsl_t.
    if debugging() && unsafe { (*lock).state } == GASNETI_HSL_READY {
        usage!(hsl, "gasnet_hsl_init", "the lock {lock:p} is already initialised");
    }
    // SAFETY: the caller keeps the contract above.
    unsafe { lock.write(gasnet_hsl_t { word: 0, state: GASNETI_HSL_READY }) };
}

/// Ends a lock's life. It must be unlocked.
///
/// Source: GASNet 1.8, "Handler-Safe Locks".
///
/// # Safety
/// `lock` is initialised and no thread uses it any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_hsl_destroy(lock: *mut gasnet_hsl_t) {
    if debugging() {
        check_ready("gasnet_hsl_destroy", lock);
        // SAFETY: ready (checked).
        if unsafe { lock_of(lock) }.is_locked() {
            usage!(hsl, "gasnet_hsl_destroy", "the lock {lock:p} is still held");
        }
    }
    // SAFETY: the caller keeps the contract above.
    unsafe { (*lock).state = GASNETI_HSL_DESTROYED };
}

/// Takes a lock; waits while another thread holds it. Legal in handlers. Not recursive.
///
/// Source: GASNet 1.8, "gasnet_hsl_lock, gasnet_hsl_unlock".
///
/// # Safety
/// `lock` is initialised.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_hsl_lock(lock: *mut gasnet_hsl_t) {
    let debug = debugging();
    if debug {
        check_ready("gasnet_hsl_lock", lock);
        hsl::check_not_mine("gasnet_hsl_lock", lock as usize);
    } else if serial() {
        return;
    }
    // SAFETY: the caller keeps the contract above.
    let _held: GuardNoSend = unsafe { lock_of(lock) }.lock();
    if debug {
        hsl::taken(lock as usize);
    }
}

/// Takes a lock if it is free: GASNET_OK, else GASNET_ERR_NOT_READY. Handlers must not spin on it.
///
/// Source: GASNet 1.8, "gasnet_hsl_trylock".
///
/// # Safety
/// `lock` is initialised.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_hsl_trylock(lock: *mut gasnet_hsl_t) -> c_int {
    let debug = debugging();
    if debug {
        check_ready("gasnet_hsl_trylock", lock);
        hsl::check_not_mine("gasnet_hsl_trylock", lock as usize);
    } else if serial() {
        return 0;
    }
    // SAFETY: the caller keeps the contract above.
    if unsafe { lock_of(lock) }.try_lock().is_none() {
        return Error::NotReady.code();
    }
    if debug {
        hsl::taken(lock as usize);
    }
    0
}

/// Releases a lock that this thread holds; locks are released in reverse order.
///
/// Source: GASNet 1.8, "gasnet_hsl_lock, gasnet_hsl_unlock".
///
/// # Safety
/// `lock` is held by this thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_hsl_unlock(lock: *mut gasnet_hsl_t) {
    if debugging() {
        check_ready("gasnet_hsl_unlock", lock);
        hsl::released("gasnet_hsl_unlock", lock as usize);
    } else if serial() {
        return;
    }
    // SAFETY: held by this thread: the caller keeps the contract above.
    unsafe { lock_of(lock).unlock(GuardNoSend::new()) };
}

/// Begins a no-interrupt section: no handler runs asynchronously on this thread until gasnet_resume_interrupts.
/// Ignored in handlers and while a handler-safe lock is held. Does not nest.
///
/// Source: GASNet 1.8, "No-Interrupt Sections".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_hold_interrupts() {
    if debugging() {
        hsl::hold();
    }
}

/// Ends the no-interrupt section.
///
/// Source: GASNet 1.8, "No-Interrupt Sections".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_resume_interrupts() {
    if debugging() {
        hsl::resume();
    }
}
