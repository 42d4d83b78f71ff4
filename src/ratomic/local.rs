//! Operations on memory that is mapped in this process, by the processor's atomics: an instruction if there is one,
//! else a compare-and-exchange loop. Every form is a full barrier, except a load, which is an acquire; operations
//! of all processes and paths are atomic with respect to each other.

use crate::mem::Dst;
use crate::ratomic::ops::{Number, Type, Verb, after};
use crate::sync::atomic::{AtomicU32, AtomicU64, Ordering};

// SeqCst: besides its partners, which are the other operations on the word, each orders the words that one thread
// touches in turn, as the specification's "subsequently" wants.
const ALL: Ordering = Ordering::SeqCst;

/// A word of the target's width. Values travel in the low bits of a `u64`.
trait Word {
    fn load(&self) -> u64;
    fn swap(&self, new: u64) -> u64;
    fn add(&self, by: u64) -> u64;
    fn and(&self, with: u64) -> u64;
    fn or(&self, with: u64) -> u64;
    fn xor(&self, with: u64) -> u64;
    /// Ok if `new` has replaced `old`, else the current value.
    fn exchange(&self, old: u64, new: u64) -> Result<(), u64>;
}

macro_rules! words {
    ($($atomic:ident holds $bits:ident),*) => { $(impl Word for $atomic {
        fn load(&self) -> u64 {
            u64::from($atomic::load(self, ALL))
        }
        fn swap(&self, new: u64) -> u64 {
            u64::from($atomic::swap(self, new as $bits, ALL))
        }
        fn add(&self, by: u64) -> u64 {
            u64::from(self.fetch_add(by as $bits, ALL))
        }
        fn and(&self, with: u64) -> u64 {
            u64::from(self.fetch_and(with as $bits, ALL))
        }
        fn or(&self, with: u64) -> u64 {
            u64::from(self.fetch_or(with as $bits, ALL))
        }
        fn xor(&self, with: u64) -> u64 {
            u64::from(self.fetch_xor(with as $bits, ALL))
        }
        fn exchange(&self, old: u64, new: u64) -> Result<(), u64> {
            self.compare_exchange(old as $bits, new as $bits, ALL, ALL).map(drop).map_err(u64::from)
        }
    })* };
}

words!(AtomicU32 holds u32, AtomicU64 holds u64);

/// Executes `verb` on the aligned object of type `dtype` at `at`, and returns the previous value.
pub fn apply(at: Dst<'_>, dtype: Type, verb: Verb, op1: u64, op2: u64) -> u64 {
    match dtype {
        Type::I32 => integer::<i32>(at.word_32(), verb, op1, op2),
        Type::U32 => integer::<u32>(at.word_32(), verb, op1, op2),
        Type::I64 => integer::<i64>(at.word_64(), verb, op1, op2),
        Type::U64 => integer::<u64>(at.word_64(), verb, op1, op2),
        Type::Flt => float::<f32>(at.word_32(), verb, op1, op2),
        Type::Dbl => float::<f64>(at.word_64(), verb, op1, op2),
    }
}

fn integer<T: Number>(word: &impl Word, verb: Verb, op1: u64, op2: u64) -> u64 {
    match verb {
        Verb::Add => word.add(op1),
        Verb::Sub => word.add(op1.wrapping_neg()),
        Verb::Inc => word.add(1),
        Verb::Dec => word.add(1u64.wrapping_neg()),
        Verb::And => word.and(op1),
        Verb::Or => word.or(op1),
        Verb::Xor => word.xor(op1),
        _ => float::<T>(word, verb, op1, op2),
    }
}

/// Operations that are an instruction for all types, and those that need a loop.
fn float<T: Number>(word: &impl Word, verb: Verb, op1: u64, op2: u64) -> u64 {
    match verb {
        Verb::Get => word.load(),
        Verb::Set => word.swap(op1),
        _ => {
            let mut found = word.load();
            loop {
                let next = after(verb, T::of_bits(found), T::of_bits(op1), T::of_bits(op2)).bits();
                // A value that stays need not be written: the load was the operation.
                if next == found {
                    return found;
                }
                match word.exchange(found, next) {
                    Ok(()) => return found,
                    Err(now) => found = now,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mem;
    use crate::ratomic::ops::Op;
    use proptest::prelude::*;

    fn all_of(dtype: Type) -> impl Iterator<Item = Op> {
        (0..32).filter_map(|bit| Op::of(1 << bit)).filter(move |op| dtype.ops() & op.code() != 0)
    }

    /// What `after` says of bits of this type.
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

    /// Bits that hit ties, limits and small numbers as well as anything.
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
                    // Two words, so that a write beside the target shows.
                    let mut memory = [old | !mask, 0x5555_5555_5555_5555];
                    let found = apply(mem::all_of(&mut memory).part(0, dtype.bytes()), dtype, op.verb, op1, op2);
                    prop_assert_eq!(found, old, "{:?} {:?}", dtype, op);
                    prop_assert_eq!(memory[0] & !mask, !mask);
                    prop_assert_eq!(memory[1], 0x5555_5555_5555_5555);
                    let (left, want) = (memory[0] & mask, meant(dtype, op.verb, old, op1, op2));
                    // Which NaN comes out is the machine's choice.
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
}
