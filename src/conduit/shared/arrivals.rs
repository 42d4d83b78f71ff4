//! The arrival queue. Messages and completions enter it under the conduit's lock, and their handlers run without that
//! lock. Replies are delivered before requests; the credits of a sender bound its messages in the queue.

use std::collections::VecDeque;

use parking_lot::lock_api::{MutexGuard, RawMutex};

use super::held::{Aligned, Held};
use super::inside::outside;
use crate::conduit::{AmHeader, Arrived, Completion, Deliver, Envelope, MAX_ARGS, OpToken, Sent, Take, Traffic};
use crate::defs::rank::JobRank;
use crate::mem::Dst;

/// A message that waits for its handler.
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

/// Its payload.
pub(crate) enum ArrivedBody {
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
    #[inline]
    pub(crate) fn new(from: JobRank, header: &AmHeader<'_>, body: ArrivedBody, cost: u32) -> Arrival {
        let AmHeader { traffic, handler, envelope, args } = *header;
        let mut copy = [0; MAX_ARGS];
        let nargs = args.len().min(MAX_ARGS);
        copy[..nargs].copy_from_slice(&args[..nargs]);
        Arrival { from, traffic, handler, nargs: nargs as u8, envelope, args: copy, body, cost }
    }

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
#[derive(Default)]
pub(crate) struct Arrivals {
    replies: VecDeque<Arrival>,
    requests: VecDeque<Arrival>,
    /// Completions, each with the number of pieces that it completes.
    done: VecDeque<(OpToken, Completion, u32)>,
}

enum Next {
    Done(OpToken, Completion, u32),
    Am(Arrival),
}

impl Arrivals {
    #[inline]
    pub(crate) fn push(&mut self, arrival: Arrival) {
        match arrival.traffic {
            Traffic::Request => self.requests.push_back(arrival),
            Traffic::Reply => self.replies.push_back(arrival),
        }
    }

    #[inline]
    pub(crate) fn done(&mut self, token: OpToken, completion: Completion) {
        self.done.push_back((token, completion, 1));
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
    pub(crate) fn done_times(&mut self, token: OpToken, completion: Completion, times: u32) {
        self.done.push_back((token, completion, times));
    }

    /// The completion of `token`, which is then not delivered.
    pub(crate) fn take_done(&mut self, token: OpToken) -> Option<Completion> {
        let at = self.done.iter().position(|(of, ..)| *of == token)?;
        self.done.remove(at).map(|(_, completion, _)| completion)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.replies.is_empty() && self.requests.is_empty() && self.done.is_empty()
    }

    fn next(&mut self, take: Take) -> Option<Next> {
        if let Some((token, completion, times)) = self.done.pop_front() {
            return Some(Next::Done(token, completion, times));
        }
        let reply = self.replies.pop_front();
        if reply.is_some() || take == Take::Replies { reply } else { self.requests.pop_front() }.map(Next::Am)
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
#[inline]
pub(crate) fn hand_up<R: RawMutex, T: Queued>(
    inner: &mut MutexGuard<'_, R, T>,
    up: &dyn Deliver,
    take: Take,
    budget: u32,
) -> u32 {
    let mut handled = 0;
    while handled < budget {
        let Some(next) = inner.arrivals().next(take) else { break };
        handled += 1;
        match next {
            Next::Done(token, completion, 1) => MutexGuard::unlocked(inner, || outside(|| up.done(token, completion))),
            Next::Done(token, completion, times) => {
                MutexGuard::unlocked(inner, || outside(|| up.done_times(token, completion, times)));
            }
            Next::Am(mut arrival) => {
                MutexGuard::unlocked(inner, || outside(|| arrival.handle(up)));
                inner.handled(arrival.from, arrival.traffic, arrival.cost);
                match arrival.body {
                    ArrivedBody::Lent(lent) => inner.give_back(lent),
                    ArrivedBody::Loan(_, number) => inner.end_loan(number),
                    _ => {}
                }
            }
        }
    }
    handled
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(traffic: Traffic) -> Arrival {
        let header = AmHeader { traffic, handler: 1, envelope: Envelope::PLAIN, args: &[] };
        Arrival::new(JobRank(0), &header, ArrivedBody::None, 1)
    }

    #[test]
    fn anything_that_waits_is_an_arrival() {
        let mut arrivals = Arrivals::default();
        assert!(arrivals.is_empty());
        arrivals.push(message(Traffic::Request));
        assert!(!arrivals.is_empty());
        assert!(arrivals.next(Take::Replies).is_none() && !arrivals.is_empty());
        assert!(arrivals.next(Take::All).is_some() && arrivals.is_empty());
        arrivals.push(message(Traffic::Reply));
        assert!(!arrivals.is_empty());
        assert!(arrivals.next(Take::Replies).is_some() && arrivals.is_empty());
        arrivals.done(OpToken(1), Completion::Remote);
        assert!(!arrivals.is_empty());
        assert!(arrivals.next(Take::Replies).is_some() && arrivals.is_empty());
    }
}
