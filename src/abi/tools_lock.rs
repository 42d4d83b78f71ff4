//! The tools' locks: pthread ones under their own names. Debug clients call the forms of tools_lock_checked.rs.
//!
//! # Safety
//! Every function trusts its pointers: live locks, initialised where that matters.
#![allow(unsafe_code, non_camel_case_types)]

use crate::tools::held::CallSite;
use core::ffi::{CStr, c_char, c_int};
use static_assertions::const_assert_eq;

/// A mutual-exclusion lock between the threads of a process: a pthread_mutex_t. Never recursive.
#[cfg(not(target_arch = "aarch64"))]
#[repr(C)]
pub struct gasnett_mutex_t {
    pub gasneti_words: [u64; 5],
}

/// A mutual-exclusion lock between the threads of a process: a pthread_mutex_t. Never recursive.
#[cfg(target_arch = "aarch64")]
#[repr(C)]
pub struct gasnett_mutex_t {
    pub gasneti_words: [u64; 6],
}

/// A condition variable: a pthread_cond_t.
#[repr(C)]
pub struct gasnett_cond_t {
    pub gasneti_words: [u64; 6],
}

/// A reader/writer lock between the threads of a process: a pthread_rwlock_t. Never recursive.
#[repr(C)]
pub struct gasnett_rwlock_t {
    pub gasneti_words: [u64; 7],
}

const_assert_eq!(size_of::<gasnett_mutex_t>(), size_of::<libc::pthread_mutex_t>());
const_assert_eq!(size_of::<gasnett_cond_t>(), size_of::<libc::pthread_cond_t>());
const_assert_eq!(size_of::<gasnett_rwlock_t>(), size_of::<libc::pthread_rwlock_t>());

/// # Safety
/// `file` is a string literal.
pub(super) unsafe fn place(file: *const c_char, line: u32) -> CallSite {
    let file = if file.is_null() {
        c"?"
    } else {
        // SAFETY: the caller's promise.
        unsafe { CStr::from_ptr(file) }
    };
    CallSite { file, line }
}

/// Initialises a mutex at `pl`, unlocked.
///
/// # Safety
/// `pl` points to memory for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_mutex_init(pl: *mut gasnett_mutex_t) {
    // SAFETY: the caller keeps the contract above.
    unsafe { libc::pthread_mutex_init(pl.cast(), core::ptr::null()) };
}

/// Destroys a mutex that is not held.
///
/// # Safety
/// `pl` points to an initialised mutex.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_mutex_destroy(pl: *mut gasnett_mutex_t) {
    // SAFETY: the caller keeps the contract above.
    unsafe { libc::pthread_mutex_destroy(pl.cast()) };
}

/// Destroys a mutex, held or not; returns the result of pthread_mutex_destroy.
///
/// # Safety
/// `pl` points to an initialised mutex.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_mutex_destroy_ignoreerr(pl: *mut gasnett_mutex_t) -> c_int {
    // SAFETY: the caller keeps the contract above.
    unsafe { libc::pthread_mutex_destroy(pl.cast()) }
}

/// Acquires a mutex; waits while another thread holds it. Not recursive.
///
/// # Safety
/// `pl` points to an initialised mutex.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_mutex_lock(pl: *mut gasnett_mutex_t) {
    // SAFETY: the caller keeps the contract above.
    unsafe { libc::pthread_mutex_lock(pl.cast()) };
}

/// Acquires a mutex if it is free: returns 0, else EBUSY.
///
/// # Safety
/// `pl` points to an initialised mutex.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_mutex_trylock(pl: *mut gasnett_mutex_t) -> c_int {
    // SAFETY: the caller keeps the contract above.
    unsafe { libc::pthread_mutex_trylock(pl.cast()) }
}

/// Releases a mutex that this thread holds.
///
/// # Safety
/// `pl` points to an initialised mutex.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_mutex_unlock(pl: *mut gasnett_mutex_t) {
    // SAFETY: the caller keeps the contract above.
    unsafe { libc::pthread_mutex_unlock(pl.cast()) };
}

/// In debug clients, ends the job unless this thread holds the mutex; elsewhere does nothing.
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_mutex_assertlocked(_pl: *mut gasnett_mutex_t) {}

/// In debug clients, ends the job unless this thread does not hold the mutex; elsewhere does nothing.
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_mutex_assertunlocked(_pl: *mut gasnett_mutex_t) {}

/// Initialises a condition variable at `pc`.
///
/// # Safety
/// `pc` points to memory for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_cond_init(pc: *mut gasnett_cond_t) {
    // SAFETY: the caller keeps the contract above.
    unsafe { libc::pthread_cond_init(pc.cast(), core::ptr::null()) };
}

/// Destroys a condition variable on which no thread waits.
///
/// # Safety
/// `pc` points to an initialised condition variable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_cond_destroy(pc: *mut gasnett_cond_t) {
    // SAFETY: the caller keeps the contract above.
    unsafe { libc::pthread_cond_destroy(pc.cast()) };
}

/// Wakes at least one thread that waits. The caller holds the mutex that the waiters used.
///
/// # Safety
/// `pc` points to an initialised condition variable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_cond_signal(pc: *mut gasnett_cond_t) {
    // SAFETY: the caller keeps the contract above.
    unsafe { libc::pthread_cond_signal(pc.cast()) };
}

/// Wakes all threads that wait. The caller holds the mutex that the waiters used.
///
/// # Safety
/// `pc` points to an initialised condition variable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_cond_broadcast(pc: *mut gasnett_cond_t) {
    // SAFETY: the caller keeps the contract above.
    unsafe { libc::pthread_cond_broadcast(pc.cast()) };
}

/// Releases the mutex, waits, without polling the network, until woken (wake-ups may be spurious), and acquires the
/// mutex again.
///
/// # Safety
/// `pc` and `pl` are initialised, and this thread holds `pl`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_cond_wait(pc: *mut gasnett_cond_t, pl: *mut gasnett_mutex_t) {
    // SAFETY: the caller keeps the contract above.
    unsafe { libc::pthread_cond_wait(pc.cast(), pl.cast()) };
}

/// Initialises a reader/writer lock at `pl`, unlocked.
///
/// # Safety
/// `pl` points to memory for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_rwlock_init(pl: *mut gasnett_rwlock_t) {
    // SAFETY: the caller keeps the contract above.
    unsafe { libc::pthread_rwlock_init(pl.cast(), core::ptr::null()) };
}

/// Destroys a lock that is not held.
///
/// # Safety
/// `pl` points to an initialised lock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_rwlock_destroy(pl: *mut gasnett_rwlock_t) {
    // SAFETY: the caller keeps the contract above.
    unsafe { libc::pthread_rwlock_destroy(pl.cast()) };
}

/// Acquires the lock for reading, shared with other readers; waits while a writer holds it.
///
/// # Safety
/// `pl` points to an initialised lock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_rwlock_rdlock(pl: *mut gasnett_rwlock_t) {
    // SAFETY: the caller keeps the contract above.
    while unsafe { libc::pthread_rwlock_rdlock(pl.cast()) } == libc::EAGAIN {
        // The maximum number of readers of pthreads is reached: wait until one releases the lock.
        std::thread::yield_now();
    }
}

/// Acquires the lock for writing; waits while another thread holds it.
///
/// # Safety
/// `pl` points to an initialised lock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_rwlock_wrlock(pl: *mut gasnett_rwlock_t) {
    // SAFETY: the caller keeps the contract above.
    unsafe { libc::pthread_rwlock_wrlock(pl.cast()) };
}

/// Releases a lock that this thread holds for reading or writing.
///
/// # Safety
/// `pl` points to an initialised lock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_rwlock_unlock(pl: *mut gasnett_rwlock_t) {
    // SAFETY: the caller keeps the contract above.
    unsafe { libc::pthread_rwlock_unlock(pl.cast()) };
}

/// Acquires the lock for reading if that is possible without waiting: returns 0, else EBUSY or EAGAIN.
///
/// # Safety
/// `pl` points to an initialised lock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_rwlock_tryrdlock(pl: *mut gasnett_rwlock_t) -> c_int {
    // SAFETY: the caller keeps the contract above.
    unsafe { libc::pthread_rwlock_tryrdlock(pl.cast()) }
}

/// Acquires the lock for writing if that is possible without waiting: returns 0, else EBUSY.
///
/// # Safety
/// `pl` points to an initialised lock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_rwlock_trywrlock(pl: *mut gasnett_rwlock_t) -> c_int {
    // SAFETY: the caller keeps the contract above.
    unsafe { libc::pthread_rwlock_trywrlock(pl.cast()) }
}

/// In debug clients, ends the job unless this thread holds the lock; elsewhere does nothing.
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_rwlock_assertlocked(_pl: *mut gasnett_rwlock_t) {}

/// In debug clients, ends the job unless this thread holds the lock for reading; elsewhere does nothing.
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_rwlock_assertrdlocked(_pl: *mut gasnett_rwlock_t) {}

/// In debug clients, ends the job unless this thread holds the lock for writing; elsewhere does nothing.
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_rwlock_assertwrlocked(_pl: *mut gasnett_rwlock_t) {}

/// In debug clients, ends the job unless this thread does not hold the lock; elsewhere does nothing.
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_rwlock_assertunlocked(_pl: *mut gasnett_rwlock_t) {}
