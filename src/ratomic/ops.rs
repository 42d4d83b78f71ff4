//! The semantics of operations: the values of types and operations in the interface, and the result of each
//! operation.

/// A type of domains; its value is its bit in `GEX_DT_*`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    I32,
    U32,
    I64,
    U64,
    Flt,
    Dbl,
}

impl Type {
    pub const ALL: [Type; 6] = [Type::I32, Type::U32, Type::I64, Type::U64, Type::Flt, Type::Dbl];

    /// The type of a `GEX_DT_*` value; None for a user's type or more than one.
    pub fn of(dt: u32) -> Option<Type> {
        Type::ALL.into_iter().find(|dtype| dtype.code() == dt)
    }

    pub fn code(self) -> u32 {
        1 << self as u32
    }

    pub fn index(self) -> usize {
        self as usize
    }

    pub fn bytes(self) -> usize {
        match self {
            Type::I32 | Type::U32 | Type::Flt => 4,
            Type::I64 | Type::U64 | Type::Dbl => 8,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Type::I32 => "I32",
            Type::U32 => "U32",
            Type::I64 => "I64",
            Type::U64 => "U64",
            Type::Flt => "FLT",
            Type::Dbl => "DBL",
        }
    }

    /// Every operation that this type has.
    pub fn ops(self) -> u32 {
        match self {
            Type::Flt | Type::Dbl => ARITHMETIC | ACCESS,
            _ => ARITHMETIC | ACCESS | BITWISE,
        }
    }
}

const BITWISE: u32 = 0x3_8007;
const ARITHMETIC: u32 = 0x01fc_03f8;
const ACCESS: u32 = 0x0e00_0c00;

/// How an operation changes its target; its value is its bit in `GEX_OP_*`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verb {
    And,
    Or,
    Xor,
    Add,
    Sub,
    Mult,
    Min,
    Max,
    Inc,
    Dec,
    Set,
    Cas,
    Get,
}

const VERBS: [Verb; 13] = [
    Verb::And,
    Verb::Or,
    Verb::Xor,
    Verb::Add,
    Verb::Sub,
    Verb::Mult,
    Verb::Min,
    Verb::Max,
    Verb::Inc,
    Verb::Dec,
    Verb::Set,
    Verb::Cas,
    Verb::Get,
];

/// The bit of a fetching operation is that of its verb plus this.
const FETCHING_SHIFT: u32 = 15;

/// One operation. A swap is a Set that fetches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AtomicOp {
    pub verb: Verb,
    /// Whether the previous value is returned to the initiator.
    pub fetches: bool,
}

impl AtomicOp {
    /// The operation of one `GEX_OP_*` value; None for a user's operation, for no operation and for more than one.
    pub fn of(code: u32) -> Option<AtomicOp> {
        if !code.is_power_of_two() {
            return None;
        }
        let bit = code.trailing_zeros();
        let fetches = bit >= FETCHING_SHIFT;
        let verb = VERBS.get(if fetches { bit - FETCHING_SHIFT } else { bit } as usize).copied()?;
        (fetches || verb != Verb::Get).then_some(AtomicOp { verb, fetches })
    }

    pub fn code(self) -> u32 {
        1 << (self.verb as u32 + if self.fetches { FETCHING_SHIFT } else { 0 })
    }
}

/// A number of one of the types. Bits of narrow ones are the low half of the word that carries them.
pub(crate) trait Number: Copy + PartialOrd {
    const ONE: Self;
    fn of_bits(bits: u64) -> Self;
    fn bits(self) -> u64;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
}

macro_rules! integers {
    ($($name:ident as $unsigned:ident),*) => { $(impl Number for $name {
        const ONE: Self = 1;
        fn of_bits(bits: u64) -> Self {
            bits as $name
        }
        fn bits(self) -> u64 {
            u64::from(self as $unsigned)
        }
        fn plus(self, other: Self) -> Self {
            self.wrapping_add(other)
        }
        fn minus(self, other: Self) -> Self {
            self.wrapping_sub(other)
        }
        fn times(self, other: Self) -> Self {
            self.wrapping_mul(other)
        }
    })* };
}

macro_rules! floats {
    ($($name:ident as $unsigned:ident),*) => { $(impl Number for $name {
        const ONE: Self = 1.0;
        fn of_bits(bits: u64) -> Self {
            $name::from_bits(bits as $unsigned)
        }
        fn bits(self) -> u64 {
            u64::from(self.to_bits())
        }
        fn plus(self, other: Self) -> Self {
            self + other
        }
        fn minus(self, other: Self) -> Self {
            self - other
        }
        fn times(self, other: Self) -> Self {
            self * other
        }
    })* };
}

integers!(i32 as u32, u32 as u32, i64 as u64, u64 as u64);
floats!(f32 as u32, f64 as u64);

/// The value of the target after an operation, whose previous value was `op0`: the table of the specification's
/// "Operation codes", by C's rules, but that integers wrap. `min` and `max` are spelled out: the order of their
/// operands says which of two equal ones (0 and -0) stays, and what becomes of a NaN.
pub(crate) fn after<T: Number>(verb: Verb, op0: T, op1: T, op2: T) -> T {
    match verb {
        Verb::And => T::of_bits(op0.bits() & op1.bits()),
        Verb::Or => T::of_bits(op0.bits() | op1.bits()),
        Verb::Xor => T::of_bits(op0.bits() ^ op1.bits()),
        Verb::Add => op0.plus(op1),
        Verb::Sub => op0.minus(op1),
        Verb::Mult => op0.times(op1),
        Verb::Min => {
            if op0 < op1 {
                op0
            } else {
                op1
            }
        }
        Verb::Max => {
            if op0 > op1 {
                op0
            } else {
                op1
            }
        }
        Verb::Inc => op0.plus(T::ONE),
        Verb::Dec => op0.minus(T::ONE),
        Verb::Set => op1,
        Verb::Cas => {
            if op0 == op1 {
                op2
            } else {
                op0
            }
        }
        Verb::Get => op0,
    }
}

/// An operation and its operands, which are bits of the type, in the low half of the word if it is narrow.
pub struct Request {
    pub dtype: Type,
    pub op: AtomicOp,
    pub op1: u64,
    pub op2: u64,
    /// Its domain's operations are executed by the conduit.
    pub native: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_one_operation_and_comes_back() {
        let mut known = 0;
        for bit in 0..32 {
            if let Some(op) = AtomicOp::of(1 << bit) {
                assert_eq!(op.code(), 1 << bit);
                known |= op.code();
            }
        }
        assert_eq!(known, BITWISE | ARITHMETIC | ACCESS);
        assert_eq!(AtomicOp::of(0x8 | 0x10), None);
        assert_eq!(AtomicOp::of(0), None);
        assert_eq!(AtomicOp::of(0x4000_0000), None, "a user's operation");
    }

    #[test]
    fn a_fetching_operation_has_the_verb_of_its_plain_one() {
        for (plain, fetching, verb) in [
            (0x8, 0x4_0000, Verb::Add),
            (0x1, 0x8000, Verb::And),
            (0x200, 0x100_0000, Verb::Dec),
            (0x400, 0x200_0000, Verb::Set),
            (0x800, 0x400_0000, Verb::Cas),
        ] {
            assert_eq!(AtomicOp::of(plain), Some(AtomicOp { verb, fetches: false }));
            assert_eq!(AtomicOp::of(fetching), Some(AtomicOp { verb, fetches: true }));
        }
        assert_eq!(AtomicOp::of(0x800_0000), Some(AtomicOp { verb: Verb::Get, fetches: true }));
    }

    #[test]
    fn floats_have_no_bitwise_operations() {
        assert_eq!(Type::Dbl.ops() & BITWISE, 0);
        assert_eq!(Type::I32.ops() & BITWISE, BITWISE);
        assert_eq!(Type::of(0x40), None, "a user's type");
        assert_eq!(Type::of(0x20), Some(Type::Dbl));
    }

    #[test]
    fn equal_floats_are_decided_by_the_order_of_operands() {
        let sign = |x: f64| x.is_sign_negative();
        assert!(sign(after(Verb::Min, 0.0, -0.0, 0.0)));
        assert!(!sign(after(Verb::Min, -0.0, 0.0, 0.0)));
        assert_eq!(after(Verb::Max, f64::NAN, 1.0, 0.0), 1.0);
        assert!(after(Verb::Max, 1.0, f64::NAN, 0.0).is_nan());
        assert_eq!(after(Verb::Cas, -0.0, 0.0, 5.0), 5.0);
    }

    #[test]
    fn integers_wrap() {
        assert_eq!(after(Verb::Inc, i32::MAX, 0, 0), i32::MIN);
        assert_eq!(after(Verb::Mult, i64::MAX, 2, 0), -2);
        assert_eq!(after(Verb::Sub, 0u32, 1, 0), u32::MAX);
    }
}
