//! The parts of the page besides the timeline: the matrix of messages between ranks, the time of each call on each rank, and waits.

use crate::html::timeline::{Event, Timeline};
use crate::text::Line;
use gasnet::internal::trace::mask::Letter;
use gasnet::internal::trace::rows::Row;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};

/// Messages, puts, gets, atomics.
pub const KINDS: usize = 4;
/// Single waits that are listed.
const LONGEST: usize = 100;
/// Events of a thread within which later ones may lie: calls do not nest deeper.
const NESTED: usize = 4096;
/// Places with a name of their own; the rest share one.
const MAX_PLACES: usize = 60_000;

#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Traffic {
    pub calls: [u64; KINDS],
    pub bytes: [u64; KINDS],
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Spent {
    pub calls: u64,
    pub bytes: u64,
    pub ns: u64,
    /// Without the events inside: handlers that ran in a wait.
    pub self_ns: u64,
    pub max_ns: u64,
}

#[derive(Clone, Copy, Default, Debug)]
pub struct Wait {
    pub count: u64,
    pub ns: u64,
    /// The longest one: its duration, start and thread.
    pub longest: (u64, u64, u32, u32),
}

/// One wait: its duration, start, thread, place and call.
pub type OneWait = (u64, u64, u32, u32, u16, u16);

#[derive(Default)]
pub struct Picture {
    pub traffic: HashMap<(u32, u32), Traffic>,
    pub spent: BTreeMap<(u16, u32), Spent>,
    pub waits: HashMap<(u16, u16), Wait>,
    longest: BinaryHeap<Reverse<OneWait>>,
    pub timeline: Timeline,
    pub calls: Vec<Row>,
    pub places: Vec<String>,
    call_at: HashMap<u16, u16>,
    place_at: HashMap<String, u16>,
    /// For each thread, the start and the duration of its latest events that no later event contains.
    open: HashMap<(u32, u32), Vec<(u64, u64)>>,
    pub events: u64,
    pub ranks: u32,
}

/// The category of an event's time; the page's list has this order.
fn category(row: Row) -> usize {
    match row {
        Row::REQUEST_HANDLER | Row::REPLY_HANDLER => 4,
        row => match row.letter() {
            Letter::PUT => 0,
            Letter::GET => 1,
            Letter::ATOMIC => 2,
            Letter::AM => 3,
            Letter::SYNC => 5,
            Letter::BARRIER => 6,
            Letter::COLL => 7,
            Letter::POLL => 8,
            Letter::LOCK => 9,
            _ => 10,
        },
    }
}

fn is_wait(row: Row) -> bool {
    matches!(row.letter(), Letter::SYNC | Letter::BARRIER | Letter::COLL | Letter::POLL | Letter::LOCK)
}

fn kind(row: Row) -> Option<usize> {
    match row.letter() {
        Letter::AM if !matches!(row, Row::REQUEST_HANDLER | Row::REPLY_HANDLER) => Some(0),
        Letter::PUT => Some(1),
        Letter::GET => Some(2),
        Letter::ATOMIC => Some(3),
        _ => None,
    }
}

impl Picture {
    pub fn add(&mut self, line: &Line<'_>) {
        self.events += 1;
        self.ranks = self.ranks.max(line.rank.saturating_add(1));
        let Some(row) = line.row.filter(|_| line.word("data").is_none()) else { return };
        let bytes = line.number("bytes").unwrap_or(0);
        if let (Some(kind), Some(peer)) = (kind(row), line.peer()) {
            let traffic = self.traffic.entry((line.rank, peer)).or_default();
            traffic.calls[kind] += 1;
            traffic.bytes[kind] += bytes;
            self.ranks = self.ranks.max(peer.saturating_add(1));
        }
        // The time from a notify to the end of its wait contains the computation and the calls between them. A sleep is a
        // part of the wait that sleeps.
        let is_part = matches!(row, Row::BARRIER_PHASE | Row::SLEEP_WOKEN | Row::SLEEP_TIMED_OUT);
        let Some(ns) = line.ns().filter(|_| !is_part) else { return };
        let start_ns = u64::try_from(line.at_ns).unwrap_or(0);
        let self_ns = self.own_time((line.rank, line.thread), start_ns, ns);
        let spent = self.spent.entry((row.0, line.rank)).or_default();
        spent.calls += 1;
        spent.bytes += bytes;
        spent.ns += ns;
        spent.self_ns += self_ns;
        spent.max_ns = spent.max_ns.max(ns);
        let (call, place) = (self.call(row), self.place(line));
        if is_wait(row) {
            let wait = self.waits.entry((place, call)).or_default();
            wait.count += 1;
            wait.ns += ns;
            wait.longest = wait.longest.max((ns, start_ns, line.rank, line.thread));
            self.longest.push(Reverse((ns, start_ns, line.rank, line.thread, place, call)));
            if self.longest.len() > LONGEST {
                self.longest.pop();
            }
        }
        let (rank, thread, peer) = (line.rank, line.thread, line.peer());
        let event = Event { rank, thread, start_ns, ns, call, place, peer, bytes };
        self.timeline.add(event, category(row), self_ns);
    }

    /// An event is written when it ends, so the events inside it have been written before, by the same thread.
    fn own_time(&mut self, thread: (u32, u32), start_ns: u64, ns: u64) -> u64 {
        let open = self.open.entry(thread).or_default();
        let mut inside = 0;
        while let Some(&(_, other_ns)) = open.last().filter(|(other, _)| *other >= start_ns) {
            open.pop();
            inside += other_ns;
        }
        if open.len() >= NESTED {
            open.drain(..NESTED / 2);
        }
        open.push((start_ns, ns));
        ns.saturating_sub(inside)
    }

    fn call(&mut self, row: Row) -> u16 {
        *self.call_at.entry(row.0).or_insert_with(|| {
            self.calls.push(row);
            (self.calls.len() - 1) as u16
        })
    }

    fn place(&mut self, line: &Line<'_>) -> u16 {
        let (file, number) = line.place.unwrap_or(("(internal)", 0));
        let file = file.rsplit('/').next().unwrap_or(file);
        let mut name = if number == 0 { file.to_string() } else { format!("{file}:{number}") };
        if self.places.len() >= MAX_PLACES && !self.place_at.contains_key(&name) {
            name = "(other)".to_string();
        }
        if let Some(at) = self.place_at.get(&name) {
            return *at;
        }
        let at = self.places.len() as u16;
        self.places.push(name.clone());
        self.place_at.insert(name, at);
        at
    }

    pub fn category_of(row: Row) -> usize {
        category(row)
    }

    /// The longest waits, the longest first.
    pub fn longest(&mut self) -> Vec<OneWait> {
        std::mem::take(&mut self.longest).into_sorted_vec().into_iter().map(|Reverse(wait)| wait).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse;

    const LINES: [&str; 7] = [
        "0(0) 0.000001000> [a.c:1] (P) gasnet_put: to=1 bytes=64 us=0.500",
        "0(0) 0.000003000> (A) AM_REQUEST_HANDLER: from=1 handler=128 args=2 id=17 bytes=8 us=1.000",
        "0(0) 0.000004500> [a.c:2] (X) SLEEP_WOKEN: us=2.000",
        "0(0) 0.000002000> [a.c:2] (B) gasnet_barrier_wait: id=0 us=5.000",
        "1(0) 0.000000500> [a.c:3] (A) gasnet_AMRequestMedium: to=0 handler=128 args=2 id=17 bytes=8 us=0.250",
        "1(0) 0.000004000> [a.c:2] (B) gasnet_barrier_wait: id=0 us=2.000",
        "1(0) 0.000004000> (B) BARRIER_NOTIFY_TO_WAIT: us=9.000",
    ];

    fn picture() -> Picture {
        let mut picture = Picture::default();
        for line in LINES {
            picture.add(&parse(line).unwrap());
        }
        picture
    }

    #[test]
    fn messages_and_transfers_are_counted_by_who_calls() {
        let picture = picture();
        let put = picture.traffic[&(0, 1)];
        assert_eq!((put.calls, put.bytes), ([0, 1, 0, 0], [0, 64, 0, 0]));
        let message = picture.traffic[&(1, 0)];
        assert_eq!((message.calls, message.bytes), ([1, 0, 0, 0], [8, 0, 0, 0]));
        assert_eq!((picture.traffic.len(), picture.ranks, picture.events), (2, 2, 7));
    }

    #[test]
    fn the_time_of_a_handler_is_not_that_of_the_wait_in_which_it_ran() {
        let picture = picture();
        let wait =
            picture.spent.iter().find(|((row, rank), _)| Row(*row).name() == "gasnet_barrier_wait" && *rank == 0);
        let spent = wait.unwrap().1;
        assert_eq!((spent.ns, spent.self_ns, spent.max_ns), (5000, 4000, 5000));
    }

    #[test]
    fn waits_are_summed_by_place_and_the_longest_listed() {
        let mut picture = picture();
        let longest = picture.longest();
        assert_eq!(longest.iter().map(|wait| (wait.0, wait.2)).collect::<Vec<_>>(), [(5000, 0), (2000, 1)]);
        let [wait] = picture.waits.values().collect::<Vec<_>>()[..] else { panic!() };
        assert_eq!((wait.count, wait.ns, wait.longest), (2, 7000, (5000, 2000, 0, 0)));
    }
}
