//! This thread's stack as addresses, and the program to which they belong.
//!
//! # Safety
//! The exe name points to a leaked value: it stays for the life of the process.
#![allow(unsafe_code)]

use core::ffi::{CStr, c_char, c_int, c_void};
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::sync::atomic::{AtomicPtr, Ordering};

unsafe extern "C" {
    pub(super) fn backtrace(frames: *mut *mut c_void, len: c_int) -> c_int;
}

static EXE: AtomicPtr<c_char> = AtomicPtr::new(core::ptr::null_mut());

/// The path of this program, from the kernel or from argv[0] as passed to `init`.
pub(crate) fn exe_name() -> &'static CStr {
    let mut exe = EXE.load(Ordering::Acquire);
    if exe.is_null() {
        exe = CString::new(kernel_exe()).unwrap_or_default().into_raw();
        EXE.store(exe, Ordering::Release);
    }
    // SAFETY: a leaked CString (module contract).
    unsafe { CStr::from_ptr(exe) }
}

fn kernel_exe() -> Vec<u8> {
    let path = std::fs::read_link("/proc/self/exe").unwrap_or_default();
    path.as_os_str().as_bytes().to_vec()
}

/// Determines the program's path. `exe` is argv[0], used if the kernel does not give it.
pub(super) fn name_exe(exe: Option<&CStr>) {
    if let Some(exe) = exe.filter(|_| kernel_exe().is_empty()) {
        EXE.store(exe.to_owned().into_raw(), Ordering::Release);
    }
    exe_name();
}

/// Stores the addresses on this thread's stack, innermost first; returns their number.
pub(crate) fn addresses(frames: &mut [usize]) -> usize {
    // SAFETY: the buffer has room for the stated number of frames; addresses are words.
    unsafe { backtrace(frames.as_mut_ptr().cast(), frames.len() as c_int) }.max(0) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_knows_its_path() {
        assert!(exe_name().to_bytes().starts_with(b"/"));
    }
}
