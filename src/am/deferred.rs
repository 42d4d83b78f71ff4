//! Deferred messages of operations that were started with IMMEDIATE. Such an operation is not started if its first
//! message finds no room; any later message for which there is no room is kept here, with a copy of its payload, and
//! polls send it. Memory is bounded: while the messages here and the transfers in the send queue take [`MOST_BYTES`],
//! no further operation is started with IMMEDIATE. The messages of a started operation are not limited, so each
//! thread may exceed the bound by one operation.
//!
//! # Safety
//! The source of a LongAsync is not copied: its sender keeps it until the reply has been handled.
#![allow(unsafe_code)]

use std::collections::VecDeque;

use parking_lot::Mutex;

use crate::am::poll::NETWORK;
use crate::conduit::shared::held::Held;
use crate::defs::message::{AmHeader, Envelope, Immediate, MAX_ARGS, Payload, Traffic};
use crate::defs::rank::{JobRank, Location};
use crate::job::Job;
use crate::mem::{self, RemoteAddr, Src};
use crate::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of deferred messages and transfers from which on IMMEDIATE operations are rejected.
const MOST_BYTES: usize = 4 << 20;

/// The payload of a deferred message.
enum Kept {
    None,
    Medium(Vec<u8>),
    Long(Vec<u8>, RemoteAddr),
    LongAsync(Held<Src<'static>>, RemoteAddr),
}

struct Message {
    to: Location,
    traffic: Traffic,
    handler: u8,
    envelope: Envelope,
    nargs: usize,
    args: [i32; MAX_ARGS],
    payload: Kept,
}

impl Message {
    fn new(to: Location, header: AmHeader<'_>, payload: Payload<'_>) -> Message {
        let AmHeader { traffic, handler, envelope, args } = header;
        let mut copy = [0; MAX_ARGS];
        copy[..args.len()].copy_from_slice(args);
        let payload = match payload {
            Payload::None => Kept::None,
            Payload::Medium(src) => Kept::Medium(bytes_of(src)),
            Payload::Long(src, at) => Kept::Long(bytes_of(src), at),
            // SAFETY: the sender keeps the source until the reply to this message has been handled (`Payload`).
            Payload::LongAsync(src, at) => Kept::LongAsync(unsafe { Held::src(src) }, at),
        };
        Message { to, traffic, handler, envelope, nargs: args.len(), args: copy, payload }
    }

    /// Bytes of memory that the deferred message takes.
    fn bytes(&self) -> usize {
        let payload = match &self.payload {
            Kept::Medium(bytes) | Kept::Long(bytes, _) => bytes.len(),
            Kept::None | Kept::LongAsync(..) => 0,
        };
        size_of::<Message>() + payload
    }

    fn header(&self) -> AmHeader<'_> {
        let Message { traffic, handler, envelope, nargs, ref args, .. } = *self;
        AmHeader { traffic, handler, envelope, args: &args[..nargs] }
    }

    fn payload(&self) -> Payload<'_> {
        match &self.payload {
            Kept::None => Payload::None,
            Kept::Medium(bytes) => Payload::Medium(Src::of(bytes)),
            Kept::Long(bytes, at) => Payload::Long(Src::of(bytes), *at),
            Kept::LongAsync(Held(src), at) => Payload::LongAsync(*src, *at),
        }
    }
}

fn bytes_of(src: Src<'_>) -> Vec<u8> {
    let mut bytes = vec![0; src.len()];
    mem::read(&mut bytes, src);
    bytes
}

/// This rank's messages that wait for room.
pub(crate) struct Deferred {
    waiting: Mutex<VecDeque<Message>>,
    /// Number of messages in `waiting`, and of those that a thread has taken out to send.
    count: AtomicUsize,
    /// Bytes of memory that these messages take.
    bytes: AtomicUsize,
}

pub(crate) static DEFERRED: Deferred =
    Deferred { waiting: Mutex::new(VecDeque::new()), count: AtomicUsize::new(0), bytes: AtomicUsize::new(0) };

impl Deferred {
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        // Relaxed: the thread that has deferred a message polls later and sees it then.
        self.count.load(Ordering::Relaxed) == 0
    }

    fn push(&self, message: Message) {
        self.count.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(message.bytes(), Ordering::Relaxed);
        self.waiting.lock().push_back(message);
    }

    /// Uncounts `message`, which was sent or dropped.
    fn ended(&self, message: &Message) {
        self.count.fetch_sub(1, Ordering::Relaxed);
        self.bytes.fetch_sub(message.bytes(), Ordering::Relaxed);
    }

    /// Drops all messages to `rank`, which has died.
    pub(crate) fn forget(&self, rank: JobRank) {
        let mut waiting = self.waiting.lock();
        waiting.retain(|message| {
            let stays = message.to.rank != rank;
            if !stays {
                self.ended(message);
            }
            stays
        });
    }
}

impl Job {
    /// Whether an operation may start: false if `immediate` is `Yes` and deferred messages and transfers take
    /// [`MOST_BYTES`], also after one poll. `traffic`: the kind of the operation's messages.
    #[inline]
    pub fn may_start(&self, traffic: Traffic, immediate: Immediate) -> bool {
        immediate != Immediate::Yes || self.may_defer() || self.may_defer_after_a_poll(traffic)
    }

    /// As `may_start`, for a prepared Long: no handler may run, so deferred messages are sent instead of a poll.
    #[inline]
    pub(super) fn may_go_in_pieces(&self, immediate: Immediate) -> bool {
        immediate != Immediate::Yes || self.may_defer() || {
            self.send_deferred();
            self.may_defer()
        }
    }

    fn may_defer(&self) -> bool {
        // Relaxed: a bound that threads may exceed by an operation each.
        DEFERRED.bytes.load(Ordering::Relaxed) + NETWORK.queue.bytes() < MOST_BYTES
    }

    #[cold]
    fn may_defer_after_a_poll(&self, traffic: Traffic) -> bool {
        match traffic {
            Traffic::Request => _ = self.poll(),
            // The caller is a request handler, in which no other request handler may run.
            Traffic::Reply => {
                self.poll_replies();
                self.send_deferred();
            }
        }
        self.may_defer()
    }

    /// Sends one message of an operation, to a handler of the library, from endpoint 0 of this rank. False: no room,
    /// nothing was sent.
    pub fn am_part(
        &self,
        to: Location,
        traffic: Traffic,
        handler: u8,
        payload: Payload<'_>,
        args: &[i32],
        immediate: Immediate,
    ) -> bool {
        let header = AmHeader { traffic, handler, envelope: Envelope::between(0, to.ep), args };
        if traffic == Traffic::Request {
            self.poll_to_send();
        }
        if immediate == Immediate::Begun {
            self.am_send_begun(to, header, payload);
            return true;
        }
        self.am_send_any(to, header, payload, immediate)
    }

    /// Sends a message of an operation that has already started: now or, if there is no room, from a later poll.
    /// Never waits.
    #[inline(never)]
    pub fn am_send_begun(&self, to: Location, header: AmHeader<'_>, payload: Payload<'_>) {
        let deferred = &DEFERRED;
        // To oneself there is always room, and the handler runs now.
        let may_go = to.rank == self.me || deferred.is_empty();
        if !may_go || !self.am_send_any(to, header, payload, Immediate::Yes) {
            deferred.push(Message::new(to, header, payload));
            self.defer_to_polls();
        }
    }

    /// Sends the messages for which there is room; true if none is left.
    pub(super) fn send_deferred(&self) -> bool {
        let deferred = &DEFERRED;
        // Sent without the lock: a message that goes in pieces may defer some of them.
        let all = core::mem::take(&mut *deferred.waiting.lock());
        let (mut full, mut left) = (Vec::new(), VecDeque::new());
        for message in all {
            let way = (message.to.rank, message.traffic);
            if !full.contains(&way) {
                if self.am_send_any(message.to, message.header(), message.payload(), Immediate::Yes) {
                    deferred.ended(&message);
                    continue;
                }
                full.push(way);
            }
            left.push_back(message);
        }
        if !left.is_empty() {
            let mut waiting = deferred.waiting.lock();
            left.append(&mut waiting);
            *waiting = left;
        }
        deferred.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(rank: u32, payload: Payload<'_>, args: &[i32]) -> Message {
        let envelope = Envelope::between(1, 2);
        let to = Location { rank: JobRank(rank), ep: 2 };
        Message::new(to, AmHeader { traffic: Traffic::Reply, handler: 77, envelope, args }, payload)
    }

    #[test]
    fn messages_to_a_dead_rank_are_forgotten_and_counted() {
        let deferred =
            Deferred { waiting: Mutex::new(VecDeque::new()), count: AtomicUsize::new(0), bytes: AtomicUsize::new(0) };
        assert!(deferred.is_empty());
        for rank in [1, 2, 1, 3] {
            deferred.push(message(rank, Payload::None, &[]));
        }
        for (dead, left) in [(4, 4), (1, 2), (2, 1), (3, 0)] {
            assert!(!deferred.is_empty());
            deferred.forget(JobRank(dead));
            let waiting = deferred.waiting.lock();
            assert_eq!((waiting.len(), deferred.count.load(Ordering::Relaxed)), (left, left));
            assert!(waiting.iter().all(|message| message.to.rank != JobRank(dead)));
            assert_eq!(deferred.bytes.load(Ordering::Relaxed), waiting.iter().map(Message::bytes).sum::<usize>());
        }
        assert!(deferred.is_empty());
    }

    #[test]
    fn what_is_kept_is_what_was_given() {
        let (mut source, args) = (*b"payload", [1, -2, 3]);
        let kept = [
            message(5, Payload::None, &args),
            message(5, Payload::Medium(Src::of(&source)), &args[..1]),
            message(5, Payload::Long(Src::of(&source), RemoteAddr(8)), &[]),
        ];
        source.fill(0);
        for (message, nargs) in kept.iter().zip([3, 1, 0]) {
            let AmHeader { traffic, handler, envelope, args: given } = message.header();
            assert_eq!(
                (traffic, handler, envelope, given),
                (Traffic::Reply, 77, Envelope::between(1, 2), &args[..nargs])
            );
            assert_eq!(message.to, Location { rank: JobRank(5), ep: 2 });
        }
        assert!(matches!(kept[0].payload(), Payload::None));
        assert!(matches!(kept[1].payload(), Payload::Medium(src) if bytes_of(src) == b"payload"));
        assert!(matches!(kept[2].payload(), Payload::Long(src, at) if bytes_of(src) == b"payload" && at.0 == 8));
        // The sender keeps this one's source.
        let alive = message(5, Payload::LongAsync(Src::of(&source), RemoteAddr(9)), &[]);
        assert!(matches!(alive.payload(), Payload::LongAsync(src, at) if src.as_ptr() == source.as_ptr() && at.0 == 9));
    }
}
