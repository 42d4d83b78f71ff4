//! The library's self-tests, which a client may run inside its own job: every rank calls with the same arguments
//! after attach, with the handlers registered that abi/diag.rs offers. Each section compares the library's results
//! with the expected ones, on the requested number of threads, and counts the differences.
//!
//! # Safety
//! Views are made of this file's own buffers, which outlive them.
#![allow(unsafe_code, clippy::not_unsafe_ptr_arg_deref)]

use crate::am::token::Token;
use crate::barrier::names::{ANONYMOUS, Outcome};
use crate::defs::message::{Immediate, Payload};
use crate::defs::rank::{JobRank, Location};
use crate::event;
use crate::fatal;
use crate::hang::waits::Note;
use crate::job::Job;
use crate::mem::{Dst, RemoteAddr, Src, halves};
use crate::os::{clock, sleep};
use crate::rma::{Local, Track, amref};
use crate::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use crate::thread;
use core::ffi::c_void;
use std::collections::HashSet;
use std::fmt;
use std::sync::Mutex;

/// Most threads that run a section.
const MOST_THREADS: u32 = 64;
/// Most bytes that one transfer moves.
const MOST_BYTES: usize = 96 << 10;

/// The options of a run.
pub(crate) struct TestPlan<'a> {
    pub iters: u32,
    pub threads: u32,
    /// Letters of the sections to run; all if empty.
    pub sections: String,
    /// Address and size of every rank's segment.
    pub segments: &'a [(usize, usize)],
    /// Where the handlers of abi/diag.rs are in the client's table.
    pub handlers: Handlers,
}

/// The AM indices of requests and of their replies.
#[derive(Clone, Copy, Default)]
pub(crate) struct Handlers {
    pub ping_short: u8,
    pub ping_medium: u8,
    pub ping_long: u8,
    pub pong_short: u8,
    pub pong_medium: u8,
    pub pong_long: u8,
}

static ERRORS: AtomicU32 = AtomicU32::new(0);
static HANDLERS: Mutex<Handlers> = Mutex::new(NO_HANDLERS);
const NO_HANDLERS: Handlers =
    Handlers { ping_short: 0, ping_medium: 0, ping_long: 0, pong_short: 0, pong_medium: 0, pong_long: 0 };
/// Replies that came for each thread.
static REPLIES: [AtomicU64; MOST_THREADS as usize] = [const { AtomicU64::new(0) }; MOST_THREADS as usize];

fn wrong(what: fmt::Arguments<'_>) {
    // Relaxed: read after the threads have been joined.
    if ERRORS.fetch_add(1, Ordering::Relaxed) < 10 {
        fatal::line(&format!("ERROR: GASNet diagnostics: {what}"));
    }
}

fn expect<T: PartialEq + fmt::Debug>(got: T, want: T, what: &str) {
    if got != want {
        wrong(format_args!("{what}: {got:?}, not {want:?}"));
    }
}

/// Runs the sections that `plan` names and returns how many errors this rank found.
pub(crate) fn run(job: &Job, plan: &TestPlan<'_>) -> u32 {
    type Section = fn(&Job, &TestPlan<'_>);
    let sections: [(char, &str, Section); 8] = [
        ('A', "atomics", atomics),
        ('B', "thread numbers", thread_numbers),
        ('C', "clocks", clocks),
        ('D', "active messages", messages),
        ('E', "put and get", transfers),
        ('F', "put and get by active messages", reference_transfers),
        ('G', "memset and values", values),
        ('H', "barriers", barriers),
    ];
    ERRORS.store(0, Ordering::Relaxed);
    *HANDLERS.lock().unwrap_or_else(|e| e.into_inner()) = plan.handlers;
    for (letter, name, section) in sections {
        if plan.sections.is_empty() || plan.sections.to_ascii_uppercase().contains(letter) {
            job.barrier_inside("gasnett_run_diagnostics");
            if job.me.0 == 0 {
                fatal::line(&format!("GASNet diagnostics {letter}: {name}"));
            }
            section(job, plan);
        }
    }
    job.barrier_inside("gasnett_run_diagnostics");
    ERRORS.load(Ordering::Relaxed)
}

/// How many threads run a section here.
fn width(job: &Job, plan: &TestPlan<'_>) -> u32 {
    if !job.settings.concurrent() {
        return 1;
    }
    plan.threads.clamp(1, MOST_THREADS.min(thread::limit().saturating_sub(thread::live())).max(1))
}

/// Runs `body` on every thread of the plan. The main thread polls meanwhile, for ranks that are not done.
fn on_threads(job: &Job, plan: &TestPlan<'_>, body: impl Fn(u32) + Sync) {
    let width = width(job, plan);
    if width == 1 {
        return body(0);
    }
    std::thread::scope(|scope| {
        let body = &body;
        let threads: Vec<_> = (0..width).map(|id| scope.spawn(move || body(id))).collect();
        while !threads.iter().all(|thread| thread.is_finished()) {
            job.poll();
            sleep::yield_now();
        }
    });
}

/// Reproducible random numbers: xorshift64*.
struct Random(u64);

impl Random {
    fn new(job: &Job, thread: u32) -> Random {
        Random(0x9e37_79b9_7f4a_7c15 ^ u64::from(job.me.0 + 1) << 32 ^ u64::from(thread + 1))
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % limit.max(1)
    }
}

/// Byte `i` of the pattern that `seed` names.
fn pattern(seed: u32, i: usize) -> u8 {
    (seed.wrapping_mul(0x9e37_79b1) >> 24) as u8 ^ (i as u8).wrapping_mul(7) ^ (i >> 8) as u8
}

fn patterned(seed: u32, len: usize) -> Vec<u8> {
    (0..len).map(|i| pattern(seed, i)).collect()
}

/// A view of a buffer of our own, to receive into.
fn into(buf: &mut [u8]) -> Dst<'_> {
    // SAFETY: the slice is borrowed as long as the view lives.
    unsafe { Dst::new(buf.as_mut_ptr().cast(), buf.len()) }
}

// --- sections -------------------------------------------------------------------------------------------------

fn atomics(job: &Job, plan: &TestPlan<'_>) {
    let (sum, swaps, most) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU32::new(u32::MAX));
    on_threads(job, plan, |_| {
        for _ in 0..plan.iters {
            sum.fetch_add(3, Ordering::AcqRel);
            most.fetch_sub(1, Ordering::AcqRel);
            let mut old = swaps.load(Ordering::Acquire);
            while let Err(now) = swaps.compare_exchange(old, old + 1, Ordering::AcqRel, Ordering::Acquire) {
                old = now;
            }
        }
    });
    let times = u64::from(width(job, plan)) * u64::from(plan.iters);
    expect(sum.load(Ordering::Acquire), 3 * times, "sum of atomic additions");
    expect(swaps.load(Ordering::Acquire), times, "compare-and-swaps that succeeded");
    expect(most.load(Ordering::Acquire), u32::MAX.wrapping_sub(times as u32), "atomic subtractions");
}

fn thread_numbers(job: &Job, plan: &TestPlan<'_>) {
    let seen = Mutex::new(HashSet::new());
    let arrived = AtomicU32::new(0);
    let width = width(job, plan);
    on_threads(job, plan, |_| {
        let mine = thread::index();
        if !seen.lock().unwrap_or_else(|e| e.into_inner()).insert(mine) {
            wrong(format_args!("two threads have number {mine}"));
        }
        // Numbers are given again when a thread ends: all must be here at once.
        arrived.fetch_add(1, Ordering::AcqRel);
        while arrived.load(Ordering::Acquire) < width {
            sleep::yield_now();
        }
        for _ in 0..plan.iters {
            expect(thread::index(), mine, "this thread's number");
        }
    });
}

fn clocks(job: &Job, plan: &TestPlan<'_>) {
    on_threads(job, plan, |_| {
        let mut last = clock::ticks_now();
        for _ in 0..plan.iters {
            let now = clock::ticks_now();
            if now < last {
                wrong(format_args!("ticks fell from {last} to {now}"));
            }
            last = now;
        }
    });
    let (from, ns) = (clock::ticks_now(), clock::clock_ns(libc::CLOCK_MONOTONIC_RAW));
    clock::sleep_ns(2_000_000);
    let (to, later) = (clock::ticks_now(), clock::clock_ns(libc::CLOCK_MONOTONIC_RAW));
    // One of the two pairs of readings may have been interrupted; a wrong rate would be off by far more.
    if clock::ticks_to_ns(to - from) > 10 * (later - ns)
        || later - ns > 1_000_000_000 + 10 * clock::ticks_to_ns(to - from)
    {
        wrong(format_args!("{} ticks were {} ns", to - from, later - ns));
    }
}

/// A rank whose requests come to this one alone: each rank asks the next.
fn partner(job: &Job) -> JobRank {
    JobRank((job.me.0 + 1) % job.size)
}

/// The part of `rank`'s segment that belongs to `part` of `parts`: address and length.
fn share(plan: &TestPlan<'_>, rank: JobRank, part: u32, parts: u32) -> (usize, usize) {
    let (base, size) = plan.segments[rank.index()];
    let each = (size / parts as usize).min(MOST_BYTES) & !63;
    (base + each * part as usize, each)
}

fn messages(job: &Job, plan: &TestPlan<'_>) {
    let handlers = plan.handlers;
    if handlers.ping_short == 0 {
        return wrong(format_args!("the handlers of gasnett_diagnostic_gethandlers are not registered"));
    }
    let (to, width) = (partner(job), width(job, plan));
    on_threads(job, plan, |id| {
        let mut random = Random::new(job, id);
        for round in 0..plan.iters {
            let seed = random.below(1 << 30) as u32;
            let goal = REPLIES[id as usize].load(Ordering::Acquire) + 3;
            job.am_request(to, handlers.ping_short, Payload::None, &[id as i32, seed as i32]);
            let medium = patterned(seed, random.below(job.limits.medium.min(MOST_BYTES) >> (round % 8)));
            job.am_request(to, handlers.ping_medium, Payload::Medium(Src::of(&medium)), &[id as i32, seed as i32]);
            // Requests land in the first half of the shares, replies in the second.
            let (there, room) = share(plan, to, id, 2 * width);
            let (here, back) = share(plan, job.me, width + id, 2 * width);
            let most = room.min(back).min(job.limits.long_request).min(job.limits.long_reply);
            let long = patterned(seed, random.below(most + 1) >> (round % 8));
            let [high, low] = halves(here);
            let args = [id as i32, seed as i32, high, low];
            job.am_request(to, handlers.ping_long, Payload::Long(Src::of(&long), RemoteAddr(there)), &args);
            // Acquire: with the Release in `count_reply`.
            job.wait_for(|| Note::Start, || REPLIES[id as usize].load(Ordering::Acquire) >= goal);
        }
    });
}

/// Checks a payload against the pattern of `seed`.
fn check_payload(what: &str, seed: u32, buf: *const c_void, nbytes: usize) {
    let bytes = buf.cast::<u8>();
    // SAFETY: a handler's payload has `nbytes` readable bytes while the handler runs.
    if let Some(i) = (0..nbytes).find(|&i| unsafe { bytes.add(i).read_volatile() } != pattern(seed, i)) {
        wrong(format_args!("{what} of {nbytes} bytes differs from byte {i} on"));
    }
}

fn count_reply(thread: i32) {
    // Release: with the Acquire in `messages`, a thread that sees the count sees the data of the messages.
    REPLIES[thread as usize % REPLIES.len()].fetch_add(1, Ordering::Release);
}

fn handlers() -> Handlers {
    *HANDLERS.lock().unwrap_or_else(|e| e.into_inner())
}

/// The request handlers: check the received data and send them back.
pub(crate) fn on_ping_short(token: &Token, id: i32, seed: i32) {
    token.reply(handlers().pong_short, Payload::None, &[id, seed]);
}

pub(crate) fn on_ping_medium(token: &Token, buf: *const c_void, nbytes: usize, id: i32, seed: i32) {
    check_payload("Medium request", seed as u32, buf, nbytes);
    // SAFETY: the payload stays while the handler runs.
    let payload = unsafe { Src::new(buf, nbytes) };
    token.reply(handlers().pong_medium, Payload::Medium(payload), &[id, seed]);
}

pub(crate) fn on_ping_long(token: &Token, buf: *const c_void, nbytes: usize, id: i32, seed: i32, back: usize) {
    check_payload("Long request", seed as u32, buf, nbytes);
    // SAFETY: the payload is in this rank's segment, and its sender waits for the reply before it sends another.
    let payload = unsafe { Src::new(buf, nbytes) };
    token.reply(handlers().pong_long, Payload::Long(payload, RemoteAddr(back)), &[id, seed]);
}

/// The reply handlers.
pub(crate) fn on_pong(what: &str, payload: Option<(*const c_void, usize)>, id: i32, seed: i32) {
    if let Some((buf, nbytes)) = payload {
        check_payload(what, seed as u32, buf, nbytes);
    }
    count_reply(id);
}

fn transfers(job: &Job, plan: &TestPlan<'_>) {
    let (to, width) = (Location { rank: partner(job), ep: 0 }, width(job, plan));
    on_threads(job, plan, |id| {
        let (there, room) = share(plan, to.rank, id, width);
        let mut random = Random::new(job, id);
        for round in 0..plan.iters {
            let len = random.below(room + 1) >> (round % 10);
            let at = RemoteAddr(there + random.below(room - len + 1));
            let sent = patterned(round, len);
            let mut back = vec![0; len];
            match round % 3 {
                0 => {
                    job.put_blocking(to, at, Src::of(&sent));
                    job.get_blocking(into(&mut back), to, at);
                }
                1 => {
                    let put = job.put_start(Track::Explicit, to, at, Src::of(&sent), Local::Defer);
                    job.wait("gasnett_run_diagnostics", put);
                    let get = job.get_start(Track::Explicit, into(&mut back), to, at);
                    job.wait("gasnett_run_diagnostics", get);
                }
                _ => {
                    job.put_start(Track::Implicit, to, at, Src::of(&sent), Local::Now);
                    job.wait_implicit("gasnett_run_diagnostics", event::Which::PUTS);
                    job.get_start(Track::Implicit, into(&mut back), to, at);
                    job.wait_implicit("gasnett_run_diagnostics", event::Which::GETS);
                }
            }
            if sent != back {
                wrong(format_args!("round {round}: the bytes there are not those that were put ({len} bytes)"));
            }
        }
    });
}

fn reference_transfers(job: &Job, plan: &TestPlan<'_>) {
    let (to, width) = (Location { rank: partner(job), ep: 0 }, width(job, plan));
    on_threads(job, plan, |id| {
        let (there, room) = share(plan, to.rank, id, width);
        let mut random = Random::new(job, id);
        for round in 0..plan.iters {
            let len = random.below(room + 1) >> (round % 10);
            let at = RemoteAddr(there + random.below(room - len + 1));
            let sent = patterned(round, len);
            let mut back = vec![0; len];
            let op = event::mine().explicit();
            let local = if round % 2 == 0 { Local::Defer } else { Local::Now };
            amref::put(job, op, to, at, Src::of(&sent), local, Immediate::No);
            job.wait_own(op);
            let op = event::mine().explicit();
            amref::get(job, op, into(&mut back), to, at, Immediate::No);
            job.wait_own(op);
            if sent != back {
                wrong(format_args!(
                    "round {round}: by messages, the bytes there are not those that were put ({len} bytes)"
                ));
            }
        }
    });
}

fn values(job: &Job, plan: &TestPlan<'_>) {
    let (to, width) = (Location { rank: partner(job), ep: 0 }, width(job, plan));
    on_threads(job, plan, |id| {
        let (there, room) = share(plan, to.rank, id, width);
        let mut random = Random::new(job, id);
        for round in 0..plan.iters {
            let value = (random.below(1 << 30) as u64) << 32 | random.below(1 << 30) as u64;
            for nbytes in [1, 2, 4, 8] {
                if room >= 8 {
                    job.put_value(to, RemoteAddr(there), value, nbytes);
                    let mask = u64::MAX >> (64 - 8 * nbytes);
                    expect(job.get_value(to, RemoteAddr(there), nbytes), value & mask, "a value that was put");
                }
            }
            let len = random.below(room + 1) >> (round % 10);
            job.memset_blocking(to, RemoteAddr(there), round as u8, len);
            let mut back = vec![!(round as u8); len];
            job.get_blocking(into(&mut back), to, RemoteAddr(there));
            if back.iter().any(|&byte| byte != round as u8) {
                wrong(format_args!("round {round}: memset of {len} bytes missed some"));
            }
        }
    });
}

fn barriers(job: &Job, plan: &TestPlan<'_>) {
    const CALL: &str = "gasnett_run_diagnostics";
    for round in 0..plan.iters as i32 {
        // Named, anonymous, and a name that differs on rank 0.
        let odd_one = round % 3 == 2 && job.me.0 == 0;
        let (name, flags) = match round % 3 {
            1 => (0, ANONYMOUS),
            _ => (round + i32::from(odd_one), 0),
        };
        job.barrier_notify(CALL, name, flags);
        let met = job.barrier_wait(CALL, name, flags);
        let want = if round % 3 == 2 && job.size > 1 { Outcome::Mismatch } else { Outcome::Match };
        expect(met, want, "a barrier's outcome");
    }
}
