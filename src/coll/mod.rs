//! Collectives: operations in which all members of a team take part. `engine` moves them on; the other modules are
//! what they do, as state machines, and `exchange` what start-up needs before there is anything else. GASNet-1's, whose
//! members may be several threads of a rank, come in by `legacy`.

pub mod asked;
pub mod assembly;
pub mod barrier;
pub mod broadcast;
pub mod buffer;
mod computed;
pub mod concat;
pub mod described;
pub mod engine;
pub mod exchange;
mod held;
pub mod images;
pub mod layout;
pub mod legacy;
mod meeting;
pub mod moves;
pub mod named;
pub mod near;
pub mod operator;
pub mod phases;
pub mod plan;
pub mod reduce;
pub mod shares;
pub mod start;
pub mod swap;
pub mod teams;
pub mod trees;
pub mod what;

use std::collections::HashMap;

use parking_lot::Mutex;

use crate::sync::atomic::AtomicU32;

/// What this rank knows of collectives.
#[derive(Default)]
pub struct State {
    pub engine: engine::Engine,
    /// Debug: what members have called, by id and rank of the team.
    described: Mutex<HashMap<(u64, u32), described::Ledger>>,
    /// Its images.
    images: images::Images,
    /// This rank's arena.
    arena: near::Arena,
    /// Split-phase barriers of teams other than the primordial one: by id and rank.
    splits: Mutex<HashMap<(u64, u32), named::Split>>,
    /// Exchanges that this rank has entered.
    exchanges: AtomicU32,
    /// What arrived for them: by exchange and step.
    steps: Mutex<HashMap<(u32, u32), Arrival>>,
}

/// Bytes that a member sent: all of them, once `got` equals the length.
#[derive(Default)]
struct Arrival {
    bytes: Vec<u8>,
    got: usize,
}
