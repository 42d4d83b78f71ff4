//! Operations on memory that is mapped in this process, by the processor's atomics: an instruction if there is one,
//! else a compare-and-exchange loop. Every form is a full barrier, except a load, which is an acquire; operations
//! of all processes and paths are atomic with respect to each other.

use crate::mem::Dst;
use crate::ratomic::ops::{Number, Type, Verb, after};
use crate::sync::atomic::{AtomicU32, AtomicU64, Ordering};

// SeqCst: besides its partners, which are the other operations on the word, each orders the words that one thread
// touches in turn, as the specification's "subsequently" requires.
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
pub(crate) fn apply(at: Dst<'_>, dtype: Type, verb: Verb, op1: u64, op2: u64) -> u64 {
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

/// Operations that are one instruction for all types, and operations that need a loop.
fn float<T: Number>(word: &impl Word, verb: Verb, op1: u64, op2: u64) -> u64 {
    match verb {
        Verb::Get => word.load(),
        Verb::Set => word.swap(op1),
        _ => {
            let mut found = word.load();
            loop {
                let next = after(verb, T::of_bits(found), T::of_bits(op1), T::of_bits(op2)).bits();
                // If the value does not change, it need not be written: the load was the operation.
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
