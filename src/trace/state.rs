//! The settings of this rank's traces and statistics, set once by `Plan`, and events written under them.

use std::ffi::CStr;

use crate::fatal;
use crate::os::clock;
use crate::sync::atomic::{AtomicBool, AtomicI64, AtomicU8, AtomicU32, AtomicU64, Ordering};
use crate::trace::event::{Detail, Event};
use crate::trace::here;
use crate::trace::mask::{Letter, LetterMask};
use crate::trace::rows::Row;
use crate::trace::sink::Sink;

pub(super) const STATS: u8 = 1;
pub(super) const TRACE: u8 = 2;
/// The settings of this rank: set once, by `begin`.
pub(super) static ON: AtomicU8 = AtomicU8::new(0);
/// A rank of this job writes a trace, so messages carry numbers.
pub(super) static NUMBERED: AtomicBool = AtomicBool::new(false);

pub(super) static TRACE_SINK: Sink = Sink::closed();
pub(super) static STATS_SINK: Sink = Sink::closed();
pub(super) static TRACE_MASK: LetterMask = LetterMask::none();
pub(super) static STATS_MASK: LetterMask = LetterMask::none();
pub(super) static LOCAL: AtomicBool = AtomicBool::new(true);
pub(super) static FLUSH: AtomicBool = AtomicBool::new(false);
pub(super) static CHROME: AtomicBool = AtomicBool::new(false);
/// All ranks write to one file.
pub(super) static SHARED: AtomicBool = AtomicBool::new(false);
/// The file to which all ranks write needs a closing bracket, which rank 0 writes.
pub(super) static SHARED_END: AtomicBool = AtomicBool::new(false);
/// The tick at which the job's clock started, and the correction of this host's times relative to rank 0.
pub(super) static BEGAN: AtomicU64 = AtomicU64::new(0);
pub(super) static OFFSET_NS: AtomicI64 = AtomicI64::new(0);
pub(super) static RANK: AtomicU32 = AtomicU32::new(0);
pub(super) static SIZE: AtomicU32 = AtomicU32::new(0);

/// The outputs that are enabled on this rank, as bits.
#[inline]
pub(super) fn on() -> u8 {
    ON.load(Ordering::Relaxed)
}

/// Whether anything is recorded on this rank.
#[inline]
pub(crate) fn is_on() -> bool {
    on() != 0
}

/// Whether messages carry numbers.
#[inline]
pub(crate) fn is_numbered() -> bool {
    NUMBERED.load(Ordering::Relaxed)
}

pub(super) fn traces(letter: Letter) -> bool {
    on() & TRACE != 0 && TRACE_MASK.has(letter)
}

pub(super) fn counts(letter: Letter) -> bool {
    on() & STATS != 0 && STATS_MASK.has(letter)
}

pub(super) fn since(tick: u64) -> i64 {
    let began = BEGAN.load(Ordering::Relaxed);
    clock::ticks_to_ns(tick.wrapping_sub(began)) as i64
}

/// Appends an event to this thread's buffer.
pub(super) fn emit<'a>(fill: impl FnOnce(&mut Event<'a>)) {
    let here = here::mine();
    let mut event = Event {
        rank: RANK.load(Ordering::Relaxed),
        thread: here.thread,
        row: Row::INFO,
        letter: Letter::INFO,
        at_ns: 0,
        ns: None,
        place: None,
        peer: None,
        bytes: None,
        detail: Detail::None,
    };
    fill(&mut event);
    event.at_ns = event.at_ns.wrapping_add(OFFSET_NS.load(Ordering::Relaxed));
    here.emit(&TRACE_SINK, FLUSH.load(Ordering::Relaxed), |line| match CHROME.load(Ordering::Relaxed) {
        true => event.write_json(line),
        false => event.write_text(line),
    });
}

/// Records the source line of this thread's calls, if that category is enabled.
pub(super) fn place() -> Option<(&'static CStr, u32)> {
    if TRACE_MASK.has(Letter::LINES) { fatal::here() } else { None }
}

/// Records an event without duration.
#[cold]
pub(crate) fn happened(row: Row, letter: Letter, detail: Detail<'_>) {
    if traces(letter) {
        let now = since(clock::ticks_now());
        emit(|event| {
            (event.row, event.letter, event.at_ns, event.place, event.detail) = (row, letter, now, place(), detail)
        });
    }
}

/// Records information about the library.
#[cold]
pub(crate) fn info(text: &str) {
    happened(Row::INFO, Letter::INFO, Detail::Text(text));
}
