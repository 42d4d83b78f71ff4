//! Events with a duration: from the start of a call to the end of the scope that holds its [`Span`].

use core::cell::Cell;
use std::ffi::CStr;

use crate::mem::{self, Dst, Src};
use crate::os::clock;
use crate::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use crate::trace::event::Detail;
use crate::trace::here::{self, ThreadTrace};
use crate::trace::mask::Letter;
use crate::trace::rows::Row;
use crate::trace::state::{LOCAL, RANK, STATS, STATS_MASK, TRACE, counts, emit, is_numbered, on, place, since, traces};

const NOBODY: u32 = u32::MAX;

/// A call in progress. Its event is recorded when it is dropped.
pub(crate) struct Span(Option<Recorded>);

/// A call whose event is recorded.
struct Recorded {
    row: Row,
    traced: bool,
    counted: bool,
    peer: u32,
    bytes: Option<u64>,
    began: u64,
    detail: Detail<'static>,
    place: Option<(&'static CStr, u32)>,
}

impl Span {
    /// A span that is not recorded. (Not a constant, of which all bytes would be copied.)
    #[inline]
    pub(crate) fn off() -> Span {
        Span(None)
    }

    /// Adds a named number.
    pub(crate) fn number(&mut self, name: &'static str, value: i64) {
        if let Some(recorded) = &mut self.0 {
            recorded.detail = Detail::Number(name, value);
        }
    }

    /// Records and returns the result of a test.
    #[inline]
    pub(crate) fn saw(&mut self, done: bool) -> bool {
        if let Some(recorded) = &mut self.0 {
            recorded.detail = Detail::Done(done);
        }
        done
    }

    /// Ends a sleep of at most `most_ns`: a thread that slept for the whole time was not woken.
    pub(crate) fn slept(mut self, most_ns: u64) {
        let Some(recorded) = &mut self.0 else { return };
        if clock::ticks_to_ns(clock::ticks_now().saturating_sub(recorded.began)) < most_ns {
            recorded.row = Row::SLEEP_WOKEN;
        }
    }

    /// Discards the event.
    pub(crate) fn forget(mut self) {
        self.0 = None;
    }
}

impl Recorded {
    #[cold]
    fn end(&self) {
        let here = here::mine();
        // Where reading the clock would cost more than the call, statistics only count.
        let timed = self.began != 0;
        let ticks = if timed { clock::ticks_now().saturating_sub(self.began) } else { 0 };
        if self.counted {
            here.count(self.row).add(self.bytes, timed.then_some(ticks));
            if let Detail::Done(done) = self.detail {
                here.count(if done { Row::SYNC_DONE } else { Row::SYNC_NOT_READY }).add(None, None);
            }
        }
        if self.traced {
            emit(|event| {
                event.row = self.row;
                event.letter = self.row.letter();
                event.at_ns = since(self.began);
                event.ns = Some(clock::ticks_to_ns(ticks));
                event.place = self.place;
                event.peer = (self.peer != NOBODY).then_some(self.peer);
                event.bytes = self.bytes;
                event.detail = self.detail;
            });
        }
    }
}

impl Drop for Span {
    #[inline]
    fn drop(&mut self) {
        if let Some(recorded) = &self.0 {
            recorded.end();
        }
    }
}

/// Whether it is a put or get of this rank to itself.
fn is_to_self(row: Row, peer: u32) -> bool {
    peer == RANK.load(Ordering::Relaxed) && matches!(row.letter(), Letter::PUT | Letter::GET)
}

#[cold]
fn begin(row: impl FnOnce(&ThreadTrace) -> Row, peer: u32, bytes: Option<u64>, detail: Detail<'static>) -> Span {
    let here = here::mine();
    let row = row(here);
    if row == Row::NONE {
        return Span::off();
    }
    let letter = row.letter();
    let traced = on() & TRACE != 0 && traces(letter) && (!is_to_self(row, peer) || LOCAL.load(Ordering::Relaxed));
    let counted = counts(letter);
    if !traced && counted && matches!(letter, Letter::AM | Letter::POLL) && row != Row::SLEEP_TIMED_OUT {
        here.count(row).add(bytes, None);
        return Span::off();
    }
    if !traced && !counted {
        return Span::off();
    }
    let place = if traced { place() } else { None };
    Span(Some(Recorded { row, traced, counted, peer, bytes, began: clock::ticks_now(), detail, place }))
}

/// The start of public call `call`.
#[inline]
pub(crate) fn span(call: &str) -> Span {
    if on() == 0 { Span::off() } else { begin(|here| here.row_of(call), NOBODY, None, Detail::None) }
}

/// As [`span`], with a named number.
#[inline]
pub(crate) fn span_of(call: &str, name: &'static str, value: usize) -> Span {
    if on() == 0 {
        return Span::off();
    }
    begin(|here| here.row_of(call), NOBODY, None, Detail::Number(name, value as i64))
}

/// As [`span`], with a rank of the job and a number of bytes.
#[inline]
pub(crate) fn span_to(call: &str, peer: u32, bytes: usize) -> Span {
    if on() == 0 { Span::off() } else { begin(|here| here.row_of(call), peer, Some(bytes as u64), Detail::None) }
}

/// A message that `call` sends to `peer`; also returns the number that it is to carry, if any.
#[cold]
pub(crate) fn message(call: &str, peer: u32, handler: u8, args: usize, bytes: Option<usize>) -> (Span, Option<u32>) {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let id = is_numbered().then(|| NEXT.fetch_add(1, Ordering::Relaxed));
    if on() == 0 {
        return (Span::off(), id);
    }
    let detail = Detail::Message { handler, args: args as u32, id };
    (begin(|here| here.row_of(call), peer, bytes.map(|bytes| bytes as u64), detail), id)
}

/// The number of bytes of a payload that are written to the trace.
const SHOWN: usize = 64;

/// Records the contents of `row`, a message, a handler or a put: all arguments, and the first bytes.
fn carried(row: impl FnOnce(&ThreadTrace) -> Row, peer: u32, args: &[i32], bytes: Src<'_>) {
    if !traces(Letter::DETAIL) || args.is_empty() && bytes.is_empty() {
        return;
    }
    let here = here::mine();
    let row = row(here);
    if is_to_self(row, peer) && !LOCAL.load(Ordering::Relaxed) {
        return;
    }
    let mut start = [0; SHOWN];
    let shown = bytes.len().min(SHOWN);
    let start = &mut start[..shown];
    mem::copy(Dst::of(start), bytes.part(0, shown));
    emit(|event| {
        (event.row, event.letter, event.at_ns, event.place) = (row, Letter::DETAIL, since(clock::ticks_now()), place());
        (event.peer, event.detail) = (Some(peer), Detail::Data(args, start));
    });
}

/// Records the contents of the message or put of `call`, if category D is enabled.
#[cold]
pub(crate) fn carries(call: &str, peer: u32, args: &[i32], bytes: Src<'_>) {
    if on() & TRACE != 0 {
        carried(|here| here.row_of(call), peer, args, bytes);
    }
}

/// Records the contents of the message whose handler runs next.
#[cold]
pub(crate) fn handler_gets(request: bool, peer: u32, args: &[i32], bytes: Src<'_>) {
    if on() & TRACE != 0 {
        carried(|_| if request { Row::REQUEST_HANDLER } else { Row::REPLY_HANDLER }, peer, args, bytes);
    }
}

thread_local! {
    static INCOMING: Cell<Option<u32>> = const { Cell::new(None) };
}

/// The message whose handler this thread runs next has this number.
pub(crate) fn incoming(id: u32) {
    INCOMING.set(Some(id));
}

/// The start of the handler of a message from `peer`.
#[cold]
pub(crate) fn handler(request: bool, peer: u32, handler: u8, args: usize, bytes: Option<usize>) -> Span {
    let id = INCOMING.take();
    if on() == 0 {
        return Span::off();
    }
    let row = if request { Row::REQUEST_HANDLER } else { Row::REPLY_HANDLER };
    let detail = Detail::Handled { handler, args: args as u32, id };
    begin(|_| row, peer, bytes.map(|bytes| bytes as u64), detail)
}

/// The time at which this rank entered the current barrier.
static NOTIFIED: AtomicU64 = AtomicU64::new(0);

/// This rank enters a barrier.
#[inline]
pub(crate) fn barrier_notified() {
    if on() != 0 {
        NOTIFIED.store(clock::ticks_now(), Ordering::Relaxed);
    }
}

/// The barrier is complete.
#[inline]
pub(crate) fn barrier_passed() {
    if on() != 0 {
        let mut span = begin(|_| Row::BARRIER_PHASE, NOBODY, None, Detail::None);
        if let Some(recorded) = &mut span.0 {
            recorded.began = NOTIFIED.load(Ordering::Relaxed);
        }
    }
}

/// This thread goes to sleep.
#[inline]
pub(crate) fn sleep() -> Span {
    if on() == 0 { Span::off() } else { begin(|_| Row::SLEEP_TIMED_OUT, NOBODY, None, Detail::None) }
}

/// Counts a message by `call` if only a count is needed; otherwise returns false and has no effect.
#[inline]
pub(crate) fn count_message(call: &str, bytes: Option<usize>) -> bool {
    count_am(|here| here.row_of(call), bytes)
}

/// As [`count_message`], of the handler of a message.
#[inline]
pub(crate) fn count_handler(request: bool, bytes: Option<usize>) -> bool {
    count_am(|_| if request { Row::REQUEST_HANDLER } else { Row::REPLY_HANDLER }, bytes)
}

#[inline]
fn count_am(row: impl FnOnce(&ThreadTrace) -> Row, bytes: Option<usize>) -> bool {
    if on() != STATS || is_numbered() {
        return false;
    }
    if STATS_MASK.has(Letter::AM) {
        let here = here::mine();
        here.count(row(here)).add(bytes.map(|bytes| bytes as u64), None);
    }
    true
}
