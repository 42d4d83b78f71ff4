//! One thread at a time is inside a library of [`Serialized`], and handlers run outside.

use super::arrivals::{Arrivals, ArrivedBody, Queued};
use super::held::Own;
use super::serialized::{Library, Properties, Serialized};
use crate::conduit::{
    AmHeader, AmMsg, Arrived, Atomic, Caps, Completion, Conduit, Deliver, Envelope, GroupCollective, GroupId, Key,
    LocalMem, MemKind, OpToken, Payload, Registration, Sent, Stop, Take, Traffic,
};
use crate::defs::rank::{JobRank, Location};
use crate::mem::{Dst, RemoteAddr, Src};
use crate::sync::atomic::{AtomicU32, Ordering};

/// The number of threads inside the library, and the number of messages it was given.
#[derive(Default)]
struct Seen {
    inside: AtomicU32,
    sent: AtomicU32,
}

/// Messages come back to their sender; a put is complete with the next poll.
struct Mirror {
    arrivals: Arrivals,
    seen: &'static Seen,
}

impl Mirror {
    fn enter(&self) {
        assert_eq!(self.seen.inside.fetch_add(1, Ordering::Relaxed), 0, "two threads are inside");
        std::thread::yield_now();
        self.seen.inside.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Queued for Mirror {
    fn arrivals(&mut self) -> &mut Arrivals {
        &mut self.arrivals
    }
    fn handled(&mut self, _: JobRank, _: Traffic, _: u32) {
        self.enter();
    }
}

impl Library for Mirror {
    fn properties(&self) -> Properties {
        let limits = crate::conduit::loopback::ENTRY.network.as_ref().unwrap().limits;
        Properties::of(Caps { put: true, ..Caps::default() }, limits)
    }
    fn register(&mut self, _: u16, _: usize, _: usize, _: MemKind) -> Result<(Registration, Key), String> {
        Err("no".to_owned())
    }
    fn import(&mut self, _: Location, _: &[u8]) -> Result<(), String> {
        Err("no".to_owned())
    }
    fn forget(&mut self, _: Registration) {}
    fn am(&mut self, to: Location, msg: &AmMsg<'_>) -> Sent {
        self.enter();
        self.seen.sent.fetch_add(1, Ordering::Relaxed);
        self.arrivals.push(to.rank, &msg.header, ArrivedBody::None, 0);
        Sent::Done
    }
    fn progress(&mut self, _: Own<'_>, _: bool) -> bool {
        self.enter();
        false
    }
    fn quiet_ns(&mut self) -> u64 {
        self.enter();
        u64::MAX
    }
    fn put(&mut self, _: Location, _: RemoteAddr, _: LocalMem<Src<'_>>, _: bool, token: OpToken) -> Sent {
        self.enter();
        self.arrivals.done(token, Completion::Remote);
        Sent::Copied
    }
    fn get(&mut self, _: LocalMem<Dst<'_>>, _: Location, _: RemoteAddr, _: OpToken) -> Sent {
        Sent::Retry
    }
    fn atomic(&mut self, _: Location, _: RemoteAddr, _: &Atomic, _: Option<Dst<'_>>, _: OpToken) -> Sent {
        Sent::Retry
    }
    fn group(&mut self, _: GroupId, _: &[JobRank]) -> bool {
        false
    }
    fn disband(&mut self, _: GroupId) -> bool {
        false
    }
    fn collect(&mut self, _: GroupId, _: &GroupCollective, _: usize, _: Src<'_>, _: Dst<'_>, _: OpToken) {}
    fn counters(&self, _: &mut dyn FnMut(&str, u64)) {}
    fn gone(&mut self, _: JobRank) {}
    fn is_settled(&mut self) -> bool {
        self.enter();
        self.arrivals.is_empty()
    }
}

const SELF: Location = Location { rank: JobRank(0), ep: 0 };

fn short(traffic: Traffic) -> AmHeader<'static> {
    AmHeader { traffic, handler: 1, envelope: Envelope::PLAIN, args: &[] }
}

/// A rank whose handlers reply and poll.
struct Up {
    conduit: &'static Serialized<Mirror>,
    requests: AtomicU32,
    replies: AtomicU32,
    done: AtomicU32,
}

impl Deliver for Up {
    fn am(&self, _: JobRank, header: &AmHeader<'_>, _: Arrived<'_>) {
        if header.traffic == Traffic::Reply {
            self.replies.fetch_add(1, Ordering::Relaxed);
            return;
        }
        self.requests.fetch_add(1, Ordering::Relaxed);
        assert_eq!(self.conduit.am(SELF, &AmMsg::plain(short(Traffic::Reply), Payload::None)), Sent::Done);
        self.conduit.poll(self, Take::Replies, 1);
    }
    fn own(&self, _: RemoteAddr, _: usize) -> Option<Dst<'static>> {
        None
    }
    fn done(&self, _: OpToken, _: Completion) {
        self.conduit.quiet_ns();
        self.done.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn one_thread_at_a_time_is_inside_and_handlers_run_outside() {
    const THREADS: u32 = 4;
    const EACH: u32 = 200;
    const ALL: u32 = THREADS * EACH;
    let seen: &'static Seen = Box::leak(Box::default());
    let conduit: &'static Serialized<Mirror> =
        Box::leak(Box::new(Serialized::new(Mirror { arrivals: Arrivals::default(), seen })));
    let [requests, replies, done] = [0; 3].map(AtomicU32::new);
    let up = Up { conduit, requests, replies, done };
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for number in 0..EACH {
                    let put = LocalMem::plain(Src::of(&[]));
                    assert_eq!(conduit.am(SELF, &AmMsg::plain(short(Traffic::Request), Payload::None)), Sent::Done);
                    assert_eq!(conduit.put(SELF, RemoteAddr(0), put, false, OpToken(number.into())), Sent::Copied);
                    conduit.poll(&up, Take::All, 4);
                    conduit.quiet_ns();
                }
            });
        }
    });
    let counts = || [&up.requests, &up.replies, &up.done].map(|count| count.load(Ordering::Relaxed));
    while counts() != [ALL; 3] {
        conduit.poll(&up, Take::All, 64);
    }
    assert_eq!(seen.sent.load(Ordering::Relaxed), 2 * ALL);
    conduit.stop(Stop::Within { ns: u64::MAX }, &up);
}
