//! The tools' chapters on timers, sleep and memory barriers.
#![allow(unsafe_code, non_camel_case_types)]

use crate::os::clock;
use crate::sync::atomic::{Ordering, compiler_fence, fence};
use core::ffi::c_int;

/// Returns the current tick count. Ticks of different processes or machines are not comparable.
///
/// Source: GASNet tools 1.20, "Timers".
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_ticks_now() -> u64 {
    clock::ticks_now()
}

/// Converts a number of ticks to nanoseconds.
///
/// The first conversion in a process measures the tick rate, which may take two milliseconds.
///
/// Source: GASNet tools 1.20, "Timers".
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_ticks_to_ns(ticks: u64) -> u64 {
    clock::ticks_to_ns(ticks)
}

/// Converts a number of ticks to microseconds.
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_ticks_to_us(ticks: u64) -> u64 {
    clock::ticks_to_ns(ticks) / 1000
}

/// Returns the smallest step between two different readings of the timer, in microseconds.
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_tick_granularityus() -> f64 {
    clock::granularity_us()
}

/// Returns the time that one reading of the timer takes, in microseconds.
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_tick_overheadus() -> f64 {
    clock::overhead_us()
}

/// Returns the microseconds since 1970.
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_gettimeofday_us() -> u64 {
    clock::wall_us()
}

/// Sleeps for at least `ns_delay` nanoseconds; not at all if that is 0.
///
/// Returns 0; nonzero with `errno` EINTR if a signal ended the sleep early.
///
/// Source: GASNet tools 1.20, "Sleep".
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_nsleep(ns_delay: u64) -> c_int {
    clock::sleep_ns(ns_delay)
}

/// Prevents the compiler from moving memory accesses across this point.
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_compiler_fence() {
    compiler_fence(Ordering::SeqCst);
}

/// Write barrier: other processors see earlier stores before later stores.
///
/// Source: GASNet tools 1.20, "Memory barriers".
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_local_wmb() {
    // Release: pairs with `gasnett_local_rmb` on the thread that reads.
    fence(Ordering::Release);
}

/// Read barrier: later loads are not executed before earlier loads.
///
/// Source: GASNet tools 1.20, "Memory barriers".
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_local_rmb() {
    // Acquire: pairs with `gasnett_local_wmb` on the thread that writes.
    fence(Ordering::Acquire);
}

/// Full barrier: every earlier load and store is complete before any later one begins.
///
/// Source: GASNet tools 1.20, "Memory barriers".
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_local_mb() {
    fence(Ordering::SeqCst);
}

/// As gasnett_local_wmb; no operation in single-threaded clients.
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_weak_wmb() {
    gasnett_local_wmb();
}

/// As gasnett_local_rmb; no operation in single-threaded clients.
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_weak_rmb() {
    gasnett_local_rmb();
}

/// As gasnett_local_mb; no operation in single-threaded clients.
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_weak_mb() {
    gasnett_local_mb();
}

/// A hint for the body of a spin loop: saves power and speeds up the loop's exit.
#[unsafe(no_mangle)]
pub extern "C" fn gasnett_spinloop_hint() {
    core::hint::spin_loop();
    compiler_fence(Ordering::SeqCst);
}
