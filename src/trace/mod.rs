//! Tracing and statistics at run time: calls of the client are written to a trace as they happen, or counted and
//! reported when the job ends. Whether either is enabled is fixed at init, so a call costs one predicted branch if
//! both are disabled. On ranks where one may be enabled, inline C calls the library instead of doing the work
//! itself, and the library uses the paths of debug clients (`Settings::watched`).

mod count;
pub(crate) mod event;
mod here;
pub(crate) mod mask;
pub(crate) mod report;
pub(crate) mod rows;
mod sink;
mod span;
mod state;

use std::fmt::Write;

use parking_lot::Mutex;

use crate::env;
use crate::fatal::fatal;
use crate::os::{clock, host, process};
use crate::sync::atomic::{AtomicBool, Ordering};
pub(crate) use event::Detail;
use mask::{Letter, LetterMask};
use rows::Row;
use sink::WantedSink;
pub(crate) use span::{
    Span, barrier_notified, barrier_passed, carries, count_handler, count_message, handler, handler_gets, incoming,
    message, sleep, span, span_of, span_to,
};
use state::{
    BEGAN, CHROME, FLUSH, LOCAL, NUMBERED, OFFSET_NS, ON, RANK, SHARED, SHARED_END, SIZE, STATS, STATS_MASK,
    STATS_SINK, TRACE, TRACE_MASK, TRACE_SINK, counts, on, since, traces,
};
pub(crate) use state::{happened, info, is_numbered, is_on};

/// The user's settings, read before the ranks exist.
pub(crate) struct TracePlan {
    trace: Option<WantedSink>,
    stats: Option<WantedSink>,
}

impl TracePlan {
    /// Reads the variables, and opens files that all ranks share; the first host truncates them. `one_host`: there
    /// is no other host, so rank 0 sees all other ranks leave.
    pub(crate) fn make(first_host: bool, one_host: bool) -> TracePlan {
        let trace = WantedSink::of("GASNET_TRACEFILE", "GASNET_TRACENODES");
        let stats = WantedSink::of("GASNET_STATSFILE", "GASNET_STATSNODES");
        BEGAN.store(clock::ticks_now(), Ordering::Relaxed);
        set_from(&TRACE_MASK, "GASNET_TRACEMASK");
        set_from(&STATS_MASK, "GASNET_STATSMASK");
        LOCAL.store(env::yes("GASNET_TRACELOCAL"), Ordering::Relaxed);
        FLUSH.store(env::yes("GASNET_TRACEFLUSH"), Ordering::Relaxed);
        CHROME.store(env::choice("GASNET_TRACEFORMAT") == "chrome", Ordering::Relaxed);
        if let Some(trace) = &trace {
            NUMBERED.store(TRACE_MASK.has(Letter::AM), Ordering::Relaxed);
            trace.open_shared(&TRACE_SINK, first_host);
            SHARED.store(trace.is_shared(), Ordering::Relaxed);
            if CHROME.load(Ordering::Relaxed) && trace.is_shared() && first_host {
                TRACE_SINK.write(b"[\n");
                SHARED_END.store(one_host, Ordering::Relaxed);
            }
        }
        if let Some(stats) = &stats {
            stats.open_shared(&STATS_SINK, first_host);
        }
        TracePlan { trace, stats }
    }

    /// Whether a rank of the job records events.
    pub(crate) fn is_something(&self) -> bool {
        self.trace.is_some() || self.stats.is_some()
    }

    /// Whether the clocks of all hosts have to be synchronised.
    pub(crate) fn needs_clocks(&self) -> bool {
        self.trace.is_some()
    }

    /// Takes over the clock of rank 0, whose start is `began`, where ranks were started separately; `numbered`: some rank
    /// needs numbers in messages.
    pub(crate) fn agree(&self, began: u64, numbered: bool) {
        BEGAN.store(began, Ordering::Relaxed);
        NUMBERED.store(numbered, Ordering::Relaxed);
    }

    /// Starts recording as `rank` of `size`.
    pub(crate) fn begin(&self, rank: u32, size: u32) {
        RANK.store(rank, Ordering::Relaxed);
        SIZE.store(size, Ordering::Relaxed);
        let mut on = 0;
        if let Some(trace) = &self.trace {
            trace.open_own(&TRACE_SINK, rank);
            if CHROME.load(Ordering::Relaxed) && !trace.is_shared() {
                TRACE_SINK.write(b"[\n");
            }
            on |= if trace.includes(rank) { TRACE } else { 0 };
        }
        if let Some(stats) = &self.stats {
            stats.open_own(&STATS_SINK, rank);
            on |= if stats.includes(rank) { STATS } else { 0 };
        }
        if on != 0 {
            // The first conversion of ticks takes time and must not happen in a signal handler.
            clock::ticks_to_ns(1);
        }
        ON.store(on, Ordering::Relaxed);
        self.introduce();
    }

    /// The first lines of a trace: the program and the host.
    fn introduce(&self) {
        if on() & TRACE == 0 {
            return;
        }
        let (rank, size) = (RANK.load(Ordering::Relaxed), SIZE.load(Ordering::Relaxed));
        let host = host::name().to_string_lossy();
        if CHROME.load(Ordering::Relaxed) {
            let here = here::mine();
            here.emit(&TRACE_SINK, false, |line| event::write_track(line, rank, &host, process::pid()));
        }
        info(&format!("rank {rank} of {size} on {host}, pid {}, {}", process::pid(), process::command()));
        info(&format!("libgasnet {}, clock began at {} us of 1970", env!("CARGO_PKG_VERSION"), clock::wall_us()));
        info(&format!("mask {}", TRACE_MASK.text().to_string_lossy()));
        for name in env::names_set() {
            info(&format!("{name}={}", env::raw(&name).unwrap_or_default()));
        }
    }
}

fn set_from(mask: &LetterMask, variable: &str) {
    let text = env::str(variable).unwrap_or_default();
    if let Some(mask::Unknown(letter)) = mask.set(&text) {
        fatal!("environment variable {variable}='{text}': '{letter}' is not one of GPRSWXBLAIOCDNHU, or ^ before them");
    }
}

/// The clock of this host is `ns` behind that of rank 0, according to a round trip of `round_trip_ns`.
pub(crate) fn set_offset(ns: i64, round_trip_ns: i64) {
    OFFSET_NS.store(ns, Ordering::Relaxed);
    info(&format!("times are corrected by {ns} ns to agree with rank 0's, which answered in {round_trip_ns} ns"));
}

/// The tick at which this process's clock began.
pub(crate) fn began() -> u64 {
    BEGAN.load(Ordering::Relaxed)
}

/// The job's clock, for estimating offsets: nanoseconds since the start on this host, without correction.
pub(crate) fn host_ns() -> i64 {
    since(clock::ticks_now())
}

/// Records output of the client; if `force`, regardless of the mask.
pub(crate) fn client_says(text: &str, force: bool) {
    happened(Row::CLIENT, if force { Letter::ALWAYS } else { Letter::CLIENT }, Detail::Text(text));
}

/// Whether output of the client is traced.
pub(crate) fn client_is_heard() -> bool {
    traces(Letter::CLIENT)
}

/// The masks, as clients see them.
pub(crate) fn trace_mask() -> Option<&'static LetterMask> {
    (on() & TRACE != 0).then_some(&TRACE_MASK)
}

pub(crate) fn stats_mask() -> Option<&'static LetterMask> {
    (on() & STATS != 0).then_some(&STATS_MASK)
}

/// Whether puts and gets of a rank to itself are traced.
pub(crate) fn local() -> bool {
    on() & TRACE != 0 && LOCAL.load(Ordering::Relaxed)
}

pub(crate) fn set_local(local: bool) {
    LOCAL.store(local, Ordering::Relaxed);
}

/// At the end of this rank: writes the buffers and the report. `orderly`: figures of the heap and of the client may
/// be obtained. A second call has no effect. May be called in a signal handler if not `orderly`.
pub(crate) fn finish(orderly: bool, numbers: impl FnOnce(&mut dyn FnMut(&str, u64))) {
    static DONE: AtomicBool = AtomicBool::new(false);
    if on() == 0 || DONE.swap(true, Ordering::AcqRel) {
        return;
    }
    if on() & TRACE != 0 {
        here::each(|here| here.flush(&TRACE_SINK));
        if CHROME.load(Ordering::Relaxed) && !SHARED.load(Ordering::Relaxed) {
            end_json();
        }
        if !SHARED_END.load(Ordering::Relaxed) {
            TRACE_SINK.close();
        }
    }
    if on() & STATS != 0 {
        report::write(orderly, numbers);
        STATS_SINK.close();
    }
}

/// All other ranks have left: rank 0 completes the file to which all ranks wrote.
pub(crate) fn finish_last() {
    if SHARED_END.swap(false, Ordering::AcqRel) && RANK.load(Ordering::Relaxed) == 0 && on() & TRACE != 0 {
        end_json();
        TRACE_SINK.close();
    }
}

fn end_json() {
    TRACE_SINK.write(b"{\"name\":\"end\",\"ph\":\"M\",\"pid\":0,\"args\":{}}\n]\n");
}

/// Traces the changes of the network's counters since the last call. `read` reports names and values, always the
/// same names.
#[cold]
pub(crate) fn network(read: impl FnOnce(&mut dyn FnMut(&str, u64))) {
    static LAST: Mutex<[u64; 8]> = Mutex::new([0; 8]);
    if !traces(Letter::CONDUIT) {
        return;
    }
    let Some(mut last) = LAST.try_lock() else { return };
    let (mut at, mut text) = (0, String::new());
    read(&mut |name, now| {
        if let Some(last) = last.get_mut(at) {
            if now != *last {
                let _ = write!(text, "{}{name}={}", if text.is_empty() { "" } else { " " }, now.wrapping_sub(*last));
                *last = now;
            }
        }
        at += 1;
    });
    drop(last);
    if !text.is_empty() {
        happened(Row::DATAGRAMS, Letter::CONDUIT, Detail::Text(&text));
    }
}

/// Whether output of the client to the statistics is enabled.
pub(crate) fn stats_has_client() -> bool {
    counts(Letter::CLIENT)
}
