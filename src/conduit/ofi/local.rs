//! Local memory of transfers: registered segments, and other memory, which is pinned under a budget where the provider demands registration.

use super::port::CheckedPort;
use crate::conduit::shared::slab::Slab;
use crate::firehose::Pages;
use crate::firehose::regions::{PinRef, Pinner, Regions};
use crate::os::unmaps;
use crate::shims::ofi::{OfiMemory, access};

/// What holds the registration of a transfer's local memory until it is complete.
#[derive(Clone, Copy)]
pub(crate) enum Pin {
    Not,
    Held(PinRef),
}

/// A registered segment of this rank, or a piece of one.
pub(crate) struct OwnMemory {
    pub start: usize,
    pub bytes: usize,
    pub memory: OfiMemory,
    /// The next piece of the same segment.
    pub next: Option<u32>,
}

impl OwnMemory {
    fn holds(&self, at: usize, len: usize) -> bool {
        at >= self.start && at - self.start <= self.bytes && len <= self.bytes - (at - self.start)
    }
}

pub(crate) struct LocalMemory {
    pub own: Slab<OwnMemory>,
    pub regions: Regions<OfiMemory>,
}

impl Pinner for CheckedPort {
    type Pinned = OfiMemory;

    fn pin(&mut self, pages: Pages, remote: bool, writable: bool) -> Option<OfiMemory> {
        let access = match (remote, writable) {
            (true, _) => access::LOCAL | access::REMOTE,
            (false, true) => access::LOCAL,
            (false, false) => access::LOCAL_SOURCE,
        };
        let (start, bytes) = pages.bytes();
        self.add_memory(start, bytes, access).ok()
    }

    fn unpin(&mut self, memory: OfiMemory) {
        self.end_memory(&memory);
    }

    fn watch(&mut self, pages: Pages) -> bool {
        let (start, bytes) = pages.bytes();
        unmaps::watch().is_some_and(|watch| watch.add(start, bytes))
    }

    #[inline]
    fn unmapped(&mut self, gone: &mut dyn FnMut(Pages)) {
        if let Some(watch) = unmaps::watch() {
            if watch.turns() != self.turns {
                self.turns = watch.take(|start, end| gone(Pages::of(start, end - start)));
            }
        }
    }
}

impl LocalMemory {
    /// The descriptor of `len` bytes at `at`, and what holds it. None: the memory is not registered, and the bytes have to be copied.
    #[inline]
    pub(crate) fn pin(&mut self, port: &mut CheckedPort, at: usize, len: usize, is_source: bool) -> Option<(u64, Pin)> {
        if !port.needs_local() {
            return Some((0, Pin::Not));
        }
        if let Some(own) = self.own.iter().find(|own| own.holds(at, len)) {
            return Some((own.memory.descriptor, Pin::Not));
        }
        let (pin, memory) = self.regions.acquire(port, Pages::of(at, len), !is_source)?;
        Some((memory.descriptor, Pin::Held(pin)))
    }

    #[inline]
    pub(crate) fn unpin(&mut self, port: &mut CheckedPort, pin: Pin) {
        if let Pin::Held(pin) = pin {
            self.regions.release(port, pin);
        }
    }
}
