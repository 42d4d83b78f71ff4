//! The rules of handler-safe locks and no-interrupt sections, checked in debug clients: what each thread holds,
//! in which order, and since when. The lock itself is in abi/hsl.rs.

use core::cell::{Cell, RefCell};

use crate::fatal::{place, usage, warn};
use crate::os::process;
use crate::os::sleep::now_ns;
use crate::thread;

const WARN_AFTER_NS: u64 = 1_000_000_000;

/// A lock this thread holds.
struct Taken {
    /// Address of the lock.
    lock: usize,
    /// Handlers on the stack when it was taken.
    depth: u32,
    since_ns: u64,
}

#[derive(Default)]
struct Held {
    /// Oldest first.
    locks: RefCell<Vec<Taken>>,
    /// When hold_interrupts was called; 0 outside a section.
    section_ns: Cell<u64>,
}

impl Drop for Held {
    fn drop(&mut self) {
        // The first thread ends with the process, which exit() may end anywhere.
        if process::thread_id() == process::pid() {
            return;
        }
        if let Some(taken) = self.locks.borrow().last() {
            usage!(hsl, "thread exit", "the lock {:#x} is still held by the thread that ends", taken.lock);
        }
        if self.section_ns.get() != 0 {
            usage!(hsl, "thread exit", "the thread ends in a no-interrupt section (after gasnet_hold_interrupts)");
        }
    }
}

thread_local! {
    static HELD: Held = Held::default();
}

/// Nothing may be held at a call that communicates.
pub fn check_none_held(call: &str) {
    HELD.with(|held| {
        if !held.locks.borrow().is_empty() {
            usage!(hsl, call, "called while holding a handler-safe lock");
        }
        if held.section_ns.get() != 0 && thread::handler_depth() == 0 {
            usage!(hsl, call, "called in a no-interrupt section (after gasnet_hold_interrupts)");
        }
    });
}

/// A handler, still on the stack, is about to return: it must have released what it took.
pub fn check_handler_return(index: u8) {
    let depth = thread::handler_depth();
    if HELD.with(|held| held.locks.borrow().iter().any(|taken| taken.depth == depth)) {
        usage!(hsl, "AM handler", "handler {index} returns while holding a handler-safe lock");
    }
}

/// This thread has just taken `lock`.
pub fn taken(lock: usize) {
    let depth = thread::handler_depth();
    HELD.with(|held| held.locks.borrow_mut().push(Taken { lock, depth, since_ns: now_ns() }));
}

/// The lock is not recursive.
pub fn check_not_mine(call: &str, lock: usize) {
    if HELD.with(|held| held.locks.borrow().iter().any(|taken| taken.lock == lock)) {
        usage!(hsl, call, "the lock {lock:#x} is already held by this thread (locks are not recursive)");
    }
}

/// This thread is about to release `lock`: it must be the last it took.
pub fn released(call: &str, lock: usize) {
    let taken = HELD.with(|held| {
        let mut locks = held.locks.borrow_mut();
        match locks.iter().rposition(|taken| taken.lock == lock) {
            None => usage!(hsl, call, "the lock {lock:#x} is not held by this thread"),
            Some(at) if at + 1 != locks.len() => {
                usage!(hsl, call, "the lock {lock:#x} is released out of order: one taken later is still held")
            }
            Some(at) => locks.swap_remove(at),
        }
    });
    warn_if_long(call, format_args!("the lock {lock:#x} was held"), taken.since_ns);
}

fn ignores_sections(held: &Held) -> bool {
    thread::handler_depth() != 0 || !held.locks.borrow().is_empty()
}

/// gasnet_hold_interrupts: ignored in handlers and under a lock.
pub fn hold() {
    HELD.with(|held| {
        if !ignores_sections(held) && held.section_ns.replace(now_ns().max(1)) != 0 {
            usage!(hsl, "gasnet_hold_interrupts", "interrupts are already held; sections do not nest");
        }
    });
}

/// gasnet_resume_interrupts: ignored where `hold` is.
pub fn resume() {
    HELD.with(|held| {
        if ignores_sections(held) {
            return;
        }
        match held.section_ns.replace(0) {
            0 => usage!(hsl, "gasnet_resume_interrupts", "interrupts are not held"),
            since_ns => warn_if_long("gasnet_resume_interrupts", format_args!("interrupts were held"), since_ns),
        }
    });
}

fn warn_if_long(call: &str, what: core::fmt::Arguments<'_>, since_ns: u64) {
    let ns = now_ns().saturating_sub(since_ns);
    if ns > WARN_AFTER_NS {
        warn!("HSL USAGE WARNING: {call}: {what} for {:.1} s{}", ns as f64 / 1e9, place());
    }
}
