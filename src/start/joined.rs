//! The start of ranks that were started separately: the processes of a host meet, agree on common settings, and map the memory
//! that rank 0 has made. Their addresses, environments, limits, processors and programs may differ.

use std::ffi::c_int;
use std::io;
use std::net::IpAddr;
use std::os::fd::{AsFd, IntoRawFd};

use super::phases::{Prepared, RanksExist};
use super::rank::RING_SLOTS;
use super::sizes::{NetworkTables, cores, idle_ns, largest_segment, together};
use crate::barrier;
use crate::bootstrap::contract::Bootstrap;
use crate::bootstrap::forked::{LocalBootstrap, UnderMaster};
use crate::bootstrap::page::ControlPage;
use crate::bootstrap::{self, here};
use crate::coll;
use crate::conduit::entry::Network;
use crate::defs::rank::HostRank;
use crate::env::table::MAX_RANKS;
use crate::env::{self, SegLimit};
use crate::exit;
use crate::fatal::{self, fatal, warn};
use crate::hang::board::{Board, BoardLayout};
use crate::launch::gathering::Task;
use crate::launch::leader;
use crate::launch::meeting::Meeting;
use crate::launch::meeting::terms::{Numbers, Terms, words};
use crate::launch::worker::{self, Joined, Presented};
use crate::nbrhd::backing::Backing;
use crate::nbrhd::xmap::{self, Xmap};
use crate::nbrhd::{Region, RegionLayout};
use crate::os::{affinity, backtrace, shm, sleep};
use crate::places::Places;
use crate::settings::{ABI_NUMBER, SegmentMode, Settings, Threads};
use crate::sync::waiting::Waiting;
use crate::trace;

/// Returns when every rank of this host is there, mapped and watched.
pub(super) fn meet(task: Task, mut settings: Settings, segment_default: Option<SegLimit>) -> RanksExist {
    let Task { seat, size, master } = task;
    let (here, count, me, ranks) = (HostRank(seat.rank), seat.size, seat.me(), seat.ranks.clone());
    let (is_first, by_hand) = (here.0 == 0, seat.by_hand);
    fatal::set_rank(me);
    let mut meeting = Meeting::open(seat, worker::version(ABI_NUMBER));
    let networked = settings.conduit.network.is_some();
    if networked && master.is_none() {
        let name = settings.conduit.name;
        fatal!("GASNET_BOOTSTRAP=local makes jobs of one host for conduit smp, not {name}");
    }
    if me == 0 {
        // One warning for all.
        env::check_unknown();
        if env::opt_int("GASNET_PSHM_NODES").is_some_and(|nodes| nodes > 0 && nodes != i64::from(size)) {
            let by = if by_hand { "GASNET_BOOTSTRAP_SIZE is" } else { "the launcher has started" };
            warn!("GASNET_PSHM_NODES has no effect: {by} {size}");
        }
        together(size, networked);
    }
    backtrace::setup::init(None);
    let tracing = trace::TracePlan::make(me == 0, count == size);
    settings.watched |= tracing.is_something();
    let mut at_master = None;
    let mine = proposal(&settings, &tracing, count, segment_default);
    let terms = meeting.agree(mine, |terms| {
        at_master = master.map(|at| {
            // Of each other host there is one rank at least.
            let most_hosts = (size - count + 1) as usize;
            let host = Presented { ranks: ranks.clone(), most_hosts, terms: terms.bytes(), abi: ABI_NUMBER };
            let (joined, of_job) = worker::present(&at.addresses, &at.secret, host);
            if let Some(of_job) = Terms::of_bytes(&of_job) {
                terms.take_from_job(&of_job);
            }
            joined
        });
    });
    let Numbers { largest, direct, concurrent, traced, numbered, heavy_barrier, began, together, .. } = terms.numbers;
    let together = together as u32;
    tracing.agree(began, numbered != 0);
    let (mut agent, mut beside) = (None, 0);
    let shared_bytes = settings.conduit.network.as_ref().map_or((|_| 0) as fn(u32) -> usize, |net| net.shared_bytes);
    let (parts, address) = match is_first {
        true => {
            let (hosts, number, address) = match at_master {
                Some(Joined { hosts, host, beside: others, uplink, .. }) => {
                    leader::keep(Some(uplink.agent));
                    beside = others;
                    (hosts.into_iter().map(|host| host.ranks).collect(), host, Some(uplink.address))
                }
                None => (vec![ranks], 0, None),
            };
            let places = Places::new(&hosts, number, together).unwrap_or_else(|why| fatal!("{why}"));
            let (concurrent, places_bytes, network_bytes) = (concurrent != 0, places.bytes(), shared_bytes(size));
            let shape = RegionShape { count, size, together, concurrent, places_bytes, network_bytes };
            let parts = make(&mut meeting, shape, places, largest as usize, address, networked, beside);
            agent = leader::kept();
            (parts, address)
        }
        false => map(&mut meeting, count, concurrent != 0, shared_bytes),
    };
    let Parts { shape, region, xmap, places, bells } = parts;
    let page = ControlPage::at(region.control());
    let board = Board::place(region.control().part(shape.board_at(), shape.board().bytes()), shape.board());
    exit::prepare(size, page, here);
    here::set_hosted(networked);
    let prepare = |network: &Network| (network.prepare)(1, address);
    let links = settings.conduit.network.as_ref().filter(|_| !bells.is_empty()).map(prepare).transpose();
    let links = links.unwrap_or_else(|why| fatal!("{why}"));
    let relay = meeting.begin(page, agent);
    bootstrap::launcher::launcher().watched();
    exit::begin();
    tracing.begin(me, size);
    let local = LocalBootstrap::new(page, here, address);
    let bootstrap: Box<dyn Bootstrap> =
        if networked { Box::new(UnderMaster::new(local, relay)) } else { Box::new(local) };
    // The number of processors of all ranks selects how they wait, and the algorithms of collectives.
    let cores = terms.cores().unwrap_or_else(cores);
    let shared = Prepared {
        everything: settings.segment == SegmentMode::Everything,
        settings,
        address,
        tracing,
        places,
        links,
        of_network: shape.network().in_region(&region),
        xmap,
        region,
        page,
        board,
        bells,
        waiting: Waiting::new(cores, count + page.beside(), idle_ns()),
        direct: direct != 0,
        barrier: env::choice("GASNET_BARRIER"),
        cores,
        traced: traced != 0,
        heavy_barrier: heavy_barrier != 0,
    };
    RanksExist { shared, here, link: HostRank(0), bootstrap }
}

/// The values that determine the layout of the region.
#[derive(Clone, Copy)]
struct RegionShape {
    /// Ranks of the host, and of the job.
    count: u32,
    size: u32,
    together: u32,
    concurrent: bool,
    places_bytes: usize,
    /// Bytes of the tables of the conduit.
    network_bytes: usize,
}

impl RegionShape {
    fn board(&self) -> BoardLayout {
        BoardLayout::new(self.count, self.size, self.concurrent)
    }

    fn board_at(&self) -> usize {
        bootstrap::page::control_bytes(self.count).next_multiple_of(shm::PAGE)
    }

    fn places_at(&self) -> usize {
        self.board_at() + self.board().bytes().next_multiple_of(shm::PAGE)
    }

    fn network(&self) -> NetworkTables {
        NetworkTables::of(self.network_bytes, self.places_at() + self.places_bytes)
    }

    fn layout(&self) -> RegionLayout {
        let together = self.together.min(self.count) as usize;
        RegionLayout::new(
            self.count as usize,
            together,
            RING_SLOTS,
            self.network().end(),
            barrier::area_bytes(together),
        )
    }
}

/// The objects that the ranks of the host share.
struct Parts {
    shape: RegionShape,
    region: Region,
    xmap: Xmap,
    places: Places,
    /// The bell of each rank of the host, if some ranks of the job do not share memory.
    bells: Vec<c_int>,
}

/// The settings and needs of this rank.
fn proposal(settings: &Settings, tracing: &trace::TracePlan, count: u32, segment_default: Option<SegLimit>) -> Terms {
    // Not below the number of ranks means no bound.
    let together = match settings.conduit.network {
        Some(_) => env::int("GASNET_SUPERNODE_MAXSIZE"),
        None => 0,
    };
    let everything = settings.segment == SegmentMode::Everything;
    let same = |name: &str, value: &str| (name.to_string(), value.to_string());
    Terms {
        numbers: Numbers {
            largest: if everything { shm::PAGE } else { largest_segment(count, segment_default) } as u64,
            direct: u64::from(env::choice("GASNET_RMA") == "shared"),
            concurrent: u64::from(settings.threads == Threads::Par),
            traced: u64::from(tracing.needs_clocks()),
            numbered: u64::from(trace::is_numbered()),
            heavy_barrier: u64::from(sleep::register_heavy_barrier()),
            quota: affinity::quota().map_or(u64::MAX, |cores| cores as u64),
            began: trace::began(),
            together: if together > 0 { together as u64 } else { MAX_RANKS as u64 },
        },
        cpus: affinity::allowed_bits(),
        same: vec![
            same("the conduit", settings.conduit.name),
            same("the segment mode", &format!("{:?}", settings.segment).to_uppercase()),
            same("GASNET_BARRIER", env::choice("GASNET_BARRIER")),
            same("GASNET_USE_NATIVE_COLL and others", &format!("{:#x}", coll::native::allowed())),
        ],
    }
}

/// Rank 0: makes the shared memory of the host, and shares it.
fn make(
    meeting: &mut Meeting,
    shape: RegionShape,
    places: Places,
    largest: usize,
    address: Option<IpAddr>,
    networked: bool,
    beside: u32,
) -> Parts {
    let (layout, count) = (shape.layout(), shape.count);
    let (region, object) = match Region::share(layout) {
        Ok(made) => made,
        Err(error) => {
            let bytes = layout.total();
            fatal!("no {bytes} bytes of memory for the rings of {count} ranks: {error} (ulimit -v, ulimit -f)")
        }
    };
    let page = ControlPage::at(region.control());
    page.set_size(count);
    page.set_places(places.on_host(places.here()), shape.size);
    page.set_beside(beside);
    let area = region.control().part(shape.places_at(), shape.places_bytes);
    let places = places.put(area).unwrap_or_else(|why| fatal!("{why}"));
    let backing = Backing::choose(count.into(), largest as u64);
    let xmap = Xmap::reserve(backing, count as usize, largest).unwrap_or_else(|error| no_address_space(count, &error));
    let reaches_out = networked && places.supernodes() > 1;
    let bells = (0..if reaches_out { count } else { 0 }).map(|_| sleep::bell()).collect::<io::Result<Vec<_>>>();
    let bells = bells.unwrap_or_else(|error| fatal!("no descriptors to wake {count} ranks by: {error} (ulimit -n)"));
    let numbers = [u64::from(shape.size), shape.together.into(), shape.places_bytes as u64, bells.len() as u64];
    let described = numbers.into_iter().chain(layout.words()).chain(xmap.shape().words()).flat_map(u64::to_le_bytes);
    let mut described: Vec<u8> = described.collect();
    described.extend(address.map_or(String::new(), |ip| ip.to_string()).bytes());
    let of_bells = bells.iter().map(|&bell| sleep::bell_file(bell));
    let files: Vec<_> = of_bells.chain([object.as_fd()]).chain(xmap.object()).collect();
    meeting.share(&described, &files);
    Parts { shape, region, xmap, places, bells }
}

/// The other ranks: map it. Also returns the address at which peers reach the host's ranks.
fn map(meeting: &mut Meeting, count: u32, concurrent: bool, shared_bytes: fn(u32) -> usize) -> (Parts, Option<IpAddr>) {
    let other_way = || -> ! {
        fatal!(
            "this rank's library has another layout of shared memory than rank 0's: install one version on this host"
        )
    };
    let (bytes, files) = meeting.take();
    let mut files = files.into_iter();
    let Some((numbers, rest)) = words(&bytes, 4) else { other_way() };
    let [size, together, places_bytes, bells] = numbers[..] else { other_way() };
    let shape = RegionShape {
        count,
        size: size as u32,
        together: together as u32,
        concurrent,
        places_bytes: places_bytes as usize,
        network_bytes: shared_bytes(size as u32),
    };
    let layout = shape.layout();
    let mine = layout.words();
    let rest = words(rest, mine.len()).filter(|(theirs, _)| *theirs == mine).map(|(_, rest)| rest);
    let Some((of_segments, address)) = rest.and_then(|rest| words(rest, xmap::SegmentShape::WORDS)) else {
        other_way()
    };
    let of_segments = of_segments.try_into().ok().and_then(xmap::SegmentShape::from_words);
    let bells: Vec<c_int> = files.by_ref().take(bells as usize).map(IntoRawFd::into_raw_fd).collect();
    let (Some(of_segments), Some(object)) = (of_segments, files.next()) else { other_way() };
    let region = match Region::open(&object, layout) {
        Ok(region) => region,
        Err(error) => fatal!("cannot map the {} bytes that rank 0 shares: {error} (ulimit -v)", layout.total()),
    };
    let area = region.control().part(shape.places_at(), shape.places_bytes);
    let places = Places::open(area.words_32()).unwrap_or_else(|why| fatal!("{why}"));
    let xmap =
        Xmap::join(of_segments, files.next(), count as usize).unwrap_or_else(|error| no_address_space(count, &error));
    let address = std::str::from_utf8(address).ok().and_then(|text| text.parse().ok());
    (Parts { shape, region, xmap, places, bells }, address)
}

fn no_address_space(count: u32, error: &std::io::Error) -> ! {
    fatal!("no address space for {count} segments: {error} (ulimit -v, ulimit -f, GASNET_MAX_SEGSIZE)")
}
