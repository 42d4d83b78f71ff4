//! The C interface of remote atomic operations: for each type, explicit and implicit.
//!
//! # Safety
//! Addresses for results come from the caller.
#![allow(unsafe_code)]

use core::ffi::{c_int, c_void};

use crate::abi::ratomic::{gex_AD_t, start, to_c};
use crate::abi::types::{gex_Event_t, gex_Flags_t, gex_OP_t, gex_Rank_t};
use crate::event::Handle;
use crate::mem::RemoteAddr;
use crate::ratomic::call::AtomicCall;
use crate::ratomic::ops::Type;
use crate::rma::Track;

/// Starts `opcode` on the int32_t at `tgt_addr` on `tgt_rank` of the team of `ad`, atomically with respect to all
/// operations of all atomic domains.
///
/// Fetching operations store the previous value in `*result_p`, which must not be read before the event is
/// synchronised; other operations ignore `result_p`. `operand1` and `operand2` are ignored by operations that have
/// fewer operands. `flags`: GEX_FLAG_AD_REL, GEX_FLAG_AD_ACQ, GEX_FLAG_RANK_IS_JOBRANK, GEX_FLAG_AD_MY_RANK or
/// GEX_FLAG_AD_MY_NBRHD, GEX_FLAG_IMMEDIATE.
///
/// Returns an event; GEX_EVENT_INVALID if the operation is already complete.
/// Ends the job if `ad` does not have this type or operation, `tgt_addr` is not aligned, or `tgt_rank` is out of
/// range. Debug clients: also if `tgt_addr` is outside the target's segment.
///
/// Source: GASNet-EX 0.19, "Remote Atomic Operations".
///
/// # Safety
/// `tgt_addr` lies in the bound segment of the target; `result_p` has room for a number until the event is synchronised.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_AD_OpNB_I32(
    ad: gex_AD_t,
    result_p: *mut i32,
    tgt_rank: gex_Rank_t,
    tgt_addr: *mut c_void,
    opcode: gex_OP_t,
    operand1: i32,
    operand2: i32,
    flags: gex_Flags_t,
) -> gex_Event_t {
    let (name, dtype) = ("gex_AD_OpNB_I32", Type::I32);
    let call = AtomicCall { name, dtype, rank: tgt_rank, at: RemoteAddr(tgt_addr.expose_provenance()), opcode, flags };
    to_c(start(&call, ad, Track::Explicit, result_p, operand1, operand2))
}

/// Starts `opcode` on the int32_t at `tgt_addr` on `tgt_rank` of the team of `ad`; as gex_AD_OpNB_I32, but implicit.
///
/// Synchronised by gex_NBI_Test or gex_NBI_Wait with GEX_EC_PUT for GEX_OP_SET, GEX_EC_GET for GEX_OP_GET,
/// and GEX_EC_RMW for all others.
///
/// Returns 0; nonzero only with GEX_FLAG_IMMEDIATE if it could not start.
///
/// Source: GASNet-EX 0.19, "Remote Atomic Operations".
///
/// # Safety
/// `tgt_addr` lies in the bound segment of the target; `result_p` has room for a number until the operation is
/// synchronised.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_AD_OpNBI_I32(
    ad: gex_AD_t,
    result_p: *mut i32,
    tgt_rank: gex_Rank_t,
    tgt_addr: *mut c_void,
    opcode: gex_OP_t,
    operand1: i32,
    operand2: i32,
    flags: gex_Flags_t,
) -> c_int {
    let (name, dtype) = ("gex_AD_OpNBI_I32", Type::I32);
    let call = AtomicCall { name, dtype, rank: tgt_rank, at: RemoteAddr(tgt_addr.expose_provenance()), opcode, flags };
    c_int::from(start(&call, ad, Track::Implicit, result_p, operand1, operand2) == Handle::NO_OP)
}

/// Starts `opcode` on the uint32_t at `tgt_addr` on `tgt_rank` of the team of `ad`, atomically with respect to all
/// operations of all atomic domains.
///
/// Fetching operations store the previous value in `*result_p`, which must not be read before the event is
/// synchronised; other operations ignore `result_p`. `operand1` and `operand2` are ignored by operations that have
/// fewer operands. `flags`: GEX_FLAG_AD_REL, GEX_FLAG_AD_ACQ, GEX_FLAG_RANK_IS_JOBRANK, GEX_FLAG_AD_MY_RANK or
/// GEX_FLAG_AD_MY_NBRHD, GEX_FLAG_IMMEDIATE.
///
/// Returns an event; GEX_EVENT_INVALID if the operation is already complete.
/// Ends the job if `ad` does not have this type or operation, `tgt_addr` is not aligned, or `tgt_rank` is out of
/// range. Debug clients: also if `tgt_addr` is outside the target's segment.
///
/// Source: GASNet-EX 0.19, "Remote Atomic Operations".
///
/// # Safety
/// `tgt_addr` lies in the bound segment of the target; `result_p` has room for a number until the event is synchronised.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_AD_OpNB_U32(
    ad: gex_AD_t,
    result_p: *mut u32,
    tgt_rank: gex_Rank_t,
    tgt_addr: *mut c_void,
    opcode: gex_OP_t,
    operand1: u32,
    operand2: u32,
    flags: gex_Flags_t,
) -> gex_Event_t {
    let (name, dtype) = ("gex_AD_OpNB_U32", Type::U32);
    let call = AtomicCall { name, dtype, rank: tgt_rank, at: RemoteAddr(tgt_addr.expose_provenance()), opcode, flags };
    to_c(start(&call, ad, Track::Explicit, result_p, operand1, operand2))
}

/// Starts `opcode` on the uint32_t at `tgt_addr` on `tgt_rank` of the team of `ad`; as gex_AD_OpNB_U32, but implicit.
///
/// Synchronised by gex_NBI_Test or gex_NBI_Wait with GEX_EC_PUT for GEX_OP_SET, GEX_EC_GET for GEX_OP_GET,
/// and GEX_EC_RMW for all others.
///
/// Returns 0; nonzero only with GEX_FLAG_IMMEDIATE if it could not start.
///
/// Source: GASNet-EX 0.19, "Remote Atomic Operations".
///
/// # Safety
/// `tgt_addr` lies in the bound segment of the target; `result_p` has room for a number until the operation is
/// synchronised.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_AD_OpNBI_U32(
    ad: gex_AD_t,
    result_p: *mut u32,
    tgt_rank: gex_Rank_t,
    tgt_addr: *mut c_void,
    opcode: gex_OP_t,
    operand1: u32,
    operand2: u32,
    flags: gex_Flags_t,
) -> c_int {
    let (name, dtype) = ("gex_AD_OpNBI_U32", Type::U32);
    let call = AtomicCall { name, dtype, rank: tgt_rank, at: RemoteAddr(tgt_addr.expose_provenance()), opcode, flags };
    c_int::from(start(&call, ad, Track::Implicit, result_p, operand1, operand2) == Handle::NO_OP)
}

/// Starts `opcode` on the int64_t at `tgt_addr` on `tgt_rank` of the team of `ad`, atomically with respect to all
/// operations of all atomic domains.
///
/// Fetching operations store the previous value in `*result_p`, which must not be read before the event is
/// synchronised; other operations ignore `result_p`. `operand1` and `operand2` are ignored by operations that have
/// fewer operands. `flags`: GEX_FLAG_AD_REL, GEX_FLAG_AD_ACQ, GEX_FLAG_RANK_IS_JOBRANK, GEX_FLAG_AD_MY_RANK or
/// GEX_FLAG_AD_MY_NBRHD, GEX_FLAG_IMMEDIATE.
///
/// Returns an event; GEX_EVENT_INVALID if the operation is already complete.
/// Ends the job if `ad` does not have this type or operation, `tgt_addr` is not aligned, or `tgt_rank` is out of
/// range. Debug clients: also if `tgt_addr` is outside the target's segment.
///
/// Source: GASNet-EX 0.19, "Remote Atomic Operations".
///
/// # Safety
/// `tgt_addr` lies in the bound segment of the target; `result_p` has room for a number until the event is synchronised.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_AD_OpNB_I64(
    ad: gex_AD_t,
    result_p: *mut i64,
    tgt_rank: gex_Rank_t,
    tgt_addr: *mut c_void,
    opcode: gex_OP_t,
    operand1: i64,
    operand2: i64,
    flags: gex_Flags_t,
) -> gex_Event_t {
    let (name, dtype) = ("gex_AD_OpNB_I64", Type::I64);
    let call = AtomicCall { name, dtype, rank: tgt_rank, at: RemoteAddr(tgt_addr.expose_provenance()), opcode, flags };
    to_c(start(&call, ad, Track::Explicit, result_p, operand1, operand2))
}

/// Starts `opcode` on the int64_t at `tgt_addr` on `tgt_rank` of the team of `ad`; as gex_AD_OpNB_I64, but implicit.
///
/// Synchronised by gex_NBI_Test or gex_NBI_Wait with GEX_EC_PUT for GEX_OP_SET, GEX_EC_GET for GEX_OP_GET,
/// and GEX_EC_RMW for all others.
///
/// Returns 0; nonzero only with GEX_FLAG_IMMEDIATE if it could not start.
///
/// Source: GASNet-EX 0.19, "Remote Atomic Operations".
///
/// # Safety
/// `tgt_addr` lies in the bound segment of the target; `result_p` has room for a number until the operation is
/// synchronised.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_AD_OpNBI_I64(
    ad: gex_AD_t,
    result_p: *mut i64,
    tgt_rank: gex_Rank_t,
    tgt_addr: *mut c_void,
    opcode: gex_OP_t,
    operand1: i64,
    operand2: i64,
    flags: gex_Flags_t,
) -> c_int {
    let (name, dtype) = ("gex_AD_OpNBI_I64", Type::I64);
    let call = AtomicCall { name, dtype, rank: tgt_rank, at: RemoteAddr(tgt_addr.expose_provenance()), opcode, flags };
    c_int::from(start(&call, ad, Track::Implicit, result_p, operand1, operand2) == Handle::NO_OP)
}

/// Starts `opcode` on the uint64_t at `tgt_addr` on `tgt_rank` of the team of `ad`, atomically with respect to all
/// operations of all atomic domains.
///
/// Fetching operations store the previous value in `*result_p`, which must not be read before the event is
/// synchronised; other operations ignore `result_p`. `operand1` and `operand2` are ignored by operations that have
/// fewer operands. `flags`: GEX_FLAG_AD_REL, GEX_FLAG_AD_ACQ, GEX_FLAG_RANK_IS_JOBRANK, GEX_FLAG_AD_MY_RANK or
/// GEX_FLAG_AD_MY_NBRHD, GEX_FLAG_IMMEDIATE.
///
/// Returns an event; GEX_EVENT_INVALID if the operation is already complete.
/// Ends the job if `ad` does not have this type or operation, `tgt_addr` is not aligned, or `tgt_rank` is out of
/// range. Debug clients: also if `tgt_addr` is outside the target's segment.
///
/// Source: GASNet-EX 0.19, "Remote Atomic Operations".
///
/// # Safety
/// `tgt_addr` lies in the bound segment of the target; `result_p` has room for a number until the event is synchronised.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_AD_OpNB_U64(
    ad: gex_AD_t,
    result_p: *mut u64,
    tgt_rank: gex_Rank_t,
    tgt_addr: *mut c_void,
    opcode: gex_OP_t,
    operand1: u64,
    operand2: u64,
    flags: gex_Flags_t,
) -> gex_Event_t {
    let (name, dtype) = ("gex_AD_OpNB_U64", Type::U64);
    let call = AtomicCall { name, dtype, rank: tgt_rank, at: RemoteAddr(tgt_addr.expose_provenance()), opcode, flags };
    to_c(start(&call, ad, Track::Explicit, result_p, operand1, operand2))
}

/// Starts `opcode` on the uint64_t at `tgt_addr` on `tgt_rank` of the team of `ad`; as gex_AD_OpNB_U64, but implicit.
///
/// Synchronised by gex_NBI_Test or gex_NBI_Wait with GEX_EC_PUT for GEX_OP_SET, GEX_EC_GET for GEX_OP_GET,
/// and GEX_EC_RMW for all others.
///
/// Returns 0; nonzero only with GEX_FLAG_IMMEDIATE if it could not start.
///
/// Source: GASNet-EX 0.19, "Remote Atomic Operations".
///
/// # Safety
/// `tgt_addr` lies in the bound segment of the target; `result_p` has room for a number until the operation is
/// synchronised.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_AD_OpNBI_U64(
    ad: gex_AD_t,
    result_p: *mut u64,
    tgt_rank: gex_Rank_t,
    tgt_addr: *mut c_void,
    opcode: gex_OP_t,
    operand1: u64,
    operand2: u64,
    flags: gex_Flags_t,
) -> c_int {
    let (name, dtype) = ("gex_AD_OpNBI_U64", Type::U64);
    let call = AtomicCall { name, dtype, rank: tgt_rank, at: RemoteAddr(tgt_addr.expose_provenance()), opcode, flags };
    c_int::from(start(&call, ad, Track::Implicit, result_p, operand1, operand2) == Handle::NO_OP)
}

/// Starts `opcode` on the float at `tgt_addr` on `tgt_rank` of the team of `ad`, atomically with respect to all
/// operations of all atomic domains.
///
/// Fetching operations store the previous value in `*result_p`, which must not be read before the event is
/// synchronised; other operations ignore `result_p`. `operand1` and `operand2` are ignored by operations that have
/// fewer operands. `flags`: GEX_FLAG_AD_REL, GEX_FLAG_AD_ACQ, GEX_FLAG_RANK_IS_JOBRANK, GEX_FLAG_AD_MY_RANK or
/// GEX_FLAG_AD_MY_NBRHD, GEX_FLAG_IMMEDIATE.
///
/// Returns an event; GEX_EVENT_INVALID if the operation is already complete.
/// Ends the job if `ad` does not have this type or operation, `tgt_addr` is not aligned, or `tgt_rank` is out of
/// range. Debug clients: also if `tgt_addr` is outside the target's segment.
///
/// Source: GASNet-EX 0.19, "Remote Atomic Operations".
///
/// # Safety
/// `tgt_addr` lies in the bound segment of the target; `result_p` has room for a number until the event is synchronised.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_AD_OpNB_FLT(
    ad: gex_AD_t,
    result_p: *mut f32,
    tgt_rank: gex_Rank_t,
    tgt_addr: *mut c_void,
    opcode: gex_OP_t,
    operand1: f32,
    operand2: f32,
    flags: gex_Flags_t,
) -> gex_Event_t {
    let (name, dtype) = ("gex_AD_OpNB_FLT", Type::Flt);
    let call = AtomicCall { name, dtype, rank: tgt_rank, at: RemoteAddr(tgt_addr.expose_provenance()), opcode, flags };
    to_c(start(&call, ad, Track::Explicit, result_p, operand1, operand2))
}

/// Starts `opcode` on the float at `tgt_addr` on `tgt_rank` of the team of `ad`; as gex_AD_OpNB_FLT, but implicit.
///
/// Synchronised by gex_NBI_Test or gex_NBI_Wait with GEX_EC_PUT for GEX_OP_SET, GEX_EC_GET for GEX_OP_GET,
/// and GEX_EC_RMW for all others.
///
/// Returns 0; nonzero only with GEX_FLAG_IMMEDIATE if it could not start.
///
/// Source: GASNet-EX 0.19, "Remote Atomic Operations".
///
/// # Safety
/// `tgt_addr` lies in the bound segment of the target; `result_p` has room for a number until the operation is
/// synchronised.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_AD_OpNBI_FLT(
    ad: gex_AD_t,
    result_p: *mut f32,
    tgt_rank: gex_Rank_t,
    tgt_addr: *mut c_void,
    opcode: gex_OP_t,
    operand1: f32,
    operand2: f32,
    flags: gex_Flags_t,
) -> c_int {
    let (name, dtype) = ("gex_AD_OpNBI_FLT", Type::Flt);
    let call = AtomicCall { name, dtype, rank: tgt_rank, at: RemoteAddr(tgt_addr.expose_provenance()), opcode, flags };
    c_int::from(start(&call, ad, Track::Implicit, result_p, operand1, operand2) == Handle::NO_OP)
}

/// Starts `opcode` on the double at `tgt_addr` on `tgt_rank` of the team of `ad`, atomically with respect to all
/// operations of all atomic domains.
///
/// Fetching operations store the previous value in `*result_p`, which must not be read before the event is
/// synchronised; other operations ignore `result_p`. `operand1` and `operand2` are ignored by operations that have
/// fewer operands. `flags`: GEX_FLAG_AD_REL, GEX_FLAG_AD_ACQ, GEX_FLAG_RANK_IS_JOBRANK, GEX_FLAG_AD_MY_RANK or
/// GEX_FLAG_AD_MY_NBRHD, GEX_FLAG_IMMEDIATE.
///
/// Returns an event; GEX_EVENT_INVALID if the operation is already complete.
/// Ends the job if `ad` does not have this type or operation, `tgt_addr` is not aligned, or `tgt_rank` is out of
/// range. Debug clients: also if `tgt_addr` is outside the target's segment.
///
/// Source: GASNet-EX 0.19, "Remote Atomic Operations".
///
/// # Safety
/// `tgt_addr` lies in the bound segment of the target; `result_p` has room for a number until the event is synchronised.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_AD_OpNB_DBL(
    ad: gex_AD_t,
    result_p: *mut f64,
    tgt_rank: gex_Rank_t,
    tgt_addr: *mut c_void,
    opcode: gex_OP_t,
    operand1: f64,
    operand2: f64,
    flags: gex_Flags_t,
) -> gex_Event_t {
    let (name, dtype) = ("gex_AD_OpNB_DBL", Type::Dbl);
    let call = AtomicCall { name, dtype, rank: tgt_rank, at: RemoteAddr(tgt_addr.expose_provenance()), opcode, flags };
    to_c(start(&call, ad, Track::Explicit, result_p, operand1, operand2))
}

/// Starts `opcode` on the double at `tgt_addr` on `tgt_rank` of the team of `ad`; as gex_AD_OpNB_DBL, but implicit.
///
/// Synchronised by gex_NBI_Test or gex_NBI_Wait with GEX_EC_PUT for GEX_OP_SET, GEX_EC_GET for GEX_OP_GET,
/// and GEX_EC_RMW for all others.
///
/// Returns 0; nonzero only with GEX_FLAG_IMMEDIATE if it could not start.
///
/// Source: GASNet-EX 0.19, "Remote Atomic Operations".
///
/// # Safety
/// `tgt_addr` lies in the bound segment of the target; `result_p` has room for a number until the operation is
/// synchronised.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_AD_OpNBI_DBL(
    ad: gex_AD_t,
    result_p: *mut f64,
    tgt_rank: gex_Rank_t,
    tgt_addr: *mut c_void,
    opcode: gex_OP_t,
    operand1: f64,
    operand2: f64,
    flags: gex_Flags_t,
) -> c_int {
    let (name, dtype) = ("gex_AD_OpNBI_DBL", Type::Dbl);
    let call = AtomicCall { name, dtype, rank: tgt_rank, at: RemoteAddr(tgt_addr.expose_provenance()), opcode, flags };
    c_int::from(start(&call, ad, Track::Implicit, result_p, operand1, operand2) == Handle::NO_OP)
}
