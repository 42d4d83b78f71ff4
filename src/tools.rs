//! The tools without their C interface (abi/tools*.rs): bytes, texts, the checks on a debug
//! client's locks, the library's self-tests.

pub(crate) mod bytes;
pub(crate) mod format;
pub(crate) mod heap;
pub(crate) mod held;
