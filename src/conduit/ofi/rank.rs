//! The state of a rank's end of conduit ofi: peers and their credits, and completions.

use core::ffi::c_int;
use std::collections::{BTreeSet, VecDeque};
use std::time::{Duration, Instant};

use super::buffers::{OfiBuffer, SpareBuffers};
use super::flights::{EndedFlight, Flights, OfiFlown};
use super::hoses::PeerHoses;
use super::keys::Imports;
use super::local::LocalMemory;
use super::nudges::Nudges;
use super::packet::{OfiHead, OfiKind};
use super::parts::MessageTransfer;
use super::port::CheckedPort;
use super::receive::Receives;
use crate::bootstrap::here;
use crate::conduit::shared::Naps;
use crate::conduit::shared::arrivals::{Arrivals, Queued};
use crate::conduit::shared::batches::{Batched, Batches, PeerBatch};
use crate::conduit::shared::credits::{Credits, Room, window_for};
use crate::conduit::shared::device::NetworkDevice;
use crate::conduit::shared::held::{Aligned, Own};
use crate::conduit::shared::inside::InLibrary;
use crate::conduit::shared::packet::PACKET;
use crate::conduit::shared::slab::Slab;
use crate::conduit::{Completion, OpToken, Sent, Traffic};
use crate::defs::rank::JobRank;
use crate::fatal::fatal;
use crate::firehose::Budgets;
use crate::firehose::regions::Regions;
use crate::mem::{self, Src};
use crate::shims::ofi::{COMPLETIONS, OfiCompletion};

/// Requests, puts and gets in flight at which no further one is started; replies and answers may always be sent.
const MOST_FLYING: usize = 512;
/// Time after which a lost connection to a peer that nobody has reported dead ends the job.
const LOST_FOR: Duration = Duration::from_secs(10);
/// Errors of operations whose connection was lost.
pub(crate) const LOST: [c_int; 13] = [
    libc::ECONNRESET,
    libc::ECONNREFUSED,
    libc::ECONNABORTED,
    libc::ENOTCONN,
    libc::EPIPE,
    libc::ETIMEDOUT,
    libc::EHOSTUNREACH,
    libc::EHOSTDOWN,
    libc::ESHUTDOWN,
    libc::ENETUNREACH,
    libc::ECANCELED,
    libc::EIO,
    libc::EBADF,
];

/// The numbers of messages that have arrived from a peer, in any order.
#[derive(Default)]
pub(crate) struct Sequences {
    /// All up to this one have arrived.
    until: u64,
    beyond: BTreeSet<u64>,
}

impl Sequences {
    /// False: it has arrived before.
    pub(crate) fn add(&mut self, number: u64) -> bool {
        if number <= self.until || !self.beyond.insert(number) {
            return false;
        }
        while self.beyond.remove(&(self.until + 1)) {
            self.until += 1;
        }
        true
    }
}

pub(crate) struct OfiPeer {
    pub address: u64,
    pub credits: Credits,
    pub room: Room,
    pub gone: bool,
    /// A message was injected, and none with a completion was sent after it.
    pub injected: bool,
    pub batch: PeerBatch<OfiBuffer>,
    /// In verify mode: messages sent to it, and those received from it.
    pub sent: u64,
    pub came: Sequences,
}

pub(crate) struct OfiRank {
    pub port: CheckedPort,
    pub me: JobRank,
    pub peers: Vec<OfiPeer>,
    pub imports: Imports,
    pub local: LocalMemory,
    pub hoses: PeerHoses,
    pub receives: Receives,
    pub flights: Flights,
    pub spare: SpareBuffers,
    /// Where a message that is injected is made.
    pub scratch: Aligned,
    /// Replies and answers that the provider had no room for, with their length.
    pub backlog: VecDeque<(JobRank, OfiBuffer, usize)>,
    pub batches: Batches,
    pub arrivals: Arrivals,
    /// Puts and gets by messages.
    pub by_message: Slab<MessageTransfer>,
    pub least_cost: u32,
    most_flying: usize,
    /// Bytes of copies of Longs in flight.
    pub copied: usize,
    naps: Naps,
    pub(super) nudges: Nudges,
    /// Readable when something may have arrived; negative: there is no such descriptor.
    pub wake: c_int,
    /// That by which other hosts are reached.
    pub device: Option<NetworkDevice>,
    /// The first connection that was lost, to which rank if the provider says so, and why.
    pub lost: Option<(Instant, Option<JobRank>, String)>,
    pub closed: bool,
    pub messages: u64,
    /// Batches sent.
    pub packets: u64,
    pub injected: u64,
}

impl Queued for OfiRank {
    #[inline]
    fn arrivals(&mut self) -> &mut Arrivals {
        &mut self.arrivals
    }

    #[inline]
    fn handled(&mut self, from: JobRank, traffic: Traffic, cost: u32) {
        if self.peers[from.index()].room.handled(traffic, cost) {
            let _inside = InLibrary::enter();
            self.answer(from, &mut OfiHead::of(OfiKind::Credit, 0), Src::none());
        }
    }

    #[inline]
    fn end_loan(&mut self, number: u32) {
        self.receives.returned(number);
    }
}

impl OfiRank {
    /// `peers`: of all ranks, as the provider names them; `batches`: short messages share packets.
    pub(crate) fn new(
        mut port: CheckedPort,
        me: JobRank,
        peers: &[u64],
        wake: c_int,
        budgets: Budgets,
        batches: bool,
    ) -> OfiRank {
        let (window, least_cost) = window_for(peers.len(), PACKET);
        let peer = |address: &u64| OfiPeer {
            address: *address,
            credits: Credits::new(window),
            room: Room::new(window),
            gone: false,
            injected: false,
            batch: PeerBatch::default(),
            sent: 0,
            came: Sequences::default(),
        };
        let inject = port.offer.inject.min(PACKET);
        let mut flights = Flights::default();
        let receives = Receives::new(&mut port, &mut flights, me);
        OfiRank {
            me,
            peers: peers.iter().map(peer).collect(),
            imports: Imports::new(peers.len() as u32),
            local: LocalMemory { own: Slab::default(), regions: Regions::new(budgets) },
            hoses: PeerHoses::new(budgets, peers.len()),
            receives,
            flights,
            spare: SpareBuffers::default(),
            scratch: Aligned::zeroed(inject.max(PACKET)),
            backlog: VecDeque::new(),
            batches: Batches::new(batches),
            arrivals: Arrivals::default(),
            by_message: Slab::default(),
            least_cost,
            most_flying: MOST_FLYING,
            copied: 0,
            naps: Naps::default(),
            nudges: Nudges::default(),
            wake,
            device: None,
            lost: None,
            closed: false,
            messages: 0,
            packets: 0,
            injected: 0,
            port,
        }
    }

    #[inline]
    pub(crate) fn is_gone(&self, rank: JobRank) -> bool {
        self.closed || self.peers[rank.index()].gone
    }

    /// Whether as much is in flight as this rank starts.
    #[inline]
    pub(crate) fn is_crowded(&self) -> bool {
        self.flights.count >= self.most_flying + self.receives.count() || !self.backlog.is_empty()
    }

    #[inline]
    pub(crate) fn advance(&mut self, own: Own<'_>, leaving: bool) -> bool {
        if self.closed {
            return false;
        }
        self.age_batches(leaving);
        if !self.backlog.is_empty() {
            self.drain_backlog();
        }
        let mut completions = [OfiCompletion::default(); COMPLETIONS];
        let count = match self.port.poll(&mut completions) {
            Ok(count) => count,
            Err(code) => {
                let why = self.port.error_text(code);
                fatal!("conduit ofi: the completion queue of {} cannot be read: {why}", self.port.offer.provider);
            }
        };
        for completion in &completions[..count] {
            self.complete(completion, own, leaving);
        }
        self.receives.post_again(&mut self.port);
        if !self.by_message.is_empty() {
            self.advance_messages();
        }
        if count > 0 {
            self.naps = Naps::default();
        } else if let Some(device) = &mut self.device {
            if device.is_lost() {
                fatal!(
                    "conduit ofi: the network device {} is down or gone (GASNET_OFI_DEVICE names another)",
                    device.name
                );
            }
        }
        if self.wake < 0 && self.flights.transfers > 0 && self.nudges.polled(self.flights.ended) {
            self.nudge();
        }
        if self.lost.is_some() {
            self.check_lost();
        }
        count > 0
    }

    /// Sends an empty message to each target of a transfer in flight.
    #[cold]
    fn nudge(&mut self) {
        for to in self.flights.targets() {
            if !self.is_gone(to) {
                self.send_nothing(to);
            }
        }
    }

    fn send_nothing(&mut self, to: JobRank) {
        self.answer(to, &mut OfiHead::of(OfiKind::Credit, 0), Src::none());
    }

    /// Sends an empty message to each rank.
    pub(super) fn greet_all(&mut self) {
        (0..self.peers.len() as u32).for_each(|rank| self.send_nothing(JobRank(rank)));
    }

    /// Ends the job if a connection was lost some time ago, and no report of its rank's death has come, unless ranks leave.
    #[cold]
    fn check_lost(&mut self) {
        let Some((since, rank, why)) = &self.lost else { return };
        // A failed receive names no rank. If none has died, the connection to a live one is lost; if one has, it was that one's, as a live
        // sender whose message fails finds that out itself and ends the job.
        let any_gone = || self.closed || self.peers.iter().any(|peer| peer.gone);
        if rank.map_or_else(any_gone, |rank| self.is_gone(rank)) {
            self.lost = None;
        } else if here::job_has_ended_well() {
            let has_left = *rank;
            self.lost = None;
            if let Some(rank) = has_left {
                self.lose(rank);
            }
        } else if since.elapsed() > LOST_FOR {
            let (provider, rank) =
                (&self.port.offer.provider, rank.map_or("a rank".into(), |rank| format!("rank {}", rank.0)));
            fatal!("conduit ofi: {provider} has lost the connection to {rank}: {why}");
        }
    }

    /// Returns `sent`. A provider that connects again and again to a rank that has left reports no error: then operations on it fail from now on.
    #[inline]
    pub(crate) fn unless_it_left(&mut self, to: JobRank, sent: Sent) -> Sent {
        if matches!(sent, Sent::Retry) && here::has_left(to) {
            self.lose(to);
        }
        sent
    }

    #[inline]
    fn complete(&mut self, completion: &OfiCompletion, own: Own<'_>, leaving: bool) {
        if completion.context == 0 {
            return;
        }
        let number = self.flights.number_of(completion.context);
        let receive = match self.flights.get(number).map(|flight| &flight.what) {
            Some(OfiFlown::Receive(receive)) => Some(*receive),
            _ => None,
        };
        if let Some(receive) = receive {
            return self.received(receive, completion, own, leaving);
        }
        let Some(EndedFlight { to, forsaken, hose, what }) = self.flights.end(number) else { return };
        if let Some(of) = hose {
            self.hoses.release(to, of);
        }
        let error = completion.error;
        let landed = error == 0 && !forsaken;
        if error != 0 && !forsaken && !self.is_gone(to) {
            self.failed(to, &what, error);
        }
        let mut done = |token: OpToken, local: bool| {
            if landed {
                if local {
                    self.arrivals.done(token, Completion::Local);
                }
                self.arrivals.done(token, Completion::Remote);
            }
        };
        match what {
            OfiFlown::Nothing | OfiFlown::Receive(_) => {}
            OfiFlown::Packet(buffer) => self.spare.put(buffer),
            OfiFlown::Put(token, pin) => {
                done(token, true);
                self.local.unpin(&mut self.port, pin);
            }
            OfiFlown::CopiedPut(token, buffer) => {
                done(token, false);
                if let Some(buffer) = buffer {
                    self.spare.put(buffer);
                }
            }
            OfiFlown::Get(token, pin) => {
                done(token, false);
                self.local.unpin(&mut self.port, pin);
            }
            OfiFlown::Landing(token, mut buffer, dst) => {
                if landed {
                    mem::copy(dst.0, buffer.view().part(0, dst.0.len()).as_src());
                }
                done(token, false);
                self.spare.put(buffer);
            }
            OfiFlown::Long(long, pin) => {
                self.local.unpin(&mut self.port, pin);
                if landed {
                    self.send_after(to, *long);
                } else {
                    self.end_copy(&long);
                }
            }
            OfiFlown::Atomic(token, mut buffer, result) => {
                if let Some(result) = result.filter(|_| landed) {
                    let found = buffer.view().part(16, result.0.len().min(8));
                    mem::copy(result.0.part(0, found.len()), found.as_src());
                }
                done(token, false);
                self.spare.put(buffer);
            }
            OfiFlown::Part { number, memory, from, len } => self.part_moved(number, memory, (from, len), landed),
        }
    }

    /// An operation has failed: a connection was lost, or the peer has refused it.
    #[cold]
    fn failed(&mut self, to: JobRank, what: &OfiFlown, error: i32) {
        if matches!(what, OfiFlown::Packet(_)) {
            return self.lose_message(to, error);
        }
        if LOST.contains(&error) {
            // Some providers refuse a transfer by closing the connection.
            if self.lost.is_none() {
                let why = format!(
                    "{} (of a put or get; perhaps by a key that is no longer valid)",
                    self.port.error_text(error)
                );
                self.lost = Some((Instant::now(), Some(to), why));
            }
            return;
        }
        let (why, provider) = (self.port.error_text(error), &self.port.offer.provider);
        let what = match what {
            OfiFlown::Get(..) | OfiFlown::Landing(..) => "a get from",
            OfiFlown::Atomic(..) => fatal!(
                "conduit ofi: {provider} has refused an atomic operation on rank {}, although it says that it executes those: {why} \
                 (GASNET_OFI_PROVIDER names another provider)",
                to.0
            ),
            _ => "a put to",
        };
        fatal!("conduit ofi: {provider} has refused {what} rank {}: {why} (by a key that is no longer valid?)", to.0);
    }

    /// The time after which a thread that sleeps has to poll.
    pub(crate) fn nap_ns(&mut self) -> u64 {
        const LOST_NS: u64 = 100_000_000;
        self.send_batches();
        if !self.arrivals.is_empty() {
            return 0;
        }
        if self.wake >= 0 && self.backlog.is_empty() && self.by_message.is_empty() {
            let most = if self.lost.is_some() { LOST_NS } else { u64::MAX };
            let most = self.device.as_ref().map_or(most, |device| device.nap_ns(most));
            return if self.port.may_sleep() { most } else { 0 };
        }
        self.naps.next_ns(self.flights.count <= self.receives.count())
    }

    pub(crate) fn lose(&mut self, rank: JobRank) {
        self.peers[rank.index()].gone = true;
        if let Some(buffer) = self.drop_batch(rank) {
            self.spare.put(buffer);
        }
        for number in self.flights.to(rank) {
            let Some(flight) = self.flights.get(number).filter(|flight| !flight.forsaken) else { continue };
            flight.forsaken = true;
            let token = match &flight.what {
                OfiFlown::Put(token, _)
                | OfiFlown::CopiedPut(token, _)
                | OfiFlown::Get(token, _)
                | OfiFlown::Landing(token, ..)
                | OfiFlown::Atomic(token, ..) => Some(*token),
                OfiFlown::Long(long, _) => long.token,
                OfiFlown::Nothing | OfiFlown::Receive(_) | OfiFlown::Packet(_) | OfiFlown::Part { .. } => None,
            };
            if let Some(token) = token {
                self.arrivals.done(token, Completion::Failed);
            }
        }
        self.lose_messages(rank);
    }

    /// Whether this rank may leave; then its port is closed, where the provider would leave files behind.
    pub(crate) fn settled(&mut self) -> bool {
        self.send_batches();
        let is_sent = self.closed || self.backlog.is_empty() && self.by_message.is_empty() && self.flush();
        let settled = self.closed || is_sent && self.flights.count == self.receives.count();
        if settled && !self.closed && self.port.offer.provider.starts_with("shm") {
            self.closed = true;
            self.port.close();
        }
        settled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_arrives_once_in_any_order() {
        let mut came = Sequences::default();
        for number in [2, 1, 4, 5, 3, 6] {
            assert!(came.add(number));
        }
        assert_eq!((came.until, came.beyond.len()), (6, 0));
        for number in 0..=6 {
            assert!(!came.add(number));
        }
        assert!(came.add(9) && !came.add(9));
    }
}
