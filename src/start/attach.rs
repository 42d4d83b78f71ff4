//! Attach: every rank creates its segment, publishes it to all ranks, and maps the segments of its nbrhd.

use crate::conduit::NetworkSegments;
use crate::defs::rank::{JobRank, Location, NodeRank};
use crate::endpoint::table::{Any, Entry};
use crate::endpoint::{self, table};
use crate::fatal::{Error, fatal};
use crate::job::Job;
use crate::nbrhd::backing::{self, BackingKind};
use crate::os::shm::{PAGE, page_bytes};
use crate::segment::object::{self, SegmentObject};
use crate::settings::SegmentMode;
use crate::sync::atomic::Ordering;
use crate::team;

impl Job {
    /// Registers handlers and attaches a segment of `bytes`, or of a page for 0; None where all memory is the segment.
    /// Collective, with the effect of a barrier.
    pub fn attach(&self, handlers: &mut [Entry], bytes: usize) -> Result<Option<&'static SegmentObject>, Error> {
        self.attach_once(|| table::PRIMORDIAL.register(handlers, Any::Lowest), bytes)
    }

    /// As `attach`, without handlers.
    pub fn attach_segment(&self, bytes: usize) -> Result<Option<&'static SegmentObject>, Error> {
        if endpoint::primordial().segment().is_some() {
            return Err(Error::NotInit);
        }
        self.attach_once(|| Ok(()), bytes)
    }

    fn attach_once(
        &self,
        register: impl FnOnce() -> Result<(), Error>,
        bytes: usize,
    ) -> Result<Option<&'static SegmentObject>, Error> {
        if self.attached.compare_exchange(0, 1, Ordering::AcqRel, Ordering::Relaxed).is_err() {
            return Err(Error::NotInit);
        }
        let attached = self.try_attach(register, bytes);
        // Other ranks must not wait for a rank that failed, so every rank enters both barriers.
        if attached.is_err() {
            self.attached.store(0, Ordering::Release);
        }
        attached
    }

    fn try_attach(
        &self,
        register: impl FnOnce() -> Result<(), Error>,
        bytes: usize,
    ) -> Result<Option<&'static SegmentObject>, Error> {
        if self.settings.segment == SegmentMode::Everything {
            // No segment is created.
            register()?;
            self.startup_barrier();
            self.attached.store(2, Ordering::Release);
            self.waiting.started();
            return Ok(None);
        }
        if bytes % page_bytes() != 0 || bytes > self.max_segment() {
            return Err(Error::BadArg);
        }
        register()?;
        // Every rank has a segment, so that each can be queried and accessed.
        let bytes = bytes.max(PAGE);
        let nbrhd = &self.nbrhd;
        nbrhd.notice(nbrhd.here).segment_bytes.store(bytes as u64, Ordering::Release);
        // Measured before a rank allocates.
        let room = nbrhd.xmap.room();
        self.startup_barrier();
        let of_network = self.network_segments();
        let start = match of_network {
            Some(segments) => {
                nbrhd.put_segment(segments.start);
                segments.start
            }
            None => self.make_own(bytes, room),
        };
        self.startup_barrier();
        let mapped_at = |rank: JobRank| of_network.and_then(|segments| segments.mapped[rank.index()]);
        for rank in (0..nbrhd.ranks).map(NodeRank) {
            let host_rank = nbrhd.host_rank(rank);
            let bytes = self.segment_bytes(host_rank);
            if rank != nbrhd.me && of_network.is_none() {
                let id = nbrhd.notice(host_rank).sysv_id.load(Ordering::Acquire);
                if let Err(error) = nbrhd.xmap.map_peer(host_rank, id, bytes) {
                    fatal!("cannot map the segment of rank {} ({bytes} bytes): {error}", nbrhd.job_rank(rank).0);
                }
            }
        }
        if of_network.is_some() {
            let near = (0..nbrhd.ranks).map(|rank| mapped_at(nbrhd.job_rank(NodeRank(rank))).unwrap_or_default());
            nbrhd.segments_are_at(&near.collect::<Vec<_>>());
        }
        let ends: Vec<_> = match self.conduit {
            // Only ranks of this host, in order.
            None => nbrhd
                .on_host()
                .map(|rank| (nbrhd.start_of(rank), nbrhd.start_of(rank) + self.segment_bytes(rank)))
                .collect(),
            Some(_) => {
                let all = self.exchange([start as u64, bytes as u64]);
                all.iter().map(|[start, bytes]| (*start as usize, (*start + *bytes) as usize)).collect()
            }
        };
        for (rank, (start, end)) in (0..).map(JobRank).zip(ends) {
            nbrhd.publish_attached(rank, start, end, mapped_at(rank));
        }
        self.register_segment(0, start, bytes);
        self.exchange_keys();
        team::refresh_all(self);
        let object = object::attached(start, bytes);
        endpoint::primordial().bind(object)?;
        self.attached.store(2, Ordering::Release);
        self.startup_barrier();
        self.waiting.started();
        Ok(Some(object))
    }

    /// The segments that the network makes, if all ranks attach these: each has to be mapped by all of its nbrhd.
    fn network_segments(&self) -> Option<&'static NetworkSegments> {
        let segments = self.conduit?.segments()?;
        let near = (0..self.nbrhd.ranks).map(|rank| self.nbrhd.job_rank(NodeRank(rank)));
        let mine = near.into_iter().all(|rank| segments.mapped[rank.index()].is_some());
        let all = self.exchange([mine.into()]).iter().all(|[theirs]| *theirs == 1);
        self.in_network_segments.store(all, Ordering::Release);
        all.then_some(segments)
    }

    /// Exchanges the keys of attached segments with all ranks of the job, where the conduit has keys.
    fn exchange_keys(&self) {
        let Some(conduit) = self.registering() else { return };
        for (rank, words) in (0..).map(JobRank).zip(self.exchange(self.key_words(0))) {
            self.import_key(conduit, Location { rank, ep: 0 }, &words);
        }
    }

    /// Maps this rank's segment, after all ranks have exchanged their sizes. Ends the job, with the name of the
    /// setting, if the backing cannot hold all segments, instead of a SIGBUS later.
    fn make_own(&self, bytes: usize, room: Option<u64>) -> usize {
        let wanted: u64 = self.nbrhd.on_host().map(|rank| self.segment_bytes(rank) as u64).sum();
        let kind = self.nbrhd.xmap.kind();
        if let Some(room) = room.filter(|room| wanted > *room) {
            fatal!(
                "segments need {wanted} bytes of shared memory in all, {} has {room}: ask for less, make it \
                 larger, or choose another kind with GASNET_SHM_BACKING",
                place(kind)
            );
        }
        let tight = kind != BackingKind::Hugetlbfs && room.is_some_and(|room| wanted > room / 2);
        match self.nbrhd.xmap.map_own(self.nbrhd.here, bytes, tight) {
            Ok((at, id)) => {
                self.nbrhd.notice(self.nbrhd.here).sysv_id.store(id, Ordering::Release);
                at as usize
            }
            Err(error) => fatal!(
                "cannot attach a segment of {bytes} bytes from {}: {error} ({wanted} bytes wanted by all ranks, {} \
                 there); GASNET_SHM_BACKING chooses another kind, GASNET_MAX_SEGSIZE bounds segments",
                place(kind),
                room.map_or_else(|| "all of memory".to_owned(), |room| format!("{room} bytes"))
            ),
        }
    }
}

fn place(kind: BackingKind) -> String {
    match kind {
        BackingKind::Posix => "/dev/shm".to_owned(),
        BackingKind::File => format!("{} (GASNET_SHM_DIR)", backing::directory().display()),
        BackingKind::Hugetlbfs => "the pool of huge pages (vm.nr_hugepages)".to_owned(),
        BackingKind::SysV => "System V shared memory (kernel.shmmax, kernel.shmall, kernel.shmmni)".to_owned(),
        BackingKind::Memfd => "memory".to_owned(),
    }
}
