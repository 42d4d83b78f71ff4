//! The per-thread state of tracing: counters, and a buffer of lines that have not been written yet. It is created
//! at a thread's first event, kept when the thread ends (since it is part of the report), and taken over by the
//! next thread.
//!
//! # Safety
//! A buffer's bytes are written only by the thread that has set `busy`, at and above `filled`. A thread that ends
//! the process may also read, without `busy`, the bytes below `filled`: complete lines, which are not changed until
//! they are removed. No slice ever includes other bytes. The thread's private fields (`known`, `line`)
//! are accessed through `mine` only; other threads access a `ThreadTrace` by `each`, for `count`, `flush` and `reset`.
#![allow(unsafe_code)]

use core::cell::{Cell, RefCell};

use parking_lot::Mutex;

use crate::os::thread_end;
use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::trace::count::EventCount;
use crate::trace::rows::{self, Row};
use crate::trace::sink::Sink;

const BUFFER: usize = 64 << 10;

/// The state of one thread.
pub(crate) struct ThreadTrace {
    /// From 0, in the order of first events.
    pub thread: u32,
    counts: Box<[EventCount]>,
    /// Rows of call names, by the address of the name, so that a lookup is a comparison.
    known: [Cell<(usize, Row)>; 64],
    busy: AtomicBool,
    filled: AtomicUsize,
    /// `BUFFER` of them, never freed.
    bytes: *mut u8,
    /// The line that is being written.
    line: RefCell<String>,
}

// SAFETY: `known` and `line` are used only by the thread that has this state (`mine`); for bytes see the module's
// paragraph.
unsafe impl Sync for ThreadTrace {}
// SAFETY: as above.
unsafe impl Send for ThreadTrace {}

struct All {
    all: Vec<&'static ThreadTrace>,
    free: Vec<&'static ThreadTrace>,
}

static ALL: Mutex<All> = Mutex::new(All { all: Vec::new(), free: Vec::new() });
/// The same, by number, for threads that must not wait for the lock.
static SEEN: [AtomicUsize; MOST] = [const { AtomicUsize::new(0) }; MOST];
const MOST: usize = 512;

thread_local! {
    static MINE: Cell<Option<&'static ThreadTrace>> = const { Cell::new(None) };
}

/// Passes the state of an ending thread to the next one.
fn leave() {
    if let Some(here) = MINE.take() {
        ALL.lock().free.push(here);
    }
}

/// The state of this thread.
#[inline]
pub(crate) fn mine() -> &'static ThreadTrace {
    MINE.get().unwrap_or_else(enter)
}

#[cold]
fn enter() -> &'static ThreadTrace {
    let here = take();
    MINE.set(Some(here));
    thread_end::at_end(leave);
    here
}

fn take() -> &'static ThreadTrace {
    let mut all = ALL.lock();
    if let Some(here) = all.free.pop() {
        return here;
    }
    let here: &'static ThreadTrace = Box::leak(Box::new(ThreadTrace {
        thread: all.all.len() as u32,
        counts: (0..rows::count()).map(|_| EventCount::new()).collect(),
        known: [const { Cell::new((0, Row::NONE)) }; 64],
        busy: AtomicBool::new(false),
        filled: AtomicUsize::new(0),
        bytes: Box::into_raw(Box::new([0u8; BUFFER])).cast(),
        line: RefCell::new(String::with_capacity(1024)),
    }));
    if let Some(seen) = SEEN.get(all.all.len()) {
        // Release: with the Acquire in `each`.
        seen.store(core::ptr::from_ref(here).expose_provenance(), Ordering::Release);
    }
    all.all.push(here);
    here
}

/// Calls `see` with the state of each thread; takes no lock.
pub(crate) fn each(mut see: impl FnMut(&'static ThreadTrace)) {
    for seen in &SEEN {
        match seen.load(Ordering::Acquire) {
            0 => return,
            // SAFETY: `take` stored the address of a leaked box.
            at => see(unsafe { &*core::ptr::with_exposed_provenance::<ThreadTrace>(at) }),
        }
    }
}

impl ThreadTrace {
    #[inline]
    pub(crate) fn count(&self, row: Row) -> &EventCount {
        &self.counts[row.index()]
    }

    /// The row of a call, whose name is a string constant.
    #[inline]
    pub(crate) fn row_of(&self, call: &str) -> Row {
        let at = call.as_ptr().addr();
        // Names may share a prefix: their ends differ.
        let key = at ^ call.len() << 48;
        let slot = &self.known[(at >> 3 ^ at >> 9) & 63];
        let (known, row) = slot.get();
        if known == key {
            return row;
        }
        let row = rows::of_call(call);
        slot.set((key, row));
        row
    }

    /// Formats a line with `fill` and appends it to the buffer; writes the buffer to `sink` when it is full, or at
    /// once.
    pub(crate) fn emit(&self, sink: &Sink, at_once: bool, fill: impl FnOnce(&mut String)) {
        let Ok(mut line) = self.line.try_borrow_mut() else { return };
        line.clear();
        fill(&mut line);
        self.append(sink, at_once, line.as_bytes());
    }

    fn append(&self, sink: &Sink, at_once: bool, line: &[u8]) {
        // Only a thread that ends the process may intervene, once.
        while self.busy.swap(true, Ordering::Acquire) {
            core::hint::spin_loop();
        }
        let mut filled = self.filled.load(Ordering::Relaxed);
        if filled + line.len() > BUFFER {
            self.write_lines(sink, filled);
            filled = 0;
            self.filled.store(0, Ordering::Release);
        }
        if at_once || line.len() > BUFFER {
            self.write_lines(sink, filled);
            sink.write(line);
            filled = 0;
        } else {
            // SAFETY: `busy` is ours, and there is room behind `filled` (checked).
            unsafe { core::ptr::copy_nonoverlapping(line.as_ptr(), self.bytes.add(filled), line.len()) };
            filled += line.len();
        }
        // Release: all lines below are complete.
        self.filled.store(filled, Ordering::Release);
        self.busy.store(false, Ordering::Release);
    }

    /// Writes the first `filled` bytes of the buffer.
    fn write_lines(&self, sink: &Sink, filled: usize) {
        // SAFETY: whole lines, at most `BUFFER` bytes, which no thread changes meanwhile (the module's paragraph).
        sink.write(unsafe { core::slice::from_raw_parts(self.bytes, filled) });
    }

    /// Writes the contents of the buffer, for the thread that ends the process; may be called in a signal handler.
    pub(crate) fn flush(&self, sink: &Sink) {
        const LOOKS: u32 = 100_000;
        let ours = (0..LOOKS).any(|_| {
            core::hint::spin_loop();
            !self.busy.swap(true, Ordering::Acquire)
        });
        let filled = self.filled.swap(0, Ordering::AcqRel);
        // Lines below `filled` are complete, even if another thread has set `busy`: that thread does not continue.
        self.write_lines(sink, filled);
        if ours {
            self.busy.store(false, Ordering::Release);
        }
    }

    pub(crate) fn reset(&self) {
        self.counts.iter().for_each(EventCount::reset);
    }
}
