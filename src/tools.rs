//! The tools without their C interface (abi/tools*.rs): bytes, texts, the checks on a debug
//! client's locks, the library's self-tests.

pub mod bytes;
pub mod format;
pub mod heap;
pub mod held;
