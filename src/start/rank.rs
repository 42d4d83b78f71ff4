//! The last step of a start, in a rank that has mapped its memory: publishes the Job, and waits until all ranks have.

use std::sync::OnceLock;

use crate::am::{self, library};
use crate::barrier::{Barrier, of_all};
use crate::conduit::{Caps, Conduit};
use crate::env::show::is_verbose;
use crate::fatal::line;
use crate::hang::board::Board;
use crate::job::{self, Job, Polled};
use crate::nbrhd::Nbrhd;
use crate::os::services::{self, UsedBy};
use crate::places::Places;
use crate::settings::{SegmentMode, Settings, Threads};
use crate::start::handlers;
use crate::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize};
use crate::sync::waiting::Waiting;

/// Slots of each ring: a job of many ranks has more senders for one ring.
pub(crate) const RING_SLOTS: usize = 1024;

/// Open files that a rank may add under the limit that was in force before the job.
pub(crate) const SPARE_FILES: u64 = 16;

/// The state of this rank before it communicates, however it was started.
pub(crate) struct NewRank {
    pub settings: Settings,
    pub board: &'static Board,
    /// Some rank writes a trace.
    pub traced: bool,
    pub barrier: &'static str,
    pub waiting: Waiting,
    pub places: Places,
    pub conduit: Option<&'static dyn Conduit>,
    pub nbrhd: Nbrhd,
}

impl NewRank {
    /// Publishes the job, and waits until all ranks have.
    pub(crate) fn begin(self) -> &'static Job {
        let NewRank { settings, board, traced, barrier, mut waiting, places, conduit, nbrhd } = self;
        waiting.pauses = conduit.is_none_or(|conduit| conduit.caps().pauses);
        let (here, size) = (nbrhd.here, places.size());
        let me = places.rank(places.here(), here);
        let everything = settings.segment == SegmentMode::Everything;
        let sole_producer = nbrhd.ranks == 2 && settings.threads != Threads::Par;
        let marks = board.marks(here.0);
        say_how_ranks_wait(&waiting);
        services::say_refused(UsedBy::Every);
        if size > 1 {
            services::say_refused(UsedBy::Ranks);
        }
        if conduit.is_some() {
            services::say_refused(UsedBy::Networks);
        }
        if everything && nbrhd.ranks > 1 {
            services::say_refused(UsedBy::Everything);
        }
        library::register(handlers::ALL);
        // The hosts of a job do not know the numbers of each other's cores.
        let crowded = places.hosts() == 1 && places.supernodes() > waiting.cores;
        let barrier = of_all::begin(Barrier::new(barrier, me, size, &nbrhd, &places, marks, conduit, crowded));
        let job = job::publish(Job {
            me,
            size,
            nbrhd,
            places,
            sharing: if everything { places.alone() } else { places },
            conduit,
            caps: conduit.map_or(Caps::default(), |conduit| conduit.caps()),
            makes_segments: conduit.is_some_and(|conduit| conduit.segments().is_some()),
            quiets: conduit.filter(|conduit| conduit.quiets()),
            limits: am::limits::of(conduit),
            polled: Polled {
                barrier: barrier.by_messages().then_some(Job::barrier_progress),
                collectives: Job::coll_progress,
            },
            counts: board.counts(here.0),
            marks,
            waiting,
            sole_producer,
            outlives_ranks: am::deaths::are_outlived(),
            most_everywhere: AtomicUsize::new(usize::MAX),
            attached: AtomicU32::new(0),
            in_network_segments: AtomicBool::new(false),
            bound_in_everything: OnceLock::new(),
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
}

fn say_how_ranks_wait(waiting: &Waiting) {
    if is_verbose() {
        let Waiting { ranks, cores, .. } = *waiting;
        let how = if ranks <= cores { "spin" } else { "yield" };
        line(&format!(
            "GASNET: ranks that share processors: {ranks}, processors: {cores}; waiting ranks {how} before they sleep"
        ));
    }
}
