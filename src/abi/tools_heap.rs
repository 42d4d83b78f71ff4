//! The checked heap's names, which the headers of clients compiled with -DGASNET_DEBUGMALLOC call, and
//! gasnett_getheapstats.
//!
//! # Safety
//! Every function trusts that `file` is a string literal; addresses of blocks are looked up before they are used.
#![allow(unsafe_code, non_camel_case_types)]

use super::tools_lock::place;
use crate::os::host;
use crate::tools::heap;
use core::ffi::{c_char, c_void};

/// The result of gasnett_getheapstats.
#[repr(C)]
pub struct gasnett_heapstats_t {
    /// Bytes that the program has allocated and not freed.
    pub live_bytes: u64,
    /// Bytes that the allocator holds and that are not in use.
    pub free_bytes: u64,
    /// Bytes that the allocator has obtained from the system.
    pub total_bytes: u64,
    /// Figures of gasnett_debug_malloc and related functions, if they are checked: currently allocated,
    pub debug_live_bytes: u64,
    pub debug_live_blocks: u64,
    /// the maximum of that,
    pub debug_peak_bytes: u64,
    /// and the total of all allocations.
    pub debug_allocated_bytes: u64,
    pub debug_allocated_blocks: u64,
    pub debug_freed_bytes: u64,
    pub debug_freed_blocks: u64,
}

fn pointer<T>(at: usize) -> *mut T {
    core::ptr::with_exposed_provenance_mut(at)
}

/// gasnett_debug_malloc: as malloc(), with guards around the block.
///
/// # Safety
/// `file` is a string literal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_debug_malloc(sz: usize, file: *const c_char, line: u32) -> *mut c_void {
    // SAFETY: the caller keeps the contract above.
    let here = unsafe { place(file, line) };
    pointer(heap::allocate("gasnett_debug_malloc", sz, false, here))
}

/// gasnett_debug_calloc: as calloc(), with guards around the block.
///
/// # Safety
/// `file` is a string literal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_debug_calloc(n: usize, sz: usize, file: *const c_char, line: u32) -> *mut c_void {
    // SAFETY: the caller keeps the contract above.
    let here = unsafe { place(file, line) };
    let bytes = n.saturating_mul(sz);
    pointer(heap::allocate("gasnett_debug_calloc", bytes, true, here))
}

/// gasnett_debug_realloc: as realloc(); the block always moves.
///
/// # Safety
/// `file` is a string literal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_debug_realloc(
    ptr: *mut c_void,
    sz: usize,
    file: *const c_char,
    line: u32,
) -> *mut c_void {
    const CALL: &str = "gasnett_debug_realloc";
    // SAFETY: the caller keeps the contract above.
    let here = unsafe { place(file, line) };
    match (ptr.is_null(), sz) {
        (true, _) => pointer(heap::allocate(CALL, sz, false, here)),
        (false, 0) => {
            heap::free(CALL, ptr.addr(), here);
            core::ptr::null_mut()
        }
        (false, _) => pointer(heap::resize(CALL, ptr.addr(), sz, here)),
    }
}

/// gasnett_debug_free: ends the job if `ptr` is not a block, was freed before, or was overrun. NULL is ignored.
///
/// # Safety
/// `file` is a string literal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_debug_free(ptr: *mut c_void, file: *const c_char, line: u32) {
    // SAFETY: the caller keeps the contract above.
    let here = unsafe { place(file, line) };
    heap::free("gasnett_debug_free", ptr.addr(), here);
}

/// gasnett_debug_strndup: as strndup(); gasnett_debug_strdup with the largest `n`.
///
/// # Safety
/// `file` is a string literal; `s` is a string, or has `n` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_debug_strndup(
    s: *const c_char,
    n: usize,
    file: *const c_char,
    line: u32,
) -> *mut c_char {
    // SAFETY: the caller keeps the contract above.
    let (here, bytes) = unsafe { (place(file, line), libc::strnlen(s, n)) };
    let call = if n == usize::MAX { "gasnett_debug_strdup" } else { "gasnett_debug_strndup" };
    let block: *mut c_char = pointer(heap::allocate(call, bytes.saturating_add(1), false, here));
    if !block.is_null() {
        // SAFETY: `bytes` characters of `s` (strnlen), and a new block of one more.
        unsafe {
            block.copy_from_nonoverlapping(s, bytes);
            block.add(bytes).write(0);
        }
    }
    block
}

/// gasnett_debug_memcheck: ends the job if `ptr` is not an allocated block, or was overrun. NULL is ignored.
///
/// # Safety
/// `file` is a string literal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_debug_memcheck(ptr: *const c_void, file: *const c_char, line: u32) {
    // SAFETY: the caller keeps the contract above.
    heap::check("gasnett_debug_memcheck", ptr.addr(), unsafe { place(file, line) });
}

/// gasnett_debug_memcheck_one: as gasnett_debug_memcheck, for one block, each time the next.
///
/// # Safety
/// `file` is a string literal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_debug_memcheck_one(file: *const c_char, line: u32) {
    // SAFETY: the caller keeps the contract above.
    heap::check_one("gasnett_debug_memcheck_one", unsafe { place(file, line) });
}

/// gasnett_debug_memcheck_all: as gasnett_debug_memcheck, for all blocks, and for freed ones if
/// GASNET_MALLOC_SCANFREED.
///
/// # Safety
/// `file` is a string literal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_debug_memcheck_all(file: *const c_char, line: u32) {
    // SAFETY: the caller keeps the contract above.
    heap::check_all("gasnett_debug_memcheck_all", unsafe { place(file, line) });
}

/// Fills `*pstat` with figures of the C library's heap, and of the checked heap.
///
/// # Safety
/// `pstat` points to one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_getheapstats(pstat: *mut gasnett_heapstats_t) {
    let (live_bytes, free_bytes, total_bytes) = host::heap_bytes();
    let debug = heap::stats();
    let stats = gasnett_heapstats_t {
        live_bytes,
        free_bytes,
        total_bytes,
        debug_live_bytes: debug.live_bytes,
        debug_live_blocks: debug.live_blocks,
        debug_peak_bytes: debug.peak_bytes,
        debug_allocated_bytes: debug.allocated_bytes,
        debug_allocated_blocks: debug.allocated_blocks,
        debug_freed_bytes: debug.freed_bytes,
        debug_freed_blocks: debug.freed_blocks,
    };
    // SAFETY: the caller keeps the contract above.
    unsafe { pstat.write(stats) };
}

/// Writes the checked heap's report to the stream `f`, or to stderr if that is NULL.
///
/// # Safety
/// `f` is an open stream or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasneti_heapinfo_dump(f: *mut c_void) {
    let report = heap::report();
    if f.is_null() {
        return crate::fatal::write_stderr(report.as_bytes());
    }
    // SAFETY: the caller's stream.
    unsafe { libc::fwrite(report.as_ptr().cast(), 1, report.len(), f.cast()) };
}
