//! Messages that have arrived in this rank's object.

use super::ShmemRank;
use crate::conduit::shared::arrivals::{ArrivedBody, Queued};
use crate::conduit::shared::held::{Held, Own};
use crate::conduit::shmem::slots::{self, MEDIUM, SlotKind, SlotShort, tag_of};
use crate::conduit::{AmHeader, MAX_ARGS, Traffic};
use crate::defs::rank::JobRank;
use crate::fatal::fatal;
use crate::mem::{self, Dst, RemoteAddr};
use crate::os::cpu;

/// The head that is prefetched is that of this many messages after the next one.
const AHEAD: u64 = 2;

impl ShmemRank {
    /// The message of the next ticket, if it has arrived.
    #[inline(always)]
    fn receive(&mut self, class: Traffic, own: Own<'_>, leaving: bool) -> bool {
        let ticket = self.next[class as usize];
        let words = self.coming[class as usize].0;
        slots::has_begun(words, tag_of(ticket)) && self.receive_begun(class, ticket, words, own, leaving)
    }

    #[inline(never)]
    fn receive_begun(&mut self, class: Traffic, ticket: u64, words: Dst<'_>, own: Own<'_>, leaving: bool) -> bool {
        // Its slot is not free before the message that it had is handled.
        if ticket >= self.first[class as usize] + self.layout.depth {
            return false;
        }
        let Some(SlotShort { handler, from, nargs, args }) = slots::read_short(words, tag_of(ticket)) else {
            return self.receive_other(class, ticket, words, own, leaving);
        };
        self.took(class);
        self.arrivals.push_few(JobRank(from), class, handler, (nargs, args), self.layout.slot_of(ticket) as u32);
        true
    }

    /// The message of this class that was to come has.
    fn took(&mut self, class: Traffic) {
        let next = self.next[class as usize] + 1;
        self.next[class as usize] = next;
        self.coming[class as usize] = Held(self.layout.head_in(self.own.0, class, next));
    }

    #[inline(never)]
    fn receive_other(&mut self, class: Traffic, ticket: u64, words: Dst<'_>, own: Own<'_>, leaving: bool) -> bool {
        let mut args = [0; MAX_ARGS];
        let Some(head) = slots::read(words, tag_of(ticket), &mut args) else { return false };
        self.took(class);
        let slot = self.layout.slot_of(ticket) as u32;
        let len = head.len as usize;
        let body = match head.kind {
            SlotKind::Short => ArrivedBody::None,
            SlotKind::Medium => {
                ArrivedBody::Place(Held(self.own.0.part(self.layout.payload_at(class, ticket), len.min(MEDIUM))))
            }
            SlotKind::Long | SlotKind::LongHere => match own(RemoteAddr(head.at), len) {
                Some(place) => {
                    if head.kind == SlotKind::LongHere {
                        mem::copy(
                            place,
                            self.own.0.part(self.layout.payload_at(class, ticket), len.min(MEDIUM)).as_src(),
                        );
                    }
                    ArrivedBody::Long(Held(place))
                }
                None if leaving => return self.is_nothing(class, slot),
                None => fatal!("rank {} names {len} bytes at {:#x}, outside this rank's segment", head.from, head.at),
            },
            SlotKind::Void => return self.is_nothing(class, slot),
        };
        let header = AmHeader { traffic: class, handler: head.handler, envelope: head.envelope, args: head.args };
        self.arrivals.push(JobRank(head.from), &header, body, slot);
        true
    }

    /// Receives messages of a class, at most `most`; returns their number.
    #[inline]
    pub(super) fn receive_most(&mut self, most: u32, class: Traffic, own: Own<'_>, leaving: bool) -> u32 {
        let mut received = 0;
        while received < most && self.receive(class, own, leaving) {
            received += 1;
            if received >= 2 {
                // Where several wait, more are likely to.
                let ahead = self.layout.head_in(self.own.0, class, self.next[class as usize] + AHEAD);
                cpu::prefetch(ahead.as_ptr());
            }
        }
        received
    }

    fn is_nothing(&mut self, class: Traffic, slot: u32) -> bool {
        self.handled(JobRank(0), class, slot);
        true
    }
}
