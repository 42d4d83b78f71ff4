//! Small faults of the source, as cargo-mutants lists them, and how many of them become one program: a function with
//! chosen faults becomes a `match` on the number in the environment variable MUTANT, with an arm for each of its faults
//! and one for the function as it is. So the library is built once, not once a fault.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;

pub struct Fault {
    pub module: usize,
    pub name: String,
    pub file: String,
    /// Bytes of the file: the function's body with its braces, and the text that the fault replaces there.
    body: (usize, usize),
    span: (usize, usize),
    text: String,
}

/// The random order of a seed (splitmix64).
fn shuffle<T>(items: &mut [T], mut seed: u64) {
    for i in (1..items.len()).rev() {
        seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        items.swap(i, ((z ^ (z >> 31)) % (i as u64 + 1)) as usize);
    }
}

/// Byte offsets of a span of cargo-mutants: lines and characters, from 1.
fn bytes_of(text: &str, span: &Value) -> Option<(usize, usize)> {
    let at = |end: &Value| {
        let (line, column) = (end["line"].as_u64()? as usize, end["column"].as_u64()? as usize);
        let start: usize = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
        Some(start + text[start..].chars().take(column - 1).map(char::len_utf8).sum::<usize>())
    };
    Some((at(&span["start"])?, at(&span["end"])?))
}

/// The body of the function at `span`; none if the compiler may evaluate the function, which knows no environment.
fn body_of(text: &str, span: (usize, usize)) -> Option<(usize, usize)> {
    let (mut deep, mut at) = (0, span.0);
    while at < span.1 {
        let rest = &text[at..];
        match rest.as_bytes()[0] {
            b'/' if rest.starts_with("//") => at += rest.find('\n')?,
            b'(' | b'[' => deep += 1,
            b')' | b']' => deep -= 1,
            b'{' if deep == 0 => return Some((at, span.1)),
            b'c' if rest.starts_with("const fn") => return None,
            _ => {}
        }
        at += 1;
    }
    None
}

/// The faults in files of a module that can be woven, in the random order of `seed`, and how many there are in all.
pub fn faults(listed: &[Value], root: &Path, files: &str, module: usize, seed: u64) -> (Vec<Fault>, usize) {
    let (mut found, mut all) = (Vec::new(), 0);
    for mutant in listed {
        let word = |key: &str| mutant[key].as_str().unwrap_or_default().to_string();
        if !files.split(' ').any(|f| word("file").starts_with(f)) {
            continue;
        }
        all += 1;
        let file = std::fs::read_to_string(root.join(word("file"))).unwrap_or_default();
        // The arms of a `match` have one type, and closures of different arms have not.
        let nameless = mutant["function"]["return_type"].as_str().is_some_and(|t| t.contains("impl "));
        let body = bytes_of(&file, &mutant["function"]["span"]).and_then(|span| body_of(&file, span));
        if let (Some(span), Some(body), false) = (bytes_of(&file, &mutant["span"]), body, nameless) {
            found.push(Fault { module, name: word("name"), file: word("file"), body, span, text: word("replacement") });
        }
    }
    shuffle(&mut found, seed);
    (found, all)
}

pub type Numbered<'a> = (usize, &'a Fault);

/// The text of a file with numbered faults. Each begins a line that says its number (`fault_at`).
pub fn weave(text: &str, faults: &[Numbered]) -> String {
    let mut bodies: BTreeMap<usize, (usize, Vec<&Numbered>)> = BTreeMap::new();
    for fault in faults {
        // Of functions in functions the outer one is copied.
        let own = fault.1.body;
        let (start, end) =
            faults.iter().map(|f| f.1.body).filter(|b| b.0 <= own.0 && own.1 <= b.1).min().unwrap_or(own);
        bodies.entry(start).or_insert((end, Vec::new())).1.push(fault);
    }
    let (mut out, mut at) = (String::new(), 0);
    for (start, (end, inside)) in bodies {
        let _ = write!(out, "{}{{ match crate::mutant::now() {{", &text[at..start]);
        for (number, fault) in inside {
            let (before, after) = (&text[start..fault.span.0], &text[fault.span.1..end]);
            let _ = write!(out, "\n/*fault {number}*/ {number} => {before}{}{after}", fault.text);
        }
        let _ = write!(out, "\n/*fault -*/ _ => {}\n}} }}", &text[start..end]);
        at = end;
    }
    out + &text[at..]
}

/// Which fault's text line `line` of a woven text is.
pub fn fault_at(text: &str, line: usize) -> Option<usize> {
    let lines: Vec<&str> = text.lines().take(line).collect();
    lines.iter().rev().find_map(|l| l.strip_prefix("/*fault "))?.split('*').next()?.parse().ok()
}

/// The file src/mutant.rs of the woven tree.
pub const NOW: &str = "#![allow(unsafe_code)]
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
static NOW: AtomicU32 = AtomicU32::new(u32::MAX);
pub fn now() -> u32 { match NOW.load(Relaxed) { u32::MAX => read(), n => n } }
#[cold] fn read() -> u32 {
    let n = std::env::var_os(\"MUTANT\").and_then(|v| v.to_str()?.parse().ok()).unwrap_or(0);
    NOW.store(n, Relaxed);
    n
}\n";
