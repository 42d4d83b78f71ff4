//! Put, get, value and memset on another rank's segment. A rank whose segment is mapped here is reached by a
//! copy; every other one by the conduit if it can do that, else, and where the reference path is asked for, by active
//! messages (`amref`).

mod access;
pub mod amref;
mod far;
mod get;
mod memset;
mod put;
mod value;

use crate::job::{Job, JobRank};
use crate::mem::{Dst, RemoteAddr};

/// What an initiated operation counts on, and what its initiator gets back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Track {
    /// A handle of its own.
    Explicit,
    /// The thread's implicit operations, or its open access region.
    Implicit,
}

impl Job {
    /// `at..at + len` of `to`, where copies reach it.
    #[inline]
    fn direct(&self, to: JobRank, at: RemoteAddr, len: usize) -> Option<Dst<'static>> {
        self.nbrhd.map(to, at, len)
    }
}
