//! Environment variables; no other module reads the environment. `table` lists every variable once, `parse` has the
//! formats of values, `read` takes them from the environment. An invalid value is a fatal error that names the variable.
//! All functions may be called before init, and by programs that use only the tools.

// This file and `read` may.
#![allow(clippy::disallowed_methods)]

pub(crate) mod doc;
pub(crate) mod parse;
pub(crate) mod read;
pub(crate) mod show;
pub(crate) mod table;
#[cfg(test)]
mod tests;

pub(crate) use parse::RankList;
pub(crate) use parse::{Amount, Per, SegLimit};
pub(crate) use read::decoded;
pub use read::raw;
pub(crate) use read::under_valgrind;
pub(crate) use show::{display, is_verbose, show};
use table::{Default, ValueType, Var};

use crate::fatal::{fatal, line, warn};
use std::borrow::Cow;
use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// The variable's value as text, or its default.
pub(crate) fn str(name: &str) -> Option<String> {
    let var = row(name);
    let (value, is_default) = value_or_show(var, name)?;
    let value = match var.kind {
        ValueType::Choice(choices) => checked(name, &value, parse::choice(&value, choices)).to_string(),
        _ => value,
    };
    show(name, &value, is_default);
    Some(value)
}

/// The variable's value, which is one of its choices.
pub(crate) fn choice(name: &str) -> &'static str {
    let ValueType::Choice(choices) = row(name).kind else { wrong_kind(name) };
    let (value, is_default) = must(name, value_of(row(name), name));
    let value = checked(name, &value, parse::choice(&value, choices));
    show(name, value, is_default);
    value
}

pub fn yes(name: &str) -> bool {
    let ValueType::Yes = row(name).kind else { wrong_kind(name) };
    let (value, is_default) = must(name, value_of(row(name), name));
    let value = checked(name, &value, parse::yes(&value));
    show(name, if value { "YES" } else { "NO" }, is_default);
    value
}

pub(crate) fn int(name: &str) -> i64 {
    must(name, opt_int(name))
}

/// As `int`, for a variable whose default the caller computes: `None` if it is not set.
pub(crate) fn opt_int(name: &str) -> Option<i64> {
    let ValueType::Int(low, high) = row(name).kind else { wrong_kind(name) };
    let (text, is_default) = value_or_show(row(name), name)?;
    let value = checked(name, &text, parse::int_within(&text, low, high));
    show(name, &parse::number(value, false), is_default);
    Some(value)
}

/// A memory size in bytes.
pub(crate) fn size(name: &str) -> u64 {
    let ValueType::Size(unit) = row(name).kind else { wrong_kind(name) };
    let (text, is_default) = must(name, value_of(row(name), name));
    let value = checked(name, &text, parse::size_up(&text, unit));
    show(name, &parse::number(value as i64, true), is_default);
    value
}

/// As `size`, for a variable whose default the caller computes: `None` if it is not set.
pub(crate) fn opt_size(name: &str) -> Option<u64> {
    let ValueType::Size(unit) = row(name).kind else { wrong_kind(name) };
    let (text, is_default) = value_or_show(row(name), name)?;
    let value = checked(name, &text, parse::size_up(&text, unit));
    show(name, &parse::number(value as i64, true), is_default);
    Some(value)
}

pub(crate) fn dbl(name: &str) -> f64 {
    must(name, opt_dbl(name))
}

/// As `dbl`, for a variable whose default the caller computes: `None` if it is not set.
pub(crate) fn opt_dbl(name: &str) -> Option<f64> {
    let ValueType::Float(low, high) = row(name).kind else { wrong_kind(name) };
    let (text, is_default) = value_or_show(row(name), name)?;
    let value = checked(name, &text, parse::dbl_within(&text, low, high));
    show(name, &value.to_string(), is_default);
    Some(value)
}

/// The limit on the segment size, and whether the user set it.
pub(crate) fn seg_limit(name: &str) -> (SegLimit, bool) {
    let ValueType::SegLimit = row(name).kind else { wrong_kind(name) };
    let (text, is_default) = must(name, value_of(row(name), name));
    let value = checked(name, &text, parse::seg_limit(&text));
    show(name, &text, is_default);
    (value, !is_default)
}

/// Parses a limit on the segment size that a client gives in its variable `name`.
pub(crate) fn segment_default(name: &str, text: &str) -> SegLimit {
    checked(name, text, parse::seg_limit(text))
}

/// A pattern to fill memory with.
pub(crate) fn fill(name: &str) -> parse::Fill {
    let ValueType::Fill = row(name).kind else { wrong_kind(name) };
    let (text, is_default) = must(name, value_of(row(name), name));
    let value = checked(name, &text, parse::fill(&text));
    show(name, &text, is_default);
    value
}

/// The set of ranks that a variable selects.
pub(crate) fn ranks(name: &str) -> RankList {
    let ValueType::Ranks = row(name).kind else { wrong_kind(name) };
    let (text, is_default) = must(name, value_of(row(name), name));
    let value = checked(name, &text, parse::rank_list(&text));
    show(name, &text, is_default);
    value
}

/// Whether the user set the variable.
pub(crate) fn is_set(name: &str) -> bool {
    row(name);
    std::env::var_os(name).is_some()
}

/// As `str`, for a variable of the udp spawner, which users may also set as `AMUDP_X` or `X`.
pub(crate) fn spawn_str(name: &str) -> Option<String> {
    row(name);
    let bare = name.trim_start_matches("GASNET_");
    if is_set(name) {
        return str(name);
    }
    let Some((value, other)) =
        [format!("AMUDP_{bare}"), bare.to_string()].into_iter().find_map(|other| Some((raw(&other)?, other)))
    else {
        return str(name);
    };
    if let Some(problem) = problem(row(name), &value) {
        fatal!("environment variable {other}='{value}': {problem}");
    }
    show(&other, &value, false);
    Some(value)
}

/// The whole environment, without decoding.
pub(crate) fn everything() -> Vec<(Vec<u8>, Vec<u8>)> {
    std::env::vars_os().map(|(name, value)| (name.into_vec(), value.into_vec())).collect()
}

/// The directory for temporary files: `GASNET_TMPDIR`, else `TMPDIR`, else `/tmp`.
pub(crate) fn tmp_dir() -> String {
    let ours = str("GASNET_TMPDIR").filter(|dir| !dir.is_empty());
    ours.or_else(|| raw("TMPDIR").filter(|dir| !dir.is_empty())).unwrap_or_else(|| "/tmp".to_string())
}

/// Decodes the launchers' escapes in an argument of the program; `%000` separates two arguments. None if the
/// argument contains no escapes.
pub(crate) fn argument(word: &[u8]) -> Option<Vec<Vec<u8>>> {
    match parse::unescaped_with_zeros(word) {
        Cow::Owned(decoded) => Some(decoded.split(|&byte| byte == 0).map(<[u8]>::to_vec).collect()),
        Cow::Borrowed(_) => None,
    }
}

/// Looks up and reports a variable of the client: returns its value, or `default`.
pub(crate) fn any_str(name: &str, default: Option<&str>) -> Option<String> {
    let set = raw(name);
    let is_default = set.is_none();
    let value = set.or_else(|| default.map(str::to_string));
    show(name, value.as_deref().unwrap_or("*not set*"), is_default);
    value
}

pub(crate) fn any_yes(name: &str, default: bool) -> bool {
    let set = raw(name);
    let value = set.as_deref().map_or(default, |text| checked(name, text, parse::yes(text)));
    show(name, if value { "YES" } else { "NO" }, set.is_none());
    value
}

/// `unit` 0 means a plain integer, other values a memory size with this default unit.
pub fn any_int(name: &str, default: i64, unit: u64) -> i64 {
    let set = raw(name);
    let value = set.as_deref().map_or(default, |text| checked(name, text, int_or_size(text, unit)));
    show(name, &parse::number(value, unit != 0), set.is_none());
    value
}

pub(crate) fn any_dbl(name: &str, default: f64) -> f64 {
    let set = raw(name);
    let value = set.as_deref().map_or(default, |text| checked(name, text, parse::dbl(text)));
    show(name, &value.to_string(), set.is_none());
    value
}

/// `unit` 0 means a plain integer, else a memory size.
pub(crate) fn int_or_size(text: &str, unit: u64) -> parse::Parsed<i64> {
    match unit {
        0 => parse::int(text),
        unit => parse::size(text, unit),
    }
}

/// Ends the program if a known variable has an invalid value, and warns of unknown variables. Called once per job,
/// at its start.
pub fn check_unknown() {
    for name in names_set() {
        if let Some(var) = table::find(&name) {
            let value = raw(&name).unwrap_or_default();
            if let Some(problem) = problem(var, &value) {
                fatal!("environment variable {name}='{value}': {problem}");
            }
        } else if table::is_without_effect(&name) || name.contains(char::is_whitespace) {
            // A public runtime sets "GASNET_ EXITTIMEOUT".
            if is_verbose() {
                line(&format!("ENV parameter: {name} is set, but has no effect here"));
            }
        } else {
            match nearest(&name) {
                Some(known) => warn!("unknown environment variable {name}: did you mean {known}?"),
                None => warn!("unknown environment variable {name}"),
            }
        }
    }
}

/// The variables that are set and begin with `GASNET_`, in order.
pub fn names_set() -> Vec<String> {
    let mut names: Vec<_> = std::env::vars_os().filter_map(|(name, _)| ours(&name)).collect();
    names.sort();
    names
}

fn ours(name: &OsStr) -> Option<String> {
    name.as_bytes().starts_with(b"GASNET_").then(|| name.to_string_lossy().into_owned())
}

/// The known variable with the smallest edit distance from `name`, if that is small.
pub fn nearest(name: &str) -> Option<&'static str> {
    let own_part = |name: &str| name.trim_start_matches("GASNET_").len();
    table::VARS
        .iter()
        .map(|var| (parse::distance(name, var.name), var.name))
        .min()
        .filter(|&(letters, known)| letters <= own_part(name).min(own_part(known)).div_ceil(3))
        .map(|(_, known)| known)
}

/// For each row of the table, the value that is set, or `None`; neither reported nor checked.
pub fn all() -> impl Iterator<Item = (&'static Var, Option<String>)> {
    table::VARS.iter().map(|var| (var, raw(var.name)))
}

/// The error in a variable's value, or `None`.
pub fn problem(var: &Var, text: &str) -> Option<String> {
    let wrong = match var.kind {
        ValueType::Text => None,
        ValueType::Yes => parse::yes(text).err(),
        ValueType::Int(low, high) => parse::int_within(text, low, high).err(),
        ValueType::Size(unit) => parse::size_up(text, unit).err(),
        ValueType::Float(low, high) => parse::dbl_within(text, low, high).err(),
        ValueType::SegLimit => parse::seg_limit(text).err(),
        ValueType::Ranks => parse::rank_list(text).err(),
        ValueType::Fill => parse::fill(text).err(),
        ValueType::Choice(choices) => parse::choice(text, choices).err(),
    };
    wrong.map(|allowed| format!("must be {allowed}"))
}

fn row(name: &str) -> &'static Var {
    match table::find(name) {
        Some(var) => var,
        None => fatal!("internal error: environment variable {name} is not in the table"),
    }
}

/// The value, and whether it is the default. `None`: neither set, nor with a default value.
fn value_of(var: &Var, name: &str) -> Option<(String, bool)> {
    match (raw(name), var.default) {
        (Some(value), _) => Some((value, false)),
        (None, Default::Is(default)) => Some((default.to_string(), true)),
        (None, Default::Unset | Default::Computed(_)) => None,
    }
}

/// As `value_of`, but also reports that a variable is not set.
fn value_or_show(var: &Var, name: &str) -> Option<(String, bool)> {
    let value = value_of(var, name);
    if value.is_none() {
        show(name, doc::default(var.default), true);
    }
    value
}

fn must<T>(name: &str, value: Option<T>) -> T {
    match value {
        Some(value) => value,
        None => fatal!("internal error: environment variable {name} has no default in the table"),
    }
}

fn wrong_kind(name: &str) -> ! {
    fatal!("internal error: environment variable {name} is not of that kind")
}

fn checked<T>(name: &str, text: &str, parsed: parse::Parsed<T>) -> T {
    match parsed {
        Ok(value) => value,
        Err(allowed) => fatal!("environment variable {name}='{text}': must be {allowed}"),
    }
}
