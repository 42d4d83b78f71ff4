//! The ranks of a job in one process, for tests: each has a [`Job`] of its own over one shared region, and a thread calls them
//! in turn. None of them is the process's job ([`super::job`]).
//!
//! # Safety
//! The board's memory is new, zeroed, page aligned and never freed.
#![allow(unsafe_code)]

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use super::{Job, Polled};
use crate::conduit::{Caps, table};
use crate::defs::message::Limits;
use crate::defs::rank::{HostRank, JobRank};
use crate::hang::board::{Board, BoardLayout};
use crate::mem::Dst;
use crate::nbrhd::backing::{Backing, BackingKind};
use crate::nbrhd::xmap::Xmap;
use crate::nbrhd::{Nbrhd, Region, RegionLayout};
use crate::os::shm::{self, PAGE};
use crate::places::{Places, Ranks};
use crate::settings::{SegmentMode, Settings, Threads};
use crate::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize};
use crate::sync::backoff::WaitMode;
use crate::sync::waiting::Waiting;

/// The most ranks of a job of tests.
const MOST: u32 = 16;

/// The ranks of a job. There is one at a time, as polls attend to words of the whole process.
pub(crate) struct Several {
    pub jobs: Vec<&'static Job>,
    _alone: MutexGuard<'static, ()>,
}

/// The largest payload of a Medium, and of messages that a network would carry.
pub(crate) const MEDIUM: usize = 3000;

fn board() -> &'static Board {
    static BOARD: OnceLock<&'static Board> = OnceLock::new();
    BOARD.get_or_init(|| {
        let layout = BoardLayout::new(MOST, MOST, true);
        let memory = shm::anonymous(layout.bytes()).expect("memory");
        // SAFETY: the module's paragraph.
        Board::place(unsafe { Dst::new(memory.cast(), layout.bytes()) }, layout)
    })
}

/// A job of `count` ranks that share memory and four cores; rings have `slots` slots.
pub(crate) fn several(count: u32, threads: Threads, slots: usize) -> Several {
    make(count, threads, slots, false, |_| 0)
}

/// As `several`, of debug clients in one thread.
pub(crate) fn several_debug(count: u32) -> Several {
    make(count, Threads::Seq, 64, true, |_| 0)
}

/// As `several`, of ranks that are called by a thread each, spin, and advance `collectives` in polls.
pub(crate) fn several_threads(count: u32, collectives: fn(&Job) -> u32) -> Several {
    let all = make(count, Threads::Par, 1024, false, collectives);
    all.jobs.iter().for_each(|job| job.waiting.set_mode(WaitMode::Spin));
    all
}

fn make(count: u32, threads: Threads, slots: usize, debug: bool, collectives: fn(&Job) -> u32) -> Several {
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let places = Places::new(&[Ranks::block(0, count)], 0, count).expect("a placement");
    let ranks = count as usize;
    let region = Region::create(RegionLayout::new(ranks, ranks, slots, PAGE, PAGE)).expect("memory");
    let memory = shm::memfd(false).expect("memory");
    let twins: Vec<_> = (1..count).map(|_| memory.try_clone().expect("a descriptor")).collect();
    let backing = Backing { kind: BackingKind::Memfd, fd: Some(memory), room: None };
    let mut maps = vec![Xmap::reserve(backing, ranks, 1 << 20).expect("room")];
    for twin in twins {
        let next = Xmap::join(maps[0].shape(), Some(twin), ranks).expect("room");
        maps.push(next);
    }
    let settings = Settings { threads, segment: SegmentMode::Fast, debug, watched: debug, conduit: table::DEFAULT };
    let of = |(me, xmap): (u32, Xmap)| -> &'static Job {
        let board = board();
        let nbrhd = Nbrhd::new(region, HostRank(me), &places, xmap, (true, false), &[]);
        Box::leak(Box::new(Job {
            me: JobRank(me),
            size: count,
            settings: settings.clone(),
            nbrhd,
            places,
            sharing: places,
            conduit: None,
            caps: Caps::default(),
            makes_segments: false,
            quiets: None,
            limits: Limits {
                medium: MEDIUM,
                long_request: 1 << 20,
                long_reply: 1 << 19,
                piece: usize::MAX,
                copied: usize::MAX,
            },
            polled: Polled { barrier: None, collectives },
            counts: board.counts(me),
            marks: board.marks(me),
            waiting: Waiting::new(4, count, 1000),
            sole_producer: count == 2 && threads != Threads::Par,
            outlives_ranks: false,
            most_everywhere: AtomicUsize::new(usize::MAX),
            attached: AtomicU32::new(0),
            in_network_segments: AtomicBool::new(false),
            bound_in_everything: OnceLock::new(),
        }))
    };
    Several { jobs: (0..).zip(maps).map(of).collect(), _alone }
}

impl Several {
    /// Each rank attaches a segment of `len` bytes; returns where each starts in its own address space.
    pub(crate) fn attach(&self, len: usize) -> Vec<usize> {
        let map = |job: &&Job| {
            let (at, _) = job.nbrhd.xmap.map_own(job.nbrhd.here, len, false).expect("memory");
            let bytes = &job.nbrhd.notice(job.nbrhd.here).segment_bytes;
            bytes.store(len as u64, crate::sync::atomic::Ordering::Relaxed);
            at.expose_provenance()
        };
        let starts: Vec<usize> = self.jobs.iter().map(map).collect();
        for job in &self.jobs {
            for (rank, &start) in (0..).zip(&starts) {
                job.nbrhd.publish_attached(JobRank(rank), start, start + len, None);
            }
        }
        starts
    }
}
