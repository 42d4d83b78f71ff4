//! Connections to other ranks: made with the first operation; failures, ranks that die or leave, and meetings of all ranks.

use super::packet::{UcxHead, UcxKind};
use super::rank::MOST_FLYING;
use super::state::{Departs, UcxRank};
use super::transfers::TRANSFERS;
use crate::bootstrap::here;
use crate::defs::rank::JobRank;
use crate::env;
use crate::fatal::fatal;
use crate::mem::Src;
use crate::os::sleep;
use crate::shims::ucx::{UcxError, UcxPeer, UcxPort};

/// The time from the failure of a connection until the job ends, if nobody says that the peer has died.
const DOUBT_NS: u64 = 10_000_000_000;

impl UcxRank {
    /// This rank has come to the meeting of this `kind`; true once all ranks have.
    pub(crate) fn meets(&mut self, kind: UcxKind) -> bool {
        loop {
            let rounds = if kind == UcxKind::Probed { &mut self.probed } else { &mut self.parting };
            let Some((to, round)) = rounds.next() else { return rounds.is_over() };
            self.transmit(to, &UcxHead::of(kind, round), Src::none());
        }
    }

    /// The connection to `to`, made with the first operation.
    #[inline]
    pub(crate) fn connected(&mut self, to: JobRank) -> &UcxPeer {
        let member = &mut self.members[to.index()];
        match member.connection {
            Some(ref connection) => connection,
            None => member.connection.insert(connect(&self.port, to, &member.address, member.is_apart)),
        }
    }

    /// The connection to `rank` has failed. That rank has probably died, which others will say; until then nothing is sent to it.
    #[cold]
    pub(crate) fn fails(&mut self, rank: JobRank, error: UcxError) {
        let member = &mut self.members[rank.index()];
        if member.gone || member.failed || self.closed {
            return;
        }
        if !error.is_of_connection() {
            if self.tries {
                return;
            }
            fatal!("conduit ucx: an operation on rank {} fails: {}", rank.0, error.text());
        }
        member.failed = true;
        self.failures.push((rank, sleep::now_ns(), error));
        self.lose(rank);
    }

    #[cold]
    pub(crate) fn check_failures(&mut self) {
        if here::job_has_ended_well() {
            // Those ranks have left.
            let left = core::mem::take(&mut self.failures);
            return left.into_iter().for_each(|(rank, ..)| self.goes(rank));
        }
        let members = &self.members;
        self.failures.retain(|(rank, ..)| !members[rank.index()].gone);
        if let Some((rank, since, error)) = self.failures.first() {
            if sleep::now_ns() - since > DOUBT_NS {
                fatal!(
                    "conduit ucx: the connection to rank {} has failed ({}), although that rank is alive: a device or a path of the network is down \
                 (UCX_NET_DEVICES names the devices to use)",
                    rank.0,
                    error.text()
                );
            }
        }
    }

    /// For a rank that leaves: its operations are complete, and requests of peers that had arrived are served. Those that arrive later
    /// are served until all ranks have come to the end (`Library::parted`).
    pub(crate) fn may_leave(&mut self) -> bool {
        const LOOKS: u32 = 3;
        self.is_quiet() && self.idle_looks >= LOOKS
    }

    /// One look at the meeting before the end (`Library::parted`). A rank comes to it once its own operations are complete, so that nothing is in
    /// flight between any two ranks when all have come: UCX over tcp may end a process by an assertion if its peer closes the connection
    /// before it has acknowledged a put, and messages with bulk data are puts.
    pub(crate) fn part(&mut self) -> bool {
        if self.departs == Departs::Not {
            // The limits, which are checked anyway, refuse operations of threads that the client has left running.
            self.flying += MOST_FLYING;
            self.in_flight += TRANSFERS;
            self.departs = Departs::StartsNone;
        }
        if self.departs == Departs::StartsNone && self.is_quiet() {
            self.departs = Departs::Meets;
        }
        self.closed = self.closed || self.departs == Departs::Meets && self.meets(UcxKind::Parting) && self.is_quiet();
        self.closed
    }

    /// `rank` has died or left.
    pub(crate) fn goes(&mut self, rank: JobRank) {
        if core::mem::replace(&mut self.members[rank.index()].gone, true) {
            return;
        }
        self.lose(rank);
        if let Some(connection) = self.members[rank.index()].connection.as_ref().filter(|peer| peer.detects) {
            connection.drop_it();
        }
    }
}

/// Connects to `to`; ends the job if UCX has no way there.
#[cold]
fn connect(port: &UcxPort, to: JobRank, address: &[u8], is_apart: bool) -> UcxPeer {
    let with = |detects| port.connect(address, to.0.into(), detects);
    // Shared memory and some devices of UCX do not detect failures.
    let made = if is_apart { with(true).or_else(|_| with(false)) } else { with(false) };
    made.unwrap_or_else(|error| {
        let set = |name: &str| env::raw(name).map_or(format!("{name} is not set"), |value| format!("{name}={value}"));
        fatal!(
            "conduit ucx: UCX finds no transport from here to rank {}: {} ({}, {})",
            to.0,
            error.text(),
            set("UCX_TLS"),
            set("UCX_NET_DEVICES")
        )
    })
}
