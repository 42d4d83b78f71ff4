//! Peer completion: a handler that runs at the target after the data of a put have arrived. If the data were
//! copied, the initiator sends a message. If the put used messages, the target counts them, under a key of the
//! initiator, until all have arrived.

use core::cell::Cell;
use std::collections::HashMap;

use parking_lot::Mutex;

use super::kernel;
use super::shape::WORD;
use crate::am::dispatch::HandlerBuffer;
use crate::am::dispatch::endpoint_table;
use crate::am::token::Token;
use crate::am::{dispatch, library};
use crate::defs::message::{AmHeader, Envelope, Immediate, Msg, Payload, Traffic};
use crate::defs::rank::{JobRank, Location};
use crate::fatal::fatal;
use crate::job::{Job, job};
use crate::mem;
use crate::sync::atomic::{AtomicU32, Ordering};

/// The largest payload of a peer completion, in bytes.
pub(crate) const MAX_PAYLOAD: usize = 127;

/// The peer completion that a thread has requested for its next put: a reply handler of the client, and its
/// payload.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Armed {
    pub handler: u8,
    pub at: usize,
    pub nbytes: usize,
}

thread_local! {
    static ARMED: Cell<Option<Armed>> = const { Cell::new(None) };
}

/// Sets, replaces or cancels the peer completion of this thread's next put.
pub(crate) fn arm(armed: Option<Armed>) {
    ARMED.set(armed);
}

/// Whether this thread's next put has a peer completion.
pub(crate) fn is_armed() -> bool {
    ARMED.get().is_some()
}

/// Takes the peer completion for the put that is being started.
pub(crate) fn disarm() -> Option<Armed> {
    ARMED.take()
}

/// A key for a put of this rank, under which its messages are counted; never 0.
pub(crate) fn new_key() -> i32 {
    static KEYS: AtomicU32 = AtomicU32::new(0);
    (KEYS.fetch_add(1, Ordering::Relaxed) | 1 << 31) as i32
}

impl Job {
    /// The data of a put have been copied: sends its peer completion.
    pub(super) fn peer_complete(&self, from: u16, to: Location, armed: Armed, immediate: Immediate) {
        let payload = Payload::Medium(kernel::source(armed.at, armed.nbytes));
        if immediate == Immediate::No {
            self.am_reply(from, to, armed.handler, || payload, &[], immediate);
        } else {
            let envelope = Envelope::between(from, to.ep);
            self.am_send_begun(
                to,
                AmHeader { traffic: Traffic::Reply, handler: armed.handler, envelope, args: &[] },
                payload,
            );
        }
    }

    /// The data of a put have been sent in this number of messages.
    pub(super) fn peer_announce(
        &self,
        from: u16,
        to: Location,
        key: i32,
        messages: u32,
        armed: Armed,
        immediate: Immediate,
    ) {
        let args = [key, messages as i32, i32::from(armed.handler), i32::from(from), i32::from(to.ep)];
        let payload = Payload::Medium(kernel::source(armed.at, armed.nbytes));
        let to = Location { ep: 0, ..to };
        self.am_part(to, Traffic::Request, library::VIS_PEER, payload, &args, immediate.next());
    }
}

/// A put that is arriving.
#[derive(Default)]
struct Arriving {
    /// The number of messages that have arrived.
    here: u32,
    announced: Option<Announced>,
}

/// The peer completion of a put.
struct Announced {
    messages: u32,
    handler: u8,
    /// The initiator's and the target's endpoint.
    from: u16,
    to: u16,
    payload: Vec<u64>,
    nbytes: usize,
}

static ARRIVING: Mutex<Option<HashMap<(JobRank, i32), Arriving>>> = Mutex::new(None);

/// Updates the state of an arriving put, and runs its peer completion if the put is complete.
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
    let Some(table) = endpoint_table(announced.to, announced.handler) else {
        fatal!("rank {} put to endpoint {}, which this rank has not, or not for messages", from.0, announced.to);
    };
    let token = Token::new(from, false);
    token.between(announced.from, announced.to);
    let buffer = HandlerBuffer::Medium(announced.payload.as_mut_ptr().cast(), announced.nbytes);
    dispatch::run_client(job, &token, table, announced.handler, buffer, &[]);
}

/// A message of put `key` has been unpacked.
pub(crate) fn arrived(from: JobRank, key: i32) {
    update(from, key, |put| put.here += 1);
}

/// Request: put (args 0) has (args 1) messages; its peer completion is handler (args 2) with this payload, from
/// endpoint (args 3) to (args 4).
pub(crate) fn on_announce(token: &Token, msg: Msg<'_>) {
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
