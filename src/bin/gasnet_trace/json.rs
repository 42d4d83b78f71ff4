//! As much of JSON as it takes to read a trace, and to say where it is none.

use std::collections::BTreeMap;

#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Value>),
    Object(BTreeMap<String, Value>),
}

impl Value {
    pub fn get(&self, key: &str) -> Option<&Value> {
        match self {
            Value::Object(items) => items.get(key),
            _ => None,
        }
    }

    pub fn text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: u32,
}

/// Reads one value and nothing else.
pub fn parse(text: &str) -> Result<Value, String> {
    let mut reader = Reader { bytes: text.as_bytes(), at: 0, depth: 0 };
    let value = reader.value()?;
    match reader.next() {
        None => Ok(value),
        Some(_) => reader.wrong("something after the end"),
    }
}

impl Reader<'_> {
    /// The next byte that is no blank, not taken.
    fn next(&mut self) -> Option<u8> {
        while let Some(byte) = self.bytes.get(self.at) {
            if !b" \t\r\n".contains(byte) {
                return Some(*byte);
            }
            self.at += 1;
        }
        None
    }

    fn wrong<T>(&self, what: &str) -> Result<T, String> {
        let line = self.bytes[..self.at.min(self.bytes.len())].iter().filter(|byte| **byte == b'\n').count() + 1;
        Err(format!("line {line}: {what}"))
    }

    fn take(&mut self, byte: u8) -> Result<(), String> {
        if self.next() != Some(byte) {
            return self.wrong(&format!("'{}' is missing", char::from(byte)));
        }
        self.at += 1;
        Ok(())
    }

    fn value(&mut self) -> Result<Value, String> {
        const DEEPEST: u32 = 64;
        match self.next() {
            Some(b'[' | b'{') if self.depth >= DEEPEST => self.wrong("too deep"),
            Some(b'[') => {
                let mut items = Vec::new();
                self.items(b'[', b']', |reader| {
                    items.push(reader.value()?);
                    Ok(())
                })?;
                Ok(Value::List(items))
            }
            Some(b'{') => {
                let mut items = BTreeMap::new();
                self.items(b'{', b'}', |reader| {
                    let key = reader.string()?;
                    reader.take(b':')?;
                    items.insert(key, reader.value()?);
                    Ok(())
                })?;
                Ok(Value::Object(items))
            }
            Some(b'"') => self.string().map(Value::Text),
            Some(_) => self.word(),
            None => self.wrong("it ends too early"),
        }
    }

    fn items(
        &mut self,
        open: u8,
        close: u8,
        mut item: impl FnMut(&mut Self) -> Result<(), String>,
    ) -> Result<(), String> {
        self.take(open)?;
        self.depth += 1;
        if self.next() != Some(close) {
            loop {
                item(self)?;
                if self.next() == Some(close) {
                    break;
                }
                self.take(b',')?;
            }
        }
        self.depth -= 1;
        self.take(close)
    }

    fn word(&mut self) -> Result<Value, String> {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte)) {
            self.at += 1;
        }
        let word = std::str::from_utf8(&self.bytes[start..self.at]).unwrap_or("");
        match word {
            "null" => Ok(Value::Null),
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            _ if !word.starts_with(|c: char| c == '-' || c.is_ascii_digit()) => self.wrong("no value"),
            _ => match word.parse() {
                Ok(number) => Ok(Value::Number(number)),
                Err(_) => self.wrong("no number"),
            },
        }
    }

    fn string(&mut self) -> Result<String, String> {
        self.take(b'"')?;
        let mut bytes = Vec::new();
        loop {
            let Some(&byte) = self.bytes.get(self.at) else { return self.wrong("a string without end") };
            self.at += 1;
            match byte {
                b'"' => break,
                b'\\' => self.escape(&mut bytes)?,
                0..0x20 => return self.wrong("a control character in a string"),
                byte => bytes.push(byte),
            }
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn escape(&mut self, to: &mut Vec<u8>) -> Result<(), String> {
        let Some(&byte) = self.bytes.get(self.at) else { return self.wrong("a string without end") };
        self.at += 1;
        to.push(match byte {
            b'"' | b'\\' | b'/' => byte,
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'b' => 8,
            b'f' => 12,
            b'u' => {
                let digits = self.bytes.get(self.at..self.at + 4).and_then(|hex| std::str::from_utf8(hex).ok());
                let Some(code) = digits.and_then(|hex| u32::from_str_radix(hex, 16).ok()) else {
                    return self.wrong("\\u without four digits");
                };
                self.at += 4;
                let c = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
                to.extend(c.encode_utf8(&mut [0; 4]).bytes());
                return Ok(());
            }
            _ => return self.wrong("an unknown escape"),
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read() {
        let value = parse(r#"[{"a": 1.5e3, "b": "x\"\u0041\n", "c": [true, null]}, []]"#).unwrap();
        let Value::List(items) = value else { panic!() };
        assert_eq!(items[0].get("a").unwrap().number(), Some(1500.0));
        assert_eq!(items[0].get("b").unwrap().text(), Some("x\"A\n"));
        assert_eq!(items[1], Value::List(vec![]));
    }

    #[test]
    fn what_is_none_is_refused() {
        for text in ["", "[1,]", "[1", "{\"a\"}", "[1] 2", "\"\n\"", "[nul]", "{1:2}", "[\"\\x\"]"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
