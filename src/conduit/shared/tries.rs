//! Atomics that a conduit tries when ranks meet, since networks were seen to execute some of them wrongly: UCX 1.13 ignores the operand of
//! bitwise ones on words of its own rank and of shared memory, and OpenSHMEM over it does the same.

use crate::conduit::Atomic;

/// The value of a word before the first try and after the last.
pub(crate) const FIRST: u64 = 0x5a5a_1234_a5a5_4321;

const FETCH_AND: u32 = 0x8000;
const FETCH_OR: u32 = 0x1_0000;
const FETCH_XOR: u32 = 0x2_0000;
const FETCH_ADD: u32 = 0x4_0000;
const SWAP: u32 = 0x200_0000;
const COMPARE_SWAP: u32 = 0x400_0000;

/// An operation with its operands.
pub(crate) type Try = (u32, u64, u64);

/// Operations to try on a word with the value `FIRST`, to which the last one changes it back, if others do change it. Only words that no
/// other rank tries may change.
pub(crate) fn of(is_bitwise: bool, changes: bool) -> &'static [Try] {
    match (is_bitwise, changes) {
        (false, false) => &[(FETCH_ADD, 0, 0), (SWAP, FIRST, 0), (COMPARE_SWAP, FIRST, FIRST)],
        (true, false) => &[(FETCH_AND, u64::MAX, 0), (FETCH_OR, 0, 0), (FETCH_XOR, 0, 0), (FETCH_AND, u64::MAX, 0)],
        (false, true) => &[
            (FETCH_ADD, 0x1234_5678_9abc_def0, 0),
            (SWAP, 77, 0),
            (COMPARE_SWAP, 76, 5),
            (COMPARE_SWAP, 77, FIRST),
            (FETCH_ADD, 0, 0),
        ],
        (true, true) => &[
            (FETCH_AND, 0xf0f0_ffff_0ff0_f0f1, 0),
            (FETCH_OR, 0x0101_0102_8001_0402, 0),
            (FETCH_XOR, 0x1111_ffff_2222_ffff, 0),
            (SWAP, FIRST, 0),
        ],
    }
}

/// Whether each of `tries`, executed by `fetch` on a number of 4 or 8 bytes with the value `FIRST` (of 4 bytes: its half that is first in
/// memory), finds the value that the one before it has left. `fetch` returns the previous number, None if the network fails.
pub(crate) fn all_right(bytes: usize, tries: &[Try], mut fetch: impl FnMut(&Atomic) -> Option<u64>) -> bool {
    let dtype = if bytes == 4 { 1 << 1 } else { 1 << 3 };
    let narrowed = |value: u64| if bytes == 4 { value & 0xffff_ffff } else { value };
    let first = if bytes == 4 { u64::from(first_half(FIRST)) } else { FIRST };
    let mut value = first;
    tries.iter().all(|&(op, op1, op2)| {
        let [op1, op2] = [op1, op2].map(|operand| if operand == FIRST { first } else { narrowed(operand) });
        let is_right = fetch(&Atomic { dtype, op, op1, op2 }) == Some(value);
        value = match op {
            FETCH_AND => value & op1,
            FETCH_OR => value | op1,
            FETCH_XOR => value ^ op1,
            FETCH_ADD => narrowed(value.wrapping_add(op1)),
            SWAP => op1,
            _ if value == op1 => op2,
            _ => value,
        };
        is_right
    })
}

/// The number of 4 bytes where a number of 8 bytes is.
pub(crate) fn first_half(value: u64) -> u32 {
    value.to_ne_bytes().first_chunk().map_or(0, |half| u32::from_ne_bytes(*half))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The operation on `number`, as a network that takes 0 for the operand of bitwise ones if `is_wrong`.
    fn execute(number: &mut u64, what: &Atomic, is_wrong: bool) -> u64 {
        let before = *number;
        let operand = if is_wrong { 0 } else { what.op1 };
        *number = match what.op {
            FETCH_AND => before & operand,
            FETCH_OR => before | operand,
            FETCH_XOR => before ^ operand,
            FETCH_ADD if what.dtype == 2 => u64::from((before as u32).wrapping_add(what.op1 as u32)),
            FETCH_ADD => before.wrapping_add(what.op1),
            SWAP => what.op1,
            _ if before == what.op1 => what.op2,
            _ => before,
        };
        before
    }

    #[test]
    fn tries_find_a_network_that_ignores_operands_and_leave_the_word_as_it_was() {
        for (bytes, first) in [(4, u64::from(first_half(FIRST))), (8, FIRST)] {
            for (is_bitwise, changes) in [(false, false), (false, true), (true, false), (true, true)] {
                let mut number = first;
                assert!(all_right(bytes, of(is_bitwise, changes), |what| Some(execute(&mut number, what, false))));
                assert_eq!(number, first);
                let is_right = all_right(bytes, of(is_bitwise, changes), |what| Some(execute(&mut number, what, true)));
                assert_eq!(is_right, !is_bitwise);
            }
        }
        assert!(!all_right(8, of(false, true), |_| None));
    }
}
