//! GASNet in Rust: one library for every conduit, thread mode and debugging aid.
//! ARCHITECTURE.md is the map; a call goes down its layers, one file each, and returns.

#![deny(unsafe_code)]

pub mod abi;
pub mod env;
pub mod fatal;
pub mod os;
