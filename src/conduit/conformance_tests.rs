//! The conformance tests of conduits, over a pair of ranks in one process; each conduit's own tests run them. Each
//! sentence of the contract (mod.rs) has a test here; waits and leaving are in `conformance_ends_tests.rs`, transfers,
//! atomics and misuse that ends the job in `conformance_memory_tests.rs`, threads that call everything at once in
//! `conformance_threads_tests.rs`, collectives in `conformance_collectives_tests.rs`.

use std::sync::Mutex;

use super::conformance_collectives_tests as collectives;
use super::conformance_ends_tests as ends;
use super::conformance_memory_tests as memory;
use super::conformance_threads_tests as threads;
use super::shared::registrations::{Registered, Registrations};
use super::{
    AmHeader, AmMsg, Arrived, Completion, Conduit, Deliver, Envelope, LocalMem, MemKind, OpToken, Payload, Sent, Take,
    Traffic,
};
use crate::defs::rank::{JobRank, Location};
use crate::mem::{self, Dst, RemoteAddr, Src};
use crate::sync::atomic::{AtomicBool, Ordering};

/// A message that has arrived.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Got {
    from: JobRank,
    traffic: Traffic,
    handler: u8,
    envelope: Envelope,
    args: Vec<i32>,
    bytes: Vec<u8>,
}

/// The endpoint besides the first one that has a segment.
pub(crate) const SECOND: u16 = 5;

/// A rank above a conduit: records the messages and completions delivered to it; owns the segments of two endpoints.
pub(crate) struct Rank {
    pub conduit: &'static dyn Conduit,
    pub me: JobRank,
    segments: Mutex<[Dst<'static>; 2]>,
    pub registrations: Registrations,
    got: Mutex<Vec<Got>>,
    done: Mutex<Vec<(u64, Completion)>>,
    /// Its handlers of requests reply.
    answers: AtomicBool,
}

impl Deliver for Rank {
    fn am(&self, from: JobRank, header: &AmHeader<'_>, payload: Arrived<'_>) {
        let bytes = match payload {
            Arrived::None => Vec::new(),
            Arrived::Medium(place) => {
                assert!(place.as_ptr().addr() % 16 == 0);
                copy_of(place.as_src())
            }
            Arrived::Long(place) => copy_of(place.as_src()),
        };
        let AmHeader { traffic, handler, envelope, args } = *header;
        self.got.lock().unwrap().push(Got { from, traffic, handler, envelope, args: args.to_vec(), bytes });
        if traffic == Traffic::Request && self.answers.load(Ordering::Relaxed) {
            let reply = AmHeader { traffic: Traffic::Reply, ..*header };
            let from = Location { rank: from, ep: header.envelope.to_ep() };
            while self.conduit.am(from, &AmMsg::plain(reply, Payload::None)) == Sent::Retry {
                self.poll(Take::Replies);
            }
        }
    }

    fn own(&self, at: RemoteAddr, len: usize) -> Option<Dst<'static>> {
        let segments = *self.segments.lock().unwrap();
        segments.into_iter().find_map(|segment| {
            let offset = at.0.checked_sub(segment.as_ptr().expose_provenance())?;
            (offset <= segment.len() && len <= segment.len() - offset).then(|| segment.part(offset, len))
        })
    }

    fn done(&self, token: OpToken, completion: Completion) {
        self.done.lock().unwrap().push((token.0, completion));
    }
}

pub(crate) fn copy_of(src: Src<'_>) -> Vec<u8> {
    let mut bytes = vec![0; src.len()];
    mem::read(&mut bytes, src);
    bytes
}

pub(crate) fn pattern(seed: usize, len: usize) -> Vec<u8> {
    (0..len).map(|at| (seed * 131 + at * 7 + (at >> 8)) as u8).collect()
}

/// A message with the arguments `args`.
pub(crate) fn message<'a>(traffic: Traffic, args: &'a [i32], payload: Payload<'a>) -> AmMsg<'a> {
    AmMsg::plain(AmHeader { traffic, handler: 200, envelope: Envelope::PLAIN, args }, payload)
}

impl Rank {
    pub(crate) fn segment(&self) -> Dst<'static> {
        self.segments.lock().unwrap()[0]
    }

    /// The segment of endpoint [`SECOND`].
    pub(crate) fn second(&self) -> Dst<'static> {
        self.segments.lock().unwrap()[1]
    }

    pub(crate) fn place(&self) -> Location {
        Location { rank: self.me, ep: 0 }
    }

    /// Registers `bytes` bytes at `start` for `ep`, if the conduit needs registered memory, and imports the key on `peers`.
    pub(crate) fn register(&self, ep: u16, start: usize, bytes: usize, peers: &[&Rank]) {
        if self.conduit.caps().registered {
            let (registration, key) = self.conduit.register(ep, start, bytes, MemKind::Host).unwrap();
            for peer in peers {
                peer.conduit.import(Location { rank: self.me, ep }, key.bytes()).unwrap();
            }
            self.registrations.add(Registered { ep, start, bytes, registration, key });
        }
    }

    /// A source that the conduit uses after the call has returned.
    pub(crate) fn source<'a>(&self, view: Src<'a>) -> LocalMem<Src<'a>> {
        self.registered(view.as_ptr().addr(), view.len());
        self.registrations.source(view)
    }

    fn destination<'a>(&self, view: Dst<'a>) -> LocalMem<Dst<'a>> {
        self.registered(view.as_ptr().addr(), view.len());
        self.registrations.destination(view)
    }

    fn registered(&self, start: usize, len: usize) {
        if self.registrations.find(start, len).is_none() {
            self.register(0, start, len, &[]);
        }
    }

    pub(crate) fn put(&self, to: &Rank, at: RemoteAddr, src: Src<'_>, stays: bool, token: OpToken) -> Sent {
        let src = if stays { self.source(src) } else { LocalMem::plain(src) };
        self.conduit.put(to.place(), at, src, stays, token)
    }

    pub(crate) fn get(&self, dst: Dst<'_>, from: &Rank, at: RemoteAddr, token: OpToken) -> Sent {
        self.conduit.get(self.destination(dst), from.place(), at, token)
    }

    pub(crate) fn base(&self) -> RemoteAddr {
        RemoteAddr(self.segment().as_ptr().expose_provenance())
    }

    pub(crate) fn poll(&self, take: Take) -> u32 {
        self.conduit.poll(self, take, 64)
    }

    pub(crate) fn count(&self, traffic: Traffic) -> usize {
        self.got.lock().unwrap().iter().filter(|got| got.traffic == traffic).count()
    }

    /// Sends `msg` to the endpoint that its envelope names.
    pub(crate) fn send(&self, to: &Rank, msg: &AmMsg<'_>) -> Sent {
        self.conduit.am(Location { rank: to.me, ep: msg.header.envelope.to_ep() }, msg)
    }

    /// Sends `msg` to `to`; both ranks poll until there is room.
    pub(crate) fn send_surely(&self, to: &Rank, msg: &AmMsg<'_>) {
        while self.send(to, msg) == Sent::Retry {
            both(self, to);
        }
    }

    /// As `send_surely`, while `to` does not poll.
    pub(crate) fn send_surely_alone(&self, to: &Rank, msg: &AmMsg<'_>) {
        while self.send(to, msg) == Sent::Retry {
            self.poll(Take::All);
        }
    }

    /// The first argument of each message that has arrived.
    pub(crate) fn first_arguments(&self) -> Vec<i32> {
        self.got.lock().unwrap().iter().map(|got| got.args[0]).collect()
    }

    /// Whether its handlers of requests reply.
    pub(crate) fn set_answers(&self, answers: bool) {
        self.answers.store(answers, Ordering::Relaxed);
    }

    /// Forgets the messages that have arrived.
    pub(crate) fn forget(&self) {
        self.got.lock().unwrap().clear();
    }

    /// The completions of `token` so far.
    pub(crate) fn completions(&self, token: OpToken) -> Vec<Completion> {
        self.done.lock().unwrap().iter().filter(|(of, _)| *of == token.0).map(|(_, completion)| *completion).collect()
    }

    pub(crate) fn has(&self, token: OpToken, completion: Completion) -> bool {
        self.completions(token).contains(&completion)
    }
}

pub(crate) fn both(a: &Rank, b: &Rank) {
    b.poll(Take::All);
    a.poll(Take::All);
}

/// Whether the directory of GASNET_SHIM_PATH, in which `make check` builds shims, has one whose name starts so. Else the test is skipped.
pub(crate) fn has_shim(start: &str) -> bool {
    let is_shim = |entry: std::fs::DirEntry| entry.file_name().to_string_lossy().starts_with(start);
    let dir = crate::env::str("GASNET_SHIM_PATH").and_then(|dir| std::fs::read_dir(dir).ok());
    let has = dir.is_some_and(|dir| dir.flatten().any(is_shim));
    if !has {
        eprintln!("skipped: GASNET_SHIM_PATH names no directory with {start}*.so");
    }
    has
}

/// `make` makes ranks 0 and 1 of a job of two; `loses`: the network loses messages, and lost ones are sent again only
/// while their sender polls.
pub(crate) fn run(loses: bool, make: impl Fn() -> [&'static dyn Conduit; 2]) {
    let pair = || {
        let pair = pair_of(make());
        // udp, which loses messages in these tests, makes no connections.
        if !loses {
            connect(&pair);
        }
        pair
    };
    if memory::misuses(&pair) {
        return;
    }
    let [a, b] = pair();
    every_kind_arrives_as_it_was_sent(&a, &b);
    a_full_conduit_says_retry_and_loses_nothing(&a, &b);
    replies_pass_where_requests_do_not(&a, &b);
    handlers_reply_and_poll_for_room(&a, &b);
    any_thread_sends_and_polls(&a, &b);
    a_poll_keeps_to_its_budget(&a, &b, loses);
    ends::a_wait_ends_for_a_message_and_for_the_bell(&a, &b);
    ends::what_is_held_back_leaves_before_a_sleep(&a, &b);
    memory::atomics_do_what_their_codes_say(&a, &b);
    memory::the_least_words_of_all_ranks_come_once(&a, &b);
    collectives::run(pair);
    if a.conduit.caps().put && a.conduit.caps().get {
        memory::puts_and_gets_complete_once(&a, &b);
        threads::any_thread_calls_any_function(&a, &b);
        memory::a_source_may_be_reused_from_local_completion_on(&a, &b);
        // Where nothing is lost, a peer that leaves is rarely too early.
        let mut pairs = (0..5).map(|_| pair());
        let serves = pairs.any(|[a, b]| ends::who_leaves_serves_its_peers_and_runs_no_handler(&a, &b) || loses);
        assert!(serves, "who leaves does not serve its peers");
        let [a, b] = pair();
        ends::operations_on_a_rank_that_is_gone_fail(&a, &b);
    }
}

/// For conduits whose puts and gets the target's polls serve: those polls return 1, though they deliver nothing.
pub(crate) fn polls_tell_that_they_serve(conduits: [&'static dyn Conduit; 2]) {
    let [a, b] = pair_of(conduits);
    let (put, get, mut word) = (OpToken(2), OpToken(1), [0u64]);
    let sent = pattern(1, 8);
    assert_ne!(a.put(&b, b.base(), Src::of(&sent), false, put), Sent::Retry);
    assert!(polls_until(&a, &b, put) > 0, "a put is served, and no poll says so");
    assert_ne!(a.get(mem::all_of(&mut word), &b, b.base(), get), Sent::Retry);
    assert!(polls_until(&a, &b, get) > 0, "a get is served, and no poll says so");
    assert_eq!(word[0].to_ne_bytes(), sent[..]);
}

/// Both ranks poll until `a` has completed `token`; returns the sum of the results of `b`'s polls.
fn polls_until(a: &Rank, b: &Rank, token: OpToken) -> u32 {
    let mut sum = 0;
    while !a.has(token, Completion::Remote) {
        sum += b.poll(Take::All);
        a.poll(Take::All);
    }
    sum
}

/// Both ranks of a job of two; each has imported the keys of the other's segments.
fn pair_of(conduits: [&'static dyn Conduit; 2]) -> [Rank; 2] {
    let mut index = 0;
    let pair = conduits.map(|conduit| {
        let me = JobRank(index);
        index += 1;
        let segments =
            Mutex::new([1 << 17, 1 << 12].map(|words| mem::all_of(Box::leak(vec![0u64; words].into_boxed_slice()))));
        let (got, done, answers) = (Mutex::default(), Mutex::default(), AtomicBool::new(false));
        Rank { conduit, me, segments, registrations: Registrations::default(), got, done, answers }
    });
    for rank in &pair {
        for (ep, segment) in [(0, rank.segment()), (SECOND, rank.second())] {
            rank.register(ep, segment.as_ptr().expose_provenance(), segment.len(), &[&pair[0], &pair[1]]);
        }
    }
    pair
}

/// Exchanges a message in both directions: a network may connect two ranks with their first one, while both poll.
fn connect([a, b]: &[Rank; 2]) {
    for (from, to) in [(a, b), (b, a)] {
        from.send_surely(to, &message(Traffic::Request, &[0], Payload::None));
        while to.count(Traffic::Request) == 0 {
            both(a, b);
        }
        to.forget();
    }
}

fn every_kind_arrives_as_it_was_sent(a: &Rank, b: &Rank) {
    let limits = a.conduit.limits();
    let between = Envelope::between(63, SECOND);
    let envelopes = [Envelope::PLAIN, between, between.numbered(Some(9)), Envelope::PLAIN.numbered(Some(0))];
    for nargs in [0, 1, 2, 3, 7, 8, 15, 16] {
        let args: Vec<i32> = (0..nargs).map(|at| at * 1000 - 5).collect();
        for (turn, traffic) in [(0, Traffic::Request), (1, Traffic::Reply)] {
            let long = if traffic == Traffic::Request { limits.long_request } else { limits.long_reply };
            for (round, len) in [0, 1, 511, limits.medium, long.min(1 << 20)].into_iter().enumerate() {
                let bytes = pattern(len + nargs as usize, len);
                let payloads = [
                    Some(Payload::None),
                    (len <= limits.medium).then(|| Payload::Medium(Src::of(&bytes))),
                    (len < 1 << 20).then(|| Payload::Long(Src::of(&bytes), RemoteAddr(0))),
                ];
                for (index, payload) in payloads.into_iter().enumerate() {
                    let Some(payload) = payload else { continue };
                    // Combines all envelopes with every kind of message and number of arguments; lengths and classes vary.
                    let envelope = envelopes[(round + index + turn + nargs as usize) % envelopes.len()];
                    // In the segment of the endpoint that the envelope names.
                    let segment = if envelope.to_ep() == 0 { b.segment() } else { b.second() };
                    let payload = match payload {
                        Payload::Long(..) if len + 16 > segment.len() => continue,
                        Payload::Long(src, _) => {
                            Payload::Long(src, RemoteAddr(segment.as_ptr().expose_provenance() + nargs as usize))
                        }
                        payload => payload,
                    };
                    let header = AmHeader { traffic, handler: 200, envelope, args: &args };
                    a.send_surely(b, &AmMsg::plain(header, payload));
                    while b.count(traffic) == 0 {
                        both(a, b);
                    }
                    let bytes = if matches!(payload, Payload::None) { Vec::new() } else { bytes.clone() };
                    let want = Got { from: a.me, traffic, handler: 200, envelope, args: args.clone(), bytes };
                    assert_eq!(b.got.lock().unwrap().drain(..).collect::<Vec<_>>(), [want]);
                }
            }
        }
    }
}

/// Sends numbered messages until there is no room; returns how many.
fn fill(from: &Rank, to: &Rank, traffic: Traffic) -> usize {
    const MANY: usize = 1_000_000;
    let bytes = pattern(0, 500);
    let sent = (0..MANY).find(|&number| {
        let args = [number as i32];
        from.send(to, &message(traffic, &args, Payload::Medium(Src::of(&bytes)))) == Sent::Retry
    });
    sent.expect("there is no room after a million messages that the target does not poll for")
}

/// Returns the first arguments of the messages that have arrived, in order, and forgets the messages.
fn numbers(rank: &Rank, traffic: Traffic) -> Vec<i32> {
    let mut got = rank.got.lock().unwrap();
    let mut numbers: Vec<i32> = got.iter().filter(|got| got.traffic == traffic).map(|got| got.args[0]).collect();
    got.retain(|got| got.traffic != traffic);
    numbers.sort_unstable();
    numbers
}

fn a_full_conduit_says_retry_and_loses_nothing(a: &Rank, b: &Rank) {
    for _ in 0..3 {
        let sent = fill(a, b, Traffic::Request);
        assert!(sent > 0);
        while b.count(Traffic::Request) < sent {
            both(a, b);
        }
        assert_eq!(numbers(b, Traffic::Request), (0..sent as i32).collect::<Vec<_>>());
    }
}

fn replies_pass_where_requests_do_not(a: &Rank, b: &Rank) {
    let sent = fill(a, b, Traffic::Request);
    for _ in 0..10 {
        while a.send(b, &message(Traffic::Reply, &[0], Payload::None)) == Sent::Retry {
            b.poll(Take::Replies);
            a.poll(Take::Replies);
        }
    }
    while b.count(Traffic::Reply) < 10 {
        b.poll(Take::Replies);
        a.poll(Take::Replies);
    }
    assert_eq!(b.count(Traffic::Request), 0, "a poll for replies handed up requests");
    let finds_nothing = (0..10_000).any(|_| b.poll(Take::Replies) == 0);
    assert!(
        finds_nothing,
        "polls for replies count requests that stay in the queue: a handler that waits for room never pauses"
    );
    while b.count(Traffic::Request) < sent {
        both(a, b);
    }
    assert_eq!(numbers(b, Traffic::Request).len(), sent);
    assert_eq!(numbers(b, Traffic::Reply).len(), 10);
}

/// More requests and replies than there is room for.
fn handlers_reply_and_poll_for_room(a: &Rank, b: &Rank) {
    const MANY: i32 = 3000;
    b.set_answers(true);
    // A handler of `b` may wait for room that `a` gives back.
    let both_at_once = || {
        std::thread::scope(|scope| {
            let polls = scope.spawn(|| b.poll(Take::All));
            a.poll(Take::All);
            while !polls.is_finished() {
                a.poll(Take::All);
            }
        });
    };
    let args: [i32; 16] = core::array::from_fn(|at| at as i32);
    for number in 0..MANY {
        let args: Vec<i32> = core::iter::once(number).chain(args[1..].iter().copied()).collect();
        // `a` polls only when there is no room, so replies accumulate.
        while a.send(b, &message(Traffic::Request, &args, Payload::None)) == Sent::Retry {
            both_at_once();
        }
    }
    while a.count(Traffic::Reply) < MANY as usize {
        both_at_once();
    }
    b.set_answers(false);
    assert_eq!(numbers(b, Traffic::Request), (0..MANY).collect::<Vec<_>>());
    assert_eq!(numbers(a, Traffic::Reply), (0..MANY).collect::<Vec<_>>());
}

fn any_thread_sends_and_polls(a: &Rank, b: &Rank) {
    const THREADS: i32 = 3;
    const EACH: i32 = 400;
    let all = (THREADS * EACH) as usize;
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            for (from, to) in [(a, b), (b, a)] {
                scope.spawn(move || {
                    for number in 0..EACH {
                        let args = [thread * EACH + number];
                        while from.send(to, &message(Traffic::Request, &args, Payload::None)) == Sent::Retry {
                            from.poll(Take::All);
                        }
                        if number % 8 == 0 {
                            from.poll(Take::All);
                        }
                    }
                    while a.count(Traffic::Request) < all || b.count(Traffic::Request) < all {
                        from.poll(Take::All);
                        std::thread::yield_now();
                    }
                });
            }
        }
    });
    for rank in [a, b] {
        assert_eq!(numbers(rank, Traffic::Request), (0..all as i32).collect::<Vec<_>>());
    }
}

/// Many messages wait; no poll hands up more than its budget, and the rest comes with the next ones.
fn a_poll_keeps_to_its_budget(a: &Rank, b: &Rank, loses: bool) {
    const MANY: i32 = 20;
    for number in 0..MANY {
        a.send_surely_alone(b, &message(Traffic::Request, &[number], Payload::None));
    }
    for _ in 0..200 {
        assert!(b.conduit.poll(b, Take::All, 0) <= 1);
        a.poll(Take::All);
    }
    assert_eq!(b.count(Traffic::Request), 0, "a poll without budget handed up messages");
    let mut most = 0;
    while b.count(Traffic::Request) < MANY as usize {
        let before = b.count(Traffic::Request);
        let told = b.conduit.poll(b, Take::All, 3);
        let handed = b.count(Traffic::Request) - before;
        assert!(handed == told as usize || (handed, told) == (0, 1), "{told} of which {handed} are messages");
        assert!(told <= 3, "{told} with a budget of 3");
        most = most.max(told);
        a.poll(Take::All);
    }
    assert!(loses || most == 3, "{most}: nothing waited, so nothing was tested");
    assert_eq!(numbers(b, Traffic::Request), (0..MANY).collect::<Vec<_>>());
}
