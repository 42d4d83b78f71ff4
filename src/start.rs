//! The start of a job, from the client's call of init until its ranks can communicate. A start has four phases. Each is a type
//! with one method, which consumes it and returns the next, so that the compiler checks the order:
//!
//! ```text
//! BeforeRanks  one process of this host, which knows the hosts of the job
//!     make     memory, descriptors and sockets that the ranks of this host inherit; settings that must not differ
//! Prepared     everything that ranks share is there
//!     fork     each rank returns from here as its own process
//! RanksExist   this process is a rank, and can exchange values with the others (bootstrap/contract.rs)
//!     connect  the network, if some ranks are out of reach of shared memory
//! NetworkUp    this rank can reach all others
//!     attach   the Job; returns when all ranks have one
//! ```
//!
//! Ranks that were started separately meet instead, which makes their `RanksExist` (joined.rs); from `connect` on both ways
//! are the same.

mod attach;
mod clock;
mod handlers;
mod joined;
mod phases;
mod rank;
mod sizes;

use std::ffi::OsString;
use std::io;
use std::net::IpAddr;

use crate::barrier;
use crate::bootstrap;
use crate::bootstrap::page::ControlPage;
use crate::conduit::entry::{ConduitEntry, Launch, Network};
use crate::conduit::table::CONDUITS;
use crate::defs::rank::HostRank;
use crate::env::{self, SegLimit};
use crate::exit;
use crate::fatal::{self, fatal};
use crate::hang;
use crate::hang::board::Board;
use crate::hang::network_threads::ThreadsBefore;
use crate::job::Job;
use crate::launch::fork::Uplink;
use crate::launch::gathering::Task;
use crate::launch::worker::Joined;
use crate::launch::{self, leader};
use crate::nbrhd::backing::Backing;
use crate::nbrhd::xmap::Xmap;
use crate::nbrhd::{Region, RegionLayout};
use crate::os::{backtrace, shm, sleep, streams};
use crate::places::{Places, Ranks};
use crate::settings::{ABI_NUMBER, SegmentMode, Settings, Threads};
use crate::sync::turns;
use crate::sync::waiting::Waiting;
use crate::trace;
use phases::Prepared;
use rank::RING_SLOTS;
use sizes::NetworkTables;

/// The hosts of the job.
struct HostsHere {
    /// The ranks of each host.
    hosts: Vec<Ranks>,
    /// This host's index in `hosts`.
    number: u32,
    /// Ranks of other hosts that use processors of this one.
    beside: u32,
}

impl HostsHere {
    /// All on this host, as many as `GASNET_PSHM_NODES` says.
    fn alone() -> HostsHere {
        HostsHere { hosts: vec![Ranks::block(0, sizes::ranks())], number: 0, beside: 0 }
    }

    /// The hosts as the master of the job has placed them.
    fn of(joined: &Joined) -> HostsHere {
        let hosts = joined.hosts.iter().map(|host| host.ranks.clone()).collect();
        HostsHere { hosts, number: joined.host, beside: joined.beside }
    }

    /// Ranks of the job.
    fn size(&self) -> u32 {
        self.hosts.iter().map(Ranks::count).fold(0, u32::saturating_add)
    }

    /// The table of places, at most `together` ranks of a host sharing memory; ends the job if there is no such
    /// placement.
    fn places(&self, together: u32) -> Places {
        Places::new(&self.hosts, self.number, together).unwrap_or_else(|why| fatal!("{why}"))
    }
}

/// Starts the job. Returns in every rank, which then is one of `job.size` processes.
/// `segment_default` is the client's own bound on segments (`gasnet_max_segsize`); `argv` the arguments
/// of main, if the client passes them.
pub(crate) fn start(
    settings: Settings,
    segment_default: Option<SegLimit>,
    argv: Option<Vec<OsString>>,
) -> &'static Job {
    turns::set_concurrent(settings.threads == Threads::Par);
    fatal::install_panic_hook();
    exit::end_jobs_of_fatal_errors();
    streams::hold_standard_streams();
    let threads = settings.conduit.network.as_ref().map(|_| ThreadsBefore::now());
    let ranks = match tasks(&settings, &argv) {
        Some(task) => joined::meet(task, settings, segment_default),
        None => BeforeRanks::begin(settings, argv).make(segment_default).fork(),
    };
    ranks.connect(threads.as_ref()).attach()
}

/// This process's place among those that were started separately, if this library did not start the ranks.
fn tasks(settings: &Settings, argv: &Option<Vec<OsString>>) -> Option<Task> {
    if let Some(seat) = launch::local::seat() {
        return Some(Task::by_hand(seat));
    }
    if launch::worker::is_worker() {
        // A launcher that started its master is ignored.
        return None;
    }
    // Ranks on conduits whose libraries do not bring them together would wait for each other for ever.
    let own = settings.conduit;
    let cannot_meet = |other: &&ConduitEntry| other.name != own.name && (own.meets.is_some() || other.meets.is_some());
    let others = CONDUITS.into_iter().filter(cannot_meet).map(|other| other.name);
    let _until_met = launch::external::conduits::announce(own.name, others);
    let bootstrap = match settings.conduit.meets {
        Some(meets) => meets(settings.threads != Threads::Seq).unwrap_or_else(|why| fatal!("{why}")),
        None => {
            // Whether a process that a launcher has started alone starts a job of its own, instead of being a job of one rank.
            let starts_jobs = match own.launch {
                Launch::Master => own.counted && launch::traditional::has_count(argv),
                Launch::Fork | Launch::Library => true,
            };
            launch::external::detect(starts_jobs)?
        }
    };
    bootstrap::launcher::set_under(bootstrap);
    fatal::set_rank(bootstrap.identity().me.0);
    let (name, has_master) = (settings.conduit.name, settings.conduit.launch != Launch::Fork);
    if !has_master && settings.conduit.network.is_some() {
        fatal!("ranks of conduit {name} are forked by one process, not started by a launcher");
    }
    Some(launch::gathering::gather(bootstrap, name, has_master, ABI_NUMBER))
}

/// No ranks exist. The settings are fixed here, and are the same in every rank.
struct BeforeRanks {
    settings: Settings,
    places: Places,
    networked: bool,
    /// The address at which peers reach this host's ranks, if there is a master.
    address: Option<IpAddr>,
    /// Ranks of other hosts that use processors of this one.
    beside: u32,
    tracing: trace::TracePlan,
}

impl BeforeRanks {
    /// Joins the job that a master has started, if this conduit's jobs have one. From here on fatal errors are reported to the master.
    fn begin(mut settings: Settings, argv: Option<Vec<OsString>>) -> BeforeRanks {
        let has_master = settings.conduit.launch == Launch::Master;
        if !has_master {
            // In a job with a master, the master checks the environment.
            env::check_unknown();
        }
        backtrace::setup::init(None);
        let (here, address) = if has_master {
            let joined = launch::traditional::join(settings.conduit.name, argv, ABI_NUMBER);
            let here = HostsHere::of(&joined);
            let Uplink { agent, address } = joined.uplink;
            leader::keep(Some(agent));
            (here, Some(address))
        } else {
            (HostsHere::alone(), None)
        };
        let networked = settings.conduit.network.is_some();
        let places = here.places(sizes::together(here.size(), networked));
        let beside = here.beside;
        let (here, size) = (places.here(), places.size());
        let tracing = trace::TracePlan::make(places.rank(here, HostRank(0)).0 == 0, places.count(here) == size);
        settings.watched |= tracing.is_something();
        BeforeRanks { settings, places, networked, address, beside, tracing }
    }

    /// Makes the memory and descriptors that the ranks of this host share or inherit, and fixes common settings.
    fn make(self, segment_default: Option<SegLimit>) -> Prepared {
        let BeforeRanks { settings, places, networked, address, beside, tracing } = self;
        let (size, count) = (places.size(), places.count(places.here()));
        let everything = settings.segment == SegmentMode::Everything;
        let cores = sizes::cores();
        // With EVERYTHING, segments need no address space.
        let largest = if everything { shm::PAGE } else { sizes::largest_segment(count, segment_default) };
        let backing = Backing::choose(count.into(), largest as u64);
        let xmap = match Xmap::reserve(backing, count as usize, largest) {
            Ok(xmap) => xmap,
            Err(error) => {
                fatal!("no address space for {count} segments: {error} (ulimit -v, ulimit -f, GASNET_MAX_SEGSIZE)")
            }
        };
        let prepare = |network: &Network| (network.prepare)(count, address);
        let links = match settings.conduit.network.as_ref().map(prepare).transpose() {
            Ok(links) => links,
            Err(why) => leader::give_up(&why),
        };
        // Ranks that also wait for a network sleep on descriptors; without a network no rank does.
        let reaches_out = networked && places.supernodes() > 1;
        let bells = (0..if reaches_out { count } else { 0 }).map(|_| sleep::bell()).collect::<io::Result<Vec<_>>>();
        let bells = match bells {
            Ok(bells) => bells,
            Err(error) => fatal!("no descriptors to wake {count} ranks by: {error} (ulimit -n)"),
        };
        let board = hang::board::BoardLayout::new(count, size, settings.threads == Threads::Par);
        let page_bytes = bootstrap::page::control_bytes(count).next_multiple_of(shm::PAGE);
        let board_end = page_bytes + board.bytes().next_multiple_of(shm::PAGE);
        let of_network = settings.conduit.network.as_ref().map_or(0, |network| (network.shared_bytes)(size));
        let network = NetworkTables::of(of_network, board_end + places.bytes());
        let together = places.together().min(count) as usize;
        let layout =
            RegionLayout::new(count as usize, together, RING_SLOTS, network.end(), barrier::area_bytes(together));
        let region = match Region::create(layout) {
            Ok(region) => region,
            Err(error) => {
                let bytes = layout.total();
                fatal!(
                    "no {bytes} bytes of memory for the rings of {count} ranks: {error} (ulimit -v, GASNET_PSHM_NODES)"
                )
            }
        };
        let page = ControlPage::at(region.control());
        let places = match places.put(region.control().part(board_end, places.bytes())) {
            Ok(places) => places,
            Err(why) => fatal!("{why}"),
        };
        page.set_places(places.on_host(places.here()), size);
        page.set_beside(beside);
        Prepared {
            page,
            board: Board::place(region.control().part(page_bytes, board.bytes()), board),
            direct: env::choice("GASNET_RMA") == "shared",
            barrier: env::choice("GASNET_BARRIER"),
            waiting: Waiting::new(cores, count + beside, sizes::idle_ns()),
            links: links.filter(|_| reaches_out),
            of_network: network.in_region(&region),
            traced: tracing.needs_clocks(),
            settings,
            address,
            tracing,
            places,
            xmap,
            region,
            bells,
            everything,
            cores,
            heavy_barrier: true,
        }
    }
}
