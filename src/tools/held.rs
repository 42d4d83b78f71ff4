//! Which locks of a debug client the calling thread holds, and since where: enough to name every misuse of a
//! lock that is not recursive and belongs to its thread.

use crate::fatal::{self, usage};
use crate::sync::lent::{Lent, LentPool};
use std::cell::Cell;
use std::ffi::CStr;

/// How a lock is held.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    Mutex,
    Read,
    Write,
}

impl Mode {
    fn text(self) -> &'static str {
        match self {
            Mode::Mutex => "locked",
            Mode::Read => "locked for reading",
            Mode::Write => "locked for writing",
        }
    }
}

/// Where a client calls from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallSite {
    pub file: &'static CStr,
    pub line: u32,
}

impl CallSite {
    pub(crate) fn words(&self) -> (&'static str, u32) {
        (self.file.to_str().unwrap_or("?"), self.line)
    }
}

impl std::fmt::Display for CallSite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file.to_string_lossy(), self.line)
    }
}

struct LockRecord {
    lock: usize,
    mode: Mode,
    since: CallSite,
}

static POOL: LentPool<Vec<LockRecord>> = LentPool::new();

thread_local! {
    static HELD: Cell<Option<Lent<Vec<LockRecord>>>> = const { Cell::new(None) };
}

/// Runs `f` on this thread's list.
fn with<R>(f: impl FnOnce(&mut Vec<LockRecord>) -> R) -> R {
    f(&mut POOL.mine(&HELD, ends).lock())
}

/// A round of this thread's key destructors.
fn ends() {
    let _ = POOL.round(&HELD, ends);
}

fn find(lock: usize) -> Option<(Mode, CallSite)> {
    with(|held| held.iter().find(|h| h.lock == lock).map(|h| (h.mode, h.since)))
}

/// `call` is about to acquire `lock`, or asserts that it does not hold it.
pub(crate) fn want_free(call: &str, lock: usize, here: CallSite) {
    if let Some((mode, since)) = find(lock) {
        fatal::at(here.file, here.line);
        usage!(call, "this thread has lock {lock:#x} {} since {since}", mode.text());
    }
}

/// `call` needs `lock` held in one of `modes`.
pub(crate) fn want_held(call: &str, lock: usize, modes: &[Mode], here: CallSite) {
    let found = find(lock);
    if found.is_some_and(|(mode, _)| modes.contains(&mode)) {
        return;
    }
    fatal::at(here.file, here.line);
    match found {
        Some((mode, since)) => {
            usage!(call, "this thread has lock {lock:#x} {} since {since}, not {}", mode.text(), modes[0].text())
        }
        None => usage!(call, "lock {lock:#x} is not {} by this thread", modes[0].text()),
    }
}

/// `lock` has been acquired.
pub(crate) fn acquired(lock: usize, mode: Mode, here: CallSite) {
    with(|held| held.push(LockRecord { lock, mode, since: here }));
}

/// `lock` is being released, or made anew.
pub(crate) fn released(lock: usize) {
    with(|held| held.retain(|h| h.lock != lock));
}

/// Ends the job if the pthreads function `call` failed.
pub(crate) fn want_ok(call: &str, lock: usize, error: i32, here: CallSite) {
    if error != 0 {
        fatal::at(here.file, here.line);
        usage!(call, "lock {lock:#x}: {}", std::io::Error::from_raw_os_error(error));
    }
}
