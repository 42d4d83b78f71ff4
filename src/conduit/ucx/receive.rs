//! The handling of what arrives: packets of messages, Longs with their payload apart, and bulk data.
//!
//! # Safety
//! Received bytes that UCX lends stay until they are released; buffers of receives are on the heap, and are kept in `flights` until UCX
//! says that the receive has ended.
#![allow(unsafe_code)]

use super::packet::{self, PACKET, START, UcxHead, UcxKind};
use super::state::{UcxFlown, UcxRank};
use crate::conduit::shared::arrivals::{ArrivedBody, LentBuffer};
use crate::conduit::shared::credits::cost;
use crate::conduit::shared::held::{Aligned, Held, Own};
use crate::conduit::shared::packet::ALIGN;
use crate::conduit::shared::plain::{plain_room, read_plain};
use crate::conduit::{MAX_ARGS, Traffic};
use crate::defs::rank::JobRank;
use crate::fatal::fatal;
use crate::mem::{self, Dst, Src};
use crate::shims::ucx::{Begun, UcxLoan};

impl UcxRank {
    /// The sender of a packet; the limits that it grants are taken.
    #[inline]
    fn sender(&mut self, packet: &[u8]) -> JobRank {
        match packet::read_start(packet) {
            Some((from, limits)) if from.index() < self.members.len() => {
                let member = &mut self.members[from.index()];
                member.credits.granted(limits);
                member.batch.heard();
                from
            }
            _ => fatal!("conduit ucx: {} bytes have arrived that are not a message of this job", packet.len()),
        }
    }

    /// Takes room for a message; returns its cost.
    #[inline]
    fn admit(&mut self, from: JobRank, head: &UcxHead<'_>, inline: usize) -> u32 {
        self.charge(from, head.traffic, cost(head.bytes(), inline, self.least_cost))
    }

    /// Takes room for a message of this cost; returns it.
    #[inline]
    fn charge(&mut self, from: JobRank, traffic: Traffic, cost: u32) -> u32 {
        if !self.members[from.index()].room.admits(traffic, cost) {
            fatal!("conduit ucx: rank {} sent more than it has credits for", from.0);
        }
        cost
    }

    /// Takes a packet that is one Short whose envelope is plain; false if it is not.
    #[inline]
    pub(crate) fn take_plain(&mut self, packet: &[u8]) -> bool {
        let Some(short) = packet.get(START..).and_then(read_plain::<UcxKind>) else { return false };
        let room = plain_room(short.nargs());
        if packet.len() > START + room {
            return false;
        }
        let from = self.sender(packet);
        let cost = self.charge(from, short.traffic, cost(room, 0, self.least_cost));
        self.arrivals.push_plain(from, &short, cost);
        true
    }

    /// Takes the messages of a packet.
    pub(crate) fn take_packet(&mut self, own: Own<'_>, bytes: Dst<'_>, mut loan: Option<UcxLoan>, leaving: bool) {
        // SAFETY: bytes that UCX or the shim lends until they are released, or until the next progress (shims/ucx.rs).
        let packet = unsafe { core::slice::from_raw_parts(bytes.as_ptr(), bytes.len()) };
        let from = self.sender(packet);
        let mut at = START;
        while at < packet.len() {
            // Most messages, so without the rest.
            if let Some(short) = read_plain::<UcxKind>(&packet[at..]) {
                let room = plain_room(short.nargs());
                let cost = self.charge(from, short.traffic, cost(room, 0, self.least_cost));
                self.arrivals.push_plain(from, &short, cost);
                at += room;
                continue;
            }
            let mut args = [0; MAX_ARGS];
            let Some((head, start)) = UcxHead::read(&packet[at..], &mut args) else { self.refuse(from, packet.len()) };
            let start = at + start;
            if head.kind == UcxKind::Short {
                let cost = self.admit(from, &head, 0);
                self.arrivals.push(from, &head.header(), ArrivedBody::None, cost);
                at = start.next_multiple_of(ALIGN);
                continue;
            }
            let inline = if matches!(head.kind, UcxKind::Medium | UcxKind::Long) { head.number as usize } else { 0 };
            if inline > packet.len() - start {
                self.refuse(from, packet.len());
            }
            let place = bytes.part(start, inline);
            let is_only = at == START && start + inline == packet.len();
            at = (start + inline).next_multiple_of(ALIGN);
            if head.kind != UcxKind::Medium || !is_only || place.as_ptr().addr() % ALIGN != 0 {
                self.take(own, from, &head, place, leaving);
                continue;
            }
            let Some(lent) = loan.take() else {
                self.take(own, from, &head, place, leaving);
                continue;
            };
            let cost = self.admit(from, &head, inline);
            // SAFETY: the bytes stay until `end_loan` gives them back (head of the file).
            let body = ArrivedBody::Loan(unsafe { Held::dst(place) }, self.loans.insert(lent));
            self.arrivals.push(from, &head.header(), body, cost);
        }
        if let Some(loan) = loan {
            self.port.release(loan);
        }
    }

    /// Takes a message with this payload, which is not a Short.
    #[inline(never)]
    fn take(&mut self, own: Own<'_>, from: JobRank, head: &UcxHead<'_>, payload: Dst<'_>, leaving: bool) {
        match head.kind {
            UcxKind::Medium => {
                let cost = self.admit(from, head, payload.len());
                let mut copy = Aligned::zeroed(payload.len());
                mem::copy(copy.view(), payload.as_src());
                self.arrivals.push(from, &head.header(), ArrivedBody::Medium(copy), cost);
            }
            UcxKind::Long => {
                let cost = self.admit(from, head, payload.len());
                self.land(own, from, head, payload.as_src(), cost, leaving);
            }
            UcxKind::Short | UcxKind::Credit => {}
            UcxKind::Parting => self.parting.arrived(head.number),
            UcxKind::Probed => self.probed.arrived(head.number),
        }
    }

    /// Copies the payload of a Long to its place.
    fn land(&mut self, own: Own<'_>, from: JobRank, head: &UcxHead<'_>, src: Src<'_>, cost: u32, leaving: bool) {
        if let Some(place) = head.place(own, from, src.len(), leaving) {
            mem::copy(place, src);
            self.arrivals.push(from, &head.header(), ArrivedBody::Long(Held(place)), cost);
        }
    }

    /// The header of a message with its payload apart.
    fn head_apart<'a>(&mut self, header: &[u8], args: &'a mut [i32; MAX_ARGS]) -> (JobRank, UcxHead<'a>) {
        let from = self.sender(header);
        match UcxHead::read(&header[START..], args) {
            Some((head, _)) if head.kind == UcxKind::Long => (from, head),
            _ => self.refuse(from, header.len()),
        }
    }

    /// Takes a Long whose payload has come with its header.
    pub(crate) fn take_long(&mut self, own: Own<'_>, header: &[u8], bytes: Dst<'_>, leaving: bool) {
        let mut args = [0; MAX_ARGS];
        let (from, head) = self.head_apart(header, &mut args);
        let cost = self.admit(from, &head, 0);
        self.land(own, from, &head, bytes.as_src(), cost, leaving);
    }

    /// Receives bulk data: the payload of a Long, or a packet.
    pub(crate) fn take_bulk(&mut self, own: Own<'_>, header: &[u8], len: usize, loan: UcxLoan, leaving: bool) {
        let tag = u64::from(self.flights.next_number());
        if header.is_empty() {
            if len > PACKET {
                fatal!("conduit ucx: {len} bytes have arrived that are not a message of this job");
            }
            let mut buffer = self.spare.pop().unwrap_or_else(|| Aligned::zeroed(PACKET));
            // SAFETY: the buffer is on the heap, and is kept in `flights` (head of the file).
            match unsafe { self.port.receive(loan, buffer.view().part(0, len), tag) } {
                Begun::Done => self.take_received(own, buffer, len, leaving),
                Begun::Started => self.fly(self.me, UcxFlown::Received(buffer, len)),
                Begun::Failed(error) => fatal!("conduit ucx: a message cannot be received: {}", error.text()),
            }
            return;
        }
        let mut args = [0; MAX_ARGS];
        let (from, head) = self.head_apart(header, &mut args);
        let cost = self.admit(from, &head, 0);
        let Some(place) = head.place(own, from, len, leaving) else { return self.port.release(loan) };
        let arrival = self.arrivals.made(from, &head.header(), ArrivedBody::Long(Held(place)), cost);
        // SAFETY: memory of a segment, which stays (`Deliver::own`).
        match unsafe { self.port.receive(loan, place, tag) } {
            Begun::Done => self.arrivals.queue(arrival),
            Begun::Started => self.fly(from, UcxFlown::Long(arrival)),
            Begun::Failed(error) => self.fails(from, error),
        }
    }

    /// Takes a packet that came as bulk data: the first `len` bytes of this buffer.
    pub(crate) fn take_received(&mut self, own: Own<'_>, mut packet: Aligned, len: usize, leaving: bool) {
        let mut args = [0; MAX_ARGS];
        let first = packet.get(START..len).and_then(|messages| UcxHead::read(messages, &mut args));
        let is_only = |head: &UcxHead<'_>, start| START + start + head.number as usize == len;
        match first {
            Some((head, start)) if head.kind == UcxKind::Medium && is_only(&head, start) => {
                let (start, bytes) = (START + start, head.number as usize);
                let from = self.sender(&packet);
                let cost = self.admit(from, &head, bytes);
                let lent = LentBuffer { buffer: packet, number: 0, start, len: bytes };
                self.arrivals.push(from, &head.header(), ArrivedBody::Lent(lent), cost);
            }
            _ => {
                self.take_packet(own, packet.view().part(0, len), None, leaving);
                self.keep(packet);
            }
        }
    }

    #[cold]
    fn refuse(&self, from: JobRank, bytes: usize) -> ! {
        fatal!("conduit ucx: {bytes} bytes have arrived from rank {} that are not a message of this job", from.0)
    }
}
