//! Ranks that are killed in the middle of messages, while the other ranks of the job go on. The warden would end the job of a
//! rank that dies, so a mortal rank is a child of the process that the warden watches. That process only waits for it,
//! reports its death, and leaves with the others. Without a harness, since this program also runs as the ranks of its jobs.
#![allow(clippy::disallowed_methods)]

use core::ffi::{c_char, c_int, c_void};
use core::ptr::null_mut;
use std::process::{Command, Stdio, exit};
use std::time::{Duration, Instant};

use gasnet::internal::abi::client::{gasnet_attach, gasnet_handlerentry_t};
use gasnet::internal::abi::exit::gasnet_exit;
use gasnet::internal::abi::init::{gasneti_client_record_t, gasneti_init};
use gasnet::internal::am::token::Token;
use gasnet::internal::coll::near::ArenaPart;
use gasnet::internal::defs::message::Payload;
use gasnet::internal::defs::rank::{HostRank, JobRank, NodeRank};
use gasnet::internal::job::{Job, job};
use gasnet::internal::mem::Src;
use gasnet::internal::nbrhd::SENDERS;
use gasnet::internal::nbrhd::ring::Producer;
use gasnet::internal::os::process::{self, Forked};
use gasnet::internal::os::shm;
use gasnet::internal::settings::ABI_NUMBER;
use gasnet::internal::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use gasnet::internal::team::{self, SplitArgs, Team};

const SURVIVORS: u32 = 3;
const RANKS: u32 = 5;
/// The rank that kills itself, with claims in every ring that it sends to.
const CLAIMS: u32 = 3;
/// The rank that is killed at a random moment.
const KILLED: u32 = 4;
/// Messages of each kind that a survivor's thread sends to each other rank after it knows of both deaths.
const AFTER: u32 = 200;
/// Bytes of payloads: beside the arguments, and in blocks of each class.
const SIZES: [usize; 4] = [48, 1000, 8000, 40_000];

const HIT: u8 = 200;
const DATA: u8 = 201;
const ANSWER: u8 = 202;

/// Memory that all processes of a job share.
#[derive(Default)]
struct Shared {
    is_dead: [AtomicBool; RANKS as usize],
    /// Messages of each kind that a survivor has sent to each other survivor; the highest bit: the number is final.
    sent: [AtomicU32; SURVIVORS as usize],
    /// The number of survivors that have reached each point of the run.
    came: [AtomicU32; 3],
}

const ALL: u32 = 1 << 31;

/// The messages received from a rank: their count, and the sum of their numbers.
#[derive(Default)]
struct Came {
    count: AtomicU32,
    sum: AtomicU64,
}

impl Came {
    fn count(&self, number: u32) {
        self.sum.fetch_add(number.into(), Ordering::Relaxed);
        self.count.fetch_add(1, Ordering::Release);
    }

    /// Whether the numbers 0 to `count` - 1 have arrived, each once.
    fn is_whole(&self, count: u32) -> bool {
        let all = u64::from(count) * u64::from(count.saturating_sub(1)) / 2;
        let came = self.count.load(Ordering::Acquire);
        assert!(came <= count, "{came} messages came of {count}");
        came == count && {
            assert_eq!(self.sum.load(Ordering::Relaxed), all);
            true
        }
    }
}

static CAME: [[Came; RANKS as usize]; 3] =
    [const { [const { Came { count: AtomicU32::new(0), sum: AtomicU64::new(0) } }; RANKS as usize] }; 3];

fn byte(number: u32, at: usize) -> u8 {
    (number as usize).wrapping_mul(31).wrapping_add(at.wrapping_mul(7)) as u8
}

fn payload(number: u32) -> Vec<u8> {
    let len = SIZES[number as usize % SIZES.len()];
    // Different bytes at both ends detect a block that was given to two messages.
    let mut bytes = vec![byte(number, 1); len];
    bytes[0] = byte(number, 0);
    bytes[len - 1] = byte(number, len - 1);
    bytes
}

/// # Safety
/// `token` is a handler's.
unsafe fn source(token: *mut c_void) -> JobRank {
    // SAFETY: the caller's contract.
    unsafe { &*token.cast::<Token>() }.source()
}

unsafe extern "C" fn on_hit(token: *mut c_void, number: c_int) {
    // SAFETY: the library calls handlers with tokens.
    CAME[0][unsafe { source(token) }.index()].count(number as u32);
}

unsafe extern "C" fn on_data(token: *mut c_void, at: *mut c_void, nbytes: usize, number: c_int) {
    // SAFETY: the library calls handlers with tokens, and payloads that may be read.
    let (from, got) = unsafe { (source(token), core::slice::from_raw_parts(at.cast::<u8>(), nbytes)) };
    let number = number as u32;
    assert!(*got == *payload(number), "message {number} of rank {} is torn", from.0);
    CAME[1][from.index()].count(number);
    // SAFETY: as above.
    let token = unsafe { &*token.cast::<Token>() };
    token.reply(ANSWER, Payload::Medium(Src::of(&payload(number))), &[number as i32]);
}

unsafe extern "C" fn on_answer(token: *mut c_void, at: *mut c_void, nbytes: usize, number: c_int) {
    // SAFETY: as above.
    let (from, got) = unsafe { (source(token), core::slice::from_raw_parts(at.cast::<u8>(), nbytes)) };
    assert!(*got == *payload(number as u32), "the answer to {number} by rank {} is torn", from.0);
    CAME[2][from.index()].count(number as u32);
}

fn send(job: &Job, number: u32) {
    let bytes = payload(number);
    for to in (0..RANKS).filter(|&to| to != job.me.0).map(JobRank) {
        job.am_request(to, HIT, Payload::None, &[number as i32]);
        job.am_request(to, DATA, Payload::Medium(Src::of(&bytes)), &[number as i32]);
    }
}

/// Reports deaths to the library, in place of a detector.
fn watch(shared: &'static Shared) {
    let mut known = [false; RANKS as usize];
    std::thread::spawn(move || {
        while !known[CLAIMS as usize] || !known[KILLED as usize] {
            for (rank, known) in known.iter_mut().enumerate() {
                if !*known && shared.is_dead[rank].load(Ordering::Acquire) {
                    *known = true;
                    job().rank_died(HostRank(rank as u32));
                }
            }
            std::thread::sleep(Duration::from_micros(500));
        }
    });
}

/// Runs `body` on all threads that the job's thread mode allows.
fn on_threads(job: &Job, body: impl Fn(u32) + Sync) {
    let width = if job.settings.concurrent() { 2 } else { 1 };
    std::thread::scope(|scope| {
        let body = &body;
        (1..width).for_each(|thread| _ = scope.spawn(move || body(thread)));
        body(0);
    });
}

/// Sends messages of each kind, at most `most`, until the process is killed.
fn flood(job: &Job, most: u32) {
    let next = AtomicU32::new(0);
    on_threads(job, |_| {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= most {
                break;
            }
            send(job, number);
            job.poll();
        }
    });
}

/// Dies with claims without messages, as if many threads had died: in each ring of each survivor, of each length.
fn die_with_claims(job: &Job, seed: u32) -> ! {
    let mut intent = SENDERS;
    for to in 0..SURVIVORS {
        let inbox = job.nbrhd.inbox(NodeRank(to));
        for (ring, room) in [(&inbox.requests, &inbox.request_room), (&inbox.replies, &inbox.reply_room)] {
            for length in [1 + seed % 6, 1 + seed / 6 % 6] {
                intent -= 1;
                while ring.claim(length.into(), room, Producer::Announced(job.nbrhd.intent(intent))).is_none() {
                    job.poll();
                }
            }
        }
    }
    process::kill(process::pid(), libc::SIGKILL);
    unreachable!();
}

/// Runs in the process that the warden watches: its child takes part in the job as the rank, until it dies.
fn be_mortal(job: &'static Job, shared: &'static Shared, seed: u32) {
    let Ok(Forked::Parent(child)) = process::fork() else {
        // SAFETY: plain calls; the child ends with this process, however that ends.
        unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
        gasnet::internal::thread::forked();
        watch(shared);
        if job.me.0 == CLAIMS {
            flood(job, seed % 40);
            die_with_claims(job, seed);
        }
        flood(job, u32::MAX);
        unreachable!();
    };
    if job.me.0 == KILLED {
        std::thread::sleep(Duration::from_micros(u64::from(seed) * 7919 % 30_000));
        process::kill(child, libc::SIGKILL);
    }
    let mut status = 0;
    // SAFETY: a child of ours, and an int.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    assert!(libc::WIFSIGNALED(status) && libc::WTERMSIG(status) == libc::SIGKILL, "rank {}: {status:#x}", job.me.0);
    shared.is_dead[job.me.index()].store(true, Ordering::Release);
    while shared.came[2].load(Ordering::Acquire) != SURVIVORS {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The number of teams of all ranks for which this rank still has memory.
fn capacity(job: &Job) -> usize {
    let parts: Vec<ArenaPart> = core::iter::from_fn(|| job.near_reserve(RANKS as usize)).collect();
    parts.iter().for_each(|&part| job.near_settle(Some(part), None));
    parts.len()
}

fn all_survivors_come(job: &Job, shared: &Shared, point: usize) {
    shared.came[point].fetch_add(1, Ordering::AcqRel);
    job.wait_until(|| shared.came[point].load(Ordering::Acquire) == SURVIVORS);
}

fn survive(job: &'static Job, shared: &'static Shared, teams: &[&'static Team], capacity_before: usize) {
    watch(shared);
    let next = AtomicU32::new(0);
    let both_dead = || [CLAIMS, KILLED].iter().all(|&rank| job.nbrhd.is_dead(NodeRank(rank)));
    on_threads(job, |_| {
        let mut after = 0;
        while after < AFTER {
            after += u32::from(both_dead());
            send(job, next.fetch_add(1, Ordering::Relaxed));
        }
    });
    let sent = next.load(Ordering::Relaxed);
    shared.sent[job.me.index()].store(sent | ALL, Ordering::Release);
    for from in (0..SURVIVORS).filter(|&from| from != job.me.0) {
        let theirs = || shared.sent[from as usize].load(Ordering::Acquire);
        job.wait_until(|| theirs() & ALL != 0);
        job.wait_until(|| CAME[..2].iter().all(|kind| kind[from as usize].is_whole(theirs() & !ALL)));
        job.wait_until(|| CAME[2][from as usize].is_whole(sent));
    }
    // All messages have arrived, so that nothing is in flight and no block is in use.
    all_survivors_come(job, shared, 0);
    assert_eq!(job.nbrhd.own().pool.in_use(), 0);
    job.wait_until(|| !job.nbrhd.stirred());
    assert!(job.nbrhd.own().requests.claimed() > 0);
    assert!(capacity(job) < capacity_before);
    teams.iter().for_each(|&team| job.team_end("team_end", team));
    all_survivors_come(job, shared, 1);
    assert_eq!(capacity(job), capacity_before);
    all_survivors_come(job, shared, 2);
}

/// One rank of a job.
fn rank(threads: u8, seed: u32) -> ! {
    gasnet::internal::am::deaths::outlive();
    let bytes = size_of::<Shared>().next_multiple_of(shm::PAGE);
    // SAFETY: zeroed, shared with processes that are forked later, mapped for good; zero is valid for atomics.
    let shared: &'static Shared = unsafe { &*shm::anonymous(bytes).unwrap().cast() };
    let record = gasneti_client_record_t {
        abi: ABI_NUMBER,
        threads,
        debug: 0,
        segment: 1,
        heap: 0,
        conduit: c"smp".as_ptr().cast::<c_char>(),
        file: c"survivors.rs".as_ptr().cast::<c_char>(),
    };
    let entry = |index: u8, handler: *const ()| gasnet_handlerentry_t { index, fnptr: handler.cast_mut().cast() };
    let mut handlers =
        [entry(HIT, on_hit as *const ()), entry(DATA, on_data as *const ()), entry(ANSWER, on_answer as *const ())];
    // SAFETY: one record; no arguments; a table of handlers that match the messages.
    unsafe {
        let first = &raw const record;
        assert_eq!(gasneti_init(null_mut(), null_mut(), first, first.add(1)), 0);
        assert_eq!(gasnet_attach(handlers.as_mut_ptr(), handlers.len() as c_int, 0, 0), 0);
        // If the job hangs, the alarm kills this rank, and the warden ends the job.
        libc::alarm(100);
    }
    let job = job();
    let capacity = capacity(job);
    // One team in the memory of each rank.
    let parent = team::primordial().unwrap();
    let key = |first: u32| ((job.me.0 + RANKS - first) % RANKS) as i32;
    let teams: Vec<_> = (0..RANKS)
        .map(|first| job.team_split(parent, Some(SplitArgs { color: 0, key: key(first) })).unwrap())
        .collect();
    assert!(teams.iter().all(|team| team.near().is_some()));
    job.barrier_inside("survivors");
    if job.me.0 < SURVIVORS {
        survive(job, shared, &teams, capacity)
    } else {
        be_mortal(job, shared, seed)
    }
    gasnet_exit(0)
}

/// The time limit of a job, after which it is killed in spite of its own alarm.
const LIMIT: Duration = Duration::from_secs(150);

fn run(threads: u8, seed: u32) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GASNET_")) {
        command.env_remove(name);
    }
    command.args(["rank", &threads.to_string(), &seed.to_string()]).stdin(Stdio::null());
    command.env("GASNET_PSHM_NODES", RANKS.to_string()).env("GASNET_MAX_SEGSIZE", "1M");
    let started = Instant::now();
    let mut child = command.spawn().unwrap();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if started.elapsed() > LIMIT {
            child.kill().unwrap();
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    assert!(status.success(), "a job of {threads} (1 SEQ, 3 PAR), seed {seed}: {status}");
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [word, threads, seed] = &words[..] {
        if word == "rank" {
            rank(threads.parse().unwrap(), seed.parse().unwrap());
        }
    }
    if words.iter().any(|word| word == "--list") {
        exit(0);
    }
    let seed = std::env::var("SURVIVORS_SEED").ok().and_then(|seed| seed.parse().ok());
    let runs = std::env::var("SURVIVORS_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(4);
    let first = seed.unwrap_or_else(|| (process::pid() as u32).wrapping_mul(7919));
    for run_number in 0..runs {
        for threads in [1, 3] {
            run(threads, first.wrapping_add(run_number * 104_729) % 1_000_000);
        }
    }
    println!(
        "test survivors_get_every_message_and_every_block ... ok ({runs} jobs SEQ, {runs} PAR, first seed {first})"
    );
}
