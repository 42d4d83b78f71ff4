//! The place in the client from which a call is made.
#![allow(unsafe_code)]

use crate::fatal;
use core::ffi::{CStr, c_char};

/// Records the place in the client from which this thread makes its next call, for error messages and traces. The
/// headers of clients compiled with -DGASNET_DEBUG, -DGASNET_TRACE or -DGASNET_SRCLINES call it.
///
/// # Safety
/// `file` is a string with the lifetime of the process, or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_at(file: *const c_char, line: u32) {
    if !file.is_null() {
        // SAFETY: the caller keeps the contract above.
        fatal::at(unsafe { CStr::from_ptr(file) }, line);
    }
}
