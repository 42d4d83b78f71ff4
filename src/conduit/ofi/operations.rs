//! Atomic operations as the interface and as the shim number them, and those that the provider executes.

use crate::conduit::Atomic;
use crate::shims::ofi::OfiAtomic;
use crate::sync::atomic::{AtomicU32, Ordering};

/// Types of the interface: I32, U32, I64, U64, FLT, DBL (`GEX_DT_*`, bits 0 to 5), which the shim numbers so too.
const TYPES: usize = 6;
const INTEGERS: usize = 4;

/// Forms of the shim.
const PLAIN: i32 = 0;
const FETCHES: i32 = 1;
const COMPARES: i32 = 2;

/// Operations of the shim.
const SUM: i32 = 0;
const PRODUCT: i32 = 1;
const LEAST: i32 = 2;
const GREATEST: i32 = 3;
const AND: i32 = 4;
const OR: i32 = 5;
const XOR: i32 = 6;
const SET: i32 = 7;
const GET: i32 = 8;
const COMPARE_SWAP: i32 = 9;

/// The value that an operation passes on.
#[derive(Clone, Copy)]
enum OfiOperand {
    First,
    Negative,
    One,
    MinusOne,
    /// The second one; the first is compared with.
    Second,
}

use OfiOperand::{First, MinusOne, Negative, One, Second};

/// A bit of `GEX_OP_*`, the shim's operation and form, and its operand.
const OPERATIONS: [(u32, i32, i32, OfiOperand); 25] = [
    (0, AND, PLAIN, First),
    (1, OR, PLAIN, First),
    (2, XOR, PLAIN, First),
    (3, SUM, PLAIN, First),
    (4, SUM, PLAIN, Negative),
    (5, PRODUCT, PLAIN, First),
    (6, LEAST, PLAIN, First),
    (7, GREATEST, PLAIN, First),
    (8, SUM, PLAIN, One),
    (9, SUM, PLAIN, MinusOne),
    (10, SET, PLAIN, First),
    (11, COMPARE_SWAP, COMPARES, Second),
    (15, AND, FETCHES, First),
    (16, OR, FETCHES, First),
    (17, XOR, FETCHES, First),
    (18, SUM, FETCHES, First),
    (19, SUM, FETCHES, Negative),
    (20, PRODUCT, FETCHES, First),
    (21, LEAST, FETCHES, First),
    (22, GREATEST, FETCHES, First),
    (23, SUM, FETCHES, One),
    (24, SUM, FETCHES, MinusOne),
    (25, SET, FETCHES, First),
    (26, COMPARE_SWAP, COMPARES, Second),
    (27, GET, FETCHES, First),
];

/// Bytes of a type.
pub(crate) fn width(dtype: u32) -> usize {
    [4, 4, 8, 8, 4, 8].get(dtype.trailing_zeros() as usize).copied().unwrap_or(8)
}

/// The operations that the provider executes, by type. Fixed when the ranks have met.
static OFFERED: [AtomicU32; TYPES] = [const { AtomicU32::new(0) }; TYPES];

pub(crate) fn offered(dtype: u32) -> u32 {
    OFFERED.get(dtype.trailing_zeros() as usize).map_or(0, |ops| ops.load(Ordering::Relaxed))
}

pub(crate) fn set_offered(all: [u32; TYPES]) {
    for (at, ops) in OFFERED.iter().zip(all) {
        at.store(ops, Ordering::Relaxed);
    }
}

/// The operations of each type that `executes` says yes to. A type is offered only with addition, or not at all; floating-point
/// numbers are left to messages, since providers differ in their rounding.
pub(crate) fn executed(executes: impl Fn(OfiAtomic) -> bool) -> [u32; TYPES] {
    let mut all = [0; TYPES];
    for (dtype, ops) in all.iter_mut().enumerate().take(INTEGERS) {
        for (bit, op, form, _) in OPERATIONS {
            if executes(OfiAtomic { dtype: dtype as i32, op, form }) {
                *ops |= 1 << bit;
            }
        }
    }
    all
}

/// The call for an operation on integers, its operand, and the number that it compares with.
pub(crate) fn call(what: &Atomic) -> Option<(OfiAtomic, u64, u64)> {
    let (_, op, form, operand) = OPERATIONS.into_iter().find(|(bit, ..)| 1 << bit == what.op)?;
    let operand = match operand {
        First => what.op1,
        Negative => what.op1.wrapping_neg(),
        One => 1,
        MinusOne => u64::MAX,
        Second => what.op2,
    };
    Some((OfiAtomic { dtype: what.dtype.trailing_zeros().cast_signed(), op, form }, operand, what.op1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_becomes_a_call_of_the_provider() {
        let atomic = |op, op1, op2| Atomic { dtype: 8, op, op1, op2 };
        let call = |atomic| call(&atomic).map(|(call, operand, compared)| (call.op, call.form, operand, compared));
        assert_eq!(call(atomic(1 << 3, 5, 0)), Some((SUM, PLAIN, 5, 5)));
        assert_eq!(call(atomic(1 << 19, 5, 0)), Some((SUM, FETCHES, 5u64.wrapping_neg(), 5)));
        assert_eq!(call(atomic(1 << 26, 5, 9)), Some((COMPARE_SWAP, COMPARES, 9, 5)));
        assert_eq!(call(atomic(1 << 12, 5, 9)), None);
        let sums = executed(|call| call.op == SUM && call.form == PLAIN);
        assert_eq!(sums, [0x318, 0x318, 0x318, 0x318, 0, 0]);
    }
}
