//! Memory for code that may have interrupted malloc while it held its lock: signal handlers, fatal errors and the exit of a
//! rank run [`without_malloc`]. Blocks are not freed, since the process is about to end or the blocks are few.
//!
//! # Safety
//! Blocks lie in the static first chunk or in mappings that are never unmapped; each byte is given out once.
#![allow(unsafe_code)]

use core::alloc::Layout;
use core::cell::{Cell, UnsafeCell};
use core::ptr::null_mut;

use crate::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize, Ordering};

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

/// Whether malloc may have to be avoided, or blocks of the reserve exist.
#[inline]
pub(super) fn is_watched() -> bool {
    WATCHED.load(Ordering::Relaxed) != 0
}

/// Whether this thread runs [`without_malloc`].
#[inline]
pub(super) fn avoids_malloc() -> bool {
    DEPTH.get() > 0
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

/// Takes no memory until it is used, and is available when the system has no more.
static STATIC: First = First(Chunk { bytes: FIRST, used: AtomicUsize::new(0) }, UnsafeCell::new([0; FIRST]));

/// The chunks after the first, in the order in which they are filled.
static MAPPED: [AtomicPtr<Chunk>; 64] = [const { AtomicPtr::new(null_mut()) }; 64];

fn chunks() -> impl Iterator<Item = *const Chunk> {
    let mapped = MAPPED.iter().map(|at| at.load(Ordering::Acquire).cast_const()).take_while(|at| !at.is_null());
    core::iter::once((&raw const STATIC).cast::<Chunk>()).chain(mapped)
}

/// Whether `at` is a block of the reserve.
pub(super) fn is_reserved(at: *mut u8) -> bool {
    WATCHED.load(Ordering::Relaxed) & RESERVE_IN_USE != 0
        // SAFETY: chunks are never unmapped.
        && chunks().any(|chunk| at.addr().wrapping_sub(chunk.addr()) < HEAD + unsafe { (*chunk).bytes })
}

/// A block of the reserve, zeroed; null if the system has no memory. Takes no lock: several threads, and handlers that
/// interrupt them, may call it at the same time.
#[cold]
pub(super) fn reserved(layout: Layout) -> *mut u8 {
    if WATCHED.load(Ordering::Relaxed) & RESERVE_IN_USE == 0 {
        WATCHED.fetch_or(RESERVE_IN_USE, Ordering::Relaxed);
    }
    loop {
        // The chunks before the last have no room for a block of this size.
        let Some(last) = chunks().last() else { return null_mut() };
        // SAFETY: a chunk, which stays.
        if let Some(at) = unsafe { take(last, layout) } {
            return at;
        }
        if !add_chunk(layout) {
            return null_mut();
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
    // SAFETY: maps new pages.
    let at = unsafe { libc::mmap(null_mut(), bytes, access, kind, -1, 0) };
    if at == libc::MAP_FAILED {
        return false;
    }
    // SAFETY: new pages, aligned for the head, whose address no other thread knows yet.
    unsafe { at.cast::<Chunk>().write(Chunk { bytes: bytes - HEAD, used: AtomicUsize::new(0) }) };
    // Release: a thread that finds the chunk sees its head.
    if slot.compare_exchange(null_mut(), at.cast(), Ordering::Release, Ordering::Relaxed).is_err() {
        // SAFETY: the pages just mapped.
        unsafe { libc::munmap(at, bytes) };
    }
    true
}
