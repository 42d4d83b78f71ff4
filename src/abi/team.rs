//! Queries on teams, and pairs.

use core::ffi::c_void;

use crate::abi::enter;
use crate::abi::types::{gex_Client_t, gex_EP_Index_t, gex_EP_Location_t, gex_EP_t, gex_Flags_t, gex_Rank_t, gex_TM_t};
use crate::client;
use crate::defs::rank::JobRank;
use crate::fatal::usage;
use crate::nbrhd::reach::MAX_EPS;
use crate::sync::atomic::Ordering;
use crate::team;

/// Returns a pair: a team for point-to-point calls and queries that connects `local_ep` with endpoint
/// `remote_ep_index` of any process. Ranks in a pair are ranks of the job. Not collective; equal arguments give
/// equal values. Legal in handlers.
///
/// Source: GASNet-EX 0.19, "gex_TM_Pair".
#[unsafe(no_mangle)]
pub extern "C" fn gex_TM_Pair(local_ep: gex_EP_t, remote_ep_index: gex_EP_Index_t) -> gex_TM_t {
    const CALL: &str = "gex_TM_Pair";
    let job = enter::job_named(CALL);
    let ep = enter::endpoint(CALL, local_ep);
    if usize::from(remote_ep_index) >= MAX_EPS {
        usage!(CALL, "remote_ep_index {remote_ep_index} is not below GASNET_MAXEPS = {MAX_EPS}");
    }
    enter::handle(team::pair(job, ep, remote_ep_index))
}

/// Returns this process's rank in a team. Legal in handlers.
///
/// Source: GASNet-EX 0.19, "Operations on gex_TM_t".
#[unsafe(no_mangle)]
pub extern "C" fn gex_TM_QueryRank(tm: gex_TM_t) -> gex_Rank_t {
    enter::team("gex_TM_QueryRank", tm).rank()
}

/// Returns the number of members of a team. Legal in handlers.
///
/// Source: GASNet-EX 0.19, "Operations on gex_TM_t".
#[unsafe(no_mangle)]
pub extern "C" fn gex_TM_QuerySize(tm: gex_TM_t) -> gex_Rank_t {
    enter::team("gex_TM_QuerySize", tm).size()
}

/// Returns the client of a team. Legal in handlers.
///
/// Source: GASNet-EX 0.19, "Operations on gex_TM_t".
#[unsafe(no_mangle)]
pub extern "C" fn gex_TM_QueryClient(tm: gex_TM_t) -> gex_Client_t {
    enter::team("gex_TM_QueryClient", tm);
    client::client().map_or(core::ptr::null_mut(), enter::handle)
}

/// Returns the endpoint of this process in the team. Legal in handlers.
///
/// Source: GASNet-EX 0.19, "Operations on gex_TM_t".
#[unsafe(no_mangle)]
pub extern "C" fn gex_TM_QueryEP(tm: gex_TM_t) -> gex_EP_t {
    enter::handle(enter::team("gex_TM_QueryEP", tm).endpoint())
}

/// Returns the flags with which a team was created. Legal in handlers.
///
/// Source: GASNet-EX 0.19, "Operations on gex_TM_t".
#[unsafe(no_mangle)]
pub extern "C" fn gex_TM_QueryFlags(tm: gex_TM_t) -> gex_Flags_t {
    enter::team("gex_TM_QueryFlags", tm).flags()
}

/// Attaches `val` to a team, at this member, for gex_TM_QueryCData. Legal in handlers.
///
/// Source: GASNet-EX 0.19, "Client-Data (CData)".
#[unsafe(no_mangle)]
pub extern "C" fn gex_TM_SetCData(tm: gex_TM_t, val: *const c_void) {
    enter::real_team("gex_TM_SetCData", tm).cdata().store(val.cast_mut(), Ordering::Release);
}

/// Returns the value that gex_TM_SetCData attached; NULL initially. Legal in handlers.
///
/// Source: GASNet-EX 0.19, "Client-Data (CData)".
#[unsafe(no_mangle)]
pub extern "C" fn gex_TM_QueryCData(tm: gex_TM_t) -> *mut c_void {
    enter::real_team("gex_TM_QueryCData", tm).cdata().load(Ordering::Acquire)
}

/// Returns the rank in the job of rank `rank` of a team.
///
/// Source: GASNet-EX 0.19, "Rank translation".
#[unsafe(no_mangle)]
pub extern "C" fn gex_TM_TranslateRankToJobrank(tm: gex_TM_t, rank: gex_Rank_t) -> gex_Rank_t {
    const CALL: &str = "gex_TM_TranslateRankToJobrank";
    enter::place(CALL, enter::team(CALL, tm), rank).rank.0
}

/// Returns the rank in a team of rank `jobrank` of the job, or GEX_RANK_INVALID if it is not a member.
///
/// Source: GASNet-EX 0.19, "Rank translation".
#[unsafe(no_mangle)]
pub extern "C" fn gex_TM_TranslateJobrankToRank(tm: gex_TM_t, jobrank: gex_Rank_t) -> gex_Rank_t {
    enter::team("gex_TM_TranslateJobrankToRank", tm).rank_of(JobRank(jobrank)).unwrap_or(gex_Rank_t::MAX)
}

/// Returns the rank in the job and the endpoint of rank `rank` of a team. `flags` is 0.
///
/// Source: GASNet-EX 0.19, "gex_TM_TranslateRankToEP".
#[unsafe(no_mangle)]
pub extern "C" fn gex_TM_TranslateRankToEP(tm: gex_TM_t, rank: gex_Rank_t, _flags: gex_Flags_t) -> gex_EP_Location_t {
    const CALL: &str = "gex_TM_TranslateRankToEP";
    let at = enter::place(CALL, enter::team(CALL, tm), rank);
    gex_EP_Location_t { gex_rank: at.rank.0, gex_ep_index: at.ep }
}
