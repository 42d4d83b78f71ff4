//! Output of the ranks on its way to the master's stdout or stderr: kept until it can be written without blocking,
//! line by line, with labels if the user wants them.

use std::collections::HashSet;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Label {
    None,
    Rank,
}

pub(crate) struct Output {
    label: Label,
    bytes: Vec<u8>,
    written: usize,
    /// Ranks whose last line has not ended yet.
    inside: HashSet<u32>,
}

/// A pipe that poll(2) reports writable accepts this many bytes without blocking (PIPE_BUF).
const AT_ONCE: usize = 4096;

impl Output {
    pub(crate) fn new(label: Label) -> Output {
        Output { label, bytes: Vec::new(), written: 0, inside: HashSet::new() }
    }

    pub(crate) fn waiting(&self) -> usize {
        self.bytes.len() - self.written
    }

    pub(crate) fn push(&mut self, rank: u32, bytes: &[u8]) {
        if self.label == Label::None {
            self.bytes.extend_from_slice(bytes);
            return;
        }
        for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
            if !self.inside.contains(&rank) {
                self.bytes.extend_from_slice(format!("[{rank}] ").as_bytes());
            }
            self.bytes.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                self.inside.remove(&rank);
            } else {
                self.inside.insert(rank);
            }
        }
    }

    /// Appends bytes that belong to no rank.
    pub(crate) fn push_bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Appends a line of the master.
    pub(crate) fn push_line(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
        self.bytes.push(b'\n');
    }

    /// The bytes that may be written now; call `wrote` afterwards.
    pub(crate) fn next(&self) -> &[u8] {
        let rest = &self.bytes[self.written..];
        &rest[..rest.len().min(AT_ONCE)]
    }

    pub(crate) fn wrote(&mut self, len: usize) {
        self.written += len;
        if self.written == self.bytes.len() || self.written > 1 << 18 {
            self.bytes.drain(..self.written);
            self.written = 0;
        }
    }

    /// Drops the output, whose reader has closed the stream.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.written = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(mut output: Output) -> String {
        let mut text = Vec::new();
        while output.waiting() > 0 {
            let next = output.next().to_vec();
            output.wrote(next.len());
            text.extend(next);
        }
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn each_line_is_labelled_once() {
        let mut output = Output::new(Label::Rank);
        output.push(3, b"a\nb");
        output.push(3, b"c\n");
        output.push(1, b"\n");
        assert_eq!(all(output), "[3] a\n[3] bc\n[1] \n");
    }

    #[test]
    fn what_is_long_is_written_in_pieces_and_whole() {
        let mut output = Output::new(Label::None);
        let text = "x".repeat(1 << 20);
        output.push(0, text.as_bytes());
        assert!(output.next().len() <= AT_ONCE);
        assert_eq!(all(output), text);
    }
}
