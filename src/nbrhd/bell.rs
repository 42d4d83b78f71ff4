//! Bells. A rank's bell is the pair of words in shared memory by which other threads and ranks wake the rank's
//! sleeping threads; to ring it is to wake them. A thread announces itself (`arm`), looks for work once more, and
//! then sleeps; a thread with work for the rank publishes it and then checks for sleepers. The waiter's heavy barrier
//! and the publisher's light one order each side's store before its load, so that one of the two sees the other.

use core::ffi::c_int;
use std::sync::OnceLock;

use crate::defs::rank::HostRank;
use crate::os::sleep;
use crate::sync::atomic::{AtomicU32, Ordering};

/// Bit of `sleepers` of a rank that has died: a thread that rings its bell takes the slow path and finds it.
const DEAD: u32 = 1 << 31;

/// Sleepers of one rank, and the word they sleep on. Lies in shared memory, zero at first.
#[repr(C)]
#[derive(Default)]
pub(crate) struct Bell {
    /// Counts wake-ups; the futex word.
    events: AtomicU32,
    /// Threads of the rank that sleep or are about to; `DEAD` if it has died.
    sleepers: AtomicU32,
    /// If sleepers also wait for a network: 1 + the index on its host of the rank on whose descriptor they sleep; each
    /// process finds its own number for that descriptor in `DESCRIPTORS`. 0 if threads sleep on the futex only.
    network: AtomicU32,
}

/// By rank of the host, the descriptors that wake sleepers; not set where no rank uses a network.
static DESCRIPTORS: OnceLock<Box<[c_int]>> = OnceLock::new();

/// `descriptors` are this process's, by rank of the host. Called before any bell is used.
pub(crate) fn keep(descriptors: &[c_int]) {
    let _ = DESCRIPTORS.set(descriptors.into());
}

/// The descriptor for the value `network` of a bell, which is not 0.
fn descriptor(network: u32) -> c_int {
    DESCRIPTORS.get().and_then(|all| all.get(network as usize - 1)).copied().unwrap_or(-1)
}

impl Bell {
    /// Threads of the rank, which is `here` on its host, will sleep on its descriptor and a network. Called before
    /// any thread sleeps.
    pub(crate) fn with_network(&self, here: HostRank) {
        self.network.store(here.0 + 1, Ordering::Relaxed);
    }

    /// Announces a sleeper; returns the argument for `sleep`. The caller then looks for work once more: a thread that
    /// published work before this call did not see the sleeper.
    pub(crate) fn arm(&self) -> u32 {
        let seen = self.events.load(Ordering::Acquire);
        self.sleepers.fetch_add(1, Ordering::SeqCst);
        sleep::heavy_barrier();
        seen
    }

    /// Withdraws the announcement of `arm`.
    pub(crate) fn disarm(&self) {
        self.sleepers.fetch_sub(1, Ordering::Relaxed);
    }

    /// Sleeps until woken or `ns` passed.
    pub(crate) fn sleep(&self, seen: u32, ns: u64) {
        sleep::futex_wait(&self.events, seen, ns);
    }

    /// As `sleep`, but `wait` does the sleep: until its argument, a descriptor, can be read, or another cause. Returns its result; false
    /// if there was no need to sleep.
    pub(crate) fn sleep_in(&self, seen: u32, wait: impl FnOnce(c_int) -> bool) -> bool {
        // Acquire: with the Release in `wake`.
        if self.events.load(Ordering::Acquire) != seen {
            return false;
        }
        let fd = descriptor(self.network.load(Ordering::Relaxed));
        let result = wait(fd);
        sleep::take_bell(fd);
        result
    }

    /// Whether a thread sleeps, or is about to after one more look for work. A thread that looked for work before the
    /// caller's last store is counted. `heavy_exists` as in `sleep::light_barrier`.
    #[inline]
    pub(crate) fn has_sleepers(&self, heavy_exists: bool) -> bool {
        sleep::light_barrier(heavy_exists);
        self.sleepers.load(Ordering::Relaxed) != 0
    }

    /// Work was published: wakes threads that sleep. True if the rank has died.
    #[inline]
    pub(crate) fn ring(&self, heavy_exists: bool) -> bool {
        self.has_sleepers(heavy_exists) && self.wake()
    }

    /// Marks the rank dead. A thread that rings the bell later learns of the death; stores of a thread that rang it before
    /// are visible to the caller.
    pub(crate) fn bury(&self) {
        self.sleepers.fetch_or(DEAD, Ordering::SeqCst);
        // Pairs with the light barrier in `has_sleepers`.
        sleep::heavy_barrier();
    }

    #[cold]
    fn wake(&self) -> bool {
        let sleepers = self.sleepers.load(Ordering::Relaxed);
        if sleepers & DEAD != 0 {
            return true;
        }
        // Release: with the Acquire in `arm` and `sleep_in`; the woken thread sees the published work.
        self.events.fetch_add(1, Ordering::Release);
        match self.network.load(Ordering::Relaxed) {
            0 => sleep::futex_wake_all(&self.events),
            network => sleep::ring_bell(descriptor(network), sleepers),
        }
        false
    }
}
