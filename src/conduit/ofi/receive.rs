//! Receives: a few buffers for many messages each, or many for one each.
//!
//! # Safety
//! The buffer of a receive is not used by us while it is posted, except for messages that have arrived in it.
#![allow(unsafe_code)]

use core::mem;

use super::buffers::OfiBuffer;
use super::flights::{Flights, OfiFlown};
use super::port::CheckedPort;
use crate::conduit::shared::packet::PACKET;
use crate::defs::rank::JobRank;
use crate::env;
use crate::fatal::fatal;
use crate::mem::Dst;
use crate::shims::ofi::{AGAIN, cap};

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
    /// A message in it has failed, and there is another receive instead.
    replaced: bool,
    filling: Filling,
}

impl OfiReceive {
    fn new(number: u32, bytes: usize, port: &mut CheckedPort, flights: &mut Flights, me: JobRank) -> OfiReceive {
        let buffer = OfiBuffer::new(port, bytes);
        let (_, context) = flights.begin(me, OfiFlown::Receive(number));
        OfiReceive { buffer, context, lent: 0, posted: false, replaced: false, filling: Filling::default() }
    }
}

/// The messages that have arrived in a receive since it was posted.
#[derive(Clone, Copy, Default)]
struct Filling {
    bytes: usize,
    /// The farthest end of a message.
    end: usize,
    /// The provider has said that the receive is over.
    over: bool,
}

impl Filling {
    fn add(&mut self, from: usize, len: usize) {
        self.bytes += len;
        self.end = self.end.max(from + len);
    }

    /// Whether the provider writes to the receive no more. `gapless`: the bytes of a receive in which it puts messages one behind the other
    /// until there are fewer than [`PACKET`] left.
    fn is_complete(&self, gapless: Option<usize>) -> bool {
        self.over && gapless.is_none_or(|bytes| self.bytes == self.end && bytes.saturating_sub(self.end) < PACKET)
    }
}

pub(crate) struct Receives {
    all: Vec<OfiReceive>,
    pub is_multi: bool,
    /// The bytes of a receive whose provider may say that it is over while messages still arrive in it: ofi_rxm (libfabric 1.17) says so with
    /// the end of the last message that it has put there, or already when the receive is posted if messages have waited for it, and reads long
    /// ones from several peers at the same time.
    gapless: Option<usize>,
    posted: usize,
    /// Those that are to be posted.
    due: Vec<u32>,
}

// SAFETY: the contexts are those of flights of the same rank, which one thread at a time uses.
unsafe impl Send for Receives {}

impl Receives {
    pub(crate) fn new(port: &mut CheckedPort, flights: &mut Flights, me: JobRank) -> Receives {
        // ofi_rxd (libfabric 1.17) puts messages of several peers over one another in a receive for many.
        let single = env::choice("GASNET_OFI_RECEIVES") == "single" || port.offer.provider.ends_with(";ofi_rxd");
        let is_multi = !single && port.offer.caps & cap::MULTI_RECV != 0 && port.least_room(PACKET) == 0;
        let (count, bytes) = if is_multi { MULTI } else { (SINGLE.min(port.offer.receives.max(1) as usize), PACKET) };
        let gapless = Some(bytes).filter(|_| is_multi && port.offer.provider.ends_with(";ofi_rxm"));
        let all = (0..count as u32).map(|number| OfiReceive::new(number, bytes, port, flights, me));
        let due = (0..count as u32).collect();
        let mut receives = Receives { all: all.collect(), is_multi, gapless, posted: 0, due };
        receives.post_again(port);
        receives
    }

    /// Flights that are receives.
    #[inline]
    pub(crate) fn count(&self) -> usize {
        self.all.len()
    }

    /// Posts the receives whose messages were handled.
    #[inline]
    pub(crate) fn post_again(&mut self, port: &mut CheckedPort) {
        while let Some(number) = self.due.pop() {
            let receive = &mut self.all[number as usize];
            let descriptor = receive.buffer.descriptor();
            let view = receive.buffer.view();
            // SAFETY: the buffer is in `all`, and is not used but for messages in it; the context is that of its flight, which stays.
            let code = unsafe { port.receive(view, descriptor, self.is_multi, receive.context) };
            if code != 0 {
                self.due.push(number);
                if code != AGAIN {
                    let why = port.error_text(code);
                    fatal!("conduit ofi: {} posts no receive: {why}", port.offer.provider);
                }
                return;
            }
            receive.posted = true;
            receive.filling = Filling::default();
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

    /// The provider says that the receive is over.
    pub(crate) fn released(&mut self, number: u32) {
        self.all[number as usize].filling.over = true;
        self.end(number);
    }

    /// A message of the receive will not arrive. Where its bytes are awaited, the receive is never complete, and another one takes its place.
    #[cold]
    pub(crate) fn failed(
        &mut self,
        number: u32,
        is_released: bool,
        port: &mut CheckedPort,
        flights: &mut Flights,
        me: JobRank,
    ) {
        if self.gapless.is_some() && !mem::replace(&mut self.all[number as usize].replaced, true) {
            let (another, bytes) = (self.all.len() as u32, self.all[number as usize].buffer.view().len());
            self.all.push(OfiReceive::new(another, bytes, port, flights, me));
            self.due.push(another);
        }
        if is_released || !self.is_multi {
            self.released(number);
        }
    }

    /// The receive may be posted again, once all of its messages have arrived and were handled.
    #[inline]
    fn end(&mut self, number: u32) {
        let receive = &mut self.all[number as usize];
        if !receive.posted || !receive.filling.is_complete(self.gapless) {
            return;
        }
        receive.posted = false;
        self.posted -= 1;
        if receive.lent == 0 {
            self.due.push(number);
        }
    }

    pub(crate) fn may_lend(&self) -> bool {
        self.posted * LEAST_POSTED >= self.all.len()
    }

    /// The place of a message that has arrived in a receive, which stays there until [`Receives::returned`]. None: it is not in its buffer.
    #[inline]
    pub(crate) fn message(&mut self, number: u32, at: usize, len: usize) -> Option<Dst<'_>> {
        let receive = &mut self.all[number as usize];
        let whole = receive.buffer.view();
        let from = if self.is_multi { at.wrapping_sub(whole.as_ptr().expose_provenance()) } else { 0 };
        if from > whole.len() || len > whole.len() - from {
            return None;
        }
        receive.lent += 1;
        receive.filling.add(from, len);
        self.end(number);
        Some(self.all[number as usize].buffer.view().part(from, len))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receive_is_complete_when_the_messages_before_its_last_one_have_arrived() {
        let (mut filling, gapless) = (Filling::default(), Some(2 * PACKET));
        filling.add(0, 100);
        filling.add(PACKET + 100, 30);
        assert!(!filling.is_complete(None) && !filling.is_complete(gapless));
        filling.over = true;
        assert!(filling.is_complete(None) && !filling.is_complete(gapless));
        filling.add(100, PACKET);
        assert!(filling.is_complete(gapless));
    }

    /// Messages that have waited for the receive: the provider says that it is over before it has read any.
    #[test]
    fn a_receive_is_not_complete_while_its_last_message_is_to_arrive() {
        let (mut filling, gapless) = (Filling { over: true, ..Filling::default() }, Some(2 * PACKET));
        assert!(!filling.is_complete(gapless));
        filling.add(0, 100);
        assert!(!filling.is_complete(gapless));
        filling.add(100, PACKET);
        assert!(filling.is_complete(gapless));
    }
}
