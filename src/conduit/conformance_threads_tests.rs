//! Conformance tests (see `conformance_tests.rs`) of threads of both ranks that call every function at the same time.

use super::conformance_memory_tests::start_atomic;
use super::conformance_tests::{Rank, copy_of, message, pattern};
use super::{Atomic, Completion, MemKind, OpToken, Payload, Sent, Take, Traffic};
use crate::mem::{self, RemoteAddr, Src};
use crate::sync::atomic::{AtomicU32, Ordering};

const THREADS: u32 = 3;
const ROUNDS: u32 = 40;
/// `GEX_DT_U64` and `GEX_OP_ADD`.
const ADD: Atomic = Atomic { dtype: 1 << 3, op: 0x8, op1: 1, op2: 0 };

/// Each thread transfers to and from memory of its own, sends messages that are answered, adds to one word of the peer, and
/// registers and forgets memory. Each of its waits polls, so that it serves the peer; all transfers and messages arrive.
pub(crate) fn any_thread_calls_any_function(a: &Rank, b: &Rank) {
    let finished = AtomicU32::new(0);
    let adds = a.conduit.atomics(ADD.dtype) & ADD.op != 0;
    for rank in [a, b] {
        mem::copy(rank.second().part(64, 8), Src::of(&0u64.to_ne_bytes()));
        rank.set_answers(true);
    }
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            for (from, to) in [(a, b), (b, a)] {
                let finished = &finished;
                scope.spawn(move || {
                    for round in 0..ROUNDS {
                        do_everything(from, to, thread, round, adds);
                    }
                    finished.fetch_add(1, Ordering::Relaxed);
                    while finished.load(Ordering::Relaxed) < 2 * THREADS {
                        from.poll(Take::All);
                        std::thread::yield_now();
                    }
                });
            }
        }
    });
    let all = (THREADS * ROUNDS) as usize;
    for (rank, peer) in [(a, b), (b, a)] {
        while rank.count(Traffic::Request) < all || rank.count(Traffic::Reply) < all {
            rank.poll(Take::All);
            peer.poll(Take::All);
        }
        assert_eq!((rank.count(Traffic::Request), rank.count(Traffic::Reply)), (all, all));
        let sum = if adds { u64::from(THREADS * ROUNDS) } else { 0 };
        assert_eq!(copy_of(rank.second().part(64, 8).as_src()), sum.to_ne_bytes());
    }
    for rank in [a, b] {
        rank.set_answers(false);
        rank.forget();
    }
}

fn do_everything(from: &Rank, to: &Rank, thread: u32, round: u32, adds: bool) {
    const LEN: usize = 600;
    let token = |what: u64| OpToken(1 << 44 | u64::from(thread) << 32 | u64::from(round) << 8 | what << 4);
    let [put, get, add] = [1, 2, 3].map(token);
    let bytes = pattern((thread * ROUNDS + round) as usize, LEN);
    let mut back = vec![0u64; LEN.div_ceil(8)];
    let place = mem::all_of(&mut back).part(0, LEN);
    let at = RemoteAddr(to.base().0 + (200 << 10) + thread as usize * 4096);
    let surely = |start: &dyn Fn() -> Sent| {
        while start() == Sent::Retry {
            from.poll(Take::All);
        }
    };
    let complete = |token| {
        while !from.has(token, Completion::Remote) {
            from.poll(Take::All);
        }
    };
    surely(&|| from.put(to, at, Src::of(&bytes), false, put));
    let memory = [0u8; 64];
    if from.conduit.caps().registered {
        let start = memory.as_ptr().expose_provenance();
        let (registration, _) = from.conduit.register(9, start, memory.len(), MemKind::Host).unwrap();
        from.conduit.forget(registration);
    }
    complete(put);
    surely(&|| from.get(place, to, at, get));
    surely(&|| from.send(to, &message(Traffic::Request, &[1], Payload::Medium(Src::of(&bytes)))));
    if adds {
        start_atomic(from, to, &ADD, None, add, &|| _ = from.poll(Take::All));
        complete(add);
    }
    assert!(from.conduit.wake().iter().all(|fd| *fd >= -1));
    from.conduit.quiet_ns();
    complete(get);
    assert_eq!(copy_of(place.as_src()), bytes);
}
