//! How messages leave. A message goes to MPI at once, unless `FLYING` earlier small ones to the same rank have not been seen to leave
//! MPI: then it most likely has no room in its shared memory or sockets, and small messages are collected into one, which is sent when one
//! of those has left, or no further message fits. A few messages are never collected: they arrive although their sender makes no call
//! afterwards. The receiver then has one receive for many of them. Like those that MPI holds back, they leave when this rank polls.
//!
//! # Safety
//! The buffer of a message that MPI may not have sent stays in `last` or `flying`; it is on the heap, and does not move.
#![allow(unsafe_code)]

use super::inner::{Collected, MpiFlight, MpiFlown, MpiRank};
use super::packet::{BATCH_HEAD, MpiHead, MpiKind, RECORD_HEAD, SMALL};
use crate::conduit::Traffic;
use crate::conduit::shared::held::Aligned;
use crate::conduit::shared::packet::PACKET;
use crate::defs::rank::JobRank;
use crate::mem::{self, Src};
use crate::shims::mpi;

/// Bytes of the messages that are collected, at most: the receiver copies their payloads once more.
const MOST_COLLECTED: usize = 512;

/// Small messages to a rank that have not been seen to leave MPI, from which on further ones are collected.
const FLYING: u32 = 16;

impl MpiRank {
    /// Sends a message; there is always room.
    #[inline]
    pub(super) fn transmit(&mut self, to: JobRank, head: &mut MpiHead<'_>, payload: Src<'_>) {
        let peer = &mut self.peers[to.index()];
        if peer.gone || self.closed {
            return;
        }
        mpi::check_runs();
        head.limits = peer.room.tell();
        let bytes = head.with(payload.len());
        if bytes <= MOST_COLLECTED && peer.flying >= FLYING {
            self.collect(to, head, payload, bytes);
            return;
        }
        let is_small = bytes <= SMALL;
        let (spare, size) = if is_small { (&mut self.small, SMALL) } else { (&mut self.large, PACKET) };
        let mut packet = spare.pop().unwrap_or_else(|| Aligned::zeroed(size));
        fill(&mut packet, 0, head, payload);
        self.launch(to, packet, bytes);
    }

    /// Sends the first `bytes` bytes of a packet. MPI is asked later whether it has left, for which nobody waits: by the next poll or message.
    #[inline]
    fn launch(&mut self, to: JobRank, mut packet: Aligned, bytes: usize) {
        self.ask_of_last();
        // SAFETY: the buffer is on the heap, and is kept in `last`, then in `flying`, until the request is complete (head of the file).
        let request = unsafe { self.port.send(to.0, packet.view().part(0, bytes).as_src()) };
        let what = if packet.len() == SMALL { MpiFlown::Small(packet) } else { MpiFlown::Large(packet) };
        self.last = Some(MpiFlight { request, to, what });
    }

    /// Asks MPI whether the last message has left.
    #[inline]
    pub(super) fn ask_of_last(&mut self) {
        let Some(mut flight) = self.last.take() else { return };
        let has_left = self.port.is_done(&mut flight.request);
        match flight.what {
            MpiFlown::Small(packet) if has_left => self.small.push(packet),
            MpiFlown::Large(packet) if has_left => self.large.push(packet),
            what => {
                self.peers[flight.to.index()].flying += u32::from(matches!(what, MpiFlown::Small(_)));
                self.flying.push(MpiFlight { what, ..flight });
            }
        }
    }

    fn collect(&mut self, to: JobRank, head: &MpiHead<'_>, payload: Src<'_>, bytes: usize) {
        let need = RECORD_HEAD + bytes.next_multiple_of(RECORD_HEAD);
        if self.collected.as_ref().is_some_and(|all| all.to != to || all.bytes + need > SMALL) {
            self.send_collected();
        }
        let small = &mut self.small;
        let all = self.collected.get_or_insert_with(|| {
            let mut packet = small.pop().unwrap_or_else(|| Aligned::zeroed(SMALL));
            MpiHead::of(MpiKind::Batch, 0).write(&mut packet);
            Collected { to, packet, bytes: BATCH_HEAD }
        });
        all.packet[all.bytes..all.bytes + RECORD_HEAD].copy_from_slice(&(bytes as u64).to_ne_bytes());
        fill(&mut all.packet, all.bytes + RECORD_HEAD, head, payload);
        all.bytes += need;
    }

    /// Sends the messages that were collected.
    fn send_collected(&mut self) {
        if let Some(Collected { to, packet, bytes }) = self.collected.take() {
            self.launch(to, packet, bytes);
        }
    }

    /// A small message to `to` has left.
    pub(super) fn small_has_left(&mut self, to: JobRank, packet: Aligned) {
        self.small.push(packet);
        self.peers[to.index()].flying -= 1;
        if self.collected.as_ref().is_some_and(|all| all.to == to) {
            self.send_collected();
        }
    }

    /// Sends an answer, or another message without credits.
    pub(crate) fn answer(&mut self, to: JobRank, head: &mut MpiHead<'_>, payload: Src<'_>) {
        head.traffic = Traffic::Reply;
        self.transmit(to, head, payload);
    }

    /// Nothing of this rank is on its way to a peer, nor data to it.
    pub(super) fn nothing_flies(&self) -> bool {
        self.last.is_none() && self.flying.is_empty() && self.collected.is_none()
    }
}

/// Writes a message at `at` of a packet.
#[inline]
fn fill(packet: &mut Aligned, at: usize, head: &MpiHead<'_>, payload: Src<'_>) {
    let start = at + head.write(&mut packet[at..]);
    if !payload.is_empty() {
        mem::copy(packet.view().part(start, payload.len()), payload);
    }
}
