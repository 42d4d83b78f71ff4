//! What has arrived at a rank and waits for its handler, and what a message of the user's looks like to the engine: a
//! head of kind, handler and arguments, and a payload.

use std::collections::VecDeque;

use super::held::{Aligned, Held};
use super::{Payload as Bytes, Up};
use crate::bootstrap;
use crate::conduit::{Arrived, Deliver, MOST_ARGS, Take, Traffic};
use crate::fatal::fatal;
use crate::job::JobRank;
use crate::mem::{self, Dst, RemoteAddr};

// The kinds of messages.
pub const IS_SHORT: u8 = 0;
pub const IS_MEDIUM: u8 = 1;
pub const IS_LONG: u8 = 2;

/// Bytes of the longest head.
pub const MOST_HEAD: usize = 4 + 4 * MOST_ARGS;

/// The head of a message: kind, handler, number of arguments, the arguments.
pub fn head_of(kind: u8, handler: u8, args: &[i32], into: &mut [u8; MOST_HEAD]) -> usize {
    into[..3].copy_from_slice(&[kind, handler, args.len() as u8]);
    into[4..4 + 4 * args.len()].copy_from_slice(mem::bytes_of(args));
    4 + 4 * args.len()
}

/// What the engine tells while it is locked: noted down.
pub struct Notes<'a> {
    pub up: &'a dyn Deliver,
    pub came: &'a mut Arrivals,
    pub outside: Option<(JobRank, RemoteAddr, usize)>,
}

impl Up for Notes<'_> {
    fn am(&mut self, from: JobRank, traffic: Traffic, head: &[u8], payload: Bytes<'_>, cost: u32) {
        let &[kind, handler, nargs, _, ref words @ ..] = head else {
            fatal!("udp: rank {} sent a message without a head", from.0);
        };
        let mut args = [0; MOST_ARGS];
        for (arg, bytes) in args.iter_mut().zip(words.chunks_exact(4)) {
            *arg = i32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        let body = match payload {
            Bytes::Long(place) => Body::Long(Held(place)),
            Bytes::Bytes(_) if kind == IS_SHORT => Body::None,
            Bytes::Bytes(bytes) => Body::Medium(Aligned::copy_of(bytes)),
            Bytes::Whole(bytes) => Body::Medium(bytes),
        };
        let nargs = nargs.min(MOST_ARGS as u8);
        let queue = match traffic {
            Traffic::Request => &mut self.came.requests,
            Traffic::Reply => &mut self.came.replies,
        };
        queue.push_back(Came { from, traffic, handler, nargs, args, body, cost });
    }

    fn own(&mut self, at: RemoteAddr, len: usize) -> Option<Dst<'static>> {
        self.up.own(at, len)
    }

    fn outside(&mut self, from: JobRank, at: RemoteAddr, len: usize) {
        self.outside = Some((from, at, len));
    }

    fn done(&mut self, op: u64) {
        self.came.done.push_back(op);
    }

    /// A rank may be stopped for long: it is for the wardens to find out whether its host is there.
    fn lost(&mut self, rank: JobRank, _silent_ns: u64) {
        bootstrap::doubt(rank);
    }
}

/// A message that waits for its handler.
pub struct Came {
    pub from: JobRank,
    pub traffic: Traffic,
    handler: u8,
    nargs: u8,
    args: [i32; MOST_ARGS],
    body: Body,
    /// What [`super::Engine::handled`] is told.
    pub cost: u32,
}

impl Came {
    /// Runs the handler.
    #[inline]
    pub fn handle(self, up: &dyn Deliver) {
        let args = &self.args[..usize::from(self.nargs)];
        match self.body {
            Body::None => up.am(self.from, self.traffic, self.handler, args, Arrived::None),
            Body::Long(Held(place)) => up.am(self.from, self.traffic, self.handler, args, Arrived::Long(place)),
            Body::Medium(mut bytes) => {
                up.am(self.from, self.traffic, self.handler, args, Arrived::Medium(bytes.view()));
            }
        }
    }
}

enum Body {
    None,
    Medium(Aligned),
    Long(Held<Dst<'static>>),
}

/// What has arrived.
#[derive(Default)]
pub struct Arrivals {
    replies: VecDeque<Came>,
    requests: VecDeque<Came>,
    done: VecDeque<u64>,
}

/// What is handed up next.
pub enum Next {
    Done(u64),
    Am(Came),
}

impl Arrivals {
    pub fn next(&mut self, take: Take) -> Option<Next> {
        if let Some(op) = self.done.pop_front() {
            return Some(Next::Done(op));
        }
        let reply = self.replies.pop_front();
        if reply.is_some() || take == Take::Replies { reply } else { self.requests.pop_front() }.map(Next::Am)
    }
}
