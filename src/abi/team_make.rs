//! The C interface that creates and destroys teams.
//!
//! # Safety
//! Arrays and addresses for results come from the caller; each function states the caller's promise.
#![allow(unsafe_code)]

use core::ffi::{c_int, c_void};
use core::ptr;

use crate::abi::coll::enter_coll;
use crate::abi::enter;
use crate::abi::types::{gex_Addr_t, gex_EP_Location_t, gex_Flags_t, gex_Memvec_t, gex_TM_t};
use crate::coll::images::request;
use crate::coll::team_scratch::{self as scratch, Given, ScratchList};
use crate::defs::rank::{JobRank, Location};
use crate::endpoint;
use crate::fatal::usage;
use crate::job::Job;
use crate::team::{SplitArgs, Team};
use crate::trace;

const RANK_IS_JOBRANK: gex_Flags_t = 0x2000;

/// Splits the members of `parent_tm` into new teams.
///
/// Members with the same `color` and a non-NULL `new_tm_p` form one team, ordered by `key`, and by rank in
/// `parent_tm` where keys are equal; `*new_tm_p` is this member's handle of it. A member whose `new_tm_p` is NULL
/// takes part in the call but joins no team. `scratch_addr` and `scratch_size` describe memory in the bound segment
/// that belongs to the library until gex_TM_Destroy; alternatively `flags` has GEX_FLAG_TM_NO_SCRATCH. Blocks until
/// all members of `parent_tm` have called it, and may run AM handlers; must not be called from a handler. Called by
/// all in the same order as their other collectives.
///
/// Returns 0. With GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED no team is created: returns the recommended `scratch_size`,
/// or 0 if `new_tm_p` is NULL.
///
/// Ends the job if `color` is negative, or if neither scratch memory nor GEX_FLAG_TM_NO_SCRATCH is given.
///
/// Source: GASNet-EX 0.19, "gex_TM_Split".
///
/// # Safety
/// `new_tm_p` is NULL or writable; the scratch memory is not used otherwise during the lifetime of the team.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_TM_Split(
    new_tm_p: *mut gex_TM_t,
    parent_tm: gex_TM_t,
    color: c_int,
    key: c_int,
    scratch_addr: *mut c_void,
    scratch_size: usize,
    flags: gex_Flags_t,
) -> usize {
    const CALL: &str = "gex_TM_Split";
    let _span = trace::span(CALL);
    let (job, parent) = enter_coll(CALL, parent_tm);
    if let Some(answer) = scratch::query(CALL, flags, !new_tm_p.is_null()) {
        return answer;
    }
    scratch::check_split(CALL, flags);
    let joins = !new_tm_p.is_null();
    if joins && color < 0 {
        usage!(CALL, "color {color} is negative");
    }
    let given = Given { at: scratch_addr.addr(), nbytes: scratch_size, flags };
    let scratch = joins.then(|| given.of_member(job, CALL, parent)).flatten();
    let wish = joins.then_some(SplitArgs { color: color as u32, key });
    job.coll_declare(parent, CALL, || request::words(request::SPLIT, 0, 0, [0; 3]));
    if let Some(team) = job.team_split(parent, wish) {
        team.set_flags(flags);
        scratch::keep(team, scratch);
        // SAFETY: the caller's promise above; there is a team only where there is a pointer.
        unsafe { new_tm_p.write(enter::handle(team)) };
    }
    0
}

/// The members listed in `args`.
fn members(call: &str, job: &Job, parent: &Team, args: &[gex_EP_Location_t], flags: gex_Flags_t) -> Vec<Location> {
    let located = |(index, arg): (usize, &gex_EP_Location_t)| {
        let rank = if flags & RANK_IS_JOBRANK == 0 {
            if arg.gex_rank >= parent.size() {
                usage!(call, "args[{index}] has rank {}, and parent_tm has {} members", arg.gex_rank, parent.size());
            }
            parent.job_rank(arg.gex_rank)
        } else {
            if arg.gex_rank >= job.size {
                usage!(call, "args[{index}] has rank {}, and the job has {} ranks", arg.gex_rank, job.size);
            }
            JobRank(arg.gex_rank)
        };
        if rank == job.me && endpoint::at(arg.gex_ep_index).is_none() {
            usage!(call, "args[{index}] has endpoint {}, which this rank has not made", arg.gex_ep_index);
        }
        Location { rank, ep: arg.gex_ep_index }
    };
    let members: Vec<Location> = args.iter().enumerate().map(located).collect();
    let mut sorted: Vec<_> = members.iter().zip(0..).collect();
    sorted.sort_unstable();
    if let Some(twice) = sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        let (member, index) = twice[1];
        usage!(call, "args[{index}] has endpoint {} of rank {} a second time", member.ep, member.rank.0);
    }
    members
}

/// Creates teams of arbitrary endpoints.
///
/// Each member of `parent_tm` lists in `args`, by rank and endpoint index, all `numargs` members of one new team,
/// in the order of their ranks in it; a member with an empty list takes part in the call but joins no team.
/// `gex_rank` is a rank of `parent_tm` or, with GEX_FLAG_RANK_IS_JOBRANK, of the job. The lists of two callers are
/// equal or have no endpoint in common. `new_tms` receives the handles of this process's `num_new_tms` members,
/// ordered by rank. `flags` has exactly one of the following: with GEX_FLAG_TM_LOCAL_SCRATCH `scratch_addrs` has an
/// address for each of these members, with GEX_FLAG_TM_GLOBAL_SCRATCH for every member of the team, with
/// GEX_FLAG_TM_SYMMETRIC_SCRATCH one address for all members; with GEX_FLAG_TM_NO_SCRATCH it is ignored. The
/// `scratch_size` bytes at these addresses belong to the library until gex_TM_Destroy; with
/// GEX_FLAG_SCRATCH_SEG_OFFSET the addresses are offsets into the bound segments. Blocks until all members of
/// `parent_tm` have called it, and may run AM handlers; must not be called from a handler. Called by all in the
/// same order as their other collectives.
///
/// Returns 0. With GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED no team is created: returns the recommended `scratch_size`,
/// or 0 if `numargs` is 0.
///
/// Ends the job if an argument is out of range, lists an endpoint twice, or contradicts other arguments.
///
/// Source: GASNet-EX 0.19, "gex_TM_Create".
///
/// # Safety
/// `args` has `numargs` entries, `scratch_addrs` the number determined by `flags`, `new_tms` `num_new_tms`; the
/// scratch memory is not used otherwise during the lifetime of the team.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_TM_Create(
    new_tms: *mut gex_TM_t,
    num_new_tms: usize,
    parent_tm: gex_TM_t,
    args: *mut gex_EP_Location_t,
    numargs: usize,
    scratch_addrs: *mut gex_Addr_t,
    scratch_size: usize,
    flags: gex_Flags_t,
) -> usize {
    const CALL: &str = "gex_TM_Create";
    let _span = trace::span(CALL);
    let (job, parent) = enter_coll(CALL, parent_tm);
    if let Some(answer) = scratch::query(CALL, flags, numargs != 0) {
        return answer;
    }
    if numargs == 0 {
        job.team_create(parent, &[]);
        return 0;
    }
    let list = ScratchList::of(CALL, flags);
    if args.is_null() || new_tms.is_null() && num_new_tms != 0 || scratch_addrs.is_null() && list != ScratchList::None {
        usage!(CALL, "args, new_tms or scratch_addrs is NULL");
    }
    // SAFETY: the caller's promise above.
    let args = unsafe { core::slice::from_raw_parts(args, numargs) };
    let members = members(CALL, job, parent, args, flags);
    let here: Vec<usize> = (0..numargs).filter(|&at| members[at].rank == job.me).collect();
    if here.len() != num_new_tms {
        usage!(CALL, "num_new_tms is {num_new_tms}, and args name {} endpoints of this rank", here.len());
    }
    let scratch: Vec<_> = (0..)
        .zip(&here)
        .map(|(local, &rank)| {
            let index = list.index(local, rank)?;
            // SAFETY: the caller's promise above.
            let at = unsafe { *scratch_addrs.add(index) }.addr();
            Some(Given { at, nbytes: scratch_size, flags }.checked(job, CALL, members[rank]))
        })
        .collect();
    for ((at, team), scratch) in (0..).zip(job.team_create(parent, &members)).zip(scratch) {
        team.set_flags(flags);
        scratch::keep(team, scratch);
        // SAFETY: the caller's promise above; there are `num_new_tms` teams (checked).
        unsafe { new_tms.add(at).write(enter::handle(team)) };
    }
    0
}

/// Creates another team of the same members as `orig_tm`, in the same order.
///
/// `*new_tm_p` is this member's handle of it. `scratch_addr` and `scratch_len` describe memory in the bound segment
/// that belongs to the library until gex_TM_Destroy; alternatively `flags` has GEX_FLAG_TM_NO_SCRATCH. Blocks until
/// all members have called it, and may run AM handlers; must not be called from a handler.
///
/// Returns 0. With GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED no team is created: returns the recommended `scratch_len`.
///
/// Source: GASNet-EX memory kinds, proposal; like "gex_TM_Split" with one color.
///
/// # Safety
/// `new_tm_p` is writable; the scratch memory is not used otherwise during the lifetime of the team.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_TM_Dup(
    new_tm_p: *mut gex_TM_t,
    orig_tm: gex_TM_t,
    scratch_addr: gex_Addr_t,
    scratch_len: usize,
    flags: gex_Flags_t,
) -> usize {
    const CALL: &str = "gex_TM_Dup";
    let _span = trace::span(CALL);
    let (job, team) = enter_coll(CALL, orig_tm);
    if let Some(answer) = scratch::query(CALL, flags, true) {
        return answer;
    }
    if new_tm_p.is_null() {
        usage!(CALL, "new_tm_p is NULL");
    }
    let given = Given { at: scratch_addr.addr(), nbytes: scratch_len, flags };
    let scratch = given.of_member(job, CALL, team);
    let new = job.team_duplicate(team);
    new.set_flags(flags);
    scratch::keep(new, scratch);
    // SAFETY: the caller's promise above.
    unsafe { new_tm_p.write(enter::handle(new)) };
    0
}

/// Destroys a team. Called by all its members, each after it has synchronised its collectives over `tm` and
/// destroyed its atomic domains; `tm` must not be used afterwards. Does not wait for other members, with or without
/// GEX_FLAG_GLOBALLY_QUIESCED.
///
/// Returns 1 and stores the address and size of the client's scratch memory in `*scratch_p` if there is scratch
/// memory and `scratch_p` is not NULL; else 0.
///
/// Ends the job if `tm` is the primordial team, or has collectives in flight on this member.
///
/// Source: GASNet-EX 0.19, "gex_TM_Destroy".
///
/// # Safety
/// `scratch_p` is NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gex_TM_Destroy(tm: gex_TM_t, scratch_p: *mut gex_Memvec_t, flags: gex_Flags_t) -> c_int {
    const CALL: &str = "gex_TM_Destroy";
    let _span = trace::span(CALL);
    let (job, team) = enter_coll(CALL, tm);
    let scratch = scratch::returned(job, CALL, team, flags);
    job.team_end(CALL, team);
    match scratch {
        Some((at, gex_len)) if !scratch_p.is_null() => {
            // SAFETY: the caller's promise above.
            unsafe { scratch_p.write(gex_Memvec_t { gex_addr: ptr::without_provenance_mut(at), gex_len }) };
            1
        }
        _ => 0,
    }
}
