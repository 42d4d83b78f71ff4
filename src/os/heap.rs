//! Where the library's memory comes from: the C library's malloc, except where the interrupted
//! code may hold malloc's lock. Signal handlers, fatal errors and the exit of a rank run [`without_malloc`]: their memory
//! comes from a reserve in this file and is not freed, since the process is about to end or the blocks are few.
//! An allocation that fails ends the job with a line that says which limit was reached.
//!
//! # Safety
//! Blocks of the reserve lie in the static first chunk or in mappings that are never unmapped; each byte is given out once.
//! Other blocks are malloc's, and go back to it only.
#![allow(unsafe_code)]

use core::alloc::{GlobalAlloc, Layout};
use core::cell::{Cell, UnsafeCell};
use core::ptr::{self, null_mut};
use std::alloc::System;

use super::files;
use super::process::Line;
use crate::fatal::fatal;
use crate::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize, Ordering};

/// The library's allocator: lib.rs makes it the global one of the installed library.
pub struct Heap;

/// 0 until malloc may have to be avoided: then 2 for each thread that runs `without_malloc`, and 1 more from the first
/// block of the reserve on. Relaxed: a thread sees its own writes, and a thread that was given a block of the reserve by
/// another thread was given it after this was written.
static WATCHED: AtomicU32 = AtomicU32::new(0);
const A_THREAD: u32 = 2;
const RESERVE_IN_USE: u32 = 1;

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Runs `work`, in which this thread does not use malloc for the library's memory. May be nested, and may not return.
pub(crate) fn without_malloc<R>(work: impl FnOnce() -> R) -> R {
    WATCHED.fetch_add(A_THREAD, Ordering::Relaxed);
    DEPTH.set(DEPTH.get() + 1);
    let result = work();
    DEPTH.set(DEPTH.get() - 1);
    WATCHED.fetch_sub(A_THREAD, Ordering::Relaxed);
    result
}

fn avoids_malloc() -> bool {
    DEPTH.get() > 0
}

// SAFETY: blocks are malloc's or the reserve's, as large and as aligned as asked for.
unsafe impl GlobalAlloc for Heap {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if WATCHED.load(Ordering::Relaxed) != 0 && avoids_malloc() {
            return reserved(layout);
        }
        // SAFETY: the caller's promise, passed on.
        there(unsafe { System.alloc(layout) }, layout.size())
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if WATCHED.load(Ordering::Relaxed) != 0 && avoids_malloc() {
            // Zero from the start, and given out once.
            return reserved(layout);
        }
        // SAFETY: the caller's promise, passed on.
        there(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    #[inline]
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        if WATCHED.load(Ordering::Relaxed) != 0 && (avoids_malloc() || is_reserved(at)) {
            return;
        }
        // SAFETY: the caller's promise, passed on; the block is malloc's.
        unsafe { System.dealloc(at, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if WATCHED.load(Ordering::Relaxed) != 0 && (avoids_malloc() || is_reserved(at)) {
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

/// The head of a chunk; its bytes follow.
#[repr(C, align(64))]
struct Chunk {
    bytes: usize,
    used: AtomicUsize,
}

const HEAD: usize = size_of::<Chunk>();
const FIRST: usize = 64 << 10;
const NEXT: usize = 1 << 20;

#[repr(C)]
struct First(Chunk, UnsafeCell<[u8; FIRST]>);

// SAFETY: the bytes are given out once each, through the atomic in the head.
unsafe impl Sync for First {}

/// Costs no memory until it is used, and is there when the system has no more.
static STATIC: First = First(Chunk { bytes: FIRST, used: AtomicUsize::new(0) }, UnsafeCell::new([0; FIRST]));

/// The chunks after the first, in the order in which they are used up.
static MAPPED: [AtomicPtr<Chunk>; 64] = [const { AtomicPtr::new(null_mut()) }; 64];

fn chunks() -> impl Iterator<Item = *const Chunk> {
    let mapped = MAPPED.iter().map(|at| at.load(Ordering::Acquire).cast_const()).take_while(|at| !at.is_null());
    core::iter::once((&raw const STATIC).cast::<Chunk>()).chain(mapped)
}

fn is_reserved(at: *mut u8) -> bool {
    WATCHED.load(Ordering::Relaxed) & RESERVE_IN_USE != 0
        // SAFETY: chunks are never unmapped.
        && chunks().any(|chunk| at.addr().wrapping_sub(chunk.addr()) < HEAD + unsafe { (*chunk).bytes })
}

/// A block of the reserve. Takes no lock: several threads, and handlers over them, may be here at once.
#[cold]
fn reserved(layout: Layout) -> *mut u8 {
    if WATCHED.load(Ordering::Relaxed) & RESERVE_IN_USE == 0 {
        WATCHED.fetch_or(RESERVE_IN_USE, Ordering::Relaxed);
    }
    loop {
        // The chunks before the last are full, except for smaller blocks than this.
        let Some(last) = chunks().last() else { exhausted(layout.size()) };
        // SAFETY: a chunk, which stays.
        if let Some(at) = unsafe { take(last, layout) } {
            return at;
        }
        if !add_chunk(layout) {
            exhausted(layout.size());
        }
    }
}

/// # Safety
/// `chunk` is one of `chunks()`.
unsafe fn take(chunk: *const Chunk, layout: Layout) -> Option<*mut u8> {
    // SAFETY: the caller's promise.
    let Chunk { bytes, used } = unsafe { &*chunk };
    let start = chunk.addr() + HEAD;
    let place = |used: usize| (start + used).next_multiple_of(layout.align()) - start;
    let fits = |used| place(used).checked_add(layout.size()).filter(|&end| end <= *bytes);
    let before = used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).ok()?;
    Some(chunk.cast_mut().cast::<u8>().wrapping_add(HEAD + place(before)))
}

/// Maps a chunk in which `layout` fits; true if there is a new one now, made by this thread or another.
fn add_chunk(layout: Layout) -> bool {
    let bytes = NEXT.max(layout.size().saturating_add(layout.align()).saturating_add(HEAD));
    let Some(slot) = MAPPED.iter().find(|slot| slot.load(Ordering::Acquire).is_null()) else { return false };
    let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: asks for new pages.
    let at = unsafe { libc::mmap(null_mut(), bytes, access, kind, -1, 0) };
    if at == libc::MAP_FAILED {
        return false;
    }
    // SAFETY: fresh pages, aligned for the head, which nobody else knows yet.
    unsafe { at.cast::<Chunk>().write(Chunk { bytes: bytes - HEAD, used: AtomicUsize::new(0) }) };
    // Release: who finds the chunk finds its head.
    if slot.compare_exchange(null_mut(), at.cast(), Ordering::Release, Ordering::Relaxed).is_err() {
        // SAFETY: the pages just mapped.
        unsafe { libc::munmap(at, bytes) };
    }
    true
}

/// The system has no memory of `nbytes` for the library.
#[cold]
fn exhausted(nbytes: usize) -> ! {
    thread_local! {
        static HERE: Cell<bool> = const { Cell::new(false) };
    }
    if HERE.replace(true) {
        // While that was being said.
        super::signal::die_of(libc::SIGABRT);
    }
    without_malloc(|| fatal!("out of memory: the library could not get {nbytes} bytes: {}", reason(nbytes)))
}

/// Why memory of `nbytes` is refused, as far as limits tell. Allocates nothing.
fn reason(nbytes: usize) -> Line {
    let mut buf = [0; 256];
    // Pages: in all, resident, shared, text, library, data.
    let mut pages = files::read_small(c"/proc/self/statm", &mut buf)
        .unwrap_or("")
        .split_ascii_whitespace()
        .map(|word| word.parse::<u64>().unwrap_or(0));
    let (all, data) = (pages.next().unwrap_or(0) * 4096, pages.nth(4).unwrap_or(0) * 4096);
    for (resource, used, what) in
        [(libc::RLIMIT_AS, all, "address space (ulimit -v)"), (libc::RLIMIT_DATA, data, "data (ulimit -d)")]
    {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: `limit` lives here.
        let known = unsafe { libc::getrlimit(resource, &mut limit) } == 0;
        // malloc asks for more than is asked of it.
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
            assert!(at.addr().is_multiple_of(align) && is_reserved(at));
            blocks.push((at, layout, round as u8));
        }
        let (at, layout) = without_malloc(|| take(3 << 20, 4096));
        assert!(at.addr().is_multiple_of(4096));
        blocks.push((at, layout, 255));
        for &(at, layout, mark) in &blocks {
            // SAFETY: a block of so many bytes, of this test.
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
