//! The engine of collectives by messages. A collective in flight is a state machine ([`Steps`]) and an event. Each
//! poll advances the machines for which messages have arrived, so any number of collectives may be in flight, on any
//! teams, and any thread may wait for them in any order. The ranks of a team start its collectives in the same order,
//! so (team, sequence number) identifies a collective. Messages that arrive before this rank has started their
//! collective are stored under that identifier. Handlers only record arrivals; machines send.
//! A machine keeps views of its client's buffers while it runs; the client keeps the buffers until the event is
//! complete.

#[cfg(test)]
pub(crate) mod machine_tests;
mod objection;
pub(crate) mod phases;

use core::ffi::CStr;
use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};

use parking_lot::Mutex;

use self::objection::Objection;
use crate::am::library;
use crate::am::poll::WORK;
use crate::am::token::Token;
use crate::coll::buffer::Buffer;
use crate::defs::message::{Msg, Payload};
use crate::event::{self, Op, PieceKind};
use crate::job::{Job, job};
use crate::mem::{self, Dst, Src, halves, whole};
use crate::rma::amref;
use crate::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use crate::sync::turned::Turned;
use crate::team::Team;

/// Blocks of up to this number of bytes are sent eagerly. Larger blocks use a rendezvous: they are sent once the
/// receiver has cleared them.
const EAGER_MAX: usize = 16 * 1024;

/// Set in the step of the signal with which a receiver clears a block.
const CLEAR_TO_SEND: u32 = 1 << 31;
/// The steps of each phase of a composed collective are disjoint: they differ from this bit on.
const PHASE_BIT: u32 = 28;

/// A collective at one of this process's members.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct CollKey {
    team: u64,
    number: u32,
    member: u32,
}

/// A signal or block of a collective: its step, and the sender's rank in the team.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct CollTag {
    step: u32,
    peer: u32,
}

/// A block that is arriving.
struct BlockArrival {
    target: ArrivalTarget,
    /// Bytes that have arrived.
    got: usize,
    /// The length of the block; None until its first piece has arrived.
    all: Option<usize>,
}

/// The memory for an arriving block.
enum ArrivalTarget {
    None,
    Buffered(Buffer),
    Posted(Dst<'static>),
}

impl BlockArrival {
    fn is_whole(&self) -> bool {
        self.all == Some(self.got)
    }
}

/// The state machine of a collective.
pub(crate) trait Steps: Send {
    /// Advances as far as possible; returns true when complete. Called again when a message has arrived.
    fn step(&mut self, mail: &Mailbox<'_>) -> bool;

    /// The name in hang reports.
    fn name(&self) -> &'static CStr {
        c"internal to the library"
    }
}

struct Running {
    /// None while a thread advances it.
    steps: Option<Box<dyn Steps>>,
    team: &'static Team,
    op: &'static Op,
    /// In `ready`.
    is_ready: bool,
}

#[derive(Default)]
struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }
    fn write_u32(&mut self, word: u32) {
        self.write_u64(word.into());
    }
    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}

type Map<K, V> = HashMap<K, V, BuildHasherDefault<Mix>>;

struct Tables {
    running: Map<CollKey, Running>,
    arrived: Map<(CollKey, CollTag), BlockArrival>,
    /// Keys of `running` for which messages have arrived.
    ready: VecDeque<CollKey>,
    /// The first block of an unexpected length, in a debug job.
    objection: Option<Objection>,
}

/// All collectives in flight on this rank.
pub(crate) struct CollEngine {
    tables: Mutex<Tables>,
    /// Length of `ready`, and 1 for an objection.
    waiting: AtomicU32,
    /// Held by the thread that advances machines.
    stepping: Mutex<()>,
    step_turned: Turned,
}

const fn map<K, V>() -> Map<K, V> {
    HashMap::with_hasher(BuildHasherDefault::new())
}

pub(crate) static ENGINE: CollEngine = CollEngine {
    tables: Mutex::new(Tables { running: map(), arrived: map(), ready: VecDeque::new(), objection: None }),
    waiting: AtomicU32::new(0),
    stepping: Mutex::new(()),
    step_turned: Turned::new(AtomicBool::new(false)),
};

impl CollEngine {
    /// Counts the work of `tables`, which are locked.
    fn count(&self, tables: &Tables) {
        let new = tables.ready.len() as u32 + u32::from(tables.objection.is_some());
        WORK.change(self.waiting.swap(new, Ordering::Relaxed), new);
    }

    /// The number of collectives over `team` in flight on this member.
    pub(crate) fn count_of(&self, job: &Job, team: &'static Team) -> usize {
        let by_messages =
            self.tables.lock().running.values().filter(|running| core::ptr::eq(running.team, team)).count();
        by_messages + team.near().map_or(0, |near| job.near_in_flight(near))
    }

    /// Marks `key` as ready, because a message for it has arrived.
    fn make_ready(&self, tables: &mut Tables, key: CollKey) {
        if let Some(running) = tables.running.get_mut(&key) {
            if !running.is_ready {
                running.is_ready = true;
                tables.ready.push_back(key);
                self.count(tables);
            }
        }
    }

    fn next(&self) -> Option<(CollKey, Running)> {
        let mut tables = self.tables.lock();
        let key = tables.ready.pop_front()?;
        self.count(&tables);
        let running = tables.running.get_mut(&key)?;
        running.is_ready = false;
        let steps = running.steps.take();
        Some((key, Running { steps, team: running.team, op: running.op, is_ready: false }))
    }
}

impl CollEngine {
    /// Drops a block whose length is wrong. Its collective does not complete any more.
    fn object(&self, job: &Job, tables: &mut Tables, objection: Objection) {
        if !job.settings.debug {
            objection.end();
        }
        tables.objection.get_or_insert(objection);
        self.count(tables);
    }

    /// Whether there is an objection; ends the job if nothing has explained it in time.
    fn objects(&self) -> bool {
        let tables = self.tables.lock();
        let Some(objection) = &tables.objection else { return false };
        if objection.is_late() {
            objection.end();
        }
        true
    }
}

/// The interface of a state machine to the messages of its collective.
pub(crate) struct Mailbox<'a> {
    job: &'a Job,
    pub team: &'static Team,
    number: u32,
    phase: u32,
}

impl Mailbox<'_> {
    pub(crate) fn me(&self) -> u32 {
        self.team.rank()
    }

    pub(crate) fn size(&self) -> u32 {
        self.team.size()
    }

    /// The mailbox of another phase, whose steps are disjoint.
    pub(crate) fn phase(&self, phase: u32) -> Mailbox<'_> {
        Mailbox { job: self.job, team: self.team, number: self.number, phase }
    }

    fn key(&self) -> CollKey {
        CollKey { team: self.team.id(), number: self.number, member: self.me() }
    }

    fn tag(&self, step: u32, peer: u32) -> CollTag {
        CollTag { step: step | self.phase << PHASE_BIT, peer }
    }

    fn head(&self, to: u32, step: u32) -> [i32; 6] {
        let [high, low] = halves(self.team.id() as usize);
        let step = self.tag(step, 0).step;
        [high, low, self.number as i32, to as i32, self.me() as i32, step as i32]
    }

    /// Sends a signal for `step` to `to`.
    pub(crate) fn signal(&self, to: u32, step: u32) {
        self.job.am_request(self.team.job_rank(to), library::COLL_SIGNAL, Payload::None, &self.head(to, step));
    }

    /// Whether `from`'s signal for `step` has arrived; true once.
    pub(crate) fn signalled(&self, from: u32, step: u32) -> bool {
        ENGINE.tables.lock().arrived.remove(&(self.key(), self.tag(step, from))).is_some()
    }

    /// Clears `from` to send its block of `nbytes` bytes for `step`, if blocks of this size use a rendezvous.
    pub(crate) fn clear_to_send(&self, from: u32, step: u32, nbytes: usize) {
        if nbytes > EAGER_MAX {
            self.signal(from, step | CLEAR_TO_SEND);
        }
    }

    /// Posts `dst` for the block that `from` sends for `step`.
    pub(crate) fn post(&self, from: u32, step: u32, dst: Dst<'static>) {
        let mut tables = ENGINE.tables.lock();
        let entry = tables.arrived.entry((self.key(), self.tag(step, from)));
        let arrival = entry.or_insert(BlockArrival { target: ArrivalTarget::None, got: 0, all: None });
        if let ArrivalTarget::Buffered(bytes) = &arrival.target {
            if bytes.src().len() != dst.len() {
                let sent = bytes.src().len();
                *arrival = BlockArrival { target: ArrivalTarget::None, got: 0, all: None };
                return ENGINE.object(self.job, &mut tables, Objection::new(self.number, from, sent, dst.len()));
            }
            // The whole buffer, even if pieces are missing: they will be written to `dst`.
            mem::copy(dst, bytes.src());
        }
        arrival.target = ArrivalTarget::Posted(dst);
        drop(tables);
        self.clear_to_send(from, step, dst.len());
    }

    /// Whether the block for a posted `dst` has arrived; true once.
    pub(crate) fn arrived(&self, from: u32, step: u32) -> bool {
        self.take(from, step).is_some()
    }

    /// Returns the block that `from` sent for `step` once it has arrived completely; an empty buffer if `dst` was posted.
    pub(crate) fn take(&self, from: u32, step: u32) -> Option<Buffer> {
        let mut tables = ENGINE.tables.lock();
        let at = (self.key(), self.tag(step, from));
        if !tables.arrived.get(&at)?.is_whole() {
            return None;
        }
        match tables.arrived.remove(&at)?.target {
            ArrivalTarget::Buffered(bytes) => Some(bytes),
            _ => Some(Buffer::default()),
        }
    }

    /// Sends a block, whose memory may then be reused; returns false if `to` has not cleared it yet.
    pub(crate) fn send(&self, to: u32, step: u32, bytes: Src<'_>) -> bool {
        if bytes.len() > EAGER_MAX && !self.signalled(to, step | CLEAR_TO_SEND) {
            return false;
        }
        let [a, b, c, d, e, f] = self.head(to, step);
        let most = self.job.limits.medium;
        for from in (0..bytes.len().max(1)).step_by(most) {
            let piece = bytes.part(from, most.min(bytes.len() - from));
            let ([at_high, at_low], [all_high, all_low]) = (halves(from), halves(bytes.len()));
            let args = [a, b, c, d, e, f, at_high, at_low, all_high, all_low];
            self.job.am_request(self.team.job_rank(to), library::COLL_BLOCK, Payload::Medium(piece), &args);
        }
        true
    }
}

/// A new operation of this thread, with one started piece.
pub(super) fn fresh() -> &'static Op {
    let op = event::mine().explicit();
    op.start(PieceKind::Put);
    op
}

impl Job {
    /// Starts the state machine of a collective on `team`, as one started piece of the operation that `op` returns.
    /// Returns None, without calling `op`, if it completes at once.
    pub(super) fn coll_launch(
        &self,
        team: &'static Team,
        mut steps: Box<dyn Steps>,
        op: impl FnOnce() -> &'static Op,
    ) -> Option<&'static Op> {
        let mail = Mailbox { job: self, team, number: team.collectives.fetch_add(1, Ordering::Relaxed), phase: 0 };
        if steps.step(&mail) {
            return None;
        }
        let op = op();
        op.set_collective(team.id(), mail.number, steps.name());
        let engine = &ENGINE;
        let mut tables = engine.tables.lock();
        let key = mail.key();
        tables.running.insert(key, Running { steps: Some(steps), team, op, is_ready: false });
        // A message may have arrived since the step.
        engine.make_ready(&mut tables, key);
        drop(tables);
        self.coll_progress();
        Some(op)
    }

    /// Direct collectives on; how many steps that were.
    pub fn coll_progress(&self) -> u32 {
        let engine = &ENGINE;
        let mut steps = self.near_progress();
        // The thread that advances machines also handles those that become ready meanwhile, and checks again after it
        // has released the lock.
        while engine.waiting.load(Ordering::Relaxed) != 0 {
            let Some(alone) = engine.step_turned.enter(|| engine.stepping.try_lock()) else { break };
            while let Some((key, running)) = engine.next() {
                self.coll_step(key, running);
                steps += 1;
            }
            let objects = engine.objects();
            drop(alone);
            self.left(&engine.step_turned, false);
            if objects {
                break;
            }
        }
        steps
    }

    fn coll_step(&self, key: CollKey, running: Running) {
        let Running { steps: Some(mut steps), team, op, .. } = running else { return };
        let done = steps.step(&Mailbox { job: self, team, number: key.number, phase: 0 });
        let mut tables = ENGINE.tables.lock();
        if done {
            tables.running.remove(&key);
            drop(tables);
            op.finish(PieceKind::Put);
            if self.settings.concurrent() {
                self.wake_local();
            }
        } else if let Some(running) = tables.running.get_mut(&key) {
            running.steps = Some(steps);
        }
    }
}

fn names(args: &[i32]) -> (CollKey, CollTag) {
    let key = CollKey { team: whole(args[0], args[1]) as u64, number: args[2] as u32, member: args[3] as u32 };
    (key, CollTag { peer: args[4] as u32, step: args[5] as u32 })
}

/// Request: a signal of rank (args 4) of team (args 0, 1) for step (args 5) of collective (args 2), to member
/// (args 3).
pub(crate) fn on_signal(_token: &Token, msg: Msg<'_>) {
    let (key, tag) = names(msg.args);
    let engine = &ENGINE;
    let mut tables = engine.tables.lock();
    tables.arrived.insert((key, tag), BlockArrival { target: ArrivalTarget::None, got: 0, all: Some(0) });
    engine.make_ready(&mut tables, key);
}

/// Request: as a signal, with bytes of a block at offset (args 6, 7); its length is (args 8, 9).
pub(crate) fn on_block(_token: &Token, msg: Msg<'_>) {
    let (key, tag) = names(msg.args);
    let (at, all) = (whole(msg.args[6], msg.args[7]), whole(msg.args[8], msg.args[9]));
    let engine = &ENGINE;
    let mut tables = engine.tables.lock();
    let entry = tables.arrived.entry((key, tag));
    let arrival =
        entry.or_insert_with(|| BlockArrival { target: ArrivalTarget::Buffered(Buffer::new(all)), got: 0, all: None });
    if let ArrivalTarget::None = arrival.target {
        arrival.target = ArrivalTarget::Buffered(Buffer::new(all));
    }
    arrival.all = Some(all);
    let piece = amref::payload(&msg);
    let dst = match &mut arrival.target {
        ArrivalTarget::Posted(dst) if dst.len() != all => {
            let objection = Objection::new(key.number, tag.peer, all, dst.len());
            return engine.object(job(), &mut tables, objection);
        }
        ArrivalTarget::Posted(dst) => *dst,
        ArrivalTarget::Buffered(bytes) => bytes.dst(),
        ArrivalTarget::None => return,
    };
    mem::copy(dst.part(at, msg.nbytes), piece);
    arrival.got += msg.nbytes;
    if arrival.is_whole() {
        engine.make_ready(&mut tables, key);
    }
}
