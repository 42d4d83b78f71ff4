//! Messages between the ranks of a job that are in one process: what arrives, in which order, and what does not go when there
//! is no room.
//!
//! # Safety
//! Handlers get their own token, and payloads that may be read. Segments stay mapped.
#![allow(unsafe_code)]

use core::ffi::c_void;
use std::cell::RefCell;
use std::sync::Once;

use crate::am::deferred::DEFERRED;
use crate::am::limits::{MOST_OWN_LONG, SHARED_LIMITS};
use crate::am::poll::WORK;
use crate::am::token::Token;
use crate::am::wait::{NAP_NS, Wait};
use crate::am::{dispatch, limits, wire};
use crate::conduit::{Completion, Deliver};
use crate::defs::message::{AmHeader, Arrived, Category, Envelope, Immediate, OpToken, Payload, Traffic};
use crate::defs::rank::{JobRank, Location};
use crate::endpoint::table::{Any, Entry, PRIMORDIAL};
use crate::endpoint::{self, capability};
use crate::event::{self, PieceKind};
use crate::hang::board::Board;
use crate::hang::waits::Note;
use crate::job::Job;
use crate::job::several_tests::{MEDIUM, Several, several, several_debug};
use crate::mem::{self, Dst, RemoteAddr, Src};
use crate::nbrhd::ring::MAX_SLOTS;
use crate::os::sleep;
use crate::settings::Threads;
use crate::sync::atomic::Ordering;

pub(super) const SHORT: u8 = 200;
pub(super) const DATA: u8 = 201;

pub(super) const REQUEST: Traffic = Traffic::Request;
pub(super) const REPLY: Traffic = Traffic::Reply;

/// A message as its handler saw it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Seen {
    pub from: Location,
    pub to: u16,
    pub request: bool,
    pub category: Category,
    pub args: [i32; 2],
    pub payload: Vec<u8>,
    pub at: usize,
}

thread_local! {
    static SEEN: RefCell<Vec<Seen>> = const { RefCell::new(Vec::new()) };
}

fn note(token: *mut c_void, index: u8, args: [i32; 2], at: usize, payload: Vec<u8>) {
    // SAFETY: the module's paragraph.
    let token = unsafe { &*token.cast::<Token>() };
    assert!(token.is_live() && token.index() == index);
    let (from, to, request, category) = (token.source_location(), token.ep(), token.is_request(), token.category());
    assert_eq!(from.rank, token.source());
    SEEN.with_borrow_mut(|seen| seen.push(Seen { from, to, request, category, args, payload, at }));
}

extern "C" fn on_short(token: *mut c_void, a: i32, b: i32) {
    note(token, SHORT, [a, b], 0, Vec::new());
}

extern "C" fn on_data(token: *mut c_void, at: *mut c_void, nbytes: usize, a: i32, b: i32) {
    let mut payload = vec![0; nbytes];
    // SAFETY: the module's paragraph.
    mem::read(&mut payload, unsafe { Src::new(at, nbytes) });
    note(token, DATA, [a, b], at as usize, payload);
}

fn entries() -> [Entry; 2] {
    [Entry::plain(SHORT, on_short as *const () as usize), Entry::plain(DATA, on_data as *const () as usize)]
}

pub(super) fn seen() -> Vec<Seen> {
    SEEN.take()
}

pub(super) fn ranks(count: u32, slots: usize) -> Several {
    static HANDLERS: Once = Once::new();
    HANDLERS.call_once(|| PRIMORDIAL.register(&mut entries(), Any::Lowest).expect("free"));
    seen();
    several(count, Threads::Seq, slots)
}

pub(super) fn at(rank: u32) -> Location {
    Location { rank: JobRank(rank), ep: 0 }
}

pub(super) fn header(traffic: Traffic, handler: u8, args: &[i32]) -> AmHeader<'_> {
    AmHeader { traffic, handler, envelope: Envelope::PLAIN, args }
}

pub(super) fn noise(len: usize) -> Vec<u8> {
    (0..len).map(|at| (at * 7 + at / 251) as u8).collect()
}

/// Sends a Short with the arguments `number` and 0, without waiting for room.
pub(super) fn short(job: &Job, to: u32, traffic: Traffic, number: i32) -> bool {
    job.am_send_any(at(to), header(traffic, SHORT, &[number, 0]), Payload::None, Immediate::Yes)
}

/// A poll of `job` while another rank has deferred messages, which are the process's: a poll of any rank sends them.
fn take(job: &Job) -> u32 {
    job.poll_everything()
}

fn numbers() -> Vec<i32> {
    seen().iter().map(|seen| seen.args[0]).collect()
}

/// Messages that a rank has sent to another one, that arrived there, and that were handled.
fn counts(from: u32, to: u32, traffic: Traffic) -> [u32; 3] {
    let board = Board::get().expect("there is one");
    let (sent, came) = (board.sums(from, to), board.sums(to, from));
    [sent.sent, came.taken, came.handled].map(|of| of[traffic as usize])
}

#[test]
fn messages_arrive_as_they_were_sent() {
    let ranks = ranks(3, 64);
    let starts = ranks.attach(1 << 17);
    let (a, b) = (ranks.jobs[2], ranks.jobs[0]);
    for traffic in [REQUEST, REPLY] {
        let before = counts(2, 0, traffic);
        let request = traffic == REQUEST;
        let send = |handler, payload: Payload<'_>, args: &[i32]| match request {
            true => a.am_request_at(0, at(0), handler, || payload, args, Immediate::No),
            false => a.am_reply(0, at(0), handler, || payload, args, Immediate::No),
        };
        let [first, inline] = [1, MAX_SLOTS].map(|slots| wire::most_in(slots, Envelope::PLAIN, 2));
        let mut messages = 1;
        assert!(send(SHORT, Payload::None, &[5, -6]));
        assert_eq!(counts(2, 0, traffic), [before[0] + 1, before[1], before[2]]);
        assert_eq!((a.poll(), b.poll(), b.poll()), (0, 1, 0));
        let base =
            Seen { from: at(2), to: 0, request, category: Category::Short, args: [5, -6], payload: Vec::new(), at: 0 };
        assert_eq!(seen(), core::slice::from_ref(&base));
        for len in [0, 1, 8, first, first + 1, inline, inline + 1, 1024, 1025, 8192, 8193, 65_536] {
            let bytes = noise(len);
            assert!(send(DATA, Payload::Medium(Src::of(&bytes)), &[5, -6]));
            assert!(send(DATA, Payload::Long(Src::of(&bytes), RemoteAddr(starts[0] + 64)), &[7, 8]));
            assert_eq!(b.poll(), 2);
            messages += 2;
            let got = seen();
            let medium = Seen { category: Category::Medium, payload: bytes.clone(), at: got[0].at, ..base.clone() };
            let long =
                Seen { category: Category::Long, args: [7, 8], payload: bytes, at: starts[0] + 64, ..base.clone() };
            assert_eq!(got, [medium, long], "{len}");
        }
        assert_eq!(a.nbrhd.own().pool.in_use(), 0, "each block is free again");
        // Of messages that fit into slots, too, only those that find a block at hand take one.
        let bytes = noise(first + 1);
        for sent in 1..=40 {
            assert!(send(DATA, Payload::Medium(Src::of(&bytes)), &[5, -6]));
            assert_eq!(a.nbrhd.own().pool.in_use(), sent.min(32));
        }
        assert!(send(DATA, Payload::Medium(Src::of(&bytes[..first])), &[5, -6]));
        messages += 41;
        while b.poll() > 0 {}
        let got = seen();
        assert!(
            got.len() == 41 && got[..40].iter().all(|one| one.payload == bytes) && got[40].payload == bytes[..first]
        );
        assert_eq!(a.nbrhd.own().pool.in_use(), 0);
        assert_eq!(counts(2, 0, traffic), before.map(|count| count + messages));
    }
    // To itself: handled before the call returns.
    a.am_request(JobRank(2), SHORT, Payload::None, &[1, 2]);
    let bytes = noise(77);
    a.am_request(JobRank(2), DATA, Payload::Medium(Src::of(&bytes)), &[3, 4]);
    a.am_request(JobRank(2), DATA, Payload::Long(Src::of(&bytes), RemoteAddr(starts[2])), &[5, 6]);
    let got = seen();
    assert_eq!(
        got.iter().map(|seen| (seen.category, seen.payload.len())).collect::<Vec<_>>(),
        [(Category::Short, 0), (Category::Medium, 77), (Category::Long, 77)]
    );
    assert!(got.iter().all(|seen| seen.from == at(2) && seen.request) && got[2].payload == bytes);
    assert!(got[1].at % 8 == 0 && got[2].at == starts[2]);
}

#[test]
fn without_room_an_immediate_message_changes_nothing() {
    let ranks = ranks(3, 16);
    let starts = ranks.attach(4096);
    let (a, b) = (ranks.jobs[0], ranks.jobs[1]);
    let words = |at: usize| {
        let view = b.nbrhd.attached(b.nbrhd.me, RemoteAddr(at), 8);
        let mut words = [0];
        mem::read_words(&mut words, view.as_src());
        words[0]
    };
    for traffic in [REQUEST, REPLY] {
        assert_eq!((0..99).take_while(|&number| short(a, 1, traffic, number)).count(), 16);
        let bytes = noise(MEDIUM);
        let send = |payload| a.am_send_any(at(1), header(traffic, DATA, &[0, 0]), payload, Immediate::Yes);
        assert!(!send(Payload::Medium(Src::of(&bytes))) && a.nbrhd.own().pool.in_use() == 0);
        assert!(!send(Payload::Medium(Src::of(&bytes[..8]))));
        assert!(!send(Payload::Long(Src::of(&bytes[..8]), RemoteAddr(starts[1]))) && words(starts[1]) == 0);
        assert!(!a.am_part(at(1), traffic, SHORT, Payload::None, &[0, 0], Immediate::Yes));
        let mut taken = b.poll();
        taken += b.poll();
        assert_eq!((taken, numbers()), (16, (0..16).collect()));
        assert!(send(Payload::Long(Src::of(&bytes[..8]), RemoteAddr(starts[1] + 8))));
        assert_eq!(words(starts[1] + 8).to_ne_bytes(), bytes[..8]);
        assert!(a.am_part(at(1), traffic, SHORT, Payload::None, &[9, 0], Immediate::Yes));
        b.poll();
        assert_eq!(seen().len(), 2);
        // Blocks of the largest class.
        let most = noise(SHARED_LIMITS.medium);
        let medium =
            || a.am_send_any(at(1), header(traffic, DATA, &[0, 0]), Payload::Medium(Src::of(&most)), Immediate::Yes);
        assert_eq!((0..99).take_while(|_| medium()).count(), 8);
        assert_eq!(a.nbrhd.own().pool.in_use(), 8);
        b.poll();
        b.poll();
        assert!(seen().iter().all(|seen| seen.payload == most) && a.nbrhd.own().pool.in_use() == 0);
    }
}

#[test]
fn messages_of_a_begun_operation_wait_for_room_in_their_order() {
    let ranks = ranks(3, 16);
    let (a, b, c) = (ranks.jobs[0], ranks.jobs[1], ranks.jobs[2]);
    for traffic in [REQUEST, REPLY] {
        assert_eq!((0..99).take_while(|&number| short(a, 1, traffic, number)).count(), 16);
        for number in 16..50 {
            assert!(a.am_part(at(1), traffic, SHORT, Payload::None, &[number, 0], Immediate::Begun));
            assert!(!DEFERRED.is_empty() && WORK.exists());
        }
        // Those for another rank go at the next poll, although they were deferred later; oneself has always room.
        a.am_send_begun(at(2), header(traffic, SHORT, &[77, 0]), Payload::None);
        a.am_send_begun(at(0), header(traffic, SHORT, &[78, 0]), Payload::None);
        assert_eq!(numbers(), [78]);
        assert!(!c.nbrhd.requests.ready() && !c.nbrhd.replies.ready());
        a.poll();
        take(c);
        assert_eq!(numbers(), [77]);
        for _ in 0..9 {
            take(b);
            a.poll();
        }
        assert_eq!(numbers(), (0..50).collect::<Vec<_>>());
        assert!(DEFERRED.is_empty() && !WORK.exists());
        assert!(a.am_part(at(1), traffic, SHORT, Payload::None, &[1, 0], Immediate::Begun) && DEFERRED.is_empty());
        take(b);
        assert_eq!(numbers(), [1]);
    }
}

#[test]
fn no_immediate_operation_starts_while_deferred_messages_take_four_mebibytes() {
    const MOST: usize = 4 << 20;
    let ranks = ranks(3, 16);
    let (a, b) = (ranks.jobs[0], ranks.jobs[1]);
    while short(a, 1, REQUEST, 0) {}
    let bytes = noise(60_000);
    let mut deferred = 0;
    while deferred * bytes.len() < MOST {
        assert!([REQUEST, REPLY].into_iter().all(|traffic| a.may_start(traffic, Immediate::Yes)));
        assert!(a.may_go_in_pieces(Immediate::Yes));
        a.am_send_begun(at(1), header(REQUEST, DATA, &[0, 0]), Payload::Medium(Src::of(&bytes)));
        deferred += 1;
    }
    for traffic in [REQUEST, REPLY] {
        assert!(!a.may_start(traffic, Immediate::Yes));
        assert!(a.may_start(traffic, Immediate::No) && a.may_start(traffic, Immediate::Begun));
    }
    assert!(!a.may_go_in_pieces(Immediate::Yes) && a.may_go_in_pieces(Immediate::No));
    // A thread that asks sends them as soon as there is room.
    for turn in 0..3 {
        take(b);
        take(b);
        assert!(match turn {
            0 => a.may_start(REQUEST, Immediate::Yes),
            1 => a.may_start(REPLY, Immediate::Yes),
            _ => a.may_go_in_pieces(Immediate::Yes),
        });
        for _ in 0..8 {
            a.am_send_begun(at(1), header(REQUEST, DATA, &[0, 0]), Payload::Medium(Src::of(&bytes)));
        }
        deferred += 8;
    }
    while !DEFERRED.is_empty() {
        take(b);
        a.poll();
    }
    take(b);
    let data = seen().into_iter().filter(|seen| seen.category == Category::Medium);
    assert!(data.clone().all(|seen| seen.payload == bytes) && data.count() == deferred);
}

#[test]
fn a_poll_handles_some_messages_of_each_kind() {
    let ranks = ranks(3, 256);
    let (a, b) = (ranks.jobs[0], ranks.jobs[1]);
    (0..100)
        .for_each(|number| assert!(short(a, 1, REQUEST, number) && number >= 70 || short(a, 1, REPLY, 1000 + number)));
    let replies = b.poll_replies();
    assert_eq!((replies, numbers()), (64, (1000..1064).collect()));
    assert_eq!(b.poll(), 6 + 64);
    assert_eq!(numbers(), (1064..1070).chain(0..64).collect::<Vec<_>>());
    assert_eq!((b.poll_replies(), b.poll(), b.poll()), (0, 36, 0));
    assert_eq!(numbers(), (64..100).collect::<Vec<_>>());
    // A sender looks for messages first.
    assert!(short(a, 1, REQUEST, 5));
    b.poll_to_send();
    assert_eq!(numbers(), [5]);
    let beats = || b.marks.beat_count();
    let before = beats();
    b.poll();
    assert_eq!(beats(), before);
    assert!(short(a, 1, REQUEST, 6));
    b.poll();
    assert_ne!(beats(), before, "a message is progress");
}

#[test]
fn vain_polls_count_where_ranks_outnumber_cores() {
    for (count, crowded) in [(4, false), (5, true)] {
        let ranks = ranks(count, 64);
        let (a, b) = (ranks.jobs[0], ranks.jobs[1]);
        let vain = || b.waiting.in_vain.load(Ordering::Relaxed);
        for polls in 1..200 {
            assert_eq!((b.poll_once(), vain()), (0, if crowded { polls % 64 } else { 0 }));
        }
        assert!(short(a, 1, REQUEST, 0));
        assert_eq!((b.poll_once(), vain()), (1, 0));
        // Yields that take long show that other programs want the cores: it sleeps instead.
        let now = sleep::now_ns();
        (0..2).for_each(|_| b.waiting.yielded(0, now, false));
        assert_eq!((1..=128).map(|_| b.poll_once()).sum::<u32>(), 0);
        let slept_ns = sleep::now_ns() - now;
        assert!(!crowded || slept_ns >= 2 * NAP_NS, "{slept_ns}");
        assert!(!b.nbrhd.sleeps());
    }
}

#[test]
fn a_wait_ends_when_its_condition_holds_and_leaves_nothing() {
    let ranks = ranks(3, 64);
    let (a, b) = (ranks.jobs[0], ranks.jobs[1]);
    let board = Board::get().expect("there is one");
    let waits = || board.records(1).iter().map(|record| record.waits().len()).sum::<usize>();
    let before = waits();
    let mut asked = 0;
    b.wait_until(|| {
        asked += 1;
        asked == 5
    });
    assert_eq!((asked, b.nbrhd.sleeps()), (5, false));
    let mut wait = Wait::default();
    while !b.nbrhd.sleeps() {
        b.wait_step(&mut wait, || Note::Images);
    }
    // It is announced: the next step would sleep.
    assert_eq!(waits(), before + 1);
    assert!(short(a, 1, REQUEST, 0));
    b.wait_step(&mut wait, || Note::Images);
    assert!(!b.nbrhd.sleeps() && numbers() == [0], "a message keeps it awake");
    let beats = b.marks.beat_count();
    b.wait_end(&mut wait);
    assert!(waits() == before && b.marks.beat_count() != beats);
    b.wait_end(&mut wait);
    // Sleeps, for no longer than it was told.
    while !b.nbrhd.sleeps() {
        b.idle_for(&mut wait, 1000, || Note::Images, || false);
    }
    assert!(!b.idle_for(&mut wait, 1000, || Note::Images, || true));
    assert!(!b.nbrhd.sleeps());
    b.wait_end(&mut wait);
    assert_eq!(waits(), before);
}

#[test]
fn the_largest_payloads_are_those_of_the_way_they_take() {
    let ranks = ranks(2, 64);
    let job = ranks.jobs[0];
    let most = |near, traffic, category, own| job.most_payload(near, traffic, category, own);
    for (traffic, far) in [(REQUEST, 1 << 20), (REPLY, 1 << 19)] {
        for own in [false, true] {
            assert_eq!((most(true, traffic, Category::Short, own), most(false, traffic, Category::Short, own)), (0, 0));
            assert_eq!(most(true, traffic, Category::Medium, own), SHARED_LIMITS.medium);
            assert_eq!(most(false, traffic, Category::Medium, own), MEDIUM);
            assert_eq!(most(false, traffic, Category::Long, own), far);
        }
        assert_eq!(most(true, traffic, Category::Long, false), i32::MAX as usize);
        assert_eq!(most(true, traffic, Category::Long, true), MOST_OWN_LONG);
    }
    assert_eq!((MOST_OWN_LONG, limits::of(None).medium), (1 << 20, 65_536));
    assert!(job.is_near(JobRank(1)));
    job.expect_rank(JobRank(1));
}

#[test]
fn an_endpoint_without_a_handler_uses_that_of_the_first_one() {
    let ranks = ranks(2, 64);
    let job = ranks.jobs[0];
    let with = endpoint::make(capability::AM, 0).expect("room");
    let without = endpoint::make(capability::RMA, 0).expect("room");
    let table = |ep: u16, index| dispatch::endpoint_table(ep, index).map(core::ptr::from_ref);
    assert_eq!(table(0, SHORT), Some(&raw const PRIMORDIAL));
    assert_eq!(table(with.index, SHORT), Some(&raw const PRIMORDIAL));
    assert_eq!((table(without.index, SHORT), table(63, SHORT)), (None, None));
    with.table.register(&mut entries()[..1], Any::Lowest).expect("free");
    assert_eq!(table(with.index, SHORT), Some(core::ptr::from_ref(&with.table)));
    assert_eq!(table(with.index, DATA), Some(&raw const PRIMORDIAL));
    let (to, bytes) = (Location { rank: JobRank(1), ep: with.index }, noise(500));
    assert!(job.am_request_at(3, to, SHORT, || Payload::None, &[1, 2], Immediate::No));
    assert!(job.am_request_at(0, to, DATA, || Payload::Medium(Src::of(&bytes)), &[3, 4], Immediate::No));
    ranks.jobs[1].poll();
    let got = seen();
    let ends = |seen: &Seen| (seen.from, seen.to, seen.args[0]);
    assert_eq!(
        got.iter().map(ends).collect::<Vec<_>>(),
        [(Location { rank: JobRank(0), ep: 3 }, with.index, 1), (at(0), with.index, 3)]
    );
    assert_eq!(got[1].payload, bytes);
}

#[test]
fn what_a_network_delivers_is_handled_and_completes_operations() {
    let ranks = ranks(2, 64);
    let starts = ranks.attach(4096);
    let job = ranks.jobs[0];
    let mut bytes = noise(100);
    let before = Board::get().expect("there is one").sums(0, 1);
    let dst = Dst::of(&mut bytes);
    job.am(JobRank(1), &header(REQUEST, DATA, &[1, 2]), Arrived::Medium(dst));
    job.am(JobRank(1), &header(REPLY, DATA, &[3, 4]), Arrived::Long(dst));
    job.am(JobRank(1), &header(REPLY, SHORT, &[5, 6]), Arrived::None);
    let kinds = |seen: &Seen| (seen.request, seen.category, seen.args[0], seen.payload.len());
    assert_eq!(
        seen().iter().map(kinds).collect::<Vec<_>>(),
        [(true, Category::Medium, 1, 100), (false, Category::Long, 3, 100), (false, Category::Short, 5, 0)]
    );
    let after = Board::get().expect("there is one").sums(0, 1);
    for (before, after) in [(before.taken, after.taken), (before.handled, after.handled)] {
        assert_eq!([after[0] - before[0], after[1] - before[1]], [1, 2]);
    }
    let own = |at: usize, len| job.own(RemoteAddr(at), len).map(Dst::len);
    assert_eq!((own(starts[0], 4096), own(0, 0)), (Some(4096), Some(0)));
    assert_eq!((own(starts[0] + 1, 4096), own(64, 8)), (None, None));
    let op = event::mine().explicit();
    (0..3).for_each(|_| op.start(PieceKind::PutLocal));
    let token = OpToken(op.token(PieceKind::PutLocal));
    job.done_times(token, Completion::Local, 2);
    assert!(!op.is_locally_done());
    job.done(token, Completion::Local);
    assert!(op.is_locally_done() && !op.is_done());
    job.done(token, Completion::Failed);
    job.done_times(token, Completion::Remote, 2);
    assert!(!op.is_done());
    job.done(token, Completion::Remote);
    assert!(op.is_done());
    event::mine().give(op);
}

#[test]
fn debug_clients_handlers_run_as_their_entries_declare() {
    drop(ranks(2, 64));
    let ranks = several_debug(2);
    let entry = Entry { flags: 1 | 8, nargs: 2, ..Entry::plain(210, on_declared as *const () as usize) };
    let _ = PRIMORDIAL.register(&mut [entry], Any::Lowest);
    ranks.jobs[0].am_request(JobRank(1), 210, Payload::None, &[1, 2]);
    ranks.jobs[0].am_request(JobRank(1), SHORT, Payload::None, &[3, 4]);
    ranks.jobs[1].poll();
    assert_eq!(numbers(), [1, 3]);
}

extern "C" fn on_declared(token: *mut c_void, a: i32, b: i32) {
    note(token, 210, [a, b], 0, Vec::new());
}
