//! The checked heap of clients that are compiled with -DGASNET_DEBUGMALLOC: memory from malloc() with a guard on
//! either side of each block, and a list of the blocks kept apart from them, where no overrun reaches it. A
//! write past an end, a second free and a free of no block end the job with a line that says where the block comes
//! from and where the misuse was found.
//!
//! # Safety
//! Blocks are this file's own from malloc() until it gives them back to free(): `LIVE` and kept `GONE` entries of the
//! table are the proof that a guard and its bytes are mapped.
#![allow(unsafe_code)]

use std::collections::{BTreeMap, VecDeque};
use std::ffi::CString;
use std::ops::Bound::{Excluded, Unbounded};

use libc::c_void;
use parking_lot::Mutex;

use crate::env::{self, parse::Fill};
use crate::fatal::{self, usage};
use crate::os::reserve::without_malloc;
use crate::os::{backtrace, files, process};
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::tools::held::CallSite;

/// The size of the guard before and behind every block; a multiple of malloc()'s alignment.
const GUARD: &[u8; 32] = b"<GASNet: not yours to write to!>";
const EDGE: usize = GUARD.len();
/// How many freed blocks are remembered, to name a second free.
const REMEMBERED: usize = 4096;

/// A block that the client has.
struct Live {
    bytes: usize,
    made: CallSite,
}

/// A block that the client has freed.
struct Gone {
    bytes: usize,
    made: CallSite,
    freed: CallSite,
    /// Its memory is still ours.
    kept: bool,
    /// Which free this was.
    number: u64,
}

/// The settings of the environment.
struct Options {
    init: Option<Fill>,
    clobber: Option<Fill>,
    leak_all: bool,
    scan_freed: bool,
    extra_check: bool,
}

/// How much was allocated.
#[derive(Clone, Copy, Default)]
pub(crate) struct Stats {
    pub live_bytes: u64,
    pub live_blocks: u64,
    pub peak_bytes: u64,
    pub allocated_bytes: u64,
    pub allocated_blocks: u64,
    pub freed_bytes: u64,
    pub freed_blocks: u64,
}

struct CheckedHeap {
    live: BTreeMap<usize, Live>,
    gone: BTreeMap<usize, Gone>,
    /// The freed blocks (`gone`) whose memory is not kept, oldest first, by address and number.
    forgettable: VecDeque<(usize, u64)>,
    /// Blocks up to here had their turn.
    checked_to: usize,
    stats: Stats,
    options: Options,
}

static HEAP: Mutex<Option<CheckedHeap>> = Mutex::new(None);
static IN_USE: AtomicBool = AtomicBool::new(false);
static REPORTED: AtomicBool = AtomicBool::new(false);

/// The text of an error.
type Wrong = String;

/// Runs `f` on the heap; ends the job, with the heap unlocked for the report, if it finds an error.
fn with<R>(call: &str, here: CallSite, f: impl FnOnce(&mut CheckedHeap) -> Result<R, Wrong>) -> R {
    let result = f(HEAP.lock().get_or_insert_with(CheckedHeap::begin));
    match result {
        Ok(value) => value,
        Err(wrong) => {
            fatal::at(here.file, here.line);
            usage!(call, "{wrong}")
        }
    }
}

extern "C" fn at_process_exit() {
    at_exit();
}

impl CheckedHeap {
    fn begin() -> CheckedHeap {
        IN_USE.store(true, Ordering::Relaxed);
        // SAFETY: a function of that form.
        unsafe { libc::atexit(at_process_exit) };
        let scan_freed = env::yes("GASNET_MALLOC_SCANFREED");
        let fill = |switch: &str, value: &str| {
            let value = env::fill(value);
            env::yes(switch).then_some(value)
        };
        let clobber = fill("GASNET_MALLOC_CLOBBER", "GASNET_MALLOC_CLOBBERVAL");
        let options = Options {
            init: fill("GASNET_MALLOC_INIT", "GASNET_MALLOC_INITVAL"),
            clobber: clobber.or_else(|| scan_freed.then(|| env::fill("GASNET_MALLOC_CLOBBERVAL"))),
            leak_all: env::yes("GASNET_MALLOC_LEAKALL") || scan_freed,
            scan_freed,
            extra_check: env::yes("GASNET_MALLOC_EXTRACHECK"),
        };
        CheckedHeap {
            live: BTreeMap::new(),
            gone: BTreeMap::new(),
            forgettable: VecDeque::new(),
            checked_to: 0,
            stats: Stats::default(),
            options,
        }
    }

    /// A block of `bytes` bytes, or 0 if there is no memory.
    fn allocate(&mut self, bytes: usize, zeroed: bool, here: CallSite) -> Result<usize, Wrong> {
        self.turn()?;
        let Some(all) = bytes.checked_add(2 * EDGE) else { return Ok(0) };
        // SAFETY: malloc and calloc take any size.
        let raw = unsafe { if zeroed { libc::calloc(1, all) } else { libc::malloc(all) } };
        if raw.is_null() {
            return Ok(0);
        }
        let at = raw.expose_provenance() + EDGE;
        // SAFETY: `all` bytes from `raw` are ours.
        unsafe {
            raw.cast::<[u8; EDGE]>().write(*GUARD);
            bytes_at(at + bytes).cast::<[u8; EDGE]>().write(*GUARD);
        }
        if let Some(fill) = self.options.init.filter(|_| !zeroed) {
            // SAFETY: as above.
            unsafe { fill_bytes(at, bytes, fill) };
        }
        self.gone.remove(&at);
        self.live.insert(at, Live { bytes, made: here });
        let stats = &mut self.stats;
        stats.allocated_blocks += 1;
        stats.allocated_bytes += bytes as u64;
        stats.live_blocks += 1;
        stats.live_bytes += bytes as u64;
        stats.peak_bytes = stats.peak_bytes.max(stats.live_bytes);
        Ok(at)
    }

    fn free(&mut self, at: usize, here: CallSite) -> Result<(), Wrong> {
        self.turn()?;
        self.must_be_block(at)?;
        let Some(Live { bytes, made }) = self.live.remove(&at) else { return Ok(()) };
        let (kept, number) = (self.options.leak_all, self.stats.freed_blocks);
        if let Some(fill) = self.options.clobber {
            // SAFETY: the block was live until this line, and is not yet free()d.
            unsafe { fill_bytes(at, bytes, fill) };
        }
        if !kept {
            // SAFETY: malloc() gave this address for the block, which leaves the table with this call.
            unsafe { libc::free(bytes_at(at - EDGE).cast::<c_void>()) };
            self.forgettable.push_back((at, number));
            if self.forgettable.len() > REMEMBERED {
                if let Some((oldest, number)) = self.forgettable.pop_front() {
                    if self.gone.get(&oldest).is_some_and(|gone| gone.number == number) {
                        self.gone.remove(&oldest);
                    }
                }
            }
        }
        self.gone.insert(at, Gone { bytes, made, freed: here, kept, number });
        let stats = &mut self.stats;
        stats.freed_blocks += 1;
        stats.freed_bytes += bytes as u64;
        stats.live_blocks -= 1;
        stats.live_bytes -= bytes as u64;
        Ok(())
    }

    /// The live block at `at`, whose guards are intact; any other `at` is an error.
    fn must_be_block(&self, at: usize) -> Result<&Live, Wrong> {
        if let Some(block) = self.live.get(&at) {
            check_guards(at, block)?;
            return Ok(block);
        }
        if let Some(Gone { bytes, made, freed, .. }) = self.gone.get(&at) {
            return Err(format!("block {at:#x} ({bytes} bytes, allocated at {made}) was already freed at {freed}"));
        }
        let below = self.live.range(..at).next_back().filter(|(start, block)| at < *start + block.bytes + EDGE);
        Err(match below {
            Some((start, Live { bytes, made })) => format!(
                "{at:#x} is no block: it lies {} bytes into block {start:#x} ({bytes} bytes, allocated at {made})",
                at - start
            ),
            None => format!("{at:#x} is no block of gasnett_debug_malloc's heap"),
        })
    }

    /// The check at the start of every call: two blocks, so that all have their turn; or all blocks.
    fn turn(&mut self) -> Result<(), Wrong> {
        if self.options.extra_check {
            return self.check_all();
        }
        self.check_one()?;
        self.check_one()
    }

    /// Looks at the block whose turn it is.
    fn check_one(&mut self) -> Result<(), Wrong> {
        let next = self.live.range((Excluded(self.checked_to), Unbounded)).next();
        let Some((&at, block)) = next.or_else(|| self.live.first_key_value()) else { return Ok(()) };
        self.checked_to = at;
        check_guards(at, block)
    }

    fn check_all(&self) -> Result<(), Wrong> {
        self.live.iter().try_for_each(|(&at, block)| check_guards(at, block))?;
        match self.options.clobber.filter(|_| self.options.scan_freed) {
            Some(fill) => {
                self.gone.iter().filter(|(_, gone)| gone.kept).try_for_each(|(&at, gone)| scan(at, gone, fill))
            }
            None => Ok(()),
        }
    }
}

fn bytes_at(at: usize) -> *mut u8 {
    core::ptr::with_exposed_provenance_mut(at)
}

/// # Safety
/// `bytes` bytes at `at` are ours.
unsafe fn fill_bytes(at: usize, bytes: usize, fill: Fill) {
    for offset in 0..bytes {
        // SAFETY: the caller's contract.
        unsafe { bytes_at(at + offset).write(fill.byte(offset)) };
    }
}

/// The place of the first of `EDGE` bytes at `at` that are no guard.
///
/// # Safety
/// They are a guard of a block in the table.
unsafe fn broken(at: usize) -> Option<usize> {
    // SAFETY: the caller's contract. Volatile: another thread of the client may be writing them by mistake.
    (0..EDGE).find(|&offset| unsafe { bytes_at(at + offset).read_volatile() } != GUARD[offset])
}

fn check_guards(at: usize, block: &Live) -> Result<(), Wrong> {
    let Live { bytes, made } = block;
    let what = || format!("block {at:#x} ({bytes} bytes, allocated at {made})");
    // SAFETY: the block is live.
    if let Some(offset) = unsafe { broken(at + bytes) } {
        return Err(format!("{} was overrun: the byte {offset} past its end was overwritten", what()));
    }
    // SAFETY: as above.
    match unsafe { broken(at - EDGE) } {
        Some(offset) => Err(format!("{} was underrun: the byte {} before it was overwritten", what(), EDGE - offset)),
        None => Ok(()),
    }
}

/// A freed block that is kept must still hold the fill pattern.
fn scan(at: usize, gone: &Gone, fill: Fill) -> Result<(), Wrong> {
    let Gone { bytes, made, freed, .. } = gone;
    // SAFETY: kept: free() has not had it.
    let written = (0..*bytes).find(|&offset| unsafe { bytes_at(at + offset).read_volatile() } != fill.byte(offset));
    match written {
        Some(offset) => Err(format!(
            "byte {offset} of block {at:#x} ({bytes} bytes, allocated at {made}) was written after the block was freed at {freed}"
        )),
        None => Ok(()),
    }
}

/// gasnett_debug_malloc and, `zeroed`, gasnett_debug_calloc; 0 if there is no memory.
pub(crate) fn allocate(call: &str, bytes: usize, zeroed: bool, here: CallSite) -> usize {
    with(call, here, |heap| heap.allocate(bytes, zeroed, here))
}

/// gasnett_debug_realloc; `at` is not 0. 0 if there is no memory.
pub(crate) fn resize(call: &str, at: usize, bytes: usize, here: CallSite) -> usize {
    with(call, here, |heap| {
        let old = heap.must_be_block(at)?.bytes;
        let new = heap.allocate(bytes, false, here)?;
        if new != 0 {
            // SAFETY: both are live blocks of at least that size.
            unsafe { bytes_at(new).copy_from_nonoverlapping(bytes_at(at), old.min(bytes)) };
            heap.free(at, here)?;
        }
        Ok(new)
    })
}

/// gasnett_debug_free; 0 is nothing.
pub(crate) fn free(call: &str, at: usize, here: CallSite) {
    if at != 0 {
        with(call, here, |heap| heap.free(at, here));
    }
}

/// Looks at one block; 0 is none.
pub(crate) fn check(call: &str, at: usize, here: CallSite) {
    if at != 0 {
        with(call, here, |heap| heap.must_be_block(at).map(|_| ()));
    }
}

/// Looks at the block whose turn it is.
pub(crate) fn check_one(call: &str, here: CallSite) {
    with(call, here, CheckedHeap::check_one);
}

/// Looks at all blocks.
pub(crate) fn check_all(call: &str, here: CallSite) {
    with(call, here, |heap| heap.check_all());
}

/// The check in a debug client's poll: one block, or all if the user has requested that.
#[inline]
pub(crate) fn at_poll(call: &str) {
    if IN_USE.load(Ordering::Relaxed) {
        if let Some(Some(Err(wrong))) = HEAP.try_lock().map(|mut heap| heap.as_mut().map(CheckedHeap::turn)) {
            usage!(call, "{wrong}");
        }
    }
}

/// How much is and was allocated.
pub(crate) fn stats() -> Stats {
    HEAP.lock().as_ref().map_or_else(Stats::default, |heap| heap.stats)
}

/// The report for people.
pub(crate) fn report() -> String {
    HEAP.lock()
        .as_ref()
        .map_or_else(|| "GASNet heap report: gasnett_debug_malloc was not used\n".to_owned(), CheckedHeap::report)
}

/// The process exits normally: checks all blocks and writes the report that the user has requested. Once.
pub(crate) fn at_exit() {
    if !IN_USE.load(Ordering::Relaxed) || fatal::is_dying() || REPORTED.swap(true, Ordering::AcqRel) {
        return;
    }
    let Some((found, report)) = HEAP.try_lock().and_then(|heap| heap.as_ref().map(|h| (h.check_all(), h.report())))
    else {
        return;
    };
    if let Err(wrong) = found {
        usage!("exit", "{wrong}");
    }
    write_report(&report);
}

/// As `at_exit`, where a signal handler may be, which may have interrupted malloc or this file: then there is no report. A
/// handler that returns to code of the client's own is not known as one; it finds no malloc here either.
pub(crate) fn at_gasnet_exit() {
    if IN_USE.load(Ordering::Relaxed) && !backtrace::in_a_signal_handler() {
        without_malloc(at_exit);
    }
}

impl CheckedHeap {
    /// The report for people.
    fn report(&self) -> String {
        use core::fmt::Write as _;
        let Stats { live_bytes, live_blocks, peak_bytes, allocated_bytes, allocated_blocks, freed_bytes, freed_blocks } =
            self.stats;
        let mut text = format!("GASNet heap report, process {}", std::process::id());
        if let Some(rank) = fatal::rank() {
            _ = write!(text, ", rank {rank}");
        }
        _ = write!(
            text,
            "\n{:>12} {:>16}\n{allocated_blocks:>12} {allocated_bytes:>16} allocated\n{freed_blocks:>12} {freed_bytes:>16} freed\n\
             {live_blocks:>12} {live_bytes:>16} never freed\n{:>12} {peak_bytes:>16} at most at a time\n",
            "blocks", "bytes", "",
        );
        let mut places: BTreeMap<(&str, u32), (u64, u64)> = BTreeMap::new();
        for block in self.live.values() {
            let (blocks, bytes) = places.entry(block.made.words()).or_default();
            *blocks += 1;
            *bytes += block.bytes as u64;
        }
        let mut places: Vec<_> = places.into_iter().collect();
        places.sort_by_key(|&(place, (_, bytes))| (core::cmp::Reverse(bytes), place));
        for (at, ((file, line), (blocks, bytes))) in places.into_iter().enumerate() {
            if at == 0 {
                text.push_str("Never freed, by where it was allocated:\n");
            }
            _ = writeln!(text, "{blocks:>12} {bytes:>16} {file}:{line}");
        }
        text
    }
}

/// Writes the report to where `GASNET_MALLOCFILE` says, if this rank is one of `GASNET_MALLOCNODES`.
fn write_report(report: &str) {
    let rank = fatal::rank().unwrap_or(0);
    let Some(name) = env::str("GASNET_MALLOCFILE").filter(|name| !name.is_empty()) else { return };
    if !env::ranks("GASNET_MALLOCNODES").has(rank) {
        return;
    }
    let opened = match name.as_str() {
        "-" | "stderr" => return fatal::write_stderr(report.as_bytes()),
        "stdout" => Ok(libc::STDOUT_FILENO),
        name => match CString::new(name.replace('%', &rank.to_string())) {
            Ok(path) => files::append_to(&path, true),
            Err(_) => Err(std::io::ErrorKind::InvalidInput.into()),
        },
    };
    let written = opened.and_then(|fd| files::write_all(fd, report.as_bytes()).map_err(process::error_text));
    if let Err(error) = written {
        fatal::warn!("GASNET_MALLOCFILE='{name}': {error}");
    }
}
