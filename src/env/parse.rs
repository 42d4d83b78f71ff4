//! Formats of values: pure functions of text. An error describes the allowed values.

use std::borrow::Cow;
use std::ops::RangeInclusive;

/// `Err` describes the allowed values.
pub(crate) type Parsed<T> = Result<T, Cow<'static, str>>;

fn need<T>(value: Option<T>, allowed: &'static str) -> Parsed<T> {
    value.ok_or(Cow::Borrowed(allowed))
}

/// yes/no: `Y YES 1` and `N NO 0`, in any case.
pub fn yes(text: &str) -> Parsed<bool> {
    match text.to_ascii_uppercase().as_str() {
        "Y" | "YES" | "1" => Ok(true),
        "N" | "NO" | "0" => Ok(false),
        _ => Err("YES, Y, 1, NO, N or 0".into()),
    }
}

const AN_INT: &str = "an integer of at most 64 bits: decimal, or hexadecimal after 0x";

/// A plain integer: decimal or `0x` hexadecimal, with an optional sign. Hexadecimal digits without a sign stand for
/// the bits of the result, so that `0xffffffffffffffff` is -1.
pub fn int(text: &str) -> Parsed<i64> {
    let text = text.trim();
    let (negative, digits) = sign(text);
    let magnitude: Option<u64> = match hex_digits(digits) {
        Some(hex) => all(hex, |c| c.is_ascii_hexdigit()).and_then(|hex| u64::from_str_radix(hex, 16).ok()),
        None => all(digits, |c| c.is_ascii_digit()).and_then(|digits| digits.parse().ok()),
    };
    let value = magnitude.and_then(|magnitude| match hex_digits(text) {
        Some(_) => Some(magnitude as i64),
        None => signed(negative, magnitude.into()),
    });
    need(value, AN_INT)
}

/// A plain integer between two, both included.
pub fn int_within(text: &str, low: i64, high: i64) -> Parsed<i64> {
    match int(text)? {
        n if (low..=high).contains(&n) => Ok(n),
        _ if high == i64::MAX => Err(format!("at least {low}").into()),
        _ => Err(format!("between {low} and {high}").into()),
    }
}

const A_SIZE: &str = "a number, whole or decimal fraction, with an optional unit B, KB, MB, GB, TB or PB";

/// A memory size in bytes: an integer or a decimal fraction and a unit, `unit` bytes if it names none.
/// A fraction of a byte is dropped. Hexadecimal digits without a sign may use all 64 bits, as in `int`.
pub fn size(text: &str, unit: u64) -> Parsed<i64> {
    let text = text.trim();
    let (negative, rest) = sign(text);
    let is_hex = hex_digits(rest).is_some();
    let number_end = match hex_digits(rest) {
        Some(hex) => 2 + hex.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(hex.len()),
        None => rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len()),
    };
    let (number, suffix) = rest.split_at(number_end);
    let bytes = unit_of(suffix.trim(), unit).map(u128::from).and_then(|unit| match is_hex {
        true => u64::from_str_radix(&number[2..], 16).ok().and_then(|whole| u128::from(whole).checked_mul(unit)),
        false => decimal_times(number, unit),
    });
    let value = bytes.and_then(|bytes| match hex_digits(text) {
        Some(_) => u64::try_from(bytes).ok().map(|bits| bits as i64),
        None => signed(negative, bytes),
    });
    need(value, A_SIZE)
}

/// The number at the beginning of `text`, or 0, for callers that need a number in any case. Numbers that do not fit
/// into 64 bits saturate.
pub fn longest_int(text: &str, unit: u64) -> i64 {
    let read = |text| if unit == 0 { int(text) } else { size(text, unit) };
    let ends = text.char_indices().map(|(at, c)| at + c.len_utf8()).take(64);
    let Some((end, value)) = ends.filter_map(|end| Some((end, read(&text[..end]).ok()?))).last() else {
        return 0;
    };
    let (negative, digits) = sign(text.trim_start());
    let is_digit = |c: char| if hex_digits(digits).is_some() { c.is_ascii_hexdigit() } else { c.is_ascii_digit() };
    match (text[end..].starts_with(is_digit), negative) {
        (false, _) => value,
        (true, false) => i64::MAX,
        (true, true) => i64::MIN,
    }
}

/// A memory size that is not negative.
pub fn size_up(text: &str, unit: u64) -> Parsed<u64> {
    u64::try_from(size(text, unit)?).map_err(|_| A_SIZE.into())
}

/// `12.5` times `unit`, exactly, then rounded towards zero.
fn decimal_times(number: &str, unit: u128) -> Option<u128> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if fraction.contains('.') || (whole.is_empty() && fraction.is_empty()) {
        return None;
    }
    let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    // Digits beyond the fifteenth cannot move a unit of 2^50 by a byte worth speaking of.
    let fraction = &fraction[..fraction.len().min(15)];
    let scale = 10u128.pow(fraction.len() as u32);
    let fraction: u128 = if fraction.is_empty() { 0 } else { fraction.parse().ok()? };
    u128::from(whole).checked_mul(unit)?.checked_add(fraction.checked_mul(unit)? / scale)
}

fn unit_of(suffix: &str, default: u64) -> Option<u64> {
    let upper = suffix.to_ascii_uppercase();
    let shift = match upper.as_str() {
        "" => return Some(default),
        "B" => 0,
        "K" | "KB" | "KIB" => 10,
        "M" | "MB" | "MIB" => 20,
        "G" | "GB" | "GIB" => 30,
        "T" | "TB" | "TIB" => 40,
        "P" | "PB" | "PIB" => 50,
        _ => return None,
    };
    Some(1 << shift)
}

const A_FLOAT: &str = "a finite number such as 1.5 or -1e4, or a fraction such as 3/8";

/// A floating-point number or a fraction `a/b` of two.
pub fn dbl(text: &str) -> Parsed<f64> {
    let one = |text: &str| text.trim().parse::<f64>().ok().filter(|x| x.is_finite());
    let value = match text.split_once('/') {
        Some((above, below)) => one(above).zip(one(below)).map(|(a, b)| a / b),
        None => one(text),
    };
    need(value.filter(|x| x.is_finite()), A_FLOAT)
}

/// A floating-point number or a fraction between two, both included.
pub(crate) fn dbl_within(text: &str, low: f64, high: f64) -> Parsed<f64> {
    match dbl(text)? {
        x if (low..=high).contains(&x) => Ok(x),
        _ => Err(format!("between {low} and {high}").into()),
    }
}

/// One of `choices`, in any case.
pub(crate) fn choice(text: &str, choices: &'static [&'static str]) -> Parsed<&'static str> {
    let known = choices.iter().find(|known| known.eq_ignore_ascii_case(text.trim()));
    known.copied().ok_or_else(|| match choices {
        [only] => (*only).into(),
        _ => format!("one of {}", choices.join(", ")).into(),
    })
}

/// A pattern to fill memory with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fill {
    Byte(u8),
    /// Eight bytes at a time, as they lie in memory.
    Word([u8; 8]),
}

impl Fill {
    /// The byte at `offset` of the filled memory.
    pub(crate) fn byte(self, offset: usize) -> u8 {
        match self {
            Fill::Byte(byte) => byte,
            Fill::Word(bytes) => bytes[offset % 8],
        }
    }
}

const A_FILL: &str = "NAN, sNAN, qNAN, or an integer of at most 64 bits: decimal, or hexadecimal after 0x; up to 255 it fills \
    every byte, else eight bytes at a time";

/// A value to fill memory with.
pub(crate) fn fill(text: &str) -> Parsed<Fill> {
    const QUIET_NAN: u64 = 0x7ff8_0000_0000_0000;
    const SIGNALING_NAN: u64 = 0x7ff4_0000_0000_0000;
    let text = text.trim();
    let number = match text.to_ascii_uppercase().as_str() {
        "NAN" | "QNAN" => Some(QUIET_NAN),
        "SNAN" => Some(SIGNALING_NAN),
        _ => int(text).map(|n| n as u64).ok(),
    };
    need(number.map(|n| u8::try_from(n).map_or(Fill::Word(n.to_ne_bytes()), Fill::Byte)), A_FILL)
}

/// A bound on the segments' size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SegLimit {
    pub amount: Amount,
    pub per: Per,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    Bytes(u64),
    /// Of the physical memory; above 0, at most 1.
    Fraction(f64),
}

/// The scope of the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Per {
    Process,
    /// All processes of a host together.
    Host,
}

impl SegLimit {
    /// The bound for one of `ranks` processes on a host that has `physical_bytes` of memory.
    pub fn bytes_each(&self, physical_bytes: u64, ranks: u32) -> u64 {
        let bytes = match self.amount {
            Amount::Bytes(bytes) => bytes,
            // `fraction` is at most 1, so the product fits; `as` rounds towards zero.
            Amount::Fraction(fraction) => (physical_bytes as f64 * fraction) as u64,
        };
        match self.per {
            Per::Process => bytes,
            Per::Host => bytes / u64::from(ranks.max(1)),
        }
    }
}

const A_SEG_LIMIT: &str = "a size above 0 with a unit such as 1.5GB, a whole number of bytes above 0, or a fraction \
    of the physical memory above 0 and at most 1 such as 0.85 or 1/2; then optionally /P (per process) or /H (per host)";

/// A size above 0, or a fraction of the physical memory; then optionally `/P` or `/H`.
pub fn seg_limit(text: &str) -> Parsed<SegLimit> {
    let text = text.trim();
    let upper = text.to_ascii_uppercase();
    let (amount, per) = if upper.ends_with("/H") {
        (&text[..text.len() - 2], Per::Host)
    } else if upper.ends_with("/P") {
        (&text[..text.len() - 2], Per::Process)
    } else {
        (text, Per::Process)
    };
    let has_unit = amount.ends_with(|c: char| c.is_ascii_alphabetic());
    let is_fraction = !has_unit && amount.contains(['/', '.']);
    let amount = if is_fraction {
        dbl(amount).ok().filter(|&x| x > 0.0 && x <= 1.0).map(Amount::Fraction)
    } else {
        size_up(amount, 1).ok().filter(|&bytes| bytes != 0).map(Amount::Bytes)
    };
    need(amount.map(|amount| SegLimit { amount, per }), A_SEG_LIMIT)
}

/// A set of ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankList(Option<Vec<RangeInclusive<u32>>>);

impl RankList {
    pub const ALL: RankList = RankList(None);

    pub fn has(&self, rank: u32) -> bool {
        self.0.as_ref().is_none_or(|ranges| ranges.iter().any(|range| range.contains(&rank)))
    }
}

const A_RANK_LIST: &str = "* or a comma-separated list of ranks and ranges such as 0,2,4-7";

/// Ranks and ranges `a-b` between commas; empty or `*` means all.
pub fn rank_list(text: &str) -> Parsed<RankList> {
    let text = text.trim();
    if text.is_empty() || text == "*" {
        return Ok(RankList::ALL);
    }
    let rank = |text: &str| all(text.trim(), |c| c.is_ascii_digit())?.parse::<u32>().ok();
    let range = |item: &str| match item.split_once('-') {
        Some((first, last)) => Some(rank(first)?..=rank(last)?).filter(|range| !range.is_empty()),
        None => rank(item).map(|rank| rank..=rank),
    };
    let ranges: Option<Vec<_>> = text.split(',').map(range).collect();
    need(ranges.map(|ranges| RankList(Some(ranges))), A_RANK_LIST)
}

/// The names in a list that blanks or commas separate.
pub fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split([',', ' ', '\t']).filter(|name| !name.is_empty())
}

/// Decodes the launchers' `%0XX` escapes: each stands for the byte with that hexadecimal code. `%000` is kept,
/// since no variable can contain a zero byte.
pub fn unescaped(value: &[u8]) -> Cow<'_, [u8]> {
    without_escapes(value, |byte| byte != 0)
}

/// The same, but `%000` is decoded, too.
pub(crate) fn unescaped_with_zeros(value: &[u8]) -> Cow<'_, [u8]> {
    without_escapes(value, |_| true)
}

fn without_escapes(value: &[u8], wanted: impl Fn(u8) -> bool) -> Cow<'_, [u8]> {
    let escape = |at: usize| -> Option<u8> {
        let &[b'%', b'0', high, low] = value.get(at..at + 4)? else {
            return None;
        };
        let digit = |c: u8| char::from(c).to_digit(16);
        Some((digit(high)? * 16 + digit(low)?) as u8).filter(|&byte| wanted(byte))
    };
    if (0..value.len()).all(|at| escape(at).is_none()) {
        return Cow::Borrowed(value);
    }
    let mut out = Vec::with_capacity(value.len());
    let mut at = 0;
    while at < value.len() {
        match escape(at) {
            Some(byte) => {
                out.push(byte);
                at += 4;
            }
            None => {
                out.push(value[at]);
                at += 1;
            }
        }
    }
    Cow::Owned(out)
}

/// Formats a number; a memory size with the largest unit that represents it exactly. `size(&number(n, true), 1)`
/// and `int(&number(n, false))` return `n`.
pub(crate) fn number(n: i64, is_mem_size: bool) -> String {
    if !is_mem_size {
        return n.to_string();
    }
    let units = ["PB", "TB", "GB", "MB", "KB"];
    let exact = units.iter().zip([50, 40, 30, 20, 10]).find(|&(_, shift)| n != 0 && n % (1 << shift) == 0);
    match exact {
        Some((unit, shift)) => format!("{} {unit}", n >> shift),
        None => format!("{n} B"),
    }
}

/// The edit distance (Levenshtein) of two names.
pub fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, &y) in b.iter().enumerate() {
            let kept = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = kept.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

fn sign(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

fn hex_digits(text: &str) -> Option<&str> {
    text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))
}

/// `text`, if it is not empty and every character is `good`.
fn all(text: &str, good: fn(&char) -> bool) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty() && text.chars().all(|c| good(&c)))
}

fn signed(negative: bool, magnitude: u128) -> Option<i64> {
    let magnitude = i128::try_from(magnitude).ok()?;
    i64::try_from(if negative { -magnitude } else { magnitude }).ok()
}
