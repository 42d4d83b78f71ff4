//! The atomic operations of OpenSHMEM, as the interface numbers them.

use core::ffi::c_int;

use crate::conduit::Atomic;

/// Types of the interface: I32, U32, I64, U64 (`GEX_DT_*`, bits 0 to 3), which the shim numbers so too.
const TYPES: u32 = 0b1111;

/// Of the shim.
const FETCH: c_int = 0;
const SET: c_int = 1;
const SWAP: c_int = 2;
const COMPARE_SWAP: c_int = 3;
const FETCH_ADD: c_int = 4;
const ADD: c_int = 5;
const FETCH_AND: c_int = 6;
const AND: c_int = 7;
const FETCH_OR: c_int = 8;
const OR: c_int = 9;
const FETCH_XOR: c_int = 10;
const XOR: c_int = 11;

/// Fetch and add on a 64-bit number without sign, in the shim's numbers.
pub(crate) const TAKE_TICKET: [c_int; 2] = [3, FETCH_ADD];

/// The value that an operation passes on.
#[derive(Clone, Copy)]
enum Operand {
    First,
    Negative,
    One,
    MinusOne,
}

/// A bit of `GEX_OP_*`, the shim's operation, its operand, and whether it fetches.
const OPERATIONS: [(u32, c_int, Operand, bool); 17] = [
    (0x1, AND, Operand::First, false),
    (0x2, OR, Operand::First, false),
    (0x4, XOR, Operand::First, false),
    (0x8, ADD, Operand::First, false),
    (0x10, ADD, Operand::Negative, false),
    (0x100, ADD, Operand::One, false),
    (0x200, ADD, Operand::MinusOne, false),
    (0x400, SET, Operand::First, false),
    (0x8000, FETCH_AND, Operand::First, true),
    (0x1_0000, FETCH_OR, Operand::First, true),
    (0x2_0000, FETCH_XOR, Operand::First, true),
    (0x4_0000, FETCH_ADD, Operand::First, true),
    (0x8_0000, FETCH_ADD, Operand::Negative, true),
    (0x80_0000, FETCH_ADD, Operand::One, true),
    (0x100_0000, FETCH_ADD, Operand::MinusOne, true),
    (0x200_0000, SWAP, Operand::First, true),
    (0x800_0000, FETCH, Operand::First, true),
];
const CAS: u32 = 0x800;
const FCAS: u32 = 0x400_0000;

/// Those offered on a type. Compare-and-swap only of 8 bytes: Open MPI's 4.1 stores 8 bytes as the result of one of 4, which is a
/// variable of 4 on its own stack.
pub(crate) fn offered(dtype: u32) -> u32 {
    if dtype.is_power_of_two() && dtype & TYPES != 0 {
        let swaps = if bytes(dtype) == 8 { CAS | FCAS } else { 0 };
        OPERATIONS.iter().fold(swaps, |all, (bit, ..)| all | bit)
    } else {
        0
    }
}

/// Bytes of a number of a type.
fn bytes(dtype: u32) -> usize {
    if dtype <= 2 { 4 } else { 8 }
}

/// A call of the shim.
pub(crate) struct ShimAtomic {
    /// The shim's type and operation.
    pub what: [c_int; 2],
    pub values: [u64; 2],
    /// Bytes of the number.
    pub bytes: usize,
    /// The previous value is wanted.
    pub fetches: bool,
    /// It is complete when the call returns.
    pub blocks: bool,
}

pub(crate) fn call(what: &Atomic) -> Option<ShimAtomic> {
    let kind = what.dtype.trailing_zeros().cast_signed();
    let bytes = bytes(what.dtype);
    if bytes == 8 && (what.op == CAS || what.op == FCAS) {
        let fetches = what.op == FCAS;
        return Some(ShimAtomic {
            what: [kind, COMPARE_SWAP],
            values: [what.op1, what.op2],
            bytes,
            fetches,
            blocks: true,
        });
    }
    let (_, op, operand, fetches) = *OPERATIONS.iter().find(|(bit, ..)| *bit == what.op)?;
    let first = match operand {
        Operand::First => what.op1,
        Operand::Negative => what.op1.wrapping_neg(),
        Operand::One => 1,
        Operand::MinusOne => u64::MAX,
    };
    Some(ShimAtomic { what: [kind, op], values: [first, 0], bytes, fetches, blocks: fetches })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_that_is_offered_has_a_call() {
        for dtype in [1, 2, 4, 8] {
            for bit in (0..32).map(|bit| 1u32 << bit) {
                let call = call(&Atomic { dtype, op: bit, op1: 3, op2: 4 });
                assert_eq!(call.is_some(), offered(dtype) & bit != 0, "{dtype:#x} {bit:#x}");
                // Fetching operations of the interface are 15 bits above the others.
                assert!(call.is_none_or(|call| call.fetches == (bit >= 1 << 15)));
            }
        }
        assert_eq!((offered(0x10), offered(0x20), offered(3)), (0, 0, 0));
    }
}
