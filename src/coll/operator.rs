//! The operator of a reduction: `right[i] = left[i] op right[i]` for two vectors, by a built-in type and operation or by
//! a function of the client. Built-in operations, too, are combined from left to right over the members, so that
//! results depend on the arguments only, not on the order of arrival.
//!
//! # Safety
//! Views carry their own promise (`Src::new`, `Dst::new`); elements are read and written unaligned. The client
//! promises that its function accesses only the elements that it is given.
#![allow(unsafe_code)]

use core::ffi::{c_int, c_void};

use crate::coll::buffer::Buffer;
use crate::mem::{self, Dst, Src};

/// A reduction function of the client, `gex_Coll_ReduceFn_t`.
pub(crate) type UserFn =
    unsafe extern "C" fn(left: *const c_void, right: *mut c_void, count: usize, cdata: *const c_void);

/// A function of GASNet-1's table, `gasnet_coll_reduce_fn_t`.
pub(crate) type TableFn = unsafe extern "C" fn(
    results: *mut c_void,
    result_count: usize,
    left_operands: *const c_void,
    left_count: usize,
    right_operands: *const c_void,
    elem_size: usize,
    flags: c_int,
    arg: c_int,
);

/// The size of the result buffer for functions of the table, in bytes; at least one element.
const RESULTS: usize = 4096;

/// `gex_DT_t`.
pub(crate) mod dt {
    pub(crate) const I32: u32 = 1;
    pub(crate) const U32: u32 = 2;
    pub(crate) const I64: u32 = 4;
    pub(crate) const U64: u32 = 8;
    pub(crate) const FLT: u32 = 16;
    pub(crate) const DBL: u32 = 32;
    pub(crate) const USER: u32 = 64;
}

/// The values of `gex_OP_t` for reductions.
pub(crate) mod op {
    pub(crate) const AND: u32 = 1;
    pub(crate) const OR: u32 = 2;
    pub(crate) const XOR: u32 = 4;
    pub(crate) const ADD: u32 = 8;
    pub(crate) const MULT: u32 = 32;
    pub(crate) const MIN: u32 = 64;
    pub(crate) const MAX: u32 = 128;
    pub(crate) const USER: u32 = 1 << 30;
    pub(crate) const USER_NC: u32 = 1 << 31;
}

/// The type and operation of a reduction.
#[derive(Clone, Copy)]
pub struct Operator {
    /// Bytes of an element.
    pub width: usize,
    /// Of a built-in operation: the type and the operation.
    pub built_in: Option<(u32, u32)>,
    act: Act,
}

#[derive(Clone, Copy)]
enum Act {
    BuiltIn(fn(*const u8, *mut u8, usize)),
    User(UserFn, *const c_void),
    /// With the flags of the function and the argument of the call.
    Table(TableFn, c_int, c_int),
}

// SAFETY: by starting a reduction, the client permits any thread to call its function with its data.
unsafe impl Send for Operator {}

/// The error in the arguments of a reduction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unfit {
    Type,
    Width(usize),
    Operation,
    NoFunction,
}

impl Operator {
    /// The operation `op` on type `dt` of `width` bytes; `user` is used for the client's own operations only.
    pub fn new(dt: u32, width: usize, op: u32, user: Option<UserFn>, cdata: *const c_void) -> Result<Operator, Unfit> {
        let needed = match dt {
            dt::I32 | dt::U32 | dt::FLT => 4,
            dt::I64 | dt::U64 | dt::DBL => 8,
            dt::USER => width,
            _ => return Err(Unfit::Type),
        };
        if needed != width || width == 0 {
            return Err(Unfit::Width(needed));
        }
        let act = if op == op::USER || op == op::USER_NC {
            Act::User(user.ok_or(Unfit::NoFunction)?, cdata)
        } else {
            Act::BuiltIn(built_in(dt, op).ok_or(Unfit::Operation)?)
        };
        let built_in = matches!(act, Act::BuiltIn(_)).then_some((dt, op));
        Ok(Operator { width, built_in, act })
    }

    /// The function `act` of GASNet-1's table, of elements of `width` bytes.
    pub fn of_table(act: TableFn, width: usize, flags: c_int, arg: c_int) -> Operator {
        Operator { width, built_in: None, act: Act::Table(act, flags, arg) }
    }

    /// `right[i] = left[i] op right[i]` for all elements of the two vectors, which have equal lengths.
    pub fn apply(&self, left: Src<'_>, right: Dst<'_>) {
        assert_eq!(left.len(), right.len());
        let count = left.len() / self.width;
        match self.act {
            _ if count == 0 => {}
            Act::BuiltIn(apply) => apply(left.as_ptr(), right.as_ptr(), count),
            // SAFETY: both have `count` elements of `width` bytes; the client's contract covers the rest.
            Act::User(apply, cdata) => unsafe { apply(left.as_ptr().cast(), right.as_ptr().cast(), count, cdata) },
            // A separate result buffer: the function is not required to support results that overlap operands.
            Act::Table(apply, flags, arg) => {
                let most = (RESULTS / self.width).max(1);
                let mut results = Buffer::new(most.min(count) * self.width);
                for from in (0..count).step_by(most) {
                    let some = most.min(count - from);
                    let (at, len) = (from * self.width, some * self.width);
                    let (left, right, results) = (left.part(at, len), right.part(at, len), results.dst().part(0, len));
                    let (left, right_in) = (left.as_ptr().cast(), right.as_ptr().cast_const().cast());
                    // SAFETY: all three have `some` elements of `width` bytes; the client's contract covers the rest.
                    unsafe { apply(results.as_ptr().cast(), some, left, some, right_in, self.width, flags, arg) };
                    mem::copy(right, results.as_src());
                }
            }
        }
    }

    /// Combines the elements of `all` from left to right, and stores the result in `dst`, which has space for one.
    pub fn fold(&self, all: Src<'_>, dst: Dst<'_>) {
        let element = |number: usize| all.part(number * self.width, self.width);
        let count = all.len() / self.width;
        mem::copy(dst, element(count - 1));
        (0..count - 1).rev().for_each(|number| self.apply(element(number), dst));
    }
}

/// `right[i] = left[i] op right[i]` for a numeric type.
fn each<T: Copy, F: Fn(T, T) -> T>(left: *const u8, right: *mut u8, count: usize, op: F) {
    let (left, right) = (left.cast::<T>(), right.cast::<T>());
    for at in 0..count {
        // SAFETY: `apply` counted the elements that both views have.
        unsafe {
            let value = op(left.add(at).read_unaligned(), right.add(at).read_unaligned());
            right.add(at).write_unaligned(value);
        }
    }
}

macro_rules! integers {
    ($op:expr, $type:ty) => {
        match $op {
            op::ADD => Some(|l, r, n| each::<$type, _>(l, r, n, |a, b| a.wrapping_add(b))),
            op::MULT => Some(|l, r, n| each::<$type, _>(l, r, n, |a, b| a.wrapping_mul(b))),
            op::MIN => Some(|l, r, n| each::<$type, _>(l, r, n, |a, b| a.min(b))),
            op::MAX => Some(|l, r, n| each::<$type, _>(l, r, n, |a, b| a.max(b))),
            op::AND => Some(|l, r, n| each::<$type, _>(l, r, n, |a, b| a & b)),
            op::OR => Some(|l, r, n| each::<$type, _>(l, r, n, |a, b| a | b)),
            op::XOR => Some(|l, r, n| each::<$type, _>(l, r, n, |a, b| a ^ b)),
            _ => None,
        }
    };
}

macro_rules! floats {
    ($op:expr, $type:ty) => {
        match $op {
            op::ADD => Some(|l, r, n| each::<$type, _>(l, r, n, |a, b| a + b)),
            op::MULT => Some(|l, r, n| each::<$type, _>(l, r, n, |a, b| a * b)),
            op::MIN => Some(|l, r, n| each::<$type, _>(l, r, n, |a, b| if a < b { a } else { b })),
            op::MAX => Some(|l, r, n| each::<$type, _>(l, r, n, |a, b| if a > b { a } else { b })),
            _ => None,
        }
    };
}

fn built_in(dt: u32, op: u32) -> Option<fn(*const u8, *mut u8, usize)> {
    match dt {
        dt::I32 => integers!(op, i32),
        dt::U32 => integers!(op, u32),
        dt::I64 => integers!(op, i64),
        dt::U64 => integers!(op, u64),
        dt::FLT => floats!(op, f32),
        dt::DBL => floats!(op, f64),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run<T: Copy, const N: usize>(dt: u32, op: u32, left: [T; N], mut right: [T; N]) -> [T; N] {
        let operator = Operator::new(dt, size_of::<T>(), op, None, core::ptr::null()).unwrap();
        let bytes = size_of_val(&left);
        // SAFETY: both arrays live through the call.
        let (l, r) = unsafe { (Src::new(left.as_ptr().cast(), bytes), Dst::new(right.as_mut_ptr().cast(), bytes)) };
        operator.apply(l, r);
        right
    }

    #[test]
    fn integers_wrap_and_keep_their_sign() {
        assert_eq!(run(dt::I32, op::ADD, [i32::MAX, -5], [1, 2]), [i32::MIN, -3]);
        assert_eq!(run(dt::U32, op::MIN, [u32::MAX, 3], [1, 9]), [1, 3]);
        assert_eq!(run(dt::I64, op::MAX, [-1i64, 3], [1, -9]), [1, 3]);
        assert_eq!(run(dt::U64, op::MULT, [1u64 << 63, 3], [2, 9]), [0, 27]);
        assert_eq!(run(dt::U64, op::XOR, [6u64], [3]), [5]);
        assert_eq!(run(dt::I32, op::AND, [6], [3]), [2]);
        assert_eq!(run(dt::U32, op::OR, [6u32], [3]), [7]);
    }

    #[test]
    fn floats_have_no_bit_operations() {
        assert_eq!(run(dt::DBL, op::ADD, [0.5, 1.5], [1.0, 2.0]), [1.5, 3.5]);
        assert_eq!(run(dt::FLT, op::MIN, [0.5f32, 1.5], [1.0, -2.0]), [0.5, -2.0]);
        for dt in [dt::FLT, dt::DBL] {
            for op in [op::AND, op::OR, op::XOR] {
                let width = if dt == dt::FLT { 4 } else { 8 };
                assert_eq!(Operator::new(dt, width, op, None, core::ptr::null()).err(), Some(Unfit::Operation));
            }
        }
    }

    #[test]
    fn invalid_arguments_are_rejected() {
        let new = |dt, width, op| Operator::new(dt, width, op, None, core::ptr::null()).err();
        assert_eq!(new(3, 4, op::ADD), Some(Unfit::Type));
        assert_eq!(new(dt::I32, 8, op::ADD), Some(Unfit::Width(4)));
        assert_eq!(new(dt::USER, 8, op::ADD), Some(Unfit::Operation));
        assert_eq!(new(dt::USER, 0, op::USER), Some(Unfit::Width(0)));
        assert_eq!(new(dt::I32, 4, op::USER), Some(Unfit::NoFunction));
        assert_eq!(new(dt::I32, 4, 16), Some(Unfit::Operation));
        assert_eq!(new(dt::I32, 4, op::ADD), None);
    }
}
