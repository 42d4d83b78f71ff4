//! The program's arguments: copies for starting the processes of a udp job, and decoding of launchers' `%0XX`
//! escapes.
//!
//! # Safety
//! `argc` and `argv` are the client's arguments of init: main's, or null.
#![allow(unsafe_code)]

use core::ffi::{CStr, c_char, c_int};
use core::ptr;
use std::ffi::{CString, OsString};
use std::os::unix::ffi::OsStringExt;

use crate::env;

/// # Safety
/// As the module's.
unsafe fn words<'a>(argc: *mut c_int, argv: *mut *mut *mut c_char) -> Option<Vec<&'a CStr>> {
    // SAFETY: the caller's contract: each is null or may be read.
    if argc.is_null() || argv.is_null() || unsafe { *argv }.is_null() {
        return None;
    }
    let mut words = Vec::new();
    // SAFETY: the caller's contract: `argc` strings, or fewer and a null.
    unsafe {
        for at in 0..usize::try_from(*argc).ok()? {
            let word = *(*argv).add(at);
            if word.is_null() {
                break;
            }
            words.push(CStr::from_ptr(word));
        }
    }
    Some(words)
}

/// Copies of main's arguments; None if the client passed none.
///
/// # Safety
/// As the module's.
pub(super) unsafe fn arguments(argc: *mut c_int, argv: *mut *mut *mut c_char) -> Option<Vec<OsString>> {
    // SAFETY: the caller's contract.
    let words = unsafe { words(argc, argv) }?;
    Some(words.into_iter().map(|word| OsString::from_vec(word.to_bytes().to_vec())).collect())
}

/// Decodes `%0XX` in all arguments, argv[0] included, unless GASNET_DISABLE_ARGDECODE is set. An argument without an
/// escape keeps its address. `*argv` is replaced only if there are more arguments than before.
///
/// # Safety
/// As the module's; the array may be written.
pub(super) unsafe fn undo_escapes(argc: *mut c_int, argv: *mut *mut *mut c_char) {
    if env::yes("GASNET_DISABLE_ARGDECODE") {
        return;
    }
    // SAFETY: the caller's contract.
    let Some(before) = (unsafe { words(argc, argv) }) else { return };
    let mut after: Vec<*mut c_char> = Vec::with_capacity(before.len() + 1);
    let mut changed = false;
    for word in &before {
        match env::argument(word.to_bytes()) {
            None => after.push(word.as_ptr().cast_mut()),
            Some(parts) => {
                changed = true;
                // These have no zero bytes, because `argument` split there. They are never freed, like main's
                // arguments.
                after.extend(parts.into_iter().filter_map(|part| CString::new(part).ok()).map(CString::into_raw));
            }
        }
    }
    if !changed {
        return;
    }
    let count = after.len();
    // SAFETY: the caller's contract: an array of `before.len()` entries at least, which may be written.
    unsafe {
        if count == before.len() {
            ptr::copy_nonoverlapping(after.as_ptr(), *argv, count);
        } else {
            after.push(ptr::null_mut());
            *argv = after.leak().as_mut_ptr();
            *argc = count as c_int;
        }
    }
}
