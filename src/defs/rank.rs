//! Names of ranks, by the set that they are counted in, and of endpoints.

/// A rank in the job.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct JobRank(pub u32);

impl JobRank {
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A rank among those of its host, in the order of ranks of the job: processes, deaths and places in memory go by it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct HostRank(pub u32);

impl HostRank {
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A rank in its nbrhd, in the order of ranks of the job.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct NodeRank(pub u32);

impl NodeRank {
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An endpoint of a rank.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Location {
    pub rank: JobRank,
    pub ep: u16,
}
