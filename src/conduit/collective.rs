//! Collectives that a network executes itself, over groups of ranks: the part of the contract that is about them. The
//! words are those of MPI's nonblocking collectives, which UCC, libfabric and OpenSHMEM have in part.
//!
//! - Every rank is in a group once. The members make the group at the same point of their programs, name it by the same id, unique in the
//!   job, and end it when no collective of it is in flight on any of them.
//! - The members enter the collectives of a group in the same order, with equal arguments; different groups are independent of each
//!   other. The layer above promises both, since GASNet demands it of its clients for each team.
//! - A collective is entered without waiting, however many are in flight, and needs polls of all members.
//! - Buffers are any memory of this rank, registered or not: a network that needs registrations copies, and offers the sizes
//!   for which it does.
//! - A collective of a group of which a member has left or died fails, if it is not complete, also on members to which that one would have
//!   sent nothing.

/// A group, by the number that its members give it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct GroupId(pub u64);

/// The operator of a reduction: a type and an operation of the interface (`GEX_DT_*`, `GEX_OP_*`: one bit each). The order in
/// which a network combines values is its own, the same for all members.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Combine {
    pub dtype: u32,
    pub op: u32,
}

/// A collective of blocks of equal length. Buffers that a member does not need are empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GroupCollective {
    Barrier,
    /// The root's block, to all.
    Broadcast {
        root: u32,
    },
    /// A block for each member from the root, which has them in the order of members.
    Scatter {
        root: u32,
    },
    /// A block of each member to the root.
    Gather {
        root: u32,
    },
    /// A block of each member to all.
    Allgather,
    /// A block from each member to each.
    Alltoall,
    /// All members' blocks, combined, to the root.
    Reduce {
        root: u32,
        combine: Combine,
    },
    /// As Reduce, to all.
    Allreduce {
        combine: Combine,
    },
}
