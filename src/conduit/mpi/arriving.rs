//! Arriving messages: those with a handler go to the arrival queue, puts and gets are executed.

use core::ops::Range;

use super::inner::{MpiFlown, MpiPeer, MpiRank};
use super::packet::{self, BATCH_HEAD, MpiHead, MpiKind, RECORD_HEAD};
use crate::conduit::MAX_ARGS;
use crate::conduit::shared::arrivals::{ArrivedBody, LentBuffer, Queued};
use crate::conduit::shared::combining::WordsTo;
use crate::conduit::shared::credits::cost;
use crate::conduit::shared::held::{Aligned, Held, Own};
use crate::conduit::shared::packet::{ALIGN, PACKET};
use crate::defs::rank::JobRank;
use crate::fatal::fatal;
use crate::mem::{self, Src};
use crate::shims::mpi::ArrivedAt;

/// Of posted receives, the number below which Mediums are copied, instead of lending their buffers to handlers.
const LEAST_POSTED: usize = 16;

impl MpiRank {
    /// Handles the message in a receive's buffer if it is a Short, which most are; false: it is not.
    #[inline]
    pub(super) fn take_short(&mut self, slot: usize, arrived: &ArrivedAt) -> bool {
        let Some(packet) = self.buffers[slot].as_ref().filter(|packet| packet::is_short(packet)) else { return false };
        let (from, bytes) = (JobRank(arrived.from), arrived.bytes.min(PACKET));
        let mut args = [0; MAX_ARGS];
        let Some((head, start)) = MpiHead::read(&packet[..bytes], &mut args) else { no_message(from, bytes) };
        let cost = admit(&mut self.peers[from.index()], from, &head, bytes - start, self.least_cost);
        self.arrivals.push(from, &head.header(), ArrivedBody::None, cost);
        true
    }

    /// Handles the messages in a receive's buffer; returns the buffer, unless it was lent.
    #[inline]
    pub(super) fn take(&mut self, own: Own<'_>, slot: usize, arrived: &ArrivedAt, leaving: bool) -> Option<Aligned> {
        let mut packet = self.buffers[slot].take()?;
        let (from, bytes) = (JobRank(arrived.from), arrived.bytes.min(PACKET));
        if !packet::is_batch(&packet) {
            return self.handle(own, from, packet, 0..bytes, Some(slot), leaving);
        }
        let mut at = BATCH_HEAD;
        while at < bytes {
            let Some(record) = packet::record(&packet[..bytes], at) else { no_message(from, bytes) };
            at = record.end.next_multiple_of(RECORD_HEAD);
            packet = self.handle(own, from, packet, record, None, leaving)?;
        }
        Some(packet)
    }

    /// Handles the message at `place` of a packet; returns the packet, unless it was lent. `slot`: that of the receive, if nothing else
    /// is in its buffer.
    #[inline]
    fn handle(
        &mut self,
        own: Own<'_>,
        from: JobRank,
        mut packet: Aligned,
        place: Range<usize>,
        slot: Option<usize>,
        leaving: bool,
    ) -> Option<Aligned> {
        let mut args = [0; MAX_ARGS];
        let Some((head, start)) = MpiHead::read(&packet[place.clone()], &mut args) else {
            no_message(from, place.len())
        };
        let (start, bytes) = (place.start + start, place.end);
        let len = bytes - start;
        let MpiHead { kind, traffic, number, there, .. } = head;
        let header = head.header();
        let cost = admit(&mut self.peers[from.index()], from, &head, len, self.least_cost);
        match kind {
            MpiKind::Short => self.arrivals.push(from, &header, ArrivedBody::None, cost),
            MpiKind::Medium if slot.is_some() && self.posted.len() >= LEAST_POSTED => {
                // The address of an empty payload is aligned, too.
                let start = start.next_multiple_of(ALIGN);
                let lent = LentBuffer { buffer: packet, number: slot.unwrap_or_default() as u32, start, len };
                self.arrivals.push(from, &header, ArrivedBody::Lent(lent), cost);
                return None;
            }
            MpiKind::Medium => {
                let body = ArrivedBody::Medium(Aligned::copy_of(&packet[start..start + len]));
                self.arrivals.push(from, &header, body, cost);
            }
            MpiKind::Long => {
                if let Some(place) = head.place(own, from, len, leaving) {
                    mem::copy(place, packet.view().part(start, len).as_src());
                    self.arrivals.push(from, &header, ArrivedBody::Long(Held(place)), cost);
                }
            }
            MpiKind::LongBulk => match head.place(own, from, there.len as usize, leaving) {
                Some(place) => {
                    let arrival = self.arrivals.made(from, &header, ArrivedBody::Long(Held(place)), cost);
                    self.bulk_in(from, there.number, place, MpiFlown::Long(arrival));
                }
                None => self.bulk_away(from, there),
            },
            MpiKind::Put | MpiKind::PutBulk | MpiKind::Get | MpiKind::GetBulk => {
                let len = if kind == MpiKind::Put { len } else { there.len as usize };
                if let Some(place) = head.place(own, from, len, leaving) {
                    match kind {
                        MpiKind::Put => {
                            mem::copy(place, packet.view().part(start, len).as_src());
                            self.landed(from, MpiFlown::Put(number));
                        }
                        MpiKind::PutBulk => self.bulk_in(from, there.number, place, MpiFlown::Put(number)),
                        MpiKind::Get => {
                            self.answer(from, &mut MpiHead::of(MpiKind::Data, number), place.as_src());
                        }
                        _ => self.bulk_out(from, there.number, place.as_src(), None),
                    }
                } else if kind == MpiKind::PutBulk {
                    self.bulk_away(from, there);
                }
                self.handled(from, traffic, cost);
            }
            MpiKind::Done => self.complete(from, number, None),
            MpiKind::Data => self.complete(from, number, Some(packet.view().part(start, len).as_src())),
            MpiKind::Credit => {}
            MpiKind::Combine => {
                let [a, b, c, d, e, f] = *head.args.first_chunk().unwrap_or(&[0; 6]);
                let words = [(a, b), (c, d), (e, f)].map(|(low, high)| i64::from(low as u32) | i64::from(high) << 32);
                if !self.combining.come(number, words) {
                    no_message(from, place.len());
                }
                self.combine(None);
            }
            MpiKind::Batch => no_message(from, place.len()),
        }
        Some(packet)
    }

    /// Sends words of a combination, and those of further rounds whose turn has come.
    pub(crate) fn combine(&mut self, first: Option<WordsTo>) {
        let mut next = first.or_else(|| self.combining.advance());
        while let Some(WordsTo { to, number, words: [a, b, c] }) = next {
            let args = [a, a >> 32, b, b >> 32, c, c >> 32].map(|word| word as i32);
            let mut head = MpiHead { args: &args, ..MpiHead::of(MpiKind::Combine, number) };
            self.answer(JobRank(to), &mut head, Src::none());
            next = self.combining.advance();
        }
    }
}

/// Takes the credits that a head grants, and room for its message with a payload of `len` bytes; returns the cost of the message.
#[inline]
fn admit(peer: &mut MpiPeer, from: JobRank, head: &MpiHead<'_>, len: usize, least_cost: u32) -> u32 {
    let MpiHead { kind, traffic, limits, .. } = *head;
    peer.credits.granted(limits);
    let cost = cost(head.bytes(), len, least_cost);
    let is_counted = !matches!(kind, MpiKind::Done | MpiKind::Data | MpiKind::Credit | MpiKind::Combine);
    if is_counted && !peer.room.admits(traffic, cost) {
        fatal!("conduit mpi: rank {} sent more than it has credits for", from.0);
    }
    cost
}

#[cold]
fn no_message(from: JobRank, bytes: usize) -> ! {
    fatal!("conduit mpi: {bytes} bytes have arrived from rank {} that are not a message of this job", from.0);
}
