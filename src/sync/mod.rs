//! Atomics, padding, and how to wait.

pub(crate) mod atomic;
pub(crate) mod backoff;
pub(crate) mod lent;
pub(crate) mod padded;
pub(crate) mod turned;
pub(crate) mod turns;
pub(crate) mod waiting;
