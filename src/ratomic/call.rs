//! The arguments of a client's atomic operation, and the checks that do not depend on the C interface.

use crate::defs::message::Immediate;
use crate::defs::rank::{JobRank, Location};
use crate::fatal::usage;
use crate::job::Job;
use crate::mem::RemoteAddr;
use crate::ratomic::domain::Domain;
use crate::ratomic::ops::{AtomicOp, Type};
use crate::team::Team;

// Bits of gex_Flags_t.
const IMMEDIATE: u32 = 1;
const IS_JOBRANK: u32 = 0x2000;
const MY_RANK: u32 = 0x800;
const MY_NBRHD: u32 = 0x1000;
const OFFSETS: u32 = 0x40 | 0x400;

/// The arguments of an operation, except the domain, the operands and the result.
pub(crate) struct AtomicCall<'a> {
    pub name: &'a str,
    pub dtype: Type,
    /// A rank of the domain's team or, with GEX_FLAG_RANK_IS_JOBRANK, of the job.
    pub rank: u32,
    pub at: RemoteAddr,
    /// One bit of gex_OP_t.
    pub opcode: u32,
    /// gex_Flags_t.
    pub flags: u32,
}

impl AtomicCall<'_> {
    /// Checks the arguments, and returns the operation and its target.
    #[inline(always)]
    pub(crate) fn resolve(&self, job: &Job, domain: &Domain, team: &Team, no_result: bool) -> (AtomicOp, Location) {
        let &AtomicCall { name, dtype, rank, at, opcode, .. } = self;
        let op = match AtomicOp::of(opcode) {
            Some(op) if domain.dt() == dtype.code() && domain.ops() & opcode != 0 => op,
            _ => self.not_of_domain(domain),
        };
        let to = self.target(job, team);
        if at.0 % dtype.bytes() != 0 {
            usage!(
                name,
                "tgt_addr {:#x} on rank {rank} is not aligned for the {} bytes of its type",
                at.0,
                dtype.bytes()
            );
        }
        if op.fetches && no_result {
            usage!(name, "result_p is NULL, but opcode {opcode:#x} fetches");
        }
        (op, to)
    }

    #[inline(always)]
    pub(crate) fn immediate(&self) -> Immediate {
        if self.flags & IMMEDIATE == 0 { Immediate::No } else { Immediate::Yes }
    }

    #[cold]
    fn not_of_domain(&self, domain: &Domain) -> ! {
        let &AtomicCall { name, dtype, opcode, .. } = self;
        if let Some(other) = Type::of(domain.dt()).filter(|other| *other != dtype) {
            usage!(name, "ad was created for GEX_DT_{}, and the operation is on GEX_DT_{}", other.name(), dtype.name());
        }
        if AtomicOp::of(opcode).is_none() {
            usage!(name, "opcode {opcode:#x} is not a single atomic operation");
        }
        usage!(name, "opcode {opcode:#x} is not among the operations {:#x} that ad was created for", domain.ops());
    }

    /// The endpoint that the rank names.
    fn target(&self, job: &Job, team: &Team) -> Location {
        let &AtomicCall { name, rank, flags, .. } = self;
        if flags & IS_JOBRANK == 0 {
            if rank >= team.size() {
                usage!(name, "tgt_rank {rank} is not below the {} ranks of the team of ad", team.size());
            }
            return team.at(rank);
        }
        if rank >= job.size {
            usage!(name, "tgt_rank {rank} is not below the {} ranks of the job (GEX_FLAG_RANK_IS_JOBRANK)", job.size);
        }
        match team.rank_of(JobRank(rank)) {
            Some(member) => team.at(member),
            None => {
                usage!(name, "tgt_rank {rank} of the job is not a member of the team of ad (GEX_FLAG_RANK_IS_JOBRANK)")
            }
        }
    }

    /// In debug clients: ends the job if the flags contradict the target.
    pub(crate) fn check_flags(&self, job: &Job, team: &Team, to: Location) {
        let &AtomicCall { name, rank, flags, .. } = self;
        if flags & OFFSETS != 0 {
            usage!(
                name,
                "flags {flags:#x}: there are no addresses by offset (GEX_FLAG_SELF/PEER_SEG_OFFSET) in atomics"
            );
        }
        if flags & MY_RANK != 0 && to != team.at(team.rank()) {
            usage!(name, "tgt_rank {rank} is another rank, but flags have GEX_FLAG_AD_MY_RANK");
        }
        if flags & MY_NBRHD != 0 && !job.shares_memory(to.rank) {
            usage!(name, "tgt_rank {rank} is outside the neighborhood, but flags have GEX_FLAG_AD_MY_NBRHD");
        }
    }
}
