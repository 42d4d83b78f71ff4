//! Collective operations between the ranks of a team: their arguments, and the flow of data between members.

use core::ffi::CStr;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::coll::operator::Operator;
use crate::coll::shares::Shares;
use crate::mem::{Dst, Src};

/// Synchronisation beyond the data dependences: GASNET_COLL_IN_ALLSYNC and GASNET_COLL_OUT_ALLSYNC.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct AllSync {
    /// No data are accessed before all members have started the collective.
    pub enter: bool,
    /// No member completes it before all data are at their destinations.
    pub leave: bool,
}

pub enum Operation {
    Barrier,
    /// Allgather of the same number of words of each member; the second field receives the words of all members.
    AllgatherWords(Vec<u64>, Arc<Mutex<Vec<u64>>>),
    /// Copies the root's `src` to every member's `dst`.
    Broadcast {
        root: usize,
        dst: Dst<'static>,
        src: Src<'static>,
    },
    /// Copies each member's block of the root's `src` to its `dst`.
    Scatter {
        root: usize,
        shares: Shares,
        dst: Dst<'static>,
        src: Src<'static>,
    },
    /// Copies each member's `src` to its block of the root's `dst`.
    Gather {
        root: usize,
        shares: Shares,
        dst: Dst<'static>,
        src: Src<'static>,
    },
    /// As Gather, to every member's `dst`.
    Allgather {
        shares: Shares,
        dst: Dst<'static>,
        src: Src<'static>,
    },
    /// Alltoall: `src` has, for each block that this member owns, one block for each block of every member, in
    /// their order; `dst` has the same shape.
    Alltoall {
        shares: Shares,
        dst: Dst<'static>,
        src: Src<'static>,
    },
    /// Reduces all members' `src` to the root's `dst`.
    Reduce {
        operator: Operator,
        /// The operator does not commute, so operands are combined in the order of ranks.
        in_order: bool,
        root: usize,
        dst: Dst<'static>,
        src: Src<'static>,
    },
    /// As Reduce, to every member's `dst`.
    Allreduce {
        operator: Operator,
        dst: Dst<'static>,
        src: Src<'static>,
    },
}

impl Operation {
    /// The name in hang reports.
    pub fn name(&self) -> &'static CStr {
        match self {
            Operation::Barrier => c"barrier",
            Operation::AllgatherWords(..) => c"allgather of words",
            Operation::Broadcast { .. } => c"broadcast",
            Operation::Scatter { .. } => c"scatter",
            Operation::Gather { .. } => c"gather",
            Operation::Allgather { .. } => c"allgather",
            Operation::Alltoall { .. } => c"alltoall",
            Operation::Reduce { .. } => c"reduce",
            Operation::Allreduce { .. } => c"allreduce",
        }
    }

    /// The largest number of source bytes of any of `members`; all members compute the same value.
    pub fn most(&self, members: usize) -> usize {
        match self {
            Operation::Barrier => 0,
            Operation::AllgatherWords(mine, _) => size_of_val(mine.as_slice()),
            Operation::Broadcast { dst, .. } => dst.len(),
            Operation::Scatter { shares, .. } => shares.all(members),
            Operation::Gather { shares, .. } | Operation::Allgather { shares, .. } => shares.longest(members),
            Operation::Alltoall { shares, .. } => shares.most_count(members) * shares.all(members),
            Operation::Reduce { src, .. } | Operation::Allreduce { src, .. } => src.len(),
        }
    }

    /// The largest number of bytes that one member transfers to another.
    pub fn longest(&self, members: usize) -> usize {
        match self {
            Operation::Scatter { shares, .. } => shares.longest(members),
            Operation::Alltoall { shares, .. } => shares.most_count(members) * shares.longest(members),
            _ => self.most(members),
        }
    }

    /// Member `me`'s source buffer; None if it has none.
    pub fn source(&self, me: usize) -> Option<Src<'static>> {
        match self {
            Operation::Broadcast { root, src, .. } | Operation::Scatter { root, src, .. } => {
                (*root == me).then_some(*src)
            }
            Operation::Gather { src, .. }
            | Operation::Allgather { src, .. }
            | Operation::Alltoall { src, .. }
            | Operation::Reduce { src, .. }
            | Operation::Allreduce { src, .. } => Some(*src),
            Operation::Barrier | Operation::AllgatherWords(..) => None,
        }
    }

    /// The range of `from`'s source buffer that `to` receives, as offset and length. None if it receives nothing.
    pub fn range(&self, from: usize, to: usize) -> Option<(usize, usize)> {
        match self {
            Operation::Broadcast { root, dst, .. } => (*root == from).then_some((0, dst.len())),
            Operation::Scatter { root, shares, .. } => (*root == from).then(|| (shares.at(to), shares.len(to))),
            Operation::Gather { root, shares, .. } => (*root == to).then(|| (0, shares.len(from))),
            Operation::Allgather { shares, .. } => Some((0, shares.len(from))),
            Operation::Alltoall { shares, .. } => {
                let pairs = shares.of_pairs(from);
                Some((pairs.at(to), pairs.len(to)))
            }
            _ => None,
        }
    }

    /// The destination at member `me` of the bytes from `from`.
    pub fn destination(&self, from: usize, me: usize) -> Dst<'static> {
        match self {
            Operation::Broadcast { dst, .. } | Operation::Scatter { dst, .. } => *dst,
            Operation::Gather { shares, dst, .. } | Operation::Allgather { shares, dst, .. } => {
                dst.part(shares.at(from), shares.len(from))
            }
            Operation::Alltoall { shares, dst, .. } => {
                let pairs = shares.of_pairs(me);
                dst.part(pairs.at(from), pairs.len(from))
            }
            Operation::Reduce { dst, .. } | Operation::Allreduce { dst, .. } => *dst,
            Operation::Barrier | Operation::AllgatherWords(..) => Dst::none(),
        }
    }

    /// The members from which `me` of `members` receives bytes, itself last.
    pub fn sources(&self, me: usize, members: usize) -> impl Iterator<Item = usize> + use<> {
        let all = match self {
            Operation::Broadcast { root, .. } | Operation::Scatter { root, .. } => *root..*root + 1,
            Operation::Gather { root, .. } if *root != me => 0..0,
            Operation::Barrier | Operation::AllgatherWords(..) => 0..0,
            _ => 0..members,
        };
        let (first, count) = (all.start, all.len());
        (0..count).map(move |index| if count == members { (me + 1 + index) % members } else { first + index })
    }

    pub fn operator(&self) -> Option<&Operator> {
        match self {
            Operation::Reduce { operator, .. } | Operation::Allreduce { operator, .. } => Some(operator),
            _ => None,
        }
    }
}
