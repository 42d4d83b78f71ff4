//! The state of a rank's end of conduit shmem: the queues of all ranks, as far as this one has seen them, tickets, and puts that are not
//! known to be complete.

mod receive;
mod transfers;

use super::combining::{ShmemCombining, ToWrite};
use super::slots::{HEAD_WORDS, SlotHead, SlotKind, SlotLayout, tag_of};
use crate::conduit::shared::Naps;
use crate::conduit::shared::arrivals::{Arrivals, Queued};
use crate::conduit::shared::held::Held;
use crate::conduit::shared::held::Own;
use crate::conduit::shared::operations::NetworkOp;
use crate::conduit::{AmHeader, AmMsg, Completion, NetworkSegments, OpToken, Payload, Sent, Traffic};
use crate::defs::rank::JobRank;
use crate::env;
use crate::fatal::fatal;
use crate::mem::{self, Dst, RemoteAddr};
use crate::shims::shmem::{Shmem, Symmetric};
use crate::sync::atomic::{AtomicU64, Ordering};

/// Operations that wait for the next quiet, at most.
const TRANSFERS: usize = 4096;
/// Polls in a row that find nothing, after which the library is made to serve other ranks.
const PROGRESS_POLLS: u32 = 8;
/// Polls after which a ticket that its sender does not use is spent on an empty message.
const PATIENCE: u32 = 64;
/// Fetch and add on a 64-bit number without sign, as the shim numbers types and operations.
const TAKE_TICKET: [i32; 2] = [3, NetworkOp::FetchAdd as i32];

/// A rank as others see it.
pub(crate) struct ShmemPeer {
    /// Its number in OpenSHMEM.
    pub pe: u32,
    /// Its object, and that object's memory if it is mapped here.
    pub object: Symmetric,
    pub mapped: Option<Held<Dst<'static>>>,
    /// Where its segment starts there.
    pub segment: usize,
    /// By class: messages handled, and tickets taken, as far as this rank has seen.
    handled: [u64; 2],
    taken: [u64; 2],
    gone: bool,
}

impl ShmemPeer {
    pub(crate) fn new(pe: u32, object: Symmetric, mapped: Option<Dst<'static>>, segment: usize) -> ShmemPeer {
        ShmemPeer { pe, object, mapped: mapped.map(Held), segment, handled: [0; 2], taken: [0; 2], gone: false }
    }
}

// ARCHITECTURE.md, section 7, has this number.
const _: () = assert!(size_of::<ShmemPeer>() == 88);

/// A ticket for a slot whose former message has not been handled.
struct HeldTicket {
    to: JobRank,
    class: Traffic,
    ticket: u64,
    polls: u32,
}

pub(crate) struct ShmemRank {
    shmem: &'static Shmem,
    me: u32,
    layout: SlotLayout,
    /// This rank's object.
    own: Held<Dst<'static>>,
    peers: Vec<ShmemPeer>,
    /// All ranks have mapped all objects: tickets are taken by the processor's atomics. Else all use the library's.
    shared: bool,
    held: Vec<HeldTicket>,
    /// By class: the next ticket to arrive, the first that is not handled, and which of those after it are.
    next: [u64; 2],
    first: [u64; 2],
    done: [Vec<bool>; 2],
    /// By class: the head of the next message.
    coming: [Held<Dst<'static>>; 2],
    arrivals: Arrivals,
    /// Complete with the next quiet: runs of puts with one token, and their number in all.
    unquiet: Vec<(OpToken, u32)>,
    unquiet_puts: usize,
    /// Something was put since the last poll: a poll before a put must not wait for the puts before it.
    puts_go_on: bool,
    /// Something was put since the last quiet.
    is_loud: bool,
    pub barrier: ShmemCombining,
    parting: ShmemCombining,
    pub segments: Option<&'static NetworkSegments>,
    area: Option<Symmetric>,
    /// The library executes bitwise atomics right, on all ranks.
    pub is_bitwise: bool,
    messages: u32,
    in_vain: u32,
    naps: Naps,
    closed: bool,
    pub quiets: u64,
    pub held_tickets: u64,
}

impl Queued for ShmemRank {
    #[inline]
    fn arrivals(&mut self) -> &mut Arrivals {
        &mut self.arrivals
    }

    #[inline]
    fn handled(&mut self, _: JobRank, class: Traffic, slot: u32) {
        self.done[class as usize][slot as usize] = true;
        self.free(class);
    }
}

impl ShmemRank {
    /// `own`: this rank's object, zeroed before any rank is here; `area`: of segments.
    pub(crate) fn new(
        shmem: &'static Shmem,
        me: u32,
        layout: SlotLayout,
        (own, peers, shared): (Dst<'static>, Vec<ShmemPeer>, bool),
        area: Option<(Symmetric, &'static NetworkSegments)>,
        is_bitwise: bool,
    ) -> ShmemRank {
        shmem.begins_use();
        let size = peers.len() as u32;
        let done = || vec![false; layout.depth as usize];
        let coming = |class| Held(layout.head_in(own, class, 0));
        ShmemRank {
            shmem,
            me,
            layout,
            own: Held(own),
            peers,
            shared,
            held: Vec::new(),
            next: [0; 2],
            first: [0; 2],
            done: [done(), done()],
            coming: [coming(Traffic::Request), coming(Traffic::Reply)],
            arrivals: Arrivals::default(),
            unquiet: Vec::new(),
            unquiet_puts: 0,
            puts_go_on: false,
            is_loud: false,
            barrier: ShmemCombining::new(0, layout, me, size),
            parting: ShmemCombining::new(1, layout, me, size),
            segments: area.map(|(_, segments)| segments),
            area: area.map(|(area, _)| area),
            is_bitwise,
            messages: env::int("GASNET_AMPOLL_MAX") as u32,
            in_vain: 0,
            naps: Naps::default(),
            closed: false,
            quiets: 0,
            held_tickets: 0,
        }
    }

    fn own_word(&self, at: usize) -> &'static AtomicU64 {
        self.own.0.part(at, 8).word_64()
    }

    /// Advances over the messages of a class that were handled, and lets senders see it.
    #[inline]
    fn free(&mut self, class: Traffic) {
        let (done, first) = (&mut self.done[class as usize], &mut self.first[class as usize]);
        let before = *first;
        while core::mem::take(&mut done[self.layout.slot_of(*first)]) {
            *first += 1;
        }
        if *first != before {
            let first = *first;
            // Release: a sender that sees it may write the slots.
            self.own_word(self.layout.handled_at(class)).store(first, Ordering::Release);
        }
    }

    /// Whether the slot of `ticket` is free.
    #[inline]
    fn is_free(&mut self, to: JobRank, class: Traffic, ticket: u64) -> bool {
        let (layout, at) = (self.layout, self.layout.handled_at(class));
        let peer = &mut self.peers[to.index()];
        let handled = &mut peer.handled[class as usize];
        if ticket < *handled + layout.depth {
            return true;
        }
        *handled = match &peer.mapped {
            Some(Held(object)) => object.part(at, 8).word_64().load(Ordering::Acquire),
            None => self.shmem.get_word(peer.object, at, peer.pe),
        };
        ticket < *handled + layout.depth
    }

    /// A ticket whose slot is free, unless there is none.
    #[inline]
    fn claim(&mut self, to: JobRank, class: Traffic) -> Option<u64> {
        if !self.held.is_empty() {
            if let Some(at) = self.held.iter().position(|held| held.to == to && held.class == class) {
                let ticket = self.held[at].ticket;
                if !self.is_free(to, class, ticket) {
                    return None;
                }
                self.held.swap_remove(at);
                return Some(ticket);
            }
        }
        // A ticket has to be used, so none is taken while the queue seems full.
        if !self.is_free(to, class, self.peers[to.index()].taken[class as usize]) {
            return None;
        }
        let (at, peer) = (self.layout.tickets_at(class), &self.peers[to.index()]);
        let ticket = match peer.mapped.as_ref().filter(|_| self.shared) {
            // Relaxed: the slot's own words order the messages.
            Some(Held(object)) => object.part(at, 8).word_64().fetch_add(1, Ordering::Relaxed),
            None => self.shmem.atomic(peer.object, at, peer.pe, TAKE_TICKET, [1, 0]),
        };
        self.peers[to.index()].taken[class as usize] = ticket + 1;
        if self.is_free(to, class, ticket) {
            return Some(ticket);
        }
        self.held_tickets += 1;
        self.held.push(HeldTicket { to, class, ticket, polls: 0 });
        None
    }

    /// Writes words to another rank's object; each arrives whole, in any order.
    #[inline]
    fn write_words(&mut self, to: u32, offset: usize, words: &[u64]) {
        let peer = &self.peers[to as usize];
        if peer.gone {
            return;
        }
        match &peer.mapped {
            Some(Held(object)) => {
                for (at, word) in words.iter().enumerate() {
                    // Release: after the payload.
                    object.part(offset + 8 * at, 8).word_64().store(*word, Ordering::Release);
                }
            }
            None => {
                self.shmem.put_words(peer.object, offset, words, peer.pe);
                self.is_loud = true;
            }
        }
    }

    fn write(&mut self, out: Option<ToWrite>) {
        if let Some(ToWrite { to, offset, words }) = out {
            self.write_words(to, offset, &words);
        }
    }

    fn publish(&mut self, to: JobRank, class: Traffic, ticket: u64, head: &SlotHead<'_>) {
        let (mut words, mut at) = ([0; HEAD_WORDS], 0);
        head.write(tag_of(ticket), |word| (words[at], at) = (word, at + 1));
        self.write_words(to.0, self.layout.head_at(class, ticket), &words[..at]);
    }

    /// As `publish`, of a Short: word after word into mapped memory.
    #[inline]
    fn publish_short(&mut self, to: JobRank, ticket: u64, header: &AmHeader<'_>) {
        let AmHeader { traffic, handler, envelope, args } = *header;
        let head = SlotHead { kind: SlotKind::Short, handler, from: self.me, len: 0, at: 0, envelope, args };
        let Some(Held(object)) = &self.peers[to.index()].mapped else {
            return self.publish(to, traffic, ticket, &head);
        };
        let (place, mut at) = (self.layout.head_in(*object, traffic, ticket), 0);
        head.write(tag_of(ticket), |word| {
            // Release: the handler sees what this rank has put into mapped memory before.
            place.part(at, 8).word_64().store(word, Ordering::Release);
            at += 8;
        });
    }

    /// Everything that this rank has put is at its targets.
    #[inline]
    pub(crate) fn make_quiet(&mut self) {
        if core::mem::take(&mut self.is_loud) {
            self.quiets += 1;
            self.shmem.quiet();
        }
    }

    fn is_gone(&self, rank: JobRank) -> bool {
        self.closed || self.peers[rank.index()].gone
    }

    /// The offset in the area of segments of `at` of `to`.
    fn in_area(&self, to: JobRank, at: RemoteAddr) -> (Symmetric, usize) {
        let Some(area) = self.area else { fatal!("conduit shmem: no segments are in the symmetric heap") };
        // Outside, it wraps to a number that the shim's caller refuses.
        (area, at.0.wrapping_sub(self.peers[to.index()].segment))
    }

    #[inline]
    pub(crate) fn send_am(&mut self, to: JobRank, msg: &AmMsg<'_>) -> Sent {
        let AmHeader { traffic, handler, envelope, args } = msg.header;
        if self.is_gone(to) {
            return msg.token.map_or(Sent::Done, |token| self.arrivals.fails(token));
        }
        let Some(ticket) = self.claim(to, traffic) else { return Sent::Retry };
        let (kind, at, src) = match msg.payload {
            Payload::None => {
                self.publish_short(to, ticket, &msg.header);
                return self.arrivals.sent(msg.token);
            }
            Payload::Medium(src) => (SlotKind::Medium, 0, src),
            Payload::Long(src, at) | Payload::LongAsync(src, at) if self.area.is_none() => {
                (SlotKind::LongHere, at.0, src)
            }
            Payload::Long(src, at) | Payload::LongAsync(src, at) => (SlotKind::Long, at.0, src),
        };
        if !src.is_empty() {
            let peer = &self.peers[to.index()];
            match (kind, &peer.mapped) {
                (SlotKind::Medium | SlotKind::LongHere, Some(Held(object))) => {
                    mem::copy(object.part(self.layout.payload_at(traffic, ticket), src.len()), src);
                }
                (SlotKind::Medium | SlotKind::LongHere, None) => {
                    self.shmem.put(peer.object, self.layout.payload_at(traffic, ticket), src, peer.pe);
                    self.is_loud = true;
                }
                _ => {
                    let (area, offset) = self.in_area(to, RemoteAddr(at));
                    self.shmem.put(area, offset, src, self.peers[to.index()].pe);
                    self.is_loud = true;
                }
            }
            // The payload is there before the head.
            self.make_quiet();
        }
        let head = SlotHead { kind, handler, from: self.me, len: src.len() as u32, at, envelope, args };
        self.publish(to, traffic, ticket, &head);
        self.arrivals.sent(msg.token)
    }

    /// Spends tickets that their senders have not used for some time.
    fn spend_tickets(&mut self) {
        for at in (0..self.held.len()).rev() {
            let HeldTicket { to, class, ticket, ref mut polls } = self.held[at];
            *polls += 1;
            if *polls > PATIENCE && self.is_free(to, class, ticket) {
                self.held.swap_remove(at);
                let head = SlotHead {
                    kind: SlotKind::Void,
                    handler: 0,
                    from: self.me,
                    len: 0,
                    at: 0,
                    envelope: Default::default(),
                    args: &[],
                };
                self.publish(to, class, ticket, &head);
            }
        }
    }

    #[inline]
    pub(crate) fn advance(&mut self, own: Own<'_>, leaving: bool) -> bool {
        if self.closed {
            return false;
        }
        let mut stirred = false;
        if !self.unquiet.is_empty() && !core::mem::take(&mut self.puts_go_on) {
            self.make_quiet();
            for (token, times) in self.unquiet.drain(..) {
                self.arrivals.done_times(token, Completion::Remote, times);
            }
            self.unquiet_puts = 0;
            stirred = true;
        }
        if self.barrier.own.awaited().is_some() {
            stirred |= self.combine(|rank| &mut rank.barrier);
        }
        if self.parting.own.awaited().is_some() {
            stirred |= self.combine(|rank| &mut rank.parting);
        }
        if !self.held.is_empty() {
            self.spend_tickets();
        }
        let replies = self.receive_most(self.messages, Traffic::Reply, own, leaving);
        let requests = self.receive_most(self.messages - replies, Traffic::Request, own, leaving);
        stirred |= replies + requests > 0;
        if stirred {
            self.naps = Naps::default();
            self.in_vain = 0;
        } else if !self.shared {
            self.in_vain += 1;
            if self.in_vain % PROGRESS_POLLS == 0 {
                self.shmem.progress();
            }
        }
        stirred
    }

    /// Advances a combination whose words this rank awaits; true if some have come.
    fn combine(&mut self, combining: impl Fn(&mut ShmemRank) -> &mut ShmemCombining) -> bool {
        let object = self.own.0;
        let combining = combining(self);
        let out = combining.advance(object);
        let stirred = out.is_some() || combining.own.awaited().is_none();
        self.write(out);
        stirred
    }

    /// Something with this token was put.
    #[inline]
    fn waits_for_quiet(&mut self, token: OpToken) {
        (self.is_loud, self.puts_go_on) = (true, true);
        self.unquiet_puts += 1;
        match self.unquiet.last_mut() {
            Some((last, times)) if *last == token => *times += 1,
            _ => self.unquiet.push((token, 1)),
        }
    }

    pub(crate) fn enter_least(&mut self, words: [i64; 3]) {
        let out = self.barrier.enter(words);
        self.write(out);
    }

    pub(crate) fn nap_ns(&mut self) -> u64 {
        if !self.arrivals.is_empty() || !self.unquiet.is_empty() || !self.held.is_empty() {
            return 0;
        }
        self.naps.next_ns(true)
    }

    pub(crate) fn lose(&mut self, rank: JobRank) {
        self.peers[rank.index()].gone = true;
        self.held.retain(|held| held.to != rank);
    }

    pub(crate) fn settled(&self) -> bool {
        self.closed || self.unquiet.is_empty()
    }

    /// One step of the end: all ranks come, and then none calls the library any more but to finalize it.
    pub(crate) fn part(&mut self) -> bool {
        if self.closed {
            return true;
        }
        if self.parting.own.entered() == 0 {
            self.make_quiet();
            let out = self.parting.enter([0; 3]);
            self.write(out);
        }
        if self.parting.own.take().is_some() {
            self.make_quiet();
            self.closed = true;
            self.shmem.ends_use();
        }
        self.closed
    }
}
