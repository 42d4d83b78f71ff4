//! The job's environment.

use crate::abi::tools_env;
use core::ffi::c_char;

/// Returns the value of a variable of the job's environment, the same on every rank, or NULL if it is not set.
///
/// The string must not be changed. `name` is looked up unchanged; escapes that a launcher added to the value are
/// decoded.
///
/// Source: GASNet 1.8, "gasnet_getenv".
///
/// # Safety
/// `name` is a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnet_getenv(name: *const c_char) -> *mut c_char {
    // SAFETY: the caller keeps the contract above.
    unsafe { tools_env::getenv(name) }
}
