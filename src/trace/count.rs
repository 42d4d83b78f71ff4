//! Statistics: counts, bytes and times of each row. Each thread counts its own events, without locks; a report sums
//! them.

use core::fmt::{self, Write};

use crate::sync::atomic::{AtomicU64, Ordering};

/// A sum with its extremes. One thread writes, any may read.
pub(crate) struct Sum {
    total: AtomicU64,
    min: AtomicU64,
    max: AtomicU64,
}

impl Sum {
    const fn new() -> Sum {
        Sum { total: AtomicU64::new(0), min: AtomicU64::new(u64::MAX), max: AtomicU64::new(0) }
    }

    // Relaxed, and no atomic read-modify-write: a concurrent report may miss the event that is being counted.
    #[inline]
    fn add(&self, value: u64) {
        self.total.store(self.total.load(Ordering::Relaxed).wrapping_add(value), Ordering::Relaxed);
        if value < self.min.load(Ordering::Relaxed) {
            self.min.store(value, Ordering::Relaxed);
        }
        if value > self.max.load(Ordering::Relaxed) {
            self.max.store(value, Ordering::Relaxed);
        }
    }

    fn reset(&self) {
        self.total.store(0, Ordering::Relaxed);
        self.min.store(u64::MAX, Ordering::Relaxed);
        self.max.store(0, Ordering::Relaxed);
    }
}

/// The statistics of one thread for one row.
pub(crate) struct EventCount {
    times: AtomicU64,
    bytes: Sum,
    ticks: Sum,
}

impl EventCount {
    pub(crate) const fn new() -> EventCount {
        EventCount { times: AtomicU64::new(0), bytes: Sum::new(), ticks: Sum::new() }
    }

    /// Counts an event; with `bytes` and `ticks` if they apply.
    #[inline]
    pub(crate) fn add(&self, bytes: Option<u64>, ticks: Option<u64>) {
        self.times.store(self.times.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        if let Some(bytes) = bytes {
            self.bytes.add(bytes);
        }
        if let Some(ticks) = ticks {
            self.ticks.add(ticks);
        }
    }

    pub(crate) fn reset(&self) {
        self.times.store(0, Ordering::Relaxed);
        self.bytes.reset();
        self.ticks.reset();
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Range {
    pub total: u64,
    pub min: u64,
    pub max: u64,
}

impl Range {
    const NONE: Range = Range { total: 0, min: u64::MAX, max: 0 };

    fn with(self, sum: &Sum) -> Range {
        Range {
            total: self.total.wrapping_add(sum.total.load(Ordering::Relaxed)),
            min: self.min.min(sum.min.load(Ordering::Relaxed)),
            max: self.max.max(sum.max.load(Ordering::Relaxed)),
        }
    }

    /// Whether anything was added.
    pub(crate) fn is_known(&self) -> bool {
        self.min <= self.max
    }
}

/// The statistics of all threads for one row.
#[derive(Clone, Copy)]
pub(crate) struct Total {
    pub times: u64,
    pub bytes: Range,
    pub ticks: Range,
}

impl Total {
    pub(crate) const NONE: Total = Total { times: 0, bytes: Range::NONE, ticks: Range::NONE };

    pub(crate) fn with(self, count: &EventCount) -> Total {
        Total {
            times: self.times + count.times.load(Ordering::Relaxed),
            bytes: self.bytes.with(&count.bytes),
            ticks: self.ticks.with(&count.ticks),
        }
    }

    /// The text of a line of a report, after the row's name.
    pub(crate) fn write(&self, to: &mut impl Write, ns: impl Fn(u64) -> u64) -> fmt::Result {
        write!(to, "count {}", self.times)?;
        let times = self.times.max(1) as f64;
        if self.bytes.is_known() && self.bytes.max > 0 {
            let Range { total, min, max } = self.bytes;
            write!(to, "  bytes {total} (min {min}, avg {:.1}, max {max})", total as f64 / times)?;
        }
        if self.ticks.is_known() {
            let us = |ticks: u64| ns(ticks) as f64 / 1e3;
            let Range { total, min, max } = self.ticks;
            let total_us = us(total);
            write!(to, "  us {total_us:.3} (min {:.3}, avg {:.3}, max {:.3})", us(min), total_us / times, us(max))?;
        }
        writeln!(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_add_up() {
        let (a, b) = (EventCount::new(), EventCount::new());
        a.add(Some(8), Some(100));
        a.add(Some(24), Some(300));
        b.add(Some(4), None);
        let total = Total::NONE.with(&a).with(&b);
        assert_eq!((total.times, total.bytes.total, total.bytes.min, total.bytes.max), (3, 36, 4, 24));
        let mut text = String::new();
        total.write(&mut text, |ticks| ticks).unwrap();
        assert_eq!(text, "count 3  bytes 36 (min 4, avg 12.0, max 24)  us 0.400 (min 0.100, avg 0.133, max 0.300)\n");
    }

    #[test]
    fn what_was_not_measured_is_not_shown() {
        let count = EventCount::new();
        count.add(None, None);
        let mut text = String::new();
        Total::NONE.with(&count).write(&mut text, |ticks| ticks).unwrap();
        assert_eq!(text, "count 1\n");
    }
}
