//! Put, get, value and memset on another rank's segment. A segment that is mapped here is reached by a copy; other
//! memory of ranks that share memory with this one, by CMA (`across`); all other memory, by the conduit if it has the
//! capability, else, and where the reference path is asked for, by active messages (`amref`).

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
    /// It is free when the call returns.
    Now,
    /// It stays as it is until the put is synchronised.
    Defer,
    /// As `Defer`, but local completion is counted apart: for a leaf of the handle, or with the implicit operations.
    Apart,
}

/// A put that was started.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Started {
    pub root: Handle,
    /// With [`Local::Apart`]: complete when the source is free.
    pub leaf: Handle,
}

impl Started {
    const DONE: Started = Started { root: Handle::DONE, leaf: Handle::DONE };
}
