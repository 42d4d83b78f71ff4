//! The engine of a rank: its peers, each created by the first message to or datagram from it.

use std::collections::{BTreeSet, VecDeque};
use std::net::SocketAddr;

use super::auth::{AuthKey, Tag};
use super::flight::FlightCounters;
use super::held::{Batch, Datagrams, Went};
use super::peer::{Common, Peer};
use super::reject::{Reject, Rejects};
use super::send::Sender;
use super::unit::Spares;
use super::wire::{self, Header, MAX_MTU, MIN_MTU, TAG};
use crate::conduit::udp::send::Source;
use crate::conduit::udp::terms::{Config, Ended, Full, MOST_HEAD, Taken, Up, am_cost};
use crate::defs::message::Traffic;
use crate::defs::rank::JobRank;
use crate::mem::{Dst, RemoteAddr, Src};
use crate::os::zeroed::zeroed;

/// The result of [`Engine::counters`], summed over all peers.
#[derive(Clone, Copy, Default, Debug)]
pub struct Counters {
    pub flight: FlightCounters,
    pub datagrams: u64,
    pub rejected: u64,
}

/// A rank of the job; None before the first message to or from it, and once it has left.
type PeerSlot = Option<Box<Peer>>;

/// See the documentation of the module `udp`.
pub struct Engine {
    config: Config,
    /// By rank; untouched memory for ranks that this one never met.
    peers: Box<[PeerSlot]>,
    /// Ranks that have left: operations on them are dropped without a report.
    gone: BTreeSet<u32>,
    /// Ranks with datagrams to send, possibly.
    dirty: VecDeque<u32>,
    /// Ranks with a running timer, and a time before which none expires.
    timed: Vec<u32>,
    next: u64,
    spares: Spares,
    batch: Batch,
    done: Vec<(u64, Ended)>,
    datagrams: u64,
    pub rejects: Rejects,
}

/// Bytes of address space for each rank of the job.
pub const BYTES_A_PEER: usize = size_of::<PeerSlot>();

impl Engine {
    pub fn new(config: Config) -> Engine {
        assert!(config.size > config.me.0);
        assert!((MIN_MTU..=MAX_MTU).contains(&config.mtu_first) && config.mtu_most <= MAX_MTU);
        let largest = am_cost(MOST_HEAD, config.most_medium);
        assert!(config.am_window / 2 >= largest && config.send_queue >= largest && config.transfers > 0);
        Engine {
            peers: zeroed(config.size as usize),
            gone: BTreeSet::new(),
            dirty: VecDeque::new(),
            timed: Vec::new(),
            next: u64::MAX,
            spares: Spares::default(),
            batch: Batch::new(config.encrypt),
            done: Vec::new(),
            datagrams: 0,
            rejects: Rejects::default(),
            config,
        }
    }

    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Returns the peer `to` and marks it as having something to send; None if it has left.
    #[inline]
    fn meet(&mut self, to: JobRank) -> Option<(&Config, &mut Spares, &mut Peer)> {
        let Engine { config, peers, gone, dirty, spares, .. } = self;
        let place = &mut peers[to.index()];
        if place.is_none() {
            if gone.contains(&to.0) {
                return None;
            }
            *place = Some(Box::new(Peer::new(config, to)));
        }
        let peer = place.as_deref_mut()?;
        if !peer.is_dirty {
            peer.is_dirty = true;
            dirty.push_back(to.0);
        }
        Some((config, spares, peer))
    }

    /// Calls `what` with the sending half of `to`; `Taken::Gone` if that rank has left.
    #[inline]
    fn send(
        &mut self,
        to: JobRank,
        what: impl FnOnce(&mut Sender, &Config, &mut Spares) -> Result<Taken, Full>,
    ) -> Result<Taken, Full> {
        match self.meet(to) {
            Some((config, spares, peer)) => what(&mut peer.tx, config, spares),
            None => Ok(Taken::Gone),
        }
    }

    /// Accepts a message. `head`, at most [`MOST_HEAD`] bytes, and `payload` are copied.
    #[inline]
    pub fn am(&mut self, to: JobRank, traffic: Traffic, head: &[u8], payload: Src<'_>) -> Result<Taken, Full> {
        self.send(to, |tx, config, spares| tx.am(config, spares, traffic, head, payload))
    }

    /// Accepts a message whose payload goes to `at` in the target's segment.
    pub fn long(
        &mut self,
        to: JobRank,
        traffic: Traffic,
        head: &[u8],
        payload: Src<'_>,
        at: RemoteAddr,
        source: Source,
    ) -> Result<Taken, Full> {
        self.send(to, |tx, config, spares| tx.long(config, spares, traffic, head, payload, at, source))
    }

    /// Writes `src` to `at` on `to`; [`Up::done`] reports that the bytes have arrived. `stays`: `src` does not change until
    /// then, unless the result is [`Taken::Copied`]; otherwise it is copied.
    pub fn put(&mut self, to: JobRank, at: RemoteAddr, src: Src<'_>, stays: bool, op: u64) -> Result<Taken, Full> {
        self.send(to, |tx, config, spares| tx.put(config, spares, at, src, stays, op))
    }

    /// Reads `at` on `from` into `dst`, which stays until [`Up::done`] reports that the bytes are there.
    pub fn get(&mut self, from: JobRank, at: RemoteAddr, dst: Dst<'_>, op: u64) -> Result<Taken, Full> {
        self.send(from, |tx, config, spares| tx.get(config, spares, at, dst, op))
    }

    /// A message from [`Up::am`] of this cost has been handled: returns the credits to its sender.
    pub fn handled(&mut self, from: JobRank, traffic: Traffic, cost: u32) {
        if let Some((_, _, peer)) = self.meet(from) {
            peer.rx.room.handled(traffic, cost);
        }
    }

    /// Processes a received datagram. Only a counter changes unless it is authentic, from a rank of this job, and not a
    /// repetition. May change `bytes`. Calls `up`.
    #[inline]
    pub fn on_datagram(&mut self, now: u64, from: SocketAddr, bytes: &mut [u8], up: &mut dyn Up) -> Result<(), Reject> {
        self.datagrams += 1;
        let taken = self.take(now, bytes, up);
        if let Err(why) = taken {
            self.rejects.count(why, from);
        }
        taken
    }

    fn take(&mut self, now: u64, bytes: &mut [u8], up: &mut dyn Up) -> Result<(), Reject> {
        let (sender, packet) = wire::plain(bytes).ok_or(Reject::NoDatagram)?;
        if sender >= self.config.size || sender == self.config.me.0 {
            return Err(Reject::NoRank);
        }
        let sender = JobRank(sender);
        let (sealed, tag) = bytes.split_at_mut(bytes.len() - TAG);
        let tag: &Tag = tag.first_chunk().ok_or(Reject::NoDatagram)?;
        let mut open = |key: &AuthKey| match self.config.encrypt {
            true => key.open(packet, sealed, tag),
            false => key.verify(packet, sealed, tag),
        };
        let is_true = match &self.peers[sender.index()] {
            Some(peer) if peer.rx.packets.is_old(packet) => return Err(Reject::Replayed),
            Some(peer) => open(&peer.theirs),
            None if self.gone.contains(&sender.0) => return Err(Reject::Gone),
            None => open(&AuthKey::derive(&self.config.secret, sender, self.config.me, self.config.encrypt)),
        };
        if !is_true {
            return Err(Reject::Forged);
        }
        let (header, frames) = Header::read(bytes).ok_or(Reject::NoDatagram)?;
        let frames = &bytes[frames..bytes.len() - TAG];
        let Engine { config, peers, spares, done, dirty, .. } = self;
        let peer = peers[sender.index()].get_or_insert_with(|| Box::new(Peer::new(config, sender)));
        peer.rx.packets.accept(packet);
        if !peer.is_dirty {
            peer.is_dirty = true;
            dirty.push_back(sender.0);
        }
        peer.receive(Common { config, spares, done }, now, &header, frames, up)
    }

    /// Sends all datagrams that may be sent at `now`; `out` gets datagrams in batches. After [`Went::NotNow`] the
    /// rest stays queued: call again.
    pub fn transmit(&mut self, now: u64, out: &mut dyn FnMut(&Datagrams<'_>) -> Went) -> Went {
        while let Some(rank) = self.dirty.pop_front() {
            let Some(peer) = &mut self.peers[rank as usize] else { continue };
            peer.is_dirty = false;
            let went = peer.send(self.config.me, &mut self.spares, &mut self.batch, now, out);
            let due = peer.due(now, self.config.peer_timeout_ns);
            if due < u64::MAX && !peer.is_timed {
                peer.is_timed = true;
                self.timed.push(rank);
            }
            self.next = self.next.min(due);
            if went != Went::Out {
                peer.is_dirty = true;
                self.dirty.push_back(rank);
                if went == Went::NotNow {
                    return went;
                }
            }
        }
        Went::Out
    }

    /// The time at which [`Engine::on_timer`] or `transmit` must be called next; 0: now.
    pub fn next_timer(&self) -> Option<u64> {
        if !self.dirty.is_empty() {
            return Some(0);
        }
        (self.next < u64::MAX).then_some(self.next)
    }

    /// Handles timers that have expired at `now`; call `transmit` afterwards. May be called at any time. Calls
    /// [`Up::lost`] only.
    pub fn on_timer(&mut self, now: u64, up: &mut dyn Up) {
        if now < self.next {
            return;
        }
        self.next = u64::MAX;
        let Engine { config, peers, dirty, timed, next, .. } = self;
        timed.retain(|&rank| {
            let Some(peer) = &mut peers[rank as usize] else { return false };
            if peer.due(now, config.peer_timeout_ns) <= now {
                peer.tx.flight.on_time(now);
                if let Some(silent_ns) = peer.tx.flight.gives_up(now, config.peer_timeout_ns) {
                    up.lost(peer.rank, silent_ns);
                }
                if !peer.is_dirty {
                    peer.is_dirty = true;
                    dirty.push_back(rank);
                }
                return true;
            }
            let due = peer.due(now, config.peer_timeout_ns);
            *next = due.min(*next);
            peer.is_timed = due < u64::MAX;
            if !peer.is_timed {
                peer.tx.rest();
                peer.rx.rest();
            }
            peer.is_timed
        });
    }

    /// This rank is about to leave: the next `transmit` acknowledges all units that have arrived, so that no peer waits.
    pub fn acknowledge(&mut self) {
        for (rank, place) in (0..).zip(&mut self.peers) {
            let Some(peer) = place else { continue };
            if peer.rx.owes() {
                peer.rx.answer_now(false);
                if !peer.is_dirty {
                    peer.is_dirty = true;
                    self.dirty.push_back(rank);
                }
            }
        }
    }

    /// A rank has left: messages to it are dropped, its datagrams are rejected, and operations on it fail.
    pub fn gone(&mut self, rank: JobRank, mut failed: impl FnMut(u64)) {
        self.gone.insert(rank.0);
        if let Some(peer) = self.peers[rank.index()].take() {
            peer.tx.operations().for_each(&mut failed);
        }
    }

    fn met(&self) -> impl Iterator<Item = &Peer> {
        self.peers.iter().filter_map(Option::as_deref)
    }

    /// Whether everything sent to `to` has been acknowledged.
    pub fn is_idle_to(&self, to: JobRank) -> bool {
        self.peers[to.index()].as_ref().is_none_or(|peer| peer.tx.is_idle())
    }

    /// Whether everything that this engine sent has been acknowledged.
    pub fn is_idle(&self) -> bool {
        self.met().all(|peer| peer.tx.is_idle())
    }

    /// As `is_idle`, except for path probes.
    pub fn has_delivered(&self) -> bool {
        self.met().all(|peer| peer.tx.is_delivered())
    }

    /// The smoothed round trip to a peer, once measured.
    pub fn rtt_ns(&self, to: JobRank) -> Option<u64> {
        let Some(peer) = &self.peers[to.index()] else { return None };
        Some(peer.tx.flight.rtt.smoothed_ns()).filter(|&ns| ns > 0)
    }

    pub fn counters(&self) -> Counters {
        let mut all = Counters { datagrams: self.datagrams, rejected: self.rejects.total(), ..Counters::default() };
        for peer in self.met() {
            let one = &peer.tx.flight.counters;
            all.flight.sent += one.sent;
            all.flight.again += one.again;
            all.flight.silent_tries += one.silent_tries;
            all.flight.too_early += one.too_early;
        }
        all
    }
}
