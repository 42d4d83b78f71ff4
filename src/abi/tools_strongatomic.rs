//! The strong atomic operations as symbols; see tools_atomic.rs.
//!
//! # Safety
//! Every function trusts its pointer.
#![allow(unsafe_code, non_camel_case_types)]

use super::tools_atomic::{ALL, gasnett_atomic_val_t, gasnett_atomic32_t, gasnett_atomic64_t};
use super::tools_atomic::{load_32, load_64, ordered, store_32, store_64, word_32, word_64};
use core::ffi::c_int;

pub type gasnett_strongatomic_t = gasnett_atomic32_t;
pub type gasnett_strongatomic32_t = gasnett_atomic32_t;
pub type gasnett_strongatomic64_t = gasnett_atomic64_t;

/// Stores `v` in `*p`.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_strongatomic_set(
    p: *mut gasnett_strongatomic_t,
    v: gasnett_atomic_val_t,
    flags: c_int,
) {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_32(p.cast()) };
    store_32(word, v, flags)
}

/// Returns `*p`.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_strongatomic_read(
    p: *mut gasnett_strongatomic_t,
    flags: c_int,
) -> gasnett_atomic_val_t {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_32(p.cast()) };
    load_32(word, flags)
}

/// Adds 1 to `*p`.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_strongatomic_increment(p: *mut gasnett_strongatomic_t, flags: c_int) {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_32(p.cast()) };
    ordered(flags, || word.fetch_add(1, ALL));
}

/// Subtracts 1 from `*p`.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_strongatomic_decrement(p: *mut gasnett_strongatomic_t, flags: c_int) {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_32(p.cast()) };
    ordered(flags, || word.fetch_sub(1, ALL));
}

/// Subtracts 1 from `*p`; returns nonzero if the result is 0.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_strongatomic_decrement_and_test(
    p: *mut gasnett_strongatomic_t,
    flags: c_int,
) -> c_int {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_32(p.cast()) };
    c_int::from(ordered(flags, || word.fetch_sub(1, ALL)) == 1)
}

/// Adds `op` to `*p` and returns the sum; it wraps around.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_strongatomic_add(
    p: *mut gasnett_strongatomic_t,
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
pub unsafe extern "C" fn gasnett_strongatomic_subtract(
    p: *mut gasnett_strongatomic_t,
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
pub unsafe extern "C" fn gasnett_strongatomic_compare_and_swap(
    p: *mut gasnett_strongatomic_t,
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
pub unsafe extern "C" fn gasnett_strongatomic_swap(
    p: *mut gasnett_strongatomic_t,
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
pub unsafe extern "C" fn gasnett_strongatomic32_set(p: *mut gasnett_strongatomic32_t, v: u32, flags: c_int) {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_32(p.cast()) };
    store_32(word, v, flags)
}

/// Returns `*p`.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_strongatomic32_read(p: *mut gasnett_strongatomic32_t, flags: c_int) -> u32 {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_32(p.cast()) };
    load_32(word, flags)
}

/// Adds 1 to `*p`.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_strongatomic32_increment(p: *mut gasnett_strongatomic32_t, flags: c_int) {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_32(p.cast()) };
    ordered(flags, || word.fetch_add(1, ALL));
}

/// Subtracts 1 from `*p`.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_strongatomic32_decrement(p: *mut gasnett_strongatomic32_t, flags: c_int) {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_32(p.cast()) };
    ordered(flags, || word.fetch_sub(1, ALL));
}

/// Subtracts 1 from `*p`; returns nonzero if the result is 0.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_strongatomic32_decrement_and_test(
    p: *mut gasnett_strongatomic32_t,
    flags: c_int,
) -> c_int {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_32(p.cast()) };
    c_int::from(ordered(flags, || word.fetch_sub(1, ALL)) == 1)
}

/// Adds `op` to `*p` and returns the sum; it wraps around.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_strongatomic32_add(p: *mut gasnett_strongatomic32_t, op: u32, flags: c_int) -> u32 {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_32(p.cast()) };
    ordered(flags, || word.fetch_add(op, ALL)).wrapping_add(op)
}

/// Subtracts `op` from `*p` and returns the difference; it wraps around.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_strongatomic32_subtract(
    p: *mut gasnett_strongatomic32_t,
    op: u32,
    flags: c_int,
) -> u32 {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_32(p.cast()) };
    ordered(flags, || word.fetch_sub(op, ALL)).wrapping_sub(op)
}

/// Stores `newval` in `*p` if `*p` equals `oldval`; returns nonzero if it did.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_strongatomic32_compare_and_swap(
    p: *mut gasnett_strongatomic32_t,
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
pub unsafe extern "C" fn gasnett_strongatomic32_swap(
    p: *mut gasnett_strongatomic32_t,
    newval: u32,
    flags: c_int,
) -> u32 {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_32(p.cast()) };
    ordered(flags, || word.swap(newval, ALL))
}

/// Stores `v` in `*p`.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_strongatomic64_set(p: *mut gasnett_strongatomic64_t, v: u64, flags: c_int) {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_64(p.cast()) };
    store_64(word, v, flags)
}

/// Returns `*p`.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_strongatomic64_read(p: *mut gasnett_strongatomic64_t, flags: c_int) -> u64 {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_64(p.cast()) };
    load_64(word, flags)
}

/// Adds 1 to `*p`.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_strongatomic64_increment(p: *mut gasnett_strongatomic64_t, flags: c_int) {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_64(p.cast()) };
    ordered(flags, || word.fetch_add(1, ALL));
}

/// Subtracts 1 from `*p`.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_strongatomic64_decrement(p: *mut gasnett_strongatomic64_t, flags: c_int) {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_64(p.cast()) };
    ordered(flags, || word.fetch_sub(1, ALL));
}

/// Subtracts 1 from `*p`; returns nonzero if the result is 0.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_strongatomic64_decrement_and_test(
    p: *mut gasnett_strongatomic64_t,
    flags: c_int,
) -> c_int {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_64(p.cast()) };
    c_int::from(ordered(flags, || word.fetch_sub(1, ALL)) == 1)
}

/// Adds `op` to `*p` and returns the sum; it wraps around.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_strongatomic64_add(p: *mut gasnett_strongatomic64_t, op: u64, flags: c_int) -> u64 {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_64(p.cast()) };
    ordered(flags, || word.fetch_add(op, ALL)).wrapping_add(op)
}

/// Subtracts `op` from `*p` and returns the difference; it wraps around.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_strongatomic64_subtract(
    p: *mut gasnett_strongatomic64_t,
    op: u64,
    flags: c_int,
) -> u64 {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_64(p.cast()) };
    ordered(flags, || word.fetch_sub(op, ALL)).wrapping_sub(op)
}

/// Stores `newval` in `*p` if `*p` equals `oldval`; returns nonzero if it did.
///
/// # Safety
/// `p` points to an initialised word that is accessed only by atomic operations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gasnett_strongatomic64_compare_and_swap(
    p: *mut gasnett_strongatomic64_t,
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
pub unsafe extern "C" fn gasnett_strongatomic64_swap(
    p: *mut gasnett_strongatomic64_t,
    newval: u64,
    flags: c_int,
) -> u64 {
    // SAFETY: the caller keeps the contract.
    let word = unsafe { word_64(p.cast()) };
    ordered(flags, || word.swap(newval, ALL))
}
