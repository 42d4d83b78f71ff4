//! Put, get, value and memset on another rank's segment. An endpoint whose segment is mapped here is reached by a
//! copy; other memory of ranks that share memory with this one through the kernel (`across`); every other one by the
//! conduit if it can do that, else, and where the reference path is asked for, by active messages (`amref`).

mod access;
pub(crate) mod across;
pub(crate) mod amref;
mod far;
mod get;
mod memset;
mod put;
mod value;

use crate::event::Handle;

/// What an initiated operation counts on, and what its initiator gets back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Track {
    /// A handle of its own.
    Explicit,
    /// The thread's implicit operations, or its open access region.
    Implicit,
}

/// What the initiator of a put wants to know of its source.
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
