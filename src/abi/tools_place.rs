//! Where in the client a call comes from.
#![allow(unsafe_code)]

use crate::fatal;
use core::ffi::{CStr, c_char};

/// Remembers the place in the client from which this thread's next call comes, for error messages and traces. The
/// headers of clients compiled with -DGASNET_DEBUG, -DGASNET_TRACE or -DGASNET_SRCLINES call it.
///
/// # Safety
/// `file` is a string that stays for the life of the process, or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_at(file: *const c_char, line: u32) {
    if !file.is_null() {
        // SAFETY: the caller keeps the contract above.
        fatal::at(unsafe { CStr::from_ptr(file) }, line);
    }
}
