//! Segment objects: the attached segment, segments that the library allocates in memory that the nbrhd can map, and
//! segments over the client's memory.
//!
//! # Safety
//! Segment objects are reused and never freed, so a handle always points to one.
#![allow(unsafe_code)]

use core::ffi::c_void;
use core::ptr;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

use parking_lot::{Mutex, RwLock};

use crate::fatal::{self, Error, warn};
use crate::os::shm;
use crate::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

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
pub(crate) fn attached(start: usize, bytes: usize) -> &'static SegmentObject {
    object(Life { start, bytes, flags: 0, origin: Origin::Attached })
}

/// Creates a segment of `bytes`, a multiple of a page, in memory that peers can map, at a multiple of the largest page of this
/// architecture.
pub(crate) fn make(bytes: usize, flags: u32) -> Result<&'static SegmentObject, Error> {
    let (start, fd) = mapped(bytes).map_err(|error| {
        if fatal::verbose_errors() {
            warn!("gex_Segment_Create: no {bytes} bytes of memory: {error} (ulimit -v)");
        }
        Error::Resource
    })?;
    Ok(object(Life { start: start.addr(), bytes, flags, origin: Origin::Made(fd) }))
}

/// Shared memory of `bytes`, with its descriptor if the kernel provides one.
fn mapped(bytes: usize) -> io::Result<(*mut u8, Option<OwnedFd>)> {
    let at = shm::reserve_at_multiple(bytes, shm::PAGE)?;
    let shared = shm::memfd(false).and_then(|fd| {
        shm::set_len(&fd, bytes)?;
        // SAFETY: reserved above, for this mapping alone.
        Ok((unsafe { shm::map_at(&fd, 0, bytes, at) }?, Some(fd)))
    });
    // SAFETY: as above; `map_at` has failed.
    shared.or_else(|_| Ok((unsafe { shm::anonymous_at(bytes, at) }?, None))).inspect_err(|_| {
        // SAFETY: as above; neither has mapped anything.
        unsafe { shm::release(at, bytes) }
    })
}

/// Creates a segment over the client's memory.
///
/// # Safety
/// The memory is mapped, readable and writable, until the segment is destroyed.
pub(crate) unsafe fn over(start: usize, bytes: usize, flags: u32) -> &'static SegmentObject {
    object(Life { start, bytes, flags, origin: Origin::Client })
}

/// The segment at `at`: None if that is null or the segment is destroyed.
///
/// # Safety
/// `at` is null, or a segment handle that this process has returned to the client.
pub(crate) unsafe fn find(at: *const SegmentObject) -> Option<&'static SegmentObject> {
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

    pub fn is_attached(&self) -> bool {
        self.life.read().as_ref().is_some_and(|life| matches!(life.origin, Origin::Attached))
    }

    /// An endpoint refers to it from now on.
    pub fn set_bound(&self) {
        self.bound.store(true, Ordering::Relaxed);
    }

    /// The descriptor that peers may map, if there is one.
    pub fn shared_fd(&self) -> Option<i32> {
        match self.life.read().as_ref()?.origin {
            Origin::Made(ref fd) => fd.as_ref().map(AsRawFd::as_raw_fd),
            _ => None,
        }
    }

    /// Destroys it; it must not be used any more.
    pub fn end(&'static self) {
        if let Some(life) = self.life.write().take() {
            if matches!(life.origin, Origin::Made(_)) {
                // SAFETY: `make` mapped it, and the client promised to gex_Segment_Destroy that nobody uses it any more.
                unsafe { shm::release(ptr::with_exposed_provenance_mut(life.start), life.bytes) };
            }
        }
        self.cdata.store(ptr::null_mut(), Ordering::Relaxed);
        if !self.bound.load(Ordering::Relaxed) {
            SHELLS.lock().push(self);
        }
    }
}
