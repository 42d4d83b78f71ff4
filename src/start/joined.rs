//! Starting where each rank of this host was started separately: the processes meet, agree on the settings that all must have alike, and
//! map the memory that rank 0 has made for all. Nothing else is assumed to be the same: addresses, environments, limits, processors and
//! programs may differ.

use std::os::fd::AsFd;

use super::rank::{NewRank, RING_SLOTS, SPARE_FILES};
use super::sizes::{cores, idle_ns, largest_segment, together};
use crate::barrier;
use crate::bootstrap;
use crate::bootstrap::page::ControlPage;
use crate::defs::rank::HostRank;
use crate::env::{self, SegLimit};
use crate::exit;
use crate::fatal::{self, fatal, warn};
use crate::hang;
use crate::hang::board::Board;
use crate::job::Job;
use crate::launch::local::Seat;
use crate::launch::meeting::Meeting;
use crate::launch::meeting::terms::{Numbers, Terms, words};
use crate::launch::worker;
use crate::nbrhd::backing::Backing;
use crate::nbrhd::xmap::{self, Xmap};
use crate::nbrhd::{Nbrhd, Region, RegionLayout};
use crate::os::{affinity, backtrace, limits, shm, sleep};
use crate::places::{Places, Ranks};
use crate::settings::{ABI_NUMBER, SegmentMode, Settings, Threads};
use crate::sync::waiting::Waiting;
use crate::trace;

pub(crate) fn start(seat: Seat, mut settings: Settings, segment_default: Option<SegLimit>) -> &'static Job {
    let (here, count) = (HostRank(seat.rank), seat.size);
    let is_first = here.0 == 0;
    fatal::set_rank(here.0);
    let mut meeting = Meeting::open(seat, worker::version(ABI_NUMBER));
    if settings.conduit.network.is_some() {
        let name = settings.conduit.name;
        fatal!("GASNET_BOOTSTRAP=local makes jobs of one host for conduit smp, not {name}");
    }
    if is_first {
        // One warning for all.
        env::check_unknown();
        if env::opt_int("GASNET_PSHM_NODES").is_some_and(|nodes| nodes > 0 && nodes != i64::from(count)) {
            warn!("GASNET_PSHM_NODES has no effect: GASNET_BOOTSTRAP_SIZE is {count}");
        }
        together(count, false);
    }
    backtrace::setup::init(None);
    let tracing = trace::TracePlan::make(is_first, true);
    settings.watched |= tracing.is_something();
    let everything = settings.segment == SegmentMode::Everything;
    let terms = meeting.agree(proposal(&settings, &tracing, count, segment_default));
    let Numbers { largest, direct, concurrent, traced, numbered, heavy_barrier, began, .. } = terms.numbers;
    tracing.agree(began, numbered != 0);
    let board = hang::board::BoardLayout::new(count, count, concurrent != 0);
    let page_bytes = bootstrap::page::control_bytes(count).next_multiple_of(shm::PAGE);
    let places = Places::new(&[Ranks::block(0, count)], 0, count).unwrap_or_else(|why| fatal!("{why}"));
    let board_end = page_bytes + board.bytes().next_multiple_of(shm::PAGE);
    let layout = RegionLayout::new(
        count as usize,
        count as usize,
        RING_SLOTS,
        board_end + places.bytes(),
        barrier::area_bytes(count as usize),
    );
    let (region, xmap) = match is_first {
        true => make(&mut meeting, layout, count, largest as usize),
        false => map(&mut meeting, layout, count),
    };
    let page = ControlPage::at(region.control());
    let board = Board::place(region.control().part(page_bytes, board.bytes()), board);
    let area = region.control().part(board_end, places.bytes());
    // Rank 0 has written the table before the others learn of the region's end of making (`Meeting::begin`).
    let places = if is_first {
        page.set_size(count);
        page.set_places(places.on_host(0), count);
        places.put(area).unwrap_or_else(|why| fatal!("{why}"))
    } else {
        places
    };
    exit::prepare(count, page, here);
    meeting.begin(page);
    exit::begin();
    tracing.begin(here.0, count);
    limits::disallow_files(SPARE_FILES);
    backtrace::setup::watch_signals();
    backtrace::setup::freeze_at_start();
    let mut nbrhd = Nbrhd::new(region, here, &places, xmap, (direct != 0, everything), &[]);
    if heavy_barrier == 0 {
        nbrhd.without_heavy_barrier();
    }
    let rank = NewRank {
        settings,
        board,
        traced: traced != 0,
        barrier: env::choice("GASNET_BARRIER"),
        // How many processors the ranks have together decides how they wait, and how collectives go about their work.
        waiting: Waiting::new(terms.cores().unwrap_or_else(cores), count, idle_ns()),
        places,
        conduit: None,
        nbrhd,
    };
    rank.begin()
}

/// The settings and needs of this rank.
fn proposal(settings: &Settings, tracing: &trace::TracePlan, count: u32, segment_default: Option<SegLimit>) -> Terms {
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
        },
        cpus: affinity::allowed_bits(),
        same: vec![
            same("the conduit", settings.conduit.name),
            same("the segment mode", &format!("{:?}", settings.segment).to_uppercase()),
            same("GASNET_BARRIER", env::choice("GASNET_BARRIER")),
        ],
    }
}

/// Rank 0: makes the shared memory of the host, and passes it on.
fn make(meeting: &mut Meeting, layout: RegionLayout, count: u32, largest: usize) -> (Region, Xmap) {
    let (region, object) = match Region::share(layout) {
        Ok(made) => made,
        Err(error) => {
            let bytes = layout.total();
            fatal!("no {bytes} bytes of memory for the rings of {count} ranks: {error} (ulimit -v, ulimit -f)")
        }
    };
    let backing = Backing::choose(count.into(), largest as u64);
    let xmap = Xmap::reserve(backing, count as usize, largest).unwrap_or_else(|error| no_address_space(count, &error));
    let described = layout.words().into_iter().chain(xmap.shape().words()).flat_map(u64::to_le_bytes);
    let files: Vec<_> = [object.as_fd()].into_iter().chain(xmap.object()).collect();
    meeting.share(&described.collect::<Vec<_>>(), &files);
    (region, xmap)
}

/// The other ranks: map it.
fn map(meeting: &mut Meeting, layout: RegionLayout, count: u32) -> (Region, Xmap) {
    let (bytes, files) = meeting.take();
    let mut files = files.into_iter();
    let mine = layout.words();
    let rest = words(&bytes, mine.len()).filter(|(theirs, _)| *theirs == mine).map(|(_, rest)| rest);
    let shape = rest.and_then(|rest| words(rest, rest.len() / 8)).and_then(|(shape, _)| shape.try_into().ok());
    let (Some(shape), Some(object)) = (shape.and_then(xmap::SegmentShape::from_words), files.next()) else {
        fatal!("this rank's library lays shared memory out in another way than rank 0's: install one on this host")
    };
    let region = match Region::open(&object, layout) {
        Ok(region) => region,
        Err(error) => fatal!("cannot map the {} bytes that rank 0 shares: {error} (ulimit -v)", layout.total()),
    };
    let xmap = Xmap::join(shape, files.next(), count as usize).unwrap_or_else(|error| no_address_space(count, &error));
    (region, xmap)
}

fn no_address_space(count: u32, error: &std::io::Error) -> ! {
    fatal!("no address space for {count} segments: {error} (ulimit -v, ulimit -f, GASNET_MAX_SEGSIZE)")
}
