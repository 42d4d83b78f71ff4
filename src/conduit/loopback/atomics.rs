//! The atomics of the loopback conduit: a few operations on 64-bit integers, executed by the target's poll. As on
//! most networks, they are atomic with respect to each other only: the word is read, and after a pause written, so that
//! updates are lost if the layer above mixes them with atomics of the processor.

use crate::conduit::Atomic;
use crate::mem::Dst;
use crate::os::sleep;
use crate::sync::atomic::Ordering;

// Bits of `GEX_DT_*`.
const I64: u32 = 1 << 2;
const U64: u32 = 1 << 3;

// Bits of `GEX_OP_*`, without and with a fetch of the previous value.
const ADD: u32 = 0x8;
const SET: u32 = 0x400;
const CAS: u32 = 0x800;
const FADD: u32 = 0x4_0000;
const SWAP: u32 = 0x200_0000;
const FCAS: u32 = 0x400_0000;
const GET: u32 = 0x800_0000;
const FETCHING: u32 = FADD | SWAP | FCAS | GET;

/// The operations on a type.
pub(crate) fn offered(dtype: u32) -> u32 {
    match dtype {
        I64 | U64 => ADD | SET | CAS | FETCHING,
        _ => 0,
    }
}

/// Words of an operation in flight.
pub(crate) const WORDS: usize = 3;

pub(crate) fn words(what: &Atomic) -> [u64; WORDS] {
    [what.op.into(), what.op1, what.op2]
}

/// Executes the operation at `at`; returns the previous value if it is fetched.
pub(crate) fn apply(at: Dst<'_>, [op, op1, op2]: [u64; WORDS]) -> Option<[u8; 8]> {
    let (op, word) = (op as u32, at.word_64());
    // Relaxed: only this conduit's lock orders its operations.
    let found = word.load(Ordering::Relaxed);
    let next = match op {
        ADD | FADD => Some(found.wrapping_add(op1)),
        SET | SWAP => Some(op1),
        CAS | FCAS if found == op1 => Some(op2),
        _ => None,
    };
    if let Some(next) = next {
        sleep::yield_now();
        word.store(next, Ordering::Relaxed);
    }
    (op & FETCHING != 0).then(|| found.to_ne_bytes())
}
