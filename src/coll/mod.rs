//! Collectives: operations in which all members of a team take part. `engine` moves them on; the other modules are
//! what they do, as state machines, and `exchange` what start-up needs before there is anything else.

pub mod barrier;
pub mod broadcast;
pub mod buffer;
pub mod engine;
pub mod exchange;
pub mod gather;
pub mod moves;
pub mod named;
pub mod near;
pub mod operator;
pub mod phases;
pub mod reduce;
pub mod shares;
pub mod start;
pub mod teams;
pub mod what;
pub mod words;

use std::collections::HashMap;

use parking_lot::Mutex;

use crate::sync::atomic::AtomicU32;

/// What this rank knows of collectives.
#[derive(Default)]
pub struct State {
    pub engine: engine::Engine,
    /// This rank's arena.
    arena: near::Arena,
    /// Split-phase barriers of teams other than the primordial one: by id and rank.
    splits: Mutex<HashMap<(u64, u32), named::Split>>,
    /// Exchanges that this rank has entered.
    exchanges: AtomicU32,
    /// What arrived for them: by exchange and step.
    steps: Mutex<HashMap<(u32, u32), Arrival>>,
    /// What arrived for gathers: by team, gather and step.
    gathers: Mutex<HashMap<(u64, u32, u32), Arrival>>,
}

/// Bytes that a member sent: all of them, once `got` equals the length.
#[derive(Default)]
struct Arrival {
    bytes: Vec<u8>,
    got: usize,
}
