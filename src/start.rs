//! Wiring: from the client's call of init to a job whose ranks can talk, in the order hook, environment, shared
//! region, ranks, nbrhd. Ranks that were started separately: joined.rs.

mod joined;

use std::ffi::OsString;
use std::io;

use crate::am;
use crate::barrier::Barrier;
use crate::bootstrap::worker::{JobTable, Joined};
use crate::bootstrap::{self, ControlPage, leader};
use crate::coll;
use crate::conduit::{self, Conduit};
use crate::env::{self, SegLimit};
use crate::exit;
use crate::fatal::{self, fatal, warn};
use crate::job::{self, HostRank, Job, JobRank, Waiting};
use crate::nbrhd::backing::Backing;
use crate::nbrhd::xmap::Xmap;
use crate::nbrhd::{Layout, Nbrhd, Region};
use crate::os::{affinity, backtrace, limits, shm, sleep, streams};
use crate::places::Places;
use crate::progress::{self, Board};
use crate::settings::{ABI_NUMBER, SegmentMode, Settings, Threads};
use crate::sync::atomic::{AtomicU32, AtomicUsize};
use crate::thread;
use crate::trace;

/// Slots of each ring: a job of many ranks has more senders for one ring.
const RING_SLOTS: usize = 1024;

/// Open files that a rank may add when the limit on them is what it was before the job.
const SPARE_FILES: u64 = 16;

/// Where this host's ranks are in the job.
struct Here {
    /// Ranks of the job.
    size: u32,
    /// The first rank of each host.
    hosts: Vec<u32>,
    /// The first rank of this host, and how many it has.
    first: JobRank,
    count: u32,
}

impl Here {
    /// All on this host, as many as `GASNET_PSHM_NODES` says.
    fn alone() -> Here {
        let size = ranks();
        Here { size, hosts: vec![0], first: JobRank(0), count: size }
    }

    /// As the master of a udp job laid it out.
    fn of(table: &JobTable) -> Here {
        let hosts = table.hosts.iter().map(|host| host.first).collect();
        Here { size: table.size, hosts, first: JobRank(table.first), count: table.count }
    }
}

/// Starts the job. Returns in every rank, which then is one of `job.size` processes.
/// `segment_default` is the client's own bound on segments (`gasnet_max_segsize`); `argv` what main
/// got, if the client says so.
pub fn start(mut settings: Settings, segment_default: Option<SegLimit>, argv: Option<Vec<OsString>>) -> &'static Job {
    fatal::install_panic_hook();
    exit::end_jobs_of_fatal_errors();
    streams::hold_standard_streams();
    if let Some(seat) = bootstrap::local::seat() {
        return joined::start(seat, settings, segment_default);
    }
    if settings.conduit != "udp" {
        // That of a udp job is checked by the process that starts it.
        env::check_unknown();
    }
    backtrace::init(None);
    let (Here { size, hosts, first, count }, network) = match settings.conduit.as_str() {
        "udp" => {
            let Joined { table, agent } = bootstrap::join(argv, ABI_NUMBER);
            leader::keep(Some(agent));
            (Here::of(&table), Some(table))
        }
        _ => (Here::alone(), None),
    };
    let tracing = trace::Plan::make(first.0 == 0, count == size);
    settings.watched |= tracing.is_something();
    let networked = settings.conduit != "smp";
    let everything = settings.segment == SegmentMode::Everything;
    let cores = cores();
    let together = together(size, networked);
    // All of memory needs no address space besides.
    let largest = if everything { shm::PAGE } else { largest_segment(count, segment_default) };
    let backing = Backing::choose(count.into(), largest as u64);
    let xmap = match Xmap::reserve(backing, count as usize, largest) {
        Ok(xmap) => xmap,
        Err(error) => {
            fatal!("no address space for {count} segments: {error} (ulimit -v, ulimit -f, GASNET_MAX_SEGSIZE)")
        }
    };
    let links = match conduit::prepare(&settings.conduit, count, network) {
        Ok(links) => links,
        Err(error) => fatal!("no {} links between {count} ranks: {error} (ulimit -n)", settings.conduit),
    };
    let places = Places::new(&hosts, size, together);
    let sharing = if everything { Places::new(&hosts, size, 1) } else { places.clone() };
    // Who waits for a network besides its peers sleeps on a descriptor; else nobody does.
    let reaches_out = networked && places.leaders().len() > 1;
    let bells = match (0..if reaches_out { count } else { 0 }).map(|_| sleep::bell()).collect::<io::Result<Vec<_>>>() {
        Ok(bells) => bells,
        Err(error) => fatal!("no descriptors to wake {count} ranks by: {error} (ulimit -n)"),
    };
    let concurrent = settings.threads == Threads::Par;
    let board = progress::Layout::new(count, size, concurrent);
    let page_bytes = bootstrap::control_bytes(count).next_multiple_of(shm::PAGE);
    let layout = Layout::new(count as usize, together.min(count) as usize, RING_SLOTS, page_bytes + board.bytes());
    let region = match Region::create(layout) {
        Ok(region) => region,
        Err(error) => {
            let bytes = layout.total();
            fatal!("no {bytes} bytes of memory for the rings of {count} ranks: {error} (ulimit -v, GASNET_PSHM_NODES)")
        }
    };
    // All that is the same in every rank is found out before the fork: pages that a rank writes after it are copied.
    let direct = env::choice("GASNET_RMA") == "shared";
    let barrier = env::choice("GASNET_BARRIER");
    let waiting = Waiting::new(cores, count, idle_ns());
    let page = bootstrap::ControlPage::at(region.control());
    let board = Board::place(region.control().part(page_bytes, board.bytes()), board);
    page.set_place(first, size);
    exit::prepare(size, page, HostRank(0));
    let here = bootstrap::fork::start_hosted(count, page, leader::kept());
    thread::forked();
    let me = page.job_rank(here).0;
    fatal::set_rank(me);
    tracing.begin(me, size);
    if count > 1 && count <= cores {
        affinity::spread(here.index());
    }
    let conduit = links.filter(|_| reaches_out).map(|links| links.join(here));
    let nbrhd = Nbrhd::new(region, here, (first, size), xmap, (direct, everything), &bells);
    let traced = tracing.needs_clocks();
    become_rank(Rank { settings, page, board, traced, barrier, waiting, places, sharing, conduit, nbrhd })
}

/// What is known and made of this rank before it talks to any other.
struct Rank {
    settings: Settings,
    page: &'static ControlPage,
    board: &'static Board,
    /// Some rank writes a trace.
    traced: bool,
    barrier: &'static str,
    waiting: Waiting,
    places: Places,
    sharing: Places,
    conduit: Option<&'static dyn Conduit>,
    nbrhd: Nbrhd,
}

/// The last part of a start, the same however ranks came to be.
fn become_rank(rank: Rank) -> &'static Job {
    let Rank { settings, page, board, traced, barrier, waiting, places, sharing, conduit, nbrhd } = rank;
    let (here, size) = (nbrhd.here, page.job_size());
    let me = page.job_rank(here);
    // The sockets of other ranks are closed.
    limits::disallow_files(SPARE_FILES);
    exit::begin();
    backtrace::watch_signals();
    backtrace::freeze_at_start();
    let sole_producer = nbrhd.ranks == 2 && settings.threads != Threads::Par;
    let everything = settings.segment == SegmentMode::Everything;
    let marks = board.marks(here.0);
    let barrier = Barrier::new(barrier, me, size, &nbrhd, &places, marks);
    let job = job::publish(Job {
        me,
        size,
        nbrhd,
        am: am::State::new(conduit),
        barrier,
        coll: coll::State::default(),
        places,
        sharing,
        conduit,
        far: am::poll::Looks::default(),
        counts: board.counts(here.0),
        marks,
        waiting,
        sole_producer,
        most_everywhere: AtomicUsize::new(usize::MAX),
        attached: AtomicU32::new(0),
        settings,
    });
    if everything {
        job.open_everything();
    }
    job.assemble();
    if traced {
        job.agree_on_time();
    }
    job
}

/// Nanoseconds that a waiting rank polls before it sleeps.
fn idle_ns() -> u64 {
    env::int("GASNET_WAIT_SPIN_US") as u64 * 1000
}

/// How many ranks of a host share memory at most; the same on all hosts of a job of `size` ranks.
fn together(size: u32, networked: bool) -> u32 {
    let wanted = env::int("GASNET_SUPERNODE_MAXSIZE");
    let bounded = wanted > 0 && wanted < i64::from(size);
    if !networked {
        if bounded {
            warn!("GASNET_SUPERNODE_MAXSIZE={wanted} has no effect on smp: all {size} ranks share memory");
        }
        return size;
    }
    if bounded { wanted as u32 } else { size }
}

fn ranks() -> u32 {
    match env::int("GASNET_PSHM_NODES") {
        0 => 1,
        n => n as u32, // at most MAX_RANKS: the table says so
    }
}

fn cores() -> u32 {
    std::thread::available_parallelism().map_or(1, |n| n.get() as u32)
}

/// The bound on segments, rounded up to a page; at most the memory of the host, which no segment can fill.
fn largest_segment(ranks: u32, client_default: Option<SegLimit>) -> usize {
    let physical = shm::physical_memory();
    let (limit, set) = env::seg_limit("GASNET_MAX_SEGSIZE");
    let limit = client_default.filter(|_| !set).unwrap_or(limit);
    let bytes = limit.bytes_each(physical, ranks).min(physical);
    // A bound on address space is meant for the client's own memory, too: half of it.
    let bytes = bytes.min(shm::address_space().map_or(u64::MAX, |all| all / 2 / (u64::from(ranks) + 1)));
    usize::try_from(bytes).unwrap_or(usize::MAX).clamp(1, 1 << 46).next_multiple_of(shm::PAGE)
}
