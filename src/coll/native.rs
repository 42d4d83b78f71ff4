//! Collectives that the network executes: those of teams of which some members share no memory, where the conduit offers the
//! operation, type and size. All members come to the same decision: it depends on the conduit, the team and the arguments that must be equal on
//! all.

use std::sync::OnceLock;

use crate::coll::operation::{AllSync, Operation};
use crate::conduit::{Combine, Conduit, GroupCollective, GroupId, OpToken};
use crate::defs::rank::JobRank;
use crate::env;
use crate::event::{Op, PieceKind};
use crate::job::Job;
use crate::mem::{Dst, Src};
use crate::sync::atomic::Ordering;
use crate::team::Team;

/// The kinds of collectives, with the variables that allow the network to execute each.
const KINDS: [(&str, &str); 6] = [
    ("GASNET_USE_NATIVE_BROADCAST", "GASNET_USE_PAMI_BROADCAST"),
    ("GASNET_USE_NATIVE_EXCHANGE", "GASNET_USE_PAMI_EXCHANGE"),
    ("GASNET_USE_NATIVE_GATHER", "GASNET_USE_PAMI_GATHER"),
    ("GASNET_USE_NATIVE_GATHERALL", "GASNET_USE_PAMI_GATHERALL"),
    ("GASNET_USE_NATIVE_SCATTER", "GASNET_USE_PAMI_SCATTER"),
    ("GASNET_USE_NATIVE_REDUCE", "GASNET_USE_NATIVE_REDUCE"),
];
/// Of barriers, which have only the variable for all.
const BARRIER: u32 = 1 << KINDS.len();

/// The collectives that the network may execute: one bit for each kind. The same on all ranks.
static ALLOWED: OnceLock<u32> = OnceLock::new();

/// The kinds that the environment allows: by the variables of this library, or those of the PAMI conduit where only they are set.
pub(crate) fn allowed() -> u32 {
    let says = |own: &str, other: &str| env::yes(if env::is_set(other) && !env::is_set(own) { other } else { own });
    *ALLOWED.get_or_init(|| {
        if !says("GASNET_USE_NATIVE_COLL", "GASNET_USE_PAMI_COLL") {
            return 0;
        }
        let kinds = KINDS.iter().enumerate().filter(|(_, (own, other))| says(own, other));
        kinds.fold(BARRIER, |all, (bit, _)| all | 1 << bit)
    })
}

fn is_allowed(what: &GroupCollective) -> bool {
    let bit = match what {
        GroupCollective::Barrier => BARRIER,
        GroupCollective::Broadcast { .. } => 1,
        GroupCollective::Alltoall => 1 << 1,
        GroupCollective::Gather { .. } => 1 << 2,
        GroupCollective::Allgather => 1 << 3,
        GroupCollective::Scatter { .. } => 1 << 4,
        GroupCollective::Reduce { .. } | GroupCollective::Allreduce { .. } => 1 << 5,
    };
    allowed() & bit != 0
}

/// A collective in the conduit's words.
struct NativeCall {
    what: GroupCollective,
    bytes: usize,
    src: Src<'static>,
    dst: Dst<'static>,
}

impl NativeCall {
    /// None if networks have no such collective.
    fn of(operation: &Operation, me: usize) -> Option<NativeCall> {
        let rank = |root: usize| root as u32;
        let at_root = |root: usize, src: Src<'static>| if root == me { src } else { Src::none() };
        let combine = || operation.operator()?.built_in.map(|(dtype, op)| Combine { dtype, op });
        Some(match *operation {
            Operation::Barrier => {
                NativeCall { what: GroupCollective::Barrier, bytes: 0, src: Src::none(), dst: Dst::none() }
            }
            Operation::Broadcast { root, dst, src } => {
                let what = GroupCollective::Broadcast { root: rank(root) };
                NativeCall { what, bytes: dst.len(), src: at_root(root, src), dst }
            }
            Operation::Scatter { root, ref shares, dst, src } => {
                let what = GroupCollective::Scatter { root: rank(root) };
                NativeCall { what, bytes: shares.of_each()?, src: at_root(root, src), dst }
            }
            Operation::Gather { root, ref shares, dst, src } => {
                NativeCall { what: GroupCollective::Gather { root: rank(root) }, bytes: shares.of_each()?, src, dst }
            }
            Operation::Allgather { ref shares, dst, src } => {
                NativeCall { what: GroupCollective::Allgather, bytes: shares.of_each()?, src, dst }
            }
            Operation::Alltoall { ref shares, dst, src } => {
                NativeCall { what: GroupCollective::Alltoall, bytes: shares.of_each()?, src, dst }
            }
            Operation::Reduce { root, dst, src, .. } => NativeCall {
                what: GroupCollective::Reduce { root: rank(root), combine: combine()? },
                bytes: src.len(),
                src,
                dst,
            },
            Operation::Allreduce { dst, src, .. } => {
                NativeCall { what: GroupCollective::Allreduce { combine: combine()? }, bytes: src.len(), src, dst }
            }
            Operation::AllgatherWords(..) => return None,
        })
    }
}

/// What starts a collective of the network.
pub(super) struct NativeStart {
    conduit: &'static dyn Conduit,
    id: GroupId,
    call: NativeCall,
}

impl Job {
    /// Makes the network's group of a new team's members, if it executes collectives and some of them share no memory. Called by all
    /// members.
    pub(crate) fn native_group(&self, team: &Team) {
        let Some(conduit) = self.conduit.filter(|_| allowed() != 0) else { return };
        let members: Vec<JobRank> = (0..team.size()).map(|rank| team.job_rank(rank)).collect();
        let reference = !self.nbrhd.direct.load(Ordering::Relaxed);
        let is_far = |rank: &JobRank| self.nbrhd.node_rank(*rank).is_none();
        let mut once = members.clone();
        once.sort_unstable();
        once.dedup();
        // One that shares memory with all of these shares it with some only of the others, so all members have a far one, or none.
        if !reference && once.len() == members.len() && members.iter().any(is_far) {
            team.has_group.store(conduit.group(GroupId(team.id()), &members), Ordering::Relaxed);
        }
    }

    /// Ends the network's group of a team that is destroyed. False: a collective of it is in flight on this member.
    pub(super) fn native_disband(&self, team: &Team) -> bool {
        let Some(conduit) = self.conduit.filter(|_| team.has_group.load(Ordering::Relaxed)) else { return true };
        let ended = conduit.disband(GroupId(team.id()));
        team.has_group.store(!ended, Ordering::Relaxed);
        ended
    }

    /// How the network executes `operation` on `team`; None if it does not.
    pub(super) fn native_takes(&self, team: &Team, operation: &Operation, sync: AllSync) -> Option<NativeStart> {
        let conduit = self.conduit.filter(|_| team.has_group.load(Ordering::Relaxed))?;
        if sync != AllSync::default() {
            return None;
        }
        let call = NativeCall::of(operation, team.rank() as usize)?;
        let id = GroupId(team.id());
        (is_allowed(&call.what) && conduit.collects(&call.what, team.size(), call.bytes)).then_some(NativeStart {
            conduit,
            id,
            call,
        })
    }
}

impl NativeStart {
    /// Starts the collective as the started piece of `op`.
    pub(super) fn start(self, op: &'static Op) -> &'static Op {
        let NativeCall { what, bytes, src, dst } = self.call;
        self.conduit.collect(self.id, &what, bytes, src, dst, OpToken(op.token(PieceKind::Put)));
        op
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coll::model_tests::{End, Kind, anywhere, counts, kinds, model};

    #[test]
    fn a_network_gets_the_arguments_of_the_collective() {
        const UNIT: usize = 24;
        for (kind, me) in kinds(3).into_iter().flat_map(|kind| (0..3).map(move |me| (kind, me))) {
            for is_even in [true, false] {
                let mut model = model(kind, &counts(3, is_even), UNIT, false, &mut anywhere);
                let operation = model.operations[me].take().expect("taken once");
                let call = NativeCall::of(&operation, me);
                let is_uneven =
                    matches!(kind, Kind::Scatter { .. } | Kind::Gather { .. } | Kind::Allgather | Kind::Alltoall);
                let in_order = matches!(kind, Kind::Reduce { in_order: true, .. } | Kind::Allreduce { in_order: true });
                // Words, blocks of different lengths and clients' functions are no network's.
                if kind == Kind::Words || is_uneven && !is_even || in_order {
                    assert!(call.is_none(), "{kind:?}");
                    continue;
                }
                let NativeCall { what, bytes, src, dst } = call.expect("a network has it");
                assert_eq!(bytes, if kind == Kind::Barrier { 0 } else { UNIT }, "{kind:?}");
                let same = match (kind, what) {
                    (Kind::Barrier, GroupCollective::Barrier) => true,
                    (Kind::Broadcast { root: a }, GroupCollective::Broadcast { root: b })
                    | (Kind::Scatter { root: a }, GroupCollective::Scatter { root: b })
                    | (Kind::Gather { root: a }, GroupCollective::Gather { root: b })
                    | (Kind::Reduce { root: a, .. }, GroupCollective::Reduce { root: b, .. }) => a == b as usize,
                    (Kind::Allgather, GroupCollective::Allgather) | (Kind::Alltoall, GroupCollective::Alltoall) => true,
                    (Kind::Allreduce { .. }, GroupCollective::Allreduce { .. }) => true,
                    _ => false,
                };
                assert!(same, "{kind:?}");
                assert_eq!(src.as_ptr(), operation.source(me).unwrap_or(Src::none()).as_ptr());
                if let End::Bytes(wanted, _) = &model.ends[me] {
                    assert_eq!((dst.as_ptr(), dst.len()), (wanted.as_ptr(), wanted.len()));
                }
                // Without settings networks may do all.
                assert!(is_allowed(&what));
            }
        }
    }
}
