//! Lines of a trace, read back.

use gasnet::internal::trace::event::{Detail, Event};
use gasnet::internal::trace::mask::Letter;
use gasnet::internal::trace::rows::{self, Row};
use std::collections::HashMap;
use std::ffi::{CStr, CString};

/// One event, as its line says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line<'a> {
    pub rank: u32,
    pub thread: u32,
    pub at_ns: i64,
    pub place: Option<(&'a str, u32)>,
    pub letter: Letter,
    /// None: the line is text.
    pub row: Option<Row>,
    /// The rest of the line: the details after the name, or the text.
    pub rest: &'a str,
}

/// A line of another form is None.
pub fn parse(line: &str) -> Option<Line<'_>> {
    let (rank, rest) = line.split_once('(')?;
    let (thread, rest) = rest.split_once(") ")?;
    let (at, rest) = rest.split_once("> ")?;
    let (sign, digits) = at.strip_prefix('-').map_or((1, at), |digits| (-1, digits));
    let (seconds, fraction) = digits.split_once('.').filter(|(_, fraction)| fraction.len() == 9)?;
    let at_ns = sign * (seconds.parse::<i64>().ok()?.checked_mul(1_000_000_000)? + fraction.parse::<i64>().ok()?);
    let (place, rest) = match rest.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
        Some((place, rest)) => {
            let (file, line) = place.rsplit_once(':')?;
            (Some((file, line.parse().ok()?)), rest)
        }
        None => (None, rest),
    };
    let mut letters = rest.strip_prefix('(')?.chars();
    let letter = Letter::of(letters.next()?)?;
    let rest = letters.as_str().strip_prefix(") ")?;
    let (rank, thread) = (rank.parse().ok()?, thread.parse().ok()?);
    let call = rest.split_once(':').map(|(name, rest)| (rows::of_name(name), rest));
    let (row, rest) = match call {
        Some((Some(row), tail)) if letter != Letter::DETAIL && !matches!(row, Row::INFO | Row::CLIENT) => {
            (Some(row), tail.trim_start())
        }
        _ => (None, rest),
    };
    Some(Line { rank, thread, at_ns, place, letter, row, rest })
}

impl<'a> Line<'a> {
    /// The value of `key=value`.
    pub fn word(&self, key: &str) -> Option<&'a str> {
        self.row?;
        self.rest.split(' ').find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
    }

    pub fn number<T: std::str::FromStr>(&self, key: &str) -> Option<T> {
        self.word(key)?.parse().ok()
    }

    pub fn peer(&self) -> Option<u32> {
        self.number("to").or_else(|| self.number("from"))
    }

    /// How long it took.
    pub fn ns(&self) -> Option<u64> {
        let (us, fraction) = self.word("us")?.split_once('.')?;
        Some(us.parse::<u64>().ok()? * 1000 + fraction.parse::<u64>().ok()?)
    }

    pub fn is_handler(&self) -> bool {
        matches!(self.row, Some(Row::REQUEST_HANDLER | Row::REPLY_HANDLER))
    }
}

/// Texts that events keep: each once, for as long as the program runs.
#[derive(Default)]
pub struct Names {
    files: HashMap<String, &'static CStr>,
    keys: HashMap<String, &'static str>,
}

impl Names {
    fn file(&mut self, name: &str) -> &'static CStr {
        if let Some(known) = self.files.get(name) {
            return known;
        }
        let kept: &'static CStr = Box::leak(CString::new(name).unwrap_or_default().into_boxed_c_str());
        self.files.insert(name.to_string(), kept);
        kept
    }

    fn key(&mut self, name: &str) -> &'static str {
        if let Some(known) = self.keys.get(name) {
            return known;
        }
        let kept: &'static str = Box::leak(name.to_string().into_boxed_str());
        self.keys.insert(name.to_string(), kept);
        kept
    }

    /// The event that `line` was written from.
    pub fn event<'a>(&mut self, line: &Line<'a>) -> Event<'a> {
        Event {
            rank: line.rank,
            thread: line.thread,
            row: line.row.unwrap_or(if line.letter == Letter::INFO { Row::INFO } else { Row::CLIENT }),
            letter: line.letter,
            at_ns: line.at_ns,
            ns: line.ns(),
            place: line.place.map(|(file, number)| (self.file(file), number)),
            peer: line.peer(),
            bytes: line.number("bytes"),
            detail: self.detail(line),
        }
    }

    fn detail<'a>(&mut self, line: &Line<'a>) -> Detail<'a> {
        if line.row.is_none() || line.row == Some(Row::DATAGRAMS) {
            return Detail::Text(line.rest);
        }
        if let Some(handler) = line.number("handler") {
            let (args, id) = (line.number("args").unwrap_or(0), line.number("id"));
            return match line.is_handler() {
                true => Detail::Handled { handler, args, id },
                false => Detail::Message { handler, args, id },
            };
        }
        for word in line.rest.split(' ') {
            match word.split_once('=') {
                None if word == "done" => return Detail::Done(true),
                None if word == "not_ready" => return Detail::Done(false),
                Some((key, value)) if !matches!(key, "to" | "from" | "bytes" | "us") => {
                    return match value.parse() {
                        Ok(value) => Detail::Number(self.key(key), value),
                        Err(_) => Detail::Text(word),
                    };
                }
                _ => {}
            }
        }
        Detail::None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: [&str; 5] = [
        "1(0) 1.234567890> [halo.c:12] (P) gasnet_put: to=3 bytes=64 us=0.412\n",
        "0(2) 0.000000017> (A) AM_REQUEST_HANDLER: from=1 handler=128 args=2 id=17 bytes=8 us=12.003\n",
        "0(0) -0.000000004> (S) gasnet_try_syncnb: not_ready us=0.100\n",
        "0(0) 0.000000004> [a b:c.c:3] (B) gasnet_barrier_wait: id=-7 us=1.000\n",
        "3(1) 2.000000000> (H) step 7: to=all\n",
    ];

    #[test]
    fn what_is_written_is_read_back() {
        let mut names = Names::default();
        for text in LINES {
            let mut again = String::new();
            names.event(&parse(text.trim_end()).unwrap()).write_text(&mut again);
            assert_eq!(again, text);
        }
    }

    #[test]
    fn other_lines_are_none() {
        for text in [
            "",
            "hello",
            "0(0) x> (P) a",
            "0> (P) gasnet_put  count 3",
            "0(0) 0.1> (P) gasnet_put: to=1",
            "0(0) 0.000000001> (Z) x",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
