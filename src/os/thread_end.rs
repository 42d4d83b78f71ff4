//! Hooks that run when a thread ends. No thread-local of this library has a destructor: it would run before the client's
//! key destructors and, on the main thread, before `atexit` functions, all of which may still communicate. One pthreads
//! key takes their place. Its destructor runs in the same rounds as those of the client's keys, and not at all in a thread
//! that calls exit().
//!
//! # Safety
//! The key is made once and never deleted; its values are no pointers to anything.
#![allow(unsafe_code)]

use core::cell::Cell;
use core::ffi::c_void;
use std::sync::OnceLock;

/// Hooks of a thread; the library has seven in all.
const MOST: usize = 8;

/// Rounds in which pthreads runs the destructors of keys that have a value again (`PTHREAD_DESTRUCTOR_ITERATIONS`
/// of Linux's C libraries). ThreadSanitizer discards its state of the thread in the last round, after which instrumented code crashes: its
/// build leaves that round out.
pub(crate) const ROUNDS: u32 = if cfg!(gasnet_tsan) { 3 } else { 4 };

type Asked = Cell<Option<fn()>>;

static KEY: OnceLock<Option<libc::pthread_key_t>> = OnceLock::new();

thread_local! {
    static ASKED: [Asked; MOST] = const { [const { Cell::new(None) }; MOST] };
    /// Rounds that have begun.
    static CAME: Cell<u32> = const { Cell::new(0) };
}

/// Runs `hook` on this thread in the next round of its key destructors, once. A hook that is needed in the following round
/// registers itself again. There are at most [`ROUNDS`]; a hook registered in the last one does not run.
pub(crate) fn at_end(hook: fn()) {
    let is_new = ASKED.with(|asked| {
        let slot = asked.iter().find(|slot| slot.get().is_none_or(|other| core::ptr::fn_addr_eq(other, hook)));
        slot.unwrap_or_else(|| unreachable!("more hooks than MOST")).replace(Some(hook)).is_none()
    });
    if is_new {
        arm();
    }
}

/// Rounds of this thread's key destructors in which something was run here.
pub(crate) fn rounds() -> u32 {
    CAME.get()
}

fn arm() {
    let key = *KEY.get_or_init(|| {
        let mut key = 0;
        // SAFETY: `key` is written; the destructor takes any value.
        let made = unsafe { libc::pthread_key_create(&mut key, Some(round)) } == 0;
        made.then_some(key)
    });
    // Without a key (a process may have 1024) no hook runs; thread.rs finds dead threads by their kernel ids.
    if let Some(key) = key {
        // SAFETY: the key exists; any value but null has its destructor called.
        unsafe { libc::pthread_setspecific(key, core::ptr::without_provenance(1)) };
    }
}

extern "C" fn round(_: *mut c_void) {
    CAME.set(CAME.get() + 1);
    let asked: [Option<fn()>; MOST] = ASKED.with(|asked| core::array::from_fn(|at| asked[at].take()));
    for hook in asked.into_iter().flatten() {
        hook();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::atomic::{AtomicU32, Ordering};

    static CALLS: AtomicU32 = AtomicU32::new(0);

    fn again() {
        CALLS.fetch_add(1, Ordering::Relaxed);
        at_end(again);
    }

    #[test]
    fn a_hook_that_asks_again_runs_in_every_round() {
        std::thread::spawn(|| at_end(again)).join().unwrap();
        assert_eq!(CALLS.load(Ordering::Relaxed), ROUNDS);
    }

    #[test]
    fn a_hook_that_is_asked_for_twice_runs_once() {
        static ONCE: AtomicU32 = AtomicU32::new(0);
        fn count() {
            ONCE.fetch_add(1, Ordering::Relaxed);
        }
        std::thread::spawn(|| [at_end(count), at_end(count)]).join().unwrap();
        assert_eq!(ONCE.load(Ordering::Relaxed), 1);
    }
}
