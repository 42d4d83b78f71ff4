//! The state of a rank's end of conduit ucx: its peers and their connections, operations in flight, batches, credits.

use super::keys::UcxKeys;
use super::packet::PACKET;
use super::rounds::Rounds;
use crate::conduit::OpToken;
use crate::conduit::shared::Naps;
use crate::conduit::shared::arrivals::{Arrival, Arrivals};
use crate::conduit::shared::batches::{Batches, PeerBatch};
use crate::conduit::shared::credits::{Credits, Room, window_for};
use crate::conduit::shared::device::NetworkDevice;
use crate::conduit::shared::held::{Aligned, Held};
use crate::conduit::shared::slab::Slab;
use crate::defs::rank::JobRank;
use crate::mem::Dst;
use crate::shims::ucx::{UcxError, UcxLoan, UcxMemory, UcxPeer, UcxPort};

/// A rank of the job as this one sees it.
pub(crate) struct UcxMember {
    pub address: Box<[u8]>,
    /// It is on another host, so UCX is to detect failures of the connection.
    pub is_apart: bool,
    pub connection: Option<UcxPeer>,
    pub credits: Credits,
    pub room: Room,
    pub gone: bool,
    /// Its connection has failed.
    pub failed: bool,
    pub keys: UcxKeys,
    pub puts: UcxPuts,
    pub batch: PeerBatch<Aligned>,
}

/// An operation that UCX has not completed.
pub(crate) struct UcxFlight {
    pub peer: JobRank,
    pub what: UcxFlown,
}

/// The meaning of its end.
pub(crate) enum UcxFlown {
    /// A packet: its buffer is free.
    Packet(Aligned),
    /// A message whose payload is bulk data: its header, a copy of its payload if there is one, and the token of a Long that is to be
    /// told.
    Bulk {
        _header: Aligned,
        copy: Option<Aligned>,
        token: Option<OpToken>,
    },
    /// The payload of a Long is here.
    Long(Box<Arrival>),
    /// A packet that came as bulk data is here, with its length.
    Received(Aligned, usize),
    /// The source of the put with this number in `UcxRank::puts` is free, or the copy of it is no longer used.
    Put {
        number: u32,
        copy: Option<Aligned>,
    },
    Get(Option<OpToken>),
    /// Operand and previous value; where the latter goes, and its bytes.
    Atomic {
        token: Option<OpToken>,
        words: Box<[u64; 2]>,
        result: Option<(Held<Dst<'static>>, usize)>,
    },
    /// The put with this token is complete.
    FlushOne(Option<OpToken>),
    /// All these puts are complete.
    Flush(UcxPuts),
}

pub(crate) struct UcxRank {
    pub port: UcxPort,
    pub me: JobRank,
    pub members: Vec<UcxMember>,
    pub flights: Slab<UcxFlight>,
    /// Packets and copies of payloads among them.
    pub flying: usize,
    pub copied: usize,
    /// The buffer for the next packet, then others that are free.
    pub scratch: Aligned,
    pub spare: Vec<Aligned>,
    pub arrivals: Arrivals,
    /// The present progress has taken a message (`UcxTaker`).
    pub has_taken: bool,
    pub loans: Slab<UcxLoan>,
    pub puts: Slab<UcxPut>,
    /// Operands of atomics that are free; they stay where they are.
    #[allow(clippy::vec_box)]
    pub words: Vec<Box<[u64; 2]>>,
    /// Buffers for copies of short sources that are free.
    pub copies: Vec<Aligned>,
    pub in_flight: usize,
    pub batches: Batches,
    pub least_cost: u32,
    /// Connections that have failed, the time, and why.
    pub failures: Vec<(JobRank, u64, UcxError)>,
    pub probed: Rounds,
    /// A transport of its connections pins registered memory.
    pub pins: bool,
    /// That by which other hosts are reached.
    pub device: Option<NetworkDevice>,
    /// Atomics are tried, which UCX may refuse.
    pub tries: bool,
    pub parting: Rounds,
    pub departs: Departs,
    pub closed: bool,
    /// The atomics that the network executes.
    pub atomics: fn(u32) -> u32,
    /// The memory of this rank that is registered, by number of the registration.
    pub memories: Slab<UcxMemory>,
    /// Of UCX (keys.rs).
    pub version: u64,
    pub says: UcxCounters,
    pub naps: Naps,
    /// Polls in a row, while this rank leaves, that found nothing.
    pub idle_looks: u32,
}

/// How far this rank has come on its way to the meeting before the end.
#[derive(PartialEq)]
pub(crate) enum Departs {
    Not,
    /// Other threads start no operations, and those in flight come to their end.
    StartsNone,
    /// At the meeting.
    Meets,
}

#[derive(Default)]
pub(crate) struct UcxCounters {
    pub packets: u64,
    pub bulk: u64,
    pub flushes: u64,
}

// ARCHITECTURE.md, section 7, has this number.
const _: () = assert!(size_of::<UcxMember>() <= 320);

/// A put whose source was not free when it was started.
pub(crate) struct UcxPut {
    pub peer: JobRank,
    /// None: it has failed, and only UCX still knows it.
    pub token: Option<OpToken>,
    /// Local completion is to be told.
    pub stays: bool,
    /// The source is free.
    pub is_sent: bool,
    /// A flush after it has ended.
    pub is_flushed: bool,
}

/// Puts that are complete with a flush: runs of tokens of those whose source is free, and numbers in `UcxRank::puts` of the others.
#[derive(Default)]
pub(crate) struct UcxPuts {
    pub tokens: Vec<(OpToken, u32)>,
    pub numbers: Vec<u32>,
    /// A flush of this connection is in flight.
    pub flushing: bool,
}

impl UcxPuts {
    pub(crate) fn add(&mut self, token: OpToken) {
        match self.tokens.last_mut() {
            Some((last, times)) if *last == token => *times += 1,
            _ => self.tokens.push((token, 1)),
        }
    }

    pub(crate) fn are_none(&self) -> bool {
        self.tokens.is_empty() && self.numbers.is_empty()
    }
}

impl UcxRank {
    /// `addresses`: of all ranks, each with whether it is on another host; `version`: of UCX; `batches`: short messages share packets.
    pub(crate) fn new(
        port: UcxPort,
        version: u64,
        me: JobRank,
        addresses: Vec<(Box<[u8]>, bool)>,
        batches: bool,
    ) -> UcxRank {
        let size = addresses.len();
        let (window, least_cost) = window_for(size, PACKET);
        let member = |(address, is_apart)| UcxMember {
            address,
            is_apart,
            connection: None,
            credits: Credits::new(window),
            room: Room::new(window),
            gone: false,
            failed: false,
            keys: UcxKeys::default(),
            puts: UcxPuts::default(),
            batch: PeerBatch::default(),
        };
        UcxRank {
            port,
            me,
            members: addresses.into_iter().map(member).collect(),
            flights: Slab::default(),
            flying: 0,
            copied: 0,
            scratch: Aligned::zeroed(PACKET),
            spare: Vec::new(),
            arrivals: Arrivals::default(),
            has_taken: false,
            loans: Slab::default(),
            puts: Slab::default(),
            words: Vec::new(),
            copies: Vec::new(),
            in_flight: 0,
            batches: Batches::new(batches),
            least_cost,
            failures: Vec::new(),
            probed: Rounds::new(me, size as u32),
            pins: false,
            device: None,
            tries: false,
            parting: Rounds::new(me, size as u32),
            departs: Departs::Not,
            closed: false,
            atomics: |_| 0,
            memories: Slab::default(),
            version,
            says: UcxCounters::default(),
            naps: Naps::default(),
            idle_looks: 0,
        }
    }
}
