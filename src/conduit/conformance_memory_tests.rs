//! Conformance tests (see `conformance_tests.rs`) of transfers and atomics, of the endpoints and registrations that they
//! name, and of misuse that ends the job.

use std::time::{Duration, Instant};

use super::conformance_tests::{Rank, SECOND, both, copy_of, message, pattern};
use super::{AmMsg, Atomic, Caps, Completion, GroupCollective, GroupId, LocalMem, OpToken, Payload, Sent, Traffic};
use crate::defs::rank::Location;
use crate::env;
use crate::mem::{self, Dst, RemoteAddr, Src};

/// Name of a misuse, part of the line with which the child process ends, and whether a conduit with these caps sees it.
type Misuse = (&'static str, &'static str, fn(Caps) -> bool);

const MISUSES: [Misuse; 9] = [
    ("put", "reaches for 9 bytes", |_| true),
    ("get", "reaches for 9 bytes", |_| true),
    ("long", "reaches for 9 bytes", |_| true),
    ("import", "key was not imported", |caps| caps.registered),
    ("source", "lie in no registration", |caps| caps.bounces()),
    ("destination", "do not lie in registration", |caps| caps.bounces()),
    ("forgotten", "key that is no longer valid", |caps| caps.bounces()),
    ("envelope", "has an envelope to endpoint", |caps| caps.bounces()),
    ("collective", "have entered different collectives", |caps| caps.bounces()),
];

/// The environment variable that tells a child process which misuse to commit.
const MISUSE: &str = "GASNET_TEST_MISUSE";

/// Runs each misuse in a child process, which must end with its line. Returns true in a child process that the misuse
/// did not end.
pub(crate) fn misuses(pair: &dyn Fn() -> [Rank; 2]) -> bool {
    if let Some(what) = env::raw(MISUSE) {
        let [a, b] = pair();
        misuse(&a, &b, &what);
        return true;
    }
    let [a, _] = pair();
    let caps = a.conduit.caps();
    let test = std::thread::current().name().unwrap().to_owned();
    for (what, says, exists) in MISUSES {
        if !caps.put || !caps.get || !exists(caps) {
            continue;
        }
        let mut child = std::process::Command::new(std::env::current_exe().unwrap());
        let child = child.args(["--exact", &test, "--nocapture"]).env(MISUSE, what).output().unwrap();
        let line = String::from_utf8_lossy(&child.stderr);
        assert!(!child.status.success() && line.contains(says), "{what}: {:?} {line}", child.status);
    }
    false
}

fn misuse(a: &Rank, b: &Rank, what: &str) {
    let bytes = pattern(1, a.conduit.limits().copied + 1);
    let few = LocalMem::plain(Src::of(&bytes[..9]));
    // One byte beyond the end of the segment.
    let outside = RemoteAddr(b.base().0 + b.segment().len() - 8);
    let place = mem::all_of(Box::leak(vec![0u64; 2].into_boxed_slice())).part(0, 9);
    let token = OpToken(8);
    let put = |to: Location, at, src, stays| _ = a.conduit.put(to, at, src, stays, token);
    match what {
        "put" => put(b.place(), outside, few, false),
        "get" => _ = a.get(place, b, outside, token),
        "long" => _ = a.send(b, &message(Traffic::Request, &[1], Payload::Long(few.view, outside))),
        "import" => put(Location { ep: 9, ..b.place() }, b.base(), few, false),
        "collective" => {
            for (rank, what) in [(a, GroupCollective::Barrier), (b, GroupCollective::Allgather)] {
                assert!(rank.conduit.group(GroupId(5), &[a.me, b.me]));
                rank.conduit.collect(GroupId(5), &what, 0, Src::none(), Dst::none(), token);
            }
        }
        "source" => put(b.place(), b.base(), LocalMem::plain(Src::of(&bytes)), true),
        "destination" => {
            let registration = a.registrations.source(a.segment().as_src()).registration;
            _ = a.conduit.get(LocalMem { view: place, registration }, b.place(), b.base(), token);
        }
        "forgotten" => {
            b.conduit.forget(b.registrations.remove(SECOND).unwrap());
            let at = RemoteAddr(b.second().as_ptr().expose_provenance());
            put(Location { ep: SECOND, ..b.place() }, at, few, false);
        }
        _ => _ = a.conduit.am(Location { ep: 1, ..b.place() }, &message(Traffic::Request, &[], Payload::None)),
    }
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(20) {
        both(a, b);
    }
}

/// Executes every offered operation, from both ranks, on a word of each; `a` and `b` in two threads at the same time.
pub(crate) fn atomics_do_what_their_codes_say(a: &Rank, b: &Rank) {
    // Bits of `GEX_DT_*` and `GEX_OP_*`; the result of each on 5 with operands 5 and 9, and whether the 5 is fetched.
    const U64: u32 = 1 << 3;
    let known = [
        (0x1, 5, false),
        (0x2, 5, false),
        (0x4, 0, false),
        (0x8, 10, false),
        (0x10, 0, false),
        (0x100, 6, false),
        (0x200, 4, false),
        (0x8000, 5, true),
        (0x1_0000, 5, true),
        (0x2_0000, 0, true),
        (0x20, 25, false),
        (0x40, 5, false),
        (0x80, 5, false),
        (0x10_0000, 25, true),
        (0x20_0000, 5, true),
        (0x40_0000, 5, true),
        (0x4_0000, 10, true),
        (0x8_0000, 0, true),
        (0x80_0000, 6, true),
        (0x100_0000, 4, true),
        (0x400, 5, false),
        (0x200_0000, 5, true),
        (0x800, 9, false),
        (0x400_0000, 9, true),
        (0x800_0000, 5, true),
    ];
    let offered = a.conduit.atomics(U64);
    let mut ops = 0;
    for (op, after, fetches) in known.into_iter().filter(|(op, ..)| offered & op != 0) {
        ops |= op;
        for (by, on) in [(a, b), (b, a), (a, a)] {
            let (word, found) = (on.second().part(64, 8), mem::all_of(Box::leak(vec![0u64; 1].into_boxed_slice())));
            mem::copy(word, Src::of(&5u64.to_ne_bytes()));
            let token = OpToken(1 << 30 | u64::from(op) << 3 | u64::from(by.me.0) << 1 | u64::from(on.me.0));
            let what = Atomic { dtype: U64, op, op1: 5, op2: 9 };
            start_atomic(by, on, &what, fetches.then_some(found), token, &|| both(by, on));
            while !by.has(token, Completion::Remote) {
                both(a, b);
            }
            assert_eq!(by.completions(token), [Completion::Remote]);
            assert_eq!(copy_of(word.as_src()), u64::to_ne_bytes(after), "{op:#x}");
            assert_eq!(copy_of(found.as_src()), u64::to_ne_bytes(if fetches { 5 } else { 0 }), "{op:#x}");
        }
    }
    assert_eq!(ops, offered, "an operation that is not tested");
    if offered & 0x8 == 0 {
        return;
    }
    const EACH: u64 = 300;
    mem::copy(b.second().part(64, 8), Src::of(&0u64.to_ne_bytes()));
    std::thread::scope(|scope| {
        for by in [a, b] {
            scope.spawn(move || {
                for number in 0..EACH {
                    let token = OpToken(1 << 40 | number << 3);
                    let what = Atomic { dtype: U64, op: 0x8, op1: 3, op2: 0 };
                    start_atomic(by, b, &what, None, token, &|| both(by, b));
                }
                while !(0..EACH).all(|number| a.has(OpToken(1 << 40 | number << 3), Completion::Remote))
                    || !(0..EACH).all(|number| b.has(OpToken(1 << 40 | number << 3), Completion::Remote))
                {
                    both(a, b);
                }
            });
        }
    });
    assert_eq!(copy_of(b.second().part(64, 8).as_src()), u64::to_ne_bytes(6 * EACH));
}

/// The ranks enter in turn: no rank has the result before both have entered, and each rank gets it once.
pub(crate) fn the_least_words_of_all_ranks_come_once(a: &Rank, b: &Rank) {
    if !a.conduit.caps().least_of_all {
        return;
    }
    for round in 0..50i64 {
        let (first, second) = if round % 2 == 0 { (a, b) } else { (b, a) };
        first.conduit.least_of_all([round, -round, i64::MAX], false);
        for _ in 0..20 {
            both(a, b);
            assert_eq!((a.conduit.least_taken(), b.conduit.least_taken()), (None, None));
        }
        second.conduit.least_of_all([5, -5, i64::MIN], false);
        for rank in [a, b] {
            let least = loop {
                match rank.conduit.least_taken() {
                    Some(least) => break least,
                    None => both(a, b),
                }
            };
            assert_eq!(least, [round.min(5), (-round).min(-5), i64::MIN]);
            both(a, b);
            assert_eq!(rank.conduit.least_taken(), None, "a result comes once");
        }
    }
}

/// Starts an atomic on the word at offset 64 of `on`'s second segment. `poll` is called while there is no room.
pub(crate) fn start_atomic(
    by: &Rank,
    on: &Rank,
    what: &Atomic,
    result: Option<mem::Dst<'_>>,
    token: OpToken,
    poll: &dyn Fn(),
) {
    let at = RemoteAddr(on.second().as_ptr().expose_provenance() + 64);
    let to = Location { rank: on.me, ep: SECOND };
    loop {
        match by.conduit.atomic(to, at, what, result, token) {
            Sent::Retry => poll(),
            Sent::Done => return crate::conduit::Deliver::done(by, token, Completion::Remote),
            sent => return assert_eq!(sent, Sent::Later),
        }
    }
}

/// A put and a get in the second endpoint's segment, with local memory that has no known registration.
fn the_endpoint_says_which_segment(a: &Rank, b: &Rank) {
    let to = Location { rank: b.me, ep: SECOND };
    let bytes = pattern(8, 700);
    let place = mem::all_of(Box::leak(vec![0u64; 88].into_boxed_slice())).part(0, 700);
    let at = RemoteAddr(b.second().as_ptr().expose_provenance() + 8);
    let (put, get) = (OpToken(1 << 21), OpToken(1 << 21 | 8));
    assert_ne!(a.conduit.put(to, at, LocalMem::plain(Src::of(&bytes)), false, put), Sent::Retry);
    while !a.has(put, Completion::Remote) {
        both(a, b);
    }
    assert_ne!(a.conduit.get(LocalMem::plain(place), to, at, get), Sent::Retry);
    while !a.has(get, Completion::Remote) {
        both(a, b);
    }
    assert_eq!(copy_of(place.as_src()), bytes);
}

pub(crate) fn puts_and_gets_complete_once(a: &Rank, b: &Rank) {
    the_endpoint_says_which_segment(a, b);
    let limits = a.conduit.limits();
    for (round, len) in [0, 1, 8, 1000, limits.copied, limits.piece].into_iter().enumerate() {
        let len = len.min(1 << 19);
        let sent = pattern(round, len);
        let mut back = vec![0u64; len.div_ceil(8)];
        let place = mem::all_of(&mut back).part(0, len);
        let (put, get) = (OpToken(64 * round as u64 + 2), OpToken(64 * round as u64 + 1));
        let at = RemoteAddr(b.base().0 + 64);
        let wait = |token, start: &mut dyn FnMut() -> Sent| {
            loop {
                match start() {
                    Sent::Retry => both(a, b),
                    sent => {
                        while sent != Sent::Done && !a.has(token, Completion::Remote) {
                            both(a, b);
                        }
                        return sent;
                    }
                }
            }
        };
        let copied = wait(put, &mut || a.put(b, at, Src::of(&sent), len > limits.copied, put));
        assert_eq!(copy_of(b.segment().part(64, len).as_src()), sent);
        let told = a.completions(put);
        match copied {
            Sent::Later => assert_eq!(told, [Completion::Local, Completion::Remote], "{len} bytes"),
            Sent::Copied => assert_eq!(told, [Completion::Remote], "{len} bytes"),
            _ => assert!(told.is_empty(), "{len} bytes"),
        }
        let later = wait(get, &mut || a.get(place, b, at, get));
        assert_eq!(copy_of(place.as_src()), sent);
        let want: &[_] = if later == Sent::Later { &[Completion::Remote] } else { &[] };
        assert_eq!(a.completions(get), want, "{len} bytes");
        both(a, b);
        assert_eq!(a.completions(put), told, "nothing comes after the last completion");
    }
}

/// Overwrites sources of puts and Longs that are not copied as soon as the contract allows it.
pub(crate) fn a_source_may_be_reused_from_local_completion_on(a: &Rank, b: &Rank) {
    let limits = a.conduit.limits();
    let at = RemoteAddr(b.base().0 + 128);
    for (round, len) in [1, 3000, limits.copied + 1, limits.long_request.min(200_000)].into_iter().enumerate() {
        let whole = pattern(round, len);
        for long in [false, true] {
            if long && len <= limits.copied || !long && len > limits.piece {
                continue;
            }
            let token = OpToken(1 << 20 | (round as u64) << 1 | u64::from(long));
            let source: &'static mut [u64] = Box::leak(vec![0u64; len.div_ceil(8)].into_boxed_slice());
            let source = mem::all_of(source).part(0, len);
            mem::copy(source, Src::of(&whole));
            let start = || match long {
                true => {
                    let msg = message(Traffic::Request, &[1], Payload::Long(source.as_src(), at));
                    let registration = a.source(source.as_src()).registration;
                    a.send(b, &AmMsg { token: Some(token), registration, ..msg })
                }
                false => a.put(b, at, source.as_src(), true, token),
            };
            let mut sent = start();
            while sent == Sent::Retry {
                both(a, b);
                sent = start();
            }
            while sent == Sent::Later && !a.has(token, Completion::Local) {
                both(a, b);
            }
            mem::copy(source, Src::of(&vec![0xee; len]));
            let arrived = || if long { b.count(Traffic::Request) > 0 } else { a.has(token, Completion::Remote) };
            while !arrived() && (long || sent != Sent::Done) {
                both(a, b);
            }
            assert!(copy_of(b.segment().part(128, len).as_src()) == whole, "{len} bytes, long: {long}");
            b.forget();
        }
    }
}
