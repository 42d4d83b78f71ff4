//! Collectives in flight. Each is a state machine ([`Steps`]) and an event: whoever polls moves those on for which
//! something arrived, so that any number may be in flight, on any teams, and be waited for by any thread in any order.
//! Ranks of a team start its collectives in the same order, so (team, running number) names one. What arrives before
//! this rank has started a collective is kept under that name. Handlers only note what arrived; machines send.
//! A machine keeps views of its client's buffers as long as it runs; the client keeps those until the event is done.

use core::ffi::CStr;
use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};

use parking_lot::Mutex;

use crate::am::{Msg, Payload, Token, table};
use crate::coll::buffer::Buffer;
use crate::coll::near::Near;
use crate::event::{self, Handle, Kind, Op};
use crate::fatal::fatal;
use crate::job::{Job, job};
use crate::mem::{self, Dst, Src};
use crate::rma::amref;
use crate::sync::atomic::{AtomicU32, Ordering};
use crate::sync::turned::Turned;
use crate::team::Team;

/// Blocks up to so many bytes are sent unasked; larger ones once the receiver has a place for them.
const UNASKED: usize = 16 * 1024;

/// Marks the step of a signal that says a block may come.
const WELCOME: u32 = 1 << 31;
/// Phases of a composed collective have steps of their own, from this bit on.
const PHASE_BIT: u32 = 28;

/// A collective at one of the members that live here.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Key {
    team: u64,
    number: u32,
    member: u32,
}

/// One signal or block of it: which, and from which rank of the team.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Tag {
    step: u32,
    peer: u32,
}

/// A block that is arriving.
struct Arrival {
    place: Place,
    got: usize,
    /// Bytes of the whole; unknown until the first piece came.
    all: Option<usize>,
}

enum Place {
    Nowhere,
    Kept(Buffer),
    Given(Dst<'static>),
}

impl Arrival {
    fn is_whole(&self) -> bool {
        self.all == Some(self.got)
    }
}

/// One collective's state machine.
pub trait Steps: Send {
    /// Goes as far as it can; true at the end. Called again when something has arrived.
    fn step(&mut self, desk: &Desk<'_>) -> bool;

    /// What a report on a job that hangs calls it.
    fn name(&self) -> &'static CStr {
        c"of the library's own"
    }
}

struct Running {
    /// None while somebody takes a step.
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

#[derive(Default)]
struct Tables {
    running: Map<Key, Running>,
    arrived: Map<(Key, Tag), Arrival>,
    /// Those of `running` that something arrived for.
    ready: VecDeque<Key>,
}

/// All collectives of this rank.
#[derive(Default)]
pub struct Engine {
    tables: Mutex<Tables>,
    /// Length of `ready`.
    waiting: AtomicU32,
    /// Held by the thread that takes steps.
    stepping: Mutex<()>,
    step_turned: Turned,
    /// Teams with collectives through shared memory in flight, and how many those teams are.
    near: Mutex<Vec<&'static Near>>,
    near_turned: Turned,
    near_count: AtomicU32,
    /// Nonzero where one of these two is: what polls look at.
    busy: AtomicU32,
}

impl Engine {
    /// Whether [`Job::coll_progress`] would find something to do.
    #[inline]
    pub fn has_work(&self) -> bool {
        self.busy.load(Ordering::Relaxed) != 0
    }

    /// Has polls look at everything from now on, until [`Engine::rest`]. May run in a signal handler.
    pub fn keep_busy(&self) {
        self.busy.fetch_add(1, Ordering::Relaxed);
    }

    /// Takes one [`Engine::keep_busy`] back.
    pub fn rest(&self) {
        self.busy.fetch_sub(1, Ordering::Relaxed);
    }

    /// One of the counts that polls look at is now `new`, behind the lock that guards it.
    fn count(&self, count: &AtomicU32, new: usize) {
        let new = new as u32;
        let old = count.swap(new, Ordering::Relaxed);
        self.busy.fetch_add(new.wrapping_sub(old), Ordering::Relaxed);
    }

    /// `near` has something in flight.
    pub fn list(&self, job: &Job, near: &'static Near) {
        let mut list = self.near.lock();
        list.push(near);
        self.count(&self.near_count, list.len());
        drop(list);
        job.left(&self.near_turned, false);
    }

    /// Collectives over `team` that are in flight here.
    pub fn count_of(&self, job: &Job, team: &'static Team) -> usize {
        let by_messages =
            self.tables.lock().running.values().filter(|running| core::ptr::eq(running.team, team)).count();
        by_messages + team.near().map_or(0, |near| self.near_in_flight(job, near))
    }

    /// Collectives that `near` has in flight. If there are none, polls do not visit it any more.
    fn near_in_flight(&self, job: &Job, near: &'static Near) -> usize {
        // Polls step `near` with the list locked. A poll may have completed the last collective, whose event has been tested
        // since, and not have left `near` yet. With the list locked here, only a collective call can still hold its queues.
        let mut list = self.near.lock();
        let count = near.in_flight();
        if count == 0 {
            list.retain(|listed| !core::ptr::eq(*listed, near));
            self.count(&self.near_count, list.len());
        }
        drop(list);
        job.left(&self.near_turned, false);
        count
    }

    /// Something arrived for `key`.
    fn stir(&self, tables: &mut Tables, key: Key) {
        if let Some(running) = tables.running.get_mut(&key)
            && !running.is_ready
        {
            running.is_ready = true;
            tables.ready.push_back(key);
            self.count(&self.waiting, tables.ready.len());
        }
    }

    fn next(&self) -> Option<(Key, Running)> {
        let mut tables = self.tables.lock();
        let key = tables.ready.pop_front()?;
        self.count(&self.waiting, tables.ready.len());
        let running = tables.running.get_mut(&key)?;
        running.is_ready = false;
        let steps = running.steps.take();
        Some((key, Running { steps, team: running.team, op: running.op, is_ready: false }))
    }
}

/// What a machine works with: its own mail.
pub struct Desk<'a> {
    job: &'a Job,
    pub team: &'static Team,
    number: u32,
    phase: u32,
}

impl Desk<'_> {
    pub fn me(&self) -> u32 {
        self.team.rank()
    }

    pub fn size(&self) -> u32 {
        self.team.size()
    }

    /// The same for a later phase, whose steps are others.
    pub fn phase(&self, phase: u32) -> Desk<'_> {
        Desk { job: self.job, team: self.team, number: self.number, phase }
    }

    fn key(&self) -> Key {
        Key { team: self.team.id(), number: self.number, member: self.me() }
    }

    fn tag(&self, step: u32, peer: u32) -> Tag {
        Tag { step: step | self.phase << PHASE_BIT, peer }
    }

    fn head(&self, to: u32, step: u32) -> [i32; 6] {
        let team = self.team.id();
        let step = self.tag(step, 0).step;
        [(team >> 32) as i32, team as i32, self.number as i32, to as i32, self.me() as i32, step as i32]
    }

    /// Tells `to` that this rank has come to `step`.
    pub fn signal(&self, to: u32, step: u32) {
        self.job.am_request(self.team.job_rank(to), table::COLL_SIGNAL, Payload::None, &self.head(to, step));
    }

    /// Whether `from` has told so; true once.
    pub fn signalled(&self, from: u32, step: u32) -> bool {
        self.job.coll.engine.tables.lock().arrived.remove(&(self.key(), self.tag(step, from))).is_some()
    }

    /// Lets a large block come.
    pub fn welcome(&self, from: u32, step: u32, nbytes: usize) {
        if nbytes > UNASKED {
            self.signal(from, step | WELCOME);
        }
    }

    /// What `from` sends as `step` goes to `dst`.
    pub fn expect(&self, from: u32, step: u32, dst: Dst<'static>) {
        let mut tables = self.job.coll.engine.tables.lock();
        let entry = tables.arrived.entry((self.key(), self.tag(step, from)));
        let arrival = entry.or_insert(Arrival { place: Place::Nowhere, got: 0, all: None });
        if let Place::Kept(bytes) = &arrival.place {
            // All of it, even if pieces are missing: those will go to `dst`.
            mem::copy(dst, bytes.src());
        }
        arrival.place = Place::Given(dst);
        drop(tables);
        self.welcome(from, step, dst.len());
    }

    /// Whether all bytes that `expect` was told of have come; true once.
    pub fn arrived(&self, from: u32, step: u32) -> bool {
        self.take(from, step).is_some()
    }

    /// The block that `from` sent as `step`, once it is whole; empty if it went where `expect` said.
    pub fn take(&self, from: u32, step: u32) -> Option<Buffer> {
        let mut tables = self.job.coll.engine.tables.lock();
        let at = (self.key(), self.tag(step, from));
        if !tables.arrived.get(&at)?.is_whole() {
            return None;
        }
        match tables.arrived.remove(&at)?.place {
            Place::Kept(bytes) => Some(bytes),
            _ => Some(Buffer::default()),
        }
    }

    /// Sends a block, which may then be overwritten; false if `to` has not made room for it yet.
    pub fn send(&self, to: u32, step: u32, bytes: Src<'_>) -> bool {
        if bytes.len() > UNASKED && !self.signalled(to, step | WELCOME) {
            return false;
        }
        let [a, b, c, d, e, f] = self.head(to, step);
        let most = self.job.am.limits.medium;
        for from in (0..bytes.len().max(1)).step_by(most) {
            let piece = bytes.part(from, most.min(bytes.len() - from));
            let (at, all) = (from as u64, bytes.len() as u64);
            let args = [a, b, c, d, e, f, (at >> 32) as i32, at as i32, (all >> 32) as i32, all as i32];
            self.job.am_request(self.team.job_rank(to), table::COLL_BLOCK, Payload::Medium(piece), &args);
        }
        true
    }
}

/// An operation of this thread, with one piece started.
pub(super) fn fresh() -> &'static Op {
    let op = event::mine().explicit();
    op.start(Kind::Put);
    op
}

impl Job {
    /// Starts a collective on `team`.
    pub fn coll_start(&self, team: &'static Team, steps: Box<dyn Steps>) -> Handle {
        self.coll_begin(team, steps).map_or(Handle::DONE, Op::hand_out)
    }

    /// Starts a collective on `team` and waits for its end.
    pub fn coll_run(&self, team: &'static Team, steps: Box<dyn Steps>) {
        if let Some(op) = self.coll_begin(team, steps) {
            self.wait_own(op);
        }
    }

    /// None if it is complete already.
    fn coll_begin(&self, team: &'static Team, steps: Box<dyn Steps>) -> Option<&'static Op> {
        self.coll_begin_on(team, steps, fresh)
    }

    /// As `coll_begin`, as a piece that `op` has started of what it gives.
    pub(super) fn coll_begin_on(
        &self,
        team: &'static Team,
        mut steps: Box<dyn Steps>,
        op: impl FnOnce() -> &'static Op,
    ) -> Option<&'static Op> {
        let desk = Desk { job: self, team, number: team.collectives.fetch_add(1, Ordering::Relaxed), phase: 0 };
        if steps.step(&desk) {
            return None;
        }
        let op = op();
        op.set_collective(team.id(), desk.number, steps.name());
        let engine = &self.coll.engine;
        let mut tables = engine.tables.lock();
        let key = desk.key();
        tables.running.insert(key, Running { steps: Some(steps), team, op, is_ready: false });
        // Something may have come since the step.
        engine.stir(&mut tables, key);
        drop(tables);
        self.coll_progress();
        Some(op)
    }

    /// Moves collectives on; how many steps that were.
    pub fn coll_progress(&self) -> u32 {
        let engine = &self.coll.engine;
        let mut steps = self.near_progress();
        // Whoever takes steps also takes those that come up meanwhile, and looks again after letting others in.
        while engine.waiting.load(Ordering::Relaxed) != 0 {
            let Some(alone) = engine.step_turned.enter(|| engine.stepping.try_lock()) else { break };
            while let Some((key, running)) = engine.next() {
                self.coll_step(key, running);
                steps += 1;
            }
            drop(alone);
            self.left(&engine.step_turned, false);
        }
        steps
    }

    fn near_progress(&self) -> u32 {
        let engine = &self.coll.engine;
        if engine.near_count.load(Ordering::Relaxed) == 0 {
            return 0;
        }
        let Some(mut list) = engine.near_turned.enter(|| engine.near.try_lock()) else { return 0 };
        let mut finished = 0;
        list.retain(|near| {
            let (count, idle) = near.step(self);
            finished += count;
            !idle
        });
        engine.count(&engine.near_count, list.len());
        drop(list);
        self.left(&engine.near_turned, finished != 0);
        finished
    }

    fn coll_step(&self, key: Key, running: Running) {
        let Running { steps: Some(mut steps), team, op, .. } = running else { return };
        let done = steps.step(&Desk { job: self, team, number: key.number, phase: 0 });
        let mut tables = self.coll.engine.tables.lock();
        if done {
            tables.running.remove(&key);
            drop(tables);
            op.finish(Kind::Put);
            if self.settings.concurrent() {
                self.wake_local();
            }
        } else if let Some(running) = tables.running.get_mut(&key) {
            running.steps = Some(steps);
        }
    }
}

fn whole(high: i32, low: i32) -> u64 {
    u64::from(high as u32) << 32 | u64::from(low as u32)
}

fn names(args: &[i32]) -> (Key, Tag) {
    let key = Key { team: whole(args[0], args[1]), number: args[2] as u32, member: args[3] as u32 };
    (key, Tag { peer: args[4] as u32, step: args[5] as u32 })
}

/// Request: rank (args 4) of team (args 0, 1) has come to step (args 5) of collective (args 2); to member (args 3).
pub fn on_signal(_token: &Token, msg: Msg<'_>) {
    let (key, tag) = names(msg.args);
    let engine = &job().coll.engine;
    let mut tables = engine.tables.lock();
    tables.arrived.insert((key, tag), Arrival { place: Place::Nowhere, got: 0, all: Some(0) });
    engine.stir(&mut tables, key);
}

/// Request: as a signal, with bytes at (args 6, 7) of (args 8, 9).
pub fn on_block(_token: &Token, msg: Msg<'_>) {
    let (key, tag) = names(msg.args);
    let (at, all) = (whole(msg.args[6], msg.args[7]) as usize, whole(msg.args[8], msg.args[9]) as usize);
    let engine = &job().coll.engine;
    let mut tables = engine.tables.lock();
    let entry = tables.arrived.entry((key, tag));
    let arrival = entry.or_insert_with(|| Arrival { place: Place::Kept(Buffer::new(all)), got: 0, all: None });
    if let Place::Nowhere = arrival.place {
        arrival.place = Place::Kept(Buffer::new(all));
    }
    arrival.all = Some(all);
    let piece = amref::payload(&msg);
    let dst = match &mut arrival.place {
        Place::Given(dst) if dst.len() != all => {
            fatal!(
                "collective {}: rank {} of the team sends {all} bytes where {} are expected; do all ranks call the same with the same sizes?",
                key.number,
                tag.peer,
                dst.len()
            )
        }
        Place::Given(dst) => *dst,
        Place::Kept(bytes) => bytes.dst(),
        Place::Nowhere => return,
    };
    mem::copy(dst.part(at, msg.nbytes), piece);
    arrival.got += msg.nbytes;
    if arrival.is_whole() {
        engine.stir(&mut tables, key);
    }
}
