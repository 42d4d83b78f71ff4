//! The C interface of handler-safe locks and no-interrupt sections: converts the C struct to the lock that hsl.rs uses.

use core::ffi::c_int;

use parking_lot::RawMutex;
use parking_lot::lock_api::RawMutex as _;

use crate::fatal::{Error, usage};
use crate::hsl::{self, Locking};
use crate::trace;

/// `state` of an initialised lock; what GASNET_HSL_INITIALIZER stores.
pub const GASNETI_HSL_READY: u32 = 0x4853_4c31;
/// `state` of a destroyed lock.
pub const GASNETI_HSL_DESTROYED: u32 = 0x4853_4c30;

/// A handler-safe lock. The fields are private to the library.
#[repr(C)]
pub struct gasnet_hsl_t {
    pub word: u32,
    pub state: u32,
}

/// The same lock by its GASNet-EX name.
pub type gex_HSL_t = gasnet_hsl_t;

/// # Safety
/// `lock` is a live lock; only this file touches its `word`.
#[inline(always)]
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

/// # Safety
/// `lock` may be written and no thread uses it yet.
unsafe fn init(call: &str, lock: *mut gasnet_hsl_t) {
    // SAFETY: the caller's contract; any bits are a valid gasnet_hsl_t.
    if hsl::is_checked() && unsafe { (*lock).state } == GASNETI_HSL_READY {
        usage!(hsl, call, "the lock {lock:p} is already initialised");
    }
    // SAFETY: the caller's contract.
    unsafe { lock.write(gasnet_hsl_t { word: 0, state: GASNETI_HSL_READY }) };
}

/// # Safety
/// `lock` is initialised and no thread uses it any more.
unsafe fn destroy(call: &str, lock: *mut gasnet_hsl_t) {
    if hsl::is_checked() {
        check_ready(call, lock);
        // SAFETY: ready (checked).
        hsl::check_free(call, lock.addr(), unsafe { lock_of(lock) });
    }
    // SAFETY: the caller's contract.
    unsafe { (*lock).state = GASNETI_HSL_DESTROYED };
}

/// The lock, to be used as `mode` says.
///
/// # Safety
/// `lock` is initialised.
unsafe fn ready<'a>(mode: Locking, call: &str, lock: *mut gasnet_hsl_t) -> &'a RawMutex {
    if mode == Locking::Checked {
        check_ready(call, lock);
    }
    // SAFETY: the caller's contract.
    unsafe { lock_of(lock) }
}

/// # Safety
/// `lock` is initialised.
#[inline(always)]
unsafe fn take(call: &str, lock: *mut gasnet_hsl_t) {
    if hsl::is_plain() {
        // SAFETY: the caller's contract.
        hsl::take(Locking::Plain, call, lock.addr(), unsafe { lock_of(lock) });
    } else {
        // SAFETY: the caller's contract.
        unsafe { take_watched(call, lock) }
    }
}

/// # Safety
/// `lock` is initialised.
#[inline(never)]
unsafe fn take_watched(call: &str, lock: *mut gasnet_hsl_t) {
    let _span = trace::span_of(call, "lock", lock.addr());
    if let Some(mode) = hsl::mode() {
        // SAFETY: the caller's contract.
        hsl::take(mode, call, lock.addr(), unsafe { ready(mode, call, lock) });
    }
}

/// # Safety
/// `lock` is initialised.
unsafe fn try_take(call: &str, lock: *mut gasnet_hsl_t) -> c_int {
    let mut span = trace::span(call);
    let Some(mode) = hsl::mode() else { return 0 };
    // SAFETY: the caller's contract.
    let word = unsafe { ready(mode, call, lock) };
    match hsl::try_take(mode, call, lock.addr(), word, |taken| span.saw(taken)) {
        true => 0,
        false => Error::NotReady.code(),
    }
}

/// # Safety
/// `lock` is held by this thread.
#[inline(always)]
unsafe fn release(call: &str, lock: *mut gasnet_hsl_t) {
    if hsl::is_plain() {
        // SAFETY: held by this thread: the caller's contract.
        unsafe { lock_of(lock).unlock() };
    } else {
        // SAFETY: the caller's contract.
        unsafe { release_watched(call, lock) }
    }
}

/// # Safety
/// `lock` is held by this thread.
#[inline(never)]
unsafe fn release_watched(call: &str, lock: *mut gasnet_hsl_t) {
    let _span = trace::span_of(call, "lock", lock.addr());
    if let Some(mode) = hsl::mode() {
        // SAFETY: the caller's contract.
        let lock = unsafe { (lock.addr(), ready(mode, call, lock)) };
        hsl::check_release(mode, call, lock.0);
        // SAFETY: held by this thread: the caller's contract.
        unsafe { lock.1.unlock() };
    }
}

/// Initialises a lock. Called once per lock, and not for locks initialised by GASNET_HSL_INITIALIZER.
///
/// Source: GASNet 1.8, "Handler-Safe Locks".
///
/// # Safety
/// `lock` may be written and no thread uses it yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_hsl_init(lock: *mut gasnet_hsl_t) {
    // SAFETY: the caller keeps the contract above.
    unsafe { init("gasnet_hsl_init", lock) };
}

/// Destroys a lock, which must be unlocked.
///
/// Source: GASNet 1.8, "Handler-Safe Locks".
///
/// # Safety
/// `lock` is initialised and no thread uses it any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_hsl_destroy(lock: *mut gasnet_hsl_t) {
    // SAFETY: the caller keeps the contract above.
    unsafe { destroy("gasnet_hsl_destroy", lock) };
}

/// Acquires a lock; waits while another thread holds it. Legal in handlers. Not recursive.
///
/// Source: GASNet 1.8, "Handler-Safe Locks".
///
/// # Safety
/// `lock` is initialised.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_hsl_lock(lock: *mut gasnet_hsl_t) {
    // SAFETY: the caller keeps the contract above.
    unsafe { take("gasnet_hsl_lock", lock) };
}

/// Acquires a lock if it is free: returns GASNET_OK, else GASNET_ERR_NOT_READY. Handlers must not spin on it.
///
/// Source: GASNet 1.8, "Handler-Safe Locks".
///
/// # Safety
/// `lock` is initialised.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_hsl_trylock(lock: *mut gasnet_hsl_t) -> c_int {
    // SAFETY: the caller keeps the contract above.
    unsafe { try_take("gasnet_hsl_trylock", lock) }
}

/// Releases a lock that this thread holds; locks are released in reverse order.
///
/// Source: GASNet 1.8, "Handler-Safe Locks".
///
/// # Safety
/// `lock` is held by this thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_hsl_unlock(lock: *mut gasnet_hsl_t) {
    // SAFETY: the caller keeps the contract above.
    unsafe { release("gasnet_hsl_unlock", lock) };
}

/// Initialises a lock. Called once per lock, and not for locks initialised by GEX_HSL_INITIALIZER.
///
/// Source: GASNet-EX 0.19, "Handler-Safe Locks".
///
/// # Safety
/// `lock` may be written and no thread uses it yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_HSL_Init(lock: *mut gex_HSL_t) {
    // SAFETY: the caller keeps the contract above.
    unsafe { init("gex_HSL_Init", lock) };
}

/// Destroys a lock, which must be unlocked.
///
/// Source: GASNet-EX 0.19, "Handler-Safe Locks".
///
/// # Safety
/// `lock` is initialised and no thread uses it any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_HSL_Destroy(lock: *mut gex_HSL_t) {
    // SAFETY: the caller keeps the contract above.
    unsafe { destroy("gex_HSL_Destroy", lock) };
}

/// Acquires a lock; waits while another thread holds it. Legal in handlers. Not recursive.
///
/// Source: GASNet-EX 0.19, "Handler-Safe Locks".
///
/// # Safety
/// `lock` is initialised.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_HSL_Lock(lock: *mut gex_HSL_t) {
    // SAFETY: the caller keeps the contract above.
    unsafe { take("gex_HSL_Lock", lock) };
}

/// Acquires a lock if it is free: returns GASNET_OK, else GASNET_ERR_NOT_READY. Handlers must not spin on it.
///
/// Source: GASNet-EX 0.19, "Handler-Safe Locks".
///
/// # Safety
/// `lock` is initialised.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_HSL_Trylock(lock: *mut gex_HSL_t) -> c_int {
    // SAFETY: the caller keeps the contract above.
    unsafe { try_take("gex_HSL_Trylock", lock) }
}

/// Releases a lock that this thread holds; locks are released in reverse order.
///
/// Source: GASNet-EX 0.19, "Handler-Safe Locks".
///
/// # Safety
/// `lock` is held by this thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_HSL_Unlock(lock: *mut gex_HSL_t) {
    // SAFETY: the caller keeps the contract above.
    unsafe { release("gex_HSL_Unlock", lock) };
}

/// Begins a no-interrupt section: no handler runs asynchronously on this thread until gasnet_resume_interrupts.
/// Ignored in handlers and while a handler-safe lock is held. Does not nest.
///
/// Source: GASNet 1.8, "No-Interrupt Sections".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_hold_interrupts() {
    if hsl::is_checked() {
        hsl::hold();
    }
}

/// Ends the no-interrupt section.
///
/// Source: GASNet 1.8, "No-Interrupt Sections".
#[unsafe(no_mangle)]
pub extern "C" fn gasnet_resume_interrupts() {
    if hsl::is_checked() {
        hsl::resume();
    }
}
