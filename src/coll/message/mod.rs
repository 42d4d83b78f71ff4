//! Collectives by messages: one state machine for each algorithm, and the selection of the algorithm by the number of
//! members and the size of blocks.

pub(crate) mod allgather;
pub(crate) mod alltoall;
pub(crate) mod barrier;
pub(crate) mod binomial;
pub(crate) mod broadcast;
pub(crate) mod direct;
pub(crate) mod reduce;
pub(crate) mod startup;

use crate::coll::engine::Steps;
use crate::coll::engine::phases::Phases;
use crate::coll::operation::{AllSync, Operation};
use crate::coll::shares::Shares;
use crate::team::Team;
use allgather::Allgather;
use alltoall::Alltoall;
use barrier::BarrierSteps;
use binomial::{Gather, Scatter};
use broadcast::Broadcast;
use direct::Direct;
use reduce::{Allreduce, Reduce};

/// Size limits, in bytes per block, below which scatter and gather use a binomial tree, and allgather and alltoall
/// Bruck's algorithms. Larger blocks, and blocks of teams with at most `FEW_MEMBERS` members, are sent directly: one
/// message for each costs less than copying bytes more than once.
const BINOMIAL_MAX: usize = 1024;
const ALLGATHER_BRUCK_MAX: usize = 4096;
const ALLTOALL_BRUCK_MAX: usize = 256;
const FEW_MEMBERS: u32 = 4;

fn is_small(shares: &Shares, members: u32, max_bytes: usize) -> bool {
    members > FEW_MEMBERS && shares.longest(members as usize) <= max_bytes
}

/// The state machine for `operation` by messages.
pub(crate) fn machine(team: &Team, operation: Operation, sync: AllSync) -> Box<dyn Steps> {
    let (me, size) = (team.rank(), team.size());
    let steps: Box<dyn Steps> = match operation {
        Operation::Barrier => return Box::new(BarrierSteps::default()),
        Operation::AllgatherWords(mine, all) => Box::new(Allgather::of_words(me as usize, size as usize, &mine, all)),
        Operation::Broadcast { root, dst, src } => Box::new(Broadcast::new(root as u32, dst, src)),
        Operation::Scatter { root, shares, dst, src } if is_small(&shares, size, BINOMIAL_MAX) => {
            Box::new(Scatter::new(me, size, root, shares, dst, src))
        }
        Operation::Gather { root, shares, dst, src } if is_small(&shares, size, BINOMIAL_MAX) => {
            Box::new(Gather::new(me, size, root, shares, dst, src))
        }
        Operation::Allgather { shares, dst, src } if is_small(&shares, size, ALLGATHER_BRUCK_MAX) => {
            Box::new(Allgather::of_parts(me as usize, size as usize, shares, dst, src))
        }
        Operation::Alltoall { shares, dst, src }
            if is_small(&shares.of_most(size as usize), size, ALLTOALL_BRUCK_MAX) =>
        {
            Box::new(Alltoall::new(me as usize, size as usize, shares, dst, src))
        }
        Operation::Scatter { root, shares, dst, src } => {
            Box::new(Direct::scatter(me, size, root as u32, &shares, dst, src))
        }
        Operation::Gather { root, shares, dst, src } => {
            Box::new(Direct::gather(me, size, root as u32, &shares, dst, src))
        }
        Operation::Allgather { shares, dst, src } => Box::new(Direct::allgather(me, size, &shares, dst, src)),
        Operation::Alltoall { shares, dst, src } => Box::new(Direct::alltoall(me, size, &shares, dst, src)),
        Operation::Reduce { operator, in_order, root, dst, src } => {
            Box::new(Reduce::new(operator, in_order, root as u32, dst, src))
        }
        Operation::Allreduce { operator, dst, src } => Box::new(Allreduce::new(operator, dst, src)),
    };
    if sync == AllSync::default() {
        return steps;
    }
    let barrier = |wanted: bool| wanted.then(|| Box::new(BarrierSteps::default()) as Box<dyn Steps>);
    Box::new(Phases::new(barrier(sync.enter).into_iter().chain([steps]).chain(barrier(sync.leave)).collect()))
}
