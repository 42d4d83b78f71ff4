//! Masks: sets of the categories of events that are recorded, by letter.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString};

use parking_lot::Mutex;

use crate::sync::atomic::{AtomicU32, Ordering};

/// Every letter, in the order in which masks are shown. The last one is always on.
const LETTERS: &[u8] = b"GPRSWXBLAIOCDNHU";

/// A category of events.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub struct Letter(u8);

impl Letter {
    pub const GET: Letter = Letter(0);
    pub const PUT: Letter = Letter(1);
    pub const ATOMIC: Letter = Letter(2);
    pub const SYNC: Letter = Letter(3);
    pub const COLL: Letter = Letter(4);
    /// Polls; for GASNet-1 also the synchronisation of collectives.
    pub const POLL: Letter = Letter(5);
    pub const COLL_SYNC: Letter = Letter(5);
    pub const BARRIER: Letter = Letter(6);
    pub const LOCK: Letter = Letter(7);
    pub const AM: Letter = Letter(8);
    pub const INFO: Letter = Letter(9);
    pub const OBJECT: Letter = Letter(10);
    pub const CONDUIT: Letter = Letter(11);
    /// Contents of messages: payloads and arguments.
    pub const DETAIL: Letter = Letter(12);
    /// Source lines of the client.
    pub const LINES: Letter = Letter(13);
    /// Output of the client.
    pub const CLIENT: Letter = Letter(14);
    /// Events that no mask suppresses.
    pub const ALWAYS: Letter = Letter(15);

    pub fn char(self) -> char {
        char::from(LETTERS[usize::from(self.0)])
    }

    /// The category of a letter; inverse of `char`.
    pub fn of(c: char) -> Option<Letter> {
        LETTERS.iter().position(|&letter| char::from(letter) == c).map(|at| Letter(at as u8))
    }

    #[inline]
    fn bit(self) -> u32 {
        1 << self.0
    }
}

/// A set of letters, which clients may change while others read it.
pub(crate) struct LetterMask(AtomicU32);

/// The error in the text of a mask.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unknown(pub char);

const ALL: u32 = (1 << LETTERS.len()) - 1;

/// The letters of `text`, or all others if it begins with `^`; and the first unknown letter.
fn parse(text: &str) -> (u32, Option<Unknown>) {
    let (text, complement) = match text.strip_prefix('^') {
        Some(rest) => (rest, true),
        None => (text, false),
    };
    let (mut bits, mut unknown) = (0, None);
    for c in text.chars() {
        match LETTERS.iter().position(|&letter| char::from(letter) == c.to_ascii_uppercase()) {
            Some(at) => bits |= 1 << at,
            None => unknown = unknown.or(Some(Unknown(c))),
        }
    }
    let bits = if complement { ALL & !bits } else { bits };
    (bits | Letter::ALWAYS.bit(), unknown)
}

impl LetterMask {
    pub(crate) const fn none() -> LetterMask {
        LetterMask(AtomicU32::new(0))
    }

    #[inline]
    pub(crate) fn has(&self, letter: Letter) -> bool {
        // Relaxed: the mask only selects later events; no other memory depends on it.
        self.0.load(Ordering::Relaxed) & letter.bit() != 0
    }

    /// Sets the mask to `text`. Ignores unknown letters and returns the first of them.
    pub(crate) fn set(&self, text: &str) -> Option<Unknown> {
        let (bits, unknown) = parse(text);
        self.0.store(bits, Ordering::Relaxed);
        unknown
    }

    /// The letters of the mask, as a text that is never freed.
    pub(crate) fn text(&self) -> &'static CStr {
        static TEXTS: Mutex<BTreeMap<u32, &'static CStr>> = Mutex::new(BTreeMap::new());
        let bits = self.0.load(Ordering::Relaxed);
        TEXTS.lock().entry(bits).or_insert_with(|| {
            let letters = LETTERS.iter().enumerate().filter(|(at, _)| bits >> at & 1 != 0).map(|(_, &letter)| letter);
            CString::new(letters.collect::<Vec<u8>>()).map_or(c"", |text| Box::leak(text.into_boxed_c_str()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> &'static str {
        let mask = LetterMask::none();
        mask.set(text);
        mask.text().to_str().unwrap()
    }

    #[test]
    fn a_mask_has_its_letters_and_u() {
        assert_eq!(shown("PG"), "GPU");
        assert_eq!(shown("agb"), "GBAU");
        assert_eq!(shown(""), "U");
    }

    #[test]
    fn a_caret_means_all_others() {
        assert_eq!(shown("^"), "GPRSWXBLAIOCDNHU");
        assert_eq!(shown("^XU"), "GPRSWBLAIOCDNHU");
    }

    #[test]
    fn what_is_no_letter_is_named() {
        assert_eq!(LetterMask::none().set("GZ?"), Some(Unknown('Z')));
    }
}
