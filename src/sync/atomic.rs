//! The one door to atomics: loom's under `cfg(loom)`, the machine's otherwise.
#![allow(clippy::disallowed_types)]

#[cfg(loom)]
pub use loom::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};

#[cfg(not(loom))]
pub use core::sync::atomic::{
    AtomicBool, AtomicI32, AtomicI64, AtomicIsize, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering,
    compiler_fence, fence,
};
