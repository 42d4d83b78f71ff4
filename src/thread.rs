//! Threads of this rank: a small index for each, recycled when the thread ends, and what the thread is doing
//! (in a handler, holding locks) for the usage checks.

use core::cell::Cell;

use parking_lot::Mutex;

use crate::env;
use crate::fatal::{fatal, usage};
use crate::sync::atomic::{AtomicU32, Ordering};

/// More threads than this a rank never has (`GASNETI_MAX_THREADS`); `GASNET_MAX_THREADS` lowers it.
pub const MAX_THREADS: u32 = 256;

static LIVE: AtomicU32 = AtomicU32::new(0);
static FREE: Mutex<(u32, Vec<u32>)> = Mutex::new((0, Vec::new()));

struct Registration {
    index: Cell<u32>,
    handlers: Cell<u32>,
    /// A place on the stack below which the oldest of them runs.
    handlers_below: Cell<usize>,
}

thread_local! {
    static HERE: Registration = const { Registration { index: Cell::new(u32::MAX), handlers: Cell::new(0), handlers_below: Cell::new(0) } };
}

impl Drop for Registration {
    fn drop(&mut self) {
        let index = self.index.get();
        // A handler may call exit(), which ends the thread, too, but from within the handler.
        if self.handlers.get() != 0 && here_on_stack() > self.handlers_below.get() {
            usage!("AM handler", "the thread that runs it ends inside it");
        }
        if index != u32::MAX {
            FREE.lock().1.push(index);
            LIVE.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// This thread's index, below [`MAX_THREADS`]; registers the thread at its first call.
pub fn index() -> u32 {
    HERE.with(|here| {
        if here.index.get() == u32::MAX {
            here.index.set(register());
        }
        here.index.get()
    })
}

fn register() -> u32 {
    let limit = limit();
    let mut free = FREE.lock();
    let index = free.1.pop().unwrap_or_else(|| {
        free.0 += 1;
        free.0 - 1
    });
    if index >= limit {
        fatal!(
            "more than {limit} threads of one rank call GASNet at the same time; GASNET_MAX_THREADS (at most {MAX_THREADS}) is the limit"
        );
    }
    LIVE.fetch_add(1, Ordering::Relaxed);
    index
}

/// How many threads may be registered at the same time.
pub fn limit() -> u32 {
    env::opt_int("GASNET_MAX_THREADS").map_or(MAX_THREADS, |limit| limit.clamp(1, i64::from(MAX_THREADS)) as u32)
}

/// Registered threads that have not ended.
pub fn live() -> u32 {
    LIVE.load(Ordering::Relaxed).max(1)
}

/// Runs `f` marked as inside an AM handler of this thread.
pub fn in_handler<R>(f: impl FnOnce() -> R) -> R {
    HERE.with(|here| {
        if here.handlers.replace(here.handlers.get() + 1) == 0 {
            here.handlers_below.set(here_on_stack());
        }
    });
    let result = f();
    HERE.with(|here| here.handlers.set(here.handlers.get() - 1));
    result
}

/// An address in the frame of the caller or near it.
#[inline(never)]
fn here_on_stack() -> usize {
    let local = 0u8;
    core::hint::black_box(&raw const local).addr()
}

/// How many handlers are on this thread's stack.
pub fn handler_depth() -> u32 {
    HERE.with(|here| here.handlers.get())
}
