//! Polling: handles replies in shared memory, then requests in shared memory, then messages from the network; a bounded
//! number of each in a call.

use crate::am::{dispatch, wire};
use crate::conduit::shared::send_queue::SendQueue;
use crate::conduit::{Conduit, Take};
use crate::fatal::usage;
use crate::hang::waits;
use crate::job::Job;
use crate::nbrhd::intake::Intake;
use crate::nbrhd::ring::{BATCH, TakenBatch};
use crate::os::{clock, cpu};
use crate::settings::Threads;
use crate::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use crate::thread;
use crate::trace;

/// Messages of each kind (replies, requests, from the network) after which a poll stops.
const BUDGET: usize = 64;
/// Of consecutive polls that find messages in shared memory, every sixteenth polls the network, too, which costs more.
const NEAR_POLLS: u32 = 16;

/// The additional duties of each poll: a set of the bits below.
static ALSO: AtomicU32 = AtomicU32::new(0);
/// Count each poll: the job is ending, and the warden checks whether this rank does nothing but poll.
const COUNTS: u32 = 1;
/// Fill slots of this rank's rings that dead ranks claimed but did not publish.
const RETIRES: u32 = 2;
/// Send deferred messages.
const DEFERS: u32 = 4;

/// When the network was last polled, and the transfers that wait for room in it.
pub(crate) struct Looks {
    /// Polls in a row that found messages in shared memory.
    near_polls: AtomicU32,
    /// Polls of the network so far.
    looks: AtomicU32,
    /// `looks` as a sender last read it.
    looks_at_send: AtomicU32,
    /// When a sender last polled the network, in clock ticks.
    sender_looked: AtomicU64,
    /// Pieces of puts and gets that wait for room.
    pub queue: SendQueue,
}

pub(crate) static NETWORK: Looks = Looks {
    near_polls: AtomicU32::new(0),
    looks: AtomicU32::new(0),
    looks_at_send: AtomicU32::new(0),
    sender_looked: AtomicU64::new(0),
    queue: SendQueue::new(),
};

/// How much work polls have to advance besides messages. A poll reads only this word to find out whether there is any.
pub(crate) struct Work(AtomicU32);

pub(crate) static WORK: Work = Work(AtomicU32::new(0));

impl Work {
    #[inline]
    pub(crate) fn exists(&self) -> bool {
        self.0.load(Ordering::Relaxed) != 0
    }

    /// One more piece of work, until `end`. May run in a signal handler.
    pub(crate) fn begin(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn end(&self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }

    /// A part of the work that was counted as `old` now counts as `new`.
    pub(crate) fn change(&self, old: u32, new: u32) {
        self.0.fetch_add(new.wrapping_sub(old), Ordering::Relaxed);
    }
}

/// For debug clients in PARSYNC mode: runs `poll`; ends the job if another thread is in a poll at the same time.
#[cold]
fn alone(poll: impl FnOnce() -> u32) -> u32 {
    static INSIDE: AtomicU32 = AtomicU32::new(0);
    let me = thread::index() + 1;
    // AcqRel: threads that take turns are ordered by a lock of the client; this only detects those that are not.
    let before = INSIDE.swap(me, Ordering::AcqRel);
    if before != 0 && before != me {
        usage!("GASNET_PARSYNC", "two threads call GASNet at the same time; only GASNET_PAR allows that");
    }
    let done = poll();
    INSIDE.store(before, Ordering::Release);
    done
}

impl Job {
    /// Handles messages that have arrived and advances other work; returns 0 if there was nothing to do.
    #[inline]
    pub fn poll(&self) -> u32 {
        let nbrhd = &self.nbrhd;
        let arrived = nbrhd.replies.ready() || nbrhd.requests.ready();
        if arrived || self.conduit.is_some() || WORK.exists() { self.poll_all() } else { 0 }
    }

    /// Polls before a request is sent, if a message has arrived or the network is due to be polled.
    #[inline(always)]
    pub fn poll_to_send(&self) {
        let nbrhd = &self.nbrhd;
        if nbrhd.replies.ready() || nbrhd.requests.ready() || self.conduit.is_some() && self.look_to_send() {
            self.poll_all();
        }
    }

    /// Whether a sender polls the network now: a system call for each message of a burst would cost more than the
    /// message. The words read here are hints, so Relaxed is enough.
    #[inline(never)]
    fn look_to_send(&self) -> bool {
        let looks = NETWORK.looks.load(Ordering::Relaxed);
        if looks != NETWORK.looks_at_send.load(Ordering::Relaxed) {
            NETWORK.looks_at_send.store(looks, Ordering::Relaxed);
            return false;
        }
        let now = clock::ticks_now();
        // Within a microsecond or two senders poll the network only once.
        let is_stale = now.wrapping_sub(NETWORK.sender_looked.load(Ordering::Relaxed)) > cpu::short_while();
        if is_stale {
            NETWORK.sender_looked.store(now, Ordering::Relaxed);
        }
        is_stale
    }

    /// From now on each poll is counted, where other processes of the job see it. May run in a signal handler.
    pub fn count_polls(&self) {
        if ALSO.fetch_or(COUNTS, Ordering::AcqRel) & COUNTS == 0 {
            WORK.begin();
        }
    }

    /// From now on each poll fills ring slots that dead ranks claimed, until none is left.
    pub(super) fn retire_in_polls(&self) {
        if ALSO.fetch_or(RETIRES, Ordering::AcqRel) & RETIRES == 0 {
            WORK.begin();
        }
    }

    /// From now on each poll sends deferred messages, until none is left.
    pub(super) fn defer_to_polls(&self) {
        if ALSO.fetch_or(DEFERS, Ordering::AcqRel) & DEFERS == 0 {
            WORK.begin();
        }
    }

    #[cold]
    fn do_also(&self, also: u32) {
        if also & COUNTS != 0 {
            waits::polled(self.nbrhd.here.0);
        }
        // Cleared before `retire`, so that a death that becomes known meanwhile sets it again.
        if also & RETIRES != 0 && ALSO.fetch_and(!RETIRES, Ordering::AcqRel) & RETIRES != 0 {
            let again = !self.retire() && ALSO.fetch_or(RETIRES, Ordering::AcqRel) & RETIRES == 0;
            if !again {
                WORK.end();
            }
        }
        if also & DEFERS != 0 && ALSO.fetch_and(!DEFERS, Ordering::AcqRel) & DEFERS != 0 {
            let again = !self.send_deferred() && ALSO.fetch_or(DEFERS, Ordering::AcqRel) & DEFERS == 0;
            if !again {
                WORK.end();
            }
        }
    }

    #[inline(never)]
    fn poll_all(&self) -> u32 {
        let also = ALSO.load(Ordering::Relaxed);
        if also != 0 {
            self.do_also(also);
        }
        if self.settings.debug && self.settings.threads == Threads::ParSync {
            return alone(|| self.poll_everything());
        }
        self.poll_everything()
    }

    fn poll_everything(&self) -> u32 {
        let mut done =
            self.drain_if_ready(&self.nbrhd.replies, false) + self.drain_if_ready(&self.nbrhd.requests, true);
        if let Some(conduit) = self.conduit {
            done = self.poll_network(conduit, done);
        }
        // Present only if the barrier uses messages.
        if let Some(advance) = self.polled.barrier {
            advance(self);
        }
        if WORK.exists() {
            done += (self.polled.collectives)(self);
        }
        done
    }

    /// Polls the network, if it is its turn after a poll that handled `done` messages in shared memory; returns the sum of both.
    // Apart: with it, polls of jobs without a network would save more registers.
    #[inline(never)]
    fn poll_network(&self, conduit: &dyn Conduit, mut done: u32) -> u32 {
        let near = if done == 0 { 0 } else { NETWORK.near_polls.load(Ordering::Relaxed).wrapping_add(1) };
        if near % NEAR_POLLS == 0 {
            done += self.poll_far(conduit, Take::All);
        }
        NETWORK.near_polls.store(near, Ordering::Relaxed);
        done
    }

    #[inline(always)]
    fn poll_far(&self, conduit: &dyn Conduit, take: Take) -> u32 {
        let mut done = conduit.poll(self, take, BUDGET as u32);
        if self.settings.watched || !NETWORK.queue.is_empty() {
            done += self.start_pieces(conduit);
        }
        let looks = &NETWORK.looks;
        looks.store(looks.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
        if done != 0 {
            self.marks.beat();
            if self.settings.concurrent() {
                self.wake_local();
            }
        }
        done
    }

    /// Starts pieces of transfers that have waited for room; writes the conduit's counters to the trace.
    #[inline(never)]
    fn start_pieces(&self, conduit: &dyn Conduit) -> u32 {
        let started = if NETWORK.queue.is_empty() { 0 } else { NETWORK.queue.advance(conduit, self) };
        if self.settings.watched {
            trace::network(|say| conduit.counters(say));
        }
        started
    }

    /// Handles replies only: for a request handler that waits for room, in which no other request handler may run.
    pub fn poll_replies(&self) -> u32 {
        let also = ALSO.load(Ordering::Relaxed);
        if also & RETIRES != 0 {
            self.do_also(also);
        }
        let done = self.drain_if_ready(&self.nbrhd.replies, false);
        done + self.conduit.map_or(0, |conduit| self.poll_far(conduit, Take::Replies))
    }

    #[inline(always)]
    fn drain_if_ready(&self, intake: &Intake, request: bool) -> u32 {
        if intake.ready() { self.drain(intake, request) } else { 0 }
    }

    #[inline(never)]
    fn drain(&self, intake: &Intake, request: bool) -> u32 {
        let serial = !self.settings.concurrent();
        let mut batch = TakenBatch::empty();
        let mut done = 0;
        while done < BUDGET {
            let count = intake.take(&mut batch, serial, wire::length);
            // The batch after the next: as many messages are expected in each.
            let ahead = intake.ring.taken() + BATCH as u64;
            for index in 0..count {
                if count == BATCH {
                    intake.ring.prefetch(ahead + index as u64);
                }
                let (head, body) = batch.message(index);
                dispatch::deliver(self, head, body, request);
            }
            done += count;
            if count < BATCH {
                break;
            }
        }
        if done != 0 {
            self.marks.beat();
            if !serial {
                // Another thread may sleep until a condition that these handlers have made true.
                self.wake_local();
            }
        }
        done as u32
    }
}
