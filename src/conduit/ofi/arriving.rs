//! The handling of messages that have arrived.
//!
//! # Safety
//! A message stays in the buffer of its receive, which nobody writes, until it has been handled.
#![allow(unsafe_code)]

use std::time::Instant;

use super::packet::{OfiHead, OfiKind};
use super::rank::{LOST, OfiRank};
use crate::conduit::MAX_ARGS;
use crate::conduit::shared::arrivals::{ArrivedBody, Queued};
use crate::conduit::shared::credits::cost;
use crate::conduit::shared::held::{Aligned, Held, Own};
use crate::conduit::shared::packet::{ALIGN, PacketPlace};
use crate::defs::rank::JobRank;
use crate::fatal::fatal;
use crate::mem::{self, Dst, Src};
use crate::shims::ofi::OfiCompletion;

#[cold]
fn refuse(bytes: usize) -> ! {
    fatal!("conduit ofi: {bytes} bytes have arrived that are not a message of this job")
}

impl OfiRank {
    #[inline]
    pub(crate) fn received(&mut self, number: u32, completion: &OfiCompletion, own: Own<'_>, leaving: bool) {
        if completion.error != 0 {
            return self.receive_failed(number, completion);
        }
        let is_multi = self.receives.is_multi;
        if completion.is_message() {
            let len = completion.bytes as usize;
            let Some(bytes) = self.receives.message(number, completion.buffer as usize, len) else {
                fatal!("conduit ofi: a message of {len} bytes has arrived outside the buffers of receives");
            };
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

    /// A receive, or a message in one, has failed: the connection was lost while a payload was being read from its sender.
    #[cold]
    fn receive_failed(&mut self, number: u32, completion: &OfiCompletion) {
        // Of receives that are cancelled when the endpoint is closed.
        if completion.error == libc::ECANCELED {
            return;
        }
        let (why, provider) = (self.port.error_text(completion.error), &self.port.offer.provider);
        if !LOST.contains(&completion.error) {
            fatal!("conduit ofi: a receive of {provider} has failed: {why}");
        }
        self.receives.failed(number, completion.is_released(), &mut self.port, &mut self.flights, self.me);
        if self.lost.is_none() {
            self.lost = Some((Instant::now(), None, format!("{why} (of a receive)")));
        }
    }

    /// Takes a packet; true if its message stays in the buffer of its receive until it has been handled.
    #[inline]
    fn take(&mut self, own: Own<'_>, message: Held<Dst<'static>>, receive: u32, leaving: bool) -> bool {
        let (view, mut args) = (message.0, [0; MAX_ARGS]);
        // SAFETY: the provider does not write a message that has arrived, and no handler has it yet.
        let packet = unsafe { core::slice::from_raw_parts(view.as_ptr().cast_const(), view.len()) };
        let read = OfiHead::read(packet, &mut args).filter(|(head, _)| (head.number as usize) < self.peers.len());
        let Some((head, mut at)) = read else { refuse(view.len()) };
        let from = JobRank(head.number);
        let peer = &mut self.peers[from.index()];
        peer.credits.granted(head.limits);
        peer.batch.heard();
        if head.kind != OfiKind::Batch {
            return self.take_message(own, from, &head, view.part(at, view.len() - at), Some(receive), leaving);
        }
        while at < packet.len() {
            let mut args = [0; MAX_ARGS];
            let Some((head, start)) = OfiHead::read(&packet[at..], &mut args) else { refuse(view.len()) };
            let (start, len) = (at + start, head.number as usize);
            if len > packet.len() - start {
                refuse(view.len());
            }
            self.take_message(own, from, &head, view.part(start, len), None, leaving);
            at = (start + len).next_multiple_of(ALIGN);
        }
        false
    }

    /// Handles a message with this payload; true if it stays until it has been handled, in the buffer of `receive`, if it may.
    #[inline]
    fn take_message(
        &mut self,
        own: Own<'_>,
        from: JobRank,
        head: &OfiHead<'_>,
        payload: Dst<'static>,
        receive: Option<u32>,
        leaving: bool,
    ) -> bool {
        let OfiHead { kind, traffic, there, .. } = *head;
        let (header, len) = (head.header(), payload.len());
        // SAFETY: as in `take`.
        let bytes = unsafe { core::slice::from_raw_parts(payload.as_ptr().cast_const(), len) };
        let peer = &mut self.peers[from.index()];
        if let Some(sequence) = head.sequence {
            if !peer.came.add(sequence) {
                fatal!("conduit ofi: message {sequence} of rank {} has arrived twice", from.0);
            }
        }
        let cost = cost(head.bytes(), len, self.least_cost);
        if kind.is_counted() && !peer.room.admits(traffic, cost) {
            fatal!("conduit ofi: rank {} sent more than it has credits for", from.0);
        }
        match kind {
            OfiKind::Short => self.arrivals.push(from, &header, ArrivedBody::None, cost),
            OfiKind::Medium => {
                let lent = receive.filter(|_| payload.as_ptr().addr() % ALIGN == 0 && self.receives.may_lend());
                let body = match lent {
                    Some(receive) => ArrivedBody::Loan(Held(payload), receive),
                    None => ArrivedBody::Medium(Aligned::copy_of(bytes)),
                };
                self.arrivals.push(from, &header, body, cost);
                return lent.is_some();
            }
            OfiKind::Long => {
                if let Some(place) = head.place(own, from, len, leaving) {
                    mem::copy(place, payload.as_src());
                    self.arrivals.push(from, &header, ArrivedBody::Long(Held(place)), cost);
                }
            }
            OfiKind::LongThere => {
                if let Some(place) = head.place(own, from, there.len as usize, leaving) {
                    self.arrivals.push(from, &header, ArrivedBody::Long(Held(place)), cost);
                }
            }
            OfiKind::Put => {
                if let Some(place) = head.place(own, from, len, leaving) {
                    mem::copy(place, payload.as_src());
                    let there = PacketPlace { len: len as u32, ..there };
                    self.answer(from, &mut OfiHead::of(OfiKind::Done, 0).at(there), Src::none());
                }
                self.handled(from, traffic, cost);
            }
            OfiKind::Get => {
                if let Some(place) = head.place(own, from, there.len as usize, leaving) {
                    self.answer(from, &mut OfiHead::of(OfiKind::Data, 0).at(there), place.as_src());
                }
                self.handled(from, traffic, cost);
            }
            OfiKind::Done => self.message_done(from, there, None),
            OfiKind::Data => self.message_done(from, there, Some(payload.as_src())),
            OfiKind::Credit => {}
            OfiKind::Batch => refuse(len),
            OfiKind::Ask => self.asked(from, there, bytes),
            OfiKind::Answer => self.ask_answered(from, there, bytes),
        }
        false
    }
}
