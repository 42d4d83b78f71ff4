//! The atomic operations that the provider executes.

use crate::conduit::shared::operations::{NetworkOp, offered_if};
use crate::sync::atomic::{AtomicU32, Ordering};

/// The types of integers, `GEX_DT_*`, bits 0 to 3, which the shim numbers so too. Floating-point numbers are left to messages, since
/// providers differ in their rounding.
pub(crate) const TYPES: usize = 4;

/// Bits of `GEX_OP_*`, by type. Fixed when the ranks have met.
static OFFERED: [AtomicU32; TYPES] = [const { AtomicU32::new(0) }; TYPES];

pub(crate) fn offered(dtype: u32) -> u32 {
    OFFERED.get(dtype.trailing_zeros() as usize).map_or(0, |ops| ops.load(Ordering::Relaxed))
}

pub(crate) fn set_offered(all: [u32; TYPES]) {
    for (at, ops) in OFFERED.iter().zip(all) {
        at.store(ops, Ordering::Relaxed);
    }
}

/// The operations of each type, of those of the shim that `executes` says yes to.
pub(crate) fn executed(executes: impl Fn(i32, i32) -> bool) -> [u32; TYPES] {
    core::array::from_fn(|dtype| offered_if(1 << dtype, |op: NetworkOp| executes(dtype as i32, op as i32)))
}
