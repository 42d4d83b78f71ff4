//! The machine: services of the kernel and the processor.

#![allow(unsafe_code)]

pub mod affinity;
pub mod backtrace;
pub mod children;
pub mod clock;
pub mod dl;
pub mod files;
pub mod heap;
pub mod host;
pub mod limits;
pub mod link;
pub mod local_socket;
pub mod peer_memory;
pub mod pidfd;
pub mod probe;
pub mod process;
pub mod shm;
pub mod signal;
pub mod sleep;
pub mod streams;
pub mod thread_end;
