//! The tools' chapter on the environment, on fatal errors and on debuggers.
#![allow(unsafe_code, clippy::disallowed_methods)]

use crate::os::backtrace;
use crate::os::reserve::without_malloc;
use crate::{env, fatal};
use core::ffi::{CStr, c_char, c_double, c_int};
use std::collections::HashSet;
use std::ffi::CString;
use std::sync::{Mutex, PoisonError};

/// A client's string as text; bytes that are not UTF-8 show as such.
///
/// # Safety
/// `text` is a string.
unsafe fn text<'a>(call: &str, text: *const c_char) -> std::borrow::Cow<'a, str> {
    if text.is_null() {
        fatal::usage!(call, "a string argument is NULL");
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(text) }.to_string_lossy()
}

/// The bytes as a C string with the lifetime of the process; equal strings share one copy.
fn kept(bytes: &[u8]) -> *mut c_char {
    static KEPT: Mutex<Option<HashSet<CString>>> = Mutex::new(None);
    let string = CString::new(bytes).unwrap_or_default();
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let kept = kept.get_or_insert_with(HashSet::new);
    if !kept.contains(&string) {
        kept.insert(string.clone());
    }
    kept.get(&string).map_or(core::ptr::null(), |string| string.as_ptr()).cast_mut()
}

/// The implementation of `gasnet_getenv` and `gasnett_getenv`.
///
/// # Safety
/// `name` is a string. The value is valid until the variable is set again.
pub(crate) unsafe fn getenv(name: *const c_char) -> *mut c_char {
    if name.is_null() {
        return core::ptr::null_mut();
    }
    // SAFETY: the caller's string.
    let value = unsafe { libc::getenv(name) };
    if value.is_null() {
        return value;
    }
    // SAFETY: getenv returns a string.
    match env::decoded(unsafe { CStr::from_ptr(value) }.to_bytes()) {
        std::borrow::Cow::Borrowed(_) => value,
        std::borrow::Cow::Owned(decoded) => kept(&decoded),
    }
}

/// Returns the value of a variable of the job's environment, or NULL if it is not set.
///
/// May be called before `gasnet_init`. Escapes that a launcher added are decoded. Not reported under
/// `GASNET_VERBOSEENV`. The string must not be changed, and is valid until the variable is set again.
///
/// Source: GASNet tools 1.20, "Environment utilities".
///
/// # Safety
/// `keyname` is a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_getenv(keyname: *const c_char) -> *mut c_char {
    // SAFETY: the caller keeps the contract above.
    unsafe { getenv(keyname) }
}

/// Returns the value of a variable, or `defaultval` if it is not set; reported under `GASNET_VERBOSEENV`.
///
/// Source: GASNet tools 1.20, "Environment utilities".
///
/// # Safety
/// `keyname` is a string, and so is `defaultval` unless it is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_getenv_withdefault(keyname: *const c_char, defaultval: *const c_char) -> *mut c_char {
    // SAFETY: the caller's strings.
    let (name, value) = unsafe { (text("gasnett_getenv_withdefault", keyname), getenv(keyname)) };
    // SAFETY: as above.
    let default = (!defaultval.is_null()).then(|| unsafe { CStr::from_ptr(defaultval) }.to_string_lossy());
    env::any_str(&name, default.as_deref());
    if value.is_null() { defaultval.cast_mut() } else { value }
}

/// Returns 1 if the value of a variable is `Y`, `YES` or `1`, 0 if it is `N`, `NO` or `0` (in any case),
/// `defaultval` if it is not set. Reported under `GASNET_VERBOSEENV`.
///
/// Any other value is a fatal error.
///
/// Source: GASNet tools 1.20, "Environment utilities".
///
/// # Safety
/// `keyname` is a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_getenv_yesno_withdefault(keyname: *const c_char, defaultval: c_int) -> c_int {
    // SAFETY: the caller keeps the contract above.
    let name = unsafe { text("gasnett_getenv_yesno_withdefault", keyname) };
    env::any_yes(&name, defaultval != 0).into()
}

/// Returns the integer value of a variable, or `defaultval` if it is not set; reported under `GASNET_VERBOSEENV`.
///
/// With `mem_size_multiplier` 0 the value is an integer, decimal or `0x` hexadecimal. Otherwise it is a memory size,
/// which may be a decimal fraction, with an optional unit `B KB MB GB TB PB`; the default unit is
/// `mem_size_multiplier` bytes. A hexadecimal value without a sign may use all 64 bits: `0xffffffffffffffff` is -1.
///
/// Any other value is a fatal error.
///
/// Source: GASNet tools 1.20, "Environment utilities".
///
/// # Safety
/// `keyname` is a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_getenv_int_withdefault(
    keyname: *const c_char,
    defaultval: i64,
    mem_size_multiplier: u64,
) -> i64 {
    // SAFETY: the caller keeps the contract above.
    let name = unsafe { text("gasnett_getenv_int_withdefault", keyname) };
    env::any_int(&name, defaultval, mem_size_multiplier)
}

/// Returns the value of a variable, a floating-point number or fraction `a/b`, or `defaultval` if it is not set;
/// reported under `GASNET_VERBOSEENV`.
///
/// Any other value is a fatal error.
///
/// Source: GASNet tools 1.20, "Environment utilities".
///
/// # Safety
/// `keyname` is a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_getenv_dbl_withdefault(keyname: *const c_char, defaultval: c_double) -> c_double {
    // SAFETY: the caller keeps the contract above.
    let name = unsafe { text("gasnett_getenv_dbl_withdefault", keyname) };
    env::any_dbl(&name, defaultval)
}

/// Sets a variable in the environment of this process only.
///
/// Not to be called while another thread reads the environment.
///
/// Source: GASNet tools 1.20, "Environment utilities".
///
/// # Safety
/// Both are strings; `key` is not empty and has no `=`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_setenv(key: *const c_char, value: *const c_char) {
    // SAFETY: the caller's strings.
    let (name, _) = unsafe { (text("gasnett_setenv", key), text("gasnett_setenv", value)) };
    // SAFETY: as above.
    if unsafe { libc::setenv(key, value, 1) } != 0 {
        fatal::usage!("gasnett_setenv", "'{name}' cannot be set: {}", std::io::Error::last_os_error());
    }
}

/// Removes a variable from the environment of this process only.
///
/// Source: GASNet tools 1.20, "Environment utilities".
///
/// # Safety
/// `key` is a string, not empty, without `=`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_unsetenv(key: *const c_char) {
    // SAFETY: the caller's string.
    let name = unsafe { text("gasnett_unsetenv", key) };
    // SAFETY: as above.
    if unsafe { libc::unsetenv(key) } != 0 {
        fatal::usage!("gasnett_unsetenv", "'{name}' cannot be removed: {}", std::io::Error::last_os_error());
    }
}

/// Reads a number from a string: an integer if `mem_size_multiplier` is 0, otherwise a memory size (see
/// `gasnett_getenv_int_withdefault`).
///
/// If the string is not such a number, a warning is printed, and the result is that of the longest valid prefix, or
/// 0; numbers that do not fit into 64 bits saturate.
///
/// Source: GASNet tools 1.20, "Environment utilities".
///
/// # Safety
/// `str` is a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_parse_int(str: *const c_char, mem_size_multiplier: u64) -> i64 {
    // SAFETY: the caller keeps the contract above.
    let text = unsafe { text("gasnett_parse_int", str) };
    match env::int_or_size(&text, mem_size_multiplier) {
        Ok(value) => value,
        Err(allowed) => {
            let value = env::parse::longest_int(&text, mem_size_multiplier);
            fatal::warn!("gasnett_parse_int: '{text}' is read as {value}: should be {allowed}");
            value
        }
    }
}

/// Formats `val` in `buf`: a memory size with the largest unit that represents it exactly, or a plain number. The
/// text is truncated to `bufsz` bytes. Returns `buf`.
///
/// Source: GASNet tools 1.20, "Environment utilities".
///
/// # Safety
/// `buf` has `bufsz` writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_format_number(
    val: i64,
    buf: *mut c_char,
    bufsz: usize,
    is_mem_size: c_int,
) -> *mut c_char {
    let text = env::parse::number(val, is_mem_size != 0);
    if bufsz > 0 {
        let len = text.len().min(bufsz - 1);
        // SAFETY: `len + 1` is at most `bufsz`.
        unsafe {
            core::ptr::copy_nonoverlapping(text.as_ptr().cast(), buf, len);
            buf.add(len).write(0);
        }
    }
    buf
}

/// Returns nonzero if this process reports environment settings (`GASNET_VERBOSEENV`, rank 0). May change during init.
///
/// Source: GASNet tools 1.20, "Environment utilities".
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_verboseenv() -> c_int {
    env::is_verbose().into()
}

/// Reports an integer setting if `gasnett_verboseenv()`.
///
/// Source: GASNet tools 1.20, "Environment utilities".
///
/// # Safety
/// `key` is a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_envint_display(key: *const c_char, val: i64, is_dflt: c_int, is_mem_size: c_int) {
    // SAFETY: the caller keeps the contract above.
    let name = unsafe { text("gasnett_envint_display", key) };
    env::display(&name, &env::parse::number(val, is_mem_size != 0), is_dflt != 0);
}

/// Reports a text setting if `gasnett_verboseenv()`.
///
/// Source: GASNet tools 1.20, "Environment utilities".
///
/// # Safety
/// `key` is a string, and so is `val` unless it is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_envstr_display(key: *const c_char, val: *const c_char, is_dflt: c_int) {
    // SAFETY: the caller keeps the contract above.
    let name = unsafe { text("gasnett_envstr_display", key) };
    // SAFETY: as above.
    let val = (!val.is_null()).then(|| unsafe { CStr::from_ptr(val) }.to_string_lossy());
    env::display(&name, val.as_deref().unwrap_or("*not set*"), is_dflt != 0);
}

/// Reports a floating-point setting if `gasnett_verboseenv()`.
///
/// Source: GASNet tools 1.20, "Environment utilities".
///
/// # Safety
/// `key` is a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_envdbl_display(key: *const c_char, val: c_double, is_dflt: c_int) {
    // SAFETY: the caller keeps the contract above.
    let name = unsafe { text("gasnett_envdbl_display", key) };
    env::display(&name, &val.to_string(), is_dflt != 0);
}

/// Returns a description of settings that reduce performance, for a benchmark's log; the empty string if there are
/// none.
///
/// Source: GASNet tools 1.20, "Performance warnings".
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_performance_warning_str() -> *const c_char {
    let text = if cfg!(debug_assertions) { c"the GASNet library was built without optimization" } else { c"" };
    text.as_ptr()
}

/// Called by `gasnett_freezeForDebuggerNow` of abi/c/printf.c.
///
/// # Safety
/// `flag` points to an int; `name` is a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_freeze(flag: *mut c_int, name: *const c_char) {
    if flag.is_null() {
        fatal::usage!("gasnett_freezeForDebuggerNow", "flag is NULL");
    }
    // SAFETY: the caller keeps the contract above.
    unsafe { backtrace::freeze(flag, &text("gasnett_freezeForDebuggerNow", name)) };
}

/// Stops the process for a debugger if the user set `GASNET_FREEZE_ON_ERROR`.
///
/// Source: GASNet tools 1.20, "Backtracing and debugger attach".
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_freezeForDebuggerErr() {
    backtrace::freeze_on_error();
}

/// Initialises backtraces. To be called early, with argv[0], and again after changes of the variables for
/// backtraces.
///
/// Source: GASNet tools 1.20, "Backtracing and debugger attach".
///
/// # Safety
/// `exename` is a string, or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_backtrace_init(exename: *const c_char) {
    // SAFETY: the caller keeps the contract above.
    backtrace::setup::init((!exename.is_null()).then(|| unsafe { CStr::from_ptr(exename) }));
    backtrace::setup::watch_signals();
}

/// Writes a backtrace to descriptor `fd`, using the first mechanism of `GASNET_BACKTRACE_TYPE` that succeeds.
///
/// Returns 0 if one succeeded.
///
/// Source: GASNet tools 1.20, "Backtracing and debugger attach".
#[unsafe(no_mangle)]
pub extern "C-unwind" fn gasnett_print_backtrace(fd: c_int) -> c_int {
    (!backtrace::print(fd)).into()
}

/// The initial value of `gasnett_print_backtrace_ifenabled`.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn gasneti_default_print_backtrace_ifenabled(fd: c_int) -> c_int {
    (!backtrace::default_print_if_enabled(fd)).into()
}

/// Returns the path of this program.
///
/// Source: GASNet tools 1.20, "Backtracing and debugger attach".
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_exe_name() -> *const c_char {
    backtrace::stack::exe_name().as_ptr()
}

/// Called by the functions of abi/c/printf.c after formatting.
///
/// # Safety
/// `message` is a string.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn gasneti_fatal_text(message: *const c_char, with_place: c_int) -> ! {
    // May be called in a signal handler of the client.
    without_malloc(|| {
        // SAFETY: the caller keeps the contract above.
        let message = unsafe { text("gasnett_fatalerror", message) };
        let message = message.trim_end_matches('\n');
        match with_place {
            0 => fatal::fatal!("{message}"),
            _ => fatal::fatal!("{message}{}", fatal::place()),
        }
    })
}
