//! Collectives that MPI executes: each group has a communicator, and its collectives are MPI's nonblocking ones.
//!
//! # Safety
//! The caller of `collect` keeps the buffers until the collective is complete, and gives them the sizes that it needs. A
//! collective that is not complete stays in `entered`, with the copy of its source if there is one.
#![allow(unsafe_code)]

use core::ffi::c_int;
use std::collections::HashMap;
use std::sync::OnceLock;

use crate::conduit::shared::arrivals::Arrivals;
use crate::conduit::{Combine, Completion, GroupCollective, GroupId, OpToken};
use crate::defs::rank::JobRank;
use crate::env;
use crate::fatal::fatal;
use crate::mem::{self, Dst, Src};
use crate::shims::mpi::{self, CombinedWords, MpiCollective, MpiGroup, MpiRequest, Port};

/// Tags of groups that are made at the same time differ below this.
const GROUP_TAGS: u64 = 16_384;
/// Blocks in elements of MPI have a length of 31 bits.
const MOST_BYTES: usize = 1 << 30;

/// Types of the interface (`GEX_DT_I32` and so on, one bit each) as the shim numbers them: bit `n` is `n`.
const DTYPES: u32 = 6;
/// Bytes of an element of each.
const WIDTHS: [usize; DTYPES as usize] = [4, 4, 8, 8, 4, 8];
/// Of integers.
const INTEGERS: u32 = 0b1111;
/// The shim's number of bytes without a type.
const BYTES: i32 = 6;

/// The shim's number of the first reduction, of those that may have one buffer for both.
const FIRST_REDUCTION: i32 = 5;

/// Operations of the interface and the shim's numbers: ADD, MULT, MIN, MAX, AND, OR, XOR.
const OPS: [(u32, i32); 7] = [(1 << 3, 0), (1 << 5, 1), (1 << 6, 2), (1 << 7, 3), (1, 4), (1 << 1, 5), (1 << 2, 6)];
/// Of these, those of integers only.
const FIRST_BITWISE: i32 = 4;

/// The shim's type and operation, and the bytes of an element.
fn combination(combine: Combine) -> Option<(i32, i32, usize)> {
    let dtype = combine.dtype.trailing_zeros();
    let (_, op) = OPS.into_iter().find(|(bit, _)| *bit == combine.op)?;
    let width = WIDTHS.get(dtype as usize).filter(|_| combine.dtype.is_power_of_two())?;
    (op < FIRST_BITWISE || combine.dtype & INTEGERS != 0).then_some((dtype as i32, op, *width))
}

/// Broadcasts and reductions of fewer bytes are faster by messages, barriers always: with Open MPI 4.1, 4 ranks on 2 cores and no shared
/// memory, a reduction to all of 8 bytes takes 17.9 us by MPI_Iallreduce, 10.5 by messages; of 64 KiB 65 and 71; a barrier of 2 ranks 0.59 and
/// 0.33; gathering 64 KiB to all 57 and 85.
const LEAST_BYTES: usize = 16 << 10;

/// The bytes of a block from which on MPI executes a collective: `usual`, unless `GASNET_MPI_COLL_BYTES` says another number.
fn least_bytes(usual: usize) -> usize {
    static SET: OnceLock<Option<usize>> = OnceLock::new();
    SET.get_or_init(|| env::opt_size("GASNET_MPI_COLL_BYTES").map(|bytes| bytes as usize)).unwrap_or(usual)
}

pub(crate) fn offers(what: &GroupCollective, members: u32, bytes: usize) -> bool {
    let all = bytes.checked_mul(members as usize).is_some_and(|all| all <= MOST_BYTES);
    match what {
        GroupCollective::Barrier => false,
        GroupCollective::Broadcast { .. } => all && bytes >= least_bytes(LEAST_BYTES),
        GroupCollective::Reduce { combine, .. } | GroupCollective::Allreduce { combine } => {
            (least_bytes(LEAST_BYTES)..=MOST_BYTES).contains(&bytes) && combination(*combine).is_some()
        }
        _ => all && bytes >= least_bytes(0),
    }
}

struct CommGroup {
    comm: MpiGroup,
    members: Vec<JobRank>,
    in_flight: u32,
    /// A member has died or left.
    is_broken: bool,
}

/// A collective that is not complete.
struct EnteredComm {
    request: MpiRequest,
    id: GroupId,
    token: OpToken,
    /// Of a source that overlaps the destination, which MPI does not allow.
    _copy: Vec<u8>,
}

#[derive(Default)]
pub(crate) struct MpiGroups {
    known: HashMap<GroupId, CommGroup>,
    entered: Vec<EnteredComm>,
    /// The group of all ranks was made.
    made: bool,
    /// Of the combination of all ranks that this rank has entered.
    words: Box<CombinedWords>,
    least: Option<MpiRequest>,
    result: Option<[i64; 3]>,
    /// That this rank has entered.
    combinations: i64,
    pub executed: u64,
}

impl MpiGroups {
    /// Makes a group; waits for its members. False on all of them: there is none. Only the first group of all ranks, which the job makes
    /// when it starts, is one of MPI's: MPI bounds the number of communicators, and the call that makes one waits while this rank
    /// serves no peer.
    pub(crate) fn make(&mut self, port: &Port, id: GroupId, members: &[JobRank]) -> bool {
        if port.is_pair || self.made || members.len() != port.ranks() {
            return false;
        }
        self.made = true;
        let ranks: Vec<c_int> = members.iter().map(|rank| rank.0 as c_int).collect();
        let comm = port.group(&ranks, (id.0 % GROUP_TAGS) as i32);
        self.known.insert(id, CommGroup { comm, members: members.to_vec(), in_flight: 0, is_broken: false });
        true
    }

    /// Ends a group. False: a collective of it is in flight.
    pub(crate) fn disband(&mut self, id: GroupId) -> bool {
        let Some(group) = self.known.get(&id) else { return true };
        if group.in_flight > 0 && !group.is_broken {
            return false;
        }
        if let Some(group) = self.known.remove(&id).filter(|group| !group.is_broken) {
            group.comm.disband();
        }
        true
    }

    /// Enters a collective; returns its completion if it is complete at once.
    pub(crate) fn enter(
        &mut self,
        id: GroupId,
        what: &GroupCollective,
        bytes: usize,
        src: Src<'_>,
        dst: Dst<'_>,
        token: OpToken,
    ) -> Option<Completion> {
        self.executed += 1;
        mpi::check_runs();
        let Some(group) = self.known.get_mut(&id) else { fatal!("conduit mpi: there is no group {:#x}", id.0) };
        if group.is_broken {
            return Some(Completion::Failed);
        }
        let plain = (BYTES, 0, 1);
        let (number, root, (kind, op, width)) = match *what {
            GroupCollective::Barrier => fatal!("conduit mpi offers no barriers of groups"),
            GroupCollective::Broadcast { root } => (0, root, plain),
            GroupCollective::Scatter { root } => (1, root, plain),
            GroupCollective::Gather { root } => (2, root, plain),
            GroupCollective::Allgather => (3, 0, plain),
            GroupCollective::Alltoall => (4, 0, plain),
            GroupCollective::Reduce { root, combine } => (FIRST_REDUCTION, root, combination(combine).unwrap_or(plain)),
            GroupCollective::Allreduce { combine } => (FIRST_REDUCTION + 1, 0, combination(combine).unwrap_or(plain)),
        };
        let mut copy = Vec::new();
        let mut from = src.as_ptr();
        if overlap(src, dst) && !(from == dst.as_ptr().cast_const() && number >= FIRST_REDUCTION) {
            copy = vec![0; src.len()];
            mem::read(&mut copy, src);
            from = copy.as_ptr();
        }
        let call = MpiCollective {
            what: number,
            root: root as c_int,
            kind,
            op,
            count: (bytes / width) as u64,
            src: from.cast(),
            dst: dst.as_ptr().cast(),
        };
        // SAFETY: the caller keeps the buffers until the collective is complete (head of the file); the copy is in `entered`.
        let request = unsafe { group.comm.collect(&call) };
        let Some(request) = request else { return Some(Completion::Remote) };
        group.in_flight += 1;
        self.entered.push(EnteredComm { request, id, token, _copy: copy });
        None
    }

    /// Enters the combination of all ranks.
    pub(crate) fn enter_least(&mut self, port: &Port, words: [i64; 3]) {
        mpi::check_runs();
        self.combinations += 1;
        self.words.mine = words;
        // SAFETY: the words are on the heap, and are not used until the request is complete.
        self.least = unsafe { port.least(&mut self.words) };
        if self.least.is_none() {
            self.result = Some(self.words.combined);
        }
    }

    /// At the end of the job, when no rank enters anything more, and one of them has entered `most` combinations: enters those that this
    /// rank lacks, one a call, so that the others complete. Whether none is left, nor in flight.
    pub(crate) fn has_caught_up(&mut self, port: &Port, most: i64) -> bool {
        if self.least.is_none() && self.combinations < most {
            self.enter_least(port, [i64::MAX; 3]);
        }
        self.least.is_none() && self.combinations >= most
    }

    /// For the end: the combinations that this rank has entered, and whether collectives of groups are in flight, which others may never
    /// enter.
    pub(crate) fn standing(&self) -> [i64; 2] {
        [self.combinations, (!self.entered.is_empty()).into()]
    }

    pub(crate) fn least_taken(&mut self) -> Option<[i64; 3]> {
        self.result.take()
    }

    /// Tests the collectives in flight.
    #[inline]
    pub(crate) fn advance(&mut self, port: &Port, arrivals: &mut Arrivals) {
        if self.least.as_mut().is_some_and(|request| port.is_done(request)) {
            (self.least, self.result) = (None, Some(self.words.combined));
        }
        if !self.entered.is_empty() {
            self.test(port, arrivals);
        }
    }

    fn test(&mut self, port: &Port, arrivals: &mut Arrivals) {
        let known = &mut self.known;
        self.entered.retain_mut(|entered| {
            if !port.is_done(&mut entered.request) {
                return true;
            }
            if let Some(group) = known.get_mut(&entered.id) {
                group.in_flight -= 1;
            }
            arrivals.done(entered.token, Completion::Remote);
            false
        });
    }

    /// A rank has died or left: returns the collectives that fail. Buffers that MPI still uses stay where they are.
    pub(crate) fn gone(&mut self, rank: JobRank) -> Vec<OpToken> {
        let broken = self.known.iter_mut().filter(|(_, group)| group.members.contains(&rank));
        let broken: Vec<GroupId> = broken
            .map(|(id, group)| {
                group.is_broken = true;
                *id
            })
            .collect();
        let (failed, rest) = self.entered.drain(..).partition(|entered| broken.contains(&entered.id));
        self.entered = rest;
        let failed: Vec<EnteredComm> = failed;
        failed
            .into_iter()
            .map(|entered| {
                let token = entered.token;
                core::mem::forget(entered);
                token
            })
            .collect()
    }
}

fn overlap(src: Src<'_>, dst: Dst<'_>) -> bool {
    let (from, to) = (src.as_ptr().addr(), dst.as_ptr().addr());
    from < to + dst.len() && to < from + src.len()
}
