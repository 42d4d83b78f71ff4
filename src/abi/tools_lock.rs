//! The tools' locks: pthread ones under their own names. Debug clients call the forms of tools_lock_checked.rs.
//!
//! # Safety
//! Every function trusts its pointers: live locks, initialised where that matters.
#![allow(unsafe_code, non_camel_case_types)]

use crate::tools::held::Place;
use core::ffi::{CStr, c_char, c_int};
use static_assertions::const_assert_eq;

/// A mutual-exclusion lock between the threads of a process: a pthread_mutex_t. Never recursive.
#[repr(C)]
pub struct gasnett_mutex_t {
    pub gasneti_words: [u64; 5],
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
pub(super) unsafe fn place(file: *const c_char, line: u32) -> Place {
    let file = if file.is_null() {
        c"?"
    } else {
        // SAFETY: the caller's promise.
        unsafe { CStr::from_ptr(file) }
    };
    Place { file, line }
}

/// Makes an unlocked mutex of the memory at `pl`.
///
/// # Safety
/// `pl` points to memory for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_mutex_init(pl: *mut gasnett_mutex_t) {
    // SAFETY: the caller keeps the contract above.
    unsafe { libc::pthread_mutex_init(pl.cast(), core::ptr::null()) };
}

/// Ends a mutex that nobody holds.
///
/// # Safety
/// `pl` points to an initialised mutex.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_mutex_destroy(pl: *mut gasnett_mutex_t) {
    // SAFETY: the caller keeps the contract above.
    unsafe { libc::pthread_mutex_destroy(pl.cast()) };
}

/// Ends a mutex, held or not; returns what pthreads says.
///
/// # Safety
/// `pl` points to an initialised mutex.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_mutex_destroy_ignoreerr(pl: *mut gasnett_mutex_t) -> c_int {
    // SAFETY: the caller keeps the contract above.
    unsafe { libc::pthread_mutex_destroy(pl.cast()) }
}

/// Waits for a mutex and holds it. The thread must not hold it already.
///
/// # Safety
/// `pl` points to an initialised mutex.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_mutex_lock(pl: *mut gasnett_mutex_t) {
    // SAFETY: the caller keeps the contract above.
    unsafe { libc::pthread_mutex_lock(pl.cast()) };
}

/// Holds a mutex if it is free: returns 0, else EBUSY.
///
/// # Safety
/// `pl` points to an initialised mutex.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_mutex_trylock(pl: *mut gasnett_mutex_t) -> c_int {
    // SAFETY: the caller keeps the contract above.
    unsafe { libc::pthread_mutex_trylock(pl.cast()) }
}

/// Gives up a mutex that this thread holds.
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

/// Makes a condition variable of the memory at `pc`.
///
/// # Safety
/// `pc` points to memory for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_cond_init(pc: *mut gasnett_cond_t) {
    // SAFETY: the caller keeps the contract above.
    unsafe { libc::pthread_cond_init(pc.cast(), core::ptr::null()) };
}

/// Ends a condition variable on which nobody waits.
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

/// Gives up the mutex and waits, without polling the network, until woken, perhaps for no reason; then holds the
/// mutex again.
///
/// # Safety
/// `pc` and `pl` are initialised, and this thread holds `pl`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_cond_wait(pc: *mut gasnett_cond_t, pl: *mut gasnett_mutex_t) {
    // SAFETY: the caller keeps the contract above.
    unsafe { libc::pthread_cond_wait(pc.cast(), pl.cast()) };
}

/// Makes an unlocked reader/writer lock of the memory at `pl`.
///
/// # Safety
/// `pl` points to memory for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_rwlock_init(pl: *mut gasnett_rwlock_t) {
    // SAFETY: the caller keeps the contract above.
    unsafe { libc::pthread_rwlock_init(pl.cast(), core::ptr::null()) };
}

/// Ends a lock that nobody holds.
///
/// # Safety
/// `pl` points to an initialised lock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_rwlock_destroy(pl: *mut gasnett_rwlock_t) {
    // SAFETY: the caller keeps the contract above.
    unsafe { libc::pthread_rwlock_destroy(pl.cast()) };
}

/// Waits until the lock can be shared with other readers, and does so.
///
/// # Safety
/// `pl` points to an initialised lock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_rwlock_rdlock(pl: *mut gasnett_rwlock_t) {
    // SAFETY: the caller keeps the contract above.
    while unsafe { libc::pthread_rwlock_rdlock(pl.cast()) } == libc::EAGAIN {
        // As many readers as pthreads allows: wait for one to go.
        std::thread::yield_now();
    }
}

/// Waits until nobody else has the lock, and holds it.
///
/// # Safety
/// `pl` points to an initialised lock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_rwlock_wrlock(pl: *mut gasnett_rwlock_t) {
    // SAFETY: the caller keeps the contract above.
    unsafe { libc::pthread_rwlock_wrlock(pl.cast()) };
}

/// Gives up a lock that this thread holds for reading or writing.
///
/// # Safety
/// `pl` points to an initialised lock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_rwlock_unlock(pl: *mut gasnett_rwlock_t) {
    // SAFETY: the caller keeps the contract above.
    unsafe { libc::pthread_rwlock_unlock(pl.cast()) };
}

/// Shares the lock if that needs no waiting: returns 0, else EBUSY or EAGAIN.
///
/// # Safety
/// `pl` points to an initialised lock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_rwlock_tryrdlock(pl: *mut gasnett_rwlock_t) -> c_int {
    // SAFETY: the caller keeps the contract above.
    unsafe { libc::pthread_rwlock_tryrdlock(pl.cast()) }
}

/// Holds the lock if that needs no waiting: returns 0, else EBUSY.
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
