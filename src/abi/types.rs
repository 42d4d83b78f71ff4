//! Public scalars, handles and structs of the C interface.
#![allow(non_camel_case_types)]

use core::ffi::c_void;

/// A process of the job.
pub type gasnet_node_t = u32;
/// Index into the AM handler table.
pub type gasnet_handler_t = u8;
/// An AM argument: 32 bits, sign-extended.
pub type gasnet_handlerarg_t = i32;
/// The widest unsigned integer that fits one register.
pub type gasnet_register_value_t = usize;
/// Names the message being handled; valid only inside its handler, on its thread.
pub type gasnet_token_t = *mut c_void;

/// A segment: `addr` in its owner's address space, `size` in bytes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct gasnet_seginfo_t {
    pub addr: *mut c_void,
    pub size: usize,
}

/// Where a rank runs; `offset` added to an address in its segment gives the local mapping.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct gasnet_nodeinfo_t {
    pub host: gasnet_node_t,
    pub supernode: gasnet_node_t,
    pub offset: usize,
}
