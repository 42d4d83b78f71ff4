//! The limit on open files, which the library raises for itself, and starting a process that inherits neither the raised
//! limit nor the blocked signals of this process.
//!
//! # Safety
//! Every call passes values that live until it returns. Code between fork and exec makes system calls only.
#![allow(unsafe_code)]

use super::signal::Mask;
use libc::rlimit;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::OnceLock;

/// The limit on open files that this process had before it was raised.
static BEFORE: OnceLock<rlimit> = OnceLock::new();

fn files() -> Option<rlimit> {
    let mut limit = rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` lives here.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) } == 0;
    known.then_some(limit)
}

fn set_files(limit: &rlimit) -> io::Result<()> {
    // SAFETY: a live struct.
    match unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, limit) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Files that are open in this process now.
pub(crate) fn open_files() -> u64 {
    const TYPICAL: u64 = 16;
    // The open directory is one of them.
    std::fs::read_dir("/proc/self/fd").map_or(TYPICAL, |files| files.count() as u64 - 1)
}

/// Raises the limit on open files to `wanted` as far as the hard limit allows, and returns the resulting limit.
pub(crate) fn allow_files(wanted: u64) -> u64 {
    let Some(limit) = files() else { return u64::MAX };
    if limit.rlim_cur >= wanted {
        return limit.rlim_cur;
    }
    let _ = BEFORE.set(limit);
    let raised = rlimit { rlim_cur: wanted.min(limit.rlim_max), ..limit };
    set_files(&raised).map_or(limit.rlim_cur, |()| raised.rlim_cur)
}

/// Raises the limit so that `more` files can be opened besides those that are open now. A launcher may leave hundreds
/// open in each rank, so they are counted only where the size of the table of open files, which bounds their number, is
/// too close to the limit.
pub(crate) fn allow_more_files(more: u64) {
    let is_far = |limit: rlimit| table_of_files().is_some_and(|size| size + more <= limit.rlim_cur);
    if !files().is_some_and(is_far) {
        allow_files(open_files() + more);
    }
}

/// The number of entries in the kernel's table of this process's open files, of which some are free.
fn table_of_files() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("FDSize:"))?.trim().parse().ok()
}

/// Undoes `allow_files`, for programs that use `select`, except that `spare` more files may be opened than are open now.
pub(crate) fn disallow_files(spare: u64) {
    let (Some(before), Some(now)) = (BEFORE.get(), files()) else { return };
    let soft = before.rlim_cur.max(open_files() + spare);
    if soft < now.rlim_cur {
        // A limit that remains too high is harmless here.
        let _ = set_files(&rlimit { rlim_cur: soft, ..now });
    }
}

/// Starts `command`, blocking `mask`, with the limit on open files that this process had before it raised that.
pub(crate) fn spawn(command: &mut Command, mask: Mask) -> io::Result<Child> {
    let files = BEFORE.get().copied();
    let prepare = move || {
        mask.restore();
        files.as_ref().map_or(Ok(()), set_files)
    };
    // SAFETY: two system calls, which use copies that the child has.
    unsafe { command.pre_exec(prepare) };
    command.spawn()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_room_for_all_open_files() {
        let _files: Vec<_> = (0..300).map_while(|_| std::fs::File::open("/dev/null").ok()).collect();
        assert!(table_of_files().unwrap() >= open_files());
    }
}
