//! Endpoints: creation and queries.

use core::ffi::{c_int, c_void};

use crate::abi::enter;
use crate::abi::types::{gex_Client_t, gex_EP_Capabilities_t, gex_EP_Index_t, gex_EP_t, gex_Flags_t, gex_Segment_t};
use crate::client;
use crate::endpoint::{self, capability};
use crate::fatal::{self, Error};
use crate::sync::atomic::Ordering;
use crate::trace;

/// Creates an endpoint of `client` with `capabilities` (GEX_EP_CAPABILITY_*, at least one). Not collective. The
/// endpoint has no segment and is not a member of any team. `flags`: GEX_FLAG_HINT_ACCEL_*, hints without effect.
///
/// Returns GASNET_OK, GASNET_ERR_BAD_ARG, or GASNET_ERR_RESOURCE if GASNET_MAXEPS endpoints exist; `*ep_p` is
/// written on success only.
///
/// Source: GASNet-EX 0.19, "gex_EP_Create"; GASNet-EX memory kinds, 2.
///
/// # Safety
/// `ep_p` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_EP_Create(
    ep_p: *mut gex_EP_t,
    client: gex_Client_t,
    capabilities: gex_EP_Capabilities_t,
    flags: gex_Flags_t,
) -> c_int {
    const CALL: &str = "gex_EP_Create";
    let _span = trace::span(CALL);
    enter::client(CALL, client);
    if ep_p.is_null() || capabilities == 0 || capabilities & !capability::ALL != 0 {
        return fatal::returning(CALL, Error::BadArg);
    }
    match endpoint::make(capabilities, flags) {
        Ok(ep) => {
            // SAFETY: not null (checked); the caller keeps the contract above.
            unsafe { ep_p.write(enter::handle(ep)) };
            0
        }
        Err(error) => {
            let most = crate::nbrhd::reach::MAX_EPS;
            fatal::returning_because(
                CALL,
                error,
                format_args!("a process has at most GASNET_MAXEPS = {most} endpoints"),
            )
        }
    }
}

/// Attaches `val` to an endpoint, for gex_EP_QueryCData. Legal in handlers.
///
/// Source: GASNet-EX 0.19, "Client-Data (CData)".
#[unsafe(no_mangle)]
pub extern "C" fn gex_EP_SetCData(ep: gex_EP_t, val: *const c_void) {
    enter::endpoint("gex_EP_SetCData", ep).cdata.store(val.cast_mut(), Ordering::Release);
}

/// Returns the value that gex_EP_SetCData attached; NULL initially. Legal in handlers.
///
/// Source: GASNet-EX 0.19, "Client-Data (CData)".
#[unsafe(no_mangle)]
pub extern "C" fn gex_EP_QueryCData(ep: gex_EP_t) -> *mut c_void {
    enter::endpoint("gex_EP_QueryCData", ep).cdata.load(Ordering::Acquire)
}

/// Returns the client of an endpoint. Legal in handlers.
///
/// Source: GASNet-EX 0.19, "Operations on gex_EP_t".
#[unsafe(no_mangle)]
pub extern "C" fn gex_EP_QueryClient(ep: gex_EP_t) -> gex_Client_t {
    enter::endpoint("gex_EP_QueryClient", ep);
    client::client().map_or(core::ptr::null_mut(), enter::handle)
}

/// Returns the flags with which an endpoint was created. Legal in handlers.
///
/// Source: GASNet-EX 0.19, "Operations on gex_EP_t".
#[unsafe(no_mangle)]
pub extern "C" fn gex_EP_QueryFlags(ep: gex_EP_t) -> gex_Flags_t {
    enter::endpoint("gex_EP_QueryFlags", ep).flags
}

/// Returns the segment bound to an endpoint, or GEX_SEGMENT_INVALID. Legal in handlers.
///
/// Source: GASNet-EX 0.19, "Operations on gex_EP_t".
#[unsafe(no_mangle)]
pub extern "C" fn gex_EP_QuerySegment(ep: gex_EP_t) -> gex_Segment_t {
    enter::endpoint("gex_EP_QuerySegment", ep).segment().map_or(core::ptr::null_mut(), enter::handle)
}

/// Returns the index of an endpoint in its process; 0 is the primordial endpoint. Legal in handlers.
///
/// Source: GASNet-EX 0.19, "Operations on gex_EP_t".
#[unsafe(no_mangle)]
pub extern "C" fn gex_EP_QueryIndex(ep: gex_EP_t) -> gex_EP_Index_t {
    enter::endpoint("gex_EP_QueryIndex", ep).index
}
