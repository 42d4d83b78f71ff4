//! Segment objects: the attached segment, segments that the library allocates in memory that the nbrhd can map, and
//! segments over the client's memory. A segment is bound to an endpoint, and peers can access it once it is
//! published.
//!
//! # Safety
//! Segment objects are reused and never freed, so a handle always points to one.
#![allow(unsafe_code)]

use core::ffi::c_void;
use core::ptr;
use std::os::fd::{AsRawFd, OwnedFd};

use parking_lot::{Mutex, RwLock};

use crate::defs::rank::Location;
use crate::endpoint::{self, Endpoint};
use crate::fatal::{self, Error, warn};
use crate::job::Job;
use crate::nbrhd::reach::MAX_EPS;
use crate::os::shm;
use crate::settings::SegmentMode;
use crate::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use crate::team::{self, Team};

/// The origin of a segment's memory.
enum Origin {
    /// Attach; it exists until the end of the job.
    Attached,
    /// The library; peers map the descriptor. None if the kernel does not provide one: then peers cannot map it.
    Made(Option<OwnedFd>),
    /// The client.
    Client,
}

/// A live segment.
struct Life {
    start: usize,
    bytes: usize,
    flags: u32,
    kind: usize,
    origin: Origin,
}

/// A segment, the target of a client's handle.
pub struct SegmentObject {
    life: RwLock<Option<Life>>,
    /// An endpoint refers to it, so the object is not reused.
    bound: AtomicBool,
    pub cdata: AtomicPtr<c_void>,
}

static SHELLS: Mutex<Vec<&'static SegmentObject>> = Mutex::new(Vec::new());

fn object(life: Life) -> &'static SegmentObject {
    let shell = SHELLS.lock().pop();
    let object = shell.unwrap_or_else(|| {
        let (life, bound, cdata) = (RwLock::new(None), AtomicBool::new(false), AtomicPtr::new(ptr::null_mut()));
        Box::leak(Box::new(SegmentObject { life, bound, cdata }))
    });
    *object.life.write() = Some(life);
    object
}

/// The segment that attach has created.
pub(super) fn attached(start: usize, bytes: usize) -> &'static SegmentObject {
    object(Life { start, bytes, flags: 0, kind: HOST, origin: Origin::Attached })
}

/// `GEX_MK_HOST`, the kind of host memory.
pub const HOST: usize = 1;

/// Creates a segment of `bytes`, a multiple of a page, in memory that peers can map.
pub fn make(bytes: usize, kind: usize, flags: u32) -> Result<&'static SegmentObject, Error> {
    let shared = shm::memfd(false).and_then(|fd| {
        shm::set_len(&fd, bytes)?;
        Ok((shm::map(&fd, bytes)?, fd))
    });
    let (start, fd) = match shared {
        Ok((start, fd)) => (start, Some(fd)),
        Err(_) => match shm::anonymous(bytes) {
            Ok(start) => (start, None),
            Err(error) => {
                if fatal::verbose_errors() {
                    warn!("gex_Segment_Create: no {bytes} bytes of memory: {error} (ulimit -v)");
                }
                return Err(Error::Resource);
            }
        },
    };
    Ok(object(Life { start: start.addr(), bytes, flags, kind, origin: Origin::Made(fd) }))
}

/// Creates a segment over the client's memory.
///
/// # Safety
/// The memory is mapped, readable and writable, until the segment is destroyed.
pub unsafe fn over(start: usize, bytes: usize, kind: usize, flags: u32) -> &'static SegmentObject {
    object(Life { start, bytes, flags, kind, origin: Origin::Client })
}

/// The segment at `at`: None if that is null or the segment is destroyed.
///
/// # Safety
/// `at` is null, or a segment handle that this process has returned to the client.
pub unsafe fn find(at: *const SegmentObject) -> Option<&'static SegmentObject> {
    if at.is_null() || !at.is_aligned() {
        return None;
    }
    // SAFETY: the caller's contract, and the module's paragraph: it stays a shell.
    let object = unsafe { &*at };
    object.is_live().then_some(object)
}

impl SegmentObject {
    pub fn is_live(&self) -> bool {
        self.life.read().is_some()
    }

    /// First address and length; zero for a destroyed segment.
    pub fn extent(&self) -> (usize, usize) {
        self.life.read().as_ref().map_or((0, 0), |life| (life.start, life.bytes))
    }

    pub fn flags(&self) -> u32 {
        self.life.read().as_ref().map_or(0, |life| life.flags)
    }

    /// The kind of its memory, as the client named it.
    pub fn kind(&self) -> usize {
        self.life.read().as_ref().map_or(0, |life| life.kind)
    }

    pub fn is_attached(&self) -> bool {
        self.life.read().as_ref().is_some_and(|life| matches!(life.origin, Origin::Attached))
    }

    /// The descriptor that peers may map, if there is one.
    fn shared_fd(&self) -> Option<i32> {
        match self.life.read().as_ref()?.origin {
            Origin::Made(ref fd) => fd.as_ref().map(AsRawFd::as_raw_fd),
            _ => None,
        }
    }

    /// Destroys it; it must not be used any more.
    pub fn end(&'static self) {
        if let Some(life) = self.life.write().take()
            && matches!(life.origin, Origin::Made(_))
        {
            // SAFETY: `make` mapped it, and the client promised to gex_Segment_Destroy that nobody uses it any more.
            unsafe { shm::release(ptr::with_exposed_provenance_mut(life.start), life.bytes) };
        }
        self.cdata.store(ptr::null_mut(), Ordering::Relaxed);
        if !self.bound.load(Ordering::Relaxed) {
            SHELLS.lock().push(self);
        }
    }
}

/// The published words of one endpoint: index, 1 + descriptor or 0, start, length in bytes, process id.
const WORDS: usize = 5;

impl Job {
    /// Binds `segment` to `ep` and makes it accessible to this process.
    pub fn bind_segment(&self, ep: &'static Endpoint, segment: &'static SegmentObject) -> Result<(), Error> {
        ep.bind(segment)?;
        segment.bound.store(true, Ordering::Relaxed);
        let (start, bytes) = segment.extent();
        // SAFETY: the segment's memory is mapped until it ends (`end_segment`, which withdraws it): by us, or by the client's
        // promise to `gex_Segment_Create`.
        unsafe { self.nbrhd.reach(ep.index).publish(self.me, start, start + bytes, Some(0)) };
        team::refresh(self, Location { rank: self.me, ep: ep.index });
        Ok(())
    }

    /// Destroys `segment`: no endpoint of this process uses it any more.
    pub fn end_segment(&self, segment: &'static SegmentObject) {
        for ep in (0..MAX_EPS as u16).filter_map(endpoint::at) {
            if ep.segment().is_some_and(|bound| ptr::eq(bound, segment)) {
                self.nbrhd.reach(ep.index).withdraw(self.me);
                team::refresh(self, Location { rank: self.me, ep: ep.index });
            }
        }
        segment.end();
    }

    /// Publishes the segments bound to `eps` to all members of `team`, and receives theirs.
    pub fn publish_segments(&self, team: &'static Team, eps: &[&'static Endpoint]) {
        let mut words = Vec::with_capacity(eps.len() * WORDS);
        for ep in eps {
            if let Some(segment) = ep.segment() {
                let (start, bytes) = segment.extent();
                let fd = segment.shared_fd().map_or(0, |fd| fd as u64 + 1);
                words.extend([u64::from(ep.index), fd, start as u64, bytes as u64, u64::from(std::process::id())]);
            }
        }
        for (rank, words) in (0..).zip(self.gather_lists(team, &words)) {
            let rank = team.job_rank(rank);
            for word in words.chunks_exact(WORDS).filter(|word| word[0] < MAX_EPS as u64 && rank != self.me) {
                let (start, bytes) = (word[2] as usize, word[3] as usize);
                let of = Location { rank, ep: word[0] as u16 };
                let known = self.nbrhd.span_at(of) == Some((start, start + bytes));
                if known && self.nbrhd.reach(of.ep).bias_word(rank) != 0 {
                    continue;
                }
                let near = self.nbrhd.node_rank(rank).is_some() && word[1] != 0;
                let mapped =
                    near.then(|| shm::map_of_process(word[4] as u32, word[1] as i32 - 1, bytes).ok()).flatten();
                let bias = mapped.map(|at| (at.expose_provenance() as isize).wrapping_sub(start as isize));
                // SAFETY: with a bias, `bytes` are mapped at it (`map_of_process`), for good.
                unsafe { self.nbrhd.reach(of.ep).publish(rank, start, start + bytes, bias) };
                team::refresh(self, of);
            }
        }
        // No member continues before all have received them, since its next message may refer to a published
        // segment.
        self.coll_barrier_blocking(team);
    }

    /// The segment of `of`, if it is known here: its address at its owner, its length in bytes, and its local
    /// address.
    pub fn bound_segment(&self, of: Location) -> Option<(usize, usize, Option<usize>)> {
        let (start, end) = self.nbrhd.span_at(of)?;
        let everything = of.ep == 0 && self.settings.segment == SegmentMode::Everything;
        let attached = everything && self.attached.load(Ordering::Acquire) == 2;
        let unbound = of.rank == self.me && endpoint::at(of.ep).is_none_or(|ep| ep.segment().is_none());
        if end == start || (everything || unbound) && !attached {
            return None;
        }
        let word = self.nbrhd.reach(of.ep).bias_word(of.rank);
        let here = (word != 0).then(|| start.wrapping_add_signed(word.wrapping_sub(1)));
        Some((start, end - start, here))
    }
}
