//! The report of statistics. Except for the client's part it allocates no memory, so that a dying rank can still
//! write it.

use core::fmt::{self, Write};

use parking_lot::Mutex;

use crate::os::{clock, host, process};
use crate::sync::atomic::Ordering;
use crate::trace::count::Total;
use crate::trace::here;
use crate::trace::rows::Row;
use crate::trace::state::{RANK, SIZE, STATS, STATS_SINK, counts, on, since};

/// Lines, collected without an allocator.
struct Page {
    bytes: [u8; 4096],
    len: usize,
}

impl Page {
    fn put_out(&mut self) {
        STATS_SINK.write(&self.bytes[..self.len]);
        self.len = 0;
    }
}

impl Write for Page {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = self.bytes.len() - self.len;
        let text = &text.as_bytes()[..text.len().min(room)];
        self.bytes[self.len..self.len + text.len()].copy_from_slice(text);
        self.len += text.len();
        Ok(())
    }
}

/// The client's contribution to reports.
static CALLBACK: Mutex<Option<Box<dyn Fn() + Send>>> = Mutex::new(None);

/// Registers `call` to be called when a report is written; returns whether there are reports.
pub(crate) fn set_callback(call: Box<dyn Fn() + Send>) -> bool {
    *CALLBACK.lock() = Some(call);
    on() & STATS != 0
}

/// A line of the client in the report.
pub(crate) fn say(text: &str) {
    let rank = RANK.load(Ordering::Relaxed);
    for line in text.trim_end_matches('\n').split('\n') {
        STATS_SINK.write(format!("{rank}> {line}\n").as_bytes());
    }
}

fn total(row: Row) -> Total {
    let mut total = Total::NONE;
    here::each(|here| total = total.with(here.count(row)));
    total
}

/// Writes the report: the statistics, and `numbers` of other modules.
pub(crate) fn write(orderly: bool, numbers: impl FnOnce(&mut dyn FnMut(&str, u64))) {
    if on() & STATS == 0 {
        return;
    }
    let mut page = Page { bytes: [0; 4096], len: 0 };
    let (rank, size) = (RANK.load(Ordering::Relaxed), SIZE.load(Ordering::Relaxed));
    let seconds = since(clock::ticks_now()) as f64 / 1e9;
    let host = host::name().to_str().unwrap_or("?");
    let _ = writeln!(page, "{rank}> statistics of rank {rank} of {size} on {host}, after {seconds:.6} s");
    for row in Row::all().filter(|row| counts(row.letter())) {
        let total = total(row);
        if total.times != 0 {
            let _ = write!(page, "{rank}> ({}) {:<26} ", row.letter().char(), row.name());
            let _ = total.write(&mut page, clock::ticks_to_ns);
            page.put_out();
        }
    }
    numbers(&mut |name, number| {
        let _ = writeln!(page, "{rank}> (C) {name:<26} {number}");
        page.put_out();
    });
    let used = process::usage();
    let _ = writeln!(
        page,
        "{rank}> (I) processor time             user {:.3} s  system {:.3} s",
        used.user_us as f64 / 1e6,
        used.system_us as f64 / 1e6
    );
    let _ = writeln!(page, "{rank}> (I) most memory                {} KiB", used.most_kib);
    if orderly {
        let heap = host::heap();
        let _ = writeln!(
            page,
            "{rank}> (I) heap                       {} bytes in use, {} from the system",
            heap.0, heap.1
        );
    }
    page.put_out();
    if orderly {
        if let Some(call) = CALLBACK.try_lock() {
            if let Some(call) = &*call {
                call();
            }
        }
    }
}

/// Resets all statistics to 0.
pub(crate) fn reset() {
    here::each(here::ThreadTrace::reset);
}
