//! The instructions against the table of their results, and from many threads; tests/loom_ratomic.rs explores their
//! memory order.

use super::local::apply;
use crate::mem::{self, Dst};
use crate::ratomic::ops::{AtomicOp, Number, Type, Verb, after};
use proptest::prelude::*;

fn all_of(dtype: Type) -> impl Iterator<Item = AtomicOp> {
    (0..32).filter_map(|bit| AtomicOp::of(1 << bit)).filter(move |op| dtype.ops() & op.code() != 0)
}

/// The result of `after` for bits of this type.
fn meant(dtype: Type, verb: Verb, old: u64, op1: u64, op2: u64) -> u64 {
    fn of<T: Number>(verb: Verb, old: u64, op1: u64, op2: u64) -> u64 {
        after(verb, T::of_bits(old), T::of_bits(op1), T::of_bits(op2)).bits()
    }
    match dtype {
        Type::I32 => of::<i32>(verb, old, op1, op2),
        Type::U32 => of::<u32>(verb, old, op1, op2),
        Type::I64 => of::<i64>(verb, old, op1, op2),
        Type::U64 => of::<u64>(verb, old, op1, op2),
        Type::Flt => of::<f32>(verb, old, op1, op2),
        Type::Dbl => of::<f64>(verb, old, op1, op2),
    }
}

fn is_nan(dtype: Type, bits: u64) -> bool {
    match dtype {
        Type::Flt => f32::from_bits(bits as u32).is_nan(),
        Type::Dbl => f64::from_bits(bits).is_nan(),
        _ => false,
    }
}

/// Random bits, with ties, limits and small numbers among them.
fn bits() -> impl Strategy<Value = u64> {
    prop_oneof![
        any::<u64>(),
        prop::sample::select(vec![
            0,
            1,
            u64::MAX,
            1 << 31,
            1 << 63,
            0x7fff_ffff,
            i64::MAX as u64,
            u64::from(1f32.to_bits()),
            u64::from(f32::INFINITY.to_bits()),
            2.5f64.to_bits(),
            f64::NEG_INFINITY.to_bits(),
        ]),
    ]
}

proptest! {
    #[test]
    fn an_instruction_does_what_the_table_says(old in bits(), op1 in bits(), op2 in bits(), same in any::<bool>()) {
        for dtype in Type::ALL {
            let mask = if dtype.bytes() == 4 { u64::from(u32::MAX) } else { u64::MAX };
            let (old, op1, op2) = (old & mask, if same { old & mask } else { op1 & mask }, op2 & mask);
            for op in all_of(dtype) {
                // Two words, so that a write beside the target is detected.
                let mut memory = [old | !mask, 0x5555_5555_5555_5555];
                let found = apply(mem::all_of(&mut memory).part(0, dtype.bytes()), dtype, op.verb, op1, op2);
                prop_assert_eq!(found, old, "{:?} {:?}", dtype, op);
                prop_assert_eq!(memory[0] & !mask, !mask);
                prop_assert_eq!(memory[1], 0x5555_5555_5555_5555);
                let (left, want) = (memory[0] & mask, meant(dtype, op.verb, old, op1, op2));
                // The bits of a NaN depend on the machine.
                prop_assert!(left == want || is_nan(dtype, left) && is_nan(dtype, want), "{dtype:?} {op:?}");
            }
        }
    }
}

#[test]
fn threads_lose_no_update() {
    const EACH: u64 = 20_000;
    const THREADS: u64 = 4;
    for dtype in Type::ALL {
        for verb in [Verb::Add, Verb::Inc] {
            let mut memory = [0u64];
            let at = mem::all_of(&mut memory).part(0, dtype.bytes());
            let one = match dtype {
                Type::Flt => u64::from(1f32.to_bits()),
                Type::Dbl => 1f64.to_bits(),
                _ => 1,
            };
            std::thread::scope(|scope| {
                for _ in 0..THREADS {
                    // A view is an address; one of each thread's own.
                    let place = at.as_ptr().expose_provenance();
                    scope.spawn(move || {
                        // SAFETY: `memory` outlives the scope.
                        #[allow(unsafe_code)]
                        let at = unsafe { Dst::new(core::ptr::with_exposed_provenance_mut(place), dtype.bytes()) };
                        for _ in 0..EACH {
                            apply(at, dtype, verb, one, 0);
                        }
                    });
                }
            });
            let sum = match dtype {
                Type::Flt => u64::from(((EACH * THREADS) as f32).to_bits()),
                Type::Dbl => ((EACH * THREADS) as f64).to_bits(),
                _ => EACH * THREADS,
            };
            assert_eq!(memory[0], sum, "{dtype:?} {verb:?}");
        }
    }
}
