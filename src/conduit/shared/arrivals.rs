//! The arrival queue. Messages and completions enter it under the conduit's lock, and their handlers run without that
//! lock. Replies are delivered before requests; the credits of a sender bound its messages in the queue.

use core::mem;
use std::collections::VecDeque;

use parking_lot::lock_api::{MutexGuard, RawMutex};

use super::held::{Aligned, Held};
use super::inside::outside;
use super::plain::PlainShort;
use crate::conduit::{AmHeader, Arrived, Completion, Deliver, Envelope, MAX_ARGS, OpToken, Sent, Take, Traffic};
use crate::defs::rank::JobRank;
use crate::mem::Dst;

/// A message that waits for its handler. It stays where it is until it has been handled.
pub(crate) struct Arrival {
    from: JobRank,
    traffic: Traffic,
    handler: u8,
    nargs: u8,
    envelope: Envelope,
    args: [i32; MAX_ARGS],
    body: ArrivedBody,
    /// Credits returned to its sender once it has been handled.
    cost: u32,
}

/// A message that is all here: no payload, a plain envelope and few arguments.
#[derive(Clone, Copy)]
struct ArrivedShort {
    from: JobRank,
    cost: u32,
    traffic: Traffic,
    handler: u8,
    nargs: u8,
    args: [i32; SHORT_ARGS],
}

/// Two of them fill a cache line.
pub(crate) const SHORT_ARGS: usize = 4;
/// Instead of a number of arguments: this entry stands for the next message of the queue of others.
const OTHER: u8 = u8::MAX;
const _: () = assert!(size_of::<ArrivedShort>() <= 32);

/// Its payload.
#[derive(Default)]
pub(crate) enum ArrivedBody {
    #[default]
    None,
    Medium(Aligned),
    /// A Medium in the buffer that it was received in, which the conduit lends.
    Lent(LentBuffer),
    Long(Held<Dst<'static>>),
    /// A Medium where it arrived, which stays until it has been handled.
    Place(Held<Dst<'static>>),
    /// The same in memory of the network's library, which gets it back by the conduit's number of it.
    Loan(Held<Dst<'static>>, u32),
}

/// A conduit's receive buffer while the handler of a message in it runs.
pub(crate) struct LentBuffer {
    pub buffer: Aligned,
    /// The conduit's number of it.
    pub number: u32,
    /// Of the message.
    pub start: usize,
    pub len: usize,
}

impl Arrival {
    const EMPTY: Arrival = Arrival {
        from: JobRank(0),
        traffic: Traffic::Request,
        handler: 0,
        nargs: 0,
        envelope: Envelope::PLAIN,
        args: [0; MAX_ARGS],
        body: ArrivedBody::None,
        cost: 0,
    };

    #[inline]
    fn handle(&mut self, up: &dyn Deliver) {
        let args = &self.args[..usize::from(self.nargs)];
        let header = AmHeader { traffic: self.traffic, handler: self.handler, envelope: self.envelope, args };
        match &mut self.body {
            ArrivedBody::None => up.am(self.from, &header, Arrived::None),
            ArrivedBody::Long(Held(place)) => up.am(self.from, &header, Arrived::Long(*place)),
            ArrivedBody::Place(Held(place)) | ArrivedBody::Loan(Held(place), _) => {
                up.am(self.from, &header, Arrived::Medium(*place))
            }
            ArrivedBody::Medium(bytes) => up.am(self.from, &header, Arrived::Medium(bytes.view())),
            ArrivedBody::Lent(lent) => {
                let LentBuffer { start, len, .. } = *lent;
                up.am(self.from, &header, Arrived::Medium(lent.buffer.view().part(start, len)));
            }
        }
    }
}

/// The arrival queue of a rank.
pub(crate) struct Arrivals {
    /// All messages in the order of arrival; one that is not an `ArrivedShort` has an entry with `OTHER` here, and is in `other_…`.
    replies: VecDeque<ArrivedShort>,
    requests: VecDeque<ArrivedShort>,
    other_replies: VecDeque<Box<Arrival>>,
    other_requests: VecDeque<Box<Arrival>>,
    /// All that waits: polls, most of which find nothing, look at one number.
    waiting: usize,
    /// Completions, each with the number of pieces that it completes.
    done: VecDeque<(OpToken, Completion, u32)>,
    /// For the next messages. Boxes, since a message is longer than a cache line and passes through several hands.
    #[allow(clippy::vec_box)]
    free: Vec<Box<Arrival>>,
}

/// Entries for which there is room from the start: the first messages ask for no memory either.
const FIRST: usize = 16;

impl Default for Arrivals {
    fn default() -> Arrivals {
        Arrivals {
            replies: VecDeque::with_capacity(FIRST),
            requests: VecDeque::with_capacity(FIRST),
            other_replies: VecDeque::with_capacity(FIRST),
            other_requests: VecDeque::with_capacity(FIRST),
            waiting: 0,
            done: VecDeque::with_capacity(FIRST),
            free: Vec::with_capacity(FIRST),
        }
    }
}

/// The next message.
enum NextArrival {
    Short(ArrivedShort),
    Other(Box<Arrival>),
}

/// Messages that are kept for the next ones.
const MOST_FREE: usize = 1024;

impl Arrivals {
    /// A message, which is to be queued once its payload is here.
    #[inline]
    pub(crate) fn made(&mut self, from: JobRank, header: &AmHeader<'_>, body: ArrivedBody, cost: u32) -> Box<Arrival> {
        let mut arrival = self.free.pop().unwrap_or_else(|| Box::new(Arrival::EMPTY));
        let nargs = header.args.len().min(MAX_ARGS);
        if nargs > 0 {
            arrival.args[..nargs].copy_from_slice(&header.args[..nargs]);
        }
        (arrival.from, arrival.traffic, arrival.handler) = (from, header.traffic, header.handler);
        (arrival.nargs, arrival.envelope, arrival.cost) = (nargs as u8, header.envelope, cost);
        // A free message has no payload, so there is nothing to drop.
        mem::forget(mem::replace(&mut arrival.body, body));
        arrival
    }

    /// Queues a Short whose envelope is plain: as `push`.
    #[inline]
    pub(crate) fn push_plain(&mut self, from: JobRank, short: &PlainShort<'_>, cost: u32) {
        if short.nargs() > SHORT_ARGS {
            return self.push_long_plain(from, short, cost);
        }
        let &PlainShort { traffic, handler, .. } = short;
        let mut arrived =
            ArrivedShort { from, cost, traffic, handler, nargs: short.nargs() as u8, args: [0; SHORT_ARGS] };
        short.copy_args(&mut arrived.args);
        self.queue_short(arrived);
    }

    /// Queues a Short whose envelope is plain, with so few arguments that they fit.
    #[inline]
    pub(crate) fn push_few(
        &mut self,
        from: JobRank,
        traffic: Traffic,
        handler: u8,
        (nargs, args): (usize, [i32; SHORT_ARGS]),
        cost: u32,
    ) {
        debug_assert!(nargs <= SHORT_ARGS);
        self.queue_short(ArrivedShort { from, cost, traffic, handler, nargs: nargs as u8, args });
    }

    #[inline]
    fn queue_short(&mut self, short: ArrivedShort) {
        self.waiting += 1;
        match short.traffic {
            Traffic::Request => self.requests.push_back(short),
            Traffic::Reply => self.replies.push_back(short),
        }
    }

    /// As `push_plain`, of one with many arguments. Apart: others need no room on the stack.
    #[inline(never)]
    fn push_long_plain(&mut self, from: JobRank, short: &PlainShort<'_>, cost: u32) {
        let mut args = [0; MAX_ARGS];
        short.copy_args(&mut args);
        let args = &args[..short.nargs()];
        let header = AmHeader { traffic: short.traffic, handler: short.handler, envelope: Envelope::PLAIN, args };
        self.push(from, &header, ArrivedBody::None, cost);
    }

    /// Queues a message whose payload is here.
    #[inline]
    pub(crate) fn push(&mut self, from: JobRank, header: &AmHeader<'_>, body: ArrivedBody, cost: u32) {
        let AmHeader { traffic, handler, envelope, args } = *header;
        if matches!(body, ArrivedBody::None) && envelope.is_plain() && args.len() <= SHORT_ARGS {
            let mut arrived =
                ArrivedShort { from, cost, traffic, handler, nargs: args.len() as u8, args: [0; SHORT_ARGS] };
            arrived.args[..args.len()].copy_from_slice(args);
            return self.queue_short(arrived);
        }
        let arrival = self.made(from, header, body, cost);
        self.queue(arrival);
    }

    #[inline]
    pub(crate) fn queue(&mut self, arrival: Box<Arrival>) {
        let (from, traffic) = (arrival.from, arrival.traffic);
        match traffic {
            Traffic::Request => self.other_requests.push_back(arrival),
            Traffic::Reply => self.other_replies.push_back(arrival),
        }
        self.queue_short(ArrivedShort { from, cost: 0, traffic, handler: 0, nargs: OTHER, args: [0; SHORT_ARGS] });
    }

    #[inline]
    pub(crate) fn done(&mut self, token: OpToken, completion: Completion) {
        self.done_times(token, completion, 1);
    }

    /// An operation with this token is not started, since its target is gone.
    pub(crate) fn fails(&mut self, token: OpToken) -> Sent {
        self.done(token, Completion::Failed);
        Sent::Later
    }

    /// A message has left, with this token if it has one, and its source may be reused.
    #[inline]
    pub(crate) fn sent(&mut self, token: Option<OpToken>) -> Sent {
        let Some(token) = token else { return Sent::Done };
        self.done(token, Completion::Local);
        Sent::Later
    }

    /// As `done`, for `times` pieces that have one token.
    #[inline]
    pub(crate) fn done_times(&mut self, token: OpToken, completion: Completion, times: u32) {
        self.waiting += 1;
        self.done.push_back((token, completion, times));
    }

    /// The completion of `token`, which is then not delivered.
    pub(crate) fn take_done(&mut self, token: OpToken) -> Option<Completion> {
        let at = self.done.iter().position(|(of, ..)| *of == token)?;
        self.waiting -= 1;
        self.done.remove(at).map(|(_, completion, _)| completion)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting == 0
    }

    /// The next completion.
    #[inline]
    fn next_done(&mut self) -> Option<(OpToken, Completion, u32)> {
        let done = self.done.pop_front();
        self.waiting -= usize::from(done.is_some());
        done
    }

    /// The next message: a reply, if there is one.
    #[inline]
    fn next(&mut self, take: Take) -> Option<NextArrival> {
        let (short, others) = match self.replies.pop_front() {
            Some(reply) => (reply, &mut self.other_replies),
            None if take == Take::Replies => return None,
            None => (self.requests.pop_front()?, &mut self.other_requests),
        };
        self.waiting -= 1;
        if short.nargs == OTHER { others.pop_front().map(NextArrival::Other) } else { Some(NextArrival::Short(short)) }
    }

    /// The message has been handled.
    #[inline]
    fn free(&mut self, arrival: Box<Arrival>) {
        if self.free.len() < MOST_FREE {
            self.free.push(arrival);
        }
    }
}

/// The state of a conduit behind its lock.
pub(crate) trait Queued {
    fn arrivals(&mut self) -> &mut Arrivals;
    /// A message from `from` of this cost has been handled: returns the credits to its sender.
    fn handled(&mut self, from: JobRank, traffic: Traffic, cost: u32);
    /// A lent buffer comes back.
    fn give_back(&mut self, _lent: LentBuffer) {}
    /// The message in the loan with this number has been handled.
    fn end_loan(&mut self, _number: u32) {}
}

/// Delivers at most `budget` arrivals to `up`; returns the number. The lock is released while `up` is called.
// Apart from polls, most of which find none.
#[inline(never)]
pub(crate) fn hand_up<R: RawMutex, T: Queued>(
    inner: &mut MutexGuard<'_, R, T>,
    up: &dyn Deliver,
    take: Take,
    budget: u32,
) -> u32 {
    let mut handled = 0;
    while handled < budget && !inner.arrivals().is_empty() {
        if let Some((token, completion, times)) = inner.arrivals().next_done() {
            handled += 1;
            MutexGuard::unlocked(inner, || {
                outside(|| match times {
                    1 => up.done(token, completion),
                    _ => up.done_times(token, completion, times),
                });
            });
            continue;
        }
        let Some(next) = inner.arrivals().next(take) else { break };
        handled += 1;
        let mut arrival = match next {
            NextArrival::Other(arrival) => arrival,
            NextArrival::Short(ArrivedShort { from, traffic, handler, nargs, args, cost }) => {
                let args = &args[..usize::from(nargs).min(SHORT_ARGS)];
                let header = AmHeader { traffic, handler, envelope: Envelope::PLAIN, args };
                MutexGuard::unlocked(inner, || outside(|| up.am(from, &header, Arrived::None)));
                inner.handled(from, traffic, cost);
                continue;
            }
        };
        MutexGuard::unlocked(inner, || outside(|| arrival.handle(up)));
        inner.handled(arrival.from, arrival.traffic, arrival.cost);
        if !matches!(arrival.body, ArrivedBody::None) {
            match mem::take(&mut arrival.body) {
                ArrivedBody::Lent(lent) => inner.give_back(lent),
                ArrivedBody::Loan(_, number) => inner.end_loan(number),
                _ => {}
            }
        }
        inner.arrivals().free(arrival);
    }
    handled
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(arrivals: &mut Arrivals, traffic: Traffic, args: &[i32]) {
        let header = AmHeader { traffic, handler: 1, envelope: Envelope::PLAIN, args };
        arrivals.push(JobRank(0), &header, ArrivedBody::None, 1);
    }

    /// The next message, freed.
    fn next(arrivals: &mut Arrivals, take: Take) -> Option<(Traffic, Vec<i32>)> {
        let arrival = match arrivals.next(take)? {
            NextArrival::Short(short) => return Some((short.traffic, short.args[..usize::from(short.nargs)].to_vec())),
            NextArrival::Other(arrival) => arrival,
        };
        let seen = (arrival.traffic, arrival.args[..usize::from(arrival.nargs)].to_vec());
        arrivals.free(arrival);
        Some(seen)
    }

    #[test]
    fn anything_that_waits_is_an_arrival() {
        for args in [&[][..], &[3; MAX_ARGS]] {
            let mut arrivals = Arrivals::default();
            assert!(arrivals.is_empty());
            push(&mut arrivals, Traffic::Request, args);
            assert!(!arrivals.is_empty());
            assert!(next(&mut arrivals, Take::Replies).is_none() && !arrivals.is_empty());
            assert!(next(&mut arrivals, Take::All).is_some() && arrivals.is_empty());
            push(&mut arrivals, Traffic::Reply, args);
            assert!(!arrivals.is_empty());
            assert!(next(&mut arrivals, Take::Replies).is_some() && arrivals.is_empty());
            arrivals.done(OpToken(1), Completion::Remote);
            assert!(!arrivals.is_empty());
            assert!(arrivals.next_done().is_some() && arrivals.is_empty());
        }
    }

    #[test]
    fn replies_are_first_and_each_class_keeps_its_order() {
        let mut arrivals = Arrivals::default();
        let many = [9; SHORT_ARGS + 1];
        for _ in 0..3 {
            for args in [&[1][..], &many] {
                push(&mut arrivals, Traffic::Request, args);
                push(&mut arrivals, Traffic::Reply, args);
            }
        }
        let mut order = Vec::new();
        for take in [Take::Replies, Take::All] {
            while let Some((traffic, args)) = next(&mut arrivals, take) {
                order.push((traffic, args.len()));
            }
        }
        assert!(arrivals.is_empty());
        let all: Vec<(Traffic, usize)> = [Traffic::Reply, Traffic::Request]
            .into_iter()
            .flat_map(|traffic| [1, many.len()].repeat(3).into_iter().map(move |nargs| (traffic, nargs)))
            .collect();
        assert_eq!(order, all);
    }

    #[test]
    fn a_message_has_nothing_of_that_before_it() {
        let mut arrivals = Arrivals::default();
        let all: Vec<i32> = (1..=MAX_ARGS as i32).collect();
        push(&mut arrivals, Traffic::Reply, &all);
        assert_eq!(next(&mut arrivals, Take::All), Some((Traffic::Reply, all)));
        for args in [&[7; SHORT_ARGS + 1][..], &[7], &[]] {
            push(&mut arrivals, Traffic::Request, args);
            assert!(args.len() <= SHORT_ARGS || arrivals.free.is_empty(), "it is the first one's memory");
            assert_eq!(next(&mut arrivals, Take::All), Some((Traffic::Request, args.to_vec())));
        }
    }
}
