//! The one door to atomics. The loom tests compile files again with loom's in its place.
#![allow(clippy::disallowed_types)]

pub use core::sync::atomic::{
    AtomicBool, AtomicI32, AtomicI64, AtomicIsize, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering,
    compiler_fence, fence,
};
