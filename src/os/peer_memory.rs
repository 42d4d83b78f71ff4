//! CMA: the kernel copies to and from the memory of another process of this user. Whether it permits that depends on its
//! settings and on the processes' ancestry; for memory that is not mapped there, or not for that access, it returns EFAULT.
//!
//! # Safety
//! Local memory is passed as views, whose creators promised that it stays; the kernel checks the other process's memory.
//! The descriptions of both live until each call returns.
#![allow(unsafe_code)]

use libc::{c_int, c_ulong, iovec, pid_t};

use super::process;
use crate::mem::{Dst, RemoteAddr, Src};
use crate::sync::atomic::{AtomicI32, Ordering};

/// The maximum number of pieces of either side in one call (UIO_MAXIOV).
const MOST_PIECES: usize = 1024;

/// Bytes of the pattern that `fill` writes repeatedly.
const PATTERN: usize = 64 << 10;

/// The process whose descendants may access this one's memory, besides this one's ancestors; 0 if there is none.
static LET_IN: AtomicI32 = AtomicI32::new(0);

/// Every process of this user (PR_SET_PTRACER_ANY).
pub(crate) const ANYBODY: pid_t = -1;

/// Permits `pid` and its descendants to access this process's memory, where a security module (Yama) would deny it.
pub(crate) fn let_in(pid: pid_t) {
    LET_IN.store(pid, Ordering::Relaxed);
    let_in_again();
}

/// Restores the setting of `let_in` after a debugger was permitted.
pub(crate) fn let_in_again() {
    let pid = LET_IN.load(Ordering::Relaxed) as c_ulong;
    // Without Yama the kernel does not have this request, and does not need it.
    // SAFETY: changes a flag of this process only.
    unsafe { libc::prctl(libc::PR_SET_PTRACER, pid, 0 as c_ulong, 0 as c_ulong, 0 as c_ulong) };
}

/// The reason why a copy stopped, and the addresses of the first byte that was not copied, here and there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CopyStop {
    pub errno: c_int,
    pub here: usize,
    pub there: usize,
}

/// The direction of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Write,
    Read,
}

fn piece(at: usize, len: usize) -> iovec {
    iovec { iov_base: std::ptr::with_exposed_provenance_mut(at), iov_len: len }
}

/// Removes `bytes` bytes from the front of the pieces of `list` from `from` on; returns the first piece left.
fn skip(list: &mut [iovec], mut from: usize, mut bytes: usize) -> usize {
    while let Some(first) = list.get_mut(from) {
        if bytes < first.iov_len {
            *first = piece(first.iov_base.expose_provenance() + bytes, first.iov_len - bytes);
            break;
        }
        bytes -= first.iov_len;
        from += 1;
    }
    from
}

/// Copies the bytes of `here` to those of `there` in process `pid`, or in the other direction. Both have the same number of
/// bytes, and no piece is empty.
fn copy(pid: pid_t, way: Way, here: &mut [iovec], there: &mut [iovec]) -> Result<(), CopyStop> {
    let (mut at, mut to) = (0, 0);
    while at < here.len() && to < there.len() {
        let (ours, theirs) = (&here[at..], &there[to..]);
        let (ours_len, theirs_len) = (ours.len() as c_ulong, theirs.len() as c_ulong);
        let call = match way {
            Way::Write => libc::process_vm_writev,
            Way::Read => libc::process_vm_readv,
        };
        // SAFETY: the module's paragraph.
        let copied = unsafe { call(pid, ours.as_ptr(), ours_len, theirs.as_ptr(), theirs_len, 0) };
        if copied <= 0 {
            let errno = if copied == 0 { libc::EFAULT } else { process::errno() };
            return Err(CopyStop { errno, here: ours[0].iov_base.addr(), there: theirs[0].iov_base.addr() });
        }
        // Less than requested: up to the first unmapped page, or the maximum that the kernel copies in one call.
        at = skip(here, at, copied as usize);
        to = skip(there, to, copied as usize);
    }
    Ok(())
}

/// Copies `src` to `dst` in process `pid`.
pub(crate) fn write(pid: pid_t, dst: RemoteAddr, src: Src<'_>) -> Result<(), CopyStop> {
    one(pid, Way::Write, src.as_ptr().expose_provenance(), dst, src.len())
}

/// Copies from `src` in process `pid` to `dst`.
pub(crate) fn read(pid: pid_t, dst: Dst<'_>, src: RemoteAddr) -> Result<(), CopyStop> {
    one(pid, Way::Read, dst.as_ptr().expose_provenance(), src, dst.len())
}

fn one(pid: pid_t, way: Way, here: usize, there: RemoteAddr, len: usize) -> Result<(), CopyStop> {
    if len == 0 {
        return Ok(());
    }
    copy(pid, way, &mut [piece(here, len)], &mut [piece(there.0, len)])
}

/// Sets `len` bytes at `dst` in process `pid`.
pub(crate) fn fill(pid: pid_t, dst: RemoteAddr, byte: u8, len: usize) -> Result<(), CopyStop> {
    let pattern = vec![byte; PATTERN.min(len)];
    let whole = piece(pattern.as_ptr().expose_provenance(), pattern.len());
    for from in (0..len).step_by(PATTERN * MOST_PIECES) {
        let part = (PATTERN * MOST_PIECES).min(len - from);
        let mut here = vec![whole; part.div_ceil(PATTERN)];
        if let Some(last) = here.last_mut() {
            last.iov_len = part - (part - 1) / PATTERN * PATTERN;
        }
        copy(pid, Way::Write, &mut here, &mut [piece(dst.0 + from, part)])?;
    }
    Ok(())
}

/// Pieces of this process and of another one, in the order in which their bytes belong together.
pub(crate) struct Runs {
    here: Vec<iovec>,
    there: Vec<iovec>,
}

impl Runs {
    pub(crate) fn new(about: usize) -> Runs {
        let room = || Vec::with_capacity(about.min(MOST_PIECES));
        Runs { here: room(), there: room() }
    }

    /// Adds `len` bytes (not 0) at `here` in this process, which stay until the copy, and at `there` in the other process.
    /// True: the list is full now.
    pub(crate) fn push(&mut self, here: usize, there: usize, len: usize) -> bool {
        join(&mut self.here, here, len);
        join(&mut self.there, there, len);
        self.here.len().max(self.there.len()) == MOST_PIECES
    }

    /// Copies them; the list is empty afterwards.
    pub(crate) fn copy(&mut self, pid: pid_t, way: Way) -> Result<(), CopyStop> {
        let copied = copy(pid, way, &mut self.here, &mut self.there);
        self.here.clear();
        self.there.clear();
        copied
    }
}

/// Adds `len` bytes at `at`: to the last piece if they follow it.
fn join(list: &mut Vec<iovec>, at: usize, len: usize) {
    match list.last_mut() {
        Some(last) if last.iov_base.addr() + last.iov_len == at => last.iov_len += len,
        _ => list.push(piece(at, len)),
    }
}

/// The kind of memory at an address of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// Memory with these rights, by its line in the process's map.
    Mapped {
        readable: bool,
        writable: bool,
        line: String,
    },
    /// Nothing, but the process's stack grows to this address when it is used.
    Stack,
    Nothing,
}

/// The kind of memory at `at` of process `pid`; None if it cannot be determined.
pub(crate) fn look(pid: pid_t, at: usize) -> Option<Found> {
    let map = std::fs::read_to_string(format!("/proc/{pid}/maps")).ok()?;
    Some(find(&map, at))
}

fn find(map: &str, at: usize) -> Found {
    for line in map.lines() {
        let mut words = line.split_whitespace();
        let Some((start, end)) = words.next().and_then(|range| range.split_once('-')) else { continue };
        let (Ok(start), Ok(end)) = (usize::from_str_radix(start, 16), usize::from_str_radix(end, 16)) else { continue };
        if at >= end {
            continue;
        }
        if at < start {
            let room = stack_limit();
            return if line.ends_with("[stack]") && end - at <= room { Found::Stack } else { Found::Nothing };
        }
        let rights = words.next().unwrap_or("");
        // Between the two: offset, device and inode.
        let line = [rights, words.nth(3).unwrap_or("")].join(" ").trim_end().to_owned();
        return Found::Mapped { readable: rights.contains('r'), writable: rights.contains('w'), line };
    }
    Found::Nothing
}

/// The maximum size of a stack.
fn stack_limit() -> usize {
    nix::sys::resource::getrlimit(nix::sys::resource::Resource::RLIMIT_STACK).map_or(0, |(soft, _)| soft as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn me() -> pid_t {
        process::pid()
    }

    #[test]
    fn runs_are_copied_however_they_are_cut() {
        let from: Vec<u8> = (0..20_000u32).map(|at| (at * 7) as u8).collect();
        let mut to = vec![0u8; from.len()];
        let (here, there) = (from.as_ptr().expose_provenance(), to.as_mut_ptr().expose_provenance());
        let mut runs = Runs::new(10);
        // Odd bytes to their places, even bytes behind them.
        for at in (0..from.len()).step_by(2) {
            if runs.push(here + at, there + at / 2, 1) {
                runs.copy(me(), Way::Write).unwrap();
            }
            if runs.push(here + at + 1, there + from.len() / 2 + at / 2, 1) {
                runs.copy(me(), Way::Write).unwrap();
            }
        }
        runs.copy(me(), Way::Write).unwrap();
        for at in 0..from.len() / 2 {
            assert_eq!((to[at], to[from.len() / 2 + at]), (from[2 * at], from[2 * at + 1]));
        }
    }

    #[test]
    fn fill_sets_all_bytes_and_no_other() {
        for len in [1, PATTERN - 1, PATTERN, PATTERN + 1, PATTERN * 5] {
            let mut bytes = vec![0u8; len + 2];
            let at = RemoteAddr(bytes.as_mut_ptr().expose_provenance() + 1);
            fill(me(), at, 9, len).unwrap();
            assert_eq!((bytes[0], bytes[len + 1]), (0, 0));
            assert!(bytes[1..=len].iter().all(|&byte| byte == 9));
        }
    }

    #[test]
    fn what_is_not_mapped_is_named_by_its_first_byte() {
        let byte = [1u8];
        let stop = write(me(), RemoteAddr(64), Src::of(&byte)).unwrap_err();
        assert_eq!((stop.errno, stop.there), (libc::EFAULT, 64));
        assert_eq!(look(me(), 64), Some(Found::Nothing));
    }

    #[test]
    fn the_map_tells_rights_and_the_stack() {
        let map =
            "1000-2000 r--p 0 00:00 7    /lib/x.so\n3000-4000 rw-p 0 00:00 0\n7fff000-8000000 rw-p 0 00:00 0 [stack]\n";
        let mapped = |readable, writable, line: &str| Found::Mapped { readable, writable, line: line.to_owned() };
        assert_eq!(find(map, 0x1fff), mapped(true, false, "r--p /lib/x.so"));
        assert_eq!(find(map, 0x2000), Found::Nothing);
        assert_eq!(find(map, 0x3800), mapped(true, true, "rw-p"));
        assert_eq!(find(map, 0x7ffe000), Found::Stack);
        assert_eq!(find(map, 0x8000000), Found::Nothing);
    }
}
