//! The one door to atomics. The loom tests compile files again with loom's in its place.
#![allow(clippy::disallowed_types)]

pub use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
pub(crate) use core::sync::atomic::{
    AtomicI32, AtomicI64, AtomicIsize, AtomicPtr, AtomicU8, AtomicUsize, compiler_fence,
};

#[cfg(not(gasnet_tsan))]
pub(crate) use core::sync::atomic::fence;

/// ThreadSanitizer does not know fences. In the library that it checks (capi-tests/checkers/sanitizers) each of them is also a read-modify-write of one word, so
/// that what comes before a fence happens before what follows any later fence. That is more than a fence promises: races that a missing pair of fences
/// would cause may remain hidden, which loom finds.
#[cfg(gasnet_tsan)]
#[inline]
pub(crate) fn fence(order: Ordering) {
    static FENCES: AtomicU32 = AtomicU32::new(0);
    FENCES.fetch_add(0, Ordering::AcqRel);
    core::sync::atomic::fence(order);
}
