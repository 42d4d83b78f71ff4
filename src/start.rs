//! Wiring: from the client's call of init to a job whose ranks can talk, in the order hook, environment, shared
//! region, ranks, nbrhd.

use crate::am;
use crate::barrier::Barrier;
use crate::bootstrap;
use crate::coll;
use crate::env;
use crate::exit;
use crate::fatal::{self, fatal, warn};
use crate::job::{self, Job, Waiting};
use crate::nbrhd::backing::Backing;
use crate::nbrhd::xmap::Xmap;
use crate::nbrhd::{Layout, Nbrhd, Region};
use crate::os::{affinity, backtrace, shm, streams};
use crate::settings::{ABI_NUMBER, SegmentMode, Settings, Threads};
use crate::sync::atomic::AtomicU32;
use std::ffi::OsString;

/// Slots of each ring: a job of many ranks has more senders for one ring.
const RING_SLOTS: usize = 1024;

/// Starts the job. Returns in every rank, which then is one of `job.size` processes.
/// `segment_default` is the client's own bound on segments (`gasnet_max_segsize`), 0 if it has none; `argv` what main
/// got, if the client says so.
pub fn start(settings: Settings, segment_default: u64, argv: Option<Vec<OsString>>) -> &'static Job {
    fatal::install_panic_hook();
    streams::hold_standard_streams();
    env::check_unknown();
    backtrace::init(None);
    let (joined, agent) = match settings.conduit.as_str() {
        "udp" => Some(bootstrap::join(argv, ABI_NUMBER)).map(|joined| (joined.table, joined.agent)).unzip(),
        _ => (None, None),
    };
    if joined.as_ref().is_some_and(|table| table.hosts.len() > 1) {
        fatal!("ranks on several hosts cannot reach each other yet");
    }
    let size = joined.as_ref().map_or_else(ranks, |table| table.count);
    if size > 1 && settings.segment == SegmentMode::Everything {
        fatal!(
            "GASNET_SEGMENT_EVERYTHING: {size} ranks of smp reach only each other's segments; compile with GASNET_SEGMENT_FAST or GASNET_SEGMENT_LARGE, or run one rank"
        );
    }
    let cores = cores();
    let together = env::int("GASNET_SUPERNODE_MAXSIZE");
    if together > 0 && together < i64::from(size) {
        warn!("GASNET_SUPERNODE_MAXSIZE={together} has no effect on smp: all {size} ranks share memory");
    }
    let largest = largest_segment(size, segment_default);
    let backing = Backing::choose(size.into(), largest as u64);
    let xmap = match Xmap::reserve(backing, size as usize, largest) {
        Ok(xmap) => xmap,
        Err(error) => {
            fatal!("no address space for {size} segments: {error} (ulimit -v, ulimit -f, GASNET_MAX_SEGSIZE)")
        }
    };
    let layout = Layout::new(size as usize, RING_SLOTS, bootstrap::control_bytes(size));
    let region = match Region::create(layout) {
        Ok(region) => region,
        Err(error) => {
            let bytes = layout.total();
            fatal!("no {bytes} bytes of memory for the rings of {size} ranks: {error} (ulimit -v, GASNET_PSHM_NODES)")
        }
    };
    // All that is the same in every rank is found out before the fork: pages that a rank writes after it are copied.
    let direct = env::choice("GASNET_RMA") == "shared";
    let barrier = env::choice("GASNET_BARRIER");
    let waiting = Waiting::new(cores, env::int("GASNET_WAIT_SPIN_US") as u64 * 1000);
    let page = bootstrap::ControlPage::at(region.control());
    exit::prepare(size, page);
    let me = bootstrap::fork::start_hosted(size, page, agent);
    fatal::set_rank(me.0);
    if size > 1 && size <= cores {
        affinity::spread(me.index());
    }
    exit::begin();
    backtrace::watch_signals();
    backtrace::freeze_at_start();
    let sole_producer = size == 2 && settings.threads != Threads::Par;
    let nbrhd = Nbrhd::new(region, me, xmap, direct);
    let barrier = Barrier::new(barrier, me, size, Some(nbrhd.barrier_area()));
    let job = job::publish(Job {
        me,
        size,
        nbrhd,
        am: am::State::default(),
        barrier,
        coll: coll::State::default(),
        waiting,
        sole_producer,
        attached: AtomicU32::new(0),
        settings,
    });
    job.assemble();
    job
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

fn largest_segment(ranks: u32, client_default: u64) -> usize {
    let physical = shm::physical_memory();
    let (limit, set) = env::seg_limit("GASNET_MAX_SEGSIZE");
    let bytes = if client_default != 0 && !set { client_default } else { limit.bytes_each(physical, ranks) };
    // A bound on address space is meant for the client's own memory, too: half of it.
    let bytes = bytes.min(shm::address_space().map_or(u64::MAX, |all| all / 2 / (u64::from(ranks) + 1)));
    usize::try_from(bytes).unwrap_or(usize::MAX >> 16).clamp(shm::PAGE, 1 << 46) / shm::PAGE * shm::PAGE
}
