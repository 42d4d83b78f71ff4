//! The library's allocator: the C library's malloc, except in [`without_malloc`], where it is the reserve. An allocation
//! that fails ends the job with a line that names the limit that was reached.
//!
//! # Safety
//! Blocks of the reserve are not freed; other blocks are from malloc, and are returned to malloc only.
#![allow(unsafe_code)]

use core::alloc::{GlobalAlloc, Layout};
use core::cell::Cell;
use core::ptr;
use std::alloc::System;

use super::files;
use super::process::Line;
use super::reserve::{avoids_malloc, is_reserved, is_watched, reserved, without_malloc};
use crate::fatal::fatal;

/// The library's allocator: lib.rs makes it the global one of the installed library.
pub struct Heap;

// SAFETY: blocks are from malloc or the reserve, with the requested size and alignment.
unsafe impl GlobalAlloc for Heap {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_watched() && avoids_malloc() {
            return there(reserved(layout), layout.size());
        }
        // SAFETY: the caller's promise, passed on.
        there(unsafe { System.alloc(layout) }, layout.size())
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if is_watched() && avoids_malloc() {
            // The reserve is zero at first, and each byte is given out once.
            return there(reserved(layout), layout.size());
        }
        // SAFETY: the caller's promise, passed on.
        there(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    #[inline]
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        if is_watched() && (avoids_malloc() || is_reserved(at)) {
            return;
        }
        // SAFETY: the caller's promise, passed on; the block is malloc's.
        unsafe { System.dealloc(at, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if is_watched() && (avoids_malloc() || is_reserved(at)) {
            // SAFETY: the caller's promise: `size` with this alignment is a layout.
            let to = unsafe { self.alloc(Layout::from_size_align_unchecked(size, layout.align())) };
            // SAFETY: both blocks have at least that many bytes; the old one is abandoned without being freed.
            unsafe { ptr::copy_nonoverlapping(at, to, layout.size().min(size)) };
            return to;
        }
        // SAFETY: the caller's promise, passed on; the block is malloc's.
        there(unsafe { System.realloc(at, layout, size) }, size)
    }
}

#[inline]
fn there(at: *mut u8, nbytes: usize) -> *mut u8 {
    if at.is_null() {
        exhausted(nbytes);
    }
    at
}

/// The system has no memory of `nbytes` for the library.
#[cold]
fn exhausted(nbytes: usize) -> ! {
    thread_local! {
        static HERE: Cell<bool> = const { Cell::new(false) };
    }
    if HERE.replace(true) {
        // A second failure, while the first one was being reported.
        super::signal::die_of(libc::SIGABRT);
    }
    without_malloc(|| fatal!("out of memory: the library could not get {nbytes} bytes: {}", reason(nbytes)))
}

/// The limit because of which `nbytes` were refused, if it can be determined. Allocates nothing.
fn reason(nbytes: usize) -> Line {
    let mut buf = [0; 256];
    // Pages: in all, resident, shared, text, library, data.
    let mut pages = files::read_small(c"/proc/self/statm", &mut buf)
        .unwrap_or("")
        .split_ascii_whitespace()
        .map(|word| word.parse::<u64>().unwrap_or(0));
    let page = super::shm::page_bytes() as u64;
    let (all, data) = (pages.next().unwrap_or(0) * page, pages.nth(4).unwrap_or(0) * page);
    for (resource, used, what) in
        [(libc::RLIMIT_AS, all, "address space (ulimit -v)"), (libc::RLIMIT_DATA, data, "data (ulimit -d)")]
    {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: `limit` lives here.
        let known = unsafe { libc::getrlimit(resource, &mut limit) } == 0;
        // malloc requests more from the system than its caller requests.
        const PAD: u64 = 256 << 10;
        if known && limit.rlim_cur != libc::RLIM_INFINITY && used.saturating_add(nbytes as u64 + PAD) > limit.rlim_cur {
            return Line::of(format_args!("{} KiB of {} KiB of {what} are in use", used >> 10, limit.rlim_cur >> 10));
        }
    }
    let mut buf = [0; 4096];
    let machine = files::read_small(c"/proc/meminfo", &mut buf).unwrap_or("");
    let kib = |name: &str| {
        let line = machine.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok()).unwrap_or(0)
    };
    Line::of(format_args!(
        "{} MiB of the machine's {} MiB of memory are free (vm.overcommit_memory, the control group's memory limit)",
        kib("MemAvailable") >> 10,
        kib("MemTotal") >> 10
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(nbytes: usize, align: usize) -> (*mut u8, Layout) {
        let layout = Layout::from_size_align(nbytes, align).unwrap();
        // SAFETY: a layout that is not empty.
        (unsafe { Heap.alloc(layout) }, layout)
    }

    #[test]
    fn blocks_of_the_reserve_are_aligned_and_apart_and_may_be_freed_anywhere() {
        let mut blocks = Vec::new();
        for round in 0..200 {
            let (nbytes, align) = (1 + round * 97, 1 << (round % 9));
            let (at, layout) = without_malloc(|| take(nbytes, align));
            assert!(at.addr() % align == 0 && is_reserved(at));
            blocks.push((at, layout, round as u8));
        }
        let (at, layout) = without_malloc(|| take(3 << 20, 4096));
        assert!(at.addr() % 4096 == 0);
        blocks.push((at, layout, 255));
        for &(at, layout, mark) in &blocks {
            // SAFETY: a block of that size, of this test.
            unsafe { at.write_bytes(mark, layout.size()) };
        }
        for (at, layout, mark) in blocks {
            // SAFETY: as above.
            assert!(unsafe { core::slice::from_raw_parts(at, layout.size()) }.iter().all(|&byte| byte == mark));
            // SAFETY: allocated above.
            unsafe { Heap.dealloc(at, layout) };
        }
    }

    #[test]
    fn a_block_keeps_its_bytes_when_it_grows_across_the_border() {
        let (at, layout) = take(100, 8);
        assert!(!is_reserved(at));
        // SAFETY: a block of 100 bytes, then of 1000, then of 5000.
        unsafe {
            at.write_bytes(7, 100);
            let grown = without_malloc(|| Heap.realloc(at, layout, 1000));
            assert!(is_reserved(grown));
            grown.add(100).write_bytes(8, 900);
            let layout = Layout::from_size_align(1000, 8).unwrap();
            let back = Heap.realloc(grown, layout, 5000);
            assert!(!is_reserved(back));
            assert!((0..1000).all(|i| back.add(i).read() == if i < 100 { 7 } else { 8 }));
            Heap.dealloc(back, Layout::from_size_align(5000, 8).unwrap());
        }
    }

    #[test]
    fn a_handler_may_come_over_the_reserve_itself() {
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..1000 {
                        let (at, layout) = without_malloc(|| take(40, 8));
                        // SAFETY: a block of 40 bytes.
                        assert!(unsafe { core::slice::from_raw_parts(at, 40) }.iter().all(|&byte| byte == 0));
                        // SAFETY: as above.
                        unsafe { at.write_bytes(1, layout.size()) };
                    }
                });
            }
        });
    }

    #[test]
    fn the_reason_names_the_machines_memory_or_a_limit() {
        let text = reason(1).to_string();
        assert!(text.contains("MiB of the machine's") || text.contains("ulimit"), "{text}");
    }
}
