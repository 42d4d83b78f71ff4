//! The C interface: one file per chapter of the headers. Functions convert their arguments, call one function, and
//! convert the result; they make no decisions.
//!
//! # Safety
//! Each function's `# Safety` states the part of the GASNet contract that its C caller keeps; pointers become views
//! (mem.rs) at once.
#![allow(unsafe_code, non_camel_case_types, non_upper_case_globals, clippy::not_unsafe_ptr_arg_deref)]

pub mod am;
pub mod am_ex;
pub mod am_prepare;
pub mod am_query;
mod arguments;
pub mod barrier;
pub mod client;
pub mod coll;
mod coll_call;
pub mod coll_computed;
pub mod coll_legacy;
pub mod coll_moves;
pub mod coll_moves_m;
pub mod coll_team;
pub mod diag;
pub mod endpoint;
pub mod enter;
pub mod environ;
pub mod event;
pub mod event_ex;
pub mod exit;
pub mod hot;
pub mod hsl;
pub mod init;
pub mod layout;
pub mod mk;

pub mod ratomic;
pub mod ratomic_ops;
pub mod rma;
pub mod rma_ex;
pub mod segment;
pub mod system;
pub mod team;
pub mod team_make;
pub mod tools;
pub mod tools_atomic;
pub mod tools_env;
pub mod tools_format;
pub mod tools_heap;
pub mod tools_lock;
pub mod tools_lock_checked;
pub mod tools_place;
pub mod tools_strongatomic;
pub mod tools_timer;
pub mod tools_trace;
pub mod types;
pub mod vis;
pub mod vis_enter;
pub mod vis_legacy;
pub mod vis_legacy_strided;
pub mod vis_strided;
