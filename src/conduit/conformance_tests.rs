//! What every conduit must do, as tests over a pair of ranks in one process; each conduit's own tests run them.

use std::sync::Mutex;

use super::{AmMsg, Arrived, Conduit, Deliver, Leaf, Payload, Sent, Take, Traffic};
use crate::job::JobRank;
use crate::mem::{self, Dst, RemoteAddr, Src};

/// A message as it arrived.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Got {
    from: JobRank,
    traffic: Traffic,
    handler: u8,
    args: Vec<i32>,
    bytes: Vec<u8>,
}

/// A rank above a conduit: remembers what comes up; owns one piece of memory.
struct Rank {
    conduit: &'static dyn Conduit,
    me: JobRank,
    segment: Dst<'static>,
    got: Mutex<Vec<Got>>,
    done: Mutex<Vec<u64>>,
}

impl Deliver for Rank {
    fn am(&self, from: JobRank, traffic: Traffic, handler: u8, args: &[i32], payload: Arrived<'_>) {
        let bytes = match payload {
            Arrived::None => Vec::new(),
            Arrived::Medium(place) => {
                assert!(place.as_ptr().addr().is_multiple_of(16));
                copy_of(place.as_src())
            }
            Arrived::Long(place) => copy_of(place.as_src()),
        };
        self.got.lock().unwrap().push(Got { from, traffic, handler, args: args.to_vec(), bytes });
    }

    fn own(&self, at: RemoteAddr, len: usize) -> Option<Dst<'static>> {
        let offset = at.0.checked_sub(self.base().0)?;
        (offset <= self.segment.len() && len <= self.segment.len() - offset).then(|| self.segment.part(offset, len))
    }

    fn done(&self, leaf: Leaf) {
        self.done.lock().unwrap().push(leaf.0);
    }
}

fn copy_of(src: Src<'_>) -> Vec<u8> {
    let mut bytes = vec![0; src.len()];
    mem::read(&mut bytes, src);
    bytes
}

fn pattern(seed: usize, len: usize) -> Vec<u8> {
    (0..len).map(|at| (seed * 131 + at * 7 + (at >> 8)) as u8).collect()
}

impl Rank {
    fn base(&self) -> RemoteAddr {
        RemoteAddr(self.segment.as_ptr().expose_provenance())
    }

    fn poll(&self, take: Take) {
        self.conduit.poll(self, take, 64);
    }

    fn count(&self, traffic: Traffic) -> usize {
        self.got.lock().unwrap().iter().filter(|got| got.traffic == traffic).count()
    }

    fn send(&self, to: &Rank, msg: &AmMsg<'_>) -> Sent {
        self.conduit.am(to.me, msg)
    }
}

/// `ranks[i]` is rank i of a job of two.
pub fn run(ranks: [&'static dyn Conduit; 2]) {
    let mut index = 0;
    let [a, b] = ranks.map(|conduit| {
        let me = JobRank(index);
        index += 1;
        let segment = Box::leak(vec![0u64; 1 << 17].into_boxed_slice());
        Rank { conduit, me, segment: mem::all_of(segment), got: Mutex::default(), done: Mutex::default() }
    });
    every_kind_arrives_as_it_was_sent(&a, &b);
    a_full_conduit_says_retry_and_loses_nothing(&a, &b);
    replies_pass_where_requests_do_not(&a, &b);
    if a.conduit.caps().put && a.conduit.caps().get {
        puts_and_gets_complete_once(&a, &b);
    }
}

fn every_kind_arrives_as_it_was_sent(a: &Rank, b: &Rank) {
    let limits = a.conduit.limits();
    for nargs in [0, 1, 2, 3, 7, 8, 15, 16] {
        let args: Vec<i32> = (0..nargs).map(|at| at * 1000 - 5).collect();
        for traffic in [Traffic::Request, Traffic::Reply] {
            let long = if traffic == Traffic::Request { limits.long_request } else { limits.long_reply };
            for len in [0, 1, 511, limits.medium, long.min(1 << 20)] {
                let bytes = pattern(len + nargs as usize, len);
                let at = RemoteAddr(b.base().0 + nargs as usize);
                let payloads = [
                    Some(Payload::None),
                    (len <= limits.medium).then(|| Payload::Medium(Src::of(&bytes))),
                    (len < 1 << 20).then(|| Payload::Long(Src::of(&bytes), at)),
                ];
                for payload in payloads.into_iter().flatten() {
                    let msg = AmMsg { traffic, handler: 200, args: &args, payload, held: None };
                    while a.send(b, &msg) == Sent::Retry {
                        b.poll(Take::All);
                        a.poll(Take::All);
                    }
                    while b.count(traffic) == 0 {
                        b.poll(Take::All);
                        a.poll(Take::All);
                    }
                    let bytes = if matches!(payload, Payload::None) { Vec::new() } else { bytes.clone() };
                    let want = Got { from: a.me, traffic, handler: 200, args: args.clone(), bytes };
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
        let msg = AmMsg {
            traffic,
            handler: 1,
            args: &[number as i32],
            payload: Payload::Medium(Src::of(&bytes)),
            held: None,
        };
        from.send(to, &msg) == Sent::Retry
    });
    sent.expect("a million messages that nobody takes need a bound")
}

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
            b.poll(Take::All);
            a.poll(Take::All);
        }
        assert_eq!(numbers(b, Traffic::Request), (0..sent as i32).collect::<Vec<_>>());
    }
}

fn replies_pass_where_requests_do_not(a: &Rank, b: &Rank) {
    let sent = fill(a, b, Traffic::Request);
    let msg = AmMsg { traffic: Traffic::Reply, handler: 2, args: &[0], payload: Payload::None, held: None };
    for _ in 0..10 {
        while a.send(b, &msg) == Sent::Retry {
            b.poll(Take::Replies);
            a.poll(Take::Replies);
        }
    }
    while b.count(Traffic::Reply) < 10 {
        b.poll(Take::Replies);
        a.poll(Take::Replies);
    }
    assert_eq!(b.count(Traffic::Request), 0, "a poll for replies handed up requests");
    while b.count(Traffic::Request) < sent {
        b.poll(Take::All);
        a.poll(Take::All);
    }
    assert_eq!(numbers(b, Traffic::Request).len(), sent);
    assert_eq!(numbers(b, Traffic::Reply).len(), 10);
}

fn puts_and_gets_complete_once(a: &Rank, b: &Rank) {
    let limits = a.conduit.limits();
    for (round, len) in [0, 1, 8, 1000, limits.copied, limits.piece].into_iter().enumerate() {
        let len = len.min(1 << 19);
        let sent = pattern(round, len);
        let mut back = vec![0u64; len.div_ceil(8)];
        let place = mem::all_of(&mut back).part(0, len);
        let (put, get) = (Leaf(64 * round as u64 + 2), Leaf(64 * round as u64 + 1));
        let leaf_done = |leaf: Leaf| a.done.lock().unwrap().contains(&leaf.0);
        let until = |leaf: Leaf, start: &mut dyn FnMut() -> Sent| loop {
            let went = start();
            while went == Sent::Later && !leaf_done(leaf) {
                b.poll(Take::All);
                a.poll(Take::All);
            }
            match went {
                Sent::Retry => b.poll(Take::All),
                _ => break,
            }
        };
        let at = RemoteAddr(b.base().0 + 64);
        until(put, &mut || a.conduit.put(b.me, at, Src::of(&sent), len > limits.copied, put));
        assert_eq!(copy_of(b.segment.part(64, len).as_src()), sent);
        until(get, &mut || a.conduit.get(place, b.me, at, get));
        assert_eq!(copy_of(place.as_src()), sent);
    }
    let mut done = a.done.lock().unwrap().clone();
    done.sort_unstable();
    assert!(done.windows(2).all(|pair| pair[0] != pair[1]), "completed twice: {done:?}");
}
