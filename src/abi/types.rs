//! Public scalars, handles and structs of the C interface.
#![allow(non_camel_case_types)]

use core::ffi::c_void;

use crate::abi::hot::gasneti_tm_t;

/// A position in, or the size of, an ordered set of processes.
pub type gex_Rank_t = u32;
/// Flags of a call; the meaning of a bit depends on the call.
pub type gex_Flags_t = u32;
/// An endpoint's number in its process; 0 is the primordial one.
pub type gex_EP_Index_t = u16;
/// Capabilities of an endpoint.
pub type gex_EP_Capabilities_t = u32;
/// Index into the AM handler table.
pub type gex_AM_Index_t = u8;
/// An AM argument: 32 bits, sign-extended.
pub type gex_AM_Arg_t = i32;
/// A mask of fields of gex_Token_Info_t.
pub type gex_TI_t = core::ffi::c_uint;
/// Kinds of events.
pub type gex_EC_t = core::ffi::c_uint;
/// A type of data.
pub type gex_DT_t = u32;
/// An operation on data.
pub type gex_OP_t = u32;
/// The widest unsigned integer that value puts and gets carry.
pub type gex_RMA_Value_t = u64;
/// An address on the host or a device.
pub type gex_Addr_t = *mut c_void;

/// A client; its content is private to the library.
pub struct gasneti_client {
    _private: [u8; 0],
}
/// An endpoint; its content is private to the library.
pub struct gasneti_ep {
    _private: [u8; 0],
}
/// A segment; its content is private to the library.
pub struct gasneti_segment {
    _private: [u8; 0],
}
/// A memory kind; its content is private to the library.
pub struct gasneti_mk {
    _private: [u8; 0],
}
/// A message being handled; its content is private to the library.
pub struct gasneti_token {
    _private: [u8; 0],
}
/// A message being prepared; its content is private to the library.
pub struct gasneti_srcdesc {
    _private: [u8; 0],
}
/// An operation in flight; its content is private to the library.
pub struct gasneti_op {
    _private: [u8; 0],
}

/// A client of the library in this process.
pub type gex_Client_t = *mut gasneti_client;
/// An endpoint: source and destination of communication.
pub type gex_EP_t = *mut gasneti_ep;
/// A segment: memory that is accessible to other processes.
pub type gex_Segment_t = *mut gasneti_segment;
/// A team: the handle of one of its members.
pub type gex_TM_t = *mut gasneti_tm_t;
/// A kind of memory.
pub type gex_MK_t = *mut gasneti_mk;
/// Names the message being handled; valid only inside its handler, on its thread.
pub type gex_Token_t = *mut gasneti_token;
/// A message being prepared, from Prepare to Commit or Cancel.
pub type gex_AM_SrcDesc_t = *mut gasneti_srcdesc;
/// An operation that was started, or a part of it; 0 is GEX_EVENT_INVALID, which counts as complete.
pub type gex_Event_t = *mut gasneti_op;

/// A process of the job.
pub type gasnet_node_t = gex_Rank_t;
/// Index into the AM handler table.
pub type gasnet_handler_t = gex_AM_Index_t;
/// An AM argument: 32 bits, sign-extended.
pub type gasnet_handlerarg_t = gex_AM_Arg_t;
/// The widest unsigned integer that fits one register.
pub type gasnet_register_value_t = gex_RMA_Value_t;
/// Names the message being handled; valid only inside its handler, on its thread.
pub type gasnet_token_t = gex_Token_t;
/// An operation that was started; 0 is GASNET_INVALID_HANDLE, which counts as complete.
pub type gasnet_handle_t = gex_Event_t;

/// The location of a team's member: an endpoint of a process.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct gex_EP_Location_t {
    pub gex_rank: gex_Rank_t,
    pub gex_ep_index: gex_EP_Index_t,
}

/// A process of the job.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct gex_RankInfo_t {
    pub gex_jobrank: gex_Rank_t,
}

/// `gex_len` bytes at `gex_addr`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct gex_Memvec_t {
    pub gex_addr: *mut c_void,
    pub gex_len: usize,
}

/// A progress thread that the client runs.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct gex_ProgressThreadInfo_t {
    pub gex_device_list: *const core::ffi::c_char,
    pub gex_thread_roles: core::ffi::c_uint,
    pub gex_progress_fn: Option<unsafe extern "C" fn(*mut c_void) -> *mut c_void>,
    pub gex_progress_arg: *mut c_void,
}

/// A segment: `addr` in its owner's address space, `size` in bytes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct gasnet_seginfo_t {
    pub addr: *mut c_void,
    pub size: usize,
}

/// The host and supernode of a rank; the local mapping of an address in its segment is at the address plus
/// `offset`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct gasnet_nodeinfo_t {
    pub host: gasnet_node_t,
    pub supernode: gasnet_node_t,
    pub offset: usize,
    /// The same for memory of the library; 0 if there is none.
    pub auxoffset: usize,
}
