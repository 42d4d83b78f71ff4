//! Threads of this rank: a small index for each, which is reused after the thread ends, and the thread's state (in
//! a handler, holding locks) for the usage checks.

use core::cell::Cell;

use parking_lot::{Mutex, MutexGuard};

use crate::env;
use crate::fatal::{fatal, usage};
use crate::os::{process, thread_end};
use crate::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};

/// The upper limit on the number of threads of a rank (`GASNETI_MAX_THREADS`); `GASNET_MAX_THREADS` lowers it.
pub const MAX_THREADS: u32 = 256;

/// An index is owned from the first call of its thread until the last round of the thread's key destructors, so
/// that operations started by these belong to the thread. If a thread's first call is so late that no round is left
/// (or if the key could not be created), the index is reclaimed once the kernel does not know the thread any more.
struct Slot {
    /// The kernel's thread id; 0 while the index is free.
    tid: AtomicI32,
    /// The thread's key destructors have begun.
    ending: AtomicBool,
}

static SLOTS: [Slot; MAX_THREADS as usize] =
    [const { Slot { tid: AtomicI32::new(0), ending: AtomicBool::new(false) } }; MAX_THREADS as usize];
static LIVE: AtomicU32 = AtomicU32::new(0);
/// Threads of the library among them.
static APART: AtomicU32 = AtomicU32::new(0);
static INDICES: Mutex<Indices> = Mutex::new(Indices { given: 0, free: Vec::new(), ending: 0 });

struct Indices {
    /// Indices below this one have been used.
    given: u32,
    /// Used indices that are free.
    free: Vec<u32>,
    /// Indices of threads that are ending.
    ending: u32,
}

thread_local! {
    static INDEX: Cell<u32> = const { Cell::new(u32::MAX) };
    static HANDLERS: Cell<u32> = const { Cell::new(0) };
    /// An address on the stack below which the oldest of them runs.
    static HANDLERS_BELOW: Cell<usize> = const { Cell::new(0) };
}

/// A list for each index: owned by its thread, then by the next thread with that index.
pub(crate) struct Lists<T>([Mutex<Vec<T>>; MAX_THREADS as usize]);

impl<T> Lists<T> {
    #[allow(clippy::new_without_default)] // of statics only
    pub(crate) const fn new() -> Lists<T> {
        Lists([const { Mutex::new(Vec::new()) }; MAX_THREADS as usize])
    }

    /// This thread's list. Nothing that may run a handler is called while it is borrowed.
    pub(crate) fn mine(&self) -> MutexGuard<'_, Vec<T>> {
        self.0[index() as usize].lock()
    }
}

/// This thread's index, below [`MAX_THREADS`]; registers the thread at its first call.
#[inline]
pub(crate) fn index() -> u32 {
    match INDEX.get() {
        u32::MAX => register(),
        index => index,
    }
}

#[cold]
fn register() -> u32 {
    let limit = (limit() + APART.load(Ordering::Relaxed)).min(MAX_THREADS);
    let tid = process::thread_id();
    let mut indices = INDICES.lock();
    if indices.free.is_empty() && (indices.ending != 0 || indices.given >= limit) {
        indices.take_from_the_dead(tid, limit);
    }
    let index = indices.free.pop().unwrap_or_else(|| {
        indices.given += 1;
        indices.given - 1
    });
    if index >= limit {
        fatal!(
            "more than {} threads of one rank call GASNet at the same time; GASNET_MAX_THREADS (at most {MAX_THREADS}) is the limit",
            limit - APART.load(Ordering::Relaxed)
        );
    }
    SLOTS[index as usize].tid.store(tid, Ordering::Relaxed);
    LIVE.fetch_add(1, Ordering::Relaxed);
    drop(indices);
    INDEX.set(index);
    thread_end::at_end(ends);
    index
}

/// After a fork that this thread made: the child's only thread, which keeps its index, has another kernel id.
pub fn forked() {
    if let Some(slot) = SLOTS.get(INDEX.get() as usize) {
        slot.tid.store(process::thread_id(), Ordering::Relaxed);
    }
}

impl Indices {
    /// Frees the indices of threads that have died with them: those that were ending, or, where all up to `limit` are
    /// given, any. `tid` is the calling thread, which has none.
    fn take_from_the_dead(&mut self, tid: i32, limit: u32) {
        let all = self.given >= limit;
        for index in 0..self.given {
            let slot = &SLOTS[index as usize];
            let of = slot.tid.load(Ordering::Relaxed);
            if of != 0 && (all || slot.ending.load(Ordering::Relaxed)) && (of == tid || !process::has_thread(of)) {
                self.free(index);
            }
        }
    }

    fn free(&mut self, index: u32) {
        let slot = &SLOTS[index as usize];
        slot.tid.store(0, Ordering::Relaxed);
        self.ending -= u32::from(slot.ending.swap(false, Ordering::Relaxed));
        self.free.push(index);
        LIVE.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A round of this thread's key destructors.
fn ends() {
    // A handler may call exit(), which does not end a thread; when this thread ends, the handler's frame no longer exists.
    if HANDLERS.get() != 0 && here_on_stack() > HANDLERS_BELOW.get() {
        usage!("AM handler", "the thread that runs it ends inside it");
    }
    let index = INDEX.get();
    if index == u32::MAX {
        return;
    }
    let mut indices = INDICES.lock();
    if thread_end::rounds() < thread_end::ROUNDS {
        indices.ending += u32::from(!SLOTS[index as usize].ending.swap(true, Ordering::Relaxed));
        thread_end::at_end(ends);
    } else {
        INDEX.set(u32::MAX);
        indices.free(index);
    }
}

/// The maximum number of threads of the client registered at the same time.
pub(crate) fn limit() -> u32 {
    env::opt_int("GASNET_MAX_THREADS").map_or(MAX_THREADS, |limit| limit.clamp(1, i64::from(MAX_THREADS)) as u32)
}

/// This thread is the library's, and never ends: it counts neither as live, since it does not spin, nor towards the limit.
pub(crate) fn apart() {
    APART.fetch_add(1, Ordering::Relaxed);
    index();
    LIVE.fetch_sub(1, Ordering::Relaxed);
}

/// The number of registered threads that have not ended.
pub(crate) fn live() -> u32 {
    LIVE.load(Ordering::Relaxed).max(1)
}

/// Runs `f` marked as inside an AM handler of this thread.
pub(crate) fn in_handler<R>(f: impl FnOnce() -> R) -> R {
    if HANDLERS.replace(HANDLERS.get() + 1) == 0 {
        HANDLERS_BELOW.set(here_on_stack());
        // Threads with an index have registered `ends` already.
        if INDEX.get() == u32::MAX {
            thread_end::at_end(ends);
        }
    }
    let result = f();
    HANDLERS.set(HANDLERS.get() - 1);
    result
}

/// An address in the frame of the caller or near it.
#[inline(never)]
fn here_on_stack() -> usize {
    let local = 0u8;
    core::hint::black_box(&raw const local).addr()
}

/// The number of handlers on this thread's stack.
pub(crate) fn handler_depth() -> u32 {
    HANDLERS.get()
}
