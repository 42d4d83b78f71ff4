//! Traces as a page for a browser: one file that loads nothing. Everything is summed up here; the page draws it.

mod picture;
mod timeline;

use crate::options::Options;
use crate::summary;
use gasnet::internal::trace::rows::Row;
use picture::{KINDS, Picture, Spent, Traffic};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;

const PAGE: &str = include_str!("html/page.html");
const STYLE: &str = include_str!("html/page.css");
const SCRIPTS: [&str; 2] = [include_str!("html/tables.js"), include_str!("html/timeline.js")];

/// Rows and columns of the matrix, and bars of ranks; in a larger job each stands for consecutive ranks.
const MAX_GROUPS: u32 = 128;
/// Rows of a table; the rest are summed in a last one.
const MAX_ROWS: usize = 500;

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let word = three.iter().enumerate().fold(0u32, |word, (at, byte)| word | u32::from(*byte) << (16 - 8 * at));
        for at in 0..4 {
            let is_there = at <= three.len();
            out.push(if is_there { char::from(BASE64[(word >> (18 - 6 * at) & 63) as usize]) } else { '=' });
        }
    }
    out
}

/// The reports of the summary, with the numbers that it prints.
fn reports(tables: &summary::Tables, options: &Options) -> Vec<Value> {
    let number =
        |value: u64, unit: &str| if unit == "us" { format!("{:.3}", value as f64 / 1e3) } else { value.to_string() };
    let mut all = Vec::new();
    for report in tables.sorted(options) {
        let unit = report.unit;
        let avg = |total: u64, calls: u64| match unit {
            "us" => format!("{:.3}", total as f64 / calls as f64 / 1e3),
            _ => format!("{:.1}", total as f64 / calls as f64),
        };
        let mut rows: Vec<Value> = Vec::new();
        for (place, sum) in report.rows.iter().take(MAX_ROWS) {
            let thread = place.thread.map(|(rank, thread)| format!("{rank}({thread})"));
            let (total, min, max) = (number(sum.total, unit), number(sum.min, unit), number(sum.max, unit));
            rows.push(json!([
                place.source(),
                place.kind,
                thread,
                place.peer,
                sum.calls,
                total,
                avg(sum.total, sum.calls),
                min,
                max
            ]));
        }
        let rest = &report.rows[report.rows.len().min(MAX_ROWS)..];
        if !rest.is_empty() {
            let (calls, total) =
                rest.iter().fold((0, 0), |(calls, total), (_, sum)| (calls + sum.calls, total + sum.total));
            let (min, max) = (rest.iter().map(|(_, s)| s.min).min(), rest.iter().map(|(_, s)| s.max).max());
            let (min, max) = (number(min.unwrap_or(0), unit), number(max.unwrap_or(0), unit));
            let label = format!("({} more rows)", rest.len());
            rows.push(json!([label, "", null, null, calls, number(total, unit), avg(total, calls), min, max]));
        }
        let calls: u64 = report.rows.iter().map(|(_, sum)| sum.calls).sum();
        all.push(json!({"title": report.title, "unit": unit, "rows": rows, "calls": calls}));
    }
    all
}

fn traffic(picture: &Picture, ranks_each: u32) -> Vec<Value> {
    let mut groups: BTreeMap<(u32, u32), Traffic> = BTreeMap::new();
    for ((from, to), one) in &picture.traffic {
        let all = groups.entry((from / ranks_each, to / ranks_each)).or_default();
        for kind in 0..KINDS {
            all.calls[kind] += one.calls[kind];
            all.bytes[kind] += one.bytes[kind];
        }
    }
    groups.iter().map(|((from, to), all)| json!([from, to, all.calls, all.bytes])).collect()
}

fn calls(picture: &Picture, ranks_each: u32) -> Vec<Value> {
    let mut calls: BTreeMap<u16, (Spent, BTreeMap<u32, u64>)> = BTreeMap::new();
    for ((row, rank), one) in &picture.spent {
        let (all, by_rank) = calls.entry(*row).or_default();
        all.calls += one.calls;
        all.bytes += one.bytes;
        all.ns += one.ns;
        all.self_ns += one.self_ns;
        all.max_ns = all.max_ns.max(one.max_ns);
        *by_rank.entry(rank / ranks_each).or_default() += one.self_ns;
    }
    let mut sorted: Vec<_> = calls.into_iter().collect();
    sorted.sort_by_key(|(_, (all, _))| std::cmp::Reverse(all.self_ns));
    let shown = |(row, (all, by_rank)): &(u16, (Spent, BTreeMap<u32, u64>))| {
        let (name, category) = (Row(*row).name(), Picture::category_of(Row(*row)));
        let by_rank: Vec<_> = by_rank.iter().collect();
        json!([name, category, all.calls, all.bytes, all.ns, all.self_ns, all.max_ns, by_rank])
    };
    sorted.iter().map(shown).collect()
}

fn waits(picture: &mut Picture) -> Value {
    let mut places: Vec<_> = picture.waits.iter().collect();
    places.sort_by_key(|(key, wait)| (std::cmp::Reverse(wait.ns), **key));
    let rest = &places[places.len().min(MAX_ROWS)..];
    let rest = json!([
        rest.len(),
        rest.iter().map(|(_, w)| w.count).sum::<u64>(),
        rest.iter().map(|(_, w)| w.ns).sum::<u64>()
    ]);
    let places: Vec<Value> = places
        .iter()
        .take(MAX_ROWS)
        .map(|((place, call), wait)| json!([place, call, wait.count, wait.ns, wait.longest]))
        .collect();
    json!({"places": places, "rest": rest, "longest": picture.longest()})
}

/// Bins and events of the tracks, as the page's script reads them.
fn timeline(picture: &mut Picture) -> Value {
    let line = &mut picture.timeline;
    line.finish();
    if line.tracks.is_empty() {
        return Value::Null;
    }
    let first = (line.first_ns / line.bin_ns) as usize;
    let count = (line.last_ns / line.bin_ns) as usize + 1 - first;
    let ids: Vec<_> = line.tracks.keys().copied().collect();
    let cells: Vec<u8> = ids.iter().flat_map(|id| line.cells(*id, first, count)).collect();
    // Times in units that fit in 32 bits.
    let unit_ns = (line.last_ns - line.first_ns).div_ceil(u64::from(u32::MAX)).max(1);
    let (mut bytes, mut counts) = (Vec::new(), vec![0u32; ids.len()]);
    for event in &line.events {
        let id = line.track_of(event.rank, event.thread);
        counts[ids.binary_search(&id).unwrap_or(0)] += 1;
        let start = ((event.start_ns - line.first_ns) / unit_ns) as u32;
        let ns = (event.ns / unit_ns) as u32;
        for word in [start, ns, event.rank, event.peer.unwrap_or(u32::MAX), event.bytes.min(u64::from(u32::MAX)) as u32]
        {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(event.call.to_le_bytes());
        bytes.extend(event.place.to_le_bytes());
    }
    let tracks: Vec<Value> = ids.iter().zip(&counts).map(|(id, count)| json!([id.group, id.thread, count])).collect();
    json!({
        "tracks": tracks, "ranks_each": 1u64 << line.shift, "bin_ns": line.bin_ns, "first_bin_ns": first as u64 * line.bin_ns,
        "bins": count, "cells": base64(&cells), "first_ns": line.first_ns, "last_ns": line.last_ns, "unit_ns": unit_ns,
        "events": base64(&bytes), "kept": line.events.len(), "seen": line.seen,
    })
}

pub fn run(options: &Options, name: &str) -> Result<(), String> {
    let mut picture = Picture::default();
    let tables = summary::read(options, |event| picture.add(event))?;
    if picture.events == 0 {
        return Err(format!("{}: no line is an event of a trace (GASNET_TRACEFILE)", options.files.join(" ")));
    }
    let ranks_each = picture.ranks.div_ceil(MAX_GROUPS).max(1);
    let calls_by_rank = calls(&picture, ranks_each);
    let data = json!({
        "files": options.files.iter().take(20).collect::<Vec<_>>(), "file_count": options.files.len(),
        "events": picture.events, "ranks": picture.ranks, "ranks_each": ranks_each,
        "reports": reports(&tables, options),
        "traffic": traffic(&picture, ranks_each),
        "calls": calls_by_rank,
        "waits": waits(&mut picture),
        "timeline": timeline(&mut picture),
        "call_names": picture.calls.iter().map(|row| json!([row.name(), Picture::category_of(*row)])).collect::<Vec<_>>(),
        "places": picture.places,
    });
    // Names of files and calls cannot end the element that contains them.
    let data = data.to_string().replace('<', "\\u003c");
    let page = PAGE.replace("/*STYLE*/", STYLE).replace("/*SCRIPT*/", &SCRIPTS.concat()).replacen("/*DATA*/", &data, 1);
    fs::write(name, page).map_err(|error| format!("{name}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_its_standard() {
        for (text, coded) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(base64(text.as_bytes()), coded);
        }
    }
}
