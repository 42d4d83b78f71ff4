//! Sending: requests and replies, and what to do while there is no room.

use crate::am::dispatch::Buffer;
use crate::am::endpoint::wrapped;
use crate::am::wire::{self, Kind};
use crate::am::{MOST_ARGS, Patience, Payload, SHARED_LIMITS, Token, dispatch};
use crate::conduit::{AmMsg, Deliver, Leaf, Sent};
use crate::event;
use crate::fatal::{self, fatal};
use crate::job::{Job, JobRank, Wait};
use crate::mem::{self, RemoteAddr, Src};
use crate::nbrhd::pool::{BlockId, Traffic};
use crate::nbrhd::ring::{BODY_BYTES, Head, Intent, MAX_BODY, Ring};
use crate::nbrhd::{self, Inbox};
use crate::progress::counts::{SHARDS, Tally};
use crate::progress::waits::Note;
use crate::team::Location;
use crate::thread;

/// Threads use the intents that have the numbers of their rows of counters; those that share a row, others by thread.
const _: () = assert!(SHARDS + thread::MAX_THREADS as usize <= nbrhd::SENDERS);

/// Pauses between two looks for room.
const LOOK_PAUSES: u32 = 4;
/// The longest sleep of a sender: nobody wakes it when there is room.
const LONGEST_NS: u64 = 5_000_000;

/// Slots of a ring, and where the message in them is counted.
struct Place<'a> {
    ring: &'a Ring,
    at: u64,
    tally: Tally<'static>,
}

impl Job {
    /// Sends a request. On return the source may be reused. Polls; waits for room, polling meanwhile.
    #[inline]
    pub fn am_request(&self, to: JobRank, handler: u8, payload: Payload<'_>, args: &[i32]) {
        self.poll_to_send();
        self.am_send(Location { rank: to, ep: 0 }, Traffic::Request, handler, payload, args, Patience::Wait);
    }

    /// As `am_request`, from endpoint `from` of this rank. False: nothing was sent, for want of patience.
    #[inline]
    pub fn am_request_at(
        &self,
        from: u16,
        to: Location,
        handler: u8,
        payload: Payload<'_>,
        args: &[i32],
        patience: Patience,
    ) -> bool {
        self.poll_to_send();
        if from | to.ep == 0 {
            return self.am_send(to, Traffic::Request, handler, payload, args, patience);
        }
        wrapped(from, to, handler, args, |handler, args| {
            self.am_send_any(to, Traffic::Request, handler, payload, args, patience)
        })
    }

    /// Sends a reply; see [`Token::reply`]. While it waits for room only replies are handled.
    #[inline]
    pub fn am_reply(
        &self,
        from: u16,
        to: Location,
        handler: u8,
        payload: Payload<'_>,
        args: &[i32],
        patience: Patience,
    ) -> bool {
        if from | to.ep == 0 {
            return self.am_send(to, Traffic::Reply, handler, payload, args, patience);
        }
        wrapped(from, to, handler, args, |handler, args| {
            self.am_send_any(to, Traffic::Reply, handler, payload, args, patience)
        })
    }

    /// As `am_send`, where the way there costs more than a call.
    #[inline(never)]
    pub(super) fn am_send_any(
        &self,
        to: Location,
        traffic: Traffic,
        handler: u8,
        payload: Payload<'_>,
        args: &[i32],
        patience: Patience,
    ) -> bool {
        self.am_send(to, traffic, handler, payload, args, patience)
    }

    // The kind of payload is known where this is called: without it a Short would pay for all of them.
    #[inline(always)]
    fn am_send(
        &self,
        to: Location,
        traffic: Traffic,
        handler: u8,
        payload: Payload<'_>,
        args: &[i32],
        patience: Patience,
    ) -> bool {
        if to.rank == self.me {
            self.loopback(traffic, handler, payload, args);
            return true;
        }
        let Some(inbox) = self.nbrhd.inbox_of(to.rank) else {
            return self.send_far(to.rank, AmMsg { traffic, handler, args, payload, held: None }, patience);
        };
        match payload {
            Payload::None if args.len() <= BODY_BYTES / 4 => {
                let tally = self.counts.tally(to.rank.0);
                let Some((ring, at)) = self.claim(inbox, traffic, 1, patience, tally) else { return false };
                ring.fill_args(at, wire::head(handler, Kind::Short, args.len(), self.me_near()), args);
                self.nbrhd.ring_bell(inbox);
                self.counts.sent_in(tally, traffic as usize);
                true
            }
            Payload::None => self.send_body(inbox, traffic, handler, Kind::Short, args, mem::bytes_of(args), patience),
            Payload::Medium(src) => self.send_medium(inbox, traffic, handler, src, args, patience),
            Payload::Long(src, at) | Payload::LongAsync(src, at) => {
                self.send_long(inbox, to, traffic, handler, src, at, args, patience)
            }
        }
    }

    #[inline]
    #[allow(clippy::too_many_arguments)]
    fn send_long(
        &self,
        inbox: &Inbox,
        to: Location,
        traffic: Traffic,
        handler: u8,
        src: Src<'_>,
        at: RemoteAddr,
        args: &[i32],
        patience: Patience,
    ) -> bool {
        let mut body = [0; 16 + 4 * MOST_ARGS];
        body[..8].copy_from_slice(&(at.0 as u64).to_ne_bytes());
        body[8..16].copy_from_slice(&(src.len() as u64).to_ne_bytes());
        let end = 16 + 4 * args.len();
        body[16..end].copy_from_slice(mem::bytes_of(args));
        let place = self.nbrhd.deliver_at(to, at, src.len());
        if src.is_empty() || place.is_some() {
            let fill = || {
                if let Some(place) = place {
                    mem::copy(place, src);
                }
            };
            if patience == Patience::Wait {
                fill();
                return self.send_body(inbox, traffic, handler, Kind::Long, args, &body[..end], patience);
            }
            // What is not sent leaves no trace, so the room comes first, though later messages wait for it.
            let Some(place) = self.claim_in(inbox, traffic, end, patience) else { return false };
            fill();
            let head = wire::head(handler, Kind::Long, args.len(), self.me_near());
            self.fill(inbox, traffic, place, head, &body[..end]);
            return true;
        }
        if patience == Patience::Wait {
            fatal::calling(if traffic == Traffic::Request { "AMRequestLong" } else { "AMReplyLong" });
            if self.put_across(to.rank, at, src) {
                return self.send_body(inbox, traffic, handler, Kind::Long, args, &body[..end], patience);
            }
        }
        self.send_in_pieces(to, traffic, handler, src, at, args, patience)
    }

    /// Ends the job if there is no rank `to`: release clients name any number where no memory is shared.
    #[inline]
    pub fn expect_rank(&self, to: JobRank) {
        if to.0 >= self.size {
            fatal!("rank {} is not below the {} ranks of the job", to.0, self.size);
        }
    }

    /// To a rank outside the nbrhd.
    #[inline(never)]
    fn send_far(&self, to: JobRank, mut msg: AmMsg<'_>, patience: Patience) -> bool {
        self.expect_rank(to);
        let Some(conduit) = self.conduit else {
            fatal!("rank {} shares no memory with this one, and there is no network", to.0);
        };
        self.check_far(&msg);
        // A long source is not copied: it is waited for.
        let held = match msg.payload {
            Payload::Long(src, _) if src.len() > self.am.limits.copied && conduit.caps().put => {
                Some(event::mine().explicit())
            }
            _ => None,
        };
        if let Some(op) = held {
            op.start(event::Kind::Put);
            msg.held = Some(Leaf(op.leaf(event::Kind::Put)));
        }
        let send = || Some(conduit.am(to, &msg)).filter(|sent| *sent != Sent::Retry);
        let sent = match send() {
            None if patience == Patience::Wait => {
                Some(self.wait_for_room(msg.traffic, || Note::room(to.0, msg.traffic as usize), send))
            }
            sent => sent,
        };
        if let Some(op) = held {
            match sent {
                Some(Sent::Later) => {
                    self.wait_for_room(msg.traffic, || op.note(), || op.is_done().then_some(()));
                }
                _ => op.finish(event::Kind::Put),
            }
            event::mine().give(op);
        }
        if sent.is_some() {
            self.counts.sent(to.0, msg.traffic as usize);
        }
        sent.is_some()
    }

    /// Conduits need not look.
    #[inline]
    fn check_far(&self, msg: &AmMsg<'_>) {
        let limits = &self.am.limits;
        match (msg.payload, msg.traffic) {
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

    fn send_medium(
        &self,
        to: &Inbox,
        traffic: Traffic,
        handler: u8,
        src: Src<'_>,
        args: &[i32],
        patience: Patience,
    ) -> bool {
        if src.len() <= wire::inline_max(args.len()) {
            let mut body = [0; MAX_BODY];
            body[..4].copy_from_slice(&(src.len() as u32).to_ne_bytes());
            body[8..8 + 4 * args.len()].copy_from_slice(mem::bytes_of(args));
            let at = wire::inline_at(args.len());
            let end = at + src.len();
            mem::read(&mut body[at..end], src);
            return self.send_body(to, traffic, handler, Kind::MediumInline, args, &body[..end], patience);
        }
        let Some(block) = self.claim_block(traffic, src.len(), patience) else { return false };
        mem::copy(self.nbrhd.own().pool.payload(block, src.len()), src);
        let sent = self.send_block(to, traffic, handler, block, src.len(), args, patience);
        if !sent {
            self.nbrhd.own().pool.free(block);
        }
        sent
    }

    /// Sends the first `nbytes` bytes of `block` as a Medium; the block is the receiver's then.
    #[inline]
    #[allow(clippy::too_many_arguments)]
    pub(super) fn send_block(
        &self,
        to: &Inbox,
        traffic: Traffic,
        handler: u8,
        block: BlockId,
        nbytes: usize,
        args: &[i32],
        patience: Patience,
    ) -> bool {
        let mut body = [0; 8 + 4 * MOST_ARGS];
        body[..4].copy_from_slice(&(nbytes as u32).to_ne_bytes());
        body[4..8].copy_from_slice(&block.to_ne_bytes());
        let end = 8 + 4 * args.len();
        body[8..end].copy_from_slice(mem::bytes_of(args));
        let Some(place) = self.claim_in(to, traffic, end, patience) else { return false };
        self.nbrhd.own().pool.sent(block, to.rank);
        let head = wire::head(handler, Kind::MediumBlock, args.len(), self.me_near());
        self.fill(to, traffic, place, head, &body[..end]);
        true
    }

    #[inline]
    #[allow(clippy::too_many_arguments)]
    fn send_body(
        &self,
        to: &Inbox,
        traffic: Traffic,
        handler: u8,
        kind: Kind,
        args: &[i32],
        body: &[u8],
        patience: Patience,
    ) -> bool {
        let Some(place) = self.claim_in(to, traffic, body.len(), patience) else { return false };
        self.fill(to, traffic, place, wire::head(handler, kind, args.len(), self.me_near()), body);
        true
    }

    /// Claims slots for a body of `nbytes` in a ring of `to`.
    #[inline]
    fn claim_in<'a>(&self, to: &'a Inbox, traffic: Traffic, nbytes: usize, patience: Patience) -> Option<Place<'a>> {
        let tally = self.counts.tally(to.owner.0);
        let (ring, at) = self.claim(to, traffic, wire::slots_for(nbytes), patience, tally)?;
        Some(Place { ring, at, tally })
    }

    /// Publishes what was claimed at `place`, in a ring of `to`.
    #[inline]
    fn fill(&self, to: &Inbox, traffic: Traffic, Place { ring, at, tally }: Place<'_>, head: Head, body: &[u8]) {
        ring.fill(at, head, body);
        self.nbrhd.ring_bell(to);
        self.counts.sent_in(tally, traffic as usize);
    }

    /// This rank, as heads of messages in rings say it.
    #[inline]
    pub(super) fn me_near(&self) -> u16 {
        self.nbrhd.me.0 as u16
    }

    /// Claims slots in a ring of `inbox`, waiting for room if need be and may be.
    #[inline]
    fn claim<'a>(
        &self,
        inbox: &'a Inbox,
        traffic: Traffic,
        need: u64,
        patience: Patience,
        tally: Tally<'_>,
    ) -> Option<(&'a Ring, u64)> {
        let (ring, room) = match traffic {
            Traffic::Request => (&inbox.requests, &inbox.request_room),
            Traffic::Reply => (&inbox.replies, &inbox.reply_room),
        };
        let claim = || ring.claim(need, room, self.intent(tally));
        match claim() {
            None if patience == Patience::Now => None,
            None => Some((ring, self.wait_for_room(traffic, || Note::room(inbox.owner.0, traffic as usize), claim))),
            Some(at) => Some((ring, at)),
        }
    }

    /// Where this thread announces what it claims; None if nobody else sends to the rings that it sends to.
    #[inline]
    fn intent(&self, tally: Tally<'_>) -> Option<&'static Intent> {
        if self.sole_producer {
            return None;
        }
        Some(self.nbrhd.intent(tally.own_row().unwrap_or_else(|| SHARDS + thread::index() as usize)))
    }

    fn claim_block(&self, traffic: Traffic, nbytes: usize, patience: Patience) -> Option<BlockId> {
        let serial = !self.settings.concurrent();
        let claim = || self.nbrhd.own().pool.claim(&self.nbrhd.cursors, traffic, nbytes, serial);
        claim().or_else(|| {
            if nbytes > SHARED_LIMITS.medium {
                self.over_limit("Medium", nbytes, "gasnet_AMMaxMedium", self.am.limits.medium);
            }
            (patience == Patience::Wait).then(|| self.wait_for_room(traffic, || Note::Block, claim))
        })
    }

    /// Back-pressure: polls until `claim` succeeds. A request's sender handles everything meanwhile, a reply's
    /// only replies, whose handlers send nothing.
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
                // Each look takes a line from the receiver, which needs it for every message.
                (0..LOOK_PAUSES).for_each(|_| core::hint::spin_loop());
                self.idle_for(&mut wait, LONGEST_NS, &what, || false);
            }
        };
        self.wait_end(&mut wait);
        got
    }

    /// To oneself: the handler runs here and now.
    #[cold]
    fn loopback(&self, traffic: Traffic, handler: u8, payload: Payload<'_>, args: &[i32]) {
        match payload {
            Payload::None => self.handle_own(traffic, handler, Buffer::None, args),
            Payload::Medium(src) => {
                // u64s, so that the buffer is aligned for any type.
                let mut buffer = vec![0u64; src.len().div_ceil(8)];
                mem::read_words(&mut buffer, src);
                self.handle_own(traffic, handler, Buffer::Medium(buffer.as_mut_ptr().cast(), src.len()), args);
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
                self.handle_own(traffic, handler, Buffer::Long(at.0 as *mut core::ffi::c_void, src.len()), args);
            }
        }
    }

    /// Runs the handler of a message of this rank to itself.
    pub(super) fn handle_own(&self, traffic: Traffic, handler: u8, buffer: Buffer, args: &[i32]) {
        let token = Token::new(self.me, traffic == Traffic::Request);
        dispatch::run(self, &token, handler, buffer, args);
        self.marks.beat();
        if self.settings.concurrent() {
            // Another thread may sleep until what the handler did.
            self.wake_local();
        }
    }
}
