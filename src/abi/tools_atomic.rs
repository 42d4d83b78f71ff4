//! The atomic operations as symbols, for languages that cannot use the inline functions of tools_atomic.h. The weak
//! operations here are as strong as the strong ones.
//!
//! # Safety
//! Every function trusts its pointer.
#![allow(unsafe_code, non_camel_case_types)]

use crate::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};
use core::ffi::c_int;

/// A 32-bit word for atomic operations.
#[repr(C)]
pub struct gasnett_atomic32_t {
    pub gasneti_word: u32,
}

/// A 64-bit word for atomic operations.
#[repr(C)]
pub struct gasnett_atomic64_t {
    pub gasneti_word: u64,
}

pub type gasnett_atomic_t = gasnett_atomic32_t;
/// The value type of gasnett_atomic_t.
pub type gasnett_atomic_val_t = u32;
/// The signed value type of gasnett_atomic_t.
pub type gasnett_atomic_sval_t = i32;

pub(super) const ALL: Ordering = Ordering::SeqCst;
const BEFORE: c_int = 0x3;
const AFTER: c_int = 0xc;
/// A locked instruction of x86-64 is a full barrier on both sides, so that there a read-modify-write satisfies every flag.
const EXCHANGE_IS_BARRIER: bool = cfg!(target_arch = "x86_64");

/// A read-modify-write of order `ALL`, between the barriers that `flags` ask for.
#[inline(always)]
pub(super) fn ordered<T>(flags: c_int, operation: impl FnOnce() -> T) -> T {
    let around = |side| {
        if !EXCHANGE_IS_BARRIER {
            fence(if flags & side == side { ALL } else { Ordering::AcqRel });
        }
    };
    around(BEFORE);
    let found = operation();
    around(AFTER);
    found
}

pub(super) unsafe fn word_32<'a>(p: *mut u32) -> &'a AtomicU32 {
    // SAFETY: the caller of the exported function promised a live word, touched by atomic operations alone.
    unsafe { AtomicU32::from_ptr(p) }
}

pub(super) fn store_32(word: &AtomicU32, v: u32, flags: c_int) {
    let full = flags & BEFORE == BEFORE || flags & AFTER == AFTER;
    if full && EXCHANGE_IS_BARRIER {
        word.swap(v, ALL);
        return;
    }
    fence(if full { ALL } else { Ordering::AcqRel });
    // Release, and the fences, pair with the Acquire in `load_32`.
    word.store(v, Ordering::Release);
    fence(if full { ALL } else { Ordering::AcqRel });
}

pub(super) fn load_32(word: &AtomicU32, flags: c_int) -> u32 {
    fence(if flags & BEFORE == BEFORE { ALL } else { Ordering::AcqRel });
    let v = word.load(Ordering::Acquire);
    fence(if flags & AFTER == AFTER { ALL } else { Ordering::AcqRel });
    v
}

pub(super) unsafe fn word_64<'a>(p: *mut u64) -> &'a AtomicU64 {
    // SAFETY: the caller of the exported function promised a live word, touched by atomic operations alone.
    unsafe { AtomicU64::from_ptr(p) }
}

pub(super) fn store_64(word: &AtomicU64, v: u64, flags: c_int) {
    let full = flags & BEFORE == BEFORE || flags & AFTER == AFTER;
    if full && EXCHANGE_IS_BARRIER {
        word.swap(v, ALL);
        return;
    }
    fence(if full { ALL } else { Ordering::AcqRel });
    // Release, and the fences, pair with the Acquire in `load_64`.
    word.store(v, Ordering::Release);
    fence(if full { ALL } else { Ordering::AcqRel });
}

pub(super) fn load_64(word: &AtomicU64, flags: c_int) -> u64 {
    fence(if flags & BEFORE == BEFORE { ALL } else { Ordering::AcqRel });
    let v = word.load(Ordering::Acquire);
    fence(if flags & AFTER == AFTER { ALL } else { Ordering::AcqRel });
    v
}

/// A value read from a gasnett_atomic_t, signed.
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_atomic_signed(v: gasnett_atomic_val_t) -> gasnett_atomic_sval_t {
    v as gasnett_atomic_sval_t
}

/// Stores `v` in `*p`.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_atomic_set(p: *mut gasnett_atomic_t, v: gasnett_atomic_val_t, flags: c_int) {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_32(p.cast()) };
    store_32(word, v, flags)
}

/// Returns `*p`.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_atomic_read(p: *mut gasnett_atomic_t, flags: c_int) -> gasnett_atomic_val_t {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_32(p.cast()) };
    load_32(word, flags)
}

/// Adds 1 to `*p`.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_atomic_increment(p: *mut gasnett_atomic_t, flags: c_int) {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_32(p.cast()) };
    ordered(flags, || word.fetch_add(1, ALL));
}

/// Subtracts 1 from `*p`.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_atomic_decrement(p: *mut gasnett_atomic_t, flags: c_int) {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_32(p.cast()) };
    ordered(flags, || word.fetch_sub(1, ALL));
}

/// Subtracts 1 from `*p`; returns nonzero if the result is 0.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_atomic_decrement_and_test(p: *mut gasnett_atomic_t, flags: c_int) -> c_int {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_32(p.cast()) };
    c_int::from(ordered(flags, || word.fetch_sub(1, ALL)) == 1)
}

/// Adds `op` to `*p` and returns the sum; it wraps around.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_atomic_add(
    p: *mut gasnett_atomic_t,
    op: gasnett_atomic_val_t,
    flags: c_int,
) -> gasnett_atomic_val_t {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_32(p.cast()) };
    ordered(flags, || word.fetch_add(op, ALL)).wrapping_add(op)
}

/// Subtracts `op` from `*p` and returns the difference; it wraps around.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_atomic_subtract(
    p: *mut gasnett_atomic_t,
    op: gasnett_atomic_val_t,
    flags: c_int,
) -> gasnett_atomic_val_t {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_32(p.cast()) };
    ordered(flags, || word.fetch_sub(op, ALL)).wrapping_sub(op)
}

/// Stores `newval` in `*p` if `*p` equals `oldval`; returns nonzero if it did.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_atomic_compare_and_swap(
    p: *mut gasnett_atomic_t,
    oldval: gasnett_atomic_val_t,
    newval: gasnett_atomic_val_t,
    flags: c_int,
) -> c_int {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_32(p.cast()) };
    c_int::from(ordered(flags, || word.compare_exchange(oldval, newval, ALL, ALL)).is_ok())
}

/// Stores `newval` in `*p` and returns the previous value.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_atomic_swap(
    p: *mut gasnett_atomic_t,
    newval: gasnett_atomic_val_t,
    flags: c_int,
) -> gasnett_atomic_val_t {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_32(p.cast()) };
    ordered(flags, || word.swap(newval, ALL))
}

/// Stores `v` in `*p`.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_atomic32_set(p: *mut gasnett_atomic32_t, v: u32, flags: c_int) {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_32(p.cast()) };
    store_32(word, v, flags)
}

/// Returns `*p`.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_atomic32_read(p: *mut gasnett_atomic32_t, flags: c_int) -> u32 {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_32(p.cast()) };
    load_32(word, flags)
}

/// Adds 1 to `*p`.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_atomic32_increment(p: *mut gasnett_atomic32_t, flags: c_int) {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_32(p.cast()) };
    ordered(flags, || word.fetch_add(1, ALL));
}

/// Subtracts 1 from `*p`.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_atomic32_decrement(p: *mut gasnett_atomic32_t, flags: c_int) {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_32(p.cast()) };
    ordered(flags, || word.fetch_sub(1, ALL));
}

/// Subtracts 1 from `*p`; returns nonzero if the result is 0.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_atomic32_decrement_and_test(p: *mut gasnett_atomic32_t, flags: c_int) -> c_int {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_32(p.cast()) };
    c_int::from(ordered(flags, || word.fetch_sub(1, ALL)) == 1)
}

/// Adds `op` to `*p` and returns the sum; it wraps around.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_atomic32_add(p: *mut gasnett_atomic32_t, op: u32, flags: c_int) -> u32 {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_32(p.cast()) };
    ordered(flags, || word.fetch_add(op, ALL)).wrapping_add(op)
}

/// Subtracts `op` from `*p` and returns the difference; it wraps around.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_atomic32_subtract(p: *mut gasnett_atomic32_t, op: u32, flags: c_int) -> u32 {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_32(p.cast()) };
    ordered(flags, || word.fetch_sub(op, ALL)).wrapping_sub(op)
}

/// Stores `newval` in `*p` if `*p` equals `oldval`; returns nonzero if it did.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_atomic32_compare_and_swap(
    p: *mut gasnett_atomic32_t,
    oldval: u32,
    newval: u32,
    flags: c_int,
) -> c_int {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_32(p.cast()) };
    c_int::from(ordered(flags, || word.compare_exchange(oldval, newval, ALL, ALL)).is_ok())
}

/// Stores `newval` in `*p` and returns the previous value.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_atomic32_swap(p: *mut gasnett_atomic32_t, newval: u32, flags: c_int) -> u32 {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_32(p.cast()) };
    ordered(flags, || word.swap(newval, ALL))
}

/// Stores `v` in `*p`.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_atomic64_set(p: *mut gasnett_atomic64_t, v: u64, flags: c_int) {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_64(p.cast()) };
    store_64(word, v, flags)
}

/// Returns `*p`.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_atomic64_read(p: *mut gasnett_atomic64_t, flags: c_int) -> u64 {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_64(p.cast()) };
    load_64(word, flags)
}

/// Adds 1 to `*p`.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_atomic64_increment(p: *mut gasnett_atomic64_t, flags: c_int) {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_64(p.cast()) };
    ordered(flags, || word.fetch_add(1, ALL));
}

/// Subtracts 1 from `*p`.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_atomic64_decrement(p: *mut gasnett_atomic64_t, flags: c_int) {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_64(p.cast()) };
    ordered(flags, || word.fetch_sub(1, ALL));
}

/// Subtracts 1 from `*p`; returns nonzero if the result is 0.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_atomic64_decrement_and_test(p: *mut gasnett_atomic64_t, flags: c_int) -> c_int {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_64(p.cast()) };
    c_int::from(ordered(flags, || word.fetch_sub(1, ALL)) == 1)
}

/// Adds `op` to `*p` and returns the sum; it wraps around.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_atomic64_add(p: *mut gasnett_atomic64_t, op: u64, flags: c_int) -> u64 {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_64(p.cast()) };
    ordered(flags, || word.fetch_add(op, ALL)).wrapping_add(op)
}

/// Subtracts `op` from `*p` and returns the difference; it wraps around.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_atomic64_subtract(p: *mut gasnett_atomic64_t, op: u64, flags: c_int) -> u64 {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_64(p.cast()) };
    ordered(flags, || word.fetch_sub(op, ALL)).wrapping_sub(op)
}

/// Stores `newval` in `*p` if `*p` equals `oldval`; returns nonzero if it did.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_atomic64_compare_and_swap(
    p: *mut gasnett_atomic64_t,
    oldval: u64,
    newval: u64,
    flags: c_int,
) -> c_int {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_64(p.cast()) };
    c_int::from(ordered(flags, || word.compare_exchange(oldval, newval, ALL, ALL)).is_ok())
}

/// Stores `newval` in `*p` and returns the previous value.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_atomic64_swap(p: *mut gasnett_atomic64_t, newval: u64, flags: c_int) -> u64 {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_64(p.cast()) };
    ordered(flags, || word.swap(newval, ALL))
}
