//! Put, get, value and memset on another rank's segment. A segment that is mapped here is reached by a copy; other
//! memory of ranks that share memory with this one, by CMA (`across`); all other memory, by the conduit if it has the
//! capability, otherwise, and if the reference path is selected, by active messages (`amref`).

mod access;
pub(crate) mod across;
pub(crate) mod amref;
mod far;
mod get;
mod memset;
mod put;
mod value;

use crate::event::Handle;

/// How the initiator waits for an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Track {
    /// A handle of its own.
    Explicit,
    /// The thread's implicit operations, or its open access region.
    Implicit,
}

/// When the source of a put may be reused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Local {
    /// When the call returns.
    Now,
    /// When the put is synchronised.
    Defer,
    /// As `Defer`, but local completion is counted separately: for a leaf of the handle, or with the implicit operations.
    Apart,
}

/// A put that was started.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Started {
    pub root: Handle,
    /// With [`Local::Apart`]: complete when the source may be reused.
    pub leaf: Handle,
}

impl Started {
    const DONE: Started = Started { root: Handle::DONE, leaf: Handle::DONE };
}
