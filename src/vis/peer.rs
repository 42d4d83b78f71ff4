//! Peer completion: a message that follows the data of a put. A put that was copied is followed by a reply; one that went
//! in messages is counted by its target, under a key of the initiator's, until all of it is there.

use core::cell::Cell;
use std::collections::HashMap;

use parking_lot::Mutex;

use super::kernel;
use super::shape::WORD;
use crate::am::dispatch::Buffer;
use crate::am::{Immediate, Msg, Payload, Token, dispatch, table};
use crate::fatal::fatal;
use crate::job::{Job, JobRank, job};
use crate::mem;
use crate::sync::atomic::{AtomicU32, Ordering};
use crate::team::Location;

/// Largest payload of a peer completion.
pub const MAX_PAYLOAD: usize = 127;

/// What a thread has asked to follow its next put: a client's reply handler, and the payload that it gets.
#[derive(Clone, Copy, Debug)]
pub struct Armed {
    pub handler: u8,
    pub at: usize,
    pub nbytes: usize,
}

thread_local! {
    static ARMED: Cell<Option<Armed>> = const { Cell::new(None) };
}

/// Sets, replaces or takes back what follows this thread's next put.
pub fn arm(armed: Option<Armed>) {
    ARMED.set(armed);
}

/// Something is to follow this thread's next put.
pub fn is_armed() -> bool {
    ARMED.get().is_some()
}

/// What follows the put that starts now.
pub fn disarm() -> Option<Armed> {
    ARMED.take()
}

/// A put of this rank, to count its messages by; never 0.
pub fn new_key() -> i32 {
    static KEYS: AtomicU32 = AtomicU32::new(0);
    (KEYS.fetch_add(1, Ordering::Relaxed) | 1 << 31) as i32
}

impl Job {
    /// The data of a put is in place: its completion follows.
    pub(super) fn peer_complete(&self, from: u16, to: Location, armed: Armed) {
        let payload = Payload::Medium(kernel::source(armed.at, armed.nbytes));
        self.am_reply(from, to, armed.handler, payload, &[], Immediate::No);
    }

    /// The data of a put is on its way in so many messages.
    pub(super) fn peer_announce(&self, from: u16, to: Location, key: i32, messages: u32, armed: Armed) {
        let args = [key, messages as i32, i32::from(armed.handler), i32::from(from), i32::from(to.ep)];
        self.am_request(to.rank, table::VIS_PEER, Payload::Medium(kernel::source(armed.at, armed.nbytes)), &args);
    }
}

/// A put that is arriving.
#[derive(Default)]
struct Arriving {
    /// Messages that are here.
    here: u32,
    announced: Option<Announced>,
}

/// What follows a put.
struct Announced {
    messages: u32,
    handler: u8,
    /// Endpoints that put, and whose memory it is.
    from: u16,
    to: u16,
    payload: Vec<u64>,
    nbytes: usize,
}

static ARRIVING: Mutex<Option<HashMap<(JobRank, i32), Arriving>>> = Mutex::new(None);

/// Changes what is known of a put, and runs its completion if that is all.
fn update(from: JobRank, key: i32, change: impl FnOnce(&mut Arriving)) {
    let mut all = ARRIVING.lock();
    let puts = all.get_or_insert_default();
    let put = puts.entry((from, key)).or_default();
    change(put);
    let complete = put.announced.as_ref().is_some_and(|announced| announced.messages == put.here);
    let whole = if complete { puts.remove(&(from, key)) } else { None };
    drop(all);
    if let Some(announced) = whole.and_then(|put| put.announced) {
        run(from, announced);
    }
}

fn run(from: JobRank, mut announced: Announced) {
    let job = job();
    let Some(table) = job.endpoint_table(announced.to, announced.handler) else {
        fatal!("rank {} put to endpoint {}, which this rank has not, or not for messages", from.0, announced.to);
    };
    let token = Token::new(from, false);
    token.between(announced.from, announced.to);
    let buffer = Buffer::Medium(announced.payload.as_mut_ptr().cast(), announced.nbytes);
    dispatch::run_client(job, &token, table, announced.handler, buffer, &[]);
}

/// A message of put `key` is unpacked.
pub fn arrived(from: JobRank, key: i32) {
    update(from, key, |put| put.here += 1);
}

/// Request: put (args 0) is (args 1) messages; handler (args 2) follows with this payload, from endpoint (args 3) to
/// (args 4).
pub fn on_announce(token: &Token, msg: Msg<'_>) {
    let src = msg.src();
    let mut payload = vec![0u64; src.len().div_ceil(WORD)];
    mem::read_words(&mut payload, src);
    let announced = Announced {
        messages: msg.args[1] as u32,
        handler: msg.args[2] as u8,
        from: msg.args[3] as u16,
        to: msg.args[4] as u16,
        payload,
        nbytes: src.len(),
    };
    update(token.source(), msg.args[0], |put| put.announced = Some(announced));
}
