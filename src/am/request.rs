//! Sending requests and replies, and waiting for room.

use crate::am::dispatch;
use crate::am::dispatch::HandlerBuffer;
use crate::am::limits::SHARED_LIMITS;
use crate::am::token::Token;
use crate::am::wait::Wait;
use crate::am::wire::{self, Fit, MessageForm, MessageLayout};
use crate::conduit::shared::registrations::REGISTRATIONS;
use crate::conduit::{Deliver, Sent};
use crate::defs::message::{AmHeader, AmMsg, Envelope, Immediate, OpToken, Payload, Traffic};
use crate::defs::rank::{JobRank, Location};
use crate::event;
use crate::fatal::{self, fatal};
use crate::hang::counts::SHARDS;
use crate::hang::waits::Note;
use crate::job::Job;
use crate::mem::{self, RemoteAddr, Src};
use crate::nbrhd::pool::BlockId;
use crate::nbrhd::ring::{Producer, Ring, RingHead};
use crate::nbrhd::{self, Inbox};
use crate::thread;

/// A thread uses the intent with the index of its row of counters; a thread that shares its row uses one of its own behind
/// these.
const _: () = assert!(SHARDS + thread::MAX_THREADS as usize <= nbrhd::SENDERS);

/// Pause instructions between two checks for room.
const LOOK_PAUSES: u32 = 4;
/// The longest sleep of a sender, in ns: it is not woken when there is room.
const LONGEST_NS: u64 = 5_000_000;

/// The message in slots with this header.
#[inline(always)]
fn layout<'a, const F: usize>(
    header: AmHeader<'a>,
    kind: MessageForm,
    fixed: [u64; F],
    payload: Src<'a>,
) -> MessageLayout<'a, F> {
    MessageLayout { kind, fixed, envelope: header.envelope, args: header.args, payload }
}

impl Job {
    /// Sends a request. On return the source may be reused. Polls; waits for room, polling meanwhile.
    pub fn am_request(&self, to: JobRank, handler: u8, payload: Payload<'_>, args: &[i32]) {
        self.poll_to_send();
        let header = AmHeader { traffic: Traffic::Request, handler, envelope: Envelope::PLAIN, args };
        self.am_send_any(Location { rank: to, ep: 0 }, header, payload, Immediate::No);
    }

    /// As `am_request`, from endpoint `from` of this rank. False: nothing was sent (resources exhausted).
    // Inlined into each call of clients, where the kind of payload is known.
    #[inline(always)]
    pub fn am_request_at<'p>(
        &self,
        from: u16,
        to: Location,
        handler: u8,
        payload: impl Fn() -> Payload<'p>,
        args: &[i32],
        immediate: Immediate,
    ) -> bool {
        self.poll_to_send();
        self.am_send_from(from, to, Traffic::Request, handler, payload, args, immediate)
    }

    /// Sends a reply; see [`Token::reply`]. While it waits for room only replies are handled.
    #[inline(always)]
    pub fn am_reply<'p>(
        &self,
        from: u16,
        to: Location,
        handler: u8,
        payload: impl Fn() -> Payload<'p>,
        args: &[i32],
        immediate: Immediate,
    ) -> bool {
        self.am_send_from(from, to, Traffic::Reply, handler, payload, args, immediate)
    }

    // Endpoints 0 are a case of their own here, so that their messages have a constant envelope.
    #[inline(always)]
    #[allow(clippy::too_many_arguments)]
    fn am_send_from<'p>(
        &self,
        from: u16,
        to: Location,
        traffic: Traffic,
        handler: u8,
        payload: impl Fn() -> Payload<'p>,
        args: &[i32],
        immediate: Immediate,
    ) -> bool {
        if from | to.ep == 0 {
            return self.am_send(
                to,
                AmHeader { traffic, handler, envelope: Envelope::PLAIN, args },
                payload,
                immediate,
            );
        }
        let envelope = Envelope::between(from, to.ep);
        self.am_send_any(to, AmHeader { traffic, handler, envelope, args }, payload(), immediate)
    }

    /// As `am_send`, not inlined, for paths on which a call costs little.
    #[inline(never)]
    pub(super) fn am_send_any(
        &self,
        to: Location,
        header: AmHeader<'_>,
        payload: Payload<'_>,
        immediate: Immediate,
    ) -> bool {
        self.am_send(to, header, || payload, immediate)
    }

    // Inlined where the kind of payload is known, so that a Short does not pay for the other kinds. Header and payload are
    // built anew for each call that takes their addresses, so that those of most messages stay in registers.
    #[inline(always)]
    pub(super) fn am_send<'p>(
        &self,
        to: Location,
        header: AmHeader<'_>,
        payload: impl Fn() -> Payload<'p>,
        immediate: Immediate,
    ) -> bool {
        let AmHeader { traffic, handler, envelope, args } = header;
        let header = || AmHeader { traffic, handler, envelope, args };
        if to.rank == self.me {
            self.loopback(header(), payload());
            return true;
        }
        let Some(inbox) = self.nbrhd.inbox_of(to.rank) else {
            return self.send_far(to, AmMsg::plain(header(), payload()), immediate);
        };
        match payload() {
            Payload::None => self.send_body(inbox, header(), MessageForm::Short, [], Src::none(), immediate),
            Payload::Medium(src) => self.send_medium(inbox, header(), src, immediate),
            Payload::Long(src, at) | Payload::LongAsync(src, at) => {
                self.send_long(inbox, to, header(), src, at, immediate)
            }
        }
    }

    // Inlined: with a constant envelope, which most messages have, half of the code is removed.
    #[inline(always)]
    fn send_long(
        &self,
        inbox: &Inbox,
        to: Location,
        header: AmHeader<'_>,
        src: Src<'_>,
        at: RemoteAddr,
        immediate: Immediate,
    ) -> bool {
        let traffic = header.traffic;
        let fixed = [at.0 as u64, src.len() as u64];
        let place = self.nbrhd.deliver_at(to, at, src.len());
        if src.is_empty() || place.is_some() {
            let fill = || {
                if let Some(place) = place {
                    mem::copy(place, src);
                }
            };
            if immediate != Immediate::Yes {
                fill();
                return self.send_body(inbox, header, MessageForm::Long, fixed, Src::none(), immediate);
            }
            // A Long that is not sent must not change the target, so slots are claimed before the copy, though this delays
            // later messages.
            let message = layout(header, MessageForm::Long, fixed, Src::none());
            let Some(claim) = self.claim(inbox, traffic, wire::slots_for(message.bytes()), immediate) else {
                return false;
            };
            fill();
            self.fill(inbox, header, claim, message);
            return true;
        }
        if immediate != Immediate::Yes {
            fatal::calling(if traffic == Traffic::Request { "AMRequestLong" } else { "AMReplyLong" });
            if self.put_across(to.rank, at, src) {
                return self.send_body(inbox, header, MessageForm::Long, fixed, Src::none(), immediate);
            }
        }
        self.send_in_pieces(to, header, src, at, immediate)
    }

    /// Ends the job if there is no rank `to`: release builds have not checked the number that a client gives.
    #[inline]
    pub fn expect_rank(&self, to: JobRank) {
        if to.0 >= self.size {
            fatal!("rank {} is not below the {} ranks of the job", to.0, self.size);
        }
    }

    /// Sends a message to a rank outside the nbrhd.
    #[inline(never)]
    fn send_far(&self, to: Location, mut msg: AmMsg<'_>, immediate: Immediate) -> bool {
        self.expect_rank(to.rank);
        let Some(conduit) = self.conduit else {
            fatal!("rank {} shares no memory with this one, and there is no network", to.rank.0);
        };
        self.check_far(&msg);
        let traffic = msg.header.traffic;
        let mut held = None;
        if let Payload::Long(src, at) | Payload::LongAsync(src, at) = msg.payload {
            let caps = self.caps;
            if !src.is_empty() && !self.reaches(to.ep) {
                return self.send_in_pieces(to, msg.header, src, at, immediate);
            }
            if caps.bounces() {
                msg.registration = REGISTRATIONS.source(src).registration;
            }
            // A long source is not copied but waited for, unless the caller may not wait or the conduit has to copy it.
            let waits = matches!(msg.payload, Payload::Long(..)) && immediate != Immediate::Yes;
            let bounced = caps.bounces() && msg.registration.is_none();
            if waits && src.len() > self.limits.copied && caps.put && !bounced {
                held = Some(event::mine().explicit());
            }
        }
        if let Some(op) = held {
            op.start(event::PieceKind::Local);
            msg.token = Some(OpToken(op.token(event::PieceKind::Local)));
        }
        let send = || Some(conduit.am(to, &msg)).filter(|sent| *sent != Sent::Retry);
        let sent = match send() {
            None if immediate != Immediate::Yes => {
                Some(self.wait_for_room(traffic, || Note::room(to.rank.0, traffic as usize), send))
            }
            sent => sent,
        };
        if let Some(op) = held {
            match sent {
                Some(Sent::Later) => {
                    self.wait_for_room(traffic, || op.note(), || op.is_done().then_some(()));
                }
                _ => op.finish(event::PieceKind::Local),
            }
            event::mine().give(op);
        }
        if sent.is_some() {
            self.counts.sent(to.rank.0, traffic as usize);
        }
        sent.is_some()
    }

    /// Checks a message for the conduit, so that conduits need not.
    #[inline]
    fn check_far(&self, msg: &AmMsg<'_>) {
        let limits = &self.limits;
        match (msg.payload, msg.header.traffic) {
            (Payload::Medium(src), _) if src.len() > limits.medium => {
                self.over_limit("Medium", src.len(), "gasnet_AMMaxMedium", limits.medium)
            }
            (Payload::Long(src, _) | Payload::LongAsync(src, _), Traffic::Request)
                if src.len() > limits.long_request =>
            {
                self.over_limit("Long request", src.len(), "gasnet_AMMaxLongRequest", limits.long_request)
            }
            (Payload::Long(src, _), Traffic::Reply) if src.len() > limits.long_reply => {
                self.over_limit("Long reply", src.len(), "gasnet_AMMaxLongReply", limits.long_reply)
            }
            _ => {}
        }
    }

    #[cold]
    fn over_limit(&self, what: &str, nbytes: usize, limit: &str, most: usize) -> ! {
        fatal!("AM {what} of {nbytes} bytes is over {limit}() = {most}");
    }

    // Inlined for the same reason as `send_long`.
    #[inline(always)]
    fn send_medium(&self, to: &Inbox, header: AmHeader<'_>, src: Src<'_>, immediate: Immediate) -> bool {
        let len = src.len();
        let block = match wire::fit(header.envelope, header.args.len(), len) {
            Fit::FirstSlot => None,
            Fit::Slots => self.block_at_hand(header.traffic),
            Fit::Block => match self.claim_block(header.traffic, len, immediate) {
                None => return false,
                block => block,
            },
        };
        let Some(block) = block else {
            return self.send_body(to, header, MessageForm::MediumInline, [len as u64], src, immediate);
        };
        let pool = self.nbrhd.own().pool;
        mem::copy(pool.payload(block, len), src);
        if self.send_block(to, header, block, len, immediate) {
            return true;
        }
        pool.free(block);
        false
    }

    /// Sends the first `nbytes` bytes of `block` as a Medium; the receiver then owns the block.
    #[inline(always)]
    pub(super) fn send_block(
        &self,
        to: &Inbox,
        header: AmHeader<'_>,
        block: BlockId,
        nbytes: usize,
        immediate: Immediate,
    ) -> bool {
        let fixed = [nbytes as u64 | u64::from(block) << 32];
        let message = layout(header, MessageForm::MediumBlock, fixed, Src::none());
        let Some(claim) = self.claim(to, header.traffic, wire::slots_for(message.bytes()), immediate) else {
            return false;
        };
        self.nbrhd.own().pool.sent(block, to.rank);
        self.fill(to, header, claim, message);
        true
    }

    #[inline(always)]
    fn ring_head(&self, header: AmHeader<'_>, kind: MessageForm) -> RingHead {
        wire::head(header.handler, kind, header.envelope, header.args.len(), self.me_near())
    }

    // Inlined as `fill` is: saves a call for each Medium and Long.
    #[inline(always)]
    fn send_body<const F: usize>(
        &self,
        to: &Inbox,
        header: AmHeader<'_>,
        kind: MessageForm,
        fixed: [u64; F],
        payload: Src<'_>,
        immediate: Immediate,
    ) -> bool {
        let message = layout(header, kind, fixed, payload);
        let need = wire::slots_for(message.bytes());
        let Some(claim) = self.claim(to, header.traffic, need, immediate) else { return false };
        self.fill(to, header, claim, message);
        true
    }

    /// Fills and publishes the message that was claimed at `at` of `ring`, a ring of `to`.
    #[inline(always)]
    fn fill<const F: usize>(
        &self,
        to: &Inbox,
        header: AmHeader<'_>,
        (ring, at): (&Ring, u64),
        message: MessageLayout<'_, F>,
    ) {
        message.write(ring, at);
        ring.publish(at, self.ring_head(header, message.kind));
        self.nbrhd.ring_bell(to);
        self.counts.sent(to.owner.0, header.traffic as usize);
    }

    /// This rank's index in the nbrhd, as it is stored in the heads of messages in rings.
    #[inline]
    pub(super) fn me_near(&self) -> u16 {
        self.nbrhd.me.0 as u16
    }

    /// Claims slots in a ring of `inbox`. If it is full, waits for room unless `immediate` forbids that.
    // Inlined: a call would cost a tenth of a Short.
    #[inline(always)]
    fn claim<'a>(
        &self,
        inbox: &'a Inbox,
        traffic: Traffic,
        need: u64,
        immediate: Immediate,
    ) -> Option<(&'a Ring, u64)> {
        let (ring, room) = inbox.way_in(traffic);
        // A sole producer, or the producers of a job that ends when one of them dies, do not pay for the others.
        let first = if self.sole_producer {
            ring.claim(need, room, Producer::Sole)
        } else if !self.outlives_ranks {
            ring.claim(need, room, Producer::Shared)
        } else {
            self.claim_announced(inbox, traffic, need)
        };
        match first {
            None if immediate == Immediate::Yes => None,
            None => Some((ring, self.wait_to_claim(inbox, traffic, need))),
            Some(at) => Some((ring, at)),
        }
    }

    #[inline(never)]
    fn claim_announced(&self, inbox: &Inbox, traffic: Traffic, need: u64) -> Option<u64> {
        let (ring, room) = inbox.way_in(traffic);
        ring.claim(need, room, self.announced(inbox))
    }

    #[cold]
    fn wait_to_claim(&self, inbox: &Inbox, traffic: Traffic, need: u64) -> u64 {
        let (ring, room) = inbox.way_in(traffic);
        let again = || ring.claim(need, room, self.producer(inbox));
        self.wait_for_room(traffic, || Note::room(inbox.owner.0, traffic as usize), again)
    }

    /// How this thread claims room in the rings of `to`.
    fn producer(&self, to: &Inbox) -> Producer<'static> {
        if self.sole_producer {
            Producer::Sole
        } else if self.outlives_ranks {
            self.announced(to)
        } else {
            Producer::Shared
        }
    }

    #[cold]
    fn announced(&self, to: &Inbox) -> Producer<'static> {
        let row = self.counts.tally(to.owner.0).own_row();
        Producer::Announced(self.nbrhd.intent(row.unwrap_or_else(|| SHARDS + thread::index() as usize)))
    }

    /// A block for a payload that would fit into slots, too; None: it goes inline. Measured: payloads of 64 to 256 bytes take
    /// half the time in a block. One that would have to be searched for, or waited for, is not worth it.
    #[inline]
    pub(super) fn block_at_hand(&self, traffic: Traffic) -> Option<BlockId> {
        self.nbrhd.own().pool.claim_oldest(&self.nbrhd.cursors, traffic, !self.settings.concurrent())
    }

    fn claim_block(&self, traffic: Traffic, nbytes: usize, immediate: Immediate) -> Option<BlockId> {
        let serial = !self.settings.concurrent();
        let claim = || self.nbrhd.own().pool.claim(&self.nbrhd.cursors, traffic, nbytes, serial);
        claim().or_else(|| {
            if nbytes > SHARED_LIMITS.medium {
                self.over_limit("Medium", nbytes, "gasnet_AMMaxMedium", self.limits.medium);
            }
            (immediate != Immediate::Yes).then(|| self.wait_for_room(traffic, || Note::Block, claim))
        })
    }

    /// Back-pressure: polls until `claim` succeeds. The sender of a request handles all messages
    /// meanwhile, the sender of a reply only replies, whose handlers send nothing.
    #[cold]
    pub(crate) fn wait_for_room<'n, T>(
        &self,
        traffic: Traffic,
        what: impl Fn() -> Note<'n>,
        claim: impl Fn() -> Option<T>,
    ) -> T {
        let mut wait = Wait::default();
        let got = loop {
            let handled = match traffic {
                Traffic::Request => self.poll(),
                Traffic::Reply => self.poll_replies(),
            };
            if let Some(got) = claim() {
                break got;
            }
            if handled == 0 {
                // Each check takes a cache line from the receiver, which needs it for every message.
                (0..LOOK_PAUSES).for_each(|_| core::hint::spin_loop());
                self.idle_for(&mut wait, LONGEST_NS, &what, || false);
            }
        };
        self.wait_end(&mut wait);
        got
    }

    /// Sends a message to this rank itself: its handler runs before this returns.
    #[cold]
    fn loopback(&self, header: AmHeader<'_>, payload: Payload<'_>) {
        match payload {
            Payload::None => self.handle_own(header, HandlerBuffer::None),
            Payload::Medium(src) => {
                // u64s, so that the buffer is aligned for any type.
                let mut buffer = vec![0u64; src.len().div_ceil(8)];
                mem::read_words(&mut buffer, src);
                self.handle_own(header, HandlerBuffer::Medium(buffer.as_mut_ptr().cast(), src.len()));
            }
            Payload::Long(src, at) | Payload::LongAsync(src, at) => {
                match self.own(at, src.len()) {
                    Some(place) => mem::copy(place, src),
                    None => fatal!(
                        "AM Long of {} bytes to {:#x} of the sender itself, outside its segment",
                        src.len(),
                        at.0
                    ),
                }
                self.handle_own(header, HandlerBuffer::Long(at.0 as *mut core::ffi::c_void, src.len()));
            }
        }
    }

    /// Runs the handler of a message of this rank to itself.
    pub(super) fn handle_own(&self, header: AmHeader<'_>, buffer: HandlerBuffer) {
        let token = Token::new(self.me, header.traffic == Traffic::Request);
        dispatch::run_any(self, &token, header.envelope, header.handler, buffer, header.args);
        self.marks.beat();
        if self.settings.concurrent() {
            // Another thread may sleep until a condition that the handler has made true.
            self.wake_local();
        }
    }
}
