//! The locks' checked forms, which the headers of debug clients call: as the plain ones of tools_lock.rs, with each
//! use checked against the locks that the calling thread holds, and the caller's file and line in the message.
//!
//! # Safety
//! Every function trusts its pointers: live locks, initialised where that matters; `file` a string literal.
#![allow(unsafe_code)]

use super::tools_lock::{gasnett_cond_t, gasnett_mutex_t, gasnett_rwlock_t, place};
use crate::fatal::{self, usage};
use crate::tools::held::{self, Mode};
use core::ffi::{CStr, c_char, c_int, c_void};

/// gasnett_mutex_init, checked.
///
/// # Safety
/// As there; `file` is a string literal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_checked_mutex_init(pl: *mut gasnett_mutex_t, file: *const c_char, line: u32) {
    const CALL: &str = "gasnett_mutex_init";
    // SAFETY: the caller keeps the contract above.
    let here = unsafe { place(file, line) };
    held::released(pl as usize);
    // SAFETY: as above.
    let error = unsafe { libc::pthread_mutex_init(pl.cast(), core::ptr::null()) };
    held::want_ok(CALL, pl as usize, error, here);
}

/// gasnett_mutex_destroy, checked.
///
/// # Safety
/// As there; `file` is a string literal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_checked_mutex_destroy(pl: *mut gasnett_mutex_t, file: *const c_char, line: u32) {
    const CALL: &str = "gasnett_mutex_destroy";
    // SAFETY: the caller keeps the contract above.
    let here = unsafe { place(file, line) };
    held::want_free(CALL, pl as usize, here);
    // SAFETY: as above.
    let error = unsafe { libc::pthread_mutex_destroy(pl.cast()) };
    held::want_ok(CALL, pl as usize, error, here);
}

/// gasnett_mutex_lock, checked.
///
/// # Safety
/// As there; `file` is a string literal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_checked_mutex_lock(pl: *mut gasnett_mutex_t, file: *const c_char, line: u32) {
    const CALL: &str = "gasnett_mutex_lock";
    // SAFETY: the caller keeps the contract above.
    let here = unsafe { place(file, line) };
    held::want_free(CALL, pl as usize, here);
    // SAFETY: as above.
    let error = unsafe { libc::pthread_mutex_lock(pl.cast()) };
    held::want_ok(CALL, pl as usize, error, here);
    held::acquired(pl as usize, Mode::Mutex, here);
}

/// gasnett_mutex_trylock, checked.
///
/// # Safety
/// As there; `file` is a string literal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_checked_mutex_trylock(
    pl: *mut gasnett_mutex_t,
    file: *const c_char,
    line: u32,
) -> c_int {
    const CALL: &str = "gasnett_mutex_trylock";
    // SAFETY: the caller keeps the contract above.
    let here = unsafe { place(file, line) };
    held::want_free(CALL, pl as usize, here);
    // SAFETY: as above.
    let error = unsafe { libc::pthread_mutex_trylock(pl.cast()) };
    if error == 0 {
        held::acquired(pl as usize, Mode::Mutex, here);
    }
    error
}

/// gasnett_mutex_unlock, checked.
///
/// # Safety
/// As there; `file` is a string literal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_checked_mutex_unlock(pl: *mut gasnett_mutex_t, file: *const c_char, line: u32) {
    const CALL: &str = "gasnett_mutex_unlock";
    // SAFETY: the caller keeps the contract above.
    let here = unsafe { place(file, line) };
    held::want_held(CALL, pl as usize, &[Mode::Mutex], here);
    held::released(pl as usize);
    // SAFETY: as above.
    let error = unsafe { libc::pthread_mutex_unlock(pl.cast()) };
    held::want_ok(CALL, pl as usize, error, here);
}

/// gasnett_mutex_assertlocked, checked.
///
/// # Safety
/// As there; `file` is a string literal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_checked_mutex_assertlocked(pl: *mut gasnett_mutex_t, file: *const c_char, line: u32) {
    const CALL: &str = "gasnett_mutex_assertlocked";
    // SAFETY: the caller keeps the contract above.
    let here = unsafe { place(file, line) };
    held::want_held(CALL, pl as usize, &[Mode::Mutex], here);
}

/// gasnett_mutex_assertunlocked, checked.
///
/// # Safety
/// As there; `file` is a string literal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_checked_mutex_assertunlocked(
    pl: *mut gasnett_mutex_t,
    file: *const c_char,
    line: u32,
) {
    const CALL: &str = "gasnett_mutex_assertunlocked";
    // SAFETY: the caller keeps the contract above.
    let here = unsafe { place(file, line) };
    held::want_free(CALL, pl as usize, here);
}

/// gasnett_cond_wait, checked.
///
/// # Safety
/// As there; `file` is a string literal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_checked_cond_wait(
    pc: *mut gasnett_cond_t,
    pl: *mut gasnett_mutex_t,
    file: *const c_char,
    line: u32,
) {
    const CALL: &str = "gasnett_cond_wait";
    // SAFETY: the caller keeps the contract above.
    let here = unsafe { place(file, line) };
    held::want_held(CALL, pl as usize, &[Mode::Mutex], here);
    // SAFETY: as above.
    let error = unsafe { libc::pthread_cond_wait(pc.cast(), pl.cast()) };
    held::want_ok(CALL, pl as usize, error, here);
}

/// gasnett_rwlock_init, checked.
///
/// # Safety
/// As there; `file` is a string literal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_checked_rwlock_init(pl: *mut gasnett_rwlock_t, file: *const c_char, line: u32) {
    const CALL: &str = "gasnett_rwlock_init";
    // SAFETY: the caller keeps the contract above.
    let here = unsafe { place(file, line) };
    held::released(pl as usize);
    // SAFETY: as above.
    let error = unsafe { libc::pthread_rwlock_init(pl.cast(), core::ptr::null()) };
    held::want_ok(CALL, pl as usize, error, here);
}

/// gasnett_rwlock_destroy, checked.
///
/// # Safety
/// As there; `file` is a string literal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_checked_rwlock_destroy(pl: *mut gasnett_rwlock_t, file: *const c_char, line: u32) {
    const CALL: &str = "gasnett_rwlock_destroy";
    // SAFETY: the caller keeps the contract above.
    let here = unsafe { place(file, line) };
    held::want_free(CALL, pl as usize, here);
    // SAFETY: as above.
    let error = unsafe { libc::pthread_rwlock_destroy(pl.cast()) };
    held::want_ok(CALL, pl as usize, error, here);
}

/// gasnett_rwlock_rdlock, checked.
///
/// # Safety
/// As there; `file` is a string literal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_checked_rwlock_rdlock(pl: *mut gasnett_rwlock_t, file: *const c_char, line: u32) {
    const CALL: &str = "gasnett_rwlock_rdlock";
    // SAFETY: the caller keeps the contract above.
    let here = unsafe { place(file, line) };
    held::want_free(CALL, pl as usize, here);
    // SAFETY: as above.
    unsafe { super::tools_lock::gasnett_rwlock_rdlock(pl) };
    held::acquired(pl as usize, Mode::Read, here);
}

/// gasnett_rwlock_wrlock, checked.
///
/// # Safety
/// As there; `file` is a string literal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_checked_rwlock_wrlock(pl: *mut gasnett_rwlock_t, file: *const c_char, line: u32) {
    const CALL: &str = "gasnett_rwlock_wrlock";
    // SAFETY: the caller keeps the contract above.
    let here = unsafe { place(file, line) };
    held::want_free(CALL, pl as usize, here);
    // SAFETY: as above.
    let error = unsafe { libc::pthread_rwlock_wrlock(pl.cast()) };
    held::want_ok(CALL, pl as usize, error, here);
    held::acquired(pl as usize, Mode::Write, here);
}

/// gasnett_rwlock_tryrdlock, checked.
///
/// # Safety
/// As there; `file` is a string literal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_checked_rwlock_tryrdlock(
    pl: *mut gasnett_rwlock_t,
    file: *const c_char,
    line: u32,
) -> c_int {
    const CALL: &str = "gasnett_rwlock_tryrdlock";
    // SAFETY: the caller keeps the contract above.
    let here = unsafe { place(file, line) };
    held::want_free(CALL, pl as usize, here);
    // SAFETY: as above.
    let error = unsafe { libc::pthread_rwlock_tryrdlock(pl.cast()) };
    if error == 0 {
        held::acquired(pl as usize, Mode::Read, here);
    }
    error
}

/// gasnett_rwlock_trywrlock, checked.
///
/// # Safety
/// As there; `file` is a string literal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_checked_rwlock_trywrlock(
    pl: *mut gasnett_rwlock_t,
    file: *const c_char,
    line: u32,
) -> c_int {
    const CALL: &str = "gasnett_rwlock_trywrlock";
    // SAFETY: the caller keeps the contract above.
    let here = unsafe { place(file, line) };
    held::want_free(CALL, pl as usize, here);
    // SAFETY: as above.
    let error = unsafe { libc::pthread_rwlock_trywrlock(pl.cast()) };
    if error == 0 {
        held::acquired(pl as usize, Mode::Write, here);
    }
    error
}

/// gasnett_rwlock_unlock, checked.
///
/// # Safety
/// As there; `file` is a string literal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_checked_rwlock_unlock(pl: *mut gasnett_rwlock_t, file: *const c_char, line: u32) {
    const CALL: &str = "gasnett_rwlock_unlock";
    // SAFETY: the caller keeps the contract above.
    let here = unsafe { place(file, line) };
    held::want_held(CALL, pl as usize, &[Mode::Read, Mode::Write], here);
    held::released(pl as usize);
    // SAFETY: as above.
    let error = unsafe { libc::pthread_rwlock_unlock(pl.cast()) };
    held::want_ok(CALL, pl as usize, error, here);
}

/// gasnett_rwlock_assertlocked, checked.
///
/// # Safety
/// As there; `file` is a string literal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_checked_rwlock_assertlocked(
    pl: *mut gasnett_rwlock_t,
    file: *const c_char,
    line: u32,
) {
    const CALL: &str = "gasnett_rwlock_assertlocked";
    // SAFETY: the caller keeps the contract above.
    let here = unsafe { place(file, line) };
    held::want_held(CALL, pl as usize, &[Mode::Read, Mode::Write], here);
}

/// gasnett_rwlock_assertrdlocked, checked.
///
/// # Safety
/// As there; `file` is a string literal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_checked_rwlock_assertrdlocked(
    pl: *mut gasnett_rwlock_t,
    file: *const c_char,
    line: u32,
) {
    const CALL: &str = "gasnett_rwlock_assertrdlocked";
    // SAFETY: the caller keeps the contract above.
    let here = unsafe { place(file, line) };
    held::want_held(CALL, pl as usize, &[Mode::Read], here);
}

/// gasnett_rwlock_assertwrlocked, checked.
///
/// # Safety
/// As there; `file` is a string literal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_checked_rwlock_assertwrlocked(
    pl: *mut gasnett_rwlock_t,
    file: *const c_char,
    line: u32,
) {
    const CALL: &str = "gasnett_rwlock_assertwrlocked";
    // SAFETY: the caller keeps the contract above.
    let here = unsafe { place(file, line) };
    held::want_held(CALL, pl as usize, &[Mode::Write], here);
}

/// gasnett_rwlock_assertunlocked, checked.
///
/// # Safety
/// As there; `file` is a string literal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_checked_rwlock_assertunlocked(
    pl: *mut gasnett_rwlock_t,
    file: *const c_char,
    line: u32,
) {
    const CALL: &str = "gasnett_rwlock_assertunlocked";
    // SAFETY: the caller keeps the contract above.
    let here = unsafe { place(file, line) };
    held::want_free(CALL, pl as usize, here);
}

/// `p`, the address of an atomic word of `bytes` bytes that `call` is about to use; ends the job unless it is aligned.
///
/// # Safety
/// `call` and `file` are string literals.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_checked_word(
    p: *mut c_void,
    bytes: usize,
    call: *const c_char,
    file: *const c_char,
    line: u32,
) -> *mut c_void {
    if p.addr() % bytes != 0 {
        // SAFETY: the caller keeps the contract above.
        let (call, here) = unsafe { (CStr::from_ptr(call), place(file, line)) };
        fatal::at(here.file, here.line);
        usage!(&call.to_string_lossy(), "the atomic word {p:p} is not aligned for its {bytes} bytes");
    }
    p
}
