//! The one door to atomics. The loom tests compile files again with loom's in its place.
#![allow(clippy::disallowed_types)]

pub use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
pub(crate) use core::sync::atomic::{
    AtomicI32, AtomicI64, AtomicIsize, AtomicPtr, AtomicU8, AtomicUsize, compiler_fence,
};

#[cfg(not(gasnet_tsan))]
pub(crate) use core::sync::atomic::fence;

/// ThreadSanitizer ignores fences. In the library built for it (capi-tests/checkers/sanitizers) each fence is also a read-modify-write of one global word, so that
/// all accesses before a fence happen before all accesses after any later fence. This is stronger than a fence: a race that only a missing fence causes may
/// stay hidden from ThreadSanitizer; the loom tests look for those.
#[cfg(gasnet_tsan)]
#[inline]
pub(crate) fn fence(order: Ordering) {
    static FENCES: AtomicU32 = AtomicU32::new(0);
    FENCES.fetch_add(0, Ordering::AcqRel);
    core::sync::atomic::fence(order);
}
