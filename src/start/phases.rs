//! The phases of a start once the objects that the ranks of a host share exist: see start.rs.

use super::rank::{NewRank, SPARE_FILES};
use crate::bootstrap::contract::Bootstrap;
use crate::bootstrap::page::ControlPage;
use crate::conduit::{Conduit, Links, shared};
use crate::defs::rank::HostRank;
use crate::exit;
use crate::fatal;
use crate::hang::board::Board;
use crate::hang::network_threads::ThreadsBefore;
use crate::hang::waits::{self, Note};
use crate::job::Job;
use crate::launch::fork::{self, Uplink};
use crate::launch::leader;
use crate::mem::Dst;
use crate::nbrhd::xmap::Xmap;
use crate::nbrhd::{Nbrhd, Region};
use crate::os::{affinity, backtrace, limits};
use crate::places::Places;
use crate::settings::Settings;
use crate::sync::waiting::Waiting;
use crate::thread;
use crate::trace;
use std::net::IpAddr;

/// Everything that ranks share or inherit exists: pages that a rank writes after the fork are copied.
pub(super) struct Prepared {
    pub(super) settings: Settings,
    pub(super) address: Option<IpAddr>,
    pub(super) tracing: trace::TracePlan,
    pub(super) places: Places,
    pub(super) links: Option<Box<dyn Links>>,
    /// Memory for tables of the conduit.
    pub(super) of_network: Dst<'static>,
    pub(super) xmap: Xmap,
    pub(super) region: Region,
    pub(super) page: &'static ControlPage,
    pub(super) board: &'static Board,
    pub(super) bells: Vec<std::ffi::c_int>,
    pub(super) waiting: Waiting,
    pub(super) direct: bool,
    pub(super) everything: bool,
    pub(super) barrier: &'static str,
    pub(super) cores: u32,
    /// Some rank writes a trace.
    pub(super) traced: bool,
    /// The kernel's barrier for registered processes works in every rank of the host.
    pub(super) heavy_barrier: bool,
}

impl Prepared {
    /// Returns in each rank of this host.
    pub(super) fn fork(self) -> RanksExist {
        let (size, count) = (self.places.size(), self.places.count(self.places.here()));
        exit::prepare(size, self.page, HostRank(0));
        let uplink = leader::kept().zip(self.address).map(|(agent, address)| Uplink { agent, address });
        let bootstrap = fork::start(count, self.page, uplink);
        let (me, here) = (bootstrap.identity().me, bootstrap.identity().here);
        thread::forked();
        fatal::set_rank(me.0);
        exit::begin();
        self.tracing.begin(me.0, size);
        if count > 1 && count <= self.cores && self.page.beside() == 0 {
            affinity::spread(here.index());
        }
        RanksExist { shared: self, here, link: here, bootstrap }
    }
}

/// Ranks exist: this process is one.
pub(super) struct RanksExist {
    pub(super) shared: Prepared,
    pub(super) here: HostRank,
    /// This rank's index among those that `shared.links` was made for.
    pub(super) link: HostRank,
    pub(super) bootstrap: Box<dyn Bootstrap>,
}

impl RanksExist {
    /// Connects the network, if some ranks of the job need one; `threads`: of this process before.
    pub(super) fn connect(mut self, threads: Option<&ThreadsBefore>) -> NetworkUp {
        let tables = self.shared.of_network;
        shared::set_crowded(self.shared.waiting.ranks > self.shared.waiting.cores);
        let conduit = self.shared.links.take().map(|links| {
            waits::begin(self.here.0, &Note::Start);
            let conduit = match links.join(self.link, &*self.bootstrap, tables) {
                Ok(conduit) => conduit,
                Err(why) => {
                    self.bootstrap.abort(fatal::ABORTED, &why);
                    exit::exit(fatal::ABORTED)
                }
            };
            waits::end(self.here.0);
            if let Some(threads) = threads {
                threads.record_later_ones(self.here.0);
            }
            conduit
        });
        // The sockets of other ranks are closed.
        limits::disallow_files(SPARE_FILES);
        backtrace::setup::watch_signals();
        backtrace::setup::freeze_at_start();
        NetworkUp { rank: self, conduit }
    }
}

/// This rank can reach all others.
pub(super) struct NetworkUp {
    pub(super) rank: RanksExist,
    pub(super) conduit: Option<&'static dyn Conduit>,
}

impl NetworkUp {
    /// Publishes the job, and waits until all ranks have.
    pub(super) fn attach(self) -> &'static Job {
        let NetworkUp { rank: RanksExist { shared, here, .. }, conduit } = self;
        let Prepared { settings, everything, board, places, barrier, waiting, traced, .. } = shared;
        let reach = (shared.direct, everything);
        let mut nbrhd = Nbrhd::new(shared.region, here, &places, shared.xmap, reach, &shared.bells);
        if !shared.heavy_barrier {
            nbrhd.without_heavy_barrier();
        }
        NewRank { settings, board, traced, barrier, waiting, places, conduit, nbrhd }.begin()
    }
}
