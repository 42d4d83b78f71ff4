//! The machine: services of the kernel and the processor.

#![allow(unsafe_code)]

pub(crate) mod affinity;
pub(crate) mod alarm;
pub(crate) mod backtrace;
pub(crate) mod children;
pub(crate) mod clock;
pub(crate) mod copy;
pub(crate) mod cpu;
pub(crate) mod dl;
pub(crate) mod exit_hook;
pub(crate) mod files;
pub(crate) mod heap;
pub(crate) mod host;
pub(crate) mod limits;
pub(crate) mod link;
pub(crate) mod local_socket;
pub(crate) mod maps;
pub(crate) mod peer_memory;
pub(crate) mod pidfd;
pub(crate) mod populate;
pub(crate) mod probe;
pub(crate) mod process;
pub(crate) mod reserve;
pub(crate) mod services;
pub(crate) mod shm;
pub(crate) mod signal;
pub(crate) mod sleep;
pub(crate) mod streams;
pub(crate) mod thread_end;
pub(crate) mod unmaps;
pub(crate) mod zeroed;
