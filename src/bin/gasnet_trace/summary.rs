//! Calls by line of source and kind.

use crate::Input;
use crate::options::{Filter, Key, Options, Report};
use crate::text::{self, Line};
use gasnet::internal::fatal::line;
use gasnet::internal::trace::mask::Letter;
use gasnet::internal::trace::rows::Row;
use std::collections::BTreeMap;
use std::io::Write;

/// The key by which calls are summed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct RowKey {
    pub file: String,
    pub line: u32,
    pub kind: String,
    pub thread: Option<(u32, u32)>,
    pub peer: Option<u32>,
}

impl RowKey {
    /// `halo.c:12`.
    pub fn source(&self) -> String {
        if self.line == 0 { self.file.clone() } else { format!("{}:{}", self.file, self.line) }
    }
}

/// Calls, and their bytes or nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Sum {
    pub calls: u64,
    pub total: u64,
    pub min: u64,
    pub max: u64,
}

impl Sum {
    pub fn avg(&self) -> f64 {
        self.total as f64 / self.calls as f64
    }
}

#[derive(Default)]
pub struct Tables(BTreeMap<u8, BTreeMap<RowKey, Sum>>);

const NAMES: [(Report, Letter, &str, &str); 6] = [
    (Report::Get, Letter::GET, "GET", "bytes"),
    (Report::Put, Letter::PUT, "PUT", "bytes"),
    (Report::Am, Letter::AM, "AM", "bytes"),
    (Report::Barrier, Letter::BARRIER, "BARRIER", "us"),
    (Report::Coll, Letter::COLL, "COLL", "us"),
    (Report::Sync, Letter::SYNC, "SYNC", "us"),
];

/// Which report `event` is of: its place in `NAMES`.
fn report_of(event: &Line<'_>, options: &Options) -> Option<usize> {
    let row = event.row?;
    if event.word("data").is_some() {
        return None;
    }
    let at = NAMES.iter().position(|(_, letter, ..)| *letter == row.letter())?;
    let report = NAMES[at].0;
    let local = event.peer() == Some(event.rank);
    let transfer = matches!(report, Report::Put | Report::Get);
    let waits = matches!(row.name(), "gasnet_barrier_wait" | "gasnet_barrier");
    let is_filtered = options.filters.iter().any(|filter| match filter {
        Filter::Local => transfer && local,
        Filter::Global => transfer && !local,
        Filter::Wait => waits,
        Filter::WaitNotify => row == Row::BARRIER_PHASE,
    });
    (options.reports.contains(&report) && !is_filtered && (event.place.is_some() || options.internal)).then_some(at)
}

impl Tables {
    fn add(&mut self, event: &Line<'_>, options: &Options) {
        let (Some(at), Some(row)) = (report_of(event, options), event.row) else { return };
        let value = if NAMES[at].3 == "bytes" { event.number("bytes").unwrap_or(0) } else { event.ns().unwrap_or(0) };
        let (file, number) = event.place.unwrap_or(("(internal)", 0));
        let file = if options.full { file } else { file.rsplit('/').next().unwrap_or(file) };
        let by_peer = options.peers && NAMES[at].3 == "bytes";
        let place = RowKey {
            file: file.to_string(),
            line: number,
            kind: row.name().to_string(),
            thread: options.threads.then_some((event.rank, event.thread)),
            peer: event.peer().filter(|_| by_peer),
        };
        let none = Sum { calls: 0, total: 0, min: u64::MAX, max: 0 };
        let sum = self.0.entry(at as u8).or_default().entry(place).or_insert(none);
        sum.calls += 1;
        sum.total += value;
        sum.min = sum.min.min(value);
        sum.max = sum.max.max(value);
    }
}

fn order(a: (&RowKey, &Sum), b: (&RowKey, &Sum), keys: &[Key]) -> std::cmp::Ordering {
    keys.iter()
        .map(|key| match key {
            // The largest first.
            Key::Total => b.1.total.cmp(&a.1.total),
            Key::Avg => b.1.avg().total_cmp(&a.1.avg()),
            Key::Min => b.1.min.cmp(&a.1.min),
            Key::Max => b.1.max.cmp(&a.1.max),
            Key::Calls => b.1.calls.cmp(&a.1.calls),
            Key::Type => a.0.kind.cmp(&b.0.kind),
            Key::Src => (&a.0.file, a.0.line).cmp(&(&b.0.file, b.0.line)),
        })
        .find(|order| order.is_ne())
        .unwrap_or_else(|| a.0.cmp(b.0))
}

/// Reads the files; `see` gets each event, too.
pub fn read(options: &Options, mut see: impl FnMut(&Line<'_>)) -> Result<Tables, String> {
    let mut tables = Tables::default();
    for file in &options.files {
        let input = Input::open(file)?;
        let name = input.name.clone();
        if input.is_json {
            return Err(format!("{name}: it is JSON already; only -chrome and -check read that"));
        }
        input.lines(|number, text| {
            match text::parse(text) {
                Some(event) => {
                    tables.add(&event, options);
                    see(&event);
                }
                None if options.debug => line(&format!("gasnet_trace: {name}:{number}: no event: {text}")),
                None => {}
            }
            Ok(())
        })?;
    }
    Ok(tables)
}

/// A report: its title, the unit of its sums, and its rows in the order that `options` names.
pub struct Sorted<'a> {
    pub title: &'static str,
    pub unit: &'static str,
    pub rows: Vec<(&'a RowKey, &'a Sum)>,
}

impl Tables {
    pub fn sorted(&self, options: &Options) -> impl Iterator<Item = Sorted<'_>> {
        self.0.iter().map(|(at, table)| {
            let (_, _, title, unit) = NAMES[usize::from(*at)];
            let mut rows: Vec<(&RowKey, &Sum)> = table.iter().collect();
            rows.sort_by(|a, b| order(*a, *b, &options.sort));
            Sorted { title, unit, rows }
        })
    }
}

pub fn run(options: &Options, out: &mut dyn Write) -> Result<(), String> {
    let tables = read(options, |_| ())?;
    for report in tables.sorted(options) {
        write_table(&report, options, out).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn write_table(report: &Sorted<'_>, options: &Options, out: &mut dyn Write) -> std::io::Result<()> {
    let Sorted { title, unit, rows } = report;
    let unit = *unit;
    let wide = rows.iter().map(|(place, _)| place.source().len()).max().unwrap_or(0).max(6);
    writeln!(out, "{title} report, {unit}")?;
    let (thread, peer) = (
        if options.threads { "  thread  " } else { "" },
        if options.peers && unit == "bytes" { "   peer" } else { "" },
    );
    writeln!(
        out,
        "{:<wide$}  {:<26}{thread}{peer} {:>10} {:>14} {:>12} {:>12} {:>12}",
        "source", "type", "calls", "total", "avg", "min", "max"
    )?;
    for (place, sum) in rows {
        write!(out, "{:<wide$}  {:<26}", place.source(), place.kind)?;
        if let Some((rank, thread)) = place.thread {
            write!(out, "  {:<8}", format!("{rank}({thread})"))?;
        }
        if options.peers && unit == "bytes" {
            write!(out, " {:>6}", place.peer.map_or("-".to_string(), |peer| peer.to_string()))?;
        }
        if unit == "bytes" {
            writeln!(out, " {:>10} {:>14} {:>12.1} {:>12} {:>12}", sum.calls, sum.total, sum.avg(), sum.min, sum.max)?;
        } else {
            let us = |ns: f64| format!("{:.3}", ns / 1e3);
            let (total, min, max) = (us(sum.total as f64), us(sum.min as f64), us(sum.max as f64));
            writeln!(out, " {:>10} {total:>14} {:>12} {min:>12} {max:>12}", sum.calls, us(sum.avg()))?;
        }
    }
    let calls: u64 = rows.iter().map(|(_, sum)| sum.calls).sum();
    writeln!(out, "{calls} calls\n")
}
