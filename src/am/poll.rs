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

/// The additional duties of each poll: a set of the bits below. Each counts as one piece of work while it is in the set.
struct Duties(AtomicU32);

static ALSO: Duties = Duties(AtomicU32::new(0));
/// Count each poll: the job is ending, and the warden checks whether this rank does nothing but poll.
const COUNTS: u32 = 1;
/// Fill slots of this rank's rings that dead ranks claimed but did not publish.
const RETIRES: u32 = 2;
/// Send deferred messages.
const DEFERS: u32 = 4;
/// Tell the receive thread, which asks for it, that a thread of the client polls: the duty ends.
const TELLS: u32 = 8;

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

impl Duties {
    #[inline]
    fn now(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }

    /// Adds `duty`, one of the bits. May run in a signal handler.
    fn add(&self, duty: u32, work: &Work) {
        if self.0.fetch_or(duty, Ordering::AcqRel) & duty == 0 {
            work.begin();
        }
    }

    /// Runs `attend` if `duty` is in the set and no other thread runs it for that. The duty stays if `attend` returns false, or if it is
    /// added meanwhile.
    fn attend(&self, duty: u32, work: &Work, attend: impl FnOnce() -> bool) {
        // Removed first, so that `add` adds it again if more becomes due meanwhile.
        if self.0.fetch_and(!duty, Ordering::AcqRel) & duty == 0 {
            return;
        }
        let stays = !attend() && self.0.fetch_or(duty, Ordering::AcqRel) & duty == 0;
        if !stays {
            work.end();
        }
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
        ALSO.add(COUNTS, &WORK);
    }

    /// From now on each poll fills ring slots that dead ranks claimed, until none is left.
    pub(super) fn retire_in_polls(&self) {
        ALSO.add(RETIRES, &WORK);
    }

    /// From now on each poll sends deferred messages, until none is left.
    pub(super) fn defer_to_polls(&self) {
        ALSO.add(DEFERS, &WORK);
    }

    /// The next poll by another thread than the receive thread is to tell it.
    pub(super) fn ask_polls(&self) {
        ALSO.add(TELLS, &WORK);
    }

    /// Whether one has.
    pub(super) fn is_polled(&self) -> bool {
        ALSO.now() & TELLS == 0
    }

    /// A poll by the receive thread.
    pub(super) fn poll_for_client(&self) -> u32 {
        let also = ALSO.now() & !TELLS;
        if also != 0 {
            self.do_also(also);
        }
        self.poll_everything()
    }

    #[cold]
    fn do_also(&self, also: u32) {
        if also & COUNTS != 0 {
            waits::polled(self.nbrhd.here.0);
        }
        if also & RETIRES != 0 {
            ALSO.attend(RETIRES, &WORK, || self.retire());
        }
        if also & DEFERS != 0 {
            ALSO.attend(DEFERS, &WORK, || self.send_deferred());
        }
        if also & TELLS != 0 {
            ALSO.attend(TELLS, &WORK, || true);
        }
    }

    #[inline(never)]
    fn poll_all(&self) -> u32 {
        let also = ALSO.now();
        if also != 0 {
            self.do_also(also);
        }
        if self.settings.debug && self.settings.threads == Threads::ParSync {
            return alone(|| self.poll_everything());
        }
        self.poll_everything()
    }

    /// A poll without the duties that it has besides.
    pub(super) fn poll_everything(&self) -> u32 {
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
        let also = ALSO.now();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::several_tests::several;

    /// Whether a poll attended to `duty`, which is then `done` or not.
    fn attends(duties: &Duties, duty: u32, work: &Work, done: bool) -> bool {
        let mut attended = false;
        duties.attend(duty, work, || {
            attended = true;
            done
        });
        attended
    }

    #[test]
    fn a_duty_is_attended_to_until_it_is_done() {
        let (duties, work) = (Duties(AtomicU32::new(0)), Work(AtomicU32::new(0)));
        for duty in [RETIRES, DEFERS, RETIRES] {
            assert!(!attends(&duties, duty, &work, true) && !work.exists());
            // It is one piece of work, however often it is added.
            (0..3).for_each(|_| duties.add(duty, &work));
            assert_eq!(duties.now(), duty);
            for done in [false, false, true] {
                assert!(work.exists() && attends(&duties, duty, &work, done));
            }
            assert!(!work.exists() && duties.now() == 0);
        }
    }

    #[test]
    fn a_duty_added_while_it_is_attended_to_is_attended_to_again() {
        let (duties, work) = (Duties(AtomicU32::new(0)), Work(AtomicU32::new(0)));
        for done in [true, false] {
            duties.add(RETIRES, &work);
            duties.attend(RETIRES, &work, || {
                // Another thread's poll finds nothing due, until there is more to do.
                assert!(!attends(&duties, RETIRES, &work, true) && work.exists());
                duties.add(RETIRES, &work);
                done
            });
            assert!(work.exists() && attends(&duties, RETIRES, &work, true));
            assert!(!work.exists() && duties.now() == 0);
        }
    }

    #[test]
    fn duties_are_apart() {
        let (duties, work) = (Duties(AtomicU32::new(0)), Work(AtomicU32::new(0)));
        [COUNTS, RETIRES, DEFERS].into_iter().for_each(|duty| duties.add(duty, &work));
        assert_eq!(duties.now(), COUNTS | RETIRES | DEFERS);
        assert!(attends(&duties, DEFERS, &work, true) && work.exists());
        assert_eq!(duties.now(), COUNTS | RETIRES);
        assert!(attends(&duties, RETIRES, &work, true) && work.exists());
        assert_eq!(duties.now(), COUNTS);
    }

    #[test]
    fn polls_of_each_kind_attend_to_their_duties() {
        let ranks = several(2, Threads::Seq, 64);
        let job = ranks.jobs[0];
        type Poll = fn(&Job) -> u32;
        // The duties that are left after a poll with both, and with TELLS only.
        let polls: [(Poll, u32, u32); 3] = [
            (Job::poll, 0, 0),
            // For a handler that waits for room: slots of the dead may take it.
            (Job::poll_replies, 0, TELLS),
            // The receive thread's.
            (Job::poll_for_client, TELLS, TELLS),
        ];
        for (poll, left_of_both, left_of_tells) in polls {
            job.retire_in_polls();
            job.ask_polls();
            poll(job);
            assert_eq!(ALSO.now(), left_of_both);
            job.poll();
            job.ask_polls();
            poll(job);
            assert_eq!(ALSO.now(), left_of_tells);
            job.poll();
            assert_eq!(ALSO.now(), 0);
        }
    }
}
