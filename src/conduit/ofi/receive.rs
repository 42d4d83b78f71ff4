//! Receives: a few buffers for many messages each, or many for one each; and the handling of messages.
//!
//! # Safety
//! The buffer of a receive is not used by us while it is posted, except for messages that have arrived in it.
#![allow(unsafe_code)]

use super::buffers::OfiBuffer;
use super::flights::{Flights, OfiFlown};
use super::packet::{self, OfiHead, OfiKind, OfiPlace, PACKET};
use super::port::CheckedPort;
use super::rank::{OfiRank, cost};
use crate::conduit::shared::arrivals::{Arrival, ArrivedBody, Queued};
use crate::conduit::shared::held::{Aligned, Held};
use crate::conduit::shared::serialized::Own;
use crate::conduit::{AmHeader, MAX_ARGS};
use crate::defs::rank::JobRank;
use crate::env;
use crate::fatal::fatal;
use crate::mem::{self, Dst, RemoteAddr, Src};
use crate::shims::ofi::{OfiCompletion, cap};

/// Receives for many messages, and the bytes of each.
const MULTI: (usize, usize) = (4, 8 * PACKET);
/// Receives for one message.
const SINGLE: usize = 64;
/// Part of the receives that has to be posted so that Mediums are lent to handlers instead of being copied.
const LEAST_POSTED: usize = 2;

struct OfiReceive {
    buffer: OfiBuffer,
    context: *mut core::ffi::c_void,
    /// Messages in it that wait for their handlers.
    lent: u32,
    posted: bool,
}

pub(crate) struct Receives {
    all: Vec<OfiReceive>,
    is_multi: bool,
    posted: usize,
    /// Those that are to be posted.
    due: Vec<u32>,
}

// SAFETY: the contexts are those of flights of the same rank, which one thread at a time uses.
unsafe impl Send for Receives {}

impl Receives {
    pub(crate) fn new(port: &mut CheckedPort, flights: &mut Flights, me: JobRank) -> Receives {
        let single = env::choice("GASNET_OFI_RECEIVES") == "single";
        let is_multi = !single && port.offer.caps & cap::MULTI_RECV != 0 && port.least_room(PACKET) == 0;
        let (count, bytes) = if is_multi { MULTI } else { (SINGLE.min(port.offer.receives.max(1) as usize), PACKET) };
        let all = (0..count as u32).map(|number| {
            let buffer = OfiBuffer::new(port, bytes);
            let (_, context) = flights.begin(me, OfiFlown::Receive(number));
            OfiReceive { buffer, context, lent: 0, posted: false }
        });
        let mut receives = Receives { all: all.collect(), is_multi, posted: 0, due: (0..count as u32).collect() };
        receives.post_again(port, flights);
        receives
    }

    /// Flights that are receives.
    #[inline]
    pub(crate) fn count(&self) -> usize {
        self.all.len()
    }

    /// Posts the receives whose messages were handled.
    #[inline]
    pub(crate) fn post_again(&mut self, port: &mut CheckedPort, _flights: &mut Flights) {
        while let Some(number) = self.due.pop() {
            let receive = &mut self.all[number as usize];
            let descriptor = receive.buffer.descriptor();
            let view = receive.buffer.view();
            // SAFETY: the buffer is in `all`, and is not used but for messages in it; the context is that of its flight, which stays.
            let code = unsafe { port.receive(view, descriptor, self.is_multi, receive.context) };
            if code != 0 {
                self.due.push(number);
                if code != crate::shims::ofi::AGAIN {
                    let why = port.error_text(code);
                    fatal!("conduit ofi: {} posts no receive: {why}", port.offer.provider);
                }
                return;
            }
            receive.posted = true;
            self.posted += 1;
        }
    }

    /// A message of this receive was handled.
    #[inline]
    pub(crate) fn returned(&mut self, number: u32) {
        let receive = &mut self.all[number as usize];
        receive.lent -= 1;
        if receive.lent == 0 && !receive.posted {
            self.due.push(number);
        }
    }

    /// The receive is over.
    fn released(&mut self, number: u32) {
        let receive = &mut self.all[number as usize];
        if !receive.posted {
            return;
        }
        receive.posted = false;
        self.posted -= 1;
        if receive.lent == 0 {
            self.due.push(number);
        }
    }

    fn may_lend(&self) -> bool {
        self.posted * LEAST_POSTED >= self.all.len()
    }
}

impl OfiRank {
    #[inline]
    pub(crate) fn received(&mut self, number: u32, completion: &OfiCompletion, own: Own<'_>, leaving: bool) {
        if completion.error != 0 {
            if completion.error != libc::ECANCELED {
                let (why, provider) = (self.port.error_text(completion.error), &self.port.offer.provider);
                fatal!("conduit ofi: a receive of {provider} has failed: {why}");
            }
            return;
        }
        let is_multi = self.receives.is_multi;
        if completion.is_message() {
            let receive = &mut self.receives.all[number as usize];
            receive.lent += 1;
            let whole = receive.buffer.view();
            let at = completion.buffer as usize;
            let from = if is_multi { at.wrapping_sub(whole.as_ptr().expose_provenance()) } else { 0 };
            let len = completion.bytes as usize;
            if from > whole.len() || len > whole.len() - from {
                fatal!("conduit ofi: a message of {len} bytes has arrived outside the buffers of receives");
            }
            let bytes = whole.part(from, len);
            // SAFETY: the bytes stay in the buffer of the receive, which is posted again only after `returned`.
            let bytes = unsafe { Held::dst(bytes) };
            if !is_multi {
                self.receives.released(number);
            }
            if !self.take(own, bytes, number, leaving) {
                self.receives.returned(number);
            }
        }
        if is_multi && completion.is_released() {
            self.receives.released(number);
        }
    }

    /// Handles a message; true if it stays in the buffer of its receive until it has been handled.
    #[inline]
    fn take(&mut self, own: Own<'_>, message: Held<Dst<'static>>, receive: u32, leaving: bool) -> bool {
        let (view, mut args) = (message.0, [0; MAX_ARGS]);
        // SAFETY: the provider does not write a message that has arrived, and no handler has it yet.
        let packet = unsafe { core::slice::from_raw_parts(view.as_ptr().cast_const(), view.len()) };
        let read = packet::read(packet, &mut args).filter(|(head, _)| (head.from as usize) < self.peers.len());
        let Some((head, start)) = read else {
            fatal!("conduit ofi: {} bytes have arrived that are not a message of this job", view.len());
        };
        let len = view.len() - start;
        let OfiHead { kind, traffic, handler, limits, there, envelope, args, .. } = head;
        let from = JobRank(head.from);
        let header = AmHeader { traffic, handler, envelope, args };
        let peer = &mut self.peers[from.index()];
        peer.credits.granted(limits);
        if let Some(sequence) = head.sequence
            && !peer.came.add(sequence)
        {
            fatal!("conduit ofi: message {sequence} of rank {} has arrived twice", from.0);
        }
        let cost = cost(head.bytes(), len, self.least_cost);
        if kind.is_counted() {
            let mut costs = [0; 2];
            costs[traffic as usize] = cost;
            if !peer.room.holds(costs) {
                fatal!("conduit ofi: rank {} sent more than it has credits for", from.0);
            }
            peer.room.arrived(costs);
        }
        match kind {
            OfiKind::Short => self.arrivals.push(Arrival::new(from, &header, ArrivedBody::None, cost)),
            OfiKind::Medium => {
                let place = view.part(start, len);
                let lends = place.as_ptr().addr().is_multiple_of(16) && self.receives.may_lend();
                let body = if lends {
                    ArrivedBody::Loan(Held(place), receive)
                } else {
                    ArrivedBody::Medium(Aligned::copy_of(&packet[start..]))
                };
                self.arrivals.push(Arrival::new(from, &header, body, cost));
                return lends;
            }
            OfiKind::Long => {
                if let Some(place) = self.own(own, from, there.at, len, leaving) {
                    mem::copy(place, view.part(start, len).as_src());
                    self.arrivals.push(Arrival::new(from, &header, ArrivedBody::Long(Held(place)), cost));
                }
            }
            OfiKind::LongThere => {
                if let Some(place) = self.own(own, from, there.at, there.len as usize, leaving) {
                    self.arrivals.push(Arrival::new(from, &header, ArrivedBody::Long(Held(place)), cost));
                }
            }
            OfiKind::Put => {
                if let Some(place) = self.own(own, from, there.at, len, leaving) {
                    mem::copy(place, view.part(start, len).as_src());
                    let there = OfiPlace { len: len as u32, ..there };
                    self.answer(from, &mut OfiHead::of(OfiKind::Done, there), Src::none());
                }
                self.handled(from, traffic, cost);
            }
            OfiKind::Get => {
                if let Some(place) = self.own(own, from, there.at, there.len as usize, leaving) {
                    self.answer(from, &mut OfiHead::of(OfiKind::Data, there), place.as_src());
                }
                self.handled(from, traffic, cost);
            }
            OfiKind::Done => self.message_done(from, there, None),
            OfiKind::Data => self.message_done(from, there, Some(view.part(start, len).as_src())),
            OfiKind::Credit => {}
            OfiKind::Ask => self.asked(from, there, &packet[start..]),
            OfiKind::Answer => self.ask_answered(from, there, &packet[start..]),
        }
        false
    }

    /// The memory of this rank that a peer names. If there is no such memory, ends the job, or returns None when `leaving`.
    fn own(&self, own: Own<'_>, from: JobRank, at: usize, len: usize, leaving: bool) -> Option<Dst<'static>> {
        let place = own(RemoteAddr(at), len);
        if place.is_none() && !leaving {
            fatal!("rank {} reaches for {len} bytes at {at:#x}, outside this rank's segment", from.0);
        }
        place
    }
}
