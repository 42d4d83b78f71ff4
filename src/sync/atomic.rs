//! The one door to atomics. The loom tests compile files again with loom's in its place.
#![allow(clippy::disallowed_types)]

pub use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
pub(crate) use core::sync::atomic::{
    AtomicI32, AtomicI64, AtomicIsize, AtomicPtr, AtomicU8, AtomicUsize, compiler_fence, fence,
};
