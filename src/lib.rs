//! GASNet in Rust: one library for every conduit, thread mode and debugging aid.
//! ARCHITECTURE.md is the map; a call goes down its layers, one file each, and returns.

#![deny(unsafe_code)]

pub mod abi;
pub mod am;
pub mod barrier;
pub mod bootstrap;
pub mod client;
pub mod coll;
pub mod conduit;
pub mod defs;
pub mod diag;
pub mod endpoint;
pub mod env;
pub mod event;
pub mod exit;
pub mod fatal;
pub mod hang;
pub mod hsl;
pub mod job;
pub mod launch;
pub mod mem;
pub mod mk;
pub mod nbrhd;
pub mod os;
pub mod places;
pub mod ratomic;
pub mod rma;
pub mod segment;
pub mod settings;
pub mod start;
pub mod sync;
pub mod team;
pub mod thread;
pub mod tools;
pub mod trace;
pub mod vis;

/// Of the installed library (the Makefile says so), not of Rust programs that use this crate.
#[cfg(gasnet_library)]
#[global_allocator]
static HEAP: os::heap::Heap = os::heap::Heap;
