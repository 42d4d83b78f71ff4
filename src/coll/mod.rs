//! Collectives over all ranks: what start-up and the simplest programs need, by active messages alone. Every rank
//! calls them in the same order, so a running number tells one from the next.

pub mod broadcast;
pub mod exchange;
pub mod gather;

use std::collections::HashMap;

use parking_lot::Mutex;

use crate::sync::atomic::AtomicU32;

/// What this rank knows of collectives.
#[derive(Default)]
pub struct State {
    /// Collectives that this rank has entered.
    entered: AtomicU32,
    /// What arrived for collectives that this rank has not finished, by their number.
    arrived: Mutex<HashMap<u32, Arrival>>,
    /// Exchanges that this rank has entered.
    exchanges: AtomicU32,
    /// What arrived for them: by exchange and step.
    steps: Mutex<HashMap<(u32, u32), Arrival>>,
    /// What arrived for gathers: by team, gather and step.
    gathers: Mutex<HashMap<(u64, u32, u32), Arrival>>,
}

/// Bytes that a parent sent: all of them, once `got` equals the length.
#[derive(Default)]
struct Arrival {
    bytes: Vec<u8>,
    got: usize,
}
