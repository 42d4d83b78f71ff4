//! The keys by which this rank reaches the memory of others.

use std::collections::HashMap;

use crate::conduit::Key;
use crate::defs::rank::{JobRank, Location};
use crate::fatal::fatal;
use crate::mem::RemoteAddr;

/// Imported memory of a peer.
#[derive(Clone, Copy)]
pub(crate) struct OfiImported {
    start: usize,
    bytes: usize,
    /// Subtracted from addresses.
    base: u64,
    /// The word that transfers name.
    word: u64,
    /// It is registered in several pieces, which are in `Imports::pieces`.
    in_pieces: bool,
}

impl OfiImported {
    /// Address and key of `len` bytes at `at`; None: some of them lie outside.
    #[inline]
    fn there(&self, at: usize, len: usize) -> Option<(u64, u64)> {
        let holds = at >= self.start && at - self.start <= self.bytes && len <= self.bytes - (at - self.start);
        holds.then(|| ((at as u64).wrapping_sub(self.base), self.word))
    }
}

/// A key as it travels.
pub(crate) struct KeyParts<'a> {
    pub start: usize,
    pub bytes: usize,
    /// Of the first piece: 0, or the start, from which addresses are counted; those in another piece, from its start.
    pub base: u64,
    /// Bytes of a piece; the last one may be shorter.
    pub each: usize,
    /// Of the provider, for each piece.
    keys: &'a [u8],
}

const WORDS: usize = 4;

/// The key of memory that is registered in pieces of `each` bytes, the first of which has this base; `keys`: the provider's, of each piece. None: it
/// is too long.
pub(crate) fn key_of<'a>(
    start: usize,
    bytes: usize,
    each: usize,
    base: u64,
    keys: impl Iterator<Item = &'a [u8]>,
) -> Option<Key> {
    let words = [start as u64, bytes as u64, base, each as u64];
    let mut all: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    keys.for_each(|key| all.extend_from_slice(key));
    Key::new(&all)
}

pub(crate) fn parts_of(key: &[u8]) -> Option<KeyParts<'_>> {
    let (words, keys) = key.split_at_checked(8 * WORDS)?;
    let word = |at: usize| words[8 * at..8 * at + 8].try_into().ok().map(u64::from_ne_bytes);
    let (start, bytes, base, each) = (word(0)? as usize, word(1)? as usize, word(2)?, word(3)? as usize);
    let parts = KeyParts { start, bytes, base, each, keys };
    (!keys.is_empty() && keys.len() % parts.pieces() == 0).then_some(parts)
}

impl KeyParts<'_> {
    fn pieces(&self) -> usize {
        self.bytes.div_ceil(self.each.max(1)).max(1)
    }

    /// The provider's key of each piece.
    pub(crate) fn raw(&self) -> impl Iterator<Item = &[u8]> {
        self.keys.chunks_exact(self.keys.len() / self.pieces())
    }
}

#[derive(Default)]
pub(crate) struct Imports {
    /// Of endpoint 0 of each rank.
    first: Vec<Option<OfiImported>>,
    others: HashMap<Location, OfiImported>,
    pieces: HashMap<Location, Vec<OfiImported>>,
}

impl Imports {
    pub(crate) fn new(size: u32) -> Imports {
        Imports { first: vec![None; size as usize], ..Imports::default() }
    }

    /// `words`: of each piece.
    pub(crate) fn add(&mut self, of: Location, parts: &KeyParts<'_>, words: &[u64]) {
        let KeyParts { start, bytes, base, each, .. } = *parts;
        let piece = |(nth, word): (usize, &u64)| {
            let from = nth * each;
            let base = if base == 0 { 0 } else { base + from as u64 };
            OfiImported { start: start + from, bytes: each.min(bytes - from), base, word: *word, in_pieces: false }
        };
        let in_pieces = words.len() > 1;
        if in_pieces {
            self.pieces.insert(of, words.iter().enumerate().map(piece).collect());
        } else {
            self.pieces.remove(&of);
        }
        let imported = OfiImported { start, bytes, base, word: words[0], in_pieces };
        if of.ep == 0 {
            self.first[of.rank.index()] = Some(imported);
        } else {
            self.others.insert(of, imported);
        }
    }

    /// Address and key of `len` bytes at `at` in the segment of `of`, as the provider wants them. None: they lie in several pieces of it, or all
    /// memory of that rank is the segment of its endpoint 0, of which there is no key then, whether others have segments or not.
    #[inline]
    pub(crate) fn there(&self, of: Location, at: RemoteAddr, len: usize) -> Option<(u64, u64)> {
        let known = if of.ep == 0 { self.first[of.rank.index()].as_ref() } else { self.others.get(&of) };
        let Some(imported) = known else {
            if of.ep == 0 || !self.knows(of.rank) {
                return None;
            }
            fatal!("conduit ofi: the segment's key was not imported: endpoint {} of rank {}", of.ep, of.rank.0);
        };
        let Some(there) = imported.there(at.0, len) else {
            let (start, end, rank) = (imported.start, imported.start + imported.bytes, of.rank.0);
            fatal!(
                "this rank reaches for {len} bytes at {:#x}, outside the segment of rank {rank}: {start:#x} to {end:#x}",
                at.0
            );
        };
        if imported.in_pieces { self.in_piece(of, at.0, len) } else { Some(there) }
    }

    #[cold]
    fn in_piece(&self, of: Location, at: usize, len: usize) -> Option<(u64, u64)> {
        self.pieces.get(&of)?.iter().find_map(|piece| piece.there(at, len))
    }

    fn knows(&self, rank: JobRank) -> bool {
        self.first[rank.index()].is_some() || self.others.keys().any(|of| of.rank == rank)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(base: u64, bytes: usize, each: usize) -> KeyParts<'static> {
        KeyParts { start: 0x1000, bytes, base, each, keys: &[0; 24] }
    }

    #[test]
    fn addresses_are_counted_from_the_base() {
        let mut imports = Imports::new(2);
        let of = |ep| Location { rank: JobRank(1), ep };
        assert_eq!(imports.there(of(0), RemoteAddr(7), 1), None);
        imports.add(of(3), &parts(0, 0x100, 0x100), &[6]);
        assert_eq!(imports.there(of(0), RemoteAddr(7), 1), None, "all memory is the segment of endpoint 0");
        imports.add(of(0), &parts(0x1000, 0x100, 0x100), &[5]);
        assert_eq!(imports.there(of(0), RemoteAddr(0x10ff), 1), Some((0xff, 5)));
        assert_eq!(imports.there(of(3), RemoteAddr(0x1100), 0), Some((0x1100, 6)));
    }

    #[test]
    fn each_piece_has_a_key_of_its_own() {
        let mut imports = Imports::new(2);
        let of = |ep| Location { rank: JobRank(1), ep };
        imports.add(of(0), &parts(0x1000, 0x280, 0x100), &[5, 6, 7]);
        imports.add(of(3), &parts(0, 0x280, 0x100), &[8, 9, 10]);
        let there = |ep, at, len| imports.there(of(ep), RemoteAddr(at), len);
        assert_eq!(there(0, 0x1000, 0x100), Some((0, 5)));
        assert_eq!(there(0, 0x1100, 8), Some((0, 6)));
        assert_eq!(there(0, 0x127f, 1), Some((0x7f, 7)));
        assert_eq!(there(3, 0x1208, 0x78), Some((0x1208, 10)));
        assert_eq!([there(0, 0x10ff, 2), there(3, 0x1000, 0x280)], [None, None]);
        // One piece again.
        imports.add(of(0), &parts(0x1000, 0x280, 0x280), &[1]);
        assert_eq!(imports.there(of(0), RemoteAddr(0x10ff), 2), Some((0xff, 1)));
    }

    #[test]
    fn a_key_is_read_as_it_was_made() {
        let keys: [[u8; 8]; 3] = [[1; 8], [2; 8], [3; 8]];
        let key = key_of(0x1000, 0x2800, 0x1000, 0x1000, keys.iter().map(<[u8; 8]>::as_slice)).unwrap();
        let read = parts_of(key.bytes()).unwrap();
        assert_eq!((read.start, read.bytes, read.base, read.each), (0x1000, 0x2800, 0x1000, 0x1000));
        assert_eq!(read.raw().collect::<Vec<_>>(), keys);
        assert!(parts_of(&key.bytes()[..key.bytes().len() - 1]).is_none() && parts_of(&[0; 32]).is_none());
        assert!(key_of(0, 1 << 20, 1 << 14, 0, core::iter::repeat_n([0; 8].as_slice(), 64)).is_none());
    }
}
