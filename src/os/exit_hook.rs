//! The functions that `exit` and a return from main call.
//!
//! # Safety
//! `on_exit` and the arrays of the object file take functions of their C types, which stay for the life of the process: the library is
//! linked with `-z nodelete`.
#![allow(unsafe_code)]

use core::ffi::{c_int, c_void};
use core::ptr::null_mut;
use std::sync::OnceLock;

use crate::sync::atomic::{AtomicI64, AtomicU32, Ordering};

unsafe extern "C" {
    fn on_exit(call: extern "C" fn(c_int, *mut c_void), arg: *mut c_void) -> c_int;
}

static AT_EXIT: OnceLock<fn(c_int)> = OnceLock::new();
/// The exit status, with [`IS_KNOWN`].
static STATUS: AtomicI64 = AtomicI64::new(0);
const IS_KNOWN: i64 = 1 << 32;

extern "C" fn at_exit(status: c_int, _: *mut c_void) {
    static RAN: AtomicU32 = AtomicU32::new(0);
    if RAN.swap(1, Ordering::AcqRel) == 0 {
        if let Some(call) = AT_EXIT.get() {
            call(status);
        }
    }
}

/// Registers a hook for `exit` and a return from main. Done when the library is loaded, before any constructor or
/// `main` of the client: such functions run in reverse order, so ours comes after the client's own.
extern "C" fn reserve() {
    static DONE: AtomicU32 = AtomicU32::new(0);
    if DONE.swap(1, Ordering::AcqRel) == 0 {
        // SAFETY: head of the file.
        unsafe { on_exit(at_exit, null_mut()) };
    }
}

// The lowest priority that is not reserved for the compiler's runtime.
#[used]
#[unsafe(link_section = ".init_array.00101")]
static AT_LOAD: extern "C" fn() = reserve;

/// `exit` calls the hook of a shared library that the program names after the destructors of all libraries, a network's too, which must
/// still work then. A destructor of this library comes after those of the program and of libraries that need this one, and before those of
/// libraries that were opened later; but only a hook is given the status.
extern "C" fn at_end() {
    let status = STATUS.load(Ordering::Acquire);
    if status & IS_KNOWN != 0 {
        at_exit(status as c_int, null_mut());
    }
}

#[used]
#[unsafe(link_section = ".fini_array")]
static AT_END: extern "C" fn() = at_end;

extern "C" fn note_status(status: c_int, _: *mut c_void) {
    STATUS.store(i64::from(status as u32) | IS_KNOWN, Ordering::Release);
}

/// The function that the hook calls with the exit status.
pub(crate) fn call_at_exit(call: fn(c_int)) {
    let _ = AT_EXIT.set(call);
    reserve();
    // SAFETY: head of the file.
    unsafe { on_exit(note_status, null_mut()) };
}

/// The hook runs before those that were registered before this call, such as that of a library that has just been initialised.
pub(crate) fn renew() {
    // SAFETY: head of the file.
    unsafe { on_exit(at_exit, null_mut()) };
}
