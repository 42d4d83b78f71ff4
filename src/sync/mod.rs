//! Atomics, padding, and how to wait.

pub mod atomic;
pub mod backoff;
pub mod lent;
pub mod padded;
pub mod turned;
pub mod waiting;
