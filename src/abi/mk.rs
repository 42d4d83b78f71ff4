//! The C interface of memory kinds.
//!
//! # Safety
//! Addresses for results and structs of arguments come from the caller.
#![allow(unsafe_code, non_snake_case)]

use core::ffi::{c_int, c_void};
use core::ptr;

use crate::abi::enter;
use crate::abi::types::{gex_Client_t, gex_Flags_t, gex_MK_t};
use crate::fatal::{self, Error, usage};
use crate::mk::{self, Device};
use crate::sync::atomic::{AtomicPtr, Ordering};
use crate::trace;

/// The class of a memory kind.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum gex_MK_Class_t {
    /// Memory of the host: GEX_MK_HOST.
    GEX_MK_CLASS_HOST,
    /// A device with the CUDA driver's interface and unified addresses.
    GEX_MK_CLASS_CUDA_UVA,
    /// A device with the HIP interface.
    GEX_MK_CLASS_HIP,
    /// A device with the oneAPI Level Zero interface.
    GEX_MK_CLASS_ZE,
    /// The number of classes.
    _GEX_MK_CLASS_COUNT,
}

/// Identifies a CUDA device.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct gasneti_mk_cuda_uva_t {
    pub gex_CUdevice: c_int,
}

/// Identifies a HIP device.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct gasneti_mk_hip_t {
    pub gex_hipDevice: c_int,
}

/// Identifies a Level Zero device, a context on it and one of its memories.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct gasneti_mk_ze_t {
    pub gex_zeDevice: *mut c_void,
    pub gex_zeContext: *mut c_void,
    pub gex_zeMemoryOrdinal: u32,
}

/// The device; the member that applies is selected by the class.
#[repr(C)]
#[derive(Clone, Copy)]
pub union gasneti_mk_args_t {
    pub gex_class_cuda_uva: gasneti_mk_cuda_uva_t,
    pub gex_class_hip: gasneti_mk_hip_t,
    pub gex_class_ze: gasneti_mk_ze_t,
}

/// The arguments of gex_MK_Create; members that are not used are zero.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct gex_MK_Create_args_t {
    /// Reserved, 0.
    pub gex_flags: u64,
    pub gex_class: gex_MK_Class_t,
    pub gex_args: gasneti_mk_args_t,
}

/// GEX_MK_HOST.
pub(super) const HOST: usize = 1;

/// The pointer that the client attached to GEX_MK_HOST.
static HOST_CDATA: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

/// Ends the job if the handle is not that of a memory kind.
fn host(call: &str, mk: gex_MK_t) {
    match mk.addr() {
        HOST => {}
        0 => usage!(call, "the memory kind is GEX_MK_INVALID"),
        _ => usage!(call, "{mk:p} is not a memory kind; GEX_MK_HOST is the only one"),
    }
}

/// Creates a memory kind, which describes the memory of one device.
///
/// Not collective. There are no device kinds in this version: GASNET_HAVE_MK_CLASS_CUDA_UVA, _HIP and _ZE are not
/// defined. A line on stderr names the missing part, unless it was disabled by gex_System_SetVerboseErrors.
///
/// Returns GASNET_ERR_BAD_ARG; `*kind_p` is not changed.
///
/// Source: GASNet-EX API: Memory Kinds, 2025.8.0.
///
/// # Safety
/// `args` is readable or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_MK_Create(
    kind_p: *mut gex_MK_t,
    client: gex_Client_t,
    args: *const gex_MK_Create_args_t,
    flags: gex_Flags_t,
) -> c_int {
    const CALL: &str = "gex_MK_Create";
    let _span = trace::span(CALL);
    enter::job_named(CALL);
    let why = if kind_p.is_null() {
        "kind_p is NULL".to_owned()
    } else if client.is_null() {
        "client is GEX_CLIENT_INVALID".to_owned()
    } else if flags != 0 {
        format!("flags {flags:#x} must be 0")
    } else if args.is_null() {
        "args is NULL".to_owned()
    } else {
        // SAFETY: readable, by the caller's promise. The class is read as the number it is in C, which need not be one
        // of the enumerators.
        let (reserved, class) = unsafe { ((*args).gex_flags, (&raw const (*args).gex_class).cast::<u32>().read()) };
        // SAFETY: as above; every member is plain bytes.
        let of = unsafe { (*args).gex_args };
        refusal(reserved, class, of)
    };
    fatal::returning_because(CALL, Error::BadArg, format_args!("{why}"))
}

fn refusal(reserved: u64, class: u32, of: gasneti_mk_args_t) -> String {
    use gex_MK_Class_t::{GEX_MK_CLASS_CUDA_UVA, GEX_MK_CLASS_HIP, GEX_MK_CLASS_HOST, GEX_MK_CLASS_ZE};
    const HOST: u32 = GEX_MK_CLASS_HOST as u32;
    const CUDA: u32 = GEX_MK_CLASS_CUDA_UVA as u32;
    const HIP: u32 = GEX_MK_CLASS_HIP as u32;
    const ZE: u32 = GEX_MK_CLASS_ZE as u32;
    if reserved != 0 {
        return format!("args->gex_flags {reserved:#x} must be 0");
    }
    match class {
        HOST => "GEX_MK_CLASS_HOST: GEX_MK_HOST is predefined, there is nothing to create".to_owned(),
        // SAFETY: plain bytes, of which the client set the member of this class.
        CUDA => mk::why_not(Device::Cuda(unsafe { of.gex_class_cuda_uva.gex_CUdevice })),
        // SAFETY: as above.
        HIP => mk::why_not(Device::Hip(unsafe { of.gex_class_hip.gex_hipDevice })),
        ZE => {
            // SAFETY: as above.
            let ze = unsafe { of.gex_class_ze };
            mk::why_not(Device::Ze { handles: !ze.gex_zeDevice.is_null() && !ze.gex_zeContext.is_null() })
        }
        _ => format!("args->gex_class {class} is no class of memory kinds"),
    }
}

/// Destroys a memory kind that was created by gex_MK_Create. Ends the job for any other kind, including
/// GEX_MK_HOST.
///
/// Source: GASNet-EX API: Memory Kinds, 2025.8.0.
#[unsafe(no_mangle)]
pub extern "C" fn gex_MK_Destroy(kind: gex_MK_t, _flags: gex_Flags_t) {
    host("gex_MK_Destroy", kind);
    usage!("gex_MK_Destroy", "GEX_MK_HOST is predefined, and cannot be destroyed");
}

/// Returns the client of the kind; GEX_CLIENT_INVALID for GEX_MK_HOST, which belongs to no client.
///
/// Source: GASNet-EX API: Memory Kinds, 2025.8.0.
#[unsafe(no_mangle)]
pub extern "C" fn gex_MK_QueryClient(mk: gex_MK_t) -> gex_Client_t {
    host("gex_MK_QueryClient", mk);
    ptr::null_mut()
}

/// The class of the kind.
///
/// Source: GASNet-EX API: Memory Kinds, 2025.8.0.
#[unsafe(no_mangle)]
pub extern "C" fn gex_MK_QueryClass(mk: gex_MK_t) -> gex_MK_Class_t {
    host("gex_MK_QueryClass", mk);
    gex_MK_Class_t::GEX_MK_CLASS_HOST
}

/// The flags that the kind was created with.
///
/// Source: GASNet-EX API: Memory Kinds, 2025.8.0.
#[unsafe(no_mangle)]
pub extern "C" fn gex_MK_QueryFlags(mk: gex_MK_t) -> gex_Flags_t {
    host("gex_MK_QueryFlags", mk);
    0
}

/// Attaches a pointer of the client to the kind.
///
/// Source: GASNet-EX API: Memory Kinds, 2025.8.0.
#[unsafe(no_mangle)]
pub extern "C" fn gex_MK_SetCData(mk: gex_MK_t, val: *const c_void) {
    host("gex_MK_SetCData", mk);
    HOST_CDATA.store(val.cast_mut(), Ordering::Release);
}

/// Returns the pointer that the client attached to the kind; NULL if none was set.
///
/// Source: GASNet-EX API: Memory Kinds, 2025.8.0.
#[unsafe(no_mangle)]
pub extern "C" fn gex_MK_QueryCData(mk: gex_MK_t) -> *mut c_void {
    host("gex_MK_QueryCData", mk);
    HOST_CDATA.load(Ordering::Acquire)
}
