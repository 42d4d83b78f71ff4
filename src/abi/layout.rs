//! The structs that inline C shares with Rust; `make headers` writes their layout as assertions to layout.h.

use super::client::gasneti_wait_t;
use super::coll_legacy::gasnet_coll_fn_entry_t;
use super::hot::{gasneti_hot_t, gasneti_tm_t};
use super::hsl::gasnet_hsl_t;
use super::init::gasneti_client_record_t;
use super::mk::{gasneti_mk_cuda_uva_t, gasneti_mk_hip_t, gasneti_mk_ze_t, gex_MK_Create_args_t};
use super::ratomic::gasneti_ad_t;
use super::types::{
    gasnet_nodeinfo_t, gasnet_seginfo_t, gex_EP_Location_t, gex_Memvec_t, gex_ProgressThreadInfo_t, gex_RankInfo_t,
};
use core::mem::{offset_of, size_of};

/// The layout of a struct in Rust.
pub struct Shared {
    pub name: &'static str,
    pub size: usize,
    pub fields: &'static [(&'static str, usize)],
}

/// Destructuring without `..` makes a field that is not listed a compile error.
macro_rules! shared {
    ($($name:ident { $($field:ident),* $(,)? })*) => {
        pub const TABLE: &[Shared] = &[$(Shared {
            name: stringify!($name),
            size: size_of::<$name>(),
            fields: &[$((stringify!($field), offset_of!($name, $field))),*],
        }),*];
        $(const _: fn($name) = |all| { let $name { $($field: _),* } = all; };)*
    };
}

shared! {
    gasnet_seginfo_t { addr, size }
    gasnet_nodeinfo_t { host, supernode, offset, auxoffset }
    gasneti_client_record_t { abi, threads, debug, segment, heap, conduit, file }
    gasneti_wait_t { opaque, file, line }
    gasnet_hsl_t { word, state }
    gasnet_coll_fn_entry_t { fnptr, flags }
    gasneti_tm_t { bias, rank, size }
    gex_EP_Location_t { gex_rank, gex_ep_index }
    gex_RankInfo_t { gex_jobrank }
    gex_Memvec_t { gex_addr, gex_len }
    gex_ProgressThreadInfo_t { gex_device_list, gex_thread_roles, gex_progress_fn, gex_progress_arg }
    gasneti_ad_t { by_rank, by_jobrank, size, job_size, ops }
    gasneti_mk_cuda_uva_t { gex_CUdevice }
    gasneti_mk_hip_t { gex_hipDevice }
    gasneti_mk_ze_t { gex_zeDevice, gex_zeContext, gex_zeMemoryOrdinal }
    gex_MK_Create_args_t { gex_flags, gex_class, gex_args }
    gasneti_hot_t { mynode, nodes, serial, debug, all_direct, reserved }
}
