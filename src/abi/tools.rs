//! The tools' remaining chapters: system properties, memory, signals, streams, bytes.
#![allow(unsafe_code, non_camel_case_types)]

use crate::env;
use crate::fatal::fatal;
use crate::os::{affinity, host, process};
use crate::tools::bytes;
use core::ffi::{CStr, c_char, c_int, c_void};

/// A signal handler, SIG_DFL or SIG_IGN.
pub type gasnett_sighandlerfn_t = Option<unsafe extern "C" fn(sig: c_int)>;

/// Returns the number of processors that this process may use: the number in its affinity mask, or fewer if the
/// quota of its control group is smaller; 0 if unknown.
///
/// Source: GASNet tools 1.20, "System properties".
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_cpu_count() -> c_int {
    affinity::cpu_count() as c_int
}

/// Returns the size of this machine's memory, in bytes. If it cannot be determined, returns 0, or ends the job if
/// `failureIsFatal` is nonzero.
///
/// Source: GASNet tools 1.20, "System properties".
#[unsafe(no_mangle)]
#[allow(non_snake_case)]
pub extern "C" fn gasnett_getPhysMemSz(failureIsFatal: c_int) -> u64 {
    match host::memory_bytes() {
        Some(bytes) => bytes,
        None if failureIsFatal == 0 => 0,
        None => fatal!("gasnett_getPhysMemSz: the system does not tell how much memory it has"),
    }
}

/// Returns this machine's name, as gethostname() gives it.
///
/// Source: GASNet tools 1.20, "System properties".
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_gethostname() -> *const c_char {
    host::name().as_ptr()
}

/// Returns 1: the least significant byte of a number has the lowest address.
#[unsafe(no_mangle)]
#[allow(non_snake_case)]
pub extern "C" fn gasnett_isLittleEndian() -> c_int {
    c_int::from(cfg!(target_endian = "little"))
}

/// Returns the library's release as one increasing number: major * 1000000 + minor * 10000 + patch.
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_release_version() -> u64 {
    2_025_080_000
}

/// Returns the library's release as text.
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_release_version_str() -> *const c_char {
    c"2025.8.0".as_ptr()
}

/// Pins the calling thread to processor number `rank`, modulo their number, of the processors that the process may
/// use.
///
/// Returns 0 on success.
///
/// Source: GASNet tools 1.20, "Miscellaneous tools".
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_set_affinity(rank: c_int) -> c_int {
    c_int::from(rank < 0 || !affinity::pin(rank as usize))
}

/// Yields the processor to another thread that is ready to run.
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_sched_yield() {
    std::thread::yield_now();
}

/// Flushes stdout and stderr. Errors are ignored.
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_flush_streams() {
    // SAFETY: NULL flushes every output stream of the C library; the others are the process's own descriptors.
    unsafe {
        libc::fflush(core::ptr::null_mut());
        libc::fsync(libc::STDOUT_FILENO);
        libc::fsync(libc::STDERR_FILENO);
    }
}

/// Flushes and closes stdin, stdout and stderr. Errors are ignored.
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_close_streams() {
    gasnett_flush_streams();
    host::close_standard_streams();
}

/// Ends this process and its threads at once, without running atexit() functions.
///
/// Source: GASNet tools 1.20, "Miscellaneous tools".
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_killmyprocess(exitcode: c_int) -> ! {
    process::end_now(exitcode)
}

/// Registers `fp` as handler of signal `sigtocatch` and returns the previous handler. Interrupted calls restart.
///
/// Source: GASNet tools 1.20, "Miscellaneous tools".
///
/// # Safety
/// `fp` is SIG_DFL, SIG_IGN, or a function that is safe to run at any point of the program.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_reghandler(sigtocatch: c_int, fp: gasnett_sighandlerfn_t) -> gasnett_sighandlerfn_t {
    let handler = fp.map_or(libc::SIG_DFL, |f| f as libc::sighandler_t);
    // SAFETY: the caller keeps the contract above.
    let before = unsafe { libc::signal(sigtocatch, handler) };
    if before == libc::SIG_ERR {
        fatal!("gasnett_reghandler: signal {sigtocatch}: {}", std::io::Error::last_os_error());
    }
    // SAFETY: the value that signal() returned is SIG_DFL (0, hence None), SIG_IGN, or a handler of this type.
    unsafe { core::mem::transmute::<libc::sighandler_t, gasnett_sighandlerfn_t>(before) }
}

/// Returns the name of a signal, such as SIGSEGV, or NULL if there is no such signal.
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_signame_fromval(sigval: c_int) -> *const c_char {
    host::signal_name(sigval).map_or(core::ptr::null(), CStr::as_ptr)
}

/// Raises the soft limit `res` (RLIMIT_CPU, ...) to the hard limit, unless the environment contains
/// GASNET_MAXIMIZE_`lim_desc`=no.
///
/// Returns nonzero if the soft limit now equals the hard limit, or is not to be changed.
///
/// Source: GASNet tools 1.20, "Miscellaneous tools".
///
/// # Safety
/// `lim_desc` is a string, such as "RLIMIT_CPU".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_maximize_rlimit(res: c_int, lim_desc: *const c_char) -> c_int {
    // SAFETY: the caller keeps the contract above.
    let name = unsafe { CStr::from_ptr(lim_desc) }.to_string_lossy();
    c_int::from(!env::any_yes(&format!("GASNET_MAXIMIZE_{name}"), true) || host::raise_limit(res))
}

/// Raises the soft limits on processor time and on memory to the hard limits; see gasnett_maximize_rlimit.
///
/// Returns nonzero if it succeeded for all of them.
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_maximize_rlimits() -> c_int {
    let mut all = 1;
    for (res, name) in host::LIMITS {
        // SAFETY: `name` is a string.
        all &= unsafe { gasnett_maximize_rlimit(res, name.as_ptr()) };
    }
    all
}

/// Maps `segsize` bytes of zero-filled, page-aligned memory; ends the job if there is not enough memory.
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_mmap(segsize: usize) -> *mut c_void {
    match host::map_memory(segsize) {
        Ok(base) => base,
        Err(error) => fatal!("gasnett_mmap of {segsize} bytes: {error}"),
    }
}

/// Allocates `sz` bytes at a multiple of `align`, a power of two; to be released with free(). Ends the job if there
/// is not enough memory.
#[unsafe(no_mangle)]
pub extern "C" fn gasneti_malloc_aligned(align: usize, sz: usize) -> *mut c_void {
    let mut block = core::ptr::null_mut();
    // SAFETY: `block` is ours.
    let error = unsafe { libc::posix_memalign(&mut block, align.max(size_of::<usize>()), sz) };
    if error != 0 {
        fatal!("gasnett_malloc_aligned({align}, {sz}): {}", std::io::Error::from_raw_os_error(error));
    }
    block
}

/// Copies at most `n` bytes of string `s` to memory from malloc(), and appends a zero byte.
///
/// # Safety
/// `s` is a string, or has `n` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_strndup(s: *const c_char, n: usize) -> *mut c_char {
    // SAFETY: the caller keeps the contract above.
    unsafe { libc::strndup(s, n) }
}

/// Returns `function() at file:line` in memory from malloc().
///
/// # Safety
/// `function` and `file` are strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_current_loc(function: *const c_char, file: *const c_char, line: u32) -> *mut c_char {
    // SAFETY: the caller keeps the contract above.
    let (function, file) = unsafe { (CStr::from_ptr(function), CStr::from_ptr(file)) };
    let text = format!("{}() at {}:{line}\0", function.to_string_lossy(), file.to_string_lossy());
    // SAFETY: `text` is a string of that length.
    unsafe { libc::strndup(text.as_ptr().cast(), text.len()) }
}

/// Returns a 64-bit checksum of `numbytes` bytes: fast, not secure, the same within one run.
///
/// Source: GASNet tools 1.20, "Miscellaneous tools".
///
/// # Safety
/// `p` has `numbytes` readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_checksum(p: *const c_void, numbytes: c_int) -> u64 {
    // SAFETY: the caller keeps the contract above.
    unsafe { bytes::checksum(p, numbytes.max(0) as usize) }
}

/// Returns the number of zero bytes among the four bytes of `x`.
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_count0s_uint32_t(x: u32) -> c_int {
    // The upper half of the word that is counted has four zero bytes of its own.
    bytes::zeros_in(x.into()) as c_int - 4
}

/// Returns the number of zero bytes among the eight bytes of `x`.
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_count0s_uint64_t(x: u64) -> c_int {
    bytes::zeros_in(x) as c_int
}

/// Returns the number of zero bytes in `x`.
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_count0s_uintptr_t(x: usize) -> c_int {
    bytes::zeros_in(x as u64) as c_int
}

/// Returns the number of zero bytes among `numbytes` bytes.
///
/// # Safety
/// `p` has `numbytes` readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_count0s(p: *const c_void, numbytes: usize) -> usize {
    // SAFETY: the caller keeps the contract above.
    unsafe { bytes::zeros(p, numbytes) }
}

/// Copies `numbytes` bytes from `src` to `dst`, as memcpy, and returns the number of zero bytes among them.
///
/// # Safety
/// `src` has `numbytes` readable bytes and `dst` as many writable ones; they do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_count0s_copy(dst: *mut c_void, src: *const c_void, numbytes: usize) -> usize {
    // SAFETY: the caller keeps the contract above.
    unsafe { bytes::copy_zeros(dst, src, numbytes) }
}
