//! Sending: requests and replies, and what to do while there is no room.

use crate::am::wire::{self, Kind};
use crate::am::{Payload, SHARED_LIMITS, Token, dispatch};
use crate::conduit::{AmMsg, Leaf, Sent};
use crate::event;
use crate::fatal::fatal;
use crate::job::{Job, JobRank, Wait};
use crate::mem::{self, RemoteAddr, Src};
use crate::nbrhd::Inbox;
use crate::nbrhd::pool::{BlockId, Traffic};
use crate::nbrhd::ring::{BODY_BYTES, MAX_BODY, Ring};

/// Pauses between two looks for room.
const LOOK_PAUSES: u32 = 4;
/// The longest sleep of a sender: nobody wakes it when there is room.
const LONGEST_NS: u64 = 5_000_000;

impl Job {
    /// Sends a request. On return the source may be reused. Polls; waits for room, polling meanwhile.
    #[inline]
    pub fn am_request(&self, to: JobRank, handler: u8, payload: Payload<'_>, args: &[i32]) {
        self.poll_to_send();
        self.am_send(to, Traffic::Request, handler, payload, args);
    }

    /// Sends a reply; see [`Token::reply`]. While it waits for room only replies are handled.
    #[inline]
    pub fn am_reply(&self, to: JobRank, handler: u8, payload: Payload<'_>, args: &[i32]) {
        self.am_send(to, Traffic::Reply, handler, payload, args);
    }

    #[inline]
    fn am_send(&self, to: JobRank, traffic: Traffic, handler: u8, payload: Payload<'_>, args: &[i32]) {
        if to == self.me {
            self.loopback(traffic, handler, payload, args);
            return;
        }
        let Some(inbox) = self.nbrhd.inbox_of(to) else {
            self.send_far(to, AmMsg { traffic, handler, args, payload, held: None });
            return;
        };
        match payload {
            Payload::None if args.len() <= BODY_BYTES / 4 => {
                let (ring, at) = self.claim(inbox, traffic, 1);
                ring.fill_args(at, wire::head(handler, Kind::Short, args.len(), self.nbrhd.me.0 as u16), args);
                self.nbrhd.ring_bell(inbox);
            }
            Payload::None => self.send_body(inbox, traffic, handler, Kind::Short, args, mem::bytes_of(args)),
            Payload::Medium(src) => self.send_medium(inbox, traffic, handler, src, args),
            Payload::Long(src, at) | Payload::LongAsync(src, at) => {
                self.put_payload(to, at, src);
                let mut body = [0; 16 + 4 * crate::am::MAX_ARGS];
                body[..8].copy_from_slice(&(at.0 as u64).to_ne_bytes());
                body[8..16].copy_from_slice(&(src.len() as u64).to_ne_bytes());
                let end = 16 + 4 * args.len();
                body[16..end].copy_from_slice(mem::bytes_of(args));
                self.send_body(inbox, traffic, handler, Kind::Long, args, &body[..end]);
            }
        }
    }

    /// To a rank outside the nbrhd.
    #[inline(never)]
    fn send_far(&self, to: JobRank, mut msg: AmMsg<'_>) {
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
        let sent = send().unwrap_or_else(|| self.wait_for_room(msg.traffic, send));
        if let Some(op) = held {
            match sent {
                Sent::Later => self.wait_for_room(msg.traffic, || op.is_done().then_some(())),
                _ => op.finish(event::Kind::Put),
            }
            event::mine().give(op);
        }
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

    fn send_medium(&self, to: &Inbox, traffic: Traffic, handler: u8, src: Src<'_>, args: &[i32]) {
        if src.len() <= wire::inline_max(args.len()) {
            let mut body = [0; MAX_BODY];
            body[..4].copy_from_slice(&(src.len() as u32).to_ne_bytes());
            body[8..8 + 4 * args.len()].copy_from_slice(mem::bytes_of(args));
            let at = wire::inline_at(args.len());
            let end = at + src.len();
            mem::read(&mut body[at..end], src);
            self.send_body(to, traffic, handler, Kind::MediumInline, args, &body[..end]);
            return;
        }
        let block = self.claim_block(traffic, src.len());
        mem::copy(self.nbrhd.own().pool.payload(block, src.len()), src);
        let mut body = [0; 8 + 4 * crate::am::MAX_ARGS];
        body[..4].copy_from_slice(&(src.len() as u32).to_ne_bytes());
        body[4..8].copy_from_slice(&block.to_ne_bytes());
        let end = 8 + 4 * args.len();
        body[8..end].copy_from_slice(mem::bytes_of(args));
        self.send_body(to, traffic, handler, Kind::MediumBlock, args, &body[..end]);
    }

    #[inline]
    fn send_body(&self, to: &Inbox, traffic: Traffic, handler: u8, kind: Kind, args: &[i32], body: &[u8]) {
        let (ring, at) = self.claim(to, traffic, wire::slots_for(body.len()));
        ring.fill(at, wire::head(handler, kind, args.len(), self.nbrhd.me.0 as u16), body);
        self.nbrhd.ring_bell(to);
    }

    /// Claims slots in a ring of `inbox`, waiting for room if need be.
    #[inline]
    fn claim<'a>(&self, inbox: &'a Inbox, traffic: Traffic, need: u64) -> (&'a Ring, u64) {
        let (ring, room) = match traffic {
            Traffic::Request => (&inbox.requests, &inbox.request_room),
            Traffic::Reply => (&inbox.replies, &inbox.reply_room),
        };
        let claim = || ring.claim(need, room, self.sole_producer);
        (ring, claim().unwrap_or_else(|| self.wait_for_room(traffic, claim)))
    }

    fn claim_block(&self, traffic: Traffic, nbytes: usize) -> BlockId {
        let serial = !self.settings.concurrent();
        let claim = || self.nbrhd.own().pool.claim(&self.nbrhd.cursors, traffic, nbytes, serial);
        claim().unwrap_or_else(|| {
            if nbytes > SHARED_LIMITS.medium {
                self.over_limit("Medium", nbytes, "gasnet_AMMaxMedium", self.am.limits.medium);
            }
            self.wait_for_room(traffic, claim)
        })
    }

    /// Back-pressure: polls until `claim` succeeds. A request's sender handles everything meanwhile, a reply's
    /// only replies, whose handlers send nothing.
    #[cold]
    pub(crate) fn wait_for_room<T>(&self, traffic: Traffic, claim: impl Fn() -> Option<T>) -> T {
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
                self.idle_for(&mut wait, LONGEST_NS, || false);
            }
        };
        self.wait_end(&mut wait);
        got
    }

    fn put_payload(&self, to: JobRank, at: RemoteAddr, src: Src<'_>) {
        if src.is_empty() {
            return;
        }
        match self.nbrhd.deliver_to(to, at, src.len()) {
            Some(dst) => mem::copy(dst, src),
            None => fatal!("AM Long to rank {} before gasnet_attach", to.0),
        }
    }

    /// To oneself: the handler runs here and now.
    #[cold]
    fn loopback(&self, traffic: Traffic, handler: u8, payload: Payload<'_>, args: &[i32]) {
        let token = Token::new(self.me, traffic == Traffic::Request);
        match payload {
            Payload::None => dispatch::run(self, &token, handler, None, args),
            Payload::Medium(src) => {
                // u64s, so that the buffer is aligned for any type.
                let mut buffer = vec![0u64; src.len().div_ceil(8)];
                mem::read_words(&mut buffer, src);
                dispatch::run(self, &token, handler, Some((buffer.as_mut_ptr().cast(), src.len())), args);
            }
            Payload::Long(src, at) | Payload::LongAsync(src, at) => {
                self.put_payload(self.me, at, src);
                dispatch::run(self, &token, handler, Some((at.0 as *mut core::ffi::c_void, src.len())), args);
            }
        }
        if self.settings.concurrent() {
            // Another thread may sleep until what the handler did.
            self.wake_local();
        }
    }
}
