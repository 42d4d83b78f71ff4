//! Memory of peers whose segment is all of their memory: the messages that move firehoses. A transfer without a firehose goes by messages,
//! and its rank asks for one for the next transfer.

use super::hoses::HoseKey;
use super::packet::{OfiHead, OfiKind};
use super::rank::OfiRank;
use crate::conduit::shared::packet::PacketPlace;
use crate::defs::rank::JobRank;
use crate::fatal::fatal;
use crate::firehose::Pages;
use crate::firehose::hoses::Ask;
use crate::mem::Src;
use crate::os::shm::page_bytes;

const WORD: usize = size_of::<u64>();

impl OfiRank {
    /// Address, key and firehose for `len` bytes at `at` of a peer. None: there is none; this rank has asked for one, if there is room.
    pub(crate) fn hosed(&mut self, peer: JobRank, at: usize, len: usize) -> Option<(u64, u64, Pages)> {
        // A provider that looks pages up when memory is registered would still reach those that were unmapped since then.
        if self.port.pins() {
            return None;
        }
        let pages = Pages::of(at, len);
        let hoses = &mut self.hoses.with(peer).mine;
        if let Some((of, key)) = hoses.acquire(pages) {
            return Some(((at as u64).wrapping_sub(key.base), key.word, of));
        }
        let Ask { serial, given_back, wanted } = hoses.ask(pages)?;
        let bytes: Vec<u8> = given_back
            .iter()
            .flat_map(|pages| [pages.first as u64, pages.count as u64])
            .flat_map(u64::to_ne_bytes)
            .collect();
        let there = PacketPlace { at: wanted.first * page_bytes(), len: wanted.count as u32, number: serial };
        self.answer(peer, &mut OfiHead::of(OfiKind::Ask, 0).at(there), Src::of(&bytes));
        None
    }

    /// A peer asks for a firehose, and gives back others.
    pub(crate) fn asked(&mut self, from: JobRank, there: PacketPlace, payload: &[u8]) {
        let words = payload.chunks_exact(WORD).filter_map(|word| word.try_into().ok()).map(u64::from_ne_bytes);
        let words: Vec<usize> = words.map(|word| word as usize).collect();
        let given_back = words.chunks_exact(2).map(|pair| Pages { first: pair[0], count: pair[1] }).collect();
        let wanted = Pages { first: there.at / page_bytes(), count: there.len as usize };
        let due = self.hoses.with(from).theirs.arrived(Ask { serial: there.number, given_back, wanted });
        for ask in due {
            for pages in ask.given_back {
                if !self.local.regions.give_back(&mut self.port, pages) {
                    fatal!("conduit ofi: rank {} gives back a firehose that it does not have", from.0);
                }
            }
            let wanted = ask.wanted;
            let key = self.local.regions.grant(&mut self.port, wanted);
            let bytes = key.map(|memory| [&memory.base.to_ne_bytes()[..], &memory.key].concat()).unwrap_or_default();
            let there = PacketPlace { at: wanted.first * page_bytes(), len: wanted.count as u32, number: 0 };
            self.answer(from, &mut OfiHead::of(OfiKind::Answer, 0).at(there), Src::of(&bytes));
        }
    }

    /// The answer to an ask: a key, or nothing.
    pub(crate) fn ask_answered(&mut self, from: JobRank, there: PacketPlace, payload: &[u8]) {
        let key = payload.split_first_chunk::<WORD>().and_then(|(base, raw)| {
            let word = self.port.import_key(raw).ok()?;
            Some(HoseKey { base: u64::from_ne_bytes(*base), word })
        });
        let pages = Pages { first: there.at / page_bytes(), count: there.len as usize };
        self.hoses.with(from).mine.answered(pages, key);
    }
}
