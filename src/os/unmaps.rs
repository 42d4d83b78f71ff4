//! Tells when memory of this process is unmapped, moved or discarded, so that no registration of it is used any more: by userfaultfd, whose events the
//! kernel delivers before munmap, mremap or madvise returns. A thread reads them. Memory that the kernel does not let us watch is
//! reported as such.
//!
//! # Safety
//! Calls of the kernel on a descriptor of our own; structures are laid out as linux/userfaultfd.h says.

use core::ffi::{c_int, c_ulong};
use std::sync::OnceLock;

use parking_lot::Mutex;

use crate::os::signal;
use crate::sync::atomic::{AtomicBool, AtomicU32, Ordering};

const API: u64 = 0xaa;
const IOCTL_API: c_ulong = 0xc018_aa3f;
const IOCTL_REGISTER: c_ulong = 0xc020_aa00;
const USER_MODE_ONLY: c_int = 1;
/// Remap, remove and unmap.
const FEATURES: u64 = 1 << 2 | 1 << 3 | 1 << 6;
/// Write protection, which no page gets: only the events are wanted.
const MODE_WRITE_PROTECT: u64 = 1 << 1;
const EVENT_REMAP: u8 = 0x14;

/// `struct uffdio_api`.
#[repr(C)]
struct UffdApi {
    api: u64,
    features: u64,
    ioctls: u64,
}

/// `struct uffdio_register`.
#[repr(C)]
struct UffdRegister {
    start: u64,
    len: u64,
    mode: u64,
    ioctls: u64,
}

/// `struct uffd_msg`: the event, then its arguments.
#[derive(Clone, Copy, Default)]
#[repr(C)]
struct UffdMessage {
    event: u8,
    _reserved: [u8; 7],
    arguments: [u64; 3],
}

/// Ranges of bytes that were unmapped: start and end.
const MOST_RANGES: usize = 256;

struct Unmapped {
    ranges: [(usize, usize); MOST_RANGES],
    count: usize,
}

/// The watch of this process.
pub(crate) struct Unmaps {
    descriptor: c_int,
    unmapped: Mutex<Unmapped>,
    /// Grows before an event is read, and is even after it has been noted: who reads an even number that it knows has missed nothing.
    turns: AtomicU32,
    /// The thread exists.
    runs: AtomicBool,
}

static WATCH: OnceLock<Option<Unmaps>> = OnceLock::new();

/// The watch; None: the kernel does not allow it. Starts its thread.
pub(crate) fn watch() -> Option<&'static Unmaps> {
    let watch = WATCH.get_or_init(open).as_ref()?;
    if !watch.runs.swap(true, Ordering::Relaxed) {
        let blocked = signal::Mask::block_all();
        let started = std::thread::Builder::new().name("gasnet-unmaps".into()).spawn(|| watch.read_events());
        blocked.restore();
        // Without its reader an unmapping thread would wait for ever.
        if started.is_err() {
            // SAFETY: the descriptor is ours, and nobody has registered memory with it.
            unsafe { libc::close(watch.descriptor) };
            crate::fatal::fatal!("no thread that learns of unmapped memory can be started");
        }
    }
    Some(watch)
}

/// Whether the kernel allows it; if not, its error is the thread's last.
pub(super) fn is_possible() -> bool {
    WATCH.get().is_some_and(Option::is_some)
        || open().is_some_and(|watch| {
            // SAFETY: the descriptor is ours, and has just been made.
            unsafe { libc::close(watch.descriptor) };
            true
        })
}

fn open() -> Option<Unmaps> {
    // SAFETY: a call without pointers.
    let opened = unsafe { libc::syscall(libc::SYS_userfaultfd, libc::O_CLOEXEC | libc::O_NONBLOCK | USER_MODE_ONLY) };
    let descriptor = c_int::try_from(opened).ok().filter(|descriptor| *descriptor >= 0)?;
    let mut api = UffdApi { api: API, features: FEATURES, ioctls: 0 };
    // SAFETY: the structure that the call reads and writes.
    if unsafe { libc::ioctl(descriptor, IOCTL_API, &raw mut api) } != 0 {
        // SAFETY: the descriptor is ours.
        unsafe { libc::close(descriptor) };
        return None;
    }
    let unmapped = Mutex::new(Unmapped { ranges: [(0, 0); MOST_RANGES], count: 0 });
    Some(Unmaps { descriptor, unmapped, turns: AtomicU32::new(0), runs: AtomicBool::new(false) })
}

impl Unmaps {
    /// From now on tells of `bytes` bytes at `start`, whole pages. False: the kernel does not watch this memory, which may be mapped
    /// read-only, or a file.
    pub(crate) fn add(&self, start: usize, bytes: usize) -> bool {
        let mut range = UffdRegister { start: start as u64, len: bytes as u64, mode: MODE_WRITE_PROTECT, ioctls: 0 };
        // SAFETY: the structure that the call reads and writes.
        unsafe { libc::ioctl(self.descriptor, IOCTL_REGISTER, &raw mut range) == 0 }
    }

    /// Changes with each event; the caller then takes the ranges.
    #[inline]
    pub(crate) fn turns(&self) -> u32 {
        // Acquire: with the Release in `read_events`, who sees the number of an event sees its range.
        self.turns.load(Ordering::Acquire)
    }

    /// Calls `gone` with start and end of each range that was unmapped since the last call. Returns the number of turns that were
    /// seen.
    pub(crate) fn take(&self, mut gone: impl FnMut(usize, usize)) -> u32 {
        loop {
            let turns = self.turns();
            if turns % 2 == 0 {
                let (ranges, count) = {
                    let mut unmapped = self.unmapped.lock();
                    (unmapped.ranges, core::mem::take(&mut unmapped.count))
                };
                ranges[..count].iter().for_each(|(start, end)| gone(*start, *end));
                return turns;
            }
            // An event is being read.
            std::thread::yield_now();
        }
    }

    /// Reads events for the life of the process. Takes and frees no memory: to unmap some would wait for this thread.
    fn read_events(&self) {
        loop {
            let mut ready = libc::pollfd { fd: self.descriptor, events: libc::POLLIN, revents: 0 };
            // SAFETY: one descriptor.
            if unsafe { libc::poll(&raw mut ready, 1, -1) } != 1 {
                continue;
            }
            // SeqCst: the thread that unmaps goes on once the event was read, and has to see the odd number then.
            self.turns.fetch_add(1, Ordering::SeqCst);
            let mut message = UffdMessage::default();
            // SAFETY: the message that the call writes.
            let read = unsafe { libc::read(self.descriptor, (&raw mut message).cast(), size_of::<UffdMessage>()) };
            if read == size_of::<UffdMessage>() as isize {
                let [start, end, len] = message.arguments;
                // A move names the old place, the new one, and the length.
                let end = if message.event == EVENT_REMAP { start + len } else { end };
                self.note(start as usize, end as usize);
            }
            self.turns.fetch_add(1, Ordering::SeqCst);
        }
    }

    fn note(&self, start: usize, end: usize) {
        let mut unmapped = self.unmapped.lock();
        if unmapped.count == MOST_RANGES {
            // Nobody asks: everything counts as unmapped.
            (unmapped.ranges[0], unmapped.count) = ((0, usize::MAX), 1);
        }
        let count = unmapped.count;
        unmapped.ranges[count] = (start, end);
        unmapped.count += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::os::shm::PAGE;

    /// Pages of our own.
    fn map(at: usize, fixed: c_int) -> usize {
        let (prot, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | fixed);
        let at = core::ptr::with_exposed_provenance_mut(at);
        // SAFETY: a mapping at an address that is free, or that this test has unmapped.
        unsafe { libc::mmap(at, 4 * PAGE, prot, flags, -1, 0) }.expose_provenance()
    }

    #[test]
    fn memory_that_was_unmapped_and_mapped_again_is_told() {
        let Some(watch) = watch() else { return eprintln!("skipped: no userfaultfd") };
        let start = map(0, 0);
        assert!(watch.add(start, 4 * PAGE));
        for _ in 0..1000 {
            let before = watch.turns();
            // SAFETY: the mapping is this test's.
            unsafe { libc::munmap(core::ptr::with_exposed_provenance_mut(start), 4 * PAGE) };
            assert_ne!(watch.turns(), before, "munmap has returned before its event");
            let mut told = false;
            watch.take(|from, to| told |= from <= start && start + 4 * PAGE <= to);
            assert!(told);
            assert_eq!(map(start, libc::MAP_FIXED), start);
            assert!(watch.add(start, 4 * PAGE));
        }
        // SAFETY: as above.
        unsafe { libc::munmap(core::ptr::with_exposed_provenance_mut(start), 4 * PAGE) };
    }
}
