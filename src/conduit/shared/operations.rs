//! The atomic operations on integers that networks have, by the numbers of the interface.

use crate::conduit::Atomic;

/// Types of the interface: I32, U32, I64, U64 (`GEX_DT_*`, bits 0 to 3).
const TYPES: u32 = 0b1111;

/// The operations that networks have; the shims of OpenSHMEM and of libfabric number them so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i32)]
pub(crate) enum NetworkOp {
    Fetch,
    Set,
    Swap,
    CompareSwap,
    FetchAdd,
    Add,
    FetchAnd,
    And,
    FetchOr,
    Or,
    FetchXor,
    Xor,
    // From here on only some networks have them.
    FetchMultiply,
    Multiply,
    FetchLeast,
    Least,
    FetchGreatest,
    Greatest,
}

impl NetworkOp {
    /// Whether every network has it.
    fn is_common(self) -> bool {
        (self as i32) < NetworkOp::FetchMultiply as i32
    }

    /// Whether every network has it, and it is not bitwise.
    pub(crate) fn is_arithmetic(self) -> bool {
        self.is_common() && !(NetworkOp::FetchAnd as i32..=NetworkOp::Xor as i32).contains(&(self as i32))
    }
}

/// The value that an operation passes on.
#[derive(Clone, Copy)]
enum Operand {
    First,
    Negative,
    One,
    MinusOne,
}

/// A bit of `GEX_OP_*`, the network's operation, its operand, and whether it fetches.
const OPERATIONS: [(u32, NetworkOp, Operand, bool); 23] = [
    (0x1, NetworkOp::And, Operand::First, false),
    (0x2, NetworkOp::Or, Operand::First, false),
    (0x4, NetworkOp::Xor, Operand::First, false),
    (0x8, NetworkOp::Add, Operand::First, false),
    (0x10, NetworkOp::Add, Operand::Negative, false),
    (0x20, NetworkOp::Multiply, Operand::First, false),
    (0x40, NetworkOp::Least, Operand::First, false),
    (0x80, NetworkOp::Greatest, Operand::First, false),
    (0x100, NetworkOp::Add, Operand::One, false),
    (0x200, NetworkOp::Add, Operand::MinusOne, false),
    (0x400, NetworkOp::Set, Operand::First, false),
    (0x8000, NetworkOp::FetchAnd, Operand::First, true),
    (0x1_0000, NetworkOp::FetchOr, Operand::First, true),
    (0x2_0000, NetworkOp::FetchXor, Operand::First, true),
    (0x4_0000, NetworkOp::FetchAdd, Operand::First, true),
    (0x8_0000, NetworkOp::FetchAdd, Operand::Negative, true),
    (0x10_0000, NetworkOp::FetchMultiply, Operand::First, true),
    (0x20_0000, NetworkOp::FetchLeast, Operand::First, true),
    (0x40_0000, NetworkOp::FetchGreatest, Operand::First, true),
    (0x80_0000, NetworkOp::FetchAdd, Operand::One, true),
    (0x100_0000, NetworkOp::FetchAdd, Operand::MinusOne, true),
    (0x200_0000, NetworkOp::Swap, Operand::First, true),
    (0x800_0000, NetworkOp::Fetch, Operand::First, true),
];
const CAS: u32 = 0x800;
const FCAS: u32 = 0x400_0000;

/// Compare-and-swap, with and without the previous value.
pub(crate) const COMPARE_SWAPS: u32 = CAS | FCAS;

/// Those offered on a type by a network that has all the common ones.
pub(crate) fn offered(dtype: u32) -> u32 {
    offered_if(dtype, NetworkOp::is_common)
}

/// Those offered on a type by a network that has these operations.
pub(crate) fn offered_if(dtype: u32, has: impl Fn(NetworkOp) -> bool) -> u32 {
    if !dtype.is_power_of_two() || dtype & TYPES == 0 {
        return 0;
    }
    let swaps = if has(NetworkOp::CompareSwap) { COMPARE_SWAPS } else { 0 };
    OPERATIONS.iter().filter(|(_, op, ..)| has(*op)).fold(swaps, |all, (bit, ..)| all | bit)
}

/// Bytes of a number of a type.
pub(crate) fn bytes(dtype: u32) -> usize {
    if dtype <= 2 { 4 } else { 8 }
}

/// An operation on one number.
pub(crate) struct NetworkAtomic {
    /// The type: I32, U32, I64, U64.
    pub kind: i32,
    pub op: NetworkOp,
    /// The operand, or the expected value; then the value that replaces it.
    pub values: [u64; 2],
    /// Bytes of the number.
    pub bytes: usize,
    /// The previous value is wanted.
    pub fetches: bool,
}

impl NetworkAtomic {
    /// `what` for a network, if it is one of `offered`.
    pub(crate) fn of(what: &Atomic) -> Option<NetworkAtomic> {
        let kind = what.dtype.trailing_zeros() as i32;
        let bytes = bytes(what.dtype);
        if what.op == CAS || what.op == FCAS {
            let (op, values) = (NetworkOp::CompareSwap, [what.op1, what.op2]);
            return Some(NetworkAtomic { kind, op, values, bytes, fetches: what.op == FCAS });
        }
        let (_, op, operand, fetches) = *OPERATIONS.iter().find(|(bit, ..)| *bit == what.op)?;
        let first = match operand {
            Operand::First => what.op1,
            Operand::Negative => what.op1.wrapping_neg(),
            Operand::One => 1,
            Operand::MinusOne => u64::MAX,
        };
        Some(NetworkAtomic { kind, op, values: [first, 0], bytes, fetches })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_that_is_offered_is_one_of_a_network() {
        for dtype in [1, 2, 4, 8] {
            for bit in (0..32).map(|bit| 1u32 << bit) {
                let call = NetworkAtomic::of(&Atomic { dtype, op: bit, op1: 3, op2: 4 });
                assert_eq!(call.is_some(), offered_if(dtype, |_| true) & bit != 0, "{dtype:#x} {bit:#x}");
                // Fetching operations of the interface are 15 bits above the others.
                assert!(call.is_none_or(|call| call.fetches == (bit >= 1 << 15)));
            }
        }
        assert_eq!((offered(0x10), offered(0x20), offered(3)), (0, 0, 0));
    }

    #[test]
    fn a_network_offers_the_operations_that_it_has() {
        assert_eq!(offered_if(8, |op| op == NetworkOp::Add), 0x318);
        assert_eq!(offered_if(1, |op| op == NetworkOp::CompareSwap), COMPARE_SWAPS);
        let rest = 0x70_00e0;
        assert_eq!(offered_if(8, |op| !op.is_common()), rest);
        assert_eq!(offered(8), offered_if(8, |_| true) & !rest);
    }
}
