//! What the tools compute, apart from the C interface of abi/tools*.rs: bytes, texts, the checks on a debug
//! client's locks, the library's self-tests.

pub mod bytes;
pub mod format;
pub mod heap;
pub mod held;
