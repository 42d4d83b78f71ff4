//! Trace events and their formats: text, and JSON for Chrome and Perfetto.

use core::fmt::{self, Write};
use std::ffi::CStr;

use crate::trace::mask::Letter;
use crate::trace::rows::Row;

/// The details of an event besides its row, peer, size and time.
#[derive(Clone, Copy)]
pub enum Detail<'a> {
    None,
    /// A message: handler, number of arguments, and its number, which is unique for its sender, if it has one.
    Message {
        handler: u8,
        args: u32,
        id: Option<u32>,
    },
    /// A message whose handler has run.
    Handled {
        handler: u8,
        args: u32,
        id: Option<u32>,
    },
    /// Whether a test returned done.
    Done(bool),
    /// A named number.
    Number(&'static str, i64),
    /// Text of the library or of the client.
    Text(&'a str),
    /// The contents of a message: arguments, and the first bytes of the payload.
    Data(&'a [i32], &'a [u8]),
}

/// One event.
pub struct Event<'a> {
    pub rank: u32,
    pub thread: u32,
    pub row: Row,
    /// The category; that of the row, with few exceptions.
    pub letter: Letter,
    /// Its start, relative to the start of the job.
    pub at_ns: i64,
    /// Its duration, if it has one.
    pub ns: Option<u64>,
    pub place: Option<(&'static CStr, u32)>,
    pub peer: Option<u32>,
    pub bytes: Option<u64>,
    pub detail: Detail<'a>,
}

/// Whether bytes or messages of `row` are received from its peer rather than sent to it.
fn comes_from(row: Row) -> bool {
    row.letter() == Letter::GET || matches!(row, Row::REQUEST_HANDLER | Row::REPLY_HANDLER)
}

impl Event<'_> {
    fn is_text(&self) -> bool {
        matches!(self.detail, Detail::Text(_)) && matches!(self.row, Row::INFO | Row::CLIENT)
    }

    /// As lines of text.
    pub fn write_text(&self, to: &mut String) {
        match self.detail {
            Detail::Text(text) if self.is_text() => {
                for line in text.trim_end_matches('\n').split('\n') {
                    let _ = self.begin(to).and_then(|()| writeln!(to, "{line}"));
                }
            }
            _ => {
                let _ = self.begin(to).and_then(|()| self.write_call(to));
            }
        }
    }

    fn begin(&self, to: &mut String) -> fmt::Result {
        let (sign, at) = (if self.at_ns < 0 { "-" } else { "" }, self.at_ns.unsigned_abs());
        write!(to, "{}({}) {sign}{}.{:09}> ", self.rank, self.thread, at / 1_000_000_000, at % 1_000_000_000)?;
        if let Some((file, line)) = self.place {
            write!(to, "[{}:{line}] ", file.to_string_lossy())?;
        }
        write!(to, "({}) ", self.letter.char())
    }

    fn write_call(&self, to: &mut String) -> fmt::Result {
        write!(to, "{}:", self.row.name())?;
        if let Some(peer) = self.peer {
            write!(to, " {}={peer}", if comes_from(self.row) { "from" } else { "to" })?;
        }
        match self.detail {
            Detail::None => {}
            Detail::Message { handler, args, id } | Detail::Handled { handler, args, id } => {
                write!(to, " handler={handler} args={args}")?;
                if let Some(id) = id {
                    write!(to, " id={id}")?;
                }
            }
            Detail::Done(done) => write!(to, " {}", if done { "done" } else { "not_ready" })?,
            Detail::Number(name, value) => write!(to, " {name}={value}")?,
            Detail::Text(text) => write!(to, " {text}")?,
            Detail::Data(args, data) => {
                for (i, arg) in args.iter().enumerate() {
                    write!(to, "{}{arg}", if i == 0 { " args=" } else { "," })?;
                }
                if !data.is_empty() {
                    write!(to, " data={}", hex(data))?;
                }
            }
        }
        if let Some(bytes) = self.bytes {
            write!(to, " bytes={bytes}")?;
        }
        if let Some(ns) = self.ns {
            write!(to, " us={}.{:03}", ns / 1000, ns % 1000)?;
        }
        to.push('\n');
        Ok(())
    }

    /// As lines of JSON, each of which ends with a comma.
    pub fn write_json(&self, to: &mut String) {
        let _ = self.json(to);
    }

    fn json(&self, to: &mut String) -> fmt::Result {
        let us = |ns: i64| (ns as f64) / 1000.0;
        let (pid, tid, ts) = (self.rank, self.thread, us(self.at_ns));
        to.push_str("{\"name\":\"");
        match self.detail {
            Detail::Text(text) if self.is_text() => escape(to, text.trim_end_matches('\n')),
            _ => to.push_str(self.row.name()),
        }
        write!(to, "\",\"cat\":\"{}\",\"pid\":{pid},\"tid\":{tid},\"ts\":{ts:.3}", self.letter.char())?;
        match self.ns {
            Some(ns) => write!(to, ",\"ph\":\"X\",\"dur\":{:.3}", us(ns as i64))?,
            None => to.push_str(",\"ph\":\"i\",\"s\":\"t\""),
        }
        to.push_str(",\"args\":{");
        let mut comma = "";
        let mut item = |to: &mut String, text: fmt::Arguments<'_>| {
            let written = write!(to, "{comma}{text}");
            comma = ",";
            written
        };
        if let Some(peer) = self.peer {
            item(to, format_args!("\"{}\":{peer}", if comes_from(self.row) { "from" } else { "to" }))?;
        }
        if let Some(bytes) = self.bytes {
            item(to, format_args!("\"bytes\":{bytes}"))?;
        }
        match self.detail {
            Detail::Message { handler, args, .. } | Detail::Handled { handler, args, .. } => {
                item(to, format_args!("\"handler\":{handler},\"args\":{args}"))?;
            }
            Detail::Done(done) => item(to, format_args!("\"done\":{done}"))?,
            Detail::Number(name, value) => item(to, format_args!("\"{name}\":{value}"))?,
            Detail::Data(args, data) => {
                item(to, format_args!("\"args\":{args:?},\"data\":\"{}\"", hex(data)))?;
            }
            Detail::Text(text) if !self.is_text() => {
                let mut words = String::new();
                escape(&mut words, text);
                item(to, format_args!("\"what\":\"{words}\""))?;
            }
            Detail::None | Detail::Text(_) => {}
        }
        if let Some((file, line)) = self.place {
            let mut name = String::new();
            escape(&mut name, &file.to_string_lossy());
            item(to, format_args!("\"line\":\"{name}:{line}\""))?;
        }
        to.push_str("}},\n");
        match self.detail {
            Detail::Message { id: Some(id), .. } => arrow(to, "\"s\"", pid, id, (pid, tid, ts)),
            Detail::Handled { id: Some(id), .. } => {
                arrow(to, "\"f\",\"bp\":\"e\"", self.peer.unwrap_or(0), id, (pid, tid, ts))
            }
            _ => Ok(()),
        }
    }
}

fn hex(data: &[u8]) -> String {
    data.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// One end of the arrow from a message's sender to its handler.
fn arrow(to: &mut String, phase: &str, sender: u32, id: u32, (pid, tid, ts): (u32, u32, f64)) -> fmt::Result {
    writeln!(
        to,
        "{{\"name\":\"AM\",\"cat\":\"A\",\"ph\":{phase},\"id\":\"{sender}.{id}\",\"pid\":{pid},\"tid\":{tid},\"ts\":{ts:.3}}},"
    )
}

/// The name of a track in the timeline.
pub(crate) fn write_track(to: &mut String, rank: u32, host: &str, pid: i32) {
    let mut name = String::new();
    escape(&mut name, host);
    let _ = writeln!(
        to,
        "{{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":{rank},\"args\":{{\"name\":\"rank {rank} ({name}, pid {pid})\"}}}},"
    );
}

/// `text`, escaped for a JSON string.
fn escape(to: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '"' => to.push_str("\\\""),
            '\\' => to.push_str("\\\\"),
            c if u32::from(c) < 0x20 => {
                let _ = write!(to, "\\u{:04x}", u32::from(c));
            }
            c => to.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::rows;
    use proptest::prelude::*;

    fn put() -> Event<'static> {
        Event {
            rank: 1,
            thread: 0,
            row: rows::of_call("gasnet_put"),
            letter: Letter::PUT,
            at_ns: 1_234_567_890,
            ns: Some(412),
            place: Some((c"halo.c", 12)),
            peer: Some(3),
            bytes: Some(64),
            detail: Detail::None,
        }
    }

    #[test]
    fn a_line_says_who_when_where_and_what() {
        let mut text = String::new();
        put().write_text(&mut text);
        assert_eq!(text, "1(0) 1.234567890> [halo.c:12] (P) gasnet_put: to=3 bytes=64 us=0.412\n");
    }

    #[test]
    fn what_a_client_prints_stands_as_it_is_on_lines_of_its_own() {
        let mut text = String::new();
        let say =
            Event { row: Row::CLIENT, letter: Letter::CLIENT, detail: Detail::Text("one\ntwo\n"), ns: None, ..put() };
        Event { place: None, ..say }.write_text(&mut text);
        assert_eq!(text, "1(0) 1.234567890> (H) one\n1(0) 1.234567890> (H) two\n");
    }

    #[test]
    fn a_message_is_a_slice_and_an_end_of_an_arrow() {
        let mut json = String::new();
        Event { detail: Detail::Message { handler: 128, args: 2, id: Some(7) }, place: None, ..put() }
            .write_json(&mut json);
        let lines: Vec<&str> = json.lines().collect();
        assert_eq!(
            lines,
            [
                r#"{"name":"gasnet_put","cat":"P","pid":1,"tid":0,"ts":1234567.890,"ph":"X","dur":0.412,"args":{"to":3,"bytes":64,"handler":128,"args":2}},"#,
                r#"{"name":"AM","cat":"A","ph":"s","id":"1.7","pid":1,"tid":0,"ts":1234567.890},"#,
            ]
        );
    }

    proptest! {
        #[test]
        fn lines_of_json_are_json_and_give_texts_back(text in "\\PC*|(?s).*", ns in any::<Option<u32>>(), at_ns in any::<i64>()) {
            let kinds = [
                Detail::Text(&text),
                Detail::Done(true),
                Detail::Number("id", -7),
                Detail::Data(&[1, -2], text.as_bytes()),
                Detail::Handled { handler: 128, args: 2, id: Some(7) },
            ];
            for (detail, row) in kinds.into_iter().zip([Row::CLIENT, Row::INFO, Row::INFO, Row::INFO, Row::REQUEST_HANDLER]) {
                let mut json = String::new();
                Event { detail, row, ns: ns.map(u64::from), at_ns, ..put() }.write_json(&mut json);
                for line in json.lines() {
                    let event: serde_json::Value = serde_json::from_str(line.strip_suffix(',').unwrap()).unwrap();
                    prop_assert_eq!(&event["pid"], 1);
                    if let Detail::Text(text) = detail {
                        prop_assert_eq!(&event["name"], text.trim_end_matches('\n'));
                    }
                }
            }
        }
    }

    #[test]
    fn strings_are_escaped() {
        let mut text = String::new();
        escape(&mut text, "a\"b\\c\nd");
        assert_eq!(text, r#"a\"b\\c\u000ad"#);
    }
}
