//! Lines on stderr. A line is written completely, in one write, and names its process once that is known.

use crate::env::read::quiet;
use crate::os::process;
use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};

const NO_RANK: u32 = u32::MAX;
static RANK: AtomicU32 = AtomicU32::new(NO_RANK);

/// Makes `(proc rank)` part of every line from now on.
pub fn set_rank(rank: u32) {
    // Relaxed, here and in `rank`: no other memory depends on this word.
    RANK.store(rank, Ordering::Relaxed);
}

/// This process's rank in the job, after `set_rank`.
pub(crate) fn rank() -> Option<u32> {
    Some(RANK.load(Ordering::Relaxed)).filter(|&rank| rank != NO_RANK)
}

/// Writes bytes to stderr with as few writes as the kernel allows: usually one for a line.
/// Allocates nothing, so it may be called from a signal handler. A closed stderr is ignored; the wait for one that accepts
/// no bytes (a full pipe without a reader) ends after a second.
pub(crate) fn write_stderr(mut bytes: &[u8]) {
    const PATIENCE_MS: i32 = 1000;
    while !bytes.is_empty() && process::is_writable(nix::libc::STDERR_FILENO, PATIENCE_MS) {
        match nix::unistd::write(std::io::stderr(), bytes) {
            Ok(0) => return,
            Ok(n) => bytes = &bytes[n..],
            Err(nix::errno::Errno::EINTR) => {}
            Err(_) => return,
        }
    }
}

/// Writes `text` as a line to stderr.
pub fn line(text: &str) {
    write_stderr(format!("{text}\n").as_bytes());
}

/// Writes `text` as a line that begins with `mark` and the rank.
pub(crate) fn marked(mark: &str, text: fmt::Arguments<'_>) {
    line(&with_mark(mark, text));
}

/// The text of such a line.
pub(crate) fn with_mark(mark: &str, text: fmt::Arguments<'_>) -> String {
    match rank() {
        Some(rank) => format!("*** {mark} (proc {rank}): {text}"),
        None => format!("*** {mark}: {text}"),
    }
}

/// What `warn!` calls.
pub(crate) fn warning(text: fmt::Arguments<'_>) {
    if !quiet() {
        marked("WARNING", text);
    }
}

/// What `note!` calls.
pub(crate) fn noted(text: fmt::Arguments<'_>) {
    marked("NOTE", text);
}
