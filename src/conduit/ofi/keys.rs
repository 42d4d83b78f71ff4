//! The keys by which this rank reaches the memory of others.

use std::collections::HashMap;

use crate::conduit::Key;
use crate::defs::rank::{JobRank, Location};
use crate::fatal::fatal;
use crate::mem::RemoteAddr;
use crate::shims::ofi::OfiMemory;

/// Imported memory of a peer.
#[derive(Clone, Copy)]
pub(crate) struct OfiImported {
    start: usize,
    bytes: usize,
    /// Subtracted from addresses.
    base: u64,
    /// The word that transfers name.
    word: u64,
}

/// A key as it travels.
pub(crate) struct KeyParts<'a> {
    pub start: usize,
    pub bytes: usize,
    pub base: u64,
    /// Of the provider.
    pub raw: &'a [u8],
}

const WORDS: usize = 3;

/// The key of registered memory; None: it is too long.
pub(crate) fn key_of(start: usize, bytes: usize, memory: &OfiMemory) -> Option<Key> {
    let words = [start as u64, bytes as u64, memory.base];
    let mut all: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    all.extend_from_slice(&memory.key);
    Key::new(&all)
}

pub(crate) fn parts_of(key: &[u8]) -> Option<KeyParts<'_>> {
    let (words, raw) = key.split_at_checked(8 * WORDS)?;
    let word = |at: usize| words[8 * at..8 * at + 8].try_into().ok().map(u64::from_ne_bytes);
    Some(KeyParts { start: word(0)? as usize, bytes: word(1)? as usize, base: word(2)?, raw })
}

#[derive(Default)]
pub(crate) struct Imports {
    /// Of endpoint 0 of each rank.
    first: Vec<Option<OfiImported>>,
    others: HashMap<Location, OfiImported>,
}

impl Imports {
    pub(crate) fn new(size: u32) -> Imports {
        Imports { first: vec![None; size as usize], others: HashMap::new() }
    }

    pub(crate) fn add(&mut self, of: Location, parts: &KeyParts<'_>, word: u64) {
        let imported = OfiImported { start: parts.start, bytes: parts.bytes, base: parts.base, word };
        if of.ep == 0 {
            self.first[of.rank.index()] = Some(imported);
        } else {
            self.others.insert(of, imported);
        }
    }

    /// Address and key of `len` bytes at `at` in the segment of `of`, as the provider wants them. None: no keys are known of that rank, since
    /// all of its memory is its segment.
    #[inline]
    pub(crate) fn there(&self, of: Location, at: RemoteAddr, len: usize) -> Option<(u64, u64)> {
        let known = if of.ep == 0 { self.first[of.rank.index()].as_ref() } else { self.others.get(&of) };
        let Some(imported) = known else {
            if !self.knows(of.rank) {
                return None;
            }
            fatal!("conduit ofi: the segment's key was not imported: endpoint {} of rank {}", of.ep, of.rank.0);
        };
        let OfiImported { start, bytes, base, word } = *imported;
        if at.0 < start || at.0 - start > bytes || len > bytes - (at.0 - start) {
            let (end, rank) = (start + bytes, of.rank.0);
            fatal!(
                "this rank reaches for {len} bytes at {:#x}, outside the segment of rank {rank}: {start:#x} to {end:#x}",
                at.0
            );
        }
        Some(((at.0 as u64).wrapping_sub(base), word))
    }

    fn knows(&self, rank: JobRank) -> bool {
        self.first[rank.index()].is_some() || self.others.keys().any(|of| of.rank == rank)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_counted_from_the_base() {
        let parts = KeyParts { start: 0x1000, bytes: 0x100, base: 0x1000, raw: &[] };
        let mut imports = Imports::new(2);
        let of = |ep| Location { rank: JobRank(1), ep };
        assert_eq!(imports.there(of(0), RemoteAddr(7), 1), None);
        imports.add(of(0), &parts, 5);
        imports.add(of(3), &KeyParts { base: 0, ..parts }, 6);
        assert_eq!(imports.there(of(0), RemoteAddr(0x10ff), 1), Some((0xff, 5)));
        assert_eq!(imports.there(of(3), RemoteAddr(0x1100), 0), Some((0x1100, 6)));
    }
}
