//! The calls of an engine to its simulated rank: every message is checked when it comes, and noted down.

use std::collections::{HashMap, HashSet, VecDeque};

use gasnet::internal::conduit::udp::terms::{Ended, EnginePayload, Up};
use gasnet::internal::defs::message::Traffic;
use gasnet::internal::defs::rank::JobRank;
use gasnet::internal::mem::{Dst, RemoteAddr};

use super::gauge;
use super::weather::AM_WINDOW;

/// Bytes before and after the memory that peers may access.
pub const MARGIN: usize = 256;

fn byte(id: u64, at: usize) -> u8 {
    (id.wrapping_mul(31) as usize).wrapping_add(at.wrapping_mul(7)).wrapping_add(at >> 8) as u8
}

pub fn pattern(id: u64, len: usize) -> Vec<u8> {
    (0..len).map(|at| byte(id, at)).collect()
}

pub fn check(id: u64, bytes: &[u8]) {
    assert!(bytes.iter().enumerate().all(|(at, b)| *b == byte(id, at)), "message {id} is damaged");
}

pub fn view(memory: &mut [u8]) -> Dst<'static> {
    // SAFETY: neither a rank's memory nor the buffer of a transfer is resized, and both outlive the users of the view: the
    // engine reports when it no longer uses a buffer.
    unsafe { Dst::new(memory.as_mut_ptr().cast(), memory.len()) }
}

pub struct Arrived {
    pub from: JobRank,
    pub traffic: Traffic,
    pub id: u64,
    pub cost: u32,
}

#[derive(Default)]
pub struct Desk {
    pub inbox: VecDeque<Arrived>,
    pub done: Vec<u64>,
    pub seen: HashSet<(JobRank, u8, u64)>,
    /// Bytes of messages that arrived and were not handled, by peer and class.
    pub unhandled: HashMap<(JobRank, u8), u32>,
}

pub struct Above<'a> {
    pub desk: &'a mut Desk,
    pub memory: &'a mut [u8],
}

impl Up for Above<'_> {
    fn am(&mut self, from: JobRank, traffic: Traffic, head: &[u8], payload: EnginePayload<'_>, cost: u32) {
        gauge::outside(|| {
            let id = u64::from_le_bytes(head.try_into().expect("a head of 8 bytes"));
            match &payload {
                EnginePayload::Bytes(bytes) => check(id, bytes),
                EnginePayload::Whole(bytes) => check(id, bytes),
                EnginePayload::Long(own) => {
                    let mut bytes = vec![0; own.len()];
                    gasnet::internal::mem::read(&mut bytes, own.as_src());
                    check(id, &bytes);
                }
            }
            assert!(self.desk.seen.insert((from, traffic as u8, id)), "message {id} came twice");
            let unhandled = self.desk.unhandled.entry((from, traffic as u8)).or_default();
            *unhandled += cost;
            assert!(*unhandled <= AM_WINDOW, "{unhandled} bytes of messages wait to be handled");
            self.desk.inbox.push_back(Arrived { from, traffic, id, cost });
        });
    }

    fn own(&mut self, at: RemoteAddr, len: usize) -> Option<Dst<'static>> {
        let end = at.0.checked_add(len)?;
        assert!(at.0 >= MARGIN && end <= self.memory.len() - MARGIN, "an address that nobody gave");
        Some(view(&mut self.memory[at.0..end]))
    }

    fn outside(&mut self, _: JobRank, _: RemoteAddr, _: usize) {
        panic!("outside");
    }

    fn done(&mut self, op: u64, _: Ended) {
        gauge::outside(|| self.desk.done.push(op));
    }

    /// Engines do not decide that a silent rank is dead: it may come back.
    fn lost(&mut self, _: JobRank, _: u64) {}
}
